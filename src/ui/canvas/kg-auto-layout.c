/* kg-auto-layout: layered drawing of a graph after Sugiyama, Tagawa and Toda 1981: layers by the longest way to the
 * end, crossings reduced by the barycentre of the neighbours in sweeps to and fro, places by the same means.
 *
 * A link that passes layers keeps a lane free in each of them: a place of its own in the stack, where the link is drawn.
 * In the end every layer is as near to what it wants as it can be without overlapping (pool adjacent violators: Ayer and
 * others 1955), lanes before nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-commands.h"

#include <glib/gi18n.h>

#define SWEEPS 12
#define COLUMN_GAP 60.0
#define ROW_GAP 24.0
#define LANE 10.0        /* height of the place of a link */
#define LANE_MOST 120.0  /* more of it that is steep is not kept free */
#define LANE_WEIGHT 50.0 /* how much more it matters where a lane is than where a node is */
#define LANES_MOST 20000 /* beyond that many, links pass as they can */

typedef struct {
  KgNode *node; /* NULL: the lane of a link */
  KgRect rect;  /* where it was, and how large it is */
  guint layer;  /* 0: the end */
  double order, y;
  GArray *inputs, *users; /* guint: indices of neighbours */
  /* Of a lane: the ends of its link, and how far below the tops of these boxes it begins and ends. */
  guint from, to;
  double from_dy, to_dy;
} Box;

/* Where a layer is drawn. */
typedef struct {
  double x, width;
} Column;

static void
add_links (GArray *boxes, GHashTable *index)
{
  for (guint i = 0; i < boxes->len; i++) {
    Box *box = &g_array_index (boxes, Box, i);
    g_autoptr (GPtrArray) users = kg_node_dup_users (box->node);

    for (guint u = 0; u < users->len; u++) {
      gpointer at;
      guint other;

      if (!g_hash_table_lookup_extended (index, g_ptr_array_index (users, u), NULL, &at) || GPOINTER_TO_UINT (at) == i)
        continue;
      other = GPOINTER_TO_UINT (at);
      g_array_append_val (box->users, other);
      g_array_append_val (g_array_index (boxes, Box, other).inputs, i);
    }
  }
}

/* Layer: the longest way to a node without readers.  In the order of Kahn 1962, so no recursion; nodes on a cycle of
 * expressions (they may read inputs of each other) keep layer 0. */
static guint
find_layers (GArray *boxes)
{
  g_autofree guint *left = g_new0 (guint, boxes->len);
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n_layers = 1;

  for (guint i = 0; i < boxes->len; i++) {
    left[i] = g_array_index (boxes, Box, i).users->len;
    if (left[i] == 0)
      g_array_append_val (queue, i);
  }
  for (guint q = 0; q < queue->len; q++) {
    const Box *box = &g_array_index (boxes, Box, g_array_index (queue, guint, q));

    n_layers = MAX (n_layers, box->layer + 1);
    for (guint k = 0; k < box->inputs->len; k++) {
      const guint other = g_array_index (box->inputs, guint, k);

      g_array_index (boxes, Box, other).layer = MAX (g_array_index (boxes, Box, other).layer, box->layer + 1);
      if (--left[other] == 0)
        g_array_append_val (queue, other);
    }
  }
  return n_layers;
}

static void
replace_index (GArray *list, guint old, guint new)
{
  for (guint i = 0; i < list->len; i++)
    if (g_array_index (list, guint, i) == old) {
      g_array_index (list, guint, i) = new;
      return;
    }
}

/* How far below the tops of its ends a link begins and ends: the first one between the two nodes. */
static void
find_slots (const Box *from, const Box *to, double *from_dy, double *to_dy)
{
  g_auto (KgNodeLayout) start = { 0 }, end = { 0 };

  *from_dy = 0.5 * from->rect.height;
  *to_dy = 0.5 * to->rect.height;
  kg_node_layout_init (&start, from->node, false, false);
  kg_node_layout_init (&end, to->node, false, false);
  for (guint i = 0; i < end.n_places; i++) {
    const KgSlotPlace *place = &end.places[i], *begin;
    KgNode *node;
    guint output;

    if (place->is_output || !kg_node_get_link (to->node, place->slot, place->item, &node, &output) ||
        node != from->node)
      continue;
    begin = kg_node_layout_find (&start, output, 0);
    if (begin != NULL)
      *from_dy = begin->y - start.rect.y;
    *to_dy = place->y - end.rect.y;
    return;
  }
}

/* Cuts every link that passes layers into pieces from layer to layer. */
static void
add_lanes (GArray *boxes)
{
  const guint n = boxes->len;
  guint left = LANES_MOST;

  for (guint i = 0; i < n; i++)
    for (guint u = 0; u < g_array_index (boxes, Box, i).users->len; u++) {
      const guint to = g_array_index (g_array_index (boxes, Box, i).users, guint, u);
      const guint from_layer = g_array_index (boxes, Box, i).layer, to_layer = g_array_index (boxes, Box, to).layer;
      double from_dy, to_dy;
      guint before = i;

      if (to >= n || from_layer <= to_layer + 1 || from_layer - to_layer - 1 > left)
        continue;
      find_slots (&g_array_index (boxes, Box, i), &g_array_index (boxes, Box, to), &from_dy, &to_dy);
      for (guint layer = from_layer - 1; layer > to_layer; layer--) {
        const guint index = boxes->len;
        Box lane = { .rect = { .width = 0, .height = LANE },
                     .layer = layer,
                     .order = g_array_index (boxes, Box, i).order,
                     .from = i,
                     .to = to,
                     .from_dy = from_dy,
                     .to_dy = to_dy };

        lane.inputs = g_array_new (FALSE, FALSE, sizeof (guint));
        lane.users = g_array_new (FALSE, FALSE, sizeof (guint));
        g_array_append_val (lane.inputs, before);
        g_array_append_val (lane.users, to);
        g_array_append_val (boxes, lane);
        replace_index (g_array_index (boxes, Box, before).users, to, index);
        replace_index (g_array_index (boxes, Box, to).inputs, before, index);
        before = index;
        left--;
      }
    }
}

static int
compare_order (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *boxes = (const GArray *) data;
  const double x = g_array_index (boxes, Box, *(const guint *) a).order;
  const double y = g_array_index (boxes, Box, *(const guint *) b).order;

  return x != y ? (x > y) - (x < y)
                : (*(const guint *) a > *(const guint *) b) - (*(const guint *) a < *(const guint *) b);
}

static double
mean_y (const GArray *boxes, const GArray *neighbours, double fallback)
{
  double sum = 0;

  for (guint i = 0; i < neighbours->len; i++) {
    const Box *box = &g_array_index (boxes, Box, g_array_index (neighbours, guint, i));

    sum += box->y + 0.5 * box->rect.height;
  }
  return neighbours->len > 0 ? sum / neighbours->len : fallback;
}

/* Stacks one layer so that its boxes do not overlap and are together as near to where they want to be as can be. */
static void
stack (GArray *boxes, GArray *layer)
{
  double at = 0, wish = 0;

  g_array_sort_with_data (layer, compare_order, boxes);
  for (guint i = 0; i < layer->len; i++) {
    Box *box = &g_array_index (boxes, Box, g_array_index (layer, guint, i));

    box->y = at;
    wish += box->order - (at + 0.5 * box->rect.height);
    at += box->rect.height + ROW_GAP;
  }
  for (guint i = 0; i < layer->len; i++)
    g_array_index (boxes, Box, g_array_index (layer, guint, i)).y += wish / layer->len;
}

/* Boxes of one layer that touch and move together. */
typedef struct {
  double at, weight; /* of the first one, where the mean of their wishes is */
  guint first;
} Pool;

/* Every box of the layer as near to its wish (order: of its middle) as it can be in this order without touching another. */
static void
settle (GArray *boxes, GArray *layer)
{
  g_autofree double *offset = g_new (double, MAX (layer->len, 1));
  g_autofree Pool *pools = g_new (Pool, MAX (layer->len, 1));
  double below = 0;
  guint n = 0;

  g_array_sort_with_data (layer, compare_order, boxes);
  for (guint i = 0; i < layer->len; i++) {
    const Box *box = &g_array_index (boxes, Box, g_array_index (layer, guint, i));

    offset[i] = below;
    below += box->rect.height + ROW_GAP;
    pools[n] = (Pool){ box->order - 0.5 * box->rect.height - offset[i], box->node != NULL ? 1 : LANE_WEIGHT, i };
    n++;
    while (n > 1 && pools[n - 2].at > pools[n - 1].at) {
      Pool *a = &pools[n - 2];
      const Pool *b = &pools[n - 1];

      a->at = (a->at * a->weight + b->at * b->weight) / (a->weight + b->weight);
      a->weight += b->weight;
      n--;
    }
  }
  for (guint p = 0, i = 0; p < n; p++)
    for (; i < (p + 1 < n ? pools[p + 1].first : layer->len); i++)
      g_array_index (boxes, Box, g_array_index (layer, guint, i)).y = pools[p].at + offset[i];
}

/* The height of the curve that the canvas draws of a link, at x: from one end to the other, level at both. */
static double
get_link_y (const GArray *boxes, const Column *columns, const Box *lane, double x)
{
  const Box *from = &g_array_index (boxes, Box, lane->from), *to = &g_array_index (boxes, Box, lane->to);
  const double start = columns[from->layer].x + from->rect.width, end = columns[to->layer].x;
  const double t = kg_clamp ((x - start) / fmax (1, end - start), 0, 1);

  return kg_lerp (from->y + lane->from_dy, to->y + lane->to_dy, t * t * (3 - 2 * t));
}

/* A lane holds all of its link that crosses the column. */
static void
follow_link (const GArray *boxes, const Column *columns, Box *lane)
{
  const Column *column = &columns[lane->layer];
  const double left = get_link_y (boxes, columns, lane, column->x);
  const double right = get_link_y (boxes, columns, lane, column->x + column->width);

  lane->order = 0.5 * (left + right);
  lane->rect.height = LANE + fmin (fabs (right - left), LANE_MOST);
}

/* (transfer full) From the last layer, which is at the left, to the first. */
static Column *
place_columns (const GArray *boxes, const GPtrArray *layers)
{
  Column *columns = g_new0 (Column, layers->len);
  double x = 0;

  for (guint l = layers->len; l > 0; l--) {
    const GArray *layer = (const GArray *) layers->pdata[l - 1];
    Column *column = &columns[l - 1];

    column->x = x;
    for (guint k = 0; k < layer->len; k++)
      column->width = fmax (column->width, g_array_index (boxes, Box, g_array_index (layer, guint, k)).rect.width);
    x += column->width + COLUMN_GAP;
  }
  return columns;
}

/* The last word about places: lanes where the links will be, nodes between them. */
static void
settle_layers (GArray *boxes, GPtrArray *layers, const Column *columns)
{
  for (guint sweep = 0; sweep < SWEEPS; sweep++)
    for (guint i = 0; i < layers->len; i++) {
      GArray *layer = (GArray *) g_ptr_array_index (layers, sweep % 2 == 0 ? i : layers->len - 1 - i);

      for (guint k = 0; k < layer->len; k++) {
        Box *box = &g_array_index (boxes, Box, g_array_index (layer, guint, k));

        if (box->node == NULL)
          follow_link (boxes, columns, box);
        else
          box->order = 0.5 * (mean_y (boxes, box->users, box->y + 0.5 * box->rect.height) +
                              mean_y (boxes, box->inputs, box->y + 0.5 * box->rect.height));
      }
      settle (boxes, layer);
    }
}

static void
set_size (KgGraph *graph, KgNode *frame, const char *name, double size)
{
  const KgSlot *slot = kg_node_get_slot (frame, (guint) kg_node_find_slot (frame, name));
  const KgValue value = kg_value_number (kg_clamp (nearbyint (size), slot->min, slot->max));

  kg_graph_set_constant (graph, frame, name, &value, NULL);
}

/* A frame goes around the boxes that were on it. */
static void
follow_boxes (KgGraph *graph, KgNode *frame, const KgRect *before, const GArray *boxes)
{
  KgRect held = KG_RECT_EMPTY, now = KG_RECT_EMPTY;

  for (guint i = 0; i < boxes->len; i++) {
    const Box *box = &g_array_index (boxes, Box, i);
    KgRect after = box->rect;

    if (box->node == NULL || !kg_rect_contains (before, box->rect.x, box->rect.y) ||
        !kg_rect_contains (before, box->rect.x + box->rect.width, box->rect.y + box->rect.height))
      continue;
    kg_rect_include (&held, &box->rect);
    kg_node_get_position (box->node, &after.x, &after.y);
    kg_rect_include (&now, &after);
  }
  if (held.width < 0)
    return;
  /* With the same margins as before. */
  kg_graph_move (graph, frame, now.x - (held.x - before->x), now.y - (held.y - before->y));
  set_size (graph, frame, "width", now.width + before->width - held.width);
  set_size (graph, frame, "height", now.height + before->height - held.height);
}

void
kg_command_layout (KgGraph *graph, KgNode *const *nodes, const KgRect *rects, guint n)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, TRUE, sizeof (Box));
  g_autoptr (GHashTable) index = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autofree Column *columns = NULL;
  double low_x = INFINITY, low_y = INFINITY;
  guint n_layers;

  for (guint i = 0; i < n; i++) {
    Box box = { .node = nodes[i], .rect = rects[i], .order = rects[i].y };

    if (kg_node_is_note (nodes[i]))
      continue;
    low_x = fmin (low_x, rects[i].x);
    low_y = fmin (low_y, rects[i].y);
    box.inputs = g_array_new (FALSE, FALSE, sizeof (guint));
    box.users = g_array_new (FALSE, FALSE, sizeof (guint));
    g_hash_table_insert (index, nodes[i], GUINT_TO_POINTER (boxes->len));
    g_array_append_val (boxes, box);
  }
  if (boxes->len == 0)
    return;
  add_links (boxes, index);
  n_layers = find_layers (boxes);
  add_lanes (boxes);
  for (guint i = 0; i < n_layers; i++)
    g_ptr_array_add (layers, g_array_new (FALSE, FALSE, sizeof (guint)));
  for (guint i = 0; i < boxes->len; i++)
    g_array_append_val ((GArray *) g_ptr_array_index (layers, g_array_index (boxes, Box, i).layer), i);
  for (guint i = 0; i < n_layers; i++)
    stack (boxes, (GArray *) g_ptr_array_index (layers, i));
  for (guint sweep = 0; sweep < SWEEPS; sweep++)
    for (guint i = 0; i < n_layers; i++) {
      GArray *layer = (GArray *) g_ptr_array_index (layers, sweep % 2 == 0 ? i : n_layers - 1 - i);

      for (guint k = 0; k < layer->len; k++) {
        Box *box = &g_array_index (boxes, Box, g_array_index (layer, guint, k));
        const double middle = box->y + 0.5 * box->rect.height;

        box->order = mean_y (boxes, sweep % 2 == 0 ? box->users : box->inputs, middle);
      }
      stack (boxes, layer);
    }
  columns = place_columns (boxes, layers);
  settle_layers (boxes, layers, columns);
  kg_graph_begin_group (graph, _ ("Lay out nodes"));
  {
    double top = INFINITY;

    for (guint i = 0; i < boxes->len; i++)
      if (g_array_index (boxes, Box, i).node != NULL)
        top = fmin (top, g_array_index (boxes, Box, i).y);
    for (guint i = 0; i < boxes->len; i++) {
      const Box *box = &g_array_index (boxes, Box, i);

      if (box->node != NULL)
        kg_graph_move (graph, box->node, nearbyint (low_x + columns[box->layer].x), nearbyint (low_y + box->y - top));
    }
  }
  for (guint i = 0; i < n; i++)
    if (kg_node_is_note (nodes[i]))
      follow_boxes (graph, nodes[i], &rects[i], boxes);
  kg_graph_end_group (graph);
  for (guint i = 0; i < boxes->len; i++) {
    g_array_unref (g_array_index (boxes, Box, i).inputs);
    g_array_unref (g_array_index (boxes, Box, i).users);
  }
}
