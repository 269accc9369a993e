/* conversion: rotations as angles about axes, as an axis and an angle, and as matrices.
 * Sources: Shepperd 1978 (quaternion from matrix, in kg-math.h); Higham 1986 (polar decomposition by Newton's iteration).
 *
 * Angles from a quaternion, for turns a, b, c about the moving axes i, j, i, k the third axis, e = 1 where i, j, k follow
 * each other as x, y, z do and -1 elsewhere:
 *   q = cos b/2 exp (i (a + c)/2) + sin b/2 (cos ((a - c)/2) j + e sin ((a - c)/2) k)
 * so that two arc tangents give the sum and the difference of a and c.  With k as the third axis, turning the whole by a
 * right angle about j takes k to -e i and leaves the case before.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"

#include <gsl/gsl_linalg.h>

#define LOCKED 1e-7

static const struct {
  unsigned char axes[3];
} orders[EULER_N_ORDERS] = {
  [EULER_XYZ] = { { 0, 1, 2 } }, [EULER_XZY] = { { 0, 2, 1 } }, [EULER_YXZ] = { { 1, 0, 2 } },
  [EULER_YZX] = { { 1, 2, 0 } }, [EULER_ZXY] = { { 2, 0, 1 } }, [EULER_ZYX] = { { 2, 1, 0 } },
  [EULER_XYX] = { { 0, 1, 0 } }, [EULER_XZX] = { { 0, 2, 0 } }, [EULER_YXY] = { { 1, 0, 1 } },
  [EULER_YZY] = { { 1, 2, 1 } }, [EULER_ZXZ] = { { 2, 0, 2 } }, [EULER_ZYZ] = { { 2, 1, 2 } },
};

static KgRotation
turn (unsigned axis, double angle)
{
  const double c = cos (0.5 * angle), s = sin (0.5 * angle);

  return (KgRotation){ c, axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0 };
}

KgRotation
conversion_from_euler (KgVector angles, EulerOrder order, bool moving)
{
  const KgRotation first = turn (orders[order].axes[0], angles.x), second = turn (orders[order].axes[1], angles.y);
  const KgRotation third = turn (orders[order].axes[2], angles.z);

  /* Turns about moving axes are the same turns about fixed ones in the other order. */
  if (moving)
    return kg_rotation_normalize (kg_rotation_multiply (first, kg_rotation_multiply (second, third)));
  return kg_rotation_normalize (kg_rotation_multiply (third, kg_rotation_multiply (second, first)));
}

static double
wrap (double angle)
{
  return angle > KG_PI ? angle - 2 * KG_PI : angle <= -KG_PI ? angle + 2 * KG_PI : angle;
}

/* Angles about the moving axes i, j, then i again or else the third axis.  free_first: where only the sum or difference of
 * the first and last angle is known, the first is zero; else the last. */
static KgVector
solve (KgRotation q, unsigned i, unsigned j, bool again, bool free_first, bool *locked)
{
  const unsigned k = 3 - i - j;
  const double e = (i + 1) % 3 == j ? 1 : -1;
  double half_sum, half_difference, middle, first, last, v[3], sum_size, difference_size;

  if (!again)
    q = kg_rotation_multiply (q, turn (j, 0.5 * KG_PI));
  v[0] = q.x;
  v[1] = q.y;
  v[2] = q.z;
  sum_size = hypot (q.w, v[i]);
  difference_size = hypot (v[j], v[k]);
  half_sum = atan2 (v[i], q.w);
  half_difference = atan2 (e * v[k], v[j]);
  middle = 2 * atan2 (difference_size, sum_size);
  *locked = fmin (sum_size, difference_size) < LOCKED;
  if (difference_size < 1e-15)
    half_difference = free_first ? -half_sum : half_sum;
  else if (sum_size < 1e-15)
    half_sum = free_first ? -half_difference : half_difference;
  first = half_sum + half_difference;
  last = half_sum - half_difference;
  return again ? kg_vector (wrap (first), middle, wrap (last))
               : kg_vector (wrap (first), middle - 0.5 * KG_PI, wrap (-e * last));
}

KgVector
conversion_to_euler (KgRotation rotation, EulerOrder order, bool moving, bool *locked)
{
  const unsigned char *axes = orders[order].axes;
  KgVector angles;

  if (moving)
    return solve (rotation, axes[0], axes[1], axes[0] == axes[2], false, locked);
  /* Fixed axes are moving ones backwards. */
  angles = solve (rotation, axes[2], axes[1], axes[0] == axes[2], true, locked);
  return kg_vector (angles.z, angles.y, angles.x);
}

void
conversion_to_axis_angle (KgRotation rotation, KgVector *axis, double *angle)
{
  const KgRotation q = conversion_choose_sign (rotation);
  const KgVector v = { q.x, q.y, q.z };
  const double length = kg_vector_length (v);

  *axis = kg_vector_normalize_or (v, kg_vector (1, 0, 0));
  *angle = 2 * atan2 (length, q.w);
}

KgRotation
conversion_choose_sign (KgRotation q)
{
  const bool negative = q.w < 0 || (q.w == 0 && (q.x < 0 || (q.x == 0 && (q.y < 0 || (q.y == 0 && q.z < 0)))));

  return negative ? (KgRotation){ -q.w, -q.x, -q.y, -q.z } : q;
}

bool
conversion_from_matrix (const KgTransform *matrix, KgRotation *rotation, KgTransform *stretch, bool *reflects)
{
  KgTransform x = kg_transform_identity ();
  const double size = kg_transform_get_size (matrix);
  double sign;

  *rotation = kg_rotation_identity ();
  *stretch = kg_transform_identity ();
  *reflects = false;
  if (!(size > 1e-150 && size < 1e150))
    return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      x.m[i][j] = matrix->m[i][j] / size;
  *reflects = kg_transform_determinant (x) < 0;
  sign = *reflects ? -1 : 1;
  /* X ← (X + X⁻ᵀ) / 2; far from a rotation both halves are first made the same size. */
  for (int round = 0; round < 60; round++) {
    double own = 0, other = 0, change = 0, balance;
    KgTransform inverse;

    if (!kg_transform_invert (x, &inverse))
      return false;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        own += x.m[i][j] * x.m[i][j];
        other += inverse.m[i][j] * inverse.m[i][j];
      }
    balance = sqrt (sqrt (other / own));
    if (fabs (balance - 1) < 0.01)
      balance = 1;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const double next = 0.5 * (balance * x.m[i][j] + inverse.m[j][i] / balance);

        change = fmax (change, fabs (next - x.m[i][j]));
        x.m[i][j] = next;
      }
    if (change < 1e-15)
      break;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;

      for (int k = 0; k < 3; k++)
        sum += x.m[k][i] * matrix->m[k][j];
      stretch->m[i][j] = sign * sum;
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      x.m[i][j] *= sign;
  *rotation = conversion_choose_sign (kg_rotation_from_transform (x));
  return true;
}

bool
conversion_from_axes (KgVector x, KgVector y, KgRotation *rotation)
{
  const KgVector u = kg_vector_normalize_or (x, kg_vector (0, 0, 0)),
                 v = kg_vector_normalize_or (y, kg_vector (0, 0, 0));
  const KgVector z = kg_vector_cross (u, v);
  KgTransform t = kg_transform_identity ();
  KgVector w, side;

  *rotation = kg_rotation_identity ();
  if (!(kg_vector_length (z) > 1e-12))
    return false;
  w = kg_vector_normalize_or (z, kg_vector (0, 0, 1));
  side = kg_vector_cross (w, u);
  t.m[0][0] = u.x;
  t.m[1][0] = u.y;
  t.m[2][0] = u.z;
  t.m[0][1] = side.x;
  t.m[1][1] = side.y;
  t.m[2][1] = side.z;
  t.m[0][2] = w.x;
  t.m[1][2] = w.y;
  t.m[2][2] = w.z;
  *rotation = conversion_choose_sign (kg_rotation_from_transform (t));
  return true;
}

bool
conversion_invert (const KgTransform *matrix, KgTransform *inverse)
{
  KgTransform lu = *matrix;
  gsl_matrix_view a = gsl_matrix_view_array (&lu.m[0][0], 4, 4), out = gsl_matrix_view_array (&inverse->m[0][0], 4, 4);
  size_t pivots[4];
  gsl_permutation permutation = { 4, pivots };
  double size = 0;
  int sign;

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      size = fmax (size, fabs (matrix->m[i][j]));
  *inverse = kg_transform_identity ();
  gsl_linalg_LU_decomp (&a.matrix, &permutation, &sign);
  for (int i = 0; i < 4; i++)
    if (!(fabs (lu.m[i][i]) > 1e-14 * size))
      return false;
  gsl_linalg_LU_invert (&a.matrix, &permutation, &out.matrix);
  return true;
}
