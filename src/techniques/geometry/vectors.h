/* vectors: angles, parts and coordinates of vectors that keep their digits.
 *
 * Lengths are taken after scaling by the largest component where squares would overflow or vanish.  Angles come from the
 * cross and dot products together (Kahan 2006, section 12), so that neither those near 0 nor those near 180 degrees lose
 * digits, as the arc cosine of a rounded cosine does.
 * Sources: Parent, Computer Animation, B.2.2 to B.2.4; Kahan, How Futile are Mindless Assessments of Roundoff, 2006.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

/* The length of any finite vector: neither overflows before the result does, nor underflows. */
double vectors_get_length (KgVector a);
/* False, and *unit untouched, where a is zero. */
bool vectors_normalize (KgVector a, KgVector *unit);
/* The angle between a and b, 0 to pi; 0 where one of them is zero. */
double vectors_get_angle (KgVector a, KgVector b);
/* The angle that takes a to b about axis, in (-pi, pi]; what points along the axis is left out.  False where axis is zero,
 * or a or b points along it. */
bool vectors_get_signed_angle (KgVector a, KgVector b, KgVector axis, double *angle);
/* The part of a along b; the rest is perpendicular to b.  length: (out) (nullable) signed.  False where b is zero. */
bool vectors_project (KgVector a, KgVector b, KgVector *projection, double *length);
/* a · (b × c): the signed volume of the box they span. */
double vectors_get_triple (KgVector a, KgVector b, KgVector c);
/* The numbers c with a = c.x x + c.y y + c.z z, by Cramer's rule; the axes need not be perpendicular.  False where they lie
 * in one plane: where the volume they span is at most 1e-12 of the product of their lengths. */
bool vectors_get_components (KgVector a, KgVector x, KgVector y, KgVector z, KgVector *components);

G_END_DECLS
