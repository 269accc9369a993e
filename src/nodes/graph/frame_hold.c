/* graph/frame_hold: a value that changes only every few frames, or not at all.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgValue value;
  int64_t every;
  double first;
  KgValue held;
} FrameHold;

static bool
frame_hold_demand (const FrameHold *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  double frame = n->first;

  (void) error;
  /* Floor, also before the first frame: frame -1 on twos belongs to frame -2. */
  if (n->every > 0)
    frame += floor ((ctx->frame - n->first) / (double) n->every + 1e-9) * (double) n->every;
  kg_demand_at (demand, offsetof (FrameHold, value), (frame - ctx->start) / ctx->rate);
  return true;
}

static bool
frame_hold_evaluate (FrameHold *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->held = kg_value_copy (&n->value);
  return true;
}

static const KgSlot frame_hold_slots[] = {
  KG_INPUT (FrameHold, value, ANY, .label = N_ ("Value"), .help = N_ ("The image, geometry or other value to hold.")),
  KG_INPUT (FrameHold, every, INTEGER, .label = N_ ("Hold"), .unit = KG_FRAMES, .early = true, .def = 2, .min = 0,
            .max = 100000, .soft_max = 12,
            .help = N_ ("How many frames each value is held: 2 animates on twos, 1 changes nothing, 0 holds the first "
                        "frame for ever.")),
  KG_INPUT (FrameHold, first, NUMBER, .label = N_ ("First frame"), .unit = KG_FRAMES, .early = true, .def = 1,
            .min = -1e6, .max = 1e6, .soft_min = 0, .soft_max = 240,
            .help = N_ ("A frame at which the value changes, or the frame that is held for ever.")),
  KG_OUTPUT (FrameHold, held, ANY, .label = N_ ("Held"), .like = "value", .help = N_ ("The held value.")),
};

KG_NODE_WITH_DEMAND (
    graph, frame_hold, FrameHold, .label = N_ ("Frame Hold"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ ("freeze still twos threes stepped stop motion sampling rate repeat jerky image"),
    .formula = "held(f) = value(f₀ + n ⌊(f − f₀) / n⌋)",
    .help = N_ (
        "Holds each value for several frames, as animation on twos does, or freezes one frame. Everything upstream is evaluated only at the frames that are shown."));
