/* surface_cubes: the cubes of a lattice that the surface of a field passes through.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/polygonize.h"

G_BEGIN_DECLS

typedef struct {
  int32_t x, y, z; /* of its lowest corner */
  guint8 hot;      /* bit i: corner i = x + 2y + 4z is inside */
  float values[8]; /* of the field at its corners */
} SurfaceCube;

/* The mixed cubes in the order of z, y, x.  Sets n_missed and n_samples of the result.  (element-type
 * SurfaceCube) (transfer full) (nullable) */
GArray *surface_cubes_find (const KgField *field, const PolygonizeOptions *options, const KgProgressMonitor *monitor,
                            PolygonizeResult *result, GError **error);

/* The place of a corner of the lattice. */
static inline KgVector
surface_cubes_get_corner (const PolygonizeOptions *options, int32_t x, int32_t y, int32_t z)
{
  return kg_vector (options->origin.x + options->cell * x, options->origin.y + options->cell * y,
                    options->origin.z + options->cell * z);
}

G_END_DECLS
