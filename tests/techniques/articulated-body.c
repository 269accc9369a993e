/* tests/techniques/articulated-body: dynamics of linkages, against closed forms, against each other, and by what must be kept.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/articulated_body.h"

#include "../near.h"
#include "kg-random.h"
#include "rig/joint_list.h"

/* (transfer full) */
static ArticulatedBody *
make (const char *joints, const double *values, KgSkeleton **skeleton)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgSkeleton) read = joint_list_read (joints, &error);
  ArticulatedBody *body;

  g_assert_no_error (error);
  if (values != NULL) {
    g_auto (Linkage) linkage = { 0 };

    linkage_init (&linkage, read);
    linkage_set_values (&linkage, read, values);
  }
  body = articulated_body_new (read, NULL, &error);
  g_assert_no_error (error);
  if (skeleton != NULL)
    *skeleton = g_steal_pointer (&read);
  return body;
}

static void
set_rates (ArticulatedBody *body, const double *rates)
{
  for (guint i = 0; i < body->n; i++)
    for (guint c = 0; c < articulated_link_count_freedoms (&body->links[i]); c++)
      body->states[i].rate[c] = rates[body->links[i].freedom + c];
  articulated_body_update (body);
}

/* The arm of the catalogue: point masses of 2 and 1 kg at the tips of links of 1 and 0.5 m. */
static const char two_links[] = "a - hinge 0 0 0 mass 2 center 1 0 0\nb a hinge 1 0 0 mass 1 center 0.5 0 0\n";

static void
test_two_links (void)
{
  const double values[] = { 30 * KG_DEGREE, 60 * KG_DEGREE }, rates[] = { 1, -2 }, none[] = { 0, 0 };
  const double first[] = { 1, 0 }, second[] = { 0, 1 };
  const ArticulatedForces still = { .gravity = { 0, 0, 0 } }, heavy = { .gravity = { 0, -9.81, 0 } };
  g_autoptr (ArticulatedBody) body = make (two_links, values, NULL);
  double torques[2];

  articulated_body_get_torques (body, &still, first, torques);
  assert_near (torques[0], 3.75, 1e-12);
  assert_near (torques[1], 0.5, 1e-12);
  articulated_body_get_torques (body, &still, second, torques);
  assert_near (torques[0], 0.5, 1e-12);
  assert_near (torques[1], 0.25, 1e-12);
  articulated_body_get_torques (body, &heavy, none, torques);
  assert_near (torques[0], 25.487128, 1e-6);
  assert_near (torques[1], 0, 1e-12);
  set_rates (body, rates);
  articulated_body_get_torques (body, &still, none, torques);
  assert_near (torques[0], 0, 1e-12);
  assert_near (torques[1], 0.433013, 1e-6);
}

/* A double pendulum of 1 kg and 1 m twice, held out straight, or with its second link hanging: the first falls with g, the second
 * does not turn in the world. */
static void
test_double_pendulum (void)
{
  static const char joints[] = "a - hinge 0 0 0 mass 1 center 1 0 0\nb a hinge 1 0 0 mass 1 center 1 0 0\n";
  const double poses[][2] = { { 0, 0 }, { 0, -90 * KG_DEGREE } };
  const ArticulatedForces heavy = { .gravity = { 0, -9.81, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (poses); i++) {
    g_autoptr (ArticulatedBody) body = make (joints, poses[i], NULL);
    double accelerations[2];

    articulated_body_accelerate (body, &heavy, 0, accelerations);
    assert_near (accelerations[0], -9.81, 1e-12);
    assert_near (accelerations[0] + accelerations[1], 0, 1e-12);
  }
}

static const char every_kind[] =
    "root - free 0.1 0.2 0.3 mass 2 center 0.1 0 0.2 tensor 0.3 0.4 0.5 0.02 0.03 -0.01\n"
    "a root planar 0.5 0 0 about y rest 10 20 30 mass 1 tensor 0.1 0.2 0.15\n"
    "b a universal 0 0.4 0 limits -100 100 limits -80 80 mass 0.5 center 0 0.2 0 tensor 0.1 0.1 0.1\n"
    "c b cylinder 0.2 0.1 0 about x rest 0 -40 10 mass 1.5 center 0.1 0.1 0.1\n"
    "d c ball 0.1 0 0.3 limits -90 90 limits -70 70 limits -120 120 mass 1 tensor 0.2 0.3 0.3\n"
    "s c ball 0.3 0 0 mass 0.7 center 0.2 0.1 0 tensor 0.05 0.06 0.07\n"
    "e d hinge 0 0.3 0 about y mass 0.3 center 0 0.1 0.2 tensor 0.01 0.02 0.01\n"
    "f e slider 0.2 0 0 rest 5 6 7 mass 0.4 tensor 0.01 0.01 0.01\n"
    "tip f ball 0.1 0 0\n";

/* The articulated-body algorithm undoes recursive Newton-Euler, whatever the joints, rates and forces. */
static void
test_inverse (void)
{
  for (uint64_t seed = 0; seed < 20; seed++) {
    g_autoptr (KgSkeleton) skeleton = NULL;
    g_autoptr (ArticulatedBody) body = NULL;
    g_auto (Linkage) linkage = { 0 };
    double values[32], rates[32], wanted[32], torques[32], found[32];
    KgVector forces[32];
    ArticulatedForces acting = { .gravity = { 0.3, -9.81, 1 }, .forces = forces, .torques = torques };

    skeleton = joint_list_read (every_kind, NULL);
    linkage_init (&linkage, skeleton);
    g_assert_cmpuint (linkage.n, ==, 6 + 3 + 2 + 2 + 3 + 3 + 1 + 1 + 3);
    linkage_draw (&linkage, 11, seed, values);
    linkage_set_values (&linkage, skeleton, values);
    body = articulated_body_new (skeleton, NULL, NULL);
    g_assert_cmpuint (body->n, <=, 32);
    for (uint64_t k = 0; k < 32; k++) {
      rates[k] = 2 * kg_random_signed (seed, k, 1);
      wanted[k] = 5 * kg_random_signed (seed, k, 2);
      forces[k] = kg_vector_scale (kg_random_direction (seed, k, 3), 4);
    }
    /* Nothing hangs below the tip: it does not move. */
    for (guint k = linkage.n - 3; k < linkage.n; k++)
      rates[k] = wanted[k] = 0;
    set_rates (body, rates);
    articulated_body_get_torques (body, &acting, wanted, torques);
    articulated_body_accelerate (body, &acting, 0, found);
    for (guint k = 0; k < linkage.n; k++)
      assert_near (found[k], wanted[k], 1e-9);
    /* Driven joints take whatever it takes. */
    {
      bool driven[32] = { false };

      for (guint k = 9; k < 13; k++)
        driven[k] = true;
      acting.driven = driven;
      acting.accelerations = wanted;
      for (guint k = 9; k < 13; k++)
        torques[k] = 1e3;
      articulated_body_accelerate (body, &acting, 0, found);
      for (guint k = 0; k < linkage.n; k++)
        assert_near (found[k], wanted[k], 1e-9);
    }
  }
}

/* Statics: the torques that hold a force at the end are those of the transposed Jacobian. */
static void
test_statics (void)
{
  const double values[] = { 30 * KG_DEGREE, 45 * KG_DEGREE, -20 * KG_DEGREE }, none[] = { 0, 0, 0 };
  g_autoptr (ArticulatedBody)
      body = make ("a - hinge 0 0 0\nb a hinge 2 0 0\nc b hinge 1.5 0 0 mass 1e-9 center 1 0 0\n", values, NULL);
  KgVector forces[3] = { { 0 } };
  const ArticulatedForces acting = { .forces = forces };
  double torques[3];

  /* What the world does to the end, (0, 10, 0), is the opposite of what the end does to the world. */
  forces[2] = kg_vector (0, 10, 0);
  articulated_body_get_torques (body, &acting, none, torques);
  assert_near (torques[0], -26.938558, 1e-6);
  assert_near (torques[1], -9.618050, 1e-6);
  assert_near (torques[2], -5.735764, 1e-6);
}

/* A rod that falls from the horizontal is upright after a quarter of its period, the complete elliptic integral. */
static void
test_pendulum (void)
{
  const ArticulatedForces heavy = { .gravity = { 0, -9.81, 0 } };
  const double length = 1.5, inertia = length * length / 3, pull = 9.81 * length / 2;
  /* K (sin 45°) by the arithmetic-geometric mean. */
  double a = 1, g = sqrt (0.5), quarter;
  guint joint;

  for (int i = 0; i < 6; i++) {
    const double next = 0.5 * (a + g);

    g = sqrt (a * g);
    a = next;
  }
  quarter = KG_PI / (2 * a) * sqrt (inertia / pull);
  for (int method = 0; method < ARTICULATED_N_METHODS; method++) {
    g_autoptr (ArticulatedBody)
        body = make ("a - hinge 0 0 0 mass 1 center 0.75 0 0 tensor 0 0.1875 0.1875\n", NULL, NULL);
    const int steps = 2000;

    for (int i = 0; i < steps; i++)
      g_assert_true (articulated_body_step (body, &heavy, quarter / steps, (ArticulatedMethod) method, &joint));
    assert_near (body->states[0].position[0], -KG_PI / 2, method == ARTICULATED_RUNGE_KUTTA ? 1e-10 : 3e-3);
  }
}

/* Whatever the joints of a body that floats freely do, momentum and angular momentum stay, and without springs so does energy. */
static void
test_conserved (void)
{
  g_autoptr (KgSkeleton) skeleton = joint_list_read (every_kind, NULL);
  g_autoptr (ArticulatedBody) body = NULL;
  g_auto (Linkage) linkage = { 0 };
  const ArticulatedForces nothing = { .gravity = { 0, 0, 0 } };
  ArticulatedMeasure before, after;
  double values[32], rates[32];
  guint joint;

  linkage_init (&linkage, skeleton);
  linkage_draw (&linkage, 12, 3, values);
  for (guint k = 0; k < linkage.n; k++)
    values[k] *= 0.3;
  linkage_set_values (&linkage, skeleton, values);
  body = articulated_body_new (skeleton, NULL, NULL);
  for (uint64_t k = 0; k < 32; k++)
    rates[k] = 0.5 * kg_random_signed (5, k, 1);
  set_rates (body, rates);
  articulated_body_measure (body, nothing.gravity, &before);
  for (int i = 0; i < 300; i++)
    g_assert_true (articulated_body_step (body, &nothing, 0.002, ARTICULATED_RUNGE_KUTTA, &joint));
  articulated_body_measure (body, nothing.gravity, &after);
  for (size_t c = 0; c < 3; c++) {
    assert_near (kg_vector_get (after.momentum, c), kg_vector_get (before.momentum, c), 1e-9);
    assert_near (kg_vector_get (after.angular_momentum, c), kg_vector_get (before.angular_momentum, c), 1e-9);
  }
  assert_near (after.kinetic, before.kinetic, 1e-9 * before.kinetic);
  assert_near (after.center.x, before.center.x + 0.6 * before.momentum.x / before.mass, 1e-9);
}

/* T + U of a double pendulum over 10,000 steps: the semi-implicit method has an error of first order, and loses a tenth. */
static void
test_energy (void)
{
  const double values[] = { 40 * KG_DEGREE, -70 * KG_DEGREE };
  const ArticulatedForces heavy = { .gravity = { 0, -9.81, 0 } };
  ArticulatedMeasure before, after;

  for (int method = 0; method < ARTICULATED_N_METHODS; method++) {
    g_autoptr (ArticulatedBody) body = make (two_links, values, NULL);
    guint joint;

    articulated_body_measure (body, heavy.gravity, &before);
    for (int i = 0; i < 10000; i++)
      g_assert_true (articulated_body_step (body, &heavy, 1e-3, (ArticulatedMethod) method, &joint));
    articulated_body_measure (body, heavy.gravity, &after);
    assert_near (after.kinetic + after.potential, before.kinetic + before.potential,
                 method == ARTICULATED_RUNGE_KUTTA ? 1e-6 : 2);
  }
}

/* A flail that falls on its stop, and a slider on its end: they stay there. */
static void
test_limits (void)
{
  const ArticulatedForces heavy = { .gravity = { 0, -9.81, 0 } };

  for (int method = 0; method < ARTICULATED_N_METHODS; method++) {
    g_autoptr (ArticulatedBody) body = make ("a - hinge 0 0 0 limits -30 90 mass 1 center 1 0 0\n"
                                             "b a slider 1 0 0 about y limits -0.25 1 mass 1\n"
                                             "c a hinge 1 0 0 limits -20 20 mass 1 center 0.5 0 0 tensor 0.1 0.1 0.1\n",
                                             NULL, NULL);
    guint joint;

    for (int i = 0; i < 3000; i++) {
      g_assert_true (articulated_body_step (body, &heavy, 1e-3, (ArticulatedMethod) method, &joint));
      g_assert_cmpfloat (body->states[0].position[0], >=, -30 * KG_DEGREE - 1e-12);
      g_assert_cmpfloat (body->states[1].position[0], >=, -0.25 - 1e-12);
    }
    assert_near (body->states[0].position[0], -30 * KG_DEGREE, 1e-9);
    assert_near (body->states[1].position[0], -0.25, 1e-9);
    assert_near (body->states[2].position[0], -20 * KG_DEGREE, 1e-9);
    for (guint i = 0; i < 3; i++)
      assert_near (body->states[i].rate[0], 0, 1e-6);
  }
}

/* Springs of any stiffness hold joints at their targets, with steps that would throw explicit ones out. */
static void
test_motors (void)
{
  const double stiffness[] = { 1e6, 1e6, 1e6, 1e6 }, damping[] = { 1e4, 1e4, 1e4, 1e4 };
  const double target[] = { 0.5, -0.4, 0.3, 1 };
  const ArticulatedForces motors = {
    .gravity = { 0, -9.81, 0 }, .stiffness = stiffness, .damping = damping, .target = target
  };
  g_autoptr (ArticulatedBody) body = make (
      "a - ball 0 0 0 mass 1 center 0.5 0 0 tensor 0.1 0.1 0.1\nb a hinge 1 0 0 mass 1 center 0.5 0 0 tensor 0.1 0.1 0.1\n",
      NULL, NULL);
  guint joint;

  for (int i = 0; i < 200; i++)
    g_assert_true (articulated_body_step (body, &motors, 1.0 / 24, ARTICULATED_SEMI_IMPLICIT, &joint));
  {
    const double *q = body->states[0].position;
    const KgVector v = linkage_get_rotation_vector ((KgRotation){ q[0], q[1], q[2], q[3] });

    assert_vector_near (v, 0.5, -0.4, 0.3, 1e-4);
  }
  assert_near (body->states[1].position[0], 1, 1e-4);
}

/* A rod of 2 m and 3 kg: its tensor about the centre is that of a cylinder. */
static void
test_spread (void)
{
  g_autoptr (KgSkeleton) skeleton = joint_list_read ("a - ball 0 0 0\nb a ball 0 2 0\nc b hinge 0 0 0\n", NULL);
  const KgJoint *rod;

  g_assert_true (articulated_spread_mass (skeleton, 1.5, 0.2));
  rod = kg_skeleton_get_joint (skeleton, 0);
  assert_near (rod->mass, 3, 1e-14);
  assert_vector_near (rod->center, 0, 1, 0, 1e-14);
  assert_near (rod->inertia[0], 3 * (0.01 / 4 + 4.0 / 12), 1e-13);
  assert_near (rod->inertia[1], 3 * 0.01 / 2, 1e-13);
  assert_near (rod->inertia[2], 3 * (0.01 / 4 + 4.0 / 12), 1e-13);
  assert_near (rod->inertia[3], 0, 1e-14);
  g_assert_cmpfloat (kg_skeleton_get_joint (skeleton, 1)->mass, ==, 0);
  g_assert_false (articulated_spread_mass (skeleton, 2, 0.2));
}

static void
test_bad (void)
{
  static const char *const wrong[] = { "a - hinge 0 0 0\n", "a - hinge 0 0 0 mass 1 tensor 1 1 1 2\n" };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (KgSkeleton) skeleton = joint_list_read (wrong[i], NULL);
    g_autoptr (GError) error = NULL;

    g_assert_null (articulated_body_new (skeleton, NULL, &error));
    g_assert_nonnull (error);
  }
  /* A point mass on the axis of its hinge gets no acceleration, and no infinite one. */
  {
    g_autoptr (ArticulatedBody)
        body = make ("a - hinge 0 0 0 mass 1\nb a ball 0 0 0 mass 1 center 1 0 0\n", NULL, NULL);
    const ArticulatedForces heavy = { .gravity = { 0, -9.81, 0 } };
    guint joint;

    for (int i = 0; i < 100; i++)
      g_assert_true (articulated_body_step (body, &heavy, 0.01, ARTICULATED_SEMI_IMPLICIT, &joint));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/articulated-body/50-35-two-links", test_two_links);
  g_test_add_func ("/articulated-body/50-35-inverse", test_inverse);
  g_test_add_func ("/articulated-body/50-35-statics", test_statics);
  g_test_add_func ("/articulated-body/20-107-20-108-double-pendulum", test_double_pendulum);
  g_test_add_func ("/articulated-body/pendulum", test_pendulum);
  g_test_add_func ("/articulated-body/conserved", test_conserved);
  g_test_add_func ("/articulated-body/50-35-energy", test_energy);
  g_test_add_func ("/articulated-body/limits", test_limits);
  g_test_add_func ("/articulated-body/50-88-motors", test_motors);
  g_test_add_func ("/articulated-body/spread", test_spread);
  g_test_add_func ("/articulated-body/bad", test_bad);
  return g_test_run ();
}
