/* tests/techniques/fractal-terrain: counts, shared edges, and the distribution of the heights of midpoint displacement.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle_mesh.h"
#include "nature/fractal_terrain.h"
#include "shape-test.h"

#include <omp.h>

static const FractalTerrain usual = { .levels = 4, .height = 0.3, .H = 0.8, .seed = 1, .up = { 0, 1, 0 }, .sea = -1e9 };

static KgGeometry *
build_terrain (const KgGeometry *geometry, const FractalTerrain *rule)
{
  g_autoptr (GError) error = NULL;
  KgGeometry *terrain = fractal_terrain_new (geometry, rule, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (kg_geometry_check_finite (terrain, NULL));
  return terrain;
}

static KgGeometry *
new_mesh (const KgVector *points, size_t n, const uint32_t *corners, size_t n_triangles)
{
  KgGeometry *mesh = new_cloud (points, n);

  kg_geometry_add_primitives (mesh, KG_POLYGON, true, n_triangles, 3, corners);
  return mesh;
}

/* In the plane of x and z, legs of one metre. */
static KgGeometry *
new_triangle (void)
{
  return new_mesh ((KgVector[]){ { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }, 3, (uint32_t[]){ 0, 1, 2 }, 1);
}

/* Two of them with a common edge, whose ends they share, or of which each has its own. */
static KgGeometry *
new_square (bool shared)
{
  const KgVector points[] = { { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 }, { 1, 0, 1 }, { 1, 0, 0 }, { 0, 0, 1 } };

  return shared ? new_mesh (points, 4, (uint32_t[]){ 0, 1, 2, 3, 2, 1 }, 2)
                : new_mesh (points, 6, (uint32_t[]){ 0, 1, 2, 3, 4, 5 }, 2);
}

static KgVector
get_point (const KgGeometry *geometry, size_t i)
{
  return kg_floats_get_vector (kg_geometry_get_positions (geometry), i);
}

static size_t
get_open_edges (const KgGeometry *geometry)
{
  g_autoptr (TriangleMesh) mesh = triangle_mesh_new (geometry, NULL, NULL);

  return mesh->n_open;
}

/* 20-020: one triangle and n levels: 4ⁿ triangles and (2ⁿ + 1)(2ⁿ + 2)/2 vertices; none is the input itself. */
static void
test_counts (void)
{
  g_autoptr (KgGeometry) triangle = new_triangle ();
  FractalTerrain rule = usual;

  for (rule.levels = 0; rule.levels <= FRACTAL_TERRAIN_MOST_LEVELS; rule.levels++) {
    g_autoptr (KgGeometry) terrain = build_terrain (triangle, &rule);
    const size_t side = (size_t) 1 << rule.levels;

    g_assert_cmpuint (kg_geometry_get_n_primitives (terrain), ==, side * side);
    g_assert_cmpuint (kg_geometry_get_n_points (terrain), ==, (side + 1) * (side + 2) / 2);
    g_assert_cmpuint (get_open_edges (terrain), ==, 3 * side);
    if (rule.levels == 0)
      g_assert_true (terrain == triangle);
    for (size_t i = 0; i < 3; i++)
      g_assert_true (kg_vector_distance (get_point (terrain, i), get_point (triangle, i)) == 0);
  }
}

/* The heights along the edge x + z = 1, by x, of the points that the triangles from one on have. */
static void
read_edge (const KgGeometry *terrain, size_t from, size_t to, size_t n, float *heights)
{
  for (size_t k = 0; k <= n; k++)
    heights[k] = NAN;
  for (size_t t = from; t < to; t++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (terrain, t, &primitive);
    for (int c = 0; c < 3; c++) {
      const KgVector x = get_point (terrain, primitive.vertices[c]);

      if (x.x + x.z == 1)
        heights[(size_t) (x.x * (double) n)] = (float) x.y;
    }
  }
}

/* 20-020: two triangles with a common edge share its points exactly, also where each has points of its own. */
static void
test_shared_edge (void)
{
  FractalTerrain rule = usual;

  for (rule.levels = 1; rule.levels <= 6; rule.levels++) {
    const size_t n = (size_t) 1 << rule.levels, half = n * n;
    g_autoptr (KgGeometry) square = new_square (true), seam = new_square (false);
    g_autoptr (KgGeometry) one = build_terrain (square, &rule), two = build_terrain (seam, &rule);
    g_autofree float *a = g_new (float, n + 1), *b = g_new (float, n + 1), *c = g_new (float, n + 1);
    double highest = 0;

    g_assert_cmpuint (kg_geometry_get_n_points (one), ==, (n + 1) * (n + 1));
    g_assert_cmpuint (get_open_edges (one), ==, 4 * n);
    g_assert_cmpuint (kg_geometry_get_n_points (two), ==, (n + 1) * (n + 2));
    g_assert_cmpuint (get_open_edges (two), ==, 6 * n);
    read_edge (one, 0, half, n, a);
    read_edge (two, 0, half, n, b);
    read_edge (two, half, 2 * half, n, c);
    for (size_t k = 0; k <= n; k++) {
      g_assert_true (b[k] == c[k]);
      highest = MAX (highest, fabs ((double) b[k]));
    }
    g_assert_cmpfloat (highest, >, 0.01);
    for (size_t k = 0; k <= n; k++)
      g_assert_true (isfinite (a[k]));
    /* A seam is no border, but the outline is: it is kept, as the height between its corners. */
    rule.keep_border = true;
    for (int k = 0; k < 2; k++) {
      g_autoptr (KgGeometry) kept = build_terrain (k == 0 ? square : seam, &rule);
      size_t n_moved = 0;

      for (size_t i = 0; i < kg_geometry_get_n_points (kept); i++) {
        const KgVector x = get_point (kept, i);
        const bool outer = x.x == 0 || x.x == 1 || x.z == 0 || x.z == 1;

        g_assert_true (!outer || x.y == 0);
        n_moved += x.y != 0;
      }
      g_assert_cmpuint (n_moved, ==, (n - 1) * (n - 1) + (k == 1 ? n - 1 : 0));
    }
    rule.keep_border = false;
  }
}

typedef struct {
  double n, sum, squares, fourth;
} Sample;

/* 20-020: a midpoint is above or below the middle of its edge by a normal deviate of standard deviation σ (e₀ / 2ᵏ)ᴴ, for each
 * direction of edges.  Of n deviates the mean is off by 1/√n, the variance by √(2/n) and the fourth moment by √(96/n): five
 * times that would happen once in a million tests, and the seeds are the same each time. */
static void
test_distribution (double H)
{
  g_autoptr (KgGeometry) triangle = new_triangle ();
  FractalTerrain rule = { .height = 0.25, .H = H, .up = { 0, 1, 0 }, .sea = -1e9 };

  for (uint32_t level = 0; level < 6; level++) {
    const size_t n = (size_t) 2 << level;
    g_autofree double *y = g_new (double, (n + 1) * (n + 1));
    Sample samples[3] = { { .n = 0 } };

    rule.levels = level + 1;
    for (rule.seed = 0; rule.seed < 12000u >> level; rule.seed++) {
      g_autoptr (KgGeometry) terrain = build_terrain (triangle, &rule);

      for (size_t i = 0; i < kg_geometry_get_n_points (terrain); i++) {
        const KgVector x = get_point (terrain, i);

        y[(size_t) (x.x * (double) n) * (n + 1) + (size_t) (x.z * (double) n)] = x.y;
      }
      for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; i + j <= n; j++) {
          const int kind = i % 2 == 0 ? 0 : j % 2 == 0 ? 1 : 2; /* edge along z, along x, or across */
          const size_t here = i * (n + 1) + j, step = kind == 0 ? 1 : kind == 1 ? n + 1 : n;
          const double length = (kind == 2 ? sqrt (2) : 1) / (double) ((size_t) 1 << level);
          double d;

          if (i % 2 == 0 && j % 2 == 0)
            continue;
          d = (y[here] - 0.5 * (y[here - step] + y[here + step])) / (0.25 * pow (length, H));
          samples[kind].n++;
          samples[kind].sum += d;
          samples[kind].squares += d * d;
          samples[kind].fourth += d * d * d * d;
        }
    }
    for (int kind = 0; kind < 3; kind++) {
      const Sample *s = &samples[kind];

      g_test_message ("H %g, level %u, %g deviates: mean %.4f, variance %.4f, fourth moment %.4f", H, level, s->n,
                      s->sum / s->n, s->squares / s->n, s->fourth / s->n);
      assert_near (s->sum / s->n, 0, 5 / sqrt (s->n));
      assert_near (s->squares / s->n, 1, 5 * sqrt (2 / s->n));
      assert_near (s->fourth / s->n, 3, 5 * sqrt (96 / s->n));
    }
  }
}

static void
test_level_deviation (void)
{
  test_distribution (0.8);
  test_distribution (0);
}

/* 20-020: an exponent of 1 of a mesh of twice the size is the same terrain of twice the size; points move along up only. */
static void
test_sizes (void)
{
  g_autoptr (KgGeometry) square = new_square (true), large = kg_geometry_ref (square), a = NULL, b = NULL,
                         tilted = NULL;
  const KgTransform twice = kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_identity (), kg_vector (2, 2, 2));
  const KgVector up = kg_vector_normalize_or (kg_vector (1, 2, 2), kg_vector (0, 1, 0));
  FractalTerrain rule = usual;

  rule.H = 1;
  kg_geometry_make_writable (&large);
  kg_geometry_transform (large, &twice);
  a = build_terrain (square, &rule);
  b = build_terrain (large, &rule);
  rule.up = kg_vector (0.1, 0.2, 0.2);
  tilted = build_terrain (square, &rule);
  for (size_t i = 0; i < kg_geometry_get_n_points (a); i++) {
    const KgVector x = get_point (a, i), y = get_point (tilted, i);

    g_assert_cmpfloat (kg_vector_distance (kg_vector_scale (x, 2), get_point (b, i)), <, 1e-6);
    /* The same distance, along the other direction. */
    g_assert_cmpfloat (kg_vector_distance (y, kg_vector_add_scaled (kg_vector (x.x, 0, x.z), x.y, up)), <, 1e-6);
  }
}

/* 20-020: below the sea all is flat, and nothing else changes. */
static void
test_sea (void)
{
  g_autoptr (KgGeometry) square = new_square (true), dry = NULL, wet = NULL;
  FractalTerrain rule = usual;
  size_t n_wet = 0;

  dry = build_terrain (square, &rule);
  rule.sea = 0.0625;
  wet = build_terrain (square, &rule);
  for (size_t i = 0; i < kg_geometry_get_n_points (dry); i++) {
    const KgVector x = get_point (dry, i), y = get_point (wet, i);

    g_assert_true (x.x == y.x && x.z == y.z && y.y == MAX (x.y, 0.0625));
    n_wet += y.y != x.y;
  }
  g_assert_cmpuint (n_wet, >, 20);
  g_assert_cmpuint (n_wet, <, kg_geometry_get_n_points (dry) - 20);
}

static double
get_area (const KgGeometry *geometry)
{
  double area = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;
    KgVector x[3];

    kg_geometry_get_primitive (geometry, i, &primitive);
    g_assert_cmpuint (primitive.n_vertices, ==, 3);
    for (int k = 0; k < 3; k++)
      x[k] = get_point (geometry, primitive.vertices[k]);
    area += kg_vector_length (kg_vector_cross (kg_vector_subtract (x[1], x[0]), kg_vector_subtract (x[2], x[0]))) / 2;
  }
  return area;
}

/* Polygons with more corners, and with dents, are cut: flat, they keep their area; closed meshes stay closed, and have no border. */
static void
test_polygons (void)
{
  g_autoptr (KgGeometry) l = new_l (), box = new_box (kg_vector (1, 2, 3), kg_vector (1, 2, 3)), ball = new_ball (1, 1);
  g_autoptr (KgGeometry) flat = NULL, rock = NULL, kept = NULL;
  FractalTerrain rule = usual;

  rule.levels = 3;
  rule.height = 0;
  flat = build_terrain (l, &rule);
  /* Two faces of six corners and six of four. */
  g_assert_cmpuint (kg_geometry_get_n_primitives (flat), ==, (2 * 4 + 6 * 2) * 64);
  assert_near (get_area (flat), 2 * 3 + 8, 1e-5);
  g_assert_cmpuint (get_open_edges (flat), ==, 0);
  g_clear_pointer (&flat, kg_geometry_unref);
  flat = build_terrain (box, &rule);
  assert_near (get_area (flat), 2 * (2 + 3 + 6), 1e-4);
  rule.height = 0.1;
  rock = build_terrain (ball, &rule);
  rule.keep_border = true;
  kept = build_terrain (ball, &rule);
  g_assert_cmpuint (get_open_edges (rock), ==, 0);
  g_assert_cmpuint (kg_geometry_get_n_primitives (rock), ==, 32 * 64);
  g_assert_cmpuint (kg_geometry_get_n_points (rock), ==, 2 + 32 * 64 / 2);
  g_assert_true (kg_geometry_equal (rock, kept));
}

/* Three triangles at an edge share its midpoints, and it is no border; one with two corners at one position tears nothing. */
static void
test_odd_meshes (void)
{
  const KgVector points[] = { { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  g_autoptr (KgGeometry) fan = new_mesh (points, 5, (uint32_t[]){ 0, 1, 2, 1, 0, 3, 0, 1, 4 }, 3), raised = NULL;
  g_autoptr (KgGeometry) sliver = new_mesh (points, 6, (uint32_t[]){ 0, 1, 2, 0, 5, 1 }, 2), kept = NULL;
  FractalTerrain rule = usual;

  rule.levels = 3;
  rule.keep_border = true;
  raised = build_terrain (fan, &rule);
  /* Three sides of 45 points, of which the common nine count once. */
  g_assert_cmpuint (kg_geometry_get_n_points (raised), ==, 3 * 45 - 2 * 9);
  /* The second triangle has points with x = 0 at that edge only. */
  for (size_t i = 64; i < 128; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (raised, i, &primitive);
    for (int c = 0; c < 3; c++) {
      const KgVector x = get_point (raised, primitive.vertices[c]);

      if (x.x == 0)
        g_assert_cmpint (x.y != 0, ==, x.z > 0 && x.z < 1);
      else if (x.z == 0 || x.z - x.x == 1)
        g_assert_cmpfloat (x.y, ==, 0);
    }
  }
  /* The sliver neither is a second face at the edge that it lies on, nor moves it another way. */
  rule.H = 0;
  kept = build_terrain (sliver, &rule);
  for (size_t i = 0; i < kg_geometry_get_n_points (kept); i++)
    g_assert_true (get_point (kept, i).x != 0 || get_point (kept, i).y == (i == 4 ? 1 : 0)); /* 4 is on no triangle */
}

/* What is linear stays linear; groups, texts and turns of midpoints; lines stay; triangles have what their polygon has. */
static void
test_attributes (void)
{
  g_autoptr (KgGeometry) square = new_square (true), terrain = NULL;
  const uint32_t line[] = { 0, 3 };
  const KgPrimitive polyline = { .kind = KG_POLYLINE, .n_vertices = 2, .vertices = line };
  FractalTerrain rule = usual;
  const float *uv, *normals, *turns;
  const int32_t *group, *part;
  KgPrimitive primitive;
  float *x, *orient;
  int32_t *one;

  kg_geometry_add_primitive (square, &polyline);
  x = kg_geometry_edit_float (square, KG_POINTS, "uv", 2);
  orient = kg_geometry_edit_float (square, KG_POINTS, "orient", 4);
  one = kg_geometry_edit_int (square, KG_POINTS, "west", 1);
  for (size_t i = 0; i < 4; i++) {
    const KgVector p = get_point (square, i);

    x[2 * i] = (float) (2 * p.x);
    x[2 * i + 1] = (float) (1 - p.z);
    one[i] = p.x == 0;
    kg_floats_set_rotation (orient, i, kg_rotation_from_axis_angle (kg_vector (0, 1, 0), p.x));
    kg_geometry_set_text (square, KG_POINTS, "country", i, p.x == 0 ? "Wales" : "England");
  }
  kg_geometry_edit_float (square, KG_POINTS, "N", 3);
  one = kg_geometry_edit_int (square, KG_PRIMITIVES, "part", 1);
  for (int i = 0; i < 3; i++) {
    one[i] = 7 + i;
    kg_geometry_set_text (square, KG_PRIMITIVES, "what", (size_t) i, i < 2 ? "rock" : "path");
  }
  *kg_geometry_edit_float (square, KG_WHOLE, "scale", 1) = 3;
  terrain = build_terrain (square, &rule);
  uv = kg_geometry_get_float (terrain, KG_POINTS, "uv", 2);
  turns = kg_geometry_get_float (terrain, KG_POINTS, "orient", 4);
  normals = kg_geometry_get_float (terrain, KG_POINTS, "N", 3);
  group = kg_geometry_get_int (terrain, KG_POINTS, "west", 1);
  for (size_t i = 0; i < kg_geometry_get_n_points (terrain); i++) {
    const KgVector p = get_point (terrain, i);
    const KgRotation turn = kg_floats_get_rotation (turns, i);

    g_assert_true ((double) uv[2 * i] == 2 * p.x && (double) uv[2 * i + 1] == 1 - p.z);
    g_assert_cmpint (group[i], ==, p.x == 0);
    g_assert_cmpstr (kg_geometry_get_text (terrain, KG_POINTS, "country", i), ==,
                     p.x == 0   ? "Wales"
                     : p.x == 1 ? "England"
                                : NULL);
    assert_near (turn.y / turn.w, tan (0.5 * p.x), 1e-5);
    assert_near (kg_vector_length (kg_floats_get_vector (normals, i)), 1, 1e-5);
  }
  part = kg_geometry_get_int (terrain, KG_PRIMITIVES, "part", 1);
  g_assert_cmpuint (kg_geometry_get_n_primitives (terrain), ==, 513);
  for (size_t i = 0; i < 513; i++) {
    g_assert_cmpint (part[i], ==, i < 256 ? 7 : i < 512 ? 8 : 9);
    g_assert_cmpstr (kg_geometry_get_text (terrain, KG_PRIMITIVES, "what", i), ==, i < 512 ? "rock" : "path");
  }
  kg_geometry_get_primitive (terrain, 512, &primitive);
  g_assert_cmpint (primitive.kind, ==, KG_POLYLINE);
  g_assert_cmpuint (primitive.vertices[0] + primitive.vertices[1], ==, 3);
  g_assert_cmpfloat (*kg_geometry_get_float (terrain, KG_WHOLE, "scale", 1), ==, 3);
}

/* The same bits for any number of threads, and others for other seeds. */
static void
test_threads (void)
{
  g_autoptr (KgGeometry) square = new_square (true), other = NULL;
  g_autoptr (KgGeometry) one = NULL, many = NULL;
  const int threads = omp_get_max_threads ();
  FractalTerrain rule = usual;

  rule.levels = 8;
  omp_set_num_threads (1);
  one = build_terrain (square, &rule);
  omp_set_num_threads (5);
  many = build_terrain (square, &rule);
  omp_set_num_threads (threads);
  g_assert_true (kg_geometry_equal (one, many));
  rule.seed = 2;
  other = build_terrain (square, &rule);
  g_assert_false (kg_geometry_equal (one, other));
}

static bool
is_over (gpointer data)
{
  int *left = data;

  return g_atomic_int_add (left, -1) <= 0;
}

static void
report (gpointer data, double done)
{
  double *last = data;

  g_assert_cmpfloat (done, >=, *last);
  g_assert_cmpfloat (done, <=, 1);
  *last = done;
}

/* It asks often, and ends whenever it is told to; what is done only grows, up to 1. */
static void
test_cancelled (void)
{
  g_autoptr (KgGeometry) square = new_square (true), whole = NULL;
  FractalTerrain rule = usual;
  double done = 0;
  const KgProgressMonitor reported = { .report = report, .data = &done };

  rule.levels = 8;
  for (int n = 0; n < 40; n += 3) {
    g_autoptr (GError) error = NULL;
    int left = n;
    const KgProgressMonitor monitor = { .is_cancelled = is_over, .data = &left };

    g_assert_null (fractal_terrain_new (square, &rule, &monitor, &error));
    g_assert_no_error (error);
  }
  whole = fractal_terrain_new (square, &rule, &reported, NULL);
  g_assert_nonnull (whole);
  g_assert_cmpfloat (done, ==, 1);
}

static void
assert_refused (const KgGeometry *geometry, const FractalTerrain *rule, int code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (fractal_terrain_new (geometry, rule, NULL, &error));
  g_assert_error (error, KG_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_refused (void)
{
  g_autoptr (KgGeometry) square = new_square (true), nothing = kg_geometry_new (),
                         cloud = new_random_cloud (5, 1, false);
  g_autoptr (KgGeometry) ball = new_ball (1, 5),
                         same = new_mesh (&(KgVector){ 0, 0, 0 }, 1, (uint32_t[]){ 0, 0, 0 }, 1);
  g_autoptr (KgGeometry) untouched = NULL;
  FractalTerrain rule = usual;

  assert_refused (nothing, &rule, KG_ERROR_DEGENERATE,
                  "none of the 0 primitives is a polygon with three different points: link a mesh");
  assert_refused (cloud, &rule, KG_ERROR_DEGENERATE,
                  "none of the 0 primitives is a polygon with three different points: link a mesh");
  assert_refused (same, &rule, KG_ERROR_DEGENERATE,
                  "none of the 1 primitives is a polygon with three different points: link a mesh");
  rule.up = kg_vector (0, 0, 0);
  assert_refused (square, &rule, KG_ERROR_DEGENERATE, "up is 0 0 0, which has no direction: give it a direction");
  rule = usual;
  rule.levels = 10;
  /* 8192 triangles and half as many points, and two. */
  assert_refused (ball, &rule, KG_ERROR_LIMIT,
                  "10 levels make 4294967298 points, more than 3000000: use at most 4, or a coarser mesh");
  rule.levels = 0;
  untouched = build_terrain (nothing, &rule);
  g_assert_true (untouched == nothing);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fractal-terrain/20-020-counts", test_counts);
  g_test_add_func ("/fractal-terrain/20-020-shared-edge", test_shared_edge);
  g_test_add_func ("/fractal-terrain/20-020-level-deviation", test_level_deviation);
  g_test_add_func ("/fractal-terrain/20-020-sizes", test_sizes);
  g_test_add_func ("/fractal-terrain/20-020-sea", test_sea);
  g_test_add_func ("/fractal-terrain/20-020-polygons", test_polygons);
  g_test_add_func ("/fractal-terrain/20-020-odd-meshes", test_odd_meshes);
  g_test_add_func ("/fractal-terrain/20-020-attributes", test_attributes);
  g_test_add_func ("/fractal-terrain/20-020-threads", test_threads);
  g_test_add_func ("/fractal-terrain/20-020-cancelled", test_cancelled);
  g_test_add_func ("/fractal-terrain/20-020-refused", test_refused);
  return g_test_run ();
}
