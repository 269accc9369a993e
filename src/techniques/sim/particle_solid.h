/* particle_solid: bouncing of moving points off the bodies of scalar fields, which are where a field is at its level or above.
 *
 * Where a point ends within a body, or passes one at one of a few places in between, the entry is found by bisection along its
 * way; it is reflected at the normal, which is against the gradient.  What began within is pushed out along the gradient by
 * Newton's steps.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/particle_collision.h"

/* As particle_collide (), off one body, which stands as it is at this time (seconds).  straight: (nullable) points that met
 * something else in between, whose way is no parabola. */
void particle_solid_collide (const KgField *solid, double time, const ParticleObstacles *obstacles,
                             const ParticleBlock *start, ParticleBlock *end, const float *h, size_t n,
                             const int32_t *straight, ParticleContacts *contacts);
