/* bspline: Cox and de Boor's recurrence, and fits by QR of banded rows.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/bspline.h"

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

/* Rows between two checks for cancelling. */
#define ROWS_BETWEEN 4096

/* A triangle of n rows, as wide as the order of the curve: row i begins at column i.  Its right side is sums. */
typedef struct {
  guint order;
  double *rows;
  KgVector *sums;
} Band;

/* Turns one more equation, basis (order values from column first on, destroyed) times the unknowns = right, into the
 * triangle, by one rotation of Givens for each column. */
static void
add_equation (Band *band, guint first, double *basis, KgVector right)
{
  for (guint k = 0; k < band->order; k++) {
    double *row = band->rows + (size_t) (first + k) * band->order;
    KgVector *sum = &band->sums[first + k];
    const KgVector old = *sum;
    double length, c, s;

    if (basis[k] == 0)
      continue;
    length = hypot (row[0], basis[k]);
    c = row[0] / length;
    s = basis[k] / length;
    row[0] = length;
    for (guint m = 1; k + m < band->order; m++) {
      const double above = row[m];

      row[m] = c * above + s * basis[k + m];
      basis[k + m] = c * basis[k + m] - s * above;
    }
    *sum = kg_vector_add (kg_vector_scale (old, c), kg_vector_scale (right, s));
    right = kg_vector_subtract (kg_vector_scale (right, c), kg_vector_scale (old, s));
  }
}

/* The unknowns take the place of the right side. */
static void
solve_triangle (Band *band, guint n)
{
  for (guint i = n; i-- > 0;) {
    const double *row = band->rows + (size_t) i * band->order;
    KgVector sum = band->sums[i];

    for (guint m = 1; m < band->order && i + m < n; m++)
      sum = kg_vector_add_scaled (sum, -row[m], band->sums[i + m]);
    band->sums[i] = kg_vector (sum.x / row[0], sum.y / row[0], sum.z / row[0]);
  }
}

bool
bspline_fit (const KgVector *points, const double *times, guint count, const double *knots, guint n, guint order,
             KgVector *control, const KgProgressMonitor *monitor, GError **error)
{
  g_autofree double *rows = g_try_new0 (double, (size_t) n *order);
  Band band = { order, rows, control };
  double basis[BSPLINE_MAX_ORDER];

  if (rows == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "%u control points for %u points need too much memory: use fewer", n, count);
    return false;
  }
  if (!check_support (times, count, knots, n, order, error))
    return false;
  for (guint i = 0; i < n; i++)
    control[i] = kg_vector (0, 0, 0);
  for (guint i = 0; i < count; i++) {
    const guint span = bspline_find_span (knots, n, order, times[i]);

    if (i % ROWS_BETWEEN == 0 && kg_progress_is_cancelled (monitor))
      return false;
    bspline_basis (knots, order, span, times[i], basis);
    add_equation (&band, span - order + 1, basis, points[i]);
  }
  solve_triangle (&band, n);
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
