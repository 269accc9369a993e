/* tests/graph/script: edits as lines: what is recorded makes the same graph again, and what is written is checked.
 * Catalogue 30-120, 30-121.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "random-edits.h"

#include "kg-recorder.h"
#include "kg-script.h"

/* (transfer full) (nullable) What is wrong with a script, as it is printed. */
static char *
run_with (KgGraph *graph, const char *text, GHashTable *variables, KgScriptMode mode)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgScript) script = kg_script_parse (text, -1, problems);

  if (script != NULL)
    g_assert_true (kg_script_run (script, graph, variables, mode, NULL, problems) == (problems->len == 0));
  return kg_problems_to_text (problems, "s");
}

static void
run (KgGraph *graph, const char *text)
{
  g_autofree char *problems = run_with (graph, text, NULL, KG_SCRIPT_STOP);

  g_assert_cmpstr (problems, ==, "");
}

/* What script makes of an empty graph is what graph is. */
static void
check_replay (KgGraph *graph, const char *script)
{
  g_autoptr (KgGraph) replayed = kg_graph_new (kg_graph_get_types (graph));
  g_autofree char *expected = kg_graph_to_text (graph), *found = NULL;

  run (replayed, script);
  found = kg_graph_to_text (replayed);
  g_assert_cmpstr (found, ==, expected);
}

static const EditBracket edit_transactions = { kg_graph_begin_transaction, kg_graph_end_transaction,
                                               kg_graph_cancel_transaction };

/* 30-121: thousands of random edits, with undo, redo, groups and sub-graphs, recorded and replayed. */
static void
test_replay (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  guint edits = 0, lines = 0;

  for (guint32 seed = 0; seed < 120; seed++) {
    GRand *random = g_rand_new_with_seed (1000 + seed);
    g_autoptr (KgGraph) graph = kg_graph_new (types);
    /* Some begin with a graph that has a history of its own, some forget. */
    const bool late = seed % 3 == 1;
    g_autoptr (KgRecorder) recorder = NULL;
    guint groups = 0, transactions = 0;

    for (guint i = 0; late && i < 60; i++)
      edit_graph (random, pick_graph (random, graph));
    while (late && g_rand_boolean (random) && kg_graph_undo (graph))
      ;
    recorder = kg_recorder_new (graph, seed % 3 == 2 ? 2000 : G_MAXSIZE);
    for (guint i = 0; i < 250; i++, edits++) {
      const gint32 what = g_rand_int_range (random, 0, 44);

      if (!edit_bracket (random, graph, &edit_groups, what, "A $group \"of\" # edits", &groups) &&
          (groups > 0 || !edit_bracket (random, graph, &edit_transactions, what - 2, "Several", &transactions))) {
        if (what < 6 && groups == 0) {
          if (kg_graph_reopen_group (graph, kg_graph_get_step (graph)))
            groups++;
        } else if (what < 8)
          kg_graph_undo (graph);
        else if (what < 11)
          kg_graph_redo (graph);
        else
          edit_graph (random, pick_graph (random, graph));
      }
      if (i % 10 == 0 || i == 249) {
        g_autofree char *script = kg_recorder_dup_script (recorder);

        check_replay (graph, script);
      }
    }
    end_brackets (graph, &edit_groups, groups);
    end_brackets (graph, &edit_transactions, transactions);
    {
      g_autofree char *script = kg_recorder_dup_script (recorder), *whole = kg_graph_to_script (graph);

      for (const char *c = script; *c != '\0'; c++)
        lines += *c == '\n';
      check_replay (graph, script);
      check_replay (graph, whole);
    }
    g_rand_free (random);
  }
  g_assert_cmpuint (edits, ==, 30000);
  g_assert_cmpuint (lines, >, 5000);
}

/* A transaction is one step, or none; redo survives one that was cancelled. */
static void
test_transaction (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autofree char *before = NULL, *after = NULL, *undone = NULL, *redone = NULL, *problems = NULL, *still = NULL;

  run (graph, "add fake/add a\nset a.x 3\n");
  g_assert_cmpstr (kg_graph_get_undo_label (graph), ==, "Script");
  before = kg_graph_to_text (graph);
  run (graph, "set a.x 4\nundo\nset a.x 5\nset a.y 6\nadd fake/add b\nundo\nredo\nundo\n");
  after = kg_graph_to_text (graph);
  g_assert_nonnull (strstr (after, "\"x\": 5, \"y\": 6"));
  g_assert_null (strstr (after, "\"b\""));
  kg_graph_undo (graph);
  undone = kg_graph_to_text (graph);
  g_assert_cmpstr (undone, ==, before);
  /* It fails at its last line: as if nothing had happened, and what was undone can still be redone. */
  problems = run_with (graph,
                       "set a.x 7\ngroup \"x\"\n  add fake/add q\n  remove a\n  enter nowhere\nend\n"
                       "add fake/add r\n",
                       NULL, KG_SCRIPT_STOP);
  g_assert_cmpstr (problems, ==, "s:5:9: unknown node \"nowhere\"\n");
  still = kg_graph_to_text (graph);
  g_assert_cmpstr (still, ==, before);
  g_assert_true (kg_graph_redo (graph));
  redone = kg_graph_to_text (graph);
  g_assert_cmpstr (redone, ==, after);
}

static void
test_keep_going (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autofree char *problems = run_with (graph,
                                        "add fake/add a\nset a.x \"no\"\nset a.y 2\ngroup\n  remove z\n  set a.x 9\n"
                                        "end\n",
                                        NULL, KG_SCRIPT_KEEP_GOING);
  g_autofree char *text = kg_graph_to_text (graph);

  g_assert_nonnull (strstr (problems, "s:2:9: "));
  g_assert_nonnull (strstr (problems, "s:5:10: unknown node \"z\"\n"));
  g_assert_nonnull (strstr (text, "\"x\": 9, \"y\": 2"));
}

/* 30-120: variables, conditions, repetition, procedures; the same bytes each time. */
static void
test_language (void)
{
  static const char script[] = "kineograph 1\n"
                               "default count = 3\n"
                               "let offset = 2 ^ 3 - 1   # seven\n"
                               "let stem = \"row\"\n"
                               "procedure place name value\n"
                               "  add fake/add $name at ${value * 10} -5\n"
                               "  set $last.x ${value + offset}\n"
                               "  if value == 2\n"
                               "    color $last \"#ff0000\"\n"
                               "  else\n"
                               "    comment $last \"number $value, $$5\"\n"
                               "  end\n"
                               "end\n"
                               "repeat count as i\n"
                               "  call place ${stem}$i $i\n"
                               "end\n";
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types), again = kg_graph_new (types), four = kg_graph_new (types);
  g_autoptr (GHashTable) variables = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *problems = NULL, *text = NULL, *same = NULL;

  problems = run_with (graph, script, NULL, KG_SCRIPT_STOP);
  /* ${...} holds an expression, and a text is none. */
  g_assert_cmpstr (problems, ==, "s:15:16: stem is \"row\", which is not a number: write \"$stem\" for its text\n");
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 0);
  {
    g_auto (GStrv) parts = g_strsplit (script, "${stem}$i $i", 2);
    g_autofree char *right = g_strconcat (parts[0], "row$i $i", parts[1], NULL);

    run (graph, right);
    run (again, right);
    g_hash_table_insert (variables, (gpointer) "count", (gpointer) "4");
    g_clear_pointer (&problems, g_free);
    problems = run_with (four, right, variables, KG_SCRIPT_STOP);
    g_assert_cmpstr (problems, ==, "");
  }
  text = kg_graph_to_text (graph);
  same = kg_graph_to_text (again);
  g_assert_cmpstr (text, ==, same);
  g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 3);
  g_assert_cmpuint (kg_graph_get_n_nodes (four), ==, 4);
  g_assert_nonnull (strstr (text,
                            "\"row1\": { \"type\": \"fake/add\", \"at\": [10, -5], \"comment\": \"number 1, $5\", "
                            "\"inputs\": { \"x\": 8 } }"));
  g_assert_nonnull (strstr (text, "\"row2\": { \"type\": \"fake/add\", \"at\": [20, -5], \"color\": \"#ff0000\", "
                                  "\"inputs\": { \"x\": 9 } }"));
}

/* 30-121: a # in a name is the next free number. */
static void
test_numbering (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);

  run (graph, "add fake/add emitAway#\nadd fake/add\nrename $last emitAway#\nadd fake/add at at 3 4\n"
              "set emitAway2.x {\"expr\": \"emitAway1.value\"}\nlet n = emitAway1.x + 2\nset at.x ${n}\n");
  g_assert_nonnull (kg_graph_find (graph, "emitAway1"));
  g_assert_nonnull (kg_graph_find (graph, "emitAway2"));
  g_assert_cmpfloat (kg_node_get_source (kg_graph_find (graph, "at"), 0)->constant.number, ==, 2);
}

static void
test_verbs (void)
{
  g_autoptr (KgTypes) types = edit_types_new ();
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  g_autofree char *text = NULL;

  run (
      graph,
      "title \"A title\"\ncomment \"A comment\"\nframes 2 20 12\n"
      "add fake/subnet s\nenter s\nadd fake/in x\nset x.kind \"number\"\nadd fake/out y\nlink x.output y.value\n"
      "display \"y\"\nleave\nset s.x 1\n"
      "add fake/switch sw\nadd fake/add a\nlink a.value sw.values\nlink s.y sw.values\nlink a.value sw.values\n"
      "unlink sw.values 1\nset a.x 1\nreset a.x\n"
      "duplicate a sw by 100 50\nbypass a1 on\nstage a1 shown\nstage sw1 shown\nstage sw1 off\nmove sw1 7 8\ncomment a1 \"copy\"\ndisplay a1.value\n"
      "paste 1 2 {\"kineograph\": 1,\n  \"nodes\": {\"p\": {\"type\": \"fake/pass\"}}} in s\nremove s/p\n"
      "unknown \"other/thing\" u {\"type\": \"other/thing\", \"x\": 1}\nremove u\n"
      "group \"never\"\n  remove a\ncancel\n"
      "set a.x {\n  \"keys\": [\n    [1, 0], # the start\n    [9, 4]]}\n");
  text = kg_graph_to_text (graph);
  g_assert_cmpstr (
      text, ==,
      "{\n  \"kineograph\": 1,\n  \"title\": \"A title\",\n  \"comment\": \"A comment\",\n"
      "  \"frames\": { \"start\": 2, \"end\": 20, \"rate\": 12 },\n  \"nodes\": {\n"
      "    \"s\": { \"type\": \"fake/subnet\",\n      \"inputs\": {\n        \"x\": 1 },\n"
      "      \"graph\": {\n        \"nodes\": {\n"
      "          \"x\": { \"type\": \"fake/in\", \"inputs\": { \"kind\": \"number\" } },\n"
      "          \"y\": { \"type\": \"fake/out\", \"inputs\": { \"value\": {\"link\": \"x.output\"} } }\n"
      "        },\n        \"display\": \"y\" } },\n"
      "    \"sw\": { \"type\": \"fake/switch\", \"inputs\": { \"values\": [{\"link\": \"a.value\"}, "
      "{\"link\": \"a.value\"}] } },\n"
      "    \"a\": { \"type\": \"fake/add\", \"inputs\": { \"x\": {\"keys\": [[1, 0], [9, 4]]} } },\n"
      "    \"sw1\": { \"type\": \"fake/switch\", \"at\": [7, 8],\n      \"inputs\": {\n        \"values\": "
      "[{\"link\": \"a1.value\"}, {\"link\": \"a1.value\"}] } },\n"
      "    \"a1\": { \"type\": \"fake/add\", \"at\": [100, 50], \"comment\": \"copy\", \"bypass\": true, "
      "\"stage\": \"shown\" }\n  },\n"
      "  \"display\": \"a1.value\"\n}\n");
}

/* Everything that can be wrong with a line is said with its place. */
static void
test_errors (void)
{
  static const struct {
    const char *script, *expected;
  } cases[] = {
    { "addd fake/add\n", "1:1: there is no verb \"addd\": did you mean \"add\"?" },
    { "  \n\n   frob", "3:4: there is no verb \"frob\"" },
    { "add fake/nothing a", "1:5: unknown node type \"fake/nothing\"" },
    { "add", "1:1: the type of the node is missing; write: add TYPE [NAME] [at X Y]" },
    { "add fake/add 1a", "1:14: \"1a\" is not a valid node name" },
    { "add fake/add a\nadd fake/add a", "2:14: there is already a node called \"a\"" },
    { "add fake/add a at 1", "1:20: y is missing" },
    { "add fake/add a at 1 b", "1:21: \"b\" is not a number: y must be one" },
    { "add fake/add a at 1 1e999", "1:21: \"1e999\" is not a number" },
    { "add fake/add a b", "1:16: unexpected \"b\"" },
    { "add fake/add q/a", "1:14: unknown node \"q\"" },
    { "add fake/add a\nadd fake/add a/b", "2:14: a cannot contain a graph: it is of type fake/add" },
    { "add fake/add a\nset a.x", "2:8: the value is missing" },
    { "add fake/add a\nset a.q 1", "2:5: a has no input \"q\"" },
    { "add fake/add a\nset a 1", "2:5: \"a\" is not a slot: write an input as node.slot" },
    { "add fake/add a\nset a.x [1,\n  2", "3:4: the value must be a value as in graph files" },
    { "add fake/add a\nset a.x {\"expr\": \"1 +\"}", "2:9: column 4: " },
    { "add fake/add a\nset a.x \"5\" 6", "2:13: unexpected \"6\"" },
    { "add fake/add a\nset a.x {\"link\": \"a.value\"}", "2:9: " },
    { "add fake/add a\nlink a.value", "2:13: an input is missing" },
    { "add fake/add a\nlink a.value a.x", "2:" },
    { "add fake/add a\nlink a.value b.x", "2:14: unknown node \"b\"" },
    { "add fake/add a\nunlink a.x", "2:8: a.x has no link" },
    { "add fake/add a\nbypass a maybe", "2:10: expected on or off" },
    { "add fake/add a\nstage a maybe", "2:9: expected shown, template or off" },
    { "add fake/add a\ncolor a red", "2:9: expected text in quotes, or none" },
    { "frames 10 1", "1:8: frames 10 to 1" },
    { "kineograph 2", "1:12: script version 2 is not supported by this program" },
    { "undo", "1:1: this script has no step to undo" },
    { "redo", "1:1: nothing to redo" },
    { "group\nundo\nend", "2:1: undo is not allowed in a group" },
    { "leave", "1:1: no sub-graph was entered" },
    { "group \"x\"\nadd fake/add\n", "1:1: the block of this group is not closed: add a line \"end\"" },
    { "end", "1:1: \"end\" without a matching group, transaction, if, repeat or procedure before it" },
    { "repeat 2\ncancel\nend", "2:1: \"cancel\" without a matching group or transaction before it" },
    { "cancel", "1:1: \"cancel\" without a matching group or transaction before it" },
    { "if 1\ncancel\nend", "2:1: \"cancel\" without a matching group or transaction before it" },
    { "procedure p\ncancel\nend", "2:1: \"cancel\" without a matching group or transaction before it" },
    { "group\nif 1\ncancel\nend\nend", "3:1: \"cancel\" without a matching group or transaction before it" },
    { "group\ncancel 5", "2:8: the line should end here" },
    { "group\ncancelled\nend", "2:1: there is no verb \"cancelled\"" },
    { "else", "1:1: \"else\" without a matching if before it" },
    { "if 1\nelse\nelse\nend", "3:1: \"else\" without a matching if before it" },
    { "if 1\nend 5", "2:5: the line should end here" },
    { "if x > 1\nend", "1:4: unknown name \"x\"" },
    { "if 1, 2\nend", "1:4: 2 results: exactly one number is needed here" },
    { "if\nend", "1:1: a condition is missing" },
    { "repeat -1\nend", "1:8: -1 repetitions: write a whole number" },
    { "repeat 2 as 5\nend", "1:13: \"5\" is not a valid name" },
    { "repeat 1e7\nrepeat 10\nend\nend", ": more than 10000000 steps" },
    { "procedure p\ncall p\nend\ncall p", "2:" },
    { "call p", "1:6: unknown procedure \"p\": define it above this line" },
    { "procedure p a\nend\ncall p", "3:7: p takes 1 arguments, but 0 are given: \"a\" is missing" },
    { "procedure p a\nend\ncall p 1 2", "3:10: p takes 1 arguments" },
    { "let", "1:1: a name is missing" },
    { "let 5 = 3", "1:5: \"5\" is not a valid name" },
    { "let a 3", "1:7: = is missing" },
    { "let a =", "1:8: a value is missing" },
    { "let a = 1 / 0", "1:9: the result is infinite" },
    { "let a = \"x", "1:9: text must be a value" },
    { "let a = \"x\"\nlet b = 1 + a", "2:13: a is \"x\", which is not a number" },
    { "let a = b.x", "1:9: unknown node \"b\"" },
    { "title \"$nothing\"", "1:8: unknown variable \"nothing\"" },
    { "title \"$ \"", "1:8: a $ must be followed by a variable" },
    { "title \"${1 +}\"", "1:13: unexpected end" },
    { "title \"${1\"", "1:8: this ${ has no closing }" },
    { "add fake/add ä", "1:14: " },
    { "let s = \"äöü\"\ntitle \"äöü $s\" ${q}", "2:18: unknown name \"q\"" },
    { "paste 0 0 {\"nodes\": {}}", "1:11: the text to paste is not a graph" },
    { "preset {}", "1:8: " },
    { "unknown \"t\" n 5", "1:15: a node must be an object" },
    { "unknown t n {\"x\": 5}", "1:13: \"type\" is missing" },
    { "unknown t n {\"type\": 5}", "1:13: \"type\" must be \"t\"" },
    { "unknown t n {\"type\": \"u\"}", "1:13: \"type\" must be \"t\"" },
    { "unknown fake/add n {\"type\": \"fake/add\"}", "1:20: the node type \"fake/add\" is known: use add" },
    { "add fake/add a\nlock a", "2:6: a is not an instance of a preset" },
    { "add fake/add a\nduplicate a a", "2:13: a is named twice" },
    { "add fake/add a\nexpand a", "2:8: a cannot contain a graph: it is of type fake/add" },
    { "display", "1:1: the node to display is missing" },
    { "title \"x\" in y", "1:14: unknown node \"y\"" },
  };
  g_autoptr (KgTypes) types = edit_types_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (KgGraph) graph = kg_graph_new (types);
    g_autofree char *before = kg_graph_to_text (graph), *after = NULL;
    g_autofree char *problems = run_with (graph, cases[i].script, NULL, KG_SCRIPT_STOP);

    g_test_message ("%s -> %s", cases[i].script, problems);
    g_assert_nonnull (strstr (problems, cases[i].expected));
    after = kg_graph_to_text (graph);
    g_assert_cmpstr (after, ==, before);
    g_assert_null (kg_graph_get_undo_label (graph));
  }
}

/* Texts that are not scripts. */
static void
test_rubbish (void)
{
  static const char *const words[] = { "add ", "fake/add ", "a ",     "set ",  "a.x ",   "{ ",           "[ ",
                                       "] ",   "} ",        "\"",     "$",     "${",     "$$",           "# ",
                                       "\n",   "\n",        "\n",     "end\n", "group ", "repeat ",      "3 ",
                                       "if ",  "1 ",        "else ",  "let",   " x = ",  "call ",        "undo\n",
                                       "\\",   "\xc3\xa4",  "title ", "at ",   "-1 ",    "transaction\n" };
  g_autoptr (KgTypes) types = edit_types_new ();
  static const char not_text[] = "title \"\xff\"", zero[] = "title \"a\0b\"";
  g_autoptr (GPtrArray) problems = kg_problems_new ();

  for (guint32 seed = 0; seed < 3000; seed++) {
    GRand *random = g_rand_new_with_seed (seed);
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (KgGraph) graph = kg_graph_new (types);
    g_autofree char *found = NULL;

    for (gint32 n = g_rand_int_range (random, 1, 40); n > 0; n--)
      g_string_append (text, PICK (random, words));
    found = run_with (graph, text->str, NULL, seed % 2 == 0 ? KG_SCRIPT_STOP : KG_SCRIPT_KEEP_GOING);
    if (found[0] != '\0' && seed % 2 == 0)
      g_assert_cmpuint (kg_graph_get_n_nodes (graph), ==, 0);
    g_rand_free (random);
  }
  g_assert_null (kg_script_parse (not_text, sizeof not_text - 1, problems));
  g_assert_null (kg_script_parse (zero, sizeof zero - 1, problems));
  g_assert_cmpuint (problems->len, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/script/30-121-replay", test_replay);
  g_test_add_func ("/script/transaction", test_transaction);
  g_test_add_func ("/script/keep-going", test_keep_going);
  g_test_add_func ("/script/30-120-language", test_language);
  g_test_add_func ("/script/30-121-numbering", test_numbering);
  g_test_add_func ("/script/verbs", test_verbs);
  g_test_add_func ("/script/errors", test_errors);
  g_test_add_func ("/script/rubbish", test_rubbish);
  return g_test_run ();
}
