/* tests/techniques/triangle-mesh: nearest points, rays, insides and crossings of meshes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle_mesh.h"
#include "shape-test.h"

static TriangleMesh *
read_mesh (const KgGeometry *geometry)
{
  g_autoptr (GError) error = NULL;
  TriangleMesh *mesh = triangle_mesh_new (geometry, NULL, &error);

  g_assert_no_error (error);
  return mesh;
}

static void
test_inside (void)
{
  g_autoptr (KgGeometry) l = new_l ();
  g_autoptr (TriangleMesh) mesh = read_mesh (l);
  g_autoptr (MeshWinding) winding = mesh_winding_new (mesh);

  g_assert_cmpuint (mesh->n, ==, 20);
  g_assert_cmpuint (mesh->n_open, ==, 0);
  for (int method = INSIDE_RAY; method <= INSIDE_WINDING; method++) {
    g_assert_true (triangle_mesh_contains (mesh, winding, (InsideMethod) method, kg_vector (0.5, 1.5, 0.5)));
    g_assert_false (triangle_mesh_contains (mesh, winding, (InsideMethod) method, kg_vector (1.5, 1.5, 0.5)));
    g_assert_false (triangle_mesh_contains (mesh, winding, (InsideMethod) method, kg_vector (-1, 0.5, 0.5)));
    g_assert_false (triangle_mesh_contains (mesh, winding, (InsideMethod) method, kg_vector (-1, 1, 0.5)));
  }
  assert_near (mesh_winding_get (winding, kg_vector (0.5, 1.5, 0.5)), 1, 1e-12);
  assert_near (mesh_winding_get (winding, kg_vector (1.5, 1.5, 0.5)), 0, 1e-12);
  /* Known by its formula. */
  for (uint64_t i = 0; i < 500; i++) {
    const KgVector x = { 3 * kg_random_uniform (1, i, 0) - 0.5, 3 * kg_random_uniform (1, i, 1) - 0.5,
                         2 * kg_random_uniform (1, i, 2) - 0.5 };
    const bool in = x.x > 0 && x.y > 0 && x.z > 0 && x.z < 1 && ((x.x < 2 && x.y < 1) || (x.x < 1 && x.y < 2));

    g_assert_true (triangle_mesh_contains (mesh, winding, INSIDE_RAY, x) == in);
    g_assert_true (triangle_mesh_contains (mesh, winding, INSIDE_WINDING, x) == in);
  }
}

/* One of twelve triangles is missing. */
static void
test_hole (void)
{
  const uint32_t faces[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                 { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
  KgVector points[8];
  g_autoptr (KgGeometry) cube = NULL;
  g_autoptr (TriangleMesh) mesh = NULL;
  g_autoptr (MeshWinding) winding = NULL;

  for (int i = 0; i < 8; i++)
    points[i] = kg_vector (i & 1, i >> 1 & 1, i >> 2 & 1);
  cube = new_cloud (points, 8);
  for (int f = 0; f < 6; f++) {
    const uint32_t a[] = { faces[f][0], faces[f][1], faces[f][2] }, b[] = { faces[f][0], faces[f][2], faces[f][3] };

    kg_geometry_add_primitives (cube, KG_POLYGON, true, 1, 3, a);
    if (f > 0)
      kg_geometry_add_primitives (cube, KG_POLYGON, true, 1, 3, b);
  }
  mesh = read_mesh (cube);
  winding = mesh_winding_new (mesh);
  g_assert_cmpuint (mesh->n_open, ==, 3);
  assert_near (mesh_winding_get (winding, kg_vector (0.5, 0.5, 0.5)), 11.0 / 12, 1e-12);
}

/* A fine ball: dipoles instead of triangles, against the sum of all. */
static void
test_dipoles (void)
{
  g_autoptr (KgGeometry) ball = new_ball (1, 5);
  g_autoptr (TriangleMesh) mesh = read_mesh (ball);
  g_autoptr (MeshWinding) winding = mesh_winding_new (mesh);

  g_assert_cmpuint (mesh->n, ==, 8 * 1024);
  g_assert_cmpuint (mesh->n_open, ==, 0);
  for (uint64_t i = 0; i < 400; i++) {
    const KgVector x = kg_vector_scale (kg_random_direction (1, i, 0), 1.6 * kg_random_uniform (1, i, 5));
    const double r = kg_vector_length (x);
    const MeshNearest nearest = triangle_mesh_find_nearest (mesh, x);

    if (fabs (r - 1) < 0.01)
      continue;
    assert_near (mesh_winding_get (winding, x), r < 1 ? 1 : 0, 0.01);
    g_assert_true (triangle_mesh_contains (mesh, winding, INSIDE_RAY, x) == (r < 1));
    g_assert_true (triangle_mesh_contains (mesh, winding, INSIDE_PLANES, x) == (r < 1));
    assert_near (nearest.distance, fabs (r - 1), 2e-3);
    /* Known without the nearest one. */
    g_assert_true (triangle_mesh_is_within (mesh, x, nearest.distance * (1 + 1e-9)));
    g_assert_false (triangle_mesh_is_within (mesh, x, nearest.distance * (1 - 1e-9)));
    g_assert_false (triangle_mesh_is_within (mesh, x, 0));
  }
}

static void
test_rays (void)
{
  g_autoptr (KgGeometry) box = new_box (kg_vector (0, 0, 0), kg_vector (2, 2, 2));
  g_autoptr (TriangleMesh) mesh = read_mesh (box);
  double t = INFINITY;
  uint32_t triangle;

  g_assert_true (triangle_mesh_hit (mesh, kg_vector (-5, 0.25, 0.5), kg_vector (2, 0, 0), &t, &triangle));
  assert_near (t, 2, 1e-14);
  g_assert_cmpuint (mesh->polygon[triangle], ==, 4);
  t = 1.9;
  g_assert_false (triangle_mesh_hit (mesh, kg_vector (-5, 0.25, 0.5), kg_vector (2, 0, 0), &t, &triangle));
  t = INFINITY;
  g_assert_false (triangle_mesh_hit (mesh, kg_vector (-5, 3, 0.5), kg_vector (2, 0, 0), &t, &triangle));
}

static void
test_nearest (void)
{
  g_autoptr (KgGeometry) ball = new_ball (1, 3);
  g_autoptr (TriangleMesh) mesh = read_mesh (ball);

  for (uint64_t i = 0; i < 200; i++) {
    const KgVector x = kg_vector_scale (kg_random_direction (1, i, 0), 3 * kg_random_uniform (1, i, 5));
    const MeshNearest nearest = triangle_mesh_find_nearest (mesh, x);
    double best = INFINITY;

    for (size_t k = 0; k < mesh->n; k++) {
      KgVector corners[3];

      triangle_mesh_get_corners (mesh, k, corners);
      best = fmin (best, kg_vector_distance (triangle_find_nearest (corners, x), x));
    }
    assert_near (nearest.distance, best, 1e-14);
    assert_near (kg_vector_distance (nearest.point, x), best, 1e-14);
  }
}

static void
test_crossings (void)
{
  const KgVector edge[] = { { 0.2, 0.3, -1 }, { 0.4, 0.3, 2 }, { 9, 0.3, 2 } },
                 face[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
  const uint32_t corners[] = { 0, 1, 2 };
  g_autoptr (KgGeometry) a = new_cloud (edge, 3), b = new_cloud (face, 3);
  g_autoptr (TriangleMesh) mesh_a = NULL, mesh_b = NULL;
  g_autoptr (GArray) found = NULL;
  bool seen = false;

  kg_geometry_add_primitives (a, KG_POLYGON, true, 1, 3, corners);
  kg_geometry_add_primitives (b, KG_POLYGON, true, 1, 3, corners);
  mesh_a = read_mesh (a);
  mesh_b = read_mesh (b);
  found = triangle_mesh_find_crossings (mesh_a, mesh_b, 100, NULL, NULL, NULL);
  for (guint i = 0; i < found->len; i++) {
    const MeshCrossing *crossing = &g_array_index (found, MeshCrossing, i);

    if (crossing->edge_of_a && fabs (crossing->point.x - 0.266667) < 1e-6) {
      assert_vector_near (crossing->point, 0.266667, 0.3, 0, 1e-6);
      assert_vector_near (crossing->normal, 0, 0, 1, 1e-12);
      assert_near (crossing->depth, 1, 1e-6);
      seen = true;
    }
  }
  g_assert_true (seen);
}

/* Two balls, against all pairs of triangles; and bars that cross without a corner inside. */
static void
test_balls (void)
{
  g_autoptr (KgGeometry) ball = new_ball (1, 3), other = new_ball (0.8, 3), far = NULL;
  g_autoptr (KgGeometry) bar = new_box (kg_vector (0, 0, 0), kg_vector (4, 0.5, 0.5)),
                         across = new_box (kg_vector (0, 0, 0.1), kg_vector (0.5, 4, 0.5));
  const KgTransform move = kg_transform_from_parts (kg_vector (1, 0.3, 0.2),
                                                    kg_rotation_from_angles (kg_vector (1, 2, 3)), kg_vector (1, 1, 1));
  const KgTransform away = kg_transform_from_parts (kg_vector (2, 0, 0), kg_rotation_identity (), kg_vector (1, 1, 1));
  g_autoptr (TriangleMesh) a = read_mesh (ball), b = NULL, c = NULL, d = read_mesh (bar), e = read_mesh (across);
  g_autoptr (GArray) found = NULL, bars = NULL;
  size_t n_tests;
  KgVector on_a, on_b;

  kg_geometry_transform (other, &move);
  b = read_mesh (other);
  found = triangle_mesh_find_crossings (a, b, 1000000, &n_tests, NULL, NULL);
  g_assert_cmpuint (found->len, >, 20);
  g_assert_cmpuint (n_tests, <, a->n * b->n / 10);
  for (guint i = 0; i < found->len; i++) {
    const MeshCrossing *crossing = &g_array_index (found, MeshCrossing, i);

    /* On both surfaces. */
    assert_near (triangle_mesh_find_nearest (a, crossing->point).distance, 0, 1e-12);
    assert_near (triangle_mesh_find_nearest (b, crossing->point).distance, 0, 1e-12);
    g_assert_cmpfloat (crossing->depth, >=, 0);
  }
  bars = triangle_mesh_find_crossings (d, e, 1000, NULL, NULL, NULL);
  g_assert_cmpuint (bars->len, >=, 8);
  /* Apart: as balls are, but for the tessellation. */
  far = kg_geometry_ref (other);
  kg_geometry_make_writable (&far);
  kg_geometry_transform (far, &away);
  c = read_mesh (far);
  assert_near (triangle_mesh_find_distance (a, c, &on_a, &on_b), sqrt (9 + 0.09 + 0.04) - 1.8, 0.03);
  assert_near (kg_vector_distance (on_a, on_b), triangle_mesh_find_distance (c, a, &on_b, &on_a), 1e-12);
}

static void
test_bad_input (void)
{
  g_autoptr (KgGeometry) empty = kg_geometry_new (), box = new_box (kg_vector (0, 0, 0), kg_vector (1, 1, 1));
  g_autoptr (TriangleMesh) none = read_mesh (empty), mesh = read_mesh (box);
  g_autoptr (GArray) found = triangle_mesh_find_crossings (none, mesh, 10, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (found->len, ==, 0);
  g_assert_false (triangle_mesh_contains (none, NULL, INSIDE_RAY, kg_vector (0, 0, 0)));
  g_assert_false (triangle_mesh_contains (none, NULL, INSIDE_WINDING, kg_vector (0, 0, 0)));
  g_assert_false (triangle_mesh_contains (none, NULL, INSIDE_PLANES, kg_vector (0, 0, 0)));
  g_assert_true (isinf (triangle_mesh_find_nearest (none, kg_vector (0, 0, 0)).distance));
  g_assert_null (triangle_mesh_find_crossings (mesh, mesh, 3, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

/* 50-60: which triangle has an edge first, and how many sides are without a partner, are what a list of all edges says: of a closed
 * ball, of loose triangles that share corners, some twice and some facing the other way, and of a fan with thousands of sides at its
 * apex, whichever index that has. */
static void
test_edges (void)
{
  for (int shape = 0; shape < 4; shape++) {
    g_autoptr (KgGeometry) geometry = shape == 0 ? new_ball (1, 4) : kg_geometry_new ();
    g_autoptr (TriangleMesh) mesh = NULL;
    g_autoptr (GHashTable) balance = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    GHashTableIter iter;
    gpointer value;
    size_t n_open = 0;

    if (shape > 0) {
      const uint32_t n = 3000;
      float *p;

      kg_geometry_set_n_points (geometry, shape == 1 ? 40 : n, NULL);
      p = kg_geometry_edit_positions (geometry);
      for (uint32_t i = 0; i < 3 * kg_geometry_get_n_points (geometry); i++)
        p[i] = (float) kg_random_uniform (7, i, 0);
      for (uint32_t i = 0; i + 2 < n; i++) {
        uint32_t corners[] = { shape == 2 ? 0 : n - 1, shape == 2 ? i + 1 : i, shape == 2 ? i + 2 : i + 1 };

        for (uint64_t k = 0; shape == 1 && k < 3; k++)
          corners[k] = (uint32_t) (40 * kg_random_uniform (8, i, k));
        if (shape != 3 || i + 3 < n)
          kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, 3, corners);
      }
    }
    mesh = read_mesh (geometry);
    for (size_t i = 0; i < mesh->n; i++)
      for (int k = 0; k < 3; k++) {
        const uint32_t a = mesh->corners[i][k], b = mesh->corners[i][(k + 1) % 3];
        const gint64 edge = (gint64) MIN (a, b) << 32 | MAX (a, b);
        int *found = g_hash_table_lookup (balance, &edge);

        g_assert_cmpint (mesh->edges[i] >> k & 1, ==, found == NULL);
        if (found == NULL) {
          found = g_new0 (int, 1);
          g_hash_table_insert (balance, g_memdup2 (&edge, sizeof edge), found);
        }
        *found += a < b ? 1 : -1;
      }
    g_hash_table_iter_init (&iter, balance);
    while (g_hash_table_iter_next (&iter, NULL, &value))
      n_open += (size_t) abs (*(const int *) value);
    g_assert_cmpuint (mesh->n_open, ==, n_open);
    g_assert_true ((n_open == 0) == (shape == 0));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/triangle-mesh/50-60-edges", test_edges);
  g_test_add_func ("/triangle-mesh/50-59-inside", test_inside);
  g_test_add_func ("/triangle-mesh/50-59-hole", test_hole);
  g_test_add_func ("/triangle-mesh/50-59-dipoles", test_dipoles);
  g_test_add_func ("/triangle-mesh/rays", test_rays);
  g_test_add_func ("/triangle-mesh/nearest", test_nearest);
  g_test_add_func ("/triangle-mesh/50-60-crossings", test_crossings);
  g_test_add_func ("/triangle-mesh/50-61-balls", test_balls);
  g_test_add_func ("/triangle-mesh/bad-input", test_bad_input);
  return g_test_run ();
}
