/* kg-recent: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-recent.h"

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_RECENT 8

/* (transfer full) (nullable) The path of a recent file that is one of ours and still there. */
static char *
get_path (GtkRecentInfo *info)
{
  g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (info), NULL, NULL);

  if (path == NULL ||
      !(gtk_recent_info_has_application (info, "Kineograph") || g_str_has_suffix (path, ".kineo.json")) ||
      !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  return g_steal_pointer (&path);
}

static int
compare_age (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified ((GtkRecentInfo *) b),
                              gtk_recent_info_get_modified ((GtkRecentInfo *) a));
}

char **
kg_recent_dup_paths (void)
{
  GList *items = g_list_sort (gtk_recent_manager_get_items (gtk_recent_manager_get_default ()), compare_age);
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();
  guint n = 0;

  for (const GList *item = items; item != NULL && n < MAX_RECENT; item = item->next) {
    g_autofree char *path = get_path ((GtkRecentInfo *) item->data);

    if (path == NULL)
      continue;
    g_strv_builder_add (paths, path);
    n++;
  }
  g_list_free_full (items, (GDestroyNotify) gtk_recent_info_unref);
  return g_strv_builder_end (paths);
}

/* (transfer full) Underscores in names are not mnemonics. */
static char *
dup_without_mnemonics (const char *text)
{
  GString *escaped = g_string_new (text);

  g_string_replace (escaped, "_", "__", 0);
  return g_string_free (escaped, FALSE);
}

void
kg_recent_fill_menu (GMenu *menu)
{
  g_auto (GStrv) paths = kg_recent_dup_paths ();

  g_menu_remove_all (menu);
  for (char **path = paths; *path != NULL; path++) {
    g_autofree char *folder = g_path_get_dirname (*path), *where = g_filename_display_basename (folder);
    g_autofree char *name = g_filename_display_basename (*path), *text = g_strdup_printf (_ ("%s in %s"), name, where);
    g_autofree char *label = dup_without_mnemonics (text);
    g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

    /* A path may consist of any bytes; the parameter of an action may not. */
    if (!g_utf8_validate (*path, -1, NULL))
      continue;
    g_menu_item_set_action_and_target (item, "app.open-path", "s", *path);
    g_menu_append_item (menu, item);
  }
}
