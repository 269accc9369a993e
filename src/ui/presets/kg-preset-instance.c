/* kg-preset-instance: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-instance.h"

#include "config.h"
#include "kg-preset-store.h"
#include "kg-preset-json.h"
#include "kg-preset-pack.h"
#include "kg-problems-dialog.h"
#include "kg-widget.h"

#include <glib/gi18n.h>

/* (nullable) The instance that commands are about: the active node, or the one whose contents are shown. */
static KgNode *
get_target (KgDocument *document)
{
  KgNode *node = kg_document_get_active (document);

  if (node != NULL && kg_node_get_preset (node) != NULL)
    return node;
  for (node = kg_graph_get_owner (kg_document_get_current (document)); node != NULL;
       node = kg_graph_get_owner (kg_node_get_parent (node)))
    if (kg_node_get_preset (node) != NULL)
      return node;
  return NULL;
}

/* (nullable) What there is of the preset in the library now. */
static const KgPreset *
find_in_library (KgDocument *document, const KgNode *node)
{
  KgLibrary *library = kg_document_get_library (document);
  const KgNodeType *type = library != NULL ? kg_types_find (kg_library_get_types (library), kg_node_get_type_id (node))
                                           : NULL;

  return kg_type_get_preset (type);
}

static const KgPreset *
find_newer (KgDocument *document, const KgNode *node)
{
  KgLibrary *library = kg_document_get_library (document);

  return library != NULL ? kg_node_find_newer (node, kg_library_get_types (library)) : NULL;
}

/* (transfer full) The interface changes, a line each. */
static char *
list_changes (const KgPreset *older, const KgPreset *newer)
{
  g_autoptr (GArray) changes = kg_preset_compare (older, newer);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < changes->len; i++) {
    g_autofree char *line = kg_interface_change_to_text (&g_array_index (changes, KgInterfaceChange, i));

    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", line);
  }
  if (changes->len == 0)
    g_string_append (text, _ ("Its inputs and outputs stay the same."));
  return g_string_free (text, FALSE);
}

/* Questions. */

/* The instance is found again by its path when the answer comes: meanwhile the graph may change. */
typedef struct {
  KgDocument *document;
  GtkWindow *window;
  char *path, *text;
} Question;

static void
question_free (gpointer data)
{
  Question *question = (Question *) data;

  g_object_unref (question->document);
  g_free (question->path);
  g_free (question->text);
  g_free (question);
}

static GtkWidget *
ask_user (KgDocument *document, GtkWindow *window, KgNode *node, char *text, const char *title, const char *detail,
          const char *answer, GCallback answered)
{
  GtkWidget *dialog = gtk_message_dialog_new (window, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                              GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s", title);
  Question *question = g_new0 (Question, 1);

  question->document = (KgDocument *) g_object_ref (document);
  question->window = window;
  question->path = kg_node_dup_path (node);
  question->text = text;
  gtk_window_set_title (GTK_WINDOW (dialog), _ ("Kineograph"));
  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s", detail);
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Cancel"), GTK_RESPONSE_CANCEL, answer, GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  g_object_set_data_full (G_OBJECT (dialog), "question", question, question_free);
  g_signal_connect (dialog, "response", answered, question);
  gtk_window_present (GTK_WINDOW (dialog));
  return dialog;
}

static KgNode *
find_again (const Question *question)
{
  KgNode *node = kg_graph_find_path (kg_document_get_graph (question->document), question->path);

  return node != NULL && kg_node_get_preset (node) != NULL ? node : NULL;
}

static void
select_path (const Question *question)
{
  KgNode *node = find_again (question);

  if (node == NULL)
    return;
  kg_document_enter (question->document, kg_node_get_parent (node));
  kg_document_select (question->document, node, false);
}

/* Upgrade. */

#define RESPONSE_ONLY_THIS 1

static void
on_upgrade_response (GtkDialog *dialog, int response, const Question *question)
{
  const bool only_this = response == RESPONSE_ONLY_THIS;
  KgNode *node = response == GTK_RESPONSE_ACCEPT || only_this ? find_again (question) : NULL;
  const KgPreset *newer = node != NULL ? find_newer (question->document, node) : NULL;
  g_autoptr (GError) error = NULL;
  bool good = true;

  if (newer != NULL)
    good = only_this ? kg_graph_upgrade_node (kg_node_get_parent (node), node, newer, &error) != NULL
                     : kg_graph_upgrade (kg_document_get_graph (question->document), newer, &error);
  if (!good)
    kg_error_dialog_show (question->window, _ ("The preset could not be upgraded"), error);
  else if (newer != NULL)
    select_path (question);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* Instances that are of an older definition. */
static guint
count_older (KgDocument *document, const KgPreset *newer)
{
  g_autoptr (GPtrArray)
      instances = kg_graph_find_instances (kg_document_get_graph (document), kg_preset_get_id (newer));
  guint n = 0;

  for (guint i = 0; i < instances->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (instances, i);

    n += kg_preset_get_version (kg_node_get_preset (node)) < kg_preset_get_version (newer);
  }
  return n;
}

static void
ask_to_upgrade (KgDocument *document, GtkWindow *window, KgNode *node, const KgPreset *newer)
{
  const KgPreset *older = kg_node_get_preset (node);
  const guint n = count_older (document, newer);
  g_autofree char *changes = list_changes (older, newer);
  g_autofree char *title = g_strdup_printf (_ ("Upgrade “%s” from version %u to %u?"),
                                            kg_preset_get_type (newer)->label, kg_preset_get_version (older),
                                            kg_preset_get_version (newer));
  g_autofree char *count = g_strdup_printf (
      g_dngettext (NULL, "%u instance in this graph changes.", "%u instances in this graph change.", n), n);
  g_autofree char *detail = g_strdup_printf ("%s\n\n%s", changes, count);
  GtkWidget *dialog;

  dialog = ask_user (document, window, node, NULL, title, detail, n > 1 ? _ ("_Upgrade All") : _ ("_Upgrade"),
                     G_CALLBACK (on_upgrade_response));
  if (n > 1)
    gtk_dialog_add_button (GTK_DIALOG (dialog), _ ("Only _This One"), RESPONSE_ONLY_THIS);
}

/* The next version. */

static guint
get_next_version (KgDocument *document, const KgNode *node)
{
  const KgPreset *library = find_in_library (document, node);
  const guint mine = kg_preset_get_version (kg_node_get_preset (node));

  return 1 + (library != NULL ? MAX (mine, kg_preset_get_version (library)) : mine);
}

/* The private copy is what the new version says: it becomes an instance again, and so do all others. */
static bool
adopt_version (const Question *question, GError **error)
{
  KgGraph *graph = kg_document_get_graph (question->document);
  KgNode *node = find_again (question);
  const KgPreset *newer = node != NULL ? find_newer (question->document, node) : NULL;
  bool good;

  if (newer == NULL)
    return true;
  kg_graph_begin_group (graph, _ ("Save a version of a preset"));
  good = kg_graph_upgrade (graph, newer, error) &&
         kg_graph_match_preset (kg_node_get_parent (node), find_again (question), error);
  return kg_graph_close_group (graph, good);
}

static void
on_version_response (GtkDialog *dialog, int response, const Question *question)
{
  KgLibrary *library = kg_document_get_library (question->document);
  KgNode *node = response == GTK_RESPONSE_ACCEPT ? find_again (question) : NULL;
  const KgPreset *there = node != NULL ? find_in_library (question->document, node) : NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  if (node != NULL) {
    path = kg_preset_store_version (there != NULL ? there : kg_node_get_preset (node), question->text,
                                    kg_library_get_types (library), &error);
    if (path != NULL) {
      kg_library_reload (library);
      if (adopt_version (question, &error))
        select_path (question);
    }
    if (error != NULL)
      kg_error_dialog_show (question->window, _ ("The version could not be saved"), error);
  }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
ask_to_save_version (KgDocument *document, GtkWindow *window, KgNode *node)
{
  KgTypes *types = kg_graph_get_types (kg_document_get_graph (document));
  const guint version = get_next_version (document, node);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = kg_preset_pack_instance (node, version, &error), *changes = NULL, *title = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) made = text != NULL ? kg_preset_parse (types, text, -1, problems) : NULL;

  if (made == NULL) {
    kg_error_dialog_show (window, _ ("The contents cannot be made into a preset"), error);
    return;
  }
  changes = list_changes (kg_node_get_preset (node), made);
  title = g_strdup_printf (_ ("Save “%s” as version %u?"), kg_preset_get_type (made)->label, version);
  ask_user (document, window, node, g_steal_pointer (&text), title, changes, _ ("_Save"),
            G_CALLBACK (on_version_response));
}

/* Commands. */

static void
show_message (GtkWindow *window, const char *text)
{
  g_autoptr (GError) error = g_error_new_literal (KG_ERROR, KG_ERROR_INVALID_VALUE, text);

  kg_error_dialog_show (window, _ ("Presets"), error);
}

static void
match (KgDocument *document, GtkWindow *window, KgNode *node)
{
  const Question question = { document, window, kg_node_dup_path (node), NULL };
  g_autofree char *path = question.path;
  g_autoptr (GError) error = NULL;

  if (kg_graph_match_preset (kg_node_get_parent (node), node, &error))
    select_path (&question);
  else
    kg_error_dialog_show (window, _ ("The instance could not be matched to its definition"), error);
}

void
kg_preset_instance_run (KgDocument *document, GtkWindow *window, const char *action)
{
  KgNode *node = get_target (document);
  const KgPreset *newer = node != NULL ? find_newer (document, node) : NULL;

  if (node == NULL)
    show_message (window, _ ("Select an instance of a preset."));
  else if (kg_graph_is_locked (kg_node_get_parent (node)))
    show_message (window, _ ("This instance is inside another: edit the contents of that one first."));
  else if (g_str_equal (action, "win.preset-edit")) {
    kg_graph_set_unlocked (kg_node_get_parent (node), node, true);
    kg_document_enter (document, kg_node_get_graph (node));
  } else if (g_str_equal (action, "win.preset-upgrade") && newer == NULL)
    show_message (window, _ ("The library has no newer version."));
  else if (g_str_equal (action, "win.preset-upgrade"))
    ask_to_upgrade (document, window, node, newer);
  else if (!kg_node_is_unlocked (node))
    show_message (window, _ ("The instance matches its definition: edit its contents first."));
  else if (g_str_equal (action, "win.preset-match"))
    match (document, window, node);
  else
    ask_to_save_version (document, window, node);
}

bool
kg_preset_instance_open (KgDocument *document, const char *preset_id, GError **error)
{
  KgGraph *graph = kg_document_get_graph (document);
  KgNode *node = kg_graph_add (graph, preset_id, NULL, 200, 150, error);

  if (node == NULL)
    return false;
  kg_graph_set_title (graph, kg_node_get_type (node)->label);
  kg_graph_set_unlocked (graph, node, true);
  kg_graph_set_display (graph, kg_node_get_name (node));
  kg_graph_clear_history (graph);
  kg_document_enter (document, kg_node_get_graph (node));
  return true;
}

/* The inspector's part. */

struct _KgPresetInstance {
  GtkWidget parent_instance;
  KgDocument *document;
  GtkWidget *box, *state, *aside, *edit, *save, *match, *upgrade;
};

G_DEFINE_FINAL_TYPE (KgPresetInstance, kg_preset_instance, GTK_TYPE_WIDGET)

static void
show_aside (KgPresetInstance *self, const KgNode *node)
{
  const KgJson *aside = kg_node_get_aside (node);
  g_autoptr (GString) text = g_string_new (NULL);
  const char *before = _ ("Kept aside because this version has no such input:\n");

  gtk_widget_set_visible (self->aside, aside != NULL);
  for (KgJsonIter member = kg_json_iterate (aside); kg_json_next (&member);) {
    g_string_append_printf (text, "%s%s = ", before, member.name);
    before = "\n";
    kg_json_write (kg_json_get (member.value, "value"), text);
  }
  gtk_label_set_text (GTK_LABEL (self->aside), text->str);
}

static void
update (KgPresetInstance *self)
{
  KgNode *node = get_target (self->document);
  const KgPreset *newer = node != NULL ? find_newer (self->document, node) : NULL;
  const bool shown = node != NULL && !kg_graph_is_locked (kg_node_get_parent (node));
  const bool unlocked = shown && kg_node_is_unlocked (node);
  g_autofree char *text = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self), shown);
  if (!shown)
    return;
  if (unlocked)
    text = g_strdup_printf (_ ("%s: a private copy of version %u"), kg_node_get_name (node),
                            kg_preset_get_version (kg_node_get_preset (node)));
  else if (newer != NULL)
    text = g_strdup_printf (_ ("%s: version %u. Version %u is available."), kg_node_get_name (node),
                            kg_preset_get_version (kg_node_get_preset (node)), kg_preset_get_version (newer));
  else
    text = g_strdup_printf (_ ("%s: version %u"), kg_node_get_name (node),
                            kg_preset_get_version (kg_node_get_preset (node)));
  gtk_label_set_text (GTK_LABEL (self->state), text);
  gtk_widget_set_visible (self->edit, !unlocked);
  gtk_widget_set_visible (self->upgrade, newer != NULL && !unlocked);
  gtk_widget_set_visible (self->save, unlocked);
  gtk_widget_set_visible (self->match, unlocked);
  show_aside (self, node);
}

static GtkWidget *
add_button (KgPresetInstance *self, const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_box_append (GTK_BOX (self->box), button);
  return button;
}

static GtkWidget *
add_label (KgPresetInstance *self, const char *css)
{
  GtkWidget *label = kg_widget_append_label (self->box, css);

  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  return label;
}

static void
kg_preset_instance_dispose (GObject *object)
{
  KgPresetInstance *self = KG_PRESET_INSTANCE (object);

  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_preset_instance_parent_class)->dispose (object);
}

static void
kg_preset_instance_class_init (KgPresetInstanceClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_preset_instance_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
}

static void
kg_preset_instance_init (KgPresetInstance *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->state = add_label (self, "kg-heading");
  self->upgrade = add_button (self, _ ("Upgrade…"), "win.preset-upgrade",
                              _ ("Show what changes, and upgrade to the newer version"));
  self->edit =
      add_button (self, _ ("Edit Contents"), "win.preset-edit", _ ("Make this instance a private copy and open it"));
  self->save = add_button (self, _ ("Save as New Version…"), "win.preset-save-version",
                           _ ("Save the contents of this copy to the library"));
  self->match =
      add_button (self, _ ("Match Definition"), "win.preset-match", _ ("Restore the contents of the definition"));
  gtk_widget_add_css_class (self->upgrade, "suggested-action");
  self->aside = add_label (self, "kg-dim");
}

GtkWidget *
kg_preset_instance_new (KgDocument *document)
{
  static const char *const signals[] = { "changed", "selection-changed", "current-changed", "library-changed" };
  KgPresetInstance *self = KG_PRESET_INSTANCE (g_object_new (KG_TYPE_PRESET_INSTANCE, NULL));

  self->document = (KgDocument *) g_object_ref (document);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_object (document, signals[i], G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
