/* image/sprite: a small image laid over a background, moved, rotated and scaled.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/edges.h"
#include "image/layers.h"
#include "image/image_wear.h"
#include "image/place.h"

typedef struct {
  IMAGE_FIELDS;
  const KgImage *sprite;
  KgVector position;
  KgVector anchor;
  double rotate;
  KgVector scale;
  double opacity;
  int filter;
} Sprite;

static bool
sprite_evaluate (Sprite *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const Place place = { n->position.x, n->position.y, n->rotate, n->scale.x, n->scale.y, n->anchor.x, n->anchor.y };
  g_autoptr (KgImage) before = kg_image_ref (n->image), placed = NULL;
  ImageSource source;

  IMAGE_BEGIN (n);
  placed = place_image (n->sprite, &place, kg_image_get_width (before), kg_image_get_height (before),
                        kg_image_get_pixel_aspect (before), (ResampleFilter) n->filter, &monitor, error);
  if (placed == NULL)
    return false;
  source = image_source (placed, n->result, 0, 0);
  if (!layer_over (&n->result, &source, n->opacity, NAN, &monitor))
    return false;
  return (wear.mask == NULL && wear.mix == 1) || image_wear (before, &wear, &n->result, &monitor);
}

static const KgSlot sprite_slots[] = {
  IMAGE_INPUT (Sprite, N_ ("The background.")),
  KG_INPUT (Sprite, sprite, IMAGE, .label = N_ ("Sprite"), .help = N_ ("The image that is laid over it.")),
  KG_INPUT (Sprite, position, VECTOR, .label = N_ ("Position"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000,
            .help = N_ (
                "Position of the anchor, to the right and up from the centre of the background. Whole numbers copy the "
                "pixels of the sprite exactly.")),
  KG_INPUT (
      Sprite, anchor, VECTOR, .label = N_ ("Anchor"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6, .soft_min = -500,
      .soft_max = 500,
      .help = N_ ("The point of the sprite, relative to its centre, that is placed at the position and about which it "
                  "rotates.")),
  KG_INPUT (Sprite, rotate, NUMBER, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Rotation about the anchor, counter-clockwise.")),
  KG_INPUT (Sprite, scale, VECTOR, .label = N_ ("Scale"), .def_v = { 1, 1, 1 }, .min = -1e6, .max = 1e6, .soft_min = 0,
            .soft_max = 4, .help = N_ ("Scale across and up; negative values mirror.")),
  KG_INPUT (Sprite, opacity, NUMBER, .label = N_ ("Opacity"), .unit = KG_PERCENT, .def = 1, .max = 1,
            .help = N_ ("Opacity of the sprite.")),
  KG_INPUT (Sprite, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BILINEAR,
            .help = N_ ("How values between pixels are interpolated.")),
  IMAGE_WEAR (Sprite, N_ ("The background with the sprite, as large as the background.")),
};

KG_NODE (
    image, sprite, Sprite, .label = N_ ("Sprite"), .version = 1, .since = "0.1",
    .tags = N_ ("overlay cursor logo bug watermark place position sticker cut-out insert picture"),
    .help = N_ ("Lays a small image over a background at any place, rotated and scaled about its anchor. What lies "
                "outside the background is cut off."));
