/* particle_pairs: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_pairs.h"

#include "geometry/point_tree.h"
#include "kg-floats.h"
#include "kg-random.h"

/* Most neighbours of all particles together: 8 bytes each, and seconds for a substep. */
#define MOST_NEIGHBOURS ((size_t) 1 << 25)
/* Times that collisions are gone through in a substep. */
#define SWEEPS 4
/* Widths that a pair may pass in a substep and still be met. */
#define FARTHEST 8
/* Particles that a thread takes at a time. */
#define CHUNK 256
/* What directions of pairs at one place are drawn with. */
#define PARTING 97

typedef struct {
  const ParticlePairs *pairs;
  const ParticleSwarm *swarm;
} Sum;

bool
particle_pairs_pull (const ParticlePairs *pairs)
{
  return pairs->kind != PARTICLE_PAIRS_NONE && pairs->kind < PARTICLE_PAIRS_COLLIDE;
}

bool
particle_pairs_pile_up (const ParticlePairs *pairs)
{
  return pairs->kind == PARTICLE_PAIRS_POSITION || pairs->kind == PARTICLE_PAIRS_CONTACT;
}

static bool
is_born (const ParticleSwarm *swarm, size_t i)
{
  return (double) swarm->age[i] + swarm->elapsed >= 0;
}

KgVector
particle_pairs_get_parting (const ParticlePairs *pairs, const ParticleSwarm *swarm, size_t i, size_t j)
{
  return kg_vector_scale (kg_random_direction (pairs->seed,
                                               ((uint64_t) (uint32_t) MIN (swarm->id[i], swarm->id[j]) << 32) |
                                                   (uint32_t) MAX (swarm->id[i], swarm->id[j]),
                                               PARTING),
                          swarm->id[i] < swarm->id[j] ? 1 : -1);
}

/* From i to j, unit; the same but for the sign from j to i, also at one place. */
static KgVector
get_direction (const ParticlePairs *pairs, const ParticleSwarm *swarm, size_t i, size_t j, double *distance)
{
  const KgVector d = kg_vector_subtract (kg_floats_get_vector (swarm->p, j), kg_floats_get_vector (swarm->p, i));

  *distance = kg_vector_length (d);
  if (*distance > 0)
    return kg_vector_scale (d, 1 / *distance);
  return particle_pairs_get_parting (pairs, swarm, i, j);
}

/* The force on i along the direction to j. */
static double
get_force (const ParticlePairs *pairs, const ParticleSwarm *swarm, size_t i, size_t j, KgVector u, double l,
           double rest)
{
  const double k = pairs->stiffness;
  const double closing =
      kg_vector_dot (kg_vector_subtract (kg_floats_get_vector (swarm->v, j), kg_floats_get_vector (swarm->v, i)), u) *
      pairs->damping;

  if (pairs->kind == PARTICLE_PAIRS_REPEL) {
    const double gap = fmax (0, 1 - l / pairs->reach);

    return closing - k * gap * gap;
  }
  if (pairs->kind == PARTICLE_PAIRS_LAW) {
    const double q = fmin (rest / fmax (l, 1e-300), 5);

    return closing - k * (q * q * q - q * q);
  }
  if (pairs->kind == PARTICLE_PAIRS_GRAVITY)
    return closing + k * (double) swarm->mass[i] * (double) swarm->mass[j] / fmax (l * l + rest * rest, 1e-12);
  return closing + k * (l - rest);
}

static void
add_pull (const Sum *sum, size_t i, size_t j, double rest, double a[3])
{
  double l;
  KgVector u;
  double force;

  if (!is_born (sum->swarm, j))
    return;
  u = get_direction (sum->pairs, sum->swarm, i, j, &l);
  force = get_force (sum->pairs, sum->swarm, i, j, u, l, rest) / (double) sum->swarm->mass[i];
  for (size_t c = 0; c < 3; c++)
    a[c] += force * kg_vector_get (u, c);
}

/* Lists of the k nearest, made such that each pair is in both lists, or in none: the new ones of i are at added[i] .. added[i +
 * 1] of the result. */
static uint32_t *
add_missing (const PointNeighbours *near, size_t n, size_t *added)
{
  uint32_t *items;

  memset (added, 0, (n + 1) * sizeof *added);
  for (int pass = 0;; pass++) {
    items = pass == 1 ? g_new (uint32_t, MAX (added[n], 1)) : NULL;
    for (size_t i = 0; i < n; i++)
      for (size_t k = near->first[i]; k < near->first[i + 1]; k++) {
        const uint32_t j = near->items[k].index;
        bool both = false;

        for (size_t m = near->first[j]; m < near->first[j + 1] && !both; m++)
          both = near->items[m].index == i;
        if (both)
          continue;
        if (pass == 0)
          added[j + 1]++;
        else
          items[added[j]++] = (uint32_t) i;
      }
    if (pass == 1)
      break;
    for (size_t i = 0; i < n; i++)
      added[i + 1] += added[i];
  }
  /* Filling has moved each start to the next one's. */
  for (size_t i = n; i > 0; i--)
    added[i] = added[i - 1];
  added[0] = 0;
  return items;
}

static bool
pull_neighbours (const Sum *sum, float *accelerations, const KgProgressMonitor *monitor, GError **error)
{
  const ParticleSwarm *swarm = sum->swarm;
  const bool nearest = sum->pairs->kind == PARTICLE_PAIRS_NEAREST;
  const PointQuery query = { .k = nearest ? sum->pairs->neighbours : 0,
                             .radius = nearest ? INFINITY : (float) sum->pairs->reach,
                             .skip = true,
                             .grid = !nearest };
  g_auto (PointNeighbours) near = { .n = 0 };
  g_autofree uint32_t *missing = NULL;
  g_autofree size_t *added = NULL;

  if (!point_neighbours_find (&near, swarm->p, swarm->n, swarm->p, swarm->n, &query, MOST_NEIGHBOURS, monitor, error))
    return false;
  if (nearest) {
    added = g_new (size_t, swarm->n + 1);
    missing = add_missing (&near, swarm->n, added);
  }
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (size_t i = 0; i < swarm->n; i++) {
    double a[3] = { 0, 0, 0 };

    if (!kg_progress_is_cancelled (monitor) && is_born (swarm, i)) {
      for (size_t k = near.first[i]; k < near.first[i + 1]; k++)
        add_pull (sum, i, near.items[k].index, sum->pairs->length, a);
      for (size_t k = nearest ? added[i] : 0; nearest && k < added[i + 1]; k++)
        add_pull (sum, i, missing[k], sum->pairs->length, a);
    }
    for (size_t c = 0; c < 3; c++)
      accelerations[3 * i + c] = (float) a[c];
  }
  return !kg_progress_is_cancelled (monitor);
}

/* The particle with this number; -1: it is not among the living. */
static int64_t
find_id (const ParticleSwarm *swarm, int32_t id)
{
  size_t low = 0, high = swarm->n;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;

    if (swarm->id[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < swarm->n && swarm->id[low] == id ? (int64_t) low : -1;
}

static bool
pull_links (const Sum *sum, float *accelerations, const KgProgressMonitor *monitor)
{
  const KgGeometry *links = sum->pairs->links;
  const int32_t *ids = links != NULL ? kg_geometry_get_int (links, KG_POINTS, "id", 1) : NULL;
  g_autofree double *a = g_new0 (double, MAX (3 * sum->swarm->n, 1));

  for (size_t k = 0; links != NULL && k < kg_geometry_get_n_primitives (links); k++) {
    KgPrimitive link;

    if (k % 4096 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    kg_geometry_get_primitive (links, k, &link);
    for (uint32_t m = 0; link.kind == KG_POLYLINE && m + 1 < link.n_vertices; m++) {
      const uint32_t from = link.vertices[m], to = link.vertices[m + 1];
      const float *p = kg_geometry_get_positions (links);
      const double rest = kg_vector_distance (kg_floats_get_vector (p, from), kg_floats_get_vector (p, to));
      const int64_t i = find_id (sum->swarm, ids != NULL ? ids[from] : (int32_t) from);
      const int64_t j = find_id (sum->swarm, ids != NULL ? ids[to] : (int32_t) to);

      if (i < 0 || j < 0 || i == j || !is_born (sum->swarm, (size_t) i))
        continue;
      if (sum->pairs->tear > 0 &&
          kg_vector_distance (kg_floats_get_vector (sum->swarm->p, (size_t) i),
                              kg_floats_get_vector (sum->swarm->p, (size_t) j)) > sum->pairs->tear * rest)
        continue;
      add_pull (sum, (size_t) i, (size_t) j, rest, a + 3 * i);
      add_pull (sum, (size_t) j, (size_t) i, rest, a + 3 * j);
    }
  }
  for (size_t i = 0; i < 3 * sum->swarm->n; i++)
    accelerations[i] = (float) a[i];
  return true;
}

bool
particle_pairs_accelerate (const ParticlePairs *pairs, const ParticleSwarm *swarm, float *accelerations,
                           const KgProgressMonitor *monitor, GError **error)
{
  const Sum sum = { pairs, swarm };

  return pairs->kind == PARTICLE_PAIRS_LINKS ? pull_links (&sum, accelerations, monitor)
                                             : pull_neighbours (&sum, accelerations, monitor, error);
}

static double
get_inverse_mass (const ParticleSwarm *swarm, size_t i)
{
  return swarm->held != NULL && swarm->held[i] != 0 ? 0 : 1 / (double) swarm->mass[i];
}

/* How long before the end of the substep the balls of a pair met that were apart at its start, and where j was from i then; 0:
 * they did not.  d and w: where j is from i at the end, and its velocity against i's. */
static double
find_meeting (KgVector d, KgVector w, double reach, double length, KgVector *u)
{
  const double a = kg_vector_dot (w, w), b = kg_vector_dot (d, w), c = kg_vector_dot (d, d) - reach * reach;
  const double inner = b * b - a * c;
  double s;

  if (!(a > 0) || !(inner > 0))
    return 0;
  s = (b + sqrt (inner)) / a;
  if (!(s > 0) || s > length)
    return 0;
  *u = kg_vector_normalize_or (kg_vector_add_scaled (d, -s, w), *u);
  return s;
}

/* What the contacts of particle i do to it in one sweep, averaged over them.  In the first one those count that were made
 * within the substep, too. */
static void
answer_contacts (const Sum *sum, const PointNeighbours *near, bool first, size_t i, float *p, float *v)
{
  const ParticleSwarm *swarm = sum->swarm;
  const double wi = get_inverse_mass (swarm, i);
  KgVector shift = { 0, 0, 0 }, kick = { 0, 0, 0 };
  size_t shifts = 0, kicks = 0;

  for (size_t k = near->first[i]; wi > 0 && k < near->first[i + 1]; k++) {
    const size_t j = near->items[k].index;
    const double reach = 0.5 * ((double) swarm->width[i] + (double) swarm->width[j]);
    const double share = wi / (wi + get_inverse_mass (swarm, j));
    const KgVector w = kg_vector_subtract (kg_floats_get_vector (swarm->v, j), kg_floats_get_vector (swarm->v, i));
    double l, meeting, approach;
    KgVector u;

    if (!is_born (swarm, j))
      continue;
    u = get_direction (sum->pairs, swarm, i, j, &l);
    meeting = first ? find_meeting (kg_vector_scale (u, l), w, reach, swarm->length, &u) : 0;
    if (l > reach && meeting == 0)
      continue;
    approach = -kg_vector_dot (w, u);
    if (approach > 0) {
      const double impulse = (1 + sum->pairs->restitution) * approach * share;

      kick = kg_vector_add_scaled (kick, -impulse, u);
      kicks++;
      /* It has gone the other way since they met. */
      shift = kg_vector_add_scaled (shift, -impulse * meeting, u);
    }
    if (meeting == 0)
      shift = kg_vector_add_scaled (shift, -(reach - l) * share, u);
    shifts++;
  }
  kg_floats_set_vector (p, i,
                        shifts > 0
                            ? kg_vector_add_scaled (kg_floats_get_vector (swarm->p, i), 1.0 / (double) shifts, shift)
                            : kg_floats_get_vector (swarm->p, i));
  kg_floats_set_vector (v, i,
                        kicks > 0
                            ? kg_vector_add_scaled (kg_floats_get_vector (swarm->v, i), 1.0 / (double) kicks, kick)
                            : kg_floats_get_vector (swarm->v, i));
}

/* The radius within which partners are looked for: as far as the fastest pair can come. */
static float
get_search_radius (const ParticleSwarm *swarm)
{
  KgVector mean = { 0, 0, 0 };
  double fastest = 0, widest = 0;

  for (size_t i = 0; i < swarm->n; i++) {
    mean = kg_vector_add_scaled (mean, 1.0 / (double) swarm->n, kg_floats_get_vector (swarm->v, i));
    widest = fmax (widest, (double) swarm->width[i]);
  }
  for (size_t i = 0; i < swarm->n; i++)
    fastest = fmax (fastest, kg_vector_distance (kg_floats_get_vector (swarm->v, i), mean));
  return (float) (1.25 * widest + fmin (2 * fastest * swarm->length, FARTHEST * widest));
}

bool
particle_pairs_collide (const ParticlePairs *pairs, const ParticleSwarm *swarm, const KgProgressMonitor *monitor,
                        GError **error)
{
  const Sum sum = { pairs, swarm };
  g_auto (PointNeighbours) near = { .n = 0 };
  g_autofree float *p = NULL, *v = NULL;
  float radius;

  if (pairs->kind != PARTICLE_PAIRS_COLLIDE)
    return true;
  radius = get_search_radius (swarm);
  if (!(radius > 0))
    return true;
  if (!point_neighbours_find (&near, swarm->p, swarm->n, swarm->p, swarm->n,
                              &(PointQuery){ .radius = radius, .skip = true, .grid = true }, MOST_NEIGHBOURS, monitor,
                              error))
    return false;
  p = g_new (float, 3 * swarm->n);
  v = g_new (float, 3 * swarm->n);
  for (int s = 0; s < SWEEPS; s++) {
#pragma omp parallel for schedule(dynamic, CHUNK)
    for (size_t i = 0; i < swarm->n; i++)
      if (is_born (swarm, i) && !kg_progress_is_cancelled (monitor))
        answer_contacts (&sum, &near, s == 0, i, p, v);
      else {
        memcpy (p + 3 * i, swarm->p + 3 * i, 3 * sizeof *p);
        memcpy (v + 3 * i, swarm->v + 3 * i, 3 * sizeof *v);
      }
    memcpy (swarm->p, p, 3 * swarm->n * sizeof *p);
    memcpy (swarm->v, v, 3 * swarm->n * sizeof *v);
  }
  return !kg_progress_is_cancelled (monitor);
}
