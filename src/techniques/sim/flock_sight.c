/* flock_sight: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_sight.h"

#include <string.h>

/* No cone is narrower, in radians. */
#define NARROWEST (5 * KG_DEGREE)
/* Angles that are equal but for rounding count as equal. */
#define ROUNDING 1e-7
/* A radius is never more cells than this, so that who sees few looks at few cells. */
#define MOST_CELLS 7
/* With so many points in a cell, on average, the tree finds them sooner. */
#define CROWDED 96.0

struct _FlockLook {
  FlockMoment moment;
  FlockSight sight;
  PointGrid *grid;
  PointTree *tree; /* instead of the grid, where that is crowded */
  bool all;
  FlockSees sees;
  gconstpointer data;
};

/* One member that looks. */
typedef struct {
  const FlockLook *look;
  uint32_t self;
  KgVector forward;
  double cosine;
  float reach2, apart2;
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
is_before (PointNear a, PointNear b)
{
  return a.distance2 < b.distance2 || (a.distance2 == b.distance2 && a.index < b.index);
}

static int
compare_near (gconstpointer a, gconstpointer b)
{
  const PointNear *x = a, *y = b;

  return is_before (*x, *y) ? -1 : is_before (*y, *x);
}

/* Into an array in order, of which only the first most stay. */
static inline void
insert (GArray *array, PointNear item, size_t most)
{
  PointNear *items;
  guint i = array->len;

  if (array->len < most)
    g_array_set_size (array, array->len + 1);
  else if (is_before (item, g_array_index (array, PointNear, i - 1)))
    i--;
  else
    return;
  items = (PointNear *) (void *) array->data;
  for (; i > 0 && is_before (item, items[i - 1]); i--)
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

static inline KgVector
get_way (const FlockMoment *moment, uint32_t from, uint32_t to)
{
  const KgVector d = get_offset (moment, from, to);
  const float *n = moment->normal != NULL ? moment->normal + 3 * (size_t) from : NULL;

  return n != NULL ? flock_lay_down (kg_vector ((double) n[0], (double) n[1], (double) n[2]), d) : d;
}

static inline bool
is_seen (const Looking *at, PointNear item)
{
  const FlockLook *look = at->look;
  const double length = sqrt ((double) item.distance2);

  if (at->cosine > -1 &&
      kg_vector_dot (get_way (&look->moment, at->self, item.index), at->forward) < (at->cosine - ROUNDING) * length)
    return false;
  if (look->sight.weight == FLOCK_WEIGHT_ANGLE &&
      flock_sight_weigh (&look->sight, length, (double) look->moment.width[item.index]) < look->sight.least_angle)
    return false;
  return look->sees == NULL || look->sees (look->data, at->self, item.index);
}

static inline void
take (const Looking *at, PointNear item)
{
  GArray *seen = at->seen->seen;

  if (item.index == at->self)
    return;
  if (item.distance2 <= at->apart2) {
    if (at->most == G_MAXSIZE)
      g_array_append_val (at->seen->close, item);
    else
      insert (at->seen->close, item, FLOCK_ATTENTION);
  }
  if (!(item.distance2 <= at->reach2))
    return;
  if (at->unlimited) {
    if (is_seen (at, item))
      g_array_append_val (seen, item);
  } else if ((seen->len < at->most || is_before (item, g_array_index (seen, PointNear, seen->len - 1))) &&
             is_seen (at, item))
    insert (seen, item, at->most);
}

/* Nothing that comes later, farther away than complete2, changes what is known. */
static bool
is_enough (const Looking *at, float complete2)
{
  const GArray *seen = at->seen->seen, *close = at->seen->close;

  if (at->unlimited || at->most == G_MAXSIZE)
    return false;
  return (complete2 >= at->apart2 || at->apart2 < 0 ||
          (close->len == FLOCK_ATTENTION &&
           g_array_index (close, PointNear, FLOCK_ATTENTION - 1).distance2 <= complete2)) &&
         (complete2 >= at->reach2 ||
          (seen->len == at->most && g_array_index (seen, PointNear, at->most - 1).distance2 <= complete2));
}

static bool
take_ring (gpointer data, const PointNear *found, size_t n, float complete2)
{
  const Looking *at = data;

  for (size_t i = 0; i < n; i++)
    take (at, found[i]);
  /* In the middle of a ring, points at the same place as this one are as near as any; they come in the order of their indices. */
  return !is_enough (at, fmaxf (complete2, 0));
}

/* The nearest few, and more of them while they do not suffice. */
static void
look_in_tree (const Looking *at, const float *p, float radius)
{
  size_t k = 4 * FLOCK_ATTENTION;

  for (;;) {
    g_autofree PointNear *found = g_new (PointNear, k);
    const size_t n = point_tree_find_nearest (at->look->tree, p, k, radius, found);

    g_array_set_size (at->seen->seen, 0);
    g_array_set_size (at->seen->close, 0);
    for (size_t i = 0; i < n; i++)
      take (at, found[i]);
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
  GArray *seen = at->seen->seen;
  guint n = 0;

  for (guint i = 0; i < seen->len && n < at->most; i++) {
    const PointNear item = g_array_index (seen, PointNear, i);
    const KgVector d = get_offset (moment, at->self, item.index);
    const double length = sqrt ((double) item.distance2),
                 angle = (double) moment->width[item.index] / fmax (length, 1e-9);
    bool hidden = false;

    for (guint k = 0; k < n && !hidden && length > 1e-9; k++) {
      const PointNear nearer = g_array_index (seen, PointNear, k);
      const KgVector e = get_offset (moment, at->self, nearer.index);
      const double width = (double) moment->width[nearer.index];
      const double along = kg_vector_dot (e, d) / length;

      hidden = along > 0 && nearer.distance2 < item.distance2 &&
               kg_vector_length (kg_vector_cross (d, e)) < 0.5 * width * length &&
               width / fmax (sqrt ((double) nearer.distance2), 1e-9) > angle;
    }
    if (!hidden)
      g_array_index (seen, PointNear, n++) = item;
  }
  g_array_set_size (seen, n);
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
    if (crowding > CROWDED && cell > 1.01 * sight->radius / MOST_CELLS)
      cell = fmax (0.5 * cell, sight->radius / MOST_CELLS);
    else if (crowding < 1.3 && cell < 0.49 * sight->radius)
      cell *= 2;
    else {
      look->tree = crowding > CROWDED ? point_tree_new (moment->p, moment->n, monitor) : NULL;
      return crowding > CROWDED && look->tree == NULL ? NULL : g_steal_pointer (&look);
    }
  }
}

void
flock_look_free (FlockLook *look)
{
  g_clear_pointer (&look->grid, point_grid_free);
  g_clear_pointer (&look->tree, point_tree_free);
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
  g_clear_pointer (&seen->seen, g_array_unref);
  g_clear_pointer (&seen->close, g_array_unref);
}

static void
look_at_all (const Looking *at, const float *p)
{
  const FlockMoment *moment = &at->look->moment;

  for (uint32_t i = 0; i < moment->n; i++) {
    const float *q = moment->p + 3 * (size_t) i, x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];

    take (at, (PointNear){ x * x + y * y + z * z, i });
  }
}

void
flock_look_at (const FlockLook *look, uint32_t member, FlockSeen *seen)
{
  const FlockSight *sight = &look->sight;
  const float *p = get_eye (&look->moment, member), *v = look->moment.v + 3 * (size_t) member;
  const float *f = look->moment.heading + 3 * (size_t) member;
  Looking at = { .look = look, .self = member, .seen = seen };
  double radius;
  float reach;

  if (seen->seen == NULL) {
    seen->seen = g_array_new (FALSE, FALSE, sizeof (PointNear));
    seen->close = g_array_new (FALSE, FALSE, sizeof (PointNear));
  }
  g_array_set_size (seen->seen, 0);
  g_array_set_size (seen->close, 0);
  at.forward = kg_vector ((double) f[0], (double) f[1], (double) f[2]);
  flock_sight_narrow (sight, sqrt ((double) (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])), &radius, &at.cosine);
  at.most = sight->neighbours > 0 ? MIN (sight->neighbours, FLOCK_ATTENTION) : G_MAXSIZE;
  at.unlimited = sight->neighbours == 0 || sight->hidden_by_members;
  at.reach2 = (float) radius * (float) radius;
  at.apart2 = sight->apart > 0 ? (float) sight->apart * (float) sight->apart : -1;
  reach = (float) fmax (radius, sight->apart);
  if (look->all)
    look_at_all (&at, p);
  else if (look->tree != NULL)
    look_in_tree (&at, p, reach);
  else
    point_grid_visit_rings (look->grid, p, reach, take_ring, &at);
  if (at.unlimited)
    g_array_sort (seen->seen, compare_near);
  if (at.most == G_MAXSIZE)
    g_array_sort (seen->close, compare_near);
  if (sight->hidden_by_members)
    hide (&at);
  if (!sight->behind) {
    guint n = 0;

    for (guint i = 0; i < seen->close->len; i++) {
      const PointNear item = g_array_index (seen->close, PointNear, i);

      if (is_seen (&at, item))
        g_array_index (seen->close, PointNear, n++) = item;
    }
    g_array_set_size (seen->close, n);
  }
}
