/* generator: the size of images that are made from nothing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

/* Fields of the job. */
#define GENERATOR_FIELDS                                                                                               \
  const KgImage *like;                                                                                                 \
  int64_t width;                                                                                                       \
  int64_t height;                                                                                                      \
  KgImage *image

/* The first rows. */
#define GENERATOR_SIZE(T)                                                                                              \
  KG_INPUT (T, width, INTEGER, .shown_when = "like=unlinked", .label = N_ ("Width"), .unit = KG_PIXELS, .def = 640,    \
            .min = 1, .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .help = N_ ("Size of the image.")),                  \
      KG_INPUT (T, height, INTEGER, .shown_when = "like=unlinked", .label = N_ ("Height"), .unit = KG_PIXELS,          \
                .def = 360, .min = 1, .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .help = N_ ("Size of the image."))

/* The last rows. */
#define GENERATOR_IMAGE(T)                                                                                             \
  KG_INPUT (T, like, IMAGE, .label = N_ ("Size of"), .optional = true,                                                 \
            .help = N_ ("An image whose size this one takes, instead of the width and height.")),                      \
      KG_OUTPUT (T, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image."))

/* Makes the job's image, transparent; false with *error. */
#define GENERATOR_BEGIN(n, error)                                                                                      \
  ((n)->width = (n)->like != NULL ? kg_image_get_width ((n)->like) : (n)->width,                                       \
   (n)->height = (n)->like != NULL ? kg_image_get_height ((n)->like) : (n)->height,                                    \
   ((n)->image = kg_image_new ((n)->width, (n)->height, false, error)) != NULL)
