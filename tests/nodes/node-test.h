/* node-test: a graph of one or a few nodes in a line or two, for tests of their numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "../near.h"
#include "kineograph.h"

typedef struct {
  KgTypes *types;
  KgGraph *graph;
  KgEvaluator *evaluator;
} NodeTest;

static inline NodeTest
node_test_new (void)
{
  NodeTest test = { .types = kg_types_new (kg_node_table) };

  test.graph = kg_graph_new (test.types);
  test.evaluator = kg_evaluator_new (test.graph, NULL);
  return test;
}

/* One of the graphs in graphs/. */
static inline NodeTest
node_test_open_example (const char *file)
{
  g_autofree char *path = g_build_filename (g_getenv ("KG_GRAPHS"), file, NULL), *text = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (GError) error = NULL;
  NodeTest test = { .types = kg_types_new (kg_node_table) };
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  test.graph = kg_graph_parse (test.types, text, (gssize) length, problems);
  g_assert_nonnull (test.graph);
  test.evaluator = kg_evaluator_new (test.graph, NULL);
  return test;
}

static inline void
node_test_clear (NodeTest *test)
{
  kg_evaluator_free (test->evaluator);
  g_object_unref (test->graph);
  kg_types_unref (test->types);
}

/* Sets inputs given as "slot", "JSON" pairs, ended by NULL. */
static inline KgNode *
node_test_add (NodeTest *test, const char *type, const char *name, ...)
{
  g_autoptr (GError) error = NULL;
  KgNode *node = kg_graph_add (test->graph, type, name, 0, 0, &error);
  va_list arguments;

  g_assert_no_error (error);
  va_start (arguments, name);
  for (const char *slot; (slot = va_arg (arguments, const char *)) != NULL;) {
    kg_graph_set_json (test->graph, node, slot, va_arg (arguments, const char *), &error);
    g_assert_no_error (error);
  }
  va_end (arguments);
  return node;
}

static inline void
node_test_set (NodeTest *test, const char *name, const char *slot, const char *json)
{
  g_autoptr (GError) error = NULL;

  kg_graph_set_json (test->graph, kg_graph_find (test->graph, name), slot, json, &error);
  g_assert_no_error (error);
}

/* The input does not take it. */
static inline void
node_test_refuses (NodeTest *test, const char *name, const char *slot, const char *json, KgError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (kg_graph_set_json (test->graph, kg_graph_find (test->graph, name), slot, json, &error));
  g_assert_error (error, KG_ERROR, (gint) code);
}

/* With all its digits. */
static inline void
node_test_set_number (NodeTest *test, const char *name, const char *slot, double x)
{
  g_autofree char *json = g_strdup_printf ("%.17g", x);

  node_test_set (test, name, slot, json);
}

/* (transfer full) The value of "node.slot"; its failure is the test's. */
static inline KgValue
node_test_get (NodeTest *test, const char *target, double time)
{
  g_autoptr (GError) error = NULL;
  KgValue value = KG_VALUE_INIT;
  KgNode *node;
  guint slot;

  kg_graph_find_output (test->graph, target, &node, &slot, &error);
  g_assert_no_error (error);
  kg_evaluator_evaluate (test->evaluator, node, slot, time, NULL, &value, &error);
  g_assert_no_error (error);
  return value;
}

static inline double
node_test_number (NodeTest *test, const char *target, double time)
{
  g_auto (KgValue) value = node_test_get (test, target, time);
  double number;

  g_assert_true (kg_value_get_component (&value, NULL, &number));
  return number;
}

static inline KgVector
node_test_vector (NodeTest *test, const char *target, double time)
{
  g_auto (KgValue) value = node_test_get (test, target, time);

  g_assert_cmpint (value.kind, ==, KG_VECTOR);
  return value.vector;
}

/* The node must fail with this code. */
static inline void
node_test_fails (NodeTest *test, const char *target, int code)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *node;
  guint slot;

  kg_graph_find_output (test->graph, target, &node, &slot, &error);
  g_assert_no_error (error);
  g_assert_false (kg_evaluator_evaluate (test->evaluator, node, slot, 0, NULL, &value, &error));
  g_assert_error (error, KG_ERROR, code);
}

/* The node must fail, and say these words. */
static inline void
node_test_fails_saying (NodeTest *test, const char *target, double time, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *node;
  guint slot;

  kg_graph_find_output (test->graph, target, &node, &slot, &error);
  g_assert_no_error (error);
  g_assert_false (kg_evaluator_evaluate (test->evaluator, node, slot, time, NULL, &value, &error));
  g_assert_nonnull (error);
  if (strstr (error->message, words) == NULL)
    g_error ("%s: \"%s\" does not say \"%s\"", target, error->message, words);
}

/* The node must give a value, and a warning with these words. */
static inline void
node_test_warns_at (NodeTest *test, const char *target, double time, const char *words)
{
  g_auto (KgValue) value = node_test_get (test, target, time);
  g_autofree char *name = g_strndup (target, strcspn (target, "."));
  g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test->evaluator, kg_graph_find (test->graph, name));
  g_autofree char *all = warnings != NULL ? g_strjoinv ("\n", warnings) : g_strdup ("");

  if (strstr (all, words) == NULL)
    g_error ("%s: no warning \"%s\" in \"%s\"", target, words, all);
}

/* The node must give a value, and no warning. */
static inline void
node_test_is_quiet (NodeTest *test, const char *target, double time)
{
  g_auto (KgValue) value = node_test_get (test, target, time);
  g_autofree char *name = g_strndup (target, strcspn (target, "."));
  g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test->evaluator, kg_graph_find (test->graph, name));

  if (warnings != NULL && warnings[0] != NULL)
    g_error ("%s: warning \"%s\"", target, warnings[0]);
}

static inline void
node_test_warns (NodeTest *test, const char *target, const char *words)
{
  node_test_warns_at (test, target, 0, words);
}
