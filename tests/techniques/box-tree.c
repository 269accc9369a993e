/* tests/techniques/box-tree: pairs of boxes, rays and distances, against looking at each box.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/box_tree.h"
#include "geometry/triangle.h"
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

/* Triangles with corners of float32, as meshes have them: every second one is a wall on an edge of the one before it. */
static void
make_triangle (uint64_t i, KgVector corners[3])
{
  /* Far from the origin too, and half of them in planes along axes. */
  const uint64_t pair = i / 2;
  const double at = pair % 3 == 0 ? 1000 : 1, size = pair % 5 == 0 ? 0.01 : 0.3;

  for (uint64_t k = 0; k < 3; k++) {
    corners[k].x =
        (double) (float) (at + kg_random_uniform (1, pair, 0) + size * kg_random_uniform (1, pair, 3 + 3 * k));
    corners[k].y =
        (double) (float) (at + kg_random_uniform (1, pair, 1) + size * kg_random_uniform (1, pair, 4 + 3 * k));
    corners[k].z = (double) (float) (at + kg_random_uniform (1, pair, 2) +
                                     (pair % 2 == 0 ? 0 : size * kg_random_uniform (1, pair, 5 + 3 * k)));
  }
  /* An edge along y: a side of the box. */
  if (pair % 4 < 2)
    corners[1].x = corners[0].x;
  if (i % 2 != 0) {
    corners[2] = corners[0];
    corners[2].z = (double) (float) (corners[2].z + size);
  }
}

/* With borders that are as much wider as those who ask make them. */
static bool
meets (const KgVector corners[3], KgVector x, KgVector d, double reach)
{
  const double grazing = 1e-9;
  double u, v, t;

  return triangle_pierce (corners, x, d, &u, &v, &t) != 0 && u >= -grazing && v >= -grazing && u + v <= 1 + grazing &&
         t >= 0 && t <= reach;
}

/* A place on a corner, an edge or in the middle, as rounded as places are that are computed. */
static KgVector
get_place (const KgVector corners[3], uint64_t k)
{
  const double u = k % 4 == 0 ? 0 : k % 4 == 1 ? 1 : kg_random_uniform (3, k, 0);
  const double v = k % 3 == 0 ? 0 : (1 - u) * (k % 3 == 1 ? 1 : kg_random_uniform (3, k, 1));

  return kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (corners[0], 1 - u - v), u, corners[1]), v,
                               corners[2]);
}

/* Along axes, anywhere, or to an edge of the triangle that the ray starts on, beside which there is a wall. */
static KgVector
get_direction (const KgVector corners[3], KgVector at, uint64_t k)
{
  static const KgVector axes[] = { { 1, 0, 0 },  { 0, 1, 0 },  { 0, 0, 1 },        { -1, 0, 0 },
                                   { 0, -1, 0 }, { 0, 0, -1 }, { 0.6, 0.8, -0.0 }, { -0.0, 0.28, -0.96 } };
  const double u = kg_random_uniform (4, k, 0);
  KgVector to = kg_vector_add_scaled (kg_vector_scale (corners[0], 1 - u), u, corners[1]);

  if (k % 3 == 0)
    return axes[k / 3 % G_N_ELEMENTS (axes)];
  if (k % 3 == 1)
    return kg_random_direction (3, k, 5);
  to = kg_vector_subtract (to, at);
  if (k % 2 == 0)
    to.z = 0;
  return kg_vector_normalize_or (to, axes[0]);
}

/* Rays that start, end or pass on the corners, edges and planes of boxes, however short: no triangle is missed that they meet. */
static void
test_rays_on_boxes (void)
{
  const size_t n = 600;
  g_autofree BoundingBox *boxes = g_new (BoundingBox, n);
  g_autofree KgVector *corners = g_new (KgVector, 3 * n);
  g_autofree uint8_t *seen = g_new (uint8_t, n);
  g_autoptr (BoxTree) tree = NULL;
  size_t met = 0, all = 0;

  for (size_t i = 0; i < n; i++) {
    KgVector *c = corners + 3 * i;

    make_triangle (i, c);
    boxes[i] = bounding_box_from_vectors (kg_vector_min (kg_vector_min (c[0], c[1]), c[2]),
                                          kg_vector_max (kg_vector_max (c[0], c[1]), c[2]));
  }
  tree = box_tree_new (boxes, n, NULL);
  for (uint64_t k = 0; k < 120 * n; k++) {
    static const double backs[] = { 0, 0, 0, 1e-9, 0.1, 300 }, reaches[] = { INFINITY, 1, 1e-3, 1e-12 };
    const size_t own = k % n;
    const KgVector at = get_place (corners + 3 * own, k / n * 5 + own);
    const KgVector d = get_direction (corners + 3 * own, at, k / n * 7 + own);
    const double back = backs[k / n % G_N_ELEMENTS (backs)], reach = back + reaches[own % G_N_ELEMENTS (reaches)];
    const KgVector x = kg_vector_add_scaled (at, -back, d);
    double distance = reach;

    memset (seen, 0, n);
    box_tree_visit_ray (tree, x, d, &distance, count, seen);
    for (size_t i = 0; i < n; i++) {
      if (meets (corners + 3 * i, x, d, reach)) {
        met++;
        g_assert_cmpuint (seen[i], ==, 1);
      }
      all += seen[i];
    }
  }
  g_assert_cmpuint (met, >, 15 * n);
  /* Few are visited for nothing. */
  g_assert_cmpuint (all, <, 12 * met);
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
  g_test_add_func ("/box-tree/70-43-rays-on-boxes", test_rays_on_boxes);
  g_test_add_func ("/box-tree/bad-input", test_bad_input);
  return g_test_run ();
}
