/* tests/techniques/soft_bodies: soft objects that push each other, against the figures of the catalogue.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "sim/soft_bodies.h"

static const SoftOptions plain = { .density = { .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 }, .power = 4 };

/* Two balls of radius 1 and 1 kg, c to the left and right of the middle, that close in at 1 m/s. */
static SoftBodies *
two_balls (double c, RigidMotion motions[2])
{
  g_autoptr (KgGeometry) points = kg_geometry_new ();
  const SoftBodiesOptions options = { .density = 1 / 4.1887902, .cell = 0.12 };
  g_autoptr (GError) error = NULL;
  SoftBodies *bodies;
  int32_t *body;
  float *p, *axes, *v;

  g_assert_true (kg_geometry_set_n_points (points, 2, NULL));
  p = kg_geometry_edit_positions (points);
  axes = kg_geometry_edit_float (points, KG_POINTS, "axes", 3);
  v = kg_geometry_edit_float (points, KG_POINTS, "v", 3);
  body = kg_geometry_edit_int (points, KG_POINTS, "body", 1);
  for (int i = 0; i < 2; i++) {
    p[3 * i] = (float) (i == 0 ? -c : c);
    v[3 * i] = i == 0 ? 0.5f : -0.5f;
    body[i] = i;
    for (int k = 0; k < 3; k++)
      axes[3 * i + k] = 2;
  }
  bodies = soft_bodies_new (points, &plain, &options, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    rigid_body_start (&soft_bodies_get (bodies, i)->rigid, &motions[i]);
  return bodies;
}

/* 55-96: mass, centre and inertia of a ball of radius r at its coarsest are those of the closed forms, in any place. */
static void
test_mass (void)
{
  static const double radii[] = { 1, 0.3, 7 };

  for (size_t i = 0; i < G_N_ELEMENTS (radii); i++) {
    g_autoptr (KgGeometry) points = kg_geometry_new ();
    const SoftBodiesOptions options = { .density = 2 };
    const double r = radii[i], mass = 2 * 4 * G_PI / 3 * r * r * r, inertia = 0.4 * mass * r * r;
    g_autoptr (SoftBodies) bodies = NULL;
    const RigidBody *rigid;
    float *p, *axes;

    g_assert_true (kg_geometry_set_n_points (points, 1, NULL));
    p = kg_geometry_edit_positions (points);
    axes = kg_geometry_edit_float (points, KG_POINTS, "axes", 3);
    p[0] = 0.37f;
    p[1] = -0.21f;
    axes[0] = axes[1] = axes[2] = (float) (2 * r);
    bodies = soft_bodies_new (points, &plain, &options, NULL, NULL);
    g_assert_nonnull (bodies);
    rigid = &soft_bodies_get (bodies, 0)->rigid;
    g_test_message ("%g %g", rigid->mass / mass - 1, rigid->inertia.xx / inertia - 1);
    assert_near (rigid->mass / mass, 1, 2e-4);
    assert_near (rigid->inertia.xx / inertia, 1, 5e-4);
    assert_near (rigid->inertia.yz / inertia, 0, 5e-4);
    assert_near (rigid->center.x, 0.37, 2e-4 * r);
    assert_near (rigid->center.y, -0.21, 2e-4 * r);
  }
}

static void
test_forces (void)
{
  static const double facts[][2] = {
    { 0.99, 2.4703e-4 }, { 0.95, 6.0056e-3 }, { 0.9, 2.31515e-2 }, { 0.8, 0.0854235 }, { 0.7, 0.1755976 }
  };

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    RigidMotion motions[2];
    g_autoptr (SoftBodies) bodies = two_balls (facts[i][0], motions);
    const SoftBodiesSettings settings = { .stiffness = 1 };
    KgVector forces[2], torques[2];

    g_assert_cmpuint (soft_bodies_get_forces (bodies, motions, &settings, forces, torques, NULL), ==, 1);
    assert_near (forces[1].x, facts[i][1], 1e-3 * facts[i][1]);
    assert_near (forces[0].x, -forces[1].x, 1e-12);
    assert_near (forces[0].y, 0, 1e-4 * facts[i][1]);
    assert_near (kg_vector_length (torques[0]), 0, 1e-3 * facts[i][1]);
  }
}

/* They part as fast as they met. */
static void
test_bounce (void)
{
  static const double facts[][3] = { { 100, 0.88295, 0.660 }, { 500, 0.93221, 0.382 } };

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    RigidMotion motions[2];
    g_autoptr (SoftBodies) bodies = two_balls (1.02, motions);
    const SoftBodiesSettings settings = { .stiffness = facts[i][0], .substeps = 1 };
    double least = 2, touching = 0;

    for (guint step = 0; step < 250; step++) {
      SoftBodiesReport report;

      g_assert_true (soft_bodies_advance (bodies, motions, &settings, 0, 0.004, &report, NULL));
      least = MIN (least, 0.5 * (motions[1].place.x - motions[0].place.x));
      touching += report.n_contacts > 0 ? 0.004 : 0;
    }
    assert_near (least, facts[i][1], 1e-3);
    assert_near (touching, facts[i][2], 8e-3);
    assert_near (motions[1].velocity.x, 0.5, 2e-3);
    assert_near (motions[0].velocity.x, -0.5, 2e-3);
  }
}

/* On the ground a body comes to rest with its weight carried, and damping makes it slower. */
static void
test_ground (void)
{
  RigidMotion motions[2];
  g_autoptr (SoftBodies) bodies = two_balls (1.5, motions);
  const SoftBodiesSettings settings = { .stiffness = 500,
                                        .damping = 20,
                                        .friction = 0.5,
                                        .gravity = { 0, -9.81, 0 },
                                        .ground = true,
                                        .ground_height = -1,
                                        .substeps = 4 };
  KgVector forces[2], torques[2];

  motions[0].velocity = motions[1].velocity = kg_vector (0, 0, 0);
  for (guint frame = 0; frame < 60; frame++) {
    SoftBodiesReport report;

    g_assert_true (soft_bodies_advance (bodies, motions, &settings, 0, 1 / 24.0, &report, NULL));
  }
  soft_bodies_get_forces (bodies, motions, &settings, forces, torques, NULL);
  assert_near (forces[0].y, 9.81 * soft_bodies_get (bodies, 0)->rigid.mass, 0.05);
  g_assert_cmpfloat (kg_vector_length (motions[0].velocity), <, 0.01);
  g_assert_cmpfloat (motions[0].place.y, <, -0.01);
}

static void
test_bad (void)
{
  g_autoptr (KgGeometry) points = kg_geometry_new ();
  const SoftBodiesOptions options = { .density = 1000 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SoftBodies) none = soft_bodies_new (points, &plain, &options, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (none->bodies->len, ==, 0);
  g_assert_true (kg_geometry_set_n_points (points, 1, NULL));
  kg_geometry_edit_float (points, KG_POINTS, "axes", 3);
  g_assert_null (soft_bodies_new (points, &plain, &options, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/soft_bodies/55-96-mass", test_mass);
  g_test_add_func ("/soft_bodies/55-96-forces", test_forces);
  g_test_add_func ("/soft_bodies/55-96-bounce", test_bounce);
  g_test_add_func ("/soft_bodies/55-96-ground", test_ground);
  g_test_add_func ("/soft_bodies/bad", test_bad);
  return g_test_run ();
}
