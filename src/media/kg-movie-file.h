/* kg-movie-file: movies through the FFmpeg libraries: .mp4 (H.264), .webm (VP9), .mov (ProRes 4444, 10 bits), .mkv (FFV1,
 * lossless, 16 bits), .avi (Motion JPEG: each frame by itself, with JPEG's colours), .gif (own palette a frame), .apng, .webp
 * (lossless).
 * Tagged sRGB / BT.709 as the format permits; constant frame rate.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

typedef struct _KgMovie KgMovie;

typedef struct {
  int rate; /* samples per second; codecs that lack it get the next higher one */
  guint n_channels;
} KgMovieSound;

/* Of a movie or a file of sound. */
#define KG_MOVIE_MAX_CHANNELS 8

/* True when the suffix is one of these. */
bool kg_movie_path_is_movie (const char *path);
/* True for .wav, .flac, .ogg, .opus, .mp3 and .m4a, files of sound alone. */
bool kg_movie_path_is_sound (const char *path);
/* Whether a movie, or a file of sound, of this name can have sound: .gif, .apng and .webp cannot. */
bool kg_movie_path_has_sound (const char *path);
/* Writes to a temporary file beside path until kg_movie_finish.  The same frames give the same bytes.  rate: frames per second, 0.01 to 1000, for GIF
 * to 100 (24000/1001 and friends are recognised).  alpha: a .webm gets a plane of coverage; .mov, .mkv, .apng and .webp
 * always have one, .mp4 and .gif never.  Colours beside coverage are straight; without a plane transparent pixels are laid over
 * black.  Odd sizes are padded by one row or column where the codec needs even ones.  (transfer full) (nullable) */
KgMovie *kg_movie_new (const char *path, int width, int height, double rate, bool alpha, GError **error);
/* The same with sound: AAC in .mp4, Opus in .webm, FLAC in .mkv, PCM in .mov and .avi; the others cannot have any.  (transfer full) (nullable) */
KgMovie *kg_movie_new_with_sound (const char *path, int width, int height, double rate, bool alpha,
                                  const KgMovieSound *sound, GError **error);
/* The same for a file of sound alone: AAC in .m4a, PCM of 24 bits in .wav and .flac, Vorbis in .ogg, and so on.  (transfer full)
 * (nullable) */
KgMovie *kg_movie_new_sound (const char *path, const KgMovieSound *sound, GError **error);
/* Whether it keeps coverage. */
bool kg_movie_has_alpha (const KgMovie *movie);
/* In order; every frame of the size given. */
bool kg_movie_add (KgMovie *movie, const KgImage *image, GError **error);
/* Sound that follows what was added before: n samples of each channel, interleaved.  For movies with sound; to be called
 * after each frame with the sound that belongs to it. */
bool kg_movie_add_sound (KgMovie *movie, const float *samples, size_t n, GError **error);
/* Completes the file and moves it into place.  Frees movie in any case. */
bool kg_movie_finish (KgMovie *movie, GError **error);
/* Gives up: removes the temporary file. */
void kg_movie_cancel (KgMovie *movie);

G_END_DECLS
