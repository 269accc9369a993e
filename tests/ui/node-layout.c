/* tests/ui/node-layout: where the slots of nodes are, and what is under a point.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node-layout.h"

#include "test-graph.h"

static void
test_rows (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (KgGraph) graph = parse_graph (types, chain);
  const KgNode *out = get_node (graph, "out");
  g_auto (KgNodeLayout) layout = { 0 }, open = { 0 };
  const KgSlotPlace *image, *items[3];

  kg_node_layout_init (&layout, out, false, false);
  g_assert_cmpfloat (layout.rect.x, ==, 600);
  g_assert_cmpfloat (layout.rect.y, ==, 20);
  g_assert_cmpfloat (layout.rect.height, ==, KG_NODE_HEAD + KG_NODE_ROW * layout.n_places + KG_NODE_FOOT);
  image = kg_node_layout_find (&layout, get_slot (out, "image"), 0);
  g_assert_true (image->is_output);
  g_assert_cmpfloat (image->x, ==, 600 + KG_NODE_WIDTH);
  /* Two links in the list, and the place of a third. */
  for (guint i = 0; i < 3; i++) {
    items[i] = kg_node_layout_find (&layout, get_slot (out, "geometries"), i);
    g_assert_cmpfloat (items[i]->x, ==, 600);
    g_assert_true (items[i]->is_free == (i == 2));
    g_assert_true (kg_node_layout_pick (&layout, items[i]->x + 2, items[i]->y - 2, KG_SLOT_REACH) == items[i]);
  }
  g_assert_true (kg_node_layout_find (&layout, get_slot (out, "geometries"), G_MAXUINT) == items[2]);
  g_assert_cmpfloat (items[1]->y - items[0]->y, ==, KG_NODE_ROW);
  g_assert_null (kg_node_layout_pick (&layout, 600 + 0.5 * KG_NODE_WIDTH, 30, KG_SLOT_REACH));
  kg_node_layout_init (&open, out, true, true);
  g_assert_cmpuint (open.n_places, >, layout.n_places);
  g_assert_cmpfloat (open.rect.height, ==,
                     KG_NODE_HEAD + KG_NODE_ROW * open.n_places + KG_NODE_FOOT + KG_NODE_THUMBNAIL);
}

static void
test_note (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (KgGraph) graph =
      parse_graph (types, "{ \"kineograph\": 1, \"nodes\": { \"note\": { \"type\": \"graph/note\", \"at\": [5, 6],"
                          " \"inputs\": { \"width\": 300, \"height\": 90 } } } }");
  g_auto (KgNodeLayout) layout = { 0 };

  g_assert_true (kg_node_is_note (get_node (graph, "note")));
  kg_node_layout_init (&layout, get_node (graph, "note"), false, false);
  g_assert_cmpfloat (layout.rect.width, ==, 300);
  g_assert_cmpfloat (layout.rect.height, ==, 90);
  g_assert_cmpuint (layout.n_places, ==, 0);
}

static void
test_rectangles (void)
{
  KgRect all = KG_RECT_EMPTY;
  const KgRect a = { 0, 0, 10, 10 }, b = { 20, -5, 10, 10 }, none = KG_RECT_EMPTY;

  g_assert_false (kg_rect_intersects (&a, &b));
  g_assert_false (kg_rect_intersects (&a, &none));
  kg_rect_include (&all, &none);
  g_assert_cmpfloat (all.width, <, 0);
  kg_rect_include (&all, &a);
  kg_rect_include (&all, &b);
  g_assert_cmpfloat (all.x, ==, 0);
  g_assert_cmpfloat (all.y, ==, -5);
  g_assert_cmpfloat (all.width, ==, 30);
  g_assert_cmpfloat (all.height, ==, 15);
  g_assert_true (kg_rect_contains (&all, 30, 10));
  g_assert_true (kg_rect_intersects (&a, &all));
}

/* A bend in a link is small, with a slot at each side. */
static void
test_dot (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  KgNode *node = kg_graph_add (graph, "graph/reroute", NULL, 100, 50, NULL);
  g_auto (KgNodeLayout) layout = { 0 };
  const KgSlotPlace *place;

  kg_node_layout_init (&layout, node, true, false);
  g_assert_cmpfloat (layout.rect.width, <, 0.5 * KG_NODE_WIDTH);
  g_assert_cmpuint (layout.n_places, ==, 2);
  place = kg_node_layout_pick (&layout, 100, 59, 3);
  g_assert_nonnull (place);
  g_assert_false (place->is_output);
  place = kg_node_layout_pick (&layout, 134, 59, 3);
  g_assert_nonnull (place);
  g_assert_true (place->is_output);
  /* There is room between them to take it by. */
  g_assert_null (kg_node_layout_pick (&layout, 117, 59, KG_SLOT_REACH));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node-layout/rows", test_rows);
  g_test_add_func ("/node-layout/note", test_note);
  g_test_add_func ("/node-layout/rectangles", test_rectangles);
  g_test_add_func ("/node-layout/dot", test_dot);
  return g_test_run ();
}
