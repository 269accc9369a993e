/* image/glow: light that spreads from what is bright.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  double threshold;
  double softness;
  double size;
  int64_t octaves;
  double intensity;
  KgColor tint;
  bool only;
} Glow;

typedef struct {
  const float *from;
  const float *spread;
  float *bright, *to;
  int width;
  float threshold, softness, factor[4];
  bool only;
} Light;

static void
select_rows (gpointer data, int first, int end)
{
  const Light *light = (const Light *) data;

  for (size_t i = (size_t) first * (size_t) light->width; i < (size_t) end * (size_t) light->width; i++) {
    const float *p = light->from + 4 * i;
    const float y = fmaxf (image_luminance (p[0], p[1], p[2]), 0), over = (y - light->threshold) / light->softness;
    /* From the threshold on, slowly at first. */
    const float share = over <= 0 ? 0 : over >= 1 ? 1 : over * over * (3 - 2 * over);

    for (size_t c = 0; c < 4; c++)
      light->bright[4 * i + c] = share * p[c];
  }
}

static void
add_rows (gpointer data, int first, int end)
{
  const Light *light = (const Light *) data;
  const size_t row = 4 * (size_t) light->width;

  for (size_t i = row * (size_t) first; i < row * (size_t) end; i++)
    light->to[i] += light->factor[i % 4] * light->spread[i];
}

static bool
glow_evaluate (Glow *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double *tint = &n->tint.r;
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  const size_t numbers = 4 * (size_t) width * (size_t) height;
  g_autofree float *bright = g_new (float, numbers);
  Light light = { .from = kg_image_get_pixels (before),
                  .bright = bright,
                  .width = width,
                  .threshold = (float) n->threshold,
                  .softness = (float) fmax (n->softness, 1e-6) };
  double size = n->size;

  (void) error;
  for (int c = 0; c < 4; c++)
    light.factor[c] = (float) (n->intensity / (double) n->octaves *
                               (c < 3 ? tint[c] : fmin (1, fmax (tint[0], fmax (tint[1], tint[2])))));
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  light.to = kg_image_edit_pixels (n->result);
  if (n->only)
    memset (light.to, 0, numbers * sizeof (float));
  if (!image_each_rows (width, height, select_rows, &light, &monitor))
    return false;
  light.spread = bright;
  /* Each octave blurs what the one before has blurred: variances add up. */
  for (int64_t k = 0; k < n->octaves; k++) {
    const double more = k == 0 ? size : sqrt (3) * 0.5 * size, both[2] = { more, more };

    if (!blur_gaussian (bright, width, height, both, RESAMPLE_TRANSPARENT, &monitor) ||
        !image_each_rows (width, height, add_rows, &light, &monitor))
      return false;
    size *= 2;
    kg_context_progress (ctx, (double) (k + 1) / (double) n->octaves);
  }
  /* Light that is added covers no more than everything. */
  for (size_t i = 3; i < numbers; i += 4)
    light.to[i] = fmaxf (fminf (light.to[i], 1), n->only ? 0 : light.from[i]);
  return image_wear (before, &wear, &n->result, &monitor);
}

static double
glow_reach (const void *job)
{
  const Glow *n = (const Glow *) job;

  return blur_gaussian_reach (ldexp (n->size, (int) n->octaves - 1)) + 2;
}

static const KgSlot glow_slots[] = {
  IMAGE_INPUT (Glow, N_ ("The image to glow.")),
  KG_INPUT (Glow, threshold, NUMBER, .label = N_ ("Threshold"), .def = 0.8, .max = 1e6, .soft_max = 2,
            .help = N_ ("Luminance from which pixels glow. At 0 all do.")),
  KG_INPUT (Glow, softness, NUMBER, .label = N_ ("Softness"), .def = 0.2, .max = 1e6, .soft_max = 1,
            .help = N_ ("Luminance above the threshold at which they glow fully.")),
  KG_INPUT (Glow, size, NUMBER, .label = N_ ("Size"), .unit = KG_PIXELS, .def = 6, .max = 1e6, .soft_max = 100,
            .help = N_ ("Standard deviation of the innermost glow.")),
  KG_INPUT (
      Glow, octaves, INTEGER, .label = N_ ("Octaves"), .def = 3, .min = 1, .max = 8,
      .help = N_ ("Glows on top of each other, each twice as wide as the one before: several look like the glow of a "
                  "lens, one like mist.")),
  KG_INPUT (Glow, intensity, NUMBER, .label = N_ ("Intensity"), .def = 1, .max = 1e6, .soft_max = 4,
            .help = N_ ("Light of the glow relative to the light that causes it.")),
  KG_INPUT (Glow, tint, COLOR, .label = N_ ("Tint"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("Colour that the glow is multiplied by.")),
  KG_INPUT (Glow, only, BOOLEAN, .label = N_ ("Glow Only"),
            .help = N_ ("Outputs the glow without the image, to be merged later.")),
  IMAGE_WEAR (Glow, N_ ("The glowing image.")),
};

KG_NODE (
    image, glow, Glow, .label = N_ ("Glow"), .version = 1, .since = "0.1", .reach = glow_reach,
    .tags = N_ ("glow bloom halation light highlights soft neon flare diffusion"),
    .help =
        N_ ("Makes the bright parts of an image glow: their light is spread by Gaussians of several sizes and added."));
