/* kg-geometry-polygons: the polygons of a geometry many at a time, for kernels.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

/* The arrays behind the primitives [from, to): polygon i has the corners vertices[first[i]] up to, and without,
 * vertices[first[i + 1]]; the smallest has least of them and the largest most.  False if some are not polygons, or there are none.
 * They live as long as the geometry is not edited. */
bool kg_geometry_get_polygons (const KgGeometry *geometry, size_t from, size_t to, const uint32_t **vertices,
                               const uint32_t **first, uint32_t *least, uint32_t *most);

G_END_DECLS
