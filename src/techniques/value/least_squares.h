/* least_squares: nonlinear equations and least squares by damped Gauss-Newton steps.
 *
 * A step is (JᵀJ + λ I)⁻¹ Jᵀ r, or Jᵀ (J Jᵀ + λ I)⁻¹ r where there are fewer residuals than unknowns: for small λ the shortest
 * of all steps that would do, so that what nothing asks for stays where it is.
 * Sources: Levenberg 1944; Marquardt 1963; Nielsen 1999 (how λ follows the gain).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

#define LEAST_SQUARES_MAX 1500 /* the smaller of unknowns and residuals */

typedef struct {
  guint n_numbers;  /* that hold a state: n_unknowns, unless steps are taken by move */
  guint n_unknowns; /* of a step */
  guint n_residuals;
  /* jacobian: (nullable) n_residuals rows of n_unknowns, zero on entry. */
  void (*evaluate) (gconstpointer data, const double *x, double *residuals, double *jacobian);
  /* (nullable) to = x after the step; else the sum. */
  void (*move) (gconstpointer data, const double *x, const double *step, double *to);
  gconstpointer data;
  guint max_iterations;
  double tolerance; /* done when a step changes nothing by more, or the gradient is that small */
  double damping;   /* least λ as a share of the largest square in the jacobian; 0: as little as can be */
} LeastSquares;

typedef struct {
  double energy;        /* sum of the squares of residuals */
  double gradient_norm; /* of the energy */
  guint iterations;
  bool converged;
} LeastSquaresReport;

/* Improves x; residuals: (nullable) those at the end.  False when it is cancelled. */
bool least_squares_solve (const LeastSquares *problem, double *x, double *residuals, LeastSquaresReport *report,
                          const KgProgressMonitor *monitor);
/* Solves the symmetric positive definite system a x = b of n rows in place (a: its lower triangle is overwritten by Cholesky's
 * factor, b by x).  False where it is not positive definite. */
bool least_squares_cholesky (double *a, guint n, double *b);

G_END_DECLS
