/* tests/techniques/convex-parts: meshes with dents as convex hulls.
 * The numbers in names are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_parts.h"

#include "shape-test.h"

#include <omp.h>

/* (transfer full) A prism along z over an outline that turns counter-clockwise. */
static KgGeometry *
new_prism (const double (*outline)[2], guint n, double thick)
{
  g_autofree KgVector *points = g_new (KgVector, 2 * n);
  g_autofree uint32_t *bottom = g_new (uint32_t, n), *top = g_new (uint32_t, n);
  KgGeometry *mesh;

  for (guint i = 0; i < n; i++) {
    points[i] = kg_vector (outline[i][0], outline[i][1], 0);
    points[n + i] = kg_vector (outline[i][0], outline[i][1], thick);
    bottom[i] = n - 1 - i;
    top[i] = n + i;
  }
  mesh = new_cloud (points, 2 * n);
  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, n, bottom);
  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, n, top);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t side[] = { i, (i + 1) % n, n + (i + 1) % n, n + i };

    kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 4, side);
  }
  return mesh;
}

/* (transfer full) A torus around y. */
static KgGeometry *
new_torus (double radius, double tube, guint n, guint m, bool inside_out)
{
  g_autofree KgVector *points = g_new (KgVector, n * m);
  KgGeometry *mesh;

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < m; k++) {
      const double a = 2 * KG_PI * i / n, b = 2 * KG_PI * k / m, r = radius + tube * cos (b);

      points[i * m + k] = kg_vector (r * cos (a), tube * sin (b), r * sin (a));
    }
  mesh = new_cloud (points, n * m);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < m; k++) {
      const uint32_t a = i * m + k, b = i * m + (k + 1) % m, c = (i + 1) % n * m + (k + 1) % m, d = (i + 1) % n * m + k;
      const uint32_t out[] = { a, b, c, d }, in[] = { d, c, b, a };

      kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 4, inside_out ? in : out);
    }
  return mesh;
}

static ConvexParts *
find_parts (const KgGeometry *geometry, guint most, double tolerance)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (geometry, NULL, &error);
  ConvexParts *parts;

  g_assert_no_error (error);
  g_assert_cmpuint (mesh->n_open, ==, 0);
  parts = convex_parts_find (mesh, most, tolerance, NULL, &error);
  g_assert_no_error (error);
  return parts;
}

/* How far x is within the parts (negative: outside of all). */
static double
get_depth (const ConvexParts *parts, KgVector x)
{
  double deepest = -INFINITY;

  for (guint i = 0; i < parts->hulls->len; i++) {
    const ConvexHull *hull = &g_array_index (parts->hulls, ConvexHull, i);
    double depth = INFINITY;

    for (size_t f = 0; f < hull->n_faces; f++) {
      double distance;
      const KgVector normal = convex_hull_get_plane (hull, f, &distance);

      depth = fmin (depth, distance - kg_vector_dot (normal, x));
    }
    deepest = fmax (deepest, depth);
  }
  return deepest;
}

/* Every point of the solid is in a part; none farther from it than the dents that are filled. */
static void
check_parts (const KgGeometry *geometry, const ConvexParts *parts)
{
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (geometry, NULL, NULL);
  guint inside = 0, outside = 0;
  KgVector low, high;

  kg_geometry_get_bounds (geometry, &low, &high);
  for (guint i = 0; i < 4000; i++) {
    const KgVector x = { kg_lerp (low.x, high.x, kg_random_uniform (5, i, 0)),
                         kg_lerp (low.y, high.y, kg_random_uniform (5, i, 1)),
                         kg_lerp (low.z, high.z, kg_random_uniform (5, i, 2)) };
    const double depth = get_depth (parts, x);

    if (triangle_mesh_contains (mesh, NULL, INSIDE_RAY, x)) {
      inside++;
      /* Points of float32 and planes with a tolerance. */
      g_assert_cmpfloat (depth, >, -1e-5 * mesh->size);
    } else if (depth > 1e-6 * mesh->size) {
      outside++;
      /* Depths are measured at corners, centres and sides: between them a dent may be somewhat deeper. */
      g_assert_cmpfloat (triangle_mesh_find_nearest (mesh, x).distance, <, 1.5 * parts->depth + 1e-5 * mesh->size);
    }
  }
  g_assert_cmpuint (inside, >, 50);
  g_test_message ("%u parts, deepest dent %g, filled %g of %g, %u of 4000 points in dents", parts->hulls->len,
                  parts->depth, parts->filled, parts->volume, outside);
}

/* 50-77: blocks come apart into boxes, exactly. */
static void
test_blocks (void)
{
  static const double u[][2] = { { 0, 0 }, { 3, 0 }, { 3, 2 }, { 2, 2 }, { 2, 1 }, { 1, 1 }, { 1, 2 }, { 0, 2 } };
  static const double cross[][2] = { { 1, 0 }, { 2, 0 }, { 2, 1 }, { 3, 1 }, { 3, 2 }, { 2, 2 },
                                     { 2, 3 }, { 1, 3 }, { 1, 2 }, { 0, 2 }, { 0, 1 }, { 1, 1 } };
  g_autoptr (KgGeometry) l = new_l (), cup = new_prism (u, 8, 1), plus = new_prism (cross, 12, 1);
  const struct {
    const KgGeometry *mesh;
    guint parts;
    double volume;
  } blocks[] = { { l, 2, 3 }, { cup, 3, 5 }, { plus, 3, 5 } };

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
    g_autoptr (ConvexParts) parts = find_parts (blocks[i].mesh, 16, 0.01);

    g_assert_cmpuint (parts->hulls->len, ==, blocks[i].parts);
    assert_near (parts->volume, blocks[i].volume, 1e-9);
    assert_near (parts->filled, 0, 1e-6);
    assert_near (parts->depth, 0, 1e-6);
    for (guint k = 0; k < parts->hulls->len; k++)
      g_assert_cmpuint (g_array_index (parts->hulls, ConvexHull, k).n_points, ==, 8);
    check_parts (blocks[i].mesh, parts);
  }
}

/* What is convex is one part; one part is the hull. */
static void
test_whole (void)
{
  g_autoptr (KgGeometry) ball = new_ball (1, 3), l = new_l ();
  g_autoptr (ConvexParts) one = find_parts (ball, 16, 0), hull = find_parts (l, 1, 0);

  g_assert_cmpuint (one->hulls->len, ==, 1);
  assert_near (one->depth, 0, 2e-5);
  g_assert_cmpuint (hull->hulls->len, ==, 1);
  /* The hull of the L block is one half of a square higher. */
  assert_near (hull->filled, 0.5, 1e-6);
  /* From the inner edge straight out of its faces it is 1 to the face that joins the two ends. */
  assert_near (hull->depth, 1, 1e-6);
}

/* Round things: the more parts, the less is filled; the hole of a ring stays open. */
static void
test_ring (void)
{
  g_autoptr (KgGeometry) ring = new_torus (1, 0.25, 32, 12, false), turned = new_torus (1, 0.25, 32, 12, true);
  double before = INFINITY;

  for (guint most = 4; most <= 32; most *= 2) {
    g_autoptr (ConvexParts) parts = find_parts (ring, most, 0.01);

    g_assert_cmpuint (parts->hulls->len, <=, most);
    g_assert_cmpfloat (parts->filled, <, before);
    before = parts->filled;
    check_parts (ring, parts);
    g_assert_cmpfloat (get_depth (parts, kg_vector (0, 0, 0)), <, -0.3);
    /* With a part for each of its sectors it is exact. */
    if (most == 32)
      assert_near (parts->filled, 0, 1e-6);
  }
  /* Faces inwards: the same. */
  {
    g_autoptr (ConvexParts) parts = find_parts (turned, 8, 0.01), again = find_parts (ring, 8, 0.01);

    g_assert_cmpuint (parts->hulls->len, ==, again->hulls->len);
    assert_near (parts->filled, again->filled, 1e-6);
  }
}

/* A hollow box: corners of parts are where three planes meet within the solid. */
static void
test_corner (void)
{
  g_autoptr (KgGeometry) hollow = new_box (kg_vector (0, 0, 0), kg_vector (2, 2, 2));
  g_autoptr (KgGeometry) inner = new_box (kg_vector (0.1, 0.2, -0.1), kg_vector (1, 1, 1));
  const float *p = kg_geometry_get_positions (inner);
  float *to;

  /* The second box is turned inside out. */
  g_assert_true (kg_geometry_set_n_points (hollow, 16, NULL));
  to = kg_geometry_edit_positions (hollow);
  memcpy (to + 24, p, 24 * sizeof *to);
  for (size_t k = 0; k < 6; k++) {
    uint32_t back[4];
    KgPrimitive face;

    kg_geometry_get_primitive (inner, k, &face);
    for (uint32_t i = 0; i < 4; i++)
      back[i] = 8 + face.vertices[3 - i];
    kg_geometry_add_primitives (hollow, KG_POLYGON, true, 1, 4, back);
  }
  {
    g_autoptr (ConvexParts) parts = find_parts (hollow, 16, 0.01);

    assert_near (parts->volume, 7, 1e-6);
    assert_near (parts->filled, 0, 1e-5);
    g_assert_cmpuint (parts->hulls->len, <=, 10);
    check_parts (hollow, parts);
    g_assert_cmpfloat (get_depth (parts, kg_vector (0.1, 0.2, -0.1)), <, -0.49);
  }
}

/* The same parts whatever the number of threads, and wherever the mesh is. */
static void
test_same (void)
{
  g_autoptr (KgGeometry) ring = new_torus (1, 0.25, 24, 8, false);
  const int threads = omp_get_max_threads ();

  omp_set_num_threads (1);
  {
    g_autoptr (ConvexParts) one = find_parts (ring, 8, 0.01);

    omp_set_num_threads (4);
    {
      g_autoptr (ConvexParts) four = find_parts (ring, 8, 0.01);

      g_assert_cmpuint (one->hulls->len, ==, four->hulls->len);
      for (guint i = 0; i < one->hulls->len; i++) {
        const ConvexHull *a = &g_array_index (one->hulls, ConvexHull, i),
                         *b = &g_array_index (four->hulls, ConvexHull, i);

        g_assert_cmpuint (a->n_points, ==, b->n_points);
        g_assert_true (memcmp (a->points, b->points, a->n_points * sizeof *a->points) == 0);
      }
    }
  }
  omp_set_num_threads (threads);
}

static bool
is_cancelled (gpointer data)
{
  return ++*(int *) data > 20;
}

static void
test_cancelled (void)
{
  g_autoptr (KgGeometry) ring = new_torus (1, 0.25, 24, 8, false);
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (ring, NULL, NULL);
  g_autoptr (GError) error = NULL;
  int asked = 0;
  const KgProgressMonitor monitor = { .is_cancelled = is_cancelled, .data = &asked };

  g_assert_null (convex_parts_find (mesh, 16, 0.01, &monitor, &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/convex-parts/50-77-blocks", test_blocks);
  g_test_add_func ("/convex-parts/whole", test_whole);
  g_test_add_func ("/convex-parts/ring", test_ring);
  g_test_add_func ("/convex-parts/corner", test_corner);
  g_test_add_func ("/convex-parts/same", test_same);
  g_test_add_func ("/convex-parts/cancelled", test_cancelled);
  return g_test_run ();
}
