/* bone_coordinates: a drawing fixed to the bones of a skeleton in the plane of x and y: each point has coordinates along and
 * across one bone, which it keeps as the bone moves.
 * Source: Burtnyk and Wein 1976, as van Overveld describes it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "deform/skin.h"

G_BEGIN_DECLS

/* The bones of a skeleton, at rest and posed. */
typedef struct _BoneCoordinates BoneCoordinates;

typedef struct {
  bool
      quads; /* neighbours are joined along the bisectors of their joints; else each point goes with the nearest bone */
  bool scales; /* what is across a bone grows with its length */
} BoneStyle;

/* The bones are from each joint to its parent; without joints (nullable) the lines of the figure at rest, or, where that has
 * no primitives, from each of its points to the next.  Fails when a bone has no length.  (transfer full) (nullable) */
BoneCoordinates *bone_coordinates_new (const SkinSkeleton *skeleton, const KgGeometry *figure, const KgSkeleton *joints,
                                       const BoneStyle *style, GError **error);
void bone_coordinates_free (BoneCoordinates *coordinates);

guint bone_coordinates_get_n_bones (const BoneCoordinates *coordinates);
/* With quads: the first point where two bones are folded up in the pose, so that no border halves their angle; -1 if none are. */
int bone_coordinates_get_folded (const BoneCoordinates *coordinates);
/* Moves n points (3 floats each, in place) from where they are at rest; z stays, and without bones all does.  Parallel; the
 * same bits for any number of threads. */
void bone_coordinates_move (const BoneCoordinates *coordinates, float *points, size_t n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (BoneCoordinates, bone_coordinates_free)

G_END_DECLS
