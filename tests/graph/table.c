/* tests/graph/table: tables as text, as JSON, as constants of inputs that name their columns, and their conversions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fake-types.h"
#include "kg-subnet.h"

static const KgTableColumn columns[] = {
  { "x", "X", 0, false },
  { "y", "Y", 0, false },
  { "weight", "Weight", 1, true },
  KG_TABLE_COLUMNS_END,
};

typedef struct {
  const KgTable *rows;
  double sum;
} FakeTable;

/* The sum of x + 10 y + 100 weight. */
static bool
fake_table_evaluate (FakeTable *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  g_assert_cmpuint (kg_table_get_n_columns (n->rows), ==, 3);
  for (size_t i = 0; i < kg_table_get_n_rows (n->rows); i++) {
    const double *row = kg_table_get_row (n->rows, i);

    n->sum += row[0] + 10 * row[1] + 100 * row[2];
  }
  return true;
}

static const KgSlot fake_table_slots[] = {
  KG_INPUT (FakeTable, rows, TABLE, .label = "rows", .help = "rows", .columns = columns, .def_text = "1 2; 3 4 5"),
  KG_OUTPUT (FakeTable, sum, NUMBER, .label = "sum", .help = "sum"),
};

FAKE (table, FakeTable, .since = "0.1");

typedef struct {
  const KgTable *rows;
  KgTable *output;
} FakeRows;

static bool
fake_rows_evaluate (FakeRows *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = kg_table_ref (n->rows);
  return true;
}

static const KgSlot fake_rows_slots[] = {
  KG_INPUT (FakeRows, rows, TABLE, .label = "rows", .help = "rows"),
  KG_OUTPUT (FakeRows, output, TABLE, .label = "output", .help = "output"),
};

FAKE (rows, FakeRows, .since = "0.1");

static KgTypes *
make_types (void)
{
  static const KgNodeType *const table[] = { &fake_table, &fake_rows, NULL };

  return kg_types_new (table);
}

static KgTable *
parse (const char *text, const KgTableColumn *expected)
{
  g_autoptr (GError) error = NULL;
  KgTable *table = kg_table_parse (text, expected, &error);

  g_assert_no_error (error);
  return table;
}

static void
assert_rows (const KgTable *table, const char *rows)
{
  g_autoptr (GString) text = g_string_new (NULL);

  kg_table_write_json (table, KG_TABLE_PLAIN, NULL, NULL, text);
  g_assert_cmpstr (text->str, ==, rows);
}

static void
test_text (void)
{
  static const struct {
    const char *text, *rows;
    bool open;
  } cases[] = {
    { "1 2\n3 4", "[[1, 2], [3, 4]]", true },
    { " 1,2 ; 3,\t4;\n\n", "[[1, 2], [3, 4]]", true },
    { "", "[]", true },
    { "a b\n1 2;3 1e-3", "[[1, 2], [3, 0.001]]", true },
    { "1 2; 3 4 5", "[[1, 2, 1], [3, 4, 5]]", false },
    { "weight y other x\n1 2 3 4", "[[4, 2, 1]]", false },
    { "1 -; - 4", "[[1, null], [null, 4]]", true },
    { "1 2 -", "[[1, 2, 1]]", false },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (KgTable) table = parse (cases[i].text, cases[i].open ? NULL : columns);

    assert_rows (table, cases[i].rows);
  }
}

/* One column takes numbers however they are spread over rows: knots, weights. */
static void
test_text_of_one_column (void)
{
  static const KgTableColumn one[] = { { "knot", "Knot", 0, false }, KG_TABLE_COLUMNS_END };
  g_autoptr (KgTable) table = parse ("0 0, 1\n2; 3", one);

  assert_rows (table, "[0, 0, 1, 2, 3]");
}

static void
test_bad_text (void)
{
  static const struct {
    const char *text, *message;
    bool open;
  } cases[] = {
    { "1 2\n3", "row 2 has 1 numbers, but the first has 2: give all rows the same number", true },
    { "1 2\n3 x", "row 2: \"x\" is not a number: type a finite number, such as -1.5", true },
    { "1 nan", "row 1: \"nan\" is not a number: type a finite number, such as -1.5", true },
    { "1 1e999", "row 1: \"1e999\" is not a number: type a finite number, such as -1.5", true },
    { "abc", "row 1: \"abc\" is not a number: type a finite number, such as -1.5", true },
    { "O 1; 1 0", "row 1: \"O\" is not a number: type a finite number, such as -1.5", true },
    { "inf a; 1 0", "row 1: \"inf\" is not a number: type a finite number, such as -1.5", true },
    { "x x\n1 2", "two columns of the table are called \"x\": give each a name of its own", true },
    { "x y\n1 2 3", "the rows have 3 numbers, but there are 2 names of columns", true },
    { "1", "row 1 has 1 numbers: a row is x y [weight]", false },
    { "1 2 3 4", "row 1 has 4 numbers: a row is x y [weight]", false },
    { "1 2; 1 -", "row 2: y is blank: give it a number", false },
    { "y x\n- 2", "row 1: y is blank: give it a number", false },
    { "x weight\n1 2", "the table has no column \"y\" (it has: x, weight)", false },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_table_parse (cases[i].text, cases[i].open ? NULL : columns, &error));
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

static void
test_limits (void)
{
  g_autoptr (GError) columns_error = NULL;
  g_autoptr (GError) cells_error = NULL;

  g_assert_null (kg_table_new (KG_TABLE_MAX_COLUMNS + 1, NULL, 0, &columns_error));
  g_assert_error (columns_error, KG_ERROR, KG_ERROR_LIMIT);
  g_assert_null (kg_table_new (2, NULL, SIZE_MAX / 2, &cells_error));
  g_assert_error (cells_error, KG_ERROR, KG_ERROR_LIMIT);
}

static void
test_equal (void)
{
  g_autoptr (KgTable) a = parse ("x y\n1 0", NULL), b = parse ("x y\n1 -0", NULL), c = parse ("x z\n1 0", NULL),
                      d = parse ("1 0", NULL);

  g_assert_true (kg_table_equal (a, b));
  g_assert_true (kg_hash_equal (kg_table_get_fingerprint (a), kg_table_get_fingerprint (b)));
  g_assert_false (kg_table_equal (a, c));
  g_assert_false (kg_hash_equal (kg_table_get_fingerprint (a), kg_table_get_fingerprint (c)));
  g_assert_false (kg_table_equal (a, d));
  g_assert_false (kg_hash_equal (kg_table_get_fingerprint (a), kg_table_get_fingerprint (d)));
}

/* What an input of a graph that is read from JSON holds, or the error of its node. */
static char *
evaluate (const char *inputs)
{
  g_autoptr (KgTypes) types = make_types ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text =
      g_strdup_printf ("{\"kineograph\": 1, \"nodes\": {\"rows\": {\"type\": \"fake/rows\", \"inputs\": {\"rows\": "
                       "{\"columns\": [\"y\", \"x\"], \"rows\": [[1, 2]]}}},\n"
                       "\"a\": {\"type\": \"fake/table\", \"inputs\": {%s}}}}",
                       inputs);
  g_autoptr (KgGraph) graph = kg_graph_parse (types, text, -1, problems);
  g_autoptr (KgEvaluator) evaluator = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *node;

  if (graph == NULL)
    return kg_problems_to_text (problems, "f");
  evaluator = kg_evaluator_new (graph, NULL);
  node = kg_graph_find (graph, "a");
  if (!kg_evaluator_evaluate (evaluator, node, 1, 0, NULL, &value, &error))
    return g_strdup (error->message);
  return g_strdup_printf ("%g", value.number);
}

static void
test_input (void)
{
  static const struct {
    const char *inputs, *result;
  } cases[] = {
    { "", "664" },
    { "\"rows\": [[1, 2]]", "121" },
    { "\"rows\": [[1, 2, 3]]", "321" },
    { "\"rows\": \"1 2; 1 2 0\"", "142" },
    { "\"rows\": []", "0" },
    { "\"rows\": [[1, 2, null]]", "121" },
    { "\"rows\": {\"columns\": [\"weight\", \"x\", \"y\"], \"rows\": [[3, 1, 2]]}", "321" },
    { "\"rows\": {\"link\": \"rows.output\"}", "112" },
    { "\"rows\": [[1, {\"link\": \"rows.output\"}]]",
      "f:2:48: /nodes/a/inputs/rows: row 1 of the table, column 2: rows.output is a table, which cannot be converted to "
      "a number\n" },
    { "\"rows\": [[1]]", "f:2:48: /nodes/a/inputs/rows: the rows of the table have 1 numbers: a row is x y "
                         "[weight]\n" },
    { "\"rows\": [[1, null]]", "f:2:48: /nodes/a/inputs/rows: row 1: y is blank: give it a number\n" },
    { "\"rows\": [[1, true]]", "f:2:48: /nodes/a/inputs/rows: row 1 of the table, column 2: expected a number, found "
                               "true\n" },
    { "\"rows\": [1, 2]",
      "f:2:48: /nodes/a/inputs/rows: the rows of the table have 1 numbers: a row is x y [weight]\n" },
    { "\"rows\": [[1, 2], 3]", "f:2:48: /nodes/a/inputs/rows: row 2 of the table has 1 numbers: expected 2\n" },
    { "\"rows\": {\"rows\": []}", "f:2:48: /nodes/a/inputs/rows: a table is an array of rows, or an object with "
                                  "\"columns\" and \"rows\" and nothing else\n" },
    { "\"rows\": {\"expr\": \"1\"}", "f:2:48: /nodes/a/inputs/rows: a table cannot come from an expression: link a "
                                     "node that makes it\n" },
    { "\"rows\": {\"keys\": [[1, 2]]}",
      "f:2:48: /nodes/a/inputs/rows: a table cannot be keyed: link a node that makes it\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *result = evaluate (cases[i].inputs);

    g_assert_cmpstr (result, ==, cases[i].result);
  }
}

/* Numbers come back to the bit, columns by their names; where the declaration names them, only rows are written. */
static void
test_saved (void)
{
  g_autoptr (KgTypes) types = make_types ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = kg_graph_parse (
      types,
      "{\"kineograph\": 1, \"nodes\": {\"a\": {\"type\": \"fake/table\", \"inputs\": {\"rows\": \"0.1 1e-300\"}},"
      "\"b\": {\"type\": \"fake/rows\", \"inputs\": {\"rows\": {\"columns\": [\"u v\"], \"rows\": [[0.30000000000000004]]}}}}}",
      -1, problems);
  g_autofree char *text = NULL;

  g_assert_nonnull (graph);
  text = kg_graph_to_text (graph);
  g_assert_nonnull (strstr (text, "\"rows\": [[0.1, 1e-300, 1]]"));
  g_assert_nonnull (strstr (text, "\"rows\": {\"columns\": [\"u v\"], \"rows\": [0.30000000000000004]}"));
}

static void
test_conversions (void)
{
  const KgTransform shift = kg_transform_from_parts (kg_vector (1, 2, 3), kg_rotation_identity (), kg_vector (1, 1, 1));
  g_auto (KgValue) transform = kg_value_transform (&shift);
  g_auto (KgValue) matrix = KG_VALUE_INIT;
  g_auto (KgValue) back = KG_VALUE_INIT;
  g_auto (KgValue) points = kg_value_take (KG_TABLE, parse ("1 2; 3 4", NULL));
  g_auto (KgValue) geometry = KG_VALUE_INIT;
  g_auto (KgValue) rows = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  g_assert_true (kg_value_convert (&transform, KG_TABLE, &matrix, NULL));
  assert_rows (matrix.table, "[[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]");
  g_assert_true (kg_value_convert (&matrix, KG_TRANSFORM, &back, NULL));
  g_assert_true (kg_value_equal (&transform, &back));
  g_assert_true (kg_value_convert (&points, KG_GEOMETRY, &geometry, NULL));
  g_assert_true (kg_value_convert (&geometry, KG_TABLE, &rows, NULL));
  assert_rows (rows.table, "[[1, 2, 0], [3, 4, 0]]");
  g_assert_false (kg_value_convert (&points, KG_TRANSFORM, &back, &error));
  g_assert_cmpstr (error->message, ==, "a table of 2 rows and 2 columns is not a transform: that has 3 or 4 of each");
}

static void
assert_text (KgValue value, const char *wanted)
{
  g_auto (KgValue) text = KG_VALUE_INIT;

  g_assert_true (kg_value_convert (&value, KG_TEXT, &text, NULL));
  g_assert_cmpstr (text.text, ==, wanted);
}

/* Numbers as texts: for titles and counters. */
static void
test_texts (void)
{
  assert_text (kg_value_number (0.1 + 0.2), "0.3");
  assert_text (kg_value_number (-0.0), "0");
  assert_text (kg_value_number (1e21), "1e+21");
  assert_text (kg_value_integer (G_MAXINT64), "9223372036854775807");
  assert_text (kg_value_boolean (true), "true");
  assert_text (kg_value_vector (kg_vector (1, -2.5, 0)), "1 -2.5 0");
  g_assert_true (kg_kind_converts (KG_NUMBER, KG_TEXT));
  g_assert_false (kg_kind_converts (KG_COLOR, KG_TEXT));
}

/* Empty rows end blocks of rows, where a column counts them. */
static void
test_blocks (void)
{
  static const KgTableColumn outlines[] = {
    { "x", "x", 0, false }, { "y", "y", 0, true }, { "outline", "outline", 0, KG_COLUMN_BLOCK }, KG_TABLE_COLUMNS_END
  };
  g_autoptr (KgTable) table = parse ("\n\n1 2\n3\n\n \n5 6; ;7 8 0\n\n", outlines);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (KgTable) again = NULL;

  assert_rows (table, "[[1, 2, 0], [3, 0, 0], [5, 6, 1], [7, 8, 0]]");
  kg_table_write_text (table, outlines, text);
  g_assert_cmpstr (text->str, ==, "1 2\n3 0\n\n5 6\n\n7 8");
  again = parse (text->str, outlines);
  assert_rows (again, "[[1, 2, 0], [3, 0, 0], [5, 6, 1], [7, 8, 2]]");
}

/* Cells that are no constants: keys, expressions and links. */

static const char cells_file[] =
    "{\"kineograph\": 1, \"frames\": {\"start\": 1, \"end\": 11, \"rate\": 10}, \"nodes\": {\n"
    "\"a\": {\"type\": \"fake/table\", \"inputs\": {\"rows\": [[{\"keys\": [[1, 0], [11, 10]]}, 2, {\"expr\": "
    "\"n.x * 2\"}], [{\"link\": \"n.value\"}, {\"expr\": \"frame\"}, 0.5]]}},\n"
    "\"n\": {\"type\": \"fake/add\", \"inputs\": {\"x\": 3, \"y\": 4}}}}";

typedef struct {
  KgTypes *types;
  KgGraph *graph;
  KgEvaluator *evaluator;
  KgNode *a, *n;
} Cells;

static void
cells_set_up (Cells *c, gconstpointer data)
{
  static const KgNodeType *const table[] = { &fake_table, &fake_rows,   &fake_add, &fake_subnet,
                                             &fake_input, &fake_output, NULL };
  g_autoptr (GPtrArray) problems = kg_problems_new ();

  (void) data;
  c->types = kg_types_new (table);
  c->graph = kg_graph_parse (c->types, cells_file, -1, problems);
  g_assert_nonnull (c->graph);
  c->evaluator = kg_evaluator_new (c->graph, NULL);
  c->a = kg_graph_find (c->graph, "a");
  c->n = kg_graph_find (c->graph, "n");
}

static void
cells_tear_down (Cells *c, gconstpointer data)
{
  (void) data;
  kg_evaluator_free (c->evaluator);
  g_object_unref (c->graph);
  kg_types_unref (c->types);
}

static double
sum_at (Cells *c, double frame)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  kg_evaluator_evaluate (c->evaluator, c->a, 1, (frame - 1) / 10, NULL, &value, &error);
  g_assert_no_error (error);
  return value.number;
}

/* What fake/table makes of the file above, by hand. */
static double
expected_sum (double frame, double x, double y)
{
  return (frame - 1) + 20 + 200 * x + (x + y) + 10 * frame + 50;
}

static void
test_cells (Cells *c, gconstpointer data)
{
  g_auto (KgValue) four = kg_value_number (5);
  KgNodeStats stats;

  (void) data;
  g_assert_true (kg_node_depends_on_time (c->a));
  g_assert_cmpfloat (sum_at (c, 1), ==, expected_sum (1, 3, 4));
  g_assert_cmpfloat (sum_at (c, 6), ==, expected_sum (6, 3, 4));
  g_assert_cmpfloat (sum_at (c, 11), ==, expected_sum (11, 3, 4));
  /* What a link and an expression read runs again, and once. */
  g_assert_true (kg_graph_set_constant (c->graph, c->n, "x", &four, NULL));
  g_assert_cmpfloat (sum_at (c, 6), ==, expected_sum (6, 5, 4));
  kg_evaluator_get_stats (c->evaluator, c->n, &stats);
  g_assert_cmpuint (stats.evaluations, ==, 2);
  g_assert_true (kg_graph_undo (c->graph));
  g_assert_cmpfloat (sum_at (c, 6), ==, expected_sum (6, 3, 4));
  kg_evaluator_get_stats (c->evaluator, c->n, &stats);
  g_assert_cmpuint (stats.evaluations, ==, 2);
}

static void
test_cells_saved (Cells *c, gconstpointer data)
{
  g_autofree char *text = kg_graph_to_text (c->graph), *again = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) read = kg_graph_parse (c->types, text, -1, problems);

  (void) data;
  g_assert_nonnull (strstr (text, "[[{\"keys\": [[1, 0], [11, 10]]}, 2, {\"expr\": \"n.x * 2\"}], "
                                  "[{\"link\": \"n.value\"}, {\"expr\": \"frame\"}, 0.5]]"));
  g_assert_nonnull (read);
  again = kg_graph_to_text (read);
  g_assert_cmpstr (again, ==, text);
  g_assert_true (kg_source_equal (kg_node_get_source (c->a, 0), kg_node_get_source (kg_graph_find (read, "a"), 0)));
}

/* Links and expressions follow the name of what they read; a link whose node is removed is 0, and comes back. */
static void
test_cells_rename (Cells *c, gconstpointer data)
{
  g_autofree char *before = kg_graph_to_text (c->graph), *after = NULL, *restored = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_true (kg_graph_rename (c->graph, c->n, "other", NULL));
  after = kg_graph_to_text (c->graph);
  g_assert_nonnull (strstr (after, "{\"expr\": \"other.x * 2\"}], [{\"link\": \"other.value\"}"));
  g_assert_cmpfloat (sum_at (c, 6), ==, expected_sum (6, 3, 4));
  g_assert_true (kg_graph_undo (c->graph));
  kg_graph_remove (c->graph, c->n);
  g_assert_null (kg_source_get_cell (kg_node_get_source (c->a, 0), 1, 0));
  g_assert_nonnull (kg_source_get_cell (kg_node_get_source (c->a, 0), 0, 2));
  g_assert_false (kg_evaluator_evaluate (c->evaluator, c->a, 1, 0, NULL, &value, &error));
  g_assert_cmpstr (error->message, ==, "a: rows: row 1, weight: column 1: n.x does not exist");
  g_assert_true (kg_graph_undo (c->graph));
  restored = kg_graph_to_text (c->graph);
  g_assert_cmpstr (restored, ==, before);
  g_assert_cmpfloat (sum_at (c, 6), ==, expected_sum (6, 3, 4));
}

/* A cell that would read its own table is refused, and so is one that can be no number. */
static void
test_cells_refused (Cells *c, gconstpointer data)
{
  static const struct {
    const char *rows, *message;
  } cases[] = {
    { "[[1, {\"link\": \"a.sum\"}]]", "a.rows would depend on itself: a.rows → a.rows" },
    { "[[1, {\"expr\": \"a.sum\"}]]", "a.rows would depend on itself: a.rows → a.rows" },
    { "[[1, {\"expr\": \"1 +\"}]]", "row 1 of the table, column 2: column 4: unexpected end: a value is missing" },
    { "[[1, 2], [1, {\"expr\": \"[1, 2, 3]\"}]]",
      "row 2 of the table, column 2: column 1: a number needs 1 results separated by commas, not 3" },
    { "[[1, {\"link\": \"m.value\"}]]", "row 1 of the table, column 2: unknown node \"m\"" },
    { "[[1, {\"link\": \"t.output\"}]]",
      "row 1 of the table, column 2: t.output is a table, which cannot be converted to a number" },
    { "[[1, {\"keys\": [[1, [1, 2]]]}]]", "row 1 of the table, column 2: key 0: the value needs 1 numbers, not 2" },
    { "[[1, {\"other\": 1}]]", "row 1 of the table, column 2: a source is a constant or an object with exactly one of "
                               "\"link\", \"expr\", \"keys\"" },
    { "[[1, {\"expr\": \"1\"}, 2, 3]]", "the rows of the table have 4 numbers: a row is x y [weight]" },
    { "[[1, {\"expr\": \"1\"}], [1]]", "row 2 of the table has 1 numbers: expected 2" },
  };

  (void) data;
  g_assert_nonnull (kg_graph_add (c->graph, "fake/rows", "t", 0, 0, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (kg_graph_set_json (c->graph, c->a, "rows", cases[i].rows, &error));
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
  g_assert_cmpfloat (sum_at (c, 6), ==, expected_sum (6, 3, 4));
}

/* Columns are found by their names, cells that move too. */
static void
test_cells_named (Cells *c, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  (void) data;
  kg_graph_set_json (
      c->graph, c->a, "rows",
      "{\"columns\": [\"y\", \"other\", \"x\"], \"rows\": [[{\"expr\": \"frame\"}, {\"expr\": \"1\"}, 7]]}", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sum_at (c, 4), ==, 7 + 10 * 4 + 100);
  text = kg_graph_to_text (c->graph);
  g_assert_nonnull (strstr (text, "\"rows\": [[7, {\"expr\": \"frame\"}, 1]]"));
}

/* One cell is set, in a constant table, in the default, and among others. */
static void
test_cells_set (Cells *c, gconstpointer data)
{
  KgNode *b = kg_graph_add (c->graph, "fake/table", "b", 0, 0, NULL);
  g_auto (KgSource) expression = kg_source_expression ("frame + 0.5");
  g_auto (KgValue) nine = kg_value_number (9);
  g_auto (KgSource) constant = kg_source_constant (&nine);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  (void) data;
  g_assert_true (kg_graph_set_cell (c->graph, b, 0, 1, 1, &expression, NULL));
  g_assert_true (kg_graph_set_cell (c->graph, b, 0, 0, 0, &constant, NULL));
  text = kg_graph_to_text (c->graph);
  g_assert_nonnull (strstr (text, "\"rows\": [[9, 2, 1], [3, {\"expr\": \"frame + 0.5\"}, 5]]"));
  g_assert_true (kg_graph_set_cell (c->graph, b, 0, 1, 1, &constant, NULL));
  g_assert_cmpint (kg_node_get_source (b, 0)->kind, ==, KG_SOURCE_CONSTANT);
  g_assert_false (kg_graph_set_cell (c->graph, b, 0, 2, 0, &constant, &error));
  g_assert_cmpstr (error->message, ==, "row 3, column 1: the table of b.rows has 2 rows and 3 columns");
}

/* A copy reads the copies of what it read; a sub-graph of all of them, and what is taken out of it again, is the same. */
static void
test_cells_copied (Cells *c, gconstpointer data)
{
  KgNode *both[] = { c->a, c->n };
  g_autofree char *text = kg_graph_copy (c->graph, both, 2), *alone = kg_graph_copy (c->graph, both, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) pasted = kg_graph_paste (c->graph, text, 10, 10, &error), expanded = NULL;
  g_autofree char *written = NULL;
  KgNode *subnet;

  (void) data;
  g_assert_no_error (error);
  g_assert_cmpuint (pasted->len, ==, 2);
  written = kg_graph_to_text (c->graph);
  g_assert_nonnull (strstr (written, "{\"expr\": \"n1.x * 2\"}], [{\"link\": \"n1.value\"}"));
  /* (A copy of the table alone has no link any more; its expression waits for a node of that name.) */
  g_assert_nonnull (strstr (alone, "{\"expr\": \"n.x * 2\"}], [0, {\"expr\": \"frame\"}"));
  subnet = kg_graph_collapse (c->graph, both, 1, &error);
  g_assert_null (subnet);
  g_assert_nonnull (strstr (error->message, "a.rows reads n across the border of the selection"));
  g_clear_error (&error);
  subnet = kg_graph_collapse (c->graph, both, 2, &error);
  g_assert_no_error (error);
  expanded = kg_graph_expand (c->graph, subnet, &error);
  g_assert_no_error (error);
  c->a = kg_graph_find (c->graph, "a");
  g_assert_cmpfloat (sum_at (c, 6), ==, expected_sum (6, 3, 4));
}

static void
add_cells (const char *path, void (*test) (Cells *c, gconstpointer data))
{
  g_test_add (path, Cells, NULL, cells_set_up, test, cells_tear_down);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/text", test_text);
  g_test_add_func ("/table/text/one-column", test_text_of_one_column);
  g_test_add_func ("/table/text/bad", test_bad_text);
  g_test_add_func ("/table/text/blocks", test_blocks);
  g_test_add_func ("/table/limits", test_limits);
  g_test_add_func ("/table/equal", test_equal);
  g_test_add_func ("/table/input", test_input);
  g_test_add_func ("/table/saved", test_saved);
  g_test_add_func ("/table/conversions", test_conversions);
  g_test_add_func ("/table/texts-of-numbers", test_texts);
  add_cells ("/table/cells", test_cells);
  add_cells ("/table/cells/saved", test_cells_saved);
  add_cells ("/table/cells/rename", test_cells_rename);
  add_cells ("/table/cells/refused", test_cells_refused);
  add_cells ("/table/cells/named", test_cells_named);
  add_cells ("/table/cells/set", test_cells_set);
  add_cells ("/table/cells/copied", test_cells_copied);
  return g_test_run ();
}
