/* convex_shape_private: for the files convex_*.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_shape.h"

struct _ConvexFaces {
  size_t n_points;
  KgVector *points;
  guint n_faces;
  KgVector *normals; /* outward, unit */
  uint32_t *first;   /* n_faces + 1 */
  uint32_t *corners;
  guint n_edges;
  KgVector *edges;           /* unit directions, opposite ones once */
  uint32_t *neighbour_first; /* n_points + 1: corners across an edge, for many points */
  uint32_t *neighbours;
};

/* A corner of the difference of two cores, and the two it is made of. */
typedef struct {
  KgVector w, a, b;
} ConvexCorner;

typedef struct {
  guint n;
  ConvexCorner corners[4];
  double weights[4]; /* of the point nearest to the origin */
} ConvexSimplex;

/* The corner of a - b farthest along a direction. */
static inline ConvexCorner
convex_get_corner (const ConvexPlaced *a, const ConvexPlaced *b, KgVector direction)
{
  ConvexCorner corner = { .a = convex_get_support (a, direction),
                          .b = convex_get_support (b, kg_vector_scale (direction, -1)) };

  corner.w = kg_vector_subtract (corner.a, corner.b);
  return corner;
}

static inline KgVector
convex_to_local (const ConvexPlaced *placed, KgVector direction)
{
  return kg_vector (kg_vector_dot (placed->axes[0], direction), kg_vector_dot (placed->axes[1], direction),
                    kg_vector_dot (placed->axes[2], direction));
}

static inline KgVector
convex_to_world (const ConvexPlaced *placed, KgVector direction)
{
  return kg_vector_add (
      kg_vector_scale (placed->axes[0], direction.x),
      kg_vector_add (kg_vector_scale (placed->axes[1], direction.y), kg_vector_scale (placed->axes[2], direction.z)));
}

/* The cores alone: their distance (0: they overlap), their nearest points and the last simplex.  axis: (inout) a direction
 * from b to a to begin with, and the last one.  enough: stop when the distance is known to be larger. */
double convex_find_core_distance (const ConvexPlaced *a, const ConvexPlaced *b, double enough, KgVector *axis,
                                  ConvexSimplex *simplex, KgVector *on_a, KgVector *on_b);
/* How deep two cores that overlap are in each other: an expanding polytope from a simplex that may contain the origin.
 * normal: (out) from b to a. */
double convex_find_core_depth (const ConvexPlaced *a, const ConvexPlaced *b, const ConvexSimplex *simplex,
                               KgVector *normal, KgVector *on_a, KgVector *on_b);

/* Few enough axes to look at all of them. */
bool convex_has_few_axes (const ConvexPlaced *a, const ConvexPlaced *b);
typedef struct {
  double gap;      /* the largest of all axes */
  KgVector normal; /* of the axis that is taken, from b to a: a face before an edge that is hardly better */
  double depth;    /* along it */
  bool edges;
  guint n_axes;
} ConvexAxes;
/* Stops at an axis with a larger gap than enough. */
ConvexAxes convex_try_axes (const ConvexPlaced *a, const ConvexPlaced *b, double enough);
