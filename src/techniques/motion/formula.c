/* formula: a typed formula of one variable as a function.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/formula.h"

#include "kg-expression.h"

typedef struct {
  KgExpression *expression;
  double low, high;
  GError *error;
} Formula;

static double
get_value (gpointer data, double x)
{
  Formula *formula = (Formula *) data;
  const KgMoment moment = { .time = x, .frame = x, .rate = 1, .start = formula->low, .end = formula->high };
  double result = 0;

  if (formula->error != NULL)
    return 0;
  if (!kg_expression_evaluate (formula->expression, &moment, NULL, &result, &formula->error)) {
    kg_prefix_error (&formula->error, "at t = %g: ", x);
    return 0;
  }
  return result;
}

Pieces *
formula_to_pieces (const char *text, double low, double high, GError **error)
{
  g_autoptr (KgExpression) expression = kg_expression_new (text, error);
  Formula formula = { .expression = expression, .low = low, .high = high };
  g_autoptr (Pieces) pieces = NULL;

  if (expression == NULL)
    return NULL;
  if (kg_expression_get_n_references (expression) > 0) {
    const KgReference *reference = kg_expression_get_reference (expression, 0);

    kg_set_error (error, KG_ERROR_EXPRESSION, "%s.%s cannot be read here: the formula can only use t", reference->node,
                  reference->slot);
    kg_prefix_column (error, reference->column);
    return NULL;
  }
  if (kg_expression_get_n_results (expression) != 1) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "%u results: enter a single formula",
                  kg_expression_get_n_results (expression));
    return NULL;
  }
  if (!(high > low)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a formula from %g to %g: the end must be greater than the start", low,
                  high);
    return NULL;
  }
  pieces = pieces_new_function (get_value, &formula, low, high, error);
  if (formula.error != NULL) {
    g_clear_error (error);
    g_propagate_error (error, formula.error);
    return NULL;
  }
  return g_steal_pointer (&pieces);
}
