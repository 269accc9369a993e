/* image/crop: a rectangle of an image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  double left;
  double right;
  double top;
  double bottom;
  double softness;
  bool invert;
  bool shrink;
} Crop;

typedef struct {
  double low[2], high[2], softness;
  bool invert;
} Window;

/* Share of a pixel, or of a soft edge, that is inside. */
static double
get_share (const Window *w, int axis, int i)
{
  const double soft = fmax (w->softness, 1);
  const double in = fmin ((i + 0.5 - w->low[axis]) / soft + (w->softness > 1 ? 0 : 0.5),
                          (w->high[axis] - i - 0.5) / soft + (w->softness > 1 ? 0 : 0.5));

  return kg_clamp (in, 0, 1);
}

static void
crop_block (const ImageBlock *block, const void *data)
{
  const Window *w = (const Window *) data;
  float *const channels[] = { block->r, block->g, block->b, block->a };
  const double down = get_share (w, 1, block->y);

  for (size_t i = 0; i < block->n; i++) {
    const double inside = down * get_share (w, 0, block->x + (int) i);
    const float share = (float) (w->invert ? 1 - inside : inside);

    for (int c = 0; c < 4; c++)
      channels[c][i] *= share;
  }
}

/* Only the rectangle, in whole pixels. */
static bool
crop_shrink (Crop *n, const Window *w, GError **error)
{
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  const int left = CLAMP ((int) floor (w->low[0] + 0.5), 0, width - 1),
            top = CLAMP ((int) floor (w->low[1] + 0.5), 0, height - 1);
  const int right = CLAMP ((int) floor (w->high[0] + 0.5), left + 1, width);
  const int bottom = CLAMP ((int) floor (w->high[1] + 0.5), top + 1, height);
  const bool deep = kg_image_get_depth (n->result) != NULL;
  g_autoptr (KgImage) whole = g_steal_pointer (&n->result);
  const size_t columns = (size_t) (right - left);

  n->result = kg_image_new (right - left, bottom - top, deep, error);
  if (n->result == NULL)
    return false;
  kg_image_set_pixel_aspect (n->result, kg_image_get_pixel_aspect (whole));
  for (int y = top; y < bottom; y++) {
    const size_t from = (size_t) y * (size_t) width + (size_t) left, to = (size_t) (y - top) * columns;

    memcpy (kg_image_edit_pixels (n->result) + 4 * to, kg_image_get_pixels (whole) + 4 * from,
            4 * columns * sizeof (float));
    if (deep)
      memcpy (kg_image_edit_depth (n->result) + to, kg_image_get_depth (whole) + from, columns * sizeof (float));
  }
  return true;
}

static bool
crop_evaluate (Crop *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  const Window window = { .low = { n->left, n->top },
                          .high = { width - n->right, height - n->bottom },
                          .softness = n->softness,
                          .invert = n->invert };

  if (n->shrink) {
    g_autoptr (KgImage) whole = kg_image_ref (n->image);

    IMAGE_BEGIN (n);
    n->image = g_steal_pointer (&whole);
    return crop_shrink (n, &window, error);
  }
  IMAGE_BEGIN (n);
  return image_apply (&n->result, &wear, crop_block, &window, &monitor);
}

#define SIDE(name_, label_, help_)                                                                                     \
  KG_INPUT (Crop, name_, NUMBER, .label = label_, .unit = KG_PIXELS, .min = -1e6, .max = 1e6, .soft_min = 0,           \
            .soft_max = 1000, .help = help_)

static const KgSlot crop_slots[] = {
  IMAGE_INPUT (Crop, N_ ("The image to crop.")),
  SIDE (left, N_ ("Left"), N_ ("Pixels that are cut off on the left.")),
  SIDE (right, N_ ("Right"), N_ ("Pixels that are cut off on the right.")),
  SIDE (top, N_ ("Top"), N_ ("Pixels that are cut off at the top.")),
  SIDE (bottom, N_ ("Bottom"), N_ ("Pixels that are cut off at the bottom.")),
  KG_INPUT (Crop, softness, NUMBER, .label = N_ ("Softness"), .unit = KG_PIXELS, .max = 1e6, .soft_max = 200,
            .shown_when = "shrink=false", .help = N_ ("Width of the edge over which the inside fades out, inwards.")),
  KG_INPUT (Crop, invert, BOOLEAN, .label = N_ ("Invert"), .shown_when = "shrink=false",
            .help = N_ ("Keeps the outside instead.")),
  KG_INPUT (
      Crop, shrink, BOOLEAN, .label = N_ ("Shrink Image"),
      .help = N_ (
          "Makes the image as small as the rectangle, in whole pixels and without a mask. At least one pixel is left.")),
  IMAGE_WEAR (Crop, N_ ("The cropped image.")),
};

KG_NODE (
    image, crop, Crop, .label = N_ ("Crop"), .version = 1, .since = "0.1",
    .tags = N_ ("crop cut trim rectangle garbage matte window letterbox region box"),
    .help = N_ (
        "Makes an image transparent outside a rectangle, with edges between pixels or soft ones, or as small as the "
        "rectangle."));
