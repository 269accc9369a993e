/* kg-plot: what rulers, grids and graphs of motions share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-motion.h"

#include <cairo.h>

G_BEGIN_DECLS

/* A round step that cuts a range into about so many parts: 1, 2 or 5 times a power of ten. */
double kg_plot_get_step (double range, double parts);

/* What a graph of a motion covers: seconds, or 0 to 1 of an ease; values.  Never empty. */
typedef struct {
  double from, to;
  double low, high;
} KgPlotRange;

/* With this many samples of each channel. */
KgPlotRange kg_plot_measure_motion (const KgMotion *motion, guint samples);
/* Lines of all components into a rectangle: red, green and blue for vectors, else one colour for each channel. */
void kg_plot_draw_motion (cairo_t *cr, const KgMotion *motion, const KgPlotRange *range, double x, double y,
                          double width, double height);

G_END_DECLS
