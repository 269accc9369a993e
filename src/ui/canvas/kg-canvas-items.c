/* kg-canvas-items: what the canvas knows of nodes and links, and what of them is at a place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-settings.h"

void
kg_canvas_item_free (gpointer data)
{
  KgItem *item = (KgItem *) data;

  kg_node_layout_clear (&item->layout);
  g_clear_pointer (&item->image, cairo_surface_destroy);
  g_clear_pointer (&item->label.surface, cairo_surface_destroy);
  g_clear_pointer (&item->cut.surface, cairo_surface_destroy);
  g_free (item->links);
  g_free (item);
}

KgGraph *
kg_canvas_graph (KgCanvas *self)
{
  return kg_document_get_current (self->document);
}

/* The first output that can be drawn; -1. */
int
kg_canvas_find_image (const KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgKind kind = kg_node_get_slot_kind (node, i);

    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT &&
        (kind == KG_IMAGE || kind == KG_GEOMETRY || kind == KG_SKELETON || kind == KG_SCENE || kind == KG_MOTION))
      return (int) i;
  }
  return -1;
}

/* Whether a node begins with a small image. */
bool
kg_canvas_starts_with_thumbnail (const KgNode *node)
{
  const KgThumbnails wanted = kg_settings_get_thumbnails (kg_settings_get_default ());
  const int output = wanted != KG_THUMBNAILS_NONE ? kg_canvas_find_image (node) : -1;

  return output >= 0 && (wanted == KG_THUMBNAILS_ALL || kg_node_get_slot_kind (node, (guint) output) == KG_MOTION);
}

KgItem *
kg_canvas_get_item (KgCanvas *self, KgNode *node)
{
  KgItem *item = (KgItem *) g_hash_table_lookup (self->items, node);

  if (item == NULL) {
    item = g_new0 (KgItem, 1);
    item->node = node;
    item->stale = true;
    item->is_note = kg_node_is_note (node);
    item->thumbnail = kg_canvas_starts_with_thumbnail (node);
    g_hash_table_insert (self->items, node, item);
  }
  if (item->stale) {
    kg_node_layout_clear (&item->layout);
    kg_node_layout_init (&item->layout, node, item->expanded, item->thumbnail);
    item->stale = false;
    item->look_stamp = 0;
  }
  return item;
}

static void
find_links (KgCanvas *self, KgItem *item)
{
  KgNode *from;
  guint output;

  item->n_links = 0;
  item->links = g_renew (KgLink, item->links, item->layout.n_places);
  for (guint i = 0; i < item->layout.n_places; i++) {
    const KgSlotPlace *place = &item->layout.places[i], *start;
    const KgItem *source;

    if (place->is_output || place->is_free ||
        !kg_node_get_link (item->node, place->slot, place->item, &from, &output) ||
        kg_node_get_parent (from) != kg_canvas_graph (self))
      continue;
    source = kg_canvas_get_item (self, from);
    start = kg_node_layout_find (&source->layout, output, 0);
    if (start != NULL)
      item->links[item->n_links++] =
          (KgLink){ source, (guint) (start - source->layout.places), i, kg_node_get_slot_kind (from, output) };
  }
}

GPtrArray *
kg_canvas_get_order (KgCanvas *self)
{
  KgGraph *graph = kg_canvas_graph (self);

  if (self->order_stale) {
    g_ptr_array_set_size (self->order, 0);
    for (guint pass = 0; pass < 2; pass++)
      for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
        KgNode *node = kg_graph_get_node (graph, i);

        if (kg_node_is_note (node) == (pass == 0))
          g_ptr_array_add (self->order, kg_canvas_get_item (self, node));
      }
    self->order_stale = false;
  } else if (self->items_stale)
    for (guint i = 0; i < self->order->len; i++)
      kg_canvas_get_item (self, ((KgItem *) g_ptr_array_index (self->order, i))->node);
  self->items_stale = false;
  if (self->links_stale)
    for (guint i = 0; i < self->order->len; i++)
      find_links (self, (KgItem *) g_ptr_array_index (self->order, i));
  self->links_stale = false;
  return self->order;
}

void
kg_canvas_mark_stale (KgCanvas *self, KgNode *node)
{
  KgItem *item = (KgItem *) g_hash_table_lookup (self->items, node);

  if (item != NULL)
    item->stale = true;
  self->items_stale = true;
}

/* The kinds that a node shows depend on everything upstream. */
void
kg_canvas_mark_links_stale (KgCanvas *self)
{
  self->links_stale = true;
  self->look_stamp++;
}

const KgNodeReport *
kg_canvas_get_report (KgCanvas *self, KgNode *node)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  g_autofree char *path = NULL;

  if (set == NULL)
    return NULL;
  if (kg_graph_get_owner (kg_node_get_parent (node)) == NULL)
    return (const KgNodeReport *) g_hash_table_lookup (set->nodes, kg_node_get_name (node));
  path = kg_node_dup_path (node);
  return (const KgNodeReport *) g_hash_table_lookup (set->nodes, path);
}

bool
kg_canvas_is_displayed (KgCanvas *self, KgNode *node)
{
  const char *display = kg_graph_get_display (kg_canvas_graph (self));
  const char *name = kg_node_get_name (node);
  const size_t length = strlen (name);

  return display != NULL && strncmp (display, name, length) == 0 && (display[length] == '.' || display[length] == '\0');
}

/* Places. */

void
kg_canvas_to_graph (KgCanvas *self, double wx, double wy, double *x, double *y)
{
  *x = self->x + wx / self->zoom;
  *y = self->y + wy / self->zoom;
}

KgNode *
kg_canvas_pick (KgCanvas *self, double x, double y, KgEnd *end)
{
  GPtrArray *order = kg_canvas_get_order (self);
  const double reach = fmax (KG_SLOT_REACH, 7 / self->zoom);

  *end = (KgEnd){ NULL };
  for (guint i = order->len; i > 0; i--) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i - 1);
    const KgRect *r = &item->layout.rect;
    const KgSlotPlace *place;

    if (x < r->x - reach || x > r->x + r->width + reach || y < r->y - reach || y > r->y + r->height + reach)
      continue;
    place = kg_node_layout_pick (&item->layout, x, y, reach);
    if (place != NULL) {
      *end = (KgEnd){ item->node, place->slot, place->item, place->is_output };
      return item->node;
    }
    if (kg_rect_contains (r, x, y))
      return item->node;
  }
  return NULL;
}

static void
get_points (const KgSlotPlace *start, const KgSlotPlace *end, double p[8])
{
  const double bend = fmax (24, 0.45 * fabs (end->x - start->x));

  p[0] = start->x;
  p[1] = start->y;
  p[2] = start->x + bend;
  p[3] = start->y;
  p[4] = end->x - bend;
  p[5] = end->y;
  p[6] = end->x;
  p[7] = end->y;
}

bool
kg_canvas_get_curve (KgCanvas *self, KgNode *to, const KgSlotPlace *place, double p[8], KgKind *kind)
{
  const KgSlotPlace *start;
  const KgItem *item;
  KgNode *from;
  guint output;

  if (!kg_node_get_link (to, place->slot, place->item, &from, &output) ||
      kg_node_get_parent (from) != kg_canvas_graph (self))
    return false;
  item = kg_canvas_get_item (self, from);
  start = kg_node_layout_find (&item->layout, output, 0);
  if (start == NULL)
    return false;
  *kind = kg_node_get_slot_kind (from, output);
  get_points (start, place, p);
  return true;
}

void
kg_canvas_get_link_curve (const KgItem *item, const KgLink *link, double p[8])
{
  get_points (&link->from->layout.places[link->start], &item->layout.places[link->end], p);
}

bool
kg_canvas_pick_link (KgCanvas *self, double x, double y, double reach, KgEnd *end)
{
  GPtrArray *order = kg_canvas_get_order (self);
  double nearest = reach;

  *end = (KgEnd){ NULL };
  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);

    for (guint k = 0; k < item->n_links; k++) {
      const KgSlotPlace *place = &item->layout.places[item->links[k].end];
      double p[8];

      kg_canvas_get_link_curve (item, &item->links[k], p);
      /* Heights lie between those of the ends, and the handles are as far out as a cubic can get. */
      if (x < fmin (p[0], p[4]) - reach || x > fmax (p[2], p[6]) + reach || y < fmin (p[1], p[7]) - reach ||
          y > fmax (p[1], p[7]) + reach)
        continue;
      for (guint s = 0; s <= 24; s++) {
        const double t = s / 24.0, u = 1 - t;
        const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
        const double distance =
            hypot (a * p[0] + b * p[2] + c * p[4] + d * p[6] - x, a * p[1] + b * p[3] + c * p[5] + d * p[7] - y);

        if (distance < nearest) {
          nearest = distance;
          *end = (KgEnd){ item->node, place->slot, place->item, false };
        }
      }
    }
  }
  return end->node != NULL;
}

guint
kg_canvas_count_items (const KgNode *node, guint slot)
{
  const KgSource *source;

  if (kg_node_get_slot (node, slot)->role != KG_SLOT_INPUT)
    return 0;
  source = kg_node_get_source (node, slot);
  return source->kind == KG_SOURCE_LIST ? source->list.n : 1;
}

bool
kg_canvas_ends_fit (KgCanvas *self, const KgEnd *a, const KgEnd *b)
{
  const KgEnd *from = a->is_output ? a : b, *to = a->is_output ? b : a;

  (void) self;
  return a->node != NULL && b->node != NULL && a->is_output != b->is_output && a->node != b->node &&
         kg_kind_converts (kg_node_get_slot_kind (from->node, from->slot), kg_node_get_slot (to->node, to->slot)->kind);
}
