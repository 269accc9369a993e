/* kg-movie-file: movies through the FFmpeg libraries: .mp4 (H.264), .webm (VP9), .mov (ProRes 4444, 10 bits), .gif (own
 * palette a frame), .apng, .webp (lossless).
 * Tagged sRGB / BT.709 as the format permits; constant frame rate.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

typedef struct _KgMovie KgMovie;

/* True when the suffix is one of these. */
bool kg_movie_path_is_movie (const char *path);
/* A rate as a fraction: film and television's n * 1000/1001 are meant by 23.976, 29.97, 59.94. */
void kg_movie_find_rate (double rate, int *numerator, int *denominator);
/* Writes to a temporary file beside path until kg_movie_finish.  The same frames give the same bytes.  rate: frames per second, 0.01 to 1000, for GIF
 * to 100 (24000/1001 and friends are recognised).  alpha: a .webm gets a plane of coverage; .mov, .apng and .webp always
 * have one, .mp4 and .gif never.  Colours beside coverage are straight; without a plane transparent pixels are laid over
 * black.  Odd sizes are padded by one row or column where the codec needs even ones.  (transfer full) (nullable) */
KgMovie *kg_movie_new (const char *path, int width, int height, double rate, bool alpha, GError **error);
/* Whether it keeps coverage. */
bool kg_movie_has_alpha (const KgMovie *movie);
/* In order; every frame of the size given. */
bool kg_movie_add (KgMovie *movie, const KgImage *image, GError **error);
/* Completes the file and moves it into place.  Frees movie in any case. */
bool kg_movie_finish (KgMovie *movie, GError **error);
/* Gives up: removes the temporary file. */
void kg_movie_cancel (KgMovie *movie);

G_END_DECLS
