/* point_tree: which points are near a place: a k-d tree (Bentley 1975), and cells in a hash table (Teschner et al. 2003).
 *
 * Distances are those of float32 numbers, (dx² + dy²) + dz² without fused operations: the same whichever is asked, and by
 * whom.  Among equally distant points the lower index comes first.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"

#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Read only once it is made. */
typedef struct _PointTree PointTree;

/* p: 3 finite floats a point, borrowed until this returns.  NULL: cancelled.  (transfer full) */
PointTree *point_tree_new (const float *p, size_t n, const KgProgressMonitor *monitor);
void point_tree_free (PointTree *tree);

/* The index of the point closest to p; -1 where there is none or p is not finite. */
int64_t point_tree_find_closest (const PointTree *tree, const float p[3]);

/* A point and the square of its distance. */
typedef struct {
  float distance2;
  uint32_t index;
} PointNear;

/* The k nearest points within a radius (INFINITY: anywhere), nearest first.  found: room for k.  Returns how many. */
size_t point_tree_find_nearest (const PointTree *tree, const float p[3], size_t k, float radius, PointNear *found);

/* Which points count. */
typedef struct {
  /* False: none of those within the box does; it may be true of any box. */
  bool (*may_hold) (gconstpointer data, const float low[3], const float high[3]);
  bool (*counts) (gconstpointer data, const PointNear *point);
  gconstpointer data;
} PointFilter;

/* The same of those that count.  Only what would be among the nearest so far is asked about.  filter: NULL: all count. */
size_t point_tree_find_nearest_of (const PointTree *tree, const float p[3], size_t k, float radius,
                                   const PointFilter *filter, PointNear *found);
/* All points within a radius, nearest first, appended to found (PointNear). */
void point_tree_find_within (const PointTree *tree, const float p[3], float radius, GArray *found);

/* The same for places that are asked for points within one radius, and change often: it is made faster. */
typedef struct _PointGrid PointGrid;

/* cell: side of the cells, > 0; best the radius of most searches.  NULL: cancelled. (transfer full) */
PointGrid *point_grid_new (const float *p, size_t n, float cell, const KgProgressMonitor *monitor);
void point_grid_free (PointGrid *grid);
/* All points within a radius, nearest first, appended to found (PointNear). */
void point_grid_find_within (const PointGrid *grid, const float p[3], float radius, GArray *found);

/* Points next to each other in memory, in no order: where they are, and their places in point_grid_get_order. */
typedef struct {
  size_t n, room;
  float *x, *y, *z;
  uint32_t *place;
} PointBatch;

void point_batch_clear (PointBatch *batch);

/* For searches from many places of one cell for the points around, ring of cells after ring of cells: the cell of a
 * finite place, how many rings around it are enough for the radius, and how far the place is from the walls of its
 * cell.  False: it takes less to look at all points. */
bool point_grid_plan (const PointGrid *grid, const float p[3], float radius, int64_t cell[3], int64_t *rings,
                      double *wall);
/* The square of the distance within which no point is missing once all rings up to this one were looked at. */
float point_grid_get_complete (const PointGrid *grid, int64_t ring, double wall);
/* Appends the points of the cells that are more than within (-1: any) and at most ring cells away. */
void point_grid_gather (const PointGrid *grid, const int64_t cell[3], int64_t within, int64_t ring, PointBatch *batch);
/* How many points are in the cell of a point, itself included, on average. */
double point_grid_get_crowding (const PointGrid *grid);
/* The indices of the points, those of one cell next to each other: the order to ask for all of them in. */
const uint32_t *point_grid_get_order (const PointGrid *grid);

/* Parts that chains of points with steps of at most the radius hold together: a number for each point, from 0, those with
 * lower indices first; returns how many parts, -1: cancelled.  Cells so small that all points of one are together are
 * compared once for each pair (union and find, Tarjan 1975). */
int64_t point_groups_find (const float *p, size_t n, float radius, int32_t *groups, const KgProgressMonitor *monitor);

/* Neighbours of many places at once: those of place i are items[first[i]] .. items[first[i + 1]]. */
typedef struct {
  size_t n;
  size_t *first; /* n + 1 */
  PointNear *items;
} PointNeighbours;

typedef struct {
  size_t k;     /* at most so many; 0: all within the radius */
  float radius; /* INFINITY: anywhere */
  bool skip;    /* the places are the points themselves, which are not their own neighbours */
  bool grid;    /* find them in cells of the size of the radius (k = 0) */
} PointQuery;

/* places: 3 finite floats each; points and n_points: among which to look.  False and *error: more than limit neighbours in
 * all.  False without an error: cancelled. */
bool point_neighbours_find (PointNeighbours *neighbours, const float *places, size_t n, const float *points,
                            size_t n_points, const PointQuery *query, size_t limit, const KgProgressMonitor *monitor,
                            GError **error);
void point_neighbours_clear (PointNeighbours *neighbours);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PointTree, point_tree_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PointGrid, point_grid_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PointBatch, point_batch_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PointNeighbours, point_neighbours_clear)

G_END_DECLS
