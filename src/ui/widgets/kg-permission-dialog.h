/* kg-permission-dialog: asks whether a graph may use folders that are not its own.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A GtkDialog that answers GTK_RESPONSE_ACCEPT or anything else.  folders: (element-type filename) what it lists below the
 * explanation, and its data "folders". */
GtkWidget *kg_permission_dialog_new (GtkWindow *parent, const char *question, const char *explanation,
                                     GPtrArray *folders);

G_END_DECLS
