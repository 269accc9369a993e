/* kg-graph-private: the inside of graphs and nodes, for the core.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-expression.h"
#include "kg-graph.h"
#include "kg-hash.h"
#include "kg-preset.h"

/* The signals of graphs. */
typedef enum {
  KG_SIGNAL_NODE_ADDED,
  KG_SIGNAL_NODE_REMOVED,
  KG_SIGNAL_NODE_RENAMED,
  KG_SIGNAL_NODE_MOVED,
  KG_SIGNAL_NODE_CHANGED,
  KG_SIGNAL_SOURCE_CHANGED,
  KG_SIGNAL_SLOTS_CHANGED,
  KG_SIGNAL_SETTINGS_CHANGED,
  KG_SIGNAL_HISTORY_CHANGED,
  KG_SIGNAL_CHANGED,
  KG_N_SIGNALS
} KgSignal;

/* What GObject calls them: emitting by name looks the name up each time. */
extern guint kg_graph_signals[KG_N_SIGNALS];

/* The slot of a wire that ends at a node of an unknown type. */
#define KG_SLOT_UNKNOWN G_MAXUINT

/* One slot that an input reads.  node is NULL for the constants of a list and for references to missing
 * nodes. */
typedef struct {
  KgNode *node;
  guint slot;        /* an output, or (expressions) an input; KG_SLOT_UNKNOWN: of a node of an unknown type */
  guint place;       /* among the users of node */
  bool reads_output; /* or a slot of a node of an unknown type */
} KgWire;

/* Computed on demand, valid until something upstream changes: the unit of dirtiness.  See kg-vertex-private.h. */
typedef struct {
  KgHash hash;
  bool valid;
  bool timed;     /* the value may change with time */
  bool simulated; /* it depends on a simulation */
  /* Of an input, here because every evaluation asks for them and inputs are large. */
  bool ready; /* the input's ready is its value while the mark is valid */
  bool plain; /* ready goes into its field without a warning */
} KgMark;

typedef struct {
  guint n_wires; /* 1 for a link, the items of a list, the references of an expression, those of all cells of a table */
  guint dangling; /* 1 + its place among what dangles in the graph; 0: every name was found */
  KgWire *wires;  /* one is wire, more are owned; NULL before the names were looked up */
  KgWire wire;
  KgSource source;
  KgExpression *expression; /* of KG_SOURCE_EXPRESSION */
  /* (nullable) of KG_SOURCE_TABLE: KgExpression for each cell, NULL for keys; a link is an expression that reads one slot */
  GPtrArray *cells;
  KgKind kind; /* of open slots (outputs too), while known: see kg-graph-kind.c */
  bool kind_known;
  /* A constant or default of a small kind as the node takes it, prepared once by the evaluator: see KgMark. */
  KgHash ready_fingerprint;
  KgValue ready;
} KgInput;

/* The other end of a wire: who reads slot of this node. */
typedef struct {
  KgNode *node;
  guint input;
  guint slot;
  guint wire; /* of the input */
  bool reads_output;
} KgUser;

typedef struct {
  KgUser *items;
  guint n, capacity;
} KgUsers;

struct _KgNode {
  /* Members that walks over all nodes below an edit read come first: they share few cache lines. */
  KgMark *marks;          /* owned: of the outputs, then of each slot, see kg_node_mark_of */
  KgInput *inputs;        /* owned: one for each slot; those of outputs have no source */
  KgUsers users;          /* owned */
  const KgNodeType *type; /* NULL for an unknown type */
  const KgSlot *slots;    /* of the type, or own_slots */
  guint n_slots;
  guint place;         /* interface nodes: their slot outside */
  KgGraph *inside;     /* owned: sub-graphs */
  KgNode **interfaces; /* owned: sub-graphs: the interface node of each slot, borrowed */
  KgNode *outside;     /* (nullable) interface nodes: the sub-graph that contains them, see kg_node_get_outside */
  KgHash type_hash;    /* of type_id and the version of the type */
  KgGraph *parent;     /* NULL while only the history remembers the node */
  bool bypass;
  KgStage stage;
  bool unlocked; /* an instance of a preset whose inside may be edited */
  gatomicrefcount refs;
  double x, y;
  /* Owned */
  char *name;
  char *type_id;
  guint64 (*visits)[2]; /* stamps of the last walks upstream and downstream, with marks and as those */
  KgSlot *own_slots;    /* sub-graphs: made from the interface nodes inside; with their texts */
  char *color, *comment;
  KgJson *raw;   /* unknown types */
  KgJson *aside; /* (nullable) what was set on inputs that the type no longer has, see kg-preset-upgrade.c */
  KgPreset
      *preset; /* (nullable) of the type: the history may remember nodes longer than a library has their definition */
  void *prepared; /* (nullable) what each job of the evaluator starts as: the plain inputs that are ready */
  KgHash prepared_hash;
};

/* How many nodes an instance holds, at all depths. */
guint64 kg_preset_get_size (const KgPreset *preset);
/* How many graphs within graphs: 1 for one that is made of node types of the program. */
guint kg_preset_get_depth (const KgPreset *preset);

/* (transfer container) Of instances: id -> the newest KgPreset that one of them has. */
GHashTable *kg_instances_find_newest (GPtrArray *instances);
/* Of the id and version of a type: what another version makes may differ. */
KgHash kg_node_hash_type (const char *type_id, const KgNodeType *type);
/* Copies what is inside from into the empty graph to: the nodes that are wanted (NULL: all). */
void kg_graph_copy_inside (KgGraph *from, KgGraph *to, GHashTable *wanted);
/* Puts the nodes of its preset into an instance that holds none. */
void kg_node_fill (KgNode *node);
/* Sets the types of the graph and all within; they must include those in use. */
void kg_graph_set_types (KgGraph *graph, KgTypes *types);
/* Adds the definition of an instance that came into a graph to the types of the graph. */
void kg_node_use_definition (const KgNode *node);
/* Like kg_graph_add, for a type that the graph need not know by its id. */
KgNode *kg_graph_add_of_type (KgGraph *graph, const KgNodeType *type, const char *name, double x, double y,
                              GError **error);
/* Adds the presets of from that the graph does not know to its types. */
void kg_graph_adopt_presets (KgGraph *graph, KgTypes *from);

/* (transfer full) (nullable) The graph of a parsed file whose format was checked; types: with the presets that it
 * carries. */
KgGraph *kg_graph_read_json (KgTypes *types, const KgJson *json, GPtrArray *problems);
/* Appends the members of "nodes", indented by depth. */
void kg_graph_write_nodes (const KgGraph *graph, GString *out, guint depth);
/* False for a locked instance: what is inside stands in the definition of its preset. */
bool kg_node_has_own_inside (const KgNode *node);
/* (transfer full) A graph of copies of the nodes, with the links among them. */
KgGraph *kg_graph_extract (KgGraph *graph, KgNode *const *nodes, guint n);
/* Adds copies of the nodes of from, offset by (dx, dy), as one undo step; nodes of from whose names are taken are renamed.
 * (transfer container) (element-type KgNode) (nullable) */
GPtrArray *kg_graph_insert (KgGraph *graph, KgGraph *from, double dx, double dy, GError **error);

typedef struct _KgHistory KgHistory;

typedef enum {
  KG_EDIT_ADD,         /* node */
  KG_EDIT_ADD_UNKNOWN, /* node, json */
  KG_EDIT_REMOVE,      /* node */
  KG_EDIT_RENAME,      /* node, text: its new name */
  KG_EDIT_MOVE,        /* node, x, y */
  KG_EDIT_SET,         /* node, slot, source (the default too) */
  KG_EDIT_BYPASS,      /* node, flag */
  KG_EDIT_STAGE,       /* node, text: one of kg_stage_nicks */
  KG_EDIT_UNLOCK,      /* node, flag; false: it is locked */
  KG_EDIT_COLOR,       /* node, text (nullable) */
  KG_EDIT_ASIDE,       /* node, json (nullable) */
  KG_EDIT_COMMENT,     /* node (NULL: the graph), text (nullable) */
  KG_EDIT_TITLE,       /* text */
  KG_EDIT_DISPLAY,     /* text (nullable) */
  KG_EDIT_FRAMES,      /* frames */
  KG_EDIT_ADD_PRESET,  /* json: the definition */
  KG_EDIT_MATCH,       /* node */
  KG_EDIT_UPGRADE,     /* json: the definition; node (NULL: all instances) */
  KG_EDIT_BEGIN_GROUP, /* text: its label (nullable); what follows, up to its end, is in it */
  KG_EDIT_BEGIN_TRANSACTION,
  KG_EDIT_END,    /* of a group or transaction */
  KG_EDIT_CANCEL, /* the same */
  KG_EDIT_REOPEN, /* the last step, a group, continues as if it had not ended */
  KG_EDIT_UNDO,
  KG_EDIT_REDO,
  KG_EDIT_OTHER, /* nothing that an edit can describe, such as undoing a step from before the log */
} KgEditVerb;

/* An edit as it is reported, before it is made; which members it has follows from the verb.  Everything is borrowed,
 * and valid during the report only. */
typedef struct {
  KgEditVerb verb;
  KgGraph *graph; /* (nullable) where it happens; NULL: the outermost */
  const KgNode *node;
  guint slot;
  const KgSource *source;
  const char *text;
  const KgJson *json;
  KgFrames frames;
  double x, y;
  bool flag;
} KgEdit;

typedef void (*KgEditLog) (gpointer data, const KgEdit *edit);

/* Every edit of the graph and all within is reported to log from now on; NULL: no longer.  False when there is another
 * log already. */
bool kg_graph_set_log (KgGraph *graph, KgEditLog log, gpointer data);
/* Reports the moves within the open group, which are held back until something else is reported. */
void kg_graph_log_moves (KgGraph *graph);
/* Before a preset is added to the types of the graph. */
void kg_graph_log_preset (KgGraph *graph, const KgPreset *preset);
/* Before an instance is matched, or one (node) or all (NULL) are upgraded; what follows, up to the end, is part of it. */
void kg_graph_log_match (KgGraph *graph, const KgNode *node);
void kg_graph_log_upgrade (KgGraph *graph, const KgPreset *preset, const KgNode *node);
void kg_graph_log_end (KgGraph *graph);

/* What the outermost graph holds for itself and all graphs within. */
typedef struct {
  KgHistory *history; /* owned (nullable): not of snapshots */
  char *folder;       /* owned (nullable) */
  char **permitted;   /* owned (nullable) */
  KgFrames frames;
  guint64 n_instanced; /* nodes within instances of presets */
  guint64 visit;       /* stamp of the last walk */
  guint64 n_reloads;   /* 0 until files were looked at again, then more each time for numbered ones */
} KgDocumentState;

struct _KgGraph {
  GObject parent_instance;
  /* Owned */
  KgTypes *types;
  GPtrArray *nodes;         /* KgNode, a reference each */
  GHashTable *by_name;      /* name of the node, borrowed -> KgNode */
  GHashTable *last_numbers; /* stem of a name -> number below which none is free */
  GArray *dangling;         /* KgUser (node and input): inputs that name a missing node or slot */
  char *title, *comment, *display;
  KgDocumentState *document; /* NULL in nested graphs: see kg_graph_get_document */
  /* Borrowed */
  KgNode *owner;
  guint n_unknown; /* nodes of unknown types */
  guint n_aside;   /* nodes that keep values aside */
};

/* The settings that every node has, of a node of an unknown type, as far as they can be read. */
typedef struct {
  double x, y;
  bool bypass;
  KgStage stage;
  const char *color, *comment; /* borrowed, nullable */
} KgRawSettings;

KgRawSettings kg_raw_get_settings (const KgJson *raw);

/* The state of the document that the graph is in.  A graph inside a node that only the history remembers is in none: it
 * gets one of its own, without a history, which goes when the node comes back. */
KgDocumentState *kg_graph_get_document (KgGraph *graph);

KgNode *kg_node_new (KgGraph *graph, const KgNodeType *type, const char *type_id, const char *name);
KgNode *kg_node_ref (KgNode *node);
void kg_node_unref (KgNode *node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgNode, kg_node_unref)

/* Room for the marks of the outputs and of n_slots slots; none is valid. */
void kg_node_make_marks (KgNode *node, guint n_slots);
void kg_input_free_wires (KgInput *input);
/* The texts of the slots of a sub-graph are its own, so that editing a label leaves nothing behind. */
void kg_slot_clear_texts (KgSlot *slot);
void kg_slots_free (KgSlot *slots, guint n);

KgHistory *kg_history_new (void);
void kg_history_free (KgHistory *history);

/* (GLib has this from 2.76 on.) */
static inline void
kg_set_string (char **string, const char *value)
{
  char *copy = g_strdup (value);

  g_free (*string);
  *string = copy;
}

static inline KgRole
kg_node_get_role (const KgNode *node)
{
  return node->type != NULL ? node->type->role : KG_ROLE_PLAIN;
}

static inline bool
kg_node_is_interface (const KgNode *node)
{
  const KgRole role = kg_node_get_role (node);

  return role == KG_ROLE_INTERFACE_INPUT || role == KG_ROLE_INTERFACE_OUTPUT;
}

static inline bool
kg_slot_is_input (const KgSlot *slot)
{
  return slot->role == KG_SLOT_INPUT;
}

/* The mark of an input (slot) or of the outputs (slot -1), valid or not. */
static inline KgMark *
kg_node_mark_of (const KgNode *node, int slot)
{
  return &node->marks[slot + 1];
}

static inline guint64 *
kg_node_visits_of (const KgNode *node, int slot)
{
  return node->visits[slot + 1];
}

/* The source of the interface input's counterpart outside: the node that holds the graph, and its slot.  False
 * in an outermost graph. */
bool kg_node_get_outside (const KgNode *interface, KgNode **owner, guint *slot);

/* A copy as kg_graph_snapshot makes it, of the nodes in wanted (a set of KgNode; NULL: all).  Links to others dangle.
 * (transfer full) */
KgGraph *kg_graph_copy_nodes (KgGraph *graph, GHashTable *wanted);

/* Wires follow sources: connect resolves the names of one input, disconnect forgets them. */
void kg_input_connect (KgNode *node, guint slot);
void kg_input_disconnect (KgNode *node, guint slot);
/* Looks the name of the node up again in everything that reads it, after the node was removed or renamed. */
void kg_node_reconnect_readers (KgNode *node);
/* The expressions of an input: at most one, or one for each cell of a table; NULL where there is none.  Their references have
 * the wires of the input, in this order. */
guint kg_input_get_n_expressions (const KgInput *input);
KgExpression *kg_input_get_expression (const KgInput *input, guint index);
/* (nullable) What wire reads, where it is a reference of an expression. */
const KgReference *kg_input_get_reference (const KgInput *input, guint wire);
void kg_input_free_cells (KgInput *input);
/* Finds what "node.slot" means in the graph; false when it is missing. */
bool kg_graph_resolve (KgGraph *graph, const char *node_name, const char *slot_name, KgWire *wire);
/* Whether the input names a node called name (true for every source but expressions and tables). */
bool kg_input_names (const KgInput *input, const char *name);
/* (transfer full) The dangling inputs that name a node called name. */
GArray *kg_graph_find_dangling (const KgGraph *graph, const char *name);
/* Connects the dangling inputs that name a node called name again: what they name may exist now. */
void kg_graph_retry_dangling (KgGraph *graph, const char *name);
/* Rebuilds the slots of a sub-graph from the interface nodes inside; sources and users follow by name. */
void kg_node_rebuild_interface (KgNode *node);
/* The type of an instance becomes that of another definition; what is inside stays. */
void kg_node_set_definition (KgNode *node, KgPreset *preset);
/* Rebuilds the one slot that this interface node stands for, after a change of anything but its name. */
void kg_node_update_slot (KgNode *interface);
/* The index of the node in its graph. */
guint kg_graph_get_place (const KgGraph *graph, const KgNode *node);
/* Puts a node into its graph or takes it out; connects what it reads. */
void kg_graph_attach (KgGraph *graph, KgNode *node, guint index);
guint kg_graph_detach (KgGraph *graph, KgNode *node); /* returns its index */

/* (nullable) The interface node whose input (value) has the default of an input that is not set, if that is no constant; and
 * if besides it depends on nothing outside. */
KgNode *kg_node_get_moving_default (const KgNode *node, guint slot, guint *value);
KgNode *kg_node_get_closed_default (const KgNode *node, guint slot, guint *value);
/* After links inside a sub-graph changed, the defaults of its inputs may have changed too. */
void kg_graph_invalidate_inner_defaults (const KgGraph *graph);

/* Dirty push from one input (slot) or from the outputs (slot -1) of a node. */
void kg_node_invalidate (KgNode *node, int slot);
/* The same from every input and output in the graph and all within; files: only from the inputs that name files. */
void kg_graph_invalidate (KgGraph *graph, bool files);
/* Fingerprint and time dependence of an input (slot) or of the outputs (slot -1). */
const KgMark *kg_node_get_mark (KgNode *node, int slot);
/* The size and modification time of the file that an input of the node names.  For numbered files (with a %) those of
 * the folder, which change with new and replaced files, but only after kg_graph_reload(): otherwise a render that writes
 * beside what it reads could never be resumed. */
KgHash kg_node_hash_file (const KgNode *node, const char *path, KgHash hash);

/* Forgets the kind that an open slot carries, and what was derived from it downstream. */
void kg_input_forget_kind (KgNode *node, guint slot);
/* The kind that a source gives an open input; first: what its link or first item reads. */
KgKind kg_source_get_kind (const KgSource *source, const KgWire *first);
/* Whether what the wire reads converts to the kind of slot. */
bool kg_wire_fits (const KgWire *wire, const KgSlot *slot);
bool kg_wire_check_kind (const KgWire *wire, const KgSlot *slot, GError **error);
/* The same of all links of an input, those of cells and components included. */
bool kg_input_check_kinds (const KgNode *node, guint slot, GError **error);
/* If this output, or the outputs like this input, came to carry kind: appends the links below that could not to
 * broken (KgUser), or fails and names the first of them where broken is NULL. */
bool kg_node_check_kind_below (KgNode *node, guint slot, KgKind kind, GArray *broken, GError **error);

/* Cuts the links that read nothing, and those downstream that no longer fit then (see kg_graph_copy_nodes). */
void kg_graph_cut_dangling (KgGraph *graph);
/* kg_graph_set_source for a file, whose sources come in any order: the kinds of links are checked later
 * (kg_input_check_kinds), when all nodes exist. */
bool kg_graph_read_source (KgGraph *graph, KgNode *node, guint slot, const KgSource *source, GError **error);
/* (transfer full) base with the next free number; a number at its end is continued.  other (nullable): a graph in
 * which the name must be free too.  numbers: stem -> number below which none is free, remembered between calls
 * so that naming a hundred thousand nodes stays linear. */
char *kg_graph_make_free_name (KgGraph *graph, KgGraph *other, GHashTable *numbers, const char *base);

/* Whether text is an identifier ([A-Za-z_][A-Za-z0-9_]*, at most KG_NAME_MAX bytes). */
bool kg_name_is_valid (const char *name, GError **error);
/* KG_ERROR_CYCLE with the path when input slot of node would read itself through wires. */
bool kg_graph_check_cycle (KgNode *node, guint slot, const KgWire *wires, guint n, GError **error);
/* Fails when an expression of a node in set (a set of KgNode) reads one that is not; with both, also when one of a
 * node that is not in it reads one that is: moved elsewhere, it would no longer find it.  In kg-subnet.c. */
bool kg_graph_check_border (KgGraph *graph, GHashTable *set, bool both, GError **error);

/* For kg-preset-upgrade.c; each is undoable. */

/* Puts fresh, which is in no graph yet, in the place of node, under its name: what read node reads fresh, if it has
 * slots of that name. */
void kg_graph_exchange (KgGraph *graph, KgNode *node, KgNode *fresh);
/* For the links that read a slot that no longer exists: cuts them; with new_name, they and expressions read that one
 * instead. */
void kg_node_redirect (KgNode *node, const char *slot, const char *new_name);
/* Cuts the links to it that no longer fit, because what they read is an input now or carries another kind. */
void kg_node_cut_unfit (KgNode *node);
/* Takes aside. */
void kg_graph_set_aside (KgGraph *graph, KgNode *node, KgJson *aside);
void kg_graph_set_definition (KgGraph *graph, KgNode *node, KgPreset *preset);
/* Sets an input of an older version, as a file has it, on the input that replaced it, or keeps it aside. */
void kg_node_read_old_input (KgGraph *graph, KgNode *node, const char *name, const KgJson *json);
/* The same for a link that turns out to carry a kind that the input does not take. */
void kg_node_put_aside (KgGraph *graph, KgNode *node, guint slot);
/* Values aside, as a file has them; false with what is wrong. */
bool kg_aside_check (const KgJson *aside, GError **error);
/* The inside of a locked instance is not edited. */
bool kg_graph_refuse_locked (KgGraph *graph, GError **error);

/* An output or input by name, as expressions write it. */
typedef struct {
  const char *node, *slot;
} KgSlotName;

/* Writes now for every mention of old in the expressions of nodes (element-type KgNode).  In kg-subnet.c. */
bool kg_nodes_replace_name (GPtrArray *nodes, KgSlotName old, KgSlotName now, GError **error);
/* Until release, "changed" is not emitted; then once for each graph that changed, not once for each of thousands of
 * nodes. */
void kg_graph_hold_changed (KgGraph *root);
void kg_graph_release_changed (KgGraph *root);
