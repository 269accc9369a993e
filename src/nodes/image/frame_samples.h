/* frame_samples: an image input that is read at several times.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_wear.h"
#include "kg-node.h"

/* IMAGE_FIELDS with an image that is lent, because it is read at several times. */
#define FRAME_FIELDS                                                                                                   \
  const KgImage *image;                                                                                                \
  const KgImage *mask;                                                                                                 \
  int mask_by;                                                                                                         \
  bool invert_mask;                                                                                                    \
  double mix;                                                                                                          \
  KgImage *result

/* The time of a frame number. */
static inline double
frame_samples_time (const KgContext *ctx, double frame)
{
  return (frame - ctx->start) / ctx->rate;
}

/* The frame that is shown at a time: movies change at whole frames.  What is less than a rounding before it counts. */
static inline double
frame_samples_whole (double frame)
{
  return floor (frame + 1e-6);
}

/* (transfer container) All samples of the image input at this offset, in the order of the demand. */
static inline const KgImage **
frame_samples_get (const KgContext *ctx, size_t field, guint *n)
{
  const KgImage **frames;

  *n = kg_context_get_n_samples (ctx, field);
  frames = g_new (const KgImage *, MAX (*n, 1));
  for (guint i = 0; i < *n; i++)
    frames[i] = kg_context_get_sample (ctx, field, i)->image;
  return frames;
}

/* (transfer full) (nullable) Of the same size and shape of pixels, without depth. */
static inline KgImage *
frame_samples_new_like (const KgImage *image, GError **error)
{
  KgImage *made = kg_image_new (kg_image_get_width (image), kg_image_get_height (image), false, error);

  if (made != NULL)
    kg_image_set_pixel_aspect (made, kg_image_get_pixel_aspect (image));
  return made;
}
