/* quaternion: quaternions of any magnitude, for arithmetic, and the unit ones as orientations on their sphere.
 * KgRotation is a unit quaternion; q and -q are the same rotation but different places on the sphere.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

/* s + x i + y j + z k */
typedef struct {
  double s;
  KgVector v;
} Quaternion;

/* size times a rotation: any quaternion but for the sign of a zero. */
Quaternion quaternion_from_rotation (KgRotation rotation, double size);
/* The unit quaternion along q; the identity for zero. */
KgRotation quaternion_to_rotation (Quaternion q);
double quaternion_norm (Quaternion q);

Quaternion quaternion_add (Quaternion a, Quaternion b);
Quaternion quaternion_scale (Quaternion q, double factor);
/* Hamilton product. */
Quaternion quaternion_multiply (Quaternion a, Quaternion b);
Quaternion quaternion_conjugate (Quaternion q);
/* False and the identity where there is none. */
bool quaternion_invert (Quaternion q, Quaternion *inverse);
/* Natural logarithm; of negative numbers along x.  False and zero for zero. */
bool quaternion_log (Quaternion q, Quaternion *log);
Quaternion quaternion_exp (Quaternion q);
/* exp (power log q); zero to a positive power is zero.  False and the identity where there is none. */
bool quaternion_power (Quaternion q, double power, Quaternion *result);

/* The cosine of the angle on the sphere between two unit quaternions, which is half the angle of the turn. */
double quaternion_dot (KgRotation a, KgRotation b);
/* That angle, 0 to pi, to full precision even if it is small. */
double quaternion_angle (KgRotation a, KgRotation b);
KgRotation quaternion_negate (KgRotation q);
/* b, or -b where that is nearer to a. */
KgRotation quaternion_align (KgRotation a, KgRotation b);

/* The place half way from a to b; the identity where b is -a. */
KgRotation quaternion_bisect (KgRotation a, KgRotation b);
/* The mirror image of a in b: as far on the other side of b, on the great circle through both. */
KgRotation quaternion_double (KgRotation a, KgRotation b);

/* Spherical linear interpolation on the great circle from a to b as they are, without a change of sign (align first for
 * the short way).  Opposite ends have no great circle of their own: one is chosen. */
KgRotation quaternion_slerp (KgRotation a, KgRotation b, double t);
/* The same at t = numerator / 2^depth, by additions and square roots alone. */
KgRotation quaternion_slerp_dyadic (KgRotation a, KgRotation b, unsigned numerator, unsigned depth);
