/* kg-source: what feeds an input: nothing (its default), a constant, keys, an expression, a link, or a list of
 * those.  A table may have cells with sources of their own: keys, an expression or a link each; so may a vector, whose
 * components are the cells of one row.  A plain value: build one, hand it to kg_graph_set_source, clear it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

G_BEGIN_DECLS

typedef struct _KgSource KgSource;
typedef struct _KgCell KgCell;

typedef enum {
  KG_SOURCE_DEFAULT,
  KG_SOURCE_CONSTANT,
  KG_SOURCE_KEYS,
  KG_SOURCE_EXPRESSION,
  KG_SOURCE_LINK,
  KG_SOURCE_LIST,
  KG_SOURCE_TABLE
} KgSourceKind;

/* Most items of one list source. */
#define KG_SOURCE_MAX_ITEMS 65536
/* Most cells of a table that are no constants. */
#define KG_SOURCE_MAX_CELLS 65536

struct _KgSource {
  KgSourceKind kind;
  union {
    KgValue constant;
    KgChannel *keys; /* over frame numbers */
    char *text;      /* the expression, or the link as "node.output" */
    struct {
      guint n;
      KgSource *items; /* constants and links */
    } list;
    struct {
      KgTable *rows; /* the constants; 0 where a cell is none */
      guint n;       /* at least 1: a table of constants is one constant */
      KgCell *cells; /* in the order of the rows */
    } table;
  };
};

/* A cell of a table that is no constant. */
struct _KgCell {
  guint row, column; /* from 0 */
  KgSource source;   /* keys of one number, an expression or a link */
};

#define KG_SOURCE_INIT                                                                                                 \
  {                                                                                                                    \
    .kind = KG_SOURCE_DEFAULT                                                                                          \
  }

/* (transfer full), each: release with kg_source_clear. */
KgSource kg_source_constant (const KgValue *value);
KgSource kg_source_keys (KgChannel *keys); /* takes keys */
KgSource kg_source_expression (const char *text);
KgSource kg_source_link (const char *target);             /* "node.output" */
KgSource kg_source_list (guint n, const KgSource *items); /* copies */
/* Copies.  cells: in any order, each place at most once and within rows.  Without cells it is a constant. */
KgSource kg_source_table (const KgTable *rows, guint n, const KgCell *cells);
/* Takes them. */
KgSource kg_source_table_take (KgTable *rows, guint n, KgCell *cells);
KgSource kg_source_copy (const KgSource *source);
void kg_source_clear (KgSource *source);
bool kg_source_equal (const KgSource *a, const KgSource *b);

/* (nullable) The source of a cell that is no constant. */
const KgSource *kg_source_get_cell (const KgSource *source, guint row, guint column);
/* (nullable) The constants of a table: of a source that is one, with or without cells that move. */
const KgTable *kg_source_get_rows (const KgSource *source);
/* Gives the table of a source another cell, within its rows: a number, keys, an expression or a link. */
bool kg_source_set_cell (KgSource *source, guint row, guint column, const KgSource *cell, GError **error);
/* Turns the source of a vector into one row of three cells, each with what it had of the whole: its number, its keys, its
 * part of an expression.  A link, or an expression that cannot be divided, fails. */
bool kg_source_split (KgSource *source, GError **error);
/* (nullable) What the columns of a table of the input are called where its declaration has no names: x, y and z of a
 * vector. */
const char *kg_slot_get_component (const KgSlot *slot, guint index);
/* Puts before an error which cell of the input's table, or which component of its vector, it is about. */
void kg_cell_prefix_error (const KgCell *cell, const KgSlot *slot, GError **error);
/* What a cell is, as an input: for its text as JSON and its editors. */
const KgSlot *kg_cell_get_slot (void);

/* How many numbers an expression or keys of this kind have at most; 0: neither makes sense. */
guint kg_kind_get_width (KgKind kind);

/* One source as JSON, as in files; used for --set and by the inspector. */
bool kg_source_from_json (const KgJson *json, const KgSlot *slot, KgSource *source, GError **error);
void kg_source_write_json (const KgSource *source, const KgSlot *slot, GString *out);
/* (transfer full) The same, as a tree. */
KgJson *kg_source_to_json (const KgSource *source, const KgSlot *slot);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (KgSource, kg_source_clear)

G_END_DECLS
