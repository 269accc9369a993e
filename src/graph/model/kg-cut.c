/* kg-cut: cuts links whose ends are gone or no longer fit.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-private.h"

/* Whether a link into an input or cell that is declared so is cut: those that read slot (or any slot: -1) of node, or,
 * without a node, those that read nothing or what does not convert. */
static bool
is_cut (const KgWire *w, const KgSlot *declared, const KgNode *node, int slot)
{
  if (node == NULL)
    return w->node == NULL || !kg_wire_fits (w, declared);
  return w->node == node && (slot < 0 || w->slot == (guint) slot);
}

/* Cells and components whose links are cut become 0. */
static void
cut_cells (KgNode *reader, guint input, const KgNode *node, int slot)
{
  const KgSource *source = &reader->inputs[input].source;
  g_autofree KgCell *left = g_new (KgCell, source->table.n);
  g_auto (KgSource) rest = KG_SOURCE_INIT;
  guint n = 0, wire = 0;

  for (guint k = 0; k < source->table.n; k++) {
    const KgCell *cell = &source->table.cells[k];
    const KgExpression *expression = kg_input_get_expression (&reader->inputs[input], k);
    const KgWire *w = &reader->inputs[input].wires[wire];

    wire += expression != NULL ? kg_expression_get_n_references (expression) : 0;
    if (cell->source.kind != KG_SOURCE_LINK || !is_cut (w, kg_cell_get_slot (), node, slot))
      left[n++] = *cell;
  }
  if (n == source->table.n)
    return;
  if (n == 0 && reader->slots[input].kind == KG_VECTOR) {
    const double *x = kg_table_get_row (source->table.rows, 0);
    const KgValue value = kg_value_vector (kg_vector (x[0], x[1], x[2]));

    rest = kg_source_constant (&value);
  } else
    rest = kg_source_table (source->table.rows, n, left);
  kg_node_perform_source (reader, input, &rest, NULL);
}

void
kg_input_cut_links (KgNode *reader, guint input, const KgNode *node, int slot)
{
  const KgSource *source = &reader->inputs[input].source;
  const KgWire *wires = reader->inputs[input].wires;
  const KgSlot *declared = &reader->slots[input];
  g_auto (KgSource) rest = KG_SOURCE_INIT;

  if (source->kind == KG_SOURCE_LINK) {
    if (is_cut (&wires[0], declared, node, slot))
      kg_node_perform_source (reader, input, &rest, NULL);
  } else if (source->kind == KG_SOURCE_TABLE) {
    cut_cells (reader, input, node, slot);
  } else if (source->kind == KG_SOURCE_LIST) {
    g_autofree KgSource *left = g_new0 (KgSource, MAX (source->list.n, 1));
    guint n = 0;

    for (guint k = 0; k < source->list.n; k++)
      if (source->list.items[k].kind != KG_SOURCE_LINK || !is_cut (&wires[k], declared, node, slot))
        left[n++] = source->list.items[k];
    if (n == source->list.n)
      return;
    if (n > 0)
      rest = kg_source_list (n, left);
    kg_node_perform_source (reader, input, &rest, NULL);
  }
}

/* The links that are cut end at slots of one kind, so cutting them changes no kind further down. */
void
kg_node_cut_below (KgNode *node, guint slot)
{
  g_autoptr (GArray) broken = g_array_new (FALSE, FALSE, sizeof (KgUser));

  kg_node_check_kind_below (node, slot, kg_node_get_slot_kind (node, slot), broken, NULL);
  for (guint i = 0; i < broken->len; i++) {
    const KgUser *user = &g_array_index (broken, KgUser, i);

    kg_input_cut_links (user->node, user->input, NULL, -1);
  }
}

void
kg_graph_cut_dangling (KgGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (graph->nodes, i);

    for (guint s = 0; s < node->n_slots; s++) {
      kg_input_cut_links (node, s, NULL, -1);
      if (node->slots[s].kind == KG_ANY && node->slots[s].list)
        kg_node_cut_below (node, s);
    }
  }
}

void
kg_node_cut_links_to (KgNode *node, int slot)
{
  const guint n = node->users.n;
  g_autofree KgUser *users = g_memdup2 (node->users.items, n * sizeof *users);

  for (guint i = 0; i < n; i++) {
    const KgUser *user = &users[i];

    kg_input_cut_links (user->node, user->input, node, slot);
    /* The new first item of a list may have another kind. */
    if (user->node->slots[user->input].kind == KG_ANY && user->node->slots[user->input].list)
      kg_node_cut_below (user->node, user->input);
  }
}

void
kg_node_cut_unfit (KgNode *node)
{
  for (guint s = 0; s < node->n_slots; s++)
    if (kg_slot_is_input (&node->slots[s]))
      kg_node_cut_links_to (node, (int) s);
    else
      kg_node_cut_below (node, s);
}
