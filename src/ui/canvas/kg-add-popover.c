/* kg-add-popover: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-add-popover.h"

#include "config.h"

#include <glib/gi18n.h>

struct _KgAddPopover {
  GtkPopover parent_instance;
  KgTypes *types;
  GtkWidget *entry, *list, *help;
  KgKind kind;
  bool is_output;
};

G_DEFINE_FINAL_TYPE (KgAddPopover, kg_add_popover, GTK_TYPE_POPOVER)

static void
choose (KgAddPopover *self, GtkListBoxRow *row)
{
  const KgNodeType *type = row != NULL ? (const KgNodeType *) g_object_get_data (G_OBJECT (row), "type") : NULL;

  if (type == NULL)
    return;
  gtk_popover_popdown (GTK_POPOVER (self));
  g_signal_emit_by_name (self, "chosen", type->id);
}

static void
on_row_activated (GtkListBox *list, GtkListBoxRow *row, KgAddPopover *self)
{
  (void) list;
  choose (self, row);
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, KgAddPopover *self)
{
  const KgNodeType *type = row != NULL ? (const KgNodeType *) g_object_get_data (G_OBJECT (row), "type") : NULL;

  (void) list;
  gtk_label_set_text (GTK_LABEL (self->help), type != NULL ? kg_type_translate (type->help) : "");
}

static GtkWidget *
make_row (const KgNodeType *type)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new (kg_type_translate (type->label)), *id = gtk_label_new (type->id);

  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (id, "kg-dim");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), id);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data (G_OBJECT (row), "type", (gpointer) type);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, kg_type_translate (type->label),
                                  -1);
  return row;
}

static void
fill (KgAddPopover *self)
{
  g_autoptr (GPtrArray) found =
      kg_search_types (self->types, gtk_editable_get_text (GTK_EDITABLE (self->entry)), self->kind, self->is_output);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->list), child);
  for (guint i = 0; i < found->len; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->list), make_row ((const KgNodeType *) g_ptr_array_index (found, i)));
  gtk_list_box_select_row (GTK_LIST_BOX (self->list), gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0));
}

static void
move_selection (KgAddPopover *self, int by)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list));
  const int at = row != NULL ? gtk_list_box_row_get_index (row) : -1;
  GtkListBoxRow *next = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), MAX (0, at + by));
  GtkWidget *scrolled = gtk_widget_get_ancestor (self->list, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  graphene_rect_t bounds;

  if (next == NULL)
    return;
  gtk_list_box_select_row (GTK_LIST_BOX (self->list), next);
  if (gtk_widget_compute_bounds (GTK_WIDGET (next), self->list, &bounds))
    gtk_adjustment_clamp_page (adjustment, (double) bounds.origin.y,
                               (double) bounds.origin.y + (double) bounds.size.height);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, KgAddPopover *self)
{
  (void) controller;
  (void) keycode;
  (void) state;
  switch (keyval) {
  case GDK_KEY_Down:
    move_selection (self, 1);
    return TRUE;
  case GDK_KEY_Up:
    move_selection (self, -1);
    return TRUE;
  case GDK_KEY_Page_Down:
    move_selection (self, 8);
    return TRUE;
  case GDK_KEY_Page_Up:
    move_selection (self, -8);
    return TRUE;
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
    choose (self, gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list)));
    return TRUE;
  default:
    return FALSE;
  }
}

/* The entry keeps Escape to itself. */
static void
on_stop (KgAddPopover *self)
{
  gtk_popover_popdown (GTK_POPOVER (self));
}

static void
kg_add_popover_finalize (GObject *object)
{
  g_clear_pointer (&KG_ADD_POPOVER (object)->types, kg_types_unref);
  G_OBJECT_CLASS (kg_add_popover_parent_class)->finalize (object);
}

static void
kg_add_popover_class_init (KgAddPopoverClass *class)
{
  G_OBJECT_CLASS (class)->finalize = kg_add_popover_finalize;
  g_signal_new ("chosen", KG_TYPE_ADD_POPOVER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
kg_add_popover_init (KgAddPopover *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *scrolled = gtk_scrolled_window_new ();
  GtkWidget *nothing = gtk_label_new (_ ("No matching nodes"));
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->kind = KG_N_KINDS;
  self->entry = gtk_search_entry_new ();
  g_object_set (self->entry, "placeholder-text", _ ("Search nodes"), NULL);
  self->list = gtk_list_box_new ();
  gtk_list_box_set_activate_on_single_click (GTK_LIST_BOX (self->list), TRUE);
  gtk_widget_add_css_class (nothing, "kg-dim");
  gtk_widget_set_margin_top (nothing, 12);
  gtk_list_box_set_placeholder (GTK_LIST_BOX (self->list), nothing);
  self->help = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->help), TRUE);
  gtk_label_set_xalign (GTK_LABEL (self->help), 0);
  gtk_label_set_max_width_chars (GTK_LABEL (self->help), 44);
  gtk_label_set_lines (GTK_LABEL (self->help), 5);
  gtk_label_set_ellipsize (GTK_LABEL (self->help), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->help, "kg-dim");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->list);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), 260);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (box, 340, -1);
  gtk_box_append (GTK_BOX (box), self->entry);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_box_append (GTK_BOX (box), self->help);
  gtk_popover_set_child (GTK_POPOVER (self), box);
  gtk_popover_set_has_arrow (GTK_POPOVER (self), FALSE);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect_swapped (self->entry, "changed", G_CALLBACK (fill), self);
  g_signal_connect_swapped (self->entry, "stop-search", G_CALLBACK (on_stop), self);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row_activated), self);
  g_signal_connect (self->list, "row-selected", G_CALLBACK (on_row_selected), self);
}

GtkWidget *
kg_add_popover_new (void)
{
  return GTK_WIDGET (g_object_new (KG_TYPE_ADD_POPOVER, NULL));
}

void
kg_add_popover_set_types (KgAddPopover *self, KgTypes *types)
{
  kg_types_ref (types);
  g_clear_pointer (&self->types, kg_types_unref);
  self->types = types;
}

void
kg_add_popover_prepare (KgAddPopover *self, KgKind kind, bool is_output)
{
  self->kind = kind;
  self->is_output = is_output;
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  fill (self);
  gtk_widget_grab_focus (self->entry);
}
