/* kg-space-key: whether the space bar is held, which makes the pointer pan.  Alone it plays: the window sees to that.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* Keeps *held up to date while the widget, or one in it, has the keyboard.  held must live as long as the widget does. */
void kg_space_key_watch (GtkWidget *widget, bool *held);

G_END_DECLS
