/* channels: which channel comes from where; colours made straight and premultiplied; and one image or another by a matte.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_operation.h"

G_BEGIN_DECLS

typedef enum {
  CHANNEL_RED,
  CHANNEL_GREEN,
  CHANNEL_BLUE,
  CHANNEL_ALPHA,
  CHANNEL_LUMINANCE,
  CHANNEL_OTHER_RED,
  CHANNEL_OTHER_GREEN,
  CHANNEL_OTHER_BLUE,
  CHANNEL_OTHER_ALPHA,
  CHANNEL_OTHER_LUMINANCE,
  CHANNEL_ZERO,
  CHANNEL_ONE,
  N_CHANNELS
} ChannelFrom;

typedef struct {
  ChannelFrom from[4];
  bool premultiply; /* colours are multiplied by the alpha of the result */
} Channels;

/* An ImageKernel with one other image. */
void channels_block (const ImageBlock *block, const void *data);

/* ImageKernels without data: colours times alpha, and divided by it; 0 where alpha is 0. */
void premultiply_block (const ImageBlock *block, const void *data);
void unpremultiply_block (const ImageBlock *block, const void *data);

typedef struct {
  bool one_bit; /* all or nothing: the foreground where matte >= threshold */
  float threshold;
  bool invert;
  bool luminance; /* of the matte, instead of its alpha */
} Matte;

/* An ImageKernel: the image, the first of the others where the matte, which is the second, is 1. */
void matte_block (const ImageBlock *block, const void *data);

G_END_DECLS
