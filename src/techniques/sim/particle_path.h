/* particle_path: the way of a point within a step, cut and reflected where it meets a surface.
 *
 * It is the parabola with the acceleration (v1 - v0) / h through both ends.  Semi-implicit Euler stores speeds that are half a
 * step's acceleration away from its slope: the difference is kept, so that bounces reach the height that is due.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/particle_collision.h"

typedef struct {
  KgVector x0, x1, v1;
  KgVector slope; /* velocity at x0: as stored, or after a bounce */
  KgVector acceleration;
  KgVector offset; /* stored velocity minus slope of the path, at its end */
  double h;
} ParticlePath;

/* h: seconds of the way, > 0. */
void particle_path_init (ParticlePath *path, const ParticleBlock *start, const ParticleBlock *end, size_t i, double h);
void particle_path_store (const ParticlePath *path, ParticleBlock *end, size_t i);

/* After the share s of its time. */
KgVector particle_path_get_velocity (const ParticlePath *path, double s);
KgVector particle_path_get_place (const ParticlePath *path, double s);

/* Reflects the path where it is at hit after the part s of its time; m: unit, away from the surface.  A rebound that would
 * land again within the rest of the step is contact: it stays on the surface, and slides with Coulomb's friction. */
void particle_path_reflect (ParticlePath *path, double restitution, double friction, double s, KgVector hit,
                            KgVector m);

/* The part of the step after which the height a + b s + c s² (a >= 0 at s = 0, negative at s = 1) is zero: the one root
 * between, by the form that does not cancel. */
double particle_path_find_crossing (double a, double b, double c);
