/* geometry/color: gives everything one colour.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgGeometry *geometry;
  KgColor color;
  double width;
  KgGeometry *colored;
} Color;

static bool
color_evaluate (Color *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->geometry);
  const float rgba[] = { (float) n->color.r, (float) n->color.g, (float) n->color.b, (float) n->color.a };
  float *color;

  (void) ctx;
  (void) error;
  kg_geometry_make_writable (&n->geometry);
  color = kg_geometry_edit_float (n->geometry, KG_POINTS, "Cd", 4);
  for (size_t i = 0; i < 4 * count; i++)
    color[i] = rgba[i % 4];
  if (n->width > 0) {
    float *width = kg_geometry_edit_float (n->geometry, KG_POINTS, "width", 1);

    for (size_t i = 0; i < count; i++)
      width[i] = (float) n->width;
  }
  n->colored = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot color_slots[] = {
  KG_INPUT (Color, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry to colour.")),
  KG_INPUT (Color, color, COLOR, .label = N_ ("Colour"), .def_v = { 1, 0.4, 0.1, 1 },
            .help = N_ ("Colour of all points, with its opacity.")),
  KG_INPUT (Color, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .min = 0, .max = INFINITY, .soft_max = 0.5,
            .help = N_ ("Width of lines and diameter of points; 0 leaves the width unchanged.")),
  KG_OUTPUT (Color, colored, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The geometry with the attributes Cd and width.")),
};

KG_NODE (geometry, color, Color, .label = N_ ("Colour"), .version = 1, .since = "0.1",
         .tags = N_ ("paint Cd material width stroke fill"),
         .help = N_ ("Sets one colour for all points, and the thickness of lines and points."));
