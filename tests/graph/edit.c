/* tests/graph/edit: whatever is edited, the document can be saved and loads again; copies are whole; signals.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "random-edits.h"

#include <glib/gstdio.h>

#define HEAD "{\"kineograph\": 1, \"nodes\": {"
#define SUBNET                                                                                                         \
  "\"s\": {\"type\": \"fake/subnet\", \"inputs\": {\"x\": 1}, \"graph\": {\"nodes\": {"                                \
  "\"x\": {\"type\": \"fake/in\", \"inputs\": {\"kind\": \"number\"}}, "                                               \
  "\"y\": {\"type\": \"fake/out\", \"inputs\": {\"kind\": \"number\", \"value\": {\"expr\": \"x.output*2\"}}}}}}"

static KgGraph *
parse (KgTypes *types, const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgGraph *graph = kg_graph_parse (types, text, -1, problems);
  g_autofree char *messages = kg_problems_to_text (problems, "f");

  g_assert_cmpstr (messages, ==, "");
  return graph;
}

/* What a graph says must be what it says once saved and loaded. */
static void
check_loads (KgGraph *graph)
{
  g_autofree char *text = kg_graph_to_text (graph), *again = NULL;
  g_autoptr (KgGraph) loaded = parse (kg_graph_get_types (graph), text);

  again = kg_graph_to_text (loaded);
  g_assert_cmpstr (again, ==, text);
}

/* That, and the same after undoing one step, which must give before. */
static void
check_step (KgGraph *graph, const char *before)
{
  g_autofree char *after = kg_graph_to_text (graph), *undone = NULL, *redone = NULL;

  check_loads (graph);
  g_assert_true (kg_graph_undo (graph));
  undone = kg_graph_to_text (graph);
  g_assert_cmpstr (undone, ==, before);
  g_assert_true (kg_graph_redo (graph));
  redone = kg_graph_to_text (graph);
  g_assert_cmpstr (redone, ==, after);
}

static KgNode *
find (KgGraph *graph, const char *path)
{
  KgNode *node = kg_graph_find_path (graph, path);

  g_assert_nonnull (node);
  return node;
}

static const char *
source_text (KgGraph *graph, const char *path, const char *slot)
{
  const KgNode *node = find (graph, path);
  const KgSource *source = kg_node_get_source (node, (guint) kg_node_find_slot (node, slot));

  g_assert_true (source->kind == KG_SOURCE_LINK || source->kind == KG_SOURCE_EXPRESSION);
  return source->text;
}

static KgSourceKind
source_kind (KgGraph *graph, const char *path, const char *slot)
{
  const KgNode *node = find (graph, path);

  return kg_node_get_source (node, (guint) kg_node_find_slot (node, slot))->kind;
}

static void
rename_node (KgGraph *graph, const char *path, const char *name)
{
  KgNode *node = find (graph, path);
  GError *error = NULL;

  kg_graph_rename (kg_node_get_parent (node), node, name, &error);
  g_assert_no_error (error);
}

static bool
set_json (KgGraph *graph, const char *path, const char *slot, const char *json, GError **error)
{
  KgNode *node = find (graph, path);

  return kg_graph_set_json (kg_node_get_parent (node), node, slot, json, error);
}

/* A slot may be read by another of the same node, and move when a third goes. */
static void
test_own_slots (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph =
      parse (types, HEAD "\"s\": {\"type\": \"fake/subnet\", \"inputs\": {\"b\": {\"expr\": \"s.a + s.x\"}, \"a\": 3}, "
                         "\"graph\": {\"nodes\": {\"x\": {\"type\": \"fake/in\"}, \"a\": {\"type\": \"fake/in\"}, "
                         "\"b\": {\"type\": \"fake/in\"}}}}}}");
  KgGraph *inside = kg_node_get_graph (find (graph, "s"));
  g_autofree char *before = kg_graph_to_text (graph), *removed = NULL;

  kg_graph_remove (inside, find (graph, "s/x"));
  g_assert_cmpint (kg_node_find_slot (find (graph, "s"), "b"), ==, 1);
  g_assert_cmpstr (source_text (graph, "s", "b"), ==, "s.a + s.x");
  check_step (graph, before);
  removed = kg_graph_to_text (graph);
  rename_node (graph, "s/a", "aa");
  g_assert_cmpstr (source_text (graph, "s", "b"), ==, "s.aa + s.x");
  check_step (graph, removed);
}

/* What is displayed follows, from every graph that names it. */
static void
test_display (void)
{
  static const struct {
    const char *display, *edited, *name, *expected;
  } cases[] = {
    { "a.value", "a", NULL, NULL },
    { "a", "a", NULL, NULL },
    { "a.value", "a", "b", "b.value" },
    { "a", "a", "b", "b" },
    { "s.y", "s/y", "out", "s.out" },
    { "s.y", "s/y", NULL, NULL },
    { "s.x", "s/x", "in", "s.in" },
    { "s.y", "s/x", "in", "s.y" },
    { "s/y.output", "s", "t", "t/y.output" },
    { "s/y.output", "s", NULL, NULL },
    { "s/y.output", "s/y", "z", "s/z.output" },
    { "s/y", "s/y", "z", "s/z" },
    { "s", "s", "t", "t" },
    { "s.y", "s", "t", "t.y" },
    { "s.y", "a", NULL, "s.y" },
    { "nothing.at.all", "a", NULL, "nothing.at.all" },
    { "a/b.c", "a", "b", "b/b.c" },
  };
  g_autoptr (KgTypes) types = edit_types_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text =
        g_strdup_printf (HEAD "\"a\": {\"type\": \"fake/add\"}, " SUBNET "}, \"display\": \"%s\"}", cases[i].display);
    g_autoptr (KgGraph) graph = parse (types, text);
    g_autofree char *before = kg_graph_to_text (graph);
    KgNode *node = find (graph, cases[i].edited);

    if (cases[i].name != NULL)
      rename_node (graph, cases[i].edited, cases[i].name);
    else
      kg_graph_remove (kg_node_get_parent (node), node);
    g_assert_cmpstr (kg_graph_get_display (graph), ==, cases[i].expected);
    check_step (graph, before);
  }
}

/* The kind of an interface node changes: what is set outside becomes that, or goes. */
static void
test_interface_kind (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = parse (types, HEAD SUBNET
                                     ", \"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"s.y\"}}}, "
                                     "\"p\": {\"type\": \"fake/pass\", \"inputs\": {\"value\": {\"link\": \"s.y\"}}}, "
                                     "\"b\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"p.output\"}}}, "
                                     "\"l\": {\"type\": \"fake/all\", \"inputs\": {\"numbers\": "
                                     "[1, {\"link\": \"p.output\"}, 2]}}}}");
  g_autofree char *before = kg_graph_to_text (graph), *changed = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (set_json (graph, "s/y", "kind", "\"geometry\"", &error));
  g_assert_cmpint (source_kind (graph, "a", "x"), ==, KG_SOURCE_DEFAULT);
  g_assert_cmpint (source_kind (graph, "p", "value"), ==, KG_SOURCE_LINK);
  g_assert_cmpint (source_kind (graph, "b", "x"), ==, KG_SOURCE_DEFAULT);
  g_assert_cmpuint (kg_node_get_source (find (graph, "l"), 10)->list.n, ==, 2);
  check_step (graph, before);
  changed = kg_graph_to_text (graph);
  /* 1 becomes (1, 1, 1), which becomes a text, which becomes no geometry. */
  g_assert_true (set_json (graph, "s/x", "kind", "\"vector\"", &error));
  g_assert_cmpfloat (kg_node_get_source (find (graph, "s"), 0)->constant.vector.z, ==, 1);
  check_step (graph, changed);
  g_free (changed);
  changed = kg_graph_to_text (graph);
  g_assert_true (set_json (graph, "s/x", "kind", "\"text\"", &error));
  g_assert_cmpstr (kg_node_get_source (find (graph, "s"), 0)->constant.text, ==, "1 1 1");
  check_step (graph, changed);
  g_free (changed);
  changed = kg_graph_to_text (graph);
  g_assert_true (set_json (graph, "s/x", "kind", "\"geometry\"", &error));
  g_assert_cmpint (source_kind (graph, "s", "x"), ==, KG_SOURCE_DEFAULT);
  check_step (graph, changed);
}

/* An edit that takes the kind away from under a link is refused; one that cannot be refused cuts it. */
static void
test_kinds (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph)
      graph = parse (types, HEAD "\"g\": {\"type\": \"fake/geometry\"}, \"n\": {\"type\": \"fake/add\"}, "
                                 "\"sw\": {\"type\": \"fake/switch\"}, "
                                 "\"p\": {\"type\": \"fake/pass\", \"inputs\": {\"value\": {\"link\": \"sw.value\"}}}, "
                                 "\"m\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"p.output\"}}}}}");
  g_autofree char *before = kg_graph_to_text (graph);
  g_autoptr (GError) error = NULL;
  KgNode *sw = find (graph, "sw"), *g = find (graph, "g");

  g_assert_false (kg_graph_check_link (graph, g, 1, sw, 1, &error));
  g_clear_error (&error);
  g_assert_false (kg_graph_link (graph, g, "value", sw, "values", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_TYPE_MISMATCH);
  g_assert_cmpstr (error->message, ==,
                   "the link from p.output to m.x would carry a geometry, which cannot be converted to a number: cut "
                   "it first");
  g_clear_error (&error);
  g_assert_cmpint (kg_node_get_slot_kind (find (graph, "p"), 1), ==, KG_ANY);
  g_assert_true (kg_graph_link (graph, find (graph, "n"), "value", sw, "values", &error));
  g_assert_cmpint (kg_node_get_slot_kind (find (graph, "p"), 1), ==, KG_NUMBER);
  /* The first of a list counts, so a geometry may be the second until it is the first. */
  g_assert_true (kg_graph_check_link (graph, g, 1, sw, 1, &error));
  g_assert_true (kg_graph_link (graph, g, "value", sw, "values", &error));
  check_loads (graph);
  kg_graph_remove (graph, find (graph, "n"));
  g_assert_cmpint (kg_node_get_slot_kind (find (graph, "p"), 1), ==, KG_GEOMETRY);
  g_assert_cmpint (source_kind (graph, "m", "x"), ==, KG_SOURCE_DEFAULT);
  check_loads (graph);
  g_assert_true (kg_graph_undo (graph));
  g_assert_cmpint (source_kind (graph, "m", "x"), ==, KG_SOURCE_LINK);
  check_loads (graph);
  {
    /* Copying without it is the same. */
    KgNode *nodes[] = { g, sw, find (graph, "p"), find (graph, "m") };
    g_autofree char *text = kg_graph_copy (graph, nodes, 4);
    g_autoptr (KgGraph) copied = parse (types, text);

    g_assert_cmpint (source_kind (copied, "m", "x"), ==, KG_SOURCE_DEFAULT);
    g_assert_cmpint (source_kind (copied, "p", "value"), ==, KG_SOURCE_LINK);
  }
  while (kg_graph_undo (graph))
    ;
  g_free (g_steal_pointer (&before));
  check_loads (graph);
}

/* The same of the links of cells and of components; expressions beside them take what they find. */
static void
test_kinds_of_cells (void)
{
  static const char *const nodes[] = {
    "\"a\": {\"type\": \"fake/all\", \"inputs\": {\"vector\": [1, {\"expr\": \"p.output\"}, {\"link\": \"p.output\"}]}}",
    "\"b\": {\"type\": \"fake/pass\", \"inputs\": {\"value\": [[1, {\"keys\": [[1, 2]]}], [{\"link\": \"p.output\"}, "
    "3]]}}",
    "\"p\": {\"type\": \"fake/pass\", \"inputs\": {\"value\": {\"link\": \"sw.value\"}}}",
    "\"g\": {\"type\": \"fake/geometry\"}, \"n\": {\"type\": \"fake/add\"}",
  };
  g_autofree char *start = g_strjoin (", ", nodes[0], nodes[1], nodes[2], nodes[3], NULL);
  g_autofree char *good = g_strconcat (
      HEAD, start, ", \"sw\": {\"type\": \"fake/switch\", \"inputs\": {\"values\": [{\"link\": \"n.value\"}]}}}}",
      NULL);
  g_autofree char *bad = g_strconcat (
      HEAD, start, ", \"sw\": {\"type\": \"fake/switch\", \"inputs\": {\"values\": [{\"link\": \"g.value\"}]}}}}",
      NULL);
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = parse (types, good);
  g_autofree char *before = kg_graph_to_text (graph);
  g_autoptr (GError) error = NULL;
  const KgSource *source;

  g_assert_null (kg_graph_parse (types, bad, -1, problems));
  g_assert_cmpuint (problems->len, ==, 2);
  g_assert_cmpstr (((KgProblem *) problems->pdata[0])->pointer, ==, "/nodes/a/inputs/vector");
  g_assert_cmpstr (((KgProblem *) problems->pdata[0])->message, ==,
                   "z: p.output is a geometry, which cannot be converted to a number");
  g_assert_cmpstr (((KgProblem *) problems->pdata[1])->pointer, ==, "/nodes/b/inputs/value");
  g_assert_cmpstr (((KgProblem *) problems->pdata[1])->message, ==,
                   "row 2 of the table, column 1: p.output is a geometry, which cannot be converted to a number");
  g_assert_false (kg_graph_set_json (graph, find (graph, "sw"), "values", "[{\"link\": \"g.value\"}]", &error));
  g_assert_cmpstr (error->message, ==,
                   "the link from p.output to a.vector would carry a geometry, which cannot be converted to a number: "
                   "cut it first");
  /* The first of the list goes: what no longer fits is cut, the expression stays. */
  g_assert_true (kg_graph_link (graph, find (graph, "g"), "value", find (graph, "sw"), "values", NULL));
  kg_graph_remove (graph, find (graph, "n"));
  source = kg_node_get_source (find (graph, "a"), (guint) kg_node_find_slot (find (graph, "a"), "vector"));
  g_assert_nonnull (kg_source_get_cell (source, 0, 1));
  g_assert_null (kg_source_get_cell (source, 0, 2));
  source = kg_node_get_source (find (graph, "b"), (guint) kg_node_find_slot (find (graph, "b"), "value"));
  g_assert_null (kg_source_get_cell (source, 1, 0));
  check_loads (graph);
  while (kg_graph_undo (graph))
    ;
  {
    g_autofree char *restored = kg_graph_to_text (graph);

    g_assert_cmpstr (restored, ==, before);
  }
}

/* Whether a file is good does not depend on the order of its nodes. */
static void
test_order (void)
{
  static const char *const nodes[] = {
    "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"p.output\"}}}",
    "\"p\": {\"type\": \"fake/pass\", \"inputs\": {\"value\": {\"link\": \"sw.value\"}}}",
    "\"sw\": {\"type\": \"fake/switch\", \"inputs\": {\"values\": [{\"link\": \"g.value\"}]}}",
    "\"g\": {\"type\": \"fake/geometry\"}",
  };
  static const guint orders[][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 } };
  g_autoptr (KgTypes) types = edit_types_new ();

  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_autofree char *text = g_strdup_printf (HEAD "%s, %s, %s, %s}}", nodes[orders[i][0]], nodes[orders[i][1]],
                                             nodes[orders[i][2]], nodes[orders[i][3]]);
    g_autoptr (GPtrArray) problems = kg_problems_new ();

    g_assert_null (kg_graph_parse (types, text, -1, problems));
    g_assert_cmpuint (problems->len, ==, 1);
    g_assert_cmpstr (((KgProblem *) problems->pdata[0])->pointer, ==, "/nodes/a/inputs/x");
    g_assert_cmpstr (((KgProblem *) problems->pdata[0])->message, ==,
                     "p.output is a geometry, which cannot be converted to a number");
  }
}

static void
test_constants (void)
{
  static const struct {
    const char *slot, *given, *kept; /* kept NULL: refused */
  } cases[] = {
    { "motion", "[1, 2, 3]", NULL },
    { "field", "[1, 2, 3]", "[1, 2, 3]" },
    { "number", "{\"keys\": [[1000000000, 0], [-1000000000, 1]]}", "{\"keys\": [[-1000000000, 1], [1000000000, 0]]}" },
    { "number", "{\"keys\": [[1e308, 0], [-1e308, 1]]}", NULL },
    { "rotation", "[2, 0, 0, 0]", "[1, 0, 0, 0]" },
    { "integer", "9007199254740993", "9007199254740992" },
  };
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = parse (types, HEAD "\"l\": {\"type\": \"fake/all\"}, \"p\": {\"type\": \"fake/pass\"}}}");
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) huge = kg_value_integer (G_MAXINT64), yes = kg_value_boolean (true);
  g_auto (KgValue) turn = kg_value_rotation ((KgRotation){ 2, 0, 0, 0 });
  g_auto (KgValue) latin = kg_value_text ("\xe9"), geometry = kg_value_take (KG_GEOMETRY, kg_geometry_new ());
  KgNode *l = find (graph, "l"), *p = find (graph, "p");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) out = g_string_new (NULL);
    const int slot = kg_node_find_slot (l, cases[i].slot);

    g_assert_true (kg_graph_set_json (graph, l, cases[i].slot, cases[i].given, &error) == (cases[i].kept != NULL));
    g_clear_error (&error);
    if (cases[i].kept == NULL)
      continue;
    kg_source_write_json (kg_node_get_source (l, (guint) slot), kg_node_get_slot (l, (guint) slot), out);
    g_assert_cmpstr (out->str, ==, cases[i].kept);
    check_loads (graph);
  }
  g_assert_false (set_json (graph, "l", "number", "{\"keys\": [[0, 0], [2e9, 1]]}", &error));
  g_assert_cmpstr (error->message, ==, "a key at 2e+09: keys must be within ±10^9");
  g_clear_error (&error);
  g_assert_false (kg_graph_set_constant (graph, l, "integer", &huge, &error));
  g_clear_error (&error);
  g_assert_false (kg_graph_set_constant (graph, l, "text", &latin, &error));
  g_clear_error (&error);
  g_assert_false (kg_graph_set_constant (graph, p, "value", &geometry, &error));
  g_assert_cmpstr (error->message, ==, "a geometry cannot be a constant: link a node that makes it");
  g_clear_error (&error);
  g_assert_true (kg_graph_set_constant (graph, l, "motion", &yes, &error));
  g_assert_true (kg_graph_set_constant (graph, l, "field", &yes, &error));
  g_assert_true (kg_graph_set_constant (graph, l, "rotation", &turn, &error));
  g_assert_true (kg_graph_set_constant (graph, p, "value", &turn, &error));
  g_assert_cmpint (kg_node_get_slot_kind (p, 1), ==, KG_TRANSFORM);
  check_loads (graph);
}

/* What is remembered of kinds must be what a graph that remembers nothing finds. */
static void
check_kinds (KgGraph *graph, KgGraph *fresh)
{
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, kg_graph_get_n_nodes (fresh));
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    const KgNode *node = kg_graph_get_node (graph, i), *other = kg_graph_get_node (fresh, i);

    for (guint s = 0; s < kg_node_get_n_slots (node); s++) {
      const KgSource *source = kg_node_get_source (node, s), *same = kg_node_get_source (other, s);

      g_assert_cmpint (kg_node_get_slot_kind (node, s), ==, kg_node_get_slot_kind (other, s));
      g_assert_cmpint (source->kind, ==, same->kind);
      if (source->kind == KG_SOURCE_CONSTANT) {
        g_assert_cmpint (source->constant.kind, ==, same->constant.kind);
        g_assert_true (kg_value_equal (&source->constant, &same->constant));
      }
    }
    if (kg_node_get_graph (node) != NULL)
      check_kinds (kg_node_get_graph (node), kg_node_get_graph (other));
  }
}

static void
check_whole (KgGraph *graph, KgTypes *types)
{
  g_autofree char *text = kg_graph_to_text (graph), *again = NULL;
  g_autoptr (KgGraph) loaded = parse (types, text);

  again = kg_graph_to_text (loaded);
  g_assert_cmpstr (again, ==, text);
  check_kinds (graph, loaded);
}

/* An input of any kind is after saving what it was before: rows of one number are no vector, colour or transform. */
static void
test_any_reads_back (void)
{
  static const struct {
    const char *given; /* NULL: the rows, and as many columns as there are numbers in a row */
    guint n_columns, n_rows;
    const char *written;
    KgKind kind;
  } cases[] = {
    { "[1, 2, 0]", 0, 0, "[1, 2, 0]", KG_VECTOR },
    { "[1, 2, 0, 1]", 0, 0, "[1, 2, 0, 1]", KG_COLOR },
    { "[]", 0, 0, "[]", KG_TABLE },
    { "[[1], [null]]", 0, 0, "[[1], [null]]", KG_TABLE },
    { "{\"columns\": [], \"rows\": []}", 0, 0, "{\"columns\": [], \"rows\": []}", KG_TABLE },
    { "{\"columns\": [\"a\"], \"rows\": [1, 2, 0]}", 0, 0, "{\"columns\": [\"a\"], \"rows\": [[1], [2], [0]]}",
      KG_TABLE },
    { NULL, 0, 0, "[]", KG_TABLE },
    { NULL, 3, 0, "[]", KG_TABLE },
    { NULL, 1, 1, "[[0]]", KG_TABLE },
    { NULL, 1, 2, "[[0], [1]]", KG_TABLE },
    { NULL, 1, 3, "[[0], [1], [2]]", KG_TABLE },
    { NULL, 1, 4, "[[0], [1], [2], [3]]", KG_TABLE },
    { NULL, 1, 5, "[[0], [1], [2], [3], [4]]", KG_TABLE },
    { NULL, 2, 2, "[[0, 1], [2, 3]]", KG_TABLE },
    { NULL, 1, 16, NULL, KG_TABLE },
    { NULL, 4, 4, NULL, KG_TABLE },
  };
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = parse (types, HEAD "\"a\": {\"type\": \"fake/add\"}, \"p\": {\"type\": \"fake/pass\"}, "
                                                 "\"l\": {\"type\": \"fake/switch\"}}}");
  KgNode *p = find (graph, "p");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) out = g_string_new (NULL);

    if (cases[i].given != NULL)
      g_assert_true (kg_graph_set_json (graph, p, "value", cases[i].given, &error));
    else {
      g_auto (KgValue) value = kg_value_take (KG_TABLE, kg_table_new (cases[i].n_columns, NULL, cases[i].n_rows, NULL));
      KgSource items[] = { kg_source_constant (&value), kg_source_constant (&value) };
      g_auto (KgSource) list = kg_source_list (2, items);

      for (guint k = 0; k < cases[i].n_columns * cases[i].n_rows; k++)
        kg_table_edit (value.table)[k] = k;
      g_assert_true (kg_graph_set_constant (graph, p, "value", &value, &error));
      g_assert_true (kg_graph_set_source (graph, find (graph, "l"), 1, &list, &error));
      kg_source_clear (&items[0]);
      kg_source_clear (&items[1]);
    }
    g_assert_no_error (error);
    g_assert_cmpint (kg_node_get_slot_kind (p, 0), ==, cases[i].kind);
    kg_source_write_json (kg_node_get_source (p, 0), kg_node_get_slot (p, 0), out);
    if (cases[i].written != NULL)
      g_assert_cmpstr (out->str, ==, cases[i].written);
    check_whole (graph, types);
  }
  /* Rows with a link, which goes with what it reads. */
  g_assert_true (kg_graph_set_json (graph, p, "value", "[1, 2, {\"link\": \"a.value\"}]", &error));
  check_whole (graph, types);
  kg_graph_remove (graph, find (graph, "a"));
  g_assert_cmpint (kg_node_get_source (p, 0)->kind, ==, KG_SOURCE_CONSTANT);
  g_assert_cmpint (kg_node_get_slot_kind (p, 0), ==, KG_TABLE);
  check_whole (graph, types);
}

static void
test_copies (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = parse (
      types, "{\"kineograph\": 1, \"title\": \"T\", \"comment\": \"C\", \"nodes\": {"
             "\"u\": {\"type\": \"other/thing\", \"at\": [1, 2], \"own\": [1, {\"a\": null}]}, "
             "\"n\": {\"type\": \"fake/add\", \"at\": [3, 4], \"color\": \"#ff0000\", \"comment\": \"hi\", "
             "\"bypass\": true}, "
             "\"s\": {\"type\": \"fake/subnet\", \"color\": \"#00ff00\", \"graph\": {\"nodes\": {"
             "\"i\": {\"type\": \"other/thing\", \"x\": 1}, \"y\": {\"type\": \"fake/out\", \"comment\": \"in\"}}, "
             "\"display\": \"y.output\"}}}, \"display\": \"s.y\"}");
  g_autoptr (KgGraph) snapshot = kg_graph_snapshot (graph), empty = kg_graph_new (types);
  g_autofree char *text = kg_graph_to_text (graph), *snapshot_text = kg_graph_to_text (snapshot), *copied = NULL;
  g_autofree char *pasted_text = NULL;
  g_autoptr (GPtrArray) pasted = NULL;
  g_autoptr (GError) error = NULL;
  KgNode *nodes[] = { find (graph, "u"), find (graph, "n"), find (graph, "s") };

  g_assert_cmpstr (snapshot_text, ==, text);
  copied = kg_graph_copy (graph, nodes, 3);
  pasted = kg_graph_paste (empty, copied, 0, 0, &error);
  g_assert_no_error (error);
  kg_graph_set_title (empty, "T");
  kg_graph_set_comment (empty, "C");
  kg_graph_set_display (empty, "s.y");
  pasted_text = kg_graph_to_text (empty);
  g_assert_cmpstr (pasted_text, ==, text);
}

/* A nested graph copied alone has the frames of the whole. */
static void
test_copy_of_inside (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = parse (types, HEAD SUBNET "}, \"frames\": {\"start\": 5, \"end\": 9}}");
  g_autoptr (KgGraph) snapshot = NULL;

  kg_graph_set_folder (graph, "/somewhere");
  snapshot = kg_graph_snapshot (kg_node_get_graph (find (graph, "s")));
  g_assert_cmpfloat (kg_graph_get_frames (snapshot).start, ==, 5);
  g_assert_cmpstr (kg_graph_get_folder (snapshot), ==, "/somewhere");
}

/* A name that something waits for may not close a cycle. */
static void
test_dangling_cycles (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph)
      graph = parse (types, HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"expr\": \"b.value + 1\"}}}, "
                                 "\"c\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"expr\": \"a.value + 1\"}}}}}");
  g_autofree char *before = kg_graph_to_text (graph), *after = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (kg_graph_rename (graph, find (graph, "c"), "b", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_assert_cmpstr (error->message, ==, "a.x refers to b.value: a.x would depend on itself: a.x → c.x → a.x");
  g_clear_error (&error);
  after = kg_graph_to_text (graph);
  g_assert_cmpstr (after, ==, before);
  g_assert_null (kg_graph_get_undo_label (graph));

  /* Two that are harmless alone. */
  g_clear_object (&graph);
  graph = parse (types, HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"expr\": \"b.x\"}}}, "
                             "\"d\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"expr\": \"b.y\"}}}, "
                             "\"c\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"d.value\"}, "
                             "\"y\": {\"link\": \"a.value\"}}}}}");
  g_assert_false (kg_graph_rename (graph, find (graph, "c"), "b", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_clear_error (&error);
  check_loads (graph);

  /* A slot of a sub-graph, by renaming and by adding. */
  g_clear_object (&graph);
  graph = parse (types, HEAD SUBNET ", \"q\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"expr\": \"s.w\"}}}}}");
  g_assert_true (set_json (graph, "s", "x", "{\"link\": \"q.value\"}", &error));
  g_assert_false (kg_graph_rename (kg_node_get_graph (find (graph, "s")), find (graph, "s/y"), "w", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_assert_cmpstr (error->message, ==, "q.x refers to s.w: q.x would depend on itself: q.x → s.x → q.x");
  g_clear_error (&error);
  g_assert_null (kg_graph_add (kg_node_get_graph (find (graph, "s")), "fake/out", "w", 0, 0, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_clear_error (&error);
  check_loads (graph);
}

static void
test_rename_follows (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph)
      graph = parse (types, HEAD SUBNET ", \"z\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"expr\": "
                                        "\"s.y + 2*s.y.x + s.x + ss.y + s.yy\"}}}, "
                                        "\"l\": {\"type\": \"fake/all\", \"inputs\": {\"numbers\": "
                                        "[{\"link\": \"s.y\"}, 3, {\"link\": \"s.y\"}]}}}}");
  g_autofree char *before = kg_graph_to_text (graph), *renamed = NULL, *long_name = g_strnfill (KG_NAME_MAX, 'n');
  g_autoptr (GString) expression = g_string_new ("0");
  g_autoptr (GError) error = NULL;
  const KgSource *list;

  rename_node (graph, "s/y", "out");
  g_assert_cmpstr (source_text (graph, "z", "x"), ==, "s.out + 2*s.out.x + s.x + ss.y + s.yy");
  list = kg_node_get_source (find (graph, "l"), 10);
  g_assert_cmpstr (list->list.items[0].text, ==, "s.out");
  g_assert_cmpstr (list->list.items[2].text, ==, "s.out");
  check_step (graph, before);
  renamed = kg_graph_to_text (graph);
  rename_node (graph, "s/x", "inn");
  g_assert_cmpstr (source_text (graph, "z", "x"), ==, "s.out + 2*s.out.x + s.inn + ss.y + s.yy");
  g_assert_cmpstr (source_text (graph, "s/out", "value"), ==, "inn.output*2");
  check_step (graph, renamed);
  /* What is missing of a node is still missing of it. */
  g_free (renamed);
  renamed = kg_graph_to_text (graph);
  rename_node (graph, "s", "t");
  g_assert_cmpstr (source_text (graph, "z", "x"), ==, "t.out + 2*t.out.x + t.inn + ss.y + t.yy");
  check_step (graph, renamed);
  /* An expression that would become too long to be read again. */
  for (guint i = 0; i < 400; i++)
    g_string_append (expression, "+t.out");
  g_assert_true (kg_graph_set_expression (graph, find (graph, "z"), "y", expression->str, &error));
  g_assert_false (kg_graph_rename (graph, find (graph, "t"), long_name, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
  g_assert_nonnull (strstr (error->message, "z.y reads it: "));
  check_loads (graph);
}

/* An expression that waited for a node of a name waits again when the one that took the name gives it back. */
static void
test_rename_undone (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = parse (types, HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": 3}}, "
                                                 "\"l\": {\"type\": \"fake/add\", \"inputs\": {\"x\": "
                                                 "{\"link\": \"a.value\"}}}, "
                                                 "\"e\": {\"type\": \"fake/add\", \"inputs\": {\"x\": "
                                                 "{\"expr\": \"b.x\"}}}}}");
  KgNode *a = find (graph, "a"), *l = find (graph, "l"), *e = find (graph, "e");

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GPtrArray) waiting = NULL, reading = NULL;

    if (i == 0)
      rename_node (graph, "a", "b");
    else
      g_assert_true (kg_graph_redo (graph));
    reading = kg_node_dup_users (a);
    g_assert_true (g_ptr_array_find (reading, e, NULL) && g_ptr_array_find (reading, l, NULL));
    g_assert_true (kg_graph_undo (graph));
    waiting = kg_node_dup_users (a);
    g_assert_true (g_ptr_array_find (waiting, l, NULL));
    g_assert_false (g_ptr_array_find (waiting, e, NULL));
  }
}

static void
test_unknown (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph)
      graph = parse (types, HEAD SUBNET
                     ", \"q\": {\"type\": \"fake/add\"}, "
                     "\"u\": {\"type\": \"other/thing\", \"at\": [1, 2], \"inputs\": {\"a\": {\"link\": \"q.value\"}, "
                     "\"b\": {\"expr\": \"q.x + s.y\"}, \"c\": [1, {\"link\": \"q.value\"}, {\"link\": \"s.y\"}], "
                     "\"d\": {\"deep\": {\"link\": \"q.value\"}}}, \"own\": true}}}");
  g_autofree char *before = kg_graph_to_text (graph), *step = NULL, *last = NULL;
  KgNode *u = find (graph, "u");
  double x, y;

  kg_node_get_position (u, &x, &y);
  g_assert_cmpfloat (x, ==, 1);
  kg_graph_begin_group (graph, "Edit");
  kg_graph_move (graph, u, 50, 60);
  kg_graph_set_bypass (graph, u, true);
  kg_graph_set_stage (graph, u, KG_STAGE_TEMPLATE);
  kg_graph_set_color (graph, u, "#abcdef");
  kg_graph_set_node_comment (graph, u, "words");
  rename_node (graph, "q", "qq");
  rename_node (graph, "s/y", "out");
  rename_node (graph, "s", "t");
  kg_graph_end_group (graph);
  check_step (graph, before);
  step = kg_graph_to_text (graph);
  g_assert_nonnull (strstr (step, "\"u\": {\"type\": \"other/thing\", \"at\": [50, 60], \"inputs\": {\"a\": {\"link\": "
                                  "\"qq.value\"}, \"b\": {\"expr\": \"qq.x + t.out\"}, \"c\": [1, {\"link\": "
                                  "\"qq.value\"}, {\"link\": \"t.out\"}], \"d\": {\"deep\": {\"link\": \"q.value\"}}}, "
                                  "\"own\": true, \"color\": \"#abcdef\", \"comment\": \"words\", \"bypass\": true, "
                                  "\"stage\": \"template\"}"));
  kg_graph_begin_group (graph, "Edit");
  kg_graph_remove (graph, find (graph, "qq"));
  kg_graph_remove (kg_node_get_graph (find (graph, "t")), find (graph, "t/out"));
  kg_graph_set_color (graph, u, NULL);
  kg_graph_set_node_comment (graph, u, NULL);
  kg_graph_set_bypass (graph, u, false);
  kg_graph_end_group (graph);
  check_step (graph, step);
  last = kg_graph_to_text (graph);
  g_assert_nonnull (strstr (last, "\"inputs\": {\"b\": {\"expr\": \"qq.x + t.out\"}, \"c\": [1], \"d\": "));
  g_assert_null (strstr (last, "words"));
}

static void
count (gpointer object, gpointer node, gpointer data)
{
  (void) object;
  (void) node;
  ++*(guint *) data;
}

static void
test_signals (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  guint added = 0, removed = 0, moved = 0, other = 0, slots = 0;
  g_autoptr (GError) error = NULL;
  KgNode *subnet, *in;
  KgGraph *inside;

  g_signal_connect (graph, "node-added", G_CALLBACK (count), &added);
  g_signal_connect (graph, "node-removed", G_CALLBACK (count), &removed);
  g_signal_connect (graph, "node-moved", G_CALLBACK (count), &moved);
  g_signal_connect (graph, "node-changed", G_CALLBACK (count), &other);
  g_signal_connect (graph, "slots-changed", G_CALLBACK (count), &slots);
  subnet = kg_graph_add (graph, "fake/subnet", "s", 0, 0, &error);
  inside = kg_node_get_graph (subnet);
  g_assert_cmpuint (added, ==, 1);
  kg_graph_move (graph, subnet, 0, 0);
  g_assert_cmpuint (moved, ==, 0);
  kg_graph_move (graph, subnet, NAN, 0);
  g_assert_cmpuint (moved, ==, 0);
  kg_graph_move (graph, subnet, 1, 0);
  kg_graph_set_color (graph, subnet, "#123456");
  kg_graph_set_node_comment (graph, subnet, "comment");
  kg_graph_set_bypass (graph, subnet, true);
  g_assert_cmpuint (moved, ==, 1);
  g_assert_cmpuint (other, ==, 3);
  kg_graph_undo (graph);
  g_assert_cmpuint (moved, ==, 1);
  g_assert_cmpuint (other, ==, 4);

  in = kg_graph_add (inside, "fake/in", "x", 0, 0, &error);
  g_assert_cmpuint (slots, ==, 1);
  g_assert_true (set_json (graph, "s/x", "label", "\"Width\"", &error));
  g_assert_cmpuint (slots, ==, 2);
  g_assert_cmpstr (kg_node_get_slot (subnet, 0)->label, ==, "Width");
  g_assert_true (kg_graph_rename (inside, in, "w", &error));
  g_assert_cmpuint (slots, ==, 3);
  /* The default is seen outside, as long as it is a constant. */
  g_assert_true (set_json (graph, "s/w", "value", "3", &error));
  g_assert_cmpuint (slots, ==, 4);
  g_assert_true (set_json (graph, "s/w", "value", "{\"expr\": \"t\"}", &error));
  g_assert_cmpuint (slots, ==, 5);
  g_assert_true (set_json (graph, "s/w", "value", "{\"expr\": \"2*t\"}", &error));
  g_assert_cmpuint (slots, ==, 5);
  kg_graph_remove (inside, in);
  g_assert_cmpuint (slots, ==, 6);
  g_assert_cmpuint (added, ==, 1);
  kg_graph_remove (graph, subnet);
  g_assert_cmpuint (removed, ==, 1);
  kg_graph_undo (graph);
  g_assert_cmpuint (added, ==, 2);
}

static double
evaluate_with (KgCache *cache, KgGraph *graph, const char *name)
{
  KgEvaluator *evaluator = kg_evaluator_new (graph, cache);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  KgNode *node;
  guint slot;

  g_assert_true (kg_graph_find_output (graph, name, &node, &slot, &error));
  kg_evaluator_evaluate (evaluator, node, slot, 0, NULL, &value, &error);
  g_assert_no_error (error);
  kg_evaluator_free (evaluator);
  return value.number;
}

static double
evaluate (KgGraph *graph, const char *name)
{
  return evaluate_with (NULL, graph, name);
}

static void
test_reload (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autofree char *folder = g_dir_make_tmp ("kineographXXXXXX", NULL), *path = g_build_filename (folder, "n", NULL);
  g_autoptr (KgGraph) graph =
      parse (types, HEAD "\"s\": {\"type\": \"fake/subnet\", \"graph\": {\"nodes\": {"
                         "\"f\": {\"type\": \"fake/file\", \"inputs\": {\"path\": \"n\"}}, "
                         "\"y\": {\"type\": \"fake/out\", \"inputs\": {\"value\": {\"link\": \"f.value\"}}}}}}, "
                         "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"s.y\"}}}}}");
  /* What was evaluated before is there to be found. */
  g_autoptr (KgCache) cache = kg_cache_new (1 << 20);
  KgHash before, same, other;

  kg_graph_set_folder (graph, folder);
  g_assert_true (g_file_set_contents (path, "1", -1, NULL));
  g_assert_cmpfloat (evaluate_with (cache, graph, "a.value"), ==, 1);
  before = kg_node_get_fingerprint (find (graph, "a"));
  kg_graph_reload (graph, false);
  same = kg_node_get_fingerprint (find (graph, "a"));
  g_assert_true (kg_hash_equal (before, same));
  g_assert_true (g_file_set_contents (path, "22", -1, NULL));
  kg_graph_reload (graph, false);
  other = kg_node_get_fingerprint (find (graph, "a"));
  g_assert_false (kg_hash_equal (before, other));
  g_assert_cmpfloat (evaluate_with (cache, graph, "a.value"), ==, 22);
  g_unlink (path);
  g_rmdir (folder);
}

/* One that was written over in place leaves its folder as it was. */
static void
test_reload_numbered (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autofree char *folder = g_dir_make_tmp ("kineographXXXXXX", NULL),
                  *path = g_build_filename (folder, "n.0001", NULL);
  g_autoptr (KgGraph)
      graph = parse (types, HEAD "\"f\": {\"type\": \"fake/file\", \"inputs\": {\"path\": \"n.%04d\"}}, "
                                 "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"f.value\"}}}}}");
  g_autoptr (KgGraph) snapshot = NULL;
  KgHash before, after, settings;

  kg_graph_set_folder (graph, folder);
  settings = kg_node_get_fingerprint (find (graph, "a"));
  kg_graph_reload (graph, false);
  before = kg_node_get_fingerprint (find (graph, "a"));
  kg_graph_reload (graph, false);
  after = kg_node_get_fingerprint (find (graph, "a"));
  g_assert_true (kg_hash_equal (before, after));
  g_assert_true (g_file_set_contents (path, "1", -1, NULL));
  kg_graph_reload (graph, false);
  after = kg_node_get_fingerprint (find (graph, "a"));
  g_assert_false (kg_hash_equal (before, after));
  before = after;
  kg_graph_reload (graph, true);
  after = kg_node_get_fingerprint (find (graph, "a"));
  g_assert_false (kg_hash_equal (before, after));
  snapshot = kg_graph_snapshot (graph);
  g_assert_true (kg_hash_equal (kg_node_get_fingerprint (find (snapshot, "a")), after));
  /* What a render was made with is the same for those who have looked again. */
  g_assert_true (kg_hash_equal (kg_node_hash_settings (find (graph, "a")), settings));
  g_assert_true (kg_hash_equal (kg_node_get_fingerprint (find (graph, "a")), after));
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_migrate (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph =
      parse (types, HEAD
             "\"old\": {\"type\": \"fake/new\", \"inputs\": {\"radius\": 3}}, "
             "\"one\": {\"type\": \"fake/new\", \"version\": 1, \"inputs\": {\"radius\": {\"expr\": \"old.size\"}}}, "
             "\"now\": {\"type\": \"fake/new\", \"version\": 2, \"inputs\": {\"size\": 3}}}}");
  static const struct {
    const char *text, *message;
  } bad[] = {
    { HEAD "\"a\": {\"type\": \"fake/new\", \"version\": 3}}}",
      "f:1:66: /nodes/a/version: version 3 of fake/new is not supported by this program, which has version 2: use a "
      "newer program\n" },
    { HEAD "\"a\": {\"type\": \"fake/new\", \"bypass\": 3}}}",
      "f:1:65: /nodes/a/bypass: \"bypass\" must be true or false\n" },
    { HEAD "\"a\": {\"type\": \"fake/new\", \"stage\": \"up\"}}}",
      "f:1:64: /nodes/a/stage: \"stage\" must be \"shown\", \"template\" or \"off\"\n" },
    { HEAD "\"a\": {\"type\": \"fake/new\", \"inputs\": {\"radius\": -1}}}}",
      "f:1:65: /nodes/a/inputs: a radius below 0\n" },
    { HEAD "\"g\": {\"type\": \"fake/geometry\"}, \"a\": {\"type\": \"fake/new\", \"inputs\": {\"radius\": {\"link\": "
           "\"g.value\"}}}}}",
      "f:1:97: /nodes/a/inputs/size: g.value is a geometry, which cannot be converted to a number\n" },
  };

  g_assert_cmpfloat (evaluate (graph, "old.value"), ==, 6);
  g_assert_cmpfloat (evaluate (graph, "one.value"), ==, 6);
  g_assert_cmpfloat (evaluate (graph, "now.value"), ==, 3);
  check_loads (graph);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    g_autofree char *messages = NULL;

    g_assert_null (kg_graph_parse (types, bad[i].text, -1, problems));
    messages = kg_problems_to_text (problems, "f");
    g_assert_cmpstr (messages, ==, bad[i].message);
  }
}

/* These took seconds or minutes when they were quadratic; a limit far above what they take now. */
static void
test_size (void)
{
  const guint n = 20000;
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (GString) text = g_string_new (HEAD "\"n0\": {\"type\": \"fake/pass\"}");
  g_autoptr (KgGraph) graph = NULL, hub = NULL, wide = NULL;
  g_autoptr (GPtrArray) pasted = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GTimer) timer = g_timer_new ();

  /* A long chain of nodes that pass on what they are given, from its end. */
  for (guint i = 0; i < n; i++)
    g_string_append_printf (
        text, ", \"n%u\": {\"type\": \"fake/pass\", \"inputs\": {\"value\": {\"link\": \"n%u.output\"}}}", i + 1, i);
  g_string_append (text, "}}");
  graph = parse (types, text->str);
  g_assert_true (set_json (graph, "n0", "value", "[1, 2, 3]", &error));
  g_assert_cmpint (kg_node_get_slot_kind (kg_graph_get_node (graph, n), 1), ==, KG_VECTOR);
  g_assert_true (set_json (graph, "n0", "value", "\"text\"", &error));
  g_assert_cmpint (kg_node_get_slot_kind (kg_graph_get_node (graph, n), 1), ==, KG_TEXT);
  /* Every name is taken. */
  pasted = kg_graph_paste (graph, text->str, 0, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pasted->len, ==, n + 1);
  kg_graph_undo (graph);
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, n + 1);

  /* One node that all others read. */
  g_string_assign (text, HEAD "\"hub\": {\"type\": \"fake/add\"}");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, ", \"n%u\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"expr\": \"hub.value\"}}}",
                            i);
  g_string_append (text, "}}");
  hub = parse (types, text->str);
  kg_graph_remove (hub, find (hub, "hub"));
  kg_graph_undo (hub);
  rename_node (hub, "hub", "centre");
  kg_graph_undo (hub);

  /* A sub-graph of many slots. */
  g_string_assign (text,
                   HEAD "\"s\": {\"type\": \"fake/subnet\", \"graph\": {\"nodes\": {\"x\": {\"type\": \"fake/in\"}");
  for (guint i = 0; i < n / 10; i++)
    g_string_append_printf (text, ", \"x%u\": {\"type\": \"fake/in\", \"inputs\": {\"kind\": \"number\"}}", i);
  g_string_append (text, "}}}}}");
  wide = parse (types, text->str);
  g_assert_cmpuint (kg_node_get_n_slots (find (wide, "s")), ==, n / 10 + 1);
  g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, 60);
}

/* What a sub-graph's input is where nothing is set outside is the constant inside, whatever it becomes. */
static void
test_default (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgCache) cache = kg_cache_new (1000000);
  g_autoptr (KgGraph) graph = parse (types, HEAD SUBNET ", \"e\": {\"type\": \"fake/add\", \"inputs\": {\"x\": "
                                                        "{\"expr\": \"s.x\"}}}}}");
  KgNode *s = find (graph, "s");
  KgGraph *inside = kg_node_get_graph (s);

  g_assert_true (kg_graph_reset (graph, s, "x", NULL));
  g_assert_true (kg_graph_set_json (inside, find (graph, "s/x"), "value", "3", NULL));
  g_assert_cmpfloat (kg_node_get_slot (s, 0)->def, ==, 3);
  g_assert_cmpfloat (evaluate_with (cache, graph, "e.value"), ==, 3);
  g_assert_true (kg_graph_set_json (inside, find (graph, "s/x"), "value", "4", NULL));
  g_assert_cmpfloat (kg_node_get_slot (s, 0)->def, ==, 4);
  g_assert_cmpfloat (evaluate_with (cache, graph, "e.value"), ==, 4);
  g_assert_true (kg_graph_undo (graph));
  g_assert_cmpfloat (evaluate_with (cache, graph, "e.value"), ==, 3);
  g_assert_true (kg_graph_undo (graph));
  g_assert_cmpfloat (kg_node_get_slot (s, 0)->def, ==, 0);
}

/* A node that was away knows what became of what it reads. */
static void
test_away (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgCache) cache = kg_cache_new (1 << 20);
  g_autoptr (KgGraph)
      graph = parse (types, HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": 1}}, "
                                 "\"b\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"a.value\"}}}, "
                                 "\"c\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"b.value\"}}}}}");

  g_assert_true (set_json (graph, "a", "x", "2", NULL));
  g_assert_cmpfloat (evaluate_with (cache, graph, "c.value"), ==, 2);
  kg_graph_remove (graph, find (graph, "c"));
  g_assert_true (set_json (graph, "a", "x", "3", NULL));
  for (guint i = 0; i < 3; i++)
    g_assert_true (kg_graph_undo (graph));
  g_assert_cmpfloat (evaluate_with (cache, graph, "c.value"), ==, 1);
}

/* Nodes inside a sub-graph learn the kinds of its inputs, also after another input was added. */
static void
test_known_inside (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgCache) cache = kg_cache_new (1 << 20);
  g_autoptr (KgGraph) graph = parse (types, HEAD SUBNET
                                     ", \"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": 1}}, "
                                     "\"b\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"a.value\"}}}}}");
  KgGraph *inside = kg_node_get_graph (find (graph, "s"));

  g_assert_true (set_json (graph, "s", "x", "{\"link\": \"b.value\"}", NULL));
  g_assert_cmpfloat (evaluate_with (cache, graph, "s.y"), ==, 2);
  g_assert_nonnull (kg_graph_add (inside, "fake/in", "another", 0, 0, NULL));
  g_assert_true (set_json (graph, "a", "x", "2", NULL));
  g_assert_cmpfloat (evaluate_with (cache, graph, "s.y"), ==, 4);
}

static void
test_random (void)
{
  static const char start[] = HEAD SUBNET
      ", \"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"s.y\"}}}, "
      "\"b\": {\"type\": \"fake/switch\", \"inputs\": {\"values\": [{\"link\": \"a.value\"}, {\"link\": \"s.y\"}]}}, "
      "\"c\": {\"type\": \"fake/pass\", \"inputs\": {\"value\": {\"link\": \"b.value\"}}}, "
      "\"g\": {\"type\": \"fake/geometry\"}, \"d\": {\"type\": \"fake/subnet\"}, \"l\": {\"type\": \"fake/all\", "
      "\"inputs\": {\"number\": {\"link\": \"c.output\"}}}}}";
  g_autoptr (KgTypes) types = edit_types_new ();
  guint edits = 0;

  for (guint32 seed = 0; seed < 100; seed++) {
    GRand *random = g_rand_new_with_seed (seed);
    g_autoptr (KgGraph) graph = seed % 2 == 0 ? kg_graph_new (types) : parse (types, start), snapshot = NULL;
    g_autofree char *first = NULL, *last = NULL, *undone = NULL, *redone = NULL, *copied = NULL;
    guint groups = 0;

    first = kg_graph_to_text (graph);
    for (guint i = 0; i < 250; i++, edits++) {
      const gint32 what = g_rand_int_range (random, 0, 40);

      if (!edit_bracket (random, graph, &edit_groups, what, "Group", &groups)) {
        if (what < 5)
          kg_graph_undo (graph);
        else if (what < 8)
          kg_graph_redo (graph);
        else
          edit_graph (random, pick_graph (random, graph));
      }
      check_whole (graph, types);
    }
    end_brackets (graph, &edit_groups, groups);
    last = kg_graph_to_text (graph);
    snapshot = kg_graph_snapshot (graph);
    copied = kg_graph_to_text (snapshot);
    g_assert_cmpstr (copied, ==, last);
    check_kinds (graph, snapshot);
    while (kg_graph_redo (graph))
      ;
    g_free (last);
    last = kg_graph_to_text (graph);
    while (kg_graph_undo (graph))
      check_whole (graph, types);
    undone = kg_graph_to_text (graph);
    g_assert_cmpstr (undone, ==, first);
    while (kg_graph_redo (graph))
      ;
    redone = kg_graph_to_text (graph);
    g_assert_cmpstr (redone, ==, last);
    g_rand_free (random);
  }
  g_assert_cmpuint (edits, >, 10000);
}

/* Results after edits. */

static void
evaluate_slot (KgEvaluator *evaluator, KgGraph *graph, const char *path, guint slot, double time, KgValue *value,
               GError **error)
{
  kg_evaluator_evaluate (evaluator, find (graph, path), slot, time, NULL, value, error);
}

/* One value of an evaluator that saw all edits, of a snapshot with the same cache, and of what is saved with an empty one. */
static void
check_value (KgEvaluator *const evaluators[3], KgGraph *const graphs[3], const char *path, guint slot, double time)
{
  g_auto (KgValue) fresh = KG_VALUE_INIT;
  g_autoptr (GError) failed = NULL;

  evaluate_slot (evaluators[2], graphs[2], path, slot, time, &fresh, &failed);
  for (int i = 0; i < 2; i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;

    evaluate_slot (evaluators[i], graphs[i], path, slot, time, &value, &error);
    g_assert_cmpstr (error != NULL ? error->message : NULL, ==, failed != NULL ? failed->message : NULL);
    g_assert_cmpint (value.kind, ==, fresh.kind);
    g_assert_true (kg_value_equal (&value, &fresh));
  }
}

/* Of all nodes inside. */
static guint
check_values (KgEvaluator *const evaluators[3], KgGraph *const graphs[3], KgGraph *inside)
{
  guint n = 0;

  for (guint i = 0; i < kg_graph_get_n_nodes (inside); i++) {
    KgNode *node = kg_graph_get_node (inside, i);
    g_autofree char *path = kg_node_dup_path (node);

    for (guint slot = 0; slot < kg_node_get_n_slots (node); slot++)
      for (int t = 0; t < 2; t++, n++)
        if (kg_node_get_slot (node, slot)->role == KG_SLOT_OUTPUT)
          check_value (evaluators, graphs, path, slot, 0.125 * t);
    if (kg_node_get_graph (node) != NULL)
      n += check_values (evaluators, graphs, kg_node_get_graph (node));
  }
  return n;
}

static guint
check_results (KgGraph *graph, KgTypes *types, KgEvaluator *evaluator, KgCache *cache)
{
  g_autofree char *text = kg_graph_to_text (graph);
  g_autoptr (KgGraph) snapshot = kg_graph_snapshot (graph), loaded = parse (types, text);
  g_autoptr (KgCache) empty = kg_cache_new (1 << 20);
  KgGraph *const graphs[] = { graph, snapshot, loaded };
  KgEvaluator *const evaluators[] = { evaluator, kg_evaluator_new (snapshot, cache), kg_evaluator_new (loaded, empty) };
  const guint n = check_values (evaluators, graphs, graph);

  kg_evaluator_free (evaluators[1]);
  kg_evaluator_free (evaluators[2]);
  return n;
}

/* An error names the input as it is called now, also where it was known before. */
static void
test_renamed_input (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = parse (types, HEAD SUBNET "}}");
  KgEvaluator *evaluator = kg_evaluator_new (graph, NULL);
  KgNode *s = find (graph, "s");

  g_assert_true (kg_graph_set_json (graph, s, "x", "{\"expr\": \"nobody.x\"}", NULL));
  for (int renamed = 0; renamed < 2; renamed++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;

    evaluate_slot (evaluator, graph, "s", (guint) kg_node_find_slot (s, "y"), 0, &value, &error);
    g_assert_nonnull (error);
    g_assert_true (g_str_has_prefix (error->message, renamed == 0 ? "s: x: " : "s: w: "));
    g_assert_true (renamed == 1 || kg_graph_rename (kg_node_get_graph (s), find (graph, "s/x"), "w", NULL));
  }
  kg_evaluator_free (evaluator);
}

/* Whatever is edited, undone and redone in whatever order: what is evaluated with all that is known from before has the same
 * bits as what is saved, loaded and evaluated with nothing. */
static void
test_random_results (void)
{
  static const KgNodeType *const table[] = { &fake_add,    &fake_geometry, &fake_shift, &fake_switch, &fake_delay,
                                             &fake_subnet, &fake_pass,     &fake_in,    &fake_out,    &fake_all,
                                             &fake_time,   &fake_counter,  &fake_fail,  NULL };
  static const char *const more[] = { "fake/time", "fake/counter", "fake/fail", "fake/delay", "fake/shift" };
  static const char *const names[] = { "a", "b", "c", "d", "s", NULL };
  static const char start[] = HEAD SUBNET
      ", \"t\": {\"type\": \"fake/time\"}, \"k\": {\"type\": \"fake/counter\"}, "
      "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"s.y\"}, \"y\": {\"expr\": \"b.x + t.value\"}}}, "
      "\"b\": {\"type\": \"fake/add\", \"inputs\": {\"x\": 2, \"y\": {\"expr\": \"b.x * 2\"}}}, "
      "\"d\": {\"type\": \"fake/delay\", \"inputs\": {\"delay\": 0.1, \"x\": {\"link\": \"a.value\"}}}, "
      "\"c\": {\"type\": \"fake/switch\", \"inputs\": {\"values\": [{\"link\": \"d.value\"}, {\"link\": \"b.value\"}]}}}}";
  g_autoptr (KgTypes) types = kg_types_new (table);
  guint n = 0;

  for (guint32 seed = 0; seed < 300; seed++) {
    GRand *random = g_rand_new_with_seed (7000 + seed);
    g_autoptr (KgGraph) graph = parse (types, start);
    /* One that forgets is another test than one that does not. */
    g_autoptr (KgCache) cache = kg_cache_new (seed % 4 == 0 ? 2000 : 1 << 20);
    KgEvaluator *evaluator = kg_evaluator_new (graph, cache);

    for (guint i = 0; i < 200; i++) {
      const gint32 what = g_rand_int_range (random, 0, 40);
      KgGraph *inside = pick_graph (random, graph);

      if (what < 5)
        kg_graph_undo (graph);
      else if (what < 8)
        kg_graph_redo (graph);
      else if (what < 12 && kg_graph_get_n_nodes (inside) < 10)
        kg_graph_add (inside, PICK (random, more), PICK (random, names), 0, 1, NULL);
      else
        edit_graph (random, inside);
      if (i % 4 == 3)
        n += check_results (graph, types, evaluator, cache);
    }
    kg_evaluator_free (evaluator);
    g_rand_free (random);
  }
  g_assert_cmpuint (n, >, 10000);
}

static void
count_change (gpointer object, gpointer data)
{
  (void) object;
  ++*(guint *) data;
}

static void
assert_place (KgGraph *graph, const char *name, double x, double y)
{
  double at_x, at_y;

  kg_node_get_position (find (graph, name), &at_x, &at_y);
  g_assert_cmpfloat (at_x, ==, x);
  g_assert_cmpfloat (at_y, ==, y);
}

/* Many nodes are moved with one "changed", and undone with one. */
static void
test_move_together (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  KgNode *a = kg_graph_add (graph, "fake/add", "a", 0, 0, NULL), *b = kg_graph_add (graph, "fake/add", "b", 5, 5, NULL);
  const KgPlacement there[] = { { a, 1, 2 }, { b, 3, 4 } };
  guint changed = 0, moved = 0;

  g_signal_connect (graph, "changed", G_CALLBACK (count_change), &changed);
  g_signal_connect (graph, "node-moved", G_CALLBACK (count), &moved);
  kg_graph_move_nodes (graph, there, G_N_ELEMENTS (there));
  assert_place (graph, "a", 1, 2);
  assert_place (graph, "b", 3, 4);
  g_assert_cmpuint (changed, ==, 1);
  g_assert_cmpuint (moved, ==, 2);
  g_assert_true (kg_graph_undo (graph));
  assert_place (graph, "a", 0, 0);
  assert_place (graph, "b", 5, 5);
  g_assert_cmpuint (changed, ==, 2);
  g_assert_true (kg_graph_redo (graph));
  assert_place (graph, "b", 3, 4);
  g_assert_cmpuint (changed, ==, 3);
}

/* Within a group only where a node was before it is remembered, and a group within that is cancelled goes back to where
 * the node was when it began. */
static void
test_move_in_groups (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  KgNode *a = kg_graph_add (graph, "fake/add", "a", 0, 0, NULL);

  kg_graph_begin_group (graph, "Drag");
  for (guint i = 1; i <= 5; i++)
    kg_graph_move (graph, a, i, 0);
  kg_graph_begin_group (graph, "More");
  kg_graph_move (graph, a, 10, 0);
  kg_graph_move (graph, a, 11, 0);
  kg_graph_cancel_group (graph);
  assert_place (graph, "a", 5, 0);
  kg_graph_begin_group (graph, "More");
  kg_graph_move (graph, a, 20, 0);
  kg_graph_end_group (graph);
  kg_graph_move (graph, a, 21, 0);
  kg_graph_end_group (graph);
  g_assert_true (kg_graph_undo (graph));
  assert_place (graph, "a", 0, 0);
  g_assert_true (kg_graph_redo (graph));
  assert_place (graph, "a", 21, 0);
}

/* A step can continue as long as it is the last. */
static void
test_reopen (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  KgNode *a = kg_graph_add (graph, "fake/add", "a", 0, 0, NULL);
  guint64 step;

  /* Adding was no group. */
  g_assert_false (kg_graph_reopen_group (graph, kg_graph_get_step (graph)));
  kg_graph_move_nodes (graph, &(KgPlacement){ a, 1, 0 }, 1);
  for (guint i = 2; i < 6; i++) {
    g_assert_true (kg_graph_reopen_group (graph, kg_graph_get_step (graph)));
    kg_graph_move (graph, a, i, 0);
    kg_graph_end_group (graph);
  }
  step = kg_graph_get_step (graph);
  /* What is cancelled is only what was done since. */
  g_assert_true (kg_graph_reopen_group (graph, step));
  kg_graph_move (graph, a, 50, 0);
  kg_graph_cancel_group (graph);
  assert_place (graph, "a", 5, 0);
  step = kg_graph_get_step (graph);
  g_assert_true (kg_graph_undo (graph));
  assert_place (graph, "a", 0, 0);
  g_assert_false (kg_graph_reopen_group (graph, step));
  g_assert_true (kg_graph_redo (graph));
  assert_place (graph, "a", 5, 0);
  kg_graph_set_title (graph, "Another step");
  g_assert_false (kg_graph_reopen_group (graph, step));
  g_assert_true (kg_graph_undo (graph) && kg_graph_undo (graph));
  assert_place (graph, "a", 0, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/edit/own-slots", test_own_slots);
  g_test_add_func ("/edit/display", test_display);
  g_test_add_func ("/edit/interface-kind", test_interface_kind);
  g_test_add_func ("/edit/kinds", test_kinds);
  g_test_add_func ("/edit/kinds-of-cells", test_kinds_of_cells);
  g_test_add_func ("/edit/order", test_order);
  g_test_add_func ("/edit/constants", test_constants);
  g_test_add_func ("/edit/any-reads-back", test_any_reads_back);
  g_test_add_func ("/edit/copies", test_copies);
  g_test_add_func ("/edit/copy-of-inside", test_copy_of_inside);
  g_test_add_func ("/edit/dangling-cycles", test_dangling_cycles);
  g_test_add_func ("/edit/rename-follows", test_rename_follows);
  g_test_add_func ("/edit/rename-undone", test_rename_undone);
  g_test_add_func ("/edit/default", test_default);
  g_test_add_func ("/edit/away", test_away);
  g_test_add_func ("/edit/known-inside", test_known_inside);
  g_test_add_func ("/edit/unknown", test_unknown);
  g_test_add_func ("/edit/signals", test_signals);
  g_test_add_func ("/edit/move-together", test_move_together);
  g_test_add_func ("/edit/move-in-groups", test_move_in_groups);
  g_test_add_func ("/edit/reopen", test_reopen);
  g_test_add_func ("/edit/reload", test_reload);
  g_test_add_func ("/edit/reload-numbered", test_reload_numbered);
  g_test_add_func ("/edit/migrate", test_migrate);
  g_test_add_func ("/edit/size", test_size);
  g_test_add_func ("/edit/random", test_random);
  g_test_add_func ("/edit/renamed-input", test_renamed_input);
  g_test_add_func ("/edit/random-results", test_random_results);
  return g_test_run ();
}
