/* tests/nodes/scatter: points on a geometry, as a node.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* Four points to a square metre of a floor of 3 by 2, wherever it is carried. */
static void
test_numbers (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "g", "size", "[3, 2, 0]", NULL);
  node_test_add (&test, "geometry/transform", "t", "geometry", "{\"link\": \"g.geometry\"}", "translate", "[0, 0, 5]",
                 NULL);
  node_test_add (&test, "geometry/scatter", "s", "geometry", "{\"link\": \"t.transformed\"}", "rest",
                 "{\"link\": \"g.geometry\"}", "count", "24", NULL);
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"s.points\"}", NULL);
  assert_near (node_test_number (&test, "s.found", 0), 24, 0);
  assert_near (node_test_number (&test, "s.measure", 0), 6, 1e-6);
  assert_near (node_test_vector (&test, "m.low", 0).z, 5, 1e-6);
  assert_near (node_test_vector (&test, "m.high", 0).z, 5, 1e-6);
  node_test_set (&test, "s", "count", "0");
  assert_near (node_test_number (&test, "s.found", 0), 0, 0);
  node_test_clear (&test);
}

static void
test_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "l", NULL);
  node_test_add (&test, "geometry/scatter", "s", "geometry", "{\"link\": \"l.geometry\"}", NULL);
  node_test_fails_saying (&test, "s.points", 0, "no polygon with an area");
  node_test_add (&test, "geometry/box", "b", NULL);
  node_test_add (&test, "geometry/grid", "g", NULL);
  node_test_set (&test, "s", "geometry", "{\"link\": \"g.geometry\"}");
  node_test_set (&test, "s", "on", "\"volume\"");
  node_test_fails_saying (&test, "s.points", 0, "encloses no volume");
  node_test_set (&test, "s", "on", "\"surface\"");
  node_test_set (&test, "s", "rest", "{\"link\": \"b.geometry\"}");
  node_test_fails_saying (&test, "s.points", 0, "link the same mesh before its deformation");
  node_test_set (&test, "s", "geometry", "{\"link\": \"b.geometry\"}");
  node_test_set (&test, "s", "attribute", "\"paint\"");
  node_test_fails_saying (&test, "s.points", 0, "no attribute \"paint\"");
  node_test_set (&test, "s", "on", "\"volume\"");
  node_test_warns (&test, "s.points", "has no values inside");
  node_test_set (&test, "s", "attribute", "\"\"");
  node_test_add (&test, "field/formula", "f", "formula", "\"0\"", NULL);
  node_test_set (&test, "s", "density", "{\"link\": \"f.field\"}");
  node_test_set (&test, "s", "count", "20");
  for (int i = 0; i < 3; i++) {
    static const char *const patterns[] = { "\"random\"", "\"even\"", "\"disc\"" };

    node_test_set (&test, "s", "pattern", patterns[i]);
    assert_near (node_test_number (&test, "s.found", 0), 0, 0);
    node_test_warns (&test, "s.points", "there are no points");
  }
  node_test_add (&test, "field/wind", "w", NULL);
  node_test_set (&test, "s", "density", "{\"link\": \"w.field\"}");
  node_test_fails_saying (&test, "s.points", 0, "is a field of vectors");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/geometry/scatter/70-65", test_numbers);
  g_test_add_func ("/geometry/scatter/70-65-bad-input", test_bad_input);
  return g_test_run ();
}
