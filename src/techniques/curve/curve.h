/* curve: one curve in double precision, whatever its basis, with derivatives, arc length and frames.
 * All nodes of the family, and drawing, go through here.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve_basis.h"
#include "kg-progress.h"

typedef struct _Curve Curve;

/* Points along the curve that frames are carried over, for each segment. */
#define CURVE_FRAME_STEPS 32

/* Primitive index of the geometry as a curve.  Fails when there are fewer points than the basis needs (the
 * message says how many) or knots or weights do not fit.  (transfer full) (nullable) */
Curve *curve_new (const KgGeometry *geometry, size_t index, GError **error);
/* The same from control points in double precision.  (transfer full) (nullable) */
Curve *curve_new_from_control (const CurveControl *control, GError **error);
void curve_free (Curve *curve);

/* Polynomial pieces, and the Bezier form that each has: degree + 1 points of segment i; rational curves carry weights,
 * and their points are stored times their weights. */
guint curve_get_n_segments (const Curve *curve);
guint curve_get_degree (const Curve *curve);
/* The relative error of coordinates: that of doubles for a curve from a formula, else that of floats. */
double curve_get_rounding (const Curve *curve);
const KgVector *curve_get_bezier (const Curve *curve, guint segment);
const double *curve_get_bezier_weights (const Curve *curve, guint segment); /* (nullable) */
bool curve_is_closed (const Curve *curve);
/* (nullable) What was substituted when the curve was made. */
const char *curve_get_warning (const Curve *curve);
size_t curve_get_bytes (const Curve *curve);

/* order 0: the point; 1 and more: derivatives by the natural parameter u in 0..segments (clamped; closed: wrapped). */
KgVector curve_evaluate (const Curve *curve, double u, guint order);
/* The same at t of one segment, not clamped: the polynomial of the segment continues beyond 0..1.  At joints this distinguishes
 * the two sides apart. */
KgVector curve_evaluate_segment (const Curve *curve, guint segment, double t, guint order);
/* n values in one go, in parallel; the same bits as one by one. */
void curve_evaluate_many (const Curve *curve, const double *u, size_t n, guint order, KgVector *out);

/* The curve's own parameter: that of its knots (times, where it was fitted to times), or the natural one.  Widths of
 * segments are above 0. */
double curve_get_knot (const Curve *curve, guint joint);
double curve_own_to_natural (const Curve *curve, double own);
/* Derivative by the own parameter at t of a segment. */
KgVector curve_evaluate_own (const Curve *curve, guint segment, double t, guint order);

/* Makes the table that lengths are looked up in; after it, they are immediate.  For long curves: without it the first
 * question does that, and cannot be cancelled.  False when cancelled. monitor: (nullable) */
bool curve_prepare_lengths (const Curve *curve, const KgProgressMonitor *monitor);
/* Whole length in metres, adaptive Gauss-Legendre quadrature of |P'| to 1e-10 of the length. */
double curve_get_length (const Curve *curve);
/* Length from 0 to u. */
double curve_get_length_to (const Curve *curve, double u);
/* The u at a length from the start (clamped): safeguarded Newton on the table (Guenter and Parent 1990). */
double curve_get_parameter (const Curve *curve, double length);
/* The same, telling how many steps it took. */
double curve_search_parameter (const Curve *curve, double length, guint *n_iterations);
/* n of them, in parallel; the same bits as one by one. */
void curve_get_parameters (const Curve *curve, const double *lengths, size_t n, double *u);

/* Unit tangent; the direction of the chord near u where the speed is zero; (1, 0, 0) for a curve of no extent. */
KgVector curve_get_tangent (const Curve *curve, double u);
/* Frame at u: columns are tangent, normal and binormal, and the point.  Rotation-minimising from the start of the
 * curve (double reflection, Wang et al. 2008), where the normal is as near to up as the tangent permits; on a closed
 * curve the twist that is left over is spread evenly. */
KgTransform curve_get_frame (const Curve *curve, double u, KgVector up);
/* n of them, the same bits as one by one; where each u follows the one before, the curve is walked only once.  False when
 * cancelled.  monitor: (nullable) */
bool curve_get_frames (const Curve *curve, const double *u, size_t n, KgVector up, const KgProgressMonitor *monitor,
                       KgTransform *frames);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Curve, curve_free)
