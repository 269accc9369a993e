/* kg-auto-layout: layered drawing of a graph after Sugiyama, Tagawa and Toda 1981: layers by the longest way to the
 * end, crossings reduced by the barycentre of the neighbours in sweeps to and fro, places by the same means.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-commands.h"

#include <glib/gi18n.h>

#define SWEEPS 12
#define COLUMN_GAP 60.0
#define ROW_GAP 24.0

typedef struct {
  KgNode *node;
  KgRect rect; /* where it was, and how large it is */
  guint layer; /* 0: the end */
  double order, y;
  GArray *inputs, *users; /* guint: indices of neighbours */
} Box;

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

/* Layer: the longest way to a node that nobody reads.  In the order of Kahn 1962, so no recursion; nodes on a cycle of
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

    if (!kg_rect_contains (before, box->rect.x, box->rect.y) ||
        !kg_rect_contains (before, box->rect.x + box->rect.width, box->rect.y + box->rect.height))
      continue;
    kg_rect_include (&held, &box->rect);
    kg_node_get_position (box->node, &after.x, &after.y);
    kg_rect_include (&now, &after);
  }
  if (held.width < 0)
    return;
  /* With as much room on each side as there was. */
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
  double low_x = INFINITY, low_y = INFINITY, x = 0;
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
  kg_graph_begin_group (graph, _ ("Lay out nodes"));
  {
    double top = INFINITY;

    for (guint i = 0; i < boxes->len; i++)
      top = fmin (top, g_array_index (boxes, Box, i).y);
    for (guint l = n_layers; l > 0; l--) {
      const GArray *layer = (const GArray *) g_ptr_array_index (layers, l - 1);
      double width = 0;

      for (guint k = 0; k < layer->len; k++) {
        const Box *box = &g_array_index (boxes, Box, g_array_index (layer, guint, k));

        kg_graph_move (graph, box->node, nearbyint (low_x + x), nearbyint (low_y + box->y - top));
        width = fmax (width, box->rect.width);
      }
      x += width + COLUMN_GAP;
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
