/* ellipsoid: the ellipsoid that fits points best, and distances from it.
 *
 * The quadric xᵀ A x + 2 g · x = 1 about the centroid of the points, by linear least squares: the centroid of points on an ellipsoid
 * is within it, so that the constant is never 0.  Its centre is -A⁻¹ g, its axes are those of A (Bookstein 1979 for conics).
 * Distances: Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013.  Units: metres.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct {
  KgVector center;
  KgVector axes[3]; /* right-handed; the longest first */
  KgVector radii;
} Ellipsoid;

typedef enum {
  ELLIPSOID_FITTED,
  ELLIPSOID_CANCELLED,
  ELLIPSOID_NOT_DETERMINED, /* many quadrics fit */
  ELLIPSOID_NOT_CLOSED      /* the quadric that fits best is a hyperboloid, a paraboloid or a cylinder */
} EllipsoidResult;

/* n finite points; center: their centroid; size > 0: about how far they reach from it.  monitor: (nullable). */
EllipsoidResult ellipsoid_fit (const KgVector *points, size_t n, KgVector center, double size,
                               const KgProgressMonitor *monitor, Ellipsoid *ellipsoid);

/* How far a point, given along the axes from the centre, is from the surface: negative inside.  radii > 0; to a billionth of the
 * largest. */
double ellipsoid_get_distance (KgVector radii, KgVector local);

G_END_DECLS
