/* agent_words: see agent_words.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_words.h"

#include <stdarg.h>
#include <string.h>

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

bool
agent_fail (AgentReader *reader, const char *at, const char *format, ...)
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

bool
agent_fail_twice (AgentReader *reader, const char *name)
{
  return agent_fail (reader, reader->start, "%s is declared twice: remove one of them, or rename it", name);
}

/* Words. */

static bool
is_name_start (char c)
{
  return g_ascii_isalpha (c) || c == '_';
}

bool
agent_is_name_part (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

void
agent_skip_blanks (AgentReader *reader)
{
  while (reader->at < reader->end && g_ascii_isspace (*reader->at))
    reader->at++;
}

bool
agent_at_word (const AgentReader *reader, const char *at, const char *word)
{
  const size_t length = strlen (word);

  return (size_t) (reader->end - at) >= length && memcmp (at, word, length) == 0 &&
         (at + length == reader->end || !agent_is_name_part (at[length]));
}

bool
agent_take_word (AgentReader *reader, const char *word)
{
  agent_skip_blanks (reader);
  if (!agent_at_word (reader, reader->at, word))
    return false;
  reader->at += strlen (word);
  return true;
}

char *
agent_take_name (AgentReader *reader, const char *what)
{
  const char *start;

  agent_skip_blanks (reader);
  start = reader->at;
  if (start == reader->end || !is_name_start (*start)) {
    agent_fail (reader, start, "the name of %s is missing", kg_translate (what));
    return NULL;
  }
  while (reader->at < reader->end && agent_is_name_part (*reader->at))
    reader->at++;
  if (reader->at - start > 60) {
    agent_fail (reader, start, "a name of more than 60 letters: shorten it");
    return NULL;
  }
  return g_strndup (start, (gsize) (reader->at - start));
}

bool
agent_take_sign (AgentReader *reader, char sign)
{
  agent_skip_blanks (reader);
  if (reader->at == reader->end || *reader->at != sign)
    return false;
  reader->at++;
  return true;
}

bool
agent_expect_end (AgentReader *reader)
{
  agent_skip_blanks (reader);
  return reader->at == reader->end || agent_fail (reader, reader->at, "\"%.*s\" is not expected here",
                                                  (int) MIN (reader->end - reader->at, 40), reader->at);
}

/* Names of what a program has. */

guint
agent_find_or_add (GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (g_str_equal (names->pdata[i], name))
      return i;
  g_ptr_array_add (names, g_strdup (name));
  return names->len - 1;
}

int
agent_find_or_add_kind (AgentReader *reader, const char *name, const char *at)
{
  const guint kind = agent_find_or_add (reader->program->kinds, name);

  if (kind >= AGENT_MAX_ITEMS) {
    agent_fail (reader, at, "more than %d kinds of things: use fewer", AGENT_MAX_ITEMS);
    return -1;
  }
  return (int) kind;
}

/* Under these names the state keeps what agents have besides facts: a fact of the same name would take its place. */
static bool
is_kept (const char *name)
{
  static const char *const kept[] = { "P",       "v",     "own_place",  "orient",     "home",       "wander", "speed",
                                      "bank",    "since", "phase",      "gaze",       "plan_since", "state",  "target",
                                      "arrived", "lost",  "holds",      "claims",     "gone",       "clip",   "plan",
                                      "plan_at", "fired", "behaviours", "since_outer" };

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    if (g_str_equal (kept[i], name))
      return true;
  return g_str_has_prefix (name, "past_") || g_str_has_prefix (name, "memory_") || g_str_has_prefix (name, "want_");
}

int
agent_find_fact (AgentReader *reader, const char *name)
{
  const GArray *facts = reader->program->facts;
  AgentFact fact = { NULL, FACT_PLAIN, -1, -1 };

  for (guint i = 0; i < facts->len; i++)
    if (g_str_equal (g_array_index (facts, AgentFact, i).name, name))
      return (int) i;
  if (is_kept (name)) {
    agent_fail (reader, reader->at, "%s is an attribute that all agents have: choose another name", name);
    return -1;
  }
  if (facts->len == AGENT_MAX_FACTS) {
    agent_fail (reader, reader->at, "more than %d facts: use fewer", AGENT_MAX_FACTS);
    return -1;
  }
  fact.name = g_strdup (name);
  g_array_append_val (reader->program->facts, fact);
  return (int) facts->len - 1;
}

int
agent_find_scent (AgentReader *reader, const char *name)
{
  const GArray *scents = reader->program->scents;
  AgentScent scent = { NULL, -1, -1 };

  for (guint i = 0; i < scents->len; i++)
    if (g_str_equal (g_array_index (scents, AgentScent, i).name, name))
      return (int) i;
  if (g_str_equal (name, "P")) {
    agent_fail (reader, reader->at, "P is the positions of the grid of scents: choose another name");
    return -1;
  }
  if (scents->len == 4) {
    agent_fail (reader, reader->at, "more than 4 scents: use fewer");
    return -1;
  }
  scent.name = g_strdup (name);
  g_array_append_val (reader->program->scents, scent);
  return (int) scents->len - 1;
}

void
agent_refer (AgentReader *reader, const char *name, int what, guint holder, guint place)
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
    found = agent_find_or_add_kind (reader, subject, at);
    program->sensed |= found >= 0 ? (guint64) 1 << found : 0;
    program->recalled |= found >= 0 && ask == ASK_REMEMBERS ? (guint64) 1 << found : 0;
  } else if (ask == ASK_SMELL)
    found = agent_find_scent (reader, subject);
  else
    agent_refer (reader, subject, ask == ASK_IN ? IN_STATE : DOING_BEHAVIOUR, program->questions->len, 0);
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

    if (!is_name_start (*at) || (at > text && (agent_is_name_part (at[-1]) || at[-1] == '.'))) {
      at++;
      continue;
    }
    while (agent_is_name_part (*at))
      at++;
    for (int k = 0; k < N_ASKS; k++)
      if (strlen (ask_names[k]) == (size_t) (at - name) && memcmp (ask_names[k], name, (size_t) (at - name)) == 0)
        ask = k;
    open = at + strspn (at, " \t");
    if (ask < 0 || *open != '(')
      continue;
    subject = open + 1 + strspn (open + 1, " \t");
    for (subject_end = subject; agent_is_name_part (*subject_end) || (ask > ASK_SMELL && *subject_end == '.');
         subject_end++)
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
                             : is_name_start (*at) && (at == reader->start || !agent_is_name_part (at[-1])) &&
                                   agent_at_word (reader, at, stops[k]))
        return at;
    }
  }
  return reader->end;
}

int
agent_take_expression (AgentReader *reader, const char *const *stops)
{
  const char *from = reader->at, *to = find_stop (reader, stops);

  reader->at = to;
  return add_expression (reader, from, to);
}

guint
agent_count_terms (const char *from, const char *to)
{
  guint n = 1;

  for (const char *at = from; at + 1 < to; at++)
    n += (at[0] == '&' && at[1] == '&') || (at + 3 < to && memcmp (at, "and", 3) == 0 && at > from &&
                                            !agent_is_name_part (at[-1]) && !agent_is_name_part (at[3]));
  return n;
}

bool
agent_take_assignments (AgentReader *reader, const char *const *stops, guint *first, guint *n)
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
    assignment.fact = agent_find_fact (reader, name);
    if (assignment.fact < 0)
      return false;
    if (!agent_take_sign (reader, '='))
      return agent_fail (reader, reader->at, "= is missing after %s", name);
    assignment.value = agent_take_expression (reader, with_comma);
    if (assignment.value < 0)
      return false;
    g_array_append_val (reader->program->assignments, assignment);
    (*n)++;
  } while (agent_take_sign (reader, ','));
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
    if (agent_take_word (reader, of_kind[k].word)) {
      g_autofree char *kind = agent_take_name (reader, "a kind of things");
      const int found = kind != NULL ? agent_find_or_add_kind (reader, kind, reader->at) : -1;

      if (found < 0)
        return false;
      motor->target = of_kind[k].target;
      motor->subject = (guint) found;
      reader->program->sensed |= (guint64) 1 << found;
      reader->program->recalled |= motor->target == TARGET_REMEMBERED ? (guint64) 1 << found : 0;
      return true;
    }
  if (agent_take_word (reader, "home")) {
    motor->target = TARGET_HOME;
    return true;
  }
  if (agent_take_word (reader, "interest")) {
    motor->target = TARGET_INTEREST;
    return true;
  }
  if (agent_take_word (reader, "mine")) {
    motor->target = TARGET_MINE;
    return true;
  }
  if (agent_take_word (reader, "thing")) {
    motor->target = TARGET_THING;
    motor->place[0] = agent_take_expression (reader, stops);
    return motor->place[0] >= 0;
  }
  if (agent_take_sign (reader, '(')) {
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
      if (!agent_take_sign (reader, c < 2 ? ',' : ')'))
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

  agent_skip_blanks (reader);
  at = reader->at;
  word = agent_take_name (reader, "a motor");
  if (word == NULL)
    return false;
  while (k < G_N_ELEMENTS (motor_names) && !g_str_equal (motor_names[k].name, word))
    k++;
  if (k == G_N_ELEMENTS (motor_names))
    return agent_fail (
        reader, at, "unknown motor or action %s: use a motor such as seek, wander or goto, or declare an action", word);
  motor.kind = motor_names[k].kind;
  if (motor_names[k].target && !take_target (reader, &motor, stops))
    return false;
  switch (motor.kind) {
  case MOTOR_FOLLOW:
  case MOTOR_DRIVE:
    motor.amount = agent_take_expression (reader, stops);
    if (motor.amount < 0)
      return false;
    break;
  case MOTOR_CLIMB:
  case MOTOR_MARK:
  case MOTOR_PLAY:
    name = motor.kind == MOTOR_PLAY ? agent_take_name (reader, "a clip") : agent_take_name (reader, "a scent");
    if (name == NULL)
      return false;
    scent = motor.kind == MOTOR_PLAY ? (int) agent_find_or_add (reader->program->clips, name) + 1
                                     : agent_find_scent (reader, name);
    if (scent < 0)
      return false;
    motor.subject = (guint) scent;
    if (motor.kind != MOTOR_PLAY && agent_take_word (reader, "at")) {
      motor.amount = agent_take_expression (reader, stops);
      if (motor.amount < 0)
        return false;
    }
    break;
  default:
    if (agent_take_word (reader, "within") || agent_take_word (reader, "at")) {
      motor.amount = agent_take_expression (reader, stops);
      if (motor.amount < 0)
        return false;
    }
  }
  g_array_append_val (reader->program->motors, motor);
  return true;
}

bool
agent_take_act (AgentReader *reader, const char *const *stops, AgentDo *act, int what, guint holder)
{
  static const char *const joiner[] = { "and", NULL };
  const char *stop = find_stop (reader, stops), *end = reader->end, *at;
  const char *after;
  bool good = true;

  agent_skip_blanks (reader);
  at = reader->at;
  *act = (AgentDo){ reader->program->motors->len, 0, -1, -1, NULL };
  act->text = g_strstrip (g_strndup (at, (gsize) (MAX (stop, at) - at)));
  if (agent_take_word (reader, "plan")) {
    act->goal = agent_take_expression (reader, stops);
    return act->goal >= 0;
  }
  /* One word that is no motor is an action. */
  for (after = at; after < stop && agent_is_name_part (*after); after++)
    ;
  if (what >= 0 && after > at && strlen (act->text) == (size_t) (after - at)) {
    bool known = false;

    for (guint k = 0; k < G_N_ELEMENTS (motor_names); k++)
      known = known || g_str_equal (motor_names[k].name, act->text);
    if (!known) {
      agent_refer (reader, act->text, what, holder, 0);
      reader->at = stop;
      return true;
    }
  }
  reader->end = stop;
  do {
    good = take_motor (reader, joiner);
    act->n += good;
  } while (good && agent_take_word (reader, "and"));
  good = good && agent_expect_end (reader);
  reader->end = end;
  reader->at = stop;
  return good;
}
