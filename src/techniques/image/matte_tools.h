/* matte_tools: a matte (one float a pixel, rows without gaps) grown, shrunk, softened and closed; and the shadow of one.
 * Source: Haralick, Sternberg and Zhuang, Image analysis using mathematical morphology, 1987 (grey dilation and erosion); Wells,
 * Efficient synthesis of Gaussian filters by cascaded uniform filters, 1986.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Largest radius of matte_spread. */
#define MATTE_SPREAD_MOST 500

/* (transfer full) Alpha of an image, to be freed with g_free; and put back: colours follow, so that straight colours stay (black
 * where there were none). */
float *matte_take (const KgImage *image);
void matte_put (KgImage *image, const float *matte);

/* The largest value within a radius in pixels (dilation), or, where it is negative, the smallest (erosion): in a disc or a square.
 * Between whole radii the mean of both counts.  Outside the matte there is nothing that counts.  All of these: false when monitor
 * (nullable) says that it is cancelled. */
bool matte_spread (float *matte, int width, int height, double radius, bool square, const KgProgressMonitor *monitor);
/* Close to a Gaussian of that standard deviation in pixels: three means in a row.  extend: the edges go on outside; otherwise there
 * is 0. */
bool matte_blur (float *matte, int width, int height, double deviation, bool extend, const KgProgressMonitor *monitor);
/* Makes 1 of regions below the threshold that do not reach an edge; only of those with up to so many pixels, if largest is not 0. */
bool matte_fill_holes (float *matte, int width, int height, double threshold, size_t largest,
                       const KgProgressMonitor *monitor);

/* (transfer full) (nullable) The shadow that an image casts on what is close behind it: its alpha in one colour, moved to the
 * right and down, grown by spread and softened, as large as the image.  NULL and *error where memory runs out; without, when
 * cancelled. */
KgImage *matte_make_shadow (const KgImage *image, double right, double down, double spread, double softness,
                            KgColor color, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
