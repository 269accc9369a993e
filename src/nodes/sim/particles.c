/* sim/particles: points that are born, fly and die.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-random.h"
#include "sim/particle_flight.h"

#include <inttypes.h>

/* Most particles alive at once. */
#define PARTICLES_MAX 50000000
/* Unless it is chosen otherwise. */
#define PARTICLES_SAFE 1000000

typedef struct {
  const KgGeometry *emitter;
  int shape;
  KgVector position;
  KgVector size;
  double rate;
  double rate_variance;
  int births;
  double speed;
  double speed_variance;
  KgVector direction;
  bool along_normals;
  double spread;
  double inherit;
  double lifetime;
  double lifetime_variance;
  double mass;
  double mass_variance;
  double particle_size;
  double size_variance;
  KgColor color;
  double color_variance;
  double alpha_variance;
  const KgMotion *size_over_age;
  const KgMotion *color_over_age;
  const KgMotion *alpha_over_age;
  KgList forces;
  bool weigh;
  int integrator;
  int64_t substeps;
  bool ground;
  double ground_height;
  double restitution;
  double friction;
  bool ball;
  KgVector ball_center;
  double ball_radius;
  int64_t seed;
  int64_t limit;
  KgGeometry *state;
  KgGeometry *geometry;
  int64_t count;
} Particles;

enum { PARTICLES_POISSON, PARTICLES_REEVES, N_BIRTHS };

static const KgChoice particles_shapes[] = {
  [PARTICLE_FROM_POINT] = { "point", N_ ("A point") },
  [PARTICLE_FROM_POINTS] = { "geometry", N_ ("Points of a geometry") },
  [PARTICLE_FROM_SURFACE] = { "surface", N_ ("Surface of a geometry") },
  [PARTICLE_FROM_BOX] = { "box", N_ ("A box") },
  [PARTICLE_FROM_DISC] = { "disc", N_ ("A disc facing the direction") },
  [PARTICLE_FROM_BALL] = { "sphere", N_ ("A ball") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_shapes, PARTICLE_N_SHAPES);

static const KgChoice particles_births[] = {
  [PARTICLES_POISSON] = { "poisson", N_ ("Random (Poisson)") },
  [PARTICLES_REEVES] = { "reeves", N_ ("Mean and variance (Reeves)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_births, N_BIRTHS);

static const KgChoice particles_integrators[] = {
  [PARTICLE_EULER] = { "euler", N_ ("Semi-implicit Euler") },
  [PARTICLE_RK4] = { "rk4", N_ ("Runge-Kutta, fourth order") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_integrators, PARTICLE_N_INTEGRATORS);

/* What the state remembers beside the particles. */
typedef struct {
  uint64_t next_id, step;
  double left_over; /* part of a particle not born yet, 0..1 */
  KgVector emitter; /* position at the end of the last step */
} Memory;

/* Attributes hold 32 bits: whole numbers go in two parts of 31, the rest of the birth as a binary fraction. */
static void
particles_remember (KgGeometry *state, const Memory *memory)
{
  int32_t *counters = kg_geometry_edit_int (state, KG_WHOLE, "counters", 4);
  float *emitter = kg_geometry_edit_float (state, KG_WHOLE, "emitter", 3);

  counters[0] = (int32_t) (memory->next_id & 0x7fffffff);
  counters[1] = (int32_t) (memory->next_id >> 31);
  counters[2] = (int32_t) memory->step;
  counters[3] = (int32_t) (memory->left_over * 0x1p30);
  for (int c = 0; c < 3; c++)
    emitter[c] = (float) kg_vector_get (memory->emitter, c);
}

static void
particles_recall (const KgGeometry *state, Memory *memory)
{
  const int32_t *counters = kg_geometry_get_int (state, KG_WHOLE, "counters", 4);
  const float *emitter = kg_geometry_get_float (state, KG_WHOLE, "emitter", 3);

  memory->next_id = (uint64_t) counters[0] | (uint64_t) counters[1] << 31;
  memory->step = (uint64_t) counters[2];
  memory->left_over = counters[3] * 0x1p-30;
  memory->emitter = kg_vector ((double) emitter[0], (double) emitter[1], (double) emitter[2]);
}

/* How many are born in a step of dt. */
static uint64_t
particles_draw_births (const Particles *n, Memory *memory, double dt)
{
  const uint64_t seed = (uint64_t) n->seed;
  double wanted = n->rate * dt;

  if (n->births == PARTICLES_POISSON)
    return particle_draw_poisson (seed, memory->step, wanted);
  wanted += kg_random_signed (seed, memory->step, PARTICLE_DRAW_COUNT) * n->rate_variance * dt;
  /* What is left over of a particle is born later: a steady small rate is kept exactly. */
  wanted = fmin (fmax (wanted, 0) + memory->left_over, 1e15);
  /* A hair, so that a birth that is due is not late by a rounding error. */
  wanted += 1e-7;
  memory->left_over = fmax (wanted - floor (wanted) - 1e-7, 0);
  return (uint64_t) wanted;
}

static bool
particles_start (Particles *n, const KgContext *ctx, GError **error)
{
  const Memory memory = { .emitter = n->position };

  (void) ctx;
  n->state = particle_flight_new_state (error);
  if (n->state != NULL)
    particles_remember (n->state, &memory);
  return n->state != NULL;
}

/* Sets up what is born in this step, but for what there is no room or no place for. */
static bool
particles_set_births (const Particles *n, ParticleFlight *f, const KgContext *ctx, Memory *memory, uint64_t room,
                      size_t *count, GError **error)
{
  const uint64_t births = particles_draw_births (n, memory, f->source.dt);
  ParticleSource *source = &f->source;

  *count = 0;
  f->first_id = memory->next_id;
  memory->next_id += births;
  memory->step = (memory->step + 1) & 0x7fffffff;
  memory->emitter = n->position;
  /* A lower limit is meant: "exactly one" is a high rate with the limit 1. */
  if (births > room && n->limit >= PARTICLES_SAFE)
    kg_context_warn (ctx, "more than %" PRId64 " particles: no more are emitted; raise the limit or lower the rate",
                     n->limit);
  if (births == 0 || room == 0)
    return true;
  if (n->shape == PARTICLE_FROM_SURFACE && n->emitter != NULL) {
    const size_t most = particle_source_count_triangles (n->emitter);
    double *areas = (double *) kg_context_scratch (ctx, most * sizeof *areas + 1, error);
    uint32_t *triangles =
        areas == NULL ? NULL : (uint32_t *) kg_context_scratch (ctx, 3 * most * sizeof *triangles + 1, error);

    if (triangles == NULL)
      return false;
    particle_source_set_triangles (source, areas, triangles);
  }
  if (!n->along_normals && !(kg_vector_length (n->direction) > 1e-300))
    kg_context_warn (ctx, "the direction is 0 0 0: particles are emitted upwards; set a direction");
  if (particle_source_is_usable (source))
    *count = (size_t) MIN (births, room);
  else
    kg_context_warn (
        ctx,
        n->shape == PARTICLE_FROM_SURFACE
            ? N_ ("the emitter has no polygons: nothing is emitted; link a geometry with polygons, or emit from a box")
            : N_ ("the emitter has no points: nothing is emitted; link a geometry with points, or emit from a box"));
  return true;
}

static ParticleSource
particles_get_source (const Particles *n, const Memory *memory, double dt)
{
  return (ParticleSource){ .seed = (uint64_t) n->seed,
                           .shape = n->shape,
                           .before = memory->emitter,
                           .now = n->position,
                           .dt = dt,
                           .size = n->size,
                           .direction = kg_vector_normalize_or (n->direction, kg_vector (0, 1, 0)),
                           .along_normals = n->along_normals,
                           .spread = n->spread,
                           .speed = n->speed,
                           .speed_variance = n->speed_variance,
                           .inherit = n->inherit,
                           .geometry = n->emitter };
}

static bool
particles_advance (Particles *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autoptr (KgField) force = NULL;
  g_auto (ParticleFlight) flight = { .n_births = 0 };
  size_t living, births;
  KgGeometry *state;
  Memory memory;

  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if (n->forces.n > 0 && (force = kg_field_new_sum (fields, n->forces.n, error)) == NULL)
    return false;
  particles_recall (n->state, &memory);
  flight = (ParticleFlight){ .traits = { .lifetime = n->lifetime,
                                         .lifetime_variance = n->lifetime_variance,
                                         .mass = n->mass,
                                         .mass_variance = n->mass_variance,
                                         .size = n->particle_size,
                                         .size_variance = n->size_variance,
                                         .color = n->color,
                                         .color_variance = n->color_variance,
                                         .alpha_variance = n->alpha_variance },
                             .source = particles_get_source (n, &memory, dt),
                             .obstacles = { n->ground, n->ball, (double) (float) n->ground_height, n->ball_center,
                                            n->ball_radius, n->restitution, n->friction },
                             .integrator = (ParticleIntegrator) n->integrator,
                             .substeps = n->substeps,
                             .weigh = n->weigh,
                             .force = force,
                             .time = ctx->time - dt };
  if (!particle_flight_init (&flight, n->state, &living, error) ||
      !particles_set_births (n, &flight, ctx, &memory, living < (size_t) n->limit ? (size_t) n->limit - living : 0,
                             &births, error))
    return false;
  state = particle_flight_run (&flight, births, &monitor, error);
  if (state == NULL)
    return false;
  particles_remember (state, &memory);
  kg_geometry_unref (n->state);
  n->state = state;
  return true;
}

/* Size, colour and opacity over the age (0 at birth, 1 at death) on top of what the particle was born with. */
static bool
particles_evaluate (Particles *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state);
  const float *age = kg_geometry_get_float (n->state, KG_POINTS, "age", 1);
  const float *life = kg_geometry_get_float (n->state, KG_POINTS, "life", 1);
  const KgChannel *ramp = n->color_over_age != NULL && kg_motion_get_n_channels (n->color_over_age) > 0
                              ? kg_motion_get_channel (n->color_over_age, 0)
                              : NULL;
  float *width, *color;

  (void) error;
  if (n->emitter != NULL && n->shape != PARTICLE_FROM_POINTS && n->shape != PARTICLE_FROM_SURFACE)
    kg_context_warn (ctx,
                     "a geometry is linked to emitter, which is not used: choose its points or its surface in shape");
  n->geometry = kg_geometry_ref (n->state);
  n->count = (int64_t) count;
  if (n->size_over_age == NULL && ramp == NULL && n->alpha_over_age == NULL)
    return true;
  kg_geometry_make_writable (&n->geometry);
  width = kg_geometry_edit_float (n->geometry, KG_POINTS, "width", 1);
  color = kg_geometry_edit_float (n->geometry, KG_POINTS, "Cd", 4);
#pragma omp parallel for schedule(dynamic, 4096)
  for (size_t i = 0; i < count; i++) {
    const double t = kg_clamp ((double) age[i] / (double) life[i], 0, 1);
    double rgba[KG_CHANNEL_MAX_WIDTH];

    if (n->size_over_age != NULL)
      width[i] *= (float) fmax (0, kg_motion_evaluate (n->size_over_age, t, 1));
    if (ramp != NULL) {
      kg_channel_evaluate (ramp, t, rgba);
      for (guint c = 0; c < kg_channel_get_width (ramp); c++)
        color[4 * i + c] *= (float) rgba[c];
    }
    if (n->alpha_over_age != NULL)
      color[4 * i + 3] *= (float) kg_clamp (kg_motion_evaluate (n->alpha_over_age, t, 1), 0, 1);
  }
  return true;
}

static const KgSlot particles_slots[] = {
  KG_INPUT (Particles, shape, CHOICE, .label = N_ ("Emit from"), .choices = particles_shapes,
            .help = N_ ("Shape in which particles are born.")),
  KG_INPUT (Particles, emitter, GEOMETRY, .shown_when = "shape=geometry|surface", .label = N_ ("Emitter"),
            .optional = true, .help = N_ ("Geometry whose points or surface emit particles.")),
  KG_INPUT (Particles, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
            .help = N_ ("Position of the emitter.")),
  KG_INPUT (Particles, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
            .handle = { KG_HANDLE_SIZE, .anchor = "position" }, .def_v = { 1, 1, 1 },
            .help = N_ ("Size of the box; the first number is the diameter of the disc and the ball.")),
  KG_INPUT (Particles, rate, NUMBER, .label = N_ ("Rate"), .def = 100, .min = 0, .max = 1e9, .soft_max = 10000,
            .help = N_ ("Particles born per second.")),
  KG_INPUT (Particles, births, CHOICE, .label = N_ ("Births"), .choices = particles_births,
            .help = N_ ("How the number of births varies from frame to frame.")),
  KG_INPUT (Particles, rate_variance, NUMBER, .label = N_ ("Rate variance"), .min = 0, .max = 1e9, .soft_max = 1000,
            .help = N_ ("For mean and variance: maximum deviation of the rate to either side.")),
  KG_INPUT (Particles, speed, NUMBER, .label = N_ ("Speed"), .unit = KG_METRES_PER_SECOND, .def = 4, .soft_max = 20,
            .help = N_ ("Value at birth.")),
  KG_INPUT (Particles, speed_variance, NUMBER, .label = N_ ("Speed variance"), .unit = KG_METRES_PER_SECOND, .def = 0.5,
            .min = 0, .max = 1e6, .soft_max = 5, .help = N_ ("Maximum deviation to either side.")),
  KG_INPUT (Particles, direction, VECTOR, .label = N_ ("Direction"), .def_v = { 0, 1, 0 },
            .help = N_ ("Direction of the initial velocity.")),
  KG_INPUT (Particles, along_normals, BOOLEAN, .label = N_ ("Along normals"),
            .help = N_ ("Particles leave a surface, points with N, or a ball outwards instead of in the direction.")),
  KG_INPUT (Particles, spread, NUMBER, .label = N_ ("Spread"), .unit = KG_DEGREES, .def = 15, .min = 0, .max = 180,
            .help = N_ ("How far the direction deviates: 0 is a beam, 180 all directions.")),
  KG_INPUT (
      Particles, inherit, NUMBER, .label = N_ ("Inherit velocity"), .unit = KG_PERCENT, .soft_max = 1,
      .help = N_ (
          "Share of the emitter's own velocity that particles inherit: from its moving position, and from v on its points.")),
  KG_INPUT (Particles, lifetime, NUMBER, .label = N_ ("Lifetime"), .unit = KG_SECONDS, .def = 2, .min = 0, .max = 1e6,
            .soft_max = 10, .help = N_ ("How long particles live.")),
  KG_INPUT (Particles, lifetime_variance, NUMBER, .label = N_ ("Lifetime variance"), .unit = KG_SECONDS, .def = 0.3,
            .min = 0, .max = 1e6, .soft_max = 5, .help = N_ ("Maximum deviation to either side.")),
  KG_INPUT (Particles, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 1e-6, .max = 1e9,
            .soft_max = 10,
            .help = N_ ("Used by forces that are divided by the mass, and by nodes that read the attribute mass.")),
  KG_INPUT (Particles, mass_variance, NUMBER, .label = N_ ("Mass variance"), .unit = KG_KILOGRAMS, .min = 0, .max = 1e9,
            .soft_max = 5, .help = N_ ("Maximum deviation to either side.")),
  KG_INPUT (Particles, particle_size, NUMBER, .label = N_ ("Particle size"), .unit = KG_METRES, .def = 0.05, .min = 0,
            .max = 1e6, .soft_max = 1, .group = N_ ("Appearance"), .help = N_ ("Diameter of a particle.")),
  KG_INPUT (Particles, size_variance, NUMBER, .label = N_ ("Size variance"), .unit = KG_METRES, .def = 0.01, .min = 0,
            .max = 1e6, .soft_max = 1, .group = N_ ("Appearance"), .help = N_ ("Maximum deviation to either side.")),
  KG_INPUT (Particles, color, COLOR, .label = N_ ("Colour"), .def_v = { 1, 1, 1, 1 }, .group = N_ ("Appearance"),
            .help = N_ ("Value at birth.")),
  KG_INPUT (Particles, color_variance, NUMBER, .label = N_ ("Brightness variance"), .min = 0, .max = 1,
            .group = N_ ("Appearance"), .help = N_ ("How much lighter or darker individual particles can be.")),
  KG_INPUT (Particles, alpha_variance, NUMBER, .label = N_ ("Opacity variance"), .min = 0, .max = 1,
            .group = N_ ("Appearance"), .help = N_ ("Maximum deviation of the opacity to either side.")),
  KG_INPUT (Particles, size_over_age, MOTION, .label = N_ ("Size over age"), .optional = true, .def = 1,
            .group = N_ ("Appearance"), .help = N_ ("Multiplies the size; 0 is birth, 1 is death.")),
  KG_INPUT (Particles, color_over_age, MOTION, .label = N_ ("Colour over age"), .optional = true, .def = 1,
            .group = N_ ("Appearance"), .help = N_ ("Multiplies the colour: keys of three or four numbers.")),
  KG_INPUT (Particles, alpha_over_age, MOTION, .label = N_ ("Opacity over age"), .optional = true, .def = 1,
            .group = N_ ("Appearance"), .help = N_ ("Multiplies the opacity.")),
  KG_INPUTS (Particles, forces, FIELD, .label = N_ ("Forces"), .optional = true,
             .help = N_ ("Forces that move the particles.")),
  KG_INPUT (
      Particles, weigh, BOOLEAN, .label = N_ ("Divide by mass"),
      .help = N_ (
          "Divides the forces by the mass, so that light particles are blown further. Otherwise forces are accelerations, like gravity.")),
  KG_INPUT (Particles, integrator, CHOICE, .label = N_ ("Integrator"), .choices = particles_integrators,
            .group = N_ ("Solver"),
            .help = N_ ("Runge-Kutta follows tight curves better and costs four times as much.")),
  KG_INPUT (Particles, substeps, INTEGER, .label = N_ ("Substeps"), .def = 1, .min = 1, .max = 100,
            .group = N_ ("Solver"), .help = N_ ("Number of steps per frame.")),
  KG_INPUT (Particles, ground, BOOLEAN, .label = N_ ("Ground"), .group = N_ ("Collision"),
            .help = N_ ("Particles bounce off a floor.")),
  KG_INPUT (Particles, ground_height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .soft_min = -5, .soft_max = 5,
            .group = N_ ("Collision"), .help = N_ ("Height of the floor.")),
  KG_INPUT (Particles, ball, BOOLEAN, .label = N_ ("Ball"), .group = N_ ("Collision"),
            .help = N_ ("Particles bounce off a ball.")),
  KG_INPUT (Particles, ball_center, VECTOR, .label = N_ ("Ball centre"), .unit = KG_METRES, .group = N_ ("Collision"),
            .help = N_ ("Its position.")),
  KG_INPUT (Particles, ball_radius, NUMBER, .label = N_ ("Ball radius"), .unit = KG_METRES, .def = 1, .min = 0,
            .max = 1e6, .soft_max = 10, .group = N_ ("Collision"), .help = N_ ("Radius of the ball.")),
  KG_INPUT (Particles, restitution, NUMBER, .label = N_ ("Bounce"), .def = 0.5, .min = 0, .max = 1,
            .group = N_ ("Collision"), .help = N_ ("Share of the speed that remains after a bounce.")),
  KG_INPUT (
      Particles, friction, NUMBER, .label = N_ ("Friction"), .def = 0.1, .min = 0, .max = 1e3, .soft_max = 1,
      .group = N_ ("Collision"),
      .help = N_ (
          "0 is ice, 1 is rubber: the share of the push perpendicular to a surface that brakes the motion along it.")),
  KG_INPUT (Particles, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different random result.")),
  KG_INPUT (Particles, limit, INTEGER, .label = N_ ("Limit"), .def = PARTICLES_SAFE, .min = 0, .max = PARTICLES_MAX,
            .soft_max = PARTICLES_SAFE,
            .help = N_ ("Largest number of particles at a time; never more than 50 million.")),
  KG_STATE (Particles, state, GEOMETRY,
            .keeps =
                "points v float 3; points age float 1; points life float 1; points mass float 1; points width float 1; "
                "points Cd float 4; points id int 1; whole counters int 4; whole emitter float 3"),
  KG_OUTPUT (Particles, geometry, GEOMETRY, .label = N_ ("Particles"),
             .help = N_ ("Points with v, age and life in seconds, mass, width, Cd and id.")),
  KG_OUTPUT (Particles, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of living particles.")),
};

KG_SIMULATION (
    sim, particles, Particles, .label = N_ ("Particles"), .version = 1, .since = "0.1",
    .tags = N_ ("emitter spray fountain sparks smoke snow rain dust fire simulation"),
    .help = N_ (
        "Emits particles: sparks, drops, snow, dust. They are born at an emitter, are moved by forces, bounce off a floor and a ball, change size and colour with age, and die."));
