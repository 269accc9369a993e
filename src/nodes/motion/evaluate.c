/* motion/evaluate: what a motion is worth at a time, how fast it changes, and what it has added up to.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "motion/channel_names.h"
#include "motion/pieces.h"

typedef struct {
  const KgMotion *motion;
  const char *channel;
  int measure;
  double at;
  double since;
  double value;
  KgVector vector;
  KgRotation rotation;
  double derivative;
  KgVector vector_derivative;
  double second_derivative;
  double integral;
  KgVector vector_integral;
  double low;
  double high;
  int64_t channels;
} Evaluate;

enum { MEASURE_OWN, MEASURE_SHARE, N_MEASURES };

static const KgChoice evaluate_measures[] = {
  [MEASURE_OWN] = { "own", N_ ("The motion's own units") },
  [MEASURE_SHARE] = { "share", N_ ("From 0 at its start to 1 at its end") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (evaluate_measures, N_MEASURES);

static const KgChannel *
evaluate_find (const Evaluate *n, GError **error)
{
  g_autofree char *names = NULL;
  const KgChannel *channel;

  if (kg_motion_get_n_channels (n->motion) == 0) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "the motion is empty: set keys on it, or link a motion with channels");
    return NULL;
  }
  if (n->channel[0] == '\0')
    return kg_motion_get_channel (n->motion, 0);
  channel = kg_motion_find (n->motion, n->channel);
  if (channel != NULL)
    return channel;
  names = channel_names_list (n->motion);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the motion has no channel \"%s\": it has %s", n->channel, names);
  return NULL;
}

/* Beyond the range straight lines and holds have none; a repeated motion has that of the moment it repeats, forwards or
 * backwards. */
static bool
evaluate_second_derivative (Evaluate *n, const KgChannel *channel, double at, GError **error)
{
  const KgChannelPlace place = kg_channel_fold (channel, at);
  g_autoptr (Pieces) pieces = NULL;

  if (!(n->high > n->low) || (place.outside && (place.extend == KG_EXTEND_HOLD || place.extend == KG_EXTEND_LINEAR)))
    return true;
  pieces = pieces_new_channel (channel, 0, error);
  if (pieces == NULL)
    return false;
  n->second_derivative = pieces_evaluate (pieces, place.at, 2);
  return true;
}

static bool
evaluate_evaluate (Evaluate *n, const KgContext *ctx, GError **error)
{
  double x[KG_CHANNEL_MAX_WIDTH] = { 0 }, d[KG_CHANNEL_MAX_WIDTH] = { 0 }, sum[KG_CHANNEL_MAX_WIDTH] = { 0 };
  double at = n->at, since = n->since, unit = 1;
  const KgChannel *channel = evaluate_find (n, error);

  (void) ctx;
  n->rotation = kg_rotation_identity ();
  if (channel == NULL)
    return false;
  n->channels = kg_motion_get_n_channels (n->motion);
  kg_channel_get_range (channel, &n->low, &n->high);
  if (n->measure == MEASURE_SHARE) {
    unit = n->high - n->low;
    at = n->low + at * unit;
    since = n->low + since * unit;
  }
  kg_channel_evaluate (channel, at, x);
  if (kg_channel_is_rotation (channel)) {
    n->rotation = kg_rotation_normalize ((KgRotation){ x[0], x[1], x[2], x[3] });
    return true;
  }
  kg_channel_differentiate (channel, at, d);
  kg_channel_integrate (channel, since, at, sum);
  if (kg_channel_get_width (channel) == 1 && !evaluate_second_derivative (n, channel, at, error))
    return false;
  n->value = x[0];
  n->vector = kg_vector (x[0], x[1], x[2]);
  n->derivative = d[0] * unit;
  n->vector_derivative = kg_vector_scale (kg_vector (d[0], d[1], d[2]), unit);
  n->second_derivative *= unit * unit;
  if (n->measure == MEASURE_SHARE)
    unit = unit > 0 ? 1 / unit : 0;
  n->integral = sum[0] * unit;
  n->vector_integral = kg_vector_scale (kg_vector (sum[0], sum[1], sum[2]), unit);
  return true;
}

static const KgSlot evaluate_slots[] = {
  KG_INPUT (Evaluate, motion, MOTION, .label = N_ ("Motion"),
            .help = N_ ("Set keys here, or link an ease or another motion.")),
  KG_INPUT (Evaluate, channel, TEXT, .label = N_ ("Channel"),
            .help = N_ ("Name of the channel; empty for the first one.")),
  KG_INPUT (Evaluate, at, NUMBER, .label = N_ ("At"), .driver = KG_DRIVER_TIME, .soft_max = 1,
            .help = N_ ("Time at which the motion is read. Without a link it is the current time in seconds.")),
  KG_INPUT (
      Evaluate, measure, CHOICE, .label = N_ ("Time units"), .choices = evaluate_measures,
      .help = N_ (
          "Units of the times. Keys are in frames, eases run from 0 to 1, and clips are in seconds. From 0 to 1, every motion has length 1, also for its derivatives and integrals.")),
  KG_INPUT (Evaluate, since, NUMBER, .label = N_ ("Integrate from"), .soft_max = 1,
            .help = N_ ("Time at which the integral starts, in the same units as At.")),
  KG_OUTPUT (Evaluate, value, NUMBER, .label = N_ ("Value"), .help = N_ ("Value of a channel of numbers.")),
  KG_OUTPUT (Evaluate, vector, VECTOR, .label = N_ ("Vector"),
             .help = N_ ("Value of a channel of vectors or colours.")),
  KG_OUTPUT (Evaluate, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Value of a channel of rotations.")),
  KG_OUTPUT (Evaluate, derivative, NUMBER, .label = N_ ("Derivative"), .help = N_ ("How fast the value changes.")),
  KG_OUTPUT (Evaluate, vector_derivative, VECTOR, .label = N_ ("Vector derivative"),
             .help = N_ ("How fast the vector changes.")),
  KG_OUTPUT (Evaluate, second_derivative, NUMBER, .label = N_ ("Second derivative"),
             .help = N_ ("How fast the derivative of a number changes.")),
  KG_OUTPUT (Evaluate, integral, NUMBER, .label = N_ ("Integral"), .help = N_ ("Integral of the value up to At.")),
  KG_OUTPUT (Evaluate, vector_integral, VECTOR, .label = N_ ("Vector integral"),
             .help = N_ ("Integral of the vector up to At.")),
  KG_OUTPUT (Evaluate, low, NUMBER, .label = N_ ("Start"),
             .help = N_ ("Time at which the channel starts, in its own units.")),
  KG_OUTPUT (Evaluate, high, NUMBER, .label = N_ ("End"), .help = N_ ("End of the range.")),
  KG_OUTPUT (Evaluate, channels, INTEGER, .label = N_ ("Channels"), .help = N_ ("Number of channels in the motion.")),
};

KG_NODE (
    motion, evaluate, Evaluate, .label = N_ ("Evaluate Motion"), .version = 1, .since = "0.1",
    .tags = N_ ("sample channel curve derivative integral slope velocity value at time avar"),
    .formula = "value f(t), derivatives f′(t) and f″(t), integral ∫ f dt from since to t; "
               "keys and tables in closed form, piece by piece",
    .source = "Parent, Computer Animation, 3.6.2 (articulation variables)",
    .help = N_ (
        "Reads a motion at any time: its value, how fast it changes, and its integral. One motion can be read by many of these nodes, each at its own time."));
