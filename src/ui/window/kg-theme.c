/* kg-theme: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-theme.h"

#include <gtk/gtk.h>

/* The desktop's preference (XDG desktop portal). */
#define PORTAL "org.freedesktop.portal.Desktop"
#define PORTAL_PATH "/org/freedesktop/portal/desktop"
#define PORTAL_INTERFACE "org.freedesktop.portal.Settings"
#define APPEARANCE "org.freedesktop.appearance"
#define COLOR_SCHEME "color-scheme"
#define PREFER_DARK 1

/* Kept until the program ends. */
static struct {
  KgSettings *settings;
  GDBusProxy *portal; /* (nullable) */
  bool desktop_is_dark;
  gboolean initially_dark; /* GTK's own setting, from before */
} theme;

static void
set_dark (void)
{
  GtkSettings *gtk = gtk_settings_get_default ();
  const KgTheme wanted = kg_settings_get_theme (theme.settings);

  if (gtk != NULL)
    g_object_set (gtk, "gtk-application-prefer-dark-theme",
                  wanted == KG_THEME_FOLLOW ? theme.desktop_is_dark || theme.initially_dark : wanted == KG_THEME_DARK,
                  NULL);
}

static void
take_scheme (GVariant *value)
{
  g_autoptr (GVariant) inner = g_variant_ref (value);

  /* Read wraps its answer twice. */
  while (g_variant_is_of_type (inner, G_VARIANT_TYPE_VARIANT)) {
    GVariant *unwrapped = g_variant_get_variant (inner);

    g_variant_unref (inner);
    inner = unwrapped;
  }
  theme.desktop_is_dark = g_variant_is_of_type (inner, G_VARIANT_TYPE_UINT32) &&
                          g_variant_get_uint32 (inner) == PREFER_DARK;
  set_dark ();
}

static void
on_portal_signal (GDBusProxy *portal, const char *sender, const char *name, GVariant *arguments)
{
  g_autoptr (GVariant) value = NULL;
  const char *group, *key;

  (void) portal;
  (void) sender;
  if (!g_str_equal (name, "SettingChanged") || !g_variant_is_of_type (arguments, G_VARIANT_TYPE ("(ssv)")))
    return;
  g_variant_get (arguments, "(&s&s@v)", &group, &key, &value);
  if (g_str_equal (group, APPEARANCE) && g_str_equal (key, COLOR_SCHEME))
    take_scheme (value);
}

static void
on_scheme (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GVariant) answer = g_dbus_proxy_call_finish (G_DBUS_PROXY (source), result, NULL);
  g_autoptr (GVariant) value = NULL;

  (void) data;
  /* A desktop without this preference: GTK's own theme stays. */
  if (answer == NULL || !g_variant_is_of_type (answer, G_VARIANT_TYPE ("(v)")))
    return;
  value = g_variant_get_child_value (answer, 0);
  take_scheme (value);
}

static void
on_portal (GObject *source, GAsyncResult *result, gpointer data)
{
  (void) source;
  (void) data;
  theme.portal = g_dbus_proxy_new_for_bus_finish (result, NULL);
  if (theme.portal == NULL)
    return;
  g_signal_connect (theme.portal, "g-signal", G_CALLBACK (on_portal_signal), NULL);
  g_dbus_proxy_call (theme.portal, "Read", g_variant_new ("(ss)", APPEARANCE, COLOR_SCHEME), G_DBUS_CALL_FLAGS_NONE, -1,
                     NULL, on_scheme, NULL);
}

void
kg_theme_apply (KgSettings *settings)
{
  theme.settings = settings;
  g_object_get (gtk_settings_get_default (), "gtk-application-prefer-dark-theme", &theme.initially_dark, NULL);
  g_signal_connect (settings, "notify::theme", G_CALLBACK (set_dark), NULL);
  set_dark ();
  g_dbus_proxy_new_for_bus (G_BUS_TYPE_SESSION, G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES, NULL, PORTAL, PORTAL_PATH,
                            PORTAL_INTERFACE, NULL, on_portal, NULL);
}
