/* sim/follow_spring: a point that follows another by a spring and a damper.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "motion/law.h"

typedef struct {
  KgVector goal;
  int strength;
  double frequency;
  double damping;
  double stiffness;
  double resistance;
  double mass;
  KgVector load;
  double lead;
  double limit;
  bool start_at_goal;
  KgVector start;
  KgVector start_velocity;
  KgVector at;
  KgVector moving;
  KgVector goal_before;
  KgVector value;
  KgVector velocity;
  KgVector lag;
  double distance;
  KgVector force;
} FollowSpring;

enum { STRENGTH_FREQUENCY, STRENGTH_GAINS, N_STRENGTHS };

static const KgChoice follow_spring_strengths[] = {
  [STRENGTH_FREQUENCY] = { "frequency", N_ ("Frequency and damping") },
  [STRENGTH_GAINS] = { "gains", N_ ("Stiffness and resistance: the gains of a controller") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (follow_spring_strengths, N_STRENGTHS);

static LawPull
follow_spring_get_pull (const FollowSpring *n)
{
  const double omega = 2 * KG_PI * n->frequency;
  const bool gains = n->strength == STRENGTH_GAINS;

  return (LawPull){ .mass = n->mass,
                    .stiffness = gains ? n->stiffness : n->mass * omega * omega,
                    .damping = gains ? n->resistance : 2 * n->damping * omega * n->mass,
                    .lead = n->lead,
                    .load = n->load };
}

static bool
follow_spring_start (FollowSpring *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->at = n->start_at_goal ? n->goal : n->start;
  n->moving = n->start_velocity;
  n->goal_before = n->goal;
  return true;
}

/* No farther from the goal than the limit, and not on the way there. */
static void
follow_spring_hold (FollowSpring *n, KgVector goal_velocity)
{
  const KgVector d = kg_vector_subtract (n->at, n->goal), out = kg_vector_normalize_or (d, kg_vector (0, 0, 0));
  const double away = kg_vector_dot (kg_vector_subtract (n->moving, goal_velocity), out);

  if (!(n->limit > 0) || kg_vector_length (d) <= n->limit)
    return;
  n->at = kg_vector_add_scaled (n->goal, n->limit, out);
  n->moving = kg_vector_add_scaled (n->moving, -fmax (away, 0), out);
}

static bool
follow_spring_advance (FollowSpring *n, const KgContext *ctx, double dt, GError **error)
{
  const LawPull pull = follow_spring_get_pull (n);

  law_follow (&pull, n->goal_before, n->goal, dt, &n->at, &n->moving);
  follow_spring_hold (n, kg_vector_scale (kg_vector_subtract (n->goal, n->goal_before), 1 / dt));
  n->goal_before = n->goal;
  if (kg_vector_is_finite (n->at) && kg_vector_is_finite (n->moving))
    return true;
  kg_set_error (error, KG_ERROR_DIVERGED,
                "the follower moves beyond all bounds at frame %g: use a smaller load or goal", ctx->frame);
  return false;
}

static bool
follow_spring_evaluate (FollowSpring *n, const KgContext *ctx, GError **error)
{
  const LawPull pull = follow_spring_get_pull (n);

  (void) ctx;
  (void) error;
  n->value = n->at;
  n->velocity = n->moving;
  n->lag = kg_vector_subtract (n->at, n->goal);
  n->distance = kg_vector_length (n->lag);
  n->force = kg_vector_add_scaled (kg_vector_scale (n->lag, -pull.stiffness), -pull.damping, n->moving);
  return true;
}

static const KgSlot follow_spring_slots[] = {
  KG_INPUT (FollowSpring, goal, VECTOR, .label = N_ ("Goal"), .unit = KG_METRES,
            .help = N_ ("The goal to follow: key it or link it. Angles are followed as well as positions.")),
  KG_INPUT (FollowSpring, strength, CHOICE, .label = N_ ("Given by"), .choices = follow_spring_strengths,
            .help = N_ ("How the spring is described.")),
  KG_INPUT (FollowSpring, frequency, NUMBER, .label = N_ ("Frequency"), .unit = KG_HERTZ, .def = 1, .min = 0.01,
            .max = 100, .soft_max = 6, .shown_when = "strength=frequency",
            .help = N_ ("Swings per second: high is stiff and quick.")),
  KG_INPUT (FollowSpring, damping, NUMBER, .label = N_ ("Damping"), .def = 1, .min = 0, .max = 20, .soft_max = 2,
            .shown_when = "strength=frequency",
            .help = N_ ("0 swings forever, 1 arrives as soon as it can without overshoot, more creeps.")),
  KG_INPUT (FollowSpring, stiffness, NUMBER, .label = N_ ("Stiffness"), .def = 40, .min = 0, .max = 1e15,
            .soft_max = 500, .shown_when = "strength=gains", .help = N_ ("Force per distance from the goal, in N/m.")),
  KG_INPUT (FollowSpring, resistance, NUMBER, .label = N_ ("Resistance"), .def = 12, .min = 0, .max = 1e15,
            .soft_max = 100, .shown_when = "strength=gains", .help = N_ ("Force per speed, in N s/m.")),
  KG_INPUT (FollowSpring, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 1e-9, .max = 1e15,
            .soft_min = 0.1, .soft_max = 10, .help = N_ ("Mass of the follower; for angles its moment of inertia.")),
  KG_INPUT (FollowSpring, load, VECTOR, .label = N_ ("Load"), .soft_min = -20, .soft_max = 20,
            .handle = { KG_HANDLE_NONE },
            .help = N_ ("Additional force on the follower, in newtons, such as its weight.")),
  KG_INPUT (
      FollowSpring, lead, NUMBER, .label = N_ ("Lead"), .unit = KG_PERCENT, .min = 0, .max = 1,
      .help = N_ (
          "Share of the velocity of the goal that is anticipated: 0 lags behind a goal that moves evenly, 1 does not.")),
  KG_INPUT (FollowSpring, limit, NUMBER, .label = N_ ("Limit"), .unit = KG_METRES, .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Largest distance from the goal. 0: no limit.")),
  KG_INPUT (FollowSpring, start_at_goal, BOOLEAN, .label = N_ ("Start at the goal"), .def = 1, .fixed = true,
            .group = N_ ("Start"), .help = N_ ("Whether the follower is at the goal at the first frame.")),
  KG_INPUT (FollowSpring, start, VECTOR, .label = N_ ("Position"), .unit = KG_METRES, .fixed = true,
            .shown_when = "start_at_goal=false", .group = N_ ("Start"),
            .help = N_ ("Position of the follower at the first frame.")),
  KG_INPUT (FollowSpring, start_velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND, .fixed = true,
            .group = N_ ("Start"), .help = N_ ("Velocity of the follower at the first frame.")),
  KG_STATE (FollowSpring, at, VECTOR),
  KG_STATE (FollowSpring, moving, VECTOR),
  KG_STATE (FollowSpring, goal_before, VECTOR),
  KG_OUTPUT (FollowSpring, value, VECTOR, .label = N_ ("Value"), .unit = KG_METRES,
             .help = N_ ("Position of the follower.")),
  KG_OUTPUT (FollowSpring, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Velocity of the follower.")),
  KG_OUTPUT (
      FollowSpring, lag, VECTOR, .label = N_ ("Lag"), .unit = KG_METRES,
      .help = N_ ("Vector from the goal to the follower: link it to the shift of a lattice, or scale it for a shear.")),
  KG_OUTPUT (FollowSpring, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES,
             .help = N_ ("Length of the lag.")),
  KG_OUTPUT (FollowSpring, force, VECTOR, .label = N_ ("Force"),
             .help = N_ ("Force of the spring and the damper on the follower, in newtons, as if the goal stood "
                         "still: the torque of a controller.")),
};

KG_SIMULATION (
    sim, follow_spring, FollowSpring, .label = N_ ("Follow by a Spring"), .version = 1, .since = "0.1",
    .tags = N_ ("lag spring damper follow secondary overshoot settle smooth pd controller servo camera chase"),
    .formula = "m x″ = −k (x − g) − d (x′ − σ g′) + load; k = m (2πf)², d = 4π f ζ m\n"
               "exact in each frame for a goal that moves evenly: any frame rate gives the same motion",
    .source = "Parent, Computer Animation, automatic camera control and proportional derivative controllers",
    .help = N_ (
        "Follows a goal as if tied to it by a spring: lags, overshoots and settles. For a camera behind an actor, for hair and hats, for the needle of a gauge, or as a controller with proportional and derivative gains."));
