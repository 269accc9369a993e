/* value/math: arithmetic with two numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  int operation;
  double a;
  double b;
  double result;
} Math;

typedef double (*MathFunction) (double a, double b);

static double
math_add (double a, double b)
{
  return a + b;
}

static double
math_subtract (double a, double b)
{
  return a - b;
}

static double
math_multiply (double a, double b)
{
  return a * b;
}

static double
math_divide (double a, double b)
{
  return a / b;
}

/* Has the sign of b, as a clock wants it. */
static double
math_modulo (double a, double b)
{
  return a - b * floor (a / b);
}

static double
math_average (double a, double b)
{
  return 0.5 * (a + b);
}

static double
math_sine (double a, double b)
{
  return b * sin (2 * KG_PI * a);
}

static double
math_snap (double a, double b)
{
  return b * floor (a / b + 0.5);
}

static double
math_greater (double a, double b)
{
  return a > b;
}

static const KgChoice math_operations[] = {
  { "add", N_ ("a + b") },
  { "subtract", N_ ("a − b") },
  { "multiply", N_ ("a × b") },
  { "divide", N_ ("a ÷ b") },
  { "power", N_ ("a to the power of b") },
  { "modulo", N_ ("a modulo b") },
  { "minimum", N_ ("Smaller") },
  { "maximum", N_ ("Larger") },
  { "average", N_ ("Average") },
  { "distance", N_ ("a − b, or 0 if b is larger") },
  { "sine", N_ ("b × sine of a turns") },
  { "angle", N_ ("Angle of a over b") },
  { "snap", N_ ("a rounded to steps of b") },
  { "greater", N_ ("1 if a > b") },
  KG_CHOICES_END,
};

static const MathFunction math_functions[] = { math_add,    math_subtract, math_multiply, math_divide,  pow,
                                               math_modulo, fmin,          fmax,          math_average, fdim,
                                               math_sine,   atan2,         math_snap,     math_greater };
KG_CHOICES_MATCH (math_operations, G_N_ELEMENTS (math_functions));

static const char *
math_get_remedy (const Math *n)
{
  const bool power = math_functions[n->operation] == pow;

  if (power && n->a < 0 && n->b != floor (n->b))
    return kg_translate ("use an integer as b, or an a of 0 or more");
  if (power && n->a == 0)
    return kg_translate ("a must not be 0");
  return n->b == 0 ? kg_translate ("b must not be 0") : kg_translate ("use smaller numbers");
}

static bool
math_evaluate (Math *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  n->result = math_functions[n->operation](n->a, n->b);
  if (isfinite (n->result))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s of a = %g and b = %g is not finite: %s",
                math_operations[n->operation].nick, n->a, n->b, math_get_remedy (n));
  return false;
}

static const KgSlot math_slots[] = {
  KG_INPUT (Math, operation, CHOICE, .label = N_ ("Operation"), .choices = math_operations,
            .help = N_ ("Operation to perform.")),
  KG_INPUT (Math, a, NUMBER, .label = N_ ("a"), .soft_max = 10, .help = N_ ("First number.")),
  KG_INPUT (Math, b, NUMBER, .label = N_ ("b"), .def = 1, .soft_max = 10, .help = N_ ("Second number.")),
  KG_OUTPUT (Math, result, NUMBER, .label = N_ ("Result"), .help = N_ ("Result of the operation.")),
};

KG_NODE (value, math, Math, .label = N_ ("Math"), .version = 1, .since = "0.1",
         .tags = N_ ("add subtract multiply divide power modulo minimum maximum sine arithmetic compare"),
         .help = N_ ("Computes one number from two. For longer formulas, give an input an expression instead."));
