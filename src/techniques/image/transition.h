/* transition: one image gives way to another.
 * Source: Parent, Computer Animation, 1.3.2 (dissolve, wipe and fade of an editing suite).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* At progress w, between 0 (the first image) and 1 (the second), W and H the size of the result. */
typedef enum {
  TRANSITION_CUT,      /* the first below 1/2, then the second */
  TRANSITION_DISSOLVE, /* (1 - w) first + w second */
  TRANSITION_LEFT,     /* wipes: the second comes in from the left and covers round (w W) columns */
  TRANSITION_RIGHT,
  TRANSITION_TOP, /* round (w H) rows */
  TRANSITION_BOTTOM,
  TRANSITION_FADE, /* through black: (1 - 2 w) first, then (2 w - 1) second; alpha dissolves */
  TRANSITION_IRIS, /* the second in a circle about the centre, which reaches the corners at 1 */
  TRANSITION_N
} TransitionKind;

/* Fills out, in whose centre the images are laid (image_source); one that is NULL is transparent.  softness: of the edges of
 * wipes and of the iris, as a part of the way that they go, 0 to 1; the edge starts and ends outside the image.  At 0 and 1
 * the result has the bits of an image.  Parallel; the same bits for any number of threads.  False when monitor (nullable) says
 * that it is cancelled. */
bool transition_mix (const KgImage *first, const KgImage *second, TransitionKind kind, double progress, double softness,
                     KgImage *out, const KgProgressMonitor *monitor);

G_END_DECLS
