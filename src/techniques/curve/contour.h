/* contour: where a function of x and y is zero, as lines.
 * Sources: Lorensen and Cline 1987 in the plane (marching squares).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

typedef double (*ContourFunction) (gpointer data, double x, double y);

/* One line of points. */
typedef struct {
  GArray *points; /* KgVector */
  bool closed;
} ContourLine;

/* Lines of f = 0 in the box on a grid of columns * rows cells; cells with a value that is not finite are left out.  polish:
 * points are moved onto the zero by Newton steps along the gradient.  (transfer full): ContourLine *, freed with the
 * array; (nullable) when cancelled.  monitor: (nullable) */
GPtrArray *contour_find (ContourFunction f, gpointer data, double low_x, double low_y, double high_x, double high_y,
                         guint columns, guint rows, bool polish, const KgProgressMonitor *monitor);
