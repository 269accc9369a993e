/* matrix: dense matrices of doubles: products, factors, inverses, singular values, solutions of linear equations.
 *
 * The LU decomposition is the textbook's: unit lower triangle, partial pivoting with implicit scaling of rows; its factors and
 * exchanges are what the text shows.  A pivot that is zero to rounding is reported, not replaced.  Singular values and
 * eigenvectors come from GSL.
 * Sources: Parent, Computer Animation, B.1; Golub and Van Loan, Matrix Computations.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"
#include "kg-progress.h"
#include "kg-table.h"

G_BEGIN_DECLS

#define MATRIX_MAX 4096     /* most rows, and most columns */
#define MATRIX_SVD_MAX 1024 /* for singular values and eigenvectors: the smaller of both */

/* Row by row. */
typedef struct {
  guint n_rows, n_columns;
  double *a;
} Matrix;

/* (transfer full) (nullable) Zeros.  Fails with KG_ERROR_LIMIT beyond MATRIX_MAX, with KG_ERROR_INVALID_VALUE where it has no
 * rows or columns. */
Matrix *matrix_new (guint n_rows, guint n_columns, GError **error);
Matrix *matrix_copy (const Matrix *matrix);
void matrix_free (Matrix *matrix);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Matrix, matrix_free)

static inline double
matrix_get (const Matrix *m, guint row, guint column)
{
  return m->a[(size_t) row * m->n_columns + column];
}

static inline void
matrix_set (Matrix *m, guint row, guint column, double x)
{
  m->a[(size_t) row * m->n_columns + column] = x;
}

/* All (transfer full) (nullable).  A blank cell is an error that says where it is. */
Matrix *matrix_new_from_table (const KgTable *table, GError **error);
KgTable *matrix_to_table (const Matrix *matrix, GError **error);
Matrix *matrix_new_identity (guint n, GError **error);
Matrix *matrix_transpose (const Matrix *a);
/* Sums in the order of the inner index, whatever the number of threads.  Fails where the inner sizes differ. */
Matrix *matrix_multiply (const Matrix *a, const Matrix *b, const KgProgressMonitor *monitor, GError **error);
/* a + factor b */
Matrix *matrix_add (const Matrix *a, double factor, const Matrix *b, GError **error);

typedef enum {
  MATRIX_PIVOT_IMPLICIT, /* by magnitude relative to the largest entry of the row */
  MATRIX_PIVOT_PARTIAL,  /* by magnitude */
  MATRIX_PIVOT_NONE,
  MATRIX_N_PIVOTS
} MatrixPivot;

typedef struct {
  Matrix *lu;      /* U on and above the diagonal, L below, whose diagonal of ones is not stored */
  guint *exchange; /* row j was exchanged with this one, j = 0, 1, ... */
  int sign;        /* -1 for an odd number of exchanges */
  guint rank;      /* columns before the first one without a pivot: n_rows for a regular matrix */
} MatrixLu;

/* (transfer full) (nullable) Also of singular matrices, as far as it goes: rank says how far.  Fails where it is not square. */
MatrixLu *matrix_lu_new (const Matrix *a, MatrixPivot pivot, const KgProgressMonitor *monitor, GError **error);
void matrix_lu_free (MatrixLu *lu);
/* order: (out) which row of the matrix each row of L U is. */
void matrix_lu_get_order (const MatrixLu *lu, guint *order);
double matrix_lu_get_determinant (const MatrixLu *lu);
/* Solves in place for one right-hand side of n_rows numbers, stride apart.  lu: of full rank. */
void matrix_lu_solve (const MatrixLu *lu, double *b, size_t stride);
/* (transfer full) (nullable) Without an error when cancelled. */
Matrix *matrix_lu_invert (const MatrixLu *lu, const KgProgressMonitor *monitor, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (MatrixLu, matrix_lu_free)

/* The largest sum of magnitudes of a column. */
double matrix_get_norm (const Matrix *a);
/* Expansion by the first row: n! products, an oracle for tests and the way for n <= 3. */
double matrix_get_cofactor_determinant (const Matrix *a);

/* a = u diag(w) vᵀ; u: as a, or with as many columns as rows where it has fewer of these; w: falling.  The entry of largest
 * magnitude of each column of v is positive. */
typedef struct {
  Matrix *u, *v;
  double *w;
  guint n; /* of w: the smaller of rows and columns */
} MatrixSvd;

/* (transfer full) (nullable) a: finite. */
MatrixSvd *matrix_svd_new (const Matrix *a, GError **error);
void matrix_svd_free (MatrixSvd *svd);
/* How many singular values exceed tolerance times the largest. */
guint matrix_svd_get_rank (const MatrixSvd *svd, double tolerance);
/* (transfer full) (nullable) The shortest of the columns x for which a x is closest to b.  Singular values up to tolerance times
 * the largest are left out; damping: those that remain count as w/(w² + damping²). */
Matrix *matrix_svd_solve (const MatrixSvd *svd, const Matrix *b, double tolerance, double damping, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (MatrixSvd, matrix_svd_free)

/* Eigenvalues, falling, and eigenvectors, the columns of vectors, of a symmetric matrix; signs as for singular values.  Fails
 * where it is not symmetric to 1e-9 of its largest entry. */
bool matrix_get_eigen (const Matrix *a, Matrix **values, Matrix **vectors, GError **error);

G_END_DECLS
