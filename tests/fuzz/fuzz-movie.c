/* fuzz-movie: any bytes may be read as a movie: its length, its first and last frame, and the first again.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-import.h"

int import_main (int argc, char **argv);
#define main import_main
#include "../../src/media/import/import-movie.c"
#undef main

static void
free_movie (Movie *movie)
{
  close_movie (movie);
  for (guint i = 0; i < N_KEPT; i++)
    av_frame_free (&movie->kept[i]);
  av_packet_free (&movie->packet);
  sws_freeContext (movie->scaler);
  g_clear_pointer (&movie->moments, g_array_unref);
  g_clear_error (&movie->file.refusal);
  g_free (movie);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".mp4", ".webm", ".gif", ".mkv", ".avi", ".mov",
                                          ".png", ".webp", ".mpg", ".flv", ".ogv" };
  g_autofree char *path = size > 0 ? write_file (data, size, suffixes, G_N_ELEMENTS (suffixes)) : NULL;
  g_autofree KgImportReply *reply = g_new0 (KgImportReply, 1);
  KgImportServer server = { .path = path };
  g_autoptr (GError) error = NULL;
  Movie *movie;

  if (path == NULL)
    return 0;
  movie = make_movie (&server);
  if (open_first (movie, &reply->movie, &error)) {
    const int64_t frames[] = { 0, movie->moments->len - 1, 0 };

    for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
      g_autoptr (GError) problem = NULL;

      g_assert_true (read_frame (movie, frames[i], &reply->image, &problem) == (problem == NULL));
      drop_memory (&server);
    }
  } else
    g_assert_nonnull (error);
  free_movie (movie);
  g_unlink (path);
  return 0;
}
