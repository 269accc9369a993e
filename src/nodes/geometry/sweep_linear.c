/* geometry/sweep_linear: what a body passes over when it moves straight.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/linear_sweep.h"
#include "geometry/point_cloud.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *body;
  KgVector move;
  int method;
  KgGeometry *geometry;
  KgGeometry *outline;
  double volume;
  double area;
  bool convex;
} SweepLinear;

enum { METHOD_FACES, METHOD_HULL, N_METHODS };

static const KgChoice sweep_linear_methods[] = {
  [METHOD_FACES] = { "faces", N_ ("Faces and extruded edges") },
  [METHOD_HULL] = { "hull", N_ ("Convex hull of both positions") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (sweep_linear_methods, N_METHODS);

/* Around the points of both places. */
static bool
sweep_linear_wrap (SweepLinear *n, const KgProgressMonitor *monitor, GError **error)
{
  const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
  g_auto (ConvexHull) hull = { 0 };
  g_autofree KgVector *points = NULL, *both = NULL;
  size_t count;

  points = point_cloud_get_points (n->body, NULL, &count, NULL, error);
  if (points == NULL)
    return false;
  both = g_new (KgVector, MAX (2 * count, 1));
  for (size_t i = 0; i < count; i++) {
    both[i] = points[i];
    both[count + i] = kg_vector_add (points[i], n->move);
  }
  if (!convex_hull_find (&hull, both, 2 * count, &options, monitor, error))
    return false;
  n->convex = true;
  n->volume = convex_hull_get_volume (&hull);
  n->geometry = point_cloud_make_hull (&hull, NULL, error);
  if (n->geometry != NULL)
    kg_geometry_remove_attribute (n->geometry, KG_POINTS, "source");
  return n->geometry != NULL;
}

static bool
sweep_linear_evaluate (SweepLinear *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  LinearSweep sweep;

  if (n->method == METHOD_HULL)
    return sweep_linear_wrap (n, &monitor, error);
  n->geometry = linear_sweep_new (n->body, n->move, &n->outline, &sweep, &monitor, error);
  if (n->geometry == NULL)
    return false;
  n->volume = sweep.volume;
  n->area = sweep.area;
  n->convex = sweep.convex;
  if (!sweep.convex && kg_vector_length (n->move) > 0)
    kg_context_warn (ctx, "the body has dents, so what it passes over may overlap itself: use its hull, or leave it if "
                          "the overlap does not matter");
  return true;
}

static const KgSlot sweep_linear_slots[] = {
  KG_INPUT (SweepLinear, body, GEOMETRY, .label = N_ ("Body"), .help = N_ ("A closed mesh.")),
  KG_INPUT (SweepLinear, move, VECTOR, .label = N_ ("Move"), .unit = KG_METRES, .def_v = { 2, 0, 0 },
            .handle = { KG_HANDLE_NONE }, .help = N_ ("How far it moves, without rotation.")),
  KG_INPUT (SweepLinear, method, CHOICE, .label = N_ ("Method"), .choices = sweep_linear_methods,
            .help = N_ ("Both are the same, and exact, for convex bodies.")),
  KG_OUTPUT (SweepLinear, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The swept volume as a closed mesh.")),
  KG_OUTPUT (SweepLinear, outline, GEOMETRY, .label = N_ ("Outline"),
             .help = N_ ("The edges of these faces that are extruded: the outline as seen along the move.")),
  KG_OUTPUT (SweepLinear, volume, NUMBER, .label = N_ ("Volume"),
             .help = N_ ("Volume of the body plus area times distance, in m³; overlaps count twice.")),
  KG_OUTPUT (SweepLinear, area, NUMBER, .label = N_ ("Area"),
             .help = N_ ("Area of the faces that point along the move, as seen along it, in m²; 0 with the hull.")),
  KG_OUTPUT (SweepLinear, convex, BOOLEAN, .label = N_ ("Convex"),
             .help = N_ ("Whether the body has no dents, so that the result is exact.")),
};

KG_NODE (
    geometry, sweep_linear, SweepLinear, .label = N_ ("Sweep Along a Line"), .version = 1, .since = "0.1",
    .tags = N_ ("swept volume extrude motion collision path clearance move minkowski"),
    .formula = "volume = V + |d| A, A the area seen along d", .source = "Parent, Computer Animation, 4.5",
    .help = N_ (
        "Makes the volume that a body passes over while it moves in a straight line: whatever it meets on the way is "
        "inside. Test it with Collide."));
