/* kg-graph-kind: what kind of value a slot of any kind carries, and which links that makes impossible.
 *
 * An open slot (KG_ANY) takes its kind from the slot that decides it: an output from the input it is like, an
 * input from its constant or from the first output it reads.  The answer is remembered in every slot on the way;
 * a remembered kind therefore means that everything it was taken from remembers too, and forgetting stops at the
 * first slot that does not.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

typedef struct {
  KgNode *node;
  guint slot;
} Place;

static bool
follows_links (const KgInput *input)
{
  return input->source.kind == KG_SOURCE_LINK || input->source.kind == KG_SOURCE_LIST;
}

/* Steps to the slot that decides the kind of this one; false, with the kind, if it is known here. */
static bool
step (Place *at, KgKind *kind)
{
  const KgSlot *slot = &at->node->slots[at->slot];
  const KgInput *input = &at->node->inputs[at->slot];

  *kind = slot->kind;
  if (slot->kind != KG_ANY)
    return false;
  if (input->kind_known) {
    *kind = input->kind;
    return false;
  }
  if (slot->role == KG_SLOT_OUTPUT) {
    const int like = slot->like != NULL ? kg_node_find_slot (at->node, slot->like) : -1;

    if (like >= 0)
      at->slot = (guint) like;
    return like >= 0;
  }
  if (input->source.kind == KG_SOURCE_CONSTANT)
    *kind = input->source.constant.kind;
  if (input->source.kind == KG_SOURCE_TABLE)
    *kind = KG_TABLE;
  if (!follows_links (input) || input->n_wires == 0 || input->wires[0].node == NULL ||
      input->wires[0].slot == KG_SLOT_UNKNOWN)
    return false;
  *at = (Place){ input->wires[0].node, input->wires[0].slot };
  return true;
}

KgKind
kg_node_get_slot_kind (const KgNode *node, guint index)
{
  const Place first = { (KgNode *) node, index };
  Place at = first, next;
  KgKind kind, ignored;
  bool more = true;

  if (node->type == NULL)
    return KG_ANY;
  /* The graph has no cycles, so this ends. */
  while (step (&at, &kind))
    ;
  for (at = first; more && at.node->slots[at.slot].kind == KG_ANY; at = next) {
    next = at;
    more = step (&next, &ignored);
    at.node->inputs[at.slot].kind = kind;
    at.node->inputs[at.slot].kind_known = true;
  }
  return kind;
}

/* Pushes the outputs that take their kind from this input. */
static void
push_like (GArray *stack, KgNode *node, guint slot)
{
  for (guint i = 0; i < node->n_slots; i++)
    if (node->slots[i].role == KG_SLOT_OUTPUT && node->slots[i].kind == KG_ANY && node->slots[i].like != NULL &&
        g_str_equal (node->slots[i].like, node->slots[slot].name)) {
      const Place place = { node, i };

      g_array_append_val (stack, place);
    }
}

static Place
pop (GArray *stack)
{
  const Place place = g_array_index (stack, Place, stack->len - 1);

  g_array_set_size (stack, stack->len - 1);
  return place;
}

void
kg_input_forget_kind (KgNode *node, guint slot)
{
  g_autoptr (GArray) stack = NULL;
  Place at = { node, slot };

  if (!node->inputs[slot].kind_known)
    return;
  stack = g_array_new (FALSE, FALSE, sizeof (Place));
  g_array_append_val (stack, at);
  while (stack->len > 0) {
    at = pop (stack);
    if (!at.node->inputs[at.slot].kind_known)
      continue;
    at.node->inputs[at.slot].kind_known = false;
    if (kg_slot_is_input (&at.node->slots[at.slot]))
      push_like (stack, at.node, at.slot);
    else
      for (guint i = 0; i < at.node->users.n; i++) {
        const KgUser *user = &at.node->users.items[i];
        const Place reader = { user->node, user->input };

        if (user->slot == at.slot)
          g_array_append_val (stack, reader);
      }
  }
}

KgKind
kg_source_get_kind (const KgSource *source, const KgWire *first)
{
  if (source->kind == KG_SOURCE_CONSTANT)
    return source->constant.kind;
  if (source->kind == KG_SOURCE_TABLE)
    return KG_TABLE;
  if (source->kind == KG_SOURCE_LIST ? source->list.n == 0 : source->kind != KG_SOURCE_LINK)
    return KG_ANY;
  return first->node != NULL && first->slot != KG_SLOT_UNKNOWN ? kg_node_get_slot_kind (first->node, first->slot)
                                                               : KG_ANY;
}

bool
kg_wire_fits (const KgWire *wire, const KgSlot *slot)
{
  return wire->node == NULL || wire->slot == KG_SLOT_UNKNOWN || slot->kind == KG_ANY ||
         kg_kind_converts (kg_node_get_slot_kind (wire->node, wire->slot), slot->kind);
}

bool
kg_wire_check_kind (const KgWire *wire, const KgSlot *slot, GError **error)
{
  if (kg_wire_fits (wire, slot))
    return true;
  kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s.%s is %s, which cannot be converted to %s", wire->node->name,
                wire->node->slots[wire->slot].name, kg_kind_get_phrase (kg_node_get_slot_kind (wire->node, wire->slot)),
                kg_kind_get_phrase (slot->kind));
  return false;
}

/* The links of cells and components, which are numbers each; expressions among them take what they find. */
static bool
check_cell_kinds (const KgNode *node, guint slot, GError **error)
{
  const KgInput *input = &node->inputs[slot];
  guint wire = 0;

  for (guint i = 0; i < input->source.table.n; i++) {
    const KgCell *cell = &input->source.table.cells[i];
    const KgExpression *expression = kg_input_get_expression (input, i);

    if (cell->source.kind == KG_SOURCE_LINK && wire < input->n_wires &&
        !kg_wire_check_kind (&input->wires[wire], kg_cell_get_slot (), error)) {
      kg_cell_prefix_error (cell, &node->slots[slot], error);
      return false;
    }
    wire += expression != NULL ? kg_expression_get_n_references (expression) : 0;
  }
  return true;
}

/* Whether the wire of a table belongs to a cell that is a link. */
static bool
is_link_of_cell (const KgInput *input, guint wire)
{
  for (guint i = 0, first = 0; i < input->source.table.n; i++) {
    const KgExpression *expression = kg_input_get_expression (input, i);
    const guint n = expression != NULL ? kg_expression_get_n_references (expression) : 0;

    if (wire < first + n)
      return input->source.table.cells[i].source.kind == KG_SOURCE_LINK;
    first += n;
  }
  return false;
}

bool
kg_input_check_kinds (const KgNode *node, guint slot, GError **error)
{
  const KgInput *input = &node->inputs[slot];

  if (input->source.kind == KG_SOURCE_TABLE)
    return check_cell_kinds (node, slot, error);
  if (!follows_links (input))
    return true;
  for (guint i = 0; i < input->n_wires; i++)
    if (!kg_wire_check_kind (&input->wires[i], &node->slots[slot], error)) {
      if (input->source.kind == KG_SOURCE_LIST)
        kg_prefix_error (error, "item %u: ", i);
      return false;
    }
  return true;
}

/* Checks the links that read this output and pushes the outputs that pass its kind on.  Links that cannot carry kind are
 * appended to broken, or the first of them is the error. */
static bool
check_readers (GArray *stack, Place at, KgKind kind, GArray *broken, GError **error)
{
  for (guint i = 0; i < at.node->users.n; i++) {
    const KgUser *user = &at.node->users.items[i];
    const KgInput *input = &user->node->inputs[user->input];
    const bool of_cell = input->source.kind == KG_SOURCE_TABLE;
    const KgSlot *slot = &user->node->slots[user->input];
    const KgKind wanted = of_cell ? kg_cell_get_slot ()->kind : slot->kind;

    if (user->slot != at.slot || (!of_cell && !follows_links (input)))
      continue;
    if (wanted == KG_ANY) {
      if (user->wire == 0)
        push_like (stack, user->node, user->input);
    } else if (kg_kind_converts (kind, wanted) || (of_cell && !is_link_of_cell (input, user->wire)))
      continue;
    else if (broken != NULL)
      g_array_append_val (broken, *user);
    else {
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH,
                    "the link from %s.%s to %s.%s would carry %s, which cannot be converted to %s: cut it first",
                    at.node->name, at.node->slots[at.slot].name, user->node->name, slot->name,
                    kg_kind_get_phrase (kind), kg_kind_get_phrase (wanted));
      return false;
    }
  }
  return true;
}

bool
kg_node_check_kind_below (KgNode *node, guint slot, KgKind kind, GArray *broken, GError **error)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Place));
  const guint64 stamp = ++kg_graph_get_document (node->parent)->visit;
  Place at = { node, slot };

  if (kg_slot_is_input (&node->slots[slot]))
    push_like (stack, node, slot);
  else
    g_array_append_val (stack, at);
  while (stack->len > 0) {
    guint64 *visits;

    at = pop (stack);
    visits = kg_node_visits_of (at.node, (int) at.slot);
    if (visits[0] == stamp)
      continue;
    visits[0] = stamp;
    if (!check_readers (stack, at, kind, broken, error))
      return false;
  }
  return true;
}
