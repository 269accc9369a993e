/* curve: one curve of a geometry in double precision, whatever its basis, with derivatives, arc length and frames.
 * All nodes of the family, and drawing, go through here.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

typedef struct _Curve Curve;

/* Points along the curve that frames are carried over, for each segment. */
#define CURVE_FRAME_STEPS 32

/* Primitive index of the geometry as a curve.  Fails when there are fewer points than the basis needs (the
 * message says how many) or a knot vector does not fit.  (transfer full) (nullable) */
Curve *curve_new (const KgGeometry *geometry, size_t index, GError **error);
void curve_free (Curve *curve);

/* Polynomial pieces. */
guint curve_get_n_segments (const Curve *curve);
bool curve_is_closed (const Curve *curve);

/* order 0: the point; 1 to 3: derivatives by the natural parameter u in 0..segments (clamped; closed: wrapped). */
KgVector curve_evaluate (const Curve *curve, double u, guint order);

/* Whole length in metres, adaptive Gauss-Legendre quadrature of |P'| to 1e-9 of the length. */
double curve_get_length (const Curve *curve);
/* Length from 0 to u. */
double curve_get_length_to (const Curve *curve, double u);
/* The u at a length from the start (clamped): safeguarded Newton on the table (Guenter and Parent 1990). */
double curve_get_parameter (const Curve *curve, double length);

/* Unit tangent; the direction of the chord near u where the speed is zero; (1, 0, 0) for a curve of no extent. */
KgVector curve_get_tangent (const Curve *curve, double u);
/* Frame at u: columns are tangent, normal and binormal, and the point.  Rotation-minimising from the start of the
 * curve (double reflection, Wang et al. 2008), where the normal is as near to up as the tangent permits; on a closed
 * curve the twist that is left over is spread evenly. */
KgTransform curve_get_frame (const Curve *curve, double u, KgVector up);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Curve, curve_free)
