/* geometry/line: a straight row of points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  KgVector start;
  KgVector end;
  int64_t points;
  KgGeometry *geometry;
} Line;

static bool
line_evaluate (Line *n, const KgContext *ctx, GError **error)
{
  const size_t count = (size_t) n->points;
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  const KgPrimitive primitive = { .kind = KG_POLYLINE, .n_vertices = (uint32_t) count, .vertices = vertices };
  float *p;

  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, count, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry);
  for (size_t i = 0; i < count; i++) {
    const KgVector x = kg_vector_lerp (n->start, n->end, (double) i / (double) (count - 1));

    if (i % 65536 == 65535 && kg_context_is_cancelled (ctx))
      return false;
    kg_floats_set_vector (p, i, x);
    vertices[i] = (uint32_t) i;
  }
  kg_geometry_add_primitive (n->geometry, &primitive);
  return true;
}

static const KgSlot line_slots[] = {
  KG_INPUT (Line, start, VECTOR, .label = N_ ("Start"), .unit = KG_METRES, .def_v = { -1, 0, 0 },
            .help = N_ ("The first point.")),
  KG_INPUT (Line, end, VECTOR, .label = N_ ("End"), .unit = KG_METRES, .def_v = { 1, 0, 0 },
            .help = N_ ("The last point.")),
  KG_INPUT (Line, points, INTEGER, .label = N_ ("Points"), .def = 2, .min = 2, .max = 10000000, .soft_max = 100,
            .help = N_ ("Number of points, evenly spaced.")),
  KG_OUTPUT (Line, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("A single polyline.")),
};

KG_NODE (geometry, line, Line, .label = N_ ("Line"), .version = 1, .since = "0.1",
         .tags = N_ ("segment row polyline straight"),
         .help = N_ ("Makes a straight line with any number of points on it."));
