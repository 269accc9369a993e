/* filters-magick: the rows of filters.c that ImageMagick has, on its images in memory, built with floats (HDRI): otherwise its
 * numbers are whole ones of 16 bits, which is other work.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "filters.h"

#include <wand/MagickWand.h>

/* image, front: with alpha, by which operations weigh colours.  numbers: the colours as they are, for those that do not.
 * The copies are what a run rewrites; work is that which it did. */
static MagickWand *image, *front, *numbers, *image_copy, *numbers_copy, *work;

/* Copies are made when they are first written to: now, not within a run. */
static MagickWand *
copy (MagickWand *wand)
{
  MagickWand *own = CloneMagickWand (wand);
  ExceptionInfo *problems = AcquireExceptionInfo ();

  g_assert_nonnull (GetAuthenticPixels (GetImageFromMagickWand (own), 0, 0, 1, 1, problems));
  DestroyExceptionInfo (problems);
  return own;
}

static void
over (double opacity)
{
  (void) opacity;
  work = image_copy;
  MagickCompositeImageChannel (work, AllChannels, front, OverCompositeOp, 0, 0);
}

static void
chain (double n)
{
  const double line[] = { 0.95, 0.02 };

  work = numbers_copy;
  for (int i = 0; i < n; i++)
    MagickFunctionImageChannel (work, RedChannel | GreenChannel | BlueChannel, PolynomialFunction, 2, line);
}

static void
blur (double size)
{
  work = image_copy;
  MagickBlurImageChannel (work, AllChannels, 0, size);
}

static void
streak (double size)
{
  work = image_copy;
  MagickMotionBlurImageChannel (work, AllChannels, 0, size / 3, 0.5 * 180 / G_PI);
}

static void
median (double size)
{
  const size_t side = 2 * (size_t) size + 1;

  work = numbers_copy;
  MagickStatisticImageChannel (work, AllChannels, MedianStatistic, side, side);
}

static void
resize (double factor)
{
  work = image_copy;
  MagickResizeImage (work, (size_t) (factor * width), (size_t) (factor * height), LanczosFilter, 1);
}

static const FilterRow rows[] = {
  { "over", over, 1 },
  { "chain-10", chain, 10 },
  { "gaussian-1", blur, 1 },
  { "gaussian-10", blur, 10 },
  { "gaussian-100", blur, 100 },
  { "streak-30", streak, 30, true },
  { "median-1", median, 1 },
  { "median-5", median, 5 },
  { "lanczos-half", resize, 0.5 },
  { "lanczos-twice", resize, 2, true },
};

static void
restore (void)
{
  if (image_copy != NULL)
    DestroyMagickWand (image_copy);
  if (numbers_copy != NULL)
    DestroyMagickWand (numbers_copy);
  image_copy = copy (image);
  numbers_copy = copy (numbers);
}

static FilterResult
fetch (void)
{
  const size_t columns = MagickGetImageWidth (work), n_rows = MagickGetImageHeight (work), n = 4 * columns * n_rows;
  float *pixels = g_new (float, n);

  MagickExportImagePixels (work, 0, 0, columns, n_rows, "RGBA", FloatPixel, pixels);
  if (work == image_copy)
    filters_multiply (pixels, pixels, n);
  return (FilterResult){ pixels, (int) columns, (int) n_rows };
}

static MagickWand *
make_image (const float *pixels)
{
  MagickWand *wand = NewMagickWand ();

  if (!MagickConstituteImage (wand, (size_t) width, (size_t) height, "RGBA", FloatPixel, pixels))
    g_error ("ImageMagick has no memory for the image");
  return wand;
}

int
main (int argc, char **argv)
{
  g_autofree float *above_straight = NULL;

  filters_begin (argc, argv);
  MagickWandGenesis ();
  MagickSetResourceLimit (MemoryResource, (MagickSizeType) 16 << 30);
  MagickSetResourceLimit (AreaResource, (MagickSizeType) 16 << 30);
  image = make_image (straight);
  numbers = make_image (original);
  above_straight = g_memdup2 (above, filters_count () * sizeof *above);
  for (size_t i = 0; i < filters_count (); i++)
    above_straight[i] /= i % 4 < 3 ? above[i / 4 * 4 + 3] : 1;
  front = make_image (above_straight);
  filters_run (rows, G_N_ELEMENTS (rows), argc, argv, restore, fetch);
  DestroyMagickWand (image_copy);
  DestroyMagickWand (numbers_copy);
  DestroyMagickWand (image);
  DestroyMagickWand (numbers);
  DestroyMagickWand (front);
  MagickWandTerminus ();
  filters_end ();
  return 0;
}
