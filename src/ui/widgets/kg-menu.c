/* kg-menu: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-menu.h"

#include "config.h"

#include <glib/gi18n.h>

void
kg_menu_append (GMenu *menu, const KgMenuEntry *entries, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_autoptr (GMenuItem) item = g_menu_item_new (_ (entries[i].label), entries[i].action);

    if (entries[i].keys != NULL)
      g_menu_item_set_attribute (item, "accel", "s", entries[i].keys);
    g_menu_append_item (menu, item);
  }
}

void
kg_menu_append_section (GMenu *menu, const KgMenuEntry *entries, gsize n)
{
  g_autoptr (GMenu) section = g_menu_new ();

  kg_menu_append (section, entries, n);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
}

void
kg_menu_append_submenu (GMenu *menu, const char *label, const KgMenuEntry *entries, gsize n)
{
  g_autoptr (GMenu) submenu = g_menu_new ();

  kg_menu_append (submenu, entries, n);
  g_menu_append_submenu (menu, label, G_MENU_MODEL (submenu));
}
