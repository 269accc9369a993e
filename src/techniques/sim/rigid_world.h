/* rigid_world: rigid bodies under forces, in contact and joined, step by step.
 *
 * The order of a step: driven bodies go where they have to; forces; velocities; contacts and joints act on velocities; places and
 * rotations; errors of position are taken out.  Three ways to respond to contacts:
 *
 * - sequential impulses with warm starting, in small steps after each of which the speed that took out errors of position is
 *   taken out itself (Catto 2005, 2024; Macklin et al. 2019), friction in Coulomb's disc, joints together by a direct solver;
 * - exact: colliding contacts one after the other until none collides (Parent, Computer Animation, Eq. 4.67 - 4.77; Moore
 *   and Wilhelms 1988), and resting ones together by a linear complementarity problem (Baraff 1994), in velocities (Stewart
 *   and Trinkle 1996; Anitescu and Potra 1997) so that it has a solution with friction too;
 * - penalty: springs where bodies overlap (Parent, Fig. 4.34; Moore and Wilhelms 1988).
 *
 * Units: metres, kilograms, seconds, radians.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "sim/rigid_contacts.h"
#include "sim/rigid_joints.h"

G_BEGIN_DECLS

typedef enum { RIGID_SEQUENTIAL, RIGID_EXACT, RIGID_PENALTY, RIGID_N_RESPONSES } RigidResponse;

/* When contacts of RIGID_EXACT are responded to. */
typedef enum {
  RIGID_AT_END,      /* of the step in which they are found */
  RIGID_ADVANCEMENT, /* at the moment of impact, found by conservative advancement (Mirtich 1996) */
  RIGID_BISECTION,   /* by halving the step (Parent, Fig. 4.38) */
  RIGID_LINEAR,      /* by a linear estimate, once */
  RIGID_N_TIMES
} RigidTime;

/* The force of a penalty spring in a step. */
typedef enum {
  RIGID_SPRINGS_MEAN,        /* what keeps the energy over the way of the step */
  RIGID_SPRINGS_START,       /* that of the depth at its start */
  RIGID_SPRINGS_APPROACHING, /* the same, only while bodies come nearer: what has sunk in stays there */
  RIGID_N_SPRINGS
} RigidSprings;

/* A body that is driven: from where to where in a frame. */
typedef struct {
  uint32_t body;
  KgVector from, to;
  KgRotation from_turn, to_turn;
} RigidDrive;

typedef struct {
  RigidResponse response;
  RigidTime time;
  guint updates;  /* of the contacts in a frame */
  guint substeps; /* of each update */
  guint passes;   /* over all contacts in a substep */
  RigidTurning turning;
  KgVector gravity;
  const KgField *force; /* (nullable) acceleration, or with weigh force */
  bool weigh;
  double drag, drag_angular; /* 1/s */
  RigidCombine combine;
  RigidGround ground;
  double rolling;            /* metres: a torque of so much for each unit of force */
  double spinning;           /* the same about the normal alone; 0: that of rolling */
  double bounce_speed;       /* slower impacts do not bounce */
  double stiffness, damping; /* of penalty springs: N/m, and share of critical damping */
  RigidSprings springs;
  bool sleep;
  const RigidDrive *drives;
  guint n_drives;
  bool grab; /* a body is pulled at a point, given from its centre, to a place */
  uint32_t grab_body;
  KgVector grab_point, grab_to;
} RigidSettings;

/* What went wrong in a frame, or was done instead. */
enum {
  RIGID_NO_SOLUTION = 1 << 0,    /* of the exact conditions: impulses one after the other */
  RIGID_TOO_MANY = 1 << 1,       /* contacts for the exact conditions: likewise */
  RIGID_STILL_COLLIDE = 1 << 2,  /* after all passes: the rest without bounce */
  RIGID_CONTRADICTION = 1 << 3,  /* joints cannot all hold */
  RIGID_STIFF = 1 << 4,          /* penalty springs for the step */
  RIGID_STEPPED_ENOUGH = 1 << 5, /* more impacts in a step than are stepped back to */
  RIGID_TOO_FAST = 1 << 6        /* a joint gapes, for its bodies move farther in a substep */
};

typedef struct {
  guint events;
  double depth; /* of the deepest contact, in the end */
  guint passes; /* most over the list of colliding contacts */
  guint n_contacts, n_awake, n_broken;
  double gap;         /* of the joint that is farthest off */
  guint joint, other; /* indices of the joints that contradict each other */
} RigidReport;

typedef struct {
  const RigidSet *set;
  guint n;              /* bodies; the ground, or the world, is the one after them */
  RigidMotion *motions; /* n + 1 */
  GArray *contacts;     /* RigidContact: the last ones, to go on from */
  GArray *log;          /* RigidContact: all of the frame that took an impulse */
  GArray *joints;       /* RigidJoint */
  struct _RigidWork *work;
} RigidWorld;

/* (transfer full) All bodies at rest in their places. */
RigidWorld *rigid_world_new (const RigidSet *set);
void rigid_world_free (RigidWorld *world);

/* A frame of dt seconds that starts at the time.  False and *error: a body left the finite numbers (it is named), or there are
 * too many contacts.  False without an error: cancelled. */
bool rigid_world_advance (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                          const KgProgressMonitor *monitor, GError **error);

/* Contacts of the bodies where they are now, in place of those there are.  False as above. */
bool rigid_world_touch (RigidWorld *world, const RigidSettings *settings, const KgProgressMonitor *monitor,
                        GError **error);
/* (nullable) Of the contacts the one that is deepest, measured by the smaller of its two bodies, if it is more than a share of
 * its size. */
const RigidContact *rigid_world_find_deepest (const RigidWorld *world, double share);

/* Of the moving bodies. */
RigidSums rigid_world_get_sums (const RigidWorld *world, KgVector gravity);

/* One impulse with restitution and friction between two bodies at a contact (Parent, Eq. 4.77): it sticks if Coulomb's law
 * allows, else it slides.  b may be what does not yield.  Returns the impulse on a. */
KgVector rigid_collide (const RigidContact *contact, RigidSpeed *a, KgVector arm_a, RigidSpeed *b, KgVector arm_b,
                        double restitution);

/* When, from 0 to 1, a and b first touch as they go on for h seconds under constant acceleration, without rotation of their
 * velocities: by time, see RigidTime.  Returns false when they do not. */
bool rigid_find_impact (const RigidWorld *world, uint32_t a, uint32_t b, const RigidContactOptions *options,
                        const KgVector *omegas, KgVector acceleration, double h, RigidTime how, double *time);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RigidWorld, rigid_world_free)

G_END_DECLS
