/* tests/nodes/numerics: facts of catalogue 70 that no other test has: laws of vectors and matrices, polygons, and the physics primer
 * by the nodes that answer it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/momentum.h"
#include "kg-random.h"
#include "node-test.h"
#include "sim/gravitation.h"
#include "sim/lcp.h"
#include "transform/affine.h"
#include "value/matrix.h"

#define assert_vectors_near(a, b, tolerance)                                                                           \
  do {                                                                                                                 \
    const KgVector other_ = (b);                                                                                       \
    assert_vector_near (a, other_.x, other_.y, other_.z, tolerance);                                                   \
  } while (0)

static Matrix *
make (guint rows, guint columns, const double *numbers)
{
  Matrix *m = matrix_new (rows, columns, NULL);

  memcpy (m->a, numbers, (size_t) rows * columns * sizeof *numbers);
  return m;
}

static Matrix *
draw (guint rows, guint columns, uint64_t seed)
{
  Matrix *m = matrix_new (rows, columns, NULL);

  for (guint i = 0; i < rows * columns; i++)
    m->a[i] = kg_random_signed (seed, i, 0);
  return m;
}

static double
get_determinant (const Matrix *m)
{
  g_autoptr (MatrixLu) lu = matrix_lu_new (m, MATRIX_PIVOT_IMPLICIT, NULL, NULL);

  return matrix_lu_get_determinant (lu);
}

static double
get_difference (const Matrix *a, const Matrix *b)
{
  double largest = 0;

  g_assert_true (a->n_rows == b->n_rows && a->n_columns == b->n_columns);
  for (guint i = 0; i < a->n_rows * a->n_columns; i++)
    largest = fmax (largest, fabs (a->a[i] - b->a[i]));
  return largest;
}

/* Products: the identity changes no bit, the order matters, brackets and determinants do as they should. */
static void
test_products (void)
{
  static const double one[] = { 1, 2, 3, 4 }, two[] = { 0, 1, 1, 0 }, back[] = { 3, 4, 1, 2 };
  g_autoptr (Matrix) a = make (2, 2, one), b = make (2, 2, two), ba = matrix_multiply (b, a, NULL, NULL);
  g_autoptr (Matrix) wanted = make (2, 2, back), row = draw (1, 5, 3), column = matrix_transpose (row);

  g_assert_cmpfloat (get_difference (ba, wanted), ==, 0);
  g_assert_true (column->n_rows == 5 && column->n_columns == 1 && matrix_get (column, 3, 0) == matrix_get (row, 0, 3));
  for (uint64_t k = 0; k < 20; k++) {
    g_autoptr (Matrix) p = draw (5, 5, 3 * k), q = draw (5, 5, 3 * k + 1), r = draw (5, 5, 3 * k + 2);
    g_autoptr (Matrix) i = matrix_new_identity (5, NULL), ip = matrix_multiply (i, p, NULL, NULL),
                       pi = matrix_multiply (p, i, NULL, NULL);
    g_autoptr (Matrix) pq = matrix_multiply (p, q, NULL, NULL), pq_r = matrix_multiply (pq, r, NULL, NULL);
    g_autoptr (Matrix) qr = matrix_multiply (q, r, NULL, NULL), p_qr = matrix_multiply (p, qr, NULL, NULL);

    g_assert_true (memcmp (ip->a, p->a, 25 * sizeof *p->a) == 0 && memcmp (pi->a, p->a, 25 * sizeof *p->a) == 0);
    g_assert_cmpfloat (get_difference (pq_r, p_qr), <,
                       1e-14 * matrix_get_norm (p) * matrix_get_norm (q) * matrix_get_norm (r));
    assert_near (get_determinant (pq), get_determinant (p) * get_determinant (q), 1e-12);
  }
}

static void
test_determinants (void)
{
  static const double triangle[] = { 2, 7, -1, 0, 3, 5, 0, 0, -4 };
  g_autoptr (Matrix) t = make (3, 3, triangle), one = matrix_new_identity (6, NULL);

  assert_near (get_determinant (t), -24, 1e-14);
  assert_near (get_determinant (one), 1, 0);
  for (uint64_t k = 0; k < 20; k++) {
    g_autoptr (Matrix) m = draw (5, 5, k), swapped = matrix_copy (m), scaled = matrix_copy (m);
    double rows = 1;

    for (guint i = 0; i < 5; i++) {
      double square = 0;

      for (guint j = 0; j < 5; j++)
        square += matrix_get (m, i, j) * matrix_get (m, i, j);
      rows *= sqrt (square);
      matrix_set (swapped, 1, i, matrix_get (m, 3, i));
      matrix_set (swapped, 3, i, matrix_get (m, 1, i));
      matrix_set (scaled, 2, i, 2.5 * matrix_get (m, 2, i));
    }
    assert_near (get_determinant (m), matrix_get_cofactor_determinant (m), 1e-12 * rows);
    assert_near (get_determinant (swapped), -get_determinant (m), 1e-12 * rows);
    assert_near (get_determinant (scaled), 2.5 * get_determinant (m), 1e-12 * rows);
  }
}

/* (AB)⁻¹ = B⁻¹ A⁻¹; a permutation's inverse is its transpose; what is nearly singular warns. */
static void
test_inverses (void)
{
  static const double turn[] = { 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0 };
  g_autoptr (Matrix) p = make (4, 4, turn), pt = matrix_transpose (p), pi = NULL;
  g_autoptr (MatrixLu) pl = matrix_lu_new (p, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
  NodeTest test = node_test_new ();

  pi = matrix_lu_invert (pl, NULL, NULL);
  g_assert_cmpfloat (get_difference (pi, pt), ==, 0);
  for (uint64_t k = 0; k < 10; k++) {
    g_autoptr (Matrix) a = draw (4, 4, 2 * k), b = draw (4, 4, 2 * k + 1), ab = matrix_multiply (a, b, NULL, NULL);
    g_autoptr (MatrixLu) la = matrix_lu_new (a, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
    g_autoptr (MatrixLu) lb = matrix_lu_new (b, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
    g_autoptr (MatrixLu) lab = matrix_lu_new (ab, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
    g_autoptr (Matrix) ai = matrix_lu_invert (la, NULL, NULL), bi = matrix_lu_invert (lb, NULL, NULL);
    g_autoptr (Matrix) abi = matrix_lu_invert (lab, NULL, NULL), product = matrix_multiply (bi, ai, NULL, NULL);

    g_assert_cmpfloat (get_difference (abi, product), <,
                       1e-13 * matrix_get_norm (ai) * matrix_get_norm (bi) * matrix_get_norm (ab) *
                           matrix_get_norm (abi));
  }
  node_test_add (&test, "value/matrix", "m", "operation", "\"inverse\"", "a", "[[1, 1], [1, 1.00000000000001]]", NULL);
  node_test_warns (&test, "m.matrix", "condition");
  node_test_clear (&test);
}

static void
assert_column (NodeTest *test, const char *target, const double *numbers, size_t n, double tolerance)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  g_assert_cmpuint (kg_table_get_n_rows (value.table) * kg_table_get_n_columns (value.table), ==, n);
  for (size_t i = 0; i < n; i++)
    assert_near (kg_table_get_cells (value.table)[i], numbers[i], tolerance);
}

/* Lower and upper triangles; with a zero on the diagonal there is no solution. */
static void
test_triangular (void)
{
  static const double lower[] = { 2, 3, 4.2 };
  double x[3];
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/linear_solve", "s", "a", "[[2, 0, 0], [1, 3, 0], [4, -1, 5]]", "b", "[[4], [11], [26]]",
                 NULL);
  assert_column (&test, "s.x", lower, 3, 1e-15);
  /* Its transpose, from the last unknown on. */
  node_test_set (&test, "s", "a", "[[2, 1, 4], [0, 3, -1], [0, 0, 5]]");
  x[2] = 26.0 / 5;
  x[1] = (11 + x[2]) / 3;
  x[0] = (4 - x[1] - 4 * x[2]) / 2;
  assert_column (&test, "s.x", x, 3, 1e-14);
  node_test_set (&test, "s", "a", "[[2, 1, 4], [0, 0, -1], [0, 0, 5]]");
  node_test_set (&test, "s", "method", "\"lu\"");
  node_test_fails_saying (&test, "s.x", 0, "rank is 2");
  node_test_clear (&test);
}

/* Columns of U and V are orthonormal; squares of singular values add up to those of the entries; of a rotation all are 1. */
static void
test_singular_values (void)
{
  const KgRotation q = kg_rotation_from_axis_angle (kg_vector (1, 2, 3), 1.1);
  g_autoptr (Matrix) turn = matrix_new (3, 3, NULL);
  g_autoptr (MatrixSvd) turned = NULL;

  for (size_t j = 0; j < 3; j++)
    for (size_t i = 0; i < 3; i++)
      matrix_set (turn, (guint) i, (guint) j,
                  kg_vector_get (kg_rotation_apply (q, kg_vector (j == 0, j == 1, j == 2)), i));
  turned = matrix_svd_new (turn, NULL);
  for (int i = 0; i < 3; i++)
    assert_near (turned->w[i], 1, 1e-14);
  for (uint64_t k = 0; k < 10; k++) {
    g_autoptr (Matrix) m = draw (6, 6, k), one = matrix_new_identity (6, NULL);
    g_autoptr (MatrixSvd) svd = matrix_svd_new (m, NULL);
    g_autoptr (Matrix) ut = matrix_transpose (svd->u), vt = matrix_transpose (svd->v);
    g_autoptr (Matrix) uu = matrix_multiply (ut, svd->u, NULL, NULL), vv = matrix_multiply (vt, svd->v, NULL, NULL);
    double product = 1, squares = 0, entries = 0;

    g_assert_cmpfloat (get_difference (uu, one), <, 1e-13);
    g_assert_cmpfloat (get_difference (vv, one), <, 1e-13);
    for (guint i = 0; i < 6; i++) {
      product *= svd->w[i];
      squares += svd->w[i] * svd->w[i];
    }
    for (guint i = 0; i < 36; i++)
      entries += m->a[i] * m->a[i];
    assert_near (product, fabs (get_determinant (m)), 1e-13 * (1 + product));
    assert_near (squares, entries, 1e-12);
  }
}

/* What is left of the best fit is perpendicular to all columns; of a square matrix it is the solution. */
static void
test_normal_equations (void)
{
  for (uint64_t k = 0; k < 10; k++) {
    const guint rows = k == 0 ? 4 : 9;
    g_autoptr (Matrix) a = draw (rows, 4, k), b = draw (rows, 1, 100 + k), at = matrix_transpose (a);
    g_autoptr (MatrixSvd) svd = matrix_svd_new (a, NULL);
    g_autoptr (Matrix) x = matrix_svd_solve (svd, b, 1e-12, 0, NULL), ax = matrix_multiply (a, x, NULL, NULL);
    g_autoptr (Matrix) rest = matrix_add (ax, -1, b, NULL), normal = matrix_multiply (at, rest, NULL, NULL);

    for (guint i = 0; i < 4; i++)
      assert_near (normal->a[i], 0, 1e-12);
    if (rows == 4) {
      g_autoptr (MatrixLu) lu = matrix_lu_new (a, MATRIX_PIVOT_IMPLICIT, NULL, NULL);

      matrix_lu_solve (lu, b->a, 1);
      g_assert_cmpfloat (get_difference (x, b), <, 1e-11);
    }
  }
}

/* Columns and rows: M V and V M; rows of M are columns of its transpose, bit for bit. */
static void
test_conventions (void)
{
  static const double columns[] = { 6, 14, 22, 30 }, rows[] = { 18, 20, 22, 24 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/matrix", "m", "operation", "\"multiply\"", "a",
                 "[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]", "b", "[[1], [0], [-1], [2]]", NULL);
  assert_column (&test, "m.matrix", columns, 4, 0);
  node_test_set (&test, "m", "b", "[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]");
  node_test_set (&test, "m", "a", "[[1, 0, -1, 2]]");
  assert_column (&test, "m.matrix", rows, 4, 0);
  node_test_add (&test, "rotation/apply", "p", "vector", "[0.1, 0.7, -0.3]", "transform",
                 "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0.3, 0.2, 0.1, 1]", NULL);
  node_test_add (&test, "rotation/apply", "q", "vector", "[0.1, 0.7, -0.3]", "transform",
                 "[1, 5, 9, 0.3, 2, 6, 10, 0.2, 3, 7, 11, 0.1, 4, 8, 12, 1]", "rows", "true", NULL);
  assert_vectors_near (node_test_vector (&test, "p.applied", 0), node_test_vector (&test, "q.applied", 0), 0);
  /* On the plane of the eye, 0.3 x + 0.2 y + 0.1 z + 1 = 0, a point is a direction. */
  node_test_set (&test, "p", "vector", "[0, -5, 0]");
  node_test_warns (&test, "p.applied", "to infinity");
  assert_vector_near (node_test_vector (&test, "p.applied", 0), -6, -22, -38, 0);
  node_test_clear (&test);
}

/* A point has a place, a direction has not: a translation changes no bit of it. */
static void
test_directions (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rotation/apply", "d", "vector", "[0.1, 0.7, -0.3]", "transform",
                 "[1, 0, 0, 1e6, 0, 1, 0, 3, 0, 0, 1, 7, 0, 0, 0, 1]", "as", "\"direction\"", NULL);
  assert_vector_near (node_test_vector (&test, "d.applied", 0), 0.1, 0.7, -0.3, 0);
  node_test_set (&test, "d", "as", "\"point\"");
  assert_vector_near (node_test_vector (&test, "d.applied", 0), 1e6 + 0.1, 3.7, 6.7, 1e-9);
  node_test_add (&test, "value/compose", "c", "x", "2", "y", "-3", "z", "5", NULL);
  node_test_add (&test, "value/vector_math", "v", "operation", "\"combine\"", "a", "{\"link\": \"c.vector\"}", NULL);
  assert_vector_near (node_test_vector (&test, "v.vector", 0), 2, -3, 5, 0);
  node_test_clear (&test);
}

static KgVector
random_vector (uint64_t i)
{
  return kg_vector (kg_random_signed (7, i, 0), kg_random_signed (7, i, 1), kg_random_signed (7, i, 2));
}

/* The laws that hold, and the figures of those that do not. */
static void
test_vector_laws (void)
{
  const KgVector a = { 1, 2, 3 }, b = { 0, 1, 4 }, c = { 5, 6, 0 }, i = { 1, 0, 0 }, j = { 0, 1, 0 };

  assert_vector_near (kg_vector_cross (a, kg_vector_cross (b, c)), -70, -67, 68, 0);
  assert_vector_near (kg_vector_cross (kg_vector_cross (a, b), c), -6, 5, 50, 0);
  assert_vector_near (kg_vector_scale (j, kg_vector_dot (i, i)), 0, 1, 0, 0);
  assert_vector_near (kg_vector_scale (i, kg_vector_dot (i, j)), 0, 0, 0, 0);
  assert_vector_near (kg_vector_cross (i, j), 0, 0, 1, 0);
  for (uint64_t k = 0; k < 1000; k++) {
    const KgVector p = random_vector (3 * k), q = random_vector (3 * k + 1), r = random_vector (3 * k + 2);
    const KgVector pq = kg_vector_cross (p, q), mirror_p = kg_vector (-p.x, p.y, p.z),
                   mirror_q = kg_vector (-q.x, q.y, q.z);
    const double dot = kg_vector_dot (p, q), lengths = kg_vector_length (p) * kg_vector_length (q);

    /* Lagrange; Schwarz; the triangle. */
    assert_near (kg_vector_dot (pq, pq) + dot * dot, lengths * lengths, 1e-14);
    g_assert_cmpfloat (fabs (dot), <=, lengths * (1 + 1e-15));
    g_assert_cmpfloat (kg_vector_length (kg_vector_add (p, q)), <=,
                       (kg_vector_length (p) + kg_vector_length (q)) * (1 + 1e-15));
    /* Distributive; Grassmann; Jacobi. */
    assert_near (kg_vector_dot (p, kg_vector_add (q, r)), dot + kg_vector_dot (p, r), 1e-15);
    assert_vectors_near (kg_vector_cross (p, kg_vector_cross (q, r)),
                         kg_vector_subtract (kg_vector_scale (q, kg_vector_dot (p, r)), kg_vector_scale (r, dot)),
                         2e-15);
    assert_vectors_near (kg_vector_add (kg_vector_cross (p, kg_vector_cross (q, r)),
                                        kg_vector_add (kg_vector_cross (q, kg_vector_cross (r, p)),
                                                       kg_vector_cross (r, kg_vector_cross (p, q)))),
                         kg_vector (0, 0, 0), 2e-15);
    assert_vectors_near (kg_vector_cross (kg_vector_scale (p, -1), kg_vector_scale (q, -1)), pq, 0);
    /* Right-handed; a mirror makes it left-handed. */
    assert_near (kg_vector_dot (p, kg_vector_cross (q, pq)), kg_vector_dot (pq, pq), 1e-14);
    assert_vector_near (kg_vector_cross (mirror_p, mirror_q), pq.x, -pq.y, -pq.z, 0);
  }
}

/* The inverse of a perspective; results may take the place of operands. */
static void
test_routines (void)
{
  const KgTransform view = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1.25, -0.25 }, { 0, 0, 1, 0 } } };
  KgTransform inverse = view, product;
  KgVector v = { 3, -1, 2 };

  g_assert_true (affine_invert (&inverse, &inverse));
  product = kg_transform_multiply (view, inverse);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      assert_near (product.m[i][j], i == j, 1e-15);
  inverse = kg_transform_multiply (inverse, view);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      assert_near (inverse.m[i][j], i == j, 1e-15);
  v = kg_vector_cross (v, kg_vector (2, 4, -5));
  assert_vector_near (v, -3, 19, 14, 0);
  assert_vector_near (kg_vector_normalize_or (kg_vector (0, 0, 0), kg_vector (0, 1, 0)), 0, 1, 0, 0);
}

/* The attribute area that m writes: n numbers that are all the same. */
static void
assert_areas (NodeTest *test, size_t n, float area)
{
  g_auto (KgValue) value = node_test_get (test, "m.measured", 0);
  const float *areas = kg_geometry_get_float (value.geometry, KG_PRIMITIVES, "area", 1);

  g_assert_true ((areas != NULL) == (n > 0));
  for (size_t i = 0; i < n; i++)
    assert_near ((double) areas[i], (double) area, 0);
  g_assert_true (n == 0 || kg_geometry_get_n_primitives (value.geometry) == n);
}

/* Areas by edges and by triangles from a point, signed, anywhere; in space; of a closed surface. */
static void
test_polygon_areas (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/polygon", "p", "points", "[[0, 0], [1, 0], [1, 1], [0, 1]]", NULL);
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"p.geometry\"}", NULL);
  assert_vector_near (node_test_vector (&test, "m.area_vector", 0), 0, 0, 1, 0);
  assert_near (node_test_number (&test, "m.winding", 0), 1, 0);
  node_test_set (&test, "p", "filled", "false");
  assert_vector_near (node_test_vector (&test, "m.area_vector", 0), 0, 0, 1, 0);
  assert_near (node_test_number (&test, "m.length", 0), 4, 0);
  node_test_set (&test, "p", "points", "[[0, 0], [0, 1], [1, 1], [1, 0]]");
  assert_near (node_test_number (&test, "m.winding", 0), -1, 0);
  node_test_set (&test, "p", "filled", "true");
  assert_near (node_test_number (&test, "m.winding", 0), -1, 0);
  node_test_set (&test, "p", "points", "[[0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3]]");
  assert_near (node_test_vector (&test, "m.area_vector", 0).z, 6, 0);
  assert_near (node_test_number (&test, "m.area", 0), 6, 1e-6);
  /* Far away; these numbers are exact in single precision. */
  node_test_set (&test, "p", "points",
                 "[[1048576, 1048576], [1048580, 1048576], [1048580, 1048577], [1048577, 1048577], "
                 "[1048577, 1048579], [1048576, 1048579]]");
  assert_near (node_test_vector (&test, "m.area_vector", 0).z, 6, 0);
  /* A bow tie cancels itself. */
  node_test_set (&test, "p", "points", "[[0, 0], [2, 2], [2, 0], [0, 2]]");
  assert_vector_near (node_test_vector (&test, "m.area_vector", 0), 0, 0, 0, 0);
  assert_near (node_test_number (&test, "m.winding", 0), 0, 0);
  node_test_set (&test, "p", "points", "[[0, 0, 0], [2, 0, 0], [2, 2, 1], [0, 2, 0]]");
  assert_vector_near (node_test_vector (&test, "m.area_vector", 0), -1, -1, 4, 0);
  assert_near (kg_vector_length (node_test_vector (&test, "m.area_vector", 0)), 3 * sqrt (2), 1e-14);
  /* Per primitive: the same number, in single precision. */
  node_test_set (&test, "m", "each", "true");
  assert_areas (&test, 1, (float) (3 * sqrt (2)));
  node_test_add (&test, "geometry/box", "b", "center", "[5, 6, 7]", NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"b.geometry\"}");
  assert_vector_near (node_test_vector (&test, "m.area_vector", 0), 0, 0, 0, 0);
  assert_near (node_test_number (&test, "m.winding", 0), 0, 0);
  node_test_set (&test, "b", "size", "[2, 2, 2]");
  assert_areas (&test, 6, 4);
  /* Lines have none, nothing has no attribute, and what is not asked for is not written. */
  node_test_add (&test, "geometry/line", "l", NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"l.geometry\"}");
  assert_areas (&test, 1, 0);
  node_test_add (&test, "geometry/merge", "none", NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"none.geometry\"}");
  assert_areas (&test, 0, 0);
  node_test_set (&test, "m", "each", "false");
  node_test_set (&test, "m", "geometry", "{\"link\": \"b.geometry\"}");
  assert_areas (&test, 0, 0);
  node_test_clear (&test);
}

/* A square turned by 30°, and a slab across (1, 2, 2). */
static void
test_turned_bounds (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/polygon", "p", "points", "[[0, 0], [1, 0], [1, 1], [0, 1]]", NULL);
  node_test_add (&test, "geometry/transform", "t", "geometry", "{\"link\": \"p.geometry\"}", "rotate", "[0, 0, 30]",
                 NULL);
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"t.transformed\"}", NULL);
  assert_vector_near (node_test_vector (&test, "m.size", 0), 1.36602540378444, 1.36602540378444, 0, 1e-6);
  node_test_clear (&test);
}

/* 24 frames at 3 m/s; what a third power has as its velocity and acceleration. */
static void
test_velocities (void)
{
  NodeTest test = node_test_new ();
  double v1, v3;

  node_test_add (&test, "motion/law", "l", "law", "\"uniform\"", "velocity", "[3, 0, 0]", NULL);
  assert_vector_near (node_test_vector (&test, "l.place", 24.0 / 24), 3, 0, 0, 0);
  node_test_add (&test, "motion/function", "f", "from", "\"formula\"", "formula", "\"t^3\"", "high", "4", NULL);
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"f.motion\"}", "at", "2", NULL);
  assert_near (node_test_number (&test, "e.derivative", 0), 12, 1e-6);
  assert_near (node_test_number (&test, "e.second_derivative", 0), 12, 1e-3);
  node_test_set (&test, "e", "at", "1");
  v1 = node_test_number (&test, "e.value", 0);
  node_test_set (&test, "e", "at", "3");
  v3 = node_test_number (&test, "e.value", 0);
  assert_near ((v3 - v1) / 2, 13, 1e-6);
  node_test_clear (&test);
}

/* Distances in equal times grow as odd numbers. */
static void
test_fall (void)
{
  NodeTest test = node_test_new ();
  const double first = 9.81 / 2 * 0.25 * 0.25;

  node_test_add (&test, "motion/law", "l", NULL);
  for (int k = 0; k < 4; k++)
    assert_near (node_test_vector (&test, "l.place", 0.25 * k).y -
                     node_test_vector (&test, "l.place", 0.25 * (k + 1)).y,
                 (2 * k + 1) * first, 1e-14);
  /* 70-88: v² = 2 g h, and the energy is that of the height. */
  assert_near (pow (node_test_number (&test, "l.current_speed", 0.7), 2),
               -2 * 9.81 * node_test_vector (&test, "l.place", 0.7).y, 1e-12);
  assert_near (node_test_number (&test, "l.kinetic", 0.7), -node_test_number (&test, "l.potential", 0.7), 1e-12);
  node_test_clear (&test);
}

/* No force, no change; two bodies pull each other alike, and so do many: momentum, angular momentum and the way of the centre of mass
 * stay, and the energy swings but does not drift. */
static void
test_newton (void)
{
  enum { N = 12 };
  const Gravitation gravitation = { .constant = 1, .softening = 0.1 };
  KgVector places[N], velocities[N], pull[N], sum = { 0, 0, 0 }, momentum, first, angular = { 0, 0, 0 };
  double masses[N], kinetic, potential, energy, size = 0;
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"uniform\"", "velocity", "[1, 2, 3]", NULL);
  assert_vector_near (node_test_vector (&test, "l.current_velocity", 7), 1, 2, 3, 0);
  assert_vector_near (node_test_vector (&test, "l.current_acceleration", 7), 0, 0, 0, 0);
  node_test_clear (&test);
  for (uint64_t i = 0; i < N; i++) {
    masses[i] = 0.5 + kg_random_uniform (8, i, 0);
    places[i] = random_vector (100 + i);
    velocities[i] = random_vector (200 + i);
    angular = kg_vector_add_scaled (angular, masses[i], kg_vector_cross (places[i], velocities[i]));
  }
  g_assert_true (gravitation_get_pull (&gravitation, N, masses, places, pull, NULL, NULL));
  for (size_t i = 0; i < N; i++) {
    sum = kg_vector_add_scaled (sum, masses[i], pull[i]);
    size += masses[i] * kg_vector_length (pull[i]);
  }
  assert_near (kg_vector_length (sum), 0, 1e-15 * N * size);
  g_assert_true (
      gravitation_get_energy (&gravitation, N, masses, places, velocities, &kinetic, &potential, &first, NULL));
  energy = kinetic + potential;
  g_assert_true (
      gravitation_step (&gravitation, GRAVITATION_LEAPFROG, N, masses, 1e-4, 10000, places, velocities, NULL, NULL));
  g_assert_true (
      gravitation_get_energy (&gravitation, N, masses, places, velocities, &kinetic, &potential, &momentum, NULL));
  assert_vectors_near (momentum, first, 1e-11);
  for (size_t i = 0; i < N; i++)
    angular = kg_vector_add_scaled (angular, -masses[i], kg_vector_cross (places[i], velocities[i]));
  assert_vector_near (angular, 0, 0, 0, 1e-10);
  assert_near (kinetic + potential, energy, 1e-5 * fabs (energy));
}

static void
assert_center (NodeTest *test, const char *target, double x, double y, double z, double tolerance)
{
  assert_vector_near (node_test_vector (test, target, 0), x, y, z, tolerance);
}

/* Three masses; a half disc, a cone and a hemisphere; the same however the body is split. */
static void
test_center_of_mass (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "p", "basis", "\"linear\"", "points", "[[0, 0], [6, 0], [0, 4]]", NULL);
  node_test_add (&test, "field/formula", "mass", "formula", "\"x > 3 ? 2 : y > 2 ? 3 : 1\"", NULL);
  node_test_add (&test, "geometry/attribute", "a", "geometry", "{\"link\": \"p.geometry\"}", "name", "\"mass\"", "kind",
                 "\"field\"", "field", "{\"link\": \"mass.field\"}", NULL);
  node_test_add (&test, "geometry/mass", "m", "geometry", "{\"link\": \"a.set\"}", "model", "\"points\"", NULL);
  assert_center (&test, "m.center", 2, 2, 0, 1e-15);
  node_test_add (&test, "geometry/momentum", "s", "geometry", "{\"link\": \"a.set\"}", NULL);
  assert_center (&test, "s.center", 2, 2, 0, 1e-15);
  /* A cone about its centre of mass: a quarter of its height above the base. */
  node_test_add (&test, "geometry/mass", "c", "model", "\"cone\"", "size", "[2, 4, 2]", NULL);
  /* The base is at -2. */
  assert_center (&test, "c.center", 0, -1, 0, 1e-14);
  /* Cut in two, each half counts with its mass. */
  node_test_add (&test, "geometry/box", "b1", "size", "[1, 2, 3]", "center", "[0.5, 0, 0]", NULL);
  node_test_add (&test, "geometry/box", "b2", "size", "[3, 2, 3]", "center", "[2.5, 0, 0]", NULL);
  node_test_add (&test, "geometry/merge", "both", "geometries",
                 "[{\"link\": \"b1.geometry\"}, {\"link\": \"b2.geometry\"}]", NULL);
  node_test_add (&test, "geometry/mass", "whole", "geometry", "{\"link\": \"both.geometry\"}", NULL);
  assert_center (&test, "whole.center", 2, 0, 0, 1e-6);
  /* Of a half disc, 4 R/3π from its diameter; of a hemisphere, 3/8 R from its base. */
  {
    g_autoptr (GString) arc = g_string_new ("["), half = g_string_new ("[");

    for (int i = 0; i <= 1000; i++)
      g_string_append_printf (arc, "%s[%.9g, %.9g]", i > 0 ? ", " : "", cos (i * KG_PI / 1000), sin (i * KG_PI / 1000));
    g_string_append (arc, "]");
    node_test_add (&test, "geometry/polygon", "disc", "points", arc->str, NULL);
    node_test_add (&test, "geometry/mass", "flat", "geometry", "{\"link\": \"disc.geometry\"}", "model", "\"shell\"",
                   NULL);
    assert_center (&test, "flat.center", 0, 4 / (3 * KG_PI), 0, 2e-6);
  }
  node_test_add (&test, "geometry/sphere", "ball", "segments", "256", "rings", "128", NULL);
  node_test_add (&test, "geometry/group", "below", "geometry", "{\"link\": \"ball.geometry\"}", "kind", "\"box\"",
                 "center", "[0, -1, 0]", "size", "[3, 1.99, 3]", NULL);
  node_test_add (&test, "geometry/delete", "upper", "geometry", "{\"link\": \"below.grouped\"}", "domain", "\"points\"",
                 NULL);
  node_test_add (&test, "geometry/hull", "hemisphere", "geometry", "{\"link\": \"upper.rest\"}", NULL);
  node_test_add (&test, "geometry/mass", "dome", "geometry", "{\"link\": \"hemisphere.hull\"}", NULL);
  assert_center (&test, "dome.center", 0, 0.375, 0, 2e-4);
  node_test_clear (&test);
}

/* 70-77: with the numbers of the earth; a quarter at twice the distance; by the field and by the law. */
static KgVector
sample (const KgField *field, double x, double y, double z)
{
  const float at[] = { (float) x, (float) y, (float) z }, zero = 0;
  const KgFieldBlock block = { .n = 1, .x = at, .y = at + 1, .z = at + 2, .vx = &zero, .vy = &zero, .vz = &zero };
  float out[3];

  kg_field_sample (field, &block, (float *const[]){ out, out + 1, out + 2 });
  return kg_vector ((double) out[0], (double) out[1], (double) out[2]);
}

static void
test_gravitation (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/attract", "f", "falloff", "\"inverse-square\"", "softness", "0", "strength", "3", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, 0, 2, 0), 0, -0.75, 0, 1e-6);
    assert_vector_near (sample (value.field, 4, 0, 0), -3.0 / 16, 0, 0, 1e-7);
  }
  node_test_add (&test, "motion/law", "l", "law", "\"orbit\"", "start", "[6.371e6, 0, 0]", "velocity", "[0, 7000, 0]",
                 NULL);
  node_test_set_number (&test, "l", "strength", 6.67e-11 * 5.972e24);
  assert_near (node_test_vector (&test, "l.current_acceleration", 0).x, -9.813646787366, 1e-11);
  node_test_set (&test, "l", "start", "[12.742e6, 0, 0]");
  assert_near (node_test_vector (&test, "l.current_acceleration", 0).x, -9.813646787366 / 4, 1e-11);
  node_test_clear (&test);
}

/* 5 kg on 30°: the normal force, the pull and the friction between; where it begins to slip; lost energy is force times way. */
static void
test_slope (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"slope\"", "mass", "5", "normal", "[0.5, 0.8660254037844386, 0]",
                 "static_friction", "0.5", "kinetic_friction", "0.2", NULL);
  /* 5 · 9.81 · cos 30° = 42.4785460556267 (the catalogue has lost a digit). */
  assert_near (node_test_number (&test, "l.pressing", 0), 42.4785460556267, 1e-12);
  assert_near (node_test_number (&test, "l.pull", 0), 24.525, 1e-12);
  /* N = m g cos θ and the friction k N. */
  assert_near (5 * kg_vector_length (node_test_vector (&test, "l.current_acceleration", 1)),
               24.525 - 0.2 * 42.4785460556267, 1e-11);
  {
    const KgVector way = node_test_vector (&test, "l.place", 2);

    assert_near (node_test_number (&test, "l.energy", 2), -0.2 * 42.4785460556267 * kg_vector_length (way), 1e-10);
  }
  /* tan θ = s: it holds on one side and slips on the other. */
  for (int side = 0; side < 2; side++) {
    const double angle = (26.565051177078 + (side == 0 ? -1e-9 : 1e-9)) * KG_DEGREE;
    g_autofree char *normal = g_strdup_printf ("[%.17g, %.17g, 0]", sin (angle), cos (angle));

    node_test_set (&test, "l", "normal", normal);
    g_assert_true ((kg_vector_length (node_test_vector (&test, "l.place", 1)) > 0) == (side == 1));
  }
  node_test_set (&test, "l", "law", "\"throw\"");
  assert_near (node_test_number (&test, "l.pressing", 0), 0, 0);
  node_test_clear (&test);
}

/* Work is what is stored; from speeds, a height; a height out of reach says so; no energy is lost on the way. */
static void
test_energy (void)
{
  NodeTest test = node_test_new ();
  double energy;

  node_test_add (&test, "motion/law", "l", "mass", "2", "start", "[0, 3, 0]", NULL);
  assert_near (node_test_number (&test, "l.potential", 0), 58.86, 1e-13);
  node_test_set (&test, "l", "start", "[0, 0, 0]");
  node_test_set (&test, "l", "velocity", "[0, 12, 0]");
  node_test_set_number (&test, "l", "time", (12 - 5) / 9.81);
  assert_near (node_test_number (&test, "l.current_speed", 0), 5, 1e-14);
  assert_near (node_test_vector (&test, "l.place", 0).y, 6.065239551478, 1e-12);
  /* At 12 m/s it reaches 7.339 m. */
  node_test_set (&test, "l", "aim", "\"speed-high\"");
  node_test_set (&test, "l", "speed", "12");
  node_test_set (&test, "l", "target", "[0, 7.3, 0]");
  assert_near (node_test_number (&test, "l.current_speed", 0), 5, 1e-12);
  node_test_set (&test, "l", "target", "[0, 7.4, 0]");
  node_test_fails_saying (&test, "l.place", 0, "it takes at least");
  node_test_set (&test, "l", "aim", "\"velocity\"");
  node_test_set (&test, "l", "velocity", "[3, 8, -2]");
  node_test_set (&test, "l", "time", "{\"expr\": \"t\"}");
  energy = node_test_number (&test, "l.energy", 0);
  for (int k = 1; k < 100; k++)
    assert_near (node_test_number (&test, "l.energy", 0.37 * k) / energy, 1, 1e-14 * 0.37 * k * 0.37 * k * 9.81 * 9.81);
  node_test_clear (&test);
}

/* Points in motion: kinetic energy, the energy of springs, and what a collision keeps. */
static void
test_sums (void)
{
  static const double restitutions[] = { 0, 0.3, 0.8, 1 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "p", "basis", "\"linear\"", "points", "[[0, 0], [1.25, 0]]", NULL);
  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[1.25, 0, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "k", "geometry", "{\"link\": \"line.geometry\"}", "name", "\"stiffness\"",
                 "domain", "\"primitives\"", "number", "200", NULL);
  node_test_add (&test, "geometry/attribute", "length", "geometry", "{\"link\": \"k.set\"}", "name", "\"length\"",
                 "domain", "\"primitives\"", "number", "1", NULL);
  node_test_add (&test, "geometry/momentum", "s", "geometry", "{\"link\": \"length.set\"}", NULL);
  assert_near (node_test_number (&test, "s.potential", 0), 0, 0);
  node_test_set (&test, "s", "springs", "true");
  assert_near (node_test_number (&test, "s.potential", 0), 6.25, 1e-12);
  assert_near (node_test_number (&test, "s.energy", 0), 6.25, 1e-12);
  node_test_set (&test, "s", "geometry", "{\"link\": \"line.geometry\"}");
  node_test_warns (&test, "s.potential", "no line has an attribute stiffness");
  node_test_clear (&test);
  for (uint64_t k = 0; k < 100; k++) {
    const double e = restitutions[k % 4], ma = 0.1 + kg_random_uniform (1, k, 0),
                 mb = 0.1 + kg_random_uniform (1, k, 1);
    const KgVector normal = kg_random_direction (1, k, 5);
    const KgVector a = random_vector (2 * k), b = random_vector (2 * k + 1);
    KgVector va = a, vb = b;
    const double closing = kg_vector_dot (kg_vector_subtract (a, b), normal), mu = ma * mb / (ma + mb);

    momentum_collide_points (1 / ma, 1 / mb, e, normal, &va, &vb);
    /* Momentum stays, the relative speed along the normal is reversed, and half μ (1 - e²) of its square is lost. */
    assert_vectors_near (kg_vector_add (kg_vector_scale (va, ma), kg_vector_scale (vb, mb)),
                         kg_vector_add (kg_vector_scale (a, ma), kg_vector_scale (b, mb)), 1e-14);
    assert_near (kg_vector_dot (kg_vector_subtract (va, vb), normal), -e * closing, 1e-14);
    assert_near (0.5 * ma * kg_vector_dot (a, a) + 0.5 * mb * kg_vector_dot (b, b) - 0.5 * ma * kg_vector_dot (va, va) -
                     0.5 * mb * kg_vector_dot (vb, vb),
                 0.5 * mu * (1 - e * e) * closing * closing, 1e-13);
    if (k % 4 == 3) {
      KgVector one = a, two = b;

      /* Of equal masses, the parts along the normal are exchanged. */
      momentum_collide_points (1, 1, 1, normal, &one, &two);
      assert_near (kg_vector_dot (one, normal), kg_vector_dot (b, normal), 1e-14);
      assert_near (kg_vector_dot (two, normal), kg_vector_dot (a, normal), 1e-14);
    }
  }
}

/* The velocity of a point of a body relative to another is across their distance. */
static void
test_rigid_velocity (void)
{
  for (uint64_t k = 0; k < 100; k++) {
    const KgVector v = random_vector (4 * k), omega = random_vector (4 * k + 1), p = random_vector (4 * k + 2),
                   q = random_vector (4 * k + 3);
    const KgVector relative = kg_vector_subtract (rigid_get_velocity (v, omega, p), rigid_get_velocity (v, omega, q));

    assert_near (kg_vector_dot (relative, kg_vector_subtract (p, q)), 0, 1e-14);
  }
}

/* Without damping, with damping alone; springs in a row and side by side. */
static void
test_oscillation (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"spring\"", "mass", "2", "stiffness", "50", "damping", "0", "start",
                 "[0.3, 0, 0]", "velocity", "[0.7, 0, 0]", NULL);
  assert_near (node_test_number (&test, "l.period", 0), 1.256637061436, 1e-12);
  /* C = √(x₀² + (v₀/a)²), tan θ₀ = −v₀/(a x₀), a = 5. */
  for (int k = 0; k < 20; k++) {
    const double t = 0.31 * k, amplitude = hypot (0.3, 0.14), angle = atan2 (-0.14, 0.3);

    assert_near (node_test_vector (&test, "l.place", t).x, amplitude * cos (5 * t + angle), 1e-13);
    assert_near (node_test_number (&test, "l.energy", t), 0.5 * 50 * amplitude * amplitude, 1e-13);
  }
  node_test_set (&test, "l", "stiffness", "0");
  node_test_set (&test, "l", "damping", "4");
  node_test_set (&test, "l", "start", "[0, 0, 0]");
  node_test_set (&test, "l", "velocity", "[3, 0, 0]");
  assert_near (node_test_vector (&test, "l.place", 1).x, 1.296997075145, 1e-12);
  assert_near (node_test_vector (&test, "l.place", 50).x, 1.5, 1e-12);
  assert_near (node_test_number (&test, "l.period", 0), -1, 0);
  node_test_clear (&test);
}

/* Complementarity: w = A z + q, neither negative, one of each pair 0. */
static void
test_complementarity (void)
{
  static const struct {
    double q[2], z[2];
  } cases[] = { { { -5, -6 }, { 4.0 / 3, 7.0 / 3 } }, { { -1, 3 }, { 0.5, 0 } }, { { 1, 2 }, { 0, 0 } } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    double a[] = { 2, 1, 1, 2 }, low[] = { 0, 0 }, high[] = { INFINITY, INFINITY }, z[2];
    LcpProblem problem = { .n = 2, .a = a, .b = cases[i].q, .low = low, .high = high };
    size_t pivots;

    g_assert_cmpint (lcp_solve (&problem, z, &pivots, NULL), ==, LCP_SOLVED);
    for (int k = 0; k < 2; k++)
      /* The diagonal is a little larger for the solver. */
      assert_near (z[k], cases[i].z[k], 1e-6);
    if (i == 1)
      assert_near (z[0] + 2 * z[1] + 3, 3.5, 1e-6);
  }
}

/* The first weight, which is misprinted in the text, by the node that uses the rule. */
static void
test_ten_points (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/integral", "i", "formula", "\"sqrt(1 + 4*x^2)\"", NULL);
  assert_near (node_test_number (&test, "i.integral", 0), 1.47894285754460, 2e-11);
  {
    g_auto (KgValue) value = node_test_get (&test, "i.rule", 0);
    const size_t columns = kg_table_get_n_columns (value.table);
    double sum = 0, at = NAN;

    g_assert_cmpuint (kg_table_get_n_rows (value.table), ==, 10);
    for (size_t i = 0; i < 10; i++) {
      const double *row = kg_table_get_cells (value.table) + i * columns;

      sum += row[1];
      if (fabs (2 * row[0] - 1 - 0.148874338981631) < 1e-12)
        at = 2 * row[1];
    }
    assert_near (sum, 1, 1e-14);
    assert_near (at, 0.295524224714753, 1e-14);
  }
  node_test_clear (&test);
}

/* One step of each method, from what its growth factor is. */
static void
test_growth (void)
{
  static const struct {
    const char *method;
    double factor;
  } cases[] = { { "\"euler\"", 1.1 },
                { "\"midpoint\"", 1 + 0.1 + 0.005 },
                { "\"heun\"", 1 + 0.1 + 0.005 },
                { "\"rk4\"", 1 + 0.1 + 0.005 + 0.001 / 6 + 0.0001 / 24 },
                { "\"implicit\"", 1 / 0.9 },
                { "\"trapezoid\"", 1.05 / 0.95 } };
  NodeTest test = node_test_new ();

  kg_graph_set_frames (test.graph, (KgFrames){ 1, 20, 10 }, NULL);
  node_test_add (&test, "sim/equations", "e", "equations", "\"x' = x\"", "start", "\"x = 1\"", "substeps", "1", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    node_test_set (&test, "e", "method", cases[i].method);
    assert_near (node_test_vector (&test, "e.point", 1).x, pow (cases[i].factor, 10), 1e-12);
  }
  node_test_clear (&test);
}

/* The terms of the index, and the node types that are their homes. */
static void
test_index_terms (void)
{
  static const char *const homes[][2] = {
    { "area", "geometry/measure" },
    { "barycentric coordinates", "value/triangle" },
    { "bounding boxes, slabs, sphere, hull", "geometry/bounds" },
    { "closest point between lines", "value/closest" },
    { "cosine rule", "value/triangle" },
    { "cross product, dot product", "value/vector_math" },
    { "determinant, identity, inverse, LU, pivoting, SVD, transpose", "value/matrix" },
    { "noise, turbulence", "field/noise" },
    { "random number generator", "value/random" },
    { "angular momentum, energy, momentum, torque", "geometry/momentum" },
    { "inertia tensor, centre of mass", "geometry/mass" },
    { "laws of motion, gravitation, springs, friction", "motion/law" },
    { "Gauss-Legendre quadrature", "value/integral" },
    { "Euler, Runge-Kutta, ordinary differential equations", "sim/equations" },
    { "bucket sort for neighbours", "geometry/neighbours" },
    { "convolution kernels", "curve/smooth" },
    { "orthonormalization", "transform/orthonormalize" },
    { "round-off", "sim/rotation_drift" },
    { "pseudo inverse Jacobian", "rig/ik" },
    { "quadratic programming, resting contact", "sim/rigid_bodies" },
    { "energy minimization", "rig/energy" },
    { "space-time constraints", "motion/spacetime" },
    { "genetic algorithms", "value/seek" },
    { "relaxation", "geometry/sketch" },
    { "proportional derivative controllers", "sim/follow_spring" },
    { "virtual springs", "field/spring" },
    { "swept volume", "geometry/sweep_linear" },
    { "stochastic particles", "sim/particles" },
  };
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);

  for (guint i = 0; i < G_N_ELEMENTS (homes); i++)
    if (kg_types_find (types, homes[i][1]) == NULL)
      g_error ("\"%s\": there is no node type %s", homes[i][0], homes[i][1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/numerics/70-01-70-02-products", test_products);
  g_test_add_func ("/numerics/70-03-determinants", test_determinants);
  g_test_add_func ("/numerics/70-04-inverses", test_inverses);
  g_test_add_func ("/numerics/70-05-triangular", test_triangular);
  g_test_add_func ("/numerics/70-09-singular-values", test_singular_values);
  g_test_add_func ("/numerics/70-10-normal-equations", test_normal_equations);
  g_test_add_func ("/numerics/70-11-conventions", test_conventions);
  g_test_add_func ("/numerics/70-12-directions", test_directions);
  g_test_add_func ("/numerics/70-14-70-19-70-20-70-21-laws", test_vector_laws);
  g_test_add_func ("/numerics/70-23-70-24-70-25-routines", test_routines);
  g_test_add_func ("/numerics/70-29-70-30-70-31-polygons", test_polygon_areas);
  g_test_add_func ("/numerics/70-36-turned", test_turned_bounds);
  g_test_add_func ("/numerics/70-66-70-67-velocities", test_velocities);
  g_test_add_func ("/numerics/70-68-70-88-fall", test_fall);
  g_test_add_func ("/numerics/70-71-rigid", test_rigid_velocity);
  g_test_add_func ("/numerics/70-72-70-89-70-90-newton", test_newton);
  g_test_add_func ("/numerics/70-74-center", test_center_of_mass);
  g_test_add_func ("/numerics/70-77-gravitation", test_gravitation);
  g_test_add_func ("/numerics/70-81-70-82-70-83-slope", test_slope);
  g_test_add_func ("/numerics/70-87-70-88-70-89-energy", test_energy);
  g_test_add_func ("/numerics/70-80-70-90-70-91-sums", test_sums);
  g_test_add_func ("/numerics/70-92-70-93-oscillation", test_oscillation);
  g_test_add_func ("/numerics/70-104-ten-points", test_ten_points);
  g_test_add_func ("/numerics/70-107-70-108-70-109-70-111-growth", test_growth);
  g_test_add_func ("/numerics/70-117-complementarity", test_complementarity);
  g_test_add_func ("/numerics/70-118-index", test_index_terms);
  return g_test_run ();
}
