/* camera_calibration: the camera that took an image, from points whose places in the world are known.
 * Source: Parent, Computer Animation, B.9, with the rows, signs and offsets of Eq. B.154, B.160, B.162 put right; Weng, Cohen
 * and Herniou 1992 (the nearest rotation); Hartley and Zisserman, Multiple View Geometry, 7.2 (normalised coordinates, and the
 * reprojection error as what is made least).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Q = R p + T; column = c0 + fu Qx / Qz; row = r0 + fv Qy / Qz.  Lengths in pixels, rows go down. */
typedef struct {
  double fu, fv, c0, r0;
  double r[3][3];
  double t[3];
} CameraPixels;

/* A place in the world and in the image. */
typedef struct {
  double p[3];
  double column, row;
} CameraMeasurement;

/* *depth: Qz; the pixel is not set where that is 0. */
bool camera_project (const CameraPixels *camera, const double p[3], double *column, double *row, double *depth);

/* Six measurements or more that do not lie in a plane.  refine: least squares of the reprojection after the linear solution.
 * False with an error; or without one when cancelled. */
bool camera_calibrate (const CameraMeasurement *measurements, guint n, bool refine, CameraPixels *camera,
                       const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
