/* motion/law: motions of physics in closed form.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/vectors.h"
#include "kg-node.h"
#include "motion/law.h"

typedef struct {
  int law;
  double time;
  KgVector start;
  int aim;
  KgVector velocity;
  KgVector target;
  double arrival;
  double speed;
  KgVector acceleration;
  double mass;
  KgVector center;
  KgVector axis;
  double angular_speed;
  double strength;
  double stiffness;
  double damping;
  double body_radius;
  double viscosity;
  double fluid_density;
  KgVector normal;
  double static_friction;
  double kinetic_friction;
  double drag;
  double restitution;
  double loss;
  double terminal_speed;
  bool extend;
  double duration;
  KgVector place;
  KgVector current_velocity;
  KgVector current_acceleration;
  double current_speed;
  double kinetic;
  double potential;
  double energy;
  double angle;
  double period;
  double event;
  double rest;
  int64_t bounces;
  double terminal;
  double reynolds;
  double pressing;
  double pull;
  KgVector launch;
  KgMotion *motion;
  KgGeometry *path;
} LawNode;

enum { AIM_VELOCITY, AIM_TIME, AIM_LOW, AIM_HIGH, N_AIMS };

static const KgChoice law_kinds[] = {
  [LAW_UNIFORM] = { "uniform", N_ ("Uniform: no force") },
  [LAW_THROW] = { "throw", N_ ("Throw: constant acceleration") },
  [LAW_CIRCLE] = { "circle", N_ ("Circle at a constant speed") },
  [LAW_ORBIT] = { "orbit", N_ ("Orbit around a centre of attraction") },
  [LAW_SPRING] = { "spring", N_ ("Spring, with damping") },
  [LAW_VISCOUS] = { "viscous", N_ ("Fall of a ball in a thick fluid") },
  [LAW_SLOPE] = { "slope", N_ ("Block on a slope, with friction") },
  [LAW_BOUNCE] = { "bounce", N_ ("Ball that bounces on the ground") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (law_kinds, LAW_N);

static const KgChoice law_aims[] = {
  [AIM_VELOCITY] = { "velocity", N_ ("By its velocity") },
  [AIM_TIME] = { "arrival", N_ ("At a target, to arrive at a time") },
  [AIM_LOW] = { "speed-low", N_ ("At a target with a speed, low arc") },
  [AIM_HIGH] = { "speed-high", N_ ("At a target with a speed, high arc") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (law_aims, N_AIMS);

/* The motion as keys with their slopes: exact for throws, to the fourth power of the step for all others. */
#define KEYS 512

static bool
law_make_motion (LawNode *n, const Law *law, GError **error)
{
  g_autofree KgKey *keys = g_new0 (KgKey, KEYS + 1);
  g_autofree uint32_t *vertices = g_new (uint32_t, KEYS + 1);
  const double step = n->duration / KEYS;
  KgChannel *channel;
  float *p;

  n->path = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->path, KEYS + 1, error))
    return false;
  p = kg_geometry_edit_positions (n->path);
  for (uint32_t i = 0; i <= KEYS; i++) {
    LawState state;

    if (!law_get_state (law, i * step, &state, error))
      return false;
    kg_key_init (&keys[i], i * step, 0);
    keys[i].interpolation = KG_INTERPOLATE_BEZIER;
    keys[i].tangents = KG_TANGENT_FREE;
    keys[i].in.reach = keys[i].out.reach = step / 3;
    for (size_t c = 0; c < 3; c++) {
      keys[i].value[c] = kg_vector_get (state.place, c);
      keys[i].out.rise[c] = kg_vector_get (state.velocity, c) * step / 3;
      keys[i].in.rise[c] = -keys[i].out.rise[c];
      p[3 * i + c] = (float) keys[i].value[c];
    }
    vertices[i] = i;
  }
  kg_geometry_add_primitives (n->path, KG_POLYLINE, false, 1, KEYS + 1, vertices);
  channel = kg_channel_new_keys (3, false, keys, KEYS + 1, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
  if (channel == NULL)
    return false;
  n->motion = kg_motion_new_take ("place", channel);
  return true;
}

static bool
law_aim (LawNode *n, Law *law, GError **error)
{
  if (n->aim == AIM_VELOCITY)
    return true;
  if (n->law != LAW_THROW && !(n->aim == AIM_TIME && (n->law == LAW_UNIFORM || n->law == LAW_VISCOUS))) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a motion of the law \"%s\" cannot be aimed this way: choose a throw, or start it by its velocity",
                  law_kinds[n->law].nick);
    return false;
  }
  if (n->aim == AIM_TIME) {
    n->event = n->arrival;
    return law_aim_at_time (law, n->target, n->arrival, &law->velocity, error);
  }
  return law_aim_with_speed (law, n->target, n->speed, n->aim == AIM_HIGH, &law->velocity, &n->event, error);
}

static double
law_get_angle (const LawNode *n, const Law *law, const LawState *state)
{
  const KgVector from = kg_vector_subtract (law->start, law->center);
  const KgVector to = kg_vector_subtract (state->place, law->center);
  double angle = 0;

  if (n->law == LAW_CIRCLE)
    return n->angular_speed * (n->extend ? n->time : fmax (n->time, 0));
  if (n->law != LAW_ORBIT)
    return 0;
  vectors_get_signed_angle (from, to, kg_vector_cross (from, law->velocity), &angle);
  return angle < 0 ? angle + 2 * KG_PI : angle;
}

static void
law_publish (LawNode *n, const Law *law, const LawState *state)
{
  LawFacts facts;

  law_get_facts (law, &facts);
  n->place = state->place;
  n->current_velocity = state->velocity;
  n->current_acceleration = state->acceleration;
  n->current_speed = vectors_get_length (state->velocity);
  n->kinetic = 0.5 * law->mass * n->current_speed * n->current_speed;
  n->potential = state->potential;
  n->energy = n->kinetic + n->potential;
  n->angle = law_get_angle (n, law, state);
  n->period = facts.period;
  if (n->aim == AIM_VELOCITY)
    n->event = facts.event;
  n->rest = facts.rest;
  n->bounces = (int64_t) kg_clamp (state->bounces, -1, 1e15);
  n->terminal = facts.terminal;
  n->reynolds = facts.reynolds;
  n->pressing = facts.pressing;
  n->pull = facts.pull;
  n->launch = law->velocity;
}

static bool
law_evaluate (LawNode *n, const KgContext *ctx, GError **error)
{
  Law law = { .kind = (LawKind) n->law,
              .start = n->start,
              .velocity = n->velocity,
              .acceleration = n->acceleration,
              .mass = n->mass,
              .center = n->center,
              .axis = n->axis,
              .angular_speed = n->angular_speed,
              .strength = n->strength,
              .stiffness = n->stiffness,
              .damping = n->damping,
              .radius = n->body_radius,
              .viscosity = n->viscosity,
              .fluid_density = n->fluid_density,
              .normal = n->normal,
              .static_friction = n->static_friction,
              .kinetic_friction = n->kinetic_friction,
              .drag = n->law == LAW_THROW ? n->drag : 0,
              .restitution = n->restitution,
              .loss = n->loss,
              .terminal_speed = n->law == LAW_BOUNCE ? n->terminal_speed : 0 };
  GError *warning = NULL;
  LawState state;
  const bool good = law_check (&law, &warning, error);

  kg_context_take_warning (ctx, warning);
  if (!good || !law_aim (n, &law, error) ||
      !law_get_state (&law, n->extend ? n->time : fmax (n->time, 0), &state, error))
    return false;
  law_publish (n, &law, &state);
  if (n->law == LAW_VISCOUS && n->reynolds > 1)
    kg_context_warn (ctx, "the Reynolds number is %g, above 1: the drag is larger than this law predicts", n->reynolds);
  return law_make_motion (n, &law, error);
}

static const KgSlot law_slots[] = {
  KG_INPUT (LawNode, law, CHOICE, .label = N_ ("Law"), .choices = law_kinds, .def = LAW_THROW,
            .help = N_ ("The kind of motion.")),
  KG_INPUT (LawNode, time, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_TIME, .unit = KG_SECONDS, .soft_max = 10,
            .help = N_ ("Time since the start of the motion. Without a link it is the current time.")),
  KG_INPUT (LawNode, start, VECTOR, .label = N_ ("Start"), .unit = KG_METRES, .help = N_ ("Where the body starts.")),
  KG_INPUT (LawNode, aim, CHOICE, .label = N_ ("Initial velocity"), .choices = law_aims,
            .shown_when = "law=uniform|throw|viscous", .help = N_ ("How the initial velocity is determined.")),
  KG_INPUT (LawNode, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
            .shown_when = "aim=velocity", .help = N_ ("Velocity at the start. A circle does not use it.")),
  KG_INPUT (LawNode, target, VECTOR, .label = N_ ("Target"), .unit = KG_METRES, .def_v = { 4, 0, 0 },
            .shown_when = "aim=arrival|speed-low|speed-high", .help = N_ ("Where the body should arrive.")),
  KG_INPUT (LawNode, arrival, NUMBER, .label = N_ ("Arrival"), .unit = KG_SECONDS, .def = 1, .soft_min = 0.05,
            .soft_max = 10, .shown_when = "aim=arrival", .help = N_ ("Time of arrival, from the start of the motion.")),
  KG_INPUT (LawNode, speed, NUMBER, .label = N_ ("Speed"), .unit = KG_METRES_PER_SECOND, .def = 8, .soft_max = 50,
            .shown_when = "aim=speed-low|speed-high", .help = N_ ("Speed of the throw.")),
  KG_INPUT (LawNode, acceleration, VECTOR, .label = N_ ("Acceleration"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .shown_when = "law=throw|viscous|slope|bounce",
            .help = N_ ("Acceleration, as by gravity.")),
  KG_INPUT (LawNode, drag, NUMBER, .label = N_ ("Drag"), .min = 0, .max = 1e6, .soft_max = 2, .shown_when = "law=throw",
            .help = N_ ("Share of the velocity that is lost to the air, per second.")),
  KG_INPUT (LawNode, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 0, .max = 1e40,
            .soft_min = 0.001, .soft_max = 100, .help = N_ ("Mass of the body.")),
  KG_INPUT (
      LawNode, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
      .shown_when = "law=circle|orbit|spring|bounce",
      .help = N_ ("Centre of the circle or the attraction, the end of the spring at rest, or a place of the ground.")),
  KG_INPUT (LawNode, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 1, 0 }, .shown_when = "law=circle",
            .help = N_ ("Axis of the circle. The direction of rotation follows the right-hand rule.")),
  KG_INPUT (LawNode, angular_speed, NUMBER, .label = N_ ("Angular speed"), .unit = KG_DEGREES, .def = 90,
            .soft_min = -720, .soft_max = 720, .shown_when = "law=circle", .help = N_ ("Degrees per second.")),
  KG_INPUT (LawNode, strength, NUMBER, .label = N_ ("Strength"), .def = 1, .min = 0, .max = 1e60, .soft_min = 0.01,
            .soft_max = 100, .shown_when = "law=orbit",
            .help = N_ ("Gravitational constant times the mass of the centre, in m³/s²: 3.986e14 for the Earth.")),
  KG_INPUT (LawNode, stiffness, NUMBER, .label = N_ ("Stiffness"), .def = 40, .min = 0, .max = 1e15, .soft_max = 500,
            .shown_when = "law=spring", .help = N_ ("Force per distance, in N/m.")),
  KG_INPUT (LawNode, damping, NUMBER, .label = N_ ("Damping"), .def = 1, .min = 0, .max = 1e15, .soft_max = 50,
            .shown_when = "law=spring",
            .help = N_ ("Force per speed, in kg/s. At 2 √(stiffness × mass) it no longer swings.")),
  KG_INPUT (LawNode, body_radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 0.01, .min = 0, .max = 1e6,
            .soft_max = 0.1, .shown_when = "law=viscous|bounce", .help = N_ ("Radius of the ball.")),
  KG_INPUT (LawNode, viscosity, NUMBER, .label = N_ ("Viscosity"), .def = 1, .min = 0, .max = 1e15, .soft_max = 10,
            .shown_when = "law=viscous",
            .help = N_ ("Viscosity of the fluid, in Pa s: water 0.001, olive oil 0.08, glycerine 1.4, honey 10.")),
  KG_INPUT (LawNode, fluid_density, NUMBER, .label = N_ ("Density of fluid"), .def = 0, .min = 0, .max = 1e6,
            .soft_max = 2000, .shown_when = "law=viscous",
            .help = N_ ("In kg/m³: its buoyancy carries part of the weight. 0 ignores buoyancy.")),
  KG_INPUT (LawNode, normal, VECTOR, .label = N_ ("Normal"), .def_v = { 0, 1, 0 }, .shown_when = "law=slope|bounce",
            .help = N_ ("Direction away from the slope or the ground, perpendicular to it.")),
  KG_INPUT (LawNode, static_friction, NUMBER, .label = N_ ("Static friction"), .def = 0.5, .min = 0, .max = 100,
            .soft_max = 2, .shown_when = "law=slope",
            .help = N_ ("A block at rest stays at rest on slopes up to this tangent.")),
  KG_INPUT (LawNode, kinetic_friction, NUMBER, .label = N_ ("Kinetic friction"), .def = 0.4, .min = 0, .max = 100,
            .soft_max = 2, .shown_when = "law=slope",
            .help = N_ ("Share of the weight on the slope that resists a sliding block.")),
  KG_INPUT (LawNode, restitution, NUMBER, .label = N_ ("Restitution"), .unit = KG_PERCENT, .def = 0.8, .min = 0,
            .max = 1, .shown_when = "law=bounce",
            .help = N_ ("Share of the speed towards the ground that is kept at each bounce.")),
  KG_INPUT (LawNode, loss, NUMBER, .label = N_ ("Loss"), .unit = KG_PERCENT, .min = 0, .max = 1,
            .shown_when = "law=bounce",
            .help = N_ ("Share of the speed along the ground that is lost at each bounce.")),
  KG_INPUT (
      LawNode, terminal_speed, NUMBER, .label = N_ ("Speed in air"), .unit = KG_METRES_PER_SECOND, .min = 0, .max = 1e9,
      .soft_max = 50, .shown_when = "law=bounce",
      .help = N_ (
          "Speed at which the resistance of the air equals the weight, which a fall approaches: a table tennis ball "
          "9, a beach ball 6, a football 30. It also acts along the ground; 0 ignores the air.")),
  KG_INPUT (LawNode, extend, BOOLEAN, .label = N_ ("Before the start"),
            .help = N_ ("Applies the law before time 0 too. Off: the body waits at its start.")),
  KG_INPUT (LawNode, duration, NUMBER, .label = N_ ("Duration"), .unit = KG_SECONDS, .def = 5, .min = 1e-9, .max = 1e12,
            .soft_max = 60, .group = N_ ("Path"), .help = N_ ("Length of the motion and the path.")),
  KG_OUTPUT (LawNode, place, VECTOR, .label = N_ ("Place"), .unit = KG_METRES, .help = N_ ("Where the body is.")),
  KG_OUTPUT (LawNode, current_velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Velocity of the body.")),
  KG_OUTPUT (LawNode, current_acceleration, VECTOR, .label = N_ ("Acceleration"), .unit = KG_METRES_PER_SECOND2,
             .help = N_ ("Acceleration of the body.")),
  KG_OUTPUT (LawNode, current_speed, NUMBER, .label = N_ ("Speed"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Length of the velocity.")),
  KG_OUTPUT (LawNode, kinetic, NUMBER, .label = N_ ("Kinetic energy"), .help = N_ ("In joules.")),
  KG_OUTPUT (
      LawNode, potential, NUMBER, .label = N_ ("Potential energy"),
      .help =
          N_ ("In joules. It is 0 at the origin for weight, far away for an orbit, and at the centre for a spring.")),
  KG_OUTPUT (LawNode, energy, NUMBER, .label = N_ ("Energy"), .help = N_ ("The sum of both.")),
  KG_OUTPUT (LawNode, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle from the start, of a circle or an orbit.")),
  KG_OUTPUT (
      LawNode, period, NUMBER, .label = N_ ("Period"), .unit = KG_SECONDS,
      .help = N_ (
          "Time of one revolution or oscillation; for a throw, until the body is back at its initial height. −1 if there is none.")),
  KG_OUTPUT (
      LawNode, event, NUMBER, .label = N_ ("Event"), .unit = KG_SECONDS,
      .help = N_ (
          "Time at which a throw is highest, an orbit is nearest, a block stops, a ball first lands, or an aimed body "
          "arrives; −1 if never.")),
  KG_OUTPUT (LawNode, rest, NUMBER, .label = N_ ("Rest"), .unit = KG_SECONDS,
             .help = N_ ("Time from which a ball no longer bounces; −1 if never.")),
  KG_OUTPUT (LawNode, bounces, INTEGER, .label = N_ ("Bounces"),
             .help = N_ ("Number of bounces so far; −1 once the ball has come to rest, after infinitely many.")),
  KG_OUTPUT (LawNode, terminal, NUMBER, .label = N_ ("Terminal speed"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Speed that a fall in a fluid or in air approaches.")),
  KG_OUTPUT (LawNode, reynolds, NUMBER, .label = N_ ("Reynolds number"),
             .help = N_ ("Reynolds number at the terminal speed: below 1 the law of the viscous fall holds.")),
  KG_OUTPUT (LawNode, pressing, NUMBER, .label = N_ ("Normal force"),
             .help = N_ ("How strongly a block presses on its slope, in newtons.")),
  KG_OUTPUT (LawNode, pull, NUMBER, .label = N_ ("Downhill force"),
             .help = N_ ("How strongly its weight pulls a block down its slope, in newtons.")),
  KG_OUTPUT (LawNode, launch, VECTOR, .label = N_ ("Launch"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Velocity at the start, as given or as aimed.")),
  KG_OUTPUT (LawNode, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The place over time, from 0 to the duration: a channel of vectors.")),
  KG_OUTPUT (LawNode, path, GEOMETRY, .label = N_ ("Path"), .help = N_ ("Path of the body during that time.")),
};

KG_NODE (
    motion, law, LawNode, .label = N_ ("Law of Motion"), .version = 1, .since = "0.1",
    .tags = N_ (
        "physics throw fall gravity orbit kepler planet spring damping oscillation friction slope viscous stokes aim ballistic bounce ball drag"),
    .formula =
        "throw: p = p₀ + v₀t + ½ g t²; aimed: v₀ = (target − p₀)/T − ½ g T\n"
        "circle: p = c + r cos ωt i + r sin ωt j; orbit: p″ = −GM (p − c)/|p − c|³, period 2π √(a³/GM)\n"
        "spring: m x″ = −k x − d x′; x = e^(−bt/2)(x₀ cos qt + (v₀ + b x₀/2)/q sin qt), b = d/m, q² = k/m − b²/4\n"
        "viscous: v = v∞ + (v₀ − v∞) e^(−t/τ), τ = m/6πRη, v∞ = gτ\n"
        "slope: a = g sin θ − μ g cos θ along the fall line\n"
        "bounce: the k-th flight takes 2 w eᵏ/g, w the speed of the first landing; all of them end after t₁ + 2 w e/(g(1 − e))\n"
        "bounce in air: falling v = v∞ tanh(gt/v∞), rising v = v∞ tan(φ − gt/v∞); 1/w² = 1/u² + 1/v∞² for the speeds u up, w down\n"
        "drag: v = g/c + (v₀ − g/c) e^(−ct)",
    .source = "Parent, Computer Animation, B.6; Bate, Mueller and White, Fundamentals of Astrodynamics, 1971",
    .help = N_ (
        "Moves a body by a law of physics without a simulation: exact at any time, backwards too. Throws can be aimed to reach a target at a given time."));
