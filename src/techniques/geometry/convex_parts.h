/* convex_parts: a closed mesh with dents as a few convex hulls that together fill it.
 *
 * Approximate convex decomposition (Lien and Amato, Approximate convex decomposition of polyhedra, 2007): of all parts the one
 * with the deepest dent is cut by a plane, until no dent is deeper than a tolerance or there are as many parts as allowed.
 * Planes that are tried: those of the faces at inward edges, so that blocks come apart exactly (notch cutting: Chazelle,
 * Convex partitions of polyhedra, 1984), and across the axes of the world and of the part; that is taken
 * after which the hulls enclose least (as Mamou and Ghorbel, 2009; Wei and others, Approximate convex decomposition with
 * collision-aware concavity, 2022).  In the end hulls that are convex together become one again.
 * Every point of the solid is in a hull.  What hulls enclose beyond the solid lies in dents that are not deeper than reported.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_hull.h"
#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

/* Most parts that a mesh is cut into. */
#define CONVEX_PARTS_MOST 256

typedef struct {
  GArray *hulls; /* ConvexHull, each with a volume */
  double depth; /* of the deepest dent that is filled: the longest way from corners and centres of triangles along their
                    normals until the hull of their part is left, or from sides of hulls to the solid */
  double volume; /* of the solid */
  double filled; /* volume that the hulls have beyond it, where they overlap twice */
} ConvexParts;

/* mesh: without open edges; faces outwards or inwards.  most: at least 1; tolerance: metres.  The same parts for any number of
 * threads.  (transfer full); NULL and *error: a hull was not found; NULL without an error: cancelled. */
ConvexParts *convex_parts_find (const TriangleMesh *mesh, guint most, double tolerance,
                                const KgProgressMonitor *monitor, GError **error);
void convex_parts_free (ConvexParts *parts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ConvexParts, convex_parts_free)

G_END_DECLS
