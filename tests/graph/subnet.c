/* tests/graph/subnet: nodes that are collapsed into a sub-graph and expanded again keep all their links, or nothing changes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-subnet.h"
#include "kineograph.h"

/* Reads a graph of these nodes. */
static KgGraph *
parse (const char *nodes)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text = g_strdup_printf ("{\"kineograph\": 1, \"nodes\": {%s}}", nodes);
  KgGraph *graph = kg_graph_parse (types, text, -1, problems);

  g_assert_nonnull (graph);
  g_assert_cmpuint (problems->len, ==, 0);
  return graph;
}

static KgNode *
collapse (KgGraph *graph, const char *a, const char *b, GError **error)
{
  KgNode *const nodes[] = { kg_graph_find (graph, a), kg_graph_find (graph, b) };

  return kg_graph_collapse (graph, nodes, G_N_ELEMENTS (nodes), error);
}

static void
assert_source (KgGraph *graph, const char *path, const char *slot, const char *expected)
{
  const KgNode *node = kg_graph_find_path (graph, path);
  const int index = kg_node_find_slot (node, slot);
  g_autoptr (GString) text = g_string_new (NULL);

  kg_source_write_json (kg_node_get_source (node, (guint) index), kg_node_get_slot (node, (guint) index), text);
  g_assert_cmpstr (text->str, ==, expected);
}

/* Refused as a whole: the graph is what it was, and there is nothing to undo. */
static void
assert_refused (KgGraph *graph, const char *a, const char *b, KgError code, const char *part)
{
  g_autofree char *before = kg_graph_to_text (graph), *after = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (collapse (graph, a, b, &error));
  g_assert_error (error, KG_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, part));
  after = kg_graph_to_text (graph);
  g_assert_cmpstr (after, ==, before);
  g_assert_null (kg_graph_get_undo_label (graph));
}

/* The node between two that collapse would read the sub-graph, and it that node. */
static void
test_around (void)
{
  g_autoptr (KgGraph)
      graph = parse ("\"a\": {\"type\": \"value/number\"},"
                     "\"b\": {\"type\": \"value/math\", \"inputs\": {\"a\": {\"link\": \"a.output\"}}},"
                     "\"c\": {\"type\": \"value/math\", \"inputs\": {\"a\": {\"link\": \"b.result\"}}}");

  assert_refused (graph, "a", "c", KG_ERROR_CYCLE, "would depend on itself");
}

/* An output that is known by its name only, which no node can have. */
static void
test_odd_name (void)
{
  g_autoptr (KgGraph) graph = parse ("\"u\": {\"type\": \"other/thing\"}, \"n\": {\"type\": \"value/number\"},"
                                     "\"b\": {\"type\": \"value/math\", \"inputs\": {\"a\": {\"link\": \"u.2nd\"}}}");

  assert_refused (graph, "u", "n", KG_ERROR_INVALID_VALUE, "\"2nd\"");
}

static const char lists[] =
    "\"a\": {\"type\": \"geometry/grid\"}, \"b\": {\"type\": \"geometry/grid\"}, \"c\": {\"type\": \"geometry/grid\"},"
    "\"m\": {\"type\": \"geometry/merge\", \"inputs\": {\"geometries\": [{\"link\": \"a.geometry\"},"
    "{\"link\": \"b.geometry\"}, {\"link\": \"c.geometry\"}, {\"link\": \"a.geometry\"}]}}";

/* The items of a list that come from outside take their places among those from inside, on the way in and out. */
static void
test_list (void)
{
  g_autoptr (KgGraph) graph = parse (lists);
  g_autoptr (GPtrArray) nodes = NULL;
  g_autoptr (GError) error = NULL;
  KgNode *subnet = collapse (graph, "b", "m", &error);
  g_autofree char *path = NULL;

  g_assert_no_error (error);
  path = g_strdup_printf ("%s/m", kg_node_get_name (subnet));
  assert_source (graph, path, "geometries",
                 "[{\"link\": \"geometries.output\"}, {\"link\": \"b.geometry\"}, {\"link\": \"geometries2.output\"}, "
                 "{\"link\": \"geometries.output\"}]");
  nodes = kg_graph_expand (graph, subnet, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (nodes->len, ==, 2);
  assert_source (graph, "m", "geometries",
                 "[{\"link\": \"a.geometry\"}, {\"link\": \"b.geometry\"}, {\"link\": \"c.geometry\"}, "
                 "{\"link\": \"a.geometry\"}]");
}

/* What only passes through a sub-graph is linked directly. */
static void
test_through (void)
{
  g_autoptr (KgGraph) graph = parse (
      "\"a\": {\"type\": \"value/number\"},"
      "\"s\": {\"type\": \"graph/subnet\", \"inputs\": {\"x\": {\"link\": \"a.output\"}}, \"graph\": {\"nodes\": {"
      "\"x\": {\"type\": \"graph/input\"},"
      "\"y\": {\"type\": \"graph/output\", \"inputs\": {\"value\": {\"link\": \"x.output\"}}}}}},"
      "\"b\": {\"type\": \"value/math\", \"inputs\": {\"a\": {\"link\": \"s.y\"}}}");
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) nodes = kg_graph_expand (graph, kg_graph_find (graph, "s"), &error);

  g_assert_no_error (error);
  g_assert_cmpuint (nodes->len, ==, 0);
  assert_source (graph, "b", "a", "{\"link\": \"a.output\"}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/subnet/around", test_around);
  g_test_add_func ("/graph/subnet/odd-name", test_odd_name);
  g_test_add_func ("/graph/subnet/list", test_list);
  g_test_add_func ("/graph/subnet/through", test_through);
  return g_test_run ();
}
