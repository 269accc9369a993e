/* momentum: sums over moving masses: momentum, angular momentum, energy, forces and torques.
 *
 * About a point Q: L = sum (r - Q) × m v + spin, torque = sum (r - Q) × F (Parent, Computer Animation, B.6).  Sums are kept in
 * double, in blocks of a fixed size that are added in order.  Units: metres, kilograms, seconds, newtons.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/mass_properties.h"

G_BEGIN_DECLS

/* Points with attributes: mass (1 float, missing: 1), v (3), force (3), and spin (3, radians a second) with inertia (9, in the
 * axes of the world) of bodies; what is missing is zero. */
typedef struct {
  double mass;
  KgVector center, velocity;    /* of the centre of mass */
  KgVector momentum, angular;   /* about the point */
  KgVector force, torque;       /* about the point */
  double kinetic, potential;    /* potential: 0 at the point */
  double force_sum, torque_sum; /* of the lengths of all, to compare the sums with */
} MomentumSums;

/* gravity: acceleration (m/s²), for the potential energy and, where it weighs, for forces.  False and *error: a negative mass.
 * False without an error: cancelled. */
bool momentum_measure (const KgGeometry *geometry, KgVector about, KgVector gravity, bool weigh,
                       const KgProgressMonitor *monitor, MomentumSums *sums, GError **error);
/* All forces and torques cancel, within a tolerance relative to their sizes. */
bool momentum_is_balanced (const MomentumSums *sums, double tolerance);

/* The energy that lines store as springs: ½ k x² of each of their segments, k the primitive attribute stiffness (N/m), x what
 * the segment is longer than the primitive attribute length (m; missing: 0).  False: cancelled. */
bool momentum_get_spring_energy (const KgGeometry *geometry, const KgProgressMonitor *monitor, double *energy);

/* A point of a rigid body: v + omega × r, and its acceleration a + alpha × r + omega × (omega × r); r from the centre. */
KgVector rigid_get_velocity (KgVector v, KgVector omega, KgVector r);
KgVector rigid_get_acceleration (KgVector a, KgVector alpha, KgVector omega, KgVector r);

/* Velocities along a unit normal after a collision of two points; inverse masses, 0 for what does not move.  restitution >= 0. */
void momentum_collide_points (double inverse_a, double inverse_b, double restitution, KgVector normal, KgVector *va,
                              KgVector *vb);

G_END_DECLS
