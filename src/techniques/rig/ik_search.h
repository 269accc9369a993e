/* ik_search: inverse kinematics of any chain.
 * Sources: Wampler 1986 (damped least squares on the Jacobian; with an orientation: ik_damped.c); Wang and Chen 1991
 * (cyclic coordinate descent); Aristidou and Lasenby 2011 (FABRIK).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "kg-skeleton.h"

G_BEGIN_DECLS

typedef enum { IK_DLS, IK_CCD, IK_FABRIK, IK_N_METHODS } IkMethod;

typedef struct {
  /* What is wanted.  Metres and radians. */
  KgVector goal;             /* where the end shall be */
  KgRotation orientation;    /* how it shall be turned in the world */
  double orientation_weight; /* 0: it need not; only with IK_DLS */
  IkMethod method;
  int64_t max_iterations;
  double tolerance, tolerance_angle; /* what is good enough */
  double damping;                    /* of IK_DLS, as a share of the length of the chain */
  /* What was found. */
  KgVector end;
  double residual;       /* its distance from the goal */
  double residual_angle; /* and the angle from the orientation */
  int64_t iterations;    /* taken, added to what is there */
} IkSearch;

/* Poses the chain that leads to a joint (an empty name: the last one), from the pose that it has, within its limits, as near
 * to what is wanted as was found.  Fails without such a joint; when monitor (nullable) says that it is cancelled, false
 * without an error. */
bool ik_search_run (IkSearch *search, KgSkeleton *skeleton, const char *end_joint, const KgProgressMonitor *monitor,
                    GError **error);

G_END_DECLS
