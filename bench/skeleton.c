/* bench/skeleton: steps of skeleton dynamics; prints one line for each figure: name, seconds a step (median of the runs).
 * Not a test: nothing here passes or fails.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/skeleton_solver.h"

#define RUNS 9

static const double points[][2] = {
  { 0.02, 1.80 },  { 0.11, 1.58 }, { 0.00, 1.45 }, { 0.00, 0.95 }, { -0.10, 1.18 }, { -0.06, 0.93 },
  { -0.03, 0.77 }, { 0.12, 1.19 }, { 0.22, 0.96 }, { 0.28, 0.81 }, { -0.02, 0.50 }, { -0.10, 0.08 },
  { 0.10, 0.00 },  { 0.12, 0.52 }, { 0.08, 0.09 }, { 0.28, 0.01 },
};
static const uint32_t rods[][2] = { { 0, 1 },   { 1, 2 },  { 2, 0 },   { 2, 3 },  { 2, 4 },  { 4, 5 },
                                    { 5, 6 },   { 2, 7 },  { 7, 8 },   { 8, 9 },  { 3, 10 }, { 10, 11 },
                                    { 11, 12 }, { 3, 13 }, { 13, 14 }, { 14, 15 } };
static const SkeletonHinge hinges[] = { { 3, 2, 0, -40, 40 },   { 2, 4, 5, -5, 150 },    { 2, 7, 8, -5, 150 },
                                        { 2, 3, 10, -30, 120 }, { 2, 3, 13, -30, 120 },  { 3, 10, 11, -140, 0 },
                                        { 3, 13, 14, -140, 0 }, { 10, 11, 12, 50, 120 }, { 13, 14, 15, 50, 120 } };

static int
compare (const void *a, const void *b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

static void
add_rod (SkeletonFigure *figure, const KgVector *places, uint32_t a, uint32_t b)
{
  const double length = kg_vector_distance (places[a], places[b]);
  const SkeletonRod rod = { a, b, length, length };

  g_array_append_val (figure->rods, rod);
}

/* Falls on a floor and stays in motion there: a lively one. */
static void
run (const char *name, SkeletonFigure *figure, const KgVector *places, size_t n, bool plane, guint steps)
{
  const SkeletonSettings settings = {
    .max_sweeps = 7, .length_tolerance = 1e-3, .angle_tolerance = 1e-3, .relax = 1, .plane = plane, .restitution = 1
  };
  const SkeletonWall floor = { { 0, 1, 0 }, 0 };
  const double dt = 0.005;
  double seconds[RUNS];

  for (int k = 0; k < RUNS; k++) {
    g_autoptr (SkeletonSolver) solver = skeleton_solver_new (n, figure, &settings);
    const SkeletonPoints state = skeleton_solver_get_points (solver);
    guint events = 0;
    gint64 start;

    skeleton_solver_set_walls (solver, &floor, 1);
    memcpy (state.places, places, n * sizeof *places);
    start = g_get_monotonic_time ();
    for (guint i = 0; i < steps; i++) {
      for (size_t p = 0; p < n; p++)
        state.momenta[p].y -= dt * 9.81;
      skeleton_solver_step (solver, dt, &events, NULL);
    }
    seconds[k] = (double) (g_get_monotonic_time () - start) * 1e-6 / steps;
  }
  qsort (seconds, RUNS, sizeof *seconds, compare);
  g_print ("%s\t%.9f\n", name, seconds[RUNS / 2]);
}

static void
run_figures (const char *name, size_t count, bool plane, guint steps)
{
  g_autofree KgVector *places = g_new (KgVector, 16 * count);
  g_auto (SkeletonFigure)
      figure = { g_array_new (FALSE, FALSE, sizeof (SkeletonRod)), g_array_new (FALSE, FALSE, sizeof (SkeletonHinge)) };

  for (size_t f = 0; f < count; f++) {
    const uint32_t first = (uint32_t) (16 * f);

    for (size_t i = 0; i < 16; i++)
      places[first + i] = kg_vector (points[i][0] + 2.0 * (double) f, points[i][1] + 0.5 + 0.01 * (double) f, 0);
    for (size_t k = 0; k < G_N_ELEMENTS (rods); k++)
      add_rod (&figure, places, first + rods[k][0], first + rods[k][1]);
    for (size_t k = 0; k < G_N_ELEMENTS (hinges); k++) {
      SkeletonHinge hinge = hinges[k];

      hinge.a += first;
      hinge.b += first;
      hinge.c += first;
      hinge.low *= KG_DEGREE;
      hinge.high *= KG_DEGREE;
      if (!plane && hinge.low < 0) {
        const double low = hinge.low;

        hinge.low = hinge.high < 0 ? -hinge.high : 0;
        hinge.high = fmax (-low, hinge.high);
      }
      g_array_append_val (figure.hinges, hinge);
    }
  }
  run (name, &figure, places, 16 * count, plane, steps);
}

/* A square cloth that falls, and hangs on to nothing. */
static void
run_cloth (const char *name, uint32_t side, guint steps)
{
  g_autofree KgVector *places = g_new (KgVector, (size_t) side * side);
  g_auto (SkeletonFigure)
      figure = { g_array_new (FALSE, FALSE, sizeof (SkeletonRod)), g_array_new (FALSE, FALSE, sizeof (SkeletonHinge)) };

  for (uint32_t i = 0; i < side * side; i++)
    places[i] = kg_vector (0.02 * (i % side), 0.1 + 0.004 * (i % side), 0.02 * (i / side));
  for (uint32_t i = 0; i < side * side; i++) {
    if (i % side + 1 < side)
      add_rod (&figure, places, i, i + 1);
    if (i / side + 1 < side)
      add_rod (&figure, places, i, i + side);
  }
  run (name, &figure, places, (size_t) side * side, false, steps);
}

int
main (void)
{
  run_figures ("skeleton-figure", 1, true, 20000);
  run_figures ("skeleton-figure-3d", 1, false, 20000);
  run_figures ("skeleton-figures-100", 100, true, 200);
  run_cloth ("skeleton-cloth-10000", 100, 100);
  return 0;
}
