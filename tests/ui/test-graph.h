/* A graph from text, for the tests of this folder.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-file.h"

/* Two shapes, one of them painted, in one picture. */
static const char chain[] =
    "{ \"kineograph\": 1, \"frames\": { \"start\": 1, \"end\": 48, \"rate\": 24 }, \"nodes\": {"
    " \"ring\": { \"type\": \"geometry/circle\", \"at\": [0, 0] },"
    " \"tint\": { \"type\": \"geometry/color\", \"at\": [300, 10],"
    "   \"inputs\": { \"geometry\": { \"link\": \"ring.geometry\" } } },"
    " \"shape\": { \"type\": \"geometry/transform\", \"at\": [310, 200] },"
    " \"out\": { \"type\": \"render/draw\", \"at\": [600, 20],"
    "   \"inputs\": { \"geometries\": [{ \"link\": \"tint.colored\" }, { \"link\": \"shape.transformed\" }] } } } }";

static inline KgGraph *
parse_graph (KgTypes *types, const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgGraph *graph = kg_graph_parse (types, text, -1, problems);

  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_nonnull (graph);
  return graph;
}

static inline KgNode *
get_node (KgGraph *graph, const char *name)
{
  KgNode *node = kg_graph_find (graph, name);

  g_assert_nonnull (node);
  return node;
}

static inline guint
get_slot (const KgNode *node, const char *name)
{
  const int slot = kg_node_find_slot (node, name);

  g_assert_cmpint (slot, >=, 0);
  return (guint) slot;
}

/* The name of the node that an input is linked to; "" for none. */
static inline const char *
get_link_name (const KgNode *node, const char *input, guint item)
{
  KgNode *from;
  guint output;

  return kg_node_get_link (node, get_slot (node, input), item, &from, &output) ? kg_node_get_name (from) : "";
}
