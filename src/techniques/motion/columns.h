/* columns: tables of numbers as digitisers, spreadsheets and programs write them: a moment a line, a quantity a column.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-error.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Most numbers of one table: as keys they take some 200 bytes each. */
#define COLUMNS_MAX_NUMBERS 4000000

/* What parts the fields of a line. */
typedef enum {
  COLUMNS_FIND, /* what the first line has: a semicolon, a tab, a comma, or only blanks */
  COLUMNS_COMMA,
  COLUMNS_SEMICOLON,
  COLUMNS_TAB,
  COLUMNS_BLANKS,
  COLUMNS_N_SEPARATORS
} ColumnsSeparator;

typedef struct {
  ColumnsSeparator separator;
  bool decimal_comma; /* 1,5 is one and a half */
  bool gaps;          /* a field may be empty, "-" or NaN */
} ColumnsStyle;

typedef struct {
  GPtrArray *names;    /* char *, one for each column, no two alike */
  GHashTable *by_name; /* name -> its column + 1 */
  GArray *numbers;     /* double: names->len for each row; NaN for gaps */
  GArray *lines;       /* guint: the line of each row in the file, from 1 */
} Columns;

/* Reads a table.  A first line that begins with a word names the columns; so does a comment right above the numbers
 * that has as many words.  Columns without a name are called column1 and so on.  Lines that begin with # are comments,
 * empty ones are skipped.  text is written to.  Errors name line and column, quote nothing of a file
 * in which no number was found, and leave *error unset only when monitor
 * (nullable) was asked and said that it is cancelled.  (transfer full) (nullable) */
Columns *columns_read (char *text, gsize length, const ColumnsStyle *style, const KgProgressMonitor *monitor,
                       GError **error);
void columns_free (Columns *columns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Columns, columns_free)

G_END_DECLS
