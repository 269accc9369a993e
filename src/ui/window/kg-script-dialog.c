/* kg-script-dialog: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-script-dialog.h"

#include "kg-file-chooser.h"
#include "kg-output-file.h"
#include "kg-problems-dialog.h"
#include "kg-script.h"

#include <glib/gi18n.h>

/* The document lives as long as the chooser that asks on its behalf.  (transfer full) */
static GtkFileChooserNative *
make_chooser (KgDocument *document, GtkWindow *parent, const char *title, GtkFileChooserAction action,
              const char *accept)
{
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new (title, parent, action, accept, _ ("_Cancel"));
  const char *path = kg_document_get_path (document);

  kg_file_chooser_add_filters (GTK_FILE_CHOOSER (chooser), _ ("Scripts (*.kgs)"), "*.kgs");
  if (path != NULL) {
    g_autofree char *name = g_path_get_dirname (path);
    g_autoptr (GFile) folder = g_file_new_for_path (name);

    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), folder, NULL);
  }
  g_object_set_data_full (G_OBJECT (chooser), "kg-document", g_object_ref (document), g_object_unref);
  return chooser;
}

/* (transfer full) (nullable) */
static char *
get_path (GtkNativeDialog *chooser, int response)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser))
                                                           : NULL;

  return file != NULL ? g_file_get_path (file) : NULL;
}

static void
on_save_response (GtkNativeDialog *chooser, int response, gpointer data)
{
  KgDocument *document = KG_DOCUMENT (g_object_get_data (G_OBJECT (chooser), "kg-document"));
  g_autofree char *path = get_path (chooser, response);
  g_autoptr (GError) error = NULL;

  (void) data;
  if (path != NULL) {
    g_autofree char *script = kg_document_dup_script (document);

    if (!kg_output_file_save (path, script, &error))
      kg_error_dialog_show (gtk_native_dialog_get_transient_for (chooser), _ ("The script could not be saved"), error);
  }
  g_object_unref (chooser);
}

void
kg_script_dialog_save (KgDocument *document, GtkWindow *parent)
{
  GtkFileChooserNative *chooser =
      make_chooser (document, parent, _ ("Save Session as Script"), GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"));

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), _ ("session.kgs"));
  g_signal_connect (chooser, "response", G_CALLBACK (on_save_response), NULL);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

static void
on_run_response (GtkNativeDialog *chooser, int response, gpointer data)
{
  KgDocument *document = KG_DOCUMENT (g_object_get_data (G_OBJECT (chooser), "kg-document"));
  g_autofree char *path = get_path (chooser, response);

  (void) data;
  if (path != NULL) {
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    g_autoptr (KgScript) script = kg_script_load (path, problems);

    if (script == NULL ||
        !kg_script_run (script, kg_document_get_graph (document), NULL, KG_SCRIPT_STOP, NULL, problems))
      kg_problems_dialog_show (gtk_native_dialog_get_transient_for (chooser), path, problems);
  }
  g_object_unref (chooser);
}

void
kg_script_dialog_run (KgDocument *document, GtkWindow *parent)
{
  GtkFileChooserNative *chooser =
      make_chooser (document, parent, _ ("Run Script"), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Run"));

  g_signal_connect (chooser, "response", G_CALLBACK (on_run_response), NULL);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}
