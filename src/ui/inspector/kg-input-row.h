/* kg-input-row: one input in the inspector: its name, an editor for whatever feeds it, keys, and a menu.
 * Made from the declaration; edits all nodes it was made for at once.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_INPUT_ROW (kg_input_row_get_type ())
G_DECLARE_FINAL_TYPE (KgInputRow, kg_input_row, KG, INPUT_ROW, GtkWidget)

/* slot: of node; other selected nodes with an input of that name and kind are edited too: those that were selected when
 * the row was made, until others are set. */
GtkWidget *kg_input_row_new (KgDocument *document, KgNode *node, guint slot, GtkSizeGroup *labels);
/* Others are selected now. */
void kg_input_row_take_selection (KgInputRow *row);
/* Edits with what has been typed and not been taken yet. */
void kg_input_row_commit (KgInputRow *row);
/* The input has changed its kind, or its node was removed: from now on the row edits nothing. */
void kg_input_row_abandon (KgInputRow *row);
/* Shows what is there now: after a change or at another frame. */
void kg_input_row_refresh (KgInputRow *row);
/* Does any word of it start with what is searched? */
bool kg_input_row_matches (KgInputRow *row, const char *text);
/* See kg_input_is_shown (kg-input-value.h). */
bool kg_input_row_is_shown (KgInputRow *row);
/* Whether the input has a source, so that it is shown although it is not used: see the next. */
bool kg_input_row_is_set (KgInputRow *row);
/* Whether what is set has an effect; where it has none, the row says what it needs. */
void kg_input_row_set_used (KgInputRow *row, bool used);
/* (transfer full) (nullable) "path.output" of the motion that feeds it, when there is one: its graph can be shown. */
char *kg_input_row_dup_motion (KgInputRow *row);
/* motion: (nullable) what comes from there. */
void kg_input_row_show_motion (KgInputRow *row, const KgMotion *motion);
/* (nullable) Its group in the declaration, translated. */
const char *kg_input_row_get_group (KgInputRow *row);

G_END_DECLS
