/* rig/pose: turns one joint of a skeleton by hand.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/chain_pose.h"
#include "kg-node.h"

typedef struct {
  KgSkeleton *skeleton;
  const char *joint;
  KgVector angles;
  KgVector move;
  bool add;
  bool limit;
  KgSkeleton *posed;
} Pose;

static bool
pose_evaluate (Pose *n, const KgContext *ctx, GError **error)
{
  const int found = kg_skeleton_find_joint (n->skeleton, n->joint);
  KgRotation rotation = kg_rotation_from_angles (n->angles);
  KgVector move = n->move;
  guint joint;

  (void) ctx;
  n->posed = kg_skeleton_ref (n->skeleton);
  if (n->joint[0] == '\0')
    return true;
  if (found < 0) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the skeleton has no joint \"%s\": use the name of an existing joint",
                  n->joint);
    return false;
  }
  joint = (guint) found;
  g_clear_pointer (&n->posed, kg_skeleton_unref);
  kg_skeleton_make_writable (&n->skeleton);
  if (n->add) {
    rotation = kg_rotation_multiply (kg_skeleton_get_rotation (n->skeleton, joint), rotation);
    move = kg_vector_add (kg_skeleton_get_translation (n->skeleton, joint), move);
  }
  if (n->limit)
    rotation = chain_pose_limit (kg_skeleton_get_joint (n->skeleton, joint), rotation);
  kg_skeleton_set_rotation (n->skeleton, joint, rotation);
  kg_skeleton_set_translation (n->skeleton, joint, move);
  n->posed = kg_skeleton_ref (n->skeleton);
  return true;
}

static const KgSlot pose_slots[] = {
  KG_INPUT (Pose, skeleton, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("Skeleton to pose.")),
  KG_INPUT (Pose, joint, TEXT, .label = N_ ("Joint"),
            .help = N_ ("Name of the joint to rotate; empty leaves the skeleton as it is.")),
  KG_INPUT (Pose, angles, VECTOR, .label = N_ ("Angles"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Angles about x, then y, then z, from the rest pose.")),
  KG_INPUT (Pose, move, VECTOR, .label = N_ ("Move"), .unit = KG_METRES, .handle = { KG_HANDLE_NONE },
            .help = N_ ("Offset from the rest position, for roots and sliding joints.")),
  KG_INPUT (Pose, add, BOOLEAN, .label = N_ ("Add"),
            .help = N_ ("Adds to the current pose, in the joint's own frame, instead of replacing it.")),
  KG_INPUT (Pose, limit, BOOLEAN, .label = N_ ("Keep limits"), .def = 1,
            .help = N_ ("The joint does not rotate beyond its limits.")),
  KG_OUTPUT (Pose, posed, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The skeleton in the new pose.")),
};

KG_NODE (rig, pose, Pose, .label = N_ ("Pose Joint"), .version = 1, .since = "0.1",
         .tags = N_ ("rotate joint forward kinematics fk bone turn"),
         .help = N_ (
             "Rotates one joint of a skeleton, together with everything below it. Key the angles to animate by hand."));
