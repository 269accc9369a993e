/* tests/techniques/mesh-walk: ways over meshes, against closed forms and catalogue 30-100 to 30-104.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "../net.h"
#include "geometry/mesh_walk.h"

/* Turned about the view by 0.3 and shifted, so that nothing is along an axis. */
static KgGeometry *
make_tilted_net (uint32_t n)
{
  KgGeometry *geometry = make_net (n, n, NULL, -1);
  const KgTransform t = kg_transform_from_parts (
      kg_vector (1, 2, 3), kg_rotation_from_axis_angle (kg_vector (1, 2, -1), 0.7), kg_vector (1, 1, 1));

  kg_geometry_transform (geometry, &t);
  return geometry;
}

/* Every place is on a face: no farther from it than the rounding of the mesh. */
static void
check_on_surface (const MeshWalk *walk, const MeshPath *path)
{
  for (guint i = 0; i < path->positions->len; i++) {
    const KgVector p = g_array_index (path->positions, KgVector, i);

    assert_near (kg_vector_distance (mesh_walk_find (walk, p).position, p), 0, 1e-9 * mesh_walk_get_size (walk));
  }
}

/* 30-100: on a flat mesh a straight line, wherever start and end are: in faces, on edges, at points. */
static void
test_plane_flat (void)
{
  g_autoptr (KgGeometry) geometry = make_tilted_net (8);
  g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL);
  g_autoptr (MeshPath) path = mesh_path_new ();
  const KgTransform t = kg_transform_from_parts (
      kg_vector (1, 2, 3), kg_rotation_from_axis_angle (kg_vector (1, 2, -1), 0.7), kg_vector (1, 1, 1));
  static const double places[][2] = { { 0.3, 0.2 }, { 7.7, 5.1 }, { 4, 4 }, { 0, 0 }, { 8, 8 },
                                      { 3.5, 2 },   { 2.5, 2.5 }, { 8, 0 }, { 1, 6 }, { 6, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    for (guint k = 0; k < G_N_ELEMENTS (places); k++) {
      const KgVector a = kg_transform_point (t, kg_vector (places[i][0], places[i][1], 0));
      const KgVector b = kg_transform_point (t, kg_vector (places[k][0], places[k][1], 0));
      g_autoptr (GError) error = NULL;

      mesh_walk_cut (walk, mesh_walk_find (walk, a), mesh_walk_find (walk, b), path, &error);
      g_assert_no_error (error);
      assert_near (path->length, kg_vector_distance (a, b), 1e-5);
      check_on_surface (walk, path);
    }
}

static double
hump (double x, double y)
{
  return 2 * exp (-((x - 5) * (x - 5) + (y - 5) * (y - 5)) / 6);
}

/* 30-100: on a bent mesh every place of the way is in the plane and on a face. */
static void
test_plane_bent (void)
{
  g_autoptr (KgGeometry) geometry = make_net (10, 10, hump, -1);
  g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL);
  g_autoptr (MeshPath) path = mesh_path_new ();
  const MeshPlace a = mesh_walk_find (walk, kg_vector (1.2, 3.3, 0)),
                  b = mesh_walk_find (walk, kg_vector (9.1, 6.4, 0));
  const KgVector way = kg_vector_subtract (b.position, a.position);
  const KgVector mean = kg_vector_add (mesh_walk_get_normal (walk, a), mesh_walk_get_normal (walk, b));
  const KgVector normal = kg_vector_normalize_or (kg_vector_cross (way, mean), way);

  g_assert_true (mesh_walk_cut (walk, a, b, path, NULL));
  g_assert_cmpuint (path->positions->len, >, 10);
  check_on_surface (walk, path);
  for (guint i = 0; i < path->positions->len; i++)
    assert_near (kg_vector_dot (normal, kg_vector_subtract (g_array_index (path->positions, KgVector, i), a.position)),
                 0, 1e-9 * mesh_walk_get_size (walk));
}

/* 30-101: on a sphere laid out by longitude and latitude a line of one latitude is a parallel, longer than the great arc;
 * over the seam it is the other part of it. */
static void
test_parameters (void)
{
  KgGeometry *geometry = make_net (200, 100, NULL, -1);
  float *p = kg_geometry_edit_positions (geometry);
  const float *uv = kg_geometry_get_float (geometry, KG_POINTS, "uv", 2);
  g_autoptr (MeshWalk) walk = NULL;
  g_autoptr (MeshChart) chart = NULL;
  g_autoptr (MeshPath) path = mesh_path_new ();
  const double start[] = { 0.1, 0.7501 }, end[] = { 0.6, 0.7501 }, outside[] = { 1.5, 0.5 };
  const double latitude = 0.2501 * KG_PI;
  g_autoptr (GError) error = NULL;

  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++) {
    const double a = 2 * KG_PI * (double) uv[2 * i], b = KG_PI * ((double) uv[2 * i + 1] - 0.5);

    p[3 * i] = (float) (cos (a) * cos (b));
    p[3 * i + 1] = (float) sin (b);
    p[3 * i + 2] = (float) (-sin (a) * cos (b));
  }
  walk = mesh_walk_new (geometry, NULL, NULL);
  chart = mesh_chart_new (walk, uv);
  g_assert_true (mesh_walk_parameters (walk, chart, start, end, path, NULL));
  assert_near (path->length, KG_PI * cos (latitude), 2e-3);
  for (guint i = 0; i < path->positions->len; i++)
    assert_near (g_array_index (path->positions, KgVector, i).y, sin (latitude), 1e-3);
  /* The great arc between the two goes over the pole. */
  g_assert_cmpfloat (path->length, >, KG_PI - 2 * latitude);
  g_assert_false (mesh_walk_parameters (walk, chart, start, outside, path, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  kg_geometry_unref (geometry);
}

/* 30-101: exactly S (u, v) of the line: on a net whose parameters are its place. */
static void
test_parameters_exact (void)
{
  g_autoptr (KgGeometry) geometry = make_net (8, 8, hump, -1);
  const float *uv = kg_geometry_get_float (geometry, KG_POINTS, "uv", 2);
  g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL);
  g_autoptr (MeshChart) chart = mesh_chart_new (walk, uv);
  g_autoptr (MeshPath) path = mesh_path_new ();
  static const double places[][2] = { { 0, 0 }, { 1, 1 }, { 0.25, 0.5 }, { 0.9, 0.13 }, { 0.5, 1 }, { 1, 0.25 } };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    for (guint k = 0; k < G_N_ELEMENTS (places); k++) {
      const double *a = places[i], *b = places[k];

      g_assert_true (mesh_walk_parameters (walk, chart, a, b, path, NULL));
      for (guint j = 0; j < path->positions->len; j++) {
        const KgVector at = g_array_index (path->positions, KgVector, j);

        assert_near ((at.x / 8 - a[0]) * (b[1] - a[1]) - (at.y / 8 - a[1]) * (b[0] - a[0]), 0, 1e-9);
      }
      check_on_surface (walk, path);
      assert_near (g_array_index (path->positions, KgVector, path->positions->len - 1).x, 8 * b[0], 1e-9);
    }
}

/* 30-102: from (0, 0) to (3, 1) over (1, 0) and (2, 1), 2 + √2 long. */
static void
test_edges (void)
{
  g_autoptr (KgGeometry) geometry = make_net (4, 3, NULL, -1);
  g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL);
  g_autoptr (MeshPath) path = mesh_path_new ();
  static const uint32_t wanted[] = { 0, 1, 7, 8 };

  g_assert_true (mesh_walk_edges (walk, 0, 8, false, path, NULL));
  g_assert_cmpuint (path->points->len, ==, 4);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpuint (g_array_index (path->points, uint32_t, i), ==, wanted[i]);
  assert_near (path->length, 3.414213562, 1e-9);
  g_assert_cmpfloat (path->length, >=, sqrt (10));
  /* Goal and start the same. */
  g_assert_true (mesh_walk_edges (walk, 5, 5, false, path, NULL));
  g_assert_cmpuint (path->points->len, ==, 1);
  assert_near (path->length, 0, 0);
}

/* 30-102: a dead end, and the shortest way out of it; two pieces that are not connected. */
static void
test_dead_end (void)
{
  /* A fork: point 0 leads by 1 to 2, which is nearest to the end 5 but leads nowhere, and by 3 and 4 to it. */
  static const float points[] = {
    0, 0, 0, 1, 0.1f, 0, 2, 0, 0, 0, -2, 0, 3, -2, 0, 3, 0, 0, 9, 9, 0, 9, 8, 0, 8, 8, 0
  };
  static const uint32_t triangles[] = { 0, 1, 2, 0, 3, 4, 3, 4, 5, 6, 7, 8 };
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  g_autoptr (MeshWalk) walk = NULL;
  g_autoptr (MeshPath) path = mesh_path_new ();
  g_autoptr (GError) error = NULL, other = NULL;

  kg_geometry_set_n_points (geometry, 9, NULL);
  memcpy (kg_geometry_edit_positions (geometry), points, sizeof points);
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, 4, 3, triangles);
  walk = mesh_walk_new (geometry, NULL, NULL);
  g_assert_false (mesh_walk_edges (walk, 0, 5, false, path, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_true (mesh_walk_edges (walk, 0, 5, true, path, NULL));
  /* 0 to 3 (2 m), 3 to 5 (√13 m): shorter than by 4. */
  assert_near (path->length, 2 + sqrt (13), 1e-6);
  g_assert_false (mesh_walk_edges (walk, 0, 6, true, path, &other));
  g_assert_error (other, KG_ERROR, KG_ERROR_DEGENERATE);
}

/* 30-103: on a flat mesh one straight line, never longer than along edges. */
static void
test_faces (void)
{
  g_autoptr (KgGeometry) geometry = make_net (9, 7, NULL, -1), bent = make_net (9, 9, hump, -1);
  g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL), hill = mesh_walk_new (bent, NULL, NULL);
  g_autoptr (MeshPath) path = mesh_path_new (), along = mesh_path_new ();

  for (uint32_t a = 0; a < 80; a += 7)
    for (uint32_t b = 0; b < 80; b += 3) {
      MeshPlace start, end;
      double straight;

      g_assert_true (mesh_walk_find_point (walk, a, &start));
      g_assert_true (mesh_walk_find_point (walk, b, &end));
      straight = kg_vector_distance (start.position, end.position);
      g_assert_true (mesh_walk_faces (walk, start, end, path, NULL));
      assert_near (path->length, straight, 1e-9);
      g_assert_true (mesh_walk_edges (walk, a, b, false, along, NULL));
      g_assert_cmpfloat (path->length, <=, along->length + 1e-9);
    }
  g_assert_true (mesh_walk_faces (hill, mesh_walk_find (hill, kg_vector (0.5, 5.2, 0)),
                                  mesh_walk_find (hill, kg_vector (8.7, 4.4, 0)), path, NULL));
  check_on_surface (hill, path);
  g_assert_cmpfloat (path->length, >, 8.2);
  g_assert_cmpfloat (path->length, <, 12);
}

static double
ramp (double x, double y)
{
  (void) y;
  return x / 2;
}

static double
bowl (double x, double y)
{
  return ((x - 5) * (x - 5) + (y - 5) * (y - 5)) / 10;
}

static double
valley (double x, double y)
{
  return fabs (y - 3) + 0.1 * x;
}

/* 30-104: D = N (N . up) - up. */
static void
test_downhill_direction (void)
{
  const KgVector up = { 0, 1, 0 };
  /* y = x / 2. */
  const KgVector n = kg_vector_normalize_or (kg_vector (-0.5, 1, 0), up), d = mesh_walk_get_downhill (n, up);

  assert_vector_near (d, -0.4, -0.2, 0, 1e-15);
  assert_near (kg_vector_length (d), 0.4472135955, 1e-10);
  assert_near (kg_vector_dot (d, n), 0, 1e-15);
  assert_near (kg_vector_length (mesh_walk_get_downhill (up, up)), 0, 0);
  for (int i = 0; i < 50; i++) {
    const KgVector m = kg_vector_normalize_or (kg_vector (cos (i), sin (2 * i), cos (3 * i + 1)), up);
    const KgVector e = mesh_walk_get_downhill (m, up);
    const double slope = acos (fabs (m.y));

    assert_near (kg_vector_dot (e, m), 0, 1e-15);
    assert_near (e.y, -sin (slope) * sin (slope), 1e-14);
    assert_near (kg_vector_length (e), sin (slope), 1e-14);
  }
}

/* 30-104: the whole way down a ramp, into a bowl, and along a valley; always down, always on the surface. */
static void
test_descent (void)
{
  g_autoptr (KgGeometry) slope = make_net (6, 6, ramp, -1), hole = make_net (10, 10, bowl, -1),
                         trough = make_net (6, 6, valley, -1);
  g_autoptr (MeshWalk) on_slope = mesh_walk_new (slope, NULL, NULL), in_bowl = mesh_walk_new (hole, NULL, NULL),
                       in_trough = mesh_walk_new (trough, NULL, NULL);
  g_autoptr (MeshPath) path = mesh_path_new ();
  const KgVector up = { 0, 0, 1 };
  KgVector last;

  mesh_walk_downhill (on_slope, mesh_walk_find (on_slope, kg_vector (4.3, 2.2, 2.15)), up, 1000, path);
  g_assert_false (path->ended);
  last = g_array_index (path->positions, KgVector, path->positions->len - 1);
  assert_vector_near (last, 0, 2.2, 0, 1e-9);
  assert_near (path->length, 4.3 * sqrt (1.25), 1e-9);

  for (double x = 0.3; x < 10; x += 1.13)
    for (double y = 0.4; y < 10; y += 1.21) {
      mesh_walk_downhill (in_bowl, mesh_walk_find (in_bowl, kg_vector (x, y, bowl (x, y))), up, 1000, path);
      g_assert_true (path->ended);
      last = g_array_index (path->positions, KgVector, path->positions->len - 1);
      assert_vector_near (last, 5, 5, 0, 1e-9);
      for (guint i = 1; i < path->positions->len; i++)
        g_assert_cmpfloat (g_array_index (path->positions, KgVector, i).z, <,
                           g_array_index (path->positions, KgVector, i - 1).z);
      check_on_surface (in_bowl, path);
    }

  /* Down to the bottom of the trough, and along its edges to the border. */
  mesh_walk_downhill (in_trough, mesh_walk_find (in_trough, kg_vector (4.4, 4.7, valley (4.4, 4.7))), up, 1000, path);
  last = g_array_index (path->positions, KgVector, path->positions->len - 1);
  assert_vector_near (last, 0, 3, 0, 1e-6);
}

static double
slope_height (double x, double y)
{
  return x + 0.37 * y;
}

/* 30-101: where parameters are is looked for among a few triangles, however many there are; none that has them is missed. */
static void
test_chart (void)
{
  static const double places[][2] = { { 0, 0 },     { 1, 1 },         { 0.5, 0.5 },  { 0.123, 0.9 },
                                      { 0.999, 0 }, { 1.0000001, 1 }, { -1e-9, 0.3 } };
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (uint32_t side = 4; side <= 256; side *= 8) {
    g_autoptr (KgGeometry) geometry = make_net (side, side, NULL, -1);
    g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL);
    g_autoptr (MeshChart) chart = mesh_chart_new (walk, kg_geometry_get_float (geometry, KG_POINTS, "uv", 2));

    for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
      const KgVector at = kg_vector (places[i][0] * side, places[i][1] * side, 0);
      bool among = false;

      mesh_chart_collect (chart, places[i], found);
      g_assert_cmpuint (found->len, <=, 32);
      for (guint k = 0; k < found->len; k++) {
        g_assert_cmpuint (g_array_index (found, uint32_t, k), <, 2 * side * side);
        g_assert_true (k == 0 || g_array_index (found, uint32_t, k) > g_array_index (found, uint32_t, k - 1));
        among |= g_array_index (found, uint32_t, k) == mesh_walk_find (walk, at).triangle;
      }
      g_assert_true (among);
    }
  }
}

/* Parameters that are not numbers, all the same, or spread over everything. */
static void
test_chart_degenerate (void)
{
  const double at[] = { 0.5, 0.5 }, beyond[] = { 1e300, -INFINITY };

  for (guint kind = 0; kind < 3; kind++) {
    g_autoptr (KgGeometry) geometry = make_net (40, 40, NULL, -1);
    g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL);
    float *uv = kg_geometry_edit_float (geometry, KG_POINTS, "uv", 2);
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    g_autoptr (MeshPath) path = mesh_path_new ();
    g_autoptr (MeshChart) chart = NULL;
    g_autoptr (GError) error = NULL;

    for (size_t i = 0; i < 2 * kg_geometry_get_n_points (geometry); i++)
      uv[i] = kind == 0 ? NAN : kind == 1 ? 0.5f : (float) (i * 7919 % 97) / 96;
    chart = mesh_chart_new (walk, uv);
    mesh_chart_collect (chart, beyond, found);
    mesh_chart_collect (chart, at, found);
    g_assert_cmpuint (found->len, <=, 3200);
    if (kind < 2) {
      g_assert_false (mesh_walk_parameters (walk, chart, at, at, path, &error));
      g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
    } else
      g_assert_true (mesh_walk_parameters (walk, chart, at, at, path, &error));
    g_assert_cmpuint (mesh_chart_get_bytes (chart), >, 0);
  }
}

/* Answers yes from the n-th question on. */
typedef struct {
  guint asked, limit;
} Patience;

static bool
is_lost (gpointer data)
{
  Patience *patience = (Patience *) data;

  return ++patience->asked >= patience->limit;
}

/* Each long way asks as it goes, and stops soon after the answer, without an error. */
static void
test_cancelled (void)
{
  const uint32_t n = 800;
  g_autoptr (KgGeometry) geometry = make_net (n, n, NULL, -1), slope = make_net (n, n, slope_height, -1);
  g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL), down = mesh_walk_new (slope, NULL, NULL);
  g_autoptr (MeshChart) chart = mesh_chart_new (walk, kg_geometry_get_float (geometry, KG_POINTS, "uv", 2));
  const double start_uv[] = { 0.001, 0.0015 }, end_uv[] = { 0.999, 0.9975 };
  const MeshPlace start = mesh_walk_find (walk, kg_vector (0.8, 1.2, 0));
  const MeshPlace end = mesh_walk_find (walk, kg_vector (n - 0.8, n - 2.1, 0));
  Patience patience;
  const KgProgressMonitor monitor = { .is_cancelled = is_lost, .data = &patience };

  for (guint way = 0; way < 5; way++)
    for (guint limit = 1; limit <= 2; limit++) {
      g_autoptr (MeshPath) path = mesh_path_new ();
      g_autoptr (GError) error = NULL;
      bool good = false;

      patience = (Patience){ 0, limit };
      path->monitor = &monitor;
      switch (way) {
      case 0:
        good = mesh_walk_cut (walk, start, end, path, &error);
        break;
      case 1:
        good = mesh_walk_parameters (walk, chart, start_uv, end_uv, path, &error);
        break;
      case 2:
        good = mesh_walk_edges (walk, 0, (n + 1) * (n + 1) - 2, true, path, &error);
        break;
      case 3:
        good = mesh_walk_faces (walk, start, end, path, &error);
        break;
      default:
        mesh_walk_downhill (down, mesh_walk_find (down, kg_vector (n - 0.3, 0.7, 1e6)), kg_vector (0, 0, 1), 100000,
                            path);
        break;
      }
      g_assert_no_error (error);
      g_assert_false (good);
      g_assert_true (path->cancelled);
      g_assert_cmpuint (patience.asked, ==, limit);
      g_assert_cmpuint (path->positions->len, <=, 256 * limit + 2);
    }
  for (guint limit = 1; limit <= 3; limit++) {
    g_autoptr (GError) error = NULL;

    patience = (Patience){ 0, limit };
    g_assert_null (mesh_walk_new (geometry, &monitor, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (patience.asked, ==, limit);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/surface-path/30-100-plane-flat", test_plane_flat);
  g_test_add_func ("/surface-path/30-100-plane-bent", test_plane_bent);
  g_test_add_func ("/surface-path/30-101-parameters", test_parameters);
  g_test_add_func ("/surface-path/30-101-parameters-exact", test_parameters_exact);
  g_test_add_func ("/surface-path/30-101-chart", test_chart);
  g_test_add_func ("/surface-path/30-101-chart-degenerate", test_chart_degenerate);
  g_test_add_func ("/surface-path/cancelled", test_cancelled);
  g_test_add_func ("/surface-path/30-102-edges", test_edges);
  g_test_add_func ("/surface-path/30-102-dead-end", test_dead_end);
  g_test_add_func ("/surface-path/30-103-faces", test_faces);
  g_test_add_func ("/surface-path/30-104-downhill-direction", test_downhill_direction);
  g_test_add_func ("/surface-path/30-104-descent", test_descent);
  return g_test_run ();
}
