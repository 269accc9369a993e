/* surface_search: what the ways to find the cubes of a surface share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/surface_search.h"

#include "kg-floats.h"
#include "soft/surface_cubes.h"

#include <omp.h>

void
surface_search_fill_place (const PolygonizeOptions *options, LatticePlace place, float *p)
{
  const KgVector at = surface_cubes_get_corner (options, place.x, place.y, place.z);

  kg_floats_set_vector (p, 0, at);
}

bool
surface_search_check_cancelled (const SurfaceSampling *sampling, GError **error)
{
  if (!kg_progress_is_cancelled (sampling->monitor))
    return false;
  kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
  return true;
}

/* Of thousands of keys a point takes long. */
bool
surface_search_sample (const SurfaceSampling *sampling, const float *places, size_t n, float *values, GError **error)
{
  const size_t most = (size_t) omp_get_max_threads () * KG_FIELD_BLOCK;

  for (size_t i = 0; i < n; i += most) {
    if (surface_search_check_cancelled (sampling, error))
      return false;
    kg_field_sample_points (sampling->field, places + 3 * i, MIN (n - i, most), sampling->options->time, values + i);
  }
  return true;
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
      kg_set_error (error, KG_ERROR_LIMIT,
                    "cells of %g m are too small for a box that ends %g m from the origin: use larger cells", o->cell,
                    MAX (fabs (kg_vector_get (o->low, axis)), fabs (kg_vector_get (o->high, axis))));
      return false;
    }
    for (int end = 0; end < 2; end++)
      *(axis == 0 ? &ends[end]->x : axis == 1 ? &ends[end]->y : &ends[end]->z) = (int32_t) (end == 0 ? low : high);
  }
  return true;
}

void
lattice_corners_init (LatticeCorners *corners)
{
  *corners = (LatticeCorners){ .values = g_array_new (false, false, sizeof (float)),
                               .asked = g_array_new (false, false, sizeof (float)) };
}

void
lattice_corners_clear (LatticeCorners *corners)
{
  lattice_map_clear (&corners->map);
  g_clear_pointer (&corners->values, g_array_unref);
  g_clear_pointer (&corners->asked, g_array_unref);
}

uint32_t
lattice_corners_ask (LatticeCorners *corners, const PolygonizeOptions *options, LatticePlace at)
{
  const uint32_t next = corners->values->len + corners->asked->len / 3;
  uint32_t index;

  if (lattice_map_add (&corners->map, lattice_key (at.x, at.y, at.z, 0), next, &index)) {
    float p[3];

    surface_search_fill_place (options, at, p);
    g_array_append_vals (corners->asked, p, 3);
  }
  return index;
}

bool
lattice_corners_answer (LatticeCorners *corners, const SurfaceSampling *sampling, GError **error)
{
  const guint known = corners->values->len, n = corners->asked->len / 3;

  g_array_set_size (corners->values, known + n);
  if (!surface_search_sample (sampling, (const float *) (const void *) corners->asked->data, n,
                              (float *) (void *) corners->values->data + known, error))
    return false;
  g_array_set_size (corners->asked, 0);
  return true;
}
