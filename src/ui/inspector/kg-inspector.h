/* kg-inspector: the inputs of the active node, made from its declaration; with nothing selected, those of the graph.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"
#include "kg-worker.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_INSPECTOR (kg_inspector_get_type ())
G_DECLARE_FINAL_TYPE (KgInspector, kg_inspector, KG, INSPECTOR, GtkWidget)

/* Grabbing the focus moves it to the search, whose Enter moves it to the first input found. */
GtkWidget *kg_inspector_new (KgDocument *document, KgWorker *worker);
/* Shows the widget below the name of the node's type: what else the window has to say of the active node. */
void kg_inspector_add_below_type (KgInspector *inspector, GtkWidget *widget);
/* Edits with what has been typed and not been taken yet: before the graph is saved, or its window closes. */
void kg_inspector_commit (KgInspector *inspector);
/* After an evaluation: errors, values of outputs. */
void kg_inspector_results_changed (KgInspector *inspector);
/* (transfer full) char *: "path.output" of the motions whose graphs it shows; they are requested from the worker. */
GPtrArray *kg_inspector_dup_motions (KgInspector *inspector);

G_END_DECLS
