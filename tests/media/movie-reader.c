/* movie-reader: every frame of a movie is found, in any order and on several threads.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-movie-file.h"
#include "kg-movie-reader.h"
#include "../near.h"
#include "kg-random.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than the distance of key frames, which is 250 and 128. */
#define N_FRAMES 300
#define WIDTH 64
#define HEIGHT 32

static char *folder;

/* The number of the frame in ten squares that are light or dark. */
static KgImage *
make_frame (int frame)
{
  KgImage *image = kg_image_new (WIDTH, HEIGHT, false, NULL);
  float *p = kg_image_edit_pixels (image);

  for (int i = 0; i < WIDTH * HEIGHT; i++, p += 4) {
    const int bit = 5 * (i / WIDTH / 16) + MIN (i % WIDTH / 12, 4);

    p[0] = p[1] = p[2] = frame >> bit & 1 ? 0.8f : 0.02f;
    p[3] = 1;
  }
  return image;
}

static int
read_number (const KgImage *image)
{
  int number = 0;

  for (int bit = 0; bit < 10; bit++) {
    const int x = 12 * (bit % 5) + 6, y = 16 * (bit / 5) + 8;

    number |= (kg_image_get_pixels (image)[4 * (y * WIDTH + x)] > 0.2f) << bit;
  }
  return number;
}

static char *
write_movie (const char *suffix, int n, double rate)
{
  char *path = g_strdup_printf ("%s/movie%s", folder, suffix);
  g_autoptr (GError) error = NULL;
  KgMovie *movie = kg_movie_new (path, WIDTH, HEIGHT, rate, false, &error);

  g_assert_no_error (error);
  for (int i = 0; i < n; i++) {
    g_autoptr (KgImage) image = make_frame (i);

    g_assert_true (kg_movie_add (movie, image, &error));
  }
  kg_movie_finish (movie, &error);
  g_assert_no_error (error);
  return path;
}

static void
check_frame (KgMovieReader *reader, int64_t frame)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgImage) image = kg_movie_reader_read (reader, frame, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (kg_image_get_width (image), ==, WIDTH);
  g_assert_cmpint (kg_image_get_height (image), ==, HEIGHT);
  g_assert_cmpint (read_number (image), ==, frame);
}

typedef struct {
  KgMovieReader *reader;
  int64_t first;
} Job;

static gpointer
run_job (gpointer data)
{
  const Job *job = data;

  for (int64_t i = job->first; i < 60; i += 3)
    check_frame (job->reader, i);
  return NULL;
}

static void
test_order (gconstpointer suffix)
{
  g_autofree char *path = write_movie (suffix, N_FRAMES, 25);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgMovieReader) reader = kg_movie_reader_new (path, NULL, NULL, &error);
  GThread *threads[3];
  Job jobs[3];

  g_assert_no_error (error);
  g_assert_cmpint (kg_movie_reader_get_n_frames (reader), ==, N_FRAMES);
  g_assert_cmpfloat_with_epsilon (kg_movie_reader_get_rate (reader), 25, 0.1);
  for (int i = 0; i < N_FRAMES; i++)
    check_frame (reader, i);
  for (uint64_t i = 0; i < 60; i++)
    check_frame (reader, (int64_t) (kg_random_uniform (1, i, 0) * N_FRAMES));
  for (int i = N_FRAMES - 1; i > N_FRAMES - 20; i--)
    check_frame (reader, i);
  for (int i = 0; i < 3; i++) {
    jobs[i] = (Job){ reader, i };
    threads[i] = g_thread_new ("reads", run_job, &jobs[i]);
  }
  for (int i = 0; i < 3; i++)
    g_thread_join (threads[i]);
  g_unlink (path);
}

/* The frames read are those written, as exactly as 8 bits of luma and chroma can hold them. */
static void
test_colors (void)
{
  g_autofree char *path = g_strdup_printf ("%s/movie.mp4", folder);
  KgMovie *movie = kg_movie_new (path, WIDTH, HEIGHT, 24, false, NULL);
  g_autoptr (KgImage) image = kg_image_new (WIDTH, HEIGHT, false, NULL), read = NULL;
  static const double colors[][3] = { { 0.9, 0.1, 0.2 }, { 0.1, 0.6, 0.1 }, { 0.05, 0.1, 0.8 }, { 0.5, 0.5, 0.5 } };
  g_autoptr (KgMovieReader) reader = NULL;
  float *p = kg_image_edit_pixels (image);

  for (int i = 0; i < WIDTH * HEIGHT; i++, p += 4) {
    for (int c = 0; c < 3; c++)
      p[c] = (float) kg_srgb_decode (colors[i % WIDTH / 16][c]);
    p[3] = 1;
  }
  kg_movie_add (movie, image, NULL);
  kg_movie_finish (movie, NULL);
  reader = kg_movie_reader_new (path, NULL, NULL, NULL);
  read = kg_movie_reader_read (reader, 0, NULL, NULL);
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++)
      g_assert_cmpfloat_with_epsilon (
          kg_srgb_encode ((double) kg_image_get_pixels (read)[4 * (WIDTH * 16 + 16 * k + 8) + c]), colors[k][c], 0.02);
  g_unlink (path);
}

/* (transfer full) The process that this one has started. */
static char *
find_child (void)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/task/%d/children", (int) getpid ()), *children = NULL;

  g_assert_true (g_file_get_contents (path, &children, NULL, NULL));
  return g_strstrip (g_steal_pointer (&children));
}

/* The program that reads the movie may end at any moment: the frame that it read costs an error, and the next one starts
 * another. */
static void
test_lost_reader (void)
{
  g_autofree char *path = write_movie (".mp4", 40, 25), *child = NULL, *other = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (KgMovieReader) reader = kg_movie_reader_new (path, NULL, NULL, &error);

  g_assert_no_error (error);
  check_frame (reader, 3);
  child = find_child ();
  g_assert_cmpint (kill ((pid_t) g_ascii_strtoll (child, NULL, 10), SIGKILL), ==, 0);
  g_assert_null (kg_movie_reader_read (reader, 4, NULL, &error));
  g_assert_true (error != NULL && error->domain == KG_ERROR);
  check_frame (reader, 4);
  other = find_child ();
  g_assert_cmpstr (other, !=, child);
  g_unlink (path);
}

static void
test_bad_movies (void)
{
  g_autofree char *movie = write_movie (".mp4", 40, 24), *bytes = NULL, *path = g_strdup_printf ("%s/bad.mp4", folder);
  g_autoptr (GError) error = NULL;
  gsize length;

  g_assert_null (kg_movie_reader_new ("/nowhere/a.mp4", NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_null (kg_movie_reader_new (folder, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_null (kg_movie_reader_new (path, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_unlink (path);
  g_file_set_contents (path, "not a movie", -1, NULL);
  g_assert_null (kg_movie_reader_new (path, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  g_clear_error (&error);
  /* Cut off anywhere: an error, or frames. */
  g_file_get_contents (movie, &bytes, &length, NULL);
  for (gsize i = 0; i < length; i += MAX (length / 40, 1)) {
    g_autoptr (KgMovieReader) reader = NULL;

    g_file_set_contents (path, bytes, (gssize) i, NULL);
    reader = kg_movie_reader_new (path, NULL, NULL, NULL);
    for (int64_t k = 0; reader != NULL && k < kg_movie_reader_get_n_frames (reader); k += 7) {
      g_autoptr (GError) problem = NULL;
      g_autoptr (KgImage) image = kg_movie_reader_read (reader, k, NULL, &problem);

      g_assert_true ((image != NULL) == (problem == NULL));
    }
  }
  g_unlink (path);
  g_unlink (movie);
}

/* Coverage comes back from every format that keeps it, with straight colours beside it; .mp4, .avi and .gif lay over black. */
static void
test_alpha (gconstpointer data)
{
  const char *suffix = data;
  const bool keeps = !g_str_equal (suffix, ".mp4") && !g_str_equal (suffix, ".avi") && !g_str_equal (suffix, ".gif");
  g_autofree char *path = g_strdup_printf ("%s/alpha%s", folder, suffix);
  g_autoptr (GError) error = NULL;
  KgMovie *movie = kg_movie_new (path, WIDTH, HEIGHT, 24, true, &error);
  KgMovieReader *reader;

  g_assert_no_error (error);
  g_assert_true (kg_movie_has_alpha (movie) == keeps);
  for (int k = 0; k < 3; k++) {
    g_autoptr (KgImage) image = kg_image_new (WIDTH, HEIGHT, false, NULL);

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
      const float alpha = i % WIDTH < WIDTH / 2 ? 0.5f : 1;
      const float rgba[4] = { 0.8f * alpha, 0.2f * alpha, 0.05f * alpha, alpha };

      memcpy (kg_image_edit_pixels (image) + 4 * i, rgba, sizeof rgba);
    }
    kg_image_edit_pixels (image)[0] = (float) k / 4; /* frames differ */
    g_assert_true (kg_movie_add (movie, image, &error));
  }
  kg_movie_finish (movie, &error);
  g_assert_no_error (error);
  reader = kg_movie_reader_new (path, NULL, NULL, &error);
  g_assert_no_error (error);
  {
    g_autoptr (KgImage) image = kg_movie_reader_read (reader, 1, NULL, &error);
    const float *p = kg_image_get_pixels (image) + 4 * (WIDTH * (HEIGHT / 2) + WIDTH / 4);

    g_assert_no_error (error);
    assert_near ((double) p[3], keeps ? 0.5 : 1, 0.01);
    assert_near ((double) p[0], 0.4, 0.03);
    assert_near ((double) p[1], 0.1, 0.02);
    assert_near ((double) kg_image_get_pixels (image)[4 * (WIDTH * (HEIGHT / 2) + 3 * WIDTH / 4) + 3], 1, 0.01);
  }
  kg_movie_reader_free (reader);
  g_remove (path);
}

/* A ramp of more levels than 8 bits have comes back with those of 16, of the curve of sRGB. */
static void
check_lossless (int width, int height)
{
  g_autofree char *path = g_strdup_printf ("%s/ramp.mkv", folder);
  g_autoptr (GError) error = NULL;
  g_autoptr (KgImage) image = kg_image_new (width, height, false, NULL), read = NULL;
  KgMovie *movie = kg_movie_new (path, width, height, 24, false, &error);
  g_autoptr (KgMovieReader) reader = NULL;
  float *pixels = kg_image_edit_pixels (image);

  g_assert_no_error (error);
  for (int i = 0; i < width * height; i++) {
    const float alpha = i < width * height / 2 ? 0.25f : 1, rgb = alpha * (float) (i % 1000) / 999;

    memcpy (pixels + 4 * i, (float[]){ rgb, rgb / 2, rgb / 3, alpha }, 4 * sizeof (float));
  }
  g_assert_true (kg_movie_add (movie, image, &error));
  kg_movie_finish (movie, &error);
  g_assert_no_error (error);
  reader = kg_movie_reader_new (path, NULL, NULL, &error);
  g_assert_no_error (error);
  read = kg_movie_reader_read (reader, 0, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 4 * width * height; i++) {
    const double expected = (double) pixels[i], value = (double) kg_image_get_pixels (read)[i];

    /* Half a step of 16 bits where the curve is steepest, 2.28 at 1, and one of the coverage; and what FFmpeg rounds on the
     * way from planes to pixels. */
    assert_near (value, expected, 4.0 / 65535);
  }
  g_remove (path);
}

/* Frames that are cut into slices, and those too small for it. */
static void
test_lossless (void)
{
  check_lossless (1000, 64);
  check_lossless (1000, 4);
  check_lossless (65, 71);
  check_lossless (1, 7);
  check_lossless (1, 1);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
  g_test_add_data_func ("/movie-reader/mp4", ".mp4", test_order);
  g_test_add_data_func ("/movie-reader/webm", ".webm", test_order);
  g_test_add_data_func ("/movie-reader/mkv", ".mkv", test_order);
  g_test_add_func ("/movie-reader/V21-lossless", test_lossless);
  g_test_add_data_func ("/movie-reader/alpha/mkv", ".mkv", test_alpha);
  g_test_add_data_func ("/movie-reader/alpha/webm", ".webm", test_alpha);
  g_test_add_data_func ("/movie-reader/alpha/mov", ".mov", test_alpha);
  g_test_add_data_func ("/movie-reader/alpha/apng", ".apng", test_alpha);
  g_test_add_data_func ("/movie-reader/alpha/avi", ".avi", test_alpha);
  g_test_add_data_func ("/movie-reader/alpha/mp4", ".mp4", test_alpha);
  g_test_add_data_func ("/movie-reader/alpha/gif", ".gif", test_alpha);
  g_test_add_data_func ("/movie-reader/gif", ".gif", test_order);
  g_test_add_func ("/movie-reader/colors", test_colors);
  g_test_add_func ("/movie-reader/lost-reader", test_lost_reader);
  g_test_add_func ("/movie-reader/bad-movies", test_bad_movies);
  status = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
