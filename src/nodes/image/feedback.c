/* image/feedback: a camera that looks at the screen that shows what it sees.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/edges.h"
#include "kg-node.h"

typedef struct {
  const KgImage *image;
  double gain;
  KgColor tint;
  int rule;
  KgVector translate;
  double rotate;
  double zoom;
  int filter;
  int edges;
  KgImage *state;
  KgImage *result;
} Feedback;

enum { FEEDBACK_ADD, FEEDBACK_MAX, FEEDBACK_OVER, N_RULES };

static const KgChoice feedback_rules[] = {
  [FEEDBACK_ADD] = { "add", N_ ("Add: light accumulates") },
  [FEEDBACK_MAX] = { "max", N_ ("Maximum: the brighter remains") },
  [FEEDBACK_OVER] = { "over", N_ ("Over: the image in front") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (feedback_rules, N_RULES);

static bool
feedback_start (Feedback *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->state = kg_image_ref (n->image);
  return true;
}

/* (transfer full) (nullable) The screen as the camera sees it after a part of a frame. */
static KgImage *
look (const Feedback *n, double part, const KgProgressMonitor *monitor, GError **error)
{
  const int width = kg_image_get_width (n->state), height = kg_image_get_height (n->state);
  const double aspect = kg_image_get_pixel_aspect (n->state), angle = part * n->rotate, zoom = pow (n->zoom, part);
  const double c = cos (angle), s = sin (angle), middle[2] = { 0.5 * width, 0.5 * height };
  const double moved[2] = { middle[0] + part * n->translate.x, middle[1] - part * n->translate.y };
  ResampleMap map = { .m = { { c / zoom, -s / (aspect * zoom) }, { s * aspect / zoom, c / zoom } } };
  g_autoptr (KgImage) seen = kg_image_new (width, height, false, error);

  if (seen == NULL)
    return NULL;
  kg_image_set_pixel_aspect (seen, aspect);
  for (int i = 0; i < 2; i++)
    map.offset[i] = middle[i] - map.m[i][0] * moved[0] - map.m[i][1] * moved[1];
  if (angle == 0 && zoom == 1 && moved[0] == middle[0] && moved[1] == middle[1])
    memcpy (kg_image_edit_pixels (seen), kg_image_get_pixels (n->state),
            4 * (size_t) width * (size_t) height * sizeof (float));
  else if (!resample_image (n->state, &map, (ResampleFilter) n->filter, (ResampleEdges) n->edges, seen, monitor))
    return NULL;
  return g_steal_pointer (&seen);
}

static bool
feedback_advance (Feedback *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double part = dt * ctx->rate;
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  const size_t count = (size_t) width * (size_t) height;
  g_autoptr (KgImage) seen = NULL;
  const float *from = kg_image_get_pixels (n->image);
  float factors[4], *to;

  if (kg_image_get_width (n->state) != width || kg_image_get_height (n->state) != height) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the image has %d × %d pixels, but began with %d × %d: keep its size (Reformat)", width, height,
                  kg_image_get_width (n->state), kg_image_get_height (n->state));
    return false;
  }
  seen = look (n, part, &monitor, error);
  if (seen == NULL)
    return false;
  to = kg_image_edit_pixels (seen);
  for (int c = 0; c < 4; c++)
    factors[c] = (float) pow (n->gain * (c < 3 ? fmax ((&n->tint.r)[c], 0) : 1), part);
#pragma omp parallel for schedule(static) if (count >= 8192)
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < 4; c++) {
      const float old = factors[c] * to[4 * i + c], now = from[4 * i + c];
      const float left = 1 - kg_clamp ((double) from[4 * i + 3], 0, 1) > 0 ? 1 - from[4 * i + 3] : 0;
      float sum = n->rule == FEEDBACK_ADD ? now + old : n->rule == FEEDBACK_MAX ? fmaxf (now, old) : now + left * old;

      /* Coverage is complete at 1, whatever is added. */
      if (c == 3 && n->rule == FEEDBACK_ADD)
        sum = fminf (sum, fmaxf (now, 1));
      to[4 * i + c] = isfinite (sum) ? sum : sum > 0 ? FLT_MAX : sum < 0 ? -FLT_MAX : 0;
    }
  kg_image_unref (n->state);
  n->state = g_steal_pointer (&seen);
  return true;
}

static bool
feedback_evaluate (Feedback *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->result = kg_image_ref (n->state);
  return true;
}

static const KgSlot feedback_slots[] = {
  KG_INPUT (Feedback, image, IMAGE, .label = N_ ("Image"), .help = N_ ("What is fed in at each frame.")),
  KG_INPUT (
      Feedback, gain, NUMBER, .label = N_ ("Gain"), .unit = KG_PERCENT, .def = 0.9, .min = 0, .max = 4, .soft_max = 1.2,
      .help =
          N_ ("Share of the previous frame that is kept. At 0 there is no feedback; above 1 it grows without limit.")),
  KG_INPUT (Feedback, tint, COLOR, .label = N_ ("Tint"), .def_v = { 1, 1, 1, 1 }, .min = 0,
            .help = N_ ("Additional factor of each channel of the previous frame: colours drift as it fades.")),
  KG_INPUT (Feedback, rule, CHOICE, .label = N_ ("Rule"), .choices = feedback_rules,
            .help = N_ ("How the image and the previous frame are combined.")),
  KG_INPUT (Feedback, translate, VECTOR, .label = N_ ("Translate"), .unit = KG_PIXELS, .min = -1e5, .max = 1e5,
            .soft_min = -20, .soft_max = 20, .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("How far the previous frame moves to the right and up.")),
  KG_INPUT (Feedback, rotate, NUMBER, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -15, .soft_max = 15,
            .help = N_ ("Rotation of the previous frame about the centre, counter-clockwise.")),
  KG_INPUT (Feedback, zoom, NUMBER, .label = N_ ("Zoom"), .def = 1, .min = 0.01, .max = 100, .soft_min = 0.9,
            .soft_max = 1.1,
            .help = N_ ("How much larger the previous frame becomes: tunnels lead inwards below 1, outwards above.")),
  KG_INPUT (Feedback, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BICUBIC,
            .help = N_ ("How values between pixels are interpolated.")),
  KG_INPUT (Feedback, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges,
            .help = N_ ("What is shown outside the previous frame.")),
  KG_STATE (Feedback, state, IMAGE),
  KG_OUTPUT (Feedback, result, IMAGE, .label = N_ ("Image"), .help = N_ ("The image with the feedback.")),
};

KG_SIMULATION (
    image, feedback, Feedback, .label = N_ ("Feedback"), .version = 1, .since = "0.1",
    .tags = N_ ("video feedback loop trail tunnel howl analogue analog art echo droste recursion vj"),
    .formula = "A_n = I_n + gain · T A_(n−1)",
    .help = N_ (
        "Feeds each frame back into the next, moved, rotated and enlarged, like a video camera that looks at its own "
        "screen: trails, spirals and tunnels. Unlike Echo it never ends, and what it shows depends on all frames "
        "since the first one of the graph."));
