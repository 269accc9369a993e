/* newton_euler: the load that moves a rigid body, about any point of it.
 *
 * With the point's acceleration a, the angular velocity w and acceleration u, and the centre of mass c away from the point:
 *   f = m (a + u × c + w × (w × c)),   N = I u + w × (I w) + c × f,
 * where I is the tensor about the centre; all in the same axes (Newton and Euler; Luh, Walker and Paul 1980).  The other way
 * round, the torque about the centre gives u, and then the force a.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/symmetric_matrix.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  double mass;
  KgVector center;         /* from the point */
  SymmetricMatrix inertia; /* about the centre */
} NewtonEulerBody;

typedef struct {
  KgVector force, torque; /* torque: about the point */
} NewtonEulerLoad;

NewtonEulerLoad newton_euler_get_load (const NewtonEulerBody *body, KgVector omega, KgVector acceleration,
                                       KgVector alpha);
/* acceleration: (out) of the point.  False: the body has no mass, or does not resist rotation about some axis. */
bool newton_euler_get_accelerations (const NewtonEulerBody *body, KgVector omega, const NewtonEulerLoad *load,
                                     KgVector *acceleration, KgVector *alpha);

G_END_DECLS
