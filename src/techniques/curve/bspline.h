/* bspline: knots and basis functions of B-splines, and control points from data.
 * Sources: de Boor, A Practical Guide to Splines; Parent, Computer Animation, 3.2.6 and B.4.12; Schoenberg and Whitney 1953.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

#define BSPLINE_MAX_ORDER 16

/* n + order knots: the first and last order times, between them one apart. */
void bspline_clamped_knots (guint n, guint order, double *knots);

/* The span [knots[i], knots[i + 1]) that holds t, the last one that is not empty at the end; order - 1 <= i < n. */
guint bspline_find_span (const double *knots, guint n, guint order, double t);
/* The order functions that are not zero on that span: out[k] belongs to control point span - order + 1 + k. */
void bspline_basis (const double *knots, guint order, guint span, double t, double *out);

typedef enum { BSPLINE_KNOTS_AVERAGED, BSPLINE_KNOTS_UNIFORM } BsplineKnots;

/* n + order clamped knots over times[0..count-1] for a fit with n control points: averaged so that every span has data
 * (de Boor), or evenly spread. */
void bspline_fit_knots (const double *times, guint count, guint n, guint order, BsplineKnots kind, double *knots);

/* Control points of the curve that is at points[i] at times[i]: exactly where n is count, else with the least sum of
 * squares.  times increase, so that the equations are a band as wide as the order: QR by rotations of Givens, row by row,
 * takes count order² steps and n order numbers of memory (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 27;
 * Dierckx, Curve and Surface Fitting with Splines, 1993, 4.1.2).  Fails where a span of the knots has no data to hold it, naming
 * it; false without an error when monitor (nullable) says that it is cancelled. */
bool bspline_fit (const KgVector *points, const double *times, guint count, const double *knots, guint n, guint order,
                  KgVector *control, const KgProgressMonitor *monitor, GError **error);

/* The value of the B-spline at t. */
KgVector bspline_evaluate (const KgVector *control, const double *knots, guint n, guint order, double t);
