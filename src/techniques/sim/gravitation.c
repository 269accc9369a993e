/* gravitation: bodies that attract each other.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/gravitation.h"

#include "geometry/mass_tree.h"

#include <string.h>

/* Adds the pull of a mass at a place; false: it is at the place itself. */
static bool
add_pull (const Gravitation *g, KgVector from, KgVector to, double mass, KgVector *pull, double *potential)
{
  const KgVector d = kg_vector_subtract (to, from);
  const double r2 = kg_vector_dot (d, d) + g->softening * g->softening, r = sqrt (r2);

  if (!(r2 > 0))
    return false;
  *pull = kg_vector_add_scaled (*pull, g->constant * mass / (r2 * r), d);
  *potential -= g->constant * mass / r;
  return true;
}

/* From the bodies and the cells that are far enough away. */
static KgVector
get_pull (const Gravitation *g, const MassTree *tree, size_t n, const double *masses, const KgVector *places, size_t i,
          double *potential, size_t *meetings)
{
  KgVector pull = { 0, 0, 0 };

  *potential = 0;
  if (!(g->opening > 0)) {
    for (size_t k = 0; k < n; k++)
      if (k != i && !add_pull (g, places[i], places[k], masses[k], &pull, potential))
        (*meetings)++;
    return pull;
  }
  for (guint c = 0; c < tree->cells->len;) {
    const MassCell *cell = mass_tree_get_cell (tree, c);

    if (mass_cell_is_far (cell, kg_vector_distance (cell->center, places[i]), g->opening)) {
      add_pull (g, places[i], cell->center, cell->mass, &pull, potential);
      c = cell->skip;
      continue;
    }
    for (uint32_t k = cell->first; k < cell->end && cell->leaf; k++)
      if (tree->order[k] != i &&
          !add_pull (g, places[i], places[tree->order[k]], masses[tree->order[k]], &pull, potential))
        (*meetings)++;
    c++;
  }
  return pull;
}

static bool
get_pulls (const Gravitation *g, size_t n, const double *masses, const KgVector *places, KgVector *pull,
           double *potential, size_t *meetings, const KgProgressMonitor *monitor)
{
  g_auto (MassTree) tree = { NULL };
  size_t total = 0;

  if (n == 0)
    return true;
  if (g->opening > 0)
    mass_tree_init (&tree, n, masses, places);
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : total) if (n > 200)
  for (size_t i = 0; i < n; i++) {
    double energy = 0;
    KgVector a = { 0, 0, 0 };

    /* A single one of millions of bodies takes milliseconds. */
    if (!kg_progress_is_cancelled (monitor))
      a = get_pull (g, &tree, n, masses, places, i, &energy, &total);
    if (pull != NULL)
      pull[i] = a;
    if (potential != NULL)
      potential[i] = energy;
  }
  if (meetings != NULL)
    *meetings = total;
  return !kg_progress_is_cancelled (monitor);
}

bool
gravitation_get_pull (const Gravitation *gravitation, size_t n, const double *masses, const KgVector *places,
                      KgVector *pull, size_t *meetings, const KgProgressMonitor *monitor)
{
  return get_pulls (gravitation, n, masses, places, pull, NULL, meetings, monitor);
}

/* A step that is a sixth of a revolution around another body, or that passes it; not one that ends where a body turns round. */
static bool
is_rough (double change, KgVector before, KgVector after, double h)
{
  return change * fabs (h) > fmax (kg_vector_length (before), kg_vector_length (after));
}

static bool
step_runge_kutta (const Gravitation *g, size_t n, const double *masses, double h, KgVector *places,
                  KgVector *velocities, GravitationReport *report, const KgProgressMonitor *monitor)
{
  static const double shares[] = { 0, 0.5, 0.5, 1 }, weights[] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
  g_autofree KgVector *there = g_new (KgVector, n), *rate = g_new0 (KgVector, n), *pull = g_new0 (KgVector, n);
  g_autofree KgVector *way = g_new0 (KgVector, n), *change = g_new0 (KgVector, n), *first = g_new (KgVector, n);
  g_autofree double *most = g_new0 (double, n);

  for (guint stage = 0; stage < 4; stage++) {
    for (size_t i = 0; i < n; i++) {
      there[i] = kg_vector_add_scaled (places[i], shares[stage] * h, rate[i]);
      rate[i] = kg_vector_add_scaled (velocities[i], shares[stage] * h, pull[i]);
    }
    if (!gravitation_get_pull (g, n, masses, there, pull, &report->meetings, monitor))
      return false;
    if (stage == 0)
      memcpy (first, pull, n * sizeof *first);
    for (size_t i = 0; i < n; i++) {
      way[i] = kg_vector_add_scaled (way[i], weights[stage] * h, rate[i]);
      change[i] = kg_vector_add_scaled (change[i], weights[stage] * h, pull[i]);
      most[i] = fmax (most[i], kg_vector_distance (first[i], pull[i]));
    }
  }
  for (size_t i = 0; i < n; i++) {
    const KgVector before = velocities[i];

    places[i] = kg_vector_add (places[i], way[i]);
    velocities[i] = kg_vector_add (before, change[i]);
    report->rough += is_rough (most[i], before, velocities[i], h);
  }
  return true;
}

bool
gravitation_step (const Gravitation *gravitation, GravitationMethod method, size_t n, const double *masses, double h,
                  guint steps, KgVector *places, KgVector *velocities, GravitationReport *report,
                  const KgProgressMonitor *monitor)
{
  g_autofree KgVector *pull = g_new (KgVector, MAX (n, 1)), *before = g_new (KgVector, MAX (n, 1));
  GravitationReport unasked = { 0, 0 };

  if (report == NULL)
    report = &unasked;
  if (method == GRAVITATION_LEAPFROG &&
      !gravitation_get_pull (gravitation, n, masses, places, pull, &report->meetings, monitor))
    return false;
  for (guint k = 0; k < steps; k++) {
    if (method == GRAVITATION_RK4) {
      if (!step_runge_kutta (gravitation, n, masses, h, places, velocities, report, monitor))
        return false;
      continue;
    }
    for (size_t i = 0; i < n; i++) {
      velocities[i] = kg_vector_add_scaled (velocities[i], 0.5 * h, pull[i]);
      places[i] = kg_vector_add_scaled (places[i], h, velocities[i]);
    }
    memcpy (before, pull, n * sizeof *before);
    if (!gravitation_get_pull (gravitation, n, masses, places, pull, &report->meetings, monitor))
      return false;
    for (size_t i = 0; i < n; i++) {
      const KgVector velocity = kg_vector_add_scaled (velocities[i], -0.5 * h, before[i]);

      velocities[i] = kg_vector_add_scaled (velocities[i], 0.5 * h, pull[i]);
      report->rough += is_rough (kg_vector_distance (before[i], pull[i]), velocity, velocities[i], h);
    }
  }
  return true;
}

bool
gravitation_get_energy (const Gravitation *gravitation, size_t n, const double *masses, const KgVector *places,
                        const KgVector *velocities, double *kinetic, double *potential, KgVector *momentum,
                        const KgProgressMonitor *monitor)
{
  const Gravitation all = { gravitation->constant, gravitation->softening,
                            n > 4096 ? fmax (gravitation->opening, 0.3) : 0 };
  g_autofree double *energies = g_new (double, MAX (n, 1));

  *kinetic = *potential = 0;
  *momentum = kg_vector (0, 0, 0);
  if (!get_pulls (&all, n, masses, places, NULL, energies, NULL, monitor))
    return false;
  for (size_t i = 0; i < n; i++) {
    *kinetic += 0.5 * masses[i] * kg_vector_dot (velocities[i], velocities[i]);
    *potential += 0.5 * masses[i] * energies[i];
    *momentum = kg_vector_add_scaled (*momentum, masses[i], velocities[i]);
  }
  return true;
}
