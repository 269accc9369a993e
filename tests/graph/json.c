/* tests/graph/json: what json-c makes of a text is what the text says, however long it is, and every value is found in it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kineograph.h"

#include <string.h>

static KgJson *
parse (const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgJson *json = kg_json_parse (text, -1, problems);

  g_assert_cmpuint (problems->len, ==, 0);
  return json;
}

static char *
to_text (const KgJson *json)
{
  GString *out = g_string_new (NULL);

  kg_json_write (json, out);
  return g_string_free (out, FALSE);
}

/* json-c's whole numbers end at 64 bits and know no -0, and its null is nothing. */
static void
test_values (void)
{
  g_autoptr (KgJson) json = parse ("{\"null\": null, \"zero\": -0, \"large\": 123456789012345678901234567890,\n"
                                   "\"next\": 9007199254740993, \"text\": \"a\\/\\b\\f\\r\\u00e9\\ud83d\\ude00\"}");
  g_autoptr (KgJson) copy = kg_json_copy (json);
  g_autofree char *text = to_text (copy);

  g_assert_cmpint (kg_json_get_kind (kg_json_get (json, "null")), ==, KG_JSON_NULL);
  g_assert_null (kg_json_get (json, "other"));
  g_assert_true (signbit (kg_json_get_number (kg_json_get (json, "zero"))) != 0);
  g_assert_cmpfloat (kg_json_get_number (kg_json_get (json, "large")), ==, 123456789012345678901234567890.0);
  g_assert_cmpfloat (kg_json_get_number (kg_json_get (json, "next")), ==, 9007199254740992.0);
  g_assert_cmpstr (
      text, ==,
      "{\"null\": null, \"zero\": 0, \"large\": 1.2345678901234568e+29, \"next\": 9007199254740992, \"text\": "
      "\"a/\\u0008\\u000c\\u000dé😀\"}");
}

static void
test_alone (void)
{
  static const char *const texts[] = { "5", "-0.5", "null", "true", "\"a\"", "[]", "{}" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (KgJson) json = parse (texts[i]);
    g_autofree char *text = to_text (json);

    g_assert_cmpstr (text, ==, texts[i]);
  }
}

static void
test_edit (void)
{
  g_autoptr (KgJson) json = parse ("{\"a\": 1, \"b\": 2, \"c\": 3}");
  g_autofree char *text = NULL;

  kg_json_set (json, "b", kg_json_new (KG_JSON_ARRAY));
  kg_json_append ((KgJson *) kg_json_get (json, "b"), kg_json_new_number (0.1));
  kg_json_remove (json, "a");
  kg_json_remove (json, "d");
  kg_json_set (json, "a", kg_json_new (KG_JSON_NULL));
  text = to_text (json);
  g_assert_cmpstr (text, ==, "{\"b\": [0.1], \"c\": 3, \"a\": null}");
}

/* What is wrong is left out: the first value of a name stays, and 0 stands for a number that is none. */
static void
test_wrong (void)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) json = kg_json_parse_on ("{\"a\": [1e999, null], \"b\": {\"x\": 1, \"x\": [null, 2]},\n"
                                              "\"a\": {\"y\": -1e999}, \"c\": 1}",
                                              -1, problems);
  g_autofree char *text = to_text (json), *messages = kg_problems_to_text (problems, "f");

  g_assert_cmpstr (text, ==, "{\"a\": [0, null], \"b\": {\"x\": 1}, \"c\": 1}");
  g_assert_cmpstr (messages, ==,
                   "f:1:8: /a/0: 1e999 is too large for a number (the largest is about 1.8e308)\n"
                   "f:1:36: /b/x: the name \"x\" occurs twice\n"
                   "f:2:1: /a: the name \"a\" occurs twice\n"
                   "f:2:12: /a/y: -1e999 is too large for a number (the largest is about 1.8e308)\n");
}

/* A text that json-c gets in many pieces: containers that begin in one and end in another, at several depths, with values
 * in them that are left out or patched. */
static void
test_long (void)
{
  const guint n = 3000;
  g_autoptr (GString) text = g_string_new ("{\"first\": null, \"deep\": {\"deeper\": [");
  g_autoptr (GString) expected = g_string_new ("{\"first\": null, \"deep\": {\"deeper\": [");
  g_autoptr (GPtrArray) problems = kg_problems_new (), places = kg_problems_new ();
  g_autoptr (KgJson) json = NULL;
  g_autofree char *written = NULL;
  const KgJson *deeper;

  for (guint i = 0; i < n; i++) {
    g_string_append_printf (text, "%s{\"i\": %u,\"null\":null,\"i\": [[null]], \"%u\": \"%u\"}", i > 0 ? ",\n" : "\n",
                            i, i, i);
    g_string_append_printf (expected, "%s{\"i\": %u, \"null\": null, \"%u\": \"%u\"}", i > 0 ? ", " : "", i, i, i);
  }
  g_string_append (text, "\n], \"deeper\": [");
  for (guint i = 0; i < n; i++)
    g_string_append (text, "null, ");
  g_string_append (text, "0]}, \"last\": -1}");
  g_string_append (expected, "]}, \"last\": -1}");

  json = kg_json_parse_on (text->str, (gssize) text->len, problems);
  g_assert_cmpuint (problems->len, ==, KG_JSON_MAX_PROBLEMS + 1);
  written = to_text (json);
  g_assert_cmpstr (written, ==, expected->str);

  deeper = kg_json_get (kg_json_get (json, "deep"), "deeper");
  for (guint i = 0; i < n; i += 7)
    kg_problems_add (places, kg_json_get (kg_json_get_item (deeper, i), "null"), "", "%u", i);
  kg_problems_add (places, kg_json_get (json, "last"), "", "%u", n);
  kg_problems_locate (places, json, text->str, (gssize) text->len);
  for (guint i = 0; i < places->len; i++) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (places, i);
    const guint index = (guint) g_ascii_strtoull (problem->message, NULL, 10);
    g_autofree char *before = g_strdup_printf ("{\"i\": %u,\"null\":", index);

    g_assert_cmpuint (problem->line, ==, index + 2);
    if (index < n)
      g_assert_cmpuint (problem->column, ==, strlen (before) + 1);
  }
}

/* A thousand problems of a large text are found by one run. */
static void
test_many_places (void)
{
  const guint n = 400000;
  g_autoptr (GString) text = g_string_new ("[");
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) json = NULL;
  g_autoptr (GTimer) timer = NULL;

  for (guint i = 0; i < n; i++)
    g_string_append (text, "[0],");
  g_string_append (text, "1]");
  json = parse (text->str);
  for (guint i = 0; i < KG_JSON_MAX_PROBLEMS; i++)
    kg_problems_add (problems, kg_json_get_item (kg_json_get_item (json, i * 400), 0), "", "wrong");
  timer = g_timer_new ();
  kg_problems_locate (problems, json, text->str, -1);
  g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, 10);
  for (guint i = 0; i < KG_JSON_MAX_PROBLEMS; i++)
    g_assert_cmpuint (((const KgProblem *) g_ptr_array_index (problems, i))->column, ==, i * 1600 + 3);
}

/* As many nodes as a graph may have, with 13 values each (the average of the examples), and more than once were read. */
static void
test_limit (void)
{
  const guint n = 4000100;
  g_autoptr (GString) text = g_string_sized_new (2 * n + 2);
  g_autoptr (KgJson) json = NULL;

  G_STATIC_ASSERT (KG_JSON_MAX_VALUES >= 13 * (gsize) KG_GRAPH_MAX_NODES);
  g_string_append_c (text, '[');
  for (guint i = 1; i < n; i++)
    g_string_append (text, "0,");
  g_string_append (text, "0]");
  json = parse (text->str);
  g_assert_cmpuint (kg_json_get_n (json), ==, n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/values", test_values);
  g_test_add_func ("/json/alone", test_alone);
  g_test_add_func ("/json/edit", test_edit);
  g_test_add_func ("/json/wrong", test_wrong);
  g_test_add_func ("/json/long", test_long);
  g_test_add_func ("/json/many-places", test_many_places);
  g_test_add_func ("/json/limit", test_limit);
  return g_test_run ();
}
