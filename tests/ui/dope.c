/* tests/ui/dope: keys of many inputs at once.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-dope.h"

#include "test-graph.h"

static const char text[] =
    "{ \"kineograph\": 1, \"nodes\": {"
    " \"a\": { \"type\": \"value/number\", \"inputs\": { \"value\": {\"keys\": [[1, 0], [5, 2], [9, 4]]} } },"
    " \"b\": { \"type\": \"value/vector\", \"inputs\": { \"value\": {\"keys\": [[1, [0, 0, 0]], [5, [1, 2, 3]]]} } },"
    " \"c\": { \"type\": \"value/number\", \"inputs\": { \"value\": 7 } } } }";

typedef struct {
  KgGraph *graph;
  KgDope *dope;
} Fixture;

static void
update (Fixture *f)
{
  kg_dope_update (f->dope, f->graph);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);

  (void) data;
  f->graph = parse_graph (types, text);
  f->dope = kg_dope_new ();
  update (f);
  /* As the widget does. */
  g_signal_connect_swapped (f->graph, "changed", G_CALLBACK (update), f);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_dope_free (f->dope);
  g_object_unref (f->graph);
}

/* (transfer full) "1 5 9*" for each row: frames, with an asterisk where they are selected. */
static char *
describe (Fixture *f)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < kg_dope_get_n_rows (f->dope); i++) {
    const KgDopeRow *row = kg_dope_get_row (f->dope, i);
    gsize n;
    const KgKey *keys = kg_channel_get_keys (row->channel, &n);

    g_string_append_printf (out, "%s%s:", i > 0 ? "; " : "", kg_node_get_name (row->keyed.node));
    for (gsize k = 0; k < n; k++)
      g_string_append_printf (out, " %g%s", keys[k].at, row->marks->data[k] != 0 ? "*" : "");
  }
  return g_string_free (out, FALSE);
}

#define ASSERT_SHEET(f, expected)                                                                                      \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    g_autofree char *found = describe (f);                                                                             \
    g_assert_cmpstr (found, ==, expected);                                                                             \
  }                                                                                                                    \
  G_STMT_END

static void
test_select (Fixture *f, gconstpointer data)
{
  double first, last;

  (void) data;
  ASSERT_SHEET (f, "a: 1 5 9; b: 1 5");
  g_assert_false (kg_dope_get_range (f->dope, &first, &last));
  kg_dope_select (f->dope, 0, 1, 4, 6, false);
  ASSERT_SHEET (f, "a: 1 5* 9; b: 1 5*");
  kg_dope_select (f->dope, 0, 0, 9, 9, true);
  ASSERT_SHEET (f, "a: 1 5* 9*; b: 1 5*");
  g_assert_true (kg_dope_get_range (f->dope, &first, &last));
  g_assert_cmpfloat (first, ==, 5);
  g_assert_cmpfloat (last, ==, 9);
  g_assert_cmpuint (kg_dope_get_n_selected (f->dope), ==, 3);
  g_assert_cmpuint (kg_dope_get_n_keys (f->dope), ==, 5);
  kg_dope_select_all (f->dope, true);
  ASSERT_SHEET (f, "a: 1* 5* 9*; b: 1* 5*");
  kg_dope_select_all (f->dope, false);
  ASSERT_SHEET (f, "a: 1 5 9; b: 1 5");
}

/* Many inputs, one step; what is selected stays so, also through undo. */
static void
test_move_and_scale (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_dope_move (f->dope, f->graph, 3);
  g_assert_null (kg_graph_get_undo_label (f->graph));
  kg_dope_select (f->dope, 0, 1, 5, 9, false);
  kg_dope_move (f->dope, f->graph, 3);
  ASSERT_SHEET (f, "a: 1 8* 12*; b: 1 8*");
  kg_dope_scale (f->dope, f->graph, 8, 2);
  ASSERT_SHEET (f, "a: 1 8* 16*; b: 1 8*");
  g_assert_true (kg_graph_undo (f->graph));
  ASSERT_SHEET (f, "a: 1 8* 12*; b: 1 8*");
  g_assert_true (kg_graph_undo (f->graph));
  ASSERT_SHEET (f, "a: 1 5* 9*; b: 1 5*");
  g_assert_false (kg_graph_undo (f->graph));
  kg_dope_scale (f->dope, f->graph, 5, INFINITY);
  ASSERT_SHEET (f, "a: 1 5* 9*; b: 1 5*");
}

static void
test_delete (Fixture *f, gconstpointer data)
{
  KgNode *b = get_node (f->graph, "b");

  (void) data;
  kg_dope_select (f->dope, 0, 1, 1, 5, false);
  kg_dope_delete (f->dope, f->graph, 5);
  ASSERT_SHEET (f, "a: 9");
  g_assert_cmpint (kg_node_get_source (b, get_slot (b, "value"))->kind, ==, KG_SOURCE_CONSTANT);
  g_assert_cmpfloat (kg_node_get_source (b, get_slot (b, "value"))->constant.vector.z, ==, 3);
  g_assert_true (kg_graph_undo (f->graph));
  ASSERT_SHEET (f, "a: 1 5 9; b: 1 5");
}

/* Keys at the same frames are replaced; rows that are not there any more are passed by. */
static void
test_paste (Fixture *f, gconstpointer data)
{
  (void) data;
  g_assert_cmpuint (kg_dope_paste (f->dope, f->graph, 3), ==, 0);
  kg_dope_select (f->dope, 0, 1, 1, 5, false);
  kg_dope_copy (f->dope);
  g_assert_cmpuint (kg_dope_paste (f->dope, f->graph, 5), ==, 4);
  ASSERT_SHEET (f, "a: 1 5* 9*; b: 1 5* 9*");
  {
    gsize n;
    const KgKey *keys = kg_channel_get_keys (kg_dope_get_row (f->dope, 0)->channel, &n);

    g_assert_cmpfloat (keys[1].value[0], ==, 0);
    g_assert_cmpfloat (keys[2].value[0], ==, 2);
  }
  g_assert_true (kg_graph_undo (f->graph));
  kg_graph_remove (f->graph, get_node (f->graph, "b"));
  g_assert_cmpuint (kg_dope_paste (f->dope, f->graph, 20), ==, 2);
  ASSERT_SHEET (f, "a: 1 5 9 20* 24*");
}

/* A cell of a table is a row of its own. */
static void
test_cells (void)
{
  static const char table[] =
      "{ \"kineograph\": 1, \"nodes\": { \"p\": { \"type\": \"curve/spline\", \"inputs\": {"
      " \"points\": [[0, {\"keys\": [[1, 0], [5, 2]]}, 0], [1, {\"keys\": [[1, 0], [9, 4]]}, 0]] } } } }";
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  Fixture f = { parse_graph (types, table), kg_dope_new () };
  KgNode *p = get_node (f.graph, "p");
  const KgKeyed first = { p, get_slot (p, "points"), 0, 1 }, second = { p, get_slot (p, "points"), 1, 1 };
  double x;

  update (&f);
  g_signal_connect_swapped (f.graph, "changed", G_CALLBACK (update), &f);
  ASSERT_SHEET (&f, "p: 1 5; p: 1 9");
  kg_dope_select (f.dope, 0, 1, 5, 9, false);
  kg_dope_move (f.dope, f.graph, 2);
  ASSERT_SHEET (&f, "p: 1 7*; p: 1 11*");
  kg_channel_evaluate (kg_keyed_get_channel (&second), 11, &x);
  g_assert_cmpfloat (x, ==, 4);
  kg_dope_copy (f.dope);
  g_assert_cmpuint (kg_dope_paste (f.dope, f.graph, 20), ==, 2);
  ASSERT_SHEET (&f, "p: 1 7 20*; p: 1 11 24*");
  g_assert_true (kg_graph_undo (f.graph));
  g_assert_true (kg_graph_undo (f.graph));
  ASSERT_SHEET (&f, "p: 1 5; p: 1 9");
  /* One is left without keys. */
  kg_dope_select (f.dope, 0, 0, 1, 5, false);
  kg_dope_select (f.dope, 1, 1, 1, 1, true);
  kg_dope_delete (f.dope, f.graph, 5);
  ASSERT_SHEET (&f, "p: 9");
  g_assert_null (kg_keyed_get_channel (&first));
  g_assert_cmpfloat (kg_table_get_row (kg_source_get_rows (kg_node_get_source (p, first.slot)), 0)[1], ==, 2);
  g_assert_true (kg_graph_undo (f.graph));
  ASSERT_SHEET (&f, "p: 1 5; p: 1 9");
  tear_down (&f, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/dope/select", Fixture, NULL, set_up, test_select, tear_down);
  g_test_add ("/dope/move-and-scale", Fixture, NULL, set_up, test_move_and_scale, tear_down);
  g_test_add ("/dope/delete", Fixture, NULL, set_up, test_delete, tear_down);
  g_test_add ("/dope/paste", Fixture, NULL, set_up, test_paste, tear_down);
  g_test_add_func ("/dope/cells", test_cells);
  return g_test_run ();
}
