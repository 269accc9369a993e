/* ik_jacobian: inverse kinematics of any linkage with its Jacobian: several ends, sliding joints, priorities, and a pose that is
 * preferred where the goals leave a choice.
 * Sources: Parent, Computer Animation, 4.2.3 to 4.2.5; see ik_rates.h for the methods.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "rig/ik_rates.h"
#include "rig/linkage.h"

G_BEGIN_DECLS

/* Most goals. */
#define IK_MAX_GOALS 64

typedef struct {
  guint joint;
  KgVector position; /* metres, in the world */
  KgRotation orientation;
  double weight; /* of the position; 0: it does not matter */
  double
      orientation_weight; /* a radian then counts as much as weight times the length over 2 pi; 0: it does not matter */
  int level;              /* goals of higher levels give way to those of lower ones */
} IkJacobianGoal;

typedef struct {
  const IkJacobianGoal *goals;
  guint n_goals;
  IkRatesMethod method;
  IkDampingRule damping_rule;
  double damping; /* share of the length */
  double step;    /* most that an end moves in an iteration, as a share of the length; rotations: at most 10° */
  int64_t max_iterations; /* of every substep */
  int64_t substeps;       /* parts of the way to the goals, one after the other */
  double tolerance, tolerance_angle;
  /* Comfort: the sum of gain (value - desired)^power over all freedoms, made small as far as the goals allow. */
  const double *gains, *desired; /* (nullable) as many as the linkage has freedoms; both or none */
  int power;                     /* even */
  const double *stiffness;       /* (nullable) positive, as many as the linkage has freedoms: stiff ones move less */
  /* What was found, of the goal that is worst. */
  double residual, residual_angle;
  int64_t iterations;
  double comfort;
} IkJacobian;

/* Poses the skeleton from the pose that it has, within its limits.  Fails where the method does (see ik_rates_solve), and when
 * a goal needs more than there is; false without an error when cancelled. */
bool ik_jacobian_run (IkJacobian *ik, KgSkeleton *skeleton, const KgProgressMonitor *monitor, GError **error);

/* The value and (nullable) the gradient of the comfort at a pose. */
double ik_jacobian_get_comfort (const IkJacobian *ik, const Linkage *linkage, double *gradient);

G_END_DECLS
