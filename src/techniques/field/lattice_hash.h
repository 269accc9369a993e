/* lattice_hash: random bits of the corners of a lattice.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <stdint.h>

/* Mixes the coordinates and a seed (xor-shift and multiply, as in the finalisers of hash functions): 32 random bits, in
 * operations that processors have for many numbers at once. */
static inline uint32_t
lattice_hash (int32_t i, int32_t j, int32_t k, uint32_t seed)
{
  uint32_t h = (uint32_t) i * 0x8da6b343U + (uint32_t) j * 0xd8163841U + (uint32_t) k * 0xcb1ab31fU + seed;

  h ^= h >> 16;
  h *= 0x7feb352dU;
  h ^= h >> 15;
  h *= 0x846ca68bU;
  return h ^ (h >> 16);
}
