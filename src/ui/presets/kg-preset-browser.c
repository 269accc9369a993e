/* kg-preset-browser: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-browser.h"

#include "config.h"
#include "kg-file-chooser.h"
#include "kg-image-file.h"
#include "kg-preset-store.h"
#include "kg-problems-dialog.h"
#include "kg-search.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

#define IMAGE_WIDTH 160
#define IMAGE_HEIGHT 90
/* Stands for the user's library among those that an import may go to; not a path. */
#define OWN_PLACE "*"

struct _KgPresetBrowser {
  GtkWidget parent_instance;
  KgDocument *document;
  GtkWidget *box, *search, *tags, *favourites, *problems, *flow, *menu;
};

G_DEFINE_FINAL_TYPE (KgPresetBrowser, kg_preset_browser, GTK_TYPE_WIDGET)

static const KgPreset *
get_preset (gpointer child)
{
  return (const KgPreset *) g_object_get_data (G_OBJECT (child), "preset");
}

static KgTypes *
get_types (KgPresetBrowser *self)
{
  KgLibrary *library = kg_document_get_library (self->document);

  return library != NULL ? kg_library_get_types (library) : kg_graph_get_types (kg_document_get_graph (self->document));
}

/* (nullable) */
static GtkWidget *
get_selected (KgPresetBrowser *self)
{
  g_autoptr (GList) selected = gtk_flow_box_get_selected_children (GTK_FLOW_BOX (self->flow));

  return selected != NULL && gtk_widget_get_child_visible (GTK_WIDGET (selected->data)) ? GTK_WIDGET (selected->data)
                                                                                        : NULL;
}

/* Which are shown. */

/* (transfer full) */
static char **
split_tags (const KgPreset *preset)
{
  const char *tags = kg_preset_get_text (preset, "tags");

  return g_strsplit_set (tags != NULL ? tags : "", " ,", -1);
}

static gboolean
is_wanted (GtkFlowBoxChild *child, gpointer data)
{
  KgPresetBrowser *self = KG_PRESET_BROWSER (data);
  const KgPreset *preset = get_preset (child);
  const guint index = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->tags));
  GtkStringList *names = GTK_STRING_LIST (gtk_drop_down_get_model (GTK_DROP_DOWN (self->tags)));
  g_auto (GStrv) tags = split_tags (preset);

  if (index != 0 && index != GTK_INVALID_LIST_POSITION &&
      !g_strv_contains ((const char *const *) tags, gtk_string_list_get_string (names, index)))
    return FALSE;
  if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->favourites)) &&
      !kg_settings_is_favourite (kg_settings_get_default (), kg_preset_get_id (preset)))
    return FALSE;
  return kg_search_score (kg_preset_get_type (preset), gtk_editable_get_text (GTK_EDITABLE (self->search))) > 0;
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static bool
lists_equal (GListModel *a, GListModel *b)
{
  const guint n = g_list_model_get_n_items (a);

  if (n != g_list_model_get_n_items (b))
    return false;
  for (guint i = 0; i < n; i++)
    if (!g_str_equal (gtk_string_list_get_string (GTK_STRING_LIST (a), i),
                      gtk_string_list_get_string (GTK_STRING_LIST (b), i)))
      return false;
  return true;
}

/* The tags that there are, with the one that is chosen. */
static void
update_tags (KgPresetBrowser *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  GtkStringList *old = GTK_STRING_LIST (gtk_drop_down_get_model (GTK_DROP_DOWN (self->tags)));
  const guint index = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->tags));
  g_autofree char *chosen =
      index != 0 && index != GTK_INVALID_LIST_POSITION ? g_strdup (gtk_string_list_get_string (old, index)) : NULL;
  guint found = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (self->flow); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    g_auto (GStrv) tags = split_tags (get_preset (child));

    for (guint i = 0; tags[i] != NULL; i++)
      if (*tags[i] != '\0' && !g_hash_table_contains (seen, tags[i])) {
        char *tag = g_strdup (tags[i]);

        g_hash_table_add (seen, tag);
        g_ptr_array_add (sorted, tag);
      }
  }
  g_ptr_array_sort (sorted, compare_texts);
  gtk_string_list_append (names, _ ("All tags"));
  for (guint i = 0; i < sorted->len; i++) {
    const char *tag = (const char *) g_ptr_array_index (sorted, i);

    gtk_string_list_append (names, tag);
    if (g_strcmp0 (tag, chosen) == 0)
      found = i + 1;
  }
  /* A list that is open loses the keyboard with its model, and libraries change at any time: also when the operations of
   * GEGL have been read, a while after the start. */
  if (lists_equal (G_LIST_MODEL (old), G_LIST_MODEL (names)))
    return;
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->tags), G_LIST_MODEL (names));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->tags), found);
}

/* Their images. */

static void
on_activated (GtkFlowBox *flow, GtkFlowBoxChild *child, KgPresetBrowser *self)
{
  (void) flow;
  g_signal_emit_by_name (self, "chosen", kg_preset_get_id (get_preset (child)));
}

/* Dragged as its id, which the canvas knows what to do with, and seen as it is here. */
static GdkContentProvider *
on_drag_prepare (GtkDragSource *source, double x, double y, GtkWidget *child)
{
  g_autoptr (GdkPaintable) live = gtk_widget_paintable_new (child);
  /* A still image: on the way to the canvas another tab is shown. */
  g_autoptr (GdkPaintable) icon = gdk_paintable_get_current_image (live);

  gtk_drag_source_set_icon (source, icon, (int) x, (int) y);
  return gdk_content_provider_new_typed (G_TYPE_STRING, kg_preset_get_id (get_preset (child)));
}

/* (transfer full) (nullable) As large as its place permits: as many as fit shall stand in a row. */
static GdkPixbuf *
scale_image (const KgImage *image)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const double scale = MIN ((double) IMAGE_WIDTH / width, (double) IMAGE_HEIGHT / height);
  g_autoptr (GdkPixbuf) large = gdk_pixbuf_new (GDK_COLORSPACE_RGB, TRUE, 8, width, height);
  g_autofree uint8_t *rgba = NULL;

  if (large == NULL)
    return NULL;
  rgba = g_malloc_n ((gsize) width * (gsize) height, 4);
  kg_image_to_rgba8 (image, rgba);
  for (int y = 0; y < height; y++)
    memcpy (gdk_pixbuf_get_pixels (large) + (gsize) y * (gsize) gdk_pixbuf_get_rowstride (large),
            rgba + 4 * (gsize) y * (gsize) width, 4 * (gsize) width);
  return gdk_pixbuf_scale_simple (large, MAX (1, (int) (scale * width)), MAX (1, (int) (scale * height)),
                                  GDK_INTERP_BILINEAR);
}

/* A preset may be of a stranger: its thumbnail is read as foreign images are, which may take a while. */
static void
read_image (GTask *task, gpointer widget, gpointer file, GCancellable *cancellable)
{
  g_autoptr (KgImage) image = kg_image_load ((const char *) file, NULL, NULL);

  (void) widget;
  (void) cancellable;
  g_task_return_pointer (task, image != NULL ? scale_image (image) : NULL, g_object_unref);
}

static void
on_image_read (GObject *widget, GAsyncResult *result, gpointer data)
{
  g_autoptr (GdkPixbuf) pixbuf = (GdkPixbuf *) g_task_propagate_pointer (G_TASK (result), NULL);

  (void) data;
  if (pixbuf != NULL)
    gtk_picture_set_pixbuf (GTK_PICTURE (widget), pixbuf);
}

/* Not before it is looked at: most windows are used without a look at the presets. */
static void
on_image_map (GtkWidget *image, const char *file)
{
  g_autoptr (GTask) task = g_task_new (image, NULL, on_image_read, NULL);

  g_task_set_task_data (task, g_strdup (file), g_free);
  g_task_run_in_thread (task, read_image);
  g_signal_handlers_disconnect_by_func (image, on_image_map, (gpointer) file);
}

static GtkWidget *
make_image (const KgPreset *preset)
{
  const char *name = kg_preset_get_text (preset, "thumbnail"), *path = kg_preset_get_path (preset);
  GtkWidget *image = gtk_picture_new ();

  gtk_widget_set_size_request (image, IMAGE_WIDTH, IMAGE_HEIGHT);
  if (name != NULL && path != NULL) {
    g_autofree char *folder = g_path_get_dirname (path);

    g_signal_connect_data (image, "map", G_CALLBACK (on_image_map), g_build_filename (folder, name, NULL),
                           (GClosureNotify) (void (*) (void)) g_free, 0);
  }
  return image;
}

static void
show_label (GtkWidget *child)
{
  const KgPreset *preset = get_preset (child);
  const bool favourite = kg_settings_is_favourite (kg_settings_get_default (), kg_preset_get_id (preset));
  g_autofree char *text = g_strconcat (favourite ? "★ " : "", kg_preset_get_type (preset)->label, NULL);

  gtk_label_set_text (GTK_LABEL (g_object_get_data (G_OBJECT (child), "label")), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void open_menu (KgPresetBrowser *self, GtkWidget *child);

static void
on_menu_pressed (GtkGestureClick *gesture, int n_press, double x, double y, KgPresetBrowser *self)
{
  GtkWidget *child = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));

  (void) n_press;
  (void) x;
  (void) y;
  gtk_flow_box_select_child (GTK_FLOW_BOX (self->flow), GTK_FLOW_BOX_CHILD (child));
  gtk_widget_grab_focus (child);
  open_menu (self, child);
}

static GtkWidget *
make_child (KgPresetBrowser *self, const KgPreset *preset)
{
  const char *summary = kg_preset_get_text (preset, "summary");
  const KgNodeType *type = kg_preset_get_type (preset);
  GtkWidget *child = gtk_flow_box_child_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *label = gtk_label_new (NULL);
  GtkDragSource *source = gtk_drag_source_new ();
  GtkGesture *menu = gtk_gesture_click_new ();
  g_autofree char *tooltip =
      g_strdup_printf (_ ("%s\n%s, version %u"), summary != NULL ? summary : type->label, type->id, type->version);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 18);
  gtk_box_append (GTK_BOX (box), make_image (preset));
  gtk_box_append (GTK_BOX (box), label);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), box);
  gtk_widget_set_tooltip_text (child, tooltip);
  g_object_set_data_full (G_OBJECT (child), "preset", kg_preset_ref (preset), (GDestroyNotify) kg_preset_unref);
  g_object_set_data (G_OBJECT (child), "label", label);
  show_label (child);
  g_signal_connect (source, "prepare", G_CALLBACK (on_drag_prepare), child);
  gtk_widget_add_controller (child, GTK_EVENT_CONTROLLER (source));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (menu), GDK_BUTTON_SECONDARY);
  g_signal_connect (menu, "pressed", G_CALLBACK (on_menu_pressed), self);
  gtk_widget_add_controller (child, GTK_EVENT_CONTROLLER (menu));
  return child;
}

/* (transfer full) (nullable) */
static char *
dup_problems (KgPresetBrowser *self)
{
  KgLibrary *library = kg_document_get_library (self->document);

  return library != NULL ? kg_library_dup_problems (library) : NULL;
}

static void
show_problems (KgPresetBrowser *self)
{
  g_autofree char *text = dup_problems (self);
  g_autoptr (GError) error = text != NULL ? g_error_new_literal (KG_ERROR, KG_ERROR_INVALID_FILE, text) : NULL;

  if (error != NULL)
    kg_error_dialog_show (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), _ ("Preset files with problems"),
                          error);
}

/* Lists all of them again; the same one stays selected. */
static void
update (KgPresetBrowser *self)
{
  KgTypes *types = get_types (self);
  GtkWidget *selected = get_selected (self), *child;
  g_autofree char *id = selected != NULL ? g_strdup (kg_preset_get_id (get_preset (selected))) : NULL;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  const bool focused = focus != NULL && gtk_widget_is_ancestor (focus, self->flow);
  g_autofree char *problems = dup_problems (self);

  if (focused)
    gtk_widget_grab_focus (self->search);

  while ((child = gtk_widget_get_first_child (self->flow)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (self->flow), child);
  for (guint i = 0; i < kg_types_get_n (types); i++) {
    const KgPreset *preset = kg_type_get_preset (kg_types_get (types, i));

    if (preset == NULL)
      continue;
    child = make_child (self, preset);
    gtk_flow_box_append (GTK_FLOW_BOX (self->flow), child);
    if (g_strcmp0 (kg_preset_get_id (preset), id) == 0) {
      gtk_flow_box_select_child (GTK_FLOW_BOX (self->flow), GTK_FLOW_BOX_CHILD (child));
      if (focused)
        gtk_widget_grab_focus (child);
    }
  }
  update_tags (self);
  gtk_widget_set_visible (self->problems, problems != NULL);
}

/* What can be done with one. */

static GtkWindow *
get_window (KgPresetBrowser *self)
{
  return GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
}

/* Tells how it went: path (transfer full, nullable) is what was written. */
static void
finish (KgPresetBrowser *self, char *path, const char *done, const char *failed, const GError *error)
{
  g_autofree char *kept = path;
  g_autofree char *text = path != NULL ? g_strdup_printf ("%s: %s", done, path) : g_strdup (done);

  if (error != NULL) {
    kg_error_dialog_show (get_window (self), failed, error);
    return;
  }
  if (kg_document_get_library (self->document) != NULL)
    kg_library_reload (kg_document_get_library (self->document));
  g_signal_emit_by_name (self, "message", text);
}

static void
toggle_favourite (KgPresetBrowser *self, GtkWidget *child)
{
  const char *id = kg_preset_get_id (get_preset (child));
  KgSettings *settings = kg_settings_get_default ();

  kg_settings_set_favourite (settings, id, !kg_settings_is_favourite (settings, id));
  show_label (child);
  gtk_flow_box_invalidate_filter (GTK_FLOW_BOX (self->flow));
}

static void
duplicate (KgPresetBrowser *self, const KgPreset *preset)
{
  g_autoptr (GError) error = NULL;
  char *path = kg_preset_duplicate (preset, get_types (self), &error);

  finish (self, path, _ ("Duplicated"), _ ("The preset could not be duplicated"), error);
}

static void
on_delete_response (GtkDialog *dialog, int response, KgPresetBrowser *self)
{
  const KgPreset *preset = get_preset (dialog);
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT) {
    kg_preset_delete (preset, get_types (self), &error);
    finish (self, NULL, _ ("Deleted"), _ ("The preset could not be deleted"), error);
  }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
ask_to_delete (KgPresetBrowser *self, const KgPreset *preset)
{
  GtkWidget *dialog = gtk_message_dialog_new (get_window (self), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                              GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, _ ("Delete the preset “%s”?"),
                                              kg_preset_get_type (preset)->label);

  gtk_window_set_title (GTK_WINDOW (dialog), _ ("Kineograph"));
  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog),
      _ ("Its file is removed: %s. Graphs that use it contain its definition and keep working."),
      kg_preset_get_path (preset) != NULL ? kg_preset_get_path (preset) : "");
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Cancel"), GTK_RESPONSE_CANCEL, _ ("_Delete"), GTK_RESPONSE_ACCEPT,
                          NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL);
  g_object_set_data_full (G_OBJECT (dialog), "preset", kg_preset_ref (preset), (GDestroyNotify) kg_preset_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_delete_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* (transfer full) (nullable) The file that was chosen. */
static char *
take_path (GtkNativeDialog *dialog, int response)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                                                           : NULL;

  return file != NULL ? g_file_get_path (file) : NULL;
}

static void
on_export_response (GtkNativeDialog *dialog, int response, KgPresetBrowser *self)
{
  char *path = take_path (dialog, response);
  g_autoptr (GError) error = NULL;

  if (path != NULL) {
    kg_preset_export (get_preset (dialog), path, &error);
    finish (self, path, _ ("Exported"), _ ("The preset could not be exported"), error);
  }
  g_object_unref (dialog);
}

static void
ask_where_to_export (KgPresetBrowser *self, const KgPreset *preset)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Export Preset"), get_window (self), GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"), _ ("_Cancel"));
  g_autofree char *name = g_strconcat (strchr (kg_preset_get_id (preset), '/') + 1, KG_PRESET_SUFFIX, NULL);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_object_set_data_full (G_OBJECT (dialog), "preset", kg_preset_ref (preset), (GDestroyNotify) kg_preset_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_export_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_import_response (GtkNativeDialog *dialog, int response, KgPresetBrowser *self)
{
  g_autofree char *chosen = take_path (dialog, response);
  const char *folder = gtk_file_chooser_get_choice (GTK_FILE_CHOOSER (dialog), "library");
  g_autoptr (GError) error = NULL;

  if (chosen != NULL) {
    char *path = kg_preset_import (get_types (self), chosen,
                                   folder != NULL && !g_str_equal (folder, OWN_PLACE) ? folder : NULL, &error);

    finish (self, path, _ ("Imported"), _ ("The file could not be imported as a preset"), error);
  }
  g_object_unref (dialog);
}

static void
ask_what_to_import (KgPresetBrowser *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Import Preset"), get_window (self), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Import"), _ ("_Cancel"));
  g_auto (GStrv) folders = kg_preset_dup_writable_folders (get_types (self));
  g_autoptr (GPtrArray) ids = g_ptr_array_new (), labels = g_ptr_array_new_with_free_func (g_free);

  kg_file_chooser_add_filters (GTK_FILE_CHOOSER (dialog), _ ("Presets (*.json)"), "*.json");
  g_ptr_array_add (ids, (gpointer) OWN_PLACE);
  g_ptr_array_add (labels, g_strdup (_ ("My presets, or the folder of an older version")));
  for (guint i = 1; folders[i] != NULL; i++) {
    g_ptr_array_add (ids, folders[i]);
    g_ptr_array_add (labels, kg_library_describe_folder (folders[i], kg_document_get_folder (self->document)));
  }
  g_ptr_array_add (ids, NULL);
  g_ptr_array_add (labels, NULL);
  if (folders[1] != NULL) {
    gtk_file_chooser_add_choice (GTK_FILE_CHOOSER (dialog), "library", _ ("Library"), (const char **) ids->pdata,
                                 (const char **) labels->pdata);
    gtk_file_chooser_set_choice (GTK_FILE_CHOOSER (dialog), "library", OWN_PLACE);
  }
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_import_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgPresetBrowser *self = KG_PRESET_BROWSER (widget);
  GtkWidget *child = get_selected (self);
  g_autoptr (KgPreset) preset = child != NULL ? kg_preset_ref (get_preset (child)) : NULL;

  (void) parameter;
  if (g_str_equal (name, "preset.problems"))
    show_problems (self);
  else if (g_str_equal (name, "preset.import"))
    ask_what_to_import (self);
  else if (preset == NULL)
    g_signal_emit_by_name (self, "message", _ ("Select a preset."));
  else if (g_str_equal (name, "preset.add"))
    g_signal_emit_by_name (self, "chosen", kg_preset_get_id (preset));
  else if (g_str_equal (name, "preset.favourite"))
    toggle_favourite (self, child);
  else if (g_str_equal (name, "preset.edit"))
    g_signal_emit_by_name (self, "edit", kg_preset_get_id (preset));
  else if (g_str_equal (name, "preset.duplicate"))
    duplicate (self, preset);
  else if (g_str_equal (name, "preset.export"))
    ask_where_to_export (self, preset);
  else if (g_str_equal (name, "preset.delete"))
    ask_to_delete (self, preset);
  else
    open_menu (self, child);
}

static void
open_menu (KgPresetBrowser *self, GtkWidget *child)
{
  static const struct {
    const char *label, *action;
  } items[] = { { N_ ("Add to Canvas"), "preset.add" },  { N_ ("Favourite"), "preset.favourite" },
                { N_ ("Edit Contents"), "preset.edit" }, { N_ ("Duplicate"), "preset.duplicate" },
                { N_ ("Export…"), "preset.export" },     { N_ ("Delete…"), "preset.delete" } };
  g_autoptr (GMenu) menu = g_menu_new ();
  graphene_point_t middle = GRAPHENE_POINT_INIT (IMAGE_WIDTH / 2, IMAGE_HEIGHT / 2), at = middle;
  GdkRectangle place;

  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    g_menu_append (menu, _ (items[i].label), items[i].action);
  if (self->menu == NULL) {
    self->menu = gtk_popover_menu_new_from_model (NULL);
    gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
  }
  if (!gtk_widget_compute_point (child, GTK_WIDGET (self), &middle, &at))
    at = middle;
  place = (GdkRectangle){ (int) at.x, (int) at.y, 1, 1 };
  gtk_popover_menu_set_menu_model (GTK_POPOVER_MENU (self->menu), G_MENU_MODEL (menu));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &place);
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

/* Building. */

static void
kg_preset_browser_dispose (GObject *object)
{
  KgPresetBrowser *self = KG_PRESET_BROWSER (object);

  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_preset_browser_parent_class)->dispose (object);
}

static void
kg_preset_browser_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  KgPresetBrowser *self = KG_PRESET_BROWSER (widget);

  gtk_widget_allocate (self->box, width, height, baseline, NULL);
  if (self->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->menu));
}

static void
kg_preset_browser_measure (GtkWidget *widget, GtkOrientation orientation, int size, int *minimum, int *natural,
                           int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure (KG_PRESET_BROWSER (widget)->box, orientation, size, minimum, natural, minimum_baseline,
                      natural_baseline);
}

/* To the search. */
static gboolean
kg_preset_browser_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (KG_PRESET_BROWSER (widget)->search);
}

static void
kg_preset_browser_class_init (KgPresetBrowserClass *class)
{
  static const char *const actions[] = { "preset.add",       "preset.favourite", "preset.edit",
                                         "preset.duplicate", "preset.export",    "preset.delete",
                                         "preset.menu",      "preset.import",    "preset.problems" };
  static const struct {
    guint key;
    GdkModifierType modifiers;
    const char *action;
  } keys[] = { { GDK_KEY_Delete, 0, "preset.delete" },
               { GDK_KEY_d, GDK_CONTROL_MASK, "preset.duplicate" },
               { GDK_KEY_b, GDK_CONTROL_MASK, "preset.favourite" },
               { GDK_KEY_F4, 0, "preset.edit" },
               { GDK_KEY_x, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "preset.export" },
               { GDK_KEY_i, GDK_CONTROL_MASK, "preset.import" },
               { GDK_KEY_Menu, 0, "preset.menu" },
               { GDK_KEY_F10, GDK_SHIFT_MASK, "preset.menu" } };
  static const char *const texts[] = { "chosen", "edit", "message" };
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = kg_preset_browser_dispose;
  widget->measure = kg_preset_browser_measure;
  widget->grab_focus = kg_preset_browser_grab_focus;
  widget->size_allocate = kg_preset_browser_size_allocate;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_signal_new (texts[i], KG_TYPE_PRESET_BROWSER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                  G_TYPE_STRING);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i], NULL, on_action);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (widget, keys[i].key, keys[i].modifiers, keys[i].action, NULL);
}

/* From the search to what it found. */
static void
on_search_activate (KgPresetBrowser *self)
{
  /* Who types fast is ahead of the search. */
  gtk_flow_box_invalidate_filter (GTK_FLOW_BOX (self->flow));
  for (GtkWidget *child = gtk_widget_get_first_child (self->flow); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_child_visible (child)) {
      gtk_flow_box_select_child (GTK_FLOW_BOX (self->flow), GTK_FLOW_BOX_CHILD (child));
      gtk_widget_grab_focus (child);
      return;
    }
}

static GtkWidget *
add_button (GtkWidget *row, const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_box_append (GTK_BOX (row), button);
  return button;
}

static void
kg_preset_browser_init (KgPresetBrowser *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (), *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->search = gtk_search_entry_new ();
  g_object_set (self->search, "placeholder-text", _ ("Search presets"), NULL);
  gtk_widget_set_hexpand (self->search, TRUE);
  gtk_box_append (GTK_BOX (row), self->search);
  self->tags = gtk_drop_down_new (G_LIST_MODEL (gtk_string_list_new (NULL)), NULL);
  gtk_widget_set_tooltip_text (self->tags, _ ("Only presets with this tag"));
  gtk_box_append (GTK_BOX (row), self->tags);
  self->favourites = gtk_toggle_button_new_with_label ("★");
  gtk_widget_set_tooltip_text (self->favourites, _ ("Only favourites"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->favourites), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Only favourites"), -1);
  gtk_box_append (GTK_BOX (row), self->favourites);
  add_button (row, _ ("Import…"), "preset.import", _ ("Import a preset file from elsewhere (Ctrl+I)"));
  add_button (row, _ ("More…"), "preset.menu", _ ("Actions for the selected preset (Menu key)"));
  self->problems = add_button (row, _ ("Problems…"), "preset.problems",
                               _ ("Files in the preset folders that have problems, and the reasons"));
  gtk_widget_add_css_class (self->problems, "kg-error");
  gtk_box_append (GTK_BOX (self->box), row);
  self->flow = gtk_flow_box_new ();
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (self->flow), 20);
  gtk_flow_box_set_homogeneous (GTK_FLOW_BOX (self->flow), TRUE);
  gtk_flow_box_set_activate_on_single_click (GTK_FLOW_BOX (self->flow), FALSE);
  gtk_flow_box_set_filter_func (GTK_FLOW_BOX (self->flow), is_wanted, self, NULL);
  gtk_widget_set_valign (self->flow, GTK_ALIGN_START);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->flow);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (self->box), scrolled);
  g_signal_connect_swapped (self->search, "search-changed", G_CALLBACK (gtk_flow_box_invalidate_filter), self->flow);
  g_signal_connect_swapped (self->search, "activate", G_CALLBACK (on_search_activate), self);
  g_signal_connect_swapped (self->tags, "notify::selected", G_CALLBACK (gtk_flow_box_invalidate_filter), self->flow);
  g_signal_connect_swapped (self->favourites, "toggled", G_CALLBACK (gtk_flow_box_invalidate_filter), self->flow);
  g_signal_connect (self->flow, "child-activated", G_CALLBACK (on_activated), self);
}

GtkWidget *
kg_preset_browser_new (KgDocument *document)
{
  KgPresetBrowser *self = KG_PRESET_BROWSER (g_object_new (KG_TYPE_PRESET_BROWSER, NULL));

  self->document = (KgDocument *) g_object_ref (document);
  g_signal_connect_object (document, "library-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
