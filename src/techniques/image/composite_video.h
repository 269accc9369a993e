/* composite_video: colour television over one wire, and what comes back from it.
 * Sources: SMPTE 170M (NTSC: levels, line timing, subcarrier); ITU-R BT.470 (U and V).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Megahertz of the colour subcarrier: 315/88. */
#define COMPOSITE_SUBCARRIER (315.0 / 88)

typedef enum { COMPOSITE_NOTCH, COMPOSITE_COMB, COMPOSITE_SEPARATE, COMPOSITE_N_DECODERS } CompositeDecoder;

typedef struct {
  CompositeDecoder decoder; /* separate: brightness and colour on wires of their own (S-video) */
  double luma_lines;        /* bandwidth as lines over the image height that are seen apart; 0: all */
  double chroma_lines;
  double noise;  /* deviation, 1 is white */
  double jitter; /* deviation of a line's start, in pixels */
  double phase;  /* error of the subcarrier, radians: hue */
  uint64_t seed;
} CompositeStyle;

/* Fills out, which is as large: four samples a period of the subcarrier, one a pixel; its phase advances by half a period from
 * line to line.  Coverage passes by. */
bool composite_video_apply (const KgImage *image, const CompositeStyle *style, KgImage *out,
                            const KgProgressMonitor *monitor);

/* One line of the signal, blanking and sync first: n samples of 63.556 µs in IRE (-40 to 100 and beyond).  row: of the image. */
void composite_video_scan (const KgImage *image, int row, bool color, double *ire, guint n);

/* Where a line's parts begin, in µs: front porch, sync, back porch, image, end. */
extern const double composite_video_parts[5];

G_END_DECLS
