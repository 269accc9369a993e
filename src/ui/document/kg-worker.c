/* kg-worker: see the header.
 *
 * The lock guards what the two threads share: the waiting request, the running one's cancellable, the result, and what
 * is running.  The thread owns its snapshot, its evaluator, and what draws images with them (kg-view-image).
 *
 * Nobody joins the thread: a node may not come back for long, or never.  What the two share lives as long as the longer
 * of them; a thread that is no longer needed ends as soon as it can, and a worker whose thread does not answer takes
 * another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-worker.h"

#include "config.h"
#include "kg-bench.h"

#include <glib/gi18n.h>
#include <string.h>

#define PROGRESS_EVERY 50000 /* microseconds */

/* An evaluation is let finish for so long (microseconds) when a newer request waits: cancelling at once would show
 * nothing at all while a slider is dragged. */
#define PATIENCE 250000

/* A thread that continues for this long (microseconds) after it was cancelled is abandoned.  So many of a worker: those that do
 * not come back hold their memory. */
#define LOST_AFTER (2 * G_TIME_SPAN_SECOND)
#define MOST_LOST 4

enum { DONE, PROGRESS, LOST, N_SIGNALS };

static guint signals[N_SIGNALS];

/* What a thread shares with its worker. */
typedef struct {
  gatomicrefcount refs;
  KgCache *cache;
  GMutex lock;
  GCond wake;
  KgWorker *worker; /* (transfer none) to be used while quit is false */
  KgRequest *waiting;
  GCancellable *cancellable; /* of the one that runs */
  KgResultSet *made;         /* by the thread, not yet seen by the window */
  char *running;
  double running_done;
  gint64 reported;  /* when progress was last reported */
  gint64 started;   /* the one that runs */
  gint64 cancelled; /* when it was cancelled; 0: it was not */
  bool quit, busy;
  bool optional; /* what runs can be done without */
  bool renewed;  /* there was no result yet of the graph that came last */
  gint n_steps;  /* of simulations, atomic: for the request that runs or ran last, without what is optional */
  guint tell_source, done_source;
} Shared;

struct _KgWorker {
  GObject parent_instance;
  Shared *shared;      /* with the thread of now */
  KgResultSet *result; /* the window's */
  guint n_lost;        /* threads that were abandoned */
  guint cancel_source;
};

/* The threads of all workers: the process must not end while they use what its end takes apart. */
static struct {
  GMutex lock;
  GCond ended;
  guint n;
} threads;

G_DEFINE_FINAL_TYPE (KgWorker, kg_worker, G_TYPE_OBJECT)

static void
request_free (KgRequest *request)
{
  kg_request_clear (request);
  g_free (request);
}

static void
shared_unref (Shared *shared)
{
  if (!g_atomic_ref_count_dec (&shared->refs))
    return;
  g_clear_pointer (&shared->waiting, request_free);
  g_clear_pointer (&shared->made, kg_result_set_unref);
  g_free (shared->running);
  kg_cache_unref (shared->cache);
  g_mutex_clear (&shared->lock);
  g_cond_clear (&shared->wake);
  g_free (shared);
}

/* On the thread. */

/* On the window's thread. */
static gboolean
report_progress (gpointer data)
{
  KgWorker *self = KG_WORKER (data);

  g_mutex_lock (&self->shared->lock);
  self->shared->tell_source = 0;
  g_mutex_unlock (&self->shared->lock);
  g_signal_emit (self, signals[PROGRESS], 0);
  return G_SOURCE_REMOVE;
}

static void
on_progress (const char *node, double done, gpointer data)
{
  Shared *shared = (Shared *) data;
  const gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&shared->lock);
  if (now - shared->reported > PROGRESS_EVERY) {
    shared->reported = now;
    g_free (shared->running);
    shared->running = g_strdup (node);
    shared->running_done = done;
    if (shared->tell_source == 0 && !shared->quit)
      shared->tell_source = g_idle_add (report_progress, shared->worker);
  }
  g_mutex_unlock (&shared->lock);
}

/* On the window's thread. */
static gboolean
report_done (gpointer data)
{
  KgWorker *self = KG_WORKER (data);
  KgResultSet *made;

  g_mutex_lock (&self->shared->lock);
  made = g_steal_pointer (&self->shared->made);
  self->shared->done_source = 0;
  g_mutex_unlock (&self->shared->lock);
  if (made != NULL) {
    g_clear_pointer (&self->result, kg_result_set_unref);
    self->result = made;
    g_signal_emit (self, signals[DONE], 0);
  }
  return G_SOURCE_REMOVE;
}

static void
take_snapshot (Shared *shared, KgBench *bench, KgRequest *request)
{
  kg_bench_take_graph (bench, request, shared->cache);
  if (bench->evaluator != NULL)
    kg_evaluator_set_progress (bench->evaluator, on_progress, shared);
}

/* With the lock held.  Takes set. */
static void
publish (Shared *shared, KgResultSet *set)
{
  KgResultSet *older = shared->made;

  shared->made = set;
  if (shared->done_source == 0 && !shared->quit)
    /* Before the window draws: where that takes all the time there is, nothing new would ever be shown. */
    shared->done_source = g_idle_add_full (G_PRIORITY_DEFAULT, report_done, shared->worker, NULL);
  if (older == NULL)
    return;
  g_mutex_unlock (&shared->lock);
  kg_result_set_unref (older);
  g_mutex_lock (&shared->lock);
}

static gpointer
work (gpointer data)
{
  Shared *shared = (Shared *) data;
  KgBench bench = { .painter = kg_stage_painter_new (), .paths = kg_path_sampler_new () };

  g_mutex_lock (&shared->lock);
  while (!shared->quit) {
    KgRequest *request = g_steal_pointer (&shared->waiting);
    KgResultSet *set = NULL, *ghosts = NULL;
    GCancellable *cancellable;

    if (request == NULL) {
      shared->busy = false;
      g_cond_wait (&shared->wake, &shared->lock);
      continue;
    }
    cancellable = shared->cancellable = g_cancellable_new ();
    shared->started = g_get_monotonic_time ();
    shared->cancelled = 0;
    shared->optional = request->view.refines && request->graph == NULL;
    /* Steps counted so far are not those of this graph. */
    g_atomic_int_set (&shared->n_steps, 0);
    if (request->graph != NULL)
      shared->renewed = true;
    g_mutex_unlock (&shared->lock);
    take_snapshot (shared, &bench, request);
    if (bench.graph != NULL) {
      kg_evaluator_count_steps (bench.evaluator, &shared->n_steps);
      kg_path_sampler_set (bench.paths, request->paths, bench.graph);
      set = kg_bench_play (&bench, request, cancellable);
    }
    if (bench.graph != NULL && set == NULL) {
      set = kg_bench_evaluate (&bench, request, cancellable);
      if (!g_cancellable_is_cancelled (cancellable)) {
        kg_bench_keep_frame (&bench, request, set);
        g_clear_pointer (&bench.last, kg_result_set_unref);
        bench.last = kg_result_set_ref (set);
      }
    }
    if (bench.graph != NULL)
      kg_evaluator_count_steps (bench.evaluator, NULL);
    g_mutex_lock (&shared->lock);
    shared->optional = false;
    if (set != NULL && !g_cancellable_is_cancelled (cancellable)) {
      shared->renewed = false;
      publish (shared, kg_result_set_ref (set));
      /* The rest is optional: anything newer ends it at once. */
      shared->busy = shared->waiting != NULL;
      shared->optional = true;
      if (shared->waiting == NULL && !shared->quit && !request->goes_on) {
        g_mutex_unlock (&shared->lock);
        ghosts = kg_bench_add_ghosts (&bench, request, set, cancellable);
        g_mutex_lock (&shared->lock);
      }
      if (ghosts != NULL)
        publish (shared, kg_result_set_ref (ghosts));
      while (shared->waiting == NULL && !shared->quit && !request->goes_on) {
        KgResultSet *more, *latest = ghosts != NULL ? ghosts : set;

        g_mutex_unlock (&shared->lock);
        more = kg_bench_sample_paths (&bench, latest, cancellable);
        if (more == NULL)
          more = kg_bench_fill_store (&bench, request, latest, cancellable);
        g_mutex_lock (&shared->lock);
        if (more == NULL)
          break;
        publish (shared, kg_result_set_ref (more));
        g_clear_pointer (&ghosts, kg_result_set_unref);
        ghosts = more;
      }
      shared->optional = false;
    }
    g_clear_pointer (&shared->running, g_free);
    g_clear_object (&shared->cancellable);
    g_mutex_unlock (&shared->lock);
    request_free (request);
    g_clear_pointer (&set, kg_result_set_unref);
    g_clear_pointer (&ghosts, kg_result_set_unref);
    g_mutex_lock (&shared->lock);
  }
  g_mutex_unlock (&shared->lock);
  kg_bench_clear (&bench);
  kg_stage_painter_free (bench.painter);
  kg_path_sampler_free (bench.paths);
  shared_unref (shared);
  g_mutex_lock (&threads.lock);
  threads.n--;
  g_cond_broadcast (&threads.ended);
  g_mutex_unlock (&threads.lock);
  return NULL;
}

/* On the window's thread. */

static Shared *
start_thread (KgWorker *self, KgCache *cache)
{
  Shared *shared = g_new0 (Shared, 1);

  g_atomic_ref_count_init (&shared->refs);
  g_mutex_init (&shared->lock);
  g_cond_init (&shared->wake);
  shared->cache = kg_cache_ref (cache);
  shared->worker = self;
  g_mutex_lock (&threads.lock);
  threads.n++;
  g_mutex_unlock (&threads.lock);
  g_atomic_ref_count_inc (&shared->refs);
  g_thread_unref (g_thread_new ("evaluation", work, shared));
  return shared;
}

/* Takes shared.  Its thread ends when it can. */
static void
dismiss_thread (Shared *shared)
{
  g_mutex_lock (&shared->lock);
  shared->quit = true;
  if (shared->cancellable != NULL)
    g_cancellable_cancel (shared->cancellable);
  g_clear_handle_id (&shared->tell_source, g_source_remove);
  g_clear_handle_id (&shared->done_source, g_source_remove);
  g_cond_signal (&shared->wake);
  g_mutex_unlock (&shared->lock);
  shared_unref (shared);
}

bool
kg_worker_wait_for_all (gint64 most)
{
  const gint64 end = g_get_monotonic_time () + most;
  bool ended;

  g_mutex_lock (&threads.lock);
  while (threads.n > 0 && g_cond_wait_until (&threads.ended, &threads.lock, end))
    ;
  ended = threads.n == 0;
  g_mutex_unlock (&threads.lock);
  return ended;
}

static void
kg_worker_dispose (GObject *object)
{
  KgWorker *self = KG_WORKER (object);

  g_clear_handle_id (&self->cancel_source, g_source_remove);
  g_clear_pointer (&self->shared, dismiss_thread);
  G_OBJECT_CLASS (kg_worker_parent_class)->dispose (object);
}

static void
kg_worker_finalize (GObject *object)
{
  KgWorker *self = KG_WORKER (object);

  g_clear_pointer (&self->result, kg_result_set_unref);
  G_OBJECT_CLASS (kg_worker_parent_class)->finalize (object);
}

static void
kg_worker_class_init (KgWorkerClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_worker_dispose;
  G_OBJECT_CLASS (class)->finalize = kg_worker_finalize;
  signals[DONE] = g_signal_new ("done", KG_TYPE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROGRESS] = g_signal_new ("progress", KG_TYPE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[LOST] = g_signal_new ("lost", KG_TYPE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
kg_worker_init (KgWorker *self)
{
  (void) self;
}

KgWorker *
kg_worker_new (KgCache *cache)
{
  KgWorker *self = KG_WORKER (g_object_new (KG_TYPE_WORKER, NULL));

  self->shared = start_thread (self, cache);
  return self;
}

/* The request of the abandoned thread goes to a new one. */
static void
replace_thread (KgWorker *self)
{
  g_autoptr (KgCache) cache = kg_cache_ref (self->shared->cache);

  self->n_lost++;
  dismiss_thread (g_steal_pointer (&self->shared));
  self->shared = start_thread (self, cache);
  g_signal_emit (self, signals[LOST], 0);
}

/* With the lock held, while something runs. */
static void
cancel (Shared *shared)
{
  if (shared->cancelled == 0)
    shared->cancelled = g_get_monotonic_time ();
  g_cancellable_cancel (shared->cancellable);
}

/* Cancels what has run for long enough while something newer waits, and abandons what does not stop. */
static gboolean
cancel_overdue (gpointer data)
{
  KgWorker *self = KG_WORKER (data);
  Shared *shared = self->shared;
  bool lost = false;

  self->cancel_source = 0;
  g_mutex_lock (&shared->lock);
  if (shared->waiting != NULL && shared->cancellable != NULL) {
    const gint64 due = shared->cancelled > 0 ? shared->cancelled + LOST_AFTER : shared->started + PATIENCE;
    gint64 left = due - g_get_monotonic_time ();

    lost = left <= 0 && shared->cancelled > 0;
    if (left <= 0 && !lost) {
      cancel (shared);
      left = LOST_AFTER;
    }
    if (!lost)
      self->cancel_source = g_timeout_add ((guint) (left / 1000) + 1, cancel_overdue, self);
  }
  g_mutex_unlock (&shared->lock);
  if (lost && self->n_lost < MOST_LOST)
    replace_thread (self);
  return G_SOURCE_REMOVE;
}

void
kg_worker_request (KgWorker *self, KgRequest *request)
{
  KgRequest *taken = g_memdup2 (request, sizeof *request);
  Shared *shared = self->shared;

  g_mutex_lock (&shared->lock);
  if (shared->waiting != NULL) {
    /* The snapshot of a request that never ran is still the newest there is. */
    if (taken->graph == NULL)
      taken->graph = g_steal_pointer (&shared->waiting->graph);
    g_clear_pointer (&shared->waiting, request_free);
  }
  shared->waiting = taken;
  shared->busy = true;
  if (shared->optional)
    cancel (shared);
  if (shared->cancellable != NULL && self->cancel_source == 0)
    self->cancel_source = g_timeout_add (1, cancel_overdue, self);
  g_cond_signal (&shared->wake);
  g_mutex_unlock (&shared->lock);
}

KgResultSet *
kg_worker_get_result (KgWorker *self)
{
  return self->result;
}

bool
kg_worker_is_busy (KgWorker *self)
{
  bool busy;

  g_mutex_lock (&self->shared->lock);
  busy = self->shared->busy;
  g_mutex_unlock (&self->shared->lock);
  return busy;
}

guint
kg_worker_get_n_steps (KgWorker *self, bool *renewed)
{
  g_mutex_lock (&self->shared->lock);
  *renewed = self->shared->renewed;
  g_mutex_unlock (&self->shared->lock);
  return (guint) g_atomic_int_get (&self->shared->n_steps);
}

char *
kg_worker_dup_running (KgWorker *self, double *done)
{
  char *running;

  g_mutex_lock (&self->shared->lock);
  running = g_strdup (self->shared->running);
  *done = self->shared->running_done;
  g_mutex_unlock (&self->shared->lock);
  return running;
}
