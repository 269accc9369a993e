/* agent_mind: urges, rules, states, the choice among behaviours, and plans.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_step.h"
#include "kg-random.h"

#include <string.h>

/* Purposes of random numbers. */
enum { DRAW_TRANSITION = 40 };

/* Relaxation of inhibited values. */
#define INHIBIT_PASSES 200
#define INHIBIT_SHARE 0.5

static double *
fact_column (const AgentStep *s, int fact)
{
  return agent_column (s, agent_program_get_first_fact (s->program) + (guint) fact);
}

/* Urges grow, emotions fade, orders set. */
void
agent_step_feel (AgentStep *s, size_t start, size_t n)
{
  const AgentProgram *program = s->program;
  const double dt = s->world->dt;
  g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (program));
  double change[AGENT_BLOCK];

  agent_get_inputs (s, start, inputs);
  for (guint f = 0; f < program->facts->len; f++) {
    const AgentFact *fact = &g_array_index (program->facts, AgentFact, f);
    double *x = fact_column (s, (int) f) + start;

    if (fact->kind == FACT_URGE) {
      agent_program_run_raw (program, fact->change, 0, inputs, n, change);
      for (size_t i = 0; i < n; i++)
        x[i] = kg_clamp (x[i] + agent_get_number (s, fact->change, start + i, change[i]) * dt, 0, 1);
    } else if (fact->kind == FACT_EMOTION) {
      agent_program_run_raw (program, fact->change, 1, inputs, n, change);
      for (size_t i = 0; i < n; i++) {
        const double seconds = agent_get_number (s, fact->change, start + i, change[i]);

        x[i] = seconds > 0 ? x[i] * exp (-dt / seconds) : 0;
      }
    }
  }
  for (guint o = 0; o < program->orders->len; o++) {
    const AgentOrder *order = &g_array_index (program->orders, AgentOrder, o);

    /* In the step that ends at its frame. */
    if (order->fact < 0 || fabs (s->world->frame - order->frame) > 0.5)
      continue;
    agent_program_run_raw (program, order->value, 0, inputs, n, change);
    for (size_t i = 0; i < n; i++)
      if (order->agent < 0 || order->agent == (int64_t) (start + i))
        fact_column (s, order->fact)[start + i] = agent_get_number (s, order->value, start + i, change[i]);
  }
}

/* Rules that read a fact. */
static guint64
find_readers (const AgentProgram *program, int fact)
{
  guint64 readers = 0;

  for (guint r = 0; r < program->rules->len; r++) {
    const int condition = g_array_index (program->rules, AgentRule, r).condition;

    if (g_array_index (program->expressions, AgentExpression, condition).reads >> fact & 1)
      readers |= (guint64) 1 << r;
  }
  return readers;
}

/* Where agents fire one rule in a step: the rules that an agent has fired while they hold, and those of them that read a fact
 * which a rule has changed since. */
typedef struct {
  guint64 spent, renewed;
} Turns;

static Turns
get_turns (const AgentStep *s, size_t i)
{
  const int32_t *words = s->turns + 4 * i;

  return (Turns){ (guint32) words[0] | (guint64) (guint32) words[1] << 32,
                  (guint32) words[2] | (guint64) (guint32) words[3] << 32 };
}

static void
set_turns (const AgentStep *s, size_t i, Turns turns)
{
  const int32_t words[] = { (int32_t) (guint32) turns.spent, (int32_t) (guint32) (turns.spent >> 32),
                            (int32_t) (guint32) turns.renewed, (int32_t) (guint32) (turns.renewed >> 32) };

  memcpy (s->turns + 4 * i, words, sizeof words);
}

/* The first rule that holds and has not had its turn.  Those on new facts wait until all others have had theirs. */
static int
take_turn (Turns *turns, guint64 hold)
{
  guint64 left;

  turns->spent &= hold;
  turns->renewed &= turns->spent;
  if ((hold & ~turns->spent) == 0) {
    turns->spent &= ~turns->renewed;
    turns->renewed = 0;
  }
  left = hold & ~turns->spent;
  return left != 0 ? __builtin_ctzll (left) : -1;
}

/* Forward chaining: each agent fires one rule in a round, until none is left whose condition holds and which has not fired
 * on the same facts; or one in a step, each in its turn. */
static void
apply_rules (AgentStep *s, size_t start, size_t n, const double *const *inputs)
{
  const AgentProgram *program = s->program;
  const guint n_rules = program->rules->len;
  g_autofree double *conditions = g_new (double, (size_t) n_rules *AGENT_BLOCK + 1);
  guint64 fresh[AGENT_BLOCK], readers[AGENT_MAX_FACTS], stale = G_MAXUINT64;
  guint fired[AGENT_BLOCK] = { 0 };
  Turns turns[AGENT_BLOCK] = { { 0, 0 } };
  int chosen[AGENT_BLOCK];
  double value[8][AGENT_BLOCK];

  for (guint f = 0; f < program->facts->len; f++)
    readers[f] = find_readers (program, (int) f);
  for (size_t i = 0; i < n; i++) {
    fresh[i] = G_MAXUINT64;
    if (s->turns != NULL)
      turns[i] = get_turns (s, start + i);
  }
  for (bool more = n_rules > 0; more;) {
    guint64 rules = 0, changed = 0;

    for (guint r = 0; r < n_rules; r++)
      if (stale >> r & 1)
        agent_program_run (program, g_array_index (program->rules, AgentRule, r).condition, 0, inputs, n,
                           conditions + (size_t) r * AGENT_BLOCK);
    for (size_t i = 0; i < n; i++) {
      guint64 hold = 0;

      chosen[i] = -1;
      if (s->gone[start + i] != 0)
        continue;
      for (guint r = 0; r < n_rules; r++)
        hold |= (guint64) (conditions[(size_t) r * AGENT_BLOCK + i] != 0) << r;
      if (s->turns != NULL)
        chosen[i] = take_turn (&turns[i], hold);
      else if ((hold & fresh[i]) != 0)
        chosen[i] = __builtin_ctzll (hold & fresh[i]);
      if (chosen[i] >= 0)
        rules |= (guint64) 1 << chosen[i];
    }
    for (guint r = 0; r < n_rules; r++) {
      const AgentRule *rule = &g_array_index (program->rules, AgentRule, r);

      if ((rules >> r & 1) == 0)
        continue;
      for (guint first = 0; first < rule->n; first += G_N_ELEMENTS (value)) {
        const guint count = MIN (rule->n - first, (guint) G_N_ELEMENTS (value));
        const AgentAssignment *assignments =
            &g_array_index (program->assignments, AgentAssignment, rule->first + first);

        for (guint k = 0; k < count; k++)
          agent_program_run_raw (program, assignments[k].value, 0, inputs, n, value[k]);
        for (guint k = 0; k < count; k++) {
          double *x = fact_column (s, assignments[k].fact) + start;

          for (size_t i = 0; i < n; i++)
            if (chosen[i] == (int) r) {
              value[k][i] = agent_get_number (s, assignments[k].value, start + i, value[k][i]);
              if (first == 0 && k == 0) {
                fresh[i] &= ~((guint64) 1 << r);
                turns[i].spent |= (guint64) 1 << r;
                turns[i].renewed &= ~((guint64) 1 << r);
              }
              if (x[i] != value[k][i]) {
                x[i] = value[k][i];
                fresh[i] |= readers[assignments[k].fact];
                turns[i].renewed |= readers[assignments[k].fact];
                changed |= readers[assignments[k].fact];
              }
            }
        }
      }
      for (size_t i = 0; i < n; i++)
        if (chosen[i] == (int) r) {
          if (fired[i] < AGENT_MAX_PLAN)
            s->fired[AGENT_MAX_PLAN * (start + i) + fired[i]] = (int32_t) rule->line;
          fired[i]++;
          if (fired[i] > s->world->settings.max_rules) {
#pragma omp critical(agent_rules)
            if (s->failed_rule == 0 || start < s->failed_block) {
              s->failed_rule = rule->line;
              s->failed_block = start;
            }
            return;
          }
        }
    }
    stale = changed;
    more = rules != 0 && s->turns == NULL && !kg_progress_is_cancelled (s->monitor);
  }
  for (size_t i = 0; s->turns != NULL && i < n; i++)
    set_turns (s, start + i, turns[i]);
}

/* Whether what a state does is what an agent does in its own. */
static bool
does (const AgentStep *s, size_t i, int state)
{
  const int32_t now = s->state_of[i];

  return now >= 0 && now < (int32_t) s->program->states->len &&
         g_array_index (s->program->states, AgentStateItem, now).doer == state;
}

/* Seconds that an agent has been in a state, in which it is. */
static double
get_since (const AgentStep *s, size_t agent, guint state)
{
  const guint level = g_array_index (s->program->states, AgentStateItem, state).level;

  return (double) (s->state_of[agent] == (int32_t) state || s->since_outer == NULL
                       ? s->since[agent]
                       : s->since_outer[AGENT_MAX_LEVELS * agent + level]);
}

/* What entering a state sets. */
static void
set_on_entry (AgentStep *s, size_t agent, const AgentStateItem *state)
{
  g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (s->program));

  agent_get_inputs (s, agent, inputs);
  for (guint k = 0; k < state->n_set; k++) {
    const AgentAssignment *set = &g_array_index (s->program->assignments, AgentAssignment, state->first_set + k);
    double value;

    agent_program_run_raw (s->program, set->value, 0, (const double *const *) inputs, 1, &value);
    fact_column (s, set->fact)[agent] = agent_get_number (s, set->value, agent, value);
  }
}

/* A state that is left and entered again begins anew, and so does all that it lies in but for those that both lie in. */
static void
enter_state (AgentStep *s, size_t agent, guint to)
{
  const AgentStateItem *states = &g_array_index (s->program->states, AgentStateItem, 0),
                       *next = &states[states[to].entry];

  for (guint level = 0; level <= next->level; level++)
    if (level >= states[to].level || !agent_is_in (s, agent, next->path[level]))
      set_on_entry (s, agent, &states[next->path[level]]);
  for (guint level = 0; s->since_outer != NULL && level < AGENT_MAX_LEVELS; level++)
    if (level >= states[to].level || !agent_is_in (s, agent, next->path[level]))
      s->since_outer[AGENT_MAX_LEVELS * agent + level] = 0;
  s->state_of[agent] = (int32_t) states[to].entry;
  s->since[agent] = 0;
}

/* One transition a step: of the outermost state that has one, the first. */
static void
change_states (AgentStep *s, size_t start, size_t n, const double *const *inputs)
{
  const AgentProgram *program = s->program;
  const guint n_states = program->states->len;
  int32_t to[AGENT_BLOCK];
  double when[AGENT_BLOCK], after[AGENT_BLOCK], weight[AGENT_BLOCK];

  for (size_t i = 0; i < n; i++)
    to[i] = -1;
  for (guint q = 0; q < AGENT_MAX_LEVELS * n_states; q++) {
    const guint k = q % n_states;
    const AgentStateItem *state = &g_array_index (program->states, AgentStateItem, k);

    for (guint t = state->first; state->level == q / n_states && t < state->first + state->n; t++) {
      const AgentTransition *transition = &g_array_index (program->transitions, AgentTransition, t);

      agent_program_run (program, transition->when, 1, inputs, n, when);
      agent_program_run (program, transition->after, 0, inputs, n, after);
      agent_program_run (program, transition->weight, -1, inputs, n, weight);
      for (size_t i = 0; i < n; i++) {
        const size_t agent = start + i;

        if (to[i] >= 0 || when[i] == 0 || !agent_is_in (s, agent, k) || get_since (s, agent, k) + 1e-5 < after[i])
          continue;
        /* Weights are rates: how often a second. */
        if (transition->weight < 0 ||
            kg_random_uniform (s->world->settings.seed, agent, (s->step << 8) + DRAW_TRANSITION + t) <
                1 - exp (-fmax (weight[i], 0) * s->world->dt))
          to[i] = (int32_t) transition->to;
      }
    }
  }
  for (size_t i = 0; i < n; i++)
    if (to[i] >= 0 && s->gone[start + i] == 0)
      enter_state (s, start + i, (guint) to[i]);
}

void
agent_step_reason (AgentStep *s, size_t start, size_t n)
{
  g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (s->program));

  agent_get_inputs (s, start, inputs);
  for (size_t i = start; i < start + n; i++) {
    for (guint k = 0; k < AGENT_MAX_PLAN; k++)
      s->fired[AGENT_MAX_PLAN * i + k] = 0;
    s->since[i] += (float) s->world->dt;
    for (guint k = 0; s->since_outer != NULL && k < AGENT_MAX_LEVELS; k++)
      s->since_outer[AGENT_MAX_LEVELS * i + k] += (float) s->world->dt;
  }
  apply_rules (s, start, n, (const double *const *) inputs);
  change_states (s, start, n, (const double *const *) inputs);
  for (guint q = 0; q < s->program->questions->len; q++) {
    const AgentQuestion *question = &g_array_index (s->program->questions, AgentQuestion, q);

    for (size_t i = start; question->ask == ASK_IN && i < start + n; i++)
      agent_column (s, AGENT_N_FIXED + q)[i] = agent_is_in (s, i, question->subject);
  }
}

void
agent_inhibit (const double *a, const double *gains, guint n, double *v)
{
  double next[AGENT_MAX_ITEMS];

  for (guint pass = 0; pass < INHIBIT_PASSES; pass++) {
    double change = 0;

    for (guint i = 0; i < n; i++) {
      double x = a[i];

      for (guint j = 0; j < n; j++)
        x -= gains[i * n + j] * v[j];
      next[i] = v[i] + INHIBIT_SHARE * (fmax (x, 0) - v[i]);
      change = fmax (change, fabs (next[i] - v[i]));
    }
    memcpy (v, next, n * sizeof *v);
    if (change < 1e-12)
      break;
  }
}

static double
get_value (const AgentStep *s, guint behaviour, size_t i)
{
  return s->values[(size_t) behaviour * s->n + i];
}

/* An order to be a behaviour, for an agent in this frame. */
static bool
is_ordered (const AgentStep *s, guint behaviour, size_t i)
{
  const GArray *orders = s->program->orders;

  for (guint o = 0; o < orders->len; o++) {
    const AgentOrder *order = &g_array_index (orders, AgentOrder, o);

    if (order->behaviour == (int) behaviour && (order->agent < 0 || order->agent == (int64_t) i) &&
        s->world->frame >= order->frame - 1e-6 && s->world->frame < order->until - 1e-6)
      return true;
  }
  return false;
}

/* The winner of each set: the highest class, then the highest value, with a bonus for the one that is active now. */
static void
arbitrate (const AgentStep *s, size_t i, guint64 excluded, const int32_t was[AGENT_MAX_SETS],
           int32_t winners[AGENT_MAX_SETS])
{
  const GArray *behaviours = s->program->behaviours;
  double best_value[AGENT_MAX_SETS];
  int best_class[AGENT_MAX_SETS];

  for (guint k = 0; k < AGENT_MAX_SETS; k++) {
    winners[k] = -1;
    best_value[k] = 0;
    best_class[k] = -1;
  }
  for (guint b = 0; b < behaviours->len; b++) {
    const AgentBehaviour *behaviour = &g_array_index (behaviours, AgentBehaviour, b);
    const guint set = behaviour->set;
    double value = get_value (s, b, i);
    int klass = (int) behaviour->klass;

    if (s->program->orders->len > 0 && is_ordered (s, b, i)) {
      klass = CLASS_ORDER;
      value = fmax (value, 1);
    }
    if (klass == CLASS_SUGGESTION || !(value > 0) || (excluded >> b & 1) != 0)
      continue;
    if (was[set] == (int32_t) b)
      value += s->world->settings.hysteresis;
    if (klass > best_class[set] || (klass == best_class[set] && value > best_value[set])) {
      best_class[set] = klass;
      best_value[set] = value;
      winners[set] = (int32_t) b;
    }
  }
}

static void
inhibit_all (AgentStep *s, size_t start, size_t n, const double *const *inputs)
{
  const GArray *behaviours = s->program->behaviours;
  const guint count = behaviours->len;
  g_autofree double *gains = g_new0 (double, (size_t) count *count *AGENT_BLOCK + 1);
  g_autofree double *one = g_new (double, (size_t) count *count + 1);
  double a[AGENT_MAX_ITEMS], v[AGENT_MAX_ITEMS];
  bool any = false;

  for (guint j = 0; j < count; j++)
    for (guint i = 0; i < count; i++) {
      const int gain = g_array_index (behaviours, AgentBehaviour, j).inhibits[i];

      if (gain < 0)
        continue;
      any = true;
      agent_program_run (s->program, gain, 0, inputs, n, gains + ((size_t) i * count + j) * AGENT_BLOCK);
    }
  for (size_t k = 0; any && k < n; k++) {
    for (guint b = 0; b < count; b++) {
      a[b] = fmax (get_value (s, b, start + k), 0);
      v[b] = (double) s->wants[b][start + k];
      for (guint j = 0; j < count; j++)
        one[b * count + j] = kg_clamp (gains[((size_t) b * count + j) * AGENT_BLOCK + k], 0, 1e6);
    }
    agent_inhibit (a, one, count, v);
    for (guint b = 0; b < count; b++)
      if (s->values[(size_t) b * s->n + start + k] > 0)
        s->values[(size_t) b * s->n + start + k] = v[b];
  }
}

void
agent_step_choose (AgentStep *s, size_t start, size_t n)
{
  const AgentProgram *program = s->program;
  g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (program));
  double when[AGENT_BLOCK], value[AGENT_BLOCK], speed[AGENT_BLOCK];

  agent_get_inputs (s, start, inputs);
  for (size_t i = start; i < start + n; i++)
    s->factor[i] = 1;
  for (guint b = 0; b < program->behaviours->len; b++) {
    const AgentBehaviour *behaviour = &g_array_index (program->behaviours, AgentBehaviour, b);
    const bool now = s->world->frame >= behaviour->from - 1e-6 && s->world->frame < behaviour->until - 1e-6;

    agent_program_run (program, behaviour->when, 1, (const double *const *) inputs, n, when);
    /* What a state does gives way to what is wanted more. */
    agent_program_run_raw (program, behaviour->value, behaviour->state >= 0 ? 0.5 : 1, (const double *const *) inputs,
                           n, value);
    if (behaviour->klass == CLASS_SUGGESTION)
      agent_program_run_raw (program, behaviour->speed, 1, (const double *const *) inputs, n, speed);
    for (size_t j = 0; j < n; j++) {
      const size_t i = start + j;
      const bool active = now && when[j] != 0 && s->gone[i] == 0 &&
                          (behaviour->agent < 0 || behaviour->agent == (int64_t) i) &&
                          (behaviour->state < 0 || does (s, i, behaviour->state));

      s->values[(size_t) b * s->n + i] = active ? agent_get_number (s, behaviour->value, i, value[j]) : -1;
      if (active && behaviour->klass == CLASS_SUGGESTION && s->values[(size_t) b * s->n + i] > 0)
        s->factor[i] *= agent_get_speed (s, behaviour->speed, i, speed[j]);
    }
  }
  inhibit_all (s, start, n, (const double *const *) inputs);
  for (size_t i = start; i < start + n; i++) {
    int32_t was[AGENT_MAX_SETS];

    memcpy (was, s->behaviours + AGENT_MAX_SETS * i, sizeof was);
    arbitrate (s, i, 0, was, s->behaviours + AGENT_MAX_SETS * i);
    for (guint b = 0; b < program->behaviours->len; b++)
      s->wants[b][i] = (float) fmax (get_value (s, b, i), 0);
  }
}

/* Plans.  plan_at: the behaviour it is for (-2: an order, -1: none), its length, the action that is carried out. */

static void
drop_plan (AgentStep *s, size_t i)
{
  s->plan_at[4 * i] = -1;
  s->plan_at[4 * i + 1] = s->plan_at[4 * i + 2] = 0;
}

/* There is a new one after a while. */
static void
fail_plan (AgentStep *s, size_t i, const double *row)
{
  drop_plan (s, i);
  s->plan_since[i] = -(float) fmax (0, agent_program_call (s->program, s->program->replan, 0, row));
}

static const AgentAction *
get_action (const AgentStep *s, size_t i)
{
  const int32_t *at = s->plan_at + 4 * i;
  int32_t action;

  if (at[0] == -1 || at[2] < 0 || at[2] >= MIN (at[1], AGENT_MAX_PLAN))
    return NULL;
  action = s->plan[AGENT_MAX_PLAN * i + (size_t) at[2]];
  return action >= 0 && action < (int32_t) s->program->actions->len
             ? &g_array_index (s->program->actions, AgentAction, action)
             : NULL;
}

/* The same question has the same answer: agents that know the same make the same plan. */
static const AgentPlan *
find_plan (AgentStep *s, GHashTable *plans, int goal, const double *row)
{
  const AgentProgram *program = s->program;
  const guint n = agent_program_get_n_inputs (program);
  g_autofree double *asked = g_new0 (double, n + 1);
  g_autoptr (GBytes) key = NULL;
  AgentPlan *plan;

  /* Only what an expression reads. */
  for (guint k = 0; k < n; k++)
    for (guint e = 0; e < program->expressions->len && asked[k] == 0; e++)
      if (!kg_program_ignores_input (g_array_index (program->expressions, AgentExpression, e).program, k))
        asked[k] = row[k];
  asked[n] = goal;
  key = g_bytes_new (asked, (n + 1) * sizeof *asked);
  plan = (AgentPlan *) g_hash_table_lookup (plans, key);
  if (plan != NULL)
    return plan;
  plan = g_new (AgentPlan, 1);
  g_hash_table_insert (plans, g_bytes_ref (key), plan);
  return agent_program_plan (program, goal, row, s->world->settings.max_states, plan, s->monitor) ? plan : NULL;
}

/* Makes or keeps a plan for one set; false: there is none. */
static bool
plan_for (AgentStep *s, GHashTable *plans, size_t i, int32_t b, double *row, bool *cancelled)
{
  const AgentBehaviour *behaviour = &g_array_index (s->program->behaviours, AgentBehaviour, b);
  const AgentAction *action = s->plan_at[4 * i] == b ? get_action (s, i) : NULL;
  const AgentPlan *plan;

  agent_get_row (s, i, row);
  if (agent_program_call (s->program, behaviour->act.goal, 0, row) != 0) {
    drop_plan (s, i);
    return true;
  }
  if (action != NULL && agent_program_call (s->program, action->needs, 1, row) != 0)
    return true;
  plan = find_plan (s, plans, behaviour->act.goal, row);
  if (plan == NULL) {
    *cancelled = true;
    return false;
  }
  if (plan->costless >= 0)
    agent_step_note (s, (AgentFault){ FAULT_COST, plan->costless, i, plan->costless_cost });
  if (!plan->found || plan->n == 0) {
    drop_plan (s, i);
    if (*s->warning == NULL)
      *s->warning =
          plan->limited
              ? kg_error_new (KG_ERROR_LIMIT,
                              "agent %zu has no plan for %s after %u states: simplify the actions or raise the limit",
                              i, behaviour->name, s->world->settings.max_states)
              : kg_error_new (KG_ERROR_DEGENERATE,
                              "agent %zu has no plan for %s: no sequence of actions leads to its goal", i,
                              behaviour->name);
    return false;
  }
  for (guint k = 0; k < AGENT_MAX_PLAN; k++)
    s->plan[AGENT_MAX_PLAN * i + k] = k < plan->n ? plan->actions[k] : -1;
  s->plan_at[4 * i] = b;
  s->plan_at[4 * i + 1] = (int32_t) MIN (plan->n, AGENT_MAX_PLAN);
  s->plan_at[4 * i + 2] = 0;
  s->plan_since[i] = 0;
  return true;
}

static void
take_plan_orders (AgentStep *s)
{
  for (guint o = 0; o < s->program->orders->len; o++) {
    const AgentOrder *order = &g_array_index (s->program->orders, AgentOrder, o);

    if (order->n_plan == 0 || fabs (s->world->frame - order->frame) > 0.5)
      continue;
    for (size_t i = 0; i < s->n; i++) {
      if (order->agent >= 0 && order->agent != (int64_t) i)
        continue;
      for (guint k = 0; k < AGENT_MAX_PLAN; k++)
        s->plan[AGENT_MAX_PLAN * i + k] = k < order->n_plan ? order->plan[k] : -1;
      s->plan_at[4 * i] = -2;
      s->plan_at[4 * i + 1] = (int32_t) order->n_plan;
      s->plan_at[4 * i + 2] = 0;
      s->plan_since[i] = 0;
    }
  }
}

bool
agent_step_plan (AgentStep *s)
{
  const AgentProgram *program = s->program;
  g_autoptr (GHashTable)
      plans = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, g_free);
  g_autofree double *row = g_new (double, agent_program_get_n_inputs (program));
  bool cancelled = false;

  if (program->actions->len == 0)
    return true;
  take_plan_orders (s);
  for (size_t i = 0; i < s->n && !cancelled; i++) {
    int32_t *winners = s->behaviours + AGENT_MAX_SETS * i;
    guint64 failed = 0;
    bool rests;

    s->lost[i] = 0;
    if (s->plan_at[4 * i] == -1 && s->plan_since[i] < 0)
      s->plan_since[i] += (float) s->world->dt;
    rests = s->plan_at[4 * i] == -1 && s->plan_since[i] < -1e-5f;
    if (s->gone[i] != 0 || s->plan_at[4 * i] == -2)
      continue;
    for (guint k = 0; k < AGENT_MAX_SETS && !cancelled; k++) {
      while (winners[k] >= 0 && !cancelled &&
             g_array_index (program->behaviours, AgentBehaviour, winners[k]).act.goal >= 0 &&
             (rests || !plan_for (s, plans, i, winners[k], row, &cancelled))) {
        int32_t was[AGENT_MAX_SETS], again[AGENT_MAX_SETS];

        /* It gives way to the next. */
        failed |= (guint64) 1 << winners[k];
        s->lost[i] = !rests;
        memcpy (was, winners, sizeof was);
        arbitrate (s, i, failed, was, again);
        winners[k] = again[k];
      }
    }
  }
  return !cancelled;
}

/* (nullable) The action that a behaviour carries out, or, without one, an order. */
static const AgentAction *
get_action_of (const AgentStep *s, size_t i, const AgentBehaviour *of)
{
  if (of == NULL || of->act.goal >= 0)
    return get_action (s, i);
  return of->act.action >= 0 ? &g_array_index (s->program->actions, AgentAction, of->act.action) : NULL;
}

/* (nullable) NULL for an order. */
static const AgentBehaviour *
get_behaviour (const AgentStep *s, guint behaviour)
{
  return behaviour == AGENT_ORDERED ? NULL : &g_array_index (s->program->behaviours, AgentBehaviour, behaviour);
}

bool
agent_step_get_act (const AgentStep *s, size_t i, guint behaviour, guint *first, guint *n)
{
  const AgentBehaviour *of = get_behaviour (s, behaviour);
  const AgentAction *action = get_action_of (s, i, of);
  const AgentDo *act = action != NULL ? &action->act : NULL;

  if (act == NULL) {
    if (of == NULL || of->act.goal >= 0)
      return false;
    act = &of->act;
  }
  *first = act->first;
  *n = act->n;
  return act->n > 0;
}

guint32
agent_step_get_uses (const AgentStep *s, size_t i, guint behaviour)
{
  const AgentBehaviour *of = get_behaviour (s, behaviour);
  const AgentAction *action = get_action_of (s, i, of);

  return (of != NULL ? of->uses : 0) | (action != NULL ? action->uses : 0);
}

/* What an action makes is true when it is done; the next one begins in the next step. */
void
agent_step_finish_actions (AgentStep *s)
{
  const AgentProgram *program = s->program;
  g_autofree double *row = g_new (double, agent_program_get_n_inputs (program));

  for (size_t i = 0; program->actions->len > 0 && i < s->n; i++) {
    const AgentAction *action = s->gone[i] == 0 ? get_action (s, i) : NULL;
    double values[AGENT_MAX_FACTS];
    bool done;

    /* While another behaviour has the body the plan rests: what that one does, finishes no action. */
    if (action == NULL || s->carried[i] == AGENT_RESTS)
      continue;
    s->plan_since[i] += (float) s->world->dt;
    agent_column (s, AGENT_ARRIVED)[i] = s->arrived[i];
    agent_get_row (s, i, row);
    if (action->fails >= 0 && agent_program_call (program, action->fails, 0, row) != 0) {
      fail_plan (s, i, row);
      continue;
    }
    done = action->until >= 0 ? agent_program_call (program, action->until, 0, row) != 0
           : action->takes >= 0
               ? (double) s->plan_since[i] + 1e-6 >= agent_program_call (program, action->takes, 0, row)
               : s->carried[i] == AGENT_CARRIED_OUT || action->act.n == 0;
    if (!done) {
      if (action->timeout >= 0 && (double) s->plan_since[i] >= agent_program_call (program, action->timeout, 0, row))
        fail_plan (s, i, row);
      continue;
    }
    for (guint k = 0; k < action->n; k++)
      values[k % AGENT_MAX_FACTS] = agent_program_call (
          program, g_array_index (program->assignments, AgentAssignment, action->first + k).value, 0, row);
    for (guint k = 0; k < MIN (action->n, AGENT_MAX_FACTS); k++)
      fact_column (s, g_array_index (program->assignments, AgentAssignment, action->first + k).fact)[i] = values[k];
    s->plan_since[i] = 0;
    if (++s->plan_at[4 * i + 2] >= s->plan_at[4 * i + 1])
      drop_plan (s, i);
  }
}
