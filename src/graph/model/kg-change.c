/* kg-change: applies a change to a graph, and announces it.
 *
 * A change is a record that holds the other state: applying it swaps the two.  Undo and redo therefore apply
 * the same records, in the opposite order and in theirs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-private.h"

static void
emit_changed (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_document (graph)->history;

  if (history != NULL && history->held > 0) {
    if (!g_ptr_array_find (history->held_graphs, graph, NULL))
      g_ptr_array_add (history->held_graphs, g_object_ref (graph));
    return;
  }
  for (;;) {
    g_signal_emit (graph, kg_graph_signals[KG_SIGNAL_CHANGED], 0);
    if (graph->owner == NULL || graph->owner->parent == NULL)
      return;
    graph = graph->owner->parent;
  }
}

void
kg_graph_hold_changed (KgGraph *root)
{
  KgHistory *history = kg_graph_get_document (root)->history;

  if (history != NULL)
    history->held++;
}

void
kg_graph_release_changed (KgGraph *root)
{
  KgHistory *history = kg_graph_get_document (root)->history;
  g_autoptr (GPtrArray) graphs = NULL;

  if (history == NULL || --history->held > 0)
    return;
  graphs = g_steal_pointer (&history->held_graphs);
  history->held_graphs = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < graphs->len; i++)
    emit_changed ((KgGraph *) g_ptr_array_index (graphs, i));
}

static void
swap_text (char **a, char **b)
{
  char *t = *a;

  *a = *b;
  *b = t;
}

static void
apply_presence (KgChange *change)
{
  KgGraph *graph = change->graph;
  KgNode *node = change->node;

  if (node->parent != NULL) {
    change->index = kg_graph_detach (graph, node);
    g_signal_emit (graph, kg_graph_signals[KG_SIGNAL_NODE_REMOVED], 0, node);
  } else {
    kg_graph_attach (graph, node, MIN (change->index, graph->nodes->len));
    g_signal_emit (graph, kg_graph_signals[KG_SIGNAL_NODE_ADDED], 0, node);
  }
}

/* Whether a change of an input of an interface node changes the description of the slot outside: the fixed ones describe it,
 * and a constant that stands for what is not set is what is shown, and read by expressions, as its default. */
static bool
describes_slot (const KgNode *node, const KgChange *change)
{
  const KgSlot *slot = &node->slots[change->index];

  return kg_node_is_interface (node) &&
         (slot->fixed || (kg_node_get_role (node) == KG_ROLE_INTERFACE_INPUT && g_str_equal (slot->name, "value") &&
                          (change->source.kind == KG_SOURCE_CONSTANT ||
                           node->inputs[change->index].source.kind == KG_SOURCE_CONSTANT)));
}

static void
apply_source (KgChange *change)
{
  KgNode *node = change->node;
  KgInput *input = &node->inputs[change->index];
  KgExpression *expression = change->expression;
  const KgSource other = change->source;

  kg_input_disconnect (node, change->index);
  change->source = input->source;
  input->source = other;
  change->expression = input->expression;
  input->expression = expression;
  kg_input_free_cells (input);
  kg_input_connect (node, change->index);
  kg_node_invalidate (node, (int) change->index);
  if (describes_slot (node, change))
    kg_node_update_slot (node);
  g_signal_emit (change->graph, kg_graph_signals[KG_SIGNAL_SOURCE_CHANGED], 0, node, change->index);
}

static void
apply_name (KgChange *change)
{
  KgGraph *graph = change->graph;

  g_hash_table_remove (graph->by_name, change->node->name);
  swap_text (&change->node->name, &change->text);
  g_hash_table_insert (graph->by_name, change->node->name, change->node);
  /* Sources that follow the node have another name already, or get it next; expressions that only waited for a node of
   * the old name wait again. */
  kg_node_reconnect_readers (change->node);
  kg_graph_retry_dangling (graph, change->node->name);
  if (graph->owner != NULL && kg_node_is_interface (change->node))
    kg_node_rebuild_interface (graph->owner);
  g_signal_emit (graph, kg_graph_signals[KG_SIGNAL_NODE_RENAMED], 0, change->node, change->text);
}

static void
apply_position (KgChange *change)
{
  KgNode *node = change->node;
  const double x = change->x, y = change->y;

  change->x = node->x;
  change->y = node->y;
  node->x = x;
  node->y = y;
}

static void
apply_bypass (KgChange *change)
{
  const bool bypass = change->flag;

  change->flag = change->node->bypass;
  change->node->bypass = bypass;
  kg_node_invalidate (change->node, -1);
}

/* Changes no value. */
static void
apply_stage (KgChange *change)
{
  const guint stage = change->index;

  change->index = change->node->stage;
  change->node->stage = (KgStage) stage;
}

static void
apply_unlocked (KgChange *change)
{
  const bool unlocked = change->flag;

  change->flag = change->node->unlocked;
  change->node->unlocked = unlocked;
}

static void
apply_color (KgChange *change)
{
  swap_text (&change->node->color, &change->text);
}

static void
apply_node_comment (KgChange *change)
{
  swap_text (&change->node->comment, &change->text);
}

static void
apply_aside (KgChange *change)
{
  KgJson *aside = change->raw;

  change->graph->n_aside += (aside != NULL) - (change->node->aside != NULL);
  change->raw = change->node->aside;
  change->node->aside = aside;
}

static void
apply_definition (KgChange *change)
{
  g_autoptr (KgPreset) now = g_steal_pointer (&change->preset);

  change->preset = kg_preset_ref (change->node->preset);
  kg_node_set_definition (change->node, now);
}

static void
apply_raw (KgChange *change)
{
  KgJson *raw = change->raw;

  change->raw = change->node->raw;
  change->node->raw = raw;
}

static void
apply_title (KgChange *change)
{
  swap_text (&change->graph->title, &change->text);
}

static void
apply_comment (KgChange *change)
{
  swap_text (&change->graph->comment, &change->text);
}

static void
apply_display (KgChange *change)
{
  swap_text (&change->graph->display, &change->text);
}

/* What every keyed, timed or driven input gives depends on the frames. */
static void
apply_frames (KgChange *change)
{
  KgDocumentState *document = kg_graph_get_document (change->graph);
  const KgFrames frames = change->frames;

  change->frames = document->frames;
  document->frames = frames;
  kg_graph_invalidate (change->graph, false);
}

/* How each kind of change is applied, and the signal of its graph that announces it: about the node, where the change has
 * one; -1 where applying it emits one of its own. */
static const struct {
  void (*apply) (KgChange *change);
  int signal;
} change_kinds[] = {
  [KG_CHANGE_PRESENCE] = { apply_presence, -1 },
  [KG_CHANGE_SOURCE] = { apply_source, -1 },
  [KG_CHANGE_NAME] = { apply_name, -1 },
  [KG_CHANGE_POSITION] = { apply_position, KG_SIGNAL_NODE_MOVED },
  [KG_CHANGE_BYPASS] = { apply_bypass, KG_SIGNAL_NODE_CHANGED },
  [KG_CHANGE_STAGE] = { apply_stage, KG_SIGNAL_NODE_CHANGED },
  [KG_CHANGE_UNLOCKED] = { apply_unlocked, KG_SIGNAL_NODE_CHANGED },
  [KG_CHANGE_COLOR] = { apply_color, KG_SIGNAL_NODE_CHANGED },
  [KG_CHANGE_NODE_COMMENT] = { apply_node_comment, KG_SIGNAL_NODE_CHANGED },
  [KG_CHANGE_ASIDE] = { apply_aside, KG_SIGNAL_NODE_CHANGED },
  [KG_CHANGE_DEFINITION] = { apply_definition, KG_SIGNAL_NODE_CHANGED },
  [KG_CHANGE_RAW] = { apply_raw, KG_SIGNAL_NODE_CHANGED },
  [KG_CHANGE_TITLE] = { apply_title, KG_SIGNAL_SETTINGS_CHANGED },
  [KG_CHANGE_COMMENT] = { apply_comment, KG_SIGNAL_SETTINGS_CHANGED },
  [KG_CHANGE_DISPLAY] = { apply_display, KG_SIGNAL_SETTINGS_CHANGED },
  [KG_CHANGE_FRAMES] = { apply_frames, KG_SIGNAL_SETTINGS_CHANGED },
};

G_STATIC_ASSERT (G_N_ELEMENTS (change_kinds) == KG_CHANGE_N_KINDS);

void
kg_change_apply (KgChange *change)
{
  const int signal = change_kinds[change->kind].signal;

  change_kinds[change->kind].apply (change);
  if (signal >= 0 && change->node != NULL)
    g_signal_emit (change->graph, kg_graph_signals[signal], 0, change->node);
  else if (signal >= 0)
    g_signal_emit (change->graph, kg_graph_signals[signal], 0);
  emit_changed (change->graph);
}
