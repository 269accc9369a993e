/* particle_pairs: forces between particles, and collisions among them.
 *
 * On i by j, with d = x_j - x_i, l = |d|, u = d / l:
 *   springs     F = [k (l - L) + c ((v_j - v_i) · u)] u    between all within reach, the nearest ones, or along links
 *   repulsion   F = -k (1 - l / reach)² u                   within reach
 *   law         F = -k ((L / l)³ - (L / l)²) u           within reach; as at 0.2 L where nearer
 *   gravity     F = k m_i m_j / (l² + L²) u                 within reach
 * and -F on j.  A pair counts among the nearest when either lists the other, else momentum would not be kept.  Each particle sums
 * over its neighbours in their order, so that the bits are the same for any number of threads.  Points at one place part in a
 * direction that is drawn from their numbers.
 * Collisions are those of balls as wide as the particles: impulses J = (1 + e) v_n m_i m_j / (m_i + m_j) for pairs that approach
 * each other, or met within the substep, in sweeps whose corrections are averaged over the contacts of a particle (Jacobi), and overlaps are removed in
 * the ratio of the inverse masses.
 * Sources: Parent, Computer Animation, 4.5; Reynolds 1987 (neighbourhoods); Hahn 1988 (impulses).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  PARTICLE_PAIRS_NONE,
  PARTICLE_PAIRS_SPRING,
  PARTICLE_PAIRS_NEAREST,
  PARTICLE_PAIRS_LINKS,
  PARTICLE_PAIRS_REPEL,
  PARTICLE_PAIRS_LAW,
  PARTICLE_PAIRS_GRAVITY,
  PARTICLE_PAIRS_COLLIDE,
  PARTICLE_PAIRS_POSITION, /* these two: particle_heap.h */
  PARTICLE_PAIRS_CONTACT,
  PARTICLE_N_PAIRS
} ParticlePairKind;

typedef struct {
  ParticlePairKind kind;
  double stiffness, damping, length, reach;
  size_t neighbours;
  double restitution;
  const KgGeometry
      *links;  /* (nullable) its lines of two points are springs of the length that they have there, between the
                              particles with the ids, or the indices, of their points */
  double tear; /* a link longer than this many of its lengths pulls no more; 0: never */
  uint64_t seed;
  /* Of heaps. */
  double step;    /* without velocities: share of the smallest radius that balls go in a substep */
  guint sweeps;   /* most of them */
  double rest;    /* share of the smallest radius: a heap in which no ball goes farther stays as it is */
  GArray *pushes; /* ParticlePush: of the step before, and then of this one */
  size_t *
      crowded; /* (nullable) (out) balls some of whose contacts were left out, in any substep: see particle_heap_settle */
} ParticlePairs;

/* The particles, and how far the step is. */
typedef struct {
  size_t n;
  float *p, *v;                    /* 3 each */
  const float *mass, *width, *age; /* age: at the start of the step; negative: born within it */
  const int32_t *id;               /* ascending */
  const int32_t *held;             /* (nullable) not 0: others push it in vain */
  double elapsed, length;          /* seconds since the start of the step, and of the substep */
} ParticleSwarm;

/* Whether there are forces to be summed (else collisions, or nothing). */
bool particle_pairs_pull (const ParticlePairs *pairs);
/* Whether they lie on each other as balls that are displaced. */
bool particle_pairs_pile_up (const ParticlePairs *pairs);
/* The direction (unit) from i to j where both are in one place: the same but for the sign from j to i. */
KgVector particle_pairs_get_parting (const ParticlePairs *pairs, const ParticleSwarm *swarm, size_t i, size_t j);
/* accelerations: 3 each.  False and *error: too many neighbours; without an error: cancelled. */
bool particle_pairs_accelerate (const ParticlePairs *pairs, const ParticleSwarm *swarm, float *accelerations,
                                const KgProgressMonitor *monitor, GError **error);
/* Answers collisions at the end of a substep; nothing where there are none among particles. */
bool particle_pairs_collide (const ParticlePairs *pairs, const ParticleSwarm *swarm, const KgProgressMonitor *monitor,
                             GError **error);

G_END_DECLS
