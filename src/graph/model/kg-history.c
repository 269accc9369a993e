/* kg-history: what a graph remembers for undo and redo: changes, and the steps that they make up.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-private.h"

KgChange *
kg_change_new (KgChangeKind kind, KgGraph *graph, KgNode *node)
{
  KgChange *change = g_new0 (KgChange, 1);

  change->kind = kind;
  change->graph = graph;
  change->node = node != NULL ? kg_node_ref (node) : NULL;
  return change;
}

void
kg_change_free (gpointer data)
{
  KgChange *change = (KgChange *) data;

  g_clear_pointer (&change->node, kg_node_unref);
  kg_source_clear (&change->source);
  g_clear_pointer (&change->expression, kg_expression_free);
  g_clear_pointer (&change->raw, kg_json_free);
  g_clear_pointer (&change->preset, kg_preset_unref);
  g_free (change->text);
  g_free (change);
}

KgStep *
kg_step_new (const char *label)
{
  KgStep *group = g_new0 (KgStep, 1);

  group->label = g_strdup (label);
  group->changes = g_ptr_array_new_with_free_func (kg_change_free);
  return group;
}

void
kg_step_free (gpointer data)
{
  KgStep *group = (KgStep *) data;

  /* Last first: a node may be held by the change that made it. */
  while (group->changes->len > 0)
    g_ptr_array_remove_index (group->changes, group->changes->len - 1);
  g_ptr_array_unref (group->changes);
  g_clear_pointer (&group->moves, g_hash_table_unref);
  g_free (group->label);
  g_free (group);
}

static void
transaction_clear (gpointer data)
{
  KgTransaction *transaction = (KgTransaction *) data;

  g_free (transaction->label);
  g_clear_pointer (&transaction->undone, g_ptr_array_unref);
}

KgHistory *
kg_history_new (void)
{
  KgHistory *history = g_new0 (KgHistory, 1);

  history->done = g_ptr_array_new_with_free_func (kg_step_free);
  history->undone = g_ptr_array_new_with_free_func (kg_step_free);
  history->marks = g_array_new (FALSE, FALSE, sizeof (guint));
  history->transactions = g_array_new (FALSE, FALSE, sizeof (KgTransaction));
  g_array_set_clear_func (history->transactions, transaction_clear);
  history->held_graphs = g_ptr_array_new_with_free_func (g_object_unref);
  history->moved = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_node_unref);
  history->moved_set = g_hash_table_new (NULL, NULL);
  return history;
}

void
kg_history_free (KgHistory *history)
{
  g_ptr_array_unref (history->undone);
  g_ptr_array_unref (history->done);
  g_clear_pointer (&history->open, kg_step_free);
  g_array_unref (history->marks);
  g_array_unref (history->transactions);
  g_hash_table_unref (history->moved_set);
  g_ptr_array_unref (history->moved);
  g_ptr_array_unref (history->held_graphs);
  g_free (history);
}
