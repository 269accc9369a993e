/* warp_sample: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/warp_sample.h"

#include "kg-math.h"

/* Pixels across and down of the largest area that is clipped pixel by pixel, and points across and down of larger ones. */
#define MAX_PIXELS 64
#define POINTS 16
/* Square pixels below which a quadrilateral is a line. */
#define FLAT 1e-9
/* A quadrilateral cut by four lines. */
#define MAX_CORNERS 8

static void
fetch (const KgImage *image, const WarpSampler *sampler, int x, int y, float *rgba)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  static const float nothing[4] = { 0 };
  const float *from = sampler->edge == WARP_COLOR ? sampler->color : nothing;

  if (sampler->edge == WARP_EXTEND) {
    x = CLAMP (x, 0, width - 1);
    y = CLAMP (y, 0, height - 1);
  }
  if (x >= 0 && y >= 0 && x < width && y < height)
    from = kg_image_get_pixels (image) + 4 * ((size_t) y * (size_t) width + (size_t) x);
  memcpy (rgba, from, 4 * sizeof *rgba);
}

void
warp_sample_point (const KgImage *image, const WarpSampler *sampler, double x, double y, float *rgba)
{
  float corner[4][4], u, v;
  int i, j;

  if (sampler->sampling != WARP_NEAREST && sampler->edge == WARP_EXTEND) {
    kg_image_sample (image, x, y, rgba);
    return;
  }
  /* Far beyond the image is not farther than this. */
  x = isnan (x) ? -2 : kg_clamp (x, -2, kg_image_get_width (image) + 2);
  y = isnan (y) ? -2 : kg_clamp (y, -2, kg_image_get_height (image) + 2);
  if (sampler->sampling == WARP_NEAREST) {
    fetch (image, sampler, (int) floor (x), (int) floor (y), rgba);
    return;
  }
  i = (int) floor (x - 0.5);
  j = (int) floor (y - 0.5);
  u = (float) (x - 0.5 - i);
  v = (float) (y - 0.5 - j);
  for (int k = 0; k < 4; k++)
    fetch (image, sampler, i + k % 2, j + k / 2, corner[k]);
  for (int c = 0; c < 4; c++)
    rgba[c] = (1 - v) * ((1 - u) * corner[0][c] + u * corner[1][c]) + v * ((1 - u) * corner[2][c] + u * corner[3][c]);
}

typedef struct {
  double p[MAX_CORNERS][2];
  int n;
} Polygon;

/* What of a polygon has sign (p[axis] - at) >= 0. */
static Polygon
clip (const Polygon *polygon, int axis, double at, double sign)
{
  Polygon part = { .n = 0 };

  for (int k = 0; k < polygon->n; k++) {
    const double *a = polygon->p[k], *b = polygon->p[(k + 1) % polygon->n];
    const double from = sign * (a[axis] - at), to = sign * (b[axis] - at);

    if (from >= 0 && part.n < MAX_CORNERS) {
      part.p[part.n][0] = a[0];
      part.p[part.n++][1] = a[1];
    }
    if (from * to < 0 && part.n < MAX_CORNERS) {
      const double t = from / (from - to);

      part.p[part.n][axis] = at;
      part.p[part.n++][1 - axis] = kg_lerp (a[1 - axis], b[1 - axis], t);
    }
  }
  return part;
}

/* Twice the area, by its sign the way round. */
static double
get_area (const Polygon *polygon)
{
  double sum = 0;

  for (int k = 0; k < polygon->n; k++) {
    const double *a = polygon->p[k], *b = polygon->p[(k + 1) % polygon->n];

    sum += a[0] * b[1] - a[1] * b[0];
  }
  return sum;
}

/* The mean of points spread evenly over the quadrilateral. */
static void
sample_points (const KgImage *image, const WarpSampler *sampler, const double corners[4][2], int n, float *rgba)
{
  double sum[4] = { 0 };

  for (int k = 0; k < n * n; k++) {
    const double u = (k % n + 0.5) / n, v = (k / n + 0.5) / n;
    double at[2];
    float p[4];

    for (int c = 0; c < 2; c++)
      at[c] = kg_lerp (kg_lerp (corners[0][c], corners[1][c], u), kg_lerp (corners[3][c], corners[2][c], u), v);
    warp_sample_point (image, sampler, at[0], at[1], p);
    for (int c = 0; c < 4; c++)
      sum[c] += (double) p[c];
  }
  for (int c = 0; c < 4; c++)
    rgba[c] = (float) (sum[c] / (n * n));
}

void
warp_sample_area (const KgImage *image, const WarpSampler *sampler, const double corners[4][2], float *rgba)
{
  Polygon whole = { .n = 4 };
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, sum[4] = { 0 }, total = 0;
  double middle[2] = { 0 };

  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 2; c++) {
      low[c] = fmin (low[c], corners[k][c]);
      high[c] = fmax (high[c], corners[k][c]);
      middle[c] += corners[k][c] / 4;
    }
  /* Around the middle, so that the areas of small quadrilaterals far from the origin are exact. */
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 2; c++)
      whole.p[k][c] = corners[k][c] - middle[c];
  if (!(fabs (get_area (&whole)) > FLAT)) {
    warp_sample_point (image, sampler, middle[0], middle[1], rgba);
    return;
  }
  if (!(high[0] - low[0] <= MAX_PIXELS && high[1] - low[1] <= MAX_PIXELS && fabs (middle[0]) < 1e8 &&
        fabs (middle[1]) < 1e8)) {
    sample_points (image, sampler, corners, POINTS, rgba);
    return;
  }
  for (int y = (int) floor (low[1]); y < high[1]; y++) {
    const Polygon below = clip (&whole, 1, y - middle[1], 1), row = clip (&below, 1, y + 1 - middle[1], -1);

    for (int x = (int) floor (low[0]); x < high[0] && row.n > 2; x++) {
      const Polygon right = clip (&row, 0, x - middle[0], 1), part = clip (&right, 0, x + 1 - middle[0], -1);
      const double area = get_area (&part);
      float p[4];

      if (area == 0)
        continue;
      fetch (image, sampler, x, y, p);
      total += area;
      for (int c = 0; c < 4; c++)
        sum[c] += area * (double) p[c];
    }
  }
  /* A quadrilateral that crosses itself is no better than its points. */
  if (!(fabs (total) > FLAT)) {
    sample_points (image, sampler, corners, POINTS, rgba);
    return;
  }
  for (int c = 0; c < 4; c++)
    rgba[c] = (float) (sum[c] / total);
}
