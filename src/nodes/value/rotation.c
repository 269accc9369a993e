/* value/rotation: a rotation from angles or from an axis.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector angles;
  KgVector axis;
  double angle;
  KgRotation rotation;
  KgTransform transform;
} Rotation;

static bool
rotation_evaluate (Rotation *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->rotation =
      kg_rotation_multiply (kg_rotation_from_axis_angle (n->axis, n->angle), kg_rotation_from_angles (n->angles));
  n->transform = kg_transform_from_parts (kg_vector (0, 0, 0), n->rotation, kg_vector (1, 1, 1));
  return true;
}

static const KgSlot rotation_slots[] = {
  KG_INPUT (Rotation, angles, VECTOR, .label = N_ ("Angles"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("About x, then y, then z.")),
  KG_INPUT (Rotation, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 0, 1 }, .help = N_ ("Of a further turn.")),
  KG_INPUT (Rotation, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Of this turn.")),
  KG_OUTPUT (Rotation, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("As a quaternion.")),
  KG_OUTPUT (Rotation, transform, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("As a transform.")),
};

KG_NODE (value, rotation, Rotation, .label = N_ ("Rotation"), .version = 1, .since = "0.1",
         .tags = N_ ("quaternion angle axis euler turn orientation"),
         .help = N_ ("Makes a rotation from three angles, from an axis and an angle, or from both in this order."));
