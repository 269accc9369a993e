/* voxel_growth: plants that grow through a space of voxels by local rules.
 *
 * Each tip tries directions at random, biased by where it grew and upwards; cells that a segment would pass must be free and near
 * what it climbs on; the best has the greatest w_l light + w_g d·up + w_s d·previous, and its cells are taken (Greene 1989, Voxel
 * Space Automata).  Light is the share of rays to the sky that leave the grid.  Cells along a segment: Amanatides and Woo 1987.
 * Widths: the square of a radius is the sum of the squares of those it divides into (da Vinci).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

#define VOXEL_MAX_CELLS ((size_t) 1 << 26)
#define VOXEL_MAX_RAYS 256

typedef struct {
  KgVector low, high; /* of the space */
  double cell, segment;
  guint trials, rays;
  KgVector light; /* direction to the brightest part of the sky, unit */
  double weight_light, weight_up, weight_straight;
  double branch;      /* probability of two segments from a tip */
  double least_light; /* 0 to 1: nothing grows where there is less */
  double cling;       /* how far from an obstacle it may be; INFINITY: anywhere */
  double tip_radius;
  guint max_segments, generations;
  uint64_t seed;
} VoxelGrowth;

typedef struct {
  KgVector place;
  int32_t parent; /* -1: a seed */
  guint age;      /* generation */
  bool first;     /* continues the line of its parent */
  bool tip;       /* nothing grows from it */
  double radius;
} VoxelNode;

typedef struct {
  VoxelNode *nodes; /* parents before their children */
  size_t n, n_dead; /* n_dead: tips that have found no room */
  bool limited;
} VoxelPlant;

/* obstacles: (nullable).  False and *error: too many cells; false without: cancelled. */
bool voxel_growth_run (const VoxelGrowth *growth, const KgVector *seeds, size_t n_seeds, const TriangleMesh *obstacles,
                       VoxelPlant *plant, const KgProgressMonitor *monitor, GError **error);
void voxel_plant_clear (VoxelPlant *plant);

/* Polylines from the roots and from forks to tips, with width, age and tangent.  (transfer full) */
KgGeometry *voxel_plant_make_lines (const VoxelPlant *plant, GError **error);
/* Its tips, with N along the last segment and age: for leaves.  (transfer full) */
KgGeometry *voxel_plant_make_tips (const VoxelPlant *plant, GError **error);

/* Calls visit for each cell from a to b, in order; false: it has stopped. */
typedef bool (*VoxelVisit) (gpointer data, int64_t i, int64_t j, int64_t k);
bool voxel_walk (KgVector a, KgVector b, VoxelVisit visit, gpointer data);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VoxelPlant, voxel_plant_clear)

G_END_DECLS
