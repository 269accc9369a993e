/* route_grid: ways over ground and round obstacles, on cells of a grid in the plane xz.
 *
 * A* (Hart, Nilsson and Raphael 1968) with 8 neighbours and the octile distance as heuristic, Dijkstra's distances to goals for
 * many who go to the same ones, and string pulling: corners of a way are left out where one sees past them.
 * On slopes a step costs its length in space; steeper ones than allowed are blocked.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

#define ROUTE_MAX_CELLS 4000000

typedef struct {
  KgVector low; /* corner of the first cell */
  double cell;
  guint columns, rows; /* along x and z */
  uint8_t *blocked;
  float *height;    /* (nullable) of the ground at the centres of cells */
  double max_slope; /* tangent */
  bool corners;     /* diagonal steps may pass the corner of a blocked cell */
} RouteGrid;

/* Empty, over a rectangle.  NULL and *error: too many cells.  (transfer full) */
RouteGrid *route_grid_new (KgVector low, KgVector high, double cell, GError **error);
void route_grid_free (RouteGrid *grid);
size_t route_grid_get_bytes (const RouteGrid *grid);
/* Heights of a ground; where there is none, cells are blocked.  max_slope: radians.  False: cancelled. */
bool route_grid_add_ground (RouteGrid *grid, const TriangleMesh *ground, double max_slope,
                            const KgProgressMonitor *monitor);
/* Blocks cells whose centres are nearer than radius to a mesh, or in it.  y: height at which one walks, above the ground.
 * False: cancelled. */
bool route_grid_add_obstacles (RouteGrid *grid, const TriangleMesh *obstacles, double radius, double y,
                               const KgProgressMonitor *monitor);

/* The cell that holds a place; -1: outside. */
int64_t route_grid_find (const RouteGrid *grid, KgVector x);
/* The same, or else the nearest cell that is free; -1: none is. */
int64_t route_grid_find_free (const RouteGrid *grid, KgVector x);
KgVector route_grid_get_centre (const RouteGrid *grid, size_t cell);
/* The height of the ground between the centres of cells. */
double route_grid_get_height (const RouteGrid *grid, KgVector x);
/* Nothing is in the way straight from one place to another. */
bool route_grid_sees (const RouteGrid *grid, KgVector from, KgVector to);

typedef struct {
  bool found;
  GArray *cells; /* guint32 from start to goal; empty where there is no way */
  double cost;   /* metres */
  size_t n_visited;
} Route;

/* heuristic: false: Dijkstra's search.  False: cancelled. */
bool route_grid_search (const RouteGrid *grid, size_t from, size_t to, bool heuristic, Route *route,
                        const KgProgressMonitor *monitor);
void route_clear (Route *route);
/* The cells that are left when what can be seen past is left out, but for what lies over ground that is too steep.  (transfer
 * full) guint32 */
GArray *route_grid_pull (const RouteGrid *grid, const GArray *cells);

/* Distances of all cells to the nearest of goals; INFINITY: no way.  (transfer full), NULL: cancelled. */
float *route_grid_get_distances (const RouteGrid *grid, const uint32_t *goals, size_t n_goals,
                                 const KgProgressMonitor *monitor);
/* Where to head for from x, down the distances, as far as one sees.  False: no way. */
bool route_grid_descend (const RouteGrid *grid, const float *distances, KgVector x, KgVector *to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RouteGrid, route_grid_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Route, route_clear)

G_END_DECLS
