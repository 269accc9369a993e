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
#include "kg-ghost.h"
#include "kg-regular-file.h"
#include "kg-view-image.h"

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

/* While frames are filled in, how often (microseconds) it is told which. */
#define TELL_EVERY 400000

/* Frames that are looked up in the cache after each evaluation. */
#define MOST_READY 20000

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

/* Results. */

static void
node_report_free (gpointer data)
{
  KgNodeReport *report = (KgNodeReport *) data;

  g_free (report->error);
  g_free (report->warnings);
  g_clear_pointer (&report->thumbnail, kg_image_unref);
  g_free (report);
}

KgResultSet *
kg_result_set_ref (KgResultSet *set)
{
  g_atomic_ref_count_inc (&set->refs);
  return set;
}

void
kg_result_set_unref (KgResultSet *set)
{
  if (!g_atomic_ref_count_dec (&set->refs))
    return;
  if (set->has_value)
    kg_value_clear (&set->value);
  g_clear_pointer (&set->image, kg_image_unref);
  g_clear_pointer (&set->beside, kg_image_unref);
  g_clear_pointer (&set->pixels, g_bytes_unref);
  g_clear_pointer (&set->stage, g_ptr_array_unref);
  g_clear_pointer (&set->ghosts, kg_image_unref);
  g_clear_pointer (&set->values, g_hash_table_unref);
  g_clear_pointer (&set->paths, g_hash_table_unref);
  g_free (set->ready);
  g_free (set->target);
  g_free (set->error);
  g_hash_table_unref (set->nodes);
  g_hash_table_unref (set->motions);
  g_free (set);
}

void
kg_request_clear (KgRequest *request)
{
  g_clear_object (&request->graph);
  g_clear_pointer (&request->target, g_free);
  g_clear_pointer (&request->stage, g_ptr_array_unref);
  g_clear_pointer (&request->camera, g_free);
  g_clear_pointer (&request->store, kg_frame_store_unref);
  g_clear_pointer (&request->wanted, g_ptr_array_unref);
  g_clear_pointer (&request->thumbnails, g_ptr_array_unref);
  g_clear_pointer (&request->paths, g_ptr_array_unref);
}

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

typedef struct {
  Shared *shared;
  KgGraph *graph;
  KgEvaluator *evaluator;
  KgViewImages *images;
  KgStagePainter *painter;
  KgPathSampler *paths;
  KgResultSet *last; /* (nullable) of this graph, with everything that was asked for */
} Bench;

/* On the window's thread. */
static gboolean
tell_progress (gpointer data)
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
      shared->tell_source = g_idle_add (tell_progress, shared->worker);
  }
  g_mutex_unlock (&shared->lock);
}

/* For optional work: an image beside the one that is shown. */
static void
log_error (const char *target, const GError *error)
{
  if (error != NULL && !g_error_matches (error, KG_ERROR, KG_ERROR_CANCELLED))
    g_info ("%s: no picture: %s", target, error->message);
}

static KgNodeReport *
get_report (KgResultSet *set, const char *path)
{
  KgNodeReport *report = (KgNodeReport *) g_hash_table_lookup (set->nodes, path);

  if (report == NULL) {
    report = g_new0 (KgNodeReport, 1);
    g_hash_table_insert (set->nodes, g_strdup (path), report);
  }
  return report;
}

static void
make_thumbnails (Bench *bench, const KgRequest *request, KgResultSet *set, GCancellable *cancellable)
{
  for (guint i = 0; request->thumbnails != NULL && i < request->thumbnails->len; i++) {
    const char *target = (const char *) g_ptr_array_index (request->thumbnails, i);
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (KgImage) image = NULL;
    g_autoptr (GError) error = NULL;
    g_autofree char *path = NULL;
    KgNodeReport *report;
    KgNode *node;
    guint slot;

    /* The node's report says why there is no value. */
    if (!kg_graph_find_output (bench->graph, target, &node, &slot, NULL) ||
        !kg_evaluator_evaluate (bench->evaluator, node, slot, request->time, cancellable, &value, NULL))
      continue;
    if (value.kind == KG_MOTION) {
      path = kg_node_dup_path (node);
      report = get_report (set, path);
      /* The first requested output of a node becomes its thumbnail. */
      if (report->thumbnail == NULL)
        report->thumbnail = kg_motion_draw_thumbnail (value.motion);
      g_hash_table_insert (set->motions, g_strdup (target), kg_motion_ref (value.motion));
      continue;
    }
    image =
        kg_view_images_draw_thumbnail (bench->images, target, node, slot, &value, request->time, cancellable, &error);
    path = kg_node_dup_path (node);
    if (image != NULL)
      get_report (set, path)->thumbnail = g_steal_pointer (&image);
    else
      log_error (target, error);
  }
}

/* A missing file is reported even if its node is not displayed. */
static void
report_missing_file (Bench *bench, const KgNode *node, KgResultSet *set)
{
  const KgNodeType *type = kg_node_get_type (node);
  const int slot = type != NULL && type->role == KG_ROLE_FILE_INPUT ? kg_node_find_slot (node, "path") : -1;
  const KgSource *source = slot >= 0 ? kg_node_get_source (node, (guint) slot) : NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *full = NULL, *path = NULL;
  KgNodeReport *report;

  if (source == NULL || source->kind != KG_SOURCE_CONSTANT || source->constant.kind != KG_TEXT ||
      *source->constant.text == '\0' || strchr (source->constant.text, '%') != NULL)
    return;
  full = kg_regular_file_dup_path (kg_graph_get_folder (bench->graph), source->constant.text);
  if (kg_regular_file_check (full, "a file", &error))
    return;
  path = kg_node_dup_path (node);
  report = get_report (set, path);
  if (report->error == NULL)
    report->error = g_strdup (error->message);
}

static void
report_nodes (Bench *bench, KgGraph *graph, KgResultSet *set)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    g_autoptr (GError) error = kg_evaluator_dup_error (bench->evaluator, node);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (bench->evaluator, node);
    g_autofree char *path = NULL;
    KgNodeStats stats;

    kg_evaluator_get_stats (bench->evaluator, node, &stats);
    if (stats.evaluations + stats.hits > 0 || error != NULL || warnings[0] != NULL) {
      KgNodeReport *report;

      path = kg_node_dup_path (node);
      report = get_report (set, path);
      report->seconds = stats.seconds;
      report->evaluations = stats.evaluations;
      if (error != NULL)
        report->error = g_strdup (error->message);
      if (warnings[0] != NULL)
        report->warnings = g_strjoinv ("\n", warnings);
    }
    report_missing_file (bench, node, set);
    if (kg_node_get_graph (node) != NULL)
      report_nodes (bench, kg_node_get_graph (node), set);
  }
}

static void
free_value (gpointer data)
{
  kg_value_clear ((KgValue *) data);
  g_free (data);
}

static void
find_wanted (Bench *bench, const KgRequest *request, KgResultSet *set, GCancellable *cancellable)
{
  for (guint i = 0; request->wanted != NULL && i < request->wanted->len; i++) {
    const char *name = (const char *) g_ptr_array_index (request->wanted, i), *dot = strrchr (name, '.');
    g_autofree char *path = dot != NULL ? g_strndup (name, (gsize) (dot - name)) : NULL;
    KgNode *node = path != NULL ? kg_graph_find_path (bench->graph, path) : NULL;
    const int slot = node != NULL ? kg_node_find_slot (node, dot + 1) : -1;
    KgValue value = KG_VALUE_INIT;

    if (slot >= 0 &&
        kg_evaluator_evaluate (bench->evaluator, node, (guint) slot, request->time, cancellable, &value, NULL))
      g_hash_table_insert (set->values, g_strdup (name), g_memdup2 (&value, sizeof value));
  }
}

static void
find_ready (Bench *bench, const KgRequest *request, KgResultSet *set)
{
  const KgFrames frames = kg_graph_get_frames (bench->graph);
  KgNode *node;
  guint slot;

  if (!kg_graph_find_output (bench->graph, request->target, &node, &slot, NULL))
    return;
  g_clear_pointer (&set->ready, g_free);
  set->n_ready = (guint) kg_clamp (floor (frames.end - frames.start) + 1, 1, MOST_READY);
  set->ready = g_new (bool, set->n_ready);
  set->n_simulations = kg_evaluator_find_ready (bench->evaluator, node, slot, frames.start, set->n_ready, set->ready);
  for (guint i = 0; request->store != NULL && i < set->n_ready; i++)
    set->ready[i] = set->ready[i] || kg_frame_store_has (request->store, request->key, (gint64) frames.start + i);
}

/* (transfer full) What the request shows on its stage, at a time.  What has no value is left out; why, its node says.  *error:
 * why the first has none. */
static GPtrArray *
set_stage (Bench *bench, const KgRequest *request, double time, GCancellable *cancellable, GError **error)
{
  GPtrArray *items = kg_stage_copy (request->stage);

  for (guint i = 0; i < items->len; i++) {
    KgStageItem *item = (KgStageItem *) g_ptr_array_index (items, i);
    KgNode *node;
    guint slot;

    item->has_value =
        kg_graph_find_output (bench->graph, item->target, &node, &slot, NULL) &&
        kg_evaluator_evaluate (bench->evaluator, node, slot, time, cancellable, &item->value, i == 0 ? error : NULL);
  }
  return items;
}

/* Whether the scene view looks through a camera, and which. */
static bool
find_camera (Bench *bench, const KgRequest *request, const GPtrArray *items, double time, GCancellable *cancellable,
             KgCamera *camera)
{
  const KgCamera *first = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgNode *node;
  guint slot;

  if (request->view.from_scene && request->camera == NULL)
    first = kg_stage_find_camera (items);
  else if (request->view.from_scene && kg_graph_find_output (bench->graph, request->camera, &node, &slot, NULL) &&
           kg_evaluator_evaluate (bench->evaluator, node, slot, time, cancellable, &value, NULL) &&
           value.kind == KG_SCENE && kg_scene_get_n_cameras (value.scene) > 0)
    first = kg_scene_get_camera (value.scene, 0);
  if (first != NULL)
    *camera = *first;
  return first != NULL;
}

static void
draw_stage (Bench *bench, const KgRequest *request, KgResultSet *set, GCancellable *cancellable, GError **error)
{
  const gint64 start = g_get_monotonic_time ();
  const KgView *view = &request->view;
  const KgCamera *first;

  set->through = find_camera (bench, request, set->stage, request->time, cancellable, &set->camera);
  set->image = kg_stage_painter_draw (bench->painter, set->stage, view, view->width, view->height,
                                      set->through ? &set->camera : NULL, cancellable, error);
  set->drawing = 1e-6 * (double) (g_get_monotonic_time () - start);
  if (view->beside_width <= 0 || view->draft)
    return;
  first = kg_stage_find_camera (set->stage);
  if (set->has_value && set->value.kind == KG_IMAGE)
    set->beside = kg_image_ref (set->value.image);
  else if (first != NULL)
    set->beside = kg_stage_painter_draw (bench->painter, set->stage, view, view->beside_width, view->height, first,
                                         cancellable, NULL);
}

static KgResultSet *
evaluate (Bench *bench, const KgRequest *request, GCancellable *cancellable)
{
  KgResultSet *set = g_new0 (KgResultSet, 1);
  g_autoptr (GError) error = NULL;
  const gint64 start = g_get_monotonic_time ();
  KgNode *node;
  guint slot;

  g_atomic_ref_count_init (&set->refs);
  set->time = request->time;
  set->view = request->view;
  set->target = g_strdup (request->target);
  set->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, node_report_free);
  set->motions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) kg_motion_unref);
  set->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_value);
  set->paths = kg_path_sampler_dup_paths (bench->paths);
  kg_evaluator_reset_stats (bench->evaluator);
  if (request->target == NULL && (request->stage == NULL || request->stage->len == 0))
    set->error = g_strdup (_ ("Nothing is shown yet: select a node on the canvas and press D there."));
  else if (request->target != NULL && !request->only_stage) {
    set->has_value =
        kg_graph_find_output (bench->graph, request->target, &node, &slot, &error) &&
        kg_evaluator_evaluate (bench->evaluator, node, slot, request->time, cancellable, &set->value, &error);
    if (set->has_value && set->value.kind == KG_IMAGE && request->stage == NULL)
      set->image = kg_image_ref (set->value.image);
  }
  if (set->error == NULL && request->stage != NULL) {
    set->stage = set_stage (bench, request, request->time, cancellable, error == NULL ? &error : NULL);
    draw_stage (bench, request, set, cancellable, error == NULL ? &error : NULL);
  }
  if (error != NULL)
    set->error = g_strdup (error->message);
  find_wanted (bench, request, set, cancellable);
  make_thumbnails (bench, request, set, cancellable);
  report_nodes (bench, bench->graph, set);
  if (request->target != NULL && (set->has_value || set->stage != NULL))
    find_ready (bench, request, set);
  set->seconds = 1e-6 * (double) (g_get_monotonic_time () - start);
  return set;
}

/* (transfer full) (nullable) What is shown, at another time. */
static KgImage *
draw_frame (Bench *bench, const KgRequest *request, KgNode *node, guint slot, double time, GCancellable *cancellable)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  KgImage *image = NULL;

  if (time < 0)
    return NULL;
  if (request->stage != NULL) {
    g_autoptr (GPtrArray) items = set_stage (bench, request, time, cancellable, NULL);
    KgCamera camera;
    const bool through = find_camera (bench, request, items, time, cancellable, &camera);

    image = kg_stage_painter_draw (bench->painter, items, &request->view, request->view.width, request->view.height,
                                   through ? &camera : NULL, cancellable, &error);
  } else if (kg_evaluator_evaluate (bench->evaluator, node, slot, time, cancellable, &value, &error) &&
             value.kind == KG_IMAGE)
    image = kg_image_ref (value.image);
  log_error (request->target, error);
  return image;
}

/* (transfer full) Another one that holds the same. */
static KgResultSet *
copy_set (const KgResultSet *set)
{
  KgResultSet *with;

  with = g_new0 (KgResultSet, 1);
  g_atomic_ref_count_init (&with->refs);
  with->time = set->time;
  with->seconds = set->seconds;
  with->target = g_strdup (set->target);
  with->has_value = set->has_value;
  if (set->has_value)
    with->value = kg_value_copy (&set->value);
  with->stage = set->stage != NULL ? g_ptr_array_ref (set->stage) : NULL;
  with->through = set->through;
  with->camera = set->camera;
  with->beside = set->beside != NULL ? kg_image_ref (set->beside) : NULL;
  with->drawing = set->drawing;
  with->image = set->image != NULL ? kg_image_ref (set->image) : NULL;
  with->view = set->view;
  with->error = g_strdup (set->error);
  with->values = g_hash_table_ref (set->values);
  with->paths = g_hash_table_ref (set->paths);
  with->nodes = g_hash_table_ref (set->nodes);
  with->motions = g_hash_table_ref (set->motions);
  with->n_simulations = set->n_simulations;
  with->ready = g_memdup2 (set->ready, set->n_ready * sizeof (bool));
  with->n_ready = set->n_ready;
  return with;
}

/* (transfer full) (nullable) The same with images of the frames around it, from far to near. */
static KgResultSet *
add_ghosts (Bench *bench, const KgRequest *request, const KgResultSet *set, GCancellable *cancellable)
{
  const KgOnion *onion = &request->onion;
  KgImage *images[2][KG_ONION_MAX] = { { NULL } };
  g_autoptr (KgImage) ghosts = NULL;
  int counts[2];
  KgResultSet *with;
  KgNode *node;
  guint slot;

  if ((onion->before <= 0 && onion->after <= 0) || set->image == NULL || set->view.draft || set->target == NULL ||
      !kg_graph_find_output (bench->graph, request->target, &node, &slot, NULL))
    return NULL;
  counts[0] = CLAMP (onion->before, 0, KG_ONION_MAX);
  counts[1] = CLAMP (onion->after, 0, KG_ONION_MAX);
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < counts[side] && !g_cancellable_is_cancelled (cancellable); i++)
      images[side][i] = draw_frame (bench, request, node, slot,
                                    request->time + (side == 0 ? -1 : 1) * (i + 1) * onion->step, cancellable);
  for (int i = KG_ONION_MAX - 1; i >= 0; i--)
    for (int side = 0; side < 2; side++) {
      const KgImage *neighbor = i > 0 ? images[side][i - 1] : i + 1 < KG_ONION_MAX ? images[side][i + 1] : NULL;

      if (images[side][i] != NULL)
        kg_ghost_add (&ghosts, images[side][i], set->stage == NULL ? set->image : NULL, neighbor, side == 0,
                      onion->opacity * (counts[side] - i) / counts[side]);
    }
  for (int i = 0; i < 2 * KG_ONION_MAX; i++)
    g_clear_pointer (&images[i / KG_ONION_MAX][i % KG_ONION_MAX], kg_image_unref);
  if (ghosts == NULL || g_cancellable_is_cancelled (cancellable))
    return NULL;
  with = copy_set (set);
  with->ghosts = g_steal_pointer (&ghosts);
  return with;
}

/* The whole number of the frame at a time; false between frames. */
static bool
get_frame (Bench *bench, double time, gint64 *frame)
{
  const double at = kg_graph_time_to_frame (bench->graph, time);

  *frame = (gint64) nearbyint (at);
  return fabs (at - (double) *frame) < 1e-6;
}

/* (transfer full) (nullable) A frame that is kept: all else is as it was, but the values that handles need. */
static KgResultSet *
make_played (Bench *bench, const KgRequest *request, GCancellable *cancellable)
{
  const gint64 start = g_get_monotonic_time ();
  KgResultSet *set;
  GBytes *pixels;
  int width, height;
  gint64 frame;

  if (!request->plays || request->store == NULL || bench->last == NULL || !get_frame (bench, request->time, &frame))
    return NULL;
  pixels = kg_frame_store_get (request->store, request->key, frame, &width, &height);
  if (pixels == NULL)
    return NULL;
  set = copy_set (bench->last);
  set->time = request->time;
  set->view = request->view;
  g_clear_pointer (&set->image, kg_image_unref);
  set->pixels = pixels;
  set->pixels_width = width;
  set->pixels_height = height;
  set->kept = request->keep;
  g_hash_table_unref (set->values);
  set->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_value);
  g_hash_table_unref (set->paths);
  set->paths = kg_path_sampler_dup_paths (bench->paths);
  find_wanted (bench, request, set, cancellable);
  set->seconds = 1e-6 * (double) (g_get_monotonic_time () - start);
  return set;
}

static void
keep_frame (Bench *bench, const KgRequest *request, const KgResultSet *set)
{
  gint64 frame;

  if (request->store != NULL && set->image != NULL && set->error == NULL && !set->view.draft &&
      get_frame (bench, set->time, &frame))
    kg_frame_store_put (request->store, request->key, frame, set->image, request->keep);
}

/* Keeps the next frame that is not kept yet, from the present one on and around.  False when there is none, when it cannot be
 * had, or when there is no room for it without dropping another. */
static bool
fill_frame (Bench *bench, const KgRequest *request, gint64 from, guint64 bytes, GCancellable *cancellable)
{
  const KgFrames frames = kg_graph_get_frames (bench->graph);
  const gint64 first = (gint64) frames.start, n = (gint64) (frames.end - frames.start) + 1;
  KgNode *node;
  guint slot;

  if (!kg_graph_find_output (bench->graph, request->target, &node, &slot, NULL) ||
      !kg_frame_store_has_room (request->store, bytes))
    return false;
  for (gint64 i = 1; i < n; i++) {
    const gint64 frame = first + (from - first + i) % n;
    g_autoptr (KgImage) image = NULL;

    if (kg_frame_store_has (request->store, request->key, frame))
      continue;
    image = draw_frame (bench, request, node, slot, kg_graph_frame_to_time (bench->graph, (double) frame), cancellable);
    /* One that cannot be had is not waited for. */
    if (image == NULL && !g_cancellable_is_cancelled (cancellable))
      continue;
    return image != NULL && !g_cancellable_is_cancelled (cancellable) &&
           kg_frame_store_put (request->store, request->key, frame, image, request->keep);
  }
  return false;
}

/* (transfer full) The same set, with what came to be known since. */
static KgResultSet *
extend_set (const KgResultSet *set)
{
  KgResultSet *with = copy_set (set);

  with->pixels = set->pixels != NULL ? g_bytes_ref (set->pixels) : NULL;
  with->pixels_width = set->pixels_width;
  with->pixels_height = set->pixels_height;
  with->kept = set->kept;
  with->ghosts = set->ghosts != NULL ? kg_image_ref (set->ghosts) : NULL;
  return with;
}

/* (transfer full) (nullable) Samples paths for a while; as far as they go then. */
static KgResultSet *
sample_paths (Bench *bench, const KgResultSet *set, GCancellable *cancellable)
{
  KgResultSet *with;

  if (!kg_path_sampler_advance (bench->paths, bench->evaluator, g_get_monotonic_time () + TELL_EVERY, cancellable))
    return NULL;
  with = extend_set (set);
  g_hash_table_unref (with->paths);
  with->paths = kg_path_sampler_dup_paths (bench->paths);
  return with;
}

/* (transfer full) (nullable) Fills frames in for a while; what is ready then. */
static KgResultSet *
fill_store (Bench *bench, const KgRequest *request, const KgResultSet *set, GCancellable *cancellable)
{
  const gint64 end = g_get_monotonic_time () + TELL_EVERY;
  const KgImage *image = bench->last != NULL ? bench->last->image : NULL;
  guint64 bytes;
  KgResultSet *with;
  gint64 frame;
  guint n = 0;

  if (request->store == NULL || request->target == NULL || image == NULL || set->view.draft ||
      !get_frame (bench, set->time, &frame))
    return NULL;
  bytes = 8 * (guint64) (kg_image_get_width (image) / (int) request->keep + 1) *
          (guint64) (kg_image_get_height (image) / (int) request->keep + 1);
  while (g_get_monotonic_time () < end && !g_cancellable_is_cancelled (cancellable) &&
         fill_frame (bench, request, frame, bytes, cancellable))
    n++;
  if (n == 0)
    return NULL;
  with = extend_set (set);
  find_ready (bench, request, with);
  return with;
}

static void
clear_bench (Bench *bench)
{
  g_clear_pointer (&bench->last, kg_result_set_unref);
  g_clear_pointer (&bench->images, kg_view_images_free);
  g_clear_pointer (&bench->evaluator, kg_evaluator_free);
  g_clear_object (&bench->graph);
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
take_snapshot (Bench *bench, KgRequest *request)
{
  if (request->graph == NULL)
    return;
  clear_bench (bench);
  bench->graph = g_steal_pointer (&request->graph);
  bench->evaluator = kg_evaluator_new (bench->graph, bench->shared->cache);
  bench->images = kg_view_images_new (bench->graph, bench->evaluator);
  kg_evaluator_set_progress (bench->evaluator, on_progress, bench->shared);
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
  Bench bench = { .shared = shared, .painter = kg_stage_painter_new (), .paths = kg_path_sampler_new () };

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
    take_snapshot (&bench, request);
    if (bench.graph != NULL) {
      kg_evaluator_count_steps (bench.evaluator, &shared->n_steps);
      kg_path_sampler_set (bench.paths, request->paths, bench.graph);
      set = make_played (&bench, request, cancellable);
    }
    if (bench.graph != NULL && set == NULL) {
      set = evaluate (&bench, request, cancellable);
      if (!g_cancellable_is_cancelled (cancellable)) {
        keep_frame (&bench, request, set);
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
      if (shared->waiting == NULL && !shared->quit) {
        g_mutex_unlock (&shared->lock);
        ghosts = add_ghosts (&bench, request, set, cancellable);
        g_mutex_lock (&shared->lock);
      }
      if (ghosts != NULL)
        publish (shared, kg_result_set_ref (ghosts));
      while (shared->waiting == NULL && !shared->quit) {
        KgResultSet *more, *latest = ghosts != NULL ? ghosts : set;

        g_mutex_unlock (&shared->lock);
        more = sample_paths (&bench, latest, cancellable);
        if (more == NULL)
          more = fill_store (&bench, request, latest, cancellable);
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
  clear_bench (&bench);
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
