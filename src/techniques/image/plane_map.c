/* plane_map: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/plane_map.h"

#include "image/resample.h"
#include "kg-base.h"
#include "kg-math.h"
#include "value/matrix.h"

/* Samples along each side of a pixel, at most. */
#define MAX_SAMPLES 8

static PlaneMap
make_identity (void)
{
  return (PlaneMap){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
}

PlaneMap
plane_map_multiply (const PlaneMap *a, const PlaneMap *b)
{
  PlaneMap c = { 0 };

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        c.m[i][j] += a->m[i][k] * b->m[k][j];
  return c;
}

bool
plane_map_invert (const PlaneMap *map, PlaneMap *inverse)
{
  const double (*m)[3] = map->m;
  double most = 0, det = 0;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;

      inverse->m[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
      most = fmax (most, fabs (m[i][j]));
    }
  for (int k = 0; k < 3; k++)
    det += m[0][k] * inverse->m[k][0];
  if (!(fabs (det) > 1e-14 * most) || most == 0)
    return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inverse->m[i][j] /= det;
  return true;
}

bool
plane_map_apply (const PlaneMap *map, const double p[2], double to[2])
{
  const double (*m)[3] = map->m, w = m[2][0] * p[0] + m[2][1] * p[1] + m[2][2];

  if (!(w > 1e-12))
    return false;
  to[0] = (m[0][0] * p[0] + m[0][1] * p[1] + m[0][2]) / w;
  to[1] = (m[1][0] * p[0] + m[1][1] * p[1] + m[1][2]) / w;
  return true;
}

/* Points about their weighted mean, at a mean distance of 1. */
typedef struct {
  double mean[2], scale;
} Frame;

static Frame
normalise (const double *points, const double *weights, guint n)
{
  Frame frame = { .scale = 1 };
  double total = 0, distance = 0;

  for (guint i = 0; i < n; i++) {
    const double w = weights != NULL ? weights[i] : 1;

    total += w;
    for (int c = 0; c < 2; c++)
      frame.mean[c] += w * points[2 * i + (guint) c];
  }
  for (int c = 0; c < 2 && total > 0; c++)
    frame.mean[c] /= total;
  for (guint i = 0; i < n; i++)
    distance += (weights != NULL ? weights[i] : 1) *
                hypot (points[2 * i] - frame.mean[0], points[2 * i + 1] - frame.mean[1]);
  if (total > 0 && distance > 0)
    frame.scale = total / distance;
  return frame;
}

/* A map between normalised frames as one between the points. */
static PlaneMap
leave_frames (const PlaneMap *map, const Frame *from, const Frame *to)
{
  const PlaneMap in = {
    { { from->scale, 0, -from->scale * from->mean[0] }, { 0, from->scale, -from->scale * from->mean[1] }, { 0, 0, 1 } }
  };
  const PlaneMap out = { { { 1 / to->scale, 0, to->mean[0] }, { 0, 1 / to->scale, to->mean[1] }, { 0, 0, 1 } } };
  const PlaneMap half = plane_map_multiply (map, &in);

  return plane_map_multiply (&out, &half);
}

static void
fit_similarity (const double *from, const double *to, const double *weights, guint n, const Frame *a, const Frame *b,
                bool scale, PlaneMap *map)
{
  double dot = 0, cross = 0, square = 0, c, s, length;

  for (guint i = 0; i < n; i++) {
    const double w = weights != NULL ? weights[i] : 1;
    const double x = from[2 * i] - a->mean[0], y = from[2 * i + 1] - a->mean[1];
    const double u = to[2 * i] - b->mean[0], v = to[2 * i + 1] - b->mean[1];

    dot += w * (x * u + y * v);
    cross += w * (x * v - y * u);
    square += w * (x * x + y * y);
  }
  length = hypot (dot, cross);
  c = length > 0 ? dot / length : 1;
  s = length > 0 ? cross / length : 0;
  if (scale && length > 0 && square > 0) {
    c *= length / square;
    s *= length / square;
  }
  *map = (PlaneMap){ { { c, -s, b->mean[0] - c * a->mean[0] + s * a->mean[1] },
                       { s, c, b->mean[1] - s * a->mean[0] - c * a->mean[1] },
                       { 0, 0, 1 } } };
}

/* The right singular vector of the smallest singular value: 6 or 9 unknowns, of which the last row is 0 0 1 for 6. */
static bool
fit_linear (const double *from, const double *to, const double *weights, guint n, const Frame *a, const Frame *b,
            bool perspective, PlaneMap *map, GError **error)
{
  const guint unknowns = perspective ? 9 : 7;
  g_autoptr (Matrix) rows = matrix_new (MAX (2 * n, unknowns), unknowns, error);
  g_autoptr (MatrixSvd) svd = NULL;
  PlaneMap normal = make_identity ();
  double *first = &normal.m[0][0];

  if (rows == NULL)
    return false;
  for (guint i = 0; i < n; i++) {
    const double w = weights != NULL ? sqrt (weights[i]) : 1;
    const double x = w * a->scale * (from[2 * i] - a->mean[0]), y = w * a->scale * (from[2 * i + 1] - a->mean[1]);

    for (guint c = 0; c < 2; c++) {
      const double u = b->scale * (to[2 * i + c] - b->mean[c]);
      double *row = rows->a + (size_t) (2 * i + c) * unknowns;

      row[3 * c] = x;
      row[3 * c + 1] = y;
      row[3 * c + 2] = w;
      if (perspective) {
        row[6] = -u * x;
        row[7] = -u * y;
      }
      row[unknowns - 1] = -u * w;
    }
  }
  svd = matrix_svd_new (rows, error);
  if (svd == NULL)
    return false;
  if (svd->w[unknowns - 2] < 1e-9 * svd->w[0] || fabs (matrix_get (svd->v, unknowns - 1, unknowns - 1)) < 1e-12) {
    if (perspective)
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the %u points do not determine the map: three of four must not lie on a line", n);
    else
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the %u points do not determine the map: they must not all lie on a line", n);
    return false;
  }
  for (guint i = 0; i < unknowns; i++)
    first[i == 6 && !perspective ? 8 : i] = matrix_get (svd->v, i, unknowns - 1);
  for (int i = 0; i < 9; i++)
    first[i] /= i < 8 ? normal.m[2][2] : 1;
  if (!perspective)
    normal.m[2][0] = normal.m[2][1] = 0;
  normal.m[2][2] = 1;
  *map = leave_frames (&normal, a, b);
  for (int i = 0; i < 9; i++)
    if (!isfinite ((&map->m[0][0])[i])) {
      kg_set_error (error, KG_ERROR_DEGENERATE, "the %u points do not determine the map", n);
      return false;
    }
  return true;
}

bool
plane_map_fit (const double *from, const double *to, const double *weights, guint n, PlaneModel *model, PlaneMap *map,
               GError **error)
{
  const Frame a = normalise (from, weights, n), b = normalise (to, weights, n);

  *map = make_identity ();
  if (n < 4 && *model == PLANE_PERSPECTIVE)
    *model = PLANE_AFFINE;
  if (n < 3 && *model == PLANE_AFFINE)
    *model = PLANE_SIMILARITY;
  if (n < 2 && *model > PLANE_TRANSLATION)
    *model = PLANE_TRANSLATION;
  if (n == 0)
    return true;
  if (*model >= PLANE_AFFINE)
    return fit_linear (from, to, weights, n, &a, &b, *model == PLANE_PERSPECTIVE, map, error);
  if (*model == PLANE_TRANSLATION) {
    for (int c = 0; c < 2; c++)
      map->m[c][2] = b.mean[c] - a.mean[c];
    return true;
  }
  fit_similarity (from, to, weights, n, &a, &b, *model == PLANE_SIMILARITY, map);
  return true;
}

bool
plane_map_from_corners (const double corners[8], PlaneMap *map, GError **error)
{
  static const double square[8] = { 0, 0, 1, 0, 1, 1, 0, 1 };
  PlaneModel model = PLANE_PERSPECTIVE;

  return plane_map_fit (square, corners, NULL, 4, &model, map, error);
}

/* Cubic convolution, transparent beyond the edges. */
static void
sample_image (const KgImage *image, double x, double y, double *sum)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const float *pixels = kg_image_get_pixels (image);
  const double px = x - 0.5, py = y - 0.5, fx = floor (px), fy = floor (py), u[2] = { px - fx, py - fy };
  double w[2][4], rgba[4] = { 0 };

  if (!(px > -3 && py > -3 && px < width + 3 && py < height + 3))
    return;
  for (int k = 0; k < 2; k++) {
    const double t = u[k] < 1e-9 ? 0 : u[k] > 1 - 1e-9 ? 1 : u[k];

    w[k][0] = t * (-0.5 + t * (1 - 0.5 * t));
    w[k][1] = 1 + t * t * (-2.5 + 1.5 * t);
    w[k][2] = t * (0.5 + t * (2 - 1.5 * t));
    w[k][3] = t * t * (-0.5 + 0.5 * t);
  }
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      const int column = (int) fx + i - 1, row = (int) fy + j - 1;
      const double weight = w[0][i] * w[1][j];

      if (weight == 0 || column < 0 || row < 0 || column >= width || row >= height)
        continue;
      for (int c = 0; c < 4; c++)
        rgba[c] += weight * (double) pixels[4 * ((size_t) row * (size_t) width + (size_t) column) + (size_t) c];
    }
  /* The cubic overshoots at edges: light cannot be negative, nor coverage above 1. */
  for (int c = 0; c < 4; c++)
    sum[c] += fmax (rgba[c], 0) / fmax (rgba[3], 1);
}

/* Samples across and down a pixel: as many as pixels of the image lie across it. */
static void
find_spreads (const PlaneMap *back, double x, double y, ResampleSpread *spreads)
{
  const double at[2] = { x, y }, right[2] = { x + 1, y }, below[2] = { x, y + 1 };
  double p[2], q[2], r[2];

  if (!plane_map_apply (back, at, p) || !plane_map_apply (back, right, q) || !plane_map_apply (back, below, r))
    spreads[0] = spreads[1] = resample_spread (1, MAX_SAMPLES);
  else {
    spreads[0] = resample_spread (hypot (q[0] - p[0], q[1] - p[1]), MAX_SAMPLES);
    spreads[1] = resample_spread (hypot (r[0] - p[0], r[1] - p[1]), MAX_SAMPLES);
  }
}

bool
plane_map_warp (const KgImage *image, const PlaneMap *map, KgImage *out, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out);
  float *pixels = kg_image_edit_pixels (out);
  PlaneMap back;

  if (!plane_map_invert (map, &back))
    return true;
  /* Points in front of the horizon have a positive third component: the sign of the inverse is free. */
  {
    const double centre[2] = { 0.5 * kg_image_get_width (image), 0.5 * kg_image_get_height (image) };
    double there[2];

    if (plane_map_apply (map, centre, there) && back.m[2][0] * there[0] + back.m[2][1] * there[1] + back.m[2][2] < 0)
      for (int i = 0; i < 9; i++)
        (&back.m[0][0])[i] *= -1;
  }
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < height; y++) {
    if (kg_progress_is_cancelled (monitor))
      continue;
    for (int x = 0; x < width; x++) {
      float *to = pixels + 4 * ((size_t) y * (size_t) width + (size_t) x);
      double sum[4] = { 0 };
      ResampleSpread spreads[2];

      find_spreads (&back, x, y, spreads);
      for (int j = 0; j < spreads[1].n; j++)
        for (int i = 0; i < spreads[0].n; i++) {
          const double p[2] = { x + resample_place (spreads[0], i), y + resample_place (spreads[1], j) };
          double q[2];

          if (plane_map_apply (&back, p, q))
            sample_image (image, q[0], q[1], sum);
        }
      for (int c = 0; c < 4; c++)
        to[c] = (float) (sum[c] / (spreads[0].n * spreads[1].n));
    }
  }
  return !kg_progress_is_cancelled (monitor);
}
