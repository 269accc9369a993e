/* denoise: means of pixels that look alike.
 * Sources: Tomasi and Manduchi 1998 (bilateral); Buades, Coll and Morel 2005 (non-local means), by sums over the image for
 * each displacement (Darbon, Cunha, Chan, Osher and Jensen 2008), so that the size of the patches costs nothing.
 * Beyond a reach of 16 a sample of 1089 displacements stands for all of them (Chan, Zickler and Lu 2014, Monte Carlo Non-Local
 * Means), so that the time stays that of a reach of 16.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/resample.h"

G_BEGIN_DECLS

typedef struct {
  int reach;       /* pixels on each side that are searched */
  int patch;       /* non-local means: half the side of the squares that are compared; 0: bilateral, the pixels alone */
  double strength; /* differences of colour (root of the mean square over red, green, blue) that count as noise */
  double spread;   /* bilateral: standard deviation of the distance in pixels */
} DenoiseStyle;

/* to: as large as from (RGBA); beyond the edges are the nearest pixels.  The same bits for any number of threads.  False when
 * monitor (nullable) says that it is cancelled. */
bool denoise_image (const float *from, int width, int height, const DenoiseStyle *style, float *to,
                    const KgProgressMonitor *monitor);

G_END_DECLS
