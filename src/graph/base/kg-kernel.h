/* kg-kernel: for loops over blocks of numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Compiles a function three times, for any processor and for those with AVX2 or AVX-512, and lets the program choose at
 * start.  Products and sums are never fused (-ffp-contract=off), so all give the same bits; the wide ones do two and
 * four times as many at once.
 * What the function calls is compiled into it. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KG_KERNEL __attribute__ ((target_clones ("avx512f", "avx2", "default"), flatten))
#else
#define KG_KERNEL
#endif

/* Loops over fewer elements than this run on the calling thread: waking others takes longer (and very long where
 * other programs hold the processors). */
#define KG_PARALLEL_FROM 8192

/* Runs call for the elements [first, end) of n, which it names so: for pieces of that many elements shared between threads if
 * condition holds, else for all at once and without OpenMP, whose smallest team costs 1,300 instructions: for loops that run
 * thousands of times a frame on few elements.  No element may depend on another. */
#define KG_PARALLEL(n, piece, condition, call)                                                                         \
  do {                                                                                                                 \
    const size_t kg_n = (n);                                                                                           \
    if (kg_n > 0 && !(condition)) {                                                                                    \
      const size_t first = 0, end = kg_n;                                                                              \
      call;                                                                                                            \
    } else {                                                                                                           \
      _Pragma ("omp parallel for schedule(dynamic)") for (size_t first = 0; first < kg_n; first += (piece))            \
      {                                                                                                                \
        const size_t end = MIN (kg_n, first + (piece));                                                                \
        call;                                                                                                          \
      }                                                                                                                \
    }                                                                                                                  \
  } while (0)

/* Its highest bit is set where x is NaN or infinite, whose exponent of ones a one in its lowest place carries into the sign:
 * or these together over a block.  Whole numbers, because sums of floats may not be reordered into vectors. */
static inline uint32_t
kg_carry_not_finite (float x)
{
  uint32_t bits;

  memcpy (&bits, &x, sizeof bits);
  return (bits & 0x7fffffff) + 0x00800000;
}

/* Positions (x y z x y z ...) as separate coordinates and back.  A loop over these is computed in vectors; one that reads and
 * writes every third float is not, and takes longer than what most kernels compute. */
static inline void
kg_split3 (const float *restrict xyz, size_t n, float *restrict x, float *restrict y, float *restrict z)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    x[i] = xyz[3 * i];
    y[i] = xyz[3 * i + 1];
    z[i] = xyz[3 * i + 2];
  }
}

static inline void
kg_join3 (const float *restrict x, const float *restrict y, const float *restrict z, size_t n, float *restrict xyz)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    xyz[3 * i] = x[i];
    xyz[3 * i + 1] = y[i];
    xyz[3 * i + 2] = z[i];
  }
}

/* x to the power of h, for x above 0 and up to 1 and h above 0, to about seven digits of h times the logarithm: a function that
 * loops can be vectorised over.  What this range saves (image_power of image_operation.h has none) is half the time. */
static inline float
kg_power_single (float x, float h)
{
  const uint32_t one = 0x3f800000U, root_of_half = 0x3f3504f3U; /* as the bits of floats */
  uint32_t bits;
  int32_t exponent, whole;
  float m, s, square, logarithm, y, g, power;

  /* x = m 2^exponent, m from the root of a half to that of two. */
  memcpy (&bits, &x, sizeof bits);
  bits += one - root_of_half;
  exponent = (int32_t) (bits >> 23) - 127;
  bits = (bits & 0x7fffffU) + root_of_half;
  memcpy (&m, &bits, sizeof m);
  /* The logarithm to base 2 as an inverse hyperbolic tangent. */
  s = (m - 1) / (m + 1);
  square = s * s;
  logarithm = (float) exponent +
              s * (2.88539008f + square * (0.961796694f + square * (0.577078016f + square * 0.412198583f)));
  y = h * logarithm;
  /* Two to the power of a whole number, times a series for the rest. */
  whole = (int32_t) (y - 0.5f);
  g = 0.693147181f * (y - (float) whole);
  power = 1 +
          g * (1 + g * (0.5f + g * (0.166666667f + g * (0.0416666667f + g * (0.00833333333f + g * 0.00138888889f)))));
  bits = (uint32_t) (MAX (whole, -126) + 127) << 23;
  memcpy (&m, &bits, sizeof m);
  return power * m;
}
