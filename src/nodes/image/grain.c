/* image/grain: the grain of film.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/image_wear.h"
#include "kg-random.h"

typedef struct {
  IMAGE_FIELDS;
  KgColor amount;
  double size;
  double black;
  double color;
  int64_t seed;
  bool still;
} Grain;

typedef struct {
  float *noise;
  const float *from;
  float *to;
  int width;
  uint64_t seed;
  float own, common; /* of each channel's noise, and of that of all */
  float amount[3], black;
} Film;

static void
draw_rows (gpointer data, int first, int end)
{
  const Film *film = (const Film *) data;

  for (size_t i = (size_t) first * (size_t) film->width; i < (size_t) end * (size_t) film->width; i++) {
    const float common = film->common > 0 ? film->common * (float) kg_random_normal (film->seed, i, 3) : 0;

    for (size_t c = 0; c < 3; c++)
      film->noise[4 * i + c] = common + (film->own > 0 ? film->own * (float) kg_random_normal (film->seed, i, c) : 0);
    film->noise[4 * i + 3] = 0;
  }
}

static void
expose_rows (gpointer data, int first, int end)
{
  const Film *film = (const Film *) data;

  for (size_t i = (size_t) first * (size_t) film->width; i < (size_t) end * (size_t) film->width; i++) {
    const float *p = film->from + 4 * i;
    const float alpha = fmaxf (p[3], 0);

    for (size_t c = 0; c < 3; c++) {
      /* Light comes in grains: its deviation grows with the root of it. */
      const float straight = alpha > 0 ? fmaxf (p[c], 0) / alpha : 0;
      const float response = film->black + (1 - film->black) * sqrtf (straight);

      film->to[4 * i + c] = p[c] + alpha * film->amount[c] * response * film->noise[4 * i + c];
    }
  }
}

static bool
grain_evaluate (Grain *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double *amount = &n->amount.r, size[2] = { n->size, n->size };
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  g_autofree float *noise = g_new (float, 4 * (size_t) width * (size_t) height);
  const double deviation = sqrt (blur_gaussian_power (n->size));
  Film film = { .noise = noise,
                .from = kg_image_get_pixels (before),
                .width = width,
                .seed =
                    kg_random_bits ((uint64_t) n->seed, n->still ? 0 : (uint64_t) (int64_t) nearbyint (ctx->frame), 0),
                .own = (float) sqrt (n->color),
                .common = (float) sqrt (1 - n->color),
                .black = (float) n->black };

  (void) error;
  for (int c = 0; c < 3; c++)
    film.amount[c] = (float) (amount[c] / deviation);
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  film.to = kg_image_edit_pixels (n->result);
  return image_each_rows (width, height, draw_rows, &film, &monitor) &&
         blur_gaussian (noise, width, height, size, RESAMPLE_REPEAT, &monitor) &&
         image_each_rows (width, height, expose_rows, &film, &monitor) &&
         image_wear (before, &wear, &n->result, &monitor);
}

static const KgSlot grain_slots[] = {
  IMAGE_INPUT (Grain, N_ ("The image to put grain on.")),
  KG_INPUT (Grain, amount, COLOR, .label = N_ ("Amount"), .def_v = { 0.04, 0.04, 0.05, 1 }, .min = 0, .max = 1000,
            .help = N_ ("Standard deviation of the grain in red, green and blue where the image is white.")),
  KG_INPUT (Grain, size, NUMBER, .label = N_ ("Size"), .unit = KG_PIXELS, .def = 0.7, .max = 100, .soft_max = 5,
            .help = N_ ("Standard deviation of a grain.")),
  KG_INPUT (
      Grain, black, NUMBER, .label = N_ ("In Blacks"), .unit = KG_PERCENT, .def = 0.15, .max = 1,
      .help = N_ ("Share of the grain that black has; between black and white it grows with the root of the light.")),
  KG_INPUT (Grain, color, NUMBER, .label = N_ ("Colour"), .unit = KG_PERCENT, .def = 0.7, .max = 1,
            .help = N_ ("Share of the grain in which the channels differ. 0: grey, as of black-and-white film.")),
  KG_INPUT (Grain, seed, INTEGER, .label = N_ ("Seed"), .soft_max = 100, .min = -1e9, .max = 1e9, .soft_min = 0,
            .help = N_ ("Another grain for each number.")),
  KG_INPUT (Grain, still, BOOLEAN, .label = N_ ("Still"), .help = N_ ("The same grain in every frame, as of paper.")),
  IMAGE_WEAR (Grain, N_ ("The grainy image.")),
};

KG_NODE (
    image, grain, Grain, .label = N_ ("Grain"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("grain noise film scan dither regrain texture gaussian shot photon"),
    .formula = "result = image + amount (b + (1 − b) √image) n,   n normal with the variance 1",
    .help = N_ (
        "Adds the grain of film, new in each frame: normal noise, as large as grains, which is stronger where there is "
        "more light. The mean brightness stays the same, and transparent parts have none."));
