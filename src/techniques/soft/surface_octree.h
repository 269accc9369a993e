/* surface_octree: cubes of a lattice, large where there is no surface or where it is flat, and small elsewhere.
 *
 * Cubes of 2^levels cells are halved along each axis, again and again, where the surface passes through them: down to single
 * cells, or until it is flat within.  They lie at multiples of their size from the origin, so that they stay in place while
 * bodies move.  A surface that leaves a cell enters the next one, which is halved for that, so that octrees miss a piece only
 * if no corner of a large cube, and no seed of the field, is in it.
 * Loops without cracks: an edge is halved if any of the cubes around it is smaller than it, a face is quartered if a cube on
 * either side is; segments of an undivided face run between the pieces of its border where the surface is crossed, and those of
 * the faces of a cube chain into loops.  No cube decides alone, so neighbours agree.
 * Source: Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986; Bloomenthal, Polygonization of Implicit
 * Surfaces, Computer Aided Geometric Design 5, 1988 (adaptive cubes, and the cure of cracks along their faces).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/surface_search.h"

G_BEGIN_DECLS

typedef struct _SurfaceOctree SurfaceOctree;

typedef struct {
  LatticePlace low;
  int32_t size; /* cells */
  guint8 hot;   /* bit i: corner i = x + 2y + 4z is inside */
} OctreeLeaf;

/* An edge, or part of one, between places that differ in sign: of a length along the axis 0, 1 or 2. */
typedef struct {
  LatticePlace low;
  int32_t length; /* cells */
  guint axis;
  float values[2];
} OctreePiece;

/* The loops of the surface in a cube, counter-clockwise as seen from outside the body: sizes[i] pieces each. */
typedef struct {
  GArray *pieces;            /* OctreePiece */
  GArray *sizes;             /* guint */
  GArray *segments, *border; /* while they are traced */
} OctreeLoops;

/* By the options of the sampling: method, levels, max_angle, max_error, graded, limit.  memo: (nullable) borrowed.
 * KG_ERROR_LIMIT, KG_ERROR_CANCELLED.  (transfer full) (nullable) */
SurfaceOctree *surface_octree_new (const SurfaceSampling *sampling, SurfaceMemo *memo, GError **error);
void surface_octree_free (SurfaceOctree *octree);

/* Cubes that are not divided, in the order of z, y, x of their low corners; none that is outside of a box that was given. */
guint surface_octree_get_n_leaves (const SurfaceOctree *octree);
OctreeLeaf surface_octree_get_leaf (const SurfaceOctree *octree, guint index);
void surface_octree_get_values (const SurfaceOctree *octree, guint index, float values[8]);
/* The cube that a cell is in; false outside of all. */
bool surface_octree_find (const SurfaceOctree *octree, LatticePlace cell, OctreeLeaf *leaf);
/* Corners of cubes at which the field was looked at, and not known from before. */
size_t surface_octree_get_n_samples (const SurfaceOctree *octree);

void octree_loops_init (OctreeLoops *loops);
void octree_loops_clear (OctreeLoops *loops);
/* Replaces the loops by those of a leaf.  Where several parts of the border of a face are inside, they are joined or separated
 * by the rule of the options, as tetrahedra do not apply. */
void surface_octree_trace (const SurfaceOctree *octree, guint leaf, OctreeLoops *loops);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SurfaceOctree, surface_octree_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OctreeLoops, octree_loops_clear)

G_END_DECLS
