/* particle_birth: how many particles are born, where, and how fast.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"
#include "kg-motion.h"

enum {
  PARTICLE_FROM_POINT,
  PARTICLE_FROM_POINTS,
  PARTICLE_FROM_SURFACE,
  PARTICLE_FROM_BOX,
  PARTICLE_FROM_DISC,
  PARTICLE_FROM_BALL,
  PARTICLE_FROM_LINE,
  PARTICLE_FROM_CIRCLE,
  PARTICLE_FROM_VOLUME,
  PARTICLE_N_SHAPES
};

/* What a random number of a particle is for (counters of kg-random.h; a gap where more than one is drawn). */
enum {
  PARTICLE_DRAW_LIFE,
  PARTICLE_DRAW_SPEED,
  PARTICLE_DRAW_DIRECTION, /* and the next */
  PARTICLE_DRAW_SIZE = 4,
  PARTICLE_DRAW_COLOR,
  PARTICLE_DRAW_ALPHA,
  PARTICLE_DRAW_MASS,
  PARTICLE_DRAW_TIME,
  PARTICLE_DRAW_PLACE, /* and the next three */
  PARTICLE_DRAW_STICK = 13,
  PARTICLE_DRAW_SPIN,        /* and the next four */
  PARTICLE_DRAW_SPREAD = 19, /* of each channel of the colour: and the next three */
  PARTICLE_DRAW_PHASE = 23,  /* of a parent */
  PARTICLE_DRAW_LOOKS = 24,  /* and the next three */
  PARTICLE_DRAW_COUNT = 100  /* with the number of the step instead of a particle's; and all that follow */
};

/* How numbers stray to either side of a mean, -1..1. */
typedef enum {
  PARTICLE_SPREAD_UNIFORM,
  PARTICLE_SPREAD_GAUSSIAN, /* a third as deviation, drawn again beyond 1 */
  PARTICLE_SPREAD_TRIANGULAR,
  PARTICLE_SPREAD_CURVE, /* the inverse of a distribution: where it is at a uniform number */
  PARTICLE_N_SPREADS
} ParticleSpread;

typedef struct {
  uint64_t seed;
  int shape;
  KgVector before, now; /* the emitter's position at the start and the end of the step */
  double dt;
  KgVector size;
  KgVector direction; /* unit */
  bool along_normals;
  double spread; /* radians */
  double speed, speed_variance;
  double inherit;
  ParticleSpread distribution;
  const KgMotion *curve;      /* (nullable) of PARTICLE_SPREAD_CURVE: 0..1 to -1..1 */
  const KgGeometry *geometry; /* (nullable) */
  const float *previous;      /* (nullable) places of its points at the start of the step */
  const uint32_t *parents;    /* (nullable) the point that each birth is from, the first of number first_id */
  uint64_t first_id;
  const TriangleMesh *volume; /* of PARTICLE_FROM_VOLUME */
  const MeshWinding *winding; /* (nullable) */
  size_t n_triangles;
  const double *areas;       /* running sum, one for each triangle */
  const uint32_t *triangles; /* three points each */
} ParticleSource;

/* -1..1, as the distribution says. */
double particle_draw_signed (const ParticleSource *source, uint64_t id, uint64_t purpose);

/* Triangles of all polygons (as fans), to be written with particle_source_set_triangles. */
size_t particle_source_count_triangles (const KgGeometry *geometry);
/* areas and triangles: room for that many, kept by the caller. */
void particle_source_set_triangles (ParticleSource *source, double *areas, uint32_t *triangles);
/* False when the source is a geometry in which there is nothing to be born from. */
bool particle_source_is_usable (const ParticleSource *source);

/* Where and how fast the particle of this number is born at a part (0..1) of the step.  Reads nothing that another
 * particle's birth writes. */
void particle_source_draw (const ParticleSource *source, uint64_t id, double part, KgVector *place, KgVector *velocity);

/* Births in a step with this mean: exact up to a mean of 500 (Knuth's product of uniform numbers), beyond it the
 * rounded normal of the same mean and variance, whose skewness is off by less than 0.05. */
uint64_t particle_draw_poisson (uint64_t seed, uint64_t step, double mean);
