/* kg-evaluate-report: what an evaluator knows about nodes: statistics, errors, warnings, and which frames are ready.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

/* Records. */

void
kg_record_free (gpointer data)
{
  KgRecord *record = (KgRecord *) data;

  g_clear_error (&record->error);
  g_clear_pointer (&record->warnings, g_ptr_array_unref);
  g_clear_pointer (&record->latest.state, kg_result_unref);
  g_free (record);
}

KgRecord *
kg_evaluator_get_record (KgEvaluator *evaluator, KgNode *node)
{
  KgRecord *record = (KgRecord *) g_hash_table_lookup (evaluator->records, node);

  if (record == NULL) {
    record = g_new0 (KgRecord, 1);
    g_hash_table_insert (evaluator->records, kg_node_ref (node), record);
  }
  return record;
}

void
kg_record_set_result (KgRecord *record, const KgResult *result)
{
  g_clear_error (&record->error);
  g_clear_pointer (&record->warnings, g_ptr_array_unref);
  if (result->error != NULL)
    record->error = g_error_copy (result->error);
  if (result->warnings != NULL)
    record->warnings = g_ptr_array_ref (result->warnings);
}

/* Statistics. */

void
kg_evaluator_get_stats (KgEvaluator *evaluator, KgNode *node, KgNodeStats *stats)
{
  const KgRecord *record = (const KgRecord *) g_hash_table_lookup (evaluator->records, node);

  *stats = record != NULL ? record->stats : (KgNodeStats){ 0 };
}

void
kg_evaluator_reset_stats (KgEvaluator *evaluator)
{
  GHashTableIter iter;
  gpointer record;

  g_hash_table_iter_init (&iter, evaluator->records);
  while (g_hash_table_iter_next (&iter, NULL, &record))
    ((KgRecord *) record)->stats = (KgNodeStats){ 0 };
}

guint64
kg_evaluator_get_n_evaluations (KgEvaluator *evaluator)
{
  GHashTableIter iter;
  gpointer record;
  guint64 n = 0;

  g_hash_table_iter_init (&iter, evaluator->records);
  while (g_hash_table_iter_next (&iter, NULL, &record))
    n += ((KgRecord *) record)->stats.evaluations;
  return n;
}

/* Problems. */

GError *
kg_evaluator_dup_error (KgEvaluator *evaluator, KgNode *node)
{
  const KgRecord *record = (const KgRecord *) g_hash_table_lookup (evaluator->records, node);

  return record != NULL && record->error != NULL ? g_error_copy (record->error) : NULL;
}

char **
kg_evaluator_dup_warnings (KgEvaluator *evaluator, KgNode *node)
{
  const KgRecord *record = (const KgRecord *) g_hash_table_lookup (evaluator->records, node);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; record != NULL && record->warnings != NULL && i < record->warnings->len; i++)
    g_strv_builder_add (builder, (const char *) g_ptr_array_index (record->warnings, i));
  return g_strv_builder_end (builder);
}

/* Readiness. */

guint
kg_evaluator_find_ready (KgEvaluator *evaluator, KgNode *node, guint output, double first, guint n, bool *ready)
{
  g_autoptr (GPtrArray) simulations = kg_simulation_list_upstream (node);
  g_autofree KgHash *keys = g_new (KgHash, simulations->len + 1);

  kg_evaluator_read_environment (evaluator);
  for (guint k = 0; k < simulations->len; k++)
    keys[k] = kg_simulation_get_key (evaluator, (KgNode *) g_ptr_array_index (simulations, k));
  for (guint i = 0; i < n; i++) {
    KgNeed need = { node, -1, output, kg_graph_frame_to_time (evaluator->graph, first + i), NULL };
    const gint64 step = (gint64) nearbyint (first + i - evaluator->frames.start);

    kg_need_forward (&need);
    ready[i] =
        need.node->type != NULL &&
        kg_cache_has (evaluator->cache, kg_evaluator_get_result_key (evaluator, need.node, need.slot, need.time));
    for (guint k = 0; !ready[i] && k < simulations->len; k++) {
      if (!kg_simulation_has_state (evaluator, keys[k], step))
        break;
      ready[i] = k + 1 == simulations->len;
    }
  }
  return simulations->len;
}
