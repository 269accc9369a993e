/* tests/techniques/blur: blurs against closed forms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/blur.h"
#include "kg-random.h"

#include <string.h>

typedef struct {
  double sum, mean[2], variance[2];
} Moments;

static float *
make_point (int width, int height)
{
  float *pixels = g_new0 (float, 4 * width * height);

  for (int c = 0; c < 4; c++)
    pixels[4 * (height / 2 * width + width / 2) + c] = 1;
  return pixels;
}

static Moments
measure (const float *pixels, int width, int height)
{
  Moments m = { 0 };

  for (int i = 0; i < width * height; i++) {
    const double v = (double) pixels[4 * i + 1];

    m.sum += v;
    m.mean[0] += v * (i % width);
    m.mean[1] += v * (i / width);
  }
  for (int k = 0; k < 2; k++)
    m.mean[k] /= m.sum;
  for (int i = 0; i < width * height; i++) {
    const double v = (double) pixels[4 * i + 1], x = i % width - m.mean[0], y = i / width - m.mean[1];

    m.variance[0] += v * x * x / m.sum;
    m.variance[1] += v * y * y / m.sum;
  }
  return m;
}

/* The light of a point is kept, its centre stays, and its variance is σ². */
static void
test_gaussian_moments (void)
{
  static const double sigmas[] = { 0.1, 0.5, 1, 2.3, 7.99, 8, 11.7, 12, 25 };

  for (guint i = 0; i < G_N_ELEMENTS (sigmas); i++) {
    g_autofree float *pixels = make_point (301, 299);
    Moments m;

    g_assert_true (blur_gaussian (pixels, 301, 299, (double[]){ sigmas[i], 2 }, RESAMPLE_TRANSPARENT, NULL));
    m = measure (pixels, 301, 299);
    assert_near (m.sum, 1, 2e-6);
    assert_near (m.mean[0], 150, 1e-3);
    assert_near (m.mean[1], 149, 1e-3);
    assert_near (m.variance[0], sigmas[i] * sigmas[i], 2e-4 * sigmas[i] * sigmas[i] + 1e-6);
    assert_near (m.variance[1], 4, 1e-3);
  }
}

/* The reduced image gives the bell itself, to 2e-4 of its height. */
static void
test_gaussian_shape (void)
{
  static const double sigmas[] = { 2, 8, 11.9, 17, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (sigmas); i++) {
    const double s = sigmas[i];

    for (int shift = 0; shift < 5; shift++) {
      g_autofree float *pixels = g_new0 (float, 4 * 401);
      const int centre = 198 + shift;

      pixels[4 * centre] = 1;
      g_assert_true (blur_gaussian (pixels, 401, 1, (double[]){ s, 0 }, RESAMPLE_TRANSPARENT, NULL));
      for (int x = 0; x < 401; x++) {
        const double u = (x - centre) / s;

        assert_near ((double) pixels[4 * x] * s * sqrt (2 * KG_PI), exp (-0.5 * u * u), 2e-4);
      }
    }
  }
}

/* One colour stays itself whatever lies beyond the edges is made of it, at every size. */
static void
test_constant (void)
{
  static const double sizes[] = { 0, 0.3, 3, 11, 100, 1e6 };
  static const ResampleEdges edges[] = { RESAMPLE_EXTEND, RESAMPLE_REPEAT, RESAMPLE_MIRROR };
  static const int shapes[][2] = { { 1, 1 }, { 37, 1 }, { 1, 19 }, { 23, 17 } };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint e = 0; e < G_N_ELEMENTS (edges); e++)
      for (guint k = 0; k < G_N_ELEMENTS (shapes); k++)
        for (int kind = 0; kind < 6; kind++) {
          const int w = shapes[k][0], h = shapes[k][1];
          const double size[2] = { sizes[s], sizes[s] };
          const BlurAperture aperture = { .radius = sizes[s], .aspect = 1, .blades = kind == 2 ? 0 : 5 };
          const BlurMotion motion = { .kind = kind == 4 ? BLUR_STRAIGHT : BLUR_TURN,
                                      .extent = kind == 4 ? sizes[s] : fmin (sizes[s], 6),
                                      .direction = 0.4,
                                      .centre = { 5, 3 } };
          g_autofree float *pixels = g_new (float, 4 * w * h);

          for (int i = 0; i < 4 * w * h; i++)
            pixels[i] = 0.625f;
          g_assert_true (kind == 0   ? blur_gaussian (pixels, w, h, size, edges[e], NULL)
                         : kind == 1 ? blur_box (pixels, w, h, size, edges[e], NULL)
                         : kind <= 3 ? blur_aperture (pixels, w, h, &aperture, edges[e], NULL)
                                     : blur_motion (pixels, w, h, &motion, edges[e], NULL));
          for (int i = 0; i < 4 * w * h; i++)
            assert_near ((double) pixels[i], 0.625, 2e-5);
        }
}

/* Twice as far apart, images that repeat have the mean everywhere; an extended one has the mean of its ends. */
static void
test_huge (void)
{
  const double size[2] = { 1e6, 1e6 };
  double mean = 0;
  g_autofree float *repeated = g_new (float, 4 * 64), *mirrored = g_new (float, 4 * 64),
                   *extended = g_new (float, 4 * 64);
  g_autofree float *clear = g_new (float, 4 * 64);

  for (int i = 0; i < 4 * 64; i++) {
    repeated[i] = mirrored[i] = extended[i] = clear[i] = (float) kg_random_uniform (3, (uint64_t) i, 0);
    mean += i % 4 == 0 ? (double) repeated[i] / 64 : 0;
  }
  const double ends = 0.5 * ((double) extended[0] + (double) extended[4 * 63]);

  g_assert_true (blur_gaussian (repeated, 64, 1, size, RESAMPLE_REPEAT, NULL));
  g_assert_true (blur_gaussian (mirrored, 64, 1, size, RESAMPLE_MIRROR, NULL));
  g_assert_true (blur_gaussian (extended, 64, 1, size, RESAMPLE_EXTEND, NULL));
  g_assert_true (blur_gaussian (clear, 64, 1, size, RESAMPLE_TRANSPARENT, NULL));
  for (int x = 0; x < 64; x++) {
    assert_near ((double) repeated[4 * x], mean, 1e-5);
    assert_near ((double) mirrored[4 * x], mean, 1e-5);
    assert_near ((double) extended[4 * x], ends, 1e-4);
    /* The height of the bell for what is across, and once more for what is down. */
    assert_near ((double) clear[4 * x] / (mean * 64 / (2 * KG_PI * 1e12)), 1, 1e-3);
  }
}

/* A box is the mean of what it covers, whatever the edges are made of. */
static void
test_box (void)
{
  static const double radii[] = { 0.5, 0.8, 1.5, 2.25, 7, 40 };

  for (int edges = 0; edges < RESAMPLE_N_EDGES; edges++)
    for (guint r = 0; r < G_N_ELEMENTS (radii); r++) {
      float from[4 * 11], to[4 * 11];

      for (int i = 0; i < 4 * 11; i++)
        from[i] = to[i] = (float) kg_random_uniform (5, (uint64_t) i, 0);
      g_assert_true (blur_box (to, 11, 1, (double[]){ radii[r], 0 }, (ResampleEdges) edges, NULL));
      for (int x = 0; x < 11; x++) {
        double sum = 0;

        for (int i = -60; i < 71; i++) {
          const int at = resample_find_index (i, 11, (ResampleEdges) edges);
          const double share = fmin (i + 1, x + 0.5 + radii[r]) - fmax (i, x + 0.5 - radii[r]);

          if (at >= 0 && share > 0)
            sum += share * (double) from[4 * at];
        }
        assert_near ((double) to[4 * x], sum / (2 * radii[r]), 1e-6);
      }
    }
}

/* A point becomes the aperture: all of its light, evenly over the area of a disc or polygon, which stands upright. */
static void
test_aperture (void)
{
  static const int blades[] = { 0, 3, 6 };
  static const double radii[] = { 4, 20, 60, 150 };

  for (guint b = 0; b < G_N_ELEMENTS (blades); b++)
    for (guint r = 0; r < G_N_ELEMENTS (radii); r++) {
      const BlurAperture aperture = { .radius = radii[r], .aspect = 1, .blades = blades[b], .rotation = 0.5 * KG_PI };
      const int n = 401;
      const double R = radii[r],
                   area = blades[b] == 0 ? KG_PI * R * R : 0.5 * blades[b] * sin (2 * KG_PI / blades[b]) * R * R;
      g_autofree float *pixels = make_point (n, n);
      Moments m;

      g_assert_true (blur_aperture (pixels, n, n, &aperture, RESAMPLE_TRANSPARENT, NULL));
      m = measure (pixels, n, n);
      assert_near (m.sum, 1, 1e-5);
      assert_near (m.mean[0], 200, 0.02);
      assert_near ((double) pixels[4 * (200 * n + 200)] * area, 1, R < 10 ? 0.06 : 0.01);
      if (blades[b] == 0)
        assert_near (m.variance[1] / (0.25 * R * R), 1, R < 10 ? 0.03 : 0.01);
      /* The corner of the triangle is up, and nothing below its side. */
      if (blades[b] == 3 && R == 60) {
        g_assert_cmpfloat (pixels[4 * ((200 - 50) * n + 200)], >, 0.9 / area);
        g_assert_cmpfloat (pixels[4 * ((200 + 50) * n + 200)], <, 0.01 / area);
      }
    }
}

/* A point becomes a line of the length, a turned one stays on its circle, a zoomed one on its ray. */
static void
test_motion (void)
{
  static const double lengths[] = { 3, 15, 40, 200 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (int way = 0; way < 2; way++) {
      const double angle = way == 0 ? 0 : KG_PI / 6, L = lengths[i];
      const BlurMotion motion = { .kind = BLUR_STRAIGHT, .extent = L, .direction = angle };
      g_autofree float *pixels = make_point (301, 301);
      Moments m;

      g_assert_true (blur_motion (pixels, 301, 301, &motion, RESAMPLE_TRANSPARENT, NULL));
      m = measure (pixels, 301, 301);
      assert_near (m.sum, 1, 1e-5);
      assert_near (m.mean[0], 150, 0.01);
      assert_near (m.mean[1], 150, 0.01);
      assert_near (m.variance[0], L * L * cos (angle) * cos (angle) / 12, 0.9);
      assert_near (m.variance[1], L * L * sin (angle) * sin (angle) / 12, 0.9);
    }
  for (int zoom = 0; zoom < 2; zoom++) {
    const BlurMotion motion = { .kind = zoom ? BLUR_ZOOM : BLUR_TURN, .extent = 0.8, .centre = { 50.5, 150.5 } };
    g_autofree float *pixels = make_point (301, 301);

    g_assert_true (blur_motion (pixels, 301, 301, &motion, RESAMPLE_TRANSPARENT, NULL));
    for (int p = 0; p < 301 * 301; p++) {
      const double x = p % 301 - 50, y = p / 301 - 150, r = hypot (x, y), a = atan2 (y, x);

      if (pixels[4 * p] > 1e-5f && zoom) {
        g_assert_cmpfloat (fabs (y), <, 3);
        g_assert_cmpfloat (fabs (log (r / 100)), <, 0.45);
      } else if (pixels[4 * p] > 1e-5f) {
        assert_near (r, 100, 3);
        g_assert_cmpfloat (fabs (a), <, 0.45);
      }
    }
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
  g_autofree float *pixels = make_point (64, 64);
  const double size[2] = { 9, 9 };

  g_assert_false (blur_gaussian (pixels, 64, 64, size, RESAMPLE_EXTEND, &monitor));
  g_assert_false (blur_box (pixels, 64, 64, size, RESAMPLE_EXTEND, &monitor));
  g_assert_false (
      blur_aperture (pixels, 64, 64, &(BlurAperture){ .radius = 9, .aspect = 1 }, RESAMPLE_EXTEND, &monitor));
  g_assert_false (blur_motion (pixels, 64, 64, &(BlurMotion){ .extent = 9 }, RESAMPLE_EXTEND, &monitor));
}

/* Any number of turns: whole ones are all the same, and parts count as much as they are long. */
static void
test_turns (void)
{
  enum { SIDE = 41 };
  g_autofree float *one = g_new0 (float, 4 * SIDE * SIDE), *many = NULL, *far = NULL;
  BlurMotion motion = { .kind = BLUR_TURN, .extent = 2 * KG_PI, .centre = { 20.5, 20.5 } };
  double sum = 0;

  for (int i = 0; i < 4 * SIDE * SIDE; i++)
    one[i] = (float) ((i / 4 % SIDE) > 20);
  many = g_memdup2 (one, 4 * SIDE * SIDE * sizeof *one);
  far = g_memdup2 (one, 4 * SIDE * SIDE * sizeof *one);
  g_assert_true (blur_motion (one, SIDE, SIDE, &motion, RESAMPLE_EXTEND, NULL));
  motion.extent = 200 * KG_PI;
  g_assert_true (blur_motion (many, SIDE, SIDE, &motion, RESAMPLE_EXTEND, NULL));
  for (int i = 0; i < 4 * SIDE * SIDE; i++)
    g_assert_cmpfloat (many[i], ==, one[i]);
  /* Where the way of the pixels is all but straight, and leaves the image: little light is left of it. */
  motion.extent = 1;
  motion.centre[0] = 1e6;
  g_assert_true (blur_motion (far, SIDE, SIDE, &motion, RESAMPLE_TRANSPARENT, NULL));
  for (int i = 0; i < SIDE * SIDE; i++)
    sum += (double) far[4 * i + 3];
  /* Each column is spread over a way of a million pixels, so that of a height of SIDE pixels as many parts are left. */
  assert_near (sum, 20.0 * SIDE * SIDE / 1e6, 0.02 * 20 * SIDE * SIDE / 1e6);
}

/* Along rows and columns a point becomes a line that is as bright everywhere, and not a row of beads; its ends are shares of pixels. */
static void
test_even_line (void)
{
  static const double lengths[] = { 7.3, 20, 33, 61.7, 140 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (lengths); i++) {
    const double length = lengths[i / 2], half = 0.5 * length;
    const BlurMotion motion = { .kind = BLUR_STRAIGHT, .extent = length, .direction = i % 2 * 0.5 * KG_PI };
    g_autofree float *pixels = make_point (301, 301);

    g_assert_true (blur_motion (pixels, 301, 301, &motion, RESAMPLE_TRANSPARENT, NULL));
    for (int x = -149; x < 150; x++) {
      const double covered = kg_clamp (half - fabs ((double) x) + 0.5, 0, 1);
      const int at = i % 2 == 0 ? 150 * 301 + 150 + x : (150 + x) * 301 + 150;

      assert_near ((double) pixels[4 * at] * length, covered, 2e-5);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/blur/gaussian-moments", test_gaussian_moments);
  g_test_add_func ("/blur/gaussian-shape", test_gaussian_shape);
  g_test_add_func ("/blur/constant", test_constant);
  g_test_add_func ("/blur/huge", test_huge);
  g_test_add_func ("/blur/box", test_box);
  g_test_add_func ("/blur/aperture", test_aperture);
  g_test_add_func ("/blur/motion", test_motion);
  g_test_add_func ("/blur/even-line", test_even_line);
  g_test_add_func ("/blur/turns", test_turns);
  g_test_add_func ("/blur/cancelled", test_cancelled);
  return g_test_run ();
}
