/* matrix: dense matrices of doubles.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/matrix.h"

#include "kg-gsl.h"
#include "kg-kernel.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>

Matrix *
matrix_new (guint n_rows, guint n_columns, GError **error)
{
  Matrix *m;

  if (n_rows == 0 || n_columns == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a matrix of %u rows and %u columns is empty: give it numbers", n_rows,
                  n_columns);
    return NULL;
  }
  if (n_rows > MATRIX_MAX || n_columns > MATRIX_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT, "a matrix of %u rows and %u columns is too large: at most %d of each", n_rows,
                  n_columns, MATRIX_MAX);
    return NULL;
  }
  m = g_new (Matrix, 1);
  *m = (Matrix){ n_rows, n_columns, g_new0 (double, (size_t) n_rows *n_columns) };
  return m;
}

Matrix *
matrix_copy (const Matrix *matrix)
{
  Matrix *m = matrix_new (matrix->n_rows, matrix->n_columns, NULL);

  memcpy (m->a, matrix->a, (size_t) m->n_rows * m->n_columns * sizeof *m->a);
  return m;
}

void
matrix_free (Matrix *matrix)
{
  if (matrix == NULL)
    return;
  g_free (matrix->a);
  g_free (matrix);
}

Matrix *
matrix_new_from_table (const KgTable *table, GError **error)
{
  const size_t n = kg_table_get_n_rows (table);
  const guint n_columns = kg_table_get_n_columns (table);
  Matrix *m;

  for (size_t i = 0; i < n * n_columns; i++)
    if (isnan (kg_table_get_cells (table)[i])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu, column %zu is blank: give each cell a number",
                    i / n_columns + 1, i % n_columns + 1);
      return NULL;
    }
  m = matrix_new ((guint) MIN (n, G_MAXUINT), n > 0 ? n_columns : 0, error);
  if (m != NULL)
    memcpy (m->a, kg_table_get_cells (table), (size_t) m->n_rows * m->n_columns * sizeof *m->a);
  return m;
}

KgTable *
matrix_to_table (const Matrix *matrix, GError **error)
{
  KgTable *table = kg_table_new (matrix->n_columns, NULL, matrix->n_rows, error);

  if (table != NULL)
    memcpy (kg_table_edit (table), matrix->a, (size_t) matrix->n_rows * matrix->n_columns * sizeof *matrix->a);
  return table;
}

Matrix *
matrix_new_identity (guint n, GError **error)
{
  Matrix *m = matrix_new (n, n, error);

  for (guint i = 0; m != NULL && i < n; i++)
    matrix_set (m, i, i, 1);
  return m;
}

Matrix *
matrix_transpose (const Matrix *a)
{
  Matrix *m = matrix_new (a->n_columns, a->n_rows, NULL);

  for (guint i = 0; i < a->n_rows; i++)
    for (guint j = 0; j < a->n_columns; j++)
      matrix_set (m, j, i, matrix_get (a, i, j));
  return m;
}

/* to += factor · from */
KG_KERNEL static void
add_row (double *restrict to, double factor, const double *restrict from, size_t n)
{
  for (size_t j = 0; j < n; j++)
    to[j] += factor * from[j];
}

Matrix *
matrix_multiply (const Matrix *a, const Matrix *b, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (Matrix) c = NULL;

  if (a->n_columns != b->n_rows) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%u×%u times %u×%u: a must have as many columns (%u) as b has rows (%u)", a->n_rows, a->n_columns,
                  b->n_rows, b->n_columns, a->n_columns, b->n_rows);
    return NULL;
  }
  c = matrix_new (a->n_rows, b->n_columns, error);
  if (c == NULL)
    return NULL;
  for (guint i = 0; i < a->n_rows; i++) {
    if (kg_progress_is_cancelled (monitor))
      return NULL;
    for (guint k = 0; k < a->n_columns; k++)
      add_row (c->a + (size_t) i * c->n_columns, matrix_get (a, i, k), b->a + (size_t) k * b->n_columns, c->n_columns);
  }
  return g_steal_pointer (&c);
}

Matrix *
matrix_add (const Matrix *a, double factor, const Matrix *b, GError **error)
{
  Matrix *c;

  if (a->n_rows != b->n_rows || a->n_columns != b->n_columns) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a is %u×%u and b is %u×%u: matrices to be added have the same size",
                  a->n_rows, a->n_columns, b->n_rows, b->n_columns);
    return NULL;
  }
  c = matrix_copy (a);
  add_row (c->a, factor, b->a, (size_t) a->n_rows * a->n_columns);
  return c;
}

static bool
check_square (const Matrix *a, GError **error)
{
  if (a->n_rows == a->n_columns)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "the matrix has %u rows and %u columns: for this it must have as many rows as columns", a->n_rows,
                a->n_columns);
  return false;
}

static void
exchange_rows (Matrix *m, guint i, guint j)
{
  for (guint k = 0; i != j && k < m->n_columns; k++) {
    const double swap = matrix_get (m, i, k);

    matrix_set (m, i, k, matrix_get (m, j, k));
    matrix_set (m, j, k, swap);
  }
}

/* The row at or below j with the largest scaled entry in column j, the last of equals. */
static guint
find_pivot (const Matrix *m, const double *scale, MatrixPivot pivot, guint j, double *size)
{
  guint best = j;

  *size = fabs (matrix_get (m, j, j)) * scale[j];
  for (guint i = j + 1; pivot != MATRIX_PIVOT_NONE && i < m->n_rows; i++) {
    const double here = fabs (matrix_get (m, i, j)) * scale[i];

    if (here >= *size) {
      *size = here;
      best = i;
    }
  }
  return best;
}

/* One over the largest entry of each row, or 1; largest: (out) scaled entry of all. */
static void
set_scales (const Matrix *a, MatrixPivot pivot, double *scale, double *largest)
{
  *largest = 0;
  for (guint i = 0; i < a->n_rows; i++) {
    double row = 0;

    for (guint j = 0; j < a->n_columns; j++)
      row = fmax (row, fabs (matrix_get (a, i, j)));
    scale[i] = pivot == MATRIX_PIVOT_IMPLICIT && row > 0 ? 1 / row : 1;
    *largest = fmax (*largest, row * scale[i]);
  }
}

MatrixLu *
matrix_lu_new (const Matrix *a, MatrixPivot pivot, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (MatrixLu) lu = NULL;
  g_autofree double *scale = NULL;
  const guint n = a->n_rows;
  double largest;

  if (!check_square (a, error))
    return NULL;
  scale = g_new (double, n);
  set_scales (a, pivot, scale, &largest);
  lu = g_new (MatrixLu, 1);
  *lu = (MatrixLu){ matrix_copy (a), g_new0 (guint, n), 1, n };
  for (guint j = 0; j < n; j++) {
    double size;
    const guint row = find_pivot (lu->lu, scale, pivot, j, &size);

    if (kg_progress_is_cancelled (monitor))
      return NULL;
    lu->exchange[j] = row;
    if (!(size > n * DBL_EPSILON * largest)) {
      lu->rank = j;
      return g_steal_pointer (&lu);
    }
    if (row != j) {
      exchange_rows (lu->lu, row, j);
      scale[row] = scale[j];
      lu->sign = -lu->sign;
    }
    for (guint i = j + 1; i < n; i++) {
      double *below = lu->lu->a + (size_t) i * n;

      below[j] /= matrix_get (lu->lu, j, j);
      if (below[j] != 0)
        add_row (below + j + 1, -below[j], lu->lu->a + (size_t) j * n + j + 1, n - j - 1);
    }
  }
  return g_steal_pointer (&lu);
}

void
matrix_lu_free (MatrixLu *lu)
{
  if (lu == NULL)
    return;
  matrix_free (lu->lu);
  g_free (lu->exchange);
  g_free (lu);
}

void
matrix_lu_get_order (const MatrixLu *lu, guint *order)
{
  for (guint i = 0; i < lu->lu->n_rows; i++)
    order[i] = i;
  for (guint j = 0; j < MIN (lu->rank, lu->lu->n_rows); j++) {
    const guint swap = order[j];

    order[j] = order[lu->exchange[j]];
    order[lu->exchange[j]] = swap;
  }
}

double
matrix_lu_get_determinant (const MatrixLu *lu)
{
  double product = lu->sign;

  if (lu->rank < lu->lu->n_rows)
    return 0;
  for (guint i = 0; i < lu->lu->n_rows; i++)
    product *= matrix_get (lu->lu, i, i);
  return product;
}

void
matrix_lu_solve (const MatrixLu *lu, double *b, size_t stride)
{
  const guint n = lu->lu->n_rows;

  for (guint j = 0; j < n; j++) {
    const double swap = b[lu->exchange[j] * stride];

    b[lu->exchange[j] * stride] = b[j * stride];
    b[j * stride] = swap;
  }
  for (guint i = 1; i < n; i++)
    for (guint k = 0; k < i; k++)
      b[i * stride] -= matrix_get (lu->lu, i, k) * b[k * stride];
  for (guint i = n; i-- > 0;) {
    for (guint k = i + 1; k < n; k++)
      b[i * stride] -= matrix_get (lu->lu, i, k) * b[k * stride];
    b[i * stride] /= matrix_get (lu->lu, i, i);
  }
}

Matrix *
matrix_lu_invert (const MatrixLu *lu, const KgProgressMonitor *monitor, GError **error)
{
  const guint n = lu->lu->n_rows;
  g_autoptr (Matrix) inverse = NULL;

  if (lu->rank < n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the matrix is singular: pivot %u is zero after elimination, so it has no inverse", lu->rank + 1);
    return NULL;
  }
  inverse = matrix_new_identity (n, error);
  for (guint j = 0; inverse != NULL && j < n; j++) {
    if (kg_progress_is_cancelled (monitor))
      return NULL;
    matrix_lu_solve (lu, inverse->a + j, n);
  }
  return g_steal_pointer (&inverse);
}

double
matrix_get_norm (const Matrix *a)
{
  double largest = 0;

  for (guint j = 0; j < a->n_columns; j++) {
    double sum = 0;

    for (guint i = 0; i < a->n_rows; i++)
      sum += fabs (matrix_get (a, i, j));
    largest = fmax (largest, sum);
  }
  return largest;
}

double
matrix_get_cofactor_determinant (const Matrix *a)
{
  const guint n = a->n_rows;
  double sum = 0;

  if (n == 1)
    return a->a[0];
  for (guint j = 0; j < n; j++) {
    g_autoptr (Matrix) rest = matrix_new (n - 1, n - 1, NULL);

    for (guint r = 1; r < n; r++)
      for (guint c = 0; c < n; c++)
        if (c != j)
          matrix_set (rest, r - 1, c < j ? c : c - 1, matrix_get (a, r, c));
    sum += (j % 2 == 0 ? 1 : -1) * matrix_get (a, 0, j) * matrix_get_cofactor_determinant (rest);
  }
  return sum;
}

/* The sign of a column, so that its entry of largest magnitude is positive. */
static double
get_sign (const Matrix *m, guint column)
{
  double largest = 0;

  for (guint i = 0; i < m->n_rows; i++)
    if (fabs (matrix_get (m, i, column)) > fabs (largest) * (1 + 1e-12))
      largest = matrix_get (m, i, column);
  return largest < 0 ? -1 : 1;
}

static void
multiply_column (Matrix *m, guint column, double factor)
{
  for (guint i = 0; i < m->n_rows; i++)
    matrix_set (m, i, column, factor * matrix_get (m, i, column));
}

/* Scales by a power of two, which changes no digit, where squares would be too large or too small.  Returns the power: what
 * is proportional to the matrix is to be multiplied by it. */
static int
scale_into_range (Matrix *m)
{
  double largest = 0;
  int power = 0;

  for (size_t i = 0; i < (size_t) m->n_rows * m->n_columns; i++)
    largest = fmax (largest, fabs (m->a[i]));
  if (largest == 0 || !isfinite (largest) || (largest < 1e100 && largest > 1e-100))
    return 0;
  frexp (largest, &power);
  for (size_t i = 0; i < (size_t) m->n_rows * m->n_columns; i++)
    m->a[i] = ldexp (m->a[i], -power);
  return power;
}

static bool
check_size (const Matrix *a, GError **error)
{
  if (MIN (a->n_rows, a->n_columns) <= MATRIX_SVD_MAX)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT,
                "a matrix of %u rows and %u columns is too large for singular values: at most %d of either", a->n_rows,
                a->n_columns, MATRIX_SVD_MAX);
  return false;
}

MatrixSvd *
matrix_svd_new (const Matrix *a, GError **error)
{
  g_autoptr (MatrixSvd) svd = g_new0 (MatrixSvd, 1);
  const bool wide = a->n_columns > a->n_rows;
  const guint n = MIN (a->n_rows, a->n_columns);
  int status, power;

  if (!check_size (a, error))
    return NULL;
  kg_gsl_make_quiet ();
  svd->n = n;
  svd->u = wide ? matrix_transpose (a) : matrix_copy (a);
  power = scale_into_range (svd->u);
  svd->v = matrix_new (n, n, NULL);
  svd->w = g_new0 (double, n);
  {
    gsl_matrix_view u = gsl_matrix_view_array (svd->u->a, svd->u->n_rows, n);
    gsl_matrix_view v = gsl_matrix_view_array (svd->v->a, n, n);
    gsl_vector_view w = gsl_vector_view_array (svd->w, n);

    /* Jacobi's method has small values to full accuracy, but takes longer. */
    if (n <= 256)
      status = gsl_linalg_SV_decomp_jacobi (&u.matrix, &v.matrix, &w.vector);
    else {
      gsl_vector *work = gsl_vector_alloc (n);

      status = gsl_linalg_SV_decomp (&u.matrix, &v.matrix, &w.vector, work);
      gsl_vector_free (work);
    }
  }
  if (status != GSL_SUCCESS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the singular values cannot be computed (%s): scale the matrix",
                  gsl_strerror (status));
    return NULL;
  }
  if (wide) {
    Matrix *swap = svd->u;

    svd->u = svd->v;
    svd->v = swap;
  }
  for (guint j = 0; j < n; j++) {
    const double sign = get_sign (svd->v, j);

    svd->w[j] = ldexp (svd->w[j], power);

    multiply_column (svd->u, j, sign);
    multiply_column (svd->v, j, sign);
  }
  return g_steal_pointer (&svd);
}

void
matrix_svd_free (MatrixSvd *svd)
{
  if (svd == NULL)
    return;
  matrix_free (svd->u);
  matrix_free (svd->v);
  g_free (svd->w);
  g_free (svd);
}

guint
matrix_svd_get_rank (const MatrixSvd *svd, double tolerance)
{
  guint rank = 0;

  while (rank < svd->n && svd->w[rank] > tolerance * svd->w[0])
    rank++;
  return rank;
}

Matrix *
matrix_svd_solve (const MatrixSvd *svd, const Matrix *b, double tolerance, double damping, GError **error)
{
  const guint rank = matrix_svd_get_rank (svd, tolerance);
  Matrix *x;

  if (b->n_rows != svd->u->n_rows) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a has %u rows and b has %u: give each equation one right-hand side",
                  svd->u->n_rows, b->n_rows);
    return NULL;
  }
  x = matrix_new (svd->v->n_rows, b->n_columns, error);
  if (x == NULL)
    return NULL;
  for (guint c = 0; c < b->n_columns; c++)
    for (guint k = 0; k < rank; k++) {
      double part = 0;

      for (guint i = 0; i < b->n_rows; i++)
        part += matrix_get (svd->u, i, k) * matrix_get (b, i, c);
      part *= svd->w[k] / (svd->w[k] * svd->w[k] + damping * damping);
      for (guint i = 0; i < x->n_rows; i++)
        x->a[(size_t) i * x->n_columns + c] += matrix_get (svd->v, i, k) * part;
    }
  return x;
}

bool
matrix_get_eigen (const Matrix *a, Matrix **values, Matrix **vectors, GError **error)
{
  g_autoptr (Matrix) copy = NULL;
  double largest = 0;
  int status, power;

  if (!check_square (a, error) || !check_size (a, error))
    return false;
  for (size_t i = 0; i < (size_t) a->n_rows * a->n_columns; i++)
    largest = fmax (largest, fabs (a->a[i]));
  for (guint i = 0; i < a->n_rows; i++)
    for (guint j = 0; j < i; j++)
      if (fabs (matrix_get (a, i, j) - matrix_get (a, j, i)) > 1e-9 * largest) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "the matrix is not symmetric: entry %u, %u is %g, and entry %u, %u is %g", i + 1, j + 1,
                      matrix_get (a, i, j), j + 1, i + 1, matrix_get (a, j, i));
        return false;
      }
  kg_gsl_make_quiet ();
  copy = matrix_copy (a);
  power = scale_into_range (copy);
  *values = matrix_new (1, a->n_rows, NULL);
  *vectors = matrix_new (a->n_rows, a->n_rows, NULL);
  {
    gsl_matrix_view m = gsl_matrix_view_array (copy->a, a->n_rows, a->n_rows);
    gsl_matrix_view v = gsl_matrix_view_array ((*vectors)->a, a->n_rows, a->n_rows);
    gsl_vector_view w = gsl_vector_view_array ((*values)->a, a->n_rows);
    gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc (a->n_rows);

    status = gsl_eigen_symmv (&m.matrix, &w.vector, &v.matrix, work);
    gsl_eigen_symmv_free (work);
    if (status == GSL_SUCCESS)
      status = gsl_eigen_symmv_sort (&w.vector, &v.matrix, GSL_EIGEN_SORT_VAL_DESC);
  }
  if (status != GSL_SUCCESS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the eigenvalues cannot be computed (%s): scale the matrix",
                  gsl_strerror (status));
    g_clear_pointer (values, matrix_free);
    g_clear_pointer (vectors, matrix_free);
    return false;
  }
  for (guint j = 0; j < a->n_rows; j++) {
    (*values)->a[j] = ldexp ((*values)->a[j], power);
    multiply_column (*vectors, j, get_sign (*vectors, j));
  }
  return true;
}
