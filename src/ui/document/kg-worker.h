/* kg-worker: evaluation beside the window.
 *
 * A thread evaluates snapshots of the graph.  The latest request wins: an older one that still runs is cancelled, one
 * that waits is dropped.  Whatever a node does, the window stays responsive.
 *
 * Signals:
 *   done ()      there is a new result
 *   progress ()  the node that runs, or how far it is, has changed (at most every 50 ms)
 *   lost ()      a node did not stop when it was cancelled, and its thread was given up: the next request needs a snapshot
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-view.h"

G_BEGIN_DECLS

#define KG_ONION_MAX 10 /* frames on each side */

/* Pictures of other frames around the present one. */
typedef struct {
  int before, after; /* how many; none when both are 0 */
  double step;       /* seconds */
  double opacity;    /* of the nearest; those farther away fade */
} KgOnion;

typedef struct {
  KgGraph *graph; /* (transfer full) a snapshot; NULL: the last one again */
  char *target;   /* (transfer full) (nullable) "path.output" that is shown; NULL: nothing */
  double time;    /* seconds */
  KgView view;
  KgOnion onion;
  GPtrArray *wanted;     /* (transfer full) (nullable) char *: "path.slot" of inputs and outputs to be known besides */
  GPtrArray *thumbnails; /* (transfer full) (nullable) char *: "path.output" of nodes that show a small picture */
} KgRequest;

/* What is known of one node after an evaluation. */
typedef struct {
  char *error;    /* (nullable) */
  char *warnings; /* (nullable) one on each line */
  double seconds; /* spent in it by this request */
  guint64 evaluations;
  KgImage *thumbnail; /* (nullable) */
} KgNodeReport;

/* A result, shared and immutable. */
typedef struct {
  gatomicrefcount refs;
  double time, seconds; /* seconds: it took */
  char *target;         /* (nullable) */
  bool has_value;
  KgValue value;      /* of the target */
  KgImage *picture;   /* (nullable) an image as it is, or the view of a geometry, skeleton or scene */
  KgView view;        /* that it was drawn for */
  char *error;        /* (nullable) why there is no value */
  GHashTable *values; /* char * "path.slot" -> KgValue *: of what was wanted, as far as it could be had */
  KgImage *ghosts;    /* (nullable) the frames around; comes later than the rest, in a set of its own */
  bool *ready;        /* by whole frames from the graph's first on: can be shown at once; n_ready of them */
  guint n_ready;
  GHashTable *nodes;   /* char * path -> KgNodeReport; nodes that were asked for something */
  GHashTable *motions; /* char * "path.output" -> KgMotion: those of the thumbnails that are motions */
} KgResultSet;

/* Frees what it holds: for requests that are not sent. */
void kg_request_clear (KgRequest *request);

KgResultSet *kg_result_set_ref (KgResultSet *set);
void kg_result_set_unref (KgResultSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgResultSet, kg_result_set_unref)

#define KG_TYPE_WORKER (kg_worker_get_type ())
G_DECLARE_FINAL_TYPE (KgWorker, kg_worker, KG, WORKER, GObject)

/* Waits until the threads of all workers that are gone have ended, for this many microseconds at most; false: some have
 * not, and the process must end without taking anything apart. */
bool kg_worker_wait_for_all (gint64 most);

/* cache: shared with others (renders, other windows of the same graph). */
KgWorker *kg_worker_new (KgCache *cache);
/* Takes what the request holds. */
void kg_worker_request (KgWorker *worker, KgRequest *request);
/* (nullable) (transfer none) */
KgResultSet *kg_worker_get_result (KgWorker *worker);
/* Frames around the present one do not count: they wait for nobody. */
bool kg_worker_is_busy (KgWorker *worker);
/* (transfer full) (nullable) Name of the node that runs, and how far it is (0..1). */
char *kg_worker_dup_running (KgWorker *worker, double *done);

G_END_DECLS
