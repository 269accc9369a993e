/* flood_fill: the pixels of one colour that hang together.
 * Source: A. R. Smith, Tint Fill, SIGGRAPH 1979.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct {
  double tolerance; /* largest difference of a component from the colour at the seed, as display values, 0 to 1 */
  bool diagonal;    /* pixels also hang together across corners */
  int gap;          /* gaps of lines up to 2 gap pixels wide do not leak */
  int expand;       /* the region grows by so many pixels in the end, across lines */
} FloodFillStyle;

typedef struct {
  size_t pixels; /* of the region */
  bool leaks;    /* it touches the edge of the image, before it is expanded */
  bool narrow;   /* a seed lies so near a line that the gap leaves it no room: it fills nothing */
} FloodFillReport;

/* Sets region (width × height bytes, zeroed) to 1 where it is filled from any seed.  seeds: columns and rows inside the image.
 * False when monitor (nullable) says that it is cancelled. */
bool flood_fill (const KgImage *image, const int (*seeds)[2], size_t n_seeds, const FloodFillStyle *style,
                 guint8 *region, FloodFillReport *report, const KgProgressMonitor *monitor);

/* Most pixels of gap and expand. */
#define FLOOD_FILL_MAX_REACH 64

G_END_DECLS
