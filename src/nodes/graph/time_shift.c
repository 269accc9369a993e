/* graph/time_shift: a value as it is at another time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

#include <math.h>

/* Of a cycle: what rounding may lack of a whole one, so that the frame at which a cycle begins belongs to it. */
#define CYCLE_GUARD 1e-9

typedef struct {
  int mode;
  double offset;
  double frame;
  double speed;
  double first;
  double length;
  KgValue value;
  KgValue shifted;
} TimeShift;

enum { TIME_SHIFT_OFFSET, TIME_SHIFT_SPEED, TIME_SHIFT_FRAME, TIME_SHIFT_CYCLE, N_MODES };

static const KgChoice time_shift_modes[] = {
  [TIME_SHIFT_OFFSET] = { "offset", N_ ("By an offset") },
  [TIME_SHIFT_SPEED] = { "speed", N_ ("By a speed") },
  [TIME_SHIFT_FRAME] = { "frame", N_ ("To a frame") },
  [TIME_SHIFT_CYCLE] = { "cycle", N_ ("Repeat") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (time_shift_modes, N_MODES);

/* The frame of the first cycle that is at the same place in it; frames before the first are in earlier ones. */
static double
time_shift_fold (const TimeShift *n, double frame)
{
  const double cycle = floor ((frame - n->first) / n->length + CYCLE_GUARD);

  return fmax (frame - cycle * n->length, n->first);
}

static bool
time_shift_demand (const TimeShift *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  double time = (n->frame - ctx->start) / ctx->rate;

  (void) error;
  if (n->mode == TIME_SHIFT_OFFSET)
    time = ctx->time + n->offset / ctx->rate;
  else if (n->mode == TIME_SHIFT_SPEED)
    time = ctx->time * n->speed;
  else if (n->mode == TIME_SHIFT_CYCLE)
    time = (time_shift_fold (n, ctx->frame) - ctx->start) / ctx->rate;
  kg_demand_at (demand, offsetof (TimeShift, value), time);
  return true;
}

static bool
time_shift_evaluate (TimeShift *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->shifted = kg_value_copy (&n->value);
  return true;
}

static const KgSlot time_shift_slots[] = {
  KG_INPUT (TimeShift, value, ANY, .label = N_ ("Value"), .help = N_ ("Value to read at another time.")),
  KG_INPUT (TimeShift, mode, CHOICE, .label = N_ ("Mode"), .early = true, .choices = time_shift_modes,
            .help = N_ (
                "Earlier or later by an offset, faster or slower by a speed, the value at one frame (key the frame to "
                "retime freely), or the same frames repeatedly, as a walk repeats its step.")),
  KG_INPUT (TimeShift, offset, NUMBER, .label = N_ ("Offset"), .early = true, .unit = KG_FRAMES, .soft_min = -48,
            .soft_max = 48, .help = N_ ("Frames added to the current one: -5 shows the value of 5 frames ago.")),
  KG_INPUT (TimeShift, speed, NUMBER, .label = N_ ("Speed"), .early = true, .def = 1, .soft_min = 0, .soft_max = 4,
            .help = N_ ("2 runs twice as fast, counted from the first frame; -1 runs backwards.")),
  KG_INPUT (TimeShift, frame, NUMBER, .label = N_ ("Frame"), .early = true, .unit = KG_FRAMES, .def = 1, .soft_min = 1,
            .soft_max = 240, .help = N_ ("Frame whose value is shown.")),
  KG_INPUT (TimeShift, first, NUMBER, .label = N_ ("First frame"), .early = true, .unit = KG_FRAMES, .def = 1,
            .soft_min = 1, .soft_max = 240, .shown_when = "mode=cycle",
            .help = N_ ("First of the repeated frames. They are repeated before it as well.")),
  KG_INPUT (TimeShift, length, NUMBER, .label = N_ ("Length"), .early = true, .unit = KG_FRAMES, .def = 24,
            .min = 0.001, .max = 1e9, .soft_min = 1, .soft_max = 240, .shown_when = "mode=cycle",
            .help = N_ ("How many frames are repeated; this may be a fraction, such as 12.5. Movement is smooth if the "
                        "frame after the last one looks like the first.")),
  KG_OUTPUT (TimeShift, shifted, ANY, .label = N_ ("Shifted"), .like = "value",
             .help = N_ ("Value at the other time.")),
};

KG_NODE_WITH_DEMAND (
    graph, time_shift, TimeShift, .label = N_ ("Time Shift"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ ("delay offset timeoffset retime freeze hold speed slow motion cycle loop repeat"),
    .help = N_ (
        "Shows a value as it is at another time: later, earlier, faster, frozen, or repeated. Everything upstream is "
        "evaluated for that time."),
    .formula = "cycle: n = ⌊(f − first)/length⌋, value(f) = value(f − n length)");
