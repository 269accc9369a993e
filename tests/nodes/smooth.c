/* tests/nodes/smooth: smoothing of paths and motions, against the figures of catalogue 30-90 to 30-94.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#define S_TEXT "\"1 1.6\\n2 1.65\\n3 1.6\\n4 1.8\\n5 2.1\\n6 2.2\\n7 2\\n8 1.5\\n9 1.3\\n10 1.4\""

/* The node: points and their attributes, closed rows, splines, motions. */
static void
test_node (void)
{
  static const double cubic[] = {
    1.6, 1.591666667, 1.641666667, 1.8125, 2.083333333, 2.191666667, 1.95, 1.55, 1.3, 1.4
  };
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT, spline = KG_VALUE_INIT, motion = KG_VALUE_INIT;
  const float *p;
  double length;

  node_test_add (&test, "curve/spline", "s", "basis", "\"linear\"", "points", S_TEXT, NULL);
  node_test_add (&test, "curve/smooth", "m", "geometry", "{\"link\": \"s.geometry\"}", "method", "\"cubic\"", NULL);
  value = node_test_get (&test, "m.smoothed", 0);
  p = kg_geometry_get_positions (value.geometry);
  for (int i = 0; i < 10; i++)
    assert_near ((double) p[3 * i + 1], cubic[i], 1e-6);
  assert_near ((double) p[0], 1, 0);

  node_test_set (&test, "m", "method", "\"b-spline\"");
  node_test_set (&test, "m", "spline", "true");
  node_test_add (&test, "curve/evaluate", "e", "geometry", "{\"link\": \"m.smoothed\"}", "parameter", "1", NULL);
  spline = node_test_get (&test, "m.smoothed", 0);
  g_assert_cmpuint (kg_geometry_get_n_primitives (spline.geometry), ==, 1);
  assert_vector_near (node_test_vector (&test, "e.point", 0), 10, 1.4, 0, 1e-6);
  length = node_test_number (&test, "e.length", 0);
  node_test_set (&test, "m", "spline", "false");
  node_test_set (&test, "m", "output_count", "2000");
  assert_near (node_test_number (&test, "e.length", 0), length, 1e-4);

  /* An ease that is smoothed stays between 0 and 1, and its middle where it is. */
  node_test_add (&test, "motion/ease", "t", NULL);
  node_test_add (&test, "curve/smooth", "c", "motion", "{\"link\": \"t.motion\"}", "iterations", "4", NULL);
  motion = node_test_get (&test, "c.smoothed_motion", 0);
  assert_near (kg_motion_evaluate (motion.motion, 0, -1), 0, 0);
  assert_near (kg_motion_evaluate (motion.motion, 0.5, -1), 0.5, 1e-9);
  assert_near (kg_motion_evaluate (motion.motion, 1, -1), 1, 1e-15);
  node_test_clear (&test);
}

static void
test_degenerate (void)
{
  NodeTest test = node_test_new ();
  static const char *const methods[] = { "\"linear\"", "\"cubic\"", "\"convolution\"", "\"b-spline\"" };
  static const char *const points[] = { "\"1 2\\n3 4\"", "\"1 2\\n3 4\\n5 6\"", "\"1 2\\n3 4\\n5 6\\n7 8\"" };

  node_test_add (&test, "curve/spline", "s", "basis", "\"linear\"", NULL);
  node_test_add (&test, "curve/smooth", "m", "geometry", "{\"link\": \"s.geometry\"}", NULL);
  node_test_add (&test, "geometry/measure", "a", "geometry", "{\"link\": \"m.smoothed\"}", NULL);
  /* Fewer points than a window: a straight row stays what it is. */
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    for (guint k = 0; k < G_N_ELEMENTS (points); k++) {
      node_test_set (&test, "s", "points", points[k]);
      node_test_set (&test, "m", "method", methods[i]);
      assert_near (node_test_number (&test, "a.length", 0), 2 * sqrt (2) * (k + 1), 1e-6);
    }
  node_test_set (&test, "m", "iterations", "2");
  node_test_set (&test, "m", "method", "\"cubic\"");
  node_test_warns (&test, "m.smoothed", "too few for a cubic");
  node_test_set (&test, "s", "points", points[0]);
  node_test_warns (&test, "m.smoothed", "too few to smooth");
  node_test_set (&test, "s", "points", points[2]);
  node_test_set (&test, "m", "method", "\"convolution\"");
  node_test_set (&test, "m", "width", "0");
  node_test_fails (&test, "m.smoothed", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "kernel", "\"custom\"");
  node_test_set (&test, "m", "weights", "\"1 0 -1\"");
  node_test_fails (&test, "m.smoothed", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "weights", "\"1 1\"");
  node_test_fails (&test, "m.smoothed", KG_ERROR_INVALID_VALUE);
  node_test_add (&test, "geometry/grid", "g", NULL);
  node_test_add (&test, "curve/smooth", "r", "geometry", "{\"link\": \"g.geometry\"}", NULL);
  node_test_warns (&test, "r.smoothed", "share points");
  node_test_set (&test, "m", "weights", "\"1 2 1\"");
  node_test_warns (&test, "m.smoothed", "scaled to add up to 1");
  assert_near (node_test_number (&test, "a.length", 0), 2 * sqrt (2) * 3, 1e-6);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/smooth/node", test_node);
  g_test_add_func ("/smooth/degenerate", test_degenerate);
  return g_test_run ();
}
