/* particle_heap: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_heap.h"

#include "kg-floats.h"
#include "geometry/point_tree.h"
#include "kg-hash.h"

/* Most neighbours of all balls together. */
#define MOST_NEIGHBOURS ((size_t) 1 << 25)
/* Balls that a thread takes at a time. */
#define CHUNK 256
/* Rows of one colour from which on threads share them. */
#define ROWS_TO_SHARE 256
/* Colours; rows that find none free are solved one after the other. */
#define COLORS 64
/* Share of its radius by which others may push a ball farther than it wished before a row is missed. */
#define SLACK 0.5
/* Diameters of the widest ball beyond which wishes do not look for partners. */
#define FARTHEST 4
/* Rounds that take out what overlap the linear rows left, and the share of a radius that may be left. */
#define ROUNDS 3
#define LEFT 2e-4
/* Sweeps of a round for each sweep of a step: a round ends as soon as it has converged, and what it leaves is measured. */
#define ROUND_SWEEPS 8
/* Length over which a field without an exact gradient is compared, metres. */
#define DIFFERENCE 1e-3
/* The names of walls. */
enum { WALL_GROUND = -1, WALL_BALL = -2, WALL_SOLID = -3, WALL_TRIANGLE = -100000 };

/* A contact of ball i with ball j, or with a wall. */
typedef struct {
  uint32_t i, j; /* j: NO_BALL: a wall */
  int32_t other; /* its id, or which wall */
  KgVector n;    /* unit, from i */
  double gap;    /* negative: they overlap */
  KgVector move; /* of the wall */
  double push;
  KgVector rub;   /* on i */
  double inverse; /* of the sum of the inverse masses; 0: nothing moves */
} Row;

#define NO_BALL UINT32_MAX

typedef struct {
  const ParticlePairs *pairs;
  const ParticleSwarm *swarm;
  const ParticleWalls *walls;
  const KgProgressMonitor *monitor;
  KgVector *x, *d; /* places, and moves from there */
  double *inverse; /* of the masses */
  double *margin;  /* how far each ball may go */
  double smallest, friction;
  GArray *rows;             /* Row */
  uint32_t *order;          /* of the rows, by colour */
  size_t first[COLORS + 2]; /* of each colour, of the rows without one, and the end */
} Heap;

double
particle_heap_get_smallest (const float *widths, size_t n)
{
  double smallest = INFINITY;

  for (size_t i = 0; i < n; i++)
    if (widths[i] > 0)
      smallest = fmin (smallest, 0.5 * (double) widths[i]);
  return isinf (smallest) ? 0 : smallest;
}

static double
get_radius (const Heap *heap, size_t i)
{
  return 0.5 * (double) heap->swarm->width[i];
}

static void
add_row (const Heap *heap, GArray *rows, Row row)
{
  const double inverse = heap->inverse[row.i] + (row.j != NO_BALL ? heap->inverse[row.j] : 0);

  row.inverse = inverse > 0 ? 1 / inverse : 0;
  g_array_append_val (rows, row);
}

/* normal: away from the wall. */
static void
add_wall (const Heap *heap, GArray *rows, size_t i, int32_t wall, KgVector normal, double distance, KgVector move)
{
  const double gap = distance - get_radius (heap, i) * heap->walls->obstacles->thickness;

  if (gap < heap->margin[i] + fmax (0, kg_vector_dot (move, normal)))
    add_row (heap, rows,
             (Row){ .i = (uint32_t) i,
                    .j = NO_BALL,
                    .other = wall,
                    .n = kg_vector_scale (normal, -1),
                    .gap = gap,
                    .move = move });
}

/* share: of the step of the mesh. */
static void
find_walls (const Heap *heap, GArray *rows, GArray *near, size_t i, double share)
{
  const ParticleWalls *walls = heap->walls;
  const ParticleObstacles *o = walls->obstacles;
  const KgVector x = heap->x[i], none = { 0, 0, 0 };

  if (o->ground)
    add_wall (heap, rows, i, WALL_GROUND, kg_vector (0, 1, 0), x.y - o->height, none);
  if (o->ball) {
    const KgVector out = kg_vector_subtract (x, o->center);

    add_wall (heap, rows, i, WALL_BALL, kg_vector_normalize_or (out, kg_vector (0, 1, 0)),
              kg_vector_length (out) - o->radius, none);
  }
  if (walls->mesh == NULL)
    return;
  particle_mesh_find_near (walls->mesh, x, get_radius (heap, i) * o->thickness + heap->margin[i], share,
                           walls->till - share, near);
  for (guint k = 0; k < near->len; k++) {
    const ParticleNear *found = &g_array_index (near, ParticleNear, k);

    add_wall (heap, rows, i, WALL_TRIANGLE - (int32_t) found->triangle, found->normal, found->distance, found->move);
  }
}

/* Rows of the balls first .. end - 1, which are at most KG_FIELD_BLOCK, with a field. */
static void
find_solid (const Heap *heap, GArray *rows, guint which, size_t first, size_t end)
{
  const KgField *solid = heap->walls->solids[which];
  const double level = kg_field_get_level (solid);
  float x[3][CHUNK], values[CHUNK], slopes[3][CHUNK];
  float *const gradient[3] = { slopes[0], slopes[1], slopes[2] };
  const KgFieldBlock block = { .n = end - first, .x = x[0], .y = x[1], .z = x[2], .time = heap->walls->time };

  for (size_t i = first; i < end; i++)
    for (size_t c = 0; c < 3; c++)
      x[c][i - first] = (float) kg_vector_get (heap->x[i], c);
  kg_field_sample_gradient (solid, &block, DIFFERENCE, values, gradient);
  for (size_t i = first; i < end; i++) {
    const size_t k = i - first;
    const KgVector g = { (double) slopes[0][k], (double) slopes[1][k], (double) slopes[2][k] };
    const double slope = kg_vector_length (g);

    if (heap->inverse[i] > 0 && slope > 1e-12)
      add_wall (heap, rows, i, WALL_SOLID - (int32_t) which, kg_vector_scale (g, -1 / slope),
                (level - (double) values[k]) / slope, kg_vector (0, 0, 0));
  }
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const Row *one = (const Row *) a, *other = (const Row *) b;

  return one->i != other->i ? (one->i < other->i ? -1 : 1) : (one->other > other->other) - (one->other < other->other);
}

/* The gap of a pair, and the direction from i to j. */
static void
measure_pair (const Heap *heap, Row *row)
{
  const KgVector d = kg_vector_subtract (heap->x[row->j], heap->x[row->i]);
  const double l = kg_vector_length (d);

  row->n = l > 0 ? kg_vector_scale (d, 1 / l) : particle_pairs_get_parting (heap->pairs, heap->swarm, row->i, row->j);
  row->gap = l - get_radius (heap, row->i) - get_radius (heap, row->j);
}

/* A contact of a ball as it ranks among its contacts: the deepest first, those that are as deep in an order that differs from
 * ball to ball, so that they are not all with the same few. */
typedef struct {
  double gap;
  uint64_t order;
  uint32_t row;
} Rank;

static int
compare_ranks (gconstpointer a, gconstpointer b)
{
  const Rank *one = (const Rank *) a, *other = (const Rank *) b;

  if (one->gap < other->gap || one->gap > other->gap)
    return one->gap < other->gap ? -1 : 1;
  return (one->order > other->order) - (one->order < other->order);
}

/* Notes which contacts are among the deepest of a ball.  ranks: of all of them. */
static void
keep_deepest (Rank *ranks, size_t n, uint8_t *keeps)
{
  qsort (ranks, n, sizeof *ranks, compare_ranks);
  for (size_t k = 0; k < MIN (n, HEAP_CONTACTS); k++)
    keeps[ranks[k].row] = 1;
}

/* Leaves out contacts of balls that have too many.  Returns how many balls that are. */
static size_t
thin_rows (Heap *heap)
{
  const size_t n = heap->swarm->n;
  const Row *rows = (const Row *) (const void *) heap->rows->data;
  g_autofree size_t *first = g_new0 (size_t, n + 2);
  g_autofree uint8_t *keeps = NULL;
  g_autofree Rank *ranks = NULL;
  size_t crowded = 0;
  guint kept = 0;

  for (guint k = 0; k < heap->rows->len; k++)
    if (rows[k].j != NO_BALL) {
      first[rows[k].i + 2]++;
      first[rows[k].j + 2]++;
    }
  for (size_t i = 0; i < n; i++)
    crowded += first[i + 2] > HEAP_CONTACTS;
  if (crowded == 0)
    return 0;
  for (size_t i = 2; i < n + 2; i++)
    first[i] += first[i - 1];
  ranks = g_new (Rank, first[n + 1]);
  keeps = g_new0 (uint8_t, heap->rows->len);
  for (guint k = 0; k < heap->rows->len; k++)
    if (rows[k].j != NO_BALL) {
      const uint64_t low = (uint32_t) MIN (heap->swarm->id[rows[k].i], rows[k].other),
                     high = (uint32_t) MAX (heap->swarm->id[rows[k].i], rows[k].other);
      const Rank rank = { rows[k].gap, kg_hash_mix (low << 32 | high), k };

      ranks[first[rows[k].i + 1]++] = rank;
      ranks[first[rows[k].j + 1]++] = rank;
    }
  for (size_t i = 0; i < n && !kg_progress_is_cancelled (heap->monitor); i++)
    keep_deepest (ranks + first[i], first[i + 1] - first[i], keeps);
  for (guint k = 0; k < heap->rows->len; k++)
    if (rows[k].j == NO_BALL || keeps[k] != 0)
      g_array_index (heap->rows, Row, kept++) = rows[k];
  g_array_set_size (heap->rows, kept);
  return crowded;
}

/* All contacts that the balls may come to, sorted by balls.  near: (nullable) partners to look at; without, walls only. */
static bool
find_rows (Heap *heap, const PointNeighbours *near, double share)
{
  const size_t n = heap->swarm->n, n_chunks = (n + CHUNK - 1) / CHUNK;
  g_autofree GArray **found = g_new (GArray *, MAX (n_chunks, 1));

#pragma omp parallel for schedule(dynamic, 1)
  for (size_t b = 0; b < n_chunks; b++) {
    g_autoptr (GArray) places = g_array_new (false, false, sizeof (ParticleNear));
    const size_t first = b * CHUNK, end = MIN (n, first + CHUNK);

    found[b] = g_array_new (false, false, sizeof (Row));
    if (kg_progress_is_cancelled (heap->monitor))
      continue;
    for (size_t i = first; i < end; i++) {
      if (heap->inverse[i] > 0)
        find_walls (heap, found[b], places, i, share);
      for (size_t k = near != NULL ? near->first[i] : 0; near != NULL && k < near->first[i + 1]; k++) {
        Row row = { .i = (uint32_t) i, .j = near->items[k].index };

        if (row.j <= i || !(heap->inverse[i] > 0) || !(heap->inverse[row.j] > 0))
          continue;
        measure_pair (heap, &row);
        row.other = heap->swarm->id[row.j];
        if (row.gap < heap->margin[i] + heap->margin[row.j])
          add_row (heap, found[b], row);
      }
    }
    for (guint k = 0; k < heap->walls->n_solids; k++)
      find_solid (heap, found[b], k, first, end);
    g_array_sort (found[b], compare_rows);
  }
  for (size_t b = 0; b < n_chunks; b++) {
    g_array_append_vals (heap->rows, found[b]->data, found[b]->len);
    g_array_unref (found[b]);
  }
  return !kg_progress_is_cancelled (heap->monitor);
}

static int
compare_pushes (gconstpointer a, gconstpointer b)
{
  const ParticlePush *one = (const ParticlePush *) a, *other = (const ParticlePush *) b;

  return one->ball != other->ball ? (one->ball < other->ball ? -1 : 1)
                                  : (one->other > other->other) - (one->other < other->other);
}

static void
move_pair (Heap *heap, const Row *row, KgVector push)
{
  heap->d[row->i] = kg_vector_add_scaled (heap->d[row->i], heap->inverse[row->i], push);
  if (row->j != NO_BALL)
    heap->d[row->j] = kg_vector_add_scaled (heap->d[row->j], -heap->inverse[row->j], push);
}

/* Begins with the pushes of the same contacts in the step before. */
static void
warm_start (Heap *heap, const GArray *pushes)
{
  for (guint k = 0; k < heap->rows->len && pushes->len > 0; k++) {
    Row *row = &g_array_index (heap->rows, Row, k);
    const ParticlePush key = { .ball = heap->swarm->id[row->i], .other = row->other };
    const ParticlePush *old =
        (const ParticlePush *) bsearch (&key, pushes->data, pushes->len, sizeof key, compare_pushes);

    if (old == NULL || !(row->inverse > 0))
      continue;
    row->push = (double) old->push;
    row->rub = kg_floats_get_vector (old->rub, 0);
    /* The contact has turned since. */
    row->rub = kg_vector_add_scaled (row->rub, -kg_vector_dot (row->rub, row->n), row->n);
    move_pair (heap, row, kg_vector_add_scaled (row->rub, -row->push, row->n));
  }
}

/* Resolves one contact.  Returns how far it moved its balls. */
static double
push_row (Heap *heap, Row *row)
{
  const KgVector other = row->j != NO_BALL ? heap->d[row->j] : row->move;
  const KgVector w = kg_vector_subtract (other, heap->d[row->i]);
  const double across = kg_vector_dot (w, row->n);
  const double push = fmax (0, row->push - (row->gap + across) * row->inverse);
  KgVector change = kg_vector_scale (row->n, row->push - push);

  row->push = push;
  if (heap->friction > 0) {
    const KgVector along = kg_vector_add_scaled (w, -across, row->n);
    KgVector rub = kg_vector_add_scaled (row->rub, row->inverse, along);
    const double most = heap->friction * push, size = kg_vector_length (rub);

    if (size > most)
      rub = kg_vector_scale (rub, most / size);
    change = kg_vector_add (change, kg_vector_subtract (rub, row->rub));
    row->rub = rub;
  }
  if (change.x == 0 && change.y == 0 && change.z == 0)
    return 0;
  move_pair (heap, row, change);
  return kg_vector_length (change) / row->inverse;
}

/* Gives rows colours so that no two of one colour have a ball in common: they do not depend on each other, and threads can share
 * them without changing a bit. */
static void
color_rows (Heap *heap)
{
  const size_t n = heap->rows->len;
  g_autofree uint64_t *taken = g_new0 (uint64_t, MAX (heap->swarm->n, 1));
  g_autofree uint8_t *colors = g_new (uint8_t, MAX (n, 1));
  size_t next[COLORS + 1] = { 0 };

  for (size_t k = 0; k < n; k++) {
    const Row *row = &g_array_index (heap->rows, Row, k);
    const uint64_t free = ~(taken[row->i] | (row->j != NO_BALL ? taken[row->j] : 0));
    guint color = 0;

    while (color < COLORS && (free >> color & 1) == 0)
      color++;
    colors[k] = (uint8_t) color;
    next[color]++;
    if (color == COLORS)
      continue;
    taken[row->i] |= (uint64_t) 1 << color;
    if (row->j != NO_BALL)
      taken[row->j] |= (uint64_t) 1 << color;
  }
  heap->first[0] = 0;
  for (guint c = 0; c <= COLORS; c++) {
    heap->first[c + 1] = heap->first[c] + next[c];
    next[c] = heap->first[c];
  }
  g_free (heap->order);
  heap->order = g_new (uint32_t, MAX (n, 1));
  for (size_t k = 0; k < n; k++)
    heap->order[next[colors[k]]++] = (uint32_t) k;
}

/* All rows of a colour once.  Returns how far the farthest of their balls was moved. */
static double
push_rows (Heap *heap, guint color)
{
  const size_t first = heap->first[color], end = heap->first[color + 1];
  double worst = 0;

#pragma omp parallel for schedule(static) reduction(max : worst) if (color < COLORS && end - first >= ROWS_TO_SHARE)
  for (size_t k = first; k < end; k++) {
    Row *row = &g_array_index (heap->rows, Row, heap->order[k]);

    if (row->inverse > 0)
      worst = fmax (worst, push_row (heap, row));
  }
  return worst;
}

/* Sweeps until no contact moves its balls by more than enough.  False: cancelled. */
static bool
solve (Heap *heap, guint sweeps, double enough)
{
  color_rows (heap);
  for (guint s = 0; s < sweeps; s++) {
    double worst = 0;

    for (guint c = 0; c <= COLORS; c++) {
      const guint color = s % 2 == 0 ? c : COLORS - c;

      if (heap->first[color] == heap->first[color + 1])
        continue;
      if (kg_progress_is_cancelled (heap->monitor))
        return false;
      worst = fmax (worst, push_rows (heap, color));
    }
    if (worst <= enough)
      break;
  }
  return true;
}

static double
find_longest (const Heap *heap)
{
  double longest = 0;

  for (size_t i = 0; i < heap->swarm->n; i++)
    longest = fmax (longest, kg_vector_length (heap->d[i]));
  return longest;
}

static void
keep_pushes (const Heap *heap, GArray *pushes)
{
  g_array_set_size (pushes, 0);
  for (guint k = 0; k < heap->rows->len; k++) {
    const Row *row = &g_array_index (heap->rows, Row, k);
    const ParticlePush push = { .ball = heap->swarm->id[row->i],
                                .other = row->other,
                                .push = (float) row->push,
                                .rub = { (float) row->rub.x, (float) row->rub.y, (float) row->rub.z } };

    if (push.push > 0)
      g_array_append_val (pushes, push);
  }
}

/* Goes where d leads, and takes out the overlap that is left there: the least displacements that do.  False: cancelled. */
static bool
take_out_overlap (Heap *heap)
{
  const double friction = heap->friction;
  g_autoptr (GArray) partners = g_array_ref (heap->rows);
  bool done = false;

  heap->friction = 0;
  for (size_t i = 0; i < heap->swarm->n; i++) {
    heap->x[i] = kg_vector_add (heap->x[i], heap->d[i]);
    /* Rows for what may come to overlap in a round. */
    heap->margin[i] = 0.1 * get_radius (heap, i);
  }
  for (guint round = 0; round < ROUNDS && !done; round++) {
    g_autoptr (GArray) rows = g_array_new (false, false, sizeof (Row));

    heap->rows = rows;
    memset (heap->d, 0, heap->swarm->n * sizeof *heap->d);
    done = true;
    if (!find_rows (heap, NULL, heap->walls->till))
      break;
    for (guint k = 0; k < partners->len; k++) {
      Row row = g_array_index (partners, Row, k);

      if (row.j == NO_BALL)
        continue;
      row.push = 0;
      row.rub = kg_vector (0, 0, 0);
      measure_pair (heap, &row);
      if (row.gap < heap->margin[row.i] + heap->margin[row.j])
        g_array_append_val (rows, row);
    }
    for (guint k = 0; k < rows->len; k++)
      done = done && g_array_index (rows, Row, k).gap > -LEFT * heap->smallest;
    if (done || !solve (heap, ROUND_SWEEPS * heap->pairs->sweeps, 0.1 * LEFT * heap->smallest))
      break;
    for (size_t i = 0; i < heap->swarm->n; i++)
      heap->x[i] = kg_vector_add (heap->x[i], heap->d[i]);
  }
  heap->rows = g_array_ref (partners);
  heap->friction = friction;
  return !kg_progress_is_cancelled (heap->monitor);
}

/* Masses, places and wishes.  Returns within which distance partners are to be looked for. */
static double
read_swarm (Heap *heap, const float *start)
{
  const ParticleSwarm *swarm = heap->swarm;
  double widest = 0, farthest = 0;

  for (size_t i = 0; i < swarm->n; i++) {
    const bool born = (double) swarm->age[i] + swarm->elapsed >= 0;

    heap->x[i] = kg_floats_get_vector (start, i);
    heap->d[i] = born ? kg_vector_subtract (kg_floats_get_vector (swarm->p, i), heap->x[i]) : kg_vector (0, 0, 0);
    heap->inverse[i] = born && swarm->width[i] > 0 ? 1 / (double) swarm->mass[i] : 0;
    heap->margin[i] = kg_vector_length (heap->d[i]) + SLACK * get_radius (heap, i);
    widest = fmax (widest, get_radius (heap, i));
  }
  for (size_t i = 0; i < swarm->n; i++)
    farthest = fmax (farthest, fmin (heap->margin[i], 2 * FARTHEST * widest));
  return 2 * (widest + farthest);
}

/* Writes where the balls are, and what became of their velocities.  wishes: what was in d before. */
static void
write_swarm (const Heap *heap, const float *start, const KgVector *moves, bool rests)
{
  const ParticleSwarm *swarm = heap->swarm;
  const bool still = heap->pairs->kind == PARTICLE_PAIRS_POSITION;

  for (size_t i = 0; i < swarm->n; i++) {
    const KgVector wish = kg_vector_subtract (kg_floats_get_vector (swarm->p, i), kg_floats_get_vector (start, i));
    KgVector v;

    if (rests) {
      memcpy (swarm->p + 3 * i, start + 3 * i, 3 * sizeof *start);
      kg_floats_set_vector (swarm->v, i, kg_vector (0, 0, 0));
      continue;
    }
    if (!(heap->inverse[i] > 0))
      continue;
    /* Without velocities, v is there for looks and blur alone. */
    v = still ? kg_vector_scale (kg_vector_subtract (heap->x[i], kg_floats_get_vector (start, i)), 1 / swarm->length)
              : kg_vector_add_scaled (kg_floats_get_vector (swarm->v, i), 1 / swarm->length,
                                      kg_vector_subtract (moves[i], wish));
    kg_floats_set_vector (swarm->v, i, v);
    kg_floats_set_vector (swarm->p, i, heap->x[i]);
  }
}

static bool
settle (Heap *heap, const float *start, GError **error)
{
  const bool still = heap->pairs->kind == PARTICLE_PAIRS_POSITION;
  const ParticleSwarm *swarm = heap->swarm;
  const double radius = read_swarm (heap, start);
  g_auto (PointNeighbours) near = { .n = 0 };
  g_autofree KgVector *moves = NULL;
  size_t crowded;

  if (!point_neighbours_find (&near, start, swarm->n, start, swarm->n,
                              &(PointQuery){ .radius = (float) radius, .skip = true, .grid = true }, MOST_NEIGHBOURS,
                              heap->monitor, error) ||
      !find_rows (heap, &near, still ? heap->walls->till : heap->walls->from))
    return false;
  crowded = thin_rows (heap);
  if (heap->pairs->crowded != NULL)
    *heap->pairs->crowded = MAX (*heap->pairs->crowded, crowded);
  /* Overlap is taken out without making it a velocity. */
  for (guint k = 0; !still && k < heap->rows->len; k++) {
    Row *row = &g_array_index (heap->rows, Row, k);

    row->gap = fmax (row->gap, 0);
  }
  warm_start (heap, heap->pairs->pushes);
  if (!solve (heap, heap->pairs->sweeps, 0.01 * heap->pairs->rest * heap->smallest))
    return false;
  if (still && find_longest (heap) < heap->pairs->rest * heap->smallest) {
    write_swarm (heap, start, heap->d, true);
    return true;
  }
  keep_pushes (heap, heap->pairs->pushes);
  moves = g_memdup2 (heap->d, swarm->n * sizeof *heap->d);
  if (!take_out_overlap (heap))
    return false;
  write_swarm (heap, start, moves, false);
  return true;
}

bool
particle_heap_settle (const ParticlePairs *pairs, const ParticleSwarm *swarm, const ParticleWalls *walls,
                      const float *start, const KgProgressMonitor *monitor, GError **error)
{
  g_autofree KgVector *x = g_new (KgVector, MAX (swarm->n, 1)), *d = g_new (KgVector, MAX (swarm->n, 1));
  g_autofree double *inverse = g_new (double, MAX (swarm->n, 1)), *margin = g_new (double, MAX (swarm->n, 1));
  Heap heap = { .pairs = pairs,
                .swarm = swarm,
                .walls = walls,
                .monitor = monitor,
                .x = x,
                .d = d,
                .inverse = inverse,
                .margin = margin,
                .friction = walls->obstacles->friction,
                .smallest = particle_heap_get_smallest (swarm->width, swarm->n) };
  bool settled;

  /* Without time nothing moves. */
  if (!(swarm->length > 0) || !(heap.smallest > 0))
    return true;
  heap.rows = g_array_new (false, false, sizeof (Row));
  settled = settle (&heap, start, error);
  g_free (heap.order);
  g_array_unref (heap.rows);
  return settled;
}

KgGeometry *
particle_heap_keep_pushes (const GArray *pushes, GError **error)
{
  g_autoptr (KgGeometry) kept = kg_geometry_new ();
  int32_t *pair;
  float *push;

  if (!kg_geometry_set_n_points (kept, pushes->len, error))
    return NULL;
  pair = kg_geometry_edit_int (kept, KG_POINTS, "pair", 2);
  push = kg_geometry_edit_float (kept, KG_POINTS, "push", 4);
  for (guint k = 0; k < pushes->len; k++) {
    const ParticlePush *p = &g_array_index (pushes, ParticlePush, k);

    pair[2 * k] = p->ball;
    pair[2 * k + 1] = p->other;
    push[4 * k] = p->push;
    memcpy (push + 4 * k + 1, p->rub, sizeof p->rub);
  }
  return g_steal_pointer (&kept);
}

GArray *
particle_heap_recall_pushes (const KgGeometry *kept)
{
  const size_t n = kg_geometry_get_n_points (kept);
  const int32_t *pair = kg_geometry_get_int (kept, KG_POINTS, "pair", 2);
  const float *push = kg_geometry_get_float (kept, KG_POINTS, "push", 4);
  GArray *pushes = g_array_new (false, false, sizeof (ParticlePush));

  for (size_t k = 0; pair != NULL && push != NULL && k < n; k++) {
    ParticlePush p = { .ball = pair[2 * k], .other = pair[2 * k + 1], .push = push[4 * k] };

    memcpy (p.rub, push + 4 * k + 1, sizeof p.rub);
    g_array_append_val (pushes, p);
  }
  return pushes;
}
