/* moving_points: curves between key curves where some points have paths of their own, and patches in between them.
 * Source: Reeves 1981, Inbetweening for Computer Animation Utilizing Moving Point Constraints; Coons 1967 (patches).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-motion.h"
#include "morph/inbetween.h"

G_BEGIN_DECLS

typedef struct _MovingPoints MovingPoints;

/* Keys and their times, which rise; both are borrowed.  (transfer full) */
MovingPoints *moving_points_new (const InbetweenKey *keys, const double *times, guint n_keys);
void moving_points_free (MovingPoints *moving);

/* A point that moves over n keys from first on, of which it is at the shares u.  path: (transfer full) (nullable) which way;
 * straight without one.  pace: (nullable) its share of the way over its share of the time, borrowed.  A path that misses a
 * key fails, or, with snap, is bent to go through, with a warning to show.  warning: (out) (transfer full) */
bool moving_points_add (MovingPoints *moving, guint first, const double *u, guint n, Curve *path, const KgMotion *pace,
                        bool snap, GError **warning, GError **error);
guint moving_points_get_n (const MovingPoints *moving);

/* The following is for the time between a key and the next.  Fails when points cross. */
bool moving_points_set_key (MovingPoints *moving, guint key, GError **error);

/* The curve at tau 0..1 between the keys, with so many samples a patch.  (transfer full) (nullable) */
KgGeometry *moving_points_draw (const MovingPoints *moving, InbetweenBlend blend, size_t samples, double tau,
                                GError **error);
/* The sides of the patches: the points that move between the keys, and the ends of the curves. */
guint moving_points_get_n_sides (const MovingPoints *moving);
KgVector moving_points_get_side (const MovingPoints *moving, guint side, double tau);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (MovingPoints, moving_points_free)

G_END_DECLS
