/* kg-manual: pages of the manual in a window: what a tooltip has no room for, such as the language of a text.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* (transfer full) (nullable) The heading of the page docs/NAME.md; NULL where it is not installed. */
char *kg_manual_dup_title (const char *name);
/* Shows the page, if there is one. */
void kg_manual_show (const char *name, GtkWindow *parent);

G_END_DECLS
