/* kg-wide-functions: sine, cosine, exponential function and logarithm without branches or tables, so that loops over them
 * run in wide registers and give the same bits on every processor.  Errors stay below one unit of the last digit.
 * Source: the method and coefficients of fdlibm (Sun Microsystems 1993) and of its descendants in FreeBSD and musl, with the
 * reduction of the argument in three parts of pi/2.
 *
 * Each has a range where it holds (kg_wide_..._holds); beyond it the library of mathematics is asked.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t
kg_wide_to_bits (double x)
{
  uint64_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static inline double
kg_wide_from_bits (uint64_t bits)
{
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* The sum of a and b is *sum + *rest, exactly (Knuth). */
static inline void
kg_wide_add (double a, double b, double *sum, double *rest)
{
  const double s = a + b, from_b = s - a;

  *rest = (a - (s - from_b)) + (b - from_b);
  *sum = s;
}

/* Adding this rounds to a whole number, whose last bits are then those of the sum. */
#define KG_WIDE_ROUND 0x1.8p52

/* (The sine of -0 is -0, which sums lose.)  Without a branch, as loops over them need it. */
static inline bool
kg_wide_sine_holds (double x)
{
  return (fabs (x) <= 1e6) & (x != 0);
}

/* The sine of x + quarters * pi/2. */
static inline double
kg_wide_sine (double x, uint64_t quarters)
{
  const double rounded = x * 0.63661977236758134308 + KG_WIDE_ROUND, n = rounded - KG_WIDE_ROUND;
  const uint64_t quadrant = kg_wide_to_bits (rounded) + quarters;
  double r, hi, rest1, rest2;

  /* n pi/2 in parts of 33 bits: products with n up to 2^20 are exact. */
  r = x - n * 1.57079632673412561417e+00;
  kg_wide_add (r, -n * 6.07710050630396597660e-11, &r, &rest1);
  kg_wide_add (r, -n * 2.02226624871116645580e-21, &hi, &rest2);
  {
    const double lo = (rest1 + rest2) - n * 8.47842766036889956997e-32;
    const double y0 = hi + lo, y1 = (hi - y0) + lo;
    const double z = y0 * y0, w = z * z, v = z * y0, h = 0.5 * z, one = 1 - h;
    const double s =
        8.33333333332248946124e-03 +
        z * (-1.98412698298579493134e-04 +
             z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
    const double c =
        z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
        w * w * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
    const double sine = y0 - ((z * (0.5 * y1 - v * s) - y1) - v * -1.66666666666666324348e-01);
    const double cosine = one + (((1 - one) - h) + (z * c - y0 * y1));
    const uint64_t odd = -(quadrant & 1);
    const uint64_t value = (kg_wide_to_bits (cosine) & odd) | (kg_wide_to_bits (sine) & ~odd);

    return kg_wide_from_bits (value ^ (quadrant & 2) << 62);
  }
}

static inline bool
kg_wide_exponential_holds (double x)
{
  return fabs (x) <= 700;
}

static inline double
kg_wide_exponential (double x)
{
  const double rounded = x * 1.44269504088896338700 + KG_WIDE_ROUND, k = rounded - KG_WIDE_ROUND;
  const double hi = x - k * 6.93147180369123816490e-01, lo = k * 1.90821492927058770002e-10, r = hi - lo, t = r * r;
  const double c =
      r -
      t * (1.66666666666666019037e-01 +
           t * (-2.77777777770155933842e-03 +
                t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const double y = 1 + (r * c / (2 - c) - lo + hi);

  return kg_wide_from_bits (kg_wide_to_bits (y) + (kg_wide_to_bits (rounded) << 52));
}

static inline bool
kg_wide_logarithm_holds (double x)
{
  return (x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp1023);
}

static inline double
kg_wide_logarithm (double x)
{
  /* x = m 2^k with m from sqrt (1/2) to sqrt (2). */
  const uint64_t shifted = kg_wide_to_bits (x) + (UINT64_C (0x3ff0000000000000) - UINT64_C (0x3fe6a09e00000000));
  const double k = kg_wide_from_bits (UINT64_C (0x4330000000000000) | shifted >> 52) - (0x1p52 + 1023);
  const double m = kg_wide_from_bits ((shifted & UINT64_C (0x000fffffffffffff)) + UINT64_C (0x3fe6a09e00000000));
  const double f = m - 1, h = 0.5 * f * f, s = f / (2 + f), z = s * s, w = z * z;
  const double odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double even = z *
                      (6.666666666666735130e-01 +
                       w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));

  return s * (h + (even + odd)) + k * 1.90821492927058770002e-10 - h + f + k * 6.93147180369123816490e-01;
}
