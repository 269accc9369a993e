/* kg-render: frames of a graph into files.
 *
 * Workers take frame numbers in order.  Images they write themselves.  The frames of a movie or a stream go through a
 * window of a few slots: whichever worker completes the next frame in order hands it, and those that wait behind it, to the
 * encoder, and a worker that is too far ahead waits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-render.h"

#include "kg-frame-rate.h"
#include "kg-image-file.h"
#include "kg-movie-file.h"
#include "kg-output-file.h"
#include "kg-render-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>

/* Samples of each channel that are handed on at a time. */
#define SOUND_BLOCK 4096

/* A frame of a movie that waits for its turn. */
typedef struct {
  bool present;
  KgImage *image; /* NULL: it failed */
} Waiting;

typedef struct {
  /* Borrowed. */
  KgGraph *graph;
  const KgRenderOptions *options;
  const KgRenderOutput *output;
  GCancellable *cancellable;
  KgRenderReport *report;
  KgCache *cache;
  GError **first_error;

  guint64 n_frames;
  guint n_jobs;
  int n_kernel_threads; /* of each worker */
  bool is_movie;
  KgImageFormat format; /* of images */
  KgHash settings;      /* that the images of all frames depend on */

  /* Under the lock. */
  GMutex lock;
  GCond changed;
  guint64 next; /* frame to start */
  bool stop;    /* nothing more can be written */
  int64_t first_failed;
  bool warned_of_alpha;
  GHashTable *warned; /* (element-type utf8) node and message of the warnings reported so far */

  /* Movies. */
  Waiting *window; /* n_window slots, of frames written .. written + n_window - 1 */
  guint64 n_window;
  guint64 n_written;
  bool writing; /* a worker is at the encoder: the two below are its own */
  KgMovie *movie;
  KgStream *stream;   /* instead of the movie */
  KgImage *last_good; /* stands in for frames that fail */
  KgSound *sound;     /* (nullable) of the movie, or alone */
  int rate, per;      /* frames per so many seconds of the graph, as movies count them */
} Job;

typedef struct {
  Job *job;
  GThread *thread;
  KgGraph *graph; /* a snapshot of the worker's own */
} Worker;

static int64_t
get_frame (const Job *job, guint64 index)
{
  return kg_render_get_frame (&job->output->range, index);
}

/* Takes error.  With the lock held. */
static void
report_frame (Job *job, guint64 index, KgRenderOutcome outcome, GError *error)
{
  KgRenderReport *report = job->report;
  g_autofree char *path = kg_render_expand_path (job->output->path, get_frame (job, index));
  KgRenderEvent event = { .outcome = outcome, .path = path, .frame = get_frame (job, index), .error = error };

  report->done += outcome == KG_RENDER_FRAME_DONE;
  report->skipped += outcome == KG_RENDER_FRAME_SKIPPED;
  report->failed += outcome == KG_RENDER_FRAME_FAILED;
  event.total = report->total;
  event.done = report->done + report->skipped + report->failed;
  if (job->options->progress != NULL)
    job->options->progress (&event, job->options->data);
  if (error == NULL)
    return;
  /* The first in the order of frames, whichever worker came first. */
  if (*job->first_error == NULL || event.frame < job->first_failed) {
    job->first_failed = event.frame;
    g_clear_error (job->first_error);
    *job->first_error = g_steal_pointer (&error);
    kg_prefix_error (job->first_error, "frame %" PRId64 ": ", event.frame);
  }
  g_clear_error (&error);
}

static void
stop (Job *job)
{
  job->stop = true;
  g_cond_broadcast (&job->changed);
}

/* Everything the image depends on, as text for its file. */
static char *
make_fingerprint (const Job *job, KgNode *node, int64_t frame)
{
  const KgFrames frames = kg_graph_get_frames (job->graph);
  KgHash hash = job->settings;

  hash = kg_hash_text (hash, job->output->slot);
  hash = kg_hash_uint (hash, (uint64_t) frame);
  hash = kg_hash_double (kg_hash_double (hash, frames.start), frames.rate);
  hash = kg_hash_uint (kg_hash_uint (hash, (uint64_t) job->options->width), (uint64_t) job->options->height);
  hash = kg_hash_uint (hash, job->format);
  hash = kg_hash_join (hash, kg_render_hash_files (node, frame));
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", hash.a, hash.b);
}

/* With the lock held. */
static void
report_warnings (Job *job, KgEvaluator *evaluator, KgGraph *graph, int64_t frame)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (evaluator, node);

    for (guint k = 0; warnings[k] != NULL; k++) {
      g_autofree char *path = kg_node_dup_path (node);

      if (g_hash_table_add (job->warned, g_strdup_printf ("%s: %s", path, warnings[k])))
        job->options->warning (frame, path, warnings[k], job->options->data);
    }
    if (kg_node_get_graph (node) != NULL)
      report_warnings (job, evaluator, kg_node_get_graph (node), frame);
  }
}

/* (transfer full) (nullable) */
static KgImage *
evaluate_frame (Job *job, KgEvaluator *evaluator, KgNode *node, guint slot, int64_t frame, GError **error)
{
  const double time = kg_graph_frame_to_time (kg_evaluator_get_graph (evaluator), (double) frame);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_auto (KgValue) image = KG_VALUE_INIT;
  const bool good = kg_evaluator_evaluate (evaluator, node, slot, time, job->cancellable, &value, error);

  if (job->options->warning != NULL) {
    g_mutex_lock (&job->lock);
    report_warnings (job, evaluator, kg_evaluator_get_graph (evaluator), frame);
    g_mutex_unlock (&job->lock);
  }
  if (!good)
    return NULL;
  if (!kg_render_check_kind (node, slot, value.kind, error)) {
    /* This error is the same for every frame. */
    g_mutex_lock (&job->lock);
    stop (job);
    g_mutex_unlock (&job->lock);
    return NULL;
  }
  if (!kg_value_convert (&value, KG_IMAGE, &image, error)) {
    g_prefix_error (error, "%s.%s: ", job->output->node, job->output->slot);
    return NULL;
  }
  return kg_image_ref (image.image);
}

/* If the image of a frame does not fit into memory, this frame fails. */
typedef struct {
  Job *job;
  KgImage *image; /* (transfer none) */
  const char *path, *fingerprint;
} Writing;

/* Images. */

static bool
save_image (gpointer data, GError **error)
{
  const Writing *writing = (const Writing *) data;

  return kg_image_save (writing->image, writing->path, writing->job->format,
                        kg_graph_get_frames (writing->job->graph).rate / (double) writing->job->output->range.step,
                        writing->fingerprint, error);
}

static void
render_image (Job *job, KgEvaluator *evaluator, KgNode *node, guint slot, guint64 index)
{
  const int64_t frame = get_frame (job, index);
  g_autofree char *path = kg_render_expand_path (job->output->path, frame);
  g_autofree char *fingerprint = make_fingerprint (job, node, frame);
  KgRenderOutcome outcome = KG_RENDER_FRAME_DONE;
  GError *error = NULL;

  if (!kg_render_check_writable (job->graph, job->options, path, &error))
    outcome = KG_RENDER_FRAME_FAILED;
  else if (job->options->resume) {
    g_autofree char *comment = NULL;

    kg_output_file_sweep (path);
    comment = kg_image_read_comment (path);
    if (g_strcmp0 (comment, fingerprint) == 0 && kg_image_is_complete (path))
      outcome = KG_RENDER_FRAME_SKIPPED;
  }
  if (outcome == KG_RENDER_FRAME_DONE) {
    g_autoptr (KgImage) image = evaluate_frame (job, evaluator, node, slot, frame, &error);
    Writing writing = { job, image, path, fingerprint };

    if (image == NULL || !kg_memory_guard (save_image, &writing, &error))
      outcome = KG_RENDER_FRAME_FAILED;
  }
  g_mutex_lock (&job->lock);
  if (g_cancellable_is_cancelled (job->cancellable) && outcome == KG_RENDER_FRAME_FAILED)
    g_clear_error (&error);
  else
    report_frame (job, index, outcome, error);
  g_mutex_unlock (&job->lock);
}

/* Movies. */

static bool
add_image (gpointer data, GError **error)
{
  Job *job = ((Writing *) data)->job;
  const KgImage *image = ((Writing *) data)->image;

  return job->stream != NULL ? kg_stream_add (job->stream, image, error) : kg_movie_add (job->movie, image, error);
}

/* Some pixel is not covered, to less than a step of 8 bits. */
static bool
is_transparent (const KgImage *image)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  const float *p = kg_image_get_pixels (image);

  for (size_t i = 0; i < n; i++)
    if (p[4 * i + 3] < 0.998f)
      return true;
  return false;
}

/* Coverage that the file cannot keep is no silent loss. */
static void
warn_of_alpha (Job *job, const KgImage *image, guint64 index)
{
  const char *message;

  if (job->options->warning == NULL || job->warned_of_alpha ||
      (job->movie != NULL && kg_movie_has_alpha (job->movie)) ||
      (job->stream != NULL && job->options->stream_format == KG_STREAM_PNG) || !is_transparent (image))
    return;
  job->warned_of_alpha = true;
  message = job->movie != NULL && g_str_has_suffix (job->output->path, ".webm")
                ? _ ("transparent pixels are laid over black, because the movie began with an opaque frame: use .mov, "
                     ".mkv, .apng or .webp")
                : _ ("transparent pixels are laid over black, because the format keeps no transparency: use .webm, "
                     ".mov, .mkv, .apng or .webp");
  g_mutex_lock (&job->lock);
  job->options->warning (job->output->range.first + (int64_t) index * job->output->range.step, job->output->path,
                         message, job->options->data);
  g_mutex_unlock (&job->lock);
}

/* The sample at which a frame begins. */
static int64_t
get_sample (const Job *job, int64_t frame)
{
  return kg_sound_find_sample (job->sound,
                               ((double) frame - kg_graph_get_frames (job->graph).start) * job->per / job->rate);
}

typedef struct {
  Job *job;
  int64_t frame;
} Hearing;

/* What is heard from a frame up to the next one that is rendered after it. */
static bool
add_sound (gpointer data, GError **error)
{
  Job *job = ((Hearing *) data)->job;
  const int64_t frame = ((Hearing *) data)->frame, first = get_sample (job, frame);
  const int64_t end = get_sample (job, frame + job->output->range.step);
  float block[SOUND_BLOCK * KG_MOVIE_MAX_CHANNELS];

  for (int64_t at = first; at < end; at += SOUND_BLOCK) {
    const size_t n = (size_t) MIN (end - at, SOUND_BLOCK);

    kg_sound_copy_samples (job->sound, at, n, block);
    if (!kg_movie_add_sound (job->movie, block, n, error))
      return false;
  }
  return true;
}

static bool
add_movie_frame (Job *job, KgImage *image, guint64 index, GError **error)
{
  Writing writing = { .job = job, .image = image };
  Hearing hearing = { job, get_frame (job, index) };

  return kg_memory_guard (add_image, &writing, error) &&
         (job->sound == NULL || kg_memory_guard (add_sound, &hearing, error));
}

/* Opens the movie with the size of its first good frame; frames that failed before it become black. */
static bool
open_movie (Job *job, const KgImage *image, guint64 n_failed, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const double rate = kg_graph_get_frames (job->graph).rate / (double) job->output->range.step;
  g_autoptr (KgImage) black = NULL;
  KgMovieSound sound = { 0 };

  if (job->sound != NULL)
    sound = (KgMovieSound){ kg_sound_get_rate (job->sound), kg_sound_get_n_channels (job->sound) };
  if (job->options->stream != NULL)
    job->stream = kg_stream_new (job->options->stream, job->options->stream_format, job->options->bits, rate);
  else
    job->movie = kg_movie_new_with_sound (job->output->path, width, height, rate, is_transparent (image),
                                          job->sound != NULL ? &sound : NULL, error);
  if (job->stream == NULL && job->movie == NULL)
    return false;
  if (n_failed > 0)
    black = kg_image_new (width, height, false, error);
  for (guint64 i = 0; i < n_failed; i++) {
    if (black == NULL || !add_movie_frame (job, black, i, error))
      return false;
  }
  return true;
}

/* Takes image (NULL: the frame failed). */
static bool
write_movie_frame (Job *job, KgImage *image, guint64 index, GError **error)
{
  if (image != NULL) {
    g_clear_pointer (&job->last_good, kg_image_unref);
    job->last_good = image;
  }
  if (job->last_good == NULL)
    return true;
  if (job->stream == NULL && job->movie == NULL && !open_movie (job, job->last_good, index, error))
    return false;
  warn_of_alpha (job, job->last_good, index);
  return add_movie_frame (job, job->last_good, index, error);
}

/* Writes what is there in order.  With the lock held, which is released while the encoder works. */
static void
write_waiting (Job *job)
{
  Waiting *slot = &job->window[job->n_written % job->n_window];

  if (job->writing)
    return;
  job->writing = true;
  while (slot->present && !job->stop) {
    const guint64 index = job->n_written;
    KgImage *image = g_steal_pointer (&slot->image);
    const bool good = image != NULL;
    GError *error = NULL;
    bool written;

    g_mutex_unlock (&job->lock);
    written = write_movie_frame (job, image, index, &error);
    g_mutex_lock (&job->lock);
    slot->present = false;
    if (!written) {
      /* The movie cannot be completed: more frames would be wasted. */
      if (good)
        report_frame (job, index, KG_RENDER_FRAME_FAILED, g_steal_pointer (&error));
      stop (job);
    } else if (good) {
      report_frame (job, index, KG_RENDER_FRAME_DONE, NULL);
    }
    g_clear_error (&error);
    job->n_written++;
    slot = &job->window[job->n_written % job->n_window];
    g_cond_broadcast (&job->changed);
  }
  job->writing = false;
}

static void
render_movie_frame (Job *job, KgEvaluator *evaluator, KgNode *node, guint slot, guint64 index)
{
  GError *error = NULL;
  KgImage *image = evaluate_frame (job, evaluator, node, slot, get_frame (job, index), &error);

  g_mutex_lock (&job->lock);
  if (g_cancellable_is_cancelled (job->cancellable)) {
    g_clear_error (&error);
    stop (job);
  } else if (image == NULL) {
    report_frame (job, index, KG_RENDER_FRAME_FAILED, error);
  }
  if (job->stop) {
    g_clear_pointer (&image, kg_image_unref);
  } else {
    job->window[index % job->n_window] = (Waiting){ .present = true, .image = image };
    write_waiting (job);
  }
  g_mutex_unlock (&job->lock);
}

/* Workers. */

/* The next frame to do; false at the end. */
static bool
take_frame (Job *job, guint64 *index)
{
  bool taken;

  g_mutex_lock (&job->lock);
  while (job->is_movie && !job->stop && job->next < job->n_frames && job->next >= job->n_written + job->n_window)
    g_cond_wait (&job->changed, &job->lock);
  taken = !job->stop && job->next < job->n_frames && !g_cancellable_is_cancelled (job->cancellable);
  if (taken)
    *index = job->next++;
  g_mutex_unlock (&job->lock);
  return taken;
}

static gpointer
work (gpointer data)
{
  Worker *worker = data;
  Job *job = worker->job;
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (worker->graph, job->cache);
  guint64 index;
  KgNode *node;
  guint slot;

  omp_set_num_threads (job->n_kernel_threads);
  kg_evaluator_set_lean (evaluator, true);
  kg_render_find_target (worker->graph, job->output, &node, &slot);
  while (take_frame (job, &index)) {
    if (job->is_movie)
      render_movie_frame (job, evaluator, node, slot, index);
    else
      render_image (job, evaluator, node, slot, index);
  }
  return NULL;
}

static void
run_workers (Job *job)
{
  g_autofree Worker *workers = g_new0 (Worker, job->n_jobs);

  for (guint i = 0; i < job->n_jobs; i++)
    workers[i] = (Worker){ .job = job, .graph = kg_graph_snapshot (job->graph) };
  for (guint i = 0; i < job->n_jobs; i++)
    workers[i].thread = g_thread_new ("render", work, &workers[i]);
  for (guint i = 0; i < job->n_jobs; i++)
    g_thread_join (workers[i].thread);
  for (guint i = 0; i < job->n_jobs; i++)
    g_object_unref (workers[i].graph);
}

/* Completes or discards the movie. */
static bool
close_movie (Job *job, GError **error)
{
  bool done = true;

  for (guint64 i = 0; i < job->n_window; i++)
    g_clear_pointer (&job->window[i].image, kg_image_unref);
  g_clear_pointer (&job->window, g_free);
  g_clear_pointer (&job->last_good, kg_image_unref);
  g_clear_pointer (&job->stream, kg_stream_free);
  if (job->movie == NULL)
    return true;
  if (job->n_written == job->n_frames && !job->stop)
    done = kg_movie_finish (job->movie, error);
  else
    kg_movie_cancel (job->movie);
  return done;
}

/* Sound. */

/* The sound at the first frame of the graph; it may be as long as it likes. */
static bool
evaluate_sound (Job *job, KgNode *node, guint slot, GError **error)
{
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (job->graph, job->cache);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_auto (KgValue) sound = KG_VALUE_INIT;
  g_autofree char *path = kg_node_dup_path (node);
  const bool good = kg_evaluator_evaluate (evaluator, node, slot, 0, job->cancellable, &value, error);

  if (job->options->warning != NULL)
    report_warnings (job, evaluator, job->graph, (int64_t) ceil (kg_graph_get_frames (job->graph).start));
  if (!good || !kg_value_convert (&value, KG_SOUND, &sound, error)) {
    g_prefix_error (error, "%s: ", path);
    return false;
  }
  if (kg_sound_get_n_channels (sound.sound) > KG_MOVIE_MAX_CHANNELS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%s: a sound of %u channels cannot be written: use at most %d", path,
                  kg_sound_get_n_channels (sound.sound), KG_MOVIE_MAX_CHANNELS);
    return false;
  }
  job->sound = kg_sound_ref (sound.sound);
  return true;
}

/* A sound that the file cannot keep is no silent loss. */
static void
warn_of_sound (Job *job, KgNode *node)
{
  g_autofree char *path = NULL;
  guint slot;

  if (job->options->warning == NULL || kg_movie_path_is_sound (job->output->path) ||
      !kg_render_find_own_sound (node, &slot))
    return;
  path = kg_node_dup_path (node);
  job->options->warning (job->output->range.first, path,
                         job->is_movie ? _ ("its sound is left out, because the format keeps none: use .mp4, .webm, "
                                            ".mov, .mkv or .avi, or write it to a file of sound (.wav) besides")
                                       : _ ("its sound is left out, because images keep none: render a movie (.mp4), "
                                            "or write it to a file of sound (.wav) besides"),
                         job->options->data);
}

/* The sound that the movie gets, if it can have one: that of the node that names the file, or else that of the graph.  It is
 * known before the first frame is computed: a movie that lacks its sound after hours is of no use. */
static bool
find_movie_sound (Job *job, GError **error)
{
  KgNode *node = NULL;
  guint slot;

  if (job->options->stream != NULL || job->options->silent)
    return true;
  kg_render_find_target (job->graph, job->output, &node, &slot);
  if (!job->is_movie || !kg_movie_path_has_sound (job->output->path)) {
    warn_of_sound (job, node);
    return true;
  }
  if (!kg_render_find_own_sound (node, &slot) && !kg_render_find_sound (job->graph, &node, &slot, error))
    return false;
  if (node == NULL || evaluate_sound (job, node, slot, error))
    return true;
  kg_prefix_error (error, "the sound of the movie cannot be computed (kineo --no-sound renders without): ");
  return false;
}

/* A file of sound alone. */
static bool
render_sound (Job *job, GError **error)
{
  KgMovieSound sound;
  KgNode *node;
  guint slot;

  kg_render_find_target (job->graph, job->output, &node, &slot);
  if (!evaluate_sound (job, node, slot, error))
    return false;
  sound = (KgMovieSound){ kg_sound_get_rate (job->sound), kg_sound_get_n_channels (job->sound) };
  job->movie = kg_movie_new_sound (job->output->path, &sound, error);
  if (job->movie == NULL)
    return false;
  for (guint64 i = 0; i < job->n_frames && !g_cancellable_is_cancelled (job->cancellable); i++) {
    Hearing hearing = { job, get_frame (job, i) };

    if (!kg_memory_guard (add_sound, &hearing, error)) {
      stop (job);
      return false;
    }
    job->n_written++;
    report_frame (job, i, KG_RENDER_FRAME_DONE, NULL);
  }
  return true;
}

static void
choose_jobs (Job *job)
{
  const int n_threads = omp_get_max_threads ();
  guint n_jobs = job->options->jobs > 0 ? job->options->jobs : (guint) MAX (omp_get_num_procs (), 1);

  n_jobs = MIN (n_jobs, KG_RENDER_MAX_JOBS);
  job->n_jobs = (guint) MIN (n_jobs, job->n_frames);
  job->n_kernel_threads = MAX (1, n_threads / (int) job->n_jobs);
  job->n_window = 2 * (guint64) job->n_jobs + 1;
}

static bool
render_output (KgGraph *graph, const KgRenderOptions *options, const KgRenderOutput *output, KgCache *cache,
               GCancellable *cancellable, KgRenderReport *report, GError **first_error, GError **error)
{
  g_autoptr (KgGraph) sized = kg_graph_snapshot (graph);
  Job job = { .graph = sized, .options = options, .output = output, .cancellable = cancellable, .report = report };
  KgNode *node;
  guint slot;
  bool done;

  if (options->width > 0) {
    g_autofree char *kept = NULL;

    if (!kg_render_set_size (sized, output, options->width, options->height, &kept, error))
      return false;
    if (kept != NULL && options->warning != NULL) {
      g_autofree char *message = g_strdup_printf (
          kg_translate (N_ ("inputs in pixels, such as radii, are not scaled with the image: %s")), kept);

      options->warning (output->range.first, output->node, message, options->data);
    }
  }
  job.cache = cache;
  job.first_error = first_error;
  job.n_frames = kg_render_count_frames (&output->range);
  job.is_movie = options->stream != NULL || kg_movie_path_is_movie (output->path);
  if (!job.is_movie && kg_image_format_from_path (output->path, &job.format) && options->bits > 0)
    kg_image_format_set_bits (&job.format, options->bits);
  choose_jobs (&job);
  if (!job.is_movie) {
    kg_render_find_target (sized, output, &node, &slot);
    job.settings = kg_hash_join (kg_node_hash_settings (node), kg_render_hash_series (node));
  }
  job.window = g_new0 (Waiting, job.n_window);
  job.warned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_mutex_init (&job.lock);
  g_cond_init (&job.changed);
  kg_frame_rate_find (kg_graph_get_frames (sized).rate, &job.rate, &job.per);
  if (kg_movie_path_is_sound (output->path) && options->stream == NULL)
    done = render_sound (&job, error);
  else {
    done = find_movie_sound (&job, error);
    if (done)
      run_workers (&job);
    else
      stop (&job);
  }
  done = close_movie (&job, done ? error : NULL) && done;
  g_clear_pointer (&job.sound, kg_sound_unref);
  g_hash_table_unref (job.warned);
  g_mutex_clear (&job.lock);
  g_cond_clear (&job.changed);
  return done;
}

static void
report_refusal (const KgRenderOptions *options, const GError *error)
{
  if (options->refusal != NULL)
    options->refusal (error, options->data);
}

/* False and *error when anything went wrong. */
static bool
sum_up (const KgRenderReport *report, GPtrArray *refusals, guint n_files, const GError *first_error, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (refusals->len > 0)
    g_string_append_printf (text, _ ("%u of %u files were not rendered: "), refusals->len, n_files);
  for (guint i = 0; i < refusals->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", ((const GError *) refusals->pdata[i])->message);
  if (refusals->len > 0 && first_error != NULL)
    g_string_append (text, "; ");
  if (first_error != NULL)
    g_string_append_printf (text, _ ("%" PRIu64 " of %" PRIu64 " frames failed: %s"), report->failed, report->total,
                            first_error->message);
  if (text->len == 0)
    return true;
  if (refusals->len > 0)
    first_error = (const GError *) refusals->pdata[0];
  g_set_error_literal (error, KG_ERROR, first_error->code, text->str);
  return false;
}

bool
kg_render (KgGraph *graph, const KgRenderOptions *options, GCancellable *cancellable, KgRenderReport *report,
           GError **error)
{
  g_autoptr (KgCache) cache = options->cache != NULL
                                  ? kg_cache_ref (options->cache)
                                  : kg_cache_new_growing (KG_CACHE_RENDER_BUDGET, KG_CACHE_DEFAULT_BUDGET);
  g_autoptr (GPtrArray) outputs = NULL, refusals = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_autoptr (GError) first_error = NULL;
  KgRenderReport own_report;
  guint n_files;

  if (report == NULL)
    report = &own_report;
  *report = (KgRenderReport){ 0 };
  outputs = kg_render_plan (graph, options, refusals, error);
  if (outputs == NULL)
    return false;
  n_files = outputs->len + refusals->len;
  for (guint i = 0; i < refusals->len; i++)
    report_refusal (options, (const GError *) refusals->pdata[i]);
  for (guint i = 0; i < outputs->len; i++)
    report->total += kg_render_count_frames (&((KgRenderOutput *) outputs->pdata[i])->range);
  for (guint i = 0; i < outputs->len && !g_cancellable_is_cancelled (cancellable); i++) {
    const KgRenderOutput *output = outputs->pdata[i];
    GError *refusal = NULL;

    if (render_output (graph, options, output, cache, cancellable, report, &first_error, &refusal))
      continue;
    if (options->path != NULL) {
      g_propagate_error (error, refusal);
      return false;
    }
    g_ptr_array_add (refusals, refusal);
    report_refusal (options, refusal);
  }
  if (g_cancellable_is_cancelled (cancellable)) {
    kg_set_error (error, KG_ERROR_CANCELLED, "cancelled after %" PRIu64 " of %" PRIu64 " frames",
                  report->done + report->skipped, report->total);
    return false;
  }
  return sum_up (report, refusals, n_files, first_error, error);
}
