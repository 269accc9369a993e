/* tests/techniques/scatter: points on surfaces, in volumes and along curves, against areas, distances and densities.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_tree.h"
#include "geometry/scatter.h"
#include "geometry/shape_mesh.h"

#include <omp.h>
#include <string.h>

static KgGeometry *
strew (const KgGeometry *rest, const KgGeometry *moved, const ScatterRule *rule, Scatter *scatter)
{
  g_autoptr (TriangleMesh) mesh = rule->domain != SCATTER_CURVE ? triangle_mesh_new (rest, NULL, NULL) : NULL;
  KgGeometry *points;
  GError *error = NULL;

  scatter_find (scatter, rest, mesh, rule, NULL, &error);
  g_assert_no_error (error);
  points = scatter_make_points (scatter, moved, mesh, rule->seed, 0.5, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (kg_geometry_check_finite (points, NULL));
  return points;
}

/* The least distance of two points. */
static double
get_least_distance (const KgGeometry *points)
{
  const PointQuery query = { .k = 1, .radius = INFINITY, .skip = true };
  const size_t n = kg_geometry_get_n_points (points);
  const float *p = kg_geometry_get_positions (points);
  g_auto (PointNeighbours) near = { 0 };
  float least = INFINITY;

  point_neighbours_find (&near, p, n, p, n, &query, n, NULL, NULL);
  for (size_t i = 0; i < n; i++)
    least = MIN (least, near.items[near.first[i]].distance2);
  return sqrt ((double) least);
}

/* A box of 6 square metres and one of 54, far away: one point of ten is on the small one. */
static KgGeometry *
new_two_boxes (void)
{
  KgGeometry *boxes = shape_mesh_new_box (kg_transform_identity ());
  g_autoptr (KgGeometry) large =
      shape_mesh_new_box (kg_transform_from_parts (kg_vector (10, 0, 0), kg_rotation_identity (), kg_vector (3, 3, 3)));

  kg_geometry_append (boxes, large, NULL);
  return boxes;
}

static void
test_area (void)
{
  g_autoptr (KgGeometry) boxes = new_two_boxes ();
  const ScatterRule rule = { .count = 20000, .seed = 3 };
  g_auto (Scatter) scatter = { 0 };
  g_autoptr (KgGeometry) points = strew (boxes, boxes, &rule, &scatter);
  const float *p = kg_geometry_get_positions (points), *n = kg_geometry_get_float (points, KG_POINTS, "N", 3);
  const float *q = kg_geometry_get_float (points, KG_POINTS, "orient", 4);
  size_t small = 0;

  g_assert_cmpuint (scatter.n, ==, 20000);
  g_assert_cmpfloat_with_epsilon (scatter.measure, 60, 1e-9);
  for (size_t i = 0; i < scatter.n; i++) {
    const bool is_small = p[3 * i] < 5;
    const double half = is_small ? 0.5 : 1.5, middle = is_small ? 0 : 10;
    const KgVector at = kg_vector ((double) p[3 * i] - middle, (double) p[3 * i + 1], (double) p[3 * i + 2]);
    const KgVector normal = kg_vector ((double) n[3 * i], (double) n[3 * i + 1], (double) n[3 * i + 2]);
    const KgVector z = kg_rotation_apply (
        (KgRotation){ (double) q[4 * i], (double) q[4 * i + 1], (double) q[4 * i + 2], (double) q[4 * i + 3] },
        kg_vector (0, 0, 1));

    small += is_small;
    /* On the face that its normal says, outwards; and z of the copies goes there too. */
    g_assert_cmpfloat_with_epsilon (kg_vector_dot (at, normal), half, 1e-5);
    g_assert_cmpfloat_with_epsilon (kg_vector_dot (z, normal), 1, 1e-5);
  }
  /* Three standard deviations of a tenth of 20000 draws are 127. */
  g_assert_cmpfloat_with_epsilon ((double) small, 2000, 150);
}

static void
test_patterns (void)
{
  g_autoptr (KgGeometry) sphere = shape_mesh_new_sphere (kg_vector (0, 0, 0), 1, 48);
  ScatterRule rule = { .pattern = SCATTER_EVEN, .count = 800, .seed = 5 };
  g_auto (Scatter) even = { 0 }, chance = { 0 }, disc = { 0 };
  g_autoptr (KgGeometry) spread = strew (sphere, sphere, &rule, &even), clumped = NULL, apart = NULL;
  /* The distance of a hexagonal packing, which nothing can exceed. */
  const double most = 2 * sqrt (even.measure / (2 * sqrt (3) * 800));

  g_assert_cmpuint (even.n, ==, 800);
  g_assert_cmpfloat (get_least_distance (spread), >, 0.6 * most);
  g_assert_cmpfloat (get_least_distance (spread), <, most);
  rule.pattern = SCATTER_RANDOM;
  clumped = strew (sphere, sphere, &rule, &chance);
  g_assert_cmpfloat (get_least_distance (clumped), <, 0.2 * most);
  rule.pattern = SCATTER_DISC;
  rule.distance = 0.15;
  apart = strew (sphere, sphere, &rule, &disc);
  g_assert_cmpfloat (get_least_distance (apart), >=, 0.15 * (1 - 1e-6));
  /* A random sequential packing fills 0.547 of a plane; twenty darts for each come to nine tenths of it. */
  g_assert_cmpfloat ((double) disc.n, >, 0.85 * 0.6965 * disc.measure / (0.15 * 0.15));
  g_assert_cmpfloat ((double) disc.n, <, 1.02 * 0.6965 * disc.measure / (0.15 * 0.15));
}

/* Points follow a mesh affinely, and are the same ones. */
static void
test_sticks (void)
{
  g_autoptr (KgGeometry) rest = shape_mesh_new_sphere (kg_vector (0, 0, 0), 1, 24), moved = kg_geometry_ref (rest);
  const KgTransform shear = { { { 2, 0.5, 0, 3 }, { 0, 1, 0.25, 0 }, { 0.1, 0, 0.5, -1 }, { 0, 0, 0, 1 } } };
  const ScatterRule rule = { .pattern = SCATTER_EVEN, .count = 300 };
  g_auto (Scatter) a = { 0 }, b = { 0 };
  g_autoptr (KgGeometry) still = NULL, carried = NULL;
  const float *p, *q;

  kg_geometry_make_writable (&moved);
  kg_geometry_transform (moved, &shear);
  still = strew (rest, rest, &rule, &a);
  carried = strew (rest, moved, &rule, &b);
  p = kg_geometry_get_positions (still);
  q = kg_geometry_get_positions (carried);
  g_assert_cmpuint (a.n, ==, b.n);
  g_assert_true (memcmp (a.id, b.id, a.n * sizeof *a.id) == 0);
  for (size_t i = 0; i < a.n; i++) {
    const KgVector x =
        kg_transform_point (shear, kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]));

    g_assert_cmpfloat_with_epsilon (x.x, (double) q[3 * i], 2e-6);
    g_assert_cmpfloat_with_epsilon (x.y, (double) q[3 * i + 1], 2e-6);
    g_assert_cmpfloat_with_epsilon (x.z, (double) q[3 * i + 2], 2e-6);
  }
}

/* A painted density thins points, and leaves the others where they are. */
static void
test_density (void)
{
  g_autoptr (KgGeometry) boxes = new_two_boxes ();
  const size_t corners = kg_geometry_get_n_points (boxes);
  ScatterRule rule = { .count = 8000, .seed = 2 };
  g_auto (Scatter) all = { 0 }, thinned = { 0 }, even = { 0 };
  g_autoptr (KgGeometry) points = strew (boxes, boxes, &rule, &all), fewer = NULL, spread = NULL;
  g_autoptr (KgField) half = kg_field_new_constant (0.5);
  const float *p, *q, *carried;
  size_t k = 0, small = 0;
  float *paint;

  paint = kg_geometry_edit_float (boxes, KG_POINTS, "paint", 1);
  for (size_t i = 0; i < corners; i++)
    paint[i] = kg_geometry_get_positions (boxes)[3 * i] < 5 ? 1 : 0.5F;
  rule.attribute = "paint";
  rule.density = half;
  fewer = strew (boxes, boxes, &rule, &thinned);
  p = kg_geometry_get_positions (points);
  q = kg_geometry_get_positions (fewer);
  carried = kg_geometry_get_float (fewer, KG_POINTS, "paint", 1);
  for (size_t i = 0; i < thinned.n; i++) {
    while (k < all.n && all.id[k] < thinned.id[i])
      k++;
    g_assert_cmpint (all.id[k], ==, thinned.id[i]);
    g_assert_cmpmem (p + 3 * k, 3 * sizeof *p, q + 3 * i, 3 * sizeof *q);
    g_assert_cmpfloat_with_epsilon ((double) carried[i], q[3 * i] < 5 ? 1 : 0.5, 1e-6);
    small += q[3 * i] < 5;
  }
  /* 800 · 1/2, and 7200 · 1/4. */
  g_assert_cmpfloat_with_epsilon ((double) small, 400, 80);
  g_assert_cmpfloat_with_epsilon ((double) (thinned.n - small), 1800, 150);
  /* Spread out, their number stays: 6 square metres at 1/2 beside 54 at 1/4 are 2 of 11. */
  rule.pattern = SCATTER_EVEN;
  rule.count = 1100;
  spread = strew (boxes, boxes, &rule, &even);
  g_assert_cmpuint (even.n, ==, 1100);
  small = 0;
  for (size_t i = 0; i < even.n; i++)
    small += kg_geometry_get_positions (spread)[3 * i] < 5;
  g_assert_cmpfloat_with_epsilon ((double) small, 200, 30);
}

static void
test_volume (void)
{
  g_autoptr (KgGeometry) sphere = shape_mesh_new_sphere (kg_vector (1, 2, 3), 1, 48);
  ScatterRule rule = { .domain = SCATTER_VOLUME, .count = 4000 };
  g_auto (Scatter) scatter = { 0 };
  g_autoptr (KgGeometry) points = strew (sphere, sphere, &rule, &scatter);
  const float *p = kg_geometry_get_positions (points);
  size_t inner = 0;

  g_assert_cmpuint (scatter.n, ==, 4000);
  g_assert_cmpfloat_with_epsilon (scatter.measure, 4 * KG_PI / 3, 0.05);
  for (size_t i = 0; i < scatter.n; i++) {
    const double r = kg_vector_distance (kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]),
                                         kg_vector (1, 2, 3));

    g_assert_cmpfloat (r, <=, 1.000001);
    inner += r < 0.5;
  }
  /* An eighth of the volume. */
  g_assert_cmpfloat_with_epsilon ((double) inner, 500, 70);
}

static void
test_curve (void)
{
  g_autoptr (KgGeometry) lines = kg_geometry_new ();
  static const uint32_t path[] = { 0, 1, 2 };
  ScatterRule rule = { .domain = SCATTER_CURVE, .pattern = SCATTER_EVEN, .count = 200 };
  g_auto (Scatter) scatter = { 0 };
  g_autoptr (KgGeometry) points = NULL;
  size_t first = 0;
  float *p;

  /* A metre to the right, and three up. */
  kg_geometry_set_n_points (lines, 3, NULL);
  p = kg_geometry_edit_positions (lines);
  p[3] = p[6] = 1;
  p[7] = 3;
  kg_geometry_add_primitives (lines, KG_POLYLINE, false, 1, 3, path);
  points = strew (lines, lines, &rule, &scatter);
  g_assert_cmpfloat_with_epsilon (scatter.measure, 4, 1e-6);
  for (size_t i = 0; i < scatter.n; i++) {
    const float *at = kg_geometry_get_positions (points) + 3 * i;

    g_assert_true (fabsf (at[1]) < 1e-5F || fabsf (at[0] - 1) < 1e-5F);
    first += at[1] < 1e-5F;
  }
  g_assert_cmpfloat_with_epsilon ((double) first, 50, 5);
  g_assert_cmpfloat (get_least_distance (points), >, 0.5 * 4 / 200);
}

static void
test_threads (void)
{
  g_autoptr (KgGeometry) sphere = shape_mesh_new_sphere (kg_vector (0, 0, 0), 1, 32);
  const ScatterRule rule = { .pattern = SCATTER_EVEN, .count = 500 };
  g_auto (Scatter) a = { 0 }, b = { 0 };
  g_autoptr (KgGeometry) one = NULL, many = NULL;
  const int threads = omp_get_max_threads ();

  omp_set_num_threads (1);
  one = strew (sphere, sphere, &rule, &a);
  omp_set_num_threads (5);
  many = strew (sphere, sphere, &rule, &b);
  omp_set_num_threads (threads);
  g_assert_true (kg_geometry_equal (one, many));
}

static void
test_bad_input (void)
{
  g_autoptr (KgGeometry) empty = kg_geometry_new (), sphere = shape_mesh_new_sphere (kg_vector (0, 0, 0), 1, 16);
  g_autoptr (TriangleMesh) nothing = triangle_mesh_new (empty, NULL, NULL),
                           mesh = triangle_mesh_new (sphere, NULL, NULL);
  ScatterRule rule = { .count = 10 };
  g_auto (Scatter) scatter = { 0 };

  for (int domain = 0; domain < SCATTER_N_DOMAINS; domain++) {
    g_autoptr (GError) error = NULL;

    rule.domain = (ScatterDomain) domain;
    g_assert_false (scatter_find (&scatter, empty, nothing, &rule, NULL, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  }
  rule.domain = SCATTER_SURFACE;
  {
    g_autoptr (GError) error = NULL;

    rule.attribute = "none";
    g_assert_false (scatter_find (&scatter, sphere, mesh, &rule, NULL, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
    rule.attribute = NULL;
  }
  {
    g_autoptr (GError) error = NULL;

    rule.pattern = SCATTER_DISC;
    rule.distance = 1e-6;
    g_assert_false (scatter_find (&scatter, sphere, mesh, &rule, NULL, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  }
  {
    g_autoptr (GError) error = NULL;

    rule.pattern = SCATTER_EVEN;
    rule.count = SCATTER_MAX_EVEN + 1;
    g_assert_false (scatter_find (&scatter, sphere, mesh, &rule, NULL, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  }
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (KgField) none = kg_field_new_constant (0);

    rule.count = 2;
    rule.density = none;
    for (int pattern = 0; pattern < SCATTER_N_PATTERNS; pattern++) {
      rule.pattern = (ScatterPattern) pattern;
      rule.distance = 0.5;
      g_assert_true (scatter_find (&scatter, sphere, mesh, &rule, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (scatter.n, ==, 0);
      g_assert_true ((scatter.n_tried > 0) == (pattern == SCATTER_EVEN));
      scatter_clear (&scatter);
    }
  }
}

/* A needle across the diagonal of its bounds is hardly hit: what was found is given, and how long was looked. */
static void
test_rarely_hit (void)
{
  static const float corners[] = { -100, -100, -100, 100.1F, 99.9F, 100, 100, 100.1F, 99.9F, 99.9F, 100, 100.1F };
  static const uint32_t faces[] = { 1, 2, 3, 0, 2, 1, 0, 3, 2, 0, 1, 3 };
  g_autoptr (KgGeometry) needle = kg_geometry_new ();
  g_autoptr (TriangleMesh) mesh = NULL;
  const ScatterRule rule = { .domain = SCATTER_VOLUME, .pattern = SCATTER_RANDOM, .count = 100 };
  g_auto (Scatter) scatter = { 0 };
  g_autoptr (GError) error = NULL;

  kg_geometry_set_n_points (needle, 4, NULL);
  memcpy (kg_geometry_edit_positions (needle), corners, sizeof corners);
  kg_geometry_add_primitives (needle, KG_POLYGON, true, 4, 3, faces);
  mesh = triangle_mesh_new (needle, NULL, NULL);
  g_assert_true (scatter_find (&scatter, needle, mesh, &rule, NULL, &error));
  g_assert_no_error (error);
  /* It fills less than 1e-6 of them: of 1.1 million places hardly one. */
  g_assert_cmpuint (scatter.n, <, 10);
  g_assert_cmpuint (scatter.n_tried, ==, 1000 * 100 + 1000000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scatter/70-65/area", test_area);
  g_test_add_func ("/scatter/70-65/patterns", test_patterns);
  g_test_add_func ("/scatter/70-65/rarely-hit", test_rarely_hit);
  g_test_add_func ("/scatter/70-65/sticks", test_sticks);
  g_test_add_func ("/scatter/70-65/density", test_density);
  g_test_add_func ("/scatter/70-65/volume", test_volume);
  g_test_add_func ("/scatter/70-65/curve", test_curve);
  g_test_add_func ("/scatter/70-65/threads", test_threads);
  g_test_add_func ("/scatter/70-65/bad-input", test_bad_input);
  return g_test_run ();
}
