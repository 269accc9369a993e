/* kg-input-row: see the header.  Values at a frame are read and written in kg-input-value.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-input-row.h"

#include "config.h"
#include "kg-curve-area.h"
#include "kg-expression.h"
#include "kg-motion-graph.h"
#include "kg-number-field.h"

#include <glib/gi18n.h>

#define LABEL_WIDTH 104
/* Selected nodes whose values are looked at to see whether they differ. */
#define MOST_COMPARED 200

/* What stands in the row. */
typedef enum { MODE_NONE, MODE_VALUE, MODE_EXPRESSION, MODE_LINK, MODE_LIST, MODE_EMPTY, MODE_MOTION_KEYS } Mode;

struct _KgInputRow {
  GtkWidget parent_instance;
  KgDocument *document;
  KgNode *node;
  GPtrArray *others; /* KgNode, borrowed: those selected with it, which are edited too */
  guint slot;
  const KgSlot *declared; /* of the node: as long as the row is not abandoned */
  KgCondition *condition; /* (nullable) when it is shown */
  GtkWidget *box, *label, *editor, *key_button, *menu_button, *problem;
  GtkWidget *note;      /* about the others */
  GtkWidget *below;     /* (nullable) under the editor: the curve of the keys, or the graph of a motion */
  GtkWidget *fields[3]; /* what the editor consists of: numbers, a text, a colour and its text */
  Mode mode;
  char *shown; /* (nullable) the text that the entry was given: what differs from it was typed */
  GtkStringList *choices;
  bool updating, grouped, abandoned;
  bool several;          /* an editor without a placeholder is empty because there are several values */
  KgValue grouped_value; /* vectors: while one component is dragged */
};

G_DEFINE_FINAL_TYPE (KgInputRow, kg_input_row, GTK_TYPE_WIDGET)

static void rebuild (KgInputRow *self);

/* Edits. */

static void
show_problem (KgInputRow *self, const GError *error)
{
  gtk_widget_set_visible (self->problem, error != NULL);
  gtk_label_set_text (GTK_LABEL (self->problem), error != NULL ? error->message : "");
}

static void
set_shown (KgInputRow *self, const char *text)
{
  char *old = self->shown;

  self->shown = g_strdup (text);
  g_free (old);
}

/* One that is called the same may choose among other things. */
static bool
has_same_choices (const KgSlot *a, const KgSlot *b)
{
  guint i = 0;

  if (a->choices == b->choices)
    return true;
  if (a->choices == NULL || b->choices == NULL)
    return false;
  while (a->choices[i].nick != NULL && g_strcmp0 (a->choices[i].nick, b->choices[i].nick) == 0)
    i++;
  return a->choices[i].nick == NULL && b->choices[i].nick == NULL;
}

/* The input of another selected node that is edited too; -1. */
static int
find_same (KgInputRow *self, KgNode *other)
{
  const int index = other != self->node ? kg_node_find_slot (other, self->declared->name) : -1;
  const KgSlot *slot = index >= 0 ? kg_node_get_slot (other, (guint) index) : NULL;

  return slot != NULL && slot->role == KG_SLOT_INPUT && slot->kind == self->declared->kind &&
                 slot->list == self->declared->list && has_same_choices (slot, self->declared)
             ? index
             : -1;
}

/* Whether what feeds the input is more than the value that is edited: another selected node keeps it, unless the one that
 * is shown is fed in the same way. */
static bool
is_kept (KgInputRow *self, KgNode *other, guint slot)
{
  const KgSourceKind kind = kg_node_get_source (other, slot)->kind;

  return (kind == KG_SOURCE_LINK || kind == KG_SOURCE_LIST || kind == KG_SOURCE_EXPRESSION) &&
         kind != kg_node_get_source (self->node, self->slot)->kind;
}

/* A field that loses the focus because its node goes has nothing to write to. */
static bool
can_edit (KgInputRow *self)
{
  return !self->updating && !self->abandoned && kg_node_get_parent (self->node) != NULL;
}

/* Calls for every selected node with such an input, as one step of undo. */
typedef bool (*Edit) (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error);

static void
edit_all (KgInputRow *self, Edit edit, gconstpointer data)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  g_autoptr (GPtrArray) edited = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  bool good = true;

  if (!can_edit (self))
    return;
  /* Before the one that is shown is fed in another way. */
  for (guint i = 0; i < self->others->len; i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    const int slot = kg_node_get_parent (other) != NULL ? find_same (self, other) : -1;

    if (slot >= 0 && !is_kept (self, other, (guint) slot))
      g_ptr_array_add (edited, other);
  }
  kg_graph_begin_group (graph, kg_type_translate (self->declared->label));
  good = edit (self, self->node, self->slot, data, &error);
  for (guint i = 0; good && i < edited->len; i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (edited, i);
    /* What was set may have given it other inputs. */
    const int slot = find_same (self, other);

    if (slot >= 0)
      good = edit (self, other, (guint) slot, data, &error);
  }
  if (good)
    kg_graph_end_group (graph);
  else
    kg_graph_cancel_group (graph);
  show_problem (self, error);
}

static bool
edit_value (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  return kg_input_set_value (node, slot, kg_document_get_frame (self->document), (const KgValue *) data, error);
}

static bool
edit_json (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  (void) self;
  return kg_graph_set_json (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name, (const char *) data,
                            error);
}

static bool
edit_expression (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  (void) self;
  return kg_graph_set_expression (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name,
                                  (const char *) data, error);
}

static bool
edit_reset (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  (void) self;
  (void) data;
  return kg_graph_reset (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name, error);
}

static bool
edit_key (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const double frame = kg_document_get_frame (self->document);
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (*(const bool *) data)
    return kg_input_remove_key (node, slot, frame, error);
  return kg_input_get_value (node, slot, frame, &value) && kg_input_set_key (node, slot, frame, &value, error);
}

static bool
edit_remove_keys (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  (void) data;
  if (kg_node_get_source (node, slot)->kind != KG_SOURCE_KEYS ||
      !kg_input_get_value (node, slot, kg_document_get_frame (self->document), &value))
    return true;
  return kg_graph_set_constant (kg_node_get_parent (node), node, kg_node_get_slot (node, slot)->name, &value, error);
}

/* Numbers and vectors. */

static void
on_begin (KgInputRow *self)
{
  if (self->grouped || !can_edit (self))
    return;
  self->grouped = true;
  kg_value_clear (&self->grouped_value);
  if (!kg_input_get_value (self->node, self->slot, kg_document_get_frame (self->document), &self->grouped_value))
    self->grouped_value = (KgValue) KG_VALUE_INIT;
  kg_graph_begin_group (kg_document_get_graph (self->document), kg_type_translate (self->declared->label));
}

static void
on_end (KgInputRow *self)
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

  if (!can_edit (self))
    return;
  value = self->declared->kind == KG_INTEGER ? kg_value_integer ((int64_t) number) : kg_value_number (number);
  edit_all (self, edit_value, &value);
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
  KgValue value = kg_value_vector (get_vector (self, node, slot));

  (&value.vector.x)[component->index] = component->number;
  return edit_value (self, node, slot, &value, error);
}

/* "x" typed into one field of a vector becomes an expression of all three. */
static bool
edit_component_expression (KgInputRow *self, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  const Component *component = (const Component *) data;
  const KgVector v = get_vector (self, node, slot);
  g_autoptr (GString) whole = g_string_new (NULL);

  for (guint i = 0; i < 3; i++) {
    if (i > 0)
      g_string_append (whole, ", ");
    if (i == component->index)
      g_string_append (whole, component->expression);
    else
      kg_json_write_number ((&v.x)[i], whole);
  }
  return edit_expression (self, node, slot, whole->str, error);
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

  edit_all (self, edit_component, &component);
}

static void
on_component_expression (KgNumberField *field, const char *text, KgInputRow *self)
{
  const Component component = { find_field (self, field), 0, text };

  edit_all (self, edit_component_expression, &component);
}

static void
on_typed_expression (KgInputRow *self, const char *text)
{
  edit_all (self, edit_expression, text);
}

/* Says what is wrong with what is typed, while it is typed. */
static void
watch_problem (KgInputRow *self, GtkWidget *field)
{
  g_signal_connect_swapped (field, "problem", G_CALLBACK (show_problem), self);
}

static GtkWidget *
make_number (KgInputRow *self)
{
  GtkWidget *field = kg_number_field_new (self->declared, kg_type_translate (self->declared->label));

  self->fields[0] = field;
  g_signal_connect_swapped (field, "begin", G_CALLBACK (on_begin), self);
  g_signal_connect_swapped (field, "end", G_CALLBACK (on_end), self);
  g_signal_connect_swapped (field, "value", G_CALLBACK (on_number), self);
  g_signal_connect_swapped (field, "expression", G_CALLBACK (on_typed_expression), self);
  watch_problem (self, field);
  return field;
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
    g_signal_connect_swapped (self->fields[i], "begin", G_CALLBACK (on_begin), self);
    g_signal_connect_swapped (self->fields[i], "end", G_CALLBACK (on_end), self);
    g_signal_connect (self->fields[i], "value", G_CALLBACK (on_component), self);
    g_signal_connect (self->fields[i], "expression", G_CALLBACK (on_component_expression), self);
    watch_problem (self, self->fields[i]);
    gtk_box_append (GTK_BOX (box), self->fields[i]);
  }
  return box;
}

/* Others. */

static void
on_boolean (KgInputRow *self)
{
  const KgValue value = kg_value_boolean (gtk_check_button_get_active (GTK_CHECK_BUTTON (self->editor)));

  edit_all (self, edit_value, &value);
}

static void
on_choice (KgInputRow *self)
{
  const guint index = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->editor));
  g_auto (KgValue) value = KG_VALUE_INIT;

  /* One more than there are choices: several. */
  if (index == GTK_INVALID_LIST_POSITION || !can_edit (self) || self->declared->choices[index].nick == NULL)
    return;
  value = kg_value_text (self->declared->choices[index].nick);
  edit_all (self, edit_value, &value);
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
  edit_all (self, edit_value, &value);
}

/* (transfer full) A colour as people write it; empty when it is beyond what a screen shows. */
static char *
format_color (const KgColor *color)
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
  const KgJson json = { .kind = KG_JSON_STRING, .string = text };
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  /* The text has less digits than the colour: leaving the field must not round it. */
  if (!can_edit (self) || g_strcmp0 (self->shown, text) == 0)
    return;
  if (kg_value_from_json (&json, KG_COLOR, &value, &error)) {
    set_shown (self, text);
    edit_all (self, edit_value, &value);
  } else
    show_problem (self, error);
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
  gtk_editable_set_width_chars (GTK_EDITABLE (self->fields[1]), 8);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->fields[1]), "#rrggbb");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->fields[1]), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  kg_type_translate (self->declared->label), -1);
  gtk_widget_set_hexpand (self->fields[1], TRUE);
  g_signal_connect_swapped (self->fields[1], "activate", G_CALLBACK (on_color_text), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_color_text), self);
  gtk_widget_add_controller (self->fields[1], focus);
  gtk_box_append (GTK_BOX (box), self->fields[1]);
  gtk_box_append (GTK_BOX (box), self->fields[0]);
  return box;
}

/* (transfer full) Of a text that may have several lines. */
static char *
dup_buffer_text (KgInputRow *self)
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

  if (!can_edit (self))
    return;
  text = GTK_IS_EDITABLE (self->fields[0]) ? g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->fields[0])))
                                           : dup_buffer_text (self);
  if (g_strcmp0 (self->shown, text) == 0)
    return;
  set_shown (self, text);
  value = kg_value_text (text);
  edit_all (self, edit_value, &value);
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

static GtkWidget *
make_text (KgInputRow *self)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);

  gtk_widget_set_hexpand (box, TRUE);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_text), self);
  if (self->declared->multiline) {
    GtkWidget *scrolled = gtk_scrolled_window_new ();

    self->fields[0] = gtk_text_view_new ();
    gtk_text_view_set_monospace (GTK_TEXT_VIEW (self->fields[0]), TRUE);
    gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (self->fields[0]), FALSE);
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
  return box;
}

static void
on_json (KgInputRow *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->editor));

  if (g_strcmp0 (self->shown, text) != 0)
    edit_all (self, edit_json, text);
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

static GtkWidget *
make_value_editor (KgInputRow *self)
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
  case KG_TEXT:
    return make_text (self);
  default:
    editor = gtk_entry_new ();
    gtk_editable_set_width_chars (GTK_EDITABLE (editor), 6);
    g_signal_connect_swapped (editor, "activate", G_CALLBACK (on_json), self);
    return editor;
  }
}

/* Expressions. */

static gboolean
match_last_word (GtkEntryCompletion *completion, const char *key, GtkTreeIter *iter, gpointer data)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (gtk_entry_completion_get_entry (completion)));
  const char *word = text + strlen (text);
  g_autofree char *candidate = NULL;

  (void) key;
  (void) data;
  while (word > text && (g_ascii_isalnum (word[-1]) || word[-1] == '_' || word[-1] == '.'))
    word--;
  gtk_tree_model_get (gtk_entry_completion_get_model (completion), iter, 0, &candidate, -1);
  return *word != '\0' && candidate != NULL && g_ascii_strncasecmp (candidate, word, strlen (word)) == 0 &&
         !g_str_equal (candidate, word);
}

static gboolean
on_match (GtkEntryCompletion *completion, GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  GtkEditable *entry = GTK_EDITABLE (gtk_entry_completion_get_entry (completion));
  const char *text = gtk_editable_get_text (entry), *word = text + strlen (text);
  g_autofree char *candidate = NULL, *whole = NULL;

  (void) data;
  while (word > text && (g_ascii_isalnum (word[-1]) || word[-1] == '_' || word[-1] == '.'))
    word--;
  gtk_tree_model_get (model, iter, 0, &candidate, -1);
  whole = g_strdup_printf ("%.*s%s", (int) (word - text), text, candidate);
  gtk_editable_set_text (entry, whole);
  gtk_editable_set_position (entry, -1);
  return TRUE;
}

/* Everything that an expression may name here. */
static GtkEntryCompletion *
make_completion (KgInputRow *self)
{
  static const char *const words[] = { "t",    "frame", "rate",   "start",      "end",  "pi",    "sin",
                                       "cos",  "tan",   "sqrt",   "abs",        "min",  "max",   "floor",
                                       "ceil", "mod",   "noise",  "smoothstep", "lerp", "clamp", "fit",
                                       "exp",  "log",   "random", "atan2" };
  GtkEntryCompletion *completion = gtk_entry_completion_new ();
  g_autoptr (GtkListStore) store = gtk_list_store_new (1, G_TYPE_STRING);
  KgGraph *graph = kg_node_get_parent (self->node);

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    gtk_list_store_insert_with_values (store, NULL, -1, 0, words[i], -1);
  for (guint i = 0; i < kg_graph_get_n_nodes (graph) && i < 500; i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    for (guint s = 0; node != self->node && s < kg_node_get_n_slots (node); s++)
      if (kg_node_get_slot (node, s)->kind <= KG_COLOR) {
        g_autofree char *name = g_strdup_printf ("%s.%s", kg_node_get_name (node), kg_node_get_slot (node, s)->name);

        gtk_list_store_insert_with_values (store, NULL, -1, 0, name, -1);
      }
  }
  gtk_entry_completion_set_model (completion, GTK_TREE_MODEL (store));
  gtk_entry_completion_set_text_column (completion, 0);
  gtk_entry_completion_set_match_func (completion, match_last_word, NULL, NULL);
  g_signal_connect (completion, "match-selected", G_CALLBACK (on_match), NULL);
  return completion;
}

static void
on_expression_changed (KgInputRow *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = NULL;

  /* Nothing typed, where several differ, is no mistake. */
  if (self->updating || g_strcmp0 (self->shown, gtk_editable_get_text (GTK_EDITABLE (self->editor))) == 0) {
    show_problem (self, NULL);
    return;
  }
  expression = kg_expression_new (gtk_editable_get_text (GTK_EDITABLE (self->editor)), &error);
  show_problem (self, error);
}

static void
on_expression (KgInputRow *self)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->editor)));

  if (g_strcmp0 (self->shown, text) != 0)
    edit_all (self, edit_expression, text);
}

/* What cannot be read yet is not taken: whoever goes away in the middle of it has not meant it. */
static void
commit_expression (KgInputRow *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->editor));
  g_autoptr (KgExpression) expression = kg_expression_new (text, NULL);

  if (can_edit (self) && expression != NULL)
    on_expression (self);
}

static GtkWidget *
make_expression (KgInputRow *self)
{
  GtkWidget *entry = gtk_entry_new ();
  g_autoptr (GtkEntryCompletion) completion = make_completion (self);

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 6);
  gtk_entry_set_icon_from_icon_name (GTK_ENTRY (entry), GTK_ENTRY_ICON_PRIMARY, "accessories-calculator-symbolic");
  gtk_entry_set_completion (GTK_ENTRY (entry), completion);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_expression_changed), self);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_expression), self);
  return entry;
}

/* Links. */

static void
on_follow (GtkButton *button, KgInputRow *self)
{
  const guint item = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "item"));
  KgNode *from;
  guint output;

  if (kg_node_get_link (self->node, self->slot, item, &from, &output))
    kg_document_select (self->document, from, false);
}

static GtkWidget *
make_link_button (KgInputRow *self, const char *text, guint item, bool mixed)
{
  /* Several nodes have several links; the one of the node that is shown can be followed. */
  g_autofree char *arrow = mixed ? g_strdup_printf (_ ("several (⟵ %s)"), text) : g_strdup_printf ("⟵ %s", text);
  g_autofree char *tooltip = g_strdup_printf ("%s\n%s", text, _ ("Go to the node that feeds this"));
  GtkWidget *button = gtk_button_new (), *label = gtk_label_new (arrow);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, arrow, -1);
  g_object_set_data (G_OBJECT (button), "item", GUINT_TO_POINTER (item));
  g_signal_connect (button, "clicked", G_CALLBACK (on_follow), self);
  return button;
}

static GtkWidget *
make_list (KgInputRow *self)
{
  const KgSource *source = kg_node_get_source (self->node, self->slot);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);

  for (guint i = 0; i < source->list.n && i < 50; i++) {
    if (source->list.items[i].kind == KG_SOURCE_LINK)
      gtk_box_append (GTK_BOX (box), make_link_button (self, source->list.items[i].text, i, false));
    else {
      g_autoptr (GString) text = g_string_new (NULL);
      GtkWidget *label;

      kg_value_write_json (&source->list.items[i].constant, text);
      label = gtk_label_new (text->str);
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_box_append (GTK_BOX (box), label);
    }
  }
  if (source->list.n > 50) {
    g_autofree char *more = g_strdup_printf (_ ("and %u more"), source->list.n - 50);

    gtk_box_append (GTK_BOX (box), gtk_label_new (more));
  }
  return box;
}

/* What the row shows. */

static Mode
find_mode (KgInputRow *self)
{
  const KgSource *source = kg_node_get_source (self->node, self->slot);

  switch (source->kind) {
  case KG_SOURCE_LINK:
    return MODE_LINK;
  case KG_SOURCE_LIST:
    return MODE_LIST;
  case KG_SOURCE_EXPRESSION:
    return MODE_EXPRESSION;
  case KG_SOURCE_KEYS:
    return self->declared->kind == KG_MOTION ? MODE_MOTION_KEYS : MODE_VALUE;
  case KG_SOURCE_CONSTANT:
    return MODE_VALUE;
  case KG_SOURCE_DEFAULT:
  default:
    return self->declared->list || self->declared->kind >= KG_MOTION ? MODE_EMPTY : MODE_VALUE;
  }
}

/* Motions. */

/* From 0 to 1 in one second, or over the whole of an ease: a start to bend. */
static void
on_draw (GtkWidget *widget, const char *name, GVariant *parameter)
{
  (void) name;
  edit_all (KG_INPUT_ROW (widget), edit_json,
            g_variant_get_boolean (parameter) ? "{\"keys\": [[0, [0, 0, 0]], [1, [1, 1, 1]]]}"
                                              : "{\"keys\": [[0, 0], [1, 1]]}");
}

/* In place of a link. */
static GtkWidget *
make_empty (KgInputRow *self)
{
  const char *text = self->declared->optional ? _ ("not linked") : _ ("needs a link");
  GtkWidget *label = gtk_label_new (text), *box, *button;
  g_autoptr (GMenu) menu = NULL;

  gtk_widget_add_css_class (label, "kg-dim");
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (self->declared->kind != KG_MOTION || self->declared->list || self->declared->fixed)
    return label;
  box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  menu = g_menu_new ();
  g_menu_append (menu, _ ("One Curve"), "input.draw(false)");
  g_menu_append (menu, _ ("Three Curves: Place or Colour"), "input.draw(true)");
  button = gtk_menu_button_new ();
  gtk_menu_button_set_label (GTK_MENU_BUTTON (button), _ ("Draw"));
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_widget_set_tooltip_text (button, _ ("Draw the curve here, instead of a link"));
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), button);
  return box;
}

static GtkWidget *
make_area (KgInputRow *self)
{
  GtkWidget *area = GTK_WIDGET (kg_curve_area_new_for_input (self->document, self->node, self->slot));
  g_autofree char *label = g_strdup_printf (_ ("Curve of %s"), kg_type_translate (self->declared->label));

  gtk_accessible_update_property (GTK_ACCESSIBLE (area), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return area;
}

static void
on_expanded (GtkExpander *expander, GParamSpec *pspec, KgInputRow *self)
{
  GtkWidget *box = NULL, *button;

  (void) pspec;
  if (gtk_expander_get_expanded (expander)) {
    box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
    button = gtk_button_new_with_label (_ ("Open in the Curve Editor"));
    gtk_widget_set_halign (button, GTK_ALIGN_END);
    gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.tab");
    gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", "curves");
    gtk_box_append (GTK_BOX (box), make_area (self));
    gtk_box_append (GTK_BOX (box), button);
  }
  /* An area that nobody looks at would follow every change of the graph. */
  gtk_expander_set_child (expander, box);
}

/* What there is to see of the input over time, as the type of its widget; G_TYPE_INVALID: nothing. */
static GType
find_below (KgInputRow *self)
{
  if (self->mode == MODE_MOTION_KEYS)
    return KG_TYPE_CURVE_AREA;
  if (self->mode == MODE_LINK && self->declared->kind == KG_MOTION)
    return KG_TYPE_MOTION_GRAPH;
  if (self->mode == MODE_VALUE && kg_node_get_source (self->node, self->slot)->kind == KG_SOURCE_KEYS)
    return GTK_TYPE_EXPANDER;
  return G_TYPE_INVALID;
}

/* Keeps what is there when it is of the right sort: somebody may be dragging in it. */
static void
update_below (KgInputRow *self)
{
  const GType wanted = find_below (self);

  if (self->below != NULL && G_OBJECT_TYPE (self->below) != wanted)
    g_clear_pointer (&self->below, gtk_widget_unparent);
  if (self->below != NULL || wanted == G_TYPE_INVALID)
    return;
  if (wanted == KG_TYPE_CURVE_AREA)
    self->below = make_area (self);
  else if (wanted == KG_TYPE_MOTION_GRAPH)
    self->below = kg_motion_graph_new (kg_type_translate (self->declared->label));
  else {
    self->below = gtk_expander_new (_ ("Curve"));
    g_signal_connect (self->below, "notify::expanded", G_CALLBACK (on_expanded), self);
  }
  gtk_widget_insert_after (self->below, GTK_WIDGET (self), self->box);
}

char *
kg_input_row_dup_motion (KgInputRow *self)
{
  g_autofree char *path = NULL;
  KgNode *from;
  guint output;

  if (self->declared->kind != KG_MOTION || find_mode (self) != MODE_LINK ||
      !kg_node_get_link (self->node, self->slot, 0, &from, &output))
    return NULL;
  path = kg_node_dup_path (from);
  return g_strdup_printf ("%s.%s", path, kg_node_get_link_name (self->node, self->slot, 0));
}

void
kg_input_row_show_motion (KgInputRow *self, const KgMotion *motion)
{
  if (self->below != NULL && KG_IS_MOTION_GRAPH (self->below))
    kg_motion_graph_set_motion (KG_MOTION_GRAPH (self->below), motion);
}

/* The row. */

/* Whether another selected node has another link or expression there, or none. */
static bool
is_fed_otherwise (KgInputRow *self)
{
  const KgSource *source = kg_node_get_source (self->node, self->slot);

  for (guint i = 0; i < MIN (self->others->len, MOST_COMPARED); i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    const int slot = find_same (self, other);

    if (slot >= 0 && !kg_source_equal (kg_node_get_source (other, (guint) slot), source))
      return true;
  }
  return false;
}

static GtkWidget *
make_editor (KgInputRow *self)
{
  GtkWidget *label;

  switch (self->mode) {
  case MODE_EXPRESSION:
    return make_expression (self);
  case MODE_LINK:
    return make_link_button (self, kg_node_get_source (self->node, self->slot)->text, 0, is_fed_otherwise (self));
  case MODE_LIST:
    return make_list (self);
  case MODE_MOTION_KEYS:
    label = gtk_label_new (_ ("drawn below"));
    gtk_widget_add_css_class (label, "kg-dim");
    gtk_label_set_xalign (GTK_LABEL (label), 0);
    return label;
  case MODE_EMPTY:
    return make_empty (self);
  case MODE_VALUE:
  case MODE_NONE:
  default:
    return make_value_editor (self);
  }
}

/* The number of a value, or one of the three of a vector. */
static bool
get_number (const KgValue *value, guint component, double *x)
{
  if (value->kind == KG_VECTOR) {
    *x = (&value->vector.x)[component];
    return true;
  }
  return component == 0 && kg_value_get_component (value, NULL, x);
}

/* Whether another selected node has another value there, or something that is not known here; component: of a vector,
 * the only one that matters; -1: all. */
static bool
is_mixed (KgInputRow *self, const KgValue *value, int component)
{
  for (guint i = 0; i < MIN (self->others->len, MOST_COMPARED); i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    g_auto (KgValue) theirs = KG_VALUE_INIT;
    const int slot = find_same (self, other);
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

/* Gives an entry its text, unless somebody types there. */
static void
show_text (KgInputRow *self, GtkWidget *entry, const char *text, bool mixed, const char *placeholder)
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
  set_shown (self, text);
}

static void
show_long_text (KgInputRow *self, const char *text, bool mixed)
{
  g_autofree char *old = dup_buffer_text (self);

  self->several = mixed;
  if (mixed)
    text = "";
  if (self->shown != NULL && gtk_widget_has_focus (self->fields[0]) && !g_str_equal (old, self->shown))
    return;
  if (!g_str_equal (old, text))
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->fields[0])), text, -1);
  set_shown (self, text);
}

static void
show_choice (KgInputRow *self, const KgValue *value, bool mixed)
{
  const int index = value->kind == KG_TEXT ? kg_slot_find_choice (self->declared, value->text) : -1;
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->choices));
  guint n_choices = 0;

  while (self->declared->choices[n_choices].nick != NULL)
    n_choices++;
  /* An entry of its own says that there are several. */
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
  g_autofree char *text = format_color (value);

  /* Whoever chooses another one for all begins with the one of the node that is shown; it is not that of all. */
  gtk_color_chooser_set_rgba (GTK_COLOR_CHOOSER (self->fields[0]), &color);
  gtk_widget_set_opacity (self->fields[0], mixed ? 0.25 : 1);
  show_text (self, self->fields[1], text, mixed, "#rrggbb");
}

static void
show_value (KgInputRow *self)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  bool mixed;

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
      show_text (self, self->fields[0], value.text, mixed, NULL);
    else if (value.kind == KG_TEXT)
      show_long_text (self, value.text, mixed);
    break;
  default: {
    g_autoptr (GString) text = g_string_new (NULL);

    kg_value_write_json (&value, text);
    show_text (self, self->editor, text->str, mixed, NULL);
    break;
  }
  }
}

/* Tells what an edit leaves alone, and what has no other place to be told. */
static void
show_kept (KgInputRow *self)
{
  const bool edits = self->mode == MODE_VALUE || self->mode == MODE_EXPRESSION;
  g_autofree char *text = NULL;
  guint n = 0;

  for (guint i = 0; edits && i < self->others->len; i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    const int slot = find_same (self, other);

    n += slot >= 0 && is_kept (self, other, (guint) slot);
  }
  gtk_widget_set_visible (self->note, n > 0 || self->several);
  if (n == 0) {
    gtk_label_set_text (GTK_LABEL (self->note), self->several ? _ ("several") : "");
    return;
  }
  text = g_strdup_printf (
      ngettext ("%u other keeps its link or expression", "%u others keep their links or expressions", n), n);
  gtk_label_set_text (GTK_LABEL (self->note), text);
}

static bool
can_have_keys (const KgSlot *slot)
{
  return !slot->fixed && !slot->list && slot->kind <= KG_ROTATION && slot->kind != KG_TEXT && slot->kind != KG_CHOICE;
}

static void
show_keys (KgInputRow *self)
{
  const KgSource *source = kg_node_get_source (self->node, self->slot);
  const bool keyed = source->kind == KG_SOURCE_KEYS;
  double before, after;
  const bool here =
      keyed && kg_input_find_keys (self->node, self->slot, kg_document_get_frame (self->document), &before, &after);
  const bool can = can_have_keys (self->declared) && self->mode == MODE_VALUE;
  const char *text = here    ? _ ("Remove the key at this frame")
                     : keyed ? _ ("Set a key at this frame")
                             : _ ("Animate: set the first key");

  gtk_button_set_label (GTK_BUTTON (self->key_button), here ? "◆" : keyed ? "◈" : "◇");
  gtk_widget_set_tooltip_text (self->key_button, text);
  /* The label has made its sign the name. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->key_button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_set_sensitive (self->key_button, can);
  gtk_widget_set_opacity (self->key_button, can ? 1 : 0.15);
  if (source->kind == KG_SOURCE_DEFAULT)
    gtk_widget_remove_css_class (self->label, "kg-heading");
  else
    gtk_widget_add_css_class (self->label, "kg-heading");
}

void
kg_input_row_take_selection (KgInputRow *self)
{
  g_ptr_array_set_size (self->others, 0);
  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++) {
    KgNode *other = kg_document_get_selected (self->document, i);

    if (other != self->node)
      g_ptr_array_add (self->others, other);
  }
}

void
kg_input_row_commit (KgInputRow *self)
{
  if (self->mode == MODE_EXPRESSION)
    commit_expression (self);
  else if (self->mode == MODE_VALUE && self->declared->kind == KG_TEXT)
    on_text (self);
  else if (self->mode == MODE_VALUE && self->declared->kind == KG_COLOR)
    on_color_text (self);
  else if (self->mode == MODE_VALUE)
    for (guint i = 0; i < G_N_ELEMENTS (self->fields); i++)
      if (self->fields[i] != NULL)
        kg_number_field_commit (KG_NUMBER_FIELD (self->fields[i]));
}

void
kg_input_row_abandon (KgInputRow *self)
{
  on_end (self);
  self->abandoned = true;
}

void
kg_input_row_refresh (KgInputRow *self)
{
  if (self->abandoned)
    return;
  if (self->grouped && self->mode != find_mode (self))
    on_end (self);
  if (self->mode != find_mode (self) || self->mode == MODE_LINK || self->mode == MODE_LIST)
    rebuild (self);
  self->updating = true;
  if (self->mode == MODE_VALUE)
    show_value (self);
  else if (self->mode == MODE_EXPRESSION)
    show_text (self, self->editor, kg_node_get_source (self->node, self->slot)->text, is_fed_otherwise (self), NULL);
  show_kept (self);
  show_keys (self);
  update_below (self);
  self->updating = false;
}

static void
rebuild (KgInputRow *self)
{
  if (self->editor != NULL)
    gtk_box_remove (GTK_BOX (self->box), self->editor);
  for (guint i = 0; i < 3; i++)
    self->fields[i] = NULL;
  g_clear_pointer (&self->shown, g_free);
  self->several = false;
  self->mode = find_mode (self);
  self->updating = true;
  self->editor = make_editor (self);
  self->updating = false;
  gtk_widget_set_hexpand (self->editor, TRUE);
  if (self->mode == MODE_VALUE && self->declared->kind == KG_BOOLEAN)
    gtk_widget_set_halign (self->editor, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (self->label, kg_type_translate (self->declared->help));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->editor), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  kg_type_translate (self->declared->label), -1);
  gtk_box_insert_child_after (GTK_BOX (self->box), self->editor, self->label);
}

/* The menu. */

static void
on_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgInputRow *self = KG_INPUT_ROW (widget);
  const double frame = kg_document_get_frame (self->document);
  double before, after;

  (void) parameter;
  if (g_str_equal (name, "input.reset"))
    edit_all (self, edit_reset, NULL);
  else if (g_str_equal (name, "input.key")) {
    /* Several nodes get what the one that is shown gets: not one a key and the next one none. */
    const bool here = kg_input_find_keys (self->node, self->slot, frame, &before, &after);

    edit_all (self, edit_key, &here);
  } else if (g_str_equal (name, "input.remove-keys"))
    edit_all (self, edit_remove_keys, NULL);
  else if (g_str_equal (name, "input.previous-key") || g_str_equal (name, "input.next-key")) {
    kg_input_find_keys (self->node, self->slot, frame, &before, &after);
    if (g_str_equal (name, "input.next-key"))
      before = after;
    if (!isnan (before))
      kg_document_set_frame (self->document, before);
  } else if (g_str_equal (name, "input.expression")) {
    g_autofree char *text = kg_input_dup_expression (self->node, self->slot, frame);

    edit_all (self, edit_expression, text);
    kg_input_row_refresh (self);
    gtk_widget_grab_focus (self->editor);
  }
}

static GMenuModel *
make_menu (KgInputRow *self)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) keys = g_menu_new ();

  g_menu_append (menu, _ ("Reset to Default"), "input.reset");
  if (!self->declared->fixed && !self->declared->list && self->declared->kind <= KG_COLOR)
    g_menu_append (menu, _ ("Expression"), "input.expression");
  if (can_have_keys (self->declared)) {
    g_menu_append (keys, _ ("Key Here"), "input.key");
    g_menu_append (keys, _ ("Previous Key"), "input.previous-key");
    g_menu_append (keys, _ ("Next Key"), "input.next-key");
    g_menu_append (keys, _ ("Remove All Keys"), "input.remove-keys");
    g_menu_append_section (menu, NULL, G_MENU_MODEL (keys));
  }
  return G_MENU_MODEL (menu);
}

bool
kg_input_row_matches (KgInputRow *self, const char *text)
{
  g_autofree char *wanted = g_utf8_casefold (text, -1);
  g_autofree char *label = g_utf8_casefold (kg_type_translate (self->declared->label), -1);
  g_autofree char *name = g_utf8_casefold (self->declared->name, -1);

  return strstr (label, wanted) != NULL || strstr (name, wanted) != NULL;
}

bool
kg_input_row_is_shown (KgInputRow *self)
{
  return kg_input_meets_condition (self->node, self->condition, kg_document_get_frame (self->document));
}

const char *
kg_input_row_get_group (KgInputRow *self)
{
  return self->declared->group != NULL ? kg_type_translate (self->declared->group) : NULL;
}

static void
kg_input_row_dispose (GObject *object)
{
  KgInputRow *self = KG_INPUT_ROW (object);

  on_end (self);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_pointer (&self->below, gtk_widget_unparent);
  g_clear_pointer (&self->problem, gtk_widget_unparent);
  g_clear_pointer (&self->note, gtk_widget_unparent);
  g_clear_pointer (&self->shown, g_free);
  g_clear_object (&self->choices);
  g_clear_object (&self->document);
  kg_value_clear (&self->grouped_value);
  self->grouped_value = (KgValue) KG_VALUE_INIT;
  g_clear_pointer (&self->condition, kg_condition_free);
  g_clear_pointer (&self->others, g_ptr_array_unref);
  G_OBJECT_CLASS (kg_input_row_parent_class)->dispose (object);
}

static void
kg_input_row_class_init (KgInputRowClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  static const char *const actions[] = { "input.reset",    "input.key",         "input.previous-key",
                                         "input.next-key", "input.remove-keys", "input.expression" };

  G_OBJECT_CLASS (class)->dispose = kg_input_row_dispose;
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i], NULL, on_action);
  gtk_widget_class_install_action (widget, "input.draw", "b", on_draw);
  gtk_widget_class_set_layout_manager_type (widget, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget, "inputrow");
}

static void
kg_input_row_init (KgInputRow *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->grouped_value = (KgValue) KG_VALUE_INIT;
  self->others = g_ptr_array_new ();
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  self->label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_size_request (self->label, LABEL_WIDTH, -1);
  gtk_label_set_max_width_chars (GTK_LABEL (self->label), 14);
  self->key_button = gtk_button_new_with_label ("◇");
  gtk_button_set_has_frame (GTK_BUTTON (self->key_button), FALSE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->key_button), "input.key");
  self->menu_button = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->menu_button), "view-more-symbolic");
  gtk_menu_button_set_has_frame (GTK_MENU_BUTTON (self->menu_button), FALSE);
  gtk_widget_set_tooltip_text (self->menu_button, _ ("More about this input"));
  self->problem = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  gtk_label_set_wrap (GTK_LABEL (self->problem), TRUE);
  gtk_widget_add_css_class (self->problem, "kg-error");
  gtk_widget_set_visible (self->problem, FALSE);
  self->note = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->note), 1);
  gtk_label_set_wrap (GTK_LABEL (self->note), TRUE);
  gtk_widget_add_css_class (self->note, "kg-dim");
  gtk_widget_set_visible (self->note, FALSE);
  gtk_box_append (GTK_BOX (self->box), self->label);
  gtk_box_append (GTK_BOX (self->box), self->key_button);
  gtk_box_append (GTK_BOX (self->box), self->menu_button);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_parent (self->problem, GTK_WIDGET (self));
  gtk_widget_set_parent (self->note, GTK_WIDGET (self));
}

GtkWidget *
kg_input_row_new (KgDocument *document, KgNode *node, guint slot)
{
  KgInputRow *self = KG_INPUT_ROW (g_object_new (KG_TYPE_INPUT_ROW, NULL));
  g_autoptr (GMenuModel) menu = NULL;

  self->document = (KgDocument *) g_object_ref (document);
  self->node = node;
  self->slot = slot;
  self->declared = kg_node_get_slot (node, slot);
  if (self->declared->shown_when != NULL)
    self->condition = kg_condition_new (self->declared->shown_when, NULL);
  gtk_label_set_text (GTK_LABEL (self->label), kg_type_translate (self->declared->label));
  menu = make_menu (self);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->menu_button), menu);
  kg_input_row_take_selection (self);
  rebuild (self);
  kg_input_row_refresh (self);
  return GTK_WIDGET (self);
}
