/* tests/techniques/sound: clips, mixes, levels, tones and outlines of sounds, against closed forms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sound/clip.h"
#include "sound/level.h"
#include "sound/mix.h"
#include "sound/tone.h"
#include "../near.h"

#include <string.h>

/* A sound of these samples. */
static KgSound *
make (int rate, int n_channels, int64_t start, size_t n, const float *samples)
{
  KgSound *sound = kg_sound_new (rate, n_channels, start, n, NULL);

  memcpy (kg_sound_edit_samples (sound), samples, n * (size_t) n_channels * sizeof *samples);
  return sound;
}

static KgSound *
make_sine (int rate, double frequency, double amplitude, double seconds)
{
  const SoundTone tone = { .rate = rate, .length = seconds, .frequency = frequency, .amplitude = amplitude };

  return sound_make_tone (&tone, NULL, NULL);
}

static void
assert_samples (const KgSound *sound, int64_t start, size_t n, const float *samples)
{
  g_assert_nonnull (sound);
  g_assert_cmpint (kg_sound_get_start (sound), ==, start);
  g_assert_cmpuint (kg_sound_get_n_samples (sound), ==, n);
  for (size_t i = 0; i < n * kg_sound_get_n_channels (sound); i++)
    assert_near ((double) kg_sound_get_samples (sound)[i], (double) samples[i], 1e-6);
}

/* The value itself. */

static void
test_value (void)
{
  static const float samples[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (KgSound) sound = make (10, 2, -1, 3, samples);
  g_autoptr (KgSound) same = make (10, 2, -1, 3, samples);
  g_autoptr (KgSound) moved = kg_sound_ref (sound);
  float heard[10];

  g_assert_true (kg_sound_equal (sound, same));
  kg_sound_make_writable (&moved);
  kg_sound_set_start (moved, 5);
  g_assert_cmpint (kg_sound_get_start (sound), ==, -1);
  g_assert_false (kg_sound_equal (sound, moved));
  g_assert_true (kg_sound_get_samples (sound) == kg_sound_get_samples (moved)); /* shared */
  kg_sound_copy_samples (sound, -2, 5, heard);
  g_assert_cmpmem (heard, sizeof heard, ((float[]){ 0, 0, 1, 2, 3, 4, 5, 6, 0, 0 }), sizeof heard);
  kg_sound_copy_samples (sound, 1, 2, heard);
  g_assert_cmpmem (heard, 4 * sizeof *heard, ((float[]){ 5, 6, 0, 0 }), 4 * sizeof *heard);
  kg_sound_copy_samples (sound, 100, 2, heard);
  g_assert_cmpmem (heard, 4 * sizeof *heard, ((float[]){ 0, 0, 0, 0 }), 4 * sizeof *heard);
}

static void
test_not_finite (void)
{
  static const float samples[] = { 0, 1, 2, NAN };
  g_autoptr (KgSound) sound = make (10, 2, 0, 2, samples);
  g_autoptr (GError) error = NULL;

  g_assert_false (kg_sound_check_finite (sound, &error));
  g_assert_nonnull (strstr (error->message, "nan in sample 1 of channel 1"));
}

static void
test_limits (void)
{
  static const struct {
    int64_t rate, n_channels, start;
    uint64_t n_samples;
    const char *message;
  } cases[] = {
    { 0, 1, 0, 1, "0 samples per second" },
    { KG_SOUND_MAX_RATE + 1, 1, 0, 1, "samples per second" },
    { 48000, 0, 0, 1, "0 channels" },
    { 48000, 200, 0, 1, "200 channels" },
    { 48000, 2, 0, KG_SOUND_MAX_SAMPLES, "too long" },
    { 48000, 1, 0, UINT64_MAX, "too long" },
    { 48000, 1, INT64_MAX, 1, "from the first frame" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_sound_new (cases[i].rate, cases[i].n_channels, cases[i].start, cases[i].n_samples, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
    g_assert_nonnull (strstr (error->message, cases[i].message));
  }
}

/* Clips. */

static void
test_clip (void)
{
  static const float samples[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  g_autoptr (KgSound) sound = make (2, 1, 10, 8, samples);
  const SoundClip all = { .start = NAN, .repeats = 1, .gain = 1 };
  const SoundClip part = { .start = 3, .trim = 1, .length = 1.5, .repeats = 2, .gain = 2 };
  const SoundClip faded = { .start = NAN, .repeats = 1, .gain = 1, .fade_in = 2, .fade_out = 1 };
  const SoundClip beyond = { .start = NAN, .trim = 100, .repeats = 5, .gain = 1 };
  g_autoptr (KgSound) a = sound_clip (sound, &all, NULL, NULL);
  g_autoptr (KgSound) b = sound_clip (sound, &part, NULL, NULL);
  g_autoptr (KgSound) c = sound_clip (sound, &faded, NULL, NULL);
  g_autoptr (KgSound) d = sound_clip (sound, &beyond, NULL, NULL);

  g_assert_true (kg_sound_equal (a, sound));
  assert_samples (b, 6, 6, ((float[]){ 6, 8, 10, 6, 8, 10 }));
  assert_samples (c, 10, 8, ((float[]){ 0, 0.5f, 1.5f, 3, 5, 6, 7, 4 }));
  assert_samples (d, 18, 0, NULL);
}

static void
test_clip_too_long (void)
{
  static const float samples[] = { 1, 2 };
  g_autoptr (KgSound) sound = make (2, 1, 0, 2, samples);
  const SoundClip clip = { .start = NAN, .repeats = INT64_MAX, .gain = 1 };
  g_autoptr (GError) error = NULL;

  g_assert_null (sound_clip (sound, &clip, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

/* Mixes. */

/* mix (a x + b y) = a x + b y, wherever the two lie. */
static void
test_mix_linear (void)
{
  g_autoptr (KgSound) x = make_sine (1000, 40, 0.5, 1), y = make_sine (1000, 90, 0.25, 2);
  const SoundTrack tracks[] = { { x, 2, 0, 0 }, { y, -3, -0.25, 0 } };
  g_autoptr (KgSound) mix = sound_mix (tracks, 2, NULL, NULL);

  g_assert_cmpint (kg_sound_get_start (mix), ==, -250);
  g_assert_cmpuint (kg_sound_get_n_samples (mix), ==, 2000);
  g_assert_cmpuint (kg_sound_get_n_channels (mix), ==, 1);
  for (int64_t t = -300; t < 2000; t++) {
    float a, b, m;

    kg_sound_copy_samples (x, t, 1, &a);
    kg_sound_copy_samples (y, t + 250, 1, &b);
    kg_sound_copy_samples (mix, t, 1, &m);
    assert_near ((double) m, 2 * (double) a - 3 * (double) b, 1e-6);
  }
}

/* The power of a panned channel stays, and half a pan is 60 degrees of its circle. */
static void
test_mix_pan (void)
{
  static const float mono[] = { 1 }, stereo[] = { 1, 2 };
  g_autoptr (KgSound) m = make (10, 1, 0, 1, mono), s = make (10, 2, 0, 1, stereo);

  for (double pan = -1; pan <= 1; pan += 0.25) {
    const SoundTrack track = { m, 1, 0, pan };
    g_autoptr (KgSound) mix = sound_mix (&track, 1, NULL, NULL);
    const float *sides = kg_sound_get_samples (mix);
    const double left = (double) sides[0], right = kg_sound_get_n_channels (mix) > 1 ? (double) sides[1] : left;

    assert_near (left * left + right * right, 2, 1e-6);
    assert_near (atan2 (right, left), (1 + pan) * G_PI_4, 1e-6);
  }
  {
    const SoundTrack tracks[] = { { s, 1, 0, 0.5 }, { m, 10, 0, 0 } };
    g_autoptr (KgSound) mix = sound_mix (tracks, 2, NULL, NULL);

    assert_samples (mix, 0, 1, ((float[]){ 10.5f, 12 }));
  }
}

static void
test_mix_degenerate (void)
{
  static const float one[] = { 1 };
  g_autoptr (KgSound) a = make (10, 1, 4, 1, one), b = make (20, 1, 0, 1, one), empty = make (10, 1, -900, 0, one);
  const SoundTrack different[] = { { a, 1, 0, 0 }, { b, 1, 0, 0 } }, nothing[] = { { empty, 1, 0, 0 }, { a, 1, 0, 0 } };
  const SoundTrack far[] = { { a, 1, 0, 0 }, { a, 1, 1e9, 0 } };
  g_autoptr (GError) error = NULL, too_long = NULL;
  g_autoptr (KgSound) none = sound_mix (NULL, 0, NULL, NULL), same = sound_mix (nothing, 2, NULL, NULL);

  g_assert_cmpuint (kg_sound_get_n_samples (none), ==, 0);
  assert_samples (same, 4, 1, one);
  g_assert_null (sound_mix (different, 2, NULL, &error));
  g_assert_nonnull (strstr (error->message, "sound 2 has 20 samples per second, but the first one 10"));
  g_assert_null (sound_mix (far, 2, NULL, &too_long));
  g_assert_error (too_long, KG_ERROR, KG_ERROR_LIMIT);
}

/* Levels. */

/* A sine of amplitude a has the RMS a/√2 over whole periods, and the peak a. */
static void
test_rms (void)
{
  const SoundLevel rms = { .window = 0.1 }, peak = { .window = 0.1, .peak = true };
  g_autoptr (KgSound) sine = make_sine (48000, 100, 0.6, 1);

  assert_near (sound_measure_level (sine, &rms, 0.5), 0.6 / G_SQRT2, 1e-6);
  assert_near (sound_measure_level (sine, &peak, 0.5), 0.6, 1e-6);
  /* Half of the window is silent; all of it is. */
  assert_near (sound_measure_level (sine, &rms, 0), 0.6 / 2, 1e-6);
  g_assert_cmpfloat (sound_measure_level (sine, &rms, 2), ==, 0);
}

/* The gain of the filters is that of Butterworth's formula at every frequency. */
static void
test_bands (void)
{
  static const double frequencies[] = { 125, 250, 500, 1000, 2000, 4000, 8000 };
  const double limit = 1000, rate = 48000;
  const SoundLevel level = { .window = 0.5 };

  for (guint i = 0; i < G_N_ELEMENTS (frequencies); i++) {
    g_autoptr (KgSound) sine = make_sine (48000, frequencies[i], 1, 1);
    g_autoptr (KgSound) low = sound_filter (sine, 0, limit, NULL, NULL),
                        high = sound_filter (sine, limit, 0, NULL, NULL);
    const double x = pow (tan (G_PI * frequencies[i] / rate) / tan (G_PI * limit / rate), 8);

    assert_near (sound_measure_level (low, &level, 0.7) * G_SQRT2, 1 / sqrt (1 + x), 1e-5);
    assert_near (sound_measure_level (high, &level, 0.7) * G_SQRT2, 1 / sqrt (1 + 1 / x), 1e-5);
  }
}

static void
test_band_limits (void)
{
  g_autoptr (KgSound) sine = make_sine (1000, 100, 1, 0.1);
  g_autoptr (KgSound) same = sound_filter (sine, 0, 500, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (kg_sound_equal (sine, same));
  g_assert_null (sound_filter (sine, 500, 0, NULL, &error));
  g_assert_nonnull (strstr (error->message, "nothing above 500 Hz"));
}

/* After the time of attack a step is followed to 1 - 1/e, and after that of release it has fallen to 1/e. */
static void
test_follow (void)
{
  const SoundLevel level = { .window = 0.01, .peak = true, .attack = 0.1, .release = 0.5 };
  const SoundTone on = { .rate = 8000, .start = 1, .length = 2, .frequency = 1000, .amplitude = 1 };
  g_autoptr (KgSound) sound = sound_make_tone (&on, NULL, NULL);
  KgChannel *channel = sound_follow_level (sound, &level, 100, NULL, NULL);
  double value;

  kg_channel_evaluate (channel, 0.9, &value);
  g_assert_cmpfloat (value, ==, 0);
  kg_channel_evaluate (channel, 1.09, &value);
  assert_near (value, 1 - exp (-1), 1e-6);
  kg_channel_evaluate (channel, 2.99, &value);
  assert_near (value, 1, 1e-6);
  kg_channel_evaluate (channel, 3.49, &value);
  assert_near (value, exp (-1), 1e-6);
  kg_channel_evaluate (channel, 100, &value);
  g_assert_cmpfloat (value, ==, 0);
  kg_channel_unref (channel);
}

/* No sample, one sample, one sample per second. */
static void
test_level_degenerate (void)
{
  static const float one[] = { 0.5f };
  const SoundLevel level = { .window = 1.0 / 24 };
  g_autoptr (KgSound) empty = make (48000, 1, 0, 0, one), single = make (48000, 1, 0, 1, one);
  g_autoptr (KgSound) slow = make (1, 1, 2, 1, one);
  KgChannel *channel = sound_follow_level (empty, &level, 24, NULL, NULL);
  double value;

  kg_channel_evaluate (channel, 0, &value);
  g_assert_cmpfloat (value, ==, 0);
  kg_channel_unref (channel);
  assert_near (sound_measure_level (single, &level, 0), 0.5 / sqrt (2000), 1e-9);
  assert_near (sound_measure_level (slow, &level, 2.5), 0.5, 1e-9);
  g_assert_cmpfloat (sound_measure_level (slow, &level, 4.5), ==, 0);
}

static void
test_level_too_long (void)
{
  const SoundLevel level = { .window = 1 };
  g_autoptr (KgSound) slow = kg_sound_new (1, 1, 0, 1000000, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (sound_follow_level (slow, &level, 1000, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

/* Long windows are measured from blocks: the same as sample by sample, wherever they begin and end. */
static void
test_long_window (void)
{
  enum { RATE = 9973, SECONDS = 3 };
  g_autofree float *samples = g_new (float, 2 * RATE * SECONDS);
  g_autoptr (KgSound) sound = NULL;

  for (int i = 0; i < 2 * RATE * SECONDS; i++)
    samples[i] = (float) sin (0.37 * i * (1 + 1e-5 * i));
  sound = make (RATE, 2, -777, RATE * SECONDS, samples);
  for (int peak = 0; peak < 2; peak++) {
    const SoundLevel level = { .window = 1.7, .peak = peak == 1 };
    g_autoptr (KgChannel) channel = sound_follow_level (sound, &level, 30, NULL, NULL);
    double start, rate;
    gsize n;
    const double *levels = kg_channel_get_samples (channel, &n, &start, &rate);

    for (gsize i = 0; i + 1 < n; i++)
      assert_near (levels[i], sound_measure_level (sound, &level, start + ((double) i + 0.5) / rate), 1e-12);
    assert_near (levels[n / 2], peak == 1 ? 1 : sqrt (0.5), peak == 1 ? 1e-4 : 1e-3);
  }
}

/* Tones. */

static void
test_strikes (void)
{
  static const double strikes[] = { 0.5, 1.5, -0.25, 99 }, strengths[] = { 1, 0.5, 1, 1 };
  const SoundTone tone = { .rate = 8000,
                           .length = 2,
                           .frequency = 440,
                           .amplitude = 0.5,
                           .decay = 0.1,
                           .strikes = strikes,
                           .strengths = strengths,
                           .n_strikes = 4 };
  g_autoptr (KgSound) sound = sound_strike_tone (&tone, NULL, NULL);

  g_assert_cmpuint (kg_sound_get_n_samples (sound), ==, 16000);
  for (int64_t i = 0; i < 16000; i += 7) {
    const double t = (double) i / 8000;
    double expected = 0;
    float heard;

    for (guint k = 0; k < 3; k++)
      if (t >= strikes[k])
        expected += 0.5 * strengths[k] * sin (2 * G_PI * 440 * (t - strikes[k])) * exp (-(t - strikes[k]) / 0.1);
    kg_sound_copy_samples (sound, i, 1, &heard);
    assert_near ((double) heard, expected, 1e-6);
  }
}

/* A hundred thousand strikes that overlap for the whole length cost no more than one: the sum of a geometric series. */
static void
test_dense_strikes (void)
{
  enum { N = 100000 };
  g_autofree double *strikes = g_new (double, N), *strengths = g_new (double, N);
  SoundTone tone = { .rate = 1000,
                     .length = 100,
                     .frequency = 250,
                     .amplitude = 1,
                     .decay = 1000,
                     .strikes = strikes,
                     .strengths = strengths,
                     .n_strikes = N };
  g_autoptr (KgSound) sound = NULL;

  for (int i = 0; i < N; i++) {
    strikes[i] = i / 1000.0;
    strengths[i] = 1;
  }
  sound = sound_strike_tone (&tone, NULL, NULL);
  for (int64_t i = 0; i < N; i += 997) {
    /* Im Σ zᵏ = Im (1 − zⁿ) / (1 − z), z = i e^(−1/(rate decay)), n = i + 1. */
    const double a = exp (-1e-6), b = exp (-1e-6 * (double) (i + 1));
    const double re[] = { 1, 0, -1, 0 }, im[] = { 0, 1, 0, -1 };
    const double u = 1 - b * re[(i + 1) % 4], v = -b * im[(i + 1) % 4];
    float heard;

    kg_sound_copy_samples (sound, i, 1, &heard);
    assert_near ((double) heard, (v + a * u) / (1 + a * a), 1e-6);
  }
}

/* Waveforms. */

static void
test_waveform (void)
{
  static const float samples[] = { 1, -1, 2, -2, 3, -3, 4, -4 };
  g_autoptr (KgSound) sound = make (4, 2, 4, 4, samples);
  double low[6], high[6];

  kg_sound_find_extremes (sound, 0.5, 2.5, 4, low, high);
  g_assert_cmpmem (high, 4 * sizeof *high, ((double[]){ 0, 2, 4, 0 }), 4 * sizeof *high);
  g_assert_cmpmem (low, 4 * sizeof *low, ((double[]){ 0, -2, -4, 0 }), 4 * sizeof *low);
  /* More columns than samples: the nearest. */
  kg_sound_find_extremes (sound, 1, 1.25, 6, low, high);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (high[i], ==, 1);
}

/* Where a time falls among the samples: rounded, and never out of range. */
static void
test_find_sample (void)
{
  const float one = 1;
  g_autoptr (KgSound) sound = make (1000, 1, 0, 1, &one);

  g_assert_cmpint (kg_sound_find_sample (sound, 0), ==, 0);
  g_assert_cmpint (kg_sound_find_sample (sound, 0.0014), ==, 1);
  g_assert_cmpint (kg_sound_find_sample (sound, 0.0016), ==, 2);
  g_assert_cmpint (kg_sound_find_sample (sound, -0.0016), ==, -2);
  g_assert_cmpint (kg_sound_find_sample (sound, 1e300), ==, KG_SOUND_MAX_POSITION);
  g_assert_cmpint (kg_sound_find_sample (sound, -1e300), ==, -KG_SOUND_MAX_POSITION);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sound/value", test_value);
  g_test_add_func ("/sound/value/not-finite", test_not_finite);
  g_test_add_func ("/sound/value/limits", test_limits);
  g_test_add_func ("/sound/value/find-sample", test_find_sample);
  g_test_add_func ("/sound/P1-21/clip", test_clip);
  g_test_add_func ("/sound/clip/too-long", test_clip_too_long);
  g_test_add_func ("/sound/mix/linear", test_mix_linear);
  g_test_add_func ("/sound/mix/pan", test_mix_pan);
  g_test_add_func ("/sound/mix/degenerate", test_mix_degenerate);
  g_test_add_func ("/sound/65-81/rms-of-a-sine", test_rms);
  g_test_add_func ("/sound/65-81/bands", test_bands);
  g_test_add_func ("/sound/level/band-limits", test_band_limits);
  g_test_add_func ("/sound/level/follow", test_follow);
  g_test_add_func ("/sound/level/degenerate", test_level_degenerate);
  g_test_add_func ("/sound/level/too-long", test_level_too_long);
  g_test_add_func ("/sound/P1-21/strikes", test_strikes);
  g_test_add_func ("/sound/P1-21/dense-strikes", test_dense_strikes);
  g_test_add_func ("/sound/level/long-window", test_long_window);
  g_test_add_func ("/sound/waveform", test_waveform);
  return g_test_run ();
}
