/* tone_curve: a smooth curve through points, as a table that is read quickly.
 * Source: Fritsch and Butland 1984 (the slopes of monotone piecewise cubics), for the condition of Fritsch and Carlson 1980.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-table.h"

G_BEGIN_DECLS

#define TONE_CURVE_SIZE 4096
/* Corners of a linear curve that are exact, at most: one with more is read from the table, too. */
#define TONE_CURVE_CORNERS 256

typedef enum { TONE_CURVE_SMOOTH, TONE_CURVE_LINEAR, TONE_CURVE_N_KINDS } ToneCurveKind;

/* Beyond its ends it goes on straight. */
typedef struct {
  double low, high; /* of x */
  double slopes[2]; /* before and behind */
  float values[TONE_CURVE_SIZE + 2];
  bool identity; /* y = x */
  int n_corners; /* 0: of the table */
  double corners[TONE_CURVE_CORNERS][2];
} ToneCurve;

/* Through the points (x, y) of two columns of a table, in any order; no point: y = x, one: y = x + const.  The curve never
 * leaves the range between two neighbours.  Two points with the same x are KG_ERROR_INVALID_VALUE.  period: 0, or that of x: the curve
 * closes, low = 0 and high = period. */
bool tone_curve_init (ToneCurve *curve, const KgTable *points, guint column, ToneCurveKind kind, double period,
                      GError **error);
void tone_curve_apply (const ToneCurve *curve, float *v, size_t n);
/* Of one number within low..high. */
float tone_curve_read (const ToneCurve *curve, float x);

G_END_DECLS
