/* tests/nodes/compositing: picture operations, wired as an artist wires them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

static const float *
get_pixel (const KgValue *value, int x, int y)
{
  return kg_image_get_pixels (value->image) + 4 * (y * kg_image_get_width (value->image) + x);
}

#define assert_pixel(value, x, y, r, g, b, a, tolerance)                                                               \
  do {                                                                                                                 \
    const float *const pixel_ = get_pixel (&value, x, y);                                                              \
    assert_near (pixel_[0], r, tolerance);                                                                             \
    assert_near (pixel_[1], g, tolerance);                                                                             \
    assert_near (pixel_[2], b, tolerance);                                                                             \
    assert_near (pixel_[3], a, tolerance);                                                                             \
  } while (0)

static void
add_constant (NodeTest *test, const char *name, const char *width, const char *height, const char *color)
{
  node_test_add (test, "image/constant", name, "width", width, "height", height, "color", color, NULL);
}

/* A node with "image" linked to p and one more input. */
static void
add_operation (NodeTest *test, const char *type, const char *name, const char *slot, const char *json)
{
  node_test_add (test, type, name, "image", "{\"link\": \"p.image\"}", slot, json, NULL);
}

/* Slots that all operations wear: a mask of another size, inverted, and a mix. */
static void
test_wear (void)
{
  NodeTest test = node_test_new ();

  add_constant (&test, "p", "8", "4", "[0.5, 0.25, 1, 1]");
  add_constant (&test, "m", "4", "4", "[1, 1, 1, 1]");
  add_operation (&test, "image/grade", "g", "multiply", "[2, 2, 2, 1]");
  node_test_set (&test, "g", "mask", "{\"link\": \"m.image\"}");
  for (int inverted = 0; inverted < 2; inverted++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "g", "invert_mask", inverted ? "true" : "false");
    value = node_test_get (&test, "g.result", 0);
    for (int x = 0; x < 8; x++)
      if ((x >= 2 && x < 6) != inverted)
        assert_pixel (value, x, 1, 1, 0.5, 2, 1, 0);
      else
        assert_pixel (value, x, 1, 0.5, 0.25, 1, 1, 0);
  }
  /* Over, too: where the mask is 0, the first layer alone, which is enlarged as ever. */
  add_constant (&test, "small", "4", "2", "[0.5, 0.25, 1, 1]");
  add_constant (&test, "large", "8", "4", "[0.125, 0, 0, 1]");
  node_test_add (&test, "image/over", "o", "layers", "[{\"link\": \"small.image\"}, {\"link\": \"large.image\"}]",
                 "mask", "{\"link\": \"m.image\"}", "mix", "0.5", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "o.image", 0);

    assert_pixel (value, 0, 1, 0, 0, 0, 0, 0);
    assert_pixel (value, 3, 1, 0.3125, 0.125, 0.5, 1, 0);
    assert_pixel (value, 3, 0, 0.0625, 0, 0, 0.5, 0);
  }
  node_test_set (&test, "g", "invert_mask", "false");
  node_test_set (&test, "g", "mix", "0.5");
  {
    g_auto (KgValue) value = node_test_get (&test, "g.result", 0);

    assert_pixel (value, 3, 1, 0.75, 0.375, 1.5, 1, 0);
  }
  node_test_set (&test, "g", "white_point", "[0, 1, 1, 1]");
  node_test_fails_saying (&test, "g.result", 0, "white point");
  node_test_clear (&test);
}

/* C04, C05, C11: sizes, offsets and opacity of Merge and Sprite. */
static void
test_c04_c05_merge (void)
{
  NodeTest test = node_test_new ();

  add_constant (&test, "p", "8", "6", "[0, 0, 1, 1]");
  add_constant (&test, "f", "2", "2", "[1, 0, 0, 0.5]");
  add_operation (&test, "image/merge", "m", "foreground", "{\"link\": \"f.image\"}");
  add_operation (&test, "image/sprite", "s", "sprite", "{\"link\": \"f.image\"}");
  node_test_set (&test, "m", "offset", "[-3, 2, 0]");
  node_test_set (&test, "s", "position", "[-3, 2, 0]");
  {
    g_auto (KgValue) merged = node_test_get (&test, "m.result", 0);
    g_auto (KgValue) sprite = node_test_get (&test, "s.result", 0);

    assert_pixel (merged, 0, 0, 0.5, 0, 0.5, 1, 1e-7);
    assert_pixel (merged, 1, 1, 0.5, 0, 0.5, 1, 1e-7);
    assert_pixel (merged, 2, 1, 0, 0, 1, 1, 0);
    g_assert_true (kg_image_equal (merged.image, sprite.image));
  }
  /* C05: outside, the background is unchanged. */
  node_test_set (&test, "s", "position", "[100, 2, 0]");
  {
    g_auto (KgValue) sprite = node_test_get (&test, "s.result", 0);
    g_auto (KgValue) before = node_test_get (&test, "p.image", 0);

    g_assert_true (kg_image_equal (sprite.image, before.image));
  }
  node_test_set (&test, "m", "opacity", "0.5");
  node_test_set (&test, "m", "offset", "[0, 0, 0]");
  {
    g_auto (KgValue) merged = node_test_get (&test, "m.result", 0);

    assert_pixel (merged, 3, 2, 0.25, 0, 0.75, 1, 1e-7);
  }
  /* The larger image is the size. */
  node_test_set (&test, "f", "width", "11");
  node_test_set (&test, "f", "height", "3");
  {
    g_auto (KgValue) merged = node_test_get (&test, "m.result", 0);

    g_assert_cmpint (kg_image_get_width (merged.image), ==, 11);
    g_assert_cmpint (kg_image_get_height (merged.image), ==, 6);
    assert_pixel (merged, 0, 2, 0.25, 0, 0, 0.25, 1e-7);
    assert_pixel (merged, 0, 0, 0, 0, 0, 0, 0);
  }
  node_test_clear (&test);
}

/* C16: layers by depth, whatever their order; equal ones warn. C02: what does not move is made once. */
static void
test_c16_c02_layers (void)
{
  NodeTest test = node_test_new ();
  KgNodeStats stats;
  static const char *const orders[] = {
    "[{\"link\": \"p.image\"}, {\"link\": \"b.image\"}, {\"link\": \"c.image\"}]",
    "[{\"link\": \"c.image\"}, {\"link\": \"p.image\"}, {\"link\": \"b.image\"}]",
  };
  static const char *const depths[] = { "[9, 5, 1]", "[1, 9, 5]" };
  g_auto (KgValue) first = KG_VALUE_INIT;
  g_auto (KgValue) second = KG_VALUE_INIT;

  add_constant (&test, "p", "4", "4", "[1, 0, 0, 1]");
  add_constant (&test, "b", "4", "4", "[0, 1, 0, 0.5]");
  add_constant (&test, "c", "4", "4", "[0, 0, 1, 0.5]");
  node_test_add (&test, "image/over", "o", "layers", orders[0], "depths", depths[0], NULL);
  first = node_test_get (&test, "o.image", 0);
  assert_pixel (first, 1, 1, 0.25, 0.25, 0.5, 1, 1e-7);
  node_test_set (&test, "o", "layers", orders[1]);
  node_test_set (&test, "o", "depths", depths[1]);
  second = node_test_get (&test, "o.image", 0);
  g_assert_true (kg_image_equal (first.image, second.image));
  node_test_set (&test, "o", "depths", "[9, 9, 1]");
  node_test_warns (&test, "o.image", "two layers with a depth of 9");
  node_test_set (&test, "o", "depths", "[9, 1]");
  node_test_warns (&test, "o.image", "the number of depths is 2, that of layers 3");
  /* The foreground changes with time, and it alone is made again. */
  node_test_set (&test, "o", "depths", "[1, 3, 2]");
  node_test_set (&test, "c", "color", "{\"expr\": \"t, 0, 0, 1\"}");
  kg_evaluator_reset_stats (test.evaluator);
  for (int frame = 0; frame < 10; frame++) {
    g_auto (KgValue) value = node_test_get (&test, "o.image", frame / 24.0);

    assert_pixel (value, 1, 1, frame / 24.0, 0, 0, 1, 1e-6);
  }
  kg_evaluator_get_stats (test.evaluator, kg_graph_find (test.graph, "p"), &stats);
  g_assert_cmpuint (stats.evaluations, ==, 0);
  node_test_clear (&test);
}

/* The column where a plane's bright pixel is. */
static double
find_light (const KgValue *value)
{
  double sum = 0, at = 0;

  for (int x = 0; x < kg_image_get_width (value->image); x++) {
    const double v = (double) get_pixel (value, x, kg_image_get_height (value->image) / 2)[3];

    sum += v;
    at += v * (x + 0.5);
  }
  return sum > 0 ? at / sum : -1;
}

/* C17, P1-22: a pan by one moves planes at 2 and 8 by 1/2 and 1/8; scales 1 and 1/7 from z = 1; sharp in focus. */
static void
test_c17_p1_22_multiplane (void)
{
  NodeTest test = node_test_new ();
  double before, after, shifts[2];

  add_constant (&test, "p", "15", "15", "[1, 1, 1, 1]");
  node_test_add (&test, "image/multiplane", "m", "layers", "[{\"link\": \"p.image\"}]", "width", "201", "height", "9",
                 NULL);
  for (int i = 0; i < 2; i++) {
    node_test_set (&test, "m", "planes", i == 0 ? "[[2]]" : "[[8, 0, 0, 8]]");
    node_test_set (&test, "m", "camera", "[0, 0, 0]");
    {
      g_auto (KgValue) value = node_test_get (&test, "m.image", 0);

      before = find_light (&value);
      g_assert_cmpfloat (kg_image_get_depth (value.image)[4 * 201 + 100], ==, i == 0 ? 2 : 8);
    }
    node_test_set (&test, "m", "camera", "[0.4, 0, 0]");
    {
      g_auto (KgValue) value = node_test_get (&test, "m.image", 0);

      after = find_light (&value);
    }
    shifts[i] = (after - before) / (0.4 * 201);
  }
  assert_near (shifts[0], -1.0 / 2, 1e-3);
  assert_near (shifts[1], -1.0 / 8, 1e-3);
  assert_near (shifts[0] / shifts[1], 4, 0.02);
  /* Scales, seen as widths. */
  for (int i = 0; i < 2; i++) {
    double width = 0;

    node_test_set (&test, "m", "camera", "[0, 0, 1]");
    node_test_set (&test, "p", "width", "70");
    node_test_set (&test, "p", "height", "70");
    node_test_set (&test, "m", "planes", i == 0 ? "[[2]]" : "[[8]]");
    {
      g_auto (KgValue) value = node_test_get (&test, "m.image", 0);

      for (int x = 0; x < 201; x++)
        width += (double) get_pixel (&value, x, 4)[3];
    }
    assert_near (width, i == 0 ? 70 : 10, 0.2);
  }
  /* In focus an open lens changes nothing; elsewhere it does. */
  node_test_set (&test, "m", "camera", "[0, 0, 0]");
  node_test_set (&test, "m", "planes", "[[2]]");
  {
    g_auto (KgValue) sharp = node_test_get (&test, "m.image", 0);
    g_auto (KgValue) focused = KG_VALUE_INIT;
    g_auto (KgValue) blurred = KG_VALUE_INIT;

    node_test_set (&test, "m", "aperture", "0.1");
    node_test_set (&test, "m", "focus", "2");
    focused = node_test_get (&test, "m.image", 0);
    g_assert_true (kg_image_equal (sharp.image, focused.image));
    node_test_set (&test, "m", "focus", "1");
    blurred = node_test_get (&test, "m.image", 0);
    g_assert_false (kg_image_equal (sharp.image, blurred.image));
  }
  node_test_set (&test, "m", "camera", "[0, 0, 5]");
  node_test_warns (&test, "m.image", "is not in front of the camera");
  node_test_clear (&test);
}

/* C17: a disc of any radius keeps the light, and has the second moment r² / 4 in each direction. */
static void
test_c17_out_of_focus (void)
{
  static const double radii[] = { 8.25, 60, 127, 129, 300 };
  enum { SIZE = 15, WIDTH = 701, HEIGHT = 700 };
  NodeTest test = node_test_new ();

  add_constant (&test, "p", "15", "15", "[1, 1, 1, 1]");
  node_test_add (&test, "image/multiplane", "m", "layers", "[{\"link\": \"p.image\"}]", "width", "701", "height", "700",
                 "planes", "[[1]]", "focus", "2", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (radii); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    double sum = 0, x_mean = 0, y_mean = 0, x_moment = 0, y_moment = 0;
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    const double expected = radii[i] * radii[i] / 4 + (SIZE * SIZE) / 12.0;

    /* r = w a f |z - z_focus| / (2 z z_focus) */
    node_test_set (&test, "m", "aperture", g_ascii_dtostr (text, sizeof text, 4 * radii[i] / WIDTH));
    value = node_test_get (&test, "m.image", 0);
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        const double v = (double) get_pixel (&value, x, y)[3];

        sum += v;
        x_mean += v * (x + 0.5);
        y_mean += v * (y + 0.5);
        x_moment += v * (x + 0.5 - 350.5) * (x + 0.5 - 350.5);
        y_moment += v * (y + 0.5 - 350.5) * (y + 0.5 - 350.5);
      }
    assert_near (sum, SIZE * SIZE, 0.01 * SIZE * SIZE);
    assert_near (x_mean / sum, 350.5, 0.05);
    assert_near (y_mean / sum, 350.5, 0.05);
    assert_near (x_moment / sum, expected, 0.01 * expected);
    assert_near (y_moment / sum, expected, 0.01 * expected);
    /* As bright inside the disc everywhere. */
    if (radii[i] > 50)
      assert_near ((double) get_pixel (&value, 350 + (int) (0.6 * radii[i]), 350)[3],
                   SIZE * SIZE / (KG_PI * radii[i] * radii[i]), 0.02 * SIZE * SIZE / (KG_PI * radii[i] * radii[i]));
  }
  /* What is out of focus beyond all measure is said. */
  node_test_set (&test, "m", "aperture", "1000");
  node_test_warns (&test, "m.image", "is out of focus by 175250 pixels, of which 100000 are used");
  node_test_clear (&test);
}

/* What has no effect, or can hardly be meant, is said. */
static void
test_silences (void)
{
  static const struct {
    const char *node, *input, *json, *output, *warning;
  } cases[] = {
    { "k", "screen", "[0.5, 0.5, 0.5, 1]", "k.result", "(0.5, 0.5, 0.5) has no channel that is stronger" },
    { "k", "screen", "[0, 0, 0, 1]", "k.result", "(0, 0, 0) has no channel that is stronger" },
    { "k", "method", "\"chroma\"", "k.result", "(0, 0, 0) has no hue: everything grey becomes transparent" },
    { "k", "black_clip", "0.75", "k.result", NULL },
    { "k", "white_clip", "0.5", "k.result", "a black clip of 0.75 is not below the white clip of 0.5" },
    { "r", "points", "[[0, 0], [9, 9]]", "r.image", "shapes with fewer than three points cover nothing (1 of them)" },
    { "r", "points", "[]", "r.image", "there are no shapes" },
    { "g", "stops", "[]", "g.image", "there are no stops" },
    { "w", "points", "[[0, 0]]", "w.result", "the number of points is 1, too few for a line" },
    { "w", "points", "[[900, 0], [900, 9]]", "w.result", "a stroke with a width of 5 pixels covers no pixel" },
    { "w", "points", "[]", "w.result", "the number of points is 0" },
  };
  NodeTest test = node_test_new ();

  add_constant (&test, "p", "16", "12", "[0.1, 0.6, 0.2, 1]");
  node_test_add (&test, "image/keyer", "k", "image", "{\"link\": \"p.image\"}", NULL);
  node_test_add (&test, "image/roto", "r", "width", "32", "height", "24", NULL);
  node_test_add (&test, "image/gradient", "g", "width", "32", "height", "24", NULL);
  node_test_add (&test, "image/wire_remove", "w", "image", "{\"link\": \"p.image\"}", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (i == 0)
      for (const char *const *name = (const char *const[]){ "k.result", "r.image", "g.image", "w.result", NULL };
           *name != NULL; name++) {
        g_auto (KgValue) value = node_test_get (&test, *name, 0);
        g_autofree char *node = g_strndup (*name, 1);
        g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, node));

        g_assert_true (warnings == NULL || warnings[0] == NULL);
      }
    node_test_set (&test, cases[i].node, cases[i].input, cases[i].json);
    if (cases[i].warning != NULL)
      node_test_warns (&test, cases[i].output, cases[i].warning);
  }
  node_test_clear (&test);
}

/* P1-22: the order of the list does not matter. */
static void
test_p1_22_order (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) one = KG_VALUE_INIT;
  g_auto (KgValue) two = KG_VALUE_INIT;

  add_constant (&test, "p", "30", "30", "[1, 0, 0, 0.5]");
  add_constant (&test, "b", "60", "20", "[0, 1, 0, 0.5]");
  node_test_add (&test, "image/multiplane", "m", "layers", "[{\"link\": \"p.image\"}, {\"link\": \"b.image\"}]",
                 "planes", "[[1, 0.1, 0], [2, 0, 0.1]]", "width", "64", "height", "48", NULL);
  one = node_test_get (&test, "m.image", 0);
  node_test_set (&test, "m", "layers", "[{\"link\": \"b.image\"}, {\"link\": \"p.image\"}]");
  node_test_set (&test, "m", "planes", "[[2, 0, 0.1], [1, 0.1, 0]]");
  two = node_test_get (&test, "m.image", 0);
  g_assert_true (kg_image_equal (one.image, two.image));
  node_test_clear (&test);
}

/* C14, C15: what depth merge refuses. */
static void
test_c14_depth_merge (void)
{
  NodeTest test = node_test_new ();

  add_constant (&test, "p", "8", "6", "[1, 0, 0, 1]");
  node_test_add (&test, "geometry/sphere", "ball", NULL);
  node_test_add (&test, "render/object", "near", "geometry", "{\"link\": \"ball.geometry\"}", "translate",
                 "[0, 0, 0.3]", "color", "[1, 0, 0, 1]", NULL);
  node_test_add (&test, "render/object", "far", "geometry", "{\"link\": \"ball.geometry\"}", "translate",
                 "[0.4, 0.1, 0]", "color", "[0, 1, 0, 1]", NULL);
  node_test_add (&test, "render/camera", "camera", "position", "[0.5, 0.4, 4]", "target", "[0, 0, 0]", NULL);
  node_test_add (&test, "render/scene", "a", "scenes", "[{\"link\": \"camera.scene\"}, {\"link\": \"near.scene\"}]",
                 "width", "48", "height", "32", "background", "[0, 0, 0, 0]", NULL);
  node_test_add (&test, "render/scene", "b", "scenes", "[{\"link\": \"camera.scene\"}, {\"link\": \"far.scene\"}]",
                 "width", "48", "height", "32", "background", "[0, 0, 0, 0]", NULL);
  node_test_add (&test, "render/scene", "both", "scenes",
                 "[{\"link\": \"camera.scene\"}, {\"link\": \"near.scene\"}, {\"link\": \"far.scene\"}]", "width", "48",
                 "height", "32", "background", "[0, 0, 0, 0]", NULL);
  node_test_add (&test, "image/depth_merge", "m", "a", "{\"link\": \"a.image\"}", "b", "{\"link\": \"b.image\"}", NULL);
  /* C03: composite (render, render) is render (merge), but for edges; the balls go through each other. */
  for (int sub_pixel = 0; sub_pixel < 2; sub_pixel++) {
    g_auto (KgValue) together = node_test_get (&test, "both.image", 0);
    g_auto (KgValue) merged = KG_VALUE_INIT;
    int different = 0;

    node_test_set (&test, "m", "sub_pixel", sub_pixel ? "true" : "false");
    merged = node_test_get (&test, "m.image", 0);
    for (int i = 0; i < 48 * 32; i++)
      for (int c = 0; c < 4; c++)
        if (fabsf (kg_image_get_pixels (together.image)[4 * i + c] - kg_image_get_pixels (merged.image)[4 * i + c]) >
            0.05f) {
          different++;
          break;
        }
    g_assert_cmpint (different, <, 100);
  }
  /* Mixed with the second, whose bits are those at 0; the depth stays that of both. */
  for (int half = 0; half < 2; half++) {
    g_auto (KgValue) whole = node_test_get (&test, "m.image", 0), second = node_test_get (&test, "b.image", 0);
    g_auto (KgValue) mixed = KG_VALUE_INIT;

    node_test_set (&test, "m", "mix", half ? "0.5" : "0");
    mixed = node_test_get (&test, "m.image", 0);
    for (int i = 0; i < 48 * 32; i++) {
      assert_near ((double) kg_image_get_pixels (mixed.image)[4 * i],
                   (double) kg_image_get_pixels (second.image)[4 * i] * (half ? 0.5 : 1) +
                       (double) kg_image_get_pixels (whole.image)[4 * i] * (half ? 0.5 : 0),
                   half ? 1e-6 : 0);
      g_assert_true (kg_image_get_depth (mixed.image)[i] == kg_image_get_depth (whole.image)[i]);
    }
    node_test_set (&test, "m", "mix", "1");
  }
  node_test_set (&test, "m", "b", "{\"link\": \"p.image\"}");
  node_test_fails_saying (&test, "m.image", 0, "has no depth");
  node_test_set (&test, "m", "b", "{\"link\": \"b.image\"}");
  node_test_set (&test, "b", "width", "40");
  node_test_fails_saying (&test, "m.image", 0, "48 × 32 and 40 × 32");
  node_test_clear (&test);
}

/* P1-79: a bar that passes, removed by the median of frames, and keyed against that plate. */
static void
test_p1_79_plate_and_key (void)
{
  NodeTest test = node_test_new ();

  add_constant (&test, "back", "40", "20", "[0.2, 0.4, 0.6, 1]");
  add_constant (&test, "bar", "6", "20", "[1, 1, 1, 1]");
  node_test_add (&test, "image/sprite", "film", "image", "{\"link\": \"back.image\"}", "sprite",
                 "{\"link\": \"bar.image\"}", "position", "{\"expr\": \"frame - 20, 0, 0\"}", NULL);
  node_test_add (&test, "image/median_plate", "plate", "image", "{\"link\": \"film.result\"}", "first", "1", "step",
                 "8", "count", "5", NULL);
  node_test_add (&test, "image/keyer", "key", "image", "{\"link\": \"film.result\"}", "method", "\"difference\"", NULL);
  node_test_fails_saying (&test, "key.result", 0, "needs a plate");
  node_test_set (&test, "key", "plate", "{\"link\": \"plate.plate\"}");
  {
    g_auto (KgValue) back = node_test_get (&test, "back.image", 0);
    g_auto (KgValue) plate = node_test_get (&test, "plate.plate", 0.5);
    g_auto (KgValue) key = node_test_get (&test, "key.result", 19 / 24.0); /* frame 20: the bar in the centre */

    g_assert_true (kg_image_equal (back.image, plate.image));
    for (int x = 0; x < 40; x++)
      if (x >= 17 && x < 23)
        assert_pixel (key, x, 9, 1, 1, 1, 1, 1e-6);
      else
        assert_pixel (key, x, 9, 0, 0, 0, 0, 0);
  }
  node_test_clear (&test);
}

/* Files of version 1 had the shape in the fourth column; tangents turn with what they belong to. */
static void
test_roto_columns (void)
{
  static const char *const rows[] = {
    "[[-8, -4, null, 0], [-2, -4, null, 0], [-2, 4, {\"keys\": [[1, 0]]}, 0], [2, -4, null, 1], [8, -4, null, 1], [8, 4, null, 1]]",
    "\"-8 -4 - 0\\n-2 -4 - 0; -2 4 0 0\\n2 -4 - 1\\n8 -4 - 1\\n8 4 - 1\"",
    "{\"columns\": [\"x\", \"y\", \"feather\", \"shape\"], \"rows\": [[-8, -4, null, 0], [-2, -4, null, 0], [-2, 4, null, 0], "
    "[2, -4, null, 1], [8, -4, null, 1], [8, 4, null, 1]]}",
  };
  NodeTest now = node_test_new ();
  g_auto (KgValue) expected = KG_VALUE_INIT, bent = KG_VALUE_INIT, turned = KG_VALUE_INIT;

  node_test_add (&now, "image/roto", "r", "points",
                 "[[-8, -4, null, null, null, null, null, 0], [-2, -4, null, null, null, null, null, 0], "
                 "[-2, 4, null, null, null, null, null, 0], [2, -4, null, null, null, null, null, 1], "
                 "[8, -4, null, null, null, null, null, 1], [8, 4, null, null, null, null, null, 1]]",
                 "width", "24", "height", "24", NULL);
  expected = node_test_get (&now, "r.image", 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *text = g_strdup_printf (
        "{\"kineograph\": 1, \"nodes\": {\"r\": {\"type\": \"image/roto\", \"version\": 1, \"inputs\": "
        "{\"points\": %s, \"width\": 24, \"height\": 24}}}}",
        rows[i]);
    g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    KgGraph *graph = kg_graph_parse (types, text, -1, problems);
    g_autoptr (KgEvaluator) evaluator = NULL;
    g_auto (KgValue) old = KG_VALUE_INIT;

    g_assert_nonnull (graph);
    g_assert_cmpuint (problems->len, ==, 0);
    evaluator = kg_evaluator_new (graph, NULL);
    g_assert_true (kg_evaluator_evaluate (evaluator, kg_graph_find (graph, "r"),
                                          (guint) kg_node_find_slot (kg_graph_find (graph, "r"), "image"), 0, NULL,
                                          &old, NULL));
    g_assert_true (kg_value_equal (&old, &expected));
    g_clear_pointer (&evaluator, kg_evaluator_free);
    g_object_unref (graph);
  }
  /* A quarter of a turn: the same picture, turned. */
  node_test_set (&now, "r", "points",
                 "[[-8, -4, 0, -3, 2, 2, -3, 0], [6, -4, 0, null, null, 0, 0, 0], [2, 8, 0, 0, 0, -1, 4, 0]]");
  bent = node_test_get (&now, "r.image", 0);
  node_test_set (&now, "r", "rotate", "90");
  turned = node_test_get (&now, "r.image", 0);
  for (int y = 0; y < 24; y++)
    for (int x = 0; x < 24; x++)
      assert_near ((double) get_pixel (&turned, y, 23 - x)[3], (double) get_pixel (&bent, x, y)[3], 1e-5);
  node_test_clear (&now);
}

/* A shape by points that are keyed, by a curve, in blocks; and what works on its matte. */
static void
test_roto_and_tools (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/roto", "r", "points",
                 "[[{\"keys\": [[1, -10], [25, -6]]}, -5], [10, -5], [10, 5], [{\"keys\": [[1, -10], [25, -6]]}, 5]]",
                 "curve", "\"polygon\"", "width", "40", "height", "20", NULL);
  for (int frame = 0; frame <= 24; frame += 24) {
    g_auto (KgValue) value = node_test_get (&test, "r.image", frame / 24.0);

    for (int x = 0; x < 40; x++)
      g_assert_cmpfloat (get_pixel (&value, x, 9)[3], ==, x >= (frame == 0 ? 10 : 14) && x < 30);
  }
  node_test_add (&test, "geometry/circle", "c", "radius", "0.5", NULL);
  node_test_set (&test, "r", "shapes", "{\"link\": \"c.geometry\"}");
  node_test_set (&test, "r", "scale", "16");
  {
    g_auto (KgValue) value = node_test_get (&test, "r.image", 0);
    double area = 0;

    for (int i = 0; i < 800; i++)
      area += (double) kg_image_get_pixels (value.image)[4 * i + 3];
    assert_near (area, KG_PI * 64, 3);
  }
  node_test_add (&test, "image/matte_tools", "t", "image", "{\"link\": \"r.image\"}", "operation", "\"erode\"", "size",
                 "3", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "t.result", 0);

    g_assert_cmpfloat (get_pixel (&value, 20, 10)[3], ==, 1);
    g_assert_cmpfloat (get_pixel (&value, 13, 10)[3], ==, 0);
  }
  /* Shadow under it, channels of it, straight colours, a matte of nothing. */
  node_test_add (&test, "image/drop_shadow", "d", "image", "{\"link\": \"r.image\"}", "softness", "0", "offset",
                 "[10, 0, 0]", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "d.result", 0);

    assert_pixel (value, 20, 10, 1, 1, 1, 1, 1e-6);
    assert_pixel (value, 34, 10, 0, 0, 0, 0.5, 1e-6);
  }
  add_constant (&test, "p", "40", "20", "[0.2, 0.4, 0.6, 1]");
  add_constant (&test, "none", "40", "20", "[1, 1, 1, 0]");
  node_test_add (&test, "image/channels", "ch", "image", "{\"link\": \"p.image\"}", "other", "{\"link\": \"r.image\"}",
                 "alpha", "\"other_alpha\"", "premultiply", "true", NULL);
  node_test_add (&test, "image/premultiply", "un", "image", "{\"link\": \"ch.result\"}", "direction",
                 "\"unpremultiply\"", NULL);
  node_test_add (&test, "image/matte", "mt", "background", "{\"link\": \"p.image\"}", "foreground",
                 "{\"link\": \"r.image\"}", "matte", "{\"link\": \"none.image\"}", NULL);
  {
    g_auto (KgValue) cut = node_test_get (&test, "ch.result", 0);
    g_auto (KgValue) straight = node_test_get (&test, "un.result", 0);
    g_auto (KgValue) kept = node_test_get (&test, "mt.image", 0);
    g_auto (KgValue) back = node_test_get (&test, "p.image", 0);

    assert_pixel (cut, 20, 10, 0.2, 0.4, 0.6, 1, 1e-6);
    assert_pixel (cut, 2, 2, 0, 0, 0, 0, 0);
    for (int i = 0; i < 800; i++) {
      const float *p = kg_image_get_pixels (straight.image) + 4 * i;

      if (p[3] > 0.01f)
        assert_near (p[1], 0.4, 1e-5);
    }
    g_assert_true (kg_image_equal (kept.image, back.image));
  }
  node_test_clear (&test);
}

/* R10: the area of a shadow from above is that of the plan, in polygons that face the light and in the outline of all. */
static void
test_r10_drop_shadow (void)
{
  static const char *const sides[] = { "\"lit\"", "\"outline\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "b", "size", "[0.5, 2, 3]", NULL);
  node_test_add (&test, "geometry/transform", "up", "geometry", "{\"link\": \"b.geometry\"}", "translate", "[1, 4, 2]",
                 NULL);
  node_test_add (&test, "geometry/drop_shadow", "s", "geometry", "{\"link\": \"up.transformed\"}", "kind",
                 "\"flatten\"", "lift", "0.25", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    const float *p;

    node_test_set (&test, "s", "sides", sides[i]);
    value = node_test_get (&test, "s.shadow", 0);
    p = kg_geometry_get_positions (value.geometry);
    g_assert_cmpuint (kg_geometry_get_n_primitives (value.geometry), ==, 1);
    for (size_t k = 0; k < kg_geometry_get_n_points (value.geometry); k++) {
      assert_near (fabs ((double) p[3 * k] - 1), 0.25, 1e-6);
      assert_near (p[3 * k + 1], 0.25, 1e-6);
      assert_near (fabs ((double) p[3 * k + 2] - 2), 1.5, 1e-6);
    }
  }
  node_test_set (&test, "s", "normal", "[0, 0, 0]");
  node_test_fails_saying (&test, "s.shadow", 0, "without a normal");
  node_test_set (&test, "s", "normal", "[0, 1, 0]");
  node_test_set (&test, "s", "kind", "\"parallel\"");
  node_test_set (&test, "s", "direction", "[1, 0, 0]");
  node_test_fails_saying (&test, "s.shadow", 0, "turn its direction down");
  node_test_clear (&test);
}

/* One pixel, and as wide as images may be, through all operations. */
static void
test_extreme_sizes (void)
{
  static const struct {
    const char *type, *slot, *json, *output;
  } operations[] = {
    { "image/grade", "gamma", "[2, 2, 2, 1]", "result" },
    { "image/merge", "foreground", "{\"link\": \"other.image\"}", "result" },
    { "image/sprite", "sprite", "{\"link\": \"other.image\"}", "result" },
    { "image/channels", "red", "\"luminance\"", "result" },
    { "image/premultiply", "direction", "\"unpremultiply\"", "result" },
    { "image/keyer", "method", "\"chroma\"", "result" },
    { "image/matte_tools", "operation", "\"dilate\"", "result" },
    { "image/matte_tools", "operation", "\"feather\"", "result" },
    { "image/matte_tools", "operation", "\"fill_holes\"", "result" },
    { "image/drop_shadow", "softness", "3", "result" },
    { "image/wire_remove", "width", "4", "result" },
    { "image/median_plate", "count", "3", "plate" },
  };
  static const char *const sizes[][2] = { { "1", "1" }, { "32768", "1" }, { "1", "32768" } };

  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
      NodeTest test = node_test_new ();
      g_autofree char *target = g_strconcat ("n.", operations[i].output, NULL);
      g_auto (KgValue) value = KG_VALUE_INIT;

      add_constant (&test, "p", sizes[k][0], sizes[k][1], "[-0.5, 2, 1e20, 0.25]");
      add_constant (&test, "other", "3", "2", "[1e30, -1e30, 0, 0]");
      add_operation (&test, operations[i].type, "n", operations[i].slot, operations[i].json);
      value = node_test_get (&test, target, 0);
      g_assert_cmpint (kg_image_get_width (value.image), >=, 1);
      node_test_clear (&test);
    }
}

/* R13: a shadow baked into the image of the ground is the ground times 1 - 0.5 where it lies, and cut at the edges. */
static void
test_r13_baked (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/polygon", "q", "points", "[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]",
                 NULL);
  node_test_add (&test, "geometry/transform", "up", "geometry", "{\"link\": \"q.geometry\"}", "rotate", "[90, 0, 0]",
                 "translate", "[0.5, 1, 0]", NULL);
  node_test_add (&test, "geometry/drop_shadow", "s", "geometry", "{\"link\": \"up.transformed\"}", "kind",
                 "\"flatten\"", "sides", "\"outline\"", "color", "[0, 0, 0, 0.5]", "lift", "0", NULL);
  node_test_add (&test, "geometry/transform", "down", "geometry", "{\"link\": \"s.shadow\"}", "rotate", "[90, 0, 0]",
                 NULL);
  node_test_add (&test, "render/draw", "d", "geometries", "[{\"link\": \"down.transformed\"}]", "width", "40", "height",
                 "40", "view_height", "2", NULL);
  node_test_add (&test, "image/constant", "g", "width", "40", "height", "40", "color", "[0.4, 0.4, 0.4, 1]", NULL);
  node_test_add (&test, "image/over", "b", "layers", "[{\"link\": \"g.image\"}, {\"link\": \"d.image\"}]", NULL);
  for (int k = 0; k < 3; k++) {
    static const char *const places[] = { "[0.5, 1, 0]", "[1, 1, 0]", "[1.5, 3, 0]" };
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "up", "translate", places[k]);
    value = node_test_get (&test, "b.image", 0);
    for (int y = 0; y < 40; y++)
      for (int x = 0; x < 40; x++)
        assert_near ((double) kg_image_get_pixels (value.image)[4 * (40 * y + x)],
                     x >= 20 + 10 * k && y >= 10 && y < 30 ? 0.2 : 0.4, 1e-3);
  }
  node_test_clear (&test);
}

/* The area of all polygons, and the range of y. */
static double
get_area (const KgGeometry *geometry, double *low, double *high)
{
  const float *p = kg_geometry_get_positions (geometry);
  double area = 0;

  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive polygon;
    KgVector sum = { 0 }, corners[64];

    kg_geometry_get_primitive (geometry, i, &polygon);
    g_assert_cmpuint (polygon.n_vertices, <=, 64);
    for (uint32_t k = 0; k < polygon.n_vertices; k++) {
      const float *at = p + 3 * (size_t) polygon.vertices[k];

      corners[k] = kg_vector ((double) at[0], (double) at[1], (double) at[2]);
      *low = fmin (*low, corners[k].y);
      *high = fmax (*high, corners[k].y);
    }
    for (uint32_t k = 1; k + 1 < polygon.n_vertices; k++)
      sum = kg_vector_add (sum, kg_vector_cross (kg_vector_subtract (corners[k], corners[0]),
                                                 kg_vector_subtract (corners[k + 1], corners[0])));
    area += 0.5 * kg_vector_length (sum);
  }
  return area;
}

/* R08: a square of 2 at the height of 2 and one of 1 at the height of 1, below a light at the height of 4, over a ground of 20 and
 * beside a wall. */
static NodeTest
make_pairs (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "square", "size", "[2, 2, 0]", "columns", "1", "rows", "1", "plane", "\"zx\"",
                 NULL);
  node_test_add (&test, "geometry/transform", "upper", "geometry", "{\"link\": \"square.geometry\"}", "translate",
                 "[0, 2, 0]", NULL);
  node_test_add (&test, "geometry/transform", "lower", "geometry", "{\"link\": \"square.geometry\"}", "translate",
                 "[0, 1, 0]", "scale", "[0.5, 0.5, 0.5]", NULL);
  node_test_add (&test, "geometry/grid", "ground", "size", "[20, 20, 0]", "columns", "7", "rows", "5", "plane",
                 "\"zx\"", NULL);
  node_test_add (
      &test, "geometry/shadow_pairs", "s", "casters",
      "[{\"link\": \"upper.transformed\"}, {\"link\": \"lower.transformed\"}]", "receivers",
      "[{\"link\": \"ground.geometry\"}, {\"link\": \"lower.transformed\"}, {\"link\": \"upper.transformed\"}]",
      "light", "[0, 4, 0]", "lift", "0", NULL);
  return test;
}

static void
check_pairs (NodeTest *test, const char *pairs, int count, double area, double low, double high)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  double range[2];

  node_test_set (test, "s", "pairs", pairs);
  value = node_test_get (test, "s.shadows", 0);
  g_assert_cmpfloat (node_test_number (test, "s.count", 0), ==, count);
  assert_near (get_area (value.geometry, &range[0], &range[1]), area, 1e-4);
  if (area > 0) {
    assert_near (range[0], low, 1e-5);
    assert_near (range[1], high, 1e-5);
  }
}

/* As many shadows are computed as there are true entries, none without; each ends where the receiver does, and only what is between
 * it and the light casts one. */
static void
test_r08_pairs (void)
{
  NodeTest test = make_pairs ();

  /* Twice as wide on the ground from half of the height, 4/3 from a quarter. */
  check_pairs (&test, "[[-1, 0]]", 2, 16 + 16.0 / 9, 0, 0);
  check_pairs (&test, "[[0, 0]]", 1, 16, 0, 0);
  check_pairs (&test, "[[1, 0], [1, 0]]", 1, 16.0 / 9, 0, 0);
  check_pairs (&test, "\"\"", 0, 0, 0, 0);
  /* The shadow of the upper one on the lower one would be 3 wide: cut at 1.  The lower one has none on the upper one. */
  check_pairs (&test, "[[0, 1]]", 1, 1, 1, 1);
  {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "s", "pairs", "[[1, 2]]");
    value = node_test_get (&test, "s.shadows", 0);
    g_assert_cmpuint (kg_geometry_get_n_primitives (value.geometry), ==, 0);
    g_assert_cmpfloat (node_test_number (&test, "s.count", 0), ==, 1);
  }
  /* A body does not darken itself unless it is asked to; then nothing of it is before its own plane. */
  check_pairs (&test, "[[-1, -1]]", 4, 16 + 16.0 / 9 + 1, 0, 1);
  node_test_set (&test, "s", "self", "true");
  check_pairs (&test, "[[-1, -1]]", 6, 16 + 16.0 / 9 + 1, 0, 1);
  /* Parallel light from the side: a square of 2 moved by its height, the same size; beyond the ground there is nothing. */
  node_test_set (&test, "s", "kind", "\"parallel\"");
  node_test_set (&test, "s", "direction", "[1, -1, 0]");
  check_pairs (&test, "[[0, 0]]", 1, 4, 0, 0);
  node_test_set (&test, "s", "direction", "[4.75, -1, 0]");
  check_pairs (&test, "[[0, 0]]", 1, 2 * 1.5, 0, 0);
  node_test_set (&test, "s", "direction", "[20, -1, 0]");
  {
    g_auto (KgValue) value = node_test_get (&test, "s.shadows", 0);

    g_assert_cmpuint (kg_geometry_get_n_primitives (value.geometry), ==, 0);
  }
  /* Light along the ground, and none at all. */
  node_test_set (&test, "s", "direction", "[1, 0, 0]");
  check_pairs (&test, "[[0, 0]]", 1, 0, INFINITY, -INFINITY);
  node_test_set (&test, "s", "direction", "[0, 0, 0]");
  node_test_fails_saying (&test, "s.shadows", 0, "light without a direction");
  node_test_set (&test, "s", "kind", "\"point\"");
  node_test_set (&test, "s", "pairs", "[[2, 0]]");
  node_test_fails_saying (&test, "s.shadows", 0, "there is no caster 2: count from 0 to 1");
  node_test_set (&test, "s", "pairs", "[[0, 0.5]]");
  node_test_fails_saying (&test, "s.shadows", 0, "there is no receiver 0.5");
  node_test_set (&test, "s", "receivers", "[]");
  {
    g_auto (KgValue) value = node_test_get (&test, "s.shadows", 0);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 0);
  }
  node_test_clear (&test);
}

/* The faces of a body are receivers, each within its edges: a box below a small roof is dark on top where the roof is. */
static void
test_r08_faces (void)
{
  NodeTest test = make_pairs ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  double low, high;

  node_test_add (&test, "geometry/box", "box", "size", "[2, 2, 2]", NULL);
  node_test_set (&test, "s", "casters", "[{\"link\": \"lower.transformed\"}]");
  node_test_set (&test, "lower", "translate", "[0.75, 2, 0]");
  node_test_set (&test, "s", "receivers", "[{\"link\": \"box.geometry\"}]");
  node_test_set (&test, "s", "kind", "\"parallel\"");
  node_test_set (&test, "s", "direction", "[0, -1, 0]");
  node_test_set (&test, "s", "pairs", "[[0, 0]]");
  value = node_test_get (&test, "s.shadows", 0);
  /* From 0.25 to 1.25 across, of which the box has what is up to 1; its other faces are dark by themselves. */
  assert_near (get_area (value.geometry, &low, &high), 0.75, 1e-5);
  assert_near (high, 1, 1e-6);
  assert_near (low, 1, 1e-6);
  node_test_clear (&test);
}

/* P1-76, P1-85 (c): a pane tilted by 30 degrees bends the ray by 30 - asin (sin 30 / 1.5) degrees, away from its normal. */
static void
test_p1_76_refract (void)
{
  const double bent = G_PI / 6 - asin (0.5 / 1.5), offset = 100 * tan (bent);
  const struct {
    const char *normal;
    double right, up;
  } cases[] = {
    { "[0.5, 0.5, 1, 1]", 0, 0 },
    { "[0.75, 0.5, 0.9330127, 1]", -offset, 0 },
    { "[0.5, 0.25, 0.9330127, 1]", 0, offset },
    { "[0.75, 0.5, 0.9330127, 0]", 0, 0 },
  };
  NodeTest test = node_test_new ();

  add_constant (&test, "c", "200", "160", "[0, 0, 0, 1]");
  node_test_add (&test, "image/expression", "p", "image", "{\"link\": \"c.image\"}", "red", "\"x\"", "green", "\"y\"",
                 NULL);
  add_constant (&test, "n", "200", "160", "[0.5, 0.5, 1, 1]");
  node_test_add (&test, "image/refract", "r", "image", "{\"link\": \"p.result\"}", "normals", "{\"link\": \"n.image\"}",
                 "filter", "\"bilinear\"", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "n", "color", cases[i].normal);
    value = node_test_get (&test, "r.result", 0);
    /* The plate has the place of each pixel as its colour; 80 pixels from the left, in the middle. */
    assert_near (get_pixel (&value, 80, 80)[0], 80.5 + cases[i].right, 1e-3);
    assert_near (get_pixel (&value, 80, 80)[1], 79.5 + cases[i].up, 1e-3);
  }
  /* The same normals in the scene, of a camera that is rolled by 90 degrees; no bending at index 1; a wider bend of blue. */
  {
    g_auto (KgValue) rolled = KG_VALUE_INIT, none = KG_VALUE_INIT, fringed = KG_VALUE_INIT;

    node_test_set (&test, "n", "color", "[0.5, 0.75, 0.9330127, 1]");
    node_test_set (&test, "r", "view", "[0.7071067811865476, 0, 0, 0.7071067811865476]");
    rolled = node_test_get (&test, "r.result", 0);
    assert_near (get_pixel (&rolled, 80, 80)[0], 80.5 - offset, 1e-3);
    assert_near (get_pixel (&rolled, 80, 80)[1], 79.5, 1e-3);
    node_test_set (&test, "r", "index", "1");
    none = node_test_get (&test, "r.result", 0);
    assert_near (get_pixel (&none, 80, 80)[0], 80.5, 1e-4);
    node_test_set (&test, "r", "index", "1.5");
    node_test_set (&test, "r", "dispersion", "0.1");
    node_test_set (&test, "p", "blue", "\"x\"");
    fringed = node_test_get (&test, "r.result", 0);
    assert_near (get_pixel (&fringed, 80, 80)[0], 80.5 - 100 * tan (G_PI / 6 - asin (0.5 / 1.45)), 1e-3);
    assert_near (get_pixel (&fringed, 80, 80)[2], 80.5 - 100 * tan (G_PI / 6 - asin (0.5 / 1.55)), 1e-3);
  }
  /* Into a thinner medium beyond the critical angle, normals that face away, and no normal: numbers all the same. */
  for (guint i = 0; i < 3; i++) {
    static const char *const normals[] = { "[1, 0.5, 0.5, 1]", "[0.5, 0.5, 0, 1]", "[0.5, 0.5, 0.5, 1]" };
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "n", "color", normals[i]);
    node_test_set (&test, "r", "index", "0.5");
    value = node_test_get (&test, "r.result", 0);
    g_assert_true (kg_image_check_finite (value.image, NULL));
  }
  node_test_clear (&test);
}

/* P1-24: without gain the image itself; else a geometric series, of what has moved in between. */
static void
test_p1_24_feedback (void)
{
  static const char *const rules[] = { "\"add\"", "\"max\"", "\"over\"" };
  NodeTest test = node_test_new ();

  add_constant (&test, "c", "32", "16", "[0.25, 0.5, 0, 0.5]");
  /* A light in pixel 8 of the first frame only, and half a coverage in all others. */
  node_test_add (&test, "image/expression", "p", "image", "{\"link\": \"c.image\"}", "red",
                 "\"frame < 1.5 && abs(x - 8.5) < 0.1 ? 1 : 0.125\"", "green", "\"0\"", "blue", "\"0\"", "alpha",
                 "\"0.5\"", NULL);
  node_test_add (&test, "image/feedback", "f", "image", "{\"link\": \"p.result\"}", "gain", "0", NULL);
  for (guint r = 0; r < 3; r++) {
    g_auto (KgValue) plain = node_test_get (&test, "p.result", 5 / 24.0), fed = KG_VALUE_INIT;

    node_test_set (&test, "f", "rule", rules[r]);
    fed = node_test_get (&test, "f.result", 5 / 24.0);
    g_assert_true (kg_value_equal (&plain, &fed));
  }
  node_test_set (&test, "f", "gain", "0.5");
  node_test_set (&test, "f", "translate", "[2, 0, 0]");
  node_test_set (&test, "f", "edges", "\"extend\"");
  node_test_set (&test, "f", "rule", "\"add\"");
  {
    /* Frame 5: 0.125 (1 + 1/2 + 1/4 + 1/8) and 1/16 of the first frame, which has moved by eight pixels. */
    g_auto (KgValue) fed = node_test_get (&test, "f.result", 4 / 24.0), again = KG_VALUE_INIT;
    NodeTest other = { .types = test.types, .graph = test.graph, .evaluator = kg_evaluator_new (test.graph, NULL) };

    assert_near (get_pixel (&fed, 16, 8)[0], 0.125 * 1.875 + 1 / 16.0, 1e-6);
    assert_near (get_pixel (&fed, 4, 8)[0], 0.125 * 1.875 + 0.125 / 16, 1e-6);
    assert_near (get_pixel (&fed, 16, 8)[3], 0.96875, 1e-6);
    /* The same bits when the frames before were not asked for, and half a frame has half of the move. */
    again = node_test_get (&other, "f.result", 4 / 24.0);
    g_assert_true (kg_value_equal (&fed, &again));
    kg_evaluator_free (other.evaluator);
  }
  {
    g_auto (KgValue) half = node_test_get (&test, "f.result", 0.5 / 24.0);

    assert_near (get_pixel (&half, 9, 8)[0], sqrt (0.5) + 0.125, 1e-6);
  }
  node_test_set (&test, "f", "rule", "\"max\"");
  {
    g_auto (KgValue) fed = node_test_get (&test, "f.result", 2 / 24.0);

    assert_near (get_pixel (&fed, 12, 8)[0], 0.25, 1e-6);
    assert_near (get_pixel (&fed, 4, 8)[0], 0.125, 1e-6);
  }
  node_test_set (&test, "f", "rule", "\"over\"");
  {
    g_auto (KgValue) fed = node_test_get (&test, "f.result", 1 / 24.0);

    assert_near (get_pixel (&fed, 10, 8)[0], 0.125 + 0.5 * 0.5, 1e-6);
  }
  /* Growth without end stays within the numbers; another size is no feedback. */
  node_test_set (&test, "f", "gain", "4");
  node_test_set (&test, "f", "rule", "\"add\"");
  {
    g_auto (KgValue) fed = node_test_get (&test, "f.result", 80 / 24.0);

    g_assert_true (kg_image_check_finite (fed.image, NULL));
  }
  node_test_set (&test, "c", "width", "{\"expr\": \"frame < 2.5 ? 32 : 30\"}");
  node_test_fails_saying (&test, "f.result", 3 / 24.0, "the image has 30 × 16 pixels, but began with 32 × 16");
  node_test_clear (&test);
}

/* A row of point operations of an image that changes with time, ended by a Merge. */
static NodeTest
make_row (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "p", "width", "300", "height", "200", "color",
                 "{\"expr\": \"color(0.2 + 0.01*frame, 0.5, 0.9, 0.7)\"}", NULL);
  node_test_add (&test, "image/gradient", "m", "width", "200", "height", "200", NULL);
  node_test_add (&test, "image/grade", "a", "image", "{\"link\": \"p.image\"}", "multiply", "[2, 1.5, 1, 1]", "mask",
                 "{\"link\": \"m.image\"}", NULL);
  node_test_add (&test, "image/exposure", "b", "image", "{\"link\": \"a.result\"}", "exposure", "-0.7", NULL);
  node_test_add (&test, "image/saturation", "c", "image", "{\"link\": \"b.result\"}", "saturation", "0.4", "mix",
                 "{\"expr\": \"frame/10\"}", NULL);
  node_test_add (&test, "image/color_curves", "d", "image", "{\"link\": \"c.result\"}", "red", "\"0 0.1\\n1 0.8\"",
                 NULL);
  node_test_add (&test, "image/color_space", "e", "image", "{\"link\": \"d.result\"}", "to", "\"srgb\"", NULL);
  node_test_add (&test, "image/color_correct", "f", "image", "{\"link\": \"e.result\"}", "shadows_gain",
                 "[0.5, 1, 1, 1]", NULL);
  node_test_add (&test, "image/hue_correct", "g", "image", "{\"link\": \"f.result\"}", NULL);
  node_test_add (&test, "image/invert", "h", "image", "{\"link\": \"g.result\"}", NULL);
  node_test_add (&test, "image/clamp", "i", "image", "{\"link\": \"h.result\"}", "high", "0.8", NULL);
  node_test_add (&test, "image/premultiply", "j", "image", "{\"link\": \"i.result\"}", NULL);
  node_test_add (&test, "image/merge", "k", "image", "{\"link\": \"j.result\"}", "foreground",
                 "{\"link\": \"m.image\"}", "opacity", "0.3", NULL);
  return test;
}

static KgValue
get_lean (NodeTest *test, const char *name, const char *slot, double time, guint64 *evaluations)
{
  KgEvaluator *evaluator = kg_evaluator_new (test->graph, NULL);
  KgNode *node = kg_graph_find (test->graph, name);
  g_autoptr (GError) error = NULL;
  KgValue value = KG_VALUE_INIT;

  kg_evaluator_set_lean (evaluator, true);
  kg_evaluator_evaluate (evaluator, node, (guint) kg_node_find_slot (node, slot), time, NULL, &value, &error);
  g_assert_no_error (error);
  *evaluations = kg_evaluator_get_n_evaluations (evaluator);
  kg_evaluator_free (evaluator);
  return value;
}

/* Point operations in a row, of which a rendering keeps no results, are done in one pass: the same bits as those of the window,
 * which keeps them all, at the end, in the middle, and where a result in the middle is read twice or a node is bypassed. */
static void
test_one_pass (void)
{
  NodeTest test = make_row ();
  const struct {
    const char *node, *slot, *foreground;
  } cases[] = { { "k", "result", NULL },
                { "e", "result", NULL },
                { "a", "result", NULL },
                { "l", "image", "d.result" },
                { "l", "image", "a.result" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *target = g_strconcat (cases[i].node, ".", cases[i].slot, NULL);

    if (cases[i].foreground != NULL) {
      g_autofree char *link = g_strdup_printf ("{\"link\": \"%s\"}", cases[i].foreground);

      if (i == 3)
        node_test_add (&test, "image/contact_sheet", "l", "image", "{\"link\": \"k.result\"}", "count", "2", NULL);
      node_test_set (&test, "k", "foreground", link);
    }
    for (int frame = 1; frame < 6; frame += 2) {
      const double time = (frame - 1) / 24.0;
      g_auto (KgValue) kept = node_test_get (&test, target, time), lean = KG_VALUE_INIT;
      guint64 evaluations;

      lean = get_lean (&test, cases[i].node, cases[i].slot, time, &evaluations);
      g_assert_cmpint (kg_image_get_width (kept.image), ==, kg_image_get_width (lean.image));
      g_assert_true (
          memcmp (kg_image_get_pixels (kept.image), kg_image_get_pixels (lean.image),
                  16 * (size_t) kg_image_get_width (kept.image) * (size_t) kg_image_get_height (kept.image)) == 0);
      if (i == 0)
        g_assert_cmpuint (evaluations, ==, 13);
    }
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compositing/one-pass", test_one_pass);
  g_test_add_func ("/compositing/P1-24-feedback", test_p1_24_feedback);
  g_test_add_func ("/compositing/P1-76-P1-85-refract", test_p1_76_refract);
  g_test_add_func ("/compositing/R08-pairs", test_r08_pairs);
  g_test_add_func ("/compositing/R08-faces", test_r08_faces);
  g_test_add_func ("/compositing/wear", test_wear);
  g_test_add_func ("/compositing/C04-C05-merge", test_c04_c05_merge);
  g_test_add_func ("/compositing/C16-C02-layers", test_c16_c02_layers);
  g_test_add_func ("/compositing/C17-P1-22-multiplane", test_c17_p1_22_multiplane);
  g_test_add_func ("/compositing/C17-out-of-focus", test_c17_out_of_focus);
  g_test_add_func ("/compositing/silences", test_silences);
  g_test_add_func ("/compositing/P1-22-order", test_p1_22_order);
  g_test_add_func ("/compositing/C14-depth-merge", test_c14_depth_merge);
  g_test_add_func ("/compositing/P1-79-plate-and-key", test_p1_79_plate_and_key);
  g_test_add_func ("/compositing/roto-and-tools", test_roto_and_tools);
  g_test_add_func ("/compositing/roto-columns", test_roto_columns);
  g_test_add_func ("/compositing/R13-baked", test_r13_baked);
  g_test_add_func ("/compositing/R10-drop-shadow", test_r10_drop_shadow);
  g_test_add_func ("/compositing/extreme-sizes", test_extreme_sizes);
  return g_test_run ();
}
