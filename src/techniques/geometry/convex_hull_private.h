/* convex_hull_private: for the files convex_hull*.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_hull.h"

/* Facets of a solid: corners[ends[i - 1]] .. corners[ends[i]], indices of the given points. */
typedef struct {
  GArray *ends, *corners; /* uint32_t */
} HullFacets;

/* What of the points is looked at: they are not in one plane.  slack: in metres. */
typedef struct {
  const KgVector *points;
  size_t n;
  double slack;
  const KgProgressMonitor *monitor;
} HullCloud;

/* Gift wrapping.  False: cancelled. */
bool convex_hull_wrap (const HullCloud *cloud, int64_t steps, HullFacets *facets, GError **error);

/* Unit vectors x and y that span the plane across a unit normal, so that x, y and the normal are right-handed. */
static inline void
convex_hull_get_basis (KgVector normal, KgVector *x, KgVector *y)
{
  *x = kg_vector_perpendicular (normal);
  *y = kg_vector_cross (normal, *x);
}
