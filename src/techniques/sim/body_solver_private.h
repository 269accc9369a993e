/* body_solver_private: what adjusting bodies and moving them out of contacts share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/body_solver.h"

G_BEGIN_DECLS

typedef struct {
  guint body, joint; /* the joint to the one before; unused for the first */
  double mass;       /* of the body and all behind it */
} BodyStop;

/* A tree in the order in which it is walked from a root: each body after the one it hangs on. */
typedef struct {
  guint n;
  BodyStop *stops;
} BodyOrder;

typedef struct {
  guint first_limit, n_limits;
  KgVector pin_a, pin_b; /* from the rest centres */
} BodyLink;

/* A stop with all behind it, while two bodies of its tree are turned apart. */
typedef struct {
  guint parent;        /* the stop before it */
  double mass, square; /* the sum of masses, and of masses times squared places, from where the bodies touch */
  KgVector moment;     /* of masses times places */
  KgVector pin, axis;  /* what it can be turned about */
  double lever;        /* how far that moves the two bodies apart, for each radian */
  int side;            /* 1: the second of them is behind it, -1: the first, 0: neither or both */
  bool turned;         /* it, or a stop before it */
  KgRotation turn;     /* of the space that it takes along */
  KgVector shift;
} BodyBranch;

/* What pulls a tree: a held body, a goal, or a joint that closes a ring. */
typedef enum { BODY_ACTOR_HOLD, BODY_ACTOR_GOAL, BODY_ACTOR_RING } BodyActorKind;

typedef struct {
  BodyActorKind kind;
  guint index;
} BodyActor;

struct _BodySolver {
  const BodyAssembly *assembly;
  BodySettings settings;
  double kappa; /* of the tree at hand */
  guint n_bodies, n_joints;
  const Body *bodies;
  const BodyJoint *joints;
  const BodyLimit *limits;
  const BodyJoint *rings;
  BodyPose *poses, *untouched;      /* as they are, and as they were before contacts were solved */
  BodyLink *links;                  /* one for each joint */
  BodyLink *ring_links;             /* likewise */
  guint *near_starts, *near_joints; /* the joints of body i are from near_starts[i] on */
  guint *member_starts, *members;   /* the bodies of component c */
  double *component_mass;
  GArray **actors;   /* BodyActor, for each component */
  BodyOrder *orders; /* for each body; without stops where not walked from yet */
  BodyOrder scratch;
  BodyBranch *branches; /* while they are needed, for each stop; and where the stop of each body is */
  guint *stop_of;
  uint8_t *held, *seen, *moved;
  const SkeletonWall *walls;
  guint n_walls;
  const BodyShape *obstacle;
  const BodyPose *before;
  const BodyHold *holds;
  const BodyGoal *goals;
  guint n_holds, n_goals;
  BodyReport report;
  const KgProgressMonitor *monitor;
};

/* A joint as seen from one of its two bodies. */
typedef struct {
  guint body, parent;
  KgVector pin, parent_pin; /* from the rest centres */
  bool limited;
} BodyHanging;

/* The other body of a joint. */
guint body_joint_get_other (const BodyJoint *joint, guint body);
/* The tree of root as it is walked from there.  (transfer none), until the next call. */
const BodyOrder *body_solver_get_order (BodySolver *solver, guint root);
/* Where a pin, from the rest centre of a body, is now. */
KgVector body_solver_get_pin (const BodySolver *solver, guint body, KgVector pin);
/* A joint as seen from body. */
BodyHanging body_solver_get_hanging (const BodySolver *solver, guint joint, guint body);
/* Clamps the angles of the joint that a stop hangs on. */
void body_solver_clamp_angles (BodySolver *solver, const BodyOrder *order, guint stop, KgVector pin);
/* Lets all bodies follow the root, which is where it is to be. */
void body_solver_follow (BodySolver *solver, guint root);
/* The body that a tree is walked from where nothing holds it. */
guint body_solver_get_free_root (const BodySolver *solver, guint component);
/* Relaxes what pulls a tree until it is where it has to be. */
void body_solver_adjust_component (BodySolver *solver, guint component);
/* Closes all joints, and reaches all goals, by displacements of all bodies. */
void body_solver_displace (BodySolver *solver);
/* Moves all bodies out of what they are in, and puts the goals right that suffer. */
void body_solver_leave_contacts (BodySolver *solver);

G_END_DECLS
