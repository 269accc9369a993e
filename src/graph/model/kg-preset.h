/* kg-preset: node types that are made of nodes: definitions, and their instances in graphs.
 *
 * A definition is immutable.  Added to a KgTypes it is a node type like any other; an instance holds a copy of its
 * nodes and is evaluated as if they stood there.  The format is described in docs/format.md.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

G_BEGIN_DECLS

typedef struct _KgPreset KgPreset;

/* A published input or output, as the interface describes it. */
typedef struct {
  char *name;
  bool is_output;
  KgKind kind;
  char *label, *help, *group;
  char *shown_when; /* (nullable) "style=lines|solids": see kg-condition.h */
  KgUnit unit;
  double min, max, soft_min, soft_max; /* as in KgSlot */
  char **drives;                       /* inputs: "node.input" inside, NULL-terminated */
  char *from;                          /* outputs: "node.output" inside */
} KgPublished;

KgPreset *kg_preset_ref (const KgPreset *preset);
void kg_preset_unref (KgPreset *preset);

const char *kg_preset_get_id (const KgPreset *preset);
guint kg_preset_get_version (const KgPreset *preset);
/* (transfer full) id@version: the name of a definition that is carried besides a newer one. */
char *kg_preset_dup_versioned_id (const KgPreset *preset);
/* (nullable) Not empty.  "title", "summary", "help", "author", "license", "tags", "thumbnail", "minimum". */
const char *kg_preset_get_text (const KgPreset *preset, const char *name);
const char *kg_preset_get_path (const KgPreset *preset); /* (nullable) the file it was read from */
/* What instances are made of: the nodes with an interface node for each published input and output. */
KgGraph *kg_preset_get_graph (const KgPreset *preset);
guint kg_preset_get_n_published (const KgPreset *preset);
const KgPublished *kg_preset_get_published (const KgPreset *preset, guint index);
/* (nullable) Of an input or output of that name. */
const KgPublished *kg_preset_find_published (const KgPreset *preset, const char *name);
/* (nullable) What an input of an older version is called now. */
const char *kg_preset_get_renamed (const KgPreset *preset, const char *old_name);
/* The definition as it was read. */
const KgJson *kg_preset_get_json (const KgPreset *preset);
const KgNodeType *kg_preset_get_type (const KgPreset *preset);

/* (nullable) The definition that a type (nullable) or a node comes from. */
const KgPreset *kg_type_get_preset (const KgNodeType *type);
const KgPreset *kg_node_get_preset (const KgNode *node);
/* An instance whose inside was made editable: it is saved with its nodes. */
bool kg_node_is_unlocked (const KgNode *node);
/* True when the graph is the inside of a locked instance, or within one: edits are refused. */
bool kg_graph_is_locked (KgGraph *graph);
/* Undoable. */
void kg_graph_set_unlocked (KgGraph *graph, KgNode *node, bool unlocked);

/* Newer definitions: kg-preset-upgrade.c. */

typedef enum { KG_PUBLISHED_GONE, KG_PUBLISHED_RENAMED, KG_PUBLISHED_RETYPED, KG_PUBLISHED_ADDED } KgPublishedChange;

typedef struct {
  KgPublishedChange change;
  const KgPublished *was, *now; /* of the older and of the newer; NULL where there is none */
} KgInterfaceChange;

/* (transfer full) (element-type KgInterfaceChange) What is different for users. */
GArray *kg_preset_compare (const KgPreset *older, const KgPreset *newer);
/* (transfer full) One line. */
char *kg_interface_change_to_text (const KgInterfaceChange *change);

/* (transfer container) (element-type KgNode) Instances of the preset (id NULL: of any) in the whole graph, sub-graphs and
 * private copies too, but not within locked instances, which are as their own definition has them. */
GPtrArray *kg_graph_find_instances (KgGraph *graph, const char *id);
/* (nullable) The definition among types that is newer than that of the node. */
const KgPreset *kg_node_find_newer (const KgNode *node, const KgTypes *types);
/* All instances become those of another definition of their preset, in one step of undo.  What an input has that is
 * missing there, or of another kind, is kept aside and comes back with an input of that name and kind; private copies
 * keep their contents. */
bool kg_graph_upgrade (KgGraph *graph, const KgPreset *preset, GError **error);
/* (transfer none) (nullable) The same for one instance only, whose place another node may take: the others stay as they
 * are, and the graph has both definitions. */
KgNode *kg_graph_upgrade_node (KgGraph *graph, KgNode *node, const KgPreset *preset, GError **error);
/* An edited instance gets the contents of its preset again, with the inputs and links it has; undoable. */
bool kg_graph_match_preset (KgGraph *graph, KgNode *node, GError **error);
/* Gives a graph the presets of a library that has changed.  The definitions of its instances stay. */
void kg_graph_set_library (KgGraph *graph, KgTypes *library);

/* (transfer full) The error of a node that is kept as it was read: its type is missing, or only an older definition of
 * its preset than it was made with is known. */
GError *kg_node_new_unknown_error (const KgNode *node);

/* Adds a preset to the types of a graph (and all around and within it); it wins over one of the same id, unless the graph
 * has instances of that already: they and new ones are upgraded together (kg_graph_upgrade). */
void kg_graph_add_preset (KgGraph *graph, KgPreset *preset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgPreset, kg_preset_unref)

G_END_DECLS
