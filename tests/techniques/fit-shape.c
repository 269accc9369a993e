/* tests/techniques/fit-shape: lines, planes, circles, spheres, boxes and ellipsoids through points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/ellipsoid.h"
#include "geometry/fit_shape.h"
#include "shape-test.h"

static FittedShape
fit (FitShape shape, const KgVector *points, size_t n, bool geometric)
{
  g_autoptr (GError) error = NULL;
  FittedShape fitted;

  fit_shape (shape, points, n, geometric, NULL, &fitted, &error);
  g_assert_no_error (error);
  return fitted;
}

/* 70-116 */
static void
test_circle (void)
{
  const KgVector points[] = { { 1, 7, 0 }, { 2, 6, 0 }, { 5, 8, 0 }, { 7, 7, 0 }, { 9, 5, 0 }, { 3, 7, 0 } };
  FittedShape circle = fit (FIT_CIRCLE, points, 6, false);

  assert_vector_near (circle.center, 4.742331288, 3.835122699, 0, 1e-8);
  assert_near (circle.radius, 4.108761522, 1e-8);
  circle = fit (FIT_CIRCLE, points, 6, true);
  assert_vector_near (circle.center, 4.739782, 2.983533, 0, 1e-6);
  assert_near (circle.radius, 4.714226, 1e-6);
  assert_near (6 * circle.residual * circle.residual, 1.227599078, 1e-8);
}

/* Around noisy points in space no circle nearby is better: neither moved, nor tilted, nor of another radius.  Its plane is not
 * the plane of least squares. */
static void
test_circle_in_space (void)
{
  enum { N = 30 };
  KgVector points[N];
  FittedShape best, plane;
  double least;

  for (uint64_t i = 0; i < N; i++) {
    const double a = 2 * kg_random_uniform (5, i, 0);

    points[i] = kg_vector (2.5 * cos (a), 2.5 * sin (a), 0);
    points[i] = kg_vector_add_scaled (points[i], 0.2 * kg_random_uniform (5, i, 1), kg_random_direction (5, i, 2));
    points[i] = kg_rotation_apply (kg_rotation_from_angles (kg_vector (0.4, 1.1, 2)), points[i]);
  }
  best = fit (FIT_CIRCLE, points, N, true);
  plane = fit (FIT_PLANE, points, N, true);
  least = N * best.residual * best.residual;
  for (uint64_t k = 0; k < 200; k++) {
    FittedShape other = best;
    const KgRotation tilt = kg_rotation_from_axis_angle (kg_random_direction (6, k, 0), 1e-3);
    double sum = 0;

    other.center = kg_vector_add_scaled (best.center, 1e-3, kg_random_direction (6, k, 3));
    other.radius += 1e-3 * (kg_random_uniform (6, k, 6) - 0.5);
    for (int i = 0; i < 3; i++)
      other.axes[i] = kg_rotation_apply (tilt, best.axes[i]);
    for (int i = 0; i < N; i++)
      sum += pow (fit_shape_get_distance (FIT_CIRCLE, &other, points[i]), 2);
    g_assert_cmpfloat (sum, >, least);
  }
  g_assert_cmpfloat (fabs (kg_vector_dot (plane.axes[2], best.axes[2])), <, 1 - 1e-7);
}

/* A line and a plane end where the points do, on either side of their mean. */
static void
test_reach (void)
{
  const KgVector points[] = { { -1, 0, 0 }, { 0, 0.1, 0 }, { 0, -0.1, 0 }, { 9, 0, 0 } };
  const FittedShape line = fit (FIT_LINE, points, 4, true), plane = fit (FIT_PLANE, points, 4, true);

  assert_vector_near (line.center, 2, 0, 0, 1e-14);
  assert_near (line.high.x - line.low.x, 10, 1e-13);
  assert_near (fmin (-line.low.x, line.high.x), 3, 1e-13);
  assert_near (plane.high.x - plane.low.x, 10, 1e-13);
  assert_near (fmin (-plane.low.x, plane.high.x), 3, 1e-13);
  assert_near (plane.high.y - plane.low.y, 0.2, 1e-13);
}

/* Exact data, moved and turned. */
static void
test_exact (void)
{
  const KgRotation turn = kg_rotation_from_angles (kg_vector (0.4, 1.1, 2));
  const KgVector at = { 10, -20, 30 }, z = kg_rotation_apply (turn, kg_vector (0, 0, 1));
  KgVector line[20], plane[20], circle[20], sphere[40], box[8];
  FittedShape fitted;

  for (uint64_t i = 0; i < 40; i++) {
    const double a = kg_random_uniform (1, i, 0), b = kg_random_uniform (1, i, 1);

    sphere[i] = kg_vector_add_scaled (at, 3, kg_random_direction (2, i, 0));
    if (i >= 20)
      continue;
    line[i] = kg_vector_add_scaled (at, 5 * a, z);
    plane[i] = kg_vector_add (at, kg_rotation_apply (turn, kg_vector (2 * a, b, 0)));
    circle[i] = kg_vector_add (at, kg_rotation_apply (turn, kg_vector (2 * cos (a), 2 * sin (a), 0)));
  }
  for (int i = 0; i < 8; i++)
    box[i] = kg_vector_add (at, kg_rotation_apply (turn, kg_vector (i & 1 ? 3 : -3, i & 2 ? 2 : -2, i & 4 ? 1 : -1)));
  fitted = fit (FIT_LINE, line, 20, true);
  assert_near (fabs (kg_vector_dot (fitted.axes[0], z)), 1, 1e-12);
  assert_near (fitted.residual, 0, 1e-12);
  fitted = fit (FIT_PLANE, plane, 20, true);
  assert_near (fabs (kg_vector_dot (fitted.axes[2], z)), 1, 1e-12);
  assert_near (fitted.residual, 0, 1e-12);
  for (int geometric = 0; geometric < 2; geometric++) {
    fitted = fit (FIT_CIRCLE, circle, 20, geometric != 0);
    assert_vector_near (fitted.center, at.x, at.y, at.z, 1e-9);
    assert_near (fitted.radius, 2, 1e-9);
    assert_near (fabs (kg_vector_dot (fitted.axes[2], z)), 1, 1e-9);
    fitted = fit (FIT_SPHERE, sphere, 40, geometric != 0);
    assert_vector_near (fitted.center, at.x, at.y, at.z, 1e-12);
    assert_near (fitted.radius, 3, 1e-12);
  }
  fitted = fit (FIT_BOX, box, 8, true);
  assert_vector_near (fitted.half, 3, 2, 1, 1e-9);
  assert_near (fitted.largest, 0, 1e-9);
}

/* An ellipsoid anywhere, of points of one side too; its radii, the longest first. */
static void
test_ellipsoid (void)
{
  const KgRotation turn = kg_rotation_from_angles (kg_vector (0.4, 1.1, 2));
  const KgVector at = { 10, -20, 30 };
  KgVector points[300];

  for (int part = 0; part < 2; part++) {
    FittedShape fitted;

    for (uint64_t i = 0; i < 300; i++) {
      KgVector d = kg_random_direction (11, i, 0);

      d.z = part == 1 ? fabs (d.z) : d.z;
      points[i] = kg_vector_add (at, kg_rotation_apply (turn, kg_vector (2 * d.x, 5 * d.y, 0.7 * d.z)));
    }
    fitted = fit (FIT_ELLIPSOID, points, 300, true);
    assert_vector_near (fitted.center, at.x, at.y, at.z, 1e-8);
    assert_vector_near (fitted.half, 5, 2, 0.7, 1e-8);
    assert_near (fabs (kg_vector_dot (fitted.axes[0], kg_rotation_apply (turn, kg_vector (0, 1, 0)))), 1, 1e-8);
    assert_near (fabs (kg_vector_dot (fitted.axes[2], kg_rotation_apply (turn, kg_vector (0, 0, 1)))), 1, 1e-8);
    assert_near (fitted.largest, 0, 1e-8);
  }
  /* A sphere is one, and so is one with noise, nearly. */
  for (uint64_t i = 0; i < 300; i++)
    points[i] = kg_vector_scale (kg_random_direction (12, i, 0), 3 + 0.01 * kg_random_signed (13, i, 0));
  assert_vector_near (fit (FIT_ELLIPSOID, points, 300, true).half, 3, 3, 3, 0.01);
}

/* Distances from an ellipsoid against the nearest of many of its points, on its axes and planes of symmetry too. */
static void
test_ellipsoid_distance (void)
{
  const KgVector radii = { 3, 2, 0.5 };

  for (uint64_t k = 0; k < 60; k++) {
    KgVector x = kg_vector_scale (kg_random_direction (14, k, 0), 4 * kg_random_uniform (14, k, 5));
    double least = INFINITY;
    const double level = pow (x.x / 3, 2) + pow (x.y / 2, 2) + pow (x.z / 0.5, 2);

    if (k % 4 == 1)
      x.z = 0;
    if (k % 4 == 2)
      x.x = x.z = 0;
    for (int i = 0; i <= 400; i++)
      for (int j = 0; j < 800; j++) {
        const double a = KG_PI * i / 400, b = 2 * KG_PI * j / 800;

        least = fmin (least,
                      kg_vector_distance (x, kg_vector (3 * sin (a) * cos (b), 2 * sin (a) * sin (b), 0.5 * cos (a))));
      }
    /* The points are up to 0.02 apart. */
    assert_near (fabs (ellipsoid_get_distance (radii, x)), least, 0.02);
    g_assert_cmpfloat (fabs (ellipsoid_get_distance (radii, x)), <=, least + 1e-8);
    if (k % 4 == 0)
      g_assert_true ((ellipsoid_get_distance (radii, x) < 0) == (level < 1));
  }
  assert_near (ellipsoid_get_distance (radii, kg_vector (0, 0, 0)), -0.5, 1e-8);
  assert_near (ellipsoid_get_distance (kg_vector (2, 2, 2), kg_vector (0, 0, 0)), -2, 1e-8);
  assert_near (ellipsoid_get_distance (radii, kg_vector (0, 7, 0)), 5, 1e-8);
}

static void
refuses (const KgVector *points, size_t n, const char *words)
{
  g_autoptr (GError) error = NULL;
  FittedShape fitted;

  g_assert_false (fit_shape (FIT_ELLIPSOID, points, n, true, NULL, &fitted, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  if (strstr (error->message, words) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, words);
}

static void
test_no_ellipsoid (void)
{
  KgVector points[200];

  for (uint64_t i = 0; i < 200; i++) {
    const double a = 6 * kg_random_uniform (15, i, 0), z = 2 * kg_random_signed (15, i, 1);

    points[i] = kg_vector (cosh (z) * cos (a), cosh (z) * sin (a), sinh (z));
  }
  refuses (points, 200, "not closed");
  for (uint64_t i = 0; i < 200; i++)
    points[i].z = i % 2 == 0 ? 1 : -1;
  for (uint64_t i = 0; i < 200; i++)
    points[i] = kg_vector (cos ((double) i), sin ((double) i), points[i].z);
  refuses (points, 200, "many ellipsoids");
  refuses (points, 8, "too few");
  for (uint64_t i = 0; i < 200; i++)
    points[i].z = 0;
  refuses (points, 200, "in one plane");
}

/* The sum of squares cannot be made smaller by a small change. */
static void
test_least (void)
{
  KgVector points[200];
  FittedShape fitted;
  double least;

  for (uint64_t i = 0; i < 200; i++)
    points[i] = kg_vector_scale (kg_random_direction (2, i, 0), 3 + 0.5 * kg_random_signed (3, i, 0));
  fitted = fit (FIT_SPHERE, points, 200, true);
  least = fitted.residual;
  for (uint64_t k = 0; k < 20; k++) {
    FittedShape other = fitted;
    double sum = 0;

    other.center = kg_vector_add_scaled (other.center, 1e-3, kg_random_direction (4, k, 0));
    other.radius += 1e-3 * kg_random_signed (4, k, 5);
    for (int i = 0; i < 200; i++)
      sum += pow (fit_shape_get_distance (FIT_SPHERE, &other, points[i]), 2);
    g_assert_cmpfloat (sqrt (sum / 200), >, least);
  }
}

static void
test_bad_input (void)
{
  const KgVector line[] = { { 0, 0, 0 }, { 1, 1, 1 }, { 2, 2, 2 }, { 5, 5, 5 } }, same[] = { { 1, 1, 1 }, { 1, 1, 1 } };
  const KgVector flat[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 2, 0 } };
  static const struct {
    FitShape shape;
    const KgVector *points;
    size_t n;
    const char *words;
  } cases[] = { { FIT_LINE, NULL, 0, "no points" },        { FIT_LINE, NULL, 1, "too few" },
                { FIT_LINE, NULL, 2, "all in one place" }, { FIT_PLANE, NULL, 4, "on one line" },
                { FIT_CIRCLE, NULL, 4, "on one line" },    { FIT_SPHERE, NULL, 4, "in one plane" } };
  const KgVector *points[] = { NULL, line, same, line, line, flat };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    FittedShape fitted;

    g_assert_false (fit_shape (cases[i].shape, points[i], cases[i].n, true, NULL, &fitted, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
    if (strstr (error->message, cases[i].words) == NULL)
      g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].words);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fit-shape/70-116-circle", test_circle);
  g_test_add_func ("/fit-shape/70-116-circle-in-space", test_circle_in_space);
  g_test_add_func ("/fit-shape/70-10-reach", test_reach);
  g_test_add_func ("/fit-shape/70-10-exact", test_exact);
  g_test_add_func ("/fit-shape/70-116-least", test_least);
  g_test_add_func ("/fit-shape/bad-input", test_bad_input);
  g_test_add_func ("/fit-shape/70-10-70-116-ellipsoid", test_ellipsoid);
  g_test_add_func ("/fit-shape/70-10-ellipsoid-distance", test_ellipsoid_distance);
  g_test_add_func ("/fit-shape/70-10-no-ellipsoid", test_no_ellipsoid);
  return g_test_run ();
}
