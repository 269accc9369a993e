/* handles-test: a graph with one node "n" and some that it may read, evaluated as the worker does it, for tests of what is taken hold of in the
 * viewport.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-handles.h"
#include "kg-input-value.h"

static inline KgDocument *
open_document (const char *inputs, const char *type)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text =
      g_strdup_printf ("{ \"kineograph\": 1, \"nodes\": { \"n\": { \"type\": \"%s\", \"inputs\": { %s } }, "
                       "\"v\": { \"type\": \"value/vector\", \"inputs\": { \"value\": [3, 2, 1] } }, "
                       "\"f\": { \"type\": \"rig/wire_figure\" } } }",
                       type, inputs);
  KgDocument *document = kg_document_parse (types, text, NULL, problems);

  g_assert_nonnull (document);
  return document;
}

static inline KgNode *
get_node (KgDocument *document)
{
  return kg_graph_find (kg_document_get_graph (document), "n");
}

static inline void
free_value (gpointer data)
{
  kg_value_clear ((KgValue *) data);
  g_free (data);
}

/* As the worker does it. */
static inline GHashTable *
evaluate_wanted (KgDocument *document)
{
  KgGraph *graph = kg_document_get_graph (document);
  GHashTable *values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_value);
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  g_autoptr (GPtrArray) wanted = kg_handles_dup_wanted (document, get_node (document));
  const double time = kg_graph_frame_to_time (graph, kg_document_get_frame (document));

  for (guint i = 0; i < wanted->len; i++) {
    const char *name = (const char *) g_ptr_array_index (wanted, i);
    const int slot = kg_node_find_slot (get_node (document), name + 2);
    KgValue value = KG_VALUE_INIT;

    g_assert_cmpint (slot, >=, 0);
    g_assert_true (kg_evaluator_evaluate (evaluator, get_node (document), (guint) slot, time, NULL, &value, NULL));
    g_hash_table_insert (values, g_strdup (name), g_memdup2 (&value, sizeof value));
  }
  return values;
}

/* The first of an input with a shape, a row and an axis. */
static inline KgGrip
find (const KgHandles *handles, const char *slot, KgGripShape shape, int row, int axis)
{
  g_autoptr (GArray) grips = kg_handles_find (handles, NULL);

  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (g_str_equal (kg_node_get_slot (grip->node, grip->slot)->name, slot) && grip->shape == shape &&
        grip->row == row && grip->axis == axis)
      return *grip;
  }
  g_assert_not_reached ();
}

static inline void
move (const KgHandles *handles, const KgGrip *grip, KgVector to, bool apart)
{
  g_auto (KgValue) start = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  g_assert_true (kg_grip_get_start (handles, grip, &start));
  g_assert_true (kg_grip_move (handles, grip, &start, to, 3, apart, &error));
  g_assert_no_error (error);
}

static inline char *
dup_text (KgNode *node, const char *slot)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_assert_true (kg_input_get_value (node, (guint) kg_node_find_slot (node, slot), 1, &value));
  if (value.kind == KG_TABLE) {
    GString *rows = g_string_new (NULL);

    kg_table_write_text (value.table, kg_node_get_slot (node, (guint) kg_node_find_slot (node, slot))->columns, rows);
    return g_string_free (rows, FALSE);
  }
  return g_strdup (value.text);
}

/* A text as it is; of a table the numbers. */
static inline void
assert_text (KgNode *node, const char *slot, const char *expected)
{
  const KgSlot *declared = kg_node_get_slot (node, (guint) kg_node_find_slot (node, slot));
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_assert_true (kg_input_get_value (node, (guint) kg_node_find_slot (node, slot), 1, &value));
  if (declared->kind == KG_TABLE) {
    g_autoptr (KgTable) rows = kg_table_parse (expected, declared->columns, NULL);
    g_autoptr (GString) found = g_string_new (NULL), wanted = g_string_new (NULL);

    kg_table_write_json (value.table, KG_TABLE_PLAIN, NULL, NULL, found);
    kg_table_write_json (rows, KG_TABLE_PLAIN, NULL, NULL, wanted);
    g_assert_cmpstr (found->str, ==, wanted->str);
    return;
  }
  g_assert_cmpstr (value.text, ==, expected);
}

static inline void
assert_vector (KgNode *node, const char *slot, double frame, double x, double y, double z)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_assert_true (kg_input_get_value (node, (guint) kg_node_find_slot (node, slot), frame, &value));
  g_assert_cmpint (value.kind, ==, KG_VECTOR);
  g_assert_cmpfloat (value.vector.x, ==, x);
  g_assert_cmpfloat (value.vector.y, ==, y);
  g_assert_cmpfloat (value.vector.z, ==, z);
}
