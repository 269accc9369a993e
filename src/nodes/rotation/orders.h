/* orders: the choices of axes for three turns in a row, in the order of EulerOrder.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

/* clang-format off */
#define ROTATION_ORDERS                                                                                                \
  { "xyz", N_ ("x, y, z") }, { "xzy", N_ ("x, z, y") }, { "yxz", N_ ("y, x, z") }, { "yzx", N_ ("y, z, x") },         \
  { "zxy", N_ ("z, x, y") }, { "zyx", N_ ("z, y, x") }, { "xyx", N_ ("x, y, x") }, { "xzx", N_ ("x, z, x") },         \
  { "yxy", N_ ("y, x, y") }, { "yzy", N_ ("y, z, y") }, { "zxz", N_ ("z, x, z") }, { "zyz", N_ ("z, y, z") },         \
  { NULL, NULL }

#define ROTATION_FRAMES                                                                                                \
  { "fixed", N_ ("Fixed axes: those of the world") }, { "moving", N_ ("Moving axes: those of the turned thing") },     \
  { NULL, NULL }
/* clang-format on */
