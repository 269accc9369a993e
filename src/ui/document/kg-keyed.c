/* kg-keyed: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-keyed.h"

#include <math.h>

/* Frames nearer than this are one. */
#define SAME_FRAME 1e-6

void
kg_keyed_each (KgNode *node, guint slot, KgKeyedVisit visit, gpointer data)
{
  const KgSlot *declared = kg_node_get_slot (node, slot);
  g_auto (KgSource) source = KG_SOURCE_INIT;
  KgKeyed keyed = { node, slot, -1, -1 };

  if (declared->role != KG_SLOT_INPUT || declared->kind == KG_MOTION)
    return;
  source = kg_source_copy (kg_node_get_source (node, slot));
  if (source.kind == KG_SOURCE_KEYS)
    visit (&keyed, source.keys, data);
  for (guint i = 0; source.kind == KG_SOURCE_TABLE && i < source.table.n; i++) {
    const KgCell *cell = &source.table.cells[i];

    keyed.row = (int) cell->row;
    keyed.column = (int) cell->column;
    if (cell->source.kind == KG_SOURCE_KEYS)
      visit (&keyed, cell->source.keys, data);
  }
}

bool
kg_keyed_is_same (const KgKeyed *a, const KgKeyed *b)
{
  return a->node == b->node && a->slot == b->slot && a->row == b->row && a->column == b->column;
}

KgChannel *
kg_keyed_get_channel (const KgKeyed *keyed)
{
  const KgSource *source = kg_node_get_source (keyed->node, keyed->slot);

  if (keyed->row >= 0)
    source = kg_source_get_cell (source, (guint) keyed->row, (guint) keyed->column);
  return source != NULL && source->kind == KG_SOURCE_KEYS ? source->keys : NULL;
}

static bool
set_source (const KgKeyed *keyed, const KgSource *source, GError **error)
{
  KgGraph *graph = kg_node_get_parent (keyed->node);

  return keyed->row >= 0 ? kg_graph_set_cell (graph, keyed->node, keyed->slot, (guint) keyed->row,
                                              (guint) keyed->column, source, error)
                         : kg_graph_set_source (graph, keyed->node, keyed->slot, source, error);
}

bool
kg_keyed_set_channel (const KgKeyed *keyed, KgChannel *channel, GError **error)
{
  g_auto (KgSource) source = kg_source_keys (kg_channel_ref (channel));

  return set_source (keyed, &source, error);
}

bool
kg_keyed_set_number (const KgKeyed *keyed, double x, GError **error)
{
  const KgValue value = kg_value_number (x);
  g_auto (KgSource) source = kg_source_constant (&value);

  return set_source (keyed, &source, error);
}

/* (transfer full) "3 y"; of a vector "y" */
static char *
dup_cell (const KgKeyed *keyed, bool translate)
{
  const KgSlot *slot = kg_node_get_slot (keyed->node, keyed->slot);
  const KgTable *rows = kg_source_get_rows (kg_node_get_source (keyed->node, keyed->slot));
  const guint column = (guint) keyed->column;
  const bool declared = slot->columns != NULL && column < kg_table_columns_count (slot->columns);
  const char *name = kg_slot_get_component (slot, column);

  if (name != NULL)
    return g_strdup (name);
  if (declared)
    name = translate ? kg_type_translate (slot->columns[column].label) : slot->columns[column].name;
  else if (rows != NULL && column < kg_table_get_n_columns (rows))
    name = kg_table_get_name (rows, column);
  return name != NULL ? g_strdup_printf ("%d %s", keyed->row + 1, name)
                      : g_strdup_printf ("%d %u", keyed->row + 1, column + 1);
}

static char *
dup_text (const KgKeyed *keyed, const char *input, bool translate)
{
  g_autofree char *cell = keyed->row >= 0 ? dup_cell (keyed, translate) : NULL;

  return cell != NULL ? g_strdup_printf ("%s %s", input, cell) : g_strdup (input);
}

char *
kg_keyed_dup_label (const KgKeyed *keyed)
{
  const KgSlot *slot = kg_node_get_slot (keyed->node, keyed->slot);

  return dup_text (keyed, slot->label != NULL ? kg_type_translate (slot->label) : slot->name, true);
}

char *
kg_keyed_dup_name (const KgKeyed *keyed)
{
  return dup_text (keyed, kg_node_get_slot (keyed->node, keyed->slot)->name, false);
}

/* Keys of one number. */

static const KgKey *
get_keys (const KgChannel *channel, gsize *n, KgExtend *before, KgExtend *after)
{
  *n = 0;
  *before = *after = KG_EXTEND_HOLD;
  if (channel == NULL)
    return NULL;
  kg_channel_get_extend (channel, before, after);
  return kg_channel_get_keys (channel, n);
}

KgChannel *
kg_channel_with_number (const KgChannel *keys, double frame, double x, GError **error)
{
  KgExtend before, after;
  gsize n, count = 0;
  const KgKey *old = get_keys (keys, &n, &before, &after);
  g_autofree KgKey *all = g_new (KgKey, n + 1);
  KgKey key;

  kg_key_init (&key, frame, 0);
  key.interpolation = KG_INTERPOLATE_BEZIER;
  for (gsize i = 0; i < n; i++)
    if (fabs (old[i].at - frame) < SAME_FRAME)
      key = old[i];
    else
      all[count++] = old[i];
  key.value[0] = x;
  all[count++] = key;
  return kg_channel_new_keys (1, false, all, count, before, after, error);
}

KgChannel *
kg_channel_without_key (const KgChannel *keys, double frame)
{
  KgExtend before, after;
  gsize n, count = 0;
  const KgKey *old = get_keys (keys, &n, &before, &after);
  g_autofree KgKey *left = g_new (KgKey, n + 1);

  for (gsize i = 0; i < n; i++)
    if (fabs (old[i].at - frame) >= SAME_FRAME)
      left[count++] = old[i];
  return count > 0 ? kg_channel_new_keys (1, false, left, count, before, after, NULL) : NULL;
}
