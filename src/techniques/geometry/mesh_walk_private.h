/* mesh_walk_private: what the ways over a mesh share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/mesh_walk.h"

G_BEGIN_DECLS

#define MESH_NONE UINT32_MAX
/* What counts as the same place, as a share of the size of the mesh. */
#define MESH_SAME 1e-9
/* The same where points are off by their own rounding: for ways along a row of them, such as a border. */
#define MESH_ROUNDED 1e-6
/* How far outside a triangle, as a share of its size, a pair of parameters still belongs to it. */
#define MESH_CHART_TOLERANCE 1e-6

struct _MeshWalk {
  size_t n_points, n_triangles;
  KgVector *points;
  KgVector *point_normals;
  uint32_t *corners; /* three of each triangle */
  uint32_t *across;  /* the triangle beyond the edge from corner k to the next, or MESH_NONE */
  KgVector *normals; /* of triangles */
  uint32_t *first;   /* of each point, into neighbours: those along edges of the polygons */
  uint32_t *neighbours;
  uint32_t *first_around; /* of each point, into around: the triangles at it */
  uint32_t *around;
  double size;
};

/* See mesh_chart.c. */
struct _MeshChart {
  size_t n_points;
  float *uv;
  double low[2], cell[2]; /* of the grid: its corner, and the sides of a cell */
  guint n_cells[2];
  uint32_t *first; /* of each cell, into triangles */
  uint32_t *triangles;
  GArray *wide; /* uint32_t: those over many cells */
};

void mesh_path_clear (MeshPath *path);
/* A way that is looked for on behalf of another. */
MeshPath *mesh_path_new_like (const MeshPath *other);
/* To be asked at each step. */
bool mesh_path_continues (MeshPath *path);
/* Goes on to a place of a triangle. */
void mesh_path_add (MeshPath *path, KgVector p, uint32_t triangle);

/* Corner k (modulo 3) of a triangle. */
static inline KgVector
mesh_walk_get_corner (const MeshWalk *walk, uint32_t triangle, guint k)
{
  return walk->points[walk->corners[3 * (size_t) triangle + k % 3]];
}

/* The place with these weights of the corners. */
static inline KgVector
mesh_walk_mix (const MeshWalk *walk, uint32_t triangle, const double w[3])
{
  KgVector p = { 0, 0, 0 };

  for (guint k = 0; k < 3; k++)
    p = kg_vector_add_scaled (p, w[k], mesh_walk_get_corner (walk, triangle, k));
  return p;
}

/* How far q is from a triangle. */
double mesh_walk_get_distance (const MeshWalk *walk, uint32_t triangle, KgVector q, KgVector *closest);
/* The side of a triangle beyond which a neighbour is. */
guint mesh_walk_find_side (const MeshWalk *walk, uint32_t triangle, uint32_t neighbour);

G_END_DECLS
