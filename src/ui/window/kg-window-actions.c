/* kg-window-actions: the commands of the window.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-preset-dialog.h"
#include "kg-preset-instance.h"
#include "kg-render-dialog.h"
#include "kg-script-dialog.h"
#include "kg-window-private.h"

#include <glib/gi18n.h>

static void
on_history (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);

  (void) parameter;
  kg_document_step (self->document, g_str_equal (name, "win.undo"));
}

/* A size to begin with is that of the image that is shown. */
static void
open_render_dialog (KgWindow *self)
{
  const KgResultSet *set = self->worker != NULL ? kg_worker_get_result (self->worker) : NULL;
  int width = 0, height = 0;

  if (set != NULL && set->has_value && set->value.kind == KG_IMAGE) {
    const int step = kg_result_set_get_step (set);

    /* A frame that is kept is all of it, whatever the value is of. */
    width = step * (set->pixels != NULL ? set->pixels_width
                    : set->is_part      ? set->view.part.width
                                        : kg_image_get_width (set->value.image));
    height = step * (set->pixels != NULL ? set->pixels_height
                     : set->is_part      ? set->view.part.height
                                         : kg_image_get_height (set->value.image));
  }
  gtk_window_present (kg_render_dialog_new (self->document, GTK_WINDOW (self), width, height));
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
    kg_window_save (self);
  else if (g_str_equal (name, "win.save-as"))
    kg_window_save_as (self);
  else if (g_str_equal (name, "win.render"))
    open_render_dialog (self);
  else if (g_str_equal (name, "win.read-again"))
    kg_window_read_again (self, true);
  else if (g_str_equal (name, "win.save-script"))
    kg_script_dialog_save (self->document, GTK_WINDOW (self));
  else if (g_str_equal (name, "win.run-script"))
    kg_script_dialog_run (self->document, GTK_WINDOW (self));
  else if (g_str_equal (name, "win.reload")) {
    g_autofree char *path = g_strdup (kg_document_get_path (self->document));

    /* The document stays in its window where it has changes, or where the file can no longer be read. */
    gtk_widget_activate_action (widget, "app.open-path", "s", path);
    if (kg_window_is_open_elsewhere (self, path)) {
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
  else if (g_str_equal (name, "win.mute"))
    kg_timeline_toggle_mute (timeline);
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

/* From a field whose text was taken back to the pane below, so that the next key is none of that field's. */
static void
on_leave_field (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);
  GtkWidget *child = self->document != NULL ? gtk_stack_get_visible_child (GTK_STACK (self->lower_stack)) : NULL;

  (void) name;
  (void) parameter;
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
  } else if (g_str_equal (name, "win.find") && self->canvas != NULL) {
    gtk_stack_set_visible_child_name (GTK_STACK (self->lower_stack), "canvas");
    gtk_widget_activate_action (GTK_WIDGET (self->canvas), "canvas.find", NULL);
  }
}

static void
on_preset_saved (KgWindow *self, const char *path)
{
  g_autofree char *text = g_strdup_printf (_ ("Saved as %s"), path);

  kg_window_show_message (self, text);
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
  dialog = kg_preset_dialog_new (self->document, set != NULL ? set->image : NULL, GTK_WINDOW (self), &error);
  if (dialog == NULL) {
    kg_window_show_message (self, error->message);
    return;
  }
  g_signal_connect_object (dialog, "saved", G_CALLBACK (on_preset_saved), self, G_CONNECT_SWAPPED);
  gtk_window_present (dialog);
}

static void
on_preset_instance (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgWindow *self = KG_WINDOW (widget);

  (void) parameter;
  if (self->document != NULL)
    kg_preset_instance_run (self->document, GTK_WINDOW (self), name);
}

void
kg_window_install_actions (GtkWidgetClass *widget)
{
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
    { "win.mute", NULL, on_time },
    { "win.step-back", NULL, on_time },
    { "win.step-on", NULL, on_time },
    { "win.previous-key", NULL, on_time },
    { "win.next-key", NULL, on_time },
    { "win.show-viewport", NULL, on_pane },
    { "win.show-inspector", NULL, on_pane },
    { "win.show-timeline", NULL, on_pane },
    { "win.tab", "s", on_tab },
    { "win.leave-field", NULL, on_leave_field },
    { "win.next-pane", NULL, on_next_pane },
    { "win.fullscreen", NULL, on_other },
    { "win.shortcuts", NULL, on_other },
    { "win.add-node", NULL, on_other },
    { "win.find", NULL, on_other },
    { "win.make-preset", NULL, on_make_preset },
    { "win.preset-edit", NULL, on_preset_instance },
    { "win.preset-save-version", NULL, on_preset_instance },
    { "win.preset-match", NULL, on_preset_instance },
    { "win.preset-upgrade", NULL, on_preset_instance },
    { "win.lay-out", NULL, on_other },
  };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i].name, actions[i].parameter, actions[i].activate);
}
