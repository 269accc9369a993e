/* body_touch: how deep bodies are in each other and in what is around them, and the shortest way out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "sim/body_rules.h"
#include "sim/skeleton_solver.h"

/* A shape, and where it stands; without a pose as it is in the world. */
typedef struct {
  const BodyShape *shape;
  const BodyPose *pose;
  const KgProgressMonitor *monitor; /* (nullable) once it is cancelled, what was found is meaningless */
} BodyPlaced;

typedef struct {
  double depth;           /* what is missing of the margin; not above 0: no contact */
  KgVector place, normal; /* in the world; the normal is the direction in which the body has to move */
} BodyTouch;

/* All of these replace the touch only by a deeper one. margin: clearance between the two. */

void body_touch_walls (const BodyPlaced *body, const SkeletonWall *walls, guint n, double margin, BodyTouch *deepest);
/* obstacle: where it is an open surface of triangles, what is behind its faces is inside. */
void body_touch_obstacle (const BodyPlaced *body, const BodyPlaced *obstacle, double margin, BodyTouch *deepest);
/* The normal is that of b.  Where both are convex and of few elements it is the shortest there is; otherwise it is that
 * of the corner, middle of an edge or middle of a face that is deepest. */
void body_touch_body (const BodyPlaced *a, const BodyPlaced *b, double margin, BodyTouch *deepest);
