/* kg-movie-reader: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-movie-reader.h"

#include "kg-image-import.h"
#include "kg-math.h"
#include "kg-regular-file.h"

/* Between two questions whether the frame is still wanted, while another one is read. */
#define POLL_MICROSECONDS 20000
/* The largest size that a reader may report. */
#define MAX_BYTES ((uint64_t) 4 << 30)

struct _KgMovieReader {
  char *path;
  char **folders; /* (nullable) */
  int64_t n_frames;
  double rate;
  size_t bytes;
  GMutex lock;
  GCond idle;
  /* Under the lock. */
  KgImport *import; /* (nullable) it ended, or was stopped: the next frame starts another one */
  bool busy;        /* a thread asks it */
};

/* Starts a reader, and lets it look through the movie. */
static KgImport *
open_movie (const KgMovieReader *reader, const KgProgressMonitor *monitor, KgImportMovie *movie, GError **error)
{
  const KgImportRequest request = { .operation = KG_IMPORT_OPEN };
  g_autoptr (KgImport) import = NULL;
  g_autoptr (GBytes) memory = NULL;
  KgImportReply reply;

  if (!kg_regular_file_check (reader->path, "a movie", error))
    return NULL;
  import = kg_import_new ("movie", reader->path, (const char *const *) reader->folders, error);
  if (import == NULL || !kg_import_request (import, &request, monitor, NULL, &reply, &memory, error))
    return NULL;
  *movie = reply.movie;
  if (movie->n_frames >= 1 && movie->rate > 0 && isfinite (movie->rate))
    return g_steal_pointer (&import);
  kg_import_refuse (reader->path, error);
  return NULL;
}

KgMovieReader *
kg_movie_reader_new (const char *path, const char *const *folders, const KgProgressMonitor *monitor, GError **error)
{
  KgMovieReader *reader = g_new0 (KgMovieReader, 1);
  KgImportMovie movie;

  g_mutex_init (&reader->lock);
  g_cond_init (&reader->idle);
  reader->path = g_strdup (path);
  reader->folders = g_strdupv ((char **) (size_t) folders);
  reader->import = open_movie (reader, monitor, &movie, error);
  if (reader->import == NULL) {
    kg_movie_reader_free (reader);
    return NULL;
  }
  reader->n_frames = movie.n_frames;
  reader->rate = movie.rate;
  reader->bytes = sizeof *reader + (size_t) MIN (movie.bytes, MAX_BYTES);
  return reader;
}

void
kg_movie_reader_free (KgMovieReader *reader)
{
  if (reader == NULL)
    return;
  kg_import_free (reader->import);
  g_mutex_clear (&reader->lock);
  g_cond_clear (&reader->idle);
  g_strfreev (reader->folders);
  g_free (reader->path);
  g_free (reader);
}

int64_t
kg_movie_reader_get_n_frames (const KgMovieReader *reader)
{
  return reader->n_frames;
}

double
kg_movie_reader_get_rate (const KgMovieReader *reader)
{
  return reader->rate;
}

size_t
kg_movie_reader_get_bytes (const KgMovieReader *reader)
{
  return reader->bytes;
}

/* False when cancelled. */
static bool
wait_until_idle (KgMovieReader *reader, const KgProgressMonitor *monitor)
{
  bool idle;

  g_mutex_lock (&reader->lock);
  while (reader->busy && !kg_progress_is_cancelled (monitor))
    g_cond_wait_until (&reader->idle, &reader->lock, g_get_monotonic_time () + POLL_MICROSECONDS);
  idle = !reader->busy;
  if (idle)
    reader->busy = true;
  g_mutex_unlock (&reader->lock);
  return idle;
}

static void
set_idle (KgMovieReader *reader)
{
  g_mutex_lock (&reader->lock);
  reader->busy = false;
  g_cond_signal (&reader->idle);
  g_mutex_unlock (&reader->lock);
}

/* The same movie as before, for the frames that are known were counted in that. */
static bool
reopen (KgMovieReader *reader, const KgProgressMonitor *monitor, GError **error)
{
  KgImportMovie movie;

  reader->import = open_movie (reader, monitor, &movie, error);
  if (reader->import == NULL || movie.n_frames == reader->n_frames)
    return reader->import != NULL;
  g_clear_pointer (&reader->import, kg_import_free);
  kg_set_error (error, KG_ERROR_INVALID_FILE, "%s has changed while it was read: evaluate again", reader->path);
  return false;
}

static KgImage *
read_frame (KgMovieReader *reader, int64_t frame, const KgProgressMonitor *monitor, GError **error)
{
  const KgImportRequest request = { .operation = KG_IMPORT_FRAME, .frame = frame };
  g_autoptr (GBytes) memory = NULL;
  KgImage *image = NULL;
  KgImportReply reply;

  if (reader->import == NULL && !reopen (reader, monitor, error))
    return NULL;
  if (kg_import_request (reader->import, &request, monitor, NULL, &reply, &memory, error))
    image = kg_image_new_from_import (reader->path, &reply.image, memory, error);
  if (!kg_import_is_usable (reader->import))
    g_clear_pointer (&reader->import, kg_import_free);
  return image;
}

KgImage *
kg_movie_reader_read (KgMovieReader *reader, int64_t frame, const KgProgressMonitor *monitor, GError **error)
{
  KgImage *image;

  g_return_val_if_fail (frame >= 0 && frame < kg_movie_reader_get_n_frames (reader), NULL);
  if (!wait_until_idle (reader, monitor))
    return NULL;
  image = read_frame (reader, frame, monitor, error);
  set_idle (reader);
  return image;
}
