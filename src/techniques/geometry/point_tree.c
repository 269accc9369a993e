/* point_tree: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_tree.h"

#include "geometry/spatial_order.h"
#include "kg-error.h"
#include "kg-hash.h"
#include "kg-math.h"
#include "value/disjoint_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most points of a leaf, which are compared side by side. */
#define LEAF 16
/* Deepest tree of 2^32 points, and what waits on the way down. */
#define STACK 64
/* Queries that are answered in one batch. */
#define BLOCK 512

typedef struct {
  float low[3], high[3];
} Box;

/* The points of a leaf, or of a cell, lie side by side: all x, then all y, all z and the indices. */
typedef struct {
  size_t n;
  float *x, *y, *z;
  uint32_t *index;
} Columns;

struct _PointTree {
  Columns points;
  guint levels;
  Box *boxes;       /* of all parts of all levels */
  uint32_t *lowest; /* index of a point in each box */
};

/* Columns. */

static void
columns_init (Columns *columns, size_t n)
{
  *columns = (Columns){ n, g_new (float, MAX (n, 1)), g_new (float, MAX (n, 1)), g_new (float, MAX (n, 1)),
                        g_new (uint32_t, MAX (n, 1)) };
}

static void
columns_clear (Columns *columns)
{
  g_free (columns->x);
  g_free (columns->y);
  g_free (columns->z);
  g_free (columns->index);
}

static inline float
get_distance2 (const Columns *points, size_t i, const float p[3])
{
  const float x = points->x[i] - p[0], y = points->y[i] - p[1], z = points->z[i] - p[2];

  return x * x + y * y + z * z;
}

/* The nearest so far, in order. */

typedef struct {
  size_t n, k;
  float limit; /* what is farther does not count */
  PointNear *items;
} Nearest;

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

/* Few are kept in order, many in a heap with the farthest one on top, which is sorted at the end. */
#define FEW 64

static inline void
nearest_insert (Nearest *nearest, PointNear item)
{
  size_t i = nearest->n < nearest->k ? nearest->n++ : nearest->n;

  if (i == nearest->k) {
    if (!is_before (item, nearest->items[i - 1]))
      return;
    i--;
  }
  for (; i > 0 && is_before (item, nearest->items[i - 1]); i--)
    nearest->items[i] = nearest->items[i - 1];
  nearest->items[i] = item;
  if (nearest->n == nearest->k)
    nearest->limit = MIN (nearest->limit, nearest->items[nearest->k - 1].distance2);
}

static void
nearest_push (Nearest *nearest, PointNear item)
{
  PointNear *items = nearest->items;
  size_t i = 0;

  if (nearest->n < nearest->k) {
    for (i = nearest->n++; i > 0 && is_before (items[(i - 1) / 2], item); i = (i - 1) / 2)
      items[i] = items[(i - 1) / 2];
  } else {
    if (!is_before (item, items[0]))
      return;
    for (size_t child = 1; child < nearest->n; child = 2 * i + 1) {
      if (child + 1 < nearest->n && is_before (items[child], items[child + 1]))
        child++;
      if (!is_before (item, items[child]))
        break;
      items[i] = items[child];
      i = child;
    }
  }
  items[i] = item;
  if (nearest->n == nearest->k)
    nearest->limit = MIN (nearest->limit, items[0].distance2);
}

/* Whether a point as far away as that, with that index or a higher one, would be among the nearest: where many are equally far, as
 * in one place, those with low indices are, and most boxes need not be opened. */
static inline bool
nearest_wants (const Nearest *nearest, float distance2, uint32_t index)
{
  if (!(distance2 <= nearest->limit))
    return false;
  return nearest->n < nearest->k ||
         is_before ((PointNear){ distance2, index }, nearest->items[nearest->k <= FEW ? nearest->n - 1 : 0]);
}

static inline void
nearest_add (Nearest *nearest, PointNear item)
{
  if (nearest->k <= FEW)
    nearest_insert (nearest, item);
  else
    nearest_push (nearest, item);
}

/* The tree. */

static inline float
get_box_distance2 (const Box *box, const float p[3])
{
  float sum[3];

  for (int c = 0; c < 3; c++) {
    const float below = box->low[c] - p[c], above = p[c] - box->high[c];
    const float d = below > above ? below : above;

    sum[c] = d > 0 ? d * d : 0;
  }
  return sum[0] + sum[1] + sum[2];
}

static void
bound_leaf (PointTree *tree, size_t i)
{
  const Columns *points = &tree->points;
  const size_t from = spatial_order_get_first (points->n, tree->levels, i);
  const size_t to = spatial_order_get_first (points->n, tree->levels, i + 1);
  Box *box = &tree->boxes[spatial_order_get_node (tree->levels, i)];

  uint32_t lowest = G_MAXUINT32;

  *box = (Box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
  for (size_t k = from; k < to; k++) {
    const float at[3] = { points->x[k], points->y[k], points->z[k] };

    lowest = MIN (lowest, points->index[k]);

    for (int c = 0; c < 3; c++) {
      box->low[c] = fminf (box->low[c], at[c]);
      box->high[c] = fmaxf (box->high[c], at[c]);
    }
  }
  tree->lowest[spatial_order_get_node (tree->levels, i)] = lowest;
}

static void
bound_all (PointTree *tree)
{
  const size_t n_leaves = (size_t) 1 << tree->levels;

#pragma omp parallel for schedule(dynamic, 64) if (n_leaves > 1024)
  for (size_t i = 0; i < n_leaves; i++)
    bound_leaf (tree, i);
  for (size_t i = n_leaves - 1; i-- > 0;) {
    const Box *a = &tree->boxes[2 * i + 1], *b = &tree->boxes[2 * i + 2];

    for (int c = 0; c < 3; c++) {
      tree->boxes[i].low[c] = fminf (a->low[c], b->low[c]);
      tree->boxes[i].high[c] = fmaxf (a->high[c], b->high[c]);
    }
    tree->lowest[i] = MIN (tree->lowest[2 * i + 1], tree->lowest[2 * i + 2]);
  }
}

PointTree *
point_tree_new (const float *p, size_t n, const KgProgressMonitor *monitor)
{
  g_autofree SpatialItem *items = g_new (SpatialItem, MAX (n, 1));
  PointTree *tree;

#pragma omp parallel for schedule(dynamic, 8192) if (n > 100000)
  for (size_t i = 0; i < n; i++)
    items[i] = (SpatialItem){ { p[3 * i], p[3 * i + 1], p[3 * i + 2] }, (uint32_t) i };
  if (!spatial_order (items, n, spatial_order_get_levels (n, LEAF), monitor))
    return NULL;
  tree = g_new (PointTree, 1);
  tree->levels = spatial_order_get_levels (n, LEAF);
  tree->boxes = g_new (Box, ((size_t) 2 << tree->levels) - 1);
  tree->lowest = g_new (uint32_t, ((size_t) 2 << tree->levels) - 1);
  columns_init (&tree->points, n);
#pragma omp parallel for schedule(dynamic, 8192) if (n > 100000)
  for (size_t i = 0; i < n; i++) {
    tree->points.x[i] = items[i].at[0];
    tree->points.y[i] = items[i].at[1];
    tree->points.z[i] = items[i].at[2];
    tree->points.index[i] = items[i].index;
  }
  bound_all (tree);
  return tree;
}

void
point_tree_free (PointTree *tree)
{
  columns_clear (&tree->points);
  g_free (tree->boxes);
  g_free (tree->lowest);
  g_free (tree);
}

typedef struct {
  guint level;
  size_t part;
  float distance2;
  uint32_t lowest;
} Waiting;

static inline Waiting
look_at (const PointTree *tree, guint level, size_t part, const float p[3])
{
  const size_t node = spatial_order_get_node (level, part);

  return (Waiting){ level, part, get_box_distance2 (&tree->boxes[node], p), tree->lowest[node] };
}

static inline void
search_leaf (const PointTree *tree, size_t part, const float p[3], const PointFilter *filter, Nearest *nearest)
{
  const size_t from = spatial_order_get_first (tree->points.n, tree->levels, part);
  const size_t to = spatial_order_get_first (tree->points.n, tree->levels, part + 1);
  float distance2[LEAF];

  for (size_t i = from; i < to; i++)
    distance2[i - from] = get_distance2 (&tree->points, i, p);
  for (size_t i = from; i < to; i++)
    if (distance2[i - from] <= nearest->limit) {
      const PointNear item = { distance2[i - from], tree->points.index[i] };

      if (filter == NULL ||
          (nearest_wants (nearest, item.distance2, item.index) && filter->counts (filter->data, &item)))
        nearest_add (nearest, item);
    }
}

/* The nearer half first; the other one waits until it is known whether it can still matter. */
static void
search (const PointTree *tree, const float p[3], const PointFilter *filter, Nearest *nearest)
{
  Waiting stack[STACK], at = look_at (tree, 0, 0, p);
  guint n = 0;

  if (tree->points.n == 0)
    return;
  for (;;) {
    const Box *box = &tree->boxes[spatial_order_get_node (at.level, at.part)];

    if (nearest_wants (nearest, at.distance2, at.lowest) &&
        (filter == NULL || filter->may_hold (filter->data, box->low, box->high))) {
      if (at.level < tree->levels) {
        const Waiting a = look_at (tree, at.level + 1, 2 * at.part, p);
        const Waiting b = look_at (tree, at.level + 1, 2 * at.part + 1, p);

        const bool a_first = a.distance2 < b.distance2 || (a.distance2 <= b.distance2 && a.lowest < b.lowest);

        stack[n++] = a_first ? b : a;
        at = a_first ? a : b;
        continue;
      }
      search_leaf (tree, at.part, p, filter, nearest);
    }
    if (n == 0)
      return;
    at = stack[--n];
  }
}

static bool
is_finite (const float p[3])
{
  return isfinite (p[0]) && isfinite (p[1]) && isfinite (p[2]);
}

size_t
point_tree_find_nearest_of (const PointTree *tree, const float p[3], size_t k, float radius, const PointFilter *filter,
                            PointNear *found)
{
  Nearest nearest = { .k = k, .limit = radius * radius, .items = found };

  if (k > 0 && is_finite (p))
    search (tree, p, filter, &nearest);
  if (k > FEW)
    qsort (found, nearest.n, sizeof *found, compare_near);
  return nearest.n;
}

size_t
point_tree_find_nearest (const PointTree *tree, const float p[3], size_t k, float radius, PointNear *found)
{
  return point_tree_find_nearest_of (tree, p, k, radius, NULL, found);
}

int64_t
point_tree_find_closest (const PointTree *tree, const float p[3])
{
  PointNear found;

  return point_tree_find_nearest (tree, p, 1, INFINITY, &found) > 0 ? (int64_t) found.index : -1;
}

static void
sort_near (GArray *found, guint from)
{
  PointNear *items = (PointNear *) (void *) found->data + from;
  const guint n = found->len - from;

  if (n > 32) {
    qsort (items, n, sizeof *items, compare_near);
    return;
  }
  for (guint i = 1; i < n; i++) {
    const PointNear item = items[i];
    guint k = i;

    for (; k > 0 && is_before (item, items[k - 1]); k--)
      items[k] = items[k - 1];
    items[k] = item;
  }
}

/* Appends those of a range of points that are within the limit. */
static inline void
take_within (const Columns *points, size_t from, size_t to, const float p[3], float limit, GArray *found)
{
  for (size_t i = from; i < to; i++) {
    const PointNear item = { get_distance2 (points, i, p), points->index[i] };

    if (item.distance2 <= limit)
      g_array_append_val (found, item);
  }
}

void
point_tree_find_within (const PointTree *tree, const float p[3], float radius, GArray *found)
{
  const float limit = radius * radius;
  const guint before = found->len;
  Waiting stack[STACK];
  guint n = 0;

  if (!is_finite (p) || tree->points.n == 0)
    return;
  stack[n++] = look_at (tree, 0, 0, p);
  while (n > 0) {
    const Waiting at = stack[--n];

    if (!(at.distance2 <= limit))
      continue;
    if (at.level < tree->levels) {
      stack[n++] = look_at (tree, at.level + 1, 2 * at.part + 1, p);
      stack[n++] = look_at (tree, at.level + 1, 2 * at.part, p);
    } else
      take_within (&tree->points, spatial_order_get_first (tree->points.n, tree->levels, at.part),
                   spatial_order_get_first (tree->points.n, tree->levels, at.part + 1), p, limit, found);
  }
  sort_near (found, before);
}

/* The cells. */

struct _PointGrid {
  Columns points;
  uint64_t *key; /* of the cell of each */
  float cell;
  uint32_t mask;   /* cells in the table, less 1 */
  uint32_t *first; /* of each of them, and one more */
};

static inline int64_t
get_cell (const PointGrid *grid, float x)
{
  /* Beyond this, cells are far smaller than the steps between floats, and all alike. */
  const double q = kg_clamp ((double) x / (double) grid->cell, -9e15, 9e15);
  const int64_t whole = (int64_t) q;

  /* Rounded down without a call: this is asked for each point that is looked at. */
  return whole - (q < (double) whole);
}

/* Tells cells apart that are less than 2^21 from each other along each axis; farther ones share no question. */
static inline uint64_t
get_key (int64_t x, int64_t y, int64_t z)
{
  const uint64_t part = ((uint64_t) 1 << 21) - 1;

  return ((uint64_t) x & part) << 42 | ((uint64_t) y & part) << 21 | ((uint64_t) z & part);
}

/* Blocks of 4 × 4 × 8 cells lie next to each other, and in them rows along z: a search from place after place finds
 * most of what is around in the processor's caches. */
#define ROW_BITS 3
#define SIDE_BITS 2

static inline uint32_t
get_slot (const PointGrid *grid, uint64_t key)
{
  const uint64_t side = (1u << SIDE_BITS) - 1, inner = side << 42 | side << 21 | ((1u << ROW_BITS) - 1);
  const uint64_t block = kg_hash_mix ((key & ~inner) * UINT64_C (0x9e3779b97f4a7c15));
  const uint64_t within = (key >> 42 & side) << (ROW_BITS + SIDE_BITS) | (key >> 21 & side) << ROW_BITS |
                          (key & ((1u << ROW_BITS) - 1));

  return (uint32_t) (block << (ROW_BITS + 2 * SIDE_BITS) | within) & grid->mask;
}

static inline uint64_t
find_key (const PointGrid *grid, const float p[3])
{
  return get_key (get_cell (grid, p[0]), get_cell (grid, p[1]), get_cell (grid, p[2]));
}

PointGrid *
point_grid_new (const float *p, size_t n, float cell, const KgProgressMonitor *monitor)
{
  g_autofree uint64_t *keys = g_new (uint64_t, MAX (n, 1));
  PointGrid *grid;

  if (kg_progress_is_cancelled (monitor))
    return NULL;
  grid = g_new0 (PointGrid, 1);
  grid->cell = cell;
  grid->mask = 1023;
  while (grid->mask < 2 * n && grid->mask < (1u << 28))
    grid->mask = 2 * grid->mask + 1;
  grid->first = g_new0 (uint32_t, (size_t) grid->mask + 3);
  columns_init (&grid->points, n);
  grid->key = g_new (uint64_t, MAX (n, 1));
#pragma omp parallel for schedule(dynamic, 8192) if (n > 100000)
  for (size_t i = 0; i < n; i++)
    keys[i] = find_key (grid, p + 3 * i);
  /* Sorting by counting. */
  for (size_t i = 0; i < n; i++)
    grid->first[get_slot (grid, keys[i]) + 2]++;
  for (size_t i = 2; i < (size_t) grid->mask + 3; i++)
    grid->first[i] += grid->first[i - 1];
  for (size_t i = 0; i < n; i++) {
    const uint32_t to = grid->first[get_slot (grid, keys[i]) + 1]++;

    grid->points.x[to] = p[3 * i];
    grid->points.y[to] = p[3 * i + 1];
    grid->points.z[to] = p[3 * i + 2];
    grid->points.index[to] = (uint32_t) i;
    grid->key[to] = keys[i];
  }
  return grid;
}

void
point_grid_free (PointGrid *grid)
{
  columns_clear (&grid->points);
  g_free (grid->key);
  g_free (grid->first);
  g_free (grid);
}

/* Points of other cells that share a slot are kept out: they would be found twice. */
static void
take_cell (const PointGrid *grid, const int64_t at[3], const float p[3], float limit, GArray *found)
{
  const uint64_t key = get_key (at[0], at[1], at[2]);
  const uint32_t slot = get_slot (grid, key);
  const Columns *points = &grid->points;

  for (uint32_t i = grid->first[slot]; i < grid->first[slot + 1]; i++) {
    const PointNear item = { get_distance2 (points, i, p), points->index[i] };

    if (item.distance2 <= limit && grid->key[i] == key)
      g_array_append_val (found, item);
  }
}

void
point_grid_find_within (const PointGrid *grid, const float p[3], float radius, GArray *found)
{
  const guint before = found->len;
  const float limit = radius * radius;
  int64_t low[3], high[3], at[3];
  double cells = 1;

  if (!is_finite (p))
    return;
  for (int c = 0; c < 3; c++) {
    /* One step of float32 more: distances are rounded too. */
    low[c] = get_cell (grid, nextafterf (p[c] - radius, -INFINITY));
    high[c] = get_cell (grid, nextafterf (p[c] + radius, INFINITY));
    cells *= (double) (high[c] - low[c] + 1);
  }
  /* More cells than points: look at the points. */
  if (cells > (double) grid->points.n)
    take_within (&grid->points, 0, grid->points.n, p, limit, found);
  else
    for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
      for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
        for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
          take_cell (grid, at, p, limit, found);
  sort_near (found, before);
}

bool
point_grid_plan (const PointGrid *grid, const float p[3], float radius, int64_t cell[3], int64_t *rings, double *wall)
{
  const double side = (double) grid->cell, cells = (double) radius / side + 2; /* more than the radius is long */

  *wall = INFINITY;
  for (size_t c = 0; c < 3; c++) {
    const double at = (double) p[c];

    cell[c] = get_cell (grid, p[c]);
    *wall = fmin (*wall, fmin (at - (double) cell[c] * side, (double) (cell[c] + 1) * side - at));
  }
  if (!(8 * cells * cells * cells <= 4 * (double) grid->points.n + 8000))
    return false;
  *rings = (int64_t) cells;
  return true;
}

float
point_grid_get_complete (const PointGrid *grid, int64_t ring, double wall)
{
  /* Rounded down: a point next to the wall of the ring is not taken for one within it. */
  const double reach = fmax (0, (wall + (double) ring * (double) grid->cell) * (1 - 1e-6));

  return (float) (reach * reach);
}

void
point_batch_clear (PointBatch *batch)
{
  g_clear_pointer (&batch->x, g_free);
  g_clear_pointer (&batch->y, g_free);
  g_clear_pointer (&batch->z, g_free);
  g_clear_pointer (&batch->place, g_free);
  batch->n = batch->room = 0;
}

static void
grow_batch (PointBatch *batch, size_t more)
{
  if (batch->n + more <= batch->room)
    return;
  batch->room = MAX (2 * batch->room, MAX (256, batch->n + more));
  batch->x = g_renew (float, batch->x, batch->room);
  batch->y = g_renew (float, batch->y, batch->room);
  batch->z = g_renew (float, batch->z, batch->room);
  batch->place = g_renew (uint32_t, batch->place, batch->room);
}

/* The cells from low to high of one row. */
static void
gather_row (const PointGrid *grid, int64_t x, int64_t y, int64_t low, int64_t high, PointBatch *batch)
{
  const Columns *points = &grid->points;

  for (int64_t z = low, last; z <= high; z = last + 1) {
    const uint64_t from = get_key (x, y, z);
    const uint32_t slot = get_slot (grid, from);
    uint32_t begin, end;
    uint64_t to;

    last = MIN (high, z | ((1 << ROW_BITS) - 1));
    to = from + (uint64_t) (last - z);
    begin = grid->first[slot];
    end = grid->first[slot + (uint32_t) (last - z) + 1];
    grow_batch (batch, end - begin);
    for (uint32_t i = begin; i < end; i++) {
      batch->x[batch->n] = points->x[i];
      batch->y[batch->n] = points->y[i];
      batch->z[batch->n] = points->z[i];
      batch->place[batch->n] = i;
      /* Points of other rows that share the slots are overwritten: they would be found twice. */
      batch->n += grid->key[i] >= from && grid->key[i] <= to;
    }
  }
}

void
point_grid_gather (const PointGrid *grid, const int64_t cell[3], int64_t within, int64_t ring, PointBatch *batch)
{
  for (int64_t x = -ring; x <= ring; x++)
    for (int64_t y = -ring; y <= ring; y++) {
      const bool side = ABS (x) > within || ABS (y) > within;

      if (side)
        gather_row (grid, cell[0] + x, cell[1] + y, cell[2] - ring, cell[2] + ring, batch);
      else {
        gather_row (grid, cell[0] + x, cell[1] + y, cell[2] - ring, cell[2] - within - 1, batch);
        gather_row (grid, cell[0] + x, cell[1] + y, cell[2] + within + 1, cell[2] + ring, batch);
      }
    }
}

double
point_grid_get_crowding (const PointGrid *grid)
{
  double sum = 0;

  for (size_t i = 0; i <= grid->mask; i++) {
    const double n = (double) (grid->first[i + 1] - grid->first[i]);

    sum += n * n;
  }
  /* Less those that share a slot by chance. */
  return grid->points.n > 0 ? sum / (double) grid->points.n - (double) grid->points.n / ((double) grid->mask + 1) : 0;
}

const uint32_t *
point_grid_get_order (const PointGrid *grid)
{
  return grid->points.index;
}

/* Parts. */

typedef struct {
  const PointGrid *grid;
  float limit;      /* of squared distances */
  uint32_t *parent; /* of each place in the columns; a root is its own */
  uint32_t *cell;   /* the first place of the same cell */
} Parts;

/* The lower index is the root. */
static void
unite (const Parts *parts, uint32_t a, uint32_t b)
{
  const uint32_t *index = parts->grid->points.index;

  a = disjoint_sets_find (parts->parent, a);
  b = disjoint_sets_find (parts->parent, b);
  if (index[a] < index[b])
    parts->parent[b] = a;
  else
    parts->parent[a] = b;
}

/* Keys of cells that are very far from each other can be equal. */
static bool
is_in_cell (const PointGrid *grid, uint32_t i, uint64_t key, const int64_t at[3])
{
  return grid->key[i] == key && get_cell (grid, grid->points.x[i]) == at[0] &&
         get_cell (grid, grid->points.y[i]) == at[1] && get_cell (grid, grid->points.z[i]) == at[2];
}

/* Some pair of two cells is within the radius. */
static bool
cells_touch (const Parts *parts, uint32_t a, uint32_t a_end, uint32_t b, uint32_t b_end)
{
  const Columns *points = &parts->grid->points;
  const uint32_t cell_a = parts->cell[a], cell_b = parts->cell[b];

  for (uint32_t i = a; i < a_end; i++) {
    const float p[] = { points->x[i], points->y[i], points->z[i] };

    if (parts->cell[i] != cell_a)
      continue;
    for (uint32_t j = b; j < b_end; j++)
      if (get_distance2 (points, j, p) <= parts->limit && parts->cell[j] == cell_b)
        return true;
  }
  return false;
}

/* Joins the cell that begins at a place with those around it that come after it. */
static void
join_cell (const Parts *parts, uint32_t a)
{
  const PointGrid *grid = parts->grid;
  const int64_t middle[] = { get_cell (grid, grid->points.x[a]), get_cell (grid, grid->points.y[a]),
                             get_cell (grid, grid->points.z[a]) };
  const uint32_t a_end = grid->first[get_slot (grid, grid->key[a]) + 1];

  for (int k = 63; k < 125; k++) {
    const int64_t at[] = { middle[0] + k / 25 - 2, middle[1] + k / 5 % 5 - 2, middle[2] + k % 5 - 2 };
    const uint64_t key = get_key (at[0], at[1], at[2]);
    const uint32_t slot = get_slot (grid, key), end = grid->first[slot + 1];
    uint32_t b = grid->first[slot];

    while (b < end && !is_in_cell (grid, b, key, at))
      b++;
    if (b < end && disjoint_sets_find (parts->parent, a) != disjoint_sets_find (parts->parent, b) &&
        cells_touch (parts, a, a_end, b, end))
      unite (parts, a, b);
  }
}

static int64_t
number_parts (const Parts *parts, int32_t *groups)
{
  const size_t n = parts->grid->points.n;
  const uint32_t *index = parts->grid->points.index;
  g_autofree uint32_t *place = g_new (uint32_t, MAX (n, 1));
  int32_t count = 0;

  for (uint32_t i = 0; i < n; i++)
    place[index[i]] = i;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t root = disjoint_sets_find (parts->parent, place[i]);

    groups[i] = index[root] == i ? count++ : groups[index[root]];
  }
  return count;
}

int64_t
point_groups_find (const float *p, size_t n, float radius, int32_t *groups, const KgProgressMonitor *monitor)
{
  /* Corners of a cell are closer than the radius, also after rounding. */
  g_autoptr (PointGrid) grid = point_grid_new (p, n, radius * 0.577f, monitor);
  g_autofree uint32_t *parent = g_new (uint32_t, MAX (n, 1)), *cell = g_new (uint32_t, MAX (n, 1));
  const Parts parts = { grid, radius * radius, parent, cell };

  if (grid == NULL)
    return -1;
  for (uint32_t slot = 0; slot <= grid->mask; slot++)
    for (uint32_t i = grid->first[slot]; i < grid->first[slot + 1]; i++) {
      const float at[] = { grid->points.x[i], grid->points.y[i], grid->points.z[i] };
      uint32_t k = grid->first[slot];

      while (k < i &&
             !(cell[k] == k && grid->key[k] == grid->key[i] && get_distance2 (&grid->points, k, at) <= parts.limit))
        k++;
      cell[i] = k;
      parent[i] = k;
    }
  for (uint32_t i = 0; i < n; i++) {
    if (i % 256 == 0 && kg_progress_is_cancelled (monitor))
      return -1;
    if (cell[i] == i)
      join_cell (&parts, i);
  }
  return number_parts (&parts, groups);
}

/* Neighbours of many places. */

typedef struct {
  const float *places;
  size_t n;
  const PointQuery *query;
  const PointTree *tree;
  const PointGrid *grid; /* instead of the tree */
  bool in_order;         /* the places are the points of the tree: asked in its order */
} Asking;

/* Items of a block of places, and how many of each. */
typedef struct {
  GArray *items;
  guint counts[BLOCK];
} Answer;

static size_t
get_place (const Asking *asking, size_t i)
{
  if (!asking->in_order)
    return i;
  return asking->tree != NULL ? asking->tree->points.index[i] : asking->grid->points.index[i];
}

static void
drop_self (GArray *items, guint from, size_t self)
{
  for (guint i = from; i < items->len; i++)
    if (g_array_index (items, PointNear, i).index == self) {
      g_array_remove_index (items, i);
      return;
    }
}

static void
query_point (const Asking *asking, size_t place, GArray *items)
{
  const PointQuery *query = asking->query;
  const float *p = asking->places + 3 * place;
  const guint from = items->len;
  /* A point that is not its own neighbour is found all the same. */
  const size_t k = query->k + (query->skip && query->k > 0 ? 1 : 0);

  if (k > 0) {
    g_array_set_size (items, from + (guint) k);
    g_array_set_size (items, from + (guint) point_tree_find_nearest (asking->tree, p, k, query->radius,
                                                                     &g_array_index (items, PointNear, from)));
  } else if (asking->grid != NULL)
    point_grid_find_within (asking->grid, p, query->radius, items);
  else
    point_tree_find_within (asking->tree, p, query->radius, items);
  if (query->skip)
    drop_self (items, from, place);
  if (query->k > 0 && items->len - from > query->k)
    g_array_set_size (items, from + (guint) query->k);
}

static void
query_block (const Asking *asking, size_t block, Answer *answer, const KgProgressMonitor *monitor)
{
  const size_t from = block * BLOCK, to = MIN (asking->n, from + BLOCK);

  answer->items = g_array_new (FALSE, FALSE, sizeof (PointNear));
  for (size_t i = from; i < to && !kg_progress_is_cancelled (monitor); i++) {
    const guint before = answer->items->len;

    query_point (asking, get_place (asking, i), answer->items);
    answer->counts[i - from] = answer->items->len - before;
  }
}

static void
gather_block (const Asking *asking, size_t block, const Answer *answer, PointNeighbours *neighbours)
{
  const size_t from = block * BLOCK, to = MIN (asking->n, from + BLOCK);
  const PointNear *items = (const PointNear *) (const void *) answer->items->data;

  for (size_t i = from; i < to; i++) {
    const guint count = answer->counts[i - from];

    if (count > 0)
      memcpy (neighbours->items + neighbours->first[get_place (asking, i)], items, count * sizeof *items);
    items += count;
  }
}

static bool
gather (const Asking *asking, const Answer *answers, size_t n_blocks, size_t limit, PointNeighbours *neighbours,
        GError **error)
{
  size_t *first = neighbours->first;

  for (size_t i = 0; i < asking->n; i++)
    first[get_place (asking, i) + 1] = answers[i / BLOCK].counts[i % BLOCK];
  for (size_t i = 0; i < asking->n; i++)
    first[i + 1] += first[i];
  if (first[asking->n] > limit) {
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "%zu neighbours are more than the limit of %zu: use a smaller radius or fewer neighbours of each point",
        first[asking->n], limit);
    return false;
  }
  neighbours->items = g_try_new (PointNear, MAX (first[asking->n], 1));
  if (neighbours->items == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "out of memory for %zu neighbours: use a smaller radius", first[asking->n]);
    return false;
  }
#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    gather_block (asking, k, &answers[k], neighbours);
  return true;
}

/* Stops early when there are far too many: memory is not filled first. */
static bool
query_all (const Asking *asking, Answer *answers, size_t n_blocks, size_t limit, const KgProgressMonitor *monitor)
{
  size_t n_items = 0;

#pragma omp parallel for schedule(dynamic, 4) if (n_blocks > 1)
  for (size_t k = 0; k < n_blocks; k++) {
    size_t so_far;

#pragma omp atomic read
    so_far = n_items;
    if (so_far > limit || kg_progress_is_cancelled (monitor))
      continue;
    query_block (asking, k, &answers[k], monitor);
#pragma omp atomic update
    n_items += answers[k].items->len;
  }
  return n_items <= limit;
}

static bool
run_query (const Asking *asking, size_t limit, PointNeighbours *neighbours, const KgProgressMonitor *monitor,
           GError **error)
{
  const size_t n_blocks = (asking->n + BLOCK - 1) / BLOCK;
  g_autofree Answer *answers = g_new0 (Answer, MAX (n_blocks, 1));
  const bool enough = query_all (asking, answers, n_blocks, limit, monitor);
  bool done = false;

  if (!kg_progress_is_cancelled (monitor)) {
    if (enough)
      done = gather (asking, answers, n_blocks, limit, neighbours, error);
    else
      kg_set_error (error, KG_ERROR_LIMIT,
                    "there are more than %zu neighbours: use a smaller radius or fewer neighbours of each point",
                    limit);
  }
  for (size_t k = 0; k < n_blocks; k++)
    g_clear_pointer (&answers[k].items, g_array_unref);
  return done;
}

static int
compare_keys (const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return x < y ? -1 : x > y;
}

/* Whether points have more neighbours than a limit for certain: those in a cell whose diagonal is the radius are neighbours of
 * each other.  Where many are at one place, to list them before takes most of a minute. */
static bool
is_too_crowded (const PointGrid *grid, const float *p, size_t n, float radius, size_t limit)
{
  const double cell = 0.577 * (double) radius;
  g_autofree uint64_t *keys = NULL;
  double sum = 0;

  /* Larger cells hold more. */
  if ((point_grid_get_crowding (grid) - 1) * (double) n <= (double) limit)
    return false;
  keys = g_new (uint64_t, n);
  for (size_t i = 0; i < n; i++) {
    keys[i] = 0;
    for (size_t c = 0; c < 3; c++) {
      const double at = kg_clamp (floor ((double) p[3 * i + c] / cell), -9e15, 9e15);

      keys[i] = (keys[i] ^ (uint64_t) (int64_t) at) * 0x9e3779b97f4a7c15;
      keys[i] ^= keys[i] >> 32;
    }
  }
  qsort (keys, n, sizeof *keys, compare_keys);
  for (size_t i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && keys[next] == keys[i]; next++)
      ;
    sum += (double) (next - i) * (double) (next - i - 1);
  }
  return sum > (double) limit;
}

bool
point_neighbours_find (PointNeighbours *neighbours, const float *places, size_t n, const float *points, size_t n_points,
                       const PointQuery *query, size_t limit, const KgProgressMonitor *monitor, GError **error)
{
  const bool cells = query->grid && query->k == 0 && isfinite (query->radius) && query->radius > 0;
  g_autoptr (PointTree) tree = cells ? NULL : point_tree_new (points, n_points, monitor);
  g_autoptr (PointGrid) grid = cells ? point_grid_new (points, n_points, query->radius, monitor) : NULL;
  const Asking asking = {
    .places = places, .n = n, .query = query, .tree = tree, .grid = grid, .in_order = places == points && n == n_points
  };

  *neighbours = (PointNeighbours){ .n = n, .first = g_new0 (size_t, n + 1) };
  if (tree == NULL && grid == NULL)
    return false;
  if (cells && asking.in_order && is_too_crowded (grid, points, n_points, query->radius, limit)) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "there are more than %zu neighbours: use a smaller radius or fewer neighbours of each point", limit);
    return false;
  }
  return run_query (&asking, limit, neighbours, monitor, error);
}

void
point_neighbours_clear (PointNeighbours *neighbours)
{
  g_clear_pointer (&neighbours->first, g_free);
  g_clear_pointer (&neighbours->items, g_free);
}
