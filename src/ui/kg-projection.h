/* kg-projection: how the viewport maps the world to its pixels and back: the orbiting camera of geometry, or the flat
 * view of a drawing.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <glib.h>

/* Orbiting camera: looks at target from distance, turned by yaw about y and pitch above the horizon (radians). */
typedef struct {
  KgVector target;
  double yaw, pitch, distance;
  double fov; /* vertical, radians */
} KgOrbit;

typedef struct {
  bool flat;
  double width, height; /* pixels of the viewport */
  /* Flat: pixel = origin + scale * (x, -y) */
  double origin_x, origin_y, scale;
  /* Otherwise */
  KgVector eye, right, up, forward;
  double focal; /* pixels */
} KgProjection;

KgVector kg_orbit_get_eye (const KgOrbit *orbit);
void kg_orbit_drag (KgOrbit *orbit, double dx, double dy);
/* dx, dy in pixels of a viewport of that height. */
void kg_orbit_pan (KgOrbit *orbit, double dx, double dy, double height);
void kg_orbit_dolly (KgOrbit *orbit, double factor);
/* Everything between low and high in view. */
void kg_orbit_frame (KgOrbit *orbit, KgVector low, KgVector high, double aspect);

void kg_projection_from_orbit (KgProjection *projection, const KgOrbit *orbit, double width, double height);
/* A drawing of picture_width by picture_height pixels that shows view_height metres around center, scaled by zoom and
 * with its upper left corner at (x, y). */
void kg_projection_from_drawing (KgProjection *projection, KgVector center, double view_height, double picture_width,
                                 double picture_height, double x, double y, double zoom);
/* False behind the camera. */
bool kg_projection_map (const KgProjection *projection, KgVector world, double *x, double *y);
/* The point at (x, y) in the plane through near_to that faces the camera. */
KgVector kg_projection_unmap (const KgProjection *projection, double x, double y, KgVector near_to);
