/* tests/techniques/point-tree: points near places, against looking at each.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_tree.h"
#include "shape-test.h"

#include <omp.h>

/* Points of a box, with sides of these lengths; coarse: on a lattice, so that many are equally close. */
static KgGeometry *
scatter (size_t n, KgVector sides, bool coarse)
{
  KgGeometry *geometry = new_random_cloud (n, 7, false);
  float *p = kg_geometry_edit_positions (geometry);

  for (size_t i = 0; i < 3 * n; i++)
    p[i] = (float) (kg_vector_get (sides, i % 3) * (coarse ? floor (4 * (double) p[i]) : (double) p[i]));
  return geometry;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const PointNear *x = a, *y = b;

  if (x->distance2 != y->distance2)
    return x->distance2 < y->distance2 ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* All within a radius, in order. */
static GArray *
find_slowly (const KgGeometry *geometry, const float *p, float radius)
{
  const float *q = kg_geometry_get_positions (geometry);
  GArray *found = g_array_new (FALSE, FALSE, sizeof (PointNear));

  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++) {
    const float x = q[3 * i] - p[0], y = q[3 * i + 1] - p[1], z = q[3 * i + 2] - p[2];
    const PointNear item = { x * x + y * y + z * z, (uint32_t) i };

    if (item.distance2 <= radius * radius)
      g_array_append_val (found, item);
  }
  g_array_sort (found, compare);
  return found;
}

static void
assert_same (const GArray *a, const PointNear *b, size_t n)
{
  g_assert_cmpuint (n, <=, a->len);
  for (guint i = 0; i < n; i++) {
    g_assert_cmpuint (g_array_index (a, PointNear, i).index, ==, b[i].index);
    g_assert_true (g_array_index (a, PointNear, i).distance2 == b[i].distance2);
  }
}

static void
compare_with_brute_force (const KgGeometry *geometry, KgVector box)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *points = kg_geometry_get_positions (geometry);
  g_autoptr (PointTree) tree = point_tree_new (points, n, NULL);
  g_autoptr (PointGrid) grid = point_grid_new (points, n, 0.3f, NULL);

  /* Within the box and beside it. */
  for (uint64_t i = 0; i < 60; i++) {
    const float p[] = { (float) (box.x * kg_random_signed (1, i, 0) * 2),
                        (float) (box.y * kg_random_signed (1, i, 1) * 2), (float) (kg_random_signed (1, i, 2) * 2) };
    const float radius = (float) kg_random_uniform (1, i, 3);
    g_autoptr (GArray) all = find_slowly (geometry, p, INFINITY), within = find_slowly (geometry, p, radius);
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (PointNear));
    PointNear nearest[10];

    g_assert_cmpint (point_tree_find_closest (tree, p), ==, g_array_index (all, PointNear, 0).index);
    g_assert_cmpuint (point_tree_find_nearest (tree, p, 10, INFINITY, nearest), ==, MIN (10, n));
    assert_same (all, nearest, MIN (10, n));
    g_assert_cmpuint (point_tree_find_nearest (tree, p, 10, radius, nearest), ==, MIN (10, within->len));
    assert_same (within, nearest, MIN (10, within->len));
    point_tree_find_within (tree, p, radius, found);
    g_assert_cmpuint (found->len, ==, within->len);
    assert_same (within, (const PointNear *) (const void *) found->data, found->len);
    g_array_set_size (found, 0);
    point_grid_find_within (grid, p, radius, found);
    g_assert_cmpuint (found->len, ==, within->len);
    assert_same (within, (const PointNear *) (const void *) found->data, found->len);
  }
}

static void
test_brute (void)
{
  const KgVector boxes[] = { { 1, 1, 1 }, { 100, 1, 1 }, { 1, 1, 0 }, { 0, 0, 0 } };

  for (guint b = 0; b < G_N_ELEMENTS (boxes); b++)
    for (guint n = 1; n <= 600; n = 5 * n + 3)
      for (guint coarse = 0; coarse < 2; coarse++) {
        g_autoptr (KgGeometry) geometry = scatter (n, boxes[b], coarse != 0);

        compare_with_brute_force (geometry, boxes[b]);
      }
}

static bool
is_any (gconstpointer data, const float low[3], const float high[3])
{
  (void) data;
  return low[0] <= high[0];
}

/* Every third point counts. */
static bool
counts_third (gconstpointer data, const PointNear *point)
{
  ++*(guint *) data;
  return point->index % 3 == 0;
}

static bool
is_behind (gconstpointer data, const float low[3], const float high[3])
{
  (void) data;
  (void) high;
  return low[0] < 0;
}

static bool
counts_behind (gconstpointer data, const PointNear *point)
{
  ++*(guint *) data;
  return point->index == 7;
}

/* The nearest of some of the points; of a crowd in one place only a few are asked about, and of boxes without any of them none. */
static void
test_one_place (void)
{
  const size_t n = 20000;
  const float p[] = { 0.5f, 0, 0 };
  g_autofree float *points = g_new0 (float, 3 * n);
  g_autoptr (PointTree) tree = NULL;
  PointNear nearest[70];
  guint n_asked = 0;
  const PointFilter third = { is_any, counts_third, &n_asked }, behind = { is_behind, counts_behind, &n_asked };

  points[3 * 7] = -1;
  tree = point_tree_new (points, n, NULL);
  for (size_t k = 10; k <= 70; k += 60) {
    n_asked = 0;
    g_assert_cmpuint (point_tree_find_nearest_of (tree, p, k, INFINITY, &third, nearest), ==, k);
    for (size_t i = 0; i < k; i++)
      g_assert_cmpuint (nearest[i].index, ==, 3 * i);
    g_assert_cmpuint (n_asked, <, 1500);
  }
  n_asked = 0;
  g_assert_cmpuint (point_tree_find_nearest_of (tree, p, 10, INFINITY, &behind, nearest), ==, 1);
  g_assert_cmpuint (nearest[0].index, ==, 7);
  g_assert_cmpuint (n_asked, <, 100);
  g_assert_cmpuint (point_tree_find_nearest (tree, p, 3, INFINITY, nearest), ==, 3);
  g_assert_cmpuint (nearest[2].index, ==, 2);
}

static void
test_neighbours (void)
{
  const size_t n = 3000;
  g_autoptr (KgGeometry) cloud = new_random_cloud (n, 3, false);
  const float *p = kg_geometry_get_positions (cloud);
  const int threads = omp_get_max_threads ();

  for (guint k = 0; k < 6; k++) {
    const PointQuery query = {
      .k = k % 3 == 0 ? 5 : 0, .radius = k == 0 ? INFINITY : 0.1f, .skip = k % 2 == 1, .grid = k % 3 == 1
    };
    g_autoptr (GError) error = NULL;
    g_auto (PointNeighbours) neighbours = { 0 };

    omp_set_num_threads ((int) (1 + k % 2));
    g_assert_true (point_neighbours_find (&neighbours, p, n, p, n, &query, 1000000, NULL, &error));
    for (size_t i = 0; i < n; i += 7) {
      g_autoptr (GArray) slow = find_slowly (cloud, p + 3 * i, query.radius);
      const size_t count = neighbours.first[i + 1] - neighbours.first[i];

      if (query.skip)
        g_array_remove_index (slow, 0);
      g_assert_cmpuint (count, ==, query.k > 0 ? MIN (query.k, slow->len) : slow->len);
      assert_same (slow, neighbours.items + neighbours.first[i], count);
    }
  }
  omp_set_num_threads (threads);
}

static bool
is_cancelled (gpointer data)
{
  (void) data;
  return true;
}

static void
test_bad_input (void)
{
  const float here[] = { 0, 0, 0 }, nowhere[] = { NAN, 0, 0 }, far[] = { 3e38f, -3e38f, 3e38f };
  const KgProgressMonitor monitor = { .is_cancelled = is_cancelled };
  const PointQuery all = { .radius = INFINITY }, cells = { .radius = 1e-30f, .grid = true };
  g_autoptr (PointTree) empty = point_tree_new (NULL, 0, NULL), one = point_tree_new (here, 1, NULL);
  g_autoptr (KgGeometry) same = new_random_cloud (5000, 1, false);
  g_autoptr (GError) error = NULL;
  PointNeighbours neighbours;

  g_assert_cmpint (point_tree_find_closest (empty, here), ==, -1);
  g_assert_cmpint (point_tree_find_closest (one, nowhere), ==, -1);
  g_assert_cmpint (point_tree_find_closest (one, far), ==, 0);
  g_assert_null (point_tree_new (here, 1, &monitor));
  g_assert_null (point_grid_new (here, 1, 1, &monitor));
  /* 5000 points at one place are 25 million pairs. */
  memset (kg_geometry_edit_positions (same), 0, 5000 * 3 * sizeof (float));
  g_assert_false (point_neighbours_find (&neighbours, kg_geometry_get_positions (same), 5000,
                                         kg_geometry_get_positions (same), 5000, &all, 1000000, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  point_neighbours_clear (&neighbours);
  g_clear_error (&error);
  g_assert_true (point_neighbours_find (&neighbours, far, 1, here, 1, &cells, 10, NULL, &error));
  g_assert_cmpuint (neighbours.first[1], ==, 0);
  point_neighbours_clear (&neighbours);
}

/* 55-22: rings of cells have each point once, and all of them within the distance that is complete. */
static void
test_rings (void)
{
  g_autoptr (KgGeometry) geometry = scatter (3000, kg_vector (3, 1, 2), false);
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *points = kg_geometry_get_positions (geometry);
  g_autoptr (PointGrid) grid = point_grid_new (points, n, 0.11f, NULL);
  const uint32_t *order = point_grid_get_order (grid);

  for (size_t i = 0; i < n; i += 97) {
    const float *p = points + 3 * i;
    g_autofree guint *times = g_new0 (guint, n);
    g_auto (PointBatch) batch = { .n = 0 };
    int64_t cell[3], rings;
    double wall;

    g_assert_true (point_grid_plan (grid, p, 0.4f, cell, &rings, &wall));
    for (int64_t ring = 1; ring <= rings; ring++) {
      const float complete2 = point_grid_get_complete (grid, ring, wall);

      point_grid_gather (grid, cell, ring == 1 ? -1 : ring - 1, ring, &batch);
      memset (times, 0, n * sizeof *times);
      for (size_t k = 0; k < batch.n; k++) {
        const uint32_t index = order[batch.place[k]];

        g_assert_true (batch.x[k] == points[3 * index] && batch.z[k] == points[3 * index + 2]);
        g_assert_cmpuint (times[index]++, ==, 0);
      }
      for (size_t k = 0; k < n; k++) {
        const float x = points[3 * k] - p[0], y = points[3 * k + 1] - p[1], z = points[3 * k + 2] - p[2];

        g_assert_true (x * x + y * y + z * z > fminf (complete2, 0.4f * 0.4f) || times[k] == 1);
      }
    }
  }
}

/* 55-59: groups stay apart also where the keys of their cells are the same, 2^21 cells from each other. */
static void
test_far_groups (void)
{
  const float radius = 1e-3f, cell = radius * 0.577f;
  const float far = (float) ((double) cell * (1 << 21));
  const float p[] = { 0, 0, 0, far, 0, 0, 0.4f * radius, 0, 0, 0, far, 0, far, 0.5f * radius, 0, 0, 0, 2 * far };
  int32_t groups[6];

  g_assert_cmpint (point_groups_find (p, 6, radius, groups, NULL), ==, 4);
  g_assert_cmpint (groups[0], ==, groups[2]);
  g_assert_cmpint (groups[1], ==, groups[4]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/point-tree/brute", test_brute);
  g_test_add_func ("/point-tree/one-place", test_one_place);
  g_test_add_func ("/point-tree/neighbours", test_neighbours);
  g_test_add_func ("/point-tree/55-22-rings", test_rings);
  g_test_add_func ("/point-tree/55-59-far-groups", test_far_groups);
  g_test_add_func ("/point-tree/bad-input", test_bad_input);
  return g_test_run ();
}
