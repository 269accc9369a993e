/* rod_equations: the exact motion of point masses that stiff rods join.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "sim/skeleton_figure.h"

/* Most rods: where they hold each other the work grows with their third power. */
#define ROD_EQUATIONS_MAX 500

typedef enum { ROD_RK8PD, ROD_RKF45, ROD_N_METHODS } RodMethod;

typedef struct {
  size_t n_points, n_rods;
  const SkeletonRod *rods; /* their length is longest */
  const double *masses;
  const uint8_t *held; /* not 0: does not move */
  KgVector gravity;
  RodMethod method;
  double tolerance; /* of places and speeds, per step */
  double assemble;  /* seconds in which rods that are too long or short pull themselves together; 0: they do not */
} RodEquations;

/* Moves on by so many seconds.  tensions (nullable): newtons in each rod at the end, positive where it pulls.
 * monitor (nullable): asked whether the result is still wanted; false, like an equation that cannot be followed, when it is
 * not.  redundant is set when rods hold each other so that how they share the load is undetermined: the smallest is taken. */
bool rod_equations_integrate (const RodEquations *equations, KgVector *places, KgVector *speeds, double seconds,
                              double *tensions, bool *redundant, const KgProgressMonitor *monitor, GError **error);
