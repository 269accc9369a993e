/* kg-inspector: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-inspector.h"

#include "config.h"
#include "kg-follow-focus.h"
#include "kg-frame-fields.h"
#include "kg-input-row.h"
#include "kg-manual.h"
#include "kg-motion-graph.h"
#include "kg-widget.h"

#include <glib/gi18n.h>

struct _KgInspector {
  GtkWidget parent_instance;
  KgDocument *document;
  KgWorker *worker;
  KgNode *node;     /* that the rows are of; not looked into, only compared */
  KgNode *searched; /* that the search was typed for; only compared */
  guint n_slots;
  GtkWidget *outer, *scrolled, *box, *title, *type, *help, *expander, *report, *search, *rows;
  GtkWidget *manuals;     /* buttons below the help: pages about the node */
  GtkWidget *outputs;     /* graphs of the motions that the node gives */
  GtkWidget *graph_title; /* (nullable) while the graph is shown */
  KgGraph *watched;       /* that the node is in */
  bool updating, committing;
  guint update_source; /* rows are refreshed once, however many changes come before */
};

G_DEFINE_FINAL_TYPE (KgInspector, kg_inspector, GTK_TYPE_WIDGET)

static void
clear_rows (KgInspector *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->rows)) != NULL) {
    /* Its fields lose the focus, and must not edit then. */
    if (KG_IS_INPUT_ROW (child))
      kg_input_row_abandon (KG_INPUT_ROW (child));
    gtk_box_remove (GTK_BOX (self->rows), child);
  }
  while ((child = gtk_widget_get_first_child (self->outputs)) != NULL)
    gtk_box_remove (GTK_BOX (self->outputs), child);
  while ((child = gtk_widget_get_first_child (self->manuals)) != NULL)
    gtk_box_remove (GTK_BOX (self->manuals), child);
  self->graph_title = NULL;
}

static void
add_heading (GtkWidget *box, const char *text)
{
  GtkWidget *heading = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_widget_add_css_class (heading, "kg-heading");
  gtk_widget_set_margin_top (heading, 8);
  gtk_box_append (GTK_BOX (box), heading);
}

/* The graph itself. */

static void
on_graph_title (KgInspector *self)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  const char *title = self->graph_title != NULL ? gtk_editable_get_text (GTK_EDITABLE (self->graph_title)) : NULL;

  if (!self->updating && title != NULL && !g_str_equal (title, kg_graph_get_title (graph)))
    kg_graph_set_title (graph, title);
}

static void
on_graph_title_done (KgInspector *self)
{
  on_graph_title (self);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.leave-field", NULL);
}

static GtkWidget *
add_title (KgInspector *self, GtkSizeGroup *labels)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4), *label = gtk_label_new (_ ("Title"));
  GtkWidget *entry = gtk_entry_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_size_group_add_widget (labels, label);
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Title"), -1);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (self->rows), box);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_graph_title_done), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_graph_title), self);
  gtk_widget_add_controller (entry, focus);
  return entry;
}

/* text: (nullable) without one there is nothing to unfold. */
static void
show_help (KgInspector *self, const char *text)
{
  gtk_label_set_text (GTK_LABEL (self->help), text != NULL ? text : "");
  gtk_widget_set_visible (self->expander, text != NULL && *text != '\0');
  gtk_widget_set_visible (self->type, *gtk_label_get_text (GTK_LABEL (self->type)) != '\0');
}

static void
show_graph (KgInspector *self)
{
  KgGraph *graph = kg_document_get_graph (self->document);

  if (self->graph_title == NULL) {
    GtkWidget *fields = kg_frame_fields_new (self->document);

    clear_rows (self);
    self->graph_title = add_title (self, kg_frame_fields_get_labels (KG_FRAME_FIELDS (fields)));
    gtk_box_append (GTK_BOX (self->rows), fields);
  }
  self->updating = true;
  gtk_label_set_text (GTK_LABEL (self->title), _ ("Graph"));
  gtk_label_set_text (GTK_LABEL (self->type), kg_graph_get_n_nodes (graph) == 0
                                                  ? _ ("No nodes yet: press Tab over the canvas to add one")
                                                  : "");
  show_help (self, kg_graph_get_comment (graph));
  if (!gtk_widget_has_focus (GTK_WIDGET (gtk_editable_get_delegate (GTK_EDITABLE (self->graph_title)))))
    gtk_editable_set_text (GTK_EDITABLE (self->graph_title), kg_graph_get_title (graph));
  self->updating = false;
}

/* A node. */

static void
build_rows (KgInspector *self, KgNode *node)
{
  g_autoptr (GtkSizeGroup) labels = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  const char *group = NULL;

  clear_rows (self);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    GtkWidget *row;

    if (kg_node_get_slot (node, i)->role != KG_SLOT_INPUT)
      continue;
    row = kg_input_row_new (self->document, node, i, labels);
    if (g_strcmp0 (kg_input_row_get_group (KG_INPUT_ROW (row)), group) != 0) {
      group = kg_input_row_get_group (KG_INPUT_ROW (row));
      if (group != NULL)
        add_heading (self->rows, group);
    }
    gtk_box_append (GTK_BOX (self->rows), row);
  }
}

static void
on_manual (GtkWidget *button, const char *name)
{
  kg_manual_show (name, GTK_WINDOW (gtk_widget_get_root (button)));
}

static void
add_manual (KgInspector *self, const char *name)
{
  g_autofree char *title = kg_manual_dup_title (name);
  GtkWidget *button;

  if (title == NULL)
    return;
  button = gtk_button_new_with_label (title);
  gtk_widget_add_css_class (button, "link");
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (button, _ ("Open this page of the manual"));
  g_signal_connect (button, "clicked", G_CALLBACK (on_manual), (gpointer) name);
  gtk_box_append (GTK_BOX (self->manuals), button);
}

/* A button for each page that an input or output names. */
static void
build_manuals (KgInspector *self, KgNode *node)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const char *name = kg_node_get_slot (node, i)->manual;

    if (name != NULL && g_hash_table_add (seen, (gpointer) name))
      add_manual (self, name);
  }
}

/* Graphs. */

static const char slot_key[] = "output-slot";

/* (transfer full) "path.output" */
static char *
dup_target (KgInspector *self, GtkWidget *graph)
{
  const guint slot = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (graph), slot_key));
  g_autofree char *path = kg_node_dup_path (self->node);

  return g_strdup_printf ("%s.%s", path, kg_node_get_slot (self->node, slot)->name);
}

/* One for each output that gives a motion. */
static void
build_outputs (KgInspector *self, KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    GtkWidget *graph;

    if (slot->role != KG_SLOT_OUTPUT || kg_node_get_slot_kind (node, i) != KG_MOTION)
      continue;
    add_heading (self->outputs, kg_type_translate (slot->label));
    graph = kg_motion_graph_new (kg_type_translate (slot->label));
    g_object_set_data (G_OBJECT (graph), slot_key, GUINT_TO_POINTER (i));
    gtk_box_append (GTK_BOX (self->outputs), graph);
  }
}

GPtrArray *
kg_inspector_dup_motions (KgInspector *self)
{
  g_autoptr (GPtrArray) targets = g_ptr_array_new_with_free_func (g_free);

  for (GtkWidget *child = gtk_widget_get_first_child (self->outputs); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (KG_IS_MOTION_GRAPH (child))
      g_ptr_array_add (targets, dup_target (self, child));
  for (GtkWidget *child = gtk_widget_get_first_child (self->rows); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    char *target = KG_IS_INPUT_ROW (child) ? kg_input_row_dup_motion (KG_INPUT_ROW (child)) : NULL;

    if (target != NULL)
      g_ptr_array_add (targets, target);
  }
  return g_steal_pointer (&targets);
}

static void
show_motions (KgInspector *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);

  for (GtkWidget *child = gtk_widget_get_first_child (self->outputs); child != NULL && set != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (KG_IS_MOTION_GRAPH (child)) {
      g_autofree char *target = dup_target (self, child);

      kg_motion_graph_set_motion (KG_MOTION_GRAPH (child),
                                  (const KgMotion *) g_hash_table_lookup (set->motions, target));
    }
  for (GtkWidget *child = gtk_widget_get_first_child (self->rows); child != NULL && set != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    g_autofree char *target = KG_IS_INPUT_ROW (child) ? kg_input_row_dup_motion (KG_INPUT_ROW (child)) : NULL;

    if (target != NULL)
      kg_input_row_show_motion (KG_INPUT_ROW (child), (const KgMotion *) g_hash_table_lookup (set->motions, target));
  }
}

/* Shows the rows that match the search.  A heading is shown with any row below it. */
static void
filter (KgInspector *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search));
  bool below = false;

  for (GtkWidget *child = gtk_widget_get_last_child (self->rows); child != NULL;
       child = gtk_widget_get_prev_sibling (child)) {
    if (!KG_IS_INPUT_ROW (child)) {
      gtk_widget_set_visible (child, below || self->node == NULL);
      below = false;
      continue;
    }
    {
      KgInputRow *row = KG_INPUT_ROW (child);
      const bool used = kg_input_row_is_shown (row), is_set = kg_input_row_is_set (row);
      const bool fits = *text == '\0' ? used || is_set : kg_input_row_matches (row, text);

      kg_input_row_set_used (row, used || !is_set);

      gtk_widget_set_visible (child, fits);
      below |= fits;
    }
  }
}

static void
show_node (KgInspector *self, KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);
  const guint n_selected = kg_document_get_n_selected (self->document);
  g_autofree char *title = n_selected > 1
                               ? g_strdup_printf (_ ("%s and %u more"), kg_node_get_name (node), n_selected - 1)
                               : g_strdup (kg_node_get_name (node));

  if (self->node != node || self->n_slots != kg_node_get_n_slots (node)) {
    self->node = node;
    self->n_slots = kg_node_get_n_slots (node);
    build_rows (self, node);
    build_outputs (self, node);
    build_manuals (self, node);
    /* A search is for the node that it was typed for: another one would seem to lack its inputs. */
    if (self->searched != node)
      gtk_editable_set_text (GTK_EDITABLE (self->search), "");
    self->searched = node;
    filter (self);
  }
  gtk_label_set_text (GTK_LABEL (self->title), title);
  gtk_label_set_text (GTK_LABEL (self->type),
                      type != NULL ? kg_type_translate (type->label) : kg_node_get_type_id (node));
  show_help (self, type != NULL ? kg_type_translate (type->help)
                                : _ ("Unknown node type. The node is kept as it is in the file."));
  for (GtkWidget *child = gtk_widget_get_first_child (self->rows); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (KG_IS_INPUT_ROW (child))
      kg_input_row_refresh (KG_INPUT_ROW (child));
  /* Which are shown may depend on what others are set to. */
  filter (self);
}

void
kg_inspector_results_changed (KgInspector *self)
{
  KgNode *node = kg_document_get_active (self->document);
  const KgResultSet *set = kg_worker_get_result (self->worker);
  g_autofree char *path = node != NULL ? kg_node_dup_path (node) : NULL;
  const KgNodeReport *report =
      set != NULL && path != NULL ? (const KgNodeReport *) g_hash_table_lookup (set->nodes, path) : NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  if (report != NULL && report->error != NULL)
    g_string_append (text, report->error);
  if (report != NULL && report->warnings != NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", report->warnings);
  gtk_label_set_text (GTK_LABEL (self->report), text->str);
  gtk_widget_set_visible (self->report, text->len > 0);
  show_motions (self);
}

static void
update (KgInspector *self)
{
  KgNode *node = kg_document_get_active (self->document);

  g_clear_handle_id (&self->update_source, g_source_remove);
  gtk_widget_set_visible (self->search, node != NULL);
  if (node != NULL)
    show_node (self, node);
  else {
    self->node = self->searched = NULL;
    show_graph (self);
  }
  kg_inspector_results_changed (self);
}

static gboolean
on_idle (gpointer data)
{
  KgInspector *self = KG_INSPECTOR (data);

  self->update_source = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

/* Rows of a node that is no longer selected, or of inputs that no longer exist, are removed at once: they must not edit it, nor outlive
 * it. */
static void
queue_update (KgInspector *self)
{
  KgNode *node = kg_document_get_active (self->document);

  if (self->committing)
    return;
  if (node != self->node || (node != NULL && kg_node_get_n_slots (node) != self->n_slots))
    update (self);
  else if (self->update_source == 0)
    self->update_source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_idle, self, NULL);
}

void
kg_inspector_commit (KgInspector *self)
{
  self->committing = true;
  for (GtkWidget *child = gtk_widget_get_first_child (self->rows); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (KG_IS_INPUT_ROW (child))
      kg_input_row_commit (KG_INPUT_ROW (child));
  on_graph_title (self);
  self->committing = false;
  queue_update (self);
}

/* What is being typed is meant for the nodes that were selected when it was begun. */
static void
on_selection_changed (KgInspector *self)
{
  kg_inspector_commit (self);
  for (GtkWidget *child = gtk_widget_get_first_child (self->rows); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (KG_IS_INPUT_ROW (child))
      kg_input_row_take_selection (KG_INPUT_ROW (child));
}

/* The inputs of a sub-graph are rebuilt when its inside changes: rows must not look at the old ones. */
static void
on_slots_changed (KgInspector *self, KgNode *node)
{
  if (node != self->node)
    return;
  clear_rows (self);
  self->node = NULL;
  queue_update (self);
}

static void
on_current_changed (KgInspector *self)
{
  if (self->watched != NULL)
    g_signal_handlers_disconnect_by_data (self->watched, self);
  g_set_object (&self->watched, kg_document_get_current (self->document));
  g_signal_connect_object (self->watched, "slots-changed", G_CALLBACK (on_slots_changed), self, G_CONNECT_SWAPPED);
}

/* From the search to the first input that it found. */
static void
on_search_activate (KgInspector *self)
{
  filter (self);
  for (GtkWidget *child = gtk_widget_get_first_child (self->rows); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_visible (child) && gtk_widget_child_focus (child, GTK_DIR_TAB_FORWARD))
      return;
}

static void
on_search_stop (KgInspector *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
}

static gboolean
kg_inspector_grab_focus (GtkWidget *widget)
{
  KgInspector *self = KG_INSPECTOR (widget);

  if (gtk_widget_get_visible (self->search))
    return gtk_widget_grab_focus (self->search);
  return gtk_widget_child_focus (self->rows, GTK_DIR_TAB_FORWARD);
}

static void
kg_inspector_dispose (GObject *object)
{
  KgInspector *self = KG_INSPECTOR (object);

  g_clear_handle_id (&self->update_source, g_source_remove);
  g_clear_pointer (&self->outer, gtk_widget_unparent);
  g_clear_object (&self->watched);
  g_clear_object (&self->document);
  g_clear_object (&self->worker);
  G_OBJECT_CLASS (kg_inspector_parent_class)->dispose (object);
}

static void
kg_inspector_class_init (KgInspectorClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_inspector_dispose;
  GTK_WIDGET_CLASS (class)->grab_focus = kg_inspector_grab_focus;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (class), "inspector");
}

static void
kg_inspector_init (KgInspector *self)
{
  GtkWidget *below;

  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  /* What is shown stays in sight however far one has scrolled. */
  self->outer = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_parent (self->outer, GTK_WIDGET (self));
  gtk_widget_set_vexpand (self->scrolled, TRUE);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_widget_set_margin_start (self->box, 10);
  gtk_widget_set_margin_end (self->box, 10);
  gtk_widget_set_margin_top (self->box, 4);
  gtk_widget_set_margin_bottom (self->box, 8);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), self->box);
  kg_follow_focus (self->scrolled);
  self->title = kg_widget_append_label (self->outer, "title-4");
  gtk_widget_set_margin_start (self->title, 10);
  gtk_widget_set_margin_end (self->title, 10);
  gtk_widget_set_margin_top (self->title, 8);
  gtk_box_append (GTK_BOX (self->outer), self->scrolled);
  self->type = kg_widget_append_label (self->box, "kg-dim");
  self->report = kg_widget_append_label (self->box, "kg-error");
  gtk_label_set_selectable (GTK_LABEL (self->report), TRUE);
  self->help = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->help), 0);
  gtk_label_set_wrap (GTK_LABEL (self->help), TRUE);
  gtk_widget_add_css_class (self->help, "kg-dim");
  self->expander = gtk_expander_new (_ ("Help"));
  below = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_box_append (GTK_BOX (below), self->help);
  self->manuals = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (below), self->manuals);
  gtk_expander_set_child (GTK_EXPANDER (self->expander), below);
  gtk_box_append (GTK_BOX (self->box), self->expander);
  self->search = gtk_search_entry_new ();
  g_object_set (self->search, "placeholder-text", _ ("Search inputs"), NULL);
  gtk_box_append (GTK_BOX (self->box), self->search);
  self->rows = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  gtk_box_append (GTK_BOX (self->box), self->rows);
  self->outputs = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  gtk_box_append (GTK_BOX (self->box), self->outputs);
  g_signal_connect_swapped (self->search, "search-changed", G_CALLBACK (filter), self);
  g_signal_connect_swapped (self->search, "activate", G_CALLBACK (on_search_activate), self);
  g_signal_connect_swapped (self->search, "stop-search", G_CALLBACK (on_search_stop), self);
}

void
kg_inspector_add_below_type (KgInspector *self, GtkWidget *widget)
{
  gtk_box_insert_child_after (GTK_BOX (self->box), widget, self->type);
}

GtkWidget *
kg_inspector_new (KgDocument *document, KgWorker *worker)
{
  KgInspector *self = KG_INSPECTOR (g_object_new (KG_TYPE_INSPECTOR, NULL));

  self->document = (KgDocument *) g_object_ref (document);
  self->worker = (KgWorker *) g_object_ref (worker);
  g_signal_connect_object (document, "changed", G_CALLBACK (queue_update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "frame-changed", G_CALLBACK (queue_update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "current-changed", G_CALLBACK (on_current_changed), self, G_CONNECT_SWAPPED);
  on_current_changed (self);
  update (self);
  return GTK_WIDGET (self);
}
