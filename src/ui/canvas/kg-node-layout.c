/* kg-node-layout: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node-layout.h"

/* Nodes with no more inputs than this show them all. */
#define FEW_INPUTS 6

bool
kg_node_is_note (const KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);

  return type != NULL && type->role == KG_ROLE_ANNOTATION;
}

bool
kg_node_is_dot (const KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);

  return type != NULL && type->role == KG_ROLE_REROUTE;
}

bool
kg_rect_contains (const KgRect *rect, double x, double y)
{
  return x >= rect->x && y >= rect->y && x <= rect->x + rect->width && y <= rect->y + rect->height;
}

bool
kg_rect_intersects (const KgRect *a, const KgRect *b)
{
  return a->width >= 0 && b->width >= 0 && a->x <= b->x + b->width && b->x <= a->x + a->width &&
         a->y <= b->y + b->height && b->y <= a->y + a->height;
}

void
kg_rect_include (KgRect *a, const KgRect *b)
{
  if (b->width < 0)
    return;
  if (a->width < 0) {
    *a = *b;
    return;
  }
  {
    const double right = fmax (a->x + a->width, b->x + b->width), bottom = fmax (a->y + a->height, b->y + b->height);

    a->x = fmin (a->x, b->x);
    a->y = fmin (a->y, b->y);
    a->width = right - a->x;
    a->height = bottom - a->y;
  }
}

/* Inputs for which only a constant makes sense have no place on the canvas. */
static bool
is_linkable (const KgSlot *slot)
{
  return slot->role == KG_SLOT_INPUT && !slot->fixed;
}

static bool
is_shown (const KgNode *node, guint index, bool all)
{
  const KgSlot *slot = kg_node_get_slot (node, index);
  const KgSource *source;

  if (!is_linkable (slot))
    return false;
  if (all || slot->list || (slot->kind >= KG_MOTION && slot->kind != KG_TABLE) || slot->driver != KG_DRIVER_NONE)
    return true;
  source = kg_node_get_source (node, index);
  return source->kind == KG_SOURCE_LINK || source->kind == KG_SOURCE_EXPRESSION || source->kind == KG_SOURCE_KEYS ||
         source->kind == KG_SOURCE_TABLE;
}

static void
add_place (KgNodeLayout *layout, GArray *places, guint slot, guint item, bool is_output, bool is_free)
{
  KgSlotPlace place = { .slot = slot, .item = item, .is_output = is_output, .is_free = is_free };

  place.x = layout->rect.x + (is_output ? layout->rect.width : 0);
  place.y = layout->rect.y + KG_NODE_HEAD + KG_NODE_ROW * (places->len + 0.5);
  g_array_append_val (places, place);
}

static double
read_number (const KgNode *node, const char *name, double fallback)
{
  const int slot = kg_node_find_slot (node, name);
  const KgSource *source = slot >= 0 ? kg_node_get_source (node, (guint) slot) : NULL;
  double x;

  return source != NULL && source->kind == KG_SOURCE_CONSTANT && kg_value_get_component (&source->constant, NULL, &x)
             ? x
             : fallback;
}

static void
init_dot (KgNodeLayout *layout, const KgNode *node)
{
  KgRect *r = &layout->rect;

  r->width = KG_DOT_WIDTH;
  r->height = KG_DOT_HEIGHT;
  layout->n_places = kg_node_get_n_slots (node);
  layout->places = g_new0 (KgSlotPlace, layout->n_places);
  for (guint i = 0; i < layout->n_places; i++) {
    const bool is_output = kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT;

    layout->places[i] = (KgSlotPlace){
      .slot = i, .is_output = is_output, .x = r->x + (is_output ? r->width : 0), .y = r->y + 0.5 * r->height
    };
  }
}

/* Names are letters, digits and underscores: so wide on average, as bold as they are. */
#define LETTER 7.6
/* Beside the name: its icon, and a flag. */
#define BESIDE_NAME 46.0
/* Steps, so that nodes with names of about the same length stand in columns. */
#define WIDTH_STEP 20.0

static double
get_width (const KgNode *node)
{
  const double wanted = BESIDE_NAME + LETTER * (double) strlen (kg_node_get_name (node));

  return fmin (KG_NODE_MOST_WIDTH, KG_NODE_WIDTH + WIDTH_STEP * ceil (fmax (0, wanted - KG_NODE_WIDTH) / WIDTH_STEP));
}

void
kg_node_layout_init (KgNodeLayout *layout, const KgNode *node, bool expanded, bool thumbnail)
{
  const guint n = kg_node_get_n_slots (node);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (KgSlotPlace));
  guint n_linkable = 0;

  *layout = (KgNodeLayout){ .rect = { .width = get_width (node) } };
  kg_node_get_position (node, &layout->rect.x, &layout->rect.y);
  if (kg_node_is_note (node)) {
    layout->rect.width = read_number (node, "width", 240);
    layout->rect.height = read_number (node, "height", 120);
    return;
  }
  if (kg_node_is_dot (node)) {
    init_dot (layout, node);
    return;
  }
  for (guint i = 0; i < n; i++)
    n_linkable += is_linkable (kg_node_get_slot (node, i));
  for (guint i = 0; i < n; i++)
    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT)
      add_place (layout, places, i, 0, true, false);
  for (guint i = 0; i < n; i++) {
    const KgSource *source;

    if (!is_shown (node, i, expanded || n_linkable <= FEW_INPUTS))
      continue;
    source = kg_node_get_source (node, i);
    if (!kg_node_get_slot (node, i)->list) {
      add_place (layout, places, i, 0, false, false);
      continue;
    }
    for (guint k = 0; source->kind == KG_SOURCE_LIST && k < source->list.n; k++)
      add_place (layout, places, i, k, false, false);
    add_place (layout, places, i, source->kind == KG_SOURCE_LIST ? source->list.n : 0, false, true);
  }
  layout->n_places = places->len;
  layout->places = (KgSlotPlace *) (void *) g_array_free (g_steal_pointer (&places), FALSE);
  layout->rect.height = KG_NODE_HEAD + KG_NODE_ROW * layout->n_places + KG_NODE_FOOT +
                        (thumbnail ? KG_NODE_THUMBNAIL : 0);
}

void
kg_node_layout_clear (KgNodeLayout *layout)
{
  g_clear_pointer (&layout->places, g_free);
  layout->n_places = 0;
}

void
kg_node_layout_place (KgNodeLayout *layout, double x, double y)
{
  const double dx = x - layout->rect.x, dy = y - layout->rect.y;

  layout->rect.x = x;
  layout->rect.y = y;
  for (guint i = 0; i < layout->n_places; i++) {
    layout->places[i].x += dx;
    layout->places[i].y += dy;
  }
}

const KgSlotPlace *
kg_node_layout_find (const KgNodeLayout *layout, guint slot, guint item)
{
  const KgSlotPlace *found = NULL;

  for (guint i = 0; i < layout->n_places; i++)
    if (layout->places[i].slot == slot) {
      if (layout->places[i].item == item)
        return &layout->places[i];
      if (found == NULL || layout->places[i].is_free)
        found = &layout->places[i];
    }
  return found;
}

const KgSlotPlace *
kg_node_layout_pick (const KgNodeLayout *layout, double x, double y, double reach)
{
  const KgSlotPlace *best = NULL;
  double nearest = reach;

  for (guint i = 0; i < layout->n_places; i++) {
    const double distance = hypot (layout->places[i].x - x, layout->places[i].y - y);

    if (distance <= nearest) {
      nearest = distance;
      best = &layout->places[i];
    }
  }
  return best;
}
