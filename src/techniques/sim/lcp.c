/* lcp: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/lcp.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* Added to the diagonal, of its mean: decides between the solutions of redundant rows. */
#define RIDGE 1e-10
/* Rounds in which bounds of friction follow what they depend on. */
#define FRICTION_ROUNDS 20
#define FRICTION_TOLERANCE 1e-9

/* Where an unknown is. */
typedef enum { WAITING, FREE, AT_LOW, AT_HIGH } Place;

typedef struct {
  const LcpProblem *problem;
  double *x, *w;
  Place *place;
  size_t n_free;
  size_t *free;    /* in the order of the rows of lower */
  double *lower;   /* Cholesky factor of A over the free unknowns, n a row */
  double *dx, *dw; /* changes as one unknown is driven */
  size_t pivots;
  const KgProgressMonitor *monitor;
} Pivoting;

static double
get (const Pivoting *p, size_t i, size_t j)
{
  return p->problem->a[i * p->problem->n + j];
}

/* Row k of the factor, from those above it. */
static bool
factorize_row (Pivoting *p, size_t k)
{
  const size_t n = p->problem->n;
  double *row = p->lower + k * n;

  for (size_t j = 0; j <= k; j++) {
    const double *above = p->lower + j * n;
    double sum = get (p, p->free[k], p->free[j]);

    for (size_t i = 0; i < j; i++)
      sum -= row[i] * above[i];
    if (j < k)
      row[j] = sum / above[j];
    else if (sum > 1e-15 * get (p, p->free[k], p->free[k]))
      row[j] = sqrt (sum);
    else
      return false;
  }
  return true;
}

static bool
add_free (Pivoting *p, size_t i)
{
  p->place[i] = FREE;
  p->free[p->n_free] = i;
  if (!factorize_row (p, p->n_free)) {
    p->place[i] = AT_LOW;
    return false;
  }
  p->n_free++;
  return true;
}

static bool
remove_free (Pivoting *p, size_t i, Place place)
{
  size_t k = 0;

  while (p->free[k] != i)
    k++;
  memmove (p->free + k, p->free + k + 1, (p->n_free - k - 1) * sizeof *p->free);
  p->n_free--;
  p->place[i] = place;
  for (; k < p->n_free; k++)
    if (!factorize_row (p, k))
      return false;
  return true;
}

/* How the free unknowns follow when unknown d goes by one: A_FF dx_F = -A_Fd; and what that does to every w. */
static void
find_changes (Pivoting *p, size_t d, double direction)
{
  const size_t n = p->problem->n;
  double *y = p->dw;

  for (size_t k = 0; k < p->n_free; k++) {
    double sum = -direction * get (p, p->free[k], d);

    for (size_t i = 0; i < k; i++)
      sum -= p->lower[k * n + i] * y[i];
    y[k] = sum / p->lower[k * n + k];
  }
  for (size_t k = p->n_free; k-- > 0;) {
    double sum = y[k];

    for (size_t i = k + 1; i < p->n_free; i++)
      sum -= p->lower[i * n + k] * y[i];
    y[k] = sum / p->lower[k * n + k];
  }
  memset (p->dx, 0, n * sizeof *p->dx);
  for (size_t k = 0; k < p->n_free; k++)
    p->dx[p->free[k]] = y[k];
  p->dx[d] = direction;
  for (size_t i = 0; i < n; i++) {
    double sum = direction * get (p, i, d);

    if (p->place[i] == FREE) {
      p->dw[i] = 0;
      continue;
    }
    for (size_t k = 0; k < p->n_free; k++)
      sum += get (p, i, p->free[k]) * p->dx[p->free[k]];
    p->dw[i] = sum;
  }
  for (size_t k = 0; k < p->n_free; k++)
    p->dw[p->free[k]] = 0;
}

typedef struct {
  double step;
  size_t index;
  Place place; /* where it goes */
} Stop;

static void
consider (Stop *stop, double step, size_t index, Place place)
{
  if (step < stop->step) {
    stop->step = fmax (step, 0);
    stop->index = index;
    stop->place = place;
  }
}

/* What stops the unknown d first. */
static Stop
find_stop (const Pivoting *p, size_t d, double direction)
{
  const LcpProblem *problem = p->problem;
  Stop stop = { INFINITY, d, FREE };

  if (p->dw[d] * direction > 0)
    consider (&stop, -p->w[d] / p->dw[d], d, FREE);
  if (direction > 0)
    consider (&stop, problem->high[d] - p->x[d], d, AT_HIGH);
  else
    consider (&stop, p->x[d] - problem->low[d], d, AT_LOW);
  for (size_t i = 0; i < problem->n; i++) {
    if (i == d)
      continue;
    if (p->place[i] == FREE && p->dx[i] < 0)
      consider (&stop, (problem->low[i] - p->x[i]) / p->dx[i], i, AT_LOW);
    else if (p->place[i] == FREE && p->dx[i] > 0)
      consider (&stop, (problem->high[i] - p->x[i]) / p->dx[i], i, AT_HIGH);
    else if (p->place[i] == AT_LOW && p->dw[i] < 0 && problem->low[i] < problem->high[i])
      consider (&stop, -p->w[i] / p->dw[i], i, FREE);
    else if (p->place[i] == AT_HIGH && p->dw[i] > 0 && problem->low[i] < problem->high[i])
      consider (&stop, -p->w[i] / p->dw[i], i, FREE);
  }
  return stop;
}

static bool
holds (const Pivoting *p, size_t d)
{
  const LcpProblem *problem = p->problem;

  return p->w[d] == 0 || (p->w[d] > 0 && p->x[d] <= problem->low[d]) || (p->w[d] < 0 && p->x[d] >= problem->high[d]);
}

static LcpResult
drive (Pivoting *p, size_t d)
{
  const LcpProblem *problem = p->problem;

  while (!holds (p, d)) {
    const double direction = p->w[d] < 0 ? 1 : -1;
    Stop stop;

    if (++p->pivots > 100 * problem->n + 100)
      return LCP_GIVEN_UP;
    if (p->pivots % 16 == 0 && kg_progress_is_cancelled (p->monitor))
      return LCP_CANCELLED;
    find_changes (p, d, direction);
    stop = find_stop (p, d, direction);
    if (isinf (stop.step))
      return LCP_NONE;
    for (size_t i = 0; i < problem->n; i++) {
      p->x[i] += stop.step * p->dx[i];
      p->w[i] += stop.step * p->dw[i];
    }
    if (stop.place != FREE) {
      p->x[stop.index] = stop.place == AT_LOW ? problem->low[stop.index] : problem->high[stop.index];
      if (stop.index == d) {
        p->place[d] = stop.place;
        return LCP_SOLVED;
      }
      if (!remove_free (p, stop.index, stop.place))
        return LCP_GIVEN_UP;
    } else {
      p->w[stop.index] = 0;
      if (!add_free (p, stop.index))
        return LCP_GIVEN_UP;
      if (stop.index == d)
        return LCP_SOLVED;
    }
  }
  if (p->place[d] == WAITING)
    p->place[d] = p->x[d] <= problem->low[d] ? AT_LOW : p->x[d] >= problem->high[d] ? AT_HIGH : FREE;
  if (p->place[d] == FREE && !add_free (p, d))
    return LCP_GIVEN_UP;
  return LCP_SOLVED;
}

/* From nothing, with the bounds as they are. */
static LcpResult
solve_bounded (Pivoting *p)
{
  const LcpProblem *problem = p->problem;

  p->n_free = 0;
  memset (p->x, 0, problem->n * sizeof *p->x);
  memcpy (p->w, problem->b, problem->n * sizeof *p->w);
  for (size_t i = 0; i < problem->n; i++)
    p->place[i] = WAITING;
  for (size_t i = 0; i < problem->n; i++) {
    LcpResult result;

    if (problem->of != NULL && problem->of[i] >= 0 && problem->high[i] < 0) {
      /* First time: what bounds it has just been found. */
      problem->high[i] = problem->factor[i] * fmax (p->x[problem->of[i]], 0);
      problem->low[i] = -problem->high[i];
    }
    result = drive (p, i);
    if (result != LCP_SOLVED)
      return result;
  }
  return LCP_SOLVED;
}

LcpResult
lcp_solve (LcpProblem *problem, double *x, size_t *pivots, const KgProgressMonitor *monitor)
{
  const size_t n = problem->n;
  g_autofree double *numbers = g_new (double, MAX (n * (n + 3), 1));
  g_autofree size_t *free = g_new (size_t, MAX (n, 1));
  g_autofree Place *place = g_new (Place, MAX (n, 1));
  Pivoting p = { .problem = problem,
                 .x = x,
                 .w = numbers,
                 .dx = numbers + n,
                 .dw = numbers + 2 * n,
                 .lower = numbers + 3 * n,
                 .place = place,
                 .free = free,
                 .monitor = monitor };
  LcpResult result = LCP_SOLVED;
  double trace = 0;
  bool friction = false;

  for (size_t i = 0; i < n; i++) {
    trace += problem->a[i * n + i];
    friction |= problem->of != NULL && problem->of[i] >= 0;
    if (problem->of != NULL && problem->of[i] >= 0)
      problem->high[i] = -1;
  }
  for (size_t i = 0; i < n; i++)
    problem->a[i * n + i] += RIDGE * trace / (double) n;
  for (int round = 0; round < (friction ? FRICTION_ROUNDS : 1); round++) {
    double change = 0, most = 0;

    result = solve_bounded (&p);
    if (result != LCP_SOLVED)
      break;
    for (size_t i = 0; i < n && friction; i++)
      if (problem->of[i] >= 0) {
        const double bound = problem->factor[i] * fmax (x[problem->of[i]], 0);

        change = fmax (change, fabs (bound - problem->high[i]));
        most = fmax (most, bound);
        problem->high[i] = bound;
        problem->low[i] = -bound;
      }
    if (change <= FRICTION_TOLERANCE * most)
      break;
  }
  *pivots = p.pivots;
  return result;
}
