/* kg-expression-functions: what an expression can call.
 * A NaN in gives a NaN out: the check of the final result must see it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression-functions.h"

#include "kg-expression-help.h"
#include "kg-math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More is allowed than anybody writes in KG_EXPRESSION_MAX_LENGTH bytes. */
#define ANY_NUMBER 4096

#define BUILD1(operation, a) kg_build1 (builder, KG_OPERATION_##operation, a)
#define BUILD2(operation, a, b) kg_build2 (builder, KG_OPERATION_##operation, a, b)

bool
kg_typed_join (guint a, guint b, guint *width)
{
  if (a == b || b == 1) {
    *width = a;
    return true;
  }
  /* Unknown with a number stays unknown; with a vector it is one. */
  *width = a == 1 || (a == 0 && b > 1) ? b : a;
  return a <= 1 || b == 0;
}

/* Functions of numbers. */

static guint
build_degrees (KgBuilder *builder, const guint *x, guint n)
{
  (void) n;
  return BUILD2 (MULTIPLY, x[0], kg_build_constant (builder, 180 / KG_PI));
}

static guint
build_radians (KgBuilder *builder, const guint *x, guint n)
{
  (void) n;
  return BUILD2 (MULTIPLY, x[0], kg_build_constant (builder, KG_PI / 180));
}

static guint
build_lerp (KgBuilder *builder, const guint *x, guint n)
{
  (void) n;
  return BUILD2 (ADD, x[0], BUILD2 (MULTIPLY, BUILD2 (SUBTRACT, x[1], x[0]), x[2]));
}

static guint
build_clamp (KgBuilder *builder, const guint *x, guint n)
{
  (void) n;
  return kg_build_select (builder, BUILD2 (LESS, x[0], x[1]), x[1],
                          kg_build_select (builder, BUILD2 (LESS, x[2], x[0]), x[2], x[0]));
}

/* The share of x between a and b, from 0 to 1. */
static guint
build_share (KgBuilder *builder, guint x, guint a, guint b)
{
  const guint share = BUILD2 (DIVIDE, BUILD2 (SUBTRACT, x, a), BUILD2 (SUBTRACT, b, a));

  return build_clamp (builder, (const guint[]){ share, kg_build_constant (builder, 0), kg_build_constant (builder, 1) },
                      3);
}

/* 0 below the edge, 1 from there on. */
static guint
build_step (KgBuilder *builder, const guint *x, guint n)
{
  (void) n;
  return kg_build_select (builder, BUILD2 (EQUAL, x[1], x[1]), BUILD1 (NOT, BUILD2 (LESS, x[1], x[0])), x[1]);
}

/* The cubic 3 t^2 - 2 t^3 between a and b; a step where they are equal. */
static guint
build_smoothstep (KgBuilder *builder, const guint *x, guint n)
{
  const guint t = build_share (builder, x[2], x[0], x[1]);
  const guint rest =
      BUILD2 (SUBTRACT, kg_build_constant (builder, 3), BUILD2 (MULTIPLY, kg_build_constant (builder, 2), t));
  const guint cubic = BUILD2 (MULTIPLY, BUILD2 (MULTIPLY, t, t), rest);

  (void) n;
  return kg_build_select (builder, BUILD2 (EQUAL, x[0], x[1]), build_step (builder, (const guint[]){ x[0], x[2] }, 2),
                          cubic);
}

static guint
build_fit (KgBuilder *builder, const guint *x, guint n)
{
  const guint fitted = build_lerp (builder, (const guint[]){ x[3], x[4], build_share (builder, x[0], x[1], x[2]) }, 3);

  (void) n;
  return kg_build_select (builder, BUILD2 (EQUAL, x[1], x[2]), kg_build_constant (builder, NAN), fitted);
}

static guint
build_fold (KgBuilder *builder, KgOperation operation, const guint *x, guint n)
{
  guint result = x[0];

  for (guint i = 1; i < n; i++)
    result = kg_build2 (builder, operation, result, x[i]);
  return result;
}

static guint
build_min (KgBuilder *builder, const guint *x, guint n)
{
  return build_fold (builder, KG_OPERATION_MIN, x, n);
}

static guint
build_max (KgBuilder *builder, const guint *x, guint n)
{
  return build_fold (builder, KG_OPERATION_MAX, x, n);
}

static guint
build_sum (KgBuilder *builder, const guint *x, guint n)
{
  return build_fold (builder, KG_OPERATION_ADD, x, n);
}

static guint
build_average (KgBuilder *builder, const guint *x, guint n)
{
  return BUILD2 (DIVIDE, build_sum (builder, x, n), kg_build_constant (builder, n));
}

/* Functions of vectors.  Values of unknown width may be vectors. */

static bool
is_vector (const KgTyped *x)
{
  return x->width == 3 || x->width == 0;
}

static bool
is_number (const KgTyped *x)
{
  return x->width <= 1;
}

static guint
dot (KgBuilder *builder, const KgTyped *a, const KgTyped *b)
{
  return BUILD2 (ADD, BUILD2 (ADD, BUILD2 (MULTIPLY, a->x[0], b->x[0]), BUILD2 (MULTIPLY, a->x[1], b->x[1])),
                 BUILD2 (MULTIPLY, a->x[2], b->x[2]));
}

static KgTyped
cross (KgBuilder *builder, const KgTyped *a, const KgTyped *b)
{
  KgTyped result = { .width = 3 };

  for (guint i = 0; i < 3; i++) {
    const guint j = (i + 1) % 3, k = (i + 2) % 3;

    result.x[i] = BUILD2 (SUBTRACT, BUILD2 (MULTIPLY, a->x[j], b->x[k]), BUILD2 (MULTIPLY, a->x[k], b->x[j]));
  }
  return result;
}

static guint
length (KgBuilder *builder, const KgTyped *a)
{
  return BUILD1 (SQRT, dot (builder, a, a));
}

static KgTyped
number (guint x)
{
  return (KgTyped){ .width = 1, .x = { x, x, x, x } };
}

static bool
compile_vector (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  (void) builder;
  for (guint i = 0; i < n; i++) {
    if (!is_number (&arguments[i]))
      return false;
    result->x[i] = arguments[i].x[0];
  }
  result->width = n;
  return true;
}

static bool
compile_color (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  result->x[3] = kg_build_constant (builder, 1);
  return compile_vector (builder, arguments, n, result) && (result->width = 4) == 4;
}

static bool
compile_dot (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  (void) n;
  *result = number (dot (builder, &arguments[0], &arguments[1]));
  return is_vector (&arguments[0]) && is_vector (&arguments[1]);
}

static bool
compile_cross (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  (void) n;
  *result = cross (builder, &arguments[0], &arguments[1]);
  return is_vector (&arguments[0]) && is_vector (&arguments[1]);
}

static bool
compile_length (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  (void) n;
  *result = number (length (builder, &arguments[0]));
  return is_vector (&arguments[0]);
}

static bool
compile_distance (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  KgTyped between = { .width = 3 };

  (void) n;
  for (guint i = 0; i < 3; i++)
    between.x[i] = BUILD2 (SUBTRACT, arguments[1].x[i], arguments[0].x[i]);
  *result = number (length (builder, &between));
  return is_vector (&arguments[0]) && is_vector (&arguments[1]);
}

/* A vector of no length stays as it is. */
static bool
compile_normalize (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  const guint l = length (builder, &arguments[0]);
  const guint none = BUILD2 (EQUAL, l, kg_build_constant (builder, 0));

  (void) n;
  for (guint i = 0; i < 3; i++)
    result->x[i] = kg_build_select (builder, none, arguments[0].x[i], BUILD2 (DIVIDE, arguments[0].x[i], l));
  result->width = 3;
  return is_vector (&arguments[0]);
}

/* From sine and cosine: exact for small angles too. */
static bool
compile_angle (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  const KgTyped normal = cross (builder, &arguments[0], &arguments[1]);

  (void) n;
  *result = number (BUILD2 (ATAN2, length (builder, &normal), dot (builder, &arguments[0], &arguments[1])));
  return is_vector (&arguments[0]) && is_vector (&arguments[1]);
}

static bool
compile_noise (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  const guint zero = kg_build_constant (builder, 0);
  guint p[3] = { zero, zero, zero };

  for (guint i = 0; i < n; i++) {
    if (!is_number (&arguments[i]) && (n > 1 || !is_vector (&arguments[i])))
      return false;
    p[i] = arguments[i].x[0];
  }
  if (arguments[0].width == 3)
    memcpy (p, arguments[0].x, sizeof p);
  *result = number (kg_build_noise (builder, 0, p[0], p[1], p[2]));
  return true;
}

/* ramp (x, x0, y0, x1, y1, ...): straight between the places, the first and last value beyond them. */
static bool
compile_ramp (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result)
{
  const guint n_stops = (n - 1) / 2, x = arguments[0].x[0];

  if (n % 2 == 0 || !is_number (&arguments[0]))
    return false;
  result->width = 1;
  for (guint i = 0; i < n_stops; i++)
    if (!is_number (&arguments[2 * i + 1]) ||
        !kg_typed_join (result->width, arguments[2 * i + 2].width, &result->width))
      return false;
  for (guint c = 0; c < 4; c++) {
    const KgTyped *last = &arguments[n - 1];
    guint y = last->x[last->width == 1 ? 0 : c];

    for (guint i = n_stops - 1; i-- > 0;) {
      const KgTyped *stop = &arguments[2 * i + 1];
      const guint y0 = stop[1].x[stop[1].width == 1 ? 0 : c], y1 = stop[3].x[stop[3].width == 1 ? 0 : c];
      const guint t =
          BUILD2 (DIVIDE, BUILD2 (SUBTRACT, x, stop[0].x[0]), BUILD2 (SUBTRACT, stop[2].x[0], stop[0].x[0]));

      y = kg_build_select (builder, BUILD2 (LESS, x, stop[2].x[0]),
                           build_lerp (builder, (const guint[]){ y0, y1, t }, 3), y);
    }
    y = kg_build_select (builder, BUILD2 (LESS, x, arguments[1].x[0]), arguments[2].x[arguments[2].width == 1 ? 0 : c],
                         y);
    /* A position that is not finite has no value. */
    result->x[c] = kg_build_select (builder, BUILD2 (EQUAL, x, x), y, x);
    if (result->width == 1)
      break;
  }
  if (result->width == 1)
    *result = number (result->x[0]);
  return true;
}

#define ONE(name, operation)                                                                                           \
  {                                                                                                                    \
    name, 1, 1, name " (x)", KG_OPERATION_##operation                                                                  \
  }
#define MANY(name, function)                                                                                           \
  {                                                                                                                    \
    name, 1, ANY_NUMBER, name " (a, b, ...)", .build = function                                                        \
  }

/* By name. */
static const KgFunction functions[] = {
  ONE ("abs", ABS),
  ONE ("acos", ACOS),
  ONE ("acosh", ACOSH),
  { "angle", 2, 2, "angle (a, b) with two vectors", .compile = compile_angle },
  ONE ("asin", ASIN),
  ONE ("asinh", ASINH),
  ONE ("atan", ATAN),
  { "atan2", 2, 2, "atan2 (y, x)", KG_OPERATION_ATAN2 },
  ONE ("atanh", ATANH),
  MANY ("avg", build_average),
  ONE ("cbrt", CBRT),
  ONE ("ceil", CEIL),
  { "clamp", 3, 3, "clamp (x, low, high)", .build = build_clamp },
  { "color", 3, 4, "color (r, g, b) or color (r, g, b, a)", .compile = compile_color },
  ONE ("cos", COS),
  ONE ("cosh", COSH),
  { "cross", 2, 2, "cross (a, b) with two vectors", .compile = compile_cross },
  { "degrees", 1, 1, "degrees (x)", .build = build_degrees },
  { "distance", 2, 2, "distance (a, b) with two vectors", .compile = compile_distance },
  { "dot", 2, 2, "dot (a, b) with two vectors", .compile = compile_dot },
  ONE ("exp", EXP),
  { "fit", 5, 5, "fit (x, from_low, from_high, to_low, to_high)", .build = build_fit },
  ONE ("floor", FLOOR),
  ONE ("fract", FRACT),
  { "hypot", 2, 2, "hypot (x, y)", KG_OPERATION_HYPOT },
  { "length", 1, 1, "length (a) with a vector", .compile = compile_length },
  { "lerp", 3, 3, "lerp (a, b, t)", .build = build_lerp },
  ONE ("ln", LOG),
  ONE ("log", LOG),
  ONE ("log10", LOG10),
  ONE ("log2", LOG2),
  MANY ("max", build_max),
  MANY ("min", build_min),
  { "mix", 3, 3, "mix (a, b, t)", .build = build_lerp },
  { "mod", 2, 2, "mod (x, y)", KG_OPERATION_MOD },
  { "noise", 1, 3, "noise (x), noise (x, y) or noise (x, y, z)", .compile = compile_noise },
  { "normalize", 1, 1, "normalize (a) with a vector", .compile = compile_normalize },
  { "pow", 2, 2, "pow (x, y)", KG_OPERATION_POW },
  { "radians", 1, 1, "radians (x)", .build = build_radians },
  { "ramp", 3, ANY_NUMBER, "ramp (x, x0, y0, x1, y1, ...)", .compile = compile_ramp },
  { "random", 1, 1, "random (seed)", KG_OPERATION_RANDOM },
  ONE ("rint", RINT),
  ONE ("round", ROUND),
  ONE ("sign", SIGN),
  ONE ("sin", SIN),
  ONE ("sinh", SINH),
  { "smoothstep", 3, 3, "smoothstep (a, b, x)", .build = build_smoothstep },
  ONE ("sqrt", SQRT),
  { "step", 2, 2, "step (edge, x)", .build = build_step },
  MANY ("sum", build_sum),
  ONE ("tan", TAN),
  ONE ("tanh", TANH),
  ONE ("trunc", TRUNC),
  { "vector", 3, 3, "vector (x, y, z)", .compile = compile_vector },
};

const char *
kg_expression_get_function (guint index)
{
  return index < G_N_ELEMENTS (functions) ? functions[index].usage : NULL;
}

const KgFunction *
kg_function_find (const char *name, size_t length)
{
  size_t low = 0, high = G_N_ELEMENTS (functions);

  while (low < high) {
    const size_t middle = (low + high) / 2;
    const char *other = functions[middle].name;
    const int order = strncmp (name, other, length);

    if (order == 0 && other[length] == '\0')
      return &functions[middle];
    if (order > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}
