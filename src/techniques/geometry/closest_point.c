/* closest_point: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/closest_point.h"

/* Points sorted into the cells of a raster, so that the closest is found in a few of them. */
struct _ClosestPoint {
  const float *p;
  size_t n;
  float low[3], cell;
  int size[3];
  uint32_t *first; /* of each cell, into order; one more at the end */
  uint32_t *order;
};

static void
find_cell (const ClosestPoint *closest, const float *p, int at[3])
{
  for (int c = 0; c < 3; c++)
    at[c] = CLAMP ((int) floorf ((p[c] - closest->low[c]) / closest->cell), 0, closest->size[c] - 1);
}

static size_t
get_cell_index (const ClosestPoint *closest, const int at[3])
{
  return ((size_t) at[2] * (size_t) closest->size[1] + (size_t) at[1]) * (size_t) closest->size[0] + (size_t) at[0];
}

ClosestPoint *
closest_point_new (const KgGeometry *geometry)
{
  ClosestPoint *closest = g_new0 (ClosestPoint, 1);
  KgVector low, high;
  size_t cells = 1;
  double volume = 1, largest;

  closest->p = kg_geometry_get_positions (geometry);
  closest->n = kg_geometry_get_n_points (geometry);
  kg_geometry_get_bounds (geometry, &low, &high);
  largest = fmax (fmax (high.x - low.x, high.y - low.y), fmax (high.z - low.z, 1e-6));
  for (int c = 0; c < 3; c++) {
    closest->low[c] = (float) kg_vector_get (low, c);
    volume *= fmax (kg_vector_get (high, c) - kg_vector_get (low, c), 1e-2 * largest);
  }
  closest->cell = (float) fmax (cbrt (2 * volume / (double) closest->n), largest / 500);
  for (int c = 0; c < 3; c++) {
    closest->size[c] = 1 + (int) ((kg_vector_get (high, c) - kg_vector_get (low, c)) / (double) closest->cell);
    cells *= (size_t) closest->size[c];
  }
  closest->first = g_new0 (uint32_t, cells + 2);
  closest->order = g_new (uint32_t, closest->n);
  /* Counting sort. */
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < closest->n; i++) {
      int at[3];

      find_cell (closest, closest->p + 3 * i, at);
      if (pass == 0)
        closest->first[get_cell_index (closest, at) + 2]++;
      else
        closest->order[closest->first[get_cell_index (closest, at) + 1]++] = (uint32_t) i;
      if (pass == 0 && i + 1 == closest->n)
        for (size_t k = 2; k < cells + 2; k++)
          closest->first[k] += closest->first[k - 1];
    }
  return closest;
}

void
closest_point_free (ClosestPoint *closest)
{
  g_free (closest->first);
  g_free (closest->order);
  g_free (closest);
}

/* Shells of cells around the place, until none farther out can hold a closer point.  Of equally close points the one
 * with the lowest number counts. */
int64_t
closest_point_find (const ClosestPoint *closest, const float *p)
{
  const int reach = MAX (closest->size[0], MAX (closest->size[1], closest->size[2]));
  float best = INFINITY;
  int64_t found = -1;
  int at[3], k[3];

  find_cell (closest, p, at);
  for (int shell = 0; shell <= reach; shell++) {
    float outside = 0;

    for (k[2] = MAX (at[2] - shell, 0); k[2] <= MIN (at[2] + shell, closest->size[2] - 1); k[2]++)
      for (k[1] = MAX (at[1] - shell, 0); k[1] <= MIN (at[1] + shell, closest->size[1] - 1); k[1]++)
        for (k[0] = MAX (at[0] - shell, 0); k[0] <= MIN (at[0] + shell, closest->size[0] - 1); k[0]++) {
          const size_t cell = get_cell_index (closest, k);

          if (MAX (abs (k[0] - at[0]), MAX (abs (k[1] - at[1]), abs (k[2] - at[2]))) != shell)
            continue;
          for (uint32_t i = closest->first[cell]; i < closest->first[cell + 1]; i++) {
            const float *q = closest->p + 3 * (size_t) closest->order[i];
            const float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], d = x * x + y * y + z * z;

            if (d < best || (d == best && (int64_t) closest->order[i] < found)) {
              best = d;
              found = closest->order[i];
            }
          }
        }
    /* The place may lie outside of the raster: then the first shells are nearer than their number says. */
    for (int c = 0; c < 3; c++) {
      const float inner = closest->low[c] + ((float) at[c] + 0.5f) * closest->cell;

      outside = fmaxf (outside, fabsf (p[c] - inner) - 0.5f * closest->cell);
    }
    if (found >= 0) {
      const float safe = (float) shell * closest->cell - fmaxf (outside, 0);

      if (outside <= 0 && safe > 0 && best <= safe * safe)
        break;
    }
  }
  return found;
}
