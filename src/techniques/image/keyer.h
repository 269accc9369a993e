/* keyer: a matte from colours, and the screen taken out of the image.
 * Source: Vlahos, US patent 3 595 987, 1971 (colour difference); Smith and Blinn, Blue screen matting, SIGGRAPH 1996 (what can be
 * known; taking the screen out by subtraction).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_operation.h"

G_BEGIN_DECLS

typedef enum {
  KEYER_COLOR_DIFFERENCE, /* alpha = 1 - (k - max of the other two) / that of the screen; k: its strongest channel */
  KEYER_CHROMA,           /* how far the chroma is from that of the screen */
  KEYER_LUMA,             /* how bright */
  KEYER_DIFFERENCE,       /* how far from a plate without the subject */
  KEYER_N_METHODS
} KeyerMethod;

typedef enum { KEYER_SPILL_AVERAGE, KEYER_SPILL_LARGER, KEYER_N_SPILLS } KeyerSpill;

typedef struct {
  KeyerMethod method;
  float screen[3];
  float tolerance, softness; /* chroma and difference: alpha rises from 0 at tolerance to 1 over softness */
  float low, high;           /* luma */
  float black, white;        /* of the matte: clipped to 0 below and 1 above */
  bool invert;
  bool subtract_screen; /* premultiplied colours are p - (1 - alpha) screen; otherwise p alpha */
  float despill;        /* 0..1: the strongest channel of the screen is limited to the others */
  KeyerSpill spill;
  bool show_matte;
  /* The others are 0 the plate, 1 what is kept, 2 what is left out: which are there, and what of them counts. */
  bool has_keep, has_drop;
  bool keep_luminance, drop_luminance;
} Keyer;

/* An ImageKernel with three other images, see there. */
void keyer_block (const ImageBlock *block, const void *data);

G_END_DECLS
