/* image_field: an image that is extruded through a box, as a field of colours.
 *
 * Within the box the colour is image (u, v), the same all along the axis of the extrusion; u and v go from 0 to 1 across the box.
 * Where the image is transparent, and outside of the box, the colour is that of another field.
 * Source: Wyvill, tutorial of 1988, Fig. 15 (a region of texture space); Perlin 1985 and Peachey 1985 (solid textures).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-image.h"

G_BEGIN_DECLS

typedef enum {
  IMAGE_FIELD_X, /* u along z, v along y */
  IMAGE_FIELD_Y, /* u along x, v against z */
  IMAGE_FIELD_Z, /* u along x, v along y */
  IMAGE_FIELD_N_AXES
} ImageFieldAxis;

typedef struct {
  KgVector low, high; /* corners; low below high along each axis */
  ImageFieldAxis axis;
  double feather; /* metres inside the border over which the image fades; 0: none */
} ImageFieldBox;

/* Colours in linear light, three components.  outside: (nullable) colours, or brightnesses if it is a scalar field; without it
 * color is everywhere else.  NULL without an error: cancelled.  (transfer full) (nullable) */
KgField *image_field_new (const KgImage *image, const ImageFieldBox *box, const KgField *outside, KgVector color,
                          const KgProgressMonitor *monitor, GError **error);
/* How much of the image there is: 1 in the box, 0 outside.  (transfer full) */
KgField *image_field_new_weight (const ImageFieldBox *box, GError **error);

G_END_DECLS
