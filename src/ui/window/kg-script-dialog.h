/* kg-script-dialog: the session as a script, and scripts on the graph (docs/script.md).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Asks for a file, and writes what was done in the document since it was made or read. */
void kg_script_dialog_save (KgDocument *document, GtkWindow *parent);
/* Asks for a script and runs it on the document, as one step of undo.  What is wrong with it is shown line by line, and
 * the graph stays as it was. */
void kg_script_dialog_run (KgDocument *document, GtkWindow *parent);

G_END_DECLS
