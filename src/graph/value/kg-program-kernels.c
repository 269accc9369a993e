/* kg-program-kernels: the loops of programs.
 *
 * Each loop is over the points of one block.  Loops of plain arithmetic are wide on processors that can; those that call
 * the library of mathematics call it once for each point, except for the sine, cosine, exponential function and logarithm,
 * which are wide too.  The bits are the same for a block of any size.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-program-private.h"

#include "kg-field.h"
#include "kg-kernel.h"
#include "kg-noise-private.h"
#include "kg-random.h"
#include "kg-wide-functions.h"

#include <math.h>
#include <string.h>

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
noise_of (guint order, double x, double y, double z)
{
  if (!isfinite (x) || !isfinite (y) || !isfinite (z))
    return NAN;
  return order == 0 ? kg_noise (0, x, y, z)
                    : kg_noise_derivative (0, x, y, z, order & 15, order >> 4 & 15, order >> 8 & 15);
}

/* Operands and results may be the same column, never shifted ones.  Unrolled: what counts the turns of loops this short takes as long as
 * what they are for. */
#define EACH(...) _Pragma ("GCC ivdep") _Pragma ("GCC unroll 4") for (size_t i = 0; i < n; i++) __VA_ARGS__

#define ONE(NAME, expression)                                                                                          \
  case KG_OPERATION_##NAME: {                                                                                          \
    EACH ({                                                                                                            \
      const double x = a[i];                                                                                           \
      to[i] = expression;                                                                                              \
    })                                                                                                                 \
    break;                                                                                                             \
  }

#define TWO(NAME, expression)                                                                                          \
  case KG_OPERATION_##NAME: {                                                                                          \
    if (in->form == KG_FORM_UNIFORM_B) {                                                                               \
      const double y = *b;                                                                                             \
      EACH ({                                                                                                          \
        const double x = a[i];                                                                                         \
        to[i] = expression;                                                                                            \
      })                                                                                                               \
    } else if (in->form == KG_FORM_UNIFORM_A) {                                                                        \
      const double x = *a;                                                                                             \
      EACH ({                                                                                                          \
        const double y = b[i];                                                                                         \
        to[i] = expression;                                                                                            \
      })                                                                                                               \
    } else                                                                                                             \
      EACH ({                                                                                                          \
        const double x = a[i], y = b[i];                                                                               \
        to[i] = expression;                                                                                            \
      })                                                                                                               \
    break;                                                                                                             \
  }

/* A function that is wide where that holds.  The operand is copied if the result is the same column. */
#define WIDE(NAME, holds, wide, other)                                                                                 \
  case KG_OPERATION_##NAME: {                                                                                          \
    double copy[KG_PROGRAM_BLOCK];                                                                                     \
    const double *of = a;                                                                                              \
    uint64_t beyond = 0;                                                                                               \
    if (to == a)                                                                                                       \
      of = memcpy (copy, a, n * sizeof *copy);                                                                         \
    _Pragma ("GCC ivdep") for (size_t i = 0; i < n; i++)                                                               \
    {                                                                                                                  \
      const double x = of[i];                                                                                          \
      to[i] = wide;                                                                                                    \
      beyond |= holds ? 0 : 1;                                                                                         \
    }                                                                                                                  \
    for (size_t i = 0; beyond != 0 && i < n; i++) {                                                                    \
      const double x = of[i];                                                                                          \
      if (!(holds))                                                                                                    \
        to[i] = other;                                                                                                 \
    }                                                                                                                  \
    break;                                                                                                             \
  }

KG_KERNEL void
kg_instructions_run (const KgInstruction *instructions, guint n_instructions, double *const *columns, size_t n)
{
  for (guint k = 0; k < n_instructions; k++) {
    const KgInstruction *in = &instructions[k];
    double *const to = columns[in->to];
    const double *const a = columns[in->a], *const b = columns[in->b], *const c = columns[in->c];

    switch ((KgOperation) in->operation) {
      ONE (NEGATE, -x)
      ONE (NOT, x == 0 ? 1.0 : x != x ? x : 0.0)
      ONE (ABS, fabs (x))
      ONE (ACOS, acos (x))
      ONE (ACOSH, acosh (x))
      ONE (ASIN, asin (x))
      ONE (ASINH, asinh (x))
      ONE (ATAN, atan (x))
      ONE (ATANH, atanh (x))
      ONE (CBRT, cbrt (x))
      ONE (CEIL, ceil (x))
      WIDE (COS, kg_wide_sine_holds (x), kg_wide_sine (x, 1), cos (x))
      ONE (COSH, cosh (x))
      WIDE (EXP, kg_wide_exponential_holds (x), kg_wide_exponential (x), exp (x))
      ONE (FLOOR, floor (x))
      ONE (FRACT, x - floor (x))
      WIDE (LOG, kg_wide_logarithm_holds (x), kg_wide_logarithm (x), log (x))
      ONE (LOG10, log10 (x))
      ONE (LOG2, log2 (x))
      ONE (RANDOM, random_of (x))
      ONE (RINT, rint (x))
      ONE (ROUND, round (x))
      ONE (SIGN, x > 0 ? 1.0 : x < 0 ? -1.0 : x)
      WIDE (SIN, kg_wide_sine_holds (x), kg_wide_sine (x, 0), sin (x))
      ONE (SINH, sinh (x))
      ONE (SQRT, sqrt (x))
      ONE (TAN, tan (x))
      ONE (TANH, tanh (x))
      ONE (TRUNC, trunc (x))
      TWO (ADD, x + y)
      TWO (SUBTRACT, x - y)
      TWO (MULTIPLY, x * y)
      TWO (DIVIDE, x / y)
      TWO (LESS, x < y ? 1.0 : 0.0)
      TWO (LESS_EQUAL, x <= y ? 1.0 : 0.0)
      TWO (EQUAL, x == y ? 1.0 : 0.0)
      TWO (NOT_EQUAL, x != y ? 1.0 : 0.0)
      TWO (AND, (x != 0) & (y != 0) ? 1.0 : 0.0)
      TWO (OR, (x != 0) | (y != 0) ? 1.0 : 0.0)
      /* What is not a number stays so. */
      TWO (MIN, (y != y) | (y < x) ? y : x)
      TWO (MAX, (y != y) | (y > x) ? y : x)
      TWO (ATAN2, atan2 (x, y))
      TWO (HYPOT, hypot (x, y))
      TWO (MOD, mod (x, y))
      TWO (POW, pow (x, y))
    case KG_OPERATION_SELECT:
      EACH ({
        const double x = b[i], y = c[i];
        to[i] = a[i] != 0 ? x : y;
      })
      break;
    case KG_OPERATION_NOISE:
      for (size_t i = 0; i < n; i++)
        to[i] = noise_of (in->order, a[i], b[i], c[i]);
      break;
    case KG_OPERATION_CONSTANT:
    case KG_OPERATION_INPUT:
    case KG_N_OPERATIONS:
      break;
    }
  }
}

guint
kg_operation_get_n_operands (KgOperation operation)
{
  if (operation >= KG_OPERATION_SELECT)
    return 3;
  if (operation >= KG_OPERATION_ADD)
    return 2;
  return operation >= KG_OPERATION_NEGATE ? 1 : 0;
}
