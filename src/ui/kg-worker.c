/* kg-worker: see the header.
 *
 * The lock guards what the two threads share: the waiting request, the running one's cancellable, the result, and what
 * is running.  The thread owns its snapshot and its evaluator.  Geometry, skeletons and scenes are drawn by the same
 * nodes that render them: they are added to the snapshot, behind the output that is shown.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-worker.h"

#include "config.h"

#include <glib/gi18n.h>

#define PROGRESS_EVERY 50000 /* microseconds */

/* An evaluation is let finish for so long (microseconds) when a newer request waits: cancelling at once would show
 * nothing at all while a slider is dragged. */
#define PATIENCE 250000

#define THUMBNAIL_WIDTH 120
#define THUMBNAIL_HEIGHT 68

enum { DONE, PROGRESS, N_SIGNALS };

static guint signals[N_SIGNALS];

struct _KgWorker {
  GObject parent_instance;
  KgCache *cache;
  GThread *thread;
  GMutex lock;
  GCond wake;
  KgRequest *waiting;
  GCancellable *cancellable; /* of the one that runs */
  KgResultSet *made;         /* by the thread, not yet seen by the window */
  KgResultSet *result;       /* the window's */
  char *running;
  double running_done;
  gint64 told;    /* when progress was last told */
  gint64 started; /* the one that runs */
  bool quit, busy;
  guint tell_source, done_source, cancel_source;
};

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
  g_clear_pointer (&set->picture, kg_image_unref);
  g_free (set->target);
  g_free (set->error);
  g_hash_table_unref (set->nodes);
  g_hash_table_unref (set->motions);
  g_free (set);
}

static void
request_free (KgRequest *request)
{
  g_clear_object (&request->graph);
  g_free (request->target);
  g_clear_pointer (&request->thumbnails, g_ptr_array_unref);
  g_free (request);
}

/* On the thread. */

typedef struct {
  KgWorker *worker;
  KgGraph *graph;
  KgEvaluator *evaluator;
  GHashTable *viewers; /* "path.output" -> name of the node that draws it, in the same graph */
} Bench;

static gboolean
tell_progress (gpointer data)
{
  KgWorker *self = (KgWorker *) data;

  g_mutex_lock (&self->lock);
  self->tell_source = 0;
  g_mutex_unlock (&self->lock);
  g_signal_emit (self, signals[PROGRESS], 0);
  return G_SOURCE_REMOVE;
}

static void
on_progress (const char *node, double done, gpointer data)
{
  KgWorker *self = (KgWorker *) data;
  const gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&self->lock);
  if (now - self->told > PROGRESS_EVERY) {
    self->told = now;
    g_free (self->running);
    self->running = g_strdup (node);
    self->running_done = done;
    if (self->tell_source == 0 && !self->quit)
      self->tell_source = g_idle_add (tell_progress, self);
  }
  g_mutex_unlock (&self->lock);
}

static void
set_number (KgGraph *graph, KgNode *node, const char *slot, double x)
{
  const KgValue value = kg_value_number (x);

  kg_graph_set_constant (graph, node, slot, &value, NULL);
}

static void
set_vector (KgGraph *graph, KgNode *node, const char *slot, KgVector v)
{
  const KgValue value = kg_value_vector (v);

  kg_graph_set_constant (graph, node, slot, &value, NULL);
}

/* Nodes behind the output that make a picture of it; (nullable) when it is not something to draw. */
static KgNode *
add_viewer (KgNode *node, guint slot, KgKind kind)
{
  KgGraph *graph = kg_node_get_parent (node);
  const char *output = kg_node_get_slot (node, slot)->name;
  KgNode *object = NULL, *camera, *scene;
  g_autofree char *scenes = NULL;

  if (kind == KG_SKELETON) {
    KgNode *bones = kg_graph_add (graph, "rig/skeleton_geometry", NULL, 0, 0, NULL);

    if (bones == NULL || !kg_graph_set_json (graph, bones, "style", "\"solids\"", NULL) ||
        !kg_graph_link (graph, node, output, bones, "skeleton", NULL))
      return NULL;
    node = bones;
    output = "geometry";
    kind = KG_GEOMETRY;
  }
  if (kind == KG_GEOMETRY) {
    object = kg_graph_add (graph, "render/object", NULL, 0, 0, NULL);
    if (object == NULL || !kg_graph_link (graph, node, output, object, "geometry", NULL))
      return NULL;
    kg_graph_set_json (graph, object, "shading", "\"gouraud\"", NULL);
    node = object;
    output = "scene";
  } else if (kind != KG_SCENE)
    return NULL;
  camera = kg_graph_add (graph, "render/camera", NULL, 0, 0, NULL);
  scene = kg_graph_add (graph, "render/scene", NULL, 0, 0, NULL);
  if (camera == NULL || scene == NULL)
    return NULL;
  scenes = g_strdup_printf ("[{\"link\": \"%s.scene\"}, {\"link\": \"%s.%s\"}]", kg_node_get_name (camera),
                            kg_node_get_name (node), output);
  if (!kg_graph_set_json (graph, scene, "scenes", scenes, NULL))
    return NULL;
  return scene;
}

/* The picture node of an output, with the camera where the view has it. */
static KgNode *
get_viewer (Bench *bench, const char *target, KgNode *node, guint slot, KgKind kind, const KgView *view)
{
  KgGraph *graph = kg_node_get_parent (node);
  const char *name = (const char *) g_hash_table_lookup (bench->viewers, target);
  KgNode *scene = name != NULL ? kg_graph_find (graph, name) : add_viewer (node, slot, kind);
  KgNode *camera = NULL, *shown = NULL;
  guint output;

  if (scene == NULL)
    return NULL;
  if (name == NULL)
    g_hash_table_insert (bench->viewers, g_strdup (target), g_strdup (kg_node_get_name (scene)));
  {
    const int scenes = kg_node_find_slot (scene, "scenes");

    for (guint i = 0; i < 2; i++) {
      KgNode *from;

      if (!kg_node_get_link (scene, (guint) scenes, i, &from, &output))
        continue;
      if (g_str_equal (kg_node_get_type_id (from), "render/camera") && camera == NULL &&
          kg_node_get_parent (from) == graph && from != node)
        camera = from;
      else
        shown = from;
    }
  }
  if (camera == NULL || shown == NULL)
    return NULL;
  set_number (graph, scene, "width", view->width);
  set_number (graph, scene, "height", view->height);
  set_vector (graph, camera, "position", view->eye);
  set_vector (graph, camera, "target", view->target);
  set_number (graph, camera, "fov", view->fov);
  set_number (graph, camera, "near", view->near_plane);
  set_number (graph, camera, "far", view->far_plane);
  if (g_str_equal (kg_node_get_type_id (shown), "render/object") && shown != node) {
    kg_graph_set_json (graph, shown, "wireframe", view->wireframe ? "true" : "false", NULL);
  } else {
    /* The first camera is the one that counts. */
    g_autofree char *scenes = NULL;
    g_autofree char *text = g_strdup_printf ("{\"link\": \"%s.scene\"}", kg_node_get_name (camera));
    g_autofree char *link =
        g_strdup_printf ("{\"link\": \"%s.%s\"}", kg_node_get_name (shown), kg_node_get_slot (node, slot)->name);

    scenes = view->from_scene ? g_strdup_printf ("[%s, %s]", link, text) : g_strdup_printf ("[%s, %s]", text, link);
    kg_graph_set_json (graph, scene, "scenes", scenes, NULL);
  }
  return scene;
}

static KgImage *
draw_view (Bench *bench, const char *target, KgNode *node, guint slot, const KgValue *value, double time,
           const KgView *view, GCancellable *cancellable, char **error)
{
  g_autoptr (GError) failed = NULL;
  KgValue picture = KG_VALUE_INIT;
  KgNode *viewer;
  int output;

  if (value->kind == KG_IMAGE)
    return kg_image_ref (value->image);
  if (view->width <= 0 || view->height <= 0)
    return NULL;
  viewer = get_viewer (bench, target, node, slot, value->kind, view);
  if (viewer == NULL)
    return NULL;
  output = kg_node_find_slot (viewer, "image");
  if (kg_evaluator_evaluate (bench->evaluator, viewer, (guint) output, time, cancellable, &picture, &failed))
    return picture.image;
  if (error != NULL && *error == NULL)
    *error = g_strdup (failed->message);
  return NULL;
}

/* A small picture with the proportions of the large one: the mean of what each of its pixels covers. */
static KgImage *
shrink (const KgImage *image)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const double scale = MIN (1.0, MIN ((double) THUMBNAIL_WIDTH / width, (double) THUMBNAIL_HEIGHT / height));
  const int w = MAX (1, (int) (width * scale)), h = MAX (1, (int) (height * scale));
  KgImage *small = kg_image_new (w, h, false, NULL);
  const float *from = kg_image_get_pixels (image);
  float *to;

  if (small == NULL)
    return NULL;
  to = kg_image_edit_pixels (small);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const int x0 = (int) ((int64_t) x * width / w), x1 = MAX (x0 + 1, (int) ((int64_t) (x + 1) * width / w));
      const int y0 = (int) ((int64_t) y * height / h), y1 = MAX (y0 + 1, (int) ((int64_t) (y + 1) * height / h));
      double sum[4] = { 0 };

      for (int v = y0; v < y1; v++)
        for (int u = x0; u < x1; u++)
          for (int c = 0; c < 4; c++)
            sum[c] += (double) from[4 * ((size_t) v * (size_t) width + (size_t) u) + (size_t) c];
      for (int c = 0; c < 4; c++)
        to[4 * (y * w + x) + c] = (float) (sum[c] / ((double) (x1 - x0) * (y1 - y0)));
    }
  return small;
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

/* A view from the front, a little above, that has all of it in sight. */
static KgView
thumbnail_view (const KgValue *value)
{
  KgView view = { .width = 2 * THUMBNAIL_WIDTH,
                  .height = 2 * THUMBNAIL_HEIGHT,
                  .from_scene = true,
                  .eye = { 0, 1.5, 6 },
                  .fov = 40,
                  .near_plane = 0.01,
                  .far_plane = 1000 };
  KgVector low, high;

  if (value->kind == KG_GEOMETRY && kg_geometry_get_bounds (value->geometry, &low, &high)) {
    const double radius = fmax (0.5 * kg_vector_distance (low, high), 1e-6);
    const double distance = radius / sin (0.5 * view.fov * KG_DEGREE);

    view.target = kg_vector_lerp (low, high, 0.5);
    view.eye = kg_vector_add (view.target, kg_vector_scale (kg_vector (0.25, 0.3, 0.92), distance));
    view.near_plane = 1e-3 * distance;
    view.far_plane = 4 * distance;
  }
  return view;
}

/* The first component of each channel over its range, as a line. */
static KgImage *
draw_motion (const KgMotion *motion)
{
  enum { STEPS = THUMBNAIL_WIDTH };
  KgImage *image = kg_image_new (THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, false, NULL);
  double low = INFINITY, high = -INFINITY, values[STEPS + 1];
  float *pixels = image != NULL ? kg_image_edit_pixels (image) : NULL;

  for (guint c = 0; pixels != NULL && c < kg_motion_get_n_channels (motion); c++) {
    const KgChannel *channel = kg_motion_get_channel (motion, c);
    double from, to, x[KG_CHANNEL_MAX_WIDTH];
    int before = -1;

    kg_channel_get_range (channel, &from, &to);
    for (int i = 0; i <= STEPS; i++) {
      kg_channel_evaluate (channel, from + (to - from) * i / STEPS, x);
      values[i] = x[0];
      low = fmin (low, x[0]);
      high = fmax (high, x[0]);
    }
    for (int i = 0; i < THUMBNAIL_WIDTH && isfinite (high - low); i++) {
      const double share = high > low ? (values[i] - low) / (high - low) : 0.5;
      const int y = (int) ((THUMBNAIL_HEIGHT - 5) * (1 - share)) + 2;

      /* Every row on the way from the last column, so that steep parts stay a line. */
      for (int row = before < 0 ? y : MIN (before, y); row <= (before < 0 ? y : MAX (before, y)); row++)
        for (int d = 0; d < 2; d++) {
          float *p = pixels + 4 * ((row + d) * THUMBNAIL_WIDTH + i);

          p[0] = 0.9f;
          p[1] = 0.35f;
          p[2] = 0.08f;
          p[3] = 1;
        }
      before = y;
    }
  }
  return image;
}

static void
make_thumbnails (Bench *bench, const KgRequest *request, KgResultSet *set, GCancellable *cancellable)
{
  for (guint i = 0; request->thumbnails != NULL && i < request->thumbnails->len; i++) {
    const char *target = (const char *) g_ptr_array_index (request->thumbnails, i);
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (KgImage) picture = NULL;
    g_autofree char *path = NULL, *key = NULL;
    KgNodeReport *report;
    KgNode *node;
    KgView view;
    guint slot;

    if (!kg_graph_find_output (bench->graph, target, &node, &slot, NULL) ||
        !kg_evaluator_evaluate (bench->evaluator, node, slot, request->time, cancellable, &value, NULL))
      continue;
    if (value.kind == KG_MOTION) {
      path = kg_node_dup_path (node);
      report = get_report (set, path);
      /* Of several outputs of a node the first that was asked for is its small picture. */
      if (report->thumbnail == NULL)
        report->thumbnail = draw_motion (value.motion);
      g_hash_table_insert (set->motions, g_strdup (target), kg_motion_ref (value.motion));
      continue;
    }
    view = thumbnail_view (&value);
    key = g_strconcat (target, " small", NULL);
    picture = draw_view (bench, key, node, slot, &value, request->time, &view, cancellable, NULL);
    path = kg_node_dup_path (node);
    if (picture != NULL)
      get_report (set, path)->thumbnail = shrink (picture);
  }
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
    if (kg_node_get_graph (node) != NULL)
      report_nodes (bench, kg_node_get_graph (node), set);
  }
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
  kg_evaluator_reset_stats (bench->evaluator);
  if (request->target == NULL)
    set->error = g_strdup (_ ("Nothing is shown yet: select a node and press D."));
  else if (!kg_graph_find_output (bench->graph, request->target, &node, &slot, &error) ||
           !kg_evaluator_evaluate (bench->evaluator, node, slot, request->time, cancellable, &set->value, &error))
    set->error = g_strdup (error->message);
  else {
    set->has_value = true;
    set->picture = draw_view (bench, request->target, node, slot, &set->value, request->time, &request->view,
                              cancellable, &set->error);
  }
  make_thumbnails (bench, request, set, cancellable);
  report_nodes (bench, bench->graph, set);
  set->seconds = 1e-6 * (double) (g_get_monotonic_time () - start);
  return set;
}

static void
clear_bench (Bench *bench)
{
  g_clear_pointer (&bench->evaluator, kg_evaluator_free);
  g_clear_object (&bench->graph);
  g_clear_pointer (&bench->viewers, g_hash_table_unref);
}

static gboolean
tell_done (gpointer data)
{
  KgWorker *self = (KgWorker *) data;
  KgResultSet *made;

  g_mutex_lock (&self->lock);
  made = g_steal_pointer (&self->made);
  self->done_source = 0;
  g_mutex_unlock (&self->lock);
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
  /* Viewers are added to it, which nobody will want to undo. */
  kg_graph_set_recording (bench->graph, false);
  bench->evaluator = kg_evaluator_new (bench->graph, bench->worker->cache);
  bench->viewers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  kg_evaluator_set_progress (bench->evaluator, on_progress, bench->worker);
}

static gpointer
work (gpointer data)
{
  KgWorker *self = (KgWorker *) data;
  Bench bench = { .worker = self };

  g_mutex_lock (&self->lock);
  while (!self->quit) {
    KgRequest *request = g_steal_pointer (&self->waiting);
    GCancellable *cancellable;
    KgResultSet *set = NULL;

    if (request == NULL) {
      self->busy = false;
      g_cond_wait (&self->wake, &self->lock);
      continue;
    }
    cancellable = self->cancellable = g_cancellable_new ();
    self->started = g_get_monotonic_time ();
    g_mutex_unlock (&self->lock);
    take_snapshot (&bench, request);
    if (bench.graph != NULL)
      set = evaluate (&bench, request, cancellable);
    request_free (request);
    g_mutex_lock (&self->lock);
    if (set != NULL && !g_cancellable_is_cancelled (cancellable)) {
      g_clear_pointer (&self->made, kg_result_set_unref);
      self->made = g_steal_pointer (&set);
      if (self->done_source == 0 && !self->quit)
        self->done_source = g_idle_add (tell_done, self);
    }
    g_clear_pointer (&self->running, g_free);
    g_clear_object (&self->cancellable);
    if (set != NULL) {
      g_mutex_unlock (&self->lock);
      kg_result_set_unref (set);
      g_mutex_lock (&self->lock);
    }
  }
  g_mutex_unlock (&self->lock);
  clear_bench (&bench);
  return NULL;
}

/* On the window's thread. */

static void
kg_worker_dispose (GObject *object)
{
  KgWorker *self = KG_WORKER (object);

  if (self->thread != NULL) {
    g_mutex_lock (&self->lock);
    self->quit = true;
    if (self->cancellable != NULL)
      g_cancellable_cancel (self->cancellable);
    g_cond_signal (&self->wake);
    g_mutex_unlock (&self->lock);
    g_thread_join (g_steal_pointer (&self->thread));
  }
  g_clear_handle_id (&self->tell_source, g_source_remove);
  g_clear_handle_id (&self->done_source, g_source_remove);
  g_clear_handle_id (&self->cancel_source, g_source_remove);
  G_OBJECT_CLASS (kg_worker_parent_class)->dispose (object);
}

static void
kg_worker_finalize (GObject *object)
{
  KgWorker *self = KG_WORKER (object);

  g_clear_pointer (&self->waiting, request_free);
  g_clear_pointer (&self->made, kg_result_set_unref);
  g_clear_pointer (&self->result, kg_result_set_unref);
  g_free (self->running);
  kg_cache_unref (self->cache);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  G_OBJECT_CLASS (kg_worker_parent_class)->finalize (object);
}

static void
kg_worker_class_init (KgWorkerClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_worker_dispose;
  G_OBJECT_CLASS (class)->finalize = kg_worker_finalize;
  signals[DONE] = g_signal_new ("done", KG_TYPE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROGRESS] = g_signal_new ("progress", KG_TYPE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
kg_worker_init (KgWorker *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
}

KgWorker *
kg_worker_new (KgCache *cache)
{
  KgWorker *self = KG_WORKER (g_object_new (KG_TYPE_WORKER, NULL));

  self->cache = kg_cache_ref (cache);
  self->thread = g_thread_new ("evaluation", work, self);
  return self;
}

/* Cancels what has run for long enough while something newer waits. */
static gboolean
lose_patience (gpointer data)
{
  KgWorker *self = (KgWorker *) data;

  g_mutex_lock (&self->lock);
  self->cancel_source = 0;
  if (self->waiting != NULL && self->cancellable != NULL) {
    const gint64 left = self->started + PATIENCE - g_get_monotonic_time ();

    if (left <= 0)
      g_cancellable_cancel (self->cancellable);
    else
      self->cancel_source = g_timeout_add ((guint) (left / 1000) + 1, lose_patience, self);
  }
  g_mutex_unlock (&self->lock);
  return G_SOURCE_REMOVE;
}

void
kg_worker_request (KgWorker *self, KgRequest *request)
{
  KgRequest *taken = g_memdup2 (request, sizeof *request);

  g_mutex_lock (&self->lock);
  if (self->waiting != NULL) {
    /* The snapshot of a request that never ran is still the newest there is. */
    if (taken->graph == NULL)
      taken->graph = g_steal_pointer (&self->waiting->graph);
    g_clear_pointer (&self->waiting, request_free);
  }
  self->waiting = taken;
  self->busy = true;
  if (self->cancellable != NULL && self->cancel_source == 0)
    self->cancel_source = g_timeout_add (1, lose_patience, self);
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
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

  g_mutex_lock (&self->lock);
  busy = self->busy;
  g_mutex_unlock (&self->lock);
  return busy;
}

char *
kg_worker_dup_running (KgWorker *self, double *done)
{
  char *running;

  g_mutex_lock (&self->lock);
  running = g_strdup (self->running);
  *done = self->running_done;
  g_mutex_unlock (&self->lock);
  return running;
}
