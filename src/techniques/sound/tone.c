/* tone: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tone.h"

#include "clip.h"

#include <math.h>

/* Samples between two checks for cancelling. */
#define BLOCK ((int64_t) 1 << 16)
#define SILENCE 1e-30

/* The sine at sample i: the whole periods are left out, so that the last second is as exact as the first. */
static double
get_sine (const SoundTone *tone, size_t i)
{
  return sin (2 * G_PI * fmod (tone->frequency * (double) i / tone->rate, 1));
}

static KgSound *
make_silence (const SoundTone *tone, GError **error)
{
  int64_t start, length;

  if (!sound_find_position (tone->start, tone->rate, &start, error) ||
      !sound_find_position (tone->length, tone->rate, &length, error))
    return NULL;
  return kg_sound_new (tone->rate, 1, start, (uint64_t) MAX (length, 0), error);
}

KgSound *
sound_make_tone (const SoundTone *tone, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgSound) sound = make_silence (tone, error);
  float *samples = sound != NULL ? kg_sound_edit_samples (sound) : NULL;

  if (samples == NULL)
    return NULL;
  for (size_t i = 0; i < kg_sound_get_n_samples (sound); i++) {
    if (i % (size_t) BLOCK == 0 && kg_progress_is_cancelled (monitor))
      return NULL;
    samples[i] = (float) (tone->amplitude * get_sine (tone, i));
  }
  return g_steal_pointer (&sound);
}

/* All strikes in one pass: they turn and die away alike, so that their sum is one number that turns and dies away. */
KgSound *
sound_strike_tone (const SoundTone *tone, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgSound) sound = make_silence (tone, error);
  float *samples = sound != NULL ? kg_sound_edit_samples (sound) : NULL;
  const int64_t n = sound != NULL ? (int64_t) kg_sound_get_n_samples (sound) : 0;
  const double fall = exp (-1 / (tone->decay * tone->rate));
  const double turn = 2 * G_PI * fmod (tone->frequency / tone->rate, 1);
  const double c = fall * cos (turn), s = fall * sin (turn);
  double re = 0, im = 0;

  if (samples == NULL)
    return NULL;
  for (size_t k = 0; k < tone->n_strikes; k++) {
    const double amplitude = tone->amplitude * tone->strengths[k];
    int64_t at;

    if (!sound_find_position (tone->strikes[k], tone->rate, &at, error))
      return NULL;
    at -= kg_sound_get_start (sound);
    if (at >= 0 && at < n)
      samples[at] += (float) amplitude;
    else if (at < 0) {
      const double since = -(double) at / tone->rate, angle = 2 * G_PI * fmod (tone->frequency * since, 1);

      re += amplitude * exp (-since / tone->decay) * cos (angle);
      im += amplitude * exp (-since / tone->decay) * sin (angle);
    }
  }
  for (int64_t i = 0; i < n; i++) {
    const double before = re;

    if (i % BLOCK == 0 && kg_progress_is_cancelled (monitor))
      return NULL;
    if (i > 0) {
      re = c * re - s * im;
      im = s * before + c * im;
    }
    re += (double) samples[i];
    samples[i] = (float) im;
    /* Numbers next to zero would be slow. */
    if (fabs (re) + fabs (im) < SILENCE)
      re = im = 0;
  }
  return g_steal_pointer (&sound);
}
