/* kg-table-grid: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-table-grid.h"

#include "config.h"
#include "kg-input-table.h"
#include "kg-number.h"
#include "kg-widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* Rows in sight. */
#define MOST_ROWS 8
/* Columns that have room beside each other. */
#define FEW_COLUMNS 3

struct _KgTableGrid {
  GtkWidget parent_instance;
  KgInputRow *row; /* borrowed: its parent */
  GtkWidget *box, *scrolled, *grid, *scrollbar, *tools, *key, *remove, *up, *down;
  GPtrArray *cells;   /* GtkEntry, borrowed: n_shown rows of n_columns */
  GPtrArray *numbers; /* GtkLabel, borrowed: of the rows */
  GtkAdjustment *adjustment;
  guint n_rows, n_columns, n_shown, first; /* first: the row of the first cells */
  guint current_row, current_column;
  bool updating;
};

G_DEFINE_FINAL_TYPE (KgTableGrid, kg_table_grid, GTK_TYPE_WIDGET)

static double
get_frame (KgTableGrid *self)
{
  return kg_document_get_frame (self->row->document);
}

/* Edits: of all selected nodes that have the cell. */

typedef struct {
  guint row, column;
  double x;
  const char *text; /* (nullable) an expression instead of the number, */
  bool link;        /* or what it links to */
} Typed;

static bool
has_cell (KgInputRow *row, KgNode *node, guint slot, guint cell_row, guint column)
{
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (node, slot, kg_document_get_frame (row->document), &known);

  return rows != NULL && cell_row < kg_table_get_n_rows (rows) && column < kg_table_get_n_columns (rows);
}

static bool
edit_cell (KgInputRow *row, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const Typed *typed = (const Typed *) data;
  const KgKeyed cell = { node, slot, (int) typed->row, (int) typed->column };

  if (node != row->node && !has_cell (row, node, slot, typed->row, typed->column))
    return true;
  if (typed->text != NULL) {
    g_auto (KgSource) source = typed->link ? kg_source_link (typed->text) : kg_source_expression (typed->text);

    return kg_graph_set_cell (kg_node_get_parent (node), node, slot, typed->row, typed->column, &source, error);
  }
  return kg_input_set_cell (&cell, kg_document_get_frame (row->document), typed->x,
                            kg_document_get_auto_key (row->document), error);
}

static bool
edit_key (KgInputRow *row, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const Typed *typed = (const Typed *) data;
  const KgKeyed cell = { node, slot, (int) typed->row, (int) typed->column };
  const double frame = kg_document_get_frame (row->document);

  if (!has_cell (row, node, slot, typed->row, typed->column))
    return true;
  return typed->x != 0 ? kg_input_key_cell (&cell, frame, error) : kg_input_unkey_cell (&cell, frame, error);
}

static bool
edit_arrangement (KgInputRow *row, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const GArray *from = (const GArray *) data;

  return node != row->node ||
         kg_input_arrange_rows (node, slot, (const guint *) (const void *) from->data, from->len, error);
}

static bool
edit_rows (KgInputRow *row, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  return node != row->node ||
         kg_input_set_rows (node, slot, kg_document_get_frame (row->document), (const KgTable *) data,
                            kg_document_get_auto_key (row->document), error);
}

/* Cells. */

static GtkWidget *
get_entry (KgTableGrid *self, guint row, guint column)
{
  return row >= self->first && row - self->first < self->n_shown && column < self->n_columns
             ? GTK_WIDGET (g_ptr_array_index (self->cells, (row - self->first) * self->n_columns + column))
             : NULL;
}

static bool
find_entry (KgTableGrid *self, GtkWidget *entry, guint *row, guint *column)
{
  guint index;

  if (!g_ptr_array_find (self->cells, entry, &index))
    return false;
  *row = self->first + index / self->n_columns;
  *column = index % self->n_columns;
  return true;
}

static const char *
get_shown (GtkWidget *entry)
{
  return (const char *) g_object_get_data (G_OBJECT (entry), "shown");
}

static const KgSource *
get_source (KgTableGrid *self, guint row, guint column)
{
  return kg_source_get_cell (kg_input_get_source (self->row->node, self->row->slot), row, column);
}

static bool
is_refused (KgTableGrid *self, GtkWidget *entry)
{
  return gtk_widget_has_css_class (entry, "error") && gtk_widget_get_visible (self->row->problem);
}

/* (nullable) Why a cell cannot be what is typed: with its place in the table instead of that in the text, which is called a
 * column too. */
static void
show_cell_problem (KgTableGrid *self, const Typed *typed, const char *reason)
{
  const KgTableColumn *columns = self->row->declared->columns;
  g_autofree char *number = g_strdup_printf ("%u", typed->column + 1);
  const char *name = columns != NULL ? columns[typed->column].name : number;
  g_autoptr (GError) error = NULL;

  kg_set_error (&error, KG_ERROR_INVALID_VALUE, "%s", reason);
  g_prefix_error (&error, _ ("row %u, %s: "), typed->row + 1, name);
  kg_input_row_show_problem (self->row, error);
}

/* What was refused stays in its cell, to be corrected. */
static void
refuse (KgTableGrid *self, GtkWidget *entry, const Typed *typed, const char *text, const char *shown,
        const char *reason)
{
  const bool was_updating = self->updating;

  self->updating = true;
  if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (entry)), text))
    gtk_editable_set_text (GTK_EDITABLE (entry), text);
  self->updating = was_updating;
  g_object_set_data_full (G_OBJECT (entry), "shown", g_strdup (shown), g_free);
  kg_widget_set_class (entry, "error", true);
  show_cell_problem (self, typed, reason);
}

/* What is typed into a cell as it is shown: a number, "= expression", or "⟵ node.output". */
static void
read_cell (const char *text, Typed *typed, GError **error)
{
  bool is_expression = false;

  if (g_str_has_prefix (text, "⟵")) {
    typed->link = true;
    typed->text = text + strlen ("⟵") + strspn (text + strlen ("⟵"), " ");
  } else if (*text == '=')
    typed->text = text + 1 + strspn (text + 1, " ");
  else if (*text != '\0' && !g_str_equal (text, "-") &&
           !kg_number_parse (text, KG_UNIT_NONE, &typed->x, &is_expression, error) && is_expression) {
    g_clear_error (error);
    typed->text = text;
  }
}

/* False where it was refused. */
static bool
commit_cell (KgTableGrid *self, GtkWidget *entry)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));
  g_autofree char *shown = g_strdup (get_shown (entry));
  g_autoptr (GtkWidget) kept = GTK_WIDGET (g_object_ref (entry));
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  Typed typed = { .x = NAN };

  if (self->updating || g_strcmp0 (text, shown) == 0 || !kg_input_row_can_edit (self->row) ||
      !find_entry (self, entry, &typed.row, &typed.column))
    return true;
  read_cell (text, &typed, &error);
  if (error != NULL) {
    const char *why;

    kg_error_get_column (error, &why);
    refuse (self, entry, &typed, text, shown, why);
    return false;
  }
  g_object_set_data_full (G_OBJECT (entry), "shown", g_strdup (text), g_free);
  kg_widget_set_class (entry, "error", false);
  kg_input_row_edit (self->row, edit_cell, &typed);
  if (!gtk_widget_get_visible (self->row->problem))
    return true;
  reason = g_strdup (self->row->reason);
  refuse (self, entry, &typed, text, shown, reason);
  return false;
}

static void
go_to (KgTableGrid *self, guint row, guint column)
{
  GtkWidget *entry;

  if (row >= self->n_rows || column >= self->n_columns)
    return;
  if (row < self->first || row >= self->first + self->n_shown)
    gtk_adjustment_set_value (self->adjustment, row < self->first ? row : row + 1 - self->n_shown);
  entry = get_entry (self, row, column);
  if (entry != NULL)
    gtk_widget_grab_focus (entry);
}

static void
show_tools (KgTableGrid *self)
{
  const bool inside = self->current_row < self->n_rows;
  const KgSource *source = inside ? get_source (self, self->current_row, self->current_column) : NULL;
  const bool keyed = source != NULL && source->kind == KG_SOURCE_KEYS;
  bool here = false;

  if (keyed) {
    gsize n;
    const KgKey *keys = kg_channel_get_keys (source->keys, &n);

    for (gsize i = 0; i < n; i++)
      here = here || fabs (keys[i].at - get_frame (self)) < 1e-6;
  }
  gtk_button_set_label (GTK_BUTTON (self->key), here ? "◆" : keyed ? "◈" : "◇");
  gtk_widget_set_tooltip_text (self->key, here ? _ ("Remove the key of the cell at this frame")
                                               : _ ("Set a key in the cell at this frame"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->key), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gtk_widget_get_tooltip_text (self->key), -1);
  g_object_set_data (G_OBJECT (self->key), "here", GINT_TO_POINTER (here));
  gtk_widget_set_sensitive (self->key,
                            inside && (source == NULL || keyed) && kg_input_can_have_keys (self->row->declared));
  gtk_widget_set_sensitive (self->remove, inside);
  gtk_widget_set_sensitive (self->up, inside && self->current_row > 0);
  gtk_widget_set_sensitive (self->down, inside && self->current_row + 1 < self->n_rows);
}

static void
on_enter (GtkEventController *focus, KgTableGrid *self)
{
  find_entry (self, gtk_event_controller_get_widget (focus), &self->current_row, &self->current_column);
  show_tools (self);
}

static void
on_leave (GtkEventController *focus, KgTableGrid *self)
{
  commit_cell (self, gtk_event_controller_get_widget (focus));
}

static void
on_activate (GtkWidget *entry, KgTableGrid *self)
{
  guint row, column;

  if (commit_cell (self, entry) && find_entry (self, entry, &row, &column))
    go_to (self, MIN (row + 1, self->n_rows - 1), column);
}

/* Pasting. */

/* (transfer full) (nullable) The rows with those that are pasted, from a cell on. */
static KgTable *
paste (const KgTable *rows, const KgTable *pasted, guint row, guint column, GError **error)
{
  const guint n_columns = kg_table_get_n_columns (rows);
  const size_t n_old = kg_table_get_n_rows (rows), n = MAX (n_old, row + kg_table_get_n_rows (pasted));
  g_autofree const char **names = kg_table_has_names (rows) ? g_new0 (const char *, n_columns) : NULL;
  KgTable *merged;

  for (guint i = 0; names != NULL && i < n_columns; i++)
    names[i] = kg_table_get_name (rows, i);
  merged = kg_table_new (n_columns, names, n, error);
  for (size_t i = 0; merged != NULL && i < n; i++)
    for (guint k = 0; k < n_columns; k++) {
      double *x = &kg_table_edit (merged)[i * n_columns + k];

      /* Rows that come after the last begin as that one. */
      *x = n_old > 0 ? kg_table_get_row (rows, MIN (i, n_old - 1))[k] : 0;
      if (i >= row && i - row < kg_table_get_n_rows (pasted) && k >= column &&
          k - column < kg_table_get_n_columns (pasted))
        *x = kg_table_get_row (pasted, i - row)[k - column];
    }
  return merged;
}

/* Rows with expressions in some cells. */
typedef struct {
  KgTable *rows;
  GArray *cells; /* Typed */
} Pasted;

static bool
edit_pasted (KgInputRow *row, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const Pasted *pasted = (const Pasted *) data;

  if (!edit_rows (row, node, slot, pasted->rows, error))
    return false;
  for (guint i = 0; node == row->node && i < pasted->cells->len; i++)
    if (!edit_cell (row, node, slot, &g_array_index (pasted->cells, Typed, i), error))
      return false;
  return true;
}

/* (transfer full) The text with 0 for each cell that is "= expression": cells are between tabs there, so that an expression
 * may have blanks and commas.  kept: what the expressions are
 * in. */
static char *
take_expressions (KgTableGrid *self, const char *text, GPtrArray *kept, GArray *cells)
{
  GString *numbers = g_string_new (NULL);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    char **parts = g_strsplit (lines[i], "\t", -1);

    g_ptr_array_add (kept, parts);
    for (guint k = 0; parts[k] != NULL; k++) {
      const char *part = g_strstrip (parts[k]);
      const Typed typed = { .row = self->current_row + i,
                            .column = self->current_column + k,
                            .text = part + 1 + (*part == '=' ? strspn (part + 1, " ") : 0) };

      if (*part == '=' && typed.column < self->n_columns)
        g_array_append_val (cells, typed);
      g_string_append_printf (numbers, "%s%s", k > 0 ? "\t" : "", *part == '=' ? "0" : part);
    }
    g_string_append_c (numbers, '\n');
  }
  return g_string_free (numbers, FALSE);
}

static void
strv_free (gpointer strings)
{
  g_strfreev ((char **) strings);
}

/* text: to be changed. */
static void
paste_text (KgTableGrid *self, char *text)
{
  GtkWidget *entry = get_entry (self, self->current_row, self->current_column);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (strv_free);
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (Typed));
  g_autofree char *numbers = NULL;
  g_autoptr (KgTable) pasted = NULL, rows = NULL, merged = NULL;
  bool known;

  /* One word, or one expression, goes where it was typed. */
  g_strstrip (text);
  if (strpbrk (text, *text == '=' ? "\t\n" : " \t\n;,") == NULL) {
    int at = entry != NULL ? gtk_editable_get_position (GTK_EDITABLE (entry)) : 0;

    if (entry != NULL) {
      gtk_editable_delete_selection (GTK_EDITABLE (entry));
      at = gtk_editable_get_position (GTK_EDITABLE (entry));
      gtk_editable_insert_text (GTK_EDITABLE (entry), text, -1, &at);
      gtk_editable_set_position (GTK_EDITABLE (entry), at);
    }
    return;
  }
  numbers = take_expressions (self, text, kept, cells);
  pasted = kg_table_parse (numbers, NULL, &error);
  rows = kg_input_dup_rows (self->row->node, self->row->slot, get_frame (self), &known);
  if (pasted != NULL && rows != NULL)
    merged = paste (rows, pasted, self->current_row, self->current_column, &error);
  if (merged != NULL) {
    const Pasted edit = { merged, cells };

    kg_input_row_edit (self->row, edit_pasted, &edit);
  } else
    kg_input_row_show_problem (self->row, error);
}

static void
on_clipboard (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autoptr (KgTableGrid) self = KG_TABLE_GRID (data);
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);

  if (text != NULL && gtk_widget_get_root (GTK_WIDGET (self)) != NULL && kg_input_row_can_edit (self->row))
    paste_text (self, text);
}

static gboolean
on_key (GtkEventController *controller, guint key, guint code, GdkModifierType state, KgTableGrid *self)
{
  GtkWidget *entry = gtk_event_controller_get_widget (controller);
  guint row, column;

  (void) code;
  if (!find_entry (self, entry, &row, &column))
    return FALSE;
  if ((state & GDK_CONTROL_MASK) != 0 && key == GDK_KEY_v) {
    gdk_clipboard_read_text_async (gtk_widget_get_clipboard (entry), NULL, on_clipboard, g_object_ref (self));
    return TRUE;
  }
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0 || (key != GDK_KEY_Up && key != GDK_KEY_Down))
    return FALSE;
  commit_cell (self, entry);
  if (key == GDK_KEY_Up && row > 0)
    go_to (self, row - 1, column);
  else if (key == GDK_KEY_Down)
    go_to (self, row + 1, column);
  return TRUE;
}

/* Tools. */

static void
on_key_clicked (KgTableGrid *self)
{
  const bool here = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (self->key), "here")) != 0;
  const Typed typed = { .row = self->current_row, .column = self->current_column, .x = !here };

  kg_input_row_edit (self->row, edit_key, &typed);
}

/* (transfer full) The rows as they are: see kg_input_arrange_rows. */
static GArray *
make_arrangement (KgTableGrid *self)
{
  GArray *from = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < self->n_rows; i++)
    g_array_append_val (from, i);
  return from;
}

static void
add_first_row (KgTableGrid *self)
{
  const KgTableColumn *columns = self->row->declared->columns;
  const guint n = columns != NULL ? kg_table_columns_count (columns) : MAX (self->n_columns, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgTable) rows = kg_table_new (n, NULL, 1, &error);

  for (guint i = 0; rows != NULL && i < n; i++)
    kg_table_edit (rows)[i] = columns != NULL && isfinite (columns[i].def) ? columns[i].def : 0;
  if (rows != NULL) {
    g_auto (KgValue) value = kg_value_take (KG_TABLE, g_steal_pointer (&rows));

    kg_input_row_edit (self->row, kg_input_edit_value, &value);
  }
}

/* A copy of the current row, after it. */
static void
on_add (KgTableGrid *self)
{
  g_autoptr (GArray) from = make_arrangement (self);
  const guint row = MIN (self->current_row, MAX (self->n_rows, 1) - 1);

  if (self->n_rows == 0) {
    add_first_row (self);
    kg_table_grid_refresh (self);
    go_to (self, 0, 0);
    return;
  }
  g_array_insert_val (from, row + 1, row);
  kg_input_row_edit (self->row, edit_arrangement, from);
  kg_table_grid_refresh (self);
  go_to (self, row + 1, self->current_column);
}

static void
on_remove (KgTableGrid *self)
{
  g_autoptr (GArray) from = make_arrangement (self);
  const guint row = self->current_row;

  if (row >= self->n_rows)
    return;
  g_array_remove_index (from, row);
  kg_input_row_edit (self->row, edit_arrangement, from);
  kg_table_grid_refresh (self);
  go_to (self, MIN (row, MAX (self->n_rows, 1) - 1), self->current_column);
}

static void
move_row (KgTableGrid *self, int by)
{
  g_autoptr (GArray) from = make_arrangement (self);
  const guint row = self->current_row, other = (guint) ((int) row + by);

  if (row >= self->n_rows || other >= self->n_rows)
    return;
  g_array_index (from, guint, row) = other;
  g_array_index (from, guint, other) = row;
  kg_input_row_edit (self->row, edit_arrangement, from);
  kg_table_grid_refresh (self);
  go_to (self, other, self->current_column);
}

static void
on_up (KgTableGrid *self)
{
  move_row (self, -1);
}

static void
on_down (KgTableGrid *self)
{
  move_row (self, 1);
}

/* What is shown. */

static const char *
get_title (KgTableGrid *self, const KgTable *rows, guint column)
{
  const KgTableColumn *columns = self->row->declared->columns;

  return columns != NULL ? kg_type_translate (columns[column].label) : kg_table_get_name (rows, column);
}

static GtkWidget *
make_cell (KgTableGrid *self)
{
  GtkWidget *entry = gtk_entry_new ();
  GtkEventController *focus = gtk_event_controller_focus_new (), *keys = gtk_event_controller_key_new ();

  gtk_entry_set_has_frame (GTK_ENTRY (entry), FALSE);
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), self->n_columns > FEW_COLUMNS ? 5 : 3);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), 9);
  gtk_entry_set_input_hints (GTK_ENTRY (entry), GTK_INPUT_HINT_NO_EMOJI);
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (focus, "enter", G_CALLBACK (on_enter), self);
  g_signal_connect (focus, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  g_signal_connect (entry, "activate", G_CALLBACK (on_activate), self);
  gtk_widget_add_controller (entry, focus);
  gtk_widget_add_controller (entry, keys);
  return entry;
}

static void
rebuild (KgTableGrid *self, const KgTable *rows)
{
  g_ptr_array_set_size (self->cells, 0);
  g_ptr_array_set_size (self->numbers, 0);
  self->grid = gtk_grid_new ();
  gtk_widget_add_css_class (self->grid, "kg-table");
  gtk_grid_set_column_spacing (GTK_GRID (self->grid), 2);
  for (guint k = 0; k < self->n_columns; k++) {
    const char *title = get_title (self, rows, k);
    g_autofree char *number = title == NULL ? g_strdup_printf ("%u", k + 1) : NULL;
    GtkWidget *label = gtk_label_new (title != NULL ? title : number);

    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
    gtk_label_set_xalign (GTK_LABEL (label), 0);
    gtk_widget_add_css_class (label, "kg-dim");
    gtk_widget_set_tooltip_text (label, gtk_label_get_text (GTK_LABEL (label)));
    gtk_grid_attach (GTK_GRID (self->grid), label, (int) k + 1, 0, 1, 1);
  }
  for (guint i = 0; i < self->n_shown; i++) {
    GtkWidget *number = gtk_label_new (NULL);

    gtk_widget_add_css_class (number, "kg-dim");
    gtk_label_set_xalign (GTK_LABEL (number), 1);
    gtk_grid_attach (GTK_GRID (self->grid), number, 0, (int) i + 1, 1, 1);
    g_ptr_array_add (self->numbers, number);
    for (guint k = 0; k < self->n_columns; k++) {
      GtkWidget *entry = make_cell (self);

      gtk_grid_attach (GTK_GRID (self->grid), entry, (int) k + 1, (int) i + 1, 1, 1);
      g_ptr_array_add (self->cells, entry);
    }
  }
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), self->grid);
  /* A scroll bar that comes and goes takes its room from the rows: the last one is hidden behind it. */
  gtk_scrolled_window_set_policy (
      GTK_SCROLLED_WINDOW (self->scrolled),
      self->n_columns > FEW_COLUMNS && self->n_shown > 0 ? GTK_POLICY_ALWAYS : GTK_POLICY_EXTERNAL, GTK_POLICY_NEVER);
}

/* (transfer full) */
static char *
dup_text (const KgSource *source, double x)
{
  if (source != NULL && source->kind == KG_SOURCE_EXPRESSION)
    return g_strdup_printf ("= %s", source->text);
  if (source != NULL && source->kind == KG_SOURCE_LINK)
    return g_strdup_printf ("⟵ %s", source->text);
  return isfinite (x) ? kg_number_format_exact (x) : g_strdup ("");
}

static void
show_cell (KgTableGrid *self, const KgTable *rows, guint row, guint column)
{
  GtkWidget *entry = get_entry (self, row, column);
  const KgSource *source = get_source (self, row, column);
  g_autofree char *text = dup_text (source, kg_table_get_row (rows, row)[column]), *label = NULL;
  const KgKeyed cell = { self->row->node, self->row->slot, (int) row, (int) column };
  const char *shown = get_shown (entry), *now = gtk_editable_get_text (GTK_EDITABLE (entry));
  const bool typing = shown != NULL && (gtk_widget_get_state_flags (entry) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0 &&
                      !g_str_equal (now, shown);

  label = kg_keyed_dup_label (&cell);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  kg_widget_set_class (entry, "kg-keyed", source != NULL && source->kind == KG_SOURCE_KEYS);
  kg_widget_set_class (entry, "kg-computed", source != NULL && source->kind != KG_SOURCE_KEYS);
  gtk_widget_set_tooltip_text (entry, source != NULL && source->kind != KG_SOURCE_KEYS ? text : NULL);
  if (typing || is_refused (self, entry))
    return;
  kg_widget_set_class (entry, "error", false);
  if (!g_str_equal (now, text))
    gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_object_set_data_full (G_OBJECT (entry), "shown", g_steal_pointer (&text), g_free);
}

/* (nullable) The cell with the keyboard. */
static GtkWidget *
find_focus (KgTableGrid *self)
{
  for (guint i = 0; i < self->cells->len; i++) {
    GtkWidget *entry = GTK_WIDGET (g_ptr_array_index (self->cells, i));

    if ((gtk_widget_get_state_flags (entry) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0)
      return entry;
  }
  return NULL;
}

void
kg_table_grid_refresh (KgTableGrid *self)
{
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (self->row->node, self->row->slot, get_frame (self), &known);
  const guint n_rows = rows != NULL ? (guint) kg_table_get_n_rows (rows) : 0;
  const guint n_columns = rows != NULL ? MIN (kg_table_get_n_columns (rows), KG_TABLE_GRID_MAX_COLUMNS) : 0;
  const guint n_shown = MIN (n_rows, MOST_ROWS);
  const bool was_updating = self->updating, focused = find_focus (self) != NULL;
  bool moved = false;

  self->updating = true;
  self->n_rows = n_rows;
  if (self->grid == NULL || n_columns != self->n_columns || n_shown != self->n_shown) {
    self->n_columns = n_columns;
    self->n_shown = n_shown;
    rebuild (self, rows);
    moved = focused;
  }
  gtk_adjustment_configure (self->adjustment, MIN (self->first, n_rows - n_shown), 0, n_rows, 1, MAX (n_shown, 1),
                            n_shown);
  gtk_widget_set_visible (self->scrollbar, n_rows > n_shown);
  self->first = (guint) gtk_adjustment_get_value (self->adjustment);
  for (guint i = 0; i < n_shown; i++) {
    g_autofree char *number = g_strdup_printf ("%u", self->first + i + 1);

    gtk_label_set_text (GTK_LABEL (g_ptr_array_index (self->numbers, i)), number);
    for (guint k = 0; k < n_columns; k++)
      show_cell (self, rows, self->first + i, k);
  }
  show_tools (self);
  self->updating = was_updating;
  /* Who was in a cell is in the one that took its place. */
  if (moved && n_rows > 0)
    go_to (self, MIN (self->current_row, n_rows - 1), MIN (self->current_column, n_columns - 1));
}

void
kg_table_grid_commit (KgTableGrid *self)
{
  GtkWidget *entry = find_focus (self);

  if (entry != NULL)
    commit_cell (self, entry);
}

static void
on_scrolled (KgTableGrid *self)
{
  if (self->updating)
    return;
  /* What was typed belongs to the row that was there. */
  kg_table_grid_commit (self);
  for (guint i = 0; i < self->cells->len; i++)
    kg_widget_set_class (GTK_WIDGET (g_ptr_array_index (self->cells, i)), "error", false);
  self->first = (guint) gtk_adjustment_get_value (self->adjustment);
  kg_table_grid_refresh (self);
}

static gboolean
on_wheel (GtkEventController *controller, double dx, double dy, KgTableGrid *self)
{
  (void) controller;
  (void) dx;
  if (self->n_rows <= self->n_shown)
    return FALSE;
  gtk_adjustment_set_value (self->adjustment, nearbyint (gtk_adjustment_get_value (self->adjustment) + 3 * dy));
  return TRUE;
}

static GtkWidget *
add_button (KgTableGrid *self, const char *icon, const char *text, void (*clicked) (KgTableGrid *self))
{
  GtkWidget *button = icon != NULL ? gtk_button_new_from_icon_name (icon) : gtk_button_new_with_label ("◇");

  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
  gtk_widget_set_tooltip_text (button, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_set_focus_on_click (button, FALSE);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (clicked), self);
  gtk_box_append (GTK_BOX (self->tools), button);
  return button;
}

void
kg_table_grid_add_tool (KgTableGrid *self, GtkWidget *tool)
{
  gtk_box_append (GTK_BOX (self->tools), tool);
}

static void
kg_table_grid_dispose (GObject *object)
{
  KgTableGrid *self = KG_TABLE_GRID (object);

  self->updating = true;
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_pointer (&self->cells, g_ptr_array_unref);
  g_clear_pointer (&self->numbers, g_ptr_array_unref);
  G_OBJECT_CLASS (kg_table_grid_parent_class)->dispose (object);
}

static void
kg_table_grid_class_init (KgTableGridClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_table_grid_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (class), "tablegrid");
}

static void
kg_table_grid_init (KgTableGrid *self)
{
  GtkWidget *rows = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkEventController *wheel = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  self->cells = g_ptr_array_new ();
  self->numbers = g_ptr_array_new ();
  self->adjustment = gtk_adjustment_new (0, 0, 0, 1, 1, 0);
  g_signal_connect_object (self->adjustment, "value-changed", G_CALLBACK (on_scrolled), self, G_CONNECT_SWAPPED);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scrolled), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (self->scrolled), FALSE);
  gtk_widget_set_hexpand (self->scrolled, TRUE);
  gtk_box_append (GTK_BOX (rows), self->scrolled);
  self->scrollbar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, self->adjustment);
  gtk_box_append (GTK_BOX (rows), self->scrollbar);
  g_signal_connect (wheel, "scroll", G_CALLBACK (on_wheel), self);
  gtk_widget_add_controller (rows, wheel);
  gtk_box_append (GTK_BOX (self->box), rows);
  self->tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->tools, "kg-table-tools");
  add_button (self, "list-add-symbolic", _ ("Add a row"), on_add);
  self->remove = add_button (self, "list-remove-symbolic", _ ("Remove the row"), on_remove);
  self->up = add_button (self, "go-up-symbolic", _ ("Move the row up"), on_up);
  self->down = add_button (self, "go-down-symbolic", _ ("Move the row down"), on_down);
  self->key = add_button (self, NULL, _ ("Set a key in the cell at this frame"), on_key_clicked);
  gtk_box_append (GTK_BOX (self->box), self->tools);
}

GtkWidget *
kg_table_grid_new (KgInputRow *row)
{
  KgTableGrid *self = KG_TABLE_GRID (g_object_new (KG_TYPE_TABLE_GRID, NULL));

  self->row = row;
  return GTK_WIDGET (self);
}
