/* kg-preset-dialog: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-dialog.h"

#include "config.h"
#include "kg-follow-focus.h"
#include "kg-image-file.h"
#include "kg-number.h"
#include "kg-preset-json.h"
#include "kg-preset-pack.h"
#include "kg-preset-store.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <unistd.h>

/* One published input or output, as the dialog edits it. */
typedef struct {
  KgJson *json; /* its entry, before what is typed here */
  bool is_output;
  GtkWidget *box, *publish, *new_name, *label, *group, *low, *high;
} Row;

typedef struct {
  KgNode *node;
  guint slot;
} KgInputPlace;

struct _KgPresetDialog {
  GtkWindow parent_instance;
  KgDocument *document;
  KgJson *packed;
  KgImage *image;
  GPtrArray *nodes; /* KgNode, borrowed */
  GtkWidget *id, *title, *summary, *help, *author, *license, *tags, *library, *replace, *problem, *lists[2];
  char **folders;  /* what library offers */
  GPtrArray *rows; /* Row */
  GtkWidget *more;
  GArray *places; /* KgInputPlace: what more offers */
  bool id_typed, id_follows;
};

G_DEFINE_FINAL_TYPE (KgPresetDialog, kg_preset_dialog, GTK_TYPE_WINDOW)

static void
row_free (gpointer data)
{
  Row *row = (Row *) data;

  kg_json_free (row->json);
  g_free (row);
}

static const char *
get_text (GtkWidget *entry)
{
  return gtk_editable_get_text (GTK_EDITABLE (entry));
}

/* Nothing typed: no limit.  check_ranges sees whether anything else is a number. */
static void
set_number (KgJson *json, const char *name, GtkWidget *entry)
{
  bool is_expression;
  double x;

  if (kg_number_parse (get_text (entry), KG_UNIT_NONE, &x, &is_expression, NULL))
    kg_json_set (json, name, kg_json_new_number (x));
}

static bool
is_blank (const char *text)
{
  return text[strspn (text, " \t")] == '\0';
}

/* (transfer full) One entry of the interface as the row has it now. */
static KgJson *
make_entry (const Row *row)
{
  KgJson *json = kg_json_new (KG_JSON_OBJECT);

  for (KgJsonIter member = kg_json_iterate (row->json); kg_json_next (&member);)
    if (!g_str_equal (member.name, "label") && !g_str_equal (member.name, "min") && !g_str_equal (member.name, "max") &&
        !g_str_equal (member.name, "group"))
      kg_json_set (json, member.name, kg_json_copy (member.value));
  kg_json_set (json, "label", kg_json_new_string (get_text (row->label)));
  if (!row->is_output) {
    set_number (json, "min", row->low);
    set_number (json, "max", row->high);
    if (*get_text (row->group) != '\0')
      kg_json_set (json, "group", kg_json_new_string (get_text (row->group)));
  }
  return json;
}

/* (transfer full) The definition as it stands in the dialog: rows in the order in which they are shown. */
static KgJson *
make_definition (KgPresetDialog *self)
{
  static const char *const parts[] = { "inputs", "outputs" };
  KgJson *json = kg_json_new (KG_JSON_OBJECT), *interface = kg_json_new (KG_JSON_OBJECT);
  const struct {
    const char *name;
    GtkWidget *entry;
  } texts[] = { { "id", self->id },     { "title", self->title },   { "summary", self->summary },
                { "help", self->help }, { "author", self->author }, { "license", self->license },
                { "tags", self->tags } };

  kg_json_set (json, "kineograph_preset", kg_json_new_number (KG_PRESET_FORMAT));
  kg_json_set (json, "version", kg_json_new_number (1));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    kg_json_set (json, texts[i].name, kg_json_new_string (get_text (texts[i].entry)));
  for (guint part = 0; part < 2; part++) {
    KgJson *entries = kg_json_new (KG_JSON_OBJECT);

    for (GtkWidget *child = gtk_widget_get_first_child (self->lists[part]); child != NULL;
         child = gtk_widget_get_next_sibling (child)) {
      const Row *row = (const Row *) g_object_get_data (G_OBJECT (child), "row");

      if (gtk_check_button_get_active (GTK_CHECK_BUTTON (row->publish)))
        kg_json_set (entries, get_text (row->new_name), make_entry (row));
    }
    kg_json_set (interface, parts[part], entries);
  }
  kg_json_set (json, "interface", interface);
  if (kg_json_get (self->packed, "presets") != NULL)
    kg_json_set (json, "presets", kg_json_copy (kg_json_get (self->packed, "presets")));
  kg_json_set (json, "graph", kg_json_copy (kg_json_get (self->packed, "graph")));
  return json;
}

static void
show_problem (KgPresetDialog *self, const char *text)
{
  gtk_label_set_text (GTK_LABEL (self->problem), text);
}

/* Of two of the same name one would be lost; inputs and outputs are both nodes inside. */
static bool
check_names (KgPresetDialog *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->rows->len; i++) {
    const Row *row = (const Row *) g_ptr_array_index (self->rows, i);
    const char *name = get_text (row->new_name);

    if (gtk_check_button_get_active (GTK_CHECK_BUTTON (row->publish)) && !g_hash_table_add (seen, (gpointer) name)) {
      g_autofree char *said = g_strdup_printf (_ ("Two inputs or outputs are called “%s”: rename one."), name);

      show_problem (self, said);
      gtk_widget_grab_focus (row->new_name);
      return false;
    }
  }
  return true;
}

/* A range consists of numbers; the first text that is not one is reported and marked. */
static bool
check_ranges (KgPresetDialog *self)
{
  bool good = true;

  for (guint i = 0; i < self->rows->len; i++) {
    const Row *row = (const Row *) g_ptr_array_index (self->rows, i);
    GtkWidget *const entries[] = { row->low, row->high };

    for (guint k = 0; k < G_N_ELEMENTS (entries) && !row->is_output; k++) {
      const char *text = get_text (entries[k]);
      bool is_expression, wrong;
      double x;

      wrong = gtk_check_button_get_active (GTK_CHECK_BUTTON (row->publish)) && !is_blank (text) &&
              !kg_number_parse (text, KG_UNIT_NONE, &x, &is_expression, NULL);
      if (wrong && good) {
        g_autofree char *said =
            g_strdup_printf (_ ("The range of %s: “%s” is not a number: write one such as 0.5, or leave it empty."),
                             get_text (row->new_name), text);

        show_problem (self, said);
      }
      if (wrong)
        gtk_widget_add_css_class (entries[k], "error");
      else
        gtk_widget_remove_css_class (entries[k], "error");
      good &= !wrong;
    }
  }
  return good;
}

/* (transfer full) (nullable) The image as a file, to be copied beside the definition. */
static char *
write_image (KgPresetDialog *self, GError **error)
{
  g_autofree char *path = NULL;
  int fd;

  if (self->image == NULL)
    return NULL;
  fd = g_file_open_tmp ("kineograph-XXXXXX.png", &path, error);
  if (fd < 0)
    return NULL;
  close (fd);
  if (kg_image_save (self->image, path, KG_IMAGE_PNG8, 0, NULL, error))
    return g_steal_pointer (&path);
  g_unlink (path);
  return NULL;
}

static void
on_save (KgPresetDialog *self)
{
  KgTypes *types = kg_graph_get_types (kg_document_get_graph (self->document));
  const char *folder = self->folders[gtk_drop_down_get_selected (GTK_DROP_DOWN (self->library))];
  g_autofree char *image = NULL, *path = NULL, *text = NULL;
  g_autoptr (KgJson) json = make_definition (self);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_from_json (types, json, "", problems);
  g_autoptr (GError) error = NULL;

  if (!check_names (self) || !check_ranges (self))
    return;
  if (preset == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    show_problem (self, problem->message);
    return;
  }
  if (kg_types_find (types, kg_preset_get_id (preset)) != NULL) {
    g_autofree char *taken =
        g_strdup_printf (_ ("The preset %s already exists: choose another id."), kg_preset_get_id (preset));

    show_problem (self, taken);
    return;
  }
  text = kg_preset_to_text (preset);
  image = write_image (self, &error);
  if (error == NULL)
    path = kg_preset_store (text, folder, image, &error);
  if (image != NULL)
    g_unlink (image);
  if (path == NULL) {
    show_problem (self, error->message);
    return;
  }
  if (gtk_check_button_get_active (GTK_CHECK_BUTTON (self->replace))) {
    KgNode *node = kg_graph_replace_by_preset (kg_document_get_current (self->document),
                                               (KgNode *const *) self->nodes->pdata, self->nodes->len, preset, &error);

    if (node != NULL)
      kg_document_select (self->document, node, false);
  } else
    kg_graph_add_preset (kg_document_get_graph (self->document), preset);
  g_signal_emit_by_name (self, "saved", path);
  gtk_window_destroy (GTK_WINDOW (self));
}

/* The id follows the title until it is typed. */
static void
on_title (KgPresetDialog *self)
{
  g_autofree char *ascii = g_str_to_ascii (get_text (self->title), NULL), *lower = g_ascii_strdown (ascii, -1);
  g_autoptr (GString) made = g_string_new ("my/");

  for (const char *p = lower; *p != '\0'; p++)
    if (g_ascii_isalnum (*p))
      g_string_append_c (made, *p);
    else if (made->str[made->len - 1] != '_' && made->str[made->len - 1] != '/')
      g_string_append_c (made, '_');
  if (self->id_typed || made->len == strlen ("my/"))
    return;
  self->id_follows = true;
  gtk_editable_set_text (GTK_EDITABLE (self->id), made->str);
  self->id_follows = false;
}

static void
on_id (KgPresetDialog *self)
{
  self->id_typed |= !self->id_follows;
}

/* Rows. */

static void add_row (KgPresetDialog *self, const char *name, const KgJson *json, bool is_output);

/* Any input inside can be published, not only those that are linked or keyed. */
static void
on_publish (KgPresetDialog *self)
{
  const guint index = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->more));
  const KgInputPlace *place;
  g_autoptr (KgJson) json = NULL;

  if (index == 0 || index == GTK_INVALID_LIST_POSITION)
    return;
  place = &g_array_index (self->places, KgInputPlace, index - 1);
  json = kg_preset_publish_input (place->node, place->slot);
  add_row (self, kg_node_get_slot (place->node, place->slot)->name, json, false);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->more), 0);
}

static GtkWidget *
make_more (KgPresetDialog *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_string_list_append (names, _ ("Publish another input…"));
  for (guint i = 0; i < self->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (self->nodes, i);

    for (guint s = 0; s < kg_node_get_n_slots (node); s++) {
      const KgInputPlace place = { node, s };
      const KgSlot *slot = kg_node_get_slot (node, s);
      g_autofree char *text = g_strdup_printf ("%s: %s", kg_node_get_name (node), kg_type_translate (slot->label));
      KgSourceKind kind;

      if (slot->role != KG_SLOT_INPUT || slot->fixed || slot->list ||
          (slot->kind >= KG_MOTION && slot->kind != KG_TABLE))
        continue;
      kind = kg_node_get_source (node, s)->kind;
      if (kind != KG_SOURCE_DEFAULT && kind != KG_SOURCE_CONSTANT && kind != KG_SOURCE_EXPRESSION)
        continue;
      g_array_append_val (self->places, place);
      gtk_string_list_append (names, text);
    }
  }
  return gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&names)), NULL);
}

static GtkWidget *
add_entry (GtkWidget *box, const char *text, const char *label, int width)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_editable_set_text (GTK_EDITABLE (entry), text != NULL ? text : "");
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), width);
  g_object_set (entry, "placeholder-text", label, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_box_append (GTK_BOX (box), entry);
  return entry;
}

static void
move_row (GtkWidget *box, bool up)
{
  GtkWidget *list = gtk_widget_get_parent (box);
  GtkWidget *before = gtk_widget_get_prev_sibling (box), *after = gtk_widget_get_next_sibling (box);

  if (up && before != NULL)
    gtk_box_reorder_child_after (GTK_BOX (list), box, gtk_widget_get_prev_sibling (before));
  else if (!up && after != NULL)
    gtk_box_reorder_child_after (GTK_BOX (list), box, after);
}

static void
on_up (GtkWidget *box)
{
  move_row (box, true);
}

static void
on_down (GtkWidget *box)
{
  move_row (box, false);
}

static GdkContentProvider *
on_drag_prepare (GtkDragSource *source, double x, double y, GtkWidget *box)
{
  g_autoptr (GdkPaintable) row = gtk_widget_paintable_new (box);

  gtk_drag_source_set_icon (source, row, (int) x, (int) y);
  return gdk_content_provider_new_typed (GTK_TYPE_WIDGET, box);
}

static bool
is_before (GtkWidget *first, GtkWidget *second)
{
  while (first != NULL && first != second)
    first = gtk_widget_get_next_sibling (first);
  return first != NULL;
}

/* A row dropped on another takes its place: what was there, and is between the two, moves up or down. */
static gboolean
on_row_drop (GtkDropTarget *target, const GValue *value, double x, double y, GtkWidget *box)
{
  GtkWidget *dragged = GTK_WIDGET (g_value_get_object (value));
  GtkWidget *list = gtk_widget_get_parent (box);

  (void) target;
  (void) x;
  (void) y;
  if (dragged == box || gtk_widget_get_parent (dragged) != list)
    return FALSE;
  gtk_box_reorder_child_after (GTK_BOX (list), dragged,
                               is_before (dragged, box) ? box : gtk_widget_get_prev_sibling (box));
  return TRUE;
}

static char *
number_text (const KgJson *json, const char *name)
{
  const KgJson *item = kg_json_get (json, name);

  return kg_json_is (item, KG_JSON_NUMBER) ? kg_number_format_exact (kg_json_get_number (item)) : g_strdup ("");
}

static GtkWidget *
add_icon (GtkWidget *box, const char *icon, const char *tooltip, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
  gtk_widget_set_tooltip_text (button, tooltip);
  g_signal_connect_swapped (button, "clicked", clicked, box);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

/* The handle of a row: fields and buttons handle drags on them themselves. */
static GtkWidget *
make_grip (GtkWidget *box)
{
  GtkWidget *grip = gtk_image_new_from_icon_name ("list-drag-handle-symbolic");
  GtkDragSource *source = gtk_drag_source_new ();

  gtk_widget_set_tooltip_text (grip, _ ("Drag to reorder"));
  gtk_widget_set_cursor_from_name (grip, "grab");
  g_signal_connect (source, "prepare", G_CALLBACK (on_drag_prepare), box);
  gtk_widget_add_controller (grip, GTK_EVENT_CONTROLLER (source));
  return grip;
}

static void
add_row (KgPresetDialog *self, const char *name, const KgJson *json, bool is_output)
{
  Row *row = g_new0 (Row, 1);
  const KgJson *label = kg_json_get (json, "label");
  g_autofree char *low = number_text (json, "min"), *high = number_text (json, "max");
  GtkDropTarget *target = gtk_drop_target_new (GTK_TYPE_WIDGET, GDK_ACTION_COPY);

  row->json = kg_json_copy (json);
  row->is_output = is_output;
  row->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  gtk_box_append (GTK_BOX (row->box), make_grip (row->box));
  row->publish = gtk_check_button_new ();
  gtk_check_button_set_active (GTK_CHECK_BUTTON (row->publish), TRUE);
  gtk_widget_set_tooltip_text (row->publish, _ ("Publish it"));
  gtk_box_append (GTK_BOX (row->box), row->publish);
  row->new_name = add_entry (row->box, name, _ ("Name"), 12);
  row->label = add_entry (row->box, label != NULL ? kg_json_get_string (label) : "", _ ("Label"), 14);
  gtk_widget_set_hexpand (row->label, TRUE);
  if (!is_output) {
    const KgJson *group = kg_json_get (json, "group");

    row->group = add_entry (row->box, group != NULL ? kg_json_get_string (group) : "", _ ("Group"), 8);
    row->low = add_entry (row->box, low, _ ("From"), 5);
    row->high = add_entry (row->box, high, _ ("To"), 5);
  }
  add_icon (row->box, "go-up-symbolic", _ ("Up"), G_CALLBACK (on_up));
  add_icon (row->box, "go-down-symbolic", _ ("Down"), G_CALLBACK (on_down));
  g_signal_connect (target, "drop", G_CALLBACK (on_row_drop), row->box);
  gtk_widget_add_controller (row->box, GTK_EVENT_CONTROLLER (target));
  g_object_set_data (G_OBJECT (row->box), "row", row);
  g_ptr_array_add (self->rows, row);
  gtk_box_append (GTK_BOX (self->lists[is_output]), row->box);
}

static void
attach (GtkWidget *grid, int line, const char *label, GtkWidget *widget)
{
  GtkWidget *name = gtk_label_new_with_mnemonic (label);

  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_mnemonic_widget (GTK_LABEL (name), widget);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gtk_label_get_text (GTK_LABEL (name)), -1);
  gtk_grid_attach (GTK_GRID (grid), name, 0, line, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), widget, 1, line, 1, 1);
}

static GtkWidget *
add_field (GtkWidget *grid, int line, const char *label, const char *text)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  attach (grid, line, label, entry);
  return entry;
}

/* The libraries that can be written. */
static GtkWidget *
make_library (KgPresetDialog *self)
{
  KgLibrary *library = kg_document_get_library (self->document);
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  GtkWidget *choice;

  self->folders = kg_preset_dup_writable_folders (
      library != NULL ? kg_library_get_types (library) : kg_graph_get_types (kg_document_get_graph (self->document)));
  for (guint i = 0; self->folders[i] != NULL; i++) {
    g_autofree char *text = kg_library_describe_folder (self->folders[i], kg_document_get_folder (self->document));

    gtk_string_list_append (names, text);
  }
  choice = gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&names)), NULL);
  gtk_widget_set_tooltip_text (choice, _ ("The folder in which the preset is saved"));
  return choice;
}

static void
kg_preset_dialog_finalize (GObject *object)
{
  KgPresetDialog *self = KG_PRESET_DIALOG (object);

  g_clear_pointer (&self->packed, kg_json_free);
  g_clear_pointer (&self->image, kg_image_unref);
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->rows);
  g_array_unref (self->places);
  g_strfreev (self->folders);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_preset_dialog_parent_class)->finalize (object);
}

static void
kg_preset_dialog_class_init (KgPresetDialogClass *class)
{
  G_OBJECT_CLASS (class)->finalize = kg_preset_dialog_finalize;
  g_signal_new ("saved", KG_TYPE_PRESET_DIALOG, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (class), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
kg_preset_dialog_init (KgPresetDialog *self)
{
  self->nodes = g_ptr_array_new ();
  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->places = g_array_new (FALSE, FALSE, sizeof (KgInputPlace));
}

static void
build (KgPresetDialog *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8), *grid = gtk_grid_new (), *buttons;
  GtkWidget *whole = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *foot = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *scrolled = gtk_scrolled_window_new (), *save = gtk_button_new_with_mnemonic (_ ("_Save Preset"));
  GtkWidget *cancel = gtk_button_new_with_mnemonic (_ ("_Cancel"));
  static const char *const headings[] = { N_ ("Published inputs"), N_ ("Published outputs") };
  static const char *const parts[] = { "inputs", "outputs" };
  const KgJson *interface = kg_json_get (self->packed, "interface");

  gtk_widget_set_margin_start (box, 14);
  gtk_widget_set_margin_end (box, 14);
  gtk_widget_set_margin_top (box, 14);
  gtk_widget_set_margin_bottom (box, 14);
  gtk_widget_set_margin_start (foot, 14);
  gtk_widget_set_margin_end (foot, 14);
  gtk_widget_set_margin_bottom (foot, 14);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  self->title = add_field (grid, 0, _ ("Title"), "");
  self->id = add_field (grid, 1, _ ("Id"), "my/preset");
  self->summary = add_field (grid, 2, _ ("Summary"), "");
  self->help = add_field (grid, 3, _ ("Help"), "");
  self->tags = add_field (grid, 4, _ ("Tags"), "");
  self->author = add_field (grid, 5, _ ("Author"), g_get_real_name ());
  self->license = add_field (grid, 6, _ ("Licence"), "CC0-1.0");
  self->library = make_library (self);
  attach (grid, 7, _ ("Li_brary"), self->library);
  gtk_box_append (GTK_BOX (box), grid);
  g_signal_connect_swapped (self->title, "changed", G_CALLBACK (on_title), self);
  g_signal_connect_swapped (self->id, "changed", G_CALLBACK (on_id), self);
  for (guint part = 0; part < 2; part++) {
    const KgJson *entries = kg_json_get (interface, parts[part]);
    GtkWidget *heading = gtk_label_new (_ (headings[part]));

    gtk_label_set_xalign (GTK_LABEL (heading), 0);
    gtk_widget_add_css_class (heading, "kg-heading");
    gtk_box_append (GTK_BOX (box), heading);
    self->lists[part] = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
    gtk_box_append (GTK_BOX (box), self->lists[part]);
    for (KgJsonIter member = kg_json_iterate (entries); kg_json_next (&member);)
      add_row (self, member.name, member.value, part == 1);
    if (part == 0) {
      self->more = make_more (self);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->more), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      _ ("Publish another input…"), -1);
      g_signal_connect_swapped (self->more, "notify::selected", G_CALLBACK (on_publish), self);
      gtk_box_append (GTK_BOX (box), self->more);
    }
  }
  self->replace = gtk_check_button_new_with_mnemonic (_ ("_Replace the nodes with an instance"));
  gtk_check_button_set_active (GTK_CHECK_BUTTON (self->replace), TRUE);
  gtk_box_append (GTK_BOX (box), self->replace);
  self->problem = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->problem), TRUE);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  gtk_widget_add_css_class (self->problem, "kg-error");
  gtk_box_append (GTK_BOX (foot), self->problem);
  buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_set_halign (buttons, GTK_ALIGN_END);
  gtk_widget_add_css_class (save, "suggested-action");
  gtk_box_append (GTK_BOX (buttons), cancel);
  gtk_box_append (GTK_BOX (buttons), save);
  gtk_box_append (GTK_BOX (foot), buttons);
  g_signal_connect_swapped (save, "clicked", G_CALLBACK (on_save), self);
  g_signal_connect_swapped (cancel, "clicked", G_CALLBACK (gtk_window_close), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  kg_follow_focus (scrolled);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_widget_set_vexpand (scrolled, TRUE);
  /* Only the form scrolls; the buttons and the message stay visible. */
  gtk_box_append (GTK_BOX (whole), scrolled);
  gtk_box_append (GTK_BOX (whole), foot);
  gtk_window_set_child (GTK_WINDOW (self), whole);
  gtk_window_set_default_widget (GTK_WINDOW (self), save);
}

GtkWindow *
kg_preset_dialog_new (KgDocument *document, const KgImage *image, GtkWindow *parent, GError **error)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text = NULL;
  KgPresetDialog *self;

  for (guint i = 0; i < kg_document_get_n_selected (document); i++)
    g_ptr_array_add (nodes, kg_document_get_selected (document, i));
  text = kg_preset_pack (kg_document_get_current (document), (KgNode *const *) nodes->pdata, nodes->len, "my/preset",
                         "", error);
  if (text == NULL)
    return NULL;
  self = KG_PRESET_DIALOG (g_object_new (KG_TYPE_PRESET_DIALOG, "title", _ ("Make Preset"), "transient-for", parent,
                                         "modal", TRUE, "default-width", 640, NULL));
  self->document = (KgDocument *) g_object_ref (document);
  self->packed = kg_json_parse (text, -1, problems);
  self->image = image != NULL ? kg_image_ref (image) : NULL;
  for (guint i = 0; i < nodes->len; i++)
    g_ptr_array_add (self->nodes, g_ptr_array_index (nodes, i));
  build (self);
  gtk_widget_grab_focus (self->title);
  return GTK_WINDOW (self);
}
