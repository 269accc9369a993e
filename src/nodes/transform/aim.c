/* transform/aim: turns a thing so that its nose, which is along z, points to a place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgVector from;
  KgVector to;
  KgVector up;
  int method;
  double roll;
  KgTransform transform;
  KgRotation rotation;
  double pitch;
  double yaw;
  double distance;
} Aim;

enum { METHOD_PITCH_YAW, METHOD_COSINES, N_METHODS };

/* A share of the distance: less than this beside the up direction is straight up or down. */
#define UPRIGHT 1e-12

static const KgChoice aim_methods[] = {
  [METHOD_PITCH_YAW] = { "pitch-yaw", N_ ("Pitch, then yaw") },
  [METHOD_COSINES] = { "direction-cosines", N_ ("Direction cosines: axes as columns") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (aim_methods, N_METHODS);

/* The direction of a and its length, of any finite a. */
static KgVector
aim_get_direction (KgVector a, double *length)
{
  const double size = kg_vector_get_largest (a);
  const KgVector scaled = size > 0 ? kg_vector (a.x / size, a.y / size, a.z / size) : kg_vector (0, 0, 0);

  *length = size * kg_vector_length (scaled);
  return kg_vector_normalize_or (scaled, kg_vector (0, 0, 0));
}

/* Sines and cosines without angles, of the direction d as seen with up along y. */
static KgTransform
aim_by_angles (Aim *n, KgVector d)
{
  const double horizontal = hypot (d.x, d.z);
  const bool upright = !(horizontal > UPRIGHT);
  const double sin_pitch = upright ? -copysign (1, d.y) : -d.y, cos_pitch = upright ? 0 : horizontal;
  const double sin_yaw = upright ? 0 : d.x / horizontal, cos_yaw = upright ? 1 : d.z / horizontal;

  n->pitch = atan2 (sin_pitch, cos_pitch);
  n->yaw = atan2 (sin_yaw, cos_yaw);
  return (KgTransform){ { { cos_yaw, sin_yaw * sin_pitch, sin_yaw * cos_pitch, 0 },
                          { 0, cos_pitch, -sin_pitch, 0 },
                          { -sin_yaw, cos_yaw * sin_pitch, cos_yaw * cos_pitch, 0 },
                          { 0, 0, 0, 1 } } };
}

/* z to the target, x across it and up, y what is left: the rule for straight up is that of a yaw of 0. */
static KgTransform
aim_by_cosines (KgVector d, KgVector up, KgVector across)
{
  const KgVector side = kg_vector_cross (up, d);
  const KgVector x = kg_vector_length (side) > UPRIGHT ? kg_vector_normalize_or (side, across) : across;
  KgTransform axes = kg_transform_identity ();

  kg_transform_set_column (&axes, 0, x);
  kg_transform_set_column (&axes, 1, kg_vector_cross (d, x));
  kg_transform_set_column (&axes, 2, d);
  return axes;
}

static bool
aim_evaluate (Aim *n, const KgContext *ctx, GError **error)
{
  const KgVector half = kg_vector_subtract (kg_vector_scale (n->to, 0.5), kg_vector_scale (n->from, 0.5)),
                 y = { 0, 1, 0 };
  const KgVector none = { 0, 0, 0 }, one = { 1, 1, 1 };
  double length, up_length;
  KgVector direction = aim_get_direction (half, &length), up = aim_get_direction (n->up, &up_length), seen;
  KgRotation frame, roll;
  KgTransform axes;

  (void) error;
  n->rotation = kg_rotation_identity ();
  n->distance = 2 * length;
  if (!(up_length > 0)) {
    kg_context_warn (ctx, "up is 0 0 0, which has no direction: y is used; give it a direction");
    up = y;
  }
  n->transform = kg_transform_from_parts (n->from, n->rotation, one);
  if (!(length > 0)) {
    kg_context_warn (ctx,
                     "from and to are the same point, so there is no direction: nothing is rotated; move one of them");
    return true;
  }
  frame = kg_rotation_between (y, up);
  seen = kg_rotation_apply (kg_rotation_conjugate (frame), direction);
  axes = aim_by_angles (n, seen);
  if (!(hypot (seen.x, seen.z) > UPRIGHT))
    kg_context_warn (
        ctx,
        "the target is exactly along up, so the yaw is undefined: 0 is used; choose another up, or move the target to the side");
  axes = n->method == METHOD_COSINES ? aim_by_cosines (direction, up, kg_rotation_apply (frame, kg_vector (1, 0, 0)))
                                     : kg_transform_multiply (kg_transform_from_parts (none, frame, one), axes);
  roll = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), n->roll);
  n->transform = kg_transform_multiply (axes, kg_transform_from_parts (none, roll, one));
  n->rotation = kg_rotation_from_transform (n->transform);
  kg_transform_set_place (&n->transform, n->from);
  return true;
}

static const KgSlot aim_slots[] = {
  KG_INPUT (Aim, from, VECTOR, .label = N_ ("From"), .unit = KG_METRES, .help = N_ ("Position of the object to aim.")),
  KG_INPUT (Aim, to, VECTOR, .label = N_ ("To"), .unit = KG_METRES, .def_v = { 0, 0, 1 },
            .help = N_ ("Point that the z axis points to.")),
  KG_INPUT (
      Aim, up, VECTOR, .label = N_ ("Up"), .def_v = { 0, 1, 0 },
      .help = N_ ("Direction that the y axis follows as closely as possible; the x axis stays perpendicular to it.")),
  KG_INPUT (
      Aim, method, CHOICE, .label = N_ ("Method"), .choices = aim_methods,
      .help = N_ (
          "Both give the same result: one by two rotations, the other by the three axes as columns of the matrix.")),
  KG_INPUT (Aim, roll, NUMBER, .label = N_ ("Roll"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Rotation about the z axis, before aiming.")),
  KG_OUTPUT (Aim, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Position and rotation as one transform.")),
  KG_OUTPUT (Aim, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Rotation alone.")),
  KG_OUTPUT (Aim, pitch, NUMBER, .label = N_ ("Pitch"), .unit = KG_DEGREES,
             .help = N_ ("Angle about x, applied first: positive lowers the z axis.")),
  KG_OUTPUT (Aim, yaw, NUMBER, .label = N_ ("Yaw"), .unit = KG_DEGREES,
             .help = N_ ("Angle about up, applied second: from z to x.")),
  KG_OUTPUT (Aim, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES,
             .help = N_ ("Distance to the target.")),
};

KG_NODE (
    transform, aim, Aim, .label = N_ ("Aim"), .version = 1, .since = "0.1",
    .tags = N_ ("look at point towards orient pitch yaw roll direction cosines follow target"),
    .help = N_ (
        "Positions an object and rotates it so that its z axis points to a target and its y axis points up as far as possible."));
