/* kg-preset-upgrade: instances and the versions of their definition.
 *
 * Instances keep the definition that they were made with until they are upgraded, all in the graph or one: then the graph
 * has the older definition besides the newest, which new instances use.  What an instance has on inputs that the newer
 * one lacks is kept aside: an object with a member for each of those inputs, with the "kind" of the input and its source,
 * as in files, as "value".
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

#include <glib/gi18n-lib.h>

/* Comparing. */

static KgInterfaceChange
compare_slot (const KgPublished *was, const KgPreset *newer)
{
  const char *renamed = kg_preset_get_renamed (newer, was->name);
  const KgPublished *now = kg_preset_find_published (newer, renamed != NULL ? renamed : was->name);
  KgInterfaceChange change = { KG_PUBLISHED_GONE, was, now };

  if (now == NULL || now->is_output != was->is_output)
    change.now = NULL;
  else if (now->kind != was->kind)
    change.change = KG_PUBLISHED_RETYPED;
  else if (renamed != NULL)
    change.change = KG_PUBLISHED_RENAMED;
  else
    change.was = NULL; /* nothing to say */
  return change;
}

GArray *
kg_preset_compare (const KgPreset *older, const KgPreset *newer)
{
  GArray *changes = g_array_new (FALSE, FALSE, sizeof (KgInterfaceChange));
  g_autoptr (GHashTable) followed = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < kg_preset_get_n_published (older); i++) {
    const KgInterfaceChange change = compare_slot (kg_preset_get_published (older, i), newer);

    if (change.now != NULL)
      g_hash_table_add (followed, (gpointer) change.now);
    if (change.was != NULL)
      g_array_append_val (changes, change);
  }
  for (guint i = 0; i < kg_preset_get_n_published (newer); i++) {
    const KgInterfaceChange change = { KG_PUBLISHED_ADDED, NULL, kg_preset_get_published (newer, i) };

    if (!g_hash_table_contains (followed, change.now))
      g_array_append_val (changes, change);
  }
  return changes;
}

char *
kg_interface_change_to_text (const KgInterfaceChange *change)
{
  switch (change->change) {
  case KG_PUBLISHED_GONE:
    return g_strdup_printf (_ ("- %s was removed"), change->was->name);
  case KG_PUBLISHED_RENAMED:
    return g_strdup_printf (_ ("~ %s is now %s"), change->was->name, change->now->name);
  case KG_PUBLISHED_RETYPED:
    return g_strdup_printf (_ ("~ %s was %s and is now %s"), change->was->name, kg_kind_get_phrase (change->was->kind),
                            kg_kind_get_phrase (change->now->kind));
  case KG_PUBLISHED_ADDED:
  default:
    return g_strdup_printf ("+ %s", change->now->name);
  }
}

/* Values aside. */

static KgJson *
make_aside (const KgSource *source, const KgSlot *slot, KgKind kind)
{
  KgJson *entry = kg_json_new (KG_JSON_OBJECT);

  kg_json_set (entry, "kind", kg_json_new_string (kg_kind_get_name (kind)));
  kg_json_set (entry, "value", kg_source_to_json (source, slot));
  return entry;
}

/* A value that a conversion changes would not be the same if the kind came back. */
static bool
keeps_value (const KgSource *source, KgKind was, KgKind now)
{
  g_auto (KgValue) there = KG_VALUE_INIT, back = KG_VALUE_INIT;

  if (was == now || source->kind == KG_SOURCE_LINK)
    return true;
  if (source->kind == KG_SOURCE_CONSTANT)
    return kg_value_convert (&source->constant, now, &there, NULL) &&
           kg_value_convert (&there, source->constant.kind, &back, NULL) && kg_value_equal (&back, &source->constant);
  return kg_kind_get_width (was) > 0 && kg_kind_get_width (was) == kg_kind_get_width (now);
}

/* The input of the newer definition that replaces one of the older; -1: none. */
static int
find_successor (const KgNode *fresh, const char *name)
{
  const char *renamed = kg_preset_get_renamed (fresh->preset, name);
  const int followed = renamed != NULL ? kg_node_find_slot (fresh, renamed) : -1;
  const int slot = followed >= 0 ? followed : kg_node_find_slot (fresh, name);

  return slot >= 0 && kg_slot_is_input (&fresh->slots[slot]) ? slot : -1;
}

static bool
restore (KgGraph *graph, KgNode *fresh, const char *name, const KgJson *entry)
{
  const int slot = find_successor (fresh, name);
  const KgJson *kind = kg_json_get (entry, "kind");
  g_auto (KgSource) source = KG_SOURCE_INIT;
  KgKind was;

  return slot >= 0 && fresh->inputs[slot].source.kind == KG_SOURCE_DEFAULT &&
         kg_kind_from_name (kg_json_get_string (kind), &was) && (was == KG_ANY || was == fresh->slots[slot].kind) &&
         kg_source_from_json (kg_json_get (entry, "value"), &fresh->slots[slot], &source, NULL) &&
         kg_graph_set_source (graph, fresh, (guint) slot, &source, NULL);
}

/* Sets the values of node on fresh.  What it cannot take is kept aside; what was aside is restored if possible. */
static void
carry_values (KgGraph *graph, const KgNode *node, KgNode *fresh)
{
  g_autoptr (KgJson) aside = kg_json_new (KG_JSON_OBJECT);

  for (guint i = 0; i < node->n_slots; i++) {
    const KgSource *source = &node->inputs[i].source;
    const KgSlot *was = &node->slots[i];
    int slot;

    if (!kg_slot_is_input (was) || source->kind == KG_SOURCE_DEFAULT)
      continue;
    slot = find_successor (fresh, was->name);
    if (slot < 0 || !keeps_value (source, was->kind, fresh->slots[slot].kind) ||
        !kg_graph_set_source (graph, fresh, (guint) slot, source, NULL))
      kg_json_set (aside, was->name, make_aside (source, was, was->kind));
  }
  for (KgJsonIter member = kg_json_iterate (node->aside); kg_json_next (&member);)
    if (kg_json_get (aside, member.name) == NULL && !restore (graph, fresh, member.name, member.value))
      kg_json_set (aside, member.name, kg_json_copy (member.value));
  if (kg_json_get_n (aside) > 0)
    kg_graph_set_aside (graph, fresh, g_steal_pointer (&aside));
}

bool
kg_aside_check (const KgJson *aside, GError **error)
{
  for (KgJsonIter member = kg_json_iterate (aside); kg_json_next (&member);) {
    const KgJson *entry = member.value, *kind = kg_json_get (entry, "kind"), *value = kg_json_get (entry, "value");
    const KgSlot slot = { .name = member.name, .kind = KG_ANY };
    g_auto (KgSource) source = KG_SOURCE_INIT;
    KgKind was;

    if (!kg_json_is (entry, KG_JSON_OBJECT) || kg_json_get_n (entry) != 2 || !kg_json_is (kind, KG_JSON_STRING) ||
        !kg_kind_from_name (kg_json_get_string (kind), &was) || value == NULL) {
      kg_set_error (error, KG_ERROR_INVALID_FILE, "%.100s: expected an object with a \"kind\" and a \"value\"",
                    member.name);
      return false;
    }
    if (!kg_json_is (value, KG_JSON_ARRAY) && !kg_source_from_json (value, &slot, &source, error)) {
      g_prefix_error (error, "%.100s: ", member.name);
      return false;
    }
  }
  if (kg_json_is (aside, KG_JSON_OBJECT))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_FILE, "expected an object, found %s",
                kg_json_kind_name (kg_json_get_kind (aside)));
  return false;
}

/* For an older version whose definition is unknown, and so the kind of the input.  Takes value. */
static void
put_aside (KgGraph *graph, KgNode *node, const char *name, KgJson *value)
{
  KgJson *aside = node->aside != NULL ? kg_json_copy (node->aside) : kg_json_new (KG_JSON_OBJECT);
  KgJson *entry = kg_json_new (KG_JSON_OBJECT);

  kg_json_set (entry, "kind", kg_json_new_string (kg_kind_get_name (KG_ANY)));
  kg_json_set (entry, "value", value);
  kg_json_set (aside, name, entry);
  kg_graph_set_aside (graph, node, aside);
}

void
kg_node_read_old_input (KgGraph *graph, KgNode *node, const char *name, const KgJson *json)
{
  const int slot = find_successor (node, name);
  g_auto (KgSource) source = KG_SOURCE_INIT;

  if (slot < 0 || !kg_source_from_json (json, &node->slots[slot], &source, NULL) ||
      !kg_graph_read_source (graph, node, (guint) slot, &source, NULL))
    put_aside (graph, node, name, kg_json_copy (json));
}

void
kg_node_put_aside (KgGraph *graph, KgNode *node, guint slot)
{
  const KgSource none = KG_SOURCE_INIT;

  put_aside (graph, node, node->slots[slot].name, kg_source_to_json (&node->inputs[slot].source, &node->slots[slot]));
  kg_graph_read_source (graph, node, slot, &none, NULL);
}

/* What displays a slot that was renamed follows, here and in the graphs around. */
static void
follow_display (KgNode *node, const char *old_name, const char *new_name)
{
  g_autoptr (GString) path = g_string_new (node->name);

  for (KgGraph *graph = node->parent; graph != NULL; graph = graph->owner != NULL ? graph->owner->parent : NULL) {
    g_autofree char *old = g_strdup_printf ("%s.%s", path->str, old_name);
    g_autofree char *now = g_strdup_printf ("%s.%s", path->str, new_name);

    if (g_strcmp0 (graph->display, old) == 0)
      kg_graph_set_display (graph, now);
    if (graph->owner != NULL) {
      g_string_prepend_c (path, '/');
      g_string_prepend (path, graph->owner->name);
    }
  }
}

/* (transfer none) Puts a new instance of the definition in the place of node. */
static KgNode *
replace (KgGraph *graph, KgNode *node, const KgPreset *preset)
{
  g_autoptr (KgNode) fresh = kg_node_new (graph, kg_preset_get_type (preset), node->type_id, node->name);
  g_autoptr (KgNode) kept = kg_node_ref (node);

  kg_node_fill (fresh);
  fresh->x = node->x;
  fresh->y = node->y;
  fresh->bypass = node->bypass;
  fresh->stage = node->stage;
  kg_set_string (&fresh->color, node->color);
  kg_set_string (&fresh->comment, node->comment);
  kg_graph_exchange (graph, node, fresh);
  carry_values (graph, node, fresh);
  for (guint i = 0; i < node->n_slots; i++) {
    const char *name = node->slots[i].name, *renamed = kg_preset_get_renamed (preset, name);

    if (kg_node_find_slot (fresh, name) < 0 && renamed != NULL && kg_node_find_slot (fresh, renamed) >= 0) {
      kg_node_redirect (fresh, name, renamed);
      follow_display (fresh, name, renamed);
    }
  }
  /* What is left reads slots that no longer exist. */
  for (guint i = 0; i < node->n_slots; i++)
    if (kg_node_find_slot (fresh, node->slots[i].name) < 0)
      kg_node_redirect (fresh, node->slots[i].name, NULL);
  kg_node_cut_unfit (fresh);
  return fresh;
}

bool
kg_graph_match_preset (KgGraph *graph, KgNode *node, GError **error)
{
  g_return_val_if_fail (kg_node_get_preset (node) != NULL, false);
  if (kg_graph_refuse_locked (graph, error))
    return false;
  kg_graph_log_match (graph, node);
  kg_graph_begin_group (graph, _ ("Match preset"));
  replace (graph, node, kg_node_get_preset (node));
  kg_graph_end_group (graph);
  kg_graph_log_end (graph);
  return true;
}

/* Whether the graph has room for n more instances of a definition. */
static bool
check_room (KgGraph *root, const KgPreset *preset, guint n, GError **error)
{
  const guint64 size = kg_graph_get_document (root)->n_instanced + n * kg_preset_get_size (preset);

  if (size <= KG_GRAPH_MAX_NODES && kg_preset_get_depth (preset) <= KG_GRAPH_MAX_NESTING)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT,
                "%s, version %u: a graph can have at most %d nodes within instances, in at most %d nested graphs",
                kg_preset_get_id (preset), kg_preset_get_version (preset), KG_GRAPH_MAX_NODES, KG_GRAPH_MAX_NESTING);
  return false;
}

/* (transfer none) The node that takes its place, which may be the same. */
static KgNode *
set_definition (KgNode *node, const KgPreset *preset)
{
  if (!node->unlocked)
    return replace (node->parent, node, preset);
  kg_graph_set_definition (node->parent, node, (KgPreset *) preset);
  return node;
}

/* The graph keeps a definition that some instances use, besides the newer one. */
static void
keep_older (KgGraph *root, KgPreset *preset)
{
  const char *id = kg_preset_get_id (preset);
  g_autoptr (KgTypes) types = NULL;

  if (kg_types_find_version (root->types, id, kg_preset_get_version (preset)) == kg_preset_get_type (preset))
    return;
  types = kg_types_add_older (root->types, kg_preset_get_type (preset));
  kg_graph_set_types (root, types);
}

static bool
has_instance (KgGraph *root, const KgPreset *preset)
{
  g_autoptr (GPtrArray) instances = kg_graph_find_instances (root, kg_preset_get_id (preset));

  for (guint i = 0; i < instances->len; i++)
    if (((const KgNode *) g_ptr_array_index (instances, i))->preset == preset)
      return true;
  return false;
}

KgNode *
kg_graph_upgrade_node (KgGraph *graph, KgNode *node, const KgPreset *preset, GError **error)
{
  KgGraph *root = kg_graph_get_root (graph);
  g_autoptr (KgPreset) old = NULL;

  g_return_val_if_fail (node->preset != NULL && g_str_equal (node->type_id, kg_preset_get_id (preset)), NULL);
  if (node->preset == preset)
    return node;
  if (kg_graph_refuse_locked (graph, error) || !check_room (root, preset, 1, error))
    return NULL;
  old = kg_preset_ref (node->preset);
  kg_graph_log_upgrade (root, preset, node);
  kg_graph_begin_group (root, _ ("Upgrade an instance"));
  if (kg_preset_get_version (preset) < kg_preset_get_version (old))
    keep_older (root, (KgPreset *) preset);
  node = set_definition (node, preset);
  if (kg_preset_get_version (preset) > kg_preset_get_version (old) && has_instance (root, old))
    keep_older (root, old);
  kg_graph_end_group (root);
  kg_graph_log_end (root);
  return node;
}

bool
kg_graph_upgrade (KgGraph *graph, const KgPreset *preset, GError **error)
{
  KgGraph *root = kg_graph_get_root (graph);
  g_autoptr (GPtrArray) instances = kg_graph_find_instances (root, kg_preset_get_id (preset));

  if (!check_room (root, preset, instances->len, error))
    return false;
  kg_graph_log_upgrade (root, preset, NULL);
  kg_graph_begin_group (root, _ ("Upgrade a preset"));
  for (guint i = 0; i < instances->len; i++)
    set_definition ((KgNode *) g_ptr_array_index (instances, i), preset);
  kg_graph_end_group (root);
  kg_graph_log_end (root);
  return true;
}
