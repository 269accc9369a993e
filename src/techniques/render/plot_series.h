/* plot_series: what a plot draws, from motions and from the columns of tables.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-motion.h"
#include "kg-progress.h"

typedef struct {
  double x, y;
  bool begins; /* a new line begins here */
  bool marked; /* a disc is drawn here though the line has none: a key, a loose point */
} PlotPoint;

typedef struct {
  char *label;  /* NULL: not in the legend */
  bool colored; /* has a colour of its own */
  KgColor color;
  bool loose;     /* points that no line joins */
  GArray *points; /* PlotPoint */
} PlotSeries;

/* Which function of a motion's channels. */
typedef enum { PLOT_VALUE, PLOT_SLOPE, PLOT_AREA, PLOT_N_FUNCTIONS } PlotFunction;

/* (transfer full) (element-type PlotSeries) */
GPtrArray *plot_series_new (void);
/* Adds the components of all channels: n samples over the channel's range, and its keys, marked.  Steps are drawn
 * upright.  The area of a rotation is none, and is left out.  False when cancelled.  monitor: (nullable) */
bool plot_series_add_motion (GPtrArray *series, const KgMotion *motion, PlotFunction function, guint n,
                             const KgProgressMonitor *monitor);
/* Adds one series for each name in y (separated by blanks) for every line and for the points of no line, against x.
 * A name is that of a point attribute of numbers with a component (P.x, Cd.g, v.2), of one with a single component, or
 * index.  Lines have the colour of their primitive attribute Cd and the label of their text attribute name; loose points
 * have the colour Cd of the first.  When cancelled, false without an error.  monitor: (nullable) */
bool plot_series_add_table (GPtrArray *series, const KgGeometry *table, const char *x, const char *y,
                            const KgProgressMonitor *monitor, GError **error);
