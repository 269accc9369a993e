/* geometry/hatch: polygons filled with parallel lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/hatch.h"
#include "kg-node.h"

#include <math.h>

typedef struct {
  const KgGeometry *geometry;
  double spacing;
  double angle;
  double offset;
  bool cross;
  KgGeometry *lines;
  double length;
} Hatch;

static bool
hatch_evaluate (Hatch *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  /* Lines repeat after one spacing, and far numbers have no room for single lines between them. */
  const double offset = n->offset - floor (n->offset);
  size_t open;

  n->lines = kg_geometry_new ();
  if (!hatch_fill (n->geometry, n->spacing, n->angle, offset, n->lines, &n->length, &open, &monitor, error))
    return false;
  if (open > 0)
    kg_context_warn (ctx, "%zu of the outlines are open and are not filled: close them", open);
  if (n->cross) {
    g_autoptr (KgGeometry) other = kg_geometry_new ();
    double length;

    if (!hatch_fill (n->geometry, n->spacing, n->angle + KG_PI / 2, offset, other, &length, &open, &monitor, error) ||
        !kg_geometry_append (n->lines, other, error))
      return false;
    n->length += length;
  }
  return true;
}

static const KgSlot hatch_slots[] = {
  KG_INPUT (Hatch, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("Polygons and closed lines, seen along z. One inside another is a hole.")),
  KG_INPUT (Hatch, spacing, NUMBER, .unit = KG_METRES, .label = N_ ("Spacing"), .def = 0.1, .min = 1e-6, .max = 1e6,
            .soft_min = 0.01, .soft_max = 1,
            .help = N_ ("Distance between the lines: closer lines make a darker tone.")),
  KG_INPUT (Hatch, angle, NUMBER, .unit = KG_DEGREES, .label = N_ ("Angle"), .soft_min = -90, .soft_max = 90,
            .help = N_ ("Direction of the lines; 0 is horizontal.")),
  KG_INPUT (Hatch, offset, NUMBER, .label = N_ ("Offset"), .def = 0.5, .soft_max = 1,
            .help = N_ ("Moves the lines across themselves, in spacings: key it, and they crawl.")),
  KG_INPUT (Hatch, cross, BOOLEAN, .label = N_ ("Cross"), .help = N_ ("Adds lines at right angles to the others.")),
  KG_OUTPUT (Hatch, lines, GEOMETRY, .label = N_ ("Lines"), .help = N_ ("The lines.")),
  KG_OUTPUT (Hatch, length, NUMBER, .unit = KG_METRES, .label = N_ ("Length"),
             .help = N_ ("Length of all lines: times the spacing it is nearly the area.")),
};

KG_NODE (geometry, hatch, Hatch, .label = N_ ("Hatch"), .version = 1, .since = "0.1",
         .tags = N_ ("fill lines shading engraving pen vector scan line tone"),
         .source = "Parent, Computer Animation, 1.4: filling polygons with closely spaced vectors",
         .help = N_ ("Fills polygons with parallel lines, as pens and vector displays do."));
