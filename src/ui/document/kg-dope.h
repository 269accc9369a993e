/* kg-dope: the keys of all nodes of a graph as a dope sheet: a row for each input and each cell of a table that has keys, with
 * what is selected in it, and the edits of many keys at once.  Knows no widget.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-keyed.h"

G_BEGIN_DECLS

typedef struct {
  KgKeyed keyed;
  KgChannel *channel; /* owned */
  GByteArray *marks;  /* owned: a byte for each key, see kg-key-edit.h */
} KgDopeRow;

typedef struct _KgDope KgDope;

KgDope *kg_dope_new (void);
void kg_dope_free (KgDope *dope);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgDope, kg_dope_free)

/* The rows of graph as it is now.  What is selected stays so, where the keys of an input are as many as before. */
void kg_dope_update (KgDope *dope, KgGraph *graph);
guint kg_dope_get_n_rows (const KgDope *dope);
const KgDopeRow *kg_dope_get_row (const KgDope *dope, guint row);
guint kg_dope_get_n_keys (const KgDope *dope);
guint kg_dope_get_n_selected (const KgDope *dope);
/* Frames of the first and the last selected key; false without one. */
bool kg_dope_get_range (const KgDope *dope, double *first, double *last);

/* Keys of the rows first to last (included) from one frame to another.  add: the others stay selected; else only these. */
void kg_dope_select (KgDope *dope, guint first, guint last, double from, double to, bool add);
void kg_dope_select_all (KgDope *dope, bool all);

/* Edits of the selected keys, each one undo step; nothing selected: nothing. */
void kg_dope_move (KgDope *dope, KgGraph *graph, double frames);
/* Times from the pivot grow by a factor; to whole frames. */
void kg_dope_scale (KgDope *dope, KgGraph *graph, double pivot, double factor);
/* An input or a cell without keys left keeps the value it has at that frame. */
void kg_dope_delete (KgDope *dope, KgGraph *graph, double frame);
/* Remembers the selected keys; the sheet of another graph may be given what it holds. */
void kg_dope_copy (KgDope *dope);
/* Inserts what was copied, its first key at that frame, where nodes and inputs have the same names (and cells the same place); those keys are selected
 * then.  The number of keys that found their place. */
guint kg_dope_paste (KgDope *dope, KgGraph *graph, double frame);

G_END_DECLS
