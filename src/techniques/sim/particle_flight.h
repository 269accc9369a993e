/* particle_flight: one step of particles: those that live on and those that are born in it, flown into the next state.
 *
 * Every random number of a particle is drawn from the seed, its number and a purpose, so that it does not matter in
 * which order or on how many threads they are drawn.  A particle born within a step moves for the rest of the step
 * only.
 * Sources: Reeves 1983 (stochastic attributes); Parent, Computer Animation, chapter on particle systems.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-geometry.h"
#include "kg-progress.h"
#include "sim/particle_birth.h"
#include "sim/particle_collision.h"

G_BEGIN_DECLS

typedef enum {
  PARTICLE_EULER, /* speed first, then place with the new speed */
  PARTICLE_RK4,   /* Runge-Kutta of the fourth order */
  PARTICLE_N_INTEGRATORS
} ParticleIntegrator;

/* The attributes of points; and id. */
enum {
  PARTICLE_P,
  PARTICLE_V,
  PARTICLE_AGE,
  PARTICLE_LIFE,
  PARTICLE_MASS,
  PARTICLE_WIDTH,
  PARTICLE_CD,
  PARTICLE_N_ATTRIBUTES
};

/* What particles are born with: a mean, and how far it strays to either side. */
typedef struct {
  double lifetime, lifetime_variance; /* seconds */
  double mass, mass_variance;
  double size, size_variance;
  KgColor color;
  double color_variance, alpha_variance;
} ParticleTraits;

/* One step.  What is before particle_flight_init is set by the caller, the rest is filled in. */
typedef struct {
  ParticleTraits traits;
  ParticleSource source; /* its dt is that of the step */
  ParticleObstacles obstacles;
  ParticleIntegrator integrator;
  int64_t substeps;
  bool weigh;           /* forces are divided by the mass; else they are accelerations */
  const KgField *force; /* NULL: none */
  double time;          /* at the start */
  uint64_t first_id;    /* of those that are born */
  /* Filled in. */
  float dt;
  size_t n_before, n_births, n_blocks, n_old_blocks;
  const float *from[PARTICLE_N_ATTRIBUTES];
  float *to[PARTICLE_N_ATTRIBUTES];
  const int32_t *from_id;
  int32_t *to_id;
  const KgGeometry *state;
  bool unchanged;  /* nobody dies or is born: only P, v and age are written, and the next state shares the rest */
  size_t *offsets; /* where the survivors of each block go; one more than blocks */
} ParticleFlight;

/* (transfer full) (nullable) A state without particles. */
KgGeometry *particle_flight_new_state (GError **error);

/* Begins a step from a state, which must outlive it; *living: how many of its particles live on.  Fails without memory. */
bool particle_flight_init (ParticleFlight *flight, const KgGeometry *state, size_t *living, GError **error);
void particle_flight_clear (ParticleFlight *flight);
/* Flies all of them, with so many births.  (transfer full) (nullable) the next state: the survivors in their order, then
 * those that were born and live.  Fails when a number leaves the finite ones; NULL without an error when monitor (nullable)
 * says that it is cancelled.  The same bits for any number of threads. */
KgGeometry *particle_flight_run (ParticleFlight *flight, size_t n_births, const KgProgressMonitor *monitor,
                                 GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ParticleFlight, particle_flight_clear)

G_END_DECLS
