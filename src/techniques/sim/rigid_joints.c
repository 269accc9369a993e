/* rigid_joints: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_joints.h"

#include "kg-error.h"

static KgVector
to_body (const RigidMotion *motion, KgVector place)
{
  return kg_rotation_apply (kg_rotation_conjugate (motion->turn), kg_vector_subtract (place, motion->place));
}

void
rigid_joint_init (RigidJoint *joint, RigidJointKind kind, guint row, uint32_t a, const RigidMotion *at_a, uint32_t b,
                  const RigidMotion *at_b, KgVector place, KgVector axis)
{
  const KgRotation frame = kg_rotation_between (kg_vector (0, 0, 1), axis);

  *joint = (RigidJoint){ .kind = kind,
                         .row = row,
                         .a = a,
                         .b = b,
                         .pin_a = to_body (at_a, place),
                         .pin_b = to_body (at_b, place),
                         .frame_a = kg_rotation_multiply (kg_rotation_conjugate (at_a->turn), frame),
                         .frame_b = kg_rotation_multiply (kg_rotation_conjugate (at_b->turn), frame) };
}

void
rigid_joint_init_rod (RigidJoint *joint, guint row, uint32_t a, const RigidMotion *at_a, uint32_t b,
                      const RigidMotion *at_b, KgVector place_a, KgVector place_b)
{
  rigid_joint_init (joint, RIGID_ROD, row, a, at_a, b, at_b, place_a, kg_vector (0, 0, 1));
  joint->pin_b = to_body (at_b, place_b);
  joint->length = kg_vector_distance (place_a, place_b);
}

/* Places that are nearer to the axis of a wheel than this share of their distance are on it. */
#define ON_AXIS 1e-6

/* The axes of a wheel: z along its axis, x towards the other wheel where that is not along the axis. */
static KgRotation
get_wheel (KgVector axis, KgVector way)
{
  const KgRotation upright = kg_rotation_between (kg_vector (0, 0, 1), axis);
  const KgVector x = kg_rotation_apply (upright, kg_vector (1, 0, 0)), z = kg_vector_normalize_or (axis, x);
  const KgVector across = kg_vector_cross (z, way);
  const double angle = atan2 (kg_vector_dot (kg_vector_cross (x, way), z), kg_vector_dot (x, way));

  return kg_vector_length (across) > ON_AXIS * kg_vector_length (way)
             ? kg_rotation_multiply (kg_rotation_from_axis_angle (z, angle), upright)
             : upright;
}

/* Slides both places along their axes until the line between them is at a right angle to ratio z_a - z_b, as it is between wheels
 * that mesh: then it swings as their carrier does, see add_gear (). */
static void
mesh (KgVector *place_a, KgVector axis_a, KgVector *place_b, KgVector axis_b, double ratio)
{
  const KgVector m = kg_vector_add_scaled (kg_vector_scale (axis_b, -1), ratio, axis_a);
  const double a = kg_vector_dot (axis_a, m), b = kg_vector_dot (axis_b, m), square = a * a + b * b,
               off = kg_vector_dot (kg_vector_subtract (*place_b, *place_a), m);

  if (!(square > 1e-12 * (1 + ratio * ratio)))
    return;
  *place_a = kg_vector_add_scaled (*place_a, off * a / square, axis_a);
  *place_b = kg_vector_add_scaled (*place_b, -off * b / square, axis_b);
}

void
rigid_joint_init_gear (RigidJoint *joint, guint row, uint32_t a, const RigidMotion *at_a, KgVector place_a,
                       KgVector axis_a, uint32_t b, const RigidMotion *at_b, KgVector place_b, KgVector axis_b,
                       double ratio)
{
  const KgVector z_a = kg_vector_normalize_or (axis_a, kg_vector (0, 0, 1)),
                 z_b = kg_vector_normalize_or (axis_b, kg_vector (0, 0, 1));
  KgVector way;
  double least;

  mesh (&place_a, z_a, &place_b, z_b, ratio);
  way = kg_vector_subtract (place_b, place_a);
  least = ON_AXIS * kg_vector_length (way);
  rigid_joint_init (joint, RIGID_GEAR, row, a, at_a, b, at_b, place_a, z_a);
  joint->pin_b = to_body (at_b, place_b);
  joint->frame_a = kg_rotation_multiply (kg_rotation_conjugate (at_a->turn), get_wheel (z_a, way));
  joint->frame_b = kg_rotation_multiply (kg_rotation_conjugate (at_b->turn), get_wheel (z_b, way));
  if (kg_vector_length (kg_vector_cross (z_a, way)) > least && kg_vector_length (kg_vector_cross (z_b, way)) > least)
    joint->length = kg_vector_length (way);
}

/* A joint during a step. */
typedef struct {
  RigidJoint *joint;
  double h, bias;
  KgVector at_a, at_b;         /* of the pins, in the world */
  KgVector arm_a, arm_b;       /* to them from the centres */
  KgRotation frame_a, frame_b; /* in the world */
  KgVector axes[3];            /* of frame_a */
  GArray *equal, *limited;
} Joining;

static void
add_equal (const Joining *joining, RigidRow row, double error)
{
  row.wanted = -joining->bias * error / joining->h;
  g_array_append_val (joining->equal, row);
}

/* A row that keeps a gap from closing. */
static void
add_limit (const Joining *joining, RigidRow row, double gap, int slot)
{
  row.low = -joining->joint->spent[slot];
  row.slot = slot;
  row.wanted = gap > 0 ? -gap / joining->h : -joining->bias * gap / joining->h;
  row.kept = gap > 0 ? -gap / joining->h : 0;
  g_array_append_val (joining->limited, row);
}

static void
add_point (const Joining *joining)
{
  const RigidJoint *joint = joining->joint;
  const KgVector error = kg_vector_subtract (joining->at_a, joining->at_b);

  for (int i = 0; i < 3; i++)
    add_equal (joining, rigid_row_along (joint->a, joint->b, joining->axes[i], joining->arm_a, joining->arm_b),
               kg_vector_dot (error, joining->axes[i]));
  joining->joint->gap = kg_vector_length (error);
}

/* The rotation vector from frame a to frame b. */
static KgVector
get_turn (const Joining *joining)
{
  KgRotation q = kg_rotation_multiply (joining->frame_b, kg_rotation_conjugate (joining->frame_a));
  KgVector v = { q.x, q.y, q.z };
  double length;

  if (q.w < 0) {
    q.w = -q.w;
    v = kg_vector_scale (v, -1);
  }
  length = kg_vector_length (v);
  return length > 0 ? kg_vector_scale (v, 2 * atan2 (length, q.w) / length) : v;
}

static void
add_turn (const Joining *joining)
{
  const KgVector turn = get_turn (joining);

  for (int i = 0; i < 3; i++)
    add_equal (joining, rigid_row_about (joining->joint->a, joining->joint->b, joining->axes[i]),
               -kg_vector_dot (turn, joining->axes[i]));
}

/* A motor or a spring: row.velocity is that of value. */
static void
add_drive (const Joining *joining, RigidRow row, double value, double target, double speed)
{
  const RigidJointSettings *s = &joining->joint->settings;
  const double k = isnan (target) ? 0 : s->stiffness, c = s->damping, h = joining->h;

  if (isnan (target) && isnan (speed))
    return;
  if (c + h * k > 0) {
    row.softness = 1 / (h * (c + h * k));
    row.wanted = (c * (isnan (speed) ? 0 : speed) - k * (isnan (target) ? 0 : value - target)) / (c + h * k);
  } else if (!isnan (speed))
    row.wanted = speed;
  else
    return;
  row.kept = row.wanted;
  if (isnan (s->force)) {
    g_array_append_val (joining->equal, row);
    return;
  }
  row.slot = 2;
  row.low = -s->force * h - joining->joint->spent[2];
  row.high = s->force * h - joining->joint->spent[2];
  g_array_append_val (joining->limited, row);
}

static void
add_limits_and_motor (const Joining *joining, RigidRow up, RigidRow down)
{
  RigidJoint *joint = joining->joint;
  const RigidJointSettings *s = &joint->settings;

  if (!isnan (s->low) && !isnan (s->high) && s->low == s->high)
    add_equal (joining, up, joint->angle - s->low);
  else {
    if (!isnan (s->low))
      add_limit (joining, up, joint->angle - s->low, 0);
    if (!isnan (s->high))
      add_limit (joining, down, s->high - joint->angle, 1);
  }
  add_drive (joining, up, joint->angle, s->target, s->speed);
}

/* The nearest to an angle of all that look the same. */
static double
find_turn (double angle, double near)
{
  return angle + 2 * KG_PI * nearbyint ((near - angle) / (2 * KG_PI));
}

static void
add_hinge (const Joining *joining)
{
  RigidJoint *joint = joining->joint;
  const KgVector z_b = kg_rotation_apply (joining->frame_b, kg_vector (0, 0, 1)),
                 x_b = kg_rotation_apply (joining->frame_b, kg_vector (1, 0, 0)), z = joining->axes[2];
  const KgVector error = kg_vector_cross (z, z_b);
  const double angle =
      atan2 (kg_vector_dot (kg_vector_cross (joining->axes[0], x_b), z), kg_vector_dot (joining->axes[0], x_b));

  add_point (joining);
  for (int i = 0; i < 2; i++)
    add_equal (joining, rigid_row_about (joint->a, joint->b, joining->axes[i]),
               -kg_vector_dot (error, joining->axes[i]));
  joint->angle = find_turn (angle, joint->angle);
  add_limits_and_motor (joining, rigid_row_about (joint->b, joint->a, z), rigid_row_about (joint->a, joint->b, z));
}

static void
add_slider (const Joining *joining)
{
  RigidJoint *joint = joining->joint;
  const KgVector way = kg_vector_subtract (joining->at_b, joining->at_a), z = joining->axes[2];
  /* Axes go with a: it is moved where b is pinned. */
  const KgVector arm = kg_vector_add (joining->arm_a, way);

  for (int i = 0; i < 2; i++)
    add_equal (joining, rigid_row_along (joint->a, joint->b, joining->axes[i], arm, joining->arm_b),
               -kg_vector_dot (way, joining->axes[i]));
  add_turn (joining);
  joint->angle = kg_vector_dot (way, z);
  joint->gap = kg_vector_length (kg_vector_add_scaled (way, -joint->angle, z));
  add_limits_and_motor (joining, rigid_row_along (joint->b, joint->a, z, joining->arm_b, arm),
                        rigid_row_along (joint->a, joint->b, z, arm, joining->arm_b));
}

static void
add_rod (const Joining *joining)
{
  RigidJoint *joint = joining->joint;
  const RigidJointSettings *s = &joint->settings;
  const KgVector way = kg_vector_subtract (joining->at_a, joining->at_b);
  const double length = kg_vector_length (way), rest = isnan (s->length) ? joint->length : s->length;
  const KgVector n = kg_vector_normalize_or (way, kg_vector (0, 1, 0));
  const RigidRow row = rigid_row_along (joint->a, joint->b, n, joining->arm_a, joining->arm_b);

  joint->angle = length;
  joint->gap = 0;
  if (s->rope && length < rest && (s->stiffness > 0 || s->damping > 0))
    return;
  if (s->stiffness > 0 || s->damping > 0)
    add_drive (joining, row, length, s->stiffness > 0 ? rest : NAN, 0);
  else if (s->rope) {
    add_limit (joining, rigid_row_along (joint->b, joint->a, n, joining->arm_b, joining->arm_a), rest - length, 1);
    joint->gap = fmax (length - rest, 0);
  } else {
    add_equal (joining, row, length - rest);
    joint->gap = fabs (length - rest);
  }
}

static void
add_swing (const Joining *joining)
{
  const KgVector z_b = kg_rotation_apply (joining->frame_b, kg_vector (0, 0, 1)), z = joining->axes[2];
  const KgVector across = kg_vector_cross (z, z_b);
  const double angle = atan2 (kg_vector_length (across), kg_vector_dot (z, z_b));

  joining->joint->angle = angle;
  if (!isnan (joining->joint->settings.high) && kg_vector_length (across) > 1e-9)
    add_limit (
        joining,
        rigid_row_about (joining->joint->a, joining->joint->b, kg_vector_normalize_or (across, joining->axes[0])),
        joining->joint->settings.high - angle, 1);
}

/* The part of the rotation from frame a to frame b that is about z. */
static void
add_twist (const Joining *joining)
{
  const RigidJoint *joint = joining->joint;
  const double most = joint->settings.low;
  const KgRotation q = kg_rotation_multiply (kg_rotation_conjugate (joining->frame_a), joining->frame_b);
  const KgVector z_b = kg_rotation_apply (joining->frame_b, kg_vector (0, 0, 1));
  const KgVector axis = kg_vector_normalize_or (kg_vector_add (joining->axes[2], z_b), joining->axes[2]);
  const double angle = 2 * atan2 (q.w < 0 ? -q.z : q.z, fabs (q.w));

  /* Swung to the other side there is no saying what is twist. */
  if (isnan (most) || q.w * q.w + q.z * q.z < 1e-6)
    return;
  add_limit (joining, rigid_row_about (joint->b, joint->a, axis), most + angle, 0);
  add_limit (joining, rigid_row_about (joint->a, joint->b, axis), most - angle, 2);
}

/* How far a frame has turned about its z since it was upright there. */
static double
get_turned (KgRotation frame)
{
  const KgVector z = kg_rotation_apply (frame, kg_vector (0, 0, 1)), x = kg_rotation_apply (frame, kg_vector (1, 0, 0)),
                 start = kg_rotation_apply (kg_rotation_between (kg_vector (0, 0, 1), z), kg_vector (1, 0, 0));

  return atan2 (kg_vector_dot (kg_vector_cross (start, x), z), kg_vector_dot (start, x));
}

/* How far a frame has turned about its z since its x pointed along the way. */
static double
get_turned_from (KgRotation frame, KgVector way)
{
  const KgVector z = kg_rotation_apply (frame, kg_vector (0, 0, 1)), x = kg_rotation_apply (frame, kg_vector (1, 0, 0));

  return atan2 (kg_vector_dot (kg_vector_cross (way, x), z),
                kg_vector_dot (way, x) - kg_vector_dot (way, z) * kg_vector_dot (x, z));
}

/* ratio times the velocity of a about its axis is that of b about its own, both against the line from a to b.  That line turns with
 * w = e × (v_b - v_a) / d² (e from a to b, d long), so that the row is ratio z_a · w_a - z_b · w_b - m · w, m = ratio z_a - z_b:
 * the forces are those of teeth at the pitch point, and their torques on both wheels and the bearings add to 0. */
static void
add_gear (const Joining *joining)
{
  RigidJoint *joint = joining->joint;
  const double ratio = joint->settings.ratio;
  const KgVector z_b = kg_rotation_apply (joining->frame_b, kg_vector (0, 0, 1)),
                 way = kg_vector_subtract (joining->at_b, joining->at_a);
  const double square = kg_vector_dot (way, way);
  /* Bearings that gape so far are of no use. */
  const bool apart = joint->length > 0 && square > 0.25 * joint->length * joint->length;
  RigidRow row = rigid_row_about (joint->a, joint->b, joining->axes[2]);
  double angle_b;

  if (apart)
    row = rigid_row_along (
        joint->a, joint->b,
        kg_vector_scale (
            kg_vector_cross (kg_vector_add_scaled (kg_vector_scale (z_b, -1), ratio, joining->axes[2]), way),
            1 / square),
        joining->arm_a, joining->arm_b);
  else
    row.arm_a = row.arm_b = kg_vector (0, 0, 0);
  row.arm_a = kg_vector_add_scaled (row.arm_a, ratio, joining->axes[2]);
  row.arm_b = kg_vector_add (row.arm_b, z_b);
  joint->angle =
      find_turn (apart ? get_turned_from (joining->frame_a, way) : get_turned (joining->frame_a), joint->angle);
  angle_b =
      find_turn (apart ? get_turned_from (joining->frame_b, way) : get_turned (joining->frame_b), ratio * joint->angle);
  joint->gap = 0;
  add_equal (joining, row, ratio * joint->angle - angle_b);
}

void
rigid_joint_add_rows (RigidJoint *joint, const RigidMotion *motions, double h, double bias, GArray *equal,
                      GArray *limited)
{
  const RigidMotion *a = &motions[joint->a], *b = &motions[joint->b];
  Joining joining = { .joint = joint,
                      .h = h,
                      .bias = bias,
                      .arm_a = kg_rotation_apply (a->turn, joint->pin_a),
                      .arm_b = kg_rotation_apply (b->turn, joint->pin_b),
                      .frame_a = kg_rotation_multiply (a->turn, joint->frame_a),
                      .frame_b = kg_rotation_multiply (b->turn, joint->frame_b),
                      .equal = equal,
                      .limited = limited };

  if (joint->broken)
    return;
  joining.at_a = kg_vector_add (a->place, joining.arm_a);
  joining.at_b = kg_vector_add (b->place, joining.arm_b);
  joining.axes[0] = kg_rotation_apply (joining.frame_a, kg_vector (1, 0, 0));
  joining.axes[1] = kg_rotation_apply (joining.frame_a, kg_vector (0, 1, 0));
  joining.axes[2] = kg_rotation_apply (joining.frame_a, kg_vector (0, 0, 1));
  switch (joint->kind) {
  case RIGID_BALL:
    add_point (&joining);
    add_swing (&joining);
    add_twist (&joining);
    break;
  case RIGID_HINGE:
    add_hinge (&joining);
    break;
  case RIGID_SLIDER:
    add_slider (&joining);
    break;
  case RIGID_WELD:
    add_point (&joining);
    add_turn (&joining);
    break;
  case RIGID_GEAR:
    add_gear (&joining);
    break;
  default:
    add_rod (&joining);
    break;
  }
}

char *
rigid_joint_dup_name (const RigidJoint *joint)
{
  switch (joint->kind) {
  case RIGID_BALL:
    return g_strdup_printf (kg_translate ("ball joint %u"), joint->row);
  case RIGID_HINGE:
    return g_strdup_printf (kg_translate ("hinge %u"), joint->row);
  case RIGID_SLIDER:
    return g_strdup_printf (kg_translate ("slider %u"), joint->row);
  case RIGID_WELD:
    return g_strdup_printf (kg_translate ("weld %u"), joint->row);
  case RIGID_GEAR:
    return g_strdup_printf (kg_translate ("gear %u"), joint->row);
  default:
    return g_strdup_printf (kg_translate ("rod %u"), joint->row);
  }
}
