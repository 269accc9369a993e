/* kg-lines-edit: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-lines-edit.h"

#include "config.h"
#include "image/line_warp.h"
#include "kg-handles-private.h"
#include "kg-input-table.h"

#include <glib/gi18n.h>

#define COLUMNS (2 * KG_LINES_ENDS)

int
kg_lines_find_slot (const KgHandles *handles)
{
  for (guint i = 0; handles->node != NULL && i < kg_node_get_n_slots (handles->node); i++)
    if (kg_handles_get_kind (kg_node_get_slot (handles->node, i)) == KG_HANDLE_LINES && kg_handles_is_used (handles, i))
      return (int) i;
  return -1;
}

/* (transfer full) (nullable) Blank numbers of the second image are those of the first. */
static KgTable *
dup_lines (const KgHandles *handles, guint slot)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, slot), whole = NULL;
  double *cells;

  if (rows == NULL || kg_table_get_n_columns (rows) != COLUMNS)
    return NULL;
  whole = kg_table_copy (rows, NULL);
  cells = whole != NULL && kg_table_get_n_rows (whole) > 0 ? kg_table_edit (whole) : NULL;
  for (size_t i = 0; cells != NULL && i < kg_table_get_n_rows (whole); i++, cells += COLUMNS)
    for (int k = 4; k < COLUMNS; k++)
      cells[k] = isnan (cells[k]) ? cells[k - 4] : cells[k];
  return g_steal_pointer (&whole);
}

static KgVector
get_end (const KgTable *rows, size_t row, guint end)
{
  const double *x = kg_table_get_row (rows, row);

  return kg_vector (x[2 * end], x[2 * end + 1], 0);
}

/* Half of it or more is the second image. */
static bool
shows_second (const KgHandles *handles, guint slot)
{
  const char *name = kg_node_get_slot (handles->node, slot)->handle.factor;
  const int amount = name != NULL ? kg_node_find_slot (handles->node, name) : -1;
  g_auto (KgValue) value = KG_VALUE_INIT;
  double x = 0;

  return amount >= 0 && kg_handles_get_value (handles, (guint) amount, &value) &&
         kg_value_get_component (&value, NULL, &x) && x >= 0.5;
}

void
kg_lines_add_wanted (const KgHandles *handles, guint slot, GPtrArray *wanted)
{
  const char *name = kg_node_get_slot (handles->node, slot)->handle.factor;
  const int amount = name != NULL ? kg_node_find_slot (handles->node, name) : -1;
  g_autofree char *path = kg_node_dup_path (handles->node);
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (amount >= 0 && !kg_handles_get_own_value (handles, (guint) amount, &value))
    g_ptr_array_add (wanted, g_strdup_printf ("%s.%s", path, name));
}

void
kg_lines_add_grips (const KgHandles *handles, GArray *grips, guint slot)
{
  g_autoptr (KgTable) rows = dup_lines (handles, slot);
  const size_t n = rows != NULL ? MIN (kg_table_get_n_rows (rows), KG_HANDLES_MAX_POINTS / KG_LINES_ENDS) : 0;
  const guint first = shows_second (handles, slot) ? 2 : 0;

  for (size_t row = 0; row < n; row++)
    for (guint i = 0; i < KG_LINES_ENDS; i++) {
      const guint end = (first + i) % KG_LINES_ENDS;
      KgGrip grip = kg_handles_make_grip (handles, slot, get_end (rows, row, end));

      grip.row = (int) (row * KG_LINES_ENDS + end);
      grip.minor = i >= 2;
      grip.second = end >= 2;
      grip.label = NULL;
      g_array_append_val (grips, grip);
    }
}

KgGrip
kg_lines_get_other (const KgGrip *grip)
{
  KgGrip other = *grip;

  other.row = grip->row - grip->row % KG_LINES_ENDS + (grip->row + 2) % KG_LINES_ENDS;
  other.second = !grip->second;
  return other;
}

/* Marks the lines that cross. */
static void
find_crossings (GArray *pairs, guint image)
{
  g_autoptr (GArray) lines = g_array_sized_new (FALSE, FALSE, sizeof (WarpLine), 2);

  for (guint i = 0; i < pairs->len; i++)
    for (guint k = i + 1; k < pairs->len; k++) {
      KgLinePair *const both[] = { &g_array_index (pairs, KgLinePair, i), &g_array_index (pairs, KgLinePair, k) };
      guint found[2];

      if (both[0]->crossed[image] && both[1]->crossed[image])
        continue;
      g_array_set_size (lines, 0);
      for (guint j = 0; j < 2; j++) {
        const KgVector *at = both[j]->at + 2 * image;
        const WarpLine line = { at[0].x, at[0].y, at[1].x, at[1].y };

        g_array_append_val (lines, line);
      }
      if (line_warp_find_crossing (lines, found))
        both[0]->crossed[image] = both[1]->crossed[image] = true;
    }
}

GArray *
kg_lines_find (const KgHandles *handles, guint slot)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (KgLinePair));
  g_autoptr (KgTable) rows = dup_lines (handles, slot);
  const size_t n = rows != NULL ? MIN (kg_table_get_n_rows (rows), KG_HANDLES_MAX_POINTS / KG_LINES_ENDS) : 0;

  for (size_t row = 0; row < n; row++) {
    KgLinePair pair = { .crossed = { false, false } };

    for (guint end = 0; end < KG_LINES_ENDS; end++)
      pair.at[end] = get_end (rows, row, end);
    g_array_append_val (pairs, pair);
  }
  find_crossings (pairs, 0);
  find_crossings (pairs, 1);
  return pairs;
}

/* Editing. */

static bool
set_end (const KgHandles *handles, guint slot, int row, guint end, KgVector from, KgVector to, GError **error)
{
  /* Both numbers: half of an end that follows the other image would be neither here nor there. */
  return (to.x == from.x && to.y == from.y) ||
         (kg_handles_set_cell (handles, slot, row, (int) (2 * end), to.x, error) &&
          kg_handles_set_cell (handles, slot, row, (int) (2 * end + 1), to.y, error));
}

bool
kg_lines_move (const KgHandles *handles, const KgGrip *grip, KgVector to, int decimals, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  g_autoptr (KgTable) rows = dup_lines (handles, grip->slot);
  const int row = grip->row / KG_LINES_ENDS;
  const guint end = (guint) grip->row % KG_LINES_ENDS;
  KgVector old;

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (rows == NULL || grip->row < 0 || (size_t) row >= kg_table_get_n_rows (rows))
    return true;
  old = get_end (rows, (size_t) row, end);
  kg_graph_begin_group (graph, _ ("Move line"));
  return kg_graph_close_group (
      graph, set_end (handles, grip->slot, row, end, old, kg_handles_round (to, old, decimals), error));
}

/* One row more, at the end. */
static bool
append_row (const KgHandles *handles, guint slot, const double x[COLUMNS], GError **error)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, slot), longer = NULL;
  const KgTableColumn *columns = kg_node_get_slot (handles->node, slot)->columns;
  const char *names[COLUMNS];
  const size_t n = rows != NULL ? kg_table_get_n_rows (rows) : 0;
  double *cells;

  for (int i = 0; i < COLUMNS; i++)
    names[i] = columns[i].name;
  longer = kg_table_new (COLUMNS, names, n + 1, error);
  if (longer == NULL)
    return false;
  cells = kg_table_edit (longer);
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < COLUMNS; k++)
      *cells++ = kg_table_get_row (rows, i)[k];
  for (int k = 0; k < COLUMNS; k++)
    *cells++ = x[k];
  return kg_input_set_rows (handles->node, slot, kg_document_get_frame (handles->document), longer, false, error);
}

bool
kg_lines_draw (const KgHandles *handles, guint slot, KgVector at, int decimals, guint *row, GError **error)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, slot);
  KgGraph *graph = kg_node_get_parent (handles->node);

  if (!kg_handles_check_free (handles->node, slot, error))
    return false;
  at = kg_handles_round (at, kg_vector (0, 0, 0), decimals);
  *row = (guint) (rows != NULL ? kg_table_get_n_rows (rows) : 0) * KG_LINES_ENDS + 1;
  {
    const double x[COLUMNS] = { at.x, at.y, at.x, at.y, NAN, NAN, NAN, NAN };

    kg_graph_begin_group (graph, _ ("Draw line"));
    return kg_graph_close_group (graph, append_row (handles, slot, x, error));
  }
}

bool
kg_lines_insert (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  g_autoptr (KgTable) rows = dup_lines (handles, grip->slot), own = kg_handles_dup_rows (handles, grip->slot);
  const int row = grip->row / KG_LINES_ENDS;
  double x[COLUMNS];
  KgVector by;

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (rows == NULL || own == NULL || grip->row < 0 || (size_t) row >= kg_table_get_n_rows (rows))
    return true;
  by = kg_vector_subtract (at, get_end (rows, (size_t) row, (guint) grip->row % KG_LINES_ENDS));
  for (int k = 0; k < COLUMNS; k++)
    x[k] = kg_handles_round_number (kg_table_get_row (own, (size_t) row)[k] + (k % 2 == 0 ? by.x : by.y), decimals);
  kg_graph_begin_group (graph, _ ("Add line"));
  return kg_graph_close_group (graph, append_row (handles, grip->slot, x, error));
}

bool
kg_lines_remove (const KgHandles *handles, const KgGrip *grip, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  kg_graph_begin_group (graph, _ ("Remove line"));
  return kg_graph_close_group (graph, kg_handles_drop_row (handles, grip->slot, grip->row / KG_LINES_ENDS, error));
}
