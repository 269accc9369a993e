/* tests/techniques/ik-search: chains that reach a goal, stretch towards it, or are stopped.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "rig/ik_search.h"

/* n bones of a metre along x.  (transfer full) */
static KgSkeleton *
make_chain (guint n)
{
  KgSkeleton *skeleton = kg_skeleton_new ();

  for (guint i = 0; i <= n; i++) {
    g_autofree char *name = g_strdup_printf ("joint%u", i);
    KgJoint joint;

    kg_joint_init (&joint, name, (int) i - 1);
    joint.offset = kg_vector (i > 0 ? 1 : 0, 0, 0);
    kg_skeleton_add_joint (skeleton, &joint, NULL);
  }
  return skeleton;
}

static IkSearch
make_search (IkMethod method, KgVector goal)
{
  return (IkSearch){ .goal = goal,
                     .orientation = kg_rotation_identity (),
                     .method = method,
                     .max_iterations = 500,
                     .tolerance = 1e-6,
                     .tolerance_angle = 1e-6,
                     .damping = 0.05 };
}

static void
test_reach (void)
{
  for (int method = 0; method < IK_N_METHODS; method++) {
    g_autoptr (KgSkeleton) skeleton = make_chain (5);
    g_autoptr (GError) error = NULL;
    IkSearch search = make_search ((IkMethod) method, kg_vector (1, 2.5, -1));

    g_assert_true (ik_search_run (&search, skeleton, "", NULL, &error));
    g_assert_no_error (error);
    assert_vector_near (search.end, 1, 2.5, -1, 1e-6);
    g_assert_cmpfloat (search.residual, <=, 1e-6);
    g_assert_cmpint (search.iterations, >, 0);
  }
}

/* Out of reach it points straight at the goal. */
static void
test_beyond (void)
{
  g_autoptr (KgSkeleton) skeleton = make_chain (3);
  IkSearch search = make_search (IK_FABRIK, kg_vector (0, 30, 40));

  g_assert_true (ik_search_run (&search, skeleton, "joint3", NULL, NULL));
  assert_vector_near (search.end, 0, 1.8, 2.4, 1e-12);
  assert_near (search.residual, 47, 1e-12);
}

/* Hinges stop short of the straight pose when steps near it are damped the same everywhere. */
static void
test_beyond_with_hinges (void)
{
  static const KgVector goals[] = { { 0, 4, 0 }, { -3, -2, 0 }, { 0, 400, 0 }, { 5, 0, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (goals); i++) {
    g_autoptr (KgSkeleton) skeleton = make_chain (0);
    const KgVector best = kg_vector_scale (kg_vector_normalize_or (goals[i], kg_vector (1, 0, 0)), 3);
    IkSearch search = make_search (IK_DLS, goals[i]);

    for (int k = 1; k <= 3; k++) {
      g_autofree char *name = g_strdup_printf ("hinge%d", k);
      KgJoint joint;

      kg_joint_init (&joint, name, k - 1);
      joint.offset = kg_vector (k > 1 ? 1 : 0, 0, 0);
      joint.free[0] = joint.free[1] = false;
      kg_skeleton_add_joint (skeleton, &joint, NULL);
    }
    {
      KgJoint end;

      kg_joint_init (&end, "end", 3);
      end.offset = kg_vector (1, 0, 0);
      kg_skeleton_add_joint (skeleton, &end, NULL);
    }
    for (guint k = 1; i < 3 && k <= 3; k++)
      kg_skeleton_set_rotation (skeleton, k, kg_rotation_from_angles (kg_vector (0, 0, 10 * k * KG_DEGREE)));
    search.damping = 0.1;
    g_assert_true (ik_search_run (&search, skeleton, "end", NULL, NULL));
    assert_vector_near (search.end, best.x, best.y, best.z, 1e-6);
    g_assert_cmpint (search.iterations, <, 100);
  }
}

static bool
is_cancelled (gpointer data)
{
  return --*(int *) data < 0;
}

static void
test_cancelled (void)
{
  g_autoptr (KgSkeleton) skeleton = make_chain (5);
  g_autoptr (GError) error = NULL;
  IkSearch search = make_search (IK_CCD, kg_vector (1, 2.5, -1));
  int patience = 3;
  const KgProgressMonitor monitor = { .is_cancelled = is_cancelled, .data = &patience };

  search.tolerance = 0;
  g_assert_false (ik_search_run (&search, skeleton, "", &monitor, &error));
  g_assert_no_error (error);
  g_assert_cmpint (search.iterations, ==, 3);
  g_assert_false (ik_search_run (&search, skeleton, "elbow", NULL, &error));
  g_assert_nonnull (error);
}

/* Long chains reach in few iterations, wherever the goal is, and bones keep their lengths. */
static void
test_long_chains (void)
{
  for (guint i = 0; i < 60; i++) {
    g_autoptr (KgSkeleton) skeleton = make_chain (100);
    const KgVector goal = kg_vector_scale (kg_random_direction (9, i, 0), 3 + 92 * kg_random_uniform (9, i, 7));
    IkSearch search = make_search (IK_FABRIK, goal);
    KgVector end = { 0, 0, 0 };
    KgRotation frame = kg_rotation_identity ();

    search.tolerance = 1e-3;
    g_assert_true (ik_search_run (&search, skeleton, "", NULL, NULL));
    g_assert_cmpfloat (search.residual, <=, 1e-3);
    /* Without aiming beyond the goal: up to 70 and more. */
    g_assert_cmpint (search.iterations, <=, 16);
    for (guint k = 0; k <= 100; k++) {
      end = kg_vector_add (end, kg_rotation_apply (frame, kg_vector (k > 0 ? 1 : 0, 0, 0)));
      frame = kg_rotation_multiply (frame, kg_skeleton_get_rotation (skeleton, k));
    }
    assert_vector_near (end, goal.x, goal.y, goal.z, 1.1e-3);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ik-search/reach", test_reach);
  g_test_add_func ("/ik-search/beyond", test_beyond);
  g_test_add_func ("/ik-search/beyond-with-hinges", test_beyond_with_hinges);
  g_test_add_func ("/ik-search/50-33-long-chains", test_long_chains);
  g_test_add_func ("/ik-search/cancelled", test_cancelled);
  return g_test_run ();
}
