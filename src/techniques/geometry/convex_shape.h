/* convex_shape: balls, capsules, boxes and convex hulls, placed in space, and what is known of two of them: their distance,
 * how deep they are in each other and where they touch.
 *
 * A shape is a core (a point, a segment, a box or a hull) and all that is within a radius of it.  The distance of two cores
 * is found by the algorithm of Gilbert, Johnson and Keerthi (1988).  Cores that overlap: by separating axes (Gottschalk, Lin
 * and Manocha 1996) where there are few, else by an expanding polytope (van den Bergen 2001).  Contacts are what is left of
 * the face of one shape when it is clipped by the face of the other (Sutherland and Hodgman 1974).  Units: metres.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_hull.h"

G_BEGIN_DECLS

typedef enum { CONVEX_BALL, CONVEX_CAPSULE, CONVEX_BOX, CONVEX_HULL } ConvexKind;

/* What a hull needs besides, see convex_shape_new_hull (). */
typedef struct _ConvexFaces ConvexFaces;

typedef struct {
  ConvexKind kind;
  double radius;      /* around the core; 0 for boxes and hulls with sharp edges */
  KgVector half;      /* box: half of its sides; capsule: half.y is half of the length of the core, along y */
  ConvexFaces *faces; /* hull: owned */
} ConvexShape;

/* radius, half length, half sides >= 0. */
ConvexShape convex_shape_ball (double radius);
ConvexShape convex_shape_capsule (double radius, double half_length);
ConvexShape convex_shape_box (KgVector half);
/* hull: of dimension 0 to 3 (a polygon is thin and has two sides); copied.  Free with convex_shape_clear (). */
ConvexShape convex_shape_hull (const ConvexHull *hull, double radius);
/* The same of one triangle, whose front is where it turns counter-clockwise. */
ConvexShape convex_shape_triangle (const KgVector corners[3], double radius);
/* A larger or smaller one; scale > 0.  Free with convex_shape_clear (). */
ConvexShape convex_shape_scale (const ConvexShape *shape, double scale);
void convex_shape_clear (ConvexShape *shape);

/* A shape in its place. */
typedef struct {
  const ConvexShape *shape;
  KgVector position;
  KgVector axes[3]; /* of the shape, in the world */
} ConvexPlaced;

ConvexPlaced convex_shape_place (const ConvexShape *shape, KgVector position, KgRotation rotation);

/* The point of the core farthest along a direction of any length, in the world. */
KgVector convex_get_support (const ConvexPlaced *placed, KgVector direction);
/* From where to where the whole shape reaches along a unit direction. */
void convex_get_interval (const ConvexPlaced *placed, KgVector direction, double *low, double *high);
/* The box around the shape. */
void convex_get_bounds (const ConvexPlaced *placed, KgVector *low, KgVector *high);
/* How far x is outside of the shape (inside: negative, the way to the nearest side), and the way out (unit). */
double convex_get_distance_of_point (const ConvexPlaced *placed, KgVector x, KgVector *way);

/* How much a unit direction is that of a face of the core: the cosine of the angle between it and the nearest normal of one, or -1
 * where there is none. */
double convex_get_facing (const ConvexPlaced *placed, KgVector direction);
/* The mean of the corners of the core, which is within it. */
KgVector convex_get_middle (const ConvexPlaced *placed);

/* A contact: where, and how deep. */
typedef struct {
  KgVector point; /* in the middle between the two surfaces */
  double depth;   /* along the normal; negative: still apart */
  uint32_t id;    /* which features of the shapes met: the same from step to step while they do */
} ConvexContact;

#define CONVEX_MAX_CONTACTS 4

typedef enum { CONVEX_APART, CONVEX_BY_DISTANCE, CONVEX_BY_AXES, CONVEX_BY_POLYTOPE } ConvexWay;

typedef struct {
  KgVector normal;     /* unit, from b to a: a moves along it to come free */
  double depth;        /* how far it has to; negative: the distance, or as much of it as was needed to know */
  KgVector on_a, on_b; /* the nearest points when apart, the deepest ones when not */
  ConvexWay way;       /* how it was found */
  bool edges;          /* the normal is across an edge of each */
  guint n;
  ConvexContact contacts[CONVEX_MAX_CONTACTS];
} ConvexManifold;

/* The distance of two shapes, and their nearest points; 0 where they overlap. */
double convex_find_distance (const ConvexPlaced *a, const ConvexPlaced *b, KgVector *on_a, KgVector *on_b);
/* Whether they touch or overlap; axis: (inout) (nullable) a direction that separated them, the first to try the next time. */
bool convex_overlap (const ConvexPlaced *a, const ConvexPlaced *b, KgVector *axis);

/* Everything about two shapes that are not farther apart than margin; else false, and a lower bound of the distance in
 * manifold->depth (negative) along manifold->normal. */
bool convex_find_contacts (const ConvexPlaced *a, const ConvexPlaced *b, double margin, ConvexManifold *manifold);
/* The same contacts, but on_a and on_b are left as they are where they were not needed. */
bool convex_find_contacts_only (const ConvexPlaced *a, const ConvexPlaced *b, double margin, ConvexManifold *manifold);

/* The same of a shape and all that is behind a plane (unit normal; distance of the plane from the origin). */
bool convex_find_plane_contacts (const ConvexPlaced *a, KgVector normal, double distance, double margin,
                                 ConvexManifold *manifold);

/* Keeps at most four of n contacts with manifold->normal: the deepest, the one farthest from it, and the two that enclose the
 * largest areas on both sides of the line between them. */
void convex_keep_contacts (ConvexManifold *manifold, const ConvexContact *all, guint n);

/* The largest gap along a separating axis of two boxes or hulls (negative: the least overlap); n_axes: (out) axes looked at. */
double convex_find_gap (const ConvexPlaced *a, const ConvexPlaced *b, KgVector *axis, guint *n_axes);

/* Motion within a step: place + t velocity, rotated about the position by the angles t omega (radians). */
typedef struct {
  KgVector velocity, omega;
} ConvexMotion;

ConvexPlaced convex_move (const ConvexPlaced *placed, const ConvexMotion *motion, double t);

/* When, from 0 to 1, they first come within a distance of tolerance: conservative advancement (Mirtich 1996), which never
 * passes by.  Returns false when they do not. */
bool convex_find_impact (const ConvexPlaced *a, const ConvexMotion *motion_a, const ConvexPlaced *b,
                         const ConvexMotion *motion_b, double tolerance, double *time);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ConvexShape, convex_shape_clear)

G_END_DECLS
