/* bounding_shape: simple shapes around points: spheres, slabs and oriented boxes.
 *
 * Spheres: quick by Ritter (Graphics Gems, 1990), which depends on the order of the points; the smallest by pivoting on the
 * farthest point (Gärtner 1999), with Welzl's recursion (1991) over the few points that matter.  Oriented boxes: along the
 * axes of the covariance of the hull's surface (Gottschalk 1996), and, better, flush with a face of the hull, turned in its
 * plane by rotating calipers (O'Rourke 1985 and Toussaint 1983).  Units: metres.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_hull.h"

G_BEGIN_DECLS

typedef struct {
  KgVector center;
  double radius;
  guint n_support; /* of the smallest sphere: points that hold it */
  uint32_t support[4];
} BoundingSphere;

/* n > 0 finite points.  Both contain every point. */
BoundingSphere bounding_sphere_find_quick (const KgVector *points, size_t n);
BoundingSphere bounding_sphere_find_smallest (const KgVector *points, size_t n);

/* From where to where the points reach along directions of any length: low and high get a number each.  n > 0 */
void bounding_slabs_find (const KgVector *points, size_t n, const KgVector *directions, size_t n_directions,
                          double *low, double *high);
/* The directions of 6, 14, 18 or 26 sides (Klosowski et al. 1998): axes, corners and edges of the cube.  Returns how many,
 * half of the sides. */
size_t bounding_slabs_get_directions (guint n_sides, KgVector directions[13]);
/* The polyhedron between slabs: a hull.  False and *error: directions[i] is zero, they do not enclose anything, or what they
 * enclose is flat (flat: true; its hull is a polygon or less). */
bool bounding_slabs_make_hull (const KgVector *directions, const double *low, const double *high, size_t n_directions,
                               ConvexHull *hull, GError **error);

typedef struct {
  KgVector center;
  KgVector axes[3]; /* unit, right-handed; the longest side first */
  KgVector half;    /* of the sides along them */
} OrientedBox;

/* The smaller one of the box along the world's axes and that along the principal axes; exact: also of all boxes that are
 * flush with a face of the hull (of more than 20000 faces, of some).  hull: of the points.  monitor: (nullable) when it is
 * cancelled, the box is only one of them. */
OrientedBox oriented_box_find (const ConvexHull *hull, bool exact, const KgProgressMonitor *monitor);
double oriented_box_get_volume (const OrientedBox *box);

/* All that is within a radius of a segment. */
typedef struct {
  KgVector ends[2];
  double radius;
} BoundingCapsule;

/* The smallest one along an axis of the box: its radius is that of the smallest circle around the points as they are seen along the
 * axis, and its ends are as near to each other as their caps allow. */
BoundingCapsule bounding_capsule_find (const ConvexHull *hull, const OrientedBox *box);
double bounding_capsule_get_volume (const BoundingCapsule *capsule);

G_END_DECLS
