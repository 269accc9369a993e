/* variants: which of several geometries stands on each of some points.
 *
 * The attribute variant of a point, a whole number, counts them from 0 and around; where the points have none, lots are drawn: the
 * same for an id, or else for an index, whatever other points there are.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

/* n > 0 variants.  which: (out) of each point. */
void variants_choose (const KgGeometry *points, guint n, uint32_t *which);
/* The points that have this one, with their attributes.  (transfer full) */
KgGeometry *variants_take (const KgGeometry *points, const uint32_t *which, uint32_t variant);

G_END_DECLS
