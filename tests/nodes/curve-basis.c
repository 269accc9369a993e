/* tests/nodes/curve-basis: nodes that make, convert and inspect curves of every basis, against catalogue 30-02 to 30-51.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>

#include "node-test.h"

/* The same from nodes: weights and knots pass through the geometry as doubles. */
static void
test_circle_nodes (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/arc", "a", NULL);
  node_test_add (&test, "curve/spline", "s", "basis", "\"b-spline\"", "order", "3", "points", "\"1 0\\n1 1\\n0 1\"",
                 "knots", "\"clamped\"", "weights", "\"1 0.7071067811865476 1\"", NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"a.geometry\"}", "by", "\"normalized\"", NULL);
  node_test_add (&test, "curve/evaluate", "q", "geometry", "{\"link\": \"s.geometry\"}", "by", "\"normalized\"", NULL);
  for (int i = 0; i <= 50; i++) {
    g_autofree char *u = g_strdup_printf ("%.17g", i / 50.0);

    node_test_set (&test, "e", "parameter", u);
    node_test_set (&test, "q", "parameter", u);
    assert_near (kg_vector_length (node_test_vector (&test, "e.point", 0)), 1, 1e-14);
    assert_near (kg_vector_length (node_test_vector (&test, "q.point", 0)), 1, 1e-14);
    assert_near (node_test_number (&test, "e.curvature", 0), 1, 1e-12);
  }
  assert_near (node_test_number (&test, "a.length", 0), 2 * KG_PI, 1e-14);
  assert_near (node_test_number (&test, "e.length", 0), 2 * KG_PI, 1e-10);
  node_test_set (&test, "a", "sweep", "-90");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 0, -1, 0, 1e-14);
  node_test_set (&test, "a", "sweep", "0");
  node_test_fails (&test, "a.geometry", KG_ERROR_DEGENERATE);
  /* Half axes 3 and 1: the perimeter of an ellipse by the complete elliptic integral, 12 E (8/9). */
  node_test_set (&test, "a", "radius", "3");
  node_test_set (&test, "a", "radius_y", "1");
  node_test_set (&test, "a", "sweep", "360");
  assert_near (node_test_number (&test, "a.length", 0), 13.364893220555258, 1e-6);
  node_test_clear (&test);
}

/* P1-29: an arc keeps its distance from its centre, has the height asked for, and tends to the line as that tends to 0.
 * Control points are stored as floats. */
static void
test_arc_by_bulge (void)
{
  static const double bulges[] = { 0.5, -0.25, 1, -3, 40, 1e-3, 1e-7 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/arc", "a", "by", "\"bulge\"", "first", "[1, 2, 3]", "last", "[5, 2, 3]", NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"a.geometry\"}", "by", "\"normalized\"", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bulges); i++) {
    const double b = bulges[i], radius = (4 + b * b) / (2 * fabs (b));
    g_autofree char *text = g_strdup_printf ("%.17g", b);

    node_test_set (&test, "a", "bulge", text);
    node_test_set (&test, "e", "parameter", "0.5");
    assert_vector_near (node_test_vector (&test, "e.point", 0), 3, 2 + b, 3, FLT_EPSILON * (5 + fabs (b)));
    assert_near (node_test_number (&test, "a.found_radius", 0), radius, 1e-12 * radius);
    assert_near (node_test_number (&test, "a.length", 0), 4 * radius * atan (fabs (b) / 2), 1e-11 * radius);
    if (radius < 1e3) {
      const KgVector center = node_test_vector (&test, "a.found_center", 0);

      assert_vector_near (center, 3, 2 + (b > 0 ? b - radius : b + radius), 3, 1e-12 * radius);
      for (int k = 0; k <= 20; k++) {
        g_autofree char *u = g_strdup_printf ("%.17g", k / 20.0);

        node_test_set (&test, "e", "parameter", u);
        assert_near (kg_vector_distance (node_test_vector (&test, "e.point", 0), center), radius,
                     FLT_EPSILON * (5 + 2 * radius));
      }
    }
  }
  node_test_set (&test, "e", "parameter", "0.25");
  node_test_set (&test, "a", "bulge", "0");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 2, 2, 3, 1e-12);
  assert_near (node_test_number (&test, "a.length", 0), 4, 1e-15);
  assert_near (node_test_number (&test, "a.found_radius", 0), 0, 0);
  /* On the floor, left of the way along x is away from the viewer. */
  node_test_set (&test, "a", "bulge", "0.5");
  node_test_set (&test, "a", "plane", "\"xz\"");
  node_test_set (&test, "e", "parameter", "0.5");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 3, 2, 2.5, FLT_EPSILON * 5);
  node_test_set (&test, "a", "plane", "\"yz\"");
  node_test_fails (&test, "a.geometry", KG_ERROR_DEGENERATE);
  node_test_set (&test, "a", "bulge", "0");
  assert_near (node_test_number (&test, "a.length", 0), 4, 1e-15);
  node_test_set (&test, "a", "plane", "\"xy\"");
  node_test_set (&test, "a", "bulge", "1e6");
  node_test_set (&test, "a", "last", "[1.1, 2, 3]");
  node_test_fails (&test, "a.geometry", KG_ERROR_DEGENERATE);
  node_test_set (&test, "a", "last", "[1, 2, 3]");
  node_test_fails (&test, "a.geometry", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* P1-29: the circle through three points; the third side of it is taken where the point on the way says so. */
static void
test_arc_by_three_points (void)
{
  NodeTest test = node_test_new ();

  /* On the circle of radius 5 about (1, −2, 4) in the plane of (0.6, 0, 0.8) and (0, 1, 0), from 0° over 200° to 250°. */
  node_test_add (&test, "curve/arc", "a", "by", "\"three-points\"", "first", "[4, -2, 8]", "through",
                 "[-1.819077862357725, -3.710100716628344, 0.2412295168563667]", "last",
                 "[-0.02606042997700655, -6.698463103929542, 2.631919426697325]", NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"a.geometry\"}", "by", "\"length\"", NULL);
  assert_near (node_test_number (&test, "a.found_radius", 0), 5, 1e-12);
  assert_vector_near (node_test_vector (&test, "a.found_center", 0), 1, -2, 4, 1e-12);
  assert_near (node_test_number (&test, "a.length", 0), 5 * KG_PI * 250 / 180, 1e-11);
  node_test_set (&test, "e", "parameter", "0.8");
  assert_vector_near (node_test_vector (&test, "e.point", 0), -1.819077862357725, -3.710100716628344,
                      0.2412295168563667, 1e-5);
  /* From −30° instead, the short way. */
  node_test_set (&test, "a", "through", "[3.598076211353316, -4.5, 7.464101615137754]");
  assert_near (node_test_number (&test, "a.length", 0), 5 * KG_PI * 110 / 180, 1e-11);
  /* On the line between the ends the arc is the line. */
  node_test_set (&test, "a", "first", "[0, 0, 0]");
  node_test_set (&test, "a", "through", "[1, 1, 1]");
  node_test_set (&test, "a", "last", "[2, 2, 2]");
  assert_near (node_test_number (&test, "a.length", 0), sqrt (12), 1e-12);
  assert_near (node_test_number (&test, "a.found_radius", 0), 0, 0);
  node_test_set (&test, "a", "through", "[3, 3, 3]");
  node_test_fails (&test, "a.geometry", KG_ERROR_DEGENERATE);
  node_test_set (&test, "a", "through", "[2, 2, 2]");
  node_test_fails (&test, "a.geometry", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* 30-25: handles at a third give (2, 2.5); at a sixth, Catmull-Rom. */
static void
test_bezier_through (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "basis", "\"bezier-through\"", "points", "\"0 0\\n1 2\\n3 2\\n4 0\"",
                 NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"s.geometry\"}", "by", "\"natural\"",
                 "parameter", "1.5", NULL);
  assert_vector_near (node_test_vector (&test, "e.point", 0), 2, 2.5, 0, 1e-7);
  node_test_set (&test, "s", "handle", "0.16666666666666666");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 2, 2.25, 0, 1e-7);
  node_test_clear (&test);
}

/* 30-02, 30-04: classes and influence of each basis, as the table of the catalogue has them. */
static void
assert_matrix (NodeTest *test, const char *words, bool is_there)
{
  g_auto (KgValue) value = node_test_get (test, "i.report", 0);

  if ((strstr (value.text, words) != NULL) != is_there)
    g_error ("\"%s\": \"%s\" is %s", value.text, words, is_there ? "missing" : "there");
}

/* The constant matrices of the book: what stands before the points of a piece, and which points those are. */
static void
test_matrix_form (void)
{
  static const struct {
    const char *inputs[4], *expected;
  } rows[] = {
    { { "basis", "\"linear\"" }, "[u^1 ... 1] M B, B = P1, P2, M:\n-1 1\n1 0\n" },
    { { "basis", "\"catmull-rom\"" },
      "[u^3 ... 1] M B, B = P0, P1, P2, P3, M:\n-0.5 1.5 -1.5 0.5\n1 -2.5 2 -0.5\n-0.5 0 0.5 0\n0 1 0 0\n" },
    { { "basis", "\"parabolic\"" }, "M:\n-0.5 1.5 -1.5 0.5\n1 -2.5 2 -0.5\n-0.5 0 0.5 0\n0 1 0 0\n" },
    { { "basis", "\"b-spline\"" },
      "B = P1, P2, P3, P4, M:\n-0.166667 0.5 -0.5 0.166667\n0.5 -1 0.5 0\n-0.5 0 0.5 0\n0.166667 0.666667 0.166667 0\n" },
    { { "basis", "\"bezier\"" }, "B = P3, P4, P5, P6, M:\n-1 3 -3 1\n3 -6 3 0\n-3 3 0 0\n1 0 0 0\n" },
    { { "basis", "\"four-point\"" },
      "B = P3, P4, P5, P6, M:\n-4.5 13.5 -13.5 4.5\n9 -22.5 18 -4.5\n-5.5 9 -4.5 1\n1 0 0 0\n" },
    { { "basis", "\"hermite\"", "tangents", "\"1 0\\n1 0\\n1 0\\n1 0\\n1 0\\n1 0\\n1 0\"" },
      "B = P1, P2, P1' out, P2' in, M:\n2 -2 1 1\n-3 3 -2 -1\n0 0 1 0\n1 0 0 0\n" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "curve/spline", "s", "points", "\"0 0\\n1 2\\n2 1\\n3 3\\n4 0\\n5 1\\n6 -1\"", NULL);
    for (guint k = 0; k < 4 && rows[i].inputs[k] != NULL; k += 2)
      node_test_set (&test, "s", rows[i].inputs[k], rows[i].inputs[k + 1]);
    node_test_add (&test, "curve/inspect", "i", "geometry", "{\"link\": \"s.geometry\"}", "piece", "1", NULL);
    assert_matrix (&test, rows[i].expected, true);
    /* Spacing by distance has no constant matrix. */
    if (i == 1) {
      node_test_set (&test, "s", "spacing", "\"chord\"");
      assert_matrix (&test, "matrix", false);
    }
    node_test_clear (&test);
  }
}

static void
test_inspect (void)
{
  static const struct {
    const char *basis;
    int c, first, last; /* of moving point 5 of 12; -1: all */
    bool interpolates;
  } rows[] = { { "\"linear\"", 0, 4, 5, true },        { "\"catmull-rom\"", 1, 3, 6, true },
               { "\"cubic-spline\"", 2, 0, 10, true }, { "\"parabolic\"", 1, 3, 6, true },
               { "\"b-spline\"", 2, 2, 5, false },     { "\"kochanek-bartels\"", 1, 3, 6, true },
               { "\"hermite\"", 1, 4, 5, true },       { "\"bezier-through\"", 1, 3, 6, true } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "points",
                 "\"0 0\\n1 2\\n2 1\\n3 3\\n4 0\\n5 1\\n6 -1\\n7 2\\n8 0\\n9 1\\n10 3\\n11 0\"", NULL);
  node_test_add (&test, "curve/inspect", "i", "geometry", "{\"link\": \"s.geometry\"}", "point", "5", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    node_test_set (&test, "s", "basis", rows[i].basis);
    assert_near (node_test_number (&test, "i.parametric", 0), rows[i].c, 0);
    assert_near (node_test_number (&test, "i.first_piece", 0), rows[i].first, 0);
    assert_near (node_test_number (&test, "i.last_piece", 0), rows[i].last, 0);
    assert_near (node_test_number (&test, "i.interpolates", 0), rows[i].interpolates, 0);
  }
  node_test_set (&test, "s", "basis", "\"catmull-rom\"");
  node_test_set (&test, "s", "lengths", "\"relative\"");
  assert_near (node_test_number (&test, "i.parametric", 0), 0, 0);
  assert_near (node_test_number (&test, "i.geometric", 0), 1, 0);
  node_test_set (&test, "s", "basis", "\"hermite\"");
  node_test_set (&test, "s", "tangents", "\"1 0\\n2 2\"");
  node_test_set (&test, "s", "tangents_in", "\"1 0\\n1 1\"");
  assert_near (node_test_number (&test, "i.parametric", 0), 0, 0);
  assert_near (node_test_number (&test, "i.geometric", 0), 1, 0);
  node_test_set (&test, "i", "point", "12");
  node_test_fails (&test, "i.degree", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* 30-26: there and back; the B-spline through points is the cubic spline through them. */
static void
test_convert (void)
{
  static const char *const bases[] = { "\"catmull-rom\"",      "\"cubic-spline\"", "\"b-spline\"", "\"bezier\"",
                                       "\"kochanek-bartels\"", "\"four-point\"",   "\"linear\"" };
  static const char *const targets[] = { "\"bezier\"", "\"b-spline\"", "\"hermite\"", "\"four-point\"",
                                         "\"uniform-b-spline\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "points", "\"0 0\\n1 2 1\\n3 2\\n4 0\\n6 -1 2\\n7 3\\n9 0\"", "bias",
                 "0.5", "continuity", "0.25", NULL);
  node_test_add (&test, "curve/convert", "one", "geometry", "{\"link\": \"s.geometry\"}", NULL);
  node_test_add (&test, "curve/convert", "two", "geometry", "{\"link\": \"one.converted\"}", NULL);
  node_test_add (&test, "curve/evaluate", "a", "geometry", "{\"link\": \"s.geometry\"}", "by", "\"normalized\"",
                 "parameter", "0.37", NULL);
  node_test_add (&test, "curve/evaluate", "b", "geometry", "{\"link\": \"two.converted\"}", "by", "\"normalized\"",
                 "parameter", "0.37", NULL);
  for (guint closed = 0; closed < 2; closed++)
    for (guint i = 0; i < G_N_ELEMENTS (bases); i++)
      for (guint k = 0; k < G_N_ELEMENTS (targets); k++) {
        KgVector p;

        /* Six points close two cubic pieces. */
        node_test_set (&test, "s", "points",
                       closed ? "\"0 0\\n1 2 1\\n3 2\\n4 0\\n6 -1 2\\n7 3\""
                              : "\"0 0\\n1 2 1\\n3 2\\n4 0\\n6 -1 2\\n7 3\\n9 0\"");
        node_test_set (&test, "s", "closed", closed ? "true" : "false");
        node_test_set (&test, "s", "basis", bases[i]);
        node_test_set (&test, "one", "to", targets[k]);
        node_test_set (&test, "two", "to", k % 2 == 0 ? "\"bezier\"" : "\"hermite\"");
        /* Points are stored as floats: some ulps of coordinates below 16. */
        assert_near (node_test_number (&test, "one.error", 0), 0, 1.2e-5);
        assert_near (node_test_number (&test, "two.error", 0), 0, 1.2e-5);
        p = node_test_vector (&test, "a.point", 0);
        if (k != 1)
          assert_vector_near (node_test_vector (&test, "b.point", 0), p.x, p.y, p.z, 1e-5);
      }
  /* Degrees are raised without a change; rational curves say what they cannot be. */
  node_test_set (&test, "s", "basis", "\"bezier\"");
  node_test_set (&test, "s", "closed", "false");
  node_test_set (&test, "s", "points", "\"0 0\\n1 2 1\\n3 2\\n4 0\\n6 -1 2\\n7 3\\n9 0\"");
  node_test_set (&test, "one", "to", "\"bezier\"");
  node_test_set (&test, "one", "degree", "6");
  assert_near (node_test_number (&test, "one.error", 0), 0, 2e-6);
  node_test_set (&test, "s", "weights", "\"1 2 1 1 1 3 1\"");
  assert_near (node_test_number (&test, "one.error", 0), 0, 2e-6);
  node_test_set (&test, "one", "to", "\"hermite\"");
  node_test_fails (&test, "one.converted", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* The control points of the published formula, and the same curve. */
static void
test_uniform (void)
{
  static const double b[4][3] = { { 0, 0, 0 }, { 1, 2, 1 }, { 3, 2, 0 }, { 4, 0, 0 } };
  static const double formula[4][4] = { { 6, -7, 2, 0 }, { 0, 2, -1, 0 }, { 0, -1, 2, 0 }, { 0, 2, -7, 6 } };
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgPrimitive primitive;
  const float *p;

  node_test_add (&test, "curve/spline", "s", "points", "\"0 0\\n1 2 1\\n3 2\\n4 0\"", "basis", "\"bezier\"", NULL);
  node_test_add (&test, "curve/convert", "c", "geometry", "{\"link\": \"s.geometry\"}", "to", "\"uniform-b-spline\"",
                 NULL);
  value = node_test_get (&test, "c.converted", 0);
  g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 4);
  p = kg_geometry_get_positions (value.geometry);
  for (guint i = 0; i < 4; i++)
    for (guint c = 0; c < 3; c++) {
      double x = 0;

      for (guint k = 0; k < 4; k++)
        x += formula[i][k] * b[k][c];
      assert_near ((double) p[3 * i + c], x, 1e-5);
    }
  kg_geometry_get_primitive (value.geometry, 0, &primitive);
  g_assert_cmpuint (primitive.n_knots, ==, 8);
  for (guint i = 1; i < 8; i++)
    assert_near (primitive.knots[i] - primitive.knots[i - 1], 1, 1e-12);
  assert_near (node_test_number (&test, "c.error", 0), 0, 1e-6);
  node_test_clear (&test);
}

/* 30-26: exact in doubles: the interpolating B-spline of Farin's end condition solves the tridiagonal system. */
static void
test_farin (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *v;
  KgPrimitive primitive;

  node_test_add (&test, "curve/spline", "s", "points", "\"0 0\\n1 1\\n2 0\\n3 1\"", "basis", "\"cubic-spline\"", NULL);
  node_test_add (&test, "curve/convert", "c", "geometry", "{\"link\": \"s.geometry\"}", "to", "\"b-spline\"", NULL);
  value = node_test_get (&test, "c.converted", 0);
  v = kg_geometry_get_positions (value.geometry);
  kg_geometry_get_primitive (value.geometry, 0, &primitive);
  /* Clamped: n + 2 control points, single knots inside. */
  g_assert_cmpuint (primitive.n_vertices, ==, 6);
  g_assert_cmpuint (primitive.n_knots, ==, 10);
  assert_near ((double) v[0], 0, 0);
  assert_near ((double) v[15], 3, 1e-6);
  /* Bezier points of the first piece: 0, 5/9, 10/9, 1; the second control point is the first handle. */
  assert_near ((double) v[4], 5.0 / 9, 1e-6);
  node_test_clear (&test);
}

static void
test_parametric (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) kind = KG_VALUE_INIT, geometry = KG_VALUE_INIT;
  const float *p;

  /* A straight line at uneven speed: P0 + (2 u - u²) (P1 - P0), of length 5. */
  node_test_add (&test, "curve/parametric", "f", "x", "\"3*(2*u - u^2)\"", "y", "\"4*(2*u - u^2)\"", "make",
                 "\"spline\"", NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"f.geometry\"}", "by", "\"knots\"", "parameter",
                 "0.5", NULL);
  kind = node_test_get (&test, "f.kind", 0);
  g_assert_cmpstr (kind.text, ==, "quadratic");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 0.75 * 3, 0.75 * 4, 0, 1e-6);
  assert_near (node_test_number (&test, "e.length", 0), 5, 1e-6);
  assert_near (kg_vector_length (node_test_vector (&test, "e.velocity", 0)), 2 * 0.5 * 5, 1e-5);
  node_test_set (&test, "e", "by", "\"length\"");
  assert_near (node_test_number (&test, "e.natural", 0), 1 - sqrt (0.5), 1e-6);

  /* Three ways to a circle. */
  node_test_set (&test, "f", "x", "\"cos(u)\"");
  node_test_set (&test, "f", "y", "\"sin(u)\"");
  node_test_set (&test, "f", "to", "6.283185307179586");
  node_test_set (&test, "f", "closed", "true");
  assert_near (node_test_number (&test, "e.length", 0), 2 * KG_PI, 1e-5);
  node_test_set (&test, "f", "form", "\"implicit\"");
  assert_near (node_test_number (&test, "f.curves", 0), 1, 0);
  assert_near (node_test_number (&test, "e.length", 0), 2 * KG_PI, 1e-5);
  node_test_set (&test, "f", "form", "\"explicit\"");
  node_test_set (&test, "f", "y", "\"sqrt(a - x^2)\"");
  node_test_set (&test, "f", "from", "-1");
  node_test_set (&test, "f", "to", "1");
  node_test_set (&test, "f", "make", "\"polyline\"");
  geometry = node_test_get (&test, "f.geometry", 0);
  p = kg_geometry_get_positions (geometry.geometry);
  g_assert_cmpuint (kg_geometry_get_n_points (geometry.geometry), ==, 101);
  for (guint i = 0; i < 101; i++)
    assert_near (hypot ((double) p[3 * i], (double) p[3 * i + 1]), 1, 1e-6);
  /* Broken where it is not finite: two branches of 1 / x. */
  node_test_set (&test, "f", "y", "\"1/x\"");
  assert_near (node_test_number (&test, "f.curves", 0), 2, 0);
  /* An empty text, and texts that are not formulas. */
  node_test_set (&test, "f", "form", "\"implicit\"");
  node_test_set (&test, "f", "f", "\"x^2 + y^2 + 1\"");
  assert_near (node_test_number (&test, "f.curves", 0), 0, 0);
  node_test_set (&test, "f", "f", "\"x +\"");
  node_test_fails (&test, "f.geometry", KG_ERROR_EXPRESSION);
  node_test_set (&test, "f", "f", "\"x + frame\"");
  node_test_fails (&test, "f.geometry", KG_ERROR_EXPRESSION);
  node_test_set (&test, "f", "f", "\"x + s.length\"");
  node_test_fails (&test, "f.geometry", KG_ERROR_EXPRESSION);
  node_test_set (&test, "f", "f", "\"x, y\"");
  node_test_fails (&test, "f.geometry", KG_ERROR_EXPRESSION);
  node_test_clear (&test);
}

/* 30-19 as a node. */
static void
test_de_casteljau (void)
{
  static const double expected[][2] = { { 0, 0 }, { 1, 2 },   { 3, 2 },      { 4, 0 },     { 0.5, 1 },
                                        { 2, 2 }, { 3.5, 1 }, { 1.25, 1.5 }, { 2.75, 1.5 } };
  NodeTest test = node_test_new ();
  g_auto (KgValue) lines = KG_VALUE_INIT;
  const float *p;

  node_test_add (&test, "curve/de_casteljau", "d", "points", "\"0 0\\n1 2\\n3 2\\n4 0\"", "u", "0.5", NULL);
  node_test_add (&test, "curve/evaluate", "l", "geometry", "{\"link\": \"d.left\"}", "by", "\"normalized\"",
                 "parameter", "0.5", NULL);
  assert_vector_near (node_test_vector (&test, "d.point", 0), 2, 1.5, 0, 1e-15);
  assert_near (node_test_number (&test, "d.interpolations", 0), 6, 0);
  lines = node_test_get (&test, "d.construction", 0);
  p = kg_geometry_get_positions (lines.geometry);
  g_assert_cmpuint (kg_geometry_get_n_points (lines.geometry), ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    assert_near ((double) p[3 * i], expected[i][0], 0);
    assert_near ((double) p[3 * i + 1], expected[i][1], 0);
  }
  /* The half of the left half is a quarter of the whole. */
  assert_vector_near (node_test_vector (&test, "l.point", 0), 0.90625, 1.125, 0, 1e-15);
  node_test_set (&test, "d", "points", "\"1 1\"");
  node_test_fails (&test, "d.point", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

static void
test_fit_node (void)
{
  NodeTest test = node_test_new ();
  double exact;

  node_test_add (&test, "curve/fit", "f", "points", "\"-3 -1\\n-1 1.2\\n1.5 -0.8\\n3 1\"", "times", "\"0 10 35 60\"",
                 NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"f.geometry\"}", "by", "\"knots\"", "parameter",
                 "35", NULL);
  exact = node_test_number (&test, "f.residual", 0);
  assert_near (exact, 0, 1e-10);
  assert_vector_near (node_test_vector (&test, "e.point", 0), 1.5, -0.8, 0, 1e-6);
  node_test_set (&test, "f", "control_points", "3");
  node_test_set (&test, "f", "order", "3");
  g_assert_cmpfloat (node_test_number (&test, "f.residual", 0), >, 0.01);
  /* What cannot be: falling times, too few points, knots without data, as many times as points. */
  node_test_set (&test, "f", "times", "\"0 10 5 60\"");
  node_test_fails (&test, "f.geometry", KG_ERROR_DEGENERATE);
  node_test_set (&test, "f", "times", "\"0 10 60\"");
  node_test_fails (&test, "f.geometry", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "f", "times", "\"\"");
  node_test_set (&test, "f", "order", "5");
  node_test_fails (&test, "f.geometry", KG_ERROR_DEGENERATE);
  node_test_set (&test, "f", "order", "2");
  node_test_set (&test, "f", "control_points", "4");
  node_test_set (&test, "f", "knots", "\"custom\"");
  node_test_set (&test, "f", "knot_values", "\"0 0 0.1 0.2 3 3\"");
  node_test_fails (&test, "f.geometry", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* Choices and bad input of the node, each with a message that names value and remedy. */
static void
check_failure (const char *basis, const char *slot, const char *value, const char *words)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "basis", basis, "points", "\"0 0\\n1 2\\n1 2\\n3 2\\n4 0\"", NULL);
  if (strcmp (slot, "knot_values") == 0)
    node_test_set (&test, "s", "knots", "\"custom\"");
  if (strcmp (slot, "times") == 0)
    node_test_set (&test, "s", "spacing", "\"times\"");
  node_test_set (&test, "s", slot, value);
  node_test_fails_saying (&test, "s.geometry", 0, words);
  node_test_clear (&test);
}

static void
test_bad_input (void)
{
  check_failure ("\"b-spline\"", "points", "\"0 0\\n1 1\\n2 0\"", "at least 4 points, not 3");
  check_failure ("\"b-spline\"", "knot_values", "\"0 1 2 3 4\"", "give 9 (points plus order)");
  check_failure ("\"b-spline\"", "knot_values", "\"0 1 2 3 2.5 5 6 7 8\"", "knot 4 is 2.5 after 3");
  check_failure ("\"b-spline\"", "weights", "\"1 1 1\"", "3 weights for 5 points");
  check_failure ("\"b-spline\"", "weights", "\"1 1 1 -9 1\"", "the weight of point 3 is -9");
  check_failure ("\"b-spline\"", "weights", "\"0 0 0 0 0\"", "the weight of point 0 is 0");
  check_failure ("\"cubic-spline\"", "spacing", "\"chord\"", "points 1 and 2 are at the same position");
  check_failure ("\"catmull-rom\"", "times", "\"0 1 1 2 3\"", "knot 2 is 1 after 1");
  check_failure ("\"catmull-rom\"", "times", "\"0 1 2\"", "give 5");
  check_failure ("\"catmull-rom\"", "end", "\"not-a-knot\"", "works only with cubic splines");
  check_failure ("\"four-point\"", "points", "\"0 0\\n1 1\\n2 0\"", "at least 4 points");
  check_failure ("\"four-point\"", "places", "\"0 0.5 0.5 1\"", "parameters 1 and 2");
  check_failure ("\"polynomial\"", "points", "\"0 0\\n1 1\\n2 0\"", "four rows");
  check_failure ("\"kochanek-bartels\"", "tcb", "\"0 0 0\\n0\\n0\\n0\\n0\\n1\"", "6 rows for 5 points");
}

/* What remains of the node: coefficients, single pieces, handles in line, reach, values for single points. */
static void
test_spline_node (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "basis", "\"polynomial\"", "points", "\"-2 0\\n3 -6\\n3 6\\n0 0\"", NULL);
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"s.geometry\"}", "by", "\"natural\"",
                 "parameter", "0.25", NULL);
  node_test_add (&test, "curve/inspect", "i", "geometry", "{\"link\": \"s.geometry\"}", NULL);
  /* Section C: the coefficients of curve A. */
  assert_vector_near (node_test_vector (&test, "e.point", 0), 0.90625, 1.125, 0, 1e-15);
  assert_vector_near (node_test_vector (&test, "e.jerk", 0), -12, 0, 0, 1e-14);
  node_test_set (&test, "s", "basis", "\"bezier\"");
  node_test_set (&test, "s", "points", "\"0 0\\n1 2\\n3 2\\n4 0\\n4.5 3\\n6 2\\n7 0\"");
  assert_near (node_test_number (&test, "i.parametric", 0), 0, 0);
  assert_near (node_test_number (&test, "i.geometric", 0), 0, 0);
  node_test_set (&test, "s", "joint", "\"aligned\"");
  assert_near (node_test_number (&test, "i.parametric", 0), 0, 0);
  g_assert_cmpfloat (node_test_number (&test, "i.geometric", 0), >=, 1);
  node_test_set (&test, "s", "joint", "\"mirrored\"");
  g_assert_cmpfloat (node_test_number (&test, "i.parametric", 0), >=, 1);
  node_test_set (&test, "s", "pieces", "\"single\"");
  assert_near (node_test_number (&test, "i.degree", 0), 6, 0);
  node_test_set (&test, "s", "basis", "\"b-spline\"");
  node_test_set (&test, "e", "parameter", "0");
  node_test_set (&test, "s", "reach", "\"triple\"");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 0, 0, 0, 1e-14);
  assert_near (node_test_number (&test, "s.segments", 0), 8, 0);
  node_test_set (&test, "s", "reach", "\"phantom\"");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 0, 0, 0, 1e-14);
  assert_near (node_test_number (&test, "s.segments", 0), 6, 0);
  /* 30-20 for single points: only the middle one is tight. */
  node_test_set (&test, "s", "basis", "\"kochanek-bartels\"");
  node_test_set (&test, "s", "points", "\"0 0\\n1 2\\n4 1\"");
  node_test_set (&test, "s", "tcb", "\"0\\n1\\n0\"");
  node_test_set (&test, "e", "parameter", "1");
  assert_near (node_test_number (&test, "e.speed", 0), 0, 1e-15);
  /* 30-07: beyond the end. */
  node_test_set (&test, "s", "basis", "\"linear\"");
  node_test_set (&test, "e", "parameter", "3");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 4, 1, 0, 1e-15);
  node_test_set (&test, "e", "beyond", "\"extrapolate\"");
  assert_vector_near (node_test_vector (&test, "e.point", 0), 7, 0, 0, 1e-14);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/curve-basis/P1-29-bulge", test_arc_by_bulge);
  g_test_add_func ("/curve-basis/P1-29-three-points", test_arc_by_three_points);
  g_test_add_func ("/curve-basis/30-24-circle-nodes", test_circle_nodes);
  g_test_add_func ("/curve-basis/30-25-bezier-through", test_bezier_through);
  g_test_add_func ("/curve-basis/30-02-04-inspect", test_inspect);
  g_test_add_func ("/curve-basis/30-05-matrix-form", test_matrix_form);
  g_test_add_func ("/curve-basis/30-26-convert", test_convert);
  g_test_add_func ("/curve/convert/uniform-b-spline", test_uniform);
  g_test_add_func ("/curve-basis/30-26-farin", test_farin);
  g_test_add_func ("/curve-basis/30-06-parametric", test_parametric);
  g_test_add_func ("/curve-basis/30-19-de-casteljau", test_de_casteljau);
  g_test_add_func ("/curve-basis/30-51-fit-node", test_fit_node);
  g_test_add_func ("/curve-basis/bad-input", test_bad_input);
  g_test_add_func ("/curve-basis/spline-node", test_spline_node);
  return g_test_run ();
}
