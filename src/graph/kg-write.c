/* kg-write: graphs as text, saving, copy and paste.
 *
 * One node a block: on one line when it is short, else one line an input, so that the difference between two
 * versions of a file shows the edit and nothing else.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file.h"
#include "kg-graph-private.h"
#include "kg-output-file.h"

#include <string.h>

/* A node is written on one line up to this width. */
#define WIDTH 120

static void
indent (GString *out, guint depth)
{
  g_string_append_printf (out, "\n%*s", (int) (2 * depth), "");
}

/* The members of a node before its inputs, in one line. */
static void
write_head (const KgNode *node, GString *out)
{
  g_string_append (out, "{ \"type\": ");
  kg_json_write_string (node->type_id, out);
  if (node->x != 0 || node->y != 0) {
    g_string_append (out, ", \"at\": [");
    kg_json_write_number (node->x, out);
    g_string_append (out, ", ");
    kg_json_write_number (node->y, out);
    g_string_append_c (out, ']');
  }
  if (node->color != NULL) {
    g_string_append (out, ", \"color\": ");
    kg_json_write_string (node->color, out);
  }
  if (node->comment != NULL) {
    g_string_append (out, ", \"comment\": ");
    kg_json_write_string (node->comment, out);
  }
  if (node->bypass)
    g_string_append (out, ", \"bypass\": true");
  if (node->type != NULL && node->type->version > 1)
    g_string_append_printf (out, ", \"version\": %u", node->type->version);
  if (node->aside != NULL) {
    g_string_append (out, ", \"aside\": ");
    kg_json_write (node->aside, out);
  }
}

/* (transfer full) One text for each input that has a source. */
static GPtrArray *
write_inputs (const KgNode *node)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < node->n_slots; i++)
    if (node->slots[i].role == KG_SLOT_INPUT && node->inputs[i].source.kind != KG_SOURCE_DEFAULT) {
      GString *text = g_string_new (NULL);

      kg_json_write_string (node->slots[i].name, text);
      g_string_append (text, ": ");
      kg_source_write_json (&node->inputs[i].source, &node->slots[i], text);
      g_ptr_array_add (inputs, g_string_free (text, FALSE));
    }
  return inputs;
}

/* (transfer full) A node of an unknown type as it was read, but for what was edited here. */
static KgJson *
patch_raw (const KgNode *node)
{
  const KgRawSettings read = kg_raw_get_settings (node->raw);
  const bool moved = node->x != read.x || node->y != read.y;
  const bool painted = g_strcmp0 (node->color, read.color) != 0;
  const bool commented = g_strcmp0 (node->comment, read.comment) != 0;
  KgJson *patched = kg_json_new (KG_JSON_OBJECT);

  for (KgJsonIter member = kg_json_iterate (node->raw); kg_json_next (&member);)
    if (!(painted && g_str_equal (member.name, "color")) && !(commented && g_str_equal (member.name, "comment")))
      kg_json_set (patched, member.name, kg_json_copy (member.value));
  if (moved) {
    KgJson *at = kg_json_new (KG_JSON_ARRAY);

    kg_json_append (at, kg_json_new_number (node->x));
    kg_json_append (at, kg_json_new_number (node->y));
    kg_json_set (patched, "at", at);
  }
  if (painted && node->color != NULL)
    kg_json_set (patched, "color", kg_json_new_string (node->color));
  if (commented && node->comment != NULL)
    kg_json_set (patched, "comment", kg_json_new_string (node->comment));
  if (node->bypass != read.bypass)
    kg_json_set (patched, "bypass", kg_json_new (node->bypass ? KG_JSON_TRUE : KG_JSON_FALSE));
  return patched;
}

/* What is inside a locked instance stands in the definition of its preset. */
static bool
has_own_inside (const KgNode *node)
{
  return node->inside != NULL && (kg_node_get_preset (node) == NULL || node->unlocked);
}

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

/* (transfer full) By its id alone the newest is carried. */
static char *
dup_carried_name (const KgPreset *preset, GHashTable *newest)
{
  const char *id = kg_preset_get_id (preset);
  const KgPreset *other = (const KgPreset *) g_hash_table_lookup (newest, id);

  /* (Two definitions of one version are one to a file.) */
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

static void
write_presets (KgGraph *graph, GString *out)
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

static void write_nodes (GPtrArray *nodes, GString *out, guint depth);

static void
write_node (const KgNode *node, GString *out, guint depth)
{
  const gsize start = out->len;
  g_autoptr (GPtrArray) inputs = NULL;
  bool one_line;
  gsize length;

  kg_json_write_string (node->name, out);
  g_string_append (out, ": ");
  if (node->type == NULL) {
    g_autoptr (KgJson) patched = patch_raw (node);

    kg_json_write (patched, out);
    return;
  }
  write_head (node, out);
  inputs = write_inputs (node);
  length = 2 * depth + out->len - start + strlen (", \"inputs\": {  } },");
  for (guint i = 0; i < inputs->len; i++)
    length += strlen ((const char *) g_ptr_array_index (inputs, i)) + 2;
  one_line = length <= WIDTH && !has_own_inside (node);
  if (inputs->len > 0) {
    g_string_append (out, one_line ? ", \"inputs\": { " : ",");
    if (!one_line) {
      indent (out, depth + 1);
      g_string_append (out, "\"inputs\": {");
    }
    for (guint i = 0; i < inputs->len; i++) {
      if (i > 0)
        g_string_append (out, one_line ? ", " : ",");
      if (!one_line)
        indent (out, depth + 2);
      g_string_append (out, (const char *) g_ptr_array_index (inputs, i));
    }
    g_string_append (out, " }");
  }
  if (has_own_inside (node)) {
    g_string_append_c (out, ',');
    indent (out, depth + 1);
    g_string_append (out, "\"graph\": {");
    indent (out, depth + 2);
    g_string_append (out, "\"nodes\": {");
    write_nodes (node->inside->nodes, out, depth + 3);
    g_string_append_c (out, '}');
    if (node->inside->display != NULL) {
      g_string_append_c (out, ',');
      indent (out, depth + 2);
      g_string_append (out, "\"display\": ");
      kg_json_write_string (node->inside->display, out);
    }
    g_string_append (out, " }");
  }
  g_string_append (out, " }");
}

static void
write_nodes (GPtrArray *nodes, GString *out, guint depth)
{
  for (guint i = 0; i < nodes->len; i++) {
    if (i > 0)
      g_string_append_c (out, ',');
    indent (out, depth);
    write_node ((const KgNode *) g_ptr_array_index (nodes, i), out, depth);
  }
  if (nodes->len > 0)
    indent (out, depth - 1);
}

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
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "{\n  \"kineograph\": %d,\n", KG_FILE_VERSION);
  if (graph->title[0] != '\0')
    write_text_member ("title", graph->title, out);
  if (graph->comment[0] != '\0')
    write_text_member ("comment", graph->comment, out);
  g_string_append (out, "  \"frames\": { \"start\": ");
  kg_json_write_number (graph->frames.start, out);
  g_string_append (out, ", \"end\": ");
  kg_json_write_number (graph->frames.end, out);
  g_string_append (out, ", \"rate\": ");
  kg_json_write_number (graph->frames.rate, out);
  g_string_append (out, " },\n");
  write_presets (graph, out);
  g_string_append (out, "  \"nodes\": {");
  write_nodes (graph->nodes, out, 2);
  g_string_append_c (out, '}');
  if (graph->display != NULL) {
    g_string_append (out, ",\n  \"display\": ");
    kg_json_write_string (graph->display, out);
  }
  g_string_append (out, "\n}\n");
  return g_string_free (out, FALSE);
}

/* Saving. */

bool
kg_graph_save (KgGraph *graph, const char *path, GError **error)
{
  g_autofree char *text = kg_graph_to_text (graph);
  const bool stream = g_str_equal (path, "-");
  g_autoptr (KgOutputFile) file = kg_output_file_open (path, error);

  if (file == NULL || !kg_output_file_write (file, text, strlen (text), error) ||
      !kg_output_file_complete (file, error)) {
    if (stream)
      kg_prefix_error (error, "standard output cannot be written: ");
    else if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      kg_prefix_error (error, "%s cannot be written (the old file is as it was): ", path);
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
  g_autoptr (GHashTable) wanted = g_hash_table_new (NULL, NULL);
  g_autoptr (KgGraph) copy = NULL;

  for (guint i = 0; i < n; i++)
    g_hash_table_add (wanted, nodes[i]);
  copy = kg_graph_copy_nodes (graph, wanted);
  /* Expressions keep their text and look for the name again. */
  kg_graph_cut_dangling (copy);
  kg_graph_set_display (copy, NULL);
  kg_graph_set_title (copy, "");
  kg_graph_set_comment (copy, "");
  return kg_graph_to_text (copy);
}

/* Moves the nodes of from into graph (same types), renaming where a name is taken. */
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
    if (kg_node_get_preset (node) != NULL && node->unlocked) {
      kg_graph_set_unlocked (graph, copy, true);
      while (copy->inside->nodes->len > 0)
        kg_graph_remove (copy->inside,
                         (KgNode *) g_ptr_array_index (copy->inside->nodes, copy->inside->nodes->len - 1));
    }
    if (has_own_inside (node)) {
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
    if (type != NULL && type->preset != NULL && kg_graph_upgrade_node (node->parent, node, type->preset, error) == NULL)
      return false;
  }
  return true;
}

GPtrArray *
kg_graph_paste (KgGraph *graph, const char *text, double dx, double dy, GError **error)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) pasted = kg_graph_parse (graph->types, text, -1, problems);
  GPtrArray *added;

  if (pasted == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    kg_set_error (error, KG_ERROR_INVALID_FILE, "what is to be pasted is not a graph: line %u: %s", problem->line,
                  problem->message);
    return NULL;
  }
  kg_graph_adopt_presets (graph, pasted->types);
  if (!take_definitions (pasted, graph->types, error))
    return NULL;
  kg_graph_hold_changed (kg_graph_get_root (graph));
  kg_graph_begin_group (graph, "Paste");
  added = adopt_nodes (graph, pasted, dx, dy, error);
  if (added == NULL)
    kg_graph_cancel_group (graph);
  else
    kg_graph_end_group (graph);
  kg_graph_release_changed (kg_graph_get_root (graph));
  return added;
}
