/* tests/techniques/optical-flow: the solver in tiles against its equations, step by step over the whole picture.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/brightness.h"
#include "image/optical_flow.h"

#include <omp.h>
#include <string.h>

/* A soft texture, moved. (transfer full) */
static KgImage *
make_texture (int width, int height, double dx, double dy)
{
  KgImage *image = kg_image_new (width, height, false, NULL);
  float *pixels = kg_image_edit_pixels (image);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double px = x - dx, py = y - dy;
      const float grey = (float) (0.5 + 0.2 * sin (0.31 * px + 0.17 * py) + 0.2 * cos (0.12 * px - 0.37 * py));
      const float rgba[] = { grey, grey, grey, 1 };

      memcpy (pixels + 4 * (y * width + x), rgba, sizeof rgba);
    }
  return image;
}

/* The mean of the neighbours by Horn and Schunck's weights. */
static double
get_mean (const float *flow, int width, int height, int x, int y, int c)
{
  double sum = 0;

  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      const int px = CLAMP (x + i, 0, width - 1), py = CLAMP (y + j, 0, height - 1);

      if (i != 0 || j != 0)
        sum += (double) flow[2 * (py * width + px) + c] / (i == 0 || j == 0 ? 6 : 12);
    }
  return sum;
}

/* The flow of pictures too low to be halved, begun at zero: one linearisation. (transfer full) */
static float *
solve_plainly (const KgImage *from, const KgImage *to, const OpticalFlowStyle *style)
{
  const int width = kg_image_get_width (from), height = kg_image_get_height (from);
  float *flow = g_new0 (float, 2 * width * height), *next = g_new0 (float, 2 * width * height);
  g_auto (Brightness) a = { 0 }, b = { 0 };

  g_assert_true (brightness_read (from, width, height, &a, NULL) && brightness_read (to, width, height, &b, NULL));
  for (int k = 0; k < style->iterations; k++) {
    float *swap = flow;

    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const double gx = 0.25 * (double) (brightness_get (&b, x + 1, y) - brightness_get (&b, x - 1, y) +
                                           brightness_get (&a, x + 1, y) - brightness_get (&a, x - 1, y));
        const double gy = 0.25 * (double) (brightness_get (&b, x, y + 1) - brightness_get (&b, x, y - 1) +
                                           brightness_get (&a, x, y + 1) - brightness_get (&a, x, y - 1));
        const double u = get_mean (flow, width, height, x, y, 0), v = get_mean (flow, width, height, x, y, 1);
        const double rest = (double) (brightness_get (&b, x, y) - brightness_get (&a, x, y));
        const double share = (gx * u + gy * v + rest) / (style->smoothness * style->smoothness + gx * gx + gy * gy);

        next[2 * (y * width + x)] = (float) (u - share * gx);
        next[2 * (y * width + x) + 1] = (float) (v - share * gy);
      }
    flow = next;
    next = swap;
  }
  g_free (next);
  return flow;
}

/* Pictures of one row or column of tiles and a part of one, and of a pixel; numbers of steps that are whole blocks, more or
 * fewer. */
static void
test_tiles (void)
{
  static const int sizes[][2] = { { 500, 20 }, { 23, 150 }, { 240, 23 }, { 1, 1 }, { 1, 60 }, { 2, 2 } };
  static const int steps[] = { 1, 7, 8, 9, 24, 37 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < G_N_ELEMENTS (steps); k++) {
      const int n = sizes[i][0] * sizes[i][1];
      const OpticalFlowStyle style = { .smoothness = 5, .warps = 1, .iterations = steps[k] };
      g_autoptr (KgImage) from = make_texture (sizes[i][0], sizes[i][1], 0, 0);
      g_autoptr (KgImage) to = make_texture (sizes[i][0], sizes[i][1], 0.8, -0.5);
      g_autofree float *flow = optical_flow_find (from, to, &style, NULL, NULL);
      g_autofree float *plain = solve_plainly (from, to, &style);

      for (int j = 0; j < 2 * n; j++)
        assert_near ((double) flow[j], (double) plain[j], 1e-4);
    }
}

/* Both ways at once are either way alone, for any number of threads; and what moves by whole and parts of pixels is found
 * over many tiles. */
static void
test_both (void)
{
  enum { WIDTH = 620, HEIGHT = 210 };
  const OpticalFlowStyle style = { .smoothness = 12, .warps = 4, .iterations = 20 };
  const int threads = omp_get_max_threads ();
  g_autoptr (KgImage) from = make_texture (WIDTH, HEIGHT, 0, 0), to = make_texture (WIDTH, HEIGHT, 2.5, -1.25);
  g_autofree float *forward = NULL, *backward = NULL, *one = NULL, *other = NULL;
  const size_t bytes = 2 * WIDTH * HEIGHT * sizeof (float);
  double sum[4] = { 0 };

  omp_set_num_threads (1);
  g_assert_true (optical_flow_find_both (from, to, &style, &forward, &backward, NULL, NULL));
  omp_set_num_threads (5);
  one = optical_flow_find (from, to, &style, NULL, NULL);
  other = optical_flow_find (to, from, &style, NULL, NULL);
  omp_set_num_threads (threads);
  g_assert_cmpmem (forward, (int) bytes, one, (int) bytes);
  g_assert_cmpmem (backward, (int) bytes, other, (int) bytes);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    for (int c = 0; c < 2; c++) {
      sum[c] += (double) forward[2 * i + c] / (WIDTH * HEIGHT);
      sum[2 + c] += (double) backward[2 * i + c] / (WIDTH * HEIGHT);
    }
  assert_near (sum[0], 2.5, 0.05);
  assert_near (sum[1], -1.25, 0.05);
  assert_near (sum[2], -2.5, 0.05);
  assert_near (sum[3], 1.25, 0.05);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/optical-flow/tiles", test_tiles);
  g_test_add_func ("/optical-flow/both", test_both);
  return g_test_run ();
}
