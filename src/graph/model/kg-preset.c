/* kg-preset: definitions of node types that are made of nodes, and their instances in graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-private.h"

#include "kg-graph-private.h"

#include <string.h>

/* Definitions. */

static void
published_free (gpointer data)
{
  KgPublished *published = (KgPublished *) data;

  g_free (published->name);
  g_free (published->label);
  g_free (published->help);
  g_free (published->group);
  g_free (published->shown_when);
  g_free (published->from);
  g_strfreev (published->drives);
  g_free (published);
}

/* What an instance holds: the nodes, and those within them. */
static void
measure (KgGraph *graph, guint depth, guint64 *size, guint *deepest)
{
  *deepest = MAX (*deepest, depth);
  *size += graph->nodes->len;
  for (guint i = 0; i < graph->nodes->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (graph->nodes, i);
    const KgPreset *preset = kg_node_get_preset (node);

    if (preset != NULL && !node->unlocked) {
      *size += preset->size;
      *deepest = MAX (*deepest, depth + preset->depth);
    } else if (node->inside != NULL)
      measure (node->inside, depth + 1, size, deepest);
  }
}

static void
make_type (KgPreset *preset)
{
  const char *title = kg_preset_get_text (preset, "title"), *help = kg_preset_get_text (preset, "help");
  const char *summary = kg_preset_get_text (preset, "summary");

  preset->type = (KgNodeType){ .id = preset->id,
                               .label = title != NULL ? title : strchr (preset->id, '/') + 1,
                               .help = help != NULL      ? help
                                       : summary != NULL ? summary
                                                         : "",
                               .tags = kg_preset_get_text (preset, "tags"),
                               .version = preset->version,
                               .since = "",
                               .role = KG_ROLE_SUBNET,
                               .definition = &preset->definition };
}

static void
preset_free (KgDefinition *definition)
{
  KgPreset *preset = (KgPreset *) definition;

  g_clear_object (&preset->graph);
  g_clear_pointer (&preset->json, kg_json_free);
  g_clear_pointer (&preset->published, g_ptr_array_unref);
  g_free (preset->id);
  g_free (preset->path);
  g_free (preset);
}

KgPreset *
kg_preset_new (KgJson *json, const char *id, guint version)
{
  KgPreset *preset = g_new0 (KgPreset, 1);

  g_atomic_ref_count_init (&preset->definition.refs);
  preset->definition.free = preset_free;
  preset->json = json;
  preset->id = g_strdup (id);
  preset->version = version;
  preset->published = g_ptr_array_new_with_free_func (published_free);
  return preset;
}

void
kg_preset_complete (KgPreset *preset)
{
  measure (preset->graph, 1, &preset->size, &preset->depth);
  make_type (preset);
}

void
kg_preset_set_path (KgPreset *preset, const char *path)
{
  g_free (preset->path);
  preset->path = g_strdup (path);
}

KgPreset *
kg_preset_ref (const KgPreset *preset)
{
  return (KgPreset *) kg_definition_ref (&preset->definition);
}

void
kg_preset_unref (KgPreset *preset)
{
  kg_definition_unref (&preset->definition);
}

const KgPreset *
kg_type_get_preset (const KgNodeType *type)
{
  return type != NULL ? (const KgPreset *) type->definition : NULL;
}

const char *
kg_preset_get_id (const KgPreset *preset)
{
  return preset->id;
}

guint
kg_preset_get_version (const KgPreset *preset)
{
  return preset->version;
}

char *
kg_preset_dup_versioned_id (const KgPreset *preset)
{
  return g_strdup_printf ("%s@%u", preset->id, preset->version);
}

const char *
kg_preset_get_text (const KgPreset *preset, const char *name)
{
  const KgJson *item = kg_json_get (preset->json, name);

  const char *text = kg_json_get_string (item);

  return text != NULL && *text != '\0' ? text : NULL;
}

const char *
kg_preset_get_path (const KgPreset *preset)
{
  return preset->path;
}

KgGraph *
kg_preset_get_graph (const KgPreset *preset)
{
  return preset->graph;
}

guint
kg_preset_get_n_published (const KgPreset *preset)
{
  return preset->published->len;
}

const KgPublished *
kg_preset_get_published (const KgPreset *preset, guint index)
{
  return (const KgPublished *) g_ptr_array_index (preset->published, index);
}

const KgPublished *
kg_preset_find_published (const KgPreset *preset, const char *name)
{
  for (guint i = 0; i < preset->published->len; i++)
    if (g_str_equal (kg_preset_get_published (preset, i)->name, name))
      return kg_preset_get_published (preset, i);
  return NULL;
}

const char *
kg_preset_get_renamed (const KgPreset *preset, const char *old_name)
{
  const KgJson *renamed = kg_json_get (preset->json, "renamed");
  const KgJson *item = renamed != NULL ? kg_json_get (renamed, old_name) : NULL;

  return kg_json_get_string (item);
}

guint64
kg_preset_get_size (const KgPreset *preset)
{
  return preset->size;
}

guint
kg_preset_get_depth (const KgPreset *preset)
{
  return preset->depth;
}

const KgJson *
kg_preset_get_json (const KgPreset *preset)
{
  return preset->json;
}

const KgNodeType *
kg_preset_get_type (const KgPreset *preset)
{
  return &preset->type;
}

/* Instances. */

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

GError *
kg_node_new_unknown_error (const KgNode *node)
{
  const KgTypes *types = node->parent->types;
  const KgNodeType *type = kg_types_find (types, node->type_id);
  const char *const *folders = kg_types_get_preset_folders (types);
  const KgJson *version = node->raw != NULL ? kg_json_get (node->raw, "version") : NULL;
  const KgPreset *newest = kg_type_get_preset (type);
  const char *path = newest != NULL ? kg_preset_get_path (newest) : NULL;
  g_autofree char *list = folders != NULL ? g_strjoinv (", ", (char **) folders) : NULL;

  if (type == NULL || !kg_json_is (version, KG_JSON_NUMBER) || kg_json_get_number (version) <= type->version)
    return kg_types_new_unknown_error (types, node->type_id);
  return kg_error_new (KG_ERROR_UNKNOWN_TYPE,
                       "the node is an instance of version %g of the preset \"%s\", and the newest definition found is "
                       "version %u (%s): put version %g or later into %s",
                       kg_json_get_number (version), node->type_id, type->version,
                       path != NULL ? path : kg_translate ("in the graph"), kg_json_get_number (version),
                       list != NULL && *list != '\0' ? list : kg_translate ("a preset folder"));
}

void
kg_node_fill (KgNode *node)
{
  const KgPreset *preset = kg_node_get_preset (node);

  g_return_if_fail (preset != NULL && node->inside != NULL && node->inside->nodes->len == 0);
  kg_graph_copy_inside (kg_preset_get_graph (preset), node->inside, NULL);
  kg_node_rebuild_interface (node);
}

const KgPreset *
kg_node_get_preset (const KgNode *node)
{
  return kg_type_get_preset (node->type);
}

bool
kg_node_is_unlocked (const KgNode *node)
{
  return node->unlocked;
}

bool
kg_graph_is_locked (KgGraph *graph)
{
  for (const KgNode *owner = graph->owner; owner != NULL; owner = owner->parent != NULL ? owner->parent->owner : NULL)
    if (kg_node_get_preset (owner) != NULL && !owner->unlocked)
      return true;
  return false;
}

void
kg_graph_set_types (KgGraph *graph, KgTypes *types)
{
  kg_types_unref (graph->types);
  graph->types = kg_types_ref (types);
  for (guint i = 0; i < graph->nodes->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (graph->nodes, i);

    if (node->inside != NULL)
      kg_graph_set_types (node->inside, types);
  }
}

void
kg_node_use_definition (const KgNode *node)
{
  KgGraph *root = kg_graph_get_root (node->parent);
  g_autoptr (KgTypes) types = NULL;

  /* What is inside of a locked instance is as its own definition has it. */
  if (kg_types_find_version (root->types, node->type_id, node->type->version) == node->type ||
      kg_graph_is_locked (node->parent))
    return;
  types = kg_types_add (root->types, node->type);
  kg_graph_set_types (root, types);
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
