/* fit_balls: see fit_balls.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/fit_balls.h"

#include "geometry/scatter.h"
#include "kg-error.h"
#include "kg-random.h"

/* Rounds of sharing out and moving before a ball is put elsewhere, how often that is done, and rounds in the end. */
#define ROUNDS 8
#define CYCLES 8
#define LAST_ROUNDS 20
/* Turns of the compass of a ball in a round at most, and how often it is halved in a round. */
#define TURNS 60
#define HALVINGS 6

/* Places and to which ball each belongs. */
typedef struct {
  KgVector *at;
  uint32_t *ball;
  double *distance; /* from its surface */
  size_t n;
} Places;

static void
places_clear (Places *places)
{
  g_free (places->at);
  g_free (places->ball);
  g_free (places->distance);
}

typedef struct {
  const KgProgressMonitor *monitor;
  Places surface, inside;
  double *depth; /* of the places inside: how far the surface is */
  double size;
} Solid;

static void
solid_clear (Solid *solid)
{
  places_clear (&solid->surface);
  places_clear (&solid->inside);
  g_free (solid->depth);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Solid, solid_clear)

static void
places_init (Places *places, size_t n)
{
  places->at = g_new (KgVector, MAX (n, 1));
  places->ball = g_new0 (uint32_t, MAX (n, 1));
  places->distance = g_new0 (double, MAX (n, 1));
  places->n = n;
}

/* All corners, which are what sticks out farthest, as long as there are no more of them than other places. */
static bool
solid_read_surface (Solid *solid, const TriangleMesh *mesh, const ScatterRule *rule, GError **error)
{
  const size_t n_corners = 3 * mesh->n, step = n_corners / (3 * rule->count + 1) + 1;
  g_auto (Scatter) strewn = { 0 };

  if (!scatter_find (&strewn, mesh->geometry, mesh, rule, solid->monitor, error))
    return false;
  places_init (&solid->surface, strewn.n + (n_corners + step - 1) / step);
  for (size_t i = 0; i < strewn.n; i++) {
    KgVector corners[3], p = kg_vector (0, 0, 0);

    triangle_mesh_get_corners (mesh, strewn.part[i], corners);
    for (size_t c = 0; c < 3; c++)
      p = kg_vector_add_scaled (p, strewn.at[i][c], corners[c]);
    solid->surface.at[i] = p;
  }
  for (size_t k = 0, i = strewn.n; k < n_corners; k += step, i++)
    solid->surface.at[i] = triangle_mesh_get_point (mesh, mesh->corners[k / 3][k % 3]);
  return true;
}

static bool
solid_read_inside (Solid *solid, const TriangleMesh *mesh, const ScatterRule *rule, size_t *n_open, GError **error)
{
  g_auto (Scatter) strewn = { 0 };

  if (!scatter_find (&strewn, mesh->geometry, mesh, rule, solid->monitor, error))
    return false;
  *n_open = strewn.n_open;
  if (strewn.n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the mesh encloses nothing that balls could fill: link a closed mesh");
    return false;
  }
  places_init (&solid->inside, strewn.n);
  solid->depth = g_new (double, strewn.n);
#pragma omp parallel for schedule(dynamic, 64)
  for (size_t i = 0; i < strewn.n; i++) {
    const KgVector p = kg_vector (strewn.at[i][0], strewn.at[i][1], strewn.at[i][2]);

    solid->inside.at[i] = p;
    solid->depth[i] = triangle_mesh_find_nearest (mesh, p).distance;
  }
  return true;
}

/* How far x is outside of all balls, below 0 inside; which: the ball whose surface is nearest to it. */
static double
get_distance (const FittedBall *balls, size_t n, KgVector x, uint32_t *which)
{
  double least = INFINITY;

  for (size_t b = 0; b < n; b++) {
    const double distance = kg_vector_distance (x, balls[b].center) - balls[b].radius;

    if (distance < least) {
      least = distance;
      *which = (uint32_t) b;
    }
  }
  return least;
}

/* The place that is deepest inside and not yet in a ball. */
static void
place_balls (const Solid *solid, FittedBall *balls, size_t n)
{
  g_autofree double *outside = g_new (double, solid->inside.n);

  for (size_t i = 0; i < solid->inside.n; i++)
    outside[i] = INFINITY;
  for (size_t b = 0; b < n; b++) {
    size_t best = 0;
    double most = -INFINITY;

    for (size_t i = 0; i < solid->inside.n; i++) {
      const double score = solid->depth[i] + MIN (outside[i], 0.5 * solid->depth[i]);

      if (score > most) {
        most = score;
        best = i;
      }
    }
    balls[b] = (FittedBall){ solid->inside.at[best], solid->depth[best] };
    for (size_t i = 0; i < solid->inside.n; i++)
      outside[i] = MIN (outside[i], kg_vector_distance (solid->inside.at[i], balls[b].center) - balls[b].radius);
  }
}

/* One ball and the places that it has to reach. */
typedef struct {
  const KgVector *at;
  size_t n;
  KgVector low, high; /* of the centre */
} Task;

/* Half the range of distances from a centre, and the radius midway. */
static double
task_measure (const Task *task, KgVector center, double *radius)
{
  double least = INFINITY, most = 0;

  for (size_t i = 0; i < task->n; i++) {
    const KgVector d = kg_vector_subtract (task->at[i], center);
    const double squared = kg_vector_dot (d, d);

    least = MIN (least, squared);
    most = MAX (most, squared);
  }
  least = sqrt (least);
  most = sqrt (most);
  *radius = 0.5 * (least + most);
  return 0.5 * (most - least);
}

/* Steps along three axes both ways, which are turned anew after each halving, since the range has kinks. */
static void
task_improve (const Task *task, FittedBall *ball, double step, uint64_t seed)
{
  double best = task_measure (task, ball->center, &ball->radius);

  for (uint64_t k = 0, halved = 0; halved < HALVINGS && k < TURNS; k++) {
    const KgRotation turn =
        kg_rotation_normalize ((KgRotation){ kg_random_normal (seed, halved, 0), kg_random_normal (seed, halved, 1),
                                             kg_random_normal (seed, halved, 2), kg_random_normal (seed, halved, 3) });
    bool better = false;

    for (int way = 0; way < 6; way++) {
      KgVector axis = kg_vector (0, 0, 0);
      KgVector center;
      double radius, range;

      *kg_vector_component (&axis, (size_t) way / 2) = way % 2 == 0 ? step : -step;
      center = kg_vector_add (ball->center, kg_rotation_apply (turn, axis));
      for (size_t c = 0; c < 3; c++)
        *kg_vector_component (&center, c) =
            kg_clamp (kg_vector_get (center, c), kg_vector_get (task->low, c), kg_vector_get (task->high, c));
      range = task_measure (task, center, &radius);
      if (range < best) {
        best = range;
        *ball = (FittedBall){ center, radius };
        better = true;
      }
    }
    if (!better) {
      step *= 0.5;
      halved++;
    }
  }
}

static void
share_out (const FittedBall *balls, size_t n, Places *places)
{
#pragma omp parallel for schedule(dynamic, 256)
  for (size_t i = 0; i < places->n; i++)
    places->distance[i] = get_distance (balls, n, places->at[i], &places->ball[i]);
}

/* places: shared out among these balls */
static void
measure_fit (const Places *places, BallsFit *fit)
{
  double largest = 0, squares = 0;

  for (size_t i = 0; i < places->n; i++) {
    largest = MAX (largest, fabs (places->distance[i]));
    squares += places->distance[i] * places->distance[i];
  }
  fit->largest = largest;
  fit->mean = sqrt (squares / (double) places->n);
}

/* Puts the ball that is missed least where it is missed most: shares of places alone only lead to the nearest arrangement that
 * they cannot better (Cohen-Steiner, Alliez and Desbrun, Variational Shape Approximation, 2004, teleportation). */
static void
move_idle_ball (const Solid *solid, FittedBall *balls, size_t n)
{
  const Places *surface = &solid->surface;
  g_autofree double *missed = g_new0 (double, n), *without = g_new (double, surface->n);
  size_t idle = 0, worst = 0, best = 0;
  double most = -INFINITY;

#pragma omp parallel for schedule(dynamic, 256)
  for (size_t i = 0; i < surface->n; i++) {
    without[i] = INFINITY;
    for (size_t b = 0; b < n; b++)
      if (b != surface->ball[i])
        without[i] = MIN (without[i], kg_vector_distance (surface->at[i], balls[b].center) - balls[b].radius);
  }
  for (size_t i = 0; i < surface->n; i++) {
    missed[surface->ball[i]] += without[i] * without[i] - surface->distance[i] * surface->distance[i];
    if (fabs (surface->distance[i]) > fabs (surface->distance[worst]))
      worst = i;
  }
  for (size_t b = 1; b < n; b++)
    if (missed[b] < missed[idle])
      idle = b;
  /* Deep inside, but near. */
  for (size_t i = 0; i < solid->inside.n; i++) {
    const double score = solid->depth[i] - kg_vector_distance (solid->inside.at[i], surface->at[worst]);

    if (score > most) {
      most = score;
      best = i;
    }
  }
  balls[idle] = (FittedBall){ solid->inside.at[best], solid->depth[best] };
}

/* Moves each ball that has places of its own: ball b those at[first[b]] to at[first[b + 1]]. */
static void
improve_balls (const Solid *solid, FittedBall *balls, size_t n, double step, uint64_t seed)
{
  g_autofree size_t *first = g_new0 (size_t, n + 1), *next = g_new (size_t, n);
  g_autofree KgVector *at = g_new (KgVector, solid->surface.n), *low = g_new (KgVector, n), *high = g_new (KgVector, n);

  for (size_t i = 0; i < solid->surface.n; i++)
    first[solid->surface.ball[i] + 1]++;
  for (size_t b = 0; b < n; b++) {
    first[b + 1] += first[b];
    next[b] = first[b];
    low[b] = high[b] = balls[b].center;
  }
  for (size_t i = 0; i < solid->surface.n; i++)
    at[next[solid->surface.ball[i]]++] = solid->surface.at[i];
  for (size_t i = 0; i < solid->inside.n; i++)
    for (size_t c = 0; c < 3; c++) {
      const uint32_t b = solid->inside.ball[i];
      const double x = kg_vector_get (solid->inside.at[i], c);

      *kg_vector_component (&low[b], c) = MIN (kg_vector_get (low[b], c), x);
      *kg_vector_component (&high[b], c) = MAX (kg_vector_get (high[b], c), x);
    }
#pragma omp parallel for schedule(dynamic, 1)
  for (size_t b = 0; b < n; b++) {
    const Task task = { at + first[b], first[b + 1] - first[b], low[b], high[b] };

    if (task.n >= 4)
      task_improve (&task, &balls[b], step, kg_hash_mix (seed + b));
  }
}

bool
fit_balls (const TriangleMesh *mesh, size_t n, size_t n_places, uint64_t seed, const KgProgressMonitor *monitor,
           FittedBall *balls, BallsFit *fit, GError **error)
{
  ScatterRule rule = { .domain = SCATTER_SURFACE, .pattern = SCATTER_RANDOM, .count = n_places, .seed = seed };
  g_auto (Solid) solid = { .monitor = monitor, .size = mesh->size };
  g_autofree FittedBall *tried = NULL;

  *fit = (BallsFit){ .largest = INFINITY };
  if (n == 0 || n > FIT_BALLS_MOST) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%zu balls cannot be fitted: use 1 to %d", n, FIT_BALLS_MOST);
    return false;
  }
  if (mesh->n == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the geometry has no faces: link a closed mesh");
    return false;
  }
  if (!solid_read_surface (&solid, mesh, &rule, error))
    return false;
  rule.domain = SCATTER_VOLUME;
  if (!solid_read_inside (&solid, mesh, &rule, &fit->n_open, error))
    return false;
  tried = g_new (FittedBall, n);
  place_balls (&solid, tried, n);
  /* The compass begins at a tenth of the size after each move and shrinks with the rounds; the best round is kept. */
  for (int cycle = n > 1 ? 0 : CYCLES, done = 0; cycle <= CYCLES; cycle++)
    for (int round = 0; round <= (cycle < CYCLES ? ROUNDS : LAST_ROUNDS); round++, done++) {
      BallsFit now = { .n_open = fit->n_open };

      if (kg_progress_is_cancelled (monitor))
        return false;
      kg_progress_report (monitor, (double) done / (CYCLES * ROUNDS + LAST_ROUNDS));
      share_out (tried, n, &solid.surface);
      measure_fit (&solid.surface, &now);
      if (now.largest < fit->largest) {
        memcpy (balls, tried, n * sizeof (FittedBall));
        *fit = now;
      }
      if (round == ROUNDS && cycle < CYCLES) {
        move_idle_ball (&solid, tried, n);
        break;
      }
      share_out (tried, n, &solid.inside);
      improve_balls (&solid, tried, n, 0.1 * solid.size * pow (0.5, round), seed + (uint64_t) done);
    }
  return true;
}
