/* convex_shape_private: for the files convex_*.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_shape.h"

/* Points that are compared at once, and from how many on that is faster than one by one. */
#define CONVEX_LANES 8
#define CONVEX_LANES_FROM 16
/* With more points than this, the farthest is searched along edges instead of among all. */
#define CONVEX_CLIMB_FROM 48

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
  KgVector middle; /* of two balls: */
  double inner;    /* the radius of one that is within the hull; 0 where it is flat */
  double outer;    /* of one that has the hull within it */
  float *lanes;    /* (nullable) for neither few points nor many: eight x, eight y and eight z at a time, at most 1 */
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

/* From corner to corner as long as it rises: on a convex shape that ends at the top. */
static inline uint32_t
convex_climb (const ConvexFaces *faces, KgVector d)
{
  uint32_t at = 0;
  double best = kg_vector_dot (faces->points[0], d);

  for (bool rises = true; rises;) {
    const uint32_t from = at;

    rises = false;
    for (uint32_t k = faces->neighbour_first[from]; k < faces->neighbour_first[from + 1]; k++) {
      const double x = kg_vector_dot (faces->points[faces->neighbours[k]], d);

      if (x > best) {
        best = x;
        at = faces->neighbours[k];
        rises = true;
      }
    }
  }
  return at;
}

/* Written as vectors: loops over arrays of one are not all compiled to what is here. */
typedef float ConvexLanes __attribute__ ((vector_size (4 * CONVEX_LANES)));
typedef int32_t ConvexMask __attribute__ ((vector_size (4 * CONVEX_LANES)));

/* a becomes the larger one in each lane. */
static inline void
convex_take_larger (ConvexLanes *a, const ConvexLanes *b)
{
  const ConvexMask larger = *b > *a;

  *a = (ConvexLanes) (((ConvexMask) *b & larger) | ((ConvexMask) *a & ~larger));
}

/* The first of the points that are farthest along d.  Single precision says which can be: coordinates are at most 1, each sum has
 * the errors of two numbers, a product and two sums, 5 x 2^-24 of the sum of |d|, 3e-7, and twice that between two points.
 * Nearly always that is one point; among several, double precision decides. */
static inline uint32_t
convex_find_in_lanes (const ConvexFaces *faces, KgVector d)
{
  enum { GROUPS = 64 / CONVEX_LANES }; /* as many points as an integer has bits */
  const float *lane = faces->lanes, dx = (float) d.x, dy = (float) d.y, dz = (float) d.z;
  const float error = 1e-6f * (fabsf (dx) + fabsf (dy) + fabsf (dz));
  const size_t n = (faces->n_points + CONVEX_LANES - 1) / CONVEX_LANES;
  ConvexLanes along[GROUPS], most, other;
  uint64_t may = 0;
  uint32_t at;
  double best;

  for (size_t g = 0; g < n; g++, lane += 3 * CONVEX_LANES) {
    ConvexLanes x, y, z;

    memcpy (&x, lane, sizeof x);
    memcpy (&y, lane + CONVEX_LANES, sizeof y);
    memcpy (&z, lane + 2 * CONVEX_LANES, sizeof z);
    along[g] = x * dx + y * dy + z * dz;
  }
  most = along[0];
  for (size_t g = 1; g < n; g++)
    convex_take_larger (&most, &along[g]);
  other = __builtin_shufflevector (most, most, 4, 5, 6, 7, 0, 1, 2, 3);
  convex_take_larger (&most, &other);
  other = __builtin_shufflevector (most, most, 2, 3, 0, 1, 6, 7, 4, 5);
  convex_take_larger (&most, &other);
  other = __builtin_shufflevector (most, most, 1, 0, 3, 2, 5, 4, 7, 6);
  convex_take_larger (&most, &other);
  most -= error;
  for (size_t g = 0; g < n; g += 4) {
    ConvexMask bits = { 1, 2, 4, 8, 16, 32, 64, 128 }, found = { 0 };
    uint64_t words[4];

    for (size_t k = g; k < n && k < g + 4; k++, bits <<= 8)
      found |= (along[k] >= most) & bits;
    memcpy (words, &found, sizeof words);
    words[0] |= words[1] | words[2] | words[3];
    may |= (uint64_t) (uint32_t) (words[0] | words[0] >> 32) << (8 * g);
  }
  at = (uint32_t) __builtin_ctzll (may);
  may &= may - 1;
  if (may == 0)
    return at;
  best = kg_vector_dot (faces->points[at], d);
  for (; may != 0; may &= may - 1) {
    const uint32_t i = (uint32_t) __builtin_ctzll (may);
    /* What fills the last lanes is the last point again. */
    const double x = i < faces->n_points ? kg_vector_dot (faces->points[i], d) : -INFINITY;

    at = x > best ? i : at;
    best = x > best ? x : best;
  }
  return at;
}

/* Whether single precision holds it. */
static inline bool
convex_is_of_single_range (KgVector d)
{
  const double sum = fabs (d.x) + fabs (d.y) + fabs (d.z);

  return sum > 1e-20 && sum < 1e20;
}

static inline uint32_t
convex_find_farthest (const ConvexFaces *faces, KgVector d)
{
  uint32_t at = 0;
  double best;

  if (faces->neighbours != NULL)
    return convex_climb (faces, d);
  if (faces->lanes != NULL && convex_is_of_single_range (d))
    return convex_find_in_lanes (faces, d);
  best = kg_vector_dot (faces->points[0], d);
  for (uint32_t i = 1; i < faces->n_points; i++) {
    const double x = kg_vector_dot (faces->points[i], d);

    at = x > best ? i : at;
    best = x > best ? x : best;
  }
  return at;
}

/* See convex_get_support ().  Inline, so that kernels compile it for wide registers. */
static inline KgVector
convex_find_support (const ConvexPlaced *placed, KgVector direction)
{
  const ConvexShape *shape = placed->shape;
  KgVector d, local = { 0, 0, 0 };

  if (shape->kind == CONVEX_BALL)
    return placed->position;
  d = convex_to_local (placed, direction);
  if (shape->kind == CONVEX_HULL)
    local = shape->faces->points[convex_find_farthest (shape->faces, d)];
  else if (shape->kind == CONVEX_BOX)
    local = kg_vector (copysign (shape->half.x, d.x), copysign (shape->half.y, d.y), copysign (shape->half.z, d.z));
  else
    local.y = copysign (shape->half.y, d.y);
  return kg_vector_add (placed->position, convex_to_world (placed, local));
}

/* The corner of a - b farthest along a direction. */
static inline ConvexCorner
convex_get_corner (const ConvexPlaced *a, const ConvexPlaced *b, KgVector direction)
{
  ConvexCorner corner = { .a = convex_find_support (a, direction),
                          .b = convex_find_support (b, kg_vector_scale (direction, -1)) };

  corner.w = kg_vector_subtract (corner.a, corner.b);
  return corner;
}

/* A ball within the difference of two cores. */
typedef struct {
  KgVector middle;
  double radius;
} ConvexWithin;

/* The cores alone: their distance (0: they overlap), their nearest points and the last simplex.  axis: (inout) a direction
 * from b to a to begin with, and the last one.  enough: stop when the distance is known to be larger.  simplex: (nullable) without
 * it, on_a and on_b are not found either.  within: (nullable, only without simplex) tells sooner that the cores overlap. */
double convex_find_core_distance (const ConvexPlaced *a, const ConvexPlaced *b, double enough,
                                  const ConvexWithin *within, KgVector *axis, ConvexSimplex *simplex, KgVector *on_a,
                                  KgVector *on_b);
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
