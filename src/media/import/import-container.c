/* import-container: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import-container.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 32768
/* An empty list of protocols: FFmpeg may open none. */
#define NO_PROTOCOL "none"
/* Playlists name others, of other resolutions and languages; more are one that names itself. */
#define MOST_LISTS 256
#define LIST_BEGINS "#EXTM3U"

bool
import_fail (const char *path, int code, const char *what, GError **error)
{
  char reason[AV_ERROR_MAX_STRING_SIZE] = "";

  av_strerror (code, reason, sizeof reason);
  kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: %s: %s", path, what, reason);
  return false;
}

/* Files. */

static int
read_bytes (void *opaque, uint8_t *bytes, int n)
{
  const ssize_t got = read (GPOINTER_TO_INT (opaque), bytes, (size_t) n);

  return got > 0 ? (int) got : got == 0 ? AVERROR_EOF : AVERROR (errno);
}

static int64_t
seek (void *opaque, int64_t offset, int whence)
{
  struct stat info;

  if (whence & AVSEEK_SIZE)
    return fstat (GPOINTER_TO_INT (opaque), &info) == 0 ? (int64_t) info.st_size : AVERROR (errno);
  offset = lseek (GPOINTER_TO_INT (opaque), offset, whence & ~AVSEEK_FORCE);
  return offset >= 0 ? offset : AVERROR (errno);
}

/* (nullable) */
static AVIOContext *
open_stream (ImportContainer *file, const char *path, GError **error)
{
  const int fd = kg_import_open (file->server, path, error);
  AVIOContext *stream;

  if (fd < 0)
    return NULL;
  stream =
      avio_alloc_context ((unsigned char *) av_malloc (BLOCK), BLOCK, 0, GINT_TO_POINTER (fd), read_bytes, NULL, seek);
  if (stream == NULL)
    g_error ("out of memory");
  return stream;
}

static void
close_stream (AVIOContext *stream)
{
  if (stream == NULL)
    return;
  close (GPOINTER_TO_INT (stream->opaque));
  av_free (stream->buffer);
  avio_context_free (&stream);
}

static bool
is_list (const AVIOContext *stream)
{
  char start[sizeof LIST_BEGINS - 1];

  return pread (GPOINTER_TO_INT (stream->opaque), start, sizeof start, 0) == (ssize_t) sizeof start &&
         memcmp (start, LIST_BEGINS, sizeof start) == 0;
}

/* A file that the movie names. */
static int
open_named (AVFormatContext *container, AVIOContext **stream, const char *url, int flags, AVDictionary **options)
{
  ImportContainer *file = (ImportContainer *) container->opaque;
  g_autoptr (GError) error = NULL;

  (void) options;
  if (flags & AVIO_FLAG_WRITE)
    return AVERROR (EACCES);
  *stream = open_stream (file, g_str_has_prefix (url, "file:") ? url + strlen ("file:") : url, &error);
  if (*stream != NULL && is_list (*stream) && ++file->n_lists > MOST_LISTS) {
    close_stream (*stream);
    *stream = NULL;
    kg_set_error (&error, KG_ERROR_INVALID_FILE, "%s opens more than %d playlists: it names itself", file->path,
                  MOST_LISTS);
  }
  if (*stream != NULL)
    return 0;
  if (g_error_matches (error, KG_ERROR, KG_ERROR_UNKNOWN_NAME))
    return AVERROR (ENOENT);
  if (file->refusal == NULL)
    file->refusal = g_steal_pointer (&error);
  return AVERROR (EACCES);
}

static int
close_named (AVFormatContext *container, AVIOContext *stream)
{
  (void) container;
  close_stream (stream);
  return 0;
}

/* Opening. */

void
import_container_close (ImportContainer *file)
{
  avformat_close_input (&file->format);
  g_clear_pointer (&file->stream, close_stream);
}

static int
open_format (ImportContainer *file, GError **error)
{
  AVDictionary *options = NULL;
  const AVInputFormat *format = NULL;
  int code;

  file->stream = open_stream (file, file->path, error);
  if (file->stream == NULL)
    return AVERROR (EACCES);
  code = av_probe_input_buffer2 (file->stream, &format, file->path, NULL, 0, 0);
  if (code < 0)
    return code;
  if (g_str_equal (format->name, "concat")) {
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "%s is a list of movies, which is not supported: join them to one movie with ffmpeg", file->path);
    return AVERROR (EACCES);
  }
  file->format = avformat_alloc_context ();
  file->format->pb = file->stream;
  file->format->opaque = file;
  file->format->io_open = open_named;
  file->format->io_close2 = close_named;
  av_dict_set (&options, "protocol_whitelist", NO_PROTOCOL, 0);
  /* A playlist without an end is not waited for: nobody writes it on. */
  av_dict_set (&options, "max_reload", "0", 0);
  code = avformat_open_input (&file->format, file->path, format, &options);
  av_dict_free (&options);
  return code >= 0 ? avformat_find_stream_info (file->format, NULL) : code;
}

bool
import_container_open (ImportContainer *file, const char *unreadable, GError **error)
{
  g_autoptr (GError) reason = NULL;
  const int code = open_format (file, &reason);

  if (file->refusal != NULL || reason != NULL) {
    g_propagate_error (error, file->refusal != NULL ? g_error_copy (file->refusal) : g_steal_pointer (&reason));
    return false;
  }
  return code >= 0 || import_fail (file->path, code, unreadable, error);
}
