/* tests/nodes/expressions: expressions of inputs that read vectors and colours of other nodes whole.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

static void
test_vectors (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/vector", "p", "value", "[2, 3, 6]", NULL);
  node_test_add (&test, "value/vector", "q", "value", "{\"expr\": \"p.output * 2 + [0, 1, t]\"}", NULL);
  node_test_add (&test, "value/number", "n", "value", "{\"expr\": \"length(p.output) + (q.output).y - p.output.x\"}",
                 NULL);
  assert_vector_near (node_test_vector (&test, "q.output", 0.5), 4, 7, 12.5, 1e-15);
  g_assert_cmpfloat (node_test_number (&test, "n.output", 0), ==, 7 + 7 - 2);
  /* What is read changes: the expression is compiled again. */
  node_test_set (&test, "p", "value", "[0, 3, 4]");
  g_assert_cmpfloat (node_test_number (&test, "n.output", 0), ==, 5 + 7 - 0);
  node_test_clear (&test);
}

static void
test_messages (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/vector", "p", "value", "[2, 3, 6]", NULL);
  node_test_add (&test, "value/number", "wide", "value", "{\"expr\": \"p.output * 2\"}", NULL);
  node_test_add (&test, "value/number", "narrow", "value", "{\"expr\": \"1 + dot(p.output, wide.value)\"}", NULL);
  node_test_fails_saying (&test, "wide.output", 0, "a value of kind vector cannot be converted to number");
  node_test_set (&test, "wide", "value", "5");
  node_test_fails_saying (&test, "narrow.output", 0,
                          "column 5: dot cannot take these arguments: write dot (a, b) with two vectors");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/expressions/vectors", test_vectors);
  g_test_add_func ("/expressions/messages", test_messages);
  return g_test_run ();
}
