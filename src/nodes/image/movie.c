/* image/movie: a frame of a movie file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/reduce.h"
#include "kg-movie-reader.h"
#include "kg-node.h"
#include "kg-regular-file.h"

typedef struct {
  const char *path;
  double frame;
  bool own_speed;
  int beyond;
  KgImage *image;
  int64_t frames;
  double rate;
} Movie;

enum { MOVIE_HOLD, MOVIE_REPEAT, MOVIE_MIRROR, N_BEYOND };

static const KgChoice movie_beyond[] = {
  [MOVIE_HOLD] = { "hold", N_ ("Hold: keep the first or last frame") },
  [MOVIE_REPEAT] = { "repeat", N_ ("Repeat: start again") },
  [MOVIE_MIRROR] = { "mirror", N_ ("Mirror: back and forth") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (movie_beyond, N_BEYOND);

typedef struct {
  const char *path;
  const char *const *folders;
  KgProgressMonitor monitor;
} MovieBuild;

static void *
movie_build (gpointer data, size_t *bytes, GError **error)
{
  const MovieBuild *build = data;
  KgMovieReader *reader = kg_movie_reader_new (build->path, build->folders, &build->monitor, error);

  if (reader != NULL)
    *bytes = kg_movie_reader_get_bytes (reader);
  return reader;
}

/* Which of n frames, from 0. */
static int64_t
movie_find_frame (int beyond, double at, int64_t n)
{
  const int64_t whole = (int64_t) floor (at + 0.5);
  int64_t left;

  if (beyond == MOVIE_HOLD || n == 1)
    return CLAMP (whole, 0, n - 1);
  if (beyond == MOVIE_REPEAT) {
    left = whole % n;
    return left < 0 ? left + n : left;
  }
  /* The ends are shown once. */
  left = ABS (whole) % (2 * n - 2);
  return left < n ? left : 2 * n - 2 - left;
}

static bool
movie_evaluate (Movie *n, const KgContext *ctx, GError **error)
{
  MovieBuild build = { .monitor = kg_context_get_progress_monitor (ctx) };
  g_auto (GStrv) folders = NULL;
  g_autofree char *path = NULL;
  g_autoptr (KgImage) frame = NULL;
  KgMovieReader *reader;

  if (n->path[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "path is empty: choose a movie (.mp4, .webm, .gif, .mov ...)");
    return false;
  }
  path = kg_context_dup_path (ctx, n->path, error);
  if (path == NULL)
    return false;
  folders = kg_context_dup_permitted (ctx);
  build.path = path;
  build.folders = (const char *const *) folders;
  /* The reader knows where it is in the movie, and has a lock of its own: it is shared, but not read only. */
  reader = (KgMovieReader *) kg_context_memo (
      ctx, kg_hash_text (kg_regular_file_hash (path, kg_hash_begin (KG_HASH_MOVIE_FILE, 0)), path), movie_build, &build,
      (GDestroyNotify) kg_movie_reader_free, error);
  if (reader == NULL)
    return false;
  n->frames = kg_movie_reader_get_n_frames (reader);
  n->rate = kg_movie_reader_get_rate (reader);
  frame = kg_movie_reader_read (
      reader, movie_find_frame (n->beyond, (n->frame - 1) * (n->own_speed ? n->rate / ctx->rate : 1), n->frames),
      &build.monitor, error);
  n->image = frame != NULL ? image_reduce (frame, kg_context_get_proxy (ctx), error) : NULL;
  return n->image != NULL;
}

static const KgSlot movie_slots[] = {
  KG_INPUT (
      Movie, path, TEXT, .label = N_ ("File"), .fixed = true, .path = true,
      .help = N_ (
          "A movie (.mp4, .webm, .gif, .mov and other formats that FFmpeg reads), relative to the folder of the graph.")),
  KG_INPUT (
      Movie, frame, NUMBER, .label = N_ ("Frame"), .unit = KG_FRAMES, .driver = KG_DRIVER_FRAME, .min = -1e9,
      .max = 1e9, .soft_min = 1, .soft_max = 1000,
      .help = N_ (
          "Frame to show, from 1. Without a source, the current frame; the expression frame - 20 starts the movie after 20 frames.")),
  KG_INPUT (
      Movie, own_speed, BOOLEAN, .label = N_ ("Original speed"), .def = 1,
      .help = N_ (
          "Plays the movie at its original speed; frames are counted at the frame rate of the graph. Otherwise every frame of the graph shows the next frame of the movie.")),
  KG_INPUT (Movie, beyond, CHOICE, .label = N_ ("Beyond the ends"), .choices = movie_beyond,
            .help = N_ ("What is shown before the first frame and after the last.")),
  KG_OUTPUT (Movie, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The frame, in linear light.")),
  KG_OUTPUT (Movie, frames, INTEGER, .label = N_ ("Frames"), .help = N_ ("Number of frames in the movie.")),
  KG_OUTPUT (Movie, rate, NUMBER, .label = N_ ("Rate"), .unit = KG_HERTZ,
             .help = N_ ("Frames per second of the movie.")),
};

KG_NODE (
    image, movie, Movie, .label = N_ ("Import Movie"), .version = 1, .since = "0.1", .role = KG_ROLE_FILE_INPUT,
    .reads = "image/gif video/*", .tags = N_ ("load read film video footage clip plate mp4 webm gif mov open"),
    .help = N_ ("Reads the current frame of a movie from a file, exactly, in whatever order frames are requested."));
