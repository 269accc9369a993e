/* motion/calibrate: from the counts of a sensor to angles, or whatever it measures.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "motion/missing_channels.h"
#include "motion/pieces.h"

#include <math.h>

typedef struct {
  const KgMotion *source;
  const char *channels;
  double zero;
  double scale;
  double offset;
  bool wraps;
  int64_t bits;
  bool limit;
  double low;
  double high;
  KgMotion *motion;
  int64_t limited;
} Calibrate;

static double
calibrate_value (const Calibrate *n, double raw, bool *limited)
{
  const double value = (raw - n->zero) * n->scale + n->offset;

  *limited = n->limit && (value < n->low || value > n->high);
  return *limited ? kg_clamp (value, n->low, n->high) : value;
}

/* One reading after the other. */
typedef struct {
  Calibrate *node;
  double last; /* reading as it would be without wrapping; NaN: none yet */
} Reader;

static double
calibrate_reading (Reader *reader, double raw)
{
  Calibrate *n = reader->node;
  double reading = raw, value;
  bool limited;

  if (n->wraps) {
    /* The nearest to the one before: a sensor turns by less than half a round between two readings. */
    const double round = ldexp (1, (int) n->bits), near = isnan (reader->last) ? n->zero : reader->last;

    reading = near + remainder (raw - near, round);
    reader->last = reading;
  }
  value = calibrate_value (n, reading, &limited);
  n->limited += limited;
  return value;
}

static KgChannel *
calibrate_keys (Calibrate *n, const KgChannel *channel, GError **error)
{
  gsize n_keys;
  const KgKey *keys = kg_channel_get_keys (channel, &n_keys);
  g_autofree KgKey *copies = g_memdup2 (keys, n_keys * sizeof *keys);
  Reader reader = { n, NAN };
  KgExtend before, after;

  kg_channel_get_extend (channel, &before, &after);
  for (gsize i = 0; i < n_keys; i++) {
    copies[i].value[0] = calibrate_reading (&reader, keys[i].value[0]);
    copies[i].in.rise[0] *= n->scale;
    copies[i].out.rise[0] *= n->scale;
  }
  return kg_channel_new_keys (1, false, copies, n_keys, before, after, error);
}

static KgChannel *
calibrate_samples (Calibrate *n, const KgChannel *channel, GError **error)
{
  gsize n_samples;
  double start, rate;
  const double *samples = kg_channel_get_samples (channel, &n_samples, &start, &rate);
  g_autofree double *copies = g_new (double, n_samples);
  Reader reader = { n, NAN };
  KgExtend before, after;

  kg_channel_get_extend (channel, &before, &after);
  for (gsize i = 0; i < n_samples; i++)
    copies[i] = calibrate_reading (&reader, samples[i]);
  return kg_channel_new_samples (1, false, start, rate, copies, n_samples, before, after, error);
}

typedef struct {
  const Calibrate *node;
  const KgChannel *channel;
} Calibrated;

static double
get_calibrated (gpointer data, double at)
{
  const Calibrated *calibrated = (const Calibrated *) data;
  double raw;
  bool limited;

  kg_channel_evaluate (calibrated->channel, at, &raw);
  return calibrate_value (calibrated->node, raw, &limited);
}

/* A formula, or pieces of polynomials: no readings that could wrap. */
static KgChannel *
calibrate_function (Calibrate *n, guint index, const KgContext *ctx, GError **error)
{
  Calibrated calibrated = { n, kg_motion_get_channel (n->source, index) };
  g_autoptr (Pieces) pieces = NULL;
  double low, high;

  kg_channel_get_range (calibrated.channel, &low, &high);
  pieces = pieces_new_function (get_calibrated, &calibrated, low, high, error);
  if (n->wraps)
    kg_context_warn (ctx, "channel \"%s\" is not made of readings: it is not unwrapped",
                     kg_motion_get_name (n->source, index));
  return pieces != NULL ? pieces_to_channel (pieces, error) : NULL;
}

static bool
calibrate_evaluate (Calibrate *n, const KgContext *ctx, GError **error)
{
  if (n->limit && !(n->low <= n->high)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the lowest value %g is above the highest %g: swap them", n->low,
                  n->high);
    return false;
  }
  missing_channels_warn (ctx, n->channels, n->source);
  n->motion = kg_motion_new ();
  n->limited = 0;
  for (guint i = 0; n->source != NULL && i < kg_motion_get_n_channels (n->source); i++) {
    const char *name = kg_motion_get_name (n->source, i);
    const KgChannel *channel = kg_motion_get_channel (n->source, i);
    KgChannel *result;
    gsize count;
    double start, rate;

    if (kg_context_is_cancelled (ctx))
      return false;
    if (!channel_names_match (n->channels, name))
      result = kg_channel_ref (channel);
    else if (kg_channel_get_width (channel) > 1) {
      kg_context_warn (ctx, "channel \"%s\" has %u numbers: only channels of one number can be calibrated", name,
                       kg_channel_get_width (channel));
      result = kg_channel_ref (channel);
    } else if (kg_channel_get_keys (channel, &count) != NULL)
      result = calibrate_keys (n, channel, error);
    else if (kg_channel_get_samples (channel, &count, &start, &rate) != NULL)
      result = calibrate_samples (n, channel, error);
    else
      result = calibrate_function (n, i, ctx, error);
    if (result == NULL) {
      g_prefix_error (error, "channel \"%s\": ", name);
      return false;
    }
    kg_motion_take_channel (n->motion, name, result);
  }
  return true;
}

static const KgSlot calibrate_slots[] = {
  KG_INPUT (Calibrate, source, MOTION, .optional = true, .label = N_ ("Motion"),
            .help = N_ ("The readings of one or more sensors, as imported.")),
  KG_INPUT (Calibrate, channels, TEXT, .label = N_ ("Channels"),
            .help = N_ ("Names of the channels to calibrate, separated by blanks, with * and ?; empty for all.")),
  KG_INPUT (Calibrate, zero, NUMBER, .label = N_ ("Zero"), .soft_min = -4096, .soft_max = 4096,
            .help = N_ ("Reading in the position that counts as zero.")),
  KG_INPUT (
      Calibrate, scale, NUMBER, .label = N_ ("Scale"), .def = 1, .soft_min = -1, .soft_max = 1,
      .help = N_ (
          "Value per count: 360/4096 for degrees from an encoder of 12 bits, metres per pixel for a digitised movie.")),
  KG_INPUT (Calibrate, offset, NUMBER, .label = N_ ("Offset"), .soft_min = -180, .soft_max = 180,
            .help = N_ ("Value in the zero position.")),
  KG_INPUT (
      Calibrate, wraps, BOOLEAN, .label = N_ ("Wraps"),
      .help = N_ (
          "The sensor restarts from 0 after a full turn. Its readings are continued, assuming that it turns by less "
          "than half a turn from one to the next.")),
  KG_INPUT (Calibrate, bits, INTEGER, .label = N_ ("Bits"), .def = 12, .min = 1, .max = 48, .shown_when = "wraps=true",
            .help = N_ ("A full turn has two to the power of this many counts.")),
  KG_INPUT (Calibrate, limit, BOOLEAN, .label = N_ ("Limit"),
            .help = N_ ("Keeps values within the range that is possible, such as that of a joint.")),
  KG_INPUT (Calibrate, low, NUMBER, .label = N_ ("Lowest"), .def = -180, .soft_min = -180, .soft_max = 180,
            .shown_when = "limit=true", .help = N_ ("Lowest value.")),
  KG_INPUT (Calibrate, high, NUMBER, .label = N_ ("Highest"), .def = 180, .soft_min = -180, .soft_max = 180,
            .shown_when = "limit=true", .help = N_ ("Highest value.")),
  KG_OUTPUT (Calibrate, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The calibrated channels, and the others.")),
  KG_OUTPUT (Calibrate, limited, INTEGER, .label = N_ ("Limited"),
             .help = N_ ("Number of readings beyond the limits.")),
};

KG_NODE (
    motion, calibrate, Calibrate, .label = N_ ("Calibrate Motion"), .version = 1, .since = "0.1",
    .tags = N_ ("goniometer sensor encoder digitise counts units scale offset unwrap limit potentiometer"),
    .formula = "x = (raw − zero) scale + offset, limited to lowest ... highest\n"
               "wraps: rawᵢ is replaced by the nearest to rawᵢ₋₁ of raw + k 2^bits",
    .source = "Wyvill, tutorial on computer animation and soft objects, 1988 (goniometers and digitised movies)",
    .help = N_ (
        "Turns the raw readings of goniometers, encoders or a digitised movie into angles and lengths: subtracts the zero position, scales, counts full turns and limits."));
