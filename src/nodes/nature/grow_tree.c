/* nature/grow_tree: plants that grow by rules of their tips.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_geometry.h"
#include "kg-node.h"
#include "nature/voxel_growth.h"

enum { GROW_VOXEL, N_GROWTHS };

typedef struct {
  int method;
  const KgGeometry *seeds;
  const KgTable *places;
  const KgGeometry *obstacles;
  KgVector centre;
  KgVector size;
  double cell;
  double segment;
  int64_t generations;
  int64_t trials;
  KgVector light;
  double weight_light;
  double weight_up;
  double weight_straight;
  double branch;
  double least_light;
  bool climb;
  double cling;
  int64_t rays;
  double width;
  int64_t max_segments;
  int64_t seed;
  KgGeometry *geometry;
  KgGeometry *tips;
  int64_t segments;
  int64_t dead;
} GrowTree;

static const KgChoice grow_methods[] = {
  [GROW_VOXEL] = { "voxel", N_ ("Through voxels") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (grow_methods, N_GROWTHS);

static bool
grow_tree_evaluate (GrowTree *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const VoxelGrowth growth = { .low = kg_vector_add_scaled (n->centre, -0.5, n->size),
                               .high = kg_vector_add_scaled (n->centre, 0.5, n->size),
                               .cell = n->cell,
                               .segment = n->segment,
                               .trials = (guint) n->trials,
                               .rays = (guint) n->rays,
                               .light = kg_vector_normalize_or (n->light, kg_vector (0, 1, 0)),
                               .weight_light = n->weight_light,
                               .weight_up = n->weight_up,
                               .weight_straight = n->weight_straight,
                               .branch = n->branch,
                               .least_light = n->least_light,
                               .cling = n->climb ? n->cling : INFINITY,
                               .tip_radius = 0.5 * n->width,
                               .max_segments = (guint) n->max_segments,
                               .generations = (guint) n->generations,
                               .seed = (uint64_t) n->seed };
  g_autoptr (TriangleMesh) obstacles = NULL;
  g_auto (VoxelPlant) plant = { NULL, 0, 0, false };
  g_autofree KgVector *seeds = NULL;
  guint n_seeds;

  if (n->obstacles != NULL && kg_geometry_get_n_primitives (n->obstacles) > 0 &&
      (obstacles = triangle_mesh_new (n->obstacles, &monitor, error)) == NULL)
    return false;
  seeds = curve_geometry_read_points (n->seeds, n->places, &n_seeds);
  if (!voxel_growth_run (&growth, seeds, n_seeds, obstacles, &plant, &monitor, error))
    return false;
  if (n->segment < n->cell)
    kg_context_warn (ctx, "segments are shorter than a cell: many end where they begin; reduce the cells");
  if (plant.n == 0)
    kg_context_warn (ctx, "no seed is inside the space: move the seeds, or enlarge the space");
  n->segments = (int64_t) (plant.n - MIN (plant.n, n_seeds));
  n->dead = (int64_t) plant.n_dead;
  n->geometry = voxel_plant_make_lines (&plant, error);
  n->tips = n->geometry != NULL ? voxel_plant_make_tips (&plant, error) : NULL;
  return n->tips != NULL;
}

static const KgSlot grow_tree_slots[] = {
  KG_INPUT (GrowTree, method, CHOICE, .label = N_ ("Growth"), .choices = grow_methods,
            .help = N_ ("How the plant grows.")),
  KG_INPUT (GrowTree, seeds, GEOMETRY, .label = N_ ("Seeds"), .optional = true,
            .help = N_ ("Points from which plants grow, used instead of Places.")),
  KG_INPUT (GrowTree, places, TABLE, .label = N_ ("Places"), .columns = kg_table_points, .def_text = "0 0.02 0",
            .handle = { KG_HANDLE_POINTS }, .help = N_ ("Positions from which plants grow, one per row.")),
  KG_INPUT (GrowTree, obstacles, GEOMETRY, .label = N_ ("Obstacles"), .optional = true,
            .help = N_ ("Meshes that the plant does not grow through, that shade it, and on which it climbs.")),
  KG_INPUT (GrowTree, centre, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .def_v = { 0, 2, 0 },
            .group = N_ ("Space"), .help = N_ ("Centre of the space in which it grows.")),
  KG_INPUT (GrowTree, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .def_v = { 4, 4, 4 },
            .handle = { KG_HANDLE_SIZE, .anchor = "centre" }, .group = N_ ("Space"), .help = N_ ("Size of the space.")),
  KG_INPUT (GrowTree, cell, NUMBER, .label = N_ ("Cell"), .unit = KG_METRES, .def = 0.05, .min = 0.001, .max = 1000,
            .soft_max = 1, .group = N_ ("Space"), .help = N_ ("Size of a voxel: no two segments share one.")),
  KG_INPUT (GrowTree, segment, NUMBER, .label = N_ ("Segment"), .unit = KG_METRES, .def = 0.15, .min = 0.001,
            .max = 1000, .soft_max = 1, .help = N_ ("Length by which a tip grows in each generation.")),
  KG_INPUT (GrowTree, generations, INTEGER, .label = N_ ("Generations"), .def = 30, .min = 0, .max = 100000,
            .soft_max = 200, .help = N_ ("Number of times that tips grow: key it to see the plant grow.")),
  KG_INPUT (GrowTree, trials, INTEGER, .label = N_ ("Trials"), .def = 20, .min = 1, .max = 1000, .soft_max = 100,
            .help = N_ ("Number of directions that a tip tries.")),
  KG_INPUT (GrowTree, light, VECTOR, .label = N_ ("Light"), .def_v = { 0, 1, 0 }, .handle = { KG_HANDLE_NONE },
            .help = N_ ("Direction of the brightest part of the sky.")),
  KG_INPUT (GrowTree, weight_light, NUMBER, .label = N_ ("To the light"), .def = 1, .min = -1000, .max = 1000,
            .soft_min = 0, .soft_max = 5, .group = N_ ("Weights"),
            .help = N_ ("How strongly brighter positions are preferred.")),
  KG_INPUT (GrowTree, weight_up, NUMBER, .label = N_ ("Upwards"), .def = 0.3, .min = -1000, .max = 1000, .soft_min = -1,
            .soft_max = 2, .group = N_ ("Weights"), .help = N_ ("How strongly it grows upwards.")),
  KG_INPUT (GrowTree, weight_straight, NUMBER, .label = N_ ("Straight on"), .def = 0.7, .min = -1000, .max = 1000,
            .soft_min = 0, .soft_max = 3, .group = N_ ("Weights"),
            .help = N_ ("How strongly it keeps its direction of growth.")),
  KG_INPUT (GrowTree, branch, NUMBER, .label = N_ ("Branching"), .unit = KG_PERCENT, .def = 0.25, .min = 0, .max = 1,
            .help = N_ ("Probability that a tip divides, where there is room for two.")),
  KG_INPUT (GrowTree, least_light, NUMBER, .label = N_ ("Least light"), .unit = KG_PERCENT, .min = 0, .max = 1,
            .help = N_ ("Share of the sky that must be visible from a position.")),
  KG_INPUT (GrowTree, climb, BOOLEAN, .label = N_ ("Climb"), .help = N_ ("The plant stays near obstacles.")),
  KG_INPUT (GrowTree, cling, NUMBER, .label = N_ ("Cling"), .unit = KG_METRES, .def = 0.15, .min = 0, .max = 1000,
            .soft_max = 1, .shown_when = "climb=true", .help = N_ ("How far from an obstacle a climber may be.")),
  KG_INPUT (GrowTree, rays, INTEGER, .label = N_ ("Rays"), .def = 16, .min = 0, .max = VOXEL_MAX_RAYS, .soft_max = 64,
            .help = N_ ("Number of rays to the sky that measure light.")),
  KG_INPUT (
      GrowTree, width, NUMBER, .label = N_ ("Width of tips"), .unit = KG_METRES, .def = 0.01, .min = 0, .max = 1000,
      .soft_max = 0.1,
      .help = N_ (
          "Width of the tips. Branches are as wide as the tips that they carry: the squares of the widths add up.")),
  KG_INPUT (GrowTree, max_segments, INTEGER, .label = N_ ("Limit"), .def = 5000, .min = 1, .max = 1000000,
            .soft_max = 20000, .help = N_ ("Largest number of segments.")),
  KG_INPUT (GrowTree, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different plant.")),
  KG_OUTPUT (GrowTree, geometry, GEOMETRY, .label = N_ ("Branches"),
             .help = N_ ("Polylines from roots and forks to tips, with width, age (generation) and tangent.")),
  KG_OUTPUT (GrowTree, tips, GEOMETRY, .label = N_ ("Tips"),
             .help = N_ ("A point for each tip, with N along its segment: for leaves.")),
  KG_OUTPUT (GrowTree, segments, INTEGER, .label = N_ ("Segments"), .help = N_ ("Number of segments.")),
  KG_OUTPUT (GrowTree, dead, INTEGER, .label = N_ ("Dead tips"), .help = N_ ("Tips that found no room.")),
};

KG_NODE (nature, grow_tree, GrowTree, .label = N_ ("Grow Tree"), .version = 1, .since = "0.1",
         .tags = N_ ("plant ivy climber branch voxel automaton greene light vine"),
         .formula = "score = w_l light + w_g d·y + w_s d·d′;  r² = Σ rᵢ²",
         .source = "Greene 1989, Voxel Space Automata",
         .help = N_ (
             "Grows a plant from seeds through a space of voxels. Each tip tries several directions and takes the one "
             "with the most light, upwards and straight on; no two segments share a voxel, and obstacles are "
             "avoided, or climbed."));
