/* kg-finite: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-finite.h"

#include "kg-kernel.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Numbers of one block of a parallel loop. */
#define BLOCK ((size_t) 1 << 16)

/* Whether a block is free of them.  A number that is not finite has an exponent of ones, which adding one in its lowest
 * place carries into the sign; adding one less does so for NaN alone.  Whole numbers, because sums of floats may not be
 * reordered into vectors. */
KG_KERNEL static bool
is_good (const float *x, size_t n, uint32_t carried)
{
  uint32_t carry = 0;

  for (size_t i = 0; i < n; i++) {
    uint32_t bits;

    memcpy (&bits, x + i, sizeof bits);
    carry |= (bits & 0x7fffffff) + carried;
  }
  return carry >> 31 == 0;
}

size_t
kg_find_not_finite (const float *x, size_t n, bool infinite_allowed)
{
  const uint32_t carried = infinite_allowed ? 0x007fffff : 0x00800000;
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;
  size_t first = 0;
  int bad = 0;

#pragma omp parallel for schedule(dynamic) reduction(| : bad) if (n_blocks > 1)
  for (size_t b = 0; b < n_blocks; b++)
    bad |= !is_good (x + b * BLOCK, b + 1 < n_blocks ? BLOCK : n - b * BLOCK, carried);
  if (!bad)
    return n;
  while (first < n && (infinite_allowed ? !isnan (x[first]) : isfinite (x[first])))
    first++;
  return first;
}
