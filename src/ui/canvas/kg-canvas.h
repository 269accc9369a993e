/* kg-canvas: the network: nodes, links, and all that is done to them with mouse and keyboard.
 * It changes the graph only through the core and kg-commands.
 *
 * Signals:
 *   message (char *)   something that the user should read: why a link was refused
 *   activate-node ()   the active node was double-clicked in its body, or Enter was pressed
 *   thumbnails-changed ()  other nodes show a thumbnail: kg_canvas_dup_thumbnails gives another list
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"
#include "kg-worker.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_CANVAS (kg_canvas_get_type ())
G_DECLARE_FINAL_TYPE (KgCanvas, kg_canvas, KG, CANVAS, GtkWidget)

KgCanvas *kg_canvas_new (KgDocument *document, KgWorker *worker);
/* Everything, or the selected nodes, in view. */
void kg_canvas_fit (KgCanvas *canvas, bool selection);
/* Nodes whose image is wanted: (transfer full) (element-type utf8) "path.output"; (nullable) none. */
GPtrArray *kg_canvas_dup_thumbnails (KgCanvas *canvas);
/* After an evaluation, or progress of one. */
void kg_canvas_results_changed (KgCanvas *canvas);
/* Opens the search for nodes at the pointer, or in the middle. */
void kg_canvas_add_node (KgCanvas *canvas);
/* Adds a node of a type in the middle (or at x, y in the widget, when they are not negative). */
void kg_canvas_add_type (KgCanvas *canvas, const char *id, double x, double y);
/* Whether such a file is a graph, that opens in a window of its own. */
bool kg_canvas_can_open (GFile *file);
/* GFile, dropped at a place of the widget: graphs are opened, presets become instances, and images, movies and meshes the
 * nodes that read them, below each other. */
void kg_canvas_drop_files (KgCanvas *canvas, GSList *files, double x, double y);

G_END_DECLS
