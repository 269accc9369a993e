/* kg-subnet: single links, also in lists, and nodes that move into a sub-graph and out again.
 * Everything is undoable, each call as one step.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

G_BEGIN_DECLS

/* (transfer none) (nullable) Adds a node of the type that plays a role in sub-graphs; otherwise as kg_graph_add (). */
KgNode *kg_graph_add_role (KgGraph *graph, KgRole role, const char *name, double x, double y, GError **error);

/* One place where an output is read. */
typedef struct {
  KgNode *to;
  guint input, item; /* item: of a list input */
} KgReader;

/* (transfer full) (element-type KgReader) Links from the outputs of node; expressions are not among them. */
GArray *kg_node_dup_readers (KgNode *node);
/* Links output to input; item: of a list, its length or more to append. */
bool kg_graph_link_item (KgGraph *graph, KgNode *from, guint output, KgNode *to, guint input, guint item,
                         GError **error);
/* The same, but in a list the link comes before that item instead of replacing it. */
bool kg_graph_insert_link (KgGraph *graph, KgNode *from, guint output, KgNode *to, guint input, guint item,
                           GError **error);
/* The same as kg_graph_link_item for an output by its name, which is all that is known about outputs of a node of an unknown type. */
bool kg_graph_link_item_by_name (KgGraph *graph, KgNode *from, const char *output, KgNode *to, guint input, guint item,
                                 GError **error);
/* Removes the link (or the item of a list). */
void kg_graph_unlink_item (KgGraph *graph, KgNode *to, guint input, guint item);
/* (transfer full) (element-type KgNode) A set, for quick look-ups. */
GHashTable *kg_node_set_new (KgNode *const *nodes, guint n);
/* (transfer container) In the order of the graph, in which copies of them are pasted. */
GPtrArray *kg_graph_dup_ordered (KgGraph *graph, KgNode *const *nodes, guint n);

/* The nodes go into a new sub-graph, with an interface for every link that crosses its border.  Inputs and outputs of the
 * graph itself stay.
 * NULL and *error, and nothing is changed, when an expression would lose what it reads, or a link cannot go through the
 * interface: the sub-graph would read what depends on it.  (transfer none) */
KgNode *kg_graph_collapse (KgGraph *graph, KgNode *const *nodes, guint n, GError **error);
/* The nodes inside take the place of the sub-graph, or of the instance of a preset.  NULL and *error, and nothing is
 * changed, when one of them cannot take what the sub-graph reads.  (transfer container) */
GPtrArray *kg_graph_expand (KgGraph *graph, KgNode *subnet, GError **error);

G_END_DECLS
