/* image/frame_difference: what changed since an earlier frame.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/frame_mix.h"

typedef struct {
  const KgImage *image;
  double offset;
  double threshold;
  int show;
  double gain;
  KgImage *difference;
  double changed;
  KgVector low;
  KgVector high;
} FrameDifference;

enum { SHOW_ABSOLUTE, SHOW_SIGNED, SHOW_MASK, SHOW_CHANGED, N_SHOWS };

static const KgChoice frame_difference_shows[] = {
  [SHOW_ABSOLUTE] = { "absolute", N_ ("Size of the difference") },
  [SHOW_SIGNED] = { "signed", N_ ("Difference on grey: darker or lighter") },
  [SHOW_MASK] = { "mask", N_ ("Mask of changed pixels") },
  [SHOW_CHANGED] = { "changed", N_ ("Changed pixels only: a delta frame") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (frame_difference_shows, N_SHOWS);

static bool
frame_difference_demand (const FrameDifference *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  kg_demand_at (demand, offsetof (FrameDifference, image), ctx->time);
  kg_demand_at (demand, offsetof (FrameDifference, image), ctx->time + n->offset / ctx->rate);
  return true;
}

/* One row; the range and number of its changed pixels. */
static void
frame_difference_row (const FrameDifference *n, const float *a, const float *b, int width, float *to, int range[2],
                      size_t *changed)
{
  for (int x = 0; x < width; x++, a += 4, b += 4, to += 4) {
    float most = 0;
    bool moved;

    for (int c = 0; c < 4; c++)
      most = fmaxf (most, fabsf (a[c] - b[c]));
    moved = (double) most > n->threshold;
    if (moved) {
      range[0] = MIN (range[0], x);
      range[1] = x + 1;
      ++*changed;
    }
    for (int c = 0; c < 4; c++) {
      const double d = (double) a[c] - (double) b[c];

      if (n->show == SHOW_MASK)
        to[c] = moved ? 1 : 0;
      else if (n->show == SHOW_CHANGED)
        to[c] = moved ? a[c] : 0;
      else if (c == 3)
        to[c] = 1;
      else
        to[c] = (float) (!moved                   ? (n->show == SHOW_SIGNED ? 0.5 : 0)
                         : n->show == SHOW_SIGNED ? fmax (0.5 + n->gain * d, 0)
                                                  : n->gain * fabs (d));
    }
  }
}

static bool
frame_difference_evaluate (FrameDifference *n, const KgContext *ctx, GError **error)
{
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (FrameDifference, image), &count);
  const int width = kg_image_get_width (frames[0]), height = kg_image_get_height (frames[0]);
  g_autofree size_t *changed = g_new0 (size_t, (size_t) height);
  g_autofree int (*ranges)[2] = g_malloc_n ((size_t) height, sizeof *ranges);
  g_autofree float *nothing = g_new0 (float, 4 * (size_t) width);
  int low[2] = { width, height }, high[2] = { 0, 0 };
  size_t total = 0;
  float *pixels;

  n->difference = frame_samples_new_like (frames[0], error);
  if (n->difference == NULL)
    return false;
  pixels = kg_image_edit_pixels (n->difference);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++) {
    const float *a = kg_image_get_pixels (frames[0]) + 4 * (size_t) y * (size_t) width;
    float *to = pixels + 4 * (size_t) y * (size_t) width;
    int first, end;
    const float *b = frame_mix_get_row (frames[1], width, height, y, &first, &end);

    ranges[y][0] = width;
    ranges[y][1] = 0;
    if (kg_context_is_cancelled (ctx))
      continue;
    if (b != NULL && first == 0 && end == width)
      frame_difference_row (n, a, b, width, to, ranges[y], &changed[y]);
    else {
      g_autofree float *padded = g_memdup2 (nothing, 4 * (size_t) width * sizeof *nothing);

      if (b != NULL)
        memcpy (padded + 4 * first, b + 4 * first, 4 * (size_t) (end - first) * sizeof *padded);
      frame_difference_row (n, a, padded, width, to, ranges[y], &changed[y]);
    }
  }
  for (int y = 0; y < height; y++)
    if (changed[y] > 0) {
      total += changed[y];
      low[0] = MIN (low[0], ranges[y][0]);
      high[0] = MAX (high[0], ranges[y][1]);
      low[1] = MIN (low[1], y);
      high[1] = y + 1;
    }
  n->changed = (double) total / ((double) width * (double) height);
  if (total > 0) {
    n->low = (KgVector){ low[0] - 0.5 * width, 0.5 * height - high[1], 0 };
    n->high = (KgVector){ high[0] - 0.5 * width, 0.5 * height - low[1], 0 };
  }
  return !kg_context_is_cancelled (ctx);
}

static const KgSlot frame_difference_slots[] = {
  KG_INPUT (FrameDifference, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image that changes over time.")),
  KG_INPUT (FrameDifference, offset, NUMBER, .label = N_ ("Offset"), .unit = KG_FRAMES, .early = true, .def = -1,
            .min = -1e6, .max = 1e6, .soft_min = -24, .soft_max = 24,
            .help = N_ ("The other frame, relative to the current one.")),
  KG_INPUT (FrameDifference, threshold, NUMBER, .label = N_ ("Threshold"), .def = 0, .min = 0, .max = 1e6,
            .soft_max = 0.2, .help = N_ ("Largest difference of a component that does not count as a change.")),
  KG_INPUT (FrameDifference, show, CHOICE, .label = N_ ("Show"), .choices = frame_difference_shows,
            .help = N_ ("What the image shows.")),
  KG_INPUT (FrameDifference, gain, NUMBER, .label = N_ ("Gain"), .def = 1, .min = 0, .max = 1e6, .soft_max = 10,
            .shown_when = "show=absolute|signed", .help = N_ ("Multiplies the difference.")),
  KG_OUTPUT (FrameDifference, difference, IMAGE, .label = N_ ("Image"), .help = N_ ("The difference.")),
  KG_OUTPUT (FrameDifference, changed, NUMBER, .label = N_ ("Changed"), .unit = KG_PERCENT,
             .help = N_ ("Share of the pixels that changed.")),
  KG_OUTPUT (FrameDifference, low, VECTOR, .label = N_ ("Lower left"), .unit = KG_PIXELS,
             .help = N_ ("Corner of the rectangle around all changes, to the right and up from the centre.")),
  KG_OUTPUT (FrameDifference, high, VECTOR, .label = N_ ("Upper right"), .unit = KG_PIXELS,
             .help = N_ ("The opposite corner; both are zero where nothing changed.")),
};

KG_NODE_WITH_DEMAND (
    image, frame_difference, FrameDifference, .label = N_ ("Frame Difference"), .version = 1, .since = "0.1",
    .tags = N_ ("change motion detection delta matte compare previous"),
    .help = N_ (
        "Compares each frame with an earlier or later one: the size of the difference, a mask of what changed, or a delta frame that holds only the changed pixels."));
