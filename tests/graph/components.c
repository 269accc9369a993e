/* Tests of vectors whose components have sources of their own: keys, an expression or a link each.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fake-types.h"
#include "kg-subnet.h"

typedef struct {
  KgVector at;
  KgVector value;
} FakeVector;

static bool
fake_vector_evaluate (FakeVector *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->value = n->at;
  return true;
}

static const KgSlot fake_vector_slots[] = {
  KG_INPUT (FakeVector, at, VECTOR, .label = "at", .help = "at", .min = -100, .max = 100),
  KG_OUTPUT (FakeVector, value, VECTOR, .label = "value", .help = "value"),
};

FAKE (vector, FakeVector, .since = "0.1");

static const char file[] =
    "{\"kineograph\": 1, \"frames\": {\"start\": 1, \"end\": 11, \"rate\": 10}, \"nodes\": {\n"
    "\"a\": {\"type\": \"fake/vector\", \"inputs\": {\"at\": [{\"expr\": \"n.x * 2 + t\"}, 0.5, {\"keys\": [[1, 0], "
    "[11, 10]]}]}},\n"
    "\"b\": {\"type\": \"fake/vector\", \"inputs\": {\"at\": [{\"link\": \"n.value\"}, 4]}},\n"
    "\"k\": {\"type\": \"fake/vector\", \"inputs\": {\"at\": {\"keys\": [{\"frame\": 1, \"value\": [0, 1, 2], "
    "\"interpolation\": \"bezier\", \"tangents\": \"free\", \"out\": [3, 1, 2, -1]}, {\"frame\": 6, \"value\": [4, -5, 6], "
    "\"interpolation\": \"tcb\", \"tcb\": [0.5, -0.25, 0.3]}, {\"frame\": 11, \"value\": [10, 3, 4], \"tangents\": "
    "\"free\", \"in\": [2, 1, 1, 1]}], \"before\": \"cycle\", \"after\": \"linear\"}}},\n"
    "\"n\": {\"type\": \"fake/add\", \"inputs\": {\"x\": 3, \"y\": 4}}}}";

typedef struct {
  KgTypes *types;
  KgGraph *graph;
  KgEvaluator *evaluator;
  KgNode *a, *b, *k, *n;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  static const KgNodeType *const table[] = { &fake_vector, &fake_add, &fake_subnet, &fake_input, &fake_output, NULL };
  g_autoptr (GPtrArray) problems = kg_problems_new ();

  (void) data;
  f->types = kg_types_new (table);
  f->graph = kg_graph_parse (f->types, file, -1, problems);
  g_assert_nonnull (f->graph);
  f->evaluator = kg_evaluator_new (f->graph, NULL);
  f->a = kg_graph_find (f->graph, "a");
  f->b = kg_graph_find (f->graph, "b");
  f->k = kg_graph_find (f->graph, "k");
  f->n = kg_graph_find (f->graph, "n");
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_evaluator_free (f->evaluator);
  g_object_unref (f->graph);
  kg_types_unref (f->types);
}

static KgVector
value_at (Fixture *f, KgNode *node, double frame)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  kg_evaluator_evaluate (f->evaluator, node, 1, (frame - 1) / 10, NULL, &value, &error);
  g_assert_no_error (error);
  g_assert_cmpint (value.kind, ==, KG_VECTOR);
  return value.vector;
}

static void
assert_vector (KgVector v, double x, double y, double z)
{
  g_assert_cmpfloat (v.x, ==, x);
  g_assert_cmpfloat (v.y, ==, y);
  g_assert_cmpfloat (v.z, ==, z);
}

static void
test_evaluate (Fixture *f, gconstpointer data)
{
  g_auto (KgValue) four = kg_value_number (5);
  KgNodeStats stats;

  (void) data;
  g_assert_true (kg_node_depends_on_time (f->a));
  g_assert_false (kg_node_depends_on_time (f->b));
  assert_vector (value_at (f, f->a, 1), 6, 0.5, 0);
  assert_vector (value_at (f, f->a, 6), 6.5, 0.5, 5);
  assert_vector (value_at (f, f->b, 6), 7, 4, 0);
  g_assert_true (kg_graph_set_constant (f->graph, f->n, "x", &four, NULL));
  assert_vector (value_at (f, f->a, 6), 10.5, 0.5, 5);
  assert_vector (value_at (f, f->b, 6), 9, 4, 0);
  kg_evaluator_get_stats (f->evaluator, f->n, &stats);
  g_assert_cmpuint (stats.evaluations, ==, 2);
  /* The range of the input holds for each component. */
  g_assert_true (kg_graph_set_json (f->graph, f->b, "at", "[{\"expr\": \"1000\"}, 1, {\"expr\": \"-1000\"}]", NULL));
  assert_vector (value_at (f, f->b, 6), 100, 1, -100);
}

static void
test_saved (Fixture *f, gconstpointer data)
{
  g_autofree char *text = kg_graph_to_text (f->graph), *again = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) read = kg_graph_parse (f->types, text, -1, problems);

  (void) data;
  g_assert_nonnull (strstr (text, "[{\"expr\": \"n.x * 2 + t\"}, 0.5, {\"keys\": [[1, 0], [11, 10]]}]"));
  g_assert_nonnull (strstr (text, "[{\"link\": \"n.value\"}, 4, 0]"));
  g_assert_nonnull (read);
  again = kg_graph_to_text (read);
  g_assert_cmpstr (again, ==, text);
  g_assert_true (kg_source_equal (kg_node_get_source (f->a, 0), kg_node_get_source (kg_graph_find (read, "a"), 0)));
}

/* One component of a vector that has keys is computed: the curves of the others are the same bits, before, between and
 * behind the keys, whatever their tangents are. */
static void
test_split_keys (Fixture *f, gconstpointer data)
{
  g_auto (KgSource) expression = kg_source_expression ("frame * 10");
  KgVector before[61];
  KgSource was = kg_source_copy (kg_node_get_source (f->k, 0));

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    before[i] = value_at (f, f->k, -9 + 0.5 * i);
  g_assert_true (kg_graph_set_cell (f->graph, f->k, 0, 0, 1, &expression, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    assert_vector (value_at (f, f->k, -9 + 0.5 * i), before[i].x, CLAMP ((-9 + 0.5 * i) * 10, -100, 100), before[i].z);
  g_assert_true (kg_graph_undo (f->graph));
  g_assert_true (kg_source_equal (kg_node_get_source (f->k, 0), &was));
  g_assert_true (kg_graph_redo (f->graph));
  assert_vector (value_at (f, f->k, 5), before[28].x, 50, before[28].z);
  kg_source_clear (&was);
}

/* Each component alone: of the default, of a constant, among others; the last number leaves a constant. */
static void
test_set (Fixture *f, gconstpointer data)
{
  KgNode *c = kg_graph_add (f->graph, "fake/vector", "c", 0, 0, NULL);
  g_auto (KgSource) expression = kg_source_expression ("n.value");
  g_auto (KgValue) nine = kg_value_number (9);
  g_auto (KgSource) constant = kg_source_constant (&nine);
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_true (kg_graph_set_cell (f->graph, c, 0, 0, 2, &expression, NULL));
  assert_vector (value_at (f, c, 1), 0, 0, 7);
  g_assert_true (kg_graph_set_cell (f->graph, c, 0, 0, 0, &constant, NULL));
  assert_vector (value_at (f, c, 1), 9, 0, 7);
  g_assert_true (kg_graph_set_cell (f->graph, c, 0, 0, 2, &constant, NULL));
  g_assert_cmpint (kg_node_get_source (c, 0)->kind, ==, KG_SOURCE_CONSTANT);
  g_assert_cmpint (kg_node_get_source (c, 0)->constant.kind, ==, KG_VECTOR);
  assert_vector (value_at (f, c, 1), 9, 0, 9);
  g_assert_false (kg_graph_set_cell (f->graph, c, 0, 0, 3, &constant, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_false (kg_graph_set_cell (f->graph, c, 0, 1, 0, &constant, &error));
  g_assert_nonnull (error);
}

/* An expression of three parts is divided, functions with commas too; a link and an expression of one result are not. */
static void
test_split_expressions (Fixture *f, gconstpointer data)
{
  KgNode *c = kg_graph_add (f->graph, "fake/vector", "c", 0, 0, NULL);
  g_auto (KgSource) expression = kg_source_expression ("frame");
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_true (kg_graph_set_json (f->graph, c, "at", "{\"expr\": \"max(n.x, 2), 5 , min(1, 2)\"}", NULL));
  g_assert_true (kg_graph_set_cell (f->graph, c, 0, 0, 1, &expression, NULL));
  assert_vector (value_at (f, c, 4), 3, 4, 1);
  g_assert_cmpstr (kg_source_get_cell (kg_node_get_source (c, 0), 0, 0)->text, ==, "max(n.x, 2)");
  g_assert_true (kg_graph_set_json (f->graph, c, "at", "{\"expr\": \"a.value\"}", NULL));
  g_assert_false (kg_graph_set_cell (f->graph, c, 0, 0, 1, &expression, &error));
  g_assert_cmpstr (error->message, ==,
                   "c.at: the whole vector is one value that is computed: reset the input to set a component");
  g_clear_error (&error);
  g_assert_true (kg_graph_set_json (f->graph, c, "at", "{\"link\": \"a.value\"}", NULL));
  g_assert_false (kg_graph_set_cell (f->graph, c, 0, 0, 1, &expression, &error));
  g_assert_cmpstr (error->message, ==, "c.at: the whole vector is linked: remove the link to set a component");
}

/* Links and expressions follow the name of what they read; a link whose node is removed is 0, and comes back. */
static void
test_rename (Fixture *f, gconstpointer data)
{
  g_autofree char *before = kg_graph_to_text (f->graph), *after = NULL, *restored = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_true (kg_graph_rename (f->graph, f->n, "other", NULL));
  after = kg_graph_to_text (f->graph);
  g_assert_nonnull (strstr (after, "[{\"expr\": \"other.x * 2 + t\"}, 0.5"));
  g_assert_nonnull (strstr (after, "[{\"link\": \"other.value\"}, 4, 0]"));
  g_assert_true (kg_graph_undo (f->graph));
  kg_graph_remove (f->graph, f->n);
  /* Its only link is gone: what is left is a vector like any other. */
  g_assert_cmpint (kg_node_get_source (f->b, 0)->kind, ==, KG_SOURCE_CONSTANT);
  assert_vector (value_at (f, f->b, 1), 0, 4, 0);
  g_assert_false (kg_evaluator_evaluate (f->evaluator, f->a, 1, 0, NULL, &value, &error));
  g_assert_cmpstr (error->message, ==, "a: at: x: column 1: n.x does not exist");
  g_assert_true (kg_graph_undo (f->graph));
  restored = kg_graph_to_text (f->graph);
  g_assert_cmpstr (restored, ==, before);
  assert_vector (value_at (f, f->b, 1), 7, 4, 0);
}

static void
test_refused (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *at, *message;
  } cases[] = {
    { "[1, {\"expr\": \"a.value.x\"}]", "a.at would depend on itself: a.at → a.at" },
    { "[1, {\"link\": \"b.value\"}]", "y: b.value is a vector, which cannot be converted to a number" },
    { "[1, {\"expr\": \"1 +\"}]", "y: column 4: unexpected end: a value is missing" },
    { "[1, 2, {\"expr\": \"[1, 2, 3]\"}]", "z: column 1: a number needs 1 results separated by commas, not 3" },
    { "[{\"link\": \"m.value\"}, 1]", "x: unknown node \"m\"" },
    { "[{\"keys\": [[1, [1, 2]]]}, 1]", "component 1: key 0: the value needs 1 numbers, not 2" },
    { "[1, {\"other\": 1}]",
      "component 2: a source is a constant or an object with exactly one of \"link\", \"expr\", \"keys\"" },
    { "[{\"expr\": \"1\"}]", "a vector has 2 or 3 components, not 1" },
    { "[{\"expr\": \"1\"}, 2, 3, 4]", "a vector has 2 or 3 components, not 4" },
    { "[{\"expr\": \"1\"}, \"2\"]", "component 2: expected a number for a component, found a string" },
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (kg_graph_set_json (f->graph, f->a, "at", cases[i].at, &error));
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
  assert_vector (value_at (f, f->a, 6), 6.5, 0.5, 5);
}

/* A component that reads a whole vector has more than one number only when it runs. */
static void
test_wide_component (Fixture *f, gconstpointer data)
{
  KgNode *c = kg_graph_add (f->graph, "fake/vector", "c", 0, 0, NULL);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_true (kg_graph_set_json (f->graph, c, "at", "[1, {\"expr\": \"a.value\"}, 2]", NULL));
  g_assert_false (kg_evaluator_evaluate (f->evaluator, c, 1, 0, NULL, &value, &error));
  g_assert_cmpstr (error->message, ==, "c: at: y: column 1: 3 results: a cell takes one, such as the x of a vector");
}

/* A copy, and a sub-graph that is made and expanded again, have the same components. */
static void
test_copied (Fixture *f, gconstpointer data)
{
  KgNode *both[] = { f->a, f->n };
  g_autofree char *text = kg_graph_copy (f->graph, both, 2), *written = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) pasted = kg_graph_paste (f->graph, text, 10, 10, &error), expanded = NULL;
  KgNode *subnet, *all[] = { f->a, f->b, f->n };

  (void) data;
  g_assert_no_error (error);
  g_assert_cmpuint (pasted->len, ==, 2);
  written = kg_graph_to_text (f->graph);
  g_assert_nonnull (strstr (written, "[{\"expr\": \"n1.x * 2 + t\"}, 0.5"));
  subnet = kg_graph_collapse (f->graph, all, 3, &error);
  g_assert_no_error (error);
  expanded = kg_graph_expand (f->graph, subnet, &error);
  g_assert_no_error (error);
  assert_vector (value_at (f, kg_graph_find (f->graph, "a"), 6), 6.5, 0.5, 5);
  assert_vector (value_at (f, kg_graph_find (f->graph, "b"), 6), 7, 4, 0);
}

static void
add (const char *path, void (*test) (Fixture *f, gconstpointer data))
{
  g_test_add (path, Fixture, NULL, set_up, test, tear_down);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("/components/evaluate", test_evaluate);
  add ("/components/saved", test_saved);
  add ("/components/split/keys", test_split_keys);
  add ("/components/split/expressions", test_split_expressions);
  add ("/components/set", test_set);
  add ("/components/rename", test_rename);
  add ("/components/refused", test_refused);
  add ("/components/wide", test_wide_component);
  add ("/components/copied", test_copied);
  return g_test_run ();
}
