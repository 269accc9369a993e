/* kg-dope-sheet: the keys of all nodes of the graph on the canvas, a row for each keyed input: selected by clicks and boxes, moved,
 * scaled by the ends of the bar above them, copied, pasted and deleted.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_DOPE_SHEET (kg_dope_sheet_get_type ())
G_DECLARE_FINAL_TYPE (KgDopeSheet, kg_dope_sheet, KG, DOPE_SHEET, GtkWidget)

GtkWidget *kg_dope_sheet_new (KgDocument *document);

G_END_DECLS
