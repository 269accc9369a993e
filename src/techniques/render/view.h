/* view: what a camera sees of space: the spaces on the way to the screen, their matrices, rays and clipping.
 *
 * World: right-handed, y up.  Eye: left-handed, x right, y up, z away from the eye.  Image: x and y from -1 to 1, z from 0 at the
 * near plane to 1 at the far plane, so that lines of sight are parallel to z and lines stay lines.  Screen: pixels, row 0 at the
 * top.  The window need not be around the line of sight (shift lenses, stereo pairs, tiles), nor the plane of the image
 * across it.
 * Sources: Parent, Computer Animation, 2.1; Sutherland and Hodgman 1974 and Blinn and Newell 1978 (clipping).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "kg-scene.h"

G_BEGIN_DECLS

typedef struct {
  KgTransform to_eye; /* from the world */
  bool parallel;
  double left, right, bottom, top; /* of the window, at distance 1; parallel: in metres */
  double near_plane, far_plane;
} View;

/* aspect: width over height of the window.  Fails where near, far, angle, height or aspect make no view. */
bool view_init (View *view, const KgCamera *camera, double aspect, GError **error);
/* Turns the plane of the image so that its normal, away from the eye, is this; the middle of the window stays on the line of
 * sight.  Fails where the plane is seen from behind or edge on. */
bool view_face (View *view, const KgCamera *camera, KgVector normal, GError **error);
/* Moves the window by parts of its half width and height. */
void view_shift (View *view, double x, double y);
/* One of columns × rows parts of the window, counted from its upper left corner, from 0. */
void view_take_tile (View *view, guint column, guint row, guint columns, guint rows);

/* From the eye to the image: divide by the fourth number, which is z (parallel: 1). */
KgTransform view_get_projection (const View *view);
/* From the image to a screen of that size with its upper left corner at (x, y). */
KgTransform view_get_viewport (double width, double height, double x, double y);
/* Divides by the fourth number; false where it is not positive. */
bool view_divide (const KgTransform *m, KgVector p, KgVector *out);
/* In the image and between near and far, edges included to 1e-12. */
bool view_contains (KgVector image);
/* A point of the image as a ray in the world; parallel: from the near plane on. */
void view_get_ray (const View *view, double x, double y, KgVector *origin, KgVector *direction);
/* The corners of what is seen, in the world: x, y and z from low to high, x first. */
void view_get_corners (const View *view, KgVector corners[8]);
double view_get_volume (const View *view);

/* (transfer full) (nullable) What of the geometry is seen: polygons and polylines are cut at the edges of the view, and new points
 * take their attributes from those they lie between; points of no primitive are kept or not.  Curves are kept where all
 * their points are seen; n_curves: (out) how many are not.  NULL without an error when cancelled. */
KgGeometry *view_clip (const View *view, const KgGeometry *geometry, const KgProgressMonitor *monitor, guint *n_curves,
                       GError **error);

G_END_DECLS
