/* body_rules: how one rigid body moves alone, is dragged by a pin, turned in a joint, or pushed out of a contact.
 * Source: Ahn and others, procedural constraint solving for articulated bodies.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_rules.h"

KgRotation
body_rotation_from_vector (KgVector turn)
{
  return kg_rotation_from_axis_angle (turn, kg_vector_length (turn));
}

KgVector
body_rotation_to_vector (KgRotation q)
{
  const KgVector axis = { q.x, q.y, q.z };
  const double s = kg_vector_length (axis);
  const double angle = 2 * atan2 (s, fabs (q.w));

  return s > 1e-300 ? kg_vector_scale (axis, (q.w < 0 ? -angle : angle) / s) : kg_vector (0, 0, 0);
}

void
body_pose_update (BodyPose *pose, double keep, KgVector moved, KgVector turned)
{
  const KgVector turn = kg_vector_add_scaled (turned, keep, pose->spin);

  pose->place = kg_vector_add (kg_vector_add_scaled (pose->place, keep, pose->step), moved);
  pose->turn = kg_rotation_normalize (kg_rotation_multiply (body_rotation_from_vector (turn), pose->turn));
}

double
body_turn_angle (double theta, double kappa, double lambda, double s)
{
  const double x = kappa * lambda * s;

  return x > 0 ? -theta * expm1 (-x) : 0;
}

double
body_drag (BodyPose *pose, const BodyDrag *drag, KgVector pin, KgVector target)
{
  const KgVector arm = kg_rotation_apply (pose->turn, pin);
  const KgVector pull = kg_vector_subtract (target, kg_vector_add (pose->place, arm));
  const double r = kg_vector_length (arm), s = kg_vector_length (pull);
  const double align = kg_vector_dot (arm, pull);
  KgVector axis = kg_vector_cross (arm, pull);
  double theta, angle, inertia;
  KgRotation turn;

  if (!(s > 0))
    return 0;
  theta = atan2 (kg_vector_length (axis), align);
  if (!(kg_vector_length (axis) > 1e-12 * r * s)) {
    theta = align < 0 && drag->break_symmetry ? KG_PI : 0;
    axis = drag->plane ? kg_vector (0, 0, 1)
                       : kg_vector_perpendicular (kg_vector_normalize_or (arm, kg_vector (1, 0, 0)));
  }
  axis = kg_vector_normalize_or (axis, kg_vector (0, 0, 1));
  inertia = symmetric_matrix_get_along (drag->inertia, kg_rotation_apply (kg_rotation_conjugate (pose->turn), axis));
  angle = body_turn_angle (theta, drag->kappa, drag->mass * r / fmax (inertia, 1e-300), s);
  if (!(angle > 0)) {
    pose->place = kg_vector_subtract (target, arm);
    return 0;
  }
  turn = kg_rotation_from_axis_angle (axis, angle);
  /* t = s + (I - R) r */
  pose->place = kg_vector_subtract (target, kg_rotation_apply (turn, arm));
  pose->turn = kg_rotation_normalize (kg_rotation_multiply (turn, pose->turn));
  return drag->plane && axis.z < 0 ? -angle : angle;
}

KgVector
body_meeting_point (double mass_a, KgVector pin_a, double mass_b, KgVector pin_b)
{
  return kg_vector_lerp (pin_a, pin_b, mass_b / (mass_a + mass_b));
}

double
body_limit_excess (KgVector u, KgVector w, double low, double high, bool plane, KgVector *axis, bool *ambiguous)
{
  const KgVector cross = kg_vector_cross (u, w);
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  double angle, off;

  if (plane) {
    *axis = kg_vector (0, 0, 1);
    angle = atan2 (cross.z, kg_vector_dot (u, w));
    /* Between the same angles a turn more or less is the same. */
    off = remainder (angle - middle, 2 * KG_PI);
    return fabs (off) <= half ? 0 : kg_clamp (off, -half, half) - off;
  }
  angle = atan2 (kg_vector_length (cross), kg_vector_dot (u, w));
  if (angle >= low && angle <= high)
    return 0;
  if (!(kg_vector_length (cross) > 1e-12)) {
    *axis = kg_vector_perpendicular (kg_vector_normalize_or (u, kg_vector (1, 0, 0)));
    if (ambiguous != NULL)
      *ambiguous = true;
  } else
    *axis = kg_vector_normalize_or (cross, cross);
  return kg_clamp (angle, low, high) - angle;
}

KgVector
body_angular_acceleration (const Body *body, KgRotation turn, bool plane, KgVector torque)
{
  const SymmetricMatrix *i = &body->inertia;
  /* A rod has no inertia about itself, and no torque. */
  const double least = 1e-6 * (i->xx + i->yy + i->zz);
  const double xx = i->xx + least, yy = i->yy + least, zz = i->zz + least, xy = i->xy, xz = i->xz, yz = i->yz;
  const KgVector t = kg_rotation_apply (kg_rotation_conjugate (turn), torque);
  const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
  const double determinant = xx * a + xy * b + xz * c;

  if (plane)
    return kg_vector (0, 0, i->zz > 0 ? torque.z / i->zz : 0);
  if (!(determinant > 0))
    return kg_vector (0, 0, 0);
  return kg_vector_scale (
      kg_rotation_apply (turn, kg_vector (a * t.x + b * t.y + c * t.z,
                                          b * t.x + (xx * zz - xz * xz) * t.y + (xy * xz - xx * yz) * t.z,
                                          c * t.x + (xy * xz - xx * yz) * t.y + (xx * yy - xy * xy) * t.z)),
      1 / determinant);
}

void
body_push (BodyPose *pose, const Body *body, bool plane, KgVector place, KgVector way)
{
  const KgVector torque = kg_vector_cross (kg_vector_subtract (place, pose->place), way);
  const KgVector spin = body_angular_acceleration (body, pose->turn, plane, torque);
  const double size = kg_vector_dot (way, way);
  double impulse;

  if (!(size > 0))
    return;
  /* The point gives way by 1/m, and by how much the body turns under it. */
  impulse = size / (size / body->mass + kg_vector_dot (torque, spin));
  pose->place = kg_vector_add_scaled (pose->place, impulse / body->mass, way);
  pose->turn = kg_rotation_normalize (
      kg_rotation_multiply (body_rotation_from_vector (kg_vector_scale (spin, impulse)), pose->turn));
}

KgVector
body_way_out (BodyContact contact, double depth, KgVector normal, KgVector velocity)
{
  const double speed = kg_vector_length (velocity), into = -kg_vector_dot (velocity, normal);

  if (contact != BODY_BACK_UP || !(into > 1e-6 * speed) || !(into > 0))
    return kg_vector_scale (normal, depth);
  return kg_vector_scale (velocity, -depth / into);
}
