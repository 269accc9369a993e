/* kg-commands: what the canvas can do to nodes beyond the single edits of the core.  Each is one step of undo, and none
 * knows a widget: tests call them as the canvas does.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node-layout.h"
#include "kg-subnet.h"

G_BEGIN_DECLS

/* Removes the nodes; with reconnect, what they read is linked to what reads them, where the kinds fit. */
void kg_command_delete (KgGraph *graph, KgNode *const *nodes, guint n, bool reconnect);
/* Unlinks the node on both sides and closes the gap.  The node stays. */
void kg_command_extract (KgGraph *graph, KgNode *node);
/* Puts node between the two ends of a link (item: of a list input).  False and *error when its slots do not fit. */
bool kg_command_insert (KgGraph *graph, KgNode *node, KgNode *to, guint input, guint item, GError **error);
/* (nullable) The first output of a kind that fits kind, and the first input that takes kind and is not linked; -1. */
int kg_command_find_output (const KgNode *node, KgKind kind);
int kg_command_find_input (const KgNode *node, KgKind kind);
/* For a link from this output: the input of its name, or of its label, where it fits; else as above. */
int kg_command_find_input_for (const KgNode *node, const KgNode *from, guint output);
/* Copies with their links among each other, and the links into them from others.  (transfer container) */
GPtrArray *kg_command_duplicate (KgGraph *graph, KgNode *const *nodes, guint n, double dx, double dy, GError **error);
/* All nodes upstream, or downstream, including the given ones.  (transfer container) */
GPtrArray *kg_command_upstream (KgNode *const *nodes, guint n);
GPtrArray *kg_command_downstream (KgNode *const *nodes, guint n);

typedef enum { KG_ALIGN_LEFT, KG_ALIGN_TOP, KG_ALIGN_ROW, KG_ALIGN_COLUMN } KgAlign;
/* Left and top edges in one line, or evenly spread as a row or a column.  rects: as each of the nodes is shown. */
void kg_command_align (KgGraph *graph, KgNode *const *nodes, const KgRect *rects, guint n, KgAlign align);
/* Layered drawing (Sugiyama, Tagawa and Toda 1981): links run from left to right, with few crossings.  Frames go with what
 * was on them. */
void kg_command_layout (KgGraph *graph, KgNode *const *nodes, const KgRect *rects, guint n);

G_END_DECLS
