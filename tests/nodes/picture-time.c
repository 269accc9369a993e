/* tests/nodes/picture-time: frames held, retimed, mixed, blurred, woven and compared.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#define RATE 24.0

static double
sum_component (const KgImage *image, int c)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += (double) kg_image_get_pixels (image)[4 * i + (size_t) c];
  return sum;
}

static double
get_pixel (const KgImage *image, int x, int y, int c)
{
  return (double) kg_image_get_pixels (image)[4 * (kg_image_get_width (image) * y + x) + c];
}

/* A white bar of width pixels in a transparent picture of 160 by 8, its left edge at x0 + speed frames: exact at whole
 * pixels. */
static NodeTest
make_bar (const char *width, const char *expression)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "bar", "width", width, "height", "8", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/constant", "back", "width", "160", "height", "8", "color", "[0, 0, 0, 0]", NULL);
  node_test_add (&test, "image/over", "o", "layers", "[{\"link\": \"back.image\"}, {\"link\": \"bar.image\"}]",
                 "offset", expression, NULL);
  return test;
}

/* P1-02: on twos, frame -1 is frame -2; ones change nothing; 0 freezes. */
static void
test_hold (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/number", "v", "value", "{\"expr\": \"frame\"}", NULL);
  node_test_add (&test, "graph/frame_hold", "h", "value", "{\"link\": \"v.output\"}", "first", "0", NULL);
  assert_near (node_test_number (&test, "h.held", -2 / RATE), -2, 1e-9);
  assert_near (node_test_number (&test, "h.held", 4 / RATE), 4, 1e-9);
  assert_near (node_test_number (&test, "h.held", 5 / RATE), 6, 1e-9); /* frame 6: the graph starts at 1 */
  assert_near (node_test_number (&test, "h.held", 6 / RATE), 6, 1e-9);
  node_test_set (&test, "h", "every", "1");
  assert_near (node_test_number (&test, "h.held", 6 / RATE), 7, 1e-9);
  node_test_set (&test, "h", "every", "0");
  node_test_set (&test, "h", "first", "3");
  assert_near (node_test_number (&test, "h.held", 6 / RATE), 3, 1e-9);
  node_test_clear (&test);
}

/* P1-04 and R02: a bar of 4 pixels at 32 pixels a frame, open for the whole frame: a plateau of w / v, all light kept. */
static void
test_motion_blur (void)
{
  NodeTest test = make_bar ("4", "{\"expr\": \"[32*(frame-1) - 40, 0, 0]\"}");
  g_auto (KgValue) value = KG_VALUE_INIT, still = KG_VALUE_INIT;

  node_test_add (&test, "image/motion_blur", "b", "image", "{\"link\": \"o.image\"}", "shutter", "1", "samples", "32",
                 NULL);
  value = node_test_get (&test, "b.blurred", 0);
  assert_near (sum_component (value.image, 3), 4 * 8, 1e-3);
  assert_near (get_pixel (value.image, 55, 3, 3), 4.0 / 32, 1e-6);
  assert_near (get_pixel (value.image, 50, 3, 0), 4.0 / 32, 1e-6);
  assert_near (get_pixel (value.image, 100, 3, 3), 0, 0);
  assert_near (get_pixel (value.image, 37, 3, 3), 0, 0);
  g_assert_cmpfloat (node_test_number (&test, "b.ghosting", 0), <, 1);
  /* One sample of no exposure is the image itself. */
  node_test_set (&test, "b", "samples", "1");
  node_test_set (&test, "b", "shutter", "0");
  kg_value_clear (&value);
  value = node_test_get (&test, "b.blurred", 3 / RATE);
  still = node_test_get (&test, "o.image", 3 / RATE);
  g_assert_true (kg_image_equal (value.image, still.image));
  node_test_clear (&test);
}

/* R03: of the 16 parts of a pixel each shows another one of 16 moments, in another order for each pixel: what is white in one
 * of them is a sixteenth everywhere, and a part of the image that is white at once is as often white as there are orders. */
static void
test_distributed (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT, again = KG_VALUE_INIT, other = KG_VALUE_INIT;
  double sum = 0;

  node_test_add (&test, "image/constant", "c", "width", "128", "height", "64", "color", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/expression", "e", "image", "{\"link\": \"c.image\"}", "p", "{\"expr\": \"frame - 1\"}",
                 "red", "\"p > 5/16 && p < 6/16\"", "green", "\"p < 0.5 && mod(x, 4) < 1 && mod(y, 4) < 1\"", NULL);
  node_test_add (&test, "image/motion_blur", "b", "image", "{\"link\": \"e.result\"}", "shutter", "1", "subpixels", "4",
                 NULL);
  value = node_test_get (&test, "b.blurred", 0);
  g_assert_cmpint (kg_image_get_width (value.image), ==, 32);
  g_assert_cmpint (kg_image_get_height (value.image), ==, 16);
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 32; x++) {
      assert_near (get_pixel (value.image, x, y, 0), 1.0 / 16, 1e-7);
      assert_near (get_pixel (value.image, x, y, 3), 1, 1e-7);
      sum += 16 * get_pixel (value.image, x, y, 1);
    }
  /* Half of 512 pixels see their first part in the first half: 256, and 11 is a standard deviation. */
  assert_near (sum, 256, 45);
  again = node_test_get (&test, "b.blurred", 0);
  g_assert_true (kg_image_equal (value.image, again.image));
  node_test_set (&test, "b", "seed", "1");
  other = node_test_get (&test, "b.blurred", 0);
  g_assert_false (kg_image_equal (value.image, other.image));
  node_test_set (&test, "c", "width", "127");
  node_test_warns (&test, "b.blurred", "127 by 64 pixels does not divide into pixels of 4 by 4 parts");
  {
    g_auto (KgValue) cut = node_test_get (&test, "b.blurred", 0);

    g_assert_cmpint (kg_image_get_width (cut.image), ==, 31);
    assert_near (get_pixel (cut.image, 30, 15, 0), 1.0 / 16, 1e-7);
  }
  node_test_set (&test, "c", "width", "1");
  node_test_set (&test, "c", "height", "1");
  node_test_number (&test, "b.needed", 0);
  node_test_clear (&test);
}

/* R04: what moves evenly is the same at all times; on a circle of steps of 90 degrees the chord lies r (1 - cos 45) inside in
 * the middle; rotations go by slerp; the number of points may change. */
static void
test_linear_motion (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) rotation = KG_VALUE_INIT, points = KG_VALUE_INIT;

  node_test_add (&test, "value/number", "v", "value", "{\"expr\": \"3*frame - 1\"}", NULL);
  node_test_add (&test, "graph/linear_motion", "m", "value", "{\"link\": \"v.output\"}", NULL);
  for (int k = -7; k < 20; k++)
    assert_near (node_test_number (&test, "m.moved", k / 5.0 / RATE), 3 * (1 + k / 5.0) - 1, 1e-9);
  node_test_add (&test, "value/vector", "c", "value", "{\"expr\": \"2*cos(pi/2*frame), 2*sin(pi/2*frame), 0\"}", NULL);
  node_test_add (&test, "graph/linear_motion", "d", "value", "{\"link\": \"c.output\"}", NULL);
  for (int k = 0; k < 4; k++) {
    g_auto (KgValue) ends = node_test_get (&test, "d.moved", k / RATE),
                     middle = node_test_get (&test, "d.moved", (k + 0.5) / RATE);

    assert_near (kg_vector_length (ends.vector), 2, 1e-9);
    assert_near (2 - kg_vector_length (middle.vector), 2 * (1 - cos (KG_PI / 4)), 1e-9);
  }
  /* Half a frame open from a quarter on: begun at 1.25, 1.75 ... */
  node_test_set (&test, "d", "interval", "0.5");
  node_test_set (&test, "d", "phase", "1.25");
  {
    g_auto (KgValue) middle = node_test_get (&test, "d.moved", 0.5 / RATE);

    assert_near (2 - kg_vector_length (middle.vector), 2 * (1 - cos (KG_PI / 8)), 1e-9);
  }
  node_test_add (&test, "value/rotation", "r", "angles", "{\"expr\": \"0, 0, 80*(frame-1)\"}", NULL);
  node_test_add (&test, "graph/linear_motion", "s", "value", "{\"link\": \"r.rotation\"}", NULL);
  rotation = node_test_get (&test, "s.moved", 0.25 / RATE);
  assert_near (2 * acos (fabs (rotation.rotation.w)) * 180 / KG_PI, 20, 1e-6);
  node_test_add (&test, "geometry/circle", "g", "points", "{\"expr\": \"frame < 3 ? 4 : 5\"}", "radius",
                 "{\"expr\": \"frame\"}", NULL);
  node_test_add (&test, "graph/linear_motion", "p", "value", "{\"link\": \"g.geometry\"}", NULL);
  points = node_test_get (&test, "p.moved", 0.25 / RATE);
  assert_near ((double) kg_geometry_get_positions (points.geometry)[0], 1.25, 1e-6);
  kg_value_clear (&points);
  points = node_test_get (&test, "p.moved", 1.5 / RATE);
  assert_near ((double) kg_geometry_get_n_points (points.geometry), 4, 0);
  assert_near ((double) kg_geometry_get_positions (points.geometry)[0], 2, 1e-6);
  node_test_clear (&test);
}

/* R07: 3 pixels at 40 a frame in 4 samples step by 10: separate images; 14 samples are needed. */
static void
test_ghosting (void)
{
  NodeTest test = make_bar ("3", "{\"expr\": \"[40*(frame-1) - 41.5, 0, 0]\"}");

  node_test_add (&test, "image/motion_blur", "b", "image", "{\"link\": \"o.image\"}", "shutter", "1", "samples", "4",
                 NULL);
  assert_near (node_test_number (&test, "b.ghosting", 0), 10.0 / 3, 1e-4);
  assert_near (node_test_number (&test, "b.needed", 0), 14, 0);
  /* The other ways to weigh keep light, too. */
  for (guint i = 0; i < 2; i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "b", "filter", i == 0 ? "\"tent\"" : "\"gaussian\"");
    value = node_test_get (&test, "b.blurred", 0);
    assert_near (sum_component (value.image, 3), 3 * 8, 1e-3);
  }
  node_test_clear (&test);
}

/* P1-06: lit once, then dark: decay^k; m places in m frames: each 1 / m. */
static void
test_afterimage (void)
{
  NodeTest test = make_bar ("1", "{\"expr\": \"[10*(frame-1) - 60, 0, 0]\"}");
  g_auto (KgValue) value = KG_VALUE_INIT, mean = KG_VALUE_INIT;

  node_test_add (&test, "image/afterimage", "a", "image", "{\"link\": \"o.image\"}", "decay", "0.5", "frames", "8",
                 NULL);
  value = node_test_get (&test, "a.result", 7 / RATE);
  for (int k = 0; k < 8; k++) {
    double most = 0;

    for (int x = 10 * (7 - k); x < 10 * (7 - k) + 10; x++)
      most = fmax (most, get_pixel (value.image, x + 15, 2, 0));
    assert_near (most, pow (0.5, k), 1e-6);
  }
  node_test_set (&test, "a", "rule", "\"average\"");
  mean = node_test_get (&test, "a.result", 7 / RATE);
  assert_near (sum_component (mean.image, 0), 8, 1e-5);
  for (int x = 0; x < 160; x++)
    g_assert_true (get_pixel (mean.image, x, 0, 0) == 0 || fabs (get_pixel (mean.image, x, 0, 0) - 0.125) < 1e-6);
  node_test_clear (&test);
}

/* The median of a bar that passes is the empty plate; the maximum is all of its places. */
static void
test_average (void)
{
  NodeTest test = make_bar ("4", "{\"expr\": \"[8*(frame-1) - 40, 0, 0]\"}");
  static const struct {
    const char *rule;
    double sum;
  } rules[] = { { "\"mean\"", 4 * 8 }, { "\"median\"", 0 }, { "\"min\"", 0 }, { "\"max\"", 7 * 4 * 8 } };

  node_test_add (&test, "image/time_average", "t", "image", "{\"link\": \"o.image\"}", "before", "3", "after", "3",
                 NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "t", "rule", rules[i].rule);
    value = node_test_get (&test, "t.average", 4 / RATE);
    assert_near (sum_component (value.image, 1), rules[i].sum, 1e-4);
  }
  node_test_set (&test, "t", "rule", "\"max\"");
  node_test_set (&test, "t", "range", "\"fixed\"");
  node_test_set (&test, "t", "count", "5");
  for (int frame = 0; frame < 30; frame += 29) {
    g_auto (KgValue) value = node_test_get (&test, "t.average", frame / RATE);

    assert_near (sum_component (value.image, 1), 5 * 4 * 8, 1e-4);
  }
  node_test_clear (&test);
}

static void
test_echo (void)
{
  NodeTest test = make_bar ("4", "{\"expr\": \"[8*(frame-1) - 40, 0, 0]\"}");
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "image/echo", "e", "image", "{\"link\": \"o.image\"}", "echoes", "3", "step", "1", "opacity",
                 "0.5", "decay", "0.5", NULL);
  value = node_test_get (&test, "e.result", 4 / RATE);
  assert_near (sum_component (value.image, 3), 4 * 8 * (1 + 0.5 + 0.25 + 0.125), 1e-4);
  node_test_clear (&test);
}

/* P1-03 and V03: rows of a moving bar alternate between places half a frame apart; a still picture is not changed; bob
 * gives both moments back. */
static void
test_interlace (void)
{
  NodeTest test = make_bar ("4", "{\"expr\": \"[8*(frame-1) - 40, 0, 0]\"}");
  g_auto (KgValue) value = KG_VALUE_INIT, now = KG_VALUE_INIT, later = KG_VALUE_INIT, first = KG_VALUE_INIT,
                   second = KG_VALUE_INIT;

  node_test_add (&test, "image/interlace", "i", "image", "{\"link\": \"o.image\"}", NULL);
  value = node_test_get (&test, "i.interlaced", 2 / RATE);
  now = node_test_get (&test, "o.image", 2 / RATE);
  later = node_test_get (&test, "o.image", 2.5 / RATE);
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 160; x++)
      g_assert_cmpfloat (get_pixel (value.image, x, y, 3), ==, get_pixel ((y % 2 == 0 ? now : later).image, x, 3, 3));
  /* Four pixels on: v / 2. */
  g_assert_cmpfloat (get_pixel (now.image, 54 + 4, 0, 3), ==, get_pixel (later.image, 58 + 4, 0, 3));
  node_test_add (&test, "image/deinterlace", "d", "image", "{\"link\": \"i.interlaced\"}", NULL);
  first = node_test_get (&test, "d.frame", 2 / RATE);
  second = node_test_get (&test, "d.frame", 2.5 / RATE);
  g_assert_true (kg_image_equal (first.image, now.image));
  g_assert_true (kg_image_equal (second.image, later.image));
  for (guint i = 0; i < 4; i++) {
    static const char *const methods[] = { "\"weave\"", "\"adapt\"", "\"first\"", "\"blend\"" };
    g_auto (KgValue) still = KG_VALUE_INIT;

    node_test_set (&test, "o", "offset", "[0, 0, 0]");
    node_test_set (&test, "d", "method", methods[i]);
    kg_value_clear (&now);
    now = node_test_get (&test, "o.image", 0);
    still = node_test_get (&test, "d.frame", 0);
    g_assert_true (kg_image_equal (still.image, now.image));
  }
  node_test_clear (&test);
}

/* The mean of two of the largest numbers is not infinite. */
static void
test_interlace_huge (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", "3", "height", "4", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/expression", "e", "image", "{\"link\": \"c.image\"}", "red", "\"3e38\"", NULL);
  node_test_add (&test, "image/deinterlace", "d", "image", "{\"link\": \"e.result\"}", NULL);
  for (guint i = 0; i < 4; i++) {
    static const char *const methods[] = { "\"bob\"", "\"adapt\"", "\"first\"", "\"blend\"" };
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "d", "method", methods[i]);
    value = node_test_get (&test, "d.frame", 0);
    assert_near (get_pixel (value.image, 1, 1, 0) / 3e38, 1, 1e-6);
  }
  node_test_clear (&test);
}

/* V04: the levels of a white line; a line that the image does not have is said to be the last one. */
static void
test_waveform (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", "64", "height", "4", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/video_waveform", "w", "image", "{\"link\": \"c.image\"}", "line", "4", NULL);
  assert_near (node_test_number (&test, "w.low", 0), -40, 1e-9);
  assert_near (node_test_number (&test, "w.high", 0), 100, 1e-9);
  node_test_set (&test, "w", "line", "5");
  node_test_warns (&test, "w.high", "the image has no line 5: its last one, 4, is shown");
  node_test_clear (&test);
}

/* V23: 24 film frames are 30 of video; removed again they are the film, at any phase, which is found. */
static void
test_pulldown (void)
{
  NodeTest test = make_bar ("4", "{\"expr\": \"[5*(frame-1) - 60, 0, 0]\"}");

  node_test_add (&test, "image/pulldown", "p", "image", "{\"link\": \"o.image\"}", NULL);
  node_test_add (&test, "image/pulldown", "r", "image", "{\"link\": \"p.converted\"}", "direction", "\"remove\"", NULL);
  for (guint cadence = 0; cadence < 2; cadence++)
    for (int phase = 0; phase < 5; phase++) {
      g_autofree char *text = g_strdup_printf ("%d", phase);

      node_test_set (&test, "p", "phase", text);
      node_test_set (&test, "p", "cadence", cadence == 0 ? "\"2:3\"" : "\"2:3:3:2\"");
      node_test_set (&test, "r", "cadence", cadence == 0 ? "\"2:3\"" : "\"2:3:3:2\"");
      assert_near (node_test_number (&test, "r.found", 3 / RATE), phase, 0);
      for (int frame = 4; frame < 12; frame++) {
        g_auto (KgValue) film = node_test_get (&test, "o.image", frame / RATE);
        g_auto (KgValue) back = node_test_get (&test, "r.converted", frame / RATE);

        g_assert_true (kg_image_equal (film.image, back.image));
      }
    }
  node_test_clear (&test);
}

static void
test_difference (void)
{
  NodeTest test = make_bar ("4", "{\"expr\": \"[2*(frame-1) - 40, 0, 0]\"}");
  g_auto (KgValue) value = KG_VALUE_INIT, low = KG_VALUE_INIT, high = KG_VALUE_INIT;

  node_test_add (&test, "image/frame_difference", "d", "image", "{\"link\": \"o.image\"}", "show", "\"mask\"", NULL);
  value = node_test_get (&test, "d.difference", 1 / RATE);
  assert_near (sum_component (value.image, 0), 4 * 8, 0);
  assert_near (node_test_number (&test, "d.changed", 1 / RATE), 32.0 / 1280, 1e-12);
  low = node_test_get (&test, "d.low", 1 / RATE);
  high = node_test_get (&test, "d.high", 1 / RATE);
  assert_near (high.vector.x - low.vector.x, 6, 1e-12);
  assert_near (high.vector.y - low.vector.y, 8, 1e-12);
  node_test_set (&test, "d", "offset", "0");
  assert_near (node_test_number (&test, "d.changed", 1 / RATE), 0, 0);
  node_test_clear (&test);
}

static void
test_slit_scan (void)
{
  NodeTest test = make_bar ("1", "{\"expr\": \"[1*(frame-1) - 79.5, 0, 0]\"}");
  g_auto (KgValue) value = KG_VALUE_INIT;

  /* A line one pixel on each frame, seen through a slit for 160 frames, is a single column. */
  node_test_add (&test, "image/slit_scan", "s", "image", "{\"link\": \"o.image\"}", "mode", "\"photo_finish\"", "span",
                 "159", "smooth", "false", NULL);
  value = node_test_get (&test, "s.scanned", 159 / RATE);
  assert_near (sum_component (value.image, 3), 8, 1e-6);
  assert_near (get_pixel (value.image, 80, 4, 3), 1, 0);
  node_test_set (&test, "s", "mode", "\"map\"");
  node_test_fails (&test, "s.scanned", KG_ERROR_NOT_CONNECTED);
  node_test_set (&test, "s", "mode", "\"rows\"");
  node_test_set (&test, "s", "span", "10000");
  node_test_fails (&test, "s.scanned", KG_ERROR_LIMIT);
  node_test_clear (&test);
}

/* A textured disc: found, and moved half the way. */
static NodeTest
make_texture (const char *translate)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "g", "columns", "7", "rows", "7", "size", "[3, 3, 0]", NULL);
  node_test_add (&test, "render/draw", "p", "geometries", "[{\"link\": \"g.geometry\"}]", "width", "96", "height", "72",
                 "view_height", "4", "background", "[0.1, 0.1, 0.1, 1]", NULL);
  node_test_add (&test, "image/transform", "m", "image", "{\"link\": \"p.image\"}", "translate", translate, "edges",
                 "\"extend\"", NULL);
  return test;
}

static void
test_flow (void)
{
  NodeTest test = make_texture ("{\"expr\": \"[4*(frame-1), -3*(frame-1), 0]\"}");
  g_auto (KgValue) value = KG_VALUE_INIT, half = KG_VALUE_INIT, truth = KG_VALUE_INIT, mixed = KG_VALUE_INIT;
  double flow_error = 0, mix_error = 0;

  node_test_add (&test, "image/optical_flow", "f", "image", "{\"link\": \"m.transformed\"}", NULL);
  value = node_test_get (&test, "f.vectors", 0);
  assert_near (get_pixel (value.image, 48, 36, 0), 4, 0.4);
  assert_near (get_pixel (value.image, 48, 36, 1), -3, 0.4);
  node_test_add (&test, "image/retime", "r", "image", "{\"link\": \"m.transformed\"}", "mode", "\"frame\"", "frame",
                 "1.5", "filter", "\"flow\"", NULL);
  half = node_test_get (&test, "r.retimed", 0);
  node_test_set (&test, "r", "filter", "\"mix\"");
  mixed = node_test_get (&test, "r.retimed", 0);
  truth = node_test_get (&test, "m.transformed", 0.5 / RATE);
  for (int y = 12; y < 60; y++)
    for (int x = 12; x < 84; x++) {
      flow_error += pow (get_pixel (half.image, x, y, 0) - get_pixel (truth.image, x, y, 0), 2);
      mix_error += pow (get_pixel (mixed.image, x, y, 0) - get_pixel (truth.image, x, y, 0), 2);
    }
  g_assert_cmpfloat (flow_error, <, 0.2 * mix_error);
  node_test_clear (&test);
}

/* A whole frame is that frame, bit for bit, with every filter. */
static void
test_retime (void)
{
  NodeTest test = make_bar ("4", "{\"expr\": \"[2*(frame-1) - 40, 0, 0]\"}");

  node_test_add (&test, "image/retime", "r", "image", "{\"link\": \"o.image\"}", "speed", "0.5", NULL);
  for (guint i = 0; i < 3; i++) {
    static const char *const filters[] = { "\"nearest\"", "\"mix\"", "\"flow\"" };
    g_auto (KgValue) value = KG_VALUE_INIT, frame = KG_VALUE_INIT;

    node_test_set (&test, "r", "filter", filters[i]);
    value = node_test_get (&test, "r.retimed", 8 / RATE);
    frame = node_test_get (&test, "o.image", 4 / RATE);
    g_assert_true (kg_image_equal (value.image, frame.image));
  }
  node_test_set (&test, "r", "filter", "\"mix\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "r.retimed", 9 / RATE);

    assert_near (sum_component (value.image, 3), 4 * 8, 1e-5);
    assert_near (node_test_number (&test, "r.shown", 9 / RATE), 5.5, 1e-9);
  }
  node_test_clear (&test);
}

/* Light is kept, along any vector; opaque pictures stay opaque. */
static void
test_vector_blur (void)
{
  NodeTest test = make_bar ("4", "[0, 0, 0]");
  g_auto (KgValue) value = KG_VALUE_INIT, opaque = KG_VALUE_INIT;

  node_test_add (&test, "image/constant", "v", "width", "160", "height", "8", "color", "[20, 0, 0, 1]", NULL);
  node_test_add (&test, "image/vector_blur", "b", "image", "{\"link\": \"o.image\"}", "vectors",
                 "{\"link\": \"v.image\"}", "shutter", "1", NULL);
  value = node_test_get (&test, "b.result", 0);
  assert_near (sum_component (value.image, 3), 32, 1e-4);
  assert_near (get_pixel (value.image, 90, 4, 3), 4.0 / 20, 1e-3);
  node_test_set (&test, "back", "color", "[0.2, 0.2, 0.2, 1]");
  opaque = node_test_get (&test, "b.result", 0);
  for (int x = 25; x < 160; x++)
    assert_near (get_pixel (opaque.image, x, 4, 3), 1, 1e-6);
  node_test_clear (&test);
}

/* P1-10, P1-11, P1-12: a strip of twelve drawings of 10 pixels, drawing i as bright as i + 1.  Through twelve slits each look shows
 * the next one in its place; thirteen drawings wander by a twelfth, and so much of the next one is seen; mirrors lose no light. */
static void
test_zoetrope (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", "120", "height", "4", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/expression", "strip", "image", "{\"link\": \"c.image\"}", "red", "\"1 + floor(x/10)\"",
                 NULL);
  node_test_add (&test, "image/zoetrope", "z", "image", "{\"link\": \"strip.result\"}", "slit", "0", "dim", "false",
                 NULL);
  assert_near (node_test_number (&test, "z.rate", 0), 12, 0);
  assert_near (node_test_number (&test, "z.drift", 0), 0, 0);
  for (int i = 0; i < 26; i++) {
    g_auto (KgValue) seen = node_test_get (&test, "z.seen", (i + 0.5) / 12);

    assert_near (node_test_number (&test, "z.drawing", (i + 0.5) / 12), i % 12, 0);
    g_assert_cmpint (kg_image_get_width (seen.image), ==, 10);
    for (int x = 0; x < 10; x++)
      assert_near (get_pixel (seen.image, x, 2, 0), 1 + i % 12, 1e-4);
  }
  /* A slit lets a tenth of the light through, and what is at the edge of a drawing smears by a tenth of its width. */
  node_test_set (&test, "z", "slit", "0.1");
  node_test_set (&test, "z", "dim", "true");
  {
    g_auto (KgValue) seen = node_test_get (&test, "z.seen", 3.5 / 12);

    assert_near (node_test_number (&test, "z.brightness", 0), 0.1, 0);
    assert_near (get_pixel (seen.image, 5, 2, 0), 0.4, 1e-5);
    assert_near (get_pixel (seen.image, 5, 2, 3), 1, 1e-5);
  }
  node_test_set (&test, "z", "toy", "\"praxinoscope\"");
  node_test_set (&test, "z", "slits", "5");
  {
    g_auto (KgValue) seen = node_test_get (&test, "z.seen", 3.5 / 12);

    assert_near (node_test_number (&test, "z.brightness", 0), 1, 0);
    assert_near (node_test_number (&test, "z.rate", 0), 12, 0);
    assert_near (node_test_number (&test, "z.drift", 0), 0, 0);
    assert_near (get_pixel (seen.image, 0, 2, 0), 4, 1e-5);
  }
  /* 13 drawings of 10 pixels behind 12 slits: after k looks, k/12 of a drawing of the next one is in view. */
  node_test_set (&test, "c", "width", "130");
  node_test_set (&test, "z", "toy", "\"zoetrope\"");
  node_test_set (&test, "z", "drawings", "13");
  node_test_set (&test, "z", "slits", "12");
  node_test_set (&test, "z", "slit", "0");
  node_test_set (&test, "z", "dim", "false");
  assert_near (node_test_number (&test, "z.drift", 0), 1 / 12.0, 1e-15);
  for (int k = 0; k < 12; k++) {
    g_auto (KgValue) seen = node_test_get (&test, "z.seen", (k + 0.5) / 12);
    double sum = 0;

    for (int x = 0; x < 10; x++)
      sum += get_pixel (seen.image, x, 2, 0);
    assert_near (sum / 10, 1 + k * 13 / 12.0, 1e-4);
  }
  /* The disc turns as a whole: after a quarter of a turn with four slits what was above is at the left. */
  node_test_set (&test, "c", "height", "130");
  node_test_set (&test, "strip", "red", "\"y/130\"");
  node_test_set (&test, "z", "toy", "\"phenakistoscope\"");
  node_test_set (&test, "z", "slits", "4");
  {
    g_auto (KgValue) seen = node_test_get (&test, "z.seen", 0.3);

    for (int x = 10; x < 120; x += 10)
      assert_near (get_pixel (seen.image, x, 65, 0), 1 - (x + 0.5) / 130, 1e-4);
  }
  node_test_set (&test, "z", "toy", "\"zoetrope\"");
  node_test_set (&test, "z", "drawings", "5000");
  node_test_fails_saying (&test, "z.seen", 0, "a strip of 130 pixels has no room for 5000 drawings");
  node_test_set (&test, "z", "drawings", "1");
  node_test_set (&test, "z", "turns", "1e9");
  g_assert_true (isfinite (node_test_number (&test, "z.drawing", 0)));
  node_test_clear (&test);
}

/* V01, V02, V07, V08, V22, P1-56: the catalogue's figures. */
static void
test_formats (void)
{
  static const struct {
    const char *format, *slot;
    double want, tolerance;
  } figures[] = {
    { "8mm", "aspect", 1.3241, 5e-5 },
    { "super-8", "aspect", 1.3742, 5e-5 },
    { "16mm", "aspect", 1.3695, 5e-5 },
    { "35mm", "aspect", 1.3714, 5e-5 },
    { "65mm", "aspect", 1.3378, 5e-5 },
    { "70mm", "aspect", 2.1977, 5e-5 },
    { "8mm", "frames", 960, 0 },
    { "super-8", "frames", 1080, 0 },
    { "35mm", "frames", 1440, 0 },
    { "35mm", "flashes", 48, 1e-12 },
    { "35mm", "height", 1493, 0 },
    { "35mm", "pixel_aspect", 1, 1e-3 },
    { "35mm", "fov", 25.753115, 1e-6 }, /* 2 atan (0.63 · 25.4 / 70) in degrees */
    { "ntsc", "line_rate", 15734.2657, 1e-3 },
    { "ntsc", "flashes", 60000.0 / 1001, 1e-9 },
    { "ntsc", "width", 640, 0 },
    { "ntsc", "pixel_aspect", 1, 1e-12 },
    { "pal", "line_rate", 15625, 1e-9 },
    { "pal", "flashes", 50, 1e-12 },
    { "secam", "lines", 625, 0 },
    { "720p", "aspect", 16 / 9.0, 1e-12 },
    { "1080", "aspect", 16 / 9.0, 1e-12 },
    { "1080", "pixel_aspect", 1, 1e-12 },
    { "d1", "bytes_per_second", 27e6, 1e-6 },
    { "d1", "width", 720, 0 },
    { "d1", "pixel_aspect", 8 / 9.0, 1e-12 },
    { "d2", "bytes_per_second", 14318181.8182, 1e-3 },
    { "digital-betacam", "bytes_per_second", 720.0 * 480 * 30000 / 1001, 1e-6 },
    { "own", "bytes", 1658880000, 1e-6 },
    { "own", "bytes_per_second", 27648000, 1e-6 },
    { "own", "frames", 1800, 0 },
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/picture_format", "f", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++) {
    g_autofree char *format = g_strdup_printf ("\"%s\"", figures[i].format);
    g_autofree char *slot = g_strdup_printf ("f.%s", figures[i].slot);

    node_test_set (&test, "f", "format", format);
    assert_near (node_test_number (&test, slot, 0), figures[i].want, figures[i].tolerance);
  }
  node_test_set (&test, "f", "format", "\"own\"");
  node_test_set (&test, "f", "compression", "500");
  assert_near (node_test_number (&test, "f.bytes", 0), 3317760, 1e-6);
  node_test_set (&test, "f", "compression", "2");
  assert_near (node_test_number (&test, "f.bytes", 0), 829440000, 1e-6);
  /* P1-56. */
  node_test_set (&test, "f", "own_width", "720");
  node_test_set (&test, "f", "own_height", "486");
  node_test_set (&test, "f", "bits", "16");
  node_test_set (&test, "f", "compression", "1");
  node_test_set (&test, "f", "seconds", "3600");
  assert_near (node_test_number (&test, "f.bytes_per_second", 0), 20995200, 1e-6);
  assert_near (node_test_number (&test, "f.bytes", 0), 75582720000.0, 1e-3);
  /* Given bits count for any format, and only what is seen. */
  node_test_set (&test, "f", "format", "\"d1\"");
  node_test_set (&test, "f", "bits", "24");
  node_test_set (&test, "f", "compression", "1");
  assert_near (node_test_number (&test, "f.bytes_per_frame", 0), 720 * 480 * 3, 1e-6);
  {
    g_auto (KgValue) all = node_test_get (&test, "f.all", 0);

    assert_near ((double) kg_table_get_n_rows (all.table), 18, 0);
    assert_near (kg_table_get_row (all.table, 11)[7], 27, 1e-12);
  }
  node_test_clear (&test);
}

/* V07: a picture of 4:3 in one of 16:9 leaves a quarter of the width, an eighth on each side. */
static void
test_pillars (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "image/constant", "c", "width", "64", "height", "48", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/reformat", "r", "image", "{\"link\": \"c.image\"}", "width", "320", "height", "180",
                 "filter", "\"nearest\"", NULL);
  value = node_test_get (&test, "r.result", 0);
  assert_near (sum_component (value.image, 3), 0.75 * 320 * 180, 0);
  assert_near (get_pixel (value.image, 39, 90, 3), 0, 0);
  assert_near (get_pixel (value.image, 40, 90, 3), 1, 0);
  assert_near (get_pixel (value.image, 279, 90, 3), 1, 0);
  assert_near (get_pixel (value.image, 280, 90, 3), 0, 0);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/picture-time/P1-02-hold", test_hold);
  g_test_add_func ("/picture-time/P1-04-R02-motion-blur", test_motion_blur);
  g_test_add_func ("/picture-time/R07-ghosting", test_ghosting);
  g_test_add_func ("/picture-time/P1-06-afterimage", test_afterimage);
  g_test_add_func ("/picture-time/average", test_average);
  g_test_add_func ("/picture-time/echo", test_echo);
  g_test_add_func ("/picture-time/P1-03-V03-interlace", test_interlace);
  g_test_add_func ("/picture-time/V03-huge", test_interlace_huge);
  g_test_add_func ("/picture-time/V04-waveform", test_waveform);
  g_test_add_func ("/picture-time/V01-V02-V08-V22-P1-56-formats", test_formats);
  g_test_add_func ("/picture-time/V07-pillars", test_pillars);
  g_test_add_func ("/picture-time/R03-distributed", test_distributed);
  g_test_add_func ("/picture-time/R04-linear-motion", test_linear_motion);
  g_test_add_func ("/picture-time/V23-pulldown", test_pulldown);
  g_test_add_func ("/picture-time/V17-difference", test_difference);
  g_test_add_func ("/picture-time/slit-scan", test_slit_scan);
  g_test_add_func ("/picture-time/P1-10-P1-11-P1-12-zoetrope", test_zoetrope);
  g_test_add_func ("/picture-time/flow", test_flow);
  g_test_add_func ("/picture-time/retime", test_retime);
  g_test_add_func ("/picture-time/vector-blur", test_vector_blur);
  return g_test_run ();
}
