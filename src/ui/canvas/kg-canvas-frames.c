/* kg-canvas-frames: frames and notes are as large as one drags them, by their edges and corners.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

#define EDGE_REACH 6.0 /* pixels, at both sides of an edge */

/* The smallest and largest that a frame may be, as its type declares it. */
static void
get_limits (const KgNode *frame, const char *name, double *low, double *high)
{
  const KgSlot *slot = kg_node_get_slot (frame, (guint) kg_node_find_slot (frame, name));

  *low = slot->min;
  *high = slot->max;
}

KgNode *
kg_canvas_pick_edges (KgCanvas *self, double x, double y, KgEdges *edges)
{
  GPtrArray *order = kg_canvas_get_order (self);
  const double reach = EDGE_REACH / self->zoom;

  for (guint i = order->len; i > 0; i--) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i - 1);
    const KgRect *r = &item->layout.rect;
    const KgRect around = { r->x - reach, r->y - reach, r->width + 2 * reach, r->height + 2 * reach };

    if (!item->is_note) {
      if (kg_rect_contains (r, x, y))
        return NULL;
      continue;
    }
    if (!kg_rect_contains (&around, x, y))
      continue;
    /* Small on the screen, the farther edge would be in reach as well: the middle is for moving. */
    *edges = 0;
    if (fabs (x - r->x) <= fmin (reach, 0.25 * r->width) || x < r->x)
      *edges |= KG_EDGE_LEFT;
    else if (fabs (x - r->x - r->width) <= fmin (reach, 0.25 * r->width) || x > r->x + r->width)
      *edges |= KG_EDGE_RIGHT;
    if (fabs (y - r->y) <= fmin (reach, 0.25 * r->height) || y < r->y)
      *edges |= KG_EDGE_TOP;
    else if (fabs (y - r->y - r->height) <= fmin (reach, 0.25 * r->height) || y > r->y + r->height)
      *edges |= KG_EDGE_BOTTOM;
    if (*edges != 0)
      return item->node;
    if (kg_rect_contains (r, x, y))
      return NULL;
  }
  return NULL;
}

const char *
kg_canvas_get_cursor (KgEdges edges)
{
  const bool left = (edges & KG_EDGE_LEFT) != 0, right = (edges & KG_EDGE_RIGHT) != 0;

  if ((edges & KG_EDGE_TOP) != 0)
    return left ? "nw-resize" : right ? "ne-resize" : "n-resize";
  if ((edges & KG_EDGE_BOTTOM) != 0)
    return left ? "sw-resize" : right ? "se-resize" : "s-resize";
  return left ? "w-resize" : "e-resize";
}

void
kg_canvas_begin_resize (KgCanvas *self, KgNode *frame, KgEdges edges)
{
  if (!kg_document_is_selected (self->document, frame))
    kg_document_select (self->document, frame, false);
  self->tool = KG_TOOL_RESIZE;
  self->resized = frame;
  self->edges = edges;
  self->resized_from = kg_canvas_get_item (self, frame)->layout.rect;
}

/* Where an edge goes: to an edge of something else nearby, else by the grid, unless the preferences say otherwise. */
static double
snap_edge (KgCanvas *self, double at, bool upright, double *guide)
{
  GPtrArray *order = kg_canvas_get_order (self);
  double nearest = KG_GUIDE_REACH / self->zoom, found = at;

  if (kg_settings_get_snap_to_grid (kg_settings_get_default ()))
    found = nearbyint (at / KG_SNAP) * KG_SNAP;
  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);
    const KgRect *r = &item->layout.rect;
    const double ends[] = { upright ? r->x : r->y, upright ? r->x + r->width : r->y + r->height };

    for (guint k = 0; item->node != self->resized && k < G_N_ELEMENTS (ends); k++)
      if (fabs (ends[k] - at) < nearest) {
        nearest = fabs (ends[k] - at);
        *guide = found = ends[k];
      }
  }
  return found;
}

/* One axis of the rectangle: where it begins, and how long it is. */
static void
resize_axis (KgCanvas *self, bool upright, bool first, bool last, double by, bool snaps, double *start, double *length)
{
  double *guide = upright ? &self->guide_x : &self->guide_y;
  const double end = *start + *length;
  double low, high, at;

  *guide = NAN;
  if (!first && !last)
    return;
  at = (first ? *start : end) + by;
  if (snaps)
    at = snap_edge (self, at, upright, guide);
  get_limits (self->resized, upright ? "width" : "height", &low, &high);
  *length = kg_clamp (first ? end - at : at - *start, low, high);
  if (first)
    *start = end - *length;
}

static void
set_length (KgCanvas *self, const char *name, double length)
{
  const KgValue value = kg_value_number (length);
  g_autoptr (GError) error = NULL;

  kg_graph_set_constant (kg_canvas_graph (self), self->resized, name, &value, &error);
  kg_canvas_show_error (self, error);
}

void
kg_canvas_update_resize (KgCanvas *self, GdkModifierType state)
{
  const double dx = (self->drag_x - self->start_x) / self->zoom, dy = (self->drag_y - self->start_y) / self->zoom;
  const bool snaps = (state & GDK_CONTROL_MASK) == 0;
  KgRect r = self->resized_from;

  if (self->resized == NULL)
    return;
  if (!self->group_open) {
    kg_graph_begin_group (kg_canvas_graph (self), _ ("Resize"));
    self->group_open = true;
  }
  resize_axis (self, true, (self->edges & KG_EDGE_LEFT) != 0, (self->edges & KG_EDGE_RIGHT) != 0, dx, snaps, &r.x,
               &r.width);
  resize_axis (self, false, (self->edges & KG_EDGE_TOP) != 0, (self->edges & KG_EDGE_BOTTOM) != 0, dy, snaps, &r.y,
               &r.height);
  if (r.width != kg_canvas_get_item (self, self->resized)->layout.rect.width)
    set_length (self, "width", r.width);
  if (r.height != kg_canvas_get_item (self, self->resized)->layout.rect.height)
    set_length (self, "height", r.height);
  kg_graph_move (kg_canvas_graph (self), self->resized, r.x, r.y);
}

void
kg_canvas_end_resize (KgCanvas *self)
{
  self->guide_x = self->guide_y = NAN;
  kg_canvas_finish_tool (self);
}
