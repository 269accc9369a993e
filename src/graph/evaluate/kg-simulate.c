/* kg-simulate: nodes whose state advances from frame to frame: steps, states in the cache, and checkpoints.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

#include "config.h"
#include "kg-regular-file.h"

/* Interval between checkpoints in frames.  Checkpoints outlive other states in the cache. */
#define CHECKPOINT_EVERY 16

/* The search for an earlier state looks at every frame up to the first distance, then at every checkpoint up to the
 * second, then only now and then: after a long jump, the search must not take as long as the simulation. */
#define LOOK_AT_ALL 64
#define LOOK_AT_CHECKPOINTS 4096

#define MAX_STEPS 1e9

/* A part of a frame that is shorter counts as none: times come from frame numbers by a division. */
#define SMALLEST_PART 1e-6

/* Keys of states. */

/* What went before a simulation that goes on, and its newest state. */
typedef struct {
  KgHash kind;    /* what a state must be of, see get_kind */
  KgHash before;  /* the key of its states up to the frame from which it goes on */
  KgLatest first; /* the state from which it goes on, with that key */
  KgLatest latest;
} Run;

struct _KgOngoing {
  uint64_t serial;  /* 0: no evaluator had it yet */
  gint64 begun;     /* the frame from which everything goes on */
  GHashTable *runs; /* char * path -> Run */
};

/* The simulation whose states these are, whatever its inputs are set to that can have keys. */
static KgHash
get_kind (KgNode *node)
{
  g_autofree char *path = kg_node_dup_path (node);
  KgHash kind = kg_hash_join (kg_hash_text (kg_hash_begin (KG_HASH_SIMULATION, 1), path), node->type_hash);

  for (guint i = 0; i < node->n_slots; i++)
    if (kg_slot_is_input (&node->slots[i]) && node->slots[i].fixed)
      kind = kg_hash_join (kind, kg_node_get_mark (node, (int) i)->hash);
  return kind;
}

KgHash
kg_simulation_get_key (KgEvaluator *evaluator, KgNode *node)
{
  const KgHash key = kg_hash_join (kg_hash_begin (KG_HASH_SIMULATION, 0), evaluator->environment);

  return evaluator->ongoing != NULL ? kg_evaluator_mark_ongoing (evaluator, kg_hash_join (key, get_kind (node)))
                                    : kg_hash_join (key, kg_node_get_mark (node, -1)->hash);
}

/* key: of the simulation */
static KgHash
state_key (KgHash key, gint64 reached)
{
  return kg_hash_uint (key, (uint64_t) reached);
}

bool
kg_simulation_has_state (KgEvaluator *evaluator, KgHash key, gint64 reached)
{
  return kg_cache_has (evaluator->cache, state_key (key, reached));
}

static KgHash
file_key (const KgTask *task, gint64 reached)
{
  return kg_hash_is_zero (task->file) ? task->file : kg_hash_uint (task->file, (uint64_t) reached);
}

/* What a simulation depends on: a walk over all nodes upstream. */

static void
visit (GHashTable *seen, GPtrArray *stack, KgNode *node)
{
  if (node != NULL && g_hash_table_add (seen, node))
    g_ptr_array_add (stack, node);
}

/* (nullable) The next node of the walk; NULL at the end. */
static KgNode *
walk (GHashTable *seen, GPtrArray *stack)
{
  KgNode *node;

  if (stack->len == 0)
    return NULL;
  node = (KgNode *) g_ptr_array_steal_index (stack, stack->len - 1);
  for (guint i = 0; i < node->n_slots; i++)
    for (guint k = 0; node->slots[i].role == KG_SLOT_INPUT && k < node->inputs[i].n_wires; k++)
      visit (seen, stack, node->inputs[i].wires[k].node);
  for (guint i = 0; node->inside != NULL && i < node->inside->nodes->len; i++)
    visit (seen, stack, (KgNode *) g_ptr_array_index (node->inside->nodes, i));
  if (node->parent != NULL)
    visit (seen, stack, node->parent->owner);
  return node;
}

GPtrArray *
kg_simulation_list_upstream (KgNode *node)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  GPtrArray *simulations = g_ptr_array_new ();
  KgNode *next;

  visit (seen, stack, node);
  while ((next = walk (seen, stack)) != NULL)
    if (next->type != NULL && next->type->advance != NULL)
      g_ptr_array_add (simulations, next);
  return simulations;
}

/* Adds the file that an input names to the hash.  False when it is not known before the evaluation which one that is. */
static bool
add_path (const KgEvaluator *evaluator, const KgNode *node, guint slot, KgHash *hash)
{
  const KgSource *source = &node->inputs[slot].source;
  const char *folder = kg_graph_get_folder (evaluator->graph), *text = node->slots[slot].def_text;
  g_autofree char *path = NULL;

  if (source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TEXT)
    text = source->constant.text;
  else if (source->kind != KG_SOURCE_DEFAULT)
    return false;
  if (text == NULL || text[0] == '\0')
    return true;
  /* It may name any number of files. */
  if (strchr (text, '%') != NULL)
    return false;
  path = kg_regular_file_dup_path (folder, text);
  *hash = kg_regular_file_hash (path, kg_hash_text (*hash, path));
  return true;
}

/* Adds all files that feed a simulation, since its states may be found again long after.  False as for one. */
static bool
add_paths (const KgEvaluator *evaluator, KgNode *target, KgHash *hash)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  KgNode *node;

  visit (seen, stack, target);
  while ((node = walk (seen, stack)) != NULL)
    for (guint i = 0; i < node->n_slots; i++)
      if (node->slots[i].role == KG_SLOT_INPUT && node->slots[i].path && !add_path (evaluator, node, i, hash))
        return false;
  return true;
}

/* The key of the states of a simulation in the folder of the cache; zero when they are not kept there. */
static KgHash
make_file_key (KgEvaluator *evaluator, KgNode *node)
{
  KgHash key = kg_hash_text (
      kg_hash_join (kg_hash_begin (KG_HASH_STATE_FILE, 0), kg_simulation_get_key (evaluator, node)), KG_VERSION);

  return evaluator->ongoing == NULL && kg_cache_has_folder (evaluator->cache) && add_paths (evaluator, node, &key)
             ? key
             : (KgHash){ 0, 0 };
}

/* States. */

/* (nullable) Where the simulation comes from, when it goes on with changed inputs. */
static Run *
get_run (const KgEvaluator *evaluator, KgNode *node)
{
  g_autofree char *path = evaluator->ongoing != NULL ? kg_node_dup_path (node) : NULL;
  Run *run = path != NULL ? (Run *) g_hash_table_lookup (evaluator->ongoing->runs, path) : NULL;

  return run != NULL && kg_hash_equal (run->kind, get_kind (node)) ? run : NULL;
}

static KgLatest *
get_latest (const KgEvaluator *evaluator, KgTask *task)
{
  Run *run = get_run (evaluator, task->node);

  return run != NULL ? &run->latest : &task->record->latest;
}

/* Takes state. */
static void
set_latest (KgEvaluator *evaluator, KgTask *task, KgResult *state)
{
  KgLatest *latest = get_latest (evaluator, task);

  g_clear_pointer (&latest->state, kg_result_unref);
  *latest = (KgLatest){ kg_simulation_get_key (evaluator, task->node), task->reached, state };
}

/* The state to go on from, if there is none of the simulation with its changed inputs yet. */
static void
find_state_before (KgEvaluator *evaluator, KgTask *task)
{
  const Run *run = get_run (evaluator, task->node);

  if (run == NULL)
    return;
  if (run->first.state != NULL && run->first.reached <= task->wanted) {
    task->state = kg_result_ref (run->first.state);
    task->reached = run->first.reached;
    return;
  }
  /* A frame before that: as it was. */
  for (gint64 at = MIN (task->wanted, evaluator->ongoing->begun); at >= 0 && task->state == NULL; at--) {
    if (task->wanted - at > LOOK_AT_ALL)
      at -= at % CHECKPOINT_EVERY;
    task->state = kg_cache_lookup (evaluator->cache, state_key (run->before, at));
    task->reached = task->state != NULL ? at : -1;
  }
}

/* Finds the newest state that is not after the wanted frame. */
static void
find_state (KgEvaluator *evaluator, KgTask *task)
{
  KgLatest *latest = get_latest (evaluator, task);
  const KgHash key = kg_simulation_get_key (evaluator, task->node);

  task->reached = -1;
  if (latest->state != NULL && kg_hash_equal (latest->key, key) && latest->reached <= task->wanted) {
    task->state = g_steal_pointer (&latest->state);
    task->reached = latest->reached;
  }
  for (gint64 at = task->wanted; at > task->reached; at--) {
    const gint64 back = task->wanted - at;
    KgResult *state;

    if (back > LOOK_AT_ALL)
      at -= at % (back > LOOK_AT_CHECKPOINTS ? LOOK_AT_CHECKPOINTS : CHECKPOINT_EVERY);
    if (at <= task->reached)
      break;
    state = kg_cache_lookup (evaluator->cache, state_key (key, at));
    if (state == NULL && at % CHECKPOINT_EVERY == 0) {
      state = kg_cache_load_checkpoint (evaluator->cache, file_key (task, at), task->node->type);
      if (state != NULL)
        kg_cache_insert_checkpoint (evaluator->cache, state_key (key, at), state, file_key (task, at));
    }
    if (state != NULL) {
      g_clear_pointer (&task->state, kg_result_unref);
      task->state = state;
      task->reached = at;
      return;
    }
  }
  if (task->reached < 0)
    find_state_before (evaluator, task);
}

/* Simulations that go on. */

static void
run_free (gpointer data)
{
  Run *run = (Run *) data;

  g_clear_pointer (&run->first.state, kg_result_unref);
  g_clear_pointer (&run->latest.state, kg_result_unref);
  g_free (run);
}

/* The states of all simulations of a graph, and of those within. */
static void
add_runs (KgOngoing *ongoing, KgEvaluator *evaluator, KgGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (graph->nodes, i);

    if (node->inside != NULL)
      add_runs (ongoing, evaluator, node->inside);
    if (node->type != NULL && node->type->advance != NULL) {
      const KgNeed need = { .node = node, .slot = -1 };
      KgTask *task = kg_task_new (evaluator, &need, (KgHash){ 0, 0 });
      Run *run = g_new0 (Run, 1);

      task->wanted = ongoing->begun;
      find_state (evaluator, task);
      run->kind = get_kind (node);
      run->before = kg_simulation_get_key (evaluator, node);
      run->first = (KgLatest){ run->before, task->reached, g_steal_pointer (&task->state) };
      kg_task_free (evaluator, task);
      g_hash_table_replace (ongoing->runs, kg_node_dup_path (node), run);
    }
  }
}

KgOngoing *
kg_ongoing_new (KgEvaluator *evaluator, double time)
{
  KgOngoing *ongoing = g_new0 (KgOngoing, 1);

  ongoing->runs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, run_free);
  if (evaluator == NULL)
    return ongoing;
  kg_evaluator_read_environment (evaluator);
  ongoing->begun = (gint64) floor (kg_clamp (kg_frame_snap (time * evaluator->frames.rate), 0, MAX_STEPS));
  add_runs (ongoing, evaluator, evaluator->graph);
  return ongoing;
}

void
kg_ongoing_free (KgOngoing *ongoing)
{
  g_hash_table_unref (ongoing->runs);
  g_free (ongoing);
}

void
kg_evaluator_set_ongoing (KgEvaluator *evaluator, KgOngoing *ongoing)
{
  evaluator->ongoing = ongoing;
  if (ongoing != NULL && ongoing->serial == 0)
    ongoing->serial = kg_cache_take_serial (evaluator->cache);
  evaluator->ongoing_serial = ongoing != NULL ? ongoing->serial : 0;
}

static void
keep_state (KgEvaluator *evaluator, KgTask *task)
{
  const KgHash key = state_key (kg_simulation_get_key (evaluator, task->node), task->reached);

  if (task->reached % CHECKPOINT_EVERY == 0)
    kg_cache_insert_checkpoint (evaluator->cache, key, task->state, file_key (task, task->reached));
  else if (!evaluator->lean || kg_cache_is_shared (evaluator->cache))
    kg_cache_insert (evaluator->cache, key, task->state);
}

/* Steps. */

static double
step_time (const KgEvaluator *evaluator, gint64 step)
{
  return (double) step / evaluator->frames.rate;
}

/* The time at which the simulation needs its inputs next. */
static double
next_time (const KgEvaluator *evaluator, const KgTask *task)
{
  if (task->reached < task->wanted)
    return step_time (evaluator, task->reached + 1);
  return task->part > 0 ? task->time : step_time (evaluator, task->wanted);
}

bool
kg_simulation_begin (KgEvaluator *evaluator, KgTask *task, KgResult **failed)
{
  const double steps = fmax (0.0, kg_frame_snap (task->time * evaluator->frames.rate));

  if (!(steps <= MAX_STEPS)) {
    *failed = kg_evaluator_fail (
        evaluator, task->node,
        kg_error_new (KG_ERROR_LIMIT,
                      "the time %g s is %g frames after the first: a simulation can have at most %g steps", task->time,
                      steps, MAX_STEPS));
    return false;
  }
  task->claimed =
      kg_cache_claim (evaluator->cache, kg_simulation_get_key (evaluator, task->node), evaluator->cancellable);
  if (!task->claimed) {
    *failed = kg_evaluator_fail (evaluator, task->node, NULL);
    return false;
  }
  task->file = make_file_key (evaluator, task->node);
  task->wanted = (gint64) floor (steps);
  task->part = (steps - (double) task->wanted) / evaluator->frames.rate;
  if (steps - (double) task->wanted < SMALLEST_PART)
    task->part = 0;
  find_state (evaluator, task);
  task->phase = KG_PHASE_SIMULATE;
  kg_task_add_input_samples (task, next_time (evaluator, task), false);
  return true;
}

KgResult *
kg_simulation_step (KgEvaluator *evaluator, KgTask *task)
{
  const double time = next_time (evaluator, task);
  KgResult *result;

  if (task->reached < task->wanted) {
    const bool first = task->reached < 0;

    if (evaluator->n_steps != NULL)
      g_atomic_int_inc (evaluator->n_steps);
    result = kg_task_call (evaluator, task, first ? KG_CALL_START : KG_CALL_ADVANCE, time, 1.0 / evaluator->frames.rate,
                           g_steal_pointer (&task->state));
    if (result->error != NULL)
      return result;
    task->state = result;
    task->reached++;
    keep_state (evaluator, task);
  } else if (task->part > 0 && !task->part_done) {
    /* The state at the whole frame stays as it is: the part is a side branch. */
    set_latest (evaluator, task, kg_result_ref (task->state));
    result = kg_task_call (evaluator, task, KG_CALL_ADVANCE, time, task->part, g_steal_pointer (&task->state));
    if (result->error != NULL)
      return result;
    task->state = result;
    task->part_done = true;
  } else {
    result = kg_task_call (evaluator, task, KG_CALL_EVALUATE, time, 0, task->state);
    /* The warnings of the step that made the state hold for the frame, too. */
    kg_result_inherit_warnings (result, task->state);
    if (!task->part_done)
      set_latest (evaluator, task, g_steal_pointer (&task->state));
    return result;
  }
  kg_task_reset (task);
  kg_task_add_input_samples (task, next_time (evaluator, task), false);
  return NULL;
}
