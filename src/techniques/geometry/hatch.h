/* hatch: polygons filled with parallel lines, by the even-odd rule.
 * Source: Parent, Computer Animation, 1.4 (early raster fills by closely spaced vectors); scan conversion in general.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

/* Most lines, and most crossings of lines with edges. */
#define HATCH_MAX_LINES 100000
#define HATCH_MAX_CROSSINGS 4000000

/* Adds the segments of all polygons and closed polylines of a geometry, seen along z, as polylines to lines, which is empty.  All
 * outlines count together, so that one inside another is a hole.  spacing: m, more than 0; angle: radians, of the lines; offset: in
 * spacings.  *length: of all segments; *open: outlines that are not closed, which are left out. */
bool hatch_fill (const KgGeometry *geometry, double spacing, double angle, double offset, KgGeometry *lines,
                 double *length, size_t *open, const KgProgressMonitor *monitor, GError **error);
