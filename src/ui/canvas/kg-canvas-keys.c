/* kg-canvas-keys: what the mouse does on the canvas, with the keyboard: moving nodes, linking and unlinking them, putting
 * dots into links, and the menu.
 *
 * Where there are several slots or links that could be meant, one of them is chosen: it is marked, arrow keys go to
 * others, Return (or the key that began it) takes it, Escape leaves everything as it was.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-commands.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

/* Moving. */

/* How far the selection goes: to the next line of the grid, or as far as between two. */
static double
get_step (double at, double way)
{
  if (!kg_settings_get_snap_to_grid (kg_settings_get_default ()))
    return way * KG_SNAP;
  return way > 0 ? (floor (at / KG_SNAP + 1e-9) + 1) * KG_SNAP - at : (ceil (at / KG_SNAP - 1e-9) - 1) * KG_SNAP - at;
}

void
kg_canvas_nudge (KgCanvas *self, const char *way)
{
  KgGraph *graph = kg_canvas_graph (self);
  KgNode *active = kg_document_get_active (self->document);
  const double right = g_str_equal (way, "right") - g_str_equal (way, "left");
  const double down = g_str_equal (way, "down") - g_str_equal (way, "up");
  double x, y;

  if (active == NULL)
    return;
  kg_canvas_finish_tool (self);
  kg_node_get_position (active, &x, &y);
  kg_canvas_pick_up_selection (self);
  for (guint i = 0; i < self->origins->len; i++) {
    KgPlacement *place = &g_array_index (self->origins, KgPlacement, i);

    if (right != 0)
      place->x += get_step (x, right);
    if (down != 0)
      place->y += get_step (y, down);
  }
  /* Repeated moves without anything between them are one undo step. */
  if (self->nudge == 0 || !kg_graph_reopen_group (graph, self->nudge))
    kg_graph_begin_group (graph, _ ("Move"));
  kg_graph_move_nodes (graph, (const KgPlacement *) (const void *) self->origins->data, self->origins->len);
  kg_graph_end_group (graph);
  self->nudge = kg_graph_get_step (graph);
  kg_canvas_reveal (self, active);
}

/* Choosing. */

static KgEnd *
get_picked (KgCanvas *self)
{
  return &g_array_index (self->picks, KgEnd, self->picked);
}

/* (transfer full) "node.slot" */
static char *
name_end (const KgEnd *end)
{
  return g_strdup_printf ("%s.%s", kg_node_get_name (end->node), kg_node_get_slot (end->node, end->slot)->name);
}

/* Says what Return would do, and brings it into view. */
static void
show_picked (KgCanvas *self)
{
  const KgEnd *end = get_picked (self);
  g_autofree char *name = name_end (end), *other = NULL;
  KgNode *from;
  guint output;

  if (self->pick == KG_PICK_TARGET) {
    other = name_end (&self->link);
    self->hover_slot = *end;
    kg_canvas_show_message (self, _ ("%s → %s: Return links, arrow keys choose, Escape cancels"),
                            self->link.is_output ? other : name, self->link.is_output ? name : other);
  } else if (self->pick == KG_PICK_START)
    kg_canvas_show_message (self, _ ("Link %s: Return chooses it, arrow keys choose another, Escape cancels"), name);
  else if (kg_node_get_link (end->node, end->slot, end->item, &from, &output)) {
    other = g_strdup_printf ("%s.%s", kg_node_get_name (from), kg_node_get_link_name (end->node, end->slot, end->item));
    if (self->pick == KG_PICK_UNLINK)
      kg_canvas_show_message (self, _ ("%s → %s: Return unlinks, arrow keys choose, Escape cancels"), other, name);
    else
      kg_canvas_show_message (self, _ ("%s → %s: Return adds a dot, arrow keys choose, Escape cancels"), other, name);
  }
  kg_canvas_reveal (self, end->node);
}

/* Begins to choose between picks, of which there is one at least. */
static void
begin_pick (KgCanvas *self, KgPick pick, guint first)
{
  self->tool = pick == KG_PICK_TARGET ? KG_TOOL_LINK : KG_TOOL_PICK;
  self->pick = pick;
  self->picked = first;
  self->detached = (KgEnd){ NULL };
  show_picked (self);
}

/* To the nearest node that way which has something to choose, and there to the first, or (upwards) the last of it. */
static void
walk_to_node (KgCanvas *self, const char *way)
{
  g_autoptr (GHashTable) among = g_hash_table_new (NULL, NULL);
  KgNode *next;

  for (guint i = 0; i < self->picks->len; i++)
    g_hash_table_add (among, g_array_index (self->picks, KgEnd, i).node);
  next = kg_canvas_find_next (self, get_picked (self)->node, way, among);
  for (guint i = 0; next != NULL && i < self->picks->len; i++)
    if (g_array_index (self->picks, KgEnd, i).node == next) {
      self->picked = i;
      if (!g_str_equal (way, "up"))
        return;
    }
}

bool
kg_canvas_walk_pick (KgCanvas *self, const char *way)
{
  const guint n = self->picks->len;

  if (self->pick == KG_PICK_NONE)
    return false;
  if (g_str_equal (way, "upstream"))
    self->picked = (self->picked + n - 1) % n;
  else if (g_str_equal (way, "downstream") || g_str_equal (way, "other"))
    self->picked = (self->picked + 1) % n;
  else if (g_str_equal (way, "down") && self->picked + 1 < n &&
           g_array_index (self->picks, KgEnd, self->picked + 1).node == get_picked (self)->node)
    self->picked++;
  else if (g_str_equal (way, "up") && self->picked > 0 &&
           g_array_index (self->picks, KgEnd, self->picked - 1).node == get_picked (self)->node)
    self->picked--;
  else
    walk_to_node (self, way);
  show_picked (self);
  return true;
}

/* Links. */

/* How unlikely this end is for the link. */
static double
rate_target (KgCanvas *self, const KgEnd *end)
{
  const KgRect *a = &kg_canvas_get_item (self, self->link.node)->layout.rect;
  const KgRect *b = &kg_canvas_get_item (self, end->node)->layout.rect;
  const double dx = (self->link.is_output ? 1 : -1) * (b->x - a->x), dy = b->y - a->y;
  double rate = hypot (dx, dy);
  KgNode *from;
  guint output;

  /* Links go from left to right, and kinds of their own come before those that are converted. */
  if (dx < 0.5 * KG_NODE_WIDTH)
    rate += 500;
  if (kg_node_get_slot_kind (end->node, end->slot) != kg_node_get_slot_kind (self->link.node, self->link.slot))
    rate += 300;
  if (!end->is_output && kg_node_get_link (end->node, end->slot, end->item, &from, &output))
    rate += from == self->link.node && output == self->link.slot ? 1e5 : 1000;
  /* With two nodes selected, the other end is the other node. */
  if (kg_document_is_selected (self->document, end->node))
    rate -= 1e6;
  return rate;
}

/* Every slot that the link in hand can go to. */
static void
find_targets (KgCanvas *self)
{
  GPtrArray *order = kg_canvas_get_order (self);

  g_array_set_size (self->picks, 0);
  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);

    for (guint k = 0; k < item->layout.n_places; k++) {
      const KgSlotPlace *place = &item->layout.places[k];
      const KgEnd end = { item->node, place->slot, place->item, place->is_output };

      if (kg_canvas_ends_fit (self, &self->link, &end))
        g_array_append_val (self->picks, end);
    }
  }
}

static void
choose_target (KgCanvas *self, const KgEnd *start)
{
  double best = INFINITY;
  guint first = 0;

  kg_canvas_cancel_tool (self);
  self->link = *start;
  find_targets (self);
  if (self->picks->len == 0) {
    const char *kind = kg_kind_get_phrase (kg_node_get_slot_kind (start->node, start->slot));

    if (start->is_output)
      kg_canvas_show_message (self, _ ("No other node here has an input for %s."), kind);
    else
      kg_canvas_show_message (self, _ ("No other node here has an output for %s."), kind);
    return;
  }
  for (guint i = 0; i < self->picks->len; i++) {
    const double rate = rate_target (self, &g_array_index (self->picks, KgEnd, i));

    if (rate < best) {
      best = rate;
      first = i;
    }
  }
  begin_pick (self, KG_PICK_TARGET, first);
}

void
kg_canvas_start_link (KgCanvas *self, bool is_output)
{
  KgNode *active = kg_document_get_active (self->document);
  const KgItem *item;

  if (kg_canvas_accept_pick (self))
    return;
  kg_canvas_finish_tool (self);
  if (active == NULL) {
    kg_canvas_show_message (self, _ ("Select the node to link first."));
    return;
  }
  item = kg_canvas_get_item (self, active);
  g_array_set_size (self->picks, 0);
  for (guint i = 0; i < item->layout.n_places; i++) {
    const KgSlotPlace *place = &item->layout.places[i];
    const KgEnd end = { active, place->slot, place->item, place->is_output };

    if (place->is_output == is_output)
      g_array_append_val (self->picks, end);
  }
  if (self->picks->len == 0 && is_output)
    kg_canvas_show_message (self, _ ("%s has no output to link."), kg_node_get_name (active));
  else if (self->picks->len == 0)
    kg_canvas_show_message (self, _ ("%s has no input to link."), kg_node_get_name (active));
  else if (self->picks->len == 1) {
    const KgEnd start = g_array_index (self->picks, KgEnd, 0);

    choose_target (self, &start);
  } else
    begin_pick (self, KG_PICK_START, 0);
}

static void
link_picked (KgCanvas *self, const KgEnd *a, const KgEnd *b)
{
  const KgEnd *from = a->is_output ? a : b, *to = a->is_output ? b : a;
  KgGraph *graph = kg_canvas_graph (self);
  g_autoptr (GError) error = NULL;

  kg_graph_begin_group (graph, _ ("Link"));
  kg_graph_close_group (graph,
                        kg_graph_link_item (graph, from->node, from->slot, to->node, to->slot, to->item, &error));
  kg_canvas_show_error (self, error);
}

/* The links that are meant: between selected nodes; where there are none, those that leave the active node (outgoing), or
 * that come into it. */
static void
find_links (KgCanvas *self, bool outgoing)
{
  GPtrArray *order = kg_canvas_get_order (self);
  KgNode *active = kg_document_get_active (self->document);

  g_array_set_size (self->picks, 0);
  for (guint pass = 0; pass < 2 && self->picks->len == 0; pass++)
    for (guint i = 0; i < order->len; i++) {
      const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);

      for (guint k = 0; k < item->n_links; k++) {
        const KgSlotPlace *place = &item->layout.places[item->links[k].end];
        const KgEnd end = { item->node, place->slot, place->item, false };
        KgNode *from = item->links[k].from->node;
        const bool both = kg_document_is_selected (self->document, item->node) &&
                          kg_document_is_selected (self->document, from);

        if (pass == 0 ? both : (outgoing ? from : item->node) == active)
          g_array_append_val (self->picks, end);
      }
    }
}

static void
unlink_picked (KgCanvas *self, const KgEnd *end)
{
  kg_graph_begin_group (kg_canvas_graph (self), _ ("Unlink"));
  kg_graph_unlink_item (kg_canvas_graph (self), end->node, end->slot, end->item);
  kg_graph_end_group (kg_canvas_graph (self));
}

/* In the middle of the link. */
static void
add_dot_to_picked (KgCanvas *self, const KgEnd *end)
{
  const KgItem *item = kg_canvas_get_item (self, end->node);
  const KgSlotPlace *place = kg_node_layout_find (&item->layout, end->slot, end->item);
  double p[8];
  KgKind kind;

  if (place != NULL && kg_canvas_get_curve (self, end->node, place, p, &kind))
    kg_canvas_add_dot (self, end, (p[0] + 3 * p[2] + 3 * p[4] + p[6]) / 8, (p[1] + 3 * p[3] + 3 * p[5] + p[7]) / 8);
}

static void
act_on_link (KgCanvas *self, KgPick pick, const KgEnd *end)
{
  if (pick == KG_PICK_UNLINK)
    unlink_picked (self, end);
  else
    add_dot_to_picked (self, end);
}

static void
start_on_link (KgCanvas *self, KgPick pick)
{
  if (kg_canvas_accept_pick (self))
    return;
  kg_canvas_finish_tool (self);
  find_links (self, pick == KG_PICK_DOT);
  /* The end of a chain has a link as well. */
  if (self->picks->len == 0 && pick == KG_PICK_DOT)
    find_links (self, false);
  if (self->picks->len == 0)
    kg_canvas_show_message (self, pick == KG_PICK_DOT ? _ ("Select a node with a link first.")
                                                      : _ ("Select a node with a linked input first."));
  else if (self->picks->len == 1) {
    const KgEnd end = g_array_index (self->picks, KgEnd, 0);

    act_on_link (self, pick, &end);
  } else
    begin_pick (self, pick, 0);
}

void
kg_canvas_start_unlink (KgCanvas *self)
{
  start_on_link (self, KG_PICK_UNLINK);
}

void
kg_canvas_start_dot (KgCanvas *self)
{
  start_on_link (self, KG_PICK_DOT);
}

bool
kg_canvas_accept_pick (KgCanvas *self)
{
  const KgPick pick = self->pick;
  KgEnd end;

  if (pick == KG_PICK_NONE)
    return false;
  end = *get_picked (self);
  /* Before the edit, which would take it for one from elsewhere. */
  kg_canvas_cancel_tool (self);
  if (pick == KG_PICK_START)
    choose_target (self, &end);
  else if (pick == KG_PICK_TARGET)
    link_picked (self, &self->link, &end);
  else
    act_on_link (self, pick, &end);
  return true;
}

/* The menu. */

void
kg_canvas_open_menu_by_key (KgCanvas *self)
{
  KgNode *active = kg_document_get_active (self->document);
  const KgRect *r;

  if (active == NULL) {
    kg_canvas_open_menu (self, NULL, 0.5 * gtk_widget_get_width (GTK_WIDGET (self)),
                         0.5 * gtk_widget_get_height (GTK_WIDGET (self)));
    return;
  }
  kg_canvas_reveal (self, active);
  r = &kg_canvas_get_item (self, active)->layout.rect;
  kg_canvas_open_menu (self, active, (r->x + 0.5 * r->width - self->x) * self->zoom,
                       (r->y + fmin (KG_NODE_HEAD, r->height) - self->y) * self->zoom);
}
