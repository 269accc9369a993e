/* kg-input-show: the value of an input at the frame, put into its editor; and whether other selected nodes have another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-input-row-private.h"
#include "kg-input-table.h"
#include "kg-number-field.h"
#include "kg-ramp-editor.h"
#include "kg-table-grid.h"
#include "kg-widget.h"

#include <glib/gi18n.h>

/* The number of a value, or one of the three of a vector. */
static bool
get_number (const KgValue *value, guint component, double *x)
{
  if (value->kind == KG_VECTOR) {
    *x = kg_vector_get (value->vector, component);
    return true;
  }
  return component == 0 && kg_value_get_component (value, NULL, x);
}

/* Whether another selected node has another value there, or something that is not known here; component: of a vector,
 * the only one that matters; -1: all. */
static bool
is_mixed (KgInputRow *self, const KgValue *value, int component)
{
  for (guint i = 0; i < MIN (self->others->len, KG_INPUT_MOST_COMPARED); i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    g_auto (KgValue) theirs = KG_VALUE_INIT;
    const int slot = kg_input_row_find_same (self, other);
    double x, y;

    if (slot < 0)
      continue;
    if (!kg_input_get_value (other, (guint) slot, kg_document_get_frame (self->document), &theirs))
      return true;
    if (component >= 0 && get_number (value, (guint) component, &x) && get_number (&theirs, (guint) component, &y)
            ? x != y
            : !kg_value_equal (value, &theirs))
      return true;
  }
  return false;
}

static void
show_numbers (KgInputRow *self, const KgValue *value)
{
  double x;

  for (guint i = 0; i < G_N_ELEMENTS (self->fields); i++) {
    if (self->fields[i] == NULL || !get_number (value, i, &x))
      continue;
    if (is_mixed (self, value, (int) i))
      kg_number_field_set_mixed (KG_NUMBER_FIELD (self->fields[i]), x);
    else
      kg_number_field_set_value (KG_NUMBER_FIELD (self->fields[i]), x);
  }
}

static bool
is_computed (const KgSource *cell)
{
  return cell != NULL && cell->kind != KG_SOURCE_KEYS;
}

/* Whether a component of another selected node is computed otherwise, or is not x. */
static bool
is_component_mixed (KgInputRow *self, const KgSource *cell, guint index, double x)
{
  for (guint i = 0; i < MIN (self->others->len, KG_INPUT_MOST_COMPARED); i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    const int slot = kg_input_row_find_same (self, other);
    const KgSource *theirs = slot >= 0 ? kg_source_get_cell (kg_input_get_source (other, (guint) slot), 0, index)
                                       : NULL;
    g_autoptr (KgTable) rows = NULL;
    bool known;

    if (slot < 0)
      continue;
    if (is_computed (cell) != is_computed (theirs) || (is_computed (cell) && !kg_source_equal (theirs, cell)))
      return true;
    rows = kg_input_dup_rows (other, (guint) slot, kg_document_get_frame (self->document), &known);
    if (!is_computed (cell) && (rows == NULL || kg_table_get_row (rows, 0)[index] != x))
      return true;
  }
  return false;
}

/* The numbers of a vector whose components have sources of their own: those that are computed as they are written. */
static void
show_components (KgInputRow *self)
{
  const KgSource *source = kg_input_get_source (self->node, self->slot);
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (self->node, self->slot, kg_document_get_frame (self->document), &known);

  for (guint i = 0; rows != NULL && i < G_N_ELEMENTS (self->fields); i++) {
    const KgSource *cell = kg_source_get_cell (source, 0, i);
    KgNumberField *field = KG_NUMBER_FIELD (self->fields[i]);
    const double x = kg_table_get_row (rows, 0)[i];

    kg_widget_set_class (self->fields[i], "kg-keyed", cell != NULL && !is_computed (cell));
    if (is_component_mixed (self, cell, i, x))
      kg_number_field_set_mixed (field, x);
    else if (is_computed (cell))
      kg_number_field_set_formula (field, cell->text);
    else
      kg_number_field_set_value (field, x);
  }
}

/* Gives an entry its text, unless somebody types there. */
void
kg_input_row_show_text (KgInputRow *self, GtkWidget *entry, const char *text, bool mixed, const char *placeholder)
{
  GtkEditable *editable = GTK_EDITABLE (entry);
  GtkEditable *delegate = gtk_editable_get_delegate (editable);
  const bool focused = gtk_widget_has_focus (delegate != NULL ? GTK_WIDGET (delegate) : entry);

  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), mixed ? _ ("several") : placeholder);
  if (mixed)
    text = "";
  if (!g_str_equal (gtk_editable_get_text (editable), text)) {
    if (self->shown != NULL && focused && !g_str_equal (gtk_editable_get_text (editable), self->shown))
      return;
    gtk_editable_set_text (editable, text);
  }
  kg_input_row_set_shown (self, text);
}

static void
show_long_text (KgInputRow *self, const char *text, bool mixed)
{
  g_autofree char *old = kg_input_row_dup_long_text (self);

  self->several = mixed;
  if (mixed)
    text = "";
  if (self->shown != NULL && gtk_widget_has_focus (self->fields[0]) && !g_str_equal (old, self->shown))
    return;
  if (!g_str_equal (old, text))
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->fields[0])), text, -1);
  kg_input_row_set_shown (self, text);
}

static void
show_table (KgInputRow *self, bool mixed)
{
  const char *draft = kg_document_get_draft (self->document, self->node, self->declared->name);
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (self->node, self->slot, kg_document_get_frame (self->document), &known);
  g_autoptr (GString) text = g_string_new (NULL);

  self->computed_text = false;
  if (kg_input_row_shows_grid (self)) {
    kg_table_grid_refresh (KG_TABLE_GRID (self->grid));
    if (self->ramp != NULL)
      kg_ramp_editor_refresh (KG_RAMP_EDITOR (self->ramp));
    return;
  }
  if (rows != NULL)
    kg_table_write_text (rows, self->declared->columns, text);
  /* Numbers of expressions and links cannot be typed. */
  self->computed_text = rows != NULL && !known;
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self->fields[0]), !self->computed_text);
  if (draft == NULL) {
    show_long_text (self, text->str, mixed);
    return;
  }
  /* What could not be read when the node was left is still there to be corrected. */
  if (self->shown == NULL) {
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->fields[0])), draft, -1);
    kg_input_row_set_shown (self, text->str);
    kg_input_row_show_rows_problem (self);
  }
}

static void
show_choice (KgInputRow *self, const KgValue *value, bool mixed)
{
  const int index = value->kind == KG_TEXT ? kg_slot_find_choice (self->declared, value->text) : -1;
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->choices));
  guint n_choices = 0;

  while (self->declared->choices[n_choices].nick != NULL)
    n_choices++;
  /* A separate entry says that the values differ. */
  if (mixed && n == n_choices)
    gtk_string_list_append (self->choices, _ ("several"));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->editor), mixed        ? n_choices
                                                            : index >= 0 ? (guint) index
                                                                         : GTK_INVALID_LIST_POSITION);
  if (!mixed && n > n_choices)
    gtk_string_list_remove (self->choices, n_choices);
}

static void
show_color (KgInputRow *self, const KgColor *value, bool mixed)
{
  const GdkRGBA color = { (float) kg_srgb_encode (value->r), (float) kg_srgb_encode (value->g),
                          (float) kg_srgb_encode (value->b), (float) value->a };
  g_autofree char *text = kg_input_row_format_color (value);

  /* Choosing one for all starts from that of the node shown, which the others do not share. */
  gtk_color_chooser_set_rgba (GTK_COLOR_CHOOSER (self->fields[0]), &color);
  gtk_widget_set_opacity (self->fields[0], mixed ? 0.25 : 1);
  kg_input_row_show_text (self, self->fields[1], text, mixed, "#rrggbb");
}

void
kg_input_row_show_value (KgInputRow *self)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  bool mixed;

  if (self->declared->kind == KG_TABLE) {
    show_table (self, kg_input_get_value (self->node, self->slot, kg_document_get_frame (self->document), &value) &&
                          is_mixed (self, &value, -1));
    return;
  }
  if (self->declared->kind == KG_VECTOR) {
    if (kg_input_has_cells (self->node, self->slot)) {
      show_components (self);
      return;
    }
    for (guint i = 0; i < G_N_ELEMENTS (self->fields); i++)
      kg_widget_set_class (self->fields[i], "kg-keyed", false);
  }
  if (!kg_input_get_value (self->node, self->slot, kg_document_get_frame (self->document), &value))
    return;
  mixed = is_mixed (self, &value, -1);
  switch (self->declared->kind) {
  case KG_NUMBER:
  case KG_INTEGER:
  case KG_VECTOR:
    show_numbers (self, &value);
    break;
  case KG_BOOLEAN:
    /* A click on what is neither switches it on for all. */
    gtk_check_button_set_active (GTK_CHECK_BUTTON (self->editor), value.kind == KG_BOOLEAN && value.boolean && !mixed);
    gtk_check_button_set_inconsistent (GTK_CHECK_BUTTON (self->editor), mixed);
    break;
  case KG_CHOICE:
    show_choice (self, &value, mixed);
    break;
  case KG_COLOR:
    if (value.kind == KG_COLOR)
      show_color (self, &value.color, mixed);
    break;
  case KG_TEXT:
    if (value.kind == KG_TEXT && GTK_IS_EDITABLE (self->fields[0]))
      kg_input_row_show_text (self, self->fields[0], value.text, mixed, NULL);
    else if (value.kind == KG_TEXT)
      show_long_text (self, value.text, mixed);
    break;
  default: {
    g_autoptr (GString) text = g_string_new (NULL);
    g_auto (KgSource) constant = kg_source_constant (&value);

    kg_source_write_json (&constant, self->declared, text);
    kg_input_row_show_text (self, self->editor, text->str, mixed, NULL);
    break;
  }
  }
}
