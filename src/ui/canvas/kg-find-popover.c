/* kg-find-popover: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-find-popover.h"

#include "config.h"
#include "kg-preset.h"
#include "kg-search-list.h"

#include <glib/gi18n.h>
#include <string.h>

/* Rows beyond these would take long to make; more words find fewer. */
#define MOST_ROWS 300

struct _KgFindPopover {
  GtkPopover parent_instance;
  KgGraph *graph; /* (nullable) while it is open */
  KgSearchList search;
  KgFindProblem problem;
  gpointer problem_data;
};

G_DEFINE_FINAL_TYPE (KgFindPopover, kg_find_popover, GTK_TYPE_POPOVER)

static void
choose (GtkPopover *popover, GtkListBoxRow *row)
{
  g_autofree char *path = g_strdup ((const char *) g_object_get_data (G_OBJECT (row), "path"));

  g_signal_emit_by_name (popover, "chosen", path);
}

/* (transfer full) Everything of a node that can be searched. */
static char *
dup_words (KgNode *node, const char *problem)
{
  const KgNodeType *type = kg_node_get_type (node);
  g_autoptr (GString) words = g_string_new (kg_node_get_name (node));
  const char *comment = kg_node_get_comment (node);

  g_string_append_printf (words, "\n%s\n%s", kg_node_get_type_id (node),
                          type != NULL ? kg_type_translate (type->label) : "");
  if (comment != NULL)
    g_string_append_printf (words, "\n%s", comment);
  if (problem != NULL)
    g_string_append_printf (words, "\n%s", problem);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSource *source = kg_node_get_slot (node, i)->role == KG_SLOT_INPUT ? kg_node_get_source (node, i) : NULL;

    if (source != NULL && source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TEXT)
      g_string_append_printf (words, "\n%s", source->constant.text);
    else if (source != NULL && source->kind == KG_SOURCE_EXPRESSION)
      g_string_append_printf (words, "\n%s", source->text);
    for (guint k = 0; source != NULL && source->kind == KG_SOURCE_TABLE && k < source->table.n; k++)
      if (source->table.cells[k].source.kind != KG_SOURCE_KEYS)
        g_string_append_printf (words, "\n%s", source->table.cells[k].source.text);
  }
  return g_utf8_casefold (words->str, -1);
}

static GtkWidget *
make_row (KgNode *node, guint depth, const char *problem)
{
  const KgNodeType *type = kg_node_get_type (node);
  GtkWidget *name = gtk_label_new (kg_node_get_name (node));
  GtkWidget *row =
      kg_search_list_make_row (name, type != NULL ? kg_type_translate (type->label) : kg_node_get_type_id (node));

  gtk_widget_set_margin_start (name, (int) (16 * depth));
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  if (problem != NULL)
    gtk_widget_add_css_class (name, "kg-error");
  gtk_widget_set_tooltip_text (row, problem);
  g_object_set_data_full (G_OBJECT (row), "path", kg_node_dup_path (node), g_free);
  return row;
}

/* Depth is limited by KG_GRAPH_MAX_NESTING.  What is inside a locked instance is that of its preset. */
static void
list_graph (KgFindPopover *self, KgGraph *graph, char **wanted, guint depth, guint *n)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph) && *n < MOST_ROWS; i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    KgGraph *inside = kg_node_get_graph (node);
    g_autofree char *problem = self->problem (node, self->problem_data), *words = dup_words (node, problem);
    bool found = true;

    for (guint k = 0; wanted[k] != NULL; k++)
      found = found && strstr (words, wanted[k]) != NULL;
    if (found) {
      gtk_list_box_append (GTK_LIST_BOX (self->search.list), make_row (node, depth, problem));
      (*n)++;
    }
    if (inside != NULL && !kg_graph_is_locked (inside))
      list_graph (self, inside, wanted, depth + 1, n);
  }
}

static void
fill (GtkPopover *popover, const char *text)
{
  KgFindPopover *self = KG_FIND_POPOVER (popover);
  g_autofree char *folded = g_utf8_casefold (text, -1);
  g_auto (GStrv) wanted = g_strsplit_set (folded, " \t", -1);
  guint n = 0;

  if (self->graph != NULL)
    list_graph (self, self->graph, wanted, 0, &n);
}

static void
kg_find_popover_dispose (GObject *object)
{
  g_clear_object (&KG_FIND_POPOVER (object)->graph);
  G_OBJECT_CLASS (kg_find_popover_parent_class)->dispose (object);
}

static void
kg_find_popover_class_init (KgFindPopoverClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_find_popover_dispose;
  g_signal_new ("chosen", KG_TYPE_FIND_POPOVER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
kg_find_popover_init (KgFindPopover *self)
{
  self->search.fill = fill;
  self->search.choose = choose;
  kg_search_list_init (&self->search, GTK_POPOVER (self), _ ("Find a node: name, type, text, file, error"),
                       _ ("No node matches: names, types, texts and errors are searched"), 380);
}

GtkWidget *
kg_find_popover_new (KgFindProblem problem, gpointer data)
{
  KgFindPopover *self = KG_FIND_POPOVER (g_object_new (KG_TYPE_FIND_POPOVER, NULL));

  self->problem = problem;
  self->problem_data = data;
  return GTK_WIDGET (self);
}

void
kg_find_popover_prepare (KgFindPopover *self, KgGraph *graph)
{
  g_set_object (&self->graph, graph);
  kg_search_list_start (&self->search);
}
