/* mesh_walk: going from face to face over a mesh: along a plane, along edges, towards a goal, downhill.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

/* The polygons of a geometry as triangles that know their neighbours. */
typedef struct _MeshWalk MeshWalk;

/* A place on a mesh. */
typedef struct {
  uint32_t triangle;
  KgVector position;
} MeshPlace;

/* Where a way leads: positions in order; for ways along edges also the number of each point of the mesh. */
typedef struct {
  GArray *positions; /* KgVector */
  GArray *places;    /* uint32_t, the triangle that each position is in */
  GArray *points;    /* uint32_t, only for ways along edges */
  double length;
  bool ended; /* downhill: there was no lower place; otherwise the edge of the mesh or the limit was met */
  /* Set by who asks for the way. */
  const KgProgressMonitor *monitor; /* (nullable) asked now and then on long ways */
  bool cancelled;                   /* it was: the way is not whole, and there is no error */
  guint ticks;
} MeshPath;

MeshPath *mesh_path_new (void);
void mesh_path_free (MeshPath *path);

/* Fails when there is no polygon with an area; cancelled (monitor: nullable), without an error.
 * (transfer full) (nullable) */
MeshWalk *mesh_walk_new (const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error);
void mesh_walk_free (MeshWalk *walk);
size_t mesh_walk_get_bytes (const MeshWalk *walk);

/* The diagonal of the box around the mesh. */
double mesh_walk_get_size (const MeshWalk *walk);
size_t mesh_walk_get_n_points (const MeshWalk *walk);
/* The place closest to a point in space. */
MeshPlace mesh_walk_find (const MeshWalk *walk, KgVector point);
/* A place at a point of the mesh; false when no face uses the point. */
bool mesh_walk_find_point (const MeshWalk *walk, uint32_t point, MeshPlace *place);
/* The corner of the place's triangle nearest to it. */
uint32_t mesh_walk_get_nearest_point (const MeshWalk *walk, MeshPlace place);
/* Unit normal there: those of the points, which are the mean of their faces', mixed. */
KgVector mesh_walk_get_normal (const MeshWalk *walk, MeshPlace place);

/* Where surface parameters are: the triangles of a mesh by the cells of a grid over their parameters. */
typedef struct _MeshChart MeshChart;

/* uv: two numbers for each point of the mesh.  (transfer full) */
MeshChart *mesh_chart_new (const MeshWalk *walk, const float *uv);
void mesh_chart_free (MeshChart *chart);
size_t mesh_chart_get_bytes (const MeshChart *chart);
/* The triangles (uint32_t, in order) that may have a pair of parameters, in place of what triangles holds. */
void mesh_chart_collect (const MeshChart *chart, const double at[2], GArray *triangles);

/* Ways.  Each is false with *error, or (path->cancelled) without.
 *
 * Where the plane through both places that holds the mean of their normals meets the mesh: the shorter way round. */
bool mesh_walk_cut (const MeshWalk *walk, MeshPlace start, MeshPlace end, MeshPath *path, GError **error);
/* The straight line from one pair of surface parameters to another.  chart: of the same mesh. */
bool mesh_walk_parameters (const MeshWalk *walk, const MeshChart *chart, const double start[2], const double end[2],
                           MeshPath *path, GError **error);
/* From point to point, always along the edge that leads best towards the end; no point twice.  In a dead end: fails,
 * or, with search, the shortest way along edges (Dijkstra 1959) in its place. */
bool mesh_walk_edges (const MeshWalk *walk, uint32_t start, uint32_t end, bool search, MeshPath *path, GError **error);
/* The same, also straight across faces. */
bool mesh_walk_faces (const MeshWalk *walk, MeshPlace start, MeshPlace end, MeshPath *path, GError **error);
/* The way of a drop of water, face by face, over at most so many faces. */
void mesh_walk_downhill (const MeshWalk *walk, MeshPlace start, KgVector up, guint max_steps, MeshPath *path);

/* N (N . up) - up: the steepest way down on a surface of unit normal N; its length is the sine of the slope. */
KgVector mesh_walk_get_downhill (KgVector normal, KgVector up);
/* The same on the face of a place. */
KgVector mesh_walk_get_face_downhill (const MeshWalk *walk, MeshPlace place, KgVector up);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (MeshWalk, mesh_walk_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (MeshChart, mesh_chart_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (MeshPath, mesh_path_free)
