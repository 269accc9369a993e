/* mix: the sum of sounds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "kg-sound.h"

G_BEGIN_DECLS

typedef struct {
  const KgSound *sound;
  double gain;   /* factor of the amplitude */
  double offset; /* seconds later than the sound says */
  double pan;    /* -1 left, 0 as it is, 1 right */
} SoundTrack;

/* The sum of n tracks, from the earliest start to the last end; without tracks, an empty sound.  It has as many channels as the
 * track with the most, and at least two if one is panned.  A track of one channel is heard in the first two; the channels of
 * others keep their numbers.  Panning keeps the power of one channel (factors √2 cos and √2 sin of a quarter circle),
 * and lowers the other side of a track that has two.  All rates must be the same: KG_ERROR_INVALID_VALUE.  NULL without an error
 * when the monitor (nullable) cancelled.  (transfer full) (nullable) */
KgSound *sound_mix (const SoundTrack *tracks, guint n, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
