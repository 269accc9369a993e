/* kg-input-table: inputs that take a table: their rows at a frame, and edits that leave the keys, expressions and links of its
 * cells where they are.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-input-value.h"
#include "kg-keyed.h"

G_BEGIN_DECLS

/* Most cells that get keys at once. */
#define KG_INPUT_MAX_KEYED_CELLS 4096

/* (transfer full) (nullable) The rows at a frame, as far as they are known without evaluating: cells with an expression or a link
 * are 0, and *known is false then.  NULL where the input is linked as a whole. */
KgTable *kg_input_dup_rows (KgNode *node, guint slot, double frame, bool *known);
/* Sets the rows that are to be seen at a frame.  Cells with keys that have another number there get a key; those with an
 * expression or a link keep it.  With more or fewer rows than before they move with the rows that stayed the same.
 * key: also cells that had no keys get one where their number is another. */
bool kg_input_set_rows (KgNode *node, guint slot, double frame, const KgTable *rows, bool key, GError **error);
/* Rows are copied, moved and removed with all that their cells have: the new row i is the old row from[i]. */
bool kg_input_arrange_rows (KgNode *node, guint slot, const guint *from, guint n, GError **error);
/* A key for every cell that is a number or has keys; without: the keys at the frame, or at all frames, are gone. */
bool kg_input_key_rows (KgNode *node, guint slot, double frame, GError **error);
bool kg_input_unkey_rows (KgNode *node, guint slot, double frame, bool all, GError **error);
/* As kg_input_find_keys, of all cells together. */
bool kg_input_find_row_keys (KgNode *node, guint slot, double frame, double *before, double *after);

/* Keys of a whole vector become keys of each component, of the same shape, and an expression of three parts becomes one for
 * each; one that has no parts fails. */
bool kg_input_split (KgNode *node, guint slot, GError **error);

/* One cell, or one component of a vector whose source is split. */
bool kg_input_set_cell (const KgKeyed *cell, double frame, double x, bool key, GError **error);
bool kg_input_key_cell (const KgKeyed *cell, double frame, GError **error);
/* Takes the key at the frame away; the last one leaves a number. */
bool kg_input_unkey_cell (const KgKeyed *cell, double frame, GError **error);

G_END_DECLS
