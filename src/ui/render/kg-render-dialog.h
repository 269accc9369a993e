/* kg-render-dialog: frames of a document into files, by the same code as `kineo render`.
 *
 * Renders a snapshot on a thread of its own: the document can be worked on meanwhile.  Closing the dialog while it
 * renders stops the rendering first.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_RENDER_DIALOG (kg_render_dialog_get_type ())
G_DECLARE_FINAL_TYPE (KgRenderDialog, kg_render_dialog, KG, RENDER_DIALOG, GtkWindow)

/* Not yet shown: gtk_window_present. */
/* width, height: of the image that is shown, for another size to begin with; 0: unknown. */
GtkWindow *kg_render_dialog_new (KgDocument *document, GtkWindow *parent, int width, int height);

G_END_DECLS
