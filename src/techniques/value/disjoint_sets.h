/* disjoint_sets: which of n things belong together: a forest in which each thing has a parent, and a root is its own.
 * Source: Galler and Fisher 1964; path halving: Tarjan and van Leeuwen 1984.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <stdint.h>

/* The root of the set of i; the ways to it get shorter. */
static inline uint32_t
disjoint_sets_find (uint32_t *parents, uint32_t i)
{
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}
