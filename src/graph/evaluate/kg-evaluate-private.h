/* kg-evaluate-private: the cache of results and the constants of jobs, for the evaluator's files.
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

/* The constants of a node, converted once: kg-job-constants.c. */

/* Makes the job what it starts as: zeros, and what is ready of the node's inputs and needs no warning.  Returns the hash
 * of those for which kg_job_starts_with is true. */
KgHash kg_job_begin (void *job, KgNode *node, const KgContext *ctx);
/* Whether jobs start with this input filled in, so that it takes no sample.  Its mark is valid. */
bool kg_job_starts_with (KgNode *node, guint slot);
/* Prepares a constant or default for all calls to come.  False when it takes more than that: what is wrong with the
 * source, if anything, then shows where it is evaluated. */
bool kg_job_prepare (KgNode *node, guint slot);
/* Whether a prepared value is still that of the input. */
bool kg_job_is_ready (const KgNode *node, guint slot);
