/* particle_parents: which point of an emitter each birth of a step is from, when all of them emit alike.
 *
 * A point that emits at a rate has its own phase, drawn from its id: it has borne floor (R + phase) particles when the rate has
 * summed up to R, so that nothing is to be remembered of each.
 * Source: Reeves 1983, section 2.6 (hierarchies).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct {
  uint64_t seed;
  bool event; /* each point bears count particles; else as many as fall due */
  uint64_t count;
  double from, till; /* sum of the rate before and after the step */
  double younger;    /* only points whose age is below this; 0: all */
} ParticleParents;

/* The points of the first births, at most limit, one after the other; *n: how many, *total: without the limit.  NULL: cancelled.
 * (transfer full) */
uint32_t *particle_parents_list (const ParticleParents *parents, const KgGeometry *emitter, uint64_t limit, uint64_t *n,
                                 uint64_t *total, const KgProgressMonitor *monitor);

G_END_DECLS
