/* body_moments: volume, first and second moments of the body that a scalar field stands for.
 *
 * Flat polygons between points of the surface cut off a little of every convex part: 2.9 per cent of a ball that is 16 cells wide.
 * Here what lies between each triangle and the surface is added: its height along the normal of the triangle, at the six points
 * of the rule of degree 4 (Strang and Fix 1973; Dunavant 1985), is where the field has its level.  What neighbours then count
 * twice or not at all is of the sixth order in the size of an edge, so that the error is of the fourth order in the cell.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/mass_properties.h"
#include "kg-field.h"
#include "soft/polygonize.h"

G_BEGIN_DECLS

/* Of the body where the field is at least options->level, in the box and with the cells of options; options->exact and
 * triangles are taken as true.  moments: in m³ and powers of metres; mesh: (out) (transfer full) (nullable to ask for) the
 * triangles.  False and *error: as polygonize(). */
bool body_moments_measure (const KgField *field, const PolygonizeOptions *options, const KgProgressMonitor *monitor,
                           Moments *moments, KgGeometry **mesh, GError **error);

G_END_DECLS
