/* kineo info: what a graph holds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  guint n_nodes, n_links, n_expressions, n_keyed;
  GHashTable *types; /* type id: count */
  GPtrArray *files;  /* paths of nodes that name a file */
} Info;

static void
count_source (Info *info, const KgSource *source)
{
  info->n_links += source->kind == KG_SOURCE_LINK;
  info->n_expressions += source->kind == KG_SOURCE_EXPRESSION;
  info->n_keyed += source->kind == KG_SOURCE_KEYS;
  for (guint i = 0; source->kind == KG_SOURCE_LIST && i < source->list.n; i++) {
    info->n_links += source->list.items[i].kind == KG_SOURCE_LINK;
    info->n_expressions += source->list.items[i].kind == KG_SOURCE_EXPRESSION;
  }
  for (guint i = 0; source->kind == KG_SOURCE_TABLE && i < source->table.n; i++)
    count_source (info, &source->table.cells[i].source);
}

/* An instance of a preset is one node.  Depth is limited by KG_GRAPH_MAX_NESTING. */
static void
collect (Info *info, KgGraph *graph)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    const KgNodeType *type = kg_node_get_type (node);
    const char *id = kg_node_get_type_id (node);
    const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (info->types, id));

    info->n_nodes++;
    g_hash_table_insert (info->types, g_strdup (id), GUINT_TO_POINTER (n + 1));
    if (type != NULL && type->role == KG_ROLE_FILE_OUTPUT)
      g_ptr_array_add (info->files, kg_node_dup_path (node));
    for (guint slot = 0; type != NULL && slot < kg_node_get_n_slots (node); slot++) {
      if (kg_node_get_slot (node, slot)->role == KG_SLOT_INPUT)
        count_source (info, kg_node_get_source (node, slot));
    }
    if (kg_node_get_graph (node) != NULL && !kg_graph_is_locked (kg_node_get_graph (node)))
      collect (info, kg_node_get_graph (node));
  }
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* (transfer container) Sorted. */
static GPtrArray *
list_types (const Info *info)
{
  GPtrArray *ids = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer id;

  g_hash_table_iter_init (&iter, info->types);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    g_ptr_array_add (ids, id);
  g_ptr_array_sort (ids, compare_texts);
  return ids;
}

static guint
get_count (const Info *info, const char *id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (info->types, id));
}

static void
write_text_member (GString *out, const char *name, const char *text)
{
  g_string_append_printf (out, ",\"%s\":", name);
  if (text == NULL)
    g_string_append (out, "null");
  else
    kg_json_write_string (text, out);
}

static void
write_json (KgGraph *graph, const Info *info, GString *out)
{
  const KgFrames frames = kg_graph_get_frames (graph);
  g_autoptr (GPtrArray) ids = list_types (info);

  g_string_append (out, "{\"title\":");
  kg_json_write_string (kg_graph_get_title (graph), out);
  write_text_member (out, "comment", kg_graph_get_comment (graph));
  g_string_append (out, ",\"frames\":{");
  cli_write_member (out, "start", frames.start);
  cli_write_member (out, "end", frames.end);
  cli_write_member (out, "rate", frames.rate);
  g_string_append_c (out, '}');
  write_text_member (out, "display", kg_graph_get_display (graph));
  cli_write_member (out, "nodes", info->n_nodes);
  cli_write_member (out, "links", info->n_links);
  cli_write_member (out, "expressions", info->n_expressions);
  cli_write_member (out, "keyed", info->n_keyed);
  g_string_append (out, ",\"types\":{");
  for (guint i = 0; i < ids->len; i++)
    cli_write_member (out, ids->pdata[i], get_count (info, ids->pdata[i]));
  g_string_append (out, "},\"unknown_types\":[");
  for (guint i = 0, n = 0; i < ids->len; i++) {
    if (kg_types_find (kg_graph_get_types (graph), ids->pdata[i]) != NULL)
      continue;
    g_string_append (out, n++ > 0 ? "," : "");
    kg_json_write_string (ids->pdata[i], out);
  }
  g_string_append (out, "],\"files\":[");
  for (guint i = 0; i < info->files->len; i++) {
    g_string_append (out, i > 0 ? "," : "");
    kg_json_write_string (info->files->pdata[i], out);
  }
  g_string_append (out, "]}\n");
}

static void
write_number (GString *out, const char *before, double number, const char *after)
{
  g_string_append (out, before);
  kg_json_write_number (number, out);
  g_string_append (out, after);
}

static void
write_text (KgGraph *graph, const Info *info, GString *out)
{
  const KgFrames frames = kg_graph_get_frames (graph);
  const char *display = kg_graph_get_display (graph);
  const char *comment = kg_graph_get_comment (graph);
  g_autoptr (GPtrArray) ids = list_types (info);

  g_string_append_printf (out, _ ("title:   %s\n"), kg_graph_get_title (graph));
  if (comment != NULL && *comment != '\0')
    g_string_append_printf (out, _ ("comment: %s\n"), comment);
  write_number (out, _ ("frames:  "), frames.start, "-");
  write_number (out, "", frames.end, "");
  write_number (out, _ (" at "), frames.rate, _ (" per second, "));
  g_string_append_printf (out, _ ("%.2f seconds\n"), (frames.end - frames.start + 1) / frames.rate);
  g_string_append_printf (out, _ ("display: %s\n"), display != NULL ? display : _ ("(nothing)"));
  g_string_append_printf (out, _ ("nodes:   %u (%u links, %u expressions, %u keyed inputs)\n"), info->n_nodes,
                          info->n_links, info->n_expressions, info->n_keyed);
  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (out, "%8u %s%s\n", get_count (info, ids->pdata[i]), (const char *) ids->pdata[i],
                            kg_types_find (kg_graph_get_types (graph), ids->pdata[i]) != NULL ? "" : _ ("  (unknown)"));
  for (guint i = 0; i < info->files->len; i++)
    g_string_append_printf (out, _ ("writes a file: %s\n"), (const char *) info->files->pdata[i]);
}

static CliStatus
info_run (char ***arguments)
{
  gboolean json = FALSE;
  g_autoptr (KgGraph) graph = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GHashTable) types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  Info info = { .types = types, .files = files };
  CliStatus status = CLI_DONE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { 0 },
  };

  if (!cli_parse (&cli_info, entries, arguments, &status) || !cli_check_count (&cli_info, *arguments, 1, 1, &status))
    return status;
  graph = cli_load ((*arguments)[1]);
  if (graph == NULL)
    return CLI_INVALID_FILE;
  collect (&info, graph);
  if (json)
    write_json (graph, &info, out);
  else
    write_text (graph, &info, out);
  return cli_print (out->str);
}

const CliCommand cli_info = {
  .name = "info",
  .arguments = "GRAPH",
  .summary = N_ ("Show what a graph contains"),
  .description =
      N_ ("Title, frames, the displayed node, how many nodes of each type there are, and which nodes write files."),
  .run = info_run,
};
