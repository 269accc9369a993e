/* tests/techniques/resample: images read through a map, against exact results.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/resample.h"
#include "image/resize.h"

#include <string.h>

/* Every pixel differs.  (transfer full) */
static KgImage *
make_picture (int width, int height, bool depth)
{
  KgImage *image = kg_image_new (width, height, depth, NULL);
  float *pixels = kg_image_edit_pixels (image);

  for (int i = 0; i < width * height; i++) {
    const float rgba[] = { (float) i, (float) (2 * i), 1, 1 };

    memcpy (pixels + 4 * i, rgba, sizeof rgba);
    if (depth)
      kg_image_edit_depth (image)[i] = (float) (10 + i);
  }
  return image;
}

/* A move by whole pixels moves bits, whatever the filter; edges are as they are asked for. */
static void
test_whole_pixels (void)
{
  const ResampleMap map = { { { 1, 0 }, { 0, 1 } }, { -2, 0 } };
  g_autoptr (KgImage) from = make_picture (7, 5, true), to = make_picture (7, 5, true);

  for (int filter = 0; filter < RESAMPLE_N_FILTERS; filter++)
    /* These two soften everywhere, not only between pixels. */
    for (int edges = 0; edges < RESAMPLE_N_EDGES && filter != RESAMPLE_MITCHELL && filter != RESAMPLE_BSPLINE;
         edges++) {
      const float *p, *depth;

      g_assert_true (resample_image (from, &map, (ResampleFilter) filter, (ResampleEdges) edges, to, NULL));
      p = kg_image_get_pixels (to);
      depth = kg_image_get_depth (to);
      for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++) {
          const int source = x >= 2                     ? x - 2
                             : edges == RESAMPLE_EXTEND ? 0
                             : edges == RESAMPLE_REPEAT ? x + 5
                             : edges == RESAMPLE_MIRROR ? 1 - x
                                                        : -1;
          const double expected = source >= 0 ? 7 * y + source : 0;

          g_assert_cmpfloat ((double) p[4 * (7 * y + x)], ==, expected);
          if (source >= 0)
            g_assert_cmpfloat ((double) depth[7 * y + x], ==, 10 + expected);
          else
            g_assert_true (isinf (depth[7 * y + x]));
        }
    }
}

/* A ramp stays one between pixels; half as large, each pixel is the mean of those that it covers. */
static void
test_between (void)
{
  const ResampleMap half = { { { 1, 0 }, { 0, 1 } }, { 0.5, 0 } }, small = { { { 2, 0 }, { 0, 2 } }, { 0, 0 } };
  g_autoptr (KgImage) from = make_picture (8, 8, false), to = make_picture (8, 8, false);

  g_assert_true (resample_image (from, &half, RESAMPLE_BILINEAR, RESAMPLE_EXTEND, to, NULL));
  for (int x = 0; x < 7; x++)
    assert_near ((double) kg_image_get_pixels (to)[4 * x], x + 0.5, 1e-5);
  g_assert_true (resample_image (from, &small, RESAMPLE_BILINEAR, RESAMPLE_TRANSPARENT, to, NULL));
  assert_near ((double) kg_image_get_pixels (to)[4 * (8 + 1)], (2 * 8 + 2 + 2 * 8 + 3 + 3 * 8 + 2 + 3 * 8 + 3) / 4.0,
               1e-5);
}

/* Every filter has the sum 1 wherever it is read, and reaches as far as it says. */
static void
test_partition_of_unity (void)
{
  g_autoptr (KgImage) image = kg_image_new (12, 12, false, NULL);

  for (int i = 0; i < 4 * 144; i++)
    kg_image_edit_pixels (image)[i] = 0.75f;
  for (int filter = 0; filter < RESAMPLE_N_FILTERS; filter++) {
    const ResampleFilter f = (ResampleFilter) filter;
    const ResampleSource source = { kg_image_get_pixels (image), 12, 12, f, RESAMPLE_MIRROR };

    assert_near (resample_kernel (f, resample_get_reach (f)), 0, 0);
    g_assert_cmpfloat (resample_kernel (f, 0), >, 0.6);
    for (double x = -3; x < 15; x += 0.173) {
      double sum[4] = { 0 }, weights = 0;

      resample_add (&source, x, 1.3 * x, sum);
      for (int c = 0; c < 4; c++)
        assert_near (sum[c], 0.75, 1e-6);
      for (int i = -8; i < 24; i++)
        weights += resample_kernel (f, i - x);
      assert_near (weights, 1, f == RESAMPLE_LANCZOS ? 0.012 : 1e-9);
    }
  }
}

/* An opaque image stays opaque up to its border at any size; only what lies outside is transparent. */
static void
test_resize_opaque (void)
{
  static const double steps[] = { 0.13, 0.5, 0.75, 1, 1.0001, 1.7, 2, 5, 37 };
  g_autoptr (KgImage) image = kg_image_new (37, 37, false, NULL);

  for (int i = 0; i < 4 * 37 * 37; i++)
    kg_image_edit_pixels (image)[i] = i % 4 == 3 ? 1 : 0.25f;
  for (int filter = 0; filter < RESAMPLE_N_FILTERS; filter++)
    for (guint k = 0; k < G_N_ELEMENTS (steps); k++) {
      const int size = (int) fmax (nearbyint (37 / steps[k]), 1);
      const ResizeAxis axis = { 0, 37.0 / size }, wide = { -37, 3 * 37.0 / size };
      const ResampleSource source = { kg_image_get_pixels (image), 37, 37, (ResampleFilter) filter,
                                      RESAMPLE_TRANSPARENT };
      g_autofree float *to = g_new (float, 4 * size * size);

      g_assert_true (resize_image (&source, &axis, &axis, to, size, size, NULL));
      for (int i = 0; i < 4 * size * size; i++)
        assert_near ((double) to[i], i % 4 == 3 ? 1 : 0.25, 2e-6);
      /* The image in the middle third of a wider one. */
      g_assert_true (resize_image (&source, &wide, &axis, to, size, size, NULL));
      if (filter != RESAMPLE_NEAREST)
        for (int x = 0; x < size; x++)
          assert_near ((double) to[4 * x + 3], kg_clamp ((fmin (x + 1, 2 * size / 3.0) - fmax (x, size / 3.0)), 0, 1),
                       2e-6);
    }
}

/* A scale of almost 1 looks as that of 1, by any filter. */
static void
test_almost_one (void)
{
  const ResampleMap one = { { { 1, 0 }, { 0, 1 } }, { 0, 0 } };
  const ResampleMap less = { { { 1.0001, 0 }, { 0, 1.0001 } }, { 0, 0 } };
  g_autoptr (KgImage) image = kg_image_new (16, 16, false, NULL);

  /* A board of pixels. */
  for (int i = 0; i < 4 * 256; i++)
    kg_image_edit_pixels (image)[i] = i % 4 == 3 || (i / 4 + i / 64) % 2 == 0;
  for (int filter = RESAMPLE_BILINEAR; filter < RESAMPLE_N_FILTERS; filter++) {
    g_autoptr (KgImage) a = kg_image_new (16, 16, false, NULL), b = kg_image_new (16, 16, false, NULL);

    g_assert_true (resample_image (image, &one, (ResampleFilter) filter, RESAMPLE_EXTEND, a, NULL));
    g_assert_true (resample_image (image, &less, (ResampleFilter) filter, RESAMPLE_EXTEND, b, NULL));
    for (int i = 0; i < 4 * 256; i++)
      assert_near ((double) kg_image_get_pixels (a)[i], (double) kg_image_get_pixels (b)[i], 0.01);
  }
}

static bool
is_cancelled (gpointer data)
{
  (void) data;
  return true;
}

static void
test_cancelled (void)
{
  const KgProgressMonitor monitor = { .is_cancelled = is_cancelled };
  const ResampleMap map = { { { 1, 0 }, { 0, 1 } }, { 0, 0 } };
  g_autoptr (KgImage) from = make_picture (4, 4, false), to = make_picture (4, 4, false);

  g_assert_false (resample_image (from, &map, RESAMPLE_NEAREST, RESAMPLE_TRANSPARENT, to, &monitor));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resample/whole-pixels", test_whole_pixels);
  g_test_add_func ("/resample/between", test_between);
  g_test_add_func ("/resample/partition-of-unity", test_partition_of_unity);
  g_test_add_func ("/resample/resize-opaque", test_resize_opaque);
  g_test_add_func ("/resample/almost-one", test_almost_one);
  g_test_add_func ("/resample/cancelled", test_cancelled);
  return g_test_run ();
}
