/* adaptive_steps: the integration of equations of motion in steps that are chosen by their error, up to a time or an event.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"

#include <gsl/gsl_odeiv2.h>

typedef struct {
  size_t n;
  int (*slope) (double t, const double *y, double *slope, void *data); /* GSL_SUCCESS, or why not */
  /* (nullable) Called after each step, to put right what drifts; whether it changed anything. */
  bool (*correct) (double *y, void *data);
  /* (nullable) The event is where this passes from 0 or more to less. */
  double (*event) (const double *y, void *data);
  void *data;
  const gsl_odeiv2_step_type *type;
  double tolerance; /* of all y, and per unit of them */
} AdaptiveSteps;

/* Moves y on by so many seconds, or to the event, which *happened then says.  Returns the time that was reached: less without
 * an event when a step failed, too many were taken or would be, or monitor (nullable) says that the result is no longer wanted. */
double adaptive_steps_run (const AdaptiveSteps *steps, double seconds, double *y, bool *happened,
                           const KgProgressMonitor *monitor);
