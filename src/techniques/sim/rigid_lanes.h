/* rigid_lanes: sequential impulses at contacts, several contacts at a time in the lanes of vectors.
 *
 * The contacts of two bodies along one normal are a bundle.  A bundle waits for those before it that have a body in common with
 * it, and those that wait for the same are solved side by side: each body meets its contacts in their order, so that the
 * impulses are those of one contact after the other, whatever the number of lanes.
 *
 * Inverse tensors are G Gᵀ and angular velocities G u: along u, the vector by which a row measures is the one by which it
 * changes (a Cholesky factor in place of the tensor), which halves what has to be read.
 * Units: metres, kilograms, seconds, radians.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/rigid_body.h"
#include "sim/rigid_contacts.h"
#include "sim/rigid_rows.h"

G_BEGIN_DECLS

#define RIGID_LANES 4

/* What changes of a contact: numbers[RIGID_LANES * RIGID_NORMAL] and so on. */
enum { RIGID_NORMAL, RIGID_ALONG, RIGID_ACROSS, RIGID_GAP, RIGID_ROLL_X, RIGID_ROLL_Y, RIGID_ROLL_Z, RIGID_N_NUMBERS };

/* A contact during an update. */
typedef struct {
  RigidContact *contact;
  uint32_t a, b;
  KgVector normal, along, across;
  KgVector arm_a, arm_b;     /* as they were when it was found, in the world */
  KgVector start_a, start_b; /* arms to the cores of the shapes */
  double *numbers; /* impulses along the three directions, how far apart the two are, and the twist of rolling */
  double approach; /* INFINITY: not known yet */
  double thrown;   /* impulse of the bounce */
  KgVector rubbed; /* friction of the bounce */
} RigidPush;

static inline double *
rigid_push_get (const RigidPush *push, int number)
{
  return &push->numbers[RIGID_LANES * number];
}

typedef struct _RigidLanes RigidLanes;

/* (transfer full) Of n contacts in the order in which they are solved, and n_bodies bodies with the one that stands for the
 * ground: takes impulses, twists and depths from the contacts, and sets their numbers, which are its own. */
RigidLanes *rigid_lanes_new (RigidPush *pushes, guint n, const RigidSpeed *speeds, guint n_bodies);
void rigid_lanes_free (RigidLanes *lanes);

/* How far the two of each contact are apart, along the normal that was found, when bodies are where they are now; places: at
 * which they were when it was found; turned: by how much they have turned since. */
void rigid_lanes_measure (RigidLanes *lanes, const RigidMotion *motions, const KgVector *places,
                          const KgRotation *turned);

/* Reads the velocities; bias: for each number of metres by which two are too near, the velocity (1/s) with which they
 * part, and most of it (m/s); slop: metres that they may be too near; h: seconds in which what is apart may come together. */
typedef struct {
  double h, bias, slop, recover, rolling, spinning;
} RigidLaneStep;
void rigid_lanes_begin (RigidLanes *lanes, const RigidSpeed *speeds, const RigidLaneStep *step);
/* The impulses that there are act on the velocities. */
void rigid_lanes_apply (RigidLanes *lanes);
/* Each contact once: friction, rolling, normal.  change: (out) of a normal impulse at most; most: (out) the largest of them. */
void rigid_lanes_pass (RigidLanes *lanes, bool backwards, double *change, double *most);
/* Goes on from where two passes have led, see rigid_sequential.c; the first one starts it. */
void rigid_lanes_begin_extrapolation (RigidLanes *lanes);
void rigid_lanes_keep (RigidLanes *lanes);
void rigid_lanes_extrapolate (RigidLanes *lanes);
/* What has changed of the velocities, to and from others that change them in between. */
void rigid_lanes_write_speeds (RigidLanes *lanes, RigidSpeed *speeds);
void rigid_lanes_read_speeds (RigidLanes *lanes, const RigidSpeed *speeds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RigidLanes, rigid_lanes_free)

G_END_DECLS
