/* spacetime: the motion of a particle that gets somewhere in time with the least force of its own.
 *
 * m x'' = f + m g + spring; the integral of the weighted square of f is least.  Without a spring x - g t²/2 is a cubic spline
 * through the keys, and f is linear in time between them: the exact method.  The discrete one takes samples h apart, with
 * f_i = m (x_{i+1} - 2 x_i + x_{i-1}) / h² - m g - spring, and can also do without force at times, and stay above a floor.
 * Sources: Witkin and Kass, Spacetime Constraints, 1988; Parent, Computer Animation, 4.5.4.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "value/sqp.h"

G_BEGIN_DECLS

#define SPACETIME_MAX_SAMPLES 400

/* Where it is when; what is NaN is free. */
typedef struct {
  double time;
  double place[3], velocity[3];
} SpacetimeKey;

typedef struct {
  const SpacetimeKey *keys; /* in order of time */
  guint n_keys;
  double mass;
  KgVector gravity;
  double weight[3];
  /* Of the discrete method. */
  const double (*contacts)[2]; /* (nullable) from, to: there is no force outside them */
  guint n_contacts;
  bool floor;
  double height;
  double stiffness; /* N/m of a spring to anchor */
  KgVector anchor;
  double length; /* m at rest */
} Spacetime;

typedef struct {
  guint n;
  double *t;
  KgVector *x, *v, *f; /* v and f: of the exact method where a piece begins; f_after: at its end */
  KgVector *f_after;
  double cost, residual;
  guint iterations;
  guint n_floor; /* samples that the floor holds */
} SpacetimePath;

void spacetime_path_clear (SpacetimePath *path);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SpacetimePath, spacetime_path_clear)

/* Both fill path with n samples and, the exact one, the times of keys between them.  Errors name the key. */
bool spacetime_solve_exact (const Spacetime *task, guint n, SpacetimePath *path, GError **error);
/* False without an error when it is cancelled. */
bool spacetime_solve_discrete (const Spacetime *task, guint n, SpacetimePath *path, const KgProgressMonitor *monitor,
                               GError **error);

G_END_DECLS
