/* flock_ground: the surface that a herd walks on.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

typedef struct {
  TriangleMesh *mesh;
  bool nearest; /* the nearest place of the surface; else the one straight below, or above */
} FlockGround;

/* NULL and *error: no polygons, or too many; NULL without: cancelled.  (transfer full) */
FlockGround *flock_ground_new (const KgGeometry *geometry, bool nearest, const KgProgressMonitor *monitor,
                               GError **error);
void flock_ground_free (FlockGround *ground);
/* The place on it that belongs to x, and its normal (unit, up where it is looked for below).  False: there is none. */
bool flock_ground_find (const FlockGround *ground, KgVector x, KgVector *place, KgVector *normal);
/* Share of the speed that is left uphill: 1 - slope / max_slope, 0.1 at least; radians. */
double flock_ground_get_speed (KgVector heading, KgVector normal, double max_slope);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FlockGround, flock_ground_free)

G_END_DECLS
