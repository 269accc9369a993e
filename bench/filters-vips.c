/* filters-vips: the rows of filters.c that libvips has, from memory to memory.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "filters.h"

#include <vips/vips.h>

/* The last two are for composition, which takes 255 for one. */
static VipsImage *image, *back, *front;

/* The result of the row before, in memory. */
static FilterResult result;
static float unit;

/* Takes the last image of a pipeline, which runs now. */
static void
finish (VipsImage *last)
{
  size_t size;

  result = (FilterResult){ vips_image_write_to_memory (last, &size), vips_image_get_width (last),
                           vips_image_get_height (last) };
  unit = 1;
  g_assert_nonnull (result.pixels);
  g_assert_cmpuint (size, ==, 4 * sizeof (float) * (size_t) result.width * (size_t) result.height);
  g_object_unref (last);
}

/* An operation on the image before, which is the last one then. */
#define APPLY(last, operation, ...)                                                                                    \
  do {                                                                                                                 \
    VipsImage *next = NULL;                                                                                            \
    if (operation (last, &next, __VA_ARGS__) != 0)                                                                     \
      g_error ("%s", vips_error_buffer ());                                                                            \
    g_object_unref (last);                                                                                             \
    last = next;                                                                                                       \
  } while (0)

static VipsImage *
begin (void)
{
  return (VipsImage *) g_object_ref (image);
}

static void
over (double opacity)
{
  VipsImage *composed = NULL;

  (void) opacity;
  if (vips_composite2 (back, front, &composed, VIPS_BLEND_MODE_OVER, "premultiplied", TRUE, "compositing-space",
                       VIPS_INTERPRETATION_sRGB, NULL) != 0)
    g_error ("%s", vips_error_buffer ());
  finish (composed);
  unit = 255;
}

static void
chain (double n)
{
  const double slope[] = { 0.95, 0.95, 0.95, 1 }, offset[] = { 0.02, 0.02, 0.02, 0 };
  VipsImage *last = begin ();

  for (int i = 0; i < n; i++)
    APPLY (last, vips_linear, slope, offset, 4, NULL);
  finish (last);
}

/* As far out as a thousandth, the least that it takes; ours goes to a hundred-thousandth. */
static void
blur (double size)
{
  VipsImage *last = begin ();

  APPLY (last, vips_gaussblur, size, "precision", VIPS_PRECISION_FLOAT, "min-ampl", 0.001, NULL);
  finish (last);
}

static void
median (double size)
{
  const int side = 2 * (int) size + 1;
  VipsImage *last = begin ();

  APPLY (last, vips_rank, side, side, side * side / 2, NULL);
  finish (last);
}

/* It enlarges with the cubic whatever it is asked for. */
static void
resize (double factor)
{
  VipsImage *last = begin ();

  APPLY (last, vips_resize, factor, "kernel", VIPS_KERNEL_LANCZOS3, NULL);
  finish (last);
}

/* A map of x + size sin (0.02 y), y + size cos (0.02 x), as ours has it. */
static void
warp (double size)
{
  const double slope[] = { 0.02 * 180 / G_PI }, half[] = { 0.01 * 180 / G_PI }, none[] = { 0, 0 },
               depth[] = { size, size };
  VipsImage *places = NULL, *x, *y, *waves[2], *moves = NULL, *map = NULL, *warped = NULL;
  VipsInterpolate *cubic = vips_interpolate_new ("bicubic");

  vips_xyz (&places, width, height, NULL);
  vips_extract_band (places, &x, 0, NULL);
  vips_extract_band (places, &y, 1, NULL);
  APPLY (x, vips_linear, slope, half, 1, NULL);
  APPLY (y, vips_linear, slope, half, 1, NULL);
  APPLY (y, vips_math, VIPS_OPERATION_MATH_SIN, NULL);
  APPLY (x, vips_math, VIPS_OPERATION_MATH_COS, NULL);
  waves[0] = y;
  waves[1] = x;
  vips_bandjoin (waves, &moves, 2, NULL);
  APPLY (moves, vips_linear, depth, none, 2, NULL);
  vips_add (moves, places, &map, NULL);
  if (vips_mapim (image, &warped, map, "interpolate", cubic, "extend", VIPS_EXTEND_COPY, "premultiplied", TRUE, NULL) !=
      0)
    g_error ("%s", vips_error_buffer ());
  finish (warped);
  g_object_unref (map);
  g_object_unref (moves);
  g_object_unref (x);
  g_object_unref (y);
  g_object_unref (places);
  g_object_unref (cubic);
}

static const FilterRow rows[] = {
  { "over", over, 1 },
  { "chain-10", chain, 10 },
  { "warp", warp, 20 },
  { "gaussian-1", blur, 1 },
  { "gaussian-10", blur, 10 },
  { "gaussian-100", blur, 100 },
  { "median-1", median, 1 },
  { "median-5", median, 5 },
  { "median-20", median, 20, true },
  { "lanczos-half", resize, 0.5 },
  { "lanczos-twice", resize, 2, true },
};

static void
forget (void)
{
  g_clear_pointer (&result.pixels, g_free);
}

static FilterResult
fetch (void)
{
  for (size_t i = 0; unit != 1 && i < 4 * (size_t) result.width * (size_t) result.height; i++)
    result.pixels[i] /= unit;
  return (FilterResult){ g_steal_pointer (&result.pixels), result.width, result.height };
}

static VipsImage *
make_image (float *pixels, VipsInterpretation interpretation)
{
  VipsImage *made =
      vips_image_new_from_memory (pixels, filters_count () * sizeof *pixels, width, height, 4, VIPS_FORMAT_FLOAT);

  APPLY (made, vips_copy, "interpretation", interpretation, NULL);
  return made;
}

int
main (int argc, char **argv)
{
  filters_begin (argc, argv);
  if (VIPS_INIT (argv[0]) != 0)
    return 1;
  /* Without results of the run before. */
  vips_cache_set_max (0);
  for (size_t i = 0; i < filters_count (); i++) {
    straight[i] = 255 * original[i];
    above[i] *= 255;
  }
  image = make_image (original, VIPS_INTERPRETATION_scRGB);
  back = make_image (straight, VIPS_INTERPRETATION_sRGB);
  front = make_image (above, VIPS_INTERPRETATION_sRGB);
  filters_run (rows, G_N_ELEMENTS (rows), argc, argv, forget, fetch);
  g_object_unref (image);
  g_object_unref (back);
  g_object_unref (front);
  vips_shutdown ();
  filters_end ();
  return 0;
}
