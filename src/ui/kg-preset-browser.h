/* kg-preset-browser: presets as pictures, to be searched and dragged into the canvas.
 *
 * Signals:
 *   chosen (char *id)   a preset was activated
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_PRESET_BROWSER (kg_preset_browser_get_type ())
G_DECLARE_FINAL_TYPE (KgPresetBrowser, kg_preset_browser, KG, PRESET_BROWSER, GtkWidget)

GtkWidget *kg_preset_browser_new (void);
/* Shows the presets among the types. */
void kg_preset_browser_set_types (KgPresetBrowser *browser, KgTypes *types);

G_END_DECLS
