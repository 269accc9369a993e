/* sqp: least of a function under equations, by sequential quadratic programming.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/sqp.h"

#include "kg-error.h"

#include <string.h>

typedef struct {
  double function;
  double *c, *gradient, *hessian, *jacobian;
} Local;

static void
local_clear (Local *local)
{
  g_free (local->c);
  g_free (local->gradient);
  g_free (local->hessian);
  g_free (local->jacobian);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Local, local_clear)

static void
local_init (Local *local, const Sqp *sqp, const double *s, const double *lambda)
{
  const size_t n = sqp->n, m = sqp->m;

  local->c = g_new0 (double, m + 1);
  local->gradient = g_new0 (double, n + 1);
  local->hessian = g_new0 (double, n *n + 1);
  local->jacobian = g_new0 (double, m *n + 1);
  sqp->evaluate (sqp->data, s, lambda, &local->function, local->c, local->gradient, local->hessian, local->jacobian);
}

/* The symmetric system of KKT; equations that repeat others get a small pivot, so that the shortest λ is taken. */
static bool
solve_kkt (const Sqp *sqp, const Local *local, double *lambda, double *step, const KgProgressMonitor *monitor,
           GError **error)
{
  const guint n = sqp->n, m = sqp->m;
  double scale = 0;

  for (size_t i = 0; i < (size_t) n * n; i++)
    scale = fmax (scale, fabs (local->hessian[i]));
  scale = scale > 0 ? scale : 1;
  for (int round = 0; round < 3; round++) {
    const double ease = round == 0 ? 0 : round == 1 ? 1e-12 : 1e-8;
    g_autoptr (Matrix) kkt = matrix_new (n + m, n + m, error);
    g_autoptr (MatrixLu) lu = NULL;
    g_autofree double *right = g_new (double, n + m);

    if (kkt == NULL)
      return false;
    for (guint i = 0; i < n; i++) {
      for (guint k = 0; k < n; k++)
        matrix_set (kkt, i, k, local->hessian[(size_t) i * n + k] / scale + (i == k ? ease : 0));
      right[i] = -local->gradient[i] / scale;
    }
    for (guint i = 0; i < m; i++) {
      for (guint k = 0; k < n; k++) {
        matrix_set (kkt, n + i, k, local->jacobian[(size_t) i * n + k]);
        matrix_set (kkt, k, n + i, local->jacobian[(size_t) i * n + k]);
      }
      matrix_set (kkt, n + i, n + i, -ease);
      right[n + i] = -local->c[i];
    }
    lu = matrix_lu_new (kkt, MATRIX_PIVOT_IMPLICIT, monitor, error);
    if (lu == NULL)
      return false;
    if (lu->rank < n + m)
      continue;
    matrix_lu_solve (lu, right, 1);
    memcpy (step, right, n * sizeof *step);
    for (guint i = 0; i < m; i++)
      lambda[i] = scale * right[n + i];
    return true;
  }
  kg_set_error (error, KG_ERROR_DEGENERATE,
                "the equations contradict each other, or do not determine everything: remove or relax one of them");
  return false;
}

/* The shortest x with a x = b, for m rows of n. */
static bool
solve_shortest (const double *a, guint m, guint n, const double *b, double *x, GError **error)
{
  g_autoptr (Matrix) matrix = matrix_new (m, n, error), right = NULL, solution = NULL;
  g_autoptr (MatrixSvd) svd = NULL;

  if (matrix == NULL)
    return false;
  memcpy (matrix->a, a, (size_t) m * n * sizeof *a);
  svd = matrix_svd_new (matrix, error);
  right = matrix_new (m, 1, error);
  if (svd == NULL || right == NULL)
    return false;
  memcpy (right->a, b, m * sizeof *b);
  solution = matrix_svd_solve (svd, right, 1e-12, 0, error);
  if (solution == NULL)
    return false;
  memcpy (x, solution->a, n * sizeof *x);
  return true;
}

static bool
step_projected (const Sqp *sqp, const Local *local, double *step, GError **error)
{
  const guint n = sqp->n, m = sqp->m;
  g_autofree double *right = g_new0 (double, MAX (n, m) + 1), *back = g_new0 (double, n + 1);

  for (guint i = 0; i < n; i++)
    right[i] = -local->gradient[i];
  if (!solve_shortest (local->hessian, n, n, right, step, error))
    return false;
  if (m == 0)
    return true;
  for (guint i = 0; i < m; i++) {
    right[i] = -local->c[i];
    for (guint k = 0; k < n; k++)
      right[i] -= local->jacobian[(size_t) i * n + k] * step[k];
  }
  if (!solve_shortest (local->jacobian, m, n, right, back, error))
    return false;
  for (guint i = 0; i < n; i++)
    step[i] += back[i];
  return true;
}

bool
sqp_get_step (const Sqp *sqp, const double *s, bool projected, double *lambda, double *step,
              const KgProgressMonitor *monitor, GError **error)
{
  g_auto (Local) local = { 0 };

  if (projected) {
    g_autofree double *none = g_new0 (double, sqp->m + 1);

    local_init (&local, sqp, s, none);
    return step_projected (sqp, &local, step, error);
  }
  local_init (&local, sqp, s, lambda);
  return solve_kkt (sqp, &local, lambda, step, monitor, error);
}

static double
get_merit (const Sqp *sqp, const double *s, const double *lambda, double weight, double *c, double *residual)
{
  double function, sum = 0;

  *residual = 0;
  sqp->evaluate (sqp->data, s, lambda, &function, c, NULL, NULL, NULL);
  for (guint i = 0; i < sqp->m; i++) {
    sum += fabs (c[i]);
    *residual = fmax (*residual, fabs (c[i]));
  }
  return function + weight * sum;
}

bool
sqp_solve (const Sqp *sqp, double *s, double *lambda, guint max_iterations, double tolerance, SqpReport *report,
           const KgProgressMonitor *monitor, GError **error)
{
  const guint n = sqp->n, m = sqp->m;
  g_autofree double *step = g_new0 (double, n + 1), *to = g_new0 (double, n + 1), *c = g_new0 (double, m + 1);
  double weight = 1, residual;

  *report = (SqpReport){ .converged = false };
  while (report->iterations < max_iterations && !report->converged) {
    double before, length = 0, size = 0, part = 1;

    if (kg_progress_is_cancelled (monitor) || !sqp_get_step (sqp, s, false, lambda, step, monitor, error))
      return false;
    report->iterations++;
    for (guint i = 0; i < m; i++)
      weight = fmax (weight, 2 * fabs (lambda[i]));
    before = get_merit (sqp, s, lambda, weight, c, &residual);
    for (guint i = 0; i < n; i++) {
      length = fmax (length, fabs (step[i]));
      size = fmax (size, fabs (s[i]));
    }
    for (int tries = 0; tries < 30; tries++, part *= 0.5) {
      for (guint i = 0; i < n; i++)
        to[i] = s[i] + part * step[i];
      /* The last digits are rounding. */
      if (get_merit (sqp, to, lambda, weight, c, &residual) <= before + 1e-10 * fabs (before))
        break;
    }
    memcpy (s, to, n * sizeof *s);
    report->residual = residual;
    report->converged = length <= tolerance * (1 + size);
  }
  sqp->evaluate (sqp->data, s, lambda, &report->function, c, NULL, NULL, NULL);
  return true;
}
