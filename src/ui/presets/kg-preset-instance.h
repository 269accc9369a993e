/* kg-preset-instance: what can be done with an instance of a preset: its contents edited, saved as the next version or taken
 * back, and a newer definition taken.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Name of an action: "win.preset-edit", "win.preset-save-version", "win.preset-match", "win.preset-upgrade".  Asks and reports in
 * dialogs over the window. */
void kg_preset_instance_run (KgDocument *document, GtkWindow *window, const char *action);

/* A document for editing a definition: one private copy of the preset, opened. */
bool kg_preset_instance_open (KgDocument *document, const char *preset_id, GError **error);

/* What the inspector shows of the instance: its version, and buttons for the above. */
#define KG_TYPE_PRESET_INSTANCE (kg_preset_instance_get_type ())
G_DECLARE_FINAL_TYPE (KgPresetInstance, kg_preset_instance, KG, PRESET_INSTANCE, GtkWidget)

GtkWidget *kg_preset_instance_new (KgDocument *document);

G_END_DECLS
