/* plot_axis: one axis of a plot: from numbers to places, and which numbers are written at it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
  double low, high;  /* numbers at the ends; low < high */
  bool logarithmic;  /* low > 0 */
  double start, end; /* places of the ends, in pixels */
} PlotAxis;

typedef struct {
  double value;
  bool major; /* has a number and a grid line; others are short marks */
} PlotTick;

/* Widens an axis over data from low to high so that it has an extent: a single number is put in the middle.  With
 * margin, some room is left on both sides. */
void plot_axis_fit (PlotAxis *axis, double low, double high, bool margin);
/* False where a number has no place: not positive on a logarithmic axis.  Others are limited to what cairo's fixed
 * point can hold. */
bool plot_axis_place (const PlotAxis *axis, double value, double *place);
/* (transfer full) (element-type PlotTick) At most about n with numbers: steps of 1, 2 or 5 times a power of ten (Heckbert,
 * Nice Numbers for Graph Labels, 1990); on a logarithmic axis decades, and their 2 to 9 between. */
GArray *plot_axis_make_ticks (const PlotAxis *axis, guint n);
/* (transfer full) Pango markup for the number of a tick, with enough digits to differ from its neighbours. */
char *plot_axis_format (const PlotAxis *axis, const GArray *ticks, double value);
