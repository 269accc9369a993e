/* conversion: rotations as angles about axes, as an axis and an angle, and as matrices.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

/* The axes of three turns in a row: of three different axes (Tait-Bryan) or with the first again (Euler). */
typedef enum {
  EULER_XYZ,
  EULER_XZY,
  EULER_YXZ,
  EULER_YZX,
  EULER_ZXY,
  EULER_ZYX,
  EULER_XYX,
  EULER_XZX,
  EULER_YXY,
  EULER_YZY,
  EULER_ZXZ,
  EULER_ZYZ,
  EULER_N_ORDERS
} EulerOrder;

/* angles: of the first, second and third turn, in radians.  moving: about the axes as turned by the turns before; else
 * about axes that stay where they are. */
KgRotation conversion_from_euler (KgVector angles, EulerOrder order, bool moving);
/* The angles, each in -pi..pi; the second in -pi/2..pi/2 (Tait-Bryan) or 0..pi (Euler).  *locked: the first and third
 * turn are about one axis, to a ten-millionth of a radian (gimbal lock); only their sum or difference is then certain, and
 * where they are so exactly the third is zero. */
KgVector conversion_to_euler (KgRotation rotation, EulerOrder order, bool moving, bool *locked);

/* A unit axis and an angle in 0..pi; the x axis where nothing turns. */
void conversion_to_axis_angle (KgRotation rotation, KgVector *axis, double *angle);

/* Polar decomposition of the linear part into a rotation after a symmetric stretch (Higham 1986).  False when the linear
 * part is singular.  *reflects: it turns right into left; the rotation is then of its negative.  The rotation has
 * w >= 0. */
bool conversion_from_matrix (const KgTransform *matrix, KgRotation *rotation, KgTransform *stretch, bool *reflects);
/* The rotation of which x and y are the images of the first two axes, y as far as it is perpendicular to x.  False when
 * there is none, since one is zero or both are along one line. */
bool conversion_from_axes (KgVector x, KgVector y, KgRotation *rotation);

/* The inverse of any 4 x 4 matrix, with perspective too.  False when it is singular. */
bool conversion_invert (const KgTransform *matrix, KgTransform *inverse);

/* The sign for which w > 0; where w is 0, the first of x, y, z that is not. */
KgRotation conversion_choose_sign (KgRotation rotation);
