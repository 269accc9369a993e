/* kg-graph: a document: nodes, their sources, frames; every change goes through here and can be undone.
 *
 * A graph belongs to one thread.  Evaluation on another thread works on a snapshot.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-source.h"
#include "kg-type.h"

#include <glib-object.h>

G_BEGIN_DECLS

#define KG_GRAPH_MAX_NODES 1000000
#define KG_GRAPH_MAX_NESTING 64 /* graphs within graphs */
#define KG_NAME_MAX 100         /* bytes of a node's name */
#define KG_GRAPH_MAX_FRAME 1e9  /* frames and keys are within ± this */

typedef struct _KgNode KgNode;

#define KG_TYPE_GRAPH (kg_graph_get_type ())
G_DECLARE_FINAL_TYPE (KgGraph, kg_graph, KG, GRAPH, GObject)

/* Signals (on the graph in which it happened; nested graphs also pass "changed" up to the outermost):
 *   node-added (KgNode *), node-removed (KgNode *), node-renamed (KgNode *, char *old_name),
 *   node-moved (KgNode *: its position), node-changed (KgNode *: anything else about the node itself, such as bypass,
 *   stage, lock, colour, comment, definition), source-changed (KgNode *, guint slot), slots-changed (KgNode *: a sub-graph's
 *   interface), settings-changed () (title, comment, frames, display),
 *   history-changed (), changed () after any of them. */

typedef struct {
  double start, end; /* frame numbers, usually whole; end >= start */
  double rate;       /* frames per second, > 0 */
} KgFrames;

/* Whether the scene view shows a node besides what is displayed: as it is, or as grey wires that others are made after. */
typedef enum { KG_STAGE_OFF, KG_STAGE_SHOWN, KG_STAGE_TEMPLATE, KG_N_STAGES } KgStage;

/* As files and scripts name them; NULL at the end. */
extern const char *const kg_stage_nicks[];

/* (transfer full) Empty, frames 1-100 at 24. */
KgGraph *kg_graph_new (KgTypes *types);
KgTypes *kg_graph_get_types (KgGraph *graph);
/* (transfer full) A deep copy for evaluation elsewhere: values shared, no history; nested graphs too. */
KgGraph *kg_graph_snapshot (KgGraph *graph);

const char *kg_graph_get_title (KgGraph *graph); /* "" when it has none */
const char *kg_graph_get_comment (KgGraph *graph);
KgFrames kg_graph_get_frames (KgGraph *graph); /* of the outermost graph */
double kg_graph_frame_to_time (KgGraph *graph, double frame);
double kg_graph_time_to_frame (KgGraph *graph, double time);
/* (nullable) "node.output" or "node". */
const char *kg_graph_get_display (KgGraph *graph);
/* (nullable) Folder of its file; relative paths of nodes start here.  Not undoable. */
const char *kg_graph_get_folder (KgGraph *graph);
void kg_graph_set_folder (KgGraph *graph, const char *folder);
/* (nullable) The folders and files that its nodes may read besides what is below its own folder, or below that of the process
 * where it has none; NULL, as at first: any file.  Programs that open graphs of strangers set it before they evaluate them
 * (docs/trust.md).  Not undoable. */
const char *const *kg_graph_get_permitted (KgGraph *graph);
void kg_graph_set_permitted (KgGraph *graph, const char *const *folders);
/* (nullable) The node that holds this graph. */
KgNode *kg_graph_get_owner (KgGraph *graph);
KgGraph *kg_graph_get_root (KgGraph *graph);

guint kg_graph_get_n_nodes (KgGraph *graph);
KgNode *kg_graph_get_node (KgGraph *graph, guint index); /* in the order they were added */
/* (nullable) By name. */
KgNode *kg_graph_find (KgGraph *graph, const char *name);
/* (nullable) "outer/inner" goes into sub-graphs. */
KgNode *kg_graph_find_path (KgGraph *graph, const char *path);
/* Finds "path" or "path.slot"; without a slot the first output.  Errors name what is missing; with KG_ERROR_UNKNOWN_TYPE
 * *node is set, and evaluating it gives an error. */
bool kg_graph_find_output (KgGraph *graph, const char *target, KgNode **node, guint *slot, GError **error);

/* (transfer full) ": did you mean ...?" for a node that the graph does not have, or "". */
char *kg_graph_suggest_node (KgGraph *graph, const char *name);
/* The same for an input or output. */
char *kg_node_suggest_slot (const KgNode *node, const char *name, KgSlotRole role);

/* Nodes.  A node lives as long as its graph or the history remembers it. */
const char *kg_node_get_name (const KgNode *node);
/* (transfer full) "outer/inner/name" */
char *kg_node_dup_path (const KgNode *node);
const char *kg_node_get_type_id (const KgNode *node);
const KgNodeType *kg_node_get_type (const KgNode *node); /* (nullable) NULL for an unknown type */
KgGraph *kg_node_get_parent (const KgNode *node);        /* the graph it is in */
KgGraph *kg_node_get_graph (const KgNode *node);         /* (nullable) the graph it holds */
void kg_node_get_position (const KgNode *node, double *x, double *y);
bool kg_node_get_bypass (const KgNode *node);
KgStage kg_node_get_stage (const KgNode *node);
const char *kg_node_get_color (const KgNode *node);   /* (nullable) "#rrggbb" */
const char *kg_node_get_comment (const KgNode *node); /* (nullable) */
/* (nullable) What was set on inputs that its preset no longer has: by name, objects with "kind" and "value" (a source). */
const KgJson *kg_node_get_aside (const KgNode *node);

/* The slots of this node (a sub-graph's depend on its inside). */
guint kg_node_get_n_slots (const KgNode *node);
const KgSlot *kg_node_get_slot (const KgNode *node, guint index);
int kg_node_find_slot (const KgNode *node, const char *name); /* -1 */
/* The kind a slot carries now: follows .like for outputs of any kind; KG_ANY when open, and of nodes of an unknown type. */
KgKind kg_node_get_slot_kind (const KgNode *node, guint index);
/* Inputs only. */
const KgSource *kg_node_get_source (const KgNode *node, guint slot);
/* Where an input of a sub-graph that is not set has a default that is no constant: the input inside that has the keys or the
 * expression, or whose link computes it. */
bool kg_node_find_inner_default (const KgNode *node, guint slot, KgNode **inner, guint *input);
/* What a link (or the item of a list) comes from; false for other sources.  A node of an unknown type has no slots: output
 * is G_MAXUINT then, and only the link has its name. */
bool kg_node_get_link (const KgNode *node, guint slot, guint item, KgNode **from, guint *output);
/* The name of that output, if kg_node_get_link returns true; valid as long as the source. */
const char *kg_node_get_link_name (const KgNode *node, guint slot, guint item);
/* How many items of that slot may be links: 1 for a link, all of a list; 0 for other sources and for outputs. */
guint kg_node_get_n_links (const KgNode *node, guint slot);
/* The nodes that read this one (links and expressions), each once; (element-type KgNode) (transfer container). */
GPtrArray *kg_node_dup_users (const KgNode *node);
/* Result may change with time. */
bool kg_node_depends_on_time (KgNode *node);
/* Settings of the node and all upstream of it; equal fingerprints mean equal results at equal times. */
KgHash kg_node_get_fingerprint (KgNode *node);
/* The fingerprint as it is before kg_graph_reload: without numbered files. */
KgHash kg_node_hash_settings (KgNode *node);

/* Checks the files that nodes read again (their size and time are part of the fingerprints).  numbered: treats all
 * numbered files, which cannot be checked, as changed. */
void kg_graph_reload (KgGraph *graph, bool numbered);

/* Edits.  All are undoable, and refused as a whole (false or NULL, *error) when they would break the graph. */

/* name NULL: the type's name with the next free number.  (transfer none) */
KgNode *kg_graph_add (KgGraph *graph, const char *type_id, const char *name, double x, double y, GError **error);
/* A node of a type that this program lacks, kept as read (takes raw). */
KgNode *kg_graph_add_unknown (KgGraph *graph, const char *type_id, const char *name, KgJson *raw, GError **error);
/* Whether the graph would read json, the node of a file, as one of that type, which it lacks. */
bool kg_graph_check_unknown (KgGraph *graph, const char *type_id, const KgJson *json, GError **error);
/* Links and expressions of others that read it lose that source (links reset; expressions stay and fail).  A graph
 * that displays it, or something in it, displays nothing then. */
void kg_graph_remove (KgGraph *graph, KgNode *node);
/* Links, expressions and what is displayed follow.  An expression that names a missing node of that name will read
 * this one: refused where that would close a cycle. */
bool kg_graph_rename (KgGraph *graph, KgNode *node, const char *name, GError **error);
/* Sources: a link must exist, have a type that converts, and close no cycle (the message names its path).  Refused
 * too when readers of this node no longer could, because its outputs are of the kind of this input.  A new kind of
 * an interface node converts what is set outside, and cuts the links that do not fit. */
bool kg_graph_set_source (KgGraph *graph, KgNode *node, guint slot, const KgSource *source, GError **error);
bool kg_graph_set_constant (KgGraph *graph, KgNode *node, const char *slot, const KgValue *value, GError **error);
/* Any source, as in files ("0.5", "{\"expr\": \"2*t\"}"). */
bool kg_graph_set_json (KgGraph *graph, KgNode *node, const char *slot, const char *json, GError **error);
bool kg_graph_set_expression (KgGraph *graph, KgNode *node, const char *slot, const char *text, GError **error);
/* One cell of a table (row and column from 0): a constant, keys, an expression or a link.  The table is set, or the default of
 * the input. */
bool kg_graph_set_cell (KgGraph *graph, KgNode *node, guint slot, guint row, guint column, const KgSource *source,
                        GError **error);
bool kg_graph_link (KgGraph *graph, KgNode *from, const char *output, KgNode *to, const char *input, GError **error);
bool kg_graph_reset (KgGraph *graph, KgNode *node, const char *slot, GError **error);
/* The checks of kg_graph_set_source without doing it: for the canvas. */
bool kg_graph_check_link (KgGraph *graph, KgNode *from, guint output, KgNode *to, guint input, GError **error);

void kg_graph_move (KgGraph *graph, KgNode *node, double x, double y);
typedef struct {
  KgNode *node;
  double x, y;
} KgPlacement;
/* Many at once, as one undo step: "changed" is emitted once. */
void kg_graph_move_nodes (KgGraph *graph, const KgPlacement *placements, guint n);
void kg_graph_set_bypass (KgGraph *graph, KgNode *node, bool bypass);
void kg_graph_set_stage (KgGraph *graph, KgNode *node, KgStage stage);
void kg_graph_set_color (KgGraph *graph, KgNode *node, const char *color);
void kg_graph_set_node_comment (KgGraph *graph, KgNode *node, const char *comment);
void kg_graph_set_title (KgGraph *graph, const char *title);
void kg_graph_set_comment (KgGraph *graph, const char *comment);
bool kg_graph_set_frames (KgGraph *graph, KgFrames frames, GError **error);
void kg_graph_set_display (KgGraph *graph, const char *target);

/* Several edits as one undo step; may nest (the outermost counts). */
void kg_graph_begin_group (KgGraph *graph, const char *label);
void kg_graph_end_group (KgGraph *graph);
/* Reverts everything since the matching begin, as if it had not happened. */
void kg_graph_cancel_group (KgGraph *graph);
/* Whether a group is open: between events of the user, something is being dragged. */
bool kg_graph_is_in_group (KgGraph *graph);
/* Ends the group when its edits were made, and cancels it when one of them failed.  Returns good. */
bool kg_graph_close_group (KgGraph *graph, bool good);
/* The last step that can be undone, as a number that no other step has; 0: none. */
guint64 kg_graph_get_step (KgGraph *graph);
/* Begins a group that continues that step: for a run of small edits that become one.  False, and nothing begun, if it is
 * no longer the last, something could be redone, or it was no group. */
bool kg_graph_reopen_group (KgGraph *graph, guint64 step);
/* Steps that become one, or (cancel) none; undo and redo work between begin and end, on what was done since.
 * Not within a group; may nest. */
void kg_graph_begin_transaction (KgGraph *graph, const char *label);
void kg_graph_end_transaction (KgGraph *graph);
void kg_graph_cancel_transaction (KgGraph *graph);
/* The outermost graph and all within share one history. */
bool kg_graph_undo (KgGraph *graph);
bool kg_graph_redo (KgGraph *graph);
const char *kg_graph_get_undo_label (KgGraph *graph); /* (nullable) */
const char *kg_graph_get_redo_label (KgGraph *graph); /* (nullable) */
void kg_graph_clear_history (KgGraph *graph);
/* While off, edits are not remembered (reading a file). */
void kg_graph_set_recording (KgGraph *graph, bool recording);

G_END_DECLS
