/* kg-undo: performs changes and remembers them in steps: groups, transactions, undo and redo.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-private.h"

#include <glib/gi18n-lib.h>

/* Undo steps that are remembered. */
#define MAX_STEPS 10000

/* Steps. */

static void
history_changed (KgGraph *root)
{
  g_signal_emit (root, kg_graph_signals[KG_SIGNAL_HISTORY_CHANGED], 0);
}

/* The first change of position of each node remembers where it was before the step, which is enough. */
static void
merge_moves (KgStep *group)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) all = g_steal_pointer (&group->changes);

  group->changes = g_ptr_array_new_with_free_func (kg_change_free);
  g_ptr_array_set_free_func (all, NULL);
  for (guint i = 0; i < all->len; i++) {
    KgChange *change = (KgChange *) g_ptr_array_index (all, i);

    if (change->kind == KG_CHANGE_POSITION && !g_hash_table_add (seen, change->node))
      kg_change_free (change);
    else
      g_ptr_array_add (group->changes, change);
  }
}

static void
close_group (KgGraph *root)
{
  KgHistory *history = kg_graph_get_document (root)->history;
  KgStep *group = g_steal_pointer (&history->open);

  g_clear_pointer (&group->moves, g_hash_table_unref);
  if (group->changes->len == 0) {
    kg_step_free (group);
    return;
  }
  if (group->reopened)
    merge_moves (group);
  group->reopened = false;
  group->serial = history->serial++;
  g_ptr_array_set_size (history->undone, 0);
  g_ptr_array_add (history->done, group);
  if (history->done->len > MAX_STEPS && history->transactions->len == 0)
    g_ptr_array_remove_index (history->done, 0);
  history_changed (root);
}

/* Reading a file refuses nothing. */
bool
kg_graph_refuse_locked (KgGraph *graph, GError **error)
{
  const KgHistory *history = kg_graph_get_document (graph)->history;
  g_autofree char *path = NULL;

  if (history == NULL || history->paused || !kg_graph_is_locked (graph))
    return false;
  path = kg_node_dup_path (graph->owner);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is an instance of a preset: unlock it to edit its contents", path);
  return true;
}

/* Whether the open group already remembers where the node was at the last point that it can be cancelled to.  If not,
 * it will: the next change of the node is its position. */
static bool
is_move_known (KgHistory *history, KgNode *node)
{
  KgStep *group = history->open;
  const guint mark = g_array_index (history->marks, guint, history->marks->len - 1);

  if (group->moves == NULL)
    group->moves = g_hash_table_new (NULL, NULL);
  if (GPOINTER_TO_UINT (g_hash_table_lookup (group->moves, node)) > mark)
    return true;
  g_hash_table_insert (group->moves, node, GUINT_TO_POINTER (group->changes->len + 1));
  return false;
}

void
kg_change_perform (KgChange *change, const char *label)
{
  KgGraph *root = kg_graph_get_root (change->graph);
  KgHistory *history = kg_graph_get_document (root)->history;

  if (change->kind == KG_CHANGE_POSITION && history != NULL && !history->paused && history->marks->len > 0 &&
      is_move_known (history, change->node)) {
    kg_change_apply (change);
    kg_change_free (change);
    return;
  }
  kg_change_apply (change);
  if (history == NULL || history->paused) {
    kg_change_free (change);
    return;
  }
  if (history->open == NULL) {
    history->open = kg_step_new (label != NULL ? _ (label) : NULL);
    g_ptr_array_add (history->open->changes, change);
    close_group (root);
  } else
    g_ptr_array_add (history->open->changes, change);
}

void
kg_changes_perform (GPtrArray *changes)
{
  g_ptr_array_set_free_func (changes, NULL);
  for (guint i = 0; i < changes->len; i++)
    kg_change_perform ((KgChange *) g_ptr_array_index (changes, i), NULL);
  g_ptr_array_set_size (changes, 0);
}

void
kg_graph_perform_text (KgChangeKind kind, KgGraph *graph, KgNode *node, const char *text, const char *label)
{
  KgChange *change = kg_change_new (kind, graph, node);

  change->text = g_strdup (text);
  kg_change_perform (change, label);
}

void
kg_node_perform_source (KgNode *node, guint slot, const KgSource *source, KgExpression *expression)
{
  KgChange *change = kg_change_new (KG_CHANGE_SOURCE, node->parent, node);

  change->index = slot;
  change->source = kg_source_copy (source);
  change->expression = expression;
  kg_change_perform (change, N_ ("Set an input"));
}

/* Groups. */

void
kg_graph_begin_group (KgGraph *graph, const char *label)
{
  KgHistory *history = kg_graph_get_document (graph)->history;
  guint n;

  if (history == NULL || history->paused)
    return;
  kg_edit_report_text (KG_EDIT_BEGIN_GROUP, graph, NULL, label != NULL ? label : "");
  if (history->open == NULL) {
    history->open = kg_step_new (label);
    history->open->is_group = true;
  }
  n = history->open->changes->len;
  g_array_append_val (history->marks, n);
}

guint64
kg_graph_get_step (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_document (graph)->history;

  if (history == NULL || history->done->len == 0)
    return 0;
  return ((const KgStep *) g_ptr_array_index (history->done, history->done->len - 1))->serial + 1;
}

void
kg_graph_end_group (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = kg_graph_get_document (root)->history;

  if (history == NULL || history->paused)
    return;
  g_return_if_fail (history->marks->len > 0);
  kg_edit_report (&(KgEdit){ .verb = KG_EDIT_END, .graph = root });
  g_array_set_size (history->marks, history->marks->len - 1);
  if (history->marks->len > 0)
    return;
  {
    const guint64 before = kg_graph_get_step (root);

    close_group (root);
    if (kg_graph_get_step (root) != before && kg_graph_get_logged (root) != NULL)
      history->reported_step = kg_graph_get_step (root);
  }
}

void
kg_graph_cancel_group (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = kg_graph_get_document (root)->history;
  guint mark;

  if (history == NULL || history->paused)
    return;
  g_return_if_fail (history->marks->len > 0);
  kg_edit_report (&(KgEdit){ .verb = KG_EDIT_CANCEL, .graph = root });
  kg_graph_mute_log (root);
  kg_graph_hold_changed (root);
  mark = g_array_index (history->marks, guint, history->marks->len - 1);
  while (history->open->changes->len > mark) {
    kg_change_apply ((KgChange *) g_ptr_array_index (history->open->changes, history->open->changes->len - 1));
    g_ptr_array_remove_index (history->open->changes, history->open->changes->len - 1);
  }
  g_clear_pointer (&history->open->moves, g_hash_table_unref);
  kg_graph_end_group (graph);
  kg_graph_unmute_log (root);
  kg_graph_release_changed (root);
}

bool
kg_graph_is_in_group (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_document (graph)->history;

  return history != NULL && history->marks->len > 0;
}

bool
kg_graph_close_group (KgGraph *graph, bool good)
{
  if (good)
    kg_graph_end_group (graph);
  else
    kg_graph_cancel_group (graph);
  return good;
}

/* Transactions. */

/* Steps before this one do not belong to the open transaction. */
static guint
get_floor (const KgHistory *history)
{
  const guint n = history->transactions->len;

  return n > 0 ? g_array_index (history->transactions, KgTransaction, n - 1).n_done : 0;
}

void
kg_graph_begin_transaction (KgGraph *graph, const char *label)
{
  KgHistory *history = kg_graph_get_document (graph)->history;
  KgTransaction transaction = { .label = g_strdup (label) };

  g_return_if_fail (history != NULL && !history->paused && history->open == NULL);
  kg_edit_report_text (KG_EDIT_BEGIN_TRANSACTION, graph, NULL, label != NULL ? label : "");
  transaction.n_done = history->done->len;
  transaction.undone = history->undone;
  history->undone = g_ptr_array_new_with_free_func (kg_step_free);
  g_array_append_val (history->transactions, transaction);
}

void
kg_graph_end_transaction (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = kg_graph_get_document (root)->history;
  KgTransaction *transaction;
  KgStep *whole;

  g_return_if_fail (history != NULL && history->transactions->len > 0 && history->open == NULL);
  kg_edit_report (&(KgEdit){ .verb = KG_EDIT_END, .graph = root });
  transaction = &g_array_index (history->transactions, KgTransaction, history->transactions->len - 1);
  whole = kg_step_new (transaction->label);
  for (guint i = transaction->n_done; i < history->done->len; i++) {
    const KgStep *step = (const KgStep *) g_ptr_array_index (history->done, i);

    g_ptr_array_set_free_func (step->changes, NULL);
    for (guint k = 0; k < step->changes->len; k++)
      g_ptr_array_add (whole->changes, g_ptr_array_index (step->changes, k));
    g_ptr_array_set_size (step->changes, 0);
  }
  g_ptr_array_set_size (history->done, (gint) transaction->n_done);
  g_ptr_array_set_size (history->undone, 0);
  if (whole->changes->len == 0) {
    g_ptr_array_unref (history->undone);
    history->undone = g_steal_pointer (&transaction->undone);
  }
  g_array_set_size (history->transactions, history->transactions->len - 1);
  history->open = whole;
  if (whole->changes->len > 0)
    close_group (root);
  else
    kg_step_free (g_steal_pointer (&history->open));
}

void
kg_graph_cancel_transaction (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = kg_graph_get_document (root)->history;
  KgTransaction *transaction;

  g_return_if_fail (history != NULL && history->transactions->len > 0 && history->open == NULL);
  kg_edit_report (&(KgEdit){ .verb = KG_EDIT_CANCEL, .graph = root });
  kg_graph_mute_log (root);
  while (kg_graph_undo (root))
    ;
  kg_graph_unmute_log (root);
  transaction = &g_array_index (history->transactions, KgTransaction, history->transactions->len - 1);
  g_ptr_array_unref (history->undone);
  history->undone = g_steal_pointer (&transaction->undone);
  g_array_set_size (history->transactions, history->transactions->len - 1);
  history_changed (root);
}

/* Undo and redo. */

/* Undo or redo of a step from before the log cannot be repeated. */
static void
report_history (KgGraph *root, const KgStep *step, KgEditVerb verb)
{
  const KgHistory *history = kg_graph_get_document (root)->history;

  kg_edit_report (&(KgEdit){ .verb = step->serial >= history->log_since ? verb : KG_EDIT_OTHER, .graph = root });
}

bool
kg_graph_reopen_group (KgGraph *graph, guint64 step)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = kg_graph_get_document (root)->history;
  KgStep *group;
  guint n;

  if (history == NULL || history->paused || history->open != NULL || history->undone->len > 0 ||
      history->done->len == 0 || history->transactions->len > 0 || kg_graph_get_step (root) != step)
    return false;
  group = (KgStep *) g_ptr_array_index (history->done, history->done->len - 1);
  /* (The log takes the end of the group back: it must be what was reported last.) */
  if (!group->is_group || (kg_graph_get_logged (root) != NULL && history->reported_step != step))
    return false;
  kg_edit_report (&(KgEdit){ .verb = KG_EDIT_REOPEN, .graph = root });
  g_ptr_array_steal_index (history->done, history->done->len - 1);
  group->reopened = true;
  history->open = group;
  n = group->changes->len;
  g_array_append_val (history->marks, n);
  return true;
}

bool
kg_graph_undo (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = kg_graph_get_document (root)->history;
  KgStep *group;

  if (history == NULL || history->done->len <= get_floor (history) || history->open != NULL)
    return false;
  group = (KgStep *) g_ptr_array_steal_index (history->done, history->done->len - 1);
  report_history (root, group, KG_EDIT_UNDO);
  kg_graph_hold_changed (root);
  for (guint i = group->changes->len; i > 0; i--)
    kg_change_apply ((KgChange *) g_ptr_array_index (group->changes, i - 1));
  g_ptr_array_add (history->undone, group);
  kg_graph_release_changed (root);
  history_changed (root);
  return true;
}

bool
kg_graph_redo (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = kg_graph_get_document (root)->history;
  KgStep *group;

  if (history == NULL || history->undone->len == 0 || history->open != NULL)
    return false;
  group = (KgStep *) g_ptr_array_steal_index (history->undone, history->undone->len - 1);
  report_history (root, group, KG_EDIT_REDO);
  kg_graph_hold_changed (root);
  for (guint i = 0; i < group->changes->len; i++)
    kg_change_apply ((KgChange *) g_ptr_array_index (group->changes, i));
  g_ptr_array_add (history->done, group);
  kg_graph_release_changed (root);
  history_changed (root);
  return true;
}

static const char *
last_label (const GPtrArray *groups)
{
  return groups->len > 0 ? ((const KgStep *) g_ptr_array_index (groups, groups->len - 1))->label : NULL;
}

const char *
kg_graph_get_undo_label (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_document (graph)->history;

  return history != NULL ? last_label (history->done) : NULL;
}

const char *
kg_graph_get_redo_label (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_document (graph)->history;

  return history != NULL ? last_label (history->undone) : NULL;
}

void
kg_graph_clear_history (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = kg_graph_get_document (root)->history;

  if (history == NULL)
    return;
  g_ptr_array_set_size (history->undone, 0);
  g_ptr_array_set_size (history->done, 0);
  history_changed (root);
}

void
kg_graph_set_recording (KgGraph *graph, bool recording)
{
  KgHistory *history = kg_graph_get_document (graph)->history;

  if (history != NULL)
    history->paused = !recording;
}
