/* tests/nodes/palette: images in a few colours.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#define SIDE 64

/* An image of 64 by 64 by these formulas, and its colours reduced. */
static NodeTest
make_image (const char *red, const char *rest)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", "64", "height", "64", "color", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/expression", "e", "image", "{\"link\": \"c.image\"}", "red", red, "green", rest, "blue",
                 rest, NULL);
  node_test_add (&test, "image/constant", "black", "width", "1", "height", "2", "color", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/expression", "two", "image", "{\"link\": \"black.image\"}", "red", "\"y > 1\"", "green",
                 "\"y > 1\"", "blue", "\"y > 1\"", NULL);
  node_test_add (&test, "image/palette", "p", "image", "{\"link\": \"e.result\"}", NULL);
  return test;
}

static double
get_share (NodeTest *test)
{
  g_auto (KgValue) value = node_test_get (test, "p.result", 0);
  double sum = 0;

  for (int i = 0; i < SIDE * SIDE; i++) {
    const float *p = kg_image_get_pixels (value.image) + 4 * i;

    g_assert_true ((p[0] == 0 || p[0] == 1) && p[1] == p[0] && p[2] == p[0] && p[3] == 1);
    sum += (double) p[0];
  }
  return sum / (SIDE * SIDE);
}

/* V20: a grey of black and white pixels has as many white ones as it is bright, coded: diffusion to a thousandth, the pattern
 * to the next of its 64 thresholds. */
static void
test_grey (void)
{
  for (int level = 0; level <= 255; level += 15) {
    g_autofree char *formula = g_strdup_printf ("\"%.17g\"", kg_srgb_decode (level / 255.0));
    NodeTest test = make_image (formula, formula);

    node_test_set (&test, "p", "palette", "{\"link\": \"two.result\"}");
    assert_near (get_share (&test), level / 255.0, 0.006);
    node_test_set (&test, "p", "dither", "\"ordered\"");
    assert_near (get_share (&test), level / 255.0, 0.5 / 64 + 1e-6);
    node_test_set (&test, "p", "dither", "\"none\"");
    assert_near (get_share (&test), level >= 128, 0);
    assert_near (node_test_number (&test, "p.used", 0), 2, 0);
    node_test_clear (&test);
  }
}

/* Images of no more colours than are allowed stay as they are, to the rounding of 8 bits; others have so many. */
static void
test_few (void)
{
  NodeTest test = make_image ("\"floor(x/8)/8\"", "\"floor(y/16)/4\"");
  static const char *const dithers[] = { "\"none\"", "\"ordered\"", "\"floyd_steinberg\"" };

  for (guint k = 0; k < G_N_ELEMENTS (dithers); k++) {
    g_auto (KgValue) value = KG_VALUE_INIT, image = node_test_get (&test, "e.result", 0);

    node_test_set (&test, "p", "dither", dithers[k]);
    value = node_test_get (&test, "p.result", 0);
    for (int i = 0; i < 4 * SIDE * SIDE; i++)
      assert_near ((double) kg_image_get_pixels (value.image)[i], (double) kg_image_get_pixels (image.image)[i], 0.005);
    assert_near (node_test_number (&test, "p.used", 0), 32, 0);
  }
  node_test_set (&test, "p", "colors", "5");
  assert_near (node_test_number (&test, "p.used", 0), 5, 0);
  node_test_set (&test, "p", "colors", "1");
  assert_near (node_test_number (&test, "p.used", 0), 1, 0);
  node_test_clear (&test);
}

/* Coverage stays as it is; nothing, a pixel, and what is no colour are no errors. */
static void
test_degenerate (void)
{
  NodeTest test = make_image ("\"1e30\"", "\"-7\"");
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_set (&test, "e", "alpha", "\"x < 32 ? 0 : 0.5\"");
  value = node_test_get (&test, "p.result", 0);
  assert_near ((double) kg_image_get_pixels (value.image)[3], 0, 0);
  assert_near ((double) kg_image_get_pixels (value.image)[0], 0, 0);
  assert_near ((double) kg_image_get_pixels (value.image)[4 * 40 + 3], 0.5, 0);
  assert_near ((double) kg_image_get_pixels (value.image)[4 * 40], 0.5, 1e-6);
  assert_near ((double) kg_image_get_pixels (value.image)[4 * 40 + 1], 0, 0);
  assert_near (node_test_number (&test, "p.used", 0), 1, 0);
  node_test_set (&test, "e", "alpha", "\"0\"");
  assert_near (node_test_number (&test, "p.used", 0), 1, 0);
  node_test_set (&test, "c", "width", "1");
  node_test_set (&test, "c", "height", "1");
  assert_near (node_test_number (&test, "p.used", 0), 1, 0);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/palette/V20-grey", test_grey);
  g_test_add_func ("/palette/V20-few", test_few);
  g_test_add_func ("/palette/V20-degenerate", test_degenerate);
  return g_test_run ();
}
