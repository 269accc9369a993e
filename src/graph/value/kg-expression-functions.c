/* kg-expression-functions: what an expression can call: one table, so that the parser, its messages and muparser
 * agree, and so that nothing depends on which functions a version of muparser brings along.
 * A NaN that goes in comes out: the check of the final result must see it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression-functions.h"

#include "kg-field.h"
#include "kg-random.h"

#include <math.h>
#include <muParserDLL.h>
#include <string.h>

/* More is allowed than anybody writes in KG_EXPRESSION_MAX_LENGTH bytes. */
#define ANY_NUMBER 4096

static double
sign (double x)
{
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double
fract (double x)
{
  return x - floor (x);
}

static double
degrees (double x)
{
  return x * (180 / KG_PI);
}

static double
radians (double x)
{
  return x * (KG_PI / 180);
}

/* A fixed draw for each seed; also for seeds between the whole numbers. */
static double
random_of (double seed)
{
  uint64_t bits;

  if (!isfinite (seed))
    return NAN;
  seed += 0.0; /* -0 and 0 are one seed */
  memcpy (&bits, &seed, sizeof bits);
  return kg_random_uniform (bits, 0, 0);
}

/* Floored: the result has the sign of y, so that mod (-1, 24) is 23. */
static double
mod (double x, double y)
{
  const double r = fmod (x, y);

  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static double
lerp (double a, double b, double t)
{
  return a + (b - a) * t;
}

static double
clamp (double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

/* The cubic 3 t^2 - 2 t^3 between a and b; a step where they are equal. */
static double
smoothstep (double a, double b, double x)
{
  double t;

  if (a == b)
    return isnan (x) ? x : x < a ? 0 : 1;
  t = clamp ((x - a) / (b - a), 0, 1);
  return t * t * (3 - 2 * t);
}

static double
fit (double x, double from_low, double from_high, double to_low, double to_high)
{
  if (from_low == from_high)
    return NAN;
  return lerp (to_low, to_high, clamp ((x - from_low) / (from_high - from_low), 0, 1));
}

static double
noise (const double *x, int n)
{
  double p[3] = { 0, 0, 0 };

  for (int i = 0; i < n; i++) {
    if (!isfinite (x[i]))
      return NAN;
    p[i] = x[i];
  }
  return kg_noise (0, p[0], p[1], p[2]);
}

static double
minimum (const double *x, int n)
{
  double result = x[0];

  for (int i = 1; i < n; i++)
    result = isnan (x[i]) || x[i] < result ? x[i] : result;
  return result;
}

static double
maximum (const double *x, int n)
{
  double result = x[0];

  for (int i = 1; i < n; i++)
    result = isnan (x[i]) || x[i] > result ? x[i] : result;
  return result;
}

static double
sum (const double *x, int n)
{
  double result = 0;

  for (int i = 0; i < n; i++)
    result += x[i];
  return result;
}

static double
average (const double *x, int n)
{
  return sum (x, n) / n;
}

#define ONE(name, function)                                                                                            \
  {                                                                                                                    \
    name, 1, 1, name " (x)",                                                                                           \
    {                                                                                                                  \
      .one = function                                                                                                  \
    }                                                                                                                  \
  }
#define MANY(name, function)                                                                                           \
  {                                                                                                                    \
    name, 1, ANY_NUMBER, name " (a, b, ...)",                                                                          \
    {                                                                                                                  \
      .many = function                                                                                                 \
    }                                                                                                                  \
  }

static const KgFunction functions[] = {
  ONE ("abs", fabs),
  ONE ("acos", acos),
  ONE ("acosh", acosh),
  ONE ("asin", asin),
  ONE ("asinh", asinh),
  ONE ("atan", atan),
  { "atan2", 2, 2, "atan2 (y, x)", { .two = atan2 } },
  ONE ("atanh", atanh),
  MANY ("avg", average),
  ONE ("cbrt", cbrt),
  ONE ("ceil", ceil),
  { "clamp", 3, 3, "clamp (x, low, high)", { .three = clamp } },
  ONE ("cos", cos),
  ONE ("cosh", cosh),
  ONE ("degrees", degrees),
  ONE ("exp", exp),
  { "fit", 5, 5, "fit (x, from_low, from_high, to_low, to_high)", { .five = fit } },
  ONE ("floor", floor),
  ONE ("fract", fract),
  { "hypot", 2, 2, "hypot (x, y)", { .two = hypot } },
  { "lerp", 3, 3, "lerp (a, b, t)", { .three = lerp } },
  ONE ("ln", log),
  ONE ("log", log),
  ONE ("log10", log10),
  ONE ("log2", log2),
  MANY ("max", maximum),
  MANY ("min", minimum),
  { "mod", 2, 2, "mod (x, y)", { .two = mod } },
  { "noise", 1, 3, "noise (x), noise (x, y) or noise (x, y, z)", { .many = noise } },
  { "pow", 2, 2, "pow (x, y)", { .two = pow } },
  ONE ("radians", radians),
  { "random", 1, 1, "random (seed)", { .one = random_of } },
  ONE ("rint", rint),
  ONE ("round", round),
  ONE ("sign", sign),
  ONE ("sin", sin),
  ONE ("sinh", sinh),
  { "smoothstep", 3, 3, "smoothstep (a, b, x)", { .three = smoothstep } },
  ONE ("sqrt", sqrt),
  MANY ("sum", sum),
  ONE ("tan", tan),
  ONE ("tanh", tanh),
  ONE ("trunc", trunc),
};

/* Unary operators. */

static double
is_false (double x)
{
  return isnan (x) ? x : x == 0;
}

static double
is_true (double x)
{
  return isnan (x) ? x : x != 0;
}

static double
minus_is_false (double x)
{
  return -is_false (x);
}

static double
minus_is_true (double x)
{
  return -is_true (x);
}

const KgFunction *
kg_function_find (const char *name, size_t length)
{
  for (size_t i = 0; i < G_N_ELEMENTS (functions); i++) {
    if (strlen (functions[i].name) == length && strncmp (functions[i].name, name, length) == 0)
      return &functions[i];
  }
  return NULL;
}

void
kg_functions_define (void *parser)
{
  for (size_t i = 0; i < G_N_ELEMENTS (functions); i++) {
    const KgFunction *f = &functions[i];

    if (f->min != f->max)
      mupDefineMultFun (parser, f->name, f->call.many, true);
    else if (f->max == 1)
      mupDefineFun1 (parser, f->name, f->call.one, true);
    else if (f->max == 2)
      mupDefineFun2 (parser, f->name, f->call.two, true);
    else if (f->max == 3)
      mupDefineFun3 (parser, f->name, f->call.three, true);
    else
      mupDefineFun5 (parser, f->name, f->call.five, true);
  }
  mupDefineInfixOprt (parser, "!", is_false, true);
  mupDefineInfixOprt (parser, "!!", is_true, true);
  mupDefineInfixOprt (parser, "-!", minus_is_false, true);
  mupDefineInfixOprt (parser, "-!!", minus_is_true, true);
}
