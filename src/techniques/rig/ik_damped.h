/* ik_damped: one step of a chain towards a place and an orientation, by damped least squares.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "rig/chain_pose.h"

typedef struct {
  KgVector position;
  KgRotation orientation; /* of the end in the world */
  double weight;          /* of the orientation; a radian then counts as much as weight times the length */
  double damping;
  double length; /* what the chain measures, above 0: makes metres and radians comparable */
} IkGoal;

/* The angle of the rotation that takes a to b, 0..pi. */
double ik_damped_get_angle (KgRotation a, KgRotation b);

/* Turns all joints of the chain, the end included, within their limits. */
void ik_damped_step (const IkGoal *goal, ChainPose *chain, KgSkeleton *skeleton);
