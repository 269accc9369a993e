/* kg-instance: nodes that are instances of presets, and the definitions that a graph knows.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-private.h"

#include "kg-graph-private.h"

static void
collect_instances (KgGraph *graph, const char *id, GPtrArray *instances)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (graph->nodes, i);

    if (node->preset != NULL && (id == NULL || g_str_equal (node->type_id, id)))
      g_ptr_array_add (instances, node);
    if (node->inside != NULL && (node->preset == NULL || node->unlocked))
      collect_instances (node->inside, id, instances);
  }
}

GPtrArray *
kg_graph_find_instances (KgGraph *graph, const char *id)
{
  GPtrArray *instances = g_ptr_array_new ();

  collect_instances (kg_graph_get_root (graph), id, instances);
  return instances;
}

GHashTable *
kg_instances_find_newest (GPtrArray *instances)
{
  GHashTable *newest = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < instances->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (instances, i);
    const KgPreset *other = (const KgPreset *) g_hash_table_lookup (newest, node->type_id);

    if (other == NULL || kg_preset_get_version (other) <= node->type->version)
      g_hash_table_replace (newest, node->type_id, node->preset);
  }
  return newest;
}

const KgPreset *
kg_node_find_newer (const KgNode *node, const KgTypes *types)
{
  const KgNodeType *type = node->preset != NULL ? kg_types_find (types, node->type_id) : NULL;

  return kg_type_get_preset (type) != NULL && type->version > node->type->version ? kg_type_get_preset (type) : NULL;
}

void
kg_node_fill (KgNode *node)
{
  const KgPreset *preset = kg_node_get_preset (node);

  g_return_if_fail (preset != NULL && node->inside != NULL && node->inside->nodes->len == 0);
  kg_graph_copy_inside (kg_preset_get_graph (preset), node->inside, NULL);
  kg_node_rebuild_interface (node);
}

void
kg_node_set_definition (KgNode *node, KgPreset *preset)
{
  KgPreset *old = node->preset;

  node->preset = kg_preset_ref (preset);
  node->type = kg_preset_get_type (preset);
  node->type_hash = kg_node_hash_type (node->type_id, node->type);
  for (guint i = 0; i < node->n_slots; i++)
    kg_node_update_slot (node->interfaces[i]);
  kg_node_invalidate (node, -1);
  if (node->parent != NULL)
    kg_node_use_definition (node);
  kg_preset_unref (old);
}

void
kg_graph_adopt_presets (KgGraph *graph, KgTypes *from)
{
  KgGraph *root = kg_graph_get_root (graph);
  g_autoptr (KgTypes) types = kg_types_ref (root->types);
  g_autoptr (GPtrArray) older = kg_types_list_older (from);

  for (guint i = 0; i < older->len; i++) {
    const KgNodeType *type = (const KgNodeType *) g_ptr_array_index (older, i);

    if (kg_types_find (root->types, type->id) == NULL) {
      KgTypes *more = kg_types_add_older (types, type);

      kg_types_unref (types);
      types = more;
    }
  }
  for (guint i = 0; i < kg_types_get_n (from); i++) {
    const KgNodeType *type = kg_types_get (from, i);

    if (type->definition != NULL && kg_types_find (types, type->id) == NULL) {
      KgTypes *more = kg_types_add (types, type);

      kg_graph_log_preset (root, kg_type_get_preset (type));
      kg_types_unref (types);
      types = more;
    }
  }
  if (types != root->types)
    kg_graph_set_types (root, types);
}

void
kg_graph_add_preset (KgGraph *graph, KgPreset *preset)
{
  KgGraph *root = kg_graph_get_root (graph);
  g_autoptr (GPtrArray) instances = kg_graph_find_instances (root, kg_preset_get_id (preset));
  g_autoptr (KgTypes) types = NULL;

  if (instances->len > 0)
    return;
  types = kg_types_add (root->types, &preset->type);
  kg_graph_log_preset (root, preset);
  kg_graph_set_types (root, types);
}

void
kg_graph_set_library (KgGraph *graph, KgTypes *library)
{
  g_autoptr (GPtrArray) instances = kg_graph_find_instances (graph, NULL);
  g_autoptr (KgTypes) types = kg_types_ref (library);
  g_autoptr (GHashTable) newest = NULL;

  newest = kg_instances_find_newest (instances);
  for (guint i = 0; i < instances->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (instances, i);
    const KgPreset *newer = (const KgPreset *) g_hash_table_lookup (newest, node->type_id);
    KgTypes *more;

    if (node->preset == newer ? kg_types_find (types, node->type_id) == node->type
                              : kg_types_find_version (types, node->type_id, node->type->version) == node->type)
      continue;
    more = node->preset == newer ? kg_types_add (types, node->type) : kg_types_add_older (types, node->type);
    kg_types_unref (types);
    types = more;
  }
  kg_graph_set_types (kg_graph_get_root (graph), types);
}
