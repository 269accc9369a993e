/* particle_collision: bouncing of moving points off a plane and a ball, and what meeting a surface does to them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"

typedef enum {
  PARTICLE_BOUNCE,
  PARTICLE_DIE,
  PARTICLE_STICK,
  PARTICLE_SLIDE, /* it keeps what it has along the surface */
  PARTICLE_N_ON_HIT
} ParticleOnHit;

typedef struct {
  bool ground, ball;
  double height; /* a number that a float can hold, so that what lies on the ground lies on it exactly */
  KgVector center;
  double radius;
  double restitution; /* share of the speed across the surface that is left */
  double friction;    /* Coulomb's coefficient */
  ParticleOnHit on_hit;
  double stick;     /* share of the points that stick, drawn by lot for each; the others bounce */
  double thickness; /* share of the width that meshes and fields are kept clear of */
  uint64_t seed;    /* of the lot */
} ParticleObstacles;

/* Places and velocities of up to KG_FIELD_BLOCK points as separate coordinates. */
typedef struct {
  float x[3][KG_FIELD_BLOCK], v[3][KG_FIELD_BLOCK];
} ParticleBlock;

/* What holds a point, besides the triangles of a mesh, which count from 1. */
enum { PARTICLE_FREE = 0, PARTICLE_HELD = -1, PARTICLE_DEAD = -2 };

/* A point of a block that arrived at a surface. */
typedef struct {
  uint32_t index;
  float place[3], velocity[3], normal[3]; /* velocity as it arrived */
} ParticleHit;

/* What is known of the points of a block beyond their motion, and what becomes of them. */
typedef struct {
  const int32_t *ids;
  const float *widths;
  int32_t held[KG_FIELD_BLOCK];
  GArray *hits; /* (nullable) ParticleHit */
} ParticleContacts;

/* Corrects the end (in: of free flight) of a step that took h[i] seconds from the start.  Nothing ends up below the
 * ground; fast points do not jump through the ball.  contacts: (nullable) all points bounce, and nobody asks which. */
void particle_collide (const ParticleObstacles *obstacles, const ParticleBlock *start, ParticleBlock *end,
                       const float *h, size_t n, ParticleContacts *contacts);
