/* kg-handles-private: what finding handles (kg-handles.c) and moving them (kg-handle-edit.c) share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"

G_BEGIN_DECLS

/* A handle of a Bezier curve is this share of the derivative away from its point. */
#define KG_BEZIER_THIRD (1.0 / 3)

/* More points of one input than anyone drags by hand. */
#define KG_HANDLES_MAX_POINTS 4096

/* Anchors of anchors. */
#define KG_HANDLES_MAX_DEPTH 8

/* Divides by whole powers of ten, so that the shortest form of the number is the short one. */
double kg_handles_round_number (double x, int decimals);
/* (nullable) What evaluating found for an input or output. */
const KgValue *kg_handles_look_up (const KgHandles *handles, guint slot);
bool kg_handles_set_text (const KgHandles *handles, guint slot, const char *text, GError **error);
/* Not linked or computed: it can be set. */
bool kg_handles_is_free (KgNode *node, guint slot);
/* Fails where it is not, and says what to do. */
bool kg_handles_check_free (KgNode *node, guint slot, GError **error);
/* What feeds an input now, if that is known. */
bool kg_handles_get_value (const KgHandles *handles, guint slot, KgValue *value);
/* The same, only where the input holds it itself. */
bool kg_handles_get_own_value (const KgHandles *handles, guint slot, KgValue *value);
/* What is declared, or follows from kind and unit. */
KgHandleKind kg_handles_get_kind (const KgSlot *slot);
/* Whether the node computes the place of an anchor. */
bool kg_handles_is_computed (KgNode *node, int slot);
/* The position of the handle of an input; false if it is unknown. */
bool kg_handles_get_place (const KgHandles *handles, int slot, guint depth, KgVector *at);
/* The first output that is a geometry; -1 when there is none. */
int kg_handles_find_geometry (KgNode *node);
/* A point of an input itself. */
KgGrip kg_handles_make_grip (const KgHandles *handles, guint slot, KgVector at);
/* The keys of other frames, to be dragged where they are. */
void kg_handles_add_path_keys (const KgHandles *handles, GArray *grips, guint slot);
/* The axes that the rings of an input turn about: of angles each one's own. */
bool kg_handles_get_ring_axes (const KgValue *value, KgVector directions[3]);
/* Tables.  (transfer full) (nullable) All columns of all rows at the frame, of links and expressions as they were evaluated. */
KgTable *kg_handles_dup_rows (const KgHandles *handles, guint slot);
/* Cells with expressions and links keep them. */
bool kg_handles_set_cell (const KgHandles *handles, guint slot, int row, int column, double x, GError **error);
/* The same row once more behind it, with its keys; one row less. */
bool kg_handles_copy_row (const KgHandles *handles, guint slot, int row, GError **error);
bool kg_handles_drop_row (const KgHandles *handles, guint slot, int row, GError **error);
/* -1: none */
int kg_handles_get_anchor (KgNode *node, guint slot);
/* Whether the condition holds (see kg-condition.h); NULL: false. */
bool kg_handles_holds (const KgHandles *handles, const char *condition);
/* A point of a text; false when the row is missing, or no point. */
bool kg_handles_get_row (const char *text, guint row, KgVector *at);
/* The tangent of a point as it is typed, or as the node chose it (a derivative); false when there is none. */
bool kg_handles_get_tangent (const KgHandles *handles, guint slot, const char *text, guint row, bool *typed,
                             KgVector *tangent);
/* What a number in the text stands for in metres from the point to the handle. */
double kg_handles_get_tangent_scale (const KgHandles *handles, guint slot, bool typed);

G_END_DECLS
