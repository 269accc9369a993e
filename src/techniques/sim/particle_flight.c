/* particle_flight: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_flight.h"

#include "kg-kernel.h"
#include "kg-random.h"

#include <inttypes.h>
#include <string.h>

/* Blocks that a thread takes at a time. */
#define BLOCKS_AT_ONCE 4

typedef struct {
  const KgField *force; /* NULL: none */
  const float *mass;    /* NULL: forces are accelerations */
  const int32_t *ids;
  size_t n;
  const float *h; /* seconds, of each particle */
  double time;    /* at the start of the substep */
  double length;  /* of the substep */
} Step;

static void
accelerate (const Step *step, const ParticleBlock *at, double time, float (*a)[KG_FIELD_BLOCK])
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

  kg_field_sample (step->force, &block, out);
  for (int c = 0; step->mass != NULL && c < 3; c++)
    for (size_t i = 0; i < step->n; i++)
      a[c][i] /= step->mass[i];
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

  if (step->force != NULL)
    accelerate (step, b, step->time, a);
  for (int c = 0; c < 3; c++) {
    if (step->force != NULL)
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

  return (float) (-f->source.dt * ((double) k + u) / (double) f->n_births);
}

static float
draw_life (const ParticleFlight *f, size_t k)
{
  const double u = kg_random_signed (f->source.seed, f->first_id + k, PARTICLE_DRAW_LIFE);

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
}

static void
make_newborn (const ParticleFlight *f, size_t k, size_t to)
{
  const ParticleTraits *n = &f->traits;
  const uint64_t seed = f->source.seed, id = f->first_id + k;
  const double shade = 1 + n->color_variance * kg_random_signed (seed, id, PARTICLE_DRAW_COLOR);
  const double alpha = n->color.a + n->alpha_variance * kg_random_signed (seed, id, PARTICLE_DRAW_ALPHA);
  const double mass = n->mass + n->mass_variance * kg_random_signed (seed, id, PARTICLE_DRAW_MASS);
  const double size = n->size + n->size_variance * kg_random_signed (seed, id, PARTICLE_DRAW_SIZE);
  const double color[] = { n->color.r, n->color.g, n->color.b };
  const float age = draw_age (f, k);
  KgVector place, velocity;

  particle_source_draw (&f->source, id, f->source.dt > 0 ? -(double) age / f->source.dt : 0, &place, &velocity);
  for (size_t c = 0; c < 3; c++) {
    f->to[PARTICLE_P][3 * to + c] = (float) kg_vector_get (place, c);
    f->to[PARTICLE_V][3 * to + c] = (float) kg_vector_get (velocity, c);
    f->to[PARTICLE_CD][4 * to + c] = (float) (color[c] * shade);
  }
  f->to[PARTICLE_CD][4 * to + 3] = (float) kg_clamp (alpha, 0, 1);
  f->to[PARTICLE_AGE][to] = age;
  f->to[PARTICLE_LIFE][to] = draw_life (f, k);
  f->to[PARTICLE_MASS][to] = (float) fmax (1e-6, mass);
  f->to[PARTICLE_WIDTH][to] = (float) fmax (0, size);
  f->to_id[to] = (int32_t) (id & 0x7fffffff);
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

/* Moves n particles of the next state by all substeps.  Newborns (negative age) move for what is left of the step. */
static bool
move_particles (const ParticleFlight *f, size_t first, size_t n)
{
  const double length = (double) f->dt / (double) f->substeps;
  const float *const *from = f->unchanged ? f->from : (const float *const *) f->to;
  const float whole = (float) length, *age = from[PARTICLE_AGE] + first;
  float h[KG_FIELD_BLOCK];
  ParticleBlock now, before;
  Step step = { f->force,
                f->weigh ? from[PARTICLE_MASS] + first : NULL,
                (f->unchanged ? f->from_id : f->to_id) + first,
                n,
                h,
                f->time,
                length };

  load_block (from[PARTICLE_P] + 3 * first, from[PARTICLE_V] + 3 * first, n, &now);
  for (int64_t s = 0; s < f->substeps; s++) {
    const float end = (float) ((double) (s + 1) * length);

    step.time = f->time + (double) s * length;
    for (size_t i = 0; i < n; i++)
      h[i] = age[i] < 0 ? CLAMP (end + age[i], 0, whole) : whole;
    if (f->obstacles.ground || f->obstacles.ball)
      before = now;
    if (f->integrator == PARTICLE_EULER || f->force == NULL)
      step_euler (&step, &now);
    else
      step_rk4 (&step, &now);
    particle_collide (&f->obstacles, &before, &now, h, n);
  }
  for (size_t i = 0; i < n; i++)
    f->to[PARTICLE_AGE][first + i] = age[i] + f->dt;
  return save_block (&now, n, f->to[PARTICLE_P] + 3 * first, f->to[PARTICLE_V] + 3 * first);
}

static bool
step_block (const ParticleFlight *f, size_t block)
{
  const size_t to = f->offsets[block];
  uint32_t survivors[KG_FIELD_BLOCK];
  size_t n;

  if (f->unchanged)
    return move_particles (f, to, f->offsets[block + 1] - to);
  n = list_survivors (f, block, survivors);
  if (n == 0)
    return true;
  if (block < f->n_old_blocks)
    copy_survivors (f, survivors, n, to);
  else
    for (size_t i = 0; i < n; i++)
      make_newborn (f, survivors[i], to + i);
  return move_particles (f, to, n);
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
}

/* All blocks; false when cancelled or diverged. */
static bool
fly (const ParticleFlight *f, const KgProgressMonitor *monitor, GError **error)
{
  int bad = 0;

#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) reduction(| : bad)
  for (size_t b = 0; b < f->n_blocks; b++)
    if (!kg_progress_is_cancelled (monitor))
      bad |= !step_block (f, b);
  if (kg_progress_is_cancelled (monitor))
    return false;
  if (bad != 0)
    kg_set_error (error, KG_ERROR_DIVERGED,
                  "particles flew off to infinity: raise the substeps above %" PRId64 " or weaken the forces",
                  f->substeps);
  return bad == 0;
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
  flight->unchanged = n_births == 0 && flight->offsets[flight->n_blocks] == flight->n_before;
  state = flight->unchanged ? share_state (flight) : new_state (flight, flight->offsets[flight->n_blocks], error);
  return state != NULL && fly (flight, monitor, error) ? g_steal_pointer (&state) : NULL;
}
