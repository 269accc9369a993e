/* mesh_warp: an image warped from one net of splines to another, in two passes.
 * Sources: Smith 1987; Wolberg, Digital Image Warping, 1990, section 7.7 (the net of the first pass takes x from where points
 * go and y from where they come from).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Points of rows (from the top) and columns (from the left) in pixels, y down: x y pairs, row by row. */
typedef struct {
  int rows, columns;
  double *points;
} WarpNet;

typedef enum { MESH_WARP_CATMULL_ROM, MESH_WARP_LINEAR, MESH_WARP_N } MeshWarpSpline;

/* Reads a geometry of whole rows of that many columns, in Draw's coordinates (the middle is the origin, the height is 2), and
 * puts its border onto that of an image.  *moved: (out) how many points were not there already. */
bool mesh_warp_read (const KgGeometry *geometry, int columns, int width, int height, WarpNet *net, guint *moved,
                     GError **error);
void mesh_warp_clear (WarpNet *net);
/* Every point at t between two nets of equal size. */
WarpNet mesh_warp_mix_nets (const WarpNet *a, const WarpNet *b, double t);

/* Fills out, which is as large as the image: what lies at from comes to lie at to.  Light is spread and averaged by the parts
 * of pixels that are covered.  Folds are KG_ERROR_DEGENERATE, or with unfold are warped along straight lines, if those do not
 * fold.  columns_first: the second pass of the usual order comes first.  False without an error when cancelled. */
bool mesh_warp_apply (const KgImage *image, const WarpNet *from, const WarpNet *to, MeshWarpSpline spline, bool unfold,
                      bool columns_first, KgImage *out, const KgProgressMonitor *monitor, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WarpNet, mesh_warp_clear)

G_END_DECLS
