/* kg-sheet: a value as a table of rows and columns, read where it is: nothing is copied that is large.  Knows no widget.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-value.h"

G_BEGIN_DECLS

typedef struct _KgSheet KgSheet;

/* What a value can be looked at as: the points, primitives or the whole of a geometry; objects, lights or cameras of a
 * scene; else one part. */
guint kg_sheet_get_n_parts (const KgValue *value);
const char *kg_sheet_get_part_name (const KgValue *value, guint part);
/* (transfer full) How much there is of a large value, for people; "" for small ones. */
char *kg_sheet_describe (const KgValue *value);

/* Holds a reference to the value. */
KgSheet *kg_sheet_new (const KgValue *value, guint part);
void kg_sheet_free (KgSheet *sheet);

gsize kg_sheet_get_n_rows (const KgSheet *sheet);
guint kg_sheet_get_n_columns (const KgSheet *sheet);
const char *kg_sheet_get_title (const KgSheet *sheet, guint column);
bool kg_sheet_is_number (const KgSheet *sheet, guint column);
/* NAN in columns of text. */
double kg_sheet_get_number (const KgSheet *sheet, gsize row, guint column);
/* (transfer full) What the cell shows. */
char *kg_sheet_dup_text (const KgSheet *sheet, gsize row, guint column);

/* Sorts n row numbers by a column; rows that are equal there keep their order, NaN comes last. */
void kg_sheet_sort (const KgSheet *sheet, guint column, bool descending, guint32 *rows, gsize n);

/* Writes the matching rows, in order, to rows (room for all of them) and returns how many there are.  query:
 *   "1.5"       a number that is 1.5 when rounded to as many places, in any column, or text that contains it
 *   "P.y > 2"   a comparison (< <= > >= = !=) with the column of that title
 *   "half"      text that contains it, in any case of letters */
gsize kg_sheet_search (const KgSheet *sheet, const char *query, guint32 *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgSheet, kg_sheet_free)

G_END_DECLS
