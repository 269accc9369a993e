/* fuzz-file: any bytes may be read as a graph.  What reads must write, and read again to the same text.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kineograph.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static KgTypes *types;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgGraph) graph = NULL;

  if (types == NULL)
    types = kg_types_new (kg_node_table);
  graph = kg_graph_parse (types, (const char *) data, (gssize) size, problems);
  g_assert_true ((graph == NULL) == (problems->len > 0));
  if (graph != NULL) {
    g_autofree char *text = kg_graph_to_text (graph);
    g_autoptr (KgGraph) again = kg_graph_parse (types, text, -1, problems);
    g_autofree char *text_again = again != NULL ? kg_graph_to_text (again) : NULL;

    g_assert_cmpstr (text_again, ==, text);
  }
  return 0;
}
