/* body_shape: the shape of a rigid body: its mass, centre and inertia, and how far places are from its surface.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/mass_properties.h"

/* Points and the elements of a surface between them. */
typedef struct {
  guint n_points, n_elements;
  KgVector *points;
  uint32_t (*elements)[3]; /* segments leave the third unused */
  bool segments;           /* else triangles */
  bool closed;             /* has an inside */
  double side;             /* -1 for a closed surface whose elements face inwards, else 1 */
  KgVector low, high;      /* bounds */
  double radius;           /* of the sphere around the origin that holds all points */
  bool convex;             /* and found to be so: a single segment, or closed and of few elements */
  guint n_faces, n_edges; /* of a convex shape: the directions of its faces, and those of its edges where it is solid */
  KgVector *axes;         /* n_faces unit normals, of which opposite ones are one, and then n_edges unit directions */
  Moments moments;        /* of what has most dimensions: the inside, else the surface, else the lines */
} BodyShape;

/* Takes the shape of some primitives: lines as they are; polygons as the area between their edges in the plane, and as
 * faces in space, which have an inside where each edge has a face on both sides.  Where there are polygons, lines do not
 * count.  point_numbers: which points of the geometry points[] are, n_points of them (caller's). */
void body_shape_read (BodyShape *shape, const KgGeometry *geometry, const uint32_t *primitives, guint n_primitives,
                      bool plane, GArray *point_numbers);
/* The same of one edge. */
void body_shape_read_edge (BodyShape *shape, const KgGeometry *geometry, uint32_t a, uint32_t b, bool plane,
                           GArray *point_numbers);
/* Makes places relative to an origin. */
void body_shape_move (BodyShape *shape, KgVector by);
void body_shape_clear (BodyShape *shape);

/* How far x is outside of the surface (negative: inside), and the way out there (unit). one_sided: an open surface of
 * triangles has its outside on the side that its elements face, as ground has. */
double body_shape_get_distance (const BodyShape *shape, KgVector x, bool one_sided, KgVector *normal);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BodyShape, body_shape_clear)
