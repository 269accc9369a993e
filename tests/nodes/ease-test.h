/* ease-test: what holds for every shape of motion/ease, in every direction.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "node-test.h"

/* Calls check with a graph that has the ease "e", set to each of them in turn. */
static inline void
ease_test_each (void (*check) (NodeTest *test))
{
  NodeTest test = node_test_new ();
  KgNode *node = node_test_add (&test, "motion/ease", "e", NULL);
  const KgSlot *shape = kg_node_get_slot (node, (guint) kg_node_find_slot (node, "shape"));
  static const char *const directions[] = { "\"in\"", "\"out\"", "\"in-out\"" };

  for (guint s = 0; shape->choices[s].nick != NULL; s++)
    for (guint d = 0; d < G_N_ELEMENTS (directions); d++) {
      g_autofree char *nick = g_strdup_printf ("\"%s\"", shape->choices[s].nick);

      node_test_set (&test, "e", "shape", nick);
      node_test_set (&test, "e", "direction", directions[d]);
      check (&test);
    }
  node_test_clear (&test);
}
