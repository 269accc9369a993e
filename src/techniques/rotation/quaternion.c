/* quaternion: arithmetic, and interpolation on the sphere of unit quaternions.
 * Sources: Hamilton (the algebra); Shoemake 1985, Animating Rotation with Quaternion Curves (slerp, doubling, bisection).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/quaternion.h"

/* Angles below which neighbours, and above which opposites, have no great circle beyond rounding errors. */
#define SMALL_ANGLE 1e-6

Quaternion
quaternion_from_rotation (KgRotation q, double size)
{
  return (Quaternion){ size * q.w, { size * q.x, size * q.y, size * q.z } };
}

KgRotation
quaternion_to_rotation (Quaternion q)
{
  return kg_rotation_normalize ((KgRotation){ q.s, q.v.x, q.v.y, q.v.z });
}

double
quaternion_norm (Quaternion q)
{
  return hypot (hypot (q.s, q.v.x), hypot (q.v.y, q.v.z));
}

Quaternion
quaternion_add (Quaternion a, Quaternion b)
{
  return (Quaternion){ a.s + b.s, kg_vector_add (a.v, b.v) };
}

Quaternion
quaternion_scale (Quaternion q, double factor)
{
  return (Quaternion){ q.s * factor, kg_vector_scale (q.v, factor) };
}

Quaternion
quaternion_multiply (Quaternion a, Quaternion b)
{
  KgVector v = kg_vector_cross (a.v, b.v);

  v = kg_vector_add_scaled (v, a.s, b.v);
  v = kg_vector_add_scaled (v, b.s, a.v);
  return (Quaternion){ a.s * b.s - kg_vector_dot (a.v, b.v), v };
}

Quaternion
quaternion_conjugate (Quaternion q)
{
  return (Quaternion){ q.s, kg_vector_scale (q.v, -1) };
}

bool
quaternion_invert (Quaternion q, Quaternion *inverse)
{
  const double norm = quaternion_norm (q);

  *inverse = (Quaternion){ 1, { 0, 0, 0 } };
  if (!(norm > 1e-300))
    return false;
  *inverse = quaternion_scale (quaternion_scale (quaternion_conjugate (q), 1 / norm), 1 / norm);
  return true;
}

bool
quaternion_log (Quaternion q, Quaternion *log_q)
{
  const double norm = quaternion_norm (q), length = hypot (hypot (q.v.x, q.v.y), q.v.z);

  *log_q = (Quaternion){ 0, { 0, 0, 0 } };
  if (!(norm > 1e-300))
    return false;
  log_q->s = log (norm);
  if (length > 1e-300)
    log_q->v = kg_vector_scale (q.v, atan2 (length, q.s) / length);
  else if (q.s < 0)
    log_q->v = kg_vector (KG_PI, 0, 0);
  return true;
}

Quaternion
quaternion_exp (Quaternion q)
{
  const double length = hypot (hypot (q.v.x, q.v.y), q.v.z), size = exp (q.s);

  return (Quaternion){ size * cos (length),
                       kg_vector_scale (q.v, length > 1e-300 ? size * sin (length) / length : size) };
}

bool
quaternion_power (Quaternion q, double power, Quaternion *result)
{
  Quaternion log_q;

  *result = (Quaternion){ 1, { 0, 0, 0 } };
  if (quaternion_log (q, &log_q)) {
    *result = quaternion_exp (quaternion_scale (log_q, power));
    return true;
  }
  if (power > 0)
    *result = (Quaternion){ 0, { 0, 0, 0 } };
  return power >= 0;
}

double
quaternion_dot (KgRotation a, KgRotation b)
{
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

static double
get_length (double w, double x, double y, double z)
{
  return sqrt (w * w + x * x + y * y + z * z);
}

double
quaternion_angle (KgRotation a, KgRotation b)
{
  return 2 * atan2 (get_length (a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z),
                    get_length (a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z));
}

KgRotation
quaternion_negate (KgRotation q)
{
  return (KgRotation){ -q.w, -q.x, -q.y, -q.z };
}

KgRotation
quaternion_align (KgRotation a, KgRotation b)
{
  return quaternion_dot (a, b) < 0 ? quaternion_negate (b) : b;
}

static KgRotation
blend (KgRotation a, double p, KgRotation b, double q)
{
  return kg_rotation_normalize (
      (KgRotation){ p * a.w + q * b.w, p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z });
}

KgRotation
quaternion_bisect (KgRotation a, KgRotation b)
{
  return blend (a, 1, b, 1);
}

KgRotation
quaternion_double (KgRotation a, KgRotation b)
{
  return blend (b, 2 * quaternion_dot (a, b), a, -1);
}

KgRotation
quaternion_slerp (KgRotation a, KgRotation b, double t)
{
  const double angle = quaternion_angle (a, b);

  if (t == 0)
    return a;
  if (t == 1)
    return b;
  if (angle < SMALL_ANGLE)
    return blend (a, 1 - t, b, t);
  if (KG_PI - angle < SMALL_ANGLE) {
    const KgRotation aside = { -a.x, a.w, -a.z, a.y };

    return blend (a, cos (KG_PI * t), aside, sin (KG_PI * t));
  }
  return blend (a, sin ((1 - t) * angle) / sin (angle), b, sin (t * angle) / sin (angle));
}

KgRotation
quaternion_slerp_dyadic (KgRotation a, KgRotation b, unsigned numerator, unsigned depth)
{
  if (numerator >> depth)
    return b;
  for (unsigned bit = depth; bit-- > 0 && (numerator & ((2u << bit) - 1)) != 0;) {
    const KgRotation middle = quaternion_bisect (a, b);

    if (numerator >> bit & 1)
      a = middle;
    else
      b = middle;
  }
  return a;
}
