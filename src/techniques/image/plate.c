/* plate: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/plate.h"

#include "image/image_operation.h"

typedef struct {
  const ImageSource *sources;
  guint n;
  float *to;
  int width;
} MedianWork;

static void
median_rows (gpointer data, int first, int end)
{
  const MedianWork *work = (const MedianWork *) data;
  enum { N = 32 };
  float scratch[PLATE_MOST][4 * N];
  const float *rows[PLATE_MOST];

  for (int y = first; y < end; y++)
    for (int x = 0; x < work->width; x += N) {
      const size_t n = (size_t) MIN (N, work->width - x);
      float *to = work->to + 4 * ((size_t) y * (size_t) work->width + (size_t) x);

      for (guint i = 0; i < work->n; i++)
        rows[i] = image_source_fetch (&work->sources[i], x, y, n, scratch[i]);
      for (size_t k = 0; k < 4 * n; k++) {
        float sorted[PLATE_MOST];

        for (guint i = 0; i < work->n; i++) {
          const float v = rows[i][k];
          guint at = i;

          for (; at > 0 && sorted[at - 1] > v; at--)
            sorted[at] = sorted[at - 1];
          sorted[at] = v;
        }
        to[k] = 0.5f * sorted[(work->n - 1) / 2] + 0.5f * sorted[work->n / 2];
      }
    }
}

KgImage *
plate_median (const KgImage *const *images, guint n, const KgProgressMonitor *monitor, GError **error)
{
  const int width = kg_image_get_width (images[0]), height = kg_image_get_height (images[0]);
  g_autoptr (KgImage) out = kg_image_new (width, height, false, error);
  ImageSource sources[PLATE_MOST];
  MedianWork work = { .sources = sources, .n = n, .width = width };

  g_return_val_if_fail (n >= 1 && n <= PLATE_MOST, NULL);
  if (out == NULL)
    return NULL;
  kg_image_set_pixel_aspect (out, kg_image_get_pixel_aspect (images[0]));
  for (guint i = 0; i < n; i++)
    sources[i] = image_source (images[i], out, 0, 0);
  work.to = kg_image_edit_pixels (out);
  return image_each_rows (width, height, median_rows, &work, monitor) ? (KgImage *) g_steal_pointer (&out) : NULL;
}

typedef struct {
  const KgImage *from;
  const double (*points)[2];
  guint n;
  double half;
  float *to;
  int width;
  size_t *filled;
  const KgProgressMonitor *monitor;
} StrokeWork;

/* Whether it is in the stroke. */
static bool
fill_pixel (const StrokeWork *work, int x, int y)
{
  const double px = x + 0.5, py = y + 0.5;
  double closest = INFINITY, foot[2] = { 0 }, normal[2] = { 0 }, side = 0;
  float a[4], b[4];

  for (guint i = 0; i + 1 < work->n; i++) {
    const double *p = work->points[i], dx = work->points[i + 1][0] - p[0], dy = work->points[i + 1][1] - p[1];
    const double length = hypot (dx, dy);
    const double t = length > 0 ? ((px - p[0]) * dx + (py - p[1]) * dy) / (length * length) : 0;
    const double fx = p[0] + kg_clamp (t, 0, 1) * dx, fy = p[1] + kg_clamp (t, 0, 1) * dy, d = hypot (px - fx, py - fy);

    if (d >= closest || length <= 0)
      continue;
    closest = d;
    normal[0] = -dy / length;
    normal[1] = dx / length;
    side = (px - p[0]) * normal[0] + (py - p[1]) * normal[1];
    /* Straight across, also at the ends. */
    foot[0] = px - side * normal[0];
    foot[1] = py - side * normal[1];
  }
  if (!(closest <= work->half) || fabs (side) > work->half)
    return false;
  {
    /* A sample reads half a pixel to each side. */
    const double reach = work->half + 1.5, t = 0.5 * (side / reach + 1);

    kg_image_sample (work->from, foot[0] + reach * normal[0], foot[1] + reach * normal[1], a);
    kg_image_sample (work->from, foot[0] - reach * normal[0], foot[1] - reach * normal[1], b);
    for (int c = 0; c < 4; c++)
      work->to[4 * ((size_t) y * (size_t) work->width + (size_t) x) + (size_t) c] =
          (float) kg_lerp ((double) b[c], (double) a[c], t);
  }
  return true;
}

static void
fill_rows (gpointer data, int first, int end)
{
  const StrokeWork *work = (const StrokeWork *) data;
  size_t filled = 0;

  for (int y = first; y < end && !kg_progress_is_cancelled (work->monitor); y++) {
    double left = INFINITY, right = -INFINITY;

    /* Between these the stroke may touch the row. */
    for (guint i = 0; i + 1 < work->n; i++) {
      const double *p = work->points[i], *q = work->points[i + 1];

      if (fmin (p[1], q[1]) - work->half <= y + 1 && fmax (p[1], q[1]) + work->half >= y) {
        left = fmin (left, fmin (p[0], q[0]) - work->half);
        right = fmax (right, fmax (p[0], q[0]) + work->half);
      }
    }
    for (int x = (int) kg_clamp (left, 0, work->width); x < kg_clamp (right, 0, work->width); x++)
      filled += fill_pixel (work, x, y);
  }
#pragma omp atomic
  *work->filled += filled;
}

bool
plate_fill_stroke (KgImage **image, const double (*points)[2], guint n, double width, size_t *filled,
                   const KgProgressMonitor *monitor)
{
  g_autoptr (KgImage) from = kg_image_ref (*image);
  StrokeWork work = { .from = from,
                      .points = points,
                      .n = n,
                      .half = 0.5 * width,
                      .width = kg_image_get_width (from),
                      .filled = filled,
                      .monitor = monitor };

  *filled = 0;
  kg_image_make_writable (image);
  work.to = kg_image_edit_pixels (*image);
  return image_each_rows (work.width, kg_image_get_height (from), fill_rows, &work, monitor);
}
