/* kg-expression-dialog: a window for expressions that are too long for their field: several lines, where its problem is, and the
 * functions and names that can be written, with insertion.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What was written was accepted. */
typedef void (*KgExpressionTake) (gpointer owner, const char *text);

/* title: of what it is the expression; text: what it begins with; names: (element-type utf8) what else can be read there, as
 * "node.slot"; owner: a widget; take is not called once it is gone. */
void kg_expression_dialog_open (GtkWidget *owner, const char *title, const char *text, GPtrArray *names,
                                KgExpressionTake take);

G_END_DECLS
