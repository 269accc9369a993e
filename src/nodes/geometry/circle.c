/* geometry/circle: a circle, an arc or a regular polygon.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double radius;
  int64_t points;
  double start;
  double angle;
  bool filled;
  KgVector center;
  KgGeometry *geometry;
} Circle;

static bool
circle_evaluate (Circle *n, const KgContext *ctx, GError **error)
{
  const size_t count = (size_t) n->points;
  const bool whole = fabs (n->angle) >= 2 * KG_PI - 1e-9;
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  const KgPrimitive primitive = {
    .kind = n->filled ? KG_POLYGON : KG_POLYLINE, .closed = whole, .n_vertices = (uint32_t) count, .vertices = vertices
  };
  float *p;

  (void) ctx;
  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, count, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry);
  for (size_t i = 0; i < count; i++) {
    const double a = n->start + n->angle * (double) i / (double) (whole ? count : count - 1);

    p[3 * i] = (float) (n->center.x + n->radius * cos (a));
    p[3 * i + 1] = (float) (n->center.y + n->radius * sin (a));
    p[3 * i + 2] = (float) n->center.z;
    vertices[i] = (uint32_t) i;
  }
  kg_geometry_add_primitive (n->geometry, &primitive);
  return true;
}

static const KgSlot circle_slots[] = {
  KG_INPUT (Circle, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 1, .min = 0, .max = INFINITY,
            .soft_max = 10, .help = N_ ("Distance from the centre to the points.")),
  KG_INPUT (Circle, points, INTEGER, .label = N_ ("Points"), .def = 64, .min = 3, .max = 1000000, .soft_max = 128,
            .help = N_ ("Number of points: 3 makes a triangle, 6 a hexagon, 64 a circle.")),
  KG_INPUT (Circle, start, NUMBER, .label = N_ ("Start"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Angle of the first point: 0 is to the right, 90 at the top.")),
  KG_INPUT (Circle, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES, .def = 360, .min = -360, .max = 360,
            .help = N_ ("Angle that the circle covers: less than 360 makes an arc.")),
  KG_INPUT (Circle, filled, BOOLEAN, .label = N_ ("Filled"), .def = 1,
            .help = N_ ("Makes a filled polygon; otherwise only the outline.")),
  KG_INPUT (Circle, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
            .help = N_ ("Position of the centre of the circle.")),
  KG_OUTPUT (Circle, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The circle, facing along z.")),
};

KG_NODE (geometry, circle, Circle, .label = N_ ("Circle"), .version = 1, .since = "0.1",
         .tags = N_ ("disc arc ring polygon triangle hexagon round"),
         .help = N_ ("Makes a circle, a disc, an arc or a regular polygon in the xy plane."));
