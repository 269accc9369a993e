/* chain_pose: between points and rotations of a chain.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/chain_pose.h"

/* Where joint k sits in the frame above it. */
static KgVector
get_offset (const ChainPose *chain, const KgSkeleton *skeleton, guint k)
{
  return kg_vector_add (kg_skeleton_get_joint (skeleton, chain->joints[k])->offset,
                        kg_skeleton_get_translation (skeleton, chain->joints[k]));
}

KgRotation
chain_pose_get_frame (const ChainPose *chain, const KgSkeleton *skeleton, guint k, KgRotation above)
{
  const guint joint = chain->joints[k];

  /* Normalised, or the rounding of thousands of factors would add up. */
  return kg_rotation_normalize (
      kg_rotation_multiply (above, kg_rotation_multiply (kg_skeleton_get_joint (skeleton, joint)->rest,
                                                         kg_skeleton_get_rotation (skeleton, joint))));
}

void
chain_pose_update (ChainPose *chain, const KgSkeleton *skeleton)
{
  KgRotation frame = kg_rotation_identity ();
  KgVector at = { 0, 0, 0 };

  for (guint k = 0; k < chain->n; k++) {
    at = kg_vector_add (at, kg_rotation_apply (frame, get_offset (chain, skeleton, k)));
    frame = chain_pose_get_frame (chain, skeleton, k, frame);
    chain->points[k] = at;
    chain->frames[k] = frame;
  }
}

bool
chain_pose_init (ChainPose *chain, const KgSkeleton *skeleton, const char *end, GError **error)
{
  const guint count = kg_skeleton_get_n_joints (skeleton);
  int joint = end[0] != '\0' ? kg_skeleton_find_joint (skeleton, end) : (int) count - 1;

  *chain = (ChainPose){ 0 };
  if (joint < 0) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                  count == 0 ? N_ ("the skeleton has no joints%s") : N_ ("the skeleton has no joint \"%s\""),
                  count == 0 ? "" : end);
    return false;
  }
  for (int i = joint; i >= 0; i = kg_skeleton_get_joint (skeleton, (guint) i)->parent)
    chain->n++;
  chain->joints = g_new (guint, chain->n);
  chain->points = g_new (KgVector, chain->n);
  chain->frames = g_new (KgRotation, chain->n);
  chain->lengths = g_new (double, chain->n);
  for (guint k = chain->n; k > 0; k--, joint = kg_skeleton_get_joint (skeleton, (guint) joint)->parent)
    chain->joints[k - 1] = (guint) joint;
  chain_pose_update (chain, skeleton);
  for (guint k = 0; k + 1 < chain->n; k++) {
    chain->lengths[k] = kg_vector_distance (chain->points[k], chain->points[k + 1]);
    chain->reach += chain->lengths[k];
  }
  return true;
}

void
chain_pose_clear (ChainPose *chain)
{
  g_clear_pointer (&chain->joints, g_free);
  g_clear_pointer (&chain->points, g_free);
  g_clear_pointer (&chain->frames, g_free);
  g_clear_pointer (&chain->lengths, g_free);
}

KgVector
chain_pose_get_end (const ChainPose *chain, const KgSkeleton *skeleton, KgRotation *frame)
{
  KgRotation turned = kg_rotation_identity ();
  KgVector at = { 0, 0, 0 };

  for (guint k = 0; k < chain->n; k++) {
    at = kg_vector_add (at, kg_rotation_apply (turned, get_offset (chain, skeleton, k)));
    turned = chain_pose_get_frame (chain, skeleton, k, turned);
  }
  if (frame != NULL)
    *frame = turned;
  return at;
}

void
chain_pose_apply (const ChainPose *chain, KgSkeleton *skeleton, guint first, const KgVector *points)
{
  KgRotation above = first > 0 ? chain->frames[first - 1] : kg_rotation_identity ();

  for (guint k = first; k + 1 < chain->n; k++) {
    const guint joint = chain->joints[k];
    const KgRotation frame = chain_pose_get_frame (chain, skeleton, k, above);
    const KgVector now = kg_rotation_apply (frame, get_offset (chain, skeleton, k + 1));
    const KgVector wanted = kg_vector_subtract (points[k + 1], points[k]);
    KgRotation turn, local;

    above = frame;
    if (!(kg_vector_length (now) > 0) || !(kg_vector_length (wanted) > 0))
      continue;
    /* The turn in the world, seen from within the joint: q' = q (f^-1 t f), with f the joint's world rotation. */
    turn = kg_rotation_between (now, wanted);
    local = kg_rotation_multiply (kg_rotation_conjugate (frame), kg_rotation_multiply (turn, frame));
    kg_skeleton_set_rotation (skeleton, joint,
                              kg_rotation_multiply (kg_skeleton_get_rotation (skeleton, joint), local));
    above = kg_rotation_multiply (turn, frame);
  }
}

KgVector
chain_pose_get_angles (KgRotation q)
{
  const double s = kg_clamp (2 * (q.w * q.y - q.z * q.x), -1, 1);

  /* Looking along y the first and the last axis are one: the first takes it all. */
  if (fabs (s) > 1 - 1e-12)
    return kg_vector (2 * atan2 (q.x, q.w), asin (s), 0);
  return kg_vector (atan2 (2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y)), asin (s),
                    atan2 (2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)));
}

bool
chain_pose_is_limited (const KgJoint *joint)
{
  for (int c = 0; c < 3; c++)
    if (!joint->free[c] || kg_vector_get (joint->low, c) > -KG_PI + 1e-9 ||
        kg_vector_get (joint->high, c) < KG_PI - 1e-9)
      return true;
  return false;
}

/* The one axis of a hinge, -1 for other joints. */
static int
find_hinge (const KgJoint *joint)
{
  int only = -1;

  for (int c = 0; c < 3; c++)
    if (joint->free[c]) {
      if (only >= 0)
        return -1;
      only = c;
    }
  return only;
}

KgVector
chain_pose_get_free_angles (const KgJoint *joint, KgRotation rotation)
{
  const int hinge = find_hinge (joint);
  KgVector angles = { 0, 0, 0 };

  if (hinge >= 0) {
    /* The part of the rotation about its axis (swing and twist), whichever sign the quaternion has. */
    const double angle = 2 * atan2 (kg_vector_get (kg_vector (rotation.x, rotation.y, rotation.z), hinge), rotation.w);

    *kg_vector_component (&angles, hinge) = angle > KG_PI    ? angle - 2 * KG_PI
                                            : angle < -KG_PI ? angle + 2 * KG_PI
                                                             : angle;
    return angles;
  }
  angles = chain_pose_get_angles (rotation);
  for (int c = 0; c < 3; c++)
    if (!joint->free[c])
      *kg_vector_component (&angles, c) = 0;
  return angles;
}

KgRotation
chain_pose_limit (const KgJoint *joint, KgRotation rotation)
{
  const int hinge = find_hinge (joint);
  KgVector angles, axis = { 0, 0, 0 };

  if (!chain_pose_is_limited (joint))
    return rotation;
  angles = chain_pose_get_free_angles (joint, rotation);
  for (int c = 0; c < 3; c++)
    if (joint->free[c])
      *kg_vector_component (&angles, c) =
          kg_clamp (kg_vector_get (angles, c), kg_vector_get (joint->low, c), kg_vector_get (joint->high, c));
  if (hinge < 0)
    return kg_rotation_from_angles (angles);
  *kg_vector_component (&axis, hinge) = 1;
  return kg_rotation_from_axis_angle (axis, kg_vector_get (angles, hinge));
}
