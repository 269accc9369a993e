/* tests/techniques/line-warp: the warp in single precision against the one in double precision.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/line_warp.h"
#include "kg-random.h"

#include <omp.h>
#include <string.h>

enum { WIDTH = 200, HEIGHT = 120 };

/* Red and green are the place of each pixel, so that a warped image shows where its pixels were read. (transfer full) */
static KgImage *
make_places (void)
{
  KgImage *image = kg_image_new (WIDTH, HEIGHT, false, NULL);
  float *pixels = kg_image_edit_pixels (image);

  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    const float rgba[] = { (float) (i % WIDTH) + 0.5f, (float) (i / WIDTH) + 0.5f, 0, 1 };

    memcpy (pixels + 4 * i, rgba, sizeof rgba);
  }
  return image;
}

static GArray *
make_lines (guint n, uint64_t seed, double size)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (WarpLine));

  for (guint i = 0; i < n; i++) {
    const double px = WIDTH * kg_random_uniform (seed, i, 0), py = HEIGHT * kg_random_uniform (seed, i, 1);
    const WarpLine line = { px, py, px + size * (kg_random_uniform (seed, i, 2) + 0.05),
                            py + size * (kg_random_uniform (seed, i, 3) - 0.5) };

    g_array_append_val (lines, line);
  }
  return lines;
}

/* Lines of seed, moved a little. */
static GArray *
move_lines (const GArray *lines, double amount)
{
  GArray *moved = g_array_new (FALSE, FALSE, sizeof (WarpLine));

  for (guint i = 0; i < lines->len; i++) {
    WarpLine line = g_array_index (lines, WarpLine, i);

    line.px += amount * (kg_random_uniform (7, i, 0) - 0.5);
    line.py += amount * (kg_random_uniform (7, i, 1) - 0.5);
    line.qx += amount * (kg_random_uniform (7, i, 2) - 0.5);
    line.qy += amount * (kg_random_uniform (7, i, 3) - 0.5);
    g_array_append_val (moved, line);
  }
  return moved;
}

static KgImage *
warp (const KgImage *places, const GArray *a, const GArray *b, WarpStyle style, bool exact)
{
  KgImage *out = kg_image_new (WIDTH, HEIGHT, false, NULL);
  g_autoptr (GError) error = NULL;

  style.exact = exact;
  line_warp_mix (places, places, a, b, 0.5, &style, out, NULL, &error);
  g_assert_no_error (error);
  return out;
}

static double
find_difference (const KgImage *a, const KgImage *b)
{
  const float *p = kg_image_get_pixels (a), *q = kg_image_get_pixels (b);
  double most = 0;

  for (size_t i = 0; i < 4 * WIDTH * HEIGHT; i++) {
    g_assert_true (isfinite (p[i]) && isfinite (q[i]));
    most = MAX (most, fabs ((double) p[i] - (double) q[i]));
  }
  return most;
}

/* M09: places read in single precision are within a thousandth of a pixel of those in double precision, at every corner of
 * the ranges of softness, falloff and length. */
static void
test_single (void)
{
  static const double softness[] = { 1e-3, 1, 20, 1000 }, falloff[] = { 0, 0.5, 1, 2, 3.7, 10 };
  g_autoptr (KgImage) places = make_places ();
  g_autoptr (GArray) from = make_lines (40, 3, 40), to = move_lines (from, 12);

  for (guint a = 0; a < G_N_ELEMENTS (softness); a++)
    for (guint b = 0; b < G_N_ELEMENTS (falloff); b++)
      for (int p = 0; p < 2; p++)
        for (int share = 0; share < 2; share++) {
          const WarpStyle style = { .a = softness[a], .b = falloff[b], .p = p, .share = (float) share };
          g_autoptr (KgImage) fast = warp (places, from, to, style, false);
          g_autoptr (KgImage) exact = warp (places, from, to, style, true);

          g_test_message ("a %g, b %g, p %d: %g pixel", softness[a], falloff[b], p, find_difference (fast, exact));
          assert_near (find_difference (fast, exact), 0, 1e-3);
          g_assert_cmpfloat (find_difference (exact, places), >, 0.1);
        }
}

/* One pair alone is the affine map from one to the other: Beier and Neely 1992, section 3.1. */
static void
test_one_pair (void)
{
  const WarpLine between = { 50, 60, 150, 60 }, moved = { 60, 40, 60, 90 };
  const WarpLine start = { 2 * between.px - moved.px, 2 * between.py - moved.py, 2 * between.qx - moved.qx,
                           2 * between.qy - moved.qy };
  g_autoptr (KgImage) places = make_places ();
  g_autoptr (GArray) a = g_array_new (FALSE, FALSE, sizeof (WarpLine)),
                     b = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  g_autoptr (KgImage) out = NULL;
  const float *pixel;

  g_array_append_val (a, start);
  g_array_append_val (b, moved);
  out = warp (places, a, b, (WarpStyle){ .a = 1, .b = 2, .share = 1 }, false);
  /* 30 along the line of 100 is 15 along the one of 50; 10 across, measured in pixels, stays 10. */
  pixel = kg_image_get_pixels (out) + 4 * ((60 + 10) * WIDTH + 50 + 30);
  assert_near ((double) pixel[0], 60 - 10.5, 1e-4);
  assert_near ((double) pixel[1], 40 + 0.5 * 30.5, 1e-4);
}

/* Lines that single precision does not hold are computed in double precision. */
static void
test_extremes (void)
{
  static const WarpLine lines[] = { { 1e30, 0, 1e30, 5e29 }, { 20, 20, 20.000001, 20 }, { 3e6, 0, 3e6, 10 } };
  g_autoptr (KgImage) places = make_places ();

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GArray) from = make_lines (3, 5, 40), to = NULL;
    const WarpStyle style = { .a = 1, .b = 2, .share = 0.5f };
    g_autoptr (KgImage) fast = NULL, exact = NULL;

    g_array_append_val (from, lines[i]);
    to = move_lines (from, 3);
    g_array_index (to, WarpLine, 3) = lines[i];
    fast = warp (places, from, to, style, false);
    exact = warp (places, from, to, style, true);
    g_assert_cmpfloat (find_difference (fast, exact), ==, 0);
  }
}

/* The same bits for any number of threads, also where a row is not a whole number of blocks. */
static void
test_threads (void)
{
  g_autoptr (KgImage) places = make_places ();
  g_autoptr (GArray) from = make_lines (30, 9, 30), to = move_lines (from, 10);
  const WarpStyle style = { .a = 1, .b = 1.5, .p = 0.5, .share = 0.4f };
  const int threads = omp_get_max_threads ();
  g_autoptr (KgImage) one = NULL, more = NULL;

  omp_set_num_threads (1);
  one = warp (places, from, to, style, false);
  omp_set_num_threads (7);
  more = warp (places, from, to, style, false);
  omp_set_num_threads (threads);
  g_assert_cmpmem (kg_image_get_pixels (one), 16 * WIDTH * HEIGHT, kg_image_get_pixels (more), 16 * WIDTH * HEIGHT);
}

/* A line that shrinks to nothing is an error that names it. */
static void
test_vanishing_line (void)
{
  const WarpLine line = { 10, 10, 20, 10 }, turned = { 20, 10, 10, 10 };
  const WarpStyle style = { .a = 1, .b = 2 };
  g_autoptr (KgImage) places = make_places (), out = make_places ();
  g_autoptr (GArray) a = g_array_new (FALSE, FALSE, sizeof (WarpLine)),
                     b = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  g_autoptr (GError) error = NULL;

  g_array_append_val (a, line);
  g_array_append_val (b, turned);
  g_assert_false (line_warp_mix (places, places, a, b, 0.5, &style, out, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
}

/* Where a pixel of the warp of one image is read, by these lines of the image and of the result. */
static void
read_place (const WarpLine *source, const WarpLine *result, guint n, const WarpStyle *style, int x, int y,
            double place[2])
{
  g_autoptr (KgImage) places = make_places (), out = kg_image_new (WIDTH, HEIGHT, false, NULL);
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (WarpLine)),
                     to = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  const float *p;

  g_array_append_vals (from, source, n);
  g_array_append_vals (to, result, n);
  g_assert_true (line_warp_mix (places, places, from, to, 1, style, out, NULL, NULL));
  p = kg_image_get_pixels (out) + 4 * (y * WIDTH + x);
  place[0] = (double) p[0];
  place[1] = (double) p[1];
}

/* M09: the line (0, 0)-(0, 2) that comes from (0, 0)-(4, 0) reads its pixel (1, 1) at (2, -1), or, growing with the line, at
 * (2, -2). */
static void
test_beside (void)
{
  const WarpLine source = { 100.5, 60.5, 104.5, 60.5 }, result = { 100.5, 60.5, 100.5, 62.5 };

  for (int exact = 0; exact < 2; exact++)
    for (int similar = 0; similar < 2; similar++) {
      const WarpStyle style = { .a = 1, .b = 2, .exact = exact == 1, .similar = similar == 1 };
      double place[2];

      read_place (&source, &result, 1, &style, 101, 61, place);
      assert_near (place[0], 102.5, 1e-4);
      assert_near (place[1], similar ? 58.5 : 59.5, 1e-4);
    }
}

/* M10: a line of length 4 at distance 1 with a = 1, p = 0.5 and b = 2 weighs (2/2)^2 = 1, one of length 16 at distance 1 weighs
 * 4, and b = 4 squares both.  The first does not move, the second moves by 10; below the least weight it does not count. */
static void
test_weight (void)
{
  const WarpLine source[] = { { 98.5, 60.5, 102.5, 60.5 }, { 102.5, 58.5, 118.5, 58.5 } },
                 result[] = { { 98.5, 60.5, 102.5, 60.5 }, { 92.5, 58.5, 108.5, 58.5 } };
  WarpStyle style = { .a = 1, .b = 2, .p = 0.5 };
  double place[2];

  for (int exact = 0; exact < 2; exact++) {
    style.exact = exact == 1;
    style.b = 2;
    read_place (source, result, 2, &style, 100, 59, place);
    assert_near (place[0], 100.5 + 8, 1e-4);
    assert_near (place[1], 59.5, 1e-4);
    style.b = 4;
    read_place (source, result, 2, &style, 100, 59, place);
    assert_near (place[0], 100.5 + 160.0 / 17, 1e-4);
  }
  style.b = 2;
  style.least = 2;
  read_place (source, result, 2, &style, 100, 59, place);
  assert_near (place[0], 100.5 + 10, 1e-4);
  style.least = 5;
  read_place (source, result, 2, &style, 100, 59, place);
  assert_near (place[0], 100.5, 1e-4);
}

/* M11: lines that all move by (7, 5) move the image; their order does not matter. */
static void
test_translation (void)
{
  const WarpLine source[] = { { 50, 40, 90, 44 }, { 120, 30, 100, 90 }, { 20, 100, 30, 20 } },
                 result[] = { { 57, 45, 97, 49 }, { 127, 35, 107, 95 }, { 27, 105, 37, 25 } };
  const WarpLine source2[] = { source[2], source[0], source[1] }, result2[] = { result[2], result[0], result[1] };
  const WarpStyle style = { .a = 0.5, .b = 1.5, .p = 0.3 };

  for (int y = 20; y < 100; y += 13)
    for (int x = 20; x < 180; x += 17) {
      double place[2], other[2];

      read_place (source, result, 3, &style, x, y, place);
      read_place (source2, result2, 3, &style, x, y, other);
      assert_near (place[0], x + 0.5 - 7, 1e-3);
      assert_near (place[1], y + 0.5 - 5, 1e-3);
      assert_near (place[0], other[0], 1e-4);
    }
}

/* M12: squares of 3 by 3 pixels halved and moved by parts of a pixel: by area every pixel is the exact mean of what it covers,
 * so that the sum is kept; 4 by 4 samples come near it; one sample of an unmoved image is the image itself. */
static void
test_sampling (void)
{
  g_autoptr (KgImage) image = kg_image_new (WIDTH, HEIGHT, false, NULL), out = NULL;
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (WarpLine)),
                     to = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  const WarpLine source = { 40, 60, 160, 60 }, result = { 70.3, 60.4, 130.3, 60.4 };
  WarpStyle style = { .a = 1, .b = 2, .exact = true, .similar = true };
  float *pixels = kg_image_edit_pixels (image);

  for (int i = 0; i < WIDTH * HEIGHT; i++)
    pixels[4 * i] = i % WIDTH / 3 % 2 == i / WIDTH / 3 % 2;
  g_array_append_val (from, source);
  g_array_append_val (to, result);
  for (int sampling = 0; sampling < WARP_N_SAMPLINGS; sampling++) {
    double worst = 0, sum = 0;

    g_clear_pointer (&out, kg_image_unref);
    out = kg_image_new (WIDTH, HEIGHT, false, NULL);
    style.sampler.sampling = (WarpSampling) sampling;
    g_assert_true (line_warp_mix (image, image, from, to, 1, &style, out, NULL, NULL));
    for (int y = 32; y < 88; y++)
      for (int x = 60; x < 140; x++) {
        /* The pixel covers 2 by 2 of the source, from here on. */
        const double left = 100 + 2 * (x - 100.3), top = 60 + 2 * (y - 60.4);
        double mean = 0;

        for (int j = (int) floor (top); j < top + 2; j++)
          for (int i = (int) floor (left); i < left + 2; i++)
            mean += (double) pixels[4 * (j * WIDTH + i)] * (fmin (i + 1, left + 2) - fmax (i, left)) *
                    (fmin (j + 1, top + 2) - fmax (j, top)) / 4;
        sum += (double) kg_image_get_pixels (out)[4 * (y * WIDTH + x)];
        worst = fmax (worst, fabs ((double) kg_image_get_pixels (out)[4 * (y * WIDTH + x)] - mean));
      }
    /* Bilinear samples a pixel apart are the mean of two pixels, too. */
    if (sampling == WARP_AREA || sampling == WARP_SUPER_2)
      assert_near (worst, 0, 1e-6);
    else if (sampling != WARP_SUPER_4)
      g_assert_cmpfloat (worst, >, 0.01);
    if (sampling == WARP_SUPER_4)
      g_assert_cmpfloat (worst, <, 0.2);
    /* One pixel of every two by two is not the light of all. */
    if (sampling != WARP_NEAREST)
      assert_near (sum / (56 * 80), 0.5, 0.02);
  }
  /* Nothing moves. */
  g_array_set_size (to, 0);
  g_array_append_val (to, source);
  for (int sampling = 0; sampling < WARP_N_SAMPLINGS; sampling++) {
    if (sampling == WARP_SUPER_2 || sampling == WARP_SUPER_4)
      continue;
    style.sampler.sampling = (WarpSampling) sampling;
    g_clear_pointer (&out, kg_image_unref);
    out = kg_image_new (WIDTH, HEIGHT, false, NULL);
    g_assert_true (line_warp_mix (image, image, from, to, 1, &style, out, NULL, NULL));
    for (int i = 0; i < 4 * WIDTH * HEIGHT; i++)
      assert_near ((double) kg_image_get_pixels (out)[i], (double) pixels[i], 1e-6);
  }
}

/* M12: what is beyond the edges. Areas that are lines, turned over, crossed, huge or no numbers at all are no errors. */
static void
test_edges (void)
{
  g_autoptr (KgImage) image = kg_image_new (4, 4, false, NULL);
  static const double quads[][4][2] = {
    { { 1, 1 }, { 1, 3 }, { 3, 3 }, { 3, 1 } },
    { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 2, 2 } },
    { { 1, 1 }, { 3, 1 }, { 1, 3 }, { 3, 3 } },
    { { 2, 2 }, { 2, 2 }, { 2, 2 }, { 2, 2 } },
    { { -1e9, -1e9 }, { 1e9, -1e9 }, { 1e9, 1e9 }, { -1e9, 1e9 } },
    { { NAN, 0 }, { 1, NAN }, { 1, 1 }, { 0, 1 } },
    { { INFINITY, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } },
  };
  const double half[4][2] = { { -1, 1 }, { 1, 1 }, { 1, 3 }, { -1, 3 } };
  float rgba[4];

  for (int i = 0; i < 64; i++)
    kg_image_edit_pixels (image)[i] = 1;
  for (int edge = 0; edge < WARP_N_EDGES; edge++) {
    WarpSampler sampler = { .sampling = WARP_AREA, .edge = (WarpEdge) edge, .color = { 0.5f, 0, 0, 0.5f } };

    warp_sample_area (image, &sampler, half, rgba);
    assert_near ((double) rgba[0], edge == WARP_EXTEND ? 1 : edge == WARP_TRANSPARENT ? 0.5 : 0.75, 1e-6);
    assert_near ((double) rgba[1], edge == WARP_EXTEND ? 1 : 0.5, 1e-6);
    for (guint k = 0; k < G_N_ELEMENTS (quads); k++) {
      warp_sample_area (image, &sampler, quads[k], rgba);
      g_assert_true (isfinite (rgba[0]) && rgba[0] >= 0 && rgba[0] <= 1.0001f);
      if (k < 4)
        assert_near ((double) rgba[0], 1, 1e-6);
    }
    sampler.sampling = WARP_NEAREST;
    warp_sample_point (image, &sampler, 3.999, 0, rgba);
    assert_near ((double) rgba[0], 1, 0);
    warp_sample_point (image, &sampler, 4.001, 0, rgba);
    assert_near ((double) rgba[0], edge == WARP_EXTEND ? 1 : edge == WARP_TRANSPARENT ? 0 : 0.5, 0);
    sampler.sampling = WARP_BILINEAR;
    warp_sample_point (image, &sampler, 4, 2, rgba);
    assert_near ((double) rgba[0], edge == WARP_EXTEND ? 1 : edge == WARP_TRANSPARENT ? 0.5 : 0.75, 1e-6);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/line-warp/40-M09-single", test_single);
  g_test_add_func ("/line-warp/40-M09-one-pair", test_one_pair);
  g_test_add_func ("/line-warp/40-M09-beside", test_beside);
  g_test_add_func ("/line-warp/40-M10-weight", test_weight);
  g_test_add_func ("/line-warp/40-M11-translation", test_translation);
  g_test_add_func ("/line-warp/40-M12-sampling", test_sampling);
  g_test_add_func ("/line-warp/40-M12-edges", test_edges);
  g_test_add_func ("/line-warp/extremes", test_extremes);
  g_test_add_func ("/line-warp/threads", test_threads);
  g_test_add_func ("/line-warp/vanishing-line", test_vanishing_line);
  return g_test_run ();
}
