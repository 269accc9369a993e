/* kg-input-editors: what the value of an input, or its expression, is typed into: an editor for each kind.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-input-row-private.h"
#include "kg-input-table.h"
#include "kg-number-field.h"
#include "kg-pick-button.h"
#include "kg-ramp-editor.h"
#include "kg-table-grid.h"

#include <glib/gi18n.h>

/* Numbers and vectors. */

void
kg_input_row_begin_drag (KgInputRow *self)
{
  if (self->grouped || !kg_input_row_can_edit (self))
    return;
  self->grouped = true;
  kg_value_clear (&self->grouped_value);
  if (!kg_input_get_value (self->node, self->slot, kg_document_get_frame (self->document), &self->grouped_value))
    self->grouped_value = (KgValue) KG_VALUE_INIT;
  kg_graph_begin_group (kg_document_get_graph (self->document), kg_type_translate (self->declared->label));
}

void
kg_input_row_end_drag (KgInputRow *self)
{
  if (!self->grouped)
    return;
  self->grouped = false;
  kg_graph_end_group (kg_document_get_graph (self->document));
}

static void
on_number (KgInputRow *self, double number)
{
  KgValue value;

  if (!kg_input_row_can_edit (self))
    return;
  value = self->declared->kind == KG_INTEGER ? kg_value_integer ((int64_t) number) : kg_value_number (number);
  kg_input_row_edit (self, kg_input_edit_value, &value);
}

/* One of the three numbers of a vector; the others stay what they are, in each node its own. */
typedef struct {
  guint index;
  double number;
  const char *expression; /* (nullable) instead of the number */
} Component;

static KgVector
get_vector (KgInputRow *self, KgNode *node, guint slot)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  return kg_input_get_value (node, slot, kg_document_get_frame (self->document), &value) && value.kind == KG_VECTOR
             ? value.vector
             : kg_vector (0, 0, 0);
}

static bool
edit_component (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const Component *component = (const Component *) data;
  const KgKeyed at = { node, slot, 0, (int) component->index };
  KgValue value = kg_value_vector (get_vector (self, node, slot));

  /* Where the components have sources of their own, only this one changes, even if it is computed. */
  if (kg_input_has_cells (node, slot))
    return kg_input_set_cell (&at, kg_document_get_frame (self->document), component->number,
                              kg_document_get_auto_key (self->document), error);
  *kg_vector_component (&value.vector, component->index) = component->number;
  return kg_input_edit_value (self, node, slot, &value, error);
}

/* An expression that is typed into one field holds for that component; the others keep what they have. */
static bool
edit_component_expression (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const Component *component = (const Component *) data;
  g_auto (KgSource) source = kg_source_expression (component->expression);

  (void) self;
  return kg_graph_set_cell (kg_node_get_parent (node), node, slot, 0, component->index, &source, error);
}

/* A key of one component: number is whether it is removed. */
static bool
edit_component_key (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const Component *component = (const Component *) data;
  const KgKeyed at = { node, slot, 0, (int) component->index };
  const double frame = kg_document_get_frame (self->document);

  /* Keys of the whole vector become keys of each component. */
  if (!kg_input_split (node, slot, error))
    return false;
  return component->number != 0 ? kg_input_unkey_cell (&at, frame, error) : kg_input_key_cell (&at, frame, error);
}

/* What computes or moves a component gives way to a number: what it is at the frame, as far as that is known. */
static bool
edit_component_number (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const Component *component = (const Component *) data;
  const KgKeyed at = { node, slot, 0, (int) component->index };
  bool known;
  g_autoptr (KgTable) rows = NULL;

  if (!kg_input_split (node, slot, error))
    return false;
  rows = kg_input_dup_rows (node, slot, kg_document_get_frame (self->document), &known);
  return rows == NULL || kg_keyed_set_number (&at, kg_table_get_row (rows, 0)[component->index], error);
}

void
kg_input_row_key_component (KgInputRow *self, guint index)
{
  const KgSource *source = kg_source_get_cell (kg_input_get_source (self->node, self->slot), 0, index);
  const double frame = kg_document_get_frame (self->document);
  Component component = { index, 0, NULL };
  gsize n = 0;
  const KgKey *keys = source != NULL && source->kind == KG_SOURCE_KEYS ? kg_channel_get_keys (source->keys, &n) : NULL;

  /* Several nodes get what the one that is shown gets. */
  for (gsize i = 0; i < n; i++)
    if (fabs (keys[i].at - frame) < 1e-6)
      component.number = 1;
  kg_input_row_edit (self, edit_component_key, &component);
}

void
kg_input_row_free_component (KgInputRow *self, guint index)
{
  const Component component = { index, 0, NULL };

  kg_input_row_edit (self, edit_component_number, &component);
}

void
kg_input_row_set_component_expression (KgInputRow *self, guint index, const char *text)
{
  const Component component = { index, 0, text };

  kg_input_row_edit (self, edit_component_expression, &component);
}

int
kg_input_row_find_component (KgInputRow *self)
{
  for (int i = 0; self->mode == KG_INPUT_MODE_VALUE && self->declared->kind == KG_VECTOR && i < 3; i++)
    if (self->fields[i] != NULL && (gtk_widget_get_state_flags (self->fields[i]) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0)
      return i;
  return -1;
}

static guint
find_field (KgInputRow *self, const KgNumberField *field)
{
  guint i = 0;

  while (i < 2 && self->fields[i] != (GtkWidget *) field)
    i++;
  return i;
}

static void
on_component (KgNumberField *field, double number, KgInputRow *self)
{
  const Component component = { find_field (self, field), number, NULL };

  kg_input_row_edit (self, edit_component, &component);
}

static void
on_component_expression (KgNumberField *field, const char *text, KgInputRow *self)
{
  kg_input_row_set_component_expression (self, find_field (self, field), text);
}

static void
on_typed_expression (KgInputRow *self, const char *text)
{
  kg_input_row_edit (self, kg_input_edit_expression, text);
}

/* Says what is wrong with what is typed, while it is typed. */
static void
watch_problem (KgInputRow *self, GtkWidget *field)
{
  g_signal_connect_swapped (field, "problem", G_CALLBACK (kg_input_row_show_problem), self);
}

/* What Enter took is done: the next key is for the canvas. */
static void
leave_field (KgInputRow *self)
{
  if (!gtk_widget_get_visible (self->problem))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.leave-field", NULL);
}

void
kg_input_row_leave_entry (GtkEntry *entry, KgInputRow *self)
{
  (void) entry;
  leave_field (self);
}

static GtkWidget *
make_number (KgInputRow *self)
{
  GtkWidget *field = kg_number_field_new (self->declared, kg_type_translate (self->declared->label));

  self->fields[0] = field;
  g_signal_connect_swapped (field, "begin", G_CALLBACK (kg_input_row_begin_drag), self);
  g_signal_connect_swapped (field, "end", G_CALLBACK (kg_input_row_end_drag), self);
  g_signal_connect_swapped (field, "value", G_CALLBACK (on_number), self);
  g_signal_connect_swapped (field, "expression", G_CALLBACK (on_typed_expression), self);
  watch_problem (self, field);
  g_signal_connect_swapped (field, "done", G_CALLBACK (leave_field), self);
  return field;
}

/* What can be done to one component alone. */
static GMenuModel *
make_component_menu (guint index)
{
  GMenu *menu = g_menu_new ();
  g_autofree char *key = g_strdup_printf ("input.component-key(uint32 %u)", index);
  g_autofree char *expression = g_strdup_printf ("input.component-expression(uint32 %u)", index);
  g_autofree char *number = g_strdup_printf ("input.component-number(uint32 %u)", index);

  g_menu_append (menu, _ ("Key of This Component"), key);
  g_menu_append (menu, _ ("Expression of This Component…"), expression);
  g_menu_append (menu, _ ("Number Only"), number);
  return G_MENU_MODEL (menu);
}

static GtkWidget *
make_vector (KgInputRow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  static const char axes[] = "xyz";

  gtk_box_set_homogeneous (GTK_BOX (box), TRUE);
  for (guint i = 0; i < 3; i++) {
    g_autofree char *label = g_strdup_printf ("%s %c", kg_type_translate (self->declared->label), axes[i]);

    self->fields[i] = kg_number_field_new (self->declared, label);
    g_signal_connect_swapped (self->fields[i], "begin", G_CALLBACK (kg_input_row_begin_drag), self);
    g_signal_connect_swapped (self->fields[i], "end", G_CALLBACK (kg_input_row_end_drag), self);
    g_signal_connect (self->fields[i], "value", G_CALLBACK (on_component), self);
    g_signal_connect (self->fields[i], "expression", G_CALLBACK (on_component_expression), self);
    watch_problem (self, self->fields[i]);
    g_signal_connect_swapped (self->fields[i], "done", G_CALLBACK (leave_field), self);
    if (!self->declared->fixed && !self->declared->list) {
      g_autoptr (GMenuModel) menu = make_component_menu (i);

      kg_number_field_set_menu (KG_NUMBER_FIELD (self->fields[i]), menu);
    }
    gtk_box_append (GTK_BOX (box), self->fields[i]);
  }
  return box;
}

/* Others. */

static void
on_boolean (KgInputRow *self)
{
  const KgValue value = kg_value_boolean (gtk_check_button_get_active (GTK_CHECK_BUTTON (self->editor)));

  kg_input_row_edit (self, kg_input_edit_value, &value);
}

static void
on_choice (KgInputRow *self)
{
  const guint index = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->editor));
  g_auto (KgValue) value = KG_VALUE_INIT;

  /* One more than there are choices: several. */
  if (index == GTK_INVALID_LIST_POSITION || !kg_input_row_can_edit (self) ||
      self->declared->choices[index].nick == NULL)
    return;
  value = kg_value_text (self->declared->choices[index].nick);
  kg_input_row_edit (self, kg_input_edit_value, &value);
}

static void
on_color (KgInputRow *self)
{
  GdkRGBA color;
  KgValue value;

  /* What people choose is as a screen shows it; nodes work in linear light. */
  gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (self->fields[0]), &color);
  value = kg_value_color ((KgColor){ kg_srgb_decode ((double) color.red), kg_srgb_decode ((double) color.green),
                                     kg_srgb_decode ((double) color.blue), (double) color.alpha });
  kg_input_row_edit (self, kg_input_edit_value, &value);
}

char *
kg_input_row_format_color (const KgColor *color)
{
  const double x[] = { kg_srgb_encode (color->r), kg_srgb_encode (color->g), kg_srgb_encode (color->b), color->a };
  g_autoptr (GString) text = g_string_new ("#");

  for (guint i = 0; i < (color->a < 1 ? 4 : 3); i++) {
    if (!(x[i] >= 0 && x[i] < 1 + 1e-9))
      return g_strdup ("");
    g_string_append_printf (text, "%02x", (guint) nearbyint (255 * x[i]));
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
on_color_text (KgInputRow *self)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->fields[1]))));
  g_autoptr (KgJson) json = kg_json_new_string (text);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  /* The text has less digits than the colour: leaving the field must not round it. */
  if (!kg_input_row_can_edit (self) || g_strcmp0 (self->shown, text) == 0)
    return;
  if (kg_value_from_json (json, KG_COLOR, &value, &error)) {
    kg_input_row_set_shown (self, text);
    kg_input_row_edit (self, kg_input_edit_value, &value);
  } else
    kg_input_row_show_problem (self, error);
}

/* The alpha stays what it is: the transparency of what is below the pointer is hardly meant. */
static void
take_pick (gpointer owner, const KgColor *color)
{
  KgInputRow *self = KG_INPUT_ROW (owner);
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (!kg_input_row_can_edit (self) || self->declared->kind != KG_COLOR)
    return;
  if (!kg_input_get_value (self->node, self->slot, kg_document_get_frame (self->document), &value) ||
      value.kind != KG_COLOR)
    value = kg_value_color ((KgColor){ 0, 0, 0, 1 });
  value = kg_value_color ((KgColor){ color->r, color->g, color->b, value.color.a });
  kg_input_row_edit (self, kg_input_edit_value, &value);
}

static GtkWidget *
make_color (KgInputRow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->fields[0] = gtk_color_button_new ();
  gtk_color_chooser_set_use_alpha (GTK_COLOR_CHOOSER (self->fields[0]), TRUE);
  g_signal_connect_swapped (self->fields[0], "color-set", G_CALLBACK (on_color), self);
  self->fields[1] = gtk_entry_new ();
  gtk_editable_set_width_chars (GTK_EDITABLE (self->fields[1]), 6);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->fields[1]), "#rrggbb");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->fields[1]), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  kg_type_translate (self->declared->label), -1);
  gtk_widget_set_hexpand (self->fields[1], TRUE);
  g_signal_connect_swapped (self->fields[1], "activate", G_CALLBACK (on_color_text), self);
  g_signal_connect_after (self->fields[1], "activate", G_CALLBACK (kg_input_row_leave_entry), self);
  gtk_entry_set_input_hints (GTK_ENTRY (self->fields[1]), GTK_INPUT_HINT_NO_EMOJI);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_color_text), self);
  gtk_widget_add_controller (self->fields[1], focus);
  gtk_box_append (GTK_BOX (box), self->fields[1]);
  gtk_box_append (GTK_BOX (box), self->fields[0]);
  gtk_box_append (GTK_BOX (box), kg_pick_button_new (self->document, GTK_WIDGET (self), take_pick));
  return box;
}

/* (transfer full) Of a text that may have several lines. */
char *
kg_input_row_dup_long_text (KgInputRow *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->fields[0]));
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

static void
on_text (KgInputRow *self)
{
  g_autofree char *text = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (!kg_input_row_can_edit (self))
    return;
  text = GTK_IS_EDITABLE (self->fields[0]) ? g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->fields[0])))
                                           : kg_input_row_dup_long_text (self);
  if (g_strcmp0 (self->shown, text) == 0)
    return;
  kg_input_row_set_shown (self, text);
  /* Naming a file permits reading it. */
  if (self->declared->path && *text != '\0')
    kg_document_permit (self->document, text);
  value = kg_value_text (text);
  kg_input_row_edit (self, kg_input_edit_value, &value);
  if (self->declared->kind == KG_TABLE)
    kg_document_set_draft (self->document, self->node, self->declared->name,
                           gtk_widget_get_visible (self->problem) ? text : NULL);
}

/* Typed rows are read while they are typed: what is wrong with them is not taken. */
void
kg_input_row_show_rows_problem (KgInputRow *self)
{
  g_autofree char *text = NULL;
  g_autoptr (KgTable) table = NULL;
  g_autoptr (GError) error = NULL;

  text = kg_input_row_dup_long_text (self);
  table = kg_table_parse (text, self->declared->columns, &error);
  kg_input_row_show_problem (self, error);
}

static void
on_rows_changed (KgInputRow *self)
{
  if (!self->updating)
    kg_input_row_show_rows_problem (self);
}

static void
on_file_chosen (GtkNativeDialog *dialog, int response, KgInputRow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
    g_autofree char *path = g_file_get_path (file);
    g_autofree char *named = path != NULL ? kg_document_dup_relative_path (self->document, path) : NULL;

    if (named != NULL) {
      gtk_editable_set_text (GTK_EDITABLE (self->fields[0]), named);
      on_text (self);
    }
  }
  g_object_unref (dialog);
}

static void
on_browse (KgInputRow *self)
{
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (kg_type_translate (self->declared->label), window,
                                                              GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), _ ("_Cancel"));

  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* Fonts. */

/* Texts that name one are called so. */
static bool
is_font (const KgSlot *slot)
{
  return slot->kind == KG_TEXT && g_str_equal (slot->name, "font");
}

/* Family and style: the size is the node's. */
static void
on_font_response (GtkDialog *dialog, int response, KgInputRow *self)
{
  if (response == GTK_RESPONSE_OK && kg_input_row_can_edit (self) && GTK_IS_EDITABLE (self->fields[0])) {
    g_autoptr (PangoFontDescription) font = gtk_font_chooser_get_font_desc (GTK_FONT_CHOOSER (dialog));
    g_autofree char *text = NULL;

    if (font != NULL) {
      pango_font_description_unset_fields (font, PANGO_FONT_MASK_SIZE);
      text = pango_font_description_to_string (font);
      gtk_editable_set_text (GTK_EDITABLE (self->fields[0]), text);
      on_text (self);
    }
  }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* GTK fills its list when idle, and finds there only what is in it. */
static gboolean
select_font (gpointer data)
{
  if (gtk_widget_get_visible (GTK_WIDGET (data)))
    gtk_font_chooser_set_font_desc (GTK_FONT_CHOOSER (data),
                                    (const PangoFontDescription *) g_object_get_data (G_OBJECT (data), "font"));
  return G_SOURCE_REMOVE;
}

static void
on_choose_font (KgInputRow *self)
{
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  GtkWidget *dialog = gtk_font_chooser_dialog_new (kg_type_translate (self->declared->label), window);
  g_autoptr (PangoFontDescription)
      font = pango_font_description_from_string (gtk_editable_get_text (GTK_EDITABLE (self->fields[0])));

  gtk_font_chooser_set_level (GTK_FONT_CHOOSER (dialog), GTK_FONT_CHOOSER_LEVEL_FAMILY | GTK_FONT_CHOOSER_LEVEL_STYLE);
  /* That of the preview. */
  pango_font_description_set_size (font, 18 * PANGO_SCALE);
  gtk_window_set_modal (GTK_WINDOW (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_font_response), self, 0);
  g_object_set_data_full (G_OBJECT (dialog), "font", g_steal_pointer (&font),
                          (GDestroyNotify) pango_font_description_free);
  gtk_window_present (GTK_WINDOW (dialog));
  g_idle_add_full (G_PRIORITY_LOW, select_font, g_object_ref (dialog), g_object_unref);
}

static GtkWidget *
make_text (KgInputRow *self)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);

  gtk_widget_set_hexpand (box, TRUE);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_text), self);
  if (self->declared->multiline || self->declared->kind == KG_TABLE) {
    GtkWidget *scrolled = gtk_scrolled_window_new ();

    self->fields[0] = gtk_text_view_new ();
    gtk_text_view_set_monospace (GTK_TEXT_VIEW (self->fields[0]), TRUE);
    gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (self->fields[0]), FALSE);
    if (self->declared->kind == KG_TABLE)
      g_signal_connect_object (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->fields[0])), "changed",
                               G_CALLBACK (on_rows_changed), self, G_CONNECT_SWAPPED);
    gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->fields[0]);
    gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), 84);
    gtk_scrolled_window_set_has_frame (GTK_SCROLLED_WINDOW (scrolled), TRUE);
    gtk_widget_set_hexpand (scrolled, TRUE);
    gtk_box_append (GTK_BOX (box), scrolled);
  } else {
    self->fields[0] = gtk_entry_new ();
    gtk_editable_set_width_chars (GTK_EDITABLE (self->fields[0]), 6);
    gtk_widget_set_hexpand (self->fields[0], TRUE);
    g_signal_connect_swapped (self->fields[0], "activate", G_CALLBACK (on_text), self);
    g_signal_connect_after (self->fields[0], "activate", G_CALLBACK (kg_input_row_leave_entry), self);
    if (self->declared->path)
      gtk_entry_set_input_hints (GTK_ENTRY (self->fields[0]), GTK_INPUT_HINT_NO_EMOJI);
    gtk_box_append (GTK_BOX (box), self->fields[0]);
  }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->fields[0]), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  kg_type_translate (self->declared->label), -1);
  gtk_widget_add_controller (self->fields[0], focus);
  if (self->declared->path) {
    GtkWidget *browse = gtk_button_new_from_icon_name ("document-open-symbolic");

    gtk_widget_set_tooltip_text (browse, _ ("Choose a file"));
    g_signal_connect_swapped (browse, "clicked", G_CALLBACK (on_browse), self);
    gtk_box_append (GTK_BOX (box), browse);
  }
  if (is_font (self->declared)) {
    GtkWidget *choose = gtk_button_new_from_icon_name ("font-x-generic-symbolic");

    gtk_widget_set_tooltip_text (choose, _ ("Choose a font"));
    g_signal_connect_swapped (choose, "clicked", G_CALLBACK (on_choose_font), self);
    gtk_box_append (GTK_BOX (box), choose);
  }
  return box;
}

/* Tables: cells, or their rows as text. */

bool
kg_input_row_shows_grid (KgInputRow *self)
{
  return self->grid != NULL && g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->editor)), "cells") == 0;
}

static void
on_page (KgInputRow *self)
{
  kg_input_row_refresh (self);
}

static GtkWidget *
make_page_button (KgInputRow *self, const char *icon, const char *text, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
  gtk_widget_set_tooltip_text (button, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_set_hexpand (button, TRUE);
  gtk_widget_set_halign (button, GTK_ALIGN_END);
  g_signal_connect_swapped (button, "clicked", clicked, self);
  return button;
}

static void
on_as_text (KgInputRow *self)
{
  kg_table_grid_commit (KG_TABLE_GRID (self->grid));
  gtk_stack_set_visible_child_name (GTK_STACK (self->editor), "text");
  gtk_widget_grab_focus (self->fields[0]);
}

static void
on_as_cells (KgInputRow *self)
{
  on_text (self);
  if (gtk_widget_get_visible (self->problem))
    return;
  gtk_stack_set_visible_child_name (GTK_STACK (self->editor), "cells");
  gtk_widget_child_focus (self->grid, GTK_DIR_TAB_FORWARD);
}

/* A matrix of many columns is text only. */
static bool
fits_grid (KgInputRow *self)
{
  bool known;
  g_autoptr (KgTable) rows = kg_input_dup_rows (self->node, self->slot, kg_document_get_frame (self->document), &known);

  return rows == NULL || kg_table_get_n_columns (rows) <= KG_TABLE_GRID_MAX_COLUMNS;
}

static GtkWidget *
make_table (KgInputRow *self)
{
  GtkWidget *stack = gtk_stack_new (), *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *cells = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  const char *draft = kg_document_get_draft (self->document, self->node, self->declared->name);

  gtk_stack_set_vhomogeneous (GTK_STACK (stack), FALSE);
  self->grid = kg_table_grid_new (self);
  if (kg_ramp_editor_fits (self->declared)) {
    self->ramp = kg_ramp_editor_new (self);
    gtk_box_append (GTK_BOX (cells), self->ramp);
  }
  gtk_box_append (GTK_BOX (cells), self->grid);
  gtk_stack_add_named (GTK_STACK (stack), cells, "cells");
  gtk_box_append (GTK_BOX (text), make_text (self));
  gtk_box_append (GTK_BOX (text),
                  make_page_button (self, "view-grid-symbolic", _ ("Edit as cells"), G_CALLBACK (on_as_cells)));
  gtk_stack_add_named (GTK_STACK (stack), text, "text");
  kg_table_grid_add_tool (KG_TABLE_GRID (self->grid), make_page_button (self, "format-justify-left-symbolic",
                                                                        _ ("Edit as text"), G_CALLBACK (on_as_text)));
  gtk_stack_set_visible_child_name (GTK_STACK (stack), draft == NULL && fits_grid (self) ? "cells" : "text");
  g_signal_connect_object (stack, "notify::visible-child", G_CALLBACK (on_page), self, G_CONNECT_SWAPPED);
  return stack;
}

static void
on_json (KgInputRow *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->editor));

  if (g_strcmp0 (self->shown, text) != 0)
    kg_input_row_edit (self, kg_input_edit_json, text);
}

static void
on_choice_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  (void) factory;
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_list_item_set_child (item, label);
}

static void
on_choice_bind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  (void) factory;
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)),
                      gtk_string_object_get_string (GTK_STRING_OBJECT (gtk_list_item_get_item (item))));
}

/* In the row a long choice is cut, so that it does not widen the inspector; the list shows it whole. */
static void
shorten_choice (GtkDropDown *choice)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (on_choice_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_choice_bind), NULL);
  gtk_drop_down_set_list_factory (choice, gtk_drop_down_get_factory (choice));
  gtk_drop_down_set_factory (choice, factory);
}

static GtkWidget *
make_choice (KgInputRow *self)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  GtkWidget *choice;

  for (const KgChoice *c = self->declared->choices; c->nick != NULL; c++)
    g_ptr_array_add (labels, (gpointer) kg_type_translate (c->label));
  g_ptr_array_add (labels, NULL);
  g_clear_object (&self->choices);
  self->choices = gtk_string_list_new ((const char *const *) labels->pdata);
  choice = gtk_drop_down_new (G_LIST_MODEL (g_object_ref (self->choices)), NULL);
  shorten_choice (GTK_DROP_DOWN (choice));
  g_signal_connect_swapped (choice, "notify::selected", G_CALLBACK (on_choice), self);
  return choice;
}

GtkWidget *
kg_input_row_make_value_editor (KgInputRow *self)
{
  GtkWidget *editor;

  switch (self->declared->kind) {
  case KG_NUMBER:
  case KG_INTEGER:
    return make_number (self);
  case KG_VECTOR:
    return make_vector (self);
  case KG_BOOLEAN:
    editor = gtk_check_button_new ();
    g_signal_connect_swapped (editor, "toggled", G_CALLBACK (on_boolean), self);
    return editor;
  case KG_CHOICE:
    return make_choice (self);
  case KG_COLOR:
    return make_color (self);
  case KG_TABLE:
    return make_table (self);
  case KG_TEXT:
    return make_text (self);
  default:
    editor = gtk_entry_new ();
    gtk_editable_set_width_chars (GTK_EDITABLE (editor), 6);
    g_signal_connect_swapped (editor, "activate", G_CALLBACK (on_json), self);
    return editor;
  }
}

void
kg_input_row_commit (KgInputRow *self)
{
  if (self->mode == KG_INPUT_MODE_EXPRESSION)
    kg_input_row_commit_expression (self);
  else if (self->mode == KG_INPUT_MODE_VALUE && self->declared->kind == KG_TABLE && kg_input_row_shows_grid (self))
    kg_table_grid_commit (KG_TABLE_GRID (self->grid));
  else if (self->mode == KG_INPUT_MODE_VALUE && (self->declared->kind == KG_TEXT || self->declared->kind == KG_TABLE))
    on_text (self);
  else if (self->mode == KG_INPUT_MODE_VALUE && self->declared->kind == KG_COLOR)
    on_color_text (self);
  else if (self->mode == KG_INPUT_MODE_VALUE)
    for (guint i = 0; i < G_N_ELEMENTS (self->fields); i++)
      if (self->fields[i] != NULL)
        kg_number_field_commit (KG_NUMBER_FIELD (self->fields[i]));
}
