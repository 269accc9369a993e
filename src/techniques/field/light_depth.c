/* light_depth: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/light_depth.h"

#include "kg-error.h"
#include "kg-floats.h"

#include <string.h>

/* Nearer than this share of the distance of the cloud a lamp has no rays to speak of. */
#define NEAREST 0.02

/* Axes: across the light (two) and along it.  A lamp sees x/z, y/z and z. */
typedef struct {
  bool lamp, depth;
  KgVector origin, axes[3];
  double low[3], step[3];
  size_t n[3];
  float *tau; /* at the ends of the cells: n[2] + 1 layers of n[0] × n[1] */
} Grid;

static void
grid_free (gpointer data)
{
  Grid *grid = (Grid *) data;

  g_free (grid->tau);
  g_free (grid);
}

static size_t
count_tau (const Grid *grid)
{
  return grid->n[0] * grid->n[1] * (grid->n[2] + 1);
}

static bool
grids_equal (gconstpointer a, gconstpointer b)
{
  const Grid *x = (const Grid *) a, *y = (const Grid *) b;

  return x->lamp == y->lamp && x->depth == y->depth && memcmp (&x->origin, &y->origin, sizeof x->origin) == 0 &&
         memcmp (x->axes, y->axes, sizeof x->axes) == 0 && memcmp (x->low, y->low, sizeof x->low) == 0 &&
         memcmp (x->step, y->step, sizeof x->step) == 0 && memcmp (x->n, y->n, sizeof x->n) == 0 &&
         memcmp (x->tau, y->tau, count_tau (x) * sizeof *x->tau) == 0;
}

/* False: behind the lamp. */
static inline bool
to_light (const Grid *grid, KgVector p, double at[3])
{
  const KgVector d = kg_vector_subtract (p, grid->origin);

  for (int c = 0; c < 3; c++)
    at[c] = kg_vector_dot (d, grid->axes[c]);
  if (!grid->lamp)
    return true;
  if (!(at[2] > 0))
    return false;
  at[0] /= at[2];
  at[1] /= at[2];
  return true;
}

static KgVector
from_light (const Grid *grid, const double at[3])
{
  const double scale = grid->lamp ? at[2] : 1;
  KgVector p = grid->origin;

  for (int c = 0; c < 3; c++)
    p = kg_vector_add_scaled (p, c < 2 ? scale * at[c] : at[c], grid->axes[c]);
  return p;
}

/* The cell whose centre is below along an axis, and the share of the next one; both within the grid. */
static inline size_t
find_between (const Grid *grid, int c, double at, double *share)
{
  const double x = kg_clamp ((at - grid->low[c]) / grid->step[c] - 0.5, 0, (double) (grid->n[c] - 1));
  const size_t below = MIN ((size_t) x, grid->n[c] - 1);

  *share = below + 1 < grid->n[c] ? x - (double) below : 0;
  return below;
}

static double
get_tau (const Grid *grid, KgVector p)
{
  const size_t layer = grid->n[0] * grid->n[1];
  double at[3], share[3], sum = 0, along;
  size_t below[2], k;

  if (!to_light (grid, p, at))
    return 0;
  for (int c = 0; c < 2; c++) {
    if (at[c] < grid->low[c] || at[c] > grid->low[c] + (double) grid->n[c] * grid->step[c])
      return 0;
    below[c] = find_between (grid, c, at[c], &share[c]);
  }
  along = kg_clamp ((at[2] - grid->low[2]) / grid->step[2], 0, (double) grid->n[2]);
  k = MIN ((size_t) along, grid->n[2] - 1);
  share[2] = along - (double) k;
  for (size_t corner = 0; corner < 8; corner++) {
    const size_t x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
    const double weight = (x != 0 ? share[0] : 1 - share[0]) * (y != 0 ? share[1] : 1 - share[1]) *
                          (z != 0 ? share[2] : 1 - share[2]);

    if (weight > 0)
      sum += weight * (double) grid->tau[(k + z) * layer + (below[1] + y) * grid->n[0] + below[0] + x];
  }
  return sum;
}

static void
sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const Grid *grid = (const Grid *) kg_field_get_data (field);

  for (size_t i = 0; i < block->n; i++) {
    const double tau = get_tau (grid, kg_vector ((double) block->x[i], (double) block->y[i], (double) block->z[i]));

    out[0][i] = (float) (grid->depth ? tau : exp (-tau));
  }
}

static const KgFieldClass depth_class = {
  .name = "light_depth", .width = 1, .sample = sample, .free_data = grid_free, .equal_data = grids_equal
};

/* Making. */

static bool
is_boxed (const LightDepth *s)
{
  return s->size.x > 0 && s->size.y > 0 && s->size.z > 0;
}

static bool
is_in_box (const LightDepth *s, KgVector p)
{
  const KgVector d = kg_vector_subtract (p, s->centre);

  return fabs (d.x) <= 0.5 * s->size.x && fabs (d.y) <= 0.5 * s->size.y && fabs (d.z) <= 0.5 * s->size.z;
}

/* More than a place on a face, such as that of a lamp below a ceiling. */
static bool
is_well_within (const LightDepth *s, KgVector p)
{
  const KgVector d = kg_vector_subtract (p, s->centre);

  return fabs (d.x) < 0.4999 * s->size.x && fabs (d.y) < 0.4999 * s->size.y && fabs (d.z) < 0.4999 * s->size.z;
}

/* Axes in which the third one goes with the light through the middle of the cloud. */
static bool
aim (const LightDepth *s, KgVector middle, Grid *grid, GError **error)
{
  const KgVector way = s->lamp ? kg_vector_subtract (middle, s->light) : s->light;

  if (!(kg_vector_length (way) > 1e-9)) {
    if (s->lamp)
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the lamp is in the middle of what it shines on, at (%g, %g, %g): move it outside", s->light.x,
                    s->light.y, s->light.z);
    else
      kg_set_error (error, KG_ERROR_DEGENERATE, "the light has no direction: give it one that is not (0, 0, 0)");
    return false;
  }
  grid->origin = s->lamp ? s->light : kg_vector (0, 0, 0);
  grid->axes[2] = kg_vector_scale (way, 1 / kg_vector_length (way));
  grid->axes[0] = kg_vector_perpendicular (grid->axes[2]);
  grid->axes[0] = kg_vector_scale (grid->axes[0], 1 / kg_vector_length (grid->axes[0]));
  grid->axes[1] = kg_vector_cross (grid->axes[2], grid->axes[0]);
  return true;
}

/* False: the lamp does not see it. */
static bool
extend (const Grid *grid, KgVector p, double nearest, double low[3], double high[3])
{
  double at[3];

  if (!to_light (grid, p, at) || (grid->lamp && at[2] < nearest))
    return false;
  for (int c = 0; c < 3; c++) {
    low[c] = fmin (low[c], at[c]);
    high[c] = fmax (high[c], at[c]);
  }
  return true;
}

/* The box, as far as the lamp sees it: an edge that passes it counts up to the nearest place that has rays. */
static void
extend_by_box (const Grid *grid, KgVector box_low, KgVector box_high, double nearest, double low[3], double high[3])
{
  KgVector corners[8];

  for (int k = 0; k < 8; k++) {
    corners[k] = kg_vector ((k & 1) != 0 ? box_low.x : box_high.x, (k & 2) != 0 ? box_low.y : box_high.y,
                            (k & 4) != 0 ? box_low.z : box_high.z);
    extend (grid, corners[k], nearest, low, high);
  }
  for (int k = 0; k < 8 && grid->lamp; k++)
    for (int side = 1; side < 8; side *= 2) {
      const KgVector a = corners[k], b = corners[k ^ side];
      const double za = kg_vector_dot (kg_vector_subtract (a, grid->origin), grid->axes[2]),
                   zb = kg_vector_dot (kg_vector_subtract (b, grid->origin), grid->axes[2]);

      /* A little further on: rounding must not lose the crossing. */
      if (za < nearest && zb > nearest)
        extend (grid, kg_vector_lerp (a, b, fmin (1, (nearest - za) / (zb - za) + 1e-9)), nearest, low, high);
    }
}

/* The box in the light's axes, a cell larger than what is in it so that shares of cells have room. */
static bool
lay_out (const LightDepth *s, KgVector box_low, KgVector box_high, Grid *grid, GError **error)
{
  const KgVector middle = kg_vector_lerp (box_low, box_high, 0.5);
  const double distance = kg_vector_distance (middle, s->light);
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, cells = 1;
  size_t unseen = 0;

  if (!aim (s, middle, grid, error))
    return false;
  if (!is_boxed (s)) {
    const float *p = kg_geometry_get_positions (s->points);

    for (size_t i = 0; i < kg_geometry_get_n_points (s->points); i++)
      unseen += !extend (grid, kg_floats_get_vector (p, i), NEAREST * distance, low, high);
  } else if (!s->lamp || !is_well_within (s, s->light))
    extend_by_box (grid, box_low, box_high, NEAREST * distance, low, high);
  if (s->n_unseen != NULL)
    *s->n_unseen = unseen;
  if (!(low[0] <= high[0])) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the lamp at (%g, %g, %g) is inside of what it shines on: move it outside", s->light.x, s->light.y,
                  s->light.z);
    return false;
  }
  for (int c = 0; c < 3; c++) {
    const double margin = is_boxed (s) ? 0 : 1;

    grid->step[c] = s->lamp && c < 2 ? s->cell / distance : s->cell;
    low[c] -= margin * grid->step[c];
    high[c] += margin * grid->step[c];
    if (s->lamp && c == 2)
      low[c] = fmax (low[c], NEAREST * distance);
    cells *= fmax (1, ceil ((high[c] - low[c]) / grid->step[c] - 1e-6));
    grid->low[c] = low[c];
  }
  if (!(cells <= LIGHT_DEPTH_CELLS)) {
    kg_set_error (error, KG_ERROR_LIMIT, "cells of %g m are %.3g in all, more than the limit of %.3g: use larger cells",
                  s->cell, cells, LIGHT_DEPTH_CELLS);
    return false;
  }
  for (int c = 0; c < 3; c++) {
    grid->n[c] = (size_t) fmax (1, ceil ((high[c] - low[c]) / grid->step[c] - 1e-6));
    /* What is left over is shared by all cells. */
    grid->step[c] = fmax ((high[c] - low[c]) / (double) grid->n[c], 1e-9 * grid->step[c]);
  }
  return true;
}

/* m³ of a cell, and metres that the light goes through it. */
static void
measure_cell (const Grid *grid, size_t i, size_t j, size_t k, double *volume, double *length)
{
  const double z = grid->low[2] + ((double) k + 0.5) * grid->step[2];
  const double x = grid->low[0] + ((double) i + 0.5) * grid->step[0];
  const double y = grid->low[1] + ((double) j + 0.5) * grid->step[1];

  *volume = grid->step[0] * grid->step[1] * grid->step[2] * (grid->lamp ? z * z : 1);
  *length = grid->step[2] * (grid->lamp ? sqrt (1 + x * x + y * y) : 1);
}

/* The cross-sections of the points, shared among the cells whose centres are around each.  One after another: sums have one
 * order. */
static bool
add_points (const LightDepth *s, const Grid *grid, float *sigma, const KgProgressMonitor *monitor)
{
  const float *p = kg_geometry_get_positions (s->points);
  const float *width = kg_geometry_get_float (s->points, KG_POINTS, "width", 1);
  const float *color = kg_geometry_get_float (s->points, KG_POINTS, "Cd", 4);
  const size_t n = kg_geometry_get_n_points (s->points), layer = grid->n[0] * grid->n[1];

  for (size_t i = 0; i < n; i++) {
    const double w = width != NULL ? (double) width[i] : s->width;
    const double alpha = color != NULL ? kg_clamp ((double) color[4 * i + 3], 0, 1) : 1;
    const double section = s->strength * alpha * 0.25 * KG_PI * w * w;
    double at[3], share[3];
    size_t below[3];
    bool inside = to_light (grid, kg_floats_get_vector (p, i), at) &&
                  (!is_boxed (s) || is_in_box (s, kg_floats_get_vector (p, i)));

    if (i % 65536 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    for (int c = 0; c < 3 && inside; c++) {
      inside = at[c] >= grid->low[c] && at[c] <= grid->low[c] + (double) grid->n[c] * grid->step[c];
      below[c] = find_between (grid, c, at[c], &share[c]);
    }
    for (size_t corner = 0; corner < 8 && inside; corner++) {
      const size_t x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
      const double weight = (x != 0 ? share[0] : 1 - share[0]) * (y != 0 ? share[1] : 1 - share[1]) *
                            (z != 0 ? share[2] : 1 - share[2]);

      if (weight > 0)
        sigma[(below[2] + z) * layer + (below[1] + y) * grid->n[0] + below[0] + x] += (float) (weight * section);
    }
  }
  return true;
}

/* The density of a field at the centres of cells is added to what they have of points. */
static bool
add_density (const LightDepth *s, const Grid *grid, float *sigma, const KgProgressMonitor *monitor)
{
  const size_t layer = grid->n[0] * grid->n[1];

#pragma omp parallel for schedule(dynamic, 1)
  for (size_t k = 0; k < grid->n[2]; k++) {
    g_autofree float *centres = g_new (float, 3 * layer), *density = g_new (float, layer);

    if (kg_progress_is_cancelled (monitor))
      continue;
    for (size_t q = 0; q < layer; q++) {
      const size_t cell[] = { q % grid->n[0], q / grid->n[0], k };
      double at[3];
      KgVector centre;

      for (int c = 0; c < 3; c++)
        at[c] = grid->low[c] + ((double) cell[c] + 0.5) * grid->step[c];
      centre = from_light (grid, at);
      kg_floats_set_vector (centres, q, centre);
    }
    kg_field_sample_points (s->density, centres, layer, s->time, density);
    for (size_t q = 0; q < layer; q++) {
      double volume, length;

      measure_cell (grid, q % grid->n[0], q / grid->n[0], k, &volume, &length);
      if (density[q] > 0 && is_in_box (s, kg_floats_get_vector (centres, q)))
        sigma[k * layer + q] += (float) (s->strength * (double) density[q] * volume);
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

/* From the light on: τ at the end of each cell.  sigma and tau: the same array, of which the first layer of tau is free. */
static bool
integrate (Grid *grid, const KgProgressMonitor *monitor)
{
  const size_t layer = grid->n[0] * grid->n[1];

#pragma omp parallel for schedule(static)
  for (size_t q = 0; q < layer; q++) {
    double sum = 0;

    if (kg_progress_is_cancelled (monitor))
      continue;
    for (size_t k = 0; k < grid->n[2]; k++) {
      double volume, length;

      measure_cell (grid, q % grid->n[0], q / grid->n[0], k, &volume, &length);
      sum += (double) grid->tau[(k + 1) * layer + q] / volume * length;
      grid->tau[(k + 1) * layer + q] = (float) sum;
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

KgField *
light_depth_new (const LightDepth *s, const KgProgressMonitor *monitor, GError **error)
{
  const KgVector half = kg_vector_scale (s->size, 0.5);
  KgVector low = kg_vector_subtract (s->centre, half), high = kg_vector_add (s->centre, half);
  const bool pointed = s->points != NULL && kg_geometry_get_n_points (s->points) > 0;
  Grid *grid;
  bool good;

  if (!is_boxed (s)) {
    if (s->density != NULL) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "a density has no bounds: give the box that holds the cloud a size; it is (%g, %g, %g)", s->size.x,
                    s->size.y, s->size.z);
      return NULL;
    }
    if (!pointed)
      return kg_field_new_constant (s->depth ? 0 : 1);
    kg_geometry_get_bounds (s->points, &low, &high);
  }
  grid = g_new0 (Grid, 1);
  grid->lamp = s->lamp;
  grid->depth = s->depth;
  good = lay_out (s, low, high, grid, error);
  if (good) {
    grid->tau = (float *) g_try_malloc0_n (count_tau (grid), sizeof *grid->tau);
    if (grid->tau == NULL)
      kg_set_error (error, KG_ERROR_LIMIT, "cannot allocate memory for %zu × %zu × %zu cells: use larger cells",
                    grid->n[0], grid->n[1], grid->n[2]);
    good = grid->tau != NULL && (!pointed || add_points (s, grid, grid->tau + grid->n[0] * grid->n[1], monitor)) &&
           (s->density == NULL || add_density (s, grid, grid->tau + grid->n[0] * grid->n[1], monitor));
  }
  if (!good || !integrate (grid, monitor)) {
    grid_free (grid);
    return NULL;
  }
  return kg_field_new_with_data (&depth_class, NULL, 0, NULL, 0, grid, error);
}
