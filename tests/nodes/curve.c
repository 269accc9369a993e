/* tests/nodes/curve: bases and arc length against closed forms and catalogue 30-10 to 30-39.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* Points are stored as floats: figures hold to their precision. */
#define FLOAT_EPSILON 1e-6

static NodeTest
make (const char *points, const char *basis, const char *parameter, const char *by)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "points", points, "basis", basis, NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"s.geometry\"}", "parameter", parameter, "by",
                 by, NULL);
  return test;
}

static void
check_point (const char *points, const char *basis, const char *parameter, double x, double y)
{
  NodeTest test = make (points, basis, parameter, "\"natural\"");

  assert_vector_near (node_test_vector (&test, "e.point", 0), x, y, 0, FLOAT_EPSILON);
  node_test_clear (&test);
}

static void
test_bases (void)
{
  static const char four[] = "\"0 0\\n1 2\\n3 2\\n4 0\"";

  check_point (four, "\"catmull-rom\"", "1.25", 1.453125, 2.1875); /* 30-14 */
  check_point (four, "\"catmull-rom\"", "1.5", 2, 2.25);
  check_point (four, "\"bezier\"", "0.25", 0.90625, 1.125); /* 30-18 */
  check_point (four, "\"bezier\"", "0.5", 2, 1.5);
  /* Uniform cubic B-spline: the middle of its one span is (1, 23, 23, 1) / 48. */
  check_point (four, "\"b-spline\"", "0.5", (23 + 69 + 4) / 48.0, 92 / 48.0);
  check_point (four, "\"linear\"", "2.5", 3.5, 1);
}

static void
test_tcb (void)
{
  /* 30-20: tangents at the middle point of (0,0), (1,2), (4,1) for tension, continuity, bias 0.5, 0.25, -0.5. */
  static const double cases[][7] = { { 0, 0, 0, 2, 0.5, 2, 0.5 },
                                     { 0, -1, 0, 1, 2, 3, -1 },
                                     { 0, 0, 1, 1, 2, 1, 2 },
                                     { 0.5, 0.25, -0.5, 1.5, -0.28125, 1, 0.03125 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double *c = cases[i], h = 1e-7;
    NodeTest test = make ("\"0 0\\n1 2\\n4 1\"", "\"kochanek-bartels\"", "1", "\"natural\"");
    g_autofree char *tension = g_strdup_printf ("%g", c[0]), *continuity = g_strdup_printf ("%g", c[1]);
    g_autofree char *bias = g_strdup_printf ("%g", c[2]), *before = g_strdup_printf ("%.17g", 1 - h);
    g_autofree char *after = g_strdup_printf ("%.17g", 1 + h);
    KgVector p, a, b;

    node_test_set (&test, "s", "tension", tension);
    node_test_set (&test, "s", "continuity", continuity);
    node_test_set (&test, "s", "bias", bias);
    p = node_test_vector (&test, "e.point", 0);
    assert_vector_near (p, 1, 2, 0, FLOAT_EPSILON);
    node_test_set (&test, "e", "parameter", before);
    a = node_test_vector (&test, "e.point", 0);
    node_test_set (&test, "e", "parameter", after);
    b = node_test_vector (&test, "e.point", 0);
    assert_near ((p.x - a.x) / h, c[3], 1e-5);
    assert_near ((p.y - a.y) / h, c[4], 1e-5);
    assert_near ((b.x - p.x) / h, c[5], 1e-5);
    assert_near ((b.y - p.y) / h, c[6], 1e-5);
    node_test_clear (&test);
  }
}

/* A parabola as a Bezier curve: P (u) = (u, u²) over 0..1 has the length asinh (2) / 4 + sqrt (5) / 2. */
static void
test_length (void)
{
  NodeTest test =
      make ("\"0 0\\n0.333333333333 0\\n0.666666666667 0.333333333333\\n1 1\"", "\"bezier\"", "0.5", "\"length\"");
  const double length = asinh (2.0) / 4 + sqrt (5.0) / 2;
  double low = 0, high = 1;

  assert_near (node_test_number (&test, "e.length", 0), length, 1e-6 * length);
  for (int i = 0; i < 60; i++) {
    const double u = 0.5 * (low + high);

    if (asinh (2 * u) / 4 + u * sqrt (1 + 4 * u * u) / 2 < 0.5 * length)
      low = u;
    else
      high = u;
  }
  assert_vector_near (node_test_vector (&test, "e.point", 0), low, low * low, 0, 1e-6 * length);
  node_test_clear (&test);
}

/* A point may be left otherwise than it is reached; Bezier handles are a third of the tangents. */
static void
test_tangents (void)
{
  const double h = 1e-6;
  NodeTest test = make ("\"0 0\\n1 0\\n2 0\"", "\"hermite\"", "0.5", "\"natural\"");
  KgVector p, a, b;

  node_test_set (&test, "s", "tangents", "\"1 2\\n3 4\\n5 6\"");
  /* The basis at one half: (p + q) / 2 + (out - in) / 8; without incoming ones they are the outgoing. */
  assert_vector_near (node_test_vector (&test, "e.point", 0), 0.5 - 0.25, -0.25, 0, FLOAT_EPSILON);
  node_test_set (&test, "s", "tangents_in", "\"9 9\\n-3 2\"");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 0.5 + 0.5, 0, 0, FLOAT_EPSILON);
  node_test_set (&test, "e", "parameter", "1.5");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 1.5 - 0.25, -0.25, 0, FLOAT_EPSILON);
  /* A corner at the middle point: the slopes on both sides are those typed. */
  node_test_set (&test, "e", "parameter", "1");
  p = node_test_vector (&test, "e.point", 0);
  node_test_set (&test, "e", "parameter", "0.999999");
  a = node_test_vector (&test, "e.point", 0);
  node_test_set (&test, "e", "parameter", "1.000001");
  b = node_test_vector (&test, "e.point", 0);
  assert_near ((p.x - a.x) / h, -3, 1e-4);
  assert_near ((p.y - a.y) / h, 2, 1e-4);
  assert_near ((b.x - p.x) / h, 3, 1e-4);
  assert_near ((b.y - p.y) / h, 4, 1e-4);
  node_test_clear (&test);

  /* The same as a Bezier curve with those handles, which the points of the other basis say themselves. */
  for (int i = 0; i <= 8; i++) {
    g_autofree char *u = g_strdup_printf ("%g", i / 4.0);
    NodeTest one = make ("\"0 0\\n4 0\\n6 2\"", "\"hermite\"", u, "\"natural\"");
    NodeTest two = make ("\"0 0\\n1 2\\n3 1\\n4 0\\n4 -1\\n5 2\\n6 2\"", "\"bezier\"", u, "\"natural\"");

    node_test_set (&one, "s", "handles", "true");
    node_test_set (&one, "s", "tangents", "\"1 2\\n0 -1\"");
    node_test_set (&one, "s", "tangents_in", "\"0 0\\n-1 1\\n-1 0\"");
    b = node_test_vector (&two, "e.point", 0);
    assert_vector_near (node_test_vector (&one, "e.point", 0), b.x, b.y, 0, 4 * FLOAT_EPSILON);
    node_test_clear (&one);
    node_test_clear (&two);
  }
}

static void
test_bad_tangents (void)
{
  NodeTest test = make ("\"0 0\\n1 0\"", "\"hermite\"", "0.5", "\"natural\"");

  node_test_set (&test, "s", "tangents_in", "\"1 1\\n1 1\\n1 1\"");
  node_test_fails (&test, "s.geometry", KG_ERROR_INVALID_VALUE);
  node_test_refuses (&test, "s", "tangents_in", "\"1 one\"", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* Equal steps of length are equal on a curve with uneven points. */
static void
test_even (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *p;
  double step = 0;

  node_test_add (&test, "curve/spline", "s", "points", "\"0 0\\n0.2 1\\n3 1.2\\n3.1 -1\\n5 0\"", NULL);
  node_test_add (&test, "curve/sample", "c", "geometry", "{\"link\": \"s.geometry\"}", "points", "2001", NULL);
  value = node_test_get (&test, "c.sampled", 0);
  p = kg_geometry_get_positions (value.geometry);
  for (int i = 0; i < 2000; i++) {
    const double d = hypot ((double) (p[3 * i + 3] - p[3 * i]), (double) (p[3 * i + 4] - p[3 * i + 1]));

    if (i == 0)
      step = node_test_number (&test, "s.length", 0) / 2000;
    /* Chords are shorter than arcs by the square of the bend, and floats are granular. */
    assert_near (d, step, 2e-3 * step);
  }
  node_test_clear (&test);
}

/* Frames: orthonormal everywhere, x along the tangent, on a curve that passes through vertical and through an inflection;
 * a plane curve does not twist. */
static void
test_frames (void)
{
  NodeTest test = make ("\"0 0 0\\n1 2 0\\n2 -2 0\\n3 0 0\"", "\"catmull-rom\"", "0", "\"natural\"");

  node_test_set (&test, "e", "up", "[0, 0, 1]");
  for (int i = 0; i <= 30; i++) {
    g_autofree char *u = g_strdup_printf ("%.17g", i / 10.0);
    g_auto (KgValue) frame = KG_VALUE_INIT;
    KgTransform *t;

    node_test_set (&test, "e", "parameter", u);
    frame = node_test_get (&test, "e.frame", 0);
    t = frame.transform;
    assert_near (kg_transform_determinant (*t), 1, 1e-9);
    assert_vector_near (node_test_vector (&test, "e.tangent", 0), t->m[0][0], t->m[1][0], t->m[2][0], 1e-9);
    assert_near (t->m[2][1], 1, 1e-9);
  }
  node_test_clear (&test);
}

static void
test_degenerate (void)
{
  static const char *const bases[] = { "catmull-rom", "linear",           "hermite",      "bezier",   "b-spline",
                                       "four-point",  "kochanek-bartels", "cubic-spline", "parabolic" };
  NodeTest test = make ("\"1 2\"", "\"catmull-rom\"", "0.5", "\"length\"");

  /* 30-14, 30-18: a single point is a curve that stays there, in every basis. */
  for (guint i = 0; i < G_N_ELEMENTS (bases); i++) {
    g_autofree char *json = g_strdup_printf ("\"%s\"", bases[i]);

    node_test_set (&test, "s", "basis", json);
    node_test_warns (&test, "s.geometry", "a curve needs at least 2 points");
    assert_near (node_test_number (&test, "s.length", 0), 0, 0);
    assert_vector_near (node_test_vector (&test, "e.point", 0), 1, 2, 0, 0);
  }
  node_test_set (&test, "s", "basis", "\"catmull-rom\"");
  node_test_set (&test, "s", "points", "\"\"");
  node_test_fails (&test, "s.geometry", KG_ERROR_DEGENERATE);
  node_test_refuses (&test, "s", "points", "\"0 0\\n1\"", KG_ERROR_INVALID_VALUE);
  node_test_refuses (&test, "s", "points", "\"0 0\\n1 x\"", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "s", "points", "\"0 0\\n1 1\\n2 0\"");
  node_test_set (&test, "s", "basis", "\"b-spline\"");
  node_test_fails (&test, "s.geometry", KG_ERROR_DEGENERATE);
  /* All points in one place: a length of 0, and a point, a tangent and a frame all the same. */
  node_test_set (&test, "s", "basis", "\"catmull-rom\"");
  node_test_set (&test, "s", "points", "\"1 2\\n1 2\\n1 2\"");
  assert_near (node_test_number (&test, "e.length", 0), 0, 0);
  assert_vector_near (node_test_vector (&test, "e.point", 0), 1, 2, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "e.tangent", 0), 1, 0, 0, 0);
  node_test_clear (&test);
}

/* Numbers that are too large to count with: what is said names the input, what it has, and what to do. */
static void
test_too_large (void)
{
  static const struct {
    const char *slot, *json, *expected;
  } cases[] = {
    { "weights", "\"1 1e308 1e308 1e308\"",
      "the input weights is 1e+308, which is too large to compute with: use a number nearer to 0" },
    { "weights", "\"1 2 -1e308 1e307\"", "the weight of point 2 is -1e+308" },
    { "knot_values", "\"-1e308 -1e308 -1e308 -1e308 1e308 1e308 1e308 1e308\"",
      "the knots range from -1e+308 to 1e+308" },
    { "points", "\"0 0\\n1 1e300\\n2 -3 0\\n4 0\"", "the input points is 1e+300" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "curve/spline", "s", "basis", "\"b-spline\"", NULL);
    if (g_str_equal (cases[i].slot, "knot_values"))
      node_test_set (&test, "s", "knots", "\"custom\"");
    node_test_set (&test, "s", cases[i].slot, cases[i].json);
    node_test_fails_saying (&test, "s.length", 0, cases[i].expected);
    node_test_clear (&test);
  }
  {
    NodeTest test = node_test_new ();

    /* What comes by a link is looked at too. */
    node_test_add (&test, "curve/spline", "s", "points", "\"3e38 0\\n-3e38 0\\n1 1\\n2 2\"", NULL);
    node_test_add (&test, "curve/convert", "c", "geometry", "{\"link\": \"s.geometry\"}", NULL);
    node_test_fails_saying (&test, "c.converted", 0, "the input geometry is 3e+38");
    node_test_clear (&test);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/curve/bases", test_bases);
  g_test_add_func ("/curve/tcb", test_tcb);
  g_test_add_func ("/curve/length", test_length);
  g_test_add_func ("/curve/tangents", test_tangents);
  g_test_add_func ("/curve/bad-tangents", test_bad_tangents);
  g_test_add_func ("/curve/even", test_even);
  g_test_add_func ("/curve/frames", test_frames);
  g_test_add_func ("/curve/degenerate", test_degenerate);
  g_test_add_func ("/curve/too-large", test_too_large);
  return g_test_run ();
}
