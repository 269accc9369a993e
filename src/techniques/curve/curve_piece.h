/* curve_piece: the inside of a curve, and the evaluation of one of its pieces, for the curve*.c files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"
#include "curve/curve_lengths.h"

struct _Curve {
  CurvePieces pieces;
  bool closed;
  /* Made when they are first asked for: a curve that is only drawn needs none. */
  CurveLengths *lengths;
};

/* A polynomial in Bernstein form at t.  Sums of products of positive factors: as exact as the points are, and exact at
 * the ends. */
static inline KgVector
curve_piece_point (const KgVector *b, guint degree, double t)
{
  const double s = 1 - t;
  KgVector sum;
  double power = 1, binomial = 1;

  switch (degree) {
  case 0:
    return b[0];
  case 1:
    return kg_vector_add_scaled (kg_vector_scale (b[0], s), t, b[1]);
  case 2:
    sum = kg_vector_add_scaled (kg_vector_scale (b[0], s * s), 2 * s * t, b[1]);
    return kg_vector_add_scaled (sum, t * t, b[2]);
  case 3:
    sum = kg_vector_add_scaled (kg_vector_scale (b[0], s * s * s), 3 * s * s * t, b[1]);
    sum = kg_vector_add_scaled (sum, 3 * s * t * t, b[2]);
    return kg_vector_add_scaled (sum, t * t * t, b[3]);
  default:
    break;
  }
  sum = kg_vector_scale (b[0], s);
  for (guint i = 1; i < degree; i++) {
    power *= t;
    binomial = binomial * (degree - i + 1) / i;
    sum = kg_vector_scale (kg_vector_add_scaled (sum, power * binomial, b[i]), s);
  }
  return kg_vector_add_scaled (sum, power * t, b[degree]);
}

/* Bezier points of the derivative of that order (order <= degree); out has room for degree + 1. */
static inline void
curve_piece_differentiate (const KgVector *b, guint degree, guint order, KgVector *out)
{
  memcpy (out, b, (degree + 1) * sizeof *b);
  for (guint k = 0; k < order; k++)
    for (guint i = 0; i + k < degree; i++)
      out[i] = kg_vector_scale (kg_vector_subtract (out[i + 1], out[i]), degree - k);
}
