/* kineo check: is a file a graph, and what in it will not evaluate?
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "kg-preset.h"

#include <glib/gi18n.h>
#include <stdio.h>

typedef struct {
  const char *file;
  guint n_nodes, n_warnings;
} Check;

static void warn (Check *check, KgNode *node, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
warn (Check *check, KgNode *node, const char *format, ...)
{
  g_autofree char *path = kg_node_dup_path (node);
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (stderr, _ ("%s: warning: %s: %s\n"), check->file, path, message);
  check->n_warnings++;
}

static void
check_expression (Check *check, KgNode *node, const KgSlot *slot, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = kg_expression_new (text, &error);

  if (expression == NULL) {
    warn (check, node, _ ("%s: %s"), slot->name, error->message);
    return;
  }
  for (guint i = 0; i < kg_expression_get_n_references (expression); i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);
    const KgNode *other = kg_graph_find (kg_node_get_parent (node), reference->node);

    if (other == NULL || kg_node_find_slot (other, reference->slot) < 0)
      warn (check, node, _ ("%s: column %u: %s.%s does not exist"), slot->name, reference->column, reference->node,
            reference->slot);
  }
}

static void
check_node (Check *check, KgNode *node)
{
  if (kg_node_get_type (node) == NULL) {
    g_autoptr (GError) error = kg_node_new_unknown_error (node);
    const KgTypes *types = kg_graph_get_types (kg_node_get_parent (node));

    /* An instance is newer than the library, or the file of its preset has errors: the reason matters. */
    if (kg_types_find (types, kg_node_get_type_id (node)) != NULL ||
        kg_types_find_refusal (types, kg_node_get_type_id (node)) != NULL)
      warn (check, node, _ ("%s; until then the node is kept, but cannot be evaluated"), error->message);
    else
      warn (check, node, _ ("unknown type \"%s\": the node is kept, but cannot be evaluated"),
            kg_node_get_type_id (node));
    return;
  }
  for (KgJsonIter member = kg_json_iterate (kg_node_get_aside (node)); kg_json_next (&member);)
    warn (check, node, _ ("its preset no longer has the input %s: the value is kept aside"), member.name);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    const KgSource *source;

    if (slot->role != KG_SLOT_INPUT)
      continue;
    source = kg_node_get_source (node, i);
    if (source->kind == KG_SOURCE_EXPRESSION)
      check_expression (check, node, slot, source->text);
    else if (source->kind == KG_SOURCE_DEFAULT && slot->kind >= KG_MOTION && slot->kind <= KG_SCENE &&
             !slot->optional && !slot->list)
      warn (check, node, _ ("nothing is linked to %s (%s)"), slot->name, kg_kind_get_name (slot->kind));
  }
}

/* Depth is limited by KG_GRAPH_MAX_NESTING. */
static void
check_graph (Check *check, KgGraph *graph)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    check->n_nodes++;
    check_node (check, node);
    if (kg_node_get_graph (node) != NULL)
      check_graph (check, kg_node_get_graph (node));
  }
}

static CliStatus
check_file (const char *path, bool is_one_of_many)
{
  g_autoptr (KgGraph) graph = is_one_of_many ? cli_load_with_library (path) : cli_load (path);
  Check check = { .file = g_str_equal (path, "-") ? _ ("standard input") : path };
  g_autofree char *line = NULL;

  if (graph == NULL)
    return CLI_INVALID_FILE;
  check_graph (&check, graph);
  if (kg_graph_get_display (graph) != NULL) {
    g_autoptr (GError) error = NULL;
    KgNode *node;
    guint slot;

    if (!kg_graph_find_output (graph, kg_graph_get_display (graph), &node, &slot, &error)) {
      fprintf (stderr, _ ("%s: warning: display: %s\n"), check.file, error->message);
      check.n_warnings++;
    }
  }
  line = g_strdup_printf (_ ("%s: valid, %u nodes, %u warnings\n"), check.file, check.n_nodes, check.n_warnings);
  return cli_print (line);
}

static CliStatus
check_run (char ***arguments)
{
  CliStatus status = CLI_DONE;

  if (!cli_parse (&cli_check, NULL, arguments, &status) ||
      !cli_check_count (&cli_check, *arguments, 1, G_MAXUINT, &status))
    return status;
  for (guint i = 1; (*arguments)[i] != NULL; i++)
    status = cli_worse (status, check_file ((*arguments)[i], (*arguments)[2] != NULL));
  return status;
}

const CliCommand cli_check = {
  .name = "check",
  .arguments = "GRAPH...",
  .summary = N_ ("Check graph files and list everything that is wrong"),
  .description = N_ (
      "Problems are printed on standard error as FILE:LINE:COLUMN: /POINTER: MESSAGE; the exit status is 3\nif any file has one.  What would fail only during evaluation (a node of an unknown type, a required\ninput without a link) is a warning."),
  .run = check_run,
};
