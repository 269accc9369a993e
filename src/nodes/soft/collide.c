/* soft/collide: points tested against a body that a field stands for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "soft/number_field.h"
#include "soft/soft_contact.h"

typedef struct {
  const KgGeometry *samples;
  const KgField *field;
  double margin;
  bool exact;
  bool move;
  KgGeometry *geometry;
  bool hit;
  int64_t count;
  double deepest;
  KgVector at;
} Collide;

static bool
collide_evaluate (Collide *n, const KgContext *ctx, GError **error)
{
  const size_t n_points = kg_geometry_get_n_points (n->samples);
  g_autofree float *places = g_memdup2 (kg_geometry_get_positions (n->samples), 3 * n_points * sizeof (float));
  float *depths, *normals, *p;
  int32_t *hits;
  size_t deepest = 0;

  if (!soft_check_numbers (n->field, error))
    return false;
  n->geometry = kg_geometry_ref (n->samples);
  kg_geometry_make_writable (&n->geometry);
  depths = kg_geometry_edit_float (n->geometry, KG_POINTS, "depth", 1);
  normals = kg_geometry_edit_float (n->geometry, KG_POINTS, "N", 3);
  hits = kg_geometry_edit_int (n->geometry, KG_POINTS, "hit", 1);
  p = kg_geometry_edit_positions (n->geometry);
  soft_contact_probe (n->field, places, n_points, ctx->time, n->exact, depths, normals);
  for (size_t i = 0; i < n_points; i++) {
    hits[i] = (double) depths[i] > -n->margin;
    n->count += hits[i];
    if (depths[i] > depths[deepest])
      deepest = i;
    for (size_t c = 0; n->move && hits[i] && c < 3; c++)
      p[3 * i + c] += (float) ((double) normals[3 * i + c] * ((double) depths[i] + n->margin));
  }
  n->hit = n->count > 0;
  if (n_points > 0) {
    n->deepest = (double) depths[deepest];
    n->at = kg_floats_get_vector (places, deepest);
  }
  return true;
}

static const KgSlot collide_slots[] = {
  KG_INPUT (Collide, samples, GEOMETRY, .label = N_ ("Samples"),
            .help = N_ ("Geometry whose points are tested, such as the skin of another body. Shallow overlaps between "
                        "points are missed: test both bodies against each other.")),
  KG_INPUT (Collide, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field of numbers that represents the body.")),
  KG_INPUT (Collide, margin, NUMBER, .label = N_ ("Margin"), .unit = KG_METRES, .min = 0, .max = 1e5, .soft_max = 1,
            .help = N_ ("Points closer to the body than this are hit as well.")),
  KG_INPUT (Collide, exact, BOOLEAN, .label = N_ ("Exact"), .def = 1,
            .help = N_ ("Follows the normal to the surface. Otherwise the depth is estimated from the slope of the "
                        "field, which is faster.")),
  KG_INPUT (Collide, move, BOOLEAN, .label = N_ ("Move out"),
            .help = N_ ("Moves points that are hit out along the normal, to the surface or to the margin.")),
  KG_OUTPUT (Collide, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The samples. Points have depth (metres, negative outside), N (out of the body) and hit (0 or "
                         "1).")),
  KG_OUTPUT (Collide, hit, BOOLEAN, .label = N_ ("Hit"), .help = N_ ("Whether any point is within the body.")),
  KG_OUTPUT (Collide, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of points that are hit.")),
  KG_OUTPUT (Collide, deepest, NUMBER, .label = N_ ("Deepest"),
             .help = N_ ("Depth of the point that is deepest inside, in metres; negative where none is inside.")),
  KG_OUTPUT (Collide, at, VECTOR, .label = N_ ("Place"), .unit = KG_METRES, .help = N_ ("Position of that point.")),
};

KG_NODE (
    soft, collide, Collide, .label = N_ ("Collide with Field"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("soft object collision test penetration depth inside implicit"),
    .formula = "depth ≈ (F − level) / |∇F|",
    .source = "Parent, Computer Animation, 4.8 (implicit surfaces); Gascuel 1993",
    .help =
        N_ ("Tests points against a body that is given as a field: which are inside, how deep, and which way is out."));
