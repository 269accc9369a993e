/* least_squares: nonlinear equations and least squares by damped Gauss-Newton steps.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/least_squares.h"

#include <math.h>
#include <string.h>

bool
least_squares_cholesky (double *a, guint n, double *b)
{
  for (guint j = 0; j < n; j++) {
    double *row = a + (size_t) j * n;

    for (guint k = 0; k < j; k++) {
      const double *other = a + (size_t) k * n;
      double sum = row[k];

      for (guint i = 0; i < k; i++)
        sum -= row[i] * other[i];
      row[k] = sum / other[k];
    }
    for (guint k = 0; k < j; k++)
      row[j] -= row[k] * row[k];
    if (!(row[j] > 0))
      return false;
    row[j] = sqrt (row[j]);
  }
  for (guint j = 0; j < n; j++) {
    for (guint k = 0; k < j; k++)
      b[j] -= a[(size_t) j * n + k] * b[k];
    b[j] /= a[(size_t) j * n + j];
  }
  for (guint j = n; j-- > 0;) {
    for (guint k = j + 1; k < n; k++)
      b[j] -= a[(size_t) k * n + j] * b[k];
    b[j] /= a[(size_t) j * n + j];
  }
  return true;
}

static double
get_squares (const double *v, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += v[i] * v[i];
  return sum;
}

/* step = -(JᵀJ + λI)⁻¹ Jᵀ r. */
static bool
get_step (guint m, guint n, const double *r, const double *j, double lambda, double *matrix, double *right,
          double *step)
{
  const bool wide = m < n;
  const guint size = wide ? m : n;

  memset (matrix, 0, (size_t) size * size * sizeof *matrix);
  if (wide) {
    for (guint a = 0; a < m; a++)
      for (guint b = 0; b <= a; b++) {
        double sum = 0;

        for (guint k = 0; k < n; k++)
          sum += j[(size_t) a * n + k] * j[(size_t) b * n + k];
        matrix[(size_t) a * size + b] = sum;
      }
    memcpy (right, r, m * sizeof *right);
  } else {
    memset (right, 0, n * sizeof *right);
    for (guint i = 0; i < m; i++) {
      const double *row = j + (size_t) i * n;

      for (guint a = 0; a < n; a++) {
        if (row[a] == 0)
          continue;
        right[a] += row[a] * r[i];
        for (guint b = 0; b <= a; b++)
          matrix[(size_t) a * size + b] += row[a] * row[b];
      }
    }
  }
  for (guint a = 0; a < size; a++)
    matrix[(size_t) a * size + a] += lambda;
  if (!least_squares_cholesky (matrix, size, right))
    return false;
  for (guint k = 0; k < n; k++)
    step[k] = wide ? 0 : -right[k];
  for (guint i = 0; wide && i < m; i++)
    for (guint k = 0; k < n; k++)
      step[k] -= j[(size_t) i * n + k] * right[i];
  return true;
}

static void
evaluate (const LeastSquares *p, const double *x, double *r, double *j)
{
  if (j != NULL)
    memset (j, 0, (size_t) p->n_residuals * p->n_unknowns * sizeof *j);
  p->evaluate (p->data, x, r, j);
}

static double
get_gradient (const LeastSquares *p, const double *r, const double *j, double *gradient)
{
  memset (gradient, 0, p->n_unknowns * sizeof *gradient);
  for (guint i = 0; i < p->n_residuals; i++)
    for (guint k = 0; k < p->n_unknowns; k++)
      gradient[k] += 2 * r[i] * j[(size_t) i * p->n_unknowns + k];
  return sqrt (get_squares (gradient, p->n_unknowns));
}

bool
least_squares_solve (const LeastSquares *p, double *x, double *residuals, LeastSquaresReport *report,
                     const KgProgressMonitor *monitor)
{
  const guint m = p->n_residuals, n = p->n_unknowns, size = MIN (m, n);
  g_autofree double *r = g_new0 (double, MAX (m, 1)), *next = g_new0 (double, MAX (m, 1));
  g_autofree double *j = g_new0 (double, MAX ((size_t) m * n, 1)),
                    *matrix = g_new (double, MAX ((size_t) size * size, 1));
  g_autofree double *right = g_new0 (double, MAX (MAX (m, n), 1)), *step = g_new0 (double, MAX (n, 1));
  g_autofree double *to = g_new0 (double, MAX (p->n_numbers, 1));
  double largest = 0, lambda, least, grow = 2;

  evaluate (p, x, r, j);
  *report = (LeastSquaresReport){ .energy = get_squares (r, m), .gradient_norm = get_gradient (p, r, j, step) };
  for (size_t i = 0; i < (size_t) m * n; i++)
    largest = fmax (largest, j[i] * j[i]);
  lambda = fmax (p->damping, 1e-13) * fmax (largest, 1e-30);
  least = fmax (p->damping, 1e-15) * fmax (largest, 1e-30);
  while (report->iterations < p->max_iterations && !report->converged && n > 0 && m > 0) {
    double energy, length;

    if (kg_progress_is_cancelled (monitor))
      return false;
    if (report->gradient_norm <= p->tolerance * p->tolerance || report->energy == 0) {
      report->converged = true;
      break;
    }
    if (!get_step (m, n, r, j, lambda, matrix, right, step)) {
      lambda = fmax (10 * lambda, 1e-16 * largest);
      report->iterations++;
      continue;
    }
    report->iterations++;
    length = sqrt (get_squares (step, n));
    if (p->move != NULL)
      p->move (p->data, x, step, to);
    else
      for (guint k = 0; k < n; k++)
        to[k] = x[k] + step[k];
    evaluate (p, to, next, NULL);
    energy = get_squares (next, m);
    if (energy < report->energy || (energy == report->energy && length <= p->tolerance)) {
      const double gain = (report->energy - energy) / fmax (report->energy, 1e-300);

      memcpy (x, to, p->n_numbers * sizeof *x);
      evaluate (p, x, r, j);
      report->energy = energy;
      report->gradient_norm = get_gradient (p, r, j, right);
      lambda = fmax (lambda * (gain > 0.5 ? 0.1 : 0.5), least);
      grow = 2;
      report->converged = length <= p->tolerance;
    } else {
      /* Nothing to be gained any more but rounding. */
      if (length <= p->tolerance)
        report->converged = true;
      lambda = fmax (lambda, 1e-9 * largest) * grow;
      grow *= 2;
      if (!isfinite (lambda))
        break;
    }
  }
  if (residuals != NULL)
    memcpy (residuals, r, m * sizeof *residuals);
  return true;
}
