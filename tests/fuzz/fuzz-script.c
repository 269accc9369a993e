/* fuzz-script: any bytes may be run as a script.  What it leaves, also when it fails in the middle, can be written and read.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kineograph.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Loops are legal, and long. */
static gpointer
cancel_later (gpointer cancellable)
{
  g_usleep (300000);
  g_cancellable_cancel ((GCancellable *) cancellable);
  g_object_unref (cancellable);
  return NULL;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static KgTypes *types;
  g_autoptr (GPtrArray) problems = kg_problems_new (), other_problems = kg_problems_new ();
  g_autoptr (KgScript) script = kg_script_parse ((const char *) data, (gssize) size, problems);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (KgGraph) graph = NULL;
  g_autoptr (KgGraph) again = NULL;
  g_autofree char *text = NULL;

  if (types == NULL)
    types = kg_types_new (kg_node_table);
  g_assert_true ((script == NULL) == (problems->len > 0));
  if (script == NULL)
    return 0;
  graph = kg_graph_new (types);
  if (g_strstr_len ((const char *) data, (gssize) size, "repeat") != NULL ||
      g_strstr_len ((const char *) data, (gssize) size, "call") != NULL ||
      g_strstr_len ((const char *) data, (gssize) size, "while") != NULL)
    g_thread_unref (g_thread_new ("cancel", cancel_later, g_object_ref (cancellable)));
  kg_script_run (script, graph, NULL, size % 2 == 0 ? KG_SCRIPT_STOP : KG_SCRIPT_KEEP_GOING, cancellable, problems);
  text = kg_graph_to_text (graph);
  again = kg_graph_parse (kg_graph_get_types (graph), text, -1, other_problems);
  if (again == NULL) {
    g_autofree char *report = kg_problems_to_text (other_problems, "graph");

    g_error ("what the script left is not read:\n%s%s", report, text);
  }
  return 0;
}
