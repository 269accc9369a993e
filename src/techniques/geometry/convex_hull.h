/* convex_hull: the smallest convex polyhedron, or polygon, that contains points.
 *
 * Quick: quickhull (Barber, Dobkin and Huhdanpaa 1996, by the library qhull), after points that lie inside of a polyhedron of
 * extreme points are left out.  Wrap: gift wrapping (Chand and Kapur 1970; Parent, Computer Animation, B.2.10), facet by
 * facet over edges that have one facet so far; each facet looks at all points.  In a plane: monotone chain (Andrew 1979).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-progress.h"

#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
  size_t n_points;  /* corners */
  KgVector *points; /* of them */
  uint32_t *source; /* which of the given points they are */
  size_t n_faces;
  uint32_t *first;   /* n_faces + 1: corners[first[i]] .. corners[first[i + 1]] belong to face i */
  uint32_t *corners; /* counter-clockwise seen from outside */
  int dimension;     /* 3: a solid; 2: one polygon, in a plane; 1: two ends; 0: a point */
  KgVector along;    /* the normal of the plane in which the points were seen; zero in space */
} ConvexHull;

typedef enum { HULL_QUICK, HULL_WRAP } HullMethod;

typedef struct {
  HullMethod method;
  double tolerance; /* relative to the size of the cloud: what is nearer to a plane is in it */
  bool triangles;   /* else facets that lie in one plane are one polygon */
  int64_t steps;    /* of HULL_WRAP: stop after so many facets, for the lesson; negative: all */
} HullOptions;

/* points: n, finite.  All in one plane, on one line or in one place: a hull of lower dimension, whose polygon has its
 * front side where its corners turn counter-clockwise.  Quickhull itself cannot be cancelled.  False and *error: no points, too many
 * points, or the library gave up.  False without an error: cancelled. */
bool convex_hull_find (ConvexHull *hull, const KgVector *points, size_t n, const HullOptions *options,
                       const KgProgressMonitor *monitor, GError **error);
/* The hull of the projections along a unit normal: a polygon of the given points that faces it (dimension 2 or less). */
bool convex_hull_find_plane (ConvexHull *hull, const KgVector *points, size_t n, KgVector normal, GError **error);
void convex_hull_clear (ConvexHull *hull);

/* The outward unit normal of a face, of which distance is the distance from the origin. */
KgVector convex_hull_get_plane (const ConvexHull *hull, size_t face, double *distance);
double convex_hull_get_volume (const ConvexHull *hull);
/* Of a hull in a plane, the area as seen along the normal: its corners keep their distances from the plane. */
double convex_hull_get_area (const ConvexHull *hull);

/* Indices of the corners of the convex hull of points in the plane (x and y), counter-clockwise; collinear points are left
 * out.  corners: room for n.  Returns how many: 1 or 2 when all are in one place or on one line. */
size_t convex_hull_of_plane (const double (*points)[2], size_t n, uint32_t *corners);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ConvexHull, convex_hull_clear)

G_END_DECLS
