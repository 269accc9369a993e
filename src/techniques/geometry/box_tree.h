/* box_tree: a binary tree of bounding boxes, for what may overlap, be near or be hit by a ray.
 *
 * Boxes are sorted into a balanced tree by their centres (spatial_order.h); each part has the box around its boxes.  Pairs
 * are found by going down both trees while their boxes overlap (Gottschalk, Lin and Manocha 1996, with boxes along the
 * axes as in van den Bergen 1997).  Touching boxes overlap.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-progress.h"

#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
  float low[3], high[3];
} BoundingBox;

/* The box of nothing, which grows. */
static inline BoundingBox
bounding_box_new (void)
{
  return (BoundingBox){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

static inline void
bounding_box_add_point (BoundingBox *box, const float p[3])
{
  for (int c = 0; c < 3; c++) {
    box->low[c] = p[c] < box->low[c] ? p[c] : box->low[c];
    box->high[c] = p[c] > box->high[c] ? p[c] : box->high[c];
  }
}

static inline void
bounding_box_join (BoundingBox *box, const BoundingBox *other)
{
  for (int c = 0; c < 3; c++) {
    box->low[c] = other->low[c] < box->low[c] ? other->low[c] : box->low[c];
    box->high[c] = other->high[c] > box->high[c] ? other->high[c] : box->high[c];
  }
}

static inline bool
bounding_box_overlaps (const BoundingBox *a, const BoundingBox *b)
{
  /* Without branches: which of them decides is hard to foresee. */
  return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]) &
         (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

/* Around low and high in doubles, rounded outwards. */
static inline BoundingBox
bounding_box_from_vectors (KgVector low, KgVector high)
{
  BoundingBox box;

  for (size_t c = 0; c < 3; c++) {
    const double l = kg_vector_get (low, c), h = kg_vector_get (high, c);

    box.low[c] = (float) l;
    box.high[c] = (float) h;
    box.low[c] = (double) box.low[c] > l ? nextafterf (box.low[c], -INFINITY) : box.low[c];
    box.high[c] = (double) box.high[c] < h ? nextafterf (box.high[c], INFINITY) : box.high[c];
  }
  return box;
}

/* The square of the distance between a place and a box. */
double bounding_box_get_distance2 (const BoundingBox *box, KgVector x);

/* Read only once it is made. */
typedef struct _BoxTree BoxTree;

/* boxes: n, finite; borrowed until this returns.  NULL: cancelled.  (transfer full) */
BoxTree *box_tree_new (const BoundingBox *boxes, size_t n, const KgProgressMonitor *monitor);
void box_tree_free (BoxTree *tree);
/* The same tree around boxes that have moved: faster than a new one, and as good while things stay where they were among
 * each other. */
void box_tree_refit (BoxTree *tree, const BoundingBox *boxes);

size_t box_tree_get_n (const BoxTree *tree);
/* A box, by its place in the order of the tree. */
const BoundingBox *box_tree_get_box (const BoxTree *tree, size_t place);
/* Around all; as of nothing when there are none. */
BoundingBox box_tree_get_bounds (const BoxTree *tree);
/* Sum of the areas of all boxes within: when refitting has doubled it, make a new tree. */
double box_tree_get_area (const BoxTree *tree);
/* The boxes of a level from the top, 0 to box_tree_get_n_levels () - 1: there are 2^level. */
guint box_tree_get_n_levels (const BoxTree *tree);
const BoundingBox *box_tree_get_level (const BoxTree *tree, guint level);

typedef struct {
  uint32_t a, b;
} BoxPair;

/* Pairs of overlapping boxes of two trees, sorted by a, then b; within one tree (b NULL): a < b.  n_tests: (out)
 * (nullable) comparisons of boxes.  limit: stop when there are more pairs than this (NULL and *error).  NULL without an
 * error: cancelled.  (transfer full) BoxPair */
GArray *box_tree_find_pairs (const BoxTree *a, const BoxTree *b, size_t limit, size_t *n_tests,
                             const KgProgressMonitor *monitor, GError **error);

/* Called with the index of a box; false: enough. */
typedef bool (*BoxVisit) (gpointer data, uint32_t index);
void box_tree_visit_overlaps (const BoxTree *tree, const BoundingBox *box, BoxVisit visit, gpointer data);

/* Boxes that a ray from x along d (any length) may hit, as long as distance (in units of d, starts as it is given) may
 * be: a visitor lowers *distance to skip what is behind a hit. */
void box_tree_visit_ray (const BoxTree *tree, KgVector x, KgVector d, double *distance, BoxVisit visit, gpointer data);

/* Boxes that come nearer to x than *distance2, nearest parts first; a visitor lowers *distance2. */
void box_tree_visit_near (const BoxTree *tree, KgVector x, double *distance2, BoxVisit visit, gpointer data);

/* Pairs of boxes of two trees that come nearer to each other than *distance2, nearest parts first; a visitor lowers
 * *distance2. */
typedef void (*BoxPairVisit) (gpointer data, uint32_t a, uint32_t b);
void box_tree_visit_near_pairs (const BoxTree *a, const BoxTree *b, double *distance2, BoxPairVisit visit,
                                gpointer data);

/* The indices of all boxes in the order of the tree, so that part i of a level is a range of them (spatial_order.h). */
const uint32_t *box_tree_get_order (const BoxTree *tree);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (BoxTree, box_tree_free)

G_END_DECLS
