/* roto: closed shapes as mattes, with feather.
 * Source: coverage is the exact area of the polygon in each pixel (Catmull 1978, as accumulated by Levien, font-rs, 2016).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-progress.h"

#include <glib.h>

G_BEGIN_DECLS

/* A corner in pixels, y down.  feather: how far the edge is soft there, outwards or, negative, inwards. */
typedef struct {
  double x, y, feather;
} RotoPoint;

/* Takes the larger of matte and the shape, whose last point is joined to its first.  Parts that overlap themselves are filled.
 * Along an edge the feather changes evenly.  smooth: the ramp begins and ends without a bend.  False when monitor (nullable) says
 * that it is cancelled. */
bool roto_add_shape (const RotoPoint *points, guint n, bool smooth, float *matte, int width, int height,
                     const KgProgressMonitor *monitor);

/* A smooth closed curve through points (Catmull and Rom 1974), as so many lines each that none is longer than a few pixels.
 * (transfer full): RotoPoint */
GArray *roto_smooth (const RotoPoint *points, guint n);

/* From a point to the handles before and after it, in pixels, y down; NAN: as the smooth curve has it. */
typedef struct {
  double in_x, in_y, out_x, out_y;
} RotoTangents;

/* The same with tangents of one's own: pieces of Bezier curves between these handles. */
GArray *roto_bend (const RotoPoint *points, const RotoTangents *tangents, guint n);
/* Point i's tangents as the curve has them. */
RotoTangents roto_get_tangents (const RotoPoint *points, const RotoTangents *tangents, guint n, guint i);

G_END_DECLS
