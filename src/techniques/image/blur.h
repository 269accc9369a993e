/* blur: means of the neighbourhood of each pixel, at a cost that does not grow with its size.
 *
 * Gaussian: samples of the bell, whose parameter is chosen so that the variance on whole pixels is exact.  From a standard
 * deviation of 8 pixels the image is first reduced by a whole factor f with cubic B-splines, and enlarged with them
 * afterwards; each adds a variance of f²/3 wherever a pixel stands in its cell (Unser 1999, "Splines", section 2), so that
 * what is left is σ²/f² - 2/3 for the Gaussian in between.  The result differs from the bell by 2e-4 of its height.
 * Box: differences of an integral along the lines (Crow 1984), for real widths, with the edges in closed form.
 * Aperture: differences of such integrals along the rows of a disc or polygon.  The image is reduced by the cube root of the
 * radius first, so that the number of rows per pixel is bounded while the rim stays sharp.
 * Motion: sums over combs of up to 16 places; a comb of combs is a longer comb, because the motions commute.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/resample.h"

G_BEGIN_DECLS

/* All work in place on rows of RGBA without gaps, in parallel, with the same bits for any number of threads.  They return
 * false when monitor (nullable) says that they are cancelled, and leave anything then. */

/* sigma: standard deviations in pixels across and down, any from 0. */
bool blur_gaussian (float *pixels, int width, int height, const double sigma[2], ResampleEdges edges,
                    const KgProgressMonitor *monitor);

/* The variance that noise of variance 1 keeps. */
double blur_gaussian_power (double sigma);
/* From how far around (pixels) a pixel depends on others: beyond it, less than a millionth of all. */
double blur_gaussian_reach (double sigma);

/* radius: half the width and height of the box in pixels, any from 0; below half a pixel nothing changes. */
bool blur_box (float *pixels, int width, int height, const double radius[2], ResampleEdges edges,
               const KgProgressMonitor *monitor);

typedef struct {
  double radius;   /* of the circle, or of that around the polygon, in pixels */
  double aspect;   /* width over height */
  int blades;      /* below 3: a disc */
  double rotation; /* of the polygon, counter-clockwise, radians; 0: a corner points to the right */
} BlurAperture;

bool blur_aperture (float *pixels, int width, int height, const BlurAperture *aperture, ResampleEdges edges,
                    const KgProgressMonitor *monitor);

typedef enum { BLUR_STRAIGHT, BLUR_TURN, BLUR_ZOOM } BlurMotionKind;

typedef struct {
  BlurMotionKind kind;
  double
      extent; /* pixels; radians; logarithm of the ratio of sizes: from one end to the other, the pixel in the middle */
  double direction; /* of a straight one, counter-clockwise from the right, radians */
  double centre[2]; /* of the others, in pixels, y down */
} BlurMotion;

bool blur_motion (float *pixels, int width, int height, const BlurMotion *motion, ResampleEdges edges,
                  const KgProgressMonitor *monitor);

G_END_DECLS
