/* kg-space-key: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-space-key.h"

static gboolean
on_pressed (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, bool *held)
{
  (void) controller;
  (void) keycode;
  if (keyval == GDK_KEY_space && (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) == 0)
    *held = true;
  return FALSE;
}

static void
on_released (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, bool *held)
{
  (void) controller;
  (void) keycode;
  (void) state;
  if (keyval == GDK_KEY_space)
    *held = false;
}

/* Its release will not arrive here. */
static void
on_leave (bool *held)
{
  *held = false;
}

void
kg_space_key_watch (GtkWidget *widget, bool *held)
{
  GtkEventController *keys = gtk_event_controller_key_new (), *focus = gtk_event_controller_focus_new ();

  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_pressed), held);
  g_signal_connect (keys, "key-released", G_CALLBACK (on_released), held);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_leave), held);
  gtk_widget_add_controller (widget, keys);
  gtk_widget_add_controller (widget, focus);
}
