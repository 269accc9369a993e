/* tests/nodes/preset-upgrade: newer definitions: what changes, what is kept aside and comes back, what is saved, and that
 * states of simulations are those of one definition.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-recorder.h"
#include "kg-script.h"
#include "kg-subnet.h"
#include "preset-test.h"

static KgTypes *base;

/* Twice x. */
static const char first[] =
    "{ \"kineograph_preset\": 1, \"id\": \"test/twice\", \"version\": 1, \"interface\": { \"inputs\": {"
    "    \"x\": { \"drives\": [\"product.a\"], \"default\": 1 },"
    "    \"gone\": { \"drives\": [], \"kind\": \"vector\" },"
    "    \"name\": { \"drives\": [], \"kind\": \"text\" } },"
    "    \"outputs\": { \"y\": { \"from\": \"product.result\" }, \"old\": { \"from\": \"product.result\" } } },"
    "  \"graph\": { \"nodes\": { \"product\": { \"type\": \"value/math\", \"inputs\": { \"operation\": \"multiply\","
    "    \"b\": 2 } } } } }";

/* Three times: x is amount, y is result, name is a number, gone and old were removed. */
static const char second[] =
    "{ \"kineograph_preset\": 1, \"id\": \"test/twice\", \"version\": 2, \"renamed\": { \"x\": \"amount\", \"y\": \"result\" },"
    "  \"interface\": { \"inputs\": {"
    "    \"amount\": { \"drives\": [\"product.a\"], \"default\": 1 },"
    "    \"name\": { \"drives\": [], \"kind\": \"number\" },"
    "    \"added\": { \"drives\": [\"product.b\"] } },"
    "    \"outputs\": { \"result\": { \"from\": \"product.result\" } } },"
    "  \"graph\": { \"nodes\": { \"product\": { \"type\": \"value/math\", \"inputs\": { \"operation\": \"multiply\","
    "    \"b\": 3 } } } } }";

/* (transfer full) */
static KgGraph *
read_graph (KgTypes *types, const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgGraph *graph = kg_graph_parse (types, text, -1, problems);
  g_autofree char *list = kg_problems_to_text (problems, "graph");

  if (graph == NULL)
    g_test_message ("%s", list);
  g_assert_nonnull (graph);
  return graph;
}

/* What a file of the graph is, read by a program that knows no presets. */
static void
check_saved (KgGraph *graph)
{
  g_autofree char *text = kg_graph_to_text (graph), *second_text = NULL;
  g_autoptr (KgGraph) again = read_graph (base, text);

  second_text = kg_graph_to_text (again);
  g_assert_cmpstr (second_text, ==, text);
}

static const char instances[] =
    "{ \"kineograph\": 1, \"nodes\": {"
    "  \"before\": { \"type\": \"value/number\", \"inputs\": { \"value\": 5 } },"
    "  \"d\": { \"type\": \"test/twice\", \"comment\": \"mine\", \"inputs\": { \"x\": {\"link\": \"before.output\"},"
    "    \"gone\": [1, 2, 3], \"name\": \"Ada\" } },"
    "  \"after\": { \"type\": \"value/math\", \"inputs\": { \"a\": {\"link\": \"d.y\"}, \"b\": {\"expr\": \"d.y + d.x\"} } },"
    "  \"lost\": { \"type\": \"value/number\", \"inputs\": { \"value\": {\"link\": \"d.old\"} } },"
    "  \"box\": { \"type\": \"graph/subnet\", \"graph\": { \"nodes\": {"
    "    \"inner\": { \"type\": \"test/twice\", \"inputs\": { \"x\": 7 } } }, \"display\": \"inner.y\" } } },"
    "  \"display\": \"d.y\" }";

static KgGraph *
read_instances (void)
{
  g_autoptr (KgPreset) preset = preset_test_parse (base, first);
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (preset));

  return read_graph (types, instances);
}

static void
test_compare (void)
{
  g_autoptr (KgPreset) older = preset_test_parse (base, first), newer = preset_test_parse (base, second);
  g_autoptr (GArray) changes = kg_preset_compare (older, newer);
  static const char *const expected[] = {
    "~ x is now amount", "- gone was removed", "~ name was text and is now a number",
    "~ y is now result", "- old was removed",  "+ added"
  };

  g_assert_cmpuint (changes->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < changes->len; i++) {
    g_autofree char *text = kg_interface_change_to_text (&g_array_index (changes, KgInterfaceChange, i));

    g_assert_cmpstr (text, ==, expected[i]);
  }
}

static void
test_upgrade (void)
{
  g_autoptr (KgGraph) graph = read_instances ();
  g_autoptr (KgPreset) newer = preset_test_parse (base, second);
  g_autofree char *before = kg_graph_to_text (graph), *after = NULL, *back = NULL;
  g_autoptr (GError) error = NULL;
  const KgJson *aside;
  KgNode *node;

  g_assert_cmpfloat (preset_test_evaluate (graph, "after.a"), ==, 10);
  g_assert_true (kg_graph_upgrade (graph, newer, &error));
  g_assert_no_error (error);
  node = kg_graph_find (graph, "d");
  g_assert_true (kg_node_get_preset (node) == newer);
  g_assert_cmpstr (kg_node_get_comment (node), ==, "mine");
  /* Links and expressions follow what was renamed, in the order of the file. */
  g_assert_true (kg_graph_get_node (graph, 1) == node);
  g_assert_cmpfloat (preset_test_evaluate (graph, "after.a"), ==, 15);
  g_assert_cmpfloat (preset_test_evaluate (graph, "after.b"), ==, 20);
  g_assert_cmpstr (kg_graph_get_display (graph), ==, "d.result");
  g_assert_cmpfloat (preset_test_evaluate (graph, "box/inner.result"), ==, 21);
  g_assert_cmpstr (kg_graph_get_display (kg_node_get_graph (kg_graph_find (graph, "box"))), ==, "inner.result");
  /* Removed nodes read nothing. */
  g_assert_cmpint (kg_node_get_source (kg_graph_find (graph, "lost"), 0)->kind, ==, KG_SOURCE_DEFAULT);
  aside = kg_node_get_aside (node);
  g_assert_cmpuint (kg_json_get_n (aside), ==, 2);
  g_assert_cmpstr (kg_json_get_string (kg_json_get (kg_json_get (aside, "name"), "value")), ==, "Ada");
  g_assert_cmpstr (kg_json_get_string (kg_json_get (kg_json_get (aside, "gone"), "kind")), ==, "vector");
  check_saved (graph);
  after = kg_graph_to_text (graph);
  /* One step back and on again. */
  kg_graph_undo (graph);
  back = kg_graph_to_text (graph);
  g_assert_cmpstr (back, ==, before);
  g_assert_cmpfloat (preset_test_evaluate (graph, "after.b"), ==, 15);
  kg_graph_redo (graph);
  g_free (back);
  back = kg_graph_to_text (graph);
  g_assert_cmpstr (back, ==, after);
}

/* The inputs come back in a third version, and with them what was set. */
static void
test_restored (void)
{
  g_autoptr (KgGraph) graph = read_instances (), again = NULL;
  g_autoptr (KgPreset) newer = preset_test_parse (base, second), third = NULL;
  g_autoptr (GString) text = g_string_new (first);
  g_autofree char *saved = NULL;
  KgNode *node;

  g_assert_true (kg_graph_upgrade (graph, newer, NULL));
  saved = kg_graph_to_text (graph);
  again = read_graph (base, saved);
  g_string_replace (text, "\"version\": 1", "\"version\": 3, \"renamed\": { \"amount\": \"x\" }", 1);
  third = preset_test_parse (base, text->str);
  g_assert_true (kg_graph_upgrade (again, third, NULL));
  node = kg_graph_find (again, "d");
  g_assert_null (kg_node_get_aside (node));
  g_assert_cmpstr (kg_node_get_source (node, (guint) kg_node_find_slot (node, "name"))->constant.text, ==, "Ada");
  g_assert_cmpfloat (kg_node_get_source (node, (guint) kg_node_find_slot (node, "gone"))->constant.vector.z, ==, 3);
  g_assert_cmpfloat (preset_test_evaluate (again, "d.y"), ==, 10);
  kg_graph_undo (again);
  g_assert_cmpuint (kg_json_get_n (kg_node_get_aside (kg_graph_find (again, "d"))), ==, 2);
}

/* A link that is aside follows the node that it reads, and goes with it. */
static void
test_aside_follows (void)
{
  g_autoptr (KgGraph) graph = read_instances ();
  g_autoptr (KgPreset) newer = preset_test_parse (base, second);
  KgNode *node = kg_graph_find (graph, "d"), *before = kg_graph_find (graph, "before");
  const KgJson *value;

  g_assert_true (kg_graph_set_json (graph, node, "gone", "{\"link\": \"before.output\"}", NULL));
  g_assert_true (kg_graph_upgrade (graph, newer, NULL));
  node = kg_graph_find (graph, "d");
  g_assert_true (kg_graph_rename (graph, before, "source", NULL));
  value = kg_json_get (kg_json_get (kg_node_get_aside (node), "gone"), "value");
  g_assert_cmpstr (kg_json_get_string (kg_json_get (value, "link")), ==, "source.output");
  check_saved (graph);
  kg_graph_remove (graph, before);
  g_assert_null (kg_json_get (kg_node_get_aside (node), "gone"));
  kg_graph_undo (graph);
  kg_graph_undo (graph);
  value = kg_json_get (kg_json_get (kg_node_get_aside (node), "gone"), "value");
  g_assert_cmpstr (kg_json_get_string (kg_json_get (value, "link")), ==, "before.output");
}

/* A file without the definition, and a newer one in the library. */
static void
test_older_file (void)
{
  g_autoptr (KgPreset) newer = preset_test_parse (base, second);
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (newer));
  g_autoptr (KgGraph)
      graph = read_graph (types, "{ \"kineograph\": 1, \"nodes\": { \"d\": { \"type\": \"test/twice\","
                                 " \"inputs\": { \"x\": 4, \"gone\": [1, 0, 0], \"name\": \"Ada\" } } } }");
  const KgNode *node = kg_graph_find (graph, "d");
  g_autoptr (KgGraph) linked = NULL;

  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 12);
  g_assert_cmpuint (kg_json_get_n (kg_node_get_aside (node)), ==, 2);
  check_saved (graph);
  /* A link to an input that takes another kind now. */
  linked = read_graph (types, "{ \"kineograph\": 1, \"nodes\": { \"c\": { \"type\": \"geometry/circle\" }, \"d\": {"
                              " \"type\": \"test/twice\", \"inputs\": { \"name\": {\"link\": \"c.geometry\"} } } } }");
  g_assert_nonnull (kg_json_get (kg_node_get_aside (kg_graph_find (linked, "d")), "name"));
  check_saved (linked);
}

static void
test_wrong_aside (void)
{
  static const char *const wrong[] = { "1", "{\"a\": 1}", "{\"a\": {\"kind\": \"number\"}}",
                                       "{\"a\": {\"kind\": \"no\", \"value\": 1}}",
                                       "{\"a\": {\"kind\": \"number\", \"value\": {\"link\": 3}}}" };
  g_autoptr (KgPreset) preset = preset_test_parse (base, first);
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (preset));

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    g_autofree char *text = g_strdup_printf ("{ \"kineograph\": 1, \"nodes\": { \"d\": { \"type\": \"test/twice\","
                                             " \"aside\": %s } } }",
                                             wrong[i]);

    g_assert_null (kg_graph_parse (types, text, -1, problems));
    g_assert_cmpstr (((const KgProblem *) g_ptr_array_index (problems, 0))->pointer, ==, "/nodes/d/aside");
  }
}

/* A preset that contains the older version still contains it, in the file too. */
static void
test_two_versions (void)
{
  static const char outer[] =
      "{ \"kineograph_preset\": 1, \"id\": \"test/outer\", \"interface\": { \"outputs\": { \"z\": { \"from\": \"in.y\" } } },"
      "  \"graph\": { \"nodes\": { \"in\": { \"type\": \"test/twice\", \"inputs\": { \"x\": 50 } } } } }";
  g_autoptr (KgPreset) one = preset_test_parse (base, first), newer = preset_test_parse (base, second), outside = NULL;
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (one)), all = NULL;
  g_autoptr (KgGraph) graph = NULL, again = NULL;
  g_autofree char *text = NULL;

  outside = preset_test_parse (types, outer);
  all = kg_types_add (types, kg_preset_get_type (outside));
  graph = read_graph (all, "{ \"kineograph\": 1, \"nodes\": { \"o\": { \"type\": \"test/outer\" },"
                           " \"d\": { \"type\": \"test/twice\", \"inputs\": { \"x\": 4 } } } }");
  g_assert_true (kg_graph_upgrade (graph, newer, NULL));
  g_assert_cmpfloat (preset_test_evaluate (graph, "o.z"), ==, 100);
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.result"), ==, 12);
  check_saved (graph);
  text = kg_graph_to_text (graph);
  again = read_graph (base, text);
  g_assert_cmpfloat (preset_test_evaluate (again, "o.z"), ==, 100);
  g_assert_cmpfloat (preset_test_evaluate (again, "d.result"), ==, 12);
}

static guint
get_version (KgGraph *graph, const char *path)
{
  return kg_preset_get_version (kg_node_get_preset (kg_graph_find_path (graph, path)));
}

/* One instance becomes one of the newer definition and the others stay: here, in files, in copies and in sub-graphs. */
static void
test_one (void)
{
  g_autoptr (KgGraph) graph = read_instances (), again = NULL, box = NULL;
  g_autoptr (KgPreset) newer = preset_test_parse (base, second), third = NULL;
  g_autoptr (KgTypes) library = kg_types_add (base, kg_preset_get_type (newer));
  g_autofree char *before = kg_graph_to_text (graph), *after = NULL, *back = NULL, *text = NULL;
  g_autoptr (GPtrArray) pasted = NULL, all = NULL;
  g_autoptr (GString) later = g_string_new (second);
  g_autoptr (GError) error = NULL;
  KgNode *node = kg_graph_find_path (graph, "box/inner"), *nodes[2];

  node = kg_graph_upgrade_node (kg_node_get_parent (node), node, newer, &error);
  g_assert_no_error (error);
  g_assert_true (kg_node_get_preset (node) == newer);
  g_assert_cmpuint (get_version (graph, "d"), ==, 1);
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.y"), ==, 10);
  g_assert_cmpfloat (preset_test_evaluate (graph, "box/inner.result"), ==, 21);
  g_assert_null (kg_node_get_aside (kg_graph_find (graph, "d")));
  /* New instances are of the newest. */
  kg_graph_add (graph, "test/twice", "fresh", 0, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (get_version (graph, "fresh"), ==, 2);
  g_assert_true (kg_graph_undo (graph));
  /* In a file, and read again where another definition lies in the library. */
  check_saved (graph);
  after = kg_graph_to_text (graph);
  g_assert_nonnull (strstr (after, "\"test/twice@1\""));
  again = read_graph (library, after);
  g_assert_cmpuint (get_version (again, "d"), ==, 1);
  g_assert_cmpuint (get_version (again, "box/inner"), ==, 2);
  g_assert_cmpfloat (preset_test_evaluate (again, "after.b"), ==, 15);
  g_assert_cmpfloat (preset_test_evaluate (again, "box/inner.result"), ==, 21);
  /* A library that changes leaves both. */
  kg_graph_set_library (again, library);
  back = kg_graph_to_text (again);
  g_assert_cmpstr (back, ==, after);
  /* Copies are of the version of what was copied, and so is what comes to stand in a sub-graph. */
  text = kg_graph_copy (again, (KgNode *[]){ kg_graph_find (again, "d"), kg_graph_find (again, "box") }, 2);
  pasted = kg_graph_paste (again, text, 0, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pasted->len, ==, 2);
  g_assert_cmpuint (get_version (again, "d1"), ==, 1);
  g_assert_cmpfloat (preset_test_evaluate (again, "d1.y"), ==, 2);
  g_assert_cmpuint (get_version (again, "box1/inner"), ==, 2);
  nodes[0] = kg_graph_find (again, "d1");
  nodes[1] = kg_graph_find (again, "box1");
  node = kg_graph_collapse (again, nodes, 2, &error);
  g_assert_no_error (error);
  {
    g_autofree char *inner = g_strdup_printf ("%s/d1", kg_node_get_name (node));

    g_assert_cmpuint (get_version (again, inner), ==, 1);
  }
  check_saved (again);
  /* One step back and on again. */
  kg_graph_undo (graph);
  g_free (back);
  back = kg_graph_to_text (graph);
  g_assert_cmpstr (back, ==, before);
  kg_graph_redo (graph);
  g_free (back);
  back = kg_graph_to_text (graph);
  g_assert_cmpstr (back, ==, after);
  /* All together, from two versions to a third. */
  g_string_replace (later, "\"version\": 2", "\"version\": 3", 1);
  third = preset_test_parse (base, later->str);
  g_assert_true (kg_graph_upgrade (graph, third, &error));
  g_assert_cmpuint (get_version (graph, "d"), ==, 3);
  g_assert_cmpuint (get_version (graph, "box/inner"), ==, 3);
  g_free (back);
  back = kg_graph_to_text (graph);
  g_assert_null (strstr (back, "test/twice@"));
  check_saved (graph);
  kg_graph_undo (graph);
  g_free (back);
  back = kg_graph_to_text (graph);
  g_assert_cmpstr (back, ==, after);
  check_saved (graph);
}

/* A preset made of instances of two versions carries what is not the newest, and is the same where only that is known. */
static void
test_one_packed (void)
{
  g_autoptr (KgGraph) graph = read_instances (), other = NULL;
  g_autoptr (KgPreset) newer = preset_test_parse (base, second), made = NULL;
  g_autoptr (KgTypes) library = kg_types_add (base, kg_preset_get_type (newer)), all = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  KgNode *node = kg_graph_find_path (graph, "box/inner");

  g_assert_nonnull (kg_graph_upgrade_node (kg_node_get_parent (node), node, newer, NULL));
  text = kg_preset_pack (graph, (KgNode *[]){ kg_graph_find (graph, "d"), kg_graph_find (graph, "box") }, 2,
                         "test/both", "Both", &error);
  g_assert_no_error (error);
  made = preset_test_parse (library, text);
  all = kg_types_add (library, kg_preset_get_type (made));
  other = read_graph (all, "{ \"kineograph\": 1, \"nodes\": { \"n\": { \"type\": \"test/both\", \"inputs\": {"
                           " \"x\": 5 } } } }");
  g_assert_cmpuint (get_version (other, "n/d"), ==, 1);
  g_assert_cmpuint (get_version (other, "n/box/inner"), ==, 2);
  g_assert_cmpfloat (preset_test_evaluate (other, "n/d.y"), ==, 10);
  g_assert_cmpfloat (preset_test_evaluate (other, "n/box/inner.result"), ==, 21);
  check_saved (other);
}

/* What was done to one is recorded as a script that does it again. */
static void
test_one_recorded (void)
{
  g_autoptr (KgGraph) graph = read_instances (), again = kg_graph_new (base), whole = kg_graph_new (base);
  g_autoptr (KgRecorder) recorder = kg_recorder_new (graph, G_MAXSIZE);
  g_autoptr (KgPreset) newer = preset_test_parse (base, second);
  g_autofree char *text = NULL, *lines = NULL, *script = NULL, *all = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new (), pasted = NULL;
  KgNode *node = kg_graph_find (graph, "d");
  struct {
    KgGraph *graph;
    char **text;
  } const runs[] = { { again, &script }, { whole, &all } };

  g_assert_nonnull (kg_graph_upgrade_node (graph, node, newer, NULL));
  lines = kg_graph_copy (graph, (KgNode *[]){ kg_graph_find (graph, "d"), kg_graph_find (graph, "box") }, 2);
  pasted = kg_graph_paste (graph, lines, 10, 10, NULL);
  g_assert_cmpuint (pasted->len, ==, 2);
  g_assert_cmpuint (get_version (graph, "d1"), ==, 2);
  g_assert_cmpuint (get_version (graph, "box1/inner"), ==, 1);
  text = kg_graph_to_text (graph);
  script = kg_recorder_dup_script (recorder);
  all = kg_graph_to_script (graph);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    g_autoptr (KgScript) parsed = kg_script_parse (*runs[i].text, -1, problems);
    g_autofree char *made = NULL;

    g_assert_nonnull (parsed);
    g_assert_true (kg_script_run (parsed, runs[i].graph, NULL, KG_SCRIPT_STOP, NULL, problems));
    made = kg_graph_to_text (runs[i].graph);
    g_assert_cmpstr (made, ==, text);
  }
}

/* What says that it is another version than its name does is refused; an instance within a locked one too. */
static void
test_one_wrong (void)
{
  g_autoptr (KgPreset) one = preset_test_parse (base, first), newer = preset_test_parse (base, second), outside = NULL;
  static const char outer[] = "{ \"kineograph_preset\": 1, \"id\": \"test/outer\","
                              "  \"graph\": { \"nodes\": { \"in\": { \"type\": \"test/twice\" } } } }";
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (one)), all = NULL;
  g_autofree char *text = g_strdup_printf ("{ \"kineograph\": 1, \"presets\": { \"test/twice@7\": %s } }", first);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = kg_graph_parse (base, text, -1, problems);
  g_autoptr (GError) error = NULL;
  KgNode *node;

  g_assert_null (graph);
  g_assert_cmpuint (problems->len, ==, 1);
  outside = preset_test_parse (types, outer);
  all = kg_types_add (types, kg_preset_get_type (outside));
  graph = read_graph (all, "{ \"kineograph\": 1, \"nodes\": { \"o\": { \"type\": \"test/outer\" } } }");
  node = kg_graph_find_path (graph, "o/in");
  g_assert_null (kg_graph_upgrade_node (kg_node_get_parent (node), node, newer, &error));
  g_assert_nonnull (strstr (error->message, "unlock"));
}

/* Pasted from a graph that has another version, an instance is of the one that is here. */
static void
test_paste (void)
{
  g_autoptr (KgGraph) from = read_instances (), to = NULL;
  g_autoptr (KgPreset) newer = preset_test_parse (base, second);
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (newer));
  KgNode *nodes[] = { kg_graph_find (from, "d"), kg_graph_find (from, "before"), kg_graph_find (from, "box"),
                      kg_graph_find (from, "after"), kg_graph_find (from, "lost") };
  g_autofree char *text = kg_graph_copy (from, nodes, G_N_ELEMENTS (nodes));
  g_autoptr (GPtrArray) pasted = NULL;
  g_autoptr (GError) error = NULL;

  to = read_graph (types,
                   "{ \"kineograph\": 1, \"nodes\": { \"here\": { \"type\": \"test/twice\", \"version\": 2 } } }");
  pasted = kg_graph_paste (to, text, 0, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (preset_test_evaluate (to, "d.result"), ==, 15);
  g_assert_cmpfloat (preset_test_evaluate (to, "box/inner.result"), ==, 21);
  g_assert_cmpfloat (preset_test_evaluate (to, "after.b"), ==, 20);
  g_assert_cmpuint (kg_json_get_n (kg_node_get_aside (kg_graph_find (to, "d"))), ==, 2);
  check_saved (to);
}

/* A library that changes under a graph: what it has stays, also what only its history knows. */
static void
test_library (void)
{
  g_autoptr (KgGraph) graph = read_instances ();
  g_autoptr (KgPreset) newer = preset_test_parse (base, second);
  g_autoptr (KgTypes) library = kg_types_add (base, kg_preset_get_type (newer));
  KgNode *node = kg_graph_find (graph, "d");

  kg_graph_set_library (graph, library);
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.y"), ==, 10);
  g_assert_true (kg_node_find_newer (node, library) == newer);
  /* New instances are of the definition that the graph has. */
  g_assert_nonnull (kg_graph_add (graph, "test/twice", "e", 0, 0, NULL));
  g_assert_cmpint (kg_node_find_slot (kg_graph_find (graph, "e"), "gone"), >=, 0);
  kg_graph_remove (graph, kg_graph_find (graph, "e"));
  kg_graph_remove (graph, node);
  kg_graph_remove (graph, kg_graph_find (graph, "box"));
  kg_graph_set_library (graph, base);
  g_assert_null (kg_types_find (kg_graph_get_types (graph), "test/twice"));
  g_assert_true (kg_graph_undo (graph));
  g_assert_true (kg_graph_undo (graph));
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.y"), ==, 10);
  g_assert_nonnull (kg_types_find (kg_graph_get_types (graph), "test/twice"));
  check_saved (graph);
  g_assert_true (kg_graph_upgrade (graph, newer, NULL));
  g_assert_null (kg_node_find_newer (kg_graph_find (graph, "d"), library));
}

/* Private copies stay what they are, become the next version, and match again. */
static void
test_next_version (void)
{
  g_autoptr (KgGraph) graph = read_instances (), plain = NULL;
  KgNode *node = kg_graph_find (graph, "d");
  KgGraph *inside = kg_node_get_graph (node);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autoptr (KgPreset) made = NULL;
  g_autoptr (KgTypes) types = NULL;

  kg_graph_set_unlocked (graph, node, true);
  g_assert_true (kg_graph_set_json (inside, kg_graph_find (inside, "product"), "b", "10", NULL));
  g_assert_true (kg_graph_rename (inside, kg_graph_find (inside, "x"), "amount", NULL));
  g_assert_true (kg_graph_set_json (inside, kg_graph_find (inside, "amount"), "value", "2.5", NULL));
  kg_graph_remove (inside, kg_graph_find (inside, "old"));
  text = kg_preset_pack_instance (node, 2, &error);
  g_assert_no_error (error);
  made = preset_test_parse (base, text);
  g_assert_cmpuint (kg_preset_get_version (made), ==, 2);
  g_assert_cmpstr (kg_preset_get_renamed (made, "x"), ==, "amount");
  g_assert_cmpint (kg_preset_find_published (made, "name")->kind, ==, KG_TEXT);
  g_assert_null (kg_preset_find_published (made, "old"));
  types = kg_types_add (base, kg_preset_get_type (made));
  plain = read_graph (types, "{ \"kineograph\": 1, \"nodes\": { \"n\": { \"type\": \"test/twice\" } } }");
  g_assert_cmpfloat (preset_test_evaluate (plain, "n.y"), ==, 25);
  /* The private copy and the other instance in the sub-graph. */
  g_assert_true (kg_graph_upgrade (graph, made, NULL));
  g_assert_true (kg_node_is_unlocked (kg_graph_find (graph, "d")));
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.y"), ==, 50);
  g_assert_cmpfloat (preset_test_evaluate (graph, "box/inner.y"), ==, 70);
  g_assert_true (kg_graph_match_preset (graph, kg_graph_find (graph, "d"), NULL));
  g_assert_cmpfloat (preset_test_evaluate (graph, "d.y"), ==, 50);
  check_saved (graph);
  kg_graph_undo (graph);
  kg_graph_undo (graph);
  g_assert_cmpuint (kg_node_get_type (kg_graph_find (graph, "d"))->version, ==, 1);
  check_saved (graph);
}

/* The default that an input has inside stays with it, also when it moves. */
static void
test_moving_default (void)
{
  static const char text[] =
      "{ \"kineograph_preset\": 1, \"id\": \"test/moving\", \"interface\": {"
      "  \"inputs\": { \"a\": { \"drives\": [\"sum.a\"] }, \"b\": { \"drives\": [\"sum.b\"] } },"
      "  \"outputs\": { \"y\": { \"from\": \"sum.result\" } } }, \"graph\": { \"nodes\": {"
      "  \"sum\": { \"type\": \"value/math\", \"inputs\": { \"operation\": \"add\", \"a\": {\"expr\": \"2 + 2\"},"
      "    \"b\": {\"keys\": [[1, 30], [2, 40]]} } } } } }";
  g_autoptr (KgPreset) preset = preset_test_parse (base, text), made = NULL;
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (preset)), more = NULL;
  g_autoptr (KgGraph)
      graph = read_graph (types, "{ \"kineograph\": 1, \"nodes\": { \"n\": { \"type\": \"test/moving\" } } }");
  g_autoptr (KgGraph) other = NULL;
  g_autofree char *next = kg_preset_pack_instance (kg_graph_find (graph, "n"), 2, NULL);

  made = preset_test_parse (base, next);
  more = kg_types_add (base, kg_preset_get_type (made));
  other = read_graph (more, "{ \"kineograph\": 1, \"nodes\": { \"n\": { \"type\": \"test/moving\" } } }");
  g_assert_cmpfloat (preset_test_evaluate (graph, "n.y"), ==, 34);
  g_assert_cmpfloat (preset_test_evaluate (other, "n.y"), ==, 34);
}

/* Presets nested a thousand deep, and presets that multiply, are refused with a reason. */
static void
test_deep (void)
{
  for (guint copies = 1; copies <= 10; copies += 9) {
    g_autoptr (GString) text = g_string_new ("{ \"kineograph\": 1, \"presets\": {");
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    g_autofree char *list = NULL;

    for (guint i = 0; i < 1000; i++) {
      g_string_append_printf (
          text, "%s\"test/p%u\": { \"kineograph_preset\": 1, \"id\": \"test/p%u\", \"graph\": { \"nodes\": {",
          i > 0 ? ", " : "", i, i);
      for (guint k = 0; k < copies; k++)
        if (i == 0)
          g_string_append_printf (text, "%s\"n%u\": { \"type\": \"value/number\" }", k > 0 ? ", " : "", k);
        else
          g_string_append_printf (text, "%s\"n%u\": { \"type\": \"test/p%u\" }", k > 0 ? ", " : "", k, i - 1);
      g_string_append (text, "} } }");
    }
    g_string_append (text, "}, \"nodes\": { \"n\": { \"type\": \"test/p999\" } } }");
    g_assert_null (kg_graph_parse (base, text->str, -1, problems));
    list = kg_problems_to_text (problems, "deep");
    g_assert_nonnull (strstr (list, "in at most 64 nested graphs"));
  }
}

/* A definition inside of the JSON of another, as deep as JSON may be. */
static void
test_deep_carried (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) problems = kg_problems_new ();

  for (guint i = 0; i < 1000; i++)
    g_string_append_printf (
        text,
        "{ \"kineograph_preset\": 1, \"id\": \"test/p%u\", \"graph\": { \"nodes\": {} }, \"presets\": { \"test/p%u\": ",
        i, i + 1);
  g_assert_null (kg_preset_parse (base, text->str, -1, problems));
  g_assert_cmpuint (problems->len, >, 0);
}

/* Sparks; the definitions differ in how fast they are. */
static KgPreset *
make_sparks (guint version, double speed)
{
  g_autofree char *text =
      g_strdup_printf ("{ \"kineograph_preset\": 1, \"id\": \"test/sparks\", \"version\": %u, \"interface\": {"
                       "  \"outputs\": { \"points\": { \"from\": \"spray.geometry\" } } }, \"graph\": { \"nodes\": {"
                       "  \"spray\": { \"type\": \"sim/particles\", \"inputs\": { \"speed\": %g } } } } }",
                       version, speed);

  return preset_test_parse (base, text);
}

/* (transfer full) */
static KgGeometry *
simulate (KgGraph *graph, KgCache *cache, double time)
{
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, cache);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  KgNode *node;
  guint slot;

  g_assert_true (kg_graph_find_output (graph, "s.points", &node, &slot, NULL));
  kg_evaluator_evaluate (evaluator, node, slot, time, NULL, &value, &error);
  g_assert_no_error (error);
  return kg_geometry_ref (value.geometry);
}

typedef struct {
  KgGraph *graph; /* a snapshot */
  KgCache *cache;
  KgGeometry *result;
} Running;

static gpointer
run (gpointer data)
{
  Running *running = (Running *) data;

  for (guint frame = 0; frame <= 48; frame++) {
    g_clear_pointer (&running->result, kg_geometry_unref);
    running->result = simulate (running->graph, running->cache, frame / 24.0);
  }
  return NULL;
}

/* While a simulation runs on a snapshot, the definition is changed under it, there and back, with the library; each ends
 * with the states of its own definition. */
static void
test_running (void)
{
  g_autoptr (KgPreset) slow = make_sparks (1, 4), fast = make_sparks (2, 9);
  g_autoptr (KgTypes) types = kg_types_add (base, kg_preset_get_type (slow)),
                      library = kg_types_add (base, kg_preset_get_type (fast));
  g_autoptr (KgGraph)
      graph = read_graph (types, "{ \"kineograph\": 1, \"nodes\": { \"s\": { \"type\": \"test/sparks\" } } }");
  g_autoptr (KgGraph) snapshot = kg_graph_snapshot (graph);
  g_autoptr (KgCache) cache = kg_cache_new (KG_CACHE_DEFAULT_BUDGET);
  g_autoptr (KgGeometry) expected_slow = simulate (graph, NULL, 2), expected_fast = NULL, upgraded = NULL,
                         undone = NULL;
  Running running = { snapshot, cache, NULL };
  GThread *thread = g_thread_new ("simulation", run, &running);

  for (guint i = 0; i < 20; i++) {
    kg_graph_set_library (graph, library);
    g_assert_true (kg_graph_upgrade (graph, fast, NULL));
    g_assert_true (kg_graph_undo (graph));
    kg_graph_set_library (graph, base);
  }
  g_assert_true (kg_graph_upgrade (graph, fast, NULL));
  upgraded = simulate (graph, cache, 2);
  g_thread_join (thread);
  expected_fast = simulate (graph, NULL, 2);
  g_assert_true (kg_geometry_equal (upgraded, expected_fast));
  g_assert_true (kg_geometry_equal (running.result, expected_slow));
  g_assert_false (kg_geometry_equal (expected_fast, expected_slow));
  g_assert_true (kg_graph_undo (graph));
  undone = simulate (graph, cache, 2);
  g_assert_true (kg_geometry_equal (undone, expected_slow));
  kg_geometry_unref (running.result);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  base = kg_types_new (kg_node_table);
  g_test_add_func ("/preset-upgrade/compare", test_compare);
  g_test_add_func ("/preset-upgrade/upgrade", test_upgrade);
  g_test_add_func ("/preset-upgrade/restored", test_restored);
  g_test_add_func ("/preset-upgrade/aside-follows", test_aside_follows);
  g_test_add_func ("/preset-upgrade/older-file", test_older_file);
  g_test_add_func ("/preset-upgrade/wrong-aside", test_wrong_aside);
  g_test_add_func ("/preset-upgrade/two-versions", test_two_versions);
  g_test_add_func ("/preset-upgrade/one", test_one);
  g_test_add_func ("/preset-upgrade/one-recorded", test_one_recorded);
  g_test_add_func ("/preset-upgrade/one-packed", test_one_packed);
  g_test_add_func ("/preset-upgrade/one-wrong", test_one_wrong);
  g_test_add_func ("/preset-upgrade/paste", test_paste);
  g_test_add_func ("/preset-upgrade/library", test_library);
  g_test_add_func ("/preset-upgrade/next-version", test_next_version);
  g_test_add_func ("/preset-upgrade/moving-default", test_moving_default);
  g_test_add_func ("/preset-upgrade/deep", test_deep);
  g_test_add_func ("/preset-upgrade/deep-carried", test_deep_carried);
  g_test_add_func ("/preset-upgrade/running", test_running);
  return g_test_run ();
}
