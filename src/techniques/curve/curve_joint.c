/* curve_joint: limits from both sides, compared.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_joint.h"

#include <math.h>

guint
curve_joint_count (const Curve *curve)
{
  return curve_get_n_segments (curve) - (curve_is_closed (curve) ? 0 : 1);
}

double
curve_get_extent (const Curve *curve)
{
  KgVector low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };

  for (guint i = 0; i < curve_get_n_segments (curve); i++)
    for (guint k = 0; k <= curve_get_degree (curve); k++) {
      const double *w = curve_get_bezier_weights (curve, i);
      const KgVector b = curve_get_bezier (curve, i)[k];
      const KgVector p = w != NULL && w[k] > 0 ? kg_vector_scale (b, 1 / w[k]) : b;

      for (guint c = 0; c < 3; c++) {
        *kg_vector_component (&low, c) = fmin (kg_vector_get (low, c), kg_vector_get (p, c));
        *kg_vector_component (&high, c) = fmax (kg_vector_get (high, c), kg_vector_get (p, c));
      }
    }
  return kg_vector_distance (low, high);
}

/* First derivative that is not nothing, for the direction at the end (t = 1) or start (t = 0) of a piece.  At an end
 * an even derivative points back. */
static KgVector
find_direction (const Curve *curve, guint segment, double t, double least, bool *degenerate)
{
  for (guint order = 1; order <= MAX (curve_get_degree (curve), 1); order++) {
    const KgVector d = curve_evaluate_segment (curve, segment, t, order);

    if (kg_vector_length (d) > least)
      return kg_vector_normalize_or (t > 0.5 && order % 2 == 0 ? kg_vector_scale (d, -1) : d, kg_vector (0, 0, 0));
    *degenerate = true;
  }
  return kg_vector (0, 0, 0);
}

static KgVector
get_curvature (const Curve *curve, guint segment, double t)
{
  const KgVector d = curve_evaluate_segment (curve, segment, t, 1), e = curve_evaluate_segment (curve, segment, t, 2);
  const double speed = kg_vector_length (d);

  return speed > 0 ? kg_vector_scale (kg_vector_cross (kg_vector_cross (d, e), d), pow (speed, -4)) : d;
}

CurveJoint
curve_joint_measure (const Curve *curve, guint i, double extent, double tolerance)
{
  const guint j = (i + 1) % curve_get_n_segments (curve), degree = curve_get_degree (curve);
  const double least = tolerance * extent;
  const double width = fmin (curve_get_knot (curve, i + 1) - curve_get_knot (curve, i),
                             curve_get_knot (curve, j + 1) - curve_get_knot (curve, j));
  CurveJoint joint = { .parametric = -1, .geometric = -1 };
  bool agree = true;
  KgVector a, b;

  for (guint k = 0; k <= MAX (degree, CURVE_JOINT_JUMPS); k++) {
    const double jump = kg_vector_distance (curve_evaluate_own (curve, i, 1, k), curve_evaluate_own (curve, j, 0, k));

    if (k <= CURVE_JOINT_JUMPS)
      joint.jumps[k] = jump;
    agree = agree && jump * pow (width, k) <= fmax (least, 1e-300);
    if (agree && k <= degree)
      joint.parametric = (int) k;
  }
  if (joint.parametric < 0)
    return joint;
  a = find_direction (curve, i, 1, least, &joint.degenerate);
  b = find_direction (curve, j, 0, least, &joint.degenerate);
  joint.geometric = 0;
  if (kg_vector_distance (a, b) > fmax (tolerance, 1e-12) || !(kg_vector_length (a) > 0))
    return joint;
  joint.geometric = 1;
  if (!joint.degenerate && kg_vector_distance (get_curvature (curve, i, 1), get_curvature (curve, j, 0)) * extent <=
                               100 * fmax (tolerance, 1e-12))
    joint.geometric = 2;
  return joint;
}
