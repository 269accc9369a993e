/* kg-input-row-private: what kg-input-row.c (the row) shares with the files that make its editors, show values and edit.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-condition.h"
#include "kg-input-row.h"

G_BEGIN_DECLS

/* Selected nodes whose values are looked at to see whether they differ. */
#define KG_INPUT_MOST_COMPARED 200

/* What the row edits. */
typedef enum {
  KG_INPUT_MODE_NONE,
  KG_INPUT_MODE_VALUE,
  KG_INPUT_MODE_EXPRESSION,
  KG_INPUT_MODE_LINK,
  KG_INPUT_MODE_LIST,
  KG_INPUT_MODE_EMPTY,
  KG_INPUT_MODE_COMPUTED, /* inside the sub-graph */
  KG_INPUT_MODE_MOTION_KEYS
} KgInputMode;

struct _KgInputRow {
  GtkWidget parent_instance;
  KgDocument *document;
  KgNode *node;
  GPtrArray *others; /* KgNode, borrowed: those selected with it, which are edited too */
  guint slot;
  const KgSlot *declared; /* of the node: as long as the row is not abandoned */
  KgCondition *condition; /* (nullable) when it is shown */
  GtkWidget *box, *label, *editor, *key_button, *menu_button, *problem;
  GtkWidget *note;        /* about the others */
  GtkWidget *below;       /* (nullable) under the editor: the curve of the keys, or the graph of a motion */
  GtkWidget *fields[3];   /* what the editor consists of: numbers, a text, a colour and its text */
  GtkWidget *grid;        /* (nullable) the cells of a table */
  GtkWidget *ramp;        /* (nullable) its colours */
  guint edited_component; /* of a vector: whose expression is in the dialog */
  KgInputMode mode;
  char *reason; /* (nullable) what problem says, without a column of the text */
  char *shown;  /* (nullable) the text that the entry was given: what differs from it was typed */
  GtkStringList *choices;
  bool updating, grouped, abandoned;
  bool unused;           /* it says so */
  bool several;          /* an editor without a placeholder is empty because there are several values */
  bool computed_text;    /* the rows of a table that expressions or links are in, as text, which cannot be edited */
  KgValue grouped_value; /* vectors: while one component is dragged */
};

/* kg-input-row.c */
/* error: (nullable) */
void kg_input_row_show_problem (KgInputRow *self, const GError *error);
/* text: (nullable) what an entry was given, to see what is typed from then on. */
void kg_input_row_set_shown (KgInputRow *self, const char *text);

/* kg-input-edits.c */
typedef bool (*KgInputEdit) (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);
/* Calls for every selected node with such an input, as one step of undo. */
void kg_input_row_edit (KgInputRow *self, KgInputEdit edit, gconstpointer data);
/* A field that loses the focus because its node goes has nothing to write to. */
bool kg_input_row_can_edit (KgInputRow *self);
/* The input of another selected node that is edited too; -1. */
int kg_input_row_find_same (KgInputRow *self, KgNode *other);
/* Whether the other node keeps what feeds its input. */
bool kg_input_row_keeps (KgInputRow *self, KgNode *other, guint slot);
/* Edits; what data is: a KgValue, */
bool kg_input_edit_value (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);
/* a text, */
bool kg_input_edit_json (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);
bool kg_input_edit_expression (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);
/* a bool: whether the key at the frame goes, */
bool kg_input_edit_key (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);
/* nothing. */
bool kg_input_edit_reset (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);
bool kg_input_edit_set (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);
bool kg_input_edit_split (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);
bool kg_input_edit_remove_keys (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);

/* kg-input-expression.c */
GtkWidget *kg_input_row_make_expression (KgInputRow *self);
/* Sets what was typed.  Unfinished text is not taken when the focus leaves it. */
void kg_input_row_commit_expression (KgInputRow *self);
/* (transfer full) (element-type utf8) What other nodes of the graph have to be read, as "node.slot". */
GPtrArray *kg_input_row_dup_names (KgInputRow *self);

/* kg-input-show.c */
/* The value at the frame, in the editor. */
void kg_input_row_show_value (KgInputRow *self);
/* Gives an entry its text, unless somebody types there. */
void kg_input_row_show_text (KgInputRow *self, GtkWidget *entry, const char *text, bool mixed, const char *placeholder);

/* kg-input-editors.c */
GtkWidget *kg_input_row_make_value_editor (KgInputRow *self);
/* After Enter in an entry: the next key is for the canvas. */
void kg_input_row_leave_entry (GtkEntry *entry, KgInputRow *self);
/* Whether a table is shown as cells, not as text. */
bool kg_input_row_shows_grid (KgInputRow *self);
/* (transfer full) The text of several lines that the editor holds. */
char *kg_input_row_dup_long_text (KgInputRow *self);
/* Reports what is wrong with the rows of a table that are being typed. */
void kg_input_row_show_rows_problem (KgInputRow *self);
/* (transfer full) A colour as people write it; empty if it is beyond what a screen shows. */
char *kg_input_row_format_color (const KgColor *color);
/* One component of a vector gets a key at the frame, or loses it; */
void kg_input_row_key_component (KgInputRow *self, guint index);
/* becomes a number; */
void kg_input_row_free_component (KgInputRow *self, guint index);
/* is computed. */
void kg_input_row_set_component_expression (KgInputRow *self, guint index, const char *text);
/* The component of a vector whose field has the focus; -1: none. */
int kg_input_row_find_component (KgInputRow *self);
/* Something is dragged, and no more: what it did is one step of undo. */
void kg_input_row_begin_drag (KgInputRow *self);
void kg_input_row_end_drag (KgInputRow *self);

G_END_DECLS
