/* tests/techniques/box-tree: pairs of boxes, rays and distances, against looking at each box.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/box_tree.h"
#include "shape-test.h"

#include <omp.h>

static void
scatter (BoundingBox *boxes, size_t n, uint64_t seed, double size, bool coarse)
{
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++) {
      const double x = kg_random_uniform (seed, i, c);
      const double at = coarse ? floor (5 * x) : x;

      boxes[i].low[c] = (float) at;
      boxes[i].high[c] = (float) (at + size * (coarse ? 1 : kg_random_uniform (seed, i, 3 + c)));
    }
}

static void
assert_pairs (const GArray *pairs, const BoundingBox *a, size_t n_a, const BoundingBox *b, size_t n_b, bool one)
{
  guint k = 0;

  for (size_t i = 0; i < n_a; i++)
    for (size_t j = one ? i + 1 : 0; j < n_b; j++)
      if (bounding_box_overlaps (&a[i], &b[j])) {
        g_assert_cmpuint (k, <, pairs->len);
        g_assert_cmpuint (g_array_index (pairs, BoxPair, k).a, ==, i);
        g_assert_cmpuint (g_array_index (pairs, BoxPair, k).b, ==, j);
        k++;
      }
  g_assert_cmpuint (k, ==, pairs->len);
}

static void
test_pairs (void)
{
  const int threads = omp_get_max_threads ();

  for (guint n = 0; n < 1500; n = 3 * n + 1)
    for (guint coarse = 0; coarse < 2; coarse++) {
      g_autofree BoundingBox *a = g_new (BoundingBox, n + 1), *b = g_new (BoundingBox, 2 * n + 1);
      g_autoptr (BoxTree) tree_a = NULL, tree_b = NULL;
      g_autoptr (GArray) within = NULL, between = NULL;

      omp_set_num_threads ((int) (1 + coarse));
      scatter (a, n, 1, 0.1, coarse != 0);
      scatter (b, 2 * n, 2, 0.1, coarse != 0);
      tree_a = box_tree_new (a, n, NULL);
      tree_b = box_tree_new (b, 2 * n, NULL);
      within = box_tree_find_pairs (tree_a, NULL, 10000000, NULL, NULL, NULL);
      between = box_tree_find_pairs (tree_a, tree_b, 10000000, NULL, NULL, NULL);
      assert_pairs (within, a, n, a, n, true);
      assert_pairs (between, a, n, b, 2 * n, false);
    }
  omp_set_num_threads (threads);
}

/* Apart: one test.  Refitted: the same as new. */
static void
test_hierarchy (void)
{
  const size_t n = 1000;
  g_autofree BoundingBox *boxes = g_new (BoundingBox, n), *moved = g_new (BoundingBox, n);
  g_autoptr (BoxTree) tree = NULL, other = NULL;
  g_autoptr (GArray) pairs = NULL, none = NULL;
  size_t n_tests;
  double area;

  scatter (boxes, n, 1, 0.1, false);
  tree = box_tree_new (boxes, n, NULL);
  area = box_tree_get_area (tree);
  box_tree_refit (tree, boxes);
  g_assert_cmpfloat (box_tree_get_area (tree), ==, area);
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) {
      moved[i].low[c] = boxes[i].low[c] + 2;
      moved[i].high[c] = boxes[i].high[c] + 2;
    }
  other = box_tree_new (moved, n, NULL);
  none = box_tree_find_pairs (tree, other, 100, &n_tests, NULL, NULL);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpuint (n_tests, ==, 1);
  scatter (moved, n, 5, 0.1, false);
  box_tree_refit (other, moved);
  pairs = box_tree_find_pairs (tree, other, 1000000, &n_tests, NULL, NULL);
  assert_pairs (pairs, boxes, n, moved, n, false);
  for (guint level = 1; level < box_tree_get_n_levels (tree); level++)
    for (size_t i = 0; i < (size_t) 1 << level; i++) {
      BoundingBox whole = box_tree_get_level (tree, level - 1)[i / 2];
      const BoundingBox before = whole;

      bounding_box_join (&whole, &box_tree_get_level (tree, level)[i]);
      g_assert_cmpmem (&whole, sizeof whole, &before, sizeof before);
    }
}

typedef struct {
  const BoundingBox *boxes;
  KgVector x;
  double best;
  guint n;
} Nearest;

static bool
take_nearest (gpointer data, uint32_t index)
{
  Nearest *nearest = data;

  nearest->best = fmin (nearest->best, bounding_box_get_distance2 (&nearest->boxes[index], nearest->x));
  nearest->n++;
  return true;
}

static bool
count (gpointer data, uint32_t index)
{
  uint8_t *seen = data;

  g_assert_cmpuint (seen[index], ==, 0);
  seen[index] = 1;
  return true;
}

/* Where a ray goes into a box, by slabs; negative: it does not. */
static bool
hits (const BoundingBox *box, KgVector x, KgVector d)
{
  double from = 0, to = INFINITY;

  for (size_t c = 0; c < 3; c++) {
    const double low = (double) box->low[c] - kg_vector_get (x, c), high = (double) box->high[c] - kg_vector_get (x, c);
    const double v = kg_vector_get (d, c);

    if (v == 0) {
      if (low > 0 || high < 0)
        return false;
    } else {
      from = fmax (from, fmin (low / v, high / v));
      to = fmin (to, fmax (low / v, high / v));
    }
  }
  return from <= to;
}

static void
test_questions (void)
{
  const size_t n = 700;
  g_autofree BoundingBox *boxes = g_new (BoundingBox, n);
  g_autoptr (BoxTree) tree = NULL;

  scatter (boxes, n, 1, 0.2, false);
  tree = box_tree_new (boxes, n, NULL);
  for (uint64_t i = 0; i < 200; i++) {
    const KgVector x = { 2 * kg_random_signed (2, i, 0), 2 * kg_random_signed (2, i, 1),
                         2 * kg_random_signed (2, i, 2) };
    KgVector d = kg_random_direction (2, i, 5);
    Nearest nearest = { boxes, x, INFINITY, 0 };
    double best = INFINITY, distance = INFINITY;
    g_autofree uint8_t *seen = g_new0 (uint8_t, n), *over = g_new0 (uint8_t, n);
    BoundingBox box;

    if (i % 3 == 0)
      d = kg_vector (0, 0, i % 2 == 0 ? 1 : -1);
    for (size_t k = 0; k < n; k++)
      best = fmin (best, bounding_box_get_distance2 (&boxes[k], x));
    box_tree_visit_near (tree, x, &nearest.best, take_nearest, &nearest);
    g_assert_cmpfloat (nearest.best, ==, best);
    g_assert_cmpuint (nearest.n, <, n / 2);
    box_tree_visit_ray (tree, x, d, &distance, count, seen);
    scatter (&box, 1, i, 0.5, false);
    box_tree_visit_overlaps (tree, &box, count, over);
    for (size_t k = 0; k < n; k++) {
      g_assert_cmpuint (seen[k], >=, hits (&boxes[k], x, d));
      g_assert_cmpuint (over[k], ==, bounding_box_overlaps (&boxes[k], &box));
    }
  }
}

static void
test_bad_input (void)
{
  BoundingBox boxes[4000];
  g_autoptr (BoxTree) tree = NULL;
  g_autoptr (GError) error = NULL;

  memset (boxes, 0, sizeof boxes);
  tree = box_tree_new (boxes, G_N_ELEMENTS (boxes), NULL);
  g_assert_null (box_tree_find_pairs (tree, NULL, 1000, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/box-tree/50-57-70-43-pairs", test_pairs);
  g_test_add_func ("/box-tree/70-43-hierarchy", test_hierarchy);
  g_test_add_func ("/box-tree/questions", test_questions);
  g_test_add_func ("/box-tree/bad-input", test_bad_input);
  return g_test_run ();
}
