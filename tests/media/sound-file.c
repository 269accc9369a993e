/* sound-file: sound out of files, good and bad, and back into them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-movie-file.h"
#include "kg-sound-file.h"
#include "../near.h"

#include <glib/gstdio.h>
#include <string.h>

static char *folder;

static char *
name_file (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
add_number (GByteArray *bytes, uint32_t number, guint n)
{
  for (guint i = 0; i < n; i++) {
    const uint8_t byte = (uint8_t) (number >> (8 * i));

    g_byte_array_append (bytes, &byte, 1);
  }
}

/* (transfer full) A WAV of n floats for each channel. */
static GByteArray *
make_wav (uint32_t rate, uint32_t n_channels, const float *samples, size_t n)
{
  const uint32_t length = (uint32_t) (n * n_channels * sizeof *samples);
  GByteArray *bytes = g_byte_array_new ();

  g_byte_array_append (bytes, (const uint8_t *) "RIFF", 4);
  add_number (bytes, 36 + length, 4);
  g_byte_array_append (bytes, (const uint8_t *) "WAVEfmt ", 8);
  add_number (bytes, 16, 4);
  add_number (bytes, 3, 2); /* floats */
  add_number (bytes, n_channels, 2);
  add_number (bytes, rate, 4);
  add_number (bytes, rate * n_channels * 4, 4);
  add_number (bytes, n_channels * 4, 2);
  add_number (bytes, 32, 2);
  g_byte_array_append (bytes, (const uint8_t *) "data", 4);
  add_number (bytes, length, 4);
  if (length > 0)
    g_byte_array_append (bytes, (const uint8_t *) samples, length);
  return bytes;
}

/* (transfer full) The path of a file with these bytes; takes them. */
static char *
write_bytes (const char *name, GByteArray *bytes)
{
  char *path = name_file (name);

  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
  g_byte_array_unref (bytes);
  return path;
}

/* n samples of a sine. */
static float *
make_sine (double rate, double frequency, size_t n)
{
  float *samples = g_new (float, n);

  for (size_t i = 0; i < n; i++)
    samples[i] = (float) (0.5 * sin (2 * G_PI * frequency * (double) i / rate));
  return samples;
}

static void
test_exact (void)
{
  static const float samples[] = { 0.5f, -0.25f, 2, -3, 1e-20f, 0 };
  g_autofree char *path = write_bytes ("exact.wav", make_wav (44100, 2, samples, 3));
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgSound) sound = kg_sound_load (path, NULL, 0, NULL, warnings, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (warnings->len, ==, 0);
  g_assert_cmpint (kg_sound_get_rate (sound), ==, 44100);
  g_assert_cmpuint (kg_sound_get_n_channels (sound), ==, 2);
  g_assert_cmpint (kg_sound_get_start (sound), ==, 0);
  g_assert_cmpuint (kg_sound_get_n_samples (sound), ==, 3);
  g_assert_cmpmem (kg_sound_get_samples (sound), sizeof samples, samples, sizeof samples);
}

/* A converted sine is the sine at the other rate, sample by sample: frequency, amplitude and time stay. */
static void
test_rate (int from, int to)
{
  const size_t n = (size_t) from;
  g_autofree float *samples = make_sine (from, 997, n);
  g_autofree char *path = write_bytes ("rate.wav", make_wav ((uint32_t) from, 1, samples, n));
  g_autoptr (GError) error = NULL;
  g_autoptr (KgSound) sound = kg_sound_load (path, NULL, to, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (kg_sound_get_rate (sound), ==, to);
  g_assert_cmpuint (kg_sound_get_n_samples (sound), ==, (size_t) to);
  /* At the ends the filter reaches into silence. */
  for (size_t i = 200; i < (size_t) to - 200; i++)
    assert_near ((double) kg_sound_get_samples (sound)[i], 0.5 * sin (2 * G_PI * 997 * (double) i / to), 1e-3);
}

static void
test_rates (void)
{
  test_rate (44100, 48000);
  test_rate (48000, 44100);
  test_rate (8000, 48000);
}

static void
test_slow (void)
{
  static const float samples[] = { 0.5f, -0.5f, 0.25f };
  g_autofree char *path = write_bytes ("slow.wav", make_wav (1, 1, samples, 3));
  g_autoptr (GError) error = NULL;
  g_autoptr (KgSound) own = kg_sound_load (path, NULL, 0, NULL, NULL, &error);
  g_autoptr (KgSound) usual = kg_sound_load (path, NULL, 48000, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (kg_sound_get_samples (own), sizeof samples, samples, sizeof samples);
  g_assert_cmpuint (kg_sound_get_n_samples (usual), ==, 3 * 48000);
}

static void
test_one_sample (void)
{
  static const float samples[] = { 1 };
  g_autofree char *path = write_bytes ("one.wav", make_wav (48000, 1, samples, 1));
  g_autoptr (GError) error = NULL;
  g_autoptr (KgSound) sound = kg_sound_load (path, NULL, 48000, NULL, NULL, &error);
  g_autoptr (KgSound) fewer = kg_sound_load (path, NULL, 100, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (kg_sound_get_n_samples (sound), ==, 1);
  g_assert_cmpfloat (kg_sound_get_samples (sound)[0], ==, 1);
  g_assert_cmpuint (kg_sound_get_n_samples (fewer), ==, 1);
}

/* What is no number is silent, and said. */
static void
test_not_finite (void)
{
  static const float samples[] = { 0.5f, NAN, INFINITY, 0.25f };
  static const float expected[] = { 0.5f, 0, 0, 0.25f };
  g_autofree char *path = write_bytes ("nan.wav", make_wav (48000, 1, samples, 4));
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgSound) sound = kg_sound_load (path, NULL, 0, NULL, warnings, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (kg_sound_get_samples (sound), sizeof expected, expected, sizeof expected);
  g_assert_cmpuint (warnings->len, ==, 1);
  g_assert_nonnull (strstr ((const char *) warnings->pdata[0], "2 samples were not numbers"));
}

static void
assert_refused (const char *path, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (kg_sound_load (path, NULL, 48000, NULL, NULL, &error));
  g_assert_nonnull (error);
  if (strstr (error->message, message) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, message);
}

static void
test_bad_files (void)
{
  static const float samples[1000] = { 0 };
  g_autofree char *text = name_file ("text.wav"), *empty = name_file ("empty.wav"), *missing = name_file ("none.wav");
  g_autofree char *silent = write_bytes ("silent.wav", make_wav (48000, 1, samples, 0));
  g_autofree char *wide = write_bytes ("wide.wav", make_wav (48000, 200, samples, 5));
  g_autofree char *header = write_bytes ("header.wav", g_byte_array_set_size (make_wav (48000, 1, samples, 5), 30));

  g_assert_true (g_file_set_contents (text, "This is no sound.\n", -1, NULL));
  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  assert_refused (text, "not a readable sound");
  assert_refused (empty, "not a readable sound");
  assert_refused (header, "sound");
  assert_refused (silent, "sound is empty");
  assert_refused (wide, "200 channels");
  assert_refused (missing, "none.wav");
  assert_refused (folder, "folder");
}

/* What comes before the end of a file that was cut off is heard. */
static void
test_truncated (void)
{
  g_autofree float *samples = make_sine (48000, 440, 48000);
  GByteArray *bytes = make_wav (48000, 1, samples, 48000);
  g_autofree char *path = write_bytes ("cut.wav", g_byte_array_set_size (bytes, 44 + 4 * 10000));
  g_autoptr (GError) error = NULL;
  g_autoptr (KgSound) sound = kg_sound_load (path, NULL, 0, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (kg_sound_get_n_samples (sound), ==, 10000);
  g_assert_cmpmem (kg_sound_get_samples (sound), 10000 * sizeof *samples, samples, 10000 * sizeof *samples);
}

/* Every format that is written is read again: exact where it is lossless, else as loud, and as long to a frame of its codec (to
 * half a short block of Vorbis). */
static void
test_written (void)
{
  static const struct {
    const char *name;
    double tolerance;
    size_t shorter, longer;
  } formats[] = {
    { "w.wav", 1e-6, 0, 0 },  { "w.flac", 1e-6, 0, 0 },   { "w.ogg", 0.05, 128, 128 },
    { "w.opus", 0.05, 0, 0 }, { "w.mp3", 0.05, 0, 1152 }, { "w.m4a", 0.05, 0, 1024 },
  };
  const size_t n = 30000;
  g_autofree float *samples = make_sine (48000, 440, 2 * n);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree char *path = name_file (formats[i].name);
    const KgMovieSound form = { 48000, 2 };
    g_autoptr (GError) error = NULL;
    KgMovie *movie = kg_movie_new_sound (path, &form, &error);
    g_autoptr (KgSound) sound = NULL;

    g_assert_no_error (error);
    /* In parts that are no frames of a codec. */
    for (size_t done = 0; done < n; done += 7000)
      g_assert_true (kg_movie_add_sound (movie, samples + 2 * done, MIN (7000, n - done), &error));
    g_assert_true (kg_movie_finish (movie, &error));
    sound = kg_sound_load (path, NULL, 0, NULL, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (kg_sound_get_n_channels (sound), ==, 2);
    g_assert_cmpuint (kg_sound_get_n_samples (sound), >=, n - formats[i].shorter);
    g_assert_cmpuint (kg_sound_get_n_samples (sound), <=, n + formats[i].longer);
    for (size_t k = 4000; k < 2 * n - 4000; k++)
      assert_near ((double) kg_sound_get_samples (sound)[k], (double) samples[k], formats[i].tolerance);
  }
}

/* A rate that the codec lacks is converted to one that it has: Opus has 48,000 and no 44,100. */
static void
test_written_rate (void)
{
  g_autofree float *samples = make_sine (44100, 440, 44100);
  g_autofree char *path = name_file ("rate.opus");
  const KgMovieSound form = { 44100, 1 };
  g_autoptr (GError) error = NULL;
  KgMovie *movie = kg_movie_new_sound (path, &form, &error);
  g_autoptr (KgSound) sound = NULL;

  g_assert_no_error (error);
  g_assert_true (kg_movie_add_sound (movie, samples, 44100, &error));
  g_assert_true (kg_movie_finish (movie, &error));
  sound = kg_sound_load (path, NULL, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (kg_sound_get_rate (sound), ==, 48000);
  g_assert_cmpuint (kg_sound_get_n_samples (sound), ==, 48000);
  for (size_t i = 2000; i < 46000; i++)
    assert_near ((double) kg_sound_get_samples (sound)[i], 0.5 * sin (2 * G_PI * 440 * (double) i / 48000), 0.05);
}

static void
test_not_written (void)
{
  const KgMovieSound many = { 48000, KG_MOVIE_MAX_CHANNELS + 1 }, one = { 48000, 1 };
  g_autofree char *wav = name_file ("many.wav"), *gif = name_file ("sound.gif"), *txt = name_file ("sound.txt");
  g_autoptr (GError) channels = NULL, none = NULL, unknown = NULL;

  g_assert_null (kg_movie_new_sound (wav, &many, &channels));
  g_assert_nonnull (strstr (channels->message, "9 channels"));
  g_assert_null (kg_movie_new_with_sound (gif, 32, 32, 24, false, &one, &none));
  g_assert_nonnull (strstr (none->message, "cannot have sound"));
  g_assert_null (kg_movie_new_sound (txt, &one, &unknown));
  g_assert_nonnull (strstr (unknown->message, "is not a sound"));
  g_assert_false (g_file_test (wav, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("kineograph-sound-XXXXXX", NULL);
  g_test_add_func ("/sound-file/exact", test_exact);
  g_test_add_func ("/sound-file/rates", test_rates);
  g_test_add_func ("/sound-file/slow", test_slow);
  g_test_add_func ("/sound-file/one-sample", test_one_sample);
  g_test_add_func ("/sound-file/not-finite", test_not_finite);
  g_test_add_func ("/sound-file/bad-files", test_bad_files);
  g_test_add_func ("/sound-file/truncated", test_truncated);
  g_test_add_func ("/sound-file/V21/written", test_written);
  g_test_add_func ("/sound-file/V21/written-rate", test_written_rate);
  g_test_add_func ("/sound-file/not-written", test_not_written);
  status = g_test_run ();
  {
    GDir *dir = g_dir_open (folder, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name (dir)) != NULL) {
      g_autofree char *path = name_file (name);

      g_unlink (path);
    }
    g_dir_close (dir);
  }
  g_rmdir (folder);
  g_free (folder);
  return status;
}
