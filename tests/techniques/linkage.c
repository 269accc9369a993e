/* tests/techniques/linkage: Denavit-Hartenberg chains, Jacobians and what is solved with them, against the figures of the textbook
 * and against central differences.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "rig/denavit_hartenberg.h"
#include "rig/ik_jacobian.h"
#include "rig/joint_list.h"
#include "rig/linkage.h"

/* A planar arm of hinges about z along x, in a pose.  (transfer full) */
static KgSkeleton *
make_arm (guint n, const double *lengths, const double *degrees)
{
  KgSkeleton *skeleton = kg_skeleton_new ();

  for (guint i = 0; i <= n; i++) {
    g_autofree char *name = g_strdup_printf ("joint%u", i);
    KgJoint joint;

    kg_joint_init (&joint, name, (int) i - 1);
    joint.offset = kg_vector (i > 0 ? lengths[i - 1] : 0, 0, 0);
    joint.free[0] = joint.free[1] = false;
    joint.free[2] = i < n;
    kg_skeleton_add_joint (skeleton, &joint, NULL);
    if (i < n)
      kg_skeleton_set_rotation (skeleton, i, kg_rotation_from_axis_angle (kg_vector (0, 0, 1), degrees[i] * KG_DEGREE));
  }
  return skeleton;
}

static const double lengths[] = { 2, 1.5, 1 }, pose[] = { 30, 45, -20 };

static void
assert_row (KgTransform t, int row, double a, double b, double c, double d, double tolerance)
{
  assert_near (t.m[row][0], a, tolerance);
  assert_near (t.m[row][1], b, tolerance);
  assert_near (t.m[row][2], c, tolerance);
  assert_near (t.m[row][3], d, tolerance);
}

static void
test_dh_link (void)
{
  const DhRow first = { .a = 2, .alpha = 90 * KG_DEGREE, .d = 3, .theta = 30 * KG_DEGREE };
  const DhRow second = { .a = 0.5, .alpha = -40 * KG_DEGREE, .d = 1.2, .theta = 65 * KG_DEGREE };
  const DhRow craig = { .a = 0.4, .alpha = 30 * KG_DEGREE, .d = 0.2, .theta = 60 * KG_DEGREE };
  KgTransform t = dh_get_link (&first);

  assert_row (t, 0, 0.866025, -0.5, 0, 2, 1e-6);
  assert_row (t, 1, 0, 0, -1, -3, 1e-6);
  assert_row (t, 2, 0.5, 0.866025, 0, 0, 1e-6);
  assert_near (kg_transform_determinant (t), 1, 1e-14);
  t = dh_get_link (&second);
  assert_near (t.m[0][0], 0.422618, 1e-6);
  assert_near (t.m[1][0], 0.694272, 1e-6);
  assert_near (t.m[2][0], -0.582563, 1e-6);
  assert_near (t.m[0][3], 0.5, 1e-6);
  assert_near (t.m[1][3], 0.771345, 1e-6);
  assert_near (t.m[2][3], 0.919253, 1e-6);
  assert_near (kg_transform_determinant (t), 1, 1e-14);
  /* 55-101: the translation does not depend on the angle. */
  t = dh_get_link (&craig);
  assert_row (t, 0, 0.5, -0.8660254, 0, 0.4, 1e-7);
  assert_row (t, 1, 0.75, 0.4330127, -0.5, -0.1, 1e-7);
  assert_row (t, 2, 0.4330127, 0.25, 0.8660254, 0.1732051, 1e-7);
}

/* The skeleton of rows has the world axes that the product of their matrices has, sliders included. */
static void
test_dh_skeleton (void)
{
  for (uint64_t seed = 0; seed < 20; seed++) {
    DhRow rows[6];
    const KgTransform base = kg_transform_from_parts (
        kg_vector (1, -2, 0.5), kg_rotation_from_axis_angle (kg_random_direction (seed, 1, 1), 1.1),
        kg_vector (1, 1, 1));
    g_autoptr (KgSkeleton) skeleton = NULL;
    KgTransform world[7], product = base;

    for (uint64_t i = 0; i < 6; i++)
      rows[i] = (DhRow){ .a = kg_random_signed (seed, i, 0),
                         .alpha = 3 * kg_random_signed (seed, i, 1),
                         .d = kg_random_signed (seed, i, 2),
                         .theta = 3 * kg_random_signed (seed, i, 3),
                         .slides = i % 3 == 1,
                         .low = i % 3 == 1 ? -INFINITY : -KG_PI,
                         .high = i % 3 == 1 ? INFINITY : KG_PI };
    skeleton = dh_new_skeleton (rows, 6, base, 0.7, 0.3, NULL);
    kg_skeleton_get_world (skeleton, world);
    for (guint i = 0; i < 6; i++) {
      product = kg_transform_multiply (product, dh_get_link (&rows[i]));
      for (int k = 0; k < 12; k++)
        assert_near (world[i].m[k / 4][k % 4], product.m[k / 4][k % 4], 1e-13);
    }
    {
      g_auto (Linkage) linkage = { 0 };

      /* The values of the freedoms are the numbers of the table. */
      linkage_init (&linkage, skeleton);
      g_assert_cmpuint (linkage.n, ==, 6);
      for (guint i = 0; i < 6; i++)
        assert_near (linkage.freedoms[i].value, rows[i].slides ? rows[i].d : rows[i].theta, 1e-13);
    }
  }
}

static void
test_dh_classic (void)
{
  DhRow rows[] = {
    { .theta = 20 * KG_DEGREE, .d = 0.3, .a = 3, .alpha = 40 * KG_DEGREE, .low = -KG_PI, .high = KG_PI },
    { .theta = 30 * KG_DEGREE, .d = 0.2, .a = 2, .alpha = -60 * KG_DEGREE, .low = -KG_PI, .high = KG_PI }
  };
  double length, twist;
  g_autoptr (KgSkeleton) skeleton = NULL;
  KgTransform world[3], product = kg_transform_identity ();

  for (int i = 0; i < 2; i++) {
    const KgVector x = { 1, 0, 0 }, z = { 0, 0, 1 };
    const KgTransform turn = kg_transform_from_parts (
        kg_vector (0, 0, rows[i].d), kg_rotation_from_axis_angle (z, rows[i].theta), kg_vector (1, 1, 1));
    const KgTransform link = kg_transform_from_parts (
        kg_vector (rows[i].a, 0, 0), kg_rotation_from_axis_angle (x, rows[i].alpha), kg_vector (1, 1, 1));

    product = kg_transform_multiply (product, kg_transform_multiply (turn, link));
  }
  dh_from_classic (rows, 2, &length, &twist);
  skeleton = dh_new_skeleton (rows, 2, kg_transform_identity (), length, twist, NULL);
  kg_skeleton_get_world (skeleton, world);
  assert_near (world[2].m[0][3], 4.228640, 1e-6);
  assert_near (world[2].m[1][3], 2.217498, 1e-6);
  assert_near (world[2].m[2][3], 1.095996, 1e-6);
  for (int k = 0; k < 12; k++)
    assert_near (world[2].m[k / 4][k % 4], product.m[k / 4][k % 4], 1e-14);
}

/* Meeting, parallel and skew axes. */
static void
test_dh_fit (void)
{
  const KgVector x = { 1, 0, 0 }, z = { 0, 0, 1 };
  const DhAxis meeting[] = { { { 0, 0, 0 }, z, false }, { { 2, 0, 3 }, x, false } };
  const DhAxis parallel[] = { { { 0, 0, 0 }, z, false }, { { 3, 4, 0 }, z, false } };
  const DhAxis skew[] = { { { 0, 0, 0 }, z, false }, { { 0, 2, 1 }, x, false } };
  KgTransform base, last;
  DhRow rows[2];

  dh_fit (meeting, 2, rows, &base, &last);
  assert_near (rows[1].a, 0, 1e-14);
  assert_near (fabs (rows[1].alpha), 90 * KG_DEGREE, 1e-14);
  assert_near (base.m[2][3], 3, 1e-14);
  assert_near (dh_get_residual (meeting, rows, 2, base), 0, 1e-14);
  dh_fit (parallel, 2, rows, &base, &last);
  assert_near (rows[1].a, 5, 1e-14);
  assert_near (rows[1].alpha, 0, 1e-14);
  assert_near (dh_get_residual (parallel, rows, 2, base), 0, 1e-14);
  dh_fit (skew, 2, rows, &base, &last);
  assert_near (rows[1].a, 2, 1e-14);
  assert_near (rows[1].alpha, 90 * KG_DEGREE, 1e-14);
  assert_near (base.m[1][0], 1, 1e-14); /* x along +y */
  assert_near (base.m[2][3], 1, 1e-14);
  assert_near (last.m[1][3], 2, 1e-14);
  assert_near (dh_get_residual (skew, rows, 2, base), 0, 1e-14);
}

/* Axes of random chains, and of some with parallel, coincident and meeting axes, come back. */
static void
test_dh_round_trip (void)
{
  for (uint64_t seed = 0; seed < 60; seed++) {
    DhAxis axes[5];
    DhRow rows[5], fitted[5];
    KgTransform frame = kg_transform_identity (), base, last;

    for (uint64_t i = 0; i < 5; i++) {
      const uint64_t special = kg_random_bits (seed, i, 9) % 4;

      rows[i] = (DhRow){ .a = special == 0 ? 0 : kg_random_signed (seed, i, 0),
                         .alpha = special == 1 ? 0 : 3 * kg_random_signed (seed, i, 1),
                         .d = kg_random_signed (seed, i, 2),
                         .theta = 3 * kg_random_signed (seed, i, 3) };
      if (special == 2 && seed % 2 == 0)
        rows[i].a = rows[i].alpha = 0;
      frame = kg_transform_multiply (frame, dh_get_link (&rows[i]));
      axes[i] = (DhAxis){ kg_transform_get_place (&frame), kg_transform_get_column (&frame, 2), false };
      /* Any point of the axis will do. */
      axes[i].point = kg_vector_add_scaled (axes[i].point, kg_random_signed (seed, i, 4), axes[i].direction);
    }
    dh_fit (axes, 5, fitted, &base, &last);
    /* Feet of axes that are nearly parallel are far away: rounding grows with that. */
    g_assert_cmpfloat (dh_get_residual (axes, fitted, 5, base), <, 1e-11);
  }
}

/* Joints of every kind: the analytic Jacobian is that of central differences. */
static const char every_kind[] = "root - free 0.1 0.2 0.3\n"
                                 "a root planar 0.5 0 0 about y rest 10 20 30\n"
                                 "b a universal 0 0.4 0 limits -100 100 limits -80 80\n"
                                 "c b cylinder 0.2 0.1 0 about x rest 0 -40 10\n"
                                 "d c ball 0.1 0 0.3 limits -90 90 limits -70 70 limits -120 120\n"
                                 "e d hinge 0 0.3 0 about y\n"
                                 "side c hinge 1 1 1\n"
                                 "f e slider 0.2 0 0 rest 5 6 7\n";

typedef struct {
  const Linkage *linkage;
  KgSkeleton *skeleton;
  guint joint;
  KgRotation frame;
} Probe;

/* Place of the end, and its rotation vector from where it was, for changes of all freedoms. */
static void
probe (const double *changes, double *values, gpointer data)
{
  const Probe *p = (const Probe *) data;
  g_autoptr (KgSkeleton) moved = kg_skeleton_ref (p->skeleton);
  g_auto (Linkage) linkage = { 0 };
  KgVector turned;

  kg_skeleton_make_writable (&moved);
  linkage_move (p->linkage, moved, changes);
  linkage_init (&linkage, moved);
  turned =
      linkage_get_rotation_vector (kg_rotation_multiply (linkage.frames[p->joint], kg_rotation_conjugate (p->frame)));
  for (size_t c = 0; c < 3; c++) {
    values[c] = kg_vector_get (linkage.points[p->joint], c);
    values[3 + c] = kg_vector_get (turned, c);
  }
}

static void
test_jacobian_differences (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgSkeleton) skeleton = joint_list_read (every_kind, &error);
  g_auto (Linkage) linkage = { 0 };
  g_autofree double *values = NULL, *analytic = NULL, *numeric = NULL;
  const int end = kg_skeleton_find_joint (skeleton, "f");

  g_assert_no_error (error);
  linkage_init (&linkage, skeleton);
  g_assert_cmpuint (linkage.n, ==, 6 + 3 + 2 + 2 + 3 + 1 + 1 + 1);
  values = g_new (double, linkage.n);
  analytic = g_new (double, 6 * (gsize) linkage.n);
  numeric = g_new (double, 6 * (gsize) linkage.n);
  for (uint64_t i = 0; i < 10; i++) {
    Probe p = { &linkage, skeleton, (guint) end, { 0 } };

    linkage_draw (&linkage, 3, i, values);
    linkage_set_values (&linkage, skeleton, values);
    linkage_update (&linkage, skeleton);
    p.frame = linkage.frames[end];
    linkage_get_jacobian (&linkage, (guint) end, linkage.points[end], analytic);
    memset (values, 0, linkage.n * sizeof *values);
    linkage_get_numeric_jacobian (probe, &p, 6, linkage.n, values, numeric);
    for (guint k = 0; k < 6 * linkage.n; k++)
      assert_near (analytic[k], numeric[k], 2e-9);
  }
}

/* What is set is read again, also beyond half a circle of a ball. */
static void
test_values (void)
{
  g_autoptr (KgSkeleton) skeleton = joint_list_read (every_kind, NULL);
  g_auto (Linkage) linkage = { 0 };
  g_autofree double *values = NULL;

  linkage_init (&linkage, skeleton);
  values = g_new (double, linkage.n);
  for (uint64_t i = 0; i < 20; i++) {
    linkage_draw (&linkage, 5, i, values);
    for (guint k = 0; k < linkage.n; k++)
      if (linkage.freedoms[k].kind == LINKAGE_BALL)
        values[k] *= 0.5;
    linkage_set_values (&linkage, skeleton, values);
    linkage_update (&linkage, skeleton);
    for (guint k = 0; k < linkage.n; k++)
      assert_near (linkage.freedoms[k].value, values[k], 1e-12);
  }
}

static void
square_and_sine (const double *x, double *values, gpointer data)
{
  (void) data;
  values[0] = x[0] * x[0] * x[1];
  values[1] = sin (x[0]) + x[1];
}

static void
test_numeric_jacobian (void)
{
  double x[] = { 1.2, 0.7 }, jacobian[4];

  linkage_get_numeric_jacobian (square_and_sine, NULL, 2, 2, x, jacobian);
  assert_near (jacobian[0], 1.68, 1e-9);
  assert_near (jacobian[1], 1.44, 1e-9);
  assert_near (jacobian[2], 0.36235775, 1e-7);
  assert_near (jacobian[3], 1, 1e-9);
  g_assert_cmpfloat (x[0], ==, 1.2);
}

/* The arm of the textbook: rates for V = (-0.1, 0.2) by every method. */
typedef struct {
  KgSkeleton *skeleton;
  Linkage linkage;
  double jacobian[18];
} Arm;

static void
arm_init (Arm *arm, guint n, const double *l, const double *degrees)
{
  arm->skeleton = make_arm (n, l, degrees);
  linkage_init (&arm->linkage, arm->skeleton);
  linkage_get_jacobian (&arm->linkage, n, arm->linkage.points[n], arm->jacobian);
}

static void
arm_clear (Arm *arm)
{
  linkage_clear (&arm->linkage);
  kg_skeleton_unref (arm->skeleton);
}

static void
solve (const Arm *arm, IkRatesMethod method, double damping, const double *error, const double *wish, double *rates)
{
  const IkRates ik = { .n_rows = 3,
                       .n = arm->linkage.n,
                       .jacobian = arm->jacobian,
                       .error = error,
                       .wish = wish,
                       .method = method,
                       .damping = damping };
  g_autoptr (GError) problem = NULL;

  ik_rates_solve (&ik, rates, &problem);
  g_assert_no_error (problem);
}

static void
assert_three (const double *x, double a, double b, double c, double tolerance)
{
  assert_near (x[0], a, tolerance);
  assert_near (x[1], b, tolerance);
  assert_near (x[2], c, tolerance);
}

static void
test_planar_arm (void)
{
  static const double two[] = { 3, 2 }, bent[] = { 0, 30 };
  Arm arm;
  bool singular;

  arm_init (&arm, 3, lengths, pose);
  assert_vector_near (arm.linkage.points[1], 1.732051, 1, 0, 1e-6);
  assert_vector_near (arm.linkage.points[2], 2.120279, 2.448889, 0, 1e-6);
  assert_vector_near (arm.linkage.points[3], 2.693856, 3.268041, 0, 1e-6);
  assert_three (arm.jacobian, -3.268041, -2.268041, -0.819152, 1e-6);
  assert_three (arm.jacobian + 3, 2.693856, 0.961805, 0.573576, 1e-6);
  assert_near (linkage_get_manipulability (&arm.linkage, arm.skeleton, 3, 0, 3, &singular), 3.028865, 1e-6);
  g_assert_false (singular);
  arm_clear (&arm);
  arm_init (&arm, 2, two, bent);
  assert_near (linkage_get_manipulability (&arm.linkage, arm.skeleton, 2, 0, 3, &singular), 3, 1e-12);
  arm_clear (&arm);
}

static void
test_singular (void)
{
  static const double unit[] = { 1, 1 }, nearly[] = { 0, 1 }, straight[] = { 0, 0, 0 };
  const double back[] = { -0.1, 0, 0 };
  double rates[3];
  Arm arm;
  bool singular;

  arm_init (&arm, 2, unit, nearly);
  solve (&arm, IK_RATES_INVERSE, 0, back, NULL, rates);
  assert_near (rates[0], -5.728996, 1e-5);
  assert_near (rates[1], 11.458865, 1e-5);
  assert_near (linkage_get_manipulability (&arm.linkage, arm.skeleton, 2, 0, 3, &singular), 2.235986 * 0.0078052, 1e-6);
  g_assert_false (singular);
  arm_clear (&arm);
  arm_init (&arm, 3, lengths, straight);
  assert_three (arm.jacobian, 0, 0, 0, 1e-15);
  assert_three (arm.jacobian + 3, 4.5, 2.5, 1, 1e-15);
  assert_near (linkage_get_manipulability (&arm.linkage, arm.skeleton, 3, 0, 3, &singular), 0, 1e-12);
  g_assert_true (singular);
  arm_clear (&arm);
  /* The straight arm of two hinges cannot come nearer to its root. */
  arm_init (&arm, 2, unit, straight);
  {
    const IkRates ik = { .n_rows = 3, .n = 2, .jacobian = arm.jacobian, .error = back, .method = IK_RATES_INVERSE };
    g_autoptr (GError) error = NULL;

    g_assert_false (ik_rates_solve (&ik, rates, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  }
  arm_clear (&arm);
}

static const double wanted[] = { -0.1, 0.2, 0 };

static void
test_pseudo_inverse (void)
{
  Arm arm;
  double rates[3], more[3];
  const double null[] = { 0.169380, 0.109680, -0.979429 };

  arm_init (&arm, 3, lengths, pose);
  solve (&arm, IK_RATES_PSEUDO_INVERSE, 0, wanted, NULL, rates);
  assert_three (rates, 0.119435, -0.130198, 0.006075, 1e-6);
  assert_near (sqrt (rates[0] * rates[0] + rates[1] * rates[1] + rates[2] * rates[2]), 0.176786, 1e-6);
  /* A wish along the null vector is made in full, and the end does not notice. */
  solve (&arm, IK_RATES_PSEUDO_INVERSE, 0, wanted, null, more);
  for (int k = 0; k < 3; k++)
    assert_near (more[k] - rates[k], null[k], 1e-6);
  for (int r = 0; r < 2; r++) {
    double v = 0;

    for (int k = 0; k < 3; k++)
      v += arm.jacobian[3 * r + k] * more[k];
    assert_near (v, wanted[r], 1e-12);
  }
  arm_clear (&arm);
}

/* 55-102. */
static void
test_null_space (void)
{
  static const double l[] = { 1, 0.8, 0.6 }, degrees[] = { 20, 40, 30 };
  const double v[] = { 0.1, -0.2, 0 }, still[] = { 0, 0, 0 };
  double rates[3], wish[3], change = 0;
  Arm arm;

  arm_init (&arm, 3, l, degrees);
  assert_three (arm.jacobian, -1.6348405, -1.2928203, -0.6, 1e-7);
  assert_three (arm.jacobian + 3, 1.3396926, 0.4, 0, 1e-7);
  solve (&arm, IK_RATES_PSEUDO_INVERSE, 0, v, NULL, rates);
  assert_three (rates, -0.1779729, 0.0960723, 0.1112550, 1e-7);
  /* Centres 0, half ranges 90 degrees: the comfort falls at this rate along its projected gradient. */
  for (int k = 0; k < 3; k++)
    wish[k] = -2 * degrees[k] * KG_DEGREE / (KG_PI * KG_PI / 4);
  solve (&arm, IK_RATES_PSEUDO_INVERSE, 0, still, wish, rates);
  for (int k = 0; k < 3; k++)
    change += -wish[k] * rates[k];
  assert_near (change, -0.0026695, 1e-7);
  for (int r = 0; r < 2; r++)
    assert_near (arm.jacobian[3 * r] * rates[0] + arm.jacobian[3 * r + 1] * rates[1] +
                     arm.jacobian[3 * r + 2] * rates[2],
                 0, 1e-14);
  arm_clear (&arm);
}

static void
test_control (void)
{
  Arm arm;
  const double still[] = { 0, 0, 0 };
  const double wish[] = { 0, 0, 0.698132 }, fourth[] = { -0.574190, -1.937892, 0.170130 };
  double rates[3], gains[] = { 1, 1, 1 }, desired[] = { 0, 0, 0 }, gradient[3];
  IkJacobian ik = { .gains = gains, .desired = desired, .power = 4 };

  arm_init (&arm, 3, lengths, pose);
  solve (&arm, IK_RATES_PSEUDO_INVERSE, 0, still, wish, rates);
  assert_three (rates, -0.115817, -0.074996, 0.669704, 1e-6);
  solve (&arm, IK_RATES_PSEUDO_INVERSE, 0, wanted, wish, rates);
  assert_three (rates, 0.003618, -0.205194, 0.675779, 1e-6);
  ik_jacobian_get_comfort (&ik, &arm.linkage, gradient);
  assert_three (gradient, 0.574190, 1.937892, -0.170130, 1e-6);
  solve (&arm, IK_RATES_PSEUDO_INVERSE, 0, still, fourth, rates);
  assert_three (rates, -0.080699, -0.052256, 0.466635, 1e-6);
  arm_clear (&arm);
}

static void
test_transpose_and_damped (void)
{
  static const double straight[] = { 0, 0, 0 };
  Arm arm;
  double rates[3], moved[2];
  const double back[] = { -0.1, 0, 0 }, up[] = { 0, 0.1, 0 };

  arm_init (&arm, 3, lengths, pose);
  solve (&arm, IK_RATES_TRANSPOSE, 0, wanted, NULL, rates);
  assert_three (rates, 0.0407664 * 0.865575, 0.0407664 * 0.419165, 0.0407664 * 0.196630, 1e-6);
  for (int r = 0; r < 2; r++)
    moved[r] = arm.jacobian[3 * r] * rates[0] + arm.jacobian[3 * r + 1] * rates[1] + arm.jacobian[3 * r + 2] * rates[2];
  assert_near (hypot (wanted[0] - moved[0], wanted[1] - moved[1]), 0.103529, 1e-6);
  solve (&arm, IK_RATES_DAMPED, 0.5, wanted, NULL, rates);
  assert_three (rates, 0.084717, -0.070354, 0.006772, 1e-6);
  arm_clear (&arm);
  arm_init (&arm, 3, lengths, straight);
  solve (&arm, IK_RATES_DAMPED, 0.1, back, NULL, rates);
  assert_three (rates, 0, 0, 0, 1e-15);
  solve (&arm, IK_RATES_DAMPED, 0.1, up, NULL, rates);
  assert_three (rates, 0.016358, 0.009088, 0.003635, 1e-6);
  arm_clear (&arm);
}

/* The way in n equal parts, each one step of the pseudo-inverse without looking back: an error of first order. */
static void
test_steps (void)
{
  static const struct {
    int n;
    double error;
  } facts[] = { { 1, 0.219748 }, { 10, 0.0173398 }, { 100, 0.00170065 } };

  for (guint f = 0; f < G_N_ELEMENTS (facts); f++) {
    const double part[] = { -1.0 / facts[f].n, 0.5 / facts[f].n, 0 };
    KgVector goal;
    Arm arm;

    arm_init (&arm, 3, lengths, pose);
    goal = kg_vector_add (arm.linkage.points[3], kg_vector (-1, 0.5, 0));
    for (int i = 0; i < facts[f].n; i++) {
      double rates[3];

      linkage_get_jacobian (&arm.linkage, 3, arm.linkage.points[3], arm.jacobian);
      solve (&arm, IK_RATES_PSEUDO_INVERSE, 0, part, NULL, rates);
      linkage_move (&arm.linkage, arm.skeleton, rates);
      linkage_update (&arm.linkage, arm.skeleton);
    }
    assert_near (kg_vector_distance (goal, arm.linkage.points[3]), facts[f].error, 1e-6);
    arm_clear (&arm);
  }
}

/* A second level makes what the first leaves it, and nothing else. */
static void
test_levels (void)
{
  Arm arm;
  double jacobian[9], rates[3];
  const double error[] = { -0.1, 0.2, 0.3 };
  const int levels[] = { 0, 0, 1 };
  IkRates ik = {
    .n_rows = 3, .n = 3, .jacobian = jacobian, .error = error, .levels = levels, .method = IK_RATES_PSEUDO_INVERSE
  };

  arm_init (&arm, 3, lengths, pose);
  memcpy (jacobian, arm.jacobian, 6 * sizeof *jacobian);
  /* Third row: the direction of the hand; the arm can satisfy all three. */
  jacobian[6] = jacobian[7] = jacobian[8] = 1;
  g_assert_true (ik_rates_solve (&ik, rates, NULL));
  for (int r = 0; r < 3; r++)
    assert_near (jacobian[3 * r] * rates[0] + jacobian[3 * r + 1] * rates[1] + jacobian[3 * r + 2] * rates[2], error[r],
                 1e-12);
  /* Where the second level asks for what contradicts the first, the first has it its way. */
  memcpy (jacobian + 6, jacobian, 3 * sizeof *jacobian);
  g_assert_true (ik_rates_solve (&ik, rates, NULL));
  assert_near (jacobian[0] * rates[0] + jacobian[1] * rates[1] + jacobian[2] * rates[2], -0.1, 1e-12);
  assert_near (jacobian[3] * rates[0] + jacobian[4] * rates[1] + jacobian[5] * rates[2], 0.2, 1e-12);
  arm_clear (&arm);
}

/* 20-105, 20-111: stiff joints move less; only the ratios count. */
static void
test_stiffness (void)
{
  static const double l[] = { 1, 1, 1 }, degrees[] = { 0, 90, 0 }, up[] = { 0, 0.3, 0 };
  static const double stiffness[][3] = { { 1, 1, 1 }, { 1, 2, 4 }, { 4, 2, 1 }, { 40, 20, 10 } };
  static const double facts[][3] = {
    { 0.3, -0.24, -0.12 }, { 0.3, -0.2666667, -0.0666667 }, { 0.3, -0.2, -0.2 }, { 0.3, -0.2, -0.2 }
  };
  const double wish[] = { 0.1, 0.2, -0.4 };
  Arm arm;

  arm_init (&arm, 3, l, degrees);
  for (guint i = 0; i < G_N_ELEMENTS (stiffness); i++) {
    IkRates ik = { .n_rows = 3,
                   .n = 3,
                   .jacobian = arm.jacobian,
                   .error = up,
                   .stiffness = stiffness[i],
                   .method = IK_RATES_PSEUDO_INVERSE };
    double rates[3], damped[3];

    g_assert_true (ik_rates_solve (&ik, rates, NULL));
    assert_three (rates, facts[i][0], facts[i][1], facts[i][2], 1e-7);
    /* What is wished for changes nothing of the end. */
    ik.wish = wish;
    g_assert_true (ik_rates_solve (&ik, rates, NULL));
    assert_near (arm.jacobian[0] * rates[0] + arm.jacobian[1] * rates[1] + arm.jacobian[2] * rates[2], 0, 1e-12);
    assert_near (rates[0], 0.3, 1e-12);
    g_assert_cmpfloat (fabs (rates[1] - facts[i][1]), >, 0.01);
    /* Damping does not depend on the unit of the stiffness. */
    ik.method = IK_RATES_DAMPED;
    ik.damping = 0.2;
    g_assert_true (ik_rates_solve (&ik, i == 3 ? damped : rates, NULL));
    if (i == 3) {
      ik.stiffness = stiffness[2];
      g_assert_true (ik_rates_solve (&ik, rates, NULL));
      assert_three (damped, rates[0], rates[1], rates[2], 1e-12);
    }
  }
  arm_clear (&arm);
}

/* 65-12: the error falls in every round, and is below 1e-4 after so many of them. */
static void
test_effect (void)
{
  static const double l[] = { 0.3, 0.26, 0.18 }, degrees[] = { 20, 30, 20 };
  static const struct {
    double x, y;
    int rounds;
  } facts[] = { { 0.4, 0.35, 67 }, { 0.2, -0.3, 109 }, { 0.6, 0.1, 103 } };

  for (guint f = 0; f < G_N_ELEMENTS (facts); f++) {
    double distance = INFINITY;
    int rounds = 0;
    Arm arm;

    arm_init (&arm, 3, l, degrees);
    while (distance > 1e-4 && rounds < 200) {
      const double error[] = { facts[f].x - arm.linkage.points[3].x, facts[f].y - arm.linkage.points[3].y, 0 };
      double rates[3];

      g_assert_cmpfloat (hypot (error[0], error[1]), <, distance);
      distance = hypot (error[0], error[1]);
      if (distance <= 1e-4)
        break;
      linkage_get_jacobian (&arm.linkage, 3, arm.linkage.points[3], arm.jacobian);
      solve (&arm, IK_RATES_EFFECT, 0, error, NULL, rates);
      linkage_move (&arm.linkage, arm.skeleton, rates);
      linkage_update (&arm.linkage, arm.skeleton);
      rounds++;
    }
    g_assert_cmpint (ABS (rounds - facts[f].rounds), <=, 1);
    arm_clear (&arm);
  }
}

/* Two goals of the same weight on either side of a Y: its stem stays. */
static void
test_two_ends (void)
{
  g_autoptr (KgSkeleton) skeleton = joint_list_read ("stem - hinge 0 0 0\n"
                                                     "left stem hinge 0 1 0\nlefthand left fixed -1 0 0\n"
                                                     "right stem hinge 0 1 0\nrighthand right fixed 1 0 0\n",
                                                     NULL);
  const IkJacobianGoal goals[] = {
    { .joint = 2, .position = { -0.8, 1.6, 0 }, .orientation = { 1, 0, 0, 0 }, .weight = 1 },
    { .joint = 4, .position = { 0.8, 1.6, 0 }, .orientation = { 1, 0, 0, 0 }, .weight = 1 },
  };
  IkJacobian ik = { .goals = goals,
                    .n_goals = 2,
                    .method = IK_RATES_DAMPED,
                    .damping = 0.01,
                    .step = 0.1,
                    .max_iterations = 200,
                    .substeps = 1,
                    .tolerance = 1e-9,
                    .power = 2 };

  g_assert_true (ik_jacobian_run (&ik, skeleton, NULL, NULL));
  assert_near (ik.residual, 0, 1e-6);
  assert_near (kg_skeleton_get_rotation (skeleton, 0).z, 0, 1e-9);
}

/* Everything about one axis: a straight 3R arm and a goal on its own line. */
static void
test_stretched (void)
{
  static const double straight[] = { 0, 0, 0 };

  for (int method = 0; method < IK_RATES_N_METHODS; method++) {
    g_autoptr (KgSkeleton) skeleton = make_arm (3, lengths, straight);
    const IkJacobianGoal goal = { .joint = 3, .position = { 3, 0, 0 }, .orientation = { 1, 0, 0, 0 }, .weight = 1 };
    IkJacobian ik = { .goals = &goal,
                      .n_goals = 1,
                      .method = (IkRatesMethod) method,
                      .damping = 0.05,
                      .step = 0.1,
                      .max_iterations = 3000,
                      .substeps = 1,
                      .tolerance = 1e-4,
                      .power = 2 };
    g_autoptr (GError) error = NULL;

    if (method == IK_RATES_INVERSE) {
      g_assert_false (ik_jacobian_run (&ik, skeleton, NULL, &error));
      g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
    } else {
      g_assert_true (ik_jacobian_run (&ik, skeleton, NULL, &error));
      g_assert_cmpfloat (ik.residual, <=, 1e-4);
    }
  }
}

static void
test_joint_list (void)
{
  static const char *const wrong[] = {
    "",
    "a b hinge 0 0 0",
    "a - wheel 0 0 0",
    "a - hinge 0 0",
    "a - hinge 0 0 nan",
    "a - hinge 0 0 0 limits 30 -30",
    "a - hinge 0 0 0 limits -300 30",
    "a - hinge 0 0 0 limits -30 30 limits 0 1",
    "a - hinge 0 0 0 mass -1",
    "a - hinge 0 0 0 tensor 1 2",
    "a - hinge 0 0 0 tensor 1 2 -3",
    "a - hinge 0 0 0 about w",
    "a - hinge 0 0 0 colour",
    "a - hinge 0 0 0\na - hinge 0 0 0",
  };
  g_autoptr (KgSkeleton) skeleton = joint_list_read ("# a robot\nbase - slider 0 1 0 about x limits -2 3 mass 5\n\n"
                                                     "arm base hinge 1, 0, 0 limits -10 80 # elbow\n",
                                                     NULL);

  g_assert_cmpuint (kg_skeleton_get_n_joints (skeleton), ==, 2);
  g_assert_true (kg_skeleton_get_joint (skeleton, 0)->slide[0]);
  g_assert_cmpfloat (kg_skeleton_get_joint (skeleton, 0)->slide_low.x, ==, -2);
  g_assert_cmpfloat (kg_skeleton_get_joint (skeleton, 0)->mass, ==, 5);
  assert_near (kg_skeleton_get_joint (skeleton, 1)->high.z, 80 * KG_DEGREE, 1e-12);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (joint_list_read (wrong[i], &error));
    g_assert_nonnull (error);
    if (i > 0)
      g_assert_true (strstr (error->message, "line ") != NULL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/linkage/50-16-55-101-link", test_dh_link);
  g_test_add_func ("/linkage/50-17-skeleton", test_dh_skeleton);
  g_test_add_func ("/linkage/50-20-classic", test_dh_classic);
  g_test_add_func ("/linkage/50-19-fit", test_dh_fit);
  g_test_add_func ("/linkage/50-19-round-trip", test_dh_round_trip);
  g_test_add_func ("/linkage/50-25-differences", test_jacobian_differences);
  g_test_add_func ("/linkage/values", test_values);
  g_test_add_func ("/linkage/50-24-numeric", test_numeric_jacobian);
  g_test_add_func ("/linkage/50-26-planar-arm", test_planar_arm);
  g_test_add_func ("/linkage/50-27-singular", test_singular);
  g_test_add_func ("/linkage/50-28-pseudo-inverse", test_pseudo_inverse);
  g_test_add_func ("/linkage/55-102-null-space", test_null_space);
  g_test_add_func ("/linkage/50-30-control", test_control);
  g_test_add_func ("/linkage/50-31-50-32-transpose-damped", test_transpose_and_damped);
  g_test_add_func ("/linkage/50-29-steps", test_steps);
  g_test_add_func ("/linkage/levels", test_levels);
  g_test_add_func ("/linkage/20-105-20-111-stiffness", test_stiffness);
  g_test_add_func ("/linkage/65-12-effect", test_effect);
  g_test_add_func ("/linkage/50-34-two-ends", test_two_ends);
  g_test_add_func ("/linkage/50-32-stretched", test_stretched);
  g_test_add_func ("/linkage/50-10-joint-list", test_joint_list);
  return g_test_run ();
}
