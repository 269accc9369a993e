/* rig/joint_transform: where a joint is.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const KgSkeleton *skeleton;
  const char *joint;
  bool from_rest;
  KgVector point;
  const char *from_joint;
  KgTransform transform;
  KgVector position;
  KgRotation rotation;
  KgVector converted;
} JointTransform;

/* The point, given in the axes of from_joint or of the world, in the axes of the joint: through the world. */
static bool
joint_transform_convert (JointTransform *n, const KgTransform *world, guint joint, GError **error)
{
  KgVector point = n->point;
  KgTransform back;

  if (n->from_joint[0] != '\0') {
    const int from = kg_skeleton_find_joint (n->skeleton, n->from_joint);

    if (from < 0) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the skeleton has no joint \"%s\": use the name of an existing joint",
                    n->from_joint);
      return false;
    }
    point = kg_transform_point (world[from], point);
  }
  /* Made of rotations and translations only: it always has an inverse. */
  kg_transform_invert (world[joint], &back);
  n->converted = kg_transform_point (back, point);
  return true;
}

static bool
joint_transform_evaluate (JointTransform *n, const KgContext *ctx, GError **error)
{
  const guint count = kg_skeleton_get_n_joints (n->skeleton);
  const int joint = n->joint[0] != '\0' ? kg_skeleton_find_joint (n->skeleton, n->joint) : (int) count - 1;
  KgTransform *world = (KgTransform *) kg_context_scratch (ctx, (2 * (size_t) count + 1) * sizeof *world, error);

  n->transform = kg_transform_identity ();
  n->rotation = kg_rotation_identity ();
  if (world == NULL)
    return false;
  if (joint < 0) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                  count == 0 ? N_ ("the skeleton has no joints%s") : N_ ("the skeleton has no joint \"%s\""),
                  count == 0 ? "" : n->joint);
    return false;
  }
  kg_skeleton_get_world (n->skeleton, world);
  n->transform = world[joint];
  n->position = kg_transform_get_place (&world[joint]);
  n->rotation = kg_rotation_from_transform (world[joint]);
  if (!joint_transform_convert (n, world, (guint) joint, error))
    return false;
  if (n->from_rest) {
    KgTransform *rest = world + count, back;

    kg_skeleton_get_rest_world (n->skeleton, rest);
    /* Made of rotations and translations only: it always has an inverse. */
    kg_transform_invert (rest[joint], &back);
    n->transform = kg_transform_multiply (world[joint], back);
  }
  return true;
}

static const KgSlot joint_transform_slots[] = {
  KG_INPUT (JointTransform, skeleton, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The posed skeleton.")),
  KG_INPUT (JointTransform, joint, TEXT, .label = N_ ("Joint"), .help = N_ ("Name of the joint; empty for the last.")),
  KG_INPUT (
      JointTransform, from_rest, BOOLEAN, .label = N_ ("From rest"),
      .help = N_ (
          "Outputs the transform from the rest pose to the current pose, for objects that were modelled in place.")),
  KG_INPUT (JointTransform, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .group = N_ ("Convert a point"),
            .help = N_ ("A point to be expressed in the axes of the joint.")),
  KG_INPUT (JointTransform, from_joint, TEXT, .label = N_ ("In the axes of"), .group = N_ ("Convert a point"),
            .help = N_ ("Name of the joint in whose axes the point is given; empty for the world.")),
  KG_OUTPUT (JointTransform, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Transform to the world, for objects that the joint should carry.")),
  KG_OUTPUT (JointTransform, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
             .help = N_ ("Position of the joint.")),
  KG_OUTPUT (JointTransform, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Rotation of the joint.")),
  KG_OUTPUT (JointTransform, converted, VECTOR, .label = N_ ("Converted point"), .unit = KG_METRES,
             .help = N_ ("The point in the axes of the joint.")),
};

KG_NODE (rig, joint_transform, JointTransform, .label = N_ ("Joint Transform"), .version = 1, .since = "0.1",
         .tags = N_ ("joint bone position attach parent carry hand"),
         .help = N_ ("Outputs the position and rotation of a joint, so that a hand can carry a sword."));
