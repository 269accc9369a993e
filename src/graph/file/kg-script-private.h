/* kg-script-private: statements, their run, and the cursor that reads their arguments, for the files of scripts.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-json.h"
#include "kg-script.h"

typedef struct _KgRun KgRun;
typedef struct _KgCursor KgCursor;

typedef enum {
  KG_VERB_EDIT,   /* one statement, without a block */
  KG_VERB_BLOCK,  /* begins a block */
  KG_VERB_GROUP,  /* begins a block that may end with cancel */
  KG_VERB_IF,     /* begins a block that may have an else */
  KG_VERB_ELSE,   /* begins the other part of a block */
  KG_VERB_CANCEL, /* ends a group, and undoes it */
  KG_VERB_END,    /* ends any block */
} KgVerbKind;

typedef struct {
  const char *name;
  KgVerbKind kind;
  bool raw; /* its variables are not substituted before it runs: it has expressions */
  bool (*run) (KgRun *run, KgCursor *cursor);
  const char *usage;
} KgVerb;

/* Both end with a verb that has no name. */
extern const KgVerb kg_script_edit_verbs[], kg_script_control_verbs[];

/* Ranges of the text. */
typedef struct {
  const KgVerb *verb;
  gsize start, arguments, end;
  GPtrArray *body, *otherwise; /* (element-type KgStatement) of blocks */
  bool cancelled;              /* a group that ends with cancel */
} KgStatement;

struct _KgScript {
  char *text; /* as written, except that comments are blanks, so that places are the same */
  gsize length;
  GPtrArray *statements; /* (element-type KgStatement) */
};

/* Variables of the whole script, or of one call: name -> text. */
typedef GHashTable KgScope;

struct _KgRun {
  KgScript *script;
  KgGraph *graph;   /* the outermost */
  KgGraph *current; /* owned: the one that was entered */
  KgScope *globals, *locals;
  GHashTable *procedures; /* name -> Procedure */
  GPtrArray *problems;
  GCancellable *cancellable;
  KgScriptMode mode;
  guint64 n_steps;
  guint depth, n_groups;
};

/* The position in the script that a position in the substituted statement comes from. */
typedef struct {
  gsize at, from;
} KgPiece;

struct _KgCursor {
  KgRun *run;
  const KgStatement *statement;
  const char *text; /* the arguments, substituted */
  gsize next;
  gsize token;    /* where the last token began */
  GArray *pieces; /* KgPiece */
};

/* Words: kg-script-words.c.  Functions that take something fail with a problem where it stands; what: how the message
 * calls it. */

void kg_script_add_problem (const KgScript *script, gsize at, GPtrArray *problems, const char *message);
/* The place in the script of a place in the statement. */
gsize kg_cursor_find_origin (const KgCursor *cursor, gsize at);
/* Always false.  at 0: the line as such. */
bool kg_cursor_fail_at (KgCursor *cursor, gsize at, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The same with the message of error, which is freed. */
bool kg_cursor_fail_error (KgCursor *cursor, gsize at, GError *error);
/* The same with how the verb is used. */
bool kg_cursor_fail_usage (KgCursor *cursor, const char *what);
bool kg_cursor_is_at_end (KgCursor *cursor);
/* The length of the string, list, object or word at the beginning of text. */
gsize kg_script_measure_token (const char *text);

/* Whether a character of a script is within a quoted text, and within how many brackets.  Starts with all zero. */
typedef struct {
  bool quoted;
  guint depth;
} KgScriptScan;

/* Moves past the character at text.  How many bytes that is: 2 for an escaped one, otherwise 1. */
gsize kg_script_scan (KgScriptScan *scan, const char *text);
/* (transfer full) (nullable) The next value, as in graph files. */
KgJson *kg_cursor_take_json (KgCursor *cursor, const char *what);
/* (transfer full) (nullable) A word, or a text in quotes. */
char *kg_cursor_take_word (KgCursor *cursor, const char *what);
bool kg_cursor_take_number (KgCursor *cursor, const char *what, double *number);
/* Takes the next word if it is this one. */
bool kg_cursor_take_keyword (KgCursor *cursor, const char *keyword);
bool kg_cursor_take_end (KgCursor *cursor);
/* (nullable) Looks for a path in the graph that was entered; for one that begins with /, in the outermost. */
KgNode *kg_run_find_node (KgRun *run, const char *path);
/* (nullable) */
KgNode *kg_cursor_take_node (KgCursor *cursor);
/* The graph of a path and the name at its end; *name (transfer full). */
bool kg_cursor_take_new_path (KgCursor *cursor, const char *what, KgGraph **graph, char **name);
/* PATH.SLOT; *slot (transfer full). */
bool kg_cursor_take_slot (KgCursor *cursor, const char *what, KgNode **node, char **slot);
/* The graph of "in PATH" at the end of a line, or the one that was entered. */
bool kg_cursor_take_graph (KgCursor *cursor, KgGraph **graph);
/* For edits that do not check whether an instance of a preset is locked. */
bool kg_cursor_check_unlocked (KgCursor *cursor, KgGraph *graph);

/* Variables: kg-script-variables.c. */

/* (transfer full) */
KgScope *kg_scope_new (void);
void kg_scope_set (KgScope *scope, const char *name, const char *text);
/* (transfer full) (nullable) The name of a variable or procedure. */
char *kg_cursor_take_name (KgCursor *cursor);
/* Evaluates the expression at that place of the statement. */
bool kg_cursor_compute_number (KgCursor *cursor, gsize at, const char *text, double *number);
/* Appends the arguments of the statement with its variables substituted. */
bool kg_cursor_expand (KgCursor *cursor, GString *out);
/* NAME = EXPRESSION, or a text in quotes in which variables are substituted.  only_new: unless the variable exists. */
bool kg_cursor_assign (KgRun *run, KgCursor *cursor, bool only_new);
