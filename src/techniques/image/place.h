/* place: an image put into a frame, scaled and rotated.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/resample.h"

G_BEGIN_DECLS

/* Where an image is in a frame, in pixels of the frame to the right and up, from centre to centre (whole pixels, as
 * image_operation's rule of sizes has them). */
typedef struct {
  double x, y;
  double rotate;             /* counter-clockwise */
  double scale_x, scale_y;   /* negative: mirrored */
  double anchor_x, anchor_y; /* the point of the image, from its centre, that is put there */
} Place;

/* (transfer full) (nullable) The image in a transparent frame.  NULL and *error when it has too many pixels; NULL without when
 * monitor says that it is cancelled. */
KgImage *place_image (const KgImage *image, const Place *place, int width, int height, double aspect,
                      ResampleFilter filter, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
