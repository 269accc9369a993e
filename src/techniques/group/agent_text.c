/* agent_text: see agent_text.h; the statements are those of agent_program.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_words.h"

#include <string.h>

/* Names that a message lists at most. */
#define MAX_LISTED 12

static void
pending_clear (gpointer data)
{
  g_free (((AgentPending *) data)->text);
  g_free (((AgentPending *) data)->typed);
}

static void
reference_clear (gpointer data)
{
  g_free (((AgentReference *) data)->name);
}

void
agent_reader_init (AgentReader *reader)
{
  reader->pending = g_array_new (FALSE, FALSE, sizeof (AgentPending));
  g_array_set_clear_func (reader->pending, pending_clear);
  reader->references = g_array_new (FALSE, FALSE, sizeof (AgentReference));
  g_array_set_clear_func (reader->references, reference_clear);
  reader->problems = g_string_new (NULL);
}

void
agent_reader_clear (AgentReader *reader)
{
  g_clear_pointer (&reader->pending, g_array_unref);
  g_clear_pointer (&reader->references, g_array_unref);
  if (reader->problems != NULL)
    g_string_free (reader->problems, TRUE);
  reader->problems = NULL;
}

/* Statements. */

static bool
read_fact (AgentReader *reader, AgentFactKind kind)
{
  static const char *const stops[] = { "start", "rate", "decay", NULL };
  g_autofree char *name = agent_take_name (reader, "what is felt");
  int start = -1, change = -1, index;

  if (name == NULL)
    return false;
  if (kind == FACT_TRAIT) {
    if (!agent_take_sign (reader, '='))
      return agent_fail (reader, reader->at, "= is missing after %s", name);
    start = agent_take_expression (reader, stops);
    if (start < 0)
      return false;
  }
  while (kind != FACT_TRAIT) {
    if (agent_take_word (reader, "start"))
      start = agent_take_expression (reader, stops);
    else if (agent_take_word (reader, kind == FACT_URGE ? "rate" : "decay"))
      change = agent_take_expression (reader, stops);
    else
      break;
  }
  if (!agent_expect_end (reader))
    return false;
  index = agent_find_fact (reader, name);
  if (index >= 0) {
    AgentFact *fact = &g_array_index (reader->program->facts, AgentFact, index);

    if (fact->kind != FACT_PLAIN)
      return agent_fail_twice (reader, name);
    fact->kind = kind;
    fact->start = start;
    fact->change = change;
  }
  return index >= 0;
}

static bool
read_sense (AgentReader *reader)
{
  static const char *const stops[] = {
    "radius", "fov", "reach", "threshold", "pixels", "rate", "delay", "noise", NULL
  };
  static const char *const names[] = { "all", "sight", "rendered", "touch", "hearing", "smell" };
  static const AgentChannel channels[] = { AGENT_KNOWLEDGE, AGENT_SIGHT,   AGENT_SIGHT,
                                           AGENT_TOUCH,     AGENT_HEARING, AGENT_SMELL };
  AgentSenses *senses = &reader->program->senses;
  const char *at;
  g_autofree char *name = NULL;
  AgentTiming *of;
  guint kind = 0;

  agent_skip_blanks (reader);
  at = reader->at;
  name = agent_take_name (reader, "a sense");
  if (name == NULL)
    return false;
  while (kind < G_N_ELEMENTS (names) && !g_str_equal (name, names[kind]))
    kind++;
  if (kind == G_N_ELEMENTS (names))
    return agent_fail (reader, at, "unknown sense %s: use all, sight, rendered, touch, hearing or smell", name);
  of = &senses->of[channels[kind]];
  senses->all |= channels[kind] == AGENT_KNOWLEDGE;
  senses->sight |= channels[kind] == AGENT_SIGHT;
  senses->rendered |= g_str_equal (name, "rendered");
  senses->touch |= channels[kind] == AGENT_TOUCH;
  senses->hearing |= channels[kind] == AGENT_HEARING;
  /* All can smell: the statement only says when. */
  senses->given |= channels[kind] != AGENT_SMELL;
  for (bool more = true; more;) {
    int *const places[] = { &senses->radius, &senses->fov, &senses->reach, &senses->threshold,
                            &senses->pixels, &of->rate,    &of->delay,     &of->noise };

    more = false;
    for (guint k = 0; stops[k] != NULL; k++) {
      const char *word = reader->at;

      if (!agent_take_word (reader, stops[k]))
        continue;
      if (channels[kind] == AGENT_SMELL && places[k] != &of->rate && places[k] != &of->delay)
        return agent_fail (reader, word, "smell has no %s: use rate and delay", stops[k]);
      *places[k] = agent_take_expression (reader, stops);
      if (*places[k] < 0)
        return false;
      more = true;
    }
  }
  senses->timed |= of->rate >= 0 || of->delay >= 0;
  return agent_expect_end (reader);
}

static bool
read_scent (AgentReader *reader)
{
  static const char *const stops[] = { "decay", "spread", NULL };
  g_autofree char *name = agent_take_name (reader, "a scent");
  const int index = name != NULL ? agent_find_scent (reader, name) : -1;
  int decay = -1, spread = -1;

  if (index < 0)
    return false;
  for (;;) {
    if (agent_take_word (reader, "decay"))
      decay = agent_take_expression (reader, stops);
    else if (agent_take_word (reader, "spread"))
      spread = agent_take_expression (reader, stops);
    else
      break;
  }
  g_array_index (reader->program->scents, AgentScent, index).decay = decay;
  g_array_index (reader->program->scents, AgentScent, index).spread = spread;
  return agent_expect_end (reader);
}

static bool
read_rule (AgentReader *reader)
{
  static const char *const then[] = { "then", NULL }, *const none[] = { NULL };
  AgentRule rule = { 0, reader->line, 1, -1, 0, 0 };
  const char *from;

  agent_skip_blanks (reader);
  if (!agent_at_word (reader, reader->at, "if")) {
    g_autofree char *text = g_strndup (reader->at, (gsize) (reader->end - reader->at));
    char *end;

    rule.priority = g_ascii_strtod (text, &end);
    if (end == text || !isfinite (rule.priority))
      return agent_fail (reader, reader->at, "a rule is: rule PRIORITY if EXPRESSION then NAME = EXPRESSION");
    reader->at += end - text;
  }
  if (!agent_take_word (reader, "if"))
    return agent_fail (reader, reader->at, "\"if\" is missing");
  from = reader->at;
  rule.condition = agent_take_expression (reader, then);
  rule.terms = agent_count_terms (from, reader->at);
  if (rule.condition < 0)
    return false;
  if (!agent_take_word (reader, "then"))
    return agent_fail (reader, reader->at, "\"then\" is missing");
  if (!agent_take_assignments (reader, none, &rule.first, &rule.n) || !agent_expect_end (reader))
    return false;
  if (reader->program->rules->len == AGENT_MAX_ITEMS)
    return agent_fail (reader, reader->start, "more than %d rules: use fewer", AGENT_MAX_ITEMS);
  g_array_append_val (reader->program->rules, rule);
  return true;
}

/* Names of limbs, which each is declared by being used. */
static bool
take_limb (AgentReader *reader, guint32 *limbs)
{
  g_autofree char *name = agent_take_name (reader, "a limb");
  guint limb;

  if (name == NULL)
    return false;
  limb = agent_find_or_add (reader->program->limbs, name);
  if (limb >= AGENT_MAX_LIMBS)
    return agent_fail (reader, reader->at, "more than %d limbs: use fewer", AGENT_MAX_LIMBS);
  *limbs |= (guint32) 1 << limb;
  return true;
}

static AgentBehaviour
new_behaviour (void)
{
  AgentBehaviour behaviour = { .klass = CLASS_DESIRE,
                               .value = -1,
                               .when = -1,
                               .speed = -1,
                               .act = { 0, 0, -1, -1, NULL },
                               .satisfied = -1,
                               .satisfies = -1,
                               .state = -1,
                               .from = -INFINITY,
                               .until = INFINITY,
                               .agent = -1 };

  for (guint i = 0; i < AGENT_MAX_ITEMS; i++)
    behaviour.inhibits[i] = -1;
  return behaviour;
}

static bool
take_behaviour_clauses (AgentReader *reader, AgentBehaviour *behaviour, guint index)
{
  static const char *const stops[] = { "set",  "class",     "value",    "when", "do",
                                       "with", "satisfies", "inhibits", "uses", NULL };
  static const char *const classes[] = { "suggestion", "desire", "imperative" };
  guint set;

  for (;;) {
    g_autofree char *name = NULL;

    if (agent_take_word (reader, "set")) {
      name = agent_take_name (reader, "a set");
      if (name == NULL)
        return false;
      set = agent_find_or_add (reader->program->sets, name);
      if (set >= AGENT_MAX_SETS)
        return agent_fail (reader, reader->at, "more than %d sets of behaviours: use fewer", AGENT_MAX_SETS);
      behaviour->set = set;
    } else if (agent_take_word (reader, "class")) {
      guint k = 0;

      while (k < G_N_ELEMENTS (classes) && !agent_take_word (reader, classes[k]))
        k++;
      if (k == G_N_ELEMENTS (classes))
        return agent_fail (reader, reader->at, "a class is imperative, desire or suggestion");
      behaviour->klass = (AgentClass) k;
    } else if (agent_take_word (reader, "value")) {
      if ((behaviour->value = agent_take_expression (reader, stops)) < 0)
        return false;
    } else if (agent_take_word (reader, "when")) {
      if ((behaviour->when = agent_take_expression (reader, stops)) < 0)
        return false;
    } else if (agent_take_word (reader, "with")) {
      if (!agent_take_word (reader, "speed"))
        return agent_fail (reader, reader->at, "\"speed\" is missing after \"with\"");
      if ((behaviour->speed = agent_take_expression (reader, stops)) < 0)
        return false;
    } else if (agent_take_word (reader, "satisfies")) {
      name = agent_take_name (reader, "what is satisfied");
      if (name == NULL || (behaviour->satisfied = agent_find_fact (reader, name)) < 0 ||
          (behaviour->satisfies = agent_take_expression (reader, stops)) < 0)
        return false;
    } else if (agent_take_word (reader, "inhibits")) {
      int amount;

      name = agent_take_name (reader, "a behaviour");
      if (name == NULL || (amount = agent_take_expression (reader, stops)) < 0)
        return false;
      agent_refer (reader, name, INHIBITS_BEHAVIOUR, index, (guint) amount);
    } else if (agent_take_word (reader, "uses")) {
      if (!take_limb (reader, &behaviour->uses))
        return false;
    } else if (agent_take_word (reader, "do")) {
      if (behaviour->act.text != NULL)
        return agent_fail (reader, reader->at, "a behaviour has one \"do\"");
      if (!agent_take_act (reader, stops, &behaviour->act, DO_ACTION, index))
        return false;
    } else
      return agent_expect_end (reader);
  }
}

static bool
keep_behaviour (AgentReader *reader, AgentBehaviour *behaviour, bool good)
{
  if (good && reader->program->behaviours->len == AGENT_MAX_ITEMS)
    good = agent_fail (reader, reader->start, "more than %d behaviours, states and orders that do something: use fewer",
                       AGENT_MAX_ITEMS);
  if (good)
    g_array_append_val (reader->program->behaviours, *behaviour);
  else {
    g_free (behaviour->name);
    g_free (behaviour->act.text);
  }
  return good;
}

static bool
read_behaviour (AgentReader *reader)
{
  AgentBehaviour behaviour = new_behaviour ();
  bool good;

  behaviour.name = agent_take_name (reader, "a behaviour");
  good = behaviour.name != NULL && take_behaviour_clauses (reader, &behaviour, reader->program->behaviours->len);
  for (guint b = 0; good && b < reader->program->behaviours->len; b++)
    if (g_array_index (reader->program->behaviours, AgentBehaviour, b).state < 0 &&
        g_str_equal (g_array_index (reader->program->behaviours, AgentBehaviour, b).name, behaviour.name))
      good = agent_fail_twice (reader, behaviour.name);
  if (good && behaviour.act.text == NULL && behaviour.klass != CLASS_SUGGESTION)
    good = agent_fail (reader, reader->at, "\"do\" is missing: write what the behaviour does");
  return keep_behaviour (reader, &behaviour, good);
}

static bool
read_action (AgentReader *reader)
{
  static const char *const stops[] = { "needs", "makes",   "cost", "takes", "until",
                                       "fails", "timeout", "uses", "do",    NULL };
  AgentAction action = { .line = reader->line,
                         .needs = -1,
                         .cost = -1,
                         .takes = -1,
                         .until = -1,
                         .fails = -1,
                         .timeout = -1,
                         .act = { 0, 0, -1, -1, NULL } };
  struct {
    const char *word;
    int *place;
  } clauses[] = { { "needs", &action.needs }, { "cost", &action.cost },   { "takes", &action.takes },
                  { "until", &action.until }, { "fails", &action.fails }, { "timeout", &action.timeout } };
  bool good, more = true;

  action.name = agent_take_name (reader, "an action");
  good = action.name != NULL;
  while (good && more) {
    more = false;
    for (guint k = 0; good && k < G_N_ELEMENTS (clauses); k++)
      if (agent_take_word (reader, clauses[k].word)) {
        *clauses[k].place = agent_take_expression (reader, stops);
        good = *clauses[k].place >= 0;
        more = true;
      }
    if (good && agent_take_word (reader, "uses"))
      more = good = take_limb (reader, &action.uses);
    if (good && agent_take_word (reader, "makes"))
      more = good = agent_take_assignments (reader, stops, &action.first, &action.n);
    if (good && action.act.text == NULL && agent_take_word (reader, "do"))
      more = good = agent_take_act (reader, stops, &action.act, -1, 0);
  }
  good = good && agent_expect_end (reader);
  if (good && action.act.goal >= 0)
    good = agent_fail (reader, reader->at, "an action cannot make a plan: let a behaviour do that");
  for (guint a = 0; good && a < reader->program->actions->len; a++)
    if (g_str_equal (g_array_index (reader->program->actions, AgentAction, a).name, action.name))
      good = agent_fail_twice (reader, action.name);
  if (good && reader->program->actions->len == AGENT_MAX_ITEMS)
    good = agent_fail (reader, reader->start, "more than %d actions: use fewer", AGENT_MAX_ITEMS);
  if (good)
    g_array_append_val (reader->program->actions, action);
  else {
    g_free (action.name);
    g_free (action.act.text);
  }
  return good;
}

/* Names joined by dots: a state in others.  (transfer full) (nullable) */
static char *
take_state_name (AgentReader *reader)
{
  char *name = agent_take_name (reader, "a state");

  while (name != NULL && reader->at < reader->end && *reader->at == '.') {
    g_autofree char *outer = name;
    g_autofree char *inner = (reader->at++, agent_take_name (reader, "a state"));

    name = inner != NULL ? g_strconcat (outer, ".", inner, NULL) : NULL;
  }
  return name;
}

/* In expressions a dot is an underscore. */
static bool
are_alike (const char *a, const char *b)
{
  for (; *a != '\0' && (*a == '.' ? '_' : *a) == (*b == '.' ? '_' : *b); a++, b++)
    ;
  return *a == *b;
}

static bool
take_transition (AgentReader *reader)
{
  static const char *const stops[] = { "to", "when", "after", "weight", "do", "enter", NULL };
  AgentTransition transition = { 0, -1, -1, -1 };
  g_autofree char *to = take_state_name (reader);

  if (to == NULL)
    return false;
  agent_refer (reader, to, TO_STATE, reader->program->transitions->len, 0);
  for (;;) {
    int *place = agent_take_word (reader, "when")     ? &transition.when
                 : agent_take_word (reader, "after")  ? &transition.after
                 : agent_take_word (reader, "weight") ? &transition.weight
                                                      : NULL;

    if (place == NULL)
      break;
    *place = agent_take_expression (reader, stops);
    if (*place < 0)
      return false;
  }
  g_array_append_val (reader->program->transitions, transition);
  return true;
}

static bool
read_state (AgentReader *reader)
{
  static const char *const stops[] = { "to", "do", "enter", NULL };
  AgentProgram *program = reader->program;
  AgentStateItem state = { .first = program->transitions->len, .line = reader->line };
  AgentBehaviour behaviour = new_behaviour ();
  bool good, acts = false;

  state.name = take_state_name (reader);
  good = state.name != NULL;
  for (guint k = 0; good && k < program->states->len; k++)
    if (are_alike (g_array_index (program->states, AgentStateItem, k).name, state.name))
      good = agent_fail_twice (reader, state.name);
  if (good && program->states->len == AGENT_MAX_ITEMS)
    good = agent_fail (reader, reader->start, "more than %d states: use fewer", AGENT_MAX_ITEMS);
  while (good) {
    if (!acts && agent_take_word (reader, "do")) {
      acts = true;
      good = agent_take_act (reader, stops, &behaviour.act, STATE_DO_ACTION, program->behaviours->len);
    } else if (state.n_set == 0 && agent_take_word (reader, "enter"))
      good = agent_take_assignments (reader, stops, &state.first_set, &state.n_set);
    else if (agent_take_word (reader, "to"))
      good = take_transition (reader);
    else
      break;
  }
  good = good && agent_expect_end (reader);
  if (!good) {
    g_free (state.name);
    g_free (behaviour.act.text);
    return false;
  }
  state.n = program->transitions->len - state.first;
  behaviour.name = g_strdup (state.name);
  behaviour.state = (int) program->states->len;
  g_array_append_val (program->states, state);
  if (acts)
    return keep_behaviour (reader, &behaviour, true);
  g_free (behaviour.name);
  return true;
}

static bool
read_interest (AgentReader *reader)
{
  static const char *const none[] = { NULL };
  g_autofree char *name = agent_take_name (reader, "a kind of things");
  const int kind = name != NULL ? agent_find_or_add_kind (reader, name, reader->at) : -1;
  AgentInterest interest = { (guint) MAX (kind, 0), -1 };

  if (kind < 0)
    return false;
  for (guint i = 0; i < reader->program->interests->len; i++)
    if (g_array_index (reader->program->interests, AgentInterest, i).kind == interest.kind)
      return agent_fail_twice (reader, name);
  if ((interest.weight = agent_take_expression (reader, none)) < 0)
    return false;
  reader->program->sensed |= (guint64) 1 << kind;
  g_array_append_val (reader->program->interests, interest);
  return true;
}

static bool
read_memory (AgentReader *reader)
{
  static const char *const stops[] = { "extrapolate", NULL };
  AgentProgram *program = reader->program;

  if ((program->memory = agent_take_expression (reader, stops)) < 0)
    return false;
  if (agent_take_word (reader, "extrapolate") && (program->extrapolate = agent_take_expression (reader, stops)) < 0)
    return false;
  return agent_expect_end (reader);
}

static bool
read_replan (AgentReader *reader)
{
  static const char *const none[] = { NULL };

  reader->program->replan = agent_take_expression (reader, none);
  return reader->program->replan >= 0 && agent_expect_end (reader);
}

static bool
read_statement (AgentReader *reader)
{
  if (agent_take_word (reader, "urge"))
    return read_fact (reader, FACT_URGE);
  if (agent_take_word (reader, "emotion"))
    return read_fact (reader, FACT_EMOTION);
  if (agent_take_word (reader, "trait"))
    return read_fact (reader, FACT_TRAIT);
  if (agent_take_word (reader, "sense"))
    return read_sense (reader);
  if (agent_take_word (reader, "memory"))
    return read_memory (reader);
  if (agent_take_word (reader, "interest"))
    return read_interest (reader);
  if (agent_take_word (reader, "scent"))
    return read_scent (reader);
  if (agent_take_word (reader, "rule"))
    return read_rule (reader);
  if (agent_take_word (reader, "behaviour"))
    return read_behaviour (reader);
  if (agent_take_word (reader, "action"))
    return read_action (reader);
  if (agent_take_word (reader, "replan"))
    return read_replan (reader);
  if (agent_take_word (reader, "state"))
    return read_state (reader);
  return agent_fail (
      reader, reader->at,
      "a statement begins with urge, emotion, trait, sense, memory, interest, scent, rule, behaviour, action, replan or state");
}

/* Orders. */

static bool
agent_take_number (AgentReader *reader, const char *what, double *value)
{
  g_autofree char *text = NULL;
  char *end;

  agent_skip_blanks (reader);
  text = g_strndup (reader->at, (gsize) (reader->end - reader->at));
  *value = g_ascii_strtod (text, &end);
  if (end == text || !isfinite (*value))
    return agent_fail (reader, reader->at, "%s is missing", kg_translate (what));
  reader->at += end - text;
  return true;
}

static bool
take_for (AgentReader *reader, double frame, double *until)
{
  double frames;

  *until = INFINITY;
  if (agent_take_word (reader, "for")) {
    if (!agent_take_number (reader, "a number of frames", &frames))
      return false;
    *until = frame + frames;
  }
  return true;
}

static bool
read_order (AgentReader *reader)
{
  static const char *const stops[] = { "for", NULL }, *const none[] = { NULL };
  AgentProgram *program = reader->program;
  AgentOrder order = { .line = reader->line, .behaviour = -1, .fact = -1, .value = -1, .until = INFINITY, .agent = -1 };
  double agent;

  if (!agent_take_word (reader, "at"))
    return agent_fail (reader, reader->at, "an order begins: at FRAME agent INDEX");
  agent_take_word (reader, "frame");
  if (!agent_take_number (reader, "a frame", &order.frame))
    return false;
  if (!agent_take_word (reader, "agent"))
    return agent_fail (reader, reader->at, "\"agent\" is missing");
  if (!agent_take_word (reader, "all")) {
    if (!agent_take_number (reader, "the index of an agent", &agent))
      return false;
    if (agent < 0 || agent > 2147483647.0 || agent != floor (agent))
      return agent_fail (reader, reader->at, "the index of an agent is %g: write a whole number from 0, or all", agent);
    order.agent = (int64_t) agent;
  }
  if (agent_take_word (reader, "do")) {
    AgentBehaviour behaviour = new_behaviour ();
    bool good;

    behaviour.name = g_strdup ("order");
    behaviour.klass = CLASS_ORDER;
    behaviour.agent = order.agent;
    behaviour.line = reader->line;
    behaviour.from = order.frame;
    good = agent_take_act (reader, stops, &behaviour.act, DO_ACTION, program->behaviours->len) &&
           take_for (reader, order.frame, &behaviour.until) && agent_expect_end (reader);
    return keep_behaviour (reader, &behaviour, good);
  }
  if (agent_take_word (reader, "be")) {
    g_autofree char *name = agent_take_name (reader, "a behaviour");

    if (name == NULL)
      return false;
    agent_refer (reader, name, BE_BEHAVIOUR, program->orders->len, 0);
    if (!take_for (reader, order.frame, &order.until))
      return false;
  } else if (agent_take_word (reader, "set")) {
    g_autofree char *name = agent_take_name (reader, "what is set");

    if (name == NULL || (order.fact = agent_find_fact (reader, name)) < 0)
      return false;
    if (!agent_take_sign (reader, '='))
      return agent_fail (reader, reader->at, "= is missing after %s", name);
    if ((order.value = agent_take_expression (reader, none)) < 0)
      return false;
  } else if (agent_take_word (reader, "plan")) {
    do {
      g_autofree char *name = agent_take_name (reader, "an action");

      if (name == NULL)
        return false;
      if (order.n_plan == AGENT_MAX_PLAN)
        return agent_fail (reader, reader->at, "more than %d actions in a plan", AGENT_MAX_PLAN);
      agent_refer (reader, name, PLAN_ACTION, program->orders->len, order.n_plan++);
      agent_skip_blanks (reader);
    } while (reader->at < reader->end);
  } else
    return agent_fail (reader, reader->at, "an order is do, be, set or plan");
  if (!agent_expect_end (reader))
    return false;
  if (program->orders->len == 1000)
    return agent_fail (reader, reader->start, "more than 1000 orders: use fewer");
  g_array_append_val (program->orders, order);
  return true;
}

static void
read_lines (AgentReader *reader, const char *label, const char *text, bool (*read) (AgentReader *))
{
  const char *next = text;

  if (strlen (text) > AGENT_MAX_TEXT) {
    agent_report (reader, "the text is longer than %d bytes: shorten it", AGENT_MAX_TEXT);
    return;
  }
  reader->label = label;
  reader->line = 0;
  while (*next != '\0' && reader->n_problems < AGENT_MAX_PROBLEMS) {
    const size_t length = strcspn (next, "\n"), code = strcspn (next, "#\n");

    reader->start = reader->at = next;
    reader->end = next + code;
    reader->line++;
    agent_skip_blanks (reader);
    if (reader->at < reader->end)
      read (reader);
    next += length + (next[length] == '\n');
  }
}

/* References. */

static int
find_item (const AgentProgram *program, int what, const char *name)
{
  switch (what) {
  case TO_STATE:
  case IN_STATE:
    for (guint i = 0; i < program->states->len; i++)
      if (g_str_equal (g_array_index (program->states, AgentStateItem, i).name, name))
        return (int) i;
    return -1;
  case DO_ACTION:
  case STATE_DO_ACTION:
  case PLAN_ACTION:
    for (guint i = 0; i < program->actions->len; i++)
      if (g_str_equal (g_array_index (program->actions, AgentAction, i).name, name))
        return (int) i;
    return -1;
  default:
    for (guint i = 0; i < program->behaviours->len; i++)
      if (g_str_equal (g_array_index (program->behaviours, AgentBehaviour, i).name, name))
        return (int) i;
    return -1;
  }
}

/* (transfer full) The names of actions, states or behaviours that a program declares; empty: none. */
static char *
list_items (const AgentProgram *program, int what)
{
  const bool states = what == TO_STATE || what == IN_STATE;
  const bool actions = what == DO_ACTION || what == STATE_DO_ACTION || what == PLAN_ACTION;
  const guint n = states ? program->states->len : actions ? program->actions->len : program->behaviours->len;
  g_autoptr (GString) names = g_string_new (NULL);
  guint listed = 0;

  for (guint i = 0; i < n; i++) {
    const char *name = states    ? g_array_index (program->states, AgentStateItem, i).name
                       : actions ? g_array_index (program->actions, AgentAction, i).name
                                 : g_array_index (program->behaviours, AgentBehaviour, i).name;

    /* What orders and states do has names that nobody has typed. */
    if (!states && !actions &&
        (g_array_index (program->behaviours, AgentBehaviour, i).klass == CLASS_ORDER ||
         g_array_index (program->behaviours, AgentBehaviour, i).state >= 0))
      continue;
    if (listed == MAX_LISTED) {
      g_string_append (names, ", ...");
      break;
    }
    g_string_append_printf (names, "%s%s", listed++ > 0 ? ", " : "", name);
  }
  return g_string_free (g_steal_pointer (&names), FALSE);
}

static void
report_missing (AgentReader *reader, const AgentReference *reference)
{
  g_autofree char *known = list_items (reader->program, reference->what);
  const char *label = reference->label, *name = reference->name;
  const guint line = reference->line;

  switch (reference->what) {
  case TO_STATE:
  case IN_STATE:
    if (known[0] == '\0')
      agent_report (reader, "%s %u: there is no state called %s: declare it, or correct the name", label, line, name);
    else
      agent_report (reader, "%s %u: there is no state called %s: declare it, or use one of %s", label, line, name,
                    known);
    return;
  case DO_ACTION:
  case STATE_DO_ACTION:
    if (known[0] == '\0')
      agent_report (
          reader,
          "%s %u: there is no motor or action called %s: use a motor such as seek, wander or goto, or declare "
          "the action",
          label, line, name);
    else
      agent_report (reader,
                    "%s %u: there is no motor or action called %s: use a motor such as seek, wander or goto, or an "
                    "action (%s)",
                    label, line, name, known);
    return;
  case PLAN_ACTION:
    if (known[0] == '\0')
      agent_report (reader, "%s %u: there is no action called %s: declare it, or correct the name", label, line, name);
    else
      agent_report (reader, "%s %u: there is no action called %s: declare it, or use one of %s", label, line, name,
                    known);
    return;
  default:
    if (known[0] == '\0')
      agent_report (reader, "%s %u: there is no behaviour called %s: declare it, or correct the name", label, line,
                    name);
    else
      agent_report (reader, "%s %u: there is no behaviour called %s: declare it, or use one of %s", label, line, name,
                    known);
  }
}

static void
resolve (AgentReader *reader, const AgentReference *reference)
{
  AgentProgram *program = reader->program;
  const int found = find_item (program, reference->what, reference->name);

  if (found < 0) {
    report_missing (reader, reference);
    return;
  }
  switch (reference->what) {
  case TO_STATE:
    g_array_index (program->transitions, AgentTransition, reference->holder).to = (guint) found;
    break;
  case IN_STATE:
  case DOING_BEHAVIOUR:
    g_array_index (program->questions, AgentQuestion, reference->holder).subject = (guint) found;
    break;
  case INHIBITS_BEHAVIOUR:
    g_array_index (program->behaviours, AgentBehaviour, reference->holder).inhibits[found] = (int) reference->place;
    break;
  case BE_BEHAVIOUR:
    g_array_index (program->orders, AgentOrder, reference->holder).behaviour = found;
    break;
  case PLAN_ACTION:
    g_array_index (program->orders, AgentOrder, reference->holder).plan[reference->place] = found;
    break;
  default:
    g_array_index (program->behaviours, AgentBehaviour, reference->holder).act.action = found;
  }
}

/* Where a state lies.  False: in one that is not there, or too deep. */
static bool
find_path (AgentReader *reader, guint index)
{
  const AgentProgram *program = reader->program;
  AgentStateItem *state = &g_array_index (program->states, AgentStateItem, index);

  for (const char *dot = strchr (state->name, '.'); dot != NULL; dot = strchr (dot + 1, '.')) {
    g_autofree char *outer = g_strndup (state->name, (gsize) (dot - state->name));
    const int found = find_item (program, TO_STATE, outer);

    if (found < 0) {
      agent_report (reader, "line %u: the state %s lies in %s, which does not exist: add a line state %s", state->line,
                    state->name, outer, outer);
      return false;
    }
    if (state->level == AGENT_MAX_LEVELS - 1) {
      agent_report (reader, "line %u: the state %s lies in more than %d others: use fewer levels", state->line,
                    state->name, AGENT_MAX_LEVELS - 1);
      return false;
    }
    state->path[state->level++] = (guint) found;
  }
  state->path[state->level] = index;
  return true;
}

static void
order_states (AgentReader *reader)
{
  AgentProgram *program = reader->program;
  AgentStateItem *states = &g_array_index (program->states, AgentStateItem, 0);
  const guint n = program->states->len;

  for (guint k = 0; k < n; k++)
    if (!find_path (reader, k))
      return;
  for (guint k = 0; k < n; k++) {
    bool inner = true;

    states[k].entry = k;
    while (inner) {
      const guint outer = states[k].entry;

      inner = false;
      for (guint j = 0; j < n && !inner; j++)
        if (states[j].level == states[outer].level + 1 && states[j].path[states[outer].level] == outer) {
          states[k].entry = j;
          inner = true;
        }
    }
    states[k].doer = -1;
    for (guint level = 0; level <= states[k].level; level++)
      for (guint b = 0; b < program->behaviours->len; b++)
        if (g_array_index (program->behaviours, AgentBehaviour, b).state == (int) states[k].path[level])
          states[k].doer = (int) states[k].path[level];
  }
}

void
agent_reader_read (AgentReader *reader, const char *text, const char *orders)
{
  /* In the order of the bits. */
  static const char *const limbs[] = { "legs", "hands", "eyes", "clip" };

  agent_find_or_add (reader->program->sets, "move");
  for (guint k = 0; k < G_N_ELEMENTS (limbs); k++)
    agent_find_or_add (reader->program->limbs, limbs[k]);
  read_lines (reader, "line", text, read_statement);
  reader->program->n_declared = reader->program->facts->len;
  read_lines (reader, "orders, line", orders, read_order);
  for (guint i = 0; i < reader->program->motors->len && reader->program->interests->len == 0; i++)
    if (g_array_index (reader->program->motors, AgentMotor, i).target == TARGET_INTEREST) {
      agent_report (reader,
                    "no kind is declared as an interest: add lines such as interest food 2, or name another target");
      break;
    }
  /* After a statement that failed, indices are not those of what is there. */
  for (guint i = 0; i < reader->references->len && reader->n_problems == 0; i++)
    resolve (reader, &g_array_index (reader->references, AgentReference, i));
  if (reader->n_problems == 0 && reader->program->states->len > 0)
    order_states (reader);
}

bool
agent_reader_mentions (const AgentReader *reader, const char *name)
{
  const size_t length = strlen (name);

  for (guint i = 0; i < reader->pending->len; i++) {
    const char *text = g_array_index (reader->pending, AgentPending, i).text;

    for (const char *at = strstr (text, name); at != NULL; at = strstr (at + 1, name))
      if ((at == text || !agent_is_name_part (at[-1])) && !agent_is_name_part (at[length]))
        return true;
  }
  return false;
}
