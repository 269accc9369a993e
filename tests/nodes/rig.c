/* tests/nodes/rig: inverse kinematics against the law of cosines, reach, and limits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-random.h"
#include "node-test.h"

static void
test_two_bone (void)
{
  NodeTest test = node_test_new ();
  KgVector elbow, other;

  /* 3-4-5: the angle between the bones is a right one. */
  node_test_add (&test, "rig/ik_two_bone", "arm", "length_a", "3", "length_b", "4", "goal", "[5, 0, 0]", "pole",
                 "[0, 9, 0]", NULL);
  assert_near (node_test_number (&test, "arm.angle_elbow", 0), 90, 1e-9);
  elbow = node_test_vector (&test, "arm.elbow", 0);
  assert_vector_near (elbow, 1.8, 2.4, 0, 1e-12);
  node_test_set (&test, "arm", "solution", "\"away\"");
  other = node_test_vector (&test, "arm.elbow", 0);
  assert_vector_near (other, 1.8, -2.4, 0, 1e-12);
  assert_near (node_test_number (&test, "arm.residual", 0), 0, 1e-12);
  /* The skeleton says the same as the points. */
  {
    g_auto (KgValue) value = node_test_get (&test, "arm.skeleton", 0);
    KgTransform world[3];

    kg_skeleton_get_world (value.skeleton, world);
    assert_near (world[1].m[1][3], -2.4, 1e-12);
    assert_near (world[2].m[0][3], 5, 1e-12);
    assert_near (world[2].m[1][3], 0, 1e-12);
  }
  /* Out of reach: straight. */
  node_test_set (&test, "arm", "goal", "[0, 0, 10]");
  assert_vector_near (node_test_vector (&test, "arm.end", 0), 0, 0, 7, 1e-12);
  assert_near (node_test_number (&test, "arm.residual", 0), 3, 1e-12);
  assert_near (node_test_number (&test, "arm.angle_elbow", 0), 180, 1e-5);
  /* Too near: folded; and the goal at the root. */
  node_test_set (&test, "arm", "goal", "[0.1, 0, 0]");
  assert_vector_near (node_test_vector (&test, "arm.end", 0), 1, 0, 0, 1e-12);
  node_test_set (&test, "arm", "goal", "[0, 0, 0]");
  assert_near (kg_vector_length (node_test_vector (&test, "arm.end", 0)), 1, 1e-12);
  /* No bones at all. */
  node_test_set (&test, "arm", "length_a", "0");
  node_test_set (&test, "arm", "length_b", "0");
  assert_near (kg_vector_length (node_test_vector (&test, "arm.end", 0)), 0, 1e-12);
  node_test_clear (&test);
}

static const char *const methods[] = { "\"damped-least-squares\"", "\"ccd\"", "\"fabrik\"" };

static void
test_reach (void)
{
  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n0.8\\n0.7\\n0.5\"", NULL);
    node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "method", methods[m],
                   "tolerance", "1e-5", "max_iterations", "2000", NULL);
    for (int i = 0; i < 25; i++) {
      /* Goals all around, at most 2.7 away (the chain reaches 3). */
      const double a = 2.4 * i, r = 0.3 + 0.1 * i, z = 0.6 * sin (5.0 * i);
      const double flat = sqrt (r * r - fmin (r * r, z * z) * 0.5);
      g_autofree char *goal =
          g_strdup_printf ("[%.17g, %.17g, %.17g]", flat * cos (a), flat * sin (a), 0.5 * r * sin (5.0 * i));

      node_test_set (&test, "ik", "goal", goal);
      g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <, 1e-4);
    }
    /* Straight ahead, straight behind, at the root. */
    for (int i = 0; i < 3; i++) {
      static const char *const goals[] = { "[2, 0, 0]", "[-2, 0, 0]", "[0, 0, 0]" };

      node_test_set (&test, "ik", "goal", goals[i]);
      g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <, 1e-3);
    }
    /* Out of reach: straight towards it. */
    node_test_set (&test, "ik", "goal", "[0, 7, 0]");
    assert_near (node_test_number (&test, "ik.residual", 0), 4, 1e-9);
    node_test_clear (&test);
  }
}

/* Bones keep their lengths, and hinges with limits keep to them. */
static void
test_limits (void)
{
  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    NodeTest test = node_test_new ();
    g_auto (KgValue) value = KG_VALUE_INIT;
    KgTransform world[4];

    node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n1\\n1\"", "hinge", "true", "low", "-40", "high", "40",
                   NULL);
    node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "method", methods[m], "goal",
                   "[0.4, 1.5, 0.8]", NULL);
    value = node_test_get (&test, "ik.posed", 0);
    kg_skeleton_get_world (value.skeleton, world);
    for (guint i = 0; i < 3; i++) {
      const KgRotation q = kg_skeleton_get_rotation (value.skeleton, i);

      g_assert_cmpfloat (fabs (2 * atan2 (q.z, q.w)), <=, 40 * KG_DEGREE + 1e-9);
      assert_near (q.x, 0, 1e-12);
      assert_near (q.y, 0, 1e-12);
      assert_near (hypot (world[i + 1].m[0][3] - world[i].m[0][3], world[i + 1].m[1][3] - world[i].m[1][3]), 1, 1e-9);
    }
    g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), >, 0.5);
    node_test_clear (&test);
  }
}

/* Hinges turned by hand: two right angles of 3 and 4 m lead to (-4, 3), as forward kinematics in the plane does. */
static void
test_pose (void)
{
  NodeTest test = node_test_new ();
  KgTransform identity = kg_transform_identity ();

  node_test_add (&test, "rig/chain", "chain", "lengths", "\"3\\n4\"", "root", "[1, 2, 0]", NULL);
  node_test_add (&test, "rig/pose", "pose", "skeleton", "{\"link\": \"chain.skeleton\"}", "joint", "\"joint1\"",
                 "angles", "[0, 0, 90]", NULL);
  node_test_add (&test, "rig/pose", "second", "skeleton", "{\"link\": \"pose.posed\"}", "joint", "\"joint2\"", "angles",
                 "[0, 0, 90]", NULL);
  node_test_add (&test, "rig/joint_transform", "where", "skeleton", "{\"link\": \"second.posed\"}", NULL);
  assert_vector_near (node_test_vector (&test, "where.position", 0), 1 - 4, 2 + 3, 0, 1e-12);
  /* The way from rest takes the end at rest, (8, 2), to where it is now. */
  node_test_set (&test, "where", "from_rest", "true");
  {
    g_auto (KgValue) value = node_test_get (&test, "where.transform", 0);

    assert_vector_near (kg_transform_point (*value.transform, kg_vector (8, 2, 0)), -3, 5, 0, 1e-12);
  }
  /* At rest it is nothing. */
  node_test_set (&test, "where", "skeleton", "{\"link\": \"chain.skeleton\"}");
  {
    g_auto (KgValue) value = node_test_get (&test, "where.transform", 0);

    for (int i = 0; i < 16; i++)
      assert_near (value.transform->m[i / 4][i % 4], identity.m[i / 4][i % 4], 1e-12);
  }
  /* Adding, limits, and names that are not there. */
  node_test_set (&test, "second", "joint", "\"joint1\"");
  node_test_set (&test, "second", "add", "true");
  node_test_set (&test, "where", "skeleton", "{\"link\": \"second.posed\"}");
  assert_vector_near (node_test_vector (&test, "where.position", 0), 1 - 7, 2, 0, 1e-12);
  node_test_set (&test, "chain", "low", "-45");
  node_test_set (&test, "chain", "high", "45");
  assert_vector_near (node_test_vector (&test, "where.position", 0), 1 + 7 * sqrt (0.5), 2 + 7 * sqrt (0.5), 0, 1e-12);
  node_test_set (&test, "second", "limit", "false");
  assert_vector_near (node_test_vector (&test, "where.position", 0), 1 - 7 * sqrt (0.5), 2 + 7 * sqrt (0.5), 0, 1e-12);
  node_test_set (&test, "second", "joint", "\"nose\"");
  node_test_fails (&test, "second.posed", KG_ERROR_UNKNOWN_NAME);
  node_test_clear (&test);
}

/* Goals that a random pose reaches are reachable: every method finds a pose for each, and says the truth about it. */
static void
test_reachable (void)
{
  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n0.7\\n0.9\\n0.4\\n0.6\"", "root", "[0.5, -1, 2]",
                   NULL);
    node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "method", methods[m],
                   "tolerance", "1e-6", "max_iterations", "3000", NULL);
    for (uint64_t i = 0; i < 40; i++) {
      static const double lengths[] = { 1, 0.7, 0.9, 0.4, 0.6 };
      KgVector goal = { 0.5, -1, 2 }, end;
      g_autofree char *text = NULL;

      for (uint64_t k = 0; k < 5; k++)
        goal = kg_vector_add_scaled (goal, lengths[k], kg_random_direction (7, i, k));
      text = g_strdup_printf ("[%.17g, %.17g, %.17g]", goal.x, goal.y, goal.z);
      node_test_set (&test, "ik", "goal", text);
      end = node_test_vector (&test, "ik.end", 0);
      g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-6);
      assert_near (node_test_number (&test, "ik.residual", 0), kg_vector_distance (end, goal), 1e-12);
    }
    node_test_clear (&test);
  }
}

/* The bones keep their lengths and the end is where the node says, also of long chains: rounding does not add up. */
static void
test_long (void)
{
  g_autoptr (GString) lengths = g_string_new ("\"");
  /* Names of joints are interned, and GLib lets go of its table when it grows beyond 2048: a leak to its checker. */
  const guint bones = 1200;

  for (guint i = 0; i < bones; i++)
    g_string_append (lengths, i == 0 ? "0.1" : "\\n0.1");
  g_string_append_c (lengths, '"');
  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    NodeTest test = node_test_new ();
    g_autofree KgTransform *world = g_new (KgTransform, bones + 1);

    node_test_add (&test, "rig/chain", "chain", "lengths", lengths->str, NULL);
    node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "method", methods[m], "goal",
                   "[30, 50, 20]", NULL);
    {
      g_auto (KgValue) value = node_test_get (&test, "ik.posed", 0);
      const KgVector end = node_test_vector (&test, "ik.end", 0);

      kg_skeleton_get_world (value.skeleton, world);
      /* 1200 products of matrices and of quaternions: each errs by some 1e-16 of 120 m. */
      assert_vector_near (end, world[bones].m[0][3], world[bones].m[1][3], world[bones].m[2][3], 1e-8);
      for (guint i = 1; i <= bones; i++)
        assert_near (kg_vector_distance (kg_transform_get_place (&world[i]),
                                         kg_vector (world[i - 1].m[0][3], world[i - 1].m[1][3], world[i - 1].m[2][3])),
                     0.1, 1e-9);
    }
    node_test_clear (&test);
  }
}

static KgRotation
get_end_rotation (NodeTest *test, const char *target)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  KgTransform world[16];
  const guint n = kg_skeleton_get_n_joints (value.skeleton);

  g_assert_cmpuint (n, <=, G_N_ELEMENTS (world));
  kg_skeleton_get_world (value.skeleton, world);
  return kg_rotation_from_transform (world[n - 1]);
}

/* The angle between two orientations, in degrees. */
static double
get_angle_between (KgRotation a, KgRotation b)
{
  const KgRotation q = kg_rotation_multiply (a, kg_rotation_conjugate (b));

  return 2 * atan2 (sqrt (q.x * q.x + q.y * q.y + q.z * q.z), fabs (q.w)) / KG_DEGREE;
}

static void
set_rotation (NodeTest *test, const char *name, const char *slot, KgRotation q)
{
  g_autofree char *text = g_strdup_printf ("[%.17g, %.17g, %.17g, %.17g]", q.w, q.x, q.y, q.z);

  node_test_set (test, name, slot, text);
}

/* Place and orientation of a random pose can be reached together: by a chain whose hand turns freely and by
 * one whose hand is stiff, so that the last bone has to point the right way. */
static void
test_orientation (void)
{
  for (int stiff = 0; stiff < 2; stiff++) {
    NodeTest test = node_test_new ();
    guint n_found = 0;

    node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n0.8\\n0.5\\n0.3\"", "root", "[0.5, -1, 2]", NULL);
    if (stiff) {
      node_test_set (&test, "chain", "lows", "[-180, -180, -180, -180, 0]");
      node_test_set (&test, "chain", "highs", "[180, 180, 180, 180, 0]");
    }
    node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "tolerance", "1e-7",
                   "tolerance_angle", "1e-5", "orientation_weight", "1", "max_iterations", "200", NULL);
    for (uint64_t i = 0; i < 40; i++) {
      static const double lengths[] = { 1, 0.8, 0.5, 0.3 };
      KgRotation frame = kg_rotation_identity ();
      KgVector goal = { 0.5, -1, 2 };
      g_autofree char *text = NULL;

      for (uint64_t k = 0; k < 4; k++) {
        frame = kg_rotation_multiply (
            frame, kg_rotation_from_axis_angle (kg_random_direction (11, i, k), kg_random_uniform (12, i, k) * 2));
        goal = kg_vector_add (goal, kg_rotation_apply (frame, kg_vector (lengths[k], 0, 0)));
      }
      text = g_strdup_printf ("[%.17g, %.17g, %.17g]", goal.x, goal.y, goal.z);
      node_test_set (&test, "ik", "goal", text);
      set_rotation (&test, "ik", "orientation", frame);
      /* What it says is so. */
      assert_near (node_test_number (&test, "ik.residual", 0),
                   kg_vector_distance (node_test_vector (&test, "ik.end", 0), goal), 1e-12);
      assert_near (node_test_number (&test, "ik.residual_angle", 0),
                   get_angle_between (get_end_rotation (&test, "ik.posed"), frame), 1e-5);
      n_found += node_test_number (&test, "ik.residual", 0) <= 1e-7 &&
                 node_test_number (&test, "ik.residual_angle", 0) <= 1e-5;
    }
    g_test_message ("%s: %u of 40", stiff ? "stiff hand" : "free hand", n_found);
    g_assert_cmpuint (n_found, ==, 40);
    node_test_clear (&test);
  }
}

/* Poses within limits of 60 degrees about every axis are found again, the place and the orientation of their ends, within
 * these limits.  (A search that follows the slope may end in a corner: a few of a hundred may be missed.) */
static void
test_orientation_within_limits (void)
{
  static const double lengths[] = { 1, 0.8, 0.5, 0.3 };
  NodeTest test = node_test_new ();
  guint n_found = 0;

  node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n0.8\\n0.5\\n0.3\"", "low", "-60", "high", "60", NULL);
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "tolerance", "1e-4",
                 "orientation_weight", "1", "max_iterations", "200", NULL);
  for (uint64_t i = 0; i < 100; i++) {
    KgRotation frame = kg_rotation_identity ();
    KgVector goal = { 0, 0, 0 };
    g_autofree char *text = NULL;

    for (uint64_t k = 0; k < 5; k++) {
      const KgVector angles = kg_vector (kg_random_signed (1, i, 3 * k), kg_random_signed (1, i, 3 * k + 1),
                                         kg_random_signed (1, i, 3 * k + 2));

      frame = kg_rotation_multiply (frame, kg_rotation_from_angles (kg_vector_scale (angles, 60 * KG_DEGREE)));
      if (k < 4)
        goal = kg_vector_add (goal, kg_rotation_apply (frame, kg_vector (lengths[k], 0, 0)));
    }
    text = g_strdup_printf ("[%.17g, %.17g, %.17g]", goal.x, goal.y, goal.z);
    node_test_set (&test, "ik", "goal", text);
    set_rotation (&test, "ik", "orientation", frame);
    n_found += node_test_number (&test, "ik.residual", 0) <= 1e-4 &&
               node_test_number (&test, "ik.residual_angle", 0) <= 0.01;
  }
  g_test_message ("%u of 100", n_found);
  g_assert_cmpuint (n_found, >=, 98);
  node_test_clear (&test);
}

/* Where place and orientation exclude each other, the weight decides; out of reach, at the base, and with a straight chain
 * the answer is finite, and both residuals are reported. */
static void
test_orientation_conflict (void)
{
  NodeTest test = node_test_new ();
  double place[2], angle[2];

  /* Two bones in a plane, the hand stiff: at the goal straight ahead the last bone cannot also point up. */
  node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n1\"", "hinge", "true", "lows", "[-180, -180, 0]",
                 "highs", "[180, 180, 0]", NULL);
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "goal", "[1.9, 0, 0]",
                 "orientation", "[0.7071067811865476, 0, 0, 0.7071067811865476]", "max_iterations", "2000", NULL);
  for (int i = 0; i < 2; i++) {
    node_test_set (&test, "ik", "orientation_weight", i == 0 ? "0.02" : "1");
    place[i] = node_test_number (&test, "ik.residual", 0);
    angle[i] = node_test_number (&test, "ik.residual_angle", 0);
  }
  g_assert_cmpfloat (place[0], <, 0.1);
  g_assert_cmpfloat (angle[0], >, 45);
  g_assert_cmpfloat (place[1], >, 0.3);
  g_assert_cmpfloat (angle[1], <, 45);
  /* Out of reach: straight, and the free hand turned as it shall be. */
  node_test_set (&test, "chain", "hinge", "false");
  node_test_set (&test, "chain", "lows", "[]");
  node_test_set (&test, "chain", "highs", "[]");
  node_test_set (&test, "ik", "goal", "[0, 5, 0]");
  assert_near (node_test_number (&test, "ik.residual", 0), 3, 1e-4);
  assert_near (node_test_number (&test, "ik.residual_angle", 0), 0, 1e-2);
  /* At the base: two equal bones fold onto it. */
  node_test_set (&test, "ik", "goal", "[0, 0, 0]");
  g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <, 1e-3);
  assert_near (node_test_number (&test, "ik.residual_angle", 0), 0, 1e-2);
  /* Straight ahead of a straight chain, within reach. */
  node_test_set (&test, "ik", "goal", "[1, 0, 0]");
  node_test_set (&test, "ik", "orientation", "[1, 0, 0, 0]");
  g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-4);
  g_assert_cmpfloat (node_test_number (&test, "ik.residual_angle", 0), <=, 0.01);
  /* The other methods say that they cannot. */
  node_test_set (&test, "ik", "method", "\"ccd\"");
  node_test_fails (&test, "ik.posed", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "ik", "method", "\"fabrik\"");
  node_test_fails (&test, "ik.posed", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "ik", "orientation_weight", "0");
  g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-4);
  node_test_clear (&test);
}

/* Limits of each joint reach the skeleton and are kept by every method, with and without an orientation. */
static void
test_joint_limits (void)
{
  static const double lows[] = { -10, -20, 0, -5 }, highs[] = { 40, 30, 90, 5 };

  for (guint m = 0; m <= G_N_ELEMENTS (methods); m++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n1\\n1\"", "hinge", "true", "lows",
                   "[-10, -20, 0, -5]", "highs", "[40, 30, 90, 5]", NULL);
    node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "method",
                   methods[MIN (m, G_N_ELEMENTS (methods) - 1)], NULL);
    if (m == G_N_ELEMENTS (methods)) {
      node_test_set (&test, "ik", "method", "\"damped-least-squares\"");
      node_test_set (&test, "ik", "orientation_weight", "0.5");
    }
    for (uint64_t i = 0; i < 20; i++) {
      const KgVector goal = kg_vector_scale (kg_random_direction (3, i, 0), 2.5);
      g_autofree char *text = g_strdup_printf ("[%.17g, %.17g, %.17g]", goal.x, goal.y, goal.z);

      node_test_set (&test, "ik", "goal", text);
      {
        g_auto (KgValue) value = node_test_get (&test, "ik.posed", 0);

        for (guint k = 0; k < 4; k++) {
          const KgRotation q = kg_skeleton_get_rotation (value.skeleton, k);
          const double angle = 2 * atan2 (q.z, q.w) / KG_DEGREE;

          g_assert_cmpfloat (angle, >=, lows[k] - 1e-9);
          g_assert_cmpfloat (angle, <=, highs[k] + 1e-9);
          assert_near (hypot (q.x, q.y), 0, 1e-12);
        }
      }
    }
    node_test_clear (&test);
  }
}

/* One value is for all, one for each bone leaves the end to the common limits, and anything else is refused. */
static void
test_limit_counts (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/chain", "chain", "lengths", "\"1\\n1\"", "low", "-7", "high", "8", "lows", "[-30]",
                 "highs", "[10, 20]", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "chain.skeleton", 0);
    static const double highs[] = { 10, 20, 8 };

    for (guint k = 0; k < 3; k++) {
      assert_near (kg_skeleton_get_joint (value.skeleton, k)->low.y, -30 * KG_DEGREE, 1e-15);
      assert_near (kg_skeleton_get_joint (value.skeleton, k)->high.z, highs[k] * KG_DEGREE, 1e-15);
    }
  }
  node_test_set (&test, "chain", "highs", "[10, 20, 30, 40]");
  node_test_fails (&test, "chain.skeleton", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "chain", "highs", "[10, 181]");
  node_test_fails (&test, "chain.skeleton", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "chain", "highs", "[10, -31]");
  node_test_fails (&test, "chain.skeleton", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* A skeleton's two bones reach as an arm of their lengths does; what is above them stays as it was. */
static void
test_two_bone_skeleton (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/chain", "chain", "lengths", "\"2\\n3\\n4\\n1\"", "root", "[1, 1, 0]", NULL);
  node_test_add (&test, "rig/pose", "pose", "skeleton", "{\"link\": \"chain.skeleton\"}", "joint", "\"joint1\"",
                 "angles", "[0, 0, 90]", NULL);
  /* The shoulder, joint2, is at (1, 3): 3-4-5 from there. */
  node_test_add (&test, "rig/ik_two_bone", "arm", "limb", "{\"link\": \"pose.posed\"}", "end_joint", "\"joint4\"",
                 "length_a", "77", "goal", "[6, 3, 0]", "pole", "[1, 12, 0]", NULL);
  assert_vector_near (node_test_vector (&test, "arm.elbow", 0), 1 + 1.8, 3 + 2.4, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "arm.end", 0), 6, 3, 0, 1e-12);
  assert_near (node_test_number (&test, "arm.angle_elbow", 0), 90, 1e-9);
  {
    g_auto (KgValue) value = node_test_get (&test, "arm.skeleton", 0);
    KgTransform world[5];

    kg_skeleton_get_world (value.skeleton, world);
    assert_near (world[1].m[0][3], 1, 1e-12);
    assert_near (world[1].m[1][3], 3, 1e-12);
    assert_near (world[2].m[0][3], 2.8, 1e-12);
    assert_near (world[2].m[1][3], 5.4, 1e-12);
    assert_near (world[3].m[0][3], 6, 1e-12);
    assert_near (world[3].m[1][3], 3, 1e-12);
  }
  /* The last joint is the end when none is named. */
  node_test_set (&test, "arm", "end_joint", "\"\"");
  node_test_set (&test, "arm", "goal", "[0, 0, 90]");
  g_assert_cmpfloat (node_test_number (&test, "arm.residual", 0), >, 80);
  /* Limits are kept and reported. */
  node_test_set (&test, "arm", "end_joint", "\"joint4\"");
  node_test_set (&test, "arm", "goal", "[6, 3, 0]");
  node_test_set (&test, "chain", "highs", "[180, 180, 20, 180]");
  node_test_set (&test, "chain", "lows", "[-180, -180, -20, -180]");
  assert_near (node_test_number (&test, "arm.angle_elbow", 0), 160, 1e-9);
  g_assert_cmpfloat (node_test_number (&test, "arm.residual", 0), >, 1);
  assert_near (node_test_number (&test, "arm.residual", 0),
               kg_vector_distance (node_test_vector (&test, "arm.end", 0), kg_vector (6, 3, 0)), 1e-12);
  /* No two bones above it; no such joint; no joints. */
  node_test_set (&test, "arm", "end_joint", "\"joint2\"");
  node_test_fails (&test, "arm.skeleton", KG_ERROR_DEGENERATE);
  node_test_set (&test, "arm", "end_joint", "\"hand\"");
  node_test_fails (&test, "arm.skeleton", KG_ERROR_UNKNOWN_NAME);
  node_test_clear (&test);
}

static void
test_bad (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/chain", "chain", "lengths", "\"\"", NULL);
  node_test_fails (&test, "chain.skeleton", KG_ERROR_DEGENERATE);
  node_test_set (&test, "chain", "lengths", "\"1\\n-1\"");
  node_test_fails (&test, "chain.skeleton", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "chain", "lengths", "\"0\\n0\"");
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "goal", "[0, 0, 0]", NULL);
  assert_near (node_test_number (&test, "ik.residual", 0), 0, 1e-12);
  node_test_set (&test, "ik", "end_joint", "\"elbow\"");
  node_test_fails (&test, "ik.posed", KG_ERROR_UNKNOWN_NAME);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rig/two-bone", test_two_bone);
  g_test_add_func ("/rig/reach", test_reach);
  g_test_add_func ("/rig/limits", test_limits);
  g_test_add_func ("/rig/reachable", test_reachable);
  g_test_add_func ("/rig/long", test_long);
  g_test_add_func ("/rig/pose", test_pose);
  g_test_add_func ("/rig/orientation", test_orientation);
  g_test_add_func ("/rig/orientation-within-limits", test_orientation_within_limits);
  g_test_add_func ("/rig/orientation-conflict", test_orientation_conflict);
  g_test_add_func ("/rig/joint-limits", test_joint_limits);
  g_test_add_func ("/rig/limit-counts", test_limit_counts);
  g_test_add_func ("/rig/two-bone-skeleton", test_two_bone_skeleton);
  g_test_add_func ("/rig/bad", test_bad);
  return g_test_run ();
}
