/* image/generation_loss: what copying a tape again and again leaves of an image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/image_wear.h"
#include "kg-random.h"

typedef struct {
  IMAGE_FIELDS;
  int64_t generation;
  double blur;
  double noise;
  bool digital;
  int64_t seed;
} GenerationLoss;

typedef struct {
  float *pixels;
  int width;
  uint64_t seed;
  float noise;
} Copy;

static void
add_noise (gpointer data, int first, int end)
{
  const Copy *copy = (const Copy *) data;

  for (size_t i = (size_t) first * (size_t) copy->width; i < (size_t) end * (size_t) copy->width; i++) {
    float *p = copy->pixels + 4 * i;

    for (size_t c = 0; c < 3; c++)
      p[c] += p[3] * copy->noise * (float) kg_random_normal (copy->seed, i, c);
  }
}

static bool
generation_loss_evaluate (GenerationLoss *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double sigma[2] = { n->blur, n->blur };
  const uint64_t frame = (uint64_t) (int64_t) nearbyint (ctx->frame);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  Copy copy = { .width = width, .noise = (float) n->noise };

  (void) error;
  IMAGE_BEGIN (n);
  if (n->digital || n->generation == 1)
    return true;
  kg_image_make_writable (&n->result);
  copy.pixels = kg_image_edit_pixels (n->result);
  /* One copy after the other: the noise of one is blurred by the next. */
  for (int64_t k = 1; k < n->generation; k++) {
    kg_context_progress (ctx, (double) k / (double) n->generation);
    copy.seed = kg_random_bits ((uint64_t) n->seed, frame, (uint64_t) k);
    if ((n->blur > 0 && !blur_gaussian (copy.pixels, width, height, sigma, RESAMPLE_EXTEND, &monitor)) ||
        (n->noise > 0 && !image_each_rows (width, height, add_noise, &copy, &monitor)))
      return false;
  }
  return image_wear (before, &wear, &n->result, &monitor);
}

static const KgSlot generation_loss_slots[] = {
  IMAGE_INPUT (GenerationLoss, N_ ("The original: the first generation.")),
  KG_INPUT (GenerationLoss, generation, INTEGER, .label = N_ ("Generation"), .def = 3, .min = 1, .max = 100,
            .soft_max = 10,
            .help = N_ ("1 is the original, 2 a copy of it, and so on. An edited master is of the third generation: "
                        "a copy of copies.")),
  KG_INPUT (GenerationLoss, blur, NUMBER, .label = N_ ("Blur"), .unit = KG_PIXELS, .def = 0.6, .max = 100,
            .soft_max = 4, .help = N_ ("Standard deviation of the blur that each copy adds.")),
  KG_INPUT (GenerationLoss, noise, NUMBER, .label = N_ ("Noise"), .def = 0.02, .max = 100, .soft_max = 0.2,
            .help = N_ ("Standard deviation of the noise that each copy adds.")),
  KG_INPUT (GenerationLoss, digital, BOOLEAN, .label = N_ ("Digital"),
            .help = N_ ("Digital copies are identical bit by bit in every generation.")),
  KG_INPUT (GenerationLoss, seed, INTEGER, .label = N_ ("Seed"), .def = 1, .min = 0, .max = 1000000,
            .help = N_ ("Each number gives different noise.")),
  IMAGE_WEAR (GenerationLoss, N_ ("The copy.")),
};

KG_NODE (
    image, generation_loss, GenerationLoss, .label = N_ ("Generation Loss"), .version = 1, .since = "0.1",
    .time = KG_TIME_READS, .tags = N_ ("analog tape vhs copy dub master noise blur degrade"),
    .formula = "after n copies: blur σ √n; noise² = Σ_k σ_n² · (what a blur of σ √(n − k) leaves of noise)",
    .source = "Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Copies an image as analogue tape does: each copy blurs it and adds noise, and a copy of a copy goes through both twice. Digital copies lose nothing."));
