/* comma-locale: a locale in which numbers have a comma, made for the test.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>

/* Makes numbers have a comma from here on.  False, and the test is skipped, where that locale cannot be made here. */
static inline bool
comma_locale_begin (void)
{
  g_autofree char *folder = g_dir_make_tmp ("locale-XXXXXX", NULL),
                  *path = g_build_filename (folder, "de_DE.UTF-8", NULL);
  const char *const command[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", path, NULL };
  bool good;

  g_setenv ("LOCPATH", folder, TRUE);
  g_spawn_sync (NULL, (char **) command, NULL,
                G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                NULL, NULL);
  good = setlocale (LC_NUMERIC, "de_DE.UTF-8") != NULL;
  g_unsetenv ("LOCPATH");
  {
    const char *const remove[] = { "rm", "-r", folder, NULL };

    g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  }
  if (good) {
    g_autofree char *proof = g_strdup_printf ("%.1f", 0.5);

    g_assert_cmpstr (proof, ==, "0,5");
  } else
    g_test_skip ("localedef cannot make de_DE.UTF-8 here");
  return good;
}

static inline void
comma_locale_end (void)
{
  setlocale (LC_NUMERIC, "C");
}
