/* kg-preferences: see the header.  The rows are in kg-preferences.ui; here they are bound to what they set.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preferences.h"

#include "config.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

struct _KgPreferences {
  GtkWindow parent_instance;
  GtkWidget *theme, *autosave, *snap, *thumbnails, *cache, *not_kept;
};

G_DEFINE_FINAL_TYPE (KgPreferences, kg_preferences, GTK_TYPE_WINDOW)

static gboolean
enum_to_index (GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  (void) binding;
  (void) data;
  g_value_set_uint (to, (guint) g_value_get_enum (from));
  return TRUE;
}

static gboolean
index_to_enum (GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  (void) binding;
  (void) data;
  if (g_value_get_uint (from) == GTK_INVALID_LIST_POSITION)
    return FALSE;
  g_value_set_enum (to, (int) g_value_get_uint (from));
  return TRUE;
}

/* The rows of the list are the values of the enumeration, in order. */
static void
bind_choice (const char *property, GtkWidget *drop_down)
{
  g_object_bind_property_full (kg_settings_get_default (), property, drop_down, "selected",
                               G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE, enum_to_index, index_to_enum, NULL,
                               NULL);
}

static void
bind_number (const char *property, GtkWidget *spin)
{
  KgSettings *settings = kg_settings_get_default ();
  const GParamSpecUInt *range =
      G_PARAM_SPEC_UINT (g_object_class_find_property (G_OBJECT_GET_CLASS (settings), property));

  gtk_spin_button_set_range (GTK_SPIN_BUTTON (spin), range->minimum, range->maximum);
  g_object_bind_property (settings, property, spin, "value", G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
}

static void
kg_preferences_class_init (KgPreferencesClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);

  gtk_widget_class_set_template_from_resource (widget, "/org/kineograph/Kineograph/kg-preferences.ui");
  gtk_widget_class_bind_template_child (widget, KgPreferences, theme);
  gtk_widget_class_bind_template_child (widget, KgPreferences, autosave);
  gtk_widget_class_bind_template_child (widget, KgPreferences, snap);
  gtk_widget_class_bind_template_child (widget, KgPreferences, thumbnails);
  gtk_widget_class_bind_template_child (widget, KgPreferences, cache);
  gtk_widget_class_bind_template_child (widget, KgPreferences, not_kept);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
kg_preferences_init (KgPreferences *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  bind_choice ("theme", self->theme);
  bind_choice ("thumbnails", self->thumbnails);
  bind_number ("autosave-seconds", self->autosave);
  bind_number ("cache-megabytes", self->cache);
  g_object_bind_property (kg_settings_get_default (), "snap-to-grid", self->snap, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  gtk_widget_set_visible (self->not_kept, !kg_settings_are_saved (kg_settings_get_default ()));
}

GtkWindow *
kg_preferences_new (GtkWindow *parent)
{
  return GTK_WINDOW (g_object_new (KG_TYPE_PREFERENCES, "transient-for", parent, NULL));
}
