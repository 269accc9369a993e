/* moving_transform: a transform and its rate, so that velocities of products are exact.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

typedef struct {
  KgTransform t;
  KgTransform rate; /* of each number, per unit of time; its last row is 0 */
} MovingTransform;

/* One that stands still. */
static inline MovingTransform
moving_transform_still (KgTransform t)
{
  return (MovingTransform){ .t = t };
}

/* A rotation about the origin with an angular velocity. */
static inline MovingTransform
moving_transform_turning (KgRotation q, KgVector spin)
{
  MovingTransform m = { .t = kg_transform_from_parts (kg_vector (0, 0, 0), q, kg_vector (1, 1, 1)) };

  for (int column = 0; column < 3; column++) {
    const KgVector rate = kg_vector_cross (spin, kg_vector (m.t.m[0][column], m.t.m[1][column], m.t.m[2][column]));

    m.rate.m[0][column] = rate.x;
    m.rate.m[1][column] = rate.y;
    m.rate.m[2][column] = rate.z;
  }
  return m;
}

/* The angular velocity of fixed angles about x, then y, then z, in radians, from their rates. */
static inline KgVector
moving_transform_get_spin (KgVector angles, KgVector rates)
{
  const double cy = cos (angles.y), sy = sin (angles.y), cz = cos (angles.z), sz = sin (angles.z);

  return kg_vector (cz * cy * rates.x - sz * rates.y, sz * cy * rates.x + cz * rates.y, rates.z - sy * rates.x);
}

static inline MovingTransform
moving_transform_multiply (MovingTransform a, MovingTransform b)
{
  const KgTransform first = kg_transform_multiply (a.rate, b.t), second = kg_transform_multiply (a.t, b.rate);
  MovingTransform m = { .t = kg_transform_multiply (a.t, b.t) };

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      m.rate.m[i][j] = first.m[i][j] + second.m[i][j];
  return m;
}
