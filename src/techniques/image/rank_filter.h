/* rank_filter: the median, or any other rank, of the square around each pixel.
 * Source: Huang, Yang and Tang 1979 (a histogram that moves with the square), on the ranks of a tile's values instead of the
 * values (Weiss 2006, section 4), which makes it exact for floats.  Of radius 1: Floyd's network of nine (Knuth, The Art of
 * Computer Programming 3, 5.3.4).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/resample.h"

G_BEGIN_DECLS

#define RANK_FILTER_MAX_RADIUS 96

/* to: as large as from (RGBA).  Each channel by itself.  rank: 0 the least, 0.5 the median, 1 the greatest of the (2 radius + 1)²
 * pixels.  The same bits for any number of threads.  False when monitor (nullable) says that it is cancelled. */
bool rank_filter (const float *from, int width, int height, int radius, double rank, ResampleEdges edges, float *to,
                  const KgProgressMonitor *monitor);

G_END_DECLS
