/* preset-test: definitions read and instances evaluated, for tests of presets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-preset.h"
#include "kineograph.h"

/* (transfer full) */
static inline KgPreset *
preset_test_parse (KgTypes *types, const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgPreset *preset = kg_preset_parse (types, text, -1, problems);
  g_autofree char *list = kg_problems_to_text (problems, "preset");

  if (preset == NULL)
    g_test_message ("%s", list);
  g_assert_nonnull (preset);
  return preset;
}

/* The number that an output is at the first frame. */
static inline double
preset_test_evaluate (KgGraph *graph, const char *target)
{
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  KgNode *node;
  guint slot;

  kg_graph_find_output (graph, target, &node, &slot, &error);
  g_assert_no_error (error);
  kg_evaluator_evaluate (evaluator, node, slot, 0, NULL, &value, &error);
  g_assert_no_error (error);
  g_assert_cmpint (value.kind, ==, KG_NUMBER);
  return value.number;
}
