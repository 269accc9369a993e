/* equations: systems of ordinary differential equations, typed as formulas, and their integration.
 * Sources: Parent, Computer Animation, B.7.2 (Euler, midpoint, Runge-Kutta); Hairer, Lubich and Wanner, Geometric
 * Numerical Integration, I.1 (speed first, leapfrog); Hairer and Wanner, Solving Ordinary Differential Equations II, IV
 * (implicit Euler, trapezoid); GSL's odeiv2 for steps that are chosen by their error (Fehlberg; Dormand and Prince;
 * Bader and Deuflhard).
 *
 * Rows, one a line or separated by semicolons: "x' = v", or "x'' = -x - a*x'", which makes the pair x, x'.  Formulas know all
 * variables, their derivatives of second-order rows, t (seconds) and the numbers a to d.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-expression.h"
#include "kg-progress.h"

#define EQUATIONS_MAX 24 /* variables */
#define EQUATIONS_NUMBERS 4

typedef enum {
  EQUATIONS_EULER,
  EQUATIONS_SYMPLECTIC, /* speeds first, then places with the new speeds */
  EQUATIONS_LEAPFROG,   /* half a step of the speeds, the places, the other half */
  EQUATIONS_MIDPOINT,
  EQUATIONS_HEUN,
  EQUATIONS_RK4,
  EQUATIONS_IMPLICIT,  /* Euler with the rates at the end, by Newton's method */
  EQUATIONS_TRAPEZOID, /* the mean of the rates at both ends, by Newton's method */
  EQUATIONS_RKF45,     /* steps chosen by their error, as all below */
  EQUATIONS_RK8PD,
  EQUATIONS_BSIMP, /* for stiff equations */
  EQUATIONS_N_METHODS
} EquationsMethod;

typedef struct _Equations Equations;

/* Reads the rows.  KG_ERROR_EXPRESSION or KG_ERROR_INVALID_VALUE that begin with the row.  (transfer full) (nullable) */
Equations *equations_new (const char *rows, GError **error);
void equations_free (Equations *equations);

/* Variables in the order of the rows, then the first derivatives of those of second order. */
guint equations_get_n (const Equations *equations);
const char *equations_get_name (const Equations *equations, guint index);
/* Variables of second order; they come before all others. */
guint equations_get_n_second (const Equations *equations);

/* Reads rows such as "x = 1", separated by lines, semicolons or commas; values are formulas of a to d.  n values, 0 for
 * those that are not named; *missing: the name of one of these.  (nullable) */
bool equations_read_start (const Equations *equations, const char *rows, const double *numbers, double *values,
                           const char **missing, GError **error);

/* (transfer full) (nullable) A formula of the variables, t and a to d. */
KgProgram *equations_compile (const Equations *equations, const char *formula, GError **error);
/* Its results for these values. */
void equations_call (const Equations *equations, const KgProgram *program, const double *numbers, double t,
                     const double *values, double *results);

/* Rates of change of all variables. */
void equations_get_rates (const Equations *equations, const double *numbers, double t, const double *values,
                          double *rates);

/* Whether the method can solve them: the symplectic ones need rows of second order, or rows x' = v with a variable v. */
bool equations_check (const Equations *equations, EquationsMethod method, GError **error);

/* Moves the values from t to t + seconds in n equal steps; a method that chooses its steps begins with *step (0: seconds /
 * 16) and leaves the last in it.  *evaluations counts on.
 * KG_ERROR_DIVERGED: the name of the variable and the time; the values are then of no use. */
bool equations_integrate (const Equations *equations, EquationsMethod method, const double *numbers, double t,
                          double seconds, guint n, double tolerance, double *step, double *values, int64_t *evaluations,
                          const KgProgressMonitor *monitor, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Equations, equations_free)
