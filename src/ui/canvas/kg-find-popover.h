/* kg-find-popover: the nodes of the graph as a tree, narrowed by what is typed: names, types, texts, files, errors.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_FIND_POPOVER (kg_find_popover_get_type ())
G_DECLARE_FINAL_TYPE (KgFindPopover, kg_find_popover, KG, FIND_POPOVER, GtkPopover)

/* (nullable) (transfer full) What is wrong with a node. */
typedef char *(*KgFindProblem) (KgNode *node, gpointer data);

/* Emits "chosen" with the path of a node (kg_node_dup_path). */
GtkWidget *kg_find_popover_new (KgFindProblem problem, gpointer data);
/* Lists what is in the outermost graph; then show it with gtk_popover_popup. */
void kg_find_popover_prepare (KgFindPopover *popover, KgGraph *graph);

G_END_DECLS
