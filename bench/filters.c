/* filters: times operations on a picture, float RGBA, and prints one line for each: name, seconds (median of the runs).  Of
 * 1920×1080 pixels, or with an argument of 7680×4320, where those that take minutes are left out; further arguments name the rows.  The same with other programs:
 * bench/run.py.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/denoise.h"
#include "image/grade.h"
#include "image/merge.h"
#include "image/rank_filter.h"
#include "image/resize.h"
#include "kg-base.h"
#include "kg-random.h"
#include "times.h"

#define RUNS 5

static int width = 1920, height = 1080;
static KgImage *image, *front;

static float *original, *work, *result;

static void
blur (double size)
{
  blur_gaussian (work, width, height, (double[]){ size, size }, RESAMPLE_EXTEND, NULL);
}

static void
box (double size)
{
  blur_box (work, width, height, (double[]){ size, size }, RESAMPLE_EXTEND, NULL);
}

static void
defocus (double size)
{
  blur_aperture (work, width, height, &(BlurAperture){ .radius = size, .aspect = 1, .blades = 6 }, RESAMPLE_EXTEND,
                 NULL);
}

static void
streak (double size)
{
  blur_motion (work, width, height, &(BlurMotion){ .extent = size, .direction = 0.5 }, RESAMPLE_EXTEND, NULL);
}

static void
median (double size)
{
  rank_filter (work, width, height, (int) size, 0.5, RESAMPLE_EXTEND, result, NULL);
}

static void
lanczos (double factor)
{
  const ResampleSource source = { work, width, height, RESAMPLE_LANCZOS, RESAMPLE_EXTEND };
  const ResizeAxis axis = { 0, 1 / factor };

  resize_image (&source, &axis, &axis, result, (int) (width * factor), (int) (height * factor), NULL);
}

static void
denoise (double strength)
{
  denoise_image (work, width, height, &(DenoiseStyle){ .reach = 5, .patch = 2, .strength = strength }, result, NULL);
}

/* What nodes do: one image over another, and ten operations in a row. */
static void
over (double opacity)
{
  const ImageWear wear = { .mix = 1 };
  const Merge merge = { .op = MERGE_OVER, .opacity = (float) opacity };
  const ImageSource source = image_source (front, image, 0, 0);

  image_combine (&image, &source, 1, &wear, merge_block, &merge, NULL);
}

static void
chain (double n)
{
  const ImageWear wear = { .mix = 1, .keeps = true };
  const Grade grade = { .slope = { 1.1f, 1, 0.9f }, .power = { 1, 1, 1 } };

  for (int i = 0; i < n; i++)
    image_apply_later (&image, &wear, grade_block, &grade, sizeof grade, i + 1 < n, NULL);
}

static bool
find_wave (const void *data, double x, double y, double *from)
{
  const double size = *(const double *) data;

  from[0] = x + size * sin (0.02 * y);
  from[1] = y + size * cos (0.02 * x);
  return true;
}

static void
warp (double size)
{
  const ResampleSource source = { work, width, height, RESAMPLE_BICUBIC, RESAMPLE_EXTEND };

  resample_warp (&source, find_wave, &size, NULL, result, width, height, NULL);
}

static const struct {
  const char *name;
  void (*run) (double size);
  double size;
  bool slow; /* not of the larger picture */
} rows[] = {
  { "over", over, 1 },
  { "chain-10", chain, 10 },
  { "warp", warp, 20 },
  { "gaussian-1", blur, 1 },
  { "gaussian-10", blur, 10 },
  { "gaussian-100", blur, 100 },
  { "gaussian-1000", blur, 1000, true },
  { "box-10", box, 10, true },
  { "box-100", box, 100, true },
  { "defocus-10", defocus, 10, true },
  { "defocus-100", defocus, 100, true },
  { "streak-30", streak, 30, true },
  { "streak-300", streak, 300, true },
  { "median-1", median, 1 },
  { "median-5", median, 5 },
  { "median-20", median, 20, true },
  { "lanczos-half", lanczos, 0.5 },
  { "lanczos-twice", lanczos, 2, true },
  { "non-local-means-5", denoise, 0.1, true },
};

/* All of them, or those that are named after the word for the larger picture. */
static bool
is_wanted (guint row, int argc, char **argv)
{
  if (argc > 1 && rows[row].slow)
    return false;
  if (argc <= 2)
    return true;
  for (int i = 2; i < argc; i++)
    if (g_str_equal (rows[row].name, argv[i]))
      return true;
  return false;
}

int
main (int argc, char **argv)
{
  const bool large = argc > 1;
  size_t numbers;

  if (large) {
    width = 7680;
    height = 4320;
  }
  numbers = 4 * (size_t) width * (size_t) height;
  image = kg_image_new (width, height, false, NULL);
  front = kg_image_new (width, height, false, NULL);
  original = g_new (float, numbers);
  work = g_new (float, numbers);
  result = g_new (float, (large ? 1 : 4) * numbers);
  for (size_t i = 0; i < numbers; i++)
    original[i] = (float) kg_random_uniform (1, i, 0);
  memcpy (kg_image_edit_pixels (image), original, numbers * sizeof *original);
  memcpy (kg_image_edit_pixels (front), original, numbers * sizeof *original);
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    double seconds[RUNS];

    if (!is_wanted (r, argc, argv))
      continue;
    for (guint k = 0; k < RUNS; k++) {
      memcpy (work, original, numbers * sizeof *work);
      const double start = now ();

      rows[r].run (rows[r].size);
      seconds[k] = now () - start;
    }
    report_median (rows[r].name, seconds, RUNS);
  }
  kg_image_unref (image);
  kg_image_unref (front);
  g_free (original);
  g_free (work);
  g_free (result);
  return 0;
}
