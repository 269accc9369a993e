/* kg-search-list: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-search-list.h"

static void
choose (KgSearchList *search, GtkListBoxRow *row)
{
  if (row == NULL)
    return;
  gtk_popover_popdown (search->popover);
  search->choose (search->popover, row);
}

static void
on_row_activated (GtkListBox *list, GtkListBoxRow *row, KgSearchList *search)
{
  (void) list;
  choose (search, row);
}

static void
fill (KgSearchList *search)
{
  GtkListBox *list = GTK_LIST_BOX (search->list);
  GtkListBoxRow *row;

  /* Headings and the label of the empty list are children too. */
  while ((row = gtk_list_box_get_row_at_index (list, 0)) != NULL)
    gtk_list_box_remove (list, GTK_WIDGET (row));
  search->fill (search->popover, gtk_editable_get_text (GTK_EDITABLE (search->entry)));
  gtk_list_box_select_row (list, gtk_list_box_get_row_at_index (list, 0));
}

static void
move_selection (KgSearchList *search, int by)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (search->list));
  const int at = row != NULL ? gtk_list_box_row_get_index (row) : -1;
  GtkListBoxRow *next = gtk_list_box_get_row_at_index (GTK_LIST_BOX (search->list), MAX (0, at + by));
  GtkWidget *scrolled = gtk_widget_get_ancestor (search->list, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;

  if (next == NULL)
    return;
  gtk_list_box_select_row (GTK_LIST_BOX (search->list), next);
  if (gtk_widget_compute_bounds (GTK_WIDGET (next), search->list, &bounds))
    gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled)),
                               (double) bounds.origin.y, (double) bounds.origin.y + (double) bounds.size.height);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, KgSearchList *search)
{
  (void) controller;
  (void) keycode;
  (void) state;
  switch (keyval) {
  case GDK_KEY_Down:
    move_selection (search, 1);
    return TRUE;
  case GDK_KEY_Up:
    move_selection (search, -1);
    return TRUE;
  case GDK_KEY_Page_Down:
    move_selection (search, 8);
    return TRUE;
  case GDK_KEY_Page_Up:
    move_selection (search, -8);
    return TRUE;
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
    choose (search, gtk_list_box_get_selected_row (GTK_LIST_BOX (search->list)));
    return TRUE;
  default:
    return FALSE;
  }
}

/* The entry keeps Escape to itself. */
static void
on_stop (KgSearchList *search)
{
  gtk_popover_popdown (search->popover);
}

void
kg_search_list_init (KgSearchList *search, GtkPopover *popover, const char *prompt, const char *nothing, int width)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  search->popover = popover;
  search->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  search->entry = gtk_search_entry_new ();
  g_object_set (search->entry, "placeholder-text", prompt, NULL);
  search->list = gtk_list_box_new ();
  gtk_list_box_set_activate_on_single_click (GTK_LIST_BOX (search->list), TRUE);
  search->nothing = gtk_label_new (nothing);
  gtk_label_set_wrap (GTK_LABEL (search->nothing), TRUE);
  gtk_widget_add_css_class (search->nothing, "kg-dim");
  gtk_widget_set_margin_top (search->nothing, 12);
  gtk_list_box_set_placeholder (GTK_LIST_BOX (search->list), search->nothing);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), search->list);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), 260);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (search->box, width, -1);
  gtk_box_append (GTK_BOX (search->box), search->entry);
  gtk_box_append (GTK_BOX (search->box), scrolled);
  gtk_popover_set_child (popover, search->box);
  gtk_popover_set_has_arrow (popover, FALSE);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), search);
  gtk_widget_add_controller (GTK_WIDGET (popover), keys);
  g_signal_connect_swapped (search->entry, "changed", G_CALLBACK (fill), search);
  g_signal_connect_swapped (search->entry, "stop-search", G_CALLBACK (on_stop), search);
  g_signal_connect (search->list, "row-activated", G_CALLBACK (on_row_activated), search);
}

void
kg_search_list_start (KgSearchList *search)
{
  gtk_editable_set_text (GTK_EDITABLE (search->entry), "");
  fill (search);
  gtk_widget_grab_focus (search->entry);
}

GtkWidget *
kg_search_list_make_row (GtkWidget *text, const char *dim)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new (dim);

  gtk_widget_set_hexpand (text, TRUE);
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_widget_add_css_class (label, "kg-dim");
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gtk_label_get_text (GTK_LABEL (text)), -1);
  return row;
}
