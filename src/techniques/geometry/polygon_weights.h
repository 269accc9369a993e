/* polygon_weights: a point as a blend of the corners of a polygon.
 *
 * Weights that add up to 1 and whose blend of the corners is the point again, as barycentric coordinates do for triangles.
 * Sources: Wachspress, A Rational Finite Element Basis, 1975; Floater, Mean value coordinates, CAGD 2003; Hormann and Floater,
 * Mean value coordinates for arbitrary planar polygons, ACM TOG 2006.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

typedef enum {
  POLYGON_WEIGHTS_MEAN_VALUE, /* of any polygon that does not cross itself, also outside of it */
  POLYGON_WEIGHTS_WACHSPRESS, /* of convex polygons, inside: not negative, and quotients of polynomials */
  POLYGON_WEIGHTS_N
} PolygonWeights;

/* corners: n of at least 3, in a plane (others: as seen along the normal of the polygon), in either order; weights: n of them.
 * inside: (out).  On an edge, to 1e-12 of the size, the weights are those of its ends.  KG_ERROR_INVALID_VALUE: a concave polygon,
 * with the corner, or a point outside, for Wachspress; KG_ERROR_DEGENERATE: no area. */
bool polygon_weights_find (PolygonWeights kind, const KgVector *corners, size_t n, KgVector point, double *weights,
                           bool *inside, GError **error);

G_END_DECLS
