/* near: numbers that are the same but for a tolerance.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <glib.h>

#define assert_near(a, b, tolerance) g_assert_cmpfloat_with_epsilon (a, b, MAX (tolerance, 1e-300))
#define assert_vector_near(v, x_, y_, z_, tolerance)                                                                   \
  do {                                                                                                                 \
    const KgVector vector_ = (v);                                                                                      \
    assert_near (vector_.x, x_, tolerance);                                                                            \
    assert_near (vector_.y, y_, tolerance);                                                                            \
    assert_near (vector_.z, z_, tolerance);                                                                            \
  } while (0)
