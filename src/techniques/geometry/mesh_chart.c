/* mesh_chart: which triangles of a mesh may have a pair of surface parameters.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mesh_walk_private.h"

/* A triangle over more cells of a chart than this is in a list of its own. */
#define MAX_CELLS 64

static guint
chart_get_cell (const MeshChart *chart, guint c, double x)
{
  const double cells = (x - chart->low[c]) / chart->cell[c];

  return cells > 0 ? (guint) fmin (cells, chart->n_cells[c] - 1) : 0;
}

/* Which cells a triangle is over, with what counts as in it; false for one that no parameters can be in. */
static bool
chart_get_cells (const MeshChart *chart, const MeshWalk *walk, uint32_t triangle, guint from[2], guint to[2])
{
  for (guint c = 0; c < 2; c++) {
    double low = INFINITY, high = -INFINITY, margin;

    for (guint k = 0; k < 3; k++) {
      const double x = (double) chart->uv[2 * (size_t) walk->corners[3 * (size_t) triangle + k] + c];

      if (!isfinite (x))
        return false;
      low = fmin (low, x);
      high = fmax (high, x);
    }
    margin = 4 * MESH_CHART_TOLERANCE * (high - low);
    from[c] = chart_get_cell (chart, c, low - margin);
    to[c] = chart_get_cell (chart, c, high + margin);
  }
  return true;
}

/* About as many cells as triangles, over what the parameters cover. */
static void
chart_build_grid (MeshChart *chart, size_t n_triangles)
{
  const double side = kg_clamp (ceil (sqrt ((double) n_triangles)), 1, 2048);

  for (guint c = 0; c < 2; c++) {
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < chart->n_points; i++)
      if (isfinite (chart->uv[2 * i + c])) {
        low = fmin (low, (double) chart->uv[2 * i + c]);
        high = fmax (high, (double) chart->uv[2 * i + c]);
      }
    chart->n_cells[c] = (guint) side;
    chart->low[c] = low <= high ? low : 0;
    chart->cell[c] = high > low ? (high - low) / side : 1;
  }
}

/* Counts what each cell has, or (triangles made) fills it in, in order. */
static void
chart_sort_triangles (MeshChart *chart, const MeshWalk *walk, uint32_t *next)
{
  for (uint32_t i = 0; i < walk->n_triangles; i++) {
    guint from[2], to[2];

    if (!chart_get_cells (chart, walk, i, from, to))
      continue;
    if ((guint64) (to[0] - from[0] + 1) * (to[1] - from[1] + 1) > MAX_CELLS) {
      if (chart->triangles != NULL)
        g_array_append_val (chart->wide, i);
      continue;
    }
    for (guint y = from[1]; y <= to[1]; y++)
      for (guint x = from[0]; x <= to[0]; x++) {
        uint32_t *at = &next[(size_t) y * chart->n_cells[0] + x];

        if (chart->triangles != NULL)
          chart->triangles[*at] = i;
        ++*at;
      }
  }
}

MeshChart *
mesh_chart_new (const MeshWalk *walk, const float *uv)
{
  MeshChart *chart = g_new0 (MeshChart, 1);
  g_autofree uint32_t *next = NULL;
  size_t n;

  chart->n_points = walk->n_points;
  chart->uv = g_memdup2 (uv, 2 * walk->n_points * sizeof *uv);
  chart->wide = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  chart_build_grid (chart, walk->n_triangles);
  n = (size_t) chart->n_cells[0] * chart->n_cells[1];
  chart->first = g_new0 (uint32_t, n + 1);
  chart_sort_triangles (chart, walk, chart->first + 1);
  for (size_t i = 0; i < n; i++)
    chart->first[i + 1] += chart->first[i];
  chart->triangles = g_new (uint32_t, MAX (chart->first[n], 1));
  next = g_memdup2 (chart->first, (n + 1) * sizeof *next);
  chart_sort_triangles (chart, walk, next);
  return chart;
}

void
mesh_chart_free (MeshChart *chart)
{
  g_free (chart->uv);
  g_free (chart->first);
  g_free (chart->triangles);
  g_array_unref (chart->wide);
  g_free (chart);
}

size_t
mesh_chart_get_bytes (const MeshChart *chart)
{
  const size_t n = (size_t) chart->n_cells[0] * chart->n_cells[1];

  return sizeof *chart + 2 * chart->n_points * sizeof (float) +
         (n + 1 + chart->first[n] + chart->wide->len) * sizeof (uint32_t);
}

void
mesh_chart_collect (const MeshChart *chart, const double at[2], GArray *triangles)
{
  size_t cell = 0;
  guint w = 0;

  g_array_set_size (triangles, 0);
  for (guint c = 2; c-- > 0;)
    cell = cell * chart->n_cells[c] + chart_get_cell (chart, c, at[c]);
  for (uint32_t i = chart->first[cell]; i < chart->first[cell + 1]; i++) {
    for (; w < chart->wide->len && g_array_index (chart->wide, uint32_t, w) < chart->triangles[i]; w++)
      g_array_append_val (triangles, g_array_index (chart->wide, uint32_t, w));
    g_array_append_val (triangles, chart->triangles[i]);
  }
  for (; w < chart->wide->len; w++)
    g_array_append_val (triangles, g_array_index (chart->wide, uint32_t, w));
}
