/* lcp: linear complementarity problems with bounds, by Dantzig's pivoting.
 *
 * Wanted: x with low <= x <= high and w = A x + b, such that w >= 0 where x = low, w <= 0 where x = high, and w = 0 between.  A
 * is symmetric and positive semidefinite.  One unknown after the other is driven until its condition holds, while those of
 * the others keep holding (Cottle and Dantzig 1968; Baraff, Fast Contact Force Computation for Nonpenetrating Rigid Bodies,
 * 1994).  Friction: bounds of some unknowns are multiples of others (Coulomb), which are solved for again until they agree.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"

#include <stddef.h>
#include <stdint.h>

/* Most unknowns. */
#define LCP_MAX 1200

typedef struct {
  size_t n;
  double *a;          /* n × n, row by row; the diagonal gets a little larger */
  const double *b;    /* n */
  double *low, *high; /* n; infinite where there is none */
  const int *
      of; /* (nullable) n: the unknown that bounds this one to plus and minus factor times it, or -1; it comes before */
  const double *factor;
} LcpProblem;

typedef enum {
  LCP_SOLVED,
  LCP_NONE,     /* no solution: an unknown can grow without end */
  LCP_GIVEN_UP, /* after 100 n pivots */
  LCP_CANCELLED
} LcpResult;

/* x: (out) n.  With redundant rows (such as the fourth foot of a table) x is the smallest of all solutions.  pivots: (out). */
LcpResult lcp_solve (LcpProblem *problem, double *x, size_t *pivots, const KgProgressMonitor *monitor);
