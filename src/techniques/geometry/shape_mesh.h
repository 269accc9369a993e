/* shape_mesh: meshes of simple shapes, to show them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_hull.h"
#include "kg-geometry.h"

G_BEGIN_DECLS

/* (transfer full) A box around the origin of unit sides, moved by a transform. */
KgGeometry *shape_mesh_new_box (KgTransform transform);
/* (transfer full) A sphere of so many segments, half as many rings. */
KgGeometry *shape_mesh_new_sphere (KgVector center, double radius, guint segments);
/* (transfer full) All that is within a radius of a segment: a sphere cut in two, with a tube between the halves. */
KgGeometry *shape_mesh_new_capsule (KgVector from, KgVector to, double radius, guint segments);
/* (transfer full) Each edge of the polygons once, as a line of two points. */
KgGeometry *shape_mesh_new_wire (const KgGeometry *mesh);

G_END_DECLS
