/* kg-evaluate-private: results, the cache that keeps them, and the filling of jobs, for the evaluator's files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-graph-private.h"

/* What came of one evaluation: the outputs of a node by slot, or one value, or an error; or a memo.  values and present
 * lie behind it in the same block. */
typedef struct {
  gatomicrefcount refs;
  guint n;
  guint first; /* the slot of values[0]: the inputs before the first output have none */
  KgValue *values;
  bool *present; /* an optional input without a source has no value */
  GError *error;
  GPtrArray *warnings; /* char *, NULL when there are none */
  gpointer memo;
  GDestroyNotify memo_destroy;
  size_t bytes; /* without shared buffers */
  guint cached; /* entries of the cache that hold it; the cache's lock */
} KgResult;

KgResult *kg_result_new (guint n);
KgResult *kg_result_new_error (const GError *error);
KgResult *kg_result_ref (KgResult *result);
void kg_result_unref (KgResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgResult, kg_result_unref)

/* (transfer full) (nullable) */
KgResult *kg_cache_lookup (KgCache *cache, KgHash key);
/* Without counting as a use. */
bool kg_cache_has (KgCache *cache, KgHash key);
void kg_cache_insert (KgCache *cache, KgHash key, KgResult *result);
/* One result that is found by either key. */
void kg_cache_insert_twice (KgCache *cache, KgHash key, KgHash other, KgResult *result);
/* A state of a simulation to start again from, which outlives other results.  file: what it is called in the cache's
 * folder; zero: not to be written. */
void kg_cache_insert_checkpoint (KgCache *cache, KgHash key, KgResult *state, KgHash file);
bool kg_cache_has_folder (KgCache *cache);
/* (transfer full) (nullable) A checkpoint out of the folder. */
KgResult *kg_cache_load_checkpoint (KgCache *cache, KgHash file);
/* Waits until no other thread works on key, then claims it.  False when that was cancelled. */
bool kg_cache_claim (KgCache *cache, KgHash key, GCancellable *cancellable);
void kg_cache_release (KgCache *cache, KgHash key);
bool kg_cache_is_shared (KgCache *cache);

/* One value of one input. */
typedef struct {
  guint slot;
  double time;
  guint first_need, n_needs;
  bool done, present;
  bool ready;         /* value belongs to the input of the node */
  bool plain;         /* it is in the job already: see kg_job_begin */
  KgValue value;      /* not for lists */
  KgHash fingerprint; /* of value, also after it was given away */
  KgValue *items;     /* lists */
  guint n_items;
  GArray *wanted; /* guint: items of a list that demand asked for; NULL: all */
} KgSample;

struct _KgDemand {
  KgNode *node;
  double time;
  GArray *samples; /* KgSample */
  guint8 *asked;   /* by slot: 0 default, 1 replaced, 2 none */
};

typedef struct _KgContextPrivate {
  KgNode *node;
  KgCache *cache;
  GCancellable *cancellable;
  KgProgress progress;
  gpointer progress_data;
  const GArray *samples; /* KgSample */
  GMutex lock;
  GPtrArray *warnings; /* char * */
  GPtrArray *scratch;
  GPtrArray *memos; /* KgResult, kept until evaluate returns */
} KgContextPrivate;

void kg_context_private_init (KgContextPrivate *private_data, KgNode *node);
void kg_context_private_clear (KgContextPrivate *private_data);

/* Jobs: the struct of a node, as its declaration describes it. */

/* The hash of an input of a job begins like this; those of all are added up (kg_hash_add). */
static inline KgHash
kg_job_hash_slot (guint slot)
{
  return kg_hash_uint ((KgHash){ 10, 0 }, slot);
}

/* Makes the job what it starts as: zeros, and what is ready of the node's inputs and needs no warning.  Returns the hash
 * of those for which kg_job_starts_with is true. */
KgHash kg_job_begin (void *job, KgNode *node, const KgContext *ctx);
/* Whether jobs start with this input filled in, so that it takes no sample.  Its mark is valid. */
bool kg_job_starts_with (KgNode *node, guint slot);
/* Fills the input of one sample; value is what the wire carries.  A value held by nobody else may be moved
 * (kg_value set to its initial state) where the node is given a reference.  False and *error (without the
 * node's name) when it does not fit. */
bool kg_job_fill (void *job, const KgSlot *slot, KgSample *sample, const KgContext *ctx, KgHash *hash, GError **error);
/* Prepares a constant or default for all calls to come.  False when it takes more than that: what is wrong with the
 * source, if anything, then shows where it is evaluated. */
bool kg_job_prepare (KgNode *node, guint slot);
/* Whether a prepared value is still that of the input. */
bool kg_job_is_ready (const KgNode *node, guint slot);
/* Converts a sample to the kind of the slot, and sums up what it is in hash. */
bool kg_job_convert (const KgSlot *slot, KgSample *sample, KgHash *hash, GError **error);
/* The bytes of a result without those of its buffers. */
void kg_result_measure (KgResult *result);

/* Releases what the node was given and did not take. */
void kg_job_clear_inputs (void *job, const KgNodeType *type);
/* Takes outputs (or states) out of the job into values, published under fingerprint. */
bool kg_job_take (void *job, const KgNodeType *type, KgSlotRole role, KgResult *result, KgHash fingerprint,
                  GError **error);
/* Gives the state fields references to the values. */
void kg_job_set_state (void *job, const KgNodeType *type, const KgResult *state);
