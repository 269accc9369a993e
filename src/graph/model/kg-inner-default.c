/* kg-inner-default: inputs of a sub-graph whose default moves: it is computed by nodes inside, or has keys there.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

/* (nullable) The interface node of an input that is not set.  value: (out) its input that has the default. */
static KgNode *
find_interface (const KgNode *node, guint slot, guint *value)
{
  KgNode *interface;
  int found;

  if (node->inside == NULL || slot >= node->n_slots || !kg_slot_is_input (&node->slots[slot]) ||
      node->inputs[slot].source.kind != KG_SOURCE_DEFAULT)
    return NULL;
  interface = node->interfaces[slot];
  found = kg_node_find_slot (interface, "value");
  *value = (guint) MAX (found, 0);
  return found >= 0 ? interface : NULL;
}

static bool
is_constant (const KgNode *interface, guint value)
{
  const KgSourceKind kind = interface->inputs[value].source.kind;

  return kind == KG_SOURCE_DEFAULT || kind == KG_SOURCE_CONSTANT;
}

bool
kg_node_find_inner_default (const KgNode *node, guint slot, KgNode **inner, guint *input)
{
  KgNode *from;
  guint output;

  *inner = find_interface (node, slot, input);
  if (*inner == NULL || is_constant (*inner, *input))
    return false;
  /* Skips nodes that only hold a value: their input has the keys. */
  while (kg_node_get_link (*inner, *input, 0, &from, &output) && kg_node_get_role (from) == KG_ROLE_CONSTANT &&
         kg_node_find_slot (from, "value") >= 0) {
    *inner = from;
    *input = (guint) kg_node_find_slot (from, "value");
  }
  return true;
}

static void
add_upstream (GPtrArray *found, GHashTable *seen, const KgInput *input)
{
  for (guint i = 0; i < input->n_wires; i++)
    if (input->wires[i].node != NULL && g_hash_table_add (seen, input->wires[i].node))
      g_ptr_array_add (found, input->wires[i].node);
}

/* What reads inputs of the sub-graph may depend on whatever is linked to them, this input too: only defaults that are
 * made of nothing but what is inside can be read as values of the input without closing a cycle. */
static bool
is_closed (const KgNode *interface, guint value)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  add_upstream (found, seen, &interface->inputs[value]);
  for (guint i = 0; i < found->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (found, i);

    if (kg_node_get_role (node) == KG_ROLE_INTERFACE_INPUT)
      return false;
    for (guint s = 0; s < node->n_slots; s++)
      add_upstream (found, seen, &node->inputs[s]);
  }
  return true;
}

KgNode *
kg_node_get_moving_default (const KgNode *node, guint slot, guint *value)
{
  KgNode *interface = find_interface (node, slot, value);

  return interface != NULL && !is_constant (interface, *value) ? interface : NULL;
}

KgNode *
kg_node_get_closed_default (const KgNode *node, guint slot, guint *value)
{
  KgNode *interface = kg_node_get_moving_default (node, slot, value);

  return interface != NULL && is_closed (interface, *value) ? interface : NULL;
}

void
kg_graph_invalidate_inner_defaults (const KgGraph *graph)
{
  KgNode *owner = graph->owner;

  for (guint i = 0; owner != NULL && i < owner->n_slots; i++)
    if (kg_slot_is_input (&owner->slots[i]) && owner->inputs[i].source.kind == KG_SOURCE_DEFAULT &&
        kg_node_mark_of (owner, (int) i)->valid)
      kg_node_invalidate (owner, (int) i);
}
