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
#include "sim/particle_mesh.h"
#include "sim/particle_pairs.h"

G_BEGIN_DECLS

typedef enum {
  PARTICLE_EULER,    /* speed first, then place with the new speed */
  PARTICLE_RK4,      /* Runge-Kutta of the fourth order */
  PARTICLE_AVERAGE,  /* place with the mean of the speeds before and after */
  PARTICLE_VERLET,   /* velocity Verlet: second order, stable for springs */
  PARTICLE_EXPLICIT, /* place with the speed before: gains energy */
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
  KgColor color_spread;               /* how far each channel strays by itself */
  double inherit_color, inherit_size; /* shares of the parent's */
} ParticleTraits;

/* Places that particles are pulled to by critically damped springs: a = ω² (q - x) - 2 ω v.  A particle of number i goes to the
 * place with that id, or without ids to place i mod n. */
typedef struct {
  size_t n;            /* 0: none */
  const float *places; /* 3 each */
  const int32_t *ids;  /* (nullable) ascending */
  double strength;     /* ω, 1/s */
} ParticleGoal;

/* The cause of a particle's death. */
typedef enum {
  PARTICLE_LIVES,
  PARTICLE_DIED_OF_AGE,
  PARTICLE_DIED_OF_FADING,
  PARTICLE_DIED_OF_DISTANCE,
  PARTICLE_DIED_OF_PLACE,
  PARTICLE_DIED_OF_HIT,
  PARTICLE_DIED_OF_ROOM /* it was replaced */
} ParticleCause;

/* One step.  What is before particle_flight_init is set by the caller, the rest is filled in. */
typedef struct {
  ParticleTraits traits;
  ParticleSource source; /* its dt is that of the step */
  ParticleObstacles obstacles;
  ParticleIntegrator integrator;
  int64_t substeps;
  bool weigh;           /* forces are divided by the mass; else they are accelerations */
  const KgField *force; /* NULL: none */
  /* Those of the forces that draw velocities (NULL: none), and by how much at most; see kg_field_get_hold.  Where that is more
   * than a step can follow, they are taken as linear in the velocity and solved exactly, but by the explicit Euler method. */
  const KgField *resistance;
  double hold;
  double time;       /* at the start */
  uint64_t first_id; /* of those that are born */
  bool at_once;      /* they are born at the start of the step, not spread over it */
  ParticleGoal goal;
  const ParticlePairs *pairs; /* (nullable) */
  const ParticleMesh *mesh;   /* (nullable) */
  const KgField *const *solids;
  guint n_solids;
  bool report_hits;
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
  const int32_t *from_held; /* (nullable) */
  int32_t *held;            /* (nullable) of the next state; see ParticleContacts */
  GArray **hits;            /* (nullable) of each block */
  float *pull;              /* (nullable) accelerations by pairs */
  float *starts;            /* (nullable) where heaped particles are at the start of the substep */
  double stride;            /* metres that those without velocities go in a substep; 0: they have some */
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

/* After running: those that did not live to the end of the step, as they were before it or when they were born, with the point
 * attribute cause.  NULL without an error: cancelled.  (transfer full) (nullable) */
KgGeometry *particle_flight_get_expired (const ParticleFlight *flight, const KgProgressMonitor *monitor,
                                         GError **error);
/* After running: where surfaces were hit, with v as it arrived there, N, and the id, Cd and width of the particle.
 * (transfer full) (nullable) */
KgGeometry *particle_flight_get_hits (const ParticleFlight *flight, const KgGeometry *state, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ParticleFlight, particle_flight_clear)

G_END_DECLS
