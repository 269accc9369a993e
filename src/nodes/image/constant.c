/* image/constant: an image of one colour, or of a gradient from bottom to top.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/generator.h"

typedef struct {
  GENERATOR_FIELDS;
  KgColor color;
  bool gradient;
  KgColor top;
} Constant;

static bool
constant_evaluate (Constant *n, const KgContext *ctx, GError **error)
{
  const double *bottom = &n->color.r, *top = n->gradient ? &n->top.r : &n->color.r;
  KgImagePart part;
  float *pixels;

  if (!generator_begin (n, ctx, &part, error))
    return false;
  pixels = kg_image_edit_pixels (n->image);
  for (int y = part.y; y < part.y + part.part_height; y++) {
    const double t = 1 - (y + 0.5) / (double) n->height;
    const double alpha = kg_clamp (kg_lerp (bottom[3], top[3], t), 0, 1);
    float row[4] = { 0, 0, 0, (float) alpha };

    for (int c = 0; c < 3; c++)
      row[c] = (float) (alpha * kg_lerp (bottom[c], top[c], t));
    for (int x = 0; x < part.part_width; x++, pixels += 4)
      memcpy (pixels, row, sizeof row);
  }
  return true;
}

static const KgSlot constant_slots[] = {
  KG_INPUT (Constant, width, INTEGER, .shown_when = "like=unlinked", .label = N_ ("Width"), .unit = KG_PIXELS,
            .def = 640, .min = 1, .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .help = N_ ("Size of the image.")),
  KG_INPUT (Constant, height, INTEGER, .shown_when = "like=unlinked", .label = N_ ("Height"), .unit = KG_PIXELS,
            .def = 360, .min = 1, .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .help = N_ ("Size of the image.")),
  KG_INPUT (Constant, color, COLOR, .label = N_ ("Colour"), .def_v = { 0.05, 0.06, 0.09, 1 },
            .help = N_ ("Colour of the whole image or, with a gradient, of its bottom.")),
  KG_INPUT (Constant, gradient, BOOLEAN, .label = N_ ("Gradient"),
            .help = N_ ("Blends to a second colour at the top.")),
  KG_INPUT (Constant, top, COLOR, .label = N_ ("Top"), .def_v = { 0.2, 0.25, 0.4, 1 },
            .help = N_ ("Colour at the top of the gradient.")),
  KG_INPUT (Constant, like, IMAGE, .label = N_ ("Size of"), .optional = true,
            .help = N_ ("An image whose size this one takes, instead of the width and height.")),
  KG_OUTPUT (Constant, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image.")),
};

KG_NODE (image, constant, Constant, .label = N_ ("Constant Image"), .version = 1, .since = "0.1",
         .region = generator_region, .find_size = generator_size,
         .tags = N_ ("background solid color gradient sky plain"),
         .help = N_ ("Makes an image of a single colour or a gradient, for use as a background."));
