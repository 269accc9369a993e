/* kg-edit-private: changes, the history that remembers them, and what edits are made of.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph-private.h"

typedef enum {
  KG_CHANGE_PRESENCE, /* the node is in the graph, or only here */
  KG_CHANGE_SOURCE,
  KG_CHANGE_NAME,
  KG_CHANGE_POSITION,
  KG_CHANGE_BYPASS,
  KG_CHANGE_STAGE,
  KG_CHANGE_UNLOCKED,
  KG_CHANGE_COLOR,
  KG_CHANGE_NODE_COMMENT,
  KG_CHANGE_ASIDE,
  KG_CHANGE_DEFINITION, /* of an instance whose inside is its own */
  KG_CHANGE_RAW,        /* a node of an unknown type: what its links read */
  KG_CHANGE_TITLE,
  KG_CHANGE_COMMENT,
  KG_CHANGE_DISPLAY,
  KG_CHANGE_FRAMES,
  KG_CHANGE_N_KINDS
} KgChangeKind;

typedef struct {
  KgChangeKind kind;
  KgGraph *graph; /* borrowed: the outermost owns the history, nested ones are held by nodes that older changes hold */
  KgNode *node;   /* owned, NULL for changes of the graph */
  guint index;    /* slot, place of the node, or its stage */
  char *text;
  KgSource source;
  KgExpression *expression; /* of the source, compiled; NULL when it is none, or not compiled yet */
  KgJson *raw;              /* or what is aside */
  KgPreset *preset;
  KgFrames frames;
  double x, y;
  bool flag;
} KgChange;

typedef struct {
  char *label;
  GPtrArray *changes;
  GHashTable *moves; /* (nullable) while it is open: KgNode -> index of its change of position, plus one */
  guint64 serial;    /* counts the steps of a history */
  bool is_group;     /* made by kg_graph_begin_group */
  bool reopened;     /* may hold several changes of position of one node */
} KgStep;

/* Steps that will be one. */
typedef struct {
  char *label;
  guint n_done;      /* before it */
  GPtrArray *undone; /* owned: what could be redone before it */
} KgTransaction;

struct _KgHistory {
  GPtrArray *done, *undone; /* KgStep */
  KgStep *open;             /* being recorded */
  GArray *marks;            /* guint: number of changes at each begin, for cancelling */
  GArray *transactions;     /* KgTransaction */
  guint64 serial;           /* of the next step */
  bool paused;
  guint held;             /* "changed" waits while it is not 0 */
  GPtrArray *held_graphs; /* KgGraph, a reference each: whose it is */
  /* See kg_graph_set_log. */
  KgEditLog log;
  gpointer log_data;
  guint64 log_since; /* serial of the first step that was reported */
  guint muted;       /* within an edit that was reported: its parts are not */
  GPtrArray *moved;  /* KgNode, a reference each: moved in a group, which is reported before anything else is */
  GHashTable *moved_set;
  guint64 reported_step; /* the step whose end was reported last; 0: something else was */
};

/* kg-history.c */
KgChange *kg_change_new (KgChangeKind kind, KgGraph *graph, KgNode *node);
void kg_change_free (gpointer change);
KgStep *kg_step_new (const char *label);
void kg_step_free (gpointer step);

/* kg-change.c: swaps the state of the graph and that of the change, and emits the signals. */
void kg_change_apply (KgChange *change);

/* kg-undo.c */

/* Applies a change made for its graph (and node), and remembers it: takes change.  label: of the step, unless a group is
 * open; it is translated only where there is a step, for reading a file makes tens of thousands of changes. */
void kg_change_perform (KgChange *change, const char *label);
/* (element-type KgChange) Takes the changes out of the array. */
void kg_changes_perform (GPtrArray *changes);
void kg_graph_perform_text (KgChangeKind kind, KgGraph *graph, KgNode *node, const char *text, const char *label);
/* Takes expression: the source's, where it is compiled already. */
void kg_node_perform_source (KgNode *node, guint slot, const KgSource *source, KgExpression *expression);

/* kg-edit-log.c: reports, before the edit is made. */

/* (nullable) The history of a graph whose edits are reported now. */
KgHistory *kg_graph_get_logged (KgGraph *graph);
void kg_edit_report (const KgEdit *edit);
/* Only the last place of a node that is moved within a group is reported, before whatever is reported next. */
void kg_edit_report_move (KgNode *node, double x, double y);
void kg_edit_report_node (KgEditVerb verb, const KgNode *node);
void kg_edit_report_text (KgEditVerb verb, KgGraph *graph, const KgNode *node, const char *text);
void kg_edit_report_json (KgEditVerb verb, KgGraph *graph, const KgNode *node, const KgJson *json);
void kg_edit_report_flag (KgEditVerb verb, const KgNode *node, bool flag);
/* What happens until kg_graph_unmute_log is part of an edit that was reported. */
void kg_graph_mute_log (KgGraph *graph);
void kg_graph_unmute_log (KgGraph *graph);

/* kg-source-check.c */

/* (transfer full) A single constant or link for a list input becomes a list of one. */
KgSource kg_source_normalize (const KgSlot *slot, const KgSource *source);
/* Checks a source and turns its constants into what the slot stores.  kinds: also that its links convert, and that
 * what reads this node can still.  *expression (transfer full): the source compiled, where it is one. */
bool kg_graph_check_source (KgGraph *graph, KgNode *node, guint index, KgSource *source, bool kinds,
                            KgExpression **expression, GError **error);

/* kg-cut.c */

/* Cuts the links of an input that read slot (or any slot: -1) of node, or, without a node, those that read nothing or
 * what does not convert. */
void kg_input_cut_links (KgNode *reader, guint input, const KgNode *node, int slot);
/* Cuts the links below that cannot carry what this slot carries now. */
void kg_node_cut_below (KgNode *node, guint slot);
/* Cuts the links that read slot (or any slot: -1) of node. */
void kg_node_cut_links_to (KgNode *node, int slot);

/* kg-rename.c */

bool kg_graph_check_new_name (KgGraph *graph, const char *name, GError **error);
/* Whether the node that holds graph may have slot under this name: expressions outside that name it already will
 * then read it. */
bool kg_graph_check_outer_references (KgGraph *graph, guint slot, const char *name, GError **error);
