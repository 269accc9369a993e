/* drag-source: a window that files are dragged from, as a file manager would give them.
 *
 * drag-source FILE...
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gtk/gtk.h>

static GdkContentProvider *
on_prepare (GtkDragSource *source, double x, double y, GSList *files)
{
  (void) source;
  (void) x;
  (void) y;
  return gdk_content_provider_new_typed (GDK_TYPE_FILE_LIST, files);
}

int
main (int argc, char **argv)
{
  GSList *files = NULL;
  GtkDragSource *source;
  GtkWidget *window, *label;

  gtk_init ();
  for (int i = argc - 1; i > 0; i--)
    files = g_slist_prepend (files, g_file_new_for_commandline_arg (argv[i]));
  source = gtk_drag_source_new ();
  g_signal_connect (source, "prepare", G_CALLBACK (on_prepare), files);
  label = gtk_label_new ("Drag me");
  gtk_widget_add_controller (label, GTK_EVENT_CONTROLLER (source));
  window = gtk_window_new ();
  gtk_window_set_title (GTK_WINDOW (window), "drag-source");
  gtk_window_set_default_size (GTK_WINDOW (window), 120, 80);
  gtk_window_set_child (GTK_WINDOW (window), label);
  gtk_window_present (GTK_WINDOW (window));
  while (g_list_model_get_n_items (gtk_window_get_toplevels ()) > 0)
    g_main_context_iteration (NULL, TRUE);
  g_slist_free_full (files, g_object_unref);
  return 0;
}
