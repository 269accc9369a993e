/* geometry/stretch_to_velocity: what is fast becomes long, and what speeds up or brakes becomes flat or long.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  KgGeometry *points;
  double amount;
  double acceleration_amount;
  KgVector acceleration;
  double most;
  bool keep_volume;
  KgGeometry *stretched;
} Stretch;

/* z along the velocity, y as far up as that allows. */
static KgRotation
stretch_get_rotation (KgVector z)
{
  const KgVector up = fabs (z.y) < 0.999 ? kg_vector (0, 1, 0) : kg_vector (0, 0, 1);
  const KgVector x = kg_vector_normalize_or (kg_vector_cross (up, z), kg_vector (1, 0, 0));
  const KgVector y = kg_vector_cross (z, x);
  KgTransform t = kg_transform_identity ();

  for (size_t c = 0; c < 3; c++) {
    t.m[c][0] = kg_vector_get (x, c);
    t.m[c][1] = kg_vector_get (y, c);
    t.m[c][2] = kg_vector_get (z, c);
  }
  return kg_rotation_from_transform (t);
}

/* Length : width of a point that moves along z. */
static double
stretch_get_ratio (const Stretch *n, double speed, KgVector z, KgVector acceleration)
{
  if (n->acceleration_amount == 0)
    return kg_clamp (1 + n->amount * speed, 1, n->most);
  return kg_clamp (1 + n->amount * speed - n->acceleration_amount * kg_vector_dot (acceleration, z), 1 / n->most,
                   n->most);
}

static bool
stretch_to_velocity_evaluate (Stretch *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->points);
  const float *v, *acceleration;
  float *orient, *scale;
  bool fresh;

  (void) error;
  kg_geometry_make_writable (&n->points);
  fresh = kg_geometry_get_float (n->points, KG_POINTS, "orient", 4) == NULL;
  orient = kg_geometry_edit_float (n->points, KG_POINTS, "orient", 4);
  scale = kg_geometry_edit_float (n->points, KG_POINTS, "scale", 3);
  v = kg_geometry_get_float (n->points, KG_POINTS, "v", 3);
  acceleration = kg_geometry_get_float (n->points, KG_POINTS, "acceleration", 3);
  if (v == NULL && count > 0)
    kg_context_warn (ctx, "the points have no attribute v: nothing is stretched; link particles");
#pragma omp parallel for schedule(dynamic, 4096)
  for (size_t i = 0; i < count; i++) {
    const KgVector velocity = v != NULL ? kg_floats_get_vector (v, i) : kg_vector (0, 0, 0);
    const KgVector a = acceleration != NULL ? kg_floats_get_vector (acceleration, i) : n->acceleration;
    const double speed = kg_vector_length (velocity);
    const KgVector z = speed > 0 ? kg_vector_scale (velocity, 1 / speed) : kg_vector (0, 0, 0);
    const double q = stretch_get_ratio (n, speed, z, a);
    const double across = n->keep_volume ? 1 / cbrt (q) : 1, along = n->keep_volume ? cbrt (q) * cbrt (q) : q;

    if (speed > 0 || fresh) {
      const KgRotation turn = speed > 0 ? stretch_get_rotation (z) : kg_rotation_identity ();

      kg_floats_set_rotation (orient, i, turn);
    }
    scale[3 * i] = scale[3 * i + 1] = (float) across;
    scale[3 * i + 2] = (float) along;
  }
  n->stretched = g_steal_pointer (&n->points);
  return true;
}

static const KgSlot stretch_to_velocity_slots[] = {
  KG_INPUT (Stretch, points, GEOMETRY, .label = N_ ("Points"), .help = N_ ("Points with v, such as particles.")),
  KG_INPUT (Stretch, amount, NUMBER, .label = N_ ("Amount"), .def = 0.1, .min = 0, .max = 1e6, .soft_max = 1,
            .help = N_ ("How much the ratio of length to width of a copy grows for each metre per second.")),
  KG_INPUT (
      Stretch, acceleration_amount, NUMBER, .label = N_ ("Acceleration amount"), .min = -1e6, .max = 1e6,
      .soft_min = -1, .soft_max = 1,
      .help = N_ (
          "How much shorter copies become per metre per second squared of acceleration along their path, and longer "
          "where they brake. Negative: the reverse.")),
  KG_INPUT (Stretch, acceleration, VECTOR, .shown_when = "acceleration_amount!=0", .label = N_ ("Acceleration"),
            .unit = KG_METRES_PER_SECOND2, .def_v = { 0, -9.81, 0 },
            .help = N_ ("Acceleration of all points, such as gravity. An attribute acceleration of the points is used "
                        "instead where there is one.")),
  KG_INPUT (Stretch, most, NUMBER, .label = N_ ("Maximum"), .def = 4, .min = 1, .max = 1e6, .soft_max = 20,
            .help = N_ ("Largest ratio of length to width and, where points accelerate, of width to length.")),
  KG_INPUT (Stretch, keep_volume, BOOLEAN, .label = N_ ("Keep volume"), .def = 1,
            .help = N_ ("Makes copies thinner as they get longer. Otherwise they only get longer.")),
  KG_OUTPUT (Stretch, stretched, GEOMETRY, .label = N_ ("Points"),
             .help = N_ ("The points with orient, whose z is along v, and scale, for Copy to Points.")),
};

KG_NODE (
    geometry, stretch_to_velocity, Stretch, .label = N_ ("Stretch to Velocity"), .version = 1, .since = "0.1",
    .tags = N_ ("squash elongate ellipsoid speed particles streak smear"),
    .formula = "q = clamp(1 + k |v|, 1, q_max); length r q^(2/3), width r q^(-1/3)\n"
               "with acceleration a: q = clamp(1 + k |v| - k_a (a·v)/|v|, 1/q_max, q_max)",
    .source = "Parent, Computer Animation, 4.5 and 4.6",
    .help = N_ (
        "Stretches what Copy to Points will place, and soft keys made from the points: the faster a point moves, the "
        "longer its copy becomes along its path, like drops and sparks. Copies at slow points are unchanged. "
        "Acceleration along the path can flatten copies."));
