/* orders: the choices of axes for three turns in a row.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"
#include "rotation/conversion.h"

static const KgChoice rotation_orders[] = {
  [EULER_XYZ] = { "xyz", N_ ("x, y, z") },
  [EULER_XZY] = { "xzy", N_ ("x, z, y") },
  [EULER_YXZ] = { "yxz", N_ ("y, x, z") },
  [EULER_YZX] = { "yzx", N_ ("y, z, x") },
  [EULER_ZXY] = { "zxy", N_ ("z, x, y") },
  [EULER_ZYX] = { "zyx", N_ ("z, y, x") },
  [EULER_XYX] = { "xyx", N_ ("x, y, x") },
  [EULER_XZX] = { "xzx", N_ ("x, z, x") },
  [EULER_YXY] = { "yxy", N_ ("y, x, y") },
  [EULER_YZY] = { "yzy", N_ ("y, z, y") },
  [EULER_ZXZ] = { "zxz", N_ ("z, x, z") },
  [EULER_ZYZ] = { "zyz", N_ ("z, y, z") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rotation_orders, EULER_N_ORDERS);

enum { ROTATION_FIXED, ROTATION_MOVING, ROTATION_N_FRAMES };

static const KgChoice rotation_frames[] = {
  [ROTATION_FIXED] = { "fixed", N_ ("Fixed axes: those of the world") },
  [ROTATION_MOVING] = { "moving", N_ ("Moving axes: those of the rotated object") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rotation_frames, ROTATION_N_FRAMES);
