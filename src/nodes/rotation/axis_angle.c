/* rotation/axis_angle: between two axes with their angles.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/vectors.h"
#include "kg-node.h"

typedef struct {
  KgVector axis_a;
  double angle_a;
  KgVector axis_b;
  double angle_b;
  double t;
  bool align;
  KgRotation rotation;
  KgVector axis;
  double angle;
  double turns;
} AxisAngle;

/* A rotation by 0 takes the axis of the other; a zero axis rotates nothing. */
static void
axis_angle_complete (AxisAngle *n, const KgContext *ctx, KgVector *a, KgVector *b)
{
  const bool has_a = vectors_normalize (n->axis_a, a), has_b = vectors_normalize (n->axis_b, b);

  if ((!has_a && n->angle_a != 0) || (!has_b && n->angle_b != 0))
    kg_context_warn (ctx, "the axis %s is zero: it rotates nothing; set a direction", has_a ? "b" : "a");
  if (!has_a)
    n->angle_a = 0;
  if (!has_b)
    n->angle_b = 0;
  if (!has_a && !has_b)
    *a = *b = kg_vector (1, 0, 0);
  else if (!has_a || (has_b && n->angle_a == 0))
    *a = *b;
  else if (!has_b || n->angle_b == 0)
    *b = *a;
}

static bool
axis_angle_evaluate (AxisAngle *n, const KgContext *ctx, GError **error)
{
  KgVector a, b, across;
  double between;

  (void) error;
  axis_angle_complete (n, ctx, &a, &b);
  /* The opposite axis with the opposite angle is the same rotation. */
  if (n->align && kg_vector_dot (a, b) < 0) {
    b = kg_vector_scale (b, -1);
    n->angle_b = -n->angle_b;
  }
  between = vectors_get_angle (a, b);
  across = kg_vector_cross (a, b);
  if (between > KG_PI - 1e-9) {
    kg_context_warn (ctx, "the axes are opposite: there are many paths from one to the other, and one of them is used");
    across = kg_vector_perpendicular (a);
  }
  n->axis = kg_rotation_apply (kg_rotation_from_axis_angle (across, n->t * between), a);
  n->axis = kg_vector_normalize_or (n->axis, a);
  n->angle = kg_lerp (n->angle_a, n->angle_b, n->t);
  n->turns = n->angle / (2 * KG_PI);
  n->rotation = kg_rotation_from_axis_angle (n->axis, n->angle);
  return true;
}

static const KgSlot axis_angle_slots[] = {
  KG_INPUT (AxisAngle, axis_a, VECTOR, .label = N_ ("Axis a"), .def_v = { 0, 1, 0 },
            .help = N_ ("Axis of the first rotation.")),
  KG_INPUT (
      AxisAngle, angle_a, NUMBER, .label = N_ ("Angle a"), .unit = KG_DEGREES, .soft_min = -720, .soft_max = 720,
      .help = N_ ("Its angle, of any sign and with any number of turns. At 0 nothing is rotated, and its axis is that "
                  "of the other one.")),
  KG_INPUT (AxisAngle, axis_b, VECTOR, .label = N_ ("Axis b"), .def_v = { 0, 1, 0 },
            .help = N_ ("Axis of the second rotation.")),
  KG_INPUT (AxisAngle, angle_b, NUMBER, .label = N_ ("Angle b"), .unit = KG_DEGREES, .def = 90, .soft_min = -720,
            .soft_max = 720, .help = N_ ("Its angle. At 0 its axis is that of the first one.")),
  KG_INPUT (
      AxisAngle, t, NUMBER, .label = N_ ("Between"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ ("0 for the first, 1 for the second. Without a link it runs once over the frame range of the graph.")),
  KG_INPUT (
      AxisAngle, align, BOOLEAN, .label = N_ ("Align axes"),
      .help = N_ (
          "If the axes point away from each other, reverses the second axis together with its angle, which gives the same rotation: the axis then moves by 90° at most.")),
  KG_OUTPUT (AxisAngle, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("The rotation between the two.")),
  KG_OUTPUT (AxisAngle, axis, VECTOR, .label = N_ ("Axis"),
             .help = N_ ("Axis of the rotation between the two, of length 1.")),
  KG_OUTPUT (AxisAngle, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the rotation between the two, with the sign and the turns of the given angles.")),
  KG_OUTPUT (AxisAngle, turns, NUMBER, .label = N_ ("Turns"), .help = N_ ("The angle in turns.")),
};

KG_NODE (rotation, axis_angle, AxisAngle, .label = N_ ("Axis and Angle"), .version = 1, .since = "0.1",
         .tags = N_ ("rotation interpolate spin turns axis angle winding"),
         .formula = "φ = angle from a to b; axis = a rotated about a × b by t φ; angle = (1 − t) θa + t θb",
         .source = "Parent, Computer Animation, 2.2.3",
         .help = N_ (
             "Interpolates from one axis and angle to another: the axis swings along the shortest path while the angle "
             "runs through as many turns as lie between them. Quaternions, which ignore full turns, cannot do that."));
