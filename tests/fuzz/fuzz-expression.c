/* fuzz-expression: any text may be an expression.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kineograph.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = kg_expression_new (text, &error);
  const KgMoment moment = { 0.5, 13, 24, 1, 100 };

  g_assert_true ((expression == NULL) == (error != NULL));
  if (expression == NULL)
    g_assert_true (g_str_has_prefix (error->message, "column "));
  else {
    static const guint kinds[] = { 1, 3, 4 };
    const guint n = kg_expression_get_n_references (expression);
    g_autofree guint *widths = g_new0 (guint, n + 1);
    g_autofree double *values = g_new0 (double, 4 * n + 1);
    g_autofree char *renamed = kg_expression_rename (text, "a", NULL, "a", NULL);

    for (guint i = 0; i < n; i++)
      widths[i] = kg_expression_get_reference (expression, i)->component != NULL ? 1 : kinds[(i + size) % 3];
    if (!kg_expression_bind (expression, widths, &error))
      g_assert_true (g_str_has_prefix (error->message, "column "));
    else {
      g_autofree double *results = g_new0 (double, kg_expression_get_n_results (expression));

      if (kg_expression_evaluate (expression, &moment, values, results, &error))
        for (guint i = 0; i < kg_expression_get_n_results (expression); i++)
          g_assert_true (isfinite (results[i]));
      else
        g_assert_nonnull (strstr (error->message, ": the result is "));
    }
    g_assert_cmpstr (renamed, ==, text);
  }
  return 0;
}
