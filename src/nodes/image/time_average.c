/* image/time_average: the mean, median or extreme of several frames.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/frame_mix.h"

/* Frames of one average: all of them are in memory at once. */
#define MAX_FRAMES 400

typedef struct {
  const KgImage *image;
  int rule;
  int range;
  int64_t before;
  int64_t after;
  double first;
  int64_t count;
  double step;
  KgImage *average;
} TimeAverage;

enum { AVERAGE_MEAN, AVERAGE_MEDIAN, AVERAGE_MIN, AVERAGE_MAX, N_AVERAGES };
enum { RANGE_AROUND, RANGE_FIXED, N_RANGES };

static const KgChoice time_average_rules[] = {
  [AVERAGE_MEAN] = { "mean", N_ ("Mean: frame blend") },
  [AVERAGE_MEDIAN] = { "median", N_ ("Median: what moves vanishes") },
  [AVERAGE_MIN] = { "min", N_ ("Minimum: darkest") },
  [AVERAGE_MAX] = { "max", N_ ("Maximum: light trails") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (time_average_rules, N_AVERAGES);

static const KgChoice time_average_ranges[] = {
  [RANGE_AROUND] = { "around", N_ ("Frames around the current one") },
  [RANGE_FIXED] = { "fixed", N_ ("Fixed frames: the same at any time") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (time_average_ranges, N_RANGES);

static bool
time_average_demand (const TimeAverage *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const size_t field = offsetof (TimeAverage, image);

  (void) error;
  if (n->range == RANGE_FIXED)
    for (int64_t i = 0; i < n->count; i++)
      kg_demand_at (demand, field, frame_samples_time (ctx, n->first + (double) i * n->step));
  else
    for (int64_t i = -n->before; i <= n->after; i++)
      kg_demand_at (demand, field, ctx->time + (double) i * n->step / ctx->rate);
  return true;
}

static bool
time_average_evaluate (TimeAverage *n, const KgContext *ctx, GError **error)
{
  static const FrameMixRule rules[N_AVERAGES] = { FRAME_MIX_MEAN, FRAME_MIX_MEDIAN, FRAME_MIX_MIN, FRAME_MIX_MAX };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (TimeAverage, image), &count);

  n->average = frame_samples_new_like (frames[0], error);
  return n->average != NULL && frame_mix (frames, NULL, count, rules[n->rule], n->average, &monitor);
}

static const KgSlot time_average_slots[] = {
  KG_INPUT (TimeAverage, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image whose frames are combined.")),
  KG_INPUT (TimeAverage, rule, CHOICE, .label = N_ ("Rule"), .choices = time_average_rules,
            .help = N_ ("How the frames are combined, for each pixel and component. The median of a locked-off shot is "
                        "its clean plate; the maximum draws light trails.")),
  KG_INPUT (TimeAverage, range, CHOICE, .label = N_ ("Range"), .early = true, .choices = time_average_ranges,
            .help = N_ ("Whether the frames move along with time.")),
  KG_INPUT (TimeAverage, before, INTEGER, .label = N_ ("Frames before"), .early = true, .def = 2, .min = 0,
            .max = MAX_FRAMES / 2, .soft_max = 24, .shown_when = "range=around",
            .help = N_ ("Number of earlier frames.")),
  KG_INPUT (TimeAverage, after, INTEGER, .label = N_ ("Frames after"), .early = true, .def = 2, .min = 0,
            .max = MAX_FRAMES / 2 - 1, .soft_max = 24, .shown_when = "range=around",
            .help = N_ ("Number of later frames.")),
  KG_INPUT (TimeAverage, first, NUMBER, .label = N_ ("First frame"), .unit = KG_FRAMES, .early = true, .def = 1,
            .min = -1e6, .max = 1e6, .soft_min = 0, .soft_max = 240, .shown_when = "range=fixed",
            .help = N_ ("First of the fixed frames.")),
  KG_INPUT (TimeAverage, count, INTEGER, .label = N_ ("Frames"), .early = true, .def = 24, .min = 1, .max = MAX_FRAMES,
            .soft_max = 96, .shown_when = "range=fixed",
            .help = N_ ("Number of fixed frames. All of them are in memory at once.")),
  KG_INPUT (TimeAverage, step, NUMBER, .label = N_ ("Step"), .unit = KG_FRAMES, .early = true, .def = 1, .min = 0.001,
            .max = 1e4, .soft_max = 12,
            .help = N_ ("Interval from one frame to the next; values below 1 sample between the frames.")),
  KG_OUTPUT (TimeAverage, average, IMAGE, .label = N_ ("Image"),
             .help = N_ ("The combined image, with the size of the first of the frames.")),
};

KG_NODE_WITH_DEMAND (
    image, time_average, TimeAverage, .label = N_ ("Time Average"), .version = 1, .since = "0.1",
    .reach = kg_reach_none,
    .tags =
        N_ ("frame blend frameblend mean median minimum maximum clean plate temporal noise long exposure light trail"),
    .formula = "mean = (1/n) Σ I_k\nmedian, min, max of I_1 … I_n, for each component",
    .help = N_ (
        "Combines several frames of an image to one: their mean, median, minimum or maximum. Images of other sizes are centred."));
