/* number_table: tables made from arrays of numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-table.h"

#include <string.h>

/* (transfer full) (nullable) A table of these cells, row by row. */
static inline KgTable *
number_table_new (guint n_columns, const char *const *names, size_t n_rows, const double *cells, GError **error)
{
  KgTable *table = kg_table_new (n_columns, names, n_rows, error);

  if (table != NULL && n_rows * n_columns > 0)
    memcpy (kg_table_edit (table), cells, n_rows * n_columns * sizeof *cells);
  return table;
}

/* (transfer full) (nullable) A table of one column. */
static inline KgTable *
number_table_new_column (const char *name, size_t n_rows, const double *cells, GError **error)
{
  return number_table_new (1, &name, n_rows, cells, error);
}
