/* heap_container: what may go wrong with balls that are poured within a closed mesh: some are outside, or a neck is too narrow.
 *
 * The mesh is cut by levels across the way down.  The clearance of a level is that of its point within the mesh that is
 * farthest from the surface, found on a grid and then by a pattern search (Hooke and Jeeves 1961).  A neck is a level that leaves
 * less clearance than levels on both sides of it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

/* How many of n centres (3 floats each) are outside of a mesh that others are inside of.  Of a mesh with open edges, or one
 * that most are outside of, none is.  False: cancelled. */
bool heap_container_count_outside (const TriangleMesh *mesh, const float *p, size_t n, const KgProgressMonitor *monitor,
                                   size_t *n_outside);

typedef struct {
  bool is;
  double clearance; /* radius of the largest ball that has room in it */
  KgVector place;
} HeapNeck;

/* The narrowest neck of a mesh without open edges; down: of any length, without one there is no neck.  False: cancelled. */
bool heap_container_find_neck (const TriangleMesh *mesh, KgVector down, const KgProgressMonitor *monitor,
                               HeapNeck *neck);

G_END_DECLS
