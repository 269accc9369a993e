/* kg-follow-focus: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-follow-focus.h"

static void
on_focus (GtkScrolledWindow *scrolled)
{
  GtkWidget *form = gtk_viewport_get_child (GTK_VIEWPORT (gtk_scrolled_window_get_child (scrolled)));
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (scrolled));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  graphene_rect_t bounds;

  if (focus == NULL || form == NULL || !gtk_widget_is_ancestor (focus, form) ||
      gtk_widget_get_native (focus) != gtk_widget_get_native (form))
    return;
  /* The text of a field, which scrolls in it. */
  if (GTK_IS_TEXT (focus))
    focus = gtk_widget_get_parent (focus);
  if (!gtk_widget_compute_bounds (focus, form, &bounds))
    return;
  gtk_adjustment_clamp_page (gtk_scrolled_window_get_hadjustment (scrolled), (double) bounds.origin.x,
                             (double) bounds.origin.x + (double) bounds.size.width);
  gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (scrolled), (double) bounds.origin.y,
                             (double) bounds.origin.y + (double) bounds.size.height);
}

/* (A window that it was in before may go on telling of its focus: on_focus looks at the present one.) */
static void
on_root (GtkWidget *scrolled)
{
  GtkRoot *root = gtk_widget_get_root (scrolled);

  if (root == NULL)
    return;
  g_signal_handlers_disconnect_by_func (root, on_focus, scrolled);
  g_signal_connect_object (root, "notify::focus-widget", G_CALLBACK (on_focus), scrolled, G_CONNECT_SWAPPED);
}

void
kg_follow_focus (GtkWidget *scrolled)
{
  GtkWidget *viewport = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (scrolled));

  gtk_viewport_set_scroll_to_focus (GTK_VIEWPORT (viewport), FALSE);
  g_signal_connect (scrolled, "notify::root", G_CALLBACK (on_root), NULL);
  on_root (scrolled);
}
