/* kg-sheet-private: the columns of a sheet, for reading (kg-sheet.c) and for sorting and searching (kg-sheet-query.c).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-sheet.h"

typedef enum {
  KG_SHEET_ROW,
  KG_SHEET_FLOAT, /* one component of an array of float */
  KG_SHEET_INT,
  KG_SHEET_STRING,
  KG_SHEET_DOUBLE,
  KG_SHEET_NUMBERS, /* the sheet's own */
  KG_SHEET_TEXTS,
  KG_SHEET_MOMENT, /* of a motion */
  KG_SHEET_CHANNEL,
  KG_SHEET_KIND, /* of primitives */
  KG_SHEET_COUNT,
  KG_SHEET_VERTICES,
} KgSheetColumnKind;

typedef struct {
  char *title;
  KgSheetColumnKind kind;
  const void *data;
  guint stride, offset;
  double *numbers;
  char **texts;
} KgSheetColumn;

struct _KgSheet {
  KgValue value;
  gsize n_rows;
  GArray *columns;
  double start, step; /* of the rows of a motion */
};

static inline const KgSheetColumn *
kg_sheet_get_column (const KgSheet *sheet, guint index)
{
  return &g_array_index (sheet->columns, KgSheetColumn, index);
}

/* NAN in columns of text. */
double kg_sheet_get_column_number (const KgSheet *sheet, gsize row, const KgSheetColumn *column);
/* The text of a cell; if it is made on demand, to_free owns it. */
const char *kg_sheet_get_column_text (const KgSheet *sheet, gsize row, const KgSheetColumn *column, char **to_free);
