/* adaptive_steps: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/adaptive_steps.h"

#include <glib.h>
#include <gsl/gsl_errno.h>
#include <string.h>

/* Steps that one call may take. */
#define MAX_STEPS 200000
/* What is so many times too slow for them, once it had some, is given up. */
#define MIN_STEPS 2000
#define FAR_BEHIND 100
/* Seconds to which an event is located. */
#define EVENT_WIDTH 1e-10

/* The event within a step that has been taken from before: halved by steps of part of it.  Leaves y just past it. */
static double
find_event (const AdaptiveSteps *steps, gsl_odeiv2_step *step, const gsl_odeiv2_system *system, double t, double length,
            const double *before, double *y)
{
  g_autofree double *error = g_new (double, steps->n), *part = g_new (double, steps->n);
  double low = 0, high = length;

  while (high - low > EVENT_WIDTH) {
    const double middle = 0.5 * (low + high);

    memcpy (part, before, steps->n * sizeof *part);
    gsl_odeiv2_step_reset (step);
    if (gsl_odeiv2_step_apply (step, t, middle, part, error, NULL, NULL, system) != GSL_SUCCESS)
      break;
    if (steps->event (part, steps->data) < 0) {
      high = middle;
      memcpy (y, part, steps->n * sizeof *y);
    } else
      low = middle;
  }
  return high;
}

/* Whether so many steps led to so small a share of the way that all of them would not lead to its end. */
static bool
is_hopeless (guint count, double share)
{
  return count >= MIN_STEPS && share * FAR_BEHIND * MAX_STEPS < count;
}

double
adaptive_steps_run (const AdaptiveSteps *steps, double seconds, double *y, bool *happened,
                    const KgProgressMonitor *monitor)
{
  gsl_odeiv2_system system = { steps->slope, NULL, steps->n, steps->data };
  gsl_odeiv2_step *step = gsl_odeiv2_step_alloc (steps->type, steps->n);
  gsl_odeiv2_control *control = gsl_odeiv2_control_y_new (steps->tolerance, steps->tolerance);
  gsl_odeiv2_evolve *evolve = gsl_odeiv2_evolve_alloc (steps->n);
  g_autofree double *before = g_new (double, steps->n);
  double t = 0, h = seconds / 16;
  int status = GSL_SUCCESS;
  guint count = 0;

  *happened = false;
  while (t < seconds && status == GSL_SUCCESS && !*happened && count++ < MAX_STEPS &&
         !is_hopeless (count, t / seconds) && !kg_progress_is_cancelled (monitor)) {
    const double start = t;

    memcpy (before, y, steps->n * sizeof *y);
    status = gsl_odeiv2_evolve_apply (evolve, control, step, &system, &t, seconds, &h, y);
    if (status == GSL_SUCCESS && steps->event != NULL && steps->event (before, steps->data) >= 0 &&
        steps->event (y, steps->data) < 0) {
      t = start + find_event (steps, step, &system, start, t - start, before, y);
      *happened = true;
    }
    if (status == GSL_SUCCESS && steps->correct != NULL && steps->correct (y, steps->data))
      gsl_odeiv2_evolve_reset (evolve); /* the rates that it keeps are no longer those of y */
  }
  gsl_odeiv2_evolve_free (evolve);
  gsl_odeiv2_control_free (control);
  gsl_odeiv2_step_free (step);
  return t;
}
