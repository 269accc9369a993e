/* kg-input-expression: the entry that the expression of an input is typed into, which completes names.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-expression-help.h"
#include "kg-expression.h"
#include "kg-input-row-private.h"

/* The name at the end of a text, which may be empty. */
static const char *
find_last_word (const char *text)
{
  const char *word = text + strlen (text);

  while (word > text && (g_ascii_isalnum (word[-1]) || word[-1] == '_' || word[-1] == '.'))
    word--;
  return word;
}

static gboolean
match_last_word (GtkEntryCompletion *completion, const char *key, GtkTreeIter *iter, gpointer data)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (gtk_entry_completion_get_entry (completion)));
  const char *word = find_last_word (text);
  g_autofree char *candidate = NULL;

  (void) key;
  (void) data;
  gtk_tree_model_get (gtk_entry_completion_get_model (completion), iter, 0, &candidate, -1);
  return *word != '\0' && candidate != NULL && g_ascii_strncasecmp (candidate, word, strlen (word)) == 0 &&
         !g_str_equal (candidate, word);
}

static gboolean
on_match (GtkEntryCompletion *completion, GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  GtkEditable *entry = GTK_EDITABLE (gtk_entry_completion_get_entry (completion));
  const char *text = gtk_editable_get_text (entry), *word = find_last_word (text);
  g_autofree char *candidate = NULL, *whole = NULL;

  (void) data;
  gtk_tree_model_get (model, iter, 0, &candidate, -1);
  whole = g_strdup_printf ("%.*s%s", (int) (word - text), text, candidate);
  gtk_editable_set_text (entry, whole);
  gtk_editable_set_position (entry, -1);
  return TRUE;
}

GPtrArray *
kg_input_row_dup_names (KgInputRow *self)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  KgGraph *graph = kg_node_get_parent (self->node);

  for (guint i = 0; i < kg_graph_get_n_nodes (graph) && i < 500; i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    for (guint s = 0; node != self->node && s < kg_node_get_n_slots (node); s++)
      if (kg_node_get_slot (node, s)->kind <= KG_COLOR)
        g_ptr_array_add (names, g_strdup_printf ("%s.%s", kg_node_get_name (node), kg_node_get_slot (node, s)->name));
  }
  return names;
}

/* Everything that an expression may name here. */
static GtkEntryCompletion *
make_completion (KgInputRow *self)
{
  static const char *const words[] = { "t", "frame", "rate", "start", "end", "pi" };
  GtkEntryCompletion *completion = gtk_entry_completion_new ();
  g_autoptr (GtkListStore) store = gtk_list_store_new (1, G_TYPE_STRING);
  g_autoptr (GPtrArray) names = kg_input_row_dup_names (self);
  const char *function;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    gtk_list_store_insert_with_values (store, NULL, -1, 0, words[i], -1);
  for (guint i = 0; (function = kg_expression_get_function (i)) != NULL; i++) {
    g_autofree char *name = g_strndup (function, strcspn (function, " "));

    gtk_list_store_insert_with_values (store, NULL, -1, 0, name, -1);
  }
  for (guint i = 0; i < names->len; i++)
    gtk_list_store_insert_with_values (store, NULL, -1, 0, (const char *) g_ptr_array_index (names, i), -1);
  gtk_entry_completion_set_model (completion, GTK_TREE_MODEL (store));
  gtk_entry_completion_set_text_column (completion, 0);
  gtk_entry_completion_set_match_func (completion, match_last_word, NULL, NULL);
  g_signal_connect (completion, "match-selected", G_CALLBACK (on_match), NULL);
  return completion;
}

static void
on_expression_changed (KgInputRow *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = NULL;

  /* An empty field is fine where the values differ. */
  if (self->updating || g_strcmp0 (self->shown, gtk_editable_get_text (GTK_EDITABLE (self->editor))) == 0) {
    kg_input_row_show_problem (self, NULL);
    return;
  }
  expression = kg_expression_new (gtk_editable_get_text (GTK_EDITABLE (self->editor)), &error);
  kg_input_row_show_problem (self, error);
}

static void
on_expression (KgInputRow *self)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->editor)));

  if (g_strcmp0 (self->shown, text) != 0)
    kg_input_row_edit (self, kg_input_edit_expression, text);
}

void
kg_input_row_commit_expression (KgInputRow *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->editor));
  g_autoptr (KgExpression) expression = kg_expression_new (text, NULL);

  if (kg_input_row_can_edit (self) && expression != NULL)
    on_expression (self);
}

GtkWidget *
kg_input_row_make_expression (KgInputRow *self)
{
  GtkWidget *entry = gtk_entry_new ();
  g_autoptr (GtkEntryCompletion) completion = make_completion (self);

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 6);
  gtk_entry_set_icon_from_icon_name (GTK_ENTRY (entry), GTK_ENTRY_ICON_PRIMARY, "accessories-calculator-symbolic");
  gtk_entry_set_completion (GTK_ENTRY (entry), completion);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_expression_changed), self);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_expression), self);
  g_signal_connect_after (entry, "activate", G_CALLBACK (kg_input_row_leave_entry), self);
  gtk_entry_set_input_hints (GTK_ENTRY (entry), GTK_INPUT_HINT_NO_EMOJI);
  return entry;
}
