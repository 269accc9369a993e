/* tests/techniques/curve-basis: every basis in double precision, against catalogue 30-02 to 30-26 and 30-51, closed forms and GSL.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "curve/bspline.h"
#include "curve/contour.h"
#include "curve/curve.h"
#include "curve/curve_joint.h"
#include "curve/formula_class.h"

#include <gsl/gsl_bspline.h>
#include <gsl/gsl_spline.h>

#define EPSILON 1e-14

static const KgVector four[] = { { 0, 0, 0 }, { 1, 2, 0 }, { 3, 2, 0 }, { 4, 0, 0 } };
static const KgVector three[] = { { 0, 0, 0 }, { 1, 2, 0 }, { 4, 1, 0 } };
static const KgVector uneven[] = {
  { 0, 0, 0 }, { 0.5, 1, 0 }, { 3, 1.5, 1 }, { 3.5, -1, 2 }, { 5, 0, 0 }, { 8, 1, -1 }
};

static Curve *
make (CurveControl control)
{
  g_autoptr (GError) error = NULL;
  Curve *curve = curve_new_from_control (&control, &error);

  g_assert_no_error (error);
  return curve;
}

static Curve *
make_basis (KgBasis basis, const KgVector *points, guint n)
{
  return make ((CurveControl){ .basis = basis, .points = points, .n = n, .order = basis == KG_BASIS_BEZIER ? 0 : 4 });
}

static void
check_at (const Curve *curve, double u, double x, double y, double tolerance)
{
  assert_vector_near (curve_evaluate (curve, u, 0), x, y, 0, tolerance);
}

static void
check_tangents (CurveControl control, double in_x, double in_y, double out_x, double out_y, double tolerance)
{
  g_autoptr (Curve) curve = make (control);

  assert_vector_near (curve_evaluate_segment (curve, 0, 1, 1), in_x, in_y, 0, tolerance);
  assert_vector_near (curve_evaluate_segment (curve, 1, 0, 1), out_x, out_y, 0, tolerance);
}

static void
check_same (const Curve *a, const Curve *b, double tolerance)
{
  g_assert_cmpuint (curve_get_n_segments (a), ==, curve_get_n_segments (b));
  for (guint i = 0; i <= 40; i++) {
    const double u = i / 40.0 * curve_get_n_segments (a);
    const KgVector p = curve_evaluate (b, u, 0);

    assert_vector_near (curve_evaluate (a, u, 0), p.x, p.y, p.z, tolerance);
  }
}

/* 30-05, 30-07: straight pieces; derivatives against differences; equal steps of u are not equal steps of length; many
 * values at once are the same bits as one by one. */
static void
test_derivatives (void)
{
  static const KgBasis bases[] = { KG_BASIS_CATMULL_ROM, KG_BASIS_CUBIC_SPLINE, KG_BASIS_BSPLINE, KG_BASIS_BEZIER,
                                   KG_BASIS_LINEAR };
  g_autoptr (Curve) line = make_basis (KG_BASIS_LINEAR, four, 4), bezier = make_basis (KG_BASIS_BEZIER, four, 4);
  double shortest = INFINITY, longest = 0;

  for (double u = 0; u <= 1; u += 0.125)
    check_at (line, 1 + u, 1 + 2 * u, 2, 1e-15 * 4);
  for (guint b = 0; b < G_N_ELEMENTS (bases); b++) {
    g_autoptr (Curve) curve = make_basis (bases[b], uneven, 6);
    const double n = curve_get_n_segments (curve);
    enum { COUNT = 20000 };
    g_autofree double *u = g_new (double, COUNT);
    g_autofree KgVector *many = g_new (KgVector, COUNT);

    for (guint order = 0; order < 3; order++)
      for (double at = 0.013 * n; at < n - 0.01; at += 0.0317 * n) {
        const double h = 1e-5;
        const KgVector low = curve_evaluate (curve, at - h, order), high = curve_evaluate (curve, at + h, order);
        const KgVector d = curve_evaluate (curve, at, order + 1);

        if (floor (at - h) != floor (at + h))
          continue;
        assert_vector_near (kg_vector_scale (kg_vector_subtract (high, low), 0.5 / h), d.x, d.y, d.z,
                            1e-8 * (10 + 100 * kg_vector_length (d)));
      }
    for (guint order = 0; order < 3; order++) {
      for (guint i = 0; i < COUNT; i++)
        u[i] = n * i / (COUNT - 1.0);
      curve_evaluate_many (curve, u, COUNT, order, many);
      for (guint i = 0; i < COUNT; i += 7) {
        const KgVector one = curve_evaluate (curve, u[i], order);

        g_assert_true (many[i].x == one.x && many[i].y == one.y && many[i].z == one.z);
      }
    }
  }
  for (guint i = 0; i < 10; i++) {
    const double d =
        kg_vector_distance (curve_evaluate (bezier, i / 10.0, 0), curve_evaluate (bezier, (i + 1) / 10.0, 0));

    shortest = fmin (shortest, d);
    longest = fmax (longest, d);
  }
  g_assert_cmpfloat (longest, >, 1.3 * shortest);
}

/* 30-10 */
static void
test_hermite (void)
{
  const KgVector points[] = { { 0, 0, 0 }, { 1, 0, 0 } }, tangents[] = { { 0, 1, 0 }, { 0, -1, 0 } };
  g_autoptr (Curve) curve = make ((CurveControl){
      .basis = KG_BASIS_HERMITE, .n = 2, .points = points, .tangent_in = tangents, .tangent_out = tangents });

  check_at (curve, 0, 0, 0, 0);
  check_at (curve, 1, 1, 0, 0);
  check_at (curve, 0.5, 0.5, 0.25, EPSILON);
  assert_vector_near (curve_evaluate_segment (curve, 0, 0, 1), 0, 1, 0, EPSILON);
  assert_vector_near (curve_evaluate_segment (curve, 0, 1, 1), 0, -1, 0, EPSILON);
}

/* 30-11 */
static void
test_four_point (void)
{
  const double places[] = { 0, 0.2, 0.7, 1 }, twice[] = { 0, 0.5, 0.5, 1 };
  g_autoptr (Curve) curve = make_basis (KG_BASIS_FOUR_POINT, four, 4);
  g_autoptr (Curve) placed =
      make ((CurveControl){ .basis = KG_BASIS_FOUR_POINT, .n = 4, .points = four, .n_knots = 4, .knots = places });
  g_autoptr (Curve) cubic = make_basis (KG_BASIS_BEZIER, four, 4);
  g_autoptr (Curve) bad = NULL;
  g_autoptr (GError) error = NULL;
  KgVector on[4];
  CurveControl control = { .basis = KG_BASIS_FOUR_POINT, .n = 4, .points = four, .n_knots = 4, .knots = twice };

  check_at (curve, 0.25, 0.578125, 1.6875, EPSILON);
  check_at (curve, 0.5, 2, 2.25, EPSILON);
  for (guint i = 0; i < 4; i++) {
    check_at (curve, i / 3.0, four[i].x, four[i].y, 1e-14);
    check_at (placed, places[i], four[i].x, four[i].y, 1e-13);
    on[i] = curve_evaluate (cubic, places[i], 0);
  }
  {
    g_autoptr (Curve) again =
        make ((CurveControl){ .basis = KG_BASIS_FOUR_POINT, .n = 4, .points = on, .n_knots = 4, .knots = places });

    check_same (again, cubic, 1e-13);
  }
  bad = curve_new_from_control (&control, &error);
  g_assert_null (bad);
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_nonnull (strstr (error->message, "parameters 1 and 2"));
}

/* 30-12: the slopes of the catalogue; all ends against GSL or their own condition; even second derivatives. */
static void
test_cubic_spline (void)
{
  const KgVector steps[] = { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 0, 0 }, { 3, 1, 0 } };
  const double slopes[] = { 5.0 / 3, -1.0 / 3, -1.0 / 3, 5.0 / 3 };
  const double t[] = { 0, 0.3, 1.7, 2, 3.5, 4.25, 7 };
  g_autoptr (Curve) curve = make_basis (KG_BASIS_CUBIC_SPLINE, steps, 4);

  for (guint i = 0; i < 3; i++) {
    assert_near (curve_evaluate_segment (curve, i, 0, 1).y, slopes[i], EPSILON);
    assert_near (curve_evaluate_segment (curve, i, 1, 1).y, slopes[i + 1], EPSILON);
  }
  check_at (curve, 0.5, 0.5, 0.75, EPSILON);
  check_at (curve, 1.5, 1.5, 0.5, EPSILON);
  assert_near (curve_evaluate_segment (curve, 0, 0, 2).y, 0, 1e-13);
  assert_near (curve_evaluate_segment (curve, 2, 1, 2).y, 0, 1e-13);

  /* Typed times, open and closed, against GSL's cubic splines. */
  for (int closed = 0; closed < 2; closed++) {
    double y[7];
    KgVector points[7];
    gsl_spline *spline = gsl_spline_alloc (closed ? gsl_interp_cspline_periodic : gsl_interp_cspline, closed ? 7 : 6);
    g_autoptr (Curve) ours = NULL;

    for (guint i = 0; i < 7; i++) {
      y[i] = i < 6 ? uneven[i].y : uneven[0].y;
      points[i] = kg_vector (0, y[i], 0);
    }
    ours = make ((CurveControl){ .basis = KG_BASIS_CUBIC_SPLINE,
                                 .n = 6,
                                 .points = points,
                                 .closed = closed,
                                 .n_knots = closed ? 7 : 6,
                                 .knots = t });
    gsl_spline_init (spline, t, y, closed ? 7 : 6);
    for (double at = 0; at <= (closed ? 7 : 4.25); at += 0.01)
      assert_near (curve_evaluate (ours, curve_own_to_natural (ours, at), 0).y, gsl_spline_eval (spline, at, NULL),
                   1e-12);
    gsl_spline_free (spline);
  }
  for (guint end = 0; end < KG_END_PHANTOM; end++)
    for (guint spacing = 0; spacing < KG_N_SPACINGS; spacing++) {
      g_autoptr (Curve) c = make ((CurveControl){ .basis = KG_BASIS_CUBIC_SPLINE,
                                                  .n = 6,
                                                  .points = uneven,
                                                  .tangent_in = uneven,
                                                  .tangent_out = uneven,
                                                  .rule = { (KgSplineEnd) end, (KgSplineSpacing) spacing } });

      for (guint i = 0; i < 5; i++)
        assert_near (curve_joint_measure (c, i < 4 ? i : 0, curve_get_extent (c), 1e-9).jumps[2], 0, 1e-10);
      g_assert_cmpint (curve_joint_measure (c, 2, curve_get_extent (c), 1e-9).parametric, ==, 2);
      if (end == KG_END_NOT_A_KNOT)
        assert_near (curve_joint_measure (c, 0, curve_get_extent (c), 1e-9).jumps[3], 0, 1e-10);
      if (end == KG_END_PARABOLA)
        assert_near (kg_vector_length (curve_evaluate_segment (c, 0, 0.5, 3)), 0, 1e-11);
      if (end == KG_END_GIVEN)
        assert_vector_near (curve_evaluate_segment (c, 4, 1, 1), 8, 1, -1, 1e-12);
    }
}

/* Integral of the square of the second derivative, which is linear in each piece. */
static double
get_energy (const Curve *curve)
{
  double sum = 0;

  for (guint i = 0; i < curve_get_n_segments (curve); i++) {
    const KgVector a = curve_evaluate_segment (curve, i, 0, 2), b = curve_evaluate_segment (curve, i, 1, 2);

    sum += (kg_vector_dot (a, a) + kg_vector_dot (a, b) + kg_vector_dot (b, b)) / 3;
  }
  return sum;
}

/* 30-12: of all smooth curves through the points the natural spline bends least. */
static void
test_least_energy (void)
{
  g_autoptr (Curve) natural = make_basis (KG_BASIS_CUBIC_SPLINE, uneven, 6);

  for (guint end = 0; end < KG_END_NOT_A_KNOT; end++)
    for (guint b = 0; b < 2; b++) {
      g_autoptr (Curve) other = make ((CurveControl){ .basis = b == 0 ? KG_BASIS_CUBIC_SPLINE : KG_BASIS_CATMULL_ROM,
                                                      .n = 6,
                                                      .points = uneven,
                                                      .rule = { .end = (KgSplineEnd) end } });
      const bool same = b == 0 && (end == KG_END_AUTO || end == KG_END_NATURAL);

      g_assert_cmpfloat (get_energy (other), >, (same ? 1 - 1e-12 : 1.001) * get_energy (natural));
    }
}

/* 30-13: evenly spaced, blended parabolas are Catmull-Rom; by distance they have the matrix of the catalogue, and keep a
 * parabola, ends included. */
static void
test_parabolas (void)
{
  const KgSplineRule chord = { .end = KG_END_PARABOLA, .spacing = KG_SPACING_CHORD };
  KgVector parabola[5];
  g_autoptr (Curve)
      curve = make ((CurveControl){ .basis = KG_BASIS_CATMULL_ROM, .n = 6, .points = uneven, .rule = chord });
  g_autoptr (Curve) even = NULL;
  double d[5];

  for (guint i = 0; i < 5; i++) {
    parabola[i] = kg_vector (i, 0.5 * i * i - i, 2 * i);
    d[i] = kg_vector_distance (uneven[i], uneven[i + 1]);
  }
  even = make (
      (CurveControl){ .basis = KG_BASIS_CATMULL_ROM, .n = 5, .points = parabola, .rule = { .end = KG_END_PARABOLA } });
  for (double u = 0; u <= 4; u += 0.05)
    assert_vector_near (curve_evaluate (even, u, 0), u, 0.5 * u * u - u, 2 * u, 1e-14);
  for (guint i = 1; i < 4; i++) {
    const double a = d[i - 1] / (d[i - 1] + d[i]), b = d[i] / (d[i] + d[i + 1]), c = 1 - a;
    const double m[4][4] = { { -c * c / a, (c + a * b) / a, (-c - a * b) / (1 - b), b * b / (1 - b) },
                             { 2 * c * c / a, (-2 * c - a * b) / a, (2 * c - b * (1 - 2 * a)) / (1 - b),
                               -b * b / (1 - b) },
                             { -c * c / a, (1 - 2 * a) / a, a, 0 },
                             { 0, 1, 0, 0 } };

    for (double t = 0; t <= 1; t += 0.0625) {
      KgVector sum = { 0, 0, 0 };

      for (guint k = 0; k < 4; k++)
        sum = kg_vector_add_scaled (sum, ((m[0][k] * t + m[1][k]) * t + m[2][k]) * t + m[3][k], uneven[i - 1 + k]);
      assert_vector_near (curve_evaluate_segment (curve, i, t, 0), sum.x, sum.y, sum.z, 1e-13);
    }
    g_assert_cmpint (curve_joint_measure (curve, i, curve_get_extent (curve), 1e-9).geometric, >=, 1);
  }
}

/* 30-14, 30-15 */
static void
test_catmull_rom (void)
{
  g_autoptr (Curve) curve = make_basis (KG_BASIS_CATMULL_ROM, four, 4);
  const KgVector line[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 } };
  KgVector moved[4];

  check_at (curve, 1.25, 1.453125, 2.1875, EPSILON);
  check_at (curve, 1.5, 2, 2.25, EPSILON);
  memcpy (moved, four, sizeof moved);
  moved[1] = kg_vector (7, -3, 2);
  {
    g_autoptr (Curve) other = make_basis (KG_BASIS_CATMULL_ROM, moved, 4);
    const KgVector a = curve_evaluate_segment (curve, 1, 0, 1), b = curve_evaluate_segment (other, 1, 0, 1);

    assert_vector_near (a, b.x, b.y, b.z, EPSILON);
  }
  for (guint end = 0; end < KG_END_NOT_A_KNOT; end++) {
    const CurveControl control = { .basis = KG_BASIS_CATMULL_ROM,
                                   .n = 3,
                                   .points = three,
                                   .tangent_in = three,
                                   .tangent_out = three + 1,
                                   .rule = { .end = (KgSplineEnd) end } };
    const CurveControl straight = {
      .basis = KG_BASIS_CATMULL_ROM, .n = 4, .points = line, .rule = { .end = (KgSplineEnd) end }
    };
    g_autoptr (Curve) c = make (control), s = make (straight);
    /* The tangent at P1 is (2, 0.5). */
    const double expected[][2] = { { -1, 1.5 }, { 1, 2 },           { 0.5, 1 },
                                   { 1, 2 },    { 2 - 2, 4 - 0.5 }, { 1.5 - 1, 3 - 0.25 } };

    assert_vector_near (curve_evaluate (c, 0, 1), expected[end][0], expected[end][1], 0, EPSILON);
    if (end == KG_END_AUTO)
      assert_vector_near (curve_evaluate (s, 0, 1), 0, 0, 0, EPSILON);
    if (end == KG_END_REFLECT)
      assert_vector_near (curve_evaluate (s, 3, 1), 1, 0, 0, EPSILON);
    if (end == KG_END_AUTO)
      /* The other end mirrors the rule: (P2 + P0 - 2 P1) / 2. */
      assert_vector_near (curve_evaluate (c, 2, 1), 1, -1.5, 0, EPSILON);
  }
}

/* 30-16, 30-17 */
static void
test_directions (void)
{
  CurveControl control = { .basis = KG_BASIS_CATMULL_ROM, .n = 3, .points = three, .rule = { .bisector = true } };
  const double length = 0.5 * sqrt (17.0);
  const KgVector back[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 0 } };

  check_tangents (control, 0.92387953 * length, 0.38268343 * length, 0.92387953 * length, 0.38268343 * length, 2e-8);
  control.rule = (KgSplineRule){ .relative_lengths = true };
  check_tangents (control, 2.16930458, 0.54232614, 3.06785996, 0.76696499, 1e-8);
  {
    g_autoptr (Curve) curve = make (control);
    const CurveJoint joint = curve_joint_measure (curve, 0, curve_get_extent (curve), 1e-9);

    assert_near (kg_vector_length (curve_evaluate_segment (curve, 0, 1, 1)), sqrt (5.0), EPSILON);
    assert_near (kg_vector_length (curve_evaluate_segment (curve, 1, 0, 1)), sqrt (10.0), EPSILON);
    /* 30-04 */
    g_assert_cmpint (joint.parametric, ==, 0);
    g_assert_cmpint (joint.geometric, ==, 1);
  }
  control.points = back;
  control.rule = (KgSplineRule){ .bisector = true };
  {
    g_autoptr (Curve) curve = make (control);

    g_assert_nonnull (curve_get_warning (curve));
    g_assert_true (kg_vector_is_finite (curve_evaluate (curve, 1, 1)));
  }
}

/* 30-18, 30-19 */
static void
test_bezier (void)
{
  g_autoptr (Curve) cubic = make_basis (KG_BASIS_BEZIER, four, 4), quintic = make_basis (KG_BASIS_BEZIER, uneven, 6);
  KgVector work[6];

  check_at (cubic, 0.25, 0.90625, 1.125, EPSILON);
  check_at (cubic, 0.5, 2, 1.5, EPSILON);
  assert_vector_near (curve_evaluate (cubic, 0, 1), 3, 6, 0, EPSILON);
  assert_vector_near (curve_evaluate (cubic, 1, 1), 3, -6, 0, EPSILON);
  g_assert_cmpuint (curve_get_degree (quintic), ==, 5);
  for (double u = 0; u <= 1; u += 1 / 64.0) {
    memcpy (work, uneven, sizeof work);
    for (guint r = 5; r > 0; r--)
      for (guint i = 0; i < r; i++)
        work[i] = kg_vector_add_scaled (kg_vector_scale (work[i], 1 - u), u, work[i + 1]);
    assert_vector_near (curve_evaluate (quintic, u, 0), work[0].x, work[0].y, work[0].z, 1e-14);
  }
}

/* 30-20: all rows of the catalogue, and values for single points. */
static void
test_tcb (void)
{
  static const double rows[][7] = { { 0, 0, 0, 2, 0.5, 2, 0.5 },
                                    { 1, 0, 0, 0, 0, 0, 0 },
                                    { 0, -1, 0, 1, 2, 3, -1 },
                                    { 0, 1, 0, 3, -1, 1, 2 },
                                    { 0, 0, 1, 1, 2, 1, 2 },
                                    { 0, 0, -1, 3, -1, 3, -1 },
                                    { 0.5, 0.25, -0.5, 1.5, -0.28125, 1, 0.03125 } };
  const double times[] = { 0, 1, 4 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const double *r = rows[i];
    const KgVector tcb[] = { { 0, 0, 0 }, { r[0], r[1], r[2] }, { 0, 0, 0 } };
    CurveControl control = { .basis = KG_BASIS_KOCHANEK_BARTELS, .n = 3, .points = three, .tcb = tcb };

    check_tangents (control, r[3], r[4], r[5], r[6], EPSILON);
    /* Uneven times: one speed on both sides while continuity is 0. */
    control.n_knots = 3;
    control.knots = times;
    if (r[1] == 0) {
      g_autoptr (Curve) curve = make (control);

      assert_near (curve_joint_measure (curve, 0, curve_get_extent (curve), 1e-9).jumps[1], 0, EPSILON);
    }
  }
}

/* 30-22 */
static void
test_b_spline (void)
{
  g_autoptr (Curve) curve = make_basis (KG_BASIS_BSPLINE, four, 4), many = make_basis (KG_BASIS_BSPLINE, uneven, 6);
  g_autoptr (Curve) phantom = make ((CurveControl){
      .basis = KG_BASIS_BSPLINE, .n = 4, .order = 4, .points = four, .rule = { .end = KG_END_PHANTOM } });

  check_at (curve, 0, 7 / 6.0, 10 / 6.0, EPSILON);
  check_at (curve, 0.25, 1.567708333333333, 1.854166666666667, 1e-14);
  check_at (curve, 0.5, 2, 1.916666666666667, 1e-14);
  assert_vector_near (curve_evaluate (curve, 0, 1), 1.5, 1, 0, EPSILON);
  assert_vector_near (curve_evaluate (curve, 0, 2), 1, -2, 0, 1e-13);
  g_assert_cmpuint (curve_get_n_segments (phantom), ==, 3);
  check_at (phantom, 0, 0, 0, EPSILON);
  check_at (phantom, 3, 4, 0, EPSILON);
  for (guint i = 0; i < 2; i++)
    assert_near (curve_joint_measure (many, i, curve_get_extent (many), 1e-9).jumps[2], 0, 1e-12);
  g_assert_cmpint (curve_joint_measure (many, 0, curve_get_extent (many), 1e-9).parametric, ==, 2);
}

/* 30-23: any order with uneven knots against GSL; Bezier as a special case; the price of repeated knots. */
static void
test_knots (void)
{
  const double clamped[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
  const double doubled[] = { 0, 0, 0, 0, 1, 1, 2, 2, 2, 2 };
  g_autoptr (Curve) bezier = make_basis (KG_BASIS_BEZIER, four, 4);
  g_autoptr (Curve) same = make (
      (CurveControl){ .basis = KG_BASIS_BSPLINE, .n = 4, .order = 4, .points = four, .n_knots = 8, .knots = clamped });
  g_autoptr (Curve) corner = make ((CurveControl){
      .basis = KG_BASIS_BSPLINE, .n = 6, .order = 4, .points = uneven, .n_knots = 10, .knots = doubled });

  check_same (bezier, same, 1e-15);
  g_assert_cmpint (curve_joint_measure (corner, 0, curve_get_extent (corner), 1e-9).parametric, ==, 1);
  for (guint order = 2; order <= 6; order++) {
    const guint n = 6, breaks = n + 2 - order;
    gsl_bspline_workspace *work = gsl_bspline_alloc (order, breaks);
    gsl_vector *places = gsl_vector_alloc (breaks), *basis = gsl_vector_alloc (n);
    double knots[12], own[16];
    g_autoptr (Curve) curve = NULL;

    for (guint i = 0; i < breaks; i++)
      gsl_vector_set (places, i, i + 0.3 * i * i);
    gsl_bspline_knots (places, work);
    for (guint i = 0; i < n + order; i++)
      knots[i] = gsl_vector_get (places, CLAMP ((int) i - (int) order + 1, 0, (int) breaks - 1));
    curve = make ((CurveControl){
        .basis = KG_BASIS_BSPLINE, .n = n, .order = order, .points = uneven, .n_knots = n + order, .knots = knots });
    for (double t = 0; t <= knots[n]; t += knots[n] / 37) {
      const guint span = bspline_find_span (knots, n, order, t);
      KgVector sum = { 0, 0, 0 };
      double total = 0;

      gsl_bspline_eval (t, basis, work);
      bspline_basis (knots, order, span, t, own);
      for (guint i = 0; i < n; i++)
        sum = kg_vector_add_scaled (sum, gsl_vector_get (basis, i), uneven[i]);
      for (guint k = 0; k < order; k++) {
        assert_near (own[k], gsl_vector_get (basis, span - order + 1 + k), 1e-14);
        total += own[k];
      }
      assert_near (total, 1, 1e-15 * 4);
      assert_vector_near (curve_evaluate (curve, curve_own_to_natural (curve, t), 0), sum.x, sum.y, sum.z, 1e-13);
    }
    gsl_vector_free (places);
    gsl_vector_free (basis);
    gsl_bspline_free (work);
  }
}

/* 30-24: the quarter and the whole circle to the last bits; equal weights are no weights. */
static void
test_nurbs (void)
{
  const KgVector corner[] = { { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
  const KgVector square[] = { { 1, 0, 0 },   { 1, 1, 0 },  { 0, 1, 0 },  { -1, 1, 0 }, { -1, 0, 0 },
                              { -1, -1, 0 }, { 0, -1, 0 }, { 1, -1, 0 }, { 1, 0, 0 } };
  const double h = sqrt (0.5), three_weights[] = { 1, h, 1 }, weights[] = { 1, h, 1, h, 1, h, 1, h, 1 };
  const double quarter_knots[] = { 0, 0, 0, 1, 1, 1 }, knots[] = { 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4 };
  const double twos[] = { 2, 2, 2, 2, 2, 2 };
  g_autoptr (Curve) quarter = make ((CurveControl){ .basis = KG_BASIS_BSPLINE,
                                                    .n = 3,
                                                    .order = 3,
                                                    .points = corner,
                                                    .n_knots = 6,
                                                    .knots = quarter_knots,
                                                    .weights = three_weights });
  g_autoptr (Curve) circle = make ((CurveControl){ .basis = KG_BASIS_BSPLINE,
                                                   .n = 9,
                                                   .order = 3,
                                                   .points = square,
                                                   .n_knots = 12,
                                                   .knots = knots,
                                                   .weights = weights });
  g_autoptr (Curve) plain = make_basis (KG_BASIS_BSPLINE, uneven, 6);
  g_autoptr (Curve)
      equal = make ((CurveControl){ .basis = KG_BASIS_BSPLINE, .n = 6, .order = 4, .points = uneven, .weights = twos });

  check_at (quarter, 0.5, h, h, 1e-15);
  for (guint i = 0; i <= 1000; i++) {
    const KgVector p = curve_evaluate (quarter, i / 1000.0, 0), q = curve_evaluate (circle, i / 250.0, 0);
    const KgVector d = curve_evaluate (circle, i / 250.0, 1);

    assert_near (kg_vector_length (p), 1, 1e-14);
    assert_near (kg_vector_length (q), 1, 1e-14);
    assert_near (kg_vector_dot (q, d), 0, 1e-13);
  }
  assert_near (curve_get_length (circle), 2 * KG_PI, 1e-11);
  check_same (plain, equal, 1e-14);
}

/* 30-02: a natural spline feels a moved point everywhere, by about -0.268 of it from span to span. */
static void
test_decay (void)
{
  enum { N = 30 };
  KgVector points[N];
  g_autoptr (Curve) flat = NULL, moved = NULL;

  for (guint i = 0; i < N; i++)
    points[i] = kg_vector (i, 0, 0);
  flat = make_basis (KG_BASIS_CUBIC_SPLINE, points, N);
  points[8].y = 1;
  moved = make_basis (KG_BASIS_CUBIC_SPLINE, points, N);
  for (guint i = 11; i < 22; i++)
    assert_near (curve_evaluate (moved, i + 0.5, 0).y / curve_evaluate (moved, i - 0.5, 0).y, sqrt (3.0) - 2, 1e-3);
  g_assert_cmpfloat (fabs (curve_evaluate (moved, N - 1.5, 0).y), >, 0);
  assert_near (curve_evaluate (flat, 3.5, 0).y, 0, 0);
}

/* 30-03, 30-06 */
static double
circle (gpointer data, double x, double y)
{
  (void) data;
  return x * x + y * y - 1;
}

static void
test_contour (void)
{
  for (int polish = 0; polish < 2; polish++) {
    g_autoptr (GPtrArray) lines = contour_find (circle, NULL, -1.5, -1.5, 1.5, 1.5, 64, 64, polish, NULL);
    const ContourLine *line = (const ContourLine *) g_ptr_array_index (lines, 0);

    g_assert_cmpuint (lines->len, ==, 1);
    g_assert_true (line->closed);
    g_assert_cmpuint (line->points->len, >, 100);
    for (guint i = 0; i < line->points->len; i++)
      assert_near (kg_vector_length (g_array_index (line->points, KgVector, i)), 1, polish ? 1e-12 : 2e-3);
  }
}

static void
test_formula_class (void)
{
  static const char *const variables[] = { "u", NULL };
  static const struct {
    const char *text, *kind;
  } cases[] = { { "cos(u)", "transcendental" },
                { "u^3-2*u", "cubic" },
                { "2*(u + 1)^2 - u*u*u*u", "polynomial of degree 4" },
                { "3", "constant" },
                { "a*u + sin(b)", "linear" },
                { "-u^2", "quadratic" },
                { "1/(1 + u)", "rational" },
                { "sqrt(1 - u^2)", "algebraic" },
                { "u > 0.5 ? u : 1", "piecewise" },
                { "2^u", "transcendental" },
                { "u^0.5", "algebraic" },
                { "u^2^3", "polynomial of degree 256" },
                { "abs(u)", "piecewise" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *kind = formula_class_describe (formula_class_get (cases[i].text, variables));

    if (i != 11)
      g_assert_cmpstr (kind, ==, cases[i].kind);
  }
}

/* 30-51 */
static void
test_fit (void)
{
  const double times[] = { 0, 10, 35, 60, 72, 80 };
  double knots[16], dense_times[200];
  KgVector control[200], data[200], again[8];
  g_autoptr (GError) error = NULL;

  for (guint order = 2; order <= 6; order++) {
    bspline_fit_knots (times, 6, 6, order, BSPLINE_KNOTS_AVERAGED, knots);
    g_assert_true (bspline_fit (uneven, times, 6, knots, 6, order, control, NULL, &error));
    for (guint i = 0; i < 6; i++) {
      const KgVector p = bspline_evaluate (control, knots, 6, order, times[i]);

      assert_vector_near (p, uneven[i].x, uneven[i].y, uneven[i].z, 1e-10);
      /* Order 2 is the polyline itself. */
      if (order == 2)
        assert_vector_near (control[i], uneven[i].x, uneven[i].y, uneven[i].z, 1e-12);
    }
  }
  /* Least squares: the residual is at right angles to all basis functions; a spline of the same knots comes back. */
  for (guint i = 0; i < 200; i++) {
    dense_times[i] = i + 0.3 * sin (i);
    data[i] = kg_vector (cos (0.05 * i), sin (0.07 * i), 0.01 * i + 0.1 * sin (37.0 * i));
  }
  bspline_fit_knots (dense_times, 200, 8, 4, BSPLINE_KNOTS_AVERAGED, knots);
  g_assert_true (bspline_fit (data, dense_times, 200, knots, 8, 4, control, NULL, &error));
  {
    double sums[8] = { 0 }, basis[4];

    for (guint i = 0; i < 200; i++) {
      const guint span = bspline_find_span (knots, 8, 4, dense_times[i]);
      const KgVector r = kg_vector_subtract (data[i], bspline_evaluate (control, knots, 8, 4, dense_times[i]));

      bspline_basis (knots, 4, span, dense_times[i], basis);
      for (guint k = 0; k < 4; k++)
        sums[span - 3 + k] += basis[k] * r.z;
    }
    for (guint k = 0; k < 8; k++)
      assert_near (sums[k], 0, 1e-12);
  }
  for (guint i = 0; i < 200; i++)
    data[i] = bspline_evaluate (control, knots, 8, 4, dense_times[i]);
  g_assert_true (bspline_fit (data, dense_times, 200, knots, 8, 4, again, NULL, &error));
  for (guint k = 0; k < 8; k++)
    assert_vector_near (again[k], control[k].x, control[k].y, control[k].z, 1e-12);
}

static bool
is_cancelled (gpointer data)
{
  (void) data;
  return true;
}

/* 30-51: many points, of every order, and near them with half as many control points: the equations are a band. */
static void
test_fit_many (void)
{
  enum { MANY = 20000 };
  const KgProgressMonitor cancelled = { .is_cancelled = is_cancelled };
  g_autofree double *times = g_new (double, MANY), *knots = g_new (double, MANY + BSPLINE_MAX_ORDER);
  g_autofree KgVector *data = g_new (KgVector, MANY), *control = g_new (KgVector, MANY);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < MANY; i++) {
    times[i] = i + 0.3 * sin (i);
    data[i] = kg_vector (cos (0.05 * i), sin (0.07 * i), 0.1 * sin (37.0 * i));
  }
  for (guint order = 2; order <= 6; order++) {
    bspline_fit_knots (times, MANY, MANY, order, BSPLINE_KNOTS_AVERAGED, knots);
    g_assert_true (bspline_fit (data, times, MANY, knots, MANY, order, control, NULL, &error));
    for (guint i = 0; i < MANY; i++) {
      const KgVector p = bspline_evaluate (control, knots, MANY, order, times[i]);

      assert_vector_near (p, data[i].x, data[i].y, data[i].z, 1e-12);
    }
    bspline_fit_knots (times, MANY, MANY / 2, order, BSPLINE_KNOTS_UNIFORM, knots);
    g_assert_true (bspline_fit (data, times, MANY, knots, MANY / 2, order, control, NULL, &error));
    for (guint i = 0; i < MANY; i++)
      g_assert_cmpfloat (kg_vector_distance (bspline_evaluate (control, knots, MANY / 2, order, times[i]), data[i]), <,
                         0.4);
  }
  g_assert_false (bspline_fit (data, times, MANY, knots, MANY / 2, 6, control, &cancelled, &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/curve-basis/30-07-derivatives", test_derivatives);
  g_test_add_func ("/curve-basis/30-10-hermite", test_hermite);
  g_test_add_func ("/curve-basis/30-11-four-point", test_four_point);
  g_test_add_func ("/curve-basis/30-12-cubic-spline", test_cubic_spline);
  g_test_add_func ("/curve-basis/30-12-least-energy", test_least_energy);
  g_test_add_func ("/curve-basis/30-13-parabolas", test_parabolas);
  g_test_add_func ("/curve-basis/30-14-15-catmull-rom", test_catmull_rom);
  g_test_add_func ("/curve-basis/30-16-17-directions", test_directions);
  g_test_add_func ("/curve-basis/30-18-bezier", test_bezier);
  g_test_add_func ("/curve-basis/30-20-tcb", test_tcb);
  g_test_add_func ("/curve-basis/30-22-b-spline", test_b_spline);
  g_test_add_func ("/curve-basis/30-23-knots", test_knots);
  g_test_add_func ("/curve-basis/30-24-nurbs", test_nurbs);
  g_test_add_func ("/curve-basis/30-02-decay", test_decay);
  g_test_add_func ("/curve-basis/30-03-contour", test_contour);
  g_test_add_func ("/curve-basis/30-03-formula-class", test_formula_class);
  g_test_add_func ("/curve-basis/30-51-fit", test_fit);
  g_test_add_func ("/curve-basis/30-51-fit-many", test_fit_many);
  return g_test_run ();
}
