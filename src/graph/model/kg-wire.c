/* kg-wire: the ends of links and references: which slots an input reads, and who reads a slot.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

static void
make_wires (KgInput *input, guint n)
{
  input->n_wires = n;
  input->wire = (KgWire){ NULL, 0, 0, false };
  input->wires = n == 1 ? &input->wire : g_new0 (KgWire, MAX (n, 1));
}

bool
kg_graph_resolve (KgGraph *graph, const char *node_name, const char *slot_name, KgWire *wire)
{
  int slot;

  wire->node = kg_graph_find (graph, node_name);
  wire->slot = KG_SLOT_UNKNOWN;
  wire->reads_output = true;
  if (wire->node == NULL)
    return false;
  if (wire->node->type == NULL)
    return true;
  slot = kg_node_find_slot (wire->node, slot_name);
  if (slot < 0 || wire->node->slots[slot].role == KG_SLOT_STATE) {
    wire->node = NULL;
    return false;
  }
  wire->slot = (guint) slot;
  wire->reads_output = wire->node->slots[slot].role == KG_SLOT_OUTPUT;
  return true;
}

static bool
resolve_text (KgGraph *graph, const char *target, KgWire *wire)
{
  const char *dot = strchr (target, '.');
  g_autofree char *name = dot != NULL ? g_strndup (target, (gsize) (dot - target)) : NULL;

  wire->node = NULL;
  wire->slot = KG_SLOT_UNKNOWN;
  return name != NULL && kg_graph_resolve (graph, name, dot + 1, wire);
}

/* Both ends of a wire know each other's place, so that a node that everything reads can be removed as quickly as any. */
static void
add_user (KgNode *node, guint input, guint wire)
{
  KgWire *w = &node->inputs[input].wires[wire];
  KgUsers *users = &w->node->users;

  if (users->n == users->capacity) {
    users->capacity = MAX (1, 2 * users->capacity);
    users->items = g_renew (KgUser, users->items, users->capacity);
  }
  w->place = users->n;
  users->items[users->n++] = (KgUser){ node, input, w->slot, wire, w->reads_output };
}

static void
remove_user (const KgWire *wire)
{
  KgUsers *users = &wire->node->users;
  const KgUser *last = &users->items[users->n - 1];

  last->node->inputs[last->input].wires[last->wire].place = wire->place;
  users->items[wire->place] = *last;
  users->n--;
}

void
kg_input_connect (KgNode *node, guint slot)
{
  KgInput *input = &node->inputs[slot];
  KgGraph *graph = node->parent;
  bool missing = false;

  g_assert (input->wires == NULL && graph != NULL);
  switch (input->source.kind) {
  case KG_SOURCE_LINK:
    make_wires (input, 1);
    missing = !resolve_text (graph, input->source.text, &input->wires[0]);
    break;
  case KG_SOURCE_LIST:
    make_wires (input, input->source.list.n);
    for (guint i = 0; i < input->n_wires; i++)
      if (input->source.list.items[i].kind == KG_SOURCE_LINK)
        missing |= !resolve_text (graph, input->source.list.items[i].text, &input->wires[i]);
    break;
  case KG_SOURCE_EXPRESSION:
    if (input->expression == NULL)
      input->expression = kg_expression_new (input->source.text, NULL);
    make_wires (input, input->expression != NULL ? kg_expression_get_n_references (input->expression) : 0);
    for (guint i = 0; i < input->n_wires; i++) {
      const KgReference *reference = kg_expression_get_reference (input->expression, i);

      missing |= !kg_graph_resolve (graph, reference->node, reference->slot, &input->wires[i]);
    }
    break;
  default:
    break;
  }
  for (guint i = 0; i < input->n_wires; i++)
    if (input->wires[i].node != NULL)
      add_user (node, slot, i);
  kg_input_forget_kind (node, slot);
  kg_graph_invalidate_inner_defaults (graph);
  if (missing) {
    const KgUser user = { .node = node, .input = slot };

    g_array_append_val (graph->dangling, user);
    input->dangling = graph->dangling->len;
  }
}

void
kg_input_disconnect (KgNode *node, guint slot)
{
  KgInput *input = &node->inputs[slot];

  kg_input_forget_kind (node, slot);
  for (guint i = 0; i < input->n_wires; i++)
    if (input->wires[i].node != NULL)
      remove_user (&input->wires[i]);
  if (input->dangling > 0) {
    GArray *dangling = node->parent->dangling;
    const KgUser *last = &g_array_index (dangling, KgUser, dangling->len - 1);

    last->node->inputs[last->input].dangling = input->dangling;
    g_array_remove_index_fast (dangling, input->dangling - 1);
    input->dangling = 0;
  }
  kg_input_free_wires (input);
}

bool
kg_input_names (const KgInput *input, const char *name)
{
  if (input->source.kind != KG_SOURCE_EXPRESSION)
    return true;
  for (guint i = 0; i < input->n_wires; i++)
    if (g_str_equal (kg_expression_get_reference (input->expression, i)->node, name))
      return true;
  return false;
}

GArray *
kg_graph_find_dangling (const KgGraph *graph, const char *name)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (KgUser));

  for (guint i = 0; i < graph->dangling->len; i++) {
    const KgUser *user = &g_array_index (graph->dangling, KgUser, i);

    if (kg_input_names (&user->node->inputs[user->input], name))
      g_array_append_val (found, *user);
  }
  return found;
}

void
kg_graph_retry_dangling (KgGraph *graph, const char *name)
{
  g_autoptr (GArray) waiting = kg_graph_find_dangling (graph, name);

  for (guint i = 0; i < waiting->len; i++) {
    const KgUser *user = &g_array_index (waiting, KgUser, i);

    kg_input_disconnect (user->node, user->input);
    kg_input_connect (user->node, user->input);
    kg_node_invalidate (user->node, (int) user->input);
  }
}

void
kg_node_reconnect_readers (KgNode *node)
{
  const guint n = node->users.n;
  g_autofree KgUser *users = g_memdup2 (node->users.items, n * sizeof *users);

  for (guint i = 0; i < n; i++) {
    kg_input_disconnect (users[i].node, users[i].input);
    kg_input_connect (users[i].node, users[i].input);
    kg_node_invalidate (users[i].node, (int) users[i].input);
  }
}
