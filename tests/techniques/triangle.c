/* tests/techniques/triangle: vectors, closest pairs and triangles against published figures and their laws.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "geometry/polygon_weights.h"
#include "geometry/closest_pair.h"
#include "geometry/triangle.h"
#include "geometry/vectors.h"
#include "kg-random.h"

#define V kg_vector

static KgVector
draw (uint64_t id)
{
  return V (kg_random_signed (70, id, 0), kg_random_signed (70, id, 1), kg_random_signed (70, id, 2));
}

static void
test_length (void)
{
  KgVector unit;

  assert_near (vectors_get_length (V (2, 3, 6)), 7, 0);
  assert_near (vectors_get_length (V (3e200, 4e200, 0)) / 5e200, 1, 4 * DBL_EPSILON);
  assert_near (vectors_get_length (V (3e-200, 0, 4e-200)) / 5e-200, 1, 4 * DBL_EPSILON);
  g_assert_false (vectors_normalize (V (0, 0, 0), &unit));
  for (uint64_t i = 0; i < 100000; i++) {
    g_assert_true (vectors_normalize (draw (i), &unit));
    assert_near (kg_vector_length (unit), 1, 2 * DBL_EPSILON);
  }
}

static void
test_angle (void)
{
  double angle;

  assert_near (vectors_get_angle (V (1, 2, 2), V (2, -1, 2)) / KG_DEGREE, 63.612200038757, 1e-11);
  assert_near (vectors_get_angle (V (1, 0, 0), V (1, 1e-9, 0)), 1e-9, 1e-24);
  assert_near (vectors_get_angle (V (1, 2, 3), V (-1, -2, -3)), KG_PI, 0);
  /* Powers of two change no bit. */
  g_assert_true (vectors_get_angle (V (1, 2, 2), V (2, -1, 2)) ==
                 vectors_get_angle (V (0x1p600, 0x1p601, 0x1p601), V (0x1p-599, -0x1p-600, 0x1p-599)));
  g_assert_true (vectors_get_signed_angle (V (1, 0, 5), V (0, -2, -3), V (0, 0, 4), &angle));
  assert_near (angle, -KG_PI / 2, 1e-15);
  g_assert_false (vectors_get_signed_angle (V (0, 0, 5), V (0, 1, 0), V (0, 0, 1), &angle));
  g_assert_false (vectors_get_signed_angle (V (1, 1, 1), V (0, 1, 0), V (3, 3, 3), &angle));
}

/* Components of skew axes, where dot products with unit axes would be wrong. */
static void
test_components (void)
{
  KgVector c;

  g_assert_true (vectors_get_components (V (3, 5, 9), V (1, 1, 0), V (0, 1, 1), V (0, 0, 2), &c));
  assert_vector_near (c, 3, 2, 3.5, 1e-15);
  g_assert_true (vectors_get_components (V (2, 1, 5), V (0.6, 0.8, 0), V (-0.8, 0.6, 0), V (0, 0, 1), &c));
  assert_vector_near (c, 2, -1, 5, 1e-15);
  g_assert_false (vectors_get_components (V (1, 1, 1), V (1, 2, 3), V (2, 1, 0), V (3, 3, 3), &c));
}

static void
test_lines (void)
{
  ClosestLine one = closest_line_new (V (0, 0, 0), V (1, 1, 0), -INFINITY, INFINITY);
  ClosestLine two = closest_line_new (V (3, 0, 2), V (0, 1, 1), -INFINITY, INFINITY);
  ClosestPair pair = closest_pair_of_lines (&one, &two), back = closest_pair_of_lines (&two, &one);

  assert_near (pair.s, 4.0 / 3, 1e-15);
  assert_near (pair.t, -1.0 / 3, 1e-15);
  assert_near (pair.distance, 2.88675134594813, 1e-14);
  assert_near (back.s, pair.t, 1e-15);
  assert_near (back.t, pair.s, 1e-15);
  one = closest_line_new (V (1, 0, 0), V (1, 2, 0), -INFINITY, INFINITY);
  two = closest_line_new (V (0, 1, 3), V (2, -1, 1), -INFINITY, INFINITY);
  pair = closest_pair_of_lines (&one, &two);
  assert_near (pair.s, 0.2, 1e-15);
  assert_near (pair.t, 0, 1e-15);
  assert_near (pair.distance, 3.286335345031, 1e-12);
  /* The strut is perpendicular to both lines. */
  for (uint64_t i = 0; i < 1000; i++) {
    KgVector strut;

    one = closest_line_new (draw (4 * i), draw (4 * i + 1), -INFINITY, INFINITY);
    two = closest_line_new (draw (4 * i + 2), draw (4 * i + 3), -INFINITY, INFINITY);
    pair = closest_pair_of_lines (&one, &two);
    strut = kg_vector_subtract (pair.second, pair.first);
    assert_near (kg_vector_dot (strut, one.v), 0, 1e-11 * (1 + fabs (pair.s) + fabs (pair.t)));
    assert_near (kg_vector_dot (strut, two.v), 0, 1e-11 * (1 + fabs (pair.s) + fabs (pair.t)));
  }
}

/* Whatever is clamped, no pair of points in range is closer: by looking at many. */
static void
test_segments (void)
{
  for (uint64_t i = 0; i < 300; i++) {
    const double low = i % 3 == 0 ? -INFINITY : 0, high = i % 4 == 0 ? INFINITY : 1;
    const ClosestLine one = closest_line_new (draw (4 * i), draw (4 * i + 1), low, high);
    const ClosestLine two =
        closest_line_new (draw (4 * i + 2), i % 7 == 0 ? kg_vector_scale (one.v, -0.7) : draw (4 * i + 3), 0, 1);
    const ClosestPair pair = closest_pair_of_lines (&one, &two);

    g_assert_true (pair.s >= low && pair.s <= high && pair.t >= 0 && pair.t <= 1);
    for (int k = 0; k <= 200; k++)
      for (int j = 0; j <= 20; j++) {
        const double s = fmax (low, fmin (high, 0.05 * k - 5)), t = 0.05 * j;
        const double here =
            kg_vector_distance (kg_vector_add_scaled (one.a, s, one.v), kg_vector_add_scaled (two.a, t, two.v));

        g_assert_cmpfloat (pair.distance, <=, here + 1e-12);
      }
  }
}

/* Triangles, boxes and balls against a grid of their points. */
static void
test_solids (void)
{
  for (uint64_t i = 0; i < 400; i++) {
    const bool point = i % 5 == 0;
    const ClosestLine line = closest_line_new (kg_vector_scale (draw (8 * i), 3),
                                               point ? V (0, 0, 0) : draw (8 * i + 1), i % 3 == 0 ? -INFINITY : 0,
                                               i % 4 == 0 ? INFINITY : 1);
    const KgVector corners[3] = { draw (8 * i + 2), draw (8 * i + 3), draw (8 * i + 4) };
    const ClosestBox box = { draw (8 * i + 5), V (0.3, 0.7, 0.5), kg_rotation_from_angles (draw (8 * i + 6)) };
    const ClosestBall ball = { draw (8 * i + 7), 0.6 };
    const ClosestPair a = closest_pair_with_triangle (&line, corners), b = closest_pair_with_box (&line, &box);
    const ClosestPair c = closest_pair_with_ball (&line, &ball);
    double least[3] = { INFINITY, INFINITY, INFINITY };

    for (int k = 0; k <= 400; k++) {
      const double s = point ? 0 : fmax (line.low, fmin (line.high, 0.025 * k - 5));
      const KgVector p = kg_vector_add_scaled (line.a, s, line.v);
      const KgVector w = closest_triangle_weights (p, corners);
      const KgVector local =
          kg_rotation_apply (kg_rotation_conjugate (box.rotation), kg_vector_subtract (p, box.center));
      const KgVector out =
          V (fmax (fabs (local.x) - 0.3, 0), fmax (fabs (local.y) - 0.7, 0), fmax (fabs (local.z) - 0.5, 0));
      const KgVector q = kg_vector_add_scaled (
          kg_vector_add_scaled (kg_vector_scale (corners[0], w.x), w.y, corners[1]), w.z, corners[2]);

      g_assert_true (w.x >= -1e-15 && w.y >= -1e-15 && w.z >= -1e-15);
      least[0] = fmin (least[0], kg_vector_distance (p, q));
      least[1] = fmin (least[1], kg_vector_length (out));
      least[2] = fmin (least[2], fmax (kg_vector_distance (p, ball.center) - 0.6, 0));
    }
    /* No sample is closer, and some sample within half a step of the line is as close. */
    g_assert_cmpfloat (a.distance, <=, least[0] + 1e-12);
    g_assert_cmpfloat (fmax (b.distance, 0), <=, least[1] + 1e-12);
    g_assert_cmpfloat (fmax (c.distance, 0), <=, least[2] + 1e-12);
    if (fabs (a.s) < 4.9)
      g_assert_cmpfloat (least[0] - a.distance, <=, 0.0125 * kg_vector_length (line.v) + 1e-12);
    if (fabs (b.s) < 4.9)
      g_assert_cmpfloat (least[1] - fmax (b.distance, 0), <=, 0.0125 * kg_vector_length (line.v) + 1e-12);
    if (fabs (c.s) < 4.9)
      g_assert_cmpfloat (least[2] - fmax (c.distance, 0), <=, 0.0125 * kg_vector_length (line.v) + 1e-12);
  }
}

static void
test_measures (void)
{
  const KgVector right[3] = { { 0, 0, 0 }, { 3, 0, 0 }, { 0, 4, 0 } },
                 tilted[3] = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 } };
  const KgVector line[3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 3, 3, 3 } };
  const Triangle t = triangle_new (right);

  assert_near (t.area, 6, 0);
  assert_near (triangle_new (tilted).area, 3.5, 1e-15);
  assert_vector_near (t.normal, 0, 0, 1, 0);
  assert_vector_near (t.circumcenter, 1.5, 2, 0, 1e-15);
  assert_vector_near (t.orthocenter, 0, 0, 0, 1e-15);
  assert_vector_near (t.incenter, 1, 1, 0, 1e-15);
  assert_near (t.circumradius, 2.5, 1e-15);
  assert_near (t.inradius, 1, 1e-15);
  assert_near (t.angles.x, KG_PI / 2, 1e-15);
  g_assert_true (triangle_new (line).degenerate);
  assert_vector_near (triangle_get_weights (line, V (3, 3, 9)), 0, 0, 1, 1e-15);
  for (uint64_t i = 0; i < 2000; i++) {
    const KgVector corners[3] = { draw (3 * i), draw (3 * i + 1), draw (3 * i + 2) };
    const Triangle r = triangle_new (corners);

    assert_near (r.angles.x + r.angles.y + r.angles.z, KG_PI, 1e-13);
    for (int k = 0; k < 3; k++)
      assert_near (kg_vector_distance (r.circumcenter, corners[k]) / r.circumradius, 1, 1e-9);
    /* Euler: the three centres lie on one line, and the distance of the two circles is √(R(R − 2r)). */
    assert_vector_near (kg_vector_add (r.orthocenter, kg_vector_scale (r.circumcenter, 2)), 3 * r.centroid.x,
                        3 * r.centroid.y, 3 * r.centroid.z, 1e-9 * (1 + r.circumradius * r.circumradius));
    assert_near (kg_vector_distance (r.circumcenter, r.incenter),
                 sqrt (r.circumradius * fmax (r.circumradius - 2 * r.inradius, 0)), 1e-6 * r.circumradius);
  }
}

static void
test_weights (void)
{
  const KgVector corners[3] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 3, 0 } };

  assert_vector_near (triangle_get_weights (corners, V (1, 1, 0)), 5.0 / 12, 0.25, 1.0 / 3, 1e-15);
  assert_vector_near (triangle_get_weights (corners, V (4, 3, 7)), -1, 1, 1, 1e-15);
  assert_vector_near (triangle_get_weights (corners, corners[2]), 0, 0, 1, 0);
}

static void
test_sides (void)
{
  g_autoptr (GError) error = NULL;
  KgVector angles;

  g_assert_true (triangle_get_angles_from_sides (V (2, 3, 4), &angles, &error));
  assert_vector_near (kg_vector_scale (angles, 1 / KG_DEGREE), 28.955024371860, 46.567463442210, 104.477512185930,
                      1e-11);
  assert_near (angles.x + angles.y + angles.z, KG_PI, 1e-14);
  g_assert_true (triangle_get_angles_from_sides (V (3, 4, 5), &angles, &error));
  assert_near (angles.z / KG_DEGREE, 90, 1e-13);
  assert_near (triangle_get_area_from_sides (V (100000, 99999.99979, 0.00029)), 10.0000001, 1e-7);
  g_assert_false (triangle_get_angles_from_sides (V (1, 2, 4), &angles, &error));
  g_assert_nonnull (strstr (error->message, "do not reach"));
  g_clear_error (&error);
  g_assert_false (triangle_get_angles_from_sides (V (1, 0, 1), &angles, &error));
}

/* Every way to give a triangle leads back to its sides. */
static void
test_solve (void)
{
  for (uint64_t i = 0; i < 500; i++) {
    const KgVector corners[3] = { draw (3 * i), draw (3 * i + 1), draw (3 * i + 2) };
    const Triangle t = triangle_new (corners);

    for (int g = 0; g < TRIANGLE_N_GIVENS; g++) {
      g_autoptr (GError) error = NULL;
      KgVector s = t.sides, a = t.angles;
      guint solutions;

      if (g == TRIANGLE_SIDES_ANGLE)
        s.x = a.y = a.z = 0;
      else if (g == TRIANGLE_ANGLES_SIDE)
        s.x = s.y = a.z = 0;
      else if (g == TRIANGLE_ANGLES_FAR)
        s.y = s.z = a.z = 0;
      else if (g == TRIANGLE_SIDES_FAR)
        s.z = a.y = a.z = 0;
      else
        a = V (0, 0, 0);
      g_assert_true (triangle_solve ((TriangleGiven) g, t.angles.y < KG_PI / 2, &s, &a, &solutions, &error));
      g_assert_cmpuint (solutions, <=, 2);
      /* The sine rule loses digits near a right angle, and all of them lose some of a needle. */
      assert_vector_near (s, t.sides.x, t.sides.y, t.sides.z, 1e-6);
      assert_vector_near (a, t.angles.x, t.angles.y, t.angles.z, 1e-6);
    }
  }
}

static void
assert_weights (PolygonWeights kind, const KgVector *corners, size_t n, KgVector point, const double *wanted,
                double tolerance)
{
  double weights[16], sum = 0;
  KgVector blend = { 0, 0, 0 };
  bool inside;

  g_assert_true (polygon_weights_find (kind, corners, n, point, weights, &inside, NULL));
  for (size_t i = 0; i < n; i++) {
    if (wanted != NULL)
      assert_near (weights[i], wanted[i], tolerance);
    sum += weights[i];
    blend = kg_vector_add_scaled (blend, weights[i], corners[i]);
  }
  assert_near (sum, 1, 1e-12);
  assert_vector_near (blend, point.x, point.y, point.z, 1e-11);
}

static void
test_polygon_weights (void)
{
  static const KgVector square[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
  static const KgVector five[] = { { 0, 0, 0 }, { 2, 0, 0 }, { 3, 1, 0 }, { 1, 3, 0 }, { 0, 2, 0 } };
  static const KgVector dented[] = { { 0, 0, 0 }, { 4, 0, 0 }, { 4, 4, 0 }, { 2, 1, 0 }, { 0, 4, 0 } };
  static const double bilinear[] = { 0.56, 0.24, 0.06, 0.14 },
                      sixths[] = { 1.0 / 3, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6 };
  static const double mean[] = { 0.292893218813, 0.207106781187, 0.146446609407, 0.146446609407, 0.207106781187 };
  static const double corner[] = { 0, 0, 1, 0, 0 }, edge[] = { 0, 0.5, 0.5, 0, 0 };
  KgVector turned[5];
  g_autoptr (GError) error = NULL;
  double weights[5];
  bool inside;

  assert_weights (POLYGON_WEIGHTS_WACHSPRESS, square, 4, kg_vector (0.3, 0.2, 0), bilinear, 1e-14);
  assert_weights (POLYGON_WEIGHTS_WACHSPRESS, five, 5, kg_vector (1, 1, 0), sixths, 1e-14);
  assert_weights (POLYGON_WEIGHTS_MEAN_VALUE, five, 5, kg_vector (1, 1, 0), mean, 1e-12);
  for (int kind = 0; kind < POLYGON_WEIGHTS_N; kind++) {
    assert_weights ((PolygonWeights) kind, five, 5, five[2], corner, 0);
    assert_weights ((PolygonWeights) kind, five, 5, kg_vector (2.5, 0.5, 0), edge, 1e-14);
    /* Next to an edge it comes near to what it is on the edge. */
    assert_weights ((PolygonWeights) kind, five, 5, kg_vector (2.5 - 1e-7, 0.5 + 1e-7, 0), edge, 1e-6);
  }
  /* In space, and the other way round. */
  for (size_t i = 0; i < 5; i++)
    turned[i] = kg_rotation_apply (kg_rotation_from_axis_angle (kg_vector (1, 2, 3), 1), five[4 - i]);
  assert_weights (POLYGON_WEIGHTS_WACHSPRESS, turned, 5,
                  kg_rotation_apply (kg_rotation_from_axis_angle (kg_vector (1, 2, 3), 1), kg_vector (1, 1, 0)), NULL,
                  0);
  /* A dent, and a point outside of it. */
  assert_weights (POLYGON_WEIGHTS_MEAN_VALUE, dented, 5, kg_vector (1, 1, 0), NULL, 0);
  assert_weights (POLYGON_WEIGHTS_MEAN_VALUE, dented, 5, kg_vector (2, 3, 0), NULL, 0);
  g_assert_true (
      polygon_weights_find (POLYGON_WEIGHTS_MEAN_VALUE, dented, 5, kg_vector (2, 3, 0), weights, &inside, NULL));
  g_assert_false (inside);
  g_assert_false (
      polygon_weights_find (POLYGON_WEIGHTS_WACHSPRESS, dented, 5, kg_vector (1, 1, 0), weights, &inside, &error));
  g_assert_nonnull (strstr (error->message, "corner 3"));
  g_clear_error (&error);
  g_assert_false (
      polygon_weights_find (POLYGON_WEIGHTS_WACHSPRESS, square, 4, kg_vector (2, 2.5, 0), weights, &inside, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  g_assert_false (
      polygon_weights_find (POLYGON_WEIGHTS_MEAN_VALUE, square, 2, kg_vector (0, 0, 0), weights, &inside, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
}

/* An eighth of all directions from the origin, by the side that it is seen from; nothing from a place on it. */
static void
test_solid_angle (void)
{
  const KgVector octant[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                 turned[] = { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } };

  assert_near (triangle_get_solid_angle (octant, kg_vector (0, 0, 0)), G_PI / 2, 1e-15);
  assert_near (triangle_get_solid_angle (turned, kg_vector (0, 0, 0)), -G_PI / 2, 1e-15);
  g_assert_cmpfloat (triangle_get_solid_angle (octant, kg_vector (0.25, 0.25, 0.5)), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/triangle/solid-angle", test_solid_angle);
  g_test_add_func ("/vectors/70-13-length", test_length);
  g_test_add_func ("/vectors/70-15-angle", test_angle);
  g_test_add_func ("/vectors/70-18-components", test_components);
  g_test_add_func ("/closest-pair/70-26-lines", test_lines);
  g_test_add_func ("/closest-pair/70-27-segments", test_segments);
  g_test_add_func ("/closest-pair/70-27-solids", test_solids);
  g_test_add_func ("/triangle/70-28-measures", test_measures);
  g_test_add_func ("/triangle/70-32-sides", test_sides);
  g_test_add_func ("/triangle/70-32-solve", test_solve);
  g_test_add_func ("/triangle/70-33-weights", test_weights);
  g_test_add_func ("/polygon-weights/70-34", test_polygon_weights);
  return g_test_run ();
}
