/* line_convolution: the field that a straight segment has when each of its points spreads a kernel around itself.
 *
 * The kernel is Cauchy's, h(ρ) = 1 / (1 + σ²ρ²)², ρ being the distance relative to a reach, less what it is at ρ = 1, from where on it is
 * 0.  The weight of the points changes evenly along the segment.  Fields of segments add up: those of the two halves of a
 * segment are that of the whole.
 * Sources: McCormack and Sherstyn, Creating and Rendering Convolution Surfaces, 1998 (the closed form); Jin, Tai, Feng and
 * Peng, Convolution Surfaces for Line Skeletons with Polynomial Weight Distributions, 2001 (weights).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  double sharpness; /* σ > 0 */
  double reach;     /* metres, > 0 */
} LineKernel;

/* The field at p, in units of the reach; adds its derivatives to gradient, per metre.  The gradient is continuous everywhere. */
double line_convolution_get (const LineKernel *kernel, KgVector a, KgVector b, double weight_a, double weight_b,
                             KgVector p, KgVector *gradient);
/* The field of a line without ends and of weight 1 at a distance relative to the reach. */
double line_convolution_get_endless (double sharpness, double distance);

G_END_DECLS
