/* kg-sound: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-sound.h"

#include "kg-finite.h"
#include "kg-math.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct _KgSound {
  gatomicrefcount refs;
  int rate;
  guint n_channels;
  int64_t start;
  size_t n_samples; /* of each channel */
  KgBuffer *samples;
  KgHash fingerprint;
};

static size_t
count (const KgSound *sound)
{
  return sound->n_samples * sound->n_channels;
}

bool
kg_sound_check (int64_t rate, int64_t n_channels, uint64_t n_samples, GError **error)
{
  if (rate < 1 || rate > KG_SOUND_MAX_RATE)
    kg_set_error (error, KG_ERROR_LIMIT, "a sound of %" PRId64 " samples per second: use 1 to %d", rate,
                  KG_SOUND_MAX_RATE);
  else if (n_channels < 1 || n_channels > KG_SOUND_MAX_CHANNELS)
    kg_set_error (error, KG_ERROR_LIMIT, "a sound of %" PRId64 " channels: use 1 to %d", n_channels,
                  KG_SOUND_MAX_CHANNELS);
  else if (n_samples > KG_SOUND_MAX_SAMPLES / (uint64_t) n_channels)
    kg_set_error (error, KG_ERROR_LIMIT,
                  "a sound of %" PRIu64 " samples in each of %" PRId64 " channels is too long: use at most %" PRIu64
                  " in all",
                  n_samples, n_channels, KG_SOUND_MAX_SAMPLES);
  else
    return true;
  return false;
}

KgSound *
kg_sound_new (int64_t rate, int64_t n_channels, int64_t start, uint64_t n_samples, GError **error)
{
  KgSound *sound;

  if (!kg_sound_check (rate, n_channels, n_samples, error))
    return NULL;
  if (start < -KG_SOUND_MAX_POSITION || start > KG_SOUND_MAX_POSITION) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "the sound starts %g s from the first frame: start it nearer to the first frame",
                  (double) start / (double) rate);
    return NULL;
  }
  sound = g_new0 (KgSound, 1);
  g_atomic_ref_count_init (&sound->refs);
  sound->rate = (int) rate;
  sound->n_channels = (guint) n_channels;
  sound->start = start;
  sound->n_samples = (size_t) n_samples;
  sound->samples = kg_buffer_new (MAX (count (sound), 1) * sizeof (float));
  if (sound->samples == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for a sound of %g s", (double) n_samples / (double) rate);
    g_free (sound);
    return NULL;
  }
  kg_buffer_set_finite (sound->samples);
  return sound;
}

KgSound *
kg_sound_ref (const KgSound *sound)
{
  KgSound *s = (KgSound *) sound;

  g_atomic_ref_count_inc (&s->refs);
  return s;
}

void
kg_sound_unref (KgSound *sound)
{
  if (!g_atomic_ref_count_dec (&sound->refs))
    return;
  kg_buffer_unref (sound->samples);
  g_free (sound);
}

void
kg_sound_make_writable (KgSound **sound)
{
  KgSound *copy;

  if (g_atomic_ref_count_compare (&(*sound)->refs, 1))
    return;
  copy = (KgSound *) g_memdup2 (*sound, sizeof *copy);
  g_atomic_ref_count_init (&copy->refs);
  copy->fingerprint = (KgHash){ 0, 0 };
  kg_buffer_ref (copy->samples);
  kg_sound_unref (*sound);
  *sound = copy;
}

int
kg_sound_get_rate (const KgSound *sound)
{
  return sound->rate;
}

guint
kg_sound_get_n_channels (const KgSound *sound)
{
  return sound->n_channels;
}

size_t
kg_sound_get_n_samples (const KgSound *sound)
{
  return sound->n_samples;
}

int64_t
kg_sound_get_start (const KgSound *sound)
{
  return sound->start;
}

void
kg_sound_set_start (KgSound *sound, int64_t start)
{
  g_return_if_fail (start >= -KG_SOUND_MAX_POSITION && start <= KG_SOUND_MAX_POSITION);
  sound->start = start;
  sound->fingerprint = (KgHash){ 0, 0 };
}

const float *
kg_sound_get_samples (const KgSound *sound)
{
  return (const float *) kg_buffer_get_data (sound->samples);
}

float *
kg_sound_edit_samples (KgSound *sound)
{
  sound->fingerprint = (KgHash){ 0, 0 };
  return (float *) kg_buffer_make_writable (&sound->samples, kg_buffer_get_size (sound->samples));
}

int64_t
kg_sound_find_sample (const KgSound *sound, double seconds)
{
  const double at = seconds * kg_sound_get_rate (sound);

  return (int64_t) floor (kg_clamp (at, -(double) KG_SOUND_MAX_POSITION, (double) KG_SOUND_MAX_POSITION) + 0.5);
}

void
kg_sound_copy_samples (const KgSound *sound, int64_t first, size_t n, float *samples)
{
  const size_t width = sound->n_channels;
  const int64_t from = CLAMP (sound->start, first, first + (int64_t) n);
  const int64_t to = CLAMP (sound->start + (int64_t) sound->n_samples, from, first + (int64_t) n);

  memset (samples, 0, n * width * sizeof *samples);
  if (to > from)
    memcpy (samples + (size_t) (from - first) * width,
            kg_sound_get_samples (sound) + (size_t) (from - sound->start) * width,
            (size_t) (to - from) * width * sizeof *samples);
}

void
kg_sound_find_extremes (const KgSound *sound, double from, double to, size_t n, double *lowest, double *highest)
{
  const double rate = kg_sound_get_rate (sound), start = (double) kg_sound_get_start (sound);
  const double all = (double) kg_sound_get_n_samples (sound);
  const size_t width = kg_sound_get_n_channels (sound);
  const float *samples = kg_sound_get_samples (sound);

  for (size_t k = 0; k < n; k++) {
    const double a = (from + (to - from) * (double) k / (double) n) * rate - start;
    const double b = (from + (to - from) * (double) (k + 1) / (double) n) * rate - start;
    const double first = floor (a + 0.5), end = fmax (floor (b + 0.5), first + 1);

    lowest[k] = highest[k] = 0;
    if (end <= 0 || first >= all)
      continue;
    lowest[k] = first < 0 || end > all ? 0 : INFINITY;
    highest[k] = -lowest[k];
    for (size_t i = (size_t) fmax (first, 0) * width; i < (size_t) fmin (end, all) * width; i++) {
      lowest[k] = fmin (lowest[k], (double) samples[i]);
      highest[k] = fmax (highest[k], (double) samples[i]);
    }
  }
}

bool
kg_sound_equal (const KgSound *a, const KgSound *b)
{
  const float *x = kg_sound_get_samples (a), *y = kg_sound_get_samples (b);

  if (a == b)
    return true;
  if (a->rate != b->rate || a->n_channels != b->n_channels || a->start != b->start || a->n_samples != b->n_samples)
    return false;
  for (size_t i = 0; i < count (a); i++)
    if (!(x[i] == y[i]))
      return false;
  return true;
}

void
kg_sound_each_buffer (const KgSound *sound, KgBufferVisit visit, gpointer data)
{
  visit (sound->samples, data);
}

bool
kg_sound_check_finite (const KgSound *sound, GError **error)
{
  const float *samples = kg_sound_get_samples (sound);
  size_t bad;

  if (kg_buffer_is_finite (sound->samples))
    return true;
  bad = kg_find_not_finite (samples, count (sound), false);
  if (bad < count (sound)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a sound with %g in sample %zu of channel %zu: every number must be finite", (double) samples[bad],
                  bad / sound->n_channels, bad % sound->n_channels);
    return false;
  }
  kg_buffer_set_finite (sound->samples);
  return true;
}

KgHash
kg_sound_get_fingerprint (const KgSound *sound)
{
  return sound->fingerprint;
}

void
kg_sound_set_fingerprint (KgSound *sound, KgHash fingerprint)
{
  sound->fingerprint = fingerprint;
}
