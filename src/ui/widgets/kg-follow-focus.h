/* kg-follow-focus: a form that scrolls to the field that has the keyboard, and stays where it is under an open list or menu.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For a GtkScrolledWindow that has its child already, which does not scroll itself.  GTK's own following takes what has the
 * keyboard in a list or menu that is open for a part of the form and scrolls to where that would be: with the form goes the
 * list, between the press and the release of the button, and the row below the one that was pressed is chosen. */
void kg_follow_focus (GtkWidget *scrolled);

G_END_DECLS
