/* agent_plan: see agent_program.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_program.h"
#include "kg-hash.h"

#include <string.h>

/* A way to a state of the facts: values[index * n_facts]. */
typedef struct {
  double cost;
  guint depth, parent;
  int action; /* that led to it */
  bool closed;
} Node;

/* What waits to be looked at; the least first. */
typedef struct {
  double cost;
  guint depth, node;
} Waiting;

typedef struct {
  const AgentProgram *program;
  guint facts[AGENT_MAX_FACTS], n_facts; /* that actions change */
  double *inputs;
  GArray *nodes, *values, *heap, *slots; /* slots: hash table of nodes + 1, open addressing */
} Search;

static bool
is_before (const Waiting *a, const Waiting *b)
{
  if (a->cost != b->cost)
    return a->cost < b->cost;
  if (a->depth != b->depth)
    return a->depth < b->depth;
  return a->node < b->node;
}

static void
push (GArray *heap, Waiting item)
{
  guint i = heap->len;

  g_array_append_val (heap, item);
  while (i > 0 && is_before (&item, &g_array_index (heap, Waiting, (i - 1) / 2))) {
    g_array_index (heap, Waiting, i) = g_array_index (heap, Waiting, (i - 1) / 2);
    i = (i - 1) / 2;
  }
  g_array_index (heap, Waiting, i) = item;
}

static Waiting
pop (GArray *heap)
{
  const Waiting top = g_array_index (heap, Waiting, 0), last = g_array_index (heap, Waiting, heap->len - 1);
  guint i = 0, child;

  g_array_set_size (heap, heap->len - 1);
  for (; (child = 2 * i + 1) < heap->len; i = child) {
    if (child + 1 < heap->len &&
        is_before (&g_array_index (heap, Waiting, child + 1), &g_array_index (heap, Waiting, child)))
      child++;
    if (!is_before (&g_array_index (heap, Waiting, child), &last))
      break;
    g_array_index (heap, Waiting, i) = g_array_index (heap, Waiting, child);
  }
  if (heap->len > 0)
    g_array_index (heap, Waiting, i) = last;
  return top;
}

static guint
find_slot (const Search *s, const double *values)
{
  const KgHash hash = kg_hash_doubles ((KgHash){ 0, 0 }, values, s->n_facts);
  guint slot = (guint) kg_hash_mix (hash.a ^ hash.b) & (s->slots->len - 1);

  for (;; slot = (slot + 1) & (s->slots->len - 1)) {
    const guint node = g_array_index (s->slots, guint, slot);

    if (node == 0 || memcmp (&g_array_index (s->values, double, (size_t) (node - 1) * s->n_facts), values,
                             s->n_facts * sizeof *values) == 0)
      return slot;
  }
}

/* Enters a state, or a cheaper way to one; false when there are too many. */
static bool
enter (Search *s, const double *values, Node node, size_t max_states)
{
  const guint slot = find_slot (s, values);
  guint index = g_array_index (s->slots, guint, slot);
  Waiting waiting = { node.cost, node.depth, 0 };

  if (index > 0) {
    Node *old = &g_array_index (s->nodes, Node, index - 1);

    if (old->closed || old->cost < node.cost || (old->cost == node.cost && old->depth <= node.depth))
      return true;
    *old = node;
  } else {
    if (s->nodes->len >= max_states)
      return false;
    g_array_append_val (s->nodes, node);
    g_array_append_vals (s->values, values, s->n_facts);
    index = g_array_index (s->slots, guint, slot) = s->nodes->len;
  }
  waiting.node = index - 1;
  push (s->heap, waiting);
  return true;
}

static void
load (Search *s, guint node)
{
  const guint first = agent_program_get_first_fact (s->program);

  for (guint f = 0; f < s->n_facts; f++)
    s->inputs[first + s->facts[f]] = g_array_index (s->values, double, (size_t) node * s->n_facts + f);
}

static bool
expand (Search *s, guint node, size_t max_states, AgentPlan *plan)
{
  const AgentProgram *program = s->program;
  const Node from = g_array_index (s->nodes, Node, node);

  for (guint a = 0; a < program->actions->len; a++) {
    const AgentAction *action = &g_array_index (program->actions, AgentAction, a);
    double values[AGENT_MAX_FACTS], cost;
    Node next = { from.cost, from.depth + 1, node, (int) a, false };

    if (agent_program_call (program, action->needs, 1, s->inputs) == 0)
      continue;
    memcpy (values, &g_array_index (s->values, double, (size_t) node * s->n_facts), s->n_facts * sizeof *values);
    cost = agent_program_call (program, action->cost, 1, s->inputs);
    if (!(cost > 0) && plan->costless < 0) {
      plan->costless = (int) a;
      plan->costless_cost = cost;
    }
    next.cost += fmax (cost, 0);
    for (guint k = 0; k < action->n; k++) {
      const AgentAssignment *effect = &g_array_index (program->assignments, AgentAssignment, action->first + k);

      for (guint f = 0; f < s->n_facts; f++)
        if (s->facts[f] == (guint) effect->fact)
          /* Not -0, which would be another state. */
          values[f] = agent_program_call (program, effect->value, 0, s->inputs) + 0.0;
    }
    if (!enter (s, values, next, max_states))
      return false;
  }
  return true;
}

static void
write_plan (const Search *s, guint node, AgentPlan *plan)
{
  const Node *end = &g_array_index (s->nodes, Node, node);

  plan->found = true;
  plan->cost = end->cost;
  plan->n = MIN (end->depth, G_N_ELEMENTS (plan->actions));
  for (; end->depth > 0; end = &g_array_index (s->nodes, Node, end->parent))
    if (end->depth <= plan->n) {
      plan->actions[end->depth - 1] = end->action;
      plan->costs[end->depth - 1] = end->cost;
    }
}

static void
list_facts (Search *s)
{
  const AgentProgram *program = s->program;
  guint64 changed = 0;

  for (guint a = 0; a < program->actions->len; a++) {
    const AgentAction *action = &g_array_index (program->actions, AgentAction, a);

    for (guint k = 0; k < action->n; k++)
      changed |= (guint64) 1 << g_array_index (program->assignments, AgentAssignment, action->first + k).fact;
  }
  for (guint f = 0; f < program->facts->len; f++)
    if (changed >> f & 1)
      s->facts[s->n_facts++] = f;
}

bool
agent_program_plan (const AgentProgram *program, int goal, const double *inputs, size_t max_states, AgentPlan *plan,
                    const KgProgressMonitor *monitor)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) heap = g_array_new (FALSE, FALSE, sizeof (Waiting));
  g_autoptr (GArray) slots = g_array_new (FALSE, TRUE, sizeof (guint));
  g_autofree double *now = g_memdup2 (inputs, agent_program_get_n_inputs (program) * sizeof *inputs);
  Search s = { .program = program, .inputs = now, .nodes = nodes, .values = values, .heap = heap, .slots = slots };
  double start[AGENT_MAX_FACTS];
  guint size = 16;

  memset (plan, 0, sizeof *plan);
  plan->costless = -1;
  list_facts (&s);
  while (size < 2 * max_states)
    size *= 2;
  g_array_set_size (slots, size);
  for (guint f = 0; f < s.n_facts; f++)
    start[f] = inputs[agent_program_get_first_fact (program) + s.facts[f]] + 0.0;
  enter (&s, start, (Node){ .action = -1 }, MAX (max_states, 1));
  for (guint count = 0; heap->len > 0; count++) {
    const Waiting next = pop (heap);
    Node *node = &g_array_index (nodes, Node, next.node);

    if (count % 256 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    if (node->closed || node->cost < next.cost)
      continue;
    node->closed = true;
    load (&s, next.node);
    if (agent_program_call (program, goal, 0, now) != 0) {
      write_plan (&s, next.node, plan);
      break;
    }
    if (!expand (&s, next.node, max_states, plan)) {
      plan->limited = true;
      break;
    }
  }
  plan->n_states = nodes->len;
  return true;
}
