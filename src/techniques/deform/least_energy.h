/* least_energy: points that restore their shape, and lines that bend or stretch least, where some points are led.
 *
 *   shape     k Σ w |x - (s R x̄ + t)|²        R, t (and s) the best rotation, translation (and size) of the rest shape x̄
 *   bend      k Σ |P(i-1) - 2 P(i) + P(i+1)|² / h³     along polylines of spacing h: a batten, the natural cubic spline as h -> 0
 *   stretch   k Σ |P(i+1) - P(i)|² / h
 *   pull      Σ k |x - target|²                 or points that are held at their targets
 *
 * For given R, t, s the points solve one linear system.  What is left is a small problem in R, t and s alone, which Gauss and
 * Newton's method solves (variable projection, Golub and Pereyra 1973), so that a few led points turn a large shape at once.
 * Sources: Witkin, Fleischer and Barr 1987 and Parent, Computer Animation, 4.5.3 (energies as soft constraints); Müller,
 * Heidelberger, Teschner and Gross 2005 (the goal of a shape); Terzopoulos and others 1987 (bending).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-math.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct _LeastEnergy LeastEnergy;

typedef struct {
  double shape, bend, stretch; /* weights, 0 or more */
  bool scale;                  /* the shape may change its size */
} LeastEnergyWeights;

typedef struct {
  double energy, shape, bend, stretch, pull;
  KgRotation turn; /* of the rest shape, about its centre, which is at place */
  KgVector place;
  double scale;
  guint steps;
  bool loose; /* some points were held by nothing: they stay as near to rest as can be */
} LeastEnergyReport;

/* geometry: its points are the rest shape, weighted by the attribute "weight" (default 1), and its polylines bend and stretch.
 * pulls: of each point INFINITY (held), above 0 (pulled), or 0 (free).  Errors: a polyline without length, weights that are
 * negative.  (transfer full) */
LeastEnergy *least_energy_new (const KgGeometry *geometry, const double *pulls, const LeastEnergyWeights *weights,
                               GError **error);
void least_energy_free (LeastEnergy *energy);

/* Places the points, n of them, where the energy is least; targets: of the points that are held or pulled.  False: cancelled. */
bool least_energy_solve (LeastEnergy *energy, const KgVector *targets, KgVector *points, LeastEnergyReport *report,
                         const KgProgressMonitor *monitor);
/* Follows dx/dt = -rate grad E for h seconds, in steps that are exact to second order and stable at any rate (Alexander 1977);
 * held points are at their targets. */
void least_energy_flow (LeastEnergy *energy, const KgVector *targets, double rate, double h, guint steps,
                        KgVector *points, LeastEnergyReport *report);

/* Takes the rest shape to where it is now. */
KgTransform least_energy_get_transform (const LeastEnergy *energy, const LeastEnergyReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeastEnergy, least_energy_free)

G_END_DECLS
