/* triangulate: a polygon with holes, cut into triangles.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdint.h>

/* Cuts the polygon into triangles and appends their corners, three indices (uint32_t) each, to triangles.
 * points: x and y of the corners of all rings, one ring after the other; ends: where each ring ends.  The first ring is
 * the outline, the others are holes in it; either may turn either way.  A ring that crosses itself gives some triangles
 * that show it.  Takes near-linear time for what artists draw, and never more than a few thousand steps a corner. */
void triangulate (const double *points, const uint32_t *ends, uint32_t n_rings, GArray *triangles);
