/* tests/graph/skeleton: forward kinematics against closed forms, order and names of joints.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-skeleton.h"

static int
add (KgSkeleton *skeleton, const char *name, int parent, KgVector offset)
{
  g_autoptr (GError) error = NULL;
  KgJoint joint;
  int index;

  kg_joint_init (&joint, name, parent);
  joint.offset = offset;
  index = kg_skeleton_add_joint (skeleton, &joint, &error);
  g_assert_no_error (error);
  return index;
}

static void
assert_place (const KgTransform *world, double x, double y, double z)
{
  g_assert_cmpfloat_with_epsilon (world->m[0][3], x, 1e-12);
  g_assert_cmpfloat_with_epsilon (world->m[1][3], y, 1e-12);
  g_assert_cmpfloat_with_epsilon (world->m[2][3], z, 1e-12);
}

/* A planar arm of lengths 3, 2 and 1, with a side branch: the sums of cosines and sines of summed angles. */
static void
test_forward (void)
{
  static const double lengths[] = { 3, 2, 1 };
  g_autoptr (KgSkeleton) arm = kg_skeleton_new ();
  const KgVector z = { 0, 0, 1 };
  KgTransform world[5];

  add (arm, "shoulder", -1, kg_vector (1, 2, 3));
  add (arm, "elbow", 0, kg_vector (lengths[0], 0, 0));
  add (arm, "wrist", 1, kg_vector (lengths[1], 0, 0));
  add (arm, "tip", 2, kg_vector (lengths[2], 0, 0));
  add (arm, "shield", 1, kg_vector (0, 0, 5));
  for (int round = 0; round < 50; round++) {
    double x = 1, y = 2, sum = 0, ex = 0, ey = 0;

    for (guint k = 0; k < 3; k++) {
      const double angle = sin (1.7 * round + k) * KG_PI;

      kg_skeleton_set_rotation (arm, k, kg_rotation_from_axis_angle (z, angle));
      sum += angle;
      x += lengths[k] * cos (sum);
      y += lengths[k] * sin (sum);
      if (k == 0) {
        ex = x;
        ey = y;
      }
    }
    kg_skeleton_get_world (arm, world);
    assert_place (&world[0], 1, 2, 3);
    assert_place (&world[1], ex, ey, 3);
    assert_place (&world[3], x, y, 3);
    assert_place (&world[4], ex, ey, 8);
    /* The tip's axes are turned by all three angles. */
    g_assert_cmpfloat_with_epsilon (world[3].m[0][0], cos (sum), 1e-12);
    g_assert_cmpfloat_with_epsilon (world[3].m[1][0], sin (sum), 1e-12);
    kg_skeleton_get_rest_world (arm, world);
    assert_place (&world[3], 7, 2, 3);
  }
}

/* First the rest orientation, then the pose in the frame that it gives; a translation adds to the offset. */
static void
test_order (void)
{
  g_autoptr (KgSkeleton) skeleton = kg_skeleton_new ();
  KgTransform world[2];
  KgJoint joint;

  kg_joint_init (&joint, "root", -1);
  joint.rest = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), KG_PI / 2);
  g_assert_cmpint (kg_skeleton_add_joint (skeleton, &joint, NULL), ==, 0);
  add (skeleton, "tip", 0, kg_vector (0, 2, 0));
  /* About its own x, which at rest is the world's y: (0, 2, 0) goes to its z, which is the world's z. */
  kg_skeleton_set_rotation (skeleton, 0, kg_rotation_from_axis_angle (kg_vector (1, 0, 0), KG_PI / 2));
  kg_skeleton_set_translation (skeleton, 0, kg_vector (5, 0, 0));
  kg_skeleton_get_world (skeleton, world);
  assert_place (&world[0], 5, 0, 0);
  assert_place (&world[1], 5, 0, 2);
  kg_skeleton_get_rest_world (skeleton, world);
  assert_place (&world[0], 0, 0, 0);
  assert_place (&world[1], -2, 0, 0);
}

/* A copy shares nothing that an edit of either could change. */
static void
test_copies (void)
{
  g_autoptr (KgSkeleton) first = kg_skeleton_new ();
  g_autoptr (KgSkeleton) second = NULL;

  add (first, "a", -1, kg_vector (0, 0, 0));
  add (first, "b", 0, kg_vector (1, 0, 0));
  second = kg_skeleton_ref (first);
  kg_skeleton_make_writable (&second);
  g_assert_true (first != second);
  g_assert_true (kg_skeleton_equal (first, second));
  g_assert_cmpint (add (second, "c", 1, kg_vector (1, 0, 0)), ==, 2);
  g_assert_cmpint (add (first, "d", 0, kg_vector (1, 0, 0)), ==, 2);
  g_assert_cmpint (kg_skeleton_find_joint (first, "c"), ==, -1);
  g_assert_cmpint (kg_skeleton_find_joint (first, "d"), ==, 2);
  g_assert_cmpint (kg_skeleton_find_joint (second, "c"), ==, 2);
  g_assert_cmpint (kg_skeleton_find_joint (second, "d"), ==, -1);
  g_assert_cmpint (kg_skeleton_find_joint (second, "b"), ==, 1);
  kg_skeleton_set_translation (second, 1, kg_vector (0, 1, 0));
  g_assert_cmpfloat (kg_skeleton_get_translation (first, 1).y, ==, 0);
  g_assert_false (kg_skeleton_equal (first, second));
}

/* What a joint may slide, and what its link weighs, are parts of the value. */
static void
test_links (void)
{
  static const double inertia[6] = { 1, 2, 3, 0.1, 0.2, 0.3 };
  g_autoptr (KgSkeleton) first = kg_skeleton_new ();
  g_autoptr (KgSkeleton) second = NULL;
  g_autoptr (GError) error = NULL;
  KgJoint joint;

  kg_joint_init (&joint, "slider", -1);
  joint.slide[1] = true;
  joint.slide_low.y = -0.5;
  g_assert_cmpint (kg_skeleton_add_joint (first, &joint, NULL), ==, 0);
  g_assert_true (kg_skeleton_check_finite (first, &error));
  second = kg_skeleton_ref (first);
  kg_skeleton_make_writable (&second);
  kg_skeleton_set_mass (second, 0, 4, kg_vector (0, 1, 0), inertia);
  g_assert_false (kg_skeleton_equal (first, second));
  g_assert_cmpfloat (kg_skeleton_get_joint (first, 0)->mass, ==, 0);
  g_assert_cmpfloat (kg_skeleton_get_joint (second, 0)->inertia[5], ==, 0.3);
  g_assert_cmpfloat (kg_skeleton_get_joint (second, 0)->slide_low.y, ==, -0.5);
  kg_skeleton_set_mass (second, 0, NAN, kg_vector (0, 1, 0), inertia);
  g_assert_false (kg_skeleton_check_finite (second, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
}

static void
test_bad (void)
{
  g_autoptr (KgSkeleton) skeleton = kg_skeleton_new ();
  g_autoptr (GError) error = NULL;
  KgJoint joint;

  add (skeleton, "a", -1, kg_vector (0, 0, 0));
  kg_joint_init (&joint, "a", 0);
  g_assert_cmpint (kg_skeleton_add_joint (skeleton, &joint, &error), ==, -1);
  g_assert_error (error, KG_ERROR, KG_ERROR_DUPLICATE);
  g_clear_error (&error);
  kg_joint_init (&joint, "b", 1);
  g_assert_cmpint (kg_skeleton_add_joint (skeleton, &joint, &error), ==, -1);
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_assert_cmpuint (kg_skeleton_get_n_joints (skeleton), ==, 1);
}

/* Seconds for 30000 joints in chains of n; the shortest of five tries. */
static double
time_chains (int n)
{
  double best = INFINITY;

  for (int try = 0; try < 5; try++) {
    const clock_t start = clock ();

    for (int done = 0; done < 30000; done += n) {
      g_autoptr (KgSkeleton) chain = kg_skeleton_new ();

      for (int i = 0; i < n; i++) {
        char name[16];

        g_snprintf (name, sizeof name, "j%d", i);
        g_assert_cmpint (add (chain, name, i - 1, kg_vector (1, 0, 0)), ==, i);
      }
    }
    best = MIN (best, (double) (clock () - start) / CLOCKS_PER_SEC);
  }
  return best;
}

/* Joints cost about the same in chains that are twenty times as long.  Quadratic growth would cost twenty times as much; the
 * bound leaves room for a loaded machine.  No more names than 1500: GLib releases its table of interned ones when it grows
 * beyond 2048, a leak to its checker. */
static void
test_many (void)
{
  const double few = time_chains (75);

  g_assert_cmpfloat (time_chains (1500), <, 10 * few);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/skeleton/forward", test_forward);
  g_test_add_func ("/skeleton/order", test_order);
  g_test_add_func ("/skeleton/copies", test_copies);
  g_test_add_func ("/skeleton/links", test_links);
  g_test_add_func ("/skeleton/bad", test_bad);
  g_test_add_func ("/skeleton/many", test_many);
  return g_test_run ();
}
