/* image/crop: a rectangle of an image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_part.h"

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
  int x, y; /* where the pixels begin */
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
  const double down = get_share (w, 1, w->y + block->y);

  for (size_t i = 0; i < block->n; i++) {
    const double inside = down * get_share (w, 0, w->x + block->x + (int) i);
    const float share = (float) (w->invert ? 1 - inside : inside);

    for (int c = 0; c < 4; c++)
      channels[c][i] *= share;
  }
}

/* Only the rectangle, in whole pixels: the part of the image that is left. */
static KgImagePart
crop_get_rest (const Window *w, int width, int height)
{
  const int left = CLAMP ((int) floor (w->low[0] + 0.5), 0, width - 1),
            top = CLAMP ((int) floor (w->low[1] + 0.5), 0, height - 1);
  const int right = CLAMP ((int) floor (w->high[0] + 0.5), left + 1, width);
  const int bottom = CLAMP ((int) floor (w->high[1] + 0.5), top + 1, height);

  return (KgImagePart){ width, height, left, top, right - left, bottom - top };
}

static Window
crop_get_window (const Crop *n, int width, int height)
{
  return (Window){ .low = { n->left, n->top },
                   .high = { width - n->right, height - n->bottom },
                   .softness = n->softness,
                   .invert = n->invert };
}

static bool
crop_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const Crop *n = (const Crop *) job;
  const Window window = crop_get_window (n, needed->width, needed->height);
  const KgImagePart rest = crop_get_rest (&window, needed->width, needed->height);

  (void) ctx;
  (void) field;
  if (!n->shrink)
    return true;
  needed->x += rest.x;
  needed->y += rest.y;
  /* The image is not as large as was thought. */
  return needed->x + needed->part_width <= needed->width && needed->y + needed->part_height <= needed->height;
}

static void
crop_size (const void *job, const KgContext *ctx, int *width, int *height)
{
  const Crop *n = (const Crop *) job;
  const KgImagePart image = kg_context_get_image_part (ctx, offsetof (Crop, image), NULL);
  const Window window = crop_get_window (n, image.width, image.height);
  const KgImagePart rest = crop_get_rest (&window, image.width, image.height);

  *width = n->shrink ? rest.part_width : image.width;
  *height = n->shrink ? rest.part_height : image.height;
}

/* Not like a part of an image, which knows of the whole. */
static bool
crop_shrink (Crop *n, const KgImagePart *rest, GError **error)
{
  const bool deep = kg_image_get_depth (n->image) != NULL;
  const size_t columns = (size_t) rest->part_width;

  n->result = kg_image_new (rest->part_width, rest->part_height, deep, error);
  if (n->result == NULL)
    return false;
  kg_image_set_pixel_aspect (n->result, kg_image_get_pixel_aspect (n->image));
  for (int y = 0; y < rest->part_height; y++) {
    const size_t from = (size_t) (rest->y + y) * (size_t) rest->width + (size_t) rest->x, to = (size_t) y * columns;

    memcpy (kg_image_edit_pixels (n->result) + 4 * to, kg_image_get_pixels (n->image) + 4 * from,
            4 * columns * sizeof (float));
    if (deep)
      memcpy (kg_image_edit_depth (n->result) + to, kg_image_get_depth (n->image) + from, columns * sizeof (float));
  }
  return true;
}

static bool
crop_evaluate (Crop *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgImagePart image = kg_context_get_image_part (ctx, offsetof (Crop, image), n->image);
  Window window = crop_get_window (n, image.width, image.height);
  const KgImagePart rest = crop_get_rest (&window, image.width, image.height);
  KgImagePart part;

  if (n->shrink && kg_context_get_part (ctx, &part)) {
    if (part.width != rest.part_width || part.height != rest.part_height) {
      kg_context_refuse_part (ctx);
      return false;
    }
    IMAGE_BEGIN (n);
    return true;
  }
  if (n->shrink)
    return crop_shrink (n, &rest, error);
  window.x = image.x;
  window.y = image.y;
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

KG_NODE (image, crop, Crop, .label = N_ ("Crop"), .version = 1, .since = "0.1", .region = crop_region,
         .find_size = crop_size, .tags = N_ ("crop cut trim rectangle garbage matte window letterbox region box"),
         .help = N_ ("Makes an image transparent outside a rectangle, whose edges may be soft or lie between "
                     "pixels, or shrinks the image to the rectangle."));
