/* scope: what colours an image has, drawn as measuring instruments do.
 * Sources: ITU-R BT.709 (Y', Cb, Cr); SMPTE RP 219 (bars, whose colours are the boxes of the vectorscope).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum { SCOPE_HISTOGRAM, SCOPE_WAVEFORM, SCOPE_PARADE, SCOPE_LUMA, SCOPE_VECTORSCOPE, SCOPE_N_KINDS } ScopeKind;

typedef struct {
  ScopeKind kind;
  bool encoded;     /* of the sRGB signal, not of light */
  double low, high; /* values at the ends of the scale */
  double gain;      /* brightness of traces, 1: an evenly spread one is in the middle */
  bool graticule;
} ScopeStyle;

/* Draws into scope, an image of any size, opaque.  False when monitor (nullable) says that it is cancelled. */
bool scope_draw (const KgImage *image, const ScopeStyle *style, KgImage *scope, const KgProgressMonitor *monitor);

G_END_DECLS
