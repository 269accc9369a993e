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

/* Parts of images: only the size of the image that is linked counts. */

typedef struct {
  GENERATOR_FIELDS;
} Generator;

G_GNUC_UNUSED static bool
generator_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  (void) job;
  (void) ctx;
  (void) field;
  *needed = (KgImagePart){ needed->width, needed->height, 0, 0, 1, 1 };
  return true;
}

G_GNUC_UNUSED static void
generator_size (const void *job, const KgContext *ctx, int *width, int *height)
{
  const Generator *n = (const Generator *) job;
  const KgImagePart like = kg_context_get_image_part (ctx, offsetof (Generator, like), NULL);

  *width = like.width > 0 ? like.width : (int) n->width;
  *height = like.height > 0 ? like.height : (int) n->height;
}

/* Makes the image of a job that begins with the fields, transparent, or the part of it that is wanted: width and height are those of
 * all of it.  False with *error. */
G_GNUC_UNUSED static bool
generator_begin (gpointer job, const KgContext *ctx, KgImagePart *part, GError **error)
{
  Generator *n = (Generator *) job;
  const KgImagePart like = kg_context_get_image_part (ctx, offsetof (Generator, like), n->like);

  if (n->like != NULL) {
    n->width = like.width;
    n->height = like.height;
  }
  if (!kg_context_get_part (ctx, part)) {
    if (!kg_image_check_size (n->width, n->height, error))
      return false;
    *part = kg_image_part_all ((int) n->width, (int) n->height);
  } else if (part->width != n->width || part->height != n->height) {
    kg_context_refuse_part (ctx);
    return false;
  }
  n->image = kg_image_new (part->part_width, part->part_height, false, error);
  return n->image != NULL;
}
