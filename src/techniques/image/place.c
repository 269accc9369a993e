/* place: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/place.h"

#include "image/picture_operation.h"

/* Cosine and sine, of right angles without the rounding of pi. */
static void
get_cos_sin (double angle, double *c, double *s)
{
  *c = cos (angle);
  *s = sin (angle);
  if (fabs (*c) < 1e-12) {
    *c = 0;
    *s = *s > 0 ? 1 : -1;
  } else if (fabs (*s) < 1e-12) {
    *c = *c > 0 ? 1 : -1;
    *s = 0;
  }
}

KgImage *
place_image (const KgImage *image, const Place *place, int width, int height, double aspect, ResampleFilter filter,
             const KgProgressMonitor *monitor, GError **error)
{
  const int columns = kg_image_get_width (image), rows = kg_image_get_height (image);
  const double own = kg_image_get_pixel_aspect (image);
  /* Centre to centre, but whole pixels from corner to corner. */
  const double cx = floor (0.5 * (width - columns) + 0.5) + 0.5 * columns + place->x;
  const double cy = floor (0.5 * (height - rows) + 0.5) + 0.5 * rows - place->y;
  g_autoptr (KgImage) out = kg_image_new (width, height, kg_image_get_depth (image) != NULL, error);
  ResampleMap map;
  double c, s;

  if (out == NULL)
    return NULL;
  kg_image_set_pixel_aspect (out, aspect);
  if (fabs (place->scale_x) < RESAMPLE_TINY || fabs (place->scale_y) < RESAMPLE_TINY)
    return (KgImage *) g_steal_pointer (&out);
  get_cos_sin (place->rotate, &c, &s);
  /* Turned back, then scaled back; turning is round where pixels are as wide as high only. */
  map.m[0][0] = c * aspect / (place->scale_x * own);
  map.m[0][1] = -s / (place->scale_x * own);
  map.m[1][0] = s * aspect / place->scale_y;
  map.m[1][1] = c / place->scale_y;
  map.offset[0] = 0.5 * columns + place->anchor_x - map.m[0][0] * cx - map.m[0][1] * cy;
  map.offset[1] = 0.5 * rows - place->anchor_y - map.m[1][0] * cx - map.m[1][1] * cy;
  return resample_image (image, &map, filter, RESAMPLE_TRANSPARENT, out, monitor) ? (KgImage *) g_steal_pointer (&out)
                                                                                  : NULL;
}

typedef struct {
  int width, height;
  const float *from;
  double *sums; /* of each row, from its left edge to each pixel's: 4 (width + 1) */
  float *to;
  double radius;
  const KgProgressMonitor *monitor;
} BlurWork;

static void
sum_rows (gpointer data, int first, int end)
{
  const BlurWork *work = (const BlurWork *) data;
  const size_t width = (size_t) work->width;

  for (int y = first; y < end; y++) {
    double *sum = work->sums + 4 * (width + 1) * (size_t) y;
    const float *p = work->from + 4 * width * (size_t) y;

    memset (sum, 0, 4 * sizeof *sum);
    for (size_t i = 0; i < 4 * width; i++)
      sum[i + 4] = sum[i] + (double) p[i];
  }
}

/* Adds sign times the sum from the left edge to x, in continuous coordinates. */
static inline void
add_sum (const double *sums, int width, double x, double sign, double rgba[4])
{
  const double inside = kg_clamp (x, 0, width);
  const int i = MIN ((int) inside, width - 1);
  const double u = inside - i;
  const double *p = sums + 4 * (size_t) i;

  for (int c = 0; c < 4; c++)
    rgba[c] += sign * (p[c] + u * (p[c + 4] - p[c]));
}

static void
blur_rows (gpointer data, int first, int end)
{
  const BlurWork *work = (const BlurWork *) data;
  const double r = work->radius;
  const int reach = (int) ceil (r - 0.5);
  double area = 0;

  for (int j = -reach; j <= reach; j++)
    area += 2 * sqrt (fmax (r * r - (double) j * j, 0));
  for (int y = first; y < end && !kg_progress_is_cancelled (work->monitor); y++)
    for (int x = 0; x < work->width; x++) {
      double rgba[4] = { 0 };

      for (int j = MAX (-reach, -y); j <= MIN (reach, work->height - 1 - y); j++) {
        const double half = sqrt (fmax (r * r - (double) j * j, 0));
        const double *sums = work->sums + 4 * ((size_t) work->width + 1) * (size_t) (y + j);

        add_sum (sums, work->width, x + 0.5 + half, 1, rgba);
        add_sum (sums, work->width, x + 0.5 - half, -1, rgba);
      }
      for (int c = 0; c < 4; c++)
        work->to[4 * ((size_t) y * (size_t) work->width + (size_t) x) + (size_t) c] = (float) (rgba[c] / area);
    }
}

bool
disc_blur (KgImage *image, double radius, const KgProgressMonitor *monitor)
{
  const size_t width = (size_t) kg_image_get_width (image), height = (size_t) kg_image_get_height (image);
  g_autofree double *sums = NULL;
  BlurWork work = { .width = (int) width, .height = (int) height, .radius = radius, .monitor = monitor };

  /* A disc within its pixel. */
  if (radius <= 0.5)
    return true;
  sums = g_new (double, 4 * (width + 1) * height);
  work.sums = sums;
  work.to = kg_image_edit_pixels (image);
  work.from = work.to;
  return picture_each_rows (work.width, work.height, sum_rows, &work, monitor) &&
         picture_each_rows (work.width, work.height, blur_rows, &work, monitor);
}
