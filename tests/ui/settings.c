/* settings: defaults without a schema, values that are remembered while the program runs, and what is out of range.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-settings.h"

#define G_SETTINGS_ENABLE_BACKEND
#include <gio/gsettingsbackend.h>
#include <locale.h>

static void
count (guint *n)
{
  ++*n;
}

static void
test_defaults (void)
{
  g_autoptr (KgSettings) settings = KG_SETTINGS (g_object_new (KG_TYPE_SETTINGS, NULL));
  int width, position;

  g_object_get (settings, "window-width", &width, "side-position", &position, NULL);
  g_assert_cmpint (kg_settings_get_theme (settings), ==, KG_THEME_FOLLOW);
  g_assert_cmpuint (kg_settings_get_autosave_seconds (settings), ==, 20);
  g_assert_true (kg_settings_get_snap_to_grid (settings));
  g_assert_cmpint (kg_settings_get_thumbnails (settings), ==, KG_THUMBNAILS_NONE);
  g_assert_cmpuint (kg_settings_get_cache_budget (settings), ==, (guint64) 2 << 30);
  g_assert_cmpstr (kg_settings_get_recent_folder (settings), ==, "");
  g_assert_cmpint (width, ==, 1280);
  g_assert_cmpint (position, ==, -1);
}

static void
test_changes (void)
{
  g_autoptr (KgSettings) settings = KG_SETTINGS (g_object_new (KG_TYPE_SETTINGS, NULL));
  guint n = 0;

  g_signal_connect_swapped (settings, "notify::recent-folder", G_CALLBACK (count), &n);
  kg_settings_set_recent_folder (settings, "/tmp");
  kg_settings_set_recent_folder (settings, "/tmp");
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (kg_settings_get_recent_folder (settings), ==, "/tmp");
  kg_settings_set_recent_folder (settings, NULL);
  g_assert_cmpstr (kg_settings_get_recent_folder (settings), ==, "");
  kg_settings_set_favourite (settings, "a/one", true);
  kg_settings_set_favourite (settings, "a/two", true);
  kg_settings_set_favourite (settings, "a/one", true);
  g_assert_true (kg_settings_is_favourite (settings, "a/one"));
  kg_settings_set_favourite (settings, "a/one", false);
  g_assert_false (kg_settings_is_favourite (settings, "a/one"));
  g_assert_true (kg_settings_is_favourite (settings, "a/two"));
  g_object_set (settings, "theme", KG_THEME_LIGHT, "snap-to-grid", FALSE, "autosave-seconds", 60u, NULL);
  g_assert_cmpint (kg_settings_get_theme (settings), ==, KG_THEME_LIGHT);
  g_assert_false (kg_settings_get_snap_to_grid (settings));
  g_assert_cmpuint (kg_settings_get_autosave_seconds (settings), ==, 60);
}

/* The schema has every property, with its default, so that installing it changes nothing. */
static void
test_schema (void)
{
  g_autoptr (GSettingsSchemaSource) source = NULL;
  g_autoptr (GSettingsSchema) schema = NULL;
  g_autoptr (KgSettings) settings = KG_SETTINGS (g_object_new (KG_TYPE_SETTINGS, NULL));
  g_autoptr (GSettings) kept = NULL;
  g_autoptr (GSettingsBackend) backend = g_memory_settings_backend_new ();
  g_autoptr (GError) error = NULL;
  g_autofree GParamSpec **properties = NULL;
  guint n;

  source = g_settings_schema_source_new_from_directory (g_getenv ("KG_SCHEMAS"), NULL, TRUE, &error);
  g_assert_no_error (error);
  schema = g_settings_schema_source_lookup (source, "org.kineograph.Kineograph", FALSE);
  g_assert_nonnull (schema);
  kept = g_settings_new_full (schema, backend, NULL);
  properties = g_object_class_list_properties (G_OBJECT_GET_CLASS (settings), &n);
  g_assert_cmpuint (n, >, 0);
  for (guint i = 0; i < n; i++) {
    g_auto (GValue) ours = G_VALUE_INIT, theirs = G_VALUE_INIT;

    g_assert_true (g_settings_schema_has_key (schema, properties[i]->name));
    g_object_get_property (G_OBJECT (settings), properties[i]->name, &ours);
    g_settings_bind (kept, properties[i]->name, settings, properties[i]->name, G_SETTINGS_BIND_GET);
    g_object_get_property (G_OBJECT (settings), properties[i]->name, &theirs);
    g_assert_cmpint (g_param_values_cmp (properties[i], &ours, &theirs), ==, 0);
  }
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  /* Whatever is installed or set on this computer. */
  g_setenv ("XDG_DATA_DIRS", "/nonexistent", TRUE);
  g_setenv ("XDG_DATA_HOME", "/nonexistent", TRUE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  g_unsetenv ("GSETTINGS_SCHEMA_DIR");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settings/defaults", test_defaults);
  g_test_add_func ("/settings/changes", test_changes);
  g_test_add_func ("/settings/schema", test_schema);
  return g_test_run ();
}
