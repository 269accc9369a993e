/* kg-evaluate: lazy evaluation of one graph on one thread, with an explicit stack.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-cache.h"
#include "kg-graph.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _KgEvaluator KgEvaluator;

/* Evaluates graph (kept alive) with results in cache (NULL: one of its own).  The evaluator and the graph must
 * be used by one thread at a time; for another thread take kg_graph_snapshot and share the cache. */
KgEvaluator *kg_evaluator_new (KgGraph *graph, KgCache *cache);
void kg_evaluator_free (KgEvaluator *evaluator);
KgGraph *kg_evaluator_get_graph (KgEvaluator *evaluator);
KgCache *kg_evaluator_get_cache (KgEvaluator *evaluator);

void kg_evaluator_set_progress (KgEvaluator *evaluator, KgProgress progress, gpointer data);
/* n_steps (nullable) grows, atomically, by each step of a simulation that begins from now on. */
void kg_evaluator_count_steps (KgEvaluator *evaluator, gint *n_steps);

/* Lean: results that exactly one node reads once are handed over instead of cached, so that deformers write in
 * place.  For rendering frame after frame; off (the default) for editing. */
void kg_evaluator_set_lean (KgEvaluator *evaluator, bool lean);

/* States from which simulations go on while their inputs are changed, instead of beginning again: what is dragged while frames are
 * played acts from the present frame on, as if it had keys.  Fixed inputs cannot have keys, so a simulation one of whose own
 * is changed does begin again.  Results then depend on what was asked for before: they are kept apart from all others, and in no folder. */
typedef struct _KgOngoing KgOngoing;

/* With the states at a time (seconds), or before, that the evaluator (nullable: none) has at hand. */
KgOngoing *kg_ongoing_new (KgEvaluator *evaluator, double time);
void kg_ongoing_free (KgOngoing *ongoing);
/* ongoing: (transfer none) (nullable) for this evaluator and later ones of edited snapshots of the graph, one at a time, whose
 * times do not go back; the states are those of the last. */
void kg_evaluator_set_ongoing (KgEvaluator *evaluator, KgOngoing *ongoing);

/* Images are made with share (above 0, up to 1, the default) of their pixels along each side, as far as that can be: for looking at
 * them.  Numbers in pixels are scaled for the nodes, and scaled back in their outputs; results are kept apart from others. */
void kg_evaluator_set_proxy (KgEvaluator *evaluator, double share);
double kg_evaluator_get_proxy (const KgEvaluator *evaluator);

/* The value of an output at a time (seconds), or of an input's source.  False and *error when that node or one
 * it needs failed; the message starts with the name of the node that did.  value is the caller's to clear. */
bool kg_evaluator_evaluate (KgEvaluator *evaluator, KgNode *node, guint slot, double time, GCancellable *cancellable,
                            KgValue *value, GError **error);

/* The same for a part of an image that is known to be so large: only what it depends on is computed, as far as the types of nodes say
 * what that is (KgNodeReach, KgNodeRegion).  *is_part: the value is the part; false: it is all of the image, because that has another size.  Pixels
 * are the same as in all of the image to the accuracy of their filters, and those of point operations have the same bits. */
bool kg_evaluator_evaluate_part (KgEvaluator *evaluator, KgNode *node, guint slot, double time, const KgImagePart *part,
                                 GCancellable *cancellable, KgValue *value, bool *is_part, GError **error);

/* Whether the output is quickly available at each of n frames from first on: its result is in the cache, or the states of all
 * simulations that it depends on (at that frame) are.  How many simulations there are.  Evaluates nothing. */
guint kg_evaluator_find_ready (KgEvaluator *evaluator, KgNode *node, guint output, double first, guint n, bool *ready);

/* Per node, since creation or the last reset. */
typedef struct {
  guint64 evaluations; /* evaluate, start and advance calls */
  guint64 hits;        /* answers from the cache */
  double seconds;      /* in evaluate, start and advance */
  guint64 bytes;       /* of the last result */
} KgNodeStats;

/* Zeros for a node that was never asked. */
void kg_evaluator_get_stats (KgEvaluator *evaluator, KgNode *node, KgNodeStats *stats);
void kg_evaluator_reset_stats (KgEvaluator *evaluator);
/* Sum over all nodes. */
guint64 kg_evaluator_get_n_evaluations (KgEvaluator *evaluator);

/* (nullable) (transfer full) What the last evaluation of the node failed with, and its warnings (NULL-terminated). */
GError *kg_evaluator_dup_error (KgEvaluator *evaluator, KgNode *node);
char **kg_evaluator_dup_warnings (KgEvaluator *evaluator, KgNode *node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgEvaluator, kg_evaluator_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgOngoing, kg_ongoing_free)

G_END_DECLS
