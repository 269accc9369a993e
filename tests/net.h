/* net: a mesh for tests of what goes over surfaces.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

/* A net of unit squares, n by m, in the x-y plane, at heights z (x, y), each cut along its (+1, +1) diagonal; the square
 * with its lower left corner at hole is left out.  (transfer full) */
static inline KgGeometry *
make_net (uint32_t n, uint32_t m, double (*z) (double, double), int hole)
{
  KgGeometry *geometry = kg_geometry_new ();
  float *p, *uv;

  kg_geometry_set_n_points (geometry, (size_t) (n + 1) * (m + 1), NULL);
  p = kg_geometry_edit_positions (geometry);
  uv = kg_geometry_edit_float (geometry, KG_POINTS, "uv", 2);
  for (uint32_t j = 0; j <= m; j++)
    for (uint32_t i = 0; i <= n; i++) {
      const size_t k = j * (n + 1) + i;

      p[3 * k] = (float) i;
      p[3 * k + 1] = (float) j;
      p[3 * k + 2] = z != NULL ? (float) z (i, j) : 0;
      uv[2 * k] = (float) i / (float) n;
      uv[2 * k + 1] = (float) j / (float) m;
    }
  for (uint32_t j = 0; j < m; j++)
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t k = j * (n + 1) + i;
      const uint32_t triangles[] = { k, k + 1, k + n + 2, k, k + n + 2, k + n + 1 };

      if ((int) k != hole)
        kg_geometry_add_primitives (geometry, KG_POLYGON, true, 2, 3, triangles);
    }
  return geometry;
}
