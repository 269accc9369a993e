/* layers: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/layers.h"

#include "image/fragments.h"
#include "image/merge.h"

/* Alpha that changes less from pixel to pixel is glass and not an edge. */
#define SLOPE 0.04f

typedef struct {
  const ImageSource *front;
  double opacity, distance;
  float *depth;
  int width;
} DepthWork;

static void
lay_depths (gpointer data, int first, int end)
{
  const DepthWork *work = (const DepthWork *) data;
  float pixels[4 * IMAGE_BLOCK], depths[IMAGE_BLOCK];

  for (int y = first; y < end; y++)
    for (int x = 0; x < work->width; x += IMAGE_BLOCK) {
      const size_t n = (size_t) MIN (IMAGE_BLOCK, work->width - x);
      const float *front = image_source_fetch (work->front, x, y, n, pixels);
      const float *own = image_source_fetch_depth (work->front, x, y, n, depths);
      float *b = work->depth + (size_t) y * (size_t) work->width + (size_t) x;

      for (size_t i = 0; i < n; i++) {
        const double alpha = (double) front[4 * i + 3] * work->opacity;
        const float d = isnan (work->distance) ? own[i] : (float) work->distance, nearest = d < b[i] ? d : b[i];

        b[i] = alpha >= 1 ? d : alpha > 0 ? nearest : b[i];
      }
    }
}

bool
layer_over (KgImage **back, const ImageSource *front, double opacity, double distance, const KgProgressMonitor *monitor)
{
  const ImageWear wear = { .mix = 1 };
  const Merge merge = { .op = MERGE_OVER, .opacity = (float) opacity };

  if (!merge_combine (back, front, 1, &wear, &merge, monitor))
    return false;
  if (kg_image_get_depth (*back) != NULL) {
    DepthWork work = { front, opacity, distance, kg_image_edit_depth (*back), kg_image_get_width (*back) };

    return image_each_rows (work.width, kg_image_get_height (*back), lay_depths, &work, monitor);
  }
  return true;
}

typedef struct {
  const ImageSource *layers;
  const double *opacities;
  guint n;
  float *to;
  int width;
} StackWork;

/* Whether column x is in the layer. */
static bool
has_column (const ImageSource *layer, int x)
{
  const double at = layer->x0 + layer->stretch * (x + 0.5);

  return layer->stretch != 1 ? at >= 0 && at < layer->width : x >= layer->dx && x - layer->dx < layer->width;
}

static bool
has_row (const ImageSource *layer, int y)
{
  return y >= layer->dy && y - layer->dy < layer->height;
}

/* The slope of alpha at a pixel, from what is beside it in the layer: its border is no edge of what it shows. */
static void
get_slope (const ImageSource *layer, int x, int y, double *gx, double *gy)
{
  float rows[3][12];
  const float *p[3];
  const int left = has_column (layer, x - 1) ? 0 : 1, right = has_column (layer, x + 1) ? 2 : 1;
  const int above = has_row (layer, y - 1) ? 0 : 1, below = has_row (layer, y + 1) ? 2 : 1;

  for (int j = 0; j < 3; j++)
    p[j] = image_source_fetch (layer, x - 1, y - 1 + j, 3, rows[j]);
  *gx = *gy = 0;
  for (int j = 0; j < 3; j++) {
    const int row = (int) kg_clamp (j, above, below), column = (int) kg_clamp (j, left, right);
    const double weight = j == 1 ? 0.5 : 0.25;

    *gx += weight * ((double) p[row][4 * right + 3] - (double) p[row][4 * left + 3]) / MAX (right - left, 1);
    *gy += weight * ((double) p[below][4 * column + 3] - (double) p[above][4 * column + 3]) / MAX (below - above, 1);
  }
  if (hypot (*gx, *gy) < (double) SLOPE)
    *gx = *gy = 0;
}

static void
resolve_pixel (const StackWork *work, int x, int y, float *to)
{
  Fragment fragments[LAYERS_MOST];
  double rgba[4];
  guint n = 0;

  /* From front to back, until one hides the rest. */
  for (guint i = work->n; i-- > 0;) {
    float scratch[4];
    const float *p = image_source_fetch (&work->layers[i], x, y, 1, scratch);
    const double alpha = kg_clamp ((double) p[3], 0, 1), opacity = work->opacities[i];
    Fragment *f = &fragments[n];
    double gx = 0, gy = 0, all = 1;

    if (p[0] == 0 && p[1] == 0 && p[2] == 0 && alpha == 0)
      continue;
    if (alpha > 0 && alpha < 1)
      get_slope (&work->layers[i], x, y, &gx, &gy);
    /* What is in the part that is covered, so that all of it together is what was there. */
    if (fragment_cover (f, alpha, gx, gy))
      all = 1 / alpha;
    for (int c = 0; c < 3; c++)
      f->rgba[c] = (double) p[c] * all * opacity;
    f->rgba[3] = alpha * all * opacity;
    f->z = n++;
    if (alpha * opacity >= 1)
      break;
  }
  fragments_resolve (fragments, n, rgba);
  for (int c = 0; c < 4; c++)
    to[c] = (float) kg_clamp (rgba[c], -(double) FLT_MAX, (double) FLT_MAX);
}

static void
resolve_rows (gpointer data, int first, int end)
{
  const StackWork *work = (const StackWork *) data;

  for (int y = first; y < end; y++)
    for (int x = 0; x < work->width; x++)
      resolve_pixel (work, x, y, work->to + 4 * ((size_t) y * (size_t) work->width + (size_t) x));
}

bool
layers_resolve (const ImageSource *layers, const double *opacities, guint n, KgImage *out,
                const KgProgressMonitor *monitor)
{
  StackWork work = { layers, opacities, n, kg_image_edit_pixels (out), kg_image_get_width (out) };

  g_return_val_if_fail (n <= LAYERS_MOST, false);
  return image_each_rows (work.width, kg_image_get_height (out), resolve_rows, &work, monitor);
}
