/* tests/graph/random-edits: node types to edit, and random edits of everything there is to edit.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "fake-types.h"

/* Node types besides those of fake-types.h:
 *   fake/pass        output = value, of its kind
 *   fake/in, fake/out  interface nodes with a kind
 *   fake/all         inputs of many kinds
 *   fake/new         version 2: its input "size" was called "radius"
 *   fake/file        an input that names a file */

typedef struct {
  KgValue value;
  int kind;
  const char *label;
  KgValue output;
} FakeInterface;

static bool
fake_interface_evaluate (FakeInterface *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = kg_value_copy (&n->value);
  return true;
}

#define fake_in_evaluate fake_interface_evaluate
#define fake_out_evaluate fake_interface_evaluate

static const KgChoice fake_kinds[] = { { "any", "any" },           { "number", "number" }, { "integer", "integer" },
                                       { "text", "text" },         { "vector", "vector" }, { "rotation", "rotation" },
                                       { "geometry", "geometry" }, { "field", "field" },   { NULL, NULL } };

static const KgSlot fake_pass_slots[] = {
  KG_INPUT (FakePass, value, ANY, .label = "value", .help = "value", .optional = true),
  KG_OUTPUT (FakePass, output, ANY, .label = "output", .help = "output", .like = "value"),
};

#define FAKE_INTERFACE_SLOTS                                                                                           \
  {                                                                                                                    \
    KG_INPUT (FakeInterface, value, ANY, .label = "value", .help = "value", .optional = true),                         \
        KG_INPUT (FakeInterface, kind, CHOICE, .label = "kind", .help = "kind", .fixed = true, .choices = fake_kinds), \
        KG_INPUT (FakeInterface, label, TEXT, .label = "label", .help = "label", .fixed = true),                       \
        KG_OUTPUT (FakeInterface, output, ANY, .label = "output", .help = "output", .like = "value"),                  \
  }

static const KgSlot fake_in_slots[] = FAKE_INTERFACE_SLOTS;
static const KgSlot fake_out_slots[] = FAKE_INTERFACE_SLOTS;

FAKE (pass, FakePass, .since = "0.1");
FAKE (in, FakeInterface, .role = KG_ROLE_INTERFACE_INPUT);
FAKE (out, FakeInterface, .role = KG_ROLE_INTERFACE_OUTPUT);

typedef struct {
  double number;
  int64_t integer;
  bool boolean;
  const char *text;
  KgVector vector;
  KgColor color;
  KgRotation rotation;
  KgTransform transform;
  const KgMotion *motion;
  const KgField *field;
  KgList numbers;
  KgList geometries;
  double value;
} FakeAll;

static bool
fake_all_evaluate (FakeAll *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->value = n->number;
  return true;
}

static const KgSlot fake_all_slots[] = {
  KG_INPUT (FakeAll, number, NUMBER, .label = "number", .help = "number"),
  KG_INPUT (FakeAll, integer, INTEGER, .label = "integer", .help = "integer"),
  KG_INPUT (FakeAll, boolean, BOOLEAN, .label = "boolean", .help = "boolean"),
  KG_INPUT (FakeAll, text, TEXT, .label = "text", .help = "text"),
  KG_INPUT (FakeAll, vector, VECTOR, .label = "vector", .help = "vector"),
  KG_INPUT (FakeAll, color, COLOR, .label = "color", .help = "color"),
  KG_INPUT (FakeAll, rotation, ROTATION, .label = "rotation", .help = "rotation", .def_v = { 1 }),
  KG_INPUT (FakeAll, transform, TRANSFORM, .label = "transform", .help = "transform"),
  KG_INPUT (FakeAll, motion, MOTION, .label = "motion", .help = "motion"),
  KG_INPUT (FakeAll, field, FIELD, .label = "field", .help = "field"),
  KG_INPUTS (FakeAll, numbers, NUMBER, .label = "numbers", .help = "numbers"),
  KG_INPUTS (FakeAll, geometries, GEOMETRY, .label = "geometries", .help = "geometries"),
  KG_OUTPUT (FakeAll, value, NUMBER, .label = "value", .help = "value"),
};

FAKE (all, FakeAll, .since = "0.1");

typedef struct {
  double size;
  double value;
} FakeNew;

static bool
fake_new_evaluate (FakeNew *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->value = n->size;
  return true;
}

/* The radius of version 1 is half the size; one below 0 was never right. */
static bool
fake_new_migrate (KgJson *inputs, guint version, GError **error)
{
  const KgJson *radius = kg_json_get (inputs, "radius");

  g_assert_cmpuint (version, ==, 1);
  if (kg_json_is (radius, KG_JSON_NUMBER) && kg_json_get_number (radius) < 0) {
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "a radius below 0");
    return false;
  }
  if (radius != NULL) {
    kg_json_set (inputs, "size",
                 kg_json_is (radius, KG_JSON_NUMBER) ? kg_json_new_number (2 * kg_json_get_number (radius))
                                                     : kg_json_ref (radius));
    kg_json_remove (inputs, "radius");
  }
  return true;
}

static const KgSlot fake_new_slots[] = {
  KG_INPUT (FakeNew, size, NUMBER, .label = "size", .help = "size"),
  KG_OUTPUT (FakeNew, value, NUMBER, .label = "value", .help = "value"),
};

static const KgNodeType fake_new = { .id = "fake/new",
                                     .label = "new",
                                     .help = "A fake.",
                                     .version = 2,
                                     .size = sizeof (FakeNew),
                                     .slots = fake_new_slots,
                                     .n_slots = G_N_ELEMENTS (fake_new_slots),
                                     .migrate = fake_new_migrate,
                                     .evaluate = (KgNodeCall) fake_new_evaluate };

typedef struct {
  const char *path;
  double value;
} FakeFile;

static bool
fake_file_evaluate (FakeFile *n, const KgContext *ctx, GError **error)
{
  g_autofree char *path = g_build_filename (ctx->folder, n->path, NULL), *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, error))
    return false;
  n->value = g_ascii_strtod (text, NULL);
  return true;
}

static const KgSlot fake_file_slots[] = {
  KG_INPUT (FakeFile, path, TEXT, .label = "path", .help = "path", .path = true),
  KG_OUTPUT (FakeFile, value, NUMBER, .label = "value", .help = "value"),
};

FAKE (file, FakeFile, .since = "0.1");

static KgTypes *
edit_types_new (void)
{
  static const KgNodeType *const table[] = { &fake_add,    &fake_geometry, &fake_shift, &fake_switch, &fake_delay,
                                             &fake_subnet, &fake_pass,     &fake_in,    &fake_out,    &fake_all,
                                             &fake_new,    &fake_file,     NULL };

  return kg_types_new (table);
}

/* Random edits of everything there is to edit. */

static KgGraph *
pick_graph (GRand *random, KgGraph *graph)
{
  for (guint depth = 0; depth < 3; depth++) {
    const guint n = kg_graph_get_n_nodes (graph);
    KgNode *node = n > 0 ? kg_graph_get_node (graph, (guint) g_rand_int_range (random, 0, (gint32) n)) : NULL;

    if (node == NULL || kg_node_get_graph (node) == NULL)
      break;
    graph = kg_node_get_graph (node);
  }
  return graph;
}

static const char *
pick (GRand *random, const char *const *from, guint n)
{
  return from[g_rand_int_range (random, 0, (gint32) n)];
}

#define PICK(random, from) pick (random, from, G_N_ELEMENTS (from))

/* (nullable) A random slot of this role. */
static const KgSlot *
pick_slot (GRand *random, const KgNode *node, KgSlotRole role)
{
  const guint n = kg_node_get_n_slots (node), start = g_rand_int (random);

  for (guint i = 0; i < n; i++)
    if (kg_node_get_slot (node, (start % n + i) % n)->role == role)
      return kg_node_get_slot (node, (start % n + i) % n);
  return NULL;
}

static void
edit_source (GRand *random, KgGraph *graph, KgNode *node)
{
  static const char *const kinds[] = { "\"number\"", "\"geometry\"", "\"vector\"", "\"text\"", "\"any\"" };
  static const char *const sources[] = { "0.5",
                                         "-3",
                                         "true",
                                         "\"text\"",
                                         "[1, 2, 3]",
                                         "[0, 1, 0, 0]",
                                         "\"#ff8000\"",
                                         "{\"expr\": \"a.value + b.x\"}",
                                         "{\"expr\": \"c.output, 1, 2\"}",
                                         "{\"expr\": \"d.a + d.b + t\"}",
                                         "{\"link\": \"u.anything\"}",
                                         "{\"keys\": [[1, 0], [2, 5]]}",
                                         "{\"keys\": [[1, [0, 1, 2]]], \"after\": \"cycle\"}",
                                         "[1, 2, {\"link\": \"a.value\"}]",
                                         "[1, {\"link\": \"b.value\"}, 0]",
                                         "[[1], [{\"link\": \"c.value\"}], [3], [4]]",
                                         "[{\"link\": \"b.value\"}, {\"link\": \"c.output\"}]",
                                         "[]" };
  const KgSlot *slot = pick_slot (random, node, KG_SLOT_INPUT), *output;
  const guint n_nodes = kg_graph_get_n_nodes (graph);
  KgNode *from = kg_graph_get_node (graph, (guint) g_rand_int_range (random, 0, (gint32) n_nodes));

  if (slot == NULL)
    return;
  output = pick_slot (random, from, KG_SLOT_OUTPUT);
  if (slot->kind == KG_CHOICE)
    kg_graph_set_json (graph, node, slot->name, PICK (random, kinds), NULL);
  else if (g_rand_int_range (random, 0, 3) > 0 && output != NULL)
    kg_graph_link (graph, from, output->name, node, slot->name, NULL);
  else if (g_rand_int_range (random, 0, 6) == 0)
    kg_graph_reset (graph, node, slot->name, NULL);
  else
    kg_graph_set_json (graph, node, slot->name, PICK (random, sources), NULL);
}

static void
copy_and_paste (GRand *random, KgGraph *graph)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new (), pasted = NULL;
  g_autofree char *text = NULL;

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++)
    if (g_rand_int_range (random, 0, 4) == 0)
      g_ptr_array_add (nodes, kg_graph_get_node (graph, i));
  text = kg_graph_copy (graph, (KgNode *const *) nodes->pdata, nodes->len);
  if (kg_graph_get_n_nodes (graph) < 12)
    pasted = kg_graph_paste (graph, text, g_rand_int_range (random, -9, 9), 5, NULL);
}

static void
edit_node (GRand *random, KgGraph *graph, KgNode *node)
{
  static const char *const names[] = { "a", "b", "c", "d", "u", "s" };
  static const char *const texts[] = { "#112233", "", "\"words\"" };

  switch (g_rand_int_range (random, 0, 16)) {
  case 0:
    kg_graph_remove (graph, node);
    break;
  case 1:
  case 2:
    kg_graph_rename (graph, node, PICK (random, names), NULL);
    break;
  case 3:
    kg_graph_move (graph, node, g_rand_int_range (random, -2, 2), g_rand_double (random));
    break;
  case 4:
    kg_graph_set_bypass (graph, node, g_rand_boolean (random));
    kg_graph_set_stage (graph, node, (KgStage) g_rand_int_range (random, 0, KG_N_STAGES));
    break;
  case 5:
    kg_graph_set_color (graph, node, g_rand_boolean (random) ? PICK (random, texts) : NULL);
    kg_graph_set_node_comment (graph, node, g_rand_boolean (random) ? PICK (random, texts) : NULL);
    break;
  default:
    edit_source (random, graph, node);
    break;
  }
}

static void
edit_graph (GRand *random, KgGraph *graph)
{
  static const char *const displays[] = { "a", "a.value", "s/a.output", "d.b", "s/s.c", "c.output" };
  static const char *const types[] = { "fake/add", "fake/geometry", "fake/switch", "fake/pass", "fake/in",
                                       "fake/out", "fake/subnet",   "fake/all",    "fake/in",   "fake/out" };
  static const char *const names[] = { "a", "b", "c", "d", "s", NULL };
  const guint n = kg_graph_get_n_nodes (graph);
  GPtrArray *problems;
  KgFrames frames = { 1, 10, 24 };

  switch (g_rand_int_range (random, 0, 14)) {
  case 0:
  case 1:
    if (n < 10)
      kg_graph_add (graph, PICK (random, types), PICK (random, names), 0, 1, NULL);
    break;
  case 2:
    problems = kg_problems_new ();
    kg_graph_add_unknown (
        graph, "other/thing", "u",
        kg_json_parse ("{\"type\": \"other/thing\", \"inputs\": {\"x\": {\"link\": \"a.value\"}, \"y\": "
                       "[{\"expr\": \"b.x + d.a\"}, {\"link\": \"d.b\"}]}}",
                       -1, problems),
        NULL);
    g_ptr_array_unref (problems);
    break;
  case 3:
    kg_graph_set_display (graph, g_rand_int_range (random, 0, 4) > 0 ? PICK (random, displays) : NULL);
    break;
  case 4:
    frames.end = g_rand_int_range (random, -5, 50);
    kg_graph_set_frames (graph, frames, NULL);
    break;
  case 5:
    copy_and_paste (random, graph);
    break;
  default:
    if (n > 0)
      edit_node (random, graph, kg_graph_get_node (graph, (guint) g_rand_int_range (random, 0, (gint32) n)));
    break;
  }
}

/* What is begun and ended around edits. */
typedef struct {
  void (*begin) (KgGraph *graph, const char *label);
  void (*end) (KgGraph *graph);
  void (*cancel) (KgGraph *graph);
} EditBracket;

static const EditBracket edit_groups = { kg_graph_begin_group, kg_graph_end_group, kg_graph_cancel_group };

/* what: 0 begins one, up to two deep, 1 ends or cancels one, where there is one; false when nothing was done. */
static bool
edit_bracket (GRand *random, KgGraph *graph, const EditBracket *bracket, gint32 what, const char *label, guint *depth)
{
  if (what == 0 && *depth < 2) {
    bracket->begin (graph, label);
    ++*depth;
    return true;
  }
  if (what != 1 || *depth == 0)
    return false;
  (g_rand_boolean (random) ? bracket->end : bracket->cancel) (graph);
  --*depth;
  return true;
}

static void
end_brackets (KgGraph *graph, const EditBracket *bracket, guint depth)
{
  for (; depth > 0; depth--)
    bracket->end (graph);
}
