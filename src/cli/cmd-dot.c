/* kineo dot: a graph as a drawing for Graphviz.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"

#include <glib/gi18n.h>

/* Quoted for the DOT language: only the quotation mark and the backslash are special. */
static void
write_quoted (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *text);
  }
  g_string_append_c (out, '"');
}

static void
write_edge (GString *out, KgNode *from, const char *output, KgNode *to, const char *input, bool expression)
{
  g_autofree char *from_path = kg_node_dup_path (from);
  g_autofree char *to_path = kg_node_dup_path (to);
  g_autofree char *label = g_str_equal (output, input) ? g_strdup (output) : g_strdup_printf ("%s → %s", output, input);

  g_string_append (out, "  ");
  write_quoted (out, from_path);
  g_string_append (out, " -> ");
  write_quoted (out, to_path);
  g_string_append (out, " [label=");
  write_quoted (out, label);
  g_string_append (out, expression ? ", style=dashed];\n" : "];\n");
}

static void
write_expression_edges (GString *out, KgNode *node, const char *input, const char *text)
{
  g_autoptr (KgExpression) expression = kg_expression_new (text, NULL);

  for (guint i = 0; expression != NULL && i < kg_expression_get_n_references (expression); i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);
    KgNode *from = kg_graph_find (kg_node_get_parent (node), reference->node);

    if (from != NULL)
      write_edge (out, from, reference->slot, node, input, true);
  }
}

static void
write_edges (GString *out, KgNode *node)
{
  for (guint i = 0; kg_node_get_type (node) != NULL && i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    const KgSource *source;
    guint n_items;

    if (slot->role != KG_SLOT_INPUT)
      continue;
    source = kg_node_get_source (node, i);
    /* (What a link of a cell says is an expression, too.) */
    for (guint k = 0; source->kind == KG_SOURCE_TABLE && k < source->table.n; k++)
      if (source->table.cells[k].source.kind != KG_SOURCE_KEYS)
        write_expression_edges (out, node, slot->name, source->table.cells[k].source.text);
    n_items = source->kind == KG_SOURCE_LIST ? source->list.n : 1;
    for (guint item = 0; item < n_items; item++) {
      const KgSource *one = source->kind == KG_SOURCE_LIST ? &source->list.items[item] : source;
      KgNode *from = NULL;
      guint output;

      if (one->kind == KG_SOURCE_EXPRESSION)
        write_expression_edges (out, node, slot->name, one->text);
      else if (one->kind == KG_SOURCE_LINK && kg_node_get_link (node, i, item, &from, &output))
        write_edge (out, from, kg_node_get_link_name (node, i, item), node, slot->name, false);
    }
  }
}

/* The nodes, those of a sub-graph in a box of their own. Depth is limited by KG_GRAPH_MAX_NESTING. */
static void
write_graph (GString *out, KgGraph *graph)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    g_autofree char *path = kg_node_dup_path (node);
    g_autofree char *cluster = g_strconcat ("cluster_", path, NULL);

    g_string_append (out, "  ");
    write_quoted (out, path);
    g_string_append (out, " [label=\"");
    g_string_append_printf (out, "%s\\n", kg_node_get_name (node));
    {
      g_autofree char *id = g_strescape (kg_node_get_type_id (node), NULL);

      g_string_append_printf (out, "%s\"];\n", id);
    }
    if (kg_node_get_graph (node) != NULL) {
      g_string_append (out, "  subgraph ");
      write_quoted (out, cluster);
      g_string_append (out, " {\n  label=");
      write_quoted (out, path);
      g_string_append (out, ";\n");
      write_graph (out, kg_node_get_graph (node));
      g_string_append (out, "  }\n");
    }
  }
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++)
    write_edges (out, kg_graph_get_node (graph, i));
}

static CliStatus
dot_run (char ***arguments)
{
  g_autoptr (KgGraph) graph = NULL;
  g_autoptr (GString) out = g_string_new ("digraph ");
  CliStatus status = CLI_DONE;

  if (!cli_parse (&cli_dot, NULL, arguments, &status) || !cli_check_count (&cli_dot, *arguments, 1, 1, &status))
    return status;
  graph = cli_load ((*arguments)[1]);
  if (graph == NULL)
    return CLI_INVALID_FILE;
  write_quoted (out, kg_graph_get_title (graph));
  g_string_append (
      out,
      " {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=sans];\n  edge [fontname=sans, fontsize=10];\n");
  write_graph (out, graph);
  g_string_append (out, "}\n");
  return cli_print (out->str);
}

const CliCommand cli_dot = {
  .name = "dot",
  .arguments = "GRAPH",
  .summary = N_ ("Print a graph as a Graphviz drawing"),
  .description = N_ (
      "Links are solid, references of expressions are dashed.  For example: kineo dot nod.json | dot -Tsvg > nod.svg"),
  .run = dot_run,
};
