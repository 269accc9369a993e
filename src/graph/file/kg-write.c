/* kg-write: graphs as the text of files, saving, copy and paste.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file.h"
#include "kg-graph-private.h"
#include "kg-output-file.h"
#include "kg-preset-json.h"

#include <string.h>

static void
write_text_member (const char *name, const char *text, GString *out)
{
  g_string_append_printf (out, "  \"%s\": ", name);
  kg_json_write_string (text, out);
  g_string_append (out, ",\n");
}

char *
kg_graph_to_text (KgGraph *graph)
{
  const KgFrames frames = kg_graph_get_frames (graph);
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "{\n  \"kineograph\": %d,\n", KG_FILE_VERSION);
  if (graph->title[0] != '\0')
    write_text_member ("title", graph->title, out);
  if (graph->comment[0] != '\0')
    write_text_member ("comment", graph->comment, out);
  g_string_append (out, "  \"frames\": { \"start\": ");
  kg_json_write_number (frames.start, out);
  g_string_append (out, ", \"end\": ");
  kg_json_write_number (frames.end, out);
  g_string_append (out, ", \"rate\": ");
  kg_json_write_number (frames.rate, out);
  g_string_append (out, " },\n");
  kg_graph_write_presets (graph, out);
  g_string_append (out, "  \"nodes\": {");
  kg_graph_write_nodes (graph, out, 2);
  g_string_append_c (out, '}');
  if (graph->display != NULL) {
    g_string_append (out, ",\n  \"display\": ");
    kg_json_write_string (graph->display, out);
  }
  g_string_append (out, "\n}\n");
  return g_string_free (out, FALSE);
}

/* Saving. */

char *
kg_graph_to_readable_text (KgGraph *graph, GError **error)
{
  g_autofree char *text = kg_graph_to_text (graph);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) again = kg_graph_parse (graph->types, text, -1, problems);
  const KgProblem *problem;

  if (again != NULL)
    return g_steal_pointer (&text);
  problem = (const KgProblem *) g_ptr_array_index (problems, 0);
  kg_set_error (error, KG_ERROR_INVALID_FILE,
                "what would be written could not be read again: %s: %s: change or remove that part of the graph",
                problem->pointer, problem->message);
  return NULL;
}

bool
kg_graph_save (KgGraph *graph, const char *path, GError **error)
{
  g_autofree char *text = kg_graph_to_readable_text (graph, error);
  const bool stream = g_str_equal (path, "-");
  g_autoptr (KgOutputFile) file = text != NULL ? kg_output_file_open (path, error) : NULL;

  if (file == NULL || !kg_output_file_write (file, text, strlen (text), error) ||
      !kg_output_file_complete (file, error)) {
    if (stream)
      kg_prefix_error (error, "cannot write to standard output: ");
    else if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      kg_prefix_error (error, "%s cannot be written (the old file is unchanged): ", path);
    else
      kg_prefix_error (error, "%s cannot be written: ", path);
    return false;
  }
  if (!stream && kg_graph_get_folder (graph) == NULL) {
    g_autofree char *folder = g_path_get_dirname (path);

    kg_graph_set_folder (graph, folder);
  }
  return true;
}

/* Copy and paste. */

char *
kg_graph_copy (KgGraph *graph, KgNode *const *nodes, guint n)
{
  g_autoptr (KgGraph) copy = kg_graph_extract (graph, nodes, n);

  return kg_graph_to_text (copy);
}

/* Instances become those of the definitions that are known where they go: of their own version, or else of the newest. */
static bool
take_definitions (KgGraph *pasted, const KgTypes *types, GError **error)
{
  g_autoptr (GPtrArray) instances = kg_graph_find_instances (pasted, NULL);

  for (guint i = 0; i < instances->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (instances, i);
    const KgNodeType *type = kg_types_find_version (types, node->type_id, node->type->version);

    if (type == NULL)
      type = kg_types_find (types, node->type_id);
    if (type != NULL && kg_type_get_preset (type) != NULL &&
        kg_graph_upgrade_node (node->parent, node, kg_type_get_preset (type), error) == NULL)
      return false;
  }
  return true;
}

GPtrArray *
kg_graph_paste (KgGraph *graph, const char *text, double dx, double dy, GError **error)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) pasted = kg_graph_parse (graph->types, text, -1, problems);

  if (pasted == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    kg_set_error (error, KG_ERROR_INVALID_FILE, "the text to paste is not a graph: line %u: %s", problem->line,
                  problem->message);
    return NULL;
  }
  kg_graph_adopt_presets (graph, pasted->types);
  if (!take_definitions (pasted, graph->types, error))
    return NULL;
  return kg_graph_insert (graph, pasted, dx, dy, error);
}
