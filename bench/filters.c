/* filters: times filters of a picture of 1920×1080 pixels, float RGBA, and prints one line for each: name, seconds (median of the
 * runs).  The same with ImageMagick: bench/run.py.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/denoise.h"
#include "image/rank_filter.h"
#include "image/resize.h"
#include "kg-base.h"
#include "kg-random.h"
#include "times.h"

#define RUNS 5
#define WIDTH 1920
#define HEIGHT 1080
#define NUMBERS ((size_t) 4 * WIDTH * HEIGHT)

static float *original, *work, *result;

static void
blur (double size)
{
  blur_gaussian (work, WIDTH, HEIGHT, (double[]){ size, size }, RESAMPLE_EXTEND, NULL);
}

static void
box (double size)
{
  blur_box (work, WIDTH, HEIGHT, (double[]){ size, size }, RESAMPLE_EXTEND, NULL);
}

static void
defocus (double size)
{
  blur_aperture (work, WIDTH, HEIGHT, &(BlurAperture){ .radius = size, .aspect = 1, .blades = 6 }, RESAMPLE_EXTEND,
                 NULL);
}

static void
streak (double size)
{
  blur_motion (work, WIDTH, HEIGHT, &(BlurMotion){ .extent = size, .direction = 0.5 }, RESAMPLE_EXTEND, NULL);
}

static void
median (double size)
{
  rank_filter (work, WIDTH, HEIGHT, (int) size, 0.5, RESAMPLE_EXTEND, result, NULL);
}

static void
lanczos (double factor)
{
  const ResampleSource source = { work, WIDTH, HEIGHT, RESAMPLE_LANCZOS, RESAMPLE_EXTEND };
  const ResizeAxis axis = { 0, 1 / factor };

  resize_image (&source, &axis, &axis, result, (int) (WIDTH * factor), (int) (HEIGHT * factor), NULL);
}

static void
denoise (double strength)
{
  denoise_image (work, WIDTH, HEIGHT, &(DenoiseStyle){ .reach = 5, .patch = 2, .strength = strength }, result, NULL);
}

static const struct {
  const char *name;
  void (*run) (double size);
  double size;
} rows[] = {
  { "gaussian-1", blur, 1 },       { "gaussian-10", blur, 10 },
  { "gaussian-100", blur, 100 },   { "gaussian-1000", blur, 1000 },
  { "box-10", box, 10 },           { "box-100", box, 100 },
  { "defocus-10", defocus, 10 },   { "defocus-100", defocus, 100 },
  { "streak-30", streak, 30 },     { "streak-300", streak, 300 },
  { "median-1", median, 1 },       { "median-5", median, 5 },
  { "median-20", median, 20 },     { "lanczos-half", lanczos, 0.5 },
  { "lanczos-twice", lanczos, 2 }, { "non-local-means-5", denoise, 0.1 },
};

int
main (void)
{
  original = g_new (float, NUMBERS);
  work = g_new (float, NUMBERS);
  result = g_new (float, 4 * NUMBERS);
  for (size_t i = 0; i < NUMBERS; i++)
    original[i] = (float) kg_random_uniform (1, i, 0);
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    double seconds[RUNS];

    for (guint k = 0; k < RUNS; k++) {
      memcpy (work, original, NUMBERS * sizeof *work);
      const double start = now ();

      rows[r].run (rows[r].size);
      seconds[k] = now () - start;
    }
    report_median (rows[r].name, seconds, RUNS);
  }
  g_free (original);
  g_free (work);
  g_free (result);
  return 0;
}
