/* tests/nodes/paths: followers of paths, against closed forms and catalogue 30-75 to 30-86.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* Followers. */

static void
unlink_input (NodeTest *test, const char *name, const char *slot)
{
  g_autoptr (GError) error = NULL;

  kg_graph_reset (test->graph, kg_graph_find (test->graph, name), slot, &error);
  g_assert_no_error (error);
}

static NodeTest
make (const char *points, const char *basis, const char *orientation)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "points", points, "basis", basis, NULL);
  node_test_add (&test, "curve/follow", "f", "geometry", "{\"link\": \"s.geometry\"}", "orientation", orientation,
                 "parameter", "0.5", NULL);
  return test;
}

static void
check_frame (NodeTest *test, double handed)
{
  g_auto (KgValue) value = node_test_get (test, "f.transform", 0);
  const KgTransform *t = value.transform;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      assert_near (t->m[0][i] * t->m[0][j] + t->m[1][i] * t->m[1][j] + t->m[2][i] * t->m[2][j], i == j ? 1 : 0, 1e-12);
  assert_near (kg_transform_determinant (*t), handed, 1e-12);
}

/* 30-75: every orientation gives an orthonormal frame with determinant 1 along a curve in space.  30-86: for every tilt. */
static void
test_orthonormal (void)
{
  static const char *const orientations[] = { "\"tangent\"",  "\"none\"",  "\"frenet\"",  "\"rotation-minimizing\"",
                                              "\"interest\"", "\"ahead\"", "\"average\"", "\"path\"",
                                              "\"keyed\"" };
  static const char *const axes[] = { "\"x\"", "\"z\"", "\"camera\"" };
  const KgVector ahead[] = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };

  for (guint k = 0; k < G_N_ELEMENTS (orientations); k++) {
    NodeTest test = make ("\"0 0 0\\n1 2 1\\n2 -1 0\\n3 0 3\\n5 1 -1\"", "\"catmull-rom\"", orientations[k]);

    node_test_add (&test, "curve/spline", "c", "points", "\"0 4 0\\n1 4 7\\n5 5 0\"", NULL);
    node_test_set (&test, "f", "interest_path", "{\"link\": \"c.geometry\"}");
    node_test_set (&test, "f", "interest", "[3, 1, 8]");
    node_test_set (&test, "f", "bank", "\"proportional\"");
    for (int i = 0; i <= 20; i++) {
      g_autofree char *parameter = g_strdup_printf ("%g", i / 20.0), *tilt = g_strdup_printf ("%d", 33 * i);

      node_test_set (&test, "f", "parameter", parameter);
      node_test_set (&test, "f", "tilt", tilt);
      node_test_set (&test, "f", "axes", axes[i % 3]);
      node_test_set (&test, "f", "handedness", "\"right\"");
      check_frame (&test, 1);
      {
        g_auto (KgValue) rotation = node_test_get (&test, "f.rotation", 0);
        const KgVector w = kg_rotation_apply (rotation.rotation, ahead[i % 3]);
        const KgVector v = kg_rotation_apply (rotation.rotation, kg_vector (0, 1, 0));

        assert_vector_near (node_test_vector (&test, "f.forward", 0), w.x, w.y, w.z, 1e-12);
        assert_vector_near (node_test_vector (&test, "f.upward", 0), v.x, v.y, v.z, 1e-12);
      }
      node_test_set (&test, "f", "handedness", "\"left\"");
      check_frame (&test, -1);
    }
    node_test_clear (&test);
  }
}

/* 30-75: the place is P (s (t)): an ease as distance-time function.  Round and round on closed paths. */
static void
test_position (void)
{
  NodeTest test = make ("\"0 0\\n10 0\"", "\"linear\"", "\"tangent\"");

  node_test_add (&test, "motion/ease", "e", "shape", "\"decelerate\"", NULL);
  node_test_set (&test, "f", "timing", "{\"link\": \"e.motion\"}");
  /* (2 - t) t */
  assert_vector_near (node_test_vector (&test, "f.position", 0), 7.5, 0, 0, 1e-9);
  assert_near (node_test_number (&test, "f.distance", 0), 7.5, 1e-9);
  unlink_input (&test, "f", "timing");
  node_test_set (&test, "f", "by", "\"metres\"");
  node_test_set (&test, "f", "parameter", "3");
  assert_vector_near (node_test_vector (&test, "f.position", 0), 3, 0, 0, 1e-9);
  node_test_set (&test, "s", "closed", "true");
  node_test_set (&test, "f", "parameter", "-1");
  assert_vector_near (node_test_vector (&test, "f.position", 0), 1, 0, 0, 1e-9);
  node_test_set (&test, "f", "by", "\"natural\"");
  node_test_set (&test, "f", "parameter", "1e300");
  g_assert_true (kg_vector_is_finite (node_test_vector (&test, "f.position", 0)));
  node_test_clear (&test);
}

/* 30-76: looking along z with y up, sideways is x, and -x in left-handed frames. */
static void
test_handedness (void)
{
  NodeTest test = make ("\"0 0 0\\n0 0 10\"", "\"linear\"", "\"tangent\"");

  assert_vector_near (node_test_vector (&test, "f.forward", 0), 0, 0, 1, 1e-12);
  assert_vector_near (node_test_vector (&test, "f.upward", 0), 0, 1, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), 1, 0, 0, 1e-12);
  node_test_set (&test, "f", "handedness", "\"left\"");
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), -1, 0, 0, 1e-12);
  node_test_clear (&test);
}

/* 30-81: a fixed point of interest. */
static void
test_interest (void)
{
  NodeTest test = make ("\"0 0 0\\n0 0 0\"", "\"linear\"", "\"interest\"");
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_set (&test, "f", "axes", "\"z\"");
  node_test_set (&test, "f", "interest", "[0, 0, 5]");
  value = node_test_get (&test, "f.transform", 0);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      assert_near (value.transform->m[i][j], i == j ? 1 : 0, 1e-15);
  node_test_set (&test, "s", "points", "\"1 2 3\\n1 2 3\"");
  node_test_set (&test, "f", "interest", "[4, 6, 3]");
  assert_vector_near (node_test_vector (&test, "f.forward", 0), 0.6, 0.8, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), 0, 0, -1, 1e-12);
  assert_vector_near (node_test_vector (&test, "f.upward", 0), -0.8, 0.6, 0, 1e-12);
  /* 30-86: a tilt of 90 degrees takes up to where right was. */
  node_test_set (&test, "f", "tilt", "90");
  assert_vector_near (node_test_vector (&test, "f.upward", 0), 0, 0, 1, 1e-12);

  /* An object: the middle of its box, or the mean of its points. */
  node_test_add (&test, "curve/spline", "o", "points", "\"0 0\\n0 8\\n3 8\"", "basis", "\"linear\"", NULL);
  node_test_set (&test, "f", "interest_object", "{\"link\": \"o.geometry\"}");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 1.5, 4, 0, 1e-6);
  node_test_set (&test, "f", "object_center", "\"mean\"");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 1, 16.0 / 3, 0, 1e-6);
  node_test_clear (&test);
}

/* 30-82: on a circle the view makes half the arc with the tangent; on a line it stays; near the end it goes over to the
 * tangent of the end. */
static void
test_ahead (void)
{
  NodeTest test = make ("\"0 0\\n3 0\\n7 0\"", "\"linear\"", "\"ahead\"");
  KgVector before;

  node_test_set (&test, "f", "ahead", "0.25");
  for (int i = 0; i <= 10; i++) {
    g_autofree char *parameter = g_strdup_printf ("%g", i / 10.0);

    node_test_set (&test, "f", "parameter", parameter);
    assert_vector_near (node_test_vector (&test, "f.forward", 0), 1, 0, 0, 1e-9);
  }
  node_test_clear (&test);

  test = node_test_new ();
  node_test_add (&test, "geometry/circle", "s", "points", "20000", "filled", "false", NULL);
  node_test_add (&test, "curve/follow", "f", "geometry", "{\"link\": \"s.geometry\"}", "orientation", "\"ahead\"",
                 "ahead", "0.25", NULL);
  for (int i = 0; i < 8; i++) {
    /* In the middle of an edge of the polygon. */
    g_autofree char *parameter = g_strdup_printf ("%.17g", (2500 * i + 0.5) / 20000);
    const double angle = 2 * KG_PI * (2500 * i + 0.5) / 20000 + KG_PI / 2 + KG_PI / 4;

    node_test_set (&test, "f", "parameter", parameter);
    assert_vector_near (node_test_vector (&test, "f.forward", 0), cos (angle), sin (angle), 0, 1e-3);
  }
  /* All the way round there is nothing ahead: the tangent. */
  node_test_set (&test, "f", "ahead", "1");
  node_test_set (&test, "f", "parameter", "0.25");
  assert_vector_near (node_test_vector (&test, "f.forward", 0), -1, 0, 0, 1e-3);
  node_test_clear (&test);

  test = make ("\"0 0\\n1 2\\n3 2\\n4 0\"", "\"catmull-rom\"", "\"ahead\"");
  node_test_set (&test, "f", "ahead", "0.2");
  node_test_set (&test, "f", "parameter", "0.8");
  before = node_test_vector (&test, "f.forward", 0);
  node_test_set (&test, "f", "parameter", "0.80001");
  assert_near (kg_vector_dot (before, node_test_vector (&test, "f.forward", 0)), 1, 1e-6);
  node_test_set (&test, "f", "parameter", "1");
  before = node_test_vector (&test, "f.forward", 0);
  node_test_set (&test, "f", "ahead", "0");
  assert_near (kg_vector_dot (before, node_test_vector (&test, "f.forward", 0)), 1, 1e-9);
  node_test_clear (&test);
}

/* 30-83: one point ahead is 30-82; on a line the mean of n is (n + 1) / 2 spreads ahead. */
static void
test_average (void)
{
  NodeTest test = make ("\"0 0\\n10 0\"", "\"linear\"", "\"average\"");
  KgVector one;

  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 10 * (0.5 + 3 * 0.02), 0, 0, 1e-8);
  /* Past the end: straight on, or held. */
  node_test_set (&test, "f", "parameter", "1");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 10 * (1 + 3 * 0.02), 0, 0, 1e-8);
  node_test_set (&test, "f", "past_end", "\"hold\"");
  /* Then it is where the follower is, and the follower looks along the path. */
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 10, 0, 0, 1e-8);
  assert_vector_near (node_test_vector (&test, "f.forward", 0), 1, 0, 0, 1e-8);
  node_test_clear (&test);

  test = make ("\"0 0\\n1 2\\n3 2\\n4 0\"", "\"catmull-rom\"", "\"average\"");
  node_test_set (&test, "f", "average_count", "1");
  node_test_set (&test, "f", "average_spread", "0.07");
  one = node_test_vector (&test, "f.looks_at", 0);
  node_test_set (&test, "f", "orientation", "\"ahead\"");
  node_test_set (&test, "f", "ahead", "0.07");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), one.x, one.y, one.z, 1e-12);
  node_test_clear (&test);
}

/* 30-84: with an up path one above the follower's the frame is that of 30-81. */
static void
test_separate_paths (void)
{
  NodeTest test = make ("\"0 0 0\\n1 0 2\\n3 0 2\\n4 0 0\"", "\"catmull-rom\"", "\"path\"");
  KgVector up, left;

  node_test_add (&test, "curve/spline", "c", "points", "\"0 3 9\\n8 3 9\"", "basis", "\"linear\"", NULL);
  node_test_add (&test, "geometry/transform", "u", "geometry", "{\"link\": \"s.geometry\"}", "translate", "[0, 1, 0]",
                 NULL);
  node_test_add (&test, "motion/ease", "e", "shape", "\"decelerate\"", NULL);
  node_test_set (&test, "f", "interest_path", "{\"link\": \"c.geometry\"}");
  node_test_set (&test, "f", "up_path", "{\"link\": \"u.transformed\"}");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 4, 3, 9, 1e-8);
  up = node_test_vector (&test, "f.upward", 0);
  left = node_test_vector (&test, "f.sideways", 0);
  node_test_set (&test, "f", "orientation", "\"interest\"");
  node_test_set (&test, "f", "interest", "[4, 3, 9]");
  unlink_input (&test, "f", "up_path");
  assert_vector_near (node_test_vector (&test, "f.upward", 0), up.x, up.y, up.z, 1e-6);
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), left.x, left.y, left.z, 1e-6);
  /* A timing of its own. */
  node_test_set (&test, "f", "orientation", "\"path\"");
  node_test_set (&test, "f", "interest_timing", "{\"link\": \"e.motion\"}");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 6, 3, 9, 1e-8);
  /* Up along the view: y in its place. */
  node_test_set (&test, "f", "up_path", "{\"link\": \"c.geometry\"}");
  node_test_set (&test, "f", "up_timing", "{\"link\": \"e.motion\"}");
  check_frame (&test, 1);
  unlink_input (&test, "f", "interest_path");
  node_test_fails (&test, "f.transform", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* 30-85: holds, and between them the way with an ease: half way at half time, no speed at its ends. */
static void
test_keyed (void)
{
  NodeTest test = make ("\"0 0 5\\n1 0 5\"", "\"linear\"", "\"keyed\"");
  static const double frames[][2] = { { 0, 1 }, { 10, 1 }, { 15, 2 }, { 20, 3 }, { 29, 3 }, { 31, 3 }, { 99, 3 } };

  node_test_set (&test, "f", "interest_keys", "\"1 10 1 0 0\\n20 30 3 0 0\"");
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    g_autofree char *clock = g_strdup_printf ("%g", frames[i][0]);

    node_test_set (&test, "f", "clock", clock);
    assert_vector_near (node_test_vector (&test, "f.looks_at", 0), frames[i][1], 0, 0, 1e-12);
  }
  node_test_set (&test, "f", "clock", "10.001");
  assert_near (node_test_vector (&test, "f.looks_at", 0).x, 1, 1e-6);
  node_test_set (&test, "f", "clock", "19.999");
  assert_near (node_test_vector (&test, "f.looks_at", 0).x, 3, 1e-6);
  /* Out of order: sorted.  Overlapping: refused. */
  node_test_set (&test, "f", "interest_keys", "\"20 30 3 0 0\\n1 10 1 0 0\"");
  node_test_set (&test, "f", "clock", "15");
  assert_near (node_test_vector (&test, "f.looks_at", 0).x, 2, 1e-12);
  node_test_set (&test, "f", "interest_keys", "\"1 21 1 0 0\\n20 30 3 0 0\"");
  node_test_fails (&test, "f.transform", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "f", "interest_keys", "\"5 1 1 0 0\"");
  node_test_fails (&test, "f.transform", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "f", "interest_keys", "\"\"");
  node_test_fails (&test, "f.transform", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* 30-80: on a circle of radius 10 at 10 m/s the lean is atan (100 / (10 g)), to the side of the turn; none on a line. */
static void
test_bank (void)
{
  static const char circle[] = "\"0 0 0\\n0 0 5.52285\\n4.47715 0 10\\n10 0 10\"";
  static const char mirrored[] = "\"0 0 0\\n0 0 5.52285\\n-4.47715 0 10\\n-10 0 10\"";
  NodeTest test = make (circle, "\"bezier\"", "\"tangent\"");
  KgVector up;

  node_test_set (&test, "f", "bank", "\"physical\"");
  node_test_set (&test, "f", "bank_speed", "10");
  node_test_set (&test, "f", "bank_max", "80");
  /* Half way along the quarter the cubic bends a little less than the circle: by 6 in 1000. */
  assert_near (fabs (node_test_number (&test, "f.bank_angle", 0)), 45.559296, 0.2);
  /* Looking along z, x is left: the quarter turns left. */
  g_assert_cmpfloat (node_test_number (&test, "f.bank_angle", 0), >, 0);
  up = node_test_vector (&test, "f.upward", 0);
  g_assert_cmpfloat (kg_vector_dot (up, kg_vector (10, 0, 0)), >, 0);
  node_test_set (&test, "f", "bank_gain", "-1");
  g_assert_cmpfloat (node_test_vector (&test, "f.upward", 0).x, <, 0);
  node_test_set (&test, "f", "bank_gain", "1");
  node_test_set (&test, "s", "points", mirrored);
  assert_near (node_test_number (&test, "f.bank_angle", 0), -45.559296, 0.2);
  node_test_set (&test, "f", "bank", "\"proportional\"");
  assert_near (node_test_number (&test, "f.bank_angle", 0), -0.1 / KG_DEGREE, 0.05);
  node_test_set (&test, "f", "bank_max", "2");
  assert_near (node_test_number (&test, "f.bank_angle", 0), -2, 1e-9);
  node_test_set (&test, "s", "points", "\"0 0 0\\n0 0 5\\n0 0 6\\n0 0 10\"");
  assert_near (node_test_number (&test, "f.bank_angle", 0), 0, 1e-12);
  node_test_clear (&test);
}

/* What cannot be looked at. */
static void
test_degenerate (void)
{
  NodeTest test = make ("\"0 0 0\\n0 0 10\"", "\"linear\"", "\"interest\"");
  static const char *const orientations[] = { "\"tangent\"",  "\"frenet\"", "\"rotation-minimizing\"",
                                              "\"interest\"", "\"ahead\"",  "\"average\"" };

  /* The point of interest on the path: before it the view was along it. */
  node_test_set (&test, "f", "interest", "[0, 0, 5]");
  node_test_warns (&test, "f.transform", "the earlier view direction is kept");
  check_frame (&test, 1);
  assert_vector_near (node_test_vector (&test, "f.forward", 0), 0, 0, 1, 1e-9);
  /* Straight above: what was left stays left. */
  node_test_set (&test, "f", "interest", "[0, 7, 5]");
  node_test_warns (&test, "f.transform", "parallel to the up vector");
  check_frame (&test, 1);
  assert_vector_near (node_test_vector (&test, "f.forward", 0), 0, 1, 0, 1e-9);
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), 1, 0, 0, 1e-6);
  /* ... also where there is no before. */
  node_test_set (&test, "f", "parameter", "0");
  node_test_set (&test, "f", "interest", "[0, 7, 0]");
  check_frame (&test, 1);
  node_test_set (&test, "f", "interest", "[0, 0, 0]");
  check_frame (&test, 1);
  /* A straight path for Frenet. */
  node_test_set (&test, "f", "orientation", "\"frenet\"");
  node_test_warns (&test, "f.transform", "has no bend");
  assert_vector_near (node_test_vector (&test, "f.upward", 0), 0, 1, 0, 1e-12);
  /* A path of no length, and one that goes straight up. */
  for (int i = 0; i < 2; i++)
    for (guint k = 0; k < G_N_ELEMENTS (orientations); k++) {
      node_test_set (&test, "s", "points", i == 0 ? "\"1 2 3\\n1 2 3\"" : "\"1 2 3\\n1 9 3\"");
      node_test_set (&test, "f", "orientation", orientations[k]);
      node_test_set (&test, "f", "bank", "\"physical\"");
      check_frame (&test, 1);
      node_test_set (&test, "f", "up", "[0, 0, 0]");
      check_frame (&test, 1);
      node_test_set (&test, "f", "up", "[0, 1e300, 0]");
      check_frame (&test, 1);
    }
  node_test_clear (&test);
}

/* 30-81: passing 0.1 m from what is looked at at 24 m/s turns the view by 2 atan (5) in a frame. */
static void
test_turn_rate (void)
{
  NodeTest test = make ("\"0 0 0\\n0 0 24\"", "\"linear\"", "\"interest\"");

  node_test_set (&test, "f", "by", "\"metres\"");
  node_test_set (&test, "f", "parameter", "{\"expr\": \"frame\"}");
  node_test_set (&test, "f", "interest", "[0.1, 0, 2.5]");
  node_test_set (&test, "f", "turn_limit", "90");
  /* From frame 2 to frame 3. */
  assert_near (node_test_number (&test, "f.turn_rate", 2.0 / 24), 24 * 2 * atan (5) / KG_DEGREE, 1e-4);
  node_test_clear (&test);
}

static void
test_report (void)
{
  NodeTest test = make ("\"0 0\\n1 1\\n2 -1\\n3 0\"", "\"bezier\"", "\"frenet\"");
  g_auto (KgValue) value = node_test_get (&test, "f.report", 0);

  g_assert_nonnull (strstr (value.text, "inflection"));
  g_assert_nonnull (strstr (value.text, "180°"));
  node_test_clear (&test);
}

/* The drawn frames of a quarter circle, and the profile of its curvature. */
static void
test_show_frames (void)
{
  NodeTest test = make ("\"1 0\\n1 0.552285\\n0.552285 1\\n0 1\"", "\"bezier\"", "\"frenet\"");
  g_auto (KgValue) axes = KG_VALUE_INIT, tips = KG_VALUE_INIT, profile = KG_VALUE_INIT;
  const float *p;

  node_test_add (&test, "curve/show_frames", "d", "geometry", "{\"link\": \"s.geometry\"}", "samples", "11", "size",
                 "0.5", "tangents", "true", "binormals", "true", NULL);
  axes = node_test_get (&test, "d.axes", 0);
  g_assert_cmpuint (kg_geometry_get_n_primitives (axes.geometry), ==, 33);
  tips = node_test_get (&test, "d.tips", 0);
  p = kg_geometry_get_positions (tips.geometry);
  for (int i = 0; i < 11; i++)
    assert_near (hypot ((double) p[3 * i], (double) p[3 * i + 1]), 0.5, 1e-3);
  profile = node_test_get (&test, "d.profile", 0);
  for (int i = 0; i <= 10; i++)
    /* The cubic bends up to 3 in 100 otherwise than the circle. */
    assert_near (kg_motion_evaluate (profile.motion, i / 10.0, 0), 1, 0.03);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/paths/30-75-86-orthonormal", test_orthonormal);
  g_test_add_func ("/paths/30-75-position", test_position);
  g_test_add_func ("/paths/30-76-handedness", test_handedness);
  g_test_add_func ("/paths/30-81-interest", test_interest);
  g_test_add_func ("/paths/30-82-ahead", test_ahead);
  g_test_add_func ("/paths/30-83-average", test_average);
  g_test_add_func ("/paths/30-84-separate-paths", test_separate_paths);
  g_test_add_func ("/paths/30-85-keyed", test_keyed);
  g_test_add_func ("/paths/30-80-bank", test_bank);
  g_test_add_func ("/paths/30-81-degenerate", test_degenerate);
  g_test_add_func ("/paths/30-81-turn-rate", test_turn_rate);
  g_test_add_func ("/paths/30-79-report", test_report);
  g_test_add_func ("/paths/30-77-show-frames", test_show_frames);
  return g_test_run ();
}
