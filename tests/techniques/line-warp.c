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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/line-warp/40-M09-single", test_single);
  g_test_add_func ("/line-warp/40-M09-one-pair", test_one_pair);
  g_test_add_func ("/line-warp/extremes", test_extremes);
  g_test_add_func ("/line-warp/threads", test_threads);
  g_test_add_func ("/line-warp/vanishing-line", test_vanishing_line);
  return g_test_run ();
}
