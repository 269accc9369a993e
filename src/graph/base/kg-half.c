/* kg-half: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-half.h"

#include <math.h>
#include <string.h>

guint16
kg_half_from_float (float x)
{
  guint32 bits, sign, rest;
  int exponent;

  memcpy (&bits, &x, sizeof bits);
  sign = (bits >> 16) & 0x8000;
  rest = bits & 0x7fffff;
  exponent = (int) ((bits >> 23) & 0xff) - 127 + 15;
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (guint16) sign;
  if (exponent >= 31)
    return (guint16) (sign | 0x7bff);
  if (exponent <= 0) {
    const int shift = 14 - exponent;
    guint32 half, left;

    if (shift > 24)
      return (guint16) sign;
    rest |= 0x800000;
    half = rest >> shift;
    left = rest & ((1u << shift) - 1);
    half += left > 1u << (shift - 1) || (left == 1u << (shift - 1) && (half & 1) != 0);
    return (guint16) (sign | half);
  }
  {
    guint32 half = (guint32) exponent << 10 | rest >> 13;
    const guint32 left = rest & 0x1fff;

    half += left > 0x1000 || (left == 0x1000 && (half & 1) != 0);
    return (guint16) (sign | MIN (half, 0x7bff));
  }
}

float
kg_half_to_float (guint16 half)
{
  const int exponent = (half >> 10) & 31, rest = half & 0x3ff;
  const double value = exponent == 31  ? (rest == 0 ? (double) INFINITY : (double) NAN)
                       : exponent == 0 ? ldexp (rest, -24)
                                       : ldexp (1024 + rest, exponent - 25);

  return (float) ((half & 0x8000) != 0 ? -value : value);
}
