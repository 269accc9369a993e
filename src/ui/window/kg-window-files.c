/* kg-window-files: the file that the graph belongs to: saving, what another program does to it, and closing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-problems-dialog.h"
#include "kg-settings.h"
#include "kg-window-private.h"

#include <glib/gi18n.h>

void
kg_window_check_file (KgWindow *self)
{
  const KgFileState state = kg_document_check_file (self->document);

  gtk_label_set_text (
      GTK_LABEL (self->changed_label),
      state == KG_FILE_GONE
          ? _ ("The file no longer exists: it was deleted, moved or renamed. Nothing is lost: saving writes it again.")
          : _ ("Another program has changed the file."));
  gtk_widget_set_visible (self->reload_button, state != KG_FILE_GONE);
  gtk_widget_set_visible (self->save_again_button, state == KG_FILE_GONE);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->changed_bar), state != KG_FILE_SAME);
}

void
kg_window_watch_file (KgWindow *self)
{
  const char *path = kg_document_get_path (self->document);
  g_autoptr (GFile) file = path != NULL ? g_file_new_for_path (path) : NULL;

  if (self->monitor != NULL)
    g_signal_handlers_disconnect_by_data (self->monitor, self);
  g_clear_object (&self->monitor);
  if (file != NULL)
    self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_object (self->monitor, "changed", G_CALLBACK (kg_window_check_file), self, G_CONNECT_SWAPPED);
}

void
kg_window_remember_file (KgWindow *self)
{
  g_autofree char *uri = g_filename_to_uri (kg_document_get_path (self->document), NULL, NULL);
  g_autofree char *folder = g_path_get_dirname (kg_document_get_path (self->document));

  if (uri != NULL)
    gtk_recent_manager_add_item (gtk_recent_manager_get_default (), uri);
  kg_settings_set_recent_folder (kg_settings_get_default (), folder);
}

static bool
save_to (KgWindow *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);

  if (!kg_document_save (self->document, absolute, &error)) {
    kg_error_dialog_show (GTK_WINDOW (self), _ ("The graph could not be saved"), error);
    return false;
  }
  kg_window_show_message (self, _ ("Saved"));
  kg_window_watch_file (self);
  kg_window_remember_file (self);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->changed_bar), FALSE);
  return true;
}

static void
on_save_response (GtkNativeDialog *dialog, int response, KgWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
    g_autofree char *path = g_file_get_path (file);

    if (path != NULL && save_to (self, path) && self->closing)
      gtk_window_destroy (GTK_WINDOW (self));
  } else
    self->closing = false;
  g_object_unref (dialog);
}

/* (transfer full) What a graph that belongs to no file is called on the disk: by its title. */
static char *
dup_file_name (KgWindow *self)
{
  g_autofree char *name = g_strstrip (g_strdup (kg_graph_get_title (kg_document_get_graph (self->document))));

  /* No folders, no hidden files, and nothing that other systems refuse. */
  g_strdelimit (name, "/\\:*?\"<>|\t\n\r", '-');
  if (*name == '.')
    *name = '-';
  return *name != '\0' ? g_strdup_printf ("%s.kineo.json", name) : g_strdup (_ ("untitled.kineo.json"));
}

void
kg_window_save_as (KgWindow *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (_ ("Save Graph"), GTK_WINDOW (self),
                                                              GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), _ ("_Cancel"));
  const char *path = kg_document_get_path (self->document);

  if (path != NULL) {
    g_autoptr (GFile) file = g_file_new_for_path (path);

    gtk_file_chooser_set_file (GTK_FILE_CHOOSER (dialog), file, NULL);
  } else {
    const char *recent = kg_settings_get_recent_folder (kg_settings_get_default ());
    g_autofree char *name = dup_file_name (self);

    if (*recent != '\0') {
      g_autoptr (GFile) folder = g_file_new_for_path (recent);

      gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
    }
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  }
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The window may go right after its dialog, which must not look for it then. */
static void
end_dialog (GtkDialog *dialog)
{
  gtk_window_set_transient_for (GTK_WINDOW (dialog), NULL);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
on_overwrite_response (GtkDialog *dialog, int response, KgWindow *self)
{
  end_dialog (dialog);
  if (response == GTK_RESPONSE_REJECT)
    kg_window_save_as (self);
  else if (response != GTK_RESPONSE_ACCEPT)
    self->closing = false;
  else if (save_to (self, kg_document_get_path (self->document)) && self->closing)
    gtk_window_destroy (GTK_WINDOW (self));
}

static void
ask_to_overwrite (KgWindow *self)
{
  g_autofree char *name = g_path_get_basename (kg_document_get_path (self->document));
  GtkWidget *dialog = gtk_message_dialog_new (GTK_WINDOW (self), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                              GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE,
                                              _ ("Another program has changed “%s”. Overwrite it?"), name);

  gtk_window_set_title (GTK_WINDOW (dialog), _ ("Kineograph"));
  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog),
                                            _ ("The changes made by the other program will be lost."));
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Overwrite"), GTK_RESPONSE_ACCEPT, _ ("_Cancel"),
                          GTK_RESPONSE_CANCEL, _ ("Save _As…"), GTK_RESPONSE_REJECT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_REJECT);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_overwrite_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* True when it is done; otherwise a question is on its way. */
bool
kg_window_save (KgWindow *self)
{
  const char *path = kg_document_get_path (self->document);

  kg_inspector_commit (KG_INSPECTOR (self->inspector));
  if (path == NULL)
    kg_window_save_as (self);
  else if (kg_document_check_file (self->document) == KG_FILE_CHANGED)
    ask_to_overwrite (self);
  else
    return save_to (self, path);
  return false;
}

/* Closing. */

static void
on_close_response (GtkDialog *dialog, int response, KgWindow *self)
{
  end_dialog (dialog);
  if (response == GTK_RESPONSE_REJECT) {
    kg_recovery_clear (self->recovery);
    gtk_window_destroy (GTK_WINDOW (self));
  } else if (response == GTK_RESPONSE_ACCEPT) {
    self->closing = true;
    if (kg_window_save (self))
      gtk_window_destroy (GTK_WINDOW (self));
  } else
    self->closing = false;
}

void
kg_window_ask_to_close (KgWindow *self)
{
  GtkWidget *dialog;
  g_autofree char *name = NULL;
  const bool gone = self->document != NULL && kg_document_check_file (self->document) == KG_FILE_GONE;

  if (self->document != NULL)
    kg_inspector_commit (KG_INSPECTOR (self->inspector));
  if (self->document == NULL || !kg_document_is_modified (self->document)) {
    if (self->recovery != NULL)
      kg_recovery_clear (self->recovery);
    gtk_window_destroy (GTK_WINDOW (self));
    return;
  }
  name = kg_document_dup_name (self->document);
  dialog = gtk_message_dialog_new (GTK_WINDOW (self), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                   GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, _ ("Save the changes to “%s”?"), name);
  gtk_window_set_title (GTK_WINDOW (dialog), _ ("Kineograph"));
  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog), "%s",
      gone ? _ ("The file no longer exists: without saving, the whole graph is lost.")
           : _ ("Without saving, the changes since the last save are lost."));
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Discard"), GTK_RESPONSE_REJECT, _ ("_Cancel"), GTK_RESPONSE_CANCEL,
                          _ ("_Save"), GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_close_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

bool
kg_window_is_open_elsewhere (KgWindow *self, const char *path)
{
  for (GList *l = gtk_application_get_windows (gtk_window_get_application (GTK_WINDOW (self))); l != NULL;
       l = l->next) {
    KgDocument *document = KG_IS_WINDOW (l->data) && l->data != self ? KG_WINDOW (l->data)->document : NULL;

    if (document != NULL && g_strcmp0 (kg_document_get_path (document), path) == 0)
      return true;
  }
  return false;
}
