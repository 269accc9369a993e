/* kg-body-edit: bodies in space as the rows of a table (KG_HANDLE_BODIES in kg-node.h), such as the keys of a soft object: their
 * places, half their extents along their axes, and how they are turned.  No node is known by name, and no widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"

G_BEGIN_DECLS

/* The input with the bodies of the node; -1 when it has none, or does not use it. */
int kg_body_find_slot (const KgHandles *handles);
/* What has to be evaluated is added to wanted, as by kg_handles_dup_wanted. */
void kg_body_add_wanted (const KgHandles *handles, guint slot, GPtrArray *wanted);
/* Adds the places, and of the active body its extents (a point, axis 0 to 2) and rings. */
void kg_body_add_grips (const KgHandles *handles, GArray *grips, guint slot, const KgGrip *active);
/* A body. */
typedef struct {
  KgVector at;
  KgVector half[3]; /* from the place to its surface, along its axes */
} KgBody;

/* (transfer full) (element-type KgBody) */
GArray *kg_body_find (const KgHandles *handles, guint slot);

/* What a drag starts from: the angles of a ring, the place of a point. */
bool kg_body_get_start (const KgHandles *handles, const KgGrip *grip, KgValue *start);
/* One step of undo each.  Moves a body, or gives it another extent along one axis; a ball stays one. */
bool kg_body_move (const KgHandles *handles, const KgGrip *grip, KgVector to, int decimals, GError **error);
bool kg_body_set_angles (const KgHandles *handles, const KgGrip *grip, KgVector angles, GError **error);
/* What can be typed of a body: its place, half its extents in metres, and its angles in degrees. */
#define KG_BODY_NUMBERS 9
/* Translated. */
const char *kg_body_get_number_label (const KgGrip *grip, int number);
/* Sizes that the row lacks are those that it is shown with; false: the row is gone. */
bool kg_body_get_numbers (const KgHandles *handles, const KgGrip *grip, double numbers[KG_BODY_NUMBERS]);
/* Of sizes that one alone, except that a ball stays one with its size along x. */
bool kg_body_set_number (const KgHandles *handles, const KgGrip *grip, int number, double x, GError **error);
/* A body like that of the grip, with its keys, at another place. */
bool kg_body_insert (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error);
bool kg_body_remove (const KgHandles *handles, const KgGrip *grip, GError **error);

G_END_DECLS
