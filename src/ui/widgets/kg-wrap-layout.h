/* kg-wrap-layout: children beside each other, on as many lines as they need: for bars that may become narrow.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_WRAP_LAYOUT (kg_wrap_layout_get_type ())
G_DECLARE_FINAL_TYPE (KgWrapLayout, kg_wrap_layout, KG, WRAP_LAYOUT, GtkLayoutManager)

/* spacing: pixels between children of a line, and between lines. */
GtkLayoutManager *kg_wrap_layout_new (int spacing);

G_END_DECLS
