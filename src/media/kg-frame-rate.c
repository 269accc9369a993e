/* kg-frame-rate: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-frame-rate.h"

#include <glib.h>
#include <math.h>
#include <stdint.h>

/* The fraction nearest to a rate of those whose numbers are at most that large (the convergents of its continued fraction,
 * and the last of those between them). */
static void
approximate (double rate, int64_t most, int *numerator, int *denominator)
{
  int exponent;
  int64_t a, b, n0 = 0, d0 = 1, n1 = 1, d1 = 0;

  frexp (rate, &exponent);
  b = (int64_t) 1 << (62 - MAX (exponent - 1, 0));
  a = (int64_t) floor (rate * (double) b + 0.5);
  while (b != 0) {
    int64_t x = a / b;
    const int64_t rest = a - b * x;

    if (x > most || x * n1 + n0 > most || x * d1 + d0 > most) {
      x = n1 != 0 ? (most - n0) / n1 : x;
      x = d1 != 0 ? MIN (x, (most - d0) / d1) : x;
      if ((double) b * (double) (2 * x * d1 + d0) > (double) a * (double) d1) {
        n1 = x * n1 + n0;
        d1 = x * d1 + d0;
      }
      break;
    }
    {
      const int64_t n2 = x * n1 + n0, d2 = x * d1 + d0;

      n0 = n1;
      d0 = d1;
      n1 = n2;
      d1 = d2;
    }
    a = b;
    b = rest;
  }
  *numerator = (int) n1;
  *denominator = (int) d1;
}

void
kg_frame_rate_find (double rate, int *numerator, int *denominator)
{
  const int whole = (int) ceil (rate);
  const double tolerance = 0.005;

  if (rate != whole && rate > 1 && fabs (rate - whole * 1000.0 / 1001.0) < tolerance) {
    *numerator = whole * 1000;
    *denominator = 1001;
  } else
    approximate (rate, 100000, numerator, denominator);
}
