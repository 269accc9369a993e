/* kg-expression-dialog: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression-dialog.h"

#include "config.h"
#include "kg-expression-help.h"
#include "kg-expression.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct {
  GtkWindow *window;
  GtkWidget *owner; /* (nullable) weak */
  KgExpressionTake take;
  GtkWidget *view, *problem, *accept, *search, *list;
  GtkTextBuffer *buffer;
  GtkTextTag *wrong;
} Dialog;

/* (transfer full) */
static char *
dup_text (Dialog *dialog)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (dialog->buffer, &start, &end);
  return gtk_text_buffer_get_text (dialog->buffer, &start, &end, FALSE);
}

/* Messages count code points from the beginning; who looks for one counts lines. */
static void
show_problem (Dialog *dialog, const GError *error)
{
  GtkTextIter start, end, at;
  const char *reason;
  guint column;

  gtk_text_buffer_get_bounds (dialog->buffer, &start, &end);
  gtk_text_buffer_remove_tag (dialog->buffer, dialog->wrong, &start, &end);
  gtk_widget_set_sensitive (dialog->accept, error == NULL);
  if (error == NULL) {
    gtk_label_set_text (GTK_LABEL (dialog->problem), "");
    return;
  }
  column = kg_error_get_column (error, &reason);
  if (column > 0) {
    g_autofree char *text = NULL;

    gtk_text_buffer_get_iter_at_offset (dialog->buffer, &at, (int) column - 1);
    text = g_strdup_printf (_ ("Line %d, column %d: %s"), gtk_text_iter_get_line (&at) + 1,
                            gtk_text_iter_get_line_offset (&at) + 1, reason);
    gtk_label_set_text (GTK_LABEL (dialog->problem), text);
    end = at;
    /* Something is underlined even where the text ends too early. */
    if (!gtk_text_iter_forward_char (&end) && !gtk_text_iter_is_start (&at))
      gtk_text_iter_backward_char (&at);
    gtk_text_buffer_apply_tag (dialog->buffer, dialog->wrong, &at, &end);
  } else
    gtk_label_set_text (GTK_LABEL (dialog->problem), error->message);
}

static void
on_changed (Dialog *dialog)
{
  g_autofree char *text = dup_text (dialog);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = kg_expression_new (text, &error);

  show_problem (dialog, error);
}

static void
accept (Dialog *dialog)
{
  g_autofree char *text = g_strstrip (dup_text (dialog));

  if (!gtk_widget_get_sensitive (dialog->accept))
    return;
  if (dialog->owner != NULL)
    dialog->take (dialog->owner, text);
  gtk_window_destroy (dialog->window);
}

/* What can be written. */

static bool
is_function (const char *word)
{
  return strstr (word, " (") != NULL;
}

/* A function around what is selected, or with the cursor between its brackets; a name as it is. */
static void
insert (Dialog *dialog, GtkListBoxRow *row)
{
  const char *word = (const char *) g_object_get_data (G_OBJECT (row), "word");
  GtkTextIter start, end;

  gtk_text_buffer_begin_user_action (dialog->buffer);
  if (is_function (word)) {
    g_autofree char *name = g_strndup (word, strcspn (word, " "));
    g_autofree char *call = g_strconcat (name, " (", NULL);

    gtk_text_buffer_get_selection_bounds (dialog->buffer, &start, &end);
    {
      g_autofree char *inside = gtk_text_buffer_get_text (dialog->buffer, &start, &end, FALSE);

      gtk_text_buffer_delete (dialog->buffer, &start, &end);
      gtk_text_buffer_insert (dialog->buffer, &start, call, -1);
      gtk_text_buffer_insert (dialog->buffer, &start, inside, -1);
      gtk_text_buffer_insert (dialog->buffer, &start, ")", -1);
      gtk_text_iter_backward_char (&start);
      gtk_text_buffer_place_cursor (dialog->buffer, &start);
    }
  } else {
    gtk_text_buffer_delete_selection (dialog->buffer, TRUE, TRUE);
    gtk_text_buffer_insert_at_cursor (dialog->buffer, word, -1);
  }
  gtk_text_buffer_end_user_action (dialog->buffer);
  gtk_widget_grab_focus (dialog->view);
}

static void
on_row_activated (GtkListBox *list, GtkListBoxRow *row, Dialog *dialog)
{
  (void) list;
  insert (dialog, row);
}

static gboolean
filter (GtkListBoxRow *row, gpointer data)
{
  Dialog *dialog = (Dialog *) data;
  const char *word = (const char *) g_object_get_data (G_OBJECT (row), "word");
  g_autofree char *wanted = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (dialog->search)), -1);
  g_autofree char *folded = g_utf8_casefold (word, -1);

  return strstr (folded, wanted) != NULL;
}

static void
on_search (Dialog *dialog)
{
  gtk_list_box_invalidate_filter (GTK_LIST_BOX (dialog->list));
}

/* Enter in the search inserts the first that it has found. */
static void
on_search_activate (Dialog *dialog)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (dialog->list), i)) != NULL; i++)
    if (gtk_widget_get_child_visible (GTK_WIDGET (row))) {
      insert (dialog, row);
      return;
    }
}

static void
add_word (Dialog *dialog, const char *word)
{
  GtkWidget *row = gtk_list_box_row_new (), *label = gtk_label_new (word);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (row, word);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, word, -1);
  g_object_set_data_full (G_OBJECT (row), "word", g_strdup (word), g_free);
  gtk_list_box_append (GTK_LIST_BOX (dialog->list), row);
}

static void
fill (Dialog *dialog, GPtrArray *names)
{
  static const char *const words[] = { "t", "frame", "rate", "start", "end", "pi", "e" };
  const char *function;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    add_word (dialog, words[i]);
  for (guint i = 0; (function = kg_expression_get_function (i)) != NULL; i++)
    add_word (dialog, function);
  for (guint i = 0; i < names->len; i++)
    add_word (dialog, (const char *) g_ptr_array_index (names, i));
}

/* Building. */

static gboolean
on_key (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, Dialog *dialog)
{
  (void) controller;
  (void) keycode;
  if (keyval == GDK_KEY_Escape)
    gtk_window_destroy (dialog->window);
  else if ((keyval == GDK_KEY_Return || keyval == GDK_KEY_KP_Enter) && (state & GDK_CONTROL_MASK) != 0)
    accept (dialog);
  else
    return FALSE;
  return TRUE;
}

static void
free_dialog (gpointer data)
{
  Dialog *dialog = (Dialog *) data;

  g_clear_weak_pointer (&dialog->owner);
  g_free (dialog);
}

static GtkWidget *
make_scrolled (GtkWidget *child, int width)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), child);
  gtk_scrolled_window_set_has_frame (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_widget_set_size_request (scrolled, width, -1);
  return scrolled;
}

static GtkWidget *
make_text (Dialog *dialog, const char *text)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  dialog->view = gtk_text_view_new ();
  dialog->buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (dialog->view));
  dialog->wrong = gtk_text_buffer_create_tag (dialog->buffer, NULL, "underline", PANGO_UNDERLINE_ERROR, NULL);
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (dialog->view), TRUE);
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (dialog->view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (dialog->view), FALSE);
  gtk_text_buffer_set_text (dialog->buffer, text, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (dialog->view), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Expression"), -1);
  dialog->problem = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (dialog->problem), 0);
  gtk_label_set_wrap (GTK_LABEL (dialog->problem), TRUE);
  gtk_widget_add_css_class (dialog->problem, "kg-error");
  gtk_box_append (GTK_BOX (box), make_scrolled (dialog->view, 360));
  gtk_box_append (GTK_BOX (box), dialog->problem);
  gtk_widget_set_hexpand (box, TRUE);
  g_signal_connect_swapped (dialog->buffer, "changed", G_CALLBACK (on_changed), dialog);
  return box;
}

static GtkWidget *
make_words (Dialog *dialog, GPtrArray *names)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  dialog->search = gtk_search_entry_new ();
  g_object_set (dialog->search, "placeholder-text", _ ("Search functions and names"), NULL);
  dialog->list = gtk_list_box_new ();
  gtk_list_box_set_filter_func (GTK_LIST_BOX (dialog->list), filter, dialog, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (dialog->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Functions and names"), -1);
  fill (dialog, names);
  gtk_box_append (GTK_BOX (box), dialog->search);
  gtk_box_append (GTK_BOX (box), make_scrolled (dialog->list, 250));
  g_signal_connect_swapped (dialog->search, "changed", G_CALLBACK (on_search), dialog);
  g_signal_connect_swapped (dialog->search, "activate", G_CALLBACK (on_search_activate), dialog);
  g_signal_connect (dialog->list, "row-activated", G_CALLBACK (on_row_activated), dialog);
  return box;
}

void
kg_expression_dialog_open (GtkWidget *owner, const char *title, const char *text, GPtrArray *names,
                           KgExpressionTake take)
{
  Dialog *dialog = g_new0 (Dialog, 1);
  GtkWidget *bar = gtk_header_bar_new (), *cancel = gtk_button_new_with_mnemonic (_ ("_Cancel"));
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkEventController *keys = gtk_event_controller_key_new ();

  dialog->window = GTK_WINDOW (gtk_window_new ());
  dialog->take = take;
  g_set_weak_pointer (&dialog->owner, owner);
  g_object_set_data_full (G_OBJECT (dialog->window), "dialog", dialog, free_dialog);
  dialog->accept = gtk_button_new_with_mnemonic (_ ("_Apply"));
  gtk_widget_add_css_class (dialog->accept, "suggested-action");
  gtk_widget_set_tooltip_text (dialog->accept, _ ("Ctrl+Return"));
  gtk_header_bar_set_show_title_buttons (GTK_HEADER_BAR (bar), FALSE);
  gtk_header_bar_pack_start (GTK_HEADER_BAR (bar), cancel);
  gtk_header_bar_pack_end (GTK_HEADER_BAR (bar), dialog->accept);
  gtk_window_set_titlebar (dialog->window, bar);
  gtk_window_set_title (dialog->window, title);
  gtk_window_set_modal (dialog->window, TRUE);
  gtk_window_set_transient_for (dialog->window, GTK_WINDOW (gtk_widget_get_root (owner)));
  gtk_window_set_default_size (dialog->window, 680, 380);
  gtk_widget_set_margin_start (box, 12);
  gtk_widget_set_margin_end (box, 12);
  gtk_widget_set_margin_top (box, 12);
  gtk_widget_set_margin_bottom (box, 12);
  gtk_box_append (GTK_BOX (box), make_text (dialog, text));
  gtk_box_append (GTK_BOX (box), make_words (dialog, names));
  gtk_window_set_child (dialog->window, box);
  /* Before the text takes Return. */
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), dialog);
  gtk_widget_add_controller (GTK_WIDGET (dialog->window), keys);
  g_signal_connect_swapped (cancel, "clicked", G_CALLBACK (gtk_window_destroy), dialog->window);
  g_signal_connect_swapped (dialog->accept, "clicked", G_CALLBACK (accept), dialog);
  on_changed (dialog);
  gtk_widget_grab_focus (dialog->view);
  gtk_window_present (dialog->window);
}
