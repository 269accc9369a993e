/* rotation/decompose: what a rotation or a transform consists of.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "kg-node.h"
#include "rotation/orders.h"

typedef struct {
  KgTransform transform;
  int order;
  int frame;
  KgRotation rotation;
  KgVector axis;
  double angle;
  KgVector angles;
  bool locked;
  double scalar;
  KgVector vector;
  KgVector x_axis;
  KgVector y_axis;
  KgVector z_axis;
  KgVector translation;
  KgVector scale;
  KgVector shear;
} Decompose;

static bool
decompose_evaluate (Decompose *n, const KgContext *ctx, GError **error)
{
  KgTransform stretch;
  bool reflects;

  if (!conversion_from_matrix (&n->transform, &n->rotation, &stretch, &reflects)) {
    n->rotation = kg_rotation_identity ();
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the transform flattens space, so it has no rotation: use one whose scales are not 0");
    return false;
  }
  if (reflects)
    kg_context_warn (ctx, "the transform mirrors: the result is the rotation after mirroring all three axes");
  conversion_to_axis_angle (n->rotation, &n->axis, &n->angle);
  n->angles = conversion_to_euler (n->rotation, (EulerOrder) n->order, n->frame == ROTATION_MOVING, &n->locked);
  n->scalar = n->rotation.w;
  n->vector = kg_vector (n->rotation.x, n->rotation.y, n->rotation.z);
  n->x_axis = kg_rotation_apply (n->rotation, kg_vector (1, 0, 0));
  n->y_axis = kg_rotation_apply (n->rotation, kg_vector (0, 1, 0));
  n->z_axis = kg_rotation_apply (n->rotation, kg_vector (0, 0, 1));
  n->translation = kg_transform_get_place (&n->transform);
  n->scale = kg_vector (stretch.m[0][0], stretch.m[1][1], stretch.m[2][2]);
  n->shear = kg_vector (stretch.m[1][2], stretch.m[0][2], stretch.m[0][1]);
  return true;
}

static const KgSlot decompose_slots[] = {
  KG_INPUT (Decompose, transform, TRANSFORM, .label = N_ ("Transform"),
            .help = N_ ("Rotation or transform to decompose.")),
  KG_INPUT (Decompose, order, CHOICE, .label = N_ ("Order"), .choices = rotation_orders,
            .help = N_ ("Axes of the three angles, in the order in which they are applied.")),
  KG_INPUT (Decompose, frame, CHOICE, .label = N_ ("Axes"), .choices = rotation_frames,
            .help = N_ ("Whether each rotation also rotates the axes of the next one.")),
  KG_OUTPUT (Decompose, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Rotation alone.")),
  KG_OUTPUT (Decompose, axis, VECTOR, .label = N_ ("Axis"), .help = N_ ("Axis of the rotation, of length 1.")),
  KG_OUTPUT (Decompose, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the rotation about the axis: 0 to 180.")),
  KG_OUTPUT (Decompose, angles, VECTOR, .label = N_ ("Angles"), .unit = KG_DEGREES,
             .help = N_ ("Angles of the first, second and third rotation in this order.")),
  KG_OUTPUT (
      Decompose, locked, BOOLEAN, .label = N_ ("Gimbal lock"),
      .help = N_ (
          "Whether the first and third rotation have the same axis (gimbal lock), so that only the two angles together have a meaning.")),
  KG_OUTPUT (Decompose, scalar, NUMBER, .label = N_ ("w"),
             .help = N_ ("Scalar part of the quaternion; never negative.")),
  KG_OUTPUT (Decompose, vector, VECTOR, .label = N_ ("x, y, z"), .help = N_ ("Vector part of the quaternion.")),
  KG_OUTPUT (Decompose, x_axis, VECTOR, .label = N_ ("x points to"), .help = N_ ("Direction of the rotated x axis.")),
  KG_OUTPUT (Decompose, y_axis, VECTOR, .label = N_ ("y points to"), .help = N_ ("Direction of the rotated y axis.")),
  KG_OUTPUT (Decompose, z_axis, VECTOR, .label = N_ ("z points to"), .help = N_ ("Direction of the rotated z axis.")),
  KG_OUTPUT (Decompose, translation, VECTOR, .label = N_ ("Translation"), .unit = KG_METRES,
             .help = N_ ("Position to which the origin is moved.")),
  KG_OUTPUT (Decompose, scale, VECTOR, .label = N_ ("Scale"), .help = N_ ("Stretch along x, y and z.")),
  KG_OUTPUT (
      Decompose, shear, VECTOR, .label = N_ ("Shear"),
      .help = N_ (
          "Off-diagonal part of the stretch: between y and z, z and x, x and y. It is 0 for a stretch along x, y and z alone.")),
};

KG_NODE (
    rotation, decompose, Decompose, .label = N_ ("Decompose Rotation"), .version = 1, .since = "0.1",
    .tags = N_ ("euler angles axis quaternion matrix gimbal lock polar split transform convert"),
    .formula =
        "matrix of [s, (x, y, z)]:\n"
        "  1 − 2y² − 2z²   2xy − 2sz       2xz + 2sy\n"
        "  2xy + 2sz       1 − 2x² − 2z²   2yz − 2sx\n"
        "  2xz − 2sy       2yz + 2sx       1 − 2x² − 2y²\n"
        "inverse: the largest of s, x, y, z by its square root, the others from sums and differences of opposite elements\n"
        "transform: M = Q S, Q the nearest rotation, S symmetric (polar)",
    .source = "Shoemake, Animating Rotation with Quaternion Curves, 1985; "
              "Higham, Computing the Polar Decomposition, 1986; Parent, Computer Animation, B.3.4",
    .help = N_ (
        "Splits a rotation or a transform into axis and angle, angles in any order, the quaternion, the directions of the axes, and for a transform also its translation and stretch. If a transform scales or shears, the rotation is the one nearest to it."));
