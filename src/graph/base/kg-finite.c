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

/* A single block is looked at without OpenMP, whose smallest team costs more than the work on few numbers. */
static bool
are_good (const float *x, size_t n, uint32_t carried)
{
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;
  int bad = 0;

  if (n <= BLOCK)
    return is_good (x, n, carried);
#pragma omp parallel for schedule(dynamic) reduction(| : bad)
  for (size_t b = 0; b < n_blocks; b++)
    bad |= !is_good (x + b * BLOCK, b + 1 < n_blocks ? BLOCK : n - b * BLOCK, carried);
  return !bad;
}

size_t
kg_find_not_finite (const float *x, size_t n, bool infinite_allowed)
{
  size_t first = 0;

  if (are_good (x, n, infinite_allowed ? 0x007fffff : 0x00800000))
    return n;
  while (first < n && (infinite_allowed ? !isnan (x[first]) : isfinite (x[first])))
    first++;
  return first;
}
