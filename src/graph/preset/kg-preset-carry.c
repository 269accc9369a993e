/* kg-preset-carry: the definitions that a file carries: those that its instances are of, and what these are made of.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"
#include "kg-preset-json.h"

/* (transfer container) The presets that a definition is made of, each once. */
static GPtrArray *
list_parts (const KgPreset *preset)
{
  g_autoptr (GPtrArray) instances = kg_graph_find_instances (kg_preset_get_graph (preset), NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GPtrArray *parts = g_ptr_array_new ();

  for (guint i = 0; i < instances->len; i++) {
    KgPreset *part = ((const KgNode *) g_ptr_array_index (instances, i))->preset;

    if (g_hash_table_add (seen, part))
      g_ptr_array_add (parts, part);
  }
  return parts;
}

static bool
is_same_definition (const KgPreset *a, const KgPreset *b)
{
  g_autoptr (GString) x = g_string_new (NULL), y = g_string_new (NULL);

  if (a == b)
    return true;
  if (a == NULL || b == NULL)
    return false;
  kg_json_write (kg_preset_get_json (a), x);
  kg_json_write (kg_preset_get_json (b), y);
  return g_string_equal (x, y);
}

/* (transfer full) The newest is carried under its id alone. */
static char *
dup_carried_name (const KgPreset *preset, GHashTable *newest)
{
  const char *id = kg_preset_get_id (preset);
  const KgPreset *other = (const KgPreset *) g_hash_table_lookup (newest, id);

  /* (A file has one definition of each version.) */
  return kg_preset_get_version (other) == kg_preset_get_version (preset) ? g_strdup (id)
                                                                         : kg_preset_dup_versioned_id (preset);
}

KgJson *
kg_preset_to_json (const KgPreset *preset, GHashTable *known)
{
  g_autoptr (GPtrArray) parts = list_parts (preset), instances = NULL;
  g_autoptr (GHashTable) here = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), newest = NULL;
  KgJson *json = kg_json_copy (kg_preset_get_json (preset)), *carried = NULL;
  GHashTableIter iter;
  gpointer id, other;

  kg_json_remove (json, "presets");
  g_hash_table_iter_init (&iter, known);
  while (g_hash_table_iter_next (&iter, &id, &other))
    g_hash_table_insert (here, g_strdup ((const char *) id), other);
  instances = kg_graph_find_instances (kg_preset_get_graph (preset), NULL);
  newest = kg_instances_find_newest (instances);
  for (guint i = 0; i < parts->len; i++) {
    KgPreset *part = (KgPreset *) g_ptr_array_index (parts, i);
    g_autofree char *name = dup_carried_name (part, newest);

    if (is_same_definition ((const KgPreset *) g_hash_table_lookup (here, name), part))
      continue;
    if (carried == NULL)
      carried = kg_json_new (KG_JSON_OBJECT);
    kg_json_set (carried, name, kg_preset_to_json (part, here));
    g_hash_table_replace (here, g_steal_pointer (&name), part);
  }
  if (carried != NULL)
    kg_json_set (json, "presets", carried);
  return json;
}

static void
write_definition (const char *name, const KgPreset *preset, GHashTable *written, GString *out)
{
  g_autoptr (KgJson) json = kg_preset_to_json (preset, written);

  g_string_append (out, g_hash_table_size (written) > 0 ? ",\n    " : "\n    ");
  kg_json_write_string (name, out);
  g_string_append (out, ": ");
  kg_json_write (json, out);
}

/* Before each those that it is made of.  One that is made of another version than the newest that the graph has carries
 * that itself. */
static void
write_preset (const KgPreset *preset, GHashTable *own, GHashTable *seen, GHashTable *written, GString *out)
{
  const char *id = kg_preset_get_id (preset);
  g_autoptr (GPtrArray) parts = NULL;

  if (!g_hash_table_add (seen, (gpointer) id))
    return;
  parts = list_parts (preset);
  for (guint i = 0; i < parts->len; i++) {
    const KgPreset *part = (const KgPreset *) g_ptr_array_index (parts, i);
    const KgPreset *mine = (const KgPreset *) g_hash_table_lookup (own, kg_preset_get_id (part));

    write_preset (mine != NULL ? mine : part, own, seen, written, out);
  }
  write_definition (id, preset, written, out);
  g_hash_table_insert (written, (gpointer) id, (gpointer) preset);
}

void
kg_graph_write_presets (KgGraph *graph, GString *out)
{
  g_autoptr (GHashTable) own = NULL, seen_older = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) written = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) instances = kg_graph_find_instances (graph, NULL);

  if (instances->len == 0)
    return;
  own = kg_instances_find_newest (instances);
  g_string_append (out, "  \"presets\": {");
  for (guint i = 0; i < instances->len; i++) {
    const char *id = ((const KgNode *) g_ptr_array_index (instances, i))->type_id;

    write_preset ((const KgPreset *) g_hash_table_lookup (own, id), own, seen, written, out);
  }
  for (guint i = 0; i < instances->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (instances, i);
    g_autofree char *name = dup_carried_name (node->preset, own);

    if (!g_str_equal (name, node->type_id) && g_hash_table_add (seen_older, g_strdup (name)))
      write_definition (name, node->preset, written, out);
  }
  g_string_append (out, "\n  },\n");
}
