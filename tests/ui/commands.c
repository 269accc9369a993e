/* tests/ui/commands: what the canvas does to nodes: links, copies, selections, places; each is one step of undo.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-commands.h"

#include "kg-preset-json.h"
#include "kg-preset-pack.h"
#include "kg-subnet.h"
#include "test-graph.h"

typedef struct {
  KgTypes *types;
  KgGraph *graph;
  KgNode *ring, *tint, *shape, *out;
  char *before;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->types = kg_types_new (kg_node_table);
  f->graph = parse_graph (f->types, chain);
  f->ring = get_node (f->graph, "ring");
  f->tint = get_node (f->graph, "tint");
  f->shape = get_node (f->graph, "shape");
  f->out = get_node (f->graph, "out");
  f->before = kg_graph_to_text (f->graph);
}

/* Whatever was done, one undo takes it back. */
static void
tear_down (Fixture *f, gconstpointer data)
{
  g_autofree char *now = NULL;

  (void) data;
  if (kg_graph_get_undo_label (f->graph) != NULL)
    g_assert_true (kg_graph_undo (f->graph));
  g_assert_null (kg_graph_get_undo_label (f->graph));
  now = kg_graph_to_text (f->graph);
  g_assert_cmpstr (now, ==, f->before);
  g_free (f->before);
  g_object_unref (f->graph);
  kg_types_unref (f->types);
}

static void
test_delete (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_command_delete (f->graph, &f->tint, 1, true);
  g_assert_null (kg_graph_find (f->graph, "tint"));
  g_assert_cmpstr (get_link_name (f->out, "geometries", 0), ==, "ring");
  g_assert_cmpstr (get_link_name (f->out, "geometries", 1), ==, "shape");
}

static void
test_delete_only (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_command_delete (f->graph, &f->tint, 1, false);
  g_assert_cmpstr (get_link_name (f->out, "geometries", 0), !=, "ring");
}

static void
test_delete_all (Fixture *f, gconstpointer data)
{
  KgNode *all[] = { f->ring, f->tint, f->shape, f->out };

  (void) data;
  kg_command_delete (f->graph, all, G_N_ELEMENTS (all), true);
  g_assert_cmpuint (kg_graph_get_n_nodes (f->graph), ==, 0);
}

static void
test_extract (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_command_extract (f->graph, f->tint);
  g_assert_cmpstr (get_link_name (f->tint, "geometry", 0), ==, "");
  g_assert_cmpstr (get_link_name (f->out, "geometries", 0), ==, "ring");
}

static void
test_insert (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  (void) data;
  kg_graph_begin_group (f->graph, "test");
  kg_graph_unlink_item (f->graph, f->out, get_slot (f->out, "geometries"), 1);
  g_assert_true (kg_command_insert (f->graph, f->shape, f->tint, get_slot (f->tint, "geometry"), 0, &error));
  kg_graph_end_group (f->graph);
  g_assert_no_error (error);
  g_assert_cmpstr (get_link_name (f->shape, "geometry", 0), ==, "ring");
  g_assert_cmpstr (get_link_name (f->tint, "geometry", 0), ==, "shape");
}

/* A refusal changes nothing. */
static void
test_insert_refused (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_false (kg_command_insert (f->graph, f->ring, f->tint, get_slot (f->tint, "geometry"), 0, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_false (kg_command_insert (f->graph, f->tint, f->shape, get_slot (f->shape, "geometry"), 0, &error));
  g_assert_nonnull (error);
}

static void
test_find (Fixture *f, gconstpointer data)
{
  (void) data;
  g_assert_cmpint (kg_command_find_output (f->ring, KG_GEOMETRY), ==, (int) get_slot (f->ring, "geometry"));
  g_assert_cmpint (kg_command_find_output (f->ring, KG_IMAGE), ==, -1);
  g_assert_cmpint (kg_command_find_input (f->shape, KG_GEOMETRY), ==, (int) get_slot (f->shape, "geometry"));
  g_assert_cmpint (kg_command_find_input (f->shape, KG_VECTOR), ==, (int) get_slot (f->shape, "translate"));
  g_assert_cmpint (kg_command_find_input (f->ring, KG_IMAGE), ==, -1);
}

static void
test_duplicate (Fixture *f, gconstpointer data)
{
  KgNode *nodes[] = { f->tint, f->shape };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) copies = kg_command_duplicate (f->graph, nodes, 2, 30, 40, &error);
  double x, y;

  (void) data;
  g_assert_no_error (error);
  g_assert_cmpuint (copies->len, ==, 2);
  /* What the original reads from outside, the copy reads too. */
  g_assert_cmpstr (get_link_name ((KgNode *) g_ptr_array_index (copies, 0), "geometry", 0), ==, "ring");
  kg_node_get_position ((KgNode *) g_ptr_array_index (copies, 0), &x, &y);
  g_assert_cmpfloat (x, ==, 330);
  g_assert_cmpfloat (y, ==, 50);
}

static void
test_streams (Fixture *f, gconstpointer data)
{
  g_autoptr (GPtrArray) up = kg_command_upstream (&f->tint, 1), down = kg_command_downstream (&f->tint, 1);

  (void) data;
  g_assert_cmpuint (up->len, ==, 2);
  g_assert_true (g_ptr_array_find (up, f->ring, NULL) && g_ptr_array_find (up, f->tint, NULL));
  g_assert_cmpuint (down->len, ==, 2);
  g_assert_true (g_ptr_array_find (down, f->out, NULL) && g_ptr_array_find (down, f->tint, NULL));
}

/* (transfer full) With thumbnails, nodes are higher. */
static KgRect *
get_rects (KgNode *const *nodes, guint n, bool pictures)
{
  KgRect *rects = g_new (KgRect, n);

  for (guint i = 0; i < n; i++) {
    g_auto (KgNodeLayout) layout = { 0 };

    kg_node_layout_init (&layout, nodes[i], false, pictures);
    rects[i] = layout.rect;
  }
  return rects;
}

static void
test_align (Fixture *f, gconstpointer data)
{
  KgNode *all[] = { f->out, f->ring, f->tint };
  g_autofree KgRect *rects = get_rects (all, 3, false);
  double x[3], y[3];

  (void) data;
  kg_command_align (f->graph, all, rects, 3, KG_ALIGN_ROW);
  kg_node_get_position (f->ring, &x[0], &y[0]);
  kg_node_get_position (f->tint, &x[1], &y[1]);
  kg_node_get_position (f->out, &x[2], &y[2]);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpfloat (x[i], ==, i * (KG_NODE_WIDTH + 50));
    g_assert_cmpfloat (y[i], ==, 0);
  }
}

/* As high as they are shown, none lies on the next. */
static void
test_align_shown (Fixture *f, gconstpointer data)
{
  KgNode *all[] = { f->ring, f->tint };
  g_autofree KgRect *before = get_rects (all, 2, true), *after = NULL;

  (void) data;
  kg_command_align (f->graph, all, before, 2, KG_ALIGN_COLUMN);
  after = get_rects (all, 2, true);
  g_assert_cmpfloat (after[0].x, ==, after[1].x);
  g_assert_false (kg_rect_intersects (&after[0], &after[1]));
}

/* Every link runs to the right, and no two nodes overlap, as high as they are shown. */
static void
test_layout (Fixture *f, gconstpointer data)
{
  KgNode *all[] = { f->ring, f->tint, f->shape, f->out };
  g_autofree KgRect *before = get_rects (all, 4, true), *after = NULL;

  (void) data;
  kg_command_layout (f->graph, all, before, 4);
  after = get_rects (all, 4, true);
  g_assert_cmpfloat (after[0].x + KG_NODE_WIDTH, <, after[1].x);
  g_assert_cmpfloat (after[1].x + KG_NODE_WIDTH, <, after[3].x);
  g_assert_cmpfloat (after[2].x + KG_NODE_WIDTH, <, after[3].x);
  for (guint i = 0; i < 4; i++)
    for (guint k = 0; k < i; k++)
      g_assert_false (kg_rect_intersects (&after[i], &after[k]));
}

/* A link that passes columns runs between their nodes and not behind them. */
static void
test_layout_lane (void)
{
  static const char *const names[] = { "box", "a", "b", "c", "out" };
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (KgGraph) graph = parse_graph (
      types, "{ \"kineograph\": 1, \"nodes\": {"
             " \"box\": { \"type\": \"geometry/box\" },"
             " \"a\": { \"type\": \"geometry/transform\", \"inputs\": { \"geometry\": {\"link\": \"box\"} } },"
             " \"b\": { \"type\": \"geometry/transform\", \"inputs\": { \"geometry\": {\"link\": \"a\"} } },"
             " \"c\": { \"type\": \"geometry/transform\", \"inputs\": { \"geometry\": {\"link\": \"b\"} } },"
             " \"out\": { \"type\": \"render/draw\", \"inputs\": { \"geometries\": [{\"link\": \"c\"},"
             " {\"link\": \"box\"}] } } } }");
  KgNode *all[5];
  g_autofree KgRect *before = NULL, *after = NULL;
  g_auto (KgNodeLayout) start = { 0 }, end = { 0 };
  const KgSlotPlace *from, *to;

  for (guint i = 0; i < 5; i++)
    all[i] = get_node (graph, names[i]);
  before = get_rects (all, 5, false);
  kg_command_layout (graph, all, before, 5);
  after = get_rects (all, 5, false);
  kg_node_layout_init (&start, all[0], false, false);
  kg_node_layout_init (&end, all[4], false, false);
  from = kg_node_layout_find (&start, get_slot (all[0], "geometry"), 0);
  to = kg_node_layout_find (&end, get_slot (all[4], "geometries"), 1);
  for (guint s = 0; s <= 100; s++) {
    const double t = s / 100.0, x = kg_lerp (from->x, to->x, t), y = kg_lerp (from->y, to->y, t * t * (3 - 2 * t));

    for (guint i = 1; i < 4; i++)
      g_assert_false (kg_rect_contains (&after[i], x, y));
  }
}

/* A frame is around the same nodes afterwards, with as much room. */
static void
test_layout_frame (Fixture *f, gconstpointer data)
{
  KgNode *all[] = { f->ring, f->tint, f->shape, f->out, NULL };
  g_autofree KgRect *before = NULL, *after = NULL;
  const KgValue width = kg_value_number (KG_NODE_WIDTH + 50), height = kg_value_number (300);
  double x, y;

  (void) data;
  kg_node_get_position (f->out, &x, &y);
  kg_graph_begin_group (f->graph, "all");
  all[4] = kg_graph_add (f->graph, "graph/note", NULL, x - 20, y - 40, NULL);
  g_assert_true (kg_graph_set_constant (f->graph, all[4], "width", &width, NULL));
  g_assert_true (kg_graph_set_constant (f->graph, all[4], "height", &height, NULL));
  kg_graph_move (f->graph, f->ring, x + 500, y + 900);
  before = get_rects (all, 5, false);
  kg_command_layout (f->graph, all, before, 5);
  kg_graph_end_group (f->graph);
  after = get_rects (all, 5, false);
  g_assert_cmpfloat (after[4].x, ==, after[3].x - 20);
  g_assert_cmpfloat (after[4].y, ==, after[3].y - 40);
  g_assert_cmpfloat (after[4].width, ==, before[4].width);
  g_assert_cmpfloat (after[4].height, ==, before[4].height);
  g_assert_cmpfloat (after[3].x, !=, x);
}

static void
assert_reads (KgGraph *graph, const char *path, const char *input, const char *target)
{
  KgNode *node = kg_graph_find_path (graph, path), *from;
  const int slot = node != NULL ? kg_node_find_slot (node, input) : -1;
  g_autofree char *name = NULL;
  guint output;

  g_assert_cmpint (slot, >=, 0);
  g_assert_true (kg_node_get_link (node, (guint) slot, 0, &from, &output));
  name = g_strdup_printf ("%s.%s", kg_node_get_name (from), kg_node_get_link_name (node, (guint) slot, 0));
  g_assert_cmpstr (name, ==, target);
}

/* What reads a node of an unknown type, of whose outputs only the links know, goes on to read it whatever is done to it. */
static void
test_unknown (void)
{
  static const char text[] =
      "{ \"kineograph\": 1, \"nodes\": { \"u\": { \"type\": \"other/thing\" },"
      " \"m\": { \"type\": \"value/math\", \"inputs\": { \"a\": { \"link\": \"u.one\" },"
      "   \"b\": { \"link\": \"u.two\" } } },"
      " \"n\": { \"type\": \"value/math\", \"inputs\": { \"a\": { \"link\": \"m.result\" } } } } }";
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (KgGraph) graph = parse_graph (types, text);
  g_autoptr (GPtrArray) copies = NULL, expanded = NULL, problems = kg_problems_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (KgJson) json = NULL;
  g_autoptr (KgPreset) preset = NULL;
  g_autofree char *packed = NULL;
  KgNode *m = get_node (graph, "m"), *both[] = { get_node (graph, "u"), m }, *subnet;

  copies = kg_command_duplicate (graph, &m, 1, 10, 10, &error);
  g_assert_no_error (error);
  assert_reads (graph, kg_node_get_name ((const KgNode *) g_ptr_array_index (copies, 0)), "b", "u.two");
  g_assert_true (kg_graph_undo (graph));

  subnet = kg_graph_collapse (graph, &m, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (kg_node_get_name (subnet), ==, "subnet1");
  assert_reads (graph, "subnet1", "a", "u.one");
  assert_reads (graph, "subnet1", "b", "u.two");
  expanded = kg_graph_expand (graph, subnet, &error);
  g_assert_no_error (error);
  assert_reads (graph, "m", "a", "u.one");
  assert_reads (graph, "m", "b", "u.two");
  g_assert_true (kg_graph_undo (graph) && kg_graph_undo (graph));

  /* With the node itself inside. */
  g_clear_pointer (&expanded, g_ptr_array_unref);
  subnet = kg_graph_collapse (graph, both, 1, &error);
  g_assert_no_error (error);
  assert_reads (graph, "subnet1/one", "value", "u.one");
  assert_reads (graph, "m", "a", "subnet1.one");
  expanded = kg_graph_expand (graph, subnet, &error);
  g_assert_no_error (error);
  assert_reads (graph, "m", "b", "u.two");
  g_assert_true (kg_graph_undo (graph) && kg_graph_undo (graph));

  packed = kg_preset_pack (graph, &m, 1, "test/packed", "Packed", &error);
  g_assert_no_error (error);
  json = kg_json_parse (packed, -1, problems);
  preset = kg_preset_from_json (types, json, "", problems);
  g_assert_nonnull (preset);
  g_assert_nonnull (kg_graph_replace_by_preset (graph, &m, 1, preset, &error));
  assert_reads (graph, "packed1", "a", "u.one");
  assert_reads (graph, "packed1", "b", "u.two");
  g_assert_true (kg_graph_undo (graph));

  kg_command_delete (graph, &m, 1, true);
  g_assert_null (kg_graph_find (graph, "m"));
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*test) (Fixture *, gconstpointer);
  } tests[] = {
    { "/commands/delete", test_delete },
    { "/commands/delete-only", test_delete_only },
    { "/commands/delete-all", test_delete_all },
    { "/commands/extract", test_extract },
    { "/commands/insert", test_insert },
    { "/commands/insert-refused", test_insert_refused },
    { "/commands/find", test_find },
    { "/commands/duplicate", test_duplicate },
    { "/commands/streams", test_streams },
    { "/commands/align", test_align },
    { "/commands/align-shown", test_align_shown },
    { "/commands/layout", test_layout },
    { "/commands/layout-frame", test_layout_frame },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  g_test_add_func ("/commands/unknown", test_unknown);
  g_test_add_func ("/commands/layout-lane", test_layout_lane);
  return g_test_run ();
}
