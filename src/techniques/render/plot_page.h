/* plot_page: series as a diagram with axes, numbers, labels and a legend.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"
#include "render/plot_series.h"

G_BEGIN_DECLS

typedef enum {
  PLOT_LEGEND_AUTO, /* where the least is hidden */
  PLOT_LEGEND_NONE,
  PLOT_LEGEND_TOP_RIGHT,
  PLOT_LEGEND_TOP_LEFT,
  PLOT_LEGEND_BOTTOM_RIGHT,
  PLOT_LEGEND_BOTTOM_LEFT,
  PLOT_LEGEND_BESIDE,
  PLOT_N_LEGENDS
} PlotLegend;

/* How a diagram looks; lengths in pixels, texts may be empty. */
typedef struct {
  int width, height;
  double font_size, line_width, point_size;
  const char *title, *label_x, *label_y;
  PlotLegend legend;
  double x_from, x_to, y_from, y_to; /* equal ends: as far as the data go */
  bool x_log, y_log;
  bool x_margin; /* leave room beside the data */
  bool equal;    /* a unit is as long on both axes */
  bool grid;
  bool points; /* discs also at points that are not marked */
  bool mark;   /* an upright line at mark_at */
  double mark_at;
  KgColor ink, background;
} PlotStyle;

/* series: PlotSeries.  warnings: GError, what has no place is added.  (transfer full) (nullable): NULL without an error when
 * monitor (nullable) says that it is cancelled. */
KgImage *plot_page_draw (const PlotStyle *style, GPtrArray *series, GPtrArray *warnings,
                         const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
