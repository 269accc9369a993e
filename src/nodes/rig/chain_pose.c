/* chain_pose: between points and rotations of a chain.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "chain_pose.h"

static KgVector
place_of (const KgTransform *t)
{
  return kg_vector (t->m[0][3], t->m[1][3], t->m[2][3]);
}

bool
chain_pose_init (ChainPose *chain, const KgSkeleton *skeleton, const char *end, GError **error)
{
  const guint count = kg_skeleton_get_n_joints (skeleton);
  int joint = end[0] != '\0' ? kg_skeleton_find_joint (skeleton, end) : (int) count - 1;
  g_autofree KgTransform *world = g_new (KgTransform, MAX (count, 1));

  *chain = (ChainPose){ 0 };
  if (joint < 0) {
    g_set_error (error, KG_ERROR, KG_ERROR_UNKNOWN_NAME,
                 count == 0 ? "the skeleton has no joints%s" : "the skeleton has no joint \"%s\"",
                 count == 0 ? "" : end);
    return false;
  }
  for (int i = joint; i >= 0; i = kg_skeleton_get_joint (skeleton, (guint) i)->parent)
    chain->n++;
  chain->joints = g_new (guint, chain->n);
  chain->points = g_new (KgVector, chain->n);
  chain->lengths = g_new (double, chain->n);
  kg_skeleton_get_world (skeleton, world);
  for (guint k = chain->n; k > 0; k--, joint = kg_skeleton_get_joint (skeleton, (guint) joint)->parent) {
    chain->joints[k - 1] = (guint) joint;
    chain->points[k - 1] = place_of (&world[joint]);
  }
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
  g_clear_pointer (&chain->lengths, g_free);
}

KgVector
chain_pose_get_end (const ChainPose *chain, const KgSkeleton *skeleton)
{
  g_autofree KgTransform *world = g_new (KgTransform, kg_skeleton_get_n_joints (skeleton));

  kg_skeleton_get_world (skeleton, world);
  return place_of (&world[chain->joints[chain->n - 1]]);
}

void
chain_pose_apply (const ChainPose *chain, KgSkeleton *skeleton, const KgVector *points)
{
  g_autofree KgTransform *world = g_new (KgTransform, kg_skeleton_get_n_joints (skeleton));

  for (guint k = 0; k + 1 < chain->n; k++) {
    const guint joint = chain->joints[k];
    KgRotation turn, frame, local;
    KgVector now, wanted;

    kg_skeleton_get_world (skeleton, world);
    now = kg_vector_subtract (place_of (&world[chain->joints[k + 1]]), place_of (&world[joint]));
    wanted = kg_vector_subtract (points[k + 1], points[k]);
    if (!(kg_vector_length (now) > 0) || !(kg_vector_length (wanted) > 0))
      continue;
    /* The turn in the world, seen from within the joint: q' = q (f^-1 t f), with f the joint's world rotation. */
    turn = kg_rotation_between (now, wanted);
    frame = kg_rotation_from_transform (world[joint]);
    local = kg_rotation_multiply (kg_rotation_conjugate (frame), kg_rotation_multiply (turn, frame));
    kg_skeleton_set_rotation (skeleton, joint,
                              kg_rotation_multiply (kg_skeleton_get_rotation (skeleton, joint), local));
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
    if (!joint->free[c] || (&joint->low.x)[c] > -KG_PI + 1e-9 || (&joint->high.x)[c] < KG_PI - 1e-9)
      return true;
  return false;
}

KgRotation
chain_pose_limit (const KgJoint *joint, KgRotation rotation)
{
  KgVector angles;
  guint n_free = 0;
  int only = 0;

  if (!chain_pose_is_limited (joint))
    return rotation;
  for (int c = 0; c < 3; c++)
    if (joint->free[c]) {
      n_free++;
      only = c;
    }
  if (n_free == 1) {
    /* A hinge: the part of the rotation about its axis (swing and twist). */
    const double part = (&rotation.x)[only];
    KgVector axis = { 0, 0, 0 };

    (&axis.x)[only] = 1;
    return kg_rotation_from_axis_angle (
        axis, kg_clamp (2 * atan2 (part, rotation.w) > KG_PI    ? 2 * atan2 (part, rotation.w) - 2 * KG_PI
                        : 2 * atan2 (part, rotation.w) < -KG_PI ? 2 * atan2 (part, rotation.w) + 2 * KG_PI
                                                                : 2 * atan2 (part, rotation.w),
                        (&joint->low.x)[only], (&joint->high.x)[only]));
  }
  angles = chain_pose_get_angles (rotation);
  for (int c = 0; c < 3; c++)
    (&angles.x)[c] = joint->free[c] ? kg_clamp ((&angles.x)[c], (&joint->low.x)[c], (&joint->high.x)[c]) : 0;
  return kg_rotation_from_angles (angles);
}
