/* surface_memo: what is known of a surface from before, block by block of its lattice.
 *
 * From frame to frame of a film few keys of a soft object move.  The lattice is in blocks of cells; what polygonising found in a
 * block is kept by a hash of the keys that reach it, so that blocks without a changed key need not be looked into again
 * (Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986, "frame coherence").  A block is known as far as it was
 * looked into: the sides of corners that were scanned, the patches of values that the walk over the surface needed, the cubes of the
 * surface if all of its cells were looked into, values at corners and the shape of large cubes for octrees, and vertices.
 * The surface is the same with and without what is known.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/surface_cubes.h"

G_BEGIN_DECLS

/* Cells along the sides of a block, which lies at multiples of this: larger blocks have more keys that may change, smaller ones
 * more to look up. */
#define SURFACE_MEMO_SIDE 16

/* Finest scan of a box whose places are still worth looking up, in cells. */
#define SURFACE_MEMO_MAX_STEP 8

/* For one call of polygonize, which is borrowed; options->memos is not NULL.  NULL: the field does not tell what it depends
 * on, or the box is too large for the lattice.  (transfer full) (nullable) */
SurfaceMemo *surface_memo_new (const SurfaceSampling *sampling);
void surface_memo_free (SurfaceMemo *memo);

typedef enum { SURFACE_UNKNOWN, SURFACE_COLD, SURFACE_HOT } SurfaceSide;

SurfaceSide surface_memo_get_side (SurfaceMemo *memo, LatticePlace corner);
void surface_memo_set_side (SurfaceMemo *memo, LatticePlace corner, bool hot);

/* Corners of a patch along each axis, and in all; its lowest is at multiples of the first. */
#define SURFACE_MEMO_PATCH_SIDE 4
#define SURFACE_MEMO_PATCH_SIZE 64

/* The values at the corners of a patch, by z, y and x; false: they are not known. */
bool surface_memo_find_patch (SurfaceMemo *memo, LatticePlace low, float values[SURFACE_MEMO_PATCH_SIZE]);
/* Of a patch that is not known. */
void surface_memo_add_patch (SurfaceMemo *memo, LatticePlace low, const float values[SURFACE_MEMO_PATCH_SIZE]);

/* Of a block that is about to be complete. */
void surface_memo_add_cube (SurfaceMemo *memo, const SurfaceCube *cube);

/* Appends all cubes (SurfaceCube) of the block that a cell is in.  False: not all of its cells were looked into. */
bool surface_memo_take_block (SurfaceMemo *memo, LatticePlace cell, GArray *cubes);
/* All cells of its block are looked into now: the cubes that are added are all there are. */
void surface_memo_complete_block (SurfaceMemo *memo, LatticePlace cell);

/* The value of the field at a corner; false: it is not known. */
bool surface_memo_find_value (SurfaceMemo *memo, LatticePlace corner, float *value);
/* Of a corner that is not known. */
void surface_memo_add_value (SurfaceMemo *memo, LatticePlace corner, float value);

/* Whether the surface bends within a cube of an adaptive octree, as far as its own corners and edges show; false: that is not
 * known, as of all cubes larger than a block. */
bool surface_memo_find_shape (SurfaceMemo *memo, LatticePlace low, int32_t size, bool *bent);
void surface_memo_add_shape (SurfaceMemo *memo, LatticePlace low, int32_t size, bool bent);

/* On the edge from a corner along the bits 1, 2, 4, so many cells long. */
typedef struct {
  guint32 edge; /* within its block */
  float p[3], gradient[3];
} SurfaceVertex;

/* (nullable) */
const SurfaceVertex *surface_memo_find_vertex (SurfaceMemo *memo, LatticePlace corner, guint along, int32_t length);
/* Of an edge that is not known; gradient: (nullable) zero.  Edges that are longer than a block are not kept. */
void surface_memo_add_vertex (SurfaceMemo *memo, LatticePlace corner, guint along, int32_t length, const float p[3],
                              const float gradient[3]);

/* Keeps what was found in this call, with what was known before. */
void surface_memo_keep (SurfaceMemo *memo);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SurfaceMemo, surface_memo_free)

G_END_DECLS
