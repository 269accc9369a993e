/* image/grain: the grain of film.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/image_part.h"
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

/* Of grains up to so many pixels parts are made alone, with the noise of so many pixels around them, which is more than the tail of the
 * Gaussian. */
#define MOST_ALONE 4
#define MARGIN 32

typedef struct {
  float
      *noise; /* of these columns and rows from (left, top) on, which may lie beyond the image: there it is repeated */
  int columns, rows, left, top;
  const float *from;
  float *to;
  int width, height; /* of all of the image */
  KgImagePart part;  /* of it, which is to and from */
  uint64_t seed;
  float own, common; /* of each channel's noise, and of that of all */
  float amount[3], black;
} Film;

static int
repeat (int i, int n)
{
  return i % n + (i % n < 0 ? n : 0);
}

static void
draw_rows (gpointer data, int first, int end)
{
  const Film *film = (const Film *) data;

  for (int y = first; y < end; y++)
    for (int x = 0; x < film->columns; x++) {
      const size_t i = (size_t) repeat (film->top + y, film->height) * (size_t) film->width +
                       (size_t) repeat (film->left + x, film->width);
      const float common = film->common > 0 ? film->common * (float) kg_random_normal (film->seed, i, 3) : 0;
      float *noise = film->noise + 4 * ((size_t) y * (size_t) film->columns + (size_t) x);

      for (size_t c = 0; c < 3; c++)
        noise[c] = common + (film->own > 0 ? film->own * (float) kg_random_normal (film->seed, i, c) : 0);
      noise[3] = 0;
    }
}

static void
expose_rows (gpointer data, int first, int end)
{
  const Film *film = (const Film *) data;
  const size_t width = (size_t) film->part.part_width;

  for (size_t i = (size_t) first * width; i < (size_t) end * width; i++) {
    const size_t column = i % width + (size_t) (film->part.x - film->left);
    const size_t row = i / width + (size_t) (film->part.y - film->top);
    const float *p = film->from + 4 * i, *noise = film->noise + 4 * (row * (size_t) film->columns + column);
    const float alpha = fmaxf (p[3], 0);

    for (size_t c = 0; c < 3; c++) {
      /* Light comes in grains: its deviation grows with the root of it. */
      const float straight = alpha > 0 ? fmaxf (p[c], 0) / alpha : 0;
      const float response = film->black + (1 - film->black) * sqrtf (straight);

      film->to[4 * i + c] = p[c] + alpha * film->amount[c] * response * noise[c];
    }
  }
}

/* Larger grains are blurred in a smaller image, whose cells begin at its edges. */
static bool
grain_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const Grain *n = (const Grain *) job;

  (void) ctx;
  (void) field;
  return n->size <= MOST_ALONE && needed->width > 2 * MARGIN && needed->height > 2 * MARGIN;
}

static bool
grain_evaluate (Grain *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double *amount = &n->amount.r, size[2] = { n->size, n->size };
  const ImageParts parts = image_parts_of (ctx, offsetof (Grain, image), n->image);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = parts.in.part_width, height = parts.in.part_height;
  const bool is_all = width == parts.in.width && height == parts.in.height;
  const int margin = is_all ? 0 : MARGIN;
  const double deviation = sqrt (blur_gaussian_power (n->size));
  Film film = { .columns = width + 2 * margin,
                .rows = height + 2 * margin,
                .left = parts.in.x - margin,
                .top = parts.in.y - margin,
                .from = kg_image_get_pixels (before),
                .width = parts.in.width,
                .height = parts.in.height,
                .part = parts.in,
                .seed =
                    kg_random_bits ((uint64_t) n->seed, n->still ? 0 : (uint64_t) (int64_t) nearbyint (ctx->frame), 0),
                .own = (float) sqrt (n->color),
                .common = (float) sqrt (1 - n->color),
                .black = (float) n->black };
  g_autofree float *noise = g_new (float, 4 * (size_t) film.columns * (size_t) film.rows);

  (void) error;
  film.noise = noise;
  for (int c = 0; c < 3; c++)
    film.amount[c] = (float) (amount[c] / deviation);
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  film.to = kg_image_edit_pixels (n->result);
  return image_each_rows (film.columns, film.rows, draw_rows, &film, &monitor) &&
         blur_gaussian (noise, film.columns, film.rows, size, RESAMPLE_REPEAT, &monitor) &&
         image_each_rows (width, height, expose_rows, &film, &monitor) &&
         image_wear (before, &wear, &n->result, &monitor);
}

static const KgSlot grain_slots[] = {
  IMAGE_INPUT (Grain, N_ ("The image to put grain on.")),
  KG_INPUT (Grain, amount, COLOR, .label = N_ ("Amount"), .def_v = { 0.04, 0.04, 0.05, 1 }, .min = 0, .max = 1000,
            .help = N_ ("Standard deviation of the grain in red, green and blue where the image is white.")),
  KG_INPUT (Grain, size, NUMBER, .label = N_ ("Size"), .unit = KG_PIXELS, .def = 0.7, .max = 100, .soft_max = 5,
            .help = N_ ("Standard deviation of a grain.")),
  KG_INPUT (Grain, black, NUMBER, .label = N_ ("In Blacks"), .unit = KG_PERCENT, .def = 0.15, .max = 1,
            .help = N_ (
                "Amount of grain in black, relative to white; in between it grows with the square root of the light.")),
  KG_INPUT (Grain, color, NUMBER, .label = N_ ("Colour"), .unit = KG_PERCENT, .def = 0.7, .max = 1,
            .help = N_ ("Share of the grain in which the channels differ. 0: grey, as in black-and-white film.")),
  KG_INPUT (Grain, seed, INTEGER, .label = N_ ("Seed"), .soft_max = 100, .min = -1e9, .max = 1e9, .soft_min = 0,
            .help = N_ ("Each number gives a different grain.")),
  KG_INPUT (Grain, still, BOOLEAN, .label = N_ ("Still"),
            .help = N_ ("Keeps the same grain in every frame, as on paper.")),
  IMAGE_WEAR (Grain, N_ ("The grainy image.")),
};

KG_NODE (image, grain, Grain, .label = N_ ("Grain"), .version = 1, .since = "0.1", .region = grain_region,
         .time = KG_TIME_READS, .tags = N_ ("grain noise film scan dither regrain texture gaussian shot photon"),
         .formula = "result = image + amount (b + (1 − b) √image) n,   n normal with the variance 1",
         .help = N_ ("Adds the grain of film, new in each frame: normal noise of the size of grains, stronger "
                     "where there is more light. The mean brightness stays the same, and transparent parts get "
                     "no grain."));
