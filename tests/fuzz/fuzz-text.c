/* fuzz-text: any text may be typed into an input that takes one, rows of tables too.  The first line names the input, as
 * family/type.input; the rest is the text.  The node gives finite values, or an error, in the second frame: simulations
 * take one step.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../nodes/any-node.h"
#include "fuzz-name.h"

/* Of what is counted: pixels, iterations, samples. */
#define MOST_PARTS 2

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

typedef struct {
  const KgNodeType *type;
  const char *slot;
} Input;

/* Rows of tables are typed, too. */
static bool
takes_text (const KgSlot *slot)
{
  return slot->role == KG_SLOT_INPUT && (slot->kind == KG_TEXT || slot->kind == KG_TABLE) && !slot->path &&
         !slot->remark && !slot->list;
}

static const Input *
find_input (const char *name)
{
  static GPtrArray *names;
  static GArray *inputs;

  if (inputs == NULL) {
    names = g_ptr_array_new ();
    inputs = g_array_new (FALSE, FALSE, sizeof (Input));
    for (guint i = 0; kg_node_table[i] != NULL; i++)
      for (guint k = 0; k < kg_node_table[i]->n_slots; k++)
        if (takes_text (&kg_node_table[i]->slots[k])) {
          const Input input = { kg_node_table[i], kg_node_table[i]->slots[k].name };

          g_array_append_val (inputs, input);
          g_ptr_array_add (names, g_strdup_printf ("%s.%s", input.type->id, input.slot));
        }
  }
  return &g_array_index (inputs, Input, choose_name (name, names));
}

/* Texts are read the same whatever else the node is to do, which is therefore little: few pixels, steps and parts. */
static void
make_small (KgGraph *graph, KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    g_auto (KgValue) few = KG_VALUE_INIT;

    if (slot->role != KG_SLOT_INPUT || slot->kind != KG_INTEGER || slot->list || slot->def <= MOST_PARTS)
      continue;
    few = kg_value_integer ((int64_t) fmax (MOST_PARTS, slot->min));
    kg_graph_set_constant (graph, node, slot->name, &few, NULL);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static KgTypes *types;
  g_autofree char *name = take_name (&data, &size), *text = g_strndup ((const char *) data, size);
  g_auto (KgValue) constant = KG_VALUE_INIT;
  g_autoptr (KgEvaluator) evaluator = NULL;
  g_autoptr (KgGraph) graph = NULL;
  const Input *input = find_input (name);
  KgNode *source, *node;

  if (!g_utf8_validate (text, -1, NULL))
    return 0;
  if (types == NULL)
    types = make_types ();
  graph = kg_graph_new (types);
  source = kg_graph_add (graph, "test/source", "source", 0, 0, NULL);
  node = kg_graph_add (graph, input->type->id, "node", 0, 0, NULL);
  link_to_source (graph, source, node);
  make_small (graph, node);
  constant = kg_value_text (text);
  kg_graph_set_constant (graph, node, input->slot, &constant, NULL);
  evaluator = kg_evaluator_new (graph, NULL);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;

    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT &&
        kg_evaluator_evaluate (evaluator, node, i, 1.0 / 24, NULL, &value, &error))
      g_assert_true (kg_value_check_finite (&value, NULL));
  }
  return 0;
}
