/* filters: times operations on an image, float RGBA (see filters.h).  The same with other programs: filters-gegl.c,
 * filters-magick.c, filters-vips.c; side by side: bench/run.py BUILD filters.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/denoise.h"
#include "image/grade.h"
#include "image/merge.h"
#include "image/rank_filter.h"
#include "image/resize.h"
#include "kg-base.h"

/* After those, whose names its own would shadow. */
#include "filters.h"

static KgImage *image, *front;

static float *work, *result;

/* What the row before made. */
static enum { IN_WORK, IN_RESULT, IN_IMAGE } kept;
static int result_width, result_height;

static void
keep (int columns, int rows)
{
  kept = IN_RESULT;
  result_width = columns;
  result_height = rows;
}

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
  keep (width, height);
}

static void
lanczos (double factor)
{
  const ResampleSource source = { work, width, height, RESAMPLE_LANCZOS, RESAMPLE_EXTEND };
  const ResizeAxis axis = { 0, 1 / factor };

  resize_image (&source, &axis, &axis, result, (int) (width * factor), (int) (height * factor), NULL);
  keep ((int) (width * factor), (int) (height * factor));
}

static void
denoise (double strength)
{
  denoise_image (work, width, height, &(DenoiseStyle){ .reach = 5, .patch = 2, .strength = strength }, result, NULL);
  keep (width, height);
}

/* What nodes do: one image over another, and ten operations in a row. */
static void
over (double opacity)
{
  const ImageWear wear = { .mix = 1 };
  const Merge merge = { .op = MERGE_OVER, .opacity = (float) opacity };
  const ImageSource source = image_source (front, image, 0, 0);

  merge_combine (&image, &source, 1, &wear, &merge, NULL);
  kept = IN_IMAGE;
}

static void
chain (double n)
{
  const ImageWear wear = { .mix = 1, .keeps = true };
  const Grade grade = { .slope = { 0.95f, 0.95f, 0.95f }, .offset = { 0.02f, 0.02f, 0.02f }, .power = { 1, 1, 1 } };

  for (int i = 0; i < n; i++)
    image_apply_later (&image, &wear, grade_block, &grade, sizeof grade, i + 1 < n, NULL);
  kept = IN_IMAGE;
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
  keep (width, height);
}

static const FilterRow rows[] = {
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

static void
restore (void)
{
  kept = IN_WORK;
  memcpy (work, original, filters_count () * sizeof *work);
  memcpy (kg_image_edit_pixels (image), original, filters_count () * sizeof *original);
}

static FilterResult
fetch (void)
{
  const int columns = kept == IN_RESULT ? result_width : width, rows_kept = kept == IN_RESULT ? result_height : height;
  const float *from = kept == IN_WORK ? work : kept == IN_RESULT ? result : kg_image_get_pixels (image);

  return (FilterResult){ g_memdup2 (from, 4 * sizeof *from * (size_t) columns * (size_t) rows_kept), columns,
                         rows_kept };
}

int
main (int argc, char **argv)
{
  filters_begin (argc, argv);
  image = kg_image_new (width, height, false, NULL);
  front = kg_image_new (width, height, false, NULL);
  work = g_new (float, filters_count ());
  result = g_new0 (float, (width > 1920 ? 1 : 4) * filters_count ());
  memcpy (kg_image_edit_pixels (front), above, filters_count () * sizeof *above);
  filters_run (rows, G_N_ELEMENTS (rows), argc, argv, restore, fetch);
  kg_image_unref (image);
  kg_image_unref (front);
  g_free (work);
  g_free (result);
  filters_end ();
  return 0;
}
