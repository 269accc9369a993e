/* transport: masses at some places carried to others at the least cost (Hitchcock 1941).
 *
 * Successive shortest paths with reduced costs (Edmonds and Karp 1972): each takes as much as fits along the cheapest way
 * from any source to any destination, which may take back what was sent before.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* costs: n rows of m, >= 0; sources and destinations: masses > 0, of equal sums but for rounding.  flows: (out) n rows of m.  Takes a
 * time that grows with (n + m)³.  False: cancelled. */
bool transport_solve (const double *costs, const double *sources, size_t n, const double *destinations, size_t m,
                      double *flows, const KgProgressMonitor *monitor);

G_END_DECLS
