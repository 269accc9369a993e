/* point_cloud: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_cloud.h"

#include "kg-error.h"
#include "kg-floats.h"

/* The indices of the members of a group. */
static uint32_t *
list_group (const KgGeometry *geometry, const char *group, size_t *n, GError **error)
{
  const int32_t *member = kg_geometry_get_int (geometry, KG_POINTS, group, 1);
  const size_t n_points = kg_geometry_get_n_points (geometry);
  uint32_t *list;

  if (member == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                  "there is no group \"%s\" of points: correct the name, or leave it empty for all points", group);
    return NULL;
  }
  list = g_new (uint32_t, MAX (n_points, 1));
  *n = 0;
  for (size_t i = 0; i < n_points; i++)
    if (member[i] != 0)
      list[(*n)++] = (uint32_t) i;
  return list;
}

KgVector *
point_cloud_get_points (const KgGeometry *geometry, const char *group, size_t *n, uint32_t **sources, GError **error)
{
  const float *p = kg_geometry_get_positions (geometry);
  g_autofree uint32_t *list = NULL;
  KgVector *points;

  *n = kg_geometry_get_n_points (geometry);
  if (group != NULL && group[0] != '\0' && (list = list_group (geometry, group, n, error)) == NULL)
    return NULL;
  points = g_try_new (KgVector, MAX (*n, 1));
  if (points == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "out of memory for %zu points: use fewer", *n);
    return NULL;
  }
#pragma omp parallel for schedule(dynamic, 8192) if (*n > 100000)
  for (size_t i = 0; i < *n; i++) {
    const float *x = p + 3 * (list != NULL ? (size_t) list[i] : i);

    points[i] = kg_floats_get_vector (x, 0);
  }
  if (sources != NULL)
    *sources = g_steal_pointer (&list);
  return points;
}

static void
add_faces (KgGeometry *geometry, const ConvexHull *hull)
{
  for (size_t i = 0; i < hull->n_faces; i++)
    kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, hull->first[i + 1] - hull->first[i],
                                hull->corners + hull->first[i]);
  if (hull->dimension == 2) {
    const uint32_t n = hull->first[1];
    g_autofree uint32_t *back = g_new (uint32_t, n);

    for (uint32_t k = 0; k < n; k++)
      back[k] = hull->corners[n - 1 - k];
    kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, n, back);
  }
  if (hull->dimension == 1)
    kg_geometry_add_primitives (geometry, KG_POLYLINE, false, 1, 2, hull->corners);
}

KgGeometry *
point_cloud_make_hull (const ConvexHull *hull, const uint32_t *sources, GError **error)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  int32_t *source;
  float *p;

  if (!kg_geometry_set_n_points (geometry, hull->n_points, error))
    return NULL;
  p = kg_geometry_edit_positions (geometry);
  source = kg_geometry_edit_int (geometry, KG_POINTS, "source", 1);
  for (size_t i = 0; i < hull->n_points; i++) {
    source[i] = (int32_t) (sources != NULL ? sources[hull->source[i]] : hull->source[i]);
    kg_floats_set_vector (p, i, hull->points[i]);
  }
  add_faces (geometry, hull);
  return g_steal_pointer (&geometry);
}
