/* bspline: Cox and de Boor's recurrence, and fits by banded rows and QR.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/bspline.h"

#include <gsl/gsl_linalg.h>
#include <math.h>

void
bspline_clamped_knots (guint n, guint order, double *knots)
{
  for (guint i = 0; i < n + order; i++)
    knots[i] = kg_clamp ((double) i - order + 1, 0, (double) n - order + 1);
}

guint
bspline_find_span (const double *knots, guint n, guint order, double t)
{
  guint low = order - 1, high = n;

  if (t >= knots[n]) {
    while (high > order && !(knots[high - 1] < knots[n]))
      high--;
    return high - 1;
  }
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (knots[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void
bspline_basis (const double *knots, guint order, guint span, double t, double *out)
{
  out[0] = 1;
  for (guint k = 1; k < order; k++) {
    double saved = 0;

    for (guint r = 0; r < k; r++) {
      const double right = knots[span + r + 1], left = knots[span + 1 + r - k];
      const double part = right > left ? out[r] / (right - left) : 0;

      out[r] = saved + (right - t) * part;
      saved = (t - left) * part;
    }
    out[k] = saved;
  }
}

void
bspline_fit_knots (const double *times, guint count, guint n, guint order, BsplineKnots kind, double *knots)
{
  const double first = times[0], last = times[count - 1];
  const guint inner = n - order;

  for (guint i = 0; i < order; i++) {
    knots[i] = first;
    knots[n + i] = last;
  }
  for (guint j = 1; j <= inner; j++) {
    double *knot = &knots[order - 1 + j];

    if (kind == BSPLINE_KNOTS_UNIFORM)
      *knot = first + (last - first) * j / (inner + 1);
    else if (n == count) {
      /* The mean of order - 1 neighbouring times. */
      double sum = 0;

      for (guint k = 0; k + 1 < order; k++)
        sum += times[j + k];
      *knot = order > 2 ? sum / (order - 1) : times[j];
    } else {
      /* Between the data, so that every span has about as many. */
      const double at = (double) j * count / (inner + 1);
      const guint i = (guint) kg_clamp (floor (at), 1, count - 1.0);

      *knot = kg_lerp (times[i - 1], times[i], kg_clamp (at - i, 0, 1));
    }
  }
}

/* Schoenberg and Whitney: control point i needs a time of its own inside its support, in increasing order. */
static bool
check_support (const double *times, guint count, const double *knots, guint n, guint order, GError **error)
{
  guint next = 0;

  for (guint i = 0; i < n; i++) {
    const double low = knots[i], high = knots[i + order];

    while (next < count && !(times[next] > low || (i == 0 && times[next] >= low)))
      next++;
    if (next == count || !(times[next] < high || (i == n - 1 && times[next] <= high))) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          "between the knots %g and %g no time is left for control point %u: use fewer control points, or place the knots between the times",
          low, high, i);
      return false;
    }
    next++;
  }
  return true;
}

bool
bspline_fit (const KgVector *points, const double *times, guint count, const double *knots, guint n, guint order,
             KgVector *control, GError **error)
{
  g_autofree double *matrix = NULL, *tau = NULL, *vectors = NULL;
  gsl_matrix_view view;
  gsl_vector_view tau_view;
  double basis[BSPLINE_MAX_ORDER];

  if (!check_support (times, count, knots, n, order, error))
    return false;
  matrix = g_try_new0 (double, (size_t) count *n);
  tau = g_new (double, n);
  vectors = g_new (double, 3 * (size_t) count);
  if (matrix == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "%u control points for %u points need too much memory: use fewer", n, count);
    return false;
  }
  for (guint i = 0; i < count; i++) {
    const guint span = bspline_find_span (knots, n, order, times[i]);

    bspline_basis (knots, order, span, times[i], basis);
    for (guint k = 0; k < order; k++)
      matrix[(size_t) i * n + span - order + 1 + k] = basis[k];
  }
  view = gsl_matrix_view_array (matrix, count, n);
  tau_view = gsl_vector_view_array (tau, n);
  gsl_linalg_QR_decomp (&view.matrix, &tau_view.vector);
  for (guint c = 0; c < 3; c++) {
    gsl_vector_view right = gsl_vector_view_array (vectors, count);
    gsl_vector_view residual = gsl_vector_view_array (vectors + count, count);
    gsl_vector_view x = gsl_vector_view_array (vectors + 2 * (size_t) count, n);

    for (guint i = 0; i < count; i++)
      vectors[i] = kg_vector_get (points[i], c);
    gsl_linalg_QR_lssolve (&view.matrix, &tau_view.vector, &right.vector, &x.vector, &residual.vector);
    for (guint i = 0; i < n; i++)
      *kg_vector_component (&control[i], c) = gsl_vector_get (&x.vector, i);
  }
  return true;
}

KgVector
bspline_evaluate (const KgVector *control, const double *knots, guint n, guint order, double t)
{
  const guint span = bspline_find_span (knots, n, order, t);
  KgVector sum = { 0, 0, 0 };
  double basis[BSPLINE_MAX_ORDER];

  bspline_basis (knots, order, span, t, basis);
  for (guint k = 0; k < order; k++)
    sum = kg_vector_add_scaled (sum, basis[k], control[span - order + 1 + k]);
  return sum;
}
