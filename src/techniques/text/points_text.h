/* points_text: points typed as text: numbers separated by blanks or commas, points by line ends or semicolons.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

/* Most points of one text. */
#define POINTS_TEXT_MAX 100000

/* Reads rows of min to max numbers (missing ones are 0) into a new array of max numbers a row.  Empty rows are
 * passed over.  Errors name row and word.  (transfer full) (nullable) */
GArray *points_text_read (const char *text, guint min, guint max, guint *n_rows, GError **error);
/* The same for tables with blanks: missing numbers, and those typed as a single "-", are NaN. */
GArray *points_text_read_blanks (const char *text, guint min, guint max, guint *n_rows, GError **error);
/* Reads all numbers of the text, however they are spread over rows, into a new array of doubles; none of an empty text.
 * (transfer full) (nullable) */
GArray *points_text_read_numbers (const char *text, GError **error);

/* Editing one row of a text and nothing else of it.  Rows count from 0, empty ones do not count. */

guint points_text_get_n_rows (const char *text);
/* The numbers of a row into x, which has room for max; false when there is no such row, or it holds something else. */
bool points_text_get_row (const char *text, guint row, guint max, double *x, guint *n);
/* n numbers in place of a row, or as a new last one.  (transfer full) */
char *points_text_set_row (const char *text, guint row, const double *x, guint n);
/* A new row before one.  (transfer full) */
char *points_text_insert_row (const char *text, guint row, const double *x, guint n);
/* (transfer full) */
char *points_text_remove_row (const char *text, guint row);

G_END_DECLS
