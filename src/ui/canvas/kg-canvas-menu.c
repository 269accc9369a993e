/* kg-canvas-menu: everything there is to do with a node, or with the ground, as a menu.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-preset.h"

#include <glib/gi18n.h>

typedef struct {
  const char *label, *action, *value; /* value: (nullable) of an action that takes one */
  const char *keys;                   /* (nullable) as they are bound */
} Entry;

static void
append (GMenu *menu, const Entry *entries, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_autoptr (GMenuItem) item = g_menu_item_new (_ (entries[i].label), NULL);

    g_menu_item_set_action_and_target (item, entries[i].action, entries[i].value != NULL ? "s" : NULL,
                                       entries[i].value);
    if (entries[i].keys != NULL)
      g_menu_item_set_attribute (item, "accel", "s", entries[i].keys);
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

static const Entry add_entry[] = { { N_ ("Add Node…"), "canvas.add", NULL, "Tab" },
                                   { N_ ("Find Node…"), "canvas.find", NULL, "<Control>f" } };
static const Entry paste_entry[] = { { N_ ("Paste"), "canvas.paste", NULL, "<Control>v" } };
static const Entry node_entries[] = {
  { N_ ("Show in Viewport"), "canvas.display", NULL, "d" },
  { N_ ("Show Also in Scene View"), "canvas.stage", "shown", "<Shift>d" },
  { N_ ("Template in Scene View"), "canvas.stage", "template", "<Shift>t" },
  { N_ ("Bypass"), "canvas.bypass", NULL, "b" },
  { N_ ("Rename…"), "canvas.rename", NULL, "F2" },
  { N_ ("Duplicate"), "canvas.duplicate", NULL, "<Control>d" },
  { N_ ("Cut"), "canvas.cut", NULL, "<Control>x" },
  { N_ ("Copy"), "canvas.copy", NULL, "<Control>c" },
};
static const Entry delete_entries[] = {
  { N_ ("Delete"), "canvas.delete", NULL, "Delete" },
  { N_ ("Delete and Leave Gap"), "canvas.delete-only", NULL, "<Shift>Delete" },
};
static const Entry group_entries[] = {
  { N_ ("Collapse into Sub-Graph"), "canvas.collapse", NULL, "<Control>g" },
  { N_ ("Expand Sub-Graph"), "canvas.expand", NULL, "<Control><Shift>g" },
  { N_ ("Enter Sub-Graph"), "canvas.enter", NULL, "i" },
  { N_ ("Make Preset…"), "win.make-preset", NULL, NULL },
  { N_ ("Frame around Selection"), "canvas.frame", NULL, "<Shift>j" },
};
static const Entry instance_entries[] = {
  { N_ ("Edit Contents of Preset"), "win.preset-edit", NULL, NULL },
  { N_ ("Save as New Version…"), "win.preset-save-version", NULL, NULL },
  { N_ ("Match Definition"), "win.preset-match", NULL, NULL },
  { N_ ("Upgrade Preset…"), "win.preset-upgrade", NULL, NULL },
};
static const Entry link_entries[] = {
  { N_ ("Link Output…"), "canvas.link", "output", "c" },
  { N_ ("Link Input…"), "canvas.link", "input", "<Shift>c" },
  { N_ ("Unlink Input…"), "canvas.unlink", NULL, "y" },
  { N_ ("Add Dot…"), "canvas.dot", NULL, "r" },
};
static const Entry color_entries[] = {
  { N_ ("None"), "canvas.color", "", NULL },          { N_ ("Red"), "canvas.color", "#b5453c", NULL },
  { N_ ("Orange"), "canvas.color", "#c9772b", NULL }, { N_ ("Yellow"), "canvas.color", "#c7a52e", NULL },
  { N_ ("Green"), "canvas.color", "#4b9153", NULL },  { N_ ("Blue"), "canvas.color", "#3f74b5", NULL },
  { N_ ("Violet"), "canvas.color", "#7a57b0", NULL }, { N_ ("Grey"), "canvas.color", "#6c7078", NULL },
};
static const Entry align_entries[] = {
  { N_ ("Left Edges"), "canvas.align", "left", NULL },
  { N_ ("Top Edges"), "canvas.align", "top", NULL },
  { N_ ("As a Row"), "canvas.align", "row", NULL },
  { N_ ("As a Column"), "canvas.align", "column", NULL },
};
static const Entry select_entries[] = {
  { N_ ("All Upstream Nodes"), "canvas.select-upstream", NULL, "<Shift>Left" },
  { N_ ("All Downstream Nodes"), "canvas.select-downstream", NULL, "<Shift>Right" },
};
static const Entry look_entries[] = {
  { N_ ("Thumbnail"), "canvas.thumbnails", NULL, "t" },
  { N_ ("All Inputs"), "canvas.expand-inputs", NULL, "e" },
};
static const Entry ground_entries[] = {
  { N_ ("Add Note"), "canvas.note", NULL, "<Shift>n" },
  { N_ ("Leave Sub-Graph"), "canvas.leave", NULL, "u" },
};
static const Entry view_entries[] = {
  { N_ ("Lay Out"), "canvas.layout", NULL, "l" },
  { N_ ("Time Spent"), "canvas.heat", NULL, "h" },
  { N_ ("Overview Map"), "canvas.overview", NULL, "o" },
  { N_ ("Fit All"), "canvas.fit", NULL, "a" },
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
    /* Beside the pointer it slides up at the bottom of the screen, and is seen whole; below it, it would be cut. */
    gtk_popover_set_position (GTK_POPOVER (self->menu), GTK_POS_RIGHT);
    gtk_widget_set_valign (self->menu, GTK_ALIGN_START);
    gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
  }
  gtk_popover_menu_set_menu_model (GTK_POPOVER_MENU (self->menu), G_MENU_MODEL (menu));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &at);
  gtk_popover_popup (GTK_POPOVER (self->menu));
}
