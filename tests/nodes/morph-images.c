/* tests/nodes/morph-images: facts of the two ways to morph images, wired as an artist wires them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#define WIDTH 96
#define HEIGHT 64

static const float *
get_pixel (const KgValue *value, int x, int y)
{
  return kg_image_get_pixels (value->image) + 4 * (y * kg_image_get_width (value->image) + x);
}

/* Two images: one whose colours are the places of its pixels, and one of waves; with transparent parts. */
static NodeTest
make (const char *type)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", "96", "height", "64", "color", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/expression", "a", "image", "{\"link\": \"c.image\"}", "red", "\"x\"", "green", "\"y\"",
                 NULL);
  node_test_add (&test, "image/expression", "b", "image", "{\"link\": \"c.image\"}", "red", "\"0.3 + 0.3*sin(x/5)\"",
                 "blue", "\"0.5*v\"", "alpha", "\"1 - u/2\"", NULL);
  node_test_add (&test, type, "m", "from", "{\"link\": \"a.result\"}", "to", "{\"link\": \"b.result\"}", NULL);
  return test;
}

static double
get_difference (const KgValue *a, const KgValue *b)
{
  double most = 0;

  for (int i = 0; i < 4 * WIDTH * HEIGHT; i++)
    most = fmax (most, fabs ((double) kg_image_get_pixels (a->image)[i] - (double) kg_image_get_pixels (b->image)[i]));
  return most;
}

/* M01: at 0 it is the first image, at 1 the second, whatever corresponds; equal images and equal correspondences stay.  M02: the net
 * as it is preset lies straight, and moves nothing. */
static void
test_ends (gconstpointer type)
{
  NodeTest test = make ((const char *) type);
  const bool net = g_str_equal (type, "morph/mesh");
  g_auto (KgValue) a = node_test_get (&test, "a.result", 0), b = node_test_get (&test, "b.result", 0);
  g_auto (KgValue) first = KG_VALUE_INIT, last = KG_VALUE_INIT;

  if (net) {
    node_test_set (
        &test, "m", "from_points",
        "[[-1.5, 1, 0], [0, 1, 0], [1.5, 1, 0], [-1.5, 0, 0], [0.3, 0.2, 0], [1.5, 0, 0], [-1.5, -1, 0], [0, -1, "
        "0], [1.5, -1, 0]]");
    node_test_set (
        &test, "m", "to_points",
        "[[-1.5, 1, 0], [0, 1, 0], [1.5, 1, 0], [-1.5, 0, 0], [-0.2, -0.1, 0], [1.5, 0, 0], [-1.5, -1, 0], [0, "
        "-1, 0], [1.5, -1, 0]]");
  } else {
    node_test_add (&test, "geometry/line", "l", "start", "[-0.5, 0, 0]", "end", "[0.5, 0.2, 0]", NULL);
    node_test_add (&test, "geometry/line", "k", "start", "[-0.2, 0.3, 0]", "end", "[0.6, 0, 0]", NULL);
    node_test_set (&test, "m", "from_lines", "{\"link\": \"l.geometry\"}");
    node_test_set (&test, "m", "to_lines", "{\"link\": \"k.geometry\"}");
  }
  first = node_test_get (&test, "m.image", 0);
  g_assert_cmpfloat (get_difference (&a, &first), <, 1e-3);
  node_test_set (&test, "m", "amount", "1");
  last = node_test_get (&test, "m.image", 0);
  g_assert_cmpfloat (get_difference (&b, &last), <, 1e-3);
  node_test_set (&test, "m", "to", "{\"link\": \"a.result\"}");
  if (net)
    node_test_set (&test, "m", "to_points",
                   "[[-1.5, 1, 0], [0, 1, 0], [1.5, 1, 0], [-1.5, 0, 0], [0.3, 0.2, 0], [1.5, 0, 0], "
                   "[-1.5, -1, 0], [0, -1, 0], [1.5, -1, 0]]");
  else
    node_test_set (&test, "m", "to_lines", "{\"link\": \"l.geometry\"}");
  for (int i = 1; i < 4; i++) {
    g_auto (KgValue) same = KG_VALUE_INIT;

    node_test_set_number (&test, "m", "amount", i / 4.0);
    same = node_test_get (&test, "m.image", 0);
    g_assert_cmpfloat (get_difference (&a, &same), <, 1e-3);
  }
  node_test_clear (&test);
}

/* M05: colours are premultiplied means, the same with the images exchanged.  M06: a place of a map begins later, at its brightness;
 * a map of 0 over the whole amount is none. */
static void
test_dissolve (void)
{
  NodeTest test = make ("morph/mesh");
  g_auto (KgValue) a = node_test_get (&test, "a.result", 0), b = node_test_get (&test, "b.result", 0);
  g_auto (KgValue) mixed = KG_VALUE_INIT, exchanged = KG_VALUE_INIT, mapped = KG_VALUE_INIT;

  node_test_set (&test, "m", "amount", "0.3");
  mixed = node_test_get (&test, "m.image", 0);
  for (int y = 0; y < HEIGHT; y += 7)
    for (int x = 0; x < WIDTH; x += 5)
      for (int c = 0; c < 4; c++)
        assert_near (get_pixel (&mixed, x, y)[c],
                     0.7 * (double) get_pixel (&a, x, y)[c] + 0.3 * (double) get_pixel (&b, x, y)[c], 1e-3);
  node_test_add (&test, "image/constant", "map", "width", "96", "height", "64", "color", "[0, 0, 0, 1]", NULL);
  node_test_set (&test, "m", "map", "{\"link\": \"map.image\"}");
  node_test_set (&test, "m", "duration", "1");
  mapped = node_test_get (&test, "m.image", 0);
  g_assert_cmpfloat (get_difference (&mixed, &mapped), <, 1e-3);
  node_test_set (&test, "m", "from", "{\"link\": \"b.result\"}");
  node_test_set (&test, "m", "to", "{\"link\": \"a.result\"}");
  node_test_set (&test, "m", "amount", "0.7");
  exchanged = node_test_get (&test, "m.image", 0);
  g_assert_cmpfloat (get_difference (&mixed, &exchanged), <, 1e-3);
  /* Halfway, the left half (0.5) has not begun, and the right half (0) is done, as it takes 0.5. */
  node_test_add (&test, "image/expression", "halves", "image", "{\"link\": \"map.image\"}", "red",
                 "\"u < 0.5 ? 0.5 : 0\"", "green", "\"u < 0.5 ? 0.5 : 0\"", "blue", "\"u < 0.5 ? 0.5 : 0\"", NULL);
  node_test_set (&test, "m", "map", "{\"link\": \"halves.result\"}");
  node_test_set (&test, "m", "duration", "0.5");
  node_test_set (&test, "m", "amount", "0.5");
  {
    g_auto (KgValue) halves = node_test_get (&test, "m.image", 0);

    for (int c = 0; c < 4; c++) {
      assert_near (get_pixel (&halves, 10, 20)[c], get_pixel (&b, 10, 20)[c], 1e-3);
      assert_near (get_pixel (&halves, 80, 20)[c], get_pixel (&a, 80, 20)[c], 1e-3);
    }
  }
  node_test_clear (&test);
}

/* M08: a line of length 2 that turns by 90 degrees about its middle: if its ends go straight, it has the length of the root of 2
 * halfway, and what grows with it is that much smaller; if it turns, it keeps its length. */
static void
test_between (void)
{
  NodeTest test = make ("morph/image");

  node_test_add (&test, "geometry/line", "l", "start", "[-0.5, 0, 0]", "end", "[0.5, 0, 0]", NULL);
  node_test_add (&test, "geometry/line", "k", "start", "[0, -0.5, 0]", "end", "[0, 0.5, 0]", NULL);
  node_test_set (&test, "m", "from_lines", "{\"link\": \"l.geometry\"}");
  node_test_set (&test, "m", "to_lines", "{\"link\": \"k.geometry\"}");
  node_test_set (&test, "m", "amount", "0.5");
  node_test_set (&test, "m", "dissolve", "0");
  node_test_set (&test, "m", "beside", "\"similar\"");
  for (int turn = 0; turn < 2; turn++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    double step[2];

    node_test_set (&test, "m", "between", turn ? "\"turn\"" : "\"ends\"");
    value = node_test_get (&test, "m.image", 0);
    for (int c = 0; c < 2; c++)
      step[c] = (double) get_pixel (&value, 49, 32)[c] - (double) get_pixel (&value, 48, 32)[c];
    assert_near (hypot (step[0], step[1]), turn ? 1 : sqrt (2), 1e-3);
    /* By 45 degrees either way. */
    assert_near (fabs (step[0]), fabs (step[1]), 1e-3);
  }
  node_test_clear (&test);
}

/* P1-84: lines or the points of a net warp both images while they blend.  A red spot that becomes a green one elsewhere is on its way
 * between them, at each amount, with so much of either colour. */
static void
test_p1_84 (gconstpointer type)
{
  static const double amounts[] = { 0, 0.25, 0.5, 1 };
  const bool net = g_str_equal (type, "morph/mesh");
  NodeTest test = make ((const char *) type);

  node_test_add (&test, "image/expression", "red", "image", "{\"link\": \"c.image\"}", "red",
                 "\"exp (-(pow (x - 36, 2) + pow (y - 32, 2)) / 60)\"", NULL);
  node_test_add (&test, "image/expression", "green", "image", "{\"link\": \"c.image\"}", "green",
                 "\"exp (-(pow (x - 60, 2) + pow (y - 32, 2)) / 60)\"", NULL);
  node_test_set (&test, "m", "from", "{\"link\": \"red.result\"}");
  node_test_set (&test, "m", "to", "{\"link\": \"green.result\"}");
  if (net) {
    node_test_set (&test, "m", "from_points",
                   "[[-1.5, 1, 0], [-0.375, 1, 0], [1.5, 1, 0], [-1.5, 0, 0], [-0.375, 0, 0], [1.5, 0, 0], "
                   "[-1.5, -1, 0], [-0.375, -1, 0], [1.5, -1, 0]]");
    node_test_set (&test, "m", "to_points",
                   "[[-1.5, 1, 0], [0.375, 1, 0], [1.5, 1, 0], [-1.5, 0, 0], [0.375, 0, 0], [1.5, 0, 0], "
                   "[-1.5, -1, 0], [0.375, -1, 0], [1.5, -1, 0]]");
  } else
    node_test_set (&test, "m", "lines", "[[-0.375, -0.5, -0.375, 0.5, 0.375, -0.5, 0.375, 0.5]]");
  for (guint i = 0; i < G_N_ELEMENTS (amounts); i++) {
    const double t = amounts[i];
    g_auto (KgValue) value = KG_VALUE_INIT;
    double place[2] = { 0 }, most[2] = { 0 };

    node_test_set_number (&test, "m", "amount", t);
    value = node_test_get (&test, "m.image", 0);
    for (int x = 0; x < WIDTH; x++)
      for (int c = 0; c < 2; c++) {
        const double v = 0.5 * (double) (get_pixel (&value, x, 31)[c] + get_pixel (&value, x, 32)[c]);

        if (v > most[c]) {
          most[c] = v;
          place[c] = x + 0.5;
        }
      }
    /* Pixels are half a pixel beside the spots. */
    assert_near (most[0], 1 - t, 0.02);
    assert_near (most[1], t, 0.02);
    for (int c = 0; c < 2; c++)
      if (most[c] > 0)
        assert_near (place[c], 36 + 24 * t, 1.01);
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/morph-images/M01-M02-mesh", "morph/mesh", test_ends);
  g_test_add_data_func ("/morph-images/M01-lines", "morph/image", test_ends);
  g_test_add_func ("/morph-images/M05-M06-dissolve", test_dissolve);
  g_test_add_func ("/morph-images/M08-between", test_between);
  g_test_add_data_func ("/morph-images/P1-84-lines", "morph/image", test_p1_84);
  g_test_add_data_func ("/morph-images/P1-84-net", "morph/mesh", test_p1_84);
  return g_test_run ();
}
