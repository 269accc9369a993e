/* closest_point: which point of a geometry is closest to a place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

/* The points of a geometry, sorted into the cells of a raster.  Read only once it is made. */
typedef struct _ClosestPoint ClosestPoint;

/* geometry: with one point at least; borrowed.  (transfer full) */
ClosestPoint *closest_point_new (const KgGeometry *geometry);
void closest_point_free (ClosestPoint *closest);
/* The number of the point closest to p (3 floats), the lowest of equally close ones; -1 where p is not finite. */
int64_t closest_point_find (const ClosestPoint *closest, const float *p);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ClosestPoint, closest_point_free)

G_END_DECLS
