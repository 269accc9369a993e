/* kg-recent: the graphs that were open last, by the list that programs of the desktop share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* (transfer full) Their paths, the last first; those that are still there. */
char **kg_recent_dup_paths (void);
/* An entry for each of them. */
void kg_recent_fill_menu (GMenu *menu);

G_END_DECLS
