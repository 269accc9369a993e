/* chain_pose: the way from the root of a skeleton to one joint, as points, and back from points to rotations.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-skeleton.h"

/* Joints on the way from a root down to the end, in this order. */
typedef struct {
  guint n; /* joints, the end included */
  guint *joints;
  KgVector *points;   /* world, in the pose at the last chain_pose_update */
  KgRotation *frames; /* of the joints in the world, likewise */
  double *lengths;    /* n - 1 bones */
  double reach;       /* their sum */
} ChainPose;

/* end: a joint's name, or empty for the last joint.  Fails when there is no such joint or the skeleton is empty. */
bool chain_pose_init (ChainPose *chain, const KgSkeleton *skeleton, const char *end, GError **error);
void chain_pose_clear (ChainPose *chain);

/* Follows the skeleton's present pose.  (All ancestors of the end are in the chain: nothing else matters to it.) */
void chain_pose_update (ChainPose *chain, const KgSkeleton *skeleton);
/* The joint's rotation in the world when the frame above it (its parent's; the identity for the first) is this. */
KgRotation chain_pose_get_frame (const ChainPose *chain, const KgSkeleton *skeleton, guint k, KgRotation above);

/* The end in the skeleton's present pose; frame (nullable): its rotation in the world. */
KgVector chain_pose_get_end (const ChainPose *chain, const KgSkeleton *skeleton, KgRotation *frame);

/* Turns the joints from the first one given on so that the bones lie along the points, each by the shortest rotation from
 * its pose so far.  What is above the first is as it was at the last chain_pose_update. */
void chain_pose_apply (const ChainPose *chain, KgSkeleton *skeleton, guint first, const KgVector *points);

/* The rotation nearest to what the joint may do: free axes and limits of its fixed angles. */
KgRotation chain_pose_limit (const KgJoint *joint, KgRotation rotation);
/* The fixed angles (about x, then y, then z) of a rotation. */
KgVector chain_pose_get_angles (KgRotation rotation);
/* The fixed angles of the part of a rotation that the joint may do (before its limits). */
KgVector chain_pose_get_free_angles (const KgJoint *joint, KgRotation rotation);
/* Whether the joint has any limit at all. */
bool chain_pose_is_limited (const KgJoint *joint);
