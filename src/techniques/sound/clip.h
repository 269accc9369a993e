/* clip: a part of a sound, at a place of its own.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "kg-sound.h"

G_BEGIN_DECLS

typedef struct {
  double start;             /* seconds after the first frame of the graph; NAN: where the part is in the sound */
  double trim, length;      /* seconds left out at its beginning, and kept after them; length 0: all that follows */
  int64_t repeats;          /* the part is heard so many times in a row, from 1 */
  double gain;              /* factor of the amplitude */
  double fade_in, fade_out; /* seconds; linear, over the whole with its repeats */
} SoundClip;

/* Positions are rounded to samples.  A part beyond the end of the sound is an empty sound.  KG_ERROR_LIMIT when the result is too
 * long.  NULL without an error when the monitor (nullable) cancelled.  (transfer full) (nullable) */
KgSound *sound_clip (const KgSound *sound, const SoundClip *clip, const KgProgressMonitor *monitor, GError **error);

/* The sample nearest to a time in seconds; false and KG_ERROR_LIMIT beyond KG_SOUND_MAX_POSITION. */
bool sound_find_position (double seconds, int rate, int64_t *position, GError **error);

G_END_DECLS
