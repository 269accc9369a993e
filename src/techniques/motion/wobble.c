/* wobble: noise over time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/wobble.h"

#include "kg-field.h"
#include "kg-random.h"

/* The deviation of gradient noise with twelve directions, over all of space (techniques/field/noise.c). */
#define DEVIATION 0.27

double
wobble_get_value (const Wobble *wobble, guint channel, double time)
{
  const double turns = wobble->loop > 0 ? time / wobble->loop : 0, angle = 2 * KG_PI * (turns - floor (turns));
  const double radius = wobble->loop / (2 * KG_PI * wobble->period);
  double sum = 0, squares = 0, weight = 1, speed = 1;

  for (guint o = 0; o < wobble->octaves; o++) {
    const uint64_t seed = kg_random_bits (wobble->seed, channel, o);
    /* Between whole numbers, where gradient noise would be 0 or weak along a whole line. */
    const double y = 64 * kg_random_uniform (seed, 1, 0), z = 64 * kg_random_uniform (seed, 2, 0);

    if (wobble->loop > 0)
      sum += weight * kg_noise (seed, y + speed * radius * cos (angle), z + speed * radius * sin (angle), y - z);
    else {
      /* A line aslant through the lattice meets all parts of its cells. */
      const double s = speed * time / wobble->period;

      sum += weight * kg_noise (seed, 0.8 * s, y + 0.36 * s, z + 0.48 * s);
    }
    squares += weight * weight;
    weight *= wobble->roughness;
    speed *= 2;
  }
  return squares > 0 ? sum / (2 * DEVIATION * sqrt (squares)) : 0;
}
