/* image_wear: the slots that every image operation has.  How to use them: src/techniques/image/image_operation.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_operation.h"
#include "kg-node.h"

/* Fields of the job: those of the mask and mix alone, for nodes whose image and result have names of their own, and all. */
#define IMAGE_WEAR_FIELDS                                                                                              \
  const KgImage *mask;                                                                                                 \
  int mask_by;                                                                                                         \
  bool invert_mask;                                                                                                    \
  double mix

#define IMAGE_FIELDS                                                                                                   \
  KgImage *image;                                                                                                      \
  IMAGE_WEAR_FIELDS;                                                                                                   \
  KgImage *result

/* What image_apply wants to know of job n. */
#define IMAGE_WEAR_OF(n, straight_)                                                                                    \
  {                                                                                                                    \
    .mask = (n)->mask, .mask_by = (ImageMask) (n)->mask_by, .invert_mask = (n)->invert_mask, .mix = (n)->mix,          \
    .straight = (straight_)                                                                                            \
  }

/* A hole at any place would be a syntax error: unused in nodes without masks. */
G_GNUC_UNUSED static const KgChoice image_masks[] = {
  [IMAGE_MASK_AUTOMATIC] = { "automatic", N_ ("Automatic: alpha, or luminance if opaque") },
  [IMAGE_MASK_ALPHA] = { "alpha", N_ ("Alpha") },
  [IMAGE_MASK_LUMINANCE] = { "luminance", N_ ("Luminance") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (image_masks, IMAGE_N_MASKS);

/* The first row; help_: what is done to the image. */
#define IMAGE_INPUT(T, help_) KG_INPUT (T, image, IMAGE, .label = N_ ("Image"), .help = help_)

/* The first row of a node that touches its image by image_apply, image_apply_later or image_combine: operations before it
 * may be pending. */
#define IMAGE_POINT_IMAGE(T, help_) KG_INPUT (T, image, IMAGE, .label = N_ ("Image"), .pending = true, .help = help_)

/* The last rows but the output. */
#define IMAGE_WEAR_INPUTS(T)                                                                                           \
  KG_INPUT (                                                                                                           \
      T, mask, IMAGE, .label = N_ ("Mask"), .optional = true, .whole = true, .group = N_ ("Mask and Mix"),             \
      .help = N_ ("An image that limits the effect: none where it is 0, all where it is 1. It is centred; beyond "     \
                  "its edges it is 0.")),                                                                              \
      KG_INPUT (T, mask_by, CHOICE, .label = N_ ("Mask by"), .choices = image_masks, .group = N_ ("Mask and Mix"),     \
                .shown_when = "mask=linked",                                                                           \
                .help = N_ ("Which channel of the mask is used. Automatic takes its alpha, or its luminance if "       \
                            "the mask is opaque everywhere.")),                                                        \
      KG_INPUT (T, invert_mask, BOOLEAN, .label = N_ ("Invert Mask"), .group = N_ ("Mask and Mix"),                    \
                .shown_when = "mask=linked", .help = N_ ("The effect is limited to where the mask is 0.")),            \
      KG_INPUT (T, mix, NUMBER, .label = N_ ("Mix"), .unit = KG_PERCENT, .def = 1, .max = 1,                           \
                .group = N_ ("Mask and Mix"),                                                                          \
                .help = N_ ("How much of the effect is shown: at 0 the image is as it was."))

/* The last rows. */
#define IMAGE_WEAR(T, help_) IMAGE_WEAR_INPUTS (T), KG_OUTPUT (T, result, IMAGE, .label = N_ ("Image"), .help = help_)

/* Whether there is anything to mix: without, the result needs no second look. */
#define IMAGE_IS_WORN(n) ((n)->mask != NULL || (n)->mix < 1)

/* The row of a setting "straight" (boolean). */
#define IMAGE_STRAIGHT(T)                                                                                              \
  KG_INPUT (T, straight, BOOLEAN, .label = N_ ("Straight Colours"), .def = 1,                                          \
            .help = N_ ("Divides colours by alpha before and multiplies them after, so that transparent edges change " \
                        "like opaque parts. Fully transparent pixels stay as they are."))

/* The job's result is its image from here on. */
#define IMAGE_BEGIN(n) ((n)->result = g_steal_pointer (&(n)->image))
