/* kg-evaluate: pull with an explicit stack.
 *
 * A task on the stack makes one result: the outputs of a node at a time, or the value of one input.  It lists what it
 * needs (its wires, at the times its demand callback asks for), a task above it makes one need after the other, and
 * then it computes.  Two fingerprints avoid work.  The first, known beforehand, is that of the settings upstream and
 * the time.  The second, known once the inputs are there, is that of the values: a node whose inputs turn out the same
 * does not run again, and nor do the nodes below it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

#include <glib/gi18n-lib.h>

/* The most that one evaluation may hold beyond the budget of the cache, in bytes: see hold. */
#define MAX_HELD ((guint64) 64 << 20)

/* Tasks that are kept for the next evaluation. */
#define SPARE_TASKS 256

/* The evaluator. */

static void
task_destroy (KgTask *task)
{
  g_array_unref (task->needs);
  g_array_unref (task->samples);
  g_free (task);
}

KgEvaluator *
kg_evaluator_new (KgGraph *graph, KgCache *cache)
{
  KgEvaluator *evaluator = g_new0 (KgEvaluator, 1);

  evaluator->graph = (KgGraph *) g_object_ref (graph);
  evaluator->cache = cache != NULL ? kg_cache_ref (cache) : kg_cache_new (KG_CACHE_DEFAULT_BUDGET);
  evaluator->records = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) kg_node_unref, kg_record_free);
  evaluator->proxy = 1;
  evaluator->held =
      g_hash_table_new_full (kg_hash_table_hash, kg_hash_table_equal, g_free, (GDestroyNotify) kg_result_unref);
  return evaluator;
}

void
kg_evaluator_free (KgEvaluator *evaluator)
{
  for (KgTask *task = evaluator->spare; task != NULL;) {
    KgTask *below = task->below;

    task_destroy (task);
    task = below;
  }
  g_hash_table_unref (evaluator->held);
  g_free (evaluator->job);
  g_hash_table_unref (evaluator->records);
  g_object_unref (evaluator->graph);
  kg_cache_unref (evaluator->cache);
  g_free (evaluator);
}

KgGraph *
kg_evaluator_get_graph (KgEvaluator *evaluator)
{
  return evaluator->graph;
}

KgCache *
kg_evaluator_get_cache (KgEvaluator *evaluator)
{
  return evaluator->cache;
}

void
kg_evaluator_set_progress (KgEvaluator *evaluator, KgProgress progress, gpointer data)
{
  evaluator->progress = progress;
  evaluator->progress_data = data;
}

void
kg_evaluator_count_steps (KgEvaluator *evaluator, gint *n_steps)
{
  evaluator->n_steps = n_steps;
}

void
kg_evaluator_set_lean (KgEvaluator *evaluator, bool lean)
{
  evaluator->lean = lean;
}

void
kg_evaluator_set_proxy (KgEvaluator *evaluator, double share)
{
  evaluator->proxy = share;
}

double
kg_evaluator_get_proxy (const KgEvaluator *evaluator)
{
  return evaluator->proxy;
}

void
kg_evaluator_read_environment (KgEvaluator *evaluator)
{
  const char *const *permitted = kg_graph_get_permitted (evaluator->graph);
  KgHash hash = kg_hash_begin (KG_HASH_ENVIRONMENT, 0);

  evaluator->frames = kg_graph_get_frames (evaluator->graph);
  hash = kg_hash_double (hash, evaluator->frames.start);
  hash = kg_hash_double (hash, evaluator->frames.rate);
  hash = kg_hash_text (hash, kg_graph_get_folder (evaluator->graph));
  /* What was refused is read when it is permitted. */
  for (guint i = 0; permitted != NULL && permitted[i] != NULL; i++)
    hash = kg_hash_text (hash, permitted[i]);
  evaluator->environment = evaluator->proxy < 1 ? kg_hash_double (hash, evaluator->proxy) : hash;
}

/* Tasks. */

KgTask *
kg_task_new (KgEvaluator *evaluator, const KgNeed *need, KgHash key)
{
  KgTask *task = evaluator->spare;

  if (task != NULL) {
    evaluator->spare = task->below;
    evaluator->n_spare--;
    *task = (KgTask){ .needs = task->needs, .samples = task->samples };
  } else {
    task = g_new0 (KgTask, 1);
    task->needs = g_array_sized_new (FALSE, FALSE, sizeof (KgNeed), KG_TASK_FEW);
    task->samples = g_array_sized_new (FALSE, FALSE, sizeof (KgSample), KG_TASK_FEW);
  }
  task->node = need->node;
  task->record = kg_evaluator_get_record (evaluator, need->node);
  task->slot = need->slot;
  task->time = need->time;
  task->key = key;
  return task;
}

void
kg_task_reset (KgTask *task)
{
  for (guint i = 0; i < task->needs->len; i++)
    g_clear_pointer (&g_array_index (task->needs, KgNeed, i).result, kg_result_unref);
  for (guint i = 0; i < task->samples->len; i++) {
    KgSample *sample = &g_array_index (task->samples, KgSample, i);

    if (!sample->ready)
      kg_value_clear (&sample->value);
    for (guint k = 0; k < sample->n_items; k++)
      kg_value_clear (&sample->items[k]);
    g_free (sample->items);
    g_clear_pointer (&sample->wanted, g_array_unref);
  }
  task->needs->len = 0;
  task->samples->len = 0;
  task->next_need = 0;
}

void
kg_task_free (KgEvaluator *evaluator, KgTask *task)
{
  kg_task_reset (task);
  if (task->claimed)
    kg_cache_release (evaluator->cache, kg_simulation_get_key (evaluator, task->node));
  g_clear_pointer (&task->state, kg_result_unref);
  g_clear_pointer (&task->parts, g_free);
  if (evaluator->n_spare == SPARE_TASKS) {
    task_destroy (task);
    return;
  }
  task->below = evaluator->spare;
  evaluator->spare = task;
  evaluator->n_spare++;
}

/* Results. */

KgHash
kg_evaluator_get_result_key (KgEvaluator *evaluator, KgNode *node, int slot, double time)
{
  const KgMark *mark = kg_node_get_mark (node, slot);
  KgHash key = kg_hash_join (kg_hash_join (kg_hash_begin (KG_HASH_RESULT, 0), evaluator->environment), mark->hash);

  /* The value of an input depends on its declaration, too. */
  if (slot >= 0)
    key = kg_hash_uint (kg_hash_uint (kg_hash_join (key, node->type_hash), node->slots[slot].kind), (uint64_t) slot);
  /* Errors name the input, and those of sub-graphs are renamed. */
  if (slot >= 0 && node->inside != NULL)
    key = kg_hash_text (key, node->slots[slot].name);
  if (mark->simulated)
    key = kg_evaluator_mark_ongoing (evaluator, key);
  return mark->timed ? kg_hash_double (key, time) : key;
}

/* Results that are read again within one evaluation are held until it ends, however small the budget of the cache: with
 * none, a ladder of nodes that each read two others would be evaluated again on every path through it. */
static void
hold (KgEvaluator *evaluator, KgHash key, KgResult *result, guint64 bytes)
{
  if (evaluator->held_bytes + bytes > MAX_HELD)
    return;
  evaluator->held_bytes += bytes + sizeof *result;
  g_hash_table_insert (evaluator->held, g_memdup2 (&key, sizeof key), kg_result_ref (result));
}

void
kg_evaluator_release_held (KgEvaluator *evaluator)
{
  g_hash_table_remove_all (evaluator->held);
  evaluator->held_bytes = 0;
}

/* Nodes with the same settings share one result, but an error begins with the name of its node: see
 * kg_evaluator_fail (). */
static bool
is_error_of (const KgResult *result, KgNode *node)
{
  g_autofree char *path = kg_node_dup_path (node);
  const gsize length = strlen (path);

  return strncmp (result->error->message, path, length) == 0 &&
         g_str_has_prefix (result->error->message + length, ": ");
}

static KgResult *
look_up (KgEvaluator *evaluator, KgNode *node, KgHash key)
{
  KgResult *result = kg_cache_lookup (evaluator->cache, key);

  if (result == NULL && g_hash_table_size (evaluator->held) > 0) {
    result = (KgResult *) g_hash_table_lookup (evaluator->held, &key);
    if (result != NULL)
      kg_result_ref (result);
  }
  if (result != NULL && result->error != NULL && !is_error_of (result, node))
    g_clear_pointer (&result, kg_result_unref);
  return result;
}

/* True (and the result) when a request can be answered at once; otherwise the key of its result. */
static bool
answer (KgEvaluator *evaluator, const KgNeed *need, KgResult **result, KgHash *key)
{
  if (need->node->type == NULL) {
    *result = kg_evaluator_fail (evaluator, need->node, kg_node_new_unknown_error (need->node));
    return true;
  }
  if (need->slot >= 0) {
    *key = kg_evaluator_get_result_key (evaluator, need->node, need->slot, need->time);
    *result = look_up (evaluator, need->node, *key);
    return *result != NULL;
  }
  if (need->node->inside != NULL || need->node->type->role == KG_ROLE_ANNOTATION || need->node->bypass) {
    *result = kg_evaluator_fail (evaluator, need->node,
                                 kg_error_new (KG_ERROR_NOT_CONNECTED,
                                               need->node->bypass
                                                   ? N_ ("it is bypassed, and no input can replace the output %s")
                                                   : N_ ("nothing inside provides the output %s"),
                                               need->node->slots[need->output].name));
    return true;
  }
  *key = kg_evaluator_get_result_key (evaluator, need->node, -1, need->time);
  *result = look_up (evaluator, need->node, *key);
  if (*result != NULL) {
    KgRecord *record = kg_evaluator_get_record (evaluator, need->node);

    record->stats.hits++;
    /* Another evaluator may have put it there, or the node may show the result of an edit that was undone since. */
    kg_record_set_result (record, *result);
  }
  return *result != NULL;
}

/* Errors are kept like results, except those that may not occur again. */
static bool
can_cache (const KgEvaluator *evaluator, const KgTask *task, const KgResult *result)
{
  if (result->error != NULL)
    return !g_error_matches (result->error, KG_ERROR, KG_ERROR_CANCELLED) &&
           !g_error_matches (result->error, KG_ERROR, KG_ERROR_IO);
  /* For inputs only small values: large ones are kept where they were made. */
  if (task->slot >= 0)
    return result->present[0] && result->values[0].kind < KG_MOTION;
  return !(evaluator->lean && kg_node_is_read_once (task->node) && kg_node_get_mark (task->node, -1)->timed);
}

static double
limit_number (const KgNode *node, const KgSlot *slot, double x, KgResult *result)
{
  const double limited = kg_slot_limit (slot, x);

  if (limited != x) {
    g_autoptr (GError) text = kg_error_new (KG_ERROR_INVALID_VALUE, N_ ("%s.%s: %g is outside %g to %g: %g is used"),
                                            kg_node_get_name (node), slot->name, x, slot->min, slot->max, limited);

    kg_result_add_warning (result, text->message);
  }
  return limited;
}

/* What a preset does not accept is limited as at any node, see kg-job.  The warning is shown by the nodes inside, or beside, that
 * read it, and so names the instance. */
static void
limit_input (const KgNode *node, const KgSlot *slot, KgResult *result)
{
  KgValue *value = &result->values[0];

  if (value->kind == KG_NUMBER)
    value->number = limit_number (node, slot, value->number, result);
  else if (value->kind == KG_INTEGER)
    value->integer = (int64_t) limit_number (node, slot, (double) value->integer, result);
  else if (value->kind == KG_VECTOR)
    value->vector = kg_vector (limit_number (node, slot, value->vector.x, result),
                               limit_number (node, slot, value->vector.y, result),
                               limit_number (node, slot, value->vector.z, result));
}

static KgResult *
finish_input (KgEvaluator *evaluator, KgTask *task)
{
  KgSample *sample = &g_array_index (task->samples, KgSample, 0);
  const KgSlot *slot = &task->node->slots[task->slot];
  GError *error = NULL;
  KgResult *result;

  if (!kg_task_evaluate_samples (evaluator, task, &error))
    return kg_evaluator_fail (evaluator, task->node, error);
  if (slot->list) {
    result = kg_result_new (1);
    if (sample->n_items > 0) {
      result->values[0] = kg_value_copy (&sample->items[0]);
      result->present[0] = true;
    }
    return result;
  }
  result = kg_result_new (1);
  result->present[0] = sample->present;
  if (sample->present) {
    result->values[0] = kg_value_copy (&sample->value);
    if (!kg_slot_convert (slot, &result->values[0], &error)) {
      kg_result_unref (result);
      return kg_evaluator_fail (evaluator, task->node, error);
    }
    if (kg_input_is_limited (task->node, slot))
      limit_input (task->node, slot, result);
    kg_task_inherit_input_warnings (task, result);
  }
  return result;
}

/* The stack. */

/* Advances the task as far as possible.  Returns its result, or NULL when it has (more) needs. */
static KgResult *
advance_task (KgEvaluator *evaluator, KgTask *task)
{
  KgResult *result = NULL;

  switch (task->phase) {
  case KG_PHASE_BEGIN:
    if (task->slot >= 0) {
      kg_task_add_sample (task, (guint) task->slot, task->time);
      task->phase = KG_PHASE_ALL;
    } else if (task->node->type->advance != NULL) {
      if (!kg_simulation_begin (evaluator, task, &result))
        return result;
    } else {
      const bool asks = task->node->type->demand != NULL;

      kg_task_add_input_samples (task, task->time, asks);
      task->phase = asks ? KG_PHASE_EARLY : KG_PHASE_ALL;
    }
    return NULL;
  case KG_PHASE_EARLY:
    if (!kg_task_find_demand (evaluator, task, &result))
      return result;
    task->phase = KG_PHASE_ALL;
    return NULL;
  case KG_PHASE_SIMULATE:
    result = kg_simulation_step (evaluator, task);
    break;
  case KG_PHASE_ALL:
  default:
    result = task->slot >= 0 ? finish_input (evaluator, task)
                             : kg_task_call (evaluator, task, KG_CALL_EVALUATE, task->time, 0, NULL);
    break;
  }
  if (result != NULL && task->slot < 0)
    kg_record_set_result (task->record, result);
  if (result != NULL && can_cache (evaluator, task, result)) {
    if (kg_hash_is_zero (task->values))
      kg_cache_insert (evaluator->cache, task->key, result);
    else
      kg_cache_insert_twice (evaluator->cache, task->key, task->values, result);
    if (task->slot >= 0 || !kg_node_is_read_once (task->node))
      hold (evaluator, task->key, result, task->slot < 0 ? task->record->stats.bytes : 0);
  }
  return result;
}

static void
push_task (KgEvaluator *evaluator, KgTask *task)
{
  task->below = evaluator->stack;
  evaluator->stack = task;
}

/* Resolves the needs of the task in turn: answers each at once, or pushes a task for it.  A need that failed makes the
 * task fail with the same error.  True when all have results. */
static bool
resolve_needs (KgEvaluator *evaluator, KgTask *task, KgResult **failed)
{
  while (task->next_need < task->needs->len) {
    KgNeed *need = &g_array_index (task->needs, KgNeed, task->next_need);
    KgHash key;

    if (need->node != NULL && need->result == NULL && !answer (evaluator, need, &need->result, &key)) {
      push_task (evaluator, kg_task_new (evaluator, need, key));
      return false;
    }
    if (need->result != NULL && need->result->error != NULL) {
      *failed = kg_result_new_error (need->result->error);
      return false;
    }
    task->next_need++;
  }
  return true;
}

KgResult *
kg_evaluator_run (KgEvaluator *evaluator, KgNeed *request)
{
  KgResult *answered = NULL;
  KgHash key;

  kg_need_forward (request);
  if (answer (evaluator, request, &answered, &key))
    return answered;
  push_task (evaluator, kg_task_new (evaluator, request, key));
  for (;;) {
    KgTask *task = evaluator->stack;
    KgResult *result = NULL;

    if (g_cancellable_is_cancelled (evaluator->cancellable))
      result = kg_evaluator_fail (evaluator, task->node, NULL);
    else if (resolve_needs (evaluator, task, &result))
      result = advance_task (evaluator, task);
    else if (result != NULL && task->slot < 0)
      kg_record_set_result (task->record, result);
    if (result == NULL || evaluator->stack != task)
      continue;
    evaluator->stack = task->below;
    kg_task_free (evaluator, task);
    task = evaluator->stack;
    if (task == NULL)
      return result;
    g_array_index (task->needs, KgNeed, task->next_need).result = result;
  }
}

static bool
is_cancelled (gpointer cancellable)
{
  return g_cancellable_is_cancelled ((GCancellable *) cancellable);
}

/* The value that was requested, whose reader may take more than it does. */
static bool
complete (const KgValue *value, GCancellable *cancellable)
{
  const KgProgressMonitor monitor = { .is_cancelled = is_cancelled, .data = cancellable };

  return kg_value_complete (value, &monitor);
}

bool
kg_evaluator_take_value (const KgNeed *request, const KgResult *result, const KgNode *node, guint slot,
                         GCancellable *cancellable, KgValue *value, GError **error)
{
  const guint index = kg_need_get_index (request, result);

  if (result->error != NULL) {
    g_propagate_error (error, g_error_copy (result->error));
    return false;
  }
  if (index >= result->n || !result->present[index]) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "%s: %s has no value: link something to it", node->name,
                  node->slots[slot].name);
    return false;
  }
  if (!complete (&result->values[index], cancellable)) {
    kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
    return false;
  }
  *value = kg_value_copy (&result->values[index]);
  return true;
}

bool
kg_evaluator_evaluate (KgEvaluator *evaluator, KgNode *node, guint slot, double time, GCancellable *cancellable,
                       KgValue *value, GError **error)
{
  KgNeed request = { node, -1, slot, time, NULL };
  g_autoptr (KgResult) result = NULL;
  guint value_slot;
  KgNode *inner;

  g_return_val_if_fail (slot < node->n_slots || node->type == NULL, false);
  g_return_val_if_fail (evaluator->stack == NULL, false);
  if (node->type != NULL && node->slots[slot].role == KG_SLOT_INPUT)
    request.slot = (int) slot;
  inner = request.slot >= 0 ? kg_node_get_moving_default (node, slot, &value_slot) : NULL;
  if (inner != NULL) {
    request.node = inner;
    request.slot = (int) value_slot;
  }
  evaluator->cancellable = cancellable;
  kg_evaluator_read_environment (evaluator);
  result = kg_evaluator_run (evaluator, &request);
  kg_evaluator_release_held (evaluator);
  evaluator->cancellable = NULL;
  return kg_evaluator_take_value (&request, result, node, slot, cancellable, value, error);
}
