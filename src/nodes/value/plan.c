/* value/plan: which actions in which order lead to a goal.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_program.h"
#include "kg-node.h"

#include <inttypes.h>

typedef struct {
  const char *actions;
  const char *goal;
  double dial1;
  double dial2;
  double dial3;
  double dial4;
  int64_t max_states;
  char *plan;
  KgTable *steps;
  double cost;
  int64_t length;
  bool found;
  int64_t states;
} Plan;

static double *
plan_get_start (const Plan *n, const AgentProgram *program)
{
  const guint first = agent_program_get_first_fact (program);
  double *inputs = g_new0 (double, agent_program_get_n_inputs (program) + 1);
  const double dials[] = { n->dial1, n->dial2, n->dial3, n->dial4 };

  for (guint k = 0; k < G_N_ELEMENTS (dials); k++)
    inputs[AGENT_DIALS + k] = dials[k];
  /* In the order of lines, so that one may be given by those before it. */
  for (guint f = 0; f < program->facts->len; f++)
    inputs[first + f] = agent_program_call (program, g_array_index (program->facts, AgentFact, f).start, 0, inputs);
  return inputs;
}

static bool
plan_write (Plan *n, const AgentProgram *program, const AgentPlan *plan, GError **error)
{
  static const char *const names[] = { "action", "cost", NULL };
  g_autoptr (GString) text = g_string_new (NULL);
  double *cells;

  n->steps = kg_table_new (2, names, plan->n, error);
  if (n->steps == NULL)
    return false;
  cells = kg_table_edit (n->steps);
  for (guint i = 0; i < plan->n; i++) {
    const AgentAction *action = &g_array_index (program->actions, AgentAction, plan->actions[i]);

    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", action->name);
    cells[2 * i] = plan->actions[i];
    cells[2 * i + 1] = plan->costs[i];
  }
  n->plan = g_strdup (text->str);
  return true;
}

static bool
plan_evaluate (Plan *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (AgentProgram) program = agent_program_new (n->actions, "", NULL, error);
  g_autofree double *inputs = NULL;
  g_autofree AgentPlan *plan = g_new0 (AgentPlan, 1);
  int goal;

  if (program == NULL)
    return false;
  goal = agent_program_add_expression (program, n->goal, error);
  if (goal < 0) {
    kg_prefix_error (error, "goal: ");
    return false;
  }
  inputs = plan_get_start (n, program);
  if (!agent_program_plan (program, goal, inputs, (size_t) n->max_states, plan, &monitor))
    return false;
  n->found = plan->found;
  n->cost = plan->cost;
  n->length = plan->n;
  n->states = (int64_t) plan->n_states;
  if (plan->costless >= 0)
    kg_context_warn (
        ctx, "the action %s costs %g, which counts as 0 and cannot show which plan is better: give it a cost above 0",
        g_array_index (program->actions, AgentAction, plan->costless).name, plan->costless_cost);
  if (plan->limited)
    kg_context_warn (ctx, "no plan after %" PRId64 " states: simplify the actions or raise the limit", n->max_states);
  else if (!plan->found)
    kg_context_warn (ctx, "no sequence of these actions leads to the goal: check what they need and make");
  return plan_write (n, program, plan, error);
}

static const KgSlot plan_slots[] = {
  KG_INPUT (
      Plan, actions, TEXT, .label = N_ ("Actions"), .multiline = true,
      .def_text = "trait place = 0\ntrait key = 0\ntrait open = 0\n"
                  "action to_table needs place == 0 makes place = 1 do wait\n"
                  "action to_door needs place == 1 makes place = 2 do wait\n"
                  "action pick needs place == 1 makes key = 1 do wait\n"
                  "action unlock needs place == 2 and key makes open = 1 do wait\n"
                  "action leave needs place == 2 and open makes place = 3 do wait\n",
      .manual = "agents",
      .help = N_ (
          "The initial state and the possible actions, one statement per line. For example, \"trait key = 0\" and \"action pick makes key = 1 cost 2 do wait\". The program of Agents has the same statements.")),
  KG_INPUT (Plan, goal, TEXT, .label = N_ ("Goal"), .def_text = "place == 3",
            .help = N_ ("An expression of the facts that the plan makes true.")),
  KG_INPUT (Plan, dial1, NUMBER, .label = N_ ("Dial 1"), .soft_max = 1,
            .help = N_ ("Expressions of the actions read it as dial1.")),
  KG_INPUT (Plan, dial2, NUMBER, .label = N_ ("Dial 2"), .soft_max = 1,
            .help = N_ ("Expressions of the actions read it as dial2.")),
  KG_INPUT (Plan, dial3, NUMBER, .label = N_ ("Dial 3"), .soft_max = 1,
            .help = N_ ("Expressions of the actions read it as dial3.")),
  KG_INPUT (Plan, dial4, NUMBER, .label = N_ ("Dial 4"), .soft_max = 1,
            .help = N_ ("Expressions of the actions read it as dial4.")),
  KG_INPUT (Plan, max_states, INTEGER, .label = N_ ("Limit"), .def = 10000, .min = 1, .max = 1000000, .soft_max = 10000,
            .help = N_ ("Number of states of the world that the search visits at most.")),
  KG_OUTPUT (Plan, plan, TEXT, .label = N_ ("Plan"), .help = N_ ("Names of the actions in order, one per line.")),
  KG_OUTPUT (
      Plan, steps, TABLE, .label = N_ ("Steps"),
      .help = N_ ("A row for each action of the plan: its index among the actions, and the cost up to its end.")),
  KG_OUTPUT (Plan, cost, NUMBER, .label = N_ ("Cost"), .help = N_ ("Sum of the costs of all actions of the plan.")),
  KG_OUTPUT (Plan, length, INTEGER, .label = N_ ("Length"), .help = N_ ("Number of actions of the plan.")),
  KG_OUTPUT (Plan, found, BOOLEAN, .label = N_ ("Found"), .help = N_ ("Whether there is a plan.")),
  KG_OUTPUT (Plan, states, INTEGER, .label = N_ ("States"),
             .help = N_ ("Number of states of the world that the search visited.")),
};

KG_NODE (
    value, plan, Plan, .label = N_ ("Plan"), .version = 1, .since = "0.1",
    .tags = N_ ("planning action goal strips search artificial intelligence goap sequence"),
    .source = "Fikes and Nilsson 1971; Parent, Computer Animation, 4.6",
    .help = N_ (
        "Finds the cheapest sequence of actions that leads from an initial state to a goal. Each action declares what "
        "it needs, what it makes true and what it costs. Of equally cheap plans the shorter one is taken, then the "
        "one whose actions come first in the list."));
