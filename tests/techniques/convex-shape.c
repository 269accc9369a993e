/* tests/techniques/convex-shape: distances, depths, contacts and impacts of convex shapes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_shape.h"
#include "shape-test.h"

static const KgRotation no_turn = { 1, 0, 0, 0 };

static KgRotation
turn_about (double x, double y, double z, double degrees)
{
  return kg_rotation_from_axis_angle (kg_vector (x, y, z), degrees * KG_DEGREE);
}

static ConvexShape
new_hull (const KgVector *points, size_t n)
{
  const HullOptions options = { .tolerance = 1e-9 };
  g_auto (ConvexHull) hull = { 0 };

  g_assert_true (convex_hull_find (&hull, points, n, &options, NULL, NULL));
  return convex_shape_hull (&hull, 0);
}

static ConvexShape
new_box_hull (KgVector half)
{
  KgVector points[8];

  for (int i = 0; i < 8; i++)
    points[i] = kg_vector (i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
  return new_hull (points, 8);
}

/* As many shapes as there are kinds, of about the same size. */
static void
fill_shapes (ConvexShape shapes[5])
{
  KgVector points[60];

  for (uint64_t i = 0; i < 60; i++)
    points[i] = kg_random_direction (3, i, 0);
  shapes[0] = convex_shape_ball (0.8);
  shapes[1] = convex_shape_capsule (0.4, 0.7);
  shapes[2] = convex_shape_box (kg_vector (0.5, 0.8, 0.6));
  shapes[3] = new_hull (points, 60);
  shapes[4] = convex_shape_triangle (points, 0);
}

static void
test_axes (void)
{
  const ConvexShape cube = convex_shape_box (kg_vector (1, 1, 1)), half = convex_shape_box (kg_vector (1, 0.5, 0.5));
  const ConvexPlaced a = convex_shape_place (&cube, kg_vector (0, 0, 0), no_turn);
  ConvexPlaced b = convex_shape_place (&cube, kg_vector (2.3, 0, 0), turn_about (0, 0, 1, 45)), c;
  ConvexManifold manifold;
  KgVector axis;
  guint n_axes;

  /* 70-42 */
  assert_near (convex_find_gap (&a, &b, &axis, &n_axes), 2.3 - 1 - sqrt (2), 1e-14);
  b.position.x = 2.5;
  assert_near (convex_find_gap (&a, &b, &axis, &n_axes), 2.5 - 1 - sqrt (2), 1e-14);
  assert_near (convex_find_gap (&b, &a, &axis, &n_axes), 2.5 - 1 - sqrt (2), 1e-14);
  /* Only an edge against an edge separates these. */
  b = convex_shape_place (&cube, kg_vector (0, 0, 0), turn_about (1, 0, 0, 45));
  c = convex_shape_place (&cube, kg_vector (0, 0, 2.85), turn_about (0, 1, 0, 45));
  assert_near (convex_find_gap (&b, &c, &axis, &n_axes), 2.85 - 2 * sqrt (2), 1e-14);
  assert_near (fabs (axis.z), 1, 1e-14);
  g_assert_false (convex_overlap (&b, &c, NULL));
  /* 50-62 */
  b = convex_shape_place (&half, kg_vector (1.8, 0.3, 0), turn_about (0, 0, 1, 45));
  g_assert_true (convex_find_contacts (&a, &b, 0, &manifold));
  assert_near (manifold.depth, 0.260660, 1e-6);
  assert_vector_near (manifold.normal, -1, 0, 0, 1e-14);
  b = convex_shape_place (&cube, kg_vector (0, 0, 0), turn_about (1, 0, 0, 45));
  c = convex_shape_place (&cube, kg_vector (0, 0, 2.7), turn_about (0, 1, 0, 45));
  g_assert_true (convex_find_contacts (&b, &c, 0, &manifold));
  assert_near (manifold.depth, 2 * sqrt (2) - 2.7, 1e-14);
  assert_vector_near (manifold.normal, 0, 0, -1, 1e-14);
  g_assert_true (manifold.edges);
  g_assert_cmpuint (manifold.n, ==, 1);
  assert_vector_near (manifold.contacts[0].point, 0, 0, 1.35, 1e-6);
}

/* A cube that stands on another one, turned: the area in common has eight corners, of which four are kept. */
static void
test_manifold (void)
{
  const ConvexShape cube = convex_shape_box (kg_vector (1, 1, 1));
  g_auto (ConvexShape) hull = new_box_hull (kg_vector (1, 1, 1));
  const ConvexPlaced ground = convex_shape_place (&cube, kg_vector (0, 0, 0), no_turn);

  for (int kind = 0; kind < 2; kind++)
    for (int turned = 0; turned < 2; turned++) {
      const ConvexPlaced on =
          convex_shape_place (kind == 0 ? &cube : &hull, kg_vector (0.1, 1.99, 0), turn_about (0, 1, 0, 45 * turned));
      ConvexManifold manifold;

      g_assert_true (convex_find_contacts (&on, &ground, 0.01, &manifold));
      assert_vector_near (manifold.normal, 0, 1, 0, 1e-12);
      assert_near (manifold.depth, 0.01, 1e-12);
      g_assert_cmpuint (manifold.n, ==, 4);
      for (guint i = 0; i < 4; i++) {
        assert_near (manifold.contacts[i].depth, 0.01, 1e-12);
        assert_near (manifold.contacts[i].point.y, 0.995, 1e-12);
        for (guint k = 0; k < i; k++) {
          g_assert_cmpuint (manifold.contacts[i].id, !=, manifold.contacts[k].id);
          g_assert_cmpfloat (kg_vector_distance (manifold.contacts[i].point, manifold.contacts[k].point), >, 0.5);
        }
      }
    }
  /* Apart, but within the margin: the same from the other side. */
  {
    const ConvexPlaced on = convex_shape_place (&cube, kg_vector (0, 2.05, 0), no_turn);
    ConvexManifold manifold;

    g_assert_false (convex_find_contacts (&ground, &on, 0.01, &manifold));
    g_assert_true (convex_find_contacts (&ground, &on, 0.1, &manifold));
    assert_vector_near (manifold.normal, 0, -1, 0, 1e-12);
    assert_near (manifold.depth, -0.05, 1e-12);
    g_assert_cmpuint (manifold.n, ==, 4);
  }
}

/* Balls and capsules: closed forms. */
static void
test_round (void)
{
  const ConvexShape ball = convex_shape_ball (0.5), large = convex_shape_ball (1),
                    capsule = convex_shape_capsule (0.25, 1);
  const ConvexShape box = convex_shape_box (kg_vector (2, 1, 2));
  const ConvexPlaced a = convex_shape_place (&ball, kg_vector (3, 4, 0), no_turn);
  const ConvexPlaced b = convex_shape_place (&large, kg_vector (0, 0, 0), no_turn);
  const ConvexPlaced lying = convex_shape_place (&capsule, kg_vector (0, 1.2, 0), turn_about (0, 0, 1, 90));
  const ConvexPlaced ground = convex_shape_place (&box, kg_vector (0, 0, 0), no_turn);
  const ConvexPlaced sunk = convex_shape_place (&ball, kg_vector (0, 0.9, 0), no_turn);
  const ConvexPlaced deep = convex_shape_place (&capsule, kg_vector (0.3, 0.5, 0), turn_about (0, 0, 1, 90));
  KgVector on_a, on_b;
  ConvexManifold manifold;

  assert_near (convex_find_distance (&a, &b, &on_a, &on_b), 3.5, 1e-14);
  assert_vector_near (on_b, 0.6, 0.8, 0, 1e-14);
  assert_vector_near (on_a, 2.7, 3.6, 0, 1e-14);
  /* Touching counts. */
  {
    const ConvexPlaced touching = convex_shape_place (&ball, kg_vector (1.5, 0, 0), no_turn);

    g_assert_true (convex_overlap (&touching, &b, NULL));
    g_assert_true (convex_find_contacts (&touching, &b, 0, &manifold));
    assert_near (manifold.depth, 0, 1e-15);
  }
  g_assert_true (convex_find_contacts (&lying, &ground, 0, &manifold));
  g_assert_cmpuint (manifold.n, ==, 2);
  assert_near (manifold.depth, 0.05, 1e-12);
  assert_vector_near (manifold.normal, 0, 1, 0, 1e-12);
  assert_near (fabs (manifold.contacts[0].point.x), 1, 1e-12);
  assert_near (manifold.contacts[0].point.x + manifold.contacts[1].point.x, 0, 1e-12);
  assert_near (manifold.contacts[0].point.y, 0.975, 1e-12);
  /* The core itself is inside. */
  g_assert_true (convex_find_contacts (&sunk, &ground, 0, &manifold));
  g_assert_cmpint (manifold.way, ==, CONVEX_BY_POLYTOPE);
  assert_near (manifold.depth, 0.6, 1e-9);
  assert_vector_near (manifold.normal, 0, 1, 0, 1e-9);
  g_assert_true (convex_find_contacts (&deep, &ground, 0, &manifold));
  assert_near (manifold.depth, 0.75, 1e-9);
  assert_vector_near (manifold.normal, 0, 1, 0, 1e-9);
  g_assert_cmpuint (manifold.n, ==, 2);
  {
    KgVector way;

    assert_near (convex_get_distance_of_point (&ground, kg_vector (0, 3, 0), &way), 2, 1e-14);
    assert_near (convex_get_distance_of_point (&ground, kg_vector (1.9, 0.5, 0), &way), -0.1, 1e-9);
    assert_vector_near (way, 1, 0, 0, 1e-9);
  }
}

/* Any two shapes anywhere: what is found must hold. */
static void
test_random_pairs (void)
{
  ConvexShape shapes[5];
  guint touching = 0;

  fill_shapes (shapes);
  for (uint64_t i = 0; i < 4000; i++) {
    const ConvexShape *sa = &shapes[i % 5], *sb = &shapes[i / 5 % 5];
    const KgRotation ra = kg_rotation_from_axis_angle (kg_random_direction (1, i, 0), 3 * kg_random_uniform (1, i, 5));
    const KgRotation rb = kg_rotation_from_axis_angle (kg_random_direction (2, i, 0), 3 * kg_random_uniform (2, i, 5));
    const ConvexPlaced a =
        convex_shape_place (sa, kg_vector_scale (kg_random_direction (3, i, 0), 2.2 * kg_random_uniform (3, i, 5)), ra);
    const ConvexPlaced b = convex_shape_place (sb, kg_vector (0, 0, 0), rb);
    ConvexManifold manifold, other;
    KgVector on_a, on_b;
    const double distance = convex_find_distance (&a, &b, &on_a, &on_b);
    const bool near = convex_find_contacts (&a, &b, 10, &manifold);
    double low_a, high_a, low_b, high_b;

    g_assert_true (near);
    g_assert_true (convex_overlap (&a, &b, NULL) == (distance == 0));
    assert_near (kg_vector_length (manifold.normal), 1, 1e-9);
    /* The normal separates them by as much. */
    convex_get_interval (&a, manifold.normal, &low_a, &high_a);
    convex_get_interval (&b, manifold.normal, &low_b, &high_b);
    assert_near (high_b - low_a, manifold.depth, 1e-6);
    if (distance > 0) {
      assert_near (manifold.depth, -distance, 1e-7);
      assert_near (kg_vector_distance (on_a, on_b), distance, 1e-9);
    } else {
      /* Moved out by the depth they touch, by less they do not come free. */
      ConvexPlaced out = a;

      touching++;
      g_assert_cmpfloat (manifold.depth, >=, -1e-9);
      out.position = kg_vector_add_scaled (a.position, manifold.depth + 1e-5, manifold.normal);
      g_assert_cmpfloat (convex_find_distance (&out, &b, &on_a, &on_b), >, 0);
      /* Of axes, a face is taken before an edge that is not much better. */
      if (manifold.way == CONVEX_BY_POLYTOPE)
        g_assert_cmpfloat (convex_find_distance (&out, &b, &on_a, &on_b), <, 2e-5);
    }
    /* The other way round. */
    g_assert_true (convex_find_contacts (&b, &a, 10, &other));
    assert_near (other.depth, manifold.depth, 0.021 * fabs (manifold.depth) + 1e-6);
    g_assert_cmpuint (manifold.n, >=, 1);
    g_assert_cmpuint (manifold.n, <=, CONVEX_MAX_CONTACTS);
    for (guint k = 0; k < manifold.n; k++)
      g_assert_true (kg_vector_is_finite (manifold.contacts[k].point));
  }
  g_assert_cmpuint (touching, >, 1000);
  convex_shape_clear (&shapes[3]);
  convex_shape_clear (&shapes[4]);
}

/* The least depth of boxes is that of the best of many directions, and the two ways to it agree. */
static void
test_depth (void)
{
  const ConvexShape box = convex_shape_box (kg_vector (0.5, 0.8, 0.6));
  g_auto (ConvexShape) hull = new_box_hull (kg_vector (0.5, 0.8, 0.6));

  for (uint64_t i = 0; i < 300; i++) {
    const KgRotation turn =
        kg_rotation_from_axis_angle (kg_random_direction (1, i, 0), 3 * kg_random_uniform (1, i, 5));
    const KgVector at = kg_vector_scale (kg_random_direction (3, i, 0), 0.9 * kg_random_uniform (3, i, 5));
    const ConvexPlaced a = convex_shape_place (&box, at, turn),
                       b = convex_shape_place (&box, kg_vector (0, 0, 0), no_turn);
    const ConvexPlaced c = convex_shape_place (&hull, at, turn);
    ConvexManifold of_box, of_hull;
    KgVector axis;
    guint n_axes;

    g_assert_true (convex_find_contacts (&a, &b, 0, &of_box));
    g_assert_true (convex_find_contacts (&c, &b, 0, &of_hull));
    assert_near (of_box.depth, of_hull.depth, 1e-9);
    g_assert_cmpfloat (of_box.depth, <=, -1.03 * convex_find_gap (&a, &b, &axis, &n_axes));
    for (uint64_t k = 0; k < 100; k++) {
      const KgVector d = kg_random_direction (5, i, k);
      double low_a, high_a, low_b, high_b;

      convex_get_interval (&a, d, &low_a, &high_a);
      convex_get_interval (&b, d, &low_b, &high_b);
      g_assert_cmpfloat (of_box.depth / 1.03, <=, high_b - low_a);
    }
  }
}

static void
test_impact (void)
{
  const ConvexShape cube = convex_shape_box (kg_vector (0.5, 0.5, 0.5)), ball = convex_shape_ball (0.05);
  const ConvexShape wall = convex_shape_box (kg_vector (0.005, 5, 5)),
                    rod = convex_shape_box (kg_vector (1, 0.05, 0.05));
  const ConvexPlaced a = convex_shape_place (&cube, kg_vector (0, 0, 0), no_turn);
  const ConvexPlaced b = convex_shape_place (&cube, kg_vector (3, 0.4, 0.2), no_turn);
  const ConvexPlaced turned = convex_shape_place (&cube, kg_vector (0, 0, 0), turn_about (0, 0, 1, 45));
  const ConvexPlaced c = convex_shape_place (&cube, kg_vector (2.5, 0, 0), no_turn);
  const ConvexMotion still = { 0 };
  double t = -1;

  /* 50-106 */
  g_assert_true (convex_find_impact (&a, &(ConvexMotion){ { 4, 0, 0 }, { 0 } }, &b, &still, 1e-9, &t));
  assert_near (t, 0.5, 1e-8);
  g_assert_false (convex_find_impact (&a, &(ConvexMotion){ { 4, 3, 0 }, { 0 } }, &b, &still, 1e-9, &t));
  g_assert_true (convex_find_impact (&turned, &(ConvexMotion){ { 3, 0, 0 }, { 0 } }, &c, &still, 1e-9, &t));
  assert_near (t, (2 - sqrt (0.5)) / 3, 1e-8);
  /* Seen from the other one. */
  g_assert_true (convex_find_impact (&turned, &still, &c, &(ConvexMotion){ { -3, 0, 0 }, { 0 } }, 1e-9, &t));
  assert_near (t, (2 - sqrt (0.5)) / 3, 1e-8);
  /* A fast ball does not pass through a thin wall (50-65). */
  {
    const ConvexPlaced shot = convex_shape_place (&ball, kg_vector (-1, 0, 0), no_turn);
    const ConvexPlaced target = convex_shape_place (&wall, kg_vector (0, 0, 0), no_turn);

    g_assert_true (
        convex_find_impact (&shot, &(ConvexMotion){ { 100.0 / 60, 0, 0 }, { 0 } }, &target, &still, 1e-9, &t));
    assert_near (t, (1 - 0.055) / (100.0 / 60), 1e-8);
  }
  /* A rod that turns about its middle hits a ball above it: when its upper side is as far from it as its radius. */
  {
    const ConvexPlaced turning = convex_shape_place (&rod, kg_vector (0, 0, 0), no_turn);
    const ConvexPlaced above = convex_shape_place (&ball, kg_vector (0, 0.8, 0), no_turn);

    g_assert_true (
        convex_find_impact (&turning, &(ConvexMotion){ { 0 }, { 0, 0, KG_PI / 2 } }, &above, &still, 1e-9, &t));
    assert_near (t, 1 - asin (0.1 / 0.8) / (KG_PI / 2), 1e-8);
  }
  /* Already there. */
  g_assert_true (convex_find_impact (&a, &still, &turned, &still, 1e-9, &t));
  assert_near (t, 0, 0);
}

/* Points, flat and thin things, all at one place. */
static void
test_degenerate (void)
{
  const ConvexShape shapes[] = { convex_shape_ball (0),
                                 convex_shape_capsule (0, 0),
                                 convex_shape_capsule (0, 1),
                                 convex_shape_box (kg_vector (0, 0, 0)),
                                 convex_shape_box (kg_vector (1, 0, 1)),
                                 convex_shape_box (kg_vector (1, 1, 1)) };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint k = 0; k < G_N_ELEMENTS (shapes); k++)
      for (int turned = 0; turned < 3; turned++) {
        const ConvexPlaced a = convex_shape_place (&shapes[i], kg_vector (0, 0, 0), turn_about (1, 2, 3, 20 * turned));
        const ConvexPlaced b = convex_shape_place (&shapes[k], kg_vector (0, 0, 0), no_turn);
        ConvexManifold manifold;
        KgVector on_a, on_b;

        assert_near (convex_find_distance (&a, &b, &on_a, &on_b), 0, 0);
        g_assert_true (convex_find_contacts (&a, &b, 0, &manifold));
        g_assert_cmpfloat (manifold.depth, >=, 0);
        assert_near (kg_vector_length (manifold.normal), 1, 1e-9);
        for (guint j = 0; j < manifold.n; j++)
          g_assert_true (kg_vector_is_finite (manifold.contacts[j].point));
      }
}

/* 70-42: hulls of few points, of some, which are compared eight at a time, and of many, where edges are climbed, all reach as far as
 * the farthest of their points; of several that reach as far the first one is taken, up to where edges are climbed. */
static void
test_supports (void)
{
  for (size_t n = 6; n <= 72; n += 2) {
    g_autofree KgVector *points = g_new (KgVector, n);
    const HullOptions options = { .tolerance = 1e-9 };
    g_auto (ConvexHull) hull = { 0 };
    g_auto (ConvexShape) shape = { 0 };
    ConvexPlaced placed;

    /* A prism: all points of a side reach as far along its axis. */
    for (size_t i = 0; i < n; i++) {
      const double angle = 4 * KG_PI * (double) (i / 2) / (double) n;

      points[i] = kg_vector (cos (angle), sin (angle), i % 2 == 0 ? 0.5 : -0.5);
    }
    g_assert_true (convex_hull_find (&hull, points, n, &options, NULL, NULL));
    g_assert_cmpuint (hull.n_points, ==, n);
    shape = convex_shape_hull (&hull, 0);
    placed = convex_shape_place (&shape, kg_vector (0, 0, 0), no_turn);
    for (uint64_t k = 0; k < 200; k++) {
      /* Along the axis, a hair beside it, where double precision must decide, and anywhere; some too long or short for single. */
      const KgVector random = kg_random_direction (9, k, 0);
      const KgVector d = k < 2    ? kg_vector (0, 0, k == 0 ? 1 : -1)
                         : k < 40 ? kg_vector (1e-9 * random.x, 1e-9 * random.y, 1)
                                  : kg_vector_scale (random, k % 3 == 0   ? 1
                                                             : k % 3 == 1 ? 1e30
                                                                          : 1e-30);
      const KgVector found = convex_get_support (&placed, d);
      KgVector first = hull.points[0];

      for (size_t i = 1; i < n; i++)
        if (kg_vector_dot (hull.points[i], d) > kg_vector_dot (first, d))
          first = hull.points[i];
      g_assert_true (kg_vector_dot (found, d) == kg_vector_dot (first, d));
      g_assert_true (n > 48 || (found.x == first.x && found.y == first.y && found.z == first.z));
    }
  }
}

/* What the balls within and around hulls decide is what the search decides; hulls with their middle far from their position, scaled
 * ones, flat ones and ones with a radius too. */
static void
test_balls (void)
{
  guint n_touching = 0, n_far = 0;

  for (uint64_t i = 0; i < 600; i++) {
    const KgVector shift = kg_vector_scale (kg_random_direction (21, i, 0), i % 3 == 0 ? 5 : 0);
    const bool flat = i % 5 == 4;
    const double scale = i % 2 == 0 ? 1 : 0.4;
    g_auto (ConvexShape) whole = { 0 };
    g_auto (ConvexShape) scaled = { 0 };
    KgVector points[20];
    ConvexPlaced a;

    for (uint64_t k = 0; k < 20; k++) {
      points[k] = kg_vector_add (shift, kg_random_direction (22 + i, k, 0));
      if (flat)
        points[k].z = shift.z;
    }
    whole = new_hull (points, 20);
    whole.radius = i % 7 == 6 ? 0.1 : 0;
    scaled = convex_shape_scale (&whole, scale);
    a = convex_shape_place (&scaled, kg_vector (1, 2, 3), turn_about (1, 2, 3, (double) i));
    for (uint64_t k = 0; k < 20; k++) {
      const KgRotation turn =
          kg_rotation_from_axis_angle (kg_random_direction (31, k, 0), 3 * kg_random_uniform (31, k, 5));
      const KgVector from = kg_vector_add (convex_get_middle (&a), kg_vector_scale (kg_random_direction (32 + i, k, 0),
                                                                                    3 * kg_random_uniform (i, k, 6)));
      const KgVector middle = kg_rotation_apply (turn, kg_vector_scale (shift, scale));
      const ConvexPlaced b = convex_shape_place (&scaled, kg_vector_subtract (from, middle), turn);
      KgVector on_a, on_b, axis = { 0, 0, 0 };
      const double distance = convex_find_distance (&a, &b, &on_a, &on_b);
      const bool touching = convex_overlap (&a, &b, &axis);
      ConvexManifold manifold;
      double low_a, high_a, low_b, high_b;

      g_assert_true (touching == (distance == 0));
      g_assert_true (convex_find_contacts (&a, &b, 0, &manifold) == touching);
      n_touching += touching;
      if (touching)
        continue;
      n_far += distance > 1;
      /* The axis separates them, and the depth is a bound of the distance that holds along the normal. */
      axis = kg_vector_normalize_or (axis, kg_vector (0, 0, 0));
      convex_get_interval (&a, axis, &low_a, &high_a);
      convex_get_interval (&b, axis, &low_b, &high_b);
      g_assert_cmpfloat (low_a, >=, high_b - 1e-9);
      g_assert_cmpfloat (manifold.depth, <, 0);
      g_assert_cmpfloat (-manifold.depth, <=, distance + 1e-9);
      convex_get_interval (&a, manifold.normal, &low_a, &high_a);
      convex_get_interval (&b, manifold.normal, &low_b, &high_b);
      g_assert_cmpfloat (low_a - high_b, >=, -manifold.depth - 1e-9);
    }
  }
  g_assert_cmpuint (n_touching, >, 2000);
  g_assert_cmpuint (n_far, >, 1000);
}

/* Pairs that no balls decide: the answer, from any first direction, is that of the distance; many overlap and many do not. */
static void
test_near_pairs (void)
{
  ConvexShape shapes[5];
  guint n_touching = 0, n = 0;

  fill_shapes (shapes);
  convex_shape_clear (&shapes[4]);
  {
    KgVector points[32];

    for (uint64_t i = 0; i < 32; i++)
      points[i] = kg_random_direction (3, i, 0);
    shapes[4] = new_hull (points, 32);
  }
  for (uint64_t i = 0; i < 12000; i++) {
    const ConvexShape *sa = &shapes[i % 5], *sb = &shapes[i / 5 % 5];
    const KgRotation ra =
        kg_rotation_from_axis_angle (kg_random_direction (41, i, 0), 3 * kg_random_uniform (41, i, 5));
    const KgRotation rb =
        kg_rotation_from_axis_angle (kg_random_direction (42, i, 0), 3 * kg_random_uniform (42, i, 5));
    const double apart = (sa->kind == CONVEX_HULL ? 0.9 : 0.7) + (sb->kind == CONVEX_HULL ? 0.9 : 0.7);
    const KgVector at =
        kg_vector_scale (kg_random_direction (43, i, 0), apart * (0.85 + 0.25 * kg_random_uniform (43, i, 5)));
    const ConvexPlaced a = convex_shape_place (sa, at, ra), b = convex_shape_place (sb, kg_vector (0, 0, 0), rb);
    KgVector on_a, on_b, axis = kg_random_direction (44, i, 0);
    const bool touching = convex_find_distance (&a, &b, &on_a, &on_b) == 0;

    g_assert_true (convex_overlap (&a, &b, NULL) == touching);
    g_assert_true (convex_overlap (&a, &b, &axis) == touching);
    g_assert_true (convex_overlap (&b, &a, NULL) == touching);
    n_touching += touching;
    n++;
  }
  g_assert_cmpuint (n_touching, >, n / 4);
  g_assert_cmpuint (n_touching, <, 3 * n / 4);
  convex_shape_clear (&shapes[3]);
  convex_shape_clear (&shapes[4]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/convex-shape/70-42-axes", test_axes);
  g_test_add_func ("/convex-shape/70-42-near-pairs", test_near_pairs);
  g_test_add_func ("/convex-shape/70-42-supports", test_supports);
  g_test_add_func ("/convex-shape/50-62-manifold", test_manifold);
  g_test_add_func ("/convex-shape/50-62-round", test_round);
  g_test_add_func ("/convex-shape/I-5-random-pairs", test_random_pairs);
  g_test_add_func ("/convex-shape/70-42-balls", test_balls);
  g_test_add_func ("/convex-shape/I-5-depth", test_depth);
  g_test_add_func ("/convex-shape/50-64-impact", test_impact);
  g_test_add_func ("/convex-shape/degenerate", test_degenerate);
  return g_test_run ();
}
