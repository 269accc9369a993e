/* curve_formula: a curve that knows the formula it was sampled from.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_formula.h"

#include "kg-expression.h"

#include <float.h>

#define DEGREE 7
#define ORDERS CURVE_FORMULA_ORDERS
#define N_LINES 4

char *
curve_formula_write (const char *variable, const double numbers[CURVE_FORMULA_NUMBERS], const char *x, const char *y,
                     const char *z)
{
  GString *text = g_string_new (variable);
  const char *const formulas[] = { x != NULL ? x : variable, y, z != NULL ? z : "0" };
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < CURVE_FORMULA_NUMBERS; i++)
    g_string_append_printf (text, " %s", g_ascii_dtostr (digits, sizeof digits, numbers[i]));
  for (guint i = 0; i < 3; i++) {
    g_autofree char *line = g_strdelimit (g_strdup (formulas[i]), "\r\n", ' ');

    g_string_append_printf (text, "\n%s", line);
  }
  return g_string_free (text, FALSE);
}

/* (transfer full) (nullable) One coordinate and its derivatives, as results. */
static KgProgram *
compile (const char *text, const char *variable)
{
  const KgFormulaVariable variables[] = {
    { variable, 1, true }, { "a", 1, false }, { "b", 1, false }, { "c", 1, false }, { "d", 1, false }
  };
  KgProgram *program = kg_formula_compile (text, variables, G_N_ELEMENTS (variables), NULL);

  if (program != NULL && kg_program_get_n_results (program) != 1)
    g_clear_pointer (&program, kg_program_unref);
  for (guint order = 1; order < ORDERS && program != NULL; order++) {
    KgProgram *derived = kg_program_add_derivatives (program, order - 1, 1, 0, NULL);

    kg_program_unref (program);
    program = derived;
  }
  return program;
}

struct _CurveFormula {
  KgProgram *programs[3]; /* of each coordinate */
  double numbers[CURVE_FORMULA_NUMBERS];
};

void
curve_formula_free (CurveFormula *formula)
{
  for (guint c = 0; c < 3; c++)
    g_clear_pointer (&formula->programs[c], kg_program_unref);
  g_free (formula);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CurveFormula, curve_formula_free)

/* (transfer full) (nullable) */
static CurveFormula *
read_formula (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", N_LINES);
  g_auto (GStrv) words = NULL;
  g_autoptr (CurveFormula) formula = g_new0 (CurveFormula, 1);

  if (g_strv_length (lines) != N_LINES)
    return NULL;
  words = g_strsplit (lines[0], " ", 1 + CURVE_FORMULA_NUMBERS);
  if (g_strv_length (words) != 1 + CURVE_FORMULA_NUMBERS)
    return NULL;
  for (guint i = 0; i < CURVE_FORMULA_NUMBERS; i++)
    formula->numbers[i] = g_ascii_strtod (words[1 + i], NULL);
  for (guint c = 0; c < 3; c++) {
    formula->programs[c] = compile (lines[1 + c], words[0]);
    if (formula->programs[c] == NULL)
      return NULL;
  }
  return g_steal_pointer (&formula);
}

/* places: n of the variable; values: ORDERS arrays of n for each coordinate. */
static void
compute (const CurveFormula *formula, const double *places, size_t n, double *values)
{
  const double *numbers = formula->numbers;

  for (guint c = 0; c < 3; c++) {
    const double *const inputs[] = { places, &numbers[0], &numbers[1], &numbers[2], &numbers[3] };
    double *results[ORDERS];

    for (guint k = 0; k < ORDERS; k++)
      results[k] = values + (c * ORDERS + k) * n;
    kg_program_run (formula->programs[c], inputs, n, results);
  }
}

KgVector
curve_formula_evaluate (const CurveFormula *formula, double place, guint order)
{
  const double *numbers = formula->numbers;
  const double inputs[] = { place, numbers[0], numbers[1], numbers[2], numbers[3] };
  double results[ORDERS];
  KgVector value;

  for (guint c = 0; c < 3; c++) {
    kg_program_call (formula->programs[c], inputs, results);
    *kg_vector_component (&value, c) = results[order];
  }
  return value;
}

static KgVector
get_value (const double *values, size_t n, guint order, size_t i)
{
  return kg_vector (values[order * n + i], values[(ORDERS + order) * n + i], values[(2 * ORDERS + order) * n + i]);
}

static double
get_extent (const CurveControl *control)
{
  double extent = 0;

  for (guint i = 0; i < control->n; i++)
    extent = fmax (extent, kg_vector_get_largest (control->points[i]));
  return extent;
}

/* Whether the points are those that the formula had when it was rounded to floats; at the end of a closed curve too. */
static bool
matches (const CurveControl *control, const double *values, size_t n, size_t stride, double extent)
{
  const double tolerance = 2 * FLT_EPSILON * extent;

  for (size_t i = 0; i < n; i++) {
    const KgVector p = get_value (values, (n - 1) * stride + 1, 0, i * stride);

    if (!(kg_vector_length (kg_vector_subtract (p, control->points[i % control->n])) <= tolerance))
      return false;
  }
  return true;
}

/* Bezier points of one piece, from the left end and, mirrored, from the right. */
static void
build_end (KgVector p, const KgVector d[3], double sign, KgVector *b, int step)
{
  b[0] = p;
  b[step] = kg_vector_add (p, kg_vector_scale (d[0], sign / 7));
  b[2 * step] = kg_vector_add (kg_vector_subtract (kg_vector_scale (b[step], 2), p), kg_vector_scale (d[1], 1.0 / 42));
  b[3 * step] = kg_vector_add (kg_vector_add (kg_vector_scale (kg_vector_subtract (b[2 * step], b[step]), 3), p),
                               kg_vector_scale (d[2], sign / 210));
}

static KgVector
get_middle (const KgVector *b)
{
  static const double binomials[DEGREE + 1] = { 1, 7, 21, 35, 35, 21, 7, 1 };
  KgVector sum = { 0, 0, 0 };

  for (guint k = 0; k <= DEGREE; k++)
    sum = kg_vector_add (sum, kg_vector_scale (b[k], binomials[k] / 128));
  return sum;
}

bool
curve_formula_build (const char *text, const CurveControl *control, CurvePieces *pieces)
{
  const guint spans = control->closed ? control->n : control->n - 1;
  const size_t n = 2 * (size_t) spans + 1; /* with the middles, to see whether pieces follow the formula */
  const double extent = get_extent (control);
  g_autoptr (CurveFormula) formula = NULL;
  g_autofree double *places = NULL, *values = NULL;
  g_autofree KgVector *points = NULL;

  if (control->basis != KG_BASIS_CUBIC_SPLINE || control->n < 2 || control->n_knots != spans + 1)
    return false;
  formula = read_formula (text);
  if (formula == NULL)
    return false;
  places = g_new (double, n);
  values = g_new (double, 3 * ORDERS * n);
  for (size_t i = 0; i < n; i++)
    places[i] = i % 2 == 0 ? control->knots[i / 2] : 0.5 * (control->knots[i / 2] + control->knots[i / 2 + 1]);
  compute (formula, places, n, values);
  if (!matches (control, values, (size_t) spans + 1, 2, extent))
    return false;
  points = g_new (KgVector, (size_t) spans * (DEGREE + 1));
  for (size_t i = 0; i < spans; i++) {
    const double width = control->knots[i + 1] - control->knots[i];
    KgVector *b = points + i * (DEGREE + 1), ends[2][3];

    for (guint end = 0; end < 2; end++)
      for (guint k = 0; k < 3; k++) {
        ends[end][k] = kg_vector_scale (get_value (values, n, k + 1, 2 * (i + end)), pow (width, k + 1));
        if (!kg_vector_is_finite (ends[end][k]))
          return false;
      }
    build_end (get_value (values, n, 0, 2 * i), ends[0], 1, b, 1);
    build_end (get_value (values, n, 0, 2 * i + 2), ends[1], -1, b + DEGREE, -1);
    if (!(kg_vector_length (kg_vector_subtract (get_middle (b), get_value (values, n, 0, 2 * i + 1))) <= 1e-3 * extent))
      return false;
  }
  *pieces = (CurvePieces){ .n = spans,
                           .degree = DEGREE,
                           .points = g_steal_pointer (&points),
                           .knots = (double *) g_memdup2 (control->knots, (spans + 1) * sizeof (double)),
                           .formula = g_steal_pointer (&formula) };
  return true;
}
