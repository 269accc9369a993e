/* graph/time_shift: a value as it is at another time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  int mode;
  double offset;
  double frame;
  double speed;
  KgValue value;
  KgValue shifted;
} TimeShift;

enum { TIME_SHIFT_OFFSET, TIME_SHIFT_SPEED, TIME_SHIFT_FRAME, N_MODES };

static const KgChoice time_shift_modes[] = {
  [TIME_SHIFT_OFFSET] = { "offset", N_ ("By an offset") },
  [TIME_SHIFT_SPEED] = { "speed", N_ ("By a speed") },
  [TIME_SHIFT_FRAME] = { "frame", N_ ("To a frame") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (time_shift_modes, N_MODES);

static bool
time_shift_demand (const TimeShift *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  double time = (n->frame - ctx->start) / ctx->rate;

  (void) error;
  if (n->mode == TIME_SHIFT_OFFSET)
    time = ctx->time + n->offset / ctx->rate;
  else if (n->mode == TIME_SHIFT_SPEED)
    time = ctx->time * n->speed;
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
            .help = N_ ("Earlier or later by an offset, faster or slower by a speed, or the value at one frame (key "
                        "the frame to retime freely).")),
  KG_INPUT (TimeShift, offset, NUMBER, .label = N_ ("Offset"), .early = true, .unit = KG_FRAMES, .soft_min = -48,
            .soft_max = 48, .help = N_ ("Frames added to the current one: -5 shows the value of 5 frames ago.")),
  KG_INPUT (TimeShift, speed, NUMBER, .label = N_ ("Speed"), .early = true, .def = 1, .soft_min = 0, .soft_max = 4,
            .help = N_ ("2 runs twice as fast, counted from the first frame; -1 runs backwards.")),
  KG_INPUT (TimeShift, frame, NUMBER, .label = N_ ("Frame"), .early = true, .unit = KG_FRAMES, .def = 1, .soft_min = 1,
            .soft_max = 240, .help = N_ ("Frame whose value is shown.")),
  KG_OUTPUT (TimeShift, shifted, ANY, .label = N_ ("Shifted"), .like = "value",
             .help = N_ ("Value at the other time.")),
};

KG_NODE_WITH_DEMAND (
    graph, time_shift, TimeShift, .label = N_ ("Time Shift"), .version = 1, .since = "0.1",
    .tags = N_ ("delay offset timeoffset retime freeze hold speed slow motion"),
    .help = N_ (
        "Shows a value as it is at another time: later, earlier, faster, or frozen. Everything upstream of it is evaluated for that time."));
