/* surface_walk: the cubes of a lattice that a surface passes through, found by walking over it from seeds.
 *
 * The lattice is in patches of 4 x 4 x 4 corners, and as many cells that begin there.  Patches are sampled whole, when the
 * walk first needs one of their corners: a patch has just as many places as fields work on together, close to each other.  Which corners are
 * inside, which cells the surface passes through and through which faces it leaves them are words of 64 bits, so that
 * the walk takes a step in all cells of a patch at once.
 * Source: Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/surface_cubes.h"

G_BEGIN_DECLS

/* All cubes of the range that are joined to a seed by faces that the surface crosses, in the order of z, y, x.  Seeds are those
 * of the field, and then where a coarse scan changes sides.  Sets n_missed and n_samples of the result.  memo: (nullable).
 * KG_ERROR_LIMIT, KG_ERROR_CANCELLED.  (element-type SurfaceCube) (transfer full) (nullable) */
GArray *surface_walk (const SurfaceSampling *sampling, const LatticeRange *range, SurfaceMemo *memo,
                      PolygonizeResult *result, GError **error);

G_END_DECLS
