/* expression: values against C's own arithmetic, references, exact messages, text that must not crash it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression.h"
#include "kg-field.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static const KgMoment moment = { .time = 0.5, .frame = 13, .rate = 24, .start = 1, .end = 48 };

static double
evaluate (const char *text, const double *values)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = kg_expression_new (text, &error);
  double result = NAN;

  g_assert_no_error (error);
  g_assert_cmpuint (kg_expression_get_n_results (expression), ==, 1);
  kg_expression_evaluate (expression, &moment, values, &result, &error);
  g_assert_no_error (error);
  return result;
}

/* The same operations in the same order give the same bits; only functions of several roundings get a tolerance. */
static void
test_values (void)
{
  const struct {
    const char *text;
    double value;
  } cases[] = {
    { "1", 1 },
    { " 1 + 2 * 3 ", 7 },
    { "(1 + 2) * 3", 9 },
    { "2^3^2", 512 },
    { "-2^2", -4 },
    { "2^-1", 0.5 },
    { "2 - -3", 5 },
    { "2--3", 5 },
    { "- - 4", 4 },
    { "+3", 3 },
    { "- + - -4", -4 },
    { "!-5 + !!7 - !!-!0", 0 },
    { "-!0", -1 },
    { "2 * -!!3", -2 },
    { "1e3", 1000 },
    { "1E-2", 0.01 },
    { ".5", 0.5 },
    { "2.", 2 },
    { "7 / 2", 3.5 },
    { "1e-999", 0 },
    { "1 < 2 && 2 <= 2", 1 },
    { "1 > 2 || 3 != 3", 0 },
    { "!0 + !5", 1 },
    { "1 == 1 ? 10 : 20", 10 },
    { "0 ? 1 : 0 ? 2 : 3", 3 },
    { "1 ? 0 ? 5 : 6 : 7", 6 },
    { "(1 > 2) ? sqrt (4) : -9", -9 },
    { "t", 0.5 },
    { "frame", 13 },
    { "rate", 24 },
    { "end - start", 47 },
    { "pi", 3.141592653589793 },
    { "e", 2.718281828459045 },
    { "sin(t)", 0.479425538604203 },
    { "atan2 (1, -1)", 2.356194490192345 },
    { "log (e)", 1 },
    { "log10 (1000)", 3 },
    { "log2 (8)", 3 },
    { "min (3, 1, 2)", 1 },
    { "max (3, 1, 2)", 3 },
    { "sum (1, 2, 3)", 6 },
    { "avg (1, 2, 3)", 2 },
    { "floor (-1.5)", -2 },
    { "ceil (-1.5)", -1 },
    { "mod (-1, 24)", 23 },
    { "mod (5.5, 2)", 1.5 },
    { "sign (-3)", -1 },
    { "lerp (10, 20, 0.25)", 12.5 },
    { "clamp (5, 0, 3)", 3 },
    { "clamp (-5, 0, 3)", 0 },
    { "fit (5, 0, 10, 100, 200)", 150 },
    { "fit (50, 0, 10, 100, 200)", 200 },
    { "smoothstep (0, 1, 0.25)", 0.15625 },
    { "smoothstep (0, 1, 7)", 1 },
    { "smoothstep (2, 2, 1)", 0 },
    { "degrees (pi)", 180 },
    { "radians (180)", G_PI },
    { "hypot (3, 4)", 5 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double value = evaluate (cases[i].text, NULL);

    if (!(fabs (value - cases[i].value) <= 1e-15 * fmax (1, fabs (value))))
      g_error ("%s is %.17g, expected %.17g", cases[i].text, value, cases[i].value);
  }
}

static void
test_random (void)
{
  double sum = 0, squares = 0;

  g_assert_cmpfloat (evaluate ("random (7)", NULL), ==, evaluate ("random (7)", NULL));
  g_assert_cmpfloat (evaluate ("random (0)", NULL), ==, evaluate ("random (-0)", NULL));
  for (int i = 0; i < 1000; i++) {
    g_autofree char *text = g_strdup_printf ("random (%d)", i);
    const double x = evaluate (text, NULL);

    g_assert_true (x >= 0 && x < 1);
    sum += x;
    squares += x * x;
  }
  /* Mean 1/2 and mean square 1/3 of the uniform distribution; 5 standard deviations of 1000 draws. */
  g_assert_cmpfloat_with_epsilon (sum / 1000, 0.5, 5 * sqrt (1.0 / 12 / 1000));
  g_assert_cmpfloat_with_epsilon (squares / 1000, 1.0 / 3, 5 * sqrt (4.0 / 45 / 1000));
}

static void
test_noise (void)
{
  g_assert_cmpfloat (evaluate ("noise (0.3)", NULL), ==, kg_noise (0, 0.3, 0, 0));
  g_assert_cmpfloat (evaluate ("noise (0.3, 1.7)", NULL), ==, kg_noise (0, 0.3, 1.7, 0));
  g_assert_cmpfloat (evaluate ("noise (0.3, 1.7, -2.2)", NULL), ==, kg_noise (0, 0.3, 1.7, -2.2));
  /* Gradient noise is zero where the lattice is. */
  g_assert_cmpfloat (evaluate ("noise (3, 4, 5)", NULL), ==, 0);
}

static void
test_references (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression)
      expression = kg_expression_new ("1 + 0.2*nod.value + path2.point.y*nod.value - _a.b.x", &error);
  const double values[] = { 10, 3, 0.5 };
  const struct {
    const char *node, *slot, *component;
    guint column;
  } expected[] = { { "nod", "value", NULL, 9 }, { "path2", "point", "y", 21 }, { "_a", "b", "x", 47 } };
  double result;

  g_assert_no_error (error);
  g_assert_cmpuint (kg_expression_get_n_references (expression), ==, 3);
  for (guint i = 0; i < 3; i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);

    g_assert_cmpstr (reference->node, ==, expected[i].node);
    g_assert_cmpstr (reference->slot, ==, expected[i].slot);
    g_assert_cmpstr (reference->component, ==, expected[i].component);
    g_assert_cmpuint (reference->column, ==, expected[i].column);
  }
  g_assert_false (kg_expression_uses_time (expression));
  g_assert_true (kg_expression_evaluate (expression, &moment, values, &result, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (result, ==, 1 + 0.2 * 10 + 3 * 10.0 - 0.5);
}

static void
test_uses_time (void)
{
  const struct {
    const char *text;
    bool timed;
  } cases[] = { { "t", true },        { "2*frame", true },    { "rate + start + end", false },
                { "t.value", false }, { "frame.t.x", false }, { "tan (1)", false } };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (KgExpression) expression = kg_expression_new (cases[i].text, NULL);

    g_assert_cmpint (kg_expression_uses_time (expression), ==, cases[i].timed);
  }
}

static void
test_several_results (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = kg_expression_new ("cos (t), max (1, 2), 1/(a.b - 1)", &error);
  double results[3], one = 1, two = 2;

  g_assert_no_error (error);
  g_assert_cmpuint (kg_expression_get_n_results (expression), ==, 3);
  g_assert_true (kg_expression_evaluate (expression, &moment, &two, results, &error));
  g_assert_cmpfloat (results[0], ==, cos (0.5));
  g_assert_cmpfloat (results[1], ==, 2);
  g_assert_cmpfloat (results[2], ==, 1);
  g_assert_false (kg_expression_evaluate (expression, &moment, &one, results, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
  g_assert_cmpstr (error->message, ==,
                   "column 22: the result is infinite: look for a division by zero, a root or logarithm of a negative "
                   "number, or an overflow");
  g_clear_error (&error);
  /* The failure leaves nothing behind. */
  g_assert_true (kg_expression_evaluate (expression, &moment, &two, results, &error));
}

static void
test_messages (void)
{
  const struct {
    const char *text, *message;
  } cases[] = {
    { "", "column 1: the expression is empty: write a value" },
    { "   ", "column 4: the expression is empty: write a value" },
    { "1 +", "column 4: unexpected end: a value is missing" },
    { "sin (", "column 6: unexpected end: a value is missing" },
    { "(1 + 2", "column 1: this bracket is never closed: write \")\"" },
    { "2 * sin (1", "column 5: this bracket is never closed: write \")\"" },
    { "1 + 2)", "column 6: this \")\" has no matching \"(\": remove it or write \"(\" before it" },
    { ")", "column 1: this \")\" has no matching \"(\": remove it or write \"(\" before it" },
    { "()", "column 2: a value is missing before \")\"" },
    { "1 2", "column 3: an operator is missing before \"2\"" },
    { "2 t", "column 3: an operator is missing before \"t\"" },
    { "2 (3)", "column 3: an operator is missing before \"(\"" },
    { "* 2", "column 1: a value is missing before \"*\"" },
    { "1 ** 2", "column 4: a value is missing before \"*\"" },
    { "1, , 2", "column 4: a value is missing before \",\"" },
    { "2x", "column 1: \"2x\" is neither a number nor a name (a name cannot start with a digit)" },
    { "1+2.5.x", "column 3: \"2.5.x\" is neither a number nor a name (a name cannot start with a digit)" },
    { "1e999", "column 1: the number 1e999 is too large" },
    { "1 + nod",
      "column 5: unknown name \"nod\": write node.slot to read another node, or one of t, frame, rate, start, end, pi, "
      "e" },
    { "nod.", "column 1: the name \"nod.\" is incomplete: write node.slot or node.slot.x" },
    { "nod..x", "column 1: the name \"nod..x\" is incomplete: write node.slot or node.slot.x" },
    { "a.b.x.y", "column 1: the name \"a.b.x.y\" has too many parts: write node.slot or node.slot.x" },
    { "a.b.q", "column 1: \"q\" is not a component: write one of x, y, z, w, r, g, b, a after a.b" },
    { "sin", "column 1: \"sin\" is a function: write its arguments in brackets after it" },
    { "1 + foo (2)", "column 5: unknown function \"foo\"" },
    { "a.b (2)", "column 1: unknown function \"a.b\"" },
    { "sin ()", "column 6: sin needs an argument" },
    { "sin (1, 2)", "column 1: wrong number of arguments (2) for sin: write sin (x)" },
    { "lerp (1, 2)", "column 1: wrong number of arguments (2) for lerp: write lerp (a, b, t)" },
    { "noise (1, 2, 3, 4)",
      "column 1: wrong number of arguments (4) for noise: write noise (x), noise (x, y) or noise (x, y, z)" },
    { "(1, 2)", "column 3: a comma is not allowed in brackets that do not follow a function name" },
    { "1 ? 2", "column 3: this \"?\" has no \":\": write condition ? value : other value" },
    { "max (1 ? 2, 3)", "column 8: this \"?\" has no \":\": write condition ? value : other value" },
    { "1 : 2", "column 3: this \":\" has no \"?\": write condition ? value : other value" },
    { "1 ? (2 : 3)", "column 8: this \":\" has no \"?\": write condition ? value : other value" },
    { "t = 3", "column 3: \"=\" is not allowed here: write == to compare; an expression cannot assign a value" },
    { "1 & 2", "column 3: \"&\" is not allowed here: write && for \"and\"" },
    { "7 % 2", "column 3: \"%\" is not allowed here: write mod (a, b) for a remainder" },
    { "1 ! 2", "column 3: \"!\" must come before a value: write != to compare" },
    { "2 × 3", "column 3: \"×\" is not allowed in an expression" },
    { "\"é\" + 1", "column 1: \"\"\" is not allowed in an expression" },
    { "1 + é", "column 5: \"é\" is not allowed in an expression" },
    { "1\xff", "column 2: the text is not UTF-8" },
    { "[1, 2", "column 1: this bracket is never closed: write \"]\"" },
    { "[1, 2)", "column 1: this bracket is never closed: write \"]\"" },
    { "(1]", "column 1: this bracket is never closed: write \")\"" },
    { "1]", "column 2: this \"]\" has no matching \"[\": remove it or write \"[\" before it" },
    { "[]", "column 2: a value is missing before \"]\"" },
    { "[1]", "column 1: 1 components in brackets: write [x, y] or [x, y, z] for a vector, [r, g, b, a] for a colour" },
    { "a.b[0]", "column 4: \"[\" is not allowed here: write node.slot.x for a component, (...) to group" },
    { "[1, 2, 3] + [1, 2, 3, 4]", "column 11: \"+\" cannot take a vector and a colour: use components" },
    { "2 < [1, 2]", "column 3: \"<\" takes numbers, not a vector: use components or a length" },
    { "not [1, 2]", "column 1: \"not\" takes numbers, not a vector: use components or a length" },
    { "1, [1, 2, 3]", "column 4: a vector among several results: write its components" },
    { "[1, [1, 2], 3]", "column 1: component 2 in these brackets is a vector, not a number" },
    { "[1, 2] ? 3 : 4", "column 8: what stands before \"?\" must be a number, not a vector" },
    { "dot (1, [1, 2])", "column 1: dot cannot take these arguments: write dot (a, b) with two vectors" },
    { "2 + ramp (t, 0, 1, 2)", "column 5: ramp cannot take these arguments: write ramp (x, x0, y0, x1, y1, ...)" },
    { "[1, 2].r", "column 7: a vector has no component \"r\"" },
    { "(t).x", "column 4: a number has no component \"x\"" },
    { "[1, 2].xy",
      "column 7: \".xy\" is not a component: write .x, .y or .z of a vector, .r, .g, .b or .a of a colour" },
    { "v0",
      "column 1: unknown name \"v0\": write node.slot to read another node, or one of t, frame, rate, start, end, pi, e" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (KgExpression) expression = kg_expression_new (cases[i].text, &error);

    g_assert_null (expression);
    g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

static void
test_not_finite (void)
{
  const char *const texts[] = { "1/0",
                                "0/0",
                                "sqrt (-1)",
                                "log (0)",
                                "1e300*1e300",
                                "exp (1000)",
                                "min (1, 0/0)",
                                "max (0/0, 1)",
                                "clamp (0/0, 0, 1)",
                                "fit (1, 2, 2, 0, 1)",
                                "noise (1/0)",
                                "random (0/0)",
                                "mod (1, 0)",
                                "smoothstep (0, 1, 0/0)",
                                "abs (-1/0)" };

  for (size_t i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (KgExpression) expression = kg_expression_new (texts[i], &error);
    double result;

    g_assert_no_error (error);
    g_assert_false (kg_expression_evaluate (expression, &moment, NULL, &result, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
    g_assert_true (g_str_has_prefix (error->message, "column 1: "));
  }
}

/* Numbers of one result. */
static void
evaluate_wide (const char *text, const guint *widths, const double *values, guint n, double *results)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = kg_expression_new (text, &error);

  g_assert_no_error (error);
  if (widths != NULL)
    kg_expression_bind (expression, widths, &error);
  g_assert_no_error (error);
  if (kg_expression_get_n_results (expression) != n)
    g_error ("%s has %u results", text, kg_expression_get_n_results (expression));
  kg_expression_evaluate (expression, &moment, values, results, &error);
  g_assert_no_error (error);
}

static void
test_vectors (void)
{
  const struct {
    const char *text;
    guint n;
    double values[4];
  } cases[] = {
    { "[1, 2, 3]", 3, { 1, 2, 3 } },
    { "[1, 2]", 3, { 1, 2, 0 } },
    { "vector (1, 2, 3) * 2", 3, { 2, 4, 6 } },
    { "2 - [1, 2, 3]", 3, { 1, 0, -1 } },
    { "-[1, 2, 3] + [1, 1, 1]", 3, { 0, -1, -2 } },
    { "[1, 2, 3] * [4, 5, 6] / 2", 3, { 2, 5, 9 } },
    { "[1, 2, 3]^2", 3, { 1, 4, 9 } },
    { "[1, 0.5, 0.25, 1]", 4, { 1, 0.5, 0.25, 1 } },
    { "color (1, 0.5, 0.25)", 4, { 1, 0.5, 0.25, 1 } },
    { "color (1, 0.5, 0.25, 0.5) * 2", 4, { 2, 1, 0.5, 1 } },
    { "dot ([1, 2, 3], [4, 5, 6])", 1, { 32 } },
    { "cross ([1, 2, 3], [4, 5, 6])", 3, { -3, 6, -3 } },
    { "length ([2, 3, 6])", 1, { 7 } },
    { "distance ([1, 1, 1], [3, 4, 7])", 1, { 7 } },
    { "normalize ([0, 3, 4])", 3, { 0, 0.6, 0.8 } },
    { "normalize ([0, 0, 0])", 3, { 0, 0, 0 } },
    { "angle ([1, 0, 0], [0, 2, 0])", 1, { 1.5707963267948966 } },
    { "[1, 2, 3].y", 1, { 2 } },
    { "cross ([1, 0, 0], [0, 1, 0]).z", 1, { 1 } },
    { "([1, 2, 3] + 1).x * 2", 1, { 4 } },
    { "[0.1, 0.2, 0.3, 0.4].a", 1, { 0.4 } },
    { "-[1, 2, 3].y^2", 1, { -4 } },
    { "max ([1, 5, 2], 3)", 3, { 3, 5, 3 } },
    { "clamp ([-1, 0.5, 2], 0, 1)", 3, { 0, 0.5, 1 } },
    { "mix ([0, 0, 0], [2, 4, 8], 0.5)", 3, { 1, 2, 4 } },
    { "floor ([1.5, -1.5, 0])", 3, { 1, -2, 0 } },
    { "t > 0 ? [1, 2, 3] : 0", 3, { 1, 2, 3 } },
    { "t < 0 ? [1, 2, 3] : 7", 3, { 7, 7, 7 } },
    { "[1, 2, 3] == [1, 2, 3]", 1, { 1 } },
    { "[1, 2, 3] == [1, 2, 4]", 1, { 0 } },
    { "[1, 2, 3] != [1, 2, 4]", 1, { 1 } },
    { "ramp (0.5, 0, 10, 1, 20)", 1, { 15 } },
    { "ramp (-1, 0, 10, 1, 20)", 1, { 10 } },
    { "ramp (9, 0, 10, 1, 20)", 1, { 20 } },
    { "ramp (1.25, 0, 10, 1, 20, 2, 40)", 1, { 25 } },
    { "ramp (1, 0, 10, 1, 20, 1, 40, 2, 50)", 1, { 40 } },
    { "ramp (0.5, 0, [0, 0, 0], 1, [2, 4, 6])", 3, { 1, 2, 3 } },
    { "ramp (0.25, 0, 0, 1, color (1, 1, 1, 1))", 4, { 0.25, 0.25, 0.25, 0.25 } },
    { "step (2, 1), step (2, 2)", 2, { 0, 1 } },
    { "not 1 < 2 or true and false", 1, { 0 } },
    { "not (1 > 2) and 3 == 3", 1, { 1 } },
    { "2 + not 0", 1, { 3 } },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    double results[4] = { NAN };

    evaluate_wide (cases[i].text, NULL, NULL, cases[i].n, results);
    for (guint k = 0; k < cases[i].n; k++)
      if (!(fabs (results[k] - cases[i].values[k]) <= 1e-15 * fmax (1, fabs (results[k]))))
        g_error ("%s: %u is %.17g, expected %.17g", cases[i].text, k, results[k], cases[i].values[k]);
  }
  g_assert_cmpfloat (evaluate ("noise ([0.3, 1.7, -2.2])", NULL), ==, kg_noise (0, 0.3, 1.7, -2.2));
}

/* What a reference is decides what the expression makes. */
static void
test_bind (void)
{
  const guint number_and_vector[] = { 1, 3 }, vectors[] = { 3, 3 }, vector_and_color[] = { 3, 4 };
  const double values[] = { 2, 1, 2, 3 }, six[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = kg_expression_new ("a.b * c.d", NULL);
  g_autoptr (KgExpression) copy = NULL;
  double results[4];

  g_assert_cmpuint (kg_expression_get_n_results (expression), ==, 1);
  g_assert_true (kg_expression_bind (expression, number_and_vector, &error));
  g_assert_cmpuint (kg_expression_get_n_results (expression), ==, 3);
  g_assert_true (kg_expression_evaluate (expression, &moment, values, results, &error));
  g_assert_cmpfloat (results[2], ==, 6);
  copy = kg_expression_copy (expression);
  g_assert_true (kg_expression_bind (expression, vectors, &error));
  g_assert_true (kg_expression_evaluate (expression, &moment, six, results, &error));
  g_assert_cmpfloat (results[2], ==, 18);
  g_assert_true (kg_expression_evaluate (copy, &moment, values, results, &error));
  g_assert_cmpfloat (results[1], ==, 4);
  g_assert_false (kg_expression_bind (expression, vector_and_color, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
  g_assert_cmpstr (error->message, ==, "column 5: \"*\" cannot take a vector and a colour: use components");
  /* It stays what it was. */
  g_assert_true (kg_expression_evaluate (expression, &moment, six, results, NULL));
  g_assert_cmpfloat (results[0], ==, 4);
  evaluate_wide ("length (a.b) + (c.d).r + c.d.r", (const guint[]){ 3, 4, 1 },
                 (const double[]){ 0, 3, 4, 0.5, 0, 0, 1, 0.25 }, 1, results);
  g_assert_cmpfloat (results[0], ==, 5.75);
}

static char *
repeat (const char *unit, guint n, const char *middle, const char *tail)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (text, unit);
  g_string_append (text, middle);
  for (guint i = 0; i < n; i++)
    g_string_append (text, tail);
  return g_string_free (text, FALSE);
}

static void
test_deep (void)
{
  const struct {
    const char *unit;
    guint n;
    const char *middle, *tail;
    double value; /* NaN: refused */
  } cases[] = {
    { "(", 2000, "1", ")", 1 },     { "(", 2000, "", "", NAN },    { "(", 2000, "1", "", NAN },
    { "-(", 1000, "1", ")", 1 },    { "abs(", 700, "-1", ")", 1 }, { "1?(", 600, "7", "):0", 7 },
    { "1?", 900, "7", ":0", 7 },    { "0?0:", 1000, "7", "", 7 },  { "- ", 2000, "1", "", 1 },
    { "!", 2001, "1", "", 0 },      { "1+", 2000, "1", "", 2001 }, { "1^", 2000, "1", "", 1 },
    { "max(1,", 500, "2", ")", 2 }, { "(", 5000, "1", "", NAN },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = repeat (cases[i].unit, cases[i].n, cases[i].middle, cases[i].tail);
    g_autoptr (GError) error = NULL;
    g_autoptr (KgExpression) expression = kg_expression_new (text, &error);
    double result;

    if (isnan (cases[i].value)) {
      g_assert_null (expression);
      g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
      continue;
    }
    g_assert_no_error (error);
    g_assert_true (kg_expression_evaluate (expression, &moment, NULL, &result, &error));
    g_assert_cmpfloat (result, ==, cases[i].value);
  }
}

static void
test_too_long (void)
{
  g_autofree char *text = g_strnfill (KG_EXPRESSION_MAX_LENGTH + 1, '1');
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) parts_error = NULL;
  g_autoptr (GString) parts = g_string_new ("1");

  g_assert_null (kg_expression_new (text, &error));
  g_assert_cmpstr (error->message, ==,
                   "column 1: the expression has 4097 bytes, more than 4096: split it into several nodes");
  for (int i = 0; i < 1020; i++)
    g_string_append_printf (parts, "+%c.%c", 'a' + i % 26, i / 26 < 26 ? 'a' + i / 26 : 'A' + i / 26 - 26);
  g_assert_null (kg_expression_new (parts->str, &parts_error));
  g_assert_cmpstr (parts_error->message, ==,
                   "column 1: the expression has too many parts: split it into several nodes");
}

static void
test_rename (void)
{
  const struct {
    const char *text, *renamed;
  } cases[] = {
    { "nod.value", "bow.value" },
    { " 0.2*nod.value  + nod.value.x", " 0.2*bow.value  + bow.value.x" },
    { "nodd.value + a.nod + xnod.y + nod", "nodd.value + a.nod + xnod.y + nod" },
    { "2nod.value", "2nod.value" },
    { "(((nod.", "(((bow." },
    { "é nod.v × nod.w", "é bow.v × bow.w" },
    { "", "" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *renamed = kg_expression_rename (cases[i].text, "nod", NULL, "bow", NULL);

    g_assert_cmpstr (renamed, ==, cases[i].renamed);
  }
}

static void
test_rename_slot (void)
{
  const struct {
    const char *text, *renamed;
  } cases[] = {
    { "nod.y", "nod.out" },
    { "nod.y+2*nod.y.x - nod.yy", "nod.out+2*nod.out.x - nod.yy" },
    { "nodd.y + a.nod.y + xnod.y + nod.x.y", "nodd.y + a.nod.y + xnod.y + nod.x.y" },
    { "", "" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *renamed = kg_expression_rename (cases[i].text, "nod", "y", "nod", "out");

    g_assert_cmpstr (renamed, ==, cases[i].renamed);
  }
}

/* A copy is as good as the original, also when that is gone. */
static void
test_copy (void)
{
  KgMoment at = { .time = 2, .frame = 49, .rate = 24, .start = 1, .end = 100 };
  const double values[] = { 3, 5 };
  KgExpression *original = kg_expression_new ("t*a.b, a.c.x + 1/(t - 2)", NULL);
  g_autoptr (KgExpression) copy = kg_expression_copy (original), second = NULL;
  g_autoptr (GError) error = NULL;
  double results[2];

  kg_expression_free (original);
  second = kg_expression_copy (copy);
  g_assert_cmpuint (kg_expression_get_n_results (copy), ==, 2);
  g_assert_cmpuint (kg_expression_get_n_references (copy), ==, 2);
  g_assert_cmpstr (kg_expression_get_reference (copy, 1)->component, ==, "x");
  g_assert_true (kg_expression_uses_time (copy));
  g_assert_false (kg_expression_evaluate (copy, &at, values, results, &error));
  g_assert_true (g_str_has_prefix (error->message, "column 8: "));
  at.time = 3;
  g_assert_true (kg_expression_evaluate (second, &at, values, results, NULL));
  g_assert_cmpfloat (results[0], ==, 9);
  g_assert_cmpfloat (results[1], ==, 6);
}

/* Every text made of a few tokens: it is refused with a column, or it evaluates; never anything else. */
static void
test_all_short_texts (void)
{
  const char *const tokens[] = { "1", "t", "a.b", "(", ")", ",", "-", "!", "*", "?", ":", "max", "<", "&&", "." };
  const guint n = G_N_ELEMENTS (tokens);
  const double values[4] = { 2, 3, 5, 7 };

  for (guint i = 0; i < n * n * n * n; i++) {
    g_autofree char *text =
        g_strconcat (tokens[i % n], tokens[i / n % n], " ", tokens[i / n / n % n], tokens[i / n / n / n], NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (KgExpression) expression = kg_expression_new (text, &error);
    double results[4];

    if (expression != NULL)
      kg_expression_evaluate (expression, &moment, values, results, &error);
    if (error != NULL && !g_str_has_prefix (error->message, "column "))
      g_error ("%s: %s", text, error->message);
    /* No message ends with a full stop. */
    if (error != NULL && g_str_has_suffix (error->message, "."))
      g_error ("%s: %s", text, error->message);
  }
}

static void
test_locale (void)
{
  const char *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8" };

  for (size_t i = 0; i < G_N_ELEMENTS (locales); i++) {
    if (setlocale (LC_NUMERIC, locales[i]) != NULL)
      g_assert_cmpfloat (evaluate ("max (1.5, 0.25) + 1e-1", NULL), ==, 1.6);
  }
  setlocale (LC_NUMERIC, "C");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/expression/values", test_values);
  g_test_add_func ("/expression/random", test_random);
  g_test_add_func ("/expression/noise", test_noise);
  g_test_add_func ("/expression/references", test_references);
  g_test_add_func ("/expression/uses-time", test_uses_time);
  g_test_add_func ("/expression/several-results", test_several_results);
  g_test_add_func ("/expression/messages", test_messages);
  g_test_add_func ("/expression/not-finite", test_not_finite);
  g_test_add_func ("/expression/vectors", test_vectors);
  g_test_add_func ("/expression/bind", test_bind);
  g_test_add_func ("/expression/deep", test_deep);
  g_test_add_func ("/expression/too-long", test_too_long);
  g_test_add_func ("/expression/rename", test_rename);
  g_test_add_func ("/expression/rename-slot", test_rename_slot);
  g_test_add_func ("/expression/copy", test_copy);
  g_test_add_func ("/expression/all-short-texts", test_all_short_texts);
  g_test_add_func ("/expression/locale", test_locale);
  return g_test_run ();
}
