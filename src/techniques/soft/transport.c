/* transport: masses at some places carried to others at the least cost.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/transport.h"

#include <math.h>

/* Masses below this part of the whole are rounding. */
#define NOTHING 1e-12

/* Nodes 0 .. n − 1 are sources, those after them destinations. */
typedef struct {
  const double *costs;
  size_t n, m;
  double *flows, *left, *wanted; /* left: at sources; wanted: at destinations */
  double *potential, *distance;
  size_t *before;
  bool *done;
} Flow;

/* The cost of going on from node v to w, INFINITY where that cannot be. */
static double
get_step (const Flow *f, size_t v, size_t w)
{
  if (v < f->n && w >= f->n)
    return f->costs[v * f->m + w - f->n];
  if (v >= f->n && w < f->n && f->flows[w * f->m + v - f->n] > 0)
    return -f->costs[w * f->m + v - f->n];
  return (double) INFINITY;
}

/* Dijkstra from all sources that have something left.  Returns the nearest destination that wants something, or none (n + m). */
static size_t
find_way (Flow *f)
{
  const size_t all = f->n + f->m;
  size_t end = all;

  for (size_t v = 0; v < all; v++) {
    f->distance[v] = v < f->n && f->left[v] > NOTHING ? 0 : (double) INFINITY;
    f->before[v] = all;
    f->done[v] = false;
  }
  for (;;) {
    size_t v = all;

    for (size_t w = 0; w < all; w++)
      if (!f->done[w] && isfinite (f->distance[w]) && (v == all || f->distance[w] < f->distance[v]))
        v = w;
    if (v == all)
      break;
    f->done[v] = true;
    if (v >= f->n && f->wanted[v - f->n] > NOTHING && (end == all || f->distance[v] < f->distance[end]))
      end = v;
    for (size_t w = v < f->n ? f->n : 0; w < (v < f->n ? all : f->n); w++) {
      const double step = get_step (f, v, w);
      /* Reduced costs are not negative, but for rounding. */
      const double to = f->distance[v] + MAX (step + f->potential[v] - f->potential[w], 0);

      if (!f->done[w] && isfinite (step) && to < f->distance[w]) {
        f->distance[w] = to;
        f->before[w] = v;
      }
    }
  }
  return end;
}

/* Sends as much as fits along the way to a destination. */
static void
send (Flow *f, size_t end)
{
  const size_t all = f->n + f->m;
  double most = f->wanted[end - f->n];
  size_t start = end;

  for (size_t w = end; f->before[w] != all; w = f->before[w]) {
    const size_t v = f->before[w];

    if (v >= f->n)
      most = MIN (most, f->flows[w * f->m + v - f->n]);
    start = v;
  }
  most = MIN (most, f->left[start]);
  for (size_t w = end; f->before[w] != all; w = f->before[w]) {
    const size_t v = f->before[w];

    if (v < f->n)
      f->flows[v * f->m + w - f->n] += most;
    else {
      double *flow = &f->flows[w * f->m + v - f->n];

      *flow = *flow - most > NOTHING ? *flow - most : 0;
    }
  }
  f->left[start] -= most;
  f->wanted[end - f->n] -= most;
}

bool
transport_solve (const double *costs, const double *sources, size_t n, const double *destinations, size_t m,
                 double *flows, const KgProgressMonitor *monitor)
{
  const size_t all = n + m;
  g_autofree double *numbers = g_new0 (double, 3 * MAX (all, 1));
  g_autofree size_t *before = g_new (size_t, MAX (all, 1));
  g_autofree bool *done = g_new (bool, MAX (all, 1));
  Flow f = { costs, n, m, flows, numbers, numbers + n, numbers + all, numbers + 2 * all, before, done };

  memset (flows, 0, n * m * sizeof *flows);
  memcpy (f.left, sources, n * sizeof *sources);
  memcpy (f.wanted, destinations, m * sizeof *destinations);
  for (size_t end; (end = find_way (&f)) < all;) {
    if (kg_progress_is_cancelled (monitor))
      return false;
    for (size_t v = 0; v < all; v++)
      f.potential[v] += MIN (f.distance[v], f.distance[end]);
    send (&f, end);
  }
  return true;
}
