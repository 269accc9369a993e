/* box_tree: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/box_tree.h"

#include "geometry/spatial_order.h"
#include "kg-error.h"

#include <string.h>

/* Most boxes of a leaf. */
#define LEAF 4
/* Pairs of parts that are given to threads. */
#define TASKS 512
#define STACK 160

struct _BoxTree {
  size_t n;
  guint levels;
  BoundingBox *parts; /* of all levels, spatial_order_get_node () */
  BoundingBox *boxes; /* in the order of the tree */
  uint32_t *index;
};

double
bounding_box_get_distance2 (const BoundingBox *box, KgVector x)
{
  double sum = 0;

  for (size_t c = 0; c < 3; c++) {
    const double at = kg_vector_get (x, c);
    const double d = fmax (fmax ((double) box->low[c] - at, at - (double) box->high[c]), 0);

    sum += d * d;
  }
  return sum;
}

static void
join_parts (BoxTree *tree)
{
  const size_t n_leaves = (size_t) 1 << tree->levels;

#pragma omp parallel for schedule(dynamic, 256) if (n_leaves > 2048)
  for (size_t i = 0; i < n_leaves; i++) {
    BoundingBox box = bounding_box_new ();
    const size_t to = spatial_order_get_first (tree->n, tree->levels, i + 1);

    for (size_t k = spatial_order_get_first (tree->n, tree->levels, i); k < to; k++)
      bounding_box_join (&box, &tree->boxes[k]);
    tree->parts[spatial_order_get_node (tree->levels, i)] = box;
  }
  for (size_t i = n_leaves - 1; i-- > 0;) {
    tree->parts[i] = tree->parts[2 * i + 1];
    bounding_box_join (&tree->parts[i], &tree->parts[2 * i + 2]);
  }
}

void
box_tree_refit (BoxTree *tree, const BoundingBox *boxes)
{
#pragma omp parallel for schedule(dynamic, 8192) if (tree->n > 8192)
  for (size_t i = 0; i < tree->n; i++)
    tree->boxes[i] = boxes[tree->index[i]];
  join_parts (tree);
}

BoxTree *
box_tree_new (const BoundingBox *boxes, size_t n, const KgProgressMonitor *monitor)
{
  g_autofree SpatialItem *items = g_new (SpatialItem, MAX (n, 1));
  const guint levels = spatial_order_get_levels (n, LEAF);
  BoxTree *tree;

#pragma omp parallel for schedule(dynamic, 8192) if (n > 8192)
  for (size_t i = 0; i < n; i++) {
    items[i].index = (uint32_t) i;
    for (int c = 0; c < 3; c++)
      items[i].at[c] = 0.5f * boxes[i].low[c] + 0.5f * boxes[i].high[c];
  }
  if (!spatial_order (items, n, levels, monitor))
    return NULL;
  tree = g_new (BoxTree, 1);
  *tree = (BoxTree){ n, levels, g_new (BoundingBox, ((size_t) 2 << levels) - 1), g_new (BoundingBox, MAX (n, 1)),
                     g_new (uint32_t, MAX (n, 1)) };
  for (size_t i = 0; i < n; i++)
    tree->index[i] = items[i].index;
  box_tree_refit (tree, boxes);
  return tree;
}

void
box_tree_free (BoxTree *tree)
{
  g_free (tree->parts);
  g_free (tree->boxes);
  g_free (tree->index);
  g_free (tree);
}

size_t
box_tree_get_n (const BoxTree *tree)
{
  return tree->n;
}

const BoundingBox *
box_tree_get_box (const BoxTree *tree, size_t place)
{
  return &tree->boxes[place];
}

BoundingBox
box_tree_get_bounds (const BoxTree *tree)
{
  return tree->parts[0];
}

guint
box_tree_get_n_levels (const BoxTree *tree)
{
  return tree->levels + 1;
}

const BoundingBox *
box_tree_get_level (const BoxTree *tree, guint level)
{
  return tree->parts + spatial_order_get_node (level, 0);
}

double
box_tree_get_area (const BoxTree *tree)
{
  double area = 0;

  for (size_t i = 0; i < ((size_t) 2 << tree->levels) - 1; i++) {
    const BoundingBox *part = &tree->parts[i];
    const double x = (double) part->high[0] - (double) part->low[0], y = (double) part->high[1] - (double) part->low[1];
    const double z = (double) part->high[2] - (double) part->low[2];

    if (x >= 0)
      area += 2 * (x * y + y * z + z * x);
  }
  return area;
}

/* Pairs. */

/* A part of each tree. */
typedef struct {
  uint32_t part_a, part_b;
  uint8_t level_a, level_b;
} PartPair;

typedef struct {
  const BoxTree *a, *b;
  bool one; /* within one tree: each pair once */
} Pairing;

static inline const BoundingBox *
get_part (const BoxTree *tree, guint level, size_t part)
{
  return &tree->parts[spatial_order_get_node (level, part)];
}

/* The parts below a pair whose boxes overlap.  Returns how many (at most 3 of one part with itself, else 2). */
static guint
split (const Pairing *pairing, PartPair pair, PartPair *below, size_t *n_tests)
{
  guint n = 0;

  if (pairing->one && pair.level_a == pair.level_b && pair.part_a == pair.part_b) {
    const uint8_t level = pair.level_a + 1;
    const uint32_t first = 2 * pair.part_a;

    below[n++] = (PartPair){ first, first, level, level };
    below[n++] = (PartPair){ first + 1, first + 1, level, level };
    ++*n_tests;
    if (bounding_box_overlaps (get_part (pairing->a, level, first), get_part (pairing->a, level, first + 1)))
      below[n++] = (PartPair){ first, first + 1, level, level };
    return n;
  }
  /* The part with more below it is divided. */
  if (pair.level_b >= pairing->b->levels ||
      (pair.level_a < pairing->a->levels && pairing->a->n >> pair.level_a >= pairing->b->n >> pair.level_b)) {
    const BoundingBox *box = get_part (pairing->b, pair.level_b, pair.part_b);

    for (uint32_t i = 0; i < 2; i++) {
      below[n] = (PartPair){ 2 * pair.part_a + i, pair.part_b, pair.level_a + 1, pair.level_b };
      n += bounding_box_overlaps (get_part (pairing->a, pair.level_a + 1, 2 * pair.part_a + i), box);
    }
  } else {
    const BoundingBox *box = get_part (pairing->a, pair.level_a, pair.part_a);

    for (uint32_t i = 0; i < 2; i++) {
      below[n] = (PartPair){ pair.part_a, 2 * pair.part_b + i, pair.level_a, pair.level_b + 1 };
      n += bounding_box_overlaps (box, get_part (pairing->b, pair.level_b + 1, 2 * pair.part_b + i));
    }
  }
  *n_tests += 2;
  return n;
}

static bool
is_leaf_pair (const Pairing *pairing, PartPair pair)
{
  return pair.level_a == pairing->a->levels && pair.level_b == pairing->b->levels;
}

static void
compare_leaves (const Pairing *pairing, PartPair pair, GArray *found, size_t *n_tests)
{
  const BoxTree *a = pairing->a, *b = pairing->b;
  const size_t to_a = spatial_order_get_first (a->n, a->levels, pair.part_a + 1);
  const size_t to_b = spatial_order_get_first (b->n, b->levels, pair.part_b + 1);
  const bool same = pairing->one && pair.part_a == pair.part_b;

  for (size_t i = spatial_order_get_first (a->n, a->levels, pair.part_a); i < to_a; i++) {
    const size_t from = same ? i + 1 : spatial_order_get_first (b->n, b->levels, pair.part_b);

    *n_tests += to_b > from ? to_b - from : 0;
    for (size_t k = from; k < to_b; k++)
      if (bounding_box_overlaps (&a->boxes[i], &b->boxes[k])) {
        const uint32_t x = a->index[i], y = b->index[k];
        const BoxPair item = pairing->one && y < x ? (BoxPair){ y, x } : (BoxPair){ x, y };

        g_array_append_val (found, item);
      }
  }
}

typedef struct {
  GArray *found; /* BoxPair */
  size_t n_tests;
} Task;

static void
descend (const Pairing *pairing, PartPair start, size_t limit, Task *task, const KgProgressMonitor *monitor)
{
  PartPair stack[STACK];
  guint n = 0, since = 0;

  stack[n++] = start;
  while (n > 0 && task->found->len <= limit) {
    const PartPair pair = stack[--n];

    if (++since > 10000) {
      since = 0;
      if (kg_progress_is_cancelled (monitor))
        return;
    }
    if (is_leaf_pair (pairing, pair))
      compare_leaves (pairing, pair, task->found, &task->n_tests);
    else
      n += split (pairing, pair, stack + n, &task->n_tests);
  }
}

/* Level by level until there is enough to do for all threads. */
static GArray *
list_tasks (const Pairing *pairing, size_t *n_tests)
{
  GArray *tasks = g_array_new (FALSE, FALSE, sizeof (PartPair));
  const PartPair top = { 0, 0, 0, 0 };

  g_array_append_val (tasks, top);
  for (bool divided = true; divided && tasks->len < TASKS;) {
    GArray *next = g_array_new (FALSE, FALSE, sizeof (PartPair));

    divided = false;
    for (guint i = 0; i < tasks->len; i++) {
      const PartPair pair = g_array_index (tasks, PartPair, i);
      PartPair below[3];

      if (is_leaf_pair (pairing, pair)) {
        g_array_append_val (next, pair);
      } else {
        g_array_append_vals (next, below, split (pairing, pair, below, n_tests));
        divided = true;
      }
    }
    g_array_unref (tasks);
    tasks = next;
  }
  return tasks;
}

static int
compare_pairs (const void *a, const void *b)
{
  const BoxPair *x = a, *y = b;

  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Sorting by counting the first, then each group by the second. */
static GArray *
sort_pairs (GArray *pairs, size_t n_a)
{
  g_autofree uint32_t *first = g_new0 (uint32_t, n_a + 2);
  GArray *sorted = g_array_sized_new (FALSE, FALSE, sizeof (BoxPair), pairs->len);
  const BoxPair *from = (const BoxPair *) (const void *) pairs->data;
  BoxPair *to;

  g_array_set_size (sorted, pairs->len);
  to = (BoxPair *) (void *) sorted->data;
  for (guint i = 0; i < pairs->len; i++)
    first[from[i].a + 2]++;
  for (size_t i = 2; i < n_a + 2; i++)
    first[i] += first[i - 1];
  for (guint i = 0; i < pairs->len; i++)
    to[first[from[i].a + 1]++] = from[i];
  for (size_t i = 0; i < n_a; i++) {
    const uint32_t begin = first[i], n = first[i + 1] - begin;

    if (n > 24)
      qsort (to + begin, n, sizeof *to, compare_pairs);
    else
      for (uint32_t k = 1; k < n; k++) {
        const BoxPair item = to[begin + k];
        uint32_t j = k;

        for (; j > 0 && item.b < to[begin + j - 1].b; j--)
          to[begin + j] = to[begin + j - 1];
        to[begin + j] = item;
      }
  }
  g_array_unref (pairs);
  return sorted;
}

static GArray *
join_tasks (Task *tasks, guint n)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (BoxPair));

  for (guint i = 0; i < n; i++) {
    if (tasks[i].found->len > 0)
      g_array_append_vals (found, tasks[i].found->data, tasks[i].found->len);
    g_array_unref (tasks[i].found);
  }
  return found;
}

GArray *
box_tree_find_pairs (const BoxTree *a, const BoxTree *b, size_t limit, size_t *n_tests,
                     const KgProgressMonitor *monitor, GError **error)
{
  const Pairing pairing = { a, b != NULL ? b : a, b == NULL };
  g_autoptr (GArray) parts = NULL, found = NULL;
  g_autofree Task *tasks = NULL;
  size_t tests = 1, n_found = 0;

  if (pairing.a->n > 0 && pairing.b->n > 0 && bounding_box_overlaps (&pairing.a->parts[0], &pairing.b->parts[0]))
    parts = list_tasks (&pairing, &tests);
  else
    parts = g_array_new (FALSE, FALSE, sizeof (PartPair));
  tasks = g_new0 (Task, MAX (parts->len, 1));
#pragma omp parallel for schedule(dynamic, 4) if (parts->len > 64)
  for (guint i = 0; i < parts->len; i++) {
    size_t so_far;

    tasks[i].found = g_array_new (FALSE, FALSE, sizeof (BoxPair));
#pragma omp atomic read
    so_far = n_found;
    if (so_far <= limit && !kg_progress_is_cancelled (monitor))
      descend (&pairing, g_array_index (parts, PartPair, i), limit, &tasks[i], monitor);
#pragma omp atomic update
    n_found += tasks[i].found->len;
  }
  for (guint i = 0; i < parts->len; i++)
    tests += tasks[i].n_tests;
  if (n_tests != NULL)
    *n_tests = tests;
  found = join_tasks (tasks, parts->len);
  if (kg_progress_is_cancelled (monitor))
    return NULL;
  if (found->len > limit) {
    kg_set_error (error, KG_ERROR_LIMIT, "more than %zu pairs of boxes overlap: use fewer or smaller objects", limit);
    return NULL;
  }
  return sort_pairs (g_steal_pointer (&found), pairing.a->n);
}

/* Questions. */

typedef struct {
  uint32_t part;
  guint level;
  double distance;
} Waiting;

void
box_tree_visit_overlaps (const BoxTree *tree, const BoundingBox *box, BoxVisit visit, gpointer data)
{
  Waiting stack[STACK]; /* not cleared: that took longer than to look into a small tree */
  guint n = 0;

  if (tree->n > 0 && bounding_box_overlaps (box, get_part (tree, 0, 0)))
    stack[n++] = (Waiting){ .level = 0 };
  while (n > 0) {
    const Waiting at = stack[--n];

    if (at.level < tree->levels) {
      /* Written in any case, and kept where it overlaps: which does is hard to foresee. */
      stack[n] = (Waiting){ .part = 2 * at.part + 1, .level = at.level + 1 };
      n += bounding_box_overlaps (box, get_part (tree, at.level + 1, 2 * at.part + 1));
      stack[n] = (Waiting){ .part = 2 * at.part, .level = at.level + 1 };
      n += bounding_box_overlaps (box, get_part (tree, at.level + 1, 2 * at.part));
      continue;
    }
    for (size_t i = spatial_order_get_first (tree->n, tree->levels, at.part);
         i < spatial_order_get_first (tree->n, tree->levels, at.part + 1); i++)
      if (bounding_box_overlaps (box, &tree->boxes[i]) && !visit (data, tree->index[i]))
        return;
  }
}

/* A ray, and where it starts as boxes see it that are wider by a margin at their low and at their high sides. */
typedef struct {
  KgVector low, high, inverse;
} Ray;

/* How much wider than boxes what is in them may be: by the borders of triangles that rays graze, in shares of all that there is, and by
 * the rounding of a place that a ray starts at or passes, in shares of its coordinates. */
#define RAY_GRAZES 4e-9
#define RAY_ROUNDING 1e-14

/* Slabs.  The rounding of the distances at which a ray crosses them alone would need a share of those (Ize 2013), which is nothing for
 * a ray that starts on a side of the box: the margin is one of places, and larger than both. */
static Ray
make_ray (const BoundingBox *bounds, KgVector x, KgVector d)
{
  double margin[3];
  KgVector m;

  for (size_t c = 0; c < 3; c++) {
    const double low = (double) bounds->low[c], high = (double) bounds->high[c];

    margin[c] = RAY_GRAZES * (high - low) +
                RAY_ROUNDING * (fabs (kg_vector_get (x, c)) + fmax (fabs (low), fabs (high)));
  }
  m = kg_vector (margin[0], margin[1], margin[2]);
  return (Ray){ kg_vector_add (x, m), kg_vector_subtract (x, m), { 1 / d.x, 1 / d.y, 1 / d.z } };
}

/* Where the ray enters the box; INFINITY when it does not. */
static double
enter_box (const Ray *ray, const BoundingBox *box)
{
  double from = 0, to = INFINITY;

  for (size_t c = 0; c < 3; c++) {
    const double low = (double) box->low[c] - kg_vector_get (ray->low, c);
    const double high = (double) box->high[c] - kg_vector_get (ray->high, c);
    const double inverse = kg_vector_get (ray->inverse, c);

    /* Along the slab; 0 times infinity would be no number. */
    if (isinf (inverse)) {
      if (low > 0 || high < 0)
        return INFINITY;
      continue;
    }
    from = fmax (from, fmin (low * inverse, high * inverse));
    to = fmin (to, fmax (low * inverse, high * inverse));
  }
  return from <= to ? from : INFINITY;
}

typedef double (*Measure) (gconstpointer query, const BoundingBox *box);

static double
measure_ray (gconstpointer query, const BoundingBox *box)
{
  return enter_box (query, box);
}

static double
measure_near (gconstpointer query, const BoundingBox *box)
{
  return bounding_box_get_distance2 (box, *(const KgVector *) query);
}

/* What is nearer first. */
static inline void
visit_in_order (const BoxTree *tree, Measure measure, gconstpointer query, double *limit, BoxVisit visit, gpointer data)
{
  Waiting stack[STACK], at = { 0 };
  guint n = 0;

  if (tree->n == 0)
    return;
  at.distance = measure (query, &tree->parts[0]);
  for (;;) {
    if (at.distance <= *limit && at.distance < INFINITY) {
      if (at.level < tree->levels) {
        Waiting a = { .part = 2 * at.part, .level = at.level + 1 }, b = { .part = a.part + 1, .level = a.level };

        a.distance = measure (query, get_part (tree, a.level, a.part));
        b.distance = measure (query, get_part (tree, b.level, b.part));
        stack[n++] = a.distance <= b.distance ? b : a;
        at = a.distance <= b.distance ? a : b;
        continue;
      }
      for (size_t i = spatial_order_get_first (tree->n, tree->levels, at.part);
           i < spatial_order_get_first (tree->n, tree->levels, at.part + 1); i++) {
        const double distance = measure (query, &tree->boxes[i]);

        if (distance <= *limit && distance < INFINITY && !visit (data, tree->index[i]))
          return;
      }
    }
    if (n == 0)
      return;
    at = stack[--n];
  }
}

void
box_tree_visit_ray (const BoxTree *tree, KgVector x, KgVector d, double *distance, BoxVisit visit, gpointer data)
{
  const Ray ray = make_ray (&tree->parts[0], x, d);

  visit_in_order (tree, measure_ray, &ray, distance, visit, data);
}

void
box_tree_visit_near (const BoxTree *tree, KgVector x, double *distance2, BoxVisit visit, gpointer data)
{
  visit_in_order (tree, measure_near, &x, distance2, visit, data);
}

static double
get_pair_distance2 (const BoundingBox *a, const BoundingBox *b)
{
  double sum = 0;

  for (int c = 0; c < 3; c++) {
    const double d =
        fmax (fmax ((double) a->low[c] - (double) b->high[c], (double) b->low[c] - (double) a->high[c]), 0);

    sum += d * d;
  }
  return sum;
}

static void
compare_near_leaves (const BoxTree *a, const BoxTree *b, PartPair pair, const double *limit, BoxPairVisit visit,
                     gpointer data)
{
  for (size_t i = spatial_order_get_first (a->n, a->levels, pair.part_a);
       i < spatial_order_get_first (a->n, a->levels, pair.part_a + 1); i++)
    for (size_t k = spatial_order_get_first (b->n, b->levels, pair.part_b);
         k < spatial_order_get_first (b->n, b->levels, pair.part_b + 1); k++)
      if (get_pair_distance2 (&a->boxes[i], &b->boxes[k]) < *limit)
        visit (data, a->index[i], b->index[k]);
}

void
box_tree_visit_near_pairs (const BoxTree *a, const BoxTree *b, double *distance2, BoxPairVisit visit, gpointer data)
{
  typedef struct {
    PartPair pair;
    double distance2;
  } Entry;
  Entry stack[STACK] = { { { 0, 0, 0, 0 }, 0 } };
  guint n = a->n > 0 && b->n > 0 ? 1 : 0;

  while (n > 0) {
    const Entry at = stack[--n];
    const bool split_a = at.pair.level_b >= b->levels ||
                         (at.pair.level_a < a->levels && a->n >> at.pair.level_a >= b->n >> at.pair.level_b);
    Entry below[2];

    if (!(at.distance2 < *distance2))
      continue;
    if (at.pair.level_a == a->levels && at.pair.level_b == b->levels) {
      compare_near_leaves (a, b, at.pair, distance2, visit, data);
      continue;
    }
    for (uint32_t i = 0; i < 2; i++) {
      PartPair pair = at.pair;

      if (split_a)
        pair = (PartPair){ 2 * pair.part_a + i, pair.part_b, pair.level_a + 1, pair.level_b };
      else
        pair = (PartPair){ pair.part_a, 2 * pair.part_b + i, pair.level_a, pair.level_b + 1 };
      below[i] = (Entry){ pair, get_pair_distance2 (get_part (a, pair.level_a, pair.part_a),
                                                    get_part (b, pair.level_b, pair.part_b)) };
    }
    stack[n++] = below[0].distance2 <= below[1].distance2 ? below[1] : below[0];
    stack[n++] = below[0].distance2 <= below[1].distance2 ? below[0] : below[1];
  }
}

const uint32_t *
box_tree_get_order (const BoxTree *tree)
{
  return tree->index;
}
