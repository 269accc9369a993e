/* kg-viewport: shows the value of the display output, and lets points be dragged in it.
 *
 * Signals:
 *   view-changed ()   the camera moved or the size changed: the picture is wanted anew
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"
#include "kg-worker.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_VIEWPORT (kg_viewport_get_type ())
G_DECLARE_FINAL_TYPE (KgViewport, kg_viewport, KG, VIEWPORT, GtkWidget)

GtkWidget *kg_viewport_new (KgDocument *document, KgWorker *worker);
/* How the next picture should be drawn. */
KgView kg_viewport_get_view (KgViewport *viewport);
void kg_viewport_results_changed (KgViewport *viewport);

G_END_DECLS
