/* kg-file: graphs as JSON text (docs/format.md).  Strict reading that reports everything wrong at once,
 * byte-stable writing, atomic saving, copy and paste.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

G_BEGIN_DECLS

#define KG_FILE_VERSION 1

/* Returns NULL and at least one problem when the text is not a valid graph.  (transfer full) (nullable) */
KgGraph *kg_graph_parse (KgTypes *types, const char *text, gssize length, GPtrArray *problems);
/* path "-" reads standard input.  I/O failures are problems too.  Sets the folder.  (transfer full) (nullable) */
KgGraph *kg_graph_load (KgTypes *types, const char *path, GPtrArray *problems);
/* (transfer full) (nullable) As kg_graph_load, knowing of the presets of the folders only those that the graph is made of, which
 * is faster; preset_problems: as of kg_types_load_presets. */
KgGraph *kg_graph_load_with_presets (KgTypes *base, const char *const *folders, const char *path,
                                     GPtrArray *preset_problems, GPtrArray *problems);
/* (transfer full) The file's text. */
char *kg_graph_to_text (KgGraph *graph);
/* (transfer full) (nullable) The same; fails when it could not be read again. */
char *kg_graph_to_readable_text (KgGraph *graph, GError **error);
/* What could not be read again is not written. Atomic: temporary file beside it, fsync, rename; the old file survives every failure.  "-": standard output. */
bool kg_graph_save (KgGraph *graph, const char *path, GError **error);

/* (transfer full) The nodes (names relative to their graph) with the links among them, as the text of a graph file. */
char *kg_graph_copy (KgGraph *graph, KgNode *const *nodes, guint n);
/* Adds the nodes of a copied text, renamed where names are taken, moved by (dx, dy), as one undo step.
 * (transfer container) (element-type KgNode) (nullable) */
GPtrArray *kg_graph_paste (KgGraph *graph, const char *text, double dx, double dy, GError **error);

/* Takes a piece of a text; false: no more. */
typedef bool (*KgTextSink) (const char *text, gpointer data);
/* Writes the JSON Schema (2020-12) of the format with every node type of types, piece by piece.  Returns false when the
 * sink did. */
bool kg_schema_write (KgTypes *types, KgTextSink sink, gpointer data);

G_END_DECLS
