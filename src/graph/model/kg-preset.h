/* kg-preset: node types that are made of nodes: a definition, read from a file that people can read, diff and send.
 *
 * A definition is immutable.  Added to a KgTypes it is a node type like any other; an instance holds a copy of its
 * nodes and is evaluated as if they stood there.  The format is described in docs/format.md.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

G_BEGIN_DECLS

#define KG_PRESET_FORMAT 1
#define KG_PRESET_SUFFIX ".preset.json"

typedef struct _KgPreset KgPreset;

/* What the inputs of instances have beyond their kind, by the interface. */
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

/* Each reports everything wrong to problems and returns NULL.  types: with the presets it is made of.
 * (transfer full) (nullable) */
KgPreset *kg_preset_from_json (KgTypes *types, const KgJson *json, const char *pointer, GPtrArray *problems);
KgPreset *kg_preset_parse (KgTypes *types, const char *text, gssize length, GPtrArray *problems);
KgPreset *kg_preset_load (KgTypes *types, const char *path, GPtrArray *problems);
KgPreset *kg_preset_ref (const KgPreset *preset);
void kg_preset_unref (KgPreset *preset);

/* Whether a text is an id: namespace/name of small letters, digits and _. */
bool kg_preset_check_id (const char *id, GError **error);
const char *kg_preset_get_id (const KgPreset *preset);
guint kg_preset_get_version (const KgPreset *preset);
/* (transfer full) id@version: what a definition is called that is carried besides a newer one. */
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
/* (transfer full) The file's text, one member a line. */
char *kg_preset_to_text (const KgPreset *preset);
char *kg_preset_json_to_text (const KgJson *json);
/* (transfer full) The definition for where others are known (id -> KgPreset): it carries those that it is made of and that
 * are not. */
KgJson *kg_preset_to_json (const KgPreset *preset, GHashTable *known);
const KgNodeType *kg_preset_get_type (const KgPreset *preset);

/* (nullable) The definition that a type or a node comes from. */
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

/* (transfer full) (element-type KgInterfaceChange) What is different for those who use it. */
GArray *kg_preset_compare (const KgPreset *older, const KgPreset *newer);
/* (transfer full) One line. */
char *kg_interface_change_to_text (const KgInterfaceChange *change);

/* (transfer container) (element-type KgNode) Instances of the preset (id NULL: of any) in the whole graph, sub-graphs and
 * private copies too, but not within locked instances, which are as their own definition says. */
GPtrArray *kg_graph_find_instances (KgGraph *graph, const char *id);
/* (nullable) The definition among types that is newer than that of the node. */
const KgPreset *kg_node_find_newer (const KgNode *node, const KgTypes *types);
/* All instances become those of another definition of their preset, in one step of undo.  What an input has that is not
 * there any more, or of another kind, is kept aside and comes back with an input of that name and kind; private copies
 * stay what they are. */
bool kg_graph_upgrade (KgGraph *graph, const KgPreset *preset, GError **error);
/* (transfer none) (nullable) The same of one instance only, which another node may take the place of: the others stay what
 * they are, and the graph has both definitions. */
KgNode *kg_graph_upgrade_node (KgGraph *graph, KgNode *node, const KgPreset *preset, GError **error);
/* An edited instance becomes what its preset says again, with the inputs and links it has; undoable. */
bool kg_graph_match_preset (KgGraph *graph, KgNode *node, GError **error);
/* Lets a graph have the presets of a library that has changed.  The definitions of instances that it has stay. */
void kg_graph_set_library (KgGraph *graph, KgTypes *library);
/* (transfer full) A definition of what a private copy holds, as JSON text: the next version of its preset. */
char *kg_preset_pack_instance (const KgNode *node, guint version, GError **error);

/* (transfer full) The types with definitions by id, each after those that it is made of. */
KgTypes *kg_types_read_presets (KgTypes *types, const KgJson *json, const char *pointer, GPtrArray *problems);
/* (transfer full) The types of parent and the preset, which wins over one of the same id. */
KgTypes *kg_types_add_preset (KgTypes *parent, KgPreset *preset);
/* (transfer full) The types of parent, and besides the one that they have of its id a definition that only instances of its
 * version are of. */
KgTypes *kg_types_add_older (KgTypes *parent, KgPreset *preset);
/* (nullable) The type of that id, or an older definition that was added, if it is of that version. */
const KgNodeType *kg_types_find_version (const KgTypes *types, const char *id, guint version);
/* (transfer container) (element-type KgNodeType) All that were added as older. */
GPtrArray *kg_types_list_older (const KgTypes *types);
/* (transfer full) base with all *.preset.json of the folders; the first folder that has an id wins, unless the file there is
 * wrong: then the next one does.  A wrong file leaves a problem whose message begins with its path, and the rest is
 * read; what needs it is told why it is not there.  Presets made of presets are read in the right order; one that holds
 * itself, at any depth, is refused with the chain of names. */
KgTypes *kg_types_load_presets (KgTypes *base, const char *const *folders, GPtrArray *problems);
/* (transfer full) (nullable) As kg_graph_load, knowing of the presets of the folders only those that the graph is made of, which
 * is faster; preset_problems: as of kg_types_load_presets. */
KgGraph *kg_graph_load_with_presets (KgTypes *base, const char *const *folders, const char *path,
                                     GPtrArray *preset_problems, GPtrArray *problems);
/* (transfer full) Folders in the order in which they are looked at: beside the graph (nullable), those of
 * KINEOGRAPH_PRESET_PATH, the user's, and built_in (nullable). */
char **kg_preset_dup_folders (const char *graph_folder, const char *built_in);
/* (transfer full) KG_ERROR_UNKNOWN_TYPE: what to do about a type that is not there, and where presets were looked for. */
GError *kg_types_new_unknown_error (const KgTypes *types, const char *type_id);
/* (transfer full) The same of a node that is kept as it was read: there is no such type, or only an older definition of its
 * preset than it was made with. */
GError *kg_node_new_unknown_error (const KgNode *node);
/* Why the preset of that id cannot be used, though a folder has it: what is wrong with its file; (nullable). */
const char *kg_types_find_refusal (const KgTypes *types, const char *id);
/* Where presets were looked for, for messages; (nullable). */
const char *const *kg_types_get_preset_folders (const KgTypes *types);

/* (transfer full) An entry of an interface for an input of a node: what it drives, its label, help, range and unit. */
KgJson *kg_preset_publish_input (const KgNode *node, guint slot);
/* (transfer full) A definition made of nodes of a graph, as JSON text: links that cross the border become published
 * inputs and outputs, and so do keyed inputs.  NULL and *error when an expression reads across the border. */
char *kg_preset_pack (KgGraph *graph, KgNode *const *nodes, guint n, const char *id, const char *title, GError **error);

/* Lets a graph (and all around and within it) have instances of a preset; it wins over one of the same id, unless the graph has
 * instances of that already: they and new ones are upgraded together (kg_graph_upgrade). */
void kg_graph_add_preset (KgGraph *graph, KgPreset *preset);
/* An instance takes the place of the nodes that the preset was packed from, and their links; undoable. */
KgNode *kg_graph_replace_by_preset (KgGraph *graph, KgNode *const *nodes, guint n, KgPreset *preset, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgPreset, kg_preset_unref)

G_END_DECLS
