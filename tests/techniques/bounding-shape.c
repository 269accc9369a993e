/* tests/techniques/bounding-shape: spheres, slabs and boxes around points, against published figures.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-random.h"
#include "geometry/bounding_shape.h"
#include "shape-test.h"

static const KgVector five[] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 3, 0 }, { 0, 0, 2 }, { 3, 3, 1 } };

static void
assert_contains (const BoundingSphere *sphere, const KgVector *points, size_t n)
{
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat (kg_vector_distance (points[i], sphere->center), <=, sphere->radius * (1 + 1e-12));
}

static void
test_quick (void)
{
  const BoundingSphere sphere = bounding_sphere_find_quick (five, 5), before = bounding_sphere_find_quick (five, 4);
  KgVector cube[8];

  assert_vector_near (before.center, 1.5547002, 0.6679497, 0, 1e-7);
  assert_near (before.radius, 2.80277563773199, 1e-13);
  assert_vector_near (sphere.center, 1.58374986, 0.71482252, 0.02009940, 1e-8);
  assert_near (sphere.radius, 2.86146916061657, 1e-13);
  for (int i = 0; i < 8; i++)
    cube[i] = kg_vector (i & 4 ? 1 : -1, i & 2 ? 1 : -1, i & 1 ? 1 : -1);
  assert_near (bounding_sphere_find_quick (cube, 8).radius, 2.34167442807945, 1e-13);
}

static void
test_smallest (void)
{
  const KgVector tetrahedron[] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
  const KgVector right[] = { { 0, 0, 0 }, { 3, 0, 0 }, { 0, 4, 0 } },
                 obtuse[] = { { -2, 0, 0 }, { 2, 0, 0 }, { 0, 0.5, 0 } };
  const KgVector sharp[] = { { -1, 0, 0 }, { 1, 0, 0 }, { 0, 1.2, 0 } };
  KgVector cube[27];
  BoundingSphere sphere = bounding_sphere_find_smallest (five, 5);

  assert_near (sphere.radius, 2.58066581826740, 1e-13);
  assert_vector_near (sphere.center, 1.70491803, 1.10655738, 0.40983607, 1e-8);
  g_assert_cmpuint (sphere.n_support, ==, 3);
  assert_near (bounding_sphere_find_smallest (tetrahedron, 4).radius, 2 * sqrt (2) * sqrt (6) / 4, 1e-13);
  assert_near (bounding_sphere_find_smallest (right, 3).radius, 2.5, 1e-13);
  assert_near (bounding_sphere_find_smallest (obtuse, 3).radius, 2, 1e-13);
  sphere = bounding_sphere_find_smallest (sharp, 3);
  assert_near (sphere.radius, 61.0 / 60, 1e-13);
  assert_vector_near (sphere.center, 0, 11.0 / 60, 0, 1e-13);
  for (int i = 0; i < 27; i++)
    cube[i] = kg_vector (i / 9, i / 3 % 3, i % 3);
  assert_near (bounding_sphere_find_smallest (cube, 27).radius, sqrt (3), 1e-13);
  /* Any points, in any order; never larger than the quick one. */
  for (uint64_t k = 0; k < 200; k++) {
    KgVector points[50], back[50];
    const size_t n = 1 + k % 50;
    BoundingSphere quick, smallest;

    for (uint64_t i = 0; i < n; i++) {
      points[i] = kg_vector (kg_random_signed (k, i, 0), kg_random_signed (k, i, 1),
                             k % 3 == 0 ? 0 : kg_random_signed (k, i, 2));
      back[n - 1 - i] = points[i];
    }
    quick = bounding_sphere_find_quick (points, n);
    smallest = bounding_sphere_find_smallest (points, n);
    assert_contains (&quick, points, n);
    assert_contains (&smallest, points, n);
    g_assert_cmpfloat (smallest.radius, <=, quick.radius * (1 + 1e-12));
    assert_near (bounding_sphere_find_smallest (back, n).radius, smallest.radius, 1e-12);
  }
}

static void
turn_box (KgVector points[8])
{
  const KgRotation y = kg_rotation_from_axis_angle (kg_vector (0, 1, 0), 35 * KG_DEGREE);
  const KgRotation z = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), 20 * KG_DEGREE);

  for (int i = 0; i < 8; i++)
    points[i] = kg_rotation_apply (kg_rotation_multiply (z, y),
                                   kg_vector (i & 1 ? 0.5 : -0.5, i & 2 ? 1 : -1, i & 4 ? 1.5 : -1.5));
}

static void
test_slabs (void)
{
  static const struct {
    guint sides;
    double volume;
  } known[] = { { 6, 25.5778 }, { 14, 14.7204 }, { 18, 15.4112 }, { 26, 12.7324157313 } };
  const KgVector triangle[] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 3, 0 } }, across = { 1, 2, 2 };
  KgVector points[8], directions[13];
  double low[13], high[13];

  bounding_slabs_find (triangle, 3, &across, 1, low, high);
  assert_near (low[0], 0, 0);
  assert_near (high[0], 6, 0);
  turn_box (points);
  for (guint k = 0; k < G_N_ELEMENTS (known); k++) {
    const size_t n = bounding_slabs_get_directions (known[k].sides, directions);
    g_auto (ConvexHull) hull = { 0 };
    g_autoptr (GError) error = NULL;

    g_assert_cmpuint (2 * n, ==, known[k].sides);
    bounding_slabs_find (points, 8, directions, n, low, high);
    g_assert_true (bounding_slabs_make_hull (directions, low, high, n, &hull, &error));
    assert_near (convex_hull_get_volume (&hull), known[k].volume, 6e-5);
  }
  /* Regular polygons around a disc. */
  for (guint sides = 8; sides <= 16; sides += 8) {
    KgVector around[9];
    g_auto (ConvexHull) hull = { 0 };

    for (guint i = 0; i < sides / 2; i++) {
      around[i] = kg_vector (cos (i * 2 * KG_PI / sides), sin (i * 2 * KG_PI / sides), 0);
      low[i] = -1;
      high[i] = 1;
    }
    around[sides / 2] = kg_vector (0, 0, 1);
    low[sides / 2] = 0;
    high[sides / 2] = 1;
    g_assert_true (bounding_slabs_make_hull (around, low, high, sides / 2 + 1, &hull, NULL));
    assert_near (convex_hull_get_volume (&hull), sides * tan (KG_PI / sides), 1e-12);
  }
}

static void
test_oriented (void)
{
  const HullOptions options = { .tolerance = 1e-9 };
  KgVector points[8], cube[8];
  g_auto (ConvexHull) hull = { 0 }, turned = { 0 };

  turn_box (points);
  g_assert_true (convex_hull_find (&hull, points, 8, &options, NULL, NULL));
  for (int exact = 0; exact < 2; exact++) {
    const OrientedBox box = oriented_box_find (&hull, exact != 0, NULL);

    assert_vector_near (box.half, 1.5, 1, 0.5, 1e-12);
    assert_near (oriented_box_get_volume (&box), 6, 1e-12);
    assert_vector_near (box.center, 0, 0, 0, 1e-12);
    assert_near (kg_vector_dot (kg_vector_cross (box.axes[0], box.axes[1]), box.axes[2]), 1, 1e-12);
  }
  /* All axes are principal: only the faces decide. */
  for (int i = 0; i < 8; i++)
    cube[i] = kg_rotation_apply (kg_rotation_from_axis_angle (kg_vector (0, 0, 1), KG_PI / 4),
                                 kg_vector (i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5));
  g_assert_true (convex_hull_find (&turned, cube, 8, &options, NULL, NULL));
  {
    const OrientedBox box = oriented_box_find (&turned, true, NULL);

    assert_near (oriented_box_get_volume (&box), 1, 1e-12);
  }
}

/* Against all boxes that are flush with a face, found the slow way. */
static double
get_flush_volume (const ConvexHull *hull)
{
  double best = INFINITY;

  for (size_t face = 0; face < hull->n_faces; face++) {
    double distance;
    const KgVector normal = convex_hull_get_plane (hull, face, &distance);

    for (size_t other = 0; other < hull->n_faces; other++)
      for (uint32_t k = hull->first[other]; k < hull->first[other + 1]; k++) {
        const uint32_t end = k + 1 < hull->first[other + 1] ? k + 1 : hull->first[other];
        const KgVector edge = kg_vector_subtract (hull->points[hull->corners[end]], hull->points[hull->corners[k]]);
        const KgVector flat = kg_vector_add_scaled (edge, -kg_vector_dot (edge, normal), normal);
        double low[3], high[3];
        KgVector axes[3] = { normal };

        if (!(kg_vector_length (flat) > 1e-9))
          continue;
        axes[1] = kg_vector_normalize_or (flat, normal);
        axes[2] = kg_vector_cross (normal, axes[1]);
        bounding_slabs_find (hull->points, hull->n_points, axes, 3, low, high);
        best = fmin (best, (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]));
      }
  }
  return best;
}

static void
test_exact_box (void)
{
  const HullOptions options = { .tolerance = 1e-9 };

  for (guint round = 0; round < 6; round++) {
    const size_t n = 5 + 9 * round;
    g_autofree KgVector *points = g_new (KgVector, n);
    g_auto (ConvexHull) hull = { 0 };
    OrientedBox box;

    /* Prisms, too, whose edges along the view are one corner of the outline. */
    for (size_t i = 0; i < n; i++) {
      points[i] = kg_random_direction (round, i, 0);
      points[i].z = round % 2 == 1 ? (i % 2 == 0 ? 0.3 : -0.3) : 0.5 * points[i].z;
      if (round % 2 == 1 && i % 2 == 1)
        points[i] = kg_vector (points[i - 1].x, points[i - 1].y, points[i].z);
      points[i] = kg_rotation_apply (kg_rotation_from_axis_angle (kg_vector (1, 2, 3), round), points[i]);
    }
    g_assert_true (convex_hull_find (&hull, points, n, &options, NULL, NULL));
    box = oriented_box_find (&hull, true, NULL);
    g_assert_cmpfloat (oriented_box_get_volume (&box), <=, get_flush_volume (&hull) * (1 + 1e-8));
    for (size_t i = 0; i < n; i++)
      for (int c = 0; c < 3; c++)
        g_assert_cmpfloat (fabs (kg_vector_dot (kg_vector_subtract (points[i], box.center), box.axes[c])), <=,
                           kg_vector_get (box.half, (size_t) c) + 1e-12);
  }
}

/* A box is held by the edges along its longest side; points of a capsule give it back; none is smaller than needed. */
static void
test_capsule (void)
{
  const HullOptions options = { .tolerance = 1e-9 };
  const KgVector line[] = { { 1, 2, 3 }, { 4, 6, 3 }, { 2.5, 4, 3 } };
  const KgRotation turn = kg_rotation_from_axis_angle (kg_vector (1, 2, 3), 0.7);
  KgVector points[8], around[400];
  g_auto (ConvexHull) box_hull = { 0 }, round_hull = { 0 }, line_hull = { 0 };
  BoundingCapsule capsule;
  OrientedBox box;

  turn_box (points);
  g_assert_true (convex_hull_find (&box_hull, points, 8, &options, NULL, NULL));
  box = oriented_box_find (&box_hull, true, NULL);
  capsule = bounding_capsule_find (&box_hull, &box);
  assert_near (capsule.radius, sqrt (0.25 + 1), 1e-12);
  assert_near (kg_vector_distance (capsule.ends[0], capsule.ends[1]), 3, 1e-12);
  assert_near (bounding_capsule_get_volume (&capsule), KG_PI * 1.25 * (3 + 4.0 / 3 * sqrt (1.25)), 1e-11);
  for (uint64_t i = 0; i < 400; i++) {
    /* Four rings at the ends of the tube, and points of both caps. */
    const KgVector d = i < 100
                           ? kg_vector (0, cos (0.0628318530717958 * (double) i), sin (0.0628318530717958 * (double) i))
                           : kg_random_direction (2, i, 0);
    const double end = i < 100 ? (i % 2 ? 2 : -2) : d.x > 0 ? 2 : -2;

    around[i] = kg_rotation_apply (turn, kg_vector_add (kg_vector (end, 0, 0), d));
  }
  around[398] = kg_rotation_apply (turn, kg_vector (3, 0, 0));
  around[399] = kg_rotation_apply (turn, kg_vector (-3, 0, 0));
  g_assert_true (convex_hull_find (&round_hull, around, 400, &options, NULL, NULL));
  /* (Along the known axis; that of the best box differs a little.) */
  box = (OrientedBox){ .axes = { kg_rotation_apply (turn, kg_vector (1, 0, 0)),
                                 kg_rotation_apply (turn, kg_vector (0, 1, 0)),
                                 kg_rotation_apply (turn, kg_vector (0, 0, 1)) } };
  capsule = bounding_capsule_find (&round_hull, &box);
  assert_near (capsule.radius, 1, 1e-9);
  assert_near (kg_vector_distance (capsule.ends[0], capsule.ends[1]), 4, 1e-9);
  /* All points are within the radius of the segment. */
  for (size_t i = 0; i < 400; i++) {
    const KgVector way = kg_vector_subtract (capsule.ends[1], capsule.ends[0]),
                   d = kg_vector_subtract (around[i], capsule.ends[0]);
    const double t = kg_clamp (kg_vector_dot (d, way) / kg_vector_dot (way, way), 0, 1);

    g_assert_cmpfloat (kg_vector_distance (d, kg_vector_scale (way, t)), <=, capsule.radius * (1 + 1e-9));
  }
  g_assert_true (convex_hull_find (&line_hull, line, 3, &options, NULL, NULL));
  box = oriented_box_find (&line_hull, true, NULL);
  capsule = bounding_capsule_find (&line_hull, &box);
  assert_near (capsule.radius, 0, 1e-12);
  assert_near (kg_vector_distance (capsule.ends[0], capsule.ends[1]), 5, 1e-12);
}

static void
test_bad_input (void)
{
  const KgVector same[] = { { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 } }, line[] = { { 0, 0, 0 }, { 1, 2, 2 }, { 2, 4, 4 } };
  const KgVector flat[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } }, zero[] = { { 1, 0, 0 }, { 0, 0, 0 } };
  const double low[] = { 0, 0, 0 }, high[] = { 1, 1, 1 };
  const HullOptions options = { .tolerance = 1e-9 };
  g_auto (ConvexHull) hull = { 0 }, none = { 0 };
  g_autoptr (GError) error = NULL;
  OrientedBox box;

  assert_near (bounding_sphere_find_smallest (same, 3).radius, 0, 0);
  assert_near (bounding_sphere_find_quick (same, 3).radius, 0, 0);
  assert_near (bounding_sphere_find_smallest (line, 3).radius, 3, 1e-14);
  g_assert_true (convex_hull_find (&hull, line, 3, &options, NULL, NULL));
  box = oriented_box_find (&hull, true, NULL);
  assert_vector_near (box.half, 3, 0, 0, 1e-12);
  /* Slabs of a single place, in all directions. */
  for (guint sides = 6; sides <= 26; sides += 4)
    if (sides != 10 && sides != 22) {
      KgVector directions[13];
      double from[13], to[13];
      const size_t n = bounding_slabs_get_directions (sides, directions);
      g_auto (ConvexHull) point = { 0 };

      bounding_slabs_find (same, 3, directions, n, from, to);
      g_assert_true (bounding_slabs_make_hull (directions, from, to, n, &point, &error));
      g_assert_cmpint (point.dimension, ==, 0);
    }
  g_assert_false (bounding_slabs_make_hull (flat, low, high, 3, &none, &error));
  g_assert_nonnull (strstr (error->message, "add a direction across"));
  g_clear_error (&error);
  g_assert_false (bounding_slabs_make_hull (zero, low, high, 2, &none, &error));
  g_assert_nonnull (strstr (error->message, "direction 1"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bounding-shape/70-39-quick-sphere", test_quick);
  g_test_add_func ("/bounding-shape/70-40-smallest-sphere", test_smallest);
  g_test_add_func ("/bounding-shape/70-37-70-38-slabs", test_slabs);
  g_test_add_func ("/bounding-shape/70-41-oriented-box", test_oriented);
  g_test_add_func ("/bounding-shape/70-41-exact-box", test_exact_box);
  g_test_add_func ("/bounding-shape/70-35-capsule", test_capsule);
  g_test_add_func ("/bounding-shape/bad-input", test_bad_input);
  return g_test_run ();
}
