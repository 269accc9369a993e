/* kg-input-table: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-input-table.h"

#include "config.h"

#include <math.h>

/* Frames nearer than this are one. */
#define SAME_FRAME 1e-6

/* (transfer full) What the input is set to, or its default; of another kind than a table where it is neither.  A vector is
 * one row. */
static KgSource
dup_table (KgNode *node, guint slot)
{
  const KgSource *set = kg_input_get_source (node, slot);
  const KgSlot *declared = kg_node_get_slot (node, slot);
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgSource source = KG_SOURCE_INIT;

  if (set->kind != KG_SOURCE_DEFAULT)
    source = kg_source_copy (set);
  else if (kg_slot_get_default (declared, &value))
    source = kg_source_constant (&value);
  if (declared->kind == KG_VECTOR && !declared->list)
    kg_source_split (&source, NULL);
  return source;
}

static double *
cell_of (KgTable *table, guint row, guint column)
{
  return kg_table_edit (table) + (size_t) row * kg_table_get_n_columns (table) + column;
}

static KgTable *
dup_rows (const KgSource *source, double frame, bool *known)
{
  const KgTable *rows = kg_source_get_rows (source);
  KgTable *table = rows != NULL ? kg_table_copy (rows, NULL) : NULL;

  *known = table != NULL;
  for (guint i = 0; table != NULL && source->kind == KG_SOURCE_TABLE && i < source->table.n; i++) {
    const KgCell *cell = &source->table.cells[i];

    if (cell->source.kind == KG_SOURCE_KEYS)
      kg_channel_evaluate (cell->source.keys, frame, cell_of (table, cell->row, cell->column));
    else
      *known = false;
  }
  return table;
}

KgTable *
kg_input_dup_rows (KgNode *node, guint slot, double frame, bool *known)
{
  g_auto (KgSource) source = dup_table (node, slot);

  return dup_rows (&source, frame, known);
}

/* Setting rows. */

/* What becomes of the rows of a table: the first and the last ones that stayed the same keep what they have. */
typedef struct {
  size_t n_old, n_new, first, last;
} Shift;

/* Expressions and links are equal to whatever stands in their place. */
static bool
is_same_row (const KgSource *source, const KgTable *old, size_t row, const KgTable *now, size_t other)
{
  const double *x = kg_table_get_row (old, row), *y = kg_table_get_row (now, other);

  for (guint i = 0; i < kg_table_get_n_columns (old); i++) {
    const KgSource *cell = kg_source_get_cell (source, (guint) row, i);

    if (x[i] != y[i] && !(isnan (x[i]) && isnan (y[i])) && (cell == NULL || cell->kind == KG_SOURCE_KEYS))
      return false;
  }
  return true;
}

static Shift
find_shift (const KgSource *source, const KgTable *old, const KgTable *now)
{
  Shift shift = { kg_table_get_n_rows (old), kg_table_get_n_rows (now), 0, 0 };
  const size_t least = MIN (shift.n_old, shift.n_new);

  if (shift.n_old == shift.n_new) {
    shift.first = least;
    return shift;
  }
  while (shift.first < least && is_same_row (source, old, shift.first, now, shift.first))
    shift.first++;
  while (shift.last < least - shift.first &&
         is_same_row (source, old, shift.n_old - 1 - shift.last, now, shift.n_new - 1 - shift.last))
    shift.last++;
  return shift;
}

/* False where the row is gone. */
static bool
shift_row (const Shift *shift, guint *row)
{
  if (*row < shift->first)
    return true;
  if (*row < shift->n_old - shift->last)
    return false;
  *row = (guint) (*row + shift->n_new - shift->n_old);
  return true;
}

static void
clear_cell (gpointer data)
{
  kg_source_clear (&((KgCell *) data)->source);
}

/* Adds a cell with keys (nullable: the first), which is x at the frame. */
static bool
add_keyed (GArray *cells, KgTable *rows, KgCell at, const KgChannel *keys, double frame, double x, GError **error)
{
  KgChannel *channel = kg_channel_with_number (keys, frame, x, error);

  if (channel == NULL)
    return false;
  at.source = kg_source_keys (channel);
  *cell_of (rows, at.row, at.column) = 0;
  g_array_append_val (cells, at);
  return true;
}

/* The cells that are no constants, where they are in rows now. */
static bool
carry_cells (const KgSource *source, const KgTable *old, KgTable *rows, const Shift *shift, double frame, GArray *cells,
             GError **error)
{
  for (guint i = 0; source->kind == KG_SOURCE_TABLE && i < source->table.n; i++) {
    const KgCell *was = &source->table.cells[i];
    KgCell cell = { was->row, was->column, KG_SOURCE_INIT };
    double x;

    if (!shift_row (shift, &cell.row))
      continue;
    x = *cell_of (rows, cell.row, cell.column);
    if (was->source.kind == KG_SOURCE_KEYS && x != kg_table_get_row (old, was->row)[was->column]) {
      if (!add_keyed (cells, rows, cell, was->source.keys, frame, x, error))
        return false;
      continue;
    }
    cell.source = kg_source_copy (&was->source);
    *cell_of (rows, cell.row, cell.column) = 0;
    g_array_append_val (cells, cell);
  }
  return true;
}

/* First keys for the numbers that are others now. */
static bool
key_changed (const KgSource *source, const KgTable *old, KgTable *rows, double frame, GArray *cells, GError **error)
{
  for (guint row = 0; row < kg_table_get_n_rows (rows); row++)
    for (guint column = 0; column < kg_table_get_n_columns (rows); column++) {
      const double was = kg_table_get_row (old, row)[column], x = *cell_of (rows, row, column);
      const KgCell cell = { row, column, KG_SOURCE_INIT };

      if (kg_source_get_cell (source, row, column) == NULL && was != x && isfinite (x) &&
          !add_keyed (cells, rows, cell, NULL, frame, x, error))
        return false;
    }
  return true;
}

static bool
set_cells (KgNode *node, guint slot, const KgTable *rows, const GArray *cells, GError **error)
{
  g_auto (KgSource) source = kg_source_table (rows, cells->len, (const KgCell *) (const void *) cells->data);

  return kg_graph_set_source (kg_node_get_parent (node), node, slot, &source, error);
}

bool
kg_input_set_rows (KgNode *node, guint slot, double frame, const KgTable *wanted, bool key, GError **error)
{
  g_auto (KgSource) source = dup_table (node, slot);
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (KgCell));
  bool known;
  g_autoptr (KgTable) old = dup_rows (&source, frame, &known), rows = NULL;
  Shift shift;

  g_array_set_clear_func (cells, clear_cell);
  rows = kg_table_copy (wanted, error);
  if (rows == NULL)
    return false;
  if (old == NULL || kg_table_get_n_columns (old) != kg_table_get_n_columns (rows))
    return set_cells (node, slot, rows, cells, error);
  shift = find_shift (&source, old, rows);
  return carry_cells (&source, old, rows, &shift, frame, cells, error) &&
         (!key || shift.n_old != shift.n_new || key_changed (&source, old, rows, frame, cells, error)) &&
         set_cells (node, slot, rows, cells, error);
}

bool
kg_input_arrange_rows (KgNode *node, guint slot, const guint *from, guint n, GError **error)
{
  g_auto (KgSource) source = dup_table (node, slot);
  const KgTable *old = kg_source_get_rows (&source);
  const guint n_columns = old != NULL ? kg_table_get_n_columns (old) : 0;
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (KgCell));
  g_autoptr (KgTable) rows = NULL;
  g_autofree const char **names = NULL;

  g_array_set_clear_func (cells, clear_cell);
  if (old == NULL)
    return true;
  names = kg_table_has_names (old) ? g_new0 (const char *, n_columns + 1) : NULL;
  for (guint i = 0; names != NULL && i < n_columns; i++)
    names[i] = kg_table_get_name (old, i);
  rows = kg_table_new (n_columns, names, n, error);
  if (rows == NULL)
    return false;
  for (guint row = 0; row < n; row++)
    for (guint column = 0; column < n_columns; column++) {
      const KgSource *was = kg_source_get_cell (&source, from[row], column);
      const KgCell cell = { row, column, was != NULL ? kg_source_copy (was) : (KgSource) KG_SOURCE_INIT };

      *cell_of (rows, row, column) = kg_table_get_row (old, from[row])[column];
      if (was != NULL)
        g_array_append_val (cells, cell);
    }
  return set_cells (node, slot, rows, cells, error);
}

/* Keys of all cells. */

bool
kg_input_key_rows (KgNode *node, guint slot, double frame, GError **error)
{
  g_auto (KgSource) source = dup_table (node, slot);
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (KgCell));
  bool known;
  g_autoptr (KgTable) rows = dup_rows (&source, frame, &known);
  const guint n_columns = rows != NULL ? kg_table_get_n_columns (rows) : 0;
  const size_t n = rows != NULL ? kg_table_get_n_rows (rows) * n_columns : 0;

  g_array_set_clear_func (cells, clear_cell);
  if (n == 0 || n > KG_INPUT_MAX_KEYED_CELLS) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "a table of %zu cells cannot be keyed as a whole (at most %d): key the cells that move", n,
                  KG_INPUT_MAX_KEYED_CELLS);
    return false;
  }
  for (guint i = 0; i < n; i++) {
    KgCell cell = { i / n_columns, i % n_columns, KG_SOURCE_INIT };
    const KgSource *was = kg_source_get_cell (&source, cell.row, cell.column);
    const double x = *cell_of (rows, cell.row, cell.column);

    if (was != NULL && was->kind != KG_SOURCE_KEYS) {
      cell.source = kg_source_copy (was);
      g_array_append_val (cells, cell);
    } else if (isfinite (x) && !add_keyed (cells, rows, cell, was != NULL ? was->keys : NULL, frame, x, error))
      return false;
  }
  return set_cells (node, slot, rows, cells, error);
}

bool
kg_input_unkey_rows (KgNode *node, guint slot, double frame, bool all, GError **error)
{
  g_auto (KgSource) source = dup_table (node, slot);
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (KgCell));
  bool known;
  g_autoptr (KgTable) rows = dup_rows (&source, frame, &known);

  g_array_set_clear_func (cells, clear_cell);
  for (guint i = 0; source.kind == KG_SOURCE_TABLE && i < source.table.n; i++) {
    const KgCell *was = &source.table.cells[i];
    KgCell cell = { was->row, was->column, KG_SOURCE_INIT };

    if (was->source.kind == KG_SOURCE_KEYS) {
      KgChannel *left = all ? NULL : kg_channel_without_key (was->source.keys, frame);

      if (left == NULL)
        continue;
      cell.source = kg_source_keys (left);
    } else
      cell.source = kg_source_copy (&was->source);
    *cell_of (rows, cell.row, cell.column) = 0;
    g_array_append_val (cells, cell);
  }
  return source.kind != KG_SOURCE_TABLE || set_cells (node, slot, rows, cells, error);
}

typedef struct {
  double frame, before, after;
  bool here;
} Near;

static void
find_near (const KgKeyed *keyed, KgChannel *channel, gpointer data)
{
  Near *near = (Near *) data;
  gsize n;
  const KgKey *keys = kg_channel_get_keys (channel, &n);

  (void) keyed;
  for (gsize i = 0; i < n; i++)
    if (fabs (keys[i].at - near->frame) < SAME_FRAME)
      near->here = true;
    else if (keys[i].at < near->frame)
      near->before = fmax (near->before, keys[i].at);
    else
      near->after = fmin (near->after, keys[i].at);
}

bool
kg_input_find_row_keys (KgNode *node, guint slot, double frame, double *before, double *after)
{
  Near near = { frame, NAN, NAN, false };

  kg_keyed_each (node, slot, find_near, &near);
  *before = near.before;
  *after = near.after;
  return near.here;
}

bool
kg_input_split (KgNode *node, guint slot, GError **error)
{
  g_auto (KgSource) source = kg_source_copy (kg_input_get_source (node, slot));

  return (source.kind != KG_SOURCE_KEYS && source.kind != KG_SOURCE_EXPRESSION) ||
         (kg_source_split (&source, error) &&
          kg_graph_set_source (kg_node_get_parent (node), node, slot, &source, error));
}

/* One cell. */

static bool
get_number (const KgKeyed *cell, double frame, double *x)
{
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (cell->node, cell->slot, frame, &known);

  if (rows == NULL || (size_t) cell->row >= kg_table_get_n_rows (rows) ||
      (guint) cell->column >= kg_table_get_n_columns (rows))
    return false;
  *x = *cell_of (rows, (guint) cell->row, (guint) cell->column);
  return true;
}

bool
kg_input_set_cell (const KgKeyed *cell, double frame, double x, bool key, GError **error)
{
  const KgChannel *old = kg_keyed_get_channel (cell);
  KgChannel *keys;
  bool good;

  if ((old == NULL && !key) || !isfinite (x))
    return kg_keyed_set_number (cell, x, error);
  keys = kg_channel_with_number (old, frame, x, error);
  if (keys == NULL)
    return false;
  good = kg_keyed_set_channel (cell, keys, error);
  kg_channel_unref (keys);
  return good;
}

bool
kg_input_key_cell (const KgKeyed *cell, double frame, GError **error)
{
  double x;

  return !get_number (cell, frame, &x) || kg_input_set_cell (cell, frame, x, true, error);
}

bool
kg_input_unkey_cell (const KgKeyed *cell, double frame, GError **error)
{
  const KgChannel *old = kg_keyed_get_channel (cell);
  KgChannel *left = old != NULL ? kg_channel_without_key (old, frame) : NULL;
  double x;
  bool good;

  if (old == NULL)
    return true;
  if (left == NULL)
    return get_number (cell, frame, &x) && kg_keyed_set_number (cell, x, error);
  good = kg_keyed_set_channel (cell, left, error);
  kg_channel_unref (left);
  return good;
}
