/* Errors and their messages: where they are looked up, what is put before them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-error.h"

#include "kg-expression.h"
#include "kg-json.h"
#include "kg-regular-file.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>

static void
test_set (void)
{
  g_autoptr (GError) error = NULL;

  kg_set_error (&error, KG_ERROR_LIMIT, "%d of %s", 3, "4");
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_assert_cmpstr (error->message, ==, "3 of 4");
  kg_prefix_error (&error, "item %u: ", 7u);
  g_assert_cmpstr (error->message, ==, "item 7: 3 of 4");
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

/* Nobody asked, or nothing is wrong. */
static void
test_nowhere (void)
{
  GError *none = NULL;

  kg_set_error (NULL, KG_ERROR_IO, "%s", "lost");
  kg_prefix_error (NULL, "item %u: ", 1u);
  kg_prefix_error (&none, "item %u: ", 1u);
  g_assert_no_error (none);
}

/* gettext() answers the empty text with the head of its catalogue. */
static void
test_empty (void)
{
  g_autoptr (GError) error = kg_error_new (KG_ERROR_IO, "%s", "");

  g_assert_cmpstr (error->message, ==, "");
  g_assert_cmpstr (kg_translate (""), ==, "");
}

/* The caller of these functions writes plain English, and the user reads German. */
static void
test_translated (void)
{
  static const char english[] = "unknown node \"%s\"";
  g_autoptr (GError) error = NULL;
  g_autofree char *german = NULL;

  g_setenv ("LANGUAGE", "de", TRUE);
  g_assert_nonnull (setlocale (LC_MESSAGES, "C.UTF-8"));
  bindtextdomain (GETTEXT_PACKAGE, g_getenv ("KG_TRANSLATIONS"));
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  kg_set_error (&error, KG_ERROR_UNKNOWN_NAME, english, "ball");
  german = g_strdup_printf (dgettext (GETTEXT_PACKAGE, english), "ball");
  g_assert_cmpstr (error->message, ==, german);
  g_assert_cmpstr (error->message, !=, "unknown node \"ball\"");
  g_assert_nonnull (strstr (error->message, "ball"));
}

/* Whoever shows the place of an error in a text does not read it out of the message, which is in any language. */
static void
test_column (void)
{
  static const char *const languages[] = { "C", "de", "zh_CN" };

  for (guint i = 0; i < G_N_ELEMENTS (languages); i++) {
    g_autoptr (GError) error = NULL, copy = NULL;
    g_autoptr (KgExpression) expression = NULL;
    const char *reason;

    g_setenv ("LANGUAGE", languages[i], TRUE);
    g_assert_nonnull (setlocale (LC_MESSAGES, "C.UTF-8"));
    bindtextdomain (GETTEXT_PACKAGE, g_getenv ("KG_TRANSLATIONS"));
    bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
    textdomain (GETTEXT_PACKAGE);
    expression = kg_expression_new ("1 + 7 % 2", &error);
    g_assert_null (expression);
    copy = g_error_copy (error);
    g_prefix_error (&copy, "here: ");
    g_assert_cmpuint (kg_error_get_column (error, &reason), ==, 7);
    g_assert_true (g_str_has_suffix (error->message, reason));
    g_assert_null (strchr (reason, '7'));
    g_assert_cmpuint (kg_error_get_column (copy, &reason), ==, 7);
    g_assert_true (g_str_has_suffix (copy->message, reason));
    g_clear_error (&error);
    kg_set_error (&error, KG_ERROR_IO, "%s", "disk");
    g_assert_cmpuint (kg_error_get_column (error, &reason), ==, 0);
    g_assert_cmpstr (reason, ==, "disk");
  }
}

/* A catalogue in which every one of the texts, which are sorted, is put between angles. */
static void
write_catalogue (const char *path, const char *const *texts)
{
  const guint n = g_strv_length ((char **) texts) + 1;
  const guint32 head[] = { 0x950412de, 0, n, 28, 28 + 8 * n, 0, 0 };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GError) error = NULL;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n; i++) {
      g_autofree char *entry = i == 0      ? g_strdup (pass == 0 ? "" : "Content-Type: text/plain; charset=UTF-8\n")
                               : pass == 0 ? g_strdup (texts[i - 1])
                                           : g_strdup_printf ("<%s>", texts[i - 1]);
      const guint32 place[] = { (guint32) strlen (entry), (guint32) (28 + 16 * n + text->len) };

      g_array_append_vals (places, place, 2);
      g_string_append_len (text, entry, (gssize) strlen (entry) + 1);
    }
  g_byte_array_append (file, (const guint8 *) head, sizeof head);
  g_byte_array_append (file, (const guint8 *) places->data, 4 * places->len);
  g_byte_array_append (file, (const guint8 *) text->str, (guint) text->len);
  g_file_set_contents (path, (const char *) file->data, file->len, &error);
  g_assert_no_error (error);
}

static char *
dup_json_problem (const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) json = kg_json_parse (text, -1, problems);

  g_assert_cmpuint (problems->len, ==, 1);
  return g_strdup (((const KgProblem *) g_ptr_array_index (problems, 0))->message);
}

/* What is put into a message is in the same language as the message. */
static void
test_parts (void)
{
  static const char *const texts[] = {
    "\",\" or \"]\"", "%s is a folder, not %s", "a comma after the last item", "a graph",
    "a number",       "expected %s, found %s",  "the end of the text",         NULL,
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("kineograph-error-XXXXXX", NULL);
  g_autofree char *language = g_build_filename (folder, "xx", NULL);
  g_autofree char *messages = g_build_filename (language, "LC_MESSAGES", NULL);
  g_autofree char *path = g_build_filename (messages, GETTEXT_PACKAGE ".mo", NULL);
  g_autofree char *message = NULL, *comma = NULL, *expected = NULL;

  g_assert_cmpint (g_mkdir_with_parents (messages, 0700), ==, 0);
  write_catalogue (path, texts);
  g_setenv ("LANGUAGE", "xx", TRUE);
  g_assert_nonnull (setlocale (LC_MESSAGES, "C.UTF-8"));
  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  message = dup_json_problem ("[1");
  g_assert_cmpstr (message, ==, "<expected <\",\" or \"]\">, found <the end of the text>>");
  comma = dup_json_problem ("[1,]");
  g_assert_cmpstr (comma, ==, "<a comma after the last item>");
  g_assert_cmpstr (kg_json_kind_name (KG_JSON_NUMBER), ==, "<a number>");
  g_assert_cmpstr (kg_json_kind_name (KG_JSON_NULL), ==, "null");
  g_assert_false (kg_regular_file_check (folder, "a graph", &error));
  expected = g_strdup_printf ("<%s is a folder, not <a graph>>", folder);
  g_assert_cmpstr (error->message, ==, expected);

  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (messages), ==, 0);
  g_assert_cmpint (g_rmdir (language), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/set", test_set);
  g_test_add_func ("/error/nowhere", test_nowhere);
  g_test_add_func ("/error/empty", test_empty);
  g_test_add_func ("/error/translated", test_translated);
  g_test_add_func ("/error/column", test_column);
  g_test_add_func ("/error/parts", test_parts);
  return g_test_run ();
}
