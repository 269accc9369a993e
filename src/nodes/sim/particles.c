/* sim/particles: points that are born, fly and die.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "kg-random.h"
#include "sim/particle_death.h"
#include "sim/particle_flight.h"
#include "sim/heap_container.h"
#include "sim/particle_heap.h"
#include "sim/particle_looks.h"
#include "sim/particle_parents.h"
#include "sim/particle_screen.h"

#include <inttypes.h>

/* Most particles alive at once. */
#define PARTICLES_MAX 50000000
/* Unless it is chosen otherwise. */
#define PARTICLES_SAFE 1000000
/* A neck lets balls pass that are smaller than its clearance by this factor. */
#define NECK 1.5

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
  const KgMotion *births_list;
  int64_t event_count;
  int event_of;
  const KgScene *camera;
  int64_t picture_width, picture_height;
  double per_area, per_area_variance;
  double screen_radius;
  bool follow;
  int distribution;
  const KgMotion *distribution_curve;
  double inherit_color, inherit_size;
  KgColor color_spread;
  double spin, spin_variance;
  const char *looks;
  double kill_alpha, kill_distance;
  bool kill_below;
  double kill_height;
  const KgField *kill_inside, *kill_outside;
  const KgGeometry *goal;
  double goal_strength;
  int pairs;
  double pair_stiffness, pair_damping, pair_length, pair_reach;
  int64_t pair_neighbours;
  const KgGeometry *links;
  double link_tear;
  double pair_restitution;
  double heap_step;
  int64_t heap_sweeps;
  double heap_rest;
  int integrator;
  int64_t substeps;
  bool ground;
  double ground_height;
  double restitution;
  double friction;
  KgList colliders;
  KgList collider_fields;
  double thickness;
  int on_hit;
  double stick;
  bool report_hits;
  bool ball;
  KgVector ball_center;
  double ball_radius;
  int64_t seed;
  int64_t limit;
  int full;
  KgGeometry *state;
  KgGeometry *dead, *touched;                   /* of the last step */
  KgGeometry *pushes;                           /* between heaped particles, at its end */
  KgGeometry *emitter_before, *collider_before; /* as they were at its end */
  KgGeometry *geometry;
  int64_t count;
  KgGeometry *died;
  KgGeometry *hits;
} Particles;

enum {
  PARTICLES_POISSON,
  PARTICLES_REEVES,
  PARTICLES_SCREEN,
  PARTICLES_EACH,
  PARTICLES_ONCE,
  PARTICLES_LIST,
  PARTICLES_EVENT,
  N_BIRTHS
};
enum { PARTICLES_ALL, PARTICLES_NEWBORN, N_EVENTS };
enum { PARTICLES_DROP, PARTICLES_REPLACE, N_FULL };

static const KgChoice particles_shapes[] = {
  [PARTICLE_FROM_POINT] = { "point", N_ ("A point") },
  [PARTICLE_FROM_POINTS] = { "geometry", N_ ("Points of a geometry") },
  [PARTICLE_FROM_SURFACE] = { "surface", N_ ("Surface of a geometry") },
  [PARTICLE_FROM_BOX] = { "box", N_ ("A box") },
  [PARTICLE_FROM_DISC] = { "disc", N_ ("A disc facing the direction") },
  [PARTICLE_FROM_BALL] = { "sphere", N_ ("A ball") },
  [PARTICLE_FROM_LINE] = { "line", N_ ("A line along the size") },
  [PARTICLE_FROM_CIRCLE] = { "circle", N_ ("A circle facing the direction") },
  [PARTICLE_FROM_VOLUME] = { "volume", N_ ("Inside of a geometry") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_shapes, PARTICLE_N_SHAPES);

static const KgChoice particles_births[] = {
  [PARTICLES_POISSON] = { "poisson", N_ ("Random (Poisson)") },
  [PARTICLES_REEVES] = { "reeves", N_ ("Mean and variance (Reeves)") },
  [PARTICLES_SCREEN] = { "screen", N_ ("By the size on the screen") },
  [PARTICLES_EACH] = { "each", N_ ("At the rate from each point of the emitter") },
  [PARTICLES_ONCE] = { "once", N_ ("All at the start") },
  [PARTICLES_LIST] = { "list", N_ ("By a list of numbers for each frame") },
  [PARTICLES_EVENT] = { "event", N_ ("A burst from each point of the emitter") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_births, N_BIRTHS);

static const KgChoice particles_integrators[] = {
  [PARTICLE_EULER] = { "euler", N_ ("Semi-implicit Euler") },
  [PARTICLE_RK4] = { "rk4", N_ ("Runge-Kutta, fourth order") },
  [PARTICLE_AVERAGE] = { "average", N_ ("Mean velocity") },
  [PARTICLE_VERLET] = { "verlet", N_ ("Velocity Verlet") },
  [PARTICLE_EXPLICIT] = { "explicit", N_ ("Explicit Euler") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_integrators, PARTICLE_N_INTEGRATORS);

static const KgChoice particles_distributions[] = {
  [PARTICLE_SPREAD_UNIFORM] = { "uniform", N_ ("Uniform") },
  [PARTICLE_SPREAD_GAUSSIAN] = { "gaussian", N_ ("Gaussian") },
  [PARTICLE_SPREAD_TRIANGULAR] = { "triangular", N_ ("Triangular") },
  [PARTICLE_SPREAD_CURVE] = { "curve", N_ ("By a curve") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_distributions, PARTICLE_N_SPREADS);

static const KgChoice particles_events[] = {
  [PARTICLES_ALL] = { "all", N_ ("All points") },
  [PARTICLES_NEWBORN] = { "newborn", N_ ("Particles born in this frame") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_events, N_EVENTS);

static const KgChoice particles_pair_kinds[] = {
  [PARTICLE_PAIRS_NONE] = { "none", N_ ("None") },
  [PARTICLE_PAIRS_SPRING] = { "spring", N_ ("Springs within reach") },
  [PARTICLE_PAIRS_NEAREST] = { "nearest", N_ ("Springs between the nearest") },
  [PARTICLE_PAIRS_LINKS] = { "links", N_ ("Springs along links") },
  [PARTICLE_PAIRS_REPEL] = { "repel", N_ ("Repulsion") },
  [PARTICLE_PAIRS_LAW] = { "law", N_ ("Long attraction, short repulsion") },
  [PARTICLE_PAIRS_GRAVITY] = { "gravity", N_ ("Gravitation") },
  [PARTICLE_PAIRS_COLLIDE] = { "collide", N_ ("Collisions") },
  [PARTICLE_PAIRS_POSITION] = { "position", N_ ("Heaps of balls, displaced without velocities") },
  [PARTICLE_PAIRS_CONTACT] = { "contact", N_ ("Heaps of balls, displaced with velocities") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_pair_kinds, PARTICLE_N_PAIRS);

static const KgChoice particles_answers[] = {
  [PARTICLE_BOUNCE] = { "bounce", N_ ("They bounce") },
  [PARTICLE_DIE] = { "die", N_ ("They die") },
  [PARTICLE_STICK] = { "stick", N_ ("They stick") },
  [PARTICLE_SLIDE] = { "slide", N_ ("They slide") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_answers, PARTICLE_N_ON_HIT);

static const KgChoice particles_full[] = {
  [PARTICLES_DROP] = { "drop", N_ ("No new ones are born") },
  [PARTICLES_REPLACE] = { "replace", N_ ("The oldest die") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (particles_full, N_FULL);

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
  memory->emitter = kg_floats_get_vector (emitter, 0);
}

/* Those that are born from the points of the emitter, one after the other or all of them. */
static bool
particles_have_parents (const Particles *n)
{
  return n->births == PARTICLES_EACH || n->births == PARTICLES_EVENT ||
         (n->births == PARTICLES_ONCE && n->shape == PARTICLE_FROM_POINTS);
}

/* The ball around the place of birth covers this many pixels. */
static double
particles_get_screen_area (const Particles *n, const KgContext *ctx)
{
  KgVector center = n->position, low, high;
  double radius = 0.5 * n->size.x;

  if (n->camera == NULL || kg_scene_get_n_cameras (n->camera) == 0) {
    kg_context_warn (ctx, "there is no camera: nothing is emitted; link a scene with a camera");
    return 0;
  }
  if (n->shape == PARTICLE_FROM_POINT)
    radius = n->screen_radius;
  else if (n->shape == PARTICLE_FROM_BOX || n->shape == PARTICLE_FROM_LINE)
    radius = 0.5 * kg_vector_length (n->size);
  else if (n->emitter != NULL && n->shape != PARTICLE_FROM_DISC && n->shape != PARTICLE_FROM_BALL &&
           n->shape != PARTICLE_FROM_CIRCLE && kg_geometry_get_bounds (n->emitter, &low, &high)) {
    center = kg_vector_add (center, kg_vector_lerp (low, high, 0.5));
    radius = 0.5 * kg_vector_distance (low, high);
  }
  return particle_screen_get_area (kg_scene_get_camera (n->camera, 0), center, radius, (double) n->picture_width,
                                   (double) n->picture_height);
}

/* The whole ones of wanted births; the rest of one is born later: a steady small rate is kept exactly. */
static uint64_t
particles_carry (Memory *memory, double wanted)
{
  wanted = fmin (fmax (wanted, 0) + memory->left_over, 1e15);
  /* A hair, so that a birth that is due is not late by a rounding error. */
  wanted += 1e-7;
  memory->left_over = fmax (wanted - floor (wanted) - 1e-7, 0);
  return (uint64_t) wanted;
}

/* How many are born in a step of dt, unless they have parents. */
static uint64_t
particles_draw_births (const Particles *n, const ParticleSource *source, const KgContext *ctx, Memory *memory,
                       double dt)
{
  const double stray = particle_draw_signed (source, memory->step, PARTICLE_DRAW_COUNT);

  switch (n->births) {
  case PARTICLES_POISSON:
    return particle_draw_poisson (source->seed, memory->step, n->rate * dt);
  case PARTICLES_ONCE:
    return dt > 0 ? 0 : (uint64_t) n->event_count;
  case PARTICLES_SCREEN:
    return particles_carry (memory, (n->per_area + stray * n->per_area_variance) * 0.001 *
                                        particles_get_screen_area (n, ctx) * dt);
  case PARTICLES_LIST:
    if (n->births_list == NULL)
      kg_context_warn (ctx, "there is no list of births: nothing is emitted; link a motion with a value at each frame");
    /* The first frame has no step before it: all of its number are there at once. */
    return n->births_list == NULL ? 0
                                  : particles_carry (memory, kg_motion_evaluate (n->births_list, ctx->frame, 0) *
                                                                 (dt > 0 ? dt * ctx->rate : 1));
  default:
    if (n->rate_variance > n->rate)
      kg_context_warn (ctx,
                       "the variance %g is larger than the rate %g: there are no negative births, so that about %g are "
                       "born per second; lower the variance",
                       n->rate_variance, n->rate,
                       (n->rate + n->rate_variance) * (n->rate + n->rate_variance) / (4 * n->rate_variance));
    return particles_carry (memory, n->rate * dt + stray * n->rate_variance * dt);
  }
}

/* Scratch arrays of what surface and volume need. */
static bool
particles_prepare_source (const Particles *n, ParticleSource *source, const KgContext *ctx, GError **error)
{
  const size_t most =
      source->shape == PARTICLE_FROM_SURFACE && n->emitter != NULL ? particle_source_count_triangles (n->emitter) : 0;
  double *areas;
  uint32_t *triangles;

  if (source->shape != PARTICLE_FROM_SURFACE || n->emitter == NULL)
    return true;
  areas = (double *) kg_context_scratch (ctx, most * sizeof *areas + 1, error);
  triangles = areas == NULL ? NULL : (uint32_t *) kg_context_scratch (ctx, 3 * most * sizeof *triangles + 1, error);
  if (triangles == NULL)
    return false;
  particle_source_set_triangles (source, areas, triangles);
  return true;
}

/* The parts of a step that are released after it. */
typedef struct {
  uint32_t *parents;
  TriangleMesh *volume;
  MeshWinding *winding;
  ParticleMesh *mesh;
} Loans;

static void
loans_clear (Loans *loans)
{
  g_clear_pointer (&loans->parents, g_free);
  g_clear_pointer (&loans->winding, mesh_winding_free);
  g_clear_pointer (&loans->volume, triangle_mesh_free);
  g_clear_pointer (&loans->mesh, particle_mesh_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loans, loans_clear)

/* Lists the parents; as many births at most as there is room for. */
static bool
particles_list_parents (const Particles *n, ParticleFlight *f, Memory *memory, uint64_t most, Loans *loans,
                        uint64_t *listed, uint64_t *total, const KgContext *ctx)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double dt = f->source.dt, stray = particle_draw_signed (&f->source, memory->step, PARTICLE_DRAW_COUNT);
  ParticleParents parents = { .seed = (uint64_t) n->seed,
                              .event = n->births != PARTICLES_EACH,
                              .count = n->births == PARTICLES_ONCE ? (dt > 0 ? 0 : 1) : (uint64_t) n->event_count,
                              .from = memory->left_over,
                              .younger = n->births == PARTICLES_EVENT && n->event_of == PARTICLES_NEWBORN ? dt : 0 };

  *listed = *total = 0;
  parents.till = parents.from + fmin (fmax (0, n->rate + stray * n->rate_variance) * dt, 1e15);
  if (n->births == PARTICLES_EACH)
    memory->left_over = parents.till - floor (parents.till);
  if (n->emitter == NULL) {
    kg_context_warn (ctx, "there is no emitter whose points emit particles: nothing is emitted; link a geometry");
    return true;
  }
  loans->parents = particle_parents_list (&parents, n->emitter, most, listed, total, &monitor);
  f->source.parents = loans->parents;
  return loans->parents != NULL;
}

/* Sets up what is born in this step, but for what there is no room or no place for. */
static bool
particles_set_births (const Particles *n, ParticleFlight *f, const KgContext *ctx, Memory *memory, uint64_t room,
                      Loans *loans, size_t *count, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  ParticleSource *source = &f->source;
  uint64_t births, listed = UINT64_MAX;

  *count = 0;
  if (!particles_have_parents (n))
    births = particles_draw_births (n, source, ctx, memory, source->dt);
  else if (!particles_list_parents (n, f, memory, n->full == PARTICLES_REPLACE ? (uint64_t) n->limit : room, loans,
                                    &listed, &births, ctx))
    return false;
  f->first_id = source->first_id = memory->next_id;
  memory->next_id += births;
  memory->step = (memory->step + 1) & 0x7fffffff;
  memory->emitter = n->position;
  if (n->full == PARTICLES_REPLACE)
    room = (uint64_t) n->limit;
  /* A lower limit is meant: "exactly one" is a high rate with the limit 1. */
  else if (births > room && n->limit >= PARTICLES_SAFE)
    kg_context_warn (ctx, "more than %" PRId64 " particles: no more are emitted; raise the limit or lower the rate",
                     n->limit);
  if (births == 0 || room == 0)
    return true;
  if (n->shape == PARTICLE_FROM_VOLUME && n->emitter != NULL) {
    loans->volume = triangle_mesh_new (n->emitter, &monitor, error);
    if (loans->volume == NULL)
      return false;
    loans->winding = mesh_winding_new (loans->volume);
    source->volume = loans->volume;
    source->winding = loans->winding;
  }
  if (!particles_prepare_source (n, source, ctx, error))
    return false;
  if (!n->along_normals && !(kg_vector_length (n->direction) > 1e-300))
    kg_context_warn (ctx, "the direction is 0 0 0: particles are emitted upwards; set a direction");
  if (particle_source_is_usable (source))
    *count = (size_t) MIN (MIN (births, room), listed);
  else
    kg_context_warn (
        ctx,
        source->shape == PARTICLE_FROM_SURFACE || source->shape == PARTICLE_FROM_VOLUME
            ? N_ ("the emitter has no polygons: nothing is emitted; link a geometry with polygons, or emit from a box")
            : N_ ("the emitter has no points: nothing is emitted; link a geometry with points, or emit from a box"));
  return true;
}

static ParticleSource
particles_get_source (const Particles *n, const Memory *memory, double dt)
{
  const bool moved = n->follow && n->emitter != NULL &&
                     kg_geometry_get_n_points (n->emitter) == kg_geometry_get_n_points (n->emitter_before) &&
                     kg_geometry_same_topology (n->emitter, n->emitter_before);

  return (ParticleSource){ .seed = (uint64_t) n->seed,
                           .shape = particles_have_parents (n) ? PARTICLE_FROM_POINTS : n->shape,
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
                           .distribution = (ParticleSpread) n->distribution,
                           .curve = n->distribution_curve,
                           .previous = moved ? kg_geometry_get_positions (n->emitter_before) : NULL,
                           .geometry = n->emitter };
}

static ParticleTraits
particles_get_traits (const Particles *n)
{
  return (ParticleTraits){ .lifetime = n->lifetime,
                           .lifetime_variance = n->lifetime_variance,
                           .mass = n->mass,
                           .mass_variance = n->mass_variance,
                           .size = n->particle_size,
                           .size_variance = n->size_variance,
                           .color = n->color,
                           .color_variance = n->color_variance,
                           .alpha_variance = n->alpha_variance,
                           .color_spread = n->color_spread,
                           .inherit_color = n->inherit_color,
                           .inherit_size = n->inherit_size };
}

static ParticleObstacles
particles_get_obstacles (const Particles *n)
{
  return (ParticleObstacles){ .ground = n->ground,
                              .ball = n->ball,
                              .height = (double) (float) n->ground_height,
                              .center = n->ball_center,
                              .radius = n->ball_radius,
                              .restitution = n->restitution,
                              .friction = n->friction,
                              .on_hit = (ParticleOnHit) n->on_hit,
                              .stick = n->stick,
                              .thickness = n->thickness,
                              .seed = (uint64_t) n->seed };
}

/* All meshes that particles collide with, as one, in place of those of the step before. */
static bool
particles_set_colliders (Particles *n, ParticleFlight *f, const KgContext *ctx, Loans *loans, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (KgGeometry) now = n->colliders.n > 0 ? kg_geometry_ref (n->colliders.items[0].geometry)
                                                  : kg_geometry_new ();

  if (n->colliders.n > 1)
    kg_geometry_make_writable (&now);
  for (guint i = 1; i < n->colliders.n; i++)
    if (!kg_geometry_append (now, n->colliders.items[i].geometry, error))
      return false;
  if (n->colliders.n > 0) {
    const bool known = kg_geometry_get_n_points (n->collider_before) > 0;

    if (kg_geometry_get_n_primitives (now) == 0)
      kg_context_warn (ctx, "the colliders have no polygons: nothing is hit; link a geometry with polygons");
    loans->mesh = particle_mesh_new (known ? n->collider_before : NULL, now, f->source.dt, &monitor, error);
    if (loans->mesh == NULL)
      return false;
    f->mesh = loans->mesh;
  }
  kg_geometry_unref (n->collider_before);
  n->collider_before = g_steal_pointer (&now);
  return true;
}

/* Pulls to the places of the goal need them in the order of their ids. */
static bool
particles_set_goal (const Particles *n, ParticleFlight *f, const KgContext *ctx)
{
  const size_t count = n->goal != NULL ? kg_geometry_get_n_points (n->goal) : 0;
  const int32_t *ids = count > 0 ? kg_geometry_get_int (n->goal, KG_POINTS, "id", 1) : NULL;

  for (size_t i = 1; ids != NULL && i < count; i++)
    if (ids[i] <= ids[i - 1]) {
      kg_context_warn (
          ctx,
          "the ids of the goal do not increase from point to point: its points are used in their order; remove the "
          "attribute id, or sort them");
      ids = NULL;
    }
  f->goal = (ParticleGoal){ .n = n->goal_strength > 0 ? count : 0,
                            .places = count > 0 ? kg_geometry_get_positions (n->goal) : NULL,
                            .ids = ids,
                            .strength = n->goal_strength };
  return true;
}

/* Fails where a step is too long for springs as stiff as these. */
static bool
particles_check_springs (const Particles *n, double dt, GError **error)
{
  const bool springs = n->pairs == PARTICLE_PAIRS_SPRING || n->pairs == PARTICLE_PAIRS_NEAREST ||
                       n->pairs == PARTICLE_PAIRS_LINKS;
  const double w = sqrt (2 * n->pair_stiffness / fmax (n->mass - n->mass_variance, 1e-6));
  const double needed = ceil (0.5 * w * dt * 1.0001);

  if (!springs || w * dt / (double) n->substeps < 2)
    return true;
  kg_set_error (error, KG_ERROR_DIVERGED,
                "springs of %g N/m between particles of %g kg need at least %g substeps, not %" PRId64
                ": raise the substeps or soften the springs",
                n->pair_stiffness, n->mass, needed, n->substeps);
  return false;
}

static ParticlePairs
particles_get_pairs (const Particles *n)
{
  return (ParticlePairs){ .kind = (ParticlePairKind) n->pairs,
                          .stiffness = n->pair_stiffness,
                          .damping = n->pair_damping,
                          .length = n->pair_length,
                          .reach = n->pair_reach,
                          .neighbours = (size_t) n->pair_neighbours,
                          .restitution = n->pair_restitution,
                          .links = n->links,
                          .tear = n->link_tear,
                          .seed = (uint64_t) n->seed,
                          .step = n->heap_step,
                          .sweeps = (guint) n->heap_sweeps,
                          .rest = n->heap_rest };
}

/* What heaped particles do not do. */
static void
particles_check_heap (const Particles *n, const KgContext *ctx)
{
  if (!(n->particle_size > 0))
    kg_context_warn (ctx, "particles of size 0 do not lie on each other: raise the particle size");
  if (n->on_hit != PARTICLE_BOUNCE || n->report_hits)
    kg_context_warn (
        ctx, "heaped balls do not stick, die or publish hits: set When hit to They bounce, and turn Publish hits "
             "off");
  if (n->pairs == PARTICLE_PAIRS_POSITION && n->forces.n == 0)
    kg_context_warn (ctx,
                     "there is no direction of gravity: heaped balls stay where they are; link gravity to the forces");
}

/* Whether there is a field that says what is inside. */
static bool
particles_is_body (const KgField *field, const KgContext *ctx)
{
  if (field != NULL && kg_field_get_width (field) != 1)
    kg_context_warn (ctx, "a field of %u components has no inside and is ignored: link a scalar field",
                     kg_field_get_width (field));
  return field != NULL && kg_field_get_width (field) == 1;
}

/* Keeps what a step has made: its hits, its dead, and those that live. */
static bool
particles_finish (Particles *n, const KgContext *ctx, const ParticleFlight *f, KgGeometry *state, KgGeometry *replaced,
                  GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ParticleDeaths deaths = { .alpha = n->kill_alpha,
                                  .alpha_over_age = n->alpha_over_age,
                                  .far = n->kill_distance > 0,
                                  .below = n->kill_below,
                                  .distance = n->kill_distance,
                                  .height = n->kill_height,
                                  .center = n->position,
                                  .inside = particles_is_body (n->kill_inside, ctx) ? n->kill_inside : NULL,
                                  .outside = particles_is_body (n->kill_outside, ctx) ? n->kill_outside : NULL };
  g_autoptr (KgGeometry) next = state, expired = particle_flight_get_expired (f, &monitor, error), dead = NULL;
  g_autoptr (KgGeometry) hits = expired != NULL ? particle_flight_get_hits (f, next, error) : NULL;

  if (hits == NULL)
    return false;
  if (n->on_hit == PARTICLE_STICK && f->held != NULL)
    memcpy (kg_geometry_edit_int (next, KG_POINTS, "stuck", 1), f->held,
            kg_geometry_get_n_points (next) * sizeof *f->held);
  else
    kg_geometry_remove_attribute (next, KG_POINTS, "stuck");
  if (replaced != NULL && !kg_geometry_append (expired, replaced, error))
    return false;
  dead = particle_deaths_bury (&deaths, &next, f->held, ctx->time, expired, &monitor, error);
  if (dead == NULL)
    return false;
  kg_geometry_unref (n->state);
  n->state = g_steal_pointer (&next);
  kg_geometry_unref (n->dead);
  n->dead = g_steal_pointer (&dead);
  kg_geometry_unref (n->touched);
  n->touched = g_steal_pointer (&hits);
  return true;
}

static bool
particles_advance (Particles *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (GArray) pushes = NULL;
  ParticlePairs pairs = particles_get_pairs (n);
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autofree const KgField **solids = g_new (const KgField *, MAX (n->collider_fields.n, 1));
  g_autoptr (KgField) force = NULL, resistance = NULL;
  g_autoptr (KgGeometry) replaced = NULL;
  g_auto (Loans) loans = { .mesh = NULL };
  g_auto (ParticleFlight) flight = { .n_births = 0 };
  size_t living, births, crowded = 0;
  guint n_solids = 0, n_resisting = 0;
  KgGeometry *state;
  Memory memory;

  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if (n->forces.n > 0 && (force = kg_field_new_sum (fields, n->forces.n, error)) == NULL)
    return false;
  for (guint i = 0; i < n->forces.n; i++)
    if (kg_field_get_hold (fields[i]) > 0)
      fields[n_resisting++] = fields[i];
  if (n_resisting > 0 && (resistance = kg_field_new_sum (fields, n_resisting, error)) == NULL)
    return false;
  for (guint i = 0; i < n->collider_fields.n; i++)
    if (particles_is_body (n->collider_fields.items[i].field, ctx))
      solids[n_solids++] = n->collider_fields.items[i].field;
  if (!particles_check_springs (n, dt, error))
    return false;
  if (particle_pairs_pile_up (&pairs)) {
    particles_check_heap (n, ctx);
    pairs.pushes = pushes = particle_heap_recall_pushes (n->pushes);
    pairs.crowded = &crowded;
  }
  particles_recall (n->state, &memory);
  flight = (ParticleFlight){ .traits = particles_get_traits (n),
                             .source = particles_get_source (n, &memory, dt),
                             .obstacles = particles_get_obstacles (n),
                             .integrator = (ParticleIntegrator) n->integrator,
                             .substeps = n->substeps,
                             .weigh = n->weigh,
                             .force = force,
                             .resistance = resistance,
                             .hold = resistance != NULL ? kg_field_get_hold (resistance) : 0,
                             .pairs = n->pairs != PARTICLE_PAIRS_NONE ? &pairs : NULL,
                             .solids = solids,
                             .n_solids = n_solids,
                             .report_hits = n->report_hits,
                             .at_once = n->births == PARTICLES_ONCE,
                             .time = ctx->time - dt };
  if (!particles_set_goal (n, &flight, ctx) || !particles_set_colliders (n, &flight, ctx, &loans, error) ||
      !particle_flight_init (&flight, n->state, &living, error) ||
      !particles_set_births (n, &flight, ctx, &memory, living < (size_t) n->limit ? (size_t) n->limit - living : 0,
                             &loans, &births, error))
    return false;
  if (n->full == PARTICLES_REPLACE && living + births > (size_t) n->limit) {
    /* The oldest come first: as many of those that would live on as are too many. */
    replaced = particle_deaths_make_room (&n->state, dt, living + births - (size_t) n->limit);
    particle_flight_clear (&flight);
    if (!particle_flight_init (&flight, n->state, &living, error))
      return false;
  }
  state = particle_flight_run (&flight, births, &monitor, error);
  if (state == NULL)
    return false;
  if (crowded > 0)
    kg_context_warn (ctx,
                     "%zu balls have more than %d contacts, and only the deepest are used: let fewer balls overlap",
                     crowded, HEAP_CONTACTS);
  particles_remember (state, &memory);
  if (!particles_finish (n, ctx, &flight, state, replaced, error))
    return false;
  kg_geometry_unref (n->emitter_before);
  n->emitter_before = n->follow && n->emitter != NULL ? kg_geometry_ref (n->emitter) : kg_geometry_new ();
  if (pushes != NULL) {
    KgGeometry *kept = particle_heap_keep_pushes (pushes, error);

    if (kept == NULL)
      return false;
    kg_geometry_unref (n->pushes);
    n->pushes = kept;
  }
  return true;
}

/* Balls that are poured into a mesh are to be in it. */
static bool
particles_check_container (const Particles *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t count = kg_geometry_get_n_points (n->state);
  g_autoptr (TriangleMesh) mesh = NULL;
  size_t outside;

  if (n->pairs != PARTICLE_PAIRS_POSITION || count == 0 || kg_geometry_get_n_primitives (n->collider_before) == 0)
    return true;
  mesh = triangle_mesh_new (n->collider_before, &monitor, error);
  if (mesh == NULL ||
      !heap_container_count_outside (mesh, kg_geometry_get_positions (n->state), count, &monitor, &outside))
    return false;
  if (outside == 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "%zu of %zu balls are outside the colliders that contain the others: move them inside, or delete them",
                outside, count);
  return false;
}

typedef struct {
  const Particles *n;
  const KgContext *ctx;
  KgVector down;
} Narrowness;

static gpointer
particles_build_neck (gpointer data, size_t *bytes, GError **error)
{
  const Narrowness *narrowness = (const Narrowness *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (narrowness->ctx);
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (narrowness->n->collider_before, &monitor, error);
  g_autofree HeapNeck *neck = g_new0 (HeapNeck, 1);

  *bytes = sizeof *neck;
  if (mesh == NULL || !heap_container_find_neck (mesh, narrowness->down, &monitor, neck))
    return NULL;
  return g_steal_pointer (&neck);
}

/* Says that balls will not pass a neck below them. */
static bool
particles_check_neck (const Particles *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state);
  const float *p = kg_geometry_get_positions (n->state),
              *width = kg_geometry_get_float (n->state, KG_POINTS, "width", 1);
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autoptr (KgField) force = NULL;
  Narrowness narrowness = { n, ctx, { 0, 0, 0 } };
  float at[3], down[3] = { 0, 0, 0 };
  const HeapNeck *neck;
  double widest = 0;
  KgHash key;

  if (n->pairs != PARTICLE_PAIRS_POSITION || count == 0 || n->forces.n == 0 ||
      kg_geometry_get_n_primitives (n->collider_before) == 0)
    return true;
  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  force = kg_field_new_sum (fields, n->forces.n, error);
  if (force == NULL)
    return false;
  if (kg_field_get_width (force) != 3)
    return true;
  memcpy (at, p, sizeof at);
  kg_field_sample_points (force, at, 1, ctx->time, down);
  narrowness.down = kg_vector ((double) down[0], (double) down[1], (double) down[2]);
  {
    const double numbers[] = { narrowness.down.x, narrowness.down.y, narrowness.down.z };

    key = kg_hash_text (kg_geometry_get_fingerprint (n->collider_before), "neck of a heap");
    key = kg_hash_doubles (key, numbers, G_N_ELEMENTS (numbers));
  }
  neck = (const HeapNeck *) kg_context_memo (ctx, key, particles_build_neck, &narrowness, g_free, error);
  if (neck == NULL)
    return false;
  for (size_t i = 0; i < count && neck->is; i++) {
    const KgVector x = { (double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2] };

    if (kg_vector_dot (narrowness.down, kg_vector_subtract (neck->place, x)) > 0)
      widest = fmax (widest, 0.5 * (double) width[i]);
  }
  if (widest > 0 && neck->clearance < NECK * widest)
    kg_context_warn (ctx,
                     "balls with a radius of %g m will not pass the neck at %g %g %g, which has room for one of %g m: "
                     "widen it to more than %g m, or use smaller balls",
                     widest, neck->place.x, neck->place.y, neck->place.z, neck->clearance, NECK * widest);
  return true;
}

static bool
particles_start (Particles *n, const KgContext *ctx, GError **error)
{
  const Memory memory = { .emitter = n->position };

  n->state = particle_flight_new_state (error);
  if (n->state == NULL)
    return false;
  particles_remember (n->state, &memory);
  n->dead = kg_geometry_new ();
  n->touched = kg_geometry_new ();
  n->pushes = kg_geometry_new ();
  n->emitter_before = n->follow && n->emitter != NULL ? kg_geometry_ref (n->emitter) : kg_geometry_new ();
  n->collider_before = kg_geometry_new ();
  /* A step without time, for those that are there from the start. */
  return (n->births != PARTICLES_ONCE && n->births != PARTICLES_LIST) ||
         (particles_advance (n, ctx, 0, error) && particles_check_container (n, ctx, error));
}

/* Size, colour and opacity over the age (0 at birth, 1 at death) on top of what the particle was born with. */
static void
particles_color (Particles *n)
{
  const size_t count = kg_geometry_get_n_points (n->state);
  const float *age = kg_geometry_get_float (n->state, KG_POINTS, "age", 1);
  const float *life = kg_geometry_get_float (n->state, KG_POINTS, "life", 1);
  const KgChannel *ramp = n->color_over_age != NULL && kg_motion_get_n_channels (n->color_over_age) > 0
                              ? kg_motion_get_channel (n->color_over_age, 0)
                              : NULL;
  float *width, *color;

  if (n->size_over_age == NULL && ramp == NULL && n->alpha_over_age == NULL)
    return;
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
}

/* The rotation of each particle: about an axis of its own, at a speed of its own, since its birth.  It follows from its
 * number and its age alone, so that nothing is remembered. */
static void
particles_spin (Particles *n)
{
  const size_t count = kg_geometry_get_n_points (n->state);
  const float *age = kg_geometry_get_float (n->state, KG_POINTS, "age", 1);
  const int32_t *id = kg_geometry_get_int (n->state, KG_POINTS, "id", 1);
  const uint64_t seed = (uint64_t) n->seed;
  float *orient;

  if (n->spin == 0 && n->spin_variance == 0)
    return;
  kg_geometry_make_writable (&n->geometry);
  orient = kg_geometry_edit_float (n->geometry, KG_POINTS, "orient", 4);
#pragma omp parallel for schedule(dynamic, 4096)
  for (size_t i = 0; i < count; i++) {
    const uint64_t own = (uint64_t) (uint32_t) id[i];
    const double rate = n->spin + n->spin_variance * kg_random_signed (seed, own, PARTICLE_DRAW_SPIN);
    const KgRotation start =
        kg_rotation_from_axis_angle (kg_random_direction (seed, own, PARTICLE_DRAW_SPIN + 1),
                                     2 * KG_PI * kg_random_uniform (seed, own, PARTICLE_DRAW_SPIN + 2));
    const KgRotation q = kg_rotation_multiply (
        kg_rotation_from_axis_angle (kg_random_direction (seed, own, PARTICLE_DRAW_SPIN + 3), rate * (double) age[i]),
        start);

    kg_floats_set_rotation (orient, i, q);
  }
}

static bool
particles_look (Particles *n, const KgContext *ctx, GError **error)
{
  const ParticleMoment moment = { ctx->time, ctx->frame, (uint64_t) n->seed };
  g_autoptr (ParticleLooks) looks = NULL;
  size_t bad;

  if (n->looks[0] == '\0')
    return true;
  looks = particle_looks_new (n->looks, error);
  if (looks == NULL)
    return false;
  kg_geometry_make_writable (&n->geometry);
  bad = particle_looks_apply (looks, &moment, n->geometry);
  if (bad > 0)
    kg_context_warn (
        ctx, "the looks are not finite in %zu cases, where the attributes are unchanged: correct the formulas", bad);
  return true;
}

static bool
particles_evaluate (Particles *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state);

  if (n->emitter != NULL && !particles_have_parents (n) && n->births != PARTICLES_SCREEN &&
      n->shape != PARTICLE_FROM_POINTS && n->shape != PARTICLE_FROM_SURFACE && n->shape != PARTICLE_FROM_VOLUME)
    kg_context_warn (ctx, "the emitter has no effect: emit from its points, its surface or its inside");
  n->geometry = kg_geometry_ref (n->state);
  n->count = (int64_t) count;
  n->died = kg_geometry_ref (n->dead);
  n->hits = kg_geometry_ref (n->touched);
  particles_color (n);
  particles_spin (n);
  return particles_check_neck (n, ctx, error) && particles_look (n, ctx, error);
}

static const KgSlot particles_slots[] = {
  KG_INPUT (Particles, shape, CHOICE, .label = N_ ("Emit from"), .choices = particles_shapes,
            .help = N_ ("Shape in which particles are born.")),
  KG_INPUT (
      Particles, emitter, GEOMETRY, .label = N_ ("Emitter"), .optional = true,
      .help = N_ (
          "Geometry whose points, surface or inside emit particles: also the particles, the dead or the hits of another node.")),
  KG_INPUT (Particles, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
            .help = N_ ("Position of the emitter.")),
  KG_INPUT (Particles, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
            .handle = { KG_HANDLE_SIZE, .anchor = "position" }, .def_v = { 1, 1, 1 },
            .help = N_ ("Size of the box; the first number is the diameter of the disc and the ball.")),
  KG_INPUT (Particles, rate, NUMBER, .label = N_ ("Rate"), .def = 100, .min = 0, .max = 1e9, .soft_max = 10000,
            .help = N_ ("Particles born per second.")),
  KG_INPUT (Particles, births, CHOICE, .label = N_ ("Births"), .choices = particles_births,
            .help = N_ ("How the number of births varies from frame to frame. With a rate, particles are born "
                        "during the interval before a frame, so that the first of them appear in the second frame. "
                        "All at the start and a list begin in the first frame.")),
  KG_INPUT (Particles, rate_variance, NUMBER, .label = N_ ("Rate variance"), .min = 0, .max = 1e9, .soft_max = 1000,
            .help = N_ ("For mean and variance: maximum deviation of the rate to either side.")),
  KG_INPUT (Particles, births_list, MOTION, .label = N_ ("List of births"), .optional = true,
            .shown_when = "births=list",
            .help = N_ ("Number of particles born in each frame: a motion with a value at each frame number.")),
  KG_INPUT (
      Particles, event_count, INTEGER, .label = N_ ("Burst"), .def = 10, .min = 0, .max = 1e6, .soft_max = 500,
      .shown_when = "births=event|once",
      .help = N_ (
          "Number of particles that each point of the emitter emits at once, in each frame in which it is there: link the died or hits of another node, whose points are there for one frame. With All at the start, it is the number of particles, unless they start on points: then one starts on each.")),
  KG_INPUT (Particles, event_of, CHOICE, .label = N_ ("Burst from"), .choices = particles_events,
            .shown_when = "births=event", .help = N_ ("Which points of the emitter emit particles.")),
  KG_INPUT (Particles, camera, SCENE, .label = N_ ("Camera"), .optional = true, .shown_when = "births=screen",
            .help = N_ ("Scene with the camera that sees the point of birth.")),
  KG_INPUT (Particles, picture_width, INTEGER, .label = N_ ("Image width"), .unit = KG_PIXELS, .def = 1920, .min = 1,
            .max = 65536, .soft_max = 4096, .shown_when = "births=screen",
            .help = N_ ("Width of the image of that camera.")),
  KG_INPUT (Particles, picture_height, INTEGER, .label = N_ ("Image height"), .unit = KG_PIXELS, .def = 1080, .min = 1,
            .max = 65536, .soft_max = 4096, .shown_when = "births=screen",
            .help = N_ ("Height of the image of that camera.")),
  KG_INPUT (
      Particles, per_area, NUMBER, .label = N_ ("Rate per area"), .def = 10, .min = 0, .max = 1e6, .soft_max = 100,
      .shown_when = "births=screen",
      .help = N_ ("Particles born per second for each 1000 pixels that the ball around the point of birth covers.")),
  KG_INPUT (Particles, per_area_variance, NUMBER, .label = N_ ("Rate per area variance"), .def = 2, .min = 0,
            .max = 1e6, .soft_max = 100, .shown_when = "births=screen",
            .help = N_ ("Maximum deviation to either side.")),
  KG_INPUT (Particles, screen_radius, NUMBER, .label = N_ ("Radius on the screen"), .unit = KG_METRES, .def = 0.5,
            .min = 0, .max = 1e6, .soft_max = 5, .shown_when = "births=screen&shape=point",
            .help = N_ ("Radius of the ball around a point of birth; the size of the ball on the screen is measured.")),
  KG_INPUT (
      Particles, distribution, CHOICE, .label = N_ ("Distribution"), .choices = particles_distributions,
      .help = N_ ("How values at birth are distributed within their variance: Gaussian uses a third of it as standard "
                  "deviation.")),
  KG_INPUT (Particles, distribution_curve, MOTION, .label = N_ ("Distribution curve"), .optional = true,
            .shown_when = "distribution=curve",
            .help = N_ ("Deviation, from -1 to 1, as a function of the share of particles, from 0 to 1, that "
                        "deviate by less.")),
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
  KG_INPUT (
      Particles, follow, BOOLEAN, .label = N_ ("Follow motion"),
      .help =
          N_ ("Particles leave a moving emitter where it is at the moment of their birth, and inherit its velocity at "
              "that moment. Otherwise they leave it where it is at the end of the frame.")),
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
  KG_INPUT (Particles, color_spread, COLOR, .label = N_ ("Colour spread"), .group = N_ ("Appearance"),
            .help = N_ ("How far each channel of the colour deviates by itself.")),
  KG_INPUT (Particles, inherit_color, NUMBER, .label = N_ ("Inherit colour"), .unit = KG_PERCENT, .min = 0, .max = 1,
            .group = N_ ("Appearance"), .shown_when = "births=each|event|once",
            .help = N_ ("Share of the colour that particles take from the point that emits them.")),
  KG_INPUT (Particles, inherit_size, NUMBER, .label = N_ ("Inherit size"), .unit = KG_PERCENT, .min = 0, .max = 1,
            .group = N_ ("Appearance"), .shown_when = "births=each|event|once",
            .help = N_ ("Share of the size that particles take from the point that emits them.")),
  KG_INPUT (
      Particles, spin, NUMBER, .label = N_ ("Spin"), .unit = KG_DEGREES, .min = -36000, .max = 36000, .soft_min = -720,
      .soft_max = 720, .group = N_ ("Appearance"),
      .help = N_ ("Degrees per second by which each particle rotates about an axis of its own: the attribute orient.")),
  KG_INPUT (Particles, spin_variance, NUMBER, .label = N_ ("Spin variance"), .unit = KG_DEGREES, .min = 0, .max = 36000,
            .soft_max = 720, .group = N_ ("Appearance"), .help = N_ ("Maximum deviation to either side.")),
  KG_INPUT (Particles, size_over_age, MOTION, .label = N_ ("Size over age"), .optional = true, .def = 1,
            .group = N_ ("Appearance"), .help = N_ ("Multiplies the size; 0 is birth, 1 is death.")),
  KG_INPUT (Particles, color_over_age, MOTION, .label = N_ ("Colour over age"), .optional = true, .def = 1,
            .group = N_ ("Appearance"), .help = N_ ("Multiplies the colour: keys of three or four numbers.")),
  KG_INPUT (Particles, alpha_over_age, MOTION, .label = N_ ("Opacity over age"), .optional = true, .def = 1,
            .group = N_ ("Appearance"), .help = N_ ("Multiplies the opacity.")),
  KG_INPUT (
      Particles, looks, TEXT, .label = N_ ("Looks"), .multiline = true, .group = N_ ("Appearance"),
      .manual = "expressions",
      .help = N_ (
          "One line per attribute that a formula sets at the end of each step: Cd.r = age/life, width = 0.1*(1 - "
          "P.y/3), or any other name. Formulas can use P, v, Cd, age, life, id, mass, width, speed, time, frame, and "
          "u1, u2, u3, u4: random numbers from 0 to 1 that each particle keeps.")),
  KG_INPUT (Particles, kill_alpha, NUMBER, .label = N_ ("Die when fainter"), .min = 0, .max = 1, .group = N_ ("Death"),
            .help = N_ ("Opacity below which particles die; 0: never.")),
  KG_INPUT (Particles, kill_distance, NUMBER, .label = N_ ("Die farther away"), .unit = KG_METRES, .min = 0, .max = 1e9,
            .soft_max = 100, .group = N_ ("Death"),
            .help = N_ ("Distance from the position of the emitter beyond which particles die; 0: never.")),
  KG_INPUT (Particles, kill_below, BOOLEAN, .label = N_ ("Die below"), .group = N_ ("Death"),
            .help = N_ ("Particles die below a height.")),
  KG_INPUT (Particles, kill_height, NUMBER, .label = N_ ("Lowest height"), .unit = KG_METRES, .soft_min = -10,
            .soft_max = 10, .group = N_ ("Death"), .shown_when = "kill_below=true",
            .help = N_ ("Height below which particles die.")),
  KG_INPUT (Particles, kill_inside, FIELD, .label = N_ ("Die inside"), .optional = true, .group = N_ ("Death"),
            .help = N_ ("Particles die where this scalar field is at its level, as within a soft object.")),
  KG_INPUT (Particles, kill_outside, FIELD, .label = N_ ("Die outside"), .optional = true, .group = N_ ("Death"),
            .help = N_ ("Particles die where this scalar field is below its level.")),
  KG_INPUTS (Particles, forces, FIELD, .label = N_ ("Forces"), .optional = true,
             .help = N_ ("Forces that move the particles.")),
  KG_INPUT (
      Particles, weigh, BOOLEAN, .label = N_ ("Divide by mass"),
      .help = N_ (
          "Divides the forces by the mass, so that light particles are blown further. Otherwise forces are accelerations, like gravity.")),
  KG_INPUT (
      Particles, goal, GEOMETRY, .label = N_ ("Goal"), .optional = true, .group = N_ ("Goal"),
      .help = N_ (
          "Points that particles fly to. Each particle flies to the point with its id, or else to the point whose index is its id; beyond the last point, counting starts again at the first.")),
  KG_INPUT (
      Particles, goal_strength, NUMBER, .label = N_ ("Goal strength"), .unit = KG_HERTZ, .def = 4, .min = 0,
      .max = 1000, .soft_max = 20, .group = N_ ("Goal"), .shown_when = "goal=linked",
      .help = N_ (
          "How quickly they reach it, without overshoot: two thirds of the way in about 2/strength seconds. 0 ignores "
          "the goal.")),
  KG_INPUT (Particles, pairs, CHOICE, .label = N_ ("Between particles"), .choices = particles_pair_kinds,
            .group = N_ ("Pairs"), .help = N_ ("What particles do to each other.")),
  KG_INPUT (
      Particles, pair_stiffness, NUMBER, .label = N_ ("Stiffness"), .def = 50, .min = 0, .max = 1e9, .soft_max = 500,
      .group = N_ ("Pairs"), .shown_when = "pairs=spring|nearest|links|repel|law|gravity",
      .help = N_ (
          "Stiffness of a spring, in newtons per metre; for the other forces, their strength in newtons: the repulsion at distance 0, or the scale of the attraction.")),
  KG_INPUT (
      Particles, pair_damping, NUMBER, .label = N_ ("Damping"), .def = 1, .min = 0, .max = 1e6, .soft_max = 20,
      .group = N_ ("Pairs"), .shown_when = "pairs=spring|nearest|links|repel|law|gravity",
      .help = N_ (
          "Damping force in newtons for each metre per second at which two particles approach or leave each other.")),
  KG_INPUT (
      Particles, pair_length, NUMBER, .label = N_ ("Rest length"), .unit = KG_METRES, .def = 0.2, .min = 0, .max = 1e6,
      .soft_max = 2, .group = N_ ("Pairs"), .shown_when = "pairs=spring|nearest|law|gravity",
      .help = N_ ("Distance at which a pair is at rest; for gravitation, the distance within which it is softened.")),
  KG_INPUT (Particles, pair_reach, NUMBER, .label = N_ ("Reach"), .unit = KG_METRES, .def = 0.3, .min = 1e-6,
            .max = 1e6, .soft_max = 2, .group = N_ ("Pairs"), .shown_when = "pairs=spring|repel|law|gravity",
            .help = N_ ("Distance up to which particles act on each other.")),
  KG_INPUT (
      Particles, pair_neighbours, INTEGER, .label = N_ ("Neighbours"), .def = 6, .min = 1, .max = 100, .soft_max = 20,
      .group = N_ ("Pairs"), .shown_when = "pairs=nearest",
      .help = N_ (
          "Number of nearest particles to which each particle has springs; a spring of either particle acts on both.")),
  KG_INPUT (Particles, links, GEOMETRY, .label = N_ ("Links"), .optional = true, .group = N_ ("Pairs"),
            .shown_when = "pairs=links",
            .help = N_ ("Lines whose segments are springs. Each joins the two particles with the ids, or else the "
                        "indices, of its points; its length here is the length at rest.")),
  KG_INPUT (
      Particles, link_tear, NUMBER, .label = N_ ("Tear at"), .min = 0, .max = 1000, .soft_max = 10,
      .group = N_ ("Pairs"), .shown_when = "pairs=links",
      .help = N_ (
          "Length of a link, as a multiple of its length at rest, beyond which it no longer pulls; 0: it never tears.")),
  KG_INPUT (Particles, pair_restitution, NUMBER, .label = N_ ("Bounce of pairs"), .def = 0.5, .min = 0, .max = 1,
            .group = N_ ("Pairs"), .shown_when = "pairs=collide",
            .help = N_ (
                "Share of the speed between two particles that remains after they collide, as balls of their width.")),
  KG_INPUT (
      Particles, heap_step, NUMBER, .label = N_ ("Step of heaps"), .unit = KG_PERCENT, .def = 0.25, .min = 0.001,
      .max = 1, .group = N_ ("Pairs"), .shown_when = "pairs=position",
      .help =
          N_ ("How far balls without velocities move in a substep when nothing blocks them, as a share of the smallest "
              "radius.")),
  KG_INPUT (
      Particles, heap_sweeps, INTEGER, .label = N_ ("Sweeps of heaps"), .def = 50, .min = 1, .max = 10000,
      .soft_max = 200, .group = N_ ("Pairs"), .shown_when = "pairs=position|contact",
      .help = N_ (
          "Maximum number of passes over all contacts of heaped balls in a substep. A high heap that gives way at its "
          "foot needs more.")),
  KG_INPUT (
      Particles, heap_rest, NUMBER, .label = N_ ("Rest of heaps"), .def = 1e-4, .min = 0, .max = 0.1, .soft_max = 0.01,
      .group = N_ ("Pairs"), .shown_when = "pairs=position|contact",
      .help = N_ (
          "A heap without velocities in which no ball would move farther than this share of the smallest radius stays "
          "exactly as it is. Sweeps end when contacts move balls by less than a hundredth of it.")),
  KG_INPUT (Particles, integrator, CHOICE, .label = N_ ("Integrator"), .choices = particles_integrators,
            .group = N_ ("Solver"),
            .help = N_ ("Runge-Kutta follows tight curves better and costs four times as much. Mean velocity is "
                        "exact for constant forces, but springs gain energy; Verlet is as exact and keeps springs "
                        "stable; explicit Euler gains energy and is for teaching. All except explicit Euler handle "
                        "drag so strong that it would reverse velocities within a step.")),
  KG_INPUT (Particles, substeps, INTEGER, .label = N_ ("Substeps"), .def = 1, .min = 1, .max = 100,
            .group = N_ ("Solver"), .help = N_ ("Number of steps per frame.")),
  KG_INPUT (Particles, ground, BOOLEAN, .label = N_ ("Ground"), .group = N_ ("Collision"),
            .help = N_ ("Particles bounce off a floor.")),
  KG_INPUT (Particles, ground_height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .soft_min = -5, .soft_max = 5,
            .group = N_ ("Collision"), .help = N_ ("Height of the floor.")),
  KG_INPUT (Particles, ball, BOOLEAN, .label = N_ ("Ball"), .group = N_ ("Collision"),
            .help = N_ ("Particles bounce off a ball.")),
  KG_INPUT (Particles, ball_center, VECTOR, .label = N_ ("Ball centre"), .unit = KG_METRES, .group = N_ ("Collision"),
            .help = N_ ("Position of the centre of the ball.")),
  KG_INPUT (Particles, ball_radius, NUMBER, .label = N_ ("Ball radius"), .unit = KG_METRES, .def = 1, .min = 0,
            .max = 1e6, .soft_max = 10, .group = N_ ("Collision"), .help = N_ ("Radius of the ball.")),
  KG_INPUT (Particles, restitution, NUMBER, .label = N_ ("Bounce"), .def = 0.5, .min = 0, .max = 1,
            .group = N_ ("Collision"), .help = N_ ("Share of the speed that remains after a bounce.")),
  KG_INPUT (
      Particles, friction, NUMBER, .label = N_ ("Friction"), .def = 0.1, .min = 0, .max = 1e3, .soft_max = 1,
      .group = N_ ("Collision"),
      .help = N_ (
          "0 is ice, 1 is rubber: how much the motion along a surface is braked, as a share of the push perpendicular to it.")),
  KG_INPUTS (Particles, colliders, GEOMETRY, .label = N_ ("Colliders"), .optional = true, .group = N_ ("Collision"),
             .help = N_ ("Meshes that particles collide with from either side, even while the meshes move. Meshes "
                         "whose number of points changes between frames are treated as still for that frame.")),
  KG_INPUTS (
      Particles, collider_fields, FIELD, .label = N_ ("Collider fields"), .optional = true, .group = N_ ("Collision"),
      .help = N_ (
          "Scalar fields whose bodies, such as soft objects, particles collide with from outside; what is inside is pushed out.")),
  KG_INPUT (Particles, thickness, NUMBER, .label = N_ ("Thickness"), .def = 1, .min = 0, .max = 100, .soft_max = 1,
            .group = N_ ("Collision"), .shown_when = "colliders=linked",
            .help = N_ ("Share of the size of particles that is solid when they hit a mesh; 0: they are points.")),
  KG_INPUT (
      Particles, on_hit, CHOICE, .label = N_ ("When hit"), .choices = particles_answers, .group = N_ ("Collision"),
      .help = N_ (
          "What happens to particles that hit the floor, the ball or a collider. Particles that stick to a mesh move "
          "with it.")),
  KG_INPUT (Particles, stick, NUMBER, .label = N_ ("Share that sticks"), .unit = KG_PERCENT, .def = 1, .min = 0,
            .max = 1, .group = N_ ("Collision"), .shown_when = "on_hit=stick",
            .help = N_ ("Share of the particles that stick, chosen at random; the others bounce.")),
  KG_INPUT (Particles, report_hits, BOOLEAN, .label = N_ ("Publish hits"), .group = N_ ("Collision"),
            .help = N_ ("Collects the hits of each frame in the output hits, for splashes and sparks.")),
  KG_INPUT (Particles, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different random result.")),
  KG_INPUT (Particles, limit, INTEGER, .label = N_ ("Limit"), .def = PARTICLES_SAFE, .min = 0, .max = PARTICLES_MAX,
            .soft_max = PARTICLES_SAFE,
            .help = N_ ("Largest number of particles at a time; never more than 50 million.")),
  KG_INPUT (Particles, full, CHOICE, .label = N_ ("When full"), .choices = particles_full,
            .help = N_ ("What happens when the limit is reached.")),
  KG_STATE (Particles, dead, GEOMETRY, .keeps = ""),
  KG_STATE (Particles, touched, GEOMETRY, .keeps = ""),
  KG_STATE (Particles, pushes, GEOMETRY, .keeps = ""),
  KG_STATE (Particles, emitter_before, GEOMETRY, .keeps = ""),
  KG_STATE (Particles, collider_before, GEOMETRY, .keeps = ""),
  KG_STATE (Particles, state, GEOMETRY,
            .keeps =
                "points v float 3; points age float 1; points life float 1; points mass float 1; points width float 1; "
                "points Cd float 4; points id int 1; whole counters int 4; whole emitter float 3"),
  KG_OUTPUT (Particles, geometry, GEOMETRY, .label = N_ ("Particles"),
             .help = N_ ("Points with v, age and life in seconds, mass, width, Cd and id.")),
  KG_OUTPUT (Particles, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of living particles.")),
  KG_OUTPUT (
      Particles, died, GEOMETRY, .label = N_ ("Died"),
      .help = N_ (
          "Particles that died in this frame, at their last position, with the cause: 1 age, 2 faded, 3 distance, 4 "
          "place, 5 hit, 6 replaced.")),
  KG_OUTPUT (
      Particles, hits, GEOMETRY, .label = N_ ("Hits"),
      .help = N_ (
          "Points at which particles hit something in this frame, with v at the impact, the normal N of the surface, "
          "and their id, Cd and width.")),
};

KG_SIMULATION (
    sim, particles, Particles, .label = N_ ("Particles"), .version = 2, .since = "0.1",
    .tags = N_ ("emitter spray fountain sparks smoke snow rain dust fire simulation"),
    .help = N_ (
        "Emits particles: sparks, drops, snow, dust. They are born at an emitter, are moved by forces, act on each other, bounce off or stick to a floor, a ball, meshes and soft objects, change size and colour with age, and die. Those that died and the hits of each frame are outputs, from which other particles can be born: bursts, splashes, smoke."));
