/* easing: the closed forms of ease curves, for motion/ease and for motions made of them.
 * Every form maps 0..1 to a value that is 0 at 0 and 1 at 1, and knows its derivative.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-channel.h"

/* Parameters of all forms; each reads those it needs. */
enum {
  EASING_K1, /* end of the acceleration, 0..1 */
  EASING_K2, /* start of the deceleration, k1..1 */
  EASING_X1, /* control points of the cubic Bezier */
  EASING_Y1,
  EASING_X2,
  EASING_Y2,
  EASING_AMOUNT,    /* how far back and elastic go beyond */
  EASING_DIRECTION, /* EASING_IN ... */
  EASING_KIND,      /* AniKind */
  EASING_PROFILE,   /* AniProfile */
  EASING_CUT,       /* where the timing words of Ani pass from acceleration to deceleration, 0..1 */
  EASING_N_PARAMETERS
};

/* Where a named form is slow: at its start, its end, or both. */
enum { EASING_IN, EASING_OUT, EASING_IN_OUT, EASING_N_DIRECTIONS };

/* The choices of motion/ease: a new one comes last. */
typedef enum {
  EASING_LINEAR,
  EASING_SINE,
  EASING_SINE_LINEAR,
  EASING_PARABOLIC,
  EASING_CUBIC,
  EASING_DECELERATE,
  EASING_CUBIC_BEZIER,
  EASING_POWER_2,
  EASING_POWER_3,
  EASING_POWER_4,
  EASING_POWER_5,
  EASING_EXPONENTIAL,
  EASING_CIRCULAR,
  EASING_ELASTIC,
  EASING_BOUNCE,
  EASING_BACK,
  EASING_ANI,
  EASING_N_SHAPES
} EasingShape;

/* value (parameters, t) and derivative (parameters, t) for t in 0..1; parameters: EASING_N_PARAMETERS numbers. */
const KgFunction *easing_get_function (EasingShape shape);
/* The second derivative, for t in 0..1; from the right at a corner of the speed. */
double easing_get_acceleration (EasingShape shape, const double *parameters, double t);
