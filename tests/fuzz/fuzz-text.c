/* fuzz-text: any text may be typed into an input that takes one.  The first byte is the number of that input among all of all
 * node types; the rest is the text.  The node gives finite values, or an error.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../nodes/any-node.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static bool
takes_text (const KgSlot *slot)
{
  return slot->role == KG_SLOT_INPUT && slot->kind == KG_TEXT && !slot->path && !slot->remark && !slot->list;
}

/* Input number index of those that take texts. */
static const KgNodeType *
find_input (guint index, const char **slot)
{
  guint n = 0;

  for (guint i = 0; kg_node_table[i] != NULL; i++)
    for (guint k = 0; k < kg_node_table[i]->n_slots; k++)
      if (takes_text (&kg_node_table[i]->slots[k]) && n++ == index) {
        *slot = kg_node_table[i]->slots[k].name;
        return kg_node_table[i];
      }
  g_assert_not_reached ();
}

static guint
count_inputs (void)
{
  guint n = 0;

  for (guint i = 0; kg_node_table[i] != NULL; i++)
    for (guint k = 0; k < kg_node_table[i]->n_slots; k++)
      n += takes_text (&kg_node_table[i]->slots[k]);
  return n;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static KgTypes *types;
  static guint n_inputs;
  g_autofree char *text = size > 0 ? g_strndup ((const char *) data + 1, size - 1) : NULL;
  g_auto (KgValue) constant = KG_VALUE_INIT;
  g_autoptr (KgEvaluator) evaluator = NULL;
  g_autoptr (KgGraph) graph = NULL;
  const KgNodeType *type;
  const char *slot;
  KgNode *source, *node;

  if (text == NULL || !g_utf8_validate (text, -1, NULL))
    return 0;
  if (types == NULL) {
    types = make_types ();
    n_inputs = count_inputs ();
  }
  type = find_input (data[0] % n_inputs, &slot);
  graph = kg_graph_new (types);
  source = kg_graph_add (graph, "test/source", "source", 0, 0, NULL);
  node = kg_graph_add (graph, type->id, "node", 0, 0, NULL);
  link_to_source (graph, source, node);
  constant = kg_value_text (text);
  kg_graph_set_constant (graph, node, slot, &constant, NULL);
  evaluator = kg_evaluator_new (graph, NULL);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;

    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT &&
        kg_evaluator_evaluate (evaluator, node, i, 0.1, NULL, &value, &error))
      g_assert_true (kg_value_check_finite (&value, NULL));
  }
  return 0;
}
