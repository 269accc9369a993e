/* kg-file-chooser: what the dialogs that choose files have in common.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Shows the files of a pattern, such as "*.json", which people know as name; all of them if asked. */
void kg_file_chooser_add_filters (GtkFileChooser *chooser, const char *name, const char *pattern);

G_END_DECLS
