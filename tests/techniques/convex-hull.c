/* tests/techniques/convex-hull: hulls by both methods, against figures and what must hold of any hull.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_hull.h"
#include "kg-random.h"
#include "shape-test.h"

static void
find (ConvexHull *hull, const KgVector *points, size_t n, HullMethod method, bool triangles)
{
  const HullOptions options = { .method = method, .tolerance = 1e-9, .triangles = triangles, .steps = -1 };
  g_autoptr (GError) error = NULL;

  g_assert_true (convex_hull_find (hull, points, n, &options, NULL, &error));
  g_assert_no_error (error);
}

/* Closed, convex, around all points, and Euler's formula. */
static void
check (const ConvexHull *hull, const KgVector *points, size_t n)
{
  g_autoptr (GHashTable) edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  const size_t n_corners = hull->first[hull->n_faces];
  double size = 0;

  g_assert_cmpint (hull->dimension, ==, 3);
  for (size_t i = 0; i < hull->n_points; i++) {
    g_assert_true (memcmp (&hull->points[i], &points[hull->source[i]], sizeof (KgVector)) == 0);
    size = fmax (size, kg_vector_length (hull->points[i]));
  }
  for (size_t i = 0; i < hull->n_faces; i++) {
    double distance;
    const KgVector normal = convex_hull_get_plane (hull, i, &distance);
    const uint32_t from = hull->first[i], to = hull->first[i + 1];

    g_assert_cmpuint (to - from, >=, 3);
    for (size_t k = 0; k < n; k++)
      g_assert_cmpfloat (kg_vector_dot (normal, points[k]), <=, distance + 1e-8 * size);
    for (uint32_t k = from; k < to; k++) {
      const gint64 key = (gint64) hull->corners[k] << 32 | hull->corners[k + 1 < to ? k + 1 : from];

      g_assert_true (g_hash_table_add (edges, g_memdup2 (&key, sizeof key)));
    }
  }
  g_assert_cmpuint (g_hash_table_size (edges), ==, n_corners);
  {
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init (&iter, edges);
    while (g_hash_table_iter_next (&iter, &key, NULL)) {
      const guint64 edge = *(const guint64 *) key, back = edge << 32 | edge >> 32;

      g_assert_true (g_hash_table_contains (edges, &back));
    }
  }
  g_assert_cmpuint (hull->n_points + hull->n_faces, ==, 2 + n_corners / 2);
}

/* points: how many corners each face has, for all alike. */
static void
assert_solid (const KgVector *points, size_t n, size_t n_corners, size_t n_faces, size_t per_face, double volume,
              double area)
{
  for (int method = HULL_QUICK; method <= HULL_WRAP; method++) {
    g_auto (ConvexHull) hull = { 0 }, cut = { 0 };

    find (&hull, points, n, (HullMethod) method, false);
    check (&hull, points, n);
    g_assert_cmpuint (hull.n_points, ==, n_corners);
    g_assert_cmpuint (hull.n_faces, ==, n_faces);
    for (size_t i = 0; i < n_faces && per_face > 0; i++)
      g_assert_cmpuint (hull.first[i + 1] - hull.first[i], ==, per_face);
    assert_near (convex_hull_get_volume (&hull), volume, 1e-12 * volume);
    assert_near (convex_hull_get_area (&hull), area, 1e-12 * area);
    find (&cut, points, n, (HullMethod) method, true);
    check (&cut, points, n);
    g_assert_cmpuint (cut.n_faces, ==, 2 * cut.n_points - 4);
    assert_near (convex_hull_get_volume (&cut), volume, 1e-12 * volume);
  }
}

static void
test_solids (void)
{
  const double g = (1 + sqrt (5)) / 2;
  KgVector cube[8], lattice[27], dodecahedron[20], icosahedron[12];
  const KgVector five[] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 3, 0 }, { 0, 0, 2 }, { 3, 3, 1 } };
  const KgVector tetrahedron[] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };

  for (int i = 0; i < 8; i++)
    cube[i] = dodecahedron[i] = kg_vector (i & 4 ? 1 : -1, i & 2 ? 1 : -1, i & 1 ? 1 : -1);
  for (int i = 0; i < 27; i++)
    lattice[i] = kg_vector (i / 9, i / 3 % 3, i % 3);
  for (int i = 0; i < 4; i++) {
    const double a = i & 1 ? 1 : -1, b = i & 2 ? 1 : -1;

    dodecahedron[8 + i] = kg_vector (0, a / g, b * g);
    dodecahedron[12 + i] = kg_vector (a / g, b * g, 0);
    dodecahedron[16 + i] = kg_vector (b * g, 0, a / g);
    icosahedron[i] = kg_vector (0, a, b * g);
    icosahedron[4 + i] = kg_vector (a, b * g, 0);
    icosahedron[8 + i] = kg_vector (b * g, 0, a);
  }
  assert_solid (cube, 8, 8, 6, 4, 8, 24);
  assert_solid (lattice, 27, 8, 6, 4, 8, 24);
  assert_solid (five, 5, 5, 6, 3, 9, 30.5426311337797);
  assert_solid (tetrahedron, 4, 4, 4, 3, 8.0 / 3, 8 * sqrt (3));
  assert_solid (dodecahedron, 20, 20, 12, 5, 14.4721359549996, 3 * sqrt (25 + 10 * sqrt (5)) * 4 / (g * g));
  assert_solid (icosahedron, 12, 12, 20, 3, 17.4535599249993, 20 * sqrt (3));
}

/* The text's measure of the angle of a line would go wrong here. */
static void
test_first_facet (void)
{
  const KgVector points[] = { { 0, 0, 0 },    { 10, -0.1, 0 }, { 9, -0.5, 0.1 },
                              { 0.5, -1, 8 }, { 5, -6, 2 },    { 5, -2, -6 } };
  const HullOptions options = { .method = HULL_WRAP, .tolerance = 1e-9, .steps = 1 };
  g_auto (ConvexHull) hull = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (convex_hull_find (&hull, points, 6, &options, NULL, &error));
  g_assert_cmpuint (hull.n_faces, ==, 1);
  g_assert_cmpuint (hull.n_points, ==, 3);
  g_assert_cmpuint (hull.source[0], ==, 0);
  g_assert_cmpuint (hull.source[1], ==, 1);
  g_assert_cmpuint (hull.source[2], ==, 3);
  {
    const KgVector five[] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 3, 0 }, { 0, 0, 2 }, { 3, 3, 1 } };
    g_auto (ConvexHull) first = { 0 };
    double distance;

    g_assert_true (convex_hull_find (&first, five, 5, &options, NULL, &error));
    assert_near (convex_hull_get_plane (&first, 0, &distance).y, 0.534522, 1e-6);
    g_assert_cmpuint (first.source[0], ==, 2);
    g_assert_cmpuint (first.source[1], ==, 3);
    g_assert_cmpuint (first.source[2], ==, 4);
  }
}

static void
scatter (KgVector *points, size_t n, uint64_t seed, bool sphere)
{
  for (size_t i = 0; i < n; i++)
    points[i] = sphere ? kg_random_direction (seed, i, 0)
                       : kg_vector_scale (kg_random_direction (seed, i, 0), cbrt (kg_random_uniform (seed, i, 7)));
}

static void
test_random (void)
{
  static const guint sizes[] = { 4, 5, 10, 60, 300, 3000 };
  g_autofree KgVector *points = g_new (KgVector, 3000);

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
    for (int sphere = 0; sphere < 2; sphere++) {
      const guint n = sizes[k];
      g_auto (ConvexHull) quick = { 0 }, wrap = { 0 }, again = { 0 };

      scatter (points, n, k, sphere != 0);
      find (&quick, points, n, HULL_QUICK, true);
      find (&wrap, points, n, HULL_WRAP, true);
      check (&quick, points, n);
      check (&wrap, points, n);
      if (sphere != 0)
        g_assert_cmpuint (quick.n_points, ==, n);
      g_assert_cmpuint (quick.n_faces, ==, 2 * quick.n_points - 4);
      g_assert_cmpuint (wrap.n_faces, ==, quick.n_faces);
      g_assert_cmpmem (quick.source, (int) (quick.n_points * sizeof (uint32_t)), wrap.source,
                       (int) (wrap.n_points * sizeof (uint32_t)));
      assert_near (convex_hull_get_volume (&wrap), convex_hull_get_volume (&quick), 1e-12);
      find (&again, quick.points, quick.n_points, HULL_QUICK, true);
      g_assert_cmpuint (again.n_points, ==, quick.n_points);
    }
}

static void
test_plane (void)
{
  KgVector points[108];
  g_auto (ConvexHull) hull = { 0 }, space = { 0 };
  double distance;

  for (int i = 0; i < 8; i++)
    points[i] = kg_vector (cos (i * KG_PI / 4), sin (i * KG_PI / 4), 0);
  for (uint64_t i = 0; i < 100; i++)
    points[8 + i] =
        kg_vector_scale (kg_vector (cos ((double) i), sin ((double) i), 0), 0.9 * kg_random_uniform (1, i, 0));
  g_assert_true (convex_hull_find_plane (&hull, points, 108, kg_vector (0, 0, 1), NULL));
  g_assert_cmpuint (hull.n_points, ==, 8);
  g_assert_cmpint (hull.dimension, ==, 2);
  assert_near (convex_hull_get_area (&hull), 2 * sqrt (2), 1e-14);
  assert_vector_near (convex_hull_get_plane (&hull, 0, &distance), 0, 0, 1, 1e-15);
  /* The outline of points at any height has the same area from above. */
  {
    g_auto (ConvexHull) high = { 0 };

    for (uint64_t i = 0; i < 108; i++)
      points[i].z = kg_random_uniform (2, i, 0);
    g_assert_true (convex_hull_find_plane (&high, points, 108, kg_vector (0, 0, 1), NULL));
    g_assert_cmpuint (high.n_points, ==, 8);
    assert_near (convex_hull_get_area (&high), 2 * sqrt (2), 1e-14);
    for (int i = 0; i < 108; i++)
      points[i].z = 0;
  }
  /* Found to be flat, whichever way the plane lies. */
  for (int i = 0; i < 108; i++)
    points[i] = kg_vector_add (kg_vector (3, 2, 1),
                               kg_rotation_apply (kg_rotation_from_angles (kg_vector (1, 2, 3)), points[i]));
  find (&space, points, 108, HULL_QUICK, false);
  g_assert_cmpuint (space.n_points, ==, 8);
  g_assert_cmpint (space.dimension, ==, 2);
  assert_near (convex_hull_get_area (&space), 2 * sqrt (2), 1e-13);
}

static void
test_bad_input (void)
{
  const HullOptions options = { .tolerance = 1e-9, .steps = -1 };
  const KgVector line[] = { { 1, 1, 1 }, { 2, 2, 2 }, { 0, 0, 0 }, { 1.5, 1.5, 1.5 } };
  const KgVector same[] = { { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 } };
  KgVector doubled[16];

  for (int method = HULL_QUICK; method <= HULL_WRAP; method++) {
    g_auto (ConvexHull) on_line = { 0 }, in_place = { 0 }, twice = { 0 };

    find (&on_line, line, 4, (HullMethod) method, false);
    g_assert_cmpint (on_line.dimension, ==, 1);
    g_assert_cmpuint (on_line.source[0], ==, 2);
    g_assert_cmpuint (on_line.source[1], ==, 1);
    g_assert_cmpuint (on_line.n_faces, ==, 0);
    find (&in_place, same, 5, (HullMethod) method, false);
    g_assert_cmpint (in_place.dimension, ==, 0);
    for (int i = 0; i < 16; i++)
      doubled[i] = kg_vector (i & 4 ? 1 : -1, i & 2 ? 1 : -1, i & 1 ? 1 : -1);
    find (&twice, doubled, 16, (HullMethod) method, false);
    check (&twice, doubled, 16);
    g_assert_cmpuint (twice.n_points, ==, 8);
    g_assert_cmpuint (twice.n_faces, ==, 6);
  }
  {
    ConvexHull none;
    g_autoptr (GError) error = NULL;

    g_assert_false (convex_hull_find (&none, NULL, 0, &options, NULL, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  }
}

/* Float32 noise: a turned and divided box is six polygons with the tolerance of floats. */
static void
test_noise (void)
{
  const HullOptions options = { .tolerance = 1e-6, .steps = -1 };
  const KgRotation turn = kg_rotation_from_angles (kg_vector (0.3, 0.7, 1.1));
  KgVector points[1000];
  g_auto (ConvexHull) hull = { 0 };

  for (int i = 0; i < 1000; i++) {
    const KgVector p = kg_rotation_apply (turn, kg_vector (i / 100 / 9.0, i / 10 % 10 / 9.0, i % 10 / 9.0));

    points[i] = kg_vector ((double) (float) p.x, (double) (float) p.y, (double) (float) p.z);
  }
  g_assert_true (convex_hull_find (&hull, points, 1000, &options, NULL, NULL));
  g_assert_cmpuint (hull.n_faces, ==, 6);
  g_assert_cmpuint (hull.n_points, ==, 8);
  assert_near (convex_hull_get_volume (&hull), 1, 1e-6);
}

static bool
is_over (gpointer data)
{
  guint *left = data;

  if (*left == 0)
    return true;
  (*left)--;
  return false;
}

/* All points on a sphere are corners: what takes long can be stopped, and leaves nothing behind. */
static void
test_cancel (void)
{
  const size_t n = 40000;
  const guint patience[] = { 0, 1, 2, 4, 1000 };
  g_autofree KgVector *points = g_new (KgVector, n);
  const HullOptions options = { .tolerance = 1e-9, .steps = -1, .triangles = true };

  for (size_t i = 0; i < n; i++)
    points[i] = kg_random_direction (7, i, 0);
  for (guint k = 0; k < G_N_ELEMENTS (patience); k++) {
    guint left = patience[k];
    const KgProgressMonitor monitor = { .is_cancelled = is_over, .data = &left };
    g_auto (ConvexHull) hull = { 0 };
    g_autoptr (GError) error = NULL;
    const bool finished = convex_hull_find (&hull, points, n, &options, &monitor, &error);

    g_assert_no_error (error);
    g_assert_true (finished == (k + 1 == G_N_ELEMENTS (patience)));
    g_assert_cmpuint (hull.n_faces, ==, finished ? 2 * n - 4 : 0);
    /* It is asked between every twenty thousand faces that are made. */
    g_assert_true (!finished || left < 1000 - 8);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/convex-hull/70-45-70-47-solids", test_solids);
  g_test_add_func ("/convex-hull/70-44-first-facet", test_first_facet);
  g_test_add_func ("/convex-hull/70-49-random", test_random);
  g_test_add_func ("/convex-hull/70-50-plane", test_plane);
  g_test_add_func ("/convex-hull/70-44-bad-input", test_bad_input);
  g_test_add_func ("/convex-hull/70-46-noise", test_noise);
  g_test_add_func ("/convex-hull/70-49-cancel", test_cancel);
  return g_test_run ();
}
