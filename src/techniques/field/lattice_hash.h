/* lattice_hash: random bits of the corners of a lattice, and the way from one to the next.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <stdint.h>

/* What the coordinates count in the sum that is mixed. */
#define LATTICE_X 0x8da6b343U
#define LATTICE_Y 0xd8163841U
#define LATTICE_Z 0xcb1ab31fU

/* Of a corner; that of a neighbour is this and the differences of the coordinates times what they count, so that one cell needs
 * three products and not three for each of its corners. */
static inline uint32_t
lattice_sum (int32_t i, int32_t j, int32_t k)
{
  return (uint32_t) i * LATTICE_X + (uint32_t) j * LATTICE_Y + (uint32_t) k * LATTICE_Z;
}

/* Mixes the sum and a seed, added to it (xor-shift and multiply, as in the finalisers of hash functions): 32 random bits, in
 * operations that processors have for many numbers at once. */
static inline uint32_t
lattice_mix (uint32_t h)
{
  h ^= h >> 16;
  h *= 0x7feb352dU;
  h ^= h >> 15;
  h *= 0x846ca68bU;
  return h ^ (h >> 16);
}

/* The weight of the far side at f of a cell, 0..1, and its derivative: 6 f⁵ - 15 f⁴ + 10 f³ (Perlin 2002), kg_fade in single
 * precision. */
static inline float
lattice_fade (float f)
{
  return f * f * f * (f * (f * 6 - 15) + 10);
}

static inline float
lattice_fade_slope (float f)
{
  return 30 * f * f * (f - 1) * (f - 1);
}
