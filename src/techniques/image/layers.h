/* layers: stacks of images, from back to front.
 * Source: Porter and Duff 1984; Carpenter 1984 (edges that know where in the pixel they are).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_operation.h"

G_BEGIN_DECLS

/* Lays front over *back (given).  Distance: in the order of the layers, as colours: an opaque front hides what lies behind
 * however near it is, and a transparent one leaves it; where both show (edges, glass, an opacity below 1) the nearer one counts, as
 * in images of scenes.  distance: of all of the front; NAN: its own depths, infinite where it has none.  Depths are made only
 * if *back has some.  False when monitor (nullable) says that it is cancelled. */
bool layer_over (KgImage **back, const ImageSource *front, double opacity, double distance,
                 const KgProgressMonitor *monitor);

/* The same for a whole stack (from back to front) with correlated edges: where alpha has a slope, a layer covers that side of
 * the pixel to which it rises, and layers whose edges complement each other leave nothing of what is behind.  Fills colours
 * and alpha of out, which is the frame of all sources. */
bool layers_resolve (const ImageSource *layers, const double *opacities, guint n, KgImage *out,
                     const KgProgressMonitor *monitor);
/* Most layers of layers_resolve. */
#define LAYERS_MOST 64

G_END_DECLS
