/* kg-projection: how the viewport maps the world to its pixels and back: the orbiting camera of geometry, or the flat
 * view of a drawing, or a camera of a scene.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-scene.h"

#include <glib.h>

/* Orbiting camera: looks at target from distance, turned by yaw about y and pitch above the horizon (radians). */
typedef struct {
  KgVector target;
  double yaw, pitch, distance;
  double fov;    /* vertical, radians */
  bool parallel; /* without perspective; at the distance of the target as large as with it */
} KgOrbit;

/* Pixel = center + focal * (d . right, -d . up) / depth, where d leads from the eye; without the depth when parallel. */
typedef struct {
  bool parallel;
  double center_x, center_y; /* pixels */
  KgVector eye, right, up, forward;
  double focal; /* pixels; parallel: pixels for a metre */
} KgProjection;

KgVector kg_orbit_get_eye (const KgOrbit *orbit);
/* Metres from the bottom to the top of the view at the distance of the target. */
double kg_orbit_get_height (const KgOrbit *orbit);
/* Takes the place and the direction of a camera at eye that looks at target. */
void kg_orbit_set_eye (KgOrbit *orbit, KgVector eye, KgVector target);
void kg_orbit_drag (KgOrbit *orbit, double dx, double dy);
/* dx, dy in pixels of a viewport of that height. */
void kg_orbit_pan (KgOrbit *orbit, double dx, double dy, double height);
void kg_orbit_dolly (KgOrbit *orbit, double factor);
/* Everything between low and high in view. */
void kg_orbit_frame (KgOrbit *orbit, KgVector low, KgVector high, double aspect);

void kg_projection_from_orbit (KgProjection *projection, const KgOrbit *orbit, double width, double height);
/* A drawing of image_width by image_height pixels that shows view_height metres around center, scaled by zoom and
 * with its upper left corner at (x, y). */
void kg_projection_from_drawing (KgProjection *projection, KgVector center, double view_height, double image_width,
                                 double image_height, double x, double y, double zoom);
/* A camera of a scene, in an image of that size with its upper left corner at (x, y). */
void kg_projection_from_camera (KgProjection *projection, const KgCamera *camera, double x, double y, double width,
                                double height);
/* False behind the camera. */
bool kg_projection_map (const KgProjection *projection, KgVector world, double *x, double *y);
/* The point at (x, y) in the plane through near_to that faces the camera. */
KgVector kg_projection_unmap (const KgProjection *projection, double x, double y, KgVector near_to);
/* Metres that a pixel covers at the depth of a point. */
double kg_projection_get_metres (const KgProjection *projection, KgVector at);
/* Unit direction in which the camera looks at a point. */
KgVector kg_projection_get_view_direction (const KgProjection *projection, KgVector at);

typedef struct {
  KgVector from, direction; /* unit */
} KgRay;

/* What is under a pixel. */
KgRay kg_projection_get_ray (const KgProjection *projection, double x, double y);
/* Where the ray meets the plane through at; also behind its start, and false when it runs along it. */
bool kg_ray_intersect_plane (const KgRay *ray, KgVector at, KgVector normal, KgVector *meeting);
/* How far along the line through at (direction: unit) the point is that comes nearest to the ray; false when they are
 * parallel. */
bool kg_ray_meet_line (const KgRay *ray, KgVector at, KgVector direction, double *along);
/* The angle from a to b about an axis through center, in -pi to pi. */
double kg_angle_about (KgVector center, KgVector axis, KgVector a, KgVector b);
