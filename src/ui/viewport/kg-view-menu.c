/* kg-view-menu: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-view-menu.h"

#include "config.h"
#include "kg-number-field.h"

#include <glib/gi18n.h>

static const KgSlot onion_slots[] = {
  { .name = "before", .label = N_ ("Frames before"), .help = "", .kind = KG_INTEGER, .max = KG_ONION_MAX },
  { .name = "after", .label = N_ ("Frames after"), .help = "", .kind = KG_INTEGER, .max = KG_ONION_MAX },
  { .name = "step", .label = N_ ("Frame step"), .help = "", .kind = KG_INTEGER, .min = 1, .max = 100 },
  { .name = "opacity", .label = N_ ("Opacity"), .help = "", .kind = KG_NUMBER, .max = 1 },
};

/* What the fields show. */
typedef struct {
  KgViewport *viewport;
  KgOnion onion;
} Settings;

static void
on_onion_value (GtkWidget *field, double value, Settings *settings)
{
  const guint i = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (field), "row"));

  if (i == 0)
    settings->onion.before = (int) value;
  else if (i == 1)
    settings->onion.after = (int) value;
  else if (i == 2)
    settings->onion.step = value;
  else
    settings->onion.opacity = value;
  kg_number_field_set_value (KG_NUMBER_FIELD (field), value);
  kg_viewport_set_onion (settings->viewport, &settings->onion);
}

static GtkWidget *
make_onion_settings (KgViewport *viewport, const KgOnion *onion)
{
  const double values[] = { onion->before, onion->after, onion->step, onion->opacity };
  GtkWidget *grid = gtk_grid_new ();
  Settings *settings = g_new (Settings, 1);

  *settings = (Settings){ viewport, *onion };
  g_object_set_data_full (G_OBJECT (grid), "settings", settings, g_free);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_widget_set_margin_start (grid, 12);
  gtk_widget_set_margin_end (grid, 12);
  for (guint i = 0; i < G_N_ELEMENTS (onion_slots); i++) {
    const char *label = _ (onion_slots[i].label);
    GtkWidget *name = gtk_label_new (label), *field = kg_number_field_new (&onion_slots[i], label);

    gtk_label_set_xalign (GTK_LABEL (name), 0);
    gtk_widget_set_hexpand (name, TRUE);
    gtk_widget_set_size_request (field, 60, -1);
    g_object_set_data (G_OBJECT (field), "row", GUINT_TO_POINTER (i));
    kg_number_field_set_value (KG_NUMBER_FIELD (field), values[i]);
    g_signal_connect (field, "value", G_CALLBACK (on_onion_value), settings);
    gtk_grid_attach (GTK_GRID (grid), name, 0, (int) i, 1, 1);
    gtk_grid_attach (GTK_GRID (grid), field, 1, (int) i, 1, 1);
  }
  return grid;
}

GtkWidget *
kg_view_menu_new (KgViewport *viewport, const KgOnion *onion)
{
  GtkWidget *button = gtk_menu_button_new (), *popover;
  g_autoptr (GMenu) menu = g_menu_new (), style = g_menu_new (), shown = g_menu_new (), skins = g_menu_new ();
  g_autoptr (GMenu) view = g_menu_new (), tools = g_menu_new ();
  g_autoptr (GMenuItem) custom = g_menu_item_new (NULL, NULL);

  g_menu_append (style, _ ("_Shaded"), "viewport.style::shaded");
  g_menu_append (style, _ ("_Wireframe"), "viewport.style::wireframe");
  g_menu_append (style, _ ("_Points"), "viewport.style::points");
  g_menu_append (shown, _ ("_Handles"), "viewport.handles");
  g_menu_append (tools, _ ("_Draw Lines by Hand"), "viewport.draw");
  g_menu_append (tools, _ ("_Record Dragging during Playback"), "viewport.record");
  g_menu_append (shown, _ ("_Camera of the Scene"), "viewport.scene-camera");
  g_menu_append (shown, _ ("_Depth"), "viewport.depth");
  g_menu_append (skins, _ ("_Onion Skins"), "viewport.onion-skins");
  g_menu_item_set_attribute (custom, "custom", "s", "onion");
  g_menu_append_item (skins, custom);
  g_menu_append (view, _ ("_Fit"), "viewport.frame");
  g_menu_append (view, _ ("_Actual Size"), "viewport.actual-size");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (style));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (shown));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (tools));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (skins));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (view));
  popover = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_menu_add_child (GTK_POPOVER_MENU (popover), make_onion_settings (viewport, onion), "onion");
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_menu_button_set_has_frame (GTK_MENU_BUTTON (button), FALSE);
  gtk_widget_set_tooltip_text (button, _ ("How the viewport shows things"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("How the viewport shows things"), -1);
  gtk_widget_add_css_class (button, "kg-view-menu");
  return button;
}
