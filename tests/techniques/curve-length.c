/* tests/techniques/curve-length: measuring curves, against closed forms and catalogue 30-28 to 30-39.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "curve/arc_methods.h"

/* The reference curve of the catalogue, its length and two facts of it. */
static const KgVector curve_a[] = { { 0, 0, 0 }, { 1, 2, 0 }, { 3, 2, 0 }, { 4, 0, 0 } };
#define LENGTH_A 5.268365543018513
#define LENGTH_A_TO_03 1.7079444421843895
#define PARAMETER_A_QUARTER 0.22265239049003

static Curve *
make_bezier (const KgVector *points, guint n)
{
  const CurveControl control = { .basis = KG_BASIS_BEZIER, .n = n, .points = points };
  g_autoptr (GError) error = NULL;
  Curve *curve = curve_new_from_control (&control, &error);

  g_assert_no_error (error);
  return curve;
}

static ArcTable
measure (const Curve *curve, ArcRequest request)
{
  g_autoptr (GError) error = NULL;
  ArcTable table;

  request.to = request.to > 0 ? request.to : curve_get_n_segments (curve);
  request.tolerance = request.tolerance > 0 ? request.tolerance : 1e-6;
  request.order = request.order > 0 ? request.order : 10;
  request.max_depth = request.max_depth > 0 ? request.max_depth : 40;
  g_assert_true (arc_table_build (&table, curve, &request, &error));
  g_assert_no_error (error);
  return table;
}

/* 30-28, 30-39: the core's length, and its inverse. */
static void
test_core (void)
{
  g_autoptr (Curve) a = make_bezier (curve_a, 4);
  double lengths[1001], u[1001];
  guint n_iterations;

  assert_near (curve_get_length (a), LENGTH_A, 1e-12);
  assert_near (curve_get_length_to (a, 0.3), LENGTH_A_TO_03, 1e-12);
  assert_near (curve_get_parameter (a, LENGTH_A / 4), PARAMETER_A_QUARTER, 1e-12);
  assert_near (curve_get_parameter (a, LENGTH_A / 2), 0.5, 1e-12);
  /* The catalogue: typically at most four steps; rest at the start takes more, and ends all the same. */
  assert_near (curve_search_parameter (a, LENGTH_A / 4, &n_iterations), PARAMETER_A_QUARTER, 1e-12);
  g_assert_cmpuint (n_iterations, >=, 1);
  g_assert_cmpuint (n_iterations, <=, 4);
  assert_near (curve_get_parameter (a, -1), 0, 0);
  assert_near (curve_get_parameter (a, 9), 1, 0);
  /* There and back for all lengths, and ten equal arcs. */
  for (int i = 0; i <= 1000; i++)
    lengths[i] = i * LENGTH_A / 1000;
  curve_get_parameters (a, lengths, 1001, u);
  for (int i = 0; i <= 1000; i++) {
    assert_near (curve_get_length_to (a, u[i]), lengths[i], 1e-12);
    g_assert_true (u[i] == curve_get_parameter (a, lengths[i]));
    g_assert_true (i == 0 || u[i] > u[i - 1]);
  }
  for (int i = 0; i < 10; i++)
    assert_near (curve_get_length_to (a, u[100 * (i + 1)]) - curve_get_length_to (a, u[100 * i]), 0.5268365543, 1e-10);
}

/* 30-31 stress: (u², u³), at rest at its start; the exact inverse is sqrt (((27 s + 8)^(2/3) - 4) / 9). */
static void
test_cusp (void)
{
  const KgVector points[] = { { 0, 0, 0 }, { 0, 0, 0 }, { 1.0 / 3, 0, 0 }, { 1, 1, 0 } };
  g_autoptr (Curve) curve = make_bezier (points, 4);

  assert_near (curve_get_length (curve), (13 * sqrt (13.0) - 8) / 27, 1e-10);
  for (double s = 1e-12; s < 1.4; s *= 3)
    assert_near (curve_get_parameter (curve, s), sqrt ((pow (27 * s + 8, 2.0 / 3) - 4) / 9), 1e-5 * sqrt (s) + 1e-9);
}

/* 30-31: parabolas, lines and circles, whole and in parts. */
static void
test_closed_form (void)
{
  const KgVector parabola[] = { { 0, 0, 0 }, { 1, 2, 0 }, { 2, 0, 0 } };
  const KgVector line[] = { { 1, 1, 0 }, { 1, 1, 0 }, { 4, 5, 0 } }; /* starts from rest */
  const KgVector back[] = { { 0, 0, 0 }, { 3, 0, 0 }, { 1, 0, 0 } }; /* goes to 1.8 and returns */
  const KgVector corner[] = { { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
  const double weights[] = { 1, sqrt (0.5), 1 };
  const CurveControl quarter = { .basis = KG_BASIS_BEZIER, .n = 3, .points = corner, .weights = weights };
  g_autoptr (Curve) p = make_bezier (parabola, 3), l = make_bezier (line, 3), b = make_bezier (back, 3);
  g_autoptr (Curve) q = curve_new_from_control (&quarter, NULL), a = make_bezier (curve_a, 4);
  g_auto (ArcTable) tp = measure (p, (ArcRequest){ .method = ARC_CLOSED_FORM });
  g_auto (ArcTable) tl = measure (l, (ArcRequest){ .method = ARC_CLOSED_FORM });
  g_auto (ArcTable) tb = measure (b, (ArcRequest){ .method = ARC_CLOSED_FORM });
  g_auto (ArcTable) tq = measure (q, (ArcRequest){ .method = ARC_CLOSED_FORM });
  g_auto (ArcTable) part = measure (p, (ArcRequest){ .method = ARC_CLOSED_FORM, .from = 0.2, .to = 0.7 });
  g_auto (ArcTable) same = measure (p, (ArcRequest){ .from = 0.2, .to = 0.7, .tolerance = 1e-13 });
  g_auto (ArcTable) none = measure (a, (ArcRequest){ .method = ARC_CLOSED_FORM });

  assert_near (tp.length, 2.957885715089195, 1e-12);
  assert_near (tl.length, 5, 1e-14);
  assert_near (tb.length, 1.8 + 0.8, 1e-14);
  assert_near (tq.length, KG_PI / 2, 1e-14);
  assert_near (part.length, same.length, 1e-12);
  g_assert_false (tp.substituted || tl.substituted || tb.substituted || tq.substituted);
  g_assert_true (none.substituted);
  assert_near (none.length, LENGTH_A, 1e-9);
}

/* 30-32, 30-35: chords, and the same table from more of them. */
static void
test_chords (void)
{
  static const guint n[] = { 10, 20, 40, 80, 160 };
  static const double lengths[] = { 5.2577440324048, 5.2657116041103, 5.2677021482384, 5.2681996999455,
                                    5.2683240826017 };
  g_autoptr (Curve) a = make_bezier (curve_a, 4);
  g_auto (ArcTable) fine = measure (a, (ArcRequest){ .method = ARC_TABLE, .entries = 160 });
  g_auto (ArcTable) super = measure (a, (ArcRequest){ .method = ARC_TABLE, .entries = 10, .supersample = 16 });

  for (guint i = 0; i < G_N_ELEMENTS (n); i++) {
    g_auto (ArcTable) table = measure (a, (ArcRequest){ .method = ARC_TABLE, .entries = n[i] });

    assert_near (table.length, lengths[i], 1e-12);
    g_assert_cmpfloat (table.length, <, LENGTH_A);
    g_assert_cmpuint (table.n, ==, n[i] + 1);
    g_assert_cmpuint (table.evaluations, ==, n[i] + 1);
    if (i > 0)
      assert_near ((LENGTH_A - lengths[i - 1]) / (LENGTH_A - lengths[i]), 4, 0.03);
  }
  g_assert_cmpuint (super.n, ==, 11);
  assert_near (super.length, 5.2683240826017, 1e-12);
  for (guint i = 0; i <= 10; i++)
    g_assert_true (super.s[i] == fine.s[16 * i]);
}

/* 30-36: entries where the curve bends, and the curve that fools the test. */
static void
test_adaptive_chords (void)
{
  static const struct {
    double tolerance;
    guint n;
    double length;
  } cases[] = { { 0.1, 9, 5.251762691747 },
                { 0.01, 17, 5.264218341887 },
                { 0.001, 33, 5.267328962322 },
                { 0.0001, 65, 5.268106411570 } };
  /* (u, 8 u (u - 1/2) (u - 1)) = (u, 8 u³ - 12 u² + 4 u) */
  const KgVector s_points[] = { { 0, 0, 0 }, { 1.0 / 3, 4.0 / 3, 0 }, { 2.0 / 3, -4.0 / 3, 0 }, { 1, 0, 0 } };
  g_autoptr (Curve) a = make_bezier (curve_a, 4), s = make_bezier (s_points, 4);
  g_auto (ArcTable) fooled = measure (s, (ArcRequest){ .method = ARC_ADAPTIVE_TABLE, .tolerance = 1e-3 });
  g_auto (ArcTable)
      forced = measure (s, (ArcRequest){ .method = ARC_ADAPTIVE_TABLE, .tolerance = 1e-6, .min_depth = 2 });

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (ArcTable)
        table = measure (a, (ArcRequest){ .method = ARC_ADAPTIVE_TABLE, .tolerance = cases[i].tolerance });

    g_assert_cmpuint (table.n, ==, cases[i].n);
    assert_near (table.length, cases[i].length, 1e-11);
    for (guint k = 1; k < table.n; k++)
      g_assert_true (table.u[k] > table.u[k - 1] && table.s[k] > table.s[k - 1]);
  }
  assert_near (fooled.length, 1, 1e-14);
  assert_near (forced.length, 1.9128990587, 1e-4);
  assert_near (curve_get_length (s), 1.9128990587, 1e-9);
}

/* 30-37: one Gauss rule; the weights of any order add to two; a line to the last bit; Simpson and trapezoid converge as
 * they should. */
static void
test_quadrature (void)
{
  const KgVector line[] = { { 0, 0, 0 }, { 1, 0, 0 } };
  g_autoptr (Curve) a = make_bezier (curve_a, 4), l = make_bezier (line, 2);
  g_auto (ArcTable) gauss = measure (a, (ArcRequest){ .method = ARC_GAUSS });

  assert_near (gauss.length, 5.268365544826, 1e-12);
  assert_near (gauss.length - LENGTH_A, 1.8e-9, 1e-10);
  g_assert_cmpuint (gauss.evaluations, ==, 10);
  for (guint order = 2; order <= 40; order++) {
    g_auto (ArcTable) one = measure (l, (ArcRequest){ .method = ARC_GAUSS, .order = order });

    assert_near (one.length, 1, order == 10 ? 2e-15 : 1e-13);
  }
  for (guint n = 32; n <= 256; n *= 2) {
    g_auto (ArcTable) t = measure (a, (ArcRequest){ .method = ARC_TRAPEZOID, .entries = n });
    g_auto (ArcTable) t2 = measure (a, (ArcRequest){ .method = ARC_TRAPEZOID, .entries = 2 * n });
    g_auto (ArcTable) s = measure (a, (ArcRequest){ .method = ARC_SIMPSON, .entries = n });
    g_auto (ArcTable) s2 = measure (a, (ArcRequest){ .method = ARC_SIMPSON, .entries = 2 * n });

    assert_near ((t.length - LENGTH_A) / (t2.length - LENGTH_A), 4, 0.05);
    if (n < 128)
      assert_near ((s.length - LENGTH_A) / (s2.length - LENGTH_A), 16, 2);
  }
}

/* 30-38: the table of adaptive quadrature, and that lengths add. */
static void
test_adaptive_gauss (void)
{
  static const struct {
    double tolerance;
    guint n;
  } cases[] = { { 1e-6, 3 }, { 1e-9, 5 } };
  g_autoptr (Curve) a = make_bezier (curve_a, 4);

  for (guint i = 0; i < 2; i++) {
    g_auto (ArcTable) table = measure (a, (ArcRequest){ .tolerance = cases[i].tolerance });
    g_auto (ArcTable) head = measure (a, (ArcRequest){ .tolerance = cases[i].tolerance, .to = 0.3 });
    g_auto (ArcTable) tail = measure (a, (ArcRequest){ .tolerance = cases[i].tolerance, .from = 0.3, .to = 1 });

    g_assert_cmpuint (table.n, ==, cases[i].n);
    assert_near (table.length, LENGTH_A, 1e-12);
    assert_near (head.length, LENGTH_A_TO_03, 1e-10);
    assert_near (head.length + tail.length, table.length, 2 * cases[i].tolerance);
    g_assert_true (table.u[0] == 0 && table.s[0] == 0);
  }
}

/* 30-34, 30-35: there and back through a table, linear and by monotone cubics, which are much nearer to the truth. */
static void
test_round_trip (void)
{
  g_autoptr (Curve) a = make_bezier (curve_a, 4);
  g_auto (ArcTable) table = measure (a, (ArcRequest){ .method = ARC_TABLE, .entries = 20, .supersample = 200 });
  const double stalled[] = { 0, 0, 1, 1, 2, 1, 3, 2 };
  g_auto (ArcTable) rest = { .n = 0 };
  double worst[2] = { 0, 0 };

  for (int i = 0; i <= 500; i++) {
    const double u = i / 500.0, exact = curve_get_length_to (a, u);

    for (int k = 0; k < 2; k++) {
      const ArcLookup lookup = k == 0 ? ARC_LINEAR : ARC_CUBIC;
      const double s = arc_table_length (&table, u, lookup);

      assert_near (arc_table_parameter (&table, s, lookup), u, 1e-12);
      worst[k] = fmax (worst[k], fabs (s - exact));
    }
  }
  g_assert_cmpfloat (worst[1], <, worst[0] / 20);
  /* A stalled span: the parameter where the length is first reached, whatever the look-up. */
  g_assert_true (arc_table_read (&rest, stalled, 8, NULL));
  for (int lookup = 0; lookup < 3; lookup++)
    assert_near (arc_table_parameter (&rest, 1, (ArcLookup) lookup), 1, 1e-9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/curve-length/30-28-39-core", test_core);
  g_test_add_func ("/curve-length/30-39-cusp", test_cusp);
  g_test_add_func ("/curve-length/30-31-closed-form", test_closed_form);
  g_test_add_func ("/curve-length/30-32-chords", test_chords);
  g_test_add_func ("/curve-length/30-36-adaptive-chords", test_adaptive_chords);
  g_test_add_func ("/curve-length/30-37-quadrature", test_quadrature);
  g_test_add_func ("/curve-length/30-38-adaptive-gauss", test_adaptive_gauss);
  g_test_add_func ("/curve-length/30-34-35-round-trip", test_round_trip);
  return g_test_run ();
}
