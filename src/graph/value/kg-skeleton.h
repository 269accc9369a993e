/* kg-skeleton: joints in parent-before-child order, with limits, and one pose.
 * A joint's local transform is: translate by its offset in the parent's frame, then rotate.  It may slide along and rotate
 * about its axes at rest: a hinge has one free rotation, a slider one free slide, a planar joint two slides and a rotation, a
 * free body all six.  The link that a joint carries may have a mass, for dynamics.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-types.h"

G_BEGIN_DECLS

#define KG_SKELETON_MAX_JOINTS 65536

typedef struct {
  const char *name;               /* interned */
  int parent;                     /* index of an earlier joint, -1 for a root */
  KgVector offset;                /* metres, in the parent's frame: where the joint sits at rest */
  KgRotation rest;                /* in the parent's frame */
  bool free[3];                   /* may rotate about its own x, y, z */
  KgVector low, high;             /* limits in radians of the fixed angles (x, y, z) relative to rest */
  bool slide[3];                  /* may slide along its own x, y, z, as they are at rest */
  KgVector slide_low, slide_high; /* limits in metres; infinite: none */
  double mass;                    /* kilograms of its link; 0: none is known */
  KgVector center;                /* of that mass, in the joint's frame */
  double inertia[6]; /* kg m² about the centre, along the joint's axes: xx, yy, zz, xy, xz, yz of the tensor */
} KgJoint;

KgSkeleton *kg_skeleton_new (void);
KgSkeleton *kg_skeleton_ref (const KgSkeleton *skeleton);
void kg_skeleton_unref (KgSkeleton *skeleton);
void kg_skeleton_make_writable (KgSkeleton **skeleton);

guint kg_skeleton_get_n_joints (const KgSkeleton *skeleton);
const KgJoint *kg_skeleton_get_joint (const KgSkeleton *skeleton, guint index);
/* -1 when there is none. */
int kg_skeleton_find_joint (const KgSkeleton *skeleton, const char *name);
/* Appends a copy; the name must be new and the parent earlier.  Returns the index, or -1 and *error.  Its pose
 * starts at rest. */
int kg_skeleton_add_joint (KgSkeleton *skeleton, const KgJoint *joint, GError **error);
/* Gives the link of a joint another mass, centre and tensor. */
void kg_skeleton_set_mass (KgSkeleton *skeleton, guint index, double mass, KgVector center, const double inertia[6]);
/* A joint with all rotations free, limits -pi..pi, no slides, no mass and no offset. */
void kg_joint_init (KgJoint *joint, const char *name, int parent);

/* The pose: local rotation relative to rest (identity at rest), and a local translation added to offset. */
KgRotation kg_skeleton_get_rotation (const KgSkeleton *skeleton, guint index);
void kg_skeleton_set_rotation (KgSkeleton *skeleton, guint index, KgRotation rotation);
KgVector kg_skeleton_get_translation (const KgSkeleton *skeleton, guint index);
void kg_skeleton_set_translation (KgSkeleton *skeleton, guint index, KgVector translation);

/* World transforms of all joints in the current pose (world: n transforms, caller's). */
void kg_skeleton_get_world (const KgSkeleton *skeleton, KgTransform *world);
/* The same at rest. */
void kg_skeleton_get_rest_world (const KgSkeleton *skeleton, KgTransform *world);

bool kg_skeleton_equal (const KgSkeleton *a, const KgSkeleton *b);
size_t kg_skeleton_get_bytes (const KgSkeleton *skeleton);
bool kg_skeleton_check_finite (const KgSkeleton *skeleton, GError **error);
KgHash kg_skeleton_get_fingerprint (const KgSkeleton *skeleton);
void kg_skeleton_set_fingerprint (KgSkeleton *skeleton, KgHash fingerprint);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgSkeleton, kg_skeleton_unref)

G_END_DECLS
