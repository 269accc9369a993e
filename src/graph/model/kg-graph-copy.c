/* kg-graph-copy: copies nodes from one graph into another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

KgGraph *
kg_graph_extract (KgGraph *graph, KgNode *const *nodes, guint n)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new (NULL, NULL);
  KgGraph *copy;

  for (guint i = 0; i < n; i++)
    g_hash_table_add (wanted, nodes[i]);
  copy = kg_graph_copy_nodes (graph, wanted);
  /* Expressions keep their text and look for the name again. */
  kg_graph_cut_dangling (copy);
  kg_graph_set_display (copy, NULL);
  kg_graph_set_title (copy, "");
  kg_graph_set_comment (copy, "");
  return copy;
}

/* Copies the nodes of from into graph (same types); nodes of from whose names are taken are renamed. */
static GPtrArray *
adopt_nodes (KgGraph *graph, KgGraph *from, double dx, double dy, GError **error)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) added = g_ptr_array_new ();

  for (guint i = 0; i < from->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (from->nodes, i);

    if (kg_graph_find (graph, node->name) != NULL) {
      g_autofree char *name = kg_graph_make_free_name (graph, from, numbers, node->name);

      if (!kg_graph_rename (from, node, name, error))
        return NULL;
    }
  }
  for (guint i = 0; i < from->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (from->nodes, i), *copy;

    copy = node->type != NULL
               ? kg_graph_add (graph, node->type_id, node->name, node->x, node->y, error)
               : kg_graph_add_unknown (graph, node->type_id, node->name, kg_json_copy (node->raw), error);
    if (copy != NULL && copy->preset != node->preset)
      copy = kg_graph_upgrade_node (graph, copy, node->preset, error);
    if (copy == NULL)
      return NULL;
    kg_graph_move (graph, copy, node->x + dx, node->y + dy);
    kg_graph_set_color (graph, copy, node->color);
    kg_graph_set_node_comment (graph, copy, node->comment);
    kg_graph_set_bypass (graph, copy, node->bypass);
    kg_graph_set_stage (graph, copy, node->stage);
    if (kg_node_get_preset (node) != NULL && node->unlocked) {
      kg_graph_set_unlocked (graph, copy, true);
      while (copy->inside->nodes->len > 0)
        kg_graph_remove (copy->inside,
                         (KgNode *) g_ptr_array_index (copy->inside->nodes, copy->inside->nodes->len - 1));
    }
    if (kg_node_has_own_inside (node)) {
      g_autoptr (GPtrArray) inner = adopt_nodes (copy->inside, node->inside, 0, 0, error);

      if (inner == NULL)
        return NULL;
      kg_graph_set_display (copy->inside, node->inside->display);
    }
    g_ptr_array_add (added, copy);
  }
  for (guint i = 0; i < from->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (from->nodes, i), *copy = (KgNode *) g_ptr_array_index (added, i);

    for (guint s = 0; s < node->n_slots; s++)
      if (node->inputs[s].source.kind != KG_SOURCE_DEFAULT &&
          !kg_graph_set_source (graph, copy, s, &node->inputs[s].source, error))
        return NULL;
    if (node->aside != NULL)
      kg_graph_set_aside (graph, copy, kg_json_copy (node->aside));
  }
  return g_steal_pointer (&added);
}

GPtrArray *
kg_graph_insert (KgGraph *graph, KgGraph *from, double dx, double dy, GError **error)
{
  KgGraph *root = kg_graph_get_root (graph);
  GPtrArray *added;

  kg_graph_hold_changed (root);
  kg_graph_begin_group (graph, "Paste");
  added = adopt_nodes (graph, from, dx, dy, error);
  if (added == NULL)
    kg_graph_cancel_group (graph);
  else
    kg_graph_end_group (graph);
  kg_graph_release_changed (root);
  return added;
}
