/* kg-find-popover: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-find-popover.h"

#include "config.h"
#include "kg-preset.h"

#include <glib/gi18n.h>
#include <string.h>

/* Rows beyond these would take long to make; more words find fewer. */
#define MOST_ROWS 300

struct _KgFindPopover {
  GtkPopover parent_instance;
  KgGraph *graph; /* (nullable) while it is open */
  GtkWidget *entry, *list;
  KgFindProblem problem;
  gpointer problem_data;
};

G_DEFINE_FINAL_TYPE (KgFindPopover, kg_find_popover, GTK_TYPE_POPOVER)

static void
choose (KgFindPopover *self, GtkListBoxRow *row)
{
  g_autofree char *path = row != NULL ? g_strdup ((const char *) g_object_get_data (G_OBJECT (row), "path")) : NULL;

  if (path == NULL)
    return;
  gtk_popover_popdown (GTK_POPOVER (self));
  g_signal_emit_by_name (self, "chosen", path);
}

static void
on_row_activated (GtkListBox *list, GtkListBoxRow *row, KgFindPopover *self)
{
  (void) list;
  choose (self, row);
}

/* (transfer full) Everything of a node that can be searched. */
static char *
dup_words (KgNode *node, const char *problem)
{
  const KgNodeType *type = kg_node_get_type (node);
  g_autoptr (GString) words = g_string_new (kg_node_get_name (node));
  const char *comment = kg_node_get_comment (node);

  g_string_append_printf (words, "\n%s\n%s", kg_node_get_type_id (node),
                          type != NULL ? kg_type_translate (type->label) : "");
  if (comment != NULL)
    g_string_append_printf (words, "\n%s", comment);
  if (problem != NULL)
    g_string_append_printf (words, "\n%s", problem);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSource *source = kg_node_get_slot (node, i)->role == KG_SLOT_INPUT ? kg_node_get_source (node, i) : NULL;

    if (source != NULL && source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TEXT)
      g_string_append_printf (words, "\n%s", source->constant.text);
    else if (source != NULL && source->kind == KG_SOURCE_EXPRESSION)
      g_string_append_printf (words, "\n%s", source->text);
  }
  return g_utf8_casefold (words->str, -1);
}

static GtkWidget *
make_row (KgNode *node, guint depth, const char *problem)
{
  const KgNodeType *type = kg_node_get_type (node);
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *name = gtk_label_new (kg_node_get_name (node));
  GtkWidget *label = gtk_label_new (type != NULL ? kg_type_translate (type->label) : kg_node_get_type_id (node));

  gtk_widget_set_margin_start (name, (int) (16 * depth));
  gtk_widget_set_hexpand (name, TRUE);
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "kg-dim");
  if (problem != NULL)
    gtk_widget_add_css_class (name, "kg-error");
  gtk_widget_set_tooltip_text (row, problem);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data_full (G_OBJECT (row), "path", kg_node_dup_path (node), g_free);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, kg_node_get_name (node), -1);
  return row;
}

/* Depth is limited by KG_GRAPH_MAX_NESTING.  What is inside a locked instance is that of its preset. */
static void
list_graph (KgFindPopover *self, KgGraph *graph, char **wanted, guint depth, guint *n)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph) && *n < MOST_ROWS; i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    KgGraph *inside = kg_node_get_graph (node);
    g_autofree char *problem = self->problem (node, self->problem_data), *words = dup_words (node, problem);
    bool found = true;

    for (guint k = 0; wanted[k] != NULL; k++)
      found = found && strstr (words, wanted[k]) != NULL;
    if (found) {
      gtk_list_box_append (GTK_LIST_BOX (self->list), make_row (node, depth, problem));
      (*n)++;
    }
    if (inside != NULL && !kg_graph_is_locked (inside))
      list_graph (self, inside, wanted, depth + 1, n);
  }
}

static void
fill (KgFindPopover *self)
{
  g_autofree char *text = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->entry)), -1);
  g_auto (GStrv) wanted = g_strsplit_set (text, " \t", -1);
  GtkWidget *child;
  guint n = 0;

  while ((child = gtk_widget_get_first_child (self->list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->list), child);
  if (self->graph != NULL)
    list_graph (self, self->graph, wanted, 0, &n);
  gtk_list_box_select_row (GTK_LIST_BOX (self->list), gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0));
}

static void
move_selection (KgFindPopover *self, int by)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list));
  const int at = row != NULL ? gtk_list_box_row_get_index (row) : -1;
  GtkListBoxRow *next = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), MAX (0, at + by));
  GtkWidget *scrolled = gtk_widget_get_ancestor (self->list, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;

  if (next == NULL)
    return;
  gtk_list_box_select_row (GTK_LIST_BOX (self->list), next);
  if (gtk_widget_compute_bounds (GTK_WIDGET (next), self->list, &bounds))
    gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled)),
                               (double) bounds.origin.y, (double) bounds.origin.y + (double) bounds.size.height);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, KgFindPopover *self)
{
  (void) controller;
  (void) keycode;
  (void) state;
  if (keyval == GDK_KEY_Down || keyval == GDK_KEY_Up)
    move_selection (self, keyval == GDK_KEY_Down ? 1 : -1);
  else if (keyval == GDK_KEY_Return || keyval == GDK_KEY_KP_Enter)
    choose (self, gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list)));
  else
    return FALSE;
  return TRUE;
}

/* The entry keeps Escape to itself. */
static void
on_stop (KgFindPopover *self)
{
  gtk_popover_popdown (GTK_POPOVER (self));
}

static void
kg_find_popover_dispose (GObject *object)
{
  g_clear_object (&KG_FIND_POPOVER (object)->graph);
  G_OBJECT_CLASS (kg_find_popover_parent_class)->dispose (object);
}

static void
kg_find_popover_class_init (KgFindPopoverClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_find_popover_dispose;
  g_signal_new ("chosen", KG_TYPE_FIND_POPOVER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
kg_find_popover_init (KgFindPopover *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *scrolled = gtk_scrolled_window_new ();
  GtkWidget *nothing = gtk_label_new (_ ("No node has that in its name, type, texts or errors"));
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->entry = gtk_search_entry_new ();
  g_object_set (self->entry, "placeholder-text", _ ("Find a node: name, type, text, file, error"), NULL);
  self->list = gtk_list_box_new ();
  gtk_list_box_set_activate_on_single_click (GTK_LIST_BOX (self->list), TRUE);
  gtk_widget_add_css_class (nothing, "kg-dim");
  gtk_widget_set_margin_top (nothing, 12);
  gtk_list_box_set_placeholder (GTK_LIST_BOX (self->list), nothing);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->list);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), 260);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (box, 380, -1);
  gtk_box_append (GTK_BOX (box), self->entry);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_popover_set_child (GTK_POPOVER (self), box);
  gtk_popover_set_has_arrow (GTK_POPOVER (self), FALSE);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect_swapped (self->entry, "changed", G_CALLBACK (fill), self);
  g_signal_connect_swapped (self->entry, "stop-search", G_CALLBACK (on_stop), self);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row_activated), self);
}

GtkWidget *
kg_find_popover_new (KgFindProblem problem, gpointer data)
{
  KgFindPopover *self = KG_FIND_POPOVER (g_object_new (KG_TYPE_FIND_POPOVER, NULL));

  self->problem = problem;
  self->problem_data = data;
  return GTK_WIDGET (self);
}

void
kg_find_popover_prepare (KgFindPopover *self, KgGraph *graph)
{
  g_set_object (&self->graph, graph);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  fill (self);
  gtk_widget_grab_focus (self->entry);
}
