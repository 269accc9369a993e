/* tests/nodes/curve-length: the node that measures curves, against catalogue 30-28 to 30-39.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* The reference curve of the catalogue: its length and two facts of it. */
#define LENGTH_A 5.268365543018513
#define LENGTH_A_TO_03 1.7079444421843895
#define PARAMETER_A_QUARTER 0.22265239049003

/* 30-33, 30-34: Table 3.1 of the textbook, read all ways. */
static const char table_3_1[] =
    "\"0 0\\n0.05 0.08\\n0.1 0.15\\n0.15 0.23\\n0.2 0.32\\n0.25 0.4\\n0.3 0.5\\n0.35 0.6\\n0.4 0.72\\n0.45 0.8\\n0.5 "
    "0.86\\n0.55 0.9\\n0.6 0.92\\n0.65 0.932\\n0.7 0.944\\n0.75 0.959\\n0.8 0.972\\n0.85 0.984\\n0.9 0.994\\n0.95 "
    "0.998\\n1 1\"";

static void
check_typed (const char *lookup, const char *slot, const char *value, const char *output, double expected)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/arc_length", "l", "method", "\"typed\"", "entries_typed", table_3_1, "lookup", lookup,
                 slot, value, NULL);
  assert_near (node_test_number (&test, output, 0), expected, 1e-9);
  node_test_clear (&test);
}

static void
test_typed (void)
{
  NodeTest test = node_test_new ();

  check_typed ("\"nearest\"", "at", "0.73", "l.length_at", 0.959);
  check_typed ("\"linear\"", "at", "0.73", "l.length_at", 0.953);
  check_typed ("\"linear\"", "at", "0.15", "l.length_at", 0.23);
  check_typed ("\"nearest\"", "at", "0.15", "l.length_at", 0.23);
  check_typed ("\"cubic\"", "at", "0.15", "l.length_at", 0.23);
  check_typed ("\"nearest\"", "distance", "0.75", "l.parameter", 0.40);
  check_typed ("\"linear\"", "distance", "0.75", "l.parameter", 0.41875);
  node_test_add (&test, "curve/arc_length", "l", "method", "\"typed\"", "entries_typed", table_3_1, "from", "0.2",
                 "distance", "0.3", NULL);
  assert_near (node_test_number (&test, "l.parameter", 0), 0.358333333333, 1e-9);
  node_test_set (&test, "l", "entries_typed", "\"0 0\\n0.5 1\\n0.4 2\"");
  node_test_fails (&test, "l.length", KG_ERROR_INVALID_VALUE);
  node_test_refuses (&test, "l", "entries_typed", "\"0 0 1\"", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* The node: all methods side by side with error and cost; from, to, inverse. */
static void
test_node (void)
{
  static const char *const methods[] = { "\"adaptive-gauss\"", "\"gauss\"",          "\"simpson\"",    "\"trapezoid\"",
                                         "\"table\"",          "\"adaptive-table\"", "\"closed-form\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "points", "\"0 0\\n1 2\\n3 2\\n4 0\"", "basis", "\"bezier\"", NULL);
  node_test_add (&test, "curve/arc_length", "l", "geometry", "{\"link\": \"s.geometry\"}", "distance",
                 "1.3170913857546282", "at", "0.3", "lookup", "\"cubic\"", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    double length;

    node_test_set (&test, "l", "method", methods[i]);
    length = node_test_number (&test, "l.length", 0);
    assert_near (length, LENGTH_A, 1e-2);
    assert_near (node_test_number (&test, "l.error", 0), fabs (length - LENGTH_A), 1e-13);
    assert_near (node_test_number (&test, "l.parameter", 0), PARAMETER_A_QUARTER, 1e-3);
    assert_near (node_test_number (&test, "l.length_at", 0), LENGTH_A_TO_03, 1e-2);
    g_assert_cmpfloat (node_test_number (&test, "l.evaluations", 0), >, 9);
    g_assert_cmpfloat (node_test_number (&test, "l.rows", 0), >=, 2);
  }
  node_test_set (&test, "l", "method", methods[0]);
  assert_near (node_test_number (&test, "l.parameter", 0), PARAMETER_A_QUARTER, 1e-12);
  assert_near (node_test_number (&test, "l.miss", 0), 0, 1e-12);
  g_assert_cmpfloat (node_test_number (&test, "l.iterations", 0), >=, 1);
  g_assert_cmpfloat (node_test_number (&test, "l.iterations", 0), <=, 4);
  assert_near (node_test_number (&test, "l.length_at", 0), LENGTH_A_TO_03, 1e-10);
  node_test_set (&test, "l", "from", "0.3");
  node_test_set (&test, "l", "to", "0");
  assert_near (node_test_number (&test, "l.length", 0), -LENGTH_A_TO_03, 1e-10);
  node_test_set (&test, "l", "tolerance", "0");
  node_test_fails (&test, "l.length", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* All points in one place: no length, and the start everywhere. */
static void
test_degenerate (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "points", "\"1 1\\n1 1\\n1 1\\n1 1\"", "basis", "\"bezier\"", NULL);
  node_test_add (&test, "curve/arc_length", "l", "geometry", "{\"link\": \"s.geometry\"}", "distance", "1", NULL);
  assert_near (node_test_number (&test, "l.length", 0), 0, 1e-14);
  assert_vector_near (node_test_vector (&test, "l.point", 0), 1, 1, 0, 1e-14);
  node_test_add (&test, "curve/arc_length", "bare", NULL);
  node_test_fails (&test, "bare.length", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/curve-length/30-33-34-typed", test_typed);
  g_test_add_func ("/curve-length/node", test_node);
  g_test_add_func ("/curve-length/degenerate", test_degenerate);
  return g_test_run ();
}
