/* kg-manual: see the header.
 *
 * Reads the Markdown that the pages are written in: headings, paragraphs, lists, tables, code, links.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-manual.h"

#include "kg-data.h"
#include "kg-widget.h"

#include <stdbool.h>
#include <string.h>

#define FENCE "```"
#define INDENT "    "

/* (transfer full) (nullable) */
static char *
dup_text (const char *name)
{
  g_autofree char *file = g_strdup_printf ("docs/%s.md", name), *path = kg_data_find (file);
  char *text = NULL;

  return path != NULL && g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

static char *
dup_heading (const char *text)
{
  while (*text == '#' || *text == ' ')
    text++;
  return g_strndup (text, strcspn (text, "\n"));
}

char *
kg_manual_dup_title (const char *name)
{
  g_autofree char *text = dup_text (name);

  return text != NULL ? dup_heading (text) : NULL;
}

/* Markup. */

static void
append_escaped (GString *out, const char *text, size_t length)
{
  g_autofree char *escaped = g_markup_escape_text (text, (gssize) length);

  g_string_append (out, escaped);
}

/* (nullable) Where what begins at text with this mark ends. */
static const char *
find_end (const char *text, char mark)
{
  return text[1] != ' ' && text[1] != '\0' ? strchr (text + 1, mark) : NULL;
}

/* (nullable) [words](address): the end of it. */
static const char *
append_link (GString *out, const char *text)
{
  const char *middle = strstr (text, "]("), *end = middle != NULL ? strchr (middle, ')') : NULL;

  if (end == NULL || (strchr (text, '\n') != NULL && strchr (text, '\n') < end))
    return NULL;
  g_string_append (out, "<a href=\"");
  append_escaped (out, middle + 2, (size_t) (end - middle - 2));
  g_string_append (out, "\">");
  append_escaped (out, text + 1, (size_t) (middle - text - 1));
  g_string_append (out, "</a>");
  return end;
}

/* (transfer full) A line of Markdown as markup of Pango. */
static char *
to_markup (const char *text)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0') {
    const char *end = NULL;

    if (*text == '\\' && g_ascii_ispunct (text[1]))
      text++;
    else if (*text == '`' && (end = strchr (text + 1, '`')) != NULL) {
      g_string_append (out, "<tt>");
      append_escaped (out, text + 1, (size_t) (end - text - 1));
      g_string_append (out, "</tt>");
    } else if (*text == '*' && (end = find_end (text, '*')) != NULL) {
      g_string_append (out, "<i>");
      append_escaped (out, text + 1, (size_t) (end - text - 1));
      g_string_append (out, "</i>");
    } else if (*text == '[')
      end = append_link (out, text);
    if (end == NULL)
      append_escaped (out, text, (size_t) (g_utf8_next_char (text) - text));
    text = g_utf8_next_char (end != NULL ? end : text);
  }
  return g_string_free (out, FALSE);
}

/* Widgets. */

static const char next_key[] = "kg-next-page";

static void show_page (GtkWindow *window, const char *name);

static gboolean
on_idle (gpointer data)
{
  g_autofree char *name = (char *) g_object_steal_data (G_OBJECT (data), next_key);

  if (name != NULL && gtk_widget_get_visible (GTK_WIDGET (data)))
    show_page (GTK_WINDOW (data), name);
  return G_SOURCE_REMOVE;
}

/* A page names its neighbours by their files; what is not a page cannot be shown here.  The label goes with its page, and so
 * not before it is done with the link. */
static gboolean
on_link (GtkLabel *label, const char *address)
{
  GtkRoot *window = gtk_widget_get_root (GTK_WIDGET (label));
  g_autofree char *name = g_str_has_suffix (address, ".md") ? g_strndup (address, strlen (address) - 3) : NULL;
  g_autofree char *title = name != NULL ? kg_manual_dup_title (name) : NULL;

  if (title != NULL) {
    g_object_set_data_full (G_OBJECT (window), next_key, g_steal_pointer (&name), g_free);
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, on_idle, g_object_ref (window), g_object_unref);
  }
  return strstr (address, "://") == NULL;
}

/* (transfer floating) */
static GtkWidget *
make_label (const char *markup, const char *css)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_valign (label, GTK_ALIGN_START);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  if (css != NULL)
    gtk_widget_add_css_class (label, css);
  g_signal_connect (label, "activate-link", G_CALLBACK (on_link), NULL);
  return label;
}

static void
append_markdown (GtkWidget *box, const char *text, const char *css)
{
  g_autofree char *markup = to_markup (text);

  gtk_box_append (GTK_BOX (box), make_label (markup, css));
}

/* Lines of code up to the fence, or as far as they are indented.  Returns the first line after them. */
static guint
append_code (GtkWidget *box, char **lines, guint i)
{
  const bool fenced = g_str_has_prefix (lines[i], FENCE);
  g_autoptr (GString) code = g_string_new (NULL);
  g_autofree char *escaped = NULL, *markup = NULL;

  for (i += fenced; lines[i] != NULL; i++) {
    if (fenced ? g_str_has_prefix (lines[i], FENCE) : !g_str_has_prefix (lines[i], INDENT))
      break;
    g_string_append_printf (code, "%s%s", code->len > 0 ? "\n" : "", lines[i] + (fenced ? 0 : strlen (INDENT)));
  }
  escaped = g_markup_escape_text (code->str, -1);
  markup = g_strdup_printf ("<tt>%s</tt>", escaped);
  gtk_box_append (GTK_BOX (box), make_label (markup, NULL));
  return i + (fenced && lines[i] != NULL);
}

/* The cells of a row of a table; a border in a cell is written \|. */
static void
append_row (GtkGrid *grid, const char *line, int row)
{
  g_autoptr (GString) cell = g_string_new (NULL);
  int column = 0;

  for (const char *c = line + 1; *c != '\0'; c++) {
    if (c[0] == '\\' && c[1] == '|')
      g_string_append_c (cell, *++c);
    else if (*c != '|')
      g_string_append_c (cell, *c);
    else {
      g_autofree char *text = g_strdup (g_strstrip (cell->str)), *markup = to_markup (text);
      GtkWidget *label = make_label (markup, row == 0 ? "kg-heading" : NULL);

      gtk_label_set_width_chars (GTK_LABEL (label), 16);
      gtk_widget_set_hexpand (label, c[1] == '\0');
      gtk_grid_attach (grid, label, column++, row, 1, 1);
      g_string_truncate (cell, 0);
    }
  }
}

static guint
append_table (GtkWidget *box, char **lines, guint i)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_box_append (GTK_BOX (box), grid);
  for (int row = 0; lines[i] != NULL && lines[i][0] == '|'; i++)
    if (strspn (lines[i], "|-: ") < strlen (lines[i]))
      append_row (GTK_GRID (grid), lines[i], row++);
  return i;
}

static bool
is_paragraph (const char *line)
{
  return *line != '\0' && *line != '#' && *line != '|' && !g_str_has_prefix (line, FENCE);
}

/* An item of a list is a paragraph of its own. */
static guint
append_paragraph (GtkWidget *box, char **lines, guint i)
{
  g_autoptr (GString) text = g_string_new (lines[i]);

  if (g_str_has_prefix (lines[i], "- ")) {
    g_string_erase (text, 0, 1);
    g_string_prepend (text, "•");
  }
  for (i++; lines[i] != NULL && is_paragraph (lines[i]) && !g_str_has_prefix (lines[i], "- "); i++)
    g_string_append_printf (text, " %s", g_strstrip (lines[i]));
  append_markdown (box, text->str, NULL);
  return i;
}

/* (transfer floating) */
static GtkWidget *
make_page (const char *text)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 10);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint i = 0;

  gtk_widget_set_margin_top (box, 18);
  gtk_widget_set_margin_bottom (box, 18);
  gtk_widget_set_margin_start (box, 18);
  gtk_widget_set_margin_end (box, 18);
  while (lines[i] != NULL) {
    if (lines[i][0] == '\0')
      i++;
    else if (lines[i][0] == '#') {
      g_autofree char *heading = dup_heading (lines[i]);

      append_markdown (box, heading, i == 0 ? "title-4" : "kg-heading");
      i++;
    } else if (lines[i][0] == '|')
      i = append_table (box, lines, i);
    else if (g_str_has_prefix (lines[i], FENCE) || g_str_has_prefix (lines[i], INDENT))
      i = append_code (box, lines, i);
    else
      i = append_paragraph (box, lines, i);
  }
  return box;
}

static void
show_page (GtkWindow *window, const char *name)
{
  g_autofree char *text = dup_text (name), *title = text != NULL ? dup_heading (text) : NULL;
  GtkWidget *scrolled;

  /* The page may have been removed since. */
  if (text == NULL)
    return;
  scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), make_page (text));
  gtk_window_set_child (window, scrolled);
  /* The arrow keys scroll. */
  gtk_widget_set_focusable (scrolled, TRUE);
  gtk_window_set_focus (window, scrolled);
  gtk_window_set_title (window, title);
}

void
kg_manual_show (const char *name, GtkWindow *parent)
{
  g_autofree char *title = kg_manual_dup_title (name);
  GtkWindow *window;

  if (title == NULL)
    return;
  window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_transient_for (window, parent);
  gtk_window_set_destroy_with_parent (window, TRUE);
  gtk_window_set_default_size (window, 760, 640);
  kg_widget_close_on_escape (window);
  show_page (window, name);
  gtk_window_present (window);
}
