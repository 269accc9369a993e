/* value/matrix: arithmetic with matrices.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "value/matrix.h"

typedef struct {
  int operation;
  const KgTable *a;
  const KgTable *b;
  KgTransform given;
  int64_t size;
  double factor;
  int pivoting;
  double tolerance;
  KgTable *matrix;
  KgTable *second;
  KgTable *third;
  double number;
  int64_t rank;
  double condition;
  KgTransform transform;
} MatrixNode;

enum {
  OPERATION_ENTRIES,
  OPERATION_IDENTITY,
  OPERATION_DIAGONAL,
  OPERATION_TRANSFORM,
  OPERATION_TRANSPOSE,
  OPERATION_ADD,
  OPERATION_SCALE,
  OPERATION_MULTIPLY,
  OPERATION_DETERMINANT,
  OPERATION_INVERSE,
  OPERATION_LU,
  OPERATION_SVD,
  OPERATION_PSEUDO_INVERSE,
  OPERATION_EIGEN,
  N_OPERATIONS
};

static const KgChoice matrix_operations[] = {
  [OPERATION_ENTRIES] = { "entries", N_ ("a as it is") },
  [OPERATION_IDENTITY] = { "identity", N_ ("Identity") },
  [OPERATION_DIAGONAL] = { "diagonal", N_ ("The numbers of a on a diagonal") },
  [OPERATION_TRANSFORM] = { "transform", N_ ("The 4×4 matrix of a transform") },
  [OPERATION_TRANSPOSE] = { "transpose", N_ ("Transpose of a") },
  [OPERATION_ADD] = { "add", N_ ("a + factor × b") },
  [OPERATION_SCALE] = { "scale", N_ ("a × factor") },
  [OPERATION_MULTIPLY] = { "multiply", N_ ("Product a b") },
  [OPERATION_DETERMINANT] = { "determinant", N_ ("Determinant of a") },
  [OPERATION_INVERSE] = { "inverse", N_ ("Inverse of a") },
  [OPERATION_LU] = { "lu", N_ ("LU decomposition of a") },
  [OPERATION_SVD] = { "svd", N_ ("Singular values of a") },
  [OPERATION_PSEUDO_INVERSE] = { "pseudo-inverse", N_ ("Pseudo-inverse of a") },
  [OPERATION_EIGEN] = { "symmetric-eigen", N_ ("Eigenvalues of a symmetric matrix a") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (matrix_operations, N_OPERATIONS);

static const KgChoice matrix_pivotings[] = {
  [MATRIX_PIVOT_IMPLICIT] = { "implicit", N_ ("Largest relative to its row") },
  [MATRIX_PIVOT_PARTIAL] = { "partial", N_ ("Largest") },
  [MATRIX_PIVOT_NONE] = { "none", N_ ("None") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (matrix_pivotings, MATRIX_N_PIVOTS);

static Matrix *
matrix_make_diagonal (const Matrix *a, GError **error)
{
  const size_t n = (size_t) a->n_rows * a->n_columns;
  Matrix *m = matrix_new ((guint) n, (guint) n, error);

  for (guint i = 0; m != NULL && i < n; i++)
    matrix_set (m, i, i, a->a[i]);
  return m;
}

static Matrix *
matrix_make_transform (const KgTransform *transform)
{
  Matrix *m = matrix_new (4, 4, NULL);

  memcpy (m->a, transform->m, sizeof transform->m);
  return m;
}

static Matrix *
matrix_multiply_by (const Matrix *a, double factor)
{
  Matrix *m = matrix_copy (a);

  for (size_t i = 0; i < (size_t) a->n_rows * a->n_columns; i++)
    m->a[i] *= factor;
  return m;
}

/* By singular values: of what cannot be inverted, and of what is not square.  -1: too large for that. */
static int64_t
matrix_find_rank (const Matrix *a, double tolerance)
{
  g_autoptr (MatrixSvd) svd = matrix_svd_new (a, NULL);

  return svd != NULL ? (int64_t) matrix_svd_get_rank (svd, tolerance) : -1;
}

/* The inverse, with the condition by the norms of both. */
static Matrix *
matrix_invert (MatrixNode *n, const KgContext *ctx, const Matrix *a, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (MatrixLu) lu = matrix_lu_new (a, (MatrixPivot) n->pivoting, monitor, error);
  Matrix *inverse;

  if (lu == NULL)
    return NULL;
  n->rank = lu->rank;
  n->number = matrix_lu_get_determinant (lu);
  inverse = matrix_lu_invert (lu, monitor, error);
  if (inverse == NULL)
    return NULL;
  n->condition = matrix_get_norm (a) * matrix_get_norm (inverse);
  if (n->condition > 1e12)
    kg_context_warn (ctx, "the matrix is nearly singular (condition %g): the inverse has few correct digits",
                     n->condition);
  return inverse;
}

/* L, U, the order of the rows, from 1, and the sign of the exchanges. */
static bool
matrix_split (MatrixNode *n, const Matrix *a, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (MatrixLu) lu = matrix_lu_new (a, (MatrixPivot) n->pivoting, monitor, error);
  g_autoptr (Matrix) lower = NULL, upper = NULL, order = NULL;
  g_autofree guint *rows = NULL;

  if (lu == NULL)
    return false;
  if (lu->rank < a->n_rows) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        n->pivoting == MATRIX_PIVOT_NONE
            ? N_ ("pivot %u is zero: choose a pivoting, or a regular matrix")
            : N_ ("the matrix is singular: pivot %u is zero after elimination; change it, or use Singular values"),
        lu->rank + 1);
    return false;
  }
  lower = matrix_new_identity (a->n_rows, error);
  upper = matrix_copy (lu->lu);
  order = matrix_new (1, a->n_rows, error);
  rows = g_new (guint, a->n_rows);
  matrix_lu_get_order (lu, rows);
  for (guint i = 0; i < a->n_rows; i++) {
    for (guint j = 0; j < i; j++) {
      matrix_set (lower, i, j, matrix_get (lu->lu, i, j));
      matrix_set (upper, i, j, 0);
    }
    matrix_set (order, 0, i, rows[i] + 1);
  }
  n->matrix = matrix_to_table (lower, error);
  n->second = matrix_to_table (upper, error);
  n->third = matrix_to_table (order, error);
  n->number = lu->sign;
  n->rank = lu->rank;
  return n->matrix != NULL && n->second != NULL && n->third != NULL;
}

static void
matrix_set_condition (MatrixNode *n, double most, double least)
{
  n->condition = least > 0 && isfinite (most / least) ? most / least : -1;
}

static bool
matrix_find_singular (MatrixNode *n, const KgContext *ctx, const Matrix *a, GError **error)
{
  g_autoptr (MatrixSvd) svd = matrix_svd_new (a, error);
  g_autoptr (Matrix) result = NULL;

  if (svd == NULL)
    return false;
  n->rank = matrix_svd_get_rank (svd, n->tolerance);
  n->number = svd->w[0];
  matrix_set_condition (n, svd->w[0], svd->w[svd->n - 1]);
  if (n->operation == OPERATION_PSEUDO_INVERSE) {
    g_autoptr (Matrix) identity = matrix_new_identity (a->n_rows, error);

    if (n->rank == 0)
      kg_context_warn (ctx, "all singular values are zero, and so is the pseudo-inverse");
    result = identity != NULL ? matrix_svd_solve (svd, identity, n->tolerance, 0, error) : NULL;
    n->matrix = result != NULL ? matrix_to_table (result, error) : NULL;
    return n->matrix != NULL;
  }
  result = matrix_new (1, svd->n, error);
  memcpy (result->a, svd->w, svd->n * sizeof *svd->w);
  n->matrix = matrix_to_table (svd->u, error);
  n->second = matrix_to_table (result, error);
  n->third = matrix_to_table (svd->v, error);
  return n->matrix != NULL && n->second != NULL && n->third != NULL;
}

static bool
matrix_find_eigen (MatrixNode *n, const Matrix *a, GError **error)
{
  g_autoptr (Matrix) values = NULL, vectors = NULL;
  double most = 0, least = INFINITY;

  if (!matrix_get_eigen (a, &values, &vectors, error))
    return false;
  n->number = values->a[0];
  n->rank = 0;
  for (guint i = 0; i < a->n_rows; i++) {
    const double magnitude = fabs (values->a[i]);

    most = fmax (most, magnitude);
    least = fmin (least, magnitude);
  }
  for (guint i = 0; i < a->n_rows; i++)
    n->rank += fabs (values->a[i]) > n->tolerance * most;
  matrix_set_condition (n, most, least);
  n->matrix = matrix_to_table (vectors, error);
  n->second = matrix_to_table (values, error);
  return n->matrix != NULL && n->second != NULL;
}

/* Operations whose result is one matrix. */
static Matrix *
matrix_compute (MatrixNode *n, const KgContext *ctx, const Matrix *a, const Matrix *b, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);

  switch (n->operation) {
  case OPERATION_DIAGONAL:
    return matrix_make_diagonal (a, error);
  case OPERATION_TRANSPOSE:
    return matrix_transpose (a);
  case OPERATION_ADD:
    return matrix_add (a, n->factor, b, error);
  case OPERATION_SCALE:
    return matrix_multiply_by (a, n->factor);
  case OPERATION_MULTIPLY:
    return matrix_multiply (a, b, &monitor, error);
  case OPERATION_DETERMINANT: {
    g_autoptr (MatrixLu) lu = matrix_lu_new (a, (MatrixPivot) n->pivoting, &monitor, error);

    if (lu == NULL)
      return NULL;
    n->number = a->n_rows <= 3 ? matrix_get_cofactor_determinant (a) : matrix_lu_get_determinant (lu);
    n->rank = lu->rank < a->n_rows ? matrix_find_rank (a, n->tolerance) : lu->rank;
    return matrix_copy (a);
  }
  case OPERATION_INVERSE:
    return matrix_invert (n, ctx, a, &monitor, error);
  case OPERATION_ENTRIES:
  default:
    return matrix_copy (a);
  }
}

static void
matrix_set_transform (MatrixNode *n)
{
  const KgTable *m = n->matrix;
  const size_t rows = kg_table_get_n_rows (m);

  n->transform = kg_transform_identity ();
  if (rows != kg_table_get_n_columns (m) || (rows != 3 && rows != 4))
    return;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < rows; j++)
      n->transform.m[i][j] = kg_table_get_row (m, i)[j];
}

static bool
matrix_evaluate (MatrixNode *n, const KgContext *ctx, GError **error)
{
  g_autoptr (Matrix) a = NULL, b = NULL, result = NULL;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);

  n->transform = kg_transform_identity ();
  n->rank = -1;
  n->condition = -1;
  if (n->operation == OPERATION_IDENTITY)
    a = matrix_new_identity ((guint) n->size, error);
  else
    a = n->operation == OPERATION_TRANSFORM ? matrix_make_transform (&n->given) : matrix_new_from_table (n->a, error);
  if (a == NULL)
    return false;
  if (n->operation == OPERATION_ADD || n->operation == OPERATION_MULTIPLY) {
    b = matrix_new_from_table (n->b, error);
    if (b == NULL)
      return false;
  }
  if (n->operation == OPERATION_LU)
    return matrix_split (n, a, &monitor, error);
  if (n->operation == OPERATION_SVD || n->operation == OPERATION_PSEUDO_INVERSE)
    return matrix_find_singular (n, ctx, a, error);
  if (n->operation == OPERATION_EIGEN)
    return matrix_find_eigen (n, a, error);
  result = matrix_compute (n, ctx, a, b, error);
  n->matrix = result != NULL ? matrix_to_table (result, error) : NULL;
  if (n->matrix == NULL)
    return false;
  if (!isfinite (n->number) || !kg_table_check_finite (n->matrix, NULL)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s gives numbers that are not finite: use smaller ones",
                  matrix_operations[n->operation].nick);
    return false;
  }
  matrix_set_transform (n);
  return true;
}

static const KgSlot matrix_slots[] = {
  KG_INPUT (MatrixNode, operation, CHOICE, .label = N_ ("Operation"), .choices = matrix_operations,
            .help = N_ ("Operation to perform.")),
  KG_INPUT (
      MatrixNode, a, TABLE, .label = N_ ("a"), .def_text = "1 0; 0 1",
      .shown_when =
          "operation=entries|diagonal|transpose|add|scale|multiply|determinant|inverse|lu|svd|pseudo-inverse|symmetric-eigen",
      .help = N_ ("First matrix, row by row.")),
  KG_INPUT (MatrixNode, b, TABLE, .label = N_ ("b"), .def_text = "1 0; 0 1", .shown_when = "operation=add|multiply",
            .help = N_ ("Second matrix.")),
  KG_INPUT (MatrixNode, given, TRANSFORM, .label = N_ ("Transform"), .shown_when = "operation=transform",
            .handle = { KG_HANDLE_NONE }, .help = N_ ("Transform whose matrix is taken.")),
  KG_INPUT (MatrixNode, size, INTEGER, .label = N_ ("Size"), .def = 3, .min = 1, .max = MATRIX_MAX, .soft_max = 10,
            .shown_when = "operation=identity", .help = N_ ("Rows and columns of the identity.")),
  KG_INPUT (MatrixNode, factor, NUMBER, .label = N_ ("Factor"), .def = 1, .soft_min = -10, .soft_max = 10,
            .shown_when = "operation=add|scale", .help = N_ ("Factor of b in a sum, or of a.")),
  KG_INPUT (MatrixNode, pivoting, CHOICE, .label = N_ ("Pivoting"), .choices = matrix_pivotings,
            .shown_when = "operation=determinant|inverse|lu",
            .help = N_ ("Which row is used to eliminate the others.")),
  KG_INPUT (MatrixNode, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-12, .min = 0, .max = 1,
            .shown_when = "operation=determinant|svd|pseudo-inverse|symmetric-eigen",
            .help = N_ ("Singular values and eigenvalues up to this share of the largest count as zero.")),
  KG_OUTPUT (
      MatrixNode, matrix, TABLE, .label = N_ ("Matrix"),
      .help = N_ (
          "Result: for LU, the lower triangle; for singular values, the left vectors; for eigenvalues, the vectors, "
          "each a column.")),
  KG_OUTPUT (
      MatrixNode, second, TABLE, .label = N_ ("Second"),
      .help = N_ ("For LU, the upper triangle; otherwise the singular values or eigenvalues, from the largest down.")),
  KG_OUTPUT (MatrixNode, third, TABLE, .label = N_ ("Third"),
             .help = N_ (
                 "For LU, the order in which the rows of a are used, from 1; for singular values, the right vectors.")),
  KG_OUTPUT (
      MatrixNode, number, NUMBER, .label = N_ ("Number"),
      .help = N_ (
          "Determinant; for LU, the sign of the row exchanges; otherwise the largest singular value or eigenvalue.")),
  KG_OUTPUT (
      MatrixNode, rank, INTEGER, .label = N_ ("Rank"),
      .help = N_ ("Number of independent rows, for determinants, inverses and factors; -1 if it is not computed.")),
  KG_OUTPUT (
      MatrixNode, condition, NUMBER, .label = N_ ("Condition"),
      .help = N_ ("How much errors can grow in inverses, singular values and eigenvalues: 1 is best, 1e16 leaves no "
                  "correct digit; -1 if the matrix is singular or this is not computed.")),
  KG_OUTPUT (MatrixNode, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Result as a transform, if it is 3×3 or 4×4.")),
};

KG_NODE (
    value, matrix, MatrixNode, .label = N_ ("Matrix"), .version = 1, .since = "0.1",
    .tags = N_ ("linear algebra multiply transpose determinant inverse lu svd eigenvalue rank table"),
    .formula = "product: cᵢⱼ = Σ aᵢₖbₖⱼ; P a = L U; det a = ± Π uᵢᵢ; a = U diag(w) Vᵀ; a⁺ = V diag(1/w) Uᵀ",
    .source = "Parent, Computer Animation, B.1; Golub and Van Loan, Matrix Computations",
    .help = N_ (
        "Computes with matrices of any size: products, transposes, determinants, inverses, and the factors that show whether equations can be solved."));
