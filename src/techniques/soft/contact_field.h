/* contact_field: bodies that scalar fields stand for, pressed against each other.
 *
 * With g = F − level, a body gives way to another by adding G to its field.  Inside the other (g_j >= 0) G = −g_j, so that the
 * two surfaces meet where g_i = g_j, without gap or overlap.  Outside, at a distance d along the gradient, it is the bulge
 *
 *   h(d) = c d³ + e d² + k d,  c = 4 (w k − 4 a)/w³, e = 4 (3 a − w k)/w²,   d <= w/2
 *   h(d) = 4 a/w³ (d − w)² (4 d − w),                                        w/2 <= d <= w
 *
 * with the slope k = |∇F_j| on the border, so that it goes on smoothly from −g_j, a at the top, and nothing from w on.  w is at
 * most 6 a/k: then h stays below a, and a body begins to bulge from nothing at the first touch.  h is never above −g_j, and the
 * sum for several bodies never above the least of theirs: no place is inside of two bodies.
 * Source: Gascuel, An Implicit Formulation for Precise Contact Modeling between Flexible Solids, 1993.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"

G_BEGIN_DECLS

/* h at a distance d >= 0 from the border.  slope k > 0, width w and top a >= 0. */
double contact_bulge (double d, double slope, double width, double top);

/* A body that others press on, with the level, seeds and bounds of its own field; the very field where there are no others.
 * tops: the height of the bulge around each.  All are scalar fields.  (transfer full) (nullable) */
KgField *contact_field_new (const KgField *own, const KgField *const *others, const double *tops, guint n, double width,
                            GError **error);

/* g_a − g_b, whose level 0 is where two bodies touch.  (transfer full) (nullable) */
KgField *contact_field_new_border (const KgField *a, const KgField *b, GError **error);

/* The colour of the body whose g is the largest.  colors: fields of width 3, one for each of n bodies; n >= 1.  (transfer full)
 * (nullable) */
KgField *contact_field_new_colors (const KgField *const *bodies, const KgField *const *colors, guint n, GError **error);

G_END_DECLS
