/* tests/techniques/cage: 70-34, mean value coordinates of closed meshes, against barycentric coordinates, integrals over the sphere
 * of directions, and what they must keep.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/cage.h"
#include "shape-test.h"

#include <omp.h>
#include <string.h>

#define POINTS 500

/* (transfer full) */
static KgGeometry *
new_mesh (const KgVector *points, size_t n, const uint32_t *corners, size_t n_triangles)
{
  KgGeometry *mesh = new_cloud (points, n);

  kg_geometry_add_primitives (mesh, KG_POLYGON, true, n_triangles, 3, corners);
  return mesh;
}

static const KgVector octahedron[] = { { 1.5, 0, 0 }, { -1, 0, 0 }, { 0, 1.25, 0 },
                                       { 0, -1, 0 },  { 0, 0, 1 },  { 0, 0, -0.75 } };
static const uint32_t octahedron_faces[] = { 0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5 };

/* (transfer full) A block with a block less in one corner, so that it has dents, and a box beside it. */
static KgGeometry *
new_dented (void)
{
  static const KgVector points[] = { { 0, 0, 0 }, { 2, 0, 0 }, { 2, 1, 0 }, { 1, 1, 0 }, { 1, 2, 0 }, { 0, 2, 0 },
                                     { 0, 0, 1 }, { 2, 0, 1 }, { 2, 1, 1 }, { 1, 1, 1 }, { 1, 2, 1 }, { 0, 2, 1 } };
  static const uint32_t bottom[] = { 5, 4, 3, 2, 1, 0 }, top[] = { 6, 7, 8, 9, 10, 11 };
  KgGeometry *mesh = new_cloud (points, G_N_ELEMENTS (points));

  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 6, bottom);
  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 6, top);
  for (uint32_t i = 0; i < 6; i++) {
    const uint32_t k = (i + 1) % 6, side[] = { i, k, k + 6, i + 6 };

    kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 4, side);
  }
  add_box (mesh, kg_vector (4, 0, 0), kg_vector (1, 1, 1), kg_rotation_identity ());
  return mesh;
}

/* (transfer full) */
static Cage *
new_cage (const KgGeometry *mesh)
{
  g_autoptr (GError) error = NULL;
  Cage *cage = cage_new (mesh, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (cage);
  return cage;
}

static KgVector
random_point (uint64_t i, double low, double high)
{
  return kg_vector (kg_lerp (low, high, kg_random_uniform (3, i, 0)), kg_lerp (low, high, kg_random_uniform (3, i, 1)),
                    kg_lerp (low, high, kg_random_uniform (3, i, 2)));
}

/* Four corners: the weights can only be barycentric coordinates. */
static void
test_tetrahedron (void)
{
  static const KgVector points[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  static const uint32_t faces[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
  g_autoptr (KgGeometry) mesh = new_mesh (points, 4, faces, 4);
  g_autoptr (Cage) cage = new_cage (mesh);

  for (uint64_t i = 0; i < POINTS; i++) {
    const KgVector x = random_point (i, -1, 2);
    const double wanted[] = { 1 - x.x - x.y - x.z, x.x, x.y, x.z };
    const double least = fmin (fmin (wanted[0], wanted[1]), fmin (wanted[2], wanted[3]));
    double weights[4];
    bool inside;

    g_assert_true (cage_find_weights (cage, x, weights, &inside));
    for (int k = 0; k < 4; k++)
      assert_near (weights[k], wanted[k], 1e-10);
    g_assert_true (inside == (least >= 0));
  }
}

/* The integrals that define the weights, by 300 × 300 Gauss points on each face (all digits agree with 200 × 200). */
static void
test_integrals (void)
{
  static const struct {
    KgVector at;
    double weights[6];
    bool inside;
  } cases[] = {
    { { 0.375, 0.25, 0.125 },
      { 0.281402466714, 0.047103700071, 0.254248425659, 0.067810532074, 0.221186375206, 0.128248500275 },
      true },
    { { -0.25, 0.25, -0.125 },
      { 0.039072092350, 0.308608138526, 0.241774546505, 0.052218183131, 0.082140159780, 0.276186879707 },
      true },
    { { 1.5, 1, 0.75 },
      { 0.823126299703, -0.265310550445, 0.568247916077, -0.289690104903, 0.498697045529, -0.335070605961 },
      false },
  };
  uint32_t back[24];

  for (size_t i = 0; i < 24; i++)
    back[i] = octahedron_faces[23 - i];
  /* Inside out, too. */
  for (int reversed = 0; reversed < 2; reversed++) {
    g_autoptr (KgGeometry) mesh = new_mesh (octahedron, 6, reversed ? back : octahedron_faces, 8);
    g_autoptr (Cage) cage = new_cage (mesh);

    for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
      double weights[6];
      bool inside;

      g_assert_true (cage_find_weights (cage, cases[i].at, weights, &inside));
      for (int k = 0; k < 6; k++)
        assert_near (weights[k], cases[i].weights[k], 1e-11);
      g_assert_true (inside == cases[i].inside);
    }
  }
}

/* Whether a point is in the dented block or the box beside it. */
static bool
is_in_dented (KgVector x)
{
  const bool in_l = x.x > 0 && x.y > 0 && x.x < 2 && x.y < 2 && (x.x < 1 || x.y < 1) && x.z > 0 && x.z < 1;

  return in_l || (fabs (x.x - 4) < 0.5 && fabs (x.y) < 0.5 && fabs (x.z) < 0.5);
}

/* Sum 1, and the blend of the corners is the point, inside and outside, with dents and parts. */
static void
test_precision (void)
{
  g_autoptr (KgGeometry) mesh = new_dented ();
  g_autoptr (Cage) cage = new_cage (mesh);
  const size_t n = cage_get_n_points (cage);
  const float *p = kg_geometry_get_positions (mesh);
  g_autofree double *weights = g_new (double, n);
  guint n_inside = 0;

  g_assert_cmpuint (n, ==, 20);
  for (uint64_t i = 0; i < POINTS; i++) {
    const KgVector x = random_point (i, -1, 5);
    KgVector blend = { 0, 0, 0 };
    double sum = 0;
    bool inside;

    g_assert_true (cage_find_weights (cage, x, weights, &inside));
    for (size_t k = 0; k < n; k++) {
      sum += weights[k];
      blend = kg_vector_add_scaled (blend, weights[k],
                                    kg_vector ((double) p[3 * k], (double) p[3 * k + 1], (double) p[3 * k + 2]));
    }
    assert_near (sum, 1, 1e-12);
    assert_vector_near (blend, x.x, x.y, x.z, 1e-9);
    g_assert_true (inside == is_in_dented (x));
    n_inside += inside;
  }
  g_assert_cmpuint (n_inside, >, 5);
}

/* On a face the weights are linear, on an edge of its two ends, at a corner 1; what comes near has nearly the same; in the plane of a
 * face but beside it there is no jump. */
static void
test_faces (void)
{
  g_autoptr (KgGeometry) mesh = new_mesh (octahedron, 6, octahedron_faces, 8);
  g_autoptr (Cage) cage = new_cage (mesh);
  double weights[6], beside[6];
  bool inside;

  for (uint64_t i = 0; i < 64; i++) {
    const uint32_t *f = octahedron_faces + 3 * (i % 8);
    const double v = kg_random_uniform (9, i, 0), u = v * kg_random_uniform (9, i, 1);
    /* Every third is on an edge, every fifth at a corner. */
    const double b[] = { i % 5 == 0   ? 1
                         : i % 3 == 0 ? v
                                      : 1 - v,
                         i % 5 == 0   ? 0
                         : i % 3 == 0 ? 1 - v
                                      : v - u,
                         i % 3 == 0 || i % 5 == 0 ? 0 : u };
    const KgVector e = kg_vector_subtract (octahedron[f[1]], octahedron[f[0]]),
                   g = kg_vector_subtract (octahedron[f[2]], octahedron[f[0]]);
    const KgVector normal = kg_vector_normalize_or (kg_vector_cross (e, g), kg_vector (0, 0, 0));
    KgVector x = { 0, 0, 0 };

    for (int k = 0; k < 3; k++)
      x = kg_vector_add_scaled (x, b[k], octahedron[f[k]]);
    g_assert_true (cage_find_weights (cage, x, weights, &inside));
    g_assert_true (inside);
    for (uint32_t k = 0; k < 6; k++) {
      const double wanted = k == f[0] ? b[0] : k == f[1] ? b[1] : k == f[2] ? b[2] : 0;

      assert_near (weights[k], wanted, 1e-12);
    }
    /* From both sides, at distances on both sides of where it is taken to be on the face. */
    for (double h = 1e-3; h > 1e-10; h /= 8)
      for (int side = -1; side <= 1; side += 2) {
        g_assert_true (cage_find_weights (cage, kg_vector_add_scaled (x, side * h, normal), beside, NULL));
        for (int k = 0; k < 6; k++)
          assert_near (beside[k], weights[k], 10 * h * (1 + fabs (log (h))) + 1e-12);
      }
    /* Far beside the face, in its plane and just out of it. */
    x = kg_vector_add_scaled (octahedron[f[0]], 3, e);
    g_assert_true (cage_find_weights (cage, x, weights, &inside));
    g_assert_false (inside);
    for (double h = 1e-6; h > 1e-11; h /= 8) {
      g_assert_true (cage_find_weights (cage, kg_vector_add_scaled (x, h, normal), beside, NULL));
      for (int k = 0; k < 6; k++)
        assert_near (beside[k], weights[k], 10 * h + 2e-7);
    }
  }
}

/* A cage that is moved by an affine map takes everything along by it; one that is not moved, nothing; inside only, the rest stays. */
static void
test_affine (void)
{
  const KgTransform map = { { { 1.5, 0.25, 0, 1 }, { 0, 0.75, -0.5, 2 }, { 0.25, 0, 1, -3 }, { 0, 0, 0, 1 } } };
  g_autoptr (KgGeometry) mesh = new_dented ();
  g_autoptr (Cage) cage = new_cage (mesh);
  g_autofree float *posed = g_memdup2 (kg_geometry_get_positions (mesh), 3 * cage_get_n_points (cage) * sizeof (float));
  float from[3 * POINTS], to[3 * POINTS], kept[3 * POINTS];

  for (size_t i = 0; i < POINTS; i++)
    for (size_t c = 0; c < 3; c++)
      from[3 * i + c] = (float) kg_vector_get (random_point (i, i % 5 == 0 ? -1e7 : -1, i % 5 == 0 ? 1e7 : 5), c);
  from[0] = -0.0F;
  g_assert_true (cage_deform (cage, NULL, posed, from, to, POINTS, false, NULL));
  g_assert_cmpmem (from, sizeof from, to, sizeof to);
  for (size_t i = 0; i < cage_get_n_points (cage); i++) {
    const KgVector x = kg_transform_point (
        map, kg_vector ((double) posed[3 * i], (double) posed[3 * i + 1], (double) posed[3 * i + 2]));

    for (size_t c = 0; c < 3; c++)
      posed[3 * i + c] = (float) kg_vector_get (x, c);
  }
  g_assert_true (cage_deform (cage, NULL, posed, from, to, POINTS, false, NULL));
  for (size_t i = 0; i < POINTS; i++) {
    const float *f = from + 3 * i, *t = to + 3 * i;
    const KgVector p = kg_vector ((double) f[0], (double) f[1], (double) f[2]), x = kg_transform_point (map, p);

    /* Single precision, of the corners and of the result. */
    assert_vector_near (x, (double) t[0], (double) t[1], (double) t[2], 1e-6 * (1 + kg_vector_length (p)));
  }
  g_assert_true (cage_deform (cage, NULL, posed, from, kept, POINTS, true, NULL));
  for (size_t i = 0; i < POINTS; i++) {
    const float *f = from + 3 * i;
    const bool inside = is_in_dented (kg_vector ((double) f[0], (double) f[1], (double) f[2]));

    g_assert_cmpmem (kept + 3 * i, 3 * sizeof (float), (inside ? to : from) + 3 * i, 3 * sizeof (float));
  }
}

/* The same bits for one thread and two, with kept weights and without, and in place. */
static void
test_threads (void)
{
  g_autoptr (KgGeometry) mesh = new_dented (), points = new_random_cloud (10007, 4, false);
  g_autoptr (Cage) cage = new_cage (mesh);
  const size_t n = kg_geometry_get_n_points (points), bytes = 3 * n * sizeof (float);
  g_autofree float *posed = g_memdup2 (kg_geometry_get_positions (mesh), 3 * cage_get_n_points (cage) * sizeof (float));
  g_autofree float *first = g_malloc (bytes);
  const float *from = kg_geometry_get_positions (points);
  const int before = omp_get_max_threads ();

  for (size_t i = 0; i < 3 * cage_get_n_points (cage); i++)
    posed[i] += (float) kg_random_signed (2, i, 0);
  g_assert_true (cage_deform (cage, NULL, posed, from, first, n, false, NULL));
  for (int threads = 1; threads <= 2; threads++) {
    g_autofree float *again = g_malloc (bytes), *in_place = g_memdup2 (from, bytes);
    g_autoptr (CageWeights) weights = NULL;

    omp_set_num_threads (threads);
    weights = cage_weights_new (cage, from, n, NULL);
    g_assert_true (cage_deform (cage, weights, posed, from, again, n, false, NULL));
    g_assert_true (memcmp (first, again, bytes) == 0);
    g_assert_true (cage_deform (cage, NULL, posed, in_place, in_place, n, false, NULL));
    g_assert_true (memcmp (first, in_place, bytes) == 0);
  }
  omp_set_num_threads (before);
}

static bool
is_cancelled (gpointer data)
{
  (void) data;
  return true;
}

/* A corner that is moved: what is on its faces follows linearly, and far away next to nothing does, without a jump. */
static void
test_far (void)
{
  const KgProgressMonitor monitor = { .is_cancelled = is_cancelled };
  g_autoptr (KgGeometry) mesh = new_mesh (octahedron, 6, octahedron_faces, 8);
  g_autoptr (Cage) cage = new_cage (mesh);
  g_autofree float *posed = g_memdup2 (kg_geometry_get_positions (mesh), 18 * sizeof (float));
  double weights[6], before = 0;
  float p[3], to[3];

  posed[1] += 1;
  for (double r = 10; r < 1e30; r *= 1.1) {
    const KgVector x = kg_vector_scale (kg_random_direction (1, 1, 0), r);
    const bool known = cage_find_weights (cage, x, weights, NULL);
    KgVector blend = { 0, 0, 0 };
    double sum = 0;

    for (size_t k = 0; k < 6; k++) {
      g_assert_true (isfinite (weights[k]));
      sum += weights[k];
      blend = kg_vector_add_scaled (blend, weights[k], octahedron[k]);
    }
    /* In shares of the distance: 1e-16 times its fourth power. */
    if (known)
      assert_near (kg_vector_distance (blend, x) / r, 0, 1e-15 * r * r * r * r);
    assert_near (sum, known ? 1 : kg_clamp (sum, 0, 1), 1e-12);
    g_assert_true (r > 1e3 || known);
    g_assert_true (r < 1e4 || !known);
    for (size_t c = 0; c < 3; c++)
      p[c] = (float) kg_vector_get (x, c);
    g_assert_true (cage_deform (cage, NULL, posed, p, to, 1, false, NULL));
    for (size_t c = 0; c < 3; c++)
      g_assert_true (isfinite (to[c]));
    /* Of the share of the way out that the affine part makes. */
    if (before != 0)
      assert_near ((double) (to[1] - p[1]) / r, before, 0.1);
    before = (double) (to[1] - p[1]) / r;
  }
  g_assert_false (cage_deform (cage, NULL, posed, p, to, 1, false, &monitor));
  g_assert_null (cage_weights_new (cage, p, 1, &monitor));
}

static void
assert_no_cage (const KgGeometry *mesh, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (cage_new (mesh, NULL, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_bad_cages (void)
{
  static const KgVector flat[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } };
  static const uint32_t flat_faces[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
  g_autoptr (KgGeometry) empty = kg_geometry_new (), cloud = new_cloud (octahedron, 6);
  g_autoptr (KgGeometry) open = new_mesh (octahedron, 6, octahedron_faces, 7);
  g_autoptr (KgGeometry) thin = new_mesh (flat, 4, flat_faces, 4), turned = NULL, twice = NULL;
  uint32_t faces[48];
  double once[6], doubled[6];

  assert_no_cage (empty, "no faces");
  assert_no_cage (cloud, "no faces");
  assert_no_cage (open, "3 edges");
  assert_no_cage (thin, "no volume");
  memcpy (faces, octahedron_faces, sizeof octahedron_faces);
  faces[0] = 2;
  faces[1] = 0;
  turned = new_mesh (octahedron, 6, faces, 8);
  assert_no_cage (turned, "faces the other way");
  /* Each face twice counts as once. */
  memcpy (faces, octahedron_faces, sizeof octahedron_faces);
  memcpy (faces + 24, octahedron_faces, sizeof octahedron_faces);
  twice = new_mesh (octahedron, 6, faces, 16);
  {
    g_autoptr (KgGeometry) mesh = new_mesh (octahedron, 6, octahedron_faces, 8);
    g_autoptr (Cage) a = new_cage (mesh), b = new_cage (twice);

    g_assert_true (cage_find_weights (a, kg_vector (0.25, 0.125, 0.5), once, NULL));
    g_assert_true (cage_find_weights (b, kg_vector (0.25, 0.125, 0.5), doubled, NULL));
    for (int k = 0; k < 6; k++)
      assert_near (once[k], doubled[k], 1e-14);
  }
}

/* Faces that share no points, as those of imported meshes with seams. */
static void
test_seams (void)
{
  KgVector points[24];
  uint32_t faces[24];
  double whole[6], split[24];

  for (uint32_t i = 0; i < 24; i++) {
    points[i] = octahedron[octahedron_faces[i]];
    /* 0 and -0. */
    points[i].z = i % 2 ? points[i].z : copysign (points[i].z, points[i].z == 0 ? -1 : points[i].z);
    faces[i] = i;
  }
  {
    g_autoptr (KgGeometry) mesh = new_mesh (octahedron, 6, octahedron_faces, 8),
                           other = new_mesh (points, 24, faces, 8);
    g_autoptr (Cage) a = new_cage (mesh), b = new_cage (other);

    g_assert_true (cage_find_weights (a, kg_vector (0.25, 0.125, 0.5), whole, NULL));
    g_assert_true (cage_find_weights (b, kg_vector (0.25, 0.125, 0.5), split, NULL));
    for (size_t i = 0; i < 6; i++) {
      double sum = 0;

      for (size_t k = 0; k < 24; k++)
        sum += octahedron_faces[k] == i ? split[k] : 0;
      assert_near (sum, whole[i], 1e-14);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cage/70-34-tetrahedron", test_tetrahedron);
  g_test_add_func ("/cage/70-34-integrals", test_integrals);
  g_test_add_func ("/cage/70-34-precision", test_precision);
  g_test_add_func ("/cage/70-34-faces", test_faces);
  g_test_add_func ("/cage/70-34-affine", test_affine);
  g_test_add_func ("/cage/70-34-threads", test_threads);
  g_test_add_func ("/cage/70-34-far", test_far);
  g_test_add_func ("/cage/70-34-seams", test_seams);
  g_test_add_func ("/cage/70-34-bad-cages", test_bad_cages);
  return g_test_run ();
}
