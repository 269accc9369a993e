/* particle_flight: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_flight.h"

#include "kg-kernel.h"
#include "kg-random.h"
#include "sim/particle_heap.h"
#include "sim/particle_solid.h"

#include <inttypes.h>
#include <string.h>

/* Blocks that a thread takes at a time. */
#define BLOCKS_AT_ONCE 4
/* Share of its velocity, relative to the air, that an explicit step may take from a particle: more would turn it round. */
#define STIFF 1.0f
/* Steps in which the velocity is found that a resistance leads to; one does where it is linear. */
#define END_STEPS 8

typedef struct {
  const KgField *force; /* NULL: none */
  const float *mass;    /* NULL: forces are accelerations */
  const int32_t *ids;
  size_t n;
  const float *h;            /* seconds, of each particle */
  double time;               /* at the start of the substep */
  double length;             /* of the substep */
  const float *pull;         /* (nullable) accelerations by pairs, 3 each */
  const KgField *resistance; /* (nullable) the part of the force whose velocities a step may be too long for */
} Step;

static bool
has_force (const Step *step)
{
  return step->force != NULL || step->pull != NULL;
}

/* -1: no place for this particle. */
static int64_t
find_goal (const ParticleGoal *goal, int32_t id)
{
  size_t low = 0, high = goal->n;

  if (goal->ids == NULL)
    return (int64_t) ((size_t) (uint32_t) id % goal->n);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;

    if (goal->ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < goal->n && goal->ids[low] == id ? (int64_t) low : -1;
}

/* Takes the points with a goal there for h seconds, exactly: with y = x - q they are at (y + (v + ω y) h) e^-ωh.  The
 * other forces are in the velocity already; long steps and strong pulls are stable. */
static void
fly_to_goal (const ParticleGoal *goal, const int32_t *ids, size_t n, const float *h, const ParticleBlock *before,
             ParticleBlock *now)
{
  const double w = goal->strength;

  for (size_t i = 0; i < n; i++) {
    const int64_t k = find_goal (goal, ids[i]);
    const double t = (double) h[i], left = exp (-w * t);

    for (int c = 0; k >= 0 && c < 3; c++) {
      const double q = (double) goal->places[3 * k + c], y = (double) before->x[c][i] - q, v = (double) now->v[c][i];

      now->x[c][i] = (float) (q + (y + (v + w * y) * t) * left);
      now->v[c][i] = (float) ((v - (v + w * y) * w * t) * left);
    }
  }
}

/* a: (out) the forces of a field, over the mass where it counts. */
static void
sample_force (const Step *step, const KgField *force, const ParticleBlock *at, double time, float (*a)[KG_FIELD_BLOCK])
{
  const KgFieldBlock block = { .n = step->n,
                               .x = at->x[0],
                               .y = at->x[1],
                               .z = at->x[2],
                               .vx = at->v[0],
                               .vy = at->v[1],
                               .vz = at->v[2],
                               .id = step->ids,
                               .time = time };
  float *const out[] = { a[0], a[1], a[2] };

  kg_field_sample (force, &block, out);
  for (int c = 0; step->mass != NULL && c < 3; c++)
    for (size_t i = 0; i < step->n; i++)
      a[c][i] /= step->mass[i];
}

static void
accelerate (const Step *step, const ParticleBlock *at, double time, float (*a)[KG_FIELD_BLOCK])
{
  if (step->force != NULL)
    sample_force (step, step->force, at, time, a);
  else
    for (int c = 0; c < 3; c++)
      memset (a[c], 0, step->n * sizeof *a[c]);
  for (size_t i = 0; step->pull != NULL && i < step->n; i++)
    for (size_t c = 0; c < 3; c++)
      a[c][i] += step->pull[3 * i + c];
}

/* to += h * slope */
KG_KERNEL static void
follow (size_t n, const float *restrict h, float scale, const float *restrict slope, float *restrict to)
{
  for (size_t i = 0; i < n; i++)
    to[i] += scale * h[i] * slope[i];
}

/* Speed first, then place with the new speed: keeps orbits bounded. */
static void
step_euler (const Step *step, ParticleBlock *b)
{
  float a[3][KG_FIELD_BLOCK];

  const bool forced = has_force (step);

  if (forced)
    accelerate (step, b, step->time, a);
  for (int c = 0; c < 3; c++) {
    if (forced)
      follow (step->n, step->h, 1, a[c], b->v[c]);
    follow (step->n, step->h, 1, b->v[c], b->x[c]);
  }
}

static void
step_rk4 (const Step *step, ParticleBlock *b)
{
  static const float share[] = { 0, 0.5f, 0.5f, 1 }, weight[] = { 1 / 6.0f, 1 / 3.0f, 1 / 3.0f, 1 / 6.0f };
  float a[3][KG_FIELD_BLOCK];
  ParticleBlock at = *b, sum = *b, slope;

  for (int k = 0; k < 4; k++) {
    if (k > 0) {
      at = *b;
      for (int c = 0; c < 3; c++) {
        follow (step->n, step->h, share[k], slope.x[c], at.x[c]);
        follow (step->n, step->h, share[k], slope.v[c], at.v[c]);
      }
    }
    accelerate (step, &at, step->time + (double) share[k] * step->length, a);
    memcpy (slope.x, at.v, sizeof slope.x);
    memcpy (slope.v, a, sizeof slope.v);
    for (int c = 0; c < 3; c++) {
      follow (step->n, step->h, weight[k], slope.x[c], sum.x[c]);
      follow (step->n, step->h, weight[k], slope.v[c], sum.v[c]);
    }
  }
  *b = sum;
}

/* Place with the mean of the speeds before and after, or with the one before. */
static void
step_by_start (const Step *step, ParticleBlock *b, bool mean)
{
  float a[3][KG_FIELD_BLOCK];

  accelerate (step, b, step->time, a);
  for (int c = 0; c < 3; c++) {
    follow (step->n, step->h, 1, b->v[c], b->x[c]);
    if (mean)
      for (size_t i = 0; i < step->n; i++)
        b->x[c][i] += 0.5f * step->h[i] * step->h[i] * a[c][i];
    follow (step->n, step->h, 1, a[c], b->v[c]);
  }
}

/* Forces that depend on the speed see the one that an explicit step predicts. */
static void
step_verlet (const Step *step, ParticleBlock *b)
{
  float a[3][KG_FIELD_BLOCK], next[3][KG_FIELD_BLOCK];
  ParticleBlock at = *b;

  accelerate (step, b, step->time, a);
  for (int c = 0; c < 3; c++) {
    follow (step->n, step->h, 1, b->v[c], b->x[c]);
    for (size_t i = 0; i < step->n; i++)
      b->x[c][i] += 0.5f * step->h[i] * step->h[i] * a[c][i];
    memcpy (at.x[c], b->x[c], step->n * sizeof (float));
    follow (step->n, step->h, 1, a[c], at.v[c]);
  }
  accelerate (step, &at, step->time + step->length, next);
  for (int c = 0; c < 3; c++) {
    follow (step->n, step->h, 0.5f, a[c], b->v[c]);
    follow (step->n, step->h, 0.5f, next[c], b->v[c]);
  }
}

/* Where the accelerations of a block end along themselves: tau, metres per second from the velocity. */
typedef struct {
  float way[3][KG_FIELD_BLOCK];                     /* unit */
  float at[KG_FIELD_BLOCK];                         /* tau that is asked for next */
  double low[KG_FIELD_BLOCK], high[KG_FIELD_BLOCK]; /* before and behind the end */
  double low_value[KG_FIELD_BLOCK],
      high_value[KG_FIELD_BLOCK]; /* the acceleration there, by which the next is guessed */
} Ends;

/* What is left of the accelerations at tau, where the resistance at the start is now. */
static void
sample_ends (const Step *step, const ParticleBlock *b, float (*a)[KG_FIELD_BLOCK], float (*now)[KG_FIELD_BLOCK],
             const Ends *ends, double *left)
{
  float then[3][KG_FIELD_BLOCK];
  ParticleBlock at = *b;

  for (int c = 0; c < 3; c++)
    follow (step->n, ends->at, 1, ends->way[c], at.v[c]);
  sample_force (step, step->resistance, &at, step->time, then);
  for (size_t i = 0; i < step->n; i++) {
    left[i] = 0;
    for (int c = 0; c < 3; c++)
      left[i] += (double) ends->way[c][i] * ((double) a[c][i] + (double) then[c][i] - (double) now[c][i]);
  }
}

/* Narrows by what is left at ends->at, and asks for the next: the secant, where the side that stays counts half (the Illinois
 * method). */
static void
narrow_ends (const Step *step, const double *left, Ends *ends)
{
  for (size_t i = 0; i < step->n; i++) {
    if (left[i] >= 0) {
      ends->low[i] = (double) ends->at[i];
      ends->low_value[i] = left[i];
      ends->high_value[i] *= 0.5;
    } else {
      ends->high[i] = (double) ends->at[i];
      ends->high_value[i] = left[i];
      ends->low_value[i] *= 0.5;
    }
    ends->at[i] = (float) (ends->low[i] + (ends->high[i] - ends->low[i]) * ends->low_value[i] /
                                              fmax (ends->low_value[i] - ends->high_value[i], 1e-300));
  }
}

/* Whether nothing is left but roundings of those that are looked for. */
static bool
ends_are_found (const Step *step, float (*now)[KG_FIELD_BLOCK], const double *force, const float *rates,
                const double *left)
{
  bool found = true;

  for (size_t i = 0; found && i < step->n; i++) {
    const double size = fabs ((double) now[0][i]) + fabs ((double) now[1][i]) + fabs ((double) now[2][i]);

    found = rates[i] <= 0 || fabs (left[i]) <= 1e-5 * force[i] + 1e-6 * size;
  }
  return found;
}

/* Which velocities an explicit step would take beyond the one where all forces are in balance, and the rate at which they approach
 * it, else 0.  a: accelerations by all forces.  False where there are none. */
static bool
find_rates (const Step *step, const ParticleBlock *b, float (*a)[KG_FIELD_BLOCK], float *rates)
{
  float now[3][KG_FIELD_BLOCK];
  double left[KG_FIELD_BLOCK], force[KG_FIELD_BLOCK];
  Ends ends;
  bool any = false;

  sample_force (step, step->resistance, b, step->time, now);
  for (size_t i = 0; i < step->n; i++) {
    const KgVector change = { (double) a[0][i], (double) a[1][i], (double) a[2][i] };

    force[i] = kg_vector_length (change);
    for (int c = 0; c < 3; c++)
      ends.way[c][i] = force[i] > 0 ? (float) ((double) a[c][i] / force[i]) : 0;
    ends.at[i] = (float) (force[i] * (double) step->h[i]);
    ends.low[i] = 0;
    ends.low_value[i] = force[i];
  }
  sample_ends (step, b, a, now, &ends, left);
  for (size_t i = 0; i < step->n; i++) {
    double along = 0;

    /* Forces that end in the balance to within roundings are left to do so. */
    rates[i] = left[i] < -1e-3 * force[i] ? 1 : 0;
    any = any || rates[i] > 0;
    ends.high[i] = (double) ends.at[i];
    ends.high_value[i] = fmin (left[i], 0);
    for (int c = 0; c < 3; c++)
      along -= (double) ends.way[c][i] * (double) b->v[c][i];
    /* The first guess: linear, but no farther than where the air is still. */
    ends.at[i] *= (float) (force[i] / fmax (force[i] - ends.high_value[i], 1e-300));
    if (along > (double) ends.at[i] && along < ends.high[i])
      ends.at[i] = (float) along;
  }
  for (int k = 0; any && k < END_STEPS; k++) {
    sample_ends (step, b, a, now, &ends, left);
    if (ends_are_found (step, now, force, rates, left))
      break;
    narrow_ends (step, left, &ends);
  }
  for (size_t i = 0; any && i < step->n; i++)
    rates[i] = rates[i] > 0 && ends.at[i] > 0 ? (float) (force[i] / (double) ends.at[i]) : 0;
  return any;
}

/* Goes from before as forces would have it that are linear in the velocity: exact for a step of any length. */
static void
step_stiff (const Step *step, const ParticleBlock *before, float (*a)[KG_FIELD_BLOCK], const float *rates,
            ParticleBlock *now)
{
  for (size_t i = 0; i < step->n; i++) {
    const double h = (double) step->h[i], z = (double) rates[i] * h, left = expm1 (-z);

    for (int c = 0; z > (double) STIFF && c < 3; c++) {
      const double x = (double) before->x[c][i], v = (double) before->v[c][i], push = (double) a[c][i];

      now->v[c][i] = (float) (v - left / z * h * push);
      now->x[c][i] = (float) (x + v * h + (z + left) / (z * z) * h * h * push);
    }
  }
}

static void
integrate_plain (const Step *step, ParticleIntegrator integrator, ParticleBlock *b)
{
  if (!has_force (step))
    integrator = PARTICLE_EULER;
  switch (integrator) {
  case PARTICLE_RK4:
    step_rk4 (step, b);
    break;
  case PARTICLE_AVERAGE:
    step_by_start (step, b, true);
    break;
  case PARTICLE_EXPLICIT:
    step_by_start (step, b, false);
    break;
  case PARTICLE_VERLET:
    step_verlet (step, b);
    break;
  default:
    step_euler (step, b);
    break;
  }
}

static void
integrate (const Step *step, ParticleIntegrator integrator, ParticleBlock *b)
{
  float a[3][KG_FIELD_BLOCK], rates[KG_FIELD_BLOCK];
  ParticleBlock before;

  if (step->resistance == NULL || integrator == PARTICLE_EXPLICIT) {
    integrate_plain (step, integrator, b);
    return;
  }
  accelerate (step, b, step->time, a);
  if (!find_rates (step, b, a, rates)) {
    integrate_plain (step, integrator, b);
    return;
  }
  before = *b;
  integrate_plain (step, integrator, b);
  step_stiff (step, &before, a, rates, b);
}

static const struct {
  const char *name;
  uint8_t size;
} attributes[PARTICLE_N_ATTRIBUTES] = { { "P", 3 },    { "v", 3 },     { "age", 1 }, { "life", 1 },
                                        { "mass", 1 }, { "width", 1 }, { "Cd", 4 } };

/* Minus the part of the step that is over when the k-th of this step is born: births are spread over the step in the
 * order of the numbers. */
static float
draw_age (const ParticleFlight *f, size_t k)
{
  const double u = kg_random_uniform (f->source.seed, f->first_id + k, PARTICLE_DRAW_TIME);

  if (f->at_once)
    return 0;
  /* Children come in the order of their parents, not of time. */
  if (f->source.parents != NULL)
    return (float) (-f->source.dt * u);
  return (float) (-f->source.dt * ((double) k + u) / (double) f->n_births);
}

static float
draw_life (const ParticleFlight *f, size_t k)
{
  const double u = particle_draw_signed (&f->source, f->first_id + k, PARTICLE_DRAW_LIFE);

  return (float) fmax (1e-6, f->traits.lifetime + f->traits.lifetime_variance * u);
}

/* Whether all n are alive after dt. */
KG_KERNEL static bool
all_live (const float *age, const float *life, size_t n, float dt)
{
  int32_t dead = 0;

  for (size_t i = 0; i < n; i++)
    dead |= !(age[i] + dt < life[i]);
  return dead == 0;
}

/* Lists those of a block that are alive at the end of the step: indices of particles of before, or of births. */
static size_t
list_survivors (const ParticleFlight *f, size_t block, uint32_t *survivors)
{
  const bool old = block < f->n_old_blocks;
  const size_t first = (old ? block : block - f->n_old_blocks) * KG_FIELD_BLOCK;
  const size_t end = MIN (old ? f->n_before : f->n_births, first + KG_FIELD_BLOCK);
  size_t n = 0;

  for (size_t i = first; i < end; i++) {
    const float age = old ? f->from[PARTICLE_AGE][i] : draw_age (f, i);
    const float life = old ? f->from[PARTICLE_LIFE][i] : draw_life (f, i);

    survivors[n] = (uint32_t) i;
    n += age + f->dt < life;
  }
  return n;
}

static size_t
count_block (const ParticleFlight *f, size_t block)
{
  const size_t first = block * KG_FIELD_BLOCK;
  uint32_t survivors[KG_FIELD_BLOCK];

  if (block < f->n_old_blocks) {
    const size_t n = MIN (f->n_before - first, KG_FIELD_BLOCK);

    if (all_live (f->from[PARTICLE_AGE] + first, f->from[PARTICLE_LIFE] + first, n, f->dt))
      return n;
  }
  return list_survivors (f, block, survivors);
}

/* Sets the offsets of the blocks first..end - 1. */
static void
count_survivors (const ParticleFlight *f, size_t first, size_t end)
{
#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) if (end - first > BLOCKS_AT_ONCE)
  for (size_t b = first; b < end; b++)
    f->offsets[b + 1] = count_block (f, b);
  for (size_t b = first; b < end; b++)
    f->offsets[b + 1] += f->offsets[b];
}

static void
copy_survivors (const ParticleFlight *f, const uint32_t *survivors, size_t n, size_t to)
{
  for (int a = 0; a < PARTICLE_N_ATTRIBUTES; a++) {
    const size_t size = attributes[a].size;
    float *out = f->to[a] + size * to;

    if (survivors[n - 1] - survivors[0] == n - 1)
      memcpy (out, f->from[a] + size * survivors[0], n * size * sizeof *out);
    else
      for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < size; c++)
          *out++ = f->from[a][size * survivors[i] + c];
  }
  for (size_t i = 0; i < n; i++)
    f->to_id[to + i] = f->from_id[survivors[i]];
  for (size_t i = 0; f->held != NULL && f->from_held != NULL && i < n; i++)
    f->held[to + i] = f->from_held[survivors[i]];
}

/* The colour and size that a child would have from its parent alone. */
static void
read_parent (const ParticleFlight *f, size_t k, double color[4], double *size)
{
  const KgGeometry *parents = f->source.geometry;
  const size_t i = f->source.parents[k];
  const float *rgba = kg_geometry_get_float (parents, KG_POINTS, "Cd", 4);
  const float *rgb = kg_geometry_get_float (parents, KG_POINTS, "Cd", 3);
  const float *width = kg_geometry_get_float (parents, KG_POINTS, "width", 1);

  for (size_t c = 0; c < 4; c++)
    if (rgba != NULL)
      color[c] = (double) rgba[4 * i + c];
    else if (rgb != NULL && c < 3)
      color[c] = (double) rgb[3 * i + c];
  if (width != NULL)
    *size = (double) width[i];
}

static void
make_newborn (const ParticleFlight *f, size_t k, float *const to[PARTICLE_N_ATTRIBUTES], int32_t *to_id, size_t at)
{
  const ParticleTraits *n = &f->traits;
  const uint64_t id = f->first_id + k;
  const double spread[] = { n->color_spread.r, n->color_spread.g, n->color_spread.b, n->color_spread.a };
  double color[] = { n->color.r, n->color.g, n->color.b, n->color.a }, mean = n->size;
  const double shade = 1 + n->color_variance * particle_draw_signed (&f->source, id, PARTICLE_DRAW_COLOR);
  const double mass = n->mass + n->mass_variance * particle_draw_signed (&f->source, id, PARTICLE_DRAW_MASS);
  const float age = draw_age (f, k);
  KgVector place, velocity;

  if (f->source.parents != NULL && (n->inherit_color > 0 || n->inherit_size > 0)) {
    double own[] = { color[0], color[1], color[2], color[3] }, size = mean;

    read_parent (f, k, own, &size);
    for (int c = 0; c < 4; c++)
      color[c] = kg_lerp (color[c], own[c], n->inherit_color);
    mean = kg_lerp (mean, size, n->inherit_size);
  }
  color[3] += n->alpha_variance * particle_draw_signed (&f->source, id, PARTICLE_DRAW_ALPHA);
  particle_source_draw (&f->source, id, f->source.dt > 0 ? -(double) age / f->source.dt : 0, &place, &velocity);
  for (size_t c = 0; c < 3; c++) {
    to[PARTICLE_P][3 * at + c] = (float) kg_vector_get (place, c);
    to[PARTICLE_V][3 * at + c] = (float) kg_vector_get (velocity, c);
    to[PARTICLE_CD][4 * at + c] = (float) (color[c] * shade);
  }
  to[PARTICLE_CD][4 * at + 3] = (float) kg_clamp (color[3], 0, 1);
  for (size_t c = 0; c < 4; c++)
    if (spread[c] != 0) {
      float *channel = &to[PARTICLE_CD][4 * at + c];
      const double x = (double) *channel + spread[c] * particle_draw_signed (&f->source, id, PARTICLE_DRAW_SPREAD + c);

      *channel = (float) (c < 3 ? fmax (0, x) : kg_clamp (x, 0, 1));
    }
  to[PARTICLE_AGE][at] = age;
  to[PARTICLE_LIFE][at] = draw_life (f, k);
  to[PARTICLE_MASS][at] = (float) fmax (1e-6, mass);
  to[PARTICLE_WIDTH][at] =
      (float) fmax (0, mean + n->size_variance * particle_draw_signed (&f->source, id, PARTICLE_DRAW_SIZE));
  to_id[at] = (int32_t) (id & 0x7fffffff);
}

KG_KERNEL static void
load_block (const float *p, const float *v, size_t n, ParticleBlock *block)
{
  kg_split3 (p, n, block->x[0], block->x[1], block->x[2]);
  kg_split3 (v, n, block->v[0], block->v[1], block->v[2]);
}

/* False when a number left the finite ones. */
KG_KERNEL static bool
save_block (const ParticleBlock *block, size_t n, float *p, float *v)
{
  uint32_t carry = 0;

  kg_join3 (block->x[0], block->x[1], block->x[2], n, p);
  kg_join3 (block->v[0], block->v[1], block->v[2], n, v);
  for (int c = 0; c < 3; c++)
    for (size_t i = 0; i < n; i++)
      carry |= kg_carry_not_finite (block->x[c][i]) | kg_carry_not_finite (block->v[c][i]);
  return carry >> 31 == 0;
}

/* What holds particle i of a block, if anything still does. */
static int32_t
get_holder (const ParticleFlight *f, int32_t held)
{
  if (held == PARTICLE_HELD)
    return f->obstacles.ground || f->obstacles.ball || f->n_solids > 0 ? held : PARTICLE_FREE;
  if (held > 0)
    return f->mesh != NULL && particle_mesh_holds (f->mesh, held) ? held : PARTICLE_FREE;
  return held;
}

/* Particles that are held go with what holds them; the dead stay where they died. */
static void
move_held (const ParticleFlight *f, const ParticleBlock *before, ParticleBlock *now, const int32_t *held, size_t n,
           double share, double length)
{
  for (size_t i = 0; i < n; i++) {
    KgVector u = { 0, 0, 0 };

    if (held[i] == PARTICLE_FREE)
      continue;
    if (held[i] > 0)
      u = particle_mesh_get_velocity (
          f->mesh, held[i], kg_vector ((double) before->x[0][i], (double) before->x[1][i], (double) before->x[2][i]),
          share);
    for (int c = 0; c < 3; c++) {
      now->x[c][i] = before->x[c][i] + (float) (length * kg_vector_get (u, (size_t) c));
      now->v[c][i] = held[i] == PARTICLE_DEAD ? before->v[c][i] : (float) kg_vector_get (u, (size_t) c);
    }
  }
}

/* Where heaped particles would move freely: along their flight, or without velocities a stride along the force. */
static void
wish (const ParticleFlight *f, const Step *step, ParticleBlock *now)
{
  const ParticleBlock before = *now;

  if (!(f->stride > 0)) {
    integrate (step, f->integrator, now);
    if (f->goal.n > 0)
      fly_to_goal (&f->goal, step->ids, step->n, step->h, &before, now);
    return;
  }
  memset (now->v, 0, sizeof now->v);
  step_euler (step, now);
  for (size_t i = 0; i < step->n; i++) {
    const KgVector v = { (double) now->v[0][i], (double) now->v[1][i], (double) now->v[2][i] };
    const KgVector way = kg_vector_scale (kg_vector_normalize_or (v, kg_vector (0, 0, 0)), f->stride);

    for (size_t c = 0; c < 3; c++)
      now->x[c][i] = before.x[c][i] + (float) kg_vector_get (way, c);
  }
}

/* Substep s of n particles of the next state.  Newborns (negative age) move for what is left of the step. */
static void
move_substep (const ParticleFlight *f, Step *step, int64_t s, const float *age, ParticleBlock *now, float *h,
              ParticleContacts *contacts)
{
  const float end = (float) ((double) (s + 1) * step->length), whole = (float) step->length;
  const double till = f->source.dt > 0 ? (double) (s + 1) * step->length / f->source.dt : 1;
  const bool collides = f->obstacles.ground || f->obstacles.ball || f->mesh != NULL || f->n_solids > 0;
  const size_t n = step->n;
  int32_t straight[KG_FIELD_BLOCK];
  ParticleBlock before, flown;

  step->time = f->time + (double) s * step->length;
  for (size_t i = 0; i < n; i++)
    h[i] = age[i] < 0 ? CLAMP (end + age[i], 0, whole) : whole;
  if (f->starts != NULL) {
    wish (f, step, now);
    return;
  }
  if (collides || contacts != NULL || f->goal.n > 0)
    before = *now;
  integrate (step, f->integrator, now);
  if (f->goal.n > 0)
    fly_to_goal (&f->goal, step->ids, n, h, &before, now);
  if (contacts == NULL) {
    particle_collide (&f->obstacles, &before, now, h, n, NULL);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    contacts->held[i] = get_holder (f, contacts->held[i]);
    h[i] = contacts->held[i] == PARTICLE_FREE ? h[i] : 0;
  }
  move_held (f, &before, now, contacts->held, n, till, step->length);
  flown = *now;
  particle_collide (&f->obstacles, &before, now, h, n, contacts);
  for (size_t i = 0; i < n; i++)
    straight[i] = now->x[0][i] != flown.x[0][i] || now->x[1][i] != flown.x[1][i] || now->x[2][i] != flown.x[2][i];
  if (f->mesh != NULL)
    particle_mesh_collide (f->mesh, &f->obstacles, &before, now, h, n, till, straight, contacts);
  for (guint k = 0; k < f->n_solids; k++)
    particle_solid_collide (f->solids[k], step->time + step->length, &f->obstacles, &before, now, h, n, straight,
                            contacts);
  for (size_t i = 0; f->obstacles.ground && i < n; i++)
    now->x[1][i] = fmaxf (now->x[1][i], (float) f->obstacles.height);
}

/* Moves n particles of the next state, of a block, by the substeps first_step .. end_step - 1. */
static bool
move_particles (const ParticleFlight *f, size_t block, size_t first, size_t n, int64_t first_step, int64_t end_step)
{
  const float *const *from = f->unchanged ? f->from : (const float *const *) f->to;
  const float *age = from[PARTICLE_AGE] + first;
  float h[KG_FIELD_BLOCK];
  ParticleContacts known = { .hits = f->hits != NULL ? f->hits[block] : NULL };
  ParticleContacts *contacts = f->held != NULL ? &known : NULL;
  ParticleBlock now;
  Step step = {
    f->force, f->weigh ? from[PARTICLE_MASS] + first : NULL, (f->unchanged ? f->from_id : f->to_id) + first, n,   h,
    f->time,  (double) f->dt / (double) f->substeps,         f->pull != NULL ? f->pull + 3 * first : NULL,   NULL
  };

  if (f->weigh || f->hold * step.length > (double) STIFF)
    step.resistance = f->resistance;

  load_block (from[PARTICLE_P] + 3 * first, from[PARTICLE_V] + 3 * first, n, &now);
  if (contacts != NULL) {
    known.ids = step.ids;
    known.widths = from[PARTICLE_WIDTH] + first;
    memcpy (known.held, f->held + first, n * sizeof *known.held);
  }
  for (int64_t s = first_step; s < end_step; s++)
    move_substep (f, &step, s, age, &now, h, contacts);
  if (contacts != NULL)
    memcpy (f->held + first, known.held, n * sizeof *known.held);
  for (size_t i = 0; end_step == f->substeps && i < n; i++)
    f->to[PARTICLE_AGE][first + i] = age[i] + f->dt;
  return save_block (&now, n, f->to[PARTICLE_P] + 3 * first, f->to[PARTICLE_V] + 3 * first);
}

/* Fills in the particles of a block: those that live on, or those that are born. */
static size_t
fill_block (const ParticleFlight *f, size_t block)
{
  const size_t to = f->offsets[block];
  uint32_t survivors[KG_FIELD_BLOCK];
  size_t n;

  if (f->unchanged) {
    n = f->offsets[block + 1] - to;
    if (f->held != NULL && f->from_held != NULL)
      memcpy (f->held + to, f->from_held + to, n * sizeof *f->held);
    return n;
  }
  n = list_survivors (f, block, survivors);
  if (n == 0)
    return 0;
  if (block < f->n_old_blocks)
    copy_survivors (f, survivors, n, to);
  else
    for (size_t i = 0; i < n; i++)
      make_newborn (f, survivors[i], f->to, f->to_id, to + i);
  return n;
}

/* (transfer full) (nullable) A state of so many particles, and its arrays. */
static KgGeometry *
new_state (ParticleFlight *f, size_t count, GError **error)
{
  g_autoptr (KgGeometry) state = kg_geometry_new ();

  if (!kg_geometry_set_n_points (state, count, error))
    return NULL;
  for (int a = 0; a < PARTICLE_N_ATTRIBUTES; a++)
    f->to[a] = kg_geometry_edit_float (state, KG_POINTS, attributes[a].name, attributes[a].size);
  f->to_id = kg_geometry_edit_int (state, KG_POINTS, "id", 1);
  return g_steal_pointer (&state);
}

/* (transfer full) One that shares with the state before what does not change. */
static KgGeometry *
share_state (ParticleFlight *f)
{
  static const int changing[] = { PARTICLE_P, PARTICLE_V, PARTICLE_AGE };
  KgGeometry *state = kg_geometry_ref (f->state);

  kg_geometry_make_writable (&state);
  for (guint i = 0; i < G_N_ELEMENTS (changing); i++) {
    g_autoptr (KgBuffer) shared = NULL;
    const float *old;

    f->to[changing[i]] = kg_geometry_rewrite_float (state, KG_POINTS, attributes[changing[i]].name, &old, &shared);
  }
  return state;
}

/* (nullable) Room for one more than n_blocks; what is there stays.  The first is 0. */
static size_t *
grow_offsets (size_t *offsets, size_t n_blocks, GError **error)
{
  const size_t bytes = (n_blocks + 1) * sizeof *offsets;
  size_t *room = (size_t *) g_try_realloc (offsets, bytes);

  if (room == NULL)
    kg_set_error (error, KG_ERROR_LIMIT, "cannot allocate %zu bytes of working memory", bytes);
  else if (offsets == NULL)
    room[0] = 0;
  return room;
}

KgGeometry *
particle_flight_new_state (GError **error)
{
  ParticleFlight flight = { .n_before = 0 };

  return new_state (&flight, 0, error);
}

bool
particle_flight_init (ParticleFlight *flight, const KgGeometry *state, size_t *living, GError **error)
{
  flight->state = state;
  flight->dt = (float) flight->source.dt;
  flight->n_before = kg_geometry_get_n_points (state);
  flight->n_old_blocks = (flight->n_before + KG_FIELD_BLOCK - 1) / KG_FIELD_BLOCK;
  for (int a = 0; a < PARTICLE_N_ATTRIBUTES; a++)
    flight->from[a] = kg_geometry_get_float (state, KG_POINTS, attributes[a].name, attributes[a].size);
  flight->from_id = kg_geometry_get_int (state, KG_POINTS, "id", 1);
  flight->from_held = kg_geometry_get_int (state, KG_POINTS, "stuck", 1);
  flight->offsets = grow_offsets (NULL, flight->n_old_blocks, error);
  if (flight->offsets == NULL)
    return false;
  count_survivors (flight, 0, flight->n_old_blocks);
  *living = flight->offsets[flight->n_old_blocks];
  return true;
}

void
particle_flight_clear (ParticleFlight *flight)
{
  g_clear_pointer (&flight->offsets, g_free);
  g_clear_pointer (&flight->held, g_free);
  g_clear_pointer (&flight->pull, g_free);
  g_clear_pointer (&flight->starts, g_free);
  for (size_t b = 0; flight->hits != NULL && b < flight->n_blocks; b++)
    g_array_unref (flight->hits[b]);
  g_clear_pointer (&flight->hits, g_free);
}

static bool
check (const ParticleFlight *f, const KgProgressMonitor *monitor, int bad, GError **error)
{
  if (kg_progress_is_cancelled (monitor))
    return false;
  if (bad != 0)
    kg_set_error (error, KG_ERROR_DIVERGED,
                  "particles flew off to infinity: raise the substeps above %" PRId64 " or weaken the forces",
                  f->substeps);
  return bad == 0;
}

/* All blocks; false when cancelled or diverged. */
static bool
fly (const ParticleFlight *f, const KgProgressMonitor *monitor, GError **error)
{
  int bad = 0;

#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) reduction(| : bad)
  for (size_t b = 0; b < f->n_blocks; b++)
    if (!kg_progress_is_cancelled (monitor)) {
      const size_t n = fill_block (f, b);

      bad |= n > 0 && !move_particles (f, b, f->offsets[b], n, 0, f->substeps);
    }
  return check (f, monitor, bad, error);
}

/* Brings heaped particles from where they started the substep, elapsed seconds after the step began, to where there is room. */
static bool
settle (const ParticleFlight *f, const ParticleSwarm *swarm, double elapsed, const KgProgressMonitor *monitor,
        GError **error)
{
  const double step = f->source.dt;
  const ParticleWalls walls = { .obstacles = &f->obstacles,
                                .mesh = f->mesh,
                                .solids = f->solids,
                                .n_solids = f->n_solids,
                                .time = f->time + elapsed + swarm->length,
                                .from = step > 0 ? elapsed / step : 1,
                                .till = step > 0 ? fmin (1, (elapsed + swarm->length) / step) : 1 };

  return particle_heap_settle (f->pairs, swarm, &walls, f->starts, monitor, error);
}

/* The same where particles act on each other: all of them are moved by one substep before any is moved by the next. */
static bool
fly_together (ParticleFlight *f, const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = f->offsets[f->n_blocks];
  const double length = (double) f->dt / (double) f->substeps;
  ParticleSwarm swarm = { .n = n,
                          .p = f->to[PARTICLE_P],
                          .v = f->to[PARTICLE_V],
                          .mass = f->to[PARTICLE_MASS],
                          .width = f->to[PARTICLE_WIDTH],
                          .age = f->to[PARTICLE_AGE],
                          .id = f->to_id,
                          .held = f->held };
  int bad = 0;

#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE)
  for (size_t b = 0; b < f->n_blocks; b++)
    if (!kg_progress_is_cancelled (monitor))
      fill_block (f, b);
  if (f->pairs->kind == PARTICLE_PAIRS_POSITION)
    f->stride = f->pairs->step * particle_heap_get_smallest (swarm.width, n);
  for (int64_t s = 0; s < f->substeps && bad == 0; s++) {
    if (kg_progress_is_cancelled (monitor))
      return false;
    swarm.elapsed = (double) s * length;
    swarm.length = length;
    if (f->starts != NULL)
      memcpy (f->starts, swarm.p, 3 * n * sizeof *f->starts);
    if (particle_pairs_pull (f->pairs) && !particle_pairs_accelerate (f->pairs, &swarm, f->pull, monitor, error))
      return false;
#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) reduction(| : bad)
    for (size_t b = 0; b < f->n_blocks; b++)
      if (!kg_progress_is_cancelled (monitor) && f->offsets[b + 1] > f->offsets[b])
        bad |= !move_particles (f, b, f->offsets[b], f->offsets[b + 1] - f->offsets[b], s, s + 1);
    swarm.elapsed = (double) (s + 1) * length - (s + 1 == f->substeps ? (double) f->dt : 0);
    if (bad == 0 && f->starts != NULL && !kg_progress_is_cancelled (monitor) &&
        !settle (f, &swarm, (double) s * length, monitor, error))
      return false;
    if (bad == 0 && !kg_progress_is_cancelled (monitor) && !particle_pairs_collide (f->pairs, &swarm, monitor, error))
      return false;
  }
  return check (f, monitor, bad, error);
}

/* Memory for what this step needs beyond the state. */
static bool
take_memory (ParticleFlight *f, size_t count, GError **error)
{
  const bool heap = f->pairs != NULL && particle_pairs_pile_up (f->pairs);
  const bool touches = heap
                           ? false
                           : f->mesh != NULL || f->n_solids > 0 || f->report_hits || f->from_held != NULL ||
                                 ((f->obstacles.ground || f->obstacles.ball) && f->obstacles.on_hit != PARTICLE_BOUNCE);

  if (touches)
    f->held = (int32_t *) g_try_malloc0_n (MAX (count, 1), sizeof *f->held);
  if (f->pairs != NULL && particle_pairs_pull (f->pairs))
    f->pull = (float *) g_try_malloc0_n (MAX (3 * count, 1), sizeof *f->pull);
  if (heap)
    f->starts = (float *) g_try_malloc0_n (MAX (3 * count, 1), sizeof *f->starts);
  if ((heap && f->starts == NULL) || (touches && f->held == NULL) ||
      (f->pairs != NULL && particle_pairs_pull (f->pairs) && f->pull == NULL)) {
    kg_set_error (error, KG_ERROR_LIMIT, "cannot allocate working memory for %zu particles", count);
    return false;
  }
  if (f->report_hits) {
    f->hits = g_new (GArray *, MAX (f->n_blocks, 1));
    for (size_t b = 0; b < f->n_blocks; b++)
      f->hits[b] = g_array_new (false, false, sizeof (ParticleHit));
  }
  return true;
}

KgGeometry *
particle_flight_run (ParticleFlight *flight, size_t n_births, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgGeometry) state = NULL;
  size_t *offsets;

  flight->n_births = n_births;
  flight->n_blocks = flight->n_old_blocks + (n_births + KG_FIELD_BLOCK - 1) / KG_FIELD_BLOCK;
  offsets = grow_offsets (flight->offsets, flight->n_blocks, error);
  if (offsets == NULL)
    return NULL;
  flight->offsets = offsets;
  count_survivors (flight, flight->n_old_blocks, flight->n_blocks);
  flight->unchanged = n_births == 0 && flight->pairs == NULL && flight->offsets[flight->n_blocks] == flight->n_before;
  state = flight->unchanged ? share_state (flight) : new_state (flight, flight->offsets[flight->n_blocks], error);
  if (state == NULL || !take_memory (flight, flight->offsets[flight->n_blocks], error) ||
      !(flight->pairs != NULL ? fly_together (flight, monitor, error) : fly (flight, monitor, error)))
    return NULL;
  return g_steal_pointer (&state);
}

/* Copies old particle i. */
static void
copy_particle (const ParticleFlight *f, size_t i, float *const to[PARTICLE_N_ATTRIBUTES], int32_t *to_id, size_t at)
{
  for (int a = 0; a < PARTICLE_N_ATTRIBUTES; a++)
    memcpy (to[a] + attributes[a].size * at, f->from[a] + attributes[a].size * i, attributes[a].size * sizeof (float));
  to_id[at] = f->from_id[i];
}

KgGeometry *
particle_flight_get_expired (const ParticleFlight *flight, const KgProgressMonitor *monitor, GError **error)
{
  const size_t count = flight->n_before + flight->n_births - flight->offsets[flight->n_blocks];
  ParticleFlight expired = { .n_before = 0 };
  g_autoptr (KgGeometry) died = new_state (&expired, count, error);
  int32_t *cause;
  size_t at = 0;

  if (died == NULL)
    return NULL;
  cause = kg_geometry_edit_int (died, KG_POINTS, "cause", 1);
  for (size_t i = 0; i < count; i++)
    cause[i] = PARTICLE_DIED_OF_AGE;
  for (size_t b = 0; b < flight->n_blocks && at < count; b++) {
    const bool old = b < flight->n_old_blocks;
    const size_t first = (old ? b : b - flight->n_old_blocks) * KG_FIELD_BLOCK;
    const size_t end = MIN (old ? flight->n_before : flight->n_births, first + KG_FIELD_BLOCK);

    if (b % 64 == 0 && kg_progress_is_cancelled (monitor))
      return NULL;
    if (flight->offsets[b + 1] - flight->offsets[b] == end - first)
      continue;
    for (size_t i = first; i < end; i++) {
      const float age = old ? flight->from[PARTICLE_AGE][i] : draw_age (flight, i);

      if (age + flight->dt < (old ? flight->from[PARTICLE_LIFE][i] : draw_life (flight, i)))
        continue;
      if (old)
        copy_particle (flight, i, expired.to, expired.to_id, at++);
      else
        make_newborn (flight, i, expired.to, expired.to_id, at++);
    }
  }
  return g_steal_pointer (&died);
}

KgGeometry *
particle_flight_get_hits (const ParticleFlight *flight, const KgGeometry *state, GError **error)
{
  g_autoptr (KgGeometry) hits = kg_geometry_new ();
  const float *color = kg_geometry_get_float (state, KG_POINTS, "Cd", 4);
  const float *width = kg_geometry_get_float (state, KG_POINTS, "width", 1);
  const int32_t *ids = kg_geometry_get_int (state, KG_POINTS, "id", 1);
  float *p, *v, *normals, *colors, *widths;
  size_t n = 0;
  int32_t *id;

  for (size_t b = 0; flight->hits != NULL && b < flight->n_blocks; b++)
    n += flight->hits[b]->len;
  if (!kg_geometry_set_n_points (hits, n, error))
    return NULL;
  p = kg_geometry_edit_positions (hits);
  v = kg_geometry_edit_float (hits, KG_POINTS, "v", 3);
  normals = kg_geometry_edit_float (hits, KG_POINTS, "N", 3);
  colors = kg_geometry_edit_float (hits, KG_POINTS, "Cd", 4);
  widths = kg_geometry_edit_float (hits, KG_POINTS, "width", 1);
  id = kg_geometry_edit_int (hits, KG_POINTS, "id", 1);
  for (size_t b = 0, at = 0; flight->hits != NULL && b < flight->n_blocks; b++)
    for (guint k = 0; k < flight->hits[b]->len; k++, at++) {
      const ParticleHit *hit = &g_array_index (flight->hits[b], ParticleHit, k);
      const size_t i = flight->offsets[b] + hit->index;

      memcpy (p + 3 * at, hit->place, sizeof hit->place);
      memcpy (v + 3 * at, hit->velocity, sizeof hit->velocity);
      memcpy (normals + 3 * at, hit->normal, sizeof hit->normal);
      memcpy (colors + 4 * at, color + 4 * i, 4 * sizeof *color);
      widths[at] = width[i];
      id[at] = ids[i];
    }
  return g_steal_pointer (&hits);
}
