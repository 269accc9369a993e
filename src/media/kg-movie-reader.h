/* kg-movie-reader: single frames out of movies that FFmpeg reads.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct _KgMovieReader KgMovieReader;

/* Looks through the whole file for its frames, without decoding them.  folders: (nullable) where files may be that the movie
 * names, besides its own folder.  It is read by a program of its own (kg-import.h), which lives as long as the reader.
 * NULL without an error when the monitor (nullable) cancelled.  (transfer full) (nullable) */
KgMovieReader *kg_movie_reader_new (const char *path, const char *const *folders, const KgProgressMonitor *monitor,
                                    GError **error);
void kg_movie_reader_free (KgMovieReader *reader);

int64_t kg_movie_reader_get_n_frames (const KgMovieReader *reader);
/* Frames per second, on average. */
double kg_movie_reader_get_rate (const KgMovieReader *reader);
/* What it takes, more or less, with its decoder. */
size_t kg_movie_reader_get_bytes (const KgMovieReader *reader);

/* Exactly this frame, from 0, in whatever order frames are requested; one after the other is quickest.  Any thread.  NULL
 * without an error when the monitor (nullable) cancelled.  (transfer full) (nullable) */
KgImage *kg_movie_reader_read (KgMovieReader *reader, int64_t frame, const KgProgressMonitor *monitor, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgMovieReader, kg_movie_reader_free)

G_END_DECLS
