/* tests/techniques/soft_octree: octrees of cubes against counts of the catalogue and against the full lattice; surfaces of
 * cubes of several sizes, which must be closed and as near to the body as was asked for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "soft/implicit_shape.h"
#include "soft/soft_keys.h"
#include "soft/surface_octree.h"

typedef struct {
  KgVector center;
  KgVector axes;
  float force;
} Key;

#define BALL(x, radius, force_)                                                                                        \
  {                                                                                                                    \
    { x, 0, 0 }, { radius, radius, radius }, force_                                                                    \
  }

static KgField *
make_field (const Key *list, size_t n)
{
  const SoftOptions plain = { .density = { .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 }, .power = 4 };
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  const KgGeometry *const geometries[] = { geometry };
  g_autoptr (SoftKeys) keys = NULL;
  g_autoptr (GError) error = NULL;
  float *p, *axes, *force;

  kg_geometry_set_n_points (geometry, n, NULL);
  p = kg_geometry_edit_positions (geometry);
  axes = kg_geometry_edit_float (geometry, KG_POINTS, "axes", 3);
  force = kg_geometry_edit_float (geometry, KG_POINTS, "force", 1);
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < 3; c++) {
      p[3 * i + c] = (float) kg_vector_get (list[i].center, c);
      axes[3 * i + c] = (float) kg_vector_get (list[i].axes, c);
    }
    force[i] = list[i].force;
  }
  keys = soft_keys_new (geometries, 1, &plain, NULL, &error);
  g_assert_no_error (error);
  return soft_keys_make_field (keys, NULL);
}

/* Keys of both signs at random. */
static KgField *
make_random_field (uint64_t round)
{
  Key list[9];

  for (uint64_t k = 0; k < 9; k++)
    list[k] = (Key){ kg_vector (2 * kg_random_uniform (1, round, 4 * k), 2 * kg_random_uniform (1, round, 4 * k + 1),
                                kg_random_uniform (1, round, 4 * k + 2)),
                     kg_vector (0.4 + 0.5 * kg_random_uniform (1, round, 4 * k + 3), 0.6, 0.5), k % 3 == 2 ? -1 : 1 };
  return make_field (list, 9);
}

static PolygonizeResult
polygonize_in (const KgField *field, PolygonizeOptions options)
{
  g_autoptr (GError) error = NULL;
  PolygonizeResult result;

  if (options.low.x == options.high.x)
    g_assert_true (kg_field_get_bounds (field, &options.low, &options.high));
  options.level = kg_field_get_level (field);
  options.limit = 10000000;
  options.max_angle = options.max_angle > 0 ? options.max_angle : 15 * G_PI / 180;
  polygonize (field, &options, NULL, &result, &error);
  g_assert_no_error (error);
  return result;
}

/* The same field without the places where its pieces are. */
static void
sample_child (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  kg_field_sample (kg_field_get_child (field, 0), block, out);
}

static KgField *
forget_seeds (const KgField *field)
{
  static const KgFieldClass klass = { .name = "unseeded", .width = 1, .sample = sample_child };

  return kg_field_new (&klass, NULL, 0, &field, 1, NULL);
}

/* A key of radius 1 in a box of 1.6 m that is halved five times. */
static void
test_leaf_counts (void)
{
  static const guint wanted[] = { 0, 32, 128, 552, 3776 };
  const Key list[] = { { { 0.03, 0.02, 0.01 }, { 1, 1, 1 }, 1 } };
  g_autoptr (KgField) field = make_field (list, 1);
  PolygonizeOptions options = { .cell = 0.05,
                                .origin = { -0.8, -0.8, -0.8 },
                                .low = { -0.79, -0.79, -0.79 },
                                .high = { 0.79, 0.79, 0.79 },
                                .level = 0.5,
                                .limit = 100000,
                                .method = POLYGONIZE_OCTREE,
                                .levels = 4 };
  const SurfaceSampling sampling = { field, &options, NULL };
  g_autoptr (SurfaceOctree) octree = surface_octree_new (&sampling, NULL, NULL);
  guint counts[5] = { 0 }, n_mixed = 0;
  PolygonizeResult r;

  for (guint i = 0; i < surface_octree_get_n_leaves (octree); i++) {
    const OctreeLeaf leaf = surface_octree_get_leaf (octree, i);

    counts[4 - g_bit_nth_lsf ((gulong) leaf.size, -1)]++;
    n_mixed += leaf.hot != 0 && leaf.hot != 255;
  }
  for (guint depth = 0; depth < 5; depth++)
    g_assert_cmpuint (counts[depth], ==, wanted[depth]);
  g_assert_cmpuint (n_mixed, ==, 1898);
  g_assert_cmpuint (surface_octree_get_n_samples (octree), ==, 6474);
  r = polygonize_in (field, options);
  g_assert_cmpuint (r.cubes, ==, 1898);
  g_assert_cmpint (r.euler, ==, 2);
  kg_geometry_unref (r.mesh);
}

/* A ball that is smaller than the largest cubes: found where these are halved once more, or where the field tells of it.  What
 * the corners of large cubes alone lead to is 817 cells; the surface leads on to the others. */
static void
test_small_key (void)
{
  const Key list[] = { { { -0.33, 0.31, 0.29 }, { 0.35, 0.35, 0.35 }, 1 } };
  g_autoptr (KgField) field = make_field (list, 1), silent = forget_seeds (field);
  PolygonizeOptions options = { .cell = 0.025,
                                .origin = { -0.8, -0.8, -0.8 },
                                .low = { -0.79, -0.79, -0.79 },
                                .high = { 0.79, 0.79, 0.79 },
                                .method = POLYGONIZE_OCTREE };

  for (int levels = 4; levels <= 5; levels++) {
    PolygonizeResult blind, told, full;

    options.method = POLYGONIZE_FULL;
    full = polygonize_in (field, options);
    options.method = POLYGONIZE_OCTREE;
    options.levels = levels;
    blind = polygonize_in (silent, options);
    told = polygonize_in (field, options);
    g_assert_cmpuint (blind.cubes, ==, levels == 4 ? full.cubes : 0);
    g_assert_true (kg_geometry_equal (told.mesh, full.mesh));
    kg_geometry_unref (blind.mesh);
    kg_geometry_unref (told.mesh);
    kg_geometry_unref (full.mesh);
  }
}

/* Octrees make the same mesh as the full lattice, of every kind and by every rule; adaptive ones nearly so, if nothing is
 * flat: they do not follow the surface into cubes that are small enough to be cut as they are. */
static void
test_same_as_full (void)
{
  for (uint64_t round = 0; round < 16; round++) {
    g_autoptr (KgField) field = make_random_field (round);
    PolygonizeOptions options = { .cell = 0.09,
                                  .levels = (int) (round % 3),
                                  .triangles = round % 2 == 0,
                                  .method = POLYGONIZE_FULL,
                                  .surface = (PolygonizeSurface) (round / 4 % POLYGONIZE_N_SURFACES),
                                  .ambiguity = (PolygonizeAmbiguity) (round % POLYGONIZE_N_AMBIGUITIES) };
    const PolygonizeResult all = polygonize_in (field, options);
    PolygonizeResult octree;

    options.method = POLYGONIZE_OCTREE;
    octree = polygonize_in (field, options);
    g_assert_true (kg_geometry_equal (octree.mesh, all.mesh));
    if (options.levels == 2)
      g_assert_cmpuint (octree.n_samples, <, all.n_samples);
    kg_geometry_unref (octree.mesh);
    if (options.surface == POLYGONIZE_POLYGONS && options.ambiguity != POLYGONIZE_TETRAHEDRA) {
      options.method = POLYGONIZE_ADAPTIVE;
      options.max_angle = 1e-6;
      options.graded = true;
      octree = polygonize_in (field, options);
      assert_near ((double) octree.cubes, (double) all.cubes, 0.02 * (double) all.cubes);
      assert_near (octree.volume, all.volume, 5e-3 * all.volume);
      kg_geometry_unref (octree.mesh);
    }
    kg_geometry_unref (all.mesh);
  }
}

/* Counts, for each direction of each edge, how often it is met: as often one way as the other, or there is a crack. */
static void
assert_no_cracks (const KgGeometry *mesh, bool twice)
{
  g_autoptr (GHashTable) edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer key, count;

  for (size_t f = 0; f < kg_geometry_get_n_primitives (mesh); f++) {
    KgPrimitive polygon;

    kg_geometry_get_primitive (mesh, f, &polygon);
    for (guint i = 0; i < polygon.n_vertices; i++) {
      const uint32_t a = polygon.vertices[i], b = polygon.vertices[(i + 1) % polygon.n_vertices];
      gint64 *edge = g_new (gint64, 1);

      g_assert_cmpuint (a, !=, b);
      *edge = (gint64) MIN (a, b) << 32 | MAX (a, b);
      /* One way in the low half, the other in the high one. */
      count = g_hash_table_lookup (edges, edge);
      g_hash_table_replace (edges, edge, GUINT_TO_POINTER (GPOINTER_TO_UINT (count) + (a < b ? 1u : 1u << 16)));
    }
  }
  g_hash_table_iter_init (&iter, edges);
  while (g_hash_table_iter_next (&iter, &key, &count)) {
    g_assert_cmpuint (GPOINTER_TO_UINT (count) & 0xffff, ==, GPOINTER_TO_UINT (count) >> 16);
    if (twice)
      g_assert_cmpuint (GPOINTER_TO_UINT (count), ==, 1u << 16 | 1u);
  }
}

/* The proof of the rule by random trees: levels that differ by any number, keys of both signs. */
static void
test_no_cracks (void)
{
  static const double angles[] = { 4, 12, 30, 60, 120 };

  for (uint64_t round = 0; round < 60; round++) {
    g_autoptr (KgField) field = make_random_field (round % 12);
    const PolygonizeOptions options = { .cell = 0.03,
                                        .levels = 2 + (int) (round % 4),
                                        .method = POLYGONIZE_ADAPTIVE,
                                        .surface = round % 7 == 6 ? POLYGONIZE_DUAL : POLYGONIZE_POLYGONS,
                                        .ambiguity = (PolygonizeAmbiguity) (round % POLYGONIZE_TETRAHEDRA),
                                        .exact = round % 2 == 1,
                                        .triangles = round % 11 == 10,
                                        .graded = round % 4 == 3,
                                        .max_angle = angles[round % 5] * G_PI / 180 };
    const PolygonizeResult r = polygonize_in (field, options);
    g_autoptr (KgGeometry) mesh = r.mesh;

    assert_no_cracks (mesh, false);
    g_assert_cmpuint (r.cubes, >, 20);
    g_assert_cmpuint (r.n_open, ==, 0);
    g_assert_cmpint (r.euler % 2, ==, 0);
    g_assert_cmpfloat (r.volume, >, 0);
  }
}

/* Closed manifolds of known Euler number, volume and colour, with normals of the field. */
static void
test_manifolds (void)
{
  const Key two[] = { BALL (-1, 0.9, 1), BALL (1, 1.1, 1) }, one[] = { BALL (0, 1, 1) };
  const ImplicitOptions torus = { .shape = IMPLICIT_TORUS,
                                  .size = { 0.7, 0.2, 0 },
                                  .transform = kg_transform_identity () };
  const double ball = 4 * G_PI / 3;
  const struct {
    KgField *field;
    int64_t euler;
    double volume;
  } facts[] = { { make_field (one, 1), 2, ball * 0.125 },
                { implicit_shape_new (&torus, NULL), 0, 2 * G_PI * G_PI * 0.7 * 0.04 },
                { make_field (two, 2), 4, ball * (pow (0.45, 3) + pow (0.55, 3)) } };
  g_autoptr (KgField) color = kg_field_new_constant_vector (kg_vector (0.2, 0.4, 0.6));

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    for (int dual = 0; dual < 2; dual++) {
      const PolygonizeResult r = polygonize_in (
          facts[i].field, (PolygonizeOptions){ .cell = 0.013,
                                               .origin = { 0.003, 0.005, 0.007 },
                                               .levels = 5,
                                               .method = POLYGONIZE_ADAPTIVE,
                                               .surface = dual != 0 ? POLYGONIZE_DUAL : POLYGONIZE_POLYGONS,
                                               .exact = true,
                                               .triangles = true,
                                               .normals = true,
                                               .graded = true,
                                               .max_angle = 10 * G_PI / 180,
                                               .color = color });
      g_autoptr (KgGeometry) mesh = r.mesh;
      const size_t n = kg_geometry_get_n_points (mesh);
      const float *p = kg_geometry_get_positions (mesh), *normals = kg_geometry_get_float (mesh, KG_POINTS, "N", 3);
      const float *cd = kg_geometry_get_float (mesh, KG_POINTS, "Cd", 3);
      g_autofree float *values = g_new (float, n), *gradients = g_new (float, 3 * n);

      assert_no_cracks (mesh, true);
      g_assert_cmpint (r.euler, ==, facts[i].euler);
      g_assert_cmpuint (r.n_open, ==, 0);
      assert_near (r.volume, facts[i].volume, 0.012 * facts[i].volume);
      kg_field_sample_gradients (facts[i].field, p, n, 0, 1e-4, values, gradients);
      for (size_t k = 0; k < n; k++) {
        const KgVector g = { (double) gradients[3 * k], (double) gradients[3 * k + 1], (double) gradients[3 * k + 2] };
        const KgVector normal = { (double) normals[3 * k], (double) normals[3 * k + 1], (double) normals[3 * k + 2] };

        assert_near (kg_vector_dot (normal, g), -kg_vector_length (g), 1e-4);
        assert_near ((double) cd[3 * k + 1], 0.4, 1e-6);
      }
    }
    kg_field_unref (facts[i].field);
  }
}

/* How far a mesh is from balls around x = 0 and x = other, looking at points and middles of triangles. */
static double
get_distance (const KgGeometry *mesh, double radius, double x, double other)
{
  double most = 0;

  for (size_t f = 0; f < kg_geometry_get_n_primitives (mesh); f++) {
    const float *p = kg_geometry_get_positions (mesh);
    KgVector middle = { 0, 0, 0 };
    KgPrimitive t;

    kg_geometry_get_primitive (mesh, f, &t);
    for (guint i = 0; i < 4; i++) {
      const float *q = p + 3 * (size_t) t.vertices[i % 3];
      const KgVector corner = { (double) q[0], (double) q[1], (double) q[2] }, at = i < 3 ? corner : middle;

      middle = kg_vector_add_scaled (middle, 1.0 / 3, corner);
      if (i == 3)
        middle = at;
      most = MAX (most, MIN (fabs (kg_vector_length (at) - radius),
                             fabs (kg_vector_distance (at, kg_vector (x, 0, 0)) - other)));
    }
  }
  return most;
}

/* The error that is asked for is kept, with fewer triangles the more of it is allowed; and with a small ball next to a large
 * one, with fewer triangles than the full lattice has at the same error. */
/* Keys of both signs in coarse cells, through which the surface passes up to four times: the dual of each method is a manifold
 * with the pieces and the Euler number of the polygons. */
static void
test_dual_manifolds (void)
{
  static const PolygonizeAmbiguity rules[] = { POLYGONIZE_DECIDE, POLYGONIZE_SEPARATE, POLYGONIZE_JOIN };
  size_t n_twice = 0;

  for (uint64_t round = 0; round < 12; round++) {
    g_autoptr (KgField) field = NULL;
    Key list[12];

    for (uint64_t k = 0; k < G_N_ELEMENTS (list); k++) {
      for (size_t c = 0; c < 3; c++) {
        *kg_vector_component (&list[k].center, c) = 2 * kg_random_uniform (11, round, 8 * k + c);
        *kg_vector_component (&list[k].axes, c) = 0.3 + 0.6 * kg_random_uniform (11, round, 8 * k + 3 + c);
      }
      list[k].force = k % 3 == 2 ? -0.9f : 1;
    }
    field = make_field (list, G_N_ELEMENTS (list));
    for (int method = 0; method < POLYGONIZE_N_METHODS; method++) {
      PolygonizeOptions options = { .cell = 0.17,
                                    .method = (PolygonizeMethod) method,
                                    .levels = 2,
                                    .max_angle = 0.4,
                                    .exact = true,
                                    .ambiguity = rules[round % G_N_ELEMENTS (rules)] };
      const PolygonizeResult polygons = polygonize_in (field, options);
      PolygonizeResult dual;

      options.surface = POLYGONIZE_DUAL;
      dual = polygonize_in (field, options);
      /* Turned faces may part or join what hangs together by a corner. */
      assert_no_cracks (dual.mesh, method != POLYGONIZE_ADAPTIVE);
      g_assert_cmpuint (dual.n_open, ==, 0);
      if (method != POLYGONIZE_ADAPTIVE)
        g_assert_cmpint (dual.euler % 2, ==, 0);
      g_assert_cmpint (ABS ((int) dual.pieces - (int) polygons.pieces), <=, 1);
      /* Cells are as large as a tenth of the bodies: polygons cut off what the dual adds. */
      g_assert_cmpfloat (dual.volume, >, polygons.volume);
      g_assert_cmpfloat (dual.volume, <, 2 * polygons.volume);
      n_twice += kg_geometry_get_n_points (dual.mesh) - dual.cubes;
      kg_geometry_unref (polygons.mesh);
      kg_geometry_unref (dual.mesh);
    }
  }
  g_assert_cmpuint (n_twice, >, 0);
}

static void
test_error (void)
{
  static const double errors[] = { 4e-3, 1e-3, 2.5e-4 };
  const Key one[] = { BALL (0, 1, 1) }, two[] = { BALL (0, 1, 1), BALL (1.2, 0.1, 1) };
  g_autoptr (KgField) ball = make_field (one, 1), pair = make_field (two, 2);
  PolygonizeOptions options = { .cell = 0.00625, .levels = 5, .exact = true, .triangles = true, .graded = true };
  size_t before = 0;

  for (size_t i = 0; i < G_N_ELEMENTS (errors); i++) {
    PolygonizeResult r;

    options.method = POLYGONIZE_ADAPTIVE;
    options.max_angle = G_PI;
    options.max_error = errors[i];
    r = polygonize_in (ball, options);
    g_assert_cmpfloat (get_distance (r.mesh, 0.5, 0, 0.5), <, 2 * errors[i]);
    g_assert_cmpfloat (fabs (r.volume - G_PI / 6), <, 2 * errors[i] * G_PI);
    g_assert_cmpuint (kg_geometry_get_n_primitives (r.mesh), >, 2 * before);
    g_test_message ("error %g: %zu triangles, %g m off", errors[i], kg_geometry_get_n_primitives (r.mesh),
                    get_distance (r.mesh, 0.5, 0, 0.5));
    before = kg_geometry_get_n_primitives (r.mesh);
    kg_geometry_unref (r.mesh);
  }
  {
    const PolygonizeOptions lattice = { .cell = 0.0125, .exact = true, .triangles = true, .method = POLYGONIZE_FULL };
    const PolygonizeResult full = polygonize_in (pair, lattice);
    const double error = get_distance (full.mesh, 0.5, 1.2, 0.05);
    PolygonizeResult r;

    options.cell = 0.0125;
    options.max_error = error / 2;
    r = polygonize_in (pair, options);
    g_test_message ("full: %zu triangles, %g m off; adaptive: %zu, %g", kg_geometry_get_n_primitives (full.mesh), error,
                    kg_geometry_get_n_primitives (r.mesh), get_distance (r.mesh, 0.5, 1.2, 0.05));
    g_assert_cmpint (r.euler, ==, 4);
    g_assert_cmpfloat (get_distance (r.mesh, 0.5, 1.2, 0.05), <=, error);
    g_assert_cmpuint (2 * kg_geometry_get_n_primitives (r.mesh), <, kg_geometry_get_n_primitives (full.mesh));
    kg_geometry_unref (full.mesh);
    kg_geometry_unref (r.mesh);
  }
}

/* A block with edges that are sharp: the dual surface keeps its volume with large cubes on its sides. */
static void
test_sharp (void)
{
  const ImplicitOptions box = { .shape = IMPLICIT_BOX,
                                .size = { 0.5, 0.6, 0.7 },
                                .transform = kg_transform_identity () };
  g_autoptr (KgField) field = implicit_shape_new (&box, NULL);
  PolygonizeOptions options = { .cell = 0.02,
                                .origin = { 0.003, 0.005, 0.007 },
                                .exact = true,
                                .surface = POLYGONIZE_DUAL,
                                .method = POLYGONIZE_ADAPTIVE,
                                .levels = 5,
                                .graded = true };
  const PolygonizeResult adaptive = polygonize_in (field, options);
  PolygonizeResult full;

  options.method = POLYGONIZE_FULL;
  full = polygonize_in (field, options);
  assert_near (adaptive.volume, 1.68, 1e-3 * 1.68);
  assert_no_cracks (adaptive.mesh, true);
  g_assert_cmpint (adaptive.euler, ==, 2);
  g_assert_cmpuint (4 * adaptive.cubes, <, full.cubes);
  kg_geometry_unref (adaptive.mesh);
  kg_geometry_unref (full.mesh);
}

/* A field without bounds is cut off at the given box, and open there. */
static void
test_clipped (void)
{
  const Key list[] = { BALL (0, 2, 1) };
  g_autoptr (KgField) field = make_field (list, 1);
  PolygonizeOptions options = { .cell = 0.05,
                                .low = { -2, -2, -2 },
                                .high = { 0.49, 2, 2 },
                                .levels = 4,
                                .method = POLYGONIZE_ADAPTIVE,
                                .exact = true };
  const PolygonizeResult adaptive = polygonize_in (field, options);
  PolygonizeResult full;
  KgVector low, high;

  options.method = POLYGONIZE_FULL;
  full = polygonize_in (field, options);
  g_assert_cmpuint (adaptive.n_open, <=, full.n_open);
  g_assert_cmpuint (adaptive.n_open, >, 0);
  kg_geometry_get_bounds (adaptive.mesh, &low, &high);
  assert_near (high.x, 0.5, 1e-6);
  assert_near (low.x, -1, 2e-2);
  kg_geometry_unref (adaptive.mesh);
  kg_geometry_unref (full.mesh);
}

/* Nothing there, limits, and rules that cannot be had. */
static void
test_bad (void)
{
  const Key list[] = { BALL (0, 1, 1) }, weak[] = { BALL (0, 1, 0.4f) };
  g_autoptr (KgField) field = make_field (list, 1), faint = make_field (weak, 1);
  PolygonizeOptions options = { .cell = 0.01,
                                .low = { -1, -1, -1 },
                                .high = { 1, 1, 1 },
                                .level = 0.5,
                                .limit = 1000,
                                .levels = 4,
                                .max_angle = 0.1,
                                .method = POLYGONIZE_ADAPTIVE };
  g_autoptr (GError) error = NULL;
  PolygonizeResult r;

  g_assert_false (polygonize (field, &options, NULL, &r, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_clear_error (&error);
  options.levels = 6;
  g_assert_false (polygonize (field, &options, NULL, &r, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_clear_error (&error);
  options.limit = 1000000;
  options.ambiguity = POLYGONIZE_TETRAHEDRA;
  g_assert_false (polygonize (field, &options, NULL, &r, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  options.ambiguity = POLYGONIZE_DECIDE;
  for (int method = 0; method < POLYGONIZE_N_METHODS; method++) {
    options.method = (PolygonizeMethod) method;
    options.cell = 0.05;
    options.limit = 100000000;
    r = polygonize_in (faint, options);
    g_assert_cmpuint (kg_geometry_get_n_points (r.mesh), ==, 0);
    kg_geometry_unref (r.mesh);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/soft_octree/20-156-leaf-counts", test_leaf_counts);
  g_test_add_func ("/soft_octree/20-156-small-key", test_small_key);
  g_test_add_func ("/soft_octree/20-156-same-as-full", test_same_as_full);
  g_test_add_func ("/soft_octree/20-157-no-cracks", test_no_cracks);
  g_test_add_func ("/soft_octree/20-157-manifolds", test_manifolds);
  g_test_add_func ("/soft_octree/20-157-dual-manifolds", test_dual_manifolds);
  g_test_add_func ("/soft_octree/20-157-error", test_error);
  g_test_add_func ("/soft_octree/20-157-sharp", test_sharp);
  g_test_add_func ("/soft_octree/20-157-clipped", test_clipped);
  g_test_add_func ("/soft_octree/20-157-bad", test_bad);
  return g_test_run ();
}
