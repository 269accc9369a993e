/* kg-canvas-menu: everything there is to do with a node, or with the ground, as a menu.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-preset.h"

#include <glib/gi18n.h>

typedef struct {
  const char *label, *action, *value; /* value: (nullable) of an action that takes one */
} Entry;

static void
append (GMenu *menu, const Entry *entries, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_autoptr (GMenuItem) item = g_menu_item_new (_ (entries[i].label), NULL);

    g_menu_item_set_action_and_target (item, entries[i].action, entries[i].value != NULL ? "s" : NULL,
                                       entries[i].value);
    g_menu_append_item (menu, item);
  }
}

static void
append_submenu (GMenu *menu, const char *label, const Entry *entries, gsize n)
{
  g_autoptr (GMenu) submenu = g_menu_new ();

  append (submenu, entries, n);
  g_menu_append_submenu (menu, label, G_MENU_MODEL (submenu));
}

static const Entry add_entry[] = { { N_ ("Add Node…"), "canvas.add", NULL },
                                   { N_ ("Find Node…"), "canvas.find", NULL } };
static const Entry paste_entry[] = { { N_ ("Paste"), "canvas.paste", NULL } };
static const Entry node_entries[] = {
  { N_ ("Show in Viewport"), "canvas.display", NULL },
  { N_ ("Bypass"), "canvas.bypass", NULL },
  { N_ ("Rename…"), "canvas.rename", NULL },
  { N_ ("Duplicate"), "canvas.duplicate", NULL },
  { N_ ("Cut"), "canvas.cut", NULL },
  { N_ ("Copy"), "canvas.copy", NULL },
};
static const Entry delete_entries[] = {
  { N_ ("Delete"), "canvas.delete", NULL },
  { N_ ("Delete and Leave Gap"), "canvas.delete-only", NULL },
};
static const Entry group_entries[] = {
  { N_ ("Collapse into Sub-Graph"), "canvas.collapse", NULL },
  { N_ ("Expand Sub-Graph"), "canvas.expand", NULL },
  { N_ ("Enter Sub-Graph"), "canvas.enter", NULL },
  { N_ ("Make Preset…"), "win.make-preset", NULL },
  { N_ ("Frame around Selection"), "canvas.frame", NULL },
};
static const Entry instance_entries[] = {
  { N_ ("Edit Contents of Preset"), "win.preset-edit", NULL },
  { N_ ("Save as New Version…"), "win.preset-save-version", NULL },
  { N_ ("Match Definition"), "win.preset-match", NULL },
  { N_ ("Upgrade Preset…"), "win.preset-upgrade", NULL },
};
static const Entry link_entries[] = {
  { N_ ("Link Output…"), "canvas.link", "output" },
  { N_ ("Link Input…"), "canvas.link", "input" },
  { N_ ("Unlink Input…"), "canvas.unlink", NULL },
  { N_ ("Add Dot…"), "canvas.dot", NULL },
};
static const Entry color_entries[] = {
  { N_ ("None"), "canvas.color", "" },          { N_ ("Red"), "canvas.color", "#b5453c" },
  { N_ ("Orange"), "canvas.color", "#c9772b" }, { N_ ("Yellow"), "canvas.color", "#c7a52e" },
  { N_ ("Green"), "canvas.color", "#4b9153" },  { N_ ("Blue"), "canvas.color", "#3f74b5" },
  { N_ ("Violet"), "canvas.color", "#7a57b0" }, { N_ ("Grey"), "canvas.color", "#6c7078" },
};
static const Entry align_entries[] = {
  { N_ ("Left Edges"), "canvas.align", "left" },
  { N_ ("Top Edges"), "canvas.align", "top" },
  { N_ ("As a Row"), "canvas.align", "row" },
  { N_ ("As a Column"), "canvas.align", "column" },
};
static const Entry select_entries[] = {
  { N_ ("All Upstream Nodes"), "canvas.select-upstream", NULL },
  { N_ ("All Downstream Nodes"), "canvas.select-downstream", NULL },
};
static const Entry look_entries[] = {
  { N_ ("Thumbnail"), "canvas.thumbnails", NULL },
  { N_ ("All Inputs"), "canvas.expand-inputs", NULL },
};
static const Entry ground_entries[] = {
  { N_ ("Add Note"), "canvas.note", NULL },
  { N_ ("Leave Sub-Graph"), "canvas.leave", NULL },
};
static const Entry view_entries[] = {
  { N_ ("Lay Out"), "canvas.layout", NULL },
  { N_ ("Time Spent"), "canvas.heat", NULL },
  { N_ ("Overview Map"), "canvas.overview", NULL },
  { N_ ("Fit All"), "canvas.fit", NULL },
};

#define ENTRIES(table) (table), G_N_ELEMENTS (table)

static GMenu *
make_menu (bool on_node, bool is_instance)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) edit = g_menu_new (), view = g_menu_new ();

  append (edit, ENTRIES (add_entry));
  if (on_node)
    append (edit, ENTRIES (node_entries));
  append (edit, ENTRIES (paste_entry));
  if (on_node)
    append (edit, ENTRIES (delete_entries));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (edit));
  if (on_node) {
    g_autoptr (GMenu) group = g_menu_new ();

    append (group, ENTRIES (group_entries));
    if (is_instance)
      append (group, ENTRIES (instance_entries));
    append_submenu (group, _ ("Links"), ENTRIES (link_entries));
    append_submenu (group, _ ("Colour"), ENTRIES (color_entries));
    g_menu_append_section (menu, NULL, G_MENU_MODEL (group));
    append_submenu (view, _ ("Align"), ENTRIES (align_entries));
    append_submenu (view, _ ("Select"), ENTRIES (select_entries));
    append (view, ENTRIES (look_entries));
  } else
    append (view, ENTRIES (ground_entries));
  append (view, ENTRIES (view_entries));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (view));
  return menu;
}

void
kg_canvas_open_menu (KgCanvas *self, KgNode *node, double wx, double wy)
{
  const GdkRectangle at = { (int) wx, (int) wy, 1, 1 };
  g_autoptr (GMenu) menu = make_menu (node != NULL, node != NULL && kg_node_get_preset (node) != NULL);

  kg_canvas_finish_tool (self);
  if (node != NULL && !kg_document_is_selected (self->document, node))
    kg_document_select (self->document, node, false);
  if (self->menu == NULL) {
    self->menu = gtk_popover_menu_new_from_model (NULL);
    gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
    gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
    gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
  }
  gtk_popover_menu_set_menu_model (GTK_POPOVER_MENU (self->menu), G_MENU_MODEL (menu));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &at);
  gtk_popover_popup (GTK_POPOVER (self->menu));
}
