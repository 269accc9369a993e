/* sqp: least of a function under equations, by sequential quadratic programming.
 *
 * A step solves [H Jᵀ; J 0] [d; λ] = [-∇R; -C], H the second derivatives of R + λ·C; a line search on the merit function
 * R + µ |C|₁ keeps it from cycling.  The projected form, as printed in the textbook, takes the step of the function alone and
 * then the shortest one back to the equations; it meets them, but finds the least only where H is a multiple of the identity.
 * Sources: Witkin and Kass, Spacetime Constraints, 1988; Parent, Computer Animation, 4.5.4; Nocedal and Wright 2006, 18.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "value/matrix.h"

G_BEGIN_DECLS

#define SQP_MAX 2000 /* unknowns and equations together */

typedef struct {
  guint n, m; /* unknowns, equations */
  /* Any of the last four may be NULL; those that are not are zero on entry.  hessian (n × n): of the function + λ·C;
   * jacobian: m rows of n. */
  void (*evaluate) (gconstpointer data, const double *s, const double *lambda, double *function, double *c,
                    double *gradient, double *hessian, double *jacobian);
  gconstpointer data;
} Sqp;

/* Writes the step (n) and improves lambda (m); projected: the printed form.  KG_ERROR_DEGENERATE where the equations depend on
 * each other and contradict. */
bool sqp_get_step (const Sqp *sqp, const double *s, bool projected, double *lambda, double *step,
                   const KgProgressMonitor *monitor, GError **error);

typedef struct {
  double function, residual; /* largest |C| */
  guint iterations;
  bool converged;
} SqpReport;

/* Improves s and lambda.  False without an error when it is cancelled. */
bool sqp_solve (const Sqp *sqp, double *s, double *lambda, guint max_iterations, double tolerance, SqpReport *report,
                const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
