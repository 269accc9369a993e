/* kg-evaluate-private: the evaluator, its tasks and their needs, the cache of results and the constants of jobs, for the
 * evaluator's files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-graph-private.h"
#include "kg-job.h"

/* (transfer full) (nullable) */
KgResult *kg_cache_lookup (KgCache *cache, KgHash key);
/* Without counting as a use. */
bool kg_cache_has (KgCache *cache, KgHash key);
void kg_cache_insert (KgCache *cache, KgHash key, KgResult *result);
/* One result that is found by either key. */
void kg_cache_insert_twice (KgCache *cache, KgHash key, KgHash other, KgResult *result);
/* A state of a simulation to continue from later, which outlives other results. file: its key in the cache's folder; zero: it
 * is not written. */
void kg_cache_insert_checkpoint (KgCache *cache, KgHash key, KgResult *state, KgHash file);
bool kg_cache_has_folder (KgCache *cache);
/* (transfer full) (nullable) A checkpoint of a node of the type, from the folder. */
KgResult *kg_cache_load_checkpoint (KgCache *cache, KgHash file, const KgNodeType *type);
/* Waits until no other thread works on key, then claims it.  False when that was cancelled. */
bool kg_cache_claim (KgCache *cache, KgHash key, GCancellable *cancellable);
void kg_cache_release (KgCache *cache, KgHash key);
bool kg_cache_is_shared (KgCache *cache);

/* The constants of a node, converted once: kg-job-constants.c. */

/* Initialises the job: zeros, and the inputs that are ready and need no warning. Returns the hash of those for which
 * kg_job_starts_with is true. */
KgHash kg_job_begin (void *job, KgNode *node, const KgContext *ctx);
/* Whether jobs start with this input filled in, so that it takes no sample.  Its mark is valid. */
bool kg_job_starts_with (KgNode *node, guint slot);
/* Whether that is known without a look at the source. */
static inline bool
kg_job_surely_starts_with (const KgNode *node, guint slot)
{
  const KgMark *mark = kg_node_mark_of (node, (int) slot);

  return mark->valid && mark->ready && mark->plain && !node->slots[slot].path;
}

/* Whether the input has a value that is prepared once for all calls: a constant or default.  False when it needs an
 * evaluation, which then also reports what is wrong with the source. */
bool kg_job_make_ready (KgNode *node, guint slot);

/* The evaluator. */

/* What a task waits for: the outputs of a node, or the value of an input, at a time. */
typedef struct {
  KgNode *node; /* NULL: the name leads nowhere */
  int slot;     /* -1: the outputs */
  guint output; /* which one, where slot is -1 */
  double time;
  KgResult *result; /* NULL until it is there */
} KgNeed;

/* The newest state of a simulation, kept by an evaluator that need not share it. */
typedef struct {
  KgHash key;
  gint64 reached;
  KgResult *state;
} KgLatest;

/* What an evaluator remembers of a node. */
typedef struct {
  KgNodeStats stats;
  GError *error;
  GPtrArray *warnings;
  KgLatest latest;
} KgRecord;

typedef enum { KG_PHASE_BEGIN, KG_PHASE_EARLY, KG_PHASE_ALL, KG_PHASE_SIMULATE } KgPhase;

/* What nearly every task has room for without growing: most inputs are constants, which take no sample. */
#define KG_TASK_FEW 2

/* One result in the making. */
typedef struct _KgTask KgTask;

struct _KgTask {
  KgTask *below; /* (nullable) the task that waits for it, or the next one to be used again */
  KgNode *node;
  KgRecord *record;
  int slot; /* -1: the outputs */
  double time;
  KgPhase phase;
  KgHash key;    /* of its result */
  KgHash values; /* of the values that the node was called with; zero: its result is not found by them */
  GArray *needs; /* KgNeed */
  guint next_need;
  GArray *samples;    /* KgSample */
  KgImagePart *parts; /* (nullable) see KgContextPrivate */
  bool refused;       /* see kg_context_refuse_part */
  /* Simulations */
  bool claimed;
  gint64 reached; /* frame of state, -1 before the first */
  gint64 wanted;
  double part; /* of a frame beyond wanted, seconds */
  bool part_done;
  KgHash file; /* of the states in the folder of the cache; zero: they are not kept there */
  KgResult *state;
};

struct _KgEvaluator {
  KgGraph *graph;
  KgCache *cache;
  GHashTable *records; /* KgNode (a reference) -> KgRecord */
  GCancellable *cancellable;
  KgProgress progress;
  gpointer progress_data;
  gint *n_steps; /* (nullable) see kg_evaluator_count_steps */
  bool lean;
  KgOngoing *ongoing;      /* (nullable) see kg_evaluator_set_ongoing */
  uint64_t ongoing_serial; /* of that; 0: none */
  double proxy;            /* see kg_evaluator_set_proxy */
  KgTask *stack;           /* (nullable) the top: what is worked on */
  KgTask *spare;           /* (nullable) finished, to be used again with the arrays that they have grown */
  guint n_spare;
  GHashTable *held; /* KgHash -> KgResult: see hold */
  guint64 held_bytes;
  void *job; /* the struct of the node that runs, one at a time */
  size_t job_size;
  KgHash environment; /* frames, folder and proxy */
  KgFrames frames;
};

/* (transfer full) Evaluates what is needed, with nothing else on the stack.  Forwards the need: see kg_need_forward. */
KgResult *kg_evaluator_run (KgEvaluator *evaluator, KgNeed *request);
/* Copies the value that was requested of slot of node out of the result of the forwarded request.  False with *error where that
 * failed, has no value, or was cancelled. */
bool kg_evaluator_take_value (const KgNeed *request, const KgResult *result, const KgNode *node, guint slot,
                              GCancellable *cancellable, KgValue *value, GError **error);
/* What was held for one evaluation is not held any longer. */
void kg_evaluator_release_held (KgEvaluator *evaluator);
/* A task for kg_task_call by hand; key: of its result, zero: none. */
KgTask *kg_task_new (KgEvaluator *evaluator, const KgNeed *need, KgHash key);
void kg_task_free (KgEvaluator *evaluator, KgTask *task);

/* Reads frames and folder of the graph, which may have changed since the last evaluation. */
void kg_evaluator_read_environment (KgEvaluator *evaluator);
/* The key of a result in the cache.  slot: -1 for the outputs. */
KgHash kg_evaluator_get_result_key (KgEvaluator *evaluator, KgNode *node, int slot, double time);
/* Whether one wire reads the node, so that its result may be handed over instead of kept.  Behind a sub-graph, an
 * interface or a bypassed node there may be any number of readers: see kg_need_forward. */
bool kg_node_is_read_once (const KgNode *node);
/* Clears needs and samples: a simulation reads its inputs again for each step. */
void kg_task_reset (KgTask *task);

/* Inputs: kg-evaluate-inputs.c. */

/* Finds where an output really comes from: through sub-graphs, their interface nodes and bypassed nodes, without running
 * anything.  None of these is evaluated as a node, so a sub-graph costs no more than the nodes inside. */
void kg_need_forward (KgNeed *need);
/* An input of an instance whose values are kept within what the preset accepts: the nodes inside do not know its range. */
bool kg_input_is_limited (const KgNode *node, const KgSlot *slot);
void kg_task_add_sample (KgTask *task, guint slot, double time);
/* Adds the needs of a sample, for all items of its list or those wanted. */
void kg_task_add_sample_needs (KgTask *task, KgSample *sample);
void kg_task_add_input_samples (KgTask *task, double time, bool early_only);
/* Computes the values of all samples, whose needs all have results. */
bool kg_task_evaluate_samples (const KgEvaluator *evaluator, KgTask *task, GError **error);
/* The same of those samples whose needs have results. */
bool kg_task_evaluate_ready_samples (const KgEvaluator *evaluator, KgTask *task);

/* Where the requested value is in a result. */
static inline guint
kg_need_get_index (const KgNeed *need, const KgResult *result)
{
  return need->slot < 0 ? need->output - result->first : 0;
}

/* (end - start) / rate * rate may miss a whole frame by a rounding, and keys sit on whole frames. */
static inline double
kg_frame_snap (double frame)
{
  const double whole = nearbyint (frame);

  return fabs (frame - whole) < 1e-9 * fmax (1.0, fabs (frame)) ? whole : frame;
}

static inline double
kg_evaluator_to_frame (const KgEvaluator *evaluator, double time)
{
  return kg_frame_snap (evaluator->frames.start + time * evaluator->frames.rate);
}

/* Calls: kg-evaluate-call.c. */

typedef enum { KG_CALL_EVALUATE, KG_CALL_START, KG_CALL_ADVANCE } KgCall;

/* Runs one callback of the node on the samples gathered for time.  state (or NULL) is what a simulation continues from;
 * it is released, so that the node may write in place if it holds the only reference.  (transfer full) */
KgResult *kg_task_call (KgEvaluator *evaluator, KgTask *task, KgCall call, double time, double dt, KgResult *state);
/* What the type of the node says about how far around pixels count (KgNodeReach), from the samples that there are; negative where
 * they have no values. */
double kg_task_get_reach (KgEvaluator *evaluator, KgTask *task);
/* The same for parts of images (KgNodeRegion) and sizes (KgNodeSize); false where all of the image is needed, or the size is not
 * known. */
bool kg_task_get_region (KgEvaluator *evaluator, KgTask *task, size_t field, KgImagePart *needed);
bool kg_task_get_size (KgEvaluator *evaluator, KgTask *task, int *width, int *height);
/* Asks the node what it needs beyond its early inputs, and adds the samples. */
bool kg_task_find_demand (KgEvaluator *evaluator, KgTask *task, KgResult **failed);
/* (transfer full) A failed result; takes error (NULL: cancelled, or no reason given). */
KgResult *kg_evaluator_fail (KgEvaluator *evaluator, KgNode *node, GError *error);

/* Records: kg-evaluate-report.c. */

void kg_record_free (gpointer record);
KgRecord *kg_evaluator_get_record (KgEvaluator *evaluator, KgNode *node);
/* Remembers the error and the warnings that the node shows. */
void kg_record_set_result (KgRecord *record, const KgResult *result);
/* Each once. */
void kg_result_add_warning (KgResult *result, const char *warning);
void kg_result_inherit_warnings (KgResult *result, const KgResult *from);
/* Inputs have no result that anyone sees: the nodes that read them pass on their warnings. */
void kg_task_inherit_input_warnings (const KgTask *task, KgResult *result);

/* Simulations: kg-simulate.c. */

/* The key of a simulation, whatever the frame. */
KgHash kg_simulation_get_key (KgEvaluator *evaluator, KgNode *node);
/* Finds the state to continue from, and adds the samples of the first step. */
bool kg_simulation_begin (KgEvaluator *evaluator, KgTask *task, KgResult **failed);
/* (transfer full) (nullable) One step.  The result, or NULL when there are more steps to come. */
KgResult *kg_simulation_step (KgEvaluator *evaluator, KgTask *task);
/* Whether the state of that frame is in the cache.  key: of the simulation. */
bool kg_simulation_has_state (KgEvaluator *evaluator, KgHash key, gint64 reached);

/* The key, made different by the order of events while simulations go on with changed inputs. */
static inline KgHash
kg_evaluator_mark_ongoing (const KgEvaluator *evaluator, KgHash key)
{
  return evaluator->ongoing_serial != 0 ? kg_hash_uint (key, evaluator->ongoing_serial) : key;
}

/* (transfer container) (element-type KgNode) All simulations that node depends on, and itself. */
GPtrArray *kg_simulation_list_upstream (KgNode *node);
