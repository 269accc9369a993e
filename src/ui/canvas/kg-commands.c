/* kg-commands: see the header.  The layered layout is in kg-auto-layout.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-commands.h"

#include "config.h"
#include "kg-file.h"

#include <glib/gi18n.h>

int
kg_command_find_output (const KgNode *node, KgKind kind)
{
  int converted = -1;

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    if (kg_node_get_slot (node, i)->role != KG_SLOT_OUTPUT)
      continue;
    if (kg_node_get_slot_kind (node, i) == kind || kind == KG_ANY)
      return (int) i;
    if (converted < 0 && kg_kind_converts (kg_node_get_slot_kind (node, i), kind))
      converted = (int) i;
  }
  return converted;
}

int
kg_command_find_input (const KgNode *node, KgKind kind)
{
  int taken = -1, converted = -1;

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    const KgKind wanted = kg_node_get_slot_kind (node, i);
    bool linked;

    if (slot->role != KG_SLOT_INPUT || slot->fixed)
      continue;
    linked = !slot->list && kg_node_get_source (node, i)->kind == KG_SOURCE_LINK;
    if (wanted == kind || slot->kind == KG_ANY) {
      if (!linked)
        return (int) i;
      if (taken < 0)
        taken = (int) i;
    } else if (converted < 0 && !linked && kg_kind_converts (kind, wanted))
      converted = (int) i;
  }
  return converted >= 0 ? converted : taken;
}

int
kg_command_find_input_for (const KgNode *node, const KgNode *from, guint output)
{
  const KgKind kind = kg_node_get_slot_kind (from, output);
  const KgSlot *made = kg_node_get_slot (from, output);
  int labelled = -1;

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);

    if (slot->role != KG_SLOT_INPUT || slot->fixed ||
        (slot->kind != KG_ANY && !kg_kind_converts (kind, kg_node_get_slot_kind (node, i))))
      continue;
    if (g_str_equal (slot->name, made->name))
      return (int) i;
    if (labelled < 0 && g_strcmp0 (slot->label, made->label) == 0)
      labelled = (int) i;
  }
  return labelled >= 0 ? labelled : kg_command_find_input (node, kind);
}

/* The link that can replace an output of the node: its first linked input of a kind that fits. */
static bool
find_substitute (KgNode *node, KgKind kind, KgNode **from, const char **name)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    guint output;

    if (kg_node_get_slot (node, i)->role == KG_SLOT_INPUT && kg_node_get_link (node, i, 0, from, &output) &&
        kg_kind_converts (kg_node_get_slot_kind (*from, output), kind)) {
      *name = kg_node_get_link_name (node, i, 0);
      return true;
    }
  }
  return false;
}

static void
bridge (KgGraph *graph, KgNode *node)
{
  g_autoptr (GArray) readers = kg_node_dup_readers (node);

  for (guint i = 0; i < readers->len; i++) {
    const KgReader *reader = &g_array_index (readers, KgReader, i);
    const char *name;
    KgNode *from;

    if (find_substitute (node, kg_node_get_slot_kind (reader->to, reader->input), &from, &name))
      kg_graph_link_item_by_name (graph, from, name, reader->to, reader->input, reader->item, NULL);
  }
}

void
kg_command_delete (KgGraph *graph, KgNode *const *nodes, guint n, bool reconnect)
{
  kg_graph_begin_group (graph, n == 1 ? _ ("Delete node") : _ ("Delete nodes"));
  for (guint i = 0; i < n; i++) {
    if (reconnect)
      bridge (graph, nodes[i]);
    kg_graph_remove (graph, nodes[i]);
  }
  kg_graph_end_group (graph);
}

void
kg_command_extract (KgGraph *graph, KgNode *node)
{
  g_autoptr (GArray) readers = NULL;

  kg_graph_begin_group (graph, _ ("Extract from chain"));
  bridge (graph, node);
  readers = kg_node_dup_readers (node);
  for (guint i = readers->len; i > 0; i--) {
    const KgReader *reader = &g_array_index (readers, KgReader, i - 1);

    kg_graph_unlink_item (graph, reader->to, reader->input, reader->item);
  }
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    KgNode *from;
    guint output;

    if (kg_node_get_slot (node, i)->role == KG_SLOT_INPUT && kg_node_get_link (node, i, 0, &from, &output))
      kg_graph_reset (graph, node, kg_node_get_slot (node, i)->name, NULL);
  }
  kg_graph_end_group (graph);
}

bool
kg_command_insert (KgGraph *graph, KgNode *node, KgNode *to, guint input, guint item, GError **error)
{
  KgNode *from;
  guint output;
  int in, out;

  if (!kg_node_get_link (to, input, item, &from, &output) || from == node || to == node) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "no link to insert %s into", kg_node_get_name (node));
    return false;
  }
  in = kg_command_find_input_for (node, from, output);
  if (in < 0) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s has no input for %s", kg_node_get_name (node),
                  kg_kind_get_phrase (kg_node_get_slot_kind (from, output)));
    return false;
  }
  kg_graph_begin_group (graph, _ ("Insert node"));
  if (kg_graph_link_item_by_name (graph, from, kg_node_get_link_name (to, input, item), node, (guint) in, G_MAXUINT,
                                  error)) {
    out = kg_command_find_output (node, kg_node_get_slot_kind (to, input));
    if (out >= 0 && kg_graph_link_item (graph, node, (guint) out, to, input, item, error)) {
      kg_graph_end_group (graph);
      return true;
    }
    if (out < 0)
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s has no output that fits %s.%s", kg_node_get_name (node),
                    kg_node_get_name (to), kg_node_get_slot (to, input)->name);
  }
  kg_graph_cancel_group (graph);
  return false;
}

/* Copies. */

GPtrArray *
kg_command_duplicate (KgGraph *graph, KgNode *const *nodes, guint n, double dx, double dy, GError **error)
{
  g_autofree char *text = kg_graph_copy (graph, nodes, n);
  g_autoptr (GPtrArray) originals = kg_graph_dup_ordered (graph, nodes, n);
  g_autoptr (GHashTable) set = kg_node_set_new (nodes, n);
  GPtrArray *copies;

  kg_graph_begin_group (graph, _ ("Duplicate"));
  copies = kg_graph_paste (graph, text, dx, dy, error);
  for (guint i = 0; copies != NULL && i < copies->len && copies->len == originals->len; i++) {
    KgNode *original = (KgNode *) g_ptr_array_index (originals, i), *copy = (KgNode *) g_ptr_array_index (copies, i);

    for (guint s = 0; s < kg_node_get_n_slots (original); s++) {
      KgNode *from;
      guint output;

      if (kg_node_get_slot (original, s)->role == KG_SLOT_INPUT && !kg_node_get_slot (original, s)->list &&
          kg_node_get_link (original, s, 0, &from, &output) && !g_hash_table_contains (set, from))
        kg_graph_link_item_by_name (graph, from, kg_node_get_link_name (original, s, 0), copy, s, 0, NULL);
    }
  }
  kg_graph_close_group (graph, copies != NULL);
  return copies;
}

/* Selections. */

/* (transfer full) The nodes, each once; seen: a set they are added to. */
static GPtrArray *
begin_walk (KgNode *const *nodes, guint n, GHashTable *seen)
{
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    if (g_hash_table_add (seen, nodes[i]))
      g_ptr_array_add (found, nodes[i]);
  return found;
}

GPtrArray *
kg_command_upstream (KgNode *const *nodes, guint n)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GPtrArray *found = begin_walk (nodes, n, seen);

  for (guint i = 0; i < found->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (found, i), *from;

    for (guint s = 0; s < kg_node_get_n_slots (node); s++)
      for (guint k = 0; k < kg_node_get_n_links (node, s); k++) {
        guint output;

        if (kg_node_get_link (node, s, k, &from, &output) && g_hash_table_add (seen, from))
          g_ptr_array_add (found, from);
      }
  }
  return found;
}

GPtrArray *
kg_command_downstream (KgNode *const *nodes, guint n)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GPtrArray *found = begin_walk (nodes, n, seen);

  for (guint i = 0; i < found->len; i++) {
    g_autoptr (GPtrArray) users = kg_node_dup_users ((KgNode *) g_ptr_array_index (found, i));

    for (guint u = 0; u < users->len; u++)
      if (g_hash_table_add (seen, g_ptr_array_index (users, u)))
        g_ptr_array_add (found, g_ptr_array_index (users, u));
  }
  return found;
}

/* Places. */

typedef struct {
  KgNode *node;
  KgRect rect;
} Placed;

static int
compare_places (gconstpointer a, gconstpointer b, gpointer by_x)
{
  const KgRect *p = &((const Placed *) a)->rect, *q = &((const Placed *) b)->rect;

  if (by_x != NULL)
    return (p->x > q->x) - (p->x < q->x);
  return (p->y > q->y) - (p->y < q->y);
}

void
kg_command_align (KgGraph *graph, KgNode *const *nodes, const KgRect *rects, guint n, KgAlign align)
{
  g_autofree Placed *sorted = g_new (Placed, n);
  double low_x = INFINITY, low_y = INFINITY, at = 0;

  if (n < 2)
    return;
  for (guint i = 0; i < n; i++) {
    sorted[i] = (Placed){ nodes[i], rects[i] };
    low_x = fmin (low_x, rects[i].x);
    low_y = fmin (low_y, rects[i].y);
  }
  g_qsort_with_data (sorted, (int) n, sizeof *sorted, compare_places,
                     align == KG_ALIGN_ROW ? GINT_TO_POINTER (1) : NULL);
  kg_graph_begin_group (graph, _ ("Align nodes"));
  for (guint i = 0; i < n; i++) {
    double x = sorted[i].rect.x, y = sorted[i].rect.y;

    switch (align) {
    case KG_ALIGN_LEFT:
      x = low_x;
      break;
    case KG_ALIGN_TOP:
      y = low_y;
      break;
    case KG_ALIGN_ROW:
      x = low_x + at;
      y = low_y;
      at += sorted[i].rect.width + 50;
      break;
    case KG_ALIGN_COLUMN:
    default:
      x = low_x;
      y = low_y + at;
      at += sorted[i].rect.height + 30;
      break;
    }
    kg_graph_move (graph, sorted[i].node, x, y);
  }
  kg_graph_end_group (graph);
}
