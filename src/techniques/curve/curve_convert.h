/* curve_convert: the same curve, said in another basis.
 * Sources: Farin, Curves and Surfaces for CAGD, 2002, chapters 5 to 8; Ramshaw, Blossoms Are Polar Forms, 1989.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"

G_BEGIN_DECLS

typedef enum {
  CURVE_TO_BEZIER,
  CURVE_TO_HERMITE,
  CURVE_TO_B_SPLINE,
  CURVE_TO_FOUR_POINT,
  CURVE_TO_UNIFORM_B_SPLINE,
  CURVE_N_TARGETS
} CurveTarget;

/* A B-spline has its first and last knot as often as it takes for the curve to begin and end in control points; the uniform
 * one has each joint once, and goes on beyond the ends with knots as far apart as the first and the last two are. */

/* Adds the curve to a geometry as a spline of another basis, which keeps its shape and own parameter.  degree: raises Bezier
 * pieces to at least this one.  Fails where the basis cannot say the curve exactly, and without an error when cancelled.
 * monitor: (nullable) */
bool curve_convert (const Curve *curve, CurveTarget to, guint degree, KgGeometry *geometry,
                    const KgProgressMonitor *monitor, GError **error);
/* The farthest distance (m) between places of equal own parameter; of those up to where it was cancelled.  monitor:
 * (nullable) */
double curve_convert_measure (const Curve *before, const Curve *after, const KgProgressMonitor *monitor);

G_END_DECLS
