/* tests/nodes/vectors: vector math, closest points and triangles as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* Results of one operation, asked for again and again. */
static NodeTest
start (const char *a, const char *b)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/vector_math", "v", "a", a, "b", b, NULL);
  return test;
}

static KgVector
vector_of (NodeTest *test, const char *operation)
{
  g_autofree char *json = g_strdup_printf ("\"%s\"", operation);

  node_test_set (test, "v", "operation", json);
  return node_test_vector (test, "v.vector", 0);
}

static double
number_of (NodeTest *test, const char *operation)
{
  vector_of (test, operation);
  return node_test_number (test, "v.number", 0);
}

static void
test_sums (void)
{
  NodeTest test = start ("[1, 2, 3]", "[4, -5, 6]");

  assert_vector_near (vector_of (&test, "add"), 5, -3, 9, 0);
  assert_vector_near (vector_of (&test, "subtract"), -3, 7, -3, 0);
  assert_vector_near (vector_of (&test, "multiply"), 4, -10, 18, 0);
  assert_vector_near (vector_of (&test, "divide"), 0.25, -0.4, 0.5, 0);
  assert_vector_near (vector_of (&test, "smaller"), 1, -5, 3, 0);
  assert_vector_near (vector_of (&test, "larger"), 4, 2, 6, 0);
  assert_near (number_of (&test, "dot"), 12, 0);
  node_test_set (&test, "v", "factor", "-2");
  assert_vector_near (vector_of (&test, "scale"), -2, -4, -6, 0);
  node_test_set (&test, "v", "b", "[1, 0, 1]");
  node_test_set (&test, "v", "operation", "\"divide\"");
  node_test_fails_saying (&test, "v.vector", 0, "b is (1, 0, 1): divide by a vector without a 0");
  node_test_clear (&test);
}

static void
test_cross (void)
{
  NodeTest test = start ("[1, 2, 3]", "[4, 5, 6]");

  assert_vector_near (vector_of (&test, "cross"), -3, 6, -3, 0);
  node_test_set (&test, "v", "a", "[3, -1, 2]");
  node_test_set (&test, "v", "b", "[2, 4, -5]");
  assert_vector_near (vector_of (&test, "cross"), -3, 19, 14, 0);
  node_test_set (&test, "v", "c", "[-3, 19, 14]");
  /* det [A, B, A × B] = ‖A × B‖² */
  node_test_set (&test, "v", "operation", "\"triple\"");
  assert_near (node_test_number (&test, "v.number", 0), 9 + 361 + 196, 0);
  node_test_clear (&test);
}

static void
test_lengths (void)
{
  NodeTest test = start ("[2, 3, 6]", "[1, 1, 6]");

  assert_near (number_of (&test, "length"), 7, 0);
  assert_near (number_of (&test, "distance"), sqrt (5), 1e-15);
  assert_vector_near (vector_of (&test, "normalize"), 2.0 / 7, 3.0 / 7, 6.0 / 7, 1e-16);
  node_test_set (&test, "v", "factor", "3.5");
  assert_vector_near (vector_of (&test, "limit-length"), 1, 1.5, 3, 1e-15);
  node_test_set (&test, "v", "factor", "8");
  assert_vector_near (vector_of (&test, "limit-length"), 2, 3, 6, 0);
  assert_near (kg_vector_dot (vector_of (&test, "any-perpendicular"), kg_vector (2, 3, 6)), 0, 1e-15);
  node_test_set (&test, "v", "a", "[3e200, 4e200, 0]");
  assert_near (number_of (&test, "length") / 5e200, 1, 1e-15);
  node_test_set (&test, "v", "a", "[0, 0, 0]");
  node_test_set (&test, "v", "operation", "\"normalize\"");
  node_test_fails_saying (&test, "v.vector", 0, "a has no direction");
  node_test_clear (&test);
}

static void
test_angles (void)
{
  NodeTest test = start ("[1, 2, 2]", "[2, -1, 2]");

  node_test_set (&test, "v", "operation", "\"angle\"");
  assert_near (node_test_number (&test, "v.angle", 0), 63.612200038757, 1e-11);
  assert_near (node_test_number (&test, "v.number", 0), 4.0 / 9, 1e-15);
  assert_near (number_of (&test, "parallel"), 0.895806416477617, 1e-15);
  node_test_set (&test, "v", "a", "[1, 0, 0]");
  node_test_set (&test, "v", "b", "[0, -1, 3]");
  node_test_set (&test, "v", "c", "[0, 0, 2]");
  node_test_set (&test, "v", "operation", "\"signed-angle\"");
  assert_near (node_test_number (&test, "v.angle", 0), -90, 1e-13);
  node_test_set (&test, "v", "b", "[0, 0, 3]");
  node_test_fails_saying (&test, "v.angle", 0, "points along c");
  node_test_set (&test, "v", "b", "[0, 0, 0]");
  node_test_fails_saying (&test, "v.angle", 0, "b has no direction");
  node_test_clear (&test);
}

static bool
yes_of (NodeTest *test, const char *operation, const char *a, const char *b)
{
  node_test_set (test, "v", "a", a);
  node_test_set (test, "v", "b", b);
  vector_of (test, operation);
  return node_test_number (test, "v.yes", 0) != 0;
}

static void
test_tests (void)
{
  NodeTest test = start ("[0, 0, 0]", "[0, 0, 0]");

  g_assert_true (yes_of (&test, "perpendicular", "[3, 4, 0]", "[-4, 3, 7]"));
  g_assert_false (yes_of (&test, "perpendicular", "[1e-8, 0, 0]", "[1, 0, 0]"));
  g_assert_true (yes_of (&test, "parallel", "[1, 2, 3]", "[-2, -4, -6]"));
  g_assert_false (yes_of (&test, "parallel", "[1, 2, 3]", "[-2, -4, -6.1]"));
  g_assert_true (yes_of (&test, "perpendicular", "[0, 0, 0]", "[1, 0, 0]"));
  node_test_warns (&test, "v.yes", "a is zero");
  node_test_clear (&test);
}

static void
test_parts (void)
{
  NodeTest test = start ("[2, 3, 6]", "[1, 2, 2]");

  assert_near (number_of (&test, "project"), 20.0 / 3, 1e-15);
  assert_vector_near (vector_of (&test, "project"), 20.0 / 9, 40.0 / 9, 40.0 / 9, 1e-15);
  assert_vector_near (vector_of (&test, "reject"), -2.0 / 9, -13.0 / 9, 14.0 / 9, 1e-15);
  assert_vector_near (vector_of (&test, "reflect"), -22.0 / 9, -53.0 / 9, -26.0 / 9, 1e-15);
  node_test_set (&test, "v", "a", "[2, 1, 5]");
  node_test_set (&test, "v", "x_axis", "[0.6, 0.8, 0]");
  node_test_set (&test, "v", "y_axis", "[-0.8, 0.6, 0]");
  assert_vector_near (vector_of (&test, "components"), 2, -1, 5, 1e-15);
  node_test_set (&test, "v", "a", "[2, -1, 5]");
  assert_vector_near (vector_of (&test, "combine"), 2, 1, 5, 1e-15);
  node_test_set (&test, "v", "z_axis", "[1, 1, 0]");
  node_test_set (&test, "v", "operation", "\"components\"");
  node_test_fails_saying (&test, "v.vector", 0, "lie in one plane");
  node_test_clear (&test);
}

static void
test_point_line (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/closest", "c", "a", "[4, -1, 2]", "c", "[1, 0, 1]", "d", "[3, 2, 0]", NULL);
  assert_near (node_test_number (&test, "c.distance", 0), 3.16227766016838, 1e-14);
  assert_near (node_test_number (&test, "c.t", 0), 1.0 / 3, 1e-15);
  assert_vector_near (node_test_vector (&test, "c.second", 0), 5.0 / 3, 2.0 / 3, 2.0 / 3, 1e-15);
  node_test_set (&test, "c", "a", "[1, 2, 3]");
  node_test_set (&test, "c", "c", "[0, 0, 0]");
  node_test_set (&test, "c", "d", "[1, 1, 1]");
  assert_near (node_test_number (&test, "c.distance", 0), sqrt (2), 1e-15);
  /* Clamped to the end of a ray and a segment. */
  node_test_set (&test, "c", "to", "\"segment\"");
  assert_vector_near (node_test_vector (&test, "c.second", 0), 1, 1, 1, 1e-15);
  node_test_set (&test, "c", "to", "\"ray\"");
  node_test_set (&test, "c", "a", "[-1, -2, -3]");
  assert_vector_near (node_test_vector (&test, "c.second", 0), 0, 0, 0, 0);
  /* Without a direction the point is left. */
  node_test_set (&test, "c", "d", "[0, 0, 0]");
  node_test_warns (&test, "c.distance", "no direction");
  assert_near (node_test_number (&test, "c.distance", 0), sqrt (14), 1e-15);
  node_test_clear (&test);
}

static void
test_closest_pairs (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/closest", "c", "from", "\"segment\"", "to", "\"segment\"", "a", "[-0.5, 0, 0]", "b",
                 "[0.5, 0, 0]", "c", "[0, 1, -0.5]", "d", "[0, 1, 0.5]", NULL);
  assert_near (node_test_number (&test, "c.distance", 0), 1, 1e-15);
  assert_near (node_test_number (&test, "c.s", 0), 0.5, 1e-15);
  assert_near (node_test_number (&test, "c.t", 0), 0.5, 1e-15);
  assert_vector_near (node_test_vector (&test, "c.middle", 0), 0, 0.5, 0, 1e-15);
  node_test_set (&test, "c", "a", "[0, 0, 0]");
  node_test_set (&test, "c", "b", "[1, 0, 0]");
  node_test_set (&test, "c", "c", "[3, 0, 0]");
  node_test_set (&test, "c", "d", "[5, 0, 0]");
  assert_near (node_test_number (&test, "c.distance", 0), 2, 1e-15);
  node_test_warns (&test, "c.distance", "parallel");
  node_test_set (&test, "c", "from", "\"point\"");
  node_test_set (&test, "c", "to", "\"triangle\"");
  node_test_set (&test, "c", "a", "[0, 0, 5]");
  node_test_set (&test, "c", "c", "[-1, -1, 0]");
  node_test_set (&test, "c", "d", "[1, -1, 0]");
  node_test_set (&test, "c", "e", "[0, 2, 0]");
  assert_near (node_test_number (&test, "c.distance", 0), 5, 1e-15);
  node_test_set (&test, "c", "a", "[2, -1, 0]");
  assert_vector_near (node_test_vector (&test, "c.second", 0), 1, -1, 0, 1e-15);
  assert_vector_near (node_test_vector (&test, "c.weights", 0), 0, 1, 0, 1e-15);
  /* The plane of the corners, from below: x = 2, z = -3 is 3 under it. */
  node_test_set (&test, "c", "to", "\"plane\"");
  node_test_set (&test, "c", "a", "[2, 7, -3]");
  assert_near (node_test_number (&test, "c.distance", 0), -3, 1e-15);
  node_test_set (&test, "c", "e", "[5, -1, 0]");
  node_test_fails_saying (&test, "c.distance", 0, "lie on one line");
  node_test_set (&test, "c", "given", "\"directions\"");
  node_test_set (&test, "c", "d", "[0, 0, 0]");
  node_test_fails_saying (&test, "c.distance", 0, "is zero");
  node_test_clear (&test);
}

static void
test_rays (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/closest", "c", "from", "\"ray\"", "to", "\"triangle\"", "given", "\"directions\"", "a",
                 "[0.2, 0.1, 3]", "b", "[0, 0, -2]", "c", "[0, 0, 0]", "d", "[1, 0, 0]", "e", "[0, 1, 0]", NULL);
  g_assert_true (node_test_number (&test, "c.hit", 0) != 0);
  assert_near (node_test_number (&test, "c.s", 0), 1.5, 1e-15);
  assert_vector_near (node_test_vector (&test, "c.weights", 0), 0.7, 0.2, 0.1, 1e-15);
  node_test_set (&test, "c", "b", "[0, 0, 2]");
  g_assert_true (node_test_number (&test, "c.hit", 0) == 0);
  assert_near (node_test_number (&test, "c.distance", 0), 3, 1e-15);
  node_test_set (&test, "c", "to", "\"box\"");
  node_test_set (&test, "c", "size", "[2, 2, 2]");
  node_test_set (&test, "c", "b", "[0, 0, -2]");
  assert_near (node_test_number (&test, "c.s", 0), 1, 1e-15);
  node_test_set (&test, "c", "to", "\"ball\"");
  node_test_set (&test, "c", "a", "[0, 0, 3]");
  assert_vector_near (node_test_vector (&test, "c.second", 0), 0, 0, 1, 1e-15);
  node_test_set (&test, "c", "from", "\"point\"");
  node_test_set (&test, "c", "a", "[0, 0.25, 0]");
  assert_near (node_test_number (&test, "c.distance", 0), -0.75, 1e-15);
  assert_vector_near (node_test_vector (&test, "c.second", 0), 0, 1, 0, 1e-15);
  node_test_clear (&test);
}

static void
test_triangle (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/triangle", "t", "a", "[0, 0, 0]", "b", "[3, 0, 0]", "c", "[0, 4, 0]", "p", "[1, 1, 2]",
                 NULL);
  assert_near (node_test_number (&test, "t.area", 0), 6, 0);
  assert_vector_near (node_test_vector (&test, "t.lengths", 0), 5, 4, 3, 1e-15);
  assert_near (node_test_number (&test, "t.alpha", 0), 90, 1e-13);
  assert_near (node_test_number (&test, "t.distance", 0), 2, 1e-15);
  g_assert_true (node_test_number (&test, "t.inside", 0) != 0);
  /* Seen from behind the corners run clockwise; exchanging two negates it. */
  node_test_set (&test, "t", "toward", "[0, 0, -1]");
  assert_near (node_test_number (&test, "t.area", 0), -6, 0);
  node_test_set (&test, "t", "toward", "[0, 0, 1]");
  node_test_set (&test, "t", "b", "[0, 4, 0]");
  node_test_set (&test, "t", "c", "[3, 0, 0]");
  assert_near (node_test_number (&test, "t.area", 0), -6, 0);
  node_test_set (&test, "t", "c", "[0, 9, 0]");
  assert_near (node_test_number (&test, "t.area", 0), 0, 0);
  assert_vector_near (node_test_vector (&test, "t.normal", 0), 0, 0, 0, 0);
  node_test_warns (&test, "t.weights", "lie on one line");
  node_test_clear (&test);
}

static void
test_triangle_solve (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/triangle", "t", "given", "\"sides\"", "side_a", "2", "side_b", "3", "side_c", "4", NULL);
  assert_near (node_test_number (&test, "t.alpha", 0), 28.955024371860, 1e-11);
  assert_near (node_test_number (&test, "t.gamma", 0), 104.477512185930, 1e-11);
  assert_vector_near (node_test_vector (&test, "t.apex", 0), 3 * 0.875, 3 * sqrt (1 - 0.875 * 0.875), 0, 1e-14);
  node_test_set (&test, "t", "side_c", "6");
  node_test_fails_saying (&test, "t.area", 0, "sides a and b do not reach");
  node_test_set (&test, "t", "given", "\"sides-far-angle\"");
  node_test_set (&test, "t", "angle_a", "30");
  assert_near (node_test_number (&test, "t.solutions", 0), 2, 0);
  assert_near (node_test_number (&test, "t.beta", 0), 180 - asin (0.75) / KG_DEGREE, 1e-11);
  node_test_set (&test, "t", "other", "true");
  assert_near (node_test_number (&test, "t.beta", 0), asin (0.75) / KG_DEGREE, 1e-11);
  node_test_set (&test, "t", "angle_a", "80");
  node_test_fails_saying (&test, "t.area", 0, "too short to reach");
  node_test_set (&test, "t", "given", "\"angles-side\"");
  node_test_set (&test, "t", "angle_b", "120");
  node_test_fails_saying (&test, "t.area", 0, "do not make a triangle");
  /* Of one angle, only that one is named. */
  node_test_set (&test, "t", "given", "\"sides-angle\"");
  node_test_set (&test, "t", "angle_a", "0");
  node_test_fails_saying (&test, "t.area", 0, "the angle at A is 0 degrees");
  node_test_set (&test, "t", "given", "\"sides-far-angle\"");
  node_test_set (&test, "t", "angle_a", "180");
  node_test_fails_saying (&test, "t.area", 0, "the angle at A is 180 degrees");
  node_test_clear (&test);
}

/* What a message shows is what the operation uses. */
static void
test_not_finite (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/vector_math", "v", "operation", "\"divide\"", "a", "[1, 2, 3]", "b", "[1, 0, 2]", NULL);
  node_test_fails_saying (&test, "v.vector", 0, "b is (1, 0, 2)");
  node_test_set (&test, "v", "operation", "\"scale\"");
  node_test_set (&test, "v", "a", "[1e300, 0, 0]");
  node_test_set (&test, "v", "factor", "1e300");
  node_test_fails_saying (&test, "v.vector", 0, "the result for a = (1e+300, 0, 0) is not finite");
  node_test_add (&test, "value/math", "m", "operation", "\"power\"", "a", "-2", "b", "0.5", NULL);
  node_test_fails_saying (&test, "m.result", 0, "an integer as b");
  node_test_set (&test, "m", "a", "0");
  node_test_set (&test, "m", "b", "-1");
  node_test_fails_saying (&test, "m.result", 0, "a must not be 0");
  node_test_clear (&test);
}

/* Keys are met, any sign and number of turns is kept; opposite axes may be the same rotation. */
static void
test_axis_angle (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rotation/axis_angle", "r", "axis_a", "[0, 0, 2]", "angle_a", "-30", "axis_b", "[0, 3, 0]",
                 "angle_b", "750", "t", "0.5", NULL);
  assert_vector_near (node_test_vector (&test, "r.axis", 0), 0, sqrt (0.5), sqrt (0.5), 1e-15);
  assert_near (node_test_number (&test, "r.angle", 0), 360, 1e-12);
  assert_near (node_test_number (&test, "r.turns", 0), 1, 1e-15);
  node_test_set (&test, "r", "t", "1");
  assert_vector_near (node_test_vector (&test, "r.axis", 0), 0, 1, 0, 1e-15);
  {
    g_auto (KgValue) value = node_test_get (&test, "r.rotation", 0);
    const KgVector x = kg_rotation_apply (value.rotation, kg_vector (1, 0, 0));

    /* 750 degrees are 30. */
    assert_vector_near (x, cos (KG_PI / 6), 0, -sin (KG_PI / 6), 1e-14);
  }
  node_test_set (&test, "r", "t", "0.5");
  node_test_set (&test, "r", "axis_b", "[0, 0, -1]");
  node_test_set (&test, "r", "angle_b", "30");
  node_test_warns (&test, "r.rotation", "opposite");
  node_test_set (&test, "r", "align", "true");
  assert_vector_near (node_test_vector (&test, "r.axis", 0), 0, 0, 1, 1e-15);
  assert_near (node_test_number (&test, "r.angle", 0), -30, 1e-12);
  /* An angle of 0 has any axis: that of the other. */
  node_test_set (&test, "r", "angle_a", "0");
  assert_vector_near (node_test_vector (&test, "r.axis", 0), 0, 0, -1, 1e-15);
  node_test_set (&test, "r", "axis_b", "[0, 0, 0]");
  node_test_warns (&test, "r.rotation", "axis b is zero");
  node_test_clear (&test);
}

static void
test_polygon_weights (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/polygon_weights", "p", NULL);
  assert_vector_near (node_test_vector (&test, "p.blend", 0), 0.3, 0.2, 0, 1e-14);
  node_test_set (&test, "p", "values", "[[0, 0, 0], [10, 0, 0], [10, 0, 0], [0, 0, 0]]");
  node_test_set (&test, "p", "method", "\"wachspress\"");
  assert_vector_near (node_test_vector (&test, "p.blend", 0), 3, 0, 0, 1e-13);
  node_test_set (&test, "p", "point", "[3, 0.5, 0]");
  node_test_fails_saying (&test, "p.blend", 0, "outside of the polygon");
  node_test_set (&test, "p", "method", "\"mean-value\"");
  assert_near (node_test_number (&test, "p.inside", 0), 0, 0);
  node_test_set (&test, "p", "values", "[[1, 2]]");
  node_test_fails_saying (&test, "p.blend", 0, "4 corners and 1 values");
  node_test_set (&test, "p", "corners", "[]");
  node_test_set (&test, "p", "values", "[]");
  node_test_fails_saying (&test, "p.blend", 0, "no area");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/value/vector_math/70-14-sums", test_sums);
  g_test_add_func ("/value/vector_math/70-19-cross", test_cross);
  g_test_add_func ("/value/vector_math/70-13-lengths", test_lengths);
  g_test_add_func ("/value/vector_math/70-15-angles", test_angles);
  g_test_add_func ("/value/vector_math/70-16-70-21-tests", test_tests);
  g_test_add_func ("/value/vector_math/70-17-70-18-parts", test_parts);
  g_test_add_func ("/value/vector_math/70-14-not-finite", test_not_finite);
  g_test_add_func ("/value/closest/70-22-point-line", test_point_line);
  g_test_add_func ("/value/closest/70-27-pairs", test_closest_pairs);
  g_test_add_func ("/value/closest/70-27-rays", test_rays);
  g_test_add_func ("/value/triangle/70-28-corners", test_triangle);
  g_test_add_func ("/value/triangle/70-32-solve", test_triangle_solve);
  g_test_add_func ("/rotation/axis_angle/P2-22", test_axis_angle);
  g_test_add_func ("/value/polygon_weights/70-34", test_polygon_weights);
  return g_test_run ();
}
