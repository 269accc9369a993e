/* agent_text: see agent_text.h; the statements are those of agent_program.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_text.h"

#include <stdarg.h>
#include <string.h>

/* Of AgentReference. */
enum { TO_STATE, IN_STATE, DOING_BEHAVIOUR, INHIBITS_BEHAVIOUR, BE_BEHAVIOUR, DO_ACTION, STATE_DO_ACTION, PLAN_ACTION };

static const char *const ask_names[N_ASKS] = { "sees",     "hears",   "touches", "senses", "remembers", "count",
                                               "distance", "bearing", "smell",   "in",     "doing" };

static const struct {
  const char *name;
  AgentMotorKind kind;
  bool target;
  bool at_kind; /* it can be done to what is nearest */
} motor_names[] = {
  { "wait", MOTOR_WAIT, false, false },     { "seek", MOTOR_SEEK, true, true },
  { "flee", MOTOR_FLEE, true, true },       { "arrive", MOTOR_ARRIVE, true, true },
  { "pursue", MOTOR_PURSUE, true, true },   { "evade", MOTOR_EVADE, true, true },
  { "wander", MOTOR_WANDER, false, false }, { "follow", MOTOR_FOLLOW, false, false },
  { "drive", MOTOR_DRIVE, false, false },   { "orbit", MOTOR_ORBIT, true, true },
  { "goto", MOTOR_GOTO, true, true },       { "climb", MOTOR_CLIMB, false, false },
  { "look", MOTOR_LOOK, true, true },       { "take", MOTOR_TAKE, true, true },
  { "drop", MOTOR_DROP, false, false },     { "eat", MOTOR_EAT, true, true },
  { "claim", MOTOR_CLAIM, true, true },     { "release", MOTOR_RELEASE, false, false },
  { "mark", MOTOR_MARK, false, false },     { "play", MOTOR_PLAY, false, false },
  { "leave", MOTOR_LEAVE, false, false },
};

void
agent_report (AgentReader *reader, const char *format, ...)
{
  va_list arguments;

  if (reader->n_problems++ >= AGENT_MAX_PROBLEMS)
    return;
  if (reader->problems->len > 0)
    g_string_append (reader->problems, "\n");
  va_start (arguments, format);
  g_string_append_vprintf (reader->problems, kg_translate (format), arguments);
  va_end (arguments);
}

/* Always false.  at: (nullable) the end of the line. */
static bool G_GNUC_PRINTF (3, 4) agent_fail (AgentReader *reader, const char *at, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
  agent_report (reader, "%s %u, column %ld: %s", reader->label, reader->line,
                (long) g_utf8_strlen (reader->start, at - reader->start) + 1, message);
  return false;
}

/* Always false. */
static bool
agent_fail_twice (AgentReader *reader, const char *name)
{
  return agent_fail (reader, reader->start, "%s is declared a second time: remove one of both, or rename it", name);
}

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

/* Words. */

static bool
is_name_start (char c)
{
  return g_ascii_isalpha (c) || c == '_';
}

static bool
is_name_part (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

static void
skip_blanks (AgentReader *reader)
{
  while (reader->at < reader->end && g_ascii_isspace (*reader->at))
    reader->at++;
}

static bool
at_word (const AgentReader *reader, const char *at, const char *word)
{
  const size_t length = strlen (word);

  return (size_t) (reader->end - at) >= length && memcmp (at, word, length) == 0 &&
         (at + length == reader->end || !is_name_part (at[length]));
}

static bool
take_word (AgentReader *reader, const char *word)
{
  skip_blanks (reader);
  if (!at_word (reader, reader->at, word))
    return false;
  reader->at += strlen (word);
  return true;
}

/* (transfer full) (nullable) */
static char *
agent_take_name (AgentReader *reader, const char *what)
{
  const char *start;

  skip_blanks (reader);
  start = reader->at;
  if (start == reader->end || !is_name_start (*start)) {
    agent_fail (reader, start, "the name of %s is missing", kg_translate (what));
    return NULL;
  }
  while (reader->at < reader->end && is_name_part (*reader->at))
    reader->at++;
  if (reader->at - start > 60) {
    agent_fail (reader, start, "a name of more than 60 letters: shorten it");
    return NULL;
  }
  return g_strndup (start, (gsize) (reader->at - start));
}

static bool
take_sign (AgentReader *reader, char sign)
{
  skip_blanks (reader);
  if (reader->at == reader->end || *reader->at != sign)
    return false;
  reader->at++;
  return true;
}

static bool
expect_end (AgentReader *reader)
{
  skip_blanks (reader);
  return reader->at == reader->end || agent_fail (reader, reader->at, "\"%.*s\" is not expected here",
                                                  (int) MIN (reader->end - reader->at, 40), reader->at);
}

/* Names of what a program has. */

static guint
find_or_add (GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (g_str_equal (names->pdata[i], name))
      return i;
  g_ptr_array_add (names, g_strdup (name));
  return names->len - 1;
}

static int
find_or_add_kind (AgentReader *reader, const char *name, const char *at)
{
  const guint kind = find_or_add (reader->program->kinds, name);

  if (kind >= AGENT_MAX_ITEMS) {
    agent_fail (reader, at, "more than %d kinds of things: use fewer", AGENT_MAX_ITEMS);
    return -1;
  }
  return (int) kind;
}

static int
find_fact (AgentReader *reader, const char *name)
{
  const GArray *facts = reader->program->facts;
  AgentFact fact = { NULL, FACT_PLAIN, -1, -1 };

  for (guint i = 0; i < facts->len; i++)
    if (g_str_equal (g_array_index (facts, AgentFact, i).name, name))
      return (int) i;
  if (facts->len == AGENT_MAX_FACTS) {
    agent_fail (reader, reader->at, "more than %d facts: use fewer", AGENT_MAX_FACTS);
    return -1;
  }
  fact.name = g_strdup (name);
  g_array_append_val (reader->program->facts, fact);
  return (int) facts->len - 1;
}

static int
find_scent (AgentReader *reader, const char *name)
{
  const GArray *scents = reader->program->scents;
  AgentScent scent = { NULL, -1, -1 };

  for (guint i = 0; i < scents->len; i++)
    if (g_str_equal (g_array_index (scents, AgentScent, i).name, name))
      return (int) i;
  if (scents->len == 4) {
    agent_fail (reader, reader->at, "more than 4 scents: use fewer");
    return -1;
  }
  scent.name = g_strdup (name);
  g_array_append_val (reader->program->scents, scent);
  return (int) scents->len - 1;
}

static void
refer (AgentReader *reader, const char *name, int what, guint holder, guint place)
{
  const AgentReference reference = { reader->label, g_strdup (name), reader->line, what, holder, place };

  g_array_append_val (reader->references, reference);
}

/* Expressions. */

/* A question as the name of a variable: "sees(dog)" is "sees_dog_". */
static void
add_question (AgentReader *reader, AgentAsk ask, const char *subject, const char *variable, const char *at)
{
  AgentProgram *program = reader->program;
  AgentQuestion question = { ask, 0, NULL, reader->line };
  int found = 0;

  for (guint i = 0; i < program->questions->len; i++)
    if (g_str_equal (g_array_index (program->questions, AgentQuestion, i).name, variable))
      return;
  if (ask <= ASK_OF_KINDS) {
    found = find_or_add_kind (reader, subject, at);
    program->sensed |= found >= 0 ? (guint64) 1 << found : 0;
    program->recalled |= found >= 0 && ask == ASK_REMEMBERS ? (guint64) 1 << found : 0;
  } else if (ask == ASK_SMELL)
    found = find_scent (reader, subject);
  else
    refer (reader, subject, ask == ASK_IN ? IN_STATE : DOING_BEHAVIOUR, program->questions->len, 0);
  question.subject = (guint) MAX (found, 0);
  question.name = g_strdup (variable);
  g_array_append_val (program->questions, question);
}

/* Puts names in place of questions, and leaves all else where it is. */
static void
rewrite (AgentReader *reader, char *text)
{
  for (char *at = text; *at != '\0';) {
    char *name = at, *open, *subject, *subject_end, *close;
    int ask = -1;

    if (!is_name_start (*at) || (at > text && (is_name_part (at[-1]) || at[-1] == '.'))) {
      at++;
      continue;
    }
    while (is_name_part (*at))
      at++;
    for (int k = 0; k < N_ASKS; k++)
      if (strlen (ask_names[k]) == (size_t) (at - name) && memcmp (ask_names[k], name, (size_t) (at - name)) == 0)
        ask = k;
    open = at + strspn (at, " \t");
    if (ask < 0 || *open != '(')
      continue;
    subject = open + 1 + strspn (open + 1, " \t");
    for (subject_end = subject; is_name_part (*subject_end) || (ask > ASK_SMELL && *subject_end == '.'); subject_end++)
      ;
    close = subject_end + strspn (subject_end, " \t");
    /* distance (P, [0, 0, 0]) is the function of expressions. */
    if (subject == subject_end || !is_name_start (*subject) || *close != ')')
      continue;
    {
      g_autofree char *what = g_strndup (subject, (gsize) (subject_end - subject));
      g_autofree char *variable = g_strconcat (ask_names[ask], "_", what, "_", NULL);

      g_strdelimit (variable, ".", '_');
      add_question (reader, (AgentAsk) ask, what, variable, reader->at);
      memset (name, ' ', (size_t) (close + 1 - name));
      memcpy (name, variable, strlen (variable));
    }
    at = close + 1;
  }
}

static int
add_expression (AgentReader *reader, const char *from, const char *to)
{
  AgentPending pending = { .label = reader->label, .line = reader->line };
  const AgentExpression expression = { NULL, 0, NULL, NULL };

  while (from < to && g_ascii_isspace (*from))
    from++;
  while (from < to && g_ascii_isspace (to[-1]))
    to--;
  if (from == to) {
    agent_fail (reader, from, "an expression is missing");
    return -1;
  }
  pending.typed = g_strndup (from, (gsize) (to - from));
  pending.text = g_strdup (pending.typed);
  rewrite (reader, pending.text);
  g_array_append_val (reader->pending, pending);
  g_array_append_val (reader->program->expressions, expression);
  return (int) reader->pending->len - 1;
}

/* To the next of the words or signs outside of brackets, or the end. */
static const char *
find_stop (const AgentReader *reader, const char *const *stops)
{
  int depth = 0;

  for (const char *at = reader->at; at < reader->end; at++) {
    if (*at == '(' || *at == '[')
      depth++;
    else if (*at == ')' || *at == ']')
      depth--;
    if (depth > 0)
      continue;
    for (guint k = 0; stops[k] != NULL; k++) {
      if (stops[k][0] == ',' ? *at == ','
                             : is_name_start (*at) && (at == reader->start || !is_name_part (at[-1])) &&
                                   at_word (reader, at, stops[k]))
        return at;
    }
  }
  return reader->end;
}

static int
take_expression (AgentReader *reader, const char *const *stops)
{
  const char *from = reader->at, *to = find_stop (reader, stops);

  reader->at = to;
  return add_expression (reader, from, to);
}

/* How many conditions are joined by "and" or "&&". */
static guint
count_terms (const char *from, const char *to)
{
  guint n = 1;

  for (const char *at = from; at + 1 < to; at++)
    n += (at[0] == '&' && at[1] == '&') ||
         (at + 3 < to && memcmp (at, "and", 3) == 0 && at > from && !is_name_part (at[-1]) && !is_name_part (at[3]));
  return n;
}

/* NAME = EXPR, NAME = EXPR ... */
static bool
take_assignments (AgentReader *reader, const char *const *stops, guint *first, guint *n)
{
  const char *with_comma[16] = { "," };

  for (guint k = 0; stops[k] != NULL && k + 2 < G_N_ELEMENTS (with_comma); k++)
    with_comma[k + 1] = stops[k];
  *first = reader->program->assignments->len;
  *n = 0;
  do {
    g_autofree char *name = agent_take_name (reader, "what is set");
    AgentAssignment assignment;

    if (name == NULL)
      return false;
    assignment.fact = find_fact (reader, name);
    if (assignment.fact < 0)
      return false;
    if (!take_sign (reader, '='))
      return agent_fail (reader, reader->at, "= is missing after %s", name);
    assignment.value = take_expression (reader, with_comma);
    if (assignment.value < 0)
      return false;
    g_array_append_val (reader->program->assignments, assignment);
    (*n)++;
  } while (take_sign (reader, ','));
  return true;
}

/* Motors. */

static bool
take_target (AgentReader *reader, AgentMotor *motor, const char *const *stops)
{
  static const struct {
    const char *word;
    AgentTarget target;
  } of_kind[] = { { "nearest", TARGET_NEAREST }, { "free", TARGET_FREE }, { "remembered", TARGET_REMEMBERED } };

  for (guint k = 0; k < G_N_ELEMENTS (of_kind); k++)
    if (take_word (reader, of_kind[k].word)) {
      g_autofree char *kind = agent_take_name (reader, "a kind of things");
      const int found = kind != NULL ? find_or_add_kind (reader, kind, reader->at) : -1;

      if (found < 0)
        return false;
      motor->target = of_kind[k].target;
      motor->subject = (guint) found;
      reader->program->sensed |= (guint64) 1 << found;
      reader->program->recalled |= motor->target == TARGET_REMEMBERED ? (guint64) 1 << found : 0;
      return true;
    }
  if (take_word (reader, "home")) {
    motor->target = TARGET_HOME;
    return true;
  }
  if (take_word (reader, "interest")) {
    motor->target = TARGET_INTEREST;
    return true;
  }
  if (take_word (reader, "mine")) {
    motor->target = TARGET_MINE;
    return true;
  }
  if (take_word (reader, "thing")) {
    motor->target = TARGET_THING;
    motor->place[0] = take_expression (reader, stops);
    return motor->place[0] >= 0;
  }
  if (take_sign (reader, '(')) {
    motor->target = TARGET_PLACE;
    for (guint c = 0; c < 3; c++) {
      const char *from = reader->at;
      int depth = 0;

      while (reader->at < reader->end && (depth > 0 || (*reader->at != ',' && *reader->at != ')'))) {
        depth += *reader->at == '(' ? 1 : *reader->at == ')' ? -1 : 0;
        reader->at++;
      }
      motor->place[c] = add_expression (reader, from, reader->at);
      if (motor->place[c] < 0)
        return false;
      if (!take_sign (reader, c < 2 ? ',' : ')'))
        return agent_fail (reader, reader->at, "a place has three numbers in brackets");
    }
    return true;
  }
  return agent_fail (
      reader, reader->at,
      "a target is missing: nearest KIND, free KIND, remembered KIND, interest, thing INDEX, mine, home or a place");
}

static bool
take_motor (AgentReader *reader, const char *const *stops)
{
  AgentMotor motor = { MOTOR_WAIT, TARGET_NONE, 0, { -1, -1, -1 }, -1 };
  const char *at;
  g_autofree char *word = NULL, *name = NULL;
  guint k = 0;
  int scent;

  skip_blanks (reader);
  at = reader->at;
  word = agent_take_name (reader, "a motor");
  if (word == NULL)
    return false;
  while (k < G_N_ELEMENTS (motor_names) && !g_str_equal (motor_names[k].name, word))
    k++;
  if (k == G_N_ELEMENTS (motor_names))
    return agent_fail (reader, at,
                       "nothing is called %s: use a motor such as seek, wander or goto, or declare an action", word);
  motor.kind = motor_names[k].kind;
  if (motor_names[k].target && !take_target (reader, &motor, stops))
    return false;
  switch (motor.kind) {
  case MOTOR_FOLLOW:
  case MOTOR_DRIVE:
    motor.amount = take_expression (reader, stops);
    if (motor.amount < 0)
      return false;
    break;
  case MOTOR_CLIMB:
  case MOTOR_MARK:
  case MOTOR_PLAY:
    name = motor.kind == MOTOR_PLAY ? agent_take_name (reader, "a clip") : agent_take_name (reader, "a scent");
    if (name == NULL)
      return false;
    scent = motor.kind == MOTOR_PLAY ? (int) find_or_add (reader->program->clips, name) + 1 : find_scent (reader, name);
    if (scent < 0)
      return false;
    motor.subject = (guint) scent;
    if (motor.kind != MOTOR_PLAY && take_word (reader, "at")) {
      motor.amount = take_expression (reader, stops);
      if (motor.amount < 0)
        return false;
    }
    break;
  default:
    if (take_word (reader, "within") || take_word (reader, "at")) {
      motor.amount = take_expression (reader, stops);
      if (motor.amount < 0)
        return false;
    }
  }
  g_array_append_val (reader->program->motors, motor);
  return true;
}

/* plan GOAL, an action, or motors.  what, holder: for the reference to an action. */
static bool
take_act (AgentReader *reader, const char *const *stops, AgentDo *act, int what, guint holder)
{
  static const char *const joiner[] = { "and", NULL };
  const char *stop = find_stop (reader, stops), *end = reader->end, *at;
  const char *after;
  bool good = true;

  skip_blanks (reader);
  at = reader->at;
  *act = (AgentDo){ reader->program->motors->len, 0, -1, -1, NULL };
  act->text = g_strstrip (g_strndup (at, (gsize) (MAX (stop, at) - at)));
  if (take_word (reader, "plan")) {
    act->goal = take_expression (reader, stops);
    return act->goal >= 0;
  }
  /* One word that is no motor is an action. */
  for (after = at; after < stop && is_name_part (*after); after++)
    ;
  if (what >= 0 && after > at && strlen (act->text) == (size_t) (after - at)) {
    bool known = false;

    for (guint k = 0; k < G_N_ELEMENTS (motor_names); k++)
      known = known || g_str_equal (motor_names[k].name, act->text);
    if (!known) {
      refer (reader, act->text, what, holder, 0);
      reader->at = stop;
      return true;
    }
  }
  reader->end = stop;
  do {
    good = take_motor (reader, joiner);
    act->n += good;
  } while (good && take_word (reader, "and"));
  good = good && expect_end (reader);
  reader->end = end;
  reader->at = stop;
  return good;
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
    if (!take_sign (reader, '='))
      return agent_fail (reader, reader->at, "= is missing after %s", name);
    start = take_expression (reader, stops);
    if (start < 0)
      return false;
  }
  while (kind != FACT_TRAIT) {
    if (take_word (reader, "start"))
      start = take_expression (reader, stops);
    else if (take_word (reader, kind == FACT_URGE ? "rate" : "decay"))
      change = take_expression (reader, stops);
    else
      break;
  }
  if (!expect_end (reader))
    return false;
  index = find_fact (reader, name);
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
  static const char *const stops[] = { "radius", "fov", "noise", "reach", "threshold", "pixels", NULL };
  AgentSenses *senses = &reader->program->senses;
  int *const places[] = { &senses->radius, &senses->fov,       &senses->noise,
                          &senses->reach,  &senses->threshold, &senses->pixels };
  const char *at;
  g_autofree char *kind = NULL;

  skip_blanks (reader);
  at = reader->at;
  kind = agent_take_name (reader, "a sense");
  if (kind == NULL)
    return false;
  if (g_str_equal (kind, "all"))
    senses->all = true;
  else if (g_str_equal (kind, "sight"))
    senses->sight = true;
  else if (g_str_equal (kind, "rendered"))
    senses->sight = senses->rendered = true;
  else if (g_str_equal (kind, "touch"))
    senses->touch = true;
  else if (g_str_equal (kind, "hearing"))
    senses->hearing = true;
  else
    return agent_fail (reader, at, "no sense is called %s: use all, sight, rendered, touch or hearing", kind);
  senses->given = true;
  for (bool more = true; more;) {
    more = false;
    for (guint k = 0; stops[k] != NULL; k++)
      if (take_word (reader, stops[k])) {
        *places[k] = take_expression (reader, stops);
        if (*places[k] < 0)
          return false;
        more = true;
      }
  }
  return expect_end (reader);
}

static bool
read_scent (AgentReader *reader)
{
  static const char *const stops[] = { "decay", "spread", NULL };
  g_autofree char *name = agent_take_name (reader, "a scent");
  const int index = name != NULL ? find_scent (reader, name) : -1;
  int decay = -1, spread = -1;

  if (index < 0)
    return false;
  for (;;) {
    if (take_word (reader, "decay"))
      decay = take_expression (reader, stops);
    else if (take_word (reader, "spread"))
      spread = take_expression (reader, stops);
    else
      break;
  }
  g_array_index (reader->program->scents, AgentScent, index).decay = decay;
  g_array_index (reader->program->scents, AgentScent, index).spread = spread;
  return expect_end (reader);
}

static bool
read_rule (AgentReader *reader)
{
  static const char *const then[] = { "then", NULL }, *const none[] = { NULL };
  AgentRule rule = { 0, reader->line, 1, -1, 0, 0 };
  const char *from;

  skip_blanks (reader);
  if (!at_word (reader, reader->at, "if")) {
    g_autofree char *text = g_strndup (reader->at, (gsize) (reader->end - reader->at));
    char *end;

    rule.priority = g_ascii_strtod (text, &end);
    if (end == text || !isfinite (rule.priority))
      return agent_fail (reader, reader->at, "a rule is: rule PRIORITY if EXPRESSION then NAME = EXPRESSION");
    reader->at += end - text;
  }
  if (!take_word (reader, "if"))
    return agent_fail (reader, reader->at, "\"if\" is missing");
  from = reader->at;
  rule.condition = take_expression (reader, then);
  rule.terms = count_terms (from, reader->at);
  if (rule.condition < 0)
    return false;
  if (!take_word (reader, "then"))
    return agent_fail (reader, reader->at, "\"then\" is missing");
  if (!take_assignments (reader, none, &rule.first, &rule.n) || !expect_end (reader))
    return false;
  if (reader->program->rules->len == AGENT_MAX_ITEMS)
    return agent_fail (reader, reader->start, "more than %d rules: use fewer", AGENT_MAX_ITEMS);
  g_array_append_val (reader->program->rules, rule);
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
  static const char *const stops[] = { "set", "class", "value", "when", "do", "with", "satisfies", "inhibits", NULL };
  static const char *const classes[] = { "suggestion", "desire", "imperative" };
  guint set;

  for (;;) {
    g_autofree char *name = NULL;

    if (take_word (reader, "set")) {
      name = agent_take_name (reader, "a set");
      if (name == NULL)
        return false;
      set = find_or_add (reader->program->sets, name);
      if (set >= AGENT_MAX_SETS)
        return agent_fail (reader, reader->at, "more than %d sets of behaviours: use fewer", AGENT_MAX_SETS);
      behaviour->set = set;
    } else if (take_word (reader, "class")) {
      guint k = 0;

      while (k < G_N_ELEMENTS (classes) && !take_word (reader, classes[k]))
        k++;
      if (k == G_N_ELEMENTS (classes))
        return agent_fail (reader, reader->at, "a class is imperative, desire or suggestion");
      behaviour->klass = (AgentClass) k;
    } else if (take_word (reader, "value")) {
      if ((behaviour->value = take_expression (reader, stops)) < 0)
        return false;
    } else if (take_word (reader, "when")) {
      if ((behaviour->when = take_expression (reader, stops)) < 0)
        return false;
    } else if (take_word (reader, "with")) {
      if (!take_word (reader, "speed"))
        return agent_fail (reader, reader->at, "\"speed\" is missing after \"with\"");
      if ((behaviour->speed = take_expression (reader, stops)) < 0)
        return false;
    } else if (take_word (reader, "satisfies")) {
      name = agent_take_name (reader, "what is satisfied");
      if (name == NULL || (behaviour->satisfied = find_fact (reader, name)) < 0 ||
          (behaviour->satisfies = take_expression (reader, stops)) < 0)
        return false;
    } else if (take_word (reader, "inhibits")) {
      int amount;

      name = agent_take_name (reader, "a behaviour");
      if (name == NULL || (amount = take_expression (reader, stops)) < 0)
        return false;
      refer (reader, name, INHIBITS_BEHAVIOUR, index, (guint) amount);
    } else if (take_word (reader, "do")) {
      if (behaviour->act.text != NULL)
        return agent_fail (reader, reader->at, "a behaviour has one \"do\"");
      if (!take_act (reader, stops, &behaviour->act, DO_ACTION, index))
        return false;
    } else
      return expect_end (reader);
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
    good = agent_fail (reader, reader->at, "\"do\" is missing: say what the behaviour does");
  return keep_behaviour (reader, &behaviour, good);
}

static bool
read_action (AgentReader *reader)
{
  static const char *const stops[] = { "needs", "makes", "cost", "takes", "until", "timeout", "do", NULL };
  AgentAction action = { NULL, reader->line, -1, -1, -1, -1, -1, 0, 0, { 0, 0, -1, -1, NULL } };
  struct {
    const char *word;
    int *place;
  } clauses[] = { { "needs", &action.needs },
                  { "cost", &action.cost },
                  { "takes", &action.takes },
                  { "until", &action.until },
                  { "timeout", &action.timeout } };
  bool good, more = true;

  action.name = agent_take_name (reader, "an action");
  good = action.name != NULL;
  while (good && more) {
    more = false;
    for (guint k = 0; good && k < G_N_ELEMENTS (clauses); k++)
      if (take_word (reader, clauses[k].word)) {
        *clauses[k].place = take_expression (reader, stops);
        good = *clauses[k].place >= 0;
        more = true;
      }
    if (good && take_word (reader, "makes"))
      more = good = take_assignments (reader, stops, &action.first, &action.n);
    if (good && action.act.text == NULL && take_word (reader, "do"))
      more = good = take_act (reader, stops, &action.act, -1, 0);
  }
  good = good && expect_end (reader);
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
  static const char *const stops[] = { "to", "when", "after", "weight", "do", NULL };
  AgentTransition transition = { 0, -1, -1, -1 };
  g_autofree char *to = take_state_name (reader);

  if (to == NULL)
    return false;
  refer (reader, to, TO_STATE, reader->program->transitions->len, 0);
  for (;;) {
    int *place = take_word (reader, "when")     ? &transition.when
                 : take_word (reader, "after")  ? &transition.after
                 : take_word (reader, "weight") ? &transition.weight
                                                : NULL;

    if (place == NULL)
      break;
    *place = take_expression (reader, stops);
    if (*place < 0)
      return false;
  }
  g_array_append_val (reader->program->transitions, transition);
  return true;
}

static bool
read_state (AgentReader *reader)
{
  static const char *const stops[] = { "to", "do", NULL };
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
    if (!acts && take_word (reader, "do")) {
      acts = true;
      good = take_act (reader, stops, &behaviour.act, STATE_DO_ACTION, program->behaviours->len);
    } else if (take_word (reader, "to"))
      good = take_transition (reader);
    else
      break;
  }
  good = good && expect_end (reader);
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
  const int kind = name != NULL ? find_or_add_kind (reader, name, reader->at) : -1;
  AgentInterest interest = { (guint) MAX (kind, 0), -1 };

  if (kind < 0)
    return false;
  for (guint i = 0; i < reader->program->interests->len; i++)
    if (g_array_index (reader->program->interests, AgentInterest, i).kind == interest.kind)
      return agent_fail_twice (reader, name);
  if ((interest.weight = take_expression (reader, none)) < 0)
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

  if ((program->memory = take_expression (reader, stops)) < 0)
    return false;
  if (take_word (reader, "extrapolate") && (program->extrapolate = take_expression (reader, stops)) < 0)
    return false;
  return expect_end (reader);
}

static bool
read_statement (AgentReader *reader)
{
  if (take_word (reader, "urge"))
    return read_fact (reader, FACT_URGE);
  if (take_word (reader, "emotion"))
    return read_fact (reader, FACT_EMOTION);
  if (take_word (reader, "trait"))
    return read_fact (reader, FACT_TRAIT);
  if (take_word (reader, "sense"))
    return read_sense (reader);
  if (take_word (reader, "memory"))
    return read_memory (reader);
  if (take_word (reader, "interest"))
    return read_interest (reader);
  if (take_word (reader, "scent"))
    return read_scent (reader);
  if (take_word (reader, "rule"))
    return read_rule (reader);
  if (take_word (reader, "behaviour"))
    return read_behaviour (reader);
  if (take_word (reader, "action"))
    return read_action (reader);
  if (take_word (reader, "state"))
    return read_state (reader);
  return agent_fail (
      reader, reader->at,
      "a statement begins with urge, emotion, trait, sense, memory, interest, scent, rule, behaviour, action or state");
}

/* Orders. */

static bool
agent_take_number (AgentReader *reader, const char *what, double *value)
{
  g_autofree char *text = NULL;
  char *end;

  skip_blanks (reader);
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
  if (take_word (reader, "for")) {
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

  if (!take_word (reader, "at"))
    return agent_fail (reader, reader->at, "an order begins: at FRAME agent INDEX");
  take_word (reader, "frame");
  if (!agent_take_number (reader, "a frame", &order.frame))
    return false;
  if (!take_word (reader, "agent"))
    return agent_fail (reader, reader->at, "\"agent\" is missing");
  if (!take_word (reader, "all")) {
    if (!agent_take_number (reader, "the index of an agent", &agent))
      return false;
    if (agent < 0 || agent > 2147483647.0 || agent != floor (agent))
      return agent_fail (reader, reader->at, "the index of an agent is %g: write a whole number from 0, or all", agent);
    order.agent = (int64_t) agent;
  }
  if (take_word (reader, "do")) {
    AgentBehaviour behaviour = new_behaviour ();
    bool good;

    behaviour.name = g_strdup ("order");
    behaviour.klass = CLASS_ORDER;
    behaviour.agent = order.agent;
    behaviour.line = reader->line;
    behaviour.from = order.frame;
    good = take_act (reader, stops, &behaviour.act, DO_ACTION, program->behaviours->len) &&
           take_for (reader, order.frame, &behaviour.until) && expect_end (reader);
    return keep_behaviour (reader, &behaviour, good);
  }
  if (take_word (reader, "be")) {
    g_autofree char *name = agent_take_name (reader, "a behaviour");

    if (name == NULL)
      return false;
    refer (reader, name, BE_BEHAVIOUR, program->orders->len, 0);
    if (!take_for (reader, order.frame, &order.until))
      return false;
  } else if (take_word (reader, "set")) {
    g_autofree char *name = agent_take_name (reader, "what is set");

    if (name == NULL || (order.fact = find_fact (reader, name)) < 0)
      return false;
    if (!take_sign (reader, '='))
      return agent_fail (reader, reader->at, "= is missing after %s", name);
    if ((order.value = take_expression (reader, none)) < 0)
      return false;
  } else if (take_word (reader, "plan")) {
    do {
      g_autofree char *name = agent_take_name (reader, "an action");

      if (name == NULL)
        return false;
      if (order.n_plan == AGENT_MAX_PLAN)
        return agent_fail (reader, reader->at, "more than %d actions in a plan", AGENT_MAX_PLAN);
      refer (reader, name, PLAN_ACTION, program->orders->len, order.n_plan++);
      skip_blanks (reader);
    } while (reader->at < reader->end);
  } else
    return agent_fail (reader, reader->at, "an order is do, be, set or plan");
  if (!expect_end (reader))
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
    skip_blanks (reader);
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

static void
resolve (AgentReader *reader, const AgentReference *reference)
{
  AgentProgram *program = reader->program;
  const int found = find_item (program, reference->what, reference->name);

  if (found < 0) {
    agent_report (reader, "%s %u: nothing that fits is called %s: declare it, or correct the name", reference->label,
                  reference->line, reference->name);
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
      agent_report (reader, "line %u: the state %s lies in %s, which is not there: add a line state %s", state->line,
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
  find_or_add (reader->program->sets, "move");
  read_lines (reader, "line", text, read_statement);
  read_lines (reader, "orders, line", orders, read_order);
  for (guint i = 0; i < reader->program->motors->len && reader->program->interests->len == 0; i++)
    if (g_array_index (reader->program->motors, AgentMotor, i).target == TARGET_INTEREST) {
      agent_report (reader, "nothing is of interest: add lines such as interest food 2, or name another target");
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
      if ((at == text || !is_name_part (at[-1])) && !is_name_part (at[length]))
        return true;
  }
  return false;
}
