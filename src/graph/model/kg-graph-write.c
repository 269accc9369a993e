/* kg-graph-write: the nodes of a graph as text.
 *
 * One node a block: on one line when it is short, else one line an input, so that the difference between two
 * versions of a file shows the edit and nothing else.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

#include <string.h>

/* A node is written on one line up to this width. */
#define WIDTH 120

static void
indent (GString *out, guint depth)
{
  g_string_append_c (out, '\n');
  for (guint i = 0; i < depth; i++)
    g_string_append_len (out, "  ", 2);
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
  if (node->stage != KG_STAGE_OFF)
    g_string_append_printf (out, ", \"stage\": \"%s\"", kg_stage_nicks[node->stage]);
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

/* (transfer full) A node of an unknown type as it was read, except for what was edited here. */
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
  if (node->stage != read.stage)
    kg_json_set (patched, "stage", kg_json_new_string (kg_stage_nicks[node->stage]));
  return patched;
}

bool
kg_node_has_own_inside (const KgNode *node)
{
  return node->inside != NULL && (kg_node_get_preset (node) == NULL || node->unlocked);
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
  one_line = length <= WIDTH && !kg_node_has_own_inside (node);
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
  if (kg_node_has_own_inside (node)) {
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

void
kg_graph_write_nodes (const KgGraph *graph, GString *out, guint depth)
{
  write_nodes (graph->nodes, out, depth);
}
