/* kg-application: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-application.h"

#include "config.h"
#include "kg-data.h"
#include "kg-file-chooser.h"
#include "kg-preferences.h"
#include "kg-preset.h"
#include "kg-problems-dialog.h"
#include "kg-recovery.h"
#include "kg-regular-file.h"
#include "kg-settings.h"
#include "kg-theme.h"
#include "kg-welcome.h"
#include "kg-window.h"

#include <glib/gi18n.h>

struct _KgApplication {
  GtkApplication parent_instance;
  KgTypes *types; /* of the program; presets are those of a library */
  char *built_in; /* (nullable) the presets that come with it */
  bool looked_for_lost_work;
};

G_DEFINE_FINAL_TYPE (KgApplication, kg_application, GTK_TYPE_APPLICATION)

KgTypes *
kg_application_get_types (KgApplication *self)
{
  return self->types;
}

KgLibrary *
kg_application_new_library (KgApplication *self, const char *graph_folder)
{
  KgLibrary *library = kg_library_new (self->types, graph_folder, self->built_in);
  g_autofree char *problems = kg_library_dup_problems (library);

  kg_library_load_offered (library);
  /* A preset with errors affects only those who use it. */
  if (problems != NULL)
    g_message ("%s", problems);
  return library;
}

void
kg_application_show_document (KgApplication *self, KgDocument *document)
{
  GtkWindow *active = gtk_application_get_active_window (GTK_APPLICATION (self));

  if (active != NULL && KG_IS_WINDOW (active) && kg_window_get_document (KG_WINDOW (active)) == NULL)
    kg_window_set_document (KG_WINDOW (active), document);
  else
    active = kg_window_new (self, document);
  gtk_window_present (active);
}

KgDocument *
kg_application_new_document (KgApplication *self)
{
  g_autoptr (KgLibrary) library = kg_application_new_library (self, NULL);
  KgDocument *document = kg_document_new (kg_library_get_types (library));

  kg_document_set_library (document, library);
  return document;
}

/* The window that has the file already. */
static GtkWindow *
find_window (KgApplication *self, const char *path)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l != NULL; l = l->next)
    if (KG_IS_WINDOW (l->data)) {
      KgDocument *document = kg_window_get_document (KG_WINDOW (l->data));

      if (document != NULL && g_strcmp0 (kg_document_get_path (document), path) == 0 &&
          kg_document_check_file (document) != KG_FILE_CHANGED)
        return GTK_WINDOW (l->data);
    }
  return NULL;
}

static void
open_path (KgApplication *self, const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *folder = g_path_get_dirname (absolute);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgDocument) document = NULL;
  g_autoptr (KgLibrary) library = NULL;
  GtkWindow *window = find_window (self, absolute);

  if (window != NULL) {
    gtk_window_present (window);
    return;
  }
  library = kg_application_new_library (self, folder);
  if (kg_welcome_is_example (absolute)) {
    g_autofree char *text = kg_regular_file_read (absolute, "a graph", NULL, NULL);

    if (text != NULL)
      document = kg_document_parse (kg_library_get_types (library), text, folder, problems);
  } else
    document = kg_document_load (kg_library_get_types (library), absolute, problems);
  if (document != NULL) {
    kg_document_set_library (document, library);
    kg_application_show_document (self, document);
    return;
  }
  window = gtk_application_get_active_window (GTK_APPLICATION (self));
  if (window == NULL) {
    window = kg_window_new (self, NULL);
    gtk_window_present (window);
  }
  kg_problems_dialog_show (window, absolute, problems);
}

/* Work that a crash left behind. */

static void
on_recovery_response (GtkDialog *dialog, int response, KgApplication *self)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_ref ((GPtrArray *) g_object_get_data (G_OBJECT (dialog), "entries"));

  gtk_window_destroy (GTK_WINDOW (dialog));
  for (guint i = 0; i < entries->len; i++) {
    const KgRecoveryEntry *entry = (const KgRecoveryEntry *) g_ptr_array_index (entries, i);

    if (response == GTK_RESPONSE_ACCEPT) {
      g_autoptr (GPtrArray) problems = kg_problems_new ();
      g_autofree char *folder = entry->path != NULL ? g_path_get_dirname (entry->path) : g_strdup (entry->folder);
      g_autoptr (KgLibrary) library = kg_application_new_library (self, folder);
      g_autoptr (KgDocument) document = kg_recovery_open (kg_library_get_types (library), entry, problems);

      if (document != NULL)
        kg_document_set_library (document, library);
      if (document != NULL)
        kg_application_show_document (self, document);
      else
        kg_problems_dialog_show (gtk_application_get_active_window (GTK_APPLICATION (self)), entry->file, problems);
    } else if (response == GTK_RESPONSE_REJECT)
      kg_recovery_discard (entry);
  }
}

static void
offer_recovery (KgApplication *self)
{
  g_autoptr (GPtrArray) entries = kg_recovery_find ();
  g_autoptr (GString) list = g_string_new (NULL);
  GtkWidget *dialog;

  if (self->looked_for_lost_work || entries->len == 0)
    return;
  self->looked_for_lost_work = true;
  for (guint i = 0; i < entries->len; i++) {
    const KgRecoveryEntry *entry = (const KgRecoveryEntry *) g_ptr_array_index (entries, i);
    g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (entry->time);
    g_autofree char *when = time != NULL ? g_date_time_format (time, "%c") : g_strdup ("");

    g_string_append_printf (list, "%s%s, %s", i > 0 ? "\n" : "", entry->title, when);
  }
  dialog = gtk_message_dialog_new (gtk_application_get_active_window (GTK_APPLICATION (self)), GTK_DIALOG_MODAL,
                                   GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE,
                                   _ ("Kineograph was not closed properly. Open the unsaved work?"));
  gtk_window_set_title (GTK_WINDOW (dialog), _ ("Kineograph"));
  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s", list->str);
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Discard"), GTK_RESPONSE_REJECT, _ ("_Later"), GTK_RESPONSE_CANCEL,
                          _ ("_Open"), GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  g_object_set_data_full (G_OBJECT (dialog), "entries", g_ptr_array_ref (entries), (GDestroyNotify) g_ptr_array_unref);
  g_signal_connect (dialog, "response", G_CALLBACK (on_recovery_response), self);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* Actions. */

static void
on_new (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  KgApplication *self = KG_APPLICATION (data);
  g_autoptr (KgDocument) document = kg_application_new_document (self);

  (void) action;
  (void) parameter;
  kg_application_show_document (self, document);
}

static void
on_open_response (GtkNativeDialog *dialog, int response, gpointer data)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
    g_autofree char *path = g_file_get_path (file);

    if (path != NULL)
      open_path (KG_APPLICATION (data), path);
  }
  g_object_unref (dialog);
}

static void
on_open (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (_ ("Open Graph"), gtk_application_get_active_window (GTK_APPLICATION (data)),
                                   GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), _ ("_Cancel"));
  const char *recent = kg_settings_get_recent_folder (kg_settings_get_default ());

  (void) action;
  (void) parameter;
  kg_file_chooser_add_filters (GTK_FILE_CHOOSER (dialog), _ ("Graphs (*.json)"), "*.json");
  if (recent != NULL && *recent != '\0') {
    g_autoptr (GFile) folder = g_file_new_for_path (recent);

    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
  }
  g_signal_connect (dialog, "response", G_CALLBACK (on_open_response), data);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_open_path (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  (void) action;
  open_path (KG_APPLICATION (data), g_variant_get_string (parameter, NULL));
}

static const char *const theme_names[] = {
  [KG_THEME_FOLLOW] = "follow", [KG_THEME_DARK] = "dark", [KG_THEME_LIGHT] = "light"
};

static void
on_theme (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  (void) action;
  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (theme_names); i++)
    if (g_str_equal (theme_names[i], g_variant_get_string (parameter, NULL)))
      g_object_set (kg_settings_get_default (), "theme", i, NULL);
}

/* The menu shows what was chosen, here or among the preferences. */
static void
on_theme_changed (KgApplication *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "theme");
  const KgTheme theme = kg_settings_get_theme (kg_settings_get_default ());

  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (theme_names[theme]));
}

static void
on_preferences (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkApplication *self = GTK_APPLICATION (data);

  (void) action;
  (void) parameter;
  for (GList *l = gtk_application_get_windows (self); l != NULL; l = l->next)
    if (KG_IS_PREFERENCES (l->data)) {
      gtk_window_present (GTK_WINDOW (l->data));
      return;
    }
  {
    GtkWindow *preferences = kg_preferences_new (gtk_application_get_active_window (self));

    gtk_window_set_application (preferences, self);
    gtk_window_present (preferences);
  }
}

static void
on_about (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  (void) action;
  (void) parameter;
  gtk_show_about_dialog (gtk_application_get_active_window (GTK_APPLICATION (data)), "program-name", "Kineograph",
                         "version", KG_VERSION, "license-type", GTK_LICENSE_GPL_3_0, "comments",
                         _ ("Animation from a graph of nodes."), "logo-icon-name", "org.kineograph.Kineograph", NULL);
}

static void
on_quit (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (data)));

  (void) action;
  (void) parameter;
  for (GList *l = windows; l != NULL; l = l->next)
    if (KG_IS_WINDOW (l->data))
      kg_window_ask_to_close (KG_WINDOW (l->data));
}

static void
kg_application_startup (GApplication *application)
{
  static const GActionEntry actions[] = {
    { .name = "new", .activate = on_new },
    { .name = "open", .activate = on_open },
    { .name = "open-path", .activate = on_open_path, .parameter_type = "s" },
    { .name = "theme", .activate = on_theme, .parameter_type = "s", .state = "'follow'" },
    { .name = "preferences", .activate = on_preferences },
    { .name = "about", .activate = on_about },
    { .name = "quit", .activate = on_quit },
  };
  static const struct {
    const char *action;
    const char *keys[3];
  } accelerators[] = {
    { "app.new", { "<Control>n" } },
    { "app.open", { "<Control>o" } },
    { "app.quit", { "<Control>q" } },
    { "app.preferences", { "<Control>comma" } },
    { "win.save", { "<Control>s" } },
    { "win.save-as", { "<Control><Shift>s" } },
    { "win.undo", { "<Control>z" } },
    { "win.redo", { "<Control><Shift>z", "<Control>y" } },
    { "win.read-again", { "F5" } },
    { "win.render", { "F12" } },
    { "win.fullscreen", { "F11" } },
    { "win.shortcuts", { "<Control>question", "F1" } },
    { "win.next-pane", { "F6" } },
    { "win.mute", { "<Control><Shift>m" } },
    { "win.tab::canvas", { "<Control>1" } },
    { "win.tab::curves", { "<Control>2" } },
    { "win.tab::sheet", { "<Control>3" } },
    { "win.tab::presets", { "<Control>4" } },
    { "win.tab::dope", { "<Control>5" } },
    { "win.make-preset", { "<Control>p" } },
    { "win.preset-edit", { "<Control>e" } },
    { "win.preset-save-version", { "<Control><Shift>e" } },
    { "win.preset-match", { "<Control>m" } },
    { "win.preset-upgrade", { "<Control>u" } },
    { "window.close", { "<Control>w" } },
  };
  g_autoptr (GtkCssProvider) css = gtk_css_provider_new ();

  G_APPLICATION_CLASS (kg_application_parent_class)->startup (application);
  g_action_map_add_action_entries (G_ACTION_MAP (application), actions, G_N_ELEMENTS (actions), application);
  for (guint i = 0; i < G_N_ELEMENTS (accelerators); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), accelerators[i].action,
                                           (const char *const *) accelerators[i].keys);
  gtk_css_provider_load_from_resource (css, "/org/kineograph/Kineograph/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (css),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  kg_theme_apply (kg_settings_get_default ());
  g_signal_connect_object (kg_settings_get_default (), "notify::theme", G_CALLBACK (on_theme_changed), application,
                           G_CONNECT_SWAPPED);
  on_theme_changed (KG_APPLICATION (application));
  gtk_window_set_default_icon_name ("org.kineograph.Kineograph");
}

static void
kg_application_activate (GApplication *application)
{
  GtkWindow *active = gtk_application_get_active_window (GTK_APPLICATION (application));

  if (active == NULL)
    active = kg_window_new (KG_APPLICATION (application), NULL);
  gtk_window_present (active);
  offer_recovery (KG_APPLICATION (application));
}

static void
kg_application_open (GApplication *application, GFile **files, int n, const char *hint)
{
  (void) hint;
  for (int i = 0; i < n; i++) {
    g_autofree char *path = g_file_get_path (files[i]);

    if (path != NULL)
      open_path (KG_APPLICATION (application), path);
  }
  offer_recovery (KG_APPLICATION (application));
}

static void
kg_application_finalize (GObject *object)
{
  kg_types_unref (KG_APPLICATION (object)->types);
  g_free (KG_APPLICATION (object)->built_in);
  G_OBJECT_CLASS (kg_application_parent_class)->finalize (object);
}

static void
kg_application_class_init (KgApplicationClass *class)
{
  G_OBJECT_CLASS (class)->finalize = kg_application_finalize;
  G_APPLICATION_CLASS (class)->startup = kg_application_startup;
  G_APPLICATION_CLASS (class)->activate = kg_application_activate;
  G_APPLICATION_CLASS (class)->open = kg_application_open;
}

static void
kg_application_init (KgApplication *self)
{
  self->types = kg_types_new (kg_node_table);
  self->built_in = kg_data_find ("presets");
}

KgApplication *
kg_application_new (void)
{
  return KG_APPLICATION (g_object_new (KG_TYPE_APPLICATION, "application-id", "org.kineograph.Kineograph", "flags",
                                       G_APPLICATION_HANDLES_OPEN, NULL));
}
