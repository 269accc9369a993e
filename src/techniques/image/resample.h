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

/* What is beyond the edges of the image: nothing, its last pixels, the image again, or the image mirrored. */
typedef enum {
  RESAMPLE_TRANSPARENT,
  RESAMPLE_EXTEND,
  RESAMPLE_REPEAT,
  RESAMPLE_MIRROR,
  RESAMPLE_N_EDGES
} ResampleEdges;

/* The pixel that is shown at i of a line of size pixels; -1: none. */
static inline int
resample_find_index (int64_t i, int size, ResampleEdges edges)
{
  if (i >= 0 && i < size)
    return (int) i;
  if (edges == RESAMPLE_TRANSPARENT)
    return -1;
  if (edges == RESAMPLE_EXTEND)
    return i < 0 ? 0 : size - 1;
  if (edges == RESAMPLE_REPEAT)
    return (int) (i % size + (i % size < 0 ? size : 0));
  i = i % (2 * (int64_t) size) + (i % (2 * (int64_t) size) < 0 ? 2 * (int64_t) size : 0);
  return (int) (i < size ? i : 2 * (int64_t) size - 1 - i);
}

/* Where a pixel of the result comes from: x' = m x + offset, in continuous coordinates (centres at + 0.5, y down). */
typedef struct {
  double m[2][2];
  double offset[2];
} ResampleMap;

/* Fills out, which is as large as the source and has depth where that has; where the image shrinks, with the mean of several
 * samples a pixel.  Depths are not mixed.  Parallel; the same bits for any number of threads.  False when monitor (nullable)
 * says that it is cancelled. */
bool resample_image (const KgImage *source, const ResampleMap *map, ResampleFilter filter, ResampleEdges edges,
                     KgImage *out, const KgProgressMonitor *monitor);

G_END_DECLS
