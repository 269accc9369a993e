/* kg-preset-browser: the presets of the library as images: searched, dragged into the canvas, and kept in order.
 *
 * Signals:
 *   chosen (char *id)     a preset was activated
 *   edit (char *id)       edit its contents
 *   message (char *text)  something was done
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_PRESET_BROWSER (kg_preset_browser_get_type ())
G_DECLARE_FINAL_TYPE (KgPresetBrowser, kg_preset_browser, KG, PRESET_BROWSER, GtkWidget)

/* Shows the presets of the document's library. */
GtkWidget *kg_preset_browser_new (KgDocument *document);

G_END_DECLS
