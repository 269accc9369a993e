/* gravitation: bodies that attract each other.
 *
 * Every pair, or, beyond a few thousand bodies, groups of them as one: a far cell of an octree counts as its mass at its
 * centre of mass (Barnes and Hut 1986).  Leapfrog steps keep the energy in bounds over any time; Runge-Kutta's are closer for
 * a while.  Sums are made in the order of the bodies or cells, so that any number of threads gives the same bits.
 * Sources: Parent, Computer Animation, 4.3; Barnes and Hut, Nature 324, 1986; Hairer, Lubich and Wanner, I.1.
 * SI units.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum { GRAVITATION_LEAPFROG, GRAVITATION_RK4, GRAVITATION_N_METHODS } GravitationMethod;

typedef struct {
  double constant;  /* G */
  double softening; /* m: a distance d counts as √(d² + softening²) */
  double opening;   /* 0: every pair; else cells that are seen smaller than this share of their distance are one body */
} Gravitation;

/* Accelerations of n bodies.  meetings: (out) (nullable) how many are at the place of another, with no direction to be pulled
 * to, and are skipped.  False when cancelled. */
bool gravitation_get_pull (const Gravitation *gravitation, size_t n, const double *masses, const KgVector *places,
                           KgVector *pull, size_t *meetings, const KgProgressMonitor *monitor);

/* What went wrong in steps. */
typedef struct {
  size_t meetings; /* as above */
  size_t rough; /* how often a body passed another so near that its pull changed within a step by more than its speed */
} GravitationReport;

/* Moves them by steps of h seconds.  report: (nullable) rough counts on, and meetings are those of the last pull. */
bool gravitation_step (const Gravitation *gravitation, GravitationMethod method, size_t n, const double *masses,
                       double h, guint steps, KgVector *places, KgVector *velocities, GravitationReport *report,
                       const KgProgressMonitor *monitor);

/* Kinetic and potential energy of all (every pair, up to 4096 bodies; else the potential by the tree), and momentum. */
bool gravitation_get_energy (const Gravitation *gravitation, size_t n, const double *masses, const KgVector *places,
                             const KgVector *velocities, double *kinetic, double *potential, KgVector *momentum,
                             const KgProgressMonitor *monitor);

G_END_DECLS
