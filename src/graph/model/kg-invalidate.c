/* kg-invalidate: the dirty push: invalidates what depends on an input or a node that changed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-vertex-private.h"

static void
push_if_valid (KgVertexStack *stack, KgNode *node, int slot)
{
  const KgVertex v = { node, slot, false };
  KgMark *mark = kg_vertex_get_mark (&v);

  if (mark->valid) {
    mark->valid = false;
    kg_vertex_stack_push (stack, node, slot);
  }
}

void
kg_node_invalidate (KgNode *node, int slot)
{
  KgVertex v = { node, slot, false };
  KgVertexStack stack;

  kg_vertex_get_mark (&v)->valid = false;
  kg_vertex_stack_init (&stack);
  kg_vertex_stack_push (&stack, node, slot);
  while (stack.n > 0) {
    v = stack.items[--stack.n];
    for (guint i = 0; i < v.node->users.n; i++) {
      const KgUser *user = &v.node->users.items[i];

      if (v.slot < 0 ? user->reads_output : (int) user->slot == v.slot)
        push_if_valid (&stack, user->node, (int) user->input);
    }
    if (v.slot >= 0) {
      push_if_valid (&stack, v.node, -1);
      if (v.node->inside != NULL)
        push_if_valid (&stack, v.node->interfaces[v.slot], -1);
      if (kg_node_get_role (v.node) == KG_ROLE_INTERFACE_INPUT && v.node->outside != NULL)
        push_if_valid (&stack, v.node->outside, (int) v.node->place);
    } else if (kg_node_get_role (v.node) == KG_ROLE_INTERFACE_OUTPUT && v.node->outside != NULL)
      push_if_valid (&stack, v.node->outside, -1);
  }
  kg_vertex_stack_clear (&stack);
}

void
kg_graph_invalidate (KgGraph *graph, bool files)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (graph->nodes, i);

    for (guint s = 0; s < node->n_slots; s++)
      if (!files || node->slots[s].path)
        kg_node_invalidate (node, (int) s);
    if (!files)
      kg_node_invalidate (node, -1);
    if (node->inside != NULL)
      kg_graph_invalidate (node->inside, files);
  }
}
