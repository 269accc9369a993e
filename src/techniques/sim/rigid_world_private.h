/* rigid_world_private: for the files rigid_*.c that step a world.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/envelope_matrix.h"
#include "sim/rigid_world.h"

/* Bodies that move slower than this for this long may fall asleep. */
#define RIGID_STILL_SPEED 0.05
#define RIGID_STILL_SECONDS 0.5
/* Bodies that overlap come apart no faster than this (m/s), and touch this share of their size. */
#define RIGID_RECOVER_SPEED 1.0
#define RIGID_SLOP 0.005
/* Joints that gape by more than this share of the bodies they join contradict each other, or were far from closed at the start. */
#define RIGID_GAPING 0.05

typedef struct _RigidWork {
  KgVector *omegas;                  /* n + 1 */
  RigidSpeed *speeds;                /* n + 1 */
  KgVector *accelerations, *torques; /* n */
  double slop;                       /* metres */
  RigidPair *unlinked;               /* sorted pairs of joined bodies */
  guint n_unlinked;
  /* Rows of joints. */
  GArray *equal, *limited;            /* RigidRow */
  guint *first_equal, *first_limited; /* of each joint, and the ends */
  EnvelopeMatrix matrix;
  GArray *known; /* RigidPair: the bodies of the rows that the matrix was made for */
  bool direct;   /* the matrix is factorised */
  double *right;
  double *swings;           /* n + 1, 0 between uses */
  KgVector *pulls, *twists; /* impulses of each joint in a substep */
} RigidWork;

/* Forces at the moment, on bodies that are awake. */
void rigid_world_sample_forces (RigidWorld *world, const RigidSettings *settings, double time);
/* Speeds from motions, without forces. */
void rigid_world_read_speeds (RigidWorld *world);
/* Velocities and momenta back; what the world's axes are now decides about momenta. */
void rigid_world_write_speeds (RigidWorld *world, const KgVector *omegas_before);
bool rigid_world_is_awake (const RigidWorld *world, uint32_t body);
/* Contacts for the time ahead. */
bool rigid_world_find_contacts (RigidWorld *world, const RigidSettings *settings, double ahead, double margin,
                                const KgProgressMonitor *monitor, GError **error);
/* Adds the impulses of contacts to the log. */
void rigid_world_log (RigidWorld *world);

/* Rows of all joints and the grab, at the places of now; relax: of what is left of a substep. */
void rigid_world_make_rows (RigidWorld *world, const RigidSettings *settings, double h, bool relax);
/* The joints alone, once: those of equality together. */
void rigid_world_solve_joints (RigidWorld *world, bool relax);
/* Adds what the rows took to pulls and twists, and keeps what has been spent until they are relaxed. */
void rigid_world_add_loads (RigidWorld *world, bool relax);
/* Breaks joints; what was taken in a substep starts anew. */
void rigid_world_break_joints (RigidWorld *world, double h, RigidReport *report);

/* (transfer full) Of each body the lowest of those that contacts, of bodies near each other, and joints connect it with. */
uint32_t *rigid_world_find_islands (const RigidWorld *world);
/* Wakes the bodies that awake ones touch, or will touch in the time ahead. */
void rigid_world_wake (RigidWorld *world, double ahead);
/* Puts to sleep the bodies that have been still. */
void rigid_world_sleep (RigidWorld *world, double dt);

/* One update: contacts are found and substeps done. */
bool rigid_step_sequential (RigidWorld *world, const RigidSettings *settings, double time, double dt,
                            RigidReport *report, const KgProgressMonitor *monitor, GError **error);
bool rigid_step_exact (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                       const KgProgressMonitor *monitor, GError **error);
bool rigid_step_penalty (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                         const KgProgressMonitor *monitor, GError **error);

/* Forces, which have been sampled, joints and motion. */
void rigid_substep_without_contacts (RigidWorld *world, const RigidSettings *settings, double h, RigidReport *report);

static inline KgVector
rigid_speed_at (const RigidSpeed *speed, KgVector arm)
{
  return kg_vector_add (speed->v, kg_vector_cross (speed->w, arm));
}

/* An impulse on a body at an arm. */
static inline void
rigid_speed_push (RigidSpeed *speed, KgVector arm, double sign, KgVector impulse)
{
  speed->v = kg_vector_add_scaled (speed->v, sign * speed->inverse_mass, impulse);
  speed->w = kg_vector_add_scaled (speed->w, sign,
                                   symmetric_matrix_apply (speed->inverse_inertia, kg_vector_cross (arm, impulse)));
}

/* n · (K n) of two bodies along n. */
static inline double
rigid_speeds_yield (const RigidSpeed *a, KgVector arm_a, const RigidSpeed *b, KgVector arm_b, KgVector n)
{
  return a->inverse_mass + b->inverse_mass +
         symmetric_matrix_get_along (a->inverse_inertia, kg_vector_cross (arm_a, n)) +
         symmetric_matrix_get_along (b->inverse_inertia, kg_vector_cross (arm_b, n));
}
