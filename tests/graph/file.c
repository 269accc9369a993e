/* tests/graph/file: what is wrong with a file is said exactly; what is right comes back byte for byte.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fake-types.h"

#include <glib/gstdio.h>

#define HEAD "{\"kineograph\": 1, \"nodes\": {"

static char *
report (const char *text, gssize length)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = kg_graph_parse (types, text, length, problems);

  g_assert_true ((graph == NULL) == (problems->len > 0));
  return kg_problems_to_text (problems, "f");
}

static void
test_bad (void)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
    { "", "f:1:1: expected a value, found the end of the text\n" },
    { "[]", "f:1:1: expected an object, found an array\n" },
    { "{}", "f:1:1: not a Kineograph graph: \"kineograph\": 1 is missing\n" },
    { "{\"kineograph\": 2}",
      "f:1:16: /kineograph: format version 2 is newer than this program supports (up to 1): use a newer program\n" },
    { "{\"kineograph\": 1,}", "f:1:18: a comma after the last member\n" },
    { "{\"kineograph\": 1, \"kineograph\": 1}", "f:1:19: /kineograph: the name \"kineograph\" occurs twice\n" },
    { "{\"kineograph\": 1, \"title\": \"\", \"title\": \"\", \"comment\": \"\", \"comment\": \"\"}",
      "f:1:32: /title: the name \"title\" occurs twice\nf:1:60: /comment: the name \"comment\" occurs twice\n" },
    { "{\"kineograph\": 1e999}",
      "f:1:16: /kineograph: 1e999 is too large for a number (the largest is about 1.8e308)\n" },
    /* Problems of the JSON hide no problems of the graph, and are not reported twice. */
    { "{\"kineograph\": 1, \"titel\": 1,\n\"frames\": {\"start\": 5, \"rate\": -1e999},\n\"nodes\": {\n"
      "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": 1e999, \"y\": true, \"y\": 2}},\n"
      "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": 1}},\n"
      "\"b\": {\"type\": \"fake/add\", \"inputs\": {\"z\": [1, 1e999], \"x\": {\"link\": \"c.value\"}}}}}",
      "f:2:32: /frames/rate: -1e999 is too large for a number (the largest is about 1.8e308)\n"
      "f:4:43: /nodes/a/inputs/x: 1e999 is too large for a number (the largest is about 1.8e308)\n"
      "f:4:61: /nodes/a/inputs/y: the name \"y\" occurs twice\n"
      "f:5:1: /nodes/a: the name \"a\" occurs twice\n"
      "f:6:47: /nodes/b/inputs/z/1: 1e999 is too large for a number (the largest is about 1.8e308)\n"
      "f:1:28: /titel: unknown name \"titel\": did you mean \"title\"?\n"
      "f:4:55: /nodes/a/inputs/y: expected a number, found true\n"
      "f:6:43: /nodes/b/inputs/z: fake/add has no input \"z\"\n"
      "f:6:60: /nodes/b/inputs/x: unknown node \"c\"\n" },
    { "{\"kineograph\": 01}", "f:1:16: /kineograph: a number cannot start with 0\n" },
    { "{\"kineograph\": 1", "f:1:17: expected \",\" or \"}\", found the end of the text\n" },
    { "{\"kineograph\": 1} x", "f:1:19: expected the end of the text, found \"x\"\n" },
    { "\xef\xbb\xbf{}", "f:1:1: a byte order mark: save the text as UTF-8 without it\n" },
    { "{\n\"a\xff\": 1}", "f:2:3: not UTF-8 (byte 0xff)\n" },
    { "{\"a\": \"\\ud800\"}", "f:1:8: /a: half of a surrogate pair\n" },
    { "{\"kineograph\": 1, \"titel\": \"x\"}", "f:1:28: /titel: unknown name \"titel\": did you mean \"title\"?\n" },
    { "{\"kineograph\": 1, \"frames\": {\"start\": 5, \"end\": 4}}",
      "f:1:29: /frames: frames 5 to 4: the last must not be before the first, and both must be within ±10^9\n" },
    { HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"z\": 1}}}}",
      "f:1:71: /nodes/a/inputs/z: fake/add has no input \"z\"\n" },
    { HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": \"one\"}}}}",
      "f:1:71: /nodes/a/inputs/x: expected a number, found a string\n" },
    { HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"b.value\"}}}}}",
      "f:1:71: /nodes/a/inputs/x: unknown node \"b\"\n" },
    { HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"a.value\"}}}}}",
      "f:1:71: /nodes/a/inputs/x: a.x would depend on itself: a.x → a.x\n" },
    { HEAD
      "\"a\": {\"type\": \"fake/add\"}, \"b\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"a.sum\"}}}}}",
      "f:1:98: /nodes/b/inputs/x: a has no output \"sum\" (it has: value)\n" },
    { HEAD
      "\"a\": {\"type\": \"fake/geometry\"}, \"b\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"a.value\"}}}}}",
      "f:1:103: /nodes/b/inputs/x: a.value is a geometry, which cannot be converted to a number\n" },
    { HEAD
      "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"b.value\"}}}, \"b\": {\"type\": \"fake/add\", "
      "\"inputs\": {\"x\": {\"link\": \"a.value\"}}}}}",
      "f:1:136: /nodes/b/inputs/x: b.x would depend on itself: b.x → a.x → b.x\n" },
    { HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"keys\": []}}}}}",
      "f:1:71: /nodes/a/inputs/x: no keys: give at least one\n" },
    { HEAD "\"a\": {\"type\": \"fake/add\", \"inputs\": {\"x\": {\"link\": \"b.v\", \"expr\": \"1\"}}}}}",
      "f:1:71: /nodes/a/inputs/x: a source is a constant or an object with exactly one of \"link\", \"expr\", \"keys\"\n" },
    { HEAD "\"1a\": {\"type\": \"fake/add\"}}}",
      "f:1:35: /nodes/1a: \"1a\" is not a valid node name: use 1 to 100 letters, digits and _, and do not start with a digit\n" },
    { HEAD "\"a\": {\"type\": \"fake/add\"}}, \"display\": 3}",
      "f:1:68: /display: expected a string, found a number\n" },
    /* All at once. */
    { HEAD "\"a\": {\"type\": \"fake/add\", \"at\": 3, \"inputs\": {\"x\": true, \"q\": 1}}}}",
      "f:1:61: /nodes/a/at: expected [x, y]\n"
      "f:1:80: /nodes/a/inputs/x: expected a number, found true\n"
      "f:1:91: /nodes/a/inputs/q: fake/add has no input \"q\"\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = report (cases[i].text, -1);

    g_assert_cmpstr (text, ==, cases[i].message);
  }
}

/* A graph is good whatever it displays; who wants to show it says what is missing. */
static void
test_lost_display (void)
{
  g_autofree char *text = report (HEAD "\"a\": {\"type\": \"fake/add\"}}, \"display\": \"b.value\"}", -1);

  g_assert_cmpstr (text, ==, "");
}

/* 200 MB of "[" costs neither the stack nor much time. */
static void
test_deep (void)
{
  const gsize n = (gsize) 200 << 20;
  g_autofree char *text = g_malloc (n);
  g_autofree char *message = NULL;

  memset (text, '[', n);
  message = report (text, (gssize) n);
  g_assert_nonnull (strstr (message, "f:1:513: "));
  g_assert_nonnull (strstr (message, "nested more than 512 levels deep"));
}

static const char whole[] =
    "{\n"
    "  \"kineograph\": 1,\n"
    "  \"title\": \"Nod\",\n"
    "  \"comment\": \"A \\\"comment\\\".\",\n"
    "  \"frames\": { \"start\": 1, \"end\": 48, \"rate\": 24 },\n"
    "  \"nodes\": {\n"
    "    \"late\": { \"type\": \"fake/add\", \"inputs\": { \"x\": {\"link\": \"nod.value\"}, \"y\": "
    "0.1 } },\n"
    "    \"strange\": {\"type\": \"other/thing\", \"at\": [1, 2], \"inputs\": {\"deep\": [1, {\"a\": "
    "null}]}, \"own\": true},\n"
    "    \"nod\": { \"type\": \"fake/add\", \"at\": [40, -80.5], \"comment\": \"moves\", \"bypass\": "
    "true,\n"
    "      \"inputs\": {\n"
    "        \"x\": {\"keys\": [[1, 0], {\"frame\": 12.5, \"value\": 0.5, \"interpolation\": "
    "\"bezier\", \"tangents\": \"free\", \"in\": [2, -1], \"out\": [3, 0.25]}], \"after\": "
    "\"cycle-offset\"},\n"
    "        \"y\": {\"expr\": \"1 + 0.2*outer.result\"} } },\n"
    "    \"outer\": { \"type\": \"fake/subnet\",\n"
    "      \"inputs\": {\n"
    "        \"size\": 3 },\n"
    "      \"graph\": {\n"
    "        \"nodes\": {\n"
    "          \"size\": { \"type\": \"fake/input\", \"inputs\": { \"value\": 1 } },\n"
    "          \"result\": { \"type\": \"fake/output\", \"inputs\": { \"value\": {\"link\": "
    "\"size.output\"} } }\n"
    "        } } }\n"
    "  },\n"
    "  \"display\": \"late.value\"\n"
    "}\n";

static void
test_stable (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = kg_graph_parse (types, whole, -1, problems);
  g_autofree char *messages = kg_problems_to_text (problems, "f");
  g_autofree char *text = NULL;

  g_assert_cmpstr (messages, ==, "");
  text = kg_graph_to_text (graph);
  g_assert_cmpstr (text, ==, whole);
  g_assert_null (kg_graph_get_undo_label (graph));
}

static void
test_save (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = kg_graph_parse (types, whole, -1, problems), loaded = NULL;
  g_autofree char *folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.json", NULL), *link = g_build_filename (folder, "b.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (kg_graph_save (graph, path, &error));
  g_assert_no_error (error);
  /* Through a symbolic link, which stays one. */
  g_assert_cmpint (symlink ("a.json", link), ==, 0);
  g_assert_true (kg_graph_save (graph, link, &error));
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_file_get_contents (path, &text, NULL, NULL);
  g_assert_cmpstr (text, ==, whole);
  loaded = kg_graph_load (types, path, problems);
  g_assert_nonnull (loaded);
  g_assert_cmpstr (kg_graph_get_folder (loaded), ==, folder);
  g_assert_false (kg_graph_save (graph, "/dev/full", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (kg_graph_save (graph, folder, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (kg_graph_save (graph, "/nowhere/at/all.json", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  /* What could not be read again does not replace what can. */
  g_assert_nonnull (kg_graph_add_unknown (graph, "other/thing", "bad", kg_json_new (KG_JSON_OBJECT), NULL));
  g_assert_false (kg_graph_save (graph, path, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  g_assert_nonnull (strstr (error->message, "a.json cannot be written (the old file is unchanged): "));
  g_assert_nonnull (strstr (error->message, "/nodes/bad: \"type\" is missing"));
  g_clear_pointer (&text, g_free);
  g_file_get_contents (path, &text, NULL, NULL);
  g_assert_cmpstr (text, ==, whole);
  g_unlink (link);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0); /* nothing temporary is left */
}

static void
test_copy (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (GPtrArray) problems = kg_problems_new (), pasted = NULL;
  g_autoptr (KgGraph) graph = kg_graph_parse (types, whole, -1, problems);
  KgNode *nodes[] = { kg_graph_find (graph, "late"), kg_graph_find (graph, "nod") };
  g_autofree char *text = kg_graph_copy (graph, nodes, 2);
  g_autofree char *before = kg_graph_to_text (graph), *after = NULL;
  g_autoptr (GError) error = NULL;
  KgNode *from;
  guint output;

  pasted = kg_graph_paste (graph, text, 10, 20, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pasted->len, ==, 2);
  g_assert_cmpstr (kg_node_get_name (pasted->pdata[0]), ==, "late1");
  g_assert_true (kg_node_get_link (pasted->pdata[0], 0, 0, &from, &output) && from == pasted->pdata[1]);
  kg_graph_undo (graph);
  after = kg_graph_to_text (graph);
  g_assert_cmpstr (after, ==, before);
  g_assert_null (kg_graph_paste (graph, "not a graph", 0, 0, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
}

static void
test_numbers (void)
{
  static const struct {
    double number;
    const char *text;
  } cases[] = { { 0, "0" },
                { -0.0, "0" },
                { 5, "5" },
                { 0.1, "0.1" },
                { 1e300, "1e+300" },
                { -2.5, "-2.5" },
                { 1.0 / 3, "0.3333333333333333" },
                { 123456789012, "123456789012" },
                { 5e-324, "4.94065645841247e-324" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) out = g_string_new (NULL);

    kg_json_write_number (cases[i].number, out);
    g_assert_cmpstr (out->str, ==, cases[i].text);
    g_assert_cmpfloat (g_ascii_strtod (out->str, NULL), ==, cases[i].number);
  }
}

static bool
take_piece (const char *text, gpointer data)
{
  g_string_append ((GString *) data, text);
  return true;
}

static void
test_schema (void)
{
  g_autoptr (KgTypes) types = fake_types_new ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (KgJson) schema = NULL;

  g_assert_true (kg_schema_write (types, take_piece, out));
  schema = kg_json_parse (out->str, -1, problems);
  g_assert_nonnull (schema);
  g_assert_nonnull (kg_json_get (kg_json_get (schema, "$defs"), "fake.add"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/file/bad", test_bad);
  g_test_add_func ("/file/lost-display", test_lost_display);
  g_test_add_func ("/file/deep", test_deep);
  g_test_add_func ("/file/stable", test_stable);
  g_test_add_func ("/file/save", test_save);
  g_test_add_func ("/file/copy", test_copy);
  g_test_add_func ("/file/numbers", test_numbers);
  g_test_add_func ("/file/schema", test_schema);
  return g_test_run ();
}
