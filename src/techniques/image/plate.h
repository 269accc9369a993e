/* plate: what is behind: the median of images, and strokes filled from both sides.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Most images of a median. */
#define PLATE_MOST 64

/* (transfer full) (nullable) The median of each channel of each pixel over n images, 1 to PLATE_MOST; of an even number the mean
 * of both in the middle.  Images of other sizes than the first are centred on it.  NULL and *error where memory runs out; without,
 * when cancelled. */
KgImage *plate_median (const KgImage *const *images, guint n, const KgProgressMonitor *monitor, GError **error);

/* Fills in *image (given) the stroke of that width along a line of points (pixels, y down): each pixel is interpolated between those just beyond
 * the stroke's two edges, straight across.  filled: (out) how many.  False when cancelled. */
bool plate_fill_stroke (KgImage **image, const double (*points)[2], guint n, double width, size_t *filled,
                        const KgProgressMonitor *monitor);

G_END_DECLS
