/* ani_timing: steady, smooth, slowin and slowout, the timing words of Ani, with a cut where acceleration and deceleration
 * meet.
 *
 * A ramp is half an ease: speed w(x), way W(x), mean m = W(1), x from 0 to 1.  With c the cut, as a share of the time:
 *   steady   s = t
 *   smooth   V = 1/m:            s = V c W(t/c) up to c, then 1 - V (1 - c) W((1 - t)/(1 - c))
 *   slowin   V = 1/(m c + 1 - c): s = V c W(t/c) up to c, then 1 - V (1 - t)
 *   slowout  slowin backwards
 * Source: Wyvill, tutorial on computer animation and soft objects, 1988 (the language Ani); the
 * ramps follow its "cubic curve".
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <stdbool.h>

typedef enum { ANI_STEADY, ANI_SMOOTH, ANI_SLOWIN, ANI_SLOWOUT, ANI_N_KINDS } AniKind;
typedef enum { ANI_CUBIC, ANI_PARABOLIC, ANI_SINE, ANI_N_PROFILES } AniProfile;

typedef struct {
  AniKind kind;
  AniProfile profile;
  double cut; /* 0 to 1 */
} AniTiming;

/* Where the cut is when none is given. */
double ani_timing_get_usual_cut (AniKind kind);
/* The share of the way that is covered at t, 0 to 1, its speed and its acceleration: those of the right side at the cut. */
double ani_timing_evaluate (const AniTiming *timing, double t, double *speed, double *acceleration);

/* Coefficients that a polynomial of a profile needs; those of the sine hold to 1e-11 over half a ramp. */
#define ANI_MAX_COEFFICIENTS 13
unsigned ani_timing_count_coefficients (AniProfile profile);
/* Between low and high, which lie in one half of the timing: the share as a polynomial of u, 0 at low and 1 at high. */
void ani_timing_expand (const AniTiming *timing, double low, double high, double *coefficients);
