/* bone_solids: a skeleton as solids to look at: an octahedron for each bone, from a joint's parent to the joint, widest near the
 * parent.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-skeleton.h"

/* (transfer full) (nullable) In the pose of the skeleton; width: metres from the axis to the widest place.  Six points and eight
 * triangles for each joint that has a parent, in their order.  Fails when that is too much. */
KgGeometry *bone_solids_new (const KgSkeleton *skeleton, double width, GError **error);
