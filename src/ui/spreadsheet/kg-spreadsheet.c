/* kg-spreadsheet: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-spreadsheet.h"

#include "config.h"
#include "kg-sheet.h"

#include <glib/gi18n.h>

/* The rows: objects that hold nothing, made when a row comes into view. */

#define KG_TYPE_ROW (kg_row_get_type ())
G_DECLARE_FINAL_TYPE (KgRow, kg_row, KG, ROW, GObject)

struct _KgRow {
  GObject parent_instance;
};

G_DEFINE_FINAL_TYPE (KgRow, kg_row, G_TYPE_OBJECT)

static void
kg_row_class_init (KgRowClass *class)
{
  (void) class;
}

static void
kg_row_init (KgRow *self)
{
  (void) self;
}

#define KG_TYPE_ROWS (kg_rows_get_type ())
G_DECLARE_FINAL_TYPE (KgRows, kg_rows, KG, ROWS, GObject)

struct _KgRows {
  GObject parent_instance;
  guint n;
};

static GType
kg_rows_get_item_type (GListModel *model)
{
  (void) model;
  return KG_TYPE_ROW;
}

static guint
kg_rows_get_n_items (GListModel *model)
{
  return KG_ROWS (model)->n;
}

static gpointer
kg_rows_get_item (GListModel *model, guint position)
{
  return position < KG_ROWS (model)->n ? g_object_new (KG_TYPE_ROW, NULL) : NULL;
}

static void
kg_rows_list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = kg_rows_get_item_type;
  interface->get_n_items = kg_rows_get_n_items;
  interface->get_item = kg_rows_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (KgRows, kg_rows, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, kg_rows_list_model_init))

static void
kg_rows_class_init (KgRowsClass *class)
{
  (void) class;
}

static void
kg_rows_init (KgRows *self)
{
  (void) self;
}

/* Rows come and go at the end, so that the view stays where it is. */
static void
kg_rows_set_n (KgRows *self, guint n)
{
  const guint old = self->n, kept = MIN (old, n);

  self->n = n;
  if (old != n)
    g_list_model_items_changed (G_LIST_MODEL (self), kept, old - kept, n - kept);
}

/* The widget. */

struct _KgSpreadsheet {
  GtkWidget parent_instance;
  KgValue value;
  bool has_value;
  bool stale; /* the value is newer than what is shown */
  KgSheet *sheet;
  guint part;

  guint32 *order; /* (nullable) rows of the sheet in the order shown; NULL: as they are */
  gsize n_shown;
  guint32 *matches; /* (nullable) rows that the search found, in the order of the sheet */
  gsize n_matches;

  KgRows *rows;
  GtkSingleSelection *selection;
  GHashTable *cells; /* GtkListItem -> column + 1: on screen */
  int probed;        /* see get_sorting */

  GtkWidget *stack, *view, *parts, *search, *only_matches, *status;
  bool updating;
};

G_DEFINE_FINAL_TYPE (KgSpreadsheet, kg_spreadsheet, GTK_TYPE_WIDGET)

/* Cells. */

static gsize
get_sheet_row (KgSpreadsheet *self, guint position)
{
  return self->order != NULL ? self->order[position] : position;
}

static void
update_cell (KgSpreadsheet *self, GtkListItem *item, guint column)
{
  const guint position = gtk_list_item_get_position (item);
  g_autofree char *text = NULL;

  if (self->sheet != NULL && position < self->n_shown && column < kg_sheet_get_n_columns (self->sheet))
    text = kg_sheet_dup_text (self->sheet, get_sheet_row (self, position), column);
  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (item)), text);
}

/* The same rows with other contents: no rows are created, and the view does not move. */
static void
update_cells (KgSpreadsheet *self)
{
  GHashTableIter iter;
  gpointer item, column;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, &item, &column))
    update_cell (self, GTK_LIST_ITEM (item), GPOINTER_TO_UINT (column) - 1);
}

static guint
get_factory_column (GtkListItemFactory *factory)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (factory), "column"));
}

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, KgSpreadsheet *self)
{
  const guint column = get_factory_column (factory);
  GtkWidget *cell = gtk_inscription_new (NULL);
  const bool number = self->sheet == NULL || kg_sheet_is_number (self->sheet, column);

  gtk_inscription_set_xalign (GTK_INSCRIPTION (cell), number ? 1 : 0);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (cell), 4);
  gtk_inscription_set_nat_chars (GTK_INSCRIPTION (cell), number ? 11 : 18);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (cell), 1);
  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (cell), GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_widget_add_css_class (cell, "numeric");
  gtk_list_item_set_child (item, cell);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, KgSpreadsheet *self)
{
  const guint column = get_factory_column (factory);

  g_hash_table_insert (self->cells, item, GUINT_TO_POINTER (column + 1));
  update_cell (self, item, column);
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *item, KgSpreadsheet *self)
{
  (void) factory;
  g_hash_table_remove (self->cells, item);
}

/* Order. */

typedef struct {
  KgSpreadsheet *self;
  int column;
} Probe;

static int
probe_column (gconstpointer a, gconstpointer b, gpointer data)
{
  Probe *probe = (Probe *) data;

  (void) a;
  (void) b;
  probe->self->probed = probe->column;
  return -1;
}

/* The column that was clicked.  GTK sorts by comparing row objects, which are not worth making a million of: each
 * column's sorter only tells that it was asked, and the view's own says in which direction. */
static bool
get_sorting (KgSpreadsheet *self, guint *column, bool *descending)
{
  g_autoptr (KgRow) a = KG_ROW (g_object_new (KG_TYPE_ROW, NULL));
  g_autoptr (KgRow) b = KG_ROW (g_object_new (KG_TYPE_ROW, NULL));
  GtkOrdering ordering;

  self->probed = -1;
  ordering = gtk_sorter_compare (gtk_column_view_get_sorter (GTK_COLUMN_VIEW (self->view)), a, b);
  *descending = ordering == GTK_ORDERING_LARGER;
  *column = (guint) self->probed;
  return self->probed >= 0;
}

static void
update_status (KgSpreadsheet *self)
{
  g_autofree char *what = NULL, *found = NULL, *text = NULL;

  if (self->sheet == NULL) {
    gtk_label_set_text (GTK_LABEL (self->status), NULL);
    gtk_widget_set_tooltip_text (self->status, NULL);
    return;
  }
  what = kg_sheet_describe (&self->value);
  if (self->matches != NULL)
    found = g_strdup_printf (_ ("Matching rows: %'zu of %'zu"), self->n_matches, kg_sheet_get_n_rows (self->sheet));
  else
    found = g_strdup_printf (_ ("Rows: %'zu"), kg_sheet_get_n_rows (self->sheet));
  /* The number of matches comes first: a narrow window cuts the end. */
  text = g_strdup_printf ("%s%s%s", found, *what != '\0' ? " · " : "", what);
  gtk_label_set_text (GTK_LABEL (self->status), text);
  gtk_widget_set_tooltip_text (self->status, text);
}

static bool
filters (KgSpreadsheet *self)
{
  return self->matches != NULL && gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->only_matches));
}

/* Which rows are shown, and in what order. */
static void
update_order (KgSpreadsheet *self)
{
  guint column;
  bool descending;
  const bool sorted = self->sheet != NULL && get_sorting (self, &column, &descending);

  g_clear_pointer (&self->order, g_free);
  self->n_shown = self->sheet != NULL ? kg_sheet_get_n_rows (self->sheet) : 0;
  if (filters (self)) {
    self->n_shown = self->n_matches;
    self->order = (guint32 *) g_memdup2 (self->matches, MAX (self->n_matches, 1) * sizeof *self->matches);
  } else if (sorted) {
    self->order = g_new (guint32, MAX (self->n_shown, 1));
    for (gsize i = 0; i < self->n_shown; i++)
      self->order[i] = (guint32) i;
  }
  if (sorted)
    kg_sheet_sort (self->sheet, column, descending, self->order, self->n_shown);
  /* A selected row that goes is searched for in all that come: a row of another place is not that row. */
  if (gtk_single_selection_get_selected (self->selection) >= self->n_shown)
    gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  kg_rows_set_n (self->rows, (guint) self->n_shown);
  update_cells (self);
  update_status (self);
}

static void
update_matches (KgSpreadsheet *self)
{
  const char *query = gtk_editable_get_text (GTK_EDITABLE (self->search));

  g_clear_pointer (&self->matches, g_free);
  self->n_matches = 0;
  if (self->sheet == NULL || *query == '\0')
    return;
  self->matches = g_new (guint32, MAX (kg_sheet_get_n_rows (self->sheet), 1));
  self->n_matches = kg_sheet_search (self->sheet, query, self->matches);
}

/* Going to rows. */

static void
scroll_to (KgSpreadsheet *self, guint position)
{
  gtk_single_selection_set_selected (self->selection, position);
  /* The list inside the column view has the action; the view itself has no call for it. */
  for (GtkWidget *child = gtk_widget_get_first_child (self->view); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_LIST_VIEW (child))
      gtk_widget_activate_action (child, "list.scroll-to-item", "u", position);
}

static bool
is_match (KgSpreadsheet *self, gsize row)
{
  gsize low = 0, high = self->n_matches;

  while (low < high) {
    const gsize middle = (low + high) / 2;

    if (self->matches[middle] == row)
      return true;
    if (self->matches[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* The next or previous row that matches, round the ends. */
static void
go_to_match (KgSpreadsheet *self, bool forward)
{
  const guint selected = gtk_single_selection_get_selected (self->selection);
  const guint n = (guint) self->n_shown;
  guint position = selected;

  if (self->matches == NULL || self->n_matches == 0 || n == 0)
    return;
  if (position >= n)
    position = forward ? n - 1 : 0;
  for (guint i = 0; i < n; i++) {
    position = forward ? (position + 1) % n : (position + n - 1) % n;
    if (is_match (self, get_sheet_row (self, position))) {
      scroll_to (self, position);
      return;
    }
  }
}

static void
on_search_changed (KgSpreadsheet *self)
{
  update_matches (self);
  update_order (self);
  if (self->matches != NULL && !filters (self)) {
    gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
    go_to_match (self, true);
  } else if (filters (self) && self->n_matches > 0)
    scroll_to (self, 0);
}

static void
on_next_match (KgSpreadsheet *self)
{
  go_to_match (self, true);
}

static void
on_previous_match (KgSpreadsheet *self)
{
  go_to_match (self, false);
}

static void
on_stop_search (KgSpreadsheet *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
}

/* Columns. */

static void
add_column (KgSpreadsheet *self, guint index)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = NULL;
  g_autoptr (GtkCustomSorter) sorter = NULL;
  Probe *probe = g_new (Probe, 1);

  *probe = (Probe){ self, (int) index };
  sorter = gtk_custom_sorter_new (probe_column, probe, g_free);
  g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (index));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
  column = gtk_column_view_column_new (kg_sheet_get_title (self->sheet, index), factory);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_column_set_sorter (column, GTK_SORTER (sorter));
  gtk_column_view_append_column (GTK_COLUMN_VIEW (self->view), column);
}

/* Takes the width that is left: GTK 4.8 draws the shadow of an overshoot beside columns that are too narrow. */
static void
add_filler (KgSpreadsheet *self)
{
  g_autoptr (GtkColumnViewColumn) column = gtk_column_view_column_new (NULL, NULL);

  gtk_column_view_column_set_expand (column, TRUE);
  gtk_column_view_append_column (GTK_COLUMN_VIEW (self->view), column);
}

static bool
has_columns (KgSpreadsheet *self, const KgSheet *sheet)
{
  if (self->sheet == NULL || kg_sheet_get_n_columns (self->sheet) != kg_sheet_get_n_columns (sheet))
    return false;
  for (guint i = 0; i < kg_sheet_get_n_columns (sheet); i++)
    if (!g_str_equal (kg_sheet_get_title (self->sheet, i), kg_sheet_get_title (sheet, i)) ||
        kg_sheet_is_number (self->sheet, i) != kg_sheet_is_number (sheet, i))
      return false;
  return true;
}

/* Takes the sheet. */
static void
set_sheet (KgSpreadsheet *self, KgSheet *sheet)
{
  const bool keep = has_columns (self, sheet);

  if (!keep) {
    GListModel *columns = gtk_column_view_get_columns (GTK_COLUMN_VIEW (self->view));

    /* Without rows no cell is made for columns that come one by one. */
    g_clear_pointer (&self->order, g_free);
    self->n_shown = 0;
    gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
    kg_rows_set_n (self->rows, 0);
    self->updating = true;
    gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (self->view), NULL, GTK_SORT_ASCENDING);
    for (guint i = g_list_model_get_n_items (columns); i > 0; i--) {
      g_autoptr (GtkColumnViewColumn) column = GTK_COLUMN_VIEW_COLUMN (g_list_model_get_item (columns, i - 1));

      gtk_column_view_remove_column (GTK_COLUMN_VIEW (self->view), column);
    }
    self->updating = false;
  }
  g_clear_pointer (&self->sheet, kg_sheet_free);
  self->sheet = sheet;
  for (guint i = 0; !keep && i < kg_sheet_get_n_columns (sheet); i++)
    add_column (self, i);
  if (!keep)
    add_filler (self);
}

static void
update_parts (KgSpreadsheet *self, const KgValue *old)
{
  g_autoptr (GtkStringList) names = NULL;

  if (old != NULL && old->kind == self->value.kind)
    return;
  names = gtk_string_list_new (NULL);
  for (guint i = 0; i < kg_sheet_get_n_parts (&self->value); i++)
    gtk_string_list_append (names, kg_sheet_get_part_name (&self->value, i));
  self->updating = true;
  self->part = 0;
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->parts), G_LIST_MODEL (names));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->parts), 0);
  gtk_widget_set_visible (self->parts, kg_sheet_get_n_parts (&self->value) > 1);
  self->updating = false;
}

static void
update (KgSpreadsheet *self)
{
  self->stale = false;
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), self->has_value ? "table" : "empty");
  if (self->has_value)
    set_sheet (self, kg_sheet_new (&self->value, self->part));
  else
    g_clear_pointer (&self->sheet, kg_sheet_free);
  update_matches (self);
  update_order (self);
}

static void
on_part (KgSpreadsheet *self)
{
  if (self->updating)
    return;
  self->part = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->parts));
  update (self);
}

static void
on_sorter_changed (KgSpreadsheet *self)
{
  if (!self->updating)
    update_order (self);
}

void
kg_spreadsheet_set_value (KgSpreadsheet *self, const KgValue *value)
{
  g_auto (KgValue) old = self->value;
  const bool had = self->has_value;

  self->value = value != NULL ? kg_value_copy (value) : (KgValue) KG_VALUE_INIT;
  self->has_value = value != NULL;
  if (value != NULL)
    update_parts (self, had ? &old : NULL);
  self->stale = true;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    update (self);
}

static void
kg_spreadsheet_map (GtkWidget *widget)
{
  KgSpreadsheet *self = KG_SPREADSHEET (widget);

  GTK_WIDGET_CLASS (kg_spreadsheet_parent_class)->map (widget);
  if (self->stale)
    update (self);
}

static void
kg_spreadsheet_dispose (GObject *object)
{
  KgSpreadsheet *self = KG_SPREADSHEET (object);
  GtkWidget *child;

  if (self->view != NULL)
    g_signal_handlers_disconnect_by_data (gtk_column_view_get_sorter (GTK_COLUMN_VIEW (self->view)), self);
  self->view = NULL;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  g_clear_object (&self->selection);
  g_clear_object (&self->rows);
  G_OBJECT_CLASS (kg_spreadsheet_parent_class)->dispose (object);
}

static void
kg_spreadsheet_finalize (GObject *object)
{
  KgSpreadsheet *self = KG_SPREADSHEET (object);

  g_clear_pointer (&self->sheet, kg_sheet_free);
  g_free (self->order);
  g_free (self->matches);
  kg_value_clear (&self->value);
  g_hash_table_unref (self->cells);
  G_OBJECT_CLASS (kg_spreadsheet_parent_class)->finalize (object);
}

static void
kg_spreadsheet_class_init (KgSpreadsheetClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = kg_spreadsheet_dispose;
  G_OBJECT_CLASS (class)->finalize = kg_spreadsheet_finalize;
  widget_class->map = kg_spreadsheet_map;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
}

static GtkWidget *
make_bar (KgSpreadsheet *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_widget_set_margin_start (bar, 4);
  gtk_widget_set_margin_end (bar, 4);
  gtk_widget_set_margin_top (bar, 4);
  gtk_widget_set_margin_bottom (bar, 4);
  self->parts = gtk_drop_down_new (NULL, NULL);
  gtk_widget_set_tooltip_text (self->parts, _ ("Which part of the value is shown"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->parts), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Which part of the value is shown"), -1);
  g_signal_connect_swapped (self->parts, "notify::selected", G_CALLBACK (on_part), self);
  self->search = gtk_search_entry_new ();
  g_object_set (self->search, "placeholder-text", _ ("Number, text, or P.y > 2"), NULL);
  gtk_widget_set_tooltip_text (self->search, _ ("Return or Ctrl+G: next match, Ctrl+Shift+G: previous match"));
  gtk_editable_set_width_chars (GTK_EDITABLE (self->search), 12);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->search), 28);
  g_signal_connect_swapped (self->search, "search-changed", G_CALLBACK (on_search_changed), self);
  g_signal_connect_swapped (self->search, "activate", G_CALLBACK (on_next_match), self);
  g_signal_connect_swapped (self->search, "next-match", G_CALLBACK (on_next_match), self);
  g_signal_connect_swapped (self->search, "previous-match", G_CALLBACK (on_previous_match), self);
  g_signal_connect_swapped (self->search, "stop-search", G_CALLBACK (on_stop_search), self);
  self->only_matches = gtk_toggle_button_new_with_label (_ ("Only matches"));
  gtk_widget_set_tooltip_text (self->only_matches, _ ("Hide rows that do not match the search"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->only_matches), TRUE);
  g_signal_connect_swapped (self->only_matches, "toggled", G_CALLBACK (on_search_changed), self);
  self->status = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->status), 1);
  gtk_label_set_ellipsize (GTK_LABEL (self->status), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (self->status, TRUE);
  gtk_widget_add_css_class (self->status, "kg-dim");
  gtk_box_append (GTK_BOX (bar), self->parts);
  gtk_box_append (GTK_BOX (bar), self->search);
  gtk_box_append (GTK_BOX (bar), self->only_matches);
  gtk_box_append (GTK_BOX (bar), self->status);
  return bar;
}

static GtkWidget *
make_table (KgSpreadsheet *self)
{
  GtkWidget *table = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *scrolled = gtk_scrolled_window_new ();

  self->rows = KG_ROWS (g_object_new (KG_TYPE_ROWS, NULL));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->rows)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  self->view = gtk_column_view_new (GTK_SELECTION_MODEL (g_object_ref (self->selection)));
  gtk_column_view_set_show_column_separators (GTK_COLUMN_VIEW (self->view), TRUE);
  gtk_widget_add_css_class (self->view, "data-table");
  g_signal_connect_swapped (gtk_column_view_get_sorter (GTK_COLUMN_VIEW (self->view)), "changed",
                            G_CALLBACK (on_sorter_changed), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->view);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (table), make_bar (self));
  gtk_box_append (GTK_BOX (table), scrolled);
  return table;
}

static void
kg_spreadsheet_init (KgSpreadsheet *self)
{
  GtkWidget *empty =
      gtk_label_new (_ ("Nothing to list yet.  Show the output of a node, and its numbers appear here."));

  self->value = (KgValue) KG_VALUE_INIT;
  self->cells = g_hash_table_new (NULL, NULL);
  self->stack = gtk_stack_new ();
  gtk_label_set_wrap (GTK_LABEL (empty), TRUE);
  gtk_label_set_justify (GTK_LABEL (empty), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class (empty, "kg-dim");
  gtk_stack_add_named (GTK_STACK (self->stack), empty, "empty");
  gtk_stack_add_named (GTK_STACK (self->stack), make_table (self), "table");
  gtk_widget_set_hexpand (self->stack, TRUE);
  gtk_widget_set_vexpand (self->stack, TRUE);
  gtk_widget_set_parent (self->stack, GTK_WIDGET (self));
}

KgSpreadsheet *
kg_spreadsheet_new (void)
{
  return KG_SPREADSHEET (g_object_new (KG_TYPE_SPREADSHEET, NULL));
}
