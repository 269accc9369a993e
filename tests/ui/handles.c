/* tests/ui/handles: points that can be dragged in the viewport, and what dragging writes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handles.h"

#include "kg-input-row.h"

static KgDocument *
open_document (const char *inputs, const char *type)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text = g_strdup_printf (
      "{ \"kineograph\": 1, \"nodes\": { \"n\": { \"type\": \"%s\", \"inputs\": { %s } } } }", type, inputs);
  KgDocument *document = kg_document_parse (types, text, NULL, problems);

  g_assert_nonnull (document);
  return document;
}

static KgNode *
get_node (KgDocument *document)
{
  return kg_graph_find (kg_document_get_graph (document), "n");
}

static void
test_points (void)
{
  g_autoptr (KgDocument)
      document = open_document ("\"points\": \"0 1\\n\\n  2, 3, 4\\nnothing\\n-1 -1\"", "curve/spline");
  g_autoptr (GArray) handles = kg_handles_find (document, get_node (document));
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  const guint slot = (guint) kg_node_find_slot (get_node (document), "points");

  g_assert_cmpuint (handles->len, ==, 3);
  g_assert_cmpint (g_array_index (handles, KgHandlePoint, 1).line, ==, 2);
  g_assert_cmpfloat (g_array_index (handles, KgHandlePoint, 1).at.z, ==, 4);
  g_assert_true (kg_handle_move (document, &g_array_index (handles, KgHandlePoint, 1), kg_vector (5, 6.5, 7), &error));
  g_assert_true (kg_handle_move (document, &g_array_index (handles, KgHandlePoint, 2), kg_vector (0.25, 0, 0), &error));
  g_assert_no_error (error);
  g_assert_true (kg_input_get_value (get_node (document), slot, 1, &value));
  /* A flat point stays flat, and lines that are none stay as they are. */
  g_assert_cmpstr (value.text, ==, "0 1\n\n5 6.5 7\nnothing\n0.25 0");
}

static void
test_vector (void)
{
  g_autoptr (KgDocument) document = open_document ("\"center\": [1, 2, 0]", "geometry/circle");
  KgNode *node = get_node (document);
  g_autoptr (GArray) handles = kg_handles_find (document, node);
  const guint slot = (guint) kg_node_find_slot (node, "center");
  const KgValue there = kg_value_vector (kg_vector (1, 2, 0));
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_assert_cmpuint (handles->len, ==, 1);
  g_assert_cmpint (g_array_index (handles, KgHandlePoint, 0).line, ==, -1);
  /* Where there are keys, dragging makes one. */
  g_assert_true (kg_input_set_key (node, slot, 1, &there, NULL));
  kg_document_set_frame (document, 11);
  g_assert_true (kg_handle_move (document, &g_array_index (handles, KgHandlePoint, 0), kg_vector (9, 9, 0), NULL));
  g_assert_true (kg_input_get_value (node, slot, 1, &value));
  g_assert_cmpfloat (value.vector.x, ==, 1);
  g_assert_true (kg_input_get_value (node, slot, 11, &value));
  g_assert_cmpfloat (value.vector.x, ==, 9);
}

/* What is linked or computed cannot be dragged. */
static void
test_none (void)
{
  g_autoptr (KgDocument) document = open_document ("\"center\": { \"expr\": \"t, 0, 0\" }", "geometry/circle");
  g_autoptr (GArray) handles = kg_handles_find (document, get_node (document));
  g_autoptr (GArray) nothing = kg_handles_find (document, NULL);

  g_assert_cmpuint (handles->len, ==, 0);
  g_assert_cmpuint (nothing->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/handles/points", test_points);
  g_test_add_func ("/handles/vector", test_vector);
  g_test_add_func ("/handles/none", test_none);
  return g_test_run ();
}
