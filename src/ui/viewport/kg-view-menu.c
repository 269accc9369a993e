/* kg-view-menu: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-view-menu.h"

#include "config.h"
#include "kg-menu.h"
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

static const KgMenuEntry scene_entries[] = {
  { N_ ("Scene _View"), "viewport.scene-view", "s" },
  { N_ ("Image _beside It"), "viewport.beside", "b" },
};
static const KgMenuEntry style_entries[] = {
  { N_ ("_Shaded"), "viewport.style::shaded", NULL },
  { N_ ("_Wireframe"), "viewport.style::wireframe", "w" },
  { N_ ("_Points"), "viewport.style::points", "p" },
};
static const KgMenuEntry shown_entries[] = {
  { N_ ("_Handles"), "viewport.handles", "h" }, { N_ ("_Motion Paths"), "viewport.motion-paths", "m" },
  { N_ ("_Grid"), "viewport.grid", "g" },       { N_ ("Head_light"), "viewport.headlight", "i" },
  { N_ ("_Depth"), "viewport.depth", "z" },
};
static const KgMenuEntry camera_entries[] = {
  { N_ ("_Camera of the Scene"), "viewport.scene-camera", "c" },
  { N_ ("_Lock Camera to View"), "viewport.lock-camera", "l" },
  { N_ ("_Place Camera Here"), "viewport.place-camera", "v" },
};
static const KgMenuEntry look_entries[] = {
  { N_ ("_Front"), "viewport.look::front", "1" },
  { N_ ("_Back"), "viewport.look::back", "2" },
  { N_ ("_Right"), "viewport.look::right", "3" },
  { N_ ("_Left"), "viewport.look::left", "4" },
  { N_ ("_Top"), "viewport.look::top", "7" },
  { N_ ("B_ottom"), "viewport.look::bottom", "8" },
  { N_ ("_Orthographic"), "viewport.orthographic", "5" },
};
static const KgMenuEntry snap_entries[] = {
  { N_ ("_Snap"), "viewport.snap", "x" },
  { N_ ("To the _Grid"), "viewport.snap-grid", NULL },
  { N_ ("To _Points"), "viewport.snap-points", NULL },
  { N_ ("To _Angles"), "viewport.snap-angles", NULL },
};
static const KgMenuEntry tool_entries[] = {
  { N_ ("_Box Select Handles"), "viewport.select", "q" },
  { N_ ("So_ft Selection"), "viewport.soft", "t" },
  { N_ ("_Draw Lines by Hand"), "viewport.draw", "d" },
  { N_ ("_Record Dragging during Playback"), "viewport.record", "k" },
};
static const KgMenuEntry proxy_entries[] = {
  { N_ ("_Full"), "viewport.proxy::full", NULL },
  { N_ ("1/_2"), "viewport.proxy::half", NULL },
  { N_ ("1/_4"), "viewport.proxy::quarter", NULL },
  { N_ ("1/_8"), "viewport.proxy::eighth", NULL },
};
static const KgMenuEntry size_entries[] = {
  { N_ ("_Fit"), "viewport.frame", "f" },
  { N_ ("_Actual Size"), "viewport.actual-size", "0" },
};

/* The cameras that there are when the menu opens. */
static void
fill_cameras (GMenu *menu, KgViewport *viewport)
{
  g_autoptr (GPtrArray) cameras = kg_viewport_list_cameras (viewport);

  g_menu_remove_all (menu);
  for (guint i = 0; i < cameras->len; i++) {
    const char *target = (const char *) g_ptr_array_index (cameras, i);
    g_autofree char *name = g_strndup (target, (gsize) (strrchr (target, '.') - target));
    /* An underscore alone would mark a key. */
    g_auto (GStrv) parts = g_strsplit (name, "_", -1);
    g_autofree char *label = g_strjoinv ("__", parts);
    g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

    g_menu_item_set_action_and_target (item, "viewport.look-through", "s", target);
    g_menu_append_item (menu, item);
  }
}

static void
on_open (GtkWidget *popover, GMenu *cameras)
{
  fill_cameras (cameras, KG_VIEWPORT (gtk_widget_get_ancestor (popover, KG_TYPE_VIEWPORT)));
}

static GtkWidget *
make_menu_button (KgViewport *viewport, const KgOnion *onion)
{
  GtkWidget *button = gtk_menu_button_new (), *popover, *settings = make_onion_settings (viewport, onion);
  g_autoptr (GMenu) menu = g_menu_new (), camera = g_menu_new (), cameras = g_menu_new (), look = g_menu_new ();
  g_autoptr (GMenu) skins = g_menu_new (), looks = g_menu_new (), style = g_menu_new (), image = g_menu_new ();
  g_autoptr (GMenu) snap = g_menu_new (), proxy = g_menu_new ();
  g_autoptr (GMenuItem) custom = g_menu_item_new (NULL, NULL), onions = g_menu_item_new (NULL, NULL);

  kg_menu_append_section (menu, KG_MENU_ENTRIES (scene_entries));
  kg_menu_append (camera, KG_MENU_ENTRIES (camera_entries));
  g_menu_append_section (looks, _ ("Look Through"), G_MENU_MODEL (cameras));
  g_menu_append_section (camera, NULL, G_MENU_MODEL (looks));
  kg_menu_append (look, KG_MENU_ENTRIES (look_entries));
  kg_menu_append (style, KG_MENU_ENTRIES (style_entries));
  kg_menu_append (snap, KG_MENU_ENTRIES (snap_entries));
  g_menu_append_submenu (image, _ ("_Cameras"), G_MENU_MODEL (camera));
  g_menu_append_submenu (image, _ ("_Look From"), G_MENU_MODEL (look));
  g_menu_append_submenu (image, _ ("_Style"), G_MENU_MODEL (style));
  g_menu_item_set_attribute (custom, "custom", "s", "onion");
  g_menu_item_set_label (onions, _ ("_Onion Skins"));
  g_menu_item_set_detailed_action (onions, "viewport.onion-skins");
  g_menu_item_set_attribute (onions, "accel", "s", "o");
  g_menu_append_item (skins, onions);
  g_menu_append_item (skins, custom);
  g_menu_append_submenu (image, _ ("Onion S_kins"), G_MENU_MODEL (skins));
  g_menu_append_submenu (image, _ ("S_napping"), G_MENU_MODEL (snap));
  kg_menu_append (proxy, KG_MENU_ENTRIES (proxy_entries));
  g_menu_append_submenu (image, _ ("P_roxy Scale"), G_MENU_MODEL (proxy));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (image));
  kg_menu_append_section (menu, KG_MENU_ENTRIES (shown_entries));
  kg_menu_append_section (menu, KG_MENU_ENTRIES (tool_entries));
  kg_menu_append_section (menu, KG_MENU_ENTRIES (size_entries));
  popover = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_menu_add_child (GTK_POPOVER_MENU (popover), settings, "onion");
  g_signal_connect_data (popover, "show", G_CALLBACK (on_open), g_object_ref (cameras),
                         (GClosureNotify) (void (*) (void)) g_object_unref, 0);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_menu_button_set_has_frame (GTK_MENU_BUTTON (button), FALSE);
  gtk_widget_set_tooltip_text (button, _ ("Display options of the viewport"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Display options of the viewport"), -1);
  gtk_widget_add_css_class (button, "kg-view-menu");
  return button;
}

/* Pressed while it is on, also for assistive technologies. */
static GtkWidget *
make_toggle (const char *icon, const char *label, const char *tooltip, const char *keys, const char *action)
{
  GtkWidget *button = gtk_toggle_button_new ();

  gtk_button_set_icon_name (GTK_BUTTON (button), icon);
  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  GTK_ACCESSIBLE_PROPERTY_KEY_SHORTCUTS, keys, -1);
  return button;
}

GtkWidget *
kg_view_bar_new (KgViewport *viewport, const KgOnion *onion)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);

  gtk_widget_add_css_class (bar, "kg-view-bar");
  gtk_box_append (GTK_BOX (bar),
                  make_toggle ("kineograph-snap-symbolic", _ ("Snap"),
                               _ ("Snap to the grid, points and angles (X); hold Ctrl while dragging to reverse it"),
                               "x", "viewport.snap"));
  gtk_box_append (GTK_BOX (bar),
                  make_toggle ("kineograph-soft-symbolic", _ ("Soft selection"),
                               _ ("Soft selection: nearby points move along (T); [ and ] change the radius"), "t",
                               "viewport.soft"));
  gtk_box_append (GTK_BOX (bar), make_toggle ("kineograph-select-symbolic", _ ("Box select handles"),
                                              _ ("Select handles by dragging a box (Q), or with Shift at any time"),
                                              "q", "viewport.select"));
  gtk_box_append (GTK_BOX (bar), make_menu_button (viewport, onion));
  return bar;
}
