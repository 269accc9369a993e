/* kg-lines-edit: pairs of lines along the features of two images (KG_HANDLE_LINES in kg-node.h): where their ends are, and what
 * moving them does to the table.  Places are those of the image: its centre is the origin, its height is 2.  No node is known
 * by name, and no widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"

G_BEGIN_DECLS

/* Ends of a row: start and end of the line of the first image, then those of the second.  KgGrip.row is row * KG_LINES_ENDS +
 * end. */
#define KG_LINES_ENDS 4

/* A row. */
typedef struct {
  KgVector at[KG_LINES_ENDS];
  bool crossed[2]; /* in the first, in the second image another line crosses it */
} KgLinePair;

/* The input with the lines of the node; -1 when it has none, or does not use it. */
int kg_lines_find_slot (const KgHandles *handles);
/* What has to be evaluated is added to wanted, as by kg_handles_dup_wanted. */
void kg_lines_add_wanted (const KgHandles *handles, guint slot, GPtrArray *wanted);
/* Adds the ends of all lines; first those of the image that is more to be seen. */
void kg_lines_add_grips (const KgHandles *handles, GArray *grips, guint slot);
/* (transfer full) (element-type KgLinePair) */
GArray *kg_lines_find (const KgHandles *handles, guint slot);
/* The same end of the line of the other image. */
KgGrip kg_lines_get_other (const KgGrip *grip);

/* One step of undo each.  A line of the second image that says nothing of an end has that of the first. */
bool kg_lines_move (const KgHandles *handles, const KgGrip *grip, KgVector to, int decimals, GError **error);
/* A line that begins and ends there, in both images; *row: of the grip of its end in the first. */
bool kg_lines_draw (const KgHandles *handles, guint slot, KgVector at, int decimals, guint *row, GError **error);
/* The line of the grip again, moved so that this end is there. */
bool kg_lines_insert (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error);
bool kg_lines_remove (const KgHandles *handles, const KgGrip *grip, GError **error);

G_END_DECLS
