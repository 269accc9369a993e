/* kg-movie-reader: single frames out of films, through the FFmpeg libraries.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

typedef struct _KgMovieReader KgMovieReader;

/* Asked now and then while frames are decoded: true to give up. */
typedef bool (*KgMovieCancelled) (gconstpointer data);

/* Looks through the whole file for its frames, without decoding them.  (transfer full) (nullable) */
KgMovieReader *kg_movie_reader_new (const char *path, GError **error);
void kg_movie_reader_free (KgMovieReader *reader);

int64_t kg_movie_reader_get_n_frames (const KgMovieReader *reader);
/* Frames per second, on average. */
double kg_movie_reader_get_rate (const KgMovieReader *reader);
/* What it takes, more or less, with its decoder. */
size_t kg_movie_reader_get_bytes (const KgMovieReader *reader);

/* Exactly this frame, from 0, in whatever order frames are asked for; one after the other is quickest.  Any thread.  NULL
 * and no error when cancelled (nullable).  (transfer full) (nullable) */
KgImage *kg_movie_reader_read (KgMovieReader *reader, int64_t frame, KgMovieCancelled cancelled, gconstpointer data,
                               GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgMovieReader, kg_movie_reader_free)

G_END_DECLS
