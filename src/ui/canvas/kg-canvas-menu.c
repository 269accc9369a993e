/* kg-canvas-menu: everything there is to do with a node, or with the ground, as a menu.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-menu.h"
#include "kg-preset.h"

#include <glib/gi18n.h>

static const KgMenuEntry add_entry[] = { { N_ ("Add Node…"), "canvas.add", "Tab" },
                                         { N_ ("Find Node…"), "canvas.find", "<Control>f" } };
static const KgMenuEntry paste_entry[] = { { N_ ("Paste"), "canvas.paste", "<Control>v" } };
static const KgMenuEntry node_entries[] = {
  { N_ ("Show in Viewport"), "canvas.display", "d" },
  { N_ ("Show Also in Scene View"), "canvas.stage::shown", "<Shift>d" },
  { N_ ("Template in Scene View"), "canvas.stage::template", "<Shift>t" },
  { N_ ("Bypass"), "canvas.bypass", "b" },
  { N_ ("Rename…"), "canvas.rename", "F2" },
  { N_ ("Duplicate"), "canvas.duplicate", "<Control>d" },
  { N_ ("Cut"), "canvas.cut", "<Control>x" },
  { N_ ("Copy"), "canvas.copy", "<Control>c" },
};
static const KgMenuEntry delete_entries[] = {
  { N_ ("Delete"), "canvas.delete", "Delete" },
  { N_ ("Delete and Leave Gap"), "canvas.delete-only", "<Shift>Delete" },
};
static const KgMenuEntry group_entries[] = {
  { N_ ("Collapse into Sub-Graph"), "canvas.collapse", "<Control>g" },
  { N_ ("Expand Sub-Graph"), "canvas.expand", "<Control><Shift>g" },
  { N_ ("Enter Sub-Graph"), "canvas.enter", "i" },
  { N_ ("Make Preset…"), "win.make-preset", NULL },
  { N_ ("Frame around Selection"), "canvas.frame", "<Shift>j" },
};
static const KgMenuEntry instance_entries[] = {
  { N_ ("Edit Contents of Preset"), "win.preset-edit", NULL },
  { N_ ("Save as New Version…"), "win.preset-save-version", NULL },
  { N_ ("Match Definition"), "win.preset-match", NULL },
  { N_ ("Upgrade Preset…"), "win.preset-upgrade", NULL },
};
static const KgMenuEntry link_entries[] = {
  { N_ ("Link Output…"), "canvas.link::output", "c" },
  { N_ ("Link Input…"), "canvas.link::input", "<Shift>c" },
  { N_ ("Unlink Input…"), "canvas.unlink", "y" },
  { N_ ("Add Dot…"), "canvas.dot", "r" },
};
static const KgMenuEntry color_entries[] = {
  { N_ ("None"), "canvas.color::", NULL },          { N_ ("Red"), "canvas.color::#b5453c", NULL },
  { N_ ("Orange"), "canvas.color::#c9772b", NULL }, { N_ ("Yellow"), "canvas.color::#c7a52e", NULL },
  { N_ ("Green"), "canvas.color::#4b9153", NULL },  { N_ ("Blue"), "canvas.color::#3f74b5", NULL },
  { N_ ("Violet"), "canvas.color::#7a57b0", NULL }, { N_ ("Grey"), "canvas.color::#6c7078", NULL },
};
static const KgMenuEntry align_entries[] = {
  { N_ ("Left Edges"), "canvas.align::left", NULL },
  { N_ ("Top Edges"), "canvas.align::top", NULL },
  { N_ ("As a Row"), "canvas.align::row", NULL },
  { N_ ("As a Column"), "canvas.align::column", NULL },
};
static const KgMenuEntry select_entries[] = {
  { N_ ("All Upstream Nodes"), "canvas.select-upstream", "<Shift>Left" },
  { N_ ("All Downstream Nodes"), "canvas.select-downstream", "<Shift>Right" },
};
static const KgMenuEntry look_entries[] = {
  { N_ ("Thumbnail"), "canvas.thumbnails", "t" },
  { N_ ("All Inputs"), "canvas.expand-inputs", "e" },
};
static const KgMenuEntry ground_entries[] = {
  { N_ ("Add Note"), "canvas.note", "<Shift>n" },
  { N_ ("Leave Sub-Graph"), "canvas.leave", "u" },
};
static const KgMenuEntry view_entries[] = {
  { N_ ("Lay Out"), "canvas.layout", "l" },
  { N_ ("Time Spent"), "canvas.heat", "h" },
  { N_ ("Overview Map"), "canvas.overview", "o" },
  { N_ ("Fit All"), "canvas.fit", "a" },
};

static GMenu *
make_menu (bool on_node, bool is_instance)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) edit = g_menu_new (), view = g_menu_new ();

  kg_menu_append (edit, KG_MENU_ENTRIES (add_entry));
  if (on_node)
    kg_menu_append (edit, KG_MENU_ENTRIES (node_entries));
  kg_menu_append (edit, KG_MENU_ENTRIES (paste_entry));
  if (on_node)
    kg_menu_append (edit, KG_MENU_ENTRIES (delete_entries));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (edit));
  if (on_node) {
    g_autoptr (GMenu) group = g_menu_new ();

    kg_menu_append (group, KG_MENU_ENTRIES (group_entries));
    if (is_instance)
      kg_menu_append (group, KG_MENU_ENTRIES (instance_entries));
    kg_menu_append_submenu (group, _ ("Links"), KG_MENU_ENTRIES (link_entries));
    kg_menu_append_submenu (group, _ ("Colour"), KG_MENU_ENTRIES (color_entries));
    g_menu_append_section (menu, NULL, G_MENU_MODEL (group));
    kg_menu_append_submenu (view, _ ("Align"), KG_MENU_ENTRIES (align_entries));
    kg_menu_append_submenu (view, _ ("Select"), KG_MENU_ENTRIES (select_entries));
    kg_menu_append (view, KG_MENU_ENTRIES (look_entries));
  } else
    kg_menu_append (view, KG_MENU_ENTRIES (ground_entries));
  kg_menu_append (view, KG_MENU_ENTRIES (view_entries));
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
