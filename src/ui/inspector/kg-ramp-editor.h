/* kg-ramp-editor: a table of colours at stops as the ramp that it makes: stops are dragged along it, added, removed, and given
 * their colours.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-input-row-private.h"

G_BEGIN_DECLS

#define KG_TYPE_RAMP_EDITOR (kg_ramp_editor_get_type ())
G_DECLARE_FINAL_TYPE (KgRampEditor, kg_ramp_editor, KG, RAMP_EDITOR, GtkWidget)

/* Whether rows are positions and colours: the columns position, red, green, blue and perhaps alpha. */
bool kg_ramp_editor_fits (const KgSlot *slot);
/* What is done to it is done to the input of the row. */
GtkWidget *kg_ramp_editor_new (KgInputRow *row);
/* Shows what is there now. */
void kg_ramp_editor_refresh (KgRampEditor *editor);

G_END_DECLS
