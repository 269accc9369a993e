/* kg-preset-dialog: nodes become a preset: what it is called, which inputs and outputs it publishes, and where it is kept.
 *
 * Signals:
 *   saved (char *path)   the file is written
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"
#include "kg-preset.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_PRESET_DIALOG (kg_preset_dialog_get_type ())
G_DECLARE_FINAL_TYPE (KgPresetDialog, kg_preset_dialog, KG, PRESET_DIALOG, GtkWindow)

/* Of the selected nodes of the document; image: (nullable) what becomes the thumbnail.  NULL and *error when they cannot
 * be one. */
GtkWindow *kg_preset_dialog_new (KgDocument *document, const KgImage *image, GtkWindow *parent, GError **error);

G_END_DECLS
