/* surface_search: what the ways to find the cubes of a surface share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/surface_search.h"

#include "kg-floats.h"
#include "kg-kernel.h"
#include "soft/surface_cubes.h"
#include "soft/surface_memo.h"

void
surface_search_fill_place (const PolygonizeOptions *options, LatticePlace place, float *p)
{
  const KgVector at = surface_cubes_get_corner (options, place.x, place.y, place.z);

  kg_floats_set_vector (p, 0, at);
}

bool
surface_search_check_cancelled (const SurfaceSampling *sampling, GError **error)
{
  return !kg_progress_check (sampling->monitor, error);
}

/* Unless the search is to stop: of thousands of keys a block takes long. */
static void
sample_unless_cancelled (const SurfaceSampling *sampling, const float *places, size_t n, float *values)
{
  if (!kg_progress_is_cancelled (sampling->monitor))
    kg_field_sample_points (sampling->field, places, n, sampling->options->time, values);
}

bool
surface_search_sample (const SurfaceSampling *sampling, const float *places, size_t n, float *values, GError **error)
{
  KG_PARALLEL (n, KG_FIELD_BLOCK, n > KG_FIELD_BLOCK,
               sample_unless_cancelled (sampling, places + 3 * first, end - first, values + first));
  return !surface_search_check_cancelled (sampling, error);
}

bool
surface_search_get_range (const PolygonizeOptions *o, int32_t margin, LatticeRange *cubes, GError **error)
{
  LatticePlace *const ends[] = { &cubes->low, &cubes->high };

  for (size_t axis = 0; axis < 3; axis++) {
    const double origin = kg_vector_get (o->origin, axis);
    /* A body may touch its bounds: a little more than these, so that a corner there is not the last. */
    const double low = floor ((kg_vector_get (o->low, axis) - origin) / o->cell - 1e-5);
    const double high = MAX (ceil ((kg_vector_get (o->high, axis) - origin) / o->cell + 1e-5) - 1, low);

    if (!(low >= -LATTICE_MAX + margin) || !(high <= LATTICE_MAX - 1 - margin)) {
      kg_set_error (
          error, KG_ERROR_LIMIT,
          "cells of %g m are too small for a box that ends %g m from the origin of the lattice: use larger cells, "
          "or move the origin to the box",
          o->cell, MAX (fabs (kg_vector_get (o->low, axis) - origin), fabs (kg_vector_get (o->high, axis) - origin)));
      return false;
    }
    for (int end = 0; end < 2; end++)
      *(axis == 0 ? &ends[end]->x : axis == 1 ? &ends[end]->y : &ends[end]->z) = (int32_t) (end == 0 ? low : high);
  }
  return true;
}

void
lattice_corners_init (LatticeCorners *corners, SurfaceMemo *memo)
{
  *corners = (LatticeCorners){ .values = g_array_new (false, false, sizeof (float)),
                               .asked = g_array_new (false, false, sizeof (LatticePlace)),
                               .memo = memo };
}

void
lattice_corners_clear (LatticeCorners *corners)
{
  lattice_map_clear (&corners->map);
  g_clear_pointer (&corners->values, g_array_unref);
  g_clear_pointer (&corners->asked, g_array_unref);
}

uint32_t
lattice_corners_ask (LatticeCorners *corners, LatticePlace at)
{
  const uint32_t next = corners->values->len + corners->asked->len;
  uint32_t index;

  if (lattice_map_add (&corners->map, lattice_key (at.x, at.y, at.z, 0), next, &index))
    g_array_append_val (corners->asked, at);
  return index;
}

bool
lattice_corners_answer (LatticeCorners *corners, const SurfaceSampling *sampling, GError **error)
{
  const guint known = corners->values->len, n = corners->asked->len;
  const LatticePlace *asked = (const LatticePlace *) (const void *) corners->asked->data;
  g_autofree float *places = g_new (float, 3 * MAX ((size_t) n, 1)), *sampled = g_new (float, MAX (n, 1));
  g_autofree guint *numbers = g_new (guint, MAX (n, 1));
  float *values;
  guint n_new = 0;

  g_array_set_size (corners->values, known + n);
  values = (float *) (void *) corners->values->data + known;
  for (guint i = 0; i < n; i++)
    if (corners->memo == NULL || !surface_memo_find_value (corners->memo, asked[i], &values[i])) {
      surface_search_fill_place (sampling->options, asked[i], places + 3 * (size_t) n_new);
      numbers[n_new++] = i;
    }
  corners->n_samples += n_new;
  if (!surface_search_sample (sampling, places, n_new, sampled, error))
    return false;
  for (guint i = 0; i < n_new; i++) {
    values[numbers[i]] = sampled[i];
    if (corners->memo != NULL)
      surface_memo_add_value (corners->memo, asked[numbers[i]], sampled[i]);
  }
  g_array_set_size (corners->asked, 0);
  return true;
}
