/* point_cloud: the points of a geometry in double, and hulls of them as geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_hull.h"
#include "kg-geometry.h"

G_BEGIN_DECLS

/* All points, or those of a group (name not empty: points whose integer attribute of that name is not 0).  sources: (out)
 * (nullable) their indices, NULL when all are taken.  NULL and *error: no memory, or no such group.  (transfer full) */
KgVector *point_cloud_get_points (const KgGeometry *geometry, const char *group, size_t *n, uint32_t **sources,
                                  GError **error);

/* A closed mesh of the faces; a flat hull is one polygon and, seen from behind, another one over the same corners; a line a
 * polyline.  Point attribute source: which point it is.  sources: (nullable) what hull->source is an index of. */
KgGeometry *point_cloud_make_hull (const ConvexHull *hull, const uint32_t *sources, GError **error);

G_END_DECLS
