/* motion/join: one motion goes on into another, with continuous velocities and accelerations.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "motion/joining.h"
#include "motion/missing_channels.h"

#include <math.h>
#include <string.h>

typedef struct {
  const KgMotion *first;
  const KgMotion *second;
  int place;
  double gap;
  double start;
  double end;
  KgMotion *motion;
} Join;

enum { PLACE_AFTER, PLACE_TIMED, N_PLACES };

static const KgChoice join_places[] = {
  [PLACE_AFTER] = { "after", N_ ("After the first") },
  [PLACE_TIMED] = { "timed", N_ ("At its own times") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (join_places, N_PLACES);

/* Samples of channels of rotations. */
#define N_SAMPLES 1024

/* How much later the second motion is played. */
static double
get_shift (const Join *n, const KgChannel *first, const KgChannel *second)
{
  double low, high, from, to;

  kg_channel_get_range (first, &low, &high);
  kg_channel_get_range (second, &from, &to);
  return n->place == PLACE_AFTER ? high + n->gap - from : 0;
}

static KgRotation
get_rotation (const KgChannel *channel, double at)
{
  double q[KG_CHANNEL_MAX_WIDTH];

  kg_channel_evaluate (channel, at, q);
  return (KgRotation){ q[0], q[1], q[2], q[3] };
}

/* Between the end of the one and the start of the other, whichever comes first. */
static KgChannel *
join_rotations (const KgChannel *first, const KgChannel *second, double shift, GError **error)
{
  double low, high, from, to;
  g_autofree double *samples = g_new (double, 4 * N_SAMPLES);

  kg_channel_get_range (first, &low, &high);
  kg_channel_get_range (second, &from, &to);
  from += shift;
  to = fmax (to + shift, high);
  for (guint i = 0; i < N_SAMPLES; i++) {
    const double at = low + (to - low) * i / (N_SAMPLES - 1), a = fmin (from, high), b = fmax (from, high);
    const double w = b > a ? joining_ramp ((at - a) / (b - a)) : at >= b;
    const KgRotation q = kg_rotation_slerp (get_rotation (first, at), get_rotation (second, at - shift), w);

    memcpy (samples + 4 * (gsize) i, (double[]){ q.w, q.x, q.y, q.z }, 4 * sizeof *samples);
  }
  return kg_channel_new_samples (4, true, low, to > low ? (N_SAMPLES - 1) / (to - low) : 1, samples,
                                 to > low ? N_SAMPLES : 1, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
}

static KgChannel *
join_numbers (const KgChannel *first, const KgChannel *second, double shift, GError **error)
{
  const guint width = kg_channel_get_width (first);
  Pieces *joined[KG_CHANNEL_MAX_WIDTH] = { NULL };
  KgChannel *channel = NULL;
  bool done = true;

  for (guint c = 0; done && c < width; c++) {
    g_autoptr (Pieces) a = pieces_new_channel (first, c, error);
    g_autoptr (Pieces) b = a != NULL ? pieces_new_channel (second, c, error) : NULL;

    if (b != NULL) {
      pieces_set_range (b, b->breaks[0] + shift, b->breaks[b->n] + shift);
      joined[c] = joining_join (a, b, error);
    }
    done = joined[c] != NULL;
  }
  if (done)
    channel = joining_new_channel (joined, width, error);
  for (guint c = 0; c < width; c++)
    g_clear_pointer (&joined[c], pieces_free);
  return channel;
}

/* There is nothing to join. */
static void
join_keep_second (Join *n)
{
  n->motion = kg_motion_ref (n->second);
  for (guint i = 0; i < kg_motion_get_n_channels (n->motion); i++) {
    double low, high;

    kg_channel_get_range (kg_motion_get_channel (n->motion, i), &low, &high);
    n->start = i == 0 ? low : fmin (n->start, low);
    n->end = i == 0 ? high : fmax (n->end, high);
  }
}

/* Channels of the second motion that the first one has not. */
static guint
join_count_left (const Join *n)
{
  const guint count = n->second != NULL ? kg_motion_get_n_channels (n->second) : 0;
  guint left = 0;

  if (count == 1 && kg_motion_get_n_channels (n->first) == 1)
    return 0;
  for (guint i = 0; i < count; i++)
    left += kg_motion_find (n->first, kg_motion_get_name (n->second, i)) == NULL;
  return left;
}

static bool
join_evaluate (Join *n, const KgContext *ctx, GError **error)
{
  const guint count = n->first != NULL ? kg_motion_get_n_channels (n->first) : 0;
  guint lonely = 0, left;

  if (count == 0 && n->second != NULL) {
    join_keep_second (n);
    return true;
  }
  left = join_count_left (n);
  n->motion = kg_motion_new ();
  for (guint i = 0; i < count; i++) {
    const char *name = kg_motion_get_name (n->first, i);
    const KgChannel *first = kg_motion_get_channel (n->first, i);
    const KgChannel *second = n->second != NULL ? kg_motion_find (n->second, name) : NULL;
    KgChannel *channel;
    double low, high;

    if (kg_context_is_cancelled (ctx))
      return false;
    /* Two motions of one channel belong together, whatever they are called. */
    if (second == NULL && n->second != NULL && count == 1 && kg_motion_get_n_channels (n->second) == 1)
      second = kg_motion_get_channel (n->second, 0);
    if (second == NULL || kg_channel_get_width (first) != kg_channel_get_width (second) ||
        kg_channel_is_rotation (first) != kg_channel_is_rotation (second)) {
      lonely += n->second != NULL;
      channel = kg_channel_ref (first);
    } else if (kg_channel_is_rotation (first))
      channel = join_rotations (first, second, get_shift (n, first, second), error);
    else
      channel = join_numbers (first, second, get_shift (n, first, second), error);
    if (channel == NULL) {
      g_prefix_error (error, "channel \"%s\": ", name);
      return false;
    }
    kg_channel_get_range (channel, &low, &high);
    n->start = i == 0 ? low : fmin (n->start, low);
    n->end = i == 0 ? high : fmax (n->end, high);
    kg_motion_take_channel (n->motion, name, channel);
  }
  if (left > 0)
    kg_context_warn_plural (
        ctx, left, "%u channel of the second motion has no counterpart in the first: it is left out",
        "%u channels of the second motion have no counterpart in the first: they are left out", left);
  missing_channels_warn_lonely (ctx, lonely);
  return true;
}

static const KgSlot join_slots[] = {
  KG_INPUT (Join, first, MOTION, .optional = true, .label = N_ ("First"), .help = N_ ("The first motion.")),
  KG_INPUT (Join, second, MOTION, .optional = true, .label = N_ ("Second"),
            .help = N_ ("The second motion; channels are matched by their names.")),
  KG_INPUT (Join, place, CHOICE, .label = N_ ("Second starts"), .choices = join_places,
            .help = N_ ("When the second motion is played.")),
  KG_INPUT (
      Join, gap, NUMBER, .label = N_ ("Gap"), .unit = KG_SECONDS, .def = 0.5, .soft_min = -2, .soft_max = 2,
      .shown_when = "place=after",
      .help = N_ (
          "Time from the end of the first to the start of the second. It is filled by a movement that has the velocities and accelerations of both; where it is negative the two overlap and are mixed.")),
  KG_OUTPUT (Join, motion, MOTION, .label = N_ ("Motion"), .help = N_ ("Both motions, one after the other.")),
  KG_OUTPUT (Join, start, NUMBER, .label = N_ ("Start"), .unit = KG_SECONDS, .help = N_ ("When the motion starts.")),
  KG_OUTPUT (Join, end, NUMBER, .label = N_ ("End"), .unit = KG_SECONDS, .help = N_ ("When it ends.")),
};

KG_NODE (
    motion, join, Join, .label = N_ ("Join Motions"), .version = 1, .since = "0.1",
    .tags = N_ ("phrase transition append sequence concatenate overlap blend clip"),
    .formula = "overlap of length h: (1 − w) first + w second, w = 10u³ − 15u⁴ + 6u⁵, u = (t − start of the second)/h\n"
               "gap: the quintic with the values, velocities and accelerations at both of its ends",
    .source = "Steketee and Badler, Parametric Keyframe Interpolation Incorporating Kinetic Adjustment and Phrasing "
              "Control, 1985",
    .help = N_ (
        "Plays one motion after another without a jump in value, velocity or acceleration: mixes them where they overlap and fills the gap where they do not."));
