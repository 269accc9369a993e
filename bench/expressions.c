/* expressions: times setting up expressions and evaluating them at a million points, and prints one line for each: name,
 * seconds (median of the runs).  bench/numpy-expressions.py does the same with NumPy.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kineograph.h"
#include "times.h"

#define RUNS 15
#define POINTS 1000000
#define SET_UPS 2000

static double seconds[RUNS];

static void
report (const char *name)
{
  report_median (name, seconds, RUNS);
}

/* Ten operations each. */
static void
measure_points (const char *name, const char *text)
{
  const KgFormulaVariable variables[] = { { "x", 1, true }, { "y", 1, true }, { "a", 1, false } };
  g_autoptr (KgProgram) program = kg_formula_compile (text, variables, G_N_ELEMENTS (variables), NULL);
  g_autofree double *x = g_new (double, POINTS), *y = g_new (double, POINTS), *result = g_new0 (double, POINTS);
  const double a = 0.3;

  for (size_t i = 0; i < POINTS; i++) {
    x[i] = 4.0 * (double) i / POINTS - 2;
    y[i] = 1.5 - (double) i / POINTS;
  }
  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

    kg_program_run (program, (const double *[]){ x, y, &a }, POINTS, &result);
    seconds[r] = now () - start;
  }
  report (name);
}

static void
measure_set_up (const char *name, const char *text)
{
  const KgMoment moment = { .time = 0.5, .frame = 13, .rate = 24, .start = 1, .end = 48 };
  double result;

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

    for (guint i = 0; i < SET_UPS; i++) {
      g_autoptr (KgExpression) expression = kg_expression_new (text, NULL);

      kg_expression_evaluate (expression, &moment, (const double[]){ 1, 2, 3, 4 }, &result, NULL);
    }
    seconds[r] = (now () - start) / SET_UPS;
  }
  report (name);
}

static void
measure_one (const char *name, const char *text)
{
  const KgMoment moment = { .time = 0.5, .frame = 13, .rate = 24, .start = 1, .end = 48 };
  g_autoptr (KgExpression) expression = kg_expression_new (text, NULL);
  double result;

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

    for (guint i = 0; i < SET_UPS; i++)
      kg_expression_evaluate (expression, &moment, (const double[]){ 1, 2, 3, 4 }, &result, NULL);
    seconds[r] = (now () - start) / SET_UPS;
  }
  report (name);
}

int
main (void)
{
  measure_points ("expression-arithmetic", "(x * x + y * y - a) * (x - y) / (1 + x * x * y * y)");
  measure_points ("expression-root", "sqrt (x * x + y * y) * (x - a) + abs (y) / (2 + x) - x");
  measure_points ("expression-choice", "x * y > a ? x + 2 * y : max (x, y) - a * x");
  measure_points ("expression-sine", "sin (x * 3 + a) * cos (y * 2 - a) + 0.5 * x * y - a");
  measure_points ("expression-power", "exp (-(x * x + y * y)) * 2 + (x - a) * (y + a) - x");
  measure_set_up ("expression-set-up", "1 + 0.2 * nod.value + sin (t * 2 * pi)");
  measure_one ("expression-evaluate", "1 + 0.2 * nod.value + sin (t * 2 * pi)");
  return 0;
}
