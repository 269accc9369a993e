/* kg-random: numbers drawn by hashing (seed, id, counter), never from a generator with a state,
 * so that any particle of any frame can be drawn in any order on any thread.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-hash.h"
#include "kg-math.h"

/* 64 random bits. */
static inline uint64_t
kg_random_bits (uint64_t seed, uint64_t id, uint64_t counter)
{
  uint64_t x = kg_hash_mix (seed + UINT64_C (0x9e3779b97f4a7c15));

  x = kg_hash_mix (x ^ (id * UINT64_C (0xd1b54a32d192ed03) + UINT64_C (0x8cb92ba72f3d8dd7)));
  return kg_hash_mix (x ^ (counter * UINT64_C (0xaef17502108ef2d9) + UINT64_C (0x589965cc75374cc3)));
}

/* Uniform in [0, 1), 53 bits. */
static inline double
kg_random_uniform (uint64_t seed, uint64_t id, uint64_t counter)
{
  return (double) (kg_random_bits (seed, id, counter) >> 11) * 0x1p-53;
}

/* Uniform in [-1, 1). */
static inline double
kg_random_signed (uint64_t seed, uint64_t id, uint64_t counter)
{
  return 2.0 * kg_random_uniform (seed, id, counter) - 1.0;
}

/* Standard normal (Box and Muller 1958); uses counters 2 c and 2 c + 1. */
static inline double
kg_random_normal (uint64_t seed, uint64_t id, uint64_t counter)
{
  const double u = 1.0 - kg_random_uniform (seed, id, 2 * counter);
  const double v = kg_random_uniform (seed, id, 2 * counter + 1);

  return sqrt (-2.0 * log (u)) * cos (2.0 * KG_PI * v);
}

/* Uniform on the unit sphere (Archimedes); uses counters 2 c and 2 c + 1. */
static inline KgVector
kg_random_direction (uint64_t seed, uint64_t id, uint64_t counter)
{
  const double z = kg_random_signed (seed, id, 2 * counter);
  const double angle = 2.0 * KG_PI * kg_random_uniform (seed, id, 2 * counter + 1);
  const double r = sqrt (fmax (0.0, 1.0 - z * z));

  return (KgVector){ r * cos (angle), r * sin (angle), z };
}
