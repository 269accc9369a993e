/* surface_cubes: the cubes of a lattice that the surface of a field passes through.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/cube_loops.h"
#include "soft/surface_search.h"

G_BEGIN_DECLS

typedef struct {
  int32_t x, y, z; /* of its lowest corner */
  guint8 hot;      /* bit i: corner i = x + 2y + 4z is inside */
  float values[8]; /* of the field at its corners */
} SurfaceCube;

/* The mixed cubes in the order of z, y, x.  Sets n_missed and n_samples of the result.  memo: (nullable).  (element-type SurfaceCube) (transfer full) (nullable) */
GArray *surface_cubes_find (const SurfaceSampling *sampling, SurfaceMemo *memo, PolygonizeResult *result,
                            GError **error);

/* Whether a face of a cube has corners on both sides, so that the surface goes on in the cube behind it. */
static inline bool
surface_cubes_leaves_through (guint8 hot, guint face)
{
  guint n_hot = 0;

  for (guint i = 0; i < 4; i++)
    n_hot += hot >> cube_faces[face][i] & 1;
  return n_hot > 0 && n_hot < 4;
}

/* The cube behind a face. */
static inline LatticePlace
surface_cubes_get_neighbour (LatticePlace at, guint face)
{
  const int32_t step = face % 2 == 0 ? -1 : 1;

  return (LatticePlace){ at.x + (face / 2 == 0 ? step : 0), at.y + (face / 2 == 1 ? step : 0),
                         at.z + (face / 2 == 2 ? step : 0) };
}

/* The place of a corner of the lattice. */
static inline KgVector
surface_cubes_get_corner (const PolygonizeOptions *options, int32_t x, int32_t y, int32_t z)
{
  return kg_vector (options->origin.x + options->cell * x, options->origin.y + options->cell * y,
                    options->origin.z + options->cell * z);
}

G_END_DECLS
