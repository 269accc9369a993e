/* kg-edit-log: reports every edit to the log of the graph, before it is made.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-private.h"

bool
kg_graph_set_log (KgGraph *graph, KgEditLog log, gpointer data)
{
  KgHistory *history = kg_graph_get_document (graph)->history;

  if (history == NULL || (log != NULL && history->log != NULL))
    return false;
  g_hash_table_remove_all (history->moved_set);
  g_ptr_array_set_size (history->moved, 0);
  history->log = log;
  history->log_data = data;
  history->log_since = history->serial;
  history->reported_step = 0;
  return true;
}

KgHistory *
kg_graph_get_logged (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_document (graph)->history;

  return history != NULL && history->log != NULL && history->muted == 0 ? history : NULL;
}

void
kg_graph_log_moves (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_document (graph)->history;

  if (history == NULL || history->moved->len == 0)
    return;
  for (guint i = 0; i < history->moved->len && history->log != NULL; i++) {
    g_autoptr (KgNode) node = kg_node_ref ((KgNode *) g_ptr_array_index (history->moved, i));
    const KgEdit edit = { .verb = KG_EDIT_MOVE, .graph = node->parent, .node = node, .x = node->x, .y = node->y };

    history->log (history->log_data, &edit);
  }
  g_hash_table_remove_all (history->moved_set);
  g_ptr_array_set_size (history->moved, 0);
}

void
kg_edit_report (const KgEdit *edit)
{
  static const KgEdit other = { .verb = KG_EDIT_OTHER };
  KgHistory *history = kg_graph_get_logged (edit->graph);

  if (history == NULL)
    return;
  kg_graph_log_moves (edit->graph);
  history->reported_step = 0;
  /* What the history does not remember cannot be undone when the edits are repeated. */
  history->log (history->log_data, history->paused ? &other : edit);
}

void
kg_edit_report_move (KgNode *node, double x, double y)
{
  const KgEdit edit = { .verb = KG_EDIT_MOVE, .graph = node->parent, .node = node, .x = x, .y = y };
  KgHistory *history = kg_graph_get_logged (node->parent);

  if (history == NULL)
    return;
  if (history->marks->len == 0 || history->paused)
    kg_edit_report (&edit);
  else if (g_hash_table_add (history->moved_set, node))
    g_ptr_array_add (history->moved, kg_node_ref (node));
}

void
kg_edit_report_node (KgEditVerb verb, const KgNode *node)
{
  const KgEdit edit = { .verb = verb, .graph = node->parent, .node = node };

  kg_edit_report (&edit);
}

void
kg_edit_report_text (KgEditVerb verb, KgGraph *graph, const KgNode *node, const char *text)
{
  const KgEdit edit = { .verb = verb, .graph = graph, .node = node, .text = text };

  kg_edit_report (&edit);
}

void
kg_edit_report_json (KgEditVerb verb, KgGraph *graph, const KgNode *node, const KgJson *json)
{
  const KgEdit edit = { .verb = verb, .graph = graph, .node = node, .json = json };

  kg_edit_report (&edit);
}

void
kg_edit_report_flag (KgEditVerb verb, const KgNode *node, bool flag)
{
  const KgEdit edit = { .verb = verb, .graph = node->parent, .node = node, .flag = flag };

  kg_edit_report (&edit);
}

void
kg_graph_mute_log (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_document (graph)->history;

  if (history != NULL)
    history->muted++;
}

void
kg_graph_unmute_log (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_document (graph)->history;

  if (history != NULL)
    history->muted--;
}

void
kg_graph_log_preset (KgGraph *graph, const KgPreset *preset)
{
  kg_edit_report_json (KG_EDIT_ADD_PRESET, graph, NULL, kg_preset_get_json (preset));
}

void
kg_graph_log_match (KgGraph *graph, const KgNode *node)
{
  kg_edit_report_node (KG_EDIT_MATCH, node);
  kg_graph_mute_log (graph);
}

void
kg_graph_log_upgrade (KgGraph *graph, const KgPreset *preset, const KgNode *node)
{
  kg_edit_report_json (KG_EDIT_UPGRADE, node != NULL ? node->parent : graph, node, kg_preset_get_json (preset));
  kg_graph_mute_log (graph);
}

void
kg_graph_log_end (KgGraph *graph)
{
  kg_graph_unmute_log (graph);
}
