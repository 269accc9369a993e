/* tests/nodes/presets: definitions, instances, what graphs save of them, folders, packing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "preset-test.h"

#include <glib/gstdio.h>

static KgTypes *base;

/* Twice a number, plus another; both published, the second under another name. */
static const char doubler[] =
    "{ \"kineograph_preset\": 1, \"id\": \"test/doubler\", \"version\": 2, \"title\": \"Doubler\", \"help\": \"Twice.\","
    "  \"renamed\": { \"addend\": \"offset\" },"
    "  \"interface\": { \"inputs\": {"
    "    \"value\": { \"drives\": [\"twice.a\"], \"label\": \"Value\", \"min\": -10, \"max\": 10 },"
    "    \"offset\": { \"drives\": [\"sum.b\"], \"default\": 1, \"group\": \"More\", \"unit\": \"m\" } },"
    "    \"outputs\": { \"result\": { \"from\": \"sum.result\" } } },"
    "  \"graph\": { \"nodes\": {"
    "    \"twice\": { \"type\": \"value/math\", \"inputs\": { \"operation\": \"multiply\", \"a\": 3, \"b\": 2 } },"
    "    \"sum\": { \"type\": \"value/math\", \"inputs\": { \"operation\": \"add\", \"a\": { \"link\": \"twice.result\" } } }"
    "  } } }";

static KgTypes *
with_doubler (void)
{
  g_autoptr (KgPreset) preset = preset_test_parse (base, doubler);

  return kg_types_add (base, kg_preset_get_type (preset));
}

static KgNode *
add (KgGraph *graph, const char *type, const char *name)
{
  g_autoptr (GError) error = NULL;
  KgNode *node = kg_graph_add (graph, type, name, 0, 0, &error);

  g_assert_no_error (error);
  return node;
}

static void
set (KgGraph *graph, const char *node, const char *slot, const char *json)
{
  g_autoptr (GError) error = NULL;

  kg_graph_set_json (graph, kg_graph_find (graph, node), slot, json, &error);
  g_assert_no_error (error);
}

static void
test_instance (void)
{
  g_autoptr (KgTypes) types = with_doubler ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  KgNode *node = add (graph, "test/doubler", "d");
  const int offset = kg_node_find_slot (node, "offset"), value = kg_node_find_slot (node, "value");

  /* The default of value is what the inner input had: publishing loses nothing. */
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 2 * 3 + 1);
  set (graph, "d", "value", "5");
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 2 * 5 + 1);
  set (graph, "d", "offset", "{\"expr\": \"d.value + 0.5\"}");
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 2 * 5 + 5.5);
  g_assert_cmpfloat (kg_node_get_slot (node, (guint) value)->min, ==, -10);
  g_assert_cmpfloat (kg_node_get_slot (node, (guint) value)->def, ==, 3);
  g_assert_cmpstr (kg_node_get_slot (node, (guint) offset)->group, ==, "More");
  g_assert_cmpint (kg_node_get_slot (node, (guint) offset)->unit, ==, KG_METRES);
  kg_graph_undo (graph);
  kg_graph_undo (graph);
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 7);
}

/* P1-50: values outside the limits of a preset are limited, wherever they come from, and what reads them inside says so. */
static void
test_limits (void)
{
  static const struct {
    const char *json;
    double value; /* that is used */
    const char *warning;
  } cases[] = {
    { "11", 10, "d.value: 11 is outside -10 to 10: 10 is used" },
    { "{\"expr\": \"-20 + frame\"}", -10, "d.value: -19 is outside -10 to 10: -10 is used" },
    { "{\"link\": \"far.output\"}", 10, "d.value: 50 is outside -10 to 10: 10 is used" },
    { "{\"keys\": [[1, 12], [2, 0]]}", 10, "d.value: 12 is outside -10 to 10: 10 is used" },
    { "{\"link\": \"near.output\"}", 4, NULL },
    { "-10", -10, NULL },
    { "11", 10, "d.value: 11 is outside -10 to 10: 10 is used" },
    { "10", 10, NULL },
  };
  g_autoptr (KgTypes) types = with_doubler ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  KgNode *node = add (graph, "test/doubler", "d"), *inner = kg_graph_find_path (graph, "d/twice");
  const guint result = (guint) kg_node_find_slot (node, "result");

  add (graph, "value/number", "far");
  add (graph, "value/number", "near");
  set (graph, "far", "value", "50");
  set (graph, "near", "value", "4");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;
    g_auto (GStrv) warnings = NULL;

    set (graph, "d", "value", cases[i].json);
    kg_evaluator_evaluate (evaluator, node, result, 0, NULL, &value, &error);
    g_assert_no_error (error);
    g_assert_cmpfloat (value.number, ==, 2 * cases[i].value + 1);
    kg_value_clear (&value);
    kg_evaluator_evaluate (evaluator, inner, (guint) kg_node_find_slot (inner, "result"), 0, NULL, &value, &error);
    g_assert_no_error (error);
    g_assert_cmpfloat (value.number, ==, 2 * cases[i].value);
    warnings = kg_evaluator_dup_warnings (evaluator, inner);
    g_assert_cmpstr (warnings != NULL ? warnings[0] : NULL, ==, cases[i].warning);
  }
}

/* P1-50: a limit at one end leaves the other end open, also where it is 0. */
static void
test_one_limit (void)
{
  static const struct {
    const char *limits;
    double value, used;
  } cases[] = {
    { "\"min\": -5", 7, 7 }, { "\"min\": -5", -7, -5 }, { "\"max\": 5", -7, -7 }, { "\"max\": 5", 7, 5 },
    { "\"min\": 1", 0, 1 },  { "\"max\": -1", 0, -1 },  { "\"min\": 0", -7, 0 },  { "\"min\": 0", 7, 7 },
    { "\"max\": 0", 7, 0 },  { "\"max\": 0", -7, -7 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) around = g_strsplit (doubler, "\"min\": -10, \"max\": 10", 2);
    g_autofree char *text = g_strjoinv (cases[i].limits, around);
    g_autoptr (KgPreset) preset = preset_test_parse (base, text);
    g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (preset));
    g_autoptr (KgGraph) graph = kg_graph_new (types);
    char value[32];

    add (graph, "test/doubler", "d");
    set (graph, "d", "value", g_ascii_dtostr (value, sizeof value, cases[i].value));
    g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 2 * cases[i].used + 1);
  }
}

/* One input has keys inside, the next reads it there, the last is an expression. */
static const char mover[] =
    "{ \"kineograph_preset\": 1, \"id\": \"test/mover\", \"version\": 1,"
    "  \"interface\": { \"inputs\": {"
    "    \"keyed\": { \"drives\": [\"sum.a\"] }, \"linked\": { \"drives\": [\"sum.b\"] },"
    "    \"computed\": { \"drives\": [\"product.b\"] } },"
    "    \"outputs\": { \"result\": { \"from\": \"product.result\" } } },"
    "  \"graph\": { \"nodes\": {"
    "    \"ramp\": { \"type\": \"value/number\", \"inputs\": { \"value\": { \"expr\": \"7 + frame\" } } },"
    "    \"sum\": { \"type\": \"value/math\", \"inputs\": { \"operation\": \"add\","
    "      \"a\": { \"keys\": [[1, 5], [25, 29]] }, \"b\": { \"link\": \"ramp.output\" } } },"
    "    \"product\": { \"type\": \"value/math\", \"inputs\": { \"operation\": \"multiply\","
    "      \"a\": { \"link\": \"sum.result\" }, \"b\": { \"expr\": \"2 * frame\" } } } } } }";

static double
evaluate_at (KgGraph *graph, const char *target, double frame)
{
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  double x = NAN;
  KgNode *node;
  guint slot;

  g_assert_true (kg_graph_find_output (graph, target, &node, &slot, NULL));
  kg_evaluator_evaluate (evaluator, node, slot, kg_graph_frame_to_time (graph, frame), NULL, &value, &error);
  g_assert_no_error (error);
  g_assert_true (kg_value_get_component (&value, NULL, &x));
  return x;
}

/* What an input that is not set reports is what moves inside, also to expressions. */
static void
test_moving_default (void)
{
  g_autoptr (KgPreset) preset = preset_test_parse (base, mover);
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (preset));
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  KgNode *node = add (graph, "test/mover", "m"), *inner;
  guint input;

  add (graph, "value/math", "read");
  set (graph, "read", "operation", "\"add\"");
  set (graph, "read", "a", "{\"expr\": \"m.keyed\"}");
  set (graph, "read", "b", "{\"expr\": \"100 * m.linked\"}");
  for (double frame = 1; frame <= 3; frame++) {
    g_assert_cmpfloat (evaluate_at (graph, "m.keyed", frame), ==, 4 + frame);
    g_assert_cmpfloat (evaluate_at (graph, "m.linked", frame), ==, 7 + frame);
    g_assert_cmpfloat (evaluate_at (graph, "m.computed", frame), ==, 2 * frame);
    g_assert_cmpfloat (evaluate_at (graph, "read", frame), ==, 4 + frame + 100 * (7 + frame));
    g_assert_cmpfloat (evaluate_at (graph, "m.result", frame), ==, (11 + 2 * frame) * 2 * frame);
  }
  g_assert_true (kg_node_find_inner_default (node, 0, &inner, &input));
  g_assert_cmpint (kg_node_get_source (inner, input)->kind, ==, KG_SOURCE_KEYS);
  /* Set, it is that, and not set again, what it was. */
  set (graph, "m", "keyed", "3");
  g_assert_false (kg_node_find_inner_default (node, 0, &inner, &input));
  g_assert_cmpfloat (evaluate_at (graph, "read", 2), ==, 3 + 900);
  kg_graph_undo (graph);
  g_assert_cmpfloat (evaluate_at (graph, "read", 2), ==, 6 + 900);
  /* An edit inside is seen outside. */
  kg_graph_set_unlocked (graph, node, true);
  set (kg_node_get_graph (node), "ramp", "value", "1");
  g_assert_cmpfloat (evaluate_at (graph, "read", 2), ==, 6 + 100);
  g_assert_cmpfloat (evaluate_at (graph, "m.linked", 2), ==, 1);
}

/* A default that reads another input of the preset must not close a circle with an expression outside. */
static void
test_open_default (void)
{
  g_autoptr (KgPreset) preset = preset_test_parse (base, mover);
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (preset));
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  KgNode *node = add (graph, "test/mover", "m");
  KgGraph *inside = kg_node_get_graph (node);
  g_autoptr (GError) error = NULL;

  kg_graph_set_unlocked (graph, node, true);
  kg_graph_link (inside, kg_graph_find (inside, "keyed"), "output", kg_graph_find (inside, "ramp"), "value", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (evaluate_at (graph, "m.linked", 2), ==, 6);
  set (graph, "m", "keyed", "{\"expr\": \"m.linked + 1\"}");
  /* (Its own default, a constant, is all that there is.) */
  g_assert_cmpfloat (evaluate_at (graph, "m.keyed", 2), ==, 1);
  g_assert_cmpfloat (evaluate_at (graph, "m.linked", 2), ==, 1);
}

static void
test_saved (void)
{
  g_autoptr (KgTypes) types = with_doubler ();
  g_autoptr (KgGraph) graph = kg_graph_new (types), again = NULL, third = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text = NULL, *second = NULL, *list = NULL;

  add (graph, "test/doubler", "d");
  set (graph, "d", "value", "4");
  text = kg_graph_to_text (graph);
  g_assert_nonnull (strstr (text, "\"presets\""));
  g_assert_null (strstr (strstr (text, "\"nodes\": {\n    \"d\""), "\"graph\""));
  /* It opens where the preset is not known, and is saved as the same bytes. */
  again = kg_graph_parse (base, text, -1, problems);
  list = kg_problems_to_text (problems, "graph");
  g_test_message ("%s", list);
  g_assert_nonnull (again);
  second = kg_graph_to_text (again);
  g_assert_cmpstr (second, ==, text);
  g_assert_cmpfloat (preset_test_evaluate (again, "d.result"), ==, 9);
  /* Pasting carries the definition along. */
  third = kg_graph_new (base);
  {
    g_autoptr (GPtrArray) pasted = kg_graph_paste (third, text, 0, 0, NULL);

    g_assert_nonnull (pasted);
    g_assert_cmpfloat (preset_test_evaluate (third, "d.result"), ==, 9);
  }
}

static void
test_locked (void)
{
  g_autoptr (KgTypes) types = with_doubler ();
  g_autoptr (KgGraph) graph = kg_graph_new (types), again = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgNode *node = add (graph, "test/doubler", "d"), *after = add (graph, "value/math", "after");
  KgGraph *inside = kg_node_get_graph (node);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *second = NULL;

  set (graph, "after", "a", "{\"link\": \"d.result\"}");
  set (graph, "d", "value", "1");
  g_assert_false (kg_graph_set_json (inside, kg_graph_find (inside, "twice"), "b", "10", &error));
  g_assert_nonnull (strstr (error->message, "d is an instance"));
  g_assert_null (kg_graph_add (inside, "value/number", NULL, 0, 0, NULL));
  kg_graph_remove (inside, kg_graph_find (inside, "sum"));
  g_assert_nonnull (kg_graph_find (inside, "sum"));
  kg_graph_set_unlocked (graph, node, true);
  g_clear_error (&error);
  kg_graph_set_json (inside, kg_graph_find (inside, "twice"), "b", "10", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 11);
  text = kg_graph_to_text (graph);
  again = kg_graph_parse (base, text, -1, problems);
  g_assert_nonnull (again);
  second = kg_graph_to_text (again);
  g_assert_cmpstr (second, ==, text);
  g_assert_cmpfloat (preset_test_evaluate (again, "d.result"), ==, 11);
  g_assert_true (kg_node_is_unlocked (kg_graph_find (again, "d")));
  /* Matched back, it is what the preset says, with its inputs and its readers; undo brings the edit back. */
  kg_graph_match_preset (graph, node, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 3);
  g_assert_cmpint (kg_node_get_source (after, (guint) kg_node_find_slot (after, "a"))->kind, ==, KG_SOURCE_LINK);
  kg_graph_undo (graph);
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 11);
}

static void
test_nested (void)
{
  static const char outer[] =
      "{ \"kineograph_preset\": 1, \"id\": \"test/outer\", \"title\": \"Outer\","
      "  \"interface\": { \"inputs\": { \"x\": { \"drives\": [\"inner.value\"] } },"
      "                   \"outputs\": { \"y\": { \"from\": \"inner.result\" } } },"
      "  \"graph\": { \"nodes\": { \"inner\": { \"type\": \"test/doubler\", \"version\": 2, \"inputs\": { \"offset\": 7 } } } } }";
  g_autoptr (KgTypes) types = with_doubler (), more = NULL;
  g_autoptr (KgPreset) preset = preset_test_parse (types, outer);
  g_autoptr (KgGraph) graph = NULL, again = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text = NULL, *second = NULL;

  more = kg_types_add (types, kg_preset_get_type (preset));
  graph = kg_graph_new (more);
  add (graph, "test/outer", "o");
  set (graph, "o", "x", "10");
  g_assert_cmpfloat (preset_test_evaluate (graph, "o.y"), ==, 27);
  text = kg_graph_to_text (graph);
  again = kg_graph_parse (base, text, -1, problems);
  g_assert_nonnull (again);
  second = kg_graph_to_text (again);
  g_assert_cmpstr (second, ==, text);
  g_assert_cmpfloat (preset_test_evaluate (again, "o.y"), ==, 27);
}

/* Files that are wrong, and what must be said of each. */
static void
test_wrong (void)
{
  static const struct {
    const char *text, *pointer, *message;
  } wrong[] = {
    { "{}", "", "not a preset" },
    { "[1]", "", "expected an object" },
    { "{\"kineograph_preset\": 9}", "/kineograph_preset", "newer" },
    { "{\"kineograph_preset\": 1, \"id\": \"Bad Id\", \"graph\": {\"nodes\": {}}}", "/id", "not an id" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\"}", "/graph", "needs a \"graph\"" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"extra\": 1, \"graph\": {\"nodes\": {}}}", "/extra",
      "unknown name" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"minimum\": \"99.0\", \"graph\": {\"nodes\": {}}}", "/minimum",
      "needs version 99.0" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"version\": 0, \"graph\": {\"nodes\": {}}}", "/version",
      "whole number" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"thumbnail\": \"../other.png\", \"graph\": {\"nodes\": {}}}",
      "/thumbnail", "next to the preset" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"graph\": {\"nodes\": {\"n\": {\"type\": \"no/such\"}}}}",
      "/graph/nodes/n/type", "no/such" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"interface\": {\"inputs\": {\"x\": {\"drives\": [\"gone.a\"]}}},"
      " \"graph\": {\"nodes\": {}}}",
      "/interface/inputs/x/drives/0", "no input gone.a" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"interface\": {\"outputs\": {\"x\": {\"from\": \"gone.a\"}}},"
      " \"graph\": {\"nodes\": {}}}",
      "/interface/outputs/x/from", "gone" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"interface\": {\"inputs\": {\"x\": {\"drives\": [\"n.a\"], \"min\": 2,"
      " \"max\": 1}}}, \"graph\": {\"nodes\": {\"n\": {\"type\": \"value/math\"}}}}",
      "/interface/inputs/x", "is reversed" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"interface\": {\"inputs\": {\"x\": {\"kind\": \"number\","
      " \"shown_when\": \"x\"}}}, \"graph\": {\"nodes\": {}}}",
      "/interface/inputs/x/shown_when", "not a condition" },
    { "{\"kineograph_preset\": 1, \"id\": \"a/b\", \"interface\": {\"inputs\": {\"x\": {\"kind\": \"number\","
      " \"shown_when\": \"y=1 & x!=2\"}}}, \"graph\": {\"nodes\": {}}}",
      "/interface/inputs/x/shown_when", "unknown published input \"y\"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    const KgProblem *problem;

    g_assert_null (kg_preset_parse (base, wrong[i].text, -1, problems));
    g_assert_cmpuint (problems->len, >, 0);
    problem = (const KgProblem *) g_ptr_array_index (problems, 0);
    g_assert_cmpstr (problem->pointer, ==, wrong[i].pointer);
    if (strstr (problem->message, wrong[i].message) == NULL)
      g_error ("%u: %s", i, problem->message);
  }
}

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
}

static void
test_folders (void)
{
  static const char part[] = "{ \"kineograph_preset\": 1, \"id\": \"test/%s\", \"graph\": { \"nodes\": {"
                             " \"n\": { \"type\": \"test/%s\" } } } }";
  g_autofree char *one = g_dir_make_tmp ("presets-XXXXXX", NULL), *two = g_dir_make_tmp ("presets-XXXXXX", NULL);
  const char *const folders[] = { one, "/no/such/folder", two, NULL };
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *a = g_strdup_printf (part, "a", "doubler"), *loop = g_strdup_printf (part, "loop", "pool");
  g_autofree char *pool = g_strdup_printf (part, "pool", "loop"), *text = NULL;
  g_autoptr (GString) other = g_string_new (doubler);
  g_autoptr (KgTypes) types = NULL;

  g_string_replace (other, "Doubler", "Other", 1);
  write_file (one, "doubler.preset.json", doubler);
  write_file (one, "loop.preset.json", loop);
  write_file (one, "pool.preset.json", pool);
  write_file (one, "torn.preset.json", "{ \"kineograph_preset\": 1, ");
  write_file (one, "again.preset.json", other->str);
  write_file (one, "notes.txt", "no preset");
  write_file (two, "a.preset.json", a);
  write_file (two, "doubler.preset.json", other->str);
  types = kg_types_load_presets (base, folders, problems);
  text = kg_problems_to_text (problems, "");
  g_assert_nonnull (kg_types_find (types, "test/a"));
  g_assert_nonnull (kg_types_find (types, "test/doubler"));
  g_assert_null (kg_types_find (types, "test/loop"));
  /* The first by name in the first folder wins; the second there is a mistake, the one in the second folder is not. */
  g_assert_cmpstr (kg_types_find (types, "test/doubler")->label, ==, "Other");
  g_assert_nonnull (strstr (text, "doubler.preset.json: the id \"test/doubler\" is also the id of"));
  g_assert_nonnull (strstr (text, "test/loop → test/pool → test/loop"));
  g_assert_nonnull (strstr (text, "torn.preset.json"));
  g_assert_null (strstr (text, "notes.txt"));
  g_assert_cmpstr (kg_types_get_preset_folders (types)[0], ==, one);
  remove_folder (one);
  remove_folder (two);
}

/* A file that is not a preset does not hide one of that id in a later folder, nor does one that would contain itself. */
static void
test_broken_first (void)
{
  static const char part[] = "{ \"kineograph_preset\": 1, \"id\": \"test/%s\", \"title\": \"%s\", \"graph\": {"
                             " \"nodes\": { \"n\": { \"type\": \"%s\" } } } }";
  g_autofree char *one = g_dir_make_tmp ("presets-XXXXXX", NULL), *two = g_dir_make_tmp ("presets-XXXXXX", NULL);
  const char *const folders[] = { one, two, NULL };
  g_autofree char *bad = g_strdup_printf (part, "doubler", "Bad", "test/there_is_no_such"), *text = NULL;
  g_autofree char *loop = g_strdup_printf (part, "loop", "Bad", "test/loop");
  g_autofree char *good_loop = g_strdup_printf (part, "loop", "Good", "value/number");
  g_autofree char *user = g_strdup_printf (part, "aaa", "User", "test/doubler");
  g_autofree char *file = g_build_filename (one, "bad.preset.json", NULL);
  g_autofree char *used = g_build_filename (two, "doubler.preset.json", NULL);
  g_autofree char *said =
      g_strdup_printf ("%s: \"test/doubler\" is loaded from this file, because %s cannot be used", used, file);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgTypes) types = NULL;

  write_file (one, "aaa.preset.json", user);
  write_file (one, "bad.preset.json", bad);
  write_file (one, "loop.preset.json", loop);
  write_file (two, "doubler.preset.json", doubler);
  write_file (two, "loop.preset.json", good_loop);
  types = kg_types_load_presets (base, folders, problems);
  text = kg_problems_to_text (problems, "");
  g_assert_nonnull (kg_types_find (types, "test/doubler"));
  g_assert_cmpstr (kg_types_find (types, "test/doubler")->label, ==, "Doubler");
  g_assert_cmpstr (kg_preset_get_path (kg_type_get_preset (kg_types_find (types, "test/doubler"))), ==, used);
  /* Presets that contain it are read too. */
  g_assert_nonnull (kg_types_find (types, "test/aaa"));
  g_assert_cmpstr (kg_types_find (types, "test/loop")->label, ==, "Good");
  g_assert_nonnull (strstr (text, "bad.preset.json: "));
  g_assert_nonnull (strstr (text, said));
  g_assert_nonnull (strstr (text, "test/loop → test/loop"));
  remove_folder (one);
  remove_folder (two);
}

/* A circle is reported once, with the chain; presets that contain it, and a graph that has it, report the circle and not that the
 * type is unknown.  Other faults of a file in it are reported too. */
static void
test_circle (void)
{
  static const char part[] =
      "{ \"kineograph_preset\": 1, \"id\": \"test/%s\", \"graph\": { \"nodes\": { \"n\": { \"type\": \"test/%s\" }%s } },"
      " \"interface\": { \"outputs\": { \"o\": { \"from\": \"n.value\" } } } }";
  g_autofree char *folder = g_dir_make_tmp ("presets-XXXXXX", NULL);
  const char *const folders[] = { folder, NULL };
  g_autofree char *a = g_strdup_printf (part, "a", "b", ""), *b = g_strdup_printf (part, "b", "c", "");
  g_autofree char *c = g_strdup_printf (part, "c", "a", ", \"m\": { \"type\": \"test/gone\" }");
  g_autofree char *d = g_strdup_printf (part, "d", "a", ""), *e = g_strdup_printf (part, "e", "d", "");
  g_autofree char *circle =
      g_strdup_printf ("%s/a.preset.json: the preset would contain itself: test/a → test/b → test/c → test/a", folder);
  g_autofree char *text = NULL, *of_d = NULL, *of_e = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgTypes) types = NULL;
  g_autoptr (GError) error = NULL;

  write_file (folder, "a.preset.json", a);
  write_file (folder, "b.preset.json", b);
  write_file (folder, "c.preset.json", c);
  write_file (folder, "d.preset.json", d);
  write_file (folder, "e.preset.json", e);
  types = kg_types_load_presets (base, folders, problems);
  text = kg_problems_to_text (problems, "");
  g_assert_cmpuint (problems->len, ==, 4);
  g_assert_nonnull (strstr (text, circle));
  g_assert_nonnull (strstr (text, "c.preset.json: unknown node type \"test/gone\""));
  of_d = g_strdup_printf ("d.preset.json: the preset \"test/a\" cannot be used: %s", circle);
  of_e = g_strdup_printf ("e.preset.json: the preset \"test/d\" cannot be used: %s", circle);
  g_assert_nonnull (strstr (text, of_d));
  g_assert_nonnull (strstr (text, of_e));
  error = kg_types_new_unknown_error (types, "test/b");
  g_assert_cmpstr (strstr (error->message, folder), ==, circle);
  remove_folder (folder);
}

/* Presets that nest too deep do not take those with them that they are made of and that do not, whichever is read first. */
static void
test_deep_folder (void)
{
  g_autofree char *folder = g_dir_make_tmp ("presets-XXXXXX", NULL);
  const char *const folders[] = { folder, NULL };
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *list = NULL;
  g_autoptr (KgTypes) types = NULL;

  for (guint i = 0; i < 1000; i++) {
    g_autofree char *name = g_strdup_printf ("%03u.preset.json", 999 - i), *text = NULL;
    g_autofree char *type = i > 0 ? g_strdup_printf ("test/p%u", i - 1) : g_strdup ("value/number");

    text = g_strdup_printf ("{ \"kineograph_preset\": 1, \"id\": \"test/p%u\", \"graph\": { \"nodes\": {"
                            " \"n\": { \"type\": \"%s\" } } } }",
                            i, type);
    write_file (folder, name, text);
  }
  types = kg_types_load_presets (base, folders, problems);
  list = kg_problems_to_text (problems, "");
  for (guint i = 0; i < 1000; i++) {
    g_autofree char *id = g_strdup_printf ("test/p%u", i);

    /* (The one with which 64 are within it can be read, but not be put into a graph.) */
    g_assert_true ((kg_types_find (types, id) != NULL) == (i <= 64));
  }
  g_assert_nonnull (strstr (list, "in at most 64 nested graphs"));
  remove_folder (folder);
}

static void
test_pack (void)
{
  g_autoptr (KgGraph) graph = kg_graph_new (base), other = NULL;
  KgNode *nodes[] = { NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *torn = NULL;
  g_autoptr (KgPreset) preset = NULL;
  g_autoptr (KgTypes) types = NULL;

  add (graph, "value/number", "in");
  set (graph, "in", "value", "6");
  nodes[0] = add (graph, "value/math", "twice");
  nodes[1] = add (graph, "value/math", "sum");
  add (graph, "value/math", "after");
  set (graph, "twice", "operation", "\"multiply\"");
  set (graph, "twice", "a", "{\"link\": \"in.output\"}");
  set (graph, "twice", "b", "2");
  set (graph, "sum", "operation", "\"add\"");
  set (graph, "sum", "a", "{\"link\": \"twice.result\"}");
  set (graph, "sum", "b", "{\"keys\": [[1, 0], [25, 24]]}");
  set (graph, "after", "a", "{\"link\": \"sum.result\"}");
  text = kg_preset_pack (graph, nodes, 2, "test/packed", "Packed", &error);
  g_assert_no_error (error);
  preset = preset_test_parse (base, text);
  types = kg_types_add (base, kg_preset_get_type (preset));
  other = kg_graph_new (types);
  add (other, "test/packed", "p");
  g_assert_cmpuint (kg_preset_get_n_published (preset), ==, 3);
  set (other, "p", "a", "6");
  g_assert_cmpfloat (preset_test_evaluate (other, "p.result"), ==, preset_test_evaluate (graph, "sum.result"));
  /* In place of its nodes, with their links; undo brings them back. */
  {
    const double before = preset_test_evaluate (graph, "after.result");
    KgNode *instance = kg_graph_replace_by_preset (graph, nodes, 2, preset, &error);

    g_assert_no_error (error);
    g_assert_cmpfloat (preset_test_evaluate (graph, "after.result"), ==, before);
    g_assert_null (kg_graph_find (graph, "twice"));
    g_assert_cmpint (kg_node_get_source (instance, (guint) kg_node_find_slot (instance, "a"))->kind, ==,
                     KG_SOURCE_LINK);
    /* Keys are keys of the instance: what moves stays in sight. */
    g_assert_cmpint (kg_node_get_source (instance, (guint) kg_node_find_slot (instance, "b"))->kind, ==,
                     KG_SOURCE_KEYS);
    kg_graph_undo (graph);
    g_assert_nonnull (kg_graph_find (graph, "twice"));
    g_assert_cmpfloat (preset_test_evaluate (graph, "after.result"), ==, before);
  }
  /* Expressions outside read the instance; one that reads what is not published keeps the nodes where they are. */
  set (graph, "after", "b", "{\"expr\": \"sum.result + sum.b + 1\"}");
  {
    const double before = preset_test_evaluate (graph, "after.result");

    g_assert_nonnull (kg_graph_replace_by_preset (graph, nodes, 2, preset, &error));
    g_assert_no_error (error);
    g_assert_cmpfloat (preset_test_evaluate (graph, "after.result"), ==, before);
    kg_graph_undo (graph);
    set (graph, "after", "b", "{\"expr\": \"twice.result\"}");
    g_assert_null (kg_graph_replace_by_preset (graph, nodes, 2, preset, &error));
    g_assert_nonnull (strstr (error->message, "after.b reads twice"));
    g_assert_nonnull (kg_graph_find (graph, "twice"));
    g_clear_error (&error);
  }
  set (graph, "sum", "b", "{\"expr\": \"in.output\"}");
  torn = kg_preset_pack (graph, nodes, 2, "test/packed", "Packed", &error);
  g_assert_null (torn);
  g_assert_nonnull (strstr (error->message, "sum.b reads in"));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  base = kg_types_new (kg_node_table);
  g_test_add_func ("/presets/instance", test_instance);
  g_test_add_func ("/preset/P1-50-limits", test_limits);
  g_test_add_func ("/preset/P1-50-one-limit", test_one_limit);
  g_test_add_func ("/presets/moving-default", test_moving_default);
  g_test_add_func ("/presets/open-default", test_open_default);
  g_test_add_func ("/presets/saved", test_saved);
  g_test_add_func ("/presets/locked", test_locked);
  g_test_add_func ("/presets/nested", test_nested);
  g_test_add_func ("/presets/wrong", test_wrong);
  g_test_add_func ("/presets/folders", test_folders);
  g_test_add_func ("/presets/broken-first", test_broken_first);
  g_test_add_func ("/presets/circle", test_circle);
  g_test_add_func ("/presets/deep-folder", test_deep_folder);
  g_test_add_func ("/presets/pack", test_pack);
  status = g_test_run ();
  kg_types_unref (base);
  return status;
}
