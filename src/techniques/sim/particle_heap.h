/* particle_heap: balls that are displaced until none is within another one, or within a wall.
 *
 * Each ball wishes to move by w_i.  The moves d_i nearest to the wishes (least Σ m_i |d_i - w_i|²) are found for which
 *   n · (d_j - d_i) >= r_i + r_j - |x_j - x_i|     for balls near each other, n from i to j,
 *   n · d_i         >= r_i - distance              for walls, n away from the wall:
 * projected Gauss-Seidel on the pushes (λ >= 0), colour by colour of contacts that have no ball in common, upwards and downwards
 * in turn, from the pushes of the step before: threads share a colour, and the bits are the same for any number of them.  Friction holds along a contact what is less than its coefficient times the push.  What
 * overlap is left, because rows are linear and contacts are not, is taken out by displacements of its own.
 * Two uses: without velocities the wish is a step of a given length along the force, so that no heap ever shakes; with
 * velocities the wish is the free flight, and what the displacement took off it is taken off the velocity in a pass after it.
 * Then, as 0 is among the allowed moves, no step adds kinetic energy.
 * Sources: Ahn and others (position-based balls; displacements with a separate pass over velocities), which name the methods
 * only; the law is that of Moreau's sweeping process: Moreau, Numerical aspects of the sweeping process, 1999; Gauss-Seidel on
 * pushes: Jean, The non-smooth contact dynamics method, 1999; Müller and others, Position Based Dynamics, 2007.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/particle_mesh.h"
#include "sim/particle_pairs.h"

G_BEGIN_DECLS

/* What a contact has pushed with, in kg m: kept for the next step. */
typedef struct {
  int32_t ball, other; /* ids; other: negative: a wall */
  float push, rub[3];  /* across and along it */
} ParticlePush;

/* What balls lie on. */
typedef struct {
  const ParticleObstacles *obstacles; /* its friction is also that of balls among each other */
  const ParticleMesh *mesh;           /* (nullable) */
  const KgField *const *solids;       /* balls are kept out of what is above its level */
  guint n_solids;
  double time;       /* at which solids are asked */
  double from, till; /* shares of the step of the mesh, for the substep */
} ParticleWalls;

/* Most contacts with other balls that a ball keeps: the twelve around it in the densest packing, those behind them, and the small
 * ones around one that is a few times as wide. */
#define HEAP_CONTACTS 64

/* Moves the balls of a swarm, whose p is where free flight takes them (and v its velocity) from the places start (3 each).
 * Of balls with more contacts than HEAP_CONTACTS only those stay that are among the deepest of one of the two: thousands in one
 * place would have millions.
 * False and *error: too many neighbours; without an error: cancelled. */
bool particle_heap_settle (const ParticlePairs *pairs, const ParticleSwarm *swarm, const ParticleWalls *walls,
                           const float *start, const KgProgressMonitor *monitor, GError **error);
/* The radius of the smallest ball that is larger than 0; 0: there is none. */
double particle_heap_get_smallest (const float *widths, size_t n);

/* Pushes as points with the attributes pair and push, and back.  (transfer full) */
KgGeometry *particle_heap_keep_pushes (const GArray *pushes, GError **error);
GArray *particle_heap_recall_pushes (const KgGeometry *kept);

G_END_DECLS
