/* stats: what each node did, for eval --stats.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "stats.h"

#include "cli.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <stdio.h>

typedef struct {
  char *path;
  KgNodeStats stats;
} Row;

static void
clear_row (gpointer data)
{
  g_free (((Row *) data)->path);
}

/* Nodes that were evaluated, those of sub-graphs after the node that holds them. Depth is limited by
 * KG_GRAPH_MAX_NESTING. */
static void
collect (KgEvaluator *evaluator, KgGraph *graph, GArray *rows)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    Row row;

    kg_evaluator_get_stats (evaluator, node, &row.stats);
    if (row.stats.evaluations + row.stats.hits > 0) {
      row.path = kg_node_dup_path (node);
      g_array_append_val (rows, row);
    }
    if (kg_node_get_graph (node) != NULL)
      collect (evaluator, kg_node_get_graph (node), rows);
  }
}

static void
write_table (const GArray *rows, const KgCacheStats *cache, GString *out)
{
  g_string_append_printf (out, "%12s %12s %12s %14s  %s\n", _ ("evaluations"), _ ("cache hits"), _ ("ms"), _ ("bytes"),
                          _ ("node"));
  for (guint i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);

    g_string_append_printf (out, "%12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT " %12.3f %14" G_GUINT64_FORMAT "  %s\n",
                            row->stats.evaluations, row->stats.hits, row->stats.seconds * 1000, row->stats.bytes,
                            row->path);
  }
  g_string_append_printf (out,
                          _ ("cache: %" PRIu64 " results, %" PRIu64 " of %" PRIu64 " bytes, %" PRIu64 " dropped\n"),
                          cache->entries, cache->bytes, cache->budget, cache->evictions);
}

static void
write_json (const GArray *rows, const KgCacheStats *cache, GString *out)
{
  g_string_append (out, "{\"nodes\":{");
  for (guint i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);

    if (i > 0)
      g_string_append_c (out, ',');
    kg_json_write_string (row->path, out);
    g_string_append (out, ":{");
    cli_write_member (out, "evaluations", (double) row->stats.evaluations);
    cli_write_member (out, "hits", (double) row->stats.hits);
    cli_write_member (out, "milliseconds", row->stats.seconds * 1000);
    cli_write_member (out, "bytes", (double) row->stats.bytes);
    g_string_append_c (out, '}');
  }
  g_string_append (out, "},\"cache\":{");
  cli_write_member (out, "entries", (double) cache->entries);
  cli_write_member (out, "bytes", (double) cache->bytes);
  cli_write_member (out, "budget", (double) cache->budget);
  cli_write_member (out, "evictions", (double) cache->evictions);
  g_string_append (out, "}}\n");
}

void
cli_print_stats (KgEvaluator *evaluator, bool json)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_autoptr (GString) out = g_string_new (NULL);
  KgCacheStats cache;

  g_array_set_clear_func (rows, clear_row);
  collect (evaluator, kg_evaluator_get_graph (evaluator), rows);
  kg_cache_get_stats (kg_evaluator_get_cache (evaluator), &cache);
  if (json)
    write_json (rows, &cache, out);
  else
    write_table (rows, &cache, out);
  fputs (out->str, stderr);
}
