/* phrase: a movement told twice: which places it passes, and when.  The places are a function of the phase, which is 0
 * at the first key, 1 at the second and so on; the phase is a function of time.  Both are cubic splines with continuous
 * second derivatives, and the movement is the first of the second.  So the timing can change without the path.
 * Source: Steketee and Badler 1985, Parametric Keyframe Interpolation Incorporating Kinetic Adjustment and Phrasing
 * Control.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "motion/pieces.h"

typedef enum {
  PHRASE_NATURAL,  /* no second derivative at the ends */
  PHRASE_CLAMPED,  /* given slopes there */
  PHRASE_PERIODIC, /* the end leads to the start */
  PHRASE_N_ENDS
} PhraseEnds;

typedef struct {
  PhraseEnds ends;
  double start, end;    /* slopes at the ends, when clamped */
  const double *slopes; /* (nullable) n slopes to have at the knots, NaN where they follow from the spline */
  bool local;           /* each slope follows from the four knots on either side alone */
} PhraseRule;

/* The slopes of the cubic spline through n (at least 2) places y at the increasing knots x.  Where a slope is given the
 * second derivative may jump.  A periodic spline needs three knots and y[n - 1] = y[0] + rise, whatever the rise, and
 * takes no given slopes.  Local ones differ from the spline's by less than 1e-3 of the largest and have a second
 * derivative that jumps by as little. */
void phrase_find_slopes (const double *x, const double *y, guint n, const PhraseRule *rule, double *slopes);
/* Slopes with which the curve stays between its places: the first derivative alone is continuous (Fritsch and
 * Butland 1984). */
void phrase_find_monotone_slopes (const double *x, const double *y, guint n, double *slopes);

/* (transfer full) */
Pieces *phrase_new_spline (const double *x, const double *y, guint n, const double *slopes);

/* The first piece from the given one on in which the function decreases somewhere; the number of pieces if none does. */
gsize phrase_find_retreat (const Pieces *timing, gsize from);

/* path (timing (t)), both of degree 3, where the breaks of path are 0, 1, 2 ...: exact, of degree 9.  A timing that
 * leaves the range of the path carries on along its first and last piece.  (transfer full) */
Pieces *phrase_compose (const Pieces *path, const Pieces *timing);
