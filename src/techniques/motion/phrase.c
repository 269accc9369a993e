/* phrase: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/phrase.h"

#include "curve/monotone_slope.h"
#include "curve/tridiagonal.h"

#include <string.h>

#define DEGREE 3
#define COMPOSED (DEGREE * DEGREE)
/* Knots on either side that a local slope looks at. */
#define WINDOW 4u

static double
get_chord (const double *x, const double *y, guint i)
{
  return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

/* Row i of the system that makes second derivatives meet. */
static void
set_row (const double *x, const double *y, guint n, const PhraseRule *rule, guint i, double *below, double *own,
         double *above, double *right)
{
  const double given = rule->slopes != NULL ? rule->slopes[i] : NAN;

  *below = *above = 0;
  if (!isnan (given) || (rule->ends == PHRASE_CLAMPED && (i == 0 || i + 1 == n))) {
    *own = 1;
    *right = !isnan (given) ? given : i == 0 ? rule->start : rule->end;
  } else if (i == 0 || i + 1 == n) {
    *own = 2;
    *(i == 0 ? above : below) = 1;
    *right = 3 * get_chord (x, y, i == 0 ? 0 : n - 2);
  } else {
    const double h = x[i] - x[i - 1], k = x[i + 1] - x[i];

    *own = 2 * (h + k);
    *below = k;
    *above = h;
    *right = 3 * (k * get_chord (x, y, i - 1) + h * get_chord (x, y, i));
  }
}

static void
find_open_slopes (const double *x, const double *y, guint n, const PhraseRule *rule, double *slopes)
{
  g_autofree double *work = g_new0 (double, 4 * (gsize) n);
  double *own = work, *above = own + n, *below = above + n, *right = below + n;
  double unused;

  for (guint i = 0; i < n; i++)
    set_row (x, y, n, rule, i, i > 0 ? &below[i - 1] : &unused, &own[i], &above[i], &right[i]);
  tridiagonal_solve (false, n, own, above, below, right, slopes);
}

/* The last knot is the first of the next round: one unknown less. */
static void
find_periodic_slopes (const double *x, const double *y, guint n, double *slopes)
{
  const guint m = n - 1;
  g_autofree double *work = g_new0 (double, 4 * (gsize) m);
  double *own = work, *above = own + m, *below = above + m, *right = below + m;

  for (guint i = 0; i < m; i++) {
    const guint before = (i + m - 1) % m;
    const double h = x[before + 1] - x[before], k = x[i + 1] - x[i];

    own[i] = 2 * (h + k);
    above[i] = h;
    /* The last entry is the corner of the matrix. */
    below[before] = k;
    right[i] = 3 * (k * get_chord (x, y, before) + h * get_chord (x, y, i));
  }
  if (m == 2) {
    /* Both neighbours of either knot are the other one. */
    const double b = above[0] + below[1], c = above[1] + below[0], det = own[0] * own[1] - b * c;

    slopes[0] = (right[0] * own[1] - b * right[1]) / det;
    slopes[1] = (own[0] * right[1] - c * right[0]) / det;
  } else
    tridiagonal_solve (true, m, own, above, below, right, slopes);
  slopes[m] = slopes[0];
}

/* Each slope from the spline through the knots around it, whose cut ends are natural. */
static void
find_local_slopes (const double *x, const double *y, guint n, const PhraseRule *rule, double *slopes)
{
  double x_near[2 * WINDOW + 1], y_near[2 * WINDOW + 1], given[2 * WINDOW + 1], found[2 * WINDOW + 1];
  const bool periodic = rule->ends == PHRASE_PERIODIC;
  const int m = (int) n - 1;

  for (int i = 0; i < (int) n; i++) {
    const int first = periodic ? i - (int) WINDOW : MAX (i - (int) WINDOW, 0);
    const int last = periodic ? i + (int) WINDOW : MIN (i + (int) WINDOW, m);
    PhraseRule near = { .ends = PHRASE_NATURAL, .slopes = given };

    for (int k = first; k <= last; k++) {
      const int round = k >= 0 ? k / m : -((m - 1 - k) / m), knot = periodic ? k - round * m : k;

      x_near[k - first] = x[knot] + (periodic ? round * (x[m] - x[0]) : 0);
      y_near[k - first] = y[knot] + (periodic ? round * (y[m] - y[0]) : 0);
      given[k - first] = rule->slopes != NULL && !periodic ? rule->slopes[knot] : NAN;
    }
    if (rule->ends == PHRASE_CLAMPED && first == 0 && isnan (given[0]))
      given[0] = rule->start;
    if (rule->ends == PHRASE_CLAMPED && last == m && isnan (given[last - first]))
      given[last - first] = rule->end;
    find_open_slopes (x_near, y_near, (guint) (last - first) + 1, &near, found);
    slopes[i] = found[i - first];
  }
}

void
phrase_find_slopes (const double *x, const double *y, guint n, const PhraseRule *rule, double *slopes)
{
  g_return_if_fail (n >= 2 && (rule->ends != PHRASE_PERIODIC || n >= 3));

  if (rule->local)
    find_local_slopes (x, y, n, rule, slopes);
  else if (rule->ends == PHRASE_PERIODIC)
    find_periodic_slopes (x, y, n, slopes);
  else
    find_open_slopes (x, y, n, rule, slopes);
}

void
phrase_find_monotone_slopes (const double *x, const double *y, guint n, double *slopes)
{
  for (guint i = 1; i + 1 < n; i++)
    slopes[i] = monotone_slope (get_chord (x, y, i - 1), get_chord (x, y, i), x[i] - x[i - 1], x[i + 1] - x[i]);
  for (guint end = 0; end < 2; end++) {
    const guint i = end == 0 ? 0 : n - 1;
    const double chord = get_chord (x, y, end == 0 ? 0 : n - 2);
    /* Of the parabola that has the neighbour's slope. */
    const double slope = n == 2 ? chord : 2 * chord - slopes[end == 0 ? 1 : n - 2];

    slopes[i] = slope * chord > 0 ? copysign (fmin (fabs (slope), 3 * fabs (chord)), chord) : 0;
  }
}

Pieces *
phrase_new_spline (const double *x, const double *y, guint n, const double *slopes)
{
  Pieces *pieces = pieces_new (DEGREE, n - 1);

  memcpy (pieces->breaks, x, n * sizeof *x);
  for (guint i = 0; i + 1 < n; i++) {
    const double h = x[i + 1] - x[i];

    pieces_set_cubic (pieces->c + i * (DEGREE + 1), y[i], y[i + 1], h * slopes[i], h * slopes[i + 1]);
  }
  return pieces;
}

gsize
phrase_find_retreat (const Pieces *timing, gsize from)
{
  for (gsize i = from; i < timing->n; i++) {
    double zeros[KG_CHANNEL_MAX_DEGREE];
    const double rise = fabs (pieces_evaluate_in (timing, i, 1, 0) - pieces_evaluate_in (timing, i, 0, 0));
    const double h = timing->breaks[i + 1] - timing->breaks[i];

    /* A derivative that is zero but for rounding only touches zero. */
    if (pieces_find_zeros (timing, i, 1, zeros) > 0 || pieces_evaluate_in (timing, i, 0.5, 1) < -1e-12 * rise / h)
      return i;
  }
  return timing->n;
}

/* Where piece i passes a break of the path, with both of its ends, in order. */
static void
find_cuts (const Pieces *timing, gsize i, gsize n_path, GArray *cuts)
{
  const double ends[2] = { 0, 1 };
  double turns[KG_CHANNEL_MAX_DEGREE + 2] = { 0, 1 };
  double low = INFINITY, high = -INFINITY;
  const guint n_turns = 2 + pieces_find_zeros (timing, i, 1, turns + 2);
  g_autoptr (Pieces) shifted = pieces_new (DEGREE, 1);

  for (guint k = 0; k < n_turns; k++) {
    const double phase = pieces_evaluate_in (timing, i, turns[k], 0);

    low = fmin (low, phase);
    high = fmax (high, phase);
  }
  g_array_set_size (cuts, 0);
  g_array_append_vals (cuts, ends, 2);
  memcpy (shifted->breaks, ends, sizeof ends);
  for (double phase = fmax (ceil (low), 1); phase <= fmin (floor (high), (double) n_path - 1); phase++) {
    double zeros[KG_CHANNEL_MAX_DEGREE];
    guint n;

    memcpy (shifted->c, timing->c + i * (DEGREE + 1), (DEGREE + 1) * sizeof (double));
    shifted->c[0] -= phase;
    n = pieces_find_zeros (shifted, 0, 0, zeros);
    for (guint k = 0; k < n; k++)
      if (zeros[k] > 1e-12 && zeros[k] < 1 - 1e-12)
        g_array_append_val (cuts, zeros[k]);
  }
  g_array_sort (cuts, kg_compare_doubles);
}

/* c (a + b u), for a cubic. */
static void
restrict_cubic (const double *c, double a, double b, double *restricted)
{
  restricted[0] = c[0] + a * (c[1] + a * (c[2] + a * c[3]));
  restricted[1] = b * (c[1] + a * (2 * c[2] + 3 * a * c[3]));
  restricted[2] = b * b * (c[2] + 3 * a * c[3]);
  restricted[3] = b * b * b * c[3];
}

/* outer (inner (u)), by Horner's rule on polynomials. */
static void
compose_cubics (const double *outer, const double *inner, double *c)
{
  double product[COMPOSED + 1];

  memset (c, 0, (COMPOSED + 1) * sizeof *c);
  for (guint k = DEGREE + 1; k-- > 0;) {
    memset (product, 0, sizeof product);
    for (guint i = 0; i + DEGREE <= COMPOSED; i++)
      for (guint j = 0; j <= DEGREE; j++)
        product[i + j] += c[i] * inner[j];
    product[0] += outer[k];
    memcpy (c, product, sizeof product);
  }
}

Pieces *
phrase_compose (const Pieces *path, const Pieces *timing)
{
  g_autoptr (GArray) breaks = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) c = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) cuts = g_array_new (FALSE, FALSE, sizeof (double));
  Pieces *pieces;

  for (gsize i = 0; i < timing->n; i++) {
    const double start = timing->breaks[i], h = timing->breaks[i + 1] - start;

    find_cuts (timing, i, path->n, cuts);
    for (guint k = 0; k + 1 < cuts->len; k++) {
      const double a = g_array_index (cuts, double, k), b = g_array_index (cuts, double, k + 1), at = start + a * h;
      const double phase = floor (pieces_evaluate_in (timing, i, 0.5 * (a + b), 0));
      const gsize piece = (gsize) kg_clamp (phase, 0, (double) path->n - 1);
      double inner[DEGREE + 1], composed[COMPOSED + 1];

      restrict_cubic (timing->c + i * (DEGREE + 1), a, b - a, inner);
      inner[0] -= (double) piece;
      compose_cubics (path->c + piece * (DEGREE + 1), inner, composed);
      g_array_append_val (breaks, at);
      g_array_append_vals (c, composed, COMPOSED + 1);
    }
  }
  g_array_append_val (breaks, timing->breaks[timing->n]);
  pieces = g_new0 (Pieces, 1);
  pieces->degree = COMPOSED;
  pieces->n = breaks->len - 1;
  pieces->breaks = (double *) g_array_free (g_steal_pointer (&breaks), FALSE);
  pieces->c = (double *) g_array_free (g_steal_pointer (&c), FALSE);
  return pieces;
}
