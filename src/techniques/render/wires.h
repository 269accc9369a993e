/* wires: the edges of polygons, lines, curves and loose points of a geometry as lines a few pixels wide over an image with
 * depth, quick enough to be drawn while a view is turned: each edge is one
 * walk over the pixels, a step for each pixel along the longer side.
 * Source: Liang and Barsky 1984 (clipping).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"
#include "kg-scene.h"

/* Straight pieces of each piece of a curve. */
#define WIRES_CURVE_STEPS 16

typedef struct {
  float color[3]; /* linear */
  int width;      /* pixels, from 1 to 8 */
} WiresPen;

/* Draws over the image (which has a depth plane: distances from the camera, INFINITY where nothing is), wherever nothing is nearer;
 * what lies on a surface is seen.  Points and edges that cannot be computed with are left out.  False when monitor (nullable) says
 * that it is cancelled. */
bool wires_draw (const KgGeometry *geometry, const KgTransform *transform, const KgCamera *camera, const WiresPen *pen,
                 KgImage *image, const KgProgressMonitor *monitor);
