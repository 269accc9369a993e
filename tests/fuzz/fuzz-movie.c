/* fuzz-movie: any bytes may be read as a movie: its length, and its first and last frame.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-as-file.h"
#include "kg-movie-reader.h"
#include "kineograph.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".mp4", ".webm", ".gif", ".mkv", ".avi" };
  g_autofree char *path = size > 0 ? write_file (data, size, suffixes, G_N_ELEMENTS (suffixes)) : NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (KgMovieReader) reader = path != NULL ? kg_movie_reader_new (path, &error) : NULL;

  if (reader != NULL) {
    const int64_t frames[] = { 0, kg_movie_reader_get_n_frames (reader) - 1 };

    for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
      g_autoptr (KgImage) image = kg_movie_reader_read (reader, frames[i], NULL, NULL, NULL);
    }
  }
  if (path != NULL)
    g_unlink (path);
  return 0;
}
