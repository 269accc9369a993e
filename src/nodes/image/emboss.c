/* image/emboss: an image as a relief in raking light.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/convolution.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  double azimuth;
  double elevation;
  double height;
  double size;
  bool color;
} Emboss;

typedef struct {
  const float *from;
  float *to;
  int width;
  float level;
  bool color;
} Paint;

static void
paint_rows (gpointer data, int first, int end)
{
  const Paint *paint = (const Paint *) data;

  for (size_t i = (size_t) first * (size_t) paint->width; i < (size_t) end * (size_t) paint->width; i++) {
    const float *p = paint->from + 4 * i;
    float *to = paint->to + 4 * i;
    const float light = to[0];

    for (int c = 0; c < 3; c++)
      to[c] = paint->color ? p[c] * light / paint->level : light * p[3];
    to[3] = p[3];
  }
}

static bool
emboss_evaluate (Emboss *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double size[2] = { n->size, n->size };
  const Relief relief = { n->azimuth, n->elevation, n->height };
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  Paint paint = { .from = kg_image_get_pixels (before),
                  .width = width,
                  .level = (float) fmax (sin (n->elevation), 0.01),
                  .color = n->color };
  g_autofree float *smooth = g_memdup2 (paint.from, 4 * (size_t) width * (size_t) height * sizeof (float));

  (void) error;
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  paint.to = kg_image_edit_pixels (n->result);
  return blur_gaussian (smooth, width, height, size, RESAMPLE_EXTEND, &monitor) &&
         shade_relief (smooth, width, height, &relief, paint.to, &monitor) &&
         image_each_rows (width, height, paint_rows, &paint, &monitor) &&
         image_wear (before, &wear, &n->result, &monitor);
}

static double
emboss_reach (const void *job)
{
  const Emboss *n = (const Emboss *) job;

  return blur_gaussian_reach (n->size) + 2;
}

static const KgSlot emboss_slots[] = {
  IMAGE_INPUT (Emboss, N_ ("The image whose luminance is the height.")),
  KG_INPUT (Emboss, azimuth, NUMBER, .label = N_ ("Light Direction"), .unit = KG_DEGREES, .def = 135, .soft_min = -180,
            .soft_max = 180, .help = N_ ("Where the light comes from, counter-clockwise from the right.")),
  KG_INPUT (Emboss, elevation, NUMBER, .label = N_ ("Light Elevation"), .unit = KG_DEGREES, .def = 30, .min = 0,
            .max = 90, .help = N_ ("Elevation of the light. Low light makes a stronger relief.")),
  KG_INPUT (Emboss, height, NUMBER, .label = N_ ("Height"), .unit = KG_PIXELS, .def = 5, .min = -1e6, .max = 1e6,
            .soft_min = -20, .soft_max = 20, .help = N_ ("Height of white above black. Negative values engrave.")),
  KG_INPUT (Emboss, size, NUMBER, .label = N_ ("Smoothness"), .unit = KG_PIXELS, .def = 1, .max = 1e6, .soft_max = 20,
            .help = N_ ("Standard deviation of a Gaussian blur that is applied first.")),
  KG_INPUT (Emboss, color, BOOLEAN, .label = N_ ("Keep Colours"),
            .help = N_ ("Multiplies the image by the light instead of replacing it.")),
  IMAGE_WEAR (Emboss, N_ ("The relief.")),
};

KG_NODE (image, emboss, Emboss, .label = N_ ("Emboss"), .version = 1, .since = "0.1", .reach = emboss_reach,
         .tags = N_ ("emboss relief bump engrave light height bas-relief bevel hillshade"),
         .source = "Horn, Hill Shading and the Reflectance Map, 1981",
         .help = N_ ("Shows an image as a relief: bright is high, and a light shines on it from the side."));
