/* kg-menu: menus from tables of their entries.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct {
  const char *label;  /* not translated yet */
  const char *action; /* detailed: "canvas.link::output" */
  const char *keys;   /* (nullable) as the pane has bound them: they are only shown */
} KgMenuEntry;

void kg_menu_append (GMenu *menu, const KgMenuEntry *entries, gsize n);
void kg_menu_append_section (GMenu *menu, const KgMenuEntry *entries, gsize n);
/* label: translated. */
void kg_menu_append_submenu (GMenu *menu, const char *label, const KgMenuEntry *entries, gsize n);

#define KG_MENU_ENTRIES(table) (table), G_N_ELEMENTS (table)

G_END_DECLS
