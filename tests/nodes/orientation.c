/* tests/nodes/orientation: rotations, quaternions and their interpolation against the figures of catalogue 30-60 to 30-73,
 * and value/mix (30-05).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "rotation/quaternion_path.h"
#include "kg-random.h"
#include "node-test.h"

#define DEGREE KG_DEGREE

static KgRotation
get_rotation (NodeTest *test, const char *target)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  g_assert_cmpint (value.kind, ==, KG_ROTATION);
  return value.rotation;
}

static KgTransform
get_transform (NodeTest *test, const char *target)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  g_assert_cmpint (value.kind, ==, KG_TRANSFORM);
  return *value.transform;
}

#define assert_rotation_near(q, w_, x_, y_, z_, tolerance)                                                             \
  do {                                                                                                                 \
    const KgRotation q_ = (q);                                                                                         \
    assert_near (q_.w, w_, tolerance);                                                                                 \
    assert_near (q_.x, x_, tolerance);                                                                                 \
    assert_near (q_.y, y_, tolerance);                                                                                 \
    assert_near (q_.z, z_, tolerance);                                                                                 \
  } while (0)

static void
assert_same (KgRotation a, KgRotation b, double tolerance)
{
  assert_rotation_near (a, b.w, b.x, b.y, b.z, tolerance);
}

static KgRotation
about (double x, double y, double z, double degrees)
{
  return kg_rotation_from_axis_angle (kg_vector (x, y, z), degrees * DEGREE);
}

/* A rotation like any other, evenly spread (Shoemake 1992). */
static KgRotation
make_random (uint64_t i)
{
  const double u = kg_random_uniform (1, i, 0), a = 2 * KG_PI * kg_random_uniform (1, i, 1);
  const double b = 2 * KG_PI * kg_random_uniform (1, i, 2);

  return (KgRotation){ sqrt (1 - u) * sin (a), sqrt (1 - u) * cos (a), sqrt (u) * sin (b), sqrt (u) * cos (b) };
}

/* 30-60: a point moves with a translation; rows and columns give the same; perspective divides. */
static void
test_points (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rotation/apply", "a", "vector", "[1, 2, 3]", "transform",
                 "[0, -1, 0, 5, 2, 0, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1]", NULL);
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 3, 8, 10, 0);
  /* The same matrix as programs with row vectors write it. */
  node_test_set (&test, "a", "transform", "[0, 2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]");
  node_test_set (&test, "a", "rows", "true");
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 3, 8, 10, 0);
  node_test_set (&test, "a", "inverse", "true");
  node_test_set (&test, "a", "vector", "[3, 8, 10]");
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 1, 2, 3, 1e-15);
  /* A division by z, and a point that it sends to infinity. */
  node_test_set (&test, "a", "rows", "false");
  node_test_set (&test, "a", "inverse", "false");
  node_test_set (&test, "a", "transform", "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]");
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 0.3, 0.8, 1, 1e-15);
  node_test_set (&test, "a", "vector", "[3, 8, 0]");
  node_test_warns (&test, "a.applied", "infinity");
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 3, 8, 0, 0);
  /* A transform that cannot be undone. */
  node_test_set (&test, "a", "transform", "[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
  node_test_set (&test, "a", "inverse", "true");
  node_test_fails_saying (&test, "a.applied", 0, "has no inverse");
  node_test_clear (&test);
}

/* 30-61: normals and planes by the inverse transpose. */
static void
test_normals (void)
{
  NodeTest test = node_test_new ();
  const double m[3][4] = { { 2, 0.3, -1, 4 }, { 0.5, 1.5, 0.2, -2 }, { 0.1, -0.7, 3, 1 } };
  const KgVector normal = { 1, -2, 0.5 };
  KgVector image;
  double d;

  node_test_add (&test, "rotation/apply", "a", "as", "\"normal\"", "vector",
                 "[0.70710678118654752, 0.70710678118654752, 0]", "transform",
                 "[2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]", NULL);
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 0.3535533906, 0.7071067812, 0, 1e-10);
  node_test_set (&test, "a", "normalize", "true");
  assert_near (kg_vector_length (node_test_vector (&test, "a.applied", 0)), 1, 1e-15);
  /* A direction is stretched; a translation leaves it alone. */
  node_test_set (&test, "a", "normalize", "false");
  node_test_set (&test, "a", "as", "\"direction\"");
  node_test_set (&test, "a", "vector", "[1, 1, 0]");
  node_test_set (&test, "a", "transform", "[2, 0, 0, 9, 0, 1, 0, 9, 0, 0, 1, 9, 0, 0, 0, 1]");
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 2, 1, 0, 0);
  /* N' · M P = N · P for a plane and any point. */
  node_test_set (&test, "a", "as", "\"plane\"");
  node_test_set (&test, "a", "vector", "[1, -2, 0.5]");
  node_test_set_number (&test, "a", "offset", 3);
  node_test_set (&test, "a", "transform", "[2, 0.3, -1, 4, 0.5, 1.5, 0.2, -2, 0.1, -0.7, 3, 1, 0, 0, 0, 1]");
  image = node_test_vector (&test, "a.applied", 0);
  d = node_test_number (&test, "a.applied_offset", 0);
  for (uint64_t i = 0; i < 20; i++) {
    const KgVector p = { kg_random_uniform (2, i, 0), kg_random_uniform (2, i, 1), kg_random_uniform (2, i, 2) };
    KgVector q;

    for (int r = 0; r < 3; r++)
      *kg_vector_component (&q, r) = m[r][0] * p.x + m[r][1] * p.y + m[r][2] * p.z + m[r][3];
    assert_near (kg_vector_dot (image, q) + d, kg_vector_dot (normal, p) + 3, 1e-13);
  }
  /* Of a rotation the inverse transpose is the matrix. */
  node_test_add (&test, "value/rotation", "r", "from", "\"axis\"", "axis", "[1, 2, 2]", "angle", "60", NULL);
  node_test_set (&test, "a", "transform", "{\"link\": \"r.transform\"}");
  node_test_set (&test, "a", "as", "\"normal\"");
  image = node_test_vector (&test, "a.applied", 0);
  node_test_set (&test, "a", "as", "\"direction\"");
  assert_vector_near (node_test_vector (&test, "a.applied", 0), image.x, image.y, image.z, 1e-15);
  /* Flat transforms: the cofactors still know the direction; without it there is none. */
  node_test_set (&test, "a", "transform", "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]");
  node_test_set (&test, "a", "as", "\"normal\"");
  node_test_fails_saying (&test, "a.applied", 0, "turn on Unit length");
  node_test_set (&test, "a", "normalize", "true");
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 0, 0, 1, 1e-15);
  node_test_set (&test, "a", "as", "\"plane\"");
  node_test_fails_saying (&test, "a.applied", 0, "flattens");
  node_test_clear (&test);
}

/* 30-62: the matrix of an axis and an angle. */
static void
test_axis_angle (void)
{
  static const double figures[3][3] = { { 0.555555556, -0.466239158, 0.688461380 },
                                        { 0.688461380, 0.722222222, -0.066452912 },
                                        { -0.466239158, 0.510897357, 0.722222222 } };
  NodeTest test = node_test_new ();
  KgTransform m;
  KgVector a;

  node_test_add (&test, "value/rotation", "r", "from", "\"axis\"", "axis", "[1, 1, 1]", "angle", "120", NULL);
  m = get_transform (&test, "r.transform");
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      assert_near (m.m[i][j], (i + 2) % 3 == j, 1e-15);
  assert_rotation_near (get_rotation (&test, "r.rotation"), 0.5, 0.5, 0.5, 0.5, 1e-15);
  node_test_set (&test, "r", "axis", "[1, 2, 2]");
  node_test_set_number (&test, "r", "angle", 60);
  m = get_transform (&test, "r.transform");
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;

      assert_near (m.m[i][j], figures[i][j], 6e-10);
      for (int k = 0; k < 3; k++)
        sum += m.m[k][i] * m.m[k][j];
      assert_near (sum, i == j, 1e-15);
    }
  assert_near (kg_transform_determinant (m), 1, 1e-15);
  assert_near (m.m[0][0] + m.m[1][1] + m.m[2][2], 1 + 2 * cos (60 * DEGREE), 1e-15);
  a = kg_transform_direction (m, kg_vector (1.0 / 3, 2.0 / 3, 2.0 / 3));
  assert_vector_near (a, 1.0 / 3, 2.0 / 3, 2.0 / 3, 1e-15);
  /* About a pivot, which stays. */
  node_test_set (&test, "r", "pivot", "[3, -1, 4]");
  assert_vector_near (kg_transform_point (get_transform (&test, "r.transform"), kg_vector (3, -1, 4)), 3, -1, 4, 1e-14);
  node_test_set (&test, "r", "axis", "[0, 0, 0]");
  node_test_warns (&test, "r.rotation", "the axis is 0 0 0");
  assert_rotation_near (get_rotation (&test, "r.rotation"), 1, 0, 0, 0, 0);
  node_test_clear (&test);
}

/* A file of the first version of the node means what it meant. */
static void
test_rotation_as_before (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/rotation", "r", "angles", "[10, 20, 30]", "axis", "[0, 1, 0]", "angle", "45", NULL);
  assert_same (
      get_rotation (&test, "r.rotation"),
      kg_rotation_multiply (
          about (0, 1, 0, 45),
          kg_rotation_multiply (about (0, 0, 1, 30), kg_rotation_multiply (about (0, 1, 0, 20), about (1, 0, 0, 10)))),
      1e-15);
  node_test_clear (&test);
}

/* 30-63: arithmetic, of quaternions of any size. */
static void
test_arithmetic (void)
{
  NodeTest test = node_test_new ();
  const Quaternion i = { 0, { 1, 0, 0 } }, j = { 0, { 0, 1, 0 } };
  const Quaternion k = quaternion_multiply (i, j);

  assert_near (k.s, 0, 0);
  assert_vector_near (k.v, 0, 0, 1, 0);
  for (uint64_t n = 0; n < 50; n++) {
    const Quaternion p = quaternion_from_rotation (make_random (3 * n), 0.5 + 3 * kg_random_uniform (4, n, 0));
    const Quaternion q = quaternion_from_rotation (make_random (3 * n + 1), 0.5 + 3 * kg_random_uniform (4, n, 1));
    const Quaternion r = quaternion_from_rotation (make_random (3 * n + 2), 0.5 + 3 * kg_random_uniform (4, n, 2));
    const Quaternion left = quaternion_multiply (quaternion_multiply (p, q), r);
    const Quaternion right = quaternion_multiply (p, quaternion_multiply (q, r));
    Quaternion pq_inverse, p_inverse, q_inverse, product, power, log_q;

    assert_near (left.s, right.s, 1e-13);
    assert_vector_near (left.v, right.v.x, right.v.y, right.v.z, 1e-13);
    assert_near (quaternion_norm (quaternion_multiply (p, q)), quaternion_norm (p) * quaternion_norm (q), 1e-13);
    g_assert_true (quaternion_invert (p, &p_inverse));
    g_assert_true (quaternion_invert (q, &q_inverse));
    g_assert_true (quaternion_invert (quaternion_multiply (p, q), &pq_inverse));
    product = quaternion_multiply (q_inverse, p_inverse);
    assert_near (pq_inverse.s, product.s, 1e-14);
    assert_vector_near (pq_inverse.v, product.v.x, product.v.y, product.v.z, 1e-14);
    /* exp undoes log; half a power twice is the whole. */
    g_assert_true (quaternion_log (q, &log_q));
    product = quaternion_exp (log_q);
    assert_near (product.s, q.s, 1e-14);
    assert_vector_near (product.v, q.v.x, q.v.y, q.v.z, 1e-14);
    g_assert_true (quaternion_power (q, 0.5, &power));
    product = quaternion_multiply (power, power);
    assert_near (product.s, q.s, 1e-14);
    assert_vector_near (product.v, q.v.x, q.v.y, q.v.z, 1e-14);
  }
  /* Not commutative; of orthogonal pure quaternions the cross product. */
  node_test_add (&test, "rotation/math", "m", "a", "[0, 0, 1, 0]", "b", "[0, 1, 0, 0]", NULL);
  assert_vector_near (node_test_vector (&test, "m.vector", 0), 0, 0, -1, 0);
  assert_near (node_test_number (&test, "m.scalar", 0), 0, 0);
  node_test_set_number (&test, "m", "a_size", 2);
  node_test_set_number (&test, "m", "b_size", 3);
  assert_near (node_test_number (&test, "m.size", 0), 6, 1e-15);
  node_test_set (&test, "m", "operation", "\"add\"");
  assert_vector_near (node_test_vector (&test, "m.vector", 0), 3, 2, 0, 1e-15);
  assert_near (node_test_number (&test, "m.size", 0), sqrt (13), 1e-15);
  node_test_set (&test, "m", "operation", "\"subtract\"");
  assert_vector_near (node_test_vector (&test, "m.vector", 0), -3, 2, 0, 1e-15);
  assert_near (node_test_number (&test, "m.dot", 0), 0, 1e-15);
  assert_near (node_test_number (&test, "m.angle", 0), 180, 1e-12);
  node_test_set (&test, "m", "operation", "\"inverse\"");
  assert_vector_near (node_test_vector (&test, "m.vector", 0), 0, -0.5, 0, 1e-15);
  node_test_set (&test, "m", "operation", "\"conjugate\"");
  assert_vector_near (node_test_vector (&test, "m.vector", 0), 0, -2, 0, 1e-15);
  node_test_set (&test, "m", "operation", "\"normalize\"");
  assert_near (node_test_number (&test, "m.size", 0), 1, 0);
  node_test_set (&test, "m", "operation", "\"negate\"");
  assert_vector_near (node_test_vector (&test, "m.vector", 0), 0, -2, 0, 1e-15);
  /* log of a rotation: the axis, half the angle long. */
  node_test_set (&test, "m", "operation", "\"log\"");
  node_test_set_number (&test, "m", "a_size", 1);
  assert_vector_near (node_test_vector (&test, "m.vector", 0), 0, KG_PI / 2, 0, 1e-15);
  node_test_set (&test, "m", "a", "[-1, 0, 0, 0]");
  assert_near (kg_vector_length (node_test_vector (&test, "m.vector", 0)), KG_PI, 1e-15);
  node_test_set (&test, "m", "operation", "\"exp\"");
  node_test_set (&test, "m", "a", "[0, 0, 0, 1]");
  node_test_set_number (&test, "m", "a_size", KG_PI / 3);
  assert_near (node_test_number (&test, "m.scalar", 0), 0.5, 1e-15);
  assert_vector_near (node_test_vector (&test, "m.vector", 0), 0, 0, sqrt (0.75), 1e-15);
  /* What must follow a to make b. */
  node_test_set (&test, "m", "operation", "\"difference\"");
  node_test_set_number (&test, "m", "a_size", 1);
  node_test_set_number (&test, "m", "b_size", 1);
  {
    const KgRotation d = get_rotation (&test, "m.rotation");

    assert_same (kg_rotation_multiply (d, (KgRotation){ 0, 0, 0, 1 }), (KgRotation){ 0, 1, 0, 0 }, 1e-15);
  }
  /* Zero quaternions. */
  node_test_set_number (&test, "m", "a_size", 0);
  node_test_set (&test, "m", "operation", "\"inverse\"");
  node_test_warns (&test, "m.rotation", "zero quaternion");
  assert_rotation_near (get_rotation (&test, "m.rotation"), 1, 0, 0, 0, 0);
  node_test_set (&test, "m", "operation", "\"normalize\"");
  node_test_warns (&test, "m.rotation", "zero quaternion");
  node_test_set (&test, "m", "operation", "\"log\"");
  node_test_warns (&test, "m.rotation", "zero quaternion");
  node_test_set (&test, "m", "operation", "\"power\"");
  assert_near (node_test_number (&test, "m.size", 0), 0, 0);
  node_test_set_number (&test, "m", "power", -1);
  node_test_warns (&test, "m.rotation", "zero quaternion");
  node_test_set_number (&test, "m", "a_size", 1e200);
  node_test_set_number (&test, "m", "power", 2);
  node_test_fails_saying (&test, "m.size", 0, "too large");
  node_test_clear (&test);
}

/* 30-64: turning vectors, one turn after another, and the double cover. */
static void
test_turning (void)
{
  NodeTest test = node_test_new ();
  const KgRotation x90 = about (1, 0, 0, 90), y90 = about (0, 1, 0, 90);

  assert_vector_near (kg_rotation_apply (about (0, 0, 1, 90), kg_vector (1, 0, 0)), 0, 1, 0, 1e-15);
  node_test_add (&test, "value/rotation", "x", "from", "\"axis\"", "axis", "[1, 0, 0]", "angle", "90", NULL);
  node_test_add (&test, "value/rotation", "y", "from", "\"axis\"", "axis", "[0, 1, 0]", "angle", "90", NULL);
  node_test_add (&test, "rotation/math", "m", "a", "{\"link\": \"y.rotation\"}", "b", "{\"link\": \"x.rotation\"}",
                 NULL);
  assert_rotation_near (get_rotation (&test, "m.rotation"), 0.5, 0.5, 0.5, -0.5, 1e-15);
  node_test_add (&test, "rotation/apply", "a", "vector", "[0, 0, 1]", "transform", "{\"link\": \"m.rotation\"}", NULL);
  assert_vector_near (node_test_vector (&test, "a.applied", 0), 0, -1, 0, 1e-15);
  for (uint64_t i = 0; i < 50; i++) {
    const KgRotation q = make_random (i);
    const KgVector v = { 3 * kg_random_uniform (5, i, 0) - 1, kg_random_uniform (5, i, 1),
                         2 * kg_random_uniform (5, i, 2) };
    const KgVector turned = kg_rotation_apply (q, v);
    const KgVector again = kg_rotation_apply (kg_rotation_conjugate (q), turned);
    /* q [0, v] q^-1 for a q of any size. */
    const Quaternion large = quaternion_from_rotation (q, 7);
    Quaternion inverse;

    g_assert_true (quaternion_invert (large, &inverse));
    inverse = quaternion_multiply (quaternion_multiply (large, (Quaternion){ 0, v }), inverse);
    assert_near (inverse.s, 0, 1e-14);
    assert_vector_near (inverse.v, turned.x, turned.y, turned.z, 1e-14);
    assert_near (kg_vector_length (turned), kg_vector_length (v), 2e-15 * fmax (1, kg_vector_length (v)));
    assert_vector_near (again, v.x, v.y, v.z, 1e-14);
    assert_vector_near (kg_rotation_apply (quaternion_negate (q), v), turned.x, turned.y, turned.z, 0);
  }
  assert_same (kg_rotation_multiply (y90, x90), (KgRotation){ 0.5, 0.5, 0.5, -0.5 }, 1e-15);
  node_test_clear (&test);
}

/* 30-65: there and back, half turns among them; trace = 4 s^2 - 1. */
static void
test_matrices (void)
{
  static const KgRotation halves[] = { { 0, 1, 0, 0 },
                                       { 0, 0, 1, 0 },
                                       { 0, 0, 0, 1 },
                                       { 0, 0.70710678118654752, 0.70710678118654752, 0 },
                                       { 0, 0.6, 0, -0.8 } };

  for (uint64_t i = 0; i < 205; i++) {
    const KgRotation q = i < 5 ? halves[i] : make_random (i), expected = conversion_choose_sign (q);
    const KgTransform m = kg_transform_from_parts (kg_vector (1, 2, 3), q, kg_vector (1, 1, 1));
    KgTransform stretch;
    KgRotation back;
    bool reflects;

    assert_near (m.m[0][0] + m.m[1][1] + m.m[2][2], 4 * q.w * q.w - 1, 1e-14);
    g_assert_true (conversion_from_matrix (&m, &back, &stretch, &reflects));
    g_assert_false (reflects);
    g_assert_cmpfloat (back.w, >=, 0);
    if (quaternion_dot (back, expected) < 0)
      back = quaternion_negate (back);
    assert_same (back, expected, 1e-14);
  }
}

/* 30-65: matrix, axis and angle, quaternion by the nodes; scale and shear come off; mirrors are refused. */
static void
test_convert_nodes (void)
{
  NodeTest test = node_test_new ();
  const KgRotation q = about (1, 2, 2, 60);

  node_test_add (&test, "value/rotation", "r", "from", "\"axis\"", "axis", "[1, 2, 2]", "angle", "60", "pivot",
                 "[1, 0, 0]", NULL);
  node_test_add (&test, "rotation/decompose", "d", "transform", "{\"link\": \"r.transform\"}", NULL);
  assert_near (node_test_number (&test, "d.angle", 0), 60, 1e-12);
  assert_vector_near (node_test_vector (&test, "d.axis", 0), 1.0 / 3, 2.0 / 3, 2.0 / 3, 1e-14);
  assert_near (node_test_number (&test, "d.scalar", 0), cos (30 * DEGREE), 1e-15);
  assert_vector_near (node_test_vector (&test, "d.scale", 0), 1, 1, 1, 1e-14);
  assert_vector_near (node_test_vector (&test, "d.shear", 0), 0, 0, 0, 1e-14);
  /* x and y by their directions; y need not be perpendicular. */
  node_test_add (&test, "value/rotation", "b", "from", "\"axes\"", "x_axis", "{\"link\": \"d.x_axis\"}", "y_axis",
                 "{\"link\": \"d.y_axis\"}", NULL);
  assert_same (get_rotation (&test, "b.rotation"), q, 1e-14);
  node_test_set (&test, "b", "y_axis",
                 "{\"expr\": \"d.y_axis.x + 3*d.x_axis.x, d.y_axis.y + 3*d.x_axis.y, d.y_axis.z + "
                 "3*d.x_axis.z\"}");
  assert_same (get_rotation (&test, "b.rotation"), q, 1e-14);
  node_test_set (&test, "b", "y_axis", "{\"link\": \"d.x_axis\"}");
  node_test_fails_saying (&test, "b.rotation", 0, "do not span a plane");
  node_test_set (&test, "b", "from", "\"vectors\"");
  node_test_set (&test, "b", "start", "[0, 0, 3]");
  node_test_set (&test, "b", "end", "[0, 2, 0]");
  assert_same (get_rotation (&test, "b.rotation"), about (1, 0, 0, -90), 1e-15);
  node_test_set (&test, "b", "end", "[0, 0, -1]");
  assert_vector_near (kg_rotation_apply (get_rotation (&test, "b.rotation"), kg_vector (0, 0, 1)), 0, 0, -1, 1e-15);
  node_test_set (&test, "b", "end", "[0, 0, 0]");
  node_test_fails_saying (&test, "b.rotation", 0, "the end is 0 0 0");
  /* A quaternion of any size, and none. */
  node_test_set (&test, "b", "from", "\"quaternion\"");
  node_test_set_number (&test, "b", "scalar", 2);
  node_test_set (&test, "b", "vector", "[2, 2, 2]");
  node_test_warns (&test, "b.rotation", "has the length 4");
  assert_rotation_near (get_rotation (&test, "b.rotation"), 0.5, 0.5, 0.5, 0.5, 1e-15);
  node_test_set_number (&test, "b", "scalar", 0);
  node_test_set (&test, "b", "vector", "[0, 0, 0]");
  node_test_fails_saying (&test, "b.rotation", 0, "the quaternion is zero");
  /* M = R S with a symmetric S: the rotation, separate from scale and shear. */
  {
    const KgTransform s = { { { 2, 0.3, -0.1, 0 }, { 0.3, 0.5, 0.2, 0 }, { -0.1, 0.2, 3, 0 }, { 0, 0, 0, 1 } } };
    const KgTransform m =
        kg_transform_multiply (kg_transform_from_parts (kg_vector (0, 0, 0), q, kg_vector (1, 1, 1)), s);
    g_autoptr (GString) json = g_string_new ("[");

    for (int i = 0; i < 16; i++)
      g_string_append_printf (json, "%s%.17g", i > 0 ? ", " : "", m.m[i / 4][i % 4]);
    g_string_append_c (json, ']');
    node_test_set (&test, "b", "from", "\"matrix\"");
    node_test_set (&test, "b", "matrix", json->str);
    node_test_warns (&test, "b.rotation", "scales or shears");
    assert_same (get_rotation (&test, "b.rotation"), q, 1e-14);
    node_test_set (&test, "d", "transform", json->str);
    assert_vector_near (node_test_vector (&test, "d.scale", 0), 2, 0.5, 3, 1e-14);
    assert_vector_near (node_test_vector (&test, "d.shear", 0), 0.2, -0.1, 0.3, 1e-14);
  }
  node_test_set (&test, "b", "matrix", "[-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
  node_test_fails_saying (&test, "b.rotation", 0, "mirrors");
  node_test_set (&test, "d", "transform", "[-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
  node_test_warns (&test, "d.angle", "mirrors");
  node_test_set (&test, "b", "matrix", "[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
  node_test_fails_saying (&test, "b.rotation", 0, "flattens");
  node_test_set (&test, "d", "transform", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]");
  node_test_fails_saying (&test, "d.angle", 0, "flattens");
  node_test_clear (&test);
}

/* 30-65: all 12 orders, about moving and fixed axes, against the product of three matrices; there and back to 1e-14,
 * locked angles among them. */
static void
test_euler (void)
{
  static const char *const names[] = { "xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                       "xyx", "xzx", "yxy", "yzy", "zxz", "zyz" };

  for (int order = 0; order < EULER_N_ORDERS; order++)
    for (int moving = 0; moving < 2; moving++)
      for (uint64_t i = 0; i < 60; i++) {
        const bool again = names[order][0] == names[order][2];
        /* The last ones are locked: a middle angle of 0 or 180, or of 90 either way. */
        const double middle = i < 40 ? (again ? 1 : 0.5) * KG_PI *
                                           (again ? kg_random_uniform (6, i, 1) : 2 * kg_random_uniform (6, i, 1) - 1)
                              : again ? (i % 2 ? KG_PI : 0)
                              : i % 2 ? KG_PI / 2
                                      : -KG_PI / 2;
        const KgVector angles = { 2 * KG_PI * kg_random_uniform (6, i, 0) - KG_PI, middle,
                                  2 * KG_PI * kg_random_uniform (6, i, 2) - KG_PI };
        const KgRotation q = conversion_from_euler (angles, (EulerOrder) order, moving);
        KgTransform product = kg_transform_identity ();
        bool locked;
        KgVector back;
        KgRotation again_q;

        for (int k = 0; k < 3; k++) {
          const int axis = names[order][k] - 'x', a = (axis + 1) % 3, b = (axis + 2) % 3;
          const double c = cos (kg_vector_get (angles, k)), s = sin (kg_vector_get (angles, k));
          KgTransform one = kg_transform_identity ();

          one.m[a][a] = one.m[b][b] = c;
          one.m[b][a] = s;
          one.m[a][b] = -s;
          product = moving ? kg_transform_multiply (product, one) : kg_transform_multiply (one, product);
        }
        for (int c = 0; c < 3; c++) {
          const KgVector unit = { c == 0, c == 1, c == 2 }, v = kg_rotation_apply (q, unit);

          assert_vector_near (v, product.m[0][c], product.m[1][c], product.m[2][c], 2e-15);
        }
        back = conversion_to_euler (q, (EulerOrder) order, moving, &locked);
        if (i < 40)
          assert_vector_near (back, angles.x, angles.y, angles.z, 1e-12);
        else {
          g_assert_true (locked);
          assert_near (back.z, 0, 1e-6);
        }
        again_q = conversion_from_euler (back, (EulerOrder) order, moving);
        assert_same (quaternion_align (q, again_q), q, 1e-14);
      }
}

static void
test_euler_nodes (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/rotation", "r", "from", "\"angles\"", "angles", "[10, 20, 30]", "order", "\"zyx\"",
                 "frame", "\"moving\"", NULL);
  node_test_add (&test, "rotation/decompose", "d", "transform", "{\"link\": \"r.rotation\"}", "order", "\"zyx\"",
                 "frame", "\"moving\"", NULL);
  assert_vector_near (node_test_vector (&test, "d.angles", 0), 10, 20, 30, 1e-12);
  /* The same about fixed axes in the other order. */
  node_test_set (&test, "d", "frame", "\"fixed\"");
  node_test_set (&test, "d", "order", "\"xyz\"");
  assert_vector_near (node_test_vector (&test, "d.angles", 0), 30, 20, 10, 1e-12);
  node_test_set (&test, "r", "angles", "[10, 90, 30]");
  {
    g_auto (KgValue) value = node_test_get (&test, "d.locked", 0);

    g_assert_true (value.boolean);
  }
  node_test_clear (&test);
}

/* 30-66, 30-68: from nothing to 90 degrees about z. */
static void
test_interpolate (void)
{
  NodeTest test = node_test_new ();
  const double theta = 45 * DEGREE;

  node_test_add (&test, "rotation/interpolate", "i", "b", "[0.70710678118654752, 0, 0, 0.70710678118654752]", NULL);
  for (int k = 0; k <= 8; k++) {
    const double u = k / 8.0;

    node_test_set_number (&test, "i", "t", u);
    node_test_set (&test, "i", "method", "\"slerp\"");
    assert_near (node_test_number (&test, "i.angle", 0), 90 * u, 1e-12);
    assert_near (quaternion_norm (quaternion_from_rotation (get_rotation (&test, "i.rotation"), 1)), 1, 1e-15);
    node_test_set (&test, "i", "method", "\"lerp\"");
    assert_near (node_test_number (&test, "i.angle", 0), 2 * atan2 (u * sin (theta), 1 - u + u * cos (theta)) / DEGREE,
                 1e-12);
    node_test_set (&test, "i", "method", "\"subdivide\"");
    assert_near (node_test_number (&test, "i.angle", 0), 90 * u, 1e-12);
  }
  node_test_set_number (&test, "i", "t", 0.25);
  node_test_set (&test, "i", "method", "\"lerp\"");
  assert_near (node_test_number (&test, "i.angle", 0), 21.59816098, 1e-8);
  node_test_set (&test, "i", "method", "\"slerp\"");
  assert_near (node_test_number (&test, "i.angle", 0), 22.5, 1e-12);
  node_test_set_number (&test, "i", "t", 0.5);
  assert_rotation_near (get_rotation (&test, "i.rotation"), 0.9238795325, 0, 0, 0.3826834324, 1e-10);
  node_test_set (&test, "i", "method", "\"lerp\"");
  assert_near (node_test_number (&test, "i.angle", 0), 45, 1e-12);
  /* Angles interpolated one by one: about one axis the same. */
  node_test_set (&test, "i", "method", "\"angles\"");
  assert_near (node_test_number (&test, "i.angle", 0), 45, 1e-12);
  for (uint64_t i = 0; i < 100; i++) {
    const KgRotation a = make_random (2 * i), b = make_random (2 * i + 1);
    const double u = kg_random_uniform (7, i, 0), theta_ab = acos (quaternion_dot (a, b));
    const KgRotation p = quaternion_slerp (a, b, u);

    assert_near (quaternion_angle (a, p), u * theta_ab, 1e-13);
    assert_same (p, quaternion_slerp (b, a, 1 - u), 1e-14);
    assert_near (sqrt (quaternion_dot (p, p)), 1, 1e-15);
    /* The formula as it is printed. */
    assert_near (p.w, sin ((1 - u) * theta_ab) / sin (theta_ab) * a.w + sin (u * theta_ab) / sin (theta_ab) * b.w,
                 1e-13);
  }
  node_test_clear (&test);
}

/* 30-67: the shorter way. */
static void
test_short_way (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rotation/interpolate", "i", "a", "[1, 0, 0, 0]", "b",
                 "[-0.70710678118654752, 0, 0, -0.70710678118654752]", "t", "0.25", NULL);
  assert_near (node_test_number (&test, "i.angle", 0), 22.5, 1e-12);
  assert_near (node_test_number (&test, "i.whole", 0), 90, 1e-12);
  node_test_set (&test, "i", "shortest", "false");
  assert_near (node_test_number (&test, "i.whole", 0), 270, 1e-12);
  assert_near (node_test_number (&test, "i.angle", 0), 67.5, 1e-12);
  for (uint64_t i = 0; i < 50; i++) {
    const KgRotation a = make_random (i), b = make_random (i + 1000);
    const KgRotation p = quaternion_slerp (a, quaternion_align (a, b), 0.3);
    const KgRotation q = quaternion_slerp (a, quaternion_align (a, quaternion_negate (b)), 0.3);

    assert_same (quaternion_align (p, q), p, 1e-15);
    assert_same (quaternion_align (p, kg_rotation_slerp (a, b, 0.3)), p, 1e-14);
  }
  /* Exactly half a turn: reported. */
  node_test_set (&test, "i", "shortest", "true");
  node_test_set (&test, "i", "b", "[0, 0, 0, 1]");
  node_test_warns (&test, "i.rotation", "180 degrees apart");
  assert_near (node_test_number (&test, "i.angle", 0), 45, 1e-12);
  /* Opposite quaternions, the short way off: linear mixing has no middle, slerp goes round. */
  node_test_set (&test, "i", "shortest", "false");
  node_test_set (&test, "i", "b", "[-1, 0, 0, 0]");
  node_test_set (&test, "i", "method", "\"lerp\"");
  node_test_set_number (&test, "i", "t", 0.5);
  node_test_warns (&test, "i.rotation", "halfway between them is zero");
  assert_rotation_near (get_rotation (&test, "i.rotation"), 1, 0, 0, 0, 0);
  node_test_set (&test, "i", "method", "\"slerp\"");
  node_test_warns (&test, "i.rotation", "opposite quaternions");
  assert_near (node_test_number (&test, "i.angle", 0), 180, 1e-10);
  node_test_clear (&test);
}

/* 30-70: automatic handles about one axis, where the sphere is a line. */
static void
test_handles (void)
{
  static const struct {
    double reach, after, before, at[3];
  } cases[] = {
    { 1.0 / 3, 45, 75, { 43.59375, 48.88888889, 60 } },
    { 1, 75, 45, { 52.03125, 55.55555556, 60 } },
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rotation/series", "s", "rows", "\"0 0 1 0\\n0 0 1 30\\n0 0 1 90\\n0 0 1 120\"", NULL);
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    static const double us[] = { 0.25, 1.0 / 3, 0.5 };

    node_test_set_number (&test, "s", "reach", cases[c].reach);
    for (int i = 0; i < 3; i++) {
      KgRotation q;

      node_test_set_number (&test, "s", "t", (1 + us[i]) / 3);
      q = get_rotation (&test, "s.rotation");
      assert_near (2 * atan2 (q.z, q.w) / DEGREE, cases[c].at[i], 6e-9);
      q = get_rotation (&test, "s.after");
      assert_near (2 * atan2 (q.z, q.w) / DEGREE, cases[c].after, 1e-11);
      q = get_rotation (&test, "s.before");
      assert_near (2 * atan2 (q.z, q.w) / DEGREE, cases[c].before, 1e-11);
    }
  }
  node_test_clear (&test);
}

/* 30-70 and 30-72: the figures of the general series, and smoothness at its keys. */
static void
test_bezier (void)
{
  static const double figures[][4] = { { 0.6106388045, 0.3888705780, -0.1212371930, 0.6791181539 },
                                       { 0.7341644729, 0.2840909312, -0.0459361859, 0.6149672645 } };
  const KgRotation keys[] = { about (0, 0, 1, 0), about (0, 0, 1, 90), about (1, 0, 0, 90), about (0, 1, 0, 90) };
  NodeTest test = node_test_new ();
  g_autoptr (QuaternionPath) raw = quaternion_path_new (keys, NULL, 4, QUATERNION_PATH_BEZIER, true, 1, NULL);
  g_autoptr (QuaternionPath) third = quaternion_path_new (keys, NULL, 4, QUATERNION_PATH_BEZIER, true, 1.0 / 3, NULL);
  KgRotation before, after;

  quaternion_path_get_handles (raw, 1, &before, &after);
  assert_rotation_near (after, 0.5, 0.5, 0, 0.70710678, 1e-8);
  quaternion_path_get_handles (raw, 2, &before, &after);
  assert_rotation_near (before, 0.5, 0.5, -0.5, 0.5, 1e-12);
  assert_rotation_near (quaternion_path_evaluate (raw, 4.0 / 9, 0), figures[0][0], figures[0][1], figures[0][2],
                        figures[0][3], 1e-10);
  assert_rotation_near (quaternion_path_evaluate (third, 4.0 / 9, 0), figures[1][0], figures[1][1], figures[1][2],
                        figures[1][3], 1e-10);
  /* The same through the node, whose rows are these keys by default. */
  node_test_add (&test, "rotation/series", "s", "t", "0.44444444444444442", NULL);
  assert_rotation_near (get_rotation (&test, "s.rotation"), figures[1][0], figures[1][1], figures[1][2], figures[1][3],
                        1e-10);
  node_test_clear (&test);
  for (int i = 0; i < 4; i++) {
    assert_same (quaternion_path_evaluate (third, i / 3.0, 0), keys[i], 1e-15);
    quaternion_path_get_handles (third, (gsize) i, &before, &after);
    if (i == 0 || i == 3)
      continue;
    /* The handles are on one great arc with the key, as far on either side. */
    assert_same (quaternion_bisect (before, after), keys[i], 1e-14);
    {
      const double h = 1e-5;
      const KgRotation a = quaternion_path_evaluate (third, i / 3.0 - h, 0), b = keys[i];
      const KgRotation c = quaternion_path_evaluate (third, i / 3.0 + h, 0);

      assert_near ((b.w - a.w) / h, (c.w - b.w) / h, 1e-3);
      assert_near ((b.x - a.x) / h, (c.x - b.x) / h, 1e-3);
      assert_near ((b.y - a.y) / h, (c.y - b.y) / h, 1e-3);
      assert_near ((b.z - a.z) / h, (c.z - b.z) / h, 1e-3);
    }
  }
  for (int i = 0; i <= 100; i++) {
    const KgRotation q = quaternion_path_evaluate (raw, i / 100.0, 0);

    assert_near (sqrt (quaternion_dot (q, q)), 1, 1e-15);
  }
}

/* 30-72: control polygons of any length. */
static void
test_casteljau (void)
{
  const KgRotation keys[] = { about (0, 0, 1, 0), about (0, 0, 1, 30), about (0, 0, 1, 90), about (0, 0, 1, 120),
                              about (0, 0, 1, 200) };
  static const double angles[] = { 0, 30, 90, 120, 200 };

  for (gsize n = 1; n <= 5; n++)
    for (int k = 0; k <= 10; k++) {
      const double u = k / 10.0;
      const KgRotation q = quaternion_casteljau (keys, n, u);
      double p[5];

      memcpy (p, angles, sizeof p);
      for (gsize left = n - 1; left > 0; left--)
        for (gsize i = 0; i < left; i++)
          p[i] = kg_lerp (p[i], p[i + 1], u);
      assert_near (2 * atan2 (q.z, q.w) / DEGREE, p[0], 1e-11);
    }
  {
    g_autofree KgRotation *many = g_new0 (KgRotation, 300);
    g_autoptr (GError) error = NULL;

    for (int i = 0; i < 300; i++)
      many[i] = make_random ((uint64_t) i);
    g_assert_null (quaternion_path_new (many, NULL, 300, QUATERNION_PATH_CASTELJAU, true, 1, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  }
}

/* 30-73: halving arcs gives the same as slerp at powers of two; what is printed without scaling to 1 does not. */
static void
test_subdivide (void)
{
  const KgRotation keys[] = { about (0, 0, 1, 0), about (0, 0, 1, 90), about (1, 0, 0, 90), about (0, 1, 0, 90) };
  g_autoptr (QuaternionPath) path = quaternion_path_new (keys, NULL, 4, QUATERNION_PATH_BEZIER, true, 1.0 / 3, NULL);
  NodeTest test = node_test_new ();

  for (int span = 0; span < 3; span++)
    for (int k = 0; k <= 32; k++) {
      const double t = (span + k / 32.0) / 3;

      assert_same (quaternion_path_evaluate (path, t, 5), quaternion_path_evaluate (path, t, 0), 1e-12);
    }
  assert_near (2 * quaternion_angle (keys[0], quaternion_slerp_dyadic (keys[0], keys[1], 1, 2)) / DEGREE, 22.5, 1e-12);
  {
    /* 0.25: q + (q + a), the inner sum not scaled to 1: 29.28 degrees. */
    const Quaternion q = quaternion_from_rotation (keys[0], 1), a = quaternion_from_rotation (keys[1], 1);
    const KgRotation wrong = quaternion_to_rotation (quaternion_add (q, quaternion_add (q, a)));

    assert_near (2 * quaternion_angle (keys[0], wrong) / DEGREE, 29.2776, 1e-4);
  }
  for (guint k = 0; k <= 1024; k++)
    assert_same (quaternion_slerp_dyadic (keys[2], keys[3], k, 10), quaternion_slerp (keys[2], keys[3], k / 1024.0),
                 1e-14);
  /* By the node: times between are those of the nearest fraction. */
  node_test_add (&test, "rotation/series", "s", "evaluation", "\"subdivide\"", "depth", "2", "t", "0.1", NULL);
  assert_same (get_rotation (&test, "s.rotation"), quaternion_path_evaluate (path, 0.25 / 3, 0), 1e-12);
  node_test_clear (&test);
}

/* What a series can be given. */
static void
test_series (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) motion = KG_VALUE_INIT;
  double q[4];

  node_test_add (&test, "rotation/series", "s", "method", "\"slerp\"", "rows", "\"0 0 1 0\\n0 0 1 90\\n0 0 1 360\"",
                 NULL);
  /* Signs are aligned: from 90 to 360 the short way is back to 0. */
  node_test_set_number (&test, "s", "t", 0.75);
  assert_same (get_rotation (&test, "s.rotation"), about (0, 0, 1, 45), 1e-14);
  node_test_set (&test, "s", "shortest", "false");
  assert_same (get_rotation (&test, "s.rotation"), about (0, 0, 1, 225), 1e-14);
  assert_near (node_test_number (&test, "s.speed", 0), 540, 1e-6);
  node_test_set (&test, "s", "shortest", "true");
  /* Times. */
  node_test_set (&test, "s", "rows", "\"0 0 1 0\\n0 0 1 90\\n0 0 1 120\"");
  node_test_set (&test, "s", "times", "\"1; 2; 5\"");
  node_test_set_number (&test, "s", "t", 0.25);
  assert_same (get_rotation (&test, "s.rotation"), about (0, 0, 1, 90), 1e-14);
  node_test_set_number (&test, "s", "t", 0.625);
  assert_same (get_rotation (&test, "s.rotation"), about (0, 0, 1, 105), 1e-14);
  motion = node_test_get (&test, "s.motion", 0);
  kg_channel_evaluate (kg_motion_get_channel (motion.motion, 0), 0.625, q);
  assert_near (2 * atan2 (q[3], q[0]) / DEGREE, 105, 1e-12);
  /* The tip of the arrow. */
  {
    g_auto (KgValue) keys = node_test_get (&test, "s.keys", 0), path = node_test_get (&test, "s.path", 0);
    const float *p = kg_geometry_get_positions (keys.geometry);

    g_assert_cmpuint (kg_geometry_get_n_points (keys.geometry), ==, 3);
    assert_near ((double) p[3], 0, 1e-6);
    assert_near ((double) p[4], 1, 1e-6);
    g_assert_cmpuint (kg_geometry_get_n_points (path.geometry), ==, 65);
    p = kg_geometry_get_positions (path.geometry);
    for (int i = 0; i < 65; i++)
      assert_near (hypot ((double) p[3 * i], (double) p[3 * i + 1]), 1, 1e-6);
  }
  node_test_set (&test, "s", "times", "\"1; 2; 2\"");
  node_test_fails_saying (&test, "s.rotation", 0, "time 3 is 2, after 2");
  node_test_set (&test, "s", "times", "\"1; 2\"");
  node_test_fails_saying (&test, "s.rotation", 0, "2 times for 3 orientations");
  node_test_set (&test, "s", "times", "\"\"");
  /* One orientation; two are straight; none. */
  node_test_set (&test, "s", "method", "\"bezier\"");
  node_test_set (&test, "s", "rows", "\"0 0 1 90\"");
  assert_same (get_rotation (&test, "s.rotation"), about (0, 0, 1, 90), 1e-15);
  node_test_set (&test, "s", "rows", "\"0 0 1 0\\n0 0 1 80\"");
  node_test_set_number (&test, "s", "t", 0.25);
  assert_same (get_rotation (&test, "s.rotation"), about (0, 0, 1, 20), 1e-14);
  node_test_set (&test, "s", "rows", "\"\"");
  node_test_fails_saying (&test, "s.rotation", 0, "no orientations");
  /* Straight back after half a turn: no direction is as good as another. */
  node_test_set (&test, "s", "rows", "\"0 0 1 0\\n0 0 1 180\\n0 0 1 360\"");
  node_test_set (&test, "s", "shortest", "false");
  node_test_set_number (&test, "s", "t", 0.5);
  assert_same (get_rotation (&test, "s.rotation"), about (0, 0, 1, 180), 1e-14);
  node_test_set (&test, "s", "rows", "\"1 0 0 0\\n0 0 0 1\\n1 0 0 0\"");
  node_test_set (&test, "s", "written", "\"quaternion\"");
  node_test_warns (&test, "s.rotation", "at orientation 2 the rotation goes straight back");
  assert_near (node_test_number (&test, "s.speed", 0), 0, 1);
  node_test_set (&test, "s", "rows", "\"1 0 0 0\\n0 0 0 0\"");
  node_test_fails_saying (&test, "s.rotation", 0, "row 2 is a zero quaternion");
  node_test_set (&test, "s", "written", "\"axis-angle\"");
  node_test_set (&test, "s", "rows", "\"0 0 0 30\\n1 0 0 20\"");
  node_test_warns (&test, "s.rotation", "row 1 rotates about 0 0 0");
  node_test_set (&test, "s", "written", "\"angles\"");
  node_test_set (&test, "s", "rows", "\"90 0 0\\n90 90 0\"");
  node_test_set_number (&test, "s", "t", 1);
  assert_same (get_rotation (&test, "s.rotation"), kg_rotation_multiply (about (0, 1, 0, 90), about (1, 0, 0, 90)),
               1e-15);
  node_test_clear (&test);
}

/* Linked orientations, and the motion read by another node. */
static void
test_series_linked (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/rotation", "a", NULL);
  node_test_add (&test, "value/rotation", "b", "angle", "90", NULL);
  node_test_add (&test, "rotation/series", "s", "method", "\"slerp\"", "rotations",
                 "[{\"link\": \"a.rotation\"}, {\"link\": \"b.rotation\"}]", NULL);
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"s.motion\"}", "at", "0.5", NULL);
  assert_same (get_rotation (&test, "e.rotation"), about (0, 0, 1, 45), 1e-14);
  node_test_clear (&test);
}

/* 30-05: the blends add up to 1; both ways of writing a linear mix agree; ends are exact. */
static void
test_mix (void)
{
  NodeTest test = node_test_new ();
  KgTransform m;

  for (uint64_t i = 0; i < 1000; i++) {
    const double a = 10 * kg_random_uniform (8, i, 0) - 5, b = 10 * kg_random_uniform (8, i, 1) - 5;
    const double u = kg_random_uniform (8, i, 2), algebraic = (b - a) * u + a;

    assert_near (kg_lerp (a, b, u), algebraic, 1e-15 * (fabs (a) + fabs (b)));
    assert_near ((1 - u) + u, 1, 1e-15);
    assert_near (kg_lerp (a, b, 0), a, 0);
    assert_near (kg_lerp (a, b, 1), b, 0);
    g_assert_cmpfloat (kg_lerp (a, b, u), >=, fmin (a, b) - 1e-15);
    g_assert_cmpfloat (kg_lerp (a, b, u), <=, fmax (a, b) + 1e-15);
  }
  node_test_add (&test, "value/number", "a", "value", "2", NULL);
  node_test_add (&test, "value/number", "b", "value", "6", NULL);
  node_test_add (&test, "value/mix", "m", "a", "{\"link\": \"a.output\"}", "b", "{\"link\": \"b.output\"}", "t", "0.25",
                 NULL);
  assert_near (node_test_number (&test, "m.mixed", 0), 3, 0);
  node_test_set_number (&test, "m", "t", 1.5);
  assert_near (node_test_number (&test, "m.mixed", 0), 8, 0);
  node_test_set (&test, "m", "clamp", "true");
  assert_near (node_test_number (&test, "m.mixed", 0), 6, 0);
  node_test_set (&test, "m", "clamp", "false");
  node_test_add (&test, "value/vector", "v", "value", "[2, 4, 8]", NULL);
  node_test_set (&test, "m", "b", "{\"link\": \"v.output\"}");
  node_test_fails_saying (&test, "m.mixed", 0, "do not match");
  node_test_set (&test, "m", "a", "{\"link\": \"v.output\"}");
  node_test_set (&test, "m", "b", "{\"link\": \"a.output\"}");
  node_test_set_number (&test, "m", "t", 0.5);
  assert_vector_near (node_test_vector (&test, "m.mixed", 0), 2, 3, 5, 0);
  node_test_add (&test, "value/rotation", "r", "angle", "90", NULL);
  node_test_add (&test, "value/rotation", "s", NULL);
  node_test_set (&test, "m", "a", "{\"link\": \"s.rotation\"}");
  node_test_set (&test, "m", "b", "{\"link\": \"r.rotation\"}");
  assert_same (get_rotation (&test, "m.mixed"), about (0, 0, 1, 45), 1e-15);
  /* A transform on its way turns without shrinking. */
  node_test_set (&test, "r", "angle", "180");
  node_test_set (&test, "r", "pivot", "[1, 0, 0]");
  node_test_set (&test, "m", "a", "{\"link\": \"s.transform\"}");
  node_test_set (&test, "m", "b", "{\"link\": \"r.transform\"}");
  m = get_transform (&test, "m.mixed");
  assert_near (kg_transform_determinant (m), 1, 1e-14);
  assert_near (m.m[0][3], 1, 1e-15);
  node_test_add (&test, "geometry/box", "box", NULL);
  node_test_set (&test, "m", "a", "{\"link\": \"box.geometry\"}");
  node_test_set (&test, "m", "b", "{\"link\": \"box.geometry\"}");
  node_test_fails_saying (&test, "m.mixed", 0, "morph");
  node_test_clear (&test);
}

static void
test_spin (void)
{
  NodeTest test = node_test_new ();

  /* ω = (0.2, −0.4, 0.4) for half a second. */
  node_test_add (&test, "rotation/spin", "s", "by", "\"vector\"", "spin",
                 "[11.459155902616464, -22.918311805232929, 22.918311805232929]", "point", "[1, 2, 3]", "time", "0.5",
                 NULL);
  assert_vector_near (node_test_vector (&test, "s.carried", 0), -0.014843, 1.782391, 3.289812, 1e-6);
  /* Velocities of points: ω × r. */
  node_test_set (&test, "s", "spin", "[0, 0, 114.59155902616465]");
  node_test_set (&test, "s", "point", "[3, 1, 5]");
  node_test_set (&test, "s", "time", "0");
  assert_vector_near (node_test_vector (&test, "s.point_velocity", 0), -2, 6, 0, 1e-12);
  /* Two turns a minute, at three metres. */
  node_test_set (&test, "s", "by", "\"axis\"");
  node_test_set (&test, "s", "speed", "12");
  node_test_set (&test, "s", "point", "[3, 0, 0]");
  assert_near (kg_vector_length (node_test_vector (&test, "s.point_velocity", 0)), 0.628319, 1e-6);
  /* A million turns and a quarter. */
  node_test_set (&test, "s", "time", "30000007.5");
  assert_near (node_test_number (&test, "s.turns", 0), 1000000.25, 1e-9);
  assert_vector_near (node_test_vector (&test, "s.carried", 0), 0, 0, -3, 1e-8);
  node_test_set (&test, "s", "axis", "[0, 0, 0]");
  node_test_fails_saying (&test, "s.rotation", 0, "axis is zero");
  node_test_clear (&test);
}

/* Rates that change: a body at a constant speed is exact, one that speeds up about one axis to the square of the step. */
static void
test_spin_rates (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "sim/equations", "e", "equations", "\"x' = 60\"", "start", "\"x = 0\"", NULL);
  node_test_add (&test, "rotation/spin", "s", "by", "\"rates\"", "axis", "[1, 0, 0]", "point", "[0, 1, 0]", "time", "1",
                 NULL);
  node_test_fails_saying (&test, "s.rotation", 0, "there are no rates");
  node_test_set (&test, "s", "rates", "{\"link\": \"e.motion\"}");
  /* 60 t degrees a second about x: 30 degrees after one second. */
  assert_vector_near (node_test_vector (&test, "s.carried", 2), 0, cos (KG_PI / 6), sin (KG_PI / 6), 1e-9);
  node_test_set (&test, "s", "step", "1e-9");
  node_test_set (&test, "s", "time", "1000");
  node_test_fails_saying (&test, "s.rotation", 2, "take longer steps");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/orientation/30-60-points", test_points);
  g_test_add_func ("/orientation/30-61-normals", test_normals);
  g_test_add_func ("/orientation/30-62-axis-angle", test_axis_angle);
  g_test_add_func ("/orientation/rotation-as-before", test_rotation_as_before);
  g_test_add_func ("/orientation/30-63-arithmetic", test_arithmetic);
  g_test_add_func ("/orientation/30-64-turning", test_turning);
  g_test_add_func ("/orientation/30-65-matrices", test_matrices);
  g_test_add_func ("/orientation/30-65-convert-nodes", test_convert_nodes);
  g_test_add_func ("/orientation/30-65-euler", test_euler);
  g_test_add_func ("/orientation/30-65-euler-nodes", test_euler_nodes);
  g_test_add_func ("/orientation/30-66-68-interpolate", test_interpolate);
  g_test_add_func ("/orientation/30-67-short-way", test_short_way);
  g_test_add_func ("/orientation/30-70-handles", test_handles);
  g_test_add_func ("/orientation/30-70-72-bezier", test_bezier);
  g_test_add_func ("/orientation/30-72-casteljau", test_casteljau);
  g_test_add_func ("/orientation/30-73-subdivide", test_subdivide);
  g_test_add_func ("/orientation/series", test_series);
  g_test_add_func ("/orientation/series-linked", test_series_linked);
  g_test_add_func ("/orientation/30-05-mix", test_mix);
  g_test_add_func ("/rotation/spin/50-42-50-43", test_spin);
  g_test_add_func ("/rotation/spin/50-42-rates", test_spin_rates);
  return g_test_run ();
}
