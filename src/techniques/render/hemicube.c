/* hemicube: pixels, their form factors, and triangles drawn on them, see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/hemicube.h"

enum { TOP, N_FACES = 5 };

/* Of each face: across, up and towards it. */
static const KgVector axes[N_FACES][3] = {
  { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },  { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } },
  { { -1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } }, { { 0, -1, 0 }, { 0, 0, 1 }, { -1, 0, 0 } },
  { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } },
};

/* A pixel on its face. */
typedef struct {
  uint32_t face, column, row;
} Place;

static uint32_t
get_n_rows (uint32_t n, uint32_t face)
{
  return face == TOP ? n : n / 2;
}

static uint32_t
get_first (uint32_t n, uint32_t face)
{
  return face == TOP ? 0 : n * n + (face - 1) * n * (n / 2);
}

static Place
get_place (uint32_t n, uint32_t pixel)
{
  const uint32_t face = pixel < n * n ? TOP : 1 + (pixel - n * n) / (n * (n / 2));
  const uint32_t on_face = pixel - get_first (n, face);

  return (Place){ face, on_face % n, on_face / n };
}

/* Where the rows of a face begin: the sides have only the upper half. */
static double
get_bottom (uint32_t face)
{
  return face == TOP ? -1 : 0;
}

static KgVector
get_point (uint32_t face, double x, double y)
{
  return kg_vector_add_scaled (kg_vector_add_scaled (axes[face][2], x, axes[face][0]), y, axes[face][1]);
}

KgVector
hemicube_get_direction (uint32_t n, uint32_t pixel, double across, double up)
{
  const Place place = get_place (n, pixel);

  return get_point (place.face, -1 + 2 * (place.column + across) / n,
                    get_bottom (place.face) + 2 * (place.row + up) / n);
}

KgVector *
hemicube_make_directions (uint32_t n)
{
  KgVector *directions = g_new (KgVector, hemicube_get_n_pixels (n));

  for (uint32_t i = 0; i < hemicube_get_n_pixels (n); i++)
    directions[i] = kg_vector_normalize_or (hemicube_get_direction (n, i, 0.5, 0.5), kg_vector (0, 0, 1));
  return directions;
}

uint32_t
hemicube_find_pixel (uint32_t n, KgVector d)
{
  uint32_t face = TOP, column, row;
  double depth = d.z, x, y;

  for (uint32_t f = 1; f < N_FACES; f++)
    if (kg_vector_dot (d, axes[f][2]) > depth) {
      face = f;
      depth = kg_vector_dot (d, axes[f][2]);
    }
  x = depth > 0 ? kg_vector_dot (d, axes[face][0]) / depth : 0;
  y = depth > 0 ? kg_vector_dot (d, axes[face][1]) / depth : 0;
  column = (uint32_t) kg_clamp ((x + 1) / 2 * n, 0, n - 1);
  row = (uint32_t) kg_clamp ((y - get_bottom (face)) / 2 * n, 0, get_n_rows (n, face) - 1);
  return get_first (n, face) + row * n + column;
}

double
hemicube_get_density (KgVector on)
{
  const double square = kg_vector_dot (on, on);

  return on.z / (KG_PI * square * square);
}

double
hemicube_get_factor (uint32_t n, uint32_t pixel)
{
  return hemicube_get_density (hemicube_get_direction (n, pixel, 0.5, 0.5)) * 4 / ((double) n * n);
}

/* The form factor from the origin to a rectangle from the z axis to (x, y, 1). */
static double
get_top_factor (double x, double y)
{
  const double a = sqrt (1 + x * x), b = sqrt (1 + y * y);

  return (x / a * atan (y / a) + y / b * atan (x / b)) / (2 * KG_PI);
}

/* To one on the side, from the x axis to (1, y, z). */
static double
get_side_factor (double y, double z)
{
  const double a = sqrt (1 + z * z);

  return (atan (y) - atan (y / a) / a) / (2 * KG_PI);
}

double
hemicube_get_exact_factor (uint32_t n, uint32_t pixel)
{
  const Place place = get_place (n, pixel);
  double (*const get) (double, double) = place.face == TOP ? get_top_factor : get_side_factor;
  const double x[2] = { -1 + 2.0 * place.column / n, -1 + 2.0 * (place.column + 1) / n };
  const double bottom = get_bottom (place.face);
  const double y[2] = { bottom + 2.0 * place.row / n, bottom + 2.0 * (place.row + 1) / n };

  return get (x[1], y[1]) - get (x[0], y[1]) - get (x[1], y[0]) + get (x[0], y[0]);
}

/* Drawing. */

void
hemicube_clear (uint32_t n, HemicubePixel *pixels)
{
  for (uint32_t i = 0; i < hemicube_get_n_pixels (n); i++)
    pixels[i] = (HemicubePixel){ .id = HEMICUBE_NOTHING };
}

/* A triangle has three corners, and each of the four planes through the point and a border of the face adds one at most. */
#define MOST_CORNERS 7

/* Keeps the part of a polygon where distance >= 0. */
static int
clip (const KgVector *in, const double *distance, int n, KgVector *out)
{
  int kept = 0;

  for (int i = 0; i < n; i++) {
    const int k = (i + 1) % n;

    if (distance[i] >= 0)
      out[kept++] = in[i];
    if ((distance[i] >= 0) != (distance[k] >= 0))
      out[kept++] = kg_vector_lerp (in[i], in[k], distance[i] / (distance[i] - distance[k]));
  }
  return kept;
}

/* The pixels that a triangle may cover on a face, its corners in the axes of the face: false: none. */
static bool
find_range (uint32_t n, uint32_t face, const KgVector corners[3], uint32_t columns[2], uint32_t rows[2])
{
  KgVector polygon[MOST_CORNERS], clipped[MOST_CORNERS];
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
  int n_corners = 3;

  for (int i = 0; i < 3; i++)
    polygon[i] = corners[i];
  for (int plane = 0; plane < 4 && n_corners > 0; plane++) {
    double distance[MOST_CORNERS];

    for (int i = 0; i < n_corners; i++) {
      const KgVector p = polygon[i];

      distance[i] = plane == 0   ? p.z - p.x
                    : plane == 1 ? p.z + p.x
                    : plane == 2 ? p.z - p.y
                                 : p.y - get_bottom (face) * p.z;
    }
    n_corners = clip (polygon, distance, n_corners, clipped);
    for (int i = 0; i < n_corners; i++)
      polygon[i] = clipped[i];
  }
  for (int i = 0; i < n_corners; i++) {
    if (!(polygon[i].z > 0))
      continue;
    for (size_t c = 0; c < 2; c++) {
      const double x = kg_vector_get (polygon[i], c) / polygon[i].z;

      low[c] = fmin (low[c], x);
      high[c] = fmax (high[c], x);
    }
  }
  if (!(low[0] <= high[0] && low[1] <= high[1]))
    return false;
  /* A pixel more on each side: the test of each pixel decides, not the rounding of the range. */
  columns[0] = (uint32_t) kg_clamp (floor ((low[0] + 1) / 2 * n) - 1, 0, n);
  columns[1] = (uint32_t) kg_clamp (ceil ((high[0] + 1) / 2 * n) + 1, 0, n);
  rows[0] = (uint32_t) kg_clamp (floor ((low[1] - get_bottom (face)) / 2 * n) - 1, 0, get_n_rows (n, face));
  rows[1] = (uint32_t) kg_clamp (ceil ((high[1] - get_bottom (face)) / 2 * n) + 1, 0, get_n_rows (n, face));
  return columns[0] < columns[1] && rows[0] < rows[1];
}

/* to: three vectors whose products with the direction of a pixel are the shares of the corners in the point there, over t
 * (homogeneous rasterization: nothing is clipped, and what is behind the point has a sum below 0). */
static void
draw_on_face (uint32_t n, uint32_t face, HemicubePixel *pixels, const KgVector to[3], const uint32_t columns[2],
              const uint32_t rows[2], uint32_t id)
{
  /* Pixels on an edge belong to both sides, rather than to none. */
  const double grazing = -1e-9;
  double step[3];

  for (int k = 0; k < 3; k++)
    step[k] = kg_vector_dot (to[k], axes[face][0]) * 2 / n;
  for (uint32_t row = rows[0]; row < rows[1]; row++) {
    HemicubePixel *line = pixels + get_first (n, face) + row * n;
    const KgVector d = get_point (face, -1 + 1.0 / n, get_bottom (face) + (2 * row + 1.0) / n);
    const double start[3] = { kg_vector_dot (to[0], d), kg_vector_dot (to[1], d), kg_vector_dot (to[2], d) };

    for (uint32_t column = columns[0]; column < columns[1]; column++) {
      const double b0 = start[0] + column * step[0], b1 = start[1] + column * step[1], b2 = start[2] + column * step[2];
      const double sum = b0 + b1 + b2;

      if (sum > line[column].nearness * (1 + 1e-9) && b0 >= grazing * sum && b1 >= grazing * sum && b2 >= grazing * sum)
        line[column] = (HemicubePixel){ id, sum, { b1 / sum, b2 / sum } };
    }
  }
}

void
hemicube_draw (uint32_t n, HemicubePixel *pixels, const KgVector corners[3], uint32_t id)
{
  const KgVector cross = kg_vector_cross (corners[1], corners[2]);
  const double volume = kg_vector_dot (corners[0], cross);
  const double size = kg_vector_length (corners[0]) * kg_vector_length (corners[1]) * kg_vector_length (corners[2]);
  KgVector to[3];

  /* Seen from the edge, or all below the surface. */
  if (!(fabs (volume) > 1e-12 * size) || (corners[0].z <= 0 && corners[1].z <= 0 && corners[2].z <= 0))
    return;
  to[0] = kg_vector_scale (cross, 1 / volume);
  to[1] = kg_vector_scale (kg_vector_cross (corners[2], corners[0]), 1 / volume);
  to[2] = kg_vector_scale (kg_vector_cross (corners[0], corners[1]), 1 / volume);
  for (uint32_t face = 0; face < N_FACES; face++) {
    KgVector on[3];
    uint32_t columns[2], rows[2];

    for (int i = 0; i < 3; i++)
      on[i] = kg_vector (kg_vector_dot (corners[i], axes[face][0]), kg_vector_dot (corners[i], axes[face][1]),
                         kg_vector_dot (corners[i], axes[face][2]));
    if (find_range (n, face, on, columns, rows))
      draw_on_face (n, face, pixels, to, columns, rows, id);
  }
}
