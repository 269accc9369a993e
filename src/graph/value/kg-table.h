/* kg-table: rows of doubles with named columns: points typed by hand, knots, weights, matrices, imported data.
 * Exact where geometry is float32.  A cell may be blank: it holds a NaN, which is written null in JSON and - in text.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-buffer.h"
#include "kg-types.h"

G_BEGIN_DECLS

/* Most columns of a table, and most numbers in it. */
#define KG_TABLE_MAX_COLUMNS 4096
#define KG_TABLE_MAX_CELLS ((size_t) 1 << 28)

/* Of a last column: the number of the block of rows, from 0, where rows do not give it; in text an empty line ends a block. */
#define KG_COLUMN_BLOCK 2

/* A column that a node type expects.  An array of them ends with KG_TABLE_COLUMNS_END. */
typedef struct {
  const char *name;  /* stable: what files and links say */
  const char *label; /* N_() */
  double def;        /* of an optional one; NAN: its cells may be blank */
  int optional; /* rows may lack it, or leave it blank; those that follow it are optional too.  Or KG_COLUMN_BLOCK */
} KgTableColumn;

#define KG_TABLE_COLUMNS_END                                                                                           \
  {                                                                                                                    \
    NULL, "", 0, false                                                                                                 \
  }

/* Points: x, y and an optional z.  Numbers of any meaning: one column called value. */
extern const KgTableColumn kg_table_points[];
extern const KgTableColumn kg_table_numbers[];

/* (transfer full) (nullable) n_rows rows of zeros.  names: n_columns of them, or NULL for columns without names.  Fails
 * with KG_ERROR_LIMIT when it is too large or memory runs out, KG_ERROR_INVALID_VALUE when two names are the same or one is empty. */
KgTable *kg_table_new (guint n_columns, const char *const *names, size_t n_rows, GError **error);
/* (transfer full) (nullable) One of its own with the same contents, to be edited.  KG_ERROR_LIMIT when memory runs out. */
KgTable *kg_table_copy (const KgTable *table, GError **error);
KgTable *kg_table_ref (const KgTable *table);
void kg_table_unref (KgTable *table);
/* The cells, row by row, to be filled in before the table is published. */
double *kg_table_edit (KgTable *table);

size_t kg_table_get_n_rows (const KgTable *table);
guint kg_table_get_n_columns (const KgTable *table);
/* Row by row; NULL when there are no cells. */
const double *kg_table_get_cells (const KgTable *table);
/* Its n_columns numbers. */
const double *kg_table_get_row (const KgTable *table, size_t row);
bool kg_table_has_names (const KgTable *table);
/* (nullable) NULL when the columns have no names. */
const char *kg_table_get_name (const KgTable *table, guint column);
/* -1 when no column has that name. */
int kg_table_find (const KgTable *table, const char *name);

/* (transfer full) (nullable) The table with exactly these columns, in this order.  A table with names is matched by them,
 * and may have other columns, which are left out; one without is matched by position.  Optional columns that it lacks get
 * their default, blank cells too.  The same table where it fits already.  Fails with KG_ERROR_INVALID_VALUE and says which
 * column is missing, or which cell is blank that must not be. */
KgTable *kg_table_conform (const KgTable *table, const KgTableColumn *columns, GError **error);
guint kg_table_columns_count (const KgTableColumn *columns);

/* (transfer full) (nullable) Reads rows of numbers: blanks and commas between numbers, line ends or semicolons between rows,
 * empty rows are skipped.  columns: (nullable) what a row holds (missing optional ones get their default); without,
 * every row has as many numbers as the first.  A table of one column takes all numbers, however they are spread over
 * rows.  A first row of words instead of numbers names the columns.  Errors name the row and the word. */
KgTable *kg_table_parse (const char *text, const KgTableColumn *columns, GError **error);
/* Appends it in that form, a row a line.  columns: (nullable) what it fits; without, a first row has the names, if there are
 * any. */
void kg_table_write_text (const KgTable *table, const KgTableColumn *columns, GString *out);
/* Appends the numbers of one row in that form to an array of doubles, NaN for a blank one, and counts them.  number: of the
 * row, for errors. */
bool kg_table_parse_row (const char *row, size_t number, GArray *out, guint *n, GError **error);

typedef void (*KgTableWriteCell) (gpointer data, size_t row, guint column, GString *out);

typedef enum {
  KG_TABLE_PLAIN = 0,
  KG_TABLE_NAMED = 1 << 0, /* in an object, if its columns have names */
  KG_TABLE_APART =
      1 << 1, /* never as something that could be another kind of value: see kg_value_from_json() of KG_ANY */
} KgTableStyle;

/* Appends its rows as a JSON array of arrays; those of one number as an array of numbers, unless it must be told apart from
 * vectors, colours and transforms.  write: (nullable) writes each cell in place of the number that the table has there. */
void kg_table_write_json (const KgTable *table, KgTableStyle style, KgTableWriteCell write, gpointer data,
                          GString *out);
/* Appends one number, or null. */
void kg_table_write_cell (const KgTable *table, size_t row, guint column, GString *out);

bool kg_table_equal (const KgTable *a, const KgTable *b);
/* No infinite number in it; cells may be blank. */
bool kg_table_check_finite (const KgTable *table, GError **error);
void kg_table_each_buffer (const KgTable *table, KgBufferVisit visit, gpointer data);
/* Of the contents. */
KgHash kg_table_get_fingerprint (const KgTable *table);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgTable, kg_table_unref)

G_END_DECLS
