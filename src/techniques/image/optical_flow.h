/* optical_flow: how far each pixel of one frame moves to the next, and images moved along.
 * Sources: Horn and Schunck 1981, coarse to fine with warping as in Meinhardt-Llopis, Sánchez and Kondermann,
 * Horn-Schunck Optical Flow with a Multi-Scale Strategy, IPOL 2013; frames between two: Jiang et al., Super SloMo, 2018,
 * section 3.2 (the flows of an intermediate frame, linear in time).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct {
  double smoothness; /* weight of the gradient of the flow against differences of brightness (0..255) */
  int warps;         /* linearisations at each size of the image */
  int iterations;    /* of Jacobi's method for each of them */
} OpticalFlowStyle;

/* Two floats a pixel, to the right and down, in pixels: from (x) looks like to (x + flow).  to is centred on from.
 * (transfer full) (nullable) NULL when cancelled, or with an error when memory runs out.  Parallel; the same bits for any
 * number of threads. */
float *optical_flow_find (const KgImage *from, const KgImage *to, const OpticalFlowStyle *style,
                          const KgProgressMonitor *monitor, GError **error);

/* The same both ways, from images of one size that are read once.  False when cancelled, or with an error. */
bool optical_flow_find_both (const KgImage *from, const KgImage *to, const OpticalFlowStyle *style, float **forward,
                             float **backward, const KgProgressMonitor *monitor, GError **error);

/* The frame at t between from (0) and to (1), which are as large as out; forward and backward flow. */
bool optical_flow_interpolate (const KgImage *from, const KgImage *to, const float *forward, const float *backward,
                               double t, KgImage *out, const KgProgressMonitor *monitor);

/* Each pixel's light spread evenly along shutter times its vector, begun at phase (both in frames); at most samples steps.
 * vectors: R pixels to the right, G up, for a frame.  The sum of all pixels is kept but for what leaves the frame, and for
 * coverage above 1, which is scaled back; opaque images stay opaque. */
bool optical_flow_blur (const KgImage *image, const KgImage *vectors, double shutter, double phase, int samples,
                        KgImage *out, const KgProgressMonitor *monitor);

G_END_DECLS
