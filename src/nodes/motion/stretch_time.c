/* motion/stretch_time: a part of a motion lasts longer or shorter, the speeds at its ends stay.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "motion/joining.h"

#include <math.h>

typedef struct {
  const KgMotion *source;
  double start;
  double end;
  double factor;
  bool keep_speeds;
  double time;
  double source_time;
  KgMotion *motion;
} StretchTime;

/* Samples of channels of rotations. */
#define N_SAMPLES 1024

static KgChannel *
stretch_rotations (const KgChannel *channel, const JoiningStretch *stretch, GError **error)
{
  g_autofree double *samples = g_new (double, 4 * N_SAMPLES);
  double low, high;

  kg_channel_get_range (channel, &low, &high);
  high += (stretch->end - stretch->start) * (stretch->factor - 1);
  for (guint i = 0; i < N_SAMPLES; i++)
    kg_channel_evaluate (channel, joining_get_source_time (stretch, low + (high - low) * i / (N_SAMPLES - 1)),
                         samples + 4 * (gsize) i);
  return kg_channel_new_samples (4, true, low, (N_SAMPLES - 1) / (high - low), samples, N_SAMPLES, KG_EXTEND_HOLD,
                                 KG_EXTEND_HOLD, error);
}

static KgChannel *
stretch_numbers (const KgChannel *channel, const JoiningStretch *stretch, GError **error)
{
  const guint width = kg_channel_get_width (channel);
  Pieces *stretched[KG_CHANNEL_MAX_WIDTH] = { NULL };
  KgChannel *result = NULL;
  bool done = true;

  for (guint c = 0; done && c < width; c++) {
    g_autoptr (Pieces) pieces = pieces_new_channel (channel, c, error);

    stretched[c] = pieces != NULL ? joining_stretch (pieces, stretch, error) : NULL;
    done = stretched[c] != NULL;
  }
  if (done)
    result = joining_new_channel (stretched, width, error);
  for (guint c = 0; c < width; c++)
    g_clear_pointer (&stretched[c], pieces_free);
  return result;
}

static bool
stretch_time_evaluate (StretchTime *n, const KgContext *ctx, GError **error)
{
  JoiningStretch whole = { n->start, n->end, n->factor, n->keep_speeds };

  if (!(n->end > n->start)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the part ends at %g and starts at %g: set its end after its start",
                  n->end, n->start);
    return false;
  }
  n->motion = kg_motion_new ();
  n->source_time = joining_get_source_time (&whole, n->time);
  for (guint i = 0; n->source != NULL && i < kg_motion_get_n_channels (n->source); i++) {
    const char *name = kg_motion_get_name (n->source, i);
    const KgChannel *channel = kg_motion_get_channel (n->source, i);
    JoiningStretch stretch = whole;
    KgChannel *result;
    double low, high;

    if (kg_context_is_cancelled (ctx))
      return false;
    kg_channel_get_range (channel, &low, &high);
    /* A channel holds outside its range: there is nothing to stretch. */
    stretch.start = fmax (n->start, low);
    stretch.end = fmin (n->end, high);
    if (!(stretch.end > stretch.start))
      result = kg_channel_ref (channel);
    else if (kg_channel_is_rotation (channel))
      result = stretch_rotations (channel, &stretch, error);
    else
      result = stretch_numbers (channel, &stretch, error);
    if (result == NULL) {
      g_prefix_error (error, "channel \"%s\": ", name);
      return false;
    }
    if (!(stretch.end > stretch.start))
      kg_context_warn (ctx, "channel \"%s\" lasts from %g to %g: nothing of it lies in the part", name, low, high);
    else if (n->start < low || n->end > high)
      kg_context_warn (ctx, "channel \"%s\" lasts from %g to %g: the part from %g to %g was stretched", name, low, high,
                       stretch.start, stretch.end);
    kg_motion_take_channel (n->motion, name, result);
  }
  return true;
}

static const KgSlot stretch_time_slots[] = {
  KG_INPUT (StretchTime, source, MOTION, .optional = true, .label = N_ ("Motion"),
            .help = N_ ("The motion to be stretched.")),
  KG_INPUT (StretchTime, start, NUMBER, .label = N_ ("Start"), .unit = KG_SECONDS, .soft_max = 10,
            .help = N_ ("Start of the part.")),
  KG_INPUT (StretchTime, end, NUMBER, .label = N_ ("End"), .unit = KG_SECONDS, .def = 1, .soft_max = 10,
            .help = N_ ("End of the part. What comes after it moves in time.")),
  KG_INPUT (StretchTime, factor, NUMBER, .label = N_ ("Factor"), .def = 2, .min = 0.001, .max = 1000, .soft_min = 0.1,
            .soft_max = 4, .help = N_ ("How many times as long the part becomes: below 1 it gets faster.")),
  KG_INPUT (
      StretchTime, keep_speeds, BOOLEAN, .label = N_ ("Keep speeds"), .def = true,
      .help = N_ (
          "The motion passes both ends of the part with its original velocity and acceleration, and changes its pace "
          "between them. Off: the pace jumps at the ends.")),
  KG_INPUT (StretchTime, time, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_TIME, .unit = KG_SECONDS,
            .soft_max = 10, .help = N_ ("Time for Source time. Without a link it is the current time.")),
  KG_OUTPUT (StretchTime, motion, MOTION, .label = N_ ("Motion"), .help = N_ ("The motion with its new timing.")),
  KG_OUTPUT (StretchTime, source_time, NUMBER, .label = N_ ("Source time"), .unit = KG_SECONDS,
             .help = N_ ("Moment of the original that is played at the time: also for Time Shift.")),
};

KG_NODE (
    motion, stretch_time, StretchTime, .label = N_ ("Stretch Time"), .version = 1, .since = "0.1",
    .tags = N_ ("kinetic adjustment retime slow fast speed ramp timing warp phrase"),
    .formula = "T = k (end − start), r = min(1/4, 1/(2k)), pace p(u) = 1 + (m − 1) w, m = 1 + (1/k − 1)/(1 − r)\n"
               "w = s(u/r) for u < r, 1 in the middle, s((1 − u)/r) for u > 1 − r, s(x) = 10x³ − 15x⁴ + 6x⁵; "
               "source time = start + ∫ p dt",
    .source = "Steketee and Badler, Parametric Keyframe Interpolation Incorporating Kinetic Adjustment and Phrasing "
              "Control, 1985",
    .help = N_ (
        "Makes a part of a motion longer or shorter without changing the path, the velocity with which it enters and leaves the part, or the rest of the motion."));
