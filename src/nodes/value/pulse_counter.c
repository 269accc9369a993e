/* value/pulse_counter: a tape that is found again by counting pulses, some of which are missed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-random.h"

/* Most pulses that are counted. */
#define MOST_PULSES 10000000

typedef struct {
  double frame;
  double from;
  double loss;
  int64_t seed;
  int64_t counted;
  int64_t lost;
  double found;
} PulseCounter;

static bool
pulse_counter_evaluate (PulseCounter *n, const KgContext *ctx, GError **error)
{
  const double way = floor (n->frame + 1e-6) - floor (n->from + 1e-6);
  const int64_t pulses = (int64_t) fabs (way), first = (int64_t) floor (fmin (n->frame, n->from) + 1e-6);
  int64_t lost = 0;

  if (fabs (way) > MOST_PULSES) {
    kg_set_error (error, KG_ERROR_LIMIT, "%g pulses lie between frame %g and frame %g: at most %d are counted",
                  fabs (way), n->from, n->frame, MOST_PULSES);
    return false;
  }
  /* A pulse is missed or not wherever one comes from: each has a number of its own. */
  for (int64_t i = 0; i < pulses; i++) {
    if (i % 65536 == 0 && kg_context_is_cancelled (ctx))
      return false;
    lost += kg_random_uniform ((uint64_t) n->seed, (uint64_t) (first + i), 0) < n->loss;
  }
  n->lost = lost;
  n->counted = way < 0 ? lost - pulses : pulses - lost;
  n->found = floor (n->from + 1e-6) + (double) n->counted;
  return true;
}

static const KgSlot pulse_counter_slots[] = {
  KG_INPUT (PulseCounter, frame, NUMBER, .label = N_ ("Frame"), .unit = KG_FRAMES, .driver = KG_DRIVER_FRAME,
            .min = -1e9, .max = 1e9, .soft_min = 1, .soft_max = 240,
            .help = N_ ("Position of the tape. Without a link it is the current frame.")),
  KG_INPUT (PulseCounter, from, NUMBER, .label = N_ ("From"), .unit = KG_FRAMES, .def = 1, .min = -1e9, .max = 1e9,
            .soft_min = 1, .soft_max = 240, .help = N_ ("Frame at which counting began.")),
  KG_INPUT (PulseCounter, loss, NUMBER, .label = N_ ("Loss"), .unit = KG_PERCENT, .def = 0.01, .max = 1,
            .soft_max = 0.1, .help = N_ ("Probability that a pulse of the control track is missed.")),
  KG_INPUT (PulseCounter, seed, INTEGER, .label = N_ ("Seed"), .def = 1, .min = 0, .max = 1000000,
            .help = N_ ("Each number misses different pulses.")),
  KG_OUTPUT (PulseCounter, counted, INTEGER, .label = N_ ("Counted"),
             .help = N_ ("Number of pulses counted; negative when running backwards.")),
  KG_OUTPUT (PulseCounter, lost, INTEGER, .label = N_ ("Lost"), .help = N_ ("Number of pulses that were missed.")),
  KG_OUTPUT (PulseCounter, found, NUMBER, .label = N_ ("Found frame"), .unit = KG_FRAMES,
             .help = N_ ("The frame at which the counter places the tape: compare it with Timecode.")),
};

KG_NODE (
    value, pulse_counter, PulseCounter, .label = N_ ("Pulse Counter"), .version = 1, .since = "0.1",
    .tags = N_ ("control track tape counter editing linear dropout drift"),
    .formula = "counted = Σ over pulses of [u_i ≥ loss]", .source = "Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Counts the pulses of a control track from one frame to another, as tape machines without timecode did. Pulses that are missed add up, so that the machine loses its place; Timecode does not."));
