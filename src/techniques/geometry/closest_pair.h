/* closest_pair: the closest points of two simple shapes: points, lines, rays and segments against each other and against
 * planes, triangles, boxes and balls.
 *
 * All of the first kind are a + s v with s in a range, so that one routine serves each pair.  Two lines are solved by the
 * square of the cross product of their directions, which does not cancel as the difference of products does; bounds are
 * taken one after the other (Ericson 2005, 5.1.9).  A line hits a triangle as Möller and Trumbore 1997 find it, and the
 * distance of shapes that do not meet is that of edges and ends (Ericson 2005, 5.1.10).
 * Sources: Parent, Computer Animation, B.2.4 and B.2.6; Ericson, Real-Time Collision Detection, 2005, chapter 5.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

/* The points a + s v, low <= s <= high.  A single point: v is zero. */
typedef struct {
  KgVector a, v;
  double low, high; /* may be infinite */
} ClosestLine;

/* n · p = e; n need not be of length 1. */
typedef struct {
  KgVector normal;
  double e;
} ClosestPlane;

typedef struct {
  KgVector center, half; /* half of its sides, along its own axes */
  KgRotation rotation;
} ClosestBox;

typedef struct {
  KgVector center;
  double radius;
} ClosestBall;

typedef struct {
  KgVector first, second; /* the closest points */
  double distance;        /* of a point from a plane, box or ball: negative behind or inside */
  double s, t;            /* first = a + s v; t: the same of a second line, else 0 */
  KgVector weights;       /* of the corners of a triangle: second is their sum with these */
  bool parallel;          /* of two lines, or of a line and a plane: one of many closest pairs */
  bool hit;               /* they touch or cross, to rounding */
} ClosestPair;

ClosestLine closest_line_new (KgVector a, KgVector v, double low, double high);
/* A direction is too short to be one (at most 1e-12 of the largest coordinate): only its point counts. */
bool closest_line_is_point (const ClosestLine *line);

ClosestPair closest_pair_of_lines (const ClosestLine *first, const ClosestLine *second);
/* A zero normal is an error of the caller. */
ClosestPair closest_pair_with_plane (const ClosestLine *line, const ClosestPlane *plane);
/* A triangle without area stands for its longest edge. */
ClosestPair closest_pair_with_triangle (const ClosestLine *line, const KgVector corners[3]);
/* A line that passes through is met where it enters (a line: at the end its parameter is low). */
ClosestPair closest_pair_with_box (const ClosestLine *line, const ClosestBox *box);
ClosestPair closest_pair_with_ball (const ClosestLine *line, const ClosestBall *ball);

/* How far along the line from a to b the point closest to p is, as a part of the way; 0 where a is b.  That of the segment is the
 * same within 0 and 1. */
static inline double
closest_line_weight (KgVector p, KgVector a, KgVector b)
{
  const KgVector d = kg_vector_subtract (b, a);
  const double squared = kg_vector_dot (d, d);

  return squared > 0 ? kg_vector_dot (kg_vector_subtract (p, a), d) / squared : 0;
}

/* The point of the segment from a to b closest to p. */
static inline KgVector
closest_segment_point (KgVector p, KgVector a, KgVector b)
{
  return kg_vector_add_scaled (a, kg_clamp (closest_line_weight (p, a, b), 0, 1), kg_vector_subtract (b, a));
}

/* The point of a triangle closest to p, by the regions around its corners and edges (Ericson 2005, 5.1.5), as weights of
 * the corners, which add to 1. */
KgVector closest_triangle_weights (KgVector p, const KgVector corners[3]);

G_END_DECLS
