/* body_solver: jointed rigid bodies that first move alone and are then pulled and turned back together.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "sim/body_rules.h"
#include "sim/skeleton_solver.h"

/* What a subtree weighs against, when one of its bodies is pulled. */
typedef enum {
  BODY_GROUP_SHAPE, /* the inertia of the body grows with the mass of its group: it turns as if it were alone */
  BODY_GROUP_OWN,   /* its own inertia: heavy tails make it turn more */
  BODY_N_GROUP_INERTIAS
} BodyGroupInertia;

/* How bodies come together after each has moved alone. */
typedef enum {
  BODY_PROCEDURAL,   /* tree by tree, from what leads it: exact at once; masses count by kappa only */
  BODY_DISPLACEMENT, /* pass after pass over all joints: masses and inertias count as they are; angles are not limited */
  BODY_N_METHODS
} BodyMethod;

typedef struct {
  BodyMethod method;
  double kappa; /* how readily a body turns when it is pulled; 0: not at all */
  BodyGroupInertia group;
  bool break_symmetry; /* a body that is pushed straight on turns to some side */
  guint root;          /* the body that a free tree is put together from */
  bool calm;           /* bodies rotate less readily where several targets do not settle */
  guint passes;        /* of relaxation, at most */
  double tolerance;    /* metres that goals and contacts may be off */
  bool plane;
  BodyContact contact;
  bool collide;     /* bodies of different trees with each other */
  bool collide_own; /* bodies of one tree too, but those that a joint connects or that overlap at rest */
  double thickness; /* half of it is kept free around bodies */
  double rebound;   /* share of the speed that contacts give to bodies that they keep, 0..1 */
} BodySettings;

/* What is reported of a step. */
typedef enum {
  BODY_UNREACHABLE = 1 << 0,    /* goals were not reached within the passes, or ever */
  BODY_ALL_HELD = 1 << 1,       /* joints between held bodies do not meet */
  BODY_AMBIGUOUS = 1 << 2,      /* a joint in space, straight or folded, had to turn some way */
  BODY_STUCK = 1 << 3,          /* contacts were not solved within the passes */
  BODY_FAST = 1 << 4,           /* a body moved farther in a step than its size, with contacts */
  BODY_OBSTACLE_EMPTY = 1 << 5, /* these two are set by the reader of the obstacle */
  BODY_OBSTACLE_OPEN = 1 << 6,
} BodyEvents;

/* A point of a body, and where it is to be. */
typedef struct {
  guint body;
  KgVector pin; /* at rest */
  KgVector place;
} BodyGoal;

/* A driven body. */
typedef struct {
  guint body;
  KgVector place;
  KgRotation turn;
} BodyHold;

typedef struct _BodySolver BodySolver;

/* (transfer full) Keeps the assembly (lent), with all bodies at rest where they are in it. */
BodySolver *body_solver_new (const BodyAssembly *assembly, const BodySettings *settings);
void body_solver_free (BodySolver *solver);
/* One for each body: read and written between steps. */
BodyPose *body_solver_get_poses (BodySolver *solver);
void body_solver_set_walls (BodySolver *solver, const SkeletonWall *walls, guint n);
/* obstacle: (nullable, lent) a shape in the world. */
void body_solver_set_obstacle (BodySolver *solver, const BodyShape *obstacle);

/* monitor: (nullable, lent) cancels steps. */
void body_solver_set_monitor (BodySolver *solver, const KgProgressMonitor *monitor);

/* The adjustment stage, contacts included.  False when the monitor says that it is cancelled.  before: the poses before the update stage, which the step and spin of each
 * body are measured from afterwards.  holds and goals: sorted as the caller likes; a held body has no goals. */
bool body_solver_adjust (BodySolver *solver, const BodyPose *before, const BodyHold *holds, guint n_holds,
                         const BodyGoal *goals, guint n_goals);

typedef struct {
  double joint_gap; /* the widest, of rings too, in metres */
  double goal_gap;  /* of goals, and of held bodies from where they are held */
  double depth;     /* of the deepest contact */
  guint passes;     /* of relaxation, taken in the last step by the tree that took the most */
  guint events;     /* of the last step */
} BodyReport;
void body_solver_get_report (const BodySolver *solver, BodyReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (BodySolver, body_solver_free)
