/* tests/techniques/tetrahedra: what fills a mesh: volume, neighbours, angles, and topology.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/tetrahedra.h"
#include "shape-test.h"

#include <stdlib.h>

static TriangleMesh *
read_mesh (const KgGeometry *geometry)
{
  g_autoptr (GError) error = NULL;
  TriangleMesh *mesh = triangle_mesh_new (geometry, NULL, &error);

  g_assert_no_error (error);
  return mesh;
}

/* A tube of the given radius round a circle of radius 1 about y. */
static KgGeometry *
new_torus (double radius, uint32_t n)
{
  g_autofree KgVector *x = g_new (KgVector, n * n);
  g_autofree uint32_t *squares = g_new (uint32_t, 4 * n * n);
  KgGeometry *torus;

  for (uint32_t i = 0; i < n * n; i++) {
    const double u = 2 * KG_PI * (i % n) / n, v = 2 * KG_PI * (i / n) / n, out = 1 + radius * cos (u);
    const uint32_t a = i / n * n, b = (i / n + 1) % n * n, c = i % n, d = (i % n + 1) % n;

    x[i] = kg_vector (out * cos (v), radius * sin (u), out * sin (v));
    memcpy (squares + 4 * i, (uint32_t[]){ a + c, a + d, b + d, b + c }, 16);
  }
  torus = new_cloud (x, n * n);
  kg_geometry_add_primitives (torus, KG_POLYGON, true, n * n, 4, squares);
  return torus;
}

/* Vertices, edges, faces and solids in turn: 1 for a ball, 0 for a ring. */
static long
get_euler (const Tetrahedra *t, size_t n_outer)
{
  g_autoptr (GHashTable) edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (size_t i = 0; i < t->n; i++)
    for (int a = 0; a < 4; a++)
      for (int b = a + 1; b < 4; b++) {
        const uint32_t p = t->corners[i][a], q = t->corners[i][b];
        const gint64 key = (gint64) MIN (p, q) * (gint64) t->n_points + (gint64) MAX (p, q);

        g_hash_table_add (edges, g_memdup2 (&key, sizeof key));
      }
  return (long) t->n_points - (long) g_hash_table_size (edges) + (long) (4 * t->n + n_outer) / 2 - (long) t->n;
}

/* What holds for all: a closed surface around the sum of the volumes, all of them positive, no sharp angles, and nothing outside. */
static TetrahedraMeasure
check (const KgGeometry *geometry, double cell, long euler)
{
  g_autoptr (TriangleMesh) mesh = read_mesh (geometry), outer = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (Tetrahedra) filled = { .n = 0 };
  g_autoptr (GArray) surface = NULL;
  g_autoptr (KgGeometry) skin = NULL;
  TetrahedraMeasure measure;
  double volume = 0;

  tetrahedra_fill (mesh, cell, &filled, NULL, &error);
  g_assert_no_error (error);
  measure = tetrahedra_measure (&filled);
  surface = tetrahedra_get_surface (&filled);
  skin = new_cloud (filled.points, filled.n_points);
  kg_geometry_add_primitives (skin, KG_POLYGON, true, surface->len, 3, (const uint32_t *) (const void *) surface->data);
  outer = read_mesh (skin);
  g_assert_cmpuint (outer->n_open, ==, 0);
  for (guint i = 0; i < surface->len; i++) {
    const uint32_t *c = &g_array_index (surface, uint32_t, 3 * i);

    volume += kg_vector_dot (filled.points[c[0]], kg_vector_cross (filled.points[c[1]], filled.points[c[2]])) / 6;
  }
  assert_near (volume, measure.volume, 1e-8);
  g_test_message ("%zu points, %zu tetrahedra, volume %.6f, angles %.2f to %.2f", filled.n_points, filled.n,
                  measure.volume, measure.least_angle * 180 / KG_PI, measure.most_angle * 180 / KG_PI);
  g_assert_cmpfloat (measure.least_angle, >, 10.7 * KG_PI / 180);
  g_assert_cmpfloat (measure.most_angle, <, 164.8 * KG_PI / 180);
  for (size_t i = 0; i < filled.n; i++) {
    KgVector x[4];

    for (int k = 0; k < 4; k++)
      x[k] = filled.points[filled.corners[i][k]];
    g_assert_cmpfloat (tetrahedron_get_volume (x), >, 0);
  }
  for (size_t i = 0; i < filled.n_points; i++)
    if (!triangle_mesh_contains (mesh, NULL, INSIDE_RAY, filled.points[i]))
      g_assert_cmpfloat (triangle_mesh_find_nearest (mesh, filled.points[i]).distance, <, 1e-5);
  g_assert_cmpint (get_euler (&filled, surface->len), ==, euler);
  return measure;
}

/* 50-104, solids: the volume comes nearer with the square of the cell on what is round, and with its edges on a box. */
static void
test_volume (void)
{
  g_autoptr (KgGeometry) torus = new_torus (0.4, 96), box = kg_geometry_new ();
  const double of_torus = 2 * KG_PI * KG_PI * 0.16;
  double errors[2];

  for (int k = 0; k < 2; k++)
    errors[k] = fabs (check (torus, k == 0 ? 0.2 : 0.1, 0).volume / of_torus - 1);
  g_assert_cmpfloat (errors[0], <, 0.03);
  g_assert_cmpfloat (errors[1], <, 0.4 * errors[0]);
  add_box (box, kg_vector (0.1, 0.2, 0.3), kg_vector (1, 2, 1), kg_rotation_identity ());
  assert_near (check (box, 0.25, 1).volume, 2, 0.12);
  assert_near (check (box, 0.09, 1).volume, 2, 0.025);
}

/* A box that is turned anyhow, the L of two boxes, and a box of the lattice's own size, whose faces may fall on lattice points. */
static void
test_places (void)
{
  g_autoptr (KgGeometry) l = new_l ();

  check (l, 0.17, 1);
  check (l, 0.25, 1);
  for (int k = 0; k < 12; k++) {
    g_autoptr (KgGeometry) box = kg_geometry_new ();

    add_box (box, kg_vector (0.01 * k, -3, 100), kg_vector (1, 1, 1),
             kg_rotation_from_axis_angle (kg_vector (1, 2, 3), k % 3 == 0 ? 0 : 0.21 * k));
    check (box, k < 6 ? 0.25 : 0.2, 1);
  }
}

static void
assert_refused (const KgGeometry *geometry, double cell, int code)
{
  g_autoptr (TriangleMesh) mesh = read_mesh (geometry);
  g_autoptr (GError) error = NULL;
  g_auto (Tetrahedra) filled = { .n = 0 };

  g_assert_false (tetrahedra_fill (mesh, cell, &filled, NULL, &error));
  g_assert_error (error, KG_ERROR, code);
}

static void
test_refused (void)
{
  g_autoptr (KgGeometry) sheet = kg_geometry_new (), box = kg_geometry_new (), nothing = kg_geometry_new ();

  add_box (sheet, kg_vector (0, 0, 0), kg_vector (1, 0, 1), kg_rotation_identity ());
  assert_refused (sheet, 0.1, KG_ERROR_DEGENERATE);
  add_box (box, kg_vector (0, 0, 0), kg_vector (1, 1, 1), kg_rotation_identity ());
  assert_refused (box, 1e-4, KG_ERROR_LIMIT);
  assert_refused (box, 40, KG_ERROR_DEGENERATE);
  assert_refused (nothing, 1, KG_ERROR_DEGENERATE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tetrahedra/50-104-volume", test_volume);
  g_test_add_func ("/tetrahedra/50-104-places", test_places);
  g_test_add_func ("/tetrahedra/refused", test_refused);
  return g_test_run ();
}
