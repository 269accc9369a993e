/* articulated_body: the dynamics of linkages: forces from motion, and motion from forces, in time linear in the links.
 *
 * Every joint of a skeleton becomes one body, or as many as it has freedoms, whose last carries the mass of its link: slides come
 * before rotations, and rotations are about z, then y, then x; three rotations without limits are one ball, whose rates are the
 * angular velocity about the joint's own axes.  Freedoms are numbered as in rig/linkage.h.  Joints below which nothing weighs
 * anything do not move.  Everything is computed along the axes of the world, about the joints' own points, in double.
 * Sources: Luh, Walker and Paul 1980 (recursive Newton-Euler); Featherstone 1983 and Rigid Body Dynamics Algorithms, chapters 5
 * and 7 (articulated bodies, hybrid dynamics); Parent, Computer Animation, course notes 5.7 to 5.10.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/symmetric_matrix.h"
#include "kg-progress.h"
#include "rig/linkage.h"

G_BEGIN_DECLS

typedef enum { ARTICULATED_FIXED, ARTICULATED_SLIDE, ARTICULATED_HINGE, ARTICULATED_BALL } ArticulatedKind;

/* Position and rate: of slides and hinges the first number, of balls the quaternion (w, x, y, z) and three rates. */
typedef struct {
  double position[4];
  double rate[3];
} ArticulatedState;

typedef struct {
  int parent; /* index of an earlier body, -1: the world */
  guint joint;
  ArticulatedKind kind;
  guint axis;
  guint freedom; /* of the linkage; a ball has three in a row */
  KgVector offset;
  KgRotation rest; /* both in the parent's axes */
  double low, high;
  double mass;
  KgVector center;
  SymmetricMatrix inertia; /* about the centre; both in the body's axes */
  /* In the state of the last articulated_body_update, along the axes of the world. */
  KgRotation frame;
  KgVector point, along, arm; /* arm: from the point to the centre */
  SymmetricMatrix world_inertia;
  KgVector omega, velocity; /* velocity: of the point, as a point of the body */
} ArticulatedLink;

static inline guint
articulated_link_count_freedoms (const ArticulatedLink *link)
{
  return link->kind == ARTICULATED_FIXED ? 0 : link->kind == ARTICULATED_BALL ? 3 : 1;
}

typedef struct {
  guint n, n_freedoms;
  guint n_joints;
  ArticulatedLink *links;
  ArticulatedState *states; /* of each link */
  struct _ArticulatedWork *work;
} ArticulatedBody;

/* (transfer full) (nullable) In the pose of the skeleton, at rest.  Fails if nothing has a mass, if a mass or a moment
 * is negative, and if limits contradict each other. warning: (out) (transfer full) (nullable) */
ArticulatedBody *articulated_body_new (const KgSkeleton *skeleton, GError **warning, GError **error);
void articulated_body_free (ArticulatedBody *body);

/* Gives the links of a skeleton without any mass the mass of rods from each joint to its children: kilograms per metre, and the
 * width of the rods.  False when there is a mass already. */
bool articulated_spread_mass (KgSkeleton *skeleton, double per_metre, double width);

/* Follows the states. */
void articulated_body_update (ArticulatedBody *body);
/* Poses the skeleton that the body was made from. */
void articulated_body_pose (const ArticulatedBody *body, KgSkeleton *skeleton);

/* What acts. Arrays over freedoms (balls: three, about the joint's own axes) may be NULL. */
typedef struct {
  KgVector gravity;
  const double *torques;             /* newton metres, or newtons of slides */
  const double *stiffness, *damping; /* of springs towards target: torque per radian, and per radian a second */
  const double *target;              /* angles, lengths; of balls a rotation vector */
  const double *friction;            /* torque per radian a second */
  const bool *driven;                /* has the acceleration below, whatever it takes */
  const double *accelerations;
  const KgVector *forces; /* over links: newtons on the centre of mass */
} ArticulatedForces;

/* Accelerations of all freedoms for the present state (after articulated_body_update).  step: seconds; springs, damping and
 * friction act as they will be at the end of a step of this length, which is stable however stiff they are; 0: as they are now. */
void articulated_body_accelerate (ArticulatedBody *body, const ArticulatedForces *forces, double step,
                                  double *accelerations);
/* Forces of all freedoms that make these accelerations: H q̈ + C + G - what forces do. */
void articulated_body_get_torques (ArticulatedBody *body, const ArticulatedForces *forces, const double *accelerations,
                                   double *torques);

typedef enum {
  ARTICULATED_SEMI_IMPLICIT, /* velocities first; springs and stops implicitly */
  ARTICULATED_RUNGE_KUTTA,   /* fourth order; a step in which a joint meets its limit is semi-implicit */
  ARTICULATED_N_METHODS
} ArticulatedMethod;

/* How fast springs and damping can change the motion, in 1/s: the frequency of the stiffest spring against the inertia it moves,
 * or the rate at which damping stops it.  Found by power iteration in the present pose, from below.  A Runge-Kutta step
 * of fourth order is stable while it is shorter than ARTICULATED_STABLE over this. */
double articulated_body_get_fastest_rate (ArticulatedBody *body, const double *stiffness, const double *damping);
#define ARTICULATED_STABLE 2.78

/* One step of so many seconds; joints that would pass a limit stop at it.  False when a number is no longer finite:
 * *joint (out) is the first joint with one. */
bool articulated_body_step (ArticulatedBody *body, const ArticulatedForces *forces, double seconds,
                            ArticulatedMethod method, guint *joint);

typedef struct {
  double mass;
  KgVector center;                     /* of mass */
  KgVector momentum, angular_momentum; /* about the origin */
  double kinetic, potential;           /* joules */
} ArticulatedMeasure;

/* Of the state of the last update. */
void articulated_body_measure (const ArticulatedBody *body, KgVector gravity, ArticulatedMeasure *measure);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ArticulatedBody, articulated_body_free)

G_END_DECLS
