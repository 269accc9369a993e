/* kg-input-value: reading and writing the value of an input at a frame, with keys.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-condition.h"
#include "kg-graph.h"

G_BEGIN_DECLS

/* What feeds an input: of an input of a sub-graph that is not set, what its default is inside. */
const KgSource *kg_input_get_source (KgNode *node, guint slot);
/* The value that an input has at a frame as far as it is known without evaluating: constants, defaults, keys. */
bool kg_input_get_value (KgNode *node, guint slot, double frame, KgValue *value);
/* Whether the components of a vector, or the cells of a table, have sources of their own there. */
bool kg_input_has_cells (KgNode *node, guint slot);
/* (transfer full) The same as an expression: its numbers with all their digits, or "0"; components that are computed
 * as they are written. */
char *kg_input_dup_expression (KgNode *node, guint slot, double frame);
/* Whether the inspector shows the input: KgSlot.shown_when holds, or is unknown. */
bool kg_input_is_shown (KgNode *node, guint slot, double frame);
/* Whether a condition like KgSlot.shown_when holds, or is unknown; NULL: true. */
bool kg_input_meets (KgNode *node, const char *condition, double frame);
/* The same of one that was read before: for who asks at every change. */
bool kg_input_meets_condition (KgNode *node, const KgCondition *condition, double frame);
/* Sets a value: a key where there are keys, otherwise a constant; key: a key wherever the input can have one.  Keys that are a
 * default inside come out with the first one that is set, replaced or removed.  Of a table only what changes gets a key: see
 * kg_input_set_rows. */
bool kg_input_set_value (KgNode *node, guint slot, double frame, const KgValue *value, bool key, GError **error);
/* Whether keys make sense there. */
bool kg_input_can_have_keys (const KgSlot *slot);
/* Adds or replaces a key with the value at the frame; of a table in every cell, with the number that it has. */
bool kg_input_set_key (KgNode *node, guint slot, double frame, const KgValue *value, GError **error);
/* Takes the key at the frame away; the last one leaves a constant. */
bool kg_input_remove_key (KgNode *node, guint slot, double frame, GError **error);
/* Whether there is a key at the frame; the frames of the keys before and after (NAN: none). */
bool kg_input_find_keys (KgNode *node, guint slot, double frame, double *before, double *after);

/* Of a list: item from goes where item to is, and those between make room. */
bool kg_input_move_item (KgNode *node, guint slot, guint from, guint to, GError **error);

G_END_DECLS
