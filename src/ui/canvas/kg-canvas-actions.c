/* kg-canvas-actions: the actions of the canvas, and the keys that they are bound to.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-commands.h"
#include "kg-number.h"
#include "kg-stage.h"

#include <glib/gi18n.h>

/* Renaming. */

static void
on_rename_activate (GtkEntry *entry, KgCanvas *self)
{
  KgNode *node = kg_document_get_active (self->document);
  g_autoptr (GError) error = NULL;

  if (node != NULL &&
      !kg_graph_rename (kg_node_get_parent (node), node, gtk_editable_get_text (GTK_EDITABLE (entry)), &error)) {
    kg_canvas_show_error (self, error);
    gtk_widget_add_css_class (GTK_WIDGET (entry), "error");
    return;
  }
  gtk_popover_popdown (GTK_POPOVER (self->rename_popover));
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

void
kg_canvas_open_rename (KgCanvas *self, KgNode *node)
{
  const KgRect *r = &kg_canvas_get_item (self, node)->layout.rect;
  const GdkRectangle at = { (int) ((r->x - self->x) * self->zoom), (int) ((r->y - self->y) * self->zoom),
                            (int) (r->width * self->zoom), (int) (KG_NODE_HEAD * self->zoom) };
  GtkWidget *entry;

  if (self->rename_popover == NULL) {
    self->rename_popover = gtk_popover_new ();
    entry = gtk_entry_new ();
    gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Name of the node"), -1);
    g_signal_connect (entry, "activate", G_CALLBACK (on_rename_activate), self);
    gtk_popover_set_child (GTK_POPOVER (self->rename_popover), entry);
    gtk_widget_set_parent (self->rename_popover, GTK_WIDGET (self));
  }
  entry = gtk_popover_get_child (GTK_POPOVER (self->rename_popover));
  gtk_widget_remove_css_class (entry, "error");
  kg_document_select (self->document, node, false);
  gtk_editable_set_text (GTK_EDITABLE (entry), kg_node_get_name (node));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->rename_popover), &at);
  gtk_popover_popup (GTK_POPOVER (self->rename_popover));
  gtk_widget_grab_focus (entry);
  gtk_editable_select_region (GTK_EDITABLE (entry), 0, -1);
}

/* Commands. */

static GPtrArray *
dup_selection (KgCanvas *self)
{
  GPtrArray *nodes = g_ptr_array_new ();

  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
    g_ptr_array_add (nodes, kg_document_get_selected (self->document, i));
  return nodes;
}

#define NODES(array) ((KgNode *const *) (array)->pdata)

/* What was done to the nodes by the mouse until now is a step of its own.  They leave the selection together: one by one
 * everybody who follows it would look at all the others each time. */
static void
delete_nodes (KgCanvas *self, GPtrArray *nodes, bool reconnect)
{
  kg_canvas_finish_tool (self);
  kg_document_select (self->document, NULL, false);
  kg_command_delete (kg_canvas_graph (self), NODES (nodes), nodes->len, reconnect);
}

static void
on_delete (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);

  (void) parameter;
  delete_nodes (self, nodes, g_str_equal (name, "canvas.delete"));
}

static void
on_clipboard_text (GObject *source, GAsyncResult *result, gpointer data)
{
  KgCanvas *self = KG_CANVAS (data);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, &error);
  g_autoptr (GPtrArray) pasted = NULL;
  double x = 0, y = 0, low_x = INFINITY, low_y = INFINITY;

  if (text != NULL) {
    kg_graph_begin_group (kg_canvas_graph (self), _ ("Paste"));
    pasted = kg_graph_paste (kg_canvas_graph (self), text, 0, 0, &error);
    for (guint i = 0; pasted != NULL && i < pasted->len; i++) {
      kg_node_get_position ((KgNode *) g_ptr_array_index (pasted, i), &x, &y);
      low_x = fmin (low_x, x);
      low_y = fmin (low_y, y);
    }
    /* To the pointer. */
    for (guint i = 0; pasted != NULL && i < pasted->len; i++) {
      KgNode *node = (KgNode *) g_ptr_array_index (pasted, i);
      double at_x, at_y;

      kg_canvas_to_graph (self, fmax (self->pointer_x, 20), fmax (self->pointer_y, 20), &at_x, &at_y);
      kg_node_get_position (node, &x, &y);
      kg_graph_move (kg_canvas_graph (self), node, nearbyint (at_x + x - low_x), nearbyint (at_y + y - low_y));
    }
    kg_graph_close_group (kg_canvas_graph (self), pasted != NULL);
  }
  if (pasted != NULL)
    kg_document_select_all (self->document, pasted);
  else if (error != NULL && error->domain == KG_ERROR)
    kg_canvas_show_message (self, _ ("The clipboard contains no nodes: %s"), error->message);
  else
    kg_canvas_show_message (self, _ ("The clipboard contains no nodes."));
  g_object_unref (self);
}

static void
on_clipboard (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  GdkClipboard *clipboard = gtk_widget_get_clipboard (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);

  (void) parameter;
  if (g_str_equal (name, "canvas.paste")) {
    gdk_clipboard_read_text_async (clipboard, NULL, on_clipboard_text, g_object_ref (self));
    return;
  }
  if (nodes->len == 0)
    return;
  {
    g_autofree char *text = kg_graph_copy (kg_canvas_graph (self), NODES (nodes), nodes->len);

    gdk_clipboard_set_text (clipboard, text);
  }
  if (g_str_equal (name, "canvas.cut"))
    delete_nodes (self, nodes, false);
}

static void
on_duplicate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);
  g_autoptr (GPtrArray) copies = NULL;
  g_autoptr (GError) error = NULL;

  (void) name;
  (void) parameter;
  if (nodes->len == 0)
    return;
  copies = kg_command_duplicate (kg_canvas_graph (self), NODES (nodes), nodes->len, 30, 40, &error);
  if (copies != NULL)
    kg_document_select_all (self->document, copies);
  kg_canvas_show_error (self, error);
}

static void
on_collapse (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);
  g_autoptr (GError) error = NULL;

  (void) name;
  (void) parameter;
  if (nodes->len > 0) {
    KgNode *subnet = kg_graph_collapse (kg_canvas_graph (self), NODES (nodes), nodes->len, &error);

    if (subnet != NULL)
      kg_document_select (self->document, subnet, false);
  }
  kg_canvas_show_error (self, error);
}

static void
on_expand (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgNode *node = kg_document_get_active (self->document);
  g_autoptr (GError) error = NULL;

  (void) name;
  (void) parameter;
  if (node != NULL && kg_node_get_graph (node) != NULL) {
    g_autoptr (GPtrArray) nodes = kg_graph_expand (kg_canvas_graph (self), node, &error);

    if (nodes != NULL)
      kg_document_select_all (self->document, nodes);
  }
  kg_canvas_show_error (self, error);
}

static void
on_enter (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgNode *node = kg_document_get_active (self->document);
  KgNode *owner = kg_graph_get_owner (kg_canvas_graph (self));

  (void) parameter;
  if (g_str_equal (name, "canvas.leave")) {
    if (owner != NULL) {
      kg_document_enter (self->document, kg_node_get_parent (owner));
      kg_document_select (self->document, owner, false);
    }
  } else if (node != NULL && kg_node_get_graph (node) != NULL)
    kg_document_enter (self->document, kg_node_get_graph (node));
}

static void
on_flag (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgGraph *graph = kg_canvas_graph (self);
  KgNode *active = kg_document_get_active (self->document);

  (void) parameter;
  if (active == NULL)
    return;
  if (g_str_equal (name, "canvas.bypass")) {
    const bool bypass = !kg_node_get_bypass (active);

    kg_graph_begin_group (graph, _ ("Bypass"));
    for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
      kg_graph_set_bypass (graph, kg_document_get_selected (self->document, i), bypass);
    kg_graph_end_group (graph);
    return;
  }
  if (g_str_equal (name, "canvas.rename")) {
    kg_canvas_open_rename (self, active);
    return;
  }
  {
    /* Display: again, the next output.  A node that is shown without an output being named, as the first one of a graph
     * is, was not requested yet: its first output stays. */
    const char *display = kg_graph_get_display (graph);
    int first = -1, next = -1;
    bool found = false;

    for (guint i = 0; i < kg_node_get_n_slots (active); i++) {
      g_autofree char *target = NULL;

      if (kg_node_get_slot (active, i)->role != KG_SLOT_OUTPUT)
        continue;
      target = g_strdup_printf ("%s.%s", kg_node_get_name (active), kg_node_get_slot (active, i)->name);
      if (first < 0)
        first = (int) i;
      if (found && next < 0)
        next = (int) i;
      found |= g_strcmp0 (display, target) == 0;
    }
    if (next < 0)
      next = first;
    if (next >= 0) {
      g_autofree char *target =
          g_strdup_printf ("%s.%s", kg_node_get_name (active), kg_node_get_slot (active, (guint) next)->name);

      kg_graph_set_display (graph, target);
    } else
      kg_canvas_show_message (self, _ ("%s has no output to show."), kg_node_get_name (active));
  }
}

/* Of the active node; the rest of the selection follows. */
static void
on_stage (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgGraph *graph = kg_canvas_graph (self);
  KgNode *active = kg_document_get_active (self->document);
  KgStage stage = g_str_equal (g_variant_get_string (parameter, NULL), kg_stage_nicks[KG_STAGE_SHOWN])
                      ? KG_STAGE_SHOWN
                      : KG_STAGE_TEMPLATE;
  bool any = false;

  (void) name;
  if (active == NULL)
    return;
  for (guint i = 0; i < kg_node_get_n_slots (active); i++)
    any = any ||
          (kg_node_get_slot (active, i)->role == KG_SLOT_OUTPUT && kg_stage_takes (kg_node_get_slot_kind (active, i)));
  if (!any) {
    kg_canvas_show_message (self, _ ("%s has nothing for the scene view: no geometry, skeleton, scene or transform."),
                            kg_node_get_name (active));
    return;
  }
  if (kg_node_get_stage (active) == stage)
    stage = KG_STAGE_OFF;
  kg_graph_begin_group (graph, stage == KG_STAGE_OFF     ? _ ("Take from the scene view")
                               : stage == KG_STAGE_SHOWN ? _ ("Show in the scene view")
                                                         : _ ("Show as template"));
  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
    kg_graph_set_stage (graph, kg_document_get_selected (self->document, i), stage);
  kg_graph_end_group (graph);
}

static void
on_toggle (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgNode *active = kg_document_get_active (self->document);

  (void) parameter;
  if (g_str_equal (name, "canvas.heat")) {
    self->heat = !self->heat;
    self->look_stamp++;
  } else if (g_str_equal (name, "canvas.overview"))
    self->overview = !self->overview;
  else if (active != NULL) {
    const bool thumbnails = g_str_equal (name, "canvas.thumbnails");
    const KgItem *first = kg_canvas_get_item (self, active);
    const bool on = thumbnails ? !first->thumbnail : !first->expanded;

    for (guint i = 0; i < kg_document_get_n_selected (self->document); i++) {
      KgItem *item = kg_canvas_get_item (self, kg_document_get_selected (self->document, i));

      if (thumbnails)
        item->thumbnail = on;
      else
        item->expanded = on;
      item->stale = true;
    }
    self->items_stale = self->links_stale = true;
    if (thumbnails)
      g_signal_emit_by_name (self, "thumbnails-changed");
  }
  gtk_widget_queue_draw (widget);
}

static void
on_view (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  const double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  (void) parameter;
  if (g_str_equal (name, "canvas.fit"))
    kg_canvas_fit (self, false);
  else if (g_str_equal (name, "canvas.fit-selection"))
    kg_canvas_fit (self, true);
  else if (g_str_equal (name, "canvas.find"))
    kg_canvas_open_find (self);
  else if (g_str_equal (name, "canvas.add"))
    kg_canvas_add_node (self);
  else
    kg_canvas_zoom_at (self, 0.5 * width, 0.5 * height, g_str_equal (name, "canvas.zoom-in") ? 1.25 : 0.8);
}

static void
on_select (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self), found = NULL;

  (void) parameter;
  if (g_str_equal (name, "canvas.select-all")) {
    GPtrArray *order = kg_canvas_get_order (self);

    found = g_ptr_array_new ();
    for (guint i = 0; i < order->len; i++)
      g_ptr_array_add (found, ((const KgItem *) g_ptr_array_index (order, i))->node);
  } else if (g_str_equal (name, "canvas.select-none"))
    found = g_ptr_array_new ();
  else
    found = g_str_equal (name, "canvas.select-upstream") ? kg_command_upstream (NODES (nodes), nodes->len)
                                                         : kg_command_downstream (NODES (nodes), nodes->len);
  kg_document_select_all (self->document, found);
}

/* (transfer full) As they are shown: with their images, and all of their inputs where these are shown. */
static KgRect *
dup_rects (KgCanvas *self, const GPtrArray *nodes)
{
  KgRect *rects = g_new (KgRect, nodes->len);

  for (guint i = 0; i < nodes->len; i++)
    rects[i] = kg_canvas_get_item (self, (KgNode *) g_ptr_array_index (nodes, i))->layout.rect;
  return rects;
}

static void
on_align (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);
  const char *how = parameter != NULL ? g_variant_get_string (parameter, NULL) : "";
  g_autofree KgRect *rects = NULL;

  if (g_str_equal (name, "canvas.layout")) {
    if (nodes->len < 2) {
      g_clear_pointer (&nodes, g_ptr_array_unref);
      nodes = g_ptr_array_new ();
      for (guint i = 0; i < kg_graph_get_n_nodes (kg_canvas_graph (self)); i++)
        g_ptr_array_add (nodes, kg_graph_get_node (kg_canvas_graph (self), i));
    } else
      /* Frames hold other nodes as well, perhaps. */
      for (guint i = nodes->len; i > 0; i--)
        if (kg_node_is_note ((KgNode *) g_ptr_array_index (nodes, i - 1)))
          g_ptr_array_remove_index (nodes, i - 1);
    rects = dup_rects (self, nodes);
    kg_command_layout (kg_canvas_graph (self), NODES (nodes), rects, nodes->len);
    kg_canvas_fit (self, false);
    return;
  }
  rects = dup_rects (self, nodes);
  kg_command_align (kg_canvas_graph (self), NODES (nodes), rects, nodes->len,
                    g_str_equal (how, "left")  ? KG_ALIGN_LEFT
                    : g_str_equal (how, "top") ? KG_ALIGN_TOP
                    : g_str_equal (how, "row") ? KG_ALIGN_ROW
                                               : KG_ALIGN_COLUMN);
}

/* A note around the selected nodes: a frame that moves them along. */
static void
on_frame (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgGraph *graph = kg_canvas_graph (self);
  KgRect all = KG_RECT_EMPTY;
  g_autofree char *width = NULL, *height = NULL;
  KgNode *note;

  (void) parameter;
  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
    kg_rect_include (&all, &kg_canvas_get_item (self, kg_document_get_selected (self->document, i))->layout.rect);
  if (all.width < 0 || g_str_equal (name, "canvas.note")) {
    all = (KgRect){ 0, 0, 200, 60 };
    kg_canvas_to_graph (self, fmax (self->pointer_x, 0), fmax (self->pointer_y, 0), &all.x, &all.y);
  }
  width = kg_number_format_exact (nearbyint (all.width + 40));
  height = kg_number_format_exact (nearbyint (all.height + 60));
  kg_graph_begin_group (graph, _ ("Add note"));
  note = kg_canvas_add_role (self, KG_ROLE_ANNOTATION, nearbyint (all.x - 20), nearbyint (all.y - 40), NULL);
  if (note != NULL) {
    kg_graph_set_json (graph, note, "width", width, NULL);
    kg_graph_set_json (graph, note, "height", height, NULL);
    kg_document_select (self->document, note, false);
  }
  kg_graph_end_group (graph);
}

static void
on_color (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  const char *color = g_variant_get_string (parameter, NULL);

  (void) name;
  kg_graph_begin_group (kg_canvas_graph (self), _ ("Colour"));
  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
    kg_graph_set_color (kg_canvas_graph (self), kg_document_get_selected (self->document, i),
                        *color != '\0' ? color : NULL);
  kg_graph_end_group (kg_canvas_graph (self));
}

/* Walking with the keyboard. */

static void
go_to_node (KgCanvas *self, KgNode *node)
{
  kg_document_select (self->document, node, false);
  kg_canvas_reveal (self, node);
}

KgNode *
kg_canvas_find_next (KgCanvas *self, KgNode *from, const char *way, GHashTable *among)
{
  GPtrArray *order = kg_canvas_get_order (self);
  const double dx = g_str_equal (way, "right") - g_str_equal (way, "left");
  const double dy = g_str_equal (way, "down") - g_str_equal (way, "up");
  double nearest = INFINITY, x = 0, y = 0;
  KgNode *best = NULL;

  if (from != NULL)
    kg_node_get_position (from, &x, &y);
  for (guint i = 0; i < order->len; i++) {
    KgNode *node = ((const KgItem *) g_ptr_array_index (order, i))->node;
    double nx, ny, along, across;

    kg_node_get_position (node, &nx, &ny);
    along = (nx - x) * dx + (ny - y) * dy;
    across = fabs ((nx - x) * dy) + fabs ((ny - y) * dx);
    if (node != from && (from == NULL || along > 1) && along + 2 * across < nearest &&
        (among == NULL || g_hash_table_contains (among, node))) {
      nearest = along + 2 * across;
      best = node;
    }
  }
  return best;
}

/* Arrow keys: to the nearest node in that direction, or to another slot or link while one is chosen. */
static void
on_walk (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  const char *way = g_variant_get_string (parameter, NULL);
  KgNode *next;

  (void) name;
  if (kg_canvas_walk_pick (self, way))
    return;
  next = kg_canvas_find_next (self, kg_document_get_active (self->document), way, NULL);
  if (next != NULL)
    go_to_node (self, next);
}

/* (transfer full) The nodes that a node reads, in the order of its inputs, or that read it; each once. */
static GPtrArray *
find_neighbours (KgNode *node, bool upstream)
{
  GPtrArray *found;

  if (!upstream)
    return kg_node_dup_users (node);
  found = g_ptr_array_new ();
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    for (guint item = 0; item < kg_canvas_count_items (node, i); item++) {
      KgNode *from;
      guint output;

      if (kg_node_get_link (node, i, item, &from, &output) && !g_ptr_array_find (found, from, NULL))
        g_ptr_array_add (found, from);
    }
  return found;
}

/* Along links: to the first node that this one reads, to the first that reads it, or, after either, to the next of
 * those instead. */
static void
on_follow (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  const char *way = g_variant_get_string (parameter, NULL);
  KgNode *active = kg_document_get_active (self->document);
  KgNode *from = self->followed_from != NULL ? kg_graph_find (kg_canvas_graph (self), self->followed_from) : NULL;
  g_autoptr (GPtrArray) neighbours = NULL;
  guint at = 0;

  (void) name;
  if (active == NULL || kg_canvas_walk_pick (self, way))
    return;
  if (!g_str_equal (way, "other")) {
    self->followed_upstream = g_str_equal (way, "upstream");
    from = active;
  }
  neighbours = from != NULL ? find_neighbours (from, self->followed_upstream) : g_ptr_array_new ();
  if (g_str_equal (way, "other") && g_ptr_array_find (neighbours, active, &at))
    at = (at + 1) % neighbours->len;
  else if (from != active)
    return;
  if (at >= neighbours->len)
    return;
  g_free (self->followed_from);
  self->followed_from = g_strdup (kg_node_get_name (from));
  go_to_node (self, (KgNode *) g_ptr_array_index (neighbours, at));
}

static void
on_activate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  (void) name;
  (void) parameter;
  if (!kg_canvas_accept_pick (KG_CANVAS (widget)))
    g_signal_emit_by_name (widget, "activate-node");
}

static void
on_keyboard (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);

  if (g_str_equal (name, "canvas.nudge"))
    kg_canvas_nudge (self, g_variant_get_string (parameter, NULL));
  else if (g_str_equal (name, "canvas.link"))
    kg_canvas_start_link (self, g_str_equal (g_variant_get_string (parameter, NULL), "output"));
  else if (g_str_equal (name, "canvas.unlink"))
    kg_canvas_start_unlink (self);
  else if (g_str_equal (name, "canvas.dot"))
    kg_canvas_start_dot (self);
  else
    kg_canvas_open_menu_by_key (self);
}

static void
on_cancel (GtkWidget *widget, const char *name, GVariant *parameter)
{
  (void) name;
  (void) parameter;
  kg_canvas_cancel_tool (KG_CANVAS (widget));
}

/* The table. */

static void
bind (GtkWidgetClass *class, guint key, GdkModifierType modifiers, const char *action, const char *argument)
{
  gtk_widget_class_add_binding_action (class, key, modifiers, action, argument != NULL ? "s" : NULL, argument);
}

void
kg_canvas_install_actions (GtkWidgetClass *widget)
{
  static const struct {
    const char *name;
    const char *parameter;
    GtkWidgetActionActivateFunc activate;
  } actions[] = {
    { "canvas.add", NULL, on_view },
    { "canvas.find", NULL, on_view },
    { "canvas.fit", NULL, on_view },
    { "canvas.fit-selection", NULL, on_view },
    { "canvas.zoom-in", NULL, on_view },
    { "canvas.zoom-out", NULL, on_view },
    { "canvas.delete", NULL, on_delete },
    { "canvas.delete-only", NULL, on_delete },
    { "canvas.cut", NULL, on_clipboard },
    { "canvas.copy", NULL, on_clipboard },
    { "canvas.paste", NULL, on_clipboard },
    { "canvas.duplicate", NULL, on_duplicate },
    { "canvas.collapse", NULL, on_collapse },
    { "canvas.expand", NULL, on_expand },
    { "canvas.enter", NULL, on_enter },
    { "canvas.leave", NULL, on_enter },
    { "canvas.bypass", NULL, on_flag },
    { "canvas.display", NULL, on_flag },
    { "canvas.stage", "s", on_stage },
    { "canvas.rename", NULL, on_flag },
    { "canvas.heat", NULL, on_toggle },
    { "canvas.overview", NULL, on_toggle },
    { "canvas.thumbnails", NULL, on_toggle },
    { "canvas.expand-inputs", NULL, on_toggle },
    { "canvas.select-all", NULL, on_select },
    { "canvas.select-none", NULL, on_select },
    { "canvas.select-upstream", NULL, on_select },
    { "canvas.select-downstream", NULL, on_select },
    { "canvas.align", "s", on_align },
    { "canvas.layout", NULL, on_align },
    { "canvas.frame", NULL, on_frame },
    { "canvas.note", NULL, on_frame },
    { "canvas.color", "s", on_color },
    { "canvas.walk", "s", on_walk },
    { "canvas.follow", "s", on_follow },
    { "canvas.nudge", "s", on_keyboard },
    { "canvas.link", "s", on_keyboard },
    { "canvas.unlink", NULL, on_keyboard },
    { "canvas.dot", NULL, on_keyboard },
    { "canvas.menu", NULL, on_keyboard },
    { "canvas.activate", NULL, on_activate },
    { "canvas.cancel", NULL, on_cancel },
  };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i].name, actions[i].parameter, actions[i].activate);
  bind (widget, GDK_KEY_Tab, 0, "canvas.add", NULL);
  bind (widget, GDK_KEY_a, GDK_SHIFT_MASK, "canvas.add", NULL);
  bind (widget, GDK_KEY_f, GDK_CONTROL_MASK, "canvas.find", NULL);
  bind (widget, GDK_KEY_a, 0, "canvas.fit", NULL);
  bind (widget, GDK_KEY_Home, 0, "canvas.fit", NULL);
  bind (widget, GDK_KEY_f, 0, "canvas.fit-selection", NULL);
  bind (widget, GDK_KEY_plus, GDK_CONTROL_MASK, "canvas.zoom-in", NULL);
  bind (widget, GDK_KEY_minus, GDK_CONTROL_MASK, "canvas.zoom-out", NULL);
  bind (widget, GDK_KEY_Delete, 0, "canvas.delete", NULL);
  bind (widget, GDK_KEY_BackSpace, 0, "canvas.delete", NULL);
  bind (widget, GDK_KEY_Delete, GDK_SHIFT_MASK, "canvas.delete-only", NULL);
  bind (widget, GDK_KEY_x, GDK_CONTROL_MASK, "canvas.cut", NULL);
  bind (widget, GDK_KEY_c, GDK_CONTROL_MASK, "canvas.copy", NULL);
  bind (widget, GDK_KEY_v, GDK_CONTROL_MASK, "canvas.paste", NULL);
  bind (widget, GDK_KEY_d, GDK_CONTROL_MASK, "canvas.duplicate", NULL);
  bind (widget, GDK_KEY_g, GDK_CONTROL_MASK, "canvas.collapse", NULL);
  bind (widget, GDK_KEY_g, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.expand", NULL);
  bind (widget, GDK_KEY_i, 0, "canvas.enter", NULL);
  bind (widget, GDK_KEY_u, 0, "canvas.leave", NULL);
  bind (widget, GDK_KEY_b, 0, "canvas.bypass", NULL);
  bind (widget, GDK_KEY_d, 0, "canvas.display", NULL);
  bind (widget, GDK_KEY_d, GDK_SHIFT_MASK, "canvas.stage", "shown");
  bind (widget, GDK_KEY_t, GDK_SHIFT_MASK, "canvas.stage", "template");
  bind (widget, GDK_KEY_F2, 0, "canvas.rename", NULL);
  bind (widget, GDK_KEY_h, 0, "canvas.heat", NULL);
  bind (widget, GDK_KEY_o, 0, "canvas.overview", NULL);
  bind (widget, GDK_KEY_t, 0, "canvas.thumbnails", NULL);
  bind (widget, GDK_KEY_e, 0, "canvas.expand-inputs", NULL);
  bind (widget, GDK_KEY_a, GDK_CONTROL_MASK, "canvas.select-all", NULL);
  bind (widget, GDK_KEY_a, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.select-none", NULL);
  bind (widget, GDK_KEY_Left, GDK_SHIFT_MASK, "canvas.select-upstream", NULL);
  bind (widget, GDK_KEY_Right, GDK_SHIFT_MASK, "canvas.select-downstream", NULL);
  bind (widget, GDK_KEY_l, 0, "canvas.layout", NULL);
  bind (widget, GDK_KEY_j, GDK_SHIFT_MASK, "canvas.frame", NULL);
  bind (widget, GDK_KEY_n, GDK_SHIFT_MASK, "canvas.note", NULL);
  bind (widget, GDK_KEY_Left, 0, "canvas.walk", "left");
  bind (widget, GDK_KEY_Right, 0, "canvas.walk", "right");
  bind (widget, GDK_KEY_Up, 0, "canvas.walk", "up");
  bind (widget, GDK_KEY_Down, 0, "canvas.walk", "down");
  bind (widget, GDK_KEY_comma, 0, "canvas.follow", "upstream");
  bind (widget, GDK_KEY_period, 0, "canvas.follow", "downstream");
  bind (widget, GDK_KEY_slash, 0, "canvas.follow", "other");
  bind (widget, GDK_KEY_Left, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.nudge", "left");
  bind (widget, GDK_KEY_Right, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.nudge", "right");
  bind (widget, GDK_KEY_Up, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.nudge", "up");
  bind (widget, GDK_KEY_Down, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.nudge", "down");
  bind (widget, GDK_KEY_c, 0, "canvas.link", "output");
  bind (widget, GDK_KEY_c, GDK_SHIFT_MASK, "canvas.link", "input");
  bind (widget, GDK_KEY_y, 0, "canvas.unlink", NULL);
  bind (widget, GDK_KEY_r, 0, "canvas.dot", NULL);
  bind (widget, GDK_KEY_Menu, 0, "canvas.menu", NULL);
  bind (widget, GDK_KEY_F10, GDK_SHIFT_MASK, "canvas.menu", NULL);
  bind (widget, GDK_KEY_Return, 0, "canvas.activate", NULL);
  bind (widget, GDK_KEY_Escape, 0, "canvas.cancel", NULL);
}
