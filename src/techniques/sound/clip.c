/* clip: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "clip.h"

#include <math.h>

/* Samples between two checks for cancelling. */
#define BLOCK ((size_t) 1 << 18)

bool
sound_find_position (double seconds, int rate, int64_t *position, GError **error)
{
  const double at = floor (seconds * rate + 0.5);

  if (fabs (at) > (double) KG_SOUND_MAX_POSITION) {
    kg_set_error (error, KG_ERROR_LIMIT, "a time of %g s at %d samples per second is too far from the first frame",
                  seconds, rate);
    return false;
  }
  *position = (int64_t) at;
  return true;
}

/* Of sample i of n. */
static double
get_fade (size_t i, size_t n, double in, double out)
{
  double fade = 1;

  if ((double) i < in)
    fade = (double) i / in;
  if ((double) (n - i) < out)
    fade *= (double) (n - i) / out;
  return fade;
}

KgSound *
sound_clip (const KgSound *sound, const SoundClip *clip, const KgProgressMonitor *monitor, GError **error)
{
  const size_t all = kg_sound_get_n_samples (sound), width = kg_sound_get_n_channels (sound);
  const int rate = kg_sound_get_rate (sound);
  const double in = clip->fade_in * rate, out = clip->fade_out * rate;
  const float *from = kg_sound_get_samples (sound);
  int64_t trim, length, start;
  g_autoptr (KgSound) result = NULL;
  size_t part, n;
  float *to;

  if (!sound_find_position (clip->trim, rate, &trim, error) ||
      !sound_find_position (clip->length, rate, &length, error) ||
      !sound_find_position (isnan (clip->start) ? 0 : clip->start, rate, &start, error))
    return NULL;
  trim = CLAMP (trim, 0, (int64_t) all);
  part = all - (size_t) trim;
  if (clip->length > 0)
    part = MIN (part, (size_t) length);
  if (isnan (clip->start))
    start = kg_sound_get_start (sound) + trim;
  if (part > 0 && (uint64_t) clip->repeats > KG_SOUND_MAX_SAMPLES / part) {
    kg_set_error (error, KG_ERROR_LIMIT, "%g s, repeated %g times, is too long: reduce the number of repeats",
                  (double) part / rate, (double) clip->repeats);
    return NULL;
  }
  n = part * (size_t) clip->repeats;
  result = kg_sound_new (rate, (int64_t) width, start, n, error);
  to = result != NULL ? kg_sound_edit_samples (result) : NULL;
  if (to == NULL)
    return NULL;
  from += (size_t) trim * width;
  for (size_t i = 0; i < n; i++) {
    const double gain = clip->gain * get_fade (i, n, in, out);
    const float *sample = from + i % part * width;

    if (i % BLOCK == 0 && kg_progress_is_cancelled (monitor))
      return NULL;
    for (size_t c = 0; c < width; c++)
      to[i * width + c] = (float) (gain * (double) sample[c]);
  }
  return g_steal_pointer (&result);
}
