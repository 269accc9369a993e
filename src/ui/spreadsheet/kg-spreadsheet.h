/* kg-spreadsheet: the numbers behind an image: a value as a table that scrolls over any number of rows, sorts by a
 * click on a column's title, and finds numbers and text.  What it shows is in kg-sheet.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

#include "kg-value.h"

G_BEGIN_DECLS

#define KG_TYPE_SPREADSHEET (kg_spreadsheet_get_type ())
G_DECLARE_FINAL_TYPE (KgSpreadsheet, kg_spreadsheet, KG, SPREADSHEET, GtkWidget)

KgSpreadsheet *kg_spreadsheet_new (void);
/* Keeps a reference to the value (nullable).  While the widget is not on screen nothing else is done. */
void kg_spreadsheet_set_value (KgSpreadsheet *spreadsheet, const KgValue *value);

G_END_DECLS
