/* tests/nodes/transform: transforms put together, taken apart, straightened, aimed and mixed, against the figures of
 * catalogue P2-01 and P2-11 to P2-22; and how rotations drift.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transform/affine.h"
#include "kg-random.h"
#include "node-test.h"

static KgTransform
get_transform_at (NodeTest *test, const char *target, double time)
{
  g_auto (KgValue) value = node_test_get (test, target, time);

  g_assert_cmpint (value.kind, ==, KG_TRANSFORM);
  return *value.transform;
}

static KgTransform
get_transform (NodeTest *test, const char *target)
{
  return get_transform_at (test, target, 0);
}

static void
assert_text (NodeTest *test, const char *target, const char *text)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  g_assert_cmpint (value.kind, ==, KG_TEXT);
  g_assert_cmpstr (value.text, ==, text);
}

static void
assert_matrix_near (KgTransform a, KgTransform b, double tolerance)
{
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      assert_near (a.m[i][j], b.m[i][j], tolerance);
}

static void
assert_rows_near (KgTransform a, const double rows[3][3], double tolerance)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      assert_near (a.m[i][j], rows[i][j], tolerance);
}

static void
set_vector (NodeTest *test, const char *name, const char *slot, KgVector v)
{
  g_autofree char *json = g_strdup_printf ("[%.17g, %.17g, %.17g]", v.x, v.y, v.z);

  node_test_set (test, name, slot, json);
}

static void
set_matrix (NodeTest *test, const char *name, const char *slot, KgTransform t)
{
  g_autoptr (GString) json = g_string_new ("[");

  for (int i = 0; i < 16; i++)
    g_string_append_printf (json, "%s%.17g", i > 0 ? ", " : "", t.m[i / 4][i % 4]);
  g_string_append_c (json, ']');
  node_test_set (test, name, slot, json->str);
}

/* A number like any other in -1..1. */
static double
pick (uint64_t i, uint64_t j)
{
  return 2 * kg_random_uniform (7, i, j) - 1;
}

static KgVector
pick_vector (uint64_t i, uint64_t j)
{
  return kg_vector (pick (i, j), pick (i, j + 1), pick (i, j + 2));
}

/* P2-12: each factor alone, and R(a) R(-a) = 1. */
static void
test_basic (void)
{
  NodeTest test = node_test_new ();
  const double flip[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } };
  const double lean[3][3] = { { 1, 0.5, 0.25 }, { -0.5, 1, 2 }, { 0.125, 3, 1 } };
  KgTransform t;

  node_test_add (&test, "transform/compose", "c", "rotate", "[0, 0, 90]", NULL);
  assert_vector_near (kg_transform_point (get_transform (&test, "c.transform"), kg_vector (1, 0, 0)), 0, 1, 0, 1e-15);
  node_test_set (&test, "c", "rotate", "[90, 0, 0]");
  assert_vector_near (kg_transform_point (get_transform (&test, "c.transform"), kg_vector (0, 1, 0)), 0, 0, 1, 1e-15);
  node_test_set (&test, "c", "rotate", "[0, 90, 0]");
  assert_vector_near (kg_transform_point (get_transform (&test, "c.transform"), kg_vector (0, 0, 1)), 1, 0, 0, 1e-15);
  assert_text (&test, "c.kind", "rigid");
  assert_near (node_test_number (&test, "c.determinant", 0), 1, 1e-15);
  node_test_add (&test, "transform/compose", "back", "rotate", "[0, -90, 0]", "transforms",
                 "[{\"link\": \"c.transform\"}]", NULL);
  assert_text (&test, "back.kind", "identity");
  node_test_set (&test, "c", "rotate", "[0, 0, 0]");
  node_test_set (&test, "c", "scale", "[2, 3, 5]");
  assert_near (node_test_number (&test, "c.determinant", 0), 30, 0);
  assert_text (&test, "c.kind", "affine");
  /* P2-01: the flip of z makes left of right, and twice it does nothing. */
  node_test_set (&test, "c", "scale", "[1, 1, -1]");
  t = get_transform (&test, "c.transform");
  assert_rows_near (t, flip, 0);
  assert_near (node_test_number (&test, "c.determinant", 0), -1, 0);
  assert_near (node_test_number (&test, "c.handedness", 0), -1, 0);
  assert_matrix_near (kg_transform_multiply (t, t), kg_transform_identity (), 0);
  assert_text (&test, "c.kind", "similarity");
  node_test_set (&test, "c", "scale", "[1, 1, 1]");
  node_test_set (&test, "c", "shear", "[0.5, 0.25, 2]");
  node_test_set (&test, "c", "back_shear", "[-0.5, 0.125, 3]");
  assert_rows_near (get_transform (&test, "c.transform"), lean, 0);
  node_test_clear (&test);
}

/* P2-12: the size on the diagonal and the size in the corner give the same point, and so do their inverses. */
static void
test_by_division (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "c", "size", "4", "rotate", "[20, 30, 40]", "translate", "[1, 2, 3]",
                 "pivot", "[0.5, -1, 2]", NULL);
  node_test_add (&test, "rotation/apply", "a", "vector", "[3, -2, 5]", "transform", "{\"link\": \"c.transform\"}",
                 NULL);
  {
    const KgVector plain = node_test_vector (&test, "a.applied", 0);

    assert_text (&test, "c.kind", "similarity");
    node_test_set (&test, "c", "by_w", "true");
    assert_text (&test, "c.kind", "projective");
    assert_vector_near (node_test_vector (&test, "a.applied", 0), plain.x, plain.y, plain.z, 1e-14);
    set_vector (&test, "a", "vector", plain);
    node_test_set (&test, "a", "transform", "{\"link\": \"c.inverse\"}");
    assert_vector_near (node_test_vector (&test, "a.applied", 0), 3, -2, 5, 1e-13);
  }
  node_test_set (&test, "c", "size", "0");
  node_test_fails_saying (&test, "c.transform", 0, "turn Scale by w off");
  node_test_clear (&test);
}

/* P2-13: T Rz Ry Rx S about a pivot is the product of single nodes, first applied first. */
static void
test_product (void)
{
  NodeTest test = node_test_new ();
  KgTransform one, all;

  node_test_add (&test, "transform/compose", "whole", "translate", "[1, -2, 3]", "rotate", "[10, 45, 90]", "scale",
                 "[2, 3, 0.5]", "pivot", "[4, 5, 6]", NULL);
  node_test_add (&test, "transform/compose", "to_pivot", "translate", "[-4, -5, -6]", NULL);
  node_test_add (&test, "transform/compose", "s", "scale", "[2, 3, 0.5]", NULL);
  node_test_add (&test, "transform/compose", "x", "rotate", "[10, 0, 0]", NULL);
  node_test_add (&test, "transform/compose", "y", "rotate", "[0, 45, 0]", NULL);
  node_test_add (&test, "transform/compose", "z", "rotate", "[0, 0, 90]", NULL);
  node_test_add (&test, "transform/compose", "t", "translate", "[5, 3, 9]", NULL);
  node_test_add (&test, "transform/compose", "list", "transforms",
                 "[{\"link\": \"to_pivot.transform\"}, {\"link\": \"s.transform\"}, {\"link\": \"x.transform\"}, "
                 "{\"link\": \"y.transform\"}, {\"link\": \"z.transform\"}, {\"link\": \"t.transform\"}]",
                 NULL);
  one = get_transform (&test, "whole.transform");
  assert_matrix_near (one, get_transform (&test, "list.transform"), 1e-14);
  /* P2-11: the last row stays 0 0 0 1, the inverse undoes, and matrix order is the list backwards. */
  for (int j = 0; j < 4; j++)
    assert_near (one.m[3][j], j == 3, 0);
  assert_matrix_near (kg_transform_multiply (one, get_transform (&test, "whole.inverse")), kg_transform_identity (),
                      1e-14);
  assert_vector_near (kg_transform_point (one, kg_vector (4, 5, 6)), 5, 3, 9, 1e-14);
  all = get_transform (&test, "list.transform");
  node_test_set (&test, "list", "transforms",
                 "[{\"link\": \"t.transform\"}, {\"link\": \"z.transform\"}, {\"link\": \"y.transform\"}, "
                 "{\"link\": \"x.transform\"}, {\"link\": \"s.transform\"}, {\"link\": \"to_pivot.transform\"}]");
  /* Not commutative: in the other order it is another transform. */
  g_assert_cmpfloat (fabs (get_transform (&test, "list.transform").m[0][3] - all.m[0][3]), >, 1);
  node_test_set (&test, "list", "list_order", "\"matrix\"");
  assert_matrix_near (get_transform (&test, "list.transform"), all, 0);
  node_test_clear (&test);
}

/* P2-11: (M1 M2)ᵀ = M2ᵀ M1ᵀ: with row vectors the transposed matrices come in the other order. */
static void
test_rows (void)
{
  NodeTest test = node_test_new ();
  KgTransform first, second, product;

  node_test_add (&test, "transform/compose", "a", "translate", "[1, 2, 3]", "rotate", "[10, 20, 30]", NULL);
  node_test_add (&test, "transform/compose", "b", "scale", "[2, 3, 4]", "shear", "[0.1, 0.2, 0.3]", NULL);
  node_test_add (&test, "transform/compose", "ab", "transforms",
                 "[{\"link\": \"a.transform\"}, {\"link\": \"b.transform\"}]", NULL);
  first = get_transform (&test, "a.transform");
  second = get_transform (&test, "b.transform");
  product = get_transform (&test, "ab.transform");
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double sum = 0;

      for (int k = 0; k < 4; k++)
        sum += first.m[k][i] * second.m[j][k];
      assert_near (product.m[j][i], sum, 1e-14);
    }
  node_test_clear (&test);
}

/* P2-12: what flattens is named, and the transform is there all the same. */
static void
test_singular (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "c", "scale", "[2, 0, 3]", "translate", "[1, 2, 3]", NULL);
  node_test_warns (&test, "c.transform", "the scale along y is 0");
  node_test_warns (&test, "c.transform", "such as 0.001");
  assert_near (get_transform (&test, "c.transform").m[2][2], 3, 0);
  assert_matrix_near (get_transform (&test, "c.inverse"), kg_transform_identity (), 0);
  assert_near (node_test_number (&test, "c.determinant", 0), 0, 0);
  assert_near (node_test_number (&test, "c.handedness", 0), 0, 0);
  node_test_set (&test, "c", "scale", "[1, 1, 1]");
  node_test_set (&test, "c", "size", "0");
  node_test_warns (&test, "c.transform", "the size is 0");
  node_test_set (&test, "c", "size", "1");
  node_test_set (&test, "c", "shear", "[2, 0, 0]");
  node_test_set (&test, "c", "back_shear", "[0.5, 0, 0]");
  node_test_warns (&test, "c.transform", "shears together flatten");
  node_test_set (&test, "c", "shear", "[0, 0, 0]");
  node_test_add (&test, "transform/compose", "good", NULL);
  node_test_add (&test, "transform/compose", "flat", "scale", "[1, 1, 0]", NULL);
  node_test_set (&test, "c", "transforms", "[{\"link\": \"good.transform\"}, {\"link\": \"flat.transform\"}]");
  node_test_warns (&test, "c.transform", "transform 2 of the list");
  /* Tiny is not flat. */
  node_test_set (&test, "c", "transforms", "[]");
  node_test_set (&test, "c", "scale", "[1e-30, 1, 1e20]");
  node_test_set (&test, "c", "translate", "[0, 0, 0]");
  assert_near (get_transform (&test, "c.inverse").m[0][0], 1e30, 1e15);
  assert_near (node_test_number (&test, "c.handedness", 0), 1, 0);
  node_test_clear (&test);
}

/* P2-16: what was taken apart makes the same transform, in all orders, mirrored or not, the scale first or last. */
static void
test_recompose (void)
{
  static const char *const orders[] = { "\"xyz\"", "\"xzy\"", "\"yxz\"", "\"yzx\"", "\"zxy\"", "\"zyx\"",
                                        "\"xyx\"", "\"xzx\"", "\"yxy\"", "\"yzy\"", "\"zxz\"", "\"zyz\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/decompose", "d", NULL);
  node_test_add (&test, "transform/compose", "c", "translate", "{\"link\": \"d.translate\"}", "rotate",
                 "{\"link\": \"d.rotate\"}", "scale", "{\"link\": \"d.scale\"}", "shear", "{\"link\": \"d.shear\"}",
                 NULL);
  for (uint64_t i = 0; i < 96; i++) {
    const char *frame = i / 12 % 2 ? "\"moving\"" : "\"fixed\"", *scale_order = i / 24 % 2 ? "\"last\"" : "\"first\"";
    KgTransform m = kg_transform_identity ();

    for (int j = 0; j < 4; j++)
      kg_transform_set_column (&m, j, pick_vector (i, 4 * (uint64_t) j));
    set_matrix (&test, "d", "transform", m);
    for (int k = 0; k < 2; k++) {
      const char *name = k == 0 ? "d" : "c";

      node_test_set (&test, name, "order", orders[i % 12]);
      node_test_set (&test, name, "frame", frame);
      node_test_set (&test, name, "scale_order", scale_order);
    }
    assert_matrix_near (get_transform (&test, "c.transform"), m, 1e-12);
    g_assert_cmpint (node_test_number (&test, "d.mirrors", 0) > 0, ==, kg_transform_determinant (m) < 0);
    assert_near (node_test_number (&test, "d.singular", 0), 0, 0);
  }
  node_test_clear (&test);
}

/* P2-16: R S has its scale in the columns, S R in the rows; the wrong place looks like a shear. */
static void
test_scale_place (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "c", "rotate", "[30, 20, 10]", "scale", "[2, 3, 5]", NULL);
  node_test_add (&test, "transform/decompose", "d", "transform", "{\"link\": \"c.transform\"}", NULL);
  assert_vector_near (node_test_vector (&test, "d.scale", 0), 2, 3, 5, 1e-14);
  assert_vector_near (node_test_vector (&test, "d.rotate", 0), 30, 20, 10, 1e-12);
  assert_near (node_test_number (&test, "d.sheared", 0), 0, 0);
  node_test_set (&test, "d", "scale_order", "\"last\"");
  assert_near (node_test_number (&test, "d.sheared", 0), 1, 0);
  node_test_set (&test, "c", "scale_order", "\"last\"");
  assert_vector_near (node_test_vector (&test, "d.scale", 0), 2, 3, 5, 1e-14);
  assert_near (node_test_number (&test, "d.sheared", 0), 0, 0);
  /* At gimbal lock one angle holds the sum of two: 3 and 0 about x, 90 about y are 0 and -3. */
  node_test_set (&test, "c", "rotate", "[3, 90, 0]");
  assert_near (node_test_number (&test, "d.locked", 0), 1, 0);
  node_test_set (&test, "c", "scale", "[-2, 3, 5]");
  assert_vector_near (node_test_vector (&test, "d.scale", 0), -2, 3, 5, 1e-14);
  assert_near (node_test_number (&test, "d.mirrors", 0), 1, 0);
  node_test_clear (&test);
}

/* P2-16: columns of zeros are scales of 0 and the turn is still one; two axes along one line are reported. */
static void
test_decompose_flat (void)
{
  static const char *const scales[] = { "[0, 3, 5]", "[2, 0, 5]", "[2, 3, 0]", "[0, 0, 5]",
                                        "[0, 3, 0]", "[2, 0, 0]", "[0, 0, 0]" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "c", "rotate", "[30, 20, 10]", "translate", "[1, 2, 3]", NULL);
  node_test_add (&test, "transform/decompose", "d", "transform", "{\"link\": \"c.transform\"}", NULL);
  node_test_add (&test, "transform/compose", "again", "translate", "{\"link\": \"d.translate\"}", "rotate",
                 "{\"link\": \"d.rotate\"}", "scale", "{\"link\": \"d.scale\"}", "shear", "{\"link\": \"d.shear\"}",
                 NULL);
  for (guint i = 0; i < G_N_ELEMENTS (scales); i++) {
    node_test_set (&test, "c", "scale", scales[i]);
    assert_near (node_test_number (&test, "d.singular", 0), 1, 0);
    assert_near (node_test_number (&test, "d.mirrors", 0), 0, 0);
    assert_matrix_near (get_transform (&test, "again.transform"), get_transform (&test, "c.transform"), 1e-14);
  }
  node_test_set (&test, "d", "transform", "[1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
  node_test_warns (&test, "d.scale", "on one line");
  node_test_set (&test, "d", "transform", "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 1]");
  node_test_fails_saying (&test, "d.scale", 0, "its last row is 0 0 0.5 1");
  node_test_clear (&test);
}

static KgTransform
make_rotation (uint64_t i)
{
  return kg_transform_from_parts (
      kg_vector (0, 0, 0), kg_rotation_from_axis_angle (pick_vector (i, 20), 3 * pick (i, 23)), kg_vector (1, 1, 1));
}

/* P2-15, P2-18: R Rᵀ = 1, rotations stay as they are, and Gram-Schmidt keeps the first direction. */
static void
test_orthonormalize (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/orthonormalize", "o", NULL);
  for (uint64_t i = 0; i < 40; i++) {
    KgTransform rigid = make_rotation (i), noisy, out;
    const bool rows = i % 2, polar = i / 2 % 2;

    kg_transform_set_place (&rigid, pick_vector (i, 40));
    node_test_set (&test, "o", "by", rows ? "\"rows\"" : "\"columns\"");
    node_test_set (&test, "o", "method", polar ? "\"polar\"" : "\"gram-schmidt\"");
    set_matrix (&test, "o", "transform", rigid);
    assert_matrix_near (get_transform (&test, "o.result"), rigid, polar ? 4e-15 : 1e-15);
    noisy = rigid;
    for (int j = 0; j < 3; j++)
      kg_transform_set_column (
          &noisy, j,
          kg_vector_add_scaled (kg_transform_get_column (&rigid, j), 0.02, pick_vector (i, 50 + 3 * (uint64_t) j)));
    set_matrix (&test, "o", "transform", noisy);
    out = get_transform (&test, "o.result");
    g_assert_cmpfloat (affine_get_orthogonality (&out), <, 4e-15);
    assert_near (kg_transform_determinant (out), 1, 4e-15);
    assert_near (out.m[1][3], rigid.m[1][3], 0);
    g_assert_cmpfloat (node_test_number (&test, "o.orthogonality", 0), >, 1e-4);
    g_assert_cmpfloat (node_test_number (&test, "o.deviation", 0), <, 0.1);
    if (!polar) {
      const KgTransform a = rows ? affine_transpose_linear (&noisy) : noisy,
                        b = rows ? affine_transpose_linear (&out) : out;

      g_assert_cmpfloat (
          kg_vector_length (kg_vector_cross (kg_transform_get_column (&a, 0), kg_transform_get_column (&b, 0))), <,
          1e-15);
    }
  }
  node_test_clear (&test);
}

static double
get_squared_distance (const KgTransform *a, const KgTransform *b)
{
  double sum = 0;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sum += (a->m[i][j] - b->m[i][j]) * (a->m[i][j] - b->m[i][j]);
  return sum;
}

/* P2-18: no rotation in the neighbourhood is nearer than the polar one, also to what mirrors; Gram-Schmidt is farther. */
static void
test_nearest (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/orthonormalize", "o", "uneven", "true", NULL);
  for (uint64_t i = 0; i < 20; i++) {
    KgTransform m = kg_transform_identity (), polar, gram;
    double best;

    for (int j = 0; j < 3; j++)
      kg_transform_set_column (&m, j, pick_vector (i, 60 + 3 * (uint64_t) j));
    set_matrix (&test, "o", "transform", m);
    node_test_set (&test, "o", "method", "\"polar\"");
    polar = get_transform (&test, "o.result");
    g_assert_cmpint (node_test_number (&test, "o.mirrors", 0) > 0, ==, kg_transform_determinant (m) < 0);
    assert_near (kg_transform_determinant (polar), 1, 1e-14);
    best = get_squared_distance (&polar, &m);
    node_test_set (&test, "o", "method", "\"gram-schmidt\"");
    gram = get_transform (&test, "o.result");
    g_assert_cmpfloat (get_squared_distance (&gram, &m), >, best);
    for (uint64_t k = 0; k < 200; k++) {
      const KgTransform turn = kg_transform_from_parts (
          kg_vector (0, 0, 0), kg_rotation_from_axis_angle (pick_vector (i, 100 + 4 * k), pick (i, 103 + 4 * k)),
          kg_vector (1, 1, 1));
      const KgTransform other = kg_transform_multiply (turn, polar);

      g_assert_cmpfloat (get_squared_distance (&other, &m), >=, best);
    }
  }
  node_test_clear (&test);
}

/* P2-15: the columns are the axes, and M_ij is the cosine between them and those of the world. */
static void
test_axes (void)
{
  NodeTest test = node_test_new ();
  KgTransform m;

  node_test_add (&test, "transform/orthonormalize", "o", "from", "\"axes\"", "x_axis", "[0, 3, 0]", "y_axis",
                 "[-2, 1, 0]", "z_axis", "[0, 0, 7]", NULL);
  m = get_transform (&test, "o.result");
  assert_vector_near (kg_transform_point (m, kg_vector (1, 0, 0)), 0, 1, 0, 1e-15);
  assert_vector_near (kg_transform_point (m, kg_vector (0, 1, 0)), -1, 0, 0, 1e-15);
  assert_vector_near (node_test_vector (&test, "o.z", 0), 0, 0, 1, 1e-15);
  node_test_set (&test, "o", "scale", "\"first\"");
  assert_near (kg_transform_determinant (get_transform (&test, "o.result")), 27, 1e-13);
  node_test_set (&test, "o", "scale", "\"average\"");
  assert_near (get_transform (&test, "o.result").m[2][2], (3 + sqrt (5) + 7) / 3, 1e-14);
  node_test_set (&test, "o", "z_axis", "[0, 0, -7]");
  assert_near (node_test_number (&test, "o.mirrors", 0), 1, 0);
  node_test_clear (&test);
}

/* 40-K04: the rotation nearest to a mirror is not unique where the two smallest singular values are equal. */
static void
test_orthonormalize_mirror (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/orthonormalize", "o", "method", "\"polar\"", "transform",
                 "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]", NULL);
  node_test_warns (&test, "o.result", "not unique");
  assert_near (kg_transform_determinant (get_transform (&test, "o.result")), 1, 1e-14);
  /* A shorter axis is the one that gives way. */
  node_test_set (&test, "o", "transform", "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -0.95, 0, 0, 0, 0, 1]");
  assert_matrix_near (get_transform (&test, "o.result"), kg_transform_identity (), 1e-14);
  node_test_clear (&test);
}

/* P2-18: what has no answer is named. */
static void
test_orthonormalize_degenerate (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/orthonormalize", "o", "from", "\"axes\"", "x_axis", "[0, 0, 0]", NULL);
  node_test_fails_saying (&test, "o.result", 0, "the x axis is 0 0 0");
  node_test_set (&test, "o", "x_axis", "[0, -2, 0]");
  node_test_fails_saying (&test, "o.result", 0, "the x axis and the y axis are collinear");
  /* Polar still knows where the third goes. */
  node_test_set (&test, "o", "method", "\"polar\"");
  assert_near (kg_transform_determinant (get_transform (&test, "o.result")), 1, 1e-14);
  node_test_set (&test, "o", "z_axis", "[0, 5, 0]");
  node_test_fails_saying (&test, "o.result", 0, "collinear or 0 0 0");
  node_test_set (&test, "o", "from", "\"transform\"");
  node_test_set (&test, "o", "transform", "[2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
  node_test_fails_saying (&test, "o.result", 0, "turn on Even out lengths");
  node_test_set (&test, "o", "uneven", "true");
  assert_matrix_near (get_transform (&test, "o.result"), kg_transform_identity (), 1e-15);
  node_test_set (&test, "o", "method", "\"gram-schmidt\"");
  node_test_set (&test, "o", "by", "\"rows\"");
  node_test_set (&test, "o", "transform", "[1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
  node_test_fails_saying (&test, "o.result", 0, "the first row and the second row");
  /* Far apart in size, which says nothing of directions. */
  node_test_set (&test, "o", "from", "\"axes\"");
  node_test_set (&test, "o", "x_axis", "[1e100, 0, 0]");
  node_test_set (&test, "o", "y_axis", "[0, 1e-200, 0]");
  assert_vector_near (node_test_vector (&test, "o.x", 0), 1, 0, 0, 1e-15);
  assert_vector_near (node_test_vector (&test, "o.y", 0), 0, 1, 0, 1e-15);
  node_test_clear (&test);
}

/* P2-14: the aircraft, by both methods. */
static void
test_aircraft (void)
{
  const double rows[3][3] = { { 0.857493, 0.291043, 0.424264 },
                              { 0, 0.824621, -0.565685 },
                              { -0.514496, 0.485071, 0.707107 } };
  NodeTest test = node_test_new ();
  KgTransform angles, cosines;

  node_test_add (&test, "transform/aim", "a", "from", "[20, -10, 35]", "to", "[23, -14, 40]", NULL);
  angles = get_transform (&test, "a.transform");
  assert_rows_near (angles, rows, 5e-7);
  assert_vector_near (kg_transform_get_place (&angles), 20, -10, 35, 0);
  assert_near (node_test_number (&test, "a.pitch", 0), 34.4499, 5e-5);
  assert_near (node_test_number (&test, "a.yaw", 0), 30.9638, 5e-5);
  assert_near (sin (node_test_number (&test, "a.pitch", 0) * KG_DEGREE), 4 / sqrt (50), 1e-15);
  assert_near (node_test_number (&test, "a.distance", 0), sqrt (50), 1e-14);
  node_test_set (&test, "a", "method", "\"direction-cosines\"");
  cosines = get_transform (&test, "a.transform");
  assert_matrix_near (cosines, angles, 1e-12);
  node_test_clear (&test);
}

/* P2-14: both methods agree wherever the target, up and the roll; z points to it and x stays across. */
static void
test_aim_anywhere (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/aim", "a", NULL);
  for (uint64_t i = 0; i < 60; i++) {
    const KgVector from = pick_vector (i, 0), to = pick_vector (i, 3), up = pick_vector (i, 6);
    const KgVector d = kg_vector_normalize_or (kg_vector_subtract (to, from), kg_vector (0, 0, 1));
    KgTransform angles;

    set_vector (&test, "a", "from", from);
    set_vector (&test, "a", "to", to);
    set_vector (&test, "a", "up", up);
    node_test_set_number (&test, "a", "roll", i % 3 == 0 ? 0 : 180 * pick (i, 9));
    node_test_set (&test, "a", "method", "\"pitch-yaw\"");
    angles = get_transform (&test, "a.transform");
    assert_vector_near (kg_transform_get_column (&angles, 2), d.x, d.y, d.z, 1e-12);
    assert_near (kg_transform_determinant (angles), 1, 1e-14);
    if (i % 3 == 0)
      assert_near (kg_vector_dot (kg_transform_get_column (&angles, 0), up), 0, 1e-12);
    node_test_set (&test, "a", "method", "\"direction-cosines\"");
    assert_matrix_near (get_transform (&test, "a.transform"), angles, 1e-12);
  }
  node_test_clear (&test);
}

/* P2-14: no direction, no up, and straight up and down. */
static void
test_aim_degenerate (void)
{
  const double up[3][3] = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } };
  const double down[3][3] = { { 1, 0, 0 }, { 0, 0, -1 }, { 0, 1, 0 } };
  static const char *const methods[] = { "\"pitch-yaw\"", "\"direction-cosines\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/aim", "a", "from", "[1, 2, 3]", "to", "[1, 2, 3]", NULL);
  node_test_warns (&test, "a.transform", "the same point");
  assert_near (get_transform (&test, "a.transform").m[1][3], 2, 0);
  assert_near (get_transform (&test, "a.transform").m[1][1], 1, 0);
  for (guint k = 0; k < G_N_ELEMENTS (methods); k++) {
    node_test_set (&test, "a", "method", methods[k]);
    node_test_set (&test, "a", "up", "[0, 1, 0]");
    node_test_set (&test, "a", "to", "[1, 9, 3]");
    node_test_warns (&test, "a.transform", "exactly along up");
    assert_rows_near (get_transform (&test, "a.transform"), up, 1e-15);
    node_test_set (&test, "a", "to", "[1, -9, 3]");
    assert_rows_near (get_transform (&test, "a.transform"), down, 1e-15);
    assert_near (node_test_number (&test, "a.pitch", 0), 90, 1e-13);
    node_test_set (&test, "a", "up", "[0, 0, 0]");
    node_test_set (&test, "a", "to", "[1, 2, 9]");
    node_test_warns (&test, "a.transform", "up is 0 0 0");
    assert_rows_near (get_transform (&test, "a.transform"),
                      (const double[3][3]){ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, 1e-15);
  }
  node_test_clear (&test);
}

/* P2-19: the matrices of 90 and -90 degrees about y, mixed half and half, are diag (0, 1, 0). */
static void
test_matrix_lerp (void)
{
  const double collapsed[3][3] = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "a", "rotate", "[0, 90, 0]", NULL);
  node_test_add (&test, "transform/compose", "b", "rotate", "[0, -90, 0]", NULL);
  node_test_add (&test, "transform/interpolate", "i", "a", "{\"link\": \"a.transform\"}", "b",
                 "{\"link\": \"b.transform\"}", "t", "0.5", "method", "\"matrix\"", NULL);
  assert_rows_near (get_transform (&test, "i.transform"), collapsed, 1e-15);
  node_test_warns (&test, "i.transform", "neither end is flat");
  /* Its determinant is the square of the cosine of the angle. */
  for (int degrees = 5; degrees < 90; degrees += 5) {
    const double c = cos (degrees * KG_DEGREE);

    set_vector (&test, "a", "rotate", kg_vector (0, degrees, 0));
    set_vector (&test, "b", "rotate", kg_vector (0, -degrees, 0));
    node_test_set (&test, "i", "method", "\"matrix\"");
    assert_near (node_test_number (&test, "i.determinant", 0), c * c, 1e-15);
    node_test_set (&test, "i", "method", "\"parts\"");
    assert_near (node_test_number (&test, "i.determinant", 0), 1, 1e-15);
    assert_matrix_near (get_transform (&test, "i.transform"), kg_transform_identity (), 1e-15);
  }
  node_test_clear (&test);
}

/* P2-19, P2-16: mixed matrices divide nothing, and their scale is the root of the determinant. */
static void
test_mixed_apart (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "a", "rotate", "[0, 0, 90]", "translate", "[1, 2, 3]", NULL);
  node_test_add (&test, "transform/compose", "b", "rotate", "[0, 0, -90]", NULL);
  node_test_add (&test, "transform/interpolate", "i", "a", "{\"link\": \"a.transform\"}", "b",
                 "{\"link\": \"b.transform\"}", "method", "\"matrix\"", NULL);
  node_test_add (&test, "transform/decompose", "d", "transform", "{\"link\": \"i.transform\"}", NULL);
  for (int k = 0; k <= 94; k++) {
    const double t = k / 94.0;

    node_test_set_number (&test, "i", "t", t);
    assert_near (get_transform (&test, "i.transform").m[3][3], 1, 0);
    assert_near (node_test_vector (&test, "d.scale", 0).x, fabs (1 - 2 * t), 1e-14);
  }
  node_test_clear (&test);
}

/* P2-19: the ends are exact; places go straight, turns keep lengths, factors are equal on request. */
static void
test_parts (void)
{
  NodeTest test = node_test_new ();
  KgTransform m;

  node_test_add (&test, "transform/compose", "a", "rotate", "[10, 20, 30]", "translate", "[1, 2, 3]", "scale",
                 "[1, 2, 4]", "shear", "[0.25, 0, 0]", NULL);
  node_test_add (&test, "transform/compose", "b", "rotate", "[-50, 70, 110]", "translate", "[5, 2, -3]", "scale",
                 "[4, 8, 1]", "shear", "[0.75, 0, 1]", NULL);
  node_test_add (&test, "transform/interpolate", "i", "a", "{\"link\": \"a.transform\"}", "b",
                 "{\"link\": \"b.transform\"}", "t", "0", NULL);
  node_test_add (&test, "transform/decompose", "d", "transform", "{\"link\": \"i.transform\"}", NULL);
  for (int k = 0; k < 2; k++) {
    node_test_set (&test, "i", "turn", k == 0 ? "\"slerp\"" : "\"axis-angle\"");
    node_test_set (&test, "i", "t", "0");
    assert_matrix_near (get_transform (&test, "i.transform"), get_transform (&test, "a.transform"), 1e-13);
    node_test_set (&test, "i", "t", "1");
    assert_matrix_near (get_transform (&test, "i.transform"), get_transform (&test, "b.transform"), 1e-13);
    node_test_set (&test, "i", "t", "0.5");
    m = get_transform (&test, "i.transform");
    assert_vector_near (kg_transform_get_place (&m), 3, 2, 0, 1e-15);
    assert_vector_near (node_test_vector (&test, "d.scale", 0), 2.5, 5, 2.5, 1e-13);
    assert_vector_near (node_test_vector (&test, "d.shear", 0), 0.5, 0, 0.5, 1e-13);
    assert_near (kg_transform_determinant (m), 2.5 * 5 * 2.5, 1e-12);
  }
  node_test_set (&test, "i", "scale", "\"exponential\"");
  assert_vector_near (node_test_vector (&test, "d.scale", 0), 2, 4, 2, 1e-13);
  node_test_clear (&test);
}

/* P2-20, P2-21: the published matrix of fixed angles; gimbal lock; and the half way that angles miss by 17 degrees. */
static void
test_fixed_angles (void)
{
  const double rows[3][3] = { { 0, -0.984808, 0.173648 },
                              { 0.707107, 0.122788, 0.696364 },
                              { -0.707107, 0.122788, 0.696364 } };
  NodeTest test = node_test_new ();
  KgTransform locked;

  node_test_add (&test, "transform/compose", "c", "rotate", "[10, 45, 90]", NULL);
  node_test_add (&test, "value/rotation", "v", "from", "\"angles\"", "angles", "[10, 45, 90]", NULL);
  assert_rows_near (get_transform (&test, "c.transform"), rows, 5e-7);
  assert_matrix_near (get_transform (&test, "v.transform"), get_transform (&test, "c.transform"), 1e-15);
  /* About moving axes in one order is about fixed ones in the other. */
  node_test_set (&test, "v", "frame", "\"moving\"");
  node_test_set (&test, "v", "order", "\"zyx\"");
  node_test_set (&test, "v", "angles", "[90, 45, 10]");
  assert_matrix_near (get_transform (&test, "v.transform"), get_transform (&test, "c.transform"), 1e-15);
  node_test_set (&test, "c", "rotate", "[3, 90, 0]");
  locked = get_transform (&test, "c.transform");
  node_test_set (&test, "c", "rotate", "[0, 90, -3]");
  assert_matrix_near (get_transform (&test, "c.transform"), locked, 1e-15);
  /* Half way from (0, 90, 0) to (90, 45, 90) is (90, 67.5, 90), and not (45, 67.5, 45). */
  node_test_set (&test, "c", "rotate", "[0, 90, 0]");
  node_test_add (&test, "transform/compose", "e", "rotate", "[90, 45, 90]", NULL);
  node_test_add (&test, "transform/interpolate", "i", "a", "{\"link\": \"c.transform\"}", "b",
                 "{\"link\": \"e.transform\"}", "t", "0.5", NULL);
  node_test_add (&test, "transform/compose", "half", "rotate", "[90, 67.5, 90]", NULL);
  assert_matrix_near (get_transform (&test, "i.transform"), get_transform (&test, "half.transform"), 1e-14);
  {
    const KgTransform whole = get_transform (&test, "half.transform");
    KgTransform apart;

    node_test_set (&test, "half", "rotate", "[45, 67.5, 45]");
    apart = kg_transform_multiply (affine_transpose_linear (&whole), get_transform (&test, "half.transform"));
    assert_near (acos ((apart.m[0][0] + apart.m[1][1] + apart.m[2][2] - 1) / 2) / KG_DEGREE, 17.12625, 5e-6);
  }
  node_test_clear (&test);
}

/* P2-25, the lines of docs/rotations.md that have numbers: keys of angles make their turns, quaternions take the short way, and angles
 * lose one at 90 degrees. */
static void
test_which_form (void)
{
  NodeTest test = node_test_new ();
  KgTransform half, locked;

  node_test_add (&test, "transform/compose", "c", "rotate",
                 "{\"keys\": [{\"frame\": 1, \"value\": [0, 0, 0], \"interpolation\": \"linear\"}, [25, [0, 0, 720]]]}",
                 NULL);
  assert_near (get_transform_at (&test, "c.transform", 0.25).m[0][0], -1, 1e-12);
  assert_near (get_transform_at (&test, "c.transform", 0.5).m[0][0], 1, 1e-12);
  assert_near (get_transform_at (&test, "c.transform", 0.125).m[1][0], 1, 1e-12);
  /* What was entered is what is there. */
  g_assert_cmpfloat (node_test_vector (&test, "c.rotate", 1).z, ==, 720);
  /* The same two ends as orientations are one, and of 350 degrees the short way is back by 10. */
  node_test_add (&test, "value/rotation", "a", NULL);
  node_test_add (&test, "value/rotation", "b", "from", "\"angles\"", "angles", "[0, 0, 720]", NULL);
  node_test_add (&test, "rotation/interpolate", "i", "a", "{\"link\": \"a.rotation\"}", "b",
                 "{\"link\": \"b.rotation\"}", "t", "0.25", NULL);
  assert_near (node_test_number (&test, "i.whole", 0), 0, 1e-6);
  node_test_set (&test, "b", "angles", "[0, 0, 350]");
  assert_near (node_test_number (&test, "i.whole", 0), 10, 1e-9);
  assert_near (node_test_number (&test, "i.angle", 0), 2.5, 1e-9);
  /* The middle angle at 90 degrees: the other two turn about one axis. */
  node_test_set (&test, "c", "rotate", "[3, 90, 0]");
  locked = get_transform (&test, "c.transform");
  node_test_set (&test, "c", "rotate", "[0, 90, -3]");
  assert_matrix_near (get_transform (&test, "c.transform"), locked, 1e-15);
  /* Matrices for what stands upon another: the product of the parts, and not the sum of their angles. */
  node_test_set (&test, "c", "rotate", "[0, 90, 0]");
  half = get_transform (&test, "c.transform");
  node_test_set (&test, "c", "rotate", "[90, 0, 0]");
  locked = get_transform (&test, "c.transform");
  node_test_set (&test, "c", "rotate", "[90, 90, 0]");
  assert_matrix_near (get_transform (&test, "c.transform"), kg_transform_multiply (half, locked), 1e-15);
  g_assert_cmpfloat (
      fabs (kg_transform_multiply (locked, half).m[0][0] - kg_transform_multiply (half, locked).m[0][0]) +
          fabs (kg_transform_multiply (locked, half).m[0][1] - kg_transform_multiply (half, locked).m[0][1]),
      >, 0.9);
  node_test_clear (&test);
}

/* P2-22: between two axes at an angle of 90 degrees the axis is half way, and so is the angle; trace = 1 + 2 cos. */
static void
test_between_axes (void)
{
  NodeTest test = node_test_new ();
  const double half = sqrt (0.5);
  KgTransform m;
  KgVector v;

  node_test_add (&test, "value/rotation", "a", "from", "\"axis\"", "axis", "[1, 0, 0]", "angle", "40", NULL);
  node_test_add (&test, "value/rotation", "b", "from", "\"axis\"", "axis", "[0, 1, 0]", "angle", "100", NULL);
  node_test_add (&test, "transform/interpolate", "i", "a", "{\"link\": \"a.transform\"}", "b",
                 "{\"link\": \"b.transform\"}", "t", "0.5", "turn", "\"axis-angle\"", NULL);
  m = get_transform (&test, "i.transform");
  assert_near (m.m[0][0] + m.m[1][1] + m.m[2][2], 1 + 2 * cos (70 * KG_DEGREE), 1e-14);
  v = kg_transform_point (m, kg_vector (half, half, 0));
  assert_vector_near (v, half, half, 0, 1e-14);
  node_test_set (&test, "i", "t", "0.25");
  m = get_transform (&test, "i.transform");
  assert_near (m.m[0][0] + m.m[1][1] + m.m[2][2], 1 + 2 * cos (55 * KG_DEGREE), 1e-14);
  v = kg_vector (cos (22.5 * KG_DEGREE), sin (22.5 * KG_DEGREE), 0);
  assert_vector_near (kg_transform_point (m, v), v.x, v.y, 0, 1e-14);
  /* What does not turn takes the axis of the other; opposite axes are one axis. */
  node_test_set (&test, "i", "t", "0.5");
  node_test_set (&test, "a", "angle", "0");
  m = get_transform (&test, "i.transform");
  assert_vector_near (kg_transform_point (m, kg_vector (0, 1, 0)), 0, 1, 0, 1e-14);
  assert_near (m.m[0][0], cos (50 * KG_DEGREE), 1e-14);
  node_test_set (&test, "a", "axis", "[0, -1, 0]");
  node_test_set (&test, "a", "angle", "40");
  m = get_transform (&test, "i.transform");
  assert_near (m.m[0][0], cos (30 * KG_DEGREE), 1e-14);
  assert_near (m.m[0][2], sin (30 * KG_DEGREE), 1e-14);
  node_test_clear (&test);
}

/* P2-19: what cannot go by parts or by factors is reported, and is still something between. */
static void
test_interpolate_degenerate (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "a", "scale", "[1, 1, 1]", NULL);
  node_test_add (&test, "transform/compose", "b", "scale", "[1, -1, 1]", NULL);
  node_test_add (&test, "transform/interpolate", "i", "a", "{\"link\": \"a.transform\"}", "b",
                 "{\"link\": \"b.transform\"}", "t", "0.25", NULL);
  node_test_warns (&test, "i.transform", "only b mirrors");
  node_test_set (&test, "b", "scale", "[1, 0, 1]");
  node_test_set (&test, "i", "scale", "\"exponential\"");
  node_test_warns (&test, "i.transform", "the scale along y goes from 1 to 0");
  assert_near (node_test_number (&test, "i.determinant", 0), 0.75, 1e-15);
  node_test_set (&test, "i", "b", "[1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
  node_test_warns (&test, "i.transform", "b does not consist of translation, rotation, shear and scale");
  assert_near (get_transform (&test, "i.transform").m[0][1], 0.25, 0);
  node_test_clear (&test);
}

/* A square of side 1, ten away from the axis and tilted. */
static NodeTest
make_moon (const char *method, const char *precision)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "square", "size", "[1, 1, 0]", "columns", "1", "rows", "1", NULL);
  node_test_add (&test, "transform/compose", "place", "translate", "[10, 0, 0]", "rotate", "[20, 30, 0]", "order",
                 "\"zxy\"", NULL);
  node_test_add (&test, "sim/rotation_drift", "d", "geometry", "{\"link\": \"square.geometry\"}", "place",
                 "{\"link\": \"place.transform\"}", "steps_per_frame", "3600", "method", method, "precision", precision,
                 NULL);
  return test;
}

static double
get_drift (NodeTest *test, const char *target, int frames)
{
  return fabs (node_test_number (test, target, frames / 24.0));
}

/* P2-17: points that are turned again and again leave their plane, and their shape goes. */
static void
test_drift_points (void)
{
  NodeTest test = make_moon ("\"points\"", "\"single\"");

  /* Floats ten away from the axis are half a millionth apart at best. */
  assert_near (get_drift (&test, "d.flatness", 0), 0, 2e-6);
  assert_near (get_drift (&test, "d.shape", 0), 0, 2e-6);
  assert_near (get_drift (&test, "d.steps", 10), 36000, 0);
  for (int frames = 1; frames <= 100; frames *= 10) {
    g_assert_cmpfloat (get_drift (&test, "d.flatness", frames), >, 1e-6);
    g_assert_cmpfloat (get_drift (&test, "d.flatness", frames), <, 1e-2);
    g_assert_cmpfloat (get_drift (&test, "d.shape", frames), >, 1e-6);
  }
  g_assert_cmpfloat (get_drift (&test, "d.shape", 100), >, 10 * get_drift (&test, "d.shape", 1));
  node_test_clear (&test);
}

/* P2-17: a matrix that is turned again and again is no longer a rotation, but planes stay planes. */
static void
test_drift_matrix (void)
{
  NodeTest test = make_moon ("\"matrix\"", "\"single\"");
  static const double published[] = { 8.7e-5, 1.1e-3, 1.0e-2 };

  for (int frames = 1, i = 0; frames <= 100; frames *= 10, i++) {
    g_assert_cmpfloat (get_drift (&test, "d.flatness", frames), <, 1e-12);
    g_assert_cmpfloat (get_drift (&test, "d.orthogonality", frames), >, published[i] / 5);
    g_assert_cmpfloat (get_drift (&test, "d.orthogonality", frames), <, published[i] * 5);
  }
  node_test_clear (&test);
  test = make_moon ("\"matrix\"", "\"double\"");
  g_assert_cmpfloat (get_drift (&test, "d.orthogonality", 10), <, 1e-10);
  g_assert_cmpfloat (get_drift (&test, "d.orthogonality", 10), >, 0);
  node_test_clear (&test);
}

/* P2-17: a matrix that is rebuilt is always a rotation; its angle drifts by what singles added up lose. */
static void
test_drift_angle (void)
{
  NodeTest test = make_moon ("\"angle\"", "\"single\"");
  static const double published[] = { -1.2e-3, 0.088, 1.76 };

  for (int frames = 1, i = 0; frames <= 100; frames *= 10, i++) {
    const double error = node_test_number (&test, "d.angle_error", frames / 24.0) * KG_DEGREE;

    g_assert_cmpfloat (get_drift (&test, "d.orthogonality", frames), <, 1e-6);
    g_assert_cmpfloat (get_drift (&test, "d.shape", frames), <, 1e-6);
    assert_near (error, published[i], 0.05 * fabs (published[i]));
  }
  node_test_clear (&test);
  test = make_moon ("\"angle\"", "\"double\"");
  g_assert_cmpfloat (get_drift (&test, "d.angle_error", 100), <, 1e-5);
  node_test_clear (&test);
}

/* P2-17: one step turns by the step, by all methods alike, and the record has a row for each frame. */
static void
test_drift_step (void)
{
  static const char *const methods[] = { "\"points\"", "\"matrix\"", "\"angle\"" };

  for (guint k = 0; k < G_N_ELEMENTS (methods); k++) {
    NodeTest test = make_moon (methods[k], "\"double\"");
    g_auto (KgValue) start = KG_VALUE_INIT, end = KG_VALUE_INIT, record = KG_VALUE_INIT;
    const float *a, *b;

    node_test_set (&test, "d", "steps_per_frame", "1");
    node_test_set (&test, "d", "step", "30");
    start = node_test_get (&test, "d.turned", 0);
    end = node_test_get (&test, "d.turned", 3 / 24.0);
    a = kg_geometry_get_positions (start.geometry);
    b = kg_geometry_get_positions (end.geometry);
    for (size_t i = 0; i < 4; i++) {
      assert_near (b[3 * i], a[3 * i + 2], 2e-6);
      assert_near (b[3 * i + 1], a[3 * i + 1], 2e-6);
      assert_near (b[3 * i + 2], -a[3 * i], 2e-6);
    }
    record = node_test_get (&test, "d.record", 3 / 24.0);
    g_assert_cmpuint (kg_geometry_get_n_points (record.geometry), ==, 4);
    assert_near (kg_geometry_get_positions (record.geometry)[9], 3, 0);
    g_assert_cmpuint (kg_geometry_get_n_primitives (record.geometry), ==, 1);
    node_test_clear (&test);
  }
}

/* P2-17: no axis, no points, points that come and go, and numbers too large for singles. */
static void
test_drift_degenerate (void)
{
  NodeTest test = make_moon ("\"points\"", "\"single\"");

  node_test_set (&test, "d", "axis", "[0, 0, 0]");
  node_test_warns (&test, "d.turned", "the axis is 0 0 0");
  node_test_set (&test, "d", "axis", "[0, 1, 0]");
  node_test_add (&test, "geometry/delete", "nothing", "geometry", "{\"link\": \"square.geometry\"}", "kind",
                 "\"range\"", "first", "0", "last", "100", NULL);
  node_test_set (&test, "d", "geometry", "{\"link\": \"nothing.rest\"}");
  assert_near (get_drift (&test, "d.shape", 2), 0, 0);
  node_test_set (&test, "d", "geometry", "{\"link\": \"square.geometry\"}");
  node_test_set (&test, "square", "columns", "{\"expr\": \"1 + floor(frame / 2)\"}");
  node_test_fails_saying (&test, "d.turned", 3 / 24.0, "link a geometry that keeps its points");
  node_test_set (&test, "square", "columns", "200");
  node_test_set (&test, "square", "rows", "200");
  node_test_set (&test, "d", "steps_per_frame", "1000000");
  node_test_fails_saying (&test, "d.turned", 1 / 24.0, "use fewer steps");
  node_test_set (&test, "square", "columns", "1");
  node_test_set (&test, "place", "scale", "[1e30, 1, 1]");
  node_test_fails_saying (&test, "d.turned", 0, "scale it down");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/P2-01-12-basic", test_basic);
  g_test_add_func ("/transform/P2-12-by-division", test_by_division);
  g_test_add_func ("/transform/P2-11-13-product", test_product);
  g_test_add_func ("/transform/P2-11-rows", test_rows);
  g_test_add_func ("/transform/P2-12-singular", test_singular);
  g_test_add_func ("/transform/P2-16-recompose", test_recompose);
  g_test_add_func ("/transform/P2-16-scale-place", test_scale_place);
  g_test_add_func ("/transform/P2-16-flat", test_decompose_flat);
  g_test_add_func ("/transform/P2-18-orthonormalize", test_orthonormalize);
  g_test_add_func ("/transform/P2-18-nearest", test_nearest);
  g_test_add_func ("/transform/P2-15-axes", test_axes);
  g_test_add_func ("/transform/40-K04-mirror", test_orthonormalize_mirror);
  g_test_add_func ("/transform/P2-18-degenerate", test_orthonormalize_degenerate);
  g_test_add_func ("/transform/P2-14-aircraft", test_aircraft);
  g_test_add_func ("/transform/P2-14-anywhere", test_aim_anywhere);
  g_test_add_func ("/transform/P2-14-degenerate", test_aim_degenerate);
  g_test_add_func ("/transform/P2-19-matrix-lerp", test_matrix_lerp);
  g_test_add_func ("/transform/P2-19-16-mixed-apart", test_mixed_apart);
  g_test_add_func ("/transform/P2-19-parts", test_parts);
  g_test_add_func ("/transform/P2-20-21-fixed-angles", test_fixed_angles);
  g_test_add_func ("/transform/P2-25-which-form", test_which_form);
  g_test_add_func ("/transform/P2-22-between-axes", test_between_axes);
  g_test_add_func ("/transform/P2-19-degenerate", test_interpolate_degenerate);
  g_test_add_func ("/transform/P2-17-points", test_drift_points);
  g_test_add_func ("/transform/P2-17-matrix", test_drift_matrix);
  g_test_add_func ("/transform/P2-17-angle", test_drift_angle);
  g_test_add_func ("/transform/P2-17-step", test_drift_step);
  g_test_add_func ("/transform/P2-17-degenerate", test_drift_degenerate);
  return g_test_run ();
}
