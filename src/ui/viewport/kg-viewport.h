/* kg-viewport: shows the value of the display output, and lets the handles of the active node be moved in it.
 *
 * Signals:
 *   view-changed ()     the camera moved, the size changed, or more has to be known: a request is needed
 *   frame-shown ()      the image of another frame came to the screen
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
/* How the next image should be drawn, and what else has to be known; target is set. */
void kg_viewport_fill_request (KgViewport *viewport, KgRequest *request);
/* Which other frames are shown while onion skins are on; step is frames here. */
void kg_viewport_set_onion (KgViewport *viewport, const KgOnion *onion);
/* (transfer full) (element-type utf8) "path.scene" of every camera that can be looked through. */
GPtrArray *kg_viewport_list_cameras (KgViewport *viewport);
/* Nothing but the pixels of the image is needed: no depth, no onion skins, nothing beside it. */
bool kg_viewport_shows_pixels (KgViewport *viewport);
void kg_viewport_results_changed (KgViewport *viewport);

G_END_DECLS
