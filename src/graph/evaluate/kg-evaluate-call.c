/* kg-evaluate-call: the callbacks of nodes, each on a job that is filled from the samples of its inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

/* Jobs and contexts. */

static KgResult *
lookup_memo (gpointer cache, KgHash key)
{
  return kg_cache_lookup ((KgCache *) cache, key);
}

static void
insert_memo (gpointer cache, KgHash key, KgResult *result)
{
  kg_cache_insert ((KgCache *) cache, key, result);
}

static KgHash
get_constant (gpointer data, guint slot)
{
  KgNode *node = (KgNode *) data;

  return kg_job_starts_with (node, slot) ? node->inputs[slot].ready_fingerprint : (KgHash){ 0, 0 };
}

static guint
get_n_items (gpointer data, guint slot)
{
  const KgSource *source = &((const KgNode *) data)->inputs[slot].source;

  return source->kind == KG_SOURCE_LIST ? source->list.n : 0;
}

static const KgJobHost host = { lookup_memo, insert_memo, get_constant, get_n_items };

/* Whether the outputs are handed over to one input that takes images with operations pending.  What is kept is complete: only
 * renderings that keep no images of single frames go over memory once for several nodes. */
static bool
may_leave_pending (const KgEvaluator *evaluator, KgNode *node)
{
  const KgUser *user = node->users.items;

  return evaluator->lean && node->users.n == 1 && kg_node_is_read_once (node) && user->reads_output &&
         user->node->type != NULL && user->node->slots[user->input].pending &&
         user->node->inputs[user->input].source.kind == KG_SOURCE_LINK && kg_node_get_mark (node, -1)->timed;
}

static void
make_context (KgEvaluator *evaluator, KgTask *task, double time, KgContext *ctx, KgContextPrivate *private_data)
{
  kg_context_private_init (private_data);
  private_data->host = &host;
  private_data->node = task->node;
  private_data->name = task->node->name;
  private_data->slots = task->node->slots;
  private_data->n_slots = task->node->n_slots;
  private_data->type_hash = task->node->type_hash;
  private_data->type = task->node->type;
  private_data->cache = evaluator->cache;
  private_data->cancellable = evaluator->cancellable;
  private_data->progress = evaluator->progress;
  private_data->progress_data = evaluator->progress_data;
  private_data->samples = task->samples;
  private_data->parts = task->parts;
  private_data->may_leave_pending = may_leave_pending (evaluator, task->node);
  private_data->proxy = evaluator->proxy;
  *ctx = (KgContext){ .time = time,
                      .frame = kg_evaluator_to_frame (evaluator, time),
                      .rate = evaluator->frames.rate,
                      .start = evaluator->frames.start,
                      .end = task->node->type->reads_end ? evaluator->frames.end : NAN,
                      .folder = kg_graph_get_folder (evaluator->graph),
                      .permitted = kg_graph_get_permitted (evaluator->graph),
                      .private_data = private_data };
}

/* READY_SAMPLES: those whose values are there, and are lent. */
typedef enum { ALL_SAMPLES, EARLY_SAMPLES, READY_SAMPLES } Samples;

/* Fills the inputs of the job from the samples (only the first of an input goes into the field) and adds up
 * their hashes in sum, which are those of the inputs as they were before numbers in pixels are scaled for a proxy. */
static bool
fill_job (const KgEvaluator *evaluator, KgTask *task, void *job, const KgContext *ctx, KgHash *sum, Samples which,
          GError **error)
{
  KgHash hash = { 0, 0 };
  int last = -1;

  for (guint i = 0; i < task->samples->len; i++) {
    KgSample *sample = &g_array_index (task->samples, KgSample, i);
    const KgSlot *slot = &task->node->slots[sample->slot];

    if ((which == EARLY_SAMPLES && !slot->early) ||
        (which == READY_SAMPLES && (!sample->done || (slot->owned && slot->kind >= KG_MOTION))))
      continue;
    if ((int) sample->slot == last) {
      if (!kg_job_convert (slot, sample, &hash, error))
        return false;
      continue;
    }
    if (last >= 0)
      *sum = kg_hash_add (*sum, hash);
    last = (int) sample->slot;
    hash = kg_job_hash_slot (sample->slot);
    if (!kg_job_fill (job, slot, sample, ctx, &hash, error))
      return false;
    /* The same name is a different input after the file has changed. */
    if (slot->path && slot->kind == KG_TEXT && sample->present)
      hash = kg_node_hash_file (task->node, G_STRUCT_MEMBER (const char *, job, slot->offset), hash);
  }
  if (last >= 0)
    *sum = kg_hash_add (*sum, hash);
  if (evaluator->proxy < 1)
    kg_job_scale_pixels (job, task->node->type, KG_SLOT_INPUT, evaluator->proxy);
  return true;
}

/* Memory for the struct of a node of this type. */
static void *
get_job (KgEvaluator *evaluator, const KgNodeType *type)
{
  if (evaluator->job_size < type->size) {
    g_free (evaluator->job);
    evaluator->job = g_malloc (type->size);
    evaluator->job_size = type->size;
  }
  return evaluator->job;
}

bool
kg_node_is_read_once (const KgNode *node)
{
  const KgNode *user;

  if (node->users.n > 1)
    return false;
  user = node->users.n > 0 ? node->users.items[0].node : NULL;
  return user == NULL || (user->inside == NULL && !user->bypass && kg_node_get_role (user) != KG_ROLE_INTERFACE_OUTPUT);
}

KgResult *
kg_evaluator_fail (KgEvaluator *evaluator, KgNode *node, GError *error)
{
  g_autofree char *path = kg_node_dup_path (node);
  KgResult *result;

  if (error == NULL || g_cancellable_is_cancelled (evaluator->cancellable)) {
    g_clear_error (&error);
    error = g_cancellable_is_cancelled (evaluator->cancellable)
                ? kg_error_new (KG_ERROR_CANCELLED, "cancelled")
                : kg_error_new (KG_ERROR_INVALID_VALUE, "it failed without an error message");
  }
  g_prefix_error (&error, "%s: ", path);
  result = kg_result_new_error (error);
  g_error_free (error);
  return result;
}

/* Calls. */

/* For outputs or for states. States have an entry for each slot, as their files do; outputs are few and come last, so the
 * inputs before them need no entry. */
static KgResult *
new_result (const KgNodeType *type, KgSlotRole role)
{
  guint first = 0;
  KgResult *result;

  while (role == KG_SLOT_OUTPUT && first < type->n_slots && type->slots[first].role == KG_SLOT_INPUT)
    first++;
  result = kg_result_new (type->n_slots - first);
  result->first = first;
  return result;
}

/* A call of a node, as kg_memory_guard wants it. */
typedef struct {
  const KgNodeType *type;
  void *job;
  const KgContext *ctx;
  double dt;
  KgCall call;
} Step;

static bool
run_step (gpointer data, GError **error)
{
  const Step *step = (const Step *) data;

  switch (step->call) {
  case KG_CALL_START:
    return step->type->start (step->job, step->ctx, error);
  case KG_CALL_ADVANCE:
    return step->type->advance (step->job, step->ctx, step->dt, error);
  default:
    return step->type->evaluate (step->job, step->ctx, error);
  }
}

static KgHash
hash_part (KgHash hash, const KgImagePart *part)
{
  const int numbers[] = { part->width, part->height, part->x, part->y, part->part_width, part->part_height };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    hash = kg_hash_uint (hash, (guint64) numbers[i]);
  return hash;
}

void
kg_result_add_warning (KgResult *result, const char *warning)
{
  if (result->warnings == NULL)
    result->warnings = g_ptr_array_new_with_free_func (g_free);
  if (!g_ptr_array_find_with_equal_func (result->warnings, warning, g_str_equal, NULL))
    g_ptr_array_add (result->warnings, g_strdup (warning));
}

void
kg_result_inherit_warnings (KgResult *result, const KgResult *from)
{
  for (guint i = 0; from->warnings != NULL && i < from->warnings->len; i++)
    kg_result_add_warning (result, (const char *) g_ptr_array_index (from->warnings, i));
}

void
kg_task_inherit_input_warnings (const KgTask *task, KgResult *result)
{
  for (guint i = 0; i < task->needs->len; i++) {
    const KgNeed *need = &g_array_index (task->needs, KgNeed, i);

    if (need->slot >= 0 && need->result != NULL)
      kg_result_inherit_warnings (result, need->result);
  }
}

/* Limited values are those of a result without a warning, which is another one. */
static KgHash
hash_input_warnings (KgHash hash, const KgTask *task)
{
  for (guint i = 0; i < task->needs->len; i++) {
    const KgNeed *need = &g_array_index (task->needs, KgNeed, i);

    for (guint k = 0;
         need->slot >= 0 && need->result != NULL && need->result->warnings != NULL && k < need->result->warnings->len;
         k++)
      hash = kg_hash_text (hash, (const char *) g_ptr_array_index (need->result->warnings, k));
  }
  return hash;
}

KgResult *
kg_task_call (KgEvaluator *evaluator, KgTask *task, KgCall call, double time, double dt, KgResult *state)
{
  const KgNodeType *type = task->node->type;
  KgRecord *record = task->record;
  void *job = get_job (evaluator, type);
  g_autoptr (KgResult) result = NULL;
  KgHash hash = kg_hash_uint (kg_hash_join (task->node->type_hash, evaluator->environment), call), inputs;
  KgContextPrivate private_data;
  GError *error = NULL;
  KgContext ctx;
  gint64 start_time;
  bool good;

  make_context (evaluator, task, time, &ctx, &private_data);
  inputs = kg_job_begin (job, task->node, &ctx);
  /* Nodes with a demand callback have samples of all their inputs. */
  if (type->demand != NULL)
    inputs = (KgHash){ 0, 0 };
  if (type->reads_end)
    hash = kg_hash_double (hash, evaluator->frames.end);
  for (guint i = 0; task->parts != NULL && i <= task->node->n_slots; i++)
    hash = hash_part (hash, &task->parts[i]);
  if (type->time == KG_TIME_READS || type->advance != NULL)
    hash = kg_hash_double (hash, time);
  if (type->advance != NULL)
    hash = kg_evaluator_mark_ongoing (evaluator, kg_hash_join (hash, kg_node_get_mark (task->node, -1)->hash));
  good = kg_task_evaluate_samples (evaluator, task, &error) &&
         fill_job (evaluator, task, job, &ctx, &inputs, ALL_SAMPLES, &error);
  hash = hash_input_warnings (kg_hash_join (hash, inputs), task);
  if (good && call == KG_CALL_EVALUATE && type->advance == NULL) {
    KgResult *known = kg_cache_lookup (evaluator->cache, hash);

    if (known != NULL) {
      record->stats.hits++;
      kg_job_clear_inputs (job, type);
      kg_context_private_clear (&private_data);
      return known;
    }
  }
  if (good && state != NULL) {
    kg_job_set_state (job, type, state);
    if (call == KG_CALL_ADVANCE)
      kg_result_unref (state);
  }
  if (good) {
    Step step = { type, job, &ctx, dt, call };

    start_time = g_get_monotonic_time ();
    good = kg_memory_guard (run_step, &step, &error);
    record->stats.evaluations++;
    record->stats.seconds += (double) (g_get_monotonic_time () - start_time) * 1e-6;
  } else if (call == KG_CALL_ADVANCE)
    kg_result_unref (state);
  good = good && !g_cancellable_is_cancelled (evaluator->cancellable);
  if (good && evaluator->proxy < 1 && call == KG_CALL_EVALUATE)
    kg_job_scale_pixels (job, type, KG_SLOT_OUTPUT, evaluator->proxy);
  result = new_result (type, call == KG_CALL_EVALUATE ? KG_SLOT_OUTPUT : KG_SLOT_STATE);
  good = kg_job_take (job, type, call == KG_CALL_EVALUATE ? KG_SLOT_OUTPUT : KG_SLOT_STATE, result, hash,
                      good ? &error : NULL) &&
         good;
  if (good && g_cancellable_is_cancelled (evaluator->cancellable))
    good = false;
  kg_job_clear_inputs (job, type);
  if (!good) {
    kg_result_unref (g_steal_pointer (&result));
    result = kg_evaluator_fail (evaluator, task->node, error);
  }
  kg_result_measure (result);
  record->stats.bytes = 0;
  for (guint i = 0; i < result->n; i++)
    record->stats.bytes += result->present[i] ? kg_value_get_bytes (&result->values[i]) : 0;
  result->warnings = g_steal_pointer (&private_data.warnings);
  kg_task_inherit_input_warnings (task, result);
  task->refused = private_data.refused;
  kg_context_private_clear (&private_data);
  if (call == KG_CALL_EVALUATE && result->error == NULL && type->advance == NULL &&
      !(evaluator->lean && kg_node_is_read_once (task->node)))
    task->values = hash;
  return g_steal_pointer (&result);
}

/* (nullable) The job filled with what is there and lent, to ask the node about it; NULL if it cannot be filled.  What is wrong
 * with an input the call of the node itself reports.  private_data is to be cleared in any case. */
static const void *
fill_ready (KgEvaluator *evaluator, KgTask *task, KgContext *ctx, KgContextPrivate *private_data)
{
  void *job = get_job (evaluator, task->node->type);
  KgHash hash = { 0, 0 };

  make_context (evaluator, task, task->time, ctx, private_data);
  kg_job_begin (job, task->node, ctx);
  return kg_task_evaluate_ready_samples (evaluator, task) &&
                 fill_job (evaluator, task, job, ctx, &hash, READY_SAMPLES, NULL)
             ? job
             : NULL;
}

double
kg_task_get_reach (KgEvaluator *evaluator, KgTask *task)
{
  KgContextPrivate private_data;
  KgContext ctx;
  const void *job = fill_ready (evaluator, task, &ctx, &private_data);
  const double reach = job != NULL ? task->node->type->reach (job) : -1;

  kg_context_private_clear (&private_data);
  return reach;
}

bool
kg_task_get_region (KgEvaluator *evaluator, KgTask *task, size_t field, KgImagePart *needed)
{
  KgContextPrivate private_data;
  KgContext ctx;
  const void *job = fill_ready (evaluator, task, &ctx, &private_data);
  const bool is_part = job != NULL && task->node->type->region (job, &ctx, field, needed);

  kg_context_private_clear (&private_data);
  return is_part;
}

bool
kg_task_get_size (KgEvaluator *evaluator, KgTask *task, int *width, int *height)
{
  KgContextPrivate private_data;
  KgContext ctx;
  const void *job = fill_ready (evaluator, task, &ctx, &private_data);

  *width = *height = 0;
  if (job != NULL)
    task->node->type->find_size (job, &ctx, width, height);
  kg_context_private_clear (&private_data);
  return *width > 0 && *height > 0;
}

bool
kg_task_find_demand (KgEvaluator *evaluator, KgTask *task, KgResult **failed)
{
  const KgNodeType *type = task->node->type;
  void *job = get_job (evaluator, type);
  g_autofree guint8 *asked = g_new0 (guint8, MAX (task->node->n_slots, 1));
  g_autoptr (GArray) wishes = g_array_new (FALSE, FALSE, sizeof (KgSample));
  KgDemand demand = { .host = &host,
                      .node = task->node,
                      .slots = task->node->slots,
                      .n_slots = task->node->n_slots,
                      .time = task->time,
                      .samples = wishes,
                      .asked = asked };
  KgContextPrivate private_data;
  KgHash hash = { 0, 0 };
  GError *error = NULL;
  KgContext ctx;
  bool good;

  make_context (evaluator, task, task->time, &ctx, &private_data);
  kg_job_begin (job, task->node, &ctx);
  good = kg_task_evaluate_samples (evaluator, task, &error) &&
         fill_job (evaluator, task, job, &ctx, &hash, EARLY_SAMPLES, &error);
  good = good && type->demand (job, &ctx, &demand, &error);
  kg_context_private_clear (&private_data);
  if (!good) {
    for (guint i = 0; i < wishes->len; i++)
      g_clear_pointer (&g_array_index (wishes, KgSample, i).wanted, g_array_unref);
    *failed = kg_evaluator_fail (evaluator, task->node, error);
    return false;
  }
  /* In the order of the slots, so that equal graphs have equal fingerprints. */
  for (guint s = 0; s < task->node->n_slots; s++) {
    const KgSlot *slot = &task->node->slots[s];

    if (slot->role != KG_SLOT_INPUT || slot->early || asked[s] == 2)
      continue;
    if (asked[s] == 0)
      kg_task_add_sample (task, s, task->time);
    for (guint i = 0; i < wishes->len; i++) {
      KgSample sample = g_array_index (wishes, KgSample, i);

      if (sample.slot == s) {
        kg_task_add_sample_needs (task, &sample);
        g_array_append_val (task->samples, sample);
      }
    }
  }
  return true;
}
