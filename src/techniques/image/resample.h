/* resample: an image read through an affine map.
 * Source: Keys 1981 (cubic convolution, which with a = -1/2 is the spline of Catmull and Rom).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Parts of a pixel that are rounding and not meant: without them, moves by whole pixels and right angles are exact. */
#define RESAMPLE_TINY 1e-9

typedef enum { RESAMPLE_NEAREST, RESAMPLE_BILINEAR, RESAMPLE_BICUBIC, RESAMPLE_N_FILTERS } ResampleFilter;

/* What is beyond the edges of the image: nothing, its last pixels, or the image again. */
typedef enum { RESAMPLE_TRANSPARENT, RESAMPLE_EXTEND, RESAMPLE_REPEAT, RESAMPLE_N_EDGES } ResampleEdges;

/* Where a pixel of the result comes from: x' = m x + offset, in continuous coordinates (centres at + 0.5, y down). */
typedef struct {
  double m[2][2];
  double offset[2];
} ResampleMap;

/* Fills out, which has depth where the source has; where the image shrinks, with the mean of several
 * samples a pixel.  Depths are not mixed.  Parallel; the same bits for any number of threads.  False when monitor (nullable)
 * says that it is cancelled. */
bool resample_image (const KgImage *source, const ResampleMap *map, ResampleFilter filter, ResampleEdges edges,
                     KgImage *out, const KgProgressMonitor *monitor);

G_END_DECLS
