/* image/matte: one image or another, by a matte.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/channels.h"

#include "image/image_wear.h"

typedef struct {
  KgImage *background;
  const KgImage *foreground;
  const KgImage *matte;
  int matte_by;
  bool invert;
  bool one_bit;
  double threshold;
  KgImage *image;
} MatteImages;

static bool
matte_evaluate (MatteImages *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = { .mix = 1 };
  const ImageMask by = image_mask_resolve (n->matte, (ImageMask) n->matte_by);
  const Matte matte = { .one_bit = n->one_bit,
                        .threshold = (float) n->threshold,
                        .invert = n->invert,
                        .luminance = by == IMAGE_MASK_LUMINANCE };
  ImageSource others[2];

  n->image = g_steal_pointer (&n->background);
  if (!image_enlarge (&n->image, n->foreground, error))
    return false;
  others[0] = image_source (n->foreground, n->image, 0, 0);
  others[1] = image_source (n->matte, n->image, 0, 0);
  return image_combine (&n->image, others, 2, &wear, matte_block, &matte, &monitor);
}

static const KgSlot matte_slots[] = {
  KG_INPUT (MatteImages, background, IMAGE, .label = N_ ("Background"),
            .help = N_ ("What is shown where the matte is 0.")),
  KG_INPUT (MatteImages, foreground, IMAGE, .label = N_ ("Foreground"),
            .help = N_ ("What is shown where the matte is 1.")),
  KG_INPUT (MatteImages, matte, IMAGE, .label = N_ ("Matte"),
            .help = N_ ("The matte. It is centred; beyond its edges it is 0.")),
  KG_INPUT (
      MatteImages, matte_by, CHOICE, .label = N_ ("Matte by"), .choices = image_masks,
      .help = N_ ("Which channel of the matte is used. Automatic takes its alpha, or its luminance if it is opaque "
                  "everywhere.")),
  KG_INPUT (MatteImages, invert, BOOLEAN, .label = N_ ("Invert"), .help = N_ ("Swaps foreground and background.")),
  KG_INPUT (MatteImages, one_bit, BOOLEAN, .label = N_ ("One Bit"),
            .help = N_ ("Shows only one of the images in each pixel, with jagged edges, instead of a blend of both.")),
  KG_INPUT (MatteImages, threshold, NUMBER, .label = N_ ("Threshold"), .def = 0.5, .soft_max = 1,
            .shown_when = "one_bit=true",
            .help = N_ ("The foreground is shown where the matte is at least this much.")),
  KG_OUTPUT (MatteImages, image, IMAGE, .label = N_ ("Image"),
             .help = N_ ("Foreground and background together, as large as the larger one.")),
};

KG_NODE (
    image, matte, MatteImages, .label = N_ ("Matte"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ ("keymix key mask occlusion one bit stencil travelling choose composite blend picture"),
    .formula = "image = (1 − m)·background + m·foreground",
    .source = "R. Fielding, The Technique of Special Effects Cinematography, 1965 (travelling mattes)",
    .help = N_ ("Shows the foreground where a matte is 1 and the background where it is 0, with a blend between or "
                "all-or-nothing in each pixel."));
