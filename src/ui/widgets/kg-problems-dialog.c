/* kg-problems-dialog: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-problems-dialog.h"

#include "kg-widget.h"

#include <glib/gi18n.h>

/* A hostile file can have millions of problems; no one reads more rows than this, and the copied text has them all. */
#define MAX_ROWS 1000

static GtkWidget *
make_label (const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (class != NULL)
    gtk_widget_add_css_class (label, class);
  return label;
}

/* A window with a heading, something below it, and a row of buttons. */
static GtkWindow *
make_window (GtkWindow *parent, const char *heading, GtkWidget *content, GtkWidget **buttons)
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *title = make_label (heading, "kg-heading");
  GtkWidget *close = gtk_button_new_with_mnemonic (_ ("_Close"));

  gtk_window_set_title (window, _ ("Kineograph"));
  gtk_window_set_transient_for (window, parent);
  gtk_window_set_modal (window, parent != NULL);
  gtk_window_set_destroy_with_parent (window, TRUE);
  gtk_widget_set_margin_top (box, 18);
  gtk_widget_set_margin_bottom (box, 18);
  gtk_widget_set_margin_start (box, 18);
  gtk_widget_set_margin_end (box, 18);
  *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_widget_set_halign (*buttons, GTK_ALIGN_END);
  gtk_box_append (GTK_BOX (*buttons), close);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), content);
  gtk_box_append (GTK_BOX (box), *buttons);
  gtk_window_set_child (window, box);
  gtk_window_set_focus (window, close);
  g_signal_connect_object (close, "clicked", G_CALLBACK (gtk_window_close), window, G_CONNECT_SWAPPED);
  kg_widget_close_on_escape (window);
  return window;
}

/* Where a problem is and what it is, in two lines. */
static GtkWidget *
make_row (const KgProblem *problem)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2), *message = make_label (problem->message, NULL);
  g_autoptr (GString) place = g_string_new (NULL);

  if (problem->line > 0)
    g_string_append_printf (place, _ ("line %u, column %u"), problem->line, problem->column);
  if (problem->pointer != NULL && *problem->pointer != '\0')
    g_string_append_printf (place, "%s%s", place->len > 0 ? "  ·  " : "", problem->pointer);
  gtk_widget_set_margin_top (row, 6);
  gtk_widget_set_margin_bottom (row, 6);
  gtk_widget_set_margin_start (row, 9);
  gtk_widget_set_margin_end (row, 9);
  gtk_label_set_selectable (GTK_LABEL (message), TRUE);
  gtk_box_append (GTK_BOX (row), message);
  if (place->len > 0) {
    GtkWidget *where = make_label (place->str, "kg-dim");

    gtk_widget_add_css_class (where, "caption");
    gtk_widget_add_css_class (where, "monospace");
    gtk_box_append (GTK_BOX (row), where);
  }
  return row;
}

static GtkWidget *
make_list (GPtrArray *problems)
{
  GtkWidget *list = gtk_list_box_new (), *scrolled = gtk_scrolled_window_new ();

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_list_box_set_show_separators (GTK_LIST_BOX (list), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Problems"), -1);
  for (guint i = 0; i < MIN (problems->len, MAX_ROWS); i++)
    gtk_list_box_append (GTK_LIST_BOX (list), make_row ((const KgProblem *) g_ptr_array_index (problems, i)));
  if (problems->len > MAX_ROWS) {
    const guint n = problems->len - MAX_ROWS;
    g_autofree char *more = g_strdup_printf (ngettext ("%u more problem", "%u more problems", n), n);

    gtk_list_box_append (GTK_LIST_BOX (list), make_label (more, "kg-dim"));
  }
  /* Clicks select text instead. */
  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL; row = gtk_widget_get_next_sibling (row))
    gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), list);
  gtk_scrolled_window_set_has_frame (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand (scrolled, TRUE);
  return scrolled;
}

static void
copy_text (GtkWidget *button, const char *text)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (button), text);
}

static void
free_text (gpointer text, GClosure *closure)
{
  (void) closure;
  g_free (text);
}

/* Takes text. */
static void
add_copy_button (GtkWidget *buttons, char *text)
{
  GtkWidget *copy = gtk_button_new_with_mnemonic (_ ("_Copy"));

  gtk_widget_set_tooltip_text (copy, _ ("Copy everything as text"));
  g_signal_connect_data (copy, "clicked", G_CALLBACK (copy_text), text, free_text, 0);
  gtk_box_prepend (GTK_BOX (buttons), copy);
}

void
kg_problems_dialog_show (GtkWindow *parent, const char *path, GPtrArray *problems)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *heading = g_strdup_printf (
      ngettext ("“%s” cannot be opened: %u problem", "“%s” cannot be opened: %u problems", problems->len), name,
      problems->len);
  GtkWidget *buttons;
  GtkWindow *window;

  window = make_window (parent, heading, make_list (problems), &buttons);
  gtk_window_set_default_size (window, 640, 420);
  add_copy_button (buttons, kg_problems_to_text (problems, path));
  gtk_window_present (window);
}

void
kg_error_dialog_show (GtkWindow *parent, const char *title, const GError *error)
{
  GtkWidget *message = make_label (error->message, NULL), *buttons;
  GtkWindow *window;

  gtk_label_set_selectable (GTK_LABEL (message), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (message), 60);
  window = make_window (parent, title, message, &buttons);
  gtk_window_set_resizable (window, FALSE);
  add_copy_button (buttons, g_strdup_printf ("%s\n%s\n", title, error->message));
  gtk_window_present (window);
}
