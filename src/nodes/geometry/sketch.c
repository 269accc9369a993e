/* geometry/sketch: a drawing that meets geometric relations.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/sketch.h"
#include "kg-node.h"

#include <inttypes.h>

typedef struct {
  KgGeometry *drawing;
  const char *relations;
  double a, b, c, d;
  bool drag;
  int64_t drag_point;
  KgVector drag_to;
  KgGeometry *geometry;
  int64_t freedoms;
  bool solved;
  double residual;
  char *conflicts;
  char *repeated;
} SketchNode;

static bool
sketch_evaluate (SketchNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t count = kg_geometry_get_n_points (n->drawing);
  const double numbers[4] = { n->a, n->b, n->c, n->d };
  g_autoptr (GArray) relations = NULL;
  g_auto (SketchReport) report = { .conflicts = NULL };
  g_autofree double *points = NULL;
  const float *from = kg_geometry_get_positions (n->drawing);
  float *to;

  if (count > SKETCH_MAX_POINTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "the drawing has %zu points, at most %d: divide it", count, SKETCH_MAX_POINTS);
    return false;
  }
  relations = sketch_read (n->relations, (guint) count, numbers, error);
  if (relations == NULL)
    return false;
  if (n->drag && n->drag_point >= (int64_t) count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there is no point %" PRId64 " to drag: the drawing has %zu points",
                  n->drag_point, count);
    return false;
  }
  points = g_new0 (double, 2 * count + 1);
  for (size_t i = 0; i < count; i++) {
    points[2 * i] = (double) from[3 * i];
    points[2 * i + 1] = (double) from[3 * i + 1];
  }
  if (!sketch_solve (relations, points, (guint) count, n->drag ? (int) n->drag_point : -1,
                     (double[]){ n->drag_to.x, n->drag_to.y }, &report, &monitor))
    return false;
  if (!report.solved)
    kg_context_warn (ctx, "the relations cannot all be met, an error of %g is left: %s", report.residual,
                     report.conflicts->len > 0 ? report.conflicts->str
                                               : kg_translate (N_ ("draw it closer to the intended result")));
  n->freedoms = report.freedoms;
  n->solved = report.solved;
  n->residual = report.residual;
  n->conflicts = g_strdup (report.conflicts->str);
  n->repeated = g_strdup (report.repeated->str);
  kg_geometry_make_writable (&n->drawing);
  to = kg_geometry_edit_positions (n->drawing);
  for (size_t i = 0; i < count; i++) {
    to[3 * i] = (float) points[2 * i];
    to[3 * i + 1] = (float) points[2 * i + 1];
  }
  n->geometry = g_steal_pointer (&n->drawing);
  return true;
}

static const KgSlot sketch_slots[] = {
  KG_INPUT (SketchNode, drawing, GEOMETRY, .label = N_ ("Drawing"),
            .help = N_ ("A drawing in the plane: lines, polygons, points. It is changed as little as possible.")),
  KG_INPUT (
      SketchNode, relations, TEXT, .label = N_ ("Relations"), .multiline = true, .manual = "relations",
      .help = N_ (
          "Relations between points, one per line. For example, \"distance 0 1 2\" keeps the points 0 and 1 two metres apart. Numbers can be the letters a to d.")),
  KG_INPUT (SketchNode, a, NUMBER, .label = N_ ("a"), .def = 1,
            .help = N_ ("Number for the relations: key it or link it.")),
  KG_INPUT (SketchNode, b, NUMBER, .label = N_ ("b"), .def = 1, .help = N_ ("Number for the relations.")),
  KG_INPUT (SketchNode, c, NUMBER, .label = N_ ("c"), .def = 1, .help = N_ ("Number for the relations.")),
  KG_INPUT (SketchNode, d, NUMBER, .label = N_ ("d"), .def = 1, .help = N_ ("Number for the relations.")),
  KG_INPUT (SketchNode, drag, BOOLEAN, .label = N_ ("Drag"), .group = N_ ("Drag"),
            .help = N_ ("Moves one point to a position; the others follow as the relations demand.")),
  KG_INPUT (SketchNode, drag_point, INTEGER, .label = N_ ("Dragged point"), .min = 0, .max = 1e9, .soft_max = 20,
            .group = N_ ("Drag"), .shown_when = "drag=true", .help = N_ ("Index of the point.")),
  KG_INPUT (SketchNode, drag_to, VECTOR, .label = N_ ("Dragged to"), .unit = KG_METRES, .group = N_ ("Drag"),
            .shown_when = "drag=true", .handle = { KG_HANDLE_PLACE },
            .help = N_ ("Target position: the point comes as close to it as the relations allow.")),
  KG_OUTPUT (SketchNode, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The drawing that meets the relations.")),
  KG_OUTPUT (SketchNode, freedoms, INTEGER, .label = N_ ("Freedoms"),
             .help = N_ ("Number of ways in which the drawing can still move: 3 for a rigid one that nothing holds.")),
  KG_OUTPUT (SketchNode, solved, BOOLEAN, .label = N_ ("Solved"), .help = N_ ("Whether all relations are met.")),
  KG_OUTPUT (SketchNode, residual, NUMBER, .label = N_ ("Residual"), .help = N_ ("Largest error of a relation.")),
  KG_OUTPUT (SketchNode, conflicts, TEXT, .label = N_ ("Conflicts"),
             .help = N_ ("Which relations contradict each other, if they cannot all be met.")),
  KG_OUTPUT (SketchNode, repeated, TEXT, .label = N_ ("Repeated"), .help = N_ ("Relations that follow from others.")),
};

KG_NODE (geometry, sketch, SketchNode, .label = N_ ("Sketch"), .version = 1, .since = "0.1",
         .tags = N_ ("constraint drawing sketchpad parallel perpendicular dimension linkage cad"),
         .source = "Sutherland, Sketchpad, 1963; Light and Gossard 1982",
         .help = N_ ("Corrects a drawing until its points meet relations: lines become horizontal, parallel or "
                     "equally long; lengths and angles get the typed values. Key a length or drag a point, and "
                     "the drawing moves like a linkage. Reports how much freedom is left, and which relations "
                     "contradict each other."));
