/* mix: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mix.h"

#include "clip.h"

#include <math.h>

/* Samples between two checks for cancelling. */
#define BLOCK ((size_t) 1 << 18)

typedef struct {
  int64_t first, end;
  guint n_channels;
} Extent;

/* Where a track begins. */
static bool
find_start (const SoundTrack *track, int64_t *start, GError **error)
{
  int64_t offset;

  if (!sound_find_position (track->offset, kg_sound_get_rate (track->sound), &offset, error))
    return false;
  *start = kg_sound_get_start (track->sound) + offset;
  return true;
}

static bool
find_extent (const SoundTrack *tracks, guint n, Extent *extent, GError **error)
{
  const int rate = kg_sound_get_rate (tracks[0].sound);
  bool panned = false, any = false;

  *extent = (Extent){ .n_channels = 1 };
  for (guint i = 0; i < n; i++) {
    const KgSound *sound = tracks[i].sound;
    int64_t start, end;

    if (kg_sound_get_rate (sound) != rate) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "sound %u has %d samples per second, but the first one %d: set the same rate where they are imported "
          "or made",
          i + 1, kg_sound_get_rate (sound), rate);
      return false;
    }
    if (!find_start (&tracks[i], &start, error))
      return false;
    panned = panned || tracks[i].pan != 0;
    extent->n_channels = MAX (extent->n_channels, kg_sound_get_n_channels (sound));
    if (kg_sound_get_n_samples (sound) == 0)
      continue;
    end = start + (int64_t) kg_sound_get_n_samples (sound);
    extent->first = any ? MIN (extent->first, start) : start;
    extent->end = any ? MAX (extent->end, end) : end;
    any = true;
  }
  if (panned)
    extent->n_channels = MAX (extent->n_channels, 2);
  return true;
}

/* The factors of left and right. */
static void
find_sides (const SoundTrack *track, double sides[2])
{
  const double pan = track->pan;

  sides[0] = sides[1] = track->gain;
  if (pan == 0)
    return;
  if (kg_sound_get_n_channels (track->sound) == 1) {
    sides[0] *= G_SQRT2 * cos ((1 + pan) * G_PI_4);
    sides[1] *= G_SQRT2 * sin ((1 + pan) * G_PI_4);
  } else {
    sides[0] *= fmin (1, 1 - pan);
    sides[1] *= fmin (1, 1 + pan);
  }
}

static bool
add_track (const SoundTrack *track, int64_t first, guint n_channels, float *to, const KgProgressMonitor *monitor)
{
  const size_t n = kg_sound_get_n_samples (track->sound), own = kg_sound_get_n_channels (track->sound);
  const size_t n_heard = own == 1 ? MIN (n_channels, 2) : own;
  const float *from = kg_sound_get_samples (track->sound);
  int64_t start = 0;
  double sides[2];

  if (n == 0 || !find_start (track, &start, NULL))
    return true;
  find_sides (track, sides);
  to += (size_t) (start - first) * n_channels;
  for (size_t i = 0; i < n; i++) {
    if (i % BLOCK == 0 && kg_progress_is_cancelled (monitor))
      return false;
    for (size_t c = 0; c < n_heard; c++)
      to[i * n_channels + c] +=
          (float) ((c < 2 ? sides[c] : track->gain) * (double) from[i * own + (own == 1 ? 0 : c)]);
  }
  return true;
}

KgSound *
sound_mix (const SoundTrack *tracks, guint n, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgSound) mix = NULL;
  Extent extent;
  float *to;

  if (n == 0)
    return kg_sound_new (KG_SOUND_USUAL_RATE, 1, 0, 0, error);
  if (!find_extent (tracks, n, &extent, error))
    return NULL;
  mix = kg_sound_new (kg_sound_get_rate (tracks[0].sound), extent.n_channels, extent.first,
                      (uint64_t) (extent.end - extent.first), error);
  to = mix != NULL ? kg_sound_edit_samples (mix) : NULL;
  if (to == NULL)
    return NULL;
  for (guint i = 0; i < n; i++)
    if (!add_track (&tracks[i], extent.first, extent.n_channels, to, monitor))
      return NULL;
  return g_steal_pointer (&mix);
}
