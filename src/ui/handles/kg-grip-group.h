/* kg-grip-group: several points that are moved, rotated and scaled together, and what is near them with a share of that.
 * Rows of a table are set at once, however many of them move.  No node is known by name, and no widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"

G_BEGIN_DECLS

/* The same grip has the same number as long as its node is the same: see kg_grip_is_same. */
gint64 kg_grip_get_key (const KgGrip *grip);
/* It can be one of several that are moved together: a point that is not locked, and of which others do not follow. */
bool kg_grip_is_groupable (const KgGrip *grip);
/* What is near it can move with it: it is a point of a list. */
bool kg_grip_is_soft (const KgGrip *grip);

/* Scaled along the axes of the world, then rotated, both about center, then moved. */
typedef struct {
  KgVector center, scale, translation;
  KgRotation rotation;
} KgGroupChange;

typedef struct _KgGripGroup KgGripGroup;

/* (transfer full) chosen: KgGrip, as they are; those that are not groupable are left out.  near: also what is near them, see
 * kg_grip_group_set_radius. */
KgGripGroup *kg_grip_group_new (const KgHandles *handles, const GArray *chosen, bool near);
void kg_grip_group_free (KgGripGroup *group);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgGripGroup, kg_grip_group_free)

/* The mean of the places of the chosen ones when the group was made. */
KgVector kg_grip_group_get_center (const KgGripGroup *group);
/* Where a change puts a grip; false where it is not moved. */
bool kg_grip_group_find_place (const KgGripGroup *group, const KgGrip *grip, const KgGroupChange *change, KgVector *at);
/* How much of a change it gets: 1 of those that were chosen, 0 of what is no part of it. */
double kg_grip_group_get_share (const KgGripGroup *group, const KgGrip *grip);
/* Points of the same lists nearer to a chosen one than this (metres) take part in what it does: all of it beside it, nothing
 * at the radius, and between these by a smooth curve (3s² - 2s³ of the share s of the radius that is left). */
void kg_grip_group_set_radius (KgGripGroup *group, double radius);
/* That share for a distance. */
double kg_grip_group_get_falloff (double distance, double radius);

KgGroupChange kg_group_change_identity (KgVector center);
/* All is done to how things were when the group was made, so that a drag does not add up.  decimals: see kg_grip_move.  Numbers
 * with keys get one at the document's frame each.  Several edits: the caller groups them. */
bool kg_grip_group_change (KgGripGroup *group, const KgHandles *handles, const KgGroupChange *change, int decimals,
                           GError **error);

G_END_DECLS
