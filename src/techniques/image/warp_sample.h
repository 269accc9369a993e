/* warp_sample: what a pixel shows of an image that is bent.
 * Sources: Parent, Computer Animation, 3.8.2; Sutherland and Hodgman, Reentrant Polygon Clipping, 1974.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

typedef enum {
  WARP_BILINEAR, /* between the four pixels around the place */
  WARP_NEAREST,  /* the pixel at the place */
  WARP_SUPER_2,  /* the mean of 2 by 2 bilinear samples */
  WARP_SUPER_4,  /* of 4 by 4 */
  WARP_AREA,     /* the mean of all that the pixel covers */
  WARP_N_SAMPLINGS
} WarpSampling;

typedef enum { WARP_EXTEND, WARP_TRANSPARENT, WARP_COLOR, WARP_N_EDGES } WarpEdge;

typedef struct {
  WarpSampling sampling;
  WarpEdge edge;  /* what lies beyond the image */
  float color[4]; /* premultiplied; of WARP_COLOR */
} WarpSampler;

/* At continuous coordinates (pixel centres at + 0.5, y down), by one bilinear sample or, with WARP_NEAREST, one pixel.  NaN
 * shows what lies beyond the image. */
void warp_sample_point (const KgImage *image, const WarpSampler *sampler, double x, double y, float *rgba);
/* The mean over the quadrilateral with these corners, in order; either way round.  What has no area is sampled at its middle;
 * one of more than 64 by 64 pixels, at 16 by 16 points. */
void warp_sample_area (const KgImage *image, const WarpSampler *sampler, const double corners[4][2], float *rgba);

G_END_DECLS
