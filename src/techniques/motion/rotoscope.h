/* rotoscope: points of space from where they are in two images, taken at the same time from the front and from the side.
 *
 * Flat views: x is seen in the front view, z in the side view, y in both: y = sum s^2 y / sum s^2 with s pixels per metre, which is
 * right when both are drawn with the same care.  Cameras: the point nearest to both rays, sum (1 - d d') p = sum (1 - d d') o.
 * Source: Wyvill, tutorial of 1988 (rotoscoping from two views).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <stdbool.h>

typedef struct {
  double origin[2]; /* px: where the origin is seen; of a camera, the centre of its image */
  double scale;     /* px per metre; of a camera, its focal length in px */
  bool y_down;
  double sign; /* -1: its horizontal axis runs against x, or z */
  bool camera;
  KgTransform pose; /* of a camera: it looks along its -z */
} RotoscopeView;

/* front, side: px.  *residual: how far the two views disagree.  False when rays of cameras are parallel. */
bool rotoscope_locate (const RotoscopeView views[2], const double front[2], const double side[2], KgVector *point,
                       double *residual);
