/* tests/techniques/matrix: factors, solutions and singular values against the textbook's figures and against their laws.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "value/matrix.h"

static Matrix *
make (guint rows, guint columns, const double *numbers)
{
  Matrix *m = matrix_new (rows, columns, NULL);

  memcpy (m->a, numbers, rows * columns * sizeof *numbers);
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

static void
assert_same (const Matrix *a, const Matrix *b, double tolerance)
{
  g_assert_cmpuint (a->n_rows, ==, b->n_rows);
  g_assert_cmpuint (a->n_columns, ==, b->n_columns);
  for (guint i = 0; i < a->n_rows * a->n_columns; i++)
    assert_near (a->a[i], b->a[i], tolerance);
}

static const double example[] = { 2, 1, 1, 0, 4, 3, 3, 1, 8, 7, 9, 5, 6, 7, 9, 8 };

static void
test_product (void)
{
  static const double left[] = { 1, 2, 3, 4, 5, 6 }, right[] = { 7, 8, 9, 10, 11, 12 },
                      product[] = { 58, 64, 139, 154 };
  g_autoptr (Matrix) a = make (2, 3, left), b = make (3, 2, right), c = matrix_multiply (a, b, NULL, NULL);
  g_autoptr (Matrix) wanted = make (2, 2, product), at = matrix_transpose (a), bt = matrix_transpose (b);
  g_autoptr (Matrix) ct = matrix_transpose (c), other = matrix_multiply (bt, at, NULL, NULL),
                     att = matrix_transpose (at);
  g_autoptr (GError) error = NULL;

  assert_same (c, wanted, 0);
  assert_same (ct, other, 0);
  assert_same (a, att, 0);
  g_assert_null (matrix_multiply (a, a, NULL, &error));
  g_assert_nonnull (strstr (error->message, "2×3 times 2×3"));
}

static void
test_lu_example (void)
{
  static const double packed[] = { 4, 3, 3, 1, 1.5, 2.5, 4.5, 6.5, 0.5, -0.2, 0.4, 0.8, 2, 0.4, 3, -2 };
  static const double plain[] = { 2, 1, 1, 0, 2, 1, 1, 1, 4, 3, 2, 2, 3, 4, 1, 2 };
  static const guint exchanges[] = { 1, 3, 3, 3 }, rows[] = { 1, 3, 0, 2 };
  g_autoptr (Matrix) a = make (4, 4, example), wanted = make (4, 4, packed), simple = make (4, 4, plain);
  g_autoptr (MatrixLu) lu = matrix_lu_new (a, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
  g_autoptr (MatrixLu) none = matrix_lu_new (a, MATRIX_PIVOT_NONE, NULL, NULL);
  guint order[4];

  assert_same (lu->lu, wanted, 1e-14);
  matrix_lu_get_order (lu, order);
  for (int i = 0; i < 4; i++) {
    g_assert_cmpuint (lu->exchange[i], ==, exchanges[i]);
    g_assert_cmpuint (order[i], ==, rows[i]);
  }
  g_assert_cmpint (lu->sign, ==, -1);
  assert_near (matrix_lu_get_determinant (lu), 8, 1e-13);
  assert_same (none->lu, simple, 0);
  assert_near (matrix_lu_get_determinant (none), 8, 0);
}

/* Scaling decides the choice only; multiplying a row by a power of two does not change it. */
static void
test_pivoting (void)
{
  static const double numbers[] = { 10, 1e5, 1, 1 }, swap[] = { 0, 1, 1, 0 };
  g_autoptr (Matrix) a = make (2, 2, numbers), p = make (2, 2, swap);
  g_autoptr (MatrixLu) implicit = matrix_lu_new (a, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
  g_autoptr (MatrixLu) partial = matrix_lu_new (a, MATRIX_PIVOT_PARTIAL, NULL, NULL);
  g_autoptr (MatrixLu) fails = matrix_lu_new (p, MATRIX_PIVOT_NONE, NULL, NULL);
  g_autoptr (MatrixLu) works = matrix_lu_new (p, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
  g_autoptr (Matrix) inverse = matrix_lu_invert (works, NULL, NULL);

  assert_near (matrix_get (implicit->lu, 0, 0), 1, 0);
  assert_near (matrix_get (implicit->lu, 1, 0), 10, 0);
  assert_near (matrix_get (implicit->lu, 1, 1), 99990, 0);
  g_assert_cmpint (partial->sign, ==, 1);
  g_assert_cmpuint (fails->rank, ==, 0);
  assert_same (inverse, p, 0);
  for (guint k = 0; k < 50; k++) {
    g_autoptr (Matrix) m = draw (6, 6, k), scaled = matrix_copy (m);
    g_autoptr (MatrixLu) one = matrix_lu_new (m, MATRIX_PIVOT_IMPLICIT, NULL, NULL), two = NULL;

    for (guint j = 0; j < 6; j++)
      matrix_set (scaled, k % 6, j, ldexp (matrix_get (m, k % 6, j), (int) k - 25));
    two = matrix_lu_new (scaled, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
    for (guint j = 0; j < 6; j++)
      g_assert_cmpuint (one->exchange[j], ==, two->exchange[j]);
    assert_near (matrix_lu_get_determinant (one), matrix_get_cofactor_determinant (m), 1e-12);
  }
}

static void
test_determinant (void)
{
  static const double numbers[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10 }, singular[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  g_autoptr (Matrix) a = make (3, 3, numbers), s = make (3, 3, singular);
  g_autoptr (MatrixLu) lu = matrix_lu_new (s, MATRIX_PIVOT_IMPLICIT, NULL, NULL);

  assert_near (matrix_get_cofactor_determinant (a), -3, 0);
  assert_near (matrix_get_cofactor_determinant (s), 0, 0);
  g_assert_cmpuint (lu->rank, ==, 2);
}

static void
test_inverse (void)
{
  static const double wanted[] = {
    2.25, -0.75, -0.25, 0.25, -3, 2.5, -0.5, 0, -0.5, -1, 1, -0.5, 1.5, -0.5, -0.5, 0.5
  };
  g_autoptr (Matrix) a = make (4, 4, example), inverse = NULL, known = make (4, 4, wanted);
  g_autoptr (MatrixLu) lu = matrix_lu_new (a, MATRIX_PIVOT_IMPLICIT, NULL, NULL);
  double b[] = { 7, 23, 69, 79 };

  inverse = matrix_lu_invert (lu, NULL, NULL);
  assert_same (inverse, known, 1e-13);
  matrix_lu_solve (lu, b, 1);
  for (int i = 0; i < 4; i++)
    assert_near (b[i], i + 1, 1e-13);
  for (guint n = 1; n < 60; n += 7) {
    g_autoptr (Matrix) m = draw (n, n, n), one = matrix_new_identity (n, NULL), product = NULL, back = NULL;
    g_autoptr (MatrixLu) factors = matrix_lu_new (m, MATRIX_PIVOT_IMPLICIT, NULL, NULL);

    back = matrix_lu_invert (factors, NULL, NULL);
    product = matrix_multiply (m, back, NULL, NULL);
    assert_same (product, one, 1e-14 * n * matrix_get_norm (m) * matrix_get_norm (back));
  }
}

static void
test_svd (void)
{
  static const double numbers[] = { 1, 2, 2, 4, 3, 6 };
  g_autoptr (Matrix) a = make (3, 2, numbers), hilbert = matrix_new (6, 6, NULL);
  g_autoptr (MatrixSvd) svd = matrix_svd_new (a, NULL), six = NULL;

  assert_near (svd->w[0], 8.366600265340756, 1e-14);
  assert_near (svd->w[1], 0, 1e-14);
  g_assert_cmpuint (matrix_svd_get_rank (svd, 1e-12), ==, 1);
  for (guint i = 0; i < 36; i++)
    hilbert->a[i] = 1.0 / (i / 6 + i % 6 + 1);
  six = matrix_svd_new (hilbert, NULL);
  assert_near (six->w[0], 1.61889985892434, 1e-13);
  assert_near (six->w[5], 1.08279948e-7, 1e-15);
  assert_near (six->w[0] / six->w[5] / 1.4951058641e7, 1, 1e-6);
  /* U W Vᵀ = A, for tall and wide ones. */
  for (guint k = 0; k < 3; k++) {
    g_autoptr (Matrix) m = draw (k == 0 ? 5 : 9, k == 2 ? 5 : 9, k), product = NULL;
    g_autoptr (MatrixSvd) s = matrix_svd_new (m, NULL);
    g_autoptr (Matrix) uw = matrix_copy (s->u), vt = matrix_transpose (s->v);

    for (guint i = 0; i < uw->n_rows; i++)
      for (guint j = 0; j < uw->n_columns; j++)
        matrix_set (uw, i, j, matrix_get (uw, i, j) * s->w[j]);
    product = matrix_multiply (uw, vt, NULL, NULL);
    assert_same (product, m, 1e-13);
    for (guint j = 1; j < s->n; j++)
      g_assert_cmpfloat (s->w[j], <=, s->w[j - 1]);
  }
}

/* The shortest of the best solutions; a fit; Penrose's four laws. */
static void
test_least_squares (void)
{
  static const double numbers[] = { 1, 2, 2, 4, 3, 6 }, right[] = { 1, 2, 4 };
  static const double line[] = { 1, 0, 1, 1, 1, 2, 1, 3 }, heights[] = { 1, 3, 4, 4 };
  g_autoptr (Matrix) a = make (3, 2, numbers), b = make (3, 1, right), l = make (4, 2, line), h = make (4, 1, heights);
  g_autoptr (MatrixSvd) svd = matrix_svd_new (a, NULL), fit = matrix_svd_new (l, NULL);
  g_autoptr (Matrix) x = matrix_svd_solve (svd, b, 1e-12, 0, NULL), y = matrix_svd_solve (fit, h, 1e-12, 0, NULL);
  g_autoptr (Matrix) one = matrix_new_identity (3, NULL), plus = matrix_svd_solve (svd, one, 1e-12, 0, NULL);
  g_autoptr (Matrix) ap = matrix_multiply (a, plus, NULL, NULL), apa = matrix_multiply (ap, a, NULL, NULL);
  g_autoptr (Matrix) pa = matrix_multiply (plus, a, NULL, NULL), pap = matrix_multiply (pa, plus, NULL, NULL);
  g_autoptr (Matrix) apt = matrix_transpose (ap), pat = matrix_transpose (pa);

  assert_near (x->a[0], 17.0 / 70, 1e-14);
  assert_near (x->a[1], 34.0 / 70, 1e-14);
  assert_near (y->a[0], 1.5, 1e-14);
  assert_near (y->a[1], 1, 1e-14);
  assert_same (apa, a, 1e-13);
  assert_same (pap, plus, 1e-13);
  assert_same (ap, apt, 1e-13);
  assert_same (pa, pat, 1e-13);
}

static void
test_eigen (void)
{
  static const double numbers[] = { 49, 5.196152422706632, 0, 5.196152422706632, 43, 0, 0, 0, 20 };
  g_autoptr (Matrix) a = make (3, 3, numbers), values = NULL, vectors = NULL, skew = make (2, 2, numbers + 1);
  g_autoptr (GError) error = NULL;

  g_assert_true (matrix_get_eigen (a, &values, &vectors, &error));
  assert_near (values->a[0], 52, 1e-12);
  assert_near (values->a[1], 40, 1e-12);
  assert_near (values->a[2], 20, 1e-12);
  /* The first axis was turned by 30 degrees. */
  assert_near (matrix_get (vectors, 0, 0), cos (KG_PI / 6), 1e-12);
  assert_near (matrix_get (vectors, 1, 0), sin (KG_PI / 6), 1e-12);
  g_clear_pointer (&values, matrix_free);
  g_clear_pointer (&vectors, matrix_free);
  g_assert_false (matrix_get_eigen (skew, &values, &vectors, &error));
  g_assert_nonnull (strstr (error->message, "not symmetric"));
}

/* Entries whose squares are too large, or too small: [[a, a], [a, -a]] has the singular values and eigenvalues ±a √2. */
static void
test_extremes (void)
{
  static const double sizes[] = { 1e308, 1, 1e-300 };

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    const double a = sizes[k], numbers[] = { a, a, a, -a };
    g_autoptr (Matrix) m = make (2, 2, numbers), values = NULL, vectors = NULL;
    g_autoptr (GError) error = NULL;
    g_autoptr (MatrixSvd) svd = matrix_svd_new (m, &error);

    g_assert_no_error (error);
    g_assert_true (matrix_get_eigen (m, &values, &vectors, &error));
    for (int i = 0; i < 2; i++) {
      assert_near (svd->w[i] / a, sqrt (2), 1e-14);
      assert_near (values->a[i] / a, i == 0 ? sqrt (2) : -sqrt (2), 1e-14);
    }
    assert_near (matrix_get (vectors, 0, 0), cos (KG_PI / 8), 1e-14);
    assert_near (matrix_get (vectors, 1, 0), sin (KG_PI / 8), 1e-14);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/matrix/70-02-product", test_product);
  g_test_add_func ("/matrix/70-06-lu", test_lu_example);
  g_test_add_func ("/matrix/70-07-pivoting", test_pivoting);
  g_test_add_func ("/matrix/70-03-determinant", test_determinant);
  g_test_add_func ("/matrix/70-04-inverse", test_inverse);
  g_test_add_func ("/matrix/70-09-svd", test_svd);
  g_test_add_func ("/matrix/70-10-least-squares", test_least_squares);
  g_test_add_func ("/matrix/70-01-eigen", test_eigen);
  g_test_add_func ("/matrix/70-09-extremes", test_extremes);
  return g_test_run ();
}
