/* kg-row-edit: rows and cells of tables that are edited by handles; see kg-handles-private.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-handles-private.h"
#include "kg-input-table.h"

KgTable *
kg_handles_dup_rows (const KgHandles *handles, guint slot)
{
  const KgTableColumn *columns = kg_node_get_slot (handles->node, slot)->columns;
  const KgSource *source = kg_node_get_source (handles->node, slot);
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (handles->node, slot, kg_document_get_frame (handles->document), &known);
  g_autoptr (KgTable) fitting = rows != NULL ? kg_table_conform (rows, columns, NULL) : NULL;
  g_autoptr (KgTable) own = NULL;
  const KgValue *value = known ? NULL : kg_handles_look_up (handles, slot);
  g_autoptr (KgTable)
      computed = value != NULL && value->kind == KG_TABLE ? kg_table_conform (value->table, columns, NULL) : NULL;

  if (known || rows == NULL || computed == NULL)
    return known ? g_steal_pointer (&fitting) : g_steal_pointer (&computed);
  /* What was evaluated is older than the numbers that have been set since. */
  own = fitting != NULL ? kg_table_copy (fitting, NULL) : NULL;
  if (own == NULL || kg_table_get_n_rows (own) != kg_table_get_n_rows (computed))
    return NULL;
  {
    const guint width = kg_table_get_n_columns (own);
    double *cells = kg_table_edit (own);

    for (size_t row = 0; row < kg_table_get_n_rows (own); row++)
      for (guint column = 0; column < MIN (width, kg_table_get_n_columns (computed)); column++) {
        const KgSource *cell = kg_source_get_cell (source, (guint) row, column);

        if (cell != NULL && cell->kind != KG_SOURCE_KEYS)
          cells[row * width + column] = kg_table_get_row (computed, row)[column];
      }
  }
  return g_steal_pointer (&own);
}

bool
kg_handles_set_cell (const KgHandles *handles, guint slot, int row, int column, double x, GError **error)
{
  const KgKeyed cell = { handles->node, slot, row, column };
  const KgSource *source = kg_source_get_cell (kg_node_get_source (handles->node, slot), (guint) row, (guint) column);

  return (source != NULL && source->kind != KG_SOURCE_KEYS) ||
         kg_input_set_cell (&cell, kg_document_get_frame (handles->document), x,
                            kg_document_get_auto_key (handles->document), error);
}

bool
kg_handles_copy_row (const KgHandles *handles, guint slot, int row, GError **error)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, slot);
  const guint n = rows != NULL ? (guint) kg_table_get_n_rows (rows) : 0;
  g_autofree guint *from = g_new (guint, n + 1);

  for (guint i = 0; i <= n; i++)
    from[i] = i <= (guint) row ? i : i - 1;
  return row < 0 || (guint) row >= n || kg_input_arrange_rows (handles->node, slot, from, n + 1, error);
}

bool
kg_handles_drop_row (const KgHandles *handles, guint slot, int row, GError **error)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, slot);
  const guint n = rows != NULL ? (guint) kg_table_get_n_rows (rows) : 0;
  g_autofree guint *from = g_new (guint, n + 1);

  for (guint i = 0; i + 1 < n; i++)
    from[i] = i < (guint) row ? i : i + 1;
  return row < 0 || (guint) row >= n || kg_input_arrange_rows (handles->node, slot, from, n - 1, error);
}
