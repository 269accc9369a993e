/* curve_geometry: the way between doubles and geometries.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_geometry.h"
#include "kg-floats.h"

static void
write_vectors (float *to, const KgVector *from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    kg_floats_set_vector (to, i, from[i]);
}

static bool
add_points (KgGeometry *out, const KgVector *points, size_t n, size_t *first, GError **error)
{
  *first = kg_geometry_get_n_points (out);
  if (!kg_geometry_set_n_points (out, *first + n, error))
    return false;
  write_vectors (kg_geometry_edit_positions (out) + 3 * *first, points, n);
  return true;
}

static uint32_t *
make_vertices (size_t first, size_t n)
{
  uint32_t *vertices = g_new (uint32_t, MAX (n, 1));

  for (size_t i = 0; i < n; i++)
    vertices[i] = (uint32_t) (first + i);
  return vertices;
}

bool
curve_geometry_add (KgGeometry *out, const CurveControl *control, GError **error)
{
  g_autofree uint32_t *vertices = NULL;
  KgPrimitive primitive = { .kind = KG_SPLINE,
                            .closed = control->closed,
                            .basis = control->basis,
                            .order = (uint8_t) control->order,
                            .n_vertices = control->n,
                            .n_knots = control->n_knots,
                            .knots = control->knots,
                            .weights = control->weights,
                            .rule = control->rule };
  size_t first;

  if (!add_points (out, control->points, control->n, &first, error))
    return false;
  vertices = make_vertices (first, control->n);
  primitive.vertices = vertices;
  if (control->tangent_in != NULL)
    write_vectors (kg_geometry_edit_float (out, KG_POINTS, "tangent_in", 3) + 3 * first, control->tangent_in,
                   control->n);
  if (control->tangent_out != NULL)
    write_vectors (kg_geometry_edit_float (out, KG_POINTS, "tangent_out", 3) + 3 * first, control->tangent_out,
                   control->n);
  if (control->tcb != NULL)
    write_vectors (kg_geometry_edit_float (out, KG_POINTS, "tcb", 3) + 3 * first, control->tcb, control->n);
  kg_geometry_add_primitive (out, &primitive);
  return true;
}

bool
curve_geometry_add_polyline (KgGeometry *out, const KgVector *points, size_t n, bool closed, size_t *first,
                             GError **error)
{
  g_autofree uint32_t *vertices = NULL;
  KgPrimitive primitive = { .kind = KG_POLYLINE, .closed = closed, .n_vertices = (uint32_t) n };

  if (!add_points (out, points, n, first, error))
    return false;
  vertices = make_vertices (*first, n);
  primitive.vertices = vertices;
  kg_geometry_add_primitive (out, &primitive);
  return true;
}

KgVector *
curve_geometry_read_points (const KgGeometry *geometry, const KgTable *typed, guint *n)
{
  KgVector *points;

  if (geometry != NULL && kg_geometry_get_n_points (geometry) > 0) {
    const float *p = kg_geometry_get_positions (geometry);

    *n = (guint) kg_geometry_get_n_points (geometry);
    points = g_new (KgVector, *n);
    for (size_t i = 0; i < *n; i++)
      points[i] = kg_floats_get_vector (p, i);
    return points;
  }
  *n = (guint) kg_table_get_n_rows (typed);
  points = g_new (KgVector, MAX (*n, 1));
  for (size_t i = 0; i < *n; i++) {
    const double *row = kg_table_get_row (typed, i);

    points[i] = kg_vector (row[0], row[1], row[2]);
  }
  return points;
}
