/* sim/particles: points that are born, fly and die.
 *
 * Every random number of a particle is drawn from the seed, its number and a purpose, so that it does not matter in
 * which order or on how many threads they are drawn.  A particle born within a step moves for the rest of the step
 * only.
 * Sources: Reeves 1983 (stochastic attributes); Parent, Computer Animation, chapter on particle systems.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-random.h"

/* Most particles alive at once. */
#define PARTICLES_MAX 50000000

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
  double spread;
  double lifetime;
  double lifetime_variance;
  double particle_size;
  double size_variance;
  KgColor color;
  double color_variance;
  const KgMotion *size_over_age;
  const KgMotion *color_over_age;
  const KgMotion *alpha_over_age;
  KgList forces;
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

enum { PARTICLES_POINT, PARTICLES_GEOMETRY, PARTICLES_BOX, PARTICLES_DISC, PARTICLES_SPHERE };
enum { PARTICLES_POISSON, PARTICLES_REEVES };
enum { PARTICLES_EULER, PARTICLES_RK4 };

/* What a random number of a particle is for. */
enum { DRAW_LIFE, DRAW_SPEED, DRAW_DIRECTION, DRAW_SIZE = 6, DRAW_COLOR, DRAW_PLACE, DRAW_TIME = 12, DRAW_COUNT };

static const KgChoice particles_shapes[] = {
  { "point", N_ ("A point") }, { "geometry", N_ ("Points of a geometry") },
  { "box", N_ ("A box") },     { "disc", N_ ("A disc, facing the direction") },
  { "sphere", N_ ("A ball") }, { NULL, NULL },
};

static const KgChoice particles_births[] = {
  { "poisson", N_ ("At random (Poisson)") },
  { "reeves", N_ ("Mean and variance (Reeves)") },
  { NULL, NULL },
};

static const KgChoice particles_integrators[] = {
  { "euler", N_ ("Euler, speed first") },
  { "rk4", N_ ("Runge-Kutta, fourth order") },
  { NULL, NULL },
};

/* Counters that live with the state: the number of the next particle and of births asked for so far. */
static void
particles_set_counters (KgGeometry *state, uint64_t next_id, uint64_t step)
{
  int32_t *counters = kg_geometry_edit_int (state, KG_WHOLE, "counters", 4);

  counters[0] = (int32_t) (next_id & 0x7fffffff);
  counters[1] = (int32_t) (next_id >> 31);
  counters[2] = (int32_t) (step & 0x7fffffff);
  counters[3] = (int32_t) (step >> 31);
}

static void
particles_get_counters (const KgGeometry *state, uint64_t *next_id, uint64_t *step)
{
  const int32_t *counters = kg_geometry_get_int (state, KG_WHOLE, "counters", 4);

  *next_id = (uint64_t) (uint32_t) counters[0] | (uint64_t) (uint32_t) counters[1] << 31;
  *step = (uint64_t) (uint32_t) counters[2] | (uint64_t) (uint32_t) counters[3] << 31;
}

static bool
particles_start (Particles *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->state = kg_geometry_new ();
  kg_geometry_edit_float (n->state, KG_POINTS, "v", 3);
  kg_geometry_edit_float (n->state, KG_POINTS, "age", 1);
  kg_geometry_edit_float (n->state, KG_POINTS, "life", 1);
  kg_geometry_edit_float (n->state, KG_POINTS, "width", 1);
  kg_geometry_edit_float (n->state, KG_POINTS, "Cd", 4);
  kg_geometry_edit_int (n->state, KG_POINTS, "id", 1);
  particles_set_counters (n->state, 0, 0);
  return true;
}

/* How many are born in a step of dt.  Poisson: Knuth's product for small means, a rounded normal for large ones (its
 * error is below the noise from a mean of 50 on). */
static uint64_t
particles_draw_births (const Particles *n, uint64_t step, double dt)
{
  const uint64_t seed = (uint64_t) n->seed;
  double mean = n->rate * dt, count = 0, product = 1;

  if (n->births == PARTICLES_REEVES)
    mean += kg_random_signed (seed, step, DRAW_COUNT) * n->rate_variance * dt;
  mean = fmax (mean, 0);
  if (n->births == PARTICLES_REEVES)
    /* The part of a particle that is left over is born with that probability. */
    return (uint64_t) floor (mean) + (kg_random_uniform (seed, step, DRAW_COUNT + 1) < mean - floor (mean));
  if (mean > 50)
    return (uint64_t) fmax (0, nearbyint (mean + sqrt (mean) * kg_random_normal (seed, step, DRAW_COUNT)));
  for (uint64_t k = 0;; k++) {
    product *= 1 - kg_random_uniform (seed, step, DRAW_COUNT + 2 + k);
    if (product <= exp (-mean))
      return (uint64_t) count;
    count++;
  }
}

static KgVector
particles_draw_place (const Particles *n, uint64_t id, KgVector direction)
{
  const uint64_t seed = (uint64_t) n->seed;
  const double a = kg_random_uniform (seed, id, DRAW_PLACE), b = kg_random_uniform (seed, id, DRAW_PLACE + 1);
  const double c = kg_random_uniform (seed, id, DRAW_PLACE + 2);

  if (n->shape == PARTICLES_BOX)
    return kg_vector_add (n->position, kg_vector ((a - 0.5) * n->size.x, (b - 0.5) * n->size.y, (c - 0.5) * n->size.z));
  if (n->shape == PARTICLES_DISC) {
    const KgVector u = kg_vector_perpendicular (direction), v = kg_vector_cross (direction, u);
    const double r = 0.5 * n->size.x * sqrt (a), angle = 2 * KG_PI * b;

    return kg_vector_add_scaled (kg_vector_add_scaled (n->position, r * cos (angle), u), r * sin (angle), v);
  }
  if (n->shape == PARTICLES_SPHERE) {
    const double z = 2 * a - 1, s = sqrt (1 - z * z), angle = 2 * KG_PI * b, r = 0.5 * n->size.x * cbrt (c);

    return kg_vector_add_scaled (n->position, r, kg_vector (s * cos (angle), s * sin (angle), z));
  }
  if (n->shape == PARTICLES_GEOMETRY && n->emitter != NULL && kg_geometry_get_n_points (n->emitter) > 0) {
    const size_t count = kg_geometry_get_n_points (n->emitter);
    const float *p = kg_geometry_get_positions (n->emitter) + 3 * MIN ((size_t) (a * (double) count), count - 1);

    return kg_vector_add (n->position, kg_vector ((double) p[0], (double) p[1], (double) p[2]));
  }
  return n->position;
}

/* Evenly within a cone about the direction. */
static KgVector
particles_draw_velocity (const Particles *n, uint64_t id, KgVector direction)
{
  const uint64_t seed = (uint64_t) n->seed;
  const double speed = n->speed + n->speed_variance * kg_random_signed (seed, id, DRAW_SPEED);
  const double z = 1 - (1 - cos (n->spread)) * kg_random_uniform (seed, id, DRAW_DIRECTION);
  const double angle = 2 * KG_PI * kg_random_uniform (seed, id, DRAW_DIRECTION + 1), s = sqrt (fmax (0, 1 - z * z));
  const KgVector u = kg_vector_perpendicular (direction), v = kg_vector_cross (direction, u);
  KgVector d = kg_vector_scale (direction, z);

  d = kg_vector_add_scaled (kg_vector_add_scaled (d, s * cos (angle), u), s * sin (angle), v);
  return kg_vector_scale (d, speed);
}

/* Adds newborns; age is negative: minus the part of the step that was over when they were born. */
static bool
particles_add (Particles *n, const KgContext *ctx, uint64_t count, uint64_t first_id, double dt, GError **error)
{
  const size_t old = kg_geometry_get_n_points (n->state);
  const KgVector direction = kg_vector_normalize_or (n->direction, kg_vector (0, 1, 0));
  const uint64_t seed = (uint64_t) n->seed;
  float *p, *v, *age, *life, *width, *color;
  int32_t *ids;

  if (old + count > (uint64_t) n->limit) {
    kg_context_warn (
        ctx, "more than %" G_GINT64_FORMAT " particles: no more are born; raise the limit or lower the rate", n->limit);
    count = old < (uint64_t) n->limit ? (uint64_t) n->limit - old : 0;
  }
  if (!kg_geometry_set_n_points (n->state, old + count, error))
    return false;
  p = kg_geometry_edit_positions (n->state);
  v = kg_geometry_edit_float (n->state, KG_POINTS, "v", 3);
  age = kg_geometry_edit_float (n->state, KG_POINTS, "age", 1);
  life = kg_geometry_edit_float (n->state, KG_POINTS, "life", 1);
  width = kg_geometry_edit_float (n->state, KG_POINTS, "width", 1);
  color = kg_geometry_edit_float (n->state, KG_POINTS, "Cd", 4);
  ids = kg_geometry_edit_int (n->state, KG_POINTS, "id", 1);
#pragma omp parallel for schedule(static)
  for (uint64_t k = 0; k < count; k++) {
    const uint64_t id = first_id + k;
    const size_t i = old + k;
    const KgVector place = particles_draw_place (n, id, direction);
    const KgVector velocity = particles_draw_velocity (n, id, direction);
    const double shade = 1 + n->color_variance * kg_random_signed (seed, id, DRAW_COLOR);

    for (size_t c = 0; c < 3; c++) {
      p[3 * i + c] = (float) (&place.x)[c];
      v[3 * i + c] = (float) (&velocity.x)[c];
      color[4 * i + c] = (float) ((&n->color.r)[c] * shade);
    }
    color[4 * i + 3] = (float) n->color.a;
    /* Births are spread over the step in the order of the numbers. */
    age[i] = (float) (-dt * ((double) k + kg_random_uniform (seed, id, DRAW_TIME)) / (double) count);
    life[i] = (float) fmax (1e-6, n->lifetime + n->lifetime_variance * kg_random_signed (seed, id, DRAW_LIFE));
    width[i] = (float) fmax (0, n->particle_size + n->size_variance * kg_random_signed (seed, id, DRAW_SIZE));
    ids[i] = (int32_t) (id & 0x7fffffff);
  }
  return true;
}

/* Moving. */

typedef struct {
  const Particles *node;
  const KgField *force; /* NULL: none */
  double time;          /* at the start of the substep */
  float h;
} Step;

typedef struct {
  float x[3][KG_FIELD_BLOCK], v[3][KG_FIELD_BLOCK];
} Block;

static void
particles_accelerate (const Step *step, const Block *at, const int32_t *ids, size_t n, double time,
                      float (*a)[KG_FIELD_BLOCK])
{
  const KgFieldBlock block = { .n = n,
                               .x = at->x[0],
                               .y = at->x[1],
                               .z = at->x[2],
                               .vx = at->v[0],
                               .vy = at->v[1],
                               .vz = at->v[2],
                               .id = ids,
                               .time = time };
  float *const out[] = { a[0], a[1], a[2] };

  if (step->force == NULL)
    memset (a, 0, 3 * sizeof *a);
  else
    kg_field_sample (step->force, &block, out);
}

/* Speed first, then place with the new speed: keeps orbits bounded. */
static void
particles_euler (const Step *step, Block *b, const float *h, const int32_t *ids, size_t n)
{
  float a[3][KG_FIELD_BLOCK];

  particles_accelerate (step, b, ids, n, step->time, a);
  for (int c = 0; c < 3; c++)
    for (size_t i = 0; i < n; i++) {
      b->v[c][i] += h[i] * a[c][i];
      b->x[c][i] += h[i] * b->v[c][i];
    }
}

static void
particles_rk4 (const Step *step, Block *b, const float *h, const int32_t *ids, size_t n)
{
  static const float share[] = { 0, 0.5f, 0.5f, 1 }, weight[] = { 1 / 6.0f, 1 / 3.0f, 1 / 3.0f, 1 / 6.0f };
  float a[3][KG_FIELD_BLOCK];
  Block at = *b, sum = *b, slope = *b;

  for (int k = 0; k < 4; k++) {
    if (k > 0)
      for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < n; i++) {
          at.x[c][i] = b->x[c][i] + share[k] * h[i] * slope.x[c][i];
          at.v[c][i] = b->v[c][i] + share[k] * h[i] * slope.v[c][i];
        }
    particles_accelerate (step, &at, ids, n, step->time + (double) (share[k] * step->h), a);
    for (int c = 0; c < 3; c++)
      for (size_t i = 0; i < n; i++) {
        slope.x[c][i] = at.v[c][i];
        slope.v[c][i] = a[c][i];
        sum.x[c][i] += weight[k] * h[i] * slope.x[c][i];
        sum.v[c][i] += weight[k] * h[i] * slope.v[c][i];
      }
  }
  *b = sum;
}

/* Reflects what came through a plane with normal m at distance: place by the depth times the restitution, speed into
 * the plane reversed, along it braked.  A particle that hardly leaves the plane rests on it. */
static void
particles_bounce (const Particles *n, Block *b, size_t i, const float m[3], float depth)
{
  const float e = (float) n->restitution, keep = (float) (1 - n->friction);
  const float vn = b->v[0][i] * m[0] + b->v[1][i] * m[1] + b->v[2][i] * m[2];

  for (int c = 0; c < 3; c++) {
    b->x[c][i] += (1 + (vn < 0 ? e : 0)) * depth * m[c];
    if (vn < 0)
      b->v[c][i] = keep * (b->v[c][i] - vn * m[c]) - e * vn * m[c];
  }
}

static void
particles_collide (const Particles *n, Block *b, size_t count)
{
  static const float up[] = { 0, 1, 0 };
  const float *center = (const float[]){ (float) n->ball_center.x, (float) n->ball_center.y, (float) n->ball_center.z };

  for (size_t i = 0; n->ground && i < count; i++)
    if (b->x[1][i] < (float) n->ground_height)
      particles_bounce (n, b, i, up, (float) n->ground_height - b->x[1][i]);
  for (size_t i = 0; n->ball && i < count; i++) {
    const float d[] = { b->x[0][i] - center[0], b->x[1][i] - center[1], b->x[2][i] - center[2] };
    const float distance = sqrtf (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);

    if (distance < (float) n->ball_radius) {
      const float m[] = { distance > 0 ? d[0] / distance : 0, distance > 0 ? d[1] / distance : 1,
                          distance > 0 ? d[2] / distance : 0 };

      particles_bounce (n, b, i, m, (float) n->ball_radius - distance);
    }
  }
}

/* Moves one block by a substep.  Newborns (negative age) move for what is left of it. */
static bool
particles_move_block (const Step *step, float *p, float *v, float *age, const int32_t *ids, size_t n)
{
  float h[KG_FIELD_BLOCK], sum = 0;
  Block b;

  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++) {
      b.x[c][i] = p[3 * i + c];
      b.v[c][i] = v[3 * i + c];
    }
  for (size_t i = 0; i < n; i++) {
    h[i] = age[i] < 0 ? MAX (step->h + age[i], 0) : step->h;
    age[i] += step->h;
  }
  if (step->node->integrator == PARTICLES_EULER)
    particles_euler (step, &b, h, ids, n);
  else
    particles_rk4 (step, &b, h, ids, n);
  particles_collide (step->node, &b, n);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++) {
      sum += fabsf (b.x[c][i] - b.x[c][i]) + fabsf (b.v[c][i] - b.v[c][i]);
      p[3 * i + c] = b.x[c][i];
      v[3 * i + c] = b.v[c][i];
    }
  return sum == 0;
}

static bool
particles_move (Particles *n, const KgContext *ctx, const KgField *force, double start, double dt, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state), n_blocks = (count + KG_FIELD_BLOCK - 1) / KG_FIELD_BLOCK;
  float *p = kg_geometry_edit_positions (n->state), *v = kg_geometry_edit_float (n->state, KG_POINTS, "v", 3);
  float *age = kg_geometry_edit_float (n->state, KG_POINTS, "age", 1);
  const int32_t *ids = kg_geometry_get_int (n->state, KG_POINTS, "id", 1);
  const double h = dt / (double) n->substeps;
  int bad = 0;

  for (int64_t s = 0; s < n->substeps; s++) {
    const Step step = { n, force, start + (double) s * h, (float) h };

    if (kg_context_is_cancelled (ctx))
      return false;
#pragma omp parallel for schedule(static) reduction(| : bad)
    for (size_t b = 0; b < n_blocks; b++) {
      const size_t first = b * KG_FIELD_BLOCK;

      bad |= !particles_move_block (&step, p + 3 * first, v + 3 * first, age + first, ids + first,
                                    MIN (KG_FIELD_BLOCK, count - first));
    }
  }
  if (!bad)
    return true;
  g_set_error (error, KG_ERROR, KG_ERROR_DIVERGED,
               "particles flew off to infinity: raise the substeps above %" G_GINT64_FORMAT " or weaken the forces",
               n->substeps);
  return false;
}

static void
particles_bury (KgGeometry *state)
{
  const size_t count = kg_geometry_get_n_points (state);
  const float *age = kg_geometry_get_float (state, KG_POINTS, "age", 1);
  const float *life = kg_geometry_get_float (state, KG_POINTS, "life", 1);
  g_autofree uint8_t *keep = g_new (uint8_t, MAX (count, 1));

  for (size_t i = 0; i < count; i++)
    keep[i] = age[i] < life[i];
  kg_geometry_keep_points (state, keep);
}

static bool
particles_advance (Particles *n, const KgContext *ctx, double dt, GError **error)
{
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autoptr (KgField) force = NULL;
  uint64_t next_id, step, births;

  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if (n->forces.n > 0 && (force = kg_field_new_sum (fields, n->forces.n, error)) == NULL)
    return false;
  kg_geometry_make_writable (&n->state);
  particles_get_counters (n->state, &next_id, &step);
  births = particles_draw_births (n, step, dt);
  if (births > PARTICLES_MAX) {
    g_set_error (error, KG_ERROR, KG_ERROR_LIMIT, "%" G_GUINT64_FORMAT " births in one step: lower the rate", births);
    return false;
  }
  if (!particles_add (n, ctx, births, next_id, dt, error) || !particles_move (n, ctx, force, ctx->time - dt, dt, error))
    return false;
  particles_bury (n->state);
  particles_set_counters (n->state, next_id + births, step + 1);
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

  (void) ctx;
  (void) error;
  n->geometry = kg_geometry_ref (n->state);
  n->count = (int64_t) count;
  if (n->size_over_age == NULL && ramp == NULL && n->alpha_over_age == NULL)
    return true;
  kg_geometry_make_writable (&n->geometry);
  width = kg_geometry_edit_float (n->geometry, KG_POINTS, "width", 1);
  color = kg_geometry_edit_float (n->geometry, KG_POINTS, "Cd", 4);
#pragma omp parallel for schedule(static)
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
            .help = N_ ("Where particles are born.")),
  KG_INPUT (Particles, emitter, GEOMETRY, .label = N_ ("Emitter"), .optional = true,
            .help = N_ ("For points of a geometry: that geometry.")),
  KG_INPUT (Particles, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES, .help = N_ ("Of the emitter.")),
  KG_INPUT (Particles, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .def_v = { 1, 1, 1 },
            .help = N_ ("Of the box; the first number is the diameter of the disc and the ball.")),
  KG_INPUT (Particles, rate, NUMBER, .label = N_ ("Rate"), .def = 100, .min = 0, .max = 1e9, .soft_max = 10000,
            .help = N_ ("Particles born in a second.")),
  KG_INPUT (Particles, births, CHOICE, .label = N_ ("Births"), .choices = particles_births,
            .help = N_ ("How the number of births varies from frame to frame.")),
  KG_INPUT (Particles, rate_variance, NUMBER, .label = N_ ("Rate variance"), .min = 0, .max = 1e9, .soft_max = 1000,
            .help = N_ ("For mean and variance: how far the rate strays to either side.")),
  KG_INPUT (Particles, speed, NUMBER, .label = N_ ("Speed"), .unit = KG_METRES_PER_SECOND, .def = 4, .soft_max = 20,
            .help = N_ ("At birth.")),
  KG_INPUT (Particles, speed_variance, NUMBER, .label = N_ ("Speed variance"), .unit = KG_METRES_PER_SECOND, .def = 0.5,
            .min = 0, .max = 1e6, .soft_max = 5, .help = N_ ("How far it strays to either side.")),
  KG_INPUT (Particles, direction, VECTOR, .label = N_ ("Direction"), .def_v = { 0, 1, 0 },
            .help = N_ ("Of the speed.")),
  KG_INPUT (Particles, spread, NUMBER, .label = N_ ("Spread"), .unit = KG_DEGREES, .def = 15, .min = 0, .max = 180,
            .help = N_ ("How far the direction strays: 0 a beam, 180 every way.")),
  KG_INPUT (Particles, lifetime, NUMBER, .label = N_ ("Lifetime"), .unit = KG_SECONDS, .def = 2, .min = 0, .max = 1e6,
            .soft_max = 10, .help = N_ ("How long they live.")),
  KG_INPUT (Particles, lifetime_variance, NUMBER, .label = N_ ("Lifetime variance"), .unit = KG_SECONDS, .def = 0.3,
            .min = 0, .max = 1e6, .soft_max = 5, .help = N_ ("How far it strays to either side.")),
  KG_INPUT (Particles, particle_size, NUMBER, .label = N_ ("Particle size"), .unit = KG_METRES, .def = 0.05, .min = 0,
            .max = 1e6, .soft_max = 1, .group = N_ ("Look"), .help = N_ ("Diameter.")),
  KG_INPUT (Particles, size_variance, NUMBER, .label = N_ ("Size variance"), .unit = KG_METRES, .def = 0.01, .min = 0,
            .max = 1e6, .soft_max = 1, .group = N_ ("Look"), .help = N_ ("How far it strays to either side.")),
  KG_INPUT (Particles, color, COLOR, .label = N_ ("Colour"), .def_v = { 1, 1, 1, 1 }, .group = N_ ("Look"),
            .help = N_ ("At birth.")),
  KG_INPUT (Particles, color_variance, NUMBER, .label = N_ ("Brightness variance"), .min = 0, .max = 1,
            .group = N_ ("Look"), .help = N_ ("How much lighter or darker single particles are.")),
  KG_INPUT (Particles, size_over_age, MOTION, .label = N_ ("Size over age"), .optional = true, .group = N_ ("Look"),
            .help = N_ ("Multiplies the size; 0 is birth, 1 is death.")),
  KG_INPUT (Particles, color_over_age, MOTION, .label = N_ ("Colour over age"), .optional = true, .group = N_ ("Look"),
            .help = N_ ("Multiplies the colour: keys of three or four numbers.")),
  KG_INPUT (Particles, alpha_over_age, MOTION, .label = N_ ("Opacity over age"), .optional = true, .group = N_ ("Look"),
            .help = N_ ("Multiplies the opacity.")),
  KG_INPUTS (Particles, forces, FIELD, .label = N_ ("Forces"), .optional = true, .help = N_ ("What moves them on.")),
  KG_INPUT (Particles, integrator, CHOICE, .label = N_ ("Integrator"), .choices = particles_integrators,
            .group = N_ ("Solver"),
            .help = N_ ("Runge-Kutta follows tight curves better and costs four times as much.")),
  KG_INPUT (Particles, substeps, INTEGER, .label = N_ ("Substeps"), .def = 1, .min = 1, .max = 100,
            .group = N_ ("Solver"), .help = N_ ("Steps in a frame.")),
  KG_INPUT (Particles, ground, BOOLEAN, .label = N_ ("Ground"), .group = N_ ("Collision"),
            .help = N_ ("Bounce on a floor.")),
  KG_INPUT (Particles, ground_height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .soft_min = -5, .soft_max = 5,
            .group = N_ ("Collision"), .help = N_ ("Of the floor.")),
  KG_INPUT (Particles, ball, BOOLEAN, .label = N_ ("Ball"), .group = N_ ("Collision"),
            .help = N_ ("Bounce off a ball.")),
  KG_INPUT (Particles, ball_center, VECTOR, .label = N_ ("Ball centre"), .unit = KG_METRES, .group = N_ ("Collision"),
            .help = N_ ("Where it is.")),
  KG_INPUT (Particles, ball_radius, NUMBER, .label = N_ ("Ball radius"), .unit = KG_METRES, .def = 1, .min = 0,
            .max = 1e6, .soft_max = 10, .group = N_ ("Collision"), .help = N_ ("How large it is.")),
  KG_INPUT (Particles, restitution, NUMBER, .label = N_ ("Bounce"), .def = 0.5, .min = 0, .max = 1,
            .group = N_ ("Collision"), .help = N_ ("Share of the speed that is left after a bounce.")),
  KG_INPUT (Particles, friction, NUMBER, .label = N_ ("Friction"), .def = 0.1, .min = 0, .max = 1,
            .group = N_ ("Collision"), .help = N_ ("Share of the sliding speed that a bounce takes.")),
  KG_INPUT (Particles, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Another number, another run of luck.")),
  KG_INPUT (Particles, limit, INTEGER, .label = N_ ("Limit"), .def = 1000000, .min = 0, .max = PARTICLES_MAX,
            .soft_max = 1000000, .help = N_ ("Most particles at once.")),
  KG_STATE (Particles, state, GEOMETRY),
  KG_OUTPUT (Particles, geometry, GEOMETRY, .label = N_ ("Particles"),
             .help = N_ ("Points with v, age and life in seconds, width, Cd and id.")),
  KG_OUTPUT (Particles, count, INTEGER, .label = N_ ("Count"), .help = N_ ("How many are alive.")),
};

KG_SIMULATION (
    sim, particles, Particles, .label = N_ ("Particles"), .version = 1, .since = "0.1",
    .tags = N_ ("emitter spray fountain sparks smoke snow rain dust fire simulation"),
    .help = N_ ("Sprays particles: sparks, drops, snow, dust. They are born at an emitter, moved by forces, bounce "
                "off a floor and a ball, change size and colour with age, and die."));
