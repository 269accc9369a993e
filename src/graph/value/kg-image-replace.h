/* kg-image-replace: pixels that are not finite, as renderers leave them in EXR files, replaced.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

typedef enum {
  KG_IMAGE_REPLACE_BLACK, /* the colour becomes 0; alpha stays, or becomes 0 if it is not finite either */
  KG_IMAGE_REPLACE_NEIGHBOURS, /* the mean of the finite ones of the eight neighbours; within larger patches, layer by layer from
                               their edge */
  KG_IMAGE_REPLACE_REFUSE, /* nothing is replaced: an error */
} KgImageReplacement;

/* What was replaced. */
typedef struct {
  size_t n;           /* pixels; 0: the image was finite */
  size_t row, column; /* of the first */
} KgImageReplaced;

/* Replaces pixels of which a component is NaN or infinite; and depths that are NaN, by infinity or the mean of the
 * neighbours.  An image without a finite pixel becomes black by either rule.  The image is finite afterwards.  False with
 * KG_ERROR_LIMIT if memory runs out; the image is as before then. */
bool kg_image_replace_not_finite (KgImage *image, KgImageReplacement rule, KgImageReplaced *mended, GError **error);

G_END_DECLS
