/* tumble: a rigid body that turns freely, or under a torque.
 *
 * Without a torque the motion is known for any time: the angular velocity by Jacobi's elliptic functions, the rotation about
 * the angular momentum by an elliptic integral of the third kind.  Steps keep the angular momentum, from which the angular
 * velocity follows, so that without a torque it is constant to the last bit, and moments of inertia may change.
 * Sources: Landau and Lifshitz, Mechanics, 36 and 37; Parent, Computer Animation, 4.4 (momentum and its derivative).
 * SI units, radians.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

typedef struct {
  KgVector moments;    /* of inertia about the principal axes, positive */
  KgRotation rotation; /* from the principal axes to the world */
  KgVector momentum;   /* angular, in the world */
} Tumble;

/* KG_ERROR_INVALID_VALUE: a moment that is not positive.  impossible: (out) one is greater than the sum of the others. */
bool tumble_check (KgVector moments, bool *impossible, GError **error);

/* Angular momentum of a body with this angular velocity, in the world, and the other way round. */
KgVector tumble_get_momentum (KgVector moments, KgRotation rotation, KgVector omega);
KgVector tumble_get_omega (const Tumble *tumble);
/* Kinetic energy of the rotation, in joules. */
double tumble_get_energy (const Tumble *tumble);

/* Where it is after a time (of any sign) without a torque, exactly. */
Tumble tumble_get_free (const Tumble *start, double seconds);

typedef enum { TUMBLE_MIDPOINT, TUMBLE_RK4, TUMBLE_N_STEPS } TumbleStep;

/* A step of seconds, at the end of which it has other moments, under a constant torque (world, N m). */
void tumble_step (Tumble *tumble, TumbleStep method, double seconds, KgVector moments, KgVector torque);

G_END_DECLS
