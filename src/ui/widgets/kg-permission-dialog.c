/* kg-permission-dialog: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-permission-dialog.h"

#include <glib/gi18n.h>

GtkWidget *
kg_permission_dialog_new (GtkWindow *parent, const char *question, const char *explanation, GPtrArray *folders)
{
  GtkWidget *dialog = gtk_message_dialog_new (parent, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                              GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s", question);
  g_autoptr (GString) text = g_string_new (explanation);

  for (guint i = 0; i < folders->len; i++)
    g_string_append_printf (text, "\n%s", (const char *) folders->pdata[i]);
  gtk_window_set_title (GTK_WINDOW (dialog), _ ("Kineograph"));
  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s", text->str);
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Do Not Allow"), GTK_RESPONSE_REJECT, _ ("_Allow"),
                          GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_REJECT);
  g_object_set_data_full (G_OBJECT (dialog), "folders", g_ptr_array_ref (folders), (GDestroyNotify) g_ptr_array_unref);
  return dialog;
}
