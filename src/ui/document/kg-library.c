/* kg-library: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-library.h"

#include "kg-gegl-types.h"
#include "kg-preset-store.h"

#include <gio/gio.h>
#include <glib/gi18n.h>

/* Several files, or one in several steps, are written within this time. */
#define SETTLE_MILLISECONDS 250

struct _KgLibrary {
  GObject parent_instance;
  KgTypes *own, *types;
  guint n_own; /* types of own when the folders were read */
  char *graph_folder, *built_in;
  GPtrArray *monitors, *problems;
  guint reload_source;
};

G_DEFINE_FINAL_TYPE (KgLibrary, kg_library, G_TYPE_OBJECT)

static gboolean
reload_later (gpointer data)
{
  KgLibrary *self = KG_LIBRARY (data);

  self->reload_source = 0;
  kg_library_reload (self);
  return G_SOURCE_REMOVE;
}

static void
on_file (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event, KgLibrary *self)
{
  (void) monitor;
  (void) file;
  (void) other;
  (void) event;
  g_clear_handle_id (&self->reload_source, g_source_remove);
  self->reload_source = g_timeout_add (SETTLE_MILLISECONDS, reload_later, self);
}

static void
stop_watching (KgLibrary *self)
{
  for (guint i = 0; i < self->monitors->len; i++)
    g_signal_handlers_disconnect_by_data (g_ptr_array_index (self->monitors, i), self);
  g_ptr_array_set_size (self->monitors, 0);
}

static void
watch (KgLibrary *self, const char *const *folders)
{
  stop_watching (self);
  for (guint i = 0; folders[i] != NULL; i++) {
    g_autoptr (GFile) folder = g_file_new_for_path (folders[i]);
    GFileMonitor *monitor = g_file_monitor_directory (folder, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);

    if (monitor == NULL)
      continue;
    g_signal_connect (monitor, "changed", G_CALLBACK (on_file), self);
    g_ptr_array_add (self->monitors, monitor);
  }
}

static void
read_folders (KgLibrary *self)
{
  g_auto (GStrv) folders = kg_preset_dup_folders (self->graph_folder, self->built_in);

  g_ptr_array_set_size (self->problems, 0);
  g_clear_pointer (&self->types, kg_types_unref);
  self->n_own = kg_types_get_n (self->own);
  self->types = kg_types_load_presets (self->own, (const char *const *) folders, self->problems);
}

void
kg_library_reload (KgLibrary *self)
{
  g_clear_handle_id (&self->reload_source, g_source_remove);
  read_folders (self);
  g_signal_emit_by_name (self, "changed");
}

void
kg_library_set_graph_folder (KgLibrary *self, const char *folder)
{
  g_auto (GStrv) folders = NULL;

  if (g_strcmp0 (folder, self->graph_folder) == 0)
    return;
  g_free (self->graph_folder);
  self->graph_folder = g_strdup (folder);
  folders = kg_preset_dup_folders (self->graph_folder, self->built_in);
  watch (self, (const char *const *) folders);
  kg_library_reload (self);
}

static void
load_offered (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  (void) source;
  (void) data;
  (void) cancellable;
  g_task_return_boolean (task, kg_gegl_load_types (NULL) != NULL);
}

static void
add_offered (GObject *source, GAsyncResult *result, gpointer data)
{
  KgLibrary *self = KG_LIBRARY (source);

  (void) data;
  /* A library that was made after another one had added them has read the presets with them. */
  if (g_task_propagate_boolean (G_TASK (result), NULL) && kg_types_add_offered (self->own, NULL) &&
      kg_types_get_n (self->own) != self->n_own)
    kg_library_reload (self);
}

void
kg_library_load_offered (KgLibrary *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, add_offered, NULL);

  g_task_run_in_thread (task, load_offered);
}

KgTypes *
kg_library_get_types (KgLibrary *self)
{
  return self->types;
}

char *
kg_library_dup_problems (KgLibrary *self)
{
  GString *text;

  if (self->problems->len == 0)
    return NULL;
  text = g_string_new (NULL);
  for (guint i = 0; i < self->problems->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "",
                            ((const KgProblem *) g_ptr_array_index (self->problems, i))->message);
  return g_string_free (text, FALSE);
}

static void
kg_library_finalize (GObject *object)
{
  KgLibrary *self = KG_LIBRARY (object);

  g_clear_handle_id (&self->reload_source, g_source_remove);
  stop_watching (self);
  g_ptr_array_unref (self->monitors);
  g_ptr_array_unref (self->problems);
  g_clear_pointer (&self->types, kg_types_unref);
  kg_types_unref (self->own);
  g_free (self->graph_folder);
  g_free (self->built_in);
  G_OBJECT_CLASS (kg_library_parent_class)->finalize (object);
}

static void
kg_library_class_init (KgLibraryClass *class)
{
  G_OBJECT_CLASS (class)->finalize = kg_library_finalize;
  g_signal_new ("changed", KG_TYPE_LIBRARY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
kg_library_init (KgLibrary *self)
{
  self->monitors = g_ptr_array_new_with_free_func (g_object_unref);
  self->problems = kg_problems_new ();
}

KgLibrary *
kg_library_new (KgTypes *own, const char *graph_folder, const char *built_in)
{
  KgLibrary *self = KG_LIBRARY (g_object_new (KG_TYPE_LIBRARY, NULL));
  g_auto (GStrv) folders = kg_preset_dup_folders (graph_folder, built_in);

  self->own = kg_types_ref (own);
  kg_gegl_offer (self->own);
  self->graph_folder = g_strdup (graph_folder);
  self->built_in = g_strdup (built_in);
  watch (self, (const char *const *) folders);
  read_folders (self);
  return self;
}

char *
kg_library_describe_folder (const char *folder, const char *graph_folder)
{
  g_autofree char *user = kg_preset_dup_user_folder (), *shown = g_filename_display_name (folder);
  g_autofree char *beside = graph_folder != NULL ? g_build_filename (graph_folder, "presets", NULL) : NULL;

  if (g_str_equal (folder, user))
    return g_strdup_printf (_ ("My presets (%s)"), shown);
  if (g_strcmp0 (folder, beside) == 0)
    return g_strdup_printf (_ ("Next to the graph (%s)"), shown);
  return g_steal_pointer (&shown);
}
