/* tests/techniques/curve-convert: control points in another basis, against their closed forms; the curve stays the same.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "curve/curve_convert.h"
#include "kg-error.h"

#include <string.h>

static const KgVector four[] = { { 0, 0, 0 }, { 1, 2, 0 }, { 3, 2, 1 }, { 4, 0, 0 } };
static const KgVector seven[] = { { 0, 0, 0 },  { 1, 2, 0 },  { 3, 2, 1 }, { 4, 0, 0 },
                                  { 5, -2, 0 }, { 7, -1, 2 }, { 8, 1, 0 } };

static Curve *
make (CurveControl control)
{
  g_autoptr (GError) error = NULL;
  Curve *curve = curve_new_from_control (&control, &error);

  g_assert_no_error (error);
  return curve;
}

/* The control points of the curve in a basis. */
static CurveControlCopy
convert (const Curve *curve, CurveTarget to, guint degree)
{
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  g_autoptr (GError) error = NULL;
  CurveControlCopy copy = { 0 };

  curve_convert (curve, to, degree, geometry, NULL, &error);
  g_assert_no_error (error);
  curve_control_read (geometry, 0, &copy, &error);
  g_assert_no_error (error);
  return copy;
}

static void
test_bezier (void)
{
  g_autoptr (Curve) parabola = make ((CurveControl){ .basis = KG_BASIS_BEZIER, .points = four, .n = 3 });
  g_autoptr (Curve)
      catmull_rom = make ((CurveControl){ .basis = KG_BASIS_CATMULL_ROM, .points = seven, .n = 7, .order = 4 });
  g_auto (CurveControlCopy) raised = convert (parabola, CURVE_TO_BEZIER, 3),
                            pieces = convert (catmull_rom, CURVE_TO_BEZIER, 0);

  /* Raised from 2 to 3: P0, (P0 + 2 P1) / 3, (2 P1 + P2) / 3, P2. */
  g_assert_cmpuint (raised.control.n, ==, 4);
  assert_vector_near (raised.points[0], 0, 0, 0, 0);
  assert_vector_near (raised.points[1], 2.0 / 3, 4.0 / 3, 0, 1e-6);
  assert_vector_near (raised.points[2], 5.0 / 3, 2, 1.0 / 3, 1e-6);
  assert_vector_near (raised.points[3], 3, 2, 1, 0);
  /* Between the points 2 and 3: P2 + (P3 - P1) / 6 and P3 - (P4 - P2) / 6. */
  g_assert_cmpuint (pieces.control.n, ==, 19);
  assert_vector_near (pieces.points[6], 3, 2, 1, 0);
  assert_vector_near (pieces.points[7], 3.5, 2 - 1.0 / 3, 1, 1e-6);
  assert_vector_near (pieces.points[8], 4 - 1.0 / 3, 2.0 / 3, 1.0 / 6, 1e-6);
}

static void
test_hermite_and_four_point (void)
{
  g_autoptr (Curve) bezier = make ((CurveControl){ .basis = KG_BASIS_BEZIER, .points = four, .n = 4 });
  g_auto (CurveControlCopy) hermite = convert (bezier, CURVE_TO_HERMITE, 0);
  g_auto (CurveControlCopy) four_point = convert (bezier, CURVE_TO_FOUR_POINT, 0);

  /* Tangents of three times the legs. */
  g_assert_cmpuint (hermite.control.n, ==, 2);
  assert_vector_near (hermite.tangent_out[0], 3, 6, 0, 1e-6);
  assert_vector_near (hermite.tangent_in[1], 3, -6, -3, 1e-6);
  /* At a third: (8 P0 + 12 P1 + 6 P2 + P3) / 27. */
  g_assert_cmpuint (four_point.control.n, ==, 4);
  assert_vector_near (four_point.points[1], 34.0 / 27, 36.0 / 27, 6.0 / 27, 1e-6);
}

/* x = t, y = t²: the polar forms are the mean of the arguments, and of their products. */
static void
test_b_spline (void)
{
  static const KgVector parabola[] = { { 0, 0, 0 }, { 1.0 / 3, 0, 0 }, { 2.0 / 3, 1.0 / 3, 0 }, { 1, 1, 0 } };
  static const double y[] = { 2.0 / 3, -1.0 / 3, 2.0 / 3, 11.0 / 3 };
  g_autoptr (Curve) curve = make ((CurveControl){ .basis = KG_BASIS_BEZIER, .points = parabola, .n = 4 });
  g_auto (CurveControlCopy) uniform = convert (curve, CURVE_TO_UNIFORM_B_SPLINE, 0);
  g_auto (CurveControlCopy) clamped = convert (curve, CURVE_TO_B_SPLINE, 0);

  g_assert_cmpuint (uniform.control.n, ==, 4);
  for (guint i = 0; i < 4; i++)
    assert_vector_near (uniform.points[i], i - 1.0, y[i], 0, 1e-6);
  /* A single piece with its ends as knots of full multiplicity has its Bézier points. */
  g_assert_cmpuint (clamped.control.n, ==, 4);
  for (guint i = 0; i < 4; i++)
    assert_vector_near (clamped.points[i], parabola[i].x, parabola[i].y, 0, 1e-6);
}

/* Points are stored as floats: the curve moves by no more than their rounding. */
static void
test_round_trips (void)
{
  static const KgBasis bases[] = { KG_BASIS_CATMULL_ROM, KG_BASIS_CUBIC_SPLINE, KG_BASIS_BSPLINE, KG_BASIS_BEZIER };

  for (guint b = 0; b < G_N_ELEMENTS (bases); b++)
    for (guint closed = 0; closed < (bases[b] == KG_BASIS_BEZIER ? 1 : 2); closed++)
      for (int to = 0; to < CURVE_N_TARGETS; to++) {
        g_autoptr (KgGeometry) geometry = kg_geometry_new ();
        g_autoptr (GError) error = NULL;
        g_autoptr (Curve) before =
            make ((CurveControl){ .basis = bases[b], .points = seven, .n = 7, .order = 4, .closed = closed == 1 });
        g_autoptr (Curve) after = NULL;

        curve_convert (before, (CurveTarget) to, 0, geometry, NULL, &error);
        g_assert_no_error (error);
        after = curve_new (geometry, 0, &error);
        g_assert_no_error (error);
        assert_near (curve_convert_measure (before, after, NULL), 0, 1e-5);
      }
}

static void
test_refused (void)
{
  static const double weights[] = { 1, 2, 1 };
  g_autoptr (Curve) quartic = make ((CurveControl){ .basis = KG_BASIS_BEZIER, .points = seven, .n = 5 });
  g_autoptr (Curve)
      rational = make ((CurveControl){ .basis = KG_BASIS_BEZIER, .points = four, .n = 3, .weights = weights });
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (curve_convert (quartic, CURVE_TO_HERMITE, 0, geometry, NULL, &error));
  g_assert_nonnull (strstr (error->message, "a curve above degree 3"));
  g_clear_error (&error);
  g_assert_false (curve_convert (rational, CURVE_TO_FOUR_POINT, 0, geometry, NULL, &error));
  g_assert_nonnull (strstr (error->message, "a rational curve"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/curve-convert/bezier", test_bezier);
  g_test_add_func ("/curve-convert/hermite-and-four-point", test_hermite_and_four_point);
  g_test_add_func ("/curve-convert/b-spline", test_b_spline);
  g_test_add_func ("/curve-convert/round-trips", test_round_trips);
  g_test_add_func ("/curve-convert/refused", test_refused);
  return g_test_run ();
}
