/* surface_memo: what is known of a surface from before, block by block of its lattice.
 *
 * From frame to frame of a film few keys of a soft object move.  The lattice is in blocks of cells; what polygonising found in a
 * block is kept by a hash of the keys that reach it, so that blocks without a changed key need not be looked into again
 * (Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986, "frame coherence").  A block is known as far as it was
 * looked into: the sides of corners, the parts of the surface that were walked over, each whole within the block, and vertices.
 * The surface is the same with and without what is known.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/surface_cubes.h"

G_BEGIN_DECLS

/* Finest scan of a box whose places are still worth looking up, in cells. */
#define SURFACE_MEMO_MAX_STEP 8

/* For one call of polygonize, which is borrowed; options->memos is not NULL.  NULL: the field does not tell what it depends
 * on, or the box is too large for the lattice.  (transfer full) (nullable) */
SurfaceMemo *surface_memo_new (const SurfaceSampling *sampling);
void surface_memo_free (SurfaceMemo *memo);

typedef enum { SURFACE_UNKNOWN, SURFACE_COLD, SURFACE_HOT } SurfaceSide;

SurfaceSide surface_memo_get_side (SurfaceMemo *memo, LatticePlace corner);
void surface_memo_set_side (SurfaceMemo *memo, LatticePlace corner, bool hot);

/* The part of the surface in one block that a cube belongs to. */
typedef struct {
  const SurfaceCube *cubes;
  guint n_cubes;
  const LatticePlace *exits; /* cubes of other blocks into which it goes on */
  guint n_exits;
} SurfacePart;

/* False: it is not known.  part: (out) empty where it was taken before. */
bool surface_memo_take_part (SurfaceMemo *memo, LatticePlace cube, SurfacePart *part);
/* Of no known part. */
void surface_memo_add_cube (SurfaceMemo *memo, const SurfaceCube *cube);

/* On the edge from a corner along the bits 1, 2, 4. */
typedef struct {
  guint16 edge; /* within its block */
  float p[3], gradient[3];
} SurfaceVertex;

/* (nullable) */
const SurfaceVertex *surface_memo_find_vertex (SurfaceMemo *memo, LatticePlace corner, guint along);
/* Of an edge that is not known; gradient: (nullable) zero. */
void surface_memo_add_vertex (SurfaceMemo *memo, LatticePlace corner, guint along, const float p[3],
                              const float gradient[3]);

/* Keeps what was found in this call, with what was known before. */
void surface_memo_keep (SurfaceMemo *memo);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SurfaceMemo, surface_memo_free)

G_END_DECLS
