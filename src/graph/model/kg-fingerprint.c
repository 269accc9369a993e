/* kg-fingerprint: which inputs and outputs are unchanged.
 *
 * Each vertex (see kg-vertex-private.h) has a mark.  A valid mark means that everything upstream is valid too; a dirty
 * push (kg-invalidate.c) therefore stops at the first vertex that is invalid already.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-regular-file.h"
#include "kg-vertex-private.h"

#include <string.h>

/* Pull of fingerprints, in post-order with an explicit stack. */

static bool
matters (const KgSlot *slot)
{
  return kg_slot_is_input (slot) && !slot->remark;
}

static void
push_unless_valid (KgVertexStack *stack, KgNode *node, int slot)
{
  const KgVertex v = { node, slot, false };

  if (!kg_vertex_get_mark (&v)->valid)
    kg_vertex_stack_push (stack, node, slot);
}

/* Pushes what an input depends on and is not valid. */
static void
push_input_dependencies (KgVertexStack *stack, const KgNode *node, guint slot)
{
  const KgInput *input = &node->inputs[slot];
  KgNode *inner;
  guint value;

  for (guint i = 0; i < input->n_wires; i++)
    if (input->wires[i].node != NULL)
      push_unless_valid (stack, input->wires[i].node, input->wires[i].reads_output ? -1 : (int) input->wires[i].slot);
  inner = node->inside != NULL ? kg_node_get_closed_default (node, slot, &value) : NULL;
  if (inner != NULL)
    push_unless_valid (stack, inner, (int) value);
}

/* Pushes what v depends on and is not valid.  For outputs that are not those of a sub-graph, that is what their inputs depend
 * on: when that is done, the inputs are marked together with the outputs (mark_outputs), without being vertices on the stack. */
static void
push_dependencies (KgVertexStack *stack, const KgVertex *v)
{
  KgNode *node = v->node, *owner;
  guint slot;

  if (v->slot >= 0) {
    push_input_dependencies (stack, node, (guint) v->slot);
  } else if (node->inside != NULL) {
    for (guint i = 0; i < node->n_slots; i++)
      if (kg_node_get_role (node->interfaces[i]) == KG_ROLE_INTERFACE_OUTPUT)
        push_unless_valid (stack, node->interfaces[i], -1);
  } else {
    for (guint i = 0; i < node->n_slots; i++)
      if (!kg_node_mark_of (node, (int) i)->valid && matters (&node->slots[i]))
        push_input_dependencies (stack, node, i);
    if (kg_node_get_role (node) == KG_ROLE_INTERFACE_INPUT && kg_node_get_outside (node, &owner, &slot))
      push_unless_valid (stack, owner, (int) slot);
  }
}

/* What one mark depends on, so does another. */
static void
depend_on (KgMark *mark, const KgMark *other)
{
  mark->timed |= other->timed;
  mark->simulated |= other->simulated;
}

static KgHash
hash_wire (KgHash hash, const KgWire *wire, KgMark *sum)
{
  KgVertex v = { wire->node, -1, false };

  if (wire->node == NULL)
    return kg_hash_uint (hash, 1);
  if (!wire->reads_output)
    v.slot = (int) wire->slot;
  depend_on (sum, kg_vertex_get_mark (&v));
  return kg_hash_uint (kg_hash_join (hash, kg_vertex_get_mark (&v)->hash), wire->slot);
}

KgHash
kg_node_hash_file (const KgNode *node, const char *path, KgHash hash)
{
  const KgDocumentState *document = node->parent != NULL ? kg_graph_get_document (node->parent) : NULL;
  g_autofree char *full = kg_regular_file_dup_path (document != NULL ? document->folder : NULL, path);
  g_autofree char *around = NULL;

  if (strchr (path, '%') == NULL)
    return kg_regular_file_hash (full, hash);
  if (document == NULL || document->n_reloads == 0)
    return hash;
  around = g_path_get_dirname (full);
  return kg_regular_file_hash (around, kg_hash_uint (hash, document->n_reloads));
}

/* What reads the last frame of the graph, and only that, is another thing with another one. */
static KgHash
hash_end (const KgNode *node, KgHash hash)
{
  return node->parent != NULL ? kg_hash_double (hash, kg_graph_get_document (node->parent)->frames.end) : hash;
}

/* Whether an expression may read the last frame: it has that word. */
static bool
mentions_end (const char *text)
{
  static const char word[] = "end";

  for (const char *at = strstr (text, word); at != NULL; at = strstr (at + 1, word)) {
    const char after = at[sizeof word - 1], before = at > text ? at[-1] : ' ';

    if (!g_ascii_isalnum (before) && before != '_' && before != '.' && !g_ascii_isalnum (after) && after != '_')
      return true;
  }
  return false;
}

/* The default of a sub-graph's input is inside, and can be edited. */
static KgHash
hash_default (const KgNode *node, guint slot, KgHash hash, KgMark *sum)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  guint place;
  const KgNode *inner = kg_node_get_closed_default (node, slot, &place);

  sum->timed = node->slots[slot].driver != KG_DRIVER_NONE;
  if (node->slots[slot].driver == KG_DRIVER_PHASE)
    hash = hash_end (node, hash);
  if (inner != NULL) {
    const KgMark *mark = kg_node_mark_of (inner, (int) place);

    depend_on (sum, mark);
    return kg_hash_join (hash, mark->hash);
  }
  if (node->inside == NULL || !kg_slot_get_default (&node->slots[slot], &value))
    return hash;
  return kg_hash_join (hash, kg_value_get_fingerprint (&value));
}

static KgHash
hash_expression (const KgNode *node, const KgExpression *expression, const char *text, KgHash hash, bool *timed)
{
  hash = kg_hash_text (hash, text);
  if (mentions_end (text))
    hash = hash_end (node, hash);
  *timed |= expression != NULL && kg_expression_uses_time (expression);
  return hash;
}

static KgHash
hash_cells (const KgNode *node, const KgInput *input, KgHash hash, bool *timed)
{
  const KgSource *source = &input->source;

  hash = kg_hash_join (hash, kg_table_get_fingerprint (source->table.rows));
  for (guint i = 0; i < source->table.n; i++) {
    const KgCell *cell = &source->table.cells[i];

    hash = kg_hash_uint (kg_hash_uint (kg_hash_uint (hash, cell->row), cell->column), cell->source.kind);
    if (cell->source.kind == KG_SOURCE_KEYS) {
      hash = kg_channel_hash (cell->source.keys, hash);
      *timed = true;
    } else
      hash = hash_expression (node, kg_input_get_expression (input, i), cell->source.text, hash, timed);
  }
  return hash;
}

static void
mark_input (KgNode *node, guint slot)
{
  KgInput *input = &node->inputs[slot];
  KgMark *mark = kg_node_mark_of (node, (int) slot);
  KgHash hash = kg_hash_begin (KG_HASH_INPUT, input->source.kind);
  KgMark sum = { .timed = false };

  switch (input->source.kind) {
  case KG_SOURCE_CONSTANT:
    hash = kg_hash_join (hash, kg_value_get_fingerprint (&input->source.constant));
    if (node->slots[slot].path && input->source.constant.kind == KG_TEXT)
      hash = kg_node_hash_file (node, input->source.constant.text, hash);
    break;
  case KG_SOURCE_KEYS:
    hash = kg_channel_hash (input->source.keys, hash);
    sum.timed = node->slots[slot].kind != KG_MOTION;
    break;
  case KG_SOURCE_EXPRESSION:
    hash = hash_expression (node, input->expression, input->source.text, hash, &sum.timed);
    break;
  case KG_SOURCE_TABLE:
    hash = hash_cells (node, input, hash, &sum.timed);
    break;
  case KG_SOURCE_LIST:
    for (guint i = 0; i < input->source.list.n; i++)
      if (input->source.list.items[i].kind == KG_SOURCE_CONSTANT)
        hash = kg_hash_join (hash, kg_value_get_fingerprint (&input->source.list.items[i].constant));
    break;
  case KG_SOURCE_DEFAULT:
    hash = hash_default (node, slot, hash, &sum);
    break;
  case KG_SOURCE_LINK:
  default:
    break;
  }
  for (guint i = 0; i < input->n_wires; i++)
    hash = hash_wire (hash, &input->wires[i], &sum);
  mark->ready = mark->ready && kg_hash_equal (mark->hash, hash);
  mark->hash = hash;
  mark->valid = true;
  mark->timed = sum.timed;
  mark->simulated = sum.simulated;
}

static void
mark_outputs (KgNode *node)
{
  KgHash hash = kg_hash_begin (KG_HASH_OUTPUTS, node->bypass);
  const bool simulates = node->type != NULL && node->type->advance != NULL;
  KgMark sum = { .timed = simulates || (node->type != NULL && node->type->time == KG_TIME_READS),
                 .simulated = simulates };
  KgNode *owner;
  guint slot;

  hash = kg_hash_join (hash, node->type_hash);
  if (node->type != NULL && node->type->reads_end)
    hash = hash_end (node, hash);
  if (node->inside != NULL) {
    for (guint i = 0; i < node->n_slots; i++)
      if (kg_node_get_role (node->interfaces[i]) == KG_ROLE_INTERFACE_OUTPUT) {
        hash = kg_hash_join (kg_hash_uint (hash, i), kg_node_mark_of (node->interfaces[i], -1)->hash);
        depend_on (&sum, kg_node_mark_of (node->interfaces[i], -1));
      }
  } else {
    for (guint i = 0; i < node->n_slots; i++)
      if (matters (&node->slots[i])) {
        const KgMark *mark = kg_node_mark_of (node, (int) i);

        if (!mark->valid)
          mark_input (node, i);
        hash = kg_hash_join (hash, mark->hash);
        depend_on (&sum, mark);
      }
    if (kg_node_get_role (node) == KG_ROLE_INTERFACE_INPUT && kg_node_get_outside (node, &owner, &slot)) {
      hash = kg_hash_join (hash, kg_node_mark_of (owner, (int) slot)->hash);
      depend_on (&sum, kg_node_mark_of (owner, (int) slot));
    }
  }
  if (node->type != NULL && node->type->time == KG_TIME_FREEZES)
    sum.timed = false;
  *kg_node_mark_of (node, -1) = (KgMark){ .hash = hash, .valid = true, .timed = sum.timed, .simulated = sum.simulated };
}

const KgMark *
kg_node_get_mark (KgNode *node, int slot)
{
  KgVertex v = { node, slot, false };
  KgVertexStack stack;

  if (kg_vertex_get_mark (&v)->valid)
    return kg_vertex_get_mark (&v);
  kg_vertex_stack_init (&stack);
  kg_vertex_stack_push (&stack, node, slot);
  while (stack.n > 0) {
    const guint top = stack.n;

    v = stack.items[top - 1];
    if (!v.expanded && !kg_vertex_get_mark (&v)->valid) {
      stack.items[top - 1].expanded = true;
      push_dependencies (&stack, &v);
      if (stack.n > top)
        continue;
    }
    if (!kg_vertex_get_mark (&v)->valid) {
      if (v.slot >= 0)
        mark_input (v.node, (guint) v.slot);
      else
        mark_outputs (v.node);
    }
    stack.n = top - 1;
  }
  kg_vertex_stack_clear (&stack);
  return kg_vertex_get_mark (&(KgVertex){ node, slot, false });
}

void
kg_graph_reload (KgGraph *graph, bool numbered)
{
  KgDocumentState *document = kg_graph_get_document (graph);

  if (numbered || document->n_reloads == 0)
    document->n_reloads++;
  kg_graph_invalidate (graph, true);
}

KgHash
kg_node_hash_settings (KgNode *node)
{
  g_autoptr (KgGraph) graph = kg_graph_snapshot (kg_graph_get_root (node->parent));
  g_autofree char *path = kg_node_dup_path (node);

  kg_graph_get_document (graph)->n_reloads = 0;
  kg_graph_invalidate (graph, true);
  return kg_node_get_fingerprint (kg_graph_find_path (graph, path));
}

bool
kg_node_depends_on_time (KgNode *node)
{
  return kg_node_get_mark (node, -1)->timed;
}

KgHash
kg_node_get_fingerprint (KgNode *node)
{
  return kg_node_get_mark (node, -1)->hash;
}

/* Cycles: the same vertices.  Adding wires to an input closes one when the input is upstream of a wire's end,
 * which is the same as that end being downstream of the input.  Both walks take turns and the first to finish
 * answers, because a graph is usually built from one end and the walk from there is short. */

enum { UPSTREAM, DOWNSTREAM };

typedef struct {
  KgVertex vertex;
  guint from; /* index of the step it was reached from; its own index for a first one */
} Step;

/* A queue that is not shortened.  Most walks are short and take no memory. */
typedef struct {
  guint n, capacity;
  Step *items;
  Step first[32];
} Steps;

typedef struct {
  Steps steps;
  guint next;
  int direction;
  guint64 stamp;
  KgVertex goal; /* the input that is to get new wires */
} Walk;

static void
walk_init (Walk *walk, int direction, guint64 stamp, KgVertex goal)
{
  walk->steps.n = walk->next = 0;
  walk->steps.capacity = G_N_ELEMENTS (walk->steps.first);
  walk->steps.items = walk->steps.first;
  walk->direction = direction;
  walk->stamp = stamp;
  walk->goal = goal;
}

static void
walk_clear (Walk *walk)
{
  if (walk->steps.items != walk->steps.first)
    g_free (walk->steps.items);
}

static void
add_step (Steps *steps, Step step)
{
  if (steps->n == steps->capacity) {
    Step *larger = g_new (Step, 2 * (gsize) steps->capacity);

    memcpy (larger, steps->items, steps->n * sizeof *larger);
    if (steps->items != steps->first)
      g_free (steps->items);
    steps->items = larger;
    steps->capacity *= 2;
  }
  steps->items[steps->n++] = step;
}

static void
visit (Walk *walk, KgNode *node, int slot, guint from)
{
  guint64 *visits = kg_node_visits_of (node, slot);

  if (visits[walk->direction] == walk->stamp)
    return;
  visits[walk->direction] = walk->stamp;
  add_step (&walk->steps, (Step){ { node, slot, false }, from });
}

static int
wire_vertex_slot (const KgWire *wire)
{
  return wire->reads_output ? -1 : (int) wire->slot;
}

static void
visit_upstream (Walk *walk, KgVertex v, guint at)
{
  if (v.slot < 0) {
    for (guint i = 0; i < v.node->n_slots; i++)
      if (v.node->inputs[i].n_wires > 0 || (v.node == walk->goal.node && (int) i == walk->goal.slot))
        visit (walk, v.node, (int) i, at);
    return;
  }
  for (guint i = 0; i < v.node->inputs[v.slot].n_wires; i++) {
    const KgWire *wire = &v.node->inputs[v.slot].wires[i];

    if (wire->node != NULL)
      visit (walk, wire->node, wire_vertex_slot (wire), at);
  }
}

static void
visit_downstream (Walk *walk, KgVertex v, guint at)
{
  if (v.slot >= 0)
    visit (walk, v.node, -1, at);
  for (guint i = 0; i < v.node->users.n; i++) {
    const KgUser *user = &v.node->users.items[i];

    if (v.slot < 0 ? user->reads_output : (int) user->slot == v.slot)
      visit (walk, user->node, (int) user->input, at);
  }
}

/* Takes one step; false at the end of the walk. */
static bool
walk_next (Walk *walk)
{
  KgVertex v;

  if (walk->next >= walk->steps.n)
    return false;
  v = walk->steps.items[walk->next].vertex;
  if (walk->direction == UPSTREAM)
    visit_upstream (walk, v, walk->next);
  else
    visit_downstream (walk, v, walk->next);
  walk->next++;
  return true;
}

static bool
reached (const Walk *walk, KgNode *node, int slot)
{
  return kg_node_visits_of (node, slot)[walk->direction] == walk->stamp;
}

/* From the goal back to the first step: that is the way the data flows, read from its end. */
static void
describe_cycle (const Walk *walk, KgNode *node, guint slot, GError **error)
{
  g_autoptr (GString) path = g_string_new (NULL);
  const Step *steps = walk->steps.items;
  guint at = walk->steps.n - 1, length = 0;

  while (steps[at].vertex.node != node || steps[at].vertex.slot != (int) slot)
    at--;
  g_string_printf (path, "%s.%s", node->name, node->slots[slot].name);
  while (steps[at].from != at) {
    const KgVertex *v;

    at = steps[at].from;
    v = &steps[at].vertex;
    if (v->slot >= 0 && length++ < 12)
      g_string_append_printf (path, " → %s.%s", v->node->name, v->node->slots[v->slot].name);
  }
  if (length > 12)
    g_string_append_printf (path, " → … (%u inputs in total)", length + 1);
  kg_set_error (error, KG_ERROR_CYCLE, "%s.%s would depend on itself: %s → %s.%s", node->name, node->slots[slot].name,
                path->str, node->name, node->slots[slot].name);
}

bool
kg_graph_check_cycle (KgNode *node, guint slot, const KgWire *wires, guint n, GError **error)
{
  const KgVertex goal = { node, (int) slot, false };
  bool closes = false;
  Walk up, down;

  walk_init (&up, UPSTREAM, ++kg_graph_get_document (node->parent)->visit, goal);
  walk_init (&down, DOWNSTREAM, up.stamp, goal);
  for (guint i = 0; i < n; i++)
    if (wires[i].node != NULL)
      visit (&up, wires[i].node, wire_vertex_slot (&wires[i]), up.steps.n);
  visit (&down, node, (int) slot, 0);
  while (!closes && walk_next (&up) && walk_next (&down)) {
    closes = reached (&up, node, (int) slot);
    for (guint i = 0; i < n && !closes; i++)
      closes = wires[i].node != NULL && reached (&down, wires[i].node, wire_vertex_slot (&wires[i]));
  }
  closes = closes || reached (&up, node, (int) slot);
  if (closes) {
    while (!reached (&up, node, (int) slot) && walk_next (&up))
      ;
    describe_cycle (&up, node, slot, error);
  }
  walk_clear (&up);
  walk_clear (&down);
  return !closes;
}
