/* dither: images in a few colours.
 * Sources: Floyd and Steinberg, An Adaptive Algorithm for Spatial Greyscale, 1976; Bayer, An Optimum Method for Two-Level
 * Rendition of Continuous-Tone Pictures, 1973.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  DITHER_NONE,    /* the nearest colour */
  DITHER_ORDERED, /* a pattern of 8 by 8 thresholds, which stands still, except on colours of the palette */
  DITHER_DIFFUSE, /* the error of each pixel goes to those after it, rows to and fro */
  DITHER_N
} DitherMethod;

/* Fills out, as large as image, with colours of a palette of n (at least 1) times the image's coverage.  palette: 0xRRGGBB,
 * sRGB, which is also where colours are compared; colours of the image are straight, and clamped to 0..1.  amount: 0 to 1,
 * how much of the pattern or the error counts.  False when cancelled.  The same bits for any number of threads. */
bool dither_apply (const KgImage *image, const uint32_t *palette, guint n, DitherMethod method, double amount,
                   KgImage *out, const KgProgressMonitor *monitor);

G_END_DECLS
