/* tests/techniques/momentum: sums over moving masses, against the figures of the textbook's primer.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/momentum.h"
#include "shape-test.h"

static void
set (KgGeometry *geometry, const char *name, size_t i, double x, double y, double z)
{
  float *v = kg_geometry_edit_float (geometry, KG_POINTS, name, 3) + 3 * i;

  v[0] = (float) x;
  v[1] = (float) y;
  v[2] = (float) z;
}

static MomentumSums
measure (const KgGeometry *geometry, KgVector about, bool weigh)
{
  g_autoptr (GError) error = NULL;
  MomentumSums sums;

  momentum_measure (geometry, about, kg_vector (0, -9.81, 0), weigh, NULL, &sums, &error);
  g_assert_no_error (error);
  return sums;
}

static void
test_torque (void)
{
  const KgVector at[] = { { 1, 0, 0 }, { -2, 1, 0 } };
  g_autoptr (KgGeometry) points = new_cloud (at, 2);
  MomentumSums sums;

  set (points, "force", 0, 0, 10, 0);
  set (points, "force", 1, 0, -4, 3);
  sums = measure (points, kg_vector (0, 0, 0), false);
  assert_vector_near (sums.torque, 3, 6, 18, 1e-12);
  assert_vector_near (measure (points, kg_vector (2, 1, 1), false).torque, 6, 12, 6, 1e-12);
  g_assert_false (momentum_is_balanced (&sums, 1e-9));
  /* 50-45: one force; a couple; a uniform force on all has no torque about the middle. */
  {
    const KgVector one[] = { { 1, 2, 0 } }, both[] = { { 1, 2, 0 }, { -1, -2, 0 } };
    g_autoptr (KgGeometry) single = new_cloud (one, 1), couple = new_cloud (both, 2);

    set (single, "force", 0, 0, 0, 3);
    assert_vector_near (measure (single, kg_vector (0, 0, 0), false).torque, 6, -3, 0, 1e-12);
    set (couple, "force", 0, 0, 0, 3);
    set (couple, "force", 1, 0, 0, -3);
    assert_vector_near (measure (couple, kg_vector (5, 5, 5), false).torque, 12, -6, 0, 1e-12);
    set (couple, "force", 1, 0, 0, 3);
    assert_vector_near (measure (couple, kg_vector (0, 0, 0), false).torque, 0, 0, 0, 1e-12);
  }
}

static void
test_seesaw (void)
{
  const KgVector at[] = { { -2, 0, 0 }, { 1.5, 0, 0 }, { 0, 0, 0 } };
  g_autoptr (KgGeometry) points = new_cloud (at, 3);
  float *mass = kg_geometry_edit_float (points, KG_POINTS, "mass", 1);
  MomentumSums sums;

  mass[0] = 30;
  mass[1] = 40;
  mass[2] = 0;
  /* What the support holds. */
  set (points, "force", 2, 0, 70 * 9.81, 0);
  sums = measure (points, kg_vector (0, 0, 0), true);
  g_assert_true (momentum_is_balanced (&sums, 1e-6));
  sums = measure (points, kg_vector (5, 3, 1), true);
  g_assert_true (momentum_is_balanced (&sums, 1e-6));
  mass[0] = 31;
  sums = measure (points, kg_vector (0, 0, 0), true);
  g_assert_false (momentum_is_balanced (&sums, 1e-6));
}

static void
test_angular (void)
{
  const KgVector at[] = { { 1, 2, 0 } };
  g_autoptr (KgGeometry) point = new_cloud (at, 1);
  float *inertia;
  MomentumSums sums;

  kg_geometry_edit_float (point, KG_POINTS, "mass", 1)[0] = 2;
  set (point, "v", 0, 3, -1, 2);
  sums = measure (point, kg_vector (0, 0, 0), false);
  assert_vector_near (sums.angular, 8, -4, -14, 1e-12);
  assert_near (sums.kinetic, 14, 1e-12);
  assert_near (sums.potential, 2 * 9.81 * 2, 1e-12);
  assert_vector_near (sums.velocity, 3, -1, 2, 1e-12);
  /* A skater: from 4 to 1, four times as fast, with four times the energy. */
  set (point, "v", 0, 0, 0, 0);
  set (point, "spin", 0, 0, 1, 0);
  inertia = kg_geometry_edit_float (point, KG_POINTS, "inertia", 9);
  inertia[4] = 4;
  sums = measure (point, kg_vector (0, 0, 0), false);
  assert_vector_near (sums.angular, 0, 4, 0, 1e-12);
  assert_near (sums.kinetic, 2, 1e-12);
  inertia[4] = 1;
  set (point, "spin", 0, 0, 4, 0);
  sums = measure (point, kg_vector (0, 0, 0), false);
  assert_vector_near (sums.angular, 0, 4, 0, 1e-12);
  assert_near (sums.kinetic, 8, 1e-12);
}

static void
test_rigid (void)
{
  const KgVector v = { 1, 0, 0 }, omega = { 0, 0, 2 }, r = { 0, 3, 0 }, zero = { 0, 0, 0 };

  assert_vector_near (rigid_get_velocity (v, omega, r), -5, 0, 0, 0);
  assert_vector_near (rigid_get_acceleration (zero, kg_vector (0, 0, 1), omega, r), -3, -12, 0, 0);
}

static void
test_collision (void)
{
  static const double after[3][3] = { { 1, -2, 3 }, { 0.5, -0.5, 2 }, { 0, 1, 1 } };

  for (int i = 0; i < 3; i++) {
    KgVector a = { 4, 7, 0 }, b = { -1, 0, 5 };

    momentum_collide_points (1.0 / 2, 1.0 / 3, after[i][0], kg_vector (1, 0, 0), &a, &b);
    assert_vector_near (a, after[i][1], 7, 0, 1e-14);
    assert_vector_near (b, after[i][2], 0, 5, 1e-14);
    assert_near (2 * a.x + 3 * b.x, 5, 1e-14);
    /* The energy that is lost: half of the reduced mass of 1.2 kg, times what e leaves of the speed of 5. */
    assert_near (0.5 * (2 * 16 + 3) - 0.5 * (2 * a.x * a.x + 3 * b.x * b.x), 0.6 * (1 - after[i][0] * after[i][0]) * 25,
                 1e-13);
  }
  {
    KgVector a = { 0, -3, 0 }, wall = { 0, 0, 0 };

    momentum_collide_points (1, 0, 1, kg_vector (0, 1, 0), &a, &wall);
    assert_vector_near (a, 0, 3, 0, 0);
    assert_vector_near (wall, 0, 0, 0, 0);
  }
}

static void
test_bad_input (void)
{
  g_autoptr (KgGeometry) empty = kg_geometry_new (), cloud = new_random_cloud (3, 1, false);
  g_autoptr (GError) error = NULL;
  MomentumSums sums = measure (empty, kg_vector (1, 2, 3), true);

  assert_near (sums.mass, 0, 0);
  assert_vector_near (sums.center, 1, 2, 3, 0);
  g_assert_true (momentum_is_balanced (&sums, 1e-9));
  kg_geometry_edit_float (cloud, KG_POINTS, "mass", 1)[1] = -2;
  g_assert_false (momentum_measure (cloud, kg_vector (0, 0, 0), kg_vector (0, 0, 0), false, NULL, &sums, &error));
  g_assert_nonnull (strstr (error->message, "point 1 has a mass of -2"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/momentum/50-45-70-75-torque", test_torque);
  g_test_add_func ("/momentum/70-76-seesaw", test_seesaw);
  g_test_add_func ("/momentum/70-95-angular", test_angular);
  g_test_add_func ("/momentum/70-71-rigid", test_rigid);
  g_test_add_func ("/momentum/70-91-collision", test_collision);
  g_test_add_func ("/momentum/bad-input", test_bad_input);
  return g_test_run ();
}
