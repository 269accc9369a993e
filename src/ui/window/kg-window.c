/* kg-window: the window: its panes put together, where one is, keys and drops that no pane takes.  The worker's requests are
 * in kg-window-request.c, the graph's file in kg-window-files.c, commands in kg-window-actions.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-curve-editor.h"
#include "kg-dope-sheet.h"
#include "kg-preset-browser.h"
#include "kg-preset-instance.h"
#include "kg-recent.h"
#include "kg-settings.h"
#include "kg-spreadsheet.h"
#include "kg-welcome.h"
#include "kg-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#define MESSAGE_SECONDS 8
#define NARROW 620 /* pixels */

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

void
kg_window_show_message (KgWindow *self, const char *text)
{
  gtk_label_set_text (GTK_LABEL (self->message), text);
  gtk_widget_set_tooltip_text (self->message, text);
  g_clear_handle_id (&self->message_source, g_source_remove);
  self->message_source = g_timeout_add_seconds (MESSAGE_SECONDS, clear_message, self);
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
  /* What was dragged has been released, perhaps without another change. */
  kg_window_check_request (self);
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
  kg_window_want_request (self);
}

static void
on_state_changed (KgWindow *self)
{
  g_autofree char *name = kg_document_dup_name (self->document);
  g_autofree char *title = g_strdup_printf ("%s%s", kg_document_is_modified (self->document) ? "• " : "", name);

  gtk_window_set_title (GTK_WINDOW (self), title);
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

static gboolean
kg_window_close_request (GtkWindow *window)
{
  KgWindow *self = KG_WINDOW (window);

  store_layout (self);
  kg_window_ask_to_close (self);
  return TRUE;
}

/* Keys and drops, and the signals of the panes. */

/* Space plays when it is released, unless it types or presses, or was held for the pointer. */
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
    kg_window_check_file (self);
    kg_window_read_again (self, false);
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
    kg_window_show_message (self, error->message);
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
    only_graphs &= kg_canvas_can_open (G_FILE (l->data));
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

/* Building. */

static void
on_recovery_failed (KgWindow *self, const char *text)
{
  kg_window_show_message (self, text);
}

/* The spreadsheet is of all pixels, where the viewport shows a part of them. */
static void
on_pane_changed (KgWindow *self)
{
  const KgResultSet *set = self->worker != NULL ? kg_worker_get_result (self->worker) : NULL;

  if (set != NULL && set->is_part)
    kg_window_want_request (self);
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
      !kg_cache_set_folder (cache, folder, KG_CACHE_OWN, KG_CACHE_DEFAULT_FOLDER_BUDGET, on_cache_warning, NULL,
                            &error))
    kg_window_show_message (self, error->message);
  return cache;
}

static void
take_settings (KgWindow *self)
{
  KgSettings *settings = kg_settings_get_default ();

  kg_recovery_set_interval (self->recovery, kg_settings_get_autosave_seconds (settings));
  kg_cache_set_budget (self->cache, kg_settings_get_cache_budget (settings));
  kg_frame_store_set_budget (self->store, kg_settings_get_cache_budget (settings));
}

static void
on_settings (KgWindow *self, GParamSpec *pspec)
{
  take_settings (self);
  if (g_str_equal (pspec->name, "keep-frames"))
    kg_window_want_request (self);
}

void
kg_window_set_document (KgWindow *self, KgDocument *document)
{
  g_return_if_fail (self->document == NULL);
  self->document = (KgDocument *) g_object_ref (document);
  self->recovery = kg_recovery_new (document);
  self->cache = make_cache (self);
  self->store = kg_frame_store_new (0);
  take_settings (self);
  g_signal_connect_object (kg_settings_get_default (), "notify", G_CALLBACK (on_settings), self, G_CONNECT_SWAPPED);
  self->worker = kg_worker_new (self->cache);
  self->canvas = kg_canvas_new (document, self->worker);
  self->viewport = kg_viewport_new (document, self->worker);
  self->inspector = kg_inspector_new (document, self->worker);
  kg_inspector_add_below_type (KG_INSPECTOR (self->inspector), kg_preset_instance_new (document));
  self->timeline = kg_timeline_new (document, self->worker);
  self->curves = GTK_WIDGET (kg_curve_editor_new (document));
  self->sheet = GTK_WIDGET (kg_spreadsheet_new ());
  self->presets = kg_preset_browser_new (document);
  g_signal_connect_object (self->presets, "chosen", G_CALLBACK (on_preset_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->presets, "edit", G_CALLBACK (on_preset_edit), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->presets, "message", G_CALLBACK (kg_window_show_message), self, G_CONNECT_SWAPPED);
  add_page (self, GTK_WIDGET (self->canvas), "canvas", _ ("Canvas"));
  add_page (self, self->curves, "curves", _ ("Curves"));
  add_page (self, kg_dope_sheet_new (document), "dope", _ ("Dope Sheet"));
  add_page (self, self->sheet, "sheet", _ ("Spreadsheet"));
  add_page (self, self->presets, "presets", _ ("Presets"));
  gtk_box_append (GTK_BOX (self->viewport_box), self->viewport);
  gtk_box_append (GTK_BOX (self->inspector_box), self->inspector);
  gtk_box_append (GTK_BOX (self->timeline_box), self->timeline);
  gtk_widget_set_vexpand (self->inspector, TRUE);
  g_signal_connect_object (self->recovery, "failed", G_CALLBACK (on_recovery_failed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->worker, "done", G_CALLBACK (on_done), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->worker, "lost", G_CALLBACK (kg_window_renew_request), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->worker, "progress", G_CALLBACK (gtk_widget_queue_draw), self->canvas,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "message", G_CALLBACK (kg_window_show_message), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "activate-node", G_CALLBACK (on_activate_node), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "thumbnails-changed", G_CALLBACK (kg_window_check_request), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->lower_stack, "notify::visible-child", G_CALLBACK (on_pane_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->viewport, "view-changed", G_CALLBACK (kg_window_want_request), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->viewport, "frame-shown", G_CALLBACK (kg_timeline_frame_shown), self->timeline,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "changed", G_CALLBACK (kg_window_check_request), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (kg_document_get_graph (document), "history-changed", G_CALLBACK (on_history_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "selection-changed", G_CALLBACK (kg_window_check_request), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "frame-changed", G_CALLBACK (kg_window_want_request), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "picking-changed", G_CALLBACK (kg_window_want_request), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "current-changed", G_CALLBACK (on_current_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "state-changed", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  self->stale = true;
  on_state_changed (self);
  on_current_changed (self);
  on_history_changed (self);
  kg_window_check_request (self);
  if (kg_document_get_path (document) != NULL) {
    kg_window_watch_file (self);
    kg_window_remember_file (self);
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
  g_clear_handle_id (&self->focus_source, g_source_remove);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  if (self->worker != NULL)
    g_signal_handlers_disconnect_by_data (self->worker, self);
  g_clear_object (&self->monitor);
  g_clear_object (&self->recovery);
  g_clear_object (&self->worker);
  g_clear_pointer (&self->cache, kg_cache_unref);
  g_clear_pointer (&self->store, kg_frame_store_unref);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_window_parent_class)->dispose (object);
}

static void
kg_window_class_init (KgWindowClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  G_OBJECT_CLASS (class)->dispose = kg_window_dispose;
  GTK_WINDOW_CLASS (class)->close_request = kg_window_close_request;
  kg_window_install_actions (widget);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_f, GDK_CONTROL_MASK, "win.find", NULL);
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
  gtk_widget_class_bind_template_child (widget, KgWindow, menu_button);
  gtk_widget_class_bind_template_child (widget, KgWindow, undo_button);
  gtk_widget_class_bind_template_child (widget, KgWindow, redo_button);
}

/* In a small window only the canvas stays; the menu has the rest. */
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

static gboolean
return_focus (gpointer data)
{
  KgWindow *self = KG_WINDOW (data);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  self->focus_source = 0;
  if (focus == NULL || !gtk_widget_get_mapped (focus))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.leave-field", NULL);
  return G_SOURCE_REMOVE;
}

/* A menu that is closed by an entry of a submenu leaves the keyboard to nothing, and no key would do anything. */
static void
on_menu_closed (KgWindow *self)
{
  if (self->focus_source == 0)
    self->focus_source = g_idle_add (return_focus, self);
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
  g_signal_connect_object (gtk_menu_button_get_popover (GTK_MENU_BUTTON (self->menu_button)), "closed",
                           G_CALLBACK (on_menu_closed), self, G_CONNECT_SWAPPED);
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
