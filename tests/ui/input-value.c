/* tests/ui/input-value: values of inputs at a frame, and keys.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../comma-locale.h"
#include "kg-input-table.h"
#include "test-graph.h"

typedef struct {
  KgTypes *types;
  KgGraph *graph;
  KgNode *ring;
  guint radius;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->types = kg_types_new (kg_node_table);
  f->graph = parse_graph (f->types, chain);
  f->ring = get_node (f->graph, "ring");
  f->radius = get_slot (f->ring, "radius");
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  g_object_unref (f->graph);
  kg_types_unref (f->types);
}

static double
read_at (Fixture *f, double frame)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_assert_true (kg_input_get_value (f->ring, f->radius, frame, &value));
  g_assert_cmpint (value.kind, ==, KG_NUMBER);
  return value.number;
}

static void
key_at (Fixture *f, double frame, double number)
{
  const KgValue value = kg_value_number (number);
  g_autoptr (GError) error = NULL;

  g_assert_true (kg_input_set_key (f->ring, f->radius, frame, &value, &error));
  g_assert_no_error (error);
}

static void
test_keys (Fixture *f, gconstpointer data)
{
  const KgValue three = kg_value_number (3);
  double before, after;

  (void) data;
  key_at (f, 10, 1);
  key_at (f, 20, 2);
  key_at (f, 20 + 1e-9, 4);
  g_assert_cmpfloat (read_at (f, 10), ==, 1);
  g_assert_cmpfloat (read_at (f, 20), ==, 4);
  g_assert_cmpfloat (read_at (f, 100), ==, 4);
  g_assert_true (kg_input_find_keys (f->ring, f->radius, 10, &before, &after));
  g_assert_true (isnan (before));
  g_assert_cmpfloat (after, ==, 20);
  g_assert_false (kg_input_find_keys (f->ring, f->radius, 15, &before, &after));
  g_assert_cmpfloat (before, ==, 10);
  /* A value where there are keys is a key. */
  g_assert_true (kg_input_set_value (f->ring, f->radius, 15, &three, false, NULL));
  g_assert_true (kg_input_find_keys (f->ring, f->radius, 15, &before, &after));
  g_assert_cmpfloat (read_at (f, 15), ==, 3);
}

static void
test_remove (Fixture *f, gconstpointer data)
{
  double before, after;

  (void) data;
  key_at (f, 10, 1);
  key_at (f, 20, 2);
  g_assert_true (kg_input_remove_key (f->ring, f->radius, 12, NULL));
  g_assert_true (kg_input_remove_key (f->ring, f->radius, 10, NULL));
  g_assert_false (kg_input_find_keys (f->ring, f->radius, 10, &before, &after));
  /* The last leaves its value behind. */
  g_assert_true (kg_input_remove_key (f->ring, f->radius, 20, NULL));
  g_assert_cmpint (kg_node_get_source (f->ring, f->radius)->kind, ==, KG_SOURCE_CONSTANT);
  g_assert_cmpfloat (read_at (f, 1), ==, 2);
}

static void
test_no_keys (Fixture *f, gconstpointer data)
{
  const KgNode *tint = get_node (f->graph, "tint");
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) text = kg_value_text ("x"), value = KG_VALUE_INIT;

  (void) data;
  g_assert_false (kg_input_set_key (f->ring, f->radius, 1, &text, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (kg_node_get_source (f->ring, f->radius)->kind, ==, KG_SOURCE_DEFAULT);
  /* What is linked has no value without evaluating. */
  g_assert_false (kg_input_get_value ((KgNode *) tint, get_slot (tint, "geometry"), 1, &value));
}

/* A value as an expression is the same value, to the last digit, and in every country. */
static void
test_expression (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *node, *slot, *json, *text;
  } cases[] = {
    { "ring", "radius", "0.1234567890123", "0.1234567890123" },
    { "shape", "translate", "[0.5, -1.25, 0.1234567890123]", "0.5, -1.25, 0.1234567890123" },
    { "tint", "color", "[0.25, 0.5, 0.75, 1]", "0.25, 0.5, 0.75, 1" },
    { "ring", "points", "5", "5" },
  };

  (void) data;
  if (!comma_locale_begin ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    KgNode *node = get_node (f->graph, cases[i].node);
    g_autofree char *text = NULL;
    g_autoptr (GError) error = NULL;

    g_assert_true (kg_graph_set_json (f->graph, node, cases[i].slot, cases[i].json, &error));
    g_assert_no_error (error);
    text = kg_input_dup_expression (node, get_slot (node, cases[i].slot), 1);
    g_assert_cmpstr (text, ==, cases[i].text);
    g_assert_true (kg_graph_set_expression (f->graph, node, cases[i].slot, text, &error));
    g_assert_no_error (error);
  }
  comma_locale_end ();
}

/* Inputs that are only linked decide by that. */
static void
test_linked (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGraph) graph = parse_graph (
      f->types, "{ \"kineograph\": 1, \"nodes\": { \"a\": { \"type\": \"image/constant\" },"
                "  \"b\": { \"type\": \"image/constant\", \"inputs\": { \"like\": { \"link\": \"a.image\" } } } } }");

  (void) data;
  g_assert_true (kg_input_is_shown (get_node (graph, "a"), get_slot (get_node (graph, "a"), "width"), 1));
  g_assert_false (kg_input_is_shown (get_node (graph, "b"), get_slot (get_node (graph, "b"), "width"), 1));
}

/* Keys that are a default inside are seen outside, and move there with the first change. */
static void
test_inner_keys (Fixture *f, gconstpointer data)
{
  const KgValue hundred = kg_value_number (100);
  g_autoptr (KgGraph) graph = parse_graph (
      f->types, "{ \"kineograph\": 1, \"presets\": { \"my/p\": { \"kineograph_preset\": 1, \"id\": \"my/p\","
                "  \"version\": 1, \"interface\": { \"inputs\": { \"x\": { \"drives\": [\"m.a\"] },"
                "    \"y\": { \"drives\": [\"m.b\"] } }, \"outputs\": { \"r\": { \"from\": \"m.result\" } } },"
                "  \"graph\": { \"nodes\": { \"m\": { \"type\": \"value/math\", \"inputs\": {"
                "    \"a\": { \"keys\": [[1, 5], [25, 29]] }, \"b\": { \"expr\": \"frame\" } } } } } } },"
                "  \"nodes\": { \"d\": { \"type\": \"my/p\" } } }");
  KgNode *node = get_node (graph, "d");
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  double before, after;

  (void) data;
  g_assert_true (kg_input_get_value (node, 0, 13, &value));
  g_assert_cmpfloat (value.number, ==, 17);
  g_assert_cmpint (kg_input_get_source (node, 0)->kind, ==, KG_SOURCE_KEYS);
  g_assert_true (kg_input_find_keys (node, 0, 25, &before, &after));
  g_assert_cmpfloat (before, ==, 1);
  g_assert_false (kg_input_get_value (node, 1, 13, &value));
  g_assert_true (kg_input_set_value (node, 0, 13, &hundred, false, &error));
  g_assert_no_error (error);
  g_assert_cmpint (kg_node_get_source (node, 0)->kind, ==, KG_SOURCE_KEYS);
  g_assert_true (kg_input_get_value (node, 0, 1, &value));
  g_assert_cmpfloat (value.number, ==, 5);
  g_assert_true (kg_input_get_value (node, 0, 13, &value));
  g_assert_cmpfloat (value.number, ==, 100);
}

/* Tables: each cell has keys of its own. */

static const char spline[] = "{\"kineograph\": 1, \"nodes\": {\"n\": {\"type\": \"value/number\"}, "
                             "\"s\": {\"type\": \"curve/spline\", \"inputs\": {\"points\": "
                             "[[0, 0], [1, {\"expr\": \"n.value\"}], [{\"keys\": [[1, 2], [11, 12]]}, 0], [3, 0]]}}}}";

static void
assert_points (KgNode *node, const char *rows)
{
  const guint slot = get_slot (node, "points");
  g_autoptr (GString) text = g_string_new (NULL);

  kg_source_write_json (kg_node_get_source (node, slot), kg_node_get_slot (node, slot), text);
  g_assert_cmpstr (text->str, ==, rows);
}

static void
set_points (KgNode *node, double frame, const char *rows, bool key)
{
  const guint slot = get_slot (node, "points");
  g_auto (KgValue) value = kg_value_text (rows);
  g_autoptr (GError) error = NULL;

  kg_input_set_value (node, slot, frame, &value, key, &error);
  g_assert_no_error (error);
}

static void
test_table (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGraph) graph = parse_graph (f->types, spline);
  KgNode *node = get_node (graph, "s");
  const guint slot = get_slot (node, "points");
  const KgKeyed cell = { node, slot, 0, 1 };
  double before, after;
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (node, slot, 6, &known);
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_false (known);
  g_assert_cmpfloat (kg_table_get_row (rows, 2)[0], ==, 7);
  g_assert_false (kg_input_find_keys (node, slot, 6, &before, &after));
  g_assert_cmpfloat (before, ==, 1);
  g_assert_cmpfloat (after, ==, 11);
  /* Where there are keys a key is set; an expression stays; a number is a number. */
  set_points (node, 6, "0 0; 1 5; 8 0.5; 3 0", false);
  assert_points (node, "[[0, 0, 0], [1, {\"expr\": \"n.value\"}, 0], [{\"keys\": [[1, 2], {\"frame\": 6, \"value\": 8, "
                       "\"interpolation\": \"bezier\"}, [11, 12]]}, 0.5, 0], [3, 0, 0]]");
  g_assert_true (kg_graph_undo (graph));
  /* One row more before it: the cells move with their rows. */
  set_points (node, 6, "0 0; 9 9; 1 5; 7 0; 3 0", false);
  assert_points (node,
                 "[[0, 0, 0], [9, 9, 0], [1, {\"expr\": \"n.value\"}, 0], [{\"keys\": [[1, 2], [11, 12]]}, 0, 0], "
                 "[3, 0, 0]]");
  set_points (node, 6, "9 9; 1 5; 7 0; 3 0", false);
  set_points (node, 6, "1 5; 7 0; 3 0", false);
  assert_points (node, "[[1, {\"expr\": \"n.value\"}, 0], [{\"keys\": [[1, 2], [11, 12]]}, 0, 0], [3, 0, 0]]");
  /* Auto key: what is changed, and only that, gets its first key. */
  set_points (node, 6, "1 5; 7 0; 3 4", true);
  assert_points (node, "[[1, {\"expr\": \"n.value\"}, 0], [{\"keys\": [[1, 2], [11, 12]]}, 0, 0], [3, {\"keys\": "
                       "[{\"frame\": 6, \"value\": 4, \"interpolation\": \"bezier\"}]}, 0]]");
  /* All keys of a frame, and all keys. */
  g_assert_true (kg_input_remove_key (node, slot, 6, NULL));
  g_assert_null (kg_source_get_cell (kg_node_get_source (node, slot), 2, 1));
  g_assert_true (kg_input_key_rows (node, slot, 6, &error));
  g_assert_true (kg_input_find_keys (node, slot, 6, &before, &after));
  g_assert_cmpuint (kg_node_get_source (node, slot)->table.n, ==, 9);
  g_assert_true (kg_input_unkey_rows (node, slot, 6, true, &error));
  assert_points (node, "[[1, {\"expr\": \"n.value\"}, 0], [7, 0, 0], [3, 4, 0]]");
  /* One cell. */
  g_assert_true (kg_input_key_cell (&cell, 6, &error));
  assert_points (node, "[[1, {\"keys\": [{\"frame\": 6, \"value\": 0, \"interpolation\": \"bezier\"}]}, 0], [7, 0, 0], "
                       "[3, 4, 0]]");
  g_assert_true (kg_input_set_cell (&cell, 6, 2, false, &error));
  g_assert_true (kg_input_unkey_cell (&cell, 6, &error));
  assert_points (node, "[[1, 2, 0], [7, 0, 0], [3, 4, 0]]");
}

/* Vectors whose components have sources of their own. */

static const char mover[] = "{\"kineograph\": 1, \"nodes\": {\"m\": {\"type\": \"geometry/transform\", \"inputs\": "
                            "{\"translate\": [{\"expr\": \"frame\"}, 1, {\"keys\": [[1, 2], [11, 12]]}]}}}}";

static void
assert_translate (KgNode *node, const char *expected)
{
  const guint slot = get_slot (node, "translate");
  g_autoptr (GString) text = g_string_new (NULL);

  kg_source_write_json (kg_node_get_source (node, slot), kg_node_get_slot (node, slot), text);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
set_translate (KgNode *node, double frame, KgVector v, bool key)
{
  const KgValue value = kg_value_vector (v);
  g_autoptr (GError) error = NULL;

  kg_input_set_value (node, get_slot (node, "translate"), frame, &value, key, &error);
  g_assert_no_error (error);
}

static void
test_components (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGraph) graph = parse_graph (f->types, mover);
  KgNode *node = get_node (graph, "m");
  const guint slot = get_slot (node, "translate");
  const KgKeyed y = { node, slot, 0, 1 }, z = { node, slot, 0, 2 };
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autofree char *label = kg_keyed_dup_label (&z), *whole = kg_input_dup_expression (node, slot, 6);
  double before, after;
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (node, slot, 6, &known);
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_true (kg_input_has_cells (node, slot));
  g_assert_false (known);
  g_assert_cmpfloat (kg_table_get_row (rows, 0)[2], ==, 7);
  g_assert_false (kg_input_get_value (node, slot, 6, &value));
  g_assert_cmpstr (label, ==, "Translate z");
  g_assert_cmpstr (whole, ==, "frame, 1, 7");
  g_assert_false (kg_input_find_keys (node, slot, 6, &before, &after));
  g_assert_cmpfloat (before, ==, 1);
  g_assert_cmpfloat (after, ==, 11);
  /* Whatever sets the whole, such as a handle that is dragged, leaves what is computed. */
  set_translate (node, 11, kg_vector (100, 5, 8), false);
  assert_translate (node, "[{\"expr\": \"frame\"}, 5, {\"keys\": [[1, 2], [11, 8]]}]");
  set_translate (node, 11, kg_vector (100, 6, 8), true);
  assert_translate (node, "[{\"expr\": \"frame\"}, {\"keys\": [{\"frame\": 11, \"value\": 6, \"interpolation\": "
                          "\"bezier\"}]}, {\"keys\": [[1, 2], [11, 8]]}]");
  g_assert_true (kg_graph_undo (graph));
  /* Keys of all that is not computed; and none. */
  g_assert_true (kg_input_key_rows (node, slot, 11, &error));
  g_assert_true (kg_input_find_keys (node, slot, 11, &before, &after));
  g_assert_cmpuint (kg_node_get_source (node, slot)->table.n, ==, 3);
  g_assert_true (kg_input_unkey_rows (node, slot, 11, true, &error));
  assert_translate (node, "[{\"expr\": \"frame\"}, 5, 8]");
  /* One component alone. */
  g_assert_true (kg_input_key_cell (&y, 3, &error));
  assert_translate (node, "[{\"expr\": \"frame\"}, {\"keys\": [{\"frame\": 3, \"value\": 5, \"interpolation\": "
                          "\"bezier\"}]}, 8]");
  g_assert_true (kg_input_unkey_cell (&y, 3, &error));
  set_translate (node, 1, kg_vector (0, 5, 8), false);
  {
    const KgKeyed x = { node, slot, 0, 0 };

    g_assert_true (kg_input_set_cell (&x, 1, 4, false, &error));
  }
  /* Nothing is left that moves: a vector like any other. */
  assert_translate (node, "[4, 5, 8]");
  g_assert_false (kg_input_has_cells (node, slot));
  g_assert_true (kg_input_get_value (node, slot, 1, &value));
  g_assert_cmpint (value.kind, ==, KG_VECTOR);
}

/* Keys of the whole become keys of each, of the same shape. */
static void
test_split (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGraph) graph = parse_graph (f->types, mover);
  KgNode *node = get_node (graph, "m");
  const guint slot = get_slot (node, "translate");
  g_autoptr (GError) error = NULL;

  (void) data;
  kg_graph_set_json (graph, node, "translate", "{\"keys\": [[1, [0, 1, 2]], [11, [3, 4, 5]]], \"after\": \"mirror\"}",
                     &error);
  g_assert_no_error (error);
  g_assert_true (kg_input_split (node, slot, &error));
  assert_translate (node, "[{\"keys\": [[1, 0], [11, 3]], \"after\": \"mirror\"}, {\"keys\": [[1, 1], [11, 4]], "
                          "\"after\": \"mirror\"}, {\"keys\": [[1, 2], [11, 5]], \"after\": \"mirror\"}]");
  g_assert_true (kg_graph_undo (graph));
  assert_translate (node, "{\"keys\": [[1, [0, 1, 2]], [11, [3, 4, 5]]], \"after\": \"mirror\"}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/input-value/keys", Fixture, NULL, set_up, test_keys, tear_down);
  g_test_add ("/input-value/remove", Fixture, NULL, set_up, test_remove, tear_down);
  g_test_add ("/input-value/expression", Fixture, NULL, set_up, test_expression, tear_down);
  g_test_add ("/input-value/linked", Fixture, NULL, set_up, test_linked, tear_down);
  g_test_add ("/input-value/inner-keys", Fixture, NULL, set_up, test_inner_keys, tear_down);
  g_test_add ("/input-value/no-keys", Fixture, NULL, set_up, test_no_keys, tear_down);
  g_test_add ("/input-value/components", Fixture, NULL, set_up, test_components, tear_down);
  g_test_add ("/input-value/split", Fixture, NULL, set_up, test_split, tear_down);
  g_test_add ("/input-value/table", Fixture, NULL, set_up, test_table, tear_down);
  return g_test_run ();
}
