/* rigid_body: rigid bodies as a simulation knows them: what does not change of them, and how they move.
 *
 * State and derivative (Parent, Computer Animation, Eq. 4.59 - 4.63): S = (x, R, P, L), S' = (v, omega* R, F, torque), with
 * v = P / m and omega = R I⁻¹ Rᵀ L.  Rotations are kept as quaternions; they advance by one of three ways.  Units: metres,
 * kilograms, seconds, radians.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/convex_shape.h"
#include "geometry/symmetric_matrix.h"
#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

typedef enum {
  RIGID_MOVING,
  RIGID_FIXED,
  RIGID_DRIVEN, /* goes where its geometry goes */
  RIGID_N_KINDS
} RigidKind;

/* A convex part of a body, from its centre of mass and along its axes. */
typedef struct {
  ConvexShape shape;
  KgVector offset;
  KgRotation turn;
} RigidPart;

/* The surface of a body that does not yield, with dents. */
typedef struct {
  TriangleMesh *mesh; /* where the body is at rest, in the world */
  uint8_t *inner; /* of each triangle, bit k: the surface goes on flat or inwards across the edge from corner k on */
} RigidSurface;

typedef struct {
  RigidKind kind;
  double mass, inverse_mass;                /* inverses are 0 for what does not yield */
  SymmetricMatrix inertia, inverse_inertia; /* about the centre, along its axes */
  KgVector probes[3]; /* six equal masses at plus and minus these have the body's mass, centre and tensor */
  KgVector center;    /* at rest */
  KgRotation turn;
  KgVector velocity, omega;
  guint first_part, n_parts;
  int surface;   /* its index, or -1 */
  double radius; /* around the centre, holds everything */
  double restitution, friction, friction_static;
  uint32_t source; /* which piece, primitive or point it is */
  KgVector origin; /* of the geometry that is copied, from the centre and along the axes */
  double scale;    /* of the copy */
} RigidBody;

/* The present state of a body. */
typedef struct {
  KgVector place; /* of the centre of mass */
  KgRotation turn;
  KgVector velocity;
  KgVector angular; /* momentum, about the centre */
  double still;     /* for how many seconds it has hardly moved */
  bool asleep;
} RigidMotion;

/* How rotations stay rotations while they are integrated. */
typedef enum {
  RIGID_MATRIX,     /* the rotation nearest to R + h omega* R */
  RIGID_AXIS_ANGLE, /* exp (h omega*) R */
  RIGID_QUATERNION, /* q + h/2 omega q, normalised */
  RIGID_N_TURNINGS
} RigidTurning;

KgRotation rigid_turn_advance (KgRotation turn, KgVector omega, double h, RigidTurning turning);

/* A tensor of the body in the axes of the world. */
SymmetricMatrix rigid_body_get_inverse_inertia (const RigidBody *body, KgRotation turn);
SymmetricMatrix rigid_body_get_inertia (const RigidBody *body, KgRotation turn);
/* omega = R I⁻¹ Rᵀ L, and back. */
KgVector rigid_body_get_omega (const RigidBody *body, const RigidMotion *motion);
void rigid_body_set_omega (const RigidBody *body, RigidMotion *motion, KgVector omega);
/* At rest, with the velocities it starts with. */
void rigid_body_start (const RigidBody *body, RigidMotion *motion);

/* Rotates a body without torque for h seconds.  Angular momentum and energy stay, however slim the body is: Euler's
 * equations are solved along its axes by the implicit midpoint rule, and the rotation goes with the angular velocity in
 * the middle (Hairer, Lubich and Wanner, Geometric Numerical Integration, VII.5). */
void rigid_body_turn (const RigidBody *body, RigidMotion *motion, double h, RigidTurning turning);
/* Free motion for h seconds under a constant acceleration and torque: exact for the centre. */
void rigid_body_fly (const RigidBody *body, RigidMotion *motion, KgVector acceleration, KgVector torque, double h,
                     RigidTurning turning);

/* The rotation and place nearest to a body's own that takes n points, given from its centre along its axes, nearest to where
 * they go (Müller, Bender, Chentanez and Macklin 2016).  Returns the largest distance that is left. */
double rigid_body_fit (const KgVector *from, const KgVector *to, size_t n, KgVector *place, KgRotation *turn);

/* Sums over moving bodies; angular momentum and potential energy about the origin. */
typedef struct {
  KgVector momentum, angular;
  double kinetic, potential, mass;
} RigidSums;
void rigid_sums_add (RigidSums *sums, const RigidBody *body, const RigidMotion *motion, KgVector gravity);

G_END_DECLS
