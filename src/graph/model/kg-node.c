/* kg-node: a node, its accessors, and those of the graphs around it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

void
kg_input_free_wires (KgInput *input)
{
  if (input->wires != &input->wire)
    g_free (input->wires);
  input->wires = NULL;
  input->n_wires = 0;
}

void
kg_input_free_cells (KgInput *input)
{
  for (guint i = 0; input->cells != NULL && i < input->cells->len; i++)
    kg_expression_free ((KgExpression *) g_ptr_array_index (input->cells, i));
  g_clear_pointer (&input->cells, g_ptr_array_unref);
}

void
kg_node_make_marks (KgNode *node, guint n_slots)
{
  const guint n = n_slots + 1;

  g_free (node->marks);
  node->marks = g_malloc0 (n * (sizeof *node->marks + sizeof *node->visits));
  node->visits = (guint64 (*)[2]) (node->marks + n);
}

void
kg_slot_clear_texts (KgSlot *slot)
{
  g_free ((char *) slot->name);
  g_free ((char *) slot->label);
  g_free ((char *) slot->def_text);
  g_free ((char *) slot->help);
}

void
kg_slots_free (KgSlot *slots, guint n)
{
  for (guint i = 0; slots != NULL && i < n; i++)
    kg_slot_clear_texts (&slots[i]);
  g_free (slots);
}

KgNode *
kg_node_ref (KgNode *node)
{
  g_atomic_ref_count_inc (&node->refs);
  return node;
}

void
kg_node_unref (KgNode *node)
{
  if (!g_atomic_ref_count_dec (&node->refs))
    return;
  for (guint i = 0; i < node->n_slots; i++) {
    kg_source_clear (&node->inputs[i].source);
    g_clear_pointer (&node->inputs[i].expression, kg_expression_free);
    kg_input_free_cells (&node->inputs[i]);
    kg_input_free_wires (&node->inputs[i]);
    kg_value_clear (&node->inputs[i].ready);
  }
  if (node->inside != NULL) {
    for (guint i = 0; i < node->n_slots; i++)
      node->interfaces[i]->outside = NULL;
    node->inside->owner = NULL;
    g_object_unref (node->inside);
  }
  g_free (node->inputs);
  g_free (node->marks);
  g_free (node->prepared);
  kg_slots_free (node->own_slots, node->n_slots);
  g_free (node->interfaces);
  g_free (node->users.items);
  g_free (node->name);
  g_free (node->type_id);
  g_free (node->color);
  g_free (node->comment);
  g_clear_pointer (&node->raw, kg_json_free);
  g_clear_pointer (&node->aside, kg_json_free);
  g_clear_pointer (&node->preset, kg_preset_unref);
  g_free (node);
}

/* Accessors. */

const char *
kg_node_get_name (const KgNode *node)
{
  return node->name;
}

char *
kg_node_dup_path (const KgNode *node)
{
  GString *path = g_string_new (node->name);

  for (KgGraph *graph = node->parent; graph != NULL && graph->owner != NULL; graph = graph->owner->parent) {
    g_string_prepend_c (path, '/');
    g_string_prepend (path, graph->owner->name);
  }
  return g_string_free (path, FALSE);
}

const char *
kg_node_get_type_id (const KgNode *node)
{
  return node->type_id;
}

const KgNodeType *
kg_node_get_type (const KgNode *node)
{
  return node->type;
}

KgGraph *
kg_node_get_parent (const KgNode *node)
{
  return node->parent;
}

KgGraph *
kg_node_get_graph (const KgNode *node)
{
  return node->inside;
}

void
kg_node_get_position (const KgNode *node, double *x, double *y)
{
  *x = node->x;
  *y = node->y;
}

bool
kg_node_get_bypass (const KgNode *node)
{
  return node->bypass;
}

const char *const kg_stage_nicks[] = { "off", "shown", "template", NULL };

KgStage
kg_node_get_stage (const KgNode *node)
{
  return node->stage;
}

const char *
kg_node_get_color (const KgNode *node)
{
  return node->color;
}

const char *
kg_node_get_comment (const KgNode *node)
{
  return node->comment;
}

const KgJson *
kg_node_get_aside (const KgNode *node)
{
  return node->aside;
}

KgRawSettings
kg_raw_get_settings (const KgJson *raw)
{
  const KgJson *at = kg_json_get (raw, "at"), *bypass = kg_json_get (raw, "bypass");
  const KgJson *color = kg_json_get (raw, "color"), *comment = kg_json_get (raw, "comment");
  KgRawSettings settings = { 0 };

  if (kg_json_is (at, KG_JSON_ARRAY) && kg_json_get_n (at) == 2 &&
      kg_json_is (kg_json_get_item (at, 0), KG_JSON_NUMBER) && kg_json_is (kg_json_get_item (at, 1), KG_JSON_NUMBER)) {
    settings.x = kg_json_get_number (kg_json_get_item (at, 0));
    settings.y = kg_json_get_number (kg_json_get_item (at, 1));
  }
  settings.bypass = kg_json_is (bypass, KG_JSON_TRUE);
  for (guint i = 0; i < KG_N_STAGES; i++)
    if (g_strcmp0 (kg_json_get_string (kg_json_get (raw, "stage")), kg_stage_nicks[i]) == 0)
      settings.stage = (KgStage) i;
  settings.color = kg_json_get_string (color);
  settings.comment = kg_json_get_string (comment);
  return settings;
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

/* Slots and what they read. */

guint
kg_node_get_n_slots (const KgNode *node)
{
  return node->n_slots;
}

const KgSlot *
kg_node_get_slot (const KgNode *node, guint index)
{
  g_return_val_if_fail (index < node->n_slots, NULL);
  return &node->slots[index];
}

int
kg_node_find_slot (const KgNode *node, const char *name)
{
  for (guint i = 0; i < node->n_slots; i++)
    if (g_str_equal (node->slots[i].name, name))
      return (int) i;
  return -1;
}

const KgSource *
kg_node_get_source (const KgNode *node, guint slot)
{
  g_return_val_if_fail (slot < node->n_slots, NULL);
  return &node->inputs[slot].source;
}

bool
kg_node_get_link (const KgNode *node, guint slot, guint item, KgNode **from, guint *output)
{
  const KgInput *input;

  g_return_val_if_fail (slot < node->n_slots, false);
  input = &node->inputs[slot];
  if ((input->source.kind != KG_SOURCE_LINK && input->source.kind != KG_SOURCE_LIST) || item >= input->n_wires ||
      input->wires[item].node == NULL)
    return false;
  *from = input->wires[item].node;
  *output = input->wires[item].slot;
  return true;
}

const char *
kg_node_get_link_name (const KgNode *node, guint slot, guint item)
{
  const KgSource *source = &node->inputs[slot].source;

  return strchr (source->kind == KG_SOURCE_LIST ? source->list.items[item].text : source->text, '.') + 1;
}

guint
kg_node_get_n_links (const KgNode *node, guint slot)
{
  const KgInput *input;

  g_return_val_if_fail (slot < node->n_slots, 0);
  input = &node->inputs[slot];
  return input->source.kind == KG_SOURCE_LINK || input->source.kind == KG_SOURCE_LIST ? input->n_wires : 0;
}

GPtrArray *
kg_node_dup_users (const KgNode *node)
{
  GPtrArray *users = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < node->users.n; i++) {
    KgNode *user = node->users.items[i].node;

    if (g_hash_table_add (seen, user))
      g_ptr_array_add (users, user);
  }
  return users;
}

bool
kg_node_get_outside (const KgNode *interface, KgNode **owner, guint *slot)
{
  *owner = interface->outside;
  *slot = interface->place;
  return *owner != NULL;
}

/* The graphs around a node. */

KgGraph *
kg_graph_get_root (KgGraph *graph)
{
  while (graph->owner != NULL && graph->owner->parent != NULL)
    graph = graph->owner->parent;
  return graph;
}

KgDocumentState *
kg_graph_get_document (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);

  if (root->document == NULL) {
    root->document = g_new0 (KgDocumentState, 1);
    root->document->frames = (KgFrames){ 1, 100, 24 };
  }
  return root->document;
}

KgNode *
kg_graph_find (KgGraph *graph, const char *name)
{
  return (KgNode *) g_hash_table_lookup (graph->by_name, name);
}

bool
kg_graph_is_locked (KgGraph *graph)
{
  for (const KgNode *owner = graph->owner; owner != NULL; owner = owner->parent != NULL ? owner->parent->owner : NULL)
    if (kg_node_get_preset (owner) != NULL && !owner->unlocked)
      return true;
  return false;
}
