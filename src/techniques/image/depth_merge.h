/* depth_merge: two images with depth as one, the nearer in front.
 * Source: Duff, Compositing 3-D rendered images, SIGGRAPH 1985 (zmin and comp; the split case as in its geometry: beta is the
 * area of the polygon where the foreground is nearer, found on the edges of the pixel).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* What two diagonal corners in front say about the middle of the pixel, where nothing is known. */
typedef enum {
  DEPTH_DIAGONAL_EVEN,      /* shared alike: comp is commutative */
  DEPTH_DIAGONAL_SADDLE,    /* to whom the saddle of the bilinear surface belongs */
  DEPTH_DIAGONAL_TRIANGLES, /* to the back: the two corner triangles are all of the front */
  DEPTH_N_DIAGONALS
} DepthDiagonal;

/* The share of a pixel where the front is nearer. d: depth of front less that of back at the corners, in circular order; may be
 * infinite, not NaN; 0: the back is nearer. */
double depth_get_beta (const double d[4], DepthDiagonal diagonal);

/* Both are of one size, and have depth. *back (given) becomes the result: the nearer one of each pixel (zmin, the back where both
 * are equally near), or with beta (comp) beta (front over back) + (1 - beta) (back over front). comp takes depths of the
 * pixels' centres to their corners as the mean of the (up to four) finite ones there. shares (nullable): of all pixels.
 * Depth is the smaller one. False when monitor (nullable) says that it is cancelled. */
bool depth_merge (KgImage **back, const KgImage *front, bool comp, DepthDiagonal diagonal, float *shares,
                  const KgProgressMonitor *monitor);

G_END_DECLS
