/* kg-window: see the header.
 *
 * The window decides when what is evaluated: whenever what is displayed, its time or its view may have changed, one
 * request goes to the worker when the main loop is idle next.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-window.h"

#include "config.h"
#include "kg-canvas.h"
#include "kg-curve-editor.h"
#include "kg-inspector.h"
#include "kg-preset-browser.h"
#include "kg-preset-dialog.h"
#include "kg-preset-instance.h"
#include "kg-problems-dialog.h"
#include "kg-recent.h"
#include "kg-recovery.h"
#include "kg-render-dialog.h"
#include "kg-script-dialog.h"
#include "kg-settings.h"
#include "kg-spreadsheet.h"
#include "kg-timeline.h"
#include "kg-viewport.h"
#include "kg-welcome.h"

#include <glib/gi18n.h>
#include <string.h>

#define MESSAGE_SECONDS 8
#define NARROW 620 /* pixels */

struct _KgWindow {
  GtkApplicationWindow parent_instance;
  GtkWidget *stack, *welcome_page, *editor_page, *changed_bar, *changed_label, *reload_button;
  GtkWidget *save_again_button, *side_paned, *main_paned, *viewport_box, *inspector_box;
  GtkWidget *timeline_box, *breadcrumb, *message, *lower_stack, *spinner, *save_button, *undo_button, *redo_button;
  GMenu *recent_menu;
  KgDocument *document;
  KgRecovery *recovery;
  KgCache *cache;
  KgWorker *worker;
  KgCanvas *canvas;
  GtkWidget *viewport, *inspector, *timeline, *curves, *sheet, *presets;
  GFileMonitor *monitor;
  guint request_source, message_source;
  /* What the worker has. */
  bool stale;       /* it needs a new snapshot */
  bool wanted;      /* a request in any case: for another time or view */
  KgHash sent_hash; /* of what was displayed */
  bool closing;
  bool narrow;
  bool space_held, space_used;
};

G_DEFINE_FINAL_TYPE (KgWindow, kg_window, GTK_TYPE_APPLICATION_WINDOW)

/* Messages. */

static gboolean
clear_message (gpointer data)
{
  KgWindow *self = KG_WINDOW (data);

  self->message_source = 0;
  gtk_label_set_text (GTK_LABEL (self->message), "");
  return G_SOURCE_REMOVE;
}

static void
show_message (KgWindow *self, const char *text)
{
  gtk_label_set_text (GTK_LABEL (self->message), text);
  gtk_widget_set_tooltip_text (self->message, text);
  g_clear_handle_id (&self->message_source, g_source_remove);
  self->message_source = g_timeout_add_seconds (MESSAGE_SECONDS, clear_message, self);
}

/* Evaluating. */

/* (transfer full) (nullable) The output that is shown: of the sub-graph that is open when it has one, else the graph's. */
static char *
dup_target (KgWindow *self)
{
  KgGraph *current = kg_document_get_current (self->document), *root = kg_document_get_graph (self->document);
  KgNode *owner = kg_graph_get_owner (current);
  const char *display = kg_graph_get_display (current);

  if (owner != NULL && display != NULL) {
    g_autofree char *path = kg_node_dup_path (owner);

    return g_strdup_printf ("%s/%s", path, display);
  }
  return g_strdup (kg_graph_get_display (root));
}

/* name: "path.slot" */
static KgHash
hash_node (KgGraph *root, const char *name, KgHash hash)
{
  const char *dot = strrchr (name, '.');
  g_autofree char *path = dot != NULL ? g_strndup (name, (gsize) (dot - name)) : g_strdup (name);
  KgNode *node = kg_graph_find_path (root, path);

  hash = kg_hash_text (hash, name);
  return node != NULL ? kg_hash_join (hash, kg_node_get_fingerprint (node)) : hash;
}

/* Everything that the answer depends on but time and view. */
static KgHash
hash_display (KgWindow *self, const KgRequest *request)
{
  KgGraph *root = kg_document_get_graph (self->document);
  const KgFrames frames = kg_graph_get_frames (root);
  KgHash hash = kg_hash_double (
      kg_hash_double (kg_hash_text (kg_hash_begin (KG_HASH_DISPLAY, 0), request->target), frames.rate), frames.start);

  hash = kg_hash_double (hash, frames.end);
  if (request->target != NULL)
    hash = hash_node (root, request->target, hash);
  for (guint i = 0; request->thumbnails != NULL && i < request->thumbnails->len; i++)
    hash = hash_node (root, (const char *) g_ptr_array_index (request->thumbnails, i), hash);
  for (guint i = 0; request->wanted != NULL && i < request->wanted->len; i++)
    hash = hash_node (root, (const char *) g_ptr_array_index (request->wanted, i), hash);
  return hash;
}

/* (transfer full) What small pictures and graphs are shown of. */
static GPtrArray *
dup_thumbnails (KgWindow *self)
{
  g_autoptr (GPtrArray) motions = kg_inspector_dup_motions (KG_INSPECTOR (self->inspector));
  GPtrArray *targets = kg_canvas_dup_thumbnails (self->canvas);

  if (targets == NULL)
    return g_steal_pointer (&motions);
  for (guint i = 0; i < motions->len; i++)
    if (!g_ptr_array_find_with_equal_func (targets, g_ptr_array_index (motions, i), g_str_equal, NULL))
      g_ptr_array_add (targets, g_strdup ((const char *) g_ptr_array_index (motions, i)));
  return targets;
}

static gboolean
send_request (gpointer data)
{
  KgWindow *self = KG_WINDOW (data);
  KgGraph *root = kg_document_get_graph (self->document);
  KgRequest request = { .target = dup_target (self),
                        .time = kg_graph_frame_to_time (root, kg_document_get_frame (self->document)),
                        .thumbnails = dup_thumbnails (self) };
  KgHash hash;

  self->request_source = 0;
  kg_viewport_fill_request (KG_VIEWPORT (self->viewport), &request);
  hash = hash_display (self, &request);
  /* Moving nodes about changes no picture. */
  if (!self->wanted && !self->stale && kg_hash_equal (hash, self->sent_hash)) {
    kg_request_clear (&request);
    return G_SOURCE_REMOVE;
  }
  self->wanted = false;
  if (self->stale || !kg_hash_equal (hash, self->sent_hash)) {
    request.graph = kg_graph_snapshot (root);
    self->sent_hash = hash;
    self->stale = false;
  }
  kg_worker_request (self->worker, &request);
  gtk_spinner_start (GTK_SPINNER (self->spinner));
  return G_SOURCE_REMOVE;
}

/* Sees when idle whether what was asked for last is still it. */
static void
check_request (KgWindow *self)
{
  if (self->request_source == 0 && self->worker != NULL)
    self->request_source = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, send_request, self, NULL);
}

/* Pictures, meshes and tables that were written anew meanwhile by another program. */
static void
read_again (KgWindow *self, bool numbered)
{
  kg_graph_reload (kg_document_get_graph (self->document), numbered);
  check_request (self);
}

static void
want_request (KgWindow *self)
{
  self->wanted = true;
  check_request (self);
}

static void
on_renamed (KgWindow *self)
{
  self->stale = true;
}

static void
on_history_changed (KgWindow *self)
{
  KgGraph *root = kg_document_get_graph (self->document);
  const char *undo = kg_graph_get_undo_label (root), *redo = kg_graph_get_redo_label (root);
  g_autofree char *undo_text = undo != NULL ? g_strdup_printf (_ ("Undo: %s"), undo) : g_strdup (_ ("Nothing to undo"));
  g_autofree char *redo_text = redo != NULL ? g_strdup_printf (_ ("Redo: %s"), redo) : g_strdup (_ ("Nothing to redo"));

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.undo", undo != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.redo", redo != NULL);
  gtk_widget_set_tooltip_text (self->undo_button, undo_text);
  gtk_widget_set_tooltip_text (self->redo_button, redo_text);
}

static void
on_done (KgWindow *self)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);

  if (!kg_worker_is_busy (self->worker))
    gtk_spinner_stop (GTK_SPINNER (self->spinner));
  kg_viewport_results_changed (KG_VIEWPORT (self->viewport));
  kg_canvas_results_changed (self->canvas);
  kg_inspector_results_changed (KG_INSPECTOR (self->inspector));
  kg_timeline_results_changed (KG_TIMELINE (self->timeline));
  kg_spreadsheet_set_value (KG_SPREADSHEET (self->sheet), set != NULL && set->has_value ? &set->value : NULL);
}

/* Where one is. */

static void
on_crumb (GtkButton *button, KgWindow *self)
{
  KgGraph *graph = (KgGraph *) g_object_get_data (G_OBJECT (button), "graph");

  kg_document_enter (self->document, graph);
}

static void
add_crumb (KgWindow *self, KgGraph *graph)
{
  KgNode *owner = kg_graph_get_owner (graph);
  GtkWidget *button;

  if (owner != NULL)
    add_crumb (self, kg_node_get_parent (owner));
  button = gtk_button_new_with_label (owner != NULL ? kg_node_get_name (owner) : _ ("Graph"));
  gtk_button_set_has_frame (GTK_BUTTON (button), FALSE);
  g_object_set_data_full (G_OBJECT (button), "graph", g_object_ref (graph), g_object_unref);
  g_signal_connect (button, "clicked", G_CALLBACK (on_crumb), self);
  if (owner != NULL)
    gtk_box_append (GTK_BOX (self->breadcrumb), gtk_label_new ("›"));
  gtk_box_append (GTK_BOX (self->breadcrumb), button);
}

static void
on_current_changed (KgWindow *self)
{
  KgGraph *current = kg_document_get_current (self->document);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->breadcrumb)) != NULL)
    gtk_box_remove (GTK_BOX (self->breadcrumb), child);
  if (kg_graph_get_owner (current) != NULL)
    add_crumb (self, current);
  g_signal_connect_object (current, "node-renamed", G_CALLBACK (on_renamed), self, G_CONNECT_SWAPPED);
  want_request (self);
}

static void
on_state_changed (KgWindow *self)
{
  g_autofree char *name = kg_document_dup_name (self->document);
  g_autofree char *title = g_strdup_printf ("%s%s", kg_document_is_modified (self->document) ? "• " : "", name);

  gtk_window_set_title (GTK_WINDOW (self), title);
}

/* Files. */

static void
on_file_event (KgWindow *self)
{
  const KgFileState state = kg_document_check_file (self->document);

  gtk_label_set_text (GTK_LABEL (self->changed_label),
                      state == KG_FILE_GONE
                          ? _ ("The file is no longer there: it was deleted, moved or renamed. Nothing "
                               "is lost: saving writes it again.")
                          : _ ("Another program has changed the file."));
  gtk_widget_set_visible (self->reload_button, state != KG_FILE_GONE);
  gtk_widget_set_visible (self->save_again_button, state == KG_FILE_GONE);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->changed_bar), state != KG_FILE_SAME);
}

static void
watch_file (KgWindow *self)
{
  const char *path = kg_document_get_path (self->document);
  g_autoptr (GFile) file = path != NULL ? g_file_new_for_path (path) : NULL;

  if (self->monitor != NULL)
    g_signal_handlers_disconnect_by_data (self->monitor, self);
  g_clear_object (&self->monitor);
  if (file != NULL)
    self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_object (self->monitor, "changed", G_CALLBACK (on_file_event), self, G_CONNECT_SWAPPED);
}

static void
remember_file (KgWindow *self)
{
  g_autofree char *uri = g_filename_to_uri (kg_document_get_path (self->document), NULL, NULL);
  g_autofree char *folder = g_path_get_dirname (kg_document_get_path (self->document));

  if (uri != NULL)
    gtk_recent_manager_add_item (gtk_recent_manager_get_default (), uri);
  kg_settings_set_recent_folder (kg_settings_get_default (), folder);
}

static bool
save_to (KgWindow *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);

  if (!kg_document_save (self->document, absolute, &error)) {
    kg_error_dialog_show (GTK_WINDOW (self), _ ("The graph could not be saved"), error);
    return false;
  }
  show_message (self, _ ("Saved"));
  watch_file (self);
  remember_file (self);
  gtk_info_bar_set_revealed (GTK_INFO_BAR (self->changed_bar), FALSE);
  return true;
}

static void
on_save_response (GtkNativeDialog *dialog, int response, KgWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
    g_autofree char *path = g_file_get_path (file);

    if (path != NULL && save_to (self, path) && self->closing)
      gtk_window_destroy (GTK_WINDOW (self));
  } else
    self->closing = false;
  g_object_unref (dialog);
}

/* (transfer full) What a graph that belongs to no file is called on the disk: by its title. */
static char *
dup_file_name (KgWindow *self)
{
  g_autofree char *name = g_strstrip (g_strdup (kg_graph_get_title (kg_document_get_graph (self->document))));

  /* No folders, no hidden files, and nothing that other systems refuse. */
  g_strdelimit (name, "/\\:*?\"<>|\t\n\r", '-');
  if (*name == '.')
    *name = '-';
  return *name != '\0' ? g_strdup_printf ("%s.kineo.json", name) : g_strdup (_ ("untitled.kineo.json"));
}

static void
ask_where_to_save (KgWindow *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (_ ("Save Graph"), GTK_WINDOW (self),
                                                              GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), _ ("_Cancel"));
  const char *path = kg_document_get_path (self->document);

  if (path != NULL) {
    g_autoptr (GFile) file = g_file_new_for_path (path);

    gtk_file_chooser_set_file (GTK_FILE_CHOOSER (dialog), file, NULL);
  } else {
    const char *recent = kg_settings_get_recent_folder (kg_settings_get_default ());
    g_autofree char *name = dup_file_name (self);

    if (*recent != '\0') {
      g_autoptr (GFile) folder = g_file_new_for_path (recent);

      gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
    }
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  }
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The window may go right after its dialog, which must not look for it then. */
static void
end_dialog (GtkDialog *dialog)
{
  gtk_window_set_transient_for (GTK_WINDOW (dialog), NULL);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
on_overwrite_response (GtkDialog *dialog, int response, KgWindow *self)
{
  end_dialog (dialog);
  if (response == GTK_RESPONSE_REJECT)
    ask_where_to_save (self);
  else if (response != GTK_RESPONSE_ACCEPT)
    self->closing = false;
  else if (save_to (self, kg_document_get_path (self->document)) && self->closing)
    gtk_window_destroy (GTK_WINDOW (self));
}

static void
ask_to_overwrite (KgWindow *self)
{
  g_autofree char *name = g_path_get_basename (kg_document_get_path (self->document));
  GtkWidget *dialog = gtk_message_dialog_new (GTK_WINDOW (self), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                              GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE,
                                              _ ("Another program has changed “%s”. Write over it?"), name);

  gtk_window_set_title (GTK_WINDOW (dialog), _ ("Kineograph"));
  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog),
                                            _ ("What the other program wrote would be lost."));
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Overwrite"), GTK_RESPONSE_ACCEPT, _ ("_Cancel"),
                          GTK_RESPONSE_CANCEL, _ ("Save _As…"), GTK_RESPONSE_REJECT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_REJECT);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_overwrite_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* True when it is done; otherwise a question is on its way. */
static bool
save (KgWindow *self)
{
  const char *path = kg_document_get_path (self->document);

  kg_inspector_commit (KG_INSPECTOR (self->inspector));
  if (path == NULL)
    ask_where_to_save (self);
  else if (kg_document_check_file (self->document) == KG_FILE_CHANGED)
    ask_to_overwrite (self);
  else
    return save_to (self, path);
  return false;
}

/* Closing. */

static void
on_close_response (GtkDialog *dialog, int response, KgWindow *self)
{
  end_dialog (dialog);
  if (response == GTK_RESPONSE_REJECT) {
    kg_recovery_clear (self->recovery);
    gtk_window_destroy (GTK_WINDOW (self));
  } else if (response == GTK_RESPONSE_ACCEPT) {
    self->closing = true;
    if (save (self))
      gtk_window_destroy (GTK_WINDOW (self));
  } else
    self->closing = false;
}

static void
store_layout (KgWindow *self)
{
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  g_object_set (kg_settings_get_default (), "window-width", width, "window-height", height, "window-maximized",
                gtk_window_is_maximized (GTK_WINDOW (self)), "side-position",
                gtk_paned_get_position (GTK_PANED (self->side_paned)), "lower-position",
                gtk_paned_get_position (GTK_PANED (self->main_paned)), NULL);
}

void
kg_window_ask_to_close (KgWindow *self)
{
  GtkWidget *dialog;
  g_autofree char *name = NULL;
  const bool gone = self->document != NULL && kg_document_check_file (self->document) == KG_FILE_GONE;

  if (self->document != NULL)
    kg_inspector_commit (KG_INSPECTOR (self->inspector));
  if (self->document == NULL || !kg_document_is_modified (self->document)) {
    if (self->recovery != NULL)
      kg_recovery_clear (self->recovery);
    gtk_window_destroy (GTK_WINDOW (self));
    return;
  }
  name = kg_document_dup_name (self->document);
  dialog = gtk_message_dialog_new (GTK_WINDOW (self), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                   GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, _ ("Save the changes to “%s”?"), name);
  gtk_window_set_title (GTK_WINDOW (dialog), _ ("Kineograph"));
  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog), "%s",
      gone ? _ ("The file is no longer there: without saving, all of the graph is lost.")
           : _ ("Without saving, what changed since the last time is lost."));
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Discard"), GTK_RESPONSE_REJECT, _ ("_Cancel"), GTK_RESPONSE_CANCEL,
                          _ ("_Save"), GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_close_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

static gboolean
kg_window_close_request (GtkWindow *window)
{
  KgWindow *self = KG_WINDOW (window);

  store_layout (self);
  kg_window_ask_to_close (self);
  return TRUE;
}

/* Commands. */

static void
on_history (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);

  (void) parameter;
  kg_document_step (self->document, g_str_equal (name, "win.undo"));
}

static bool
is_open_elsewhere (KgWindow *self, const char *path)
{
  for (GList *l = gtk_application_get_windows (gtk_window_get_application (GTK_WINDOW (self))); l != NULL;
       l = l->next) {
    KgDocument *document = KG_IS_WINDOW (l->data) && l->data != self ? KG_WINDOW (l->data)->document : NULL;

    if (document != NULL && g_strcmp0 (kg_document_get_path (document), path) == 0)
      return true;
  }
  return false;
}

static void
on_file (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);

  (void) parameter;
  if (self->document == NULL)
    return;
  self->closing = false;
  if (g_str_equal (name, "win.save"))
    save (self);
  else if (g_str_equal (name, "win.save-as"))
    ask_where_to_save (self);
  else if (g_str_equal (name, "win.render"))
    gtk_window_present (kg_render_dialog_new (self->document, GTK_WINDOW (self)));
  else if (g_str_equal (name, "win.read-again"))
    read_again (self, true);
  else if (g_str_equal (name, "win.save-script"))
    kg_script_dialog_save (self->document, GTK_WINDOW (self));
  else if (g_str_equal (name, "win.run-script"))
    kg_script_dialog_run (self->document, GTK_WINDOW (self));
  else if (g_str_equal (name, "win.reload")) {
    g_autofree char *path = g_strdup (kg_document_get_path (self->document));

    /* The document stays in its window where it has changes, or where the file cannot be read any more. */
    gtk_widget_activate_action (widget, "app.open-path", "s", path);
    if (is_open_elsewhere (self, path)) {
      gtk_info_bar_set_revealed (GTK_INFO_BAR (self->changed_bar), FALSE);
      if (!kg_document_is_modified (self->document))
        kg_window_ask_to_close (self);
    }
  }
}

static void
on_time (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);
  KgTimeline *timeline = KG_TIMELINE (self->timeline);

  (void) parameter;
  if (self->document == NULL)
    return;
  if (g_str_equal (name, "win.play"))
    kg_timeline_toggle_play (timeline);
  else if (g_str_equal (name, "win.step-back"))
    kg_timeline_step (timeline, -1);
  else if (g_str_equal (name, "win.step-on"))
    kg_timeline_step (timeline, 1);
  else
    kg_timeline_go_to_key (timeline, g_str_equal (name, "win.next-key") ? 1 : -1);
}

static void
on_pane (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);
  GtkWidget *pane = g_str_equal (name, "win.show-viewport")    ? self->viewport_box
                    : g_str_equal (name, "win.show-inspector") ? self->inspector_box
                                                               : self->timeline_box;

  (void) parameter;
  gtk_widget_set_visible (pane, !gtk_widget_get_visible (pane));
}

static void
on_tab (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);
  const char *tab = g_variant_get_string (parameter, NULL);
  GtkWidget *child;

  (void) name;
  if (self->document == NULL)
    return;
  gtk_stack_set_visible_child_name (GTK_STACK (self->lower_stack), tab);
  child = gtk_stack_get_visible_child (GTK_STACK (self->lower_stack));
  if (child != NULL && !gtk_widget_grab_focus (child))
    gtk_widget_child_focus (child, GTK_DIR_TAB_FORWARD);
}

/* F6: canvas, inspector, viewport, timeline, and round again. */
static void
on_next_pane (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);
  GtkWidget *panes[] = { GTK_WIDGET (self->lower_stack), self->inspector, self->viewport, self->timeline };
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  guint at = G_N_ELEMENTS (panes) - 1;

  (void) name;
  (void) parameter;
  if (self->document == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (panes); i++)
    if (focus != NULL && (focus == panes[i] || gtk_widget_is_ancestor (focus, panes[i])))
      at = i;
  for (guint i = 1; i <= G_N_ELEMENTS (panes); i++)
    if (gtk_widget_child_focus (panes[(at + i) % G_N_ELEMENTS (panes)], GTK_DIR_TAB_FORWARD))
      return;
}

/* What the keyboard is about, as kg-shortcuts.ui names it. */
static const char *
get_place (KgWindow *self)
{
  static const char *const tabs[] = { "canvas", "curves", "presets" };
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  const char *tab = gtk_stack_get_visible_child_name (GTK_STACK (self->lower_stack));

  if (focus != NULL && self->viewport != NULL &&
      (focus == self->viewport || gtk_widget_is_ancestor (focus, self->viewport)))
    return "viewport";
  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    if (focus != NULL && gtk_widget_is_ancestor (focus, self->lower_stack) && g_strcmp0 (tab, tabs[i]) == 0)
      return tabs[i];
  return "general";
}

static void
on_other (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);

  (void) parameter;
  if (g_str_equal (name, "win.fullscreen")) {
    if (gtk_window_is_fullscreen (GTK_WINDOW (self)))
      gtk_window_unfullscreen (GTK_WINDOW (self));
    else
      gtk_window_fullscreen (GTK_WINDOW (self));
  } else if (g_str_equal (name, "win.shortcuts")) {
    g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource ("/org/kineograph/Kineograph/kg-shortcuts.ui");
    GtkWindow *shortcuts = GTK_WINDOW (gtk_builder_get_object (builder, "shortcuts"));

    g_object_set (shortcuts, "section-name", get_place (self), NULL);
    gtk_window_set_transient_for (shortcuts, GTK_WINDOW (self));
    gtk_window_present (shortcuts);
  } else if (g_str_equal (name, "win.lay-out") && self->canvas != NULL) {
    gtk_widget_activate_action (GTK_WIDGET (self->canvas), "canvas.layout", NULL);
  } else if (g_str_equal (name, "win.add-node") && self->canvas != NULL) {
    gtk_stack_set_visible_child_name (GTK_STACK (self->lower_stack), "canvas");
    kg_canvas_add_node (self->canvas);
  }
}

/* Space plays when it is let go, unless it types or presses, or was held for the pointer. */
static gboolean
on_key (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, KgWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  (void) controller;
  (void) keycode;
  if (keyval != GDK_KEY_space || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK)) != 0 ||
      self->document == NULL)
    return FALSE;
  if (focus != NULL && (GTK_IS_EDITABLE (focus) || GTK_IS_TEXT (focus) || GTK_IS_TEXT_VIEW (focus) ||
                        GTK_IS_BUTTON (focus) || GTK_IS_CHECK_BUTTON (focus)))
    return FALSE;
  /* GTK opens these with Return only. */
  if (focus != NULL && GTK_IS_EXPANDER (focus))
    return gtk_widget_activate (focus);
  if (!self->space_held)
    self->space_used = false;
  self->space_held = true;
  return TRUE;
}

static void
on_key_released (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, KgWindow *self)
{
  (void) controller;
  (void) keycode;
  (void) state;
  if (keyval != GDK_KEY_space || !self->space_held)
    return;
  self->space_held = false;
  if (!self->space_used)
    kg_timeline_toggle_play (KG_TIMELINE (self->timeline));
}

static gboolean
on_any_event (GtkEventController *controller, GdkEvent *event, KgWindow *self)
{
  (void) controller;
  if (gdk_event_get_event_type (event) == GDK_BUTTON_PRESS || gdk_event_get_event_type (event) == GDK_SCROLL)
    self->space_used = true;
  return FALSE;
}

static void
on_active (KgWindow *self)
{
  if (self->document == NULL)
    return;
  self->space_held = false;
  if (gtk_window_is_active (GTK_WINDOW (self))) {
    on_file_event (self);
    read_again (self, false);
  } else
    kg_recovery_save_now (self->recovery, NULL);
}

static void
on_activate_node (KgWindow *self)
{
  gtk_widget_grab_focus (self->inspector);
}

static void
on_welcome_open (KgWindow *self, const char *path)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "app.open-path", "s", path);
}

static void
on_welcome_new (KgWindow *self)
{
  g_autoptr (KgDocument)
      document = kg_application_new_document (KG_APPLICATION (gtk_window_get_application (GTK_WINDOW (self))));

  kg_window_set_document (self, document);
}

static void
on_welcome_browse (KgWindow *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "app.open", NULL);
}

static void
on_preset_chosen (KgWindow *self, const char *preset_id)
{
  kg_canvas_add_type (self->canvas, preset_id, -1, -1);
  gtk_stack_set_visible_child_name (GTK_STACK (self->lower_stack), "canvas");
}

/* The contents of a definition, as a private copy in a window of its own. */
static void
on_preset_edit (KgWindow *self, const char *preset_id)
{
  KgApplication *application = KG_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  g_autoptr (KgLibrary) library = kg_application_new_library (application, kg_document_get_folder (self->document));
  g_autoptr (KgDocument) document = kg_document_new (kg_library_get_types (library));
  g_autoptr (GError) error = NULL;

  kg_document_set_library (document, library);
  if (kg_preset_instance_open (document, preset_id, &error))
    kg_application_show_document (application, document);
  else
    show_message (self, error->message);
}

static void
on_preset_saved (KgWindow *self, const char *path)
{
  g_autofree char *text = g_strdup_printf (_ ("Saved as %s"), path);

  show_message (self, text);
  if (kg_document_get_library (self->document) != NULL)
    kg_library_reload (kg_document_get_library (self->document));
}

static void
on_make_preset (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);
  const KgResultSet *set = self->worker != NULL ? kg_worker_get_result (self->worker) : NULL;
  g_autoptr (GError) error = NULL;
  GtkWindow *dialog;

  (void) name;
  (void) parameter;
  if (self->document == NULL)
    return;
  dialog = kg_preset_dialog_new (self->document, set != NULL ? set->picture : NULL, GTK_WINDOW (self), &error);
  if (dialog == NULL) {
    show_message (self, error->message);
    return;
  }
  g_signal_connect_object (dialog, "saved", G_CALLBACK (on_preset_saved), self, G_CONNECT_SWAPPED);
  gtk_window_present (dialog);
}

/* Files dropped anywhere but on the canvas, which takes them itself. */
static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, KgWindow *self)
{
  GSList *files = (GSList *) g_value_get_boxed (value);
  bool only_graphs = true;

  (void) target;
  (void) x;
  (void) y;
  for (GSList *l = files; l != NULL; l = l->next)
    only_graphs &= kg_canvas_opens (G_FILE (l->data));
  /* The page of welcome has no canvas yet. */
  if (self->document == NULL && only_graphs) {
    for (GSList *l = files; l != NULL; l = l->next)
      gtk_widget_activate_action (GTK_WIDGET (self), "app.open-path", "s", g_file_peek_path (G_FILE (l->data)));
    return TRUE;
  }
  if (self->document == NULL)
    on_welcome_new (self);
  kg_canvas_drop_files (self->canvas, files, 0.5 * gtk_widget_get_width (GTK_WIDGET (self->canvas)),
                        0.5 * gtk_widget_get_height (GTK_WIDGET (self->canvas)));
  return TRUE;
}

static void
on_preset_instance (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);

  (void) parameter;
  if (self->document != NULL)
    kg_preset_instance_run (self->document, GTK_WINDOW (self), name);
}

/* Building. */

static void
on_recovery_failed (KgWindow *self, const char *text)
{
  show_message (self, text);
}

static void
add_page (KgWindow *self, GtkWidget *child, const char *name, const char *title)
{
  gtk_stack_add_titled (GTK_STACK (self->lower_stack), child, name, title);
}

static void
on_cache_warning (const char *text, gpointer data)
{
  (void) data;
  g_message ("%s", text);
}

/* (transfer full) With the folder for states of simulations that kineo uses too, when there is one. */
static KgCache *
make_cache (KgWindow *self)
{
  KgCache *cache = kg_cache_new (kg_settings_get_cache_budget (kg_settings_get_default ()));
  const char *folder = g_getenv ("KINEOGRAPH_CACHE");
  g_autoptr (GError) error = NULL;

  if (folder != NULL && *folder != '\0' &&
      !kg_cache_set_folder (cache, folder, KG_CACHE_DEFAULT_FOLDER_BUDGET, on_cache_warning, NULL, &error))
    show_message (self, error->message);
  return cache;
}

static void
take_settings (KgWindow *self)
{
  KgSettings *settings = kg_settings_get_default ();

  kg_recovery_set_interval (self->recovery, kg_settings_get_autosave_seconds (settings));
  kg_cache_set_budget (self->cache, kg_settings_get_cache_budget (settings));
}

void
kg_window_set_document (KgWindow *self, KgDocument *document)
{
  g_return_if_fail (self->document == NULL);
  self->document = (KgDocument *) g_object_ref (document);
  self->recovery = kg_recovery_new (document);
  self->cache = make_cache (self);
  take_settings (self);
  g_signal_connect_object (kg_settings_get_default (), "notify", G_CALLBACK (take_settings), self, G_CONNECT_SWAPPED);
  self->worker = kg_worker_new (self->cache);
  self->canvas = kg_canvas_new (document, self->worker);
  self->viewport = kg_viewport_new (document, self->worker);
  self->inspector = kg_inspector_new (document, self->worker);
  self->timeline = kg_timeline_new (document, self->worker);
  self->curves = GTK_WIDGET (kg_curve_editor_new (document));
  self->sheet = GTK_WIDGET (kg_spreadsheet_new ());
  self->presets = kg_preset_browser_new (document);
  g_signal_connect_object (self->presets, "chosen", G_CALLBACK (on_preset_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->presets, "edit", G_CALLBACK (on_preset_edit), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->presets, "message", G_CALLBACK (show_message), self, G_CONNECT_SWAPPED);
  add_page (self, GTK_WIDGET (self->canvas), "canvas", _ ("Canvas"));
  add_page (self, self->curves, "curves", _ ("Curves"));
  add_page (self, self->sheet, "sheet", _ ("Spreadsheet"));
  add_page (self, self->presets, "presets", _ ("Presets"));
  gtk_box_append (GTK_BOX (self->viewport_box), self->viewport);
  gtk_box_append (GTK_BOX (self->inspector_box), self->inspector);
  gtk_box_append (GTK_BOX (self->timeline_box), self->timeline);
  gtk_widget_set_vexpand (self->inspector, TRUE);
  g_signal_connect_object (self->recovery, "failed", G_CALLBACK (on_recovery_failed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->worker, "done", G_CALLBACK (on_done), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->worker, "progress", G_CALLBACK (gtk_widget_queue_draw), self->canvas,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "message", G_CALLBACK (show_message), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "activate-node", G_CALLBACK (on_activate_node), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->viewport, "view-changed", G_CALLBACK (want_request), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->viewport, "frame-shown", G_CALLBACK (kg_timeline_frame_shown), self->timeline,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "changed", G_CALLBACK (check_request), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (kg_document_get_graph (document), "history-changed", G_CALLBACK (on_history_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "selection-changed", G_CALLBACK (check_request), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "frame-changed", G_CALLBACK (want_request), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "current-changed", G_CALLBACK (on_current_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "state-changed", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  self->stale = true;
  on_state_changed (self);
  on_current_changed (self);
  on_history_changed (self);
  check_request (self);
  if (kg_document_get_path (document) != NULL) {
    watch_file (self);
    remember_file (self);
  }
  gtk_stack_set_visible_child (GTK_STACK (self->stack), self->editor_page);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

KgDocument *
kg_window_get_document (KgWindow *self)
{
  return self->document;
}

static void
kg_window_dispose (GObject *object)
{
  KgWindow *self = KG_WINDOW (object);

  g_clear_handle_id (&self->request_source, g_source_remove);
  g_clear_handle_id (&self->message_source, g_source_remove);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  if (self->worker != NULL)
    g_signal_handlers_disconnect_by_data (self->worker, self);
  g_clear_object (&self->monitor);
  g_clear_object (&self->recovery);
  g_clear_object (&self->worker);
  g_clear_pointer (&self->cache, kg_cache_unref);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_window_parent_class)->dispose (object);
}

static void
kg_window_class_init (KgWindowClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  static const struct {
    const char *name, *parameter;
    GtkWidgetActionActivateFunc activate;
  } actions[] = {
    { "win.undo", NULL, on_history },
    { "win.redo", NULL, on_history },
    { "win.save", NULL, on_file },
    { "win.save-as", NULL, on_file },
    { "win.render", NULL, on_file },
    { "win.read-again", NULL, on_file },
    { "win.save-script", NULL, on_file },
    { "win.run-script", NULL, on_file },
    { "win.reload", NULL, on_file },
    { "win.play", NULL, on_time },
    { "win.step-back", NULL, on_time },
    { "win.step-on", NULL, on_time },
    { "win.previous-key", NULL, on_time },
    { "win.next-key", NULL, on_time },
    { "win.show-viewport", NULL, on_pane },
    { "win.show-inspector", NULL, on_pane },
    { "win.show-timeline", NULL, on_pane },
    { "win.tab", "s", on_tab },
    { "win.next-pane", NULL, on_next_pane },
    { "win.fullscreen", NULL, on_other },
    { "win.shortcuts", NULL, on_other },
    { "win.add-node", NULL, on_other },
    { "win.make-preset", NULL, on_make_preset },
    { "win.preset-edit", NULL, on_preset_instance },
    { "win.preset-save-version", NULL, on_preset_instance },
    { "win.preset-match", NULL, on_preset_instance },
    { "win.preset-upgrade", NULL, on_preset_instance },
    { "win.lay-out", NULL, on_other },
  };

  G_OBJECT_CLASS (class)->dispose = kg_window_dispose;
  GTK_WINDOW_CLASS (class)->close_request = kg_window_close_request;
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i].name, actions[i].parameter, actions[i].activate);
  gtk_widget_class_set_template_from_resource (widget, "/org/kineograph/Kineograph/kg-window.ui");
  gtk_widget_class_bind_template_child (widget, KgWindow, stack);
  gtk_widget_class_bind_template_child (widget, KgWindow, recent_menu);
  gtk_widget_class_bind_template_child (widget, KgWindow, welcome_page);
  gtk_widget_class_bind_template_child (widget, KgWindow, editor_page);
  gtk_widget_class_bind_template_child (widget, KgWindow, changed_bar);
  gtk_widget_class_bind_template_child (widget, KgWindow, changed_label);
  gtk_widget_class_bind_template_child (widget, KgWindow, reload_button);
  gtk_widget_class_bind_template_child (widget, KgWindow, save_again_button);
  gtk_widget_class_bind_template_child (widget, KgWindow, side_paned);
  gtk_widget_class_bind_template_child (widget, KgWindow, main_paned);
  gtk_widget_class_bind_template_child (widget, KgWindow, viewport_box);
  gtk_widget_class_bind_template_child (widget, KgWindow, inspector_box);
  gtk_widget_class_bind_template_child (widget, KgWindow, timeline_box);
  gtk_widget_class_bind_template_child (widget, KgWindow, breadcrumb);
  gtk_widget_class_bind_template_child (widget, KgWindow, message);
  gtk_widget_class_bind_template_child (widget, KgWindow, lower_stack);
  gtk_widget_class_bind_template_child (widget, KgWindow, spinner);
  gtk_widget_class_bind_template_child (widget, KgWindow, save_button);
  gtk_widget_class_bind_template_child (widget, KgWindow, undo_button);
  gtk_widget_class_bind_template_child (widget, KgWindow, redo_button);
}

/* Where there is no room for everything, the canvas stays; the menu has the rest. */
static void
on_width (KgWindow *self)
{
  int width, height;
  bool narrow;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  narrow = width > 0 && width < NARROW;
  if (narrow == self->narrow)
    return;
  self->narrow = narrow;
  gtk_widget_set_visible (self->inspector_box, !narrow);
  gtk_widget_set_visible (self->save_button, !narrow);
  gtk_widget_set_visible (self->undo_button, !narrow);
  gtk_widget_set_visible (self->redo_button, !narrow);
}

static void
hide_bar (GtkInfoBar *bar)
{
  gtk_info_bar_set_revealed (bar, FALSE);
}

/* Unlike accelerators of the application these come after what has the focus: a text, or the keys of a curve. */
static void
add_shortcuts (KgWindow *self)
{
  static const struct {
    guint key;
    GdkModifierType modifiers;
    const char *action;
  } shortcuts[] = {
    { GDK_KEY_Left, GDK_CONTROL_MASK, "win.step-back" },
    { GDK_KEY_Right, GDK_CONTROL_MASK, "win.step-on" },
    { GDK_KEY_Left, GDK_ALT_MASK, "win.previous-key" },
    { GDK_KEY_Right, GDK_ALT_MASK, "win.next-key" },
  };
  GtkEventController *controller = gtk_shortcut_controller_new ();

  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    gtk_shortcut_controller_add_shortcut (
        GTK_SHORTCUT_CONTROLLER (controller),
        gtk_shortcut_new (gtk_keyval_trigger_new (shortcuts[i].key, shortcuts[i].modifiers),
                          gtk_named_action_new (shortcuts[i].action)));
  gtk_widget_add_controller (self->stack, controller);
}

static void
kg_window_init (KgWindow *self)
{
  GtkEventController *keys = gtk_event_controller_key_new (), *events = gtk_event_controller_legacy_new ();
  GtkDropTarget *drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_init_template (GTK_WIDGET (self));
  kg_recent_fill_menu (self->recent_menu);
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (kg_recent_fill_menu),
                           self->recent_menu, G_CONNECT_SWAPPED);
  g_signal_connect (drop, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (self->stack, GTK_EVENT_CONTROLLER (drop));
  add_shortcuts (self);
  g_signal_connect (self->changed_bar, "response", G_CALLBACK (hide_bar), NULL);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  g_signal_connect (keys, "key-released", G_CALLBACK (on_key_released), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  /* Before whoever takes the press. */
  gtk_event_controller_set_propagation_phase (events, GTK_PHASE_CAPTURE);
  g_signal_connect (events, "event", G_CALLBACK (on_any_event), self);
  gtk_widget_add_controller (GTK_WIDGET (self), events);
  g_signal_connect (self, "notify::default-width", G_CALLBACK (on_width), NULL);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (on_active), NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.undo", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.redo", FALSE);
}

static void
restore_layout (KgWindow *self)
{
  int width, height, side, lower;
  gboolean maximized;

  g_object_get (kg_settings_get_default (), "window-width", &width, "window-height", &height, "window-maximized",
                &maximized, "side-position", &side, "lower-position", &lower, NULL);
  if (width > 0 && height > 0)
    gtk_window_set_default_size (GTK_WINDOW (self), width, height);
  else
    gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  if (maximized)
    gtk_window_maximize (GTK_WINDOW (self));
  gtk_paned_set_position (GTK_PANED (self->side_paned), side > 0 ? side : MAX (200, width - 370));
  gtk_paned_set_position (GTK_PANED (self->main_paned), lower > 0 ? lower : (height - 150) / 2);
}

GtkWindow *
kg_window_new (KgApplication *application, KgDocument *document)
{
  KgWindow *self = KG_WINDOW (g_object_new (KG_TYPE_WINDOW, "application", application, NULL));

  restore_layout (self);
  if (document != NULL)
    kg_window_set_document (self, document);
  else {
    GtkWidget *welcome = kg_welcome_new ();

    gtk_window_set_title (GTK_WINDOW (self), "Kineograph");
    g_signal_connect_object (welcome, "open", G_CALLBACK (on_welcome_open), self, G_CONNECT_SWAPPED);
    g_signal_connect_object (welcome, "new", G_CALLBACK (on_welcome_new), self, G_CONNECT_SWAPPED);
    g_signal_connect_object (welcome, "browse", G_CALLBACK (on_welcome_browse), self, G_CONNECT_SWAPPED);
    gtk_widget_set_vexpand (welcome, TRUE);
    gtk_box_append (GTK_BOX (self->welcome_page), welcome);
    gtk_stack_set_visible_child (GTK_STACK (self->stack), self->welcome_page);
  }
  return GTK_WINDOW (self);
}
