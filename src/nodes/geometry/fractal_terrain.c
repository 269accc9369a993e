/* geometry/fractal_terrain: mountains by recursive midpoint displacement.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "nature/fractal_terrain.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  int64_t levels;
  double height;
  double H;
  int64_t seed;
  KgVector up;
  bool keep_border;
  double sea;
  KgGeometry *terrain;
} FractalTerrainNode;

static bool
fractal_terrain_evaluate (FractalTerrainNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const FractalTerrain rule = { .levels = (uint32_t) n->levels,
                                .height = n->height,
                                .H = n->H,
                                .seed = (uint64_t) n->seed,
                                .up = n->up,
                                .keep_border = n->keep_border,
                                .sea = n->sea };

  n->terrain = fractal_terrain_new (n->geometry, &rule, &monitor, error);
  return n->terrain != NULL;
}

static const KgSlot fractal_terrain_slots[] = {
  KG_INPUT (FractalTerrainNode, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("A mesh, such as a square of two triangles. Other polygons are cut into triangles; lines stay "
                        "as they are.")),
  KG_INPUT (FractalTerrainNode, levels, INTEGER, .label = N_ ("Levels"), .def = 6, .min = 0,
            .max = FRACTAL_TERRAIN_MOST_LEVELS, .soft_max = 8,
            .help = N_ ("Number of divisions: each makes four triangles of one. 0 leaves the geometry as it is.")),
  KG_INPUT (FractalTerrainNode, height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .def = 0.3, .min = 0,
            .max = 1e6, .soft_max = 2,
            .help = N_ ("Standard deviation of the displacement in the middle of an edge of one metre.")),
  KG_INPUT (FractalTerrainNode, H, NUMBER, .label = N_ ("Hurst exponent"), .def = 0.8, .min = 0, .max = 1,
            .help = N_ ("1 is smooth, 0 as rough as can be. The fractal dimension of the surface is "
                        "3 - H.")),
  KG_INPUT (FractalTerrainNode, seed, INTEGER, .label = N_ ("Seed"), .def = 1, .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different terrain.")),
  KG_INPUT (FractalTerrainNode, up, VECTOR, .label = N_ ("Up"), .def_v = { 0, 1, 0 },
            .help = N_ ("Direction in which points are displaced. Its length does not matter.")),
  KG_INPUT (FractalTerrainNode, keep_border, BOOLEAN, .label = N_ ("Keep the border"),
            .help = N_ ("Leaves edges that have one triangle only where they are.")),
  KG_INPUT (FractalTerrainNode, sea, NUMBER, .label = N_ ("Sea level"), .unit = KG_METRES, .def = -1e9, .min = -1e9,
            .max = 1e9, .soft_min = -10, .soft_max = 10,
            .help = N_ ("Height along Up of the water: what is lower is flat.")),
  KG_OUTPUT (FractalTerrainNode, terrain, GEOMETRY, .label = N_ ("Terrain"),
             .help = N_ ("The terrain as triangles. Attributes of points are averaged in between, a midpoint is in a "
                         "group if both of its neighbours are, and triangles have the attributes of their polygon.")),
};

KG_NODE (
    geometry, fractal_terrain, FractalTerrainNode, .label = N_ ("Fractal Terrain"), .version = 1, .since = "0.1",
    .tags = N_ ("mountains landscape hills fractal island relief midpoint displacement subdivide rock rough nature"),
    .formula = "σ = height · (e / 2ᵏ)ᴴ at level k = 0, 1, …",
    .source = "Fournier, Fussell and Carpenter, Computer rendering of stochastic models, 1982; Wyvill, The Animation "
              "Jungle, 1988",
    .help = N_ (
        "Makes mountains of a few triangles: divides each into four, again and again, and displaces the midpoint of each edge by a random distance that shrinks with the length of the edge e. Neighbours share their midpoints, so there are no cracks, and the same seed always gives the same mountains."));
