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

guint
kg_input_get_n_expressions (const KgInput *input)
{
  return input->cells != NULL ? input->cells->len : input->expression != NULL;
}

KgExpression *
kg_input_get_expression (const KgInput *input, guint index)
{
  return input->cells != NULL ? (KgExpression *) g_ptr_array_index (input->cells, index) : input->expression;
}

const KgReference *
kg_input_get_reference (const KgInput *input, guint wire)
{
  for (guint i = 0; i < kg_input_get_n_expressions (input); i++) {
    const KgExpression *expression = kg_input_get_expression (input, i);
    const guint n = expression != NULL ? kg_expression_get_n_references (expression) : 0;

    if (wire < n)
      return kg_expression_get_reference (expression, wire);
    wire -= n;
  }
  return NULL;
}

/* The expressions of the cells, if they are not there yet: sources were checked before. */
static void
compile_cells (KgInput *input)
{
  if (input->cells != NULL)
    return;
  input->cells = g_ptr_array_sized_new (input->source.table.n);
  for (guint i = 0; i < input->source.table.n; i++) {
    const KgSource *cell = &input->source.table.cells[i].source;

    g_ptr_array_add (input->cells, cell->kind != KG_SOURCE_KEYS ? kg_expression_new (cell->text, NULL) : NULL);
  }
}

/* Wires of all references of the expressions.  False when a name leads nowhere. */
static bool
connect_references (KgGraph *graph, KgInput *input)
{
  bool found = true;
  guint n = 0;

  for (guint i = 0; i < kg_input_get_n_expressions (input); i++)
    if (kg_input_get_expression (input, i) != NULL)
      n += kg_expression_get_n_references (kg_input_get_expression (input, i));
  make_wires (input, n);
  n = 0;
  for (guint i = 0; i < kg_input_get_n_expressions (input); i++) {
    const KgExpression *expression = kg_input_get_expression (input, i);

    for (guint k = 0; expression != NULL && k < kg_expression_get_n_references (expression); k++, n++) {
      const KgReference *reference = kg_expression_get_reference (expression, k);

      found &= kg_graph_resolve (graph, reference->node, reference->slot, &input->wires[n]);
    }
  }
  return found;
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
    missing = !connect_references (graph, input);
    break;
  case KG_SOURCE_TABLE:
    compile_cells (input);
    missing = !connect_references (graph, input);
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
  if (input->source.kind != KG_SOURCE_EXPRESSION && input->source.kind != KG_SOURCE_TABLE)
    return true;
  for (guint i = 0; i < kg_input_get_n_expressions (input); i++) {
    const KgExpression *expression = kg_input_get_expression (input, i);

    for (guint k = 0; expression != NULL && k < kg_expression_get_n_references (expression); k++)
      if (g_str_equal (kg_expression_get_reference (expression, k)->node, name))
        return true;
  }
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
