/* image/motion_blur: the light of a whole exposure, from images between the frames.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/frame_mix.h"
#include "kg-random.h"

#define MAX_SAMPLES 256
/* Their square is MAX_SAMPLES. */
#define MAX_SUBPIXELS 16

typedef struct {
  const KgImage *image;
  double shutter;
  double phase;
  int64_t samples;
  int64_t subpixels;
  int filter;
  bool jitter;
  int64_t seed;
  bool check;
  KgImage *blurred;
  double ghosting;
  int64_t needed;
} MotionBlur;

enum { FILTER_BOX, FILTER_TENT, FILTER_GAUSSIAN, N_FILTERS };

static const KgChoice motion_blur_filters[] = {
  [FILTER_BOX] = { "box", N_ ("Box: an open shutter") },
  [FILTER_TENT] = { "tent", N_ ("Tent: a shutter that opens and closes evenly") },
  [FILTER_GAUSSIAN] = { "gaussian", N_ ("Gaussian: soft") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (motion_blur_filters, N_FILTERS);

static int64_t
motion_blur_count (const MotionBlur *n)
{
  return n->subpixels > 1 ? n->subpixels * n->subpixels : n->samples;
}

/* Sample k within the exposure, 0..1: the middle of its stratum, or anywhere in it. */
static double
motion_blur_place (const MotionBlur *n, double frame, int64_t k)
{
  const double within =
      n->jitter ? kg_random_uniform ((uint64_t) n->seed, (uint64_t) (int64_t) floor (frame * 1024), (uint64_t) k) : 0.5;

  return ((double) k + within) / (double) motion_blur_count (n);
}

static bool
motion_blur_demand (const MotionBlur *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const size_t field = offsetof (MotionBlur, image);

  (void) error;
  for (int64_t k = 0; k < motion_blur_count (n); k++)
    kg_demand_at (demand, field,
                  ctx->time + (n->phase + n->shutter * motion_blur_place (n, ctx->frame, k)) / ctx->rate);
  return true;
}

static double
motion_blur_weigh (const MotionBlur *n, double u)
{
  const double x = 2 * u - 1;

  if (n->filter == FILTER_TENT)
    return 1 - fabs (x);
  /* Two standard deviations to either end. */
  return n->filter == FILTER_GAUSSIAN ? exp (-2 * x * x) : 1;
}

/* Each part of a pixel at a time of its own: also for what stands still, so that its size does not depend on it. */
static bool
motion_blur_distribute (MotionBlur *n, const KgContext *ctx, const KgImage *const *frames, const double *weights,
                        const KgProgressMonitor *monitor, GError **error)
{
  const int side = (int) n->subpixels, width = kg_image_get_width (frames[0]), height = kg_image_get_height (frames[0]);

  if (width % side != 0 || height % side != 0)
    kg_context_warn (
        ctx,
        "an image of %d by %d pixels does not divide into pixels of %d by %d parts: its edges are cut; render it %d "
        "times as large as the result",
        width, height, side, side, side);
  n->blurred = kg_image_new (MAX (width / side, 1), MAX (height / side, 1), false, error);
  if (n->blurred == NULL)
    return false;
  kg_image_set_pixel_aspect (n->blurred, kg_image_get_pixel_aspect (frames[0]));
  return frame_mix_distribute (frames, weights, side, (uint64_t) n->seed, n->blurred, monitor);
}

static bool
motion_blur_evaluate (MotionBlur *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (MotionBlur, image), &count);
  g_autofree double *weights = g_new (double, count);
  bool moves = false;

  for (guint i = 0; i < count; i++)
    weights[i] = motion_blur_weigh (n, motion_blur_place (n, ctx->frame, i));
  n->needed = motion_blur_count (n);
  if (n->subpixels > 1)
    return motion_blur_distribute (n, ctx, frames, weights, &monitor, error);
  for (guint i = 1; i < count; i++)
    moves = moves || frames[i] != frames[0];
  if (!moves) {
    n->blurred = kg_image_ref (frames[0]);
    return true;
  }
  if (n->check) {
    FrameGhosts ghosts;

    if (!frame_mix_measure_ghosts (frames, count, &ghosts, &monitor))
      return false;
    if (ghosts.extent > 0)
      n->ghosting = ghosts.spacing / ghosts.extent;
    if (n->ghosting > 1) {
      n->needed = (int64_t) ceil (n->ghosting * (double) n->samples - 1e-6);
      kg_context_warn (ctx,
                       "%d samples are seen as separate images: what moves is %.1f pixels long, but moves %.1f "
                       "pixels from sample to sample: use %d samples",
                       (int) n->samples, ghosts.extent, ghosts.spacing, (int) n->needed);
    }
  }
  n->blurred = frame_samples_new_like (frames[0], error);
  return n->blurred != NULL && frame_mix (frames, weights, count, FRAME_MIX_MEAN, n->blurred, &monitor);
}

/* Parts of pixels make an image of another size, and ghosts are looked for in all of it. */
static double
motion_blur_reach (const void *job)
{
  const MotionBlur *n = (const MotionBlur *) job;

  return n->subpixels > 1 || n->check ? -1 : 0;
}

static const KgSlot motion_blur_slots[] = {
  KG_INPUT (MotionBlur, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image that is exposed for a while.")),
  KG_INPUT (MotionBlur, shutter, NUMBER, .label = N_ ("Shutter"), .unit = KG_FRAMES, .early = true, .def = 0.5,
            .min = 0, .max = 1000, .soft_max = 2,
            .help = N_ ("How long the shutter is open, in frames: 0.5 is a shutter of 180°, 0 a snapshot.")),
  KG_INPUT (MotionBlur, phase, NUMBER, .label = N_ ("Phase"), .unit = KG_FRAMES, .early = true, .min = -1000,
            .max = 1000, .soft_min = -1, .soft_max = 1,
            .help = N_ ("When the shutter opens, relative to the frame; minus half the shutter centres the blur.")),
  KG_INPUT (MotionBlur, samples, INTEGER, .label = N_ ("Samples"), .early = true, .def = 16, .min = 1,
            .max = MAX_SAMPLES, .soft_max = 64,
            .help = N_ ("Number of images evaluated in an exposure. All of them are in memory at once.")),
  KG_INPUT (
      MotionBlur, subpixels, INTEGER, .label = N_ ("Parts of a pixel"), .early = true, .def = 1, .min = 1,
      .max = MAX_SUBPIXELS, .soft_max = 8,
      .help = N_ ("Above 1 the image is rendered that many times as wide and high, and each part of a pixel is taken "
                  "at a time of its own: 4 evaluates 16 moments in place of Samples and smooths edges as well.")),
  KG_INPUT (MotionBlur, filter, CHOICE, .label = N_ ("Filter"), .choices = motion_blur_filters,
            .help = N_ ("How much light passes during the exposure.")),
  KG_INPUT (MotionBlur, jitter, BOOLEAN, .label = N_ ("Jitter"), .early = true,
            .help = N_ ("Draws each sample at random within its part of the exposure: noise in place of steps.")),
  KG_INPUT (
      MotionBlur, seed, INTEGER, .label = N_ ("Seed"), .early = true, .min = 0, .max = 1e9, .soft_max = 100,
      .help = N_ (
          "Each number gives different samples, with Jitter, and a different order of times, with parts of a pixel.")),
  KG_INPUT (MotionBlur, check, BOOLEAN, .label = N_ ("Check ghosting"), .def = 1,
            .help = N_ ("Measures whether the samples are seen as separate images, and warns if they are.")),
  KG_OUTPUT (MotionBlur, blurred, IMAGE, .label = N_ ("Image"),
             .help = N_ ("The mean of the samples: light is conserved.")),
  KG_OUTPUT (MotionBlur, ghosting, NUMBER, .label = N_ ("Ghosting"),
             .help = N_ ("Step of the moving object from sample to sample, divided by its length along the step. "
                         "Above 1 the samples are seen as separate images. 0 where nothing moves, and for fewer than "
                         "3 samples.")),
  KG_OUTPUT (MotionBlur, needed, INTEGER, .label = N_ ("Samples needed"),
             .help = N_ ("Smallest number of samples that closes the gaps.")),
};

KG_NODE_WITH_DEMAND (
    image, motion_blur, MotionBlur, .label = N_ ("Motion Blur"), .version = 1, .since = "0.1",
    .reach = motion_blur_reach, .time = KG_TIME_READS,
    .tags = N_ ("shutter angle timeblur exposure accumulation temporal antialiasing strobing subframe"),
    .formula = "I = Σ w_k I(t + φ + s (k + ½)/N) / Σ w_k",
    .source =
        "Korein and Badler, Temporal Anti-Aliasing in Computer Generated Animation, 1983; Cook, Porter and Carpenter, Distributed Ray Tracing, 1984",
    .help = N_ (
        "Averages images within the exposure of each frame, as an open shutter does. The whole graph upstream is evaluated between the frames, so everything that moves is blurred exactly, also shadows and highlights."));
