/* image/premultiply: colours multiplied by alpha, or divided by it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/channels.h"

#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  int direction;
} Premultiply;

enum { PREMULTIPLY_MULTIPLY, PREMULTIPLY_DIVIDE, PREMULTIPLY_N };

static const KgChoice premultiply_directions[] = {
  [PREMULTIPLY_MULTIPLY] = { "premultiply", N_ ("Premultiply: times alpha") },
  [PREMULTIPLY_DIVIDE] = { "unpremultiply", N_ ("Unpremultiply: divided by alpha") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (premultiply_directions, PREMULTIPLY_N);

static bool
premultiply_evaluate (Premultiply *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);

  (void) error;
  IMAGE_BEGIN (n);
  return image_apply_later (&n->result, &wear,
                            n->direction == PREMULTIPLY_MULTIPLY ? premultiply_block : unpremultiply_block, NULL, 0,
                            kg_context_may_leave_pending (ctx), &monitor);
}

static const KgSlot premultiply_slots[] = {
  IMAGE_POINT_IMAGE (Premultiply, N_ ("The image whose colours change.")),
  KG_INPUT (Premultiply, direction, CHOICE, .label = N_ ("Direction"), .choices = premultiply_directions,
            .help = N_ ("Multiplies or divides. Where alpha is 0, both give black.")),
  IMAGE_WEAR (Premultiply, N_ ("The image with the colours changed.")),
};

KG_NODE (image, premultiply, Premultiply, .label = N_ ("Premultiply"), .version = 1, .since = "0.1",
         .reach = kg_reach_none,
         .tags = N_ ("unpremultiply premult unpremult straight alpha associated fringe halo edge picture"),
         .formula = "premultiply: rgb·a\nunpremultiply: rgb/a, 0 where a = 0",
         .source = "T. Porter, T. Duff, Compositing Digital Images, SIGGRAPH 1984",
         .help = N_ ("Multiplies the colours of an image by its alpha, or divides them by it. Images in the "
                     "program are premultiplied: use this node for images from elsewhere that are not, and "
                     "around steps that need straight colours."));
