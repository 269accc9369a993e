/* kg-part-edit: which parts of an object follow which points of a skeleton, as a text with rows "part: points"
 * (KG_HANDLE_PARTS in kg-node.h; techniques/deform/skin_parts.h reads it).  Parts are called by the number of their polygon or
 * line; rows with other names are left alone.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"

G_BEGIN_DECLS

/* (transfer full) (element-type guint) The points that a part follows; none when it has no row. */
GArray *kg_part_get_bones (const char *text, guint part);
/* The part follows the point, or no longer.  Without points it loses its row.  (transfer full) */
char *kg_part_toggle (const char *text, guint part, guint bone);

/* The same in the graph, of two grips of one input; one step of undo. */
bool kg_grip_toggle_bone (const KgHandles *handles, const KgGrip *part, const KgGrip *bone, GError **error);
/* (transfer full) (element-type guint) Of a grip of a part. */
GArray *kg_grip_get_bones (const KgHandles *handles, const KgGrip *part);

G_END_DECLS
