/* flock_measure: how much a crowd of moving points is a flock.
 *
 * Polarisation |Σ v/|v|| / n (Vicsek et al. 1995); rotation |Σ c × v/|v|| / n with the unit vectors c from the centroid (Couzin
 * et al. 2002); cohesion is the root mean square distance from the centroid.  Sums are kept in double, in the order of the
 * points.  Sources: Parent, Computer Animation, 4.5; Vicsek et al. 1995; Couzin et al. 2002.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct {
  double polarisation, rotation; /* 0 to 1; points that stand still are left out */
  double cohesion, nearest;      /* metres; nearest: to the nearest other point, on average */
  KgVector centroid, velocity;   /* means */
} FlockMeasure;

/* p and v: 3 floats a point; v: (nullable) none moves.  With one point only: polarisation 1 if it moves, the rest 0. */
FlockMeasure flock_measure (const float *p, const float *v, size_t n);
/* The mean distance to the nearest other point; 0 for fewer than two.  False: cancelled. */
bool flock_measure_nearest (const float *p, size_t n, double *nearest, const KgProgressMonitor *monitor);

G_END_DECLS
