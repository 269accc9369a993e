/* kg-palette: 256 colours for an image of millions, for GIF.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

G_BEGIN_DECLS

#define KG_PALETTE_SIZE 256

/* rgba: n_pixels times 4 bytes; alpha is ignored.  Chooses at most 256 colours by dividing the box of largest
 * error at its mean (after Heckbert 1982, "Color image quantization for frame buffer display"; choice and place of the cut after Wu
 * 1991), and writes for each pixel the number of the nearest one.  palette: 0xAARRGGBB, opaque; unused
 * entries are black.  Pixels with no more than 256 colours keep them exactly.  The same pixels give the same palette. */
void kg_palette_reduce (const uint8_t *rgba, size_t n_pixels, uint32_t palette[KG_PALETTE_SIZE], uint8_t *indices);
/* The colours alone, at most so many of them (1 to 256).  Returns how many. */
guint kg_palette_choose (const uint8_t *rgba, size_t n_pixels, guint most, uint32_t palette[KG_PALETTE_SIZE]);

G_END_DECLS
