/* particle_contact: what meeting a surface does to a point: it bounces, slides, sticks or dies.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/particle_path.h"

/* Point index of a block is at hit after the share s of its path; m: unit, away from the surface; holder: what it sticks to.
 * drift: velocity of the surface, which the path does not have.  contacts: (nullable) it bounces.  True: the path ends here. */
bool particle_contact_meet (const ParticleObstacles *obstacles, ParticleContacts *contacts, size_t index,
                            ParticlePath *path, double s, KgVector hit, KgVector m, KgVector drift, int32_t holder);
