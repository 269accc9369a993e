/* kg-expression: the formulas that can feed an input.
 *
 * The text is parsed (kg-expression-parse.c), and compiled to a program (kg-expression-compile.c): at once if it is known
 * how wide all values are, or when the expression is bound to what the graph has.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

struct _KgExpression {
  KgParsed *parsed;
  KgProgram *program; /* NULL: not bound yet */
  guint *widths;      /* that it is bound to; NULL: the known ones */
};

KgExpression *
kg_expression_new_with_names (const char *text, const char *const *names, KgExpressionNames kind, GError **error)
{
  const bool closed = kind == KG_EXPRESSION_NAMES_ONLY;
  g_autoptr (KgParsed) parsed = kg_parsed_new (text, closed);
  KgProgram *program = NULL;
  KgExpression *expression;

  /* All of them, in their order: callers give a value for each. */
  for (guint i = 0; closed && names[i] != NULL; i++)
    kg_parsed_add_reference (parsed, (const char *[]){ "", names[i], NULL }, 1, 1);
  if (!kg_parsed_read (parsed, names, error) ||
      !kg_parsed_compile (parsed, (const guint *) (gpointer) parsed->widths->data, NULL, NULL, &parsed->n_results,
                          &program, error))
    return NULL;
  expression = g_new0 (KgExpression, 1);
  expression->parsed = g_steal_pointer (&parsed);
  expression->program = program;
  return expression;
}

KgExpression *
kg_expression_new (const char *text, GError **error)
{
  return kg_expression_new_with_names (text, NULL, KG_EXPRESSION_NAMES_BESIDE, error);
}

KgProgram *
kg_formula_compile (const char *text, const KgFormulaVariable *variables, guint n_variables, GError **error)
{
  g_autoptr (KgParsed) parsed = kg_parsed_new (text, true);
  g_autofree const char **names = g_new0 (const char *, n_variables + 1);
  g_autofree bool *columns = g_new0 (bool, 4 * n_variables + 1);
  KgProgram *program = NULL;
  guint n = 0;

  for (guint i = 0; i < n_variables; i++) {
    names[i] = variables[i].name;
    kg_parsed_add_reference (parsed, (const char *[]){ "", names[i], NULL }, variables[i].width, 1);
    for (guint c = 0; c < variables[i].width && variables[i].shares == 0; c++)
      columns[n++] = variables[i].column;
  }
  return kg_parsed_read (parsed, names, error) &&
                 kg_parsed_compile (parsed, (const guint *) (gpointer) parsed->widths->data, variables, columns, &n,
                                    &program, error)
             ? program
             : NULL;
}

bool
kg_expression_is_function (const char *word)
{
  return kg_function_find (word, strlen (word)) != NULL;
}

KgExpression *
kg_expression_copy (const KgExpression *expression)
{
  KgExpression *copy = g_new0 (KgExpression, 1);

  g_atomic_ref_count_inc (&expression->parsed->refs);
  copy->parsed = expression->parsed;
  if (expression->program != NULL)
    copy->program = kg_program_ref (expression->program);
  if (expression->widths != NULL)
    copy->widths = (guint *) g_memdup2 (expression->widths, expression->parsed->references->len * sizeof *copy->widths);
  return copy;
}

void
kg_expression_free (KgExpression *expression)
{
  if (expression == NULL)
    return;
  kg_parsed_unref (expression->parsed);
  g_clear_pointer (&expression->program, kg_program_unref);
  g_free (expression->widths);
  g_free (expression);
}

guint
kg_expression_get_n_results (const KgExpression *expression)
{
  return expression->program != NULL ? kg_program_get_n_results (expression->program) : expression->parsed->n_results;
}

guint
kg_expression_get_n_references (const KgExpression *expression)
{
  return expression->parsed->references->len;
}

const KgReference *
kg_expression_get_reference (const KgExpression *expression, guint index)
{
  g_return_val_if_fail (index < expression->parsed->references->len, NULL);
  return &g_array_index (expression->parsed->references, KgReference, index);
}

bool
kg_expression_uses_time (const KgExpression *expression)
{
  return expression->parsed->uses_time;
}

bool
kg_expression_bind (KgExpression *expression, const guint *widths, GError **error)
{
  const guint n = expression->parsed->references->len;
  const guint *bound = expression->widths != NULL ? expression->widths
                                                  : (const guint *) (gpointer) expression->parsed->widths->data;
  KgProgram *program = NULL;
  guint n_results;

  if (expression->program != NULL && (n == 0 || memcmp (bound, widths, n * sizeof *widths) == 0))
    return true;
  if (!kg_parsed_compile (expression->parsed, widths, NULL, NULL, &n_results, &program, error))
    return false;
  g_clear_pointer (&expression->program, kg_program_unref);
  expression->program = program;
  g_free (expression->widths);
  expression->widths = (guint *) g_memdup2 (widths, n * sizeof *widths);
  return true;
}

/* Binds it to numbers. */
static bool
bind_numbers (KgExpression *expression, GError **error)
{
  const guint n = expression->parsed->references->len;
  g_autofree guint *widths = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++)
    widths[i] = 1;
  return kg_expression_bind (expression, widths, error);
}

/* Where a result starts; all components of a vector start with it. */
static guint
get_result_column (const KgParsed *parsed, guint index)
{
  return kg_text_get_column (
      parsed->text, g_array_index (parsed->results, KgParsedResult, parsed->results->len > 1 ? index : 0).start);
}

bool
kg_expression_evaluate (KgExpression *expression, const KgMoment *moment, const double *values, double *results,
                        GError **error)
{
  const guint first = expression->parsed->closed ? 0 : KG_N_MOMENT;
  double few[64], computed[4 * KG_EXPRESSION_MAX_RESULTS];
  g_autofree double *many = NULL;
  double *inputs = few;
  guint n_inputs, n_results;

  if (expression->program == NULL && !bind_numbers (expression, error))
    return false;
  n_inputs = kg_program_get_n_inputs (expression->program);
  n_results = kg_program_get_n_results (expression->program);
  if (n_inputs > G_N_ELEMENTS (few))
    inputs = many = g_new (double, n_inputs);
  if (first > 0)
    memcpy (inputs, (const double[]){ moment->time, moment->frame, moment->rate, moment->start, moment->end },
            KG_N_MOMENT * sizeof *inputs);
  if (n_inputs > first)
    memcpy (inputs + first, values, (n_inputs - first) * sizeof *inputs);
  kg_program_call (expression->program, inputs, computed);
  for (guint i = 0; i < n_results; i++) {
    if (!isfinite (computed[i])) {
      kg_set_error (error, KG_ERROR_EXPRESSION,
                    "the result is %s: look for a division by zero, a root or logarithm of a negative number, or an "
                    "overflow",
                    isnan (computed[i]) ? _ ("not a number") : _ ("infinite"));
      kg_prefix_column (error, get_result_column (expression->parsed, i));
      return false;
    }
    results[i] = computed[i];
  }
  return true;
}
