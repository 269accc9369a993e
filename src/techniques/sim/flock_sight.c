/* flock_sight: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_sight.h"

#include "kg-floats.h"
#include "kg-kernel.h"

#include <stdlib.h>
#include <string.h>

/* No cone is narrower, in radians. */
#define NARROWEST (5 * KG_DEGREE)
/* Angles that are equal but for rounding count as equal. */
#define ROUNDING 1e-7
/* A radius is never more cells than this, so that who sees few looks at few cells. */
#define MOST_CELLS 7
/* With so many points in a cell, on average, the tree finds them sooner. */
#define CROWDED 96.0
/* With so many, smaller cells spare more distances than they cost. */
#define FULL 24.0

struct _FlockLook {
  FlockMoment moment;
  FlockSight sight;
  PointGrid *grid;
  PointTree *tree; /* instead of the grid, where that is crowded */
  uint32_t *place; /* of each member in the order */
  bool all;
  FlockSees sees;
  gconstpointer data;
};

/* One member that looks. */
typedef struct {
  const FlockLook *look;
  uint32_t self;
  const float *eye;
  KgVector forward;
  double cosine;
  float reach, reach2, apart2;
  size_t most; /* that it attends to */
  bool unlimited;
  FlockSeen *seen;
} Looking;

void
flock_sight_narrow (const FlockSight *sight, double speed, double *radius, double *cosine)
{
  const double half = cos (0.5 * sight->angle);
  double grown;

  *radius = sight->radius;
  *cosine = half;
  if (!(sight->growth > 0) || !(sight->cruise > 0))
    return;
  grown = 1 + sight->growth * speed / sight->cruise;
  *radius *= grown;
  *cosine = fmin (1 - (1 - half) / (grown * grown * grown), cos (0.5 * NARROWEST));
}

double
flock_sight_weigh (const FlockSight *sight, double distance, double width)
{
  const double l = fmax (distance, 0.01 * sight->radius);

  if (sight->weight == FLOCK_WEIGHT_ANGLE)
    return 2 * asin (fmin (1, 0.5 * width / fmax (distance, 1e-9)));
  return sight->power == 2 ? 1 / (l * l) : pow (l, -sight->power);
}

static inline bool
is_before (FlockNear a, FlockNear b)
{
  return a.distance2 < b.distance2 || (a.distance2 == b.distance2 && a.index < b.index);
}

static int
compare_near (gconstpointer a, gconstpointer b)
{
  const FlockNear *x = a, *y = b;

  return is_before (*x, *y) ? -1 : is_before (*y, *x);
}

static void
sort (FlockNears *nears)
{
  if (nears->n > 1)
    qsort (nears->items, nears->n, sizeof *nears->items, compare_near);
}

static inline void
append (FlockNears *nears, FlockNear item)
{
  if (G_UNLIKELY (nears->n == nears->room)) {
    nears->room = MAX (2 * nears->room, FLOCK_ATTENTION);
    nears->items = g_renew (FlockNear, nears->items, nears->room);
  }
  nears->items[nears->n++] = item;
}

/* In order, and only the first most stay. */
static inline void
insert (FlockNears *nears, FlockNear item, size_t most)
{
  FlockNear *items;
  guint i;

  if (nears->n < most)
    append (nears, item);
  else if (!is_before (item, nears->items[nears->n - 1]))
    return;
  items = nears->items;
  for (i = nears->n - 1; i > 0 && is_before (item, items[i - 1]); i--)
    items[i] = items[i - 1];
  items[i] = item;
}

static inline const float *
get_eye (const FlockMoment *moment, uint32_t member)
{
  return (moment->eyes != NULL ? moment->eyes : moment->p) + 3 * (size_t) member;
}

static inline KgVector
get_offset (const FlockMoment *moment, uint32_t from, uint32_t to)
{
  const float *a = get_eye (moment, from), *b = moment->p + 3 * (size_t) to;

  return kg_vector ((double) b[0] - (double) a[0], (double) b[1] - (double) a[1], (double) b[2] - (double) a[2]);
}

/* Along the ground below a member. */
static inline KgVector
lay_down (const FlockMoment *moment, uint32_t member, KgVector way)
{
  const float *n = moment->normal + 3 * (size_t) member;

  return flock_lay_down (kg_floats_get_vector (n, 0), way);
}

static inline bool
is_seen (const Looking *at, FlockNear item, KgVector way)
{
  const FlockLook *look = at->look;
  const double length = sqrt ((double) item.distance2);

  if (at->cosine > -1) {
    if (look->moment.normal != NULL)
      way = lay_down (&look->moment, at->self, way);
    if (kg_vector_dot (way, at->forward) < (at->cosine - ROUNDING) * length)
      return false;
  }
  if (look->sight.weight == FLOCK_WEIGHT_ANGLE &&
      flock_sight_weigh (&look->sight, length, (double) look->moment.width[item.index]) < look->sight.least_angle)
    return false;
  return look->sees == NULL || look->sees (look->data, at->self, item.index);
}

/* way: from who looks to the other one. */
static inline void
take (const Looking *at, FlockNear item, KgVector way)
{
  FlockNears *seen = &at->seen->seen;

  if (item.index == at->self)
    return;
  if (item.distance2 <= at->apart2) {
    if (at->most == G_MAXSIZE)
      append (&at->seen->close, item);
    else
      insert (&at->seen->close, item, FLOCK_ATTENTION);
  }
  if (!(item.distance2 <= at->reach2))
    return;
  if (at->unlimited) {
    if (is_seen (at, item, way))
      append (seen, item);
  } else if ((seen->n < at->most || is_before (item, seen->items[seen->n - 1])) && is_seen (at, item, way))
    insert (seen, item, at->most);
}

/* Nothing that comes later, farther away than complete2, changes what is known. */
static bool
is_enough (const Looking *at, float complete2)
{
  const FlockNears *seen = &at->seen->seen, *close = &at->seen->close;

  if (at->unlimited || at->most == G_MAXSIZE)
    return false;
  return (complete2 >= at->apart2 || at->apart2 < 0 ||
          (close->n == FLOCK_ATTENTION && close->items[FLOCK_ATTENTION - 1].distance2 <= complete2)) &&
         (complete2 >= at->reach2 || (seen->n == at->most && seen->items[at->most - 1].distance2 <= complete2));
}

KG_KERNEL static void
measure (const PointBatch *batch, const float p[3], float *restrict distance2)
{
  const float *restrict x = batch->x, *restrict y = batch->y, *restrict z = batch->z;
  const float px = p[0], py = p[1], pz = p[2];

#pragma omp simd
  for (size_t i = 0; i < batch->n; i++) {
    const float dx = x[i] - px, dy = y[i] - py, dz = z[i] - pz;

    distance2[i] = dx * dx + dy * dy + dz * dz;
  }
}

static inline void
take_item (const Looking *at, const PointBatch *batch, size_t i)
{
  take (at,
        (FlockNear){ at->seen->distance2[i], point_grid_get_order (at->look->grid)[batch->place[i]], batch->place[i] },
        kg_vector ((double) batch->x[i] - (double) at->eye[0], (double) batch->y[i] - (double) at->eye[1],
                   (double) batch->z[i] - (double) at->eye[2]));
}

/* So many are sorted by insertion. */
#define FEW 48
/* The first so many are enough for those to keep apart from: one is the member itself. */
#define FIRST (FLOCK_ATTENTION + 1)

static inline uint64_t
get_key (float distance2, uint32_t index)
{
  uint32_t bits;

  /* Distances, which are not below 0, are in the order of their bits. */
  memcpy (&bits, &distance2, sizeof bits);
  return (uint64_t) bits << 32 | index;
}

static void
sort_few (FlockCandidate *items, size_t n)
{
  for (size_t k = 1; k < n; k++) {
    const FlockCandidate new = items[k];
    size_t to = k;

    for (; to > 0 && new.key < items[to - 1].key; to--)
      items[to] = items[to - 1];
    items[to] = new;
  }
}

/* The first m of n are those with the lowest keys (Hoare 1961). */
static void
select_first (FlockCandidate *items, size_t n, size_t m)
{
  size_t low = 0, high = n;

  while (high - low > 8) {
    const uint64_t a = items[low].key, b = items[(low + high) / 2].key, c = items[high - 1].key;
    const uint64_t pivot = MAX (MIN (a, b), MIN (MAX (a, b), c));
    size_t i = low, j = high - 1;

    for (;; i++, j--) {
      FlockCandidate swapped;

      while (items[i].key < pivot)
        i++;
      while (items[j].key > pivot)
        j--;
      if (i >= j)
        break;
      swapped = items[i];
      items[i] = items[j];
      items[j] = swapped;
    }
    /* Below j + 1 no key is above the pivot, and from there on none below it. */
    if (m <= j + 1)
      high = j + 1;
    else
      low = j + 1;
  }
  sort_few (items + low, high - low);
}

static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const FlockCandidate *x = a, *y = b;

  return x->key < y->key ? -1 : x->key > y->key;
}

/* The same as take_item of each of the n that are near, where nothing was taken before: sorted, they are appended. */
static void
take_sorted (const Looking *at, const PointBatch *batch, size_t n)
{
  FlockSeen *out = at->seen;
  const uint32_t *order = point_grid_get_order (at->look->grid);
  FlockCandidate *sorted = out->sorted;
  const size_t first = MIN (n, FIRST);

  for (size_t k = 0; k < n; k++) {
    const uint32_t i = out->near[k];

    sorted[k] = (FlockCandidate){ get_key (out->distance2[i], order[batch->place[i]]), i };
  }
  if (n > FIRST)
    select_first (sorted, n, FIRST);
  if (first <= FEW)
    sort_few (sorted, first);
  else
    qsort (sorted, first, sizeof *sorted, compare_candidates);
  for (size_t k = 0; k < first; k++) {
    const uint32_t i = sorted[k].at;
    const FlockNear item = { out->distance2[i], (uint32_t) sorted[k].key, batch->place[i] };

    if (item.index == at->self)
      continue;
    if (item.distance2 <= at->apart2 && out->close.n < FLOCK_ATTENTION)
      append (&out->close, item);
    if (item.distance2 <= at->reach2 && out->seen.n < at->most &&
        is_seen (at, item,
                 kg_vector ((double) batch->x[i] - (double) at->eye[0], (double) batch->y[i] - (double) at->eye[1],
                            (double) batch->z[i] - (double) at->eye[2])))
      append (&out->seen, item);
  }
  /* Of the others, none is among those to keep apart from. */
  if (out->seen.n < at->most)
    for (size_t k = first; k < n; k++)
      take_item (at, batch, sorted[k].at);
}

/* How far away one may be that is still attended to: what is known already, or else a guess. */
static inline float
get_limit (const FlockNears *nears, size_t most, float all, float guess)
{
  return fminf (all, nears->n == most ? nears->items[most - 1].distance2 : guess);
}

/* Nothing farther away than range2 is attended to. */
static inline bool
is_covered (const FlockNears *nears, size_t most, float all, float range2)
{
  return range2 >= all || (nears->n == most && nears->items[most - 1].distance2 <= range2);
}

/* Those within a range are listed without branches, which would be guessed wrong, and go first: they are most often all that
 * are attended to, and are few.  Whatever the range, the same ones are found. */
static void
take_nearest (const Looking *at, const PointBatch *batch)
{
  FlockSeen *out = at->seen;
  const float *distance2 = out->distance2;
  const float range2 = fmaxf (get_limit (&out->close, FLOCK_ATTENTION, at->apart2, out->close_range2),
                              get_limit (&out->seen, at->most, at->reach2, out->range2));
  size_t n = 0;

  for (size_t i = 0; i < batch->n; i++) {
    out->near[n] = (uint32_t) i;
    n += distance2[i] <= range2;
  }
  if (out->seen.n == 0 && out->close.n == 0)
    take_sorted (at, batch, n);
  else
    for (size_t k = 0; k < n; k++)
      take_item (at, batch, out->near[k]);
  if (is_covered (&out->close, FLOCK_ATTENTION, at->apart2, range2) &&
      is_covered (&out->seen, at->most, at->reach2, range2))
    return;
  for (size_t i = 0; i < batch->n; i++)
    if (distance2[i] > range2 && (distance2[i] <= get_limit (&out->close, FLOCK_ATTENTION, at->apart2, INFINITY) ||
                                  distance2[i] <= get_limit (&out->seen, at->most, at->reach2, INFINITY)))
      take_item (at, batch, i);
}

static void
take_batch (const Looking *at, const PointBatch *batch)
{
  FlockSeen *out = at->seen;

  if (batch->n > out->room) {
    out->room = MAX (2 * out->room, batch->n + 256);
    out->distance2 = g_renew (float, out->distance2, out->room);
    out->near = g_renew (uint32_t, out->near, out->room);
    out->sorted = g_renew (FlockCandidate, out->sorted, out->room);
  }
  measure (batch, at->eye, out->distance2);
  if (!at->unlimited) {
    take_nearest (at, batch);
    return;
  }
  for (size_t i = 0; i < batch->n; i++)
    if (out->distance2[i] <= at->reach2 || out->distance2[i] <= at->apart2)
      take_item (at, batch, i);
}

/* The cells around, and their neighbours, and so on: members of one cell share what is gathered.  False: there are more cells
 * than members. */
static bool
look_in_cells (const Looking *at, float radius)
{
  FlockSeen *out = at->seen;
  const PointGrid *grid = at->look->grid;
  int64_t cell[3], rings;
  double wall;

  if (!point_grid_plan (grid, at->eye, radius, cell, &rings, &wall))
    return false;
  if (out->look != at->look || memcmp (cell, out->cell, sizeof cell) != 0) {
    memcpy (out->cell, cell, sizeof cell);
    out->look = at->look;
    out->gathered = 0;
  }
  /* The first step is the cell with the ring around it: the cell alone hardly ever suffices. */
  for (int64_t step = 0; step == 0 || step < rings; step++) {
    PointBatch *batch = step < FLOCK_RINGS ? &out->rings[step] : &out->far;
    const int64_t ring = step + 1;

    if (step >= out->gathered || step >= FLOCK_RINGS) {
      batch->n = 0;
      point_grid_gather (grid, cell, step == 0 ? -1 : step, ring, batch);
      out->gathered = step + 1;
    }
    take_batch (at, batch);
    if (is_enough (at, point_grid_get_complete (grid, ring, wall)))
      break;
  }
  return true;
}

/* The cone in which others are seen. */
typedef struct {
  const Looking *at;
  double half; /* its angle, radians */
} Cone;

/* Beyond the rounding of what is compared, radians. */
#define CONE_SLACK 1e-3

static bool
may_hold_seen (gconstpointer data, const float low[3], const float high[3])
{
  const Cone *cone = data;
  const Looking *at = cone->at;
  double center[3], radius2 = 0, distance;
  KgVector middle;

  if (at->cosine <= -1 || at->look->moment.normal != NULL)
    return true;
  for (size_t c = 0; c < 3; c++) {
    const double side = 0.5 * ((double) high[c] - (double) low[c]);

    center[c] = 0.5 * ((double) low[c] + (double) high[c]) - (double) at->eye[c];
    radius2 += side * side;
  }
  middle = kg_vector (center[0], center[1], center[2]);
  distance = kg_vector_length (middle);
  if (!(radius2 < distance * distance))
    return true;
  /* The ball around the box, as it is seen. */
  return acos (kg_clamp (kg_vector_dot (middle, at->forward) / distance, -1, 1)) <=
         cone->half + asin (sqrt (radius2) / distance) + CONE_SLACK;
}

static bool
counts_as_seen (gconstpointer data, const PointNear *point)
{
  const Looking *at = ((const Cone *) data)->at;

  return point->index != at->self && point->distance2 <= at->reach2 &&
         is_seen (at, (FlockNear){ point->distance2, point->index, at->look->place[point->index] },
                  get_offset (&at->look->moment, at->self, point->index));
}

static void
append_found (const Looking *at, FlockNears *nears, const PointNear *found, size_t n)
{
  for (size_t i = 0; i < n; i++)
    append (nears, (FlockNear){ found[i].distance2, found[i].index, at->look->place[found[i].index] });
}

/* Those to keep apart from, and those in sight, each on its own: who flies outwards, at the rim of a crowd, has all of it behind,
 * and nearest ones first would go through all of it. */
static void
look_for_nearest (const Looking *at)
{
  const Cone cone = { at, acos (kg_clamp (at->cosine, -1, 1)) };
  const PointFilter filter = { may_hold_seen, counts_as_seen, &cone };
  PointNear found[FLOCK_ATTENTION + 1];
  size_t n, others = 0;

  if (at->apart2 >= 0) {
    n = point_tree_find_nearest (at->look->tree, at->eye, FLOCK_ATTENTION + 1, (float) at->look->sight.apart, found);
    for (size_t i = 0; i < n; i++)
      if (found[i].index != at->self)
        found[others++] = found[i];
    append_found (at, &at->seen->close, found, MIN (others, FLOCK_ATTENTION));
  }
  n = point_tree_find_nearest_of (at->look->tree, at->eye, at->most, at->reach, &filter, found);
  append_found (at, &at->seen->seen, found, n);
}

/* The nearest few, and more of them while they do not suffice. */
static void
look_in_tree (const Looking *at, float radius)
{
  size_t k = 4 * FLOCK_ATTENTION;

  if (!at->unlimited && at->most != G_MAXSIZE) {
    look_for_nearest (at);
    return;
  }

  for (;;) {
    g_autofree PointNear *found = g_new (PointNear, k);
    const size_t n = point_tree_find_nearest (at->look->tree, at->eye, k, radius, found);

    at->seen->seen.n = 0;
    at->seen->close.n = 0;
    for (size_t i = 0; i < n; i++)
      take (at, (FlockNear){ found[i].distance2, found[i].index, at->look->place[found[i].index] },
            get_offset (&at->look->moment, at->self, found[i].index));
    if (n < k || is_enough (at, found[n - 1].distance2))
      return;
    k *= 4;
  }
}

/* Leaves out who is behind a nearer one that covers a larger angle. */
static void
hide (const Looking *at)
{
  const FlockMoment *moment = &at->look->moment;
  FlockNears *seen = &at->seen->seen;
  guint n = 0;

  for (guint i = 0; i < seen->n && n < at->most; i++) {
    const FlockNear item = seen->items[i];
    const KgVector d = get_offset (moment, at->self, item.index);
    const double length = sqrt ((double) item.distance2),
                 angle = (double) moment->width[item.index] / fmax (length, 1e-9);
    bool hidden = false;

    for (guint k = 0; k < n && !hidden && length > 1e-9; k++) {
      const FlockNear nearer = seen->items[k];
      const KgVector e = get_offset (moment, at->self, nearer.index);
      const double width = (double) moment->width[nearer.index];
      const double along = kg_vector_dot (e, d) / length;

      hidden = along > 0 && nearer.distance2 < item.distance2 &&
               kg_vector_length (kg_vector_cross (d, e)) < 0.5 * width * length &&
               width / fmax (sqrt ((double) nearer.distance2), 1e-9) > angle;
    }
    if (!hidden)
      seen->items[n++] = item;
  }
  seen->n = n;
}

FlockLook *
flock_look_new (const FlockMoment *moment, const FlockSight *sight, bool all, FlockSees sees, gconstpointer data,
                const KgProgressMonitor *monitor)
{
  g_autoptr (FlockLook) look = g_new0 (FlockLook, 1);
  double cell = kg_clamp (sight->apart, sight->radius / MOST_CELLS, sight->radius);

  look->moment = *moment;
  look->sight = *sight;
  look->all = all;
  look->sees = sees;
  look->data = data;
  for (;;) {
    double crowding;

    g_clear_pointer (&look->grid, point_grid_free);
    look->grid = point_grid_new (moment->p, moment->n, (float) cell, monitor);
    if (look->grid == NULL)
      return NULL;
    crowding = point_grid_get_crowding (look->grid);
    if (crowding > FULL && cell > 1.01 * sight->radius / MOST_CELLS)
      cell = fmax (0.5 * cell, sight->radius / MOST_CELLS);
    else if (crowding < 1.3 && cell < 0.49 * sight->radius)
      cell *= 2;
    else {
      look->tree = crowding > CROWDED ? point_tree_new (moment->p, moment->n, monitor) : NULL;
      look->place = g_new (uint32_t, MAX (moment->n, 1));
      for (uint32_t i = 0; i < moment->n; i++)
        look->place[point_grid_get_order (look->grid)[i]] = i;
      return crowding > CROWDED && look->tree == NULL ? NULL : g_steal_pointer (&look);
    }
  }
}

void
flock_look_free (FlockLook *look)
{
  g_clear_pointer (&look->grid, point_grid_free);
  g_clear_pointer (&look->tree, point_tree_free);
  g_free (look->place);
  g_free (look);
}

const uint32_t *
flock_look_get_order (const FlockLook *look)
{
  return point_grid_get_order (look->grid);
}

void
flock_seen_clear (FlockSeen *seen)
{
  g_clear_pointer (&seen->seen.items, g_free);
  g_clear_pointer (&seen->close.items, g_free);
  g_clear_pointer (&seen->distance2, g_free);
  g_clear_pointer (&seen->near, g_free);
  g_clear_pointer (&seen->sorted, g_free);
  for (guint i = 0; i < FLOCK_RINGS; i++)
    point_batch_clear (&seen->rings[i]);
  point_batch_clear (&seen->far);
  *seen = (FlockSeen){ .room = 0 };
}

static void
look_at_all (const Looking *at)
{
  const FlockMoment *moment = &at->look->moment;
  const float *p = at->eye;

  for (uint32_t i = 0; i < moment->n; i++) {
    const float *q = moment->p + 3 * (size_t) i, x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];

    take (at, (FlockNear){ x * x + y * y + z * z, i, at->look->place[i] }, get_offset (moment, at->self, i));
  }
}

void
flock_look_at (const FlockLook *look, uint32_t member, FlockSeen *seen)
{
  const FlockSight *sight = &look->sight;
  const float *v = look->moment.v + 3 * (size_t) member, *f = look->moment.heading + 3 * (size_t) member;
  Looking at = { .look = look, .self = member, .eye = get_eye (&look->moment, member), .seen = seen };
  double radius;
  float reach;

  seen->seen.n = seen->close.n = 0;
  at.forward = kg_floats_get_vector (f, 0);
  flock_sight_narrow (sight, sqrt ((double) (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])), &radius, &at.cosine);
  at.most = sight->neighbours > 0 ? MIN (sight->neighbours, FLOCK_ATTENTION) : G_MAXSIZE;
  at.unlimited = sight->neighbours == 0 || sight->hidden_by_members;
  at.reach = (float) radius;
  at.reach2 = at.reach * at.reach;
  at.apart2 = sight->apart > 0 ? (float) sight->apart * (float) sight->apart : -1;
  reach = (float) fmax (radius, sight->apart);
  if (!look->all && look->tree != NULL)
    look_in_tree (&at, reach);
  else if (look->all || !look_in_cells (&at, reach))
    look_at_all (&at);
  if (at.unlimited)
    sort (&seen->seen);
  /* Neighbours of neighbours are about as far away. */
  seen->range2 = at.unlimited || seen->seen.n < at.most ? at.reach2 : 1.5f * seen->seen.items[at.most - 1].distance2;
  seen->close_range2 = seen->close.n < FLOCK_ATTENTION || at.most == G_MAXSIZE
                           ? at.apart2
                           : 1.3f * seen->close.items[FLOCK_ATTENTION - 1].distance2;
  if (at.most == G_MAXSIZE)
    sort (&seen->close);
  if (sight->hidden_by_members)
    hide (&at);
  if (!sight->behind) {
    guint n = 0;

    for (guint i = 0; i < seen->close.n; i++) {
      const FlockNear item = seen->close.items[i];

      if (is_seen (&at, item, get_offset (&look->moment, member, item.index)))
        seen->close.items[n++] = item;
    }
    seen->close.n = n;
  }
}
