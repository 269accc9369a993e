/* joining: two movements made one, and a part of a movement stretched in time, so that value, velocity and acceleration
 * go on where they did.
 * Source: Steketee and Badler 1985 (joining of phrases, kinetic adjustment); the ramps are quintics that have no first
 * and second derivative at their ends.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "motion/pieces.h"

/* A channel of width numbers, each with its pieces over the same range: cubics with their values and slopes at every
 * break and between, right to the fourth power of a sixteenth of a piece.  Exact for one number.  (transfer full)
 * (nullable) */
KgChannel *joining_new_channel (Pieces *const *components, guint width, GError **error);

/* 10 u³ - 15 u⁴ + 6 u⁵ for u in 0..1, and its ends beyond. */
double joining_ramp (double u);

/* Where first and second overlap they are mixed by the ramp; a gap between them is filled by the quintic that goes on
 * from both.  second may not start before first nor end before it does.  (transfer full) (nullable) */
Pieces *joining_join (const Pieces *first, const Pieces *second, GError **error);

/* How the part of a movement from start to end becomes factor times as long. */
typedef struct {
  double start, end; /* start < end */
  double factor;     /* above 0 */
  bool keep_speeds;  /* at its ends, with ramps between; else it is stretched evenly */
} JoiningStretch;

/* The time before the stretch that is at its end t; both are equal before the start. */
double joining_get_source_time (const JoiningStretch *stretch, double t);
/* The part must lie within the range of the movement; what comes after it moves.  (transfer full) (nullable) */
Pieces *joining_stretch (const Pieces *pieces, const JoiningStretch *stretch, GError **error);
