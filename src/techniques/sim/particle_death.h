/* particle_death: which particles die before their time, and the dead as points of their own.
 *
 * Sources: Reeves 1983 (opacity below a threshold, too far from the origin); Parent, Computer Animation, 4.5.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-motion.h"
#include "sim/particle_flight.h"

G_BEGIN_DECLS

typedef struct {
  double alpha;                   /* less opaque than this; 0: never */
  const KgMotion *alpha_over_age; /* (nullable) */
  bool far, below;
  double distance, height; /* farther from the centre, below the height */
  KgVector center;
  const KgField *inside, *outside; /* (nullable) where the field is at its level or above; or is not */
} ParticleDeaths;

/* Takes the dead out of a state (edited): by the rules, and those that held says died of a hit (nullable); and all of them
 * together with more dead (nullable) that are there already.  (transfer full) (nullable) with the point attribute cause; NULL
 * without an error: cancelled. */
KgGeometry *particle_deaths_bury (const ParticleDeaths *deaths, KgGeometry **state, const int32_t *held, double time,
                                  KgGeometry *expired, const KgProgressMonitor *monitor, GError **error);
/* The same for the first n of a state that would live on for dt seconds: they make room. */
KgGeometry *particle_deaths_make_room (KgGeometry **state, double dt, size_t n);

G_END_DECLS
