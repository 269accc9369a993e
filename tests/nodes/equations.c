/* tests/nodes/equations: the node around the integrators: frames in any order, what it reports, and its messages.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* x = cos 2t, at frames and between them. */
static void
test_oscillator (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "sim/equations", "e", "equations", "\"x'' = -a*x\"", "start", "\"x = 1\"", "a", "4",
                 "invariant", "\"x'^2/2 + a*x^2/2\"", NULL);
  for (int frame = 0; frame <= 48; frame += 6) {
    const double t = frame / 24.0;

    g_assert_cmpfloat_with_epsilon (node_test_number (&test, "e.first", t), cos (2 * t), 1e-6);
    g_assert_cmpfloat_with_epsilon (node_test_number (&test, "e.watched", t), 2, 1e-7);
    g_assert_cmpfloat_with_epsilon (node_test_number (&test, "e.error", t),
                                    fabs (node_test_number (&test, "e.first", t) - cos (2 * t)), 1e-6);
  }
  {
    g_auto (KgValue) point = node_test_get (&test, "e.point", 1), motion = node_test_get (&test, "e.motion", 2);
    const KgChannel *speed = kg_motion_find (motion.motion, "x'");
    double value;

    assert_vector_near (point.vector, cos (2), -2 * sin (2), 0, 1e-6);
    g_assert_nonnull (speed);
    kg_channel_evaluate (speed, 0.77, &value);
    g_assert_cmpfloat_with_epsilon (value, -2 * sin (1.54), 1e-5);
  }
  node_test_clear (&test);
}

/* Any order of frames gives the same bits, also with steps that the method chooses. */
static void
test_any_order (void)
{
  const char *const methods[] = { "\"rk4\"", "\"leapfrog\"", "\"implicit\"", "\"rk8pd\"", "\"bsimp\"" };

  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    double values[2][3];

    for (guint k = 0; k < 2; k++) {
      NodeTest test = node_test_new ();

      node_test_add (&test, "sim/equations", "e", "equations", "\"x'' = -sin(x) + 0.5*cos(t)\"", "start", "\"x = 2\"",
                     "method", methods[m], NULL);
      for (guint i = 0; i < 3; i++)
        values[k][k == 0 ? i : 2 - i] = node_test_number (&test, "e.first", (k == 0 ? i : 2 - i) + 0.5);
      node_test_clear (&test);
    }
    g_assert_cmpmem (values[0], sizeof values[0], values[1], sizeof values[1]);
  }
}

static void
test_messages (void)
{
  const struct {
    const char *slot, *text;
    double time;
    const char *words;
  } cases[] = {
    { "equations", "\"x' = x^2\"", 1, "frame 1" },
    { "equations", "\"x' = x^2\"", 1, "x grew beyond all bounds at t = " },
    { "equations", "\"x' = q\"", 0, "row 1: column 1: unknown name \"q\"" },
    { "start", "\"q = 1\"", 0, "start, row 1: no equation has the variable q" },
    { "place", "\"[x, q]\"", 0, "place: column 5: unknown name \"q\"" },
    { "place", "\"x\"", 0, "place: 1 results: 3 are needed here" },
    { "place", "\"[1/(x - 2), 0]\"", 0, "place: the result at t = 0 s is not finite" },
    { "invariant", "\"x, x\"", 0, "invariant: 2 results: 1 are needed here" },
    { "method", "\"leapfrog\"", 0, "this method needs pairs of positions and velocities" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    NodeTest test = node_test_new ();

    if (g_str_equal (cases[i].slot, "equations"))
      node_test_add (&test, "sim/equations", "e", "start", "\"x = 2\"", cases[i].slot, cases[i].text, NULL);
    else
      node_test_add (&test, "sim/equations", "e", "equations", "\"x' = -x\"", "start", "\"x = 2\"", cases[i].slot,
                     cases[i].text, NULL);
    node_test_fails_saying (&test, "e.trail", cases[i].time, cases[i].words);
    node_test_clear (&test);
  }
}

/* 70-113: Euler throws the comet out, what keeps energy does not. */
static void
test_comparison (void)
{
  NodeTest test = node_test_open_example ("integrators.json");
  const double t = 15;

  g_assert_cmpfloat (node_test_number (&test, "euler.drift", t), >, 2);
  g_assert_cmpfloat (fabs (node_test_number (&test, "symplectic.drift", t)), <, 0.5);
  g_assert_cmpfloat (fabs (node_test_number (&test, "leapfrog.drift", t)), <, 0.1);
  g_assert_cmpfloat (fabs (node_test_number (&test, "rk4.drift", t)), <, 0.01);
  g_assert_cmpfloat (node_test_number (&test, "rk4.error", t), <, node_test_number (&test, "midpoint.error", t) / 20);
  g_assert_cmpfloat (node_test_number (&test, "rk4.evaluations", t), ==, 4 * 180);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/equations/oscillator", test_oscillator);
  g_test_add_func ("/sim/equations/any-order", test_any_order);
  g_test_add_func ("/sim/equations/messages", test_messages);
  g_test_add_func ("/sim/equations/70-113-comparison", test_comparison);
  return g_test_run ();
}
