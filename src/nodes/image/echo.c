/* image/echo: earlier or later frames shown along with the current one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/frame_mix.h"

#define MAX_ECHOES 240

typedef struct {
  FRAME_FIELDS;
  int64_t echoes;
  double step;
  double opacity;
  double decay;
  int rule;
} Echo;

enum { ECHO_BEHIND, ECHO_IN_FRONT, ECHO_ADD, ECHO_MAX, ECHO_MIN, ECHO_MEAN, N_RULES };

static const KgChoice echo_rules[] = {
  [ECHO_BEHIND] = { "behind", N_ ("Behind the current frame") },
  [ECHO_IN_FRONT] = { "in_front", N_ ("In front of the current frame") },
  [ECHO_ADD] = { "add", N_ ("Add: light") },
  [ECHO_MAX] = { "max", N_ ("Maximum: lighten") },
  [ECHO_MIN] = { "min", N_ ("Minimum: darken") },
  [ECHO_MEAN] = { "mean", N_ ("Mean: blend") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (echo_rules, N_RULES);

static bool
echo_demand (const Echo *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  for (int64_t i = 0; i <= n->echoes; i++)
    kg_demand_at (demand, offsetof (Echo, image), ctx->time - (double) i * n->step / ctx->rate);
  return true;
}

static bool
echo_evaluate (Echo *n, const KgContext *ctx, GError **error)
{
  static const FrameMixRule rules[N_RULES] = { FRAME_MIX_OVER, FRAME_MIX_UNDER, FRAME_MIX_SUM,
                                               FRAME_MIX_MAX,  FRAME_MIX_MIN,   FRAME_MIX_MEAN };
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (Echo, image), &count);
  g_autofree double *weights = g_new (double, count);

  weights[0] = 1;
  for (guint i = 1; i < count; i++)
    weights[i] = n->rule == ECHO_MIN ? 1 : i == 1 ? n->opacity : weights[i - 1] * n->decay;
  n->result = frame_samples_new_like (frames[0], error);
  return n->result != NULL && frame_mix (frames, weights, count, rules[n->rule], n->result, &monitor) &&
         image_wear (frames[0], &wear, &n->result, &monitor);
}

static const KgSlot echo_slots[] = {
  KG_INPUT (Echo, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image whose past is shown.")),
  KG_INPUT (Echo, echoes, INTEGER, .label = N_ ("Echoes"), .early = true, .def = 6, .min = 0, .max = MAX_ECHOES,
            .soft_max = 24, .help = N_ ("Number of other frames. All of them are in memory at once.")),
  KG_INPUT (Echo, step, NUMBER, .label = N_ ("Step"), .unit = KG_FRAMES, .early = true, .def = 2, .min = -1e4,
            .max = 1e4, .soft_min = -12, .soft_max = 12,
            .help = N_ ("Interval from each echo to the one before it; negative steps show later frames.")),
  KG_INPUT (Echo, opacity, NUMBER, .label = N_ ("Opacity"), .def = 0.7, .min = 0, .max = 1,
            .help = N_ ("Opacity of the first echo.")),
  KG_INPUT (Echo, decay, NUMBER, .label = N_ ("Decay"), .def = 0.7, .min = 0, .max = 1,
            .help = N_ ("Factor from each echo to the next.")),
  KG_INPUT (Echo, rule, CHOICE, .label = N_ ("Composite"), .choices = echo_rules,
            .help = N_ ("How the echoes are combined with the current frame. A minimum has no opacity.")),
  IMAGE_WEAR (Echo, N_ ("The current frame with its echoes.")),
};

KG_NODE_WITH_DEMAND (
    image, echo, Echo, .label = N_ ("Echo"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ ("time trail ghost onion skin multiple exposure delay chronophotography stroboscope"),
    .help = N_ (
        "Shows several moments of a movement at once, as a stroboscope or an onion skin does: copies of earlier or later frames, each weaker than the one before."));
