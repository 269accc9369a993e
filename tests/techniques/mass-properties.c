/* tests/techniques/mass-properties: masses and tensors against closed forms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mass_properties.h"
#include "kg-random.h"
#include "shape-test.h"

#include <omp.h>

#define assert_tensor_near(t, xx_, yy_, zz_, xy_, xz_, yz_, tolerance)                                                 \
  do {                                                                                                                 \
    const SymmetricMatrix tensor_ = (t);                                                                               \
    assert_near (tensor_.xx, xx_, tolerance);                                                                          \
    assert_near (tensor_.yy, yy_, tolerance);                                                                          \
    assert_near (tensor_.zz, zz_, tolerance);                                                                          \
    assert_near (tensor_.xy, xy_, tolerance);                                                                          \
    assert_near (tensor_.xz, xz_, tolerance);                                                                          \
    assert_near (tensor_.yz, yz_, tolerance);                                                                          \
  } while (0)

static MassProperties
weigh (const KgGeometry *geometry, MassModel model, double density, double total, const char *warns)
{
  const MassFilling filling = { .model = model, .density = density, .total = total, .thickness = 1 };
  g_autoptr (GError) error = NULL, warning = NULL;
  MassProperties result;
  MassExtent extent;

  mass_properties_measure (geometry, &filling, NULL, &result, &extent, &warning, &error);
  g_assert_no_error (error);
  if (warns == NULL)
    g_assert_no_error (warning);
  else
    g_assert_nonnull (strstr (warning->message, warns));
  return result;
}

static void
fails (const KgGeometry *geometry, MassModel model, const char *words)
{
  const MassFilling filling = { .model = model, .density = 1, .thickness = 1 };
  g_autoptr (GError) error = NULL, warning = NULL;
  MassProperties result;
  MassExtent extent;

  g_assert_false (mass_properties_measure (geometry, &filling, NULL, &result, &extent, &warning, &error));
  g_assert_nonnull (error);
  if (strstr (error->message, words) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, words);
}

/* Small whole numbers are exact in float32, so the tolerance is that of double. */
static void
test_box (void)
{
  g_autoptr (KgGeometry) box = new_box (kg_vector (64, -32, 16), kg_vector (2, 4, 6));
  const MassProperties solid = weigh (box, MASS_AUTO, 0, 12, NULL);
  const MassProperties closed = mass_shape_get_properties (MASS_BOX, kg_vector (2, 4, 6), 12);

  assert_vector_near (solid.center, 64, -32, 16, 1e-12);
  assert_tensor_near (solid.inertia, 52, 40, 20, 0, 0, 0, 1e-11);
  assert_tensor_near (closed.inertia, 52, 40, 20, 0, 0, 0, 1e-13);
  /* As eight corners (50-44). */
  {
    g_autoptr (KgGeometry) small = new_box (kg_vector (0, 0, 0), kg_vector (1, 2, 3));

    assert_tensor_near (weigh (small, MASS_POINTS, 0, 12, NULL).inertia, 39, 30, 15, 0, 0, 0, 1e-12);
    assert_tensor_near (weigh (small, MASS_SOLID, 2, 0, NULL).inertia, 13, 10, 5, 0, 0, 0, 1e-12);
    assert_near (weigh (small, MASS_SHELL, 1, 0, NULL).mass, 22, 1e-12);
  }
}

/* A shell is the difference of two solids in the limit. */
static void
test_shell (void)
{
  const double e = 1e-6;
  g_autoptr (KgGeometry) box = new_box (kg_vector (0, 0, 0), kg_vector (1, 2, 3));
  const MassProperties shell = weigh (box, MASS_SHELL, 1, 0, NULL);
  const KgVector large = { 1 + e, 2 + e, 3 + e }, small = { 1 - e, 2 - e, 3 - e };
  const MassProperties outer = mass_shape_get_properties (MASS_BOX, large, large.x * large.y * large.z);
  const MassProperties inner = mass_shape_get_properties (MASS_BOX, small, small.x * small.y * small.z);

  assert_near (shell.mass, (outer.mass - inner.mass) / e, 1e-8);
  assert_tensor_near (shell.inertia, (outer.inertia.xx - inner.inertia.xx) / e,
                      (outer.inertia.yy - inner.inertia.yy) / e, (outer.inertia.zz - inner.inertia.zz) / e, 0, 0, 0,
                      1e-7);
}

static void
test_tetrahedron (void)
{
  const KgVector corners[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  const uint32_t faces[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
  g_autoptr (KgGeometry) mesh = new_cloud (corners, 4);
  MassProperties solid;

  kg_geometry_add_primitives (mesh, KG_POLYGON, true, 4, 3, faces);
  solid = weigh (mesh, MASS_SOLID, 1, 0, NULL);
  assert_near (solid.mass, 1.0 / 6, 1e-15);
  assert_vector_near (solid.center, 0.25, 0.25, 0.25, 1e-15);
  assert_tensor_near (solid.inertia, 1.0 / 80, 1.0 / 80, 1.0 / 80, 1.0 / 480, 1.0 / 480, 1.0 / 480, 1e-16);
}

static void
test_points (void)
{
  const KgVector where[] = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 } };
  g_autoptr (KgGeometry) cloud = new_cloud (where, 3);
  float *mass = kg_geometry_edit_float (cloud, KG_POINTS, "mass", 1);
  MassProperties points;

  for (int i = 0; i < 3; i++)
    mass[i] = (float) (i + 1);
  points = weigh (cloud, MASS_AUTO, 0, 0, NULL);
  assert_near (points.mass, 6, 0);
  assert_vector_near (points.center, 1.0 / 6, 2.0 / 3, 1.5, 1e-15);
  assert_tensor_near (points.inertia, 113.0 / 6, 43.0 / 3, 37.0 / 6, 2.0 / 3, 1.5, 6, 1e-13);
  assert_tensor_near (mass_properties_get_inertia_about (&points, kg_vector_scale (points.center, -1)), 35, 28, 9, 0, 0,
                      0, 1e-12);
  mass[1] = -1;
  fails (cloud, MASS_POINTS, "point 1 has a mass of -1");
  mass[0] = mass[1] = mass[2] = 0;
  fails (cloud, MASS_POINTS, "the masses of all points are 0");
}

/* Two boxes as one, and as an L of polygons with dents. */
static void
test_join (void)
{
  MassProperties a = mass_shape_get_properties (MASS_BOX, kg_vector (2, 1, 1), 2);
  MassProperties b = mass_shape_get_properties (MASS_BOX, kg_vector (1, 1, 1), 1), whole;
  KgVector axes[3];
  double values[3];
  KgGeometry *mesh;

  a.center = kg_vector (1, 0.5, 0.5);
  b.center = kg_vector (0.5, 1.5, 0.5);
  whole = mass_properties_join (&a, &b);
  assert_vector_near (whole.center, 5.0 / 6, 5.0 / 6, 0.5, 1e-15);
  assert_tensor_near (whole.inertia, 7.0 / 6, 7.0 / 6, 11.0 / 6, 1.0 / 3, 0, 0, 1e-14);
  symmetric_matrix_decompose (whole.inertia, values, axes);
  assert_near (values[0], 5.0 / 6, 1e-15);
  assert_near (values[1], 1.5, 1e-15);
  assert_near (values[2], 11.0 / 6, 1e-15);
  assert_near (kg_vector_dot (kg_vector_cross (axes[0], axes[1]), axes[2]), 1, 1e-15);

  mesh = new_l ();
  whole = weigh (mesh, MASS_AUTO, 1, 0, NULL);
  assert_near (whole.mass, 3, 1e-14);
  assert_tensor_near (whole.inertia, 7.0 / 6, 7.0 / 6, 11.0 / 6, 1.0 / 3, 0, 0, 1e-14);
  kg_geometry_unref (mesh);
}

static void
test_axes (void)
{
  const MassProperties box = mass_shape_get_properties (MASS_BOX, kg_vector (2, 4, 6), 12);
  const KgRotation turn = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), 30 * KG_DEGREE);
  const MassProperties turned = mass_properties_move (&box, turn, kg_vector (1, 2, 3));
  KgVector axes[3];
  double values[3];

  assert_tensor_near (mass_properties_get_inertia_about (&box, kg_vector (1, 2, 3)), 208, 160, 80, -24, -36, -72,
                      1e-12);
  assert_tensor_near (turned.inertia, 49, 43, 20, 3 * sqrt (3), 0, 0, 1e-12);
  symmetric_matrix_decompose (turned.inertia, values, axes);
  assert_near (values[0], 20, 1e-13);
  assert_near (values[1], 40, 1e-13);
  assert_near (values[2], 52, 1e-13);
  assert_vector_near (axes[0], 0, 0, 1, 1e-15);
  assert_vector_near (kg_rotation_apply (symmetric_matrix_get_rotation (axes), kg_vector (1, 0, 0)), axes[0].x,
                      axes[0].y, axes[0].z, 1e-15);
}

/* From below, and of second order in the length of the edges. */
static void
test_ball (void)
{
  double before = INFINITY;

  for (guint level = 3; level <= 5; level++) {
    g_autoptr (KgGeometry) ball = new_ball (1, level);
    const MassProperties solid = weigh (ball, MASS_SOLID, 1, 0, NULL);
    const double error = 8 * KG_PI / 15 - solid.inertia.xx;

    g_assert_cmpfloat (error, >, 0);
    g_assert_cmpfloat (error, <, 0.3 * before);
    before = error;
    assert_vector_near (solid.center, 0, 0, 0, 1e-7);
  }
  assert_near (mass_shape_get_properties (MASS_ELLIPSOID, kg_vector (0.8, 0.8, 0.8), 5).inertia.xx, 0.32, 1e-15);
}

/* Closed forms against sums over thin slices across y. */
static void
test_closed_forms (void)
{
  static const struct {
    MassShape shape;
    KgVector size;
  } cases[] = { { MASS_CYLINDER, { 2, 3, 1 } },
                { MASS_CONE, { 2, 3, 1 } },
                { MASS_ELLIPSOID, { 2, 3, 1 } },
                { MASS_CAPSULE, { 2, 5, 2 } },
                { MASS_CAPSULE, { 2, 5, 4 } },
                { MASS_CAPSULE, { 4, 2, 3 } },
                { MASS_TORUS, { 5, 1, 5 } },
                { MASS_TORUS, { 5, 1, 3 } },
                /* Too thick to be round. */
                { MASS_TORUS, { 5, 4, 5 } } };
  const int n = 20000;

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    const KgVector size = cases[k].size;
    const double h = size.y / n;
    Moments moments = { 0 };
    MassProperties slices, shape;

    for (int i = 0; i < n; i++) {
      const double y = (i + 0.5) * h - 0.5 * size.y, u = 2 * y / size.y;
      const double end = 0.5 * fmin (size.y, fmin (size.x, size.z));
      const double cap = fmax (0, fabs (y) - (0.5 * size.y - end)) / end;
      const double width = fmin (0.5 * size.y, 0.25 * size.x), tube = width * sqrt (fmax (0, 1 - u * u));
      const double s = cases[k].shape == MASS_CONE        ? 0.5 - y / size.y
                       : cases[k].shape == MASS_ELLIPSOID ? sqrt (1 - u * u)
                       : cases[k].shape == MASS_CAPSULE   ? sqrt (fmax (0, 1 - cap * cap))
                                                          : 1;
      /* An ellipse has a quarter of the square of its half axes; of a ring the hole is taken off. */
      for (int hole = 0; hole < (cases[k].shape == MASS_TORUS ? 2 : 1); hole++) {
        const double r = cases[k].shape == MASS_TORUS ? 0.5 * size.x - width + (hole == 0 ? tube : -tube)
                                                      : 0.5 * s * size.x;
        const double q = cases[k].shape == MASS_TORUS ? r * size.z / size.x : 0.5 * s * size.z;
        const double m = (hole == 0 ? 1 : -1) * KG_PI * r * q * h;

        moments.measure += m;
        moments.first.y += m * y;
        moments.second.xx += 0.25 * m * r * r;
        moments.second.zz += 0.25 * m * q * q;
        moments.second.yy += m * y * y;
      }
    }
    g_assert_true (moments_get_mass_properties (&moments, 7, &slices));
    shape = mass_shape_get_properties (cases[k].shape, size, 7);
    assert_near (mass_shape_get_volume (cases[k].shape, size), moments.measure, 1e-5);
    assert_vector_near (shape.center, 0, slices.center.y, 0, 1e-6);
    assert_tensor_near (shape.inertia, slices.inertia.xx, slices.inertia.yy, slices.inertia.zz, 0, 0, 0, 1e-4);
    /* The triangle inequality of moments. */
    g_assert_cmpfloat (shape.inertia.xx + shape.inertia.zz, >=, shape.inertia.yy);
  }
}

/* A strip of 1,024 cells, 4 by 1: triangles, quadrilaterals, both in turn, and now and then one of five corners, which are
 * added up in different ways. */
static void
test_mixed_polygons (void)
{
  enum { CELLS = 1024 };
  g_autoptr (KgGeometry) strip = kg_geometry_new ();
  MassProperties plate, sheet;
  float *p;

  kg_geometry_set_n_points (strip, 3 * (CELLS + 1), NULL);
  p = kg_geometry_edit_positions (strip);
  for (size_t i = 0; i < 3 * (CELLS + 1); i++) {
    p[3 * i] = (float) (i / 3) * 4 / CELLS - 2;
    p[3 * i + 1] = 0.5f * (float) (i % 3) - 0.5f;
    p[3 * i + 2] = 0;
  }
  for (uint32_t i = 0; i < CELLS; i++) {
    const uint32_t v = 3 * i, corners[] = { v, v + 3, v + 5, v + 2, v + 1 };

    if (i < 300 || (i >= 600 && i % 2 == 0)) {
      const uint32_t halves[] = { v, v + 3, v + 5, v, v + 5, v + 2 };

      kg_geometry_add_primitives (strip, KG_POLYGON, true, 2, 3, halves);
    } else
      kg_geometry_add_primitives (strip, KG_POLYGON, true, 1, i >= 800 && i % 100 == 1 ? 5 : 4, corners);
  }
  sheet = weigh (strip, MASS_SHELL, 0, 12, NULL);
  plate = mass_shape_get_properties (MASS_BOX, kg_vector (4, 1, 0), 12);
  assert_vector_near (sheet.center, 0, 0, 0, 1e-14);
  assert_tensor_near (sheet.inertia, plate.inertia.xx, plate.inertia.yy, plate.inertia.zz, 0, 0, 0, 1e-12);
}

static void
test_bad_input (void)
{
  g_autoptr (KgGeometry) open = new_box (kg_vector (0, 0, 0), kg_vector (1, 1, 1)), empty = kg_geometry_new ();
  g_autoptr (KgGeometry) inward = new_box (kg_vector (0, 0, 0), kg_vector (-1, 1, 1));
  g_autoptr (KgGeometry) flat = new_box (kg_vector (0, 0, 0), kg_vector (1, 0, 1));
  g_autoptr (KgGeometry) repeated = new_box (kg_vector (0, 0, 0), kg_vector (1, 1, 1));
  const uint32_t again[] = { 0, 2, 3, 1 };
  const uint8_t keep[] = { 1, 1, 1, 1, 0, 1 };

  kg_geometry_keep_primitives (open, keep);
  fails (open, MASS_SOLID, "4 of its edges");
  assert_near (weigh (open, MASS_AUTO, 1, 0, "4 open edges").mass, 5, 1e-12);
  kg_geometry_add_primitives (repeated, KG_POLYGON, true, 1, 4, again);
  fails (repeated, MASS_SOLID, "4 of its edges");
  assert_near (weigh (inward, MASS_AUTO, 2, 0, "inside out").mass, 2, 1e-12);
  g_assert_cmpfloat (weigh (inward, MASS_AUTO, 2, 0, "inside out").inertia.xx, >, 0);
  fails (flat, MASS_SOLID, "encloses no volume");
  assert_near (weigh (flat, MASS_AUTO, 1, 0, "encloses no volume: its polygons were weighed as sheets").mass, 2, 1e-12);
  fails (empty, MASS_AUTO, "no points");
  fails (empty, MASS_SOLID, "no polygons");
  fails (empty, MASS_SHELL, "no polygons");
  fails (empty, MASS_LINES, "no lines");
}

static bool
is_closed (const KgGeometry *geometry)
{
  MassExtent extent;
  KgVector center;

  g_assert_true (mass_properties_get_extent (geometry, NULL, &extent, &center));
  return extent.closed;
}

/* Whether a surface is closed is told by numbers of its edges that cancel out: any polygons that are left out must be noticed,
 * also where the holes meet in their corners, and each corner has as many edges in as out. */
static void
test_holes (void)
{
  for (uint64_t seed = 0; seed < 400; seed++) {
    g_autoptr (KgGeometry) ball = new_ball (1, 2);
    const size_t n = kg_geometry_get_n_primitives (ball);
    g_autofree uint8_t *keep = g_new (uint8_t, n);
    const double share = kg_random_uniform (seed, 0, 1);

    g_assert_true (is_closed (ball));
    for (size_t i = 0; i < n; i++)
      keep[i] = kg_random_uniform (seed, i, 0) < share;
    keep[0] = 0;
    keep[n - 1] = 1;
    kg_geometry_keep_primitives (ball, keep);
    g_assert_false (is_closed (ball));
  }
  for (uint32_t side = 3; side < 60; side++) {
    g_autoptr (KgGeometry) board = kg_geometry_new ();

    kg_geometry_set_n_points (board, (size_t) (side + 1) * (side + 1), NULL);
    for (uint32_t y = 0; y < side; y++)
      for (uint32_t x = y % 2; x < side; x += 2) {
        const uint32_t a = y * (side + 1) + x, field[] = { a, a + 1, a + side + 2, a + side + 1 };

        kg_geometry_add_primitives (board, KG_POLYGON, true, 1, 4, field);
      }
    g_assert_false (is_closed (board));
  }
}

static void
test_threads (void)
{
  g_autoptr (KgGeometry) ball = new_ball (1, 6);
  const int threads = omp_get_max_threads ();
  MassProperties one, four;

  omp_set_num_threads (1);
  one = weigh (ball, MASS_SOLID, 1, 0, NULL);
  omp_set_num_threads (4);
  four = weigh (ball, MASS_SOLID, 1, 0, NULL);
  omp_set_num_threads (threads);
  g_assert_cmpmem (&one, sizeof one, &four, sizeof four);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mass-properties/50-47-70-97-box", test_box);
  g_test_add_func ("/mass-properties/50-44-shell", test_shell);
  g_test_add_func ("/mass-properties/50-47-70-96-tetrahedron", test_tetrahedron);
  g_test_add_func ("/mass-properties/50-44-points", test_points);
  g_test_add_func ("/mass-properties/70-99-join", test_join);
  g_test_add_func ("/mass-properties/50-48-70-100-axes", test_axes);
  g_test_add_func ("/mass-properties/70-98-ball", test_ball);
  g_test_add_func ("/mass-properties/70-96-closed-forms", test_closed_forms);
  g_test_add_func ("/mass-properties/70-101-mixed-polygons", test_mixed_polygons);
  g_test_add_func ("/mass-properties/70-101-bad-input", test_bad_input);
  g_test_add_func ("/mass-properties/70-101-holes", test_holes);
  g_test_add_func ("/mass-properties/threads", test_threads);
  return g_test_run ();
}
