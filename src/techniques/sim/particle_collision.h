/* particle_collision: bouncing of moving points off a plane and a ball.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"

typedef struct {
  bool ground, ball;
  double height; /* a number that a float can hold, so that what lies on the ground lies on it exactly */
  KgVector center;
  double radius;
  double restitution; /* share of the speed across the surface that is left */
  double friction;    /* Coulomb's coefficient */
} ParticleObstacles;

/* Places and velocities of up to KG_FIELD_BLOCK points as separate coordinates. */
typedef struct {
  float x[3][KG_FIELD_BLOCK], v[3][KG_FIELD_BLOCK];
} ParticleBlock;

/* Corrects the end (in: of free flight) of a step that took h[i] seconds from the start.  Nothing ends up below the
 * ground; fast points do not jump through the ball. */
void particle_collide (const ParticleObstacles *obstacles, const ParticleBlock *start, ParticleBlock *end,
                       const float *h, size_t n);
