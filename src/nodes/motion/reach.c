/* motion/reach: a hand moves to a thing, arrives with its velocity, and goes on with it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgTransform start;
  KgTransform goal;
  double at;
  double duration;
  double base;
  double per_bit;
  double width;
  double approach;
  KgVector axis;
  KgTransform hand;
  KgVector position;
  KgRotation rotation;
  double share;
  bool arrived;
  double begins;
  double seconds;
} Reach;

/* The goal is looked at now and at the arrival. */
enum { GOAL_NOW, GOAL_AT_ARRIVAL };

static double
reach_get_arrival (const Reach *n, const KgContext *ctx)
{
  return (n->at - ctx->start) / ctx->rate;
}

static bool
reach_demand (const Reach *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  kg_demand_at (demand, offsetof (Reach, goal), ctx->time);
  kg_demand_at (demand, offsetof (Reach, goal), reach_get_arrival (n, ctx));
  return true;
}

static bool
reach_evaluate (Reach *n, const KgContext *ctx, GError **error)
{
  const KgTransform goal = *kg_context_get_sample (ctx, offsetof (Reach, goal), GOAL_NOW)->transform;
  const KgTransform last = *kg_context_get_sample (ctx, offsetof (Reach, goal), GOAL_AT_ARRIVAL)->transform;
  const KgVector from = kg_transform_get_place (&n->start), to = kg_transform_get_place (&goal);
  const KgRotation turned = kg_rotation_from_transform (goal);
  const double arrival = reach_get_arrival (n, ctx), way = kg_vector_distance (from, kg_transform_get_place (&last));
  double u, bow;

  (void) error;
  n->seconds = n->duration > 0 ? n->duration : n->base + n->per_bit * log2 (1 + way / n->width);
  n->begins = n->at - n->seconds * ctx->rate;
  n->arrived = ctx->time >= arrival;
  u = n->seconds > 0 && !n->arrived ? kg_clamp (1 + (ctx->time - arrival) / n->seconds, 0, 1) : n->arrived;
  n->share = kg_fade (u);
  /* It fades more slowly than what is left of the way, (1 − u)² against (1 − u)³, so that the end is along the axis. */
  bow = 16 * u * u * (1 - u) * (1 - u) * n->approach;
  n->position =
      kg_vector_add_scaled (kg_vector_lerp (from, to, n->share), bow,
                            kg_rotation_apply (turned, kg_vector_normalize_or (n->axis, kg_vector (0, 0, 0))));
  n->rotation = kg_rotation_slerp (kg_rotation_from_transform (n->start), turned, n->share);
  n->hand = kg_transform_from_parts (n->position, n->rotation, kg_vector (1, 1, 1));
  return true;
}

static const KgSlot reach_slots[] = {
  KG_INPUT (
      Reach, start, TRANSFORM, .label = N_ ("Start"),
      .help = N_ ("Where the hand rests before it moves. Of this and the goal, only position and rotation are used.")),
  KG_INPUT (Reach, goal, TRANSFORM, .label = N_ ("Goal"),
            .help = N_ ("Where the hand should hold the object: its handle. It may move.")),
  KG_INPUT (Reach, at, NUMBER, .early = true, .label = N_ ("Arrival"), .unit = KG_FRAMES, .def = 25, .min = -1e7,
            .max = 1e7, .soft_min = 1, .soft_max = 240, .help = N_ ("Frame at which the hand is at the goal.")),
  KG_INPUT (Reach, duration, NUMBER, .label = N_ ("Duration"), .unit = KG_SECONDS, .min = 0, .max = 1e6, .soft_max = 4,
            .help = N_ ("How long it takes. 0: as long as people need, by the distance and the width of the goal.")),
  KG_INPUT (Reach, base, NUMBER, .shown_when = "duration=0", .label = N_ ("Least time"), .unit = KG_SECONDS, .def = 0.1,
            .min = 0, .max = 1000, .soft_max = 1, .help = N_ ("Time that a movement over no distance would take.")),
  KG_INPUT (Reach, per_bit, NUMBER, .shown_when = "duration=0", .label = N_ ("Time to aim"), .unit = KG_SECONDS,
            .def = 0.15, .min = 0, .max = 1000, .soft_max = 1,
            .help = N_ ("Time for each doubling of the distance measured in widths of the goal.")),
  KG_INPUT (Reach, width, NUMBER, .shown_when = "duration=0", .label = N_ ("Width of the goal"), .unit = KG_METRES,
            .def = 0.05, .min = 1e-6, .max = 1e6, .soft_max = 1,
            .help = N_ ("How precisely the hand must aim: smaller goals take longer.")),
  KG_INPUT (
      Reach, approach, NUMBER, .label = N_ ("Approach"), .unit = KG_METRES, .def = 0.1, .min = 0, .max = 1e6,
      .soft_max = 0.5,
      .help =
          N_ ("How far the path bends towards the axis, so that the hand arrives along it. 0: straight to the goal.")),
  KG_INPUT (
      Reach, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 0, 1 },
      .help = N_ ("Side of the goal, in its own coordinates, from which the hand comes. Its length has no effect.")),
  KG_OUTPUT (Reach, hand, TRANSFORM, .label = N_ ("Hand"),
             .help = N_ ("Goal for inverse kinematics, or owner of what the hand holds.")),
  KG_OUTPUT (Reach, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
             .help = N_ ("Position of the hand.")),
  KG_OUTPUT (Reach, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Rotation of the hand.")),
  KG_OUTPUT (Reach, share, NUMBER, .label = N_ ("Share"),
             .help = N_ ("Share of the movement that is complete: 0 at rest, 1 after the arrival.")),
  KG_OUTPUT (Reach, arrived, BOOLEAN, .label = N_ ("Arrived"), .help = N_ ("Whether the hand is at the goal.")),
  KG_OUTPUT (Reach, begins, NUMBER, .label = N_ ("Begins"), .unit = KG_FRAMES,
             .help = N_ ("Frame at which the hand starts to move.")),
  KG_OUTPUT (Reach, seconds, NUMBER, .label = N_ ("Seconds"), .unit = KG_SECONDS, .help = N_ ("How long it takes.")),
};

KG_NODE_WITH_DEMAND (
    motion, reach, Reach, .label = N_ ("Reach"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("hand grasp grab cup handle goal directed minimum jerk Fitts pick up"),
    .formula = "P(t) = (1 - s) P₀ + s H(t) + 16 u² (1 - u)² approach · axis, s = 10u³ - 15u⁴ + 6u⁵, u = (t - t₀)/T\n"
               "Fitts: T = a + b log₂(1 + distance/width)",
    .source =
        "Wyvill, tutorial on computer animation and soft objects, 1988: goal-directed motion; Flash and Hogan, The "
        "Coordination of Arm Movements, 1985; Fitts 1954, in the form of MacKenzie 1992",
    .help = N_ (
        "Moves a hand to an object as people do: it starts at rest, is fastest half way, and arrives with the "
        "position, the rotation and the velocity of the object, even if that moves. From then on it moves with the "
        "object. Link Hand to Inverse Kinematics, and make it the owner of the object with Parent to pick it up."));
