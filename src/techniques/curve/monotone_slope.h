/* monotone_slope: the slope with which a piecewise cubic passes a point without overshooting.
 * Source: Fritsch and Butland 1984, A Method for Constructing Local Monotone Piecewise Cubic Interpolants.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

/* before and after: slopes of the chords to the neighbours, which are h before and k after the point.  Their weighted
 * harmonic mean: 0 at an extreme, never steep enough to overshoot. */
static inline double
monotone_slope (double before, double after, double h, double k)
{
  return before * after > 0 ? 3 * (h + k) / ((2 * k + h) / before + (k + 2 * h) / after) : 0;
}
