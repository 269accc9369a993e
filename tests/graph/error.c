/* Errors and their messages: where they are looked up, what is put before them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-error.h"

#include <glib/gi18n.h>
#include <locale.h>

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
  static const char *const english = "there is no node \"%s\"";
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
  g_assert_cmpstr (error->message, !=, "there is no node \"ball\"");
  g_assert_nonnull (strstr (error->message, "ball"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/set", test_set);
  g_test_add_func ("/error/nowhere", test_nowhere);
  g_test_add_func ("/error/empty", test_empty);
  g_test_add_func ("/error/translated", test_translated);
  return g_test_run ();
}
