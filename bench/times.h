/* times: times of runs, and their report as a line: name, seconds (median of the runs).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdlib.h>

static inline double
now (void)
{
  return 1e-6 * (double) g_get_monotonic_time ();
}

static inline int
times_compare (const void *a, const void *b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

/* Sorts the times. */
static inline void
report_median (const char *name, double *seconds, size_t n)
{
  qsort (seconds, n, sizeof *seconds, times_compare);
  g_print ("%s\t%.9f\n", name, seconds[n / 2]);
}
