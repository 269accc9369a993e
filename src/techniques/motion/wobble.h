/* wobble: noise over time, for movements that are not quite regular.
 *
 * Octaves of gradient noise along a line, or around a circle where the movement must come back to its start.  Scaled so that
 * the standard deviation over a long time is half the amplitude: 95 % of the values are within it.
 * Source: Parent, Computer Animation, B.5.1 (uses of noise); Perlin 2002.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

typedef struct {
  uint64_t seed;
  double period; /* seconds of the slowest swing, positive */
  guint octaves;
  double roughness; /* weight of an octave, twice as fast, over that of the one before */
  double loop;      /* seconds after which it repeats; 0: never */
} Wobble;

/* The value of one of any number of independent channels; mean 0, standard deviation ½, twice differentiable. */
double wobble_get_value (const Wobble *wobble, guint channel, double time);

G_END_DECLS
