/* kg-canvas-tools: what the mouse does on the canvas.
 *
 * A press decides on a tool, by what is under the pointer and which keys are held; motion works it, release ends it,
 * Escape takes it back.  A tool that edits is one step of undo.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-commands.h"
#include "kg-settings.h"
#include "kg-space-key.h"

#include <glib/gi18n.h>

#define WHEEL_STEP 1.15
#define LINK_REACH 6.0 /* pixels */

/* Moving. */

void
kg_canvas_pick_up_selection (KgCanvas *self)
{
  GPtrArray *order = kg_canvas_get_order (self);

  for (guint i = 0; i < order->len; i++) {
    KgItem *item = (KgItem *) g_ptr_array_index (order, i);

    item->in_hand = kg_document_is_selected (self->document, item->node);
  }
  /* A note takes along what lies on it. */
  for (guint i = 0; i < order->len; i++) {
    const KgItem *note = (const KgItem *) g_ptr_array_index (order, i);

    if (!note->is_note || !note->in_hand)
      continue;
    for (guint k = 0; k < order->len; k++) {
      KgItem *item = (KgItem *) g_ptr_array_index (order, k);
      const KgRect *r = &item->layout.rect;

      if (item != note && kg_rect_contains (&note->layout.rect, r->x, r->y) &&
          kg_rect_contains (&note->layout.rect, r->x + r->width, r->y + r->height))
        item->in_hand = true;
    }
  }
  g_array_set_size (self->origins, 0);
  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);
    const KgPlacement origin = { item->node, item->layout.rect.x, item->layout.rect.y };

    if (item->in_hand)
      g_array_append_val (self->origins, origin);
  }
}

static void
begin_move (KgCanvas *self)
{
  kg_canvas_pick_up_selection (self);
  kg_graph_begin_group (kg_canvas_graph (self), _ ("Move"));
  self->group_open = true;
}

/* Left and top edges of the node in hand jump to those of others nearby; elsewhere it goes by the grid,
 * unless the preferences say otherwise. */
static void
snap_move (KgCanvas *self, double *dx, double *dy)
{
  const KgPlacement *lead = &g_array_index (self->origins, KgPlacement, self->origins->len - 1);
  GPtrArray *order = kg_canvas_get_order (self);
  const double reach = KG_GUIDE_REACH / self->zoom;
  double nearest_x = reach, nearest_y = reach;
  const double x = lead->x + *dx, y = lead->y + *dy;

  self->guide_x = self->guide_y = NAN;
  if (kg_settings_get_snap_to_grid (kg_settings_get_default ())) {
    *dx = nearbyint (x / KG_SNAP) * KG_SNAP - lead->x;
    *dy = nearbyint (y / KG_SNAP) * KG_SNAP - lead->y;
  }
  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);
    const KgRect *r = &item->layout.rect;

    if (kg_node_is_note (item->node) || fabs (r->x - x) > 600 || fabs (r->y - y) > 600 || item->in_hand)
      continue;
    if (fabs (r->x - x) < nearest_x) {
      nearest_x = fabs (r->x - x);
      self->guide_x = r->x;
      *dx = r->x - lead->x;
    }
    if (fabs (r->y - y) < nearest_y) {
      nearest_y = fabs (r->y - y);
      self->guide_y = r->y;
      *dy = r->y - lead->y;
    }
  }
}

/* The link under a single node in hand that it could go into. */
static void
find_insertion (KgCanvas *self)
{
  const KgPlacement *origin = &g_array_index (self->origins, KgPlacement, 0);
  const KgRect *r;
  KgNode *from;
  KgEnd end;
  guint output;

  self->insert.node = NULL;
  if (self->origins->len != 1 || kg_node_is_note (origin->node))
    return;
  r = &kg_canvas_get_item (self, origin->node)->layout.rect;
  if (!kg_canvas_pick_link (self, r->x + 0.5 * r->width, r->y + 0.5 * KG_NODE_HEAD, 0.35 * r->width, &end) ||
      end.node == origin->node || !kg_node_get_link (end.node, end.slot, end.item, &from, &output) ||
      from == origin->node)
    return;
  /* Only a node that is not in use yet. */
  {
    g_autoptr (GPtrArray) users = kg_node_dup_users (origin->node);
    const int in = kg_command_find_input_for (origin->node, from, output);

    if (users->len == 0 && in >= 0 && kg_node_get_source (origin->node, (guint) in)->kind == KG_SOURCE_DEFAULT &&
        kg_command_find_output (origin->node, kg_node_get_slot (end.node, end.slot)->kind) >= 0)
      self->insert = end;
  }
}

static void
update_move (KgCanvas *self, GdkModifierType state)
{
  double dx = (self->drag_x - self->start_x) / self->zoom, dy = (self->drag_y - self->start_y) / self->zoom;

  if (self->origins->len == 0)
    return;
  if ((state & GDK_CONTROL_MASK) == 0)
    snap_move (self, &dx, &dy);
  {
    g_autoptr (GArray) places = g_array_copy (self->origins);

    for (guint i = 0; i < places->len; i++) {
      g_array_index (places, KgPlacement, i).x += dx;
      g_array_index (places, KgPlacement, i).y += dy;
    }
    kg_graph_move_nodes (kg_canvas_graph (self), (const KgPlacement *) (const void *) places->data, places->len);
  }
  find_insertion (self);
}

static void
end_move (KgCanvas *self)
{
  g_autoptr (GError) error = NULL;
  const KgEnd insert = self->insert;

  self->insert.node = NULL;
  if (insert.node != NULL && self->origins->len > 0)
    kg_command_insert (kg_canvas_graph (self), g_array_index (self->origins, KgPlacement, 0).node, insert.node,
                       insert.slot, insert.item, &error);
  kg_canvas_show_error (self, error);
  self->group_open = false;
  kg_graph_end_group (kg_canvas_graph (self));
}

/* Links. */

static void
begin_link (KgCanvas *self, const KgEnd *end)
{
  KgNode *from;
  guint output;

  self->tool = KG_TOOL_LINK;
  self->link = *end;
  self->detached = (KgEnd){ NULL };
  /* From an input that is linked already, the far end stays in place and this one comes along. */
  if (!end->is_output && kg_node_get_link (end->node, end->slot, end->item, &from, &output) &&
      kg_node_get_type (from) != NULL) {
    self->detached = *end;
    self->link = (KgEnd){ from, output, 0, true };
  }
}

/* On the body of a node: the slot that fits, by its name or as the first. */
static KgEnd
complete_end (KgCanvas *self, KgNode *node)
{
  KgEnd end = { NULL };
  int slot;

  if (node == NULL || node == self->link.node)
    return end;
  if (self->link.is_output)
    slot = kg_command_find_input_for (node, self->link.node, self->link.slot);
  else
    slot = kg_command_find_output (node, kg_node_get_slot (self->link.node, self->link.slot)->kind);
  if (slot >= 0)
    end = (KgEnd){ node, (guint) slot, G_MAXUINT, !self->link.is_output };
  return end;
}

static void
open_search_later (gpointer data)
{
  KgCanvas *self = KG_CANVAS (data);
  const KgEnd end = self->add_end;

  if (end.node != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    kg_canvas_open_search (self, self->drag_x, self->drag_y, &end);
  g_object_unref (self);
}

static void
end_link (KgCanvas *self)
{
  KgGraph *graph = kg_canvas_graph (self);
  g_autoptr (GError) error = NULL;
  KgEnd end;
  KgNode *node;
  double x, y;

  kg_canvas_to_graph (self, self->drag_x, self->drag_y, &x, &y);
  node = kg_canvas_pick (self, x, y, &end);
  /* A frame is ground to what lies on it. */
  if (node != NULL && kg_node_is_note (node))
    node = NULL;
  if (end.node != NULL && end.is_output == self->link.is_output)
    end.node = NULL;
  if (end.node == NULL)
    end = complete_end (self, node);
  if (end.node != NULL && self->detached.node != NULL && end.node == self->detached.node &&
      end.slot == self->detached.slot && (end.item == self->detached.item || end.item == G_MAXUINT))
    return;
  if (end.node != NULL) {
    const KgEnd *from = self->link.is_output ? &self->link : &end, *to = self->link.is_output ? &end : &self->link;

    kg_graph_begin_group (graph, _ ("Link"));
    if (self->detached.node != NULL)
      kg_graph_unlink_item (graph, self->detached.node, self->detached.slot, self->detached.item);
    kg_graph_close_group (graph,
                          kg_graph_insert_link (graph, from->node, from->slot, to->node, to->slot, to->item, &error));
    kg_canvas_show_error (self, error);
    return;
  }
  if (node != NULL && node != self->link.node) {
    kg_canvas_show_message (self, _ ("%s has no slot for %s."), kg_node_get_name (node),
                            kg_kind_get_phrase (kg_node_get_slot_kind (self->link.node, self->link.slot)));
    return;
  }
  if (self->detached.node != NULL) {
    kg_graph_begin_group (graph, _ ("Unlink"));
    kg_graph_unlink_item (graph, self->detached.node, self->detached.slot, self->detached.item);
    kg_graph_end_group (graph);
  } else if (hypot (self->drag_x - self->start_x, self->drag_y - self->start_y) > 12) {
    /* Not before the button is up for GTK too: to a popover that opens below it the next press would be lost. */
    self->add_end = self->link;
    g_idle_add_once (open_search_later, g_object_ref (self));
  }
}

/* Cutting. */

static bool
segments_cross (const double *a, const double *b, double cx, double cy, double dx, double dy)
{
  const double d1 = (b[0] - a[0]) * (cy - a[1]) - (b[1] - a[1]) * (cx - a[0]);
  const double d2 = (b[0] - a[0]) * (dy - a[1]) - (b[1] - a[1]) * (dx - a[0]);
  const double d3 = (dx - cx) * (a[1] - cy) - (dy - cy) * (a[0] - cx);
  const double d4 = (dx - cx) * (b[1] - cy) - (dy - cy) * (b[0] - cx);

  return (d1 > 0) != (d2 > 0) && (d3 > 0) != (d4 > 0);
}

static bool
stroke_crosses (const GArray *stroke, const double p[8])
{
  const double *s = (const double *) (const void *) stroke->data;
  double x = p[0], y = p[1];

  for (guint i = 1; i <= 24; i++) {
    const double t = i / 24.0, u = 1 - t;
    const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    const double nx = a * p[0] + b * p[2] + c * p[4] + d * p[6], ny = a * p[1] + b * p[3] + c * p[5] + d * p[7];

    for (guint k = 0; k + 3 < stroke->len; k += 2)
      if (segments_cross (s + k, s + k + 2, x, y, nx, ny))
        return true;
    x = nx;
    y = ny;
  }
  return false;
}

static void
end_cut (KgCanvas *self)
{
  GPtrArray *order = kg_canvas_get_order (self);
  g_autoptr (GArray) cut = g_array_new (FALSE, FALSE, sizeof (KgEnd));

  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);

    for (guint k = 0; k < item->layout.n_places; k++) {
      const KgSlotPlace *place = &item->layout.places[k];
      const KgEnd end = { item->node, place->slot, place->item, false };
      double p[8];
      KgKind kind;

      if (!place->is_output && kg_canvas_get_curve (self, item->node, place, p, &kind) && stroke_crosses (self->cut, p))
        g_array_append_val (cut, end);
    }
  }
  if (cut->len == 0)
    return;
  kg_graph_begin_group (kg_canvas_graph (self), _ ("Cut links"));
  /* Items of a list from its end, so that their numbers stay true. */
  for (guint i = cut->len; i > 0; i--) {
    const KgEnd *end = &g_array_index (cut, KgEnd, i - 1);

    kg_graph_unlink_item (kg_canvas_graph (self), end->node, end->slot, end->item);
  }
  kg_graph_end_group (kg_canvas_graph (self));
}

/* Box. */

static void
update_box (KgCanvas *self)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  GPtrArray *order = kg_canvas_get_order (self);
  KgRect box;
  double x1, y1;

  kg_canvas_to_graph (self, MIN (self->start_x, self->drag_x), MIN (self->start_y, self->drag_y), &box.x, &box.y);
  kg_canvas_to_graph (self, MAX (self->start_x, self->drag_x), MAX (self->start_y, self->drag_y), &x1, &y1);
  box.width = x1 - box.x;
  box.height = y1 - box.y;
  for (guint i = 0; i < self->before->len; i++)
    g_ptr_array_add (nodes, g_ptr_array_index (self->before, i));
  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);
    const KgRect *r = &item->layout.rect;

    /* Notes only when wholly inside: they are large and lie below. */
    if (kg_node_is_note (item->node)
            ? kg_rect_contains (&box, r->x, r->y) && kg_rect_contains (&box, r->x + r->width, r->y + r->height)
            : kg_rect_intersects (r, &box))
      g_ptr_array_add (nodes, item->node);
  }
  kg_document_select_all (self->document, nodes);
}

/* The overview. */

static void
go_overview (KgCanvas *self, double wx, double wy)
{
  KgRect place, all;

  if (!kg_canvas_get_overview (self, &place, &all))
    return;
  self->x = all.x + (wx - place.x) / place.width * all.width -
            0.5 * gtk_widget_get_width (GTK_WIDGET (self)) / self->zoom;
  self->y = all.y + (wy - place.y) / place.height * all.height -
            0.5 * gtk_widget_get_height (GTK_WIDGET (self)) / self->zoom;
}

/* Tools. */

void
kg_canvas_cancel_tool (KgCanvas *self)
{
  if (self->group_open) {
    self->group_open = false;
    kg_graph_cancel_group (kg_canvas_graph (self));
  }
  self->insert.node = NULL;
  self->tool = KG_TOOL_NONE;
  /* The hint of what Return does no longer holds. */
  if (self->pick != KG_PICK_NONE)
    kg_canvas_show_message (self, "%s", "");
  self->pick = KG_PICK_NONE;
  self->resized = NULL;
  self->hover_slot.node = NULL;
  g_array_set_size (self->cut, 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
kg_canvas_finish_tool (KgCanvas *self)
{
  if (self->group_open) {
    self->group_open = false;
    kg_graph_end_group (kg_canvas_graph (self));
  }
  kg_canvas_cancel_tool (self);
}

/* The node is removed, perhaps while it is dragged. */
void
kg_canvas_forget_node (KgCanvas *self, KgNode *node)
{
  if (self->insert.node == node)
    self->insert.node = NULL;
  if (self->add_end.node == node)
    self->add_end.node = NULL;
  if (self->pick != KG_PICK_NONE ||
      (self->tool == KG_TOOL_LINK && (self->link.node == node || self->detached.node == node)))
    kg_canvas_cancel_tool (self);
  if (self->before != NULL)
    g_ptr_array_remove (self->before, node);
  for (guint i = self->origins->len; i > 0 && self->tool == KG_TOOL_MOVE; i--)
    if (g_array_index (self->origins, KgPlacement, i - 1).node == node)
      g_array_remove_index (self->origins, i - 1);
  if (self->resized == node || (self->tool == KG_TOOL_MOVE && self->group_open && self->origins->len == 0))
    kg_canvas_finish_tool (self);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double wx, double wy, KgCanvas *self)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  KgRect place, all;
  KgEdges edges;
  KgEnd end;
  KgNode *node, *frame;
  double x, y;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  kg_canvas_cancel_tool (self);
  self->start_x = self->drag_x = wx;
  self->start_y = self->drag_y = wy;
  self->view_x = self->x;
  self->view_y = self->y;
  if (self->space_held) {
    self->tool = KG_TOOL_PAN;
    return;
  }
  if (kg_canvas_get_overview (self, &place, &all) && kg_rect_contains (&place, wx, wy)) {
    self->tool = KG_TOOL_OVERVIEW;
    go_overview (self, wx, wy);
    gtk_widget_queue_draw (GTK_WIDGET (self));
    return;
  }
  kg_canvas_to_graph (self, wx, wy, &x, &y);
  node = kg_canvas_pick (self, x, y, &end);
  frame = end.node == NULL && (state & GDK_SHIFT_MASK) == 0 ? kg_canvas_pick_edges (self, x, y, &edges) : NULL;
  /* Links are cut on a frame as on the ground. */
  if (node != NULL && frame == NULL && kg_node_is_note (node) && (state & GDK_CONTROL_MASK) != 0 &&
      (state & GDK_SHIFT_MASK) == 0)
    node = NULL;
  if (end.node != NULL)
    begin_link (self, &end);
  else if (frame != NULL)
    kg_canvas_begin_resize (self, frame, edges);
  else if (node != NULL) {
    if ((state & GDK_SHIFT_MASK) != 0) {
      if (kg_document_is_selected (self->document, node))
        kg_document_unselect (self->document, node);
      else
        kg_document_select (self->document, node, true);
      return;
    }
    if (!kg_document_is_selected (self->document, node))
      kg_document_select (self->document, node, false);
    else
      kg_document_select (self->document, node, true);
    self->tool = KG_TOOL_MOVE;
  } else if ((state & GDK_CONTROL_MASK) != 0) {
    self->tool = KG_TOOL_CUT;
    g_array_append_val (self->cut, x);
    g_array_append_val (self->cut, y);
  } else {
    self->tool = KG_TOOL_BOX;
    g_clear_pointer (&self->before, g_ptr_array_unref);
    self->before = g_ptr_array_new ();
    for (guint i = 0; (state & GDK_SHIFT_MASK) != 0 && i < kg_document_get_n_selected (self->document); i++)
      g_ptr_array_add (self->before, kg_document_get_selected (self->document, i));
    if ((state & GDK_SHIFT_MASK) == 0)
      kg_document_select (self->document, NULL, false);
  }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, KgCanvas *self)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  double x, y;

  self->drag_x = self->start_x + dx;
  self->drag_y = self->start_y + dy;
  kg_canvas_to_graph (self, self->drag_x, self->drag_y, &x, &y);
  switch (self->tool) {
  case KG_TOOL_PAN:
    self->x = self->view_x - dx / self->zoom;
    self->y = self->view_y - dy / self->zoom;
    break;
  case KG_TOOL_MOVE:
    if (!self->group_open && hypot (dx, dy) < 4)
      return;
    if (!self->group_open) {
      begin_move (self);
      if ((state & GDK_ALT_MASK) != 0 && kg_document_get_active (self->document) != NULL)
        kg_command_extract (kg_canvas_graph (self), kg_document_get_active (self->document));
    }
    update_move (self, state);
    break;
  case KG_TOOL_BOX:
    update_box (self);
    break;
  case KG_TOOL_LINK:
    self->hover_node = kg_canvas_pick (self, x, y, &self->hover_slot);
    if (!kg_canvas_ends_fit (self, &self->link, &self->hover_slot))
      self->hover_slot.node = NULL;
    break;
  case KG_TOOL_CUT:
    g_array_append_val (self->cut, x);
    g_array_append_val (self->cut, y);
    break;
  case KG_TOOL_OVERVIEW:
    go_overview (self, self->drag_x, self->drag_y);
    break;
  case KG_TOOL_RESIZE:
    if (!self->group_open && hypot (dx, dy) < 4)
      return;
    kg_canvas_update_resize (self, state);
    break;
  case KG_TOOL_PICK:
  case KG_TOOL_NONE:
  default:
    return;
  }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, KgCanvas *self)
{
  const KgTool tool = self->tool;

  (void) gesture;
  /* The keyboard has begun something meanwhile. */
  if (self->pick != KG_PICK_NONE)
    return;
  self->drag_x = self->start_x + dx;
  self->drag_y = self->start_y + dy;
  self->tool = KG_TOOL_NONE;
  if (tool == KG_TOOL_MOVE && self->group_open)
    end_move (self);
  else if (tool == KG_TOOL_LINK)
    end_link (self);
  else if (tool == KG_TOOL_RESIZE)
    kg_canvas_end_resize (self);
  else if (tool == KG_TOOL_CUT)
    end_cut (self);
  self->hover_slot.node = NULL;
  g_array_set_size (self->cut, 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_pan_begin (GtkGestureDrag *gesture, double wx, double wy, KgCanvas *self)
{
  (void) gesture;
  (void) wx;
  (void) wy;
  self->view_x = self->x;
  self->view_y = self->y;
}

static void
on_pan_update (GtkGestureDrag *gesture, double dx, double dy, KgCanvas *self)
{
  (void) gesture;
  self->x = self->view_x - dx / self->zoom;
  self->y = self->view_y - dy / self->zoom;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
kg_canvas_add_dot (KgCanvas *self, const KgEnd *link, double x, double y)
{
  KgGraph *graph = kg_canvas_graph (self);
  g_autoptr (GError) error = NULL;
  KgNode *dot;

  kg_graph_begin_group (graph, _ ("Add dot"));
  dot = kg_canvas_add_role (self, KG_ROLE_REROUTE, nearbyint (x - 0.5 * KG_DOT_WIDTH),
                            nearbyint (y - 0.5 * KG_DOT_HEIGHT), &error);
  if (dot != NULL && kg_command_insert (graph, dot, link->node, link->slot, link->item, &error)) {
    kg_graph_end_group (graph);
    kg_document_select (self->document, dot, false);
  } else {
    kg_graph_cancel_group (graph);
    kg_canvas_show_error (self, error);
  }
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double wx, double wy, KgCanvas *self)
{
  KgEnd end;
  KgNode *node;
  double x, y;

  (void) gesture;
  if (n_press != 2)
    return;
  kg_canvas_to_graph (self, wx, wy, &x, &y);
  node = kg_canvas_pick (self, x, y, &end);
  if (end.node != NULL)
    return;
  kg_canvas_cancel_tool (self);
  /* A dot leads a link elsewhere, on a frame as well. */
  if ((node == NULL || kg_node_is_note (node)) && kg_canvas_pick_link (self, x, y, LINK_REACH / self->zoom, &end)) {
    kg_canvas_add_dot (self, &end, x, y);
    return;
  }
  if (node == NULL) {
    kg_canvas_open_search (self, wx, wy, NULL);
    return;
  }
  if (kg_node_get_graph (node) != NULL)
    kg_document_enter (self->document, kg_node_get_graph (node));
  else if (y < kg_canvas_get_item (self, node)->layout.rect.y + KG_NODE_HEAD && !kg_node_is_note (node))
    kg_canvas_open_rename (self, node);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "canvas.activate", NULL);
}

static void
on_menu_pressed (GtkGestureClick *gesture, int n_press, double wx, double wy, KgCanvas *self)
{
  KgEnd end;
  double x, y;

  (void) gesture;
  (void) n_press;
  kg_canvas_to_graph (self, wx, wy, &x, &y);
  kg_canvas_open_menu (self, kg_canvas_pick (self, x, y, &end), wx, wy);
}

/* Pointer, wheel, keys, files. */

static void
on_motion (GtkEventControllerMotion *controller, double wx, double wy, KgCanvas *self)
{
  KgEdges edges;
  KgNode *hover;
  double x, y;
  KgEnd end;

  (void) controller;
  self->pointer_x = wx;
  self->pointer_y = wy;
  if (self->tool != KG_TOOL_NONE)
    return;
  kg_canvas_to_graph (self, wx, wy, &x, &y);
  hover = kg_canvas_pick (self, x, y, &end);
  if (hover != self->hover_node) {
    self->hover_node = hover;
    gtk_widget_queue_draw (GTK_WIDGET (self));
  }
  if (end.node == NULL && kg_canvas_pick_edges (self, x, y, &edges) != NULL)
    gtk_widget_set_cursor_from_name (GTK_WIDGET (self), kg_canvas_get_cursor (edges));
  else
    gtk_widget_set_cursor_from_name (GTK_WIDGET (self), end.node != NULL ? "crosshair" : NULL);
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, KgCanvas *self)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  GdkDevice *device = gtk_event_controller_get_current_event_device (GTK_EVENT_CONTROLLER (controller));
  const bool touchpad = device != NULL && gdk_device_get_source (device) == GDK_SOURCE_TOUCHPAD;

  if (touchpad && (state & GDK_CONTROL_MASK) == 0) {
    self->x += 12 * dx / self->zoom;
    self->y += 12 * dy / self->zoom;
    gtk_widget_queue_draw (GTK_WIDGET (self));
  } else if ((state & GDK_SHIFT_MASK) != 0) {
    self->x += 40 * (dx + dy) / self->zoom;
    gtk_widget_queue_draw (GTK_WIDGET (self));
  } else
    kg_canvas_zoom_at (self, self->pointer_x, self->pointer_y, pow (WHEEL_STEP, -dy));
  return TRUE;
}

static void
on_zoom (GtkGestureZoom *gesture, double scale, KgCanvas *self)
{
  static const char key[] = "zoom-at-begin";
  double *begin = (double *) g_object_get_data (G_OBJECT (gesture), key);
  double x, y;

  if (begin == NULL) {
    begin = g_new0 (double, 1);
    g_object_set_data_full (G_OBJECT (gesture), key, begin, g_free);
  }
  if (fabs (scale - 1) < 1e-9 || *begin <= 0)
    *begin = self->zoom;
  if (gtk_gesture_get_bounding_box_center (GTK_GESTURE (gesture), &x, &y))
    kg_canvas_zoom_at (self, x, y, *begin * scale / self->zoom);
}

/* What the keyboard chooses between is of no use without it. */
static void
on_leave (KgCanvas *self)
{
  if (self->pick != KG_PICK_NONE)
    kg_canvas_cancel_tool (self);
}

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double wx, double wy, KgCanvas *self)
{
  (void) target;
  if (G_VALUE_HOLDS_STRING (value)) {
    kg_canvas_add_type (self, g_value_get_string (value), wx, wy);
    return TRUE;
  }
  if (!G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    return FALSE;
  kg_canvas_drop_files (self, (GSList *) g_value_get_boxed (value), wx, wy);
  return TRUE;
}

void
kg_canvas_add_controllers (KgCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *drag = gtk_gesture_drag_new (), *pan = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();
  GtkGesture *menu = gtk_gesture_click_new (), *zoom = gtk_gesture_zoom_new ();
  GtkEventController *motion = gtk_event_controller_motion_new (), *focus = gtk_event_controller_focus_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkDropTarget *drop = gtk_drop_target_new (G_TYPE_INVALID, GDK_ACTION_COPY);
  GType dropped[] = { GDK_TYPE_FILE_LIST, G_TYPE_STRING };

  gtk_drop_target_set_gtypes (drop, dropped, G_N_ELEMENTS (dropped));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), GDK_BUTTON_PRIMARY);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (pan), GDK_BUTTON_MIDDLE);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_PRIMARY);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (menu), GDK_BUTTON_SECONDARY);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (pan, "drag-begin", G_CALLBACK (on_pan_begin), self);
  g_signal_connect (pan, "drag-update", G_CALLBACK (on_pan_update), self);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  g_signal_connect (menu, "pressed", G_CALLBACK (on_menu_pressed), self);
  g_signal_connect (zoom, "scale-changed", G_CALLBACK (on_zoom), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (drop, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pan));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (menu));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (zoom));
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, focus);
  kg_space_key_watch (widget, &self->space_held);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drop));
}
