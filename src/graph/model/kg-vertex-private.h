/* kg-vertex-private: the vertices of dependence, and a stack of them.
 *
 * The vertices are the inputs of nodes and, as one vertex, the outputs of each node.  An input depends on what its
 * wires read (outputs, or inputs named in an expression); the outputs of a node depend on all its inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph-private.h"

typedef struct {
  KgNode *node;
  int slot;      /* -1: the outputs */
  bool expanded; /* on the way up: what it depends on was pushed */
} KgVertex;

/* Walks go over every node downstream of an edit, so that the pushes count; short ones take no memory. */
typedef struct {
  guint n, capacity;
  KgVertex *items;
  KgVertex first[64];
} KgVertexStack;

static inline void
kg_vertex_stack_init (KgVertexStack *stack)
{
  stack->n = 0;
  stack->capacity = G_N_ELEMENTS (stack->first);
  stack->items = stack->first;
}

static inline void
kg_vertex_stack_clear (KgVertexStack *stack)
{
  if (stack->items != stack->first)
    g_free (stack->items);
}

static inline void
kg_vertex_stack_grow (KgVertexStack *stack)
{
  KgVertex *larger = g_new (KgVertex, 4 * stack->capacity);

  memcpy (larger, stack->items, stack->n * sizeof *larger);
  kg_vertex_stack_clear (stack);
  stack->items = larger;
  stack->capacity *= 4;
}

static inline void
kg_vertex_stack_push (KgVertexStack *stack, KgNode *node, int slot)
{
  if (stack->n == stack->capacity)
    kg_vertex_stack_grow (stack);
  stack->items[stack->n++] = (KgVertex){ node, slot, false };
}

static inline KgMark *
kg_vertex_get_mark (const KgVertex *v)
{
  return kg_node_mark_of (v->node, v->slot);
}
