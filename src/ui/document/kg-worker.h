/* kg-worker: evaluation beside the window.
 *
 * A thread evaluates snapshots of the graph.  The latest request wins: an older one that still runs is cancelled, one
 * that waits is dropped.  Whatever a node does, the window stays responsive.
 *
 * Signals:
 *   done ()      there is a new result
 *   progress ()  the node that runs, or how far it is, has changed (at most every 50 ms)
 *   lost ()      a node did not stop when it was cancelled, and its thread was abandoned: the next request needs a snapshot
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-frame-store.h"
#include "kg-motion-path.h"
#include "kg-stage.h"

#include <glib-object.h>

G_BEGIN_DECLS

#define KG_ONION_MAX 10 /* frames on each side */

/* Images of other frames around the present one. */
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
  GPtrArray
      *stage; /* (transfer full) (nullable) KgStageItem: the scene view is shown, of these; NULL: the image of target */
  char *camera;    /* (transfer full) (nullable) "path.scene" of a camera that the scene view looks through */
  bool only_stage; /* target itself is not evaluated */
  KgFrameStore
      *store;  /* (transfer full) (nullable) frames are kept there, and the rest filled in while nothing is requested */
  KgKeep keep; /* how large; with a store not none */
  KgHash key;  /* of everything that images depend on but their frames */
  bool plays;  /* an image that is kept will do */
  bool
      goes_on; /* simulations go on, whatever was changed since they began (KgOngoing); nothing but the frame itself is made */
  KgOnion onion;
  GPtrArray *wanted;     /* (transfer full) (nullable) char *: "path.slot" of inputs and outputs to be known besides */
  GPtrArray *thumbnails; /* (transfer full) (nullable) char *: "path.output" of nodes that show a small image */
  GPtrArray *paths;      /* (transfer full) (nullable) KgPathRequest: sampled when all else is done */
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
  KgValue value;    /* of the target */
  KgImage *image;   /* (nullable) an image as it is, or the scene view */
  KgView view;      /* that it was drawn for */
  bool is_part;     /* image (and value) is view.part of the image that is shown */
  GPtrArray *stage; /* (nullable) KgStageItem, what the scene view shows: image is of this; see request */
  bool through;     /* image is seen through camera */
  KgCamera camera;
  KgImage *beside; /* (nullable) the image of target, or what the first camera of the scene sees; none with a draft */
  double drawing;  /* seconds: it took to draw the scene view */
  GBytes *pixels;  /* (nullable) instead of image: one that was kept, see kg_frame_store_get; all else is of an earlier
                         frame, but values */
  int pixels_width, pixels_height;
  KgKeep kept;        /* pixels of the image along a side for one of these */
  char *error;        /* (nullable) why there is no value */
  GHashTable *values; /* char * "path.slot" -> KgValue *: of what was requested, as far as it exists */
  GHashTable *paths;  /* char * name -> KgMotionPath *: of what was requested, as far as it is sampled */
  KgImage *ghosts;    /* (nullable) the frames around; comes later than the rest, in a set of its own */
  bool *ready;        /* by whole frames from the graph's first on: can be shown at once; n_ready of them */
  guint n_ready;
  guint n_simulations; /* that the target depends on */
  GHashTable *nodes;   /* char * path -> KgNodeReport; nodes of which something was requested */
  GHashTable *motions; /* char * "path.output" -> KgMotion: those of the thumbnails that are motions */
} KgResultSet;

/* Frees what it holds: for requests that are not sent. */
void kg_request_clear (KgRequest *request);

KgResultSet *kg_result_set_ref (KgResultSet *set);
void kg_result_set_unref (KgResultSet *set);
/* Pixels along a side of the image at full size for one of what was made of it: image, or pixels. */
int kg_result_set_get_step (const KgResultSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgResultSet, kg_result_set_unref)

#define KG_TYPE_WORKER (kg_worker_get_type ())
G_DECLARE_FINAL_TYPE (KgWorker, kg_worker, KG, WORKER, GObject)

/* Waits until the threads of all freed workers have ended, for this many microseconds at most; false: some have
 * not, and the process must end without taking anything apart. */
bool kg_worker_wait_for_all (gint64 most);

/* cache: shared with others (renders, other windows of the same graph). */
KgWorker *kg_worker_new (KgCache *cache);
/* Takes what the request holds. */
void kg_worker_request (KgWorker *worker, KgRequest *request);
/* (nullable) (transfer none) */
KgResultSet *kg_worker_get_result (KgWorker *worker);
/* Frames around the present one do not count: nothing waits for them. */
bool kg_worker_is_busy (KgWorker *worker);
/* How many steps of simulations what runs has begun, or what ran last has needed.  *renewed: there is no result yet of the graph
 * as it was requested last. */
guint kg_worker_get_n_steps (KgWorker *worker, bool *renewed);
/* (transfer full) (nullable) Name of the node that runs, and how far it is (0..1). */
char *kg_worker_dup_running (KgWorker *worker, double *done);

G_END_DECLS
