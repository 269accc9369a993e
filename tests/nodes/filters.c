/* tests/nodes/filters: picture operations, each against a result that is known, and with bad input.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/rank_filter.h"
#include "kg-random.h"
#include "node-test.h"

#include <glib/gstdio.h>
#include <omp.h>

/* A node with an image of one colour, or of a checkerboard, before it. */
static NodeTest
make (const char *type, const char *width, const char *height)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", width, "height", height, "color", "[0.5, 0.25, 0.75, 1]", NULL);
  node_test_add (&test, "image/checkerboard", "k", "width", width, "height", height, "size", "[4, 4, 0]", "color",
                 "[1, 1, 1, 1]", "other", "[0, 0, 0, 1]", NULL);
  if (type != NULL)
    node_test_add (&test, type, "n", "image", "{\"link\": \"c.image\"}", NULL);
  return test;
}

static const float *
get_pixel (const KgValue *value, int x, int y)
{
  return kg_image_get_pixels (value->image) + 4 * (y * kg_image_get_width (value->image) + x);
}

static void
check_pixel (NodeTest *test, const char *target, int x, int y, double r, double g, double b, double a, double tolerance)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  const float *p = get_pixel (&value, x, y);

  assert_near ((double) p[0], r, tolerance);
  assert_near ((double) p[1], g, tolerance);
  assert_near ((double) p[2], b, tolerance);
  assert_near ((double) p[3], a, tolerance);
}

static double
sum_channel (NodeTest *test, const char *target, int channel)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  const int n = kg_image_get_width (value.image) * kg_image_get_height (value.image);
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += (double) kg_image_get_pixels (value.image)[4 * i + channel];
  return sum;
}

/* What every operation on a plain image must leave plain, at 1×1 too, and what must survive numbers from nowhere. */
static const char *const neighbourhoods[] = { "image/blur",       "image/sharpen",      "image/median",
                                              "image/denoise",    "image/convolve",     "image/tile",
                                              "image/displace",   "image/color_curves", "image/hue_correct",
                                              "image/saturation", "image/exposure",     "image/lens_distortion",
                                              "image/expression", "image/crop",         "image/color_correct",
                                              "image/clamp" };

static void
test_plain (void)
{
  static const char *const sizes[][2] = { { "1", "1" }, { "23", "17" }, { "1", "40" } };

  for (guint t = 0; t < G_N_ELEMENTS (neighbourhoods); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      NodeTest test = make (neighbourhoods[t], sizes[s][0], sizes[s][1]);

      if (g_str_equal (neighbourhoods[t], "image/displace"))
        node_test_set (&test, "n", "map", "{\"link\": \"k.image\"}");
      check_pixel (&test, "n.result", 0, atoi (sizes[s][1]) / 2, 0.5, 0.25, 0.75, 1, 2e-6);
      node_test_clear (&test);
    }
}

/* Negative and huge colours stay finite in all of them. */
static void
test_huge (void)
{
  static const char *const more[] = { "image/glow",        "image/edge",  "image/emboss",    "image/grain",
                                      "image/color_space", "image/polar", "image/corner_pin" };
  static const char *const colors[] = { "[1e30, -1e30, 0, 1]", "[-1, -2, -3, 0.5]", "[1e-30, 0, 1e20, 1e-6]" };

  for (guint t = 0; t < G_N_ELEMENTS (neighbourhoods) + G_N_ELEMENTS (more); t++)
    for (guint c = 0; c < G_N_ELEMENTS (colors); c++) {
      const guint other = (guint) G_N_ELEMENTS (neighbourhoods);
      const char *type = t < other ? neighbourhoods[t] : more[t - other];
      NodeTest test = make (type, "9", "7");

      node_test_set (&test, "c", "color", colors[c]);
      if (g_str_equal (type, "image/displace"))
        node_test_set (&test, "n", "map", "{\"link\": \"c.image\"}");
      /* The evaluator refuses what is not finite. */
      g_assert_true (isfinite (sum_channel (&test, "n.result", 3)));
      node_test_clear (&test);
    }
}

/* All kinds of blur but the zoom, which shows the mean of smaller and larger dots, keep the sum of a dot in the middle; with a mix of 0 the bits. */
static void
test_blur (void)
{
  static const char *const kinds[] = { "gaussian", "box", "defocus", "directional", "radial", "zoom" };
  NodeTest test = make ("image/blur", "101", "101");

  node_test_add (&test, "image/crop", "dot", "image", "{\"link\": \"c.image\"}", "left", "48", "right", "48", "top",
                 "48", "bottom", "48", NULL);
  node_test_set (&test, "n", "image", "{\"link\": \"dot.result\"}");
  node_test_set (&test, "n", "size", "[6, 9, 0]");
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autofree char *json = g_strdup_printf ("\"%s\"", kinds[k]);

    node_test_set (&test, "n", "kind", json);
    /* The mean of e^2s for s from -w/2 to w/2, w = log (1.1), is sinh (w) / w. */
    const double factor = k == 5 ? sinh (log (1.1)) / log (1.1) : 1;

    assert_near (sum_channel (&test, "n.result", 0), 25 * 0.5 * factor, k == 5 ? 0.2 : k == 4 ? 0.02 : 2e-4);
    assert_near (sum_channel (&test, "n.result", 3), 25 * factor, k == 5 ? 0.4 : k == 4 ? 0.04 : 4e-4);
  }
  node_test_set (&test, "n", "mix", "0");
  check_pixel (&test, "n.result", 50, 50, 0.5, 0.25, 0.75, 1, 0);
  node_test_set (&test, "n", "mix", "1");
  node_test_set (&test, "n", "kind", "\"gaussian\"");
  node_test_set (&test, "n", "size", "[1e6, 1e6, 0]");
  node_test_set (&test, "n", "edges", "\"mirror\"");
  check_pixel (&test, "n.result", 3, 90, 0.5 * 25 / 10201, 0.25 * 25 / 10201, 0.75 * 25 / 10201, 25.0 / 10201, 1e-6);
  node_test_clear (&test);
}

/* One black pixel in white vanishes; ranks 0 and 1 are minimum and maximum. */
static void
test_median (void)
{
  NodeTest test = make (NULL, "21", "21");

  node_test_add (&test, "image/expression", "dot", "image", "{\"link\": \"c.image\"}", "red",
                 "\"abs(x - 10.5) < 0.6 && abs(y - 10.5) < 0.6 ? 0 : x + 100 * y\"", "green", "\"0\"", "blue", "\"0\"",
                 NULL);
  node_test_add (&test, "image/median", "n", "image", "{\"link\": \"dot.result\"}", "radius", "1", NULL);
  /* Of a ramp the median is the pixel itself; around the hole, the middle of what is left. */
  check_pixel (&test, "n.result", 4, 4, 4.5 + 100 * 16.5, 0, 0, 1, 1e-3);
  check_pixel (&test, "n.result", 10, 10, 10.5 - 1 + 100 * 10.5, 0, 0, 1, 1e-3);
  node_test_set (&test, "n", "rank", "0");
  check_pixel (&test, "n.result", 4, 4, 3.5 + 100 * 15.5, 0, 0, 1, 1e-3);
  node_test_set (&test, "n", "rank", "1");
  check_pixel (&test, "n.result", 4, 4, 5.5 + 100 * 17.5, 0, 0, 1, 1e-3);
  node_test_set (&test, "n", "radius", "90");
  check_pixel (&test, "n.result", 4, 4, 20.5 + 100 * 20.5, 0, 0, 1, 1e-2);
  node_test_clear (&test);
}

/* Noise gets less, an edge stays. */
static void
test_denoise (void)
{
  static const char *const methods[] = { "\"patches\"", "\"bilateral\"" };
  NodeTest test = make (NULL, "64", "64");

  node_test_set (&test, "k", "size", "[32, 32, 0]");
  node_test_add (&test, "image/grain", "g", "image", "{\"link\": \"k.image\"}", "amount", "[0.05, 0.05, 0.05, 1]",
                 "size", "0", "black", "1", NULL);
  node_test_add (&test, "image/denoise", "n", "image", "{\"link\": \"g.result\"}", "strength", "0.1", NULL);
  for (int m = 0; m < 2; m++) {
    double noise[2] = { 0 };

    node_test_set (&test, "n", "method", methods[m]);
    for (int k = 0; k < 2; k++) {
      g_auto (KgValue) value = node_test_get (&test, k == 0 ? "g.result" : "n.result", 0),
                       clean = node_test_get (&test, "k.image", 0);

      for (int i = 0; i < 64 * 64; i++)
        noise[k] +=
            pow ((double) (kg_image_get_pixels (value.image)[4 * i] - kg_image_get_pixels (clean.image)[4 * i]), 2) /
            4096;
    }
    assert_near (sqrt (noise[0]), 0.05, 0.004);
    g_assert_cmpfloat (noise[1], <, 0.2 * noise[0]);
  }
  /* Without regard to colours, a sample of a large neighbourhood has the mean of all of it, and its second moment:
   * (r² + r) / 3 of a square, and close to the variance of the bell where it is cut off at 2.5 of it. */
  node_test_add (&test, "image/constant", "large", "width", "201", "height", "201", NULL);
  node_test_add (&test, "image/expression", "map", "image", "{\"link\": \"large.image\"}", "red", "\"x / 100\"",
                 "green", "\"(x - 100.5)^2 / 10000\"", "blue", "\"(y - 100.5)^2 / 10000\"", "alpha", "\"1\"", NULL);
  node_test_set (&test, "n", "image", "{\"link\": \"map.result\"}");
  node_test_set (&test, "n", "strength", "1e5");
  node_test_set (&test, "n", "reach", "40");
  node_test_set (&test, "n", "size", "20");
  for (int m = 0; m < 2; m++) {
    const double moment = m == 0 ? (40 * 40 + 40) / 3e4 : 0.03664;

    node_test_set (&test, "n", "method", methods[m]);
    g_auto (KgValue) value = node_test_get (&test, "n.result", 0);
    const float *p = get_pixel (&value, 100, 100);

    assert_near ((double) p[0], 1.005, 1e-5);
    assert_near ((double) p[1], moment, 0.03 * moment);
    assert_near ((double) p[2], moment, 0.03 * moment);
  }
  node_test_clear (&test);
}

/* Grain has the variance that it is set to at any size, and none where there is nothing. */
static void
test_grain (void)
{
  static const char *const sizes[] = { "0", "0.7", "3" };
  NodeTest test = make ("image/grain", "200", "200");

  node_test_set (&test, "c", "color", "[1, 1, 1, 1]");
  node_test_set (&test, "n", "amount", "[0.1, 0.2, 0, 1]");
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    double square = 0;

    node_test_set (&test, "n", "size", sizes[s]);
    g_auto (KgValue) value = node_test_get (&test, "n.result", 0), later = node_test_get (&test, "n.result", 1);

    for (int i = 0; i < 40000; i++)
      square += pow ((double) kg_image_get_pixels (value.image)[4 * i + 1] - 1, 2) / 40000;
    assert_near (sqrt (square), 0.2, s == 2 ? 0.02 : 0.004);
    assert_near (sum_channel (&test, "n.result", 2), 40000, 1e-2);
    g_assert_cmpfloat (kg_image_get_pixels (value.image)[0], !=, kg_image_get_pixels (later.image)[0]);
  }
  node_test_set (&test, "c", "color", "[1, 1, 1, 0]");
  assert_near (sum_channel (&test, "n.result", 0), 0, 0);
  node_test_clear (&test);
}

/* A ramp has an edge of its slope, whatever the operator; a plain relief has the light of its elevation. */
static void
test_edges_and_relief (void)
{
  static const char *const kinds[] = { "\"sobel\"", "\"scharr\"", "\"prewitt\"", "\"laplacian\"" };
  NodeTest test = make (NULL, "20", "20");

  node_test_add (&test, "image/expression", "ramp", "image", "{\"link\": \"c.image\"}", "red",
                 "\"0.03 * x + 0.04 * y\"", "green", "\"0\"", "blue", "\"0.5\"", NULL);
  node_test_add (&test, "image/edge", "n", "image", "{\"link\": \"ramp.result\"}", "gain", "1", "size", "0", NULL);
  for (int k = 0; k < 4; k++) {
    node_test_set (&test, "n", "kind", kinds[k]);
    check_pixel (&test, "n.result", 10, 10, k < 3 ? 0.05 : 0, 0, 0, 1, 1e-6);
  }
  node_test_add (&test, "image/emboss", "e", "image", "{\"link\": \"c.image\"}", "elevation", "30", NULL);
  check_pixel (&test, "e.result", 10, 10, 0.5, 0.5, 0.5, 1, 1e-6);
  node_test_clear (&test);
}

/* A matrix as it is written: what is right of the pixel is under the entry on the right. */
static void
test_convolve (void)
{
  NodeTest test = make (NULL, "20", "20");

  node_test_add (&test, "image/expression", "ramp", "image", "{\"link\": \"c.image\"}", "red", "\"x\"", "green",
                 "\"y\"", "blue", "\"0\"", NULL);
  node_test_add (&test, "image/convolve", "n", "image", "{\"link\": \"ramp.result\"}", "matrix",
                 "[[0, 0, 0], [0, 0, 1], [0, 0, 0]]", NULL);
  check_pixel (&test, "n.result", 5, 5, 6.5, 14.5, 0, 1, 1e-5);
  node_test_set (&test, "n", "matrix", "[[0, 1, 0], [0, 0, 0], [0, 0, 0]]");
  check_pixel (&test, "n.result", 5, 5, 5.5, 15.5, 0, 1, 1e-5);
  node_test_set (&test, "n", "matrix", "[[1, 1, 1], [1, 1, 1], [1, 1, 1]]");
  check_pixel (&test, "n.result", 5, 5, 5.5, 14.5, 0, 1, 1e-5);
  /* Coverage is never above 1. */
  node_test_set (&test, "n", "normalize", "false");
  check_pixel (&test, "n.result", 5, 5, 9 * 5.5, 9 * 14.5, 0, 1, 1e-4);
  node_test_set (&test, "n", "normalize", "true");
  node_test_set (&test, "n", "matrix", "[[-1, 0, 1]]");
  node_test_set (&test, "n", "alpha", "false");
  check_pixel (&test, "n.result", 5, 5, 2, 0, 0, 1, 1e-5);
  node_test_set (&test, "n", "matrix", "[]");
  node_test_fails (&test, "n.result", KG_ERROR_LIMIT);
  node_test_clear (&test);
}

/* Negatives, limits, and the three ranges of a correction. */
static void
test_correction (void)
{
  NodeTest test = make ("image/invert", "4", "4");

  check_pixel (&test, "n.result", 1, 1, 0.5, 0.75, 0.25, 1, 1e-6);
  node_test_set (&test, "n", "green", "false");
  check_pixel (&test, "n.result", 1, 1, 0.5, 0.25, 0.25, 1, 1e-6);
  /* A matte turns inside out, also where it is transparent. */
  node_test_set (&test, "n", "green", "true");
  node_test_set (&test, "n", "alpha", "true");
  node_test_set (&test, "c", "color", "[0, 0, 0, 0]");
  check_pixel (&test, "n.result", 1, 1, 1, 1, 1, 1, 0);
  node_test_set (&test, "c", "color", "[1, 1, 1, 1]");
  check_pixel (&test, "n.result", 1, 1, 0, 0, 0, 0, 0);
  node_test_add (&test, "image/clamp", "l", "image", "{\"link\": \"c.image\"}", "low", "0.3", "high", "0.6", NULL);
  node_test_set (&test, "c", "color", "[0.5, -7, 1e30, 1]");
  check_pixel (&test, "l.result", 1, 1, 0.5, 0.3, 0.6, 1, 1e-6);
  node_test_set (&test, "l", "alpha", "true");
  check_pixel (&test, "l.result", 1, 1, 0.5, 0.3, 0.6, 0.6, 1e-6);
  node_test_set (&test, "l", "low", "0.7");
  node_test_fails (&test, "l.result", KG_ERROR_INVALID_VALUE);
  /* Middle grey stays as it is for any contrast; twice that becomes four times that when contrast is 2. */
  node_test_add (&test, "image/color_correct", "cc", "image", "{\"link\": \"c.image\"}", "master_contrast",
                 "[2, 2, 2, 1]", NULL);
  node_test_set (&test, "c", "color", "[0.18, 0.36, -0.5, 1]");
  check_pixel (&test, "cc.result", 1, 1, 0.18, 0.72, -0.5, 1, 1e-5);
  node_test_set (&test, "cc", "master_contrast", "[1, 1, 1, 1]");
  node_test_set (&test, "cc", "master_gamma", "[2, 1, 1, 1]");
  node_test_set (&test, "cc", "master_offset", "[0, 0.5, 0, 1]");
  node_test_set (&test, "c", "color", "[0.25, 0.25, 0.25, 1]");
  check_pixel (&test, "cc.result", 1, 1, 0.5, 0.75, 0.25, 1, 1e-5);
  /* A range changes what lies in it alone, and a middle luminance half. */
  node_test_set (&test, "cc", "master_gamma", "[1, 1, 1, 1]");
  node_test_set (&test, "cc", "master_offset", "[0, 0, 0, 1]");
  node_test_set (&test, "cc", "shadows_offset", "[0.5, 0, 0, 1]");
  node_test_set (&test, "cc", "highlights_gain", "[1, 3, 1, 1]");
  node_test_set (&test, "cc", "midtones_saturation", "0");
  node_test_set (&test, "c", "color", "[0, 0, 0, 1]");
  check_pixel (&test, "cc.result", 1, 1, 0.5, 0, 0, 1, 1e-6);
  node_test_set (&test, "c", "color", "[0.045, 0.045, 0.045, 1]");
  check_pixel (&test, "cc.result", 1, 1, 0.295, 0.045, 0.045, 1, 1e-6);
  node_test_set (&test, "c", "color", "[0.3, 0.3, 0.3, 1]");
  check_pixel (&test, "cc.result", 1, 1, 0.3, 0.3, 0.3, 1, 1e-6);
  node_test_set (&test, "c", "color", "[2, 2, 2, 1]");
  check_pixel (&test, "cc.result", 1, 1, 2, 6, 2, 1, 1e-6);
  node_test_set (&test, "cc", "shadows_end", "1e6");
  node_test_set (&test, "cc", "highlights_start", "0");
  check_pixel (&test, "cc.result", 1, 1, 2.25, 4, 2, 1, 1e-4);
  node_test_clear (&test);
}

/* Stops, balance, saturation and curves of one colour. */
static void
test_colors (void)
{
  NodeTest test = make ("image/exposure", "4", "4");
  const double luma = 0.2126 * 0.5 + 0.7152 * 0.25 + 0.0722 * 0.75;

  node_test_set (&test, "n", "exposure", "1");
  node_test_set (&test, "n", "channels", "[0, -1, 0, 1]");
  check_pixel (&test, "n.result", 1, 1, 1, 0.25, 1.5, 1, 1e-6);
  node_test_add (&test, "image/saturation", "s", "image", "{\"link\": \"c.image\"}", "saturation", "0", NULL);
  check_pixel (&test, "s.result", 1, 1, luma, luma, luma, 1, 1e-6);
  node_test_set (&test, "s", "saturation", "2");
  check_pixel (&test, "s.result", 1, 1, 1 - luma, 0.5 - luma, 1.5 - luma, 1, 1e-6);
  /* 120° takes red to green, and keeps the luminance. */
  node_test_set (&test, "s", "saturation", "1");
  node_test_set (&test, "s", "hue", "120");
  node_test_set (&test, "c", "color", "[1, 0, 0, 1]");
  check_pixel (&test, "s.result", 1, 1, 0.2126 - 0.7152, 1 + 0.2126 - 0.7152, 0.2126 - 0.7152, 1, 1e-5);
  node_test_add (&test, "image/color_curves", "v", "image", "{\"link\": \"c.image\"}", "master", "[[0, 1], [1, 0]]",
                 "blue", "[[0, 0], [1, 0.5]]", NULL);
  check_pixel (&test, "v.result", 1, 1, 0, 1, 0.5, 1, 1e-6);
  node_test_set (&test, "v", "green", "[[0, 0], [0, 1]]");
  node_test_fails (&test, "v.result", KG_ERROR_INVALID_VALUE);
  /* Only reds lose their colour. */
  node_test_add (&test, "image/hue_correct", "h", "image", "{\"link\": \"c.image\"}", "curves",
                 "[[0, 0, 1, 0], [60, 1, 1, 0], [300, 1, 1, 0]]", NULL);
  check_pixel (&test, "h.result", 1, 1, 0.2126, 0.2126, 0.2126, 1, 1e-5);
  node_test_set (&test, "c", "color", "[0, 0, 1, 1]");
  check_pixel (&test, "h.result", 1, 1, 0, 0, 1, 1, 1e-5);
  node_test_add (&test, "image/color_space", "w", "image", "{\"link\": \"c.image\"}", NULL);
  node_test_set (&test, "c", "color", "[0.18, 1, 0, 1]");
  check_pixel (&test, "w.result", 1, 1, 0.461356, 1, 0, 1, 1e-5);
  /* Straight colours: half covered is the same colour. */
  node_test_set (&test, "c", "color", "[0.18, 1, 0, 0.5]");
  check_pixel (&test, "w.result", 1, 1, 0.5 * 0.461356, 0.5, 0, 0.5, 1e-5);
  node_test_clear (&test);
}

/* A file with a look-up table, and what is none. */
static void
test_lut (void)
{
  NodeTest test = make ("image/lut", "4", "4");
  g_autofree char *folder = g_dir_make_tmp ("kg-lut-XXXXXX", NULL),
                  *path = g_build_filename (folder, "swap.cube", NULL);
  g_autofree char *json = g_strdup_printf ("\"%s\"", path);

  node_test_fails (&test, "n.result", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "n", "path", "\"nowhere.cube\"");
  node_test_fails (&test, "n.result", KG_ERROR_IO);
  g_file_set_contents (path, "LUT_3D_SIZE 2\n0 0 0\n0 1 0\n1 0 0\n1 1 0\n0 0 1\n0 1 1\n1 0 1\n1 1 1\n", -1, NULL);
  node_test_set (&test, "n", "path", json);
  check_pixel (&test, "n.result", 1, 1, 0.25, 0.5, 0.75, 1, 1e-5);
  g_remove (path);
  g_rmdir (folder);
  node_test_clear (&test);
}

/* The corners go where they are sent, exactly; a pin and its inverse are nothing. */
static void
test_corner_pin (void)
{
  NodeTest test = make (NULL, "64", "48");

  node_test_add (&test, "image/expression", "map", "image", "{\"link\": \"c.image\"}", "red", "\"x\"", "green", "\"y\"",
                 "blue", "\"0\"", "alpha", "\"1\"", NULL);
  node_test_add (&test, "image/corner_pin", "n", "image", "{\"link\": \"map.result\"}", "filter", "\"bilinear\"",
                 "edges", "\"extend\"", "to_1", "[-22, -14, 0]", "to_2", "[20, -20, 0]", "to_3", "[28, 12, 0]", "to_4",
                 "[-16, 18, 0]", NULL);
  /* Around a corner of the image lies its corner pixel. */
  g_auto (KgValue) value = node_test_get (&test, "n.result", 0);
  const float *low = get_pixel (&value, 32 - 22, 24 + 13), *high = get_pixel (&value, 32 + 27, 24 - 12);

  g_assert_cmpfloat (low[0], <, 2.5);
  g_assert_cmpfloat (low[1], <, 2.5);
  g_assert_cmpfloat (high[0], >, 61.5);
  g_assert_cmpfloat (high[1], >, 45.5);
  node_test_add (&test, "image/corner_pin", "back", "image", "{\"link\": \"n.result\"}", "filter", "\"bicubic\"",
                 "invert", "true", "to_1", "[-22, -14, 0]", "to_2", "[20, -20, 0]", "to_3", "[28, 12, 0]", "to_4",
                 "[-16, 18, 0]", NULL);
  check_pixel (&test, "back.result", 30, 20, 30.5, 27.5, 0, 1, 0.06);
  node_test_set (&test, "n", "to_3", "[-1, -17, 0]");
  node_test_fails_saying (&test, "n.result", 0, "on a line");
  node_test_clear (&test);
}

/* Distorted and undistorted is nothing; without coefficients too. */
static void
test_lens (void)
{
  NodeTest test = make (NULL, "80", "60");

  node_test_add (&test, "image/expression", "map", "image", "{\"link\": \"c.image\"}", "red", "\"x\"", "green", "\"y\"",
                 "blue", "\"0\"", "alpha", "\"1\"", NULL);
  node_test_add (&test, "image/lens_distortion", "n", "image", "{\"link\": \"map.result\"}", "edges", "\"extend\"",
                 NULL);
  check_pixel (&test, "n.result", 7, 9, 7.5, 50.5, 0, 1, 1e-4);
  node_test_set (&test, "n", "k1", "-0.15");
  node_test_set (&test, "n", "k2", "0.02");
  node_test_set (&test, "n", "p1", "0.01");
  node_test_add (&test, "image/lens_distortion", "back", "image", "{\"link\": \"n.result\"}", "edges", "\"extend\"",
                 "direction", "\"undistort\"", "k1", "-0.15", "k2", "0.02", "p1", "0.01", NULL);
  check_pixel (&test, "back.result", 20, 15, 20.5, 44.5, 0, 1, 0.05);
  check_pixel (&test, "back.result", 60, 40, 60.5, 19.5, 0, 1, 0.05);
  /* r = 1 at the corners: there the image is moved by k1 r³ in half diagonals. */
  node_test_set (&test, "back", "image", "{\"link\": \"map.result\"}");
  node_test_set (&test, "back", "k2", "0");
  node_test_set (&test, "back", "p1", "0");
  check_pixel (&test, "back.result", 79, 30, 40 + 39.5 * (1 - 0.15 * (39.5 * 39.5 + 0.25) / 2500),
               29.5 - 0.5 * -0.15 * 0 + 0.035, 0, 1, 0.05);
  /* Decentering, with u to the right and v downwards. */
  node_test_set (&test, "back", "k1", "0");
  for (int k = 0; k < 2; k++) {
    const double p1 = k == 0 ? 0.05 : 0, p2 = k == 0 ? 0 : 0.04, u = 20.5 / 50, v = 10.5 / 50, r2 = u * u + v * v;

    node_test_set_number (&test, "back", "p1", p1);
    node_test_set_number (&test, "back", "p2", p2);
    check_pixel (&test, "back.result", 60, 40, 40 + 50 * (u + 2 * p1 * u * v + p2 * (r2 + 2 * u * u)),
                 30 - 50 * (v + p1 * (r2 + 2 * v * v) + 2 * p2 * u * v), 0, 1, 1e-3);
  }
  node_test_clear (&test);
}

/* Displaced by a constant map is moved; an ST map of the places themselves is nothing. */
static void
test_displace (void)
{
  NodeTest test = make (NULL, "40", "30");

  node_test_add (&test, "image/expression", "map", "image", "{\"link\": \"c.image\"}", "red", "\"u\"", "green", "\"v\"",
                 "blue", "\"0\"", "alpha", "\"1\"", NULL);
  node_test_add (&test, "image/displace", "n", "image", "{\"link\": \"map.result\"}", "map",
                 "{\"link\": \"map.result\"}", "kind", "\"st\"", NULL);
  check_pixel (&test, "n.result", 11, 12, 11.5 / 40, 17.5 / 30, 0, 1, 1e-5);
  node_test_set (&test, "n", "kind", "\"offset\"");
  node_test_set (&test, "n", "map", "{\"link\": \"c.image\"}");
  node_test_set (&test, "n", "scale", "[8, 8, 0]");
  /* 0.5 × 8 to the right, 0.25 × 8 up. */
  check_pixel (&test, "n.result", 11, 12, 7.5 / 40, (17.5 - 2) / 30, 0, 1, 1e-5);
  node_test_clear (&test);
}

/* Crops are areas, to parts of a pixel; sizes are what they are asked for. */
static void
test_sizes (void)
{
  NodeTest test = make ("image/crop", "20", "10");

  node_test_set (&test, "n", "left", "2.25");
  node_test_set (&test, "n", "top", "3.5");
  assert_near (sum_channel (&test, "n.result", 3), 17.75 * 6.5, 1e-4);
  node_test_set (&test, "n", "invert", "true");
  assert_near (sum_channel (&test, "n.result", 3), 200 - 17.75 * 6.5, 1e-4);
  node_test_set (&test, "n", "invert", "false");
  node_test_set (&test, "n", "shrink", "true");
  node_test_set (&test, "n", "right", "1e6");
  {
    g_auto (KgValue) value = node_test_get (&test, "n.result", 0);

    g_assert_cmpint (kg_image_get_width (value.image), ==, 1);
    g_assert_cmpint (kg_image_get_height (value.image), ==, 6);
  }
  node_test_add (&test, "image/reformat", "f", "image", "{\"link\": \"c.image\"}", "width", "30", "height", "30", NULL);
  /* 20×10 fits as 30×15: 7.5 pixels are left above and below. */
  check_pixel (&test, "f.result", 15, 15, 0.5, 0.25, 0.75, 1, 1e-5);
  check_pixel (&test, "f.result", 15, 1, 0, 0, 0, 0, 1e-5);
  node_test_set (&test, "f", "fit", "\"fill\"");
  check_pixel (&test, "f.result", 2, 15, 0.5, 0.25, 0.75, 1, 1e-5);
  node_test_set (&test, "f", "fit", "\"none\"");
  node_test_set (&test, "f", "filter", "\"bilinear\"");
  assert_near (sum_channel (&test, "f.result", 3), 200, 1e-4);
  node_test_set (&test, "f", "by", "\"factor\"");
  node_test_set (&test, "f", "factor", "0.1");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.result", 0);

    g_assert_cmpint (kg_image_get_width (value.image), ==, 2);
    g_assert_cmpint (kg_image_get_height (value.image), ==, 1);
  }
  /* A fine board in grey is grey at a tenth of its size: nothing is left out. */
  node_test_set (&test, "k", "width", "400");
  node_test_set (&test, "k", "height", "400");
  node_test_set (&test, "f", "image", "{\"link\": \"k.image\"}");
  for (const char *const *filter = (const char *const[]){ "\"bspline\"", "\"mitchell\"", "\"lanczos\"", NULL };
       *filter != NULL; filter++) {
    node_test_set (&test, "f", "filter", *filter);
    check_pixel (&test, "f.result", 20, 20, 0.5, 0.5, 0.5, 1, 0.02);
  }
  node_test_clear (&test);
}

/* Of squares that reach over several tiles of the filter and beyond all edges, the same value as by sorting them. */
static void
test_large_median (void)
{
  enum { W = 75, H = 70, RADIUS = 9, SPAN = 2 * RADIUS + 1 };
  g_autofree float *from = g_new (float, 4 * W * H), *to = g_new (float, 4 * W * H);
  float sorted[SPAN * SPAN];

  for (size_t i = 0; i < 4 * W * H; i++)
    from[i] = i % 4 == 3 ? 0.5f : (float) kg_random_signed (3, i % 4, i / (i % 4 == 1 ? 8 : 4));
  g_assert_true (rank_filter (from, W, H, RADIUS, 0.25, RESAMPLE_EXTEND, to, NULL));
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int c = 0; c < 4; c++) {
        int n = 0;

        for (int j = y - RADIUS; j <= y + RADIUS; j++)
          for (int i = x - RADIUS; i <= x + RADIUS; i++) {
            const float value = from[4 * (CLAMP (j, 0, H - 1) * W + CLAMP (i, 0, W - 1)) + c];
            int at = n++;

            for (; at > 0 && sorted[at - 1] > value; at--)
              sorted[at] = sorted[at - 1];
            sorted[at] = value;
          }
        g_assert_cmpfloat (to[4 * (y * W + x) + c], ==, sorted[(int) (0.25 * (n - 1) + 0.5)]);
      }
}

/* Where far more pixels than samples fall into one, it is still the mean of all; one tile in its place is the image. */
static void
test_far_shrunk (void)
{
  static const char *const filters[] = { "\"bilinear\"", "\"bicubic\"", "\"mitchell\"", "\"bspline\"", "\"lanczos\"" };
  NodeTest test = make ("image/tile", "61", "43");
  double mean[3] = { 0 };

  node_test_add (&test, "image/grain", "g", "image", "{\"link\": \"k.image\"}", "amount", "[0.2, 0.2, 0.2, 1]", "size",
                 "0", "black", "1", NULL);
  node_test_set (&test, "n", "image", "{\"link\": \"g.result\"}");
  for (guint f = 0; f < G_N_ELEMENTS (filters); f++) {
    node_test_set (&test, "n", "filter", filters[f]);
    node_test_set (&test, "n", "columns", "1");
    node_test_set (&test, "n", "rows", "1");
    g_auto (KgValue) value = node_test_get (&test, "n.result", 0), before = node_test_get (&test, "g.result", 0);

    g_assert_true (kg_image_equal (value.image, before.image));
  }
  {
    g_auto (KgValue) before = node_test_get (&test, "g.result", 0);

    for (size_t i = 0; i < 61 * 43; i++)
      for (size_t c = 0; c < 3; c++)
        mean[c] += (double) kg_image_get_pixels (before.image)[4 * i + c] / (61 * 43);
  }
  node_test_set (&test, "n", "filter", "\"bilinear\"");
  for (const char *const *columns = (const char *const[]){ "1000", "610", NULL }; *columns != NULL; columns++) {
    node_test_set (&test, "n", "columns", *columns);
    node_test_set (&test, "n", "rows", "860");
    for (int i = 0; i < 5; i++)
      check_pixel (&test, "n.result", 12 * i, 10 * i, mean[0], mean[1], mean[2], 1, 0.03);
  }
  /* A lens from far away, in a plane of images. */
  node_test_add (&test, "image/lens_distortion", "l", "image", "{\"link\": \"g.result\"}", "scale", "0.005", "edges",
                 "\"repeat\"", NULL);
  check_pixel (&test, "l.result", 20, 10, mean[0], mean[1], mean[2], 1, 0.03);
  /* Alone, it is a part of the pixel in the middle, and no other has any of it. */
  node_test_set (&test, "l", "edges", "\"transparent\"");
  node_test_set (&test, "l", "scale", "0.05");
  {
    g_auto (KgValue) value = node_test_get (&test, "l.result", 0);
    double sum = 0;

    for (size_t i = 0; i < 61 * 43; i++)
      sum += (double) kg_image_get_pixels (value.image)[4 * i + 3];
    assert_near (sum, 61 * 43 * 0.05 * 0.05, 0.1 * 61 * 43 * 0.05 * 0.05);
  }
  node_test_clear (&test);
}

/* What moves or resizes an image has a mask and a mix as well: where the mask is 0, the bits of the image as it was. */
static void
test_masked_moves (void)
{
  static const struct {
    const char *type, *result, *input, *json;
  } cases[] = {
    { "image/transform", "transformed", "translate", "[3, 1, 0]" },
    { "image/reformat", "result", "fit", "\"width\"" },
    { "image/deinterlace", "frame", "method", "\"blend\"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    NodeTest test = make (NULL, "40", "20");
    g_autofree char *target = g_strdup_printf ("n.%s", cases[i].result);

    node_test_add (&test, "image/grain", "g", "image", "{\"link\": \"k.image\"}", "amount", "[0.2, 0.2, 0.2, 1]",
                   "size", "0", "black", "1", NULL);
    node_test_add (&test, "image/expression", "half", "image", "{\"link\": \"c.image\"}", "alpha",
                   "\"clamp ((x - 20) * 10, 0, 1)\"", NULL);
    node_test_add (&test, cases[i].type, "n", "image", "{\"link\": \"g.result\"}", cases[i].input, cases[i].json, NULL);
    if (i == 1) {
      node_test_set (&test, "n", "width", "40");
      node_test_set (&test, "n", "height", "20");
      node_test_set (&test, "n", "aspect", "1.25");
    }
    {
      g_auto (KgValue) before = node_test_get (&test, "g.result", 0), whole = node_test_get (&test, target, 0);
      g_auto (KgValue) none = KG_VALUE_INIT, masked = KG_VALUE_INIT;

      node_test_set (&test, "n", "mix", "0");
      none = node_test_get (&test, target, 0);
      node_test_set (&test, "n", "mix", "1");
      node_test_set (&test, "n", "mask", "{\"link\": \"half.result\"}");
      masked = node_test_get (&test, target, 0);
      g_assert_false (kg_image_equal (before.image, whole.image));
      for (int y = 0; y < 20; y++)
        for (int x = 0; x < 40; x++) {
          /* Where pixels are wider, the mask has fewer of them: see the rule of sizes. */
          if (i != 1) {
            g_assert_cmpmem (get_pixel (&none, x, y), 16, get_pixel (&before, x, y), 16);
            g_assert_cmpmem (get_pixel (&masked, x, y), 16, get_pixel (x < 20 ? &before : &whole, x, y), 16);
          } else if (x > 24 && x < 35)
            g_assert_cmpmem (get_pixel (&masked, x, y), 16, get_pixel (&whole, x, y), 16);
          else if (x < 16)
            g_assert_cmpmem (get_pixel (&masked, x, y), 16, get_pixel (&none, x, y), 16);
        }
      if (i == 1)
        g_assert_false (kg_image_equal (none.image, whole.image));
    }
    node_test_clear (&test);
  }
}

/* Tiles, mirrors and polar coordinates of places. */
static void
test_repeats (void)
{
  NodeTest test = make (NULL, "40", "20");

  node_test_add (&test, "image/expression", "map", "image", "{\"link\": \"c.image\"}", "red", "\"x\"", "green", "\"y\"",
                 "blue", "\"0\"", "alpha", "\"1\"", NULL);
  node_test_add (&test, "image/tile", "n", "image", "{\"link\": \"map.result\"}", "kind", "\"flop\"", NULL);
  check_pixel (&test, "n.result", 3, 4, 36.5, 15.5, 0, 1, 0);
  node_test_set (&test, "n", "kind", "\"both\"");
  check_pixel (&test, "n.result", 3, 4, 36.5, 4.5, 0, 1, 0);
  node_test_set (&test, "n", "kind", "\"tiles\"");
  node_test_set (&test, "n", "columns", "1");
  node_test_set (&test, "n", "rows", "1");
  node_test_set (&test, "n", "offset", "[5, 0, 0]");
  check_pixel (&test, "n.result", 3, 4, 38.5, 15.5, 0, 1, 1e-5);
  /* No seam: the jump from a tile to the next is no shrinking. */
  for (const char *const *pattern = (const char *const[]){ "\"plain\"", "\"mirror\"", NULL }; *pattern != NULL;
       pattern++) {
    node_test_set (&test, "n", "pattern", *pattern);
    node_test_set (&test, "n", "offset", "[0, 0, 0]");
    check_pixel (&test, "n.result", 39, 19, 39.5, 0.5, 0, 1, 1e-5);
    node_test_set (&test, "n", "offset", "[5, 0, 0]");
    check_pixel (&test, "n.result", 4, 19, (*pattern)[1] == 'm' ? 0.5 : 39.5, 0.5, 0, 1, 1e-5);
  }
  node_test_set (&test, "n", "pattern", "\"plain\"");
  node_test_add (&test, "image/polar", "p", "image", "{\"link\": \"map.result\"}", "filter", "\"nearest\"", "start",
                 "0", NULL);
  /* Half way to the right is the left edge, half way up. */
  check_pixel (&test, "p.result", 25, 10, 0.5, 11, 0, 1, 1.01);
  node_test_clear (&test);
}

/* Ends, centres and steps of gradients; shares of checkerboards; fields and formulas. */
static void
test_generators (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/gradient", "g", "width", "100", "height", "50", "from", "[-50, 0, 0]", "to",
                 "[50, 0, 0]", "stops", "[[0, 1, 0, 0, 1], [1, 0, 0, 1, 0.5]]", NULL);
  check_pixel (&test, "g.image", 49, 10, 0.505, 0, 0.495 * 0.5, 1 - 0.5 * 0.495, 1e-6);
  node_test_set (&test, "g", "kind", "\"radial\"");
  node_test_set (&test, "g", "from", "[0.5, 0.5, 0]");
  node_test_set (&test, "g", "to", "[20.5, 0.5, 0]");
  check_pixel (&test, "g.image", 50, 24, 1, 0, 0, 1, 1e-6);
  check_pixel (&test, "g.image", 60, 24, 0.5, 0, 0.25, 0.75, 1e-6);
  node_test_set (&test, "g", "kind", "\"conic\"");
  check_pixel (&test, "g.image", 50, 34, 0.75, 0, 0.125, 0.875, 1e-6);
  node_test_set (&test, "g", "stops", "[]");
  check_pixel (&test, "g.image", 50, 34, 0, 0, 0, 0, 0);
  node_test_set (&test, "g", "to", "[0.5, 0.5, 0]");
  node_test_fails (&test, "g.image", KG_ERROR_DEGENERATE);
  node_test_add (&test, "image/checkerboard", "k", "width", "60", "height", "60", "size", "[7.3, 4.1, 0]", "color",
                 "[1, 1, 1, 1]", "other", "[0, 0, 0, 1]", NULL);
  assert_near (sum_channel (&test, "k.image", 0), 1800, 12);
  node_test_set (&test, "k", "size", "[0.01, 0.01, 0]");
  check_pixel (&test, "k.image", 30, 30, 0.5, 0.5, 0.5, 1, 1e-3);
  /* The second of the bars is yellow, the wheel's right side red. */
  node_test_add (&test, "image/color_bars", "b", "width", "80", "height", "40", "level", "1", NULL);
  check_pixel (&test, "b.image", 15, 10, 1, 1, 0, 1, 0);
  check_pixel (&test, "b.image", 65, 10, 0, 0, 1, 1, 0);
  node_test_set (&test, "b", "width", "41");
  node_test_set (&test, "b", "height", "41");
  node_test_set (&test, "b", "kind", "\"wheel\"");
  check_pixel (&test, "b.image", 20, 20, 1, 1, 1, 1, 1e-6);
  check_pixel (&test, "b.image", 40, 20, 1, 0.0018, 0.0018, 1, 2e-4);
  check_pixel (&test, "b.image", 0, 0, 0, 0, 0, 0, 0);
  node_test_add (&test, "field/formula", "f", "formula", "\"x + 2 * y\"", NULL);
  node_test_add (&test, "image/field", "i", "field", "{\"link\": \"f.field\"}", "width", "20", "height", "10",
                 "view_height", "1", "low", "0", "clamp", "false", NULL);
  check_pixel (&test, "i.image", 12, 2, 0.25 + 0.5, 0.75, 0.75, 1, 1e-6);
  node_test_set (&test, "i", "high", "0");
  node_test_fails (&test, "i.image", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* A blur by hand is the blur of the matrix; what has no value is 0; nonsense is refused with its column. */
static void
test_expression (void)
{
  NodeTest test = make ("image/expression", "16", "16");

  node_test_set (&test, "n", "image", "{\"link\": \"k.image\"}");
  node_test_set (&test, "n", "red", "\"(left.r + right.r + up.r + down.r + 4*r) / 8\"");
  node_test_set (&test, "n", "green", "\"1 / (x - x)\"");
  node_test_set (&test, "n", "blue", "\"b2 * p + frame\"");
  node_test_set (&test, "n", "alpha", "\"\"");
  node_test_set (&test, "n", "other", "{\"link\": \"c.image\"}");
  node_test_set (&test, "n", "p", "2");
  node_test_add (&test, "image/convolve", "v", "image", "{\"link\": \"k.image\"}", "matrix",
                 "[[0, 1, 0], [1, 4, 1], [0, 1, 0]]", NULL);
  {
    g_auto (KgValue) a = node_test_get (&test, "n.result", 0), b = node_test_get (&test, "v.result", 0);

    for (int i = 0; i < 256; i++) {
      assert_near ((double) kg_image_get_pixels (a.image)[4 * i], (double) kg_image_get_pixels (b.image)[4 * i], 1e-6);
      g_assert_true (isfinite (kg_image_get_pixels (a.image)[4 * i + 1]));
      assert_near ((double) kg_image_get_pixels (a.image)[4 * i + 2], 0.75 * 2 + 1, 1e-5);
    }
  }
  node_test_set (&test, "n", "red", "\"r +\"");
  node_test_fails_saying (&test, "n.result", 0, "column");
  node_test_set (&test, "n", "red", "\"left\"");
  node_test_fails (&test, "n.result", KG_ERROR_TYPE_MISMATCH);
  node_test_clear (&test);
}

/* A plain image has one bar, one line, one dot. */
static void
test_scope (void)
{
  NodeTest test = make (NULL, "30", "30");
  int bright = 0;

  node_test_add (&test, "image/scope", "n", "image", "{\"link\": \"c.image\"}", "encoded", "false", "graticule",
                 "false", "width", "101", "height", "101", NULL);
  check_pixel (&test, "n.scope", 50, 50, 1, 0.01, 0.01, 1, 0.02);
  check_pixel (&test, "n.scope", 50, 75, 0.01, 1, 0.01, 1, 0.02);
  check_pixel (&test, "n.scope", 50, 25, 0.01, 0.01, 1, 1, 0.02);
  node_test_set (&test, "n", "kind", "\"histogram\"");
  check_pixel (&test, "n.scope", 50, 90, 0.76, 0.01, 0.01, 1, 0.02);
  check_pixel (&test, "n.scope", 40, 90, 0.01, 0.01, 0.01, 1, 0.02);
  node_test_set (&test, "n", "kind", "\"vectorscope\"");
  node_test_set (&test, "c", "color", "[0.4, 0.4, 0.4, 1]");
  {
    g_auto (KgValue) value = node_test_get (&test, "n.scope", 0);

    for (int i = 0; i < 101 * 101; i++)
      bright += kg_image_get_pixels (value.image)[4 * i] > 0.1f;
  }
  g_assert_cmpint (bright, ==, 1);
  node_test_clear (&test);
}

/* The mean of a moved image over the time that the shutter is open. */
static void
test_motion_blur (void)
{
  NodeTest test = make (NULL, "60", "9");

  node_test_add (&test, "image/crop", "dot", "image", "{\"link\": \"c.image\"}", "left", "10", "right", "49", NULL);
  node_test_add (&test, "image/transform", "n", "image", "{\"link\": \"dot.result\"}", "translate",
                 "{\"expr\": \"20 * (frame - 1), 0, 0\"}", "shutter", "0.5", "samples", "200", NULL);
  /* One pixel of 10 in half a frame. */
  assert_near (sum_channel (&test, "n.transformed", 3), 9, 1e-3);
  check_pixel (&test, "n.transformed", 15, 4, 0.05, 0.025, 0.075, 0.1, 1e-3);
  check_pixel (&test, "n.transformed", 24, 4, 0, 0, 0, 0, 1e-6);
  node_test_set (&test, "n", "shutter", "0");
  check_pixel (&test, "n.transformed", 10, 4, 0.5, 0.25, 0.75, 1, 0);
  node_test_clear (&test);
}

/* At the two times of the samples the right edge is at the top and at the bottom. */
static void
test_turning_blur (void)
{
  NodeTest test = make (NULL, "21", "21");

  node_test_add (&test, "image/crop", "edge", "image", "{\"link\": \"c.image\"}", "left", "20", NULL);
  node_test_add (&test, "image/transform", "n", "image", "{\"link\": \"edge.result\"}", "rotate",
                 "{\"expr\": \"720 * (frame - 1)\"}", "shutter", "0.5", "samples", "2", NULL);
  check_pixel (&test, "n.transformed", 10, 0, 0.25, 0.125, 0.375, 0.5, 1e-5);
  check_pixel (&test, "n.transformed", 10, 20, 0.25, 0.125, 0.375, 0.5, 1e-5);
  check_pixel (&test, "n.transformed", 20, 10, 0, 0, 0, 0, 1e-5);
  node_test_clear (&test);
}

/* Only what is bright glows, and its light is added. */
static void
test_glow_and_sharpen (void)
{
  NodeTest test = make ("image/glow", "61", "61");

  node_test_set (&test, "n", "only", "true");
  check_pixel (&test, "n.result", 30, 30, 0, 0, 0, 0, 0);
  node_test_set (&test, "n", "threshold", "0");
  node_test_set (&test, "n", "softness", "0");
  node_test_set (&test, "n", "octaves", "1");
  node_test_set (&test, "n", "size", "3");
  check_pixel (&test, "n.result", 30, 30, 0.5, 0.25, 0.75, 1, 1e-5);
  node_test_add (&test, "image/sharpen", "s", "image", "{\"link\": \"k.image\"}", "amount", "0", NULL);
  node_test_add (&test, "image/blur", "b", "image", "{\"link\": \"k.image\"}", "size", "[2, 2, 0]", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "k.image", 0), blurred = node_test_get (&test, "b.result", 0);
    const double v = (double) get_pixel (&value, 20, 20)[0], w = (double) get_pixel (&blurred, 20, 20)[0];

    check_pixel (&test, "s.result", 20, 20, v, v, v, 1, 0);
    node_test_set (&test, "s", "amount", "1.5");
    check_pixel (&test, "s.result", 20, 20, v + 1.5 * (v - w), v + 1.5 * (v - w), v + 1.5 * (v - w), 1, 1e-5);
    node_test_set (&test, "s", "threshold", "10");
    check_pixel (&test, "s.result", 20, 20, v, v, v, 1, 0);
  }
  node_test_clear (&test);
}

/* The same bits for any number of threads. */
static void
test_threads (void)
{
  static const char *const more[] = { "image/glow",  "image/edge",        "image/emboss",
                                      "image/grain", "image/color_space", "image/polar" };
  const guint n = (guint) G_N_ELEMENTS (neighbourhoods), all = n + (guint) G_N_ELEMENTS (more);
  const int threads = omp_get_max_threads ();

  for (guint t = 0; t < all; t++) {
    KgHash hashes[2];

    for (int k = 0; k < 2; k++) {
      NodeTest test = make (NULL, "150", "97");

      omp_set_num_threads (k == 0 ? 1 : 5);
      node_test_set (&test, "k", "size", "[13.7, 9.2, 0]");
      node_test_add (&test, t < n ? neighbourhoods[t] : more[t - n], "n", "image", "{\"link\": \"k.image\"}", NULL);
      if (g_str_equal (t < n ? neighbourhoods[t] : "", "image/displace"))
        node_test_set (&test, "n", "map", "{\"link\": \"k.image\"}");
      g_auto (KgValue) value = node_test_get (&test, "n.result", 0);

      hashes[k] = kg_hash_bytes ((KgHash){ 0, 0 }, kg_image_get_pixels (value.image), 4 * 150 * 97 * sizeof (float));
      node_test_clear (&test);
    }
    g_assert_true (hashes[0].a == hashes[1].a && hashes[0].b == hashes[1].b);
  }
  omp_set_num_threads (threads);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/filters/plain", test_plain);
  g_test_add_func ("/filters/huge", test_huge);
  g_test_add_func ("/filters/blur", test_blur);
  g_test_add_func ("/filters/median", test_median);
  g_test_add_func ("/filters/large-median", test_large_median);
  g_test_add_func ("/filters/far-shrunk", test_far_shrunk);
  g_test_add_func ("/filters/masked-moves", test_masked_moves);
  g_test_add_func ("/filters/denoise", test_denoise);
  g_test_add_func ("/filters/grain", test_grain);
  g_test_add_func ("/filters/edges-and-relief", test_edges_and_relief);
  g_test_add_func ("/filters/convolve", test_convolve);
  g_test_add_func ("/filters/colors", test_colors);
  g_test_add_func ("/filters/correction", test_correction);
  g_test_add_func ("/filters/lut", test_lut);
  g_test_add_func ("/filters/corner-pin", test_corner_pin);
  g_test_add_func ("/filters/lens", test_lens);
  g_test_add_func ("/filters/displace", test_displace);
  g_test_add_func ("/filters/sizes", test_sizes);
  g_test_add_func ("/filters/repeats", test_repeats);
  g_test_add_func ("/filters/generators", test_generators);
  g_test_add_func ("/filters/expression", test_expression);
  g_test_add_func ("/filters/scope", test_scope);
  g_test_add_func ("/filters/motion-blur", test_motion_blur);
  g_test_add_func ("/filters/turning-blur", test_turning_blur);
  g_test_add_func ("/filters/threads", test_threads);
  g_test_add_func ("/filters/glow-and-sharpen", test_glow_and_sharpen);
  return g_test_run ();
}
