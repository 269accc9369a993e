/* kg-bench: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-bench.h"

#include "config.h"
#include "kg-regular-file.h"

#include <glib/gi18n.h>
#include <string.h>

/* How long (microseconds) paths are sampled, or frames filled in, before what is ready is shown. */
#define SHOW_EVERY 400000

/* Frames that are looked up in the cache after each evaluation. */
#define MOST_READY 20000

static void
forget_graph (KgBench *bench)
{
  g_clear_pointer (&bench->last, kg_result_set_unref);
  g_clear_pointer (&bench->images, kg_view_images_free);
  g_clear_pointer (&bench->evaluator, kg_evaluator_free);
  g_clear_object (&bench->graph);
}

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

int
kg_result_set_get_step (const KgResultSet *set)
{
  const int proxy = set->stage == NULL ? MAX (set->view.proxy, 1) : 1;

  return set->pixels != NULL ? (int) set->kept * proxy : proxy;
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

/* Evaluating. */

/* For optional work: an image beside the one that is shown. */
static void
log_error (const char *target, const GError *error)
{
  if (error != NULL && !g_error_matches (error, KG_ERROR, KG_ERROR_CANCELLED))
    g_info ("%s: no image: %s", target, error->message);
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
make_thumbnails (KgBench *bench, const KgRequest *request, KgResultSet *set, GCancellable *cancellable)
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
report_missing_file (KgBench *bench, const KgNode *node, KgResultSet *set)
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
report_nodes (KgBench *bench, KgGraph *graph, KgResultSet *set)
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
find_wanted (KgBench *bench, const KgRequest *request, KgResultSet *set, GCancellable *cancellable)
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
find_ready (KgBench *bench, const KgRequest *request, KgResultSet *set)
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
set_stage (KgBench *bench, const KgRequest *request, double time, GCancellable *cancellable, GError **error)
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
find_camera (KgBench *bench, const KgRequest *request, const GPtrArray *items, double time, GCancellable *cancellable,
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
draw_stage (KgBench *bench, const KgRequest *request, KgResultSet *set, GCancellable *cancellable, GError **error)
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

/* What is shown: all of it, or the part of an image that is in sight. */
static bool
evaluate_shown (KgBench *bench, const KgRequest *request, KgNode *node, guint slot, GCancellable *cancellable,
                KgResultSet *set, GError **error)
{
  const KgImagePart *part = &request->view.part;

  if (part->part_width > 0 && request->stage == NULL)
    return kg_evaluator_evaluate_part (bench->evaluator, node, slot, request->time, part, cancellable, &set->value,
                                       &set->is_part, error);
  return kg_evaluator_evaluate (bench->evaluator, node, slot, request->time, cancellable, &set->value, error);
}

/* Scenes are seen as they are: of smaller images they would be made otherwise. */
static double
get_proxy (const KgRequest *request)
{
  return request->stage == NULL && request->view.proxy > 1 ? 1.0 / request->view.proxy : 1;
}

KgResultSet *
kg_bench_evaluate (KgBench *bench, const KgRequest *request, GCancellable *cancellable)
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
  kg_evaluator_set_proxy (bench->evaluator, get_proxy (request));
  if (request->target == NULL && (request->stage == NULL || request->stage->len == 0))
    set->error = g_strdup (_ ("Nothing is shown yet: select a node on the canvas and press D there."));
  else if (request->target != NULL && !request->only_stage) {
    set->has_value = kg_graph_find_output (bench->graph, request->target, &node, &slot, &error) &&
                     evaluate_shown (bench, request, node, slot, cancellable, set, &error);
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

/* The states to go on from are those that were shown; a playback that has come back to the first frame begins again. */
static void
find_ongoing (KgBench *bench, const KgRequest *request)
{
  if (!request->goes_on)
    g_clear_pointer (&bench->ongoing, kg_ongoing_free);
  else if (bench->ongoing == NULL)
    bench->ongoing = kg_ongoing_new (bench->evaluator, request->time);
  else if (request->time < bench->ongoing_time) {
    kg_ongoing_free (bench->ongoing);
    bench->ongoing = kg_ongoing_new (NULL, 0);
  }
  bench->ongoing_time = request->time;
}

void
kg_bench_take_graph (KgBench *bench, KgRequest *request, KgCache *cache)
{
  find_ongoing (bench, request);
  if (request->graph != NULL) {
    forget_graph (bench);
    bench->graph = g_steal_pointer (&request->graph);
    bench->evaluator = kg_evaluator_new (bench->graph, cache);
    bench->images = kg_view_images_new (bench->graph, bench->evaluator);
  }
  if (bench->evaluator != NULL)
    kg_evaluator_set_ongoing (bench->evaluator, bench->ongoing);
}

/* (transfer full) (nullable) What is shown, at another time. */
static KgImage *
draw_frame (KgBench *bench, const KgRequest *request, KgNode *node, guint slot, double time, GCancellable *cancellable)
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
  with->is_part = set->is_part;
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
KgResultSet *
kg_bench_add_ghosts (KgBench *bench, const KgRequest *request, const KgResultSet *set, GCancellable *cancellable)
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
get_frame (KgBench *bench, double time, gint64 *frame)
{
  const double at = kg_graph_time_to_frame (bench->graph, time);

  *frame = (gint64) nearbyint (at);
  return fabs (at - (double) *frame) < 1e-6;
}

/* (transfer full) (nullable) A frame that is kept: all else is as it was, but the values that handles need. */
KgResultSet *
kg_bench_play (KgBench *bench, const KgRequest *request, GCancellable *cancellable)
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
  set->is_part = false;
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

void
kg_bench_keep_frame (KgBench *bench, const KgRequest *request, const KgResultSet *set)
{
  gint64 frame;

  if (request->store != NULL && set->image != NULL && set->error == NULL && !set->view.draft && !set->is_part &&
      get_frame (bench, set->time, &frame))
    kg_frame_store_put (request->store, request->key, frame, set->image, request->keep);
}

/* Keeps the next frame that is not kept yet, from the present one on and around.  False when there is none, when it cannot be
 * had, or when there is no room for it without dropping another. */
static bool
fill_frame (KgBench *bench, const KgRequest *request, gint64 from, guint64 bytes, GCancellable *cancellable)
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
KgResultSet *
kg_bench_sample_paths (KgBench *bench, const KgResultSet *set, GCancellable *cancellable)
{
  KgResultSet *with;

  if (!kg_path_sampler_advance (bench->paths, bench->evaluator, g_get_monotonic_time () + SHOW_EVERY, cancellable))
    return NULL;
  with = extend_set (set);
  g_hash_table_unref (with->paths);
  with->paths = kg_path_sampler_dup_paths (bench->paths);
  return with;
}

/* (transfer full) (nullable) Fills frames in for a while; what is ready then. */
KgResultSet *
kg_bench_fill_store (KgBench *bench, const KgRequest *request, const KgResultSet *set, GCancellable *cancellable)
{
  const gint64 end = g_get_monotonic_time () + SHOW_EVERY;
  const KgImage *image = bench->last != NULL ? bench->last->image : NULL;
  guint64 bytes;
  KgResultSet *with;
  gint64 frame;
  guint n = 0;

  if (request->store == NULL || request->target == NULL || image == NULL || set->view.draft || set->is_part ||
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

void
kg_bench_clear (KgBench *bench)
{
  forget_graph (bench);
  g_clear_pointer (&bench->ongoing, kg_ongoing_free);
}
