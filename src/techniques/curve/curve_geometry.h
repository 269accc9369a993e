/* curve_geometry: splines and polylines in doubles put into geometries, and points taken from them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve_basis.h"
#include "kg-table.h"

/* Appends the control points and one spline over them: knots and weights as doubles, points and tangents as floats. */
bool curve_geometry_add (KgGeometry *out, const CurveControl *control, GError **error);
/* Appends n points and a polyline over them; *first: the index of the first point. */
bool curve_geometry_add_polyline (KgGeometry *out, const KgVector *points, size_t n, bool closed, size_t *first,
                                  GError **error);

/* The points of a geometry in order, or, where that is NULL or empty, the rows x, y, z of a table.  (transfer full) */
KgVector *curve_geometry_read_points (const KgGeometry *geometry, const KgTable *typed, guint *n);
