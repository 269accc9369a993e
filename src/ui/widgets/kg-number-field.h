/* kg-number-field: a number that is typed, dragged or stepped.
 *
 * Typing takes arithmetic ("2*pi", "90/4") and a unit; what reads the time or other nodes becomes an expression of the
 * input.  Dragging sideways changes the value (Shift coarse, Control fine), over the soft range where there is one.
 *
 * Signals:
 *   begin ()           a drag begins: what follows until "end" is one change
 *   value (double)     a new value
 *   end ()
 *   expression (char *) text that is not a plain number
 *   done ()            Enter took what was typed
 *   problem (GError *)  what is typed cannot be read; NULL: now it can
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_NUMBER_FIELD (kg_number_field_get_type ())
G_DECLARE_FINAL_TYPE (KgNumberField, kg_number_field, KG, NUMBER_FIELD, GtkWidget)

/* slot: ranges, unit and whether it is an integer; copied. */
GtkWidget *kg_number_field_new (const KgSlot *slot, const char *label);
/* Shows a value (in the slot's unit) without telling anyone. */
void kg_number_field_set_value (KgNumberField *field, double value);
/* Several nodes with different values: nothing is shown; dragging and stepping start from value. */
void kg_number_field_set_mixed (KgNumberField *field, double value);
/* Shows what computes the number instead of it: typing a number replaces it. */
void kg_number_field_set_formula (KgNumberField *field, const char *text);
/* More for the menu of the text. */
void kg_number_field_set_menu (KgNumberField *field, GMenuModel *menu);
/* What drags and arrow keys lead to has no fraction; what is typed may have one. */
void kg_number_field_set_whole_steps (KgNumberField *field);
/* Takes what has been typed, as leaving the field does. */
void kg_number_field_commit (KgNumberField *field);

G_END_DECLS
