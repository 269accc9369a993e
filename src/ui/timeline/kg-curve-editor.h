/* kg-curve-editor: the keyed inputs of the selected nodes as curves, with everything that changes keys: a tool bar, a
 * list of the curves, and the drawing (kg-curve-area).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

#include "kg-document.h"

G_BEGIN_DECLS

#define KG_TYPE_CURVE_EDITOR (kg_curve_editor_get_type ())
G_DECLARE_FINAL_TYPE (KgCurveEditor, kg_curve_editor, KG, CURVE_EDITOR, GtkWidget)

KgCurveEditor *kg_curve_editor_new (KgDocument *document);

G_END_DECLS
