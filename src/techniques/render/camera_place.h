/* camera_place: where a camera must be, and how it must look, to show something that moves.
 *
 * Source: Parent, Computer Animation, 3rd ed., chapter on kinematic linkages, automatic camera control; Blinn, Where Am I? What
 * Am I Looking At?, IEEE CG&A 1988 (a subject at a place of the image).  Metres, radians; a camera looks along -z.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* What of a subject the camera looks at. */
typedef enum {
  CAMERA_SUBJECT_OBJECT, /* the origin of its transform */
  CAMERA_SUBJECT_MEAN,   /* of its points, by the attribute weight */
  CAMERA_SUBJECT_BOUNDS, /* the centre of the box around them */
  CAMERA_SUBJECT_SPHERE, /* that of the smallest ball around them */
  CAMERA_N_SUBJECTS
} CameraSubject;

typedef struct {
  KgVector center;
  double radius;  /* of the ball around the centre that holds all points */
  bool unweighed; /* the weights add up to nothing: the plain mean was taken */
} CameraBall;

/* points: (nullable) moved by the transform.  KG_ERROR_DEGENERATE: nothing to look at; KG_ERROR_INVALID_VALUE: a negative
 * weight. */
bool camera_find_subject (const KgGeometry *points, const KgTransform *transform, CameraSubject what, CameraBall *ball,
                          GError **error);

/* Axes of a mover as columns of a rotation: z along the velocity, x across it and up, y upward.  fallback: where it stands
 * still (up to 1e-6 m/s), or moves along up. */
KgRotation camera_get_heading (KgVector velocity, KgVector up, KgRotation fallback);

/* Where a camera that is bound to something is nearest to c: to a plane (normal: not zero), a segment, or the nearest of all
 * curves of a geometry; of equally near places the first.  KG_ERROR_DEGENERATE: no curve. */
KgVector camera_bind_to_plane (KgVector c, KgVector point, KgVector normal);
KgVector camera_bind_to_line (KgVector c, KgVector a, KgVector b);
bool camera_bind_to_curve (KgVector c, const KgGeometry *curves, const KgProgressMonitor *monitor, KgVector *place,
                           GError **error);

/* Moves a camera along its line of sight to a distance (above 0) from c.  bearing: where it is to go when it is at c. */
KgVector camera_keep_distance (KgVector camera, KgVector c, double distance, KgVector bearing);
/* The place in the plane at that distance from c, in the bearing; false, with the nearest place, when the plane is farther
 * away than that. */
bool camera_keep_distance_in_plane (KgVector c, double distance, KgVector point, KgVector normal, KgVector bearing,
                                    KgVector *place);
/* Turns the line from c to the camera to an angle above the ground (up: unit), keeping its length and its bearing. */
KgVector camera_elevate (KgVector camera, KgVector c, KgVector up, double elevation, KgVector bearing);
/* Moves a camera that is nearly above or below c sideways until its line of sight has this angle to up (unit), keeping the
 * distance. */
KgVector camera_avoid_pole (KgVector camera, KgVector c, KgVector up, KgVector bearing, double angle);

/* How a camera at a place looks along a direction: upright, but near up and down, where there is no horizon, the image
 * turns over to where second_up points upwards, so that a slow pass has no jump. */
KgRotation camera_look_along (KgVector direction, KgVector up, KgVector second_up, double roll);
/* The same so that c is at (x, y) of the image, from -1 to 1 each, for these tangents of half angles of view. */
KgRotation camera_look_beside (KgVector direction, KgVector up, KgVector second_up, double roll, double x, double y,
                               double tan_x, double tan_y);

/* The smaller half angle of a field of view (vertical, radians) and an aspect (width over height). */
double camera_get_half_angle (double fov, double aspect);
/* The distance at which a ball touches the edges of the image, with a share of its radius as margin. */
double camera_get_distance (double radius, double margin, double fov, double aspect);
/* The field of view that does so at a distance; false: the camera is in the ball. */
bool camera_get_fov (double radius, double margin, double distance, double aspect, double *fov);
/* Whether the whole ball is in the image. */
bool camera_sees_ball (const KgTransform *camera, double fov, double aspect, double near_plane, double far_plane,
                       const CameraBall *ball);
/* The share of n rays to points spread evenly over a ball that meet the obstacles first.  False without an error when
 * cancelled. */
bool camera_get_blocked (KgVector place, const CameraBall *ball, const KgGeometry *obstacles, guint n,
                         const KgProgressMonitor *monitor, double *share, GError **error);

/* Weights of the places of 2 half + 1 frames, which add up to 1. */
typedef enum { CAMERA_KERNEL_BOX, CAMERA_KERNEL_BINOMIAL, CAMERA_KERNEL_GAUSSIAN, CAMERA_N_KERNELS } CameraKernel;
void camera_get_weights (CameraKernel kernel, guint half, double *weights);

G_END_DECLS
