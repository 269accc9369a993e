/* tests/graph/graph: edits, undo, cycles, renaming, sub-graphs, on fake node types.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fake-types.h"

static KgNode *
add (KgGraph *graph, const char *type, const char *name)
{
  g_autoptr (GError) error = NULL;
  KgNode *node = kg_graph_add (graph, type, name, 0, 0, &error);

  g_assert_no_error (error);
  return node;
}

static void
link_nodes (KgGraph *graph, KgNode *from, KgNode *to, const char *input)
{
  g_autoptr (GError) error = NULL;

  kg_graph_link (graph, from, "value", to, input, &error);
  g_assert_no_error (error);
}

static void
test_names (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (kg_node_get_name (add (graph, "fake/add", NULL)), ==, "add1");
  g_assert_cmpstr (kg_node_get_name (add (graph, "fake/add", NULL)), ==, "add2");
  g_assert_null (kg_graph_add (graph, "fake/add", "add2", 0, 0, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DUPLICATE);
  g_clear_error (&error);
  for (guint i = 0; i < 4; i++) {
    static const char *const bad[] = { "", "1st", "a b", "a.b" };

    g_assert_null (kg_graph_add (graph, "fake/add", bad[i], 0, 0, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
    g_clear_error (&error);
  }
  g_assert_null (kg_graph_add (graph, "fake/none", "x", 0, 0, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_UNKNOWN_TYPE);
}

static void
test_cycle (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autoptr (GError) error = NULL;
  KgNode *a = add (graph, "fake/add", "a"), *b = add (graph, "fake/add", "b"), *c = add (graph, "fake/add", "c");

  link_nodes (graph, a, b, "x");
  link_nodes (graph, b, c, "y");
  g_assert_false (kg_graph_link (graph, c, "value", a, "x", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_assert_cmpstr (error->message, ==, "a.x would depend on itself: a.x → b.x → c.y → a.x");
  g_clear_error (&error);
  g_assert_false (kg_graph_link (graph, a, "value", a, "y", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_assert_cmpstr (error->message, ==, "a.y would depend on itself: a.y → a.y");
  g_clear_error (&error);
  /* The same through an expression. */
  g_assert_false (kg_graph_set_expression (graph, a, "x", "1 + c.value", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_clear_error (&error);
  g_assert_false (kg_graph_set_expression (graph, a, "x", "2*a.x", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_clear_error (&error);
  /* One input may read another of the same node. */
  g_assert_true (kg_graph_set_expression (graph, a, "x", "2*a.y", &error));
  g_assert_no_error (error);
}

static void
test_refusals (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) text = kg_value_text ("seven"), nan_value = kg_value_number (NAN);
  KgNode *a = add (graph, "fake/add", "a"), *b = add (graph, "fake/geometry", "b");

  g_assert_false (kg_graph_link (graph, b, "value", a, "x", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_TYPE_MISMATCH);
  g_clear_error (&error);
  g_assert_false (kg_graph_set_constant (graph, a, "x", &text, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_TYPE_MISMATCH);
  g_clear_error (&error);
  g_assert_false (kg_graph_set_constant (graph, a, "x", &nan_value, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  g_assert_false (kg_graph_set_constant (graph, a, "none", &text, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_UNKNOWN_NAME);
  g_clear_error (&error);
  g_assert_false (kg_graph_set_expression (graph, a, "x", "1, 2", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
  g_assert_null (kg_graph_get_undo_label (graph) != NULL && kg_graph_get_n_nodes (graph) != 2 ? "changed" : NULL);
}

static void
test_undo (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autoptr (GError) error = NULL;
  KgNode *a = add (graph, "fake/add", "a"), *b = add (graph, "fake/add", "b"), *c = add (graph, "fake/add", "c");
  KgNode *from;
  guint output;

  link_nodes (graph, a, b, "x");
  kg_graph_set_expression (graph, c, "x", "a.value + 1", &error);
  g_assert_no_error (error);
  kg_graph_remove (graph, a);
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 2);
  g_assert_cmpint (kg_node_get_source (b, 0)->kind, ==, KG_SOURCE_DEFAULT);
  g_assert_cmpstr (kg_node_get_source (c, 0)->text, ==, "a.value + 1");
  g_assert_true (kg_graph_undo (graph));
  g_assert_true (kg_graph_find (graph, "a") == a);
  g_assert_true (kg_node_get_link (b, 0, 0, &from, &output) && from == a);
  g_assert_true (kg_graph_redo (graph));
  g_assert_null (kg_graph_find (graph, "a"));
  g_assert_true (kg_graph_undo (graph));

  g_assert_true (kg_graph_rename (graph, a, "alpha", &error));
  g_assert_cmpstr (kg_node_get_source (b, 0)->text, ==, "alpha.value");
  g_assert_cmpstr (kg_node_get_source (c, 0)->text, ==, "alpha.value + 1");
  g_assert_true (kg_graph_undo (graph));
  g_assert_cmpstr (kg_node_get_source (b, 0)->text, ==, "a.value");
  g_assert_true (kg_node_get_link (b, 0, 0, &from, &output) && from == a);
  g_assert_true (kg_graph_redo (graph));
  g_assert_true (kg_node_get_link (b, 0, 0, &from, &output) && from == a);
  g_assert_cmpstr (kg_node_get_name (a), ==, "alpha");

  /* All the way back and forth again. */
  while (kg_graph_undo (graph))
    ;
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 0);
  while (kg_graph_redo (graph))
    ;
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 3);
  g_assert_true (kg_node_get_link (kg_graph_find (graph, "b"), 0, 0, &from, &output));
  g_assert_cmpstr (kg_node_get_name (from), ==, "alpha");
}

static void
test_groups (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);

  kg_graph_begin_group (graph, "Build");
  add (graph, "fake/add", "a");
  kg_graph_begin_group (graph, "Inner");
  add (graph, "fake/add", "b");
  kg_graph_end_group (graph);
  kg_graph_begin_group (graph, "Thrown away");
  add (graph, "fake/add", "c");
  kg_graph_cancel_group (graph);
  kg_graph_end_group (graph);
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 2);
  g_assert_cmpstr (kg_graph_get_undo_label (graph), ==, "Build");
  g_assert_true (kg_graph_undo (graph));
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 0);
  g_assert_false (kg_graph_undo (graph));
  g_assert_cmpstr (kg_graph_get_redo_label (graph), ==, "Build");
}

static void
count_signal (gpointer object, gpointer data)
{
  (void) object;
  ++*(guint *) data;
}

static void
test_signals (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  guint changed = 0;
  KgNode *outer;

  g_signal_connect (graph, "changed", G_CALLBACK (count_signal), &changed);
  outer = add (graph, "fake/subnet", "outer");
  g_assert_cmpuint (changed, ==, 1);
  add (kg_node_get_graph (outer), "fake/add", "inner");
  g_assert_cmpuint (changed, ==, 2);
  kg_graph_undo (graph);
  g_assert_cmpuint (changed, ==, 3);
}

static void
test_subnet (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autoptr (GError) error = NULL;
  KgNode *outer = add (graph, "fake/subnet", "outer"), *source = add (graph, "fake/add", "source");
  KgNode *reader = add (graph, "fake/add", "reader"), *in, *from;
  KgGraph *inside = kg_node_get_graph (outer);
  g_autofree char *path = NULL;
  guint output;

  in = add (inside, "fake/input", "size");
  add (inside, "fake/output", "result");
  g_assert_cmpuint (kg_node_get_n_slots (outer), ==, 2);
  kg_graph_link (graph, source, "value", outer, "size", &error);
  g_assert_no_error (error);
  kg_graph_link (graph, outer, "result", reader, "x", &error);
  g_assert_no_error (error);
  path = kg_node_dup_path (in);
  g_assert_cmpstr (path, ==, "outer/size");
  g_assert_true (kg_graph_find_path (graph, "outer/size") == in);

  /* The slot follows its node's name, and so does what hangs on it. */
  g_assert_true (kg_graph_rename (inside, in, "radius", &error));
  g_assert_true (kg_node_get_link (outer, (guint) kg_node_find_slot (outer, "radius"), 0, &from, &output));
  g_assert_true (from == source);
  g_assert_true (kg_graph_rename (inside, kg_graph_find (inside, "result"), "shape", &error));
  g_assert_cmpstr (kg_node_get_source (reader, 0)->text, ==, "outer.shape");
  g_assert_true (kg_graph_undo (graph));
  g_assert_cmpstr (kg_node_get_source (reader, 0)->text, ==, "outer.result");
  g_assert_true (kg_node_get_link (reader, 0, 0, &from, &output) && from == outer);
  g_assert_true (kg_graph_undo (graph));
  g_assert_true (kg_node_get_link (outer, (guint) kg_node_find_slot (outer, "size"), 0, &from, &output));

  /* Removing the interface node takes the links along, and undo brings them back. */
  kg_graph_remove (inside, in);
  g_assert_cmpuint (kg_node_get_n_slots (outer), ==, 1);
  g_assert_true (kg_graph_undo (graph));
  g_assert_true (kg_node_get_link (outer, (guint) kg_node_find_slot (outer, "size"), 0, &from, &output));
  g_assert_true (from == source);
}

static void
test_nesting (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autoptr (KgGraph) snapshot = NULL;
  g_autoptr (GError) error = NULL;
  KgGraph *at = graph;
  KgNode *node;
  guint depth = 0;

  while ((node = kg_graph_add (at, "fake/subnet", "deeper", 0, 0, &error)) != NULL) {
    at = kg_node_get_graph (node);
    depth++;
  }
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_assert_cmpuint (depth, ==, KG_GRAPH_MAX_NESTING);
  snapshot = kg_graph_snapshot (graph);
  g_assert_nonnull (kg_graph_find_path (snapshot, "deeper/deeper/deeper"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/names", test_names);
  g_test_add_func ("/graph/30-124-cycle", test_cycle);
  g_test_add_func ("/graph/refusals", test_refusals);
  g_test_add_func ("/graph/undo", test_undo);
  g_test_add_func ("/graph/groups", test_groups);
  g_test_add_func ("/graph/signals", test_signals);
  g_test_add_func ("/graph/subnet", test_subnet);
  g_test_add_func ("/graph/nesting", test_nesting);
  return g_test_run ();
}
