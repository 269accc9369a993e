/* video_codec: frames coded with reference to other frames.
 * Sources: ISO/IEC 11172-2 (MPEG-1: I, P and B frames, motion vectors of blocks).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_codec.h"

G_BEGIN_DECLS

/* Pixels along the side of a block that has a vector of its own. */
#define VIDEO_BLOCK 16

/* Where the blocks of a frame are found in a reference: pixels to the right and down from their own place, row by row; the
 * smallest sum of absolute differences of brightness, and of equal ones the shortest vector.  search: pixels.  vectors: (out)
 * two for each block.  prediction: (out) what the reference gives.  Returns the bits of the vectors. */
double video_codec_predict (const CodecPlanes *current, const CodecPlanes *reference, int search, int *vectors,
                            CodecPlanes *prediction);

/* The order in which the frames of a pattern of I, P and B are coded: frames that others refer to come first.  order: (out)
 * for each place in the pattern its turn.  The pattern is repeated for ever; the turns of B frames at its end come after the
 * next pattern's first frame. */
void video_codec_get_order (const char *pattern, int *order);

/* What frame k (from 0) needs: the frames to code first, in coding order, itself the last.  (transfer full) of int64_t */
GArray *video_codec_get_chain (const char *pattern, int64_t k);
/* Frames that frame k refers to; -1: none. */
void video_codec_get_references (const char *pattern, int64_t k, int64_t references[2]);
char video_codec_get_type (const char *pattern, int64_t k);
/* Only I, P and B, at least one I, which comes first, and at most 60 frames. */
bool video_codec_check (const char *pattern, GError **error);

G_END_DECLS
