/* image/afterimage: the eye, a storage tube or a long exposure keeps what was seen.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/frame_mix.h"

#define MAX_FRAMES 400

typedef struct {
  FRAME_FIELDS;
  double decay;
  int rule;
  int64_t frames;
} Afterimage;

enum { AFTERIMAGE_MAX, AFTERIMAGE_ADD, AFTERIMAGE_AVERAGE, N_RULES };

static const KgChoice afterimage_rules[] = {
  [AFTERIMAGE_MAX] = { "max", N_ ("Maximum: the brightest remains") },
  [AFTERIMAGE_ADD] = { "add", N_ ("Add: light accumulates") },
  [AFTERIMAGE_AVERAGE] = { "average", N_ ("Average: all frames alike") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (afterimage_rules, N_RULES);

static bool
afterimage_demand (const Afterimage *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  for (int64_t i = 0; i < n->frames; i++)
    kg_demand_at (demand, offsetof (Afterimage, image), ctx->time - (double) i / ctx->rate);
  return true;
}

static bool
afterimage_evaluate (Afterimage *n, const KgContext *ctx, GError **error)
{
  static const FrameMixRule rules[N_RULES] = { FRAME_MIX_MAX, FRAME_MIX_SUM, FRAME_MIX_MEAN };
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (Afterimage, image), &count);
  g_autofree double *weights = g_new (double, count);
  double weight = 1;

  /* max (I_n, d max (I_n-1, d ...)) is the maximum of d^k I_n-k, and so for sums. */
  for (guint i = 0; i < count; i++) {
    weights[i] = weight;
    weight *= n->rule == AFTERIMAGE_AVERAGE ? 1 : n->decay;
  }
  n->result = frame_samples_new_like (frames[0], error);
  return n->result != NULL && frame_mix (frames, weights, count, rules[n->rule], n->result, &monitor) &&
         image_wear (frames[0], &wear, &n->result, &monitor);
}

static const KgSlot afterimage_slots[] = {
  KG_INPUT (Afterimage, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image that leaves an impression.")),
  KG_INPUT (Afterimage, decay, NUMBER, .label = N_ ("Decay"), .def = 0.8, .min = 0, .max = 1,
            .shown_when = "rule=max|add",
            .help = N_ ("Share of an impression that is left after one frame; 1 keeps it like a storage tube.")),
  KG_INPUT (Afterimage, rule, CHOICE, .label = N_ ("Rule"), .choices = afterimage_rules,
            .help = N_ ("How impressions are combined.")),
  KG_INPUT (Afterimage, frames, INTEGER, .label = N_ ("Frames"), .unit = KG_FRAMES, .early = true, .def = 24, .min = 1,
            .max = MAX_FRAMES, .soft_max = 96,
            .help = N_ ("How many frames are remembered, the current one included. All of them are in memory at "
                        "once.")),
  IMAGE_WEAR (Afterimage, N_ ("What is still seen.")),
};

KG_NODE_WITH_DEMAND (
    image, afterimage, Afterimage, .label = N_ ("Afterimage"), .version = 1, .since = "0.1",
    .tags = N_ ("persistence of vision phosphor storage tube glow light painting ring accumulate"),
    .formula = "max: A_n = max(I_n, d A_(n-1))\nadd: A_n = I_n + d A_(n-1)\naverage: mean of the last m frames",
    .help = N_ (
        "Keeps earlier frames visible while they fade, as the eye does: a lamp swung in a circle becomes a ring. The earlier frames are evaluated anew, so every frame is the same however it is reached."));
