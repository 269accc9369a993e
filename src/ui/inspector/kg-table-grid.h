/* kg-table-grid: the cells of a table under the titles of its columns: numbers, what has keys, expressions and links.  Only the
 * rows in sight have widgets.  Up, Down and Enter go from row to row, Tab from cell to cell; rows that are copied elsewhere (a
 * spreadsheet, a text) are pasted from the current cell on.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-input-row-private.h"

G_BEGIN_DECLS

/* More columns than this are edited as text. */
#define KG_TABLE_GRID_MAX_COLUMNS 32

#define KG_TYPE_TABLE_GRID (kg_table_grid_get_type ())
G_DECLARE_FINAL_TYPE (KgTableGrid, kg_table_grid, KG, TABLE_GRID, GtkWidget)

/* What is done to it is done to the input of the row. */
GtkWidget *kg_table_grid_new (KgInputRow *row);
/* Shows what is there now. */
void kg_table_grid_refresh (KgTableGrid *grid);
/* Takes what has been typed into a cell. */
void kg_table_grid_commit (KgTableGrid *grid);
/* Puts a button behind those that are under the cells. */
void kg_table_grid_add_tool (KgTableGrid *grid, GtkWidget *tool);

G_END_DECLS
