/* times: times of runs, and their report as a line: name, seconds (median of the runs).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdlib.h>
#include <time.h>

/* With KG_BENCH_CPU set, seconds of the processors: for machines that do other work, too. */
static inline double
now (void)
{
  struct timespec spent;

  if (g_getenv ("KG_BENCH_CPU") == NULL)
    return 1e-6 * (double) g_get_monotonic_time ();
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &spent);
  return (double) spent.tv_sec + 1e-9 * (double) spent.tv_nsec;
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
