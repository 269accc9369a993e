/* motion/blend: two motions mixed, channel by channel, or one exaggerated.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "motion/missing_channels.h"
#include "motion/pieces.h"

#include <math.h>
#include <string.h>

typedef struct {
  const KgMotion *first;
  const KgMotion *second;
  double weight;
  const KgMotion *weights;
  double exaggeration;
  int reference;
  double rest;
  const char *channels;
  KgMotion *motion;
} Blend;

enum { REFERENCE_MEAN, REFERENCE_REST, REFERENCE_START, N_REFERENCES };

static const KgChoice blend_references[] = {
  [REFERENCE_MEAN] = { "mean", N_ ("Its mean") },
  [REFERENCE_REST] = { "rest", N_ ("A value at rest") },
  [REFERENCE_START] = { "start", N_ ("Its value at the start") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (blend_references, N_REFERENCES);

/* Samples of channels that are not numbers. */
#define N_SAMPLES 1024

/* One channel, with what it is mixed with. */
typedef struct {
  const Blend *node;
  const KgChannel *first, *second; /* NULL: none */
  double reference;
} Mixed;

static double
get_weight (const Blend *n, double at)
{
  return n->second == NULL
             ? 0
             : kg_clamp (n->weights != NULL ? kg_motion_evaluate (n->weights, at, n->weight) : n->weight, 0, 1);
}

static void
mix (const Mixed *mixed, double at, double *value)
{
  const guint width = kg_channel_get_width (mixed->first);
  double other[KG_CHANNEL_MAX_WIDTH];
  const double w = get_weight (mixed->node, at);

  kg_channel_evaluate (mixed->first, at, value);
  if (mixed->second != NULL && w > 0) {
    kg_channel_evaluate (mixed->second, at, other);
    if (kg_channel_is_rotation (mixed->first)) {
      const KgRotation q = kg_rotation_slerp ((KgRotation){ value[0], value[1], value[2], value[3] },
                                              (KgRotation){ other[0], other[1], other[2], other[3] }, w);

      memcpy (value, (double[]){ q.w, q.x, q.y, q.z }, 4 * sizeof *value);
    } else
      for (guint c = 0; c < width; c++)
        value[c] = kg_lerp (value[c], other[c], w);
  }
  if (width == 1)
    value[0] = mixed->reference + mixed->node->exaggeration * (value[0] - mixed->reference);
}

static double
get_mixed (gpointer data, double at)
{
  double value[KG_CHANNEL_MAX_WIDTH];

  mix ((const Mixed *) data, at, value);
  return value[0];
}

/* What the exaggeration goes away from. */
static bool
find_reference (const Blend *n, Mixed *mixed, double low, double high, GError **error)
{
  g_autoptr (Pieces) pieces = NULL;
  Mixed plain = *mixed;
  Blend even = *n;

  mixed->reference = n->rest;
  if (n->reference == REFERENCE_REST || n->exaggeration == 1 || kg_channel_get_width (mixed->first) > 1)
    return true;
  even.exaggeration = 1;
  plain.node = &even;
  mixed->reference = get_mixed (&plain, low);
  if (n->reference == REFERENCE_START || !(high > low))
    return true;
  pieces = pieces_new_function (get_mixed, &plain, low, high, error);
  if (pieces == NULL)
    return false;
  mixed->reference = pieces_integrate (pieces) / (high - low);
  return true;
}

/* (transfer full) (nullable) */
static KgChannel *
make_channel (const Mixed *mixed, double low, double high, GError **error)
{
  const guint width = kg_channel_get_width (mixed->first);
  g_autofree double *samples = NULL;

  if (width == 1 && high > low) {
    g_autoptr (Pieces) pieces = pieces_new_function (get_mixed, (gpointer) mixed, low, high, error);

    return pieces != NULL ? pieces_to_channel (pieces, error) : NULL;
  }
  samples = g_new (double, N_SAMPLES *(gsize) width);
  for (gsize i = 0; i < N_SAMPLES; i++)
    mix (mixed, low + (high - low) * (double) i / (N_SAMPLES - 1), samples + i * width);
  return kg_channel_new_samples (width, kg_channel_is_rotation (mixed->first), low,
                                 high > low ? (N_SAMPLES - 1) / (high - low) : 1, samples, high > low ? N_SAMPLES : 1,
                                 KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
}

static bool
blend_evaluate (Blend *n, const KgContext *ctx, GError **error)
{
  guint lonely = 0;

  missing_channels_warn (ctx, n->channels, n->first);
  n->motion = kg_motion_new ();
  for (guint i = 0; n->first != NULL && i < kg_motion_get_n_channels (n->first); i++) {
    const char *name = kg_motion_get_name (n->first, i);
    Mixed mixed = { .node = n, .first = kg_motion_get_channel (n->first, i) };
    double low, high, from, to;
    KgChannel *channel;

    if (kg_context_is_cancelled (ctx))
      return false;
    if (!channel_names_match (n->channels, name)) {
      kg_motion_take_channel (n->motion, name, kg_channel_ref (mixed.first));
      continue;
    }
    mixed.second = n->second != NULL ? kg_motion_find (n->second, name) : NULL;
    if (mixed.second != NULL && (kg_channel_get_width (mixed.second) != kg_channel_get_width (mixed.first) ||
                                 kg_channel_is_rotation (mixed.second) != kg_channel_is_rotation (mixed.first)))
      mixed.second = NULL;
    lonely += n->second != NULL && mixed.second == NULL;
    kg_channel_get_range (mixed.first, &low, &high);
    if (mixed.second != NULL) {
      kg_channel_get_range (mixed.second, &from, &to);
      low = fmin (low, from);
      high = fmax (high, to);
    }
    if (!find_reference (n, &mixed, low, high, error))
      return false;
    channel = make_channel (&mixed, low, high, error);
    if (channel == NULL)
      return false;
    kg_motion_take_channel (n->motion, name, channel);
  }
  missing_channels_warn_lonely (ctx, lonely);
  return true;
}

static const KgSlot blend_slots[] = {
  KG_INPUT (Blend, first, MOTION, .optional = true, .label = N_ ("First"), .help = N_ ("The motion at weight 0.")),
  KG_INPUT (Blend, second, MOTION, .optional = true, .label = N_ ("Second"),
            .help = N_ ("The motion at weight 1; channels are matched by their names.")),
  KG_INPUT (Blend, weight, NUMBER, .label = N_ ("Weight"), .def = 0.5, .max = 1,
            .help = N_ ("Share of the second motion, at all times.")),
  KG_INPUT (Blend, weights, MOTION, .optional = true, .label = N_ ("Weights"),
            .help = N_ ("Share of the second motion over time, used instead: key it to change from one to the other.")),
  KG_INPUT (
      Blend, exaggeration, NUMBER, .label = N_ ("Exaggeration"), .def = 1, .min = -100, .max = 100, .soft_min = 0,
      .soft_max = 3,
      .help =
          N_ ("Multiplies the difference of the motion from the reference: 0 stops it, 2 makes it twice as large. For "
              "channels of one number.")),
  KG_INPUT (Blend, reference, CHOICE, .label = N_ ("Reference"), .choices = blend_references,
            .help = N_ ("The value that the exaggeration does not change.")),
  KG_INPUT (Blend, rest, NUMBER, .label = N_ ("Rest"), .shown_when = "reference=rest", .soft_min = -10, .soft_max = 10,
            .help = N_ ("Value at rest.")),
  KG_INPUT (Blend, channels, TEXT, .label = N_ ("Channels"),
            .help = N_ ("Names of the channels that are changed, separated by blanks, with * and ?; empty for all.")),
  KG_OUTPUT (Blend, motion, MOTION, .label = N_ ("Motion"), .help = N_ ("The channels of the first motion, mixed.")),
};

KG_NODE (
    motion, blend, Blend, .label = N_ ("Blend Motions"), .version = 1, .since = "0.1",
    .tags = N_ ("mix crossfade hybrid layer exaggerate transition channels pose"),
    .formula = "(1 − w) first + w second, rotations by slerp; x' = m + k (x − m)",
    .source =
        "Wyvill, tutorial on computer animation and soft objects, 1988 (hybrid); Parent, Computer Animation, 1.2.6",
    .help = N_ (
        "Mixes two motions channel by channel with a weight that can change over time, such as a simulated one and a scripted one, and exaggerates the result."));
