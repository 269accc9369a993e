/* value/linear_solve: systems of linear equations.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

#include "value/matrix.h"

#include <inttypes.h>

typedef struct {
  const KgTable *a;
  const KgTable *b;
  int method;
  double tolerance;
  double damping;
  bool refine;
  KgTable *x;
  double residual;
  int64_t rank;
  double condition;
} LinearSolve;

enum { METHOD_AUTO, METHOD_LU, METHOD_LEAST_SQUARES, METHOD_SVD, N_METHODS };

static const KgChoice linear_solve_methods[] = {
  [METHOD_AUTO] = { "auto", N_ ("Exact where possible, else closest") },
  [METHOD_LU] = { "lu", N_ ("LU: as many equations as unknowns") },
  [METHOD_LEAST_SQUARES] = { "least-squares", N_ ("Least squares: unknowns must be determined") },
  [METHOD_SVD] = { "svd", N_ ("Least squares, the shortest solution") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (linear_solve_methods, N_METHODS);

/* What is kept of a as long as it is the same: only a new b costs little. */
typedef struct {
  Matrix *a;
  MatrixLu *lu; /* (nullable) where it is square */
  double condition;
} Factors;

typedef struct {
  const LinearSolve *n;
  const KgContext *ctx;
} Build;

static void
factors_free (gpointer data)
{
  Factors *factors = (Factors *) data;

  matrix_free (factors->a);
  matrix_lu_free (factors->lu);
  g_free (factors);
}

static void *
factors_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  Factors *factors = g_new0 (Factors, 1);

  factors->a = matrix_new_from_table (build->n->a, error);
  if (factors->a == NULL) {
    factors_free (factors);
    return NULL;
  }
  *bytes = 2 * sizeof (double) * (size_t) factors->a->n_rows * factors->a->n_columns + sizeof *factors;
  if (factors->a->n_rows != factors->a->n_columns)
    return factors;
  factors->lu = matrix_lu_new (factors->a, MATRIX_PIVOT_IMPLICIT, &monitor, error);
  if (factors->lu == NULL) {
    factors_free (factors);
    return NULL;
  }
  if (factors->lu->rank == factors->a->n_rows) {
    g_autoptr (Matrix) inverse = matrix_lu_invert (factors->lu, &monitor, error);

    if (inverse == NULL) {
      factors_free (factors);
      return NULL;
    }
    factors->condition = matrix_get_norm (factors->a) * matrix_get_norm (inverse);
  }
  return factors;
}

/* b − a x */
static Matrix *
linear_solve_get_rest (const Matrix *a, const Matrix *x, const Matrix *b)
{
  g_autoptr (Matrix) product = matrix_multiply (a, x, NULL, NULL);

  return matrix_add (b, -1, product, NULL);
}

static Matrix *
linear_solve_by_lu (const LinearSolve *n, const Factors *factors, const Matrix *b)
{
  Matrix *x = matrix_copy (b);

  for (guint c = 0; c < b->n_columns; c++)
    matrix_lu_solve (factors->lu, x->a + c, b->n_columns);
  if (n->refine) {
    g_autoptr (Matrix) rest = linear_solve_get_rest (factors->a, x, b);

    for (guint c = 0; c < b->n_columns; c++)
      matrix_lu_solve (factors->lu, rest->a + c, b->n_columns);
    for (size_t i = 0; i < (size_t) x->n_rows * x->n_columns; i++)
      x->a[i] += rest->a[i];
  }
  return x;
}

static Matrix *
linear_solve_by_svd (LinearSolve *n, const KgContext *ctx, const Factors *factors, const Matrix *b, GError **error)
{
  g_autoptr (MatrixSvd) svd = matrix_svd_new (factors->a, error);
  const guint unknowns = factors->a->n_columns;

  if (svd == NULL)
    return NULL;
  n->rank = matrix_svd_get_rank (svd, n->tolerance);
  n->condition = svd->w[svd->n - 1] > 0 ? svd->w[0] / svd->w[svd->n - 1] : -1;
  if (!isfinite (n->condition))
    n->condition = -1;
  if (n->rank < unknowns && n->method == METHOD_LEAST_SQUARES) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the rank is %" PRId64 ", and there are %u unknowns: add equations, or choose the shortest solution",
                  n->rank, unknowns);
    return NULL;
  }
  if (n->rank < unknowns)
    kg_context_warn (ctx, "the rank is %" PRId64 ", and there are %u unknowns: the shortest solution is used", n->rank,
                     unknowns);
  return matrix_svd_solve (svd, b, n->tolerance, n->damping, error);
}

static Matrix *
linear_solve_find (LinearSolve *n, const KgContext *ctx, const Factors *factors, const Matrix *b, GError **error)
{
  const Matrix *a = factors->a;
  const bool regular = factors->lu != NULL && factors->lu->rank == a->n_rows;

  if (n->method == METHOD_LU && factors->lu == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are %u equations and %u unknowns: LU needs as many of each; choose least squares", a->n_rows,
                  a->n_columns);
    return NULL;
  }
  if (n->method == METHOD_LU && !regular) {
    g_autoptr (MatrixSvd) svd = matrix_svd_new (a, NULL);

    n->rank = svd != NULL ? matrix_svd_get_rank (svd, n->tolerance) : factors->lu->rank;
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the equations are singular: their rank is %" PRId64
                  ", and there are %u unknowns; change one of them, or choose the shortest solution",
                  n->rank, a->n_columns);
    return NULL;
  }
  if (regular && n->damping == 0 &&
      (n->method == METHOD_LU || (n->method == METHOD_AUTO && factors->condition * n->tolerance < 1))) {
    n->rank = a->n_rows;
    n->condition = factors->condition;
    return linear_solve_by_lu (n, factors, b);
  }
  return linear_solve_by_svd (n, ctx, factors, b, error);
}

static double
linear_solve_get_length (const Matrix *m)
{
  double sum = 0;

  for (size_t i = 0; i < (size_t) m->n_rows * m->n_columns; i++)
    sum += m->a[i] * m->a[i];
  return sqrt (sum);
}

static bool
linear_solve_evaluate (LinearSolve *n, const KgContext *ctx, GError **error)
{
  Build build = { n, ctx };
  const KgHash key = kg_hash_uint (kg_context_get_fingerprint (ctx, offsetof (LinearSolve, a)), 0x1174);
  const Factors *factors = (const Factors *) kg_context_memo (ctx, key, factors_build, &build, factors_free, error);
  g_autoptr (Matrix) b = NULL, x = NULL, rest = NULL;

  if (factors == NULL)
    return false;
  b = matrix_new_from_table (n->b, error);
  if (b == NULL)
    return false;
  /* Right-hand sides typed in one row are meant as a column. */
  if (b->n_rows == 1 && factors->a->n_rows == b->n_columns && b->n_columns > 1) {
    b->n_rows = b->n_columns;
    b->n_columns = 1;
  }
  if (b->n_rows != factors->a->n_rows) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a has %u rows and b has %u: give each equation one right-hand side",
                  factors->a->n_rows, b->n_rows);
    return false;
  }
  x = linear_solve_find (n, ctx, factors, b, error);
  if (x == NULL)
    return false;
  rest = linear_solve_get_rest (factors->a, x, b);
  n->residual = linear_solve_get_length (rest);
  n->x = matrix_to_table (x, error);
  if (n->x == NULL)
    return false;
  if (isfinite (n->residual) && kg_table_check_finite (n->x, NULL))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the solution is not finite: use smaller numbers");
  return false;
}

static const KgSlot linear_solve_slots[] = {
  KG_INPUT (LinearSolve, a, TABLE, .label = N_ ("a"), .def_text = "1 0; 0 1",
            .help = N_ ("The factors of the unknowns: a row for each equation, a column for each unknown.")),
  KG_INPUT (LinearSolve, b, TABLE, .label = N_ ("b"), .def_text = "0; 0",
            .help = N_ ("Right-hand side of each equation: one number per row, or several for several systems.")),
  KG_INPUT (LinearSolve, method, CHOICE, .label = N_ ("Method"), .choices = linear_solve_methods,
            .help = N_ ("How the equations are solved.")),
  KG_INPUT (LinearSolve, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-12, .min = 0, .max = 1,
            .help = N_ ("Singular values up to this share of the largest are ignored as unreliable.")),
  KG_INPUT (LinearSolve, damping, NUMBER, .label = N_ ("Damping"), .min = 0, .max = 1e150, .soft_max = 1,
            .shown_when = "method=auto|svd|least-squares",
            .help = N_ ("Prefers small unknowns: keeps solutions calm where the equations are nearly singular.")),
  KG_INPUT (LinearSolve, refine, BOOLEAN, .label = N_ ("Refine"), .shown_when = "method=auto|lu",
            .help = N_ ("Solves once more for the remaining error.")),
  KG_OUTPUT (LinearSolve, x, TABLE, .label = N_ ("x"), .help = N_ ("The unknowns, one per row.")),
  KG_OUTPUT (LinearSolve, residual, NUMBER, .label = N_ ("Residual"),
             .help = N_ ("Distance of a x from b: the root of the sum of squares.")),
  KG_OUTPUT (LinearSolve, rank, INTEGER, .label = N_ ("Rank"), .help = N_ ("Number of independent equations.")),
  KG_OUTPUT (LinearSolve, condition, NUMBER, .label = N_ ("Condition"),
             .help = N_ ("How much errors of b can grow in x: with 1e13 three digits of sixteen are left; -1 "
                         "where the equations are singular.")),
};

KG_NODE (
    value, linear_solve, LinearSolve, .label = N_ ("Solve Equations"), .version = 1, .since = "0.1",
    .tags = N_ ("linear equations system least squares fit lu svd unknowns matrix"),
    .formula = "a x = b: P a = L U, L y = P b, U x = y; else x = V diag(w/(w² + λ²)) Uᵀ b, w > tolerance · w₁",
    .source = "Parent, Computer Animation, B.1.1 and B.1.2; Golub and Van Loan, Matrix Computations",
    .help = N_ (
        "Solves linear equations, exactly or as closely as possible: blend weights, fits of lines and curves through measured points, balances of forces. Singular systems are reported with their rank."));
