/* kg-outline-edit: closed outlines in the pixels of an image (KG_HANDLE_OUTLINE in kg-node.h): where their points and feathers
 * are, and what moving them does to the table.  Points are in the units of the table; where these are in the image is said by
 * other inputs.  No node is known by name, and no widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"

G_BEGIN_DECLS

/* KgGrip.axis of how far the edge is soft at a point, and of its tangents. */
#define KG_OUTLINE_IN 0
#define KG_OUTLINE_FEATHER 1
#define KG_OUTLINE_OUT 2

/* The input with the outlines of the node; -1 when it has none, or does not use it. */
int kg_outline_find_slot (const KgHandles *handles);
/* How the units of the table lie in the image: scaled, turned (radians, counter-clockwise) about its centre, then moved by
 * offset (pixels, up).  False when that is not known yet. */
bool kg_outline_get_frame (const KgHandles *handles, guint slot, double *scale, double *turn, KgVector *offset);
/* What has to be evaluated for that is added to wanted, as by kg_handles_dup_wanted. */
void kg_outline_add_wanted (const KgHandles *handles, guint slot, GPtrArray *wanted);
/* Adds the points, and the feather and the tangents of the active one. */
void kg_outline_add_grips (const KgHandles *handles, GArray *grips, guint slot, const KgGrip *active);
/* (transfer full) (element-type GArray of KgVector) The outlines as closed polylines, as the node draws them. */
GPtrArray *kg_outline_find_lines (const KgHandles *handles, guint slot);

/* One step of undo each.  Moves a point, a tangent, or how far its edge is soft.  The other tangent of a smooth point turns
 * along, unless they come apart. */
bool kg_outline_move (const KgHandles *handles, const KgGrip *grip, KgVector to, int decimals, bool apart,
                      GError **error);
/* The tangent is as the smooth curve has it again. */
bool kg_outline_reset_tangent (const KgHandles *handles, const KgGrip *grip, GError **error);
/* A point behind that of the grip, which moves with it where that has keys. */
bool kg_outline_insert (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error);
bool kg_outline_remove (const KgHandles *handles, const KgGrip *grip, GError **error);

G_END_DECLS
