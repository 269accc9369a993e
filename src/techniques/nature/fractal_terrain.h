/* fractal_terrain: mountains by recursive midpoint displacement.
 *
 * Each triangle is divided into four at the midpoints of its edges, and each midpoint moves along up by a random distance.  That is
 * normally distributed; its standard deviation is height (e / 2^k)^H at level k, where e is the length of the original edge
 * that the divided one is a part of, or parallel to: lengths are those at rest, as if no point had moved.  Triangles with a common
 * edge share its midpoint, and the random number is a hash of the seed, the two ends of the edge and the level: no cracks
 * appear, also where two faces have points of their own at the same positions, as along a seam of texture.
 *
 * Source: Fournier, Fussell and Carpenter, Computer rendering of stochastic models, Communications of the ACM 25, 1982.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

#define FRACTAL_TERRAIN_MOST_LEVELS 10
/* Of the result: enough for any landscape, small enough to be refused before memory is. */
#define FRACTAL_TERRAIN_MOST_POINTS 3000000

typedef struct {
  uint32_t levels; /* 0 to FRACTAL_TERRAIN_MOST_LEVELS; 0 returns the geometry itself */
  double height;   /* metres: standard deviation at the midpoint of an edge of one metre */
  double H;        /* 0 to 1; the fractal dimension of the surface is 3 - H */
  uint64_t seed;
  KgVector up;      /* of any length but 0 */
  bool keep_border; /* midpoints of edges with one triangle only do not move */
  double sea;       /* metres along up: what is lower is raised to it */
} FractalTerrain;

/* Polygons with more corners are cut into triangles first.  The original points come first, in their order, then those of each level.
 * The triangles come before primitives that are no faces, which stay as they are; four by four they are parts of one.
 * Attributes of primitives are those of the original.  Midpoints have the mean of the numbers at the ends (turns are
 * normalized; N, if there, is computed anew), the smaller whole number, so that they are in a group if both ends are, and the
 * text of both ends if it is the same.  NULL and *error: no face, up without direction, too many points.  NULL without an
 * error: cancelled.  (transfer full) */
KgGeometry *fractal_terrain_new (const KgGeometry *geometry, const FractalTerrain *rule,
                                 const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
