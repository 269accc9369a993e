/* frame_mix: several frames of the same image become one, pixel by pixel.
 * Sources: Korein and Badler 1983 (temporal anti-aliasing with several frame buffers); Porter and Duff 1984 (over).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  FRAME_MIX_MEAN,   /* sum w I / sum w; light is conserved */
  FRAME_MIX_MEDIAN, /* of each component; weights are ignored */
  FRAME_MIX_MIN,    /* of w I */
  FRAME_MIX_MAX,    /* of w I */
  FRAME_MIX_SUM,    /* sum w I */
  FRAME_MIX_OVER,   /* the first frame in front, each with opacity w */
  FRAME_MIX_UNDER,  /* the last frame in front */
  FRAME_MIX_N
} FrameMixRule;

/* Fills out, whose size rules: frames of other sizes are centred on it and transparent beyond their edges.  weights: n
 * numbers, or NULL for ones.  A mean of weights that sum to zero is transparent.  Parallel; the same bits for any number of
 * threads.  False when monitor (nullable) says that it is cancelled. */
bool frame_mix (const KgImage *const *frames, const double *weights, guint n, FrameMixRule rule, KgImage *out,
                const KgProgressMonitor *monitor);

/* Samples distributed over time (Cook, Porter and Carpenter, Distributed Ray Tracing, 1984): frames are side times as wide and
 * high as out, and there are side² of them.  Of the side² pixels that become one, each is taken from a frame of its own, in
 * another order for each pixel, which seed decides; weights: of the frames, with a sum that is not zero.  Frames of other
 * sizes are centred.  False when cancelled. */
bool frame_mix_distribute (const KgImage *const *frames, const double *weights, int side, uint64_t seed, KgImage *out,
                           const KgProgressMonitor *monitor);

/* What moves through the frames, seen as one object on the background that their median is. */
typedef struct {
  double spacing; /* mean distance of its centre from one frame to the next, in pixels */
  double extent;  /* its size along that direction: that of the bar with the same variance, sqrt (12 var) */
} FrameGhosts;

/* Images stand apart where spacing is larger than extent: as many times as many frames would close the gaps.  Zeros where
 * nothing moves.  False when cancelled. */
bool frame_mix_measure_ghosts (const KgImage *const *frames, guint n, FrameGhosts *ghosts,
                               const KgProgressMonitor *monitor);

/* The row y of out in a frame that is centred on it: its pixels where *first <= x < *end of out; NULL where it has none. */
const float *frame_mix_get_row (const KgImage *frame, int width, int height, int y, int *first, int *end);

G_END_DECLS
