/* tests/techniques/resample: images read through a map, against exact results.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/resample.h"
#include "image/resize.h"
#include "kg-random.h"

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

/* An image that shrinks to less than a pixel is its mean, all of its pixels included; what is repeated has it everywhere.
 * Distances are still those of single pixels. */
static void
test_shrink (void)
{
  const ResampleMap map = { { { 64, 0 }, { 0, 64 } }, { -128, -64 } };
  g_autoptr (KgImage) from = make_picture (64, 64, true), to = make_picture (5, 3, true),
                      sum = make_picture (5, 3, false);
  const float weights[4] = { 1, 1, 1, 1 };
  const float *p, *depth;
  double mean = 0;

  for (int i = 0; i < 64 * 64; i++) {
    kg_image_edit_pixels (from)[4 * i] = (float) ((i * 7919) % 101);
    mean += (i * 7919) % 101 / 4096.0;
  }
  for (int filter = RESAMPLE_BILINEAR; filter < RESAMPLE_N_FILTERS; filter++) {
    g_assert_true (resample_image (from, &map, (ResampleFilter) filter, RESAMPLE_REPEAT, to, NULL));
    p = kg_image_get_pixels (to);
    depth = kg_image_get_depth (to);
    memset (kg_image_edit_pixels (sum), 0, 4 * 15 * sizeof (float));
    g_assert_true (resample_mean (from, &map, 1, (ResampleFilter) filter, RESAMPLE_REPEAT, weights, sum, NULL));
    for (int i = 0; i < 15; i++) {
      assert_near ((double) p[4 * i], mean, 1e-3);
      g_assert_cmpfloat ((double) p[4 * i], ==, (double) kg_image_get_pixels (sum)[4 * i]);
      g_assert_cmpfloat ((double) depth[i], ==, (double) kg_image_get_depth (from)[32 * 64 + 32]);
    }
  }
  /* What is beyond the image is as transparent as before. */
  g_assert_true (resample_image (from, &map, RESAMPLE_BICUBIC, RESAMPLE_TRANSPARENT, to, NULL));
  for (int i = 0; i < 15; i++)
    assert_near ((double) kg_image_get_pixels (to)[4 * i], i == 7 ? mean : 0, 1e-3);
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

/* Within an image four by four pixels are added without asking each; cut out of it they reach its edges.  Both are the same, to the
 * bit, also with colours that overshoot. */
static void
test_bicubic_within (void)
{
  enum { SIZE = 24 };
  float pixels[4 * SIZE * SIZE], cut[4 * 4 * 4];
  const ResampleSource whole = { pixels, SIZE, SIZE, RESAMPLE_BICUBIC, RESAMPLE_TRANSPARENT };
  const ResampleSource piece = { cut, 4, 4, RESAMPLE_BICUBIC, RESAMPLE_TRANSPARENT };

  for (size_t i = 0; i < G_N_ELEMENTS (pixels); i++)
    pixels[i] = (float) (kg_random_uniform (1, i, 0) < 0.3 ? 0 : 2 * kg_random_uniform (2, i, 0));
  for (size_t i = 0; i < 500; i++) {
    const int left = (int) (kg_random_uniform (3, i, 0) * (SIZE - 3)),
              top = (int) (kg_random_uniform (4, i, 0) * (SIZE - 3));
    /* Multiples of 1/64 are exact wherever they are. */
    const double x = 1.5 + floor (1 + 63 * kg_random_uniform (5, i, 0)) / 64;
    const double y = 1.5 + floor (1 + 63 * kg_random_uniform (6, i, 0)) / 64;
    double a[4] = { 0 }, b[4] = { 0 };

    for (int row = 0; row < 4; row++)
      memcpy (cut + 16 * row, pixels + 4 * ((top + row) * SIZE + left), 16 * sizeof *cut);
    resample_add (&whole, left + x, top + y, a);
    resample_add (&piece, x, y, b);
    for (int c = 0; c < 4; c++)
      g_assert_true (a[c] == b[c]);
  }
}

/* Numbers that are no light, such as vectors, keep their sign through filters that overshoot; light is not made negative. */
static void
test_negative (void)
{
  enum { SIZE = 16 };
  const ResampleMap map = { { { 0.9, 0.1 }, { -0.1, 0.9 } }, { 0.8, 1.3 } };
  const ResizeAxis axis = { 0, (double) SIZE / 23 };
  g_autofree float *pixels = g_new (float, 4 * SIZE * SIZE), *larger = g_new (float, 4 * 23 * 23);

  for (int filter = 0; filter < RESAMPLE_N_FILTERS; filter++)
    for (int step = 0; step < 2; step++) {
      const ResampleSource source = { pixels, SIZE, SIZE, (ResampleFilter) filter, RESAMPLE_EXTEND };
      g_autoptr (KgImage) from = kg_image_new (SIZE, SIZE, false, NULL), to = kg_image_new (SIZE, SIZE, false, NULL);
      float least = INFINITY, light = INFINITY;

      /* -0.5 everywhere, or -0.25 and -1 side by side; blue is light. */
      for (int i = 0; i < SIZE * SIZE; i++) {
        const bool right = i % SIZE >= SIZE / 2;
        const float rgba[] = { step == 0 ? -0.5f : right ? -1 : -0.25f, -0.5f, right ? 1 : 0, 1 };

        memcpy (pixels + 4 * i, rgba, sizeof rgba);
      }
      memcpy (kg_image_edit_pixels (from), pixels, 4 * SIZE * SIZE * sizeof *pixels);
      g_assert_true (resample_image (from, &map, (ResampleFilter) filter, RESAMPLE_EXTEND, to, NULL));
      g_assert_true (resize_image (&source, &axis, &axis, larger, 23, 23, NULL));
      for (int i = 0; i < 23 * 23 + SIZE * SIZE; i++) {
        const float *p = i < 23 * 23 ? larger + 4 * i : kg_image_get_pixels (to) + 4 * (i - 23 * 23);

        assert_near ((double) p[1], -0.5, 1e-6);
        if (step == 0)
          assert_near ((double) p[0], -0.5, 1e-6);
        least = MIN (least, p[0]);
        light = MIN (light, p[2]);
      }
      g_assert_cmpfloat (least, >=, -1.000001);
      g_assert_cmpfloat (light, >=, 0);
    }
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
  g_test_add_func ("/resample/shrink", test_shrink);
  g_test_add_func ("/resample/bicubic-within", test_bicubic_within);
  g_test_add_func ("/resample/negative", test_negative);
  g_test_add_func ("/resample/cancelled", test_cancelled);
  return g_test_run ();
}
