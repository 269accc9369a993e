/* kg-preset-pack: definitions made of nodes of a graph: of a selection, or of an instance that was edited.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-preset.h"

G_BEGIN_DECLS

/* (transfer full) An entry of an interface for an input of a node: what it drives, its label, help, range and unit. */
KgJson *kg_preset_publish_input (const KgNode *node, guint slot);
/* (transfer full) A definition made of nodes of a graph, as JSON text: links that cross the border become published
 * inputs and outputs, and so do keyed inputs.  NULL and *error when an expression reads across the border. */
char *kg_preset_pack (KgGraph *graph, KgNode *const *nodes, guint n, const char *id, const char *title, GError **error);
/* (transfer full) A definition of what a private copy holds, as JSON text: the next version of its preset. */
char *kg_preset_pack_instance (const KgNode *node, guint version, GError **error);
/* An instance takes the place of the nodes that the preset was packed from, and their links; undoable. */
KgNode *kg_graph_replace_by_preset (KgGraph *graph, KgNode *const *nodes, guint n, KgPreset *preset, GError **error);

G_END_DECLS
