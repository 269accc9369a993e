/* kg-problems-dialog: what went wrong, in full.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-json.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Every problem of a file that cannot be read, by line; all of them can be copied as text. */
void kg_problems_dialog_show (GtkWindow *parent, const char *path, GPtrArray *problems);
/* One error.  title: what could not be done. */
void kg_error_dialog_show (GtkWindow *parent, const char *title, const GError *error);

G_END_DECLS
