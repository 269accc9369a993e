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
        assert_near (kg_vector_distance (kg_vector (world[i].m[0][3], world[i].m[1][3], world[i].m[2][3]),
                                         kg_vector (world[i - 1].m[0][3], world[i - 1].m[1][3], world[i - 1].m[2][3])),
                     0.1, 1e-9);
    }
    node_test_clear (&test);
  }
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
  g_test_add_func ("/rig/bad", test_bad);
  return g_test_run ();
}
