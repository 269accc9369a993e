/* agent_program: see agent_program.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_text.h"
#include "group/agent_words.h"

#include <string.h>

static const char *const fixed_names[] = { "time", "dt", "dial1", "dial2", "dial3", "dial4",   "u",       "chance",
                                           "P",    "v",  "speed", "since", "id",    "holding", "arrived", "lost" };

static void
act_clear (AgentDo *act)
{
  g_clear_pointer (&act->text, g_free);
}

static void
fact_clear (gpointer data)
{
  g_free (((AgentFact *) data)->name);
}

static void
question_clear (gpointer data)
{
  g_free (((AgentQuestion *) data)->name);
}

static void
behaviour_clear (gpointer data)
{
  g_free (((AgentBehaviour *) data)->name);
  act_clear (&((AgentBehaviour *) data)->act);
}

static void
action_clear (gpointer data)
{
  g_free (((AgentAction *) data)->name);
  act_clear (&((AgentAction *) data)->act);
}

static void
state_clear (gpointer data)
{
  g_free (((AgentStateItem *) data)->name);
}

static void
scent_clear (gpointer data)
{
  g_free (((AgentScent *) data)->name);
}

static void
expression_clear (gpointer data)
{
  AgentExpression *expression = (AgentExpression *) data;

  g_clear_pointer (&expression->program, kg_program_unref);
  g_free (expression->text);
  g_free (expression->where);
}

static GArray *
new_array (guint size, GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, size);

  if (clear != NULL)
    g_array_set_clear_func (array, clear);
  return array;
}

static AgentProgram *
program_new_empty (void)
{
  AgentProgram *program = g_new0 (AgentProgram, 1);

  program->facts = new_array (sizeof (AgentFact), fact_clear);
  program->questions = new_array (sizeof (AgentQuestion), question_clear);
  program->motors = new_array (sizeof (AgentMotor), NULL);
  program->assignments = new_array (sizeof (AgentAssignment), NULL);
  program->rules = new_array (sizeof (AgentRule), NULL);
  program->behaviours = new_array (sizeof (AgentBehaviour), behaviour_clear);
  program->actions = new_array (sizeof (AgentAction), action_clear);
  program->states = new_array (sizeof (AgentStateItem), state_clear);
  program->transitions = new_array (sizeof (AgentTransition), NULL);
  program->orders = new_array (sizeof (AgentOrder), NULL);
  program->scents = new_array (sizeof (AgentScent), scent_clear);
  program->interests = new_array (sizeof (AgentInterest), NULL);
  program->expressions = new_array (sizeof (AgentExpression), expression_clear);
  program->kinds = g_ptr_array_new_with_free_func (g_free);
  program->sets = g_ptr_array_new_with_free_func (g_free);
  program->clips = g_ptr_array_new_with_free_func (g_free);
  program->attributes = g_ptr_array_new_with_free_func (g_free);
  program->limbs = g_ptr_array_new_with_free_func (g_free);
  program->senses = (AgentSenses){ .radius = -1, .fov = -1, .reach = -1, .threshold = -1, .pixels = -1 };
  for (guint k = 0; k < AGENT_N_CHANNELS; k++)
    program->senses.of[k] = (AgentTiming){ -1, -1, -1 };
  program->memory = program->extrapolate = program->replan = -1;
  return program;
}

void
agent_program_free (AgentProgram *program)
{
  GArray *arrays[] = { program->facts,    program->questions,  program->motors,      program->assignments,
                       program->rules,    program->behaviours, program->actions,     program->states,
                       program->orders,   program->scents,     program->transitions, program->expressions,
                       program->interests };
  GPtrArray *names[] = { program->kinds, program->sets, program->clips, program->attributes, program->limbs };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_ptr_array_unref (names[i]);
  g_free (program);
}

size_t
agent_program_get_bytes (const AgentProgram *program)
{
  return sizeof *program + program->expressions->len * (size_t) 1024 +
         program->behaviours->len * sizeof (AgentBehaviour) + program->orders->len * sizeof (AgentOrder);
}

guint
agent_program_get_first_fact (const AgentProgram *program)
{
  return AGENT_N_FIXED + program->questions->len;
}

guint
agent_program_get_first_attribute (const AgentProgram *program)
{
  return agent_program_get_first_fact (program) + program->facts->len;
}

guint
agent_program_get_n_inputs (const AgentProgram *program)
{
  return agent_program_get_first_attribute (program) + program->attributes->len;
}

/* (transfer full) KgFormulaVariable */
static GArray *
make_variables (const AgentProgram *program)
{
  GArray *variables = new_array (sizeof (KgFormulaVariable), NULL);
  guint input = 0;

  for (guint i = 0; i < G_N_ELEMENTS (fixed_names); i++) {
    const guint width = input == AGENT_P || input == AGENT_V ? 3 : 1;
    const KgFormulaVariable variable = { fixed_names[i], width, input >= AGENT_N_UNIFORM, 0 };

    g_array_append_val (variables, variable);
    input += width;
  }
  g_assert (input == AGENT_N_FIXED);
  for (guint i = 0; i < program->questions->len; i++) {
    const KgFormulaVariable variable = { g_array_index (program->questions, AgentQuestion, i).name, 1, true, 0 };

    g_array_append_val (variables, variable);
  }
  for (guint i = 0; i < program->facts->len; i++) {
    const KgFormulaVariable variable = { g_array_index (program->facts, AgentFact, i).name, 1, true, 0 };

    g_array_append_val (variables, variable);
  }
  for (guint i = 0; i < program->attributes->len; i++) {
    const KgFormulaVariable variable = { (const char *) program->attributes->pdata[i], 1, true, 0 };

    g_array_append_val (variables, variable);
  }
  return variables;
}

static bool
compile (AgentProgram *program, const GArray *variables, const char *text, AgentExpression *out, GError **error)
{
  const guint first = agent_program_get_first_fact (program);

  out->program =
      kg_formula_compile (text, (const KgFormulaVariable *) (gpointer) variables->data, variables->len, error);
  if (out->program == NULL)
    return false;
  if (kg_program_get_n_results (out->program) != 1) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "the result is not one number: take a component or a length");
    return false;
  }
  for (guint f = 0; f < program->facts->len; f++)
    if (!kg_program_ignores_input (out->program, first + f))
      out->reads |= (guint64) 1 << f;
  return true;
}

static bool
is_taken (const AgentProgram *program, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (fixed_names); i++)
    if (g_str_equal (fixed_names[i], name))
      return true;
  for (guint i = 0; i < program->facts->len; i++)
    if (g_str_equal (g_array_index (program->facts, AgentFact, i).name, name))
      return true;
  for (guint i = 0; i < program->questions->len; i++)
    if (g_str_equal (g_array_index (program->questions, AgentQuestion, i).name, name))
      return true;
  return false;
}

static int
compare_rules (gconstpointer a, gconstpointer b)
{
  const AgentRule *r = (const AgentRule *) a, *s = (const AgentRule *) b;

  if (r->priority != s->priority)
    return r->priority > s->priority ? -1 : 1;
  if (r->terms != s->terms)
    return r->terms > s->terms ? -1 : 1;
  return r->line < s->line ? -1 : r->line > s->line;
}

static void
compile_all (AgentReader *reader)
{
  AgentProgram *program = reader->program;
  g_autoptr (GArray) variables = make_variables (program);

  for (guint i = 0; i < reader->pending->len && reader->n_problems < AGENT_MAX_PROBLEMS; i++) {
    const AgentPending *pending = &g_array_index (reader->pending, AgentPending, i);
    AgentExpression *expression = &g_array_index (program->expressions, AgentExpression, i);
    g_autoptr (GError) problem = NULL;

    expression->text = g_strdup (pending->typed);
    expression->where = g_strdup_printf ("%s %u", pending->label, pending->line);
    if (!compile (program, variables, pending->text, expression, &problem))
      agent_report (reader, "%s %u, in \"%s\": %s", pending->label, pending->line, pending->typed, problem->message);
  }
}

AgentProgram *
agent_program_new (const char *text, const char *orders, const char *const *attributes, GError **error)
{
  g_autoptr (AgentProgram) program = program_new_empty ();
  g_auto (AgentReader) reader = { .program = program };

  agent_reader_init (&reader);
  agent_reader_read (&reader, text, orders);
  for (guint i = 0; attributes != NULL && attributes[i] != NULL; i++)
    if (!is_taken (program, attributes[i]) && agent_reader_mentions (&reader, attributes[i]))
      g_ptr_array_add (program->attributes, g_strdup (attributes[i]));
  compile_all (&reader);
  g_array_sort (program->rules, compare_rules);
  if (reader.n_problems > 0) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "%s", reader.problems->str);
    return NULL;
  }
  return g_steal_pointer (&program);
}

int
agent_program_add_expression (AgentProgram *program, const char *text, GError **error)
{
  g_autoptr (GArray) variables = make_variables (program);
  AgentExpression expression = { NULL, 0, NULL, NULL };

  if (!compile (program, variables, text, &expression, error)) {
    expression_clear (&expression);
    return -1;
  }
  g_array_append_val (program->expressions, expression);
  return (int) program->expressions->len - 1;
}

void
agent_program_run_raw (const AgentProgram *program, int index, double def, const double *const *inputs, size_t n,
                       double *out)
{
  if (index >= 0) {
    double *const results[] = { out };

    kg_program_run (g_array_index (program->expressions, AgentExpression, index).program, inputs, n, results);
  }
  for (size_t i = 0; i < n && index < 0; i++)
    out[i] = def;
}

void
agent_program_run (const AgentProgram *program, int index, double def, const double *const *inputs, size_t n,
                   double *out)
{
  agent_program_run_raw (program, index, def, inputs, n, out);
  for (size_t i = 0; i < n && index >= 0; i++)
    out[i] = isfinite (out[i]) ? out[i] : 0;
}

double
agent_program_call (const AgentProgram *program, int index, double def, const double *inputs)
{
  double result = def;

  if (index >= 0)
    kg_program_call (g_array_index (program->expressions, AgentExpression, index).program, inputs, &result);
  return isfinite (result) ? result : 0;
}
