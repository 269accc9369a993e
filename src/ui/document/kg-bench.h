/* kg-bench: what a thread of the worker (kg-worker) computes for a request: the displayed value, images of it, reports of nodes,
 * and, while there is nothing else to do, onion skins, motion paths and frames to be kept.
 *
 * It knows neither threads nor locks: one thread uses a bench, from its beginning to its end.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-ghost.h"
#include "kg-view-image.h"
#include "kg-worker.h"

G_BEGIN_DECLS

typedef struct {
  KgGraph *graph;
  KgEvaluator *evaluator;
  KgViewImages *images;
  KgStagePainter *painter;
  KgPathSampler *paths;
  KgResultSet *last;   /* (nullable) of this graph, with everything that was requested */
  KgOngoing *ongoing;  /* (nullable) while simulations go on with what is dragged */
  double ongoing_time; /* of the last frame of that */
} KgBench;

/* Takes the snapshot of the request, if it has one, and the states from which simulations go on, if they do. */
void kg_bench_take_graph (KgBench *bench, KgRequest *request, KgCache *cache);
/* (transfer full) (nullable) While playing: the frame as it was kept, if it was. */
KgResultSet *kg_bench_play (KgBench *bench, const KgRequest *request, GCancellable *cancellable);
/* (transfer full) Everything that is requested. */
KgResultSet *kg_bench_evaluate (KgBench *bench, const KgRequest *request, GCancellable *cancellable);
/* Puts the frame into the store of the request, if it has one. */
void kg_bench_keep_frame (KgBench *bench, const KgRequest *request, const KgResultSet *set);
/* (transfer full) (nullable) The same results with onion skins, if those are requested. */
KgResultSet *kg_bench_add_ghosts (KgBench *bench, const KgRequest *request, const KgResultSet *set,
                                  GCancellable *cancellable);
/* (transfer full) (nullable) Samples paths for a while; the results with as much of them as there is then. */
KgResultSet *kg_bench_sample_paths (KgBench *bench, const KgResultSet *set, GCancellable *cancellable);
/* (transfer full) (nullable) Fills frames in for a while; the results with those that are ready then. */
KgResultSet *kg_bench_fill_store (KgBench *bench, const KgRequest *request, const KgResultSet *set,
                                  GCancellable *cancellable);
/* Forgets the graph and what was computed for it, and the states of simulations that went on. */
void kg_bench_clear (KgBench *bench);

G_END_DECLS
